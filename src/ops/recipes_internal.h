// Parts of recipes that other recipes are made of.
#pragma once

#include "ops/recipes.h"

namespace ingot::ops {

// Added to a number that is not too large, it rounds it to a whole one, and leaves that in the low bits.
constexpr double magic(DType dtype) {
  return dtype == DType::kF32 ? 0x1.8p23 : 0x1.8p52;
}

// x = 2^k (1 + f) for a normal positive x, with 1 + f between sqrt(1/2) and sqrt(2).
struct Split {
  Scalar f;
  Scalar k;  // as a float
};
Split split_single(ScalarBuilder& b, Scalar x);
Split split_double(ScalarBuilder& b, Scalar x);

// log(1 + f) + k ln 2 + small.
Scalar log_of_split(ScalarBuilder& b, const Split& split, Scalar small);

// exp(x + low), where low is below the last place of x; the special values are those of exp(x).
Scalar exp_of_sum(ScalarBuilder& b, Scalar x, Scalar low);

}  // namespace ingot::ops
