#include "tools/numbers.h"

#include <charconv>
#include <sstream>

namespace ingot::tools {
namespace {

template <class T>
CLI::Validator range(const char* kind, T low, T high) {
  std::ostringstream bounds;
  bounds << low << " to " << high;
  const std::string text = bounds.str();
  return CLI::Validator(
      [=](const std::string& given) {
        T value{};
        const char* end = given.data() + given.size();
        const auto read = std::from_chars(given.data(), end, value);
        const bool good = read.ec == std::errc() && read.ptr == end && value >= low && value <= high;
        return good ? std::string() : "'" + given + "' is not " + kind + " from " + text;
      },
      text);
}

}  // namespace

CLI::Validator whole_number(uint64_t low, uint64_t high) {
  return range<uint64_t>("a whole number", low, high);
}

CLI::Validator path_given() {
  return CLI::Validator(
      [](const std::string& given) {
        return given.empty() ? std::string("it is empty; name a file or folder") : std::string();
      },
      "");
}

CLI::Validator results_path() {
  return CLI::Validator(
      [](const std::string& given) {
        if (given.empty()) return std::string("it is empty; name a file");
        if (given.ends_with(".npz") || given.ends_with(".safetensors")) return std::string();
        return "'" + given +
               "' would not be what it is called: results are written as a .npz or .safetensors file";
      },
      "");
}

CLI::Validator number_between(double low, double high) {
  return range<double>("a number", low, high);
}

}  // namespace ingot::tools
