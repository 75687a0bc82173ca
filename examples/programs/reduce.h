// Reductions, and what is written with them: each is one kernel.
#pragma once

#include <ingot/ingot.h>

#include <map>
#include <string>

namespace programs {

// Zero mean and unit variance per row, as in a layer norm before its gain and bias.
inline ingot::Array layer_norm(ingot::Array x) {
  using namespace ingot;
  const Array centred = x - mean(x, 1, kKeepDims);
  return centred * rsqrt(mean(square(centred), 1, kKeepDims) + 1e-5);
}

inline ingot::Array rms_norm(ingot::Array x) {
  using namespace ingot;
  return x * rsqrt(mean(square(x), 1, kKeepDims) + 1e-5);
}

inline const std::map<std::string, ingot::Array (*)(ingot::Array)>& reductions() {
  using namespace ingot;
  static const std::map<std::string, Array (*)(Array)> all = {
      {"softmax", [](Array x) { return softmax(x, 1); }},
      {"log_softmax", [](Array x) { return log_softmax(x, 1); }},
      {"layer_norm", layer_norm},
      {"rms_norm", rms_norm},
      {"logsumexp", [](Array x) { return logsumexp(x, 1); }},
      {"argmax", [](Array x) { return argmax(x, 1); }},
      {"sum_0", [](Array x) { return sum(x, 0); }},
      {"sum_1", [](Array x) { return sum(x, 1); }},
      {"sum_all", [](Array x) { return sum(x); }},
      {"mean_var", [](Array x) { return mean(x) / sqrt(var(x)); }},
      {"logsumexp_all", [](Array x) { return logsumexp(x); }},
      {"cumsum", [](Array x) { return cumsum(x, 1); }},
      {"avg_pool",
       [](Array x) {
         return avg_pool(x, {3, 3});
       }},
  };
  return all;
}

}  // namespace programs
