// All 65536 values of both types, against numbers put together from their fields.
#include "ingot/float16.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ingot {
namespace {

struct Format {
  int exponent_bits, fraction_bits;
};

// What the standard says the bits mean.
double meaning(uint16_t bits, const Format& format) {
  const int exponent = bits >> format.fraction_bits & ((1 << format.exponent_bits) - 1);
  const int fraction = bits & ((1 << format.fraction_bits) - 1);
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  double value;
  if (exponent == (1 << format.exponent_bits) - 1) {
    value = fraction == 0 ? INFINITY : NAN;
  } else if (exponent == 0) {
    value = std::ldexp(fraction, 1 - bias - format.fraction_bits);
  } else {
    value = std::ldexp((1 << format.fraction_bits) + fraction, exponent - bias - format.fraction_bits);
  }
  return (bits & 0x8000) != 0 ? -value : value;
}

template <class T>
void check_all(const Format& format) {
  const uint16_t infinity = std::numeric_limits<T>::infinity().bits;
  for (uint32_t i = 0; i < 65536; ++i) {
    const auto bits = static_cast<uint16_t>(i);
    const T x = T::from_bits(bits);
    const float value = x;
    const double want = meaning(bits, format);
    const T back(value);
    if (std::isnan(want)) {
      EXPECT_TRUE(std::isnan(value) && std::isnan(float(back))) << i;
      EXPECT_EQ(back.bits & 0x8000, bits & 0x8000) << i;
      continue;
    }
    EXPECT_EQ(double{value}, want) << i;
    EXPECT_EQ(std::signbit(value), (bits & 0x8000) != 0) << i;
    EXPECT_EQ(back.bits, bits) << i;
    // Between this value and the next one in magnitude: the tie goes to the even one of the two.
    if ((bits & 0x7fff) >= infinity) continue;
    const T next = T::from_bits(static_cast<uint16_t>(bits + 1));
    const uint16_t even = (bits & 1) == 0 ? bits : next.bits;
    const double above = std::isinf(float(next)) ? std::copysign(std::ldexp(1.0, std::ilogb(want) + 1), want)
                                                 : meaning(next.bits, format);
    const auto middle = static_cast<float>((want + above) / 2);
    if (double{middle} != (want + above) / 2) continue;  // below the least float: bf16 has its denormals
    EXPECT_EQ(T(middle).bits, even) << i;
    // Doubles that a float would take for the middle.
    EXPECT_EQ(T(double{middle}).bits, even) << i;
    EXPECT_EQ(T(std::nextafter(double{middle}, double{value})).bits, bits) << i;
    EXPECT_EQ(T(std::nextafter(double{middle}, std::copysign(HUGE_VAL, double{value}))).bits, next.bits) << i;
    EXPECT_EQ(T(std::nextafter(middle, value)).bits, bits) << i;
    EXPECT_EQ(T(std::nextafter(middle, std::copysign(INFINITY, value))).bits, next.bits) << i;
  }
  EXPECT_EQ(T(INFINITY).bits, infinity);
  EXPECT_EQ(T(-std::numeric_limits<float>::max()).bits, infinity | 0x8000);
  EXPECT_EQ(T(1e-45f).bits, 0);
  EXPECT_EQ(T(1e300).bits, infinity);
  EXPECT_EQ(T(-1e-300).bits, 0x8000);
  EXPECT_TRUE(std::isnan(float(T(std::nan("")))));
}

TEST(Float16Test, ConvertsAllOfItsValues) {
  check_all<float16>({5, 10});
}

TEST(Float16Test, BfloatConvertsAllOfItsValues) {
  check_all<bfloat16>({8, 7});
}

TEST(Float16Test, LimitsAreThoseOfTheFormats) {
  EXPECT_EQ(std::numeric_limits<float16>::max(), 65504);
  EXPECT_EQ(std::numeric_limits<float16>::min(), 0x1p-14f);
  EXPECT_EQ(std::numeric_limits<float16>::epsilon(), 0x1p-10f);
  EXPECT_EQ(std::numeric_limits<float16>::denorm_min(), 0x1p-24f);
  EXPECT_EQ(std::numeric_limits<bfloat16>::max(), 0x1.fep127f);
  EXPECT_EQ(std::numeric_limits<bfloat16>::min(), 0x1p-126f);
  EXPECT_EQ(std::numeric_limits<bfloat16>::epsilon(), 0x1p-7f);
  EXPECT_EQ(std::numeric_limits<bfloat16>::lowest(), -0x1.fep127f);
}

}  // namespace
}  // namespace ingot
