// From a dtype to the C++ type of its elements.
#pragma once

#include <complex>
#include <type_traits>

#include "base/check.h"
#include "ingot/dtype.h"

namespace ingot {

template <>
struct detail::Element<DType::kC64> {
  using type = std::complex<float>;
};
template <>
struct detail::Element<DType::kC128> {
  using type = std::complex<double>;
};

// The unsigned integers of the same width.
inline DType unsigned_of(DType dtype) {
  const size_t bytes = byte_size(dtype);
  return bytes == 1 ? DType::kU8 : bytes == 2 ? DType::kU16 : bytes == 4 ? DType::kU32 : DType::kU64;
}

// Calls fn with a std::type_identity of the element type, and gives what it does.
template <class Fn>
decltype(auto) visit_dtype(DType dtype, Fn&& fn) {
#define INGOT_CASE(name) \
  case DType::name:      \
    return fn(std::type_identity<ElementOf<DType::name>>())
  switch (dtype) {
    INGOT_CASE(kPred);
    INGOT_CASE(kS8);
    INGOT_CASE(kS16);
    INGOT_CASE(kS32);
    INGOT_CASE(kS64);
    INGOT_CASE(kU8);
    INGOT_CASE(kU16);
    INGOT_CASE(kU32);
    INGOT_CASE(kU64);
    INGOT_CASE(kF16);
    INGOT_CASE(kBF16);
    INGOT_CASE(kF32);
    INGOT_CASE(kF64);
    INGOT_CASE(kC64);
    INGOT_CASE(kC128);
    INGOT_CASE(kF8E4M3FN);
    INGOT_CASE(kF8E5M2);
    INGOT_CASE(kF8E4M3);
    INGOT_CASE(kF8E4M3B11FNUZ);
    INGOT_CASE(kF8E4M3FNUZ);
    INGOT_CASE(kF8E5M2FNUZ);
    INGOT_CASE(kF8E3M4);
    INGOT_CASE(kF8E8M0FNU);
    INGOT_CASE(kF6E2M3FN);
    INGOT_CASE(kF6E3M2FN);
    INGOT_CASE(kF4E2M1FN);
    INGOT_CASE(kS4);
    INGOT_CASE(kU4);
    INGOT_CASE(kS2);
    INGOT_CASE(kU2);
  }
#undef INGOT_CASE
  throw InternalError("unknown dtype");
}

}  // namespace ingot
