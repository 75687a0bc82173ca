// Floats of a byte or less, and integers of 4 and 2 bits: conversions against ml_dtypes (golden/ has what it
// says and the program that asked it), arithmetic against the same in f32 and rounded, moves, sorts, errors.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <fstream>
#include <sstream>

#include "base/visit_dtype.h"
#include "frontend/testing.h"
#include "ingot/dlpack.h"

namespace ingot {
namespace {

using testing::error_of;

constexpr DType kSmallFloats[] = {DType::kF8E4M3FN,      DType::kF8E5M2,     DType::kF8E4M3,
                                  DType::kF8E4M3B11FNUZ, DType::kF8E4M3FNUZ, DType::kF8E5M2FNUZ,
                                  DType::kF8E3M4,        DType::kF8E8M0FNU,  DType::kF6E2M3FN,
                                  DType::kF6E3M2FN,      DType::kF4E2M1FN};
constexpr DType kSmallIntegers[] = {DType::kS4, DType::kU4, DType::kS2, DType::kU2};
constexpr int64_t kRandom = 100000;

std::vector<std::string> golden(DType dtype) {
  std::ifstream file(INGOT_TEST_DIR "/golden/small_numbers.txt");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::vector<std::string> list;
    for (std::string word; words >> word;) list.push_back(word);
    if (list[0] == name_of(dtype)) return {list.begin() + 1, list.end()};
  }
  return {};
}

std::vector<uint64_t> random_words() {  // splitmix64
  std::vector<uint64_t> words;
  for (uint64_t i = 1; i <= kRandom; ++i) {
    uint64_t x = i * 0x9E3779B97F4A7C15;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    words.push_back(x ^ (x >> 31));
  }
  return words;
}

std::string hash_of(const std::vector<uint8_t>& codes) {
  uint64_t hash = 0xCBF29CE484222325;
  for (const uint8_t code : codes) hash = (hash ^ code) * 0x100000001B3;
  std::ostringstream text;
  text << std::hex << hash;
  return text.str();
}

Array floats_of_all_codes(DType dtype) {
  std::array<uint8_t, 256> codes{};
  for (size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<uint8_t>(i);
  return Array::from_bytes(dtype, {256}, codes.data());
}

std::vector<uint8_t> codes_of(const Array& x) {
  std::vector<uint8_t> codes(static_cast<size_t>(x.size()));
  x.to_host(codes.data());
  return codes;
}

Array all_halves() {
  std::vector<float16> halves;
  for (int i = 0; i < 65536; ++i) halves.push_back(float16::from_bits(static_cast<uint16_t>(i)));
  return Array::from(halves);
}
Array random_singles() {
  std::vector<float> numbers;
  for (const uint64_t word : random_words())
    numbers.push_back(std::bit_cast<float>(static_cast<uint32_t>(word >> 32)));
  return Array::from(numbers);
}
Array random_doubles() {
  std::vector<double> numbers;
  for (const uint64_t w : random_words()) {
    const double size = std::bit_cast<double>((1003 + w % 40) << 52 | w >> 12);
    numbers.push_back((w & 64) != 0 ? size : -size);
  }
  return Array::from(numbers);
}

// What C++ converts, element by element, as the interpreter does.
std::vector<uint8_t> by_element(const Array& x, DType dtype) {
  std::vector<uint8_t> codes;
  const auto fill = [&](auto of) {
    visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
      if constexpr (is_small_float(dtype_of<T>())) {
        for (const auto value : x.to_vector<decltype(of)>()) codes.push_back(T(value).bits);
      }
    });
  };
  if (x.dtype() == DType::kF64)
    fill(double{});
  else if (x.dtype() == DType::kF32)
    fill(float{});
  else
    fill(float16{});
  return codes;
}

TEST(SmallNumbers, ConversionsAreThoseOfMlDtypes) {
  for (const DType dtype : kSmallFloats) {
    const std::vector<std::string> want = golden(dtype);
    ASSERT_EQ(want.size(), 259u) << name_of(dtype);
    const std::vector<float> values = floats_of_all_codes(dtype).astype(DType::kF32).to_vector<float>();
    visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
      if constexpr (is_small_float(dtype_of<T>())) {
        for (size_t i = 0; i < size_t{1} << bit_width(dtype); ++i) {
          const float value = T::from_bits(static_cast<uint8_t>(i));
          std::ostringstream text;
          text << std::hex << std::bit_cast<uint32_t>(value);
          EXPECT_EQ(text.str(), want[i]) << name_of(dtype) << " " << i;
          EXPECT_EQ(std::bit_cast<uint32_t>(values[i]), std::bit_cast<uint32_t>(value))
              << name_of(dtype) << " " << i;
        }
      }
    });
    const Array given[] = {all_halves(), random_singles(), random_doubles()};
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(hash_of(by_element(given[i], dtype)), want[256 + i]) << name_of(dtype) << " " << i;
      EXPECT_EQ(hash_of(codes_of(given[i].astype(dtype))), want[256 + i]) << name_of(dtype) << " " << i;
    }
  }
}

