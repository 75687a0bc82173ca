// Parts of recipes that other recipes are made of.
#pragma once

#include "ops/recipes.h"

namespace ingot::ops {

// x = 2^k (1 + f) for a normal positive x, with 1 + f between sqrt(1/2) and sqrt(2).
struct Split {
  Scalar f;
  Scalar k;  // as a float
};
Split split_single(ScalarBuilder& b, Scalar x);
Split split_double(ScalarBuilder& b, Scalar x);

// exp(x + low), where low is below the last place of x; the special values are those of exp(x).
Scalar exp_of_sum(ScalarBuilder& b, Scalar x, Scalar low);

}  // namespace ingot::ops
