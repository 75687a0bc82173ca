// Integer division by way of floats, and remainders of floats by way of a rounded quotient, give what C++
// gives: all pairs of 8 bits, and for more bits numbers at the ends, powers of two, and multiples of the
// divisor with their neighbours, on lanes and one by one.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <type_traits>

#include "compiler/compiler.h"
#include "ir/text.h"

namespace ingot::compiler {
namespace {

template <class T>
std::vector<T> computed(const std::string& op, const std::vector<T>& x, const std::vector<T>& y) {
  const std::string type = std::string(name_of(dtype_of<T>())) + "[" + std::to_string(x.size()) + "]";
  const auto executable =
      compile(ir::parse("func @main(%x: " + type + ", %y: " + type + ") -> (" + type + ") {\n  %z = " + op +
                        "(%x, %y) : " + type + "\n  return %z\n}\n"))
          .executable;
  std::vector<T> z(x.size());
  const void* arguments[] = {x.data(), y.data()};
  void* results[] = {z.data()};
  executable->run(arguments, results);
  return z;
}

template <class T>
T expected(bool divides, T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fmod(x, y);
  } else {
    using U = std::make_unsigned_t<T>;
    if (y == 0) return divides ? static_cast<T>(-1) : x;
    if (std::is_signed_v<T> && y == static_cast<T>(-1))
      return divides ? static_cast<T>(U{0} - static_cast<U>(x)) : T{0};
    return static_cast<T>(divides ? x / y : x % y);
  }
}

template <class T>
bool same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return (a != a && b != b) || (a == b && std::signbit(a) == std::signbit(b));
  } else {
    return a == b;
  }
}

template <class T>
void expect_all(const std::vector<T>& x, const std::vector<T>& y) {
  for (const bool divides : {true, false}) {
    if (divides && std::is_floating_point_v<T>) continue;
    const std::vector<T> z = computed(divides ? "div" : "rem", x, y);
    int wrong = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      if (same(z[i], expected(divides, x[i], y[i]))) continue;
      if (++wrong <= 3)
        ADD_FAILURE() << (divides ? "div" : "rem") << " of " << name_of(dtype_of<T>()) << ": " << +x[i]
                      << " by " << +y[i] << " gave " << +z[i];
    }
    EXPECT_EQ(wrong, 0);
  }
}

// All pairs, and the first few of them too few for a vector.
template <class T>
void expect_pairs(const std::vector<T>& xs, const std::vector<T>& ys) {
  std::vector<T> x, y;
  for (T a : xs) {
    for (T b : ys) x.push_back(a), y.push_back(b);
  }
  expect_all(x, y);
  x.resize(3), y.resize(3);
  expect_all(x, y);
}

template <class T>
std::vector<T> all() {
  std::vector<T> values;
  for (int64_t v = std::numeric_limits<T>::min(); v <= std::numeric_limits<T>::max(); ++v)
    values.push_back(static_cast<T>(v));
  return values;
}

// Ends, powers of two and of three, with their neighbours.
template <class T>
std::vector<T> special() {
  using U = std::make_unsigned_t<T>;
  std::vector<T> values;
  const auto add = [&](uint64_t v) {
    for (uint64_t near = v - 2; near != v + 3; ++near) {
      values.push_back(static_cast<T>(static_cast<U>(near)));
      values.push_back(static_cast<T>(static_cast<U>(0 - near)));
    }
  };
  for (size_t bit = 0; bit < 8 * sizeof(T); ++bit) add(uint64_t{1} << bit);
  for (uint64_t p = 3; p < uint64_t{1} << 63 && p <= std::numeric_limits<U>::max(); p *= 3) add(p);
  add(static_cast<uint64_t>(std::numeric_limits<T>::max()));
  add(static_cast<uint64_t>(std::numeric_limits<T>::min()));
  return values;
}

// Multiples of random divisors of all sizes, and the numbers around them.
template <class T>
void expect_multiples() {
  using U = std::make_unsigned_t<T>;
  std::mt19937_64 random(7);
  std::vector<T> x, y;
  for (int i = 0; i < 60000; ++i) {
    const auto divisor = static_cast<T>(static_cast<U>(random()) >> (random() % (8 * sizeof(T))));
    if (divisor == 0) continue;
    const auto limit = static_cast<T>(std::numeric_limits<T>::max() / divisor);
    const auto factor =
        static_cast<T>(i % 2 == 0 ? limit : static_cast<T>(random()) % (limit == 0 ? T{1} : limit));
    const auto multiple = static_cast<U>(static_cast<U>(divisor) * static_cast<U>(factor));
    for (const int near : {-1, 0, 1}) {
      x.push_back(static_cast<T>(static_cast<U>(multiple + static_cast<U>(near))));
      y.push_back(divisor);
    }
  }
  expect_all(x, y);
}

