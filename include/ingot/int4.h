// Integers of 4 and 2 bits, each of which takes a byte, whose other bits are zero. They store numbers and do
// not compute: in arithmetic they become ints. Conversion of an integer keeps its lowest bits, that of a
// floating number is that of its whole part.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace ingot {

template <int kBits, bool kSigned>
struct SmallInteger {
  uint8_t bits;

  static constexpr uint8_t kMask = static_cast<uint8_t>((1 << kBits) - 1);
  using Computed = std::conditional_t<kSigned, int8_t, uint8_t>;  // the type that holds all of its numbers

  SmallInteger() = default;
  template <std::integral Integer>
  constexpr explicit SmallInteger(Integer value) : bits(static_cast<uint8_t>(value) & kMask) {}
  template <std::floating_point Float>
  constexpr explicit SmallInteger(Float value) : SmallInteger(static_cast<int>(value)) {}
  constexpr operator int() const {  // NOLINT: exact
    const int low = bits & kMask;
    return kSigned && (low & 1 << (kBits - 1)) != 0 ? low - (1 << kBits) : low;
  }
  static constexpr SmallInteger from_bits(uint8_t bits) {
    SmallInteger result{};
    result.bits = bits & kMask;
    return result;
  }
};

using int4 = SmallInteger<4, true>;
using uint4 = SmallInteger<4, false>;
using int2 = SmallInteger<2, true>;
using uint2 = SmallInteger<2, false>;

namespace detail {

template <class T>
inline constexpr bool kIsSmallInteger = false;
template <int kBits, bool kSigned>
inline constexpr bool kIsSmallInteger<SmallInteger<kBits, kSigned>> = true;

}  // namespace detail
}  // namespace ingot

template <int kBits, bool kSigned>
struct std::numeric_limits<ingot::SmallInteger<kBits, kSigned>>
    : std::numeric_limits<std::conditional_t<kSigned, int8_t, uint8_t>> {
  using T = ingot::SmallInteger<kBits, kSigned>;
  static constexpr int digits = kSigned ? kBits - 1 : kBits;
  static constexpr T min() noexcept { return T(kSigned ? -(1 << (kBits - 1)) : 0); }
  static constexpr T lowest() noexcept { return min(); }
  static constexpr T max() noexcept { return T((1 << digits) - 1); }
};
