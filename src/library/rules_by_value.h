// Rules of the library's that hold by value all that they use, so that they are traced where a derivative
// asks for them: most calls of these functions are never differentiated.
#pragma once

#include <source_location>
#include <utility>

#include "ingot/autodiff.h"

namespace ingot::detail {

template <class F, class Rule>
auto custom_jvp_by_value(F&& f, Rule&& rule,
                         const std::source_location& where = std::source_location::current()) {
  return with_rules<CustomJvpByValue>(where, std::forward<F>(f), std::forward<Rule>(rule));
}

}  // namespace ingot::detail
