// Floats of a byte or less, each of which takes a byte. They store numbers and do not compute: in arithmetic
// they become floats, as float16 does (float16.h).
//
// eXmY has X bits of exponent and Y of significand behind the leading one. What else a format has, its name
// says as in the OCP formats and MLIR: nothing, infinities and NaN as IEEE 754 has them; `fn`, no infinity,
// and NaN where all bits are set (or none, where there are fewer than 8 bits); `fnuz`, no infinity, no -0,
// and NaN in its place; `b11`, that the exponent is less by 11; e8m0fnu, powers of two alone, neither zero
// nor a sign. Conversion from float or double rounds once, to nearest, ties to even, subnormal numbers
// included. What is too large becomes an infinity, or NaN where there is none, or the greatest number where
// there is neither; NaN becomes NaN, and a zero where there is none, with the other sign, as in ml_dtypes.
#pragma once

#include "ingot/float16.h"

namespace ingot {
namespace detail {

enum class Specials : uint8_t {
  kIeee,          // infinities, and NaN beyond
  kTopCode,       // the greatest magnitude is NaN
  kNegativeZero,  // the code of -0 is NaN, the only one
  kNone,
  kScale,  // powers of two without a sign; the greatest code is NaN
};

struct FloatFormat {
  int exponent_bits, mantissa_bits, bias;
  Specials specials;

  // The code of a sign; below it lie the magnitudes.
  constexpr uint32_t sign() const {
    return specials == Specials::kScale ? 0 : uint32_t{1} << (exponent_bits + mantissa_bits);
  }
  constexpr uint32_t magnitudes() const { return specials == Specials::kScale ? 255 : sign() - 1; }
  // The first magnitude that is no number, kIeee's infinity; the greatest magnitude + 1 where all are.
  constexpr uint32_t infinity() const {
    switch (specials) {
      case Specials::kIeee:
        return ((uint32_t{1} << exponent_bits) - 1) << mantissa_bits;
      case Specials::kTopCode:
      case Specials::kScale:
        return magnitudes();
      default:
        return magnitudes() + 1;
    }
  }
  // What NaN becomes, without its sign, and what is too large does.
  constexpr uint32_t nan() const {
    return specials == Specials::kIeee           ? infinity() | uint32_t{1} << (mantissa_bits - 1)
           : specials == Specials::kNegativeZero ? sign()
           : specials == Specials::kNone         ? 0
                                                 : magnitudes();
  }
  constexpr uint32_t overflow() const {
    return specials == Specials::kIeee ? infinity() : specials == Specials::kNone ? magnitudes() : nan();
  }
  constexpr bool has_infinity() const { return specials == Specials::kIeee; }
  constexpr bool has_nan() const { return specials != Specials::kNone; }
  bool operator==(const FloatFormat&) const = default;
};

constexpr uint8_t scale_code(uint32_t bits) {
  if (bits == 0 || bits >= 0x7f800000) return 0xff;  // negative numbers are beyond, too
  if (bits < 0x800000) return bits > 0x400000 ? 1 : 0;
  return static_cast<uint8_t>((bits + 0x400000) >> 23);  // at a tie the greater one
}

constexpr uint8_t code_of(float value, FloatFormat format) {
  const auto bits = std::bit_cast<uint32_t>(value), magnitude = bits & 0x7fffffff;
  if (format.specials == Specials::kScale) return scale_code(bits);
  const uint32_t sign = bits >> 31 != 0 ? format.sign() : 0;
  if (magnitude > 0x7f800000) {
    if (format.specials == Specials::kNegativeZero) return static_cast<uint8_t>(format.nan());
    return static_cast<uint8_t>(format.has_nan() ? sign | format.nan() : sign ^ format.sign());
  }
  const int lost = 23 - format.mantissa_bits;
  const auto rounded_off = [](uint32_t number, int places) {
    return (number + (uint32_t{1} << (places - 1)) - 1 + (number >> places & 1)) >> places;
  };
  uint32_t result = 0;
  if (magnitude >= static_cast<uint32_t>(128 - format.bias) << 23) {
    result = rounded_off(magnitude - (static_cast<uint32_t>(127 - format.bias) << 23), lost);
  } else {  // a multiple of the least number; what f32 holds as a subnormal number is none
    const int places = lost + 128 - format.bias - static_cast<int>(magnitude >> 23);
    if (places <= 24) result = rounded_off((magnitude & 0x7fffff) | 0x800000, places);
  }
  if (result >= format.infinity()) result = format.overflow();
  if (format.specials == Specials::kNegativeZero && (result == 0 || result == format.nan()))
    return static_cast<uint8_t>(result);
  return static_cast<uint8_t>(sign | result);
}

constexpr float value_of_code(uint8_t code, FloatFormat format) {
  constexpr uint32_t kNan = 0x7fc00000, kInfinity = 0x7f800000;
  const uint32_t magnitude = code & format.magnitudes(), sign = (code & format.sign()) != 0 ? 1u << 31 : 0;
  if (format.specials == Specials::kScale) {
    if (code == 0xff) return std::bit_cast<float>(kNan);
    return std::bit_cast<float>(code == 0 ? 0x400000u : uint32_t{code} << 23);
  }
  if (format.specials == Specials::kNegativeZero && magnitude == 0)
    return std::bit_cast<float>(sign != 0 ? sign | kNan : 0);
  if (magnitude >= format.infinity()) {
    const bool infinite = format.has_infinity() && magnitude == format.infinity();
    return std::bit_cast<float>(sign | (infinite ? kInfinity : kNan));
  }
  const uint32_t exponent = magnitude >> format.mantissa_bits,
                 fraction = magnitude & ((uint32_t{1} << format.mantissa_bits) - 1);
  if (exponent == 0) {
    const float least =
        std::bit_cast<float>(static_cast<uint32_t>(128 - format.bias - format.mantissa_bits) << 23);
    const float number = static_cast<float>(fraction) * least;
    return sign != 0 ? -number : number;
  }
  const uint32_t shift = static_cast<uint32_t>(127 - format.bias) << 23;
  return std::bit_cast<float>(sign | ((magnitude << (23 - format.mantissa_bits)) + shift));
}

}  // namespace detail

template <detail::FloatFormat kFloatFormat>
struct SmallFloat {
  uint8_t bits;