TEST(DivisionTest, AllPairsOfEightBits) {
  expect_pairs(all<int8_t>(), all<int8_t>());
  expect_pairs(all<uint8_t>(), all<uint8_t>());
}

TEST(DivisionTest, AllOfSixteenBitsBySpecialOnes) {
  const std::vector<int16_t> divisors = {0, 1, -1, 2, -2, 3, -3, 7, 255, -256, 257, 32767, -32767, -32768};
  expect_pairs(all<int16_t>(), divisors);
  expect_pairs(all<uint16_t>(), {0, 1, 2, 3, 7, 255, 256, 257, 32767, 32768, 32769, 65534, 65535});
  expect_multiples<int16_t>();
  expect_multiples<uint16_t>();
}

TEST(DivisionTest, ThirtyTwoAndSixtyFourBits) {
  expect_pairs(special<int32_t>(), special<int32_t>());
  expect_pairs(special<uint32_t>(), special<uint32_t>());
  expect_pairs(special<int64_t>(), special<int64_t>());
  expect_pairs(special<uint64_t>(), special<uint64_t>());
  expect_multiples<int32_t>();
  expect_multiples<uint32_t>();
  expect_multiples<int64_t>();
  expect_multiples<uint64_t>();
}

// Constants are multiplied by, or shifted.
TEST(DivisionTest, ByConstants) {
  for (const int32_t divisor : {0, 1, -1, 2, 3, -7, 10, 1 << 30, INT32_MIN, INT32_MAX}) {
    const std::vector<int32_t> x = special<int32_t>();
    const std::string type = "s32[" + std::to_string(x.size()) + "]";
    const auto executable =
        compile(ir::parse("func @main(%x: " + type + ") -> (" + type + ", " + type +
                          ") {\n  %c = constant() {value = dense s32[]{" + std::to_string(divisor) +
                          "}} : s32[]\n  %b = broadcast(%c) {dims = [], shape = [" +
                          std::to_string(x.size()) + "]} : " + type + "\n  %q = div(%x, %b) : " + type +
                          "\n  %r = rem(%x, %b) : " + type + "\n  return %q, %r\n}\n"))
            .executable;
    std::vector<int32_t> q(x.size()), r(x.size());
    const void* arguments[] = {x.data()};
    void* results[] = {q.data(), r.data()};
    executable->run(arguments, results);
    for (size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(q[i], expected(true, x[i], divisor)) << x[i] << " by " << divisor;
      ASSERT_EQ(r[i], expected(false, x[i], divisor)) << x[i] << " by " << divisor;
    }
  }
}

// Multiples of y and their neighbours up to quotients of 2^p and beyond, where the quotient rounds up to a
// whole number; denormals, zeros, infinities and NaN.
template <class T>
void expect_remainders() {
  constexpr T inf = std::numeric_limits<T>::infinity();
  std::vector<T> values = {0,
                           T(1),
                           T(3),
                           T(0.1),
                           T(1e-3),
                           T(7e8),
                           T(1e10),
                           T(1e30),
                           inf,
                           std::numeric_limits<T>::max(),
                           std::numeric_limits<T>::min(),
                           std::numeric_limits<T>::denorm_min(),
                           3 * std::numeric_limits<T>::denorm_min(),
                           std::numeric_limits<T>::quiet_NaN()};
  for (int bit = -4; bit < 60; ++bit) {
    const T power = std::ldexp(T(1), bit);
    values.insert(values.end(), {power, std::nextafter(power, T(0)), std::nextafter(power, inf)});
  }
  const size_t positive = values.size();
  for (size_t i = 0; i < positive; ++i) values.push_back(-values[i]);
  expect_pairs(values, values);
  std::mt19937_64 random(11);
  std::vector<T> x, y;
  for (int i = 0; i < 50000; ++i) {
    const T divisor =
        std::ldexp(T(1) + static_cast<T>(random() >> 11) * T(0x1p-53), static_cast<int>(random() % 40) - 20);
    const T multiple = divisor * std::floor(std::ldexp(T(1), static_cast<int>(random() % 56)) * T(1.37));
    for (const T near : {multiple, std::nextafter(multiple, T(0)), std::nextafter(multiple, inf)}) {
      x.push_back(i % 3 == 0 ? -near : near);
      y.push_back(i % 2 == 0 ? -divisor : divisor);
    }
  }
  expect_all(x, y);
}

TEST(DivisionTest, RemaindersOfFloats) {
  expect_remainders<float>();
  expect_remainders<double>();
}

}  // namespace
}  // namespace ingot::compiler
