// Of products of so few terms the sum goes term by term, in its own dtype, as kernels and other programs have
// it: rounded products of complex numbers' parts, fused multiply-adds of real ones.
#pragma once

#include <cstdint>

namespace ingot::ops {

inline constexpr int64_t kFewTerms = 4;

}  // namespace ingot::ops