  static constexpr detail::FloatFormat kFormat = kFloatFormat;

  SmallFloat() = default;
  constexpr explicit SmallFloat(float value) : bits(detail::code_of(value, kFormat)) {}
  template <std::same_as<double> Double>
  constexpr explicit SmallFloat(Double value) : SmallFloat(detail::rounded_to_odd(value)) {}
  template <std::integral Integer>
  constexpr explicit SmallFloat(Integer value) : SmallFloat(static_cast<float>(value)) {}
  constexpr operator float() const { return detail::value_of_code(bits, kFormat); }  // NOLINT: exact
  static constexpr SmallFloat from_bits(uint8_t bits) {
    SmallFloat result{};
    result.bits = bits;
    return result;
  }
};

using float8_e4m3fn = SmallFloat<detail::FloatFormat{4, 3, 7, detail::Specials::kTopCode}>;
using float8_e5m2 = SmallFloat<detail::FloatFormat{5, 2, 15, detail::Specials::kIeee}>;
using float8_e4m3 = SmallFloat<detail::FloatFormat{4, 3, 7, detail::Specials::kIeee}>;
using float8_e4m3b11fnuz = SmallFloat<detail::FloatFormat{4, 3, 11, detail::Specials::kNegativeZero}>;
using float8_e4m3fnuz = SmallFloat<detail::FloatFormat{4, 3, 8, detail::Specials::kNegativeZero}>;
using float8_e5m2fnuz = SmallFloat<detail::FloatFormat{5, 2, 16, detail::Specials::kNegativeZero}>;
using float8_e3m4 = SmallFloat<detail::FloatFormat{3, 4, 3, detail::Specials::kIeee}>;
using float8_e8m0fnu = SmallFloat<detail::FloatFormat{8, 0, 127, detail::Specials::kScale}>;
using float6_e2m3fn = SmallFloat<detail::FloatFormat{2, 3, 1, detail::Specials::kNone}>;
using float6_e3m2fn = SmallFloat<detail::FloatFormat{3, 2, 3, detail::Specials::kNone}>;
using float4_e2m1fn = SmallFloat<detail::FloatFormat{2, 1, 1, detail::Specials::kNone}>;

template <detail::FloatFormat kFormat>
inline constexpr bool detail::kStoresFloat<SmallFloat<kFormat>> = true;

}  // namespace ingot

// infinity() and quiet_NaN() are what an infinity and a NaN are converted to.
template <ingot::detail::FloatFormat kFormat>
struct std::numeric_limits<ingot::SmallFloat<kFormat>> : std::numeric_limits<float> {
  using T = ingot::SmallFloat<kFormat>;
  static constexpr bool has_infinity = kFormat.has_infinity(), has_quiet_NaN = kFormat.has_nan();
  static constexpr bool has_signaling_NaN = false, is_iec559 = false;
  static constexpr bool is_scale = kFormat.specials == ingot::detail::Specials::kScale;
  static constexpr int digits = kFormat.mantissa_bits + 1, min_exponent = is_scale ? -126 : 2 - kFormat.bias;
  static constexpr T min() noexcept {
    return T::from_bits(static_cast<uint8_t>(is_scale ? 0 : 1 << kFormat.mantissa_bits));
  }
  static constexpr T max() noexcept { return T::from_bits(static_cast<uint8_t>(kFormat.infinity() - 1)); }
  static constexpr T lowest() noexcept {
    return T::from_bits(static_cast<uint8_t>(is_scale ? 0 : kFormat.sign() | (kFormat.infinity() - 1)));
  }
  static constexpr T epsilon() noexcept {
    return T(std::bit_cast<float>(static_cast<uint32_t>(127 - kFormat.mantissa_bits) << 23));
  }
  static constexpr T denorm_min() noexcept { return T::from_bits(is_scale ? 0 : 1); }
  static constexpr T infinity() noexcept { return T(std::numeric_limits<float>::infinity()); }
  static constexpr T quiet_NaN() noexcept { return T(std::numeric_limits<float>::quiet_NaN()); }
};