TEST(SmallNumbers, IntegersWrapAndFloatsSaturate) {
  std::vector<int64_t> integers;
  for (const uint64_t word : random_words()) integers.push_back(static_cast<int64_t>(word));
  for (const DType dtype : kSmallIntegers) {
    const std::vector<std::string> want = golden(dtype);
    const Array all = floats_of_all_codes(dtype).astype(DType::kS32);
    const std::vector<int32_t> values = all.to_vector<int32_t>();
    for (size_t i = 0; i < 256; ++i) EXPECT_EQ(std::to_string(values[i]), want[i]) << name_of(dtype);
    EXPECT_EQ(hash_of(codes_of(Array::from(integers).astype(dtype))), want[256]) << name_of(dtype);
    const Array x = Array::from(std::vector<float>{-1e9f, -1.7f, 1.7f, 1e9f, NAN}).astype(dtype);
    const int top = (1 << (bit_width(dtype) - (is_signed(dtype) ? 1 : 0))) - 1;
    const int low = is_signed(dtype) ? -top - 1 : 0;
    const std::vector<int32_t> cut = {low, std::max(low, -1), 1, top, 0};
    EXPECT_EQ(x.astype(DType::kS32).to_vector<int32_t>(), cut) << name_of(dtype);
  }
}

TEST(SmallNumbers, ArithmeticIsRoundedOnce) {
  for (const DType dtype : kSmallFloats) {
    const Array x = floats_of_all_codes(dtype), y = flip(x, {0});
    const Array a = x.astype(DType::kF32), b = y.astype(DType::kF32);
    const auto same = [&](const Array& got, const Array& want) {
      const std::vector<uint8_t> codes = codes_of(got), wanted = codes_of(want.astype(dtype));
      const std::vector<float> numbers = got.astype(DType::kF32).to_vector<float>();
      const std::vector<float> expected = want.astype(dtype).astype(DType::kF32).to_vector<float>();
      for (size_t i = 0; i < codes.size(); ++i) {  // NaN has two codes, and which one is nobody's concern
        EXPECT_TRUE(codes[i] == wanted[i] || (std::isnan(numbers[i]) && std::isnan(expected[i])))
            << name_of(dtype) << " " << i << ": " << numbers[i] << " for " << expected[i];
      }
    };
    same(x + y, a + b);
    same(x * y, a * b);
    same(maximum(x, y), maximum(a, b));
    EXPECT_EQ(codes_of(x < y), codes_of(a < b));
    EXPECT_EQ(codes_of(x == y), codes_of(a == b));
    const Array few = slice_axis(x, 0, 1, 9), more = few.astype(DType::kF32);
    same(dot(few, few), dot(more, more));
    same(max(few), max(more));
    if (dtype != DType::kF8E8M0FNU) same(sum(few), sum(more));  // it has no zero to begin with
  }
}

TEST(SmallNumbers, IntegersComputeModuloTheirSize) {
  for (const DType dtype : kSmallIntegers) {
    const int count = 1 << bit_width(dtype);
    const Array x = arange(int64_t{count} * count, DType::kS32).astype(dtype);
    const Array y = (arange(int64_t{count} * count, DType::kS32) / count).astype(dtype);
    const Array a = x.astype(DType::kS32), b = y.astype(DType::kS32);
    const auto same = [&](const char* what, const Array& got, const Array& want) {
      EXPECT_EQ(codes_of(got), codes_of(want.astype(dtype))) << name_of(dtype) << " " << what;
    };
    same("add", x + y, a + b);
    same("sub", x - y, a - b);
    same("mul", x * y, a * b);
    same("div", where(b == 0, x, x / where(b == 0, b + 1, b).astype(dtype)).astype(dtype),
         where(b == 0, a, a / where(b == 0, 1, b)));
    same("max", maximum(x, y), maximum(a, b));
    same("and", x & y, a & b);
    same("not", ~x, ~a);
    EXPECT_EQ(codes_of(x < y), codes_of(a < b));
    const int mask = count - 1;
    const Array bits = a & mask, amount = b & mask;
    same("popcount", population_count(x), population_count(bits));
    same("shift", x << y, where(amount >= bit_width(dtype), 0, bits << minimum(amount, 8)));
    const int low = is_signed(dtype) ? -count / 2 : 0, high = low + count - 1;
    EXPECT_EQ(max(x).astype(DType::kS32).item<int32_t>(), high);
    EXPECT_EQ(min(x).astype(DType::kS32).item<int32_t>(), low);
    EXPECT_EQ(max(take(x, Array::from(std::vector<int32_t>{0}), 0)).astype(DType::kS32).item<int32_t>(), 0);
  }
}

