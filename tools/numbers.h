// Numbers on the command line. CLI11's own checks take -1 for a large unsigned number and NaN for any other.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>

namespace ingot::tools {

// A whole number from `low` to `high`, written in digits.
CLI::Validator whole_number(uint64_t low, uint64_t high);
// A path that is not empty: nothing could be read from there, nor written.
CLI::Validator path_given();
// The same of a file that results are written into.
CLI::Validator results_path();
// A number from `low` to `high`, neither infinite nor NaN.
CLI::Validator number_between(double low, double high);

}  // namespace ingot::tools
