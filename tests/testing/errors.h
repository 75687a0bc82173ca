// The largest of many errors, where one that is no number is larger than any.
#pragma once

#include <cmath>

namespace ingot::testing {

inline double larger_error(double worst, double error) {
  return std::isnan(worst) || error <= worst ? worst : error;
}

}  // namespace ingot::testing