TEST(SmallNumbers, MovesKeepBits) {
  for (const DType dtype : kSmallFloats) {
    const Array x = floats_of_all_codes(dtype);
    const std::vector<uint8_t> codes = codes_of(x);
    EXPECT_EQ(codes_of(transpose(transpose(x.reshape({16, 16}))).reshape({256})), codes);
    EXPECT_EQ(codes_of(flip(flip(x, {0}), {0})), codes);
    EXPECT_EQ(codes_of(where(x.astype(DType::kF32) > 0, x, x)), codes);
    EXPECT_EQ(codes_of(take(x, arange(256), 0)), codes);
    EXPECT_EQ(codes_of(concatenate({slice_axis(x, 0, 0, 7), slice_axis(x, 0, 7, 256)}, 0)), codes);
    if (bit_width(dtype) == 8) {
      EXPECT_EQ(codes_of(bitcast(bitcast(x, DType::kU8), dtype)), codes);
    }
  }
}

TEST(SmallNumbers, SortsByValue) {
  for (const DType dtype : {DType::kF8E4M3FN, DType::kF8E5M2, DType::kF8E4M3FNUZ, DType::kF4E2M1FN}) {
    const Array x = floats_of_all_codes(dtype);
    const std::vector<float> got = sort(x).astype(DType::kF32).to_vector<float>();
    const std::vector<float> want = sort(x.astype(DType::kF32)).to_vector<float>();
    for (size_t i = 0; i < 256; ++i)
      EXPECT_TRUE(got[i] == want[i] || (std::isnan(got[i]) && std::isnan(want[i]))) << name_of(dtype);
  }
  const Array x = Array::from(std::vector<int32_t>{3, -8, 7, -1, 0}).astype(DType::kS4);
  EXPECT_EQ(sort(x).astype(DType::kS32).to_vector<int32_t>(), (std::vector<int32_t>{-8, -1, 0, 3, 7}));
}

TEST(SmallNumbers, GradientsComeInTheirDtype) {
  const Array x = Array::from(std::vector<float>{1, 2, -3}).astype(DType::kF8E4M3FN);
  const Array g = grad([](Array a) { return sum((a * a).astype(DType::kF32)); })(x);
  EXPECT_EQ(g.dtype(), DType::kF8E4M3FN);
  EXPECT_EQ(g.astype(DType::kF32).to_vector<float>(), (std::vector<float>{2, 4, -6}));
}

TEST(SmallNumbers, DoNotMixWithOthers) {
  const Array x = Array::ones({2}, DType::kF8E4M3FN), i = Array::ones({2}, DType::kS4);
  EXPECT_NE(error_of([&] { (void)(x + Array::ones({2})); }).find("different dtypes"), std::string::npos);
  EXPECT_NE(error_of([&] { (void)(x + x.astype(DType::kF8E5M2)); }).find("kF8E"), std::string::npos);
  EXPECT_NE(error_of([&] { (void)(i + Array::ones({2}, DType::kS8)); }).find("kS8"), std::string::npos);
  EXPECT_EQ((x + 1.5).dtype(), DType::kF8E4M3FN);
  EXPECT_NE(error_of([&] { (void)(i + 9); }).find("-8 to 7"), std::string::npos);
  EXPECT_NE(error_of([&] { (void)to_dlpack(i); }).find("DLPack"), std::string::npos);
  dlpack::ManagedTensor* shared = to_dlpack(x);
  EXPECT_EQ(shared->tensor.dtype.code, dlpack::kFloat8E4M3FN);
  EXPECT_EQ(from_dlpack(shared).dtype(), DType::kF8E4M3FN);
}

