// Floats of two bytes. They store numbers and do not compute: in arithmetic they become floats.
//
// float16 is IEEE 754's binary16: 11 significant bits, from 6e-8 to 65504. bfloat16 is the upper half of a
// float: 8 significant bits, and float's range. Conversion from float or double rounds once, to nearest, ties
// to even, denormals included; what is too large becomes an infinity; a NaN stays one and keeps its sign and
// the upper bits of its payload. Conversion to float is exact.
#pragma once

#include <bit>
#include <compare>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace ingot {
namespace detail {

constexpr uint16_t float16_bits(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value), magnitude = bits & 0x7fffffff;
  const uint32_t sign = bits >> 16 & 0x8000;
  uint32_t result = 0x7c00;      // infinity
  if (magnitude > 0x7f800000) {  // NaN, a quiet one
    result = 0x7e00 | (magnitude >> 13 & 0x1ff);
  } else if (magnitude < 0x38800000) {  // below 2^-14: a multiple of 2^-24
    const uint32_t exponent = magnitude >> 23, significand = (magnitude & 0x7fffff) | 0x800000;
    result = 0;
    if (exponent >= 102) {
      const uint32_t shift = 126 - exponent, rest = significand & ((1u << shift) - 1),
                     tie = 1u << (shift - 1);
      result = significand >> shift;
      result += rest > tie || (rest == tie && (result & 1) != 0);
    }
  } else if (magnitude < 0x47800000) {  // below 2^16; the largest of them round up to infinity
    result = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
  }
  return static_cast<uint16_t>(sign | result);
}

constexpr float float16_value(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16, exponent = bits >> 10 & 0x1f;
  const uint32_t fraction = static_cast<uint32_t>(bits & 0x3ff) << 13;
  if (exponent == 0x1f) {
    return std::bit_cast<float>(sign | 0x7f800000 | fraction | (fraction != 0 ? 0x400000u : 0u));
  }
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | fraction);
  const float magnitude = static_cast<float>(bits & 0x3ff) * 0x1p-24f;
  return sign != 0 ? -magnitude : magnitude;
}

constexpr uint16_t bfloat16_bits(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000) return static_cast<uint16_t>(bits >> 16 | 0x40);  // a quiet NaN
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

constexpr float bfloat16_value(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

// Rounded to odd: what lies between two floats becomes the one with an odd last bit, so that a number near
// the middle of two narrow ones stays on its side of it.
constexpr float rounded_to_odd(double value) {
  const auto near = static_cast<float>(value);
  if (near == value || value != value) return near;
  const bool beyond = value < 0 ? near < value : near > value;
  const uint32_t bits = std::bit_cast<uint32_t>(near);
  // Zero has no neighbour towards zero; it is never beyond.
  return std::bit_cast<float>((beyond ? bits - 1 : bits) | 1u);
}

}  // namespace detail

struct float16 {  // NOLINT: named as the types of <stdfloat> are
  uint16_t bits;

  float16() = default;
  constexpr explicit float16(float value) : bits(detail::float16_bits(value)) {}
  template <std::same_as<double> Double>
  constexpr explicit float16(Double value) : float16(detail::rounded_to_odd(value)) {}
  constexpr operator float() const { return detail::float16_value(bits); }  // NOLINT: exact
  static constexpr float16 from_bits(uint16_t bits) {
    float16 result{};
    result.bits = bits;
    return result;
  }
};

struct bfloat16 {  // NOLINT
  uint16_t bits;

  bfloat16() = default;
  constexpr explicit bfloat16(float value) : bits(detail::bfloat16_bits(value)) {}
  template <std::same_as<double> Double>
  constexpr explicit bfloat16(Double value) : bfloat16(detail::rounded_to_odd(value)) {}
  constexpr operator float() const { return detail::bfloat16_value(bits); }  // NOLINT
  static constexpr bfloat16 from_bits(uint16_t bits) {
    bfloat16 result{};
    result.bits = bits;
    return result;
  }
};

// What is computed of them is computed in float, or in the type beside them, as C++ does with what converts
// to float. Written out, so that it stays so beside arrays, whose operators take them too.
namespace detail {

template <class T>
inline constexpr bool kStoresFloat = std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;
template <class T>
concept NarrowNumber = kStoresFloat<T>;
template <class A, class B>
concept NarrowPair = (NarrowNumber<A> && (NarrowNumber<B> || std::is_arithmetic_v<B>)) ||
                     (std::is_arithmetic_v<A> && NarrowNumber<B>);

template <class T>
constexpr auto widened(T value) {
  if constexpr (NarrowNumber<T>)
    return static_cast<float>(value);
  else
    return value;
}

}  // namespace detail

template <detail::NarrowNumber T>
constexpr float operator-(T a) {
  return -detail::widened(a);
}
template <class A, class B>
requires detail::NarrowPair<A, B>
constexpr auto operator+(A a, B b) {
  return detail::widened(a) + detail::widened(b);
}
template <class A, class B>
requires detail::NarrowPair<A, B>
constexpr auto operator-(A a, B b) {
  return detail::widened(a) - detail::widened(b);
}
template <class A, class B>
requires detail::NarrowPair<A, B>
constexpr auto operator*(A a, B b) {
  return detail::widened(a) * detail::widened(b);
}
template <class A, class B>
requires detail::NarrowPair<A, B>
constexpr auto operator/(A a, B b) {
  return detail::widened(a) / detail::widened(b);
}
template <class A, class B>
requires detail::NarrowPair<A, B>
constexpr bool operator==(A a, B b) {
  return detail::widened(a) == detail::widened(b);
}
template <class A, class B>
requires detail::NarrowPair<A, B>
constexpr auto operator<=>(A a, B b) {
  return detail::widened(a) <=> detail::widened(b);
}

namespace detail {

template <class T, int kDigits, int kMinExponent, uint16_t kMin, uint16_t kMax, uint16_t kEpsilon,
          uint16_t kInfinity, uint16_t kNan>
struct Float16Limits : std::numeric_limits<float> {
  static constexpr int digits = kDigits, min_exponent = kMinExponent;
  static constexpr T min() noexcept { return T::from_bits(kMin); }
  static constexpr T max() noexcept { return T::from_bits(kMax); }
  static constexpr T lowest() noexcept { return T::from_bits(kMax | 0x8000); }
  static constexpr T epsilon() noexcept { return T::from_bits(kEpsilon); }
  static constexpr T denorm_min() noexcept { return T::from_bits(1); }
  static constexpr T infinity() noexcept { return T::from_bits(kInfinity); }
  static constexpr T quiet_NaN() noexcept { return T::from_bits(kNan); }
};

}  // namespace detail
}  // namespace ingot

template <>
struct std::numeric_limits<ingot::float16>
    : ingot::detail::Float16Limits<ingot::float16, 11, -13, 0x0400, 0x7bff, 0x1400, 0x7c00, 0x7e00> {};
template <>
struct std::numeric_limits<ingot::bfloat16>
    : ingot::detail::Float16Limits<ingot::bfloat16, 8, -125, 0x0080, 0x7f7f, 0x3c00, 0x7f80, 0x7fc0> {};
