// The routines that sort, against std::stable_sort: every dtype, order, length and number of threads.
#include "runtime/routines/sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <set>

#include "base/options.h"
#include "ingot/float16.h"
#include "runtime/routines/first_in_order.h"

namespace ingot::runtime {
namespace {

using Bytes = std::vector<std::byte>;

struct Input {
  DType dtype;
  Bytes bytes;

  int64_t width() const { return static_cast<int64_t>(byte_size(dtype)); }
};

// Few values, so that there are many equal ones; of floats all special ones are among them.
Input random_input(DType dtype, int64_t size, std::mt19937_64& random) {
  Input input{dtype, Bytes(static_cast<size_t>(size) * byte_size(dtype))};
  const size_t width = byte_size(dtype);
  for (int64_t i = 0; i < size; ++i) {
    uint64_t bits = random() % 4 == 0 ? random() : random() % 7;
    if (dtype == DType::kPred) bits &= 1;
    if (is_float(dtype)) {
      const int mantissa = significant_bits(dtype) - 1, sign = 8 * static_cast<int>(width) - 1;
      const uint64_t infinity = ((uint64_t{1} << sign) - 1) >> mantissa << mantissa;
      const uint64_t specials[] = {0, 1, infinity, infinity | 1, infinity | uint64_t{1} << (mantissa - 1)};
      if (random() % 3 == 0) bits = specials[random() % 5];
      if (random() % 2 == 0) bits ^= uint64_t{1} << sign;
    }
    const uint64_t both[] = {bits, ~bits};  // of a c128, which is no key
    std::memcpy(input.bytes.data() + static_cast<size_t>(i) * width, both, width);
  }
  return input;
}

double number_at(const Input& x, int64_t i) {
  const std::byte* at = x.bytes.data() + i * x.width();
  const auto as = [&]<class T>(T value) {
    std::memcpy(&value, at, sizeof(T));
    return static_cast<double>(value);
  };
  switch (x.dtype) {
    case DType::kF16:
      return as(float16());
    case DType::kBF16:
      return as(bfloat16());
    case DType::kF32:
      return as(float());
    default:
      return as(double());
  }
}

int compare(const Input& x, int64_t i, int64_t j, const SortKey& key) {
  uint64_t a = 0, b = 0;
  std::memcpy(&a, x.bytes.data() + i * x.width(), static_cast<size_t>(x.width()));
  std::memcpy(&b, x.bytes.data() + j * x.width(), static_cast<size_t>(x.width()));
  if (is_float(key.dtype)) {
    const double u = number_at(x, i), v = number_at(x, j);
    if (key.by_value) {
      if (std::isnan(u) || std::isnan(v)) return std::isnan(u) - std::isnan(v);
      return (u > v) - (u < v);
    }
    const int sign = 8 * static_cast<int>(x.width()) - 1;
    const bool p = (a >> sign & 1) != 0, q = (b >> sign & 1) != 0;
    if (p != q) return p ? -1 : 1;
    return p ? (a < b) - (a > b) : (a > b) - (a < b);
  }
  if (is_signed(key.dtype)) {
    const int shift = 64 - 8 * static_cast<int>(x.width());
    const auto u = static_cast<int64_t>(a << shift), v = static_cast<int64_t>(b << shift);
    return (u > v) - (u < v);
  }
  return (a > b) - (a < b);
}

struct Sorted {
  SortedRows rows;
  std::vector<Input> inputs;
  std::vector<SortKey> keys;

  std::vector<Bytes> empty_results() const {
    std::vector<Bytes> results;
    for (const int output : rows.outputs)
      results.emplace_back(
          static_cast<size_t>(rows.rows * rows.kept() * inputs[static_cast<size_t>(output)].width()));
    return results;
  }

  // What std::stable_sort makes of it, and what the routine does.
  std::vector<Bytes> expected() const {
    std::vector<Bytes> results = empty_results();
    std::vector<int64_t> places(static_cast<size_t>(rows.length));
    for (int64_t row = 0; row < rows.rows; ++row) {
      std::iota(places.begin(), places.end(), row * rows.length);
      std::stable_sort(places.begin(), places.end(), [&](int64_t i, int64_t j) { return less(i, j); });
      for (int64_t i = 0; i < rows.kept(); ++i) {
        for (size_t o = 0; o < results.size(); ++o) {
          const Input& from = inputs[static_cast<size_t>(rows.outputs[o])];
          std::memcpy(results[o].data() + (row * rows.kept() + i) * from.width(),
                      from.bytes.data() + places[static_cast<size_t>(i)] * from.width(),
                      static_cast<size_t>(from.width()));
        }
      }
    }
    return results;
  }
  bool less(int64_t i, int64_t j) const {
    for (const SortKey& key : keys) {
      const int sign = compare(inputs[static_cast<size_t>(key.input)], i, j, key);
      if (sign != 0) return key.descending ? sign > 0 : sign < 0;
    }
    return false;
  }