// Of all pairs of numbers, those beside each other in the order of the values.
TEST(SmallNumbers, NextNumbersAreNeighbours) {
  for (const DType dtype : kSmallFloats) {
    visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
      if constexpr (is_small_float(dtype_of<T>())) {
        std::vector<float> all;
        for (int i = 0; i < 1 << bit_width(dtype); ++i) {
          const float value = T::from_bits(static_cast<uint8_t>(i));
          if (!std::isnan(value)) all.push_back(value);
        }
        std::sort(all.begin(), all.end());
        std::vector<float> from, to, want;
        for (const float a : all) {
          for (const float b : all) {
            const auto above = std::upper_bound(all.begin(), all.end(), a);
            const auto below = std::lower_bound(all.begin(), all.end(), a);
            const float best = a < b ? *above : a > b ? *(below - 1) : b;
            from.push_back(a), to.push_back(b), want.push_back(best);
          }
        }
        const Array x = Array::from(from).astype(dtype), y = Array::from(to).astype(dtype);
        const std::vector<float> got = nextafter(x, y).astype(DType::kF32).template to_vector<float>();
        int wrong = 0;
        for (size_t i = 0; i < want.size(); ++i) wrong += got[i] == want[i] ? 0 : 1;
        EXPECT_EQ(wrong, 0) << name_of(dtype);
      }
    });
  }
  const Array zero = Array::zeros({1}, DType::kF8E5M2), down = Array::full({1}, -1.f).astype(DType::kF8E5M2);
  EXPECT_EQ(codes_of(nextafter(zero, down)), (std::vector<uint8_t>{0x81}));
  const Array nan = Array::full({1}, NAN).astype(DType::kF8E4M3FN);
  EXPECT_TRUE(
      std::isnan(nextafter(nan, Array::ones({1}, DType::kF8E4M3FN)).astype(DType::kF32).item<float>()));
}

TEST(SmallNumbers, BitsOfSeveralAreThoseOfOne) {
  const std::vector<int8_t> bytes = {0x21, -1, 0x7f, -128};
  const Array x = Array::from(bytes);
  const Array halves = bitcast(x, DType::kS4), quarters = bitcast(x, DType::kU2);
  EXPECT_EQ(halves.shape(), (Shape{4, 2}));
  EXPECT_EQ(halves.astype(DType::kS32).to_vector<int32_t>(),
            (std::vector<int32_t>{1, 2, -1, -1, -1, 7, 0, -8}));
  EXPECT_EQ(quarters.shape(), (Shape{4, 4}));
  EXPECT_EQ(quarters.astype(DType::kS32).to_vector<int32_t>(),
            (std::vector<int32_t>{1, 0, 2, 0, 3, 3, 3, 3, 3, 3, 3, 1, 0, 0, 0, 2}));
  EXPECT_EQ(bitcast(halves, DType::kS8).to_vector<int8_t>(), bytes);
  EXPECT_EQ(bitcast(quarters.reshape({2, 8}), DType::kU16).to_vector<uint16_t>(),
            (std::vector<uint16_t>{0xff21, 0x807f}));
  EXPECT_EQ(bitcast(bitcast(x, DType::kF4E2M1FN), DType::kS8).to_vector<int8_t>(), bytes);
  EXPECT_THROW(bitcast(halves.reshape({8}), DType::kS8), Error);
}

TEST(SmallNumbers, RandomNumbersHaveTheFormatsSteps) {
  const Array key = random::key(3);
  for (const DType dtype : {DType::kF8E4M3FN, DType::kF8E5M2, DType::kF8E3M4, DType::kF8E4M3FNUZ}) {
    const int steps = 1 << (significant_bits(dtype) - 1);
    std::vector<int> counts(static_cast<size_t>(steps), 0);
    for (const float x : random::uniform(key, {4000}, dtype).astype(DType::kF32).to_vector<float>()) {
      const float place = x * static_cast<float>(steps);
      ASSERT_EQ(place, std::floor(place)) << name_of(dtype);
      ASSERT_TRUE(place >= 0 && place < static_cast<float>(steps)) << name_of(dtype);
      ++counts[static_cast<size_t>(place)];
    }
    for (const int count : counts) EXPECT_NEAR(count * steps, 4000, 1000) << name_of(dtype);
  }
  EXPECT_NE(error_of([&] { random::uniform(key, {3}, DType::kF8E8M0FNU); }).find("have a zero"),
            std::string::npos);
  EXPECT_NE(error_of([&] { random::uniform(key, {3}, DType::kF4E2M1FN); }).find("a byte or more"),
            std::string::npos);
}

}  // namespace
}  // namespace ingot
