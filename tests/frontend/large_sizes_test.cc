// Sizes of real life: products that all threads share, and arrays of more than 2^31 elements, of bytes, so
// that two of them fit into 5 GiB. The interpreter is too slow for these: results are compared with closed
// forms.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "base/options.h"
#include "ingot/ingot.h"

namespace {

using ingot::Array;
using ingot::DType;

std::vector<float> random_numbers(int64_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> real(-1, 1);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = real(engine);
  return values;
}

// Every element, within the rounding of so many terms of magnitude 1; and the same bits on any number of
// threads.
TEST(LargeSizesTest, ProductsOverThreads) {
  struct Case {
    int64_t m, k, n;
  };
  for (const Case& c : {Case{512, 512, 512}, Case{509, 521, 251}, Case{1, 4099, 1021}, Case{1031, 3, 1033}}) {
    const std::vector<float> x = random_numbers(c.m * c.k, 1), w = random_numbers(c.k * c.n, 2);
    const Array a = Array::from({c.m, c.k}, x), b = Array::from({c.k, c.n}, w);
    const auto product = ingot::jit([](Array p, Array q) { return ingot::matmul(p, q); });
    std::vector<std::vector<float>> results;
    for (int64_t threads : {1, 2, 3}) {
      ingot::set_num_threads(threads);
      results.push_back(product(a, b).to_vector<float>());
    }
    ingot::set_num_threads(0);
    for (size_t t : {1, 2}) {
      EXPECT_EQ(std::memcmp(results[t].data(), results[0].data(), results[0].size() * sizeof(float)), 0) << t;
    }
    std::vector<double> sums(static_cast<size_t>(c.n));
    const double tolerance = 0x1p-23 * static_cast<double>(4 + c.k);
    for (int64_t i = 0; i < c.m; ++i) {
      std::fill(sums.begin(), sums.end(), 0);
      for (int64_t k = 0; k < c.k; ++k) {
        const double factor = static_cast<double>(x[static_cast<size_t>(i * c.k + k)]);
        const float* row = &w[static_cast<size_t>(k * c.n)];
        for (size_t j = 0; j < sums.size(); ++j) sums[j] += factor * static_cast<double>(row[j]);
      }
      for (size_t j = 0; j < sums.size(); ++j)
        ASSERT_NEAR(results[0][static_cast<size_t>(i * c.n) + j], sums[j], tolerance) << i << " " << j;
    }
  }
}

constexpr int64_t kRows = 65537, kColumns = 32771, kCount = kRows * kColumns;  // primes; 2^31 + 229379
static_assert(kCount > int64_t{1} << 31);

// Element i of the array that the tests begin with.
uint8_t element(int64_t i) {
  return static_cast<uint8_t>(i ^ (i >> 13) ^ (i >> 27));
}

Array made() {
  return ingot::jit([] {
    const Array i = ingot::iota(DType::kS64, {kCount}, 0);
    return (i ^ (i >> 13) ^ (i >> 27)).astype(DType::kU8);
  })();
}

// The beginning, the end, both sides of 2^31, and some at random.
std::vector<int64_t> places() {
  const int64_t two31 = int64_t{1} << 31;
  std::vector<int64_t> list = {0, 1, 4095, two31 - 1, two31, two31 + 1, kCount - 2, kCount - 1};
  std::mt19937_64 random(1);
  for (int n = 0; n < 1000; ++n)
    list.push_back(static_cast<int64_t>(random() % static_cast<uint64_t>(kCount)));
  return list;
}

std::vector<uint8_t> read_at(const Array& x, const std::vector<int64_t>& at) {
  return ingot::take(x, Array::from({static_cast<int64_t>(at.size())}, at)).to_vector<uint8_t>();
}

TEST(LargeSizesTest, MoreElementsThan32BitsCountSlow) {
  const std::vector<int64_t> at = places();
  Array x = made();

  std::vector<uint8_t> got = read_at(x, at);
  for (size_t i = 0; i < at.size(); ++i) ASSERT_EQ(got[i], element(at[i])) << at[i];

  const auto sums = ingot::jit([](Array v) {
    return std::pair(ingot::sum(v.astype(DType::kU64)), ingot::sum((v == 7).astype(DType::kS64)));
  });
  const auto [sum, sevens] = sums(x);
  // In each 256 elements every byte is there once: what is put on top of the lowest bits is the same for all.
  const int64_t blocks = kCount >> 8;
  uint64_t expected_sum = static_cast<uint64_t>(blocks) * (255 * 128);
  int64_t expected_sevens = blocks;
  for (int64_t i = blocks << 8; i < kCount; ++i) {
    expected_sum += element(i);
    expected_sevens += element(i) == 7;
  }
  EXPECT_EQ(sum.item<uint64_t>(), expected_sum);
  EXPECT_EQ(sevens.item<int64_t>(), expected_sevens);

  // A transpose: element (c, r) of it is element (r, c).
  const auto transposed = ingot::jit([](Array v) {
    return ingot::reshape(ingot::transpose(ingot::reshape(v, {kRows, kColumns})), {kCount}) + 1;
  });
  got = read_at(transposed(x), at);
  for (size_t i = 0; i < at.size(); ++i) {
    const int64_t c = at[i] / kRows, r = at[i] % kRows;
    ASSERT_EQ(got[i], static_cast<uint8_t>(element(r * kColumns + c) + 1)) << at[i];
  }

  // Far elements are written where they are.
  const std::vector<int64_t> far(at.begin(), at.begin() + 8);
  const Array where = Array::from({8}, far);
  const auto written = ingot::jit([](Array v, Array w) {
    return ingot::scatter(ingot::Scatter::kSet, v, w, ingot::iota(DType::kU8, {8}, 0));
  });
  got = read_at(written(x, where), at);
  for (size_t i = 0; i < at.size(); ++i) ASSERT_EQ(got[i], i < 8 ? i : element(at[i])) << at[i];
}

}  // namespace
