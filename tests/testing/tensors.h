// Random arrays for tests, and their comparison.
#pragma once

#include <random>
#include <span>
#include <string>
#include <vector>

#include "base/tensor.h"
#include "ir/ir.h"

namespace ingot::testing {

using Random = std::mt19937_64;  // the same numbers on every machine

int64_t random_integer(Random& random, int64_t low, int64_t high);  // both included
double random_real(Random& random);                                 // in [0, 1)

// Floats in [-2, 2), integers in [-8, 8] (unsigned: [0, 16]), preds by coin.
Tensor random_tensor(Random& random, DType dtype, const Shape& shape);
// What an array may hold besides ordinary numbers.
enum class Values : uint8_t {
  kOrdinary,  // as random_tensor() makes them
  kInfinite,  // infinities, NaN and both zeros as well: sums of these do not depend on their order
  kExtreme,   // also the largest and the smallest numbers of the type
};
// Integers have their least and greatest ones with both.
Tensor special_tensor(Random& random, DType dtype, const Shape& shape, Values values);
// What the arguments of tests hold is told by their names: "infinite" and "extreme" with any number behind.
Values values_of(const ir::Value& argument);
// One for each argument of the entry function.
std::vector<Tensor> random_arguments(Random& random, const ir::Module& module);

// What differs: the first place where floats are further apart than `tolerance` times (1 + magnitude), or
// other elements are not equal. Empty if nothing does. NaNs equal NaNs. Without a tolerance zeros have signs.
std::string difference(const Tensor& actual, const Tensor& expected, double tolerance = 0);
std::string difference(std::span<const Tensor> actual, std::span<const Tensor> expected,
                       double tolerance = 0);

}  // namespace ingot::testing
