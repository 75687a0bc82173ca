// Element types and shapes of arrays.
#pragma once
#if __cplusplus < 202002L && !defined(__cpp_concepts)
#error "Ingot needs C++20: compile with -std=c++20"
#define INGOT_NOTHING_MORE "needs -std=c++20"
#include INGOT_NOTHING_MORE  // which there is not: nothing is said behind it
#endif

#include <complex>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "ingot/float16.h"
#include "ingot/float8.h"
#include "ingot/int4.h"

namespace ingot {

enum class DType : uint8_t {
  kPred,
  kS8,
  kS16,
  kS32,
  kS64,
  kU8,
  kU16,
  kU32,
  kU64,
  kF16,
  kBF16,
  kF32,
  kF64,
  kC64,
  kC128,
  kF8E4M3FN,
  kF8E5M2,
  kF8E4M3,
  kF8E4M3B11FNUZ,
  kF8E4M3FNUZ,
  kF8E5M2FNUZ,
  kF8E3M4,
  kF8E8M0FNU,
  kF6E2M3FN,
  kF6E3M2FN,
  kF4E2M1FN,
  kS4,
  kU4,
  kS2,
  kU2
};

inline constexpr DType kAllDTypes[] = {DType::kPred,
                                       DType::kS8,
                                       DType::kS16,
                                       DType::kS32,
                                       DType::kS64,
                                       DType::kU8,
                                       DType::kU16,
                                       DType::kU32,
                                       DType::kU64,
                                       DType::kF16,
                                       DType::kBF16,
                                       DType::kF32,
                                       DType::kF64,
                                       DType::kC64,
                                       DType::kC128,
                                       DType::kF8E4M3FN,
                                       DType::kF8E5M2,
                                       DType::kF8E4M3,
                                       DType::kF8E4M3B11FNUZ,
                                       DType::kF8E4M3FNUZ,
                                       DType::kF8E5M2FNUZ,
                                       DType::kF8E3M4,
                                       DType::kF8E8M0FNU,
                                       DType::kF6E2M3FN,
                                       DType::kF6E3M2FN,
                                       DType::kF4E2M1FN,
                                       DType::kS4,
                                       DType::kU4,
                                       DType::kS2,
                                       DType::kU2};

size_t byte_size(DType dtype);          // bytes of one element; a pred takes one byte, 0 or 1
int bit_width(DType dtype);             // those of an element that say which it is: 8 per byte, or fewer
std::string_view name_of(DType dtype);  // "f32", "bf16", "c64", "pred", ... as the IR text writes it
std::optional<DType> parse_dtype(std::string_view name);

// A float of a byte or less (float8.h).
constexpr bool is_small_float(DType dtype) {
  return dtype >= DType::kF8E4M3FN && dtype <= DType::kF4E2M1FN;
}
// An integer of less than a byte, which takes one (int4.h).
constexpr bool is_small_integer(DType dtype) {
  return dtype >= DType::kS4 && dtype <= DType::kU2;
}
constexpr bool is_float(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kF64 || dtype == DType::kF16 || dtype == DType::kBF16 ||
         is_small_float(dtype);
}
// A float that is only stored: arithmetic on it is done in f32 and rounded.
constexpr bool is_narrow_float(DType dtype) {
  return dtype == DType::kF16 || dtype == DType::kBF16 || is_small_float(dtype);
}
// The dtype in which arithmetic is done, to be rounded or cut off: f32 for narrow floats, and an integer of a
// byte for smaller ones; of others it is they themselves.
constexpr DType computed_dtype(DType dtype) {
  return is_narrow_float(dtype)                       ? DType::kF32
         : dtype == DType::kS4 || dtype == DType::kS2 ? DType::kS8
         : dtype == DType::kU4 || dtype == DType::kU2 ? DType::kU8
                                                      : dtype;
}
// What is only stored.
constexpr bool is_narrow(DType dtype) {
  return computed_dtype(dtype) != dtype;
}
// Pairs of floats, c64 of f32 and c128 of f64: the real part first, as std::complex has them.
constexpr bool is_complex(DType dtype) {
  return dtype == DType::kC64 || dtype == DType::kC128;
}
// What has derivatives.
constexpr bool is_inexact(DType dtype) {
  return is_float(dtype) || is_complex(dtype);
}
// The dtype of the parts of a complex one; of others it is they themselves.
constexpr DType real_dtype(DType dtype) {
  return dtype == DType::kC64 ? DType::kF32 : dtype == DType::kC128 ? DType::kF64 : dtype;
}
// Signed or unsigned; a pred is none.
constexpr bool is_integer(DType dtype) {
  return dtype != DType::kPred && !is_inexact(dtype);
}
// Signed integers, floats and complex numbers.
constexpr bool is_signed(DType dtype) {
  return is_inexact(dtype) || dtype == DType::kS8 || dtype == DType::kS16 || dtype == DType::kS32 ||
         dtype == DType::kS64 || dtype == DType::kS4 || dtype == DType::kS2;
}
int significant_bits(DType dtype);  // of a float: integers of so many bits have exact counterparts

// std::complex<float> and std::complex<double>, known by what they are: their header is a long one.
template <class T>
concept ComplexNumber = std::is_class_v<T> && std::is_trivially_copyable_v<T> && requires(const T& z) {
  typename T::value_type;
  z.real() + z.imag();
  requires std::is_same_v<typename T::value_type, float> || std::is_same_v<typename T::value_type, double>;
  requires sizeof(T) == 2 * sizeof(typename T::value_type);
};

// The dtype of a C++ arithmetic type: dtype_of<float>() is f32.
template <class T>
constexpr DType dtype_of() {
  static_assert(ComplexNumber<T>, "ingot: no dtype has elements of this type");
  return sizeof(T) == 8 ? DType::kC64 : DType::kC128;
}

namespace detail {
template <DType kDType>
struct Element;
}
// And the type of a dtype: ElementOf<DType::kF32> is float. Those of complex numbers are known where
// base/visit_dtype.h is.
template <DType kDType>
using ElementOf = typename detail::Element<kDType>::type;

// Extents, outermost first. An empty shape is a scalar.
using Shape = std::vector<int64_t>;

// The most elements that an array may have, 2^48: more than any memory holds, and little enough that bytes,
// strides and sums of many of them fit in 64 bits.
inline constexpr int64_t kMostElements = int64_t{1} << 48;

// The product of the extents; 1 for a scalar. Error where an extent is negative, or the product of all but
// those that are 0 is beyond kMostElements. All that makes a shape is checked here.
int64_t element_count(const Shape& shape);
std::string to_string(const Shape& shape);  // "[3,4]"

#define INGOT_DTYPE_OF(cpp_type, value)  \
  template <>                            \
  constexpr DType dtype_of<cpp_type>() { \
    return DType::value;                 \
  }                                      \
  template <>                            \
  struct detail::Element<DType::value> { \
    using type = cpp_type;               \
  };
INGOT_DTYPE_OF(bool, kPred)
INGOT_DTYPE_OF(int8_t, kS8)
INGOT_DTYPE_OF(int16_t, kS16)
INGOT_DTYPE_OF(int32_t, kS32)
INGOT_DTYPE_OF(int64_t, kS64)
INGOT_DTYPE_OF(uint8_t, kU8)
INGOT_DTYPE_OF(uint16_t, kU16)
INGOT_DTYPE_OF(uint32_t, kU32)
INGOT_DTYPE_OF(uint64_t, kU64)
INGOT_DTYPE_OF(float16, kF16)
INGOT_DTYPE_OF(bfloat16, kBF16)
INGOT_DTYPE_OF(float, kF32)
INGOT_DTYPE_OF(double, kF64)
INGOT_DTYPE_OF(float8_e4m3fn, kF8E4M3FN)
INGOT_DTYPE_OF(float8_e5m2, kF8E5M2)
INGOT_DTYPE_OF(float8_e4m3, kF8E4M3)
INGOT_DTYPE_OF(float8_e4m3b11fnuz, kF8E4M3B11FNUZ)
INGOT_DTYPE_OF(float8_e4m3fnuz, kF8E4M3FNUZ)
INGOT_DTYPE_OF(float8_e5m2fnuz, kF8E5M2FNUZ)
INGOT_DTYPE_OF(float8_e3m4, kF8E3M4)
INGOT_DTYPE_OF(float8_e8m0fnu, kF8E8M0FNU)
INGOT_DTYPE_OF(float6_e2m3fn, kF6E2M3FN)
INGOT_DTYPE_OF(float6_e3m2fn, kF6E3M2FN)
INGOT_DTYPE_OF(float4_e2m1fn, kF4E2M1FN)
INGOT_DTYPE_OF(int4, kS4)
INGOT_DTYPE_OF(uint4, kU4)
INGOT_DTYPE_OF(int2, kS2)
INGOT_DTYPE_OF(uint2, kU2)
#undef INGOT_DTYPE_OF

}  // namespace ingot
