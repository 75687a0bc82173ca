// Numbers of the command lines of test programs: what is none, or too large, is an error that names the
// option, and no number that was not asked for.
#pragma once

#include <charconv>
#include <limits>
#include <string>
#include <string_view>

#include "ingot/error.h"

namespace ingot::testing {

template <class T>
T number_of(const std::string& option, std::string_view text, T least = 0,
            T most = std::numeric_limits<T>::max()) {
  T number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !(number >= least && number <= most))
    throw Error(option + ": '" + std::string(text) + "' is not a number from " + std::to_string(least) +
                " to " + std::to_string(most));
  return number;
}

}  // namespace ingot::testing