  std::vector<Bytes> run(const Routine& routine) const {
    std::vector<void*> buffers;
    for (const Input& input : inputs) buffers.push_back(const_cast<std::byte*>(input.bytes.data()));
    std::vector<Bytes> results = empty_results();
    for (Bytes& result : results) buffers.push_back(result.data());
    const auto bytes = static_cast<size_t>(routine.work_bytes());
    const std::shared_ptr<void> work(std::aligned_alloc(64, (bytes + 127) / 64 * 64), std::free);
    std::memset(work.get(), 0xa5, bytes + 64);
    routine.run({buffers.data(), static_cast<std::byte*>(work.get())});
    const auto* behind = static_cast<const std::byte*>(work.get()) + bytes;
    EXPECT_EQ(behind[0], std::byte{0xa5}) << "written behind the work memory";
    return results;
  }
};

Sorted sorted(const std::vector<DType>& dtypes, const std::vector<SortKey>& keys, std::vector<int> outputs,
              int64_t rows, int64_t length, uint64_t seed) {
  std::mt19937_64 random(seed);
  Sorted made{{rows, length, {}, std::move(outputs)}, {}, keys};
  for (const DType dtype : dtypes) {
    made.inputs.push_back(random_input(dtype, rows * length, random));
    made.rows.element_bytes.push_back(made.inputs.back().width());
  }
  return made;
}

constexpr DType kOrdered[] = {DType::kPred, DType::kS8,  DType::kS16, DType::kS32, DType::kS64,
                              DType::kU8,   DType::kU16, DType::kU32, DType::kU64, DType::kF16,
                              DType::kBF16, DType::kF32, DType::kF64};

std::vector<SortKey> orders_of(DType dtype) {
  std::vector<SortKey> keys;
  for (const bool descending : {false, true}) {
    keys.push_back({0, dtype, descending, false});
    if (is_float(dtype)) keys.push_back({0, dtype, descending, true});
  }
  return keys;
}

class SortTest : public ::testing::TestWithParam<int64_t> {
 public:
  void TearDown() override { set_num_threads(0); }
};

TEST_P(SortTest, EveryKeyAlone) {
  const int64_t n = GetParam();
  for (const DType dtype : kOrdered) {
    for (const SortKey& key : orders_of(dtype)) {
      const Sorted test = sorted({dtype}, {key}, {0}, n < 1000 ? 5 : 2, n, 1);
      EXPECT_EQ(test.run(*radix_sort(test.rows, {key})), test.expected()) << name_of(dtype) << " of " << n;
    }
  }
}

TEST_P(SortTest, EveryKeyWithArraysOfEveryWidth) {
  const int64_t n = GetParam();
  for (const DType dtype : kOrdered) {
    for (const SortKey& key : orders_of(dtype)) {
      for (const DType other : {DType::kU8, DType::kS32, DType::kF64, DType::kC128}) {
        for (const std::vector<int>& outputs : {std::vector{1}, std::vector{0, 1}, std::vector{1, 0, 1}}) {
          const Sorted test = sorted({dtype, other}, {key}, outputs, 2, n, 2);
          EXPECT_EQ(test.run(*radix_sort(test.rows, {key})), test.expected())
              << name_of(dtype) << " with " << name_of(other) << " of " << n;
          if (n > 1000) break;
        }
      }
    }
  }
}

TEST_P(SortTest, TheFirstOfARow) {
  const int64_t n = GetParam();
  std::set<int64_t> counts{1, 2, n / 9, n / kFewOfRow, n / kFewOfRow + 1, n - 1};
  for (const DType dtype : {DType::kU8, DType::kS32, DType::kBF16, DType::kF32, DType::kF64}) {
    for (const SortKey& key : orders_of(dtype)) {
      for (const int64_t first : counts) {
        if (first < 1 || first > n) continue;
        Sorted test = sorted({dtype, DType::kS32, DType::kPred}, {key}, {0, 1}, n < 1000 ? 5 : 2, n, 3);
        test.rows.first = first;
        EXPECT_EQ(test.run(*radix_sort(test.rows, test.keys)), test.expected())
            << name_of(dtype) << ", " << first << " of " << n;
        test.keys.insert(test.keys.begin(), {2, DType::kPred});
        EXPECT_EQ(test.run(*radix_sort(test.rows, test.keys)), test.expected())
            << name_of(dtype) << " behind another key, " << first << " of " << n;
        if (n > 1000 && first > 2) break;
      }
    }
  }
}

// Each is smaller than all before, so that each is collected.
TEST(SortTest, TheFirstOfARowThatFalls) {
  Sorted test{{1, 5000, {4}, {0}, 30}, {{DType::kS32, Bytes(20000)}}, {{0, DType::kS32}}};
  for (int32_t i = 0; i < 5000; ++i) {
    const int32_t value = 5000 - i;
    std::memcpy(test.inputs[0].bytes.data() + 4 * i, &value, 4);
  }
  EXPECT_EQ(test.run(*radix_sort(test.rows, test.keys)), test.expected());
}

TEST_P(SortTest, SeveralKeys) {
  const int64_t n = GetParam();
  const std::vector<DType> dtypes{DType::kPred, DType::kF32, DType::kS64, DType::kU8};
  const std::vector<std::vector<SortKey>> lists{
      {{0, DType::kPred}, {1, DType::kF32, false, true}},
      {{3, DType::kU8, true}, {1, DType::kF32, true, true}, {0, DType::kPred}},
      {{0, DType::kPred}, {3, DType::kU8}, {2, DType::kS64, true}},
  };
  for (const auto& keys : lists) {
    const Sorted test = sorted(dtypes, keys, {0, 1, 2, 3}, 3, n, 3);
    EXPECT_EQ(test.run(*radix_sort(test.rows, keys)), test.expected()) << n;
  }
}

class FirstNumber final : public Comparator {
 public:
  std::string form() const override { return "by the first number"; }
  bool less(const void* const* elements) const override {
    int32_t a, b;
    std::memcpy(&a, elements[0], sizeof(a));
    std::memcpy(&b, elements[1], sizeof(b));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(elements[0]) % 64, 0u);
    return a < b;
  }
};

TEST_P(SortTest, ByAComparator) {
  const int64_t n = GetParam();
  const std::vector<SortKey> keys{{0, DType::kS32}};
  const Sorted test = sorted({DType::kS32, DType::kC128}, keys, {0, 1}, n < 1000 ? 70 : 2, n, 4);
  EXPECT_EQ(test.run(*merge_sort(test.rows, std::make_shared<FirstNumber>())), test.expected()) << n;
}

// Up to where elements are inserted, behind that, and where rows are shared among threads.
INSTANTIATE_TEST_SUITE_P(Lengths, SortTest, ::testing::Values(1, 2, 3, 8, 9, 31, 40, 41, 257, 1000));

TEST(LongSortTest, TheSameOnAnyNumberOfThreads) {
  const int64_t n = 300'007;
  for (const int threads : {1, 2, 3}) {
    set_num_threads(threads);
    const SortKey key{0, DType::kF32, false, true};
    for (const std::vector<int>& outputs : {std::vector{0}, std::vector{0, 1}, std::vector{0, 2}}) {
      const Sorted test = sorted({DType::kF32, DType::kS32, DType::kF64}, {key}, outputs, 1, n, 5);
      EXPECT_EQ(test.run(*radix_sort(test.rows, {key})), test.expected()) << threads;
    }
    // Keys of all sizes, and several of them.
    for (const DType dtype : {DType::kPred, DType::kS8, DType::kBF16, DType::kU16, DType::kU32, DType::kS64,
                              DType::kU64, DType::kF64}) {
      const std::vector<SortKey> keys{{0, dtype, threads == 2}};
      const Sorted test = sorted({dtype, DType::kS32}, keys, {0, 1}, 1, 140'003, 8);
      EXPECT_EQ(test.run(*radix_sort(test.rows, keys)), test.expected()) << threads << name_of(dtype);
    }
    const std::vector<SortKey> two{{1, DType::kU8}, {0, DType::kF64, true}};
    const Sorted by_two = sorted({DType::kF64, DType::kU8}, two, {0, 1}, 1, 140'003, 9);
    EXPECT_EQ(by_two.run(*radix_sort(by_two.rows, two)), by_two.expected()) << threads;
    const Sorted test = sorted({DType::kS32}, {{0, DType::kS32}}, {0}, 1, n, 6);
    EXPECT_EQ(test.run(*merge_sort(test.rows, std::make_shared<FirstNumber>())), test.expected()) << threads;
  }
  set_num_threads(0);
}

TEST(LongSortTest, WhatIsNoOrderGivesAPermutation) {
  class Never final : public Comparator {
   public:
    std::string form() const override { return ""; }
    bool less(const void* const*) const override { return true; }
  };
  const Sorted test = sorted({DType::kS32}, {{0, DType::kS32}}, {0}, 2, 1003, 7);
  const auto numbers = [](const Bytes& bytes) {
    std::vector<int32_t> values(bytes.size() / 4);
    std::memcpy(values.data(), bytes.data(), bytes.size());
    for (auto row = values.begin(); row != values.end(); row += 1003) std::sort(row, row + 1003);
    return values;
  };
  EXPECT_EQ(numbers(test.run(*merge_sort(test.rows, std::make_shared<Never>()))[0]),
            numbers(test.inputs[0].bytes));
}

}  // namespace
}  // namespace ingot::runtime
