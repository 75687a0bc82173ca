// The programs of the examples, at small and awkward sizes, against plain loops.
#include "../../examples/programs/references.h"

#include "../../examples/programs/chain.h"
#include "../../examples/programs/inner.h"
#include "../../examples/programs/layer.h"
#include "../../examples/programs/perm.h"
#include "../../examples/programs/report.h"
#include "../../examples/programs/tdma.h"
#include "frontend/testing.h"

#include <set>

namespace programs {
namespace {

using ingot::Array;

std::vector<double> wide(const Array& x) {
  return x.astype(ingot::DType::kF64).to_vector<double>();
}

void expect_near(const std::vector<double>& values, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_NEAR(values[i], expected[i], tolerance * std::max(1.0, std::abs(expected[i]))) << "at " << i;
  }
}

TEST(ProgramsTest, Layer) {
  for (const int64_t rows : {1, 7, 33}) {
    const Array x = random_array({rows, 13}, 1), w = random_array({13, 17}, 2), b = random_array({17}, 3);
    expect_near(wide(ingot::jit(layer)(x, w, b)),
                plain::layer(wide(x), wide(w), wide(b), static_cast<size_t>(rows)), 1e-5);
  }
}

template <class T>
void test_tdma(double tolerance) {
  for (const int64_t systems : {1, 5, 16, 67}) {
    for (const int64_t length : {1, 2, 7, 8, 100}) {
      const ingot::Shape shape{systems, length};
      const Array a = random_array<T>(shape, 1, 0.1, 1), b = random_array<T>(shape, 2, 3, 4),
                  c = random_array<T>(shape, 3, 0.1, 1), d = random_array<T>(shape, 4, 0.1, 1);
      const auto expected = plain::tdma(wide(a), wide(b), wide(c), wide(d), static_cast<size_t>(systems),
                                        static_cast<size_t>(length));
      expect_near(wide(ingot::jit(tdma)(a, b, c, d)), expected, tolerance);
      expect_near(wide(ingot::jit(tdma_transposed)(a, b, c, d)), expected, tolerance);
    }
  }
}

TEST(ProgramsTest, Tdma) {
  test_tdma<float>(1e-5);
  test_tdma<double>(1e-13);
}

template <class F, class... Args>
uint64_t only_kernel(F f, const Args&... args) {
  const auto kernels = ingot::jit(f).kernels(args...);
  EXPECT_EQ(kernels.size(), 1u);
  return kernels.empty() ? 0 : kernels[0].hash;
}

TEST(ProgramsTest, BothFormsOfTdmaAreOneKernelAtAnyLength) {
  for (const int64_t length : {2, 7, 8, 33, 64, 65, 100}) {
    const Array x = random_array({67, length}, 1, 3, 4);
    EXPECT_EQ(only_kernel(tdma, x, x, x, x), only_kernel(tdma_transposed, x, x, x, x)) << length;
  }
}

TEST(ProgramsTest, AllWaysOfPermutingAreOneKernel) {
  for (const ingot::Shape& shape : {ingot::Shape{4, 4}, ingot::Shape{37, 4, 4}}) {
    const Array x = random_array<int32_t>(shape, 5);
    for (const int columns : {0, 1, 2}) {
      std::set<uint64_t> hashes;
      for (const int way : {0, 1, 2}) {
        hashes.insert(only_kernel(
            [=](Array m) { return perm(m, static_cast<Columns>(columns), static_cast<Permute>(way)); }, x));
      }
      EXPECT_EQ(hashes.size(), 1u) << columns;
    }
  }
}

TEST(ProgramsTest, LayerIsOneKernel) {
  only_kernel(layer, random_array({33, 13}, 1), random_array({13, 17}, 2), random_array({17}, 3));
}

TEST(ProgramsTest, KernelsDoNotGrowWithCalls) {
  const Array x = random_array({9, 9}, 1), w = random_array({9, 9}, 2, -0.4, 0.4);
  auto distinct = [&](int calls) {
    std::set<uint64_t> hashes;
    for (const auto& kernel :
         ingot::jit([calls](Array a, Array m) { return blocks(a, m, calls); }).kernels(x, w))
      hashes.insert(kernel.hash);
    return hashes.size();
  };
  EXPECT_EQ(distinct(1), distinct(5));
}

TEST(ProgramsTest, PermIsExactHoweverItIsWritten) {
  for (const ingot::Shape& shape : {ingot::Shape{4, 4}, ingot::Shape{1, 4, 4}, ingot::Shape{37, 4, 4}}) {
    const Array x = random_array<int32_t>(shape, 5);
    for (const int columns : {0, 1, 2}) {
      const std::vector<int32_t> expected = plain::perm(x.to_vector<int32_t>(), columns);
      for (const int way : {0, 1, 2}) {
        const auto f = ingot::jit(
            [=](Array m) { return perm(m, static_cast<Columns>(columns), static_cast<Permute>(way)); });
        EXPECT_EQ(f(x).to_vector<int32_t>(), expected) << columns << " " << way;
      }
    }
  }
}

TEST(ProgramsTest, Inner) {
  const Array x = random_array({9, 9}, 1), w = random_array({9, 9}, 2, -0.4, 0.4);
  for (const int calls : {1, 2, 5}) {
    const auto f = ingot::jit([calls](Array a, Array m) { return blocks(a, m, calls); });
    expect_near(wide(f(x, w)), plain::inner(wide(x), wide(w), 9, 4 * calls), 1e-4);
  }
  EXPECT_EQ(ingot::jit(block, {.name = "block"}).trace_count(), 1);
}

TEST(ProgramsTest, Chains) {
  const Array x = random_array({1001}, 1, -3, 3), y = random_array({1001}, 2, 0.1, 0.9);
  auto sines = wide(x), tops = wide(x);
  const auto factors = wide(y);
  for (size_t i = 0; i < sines.size(); ++i) {
    for (int k = 0; k < 20; ++k) {
      sines[i] = std::sin(sines[i]) * 1.01 + k;
      tops[i] = std::max(tops[i] * factors[i] + 0.001 * k, factors[i]);
    }
  }
  expect_near(wide(ingot::jit([](Array v) { return sine_chain(v, 20); })(x)), sines, 1e-5);
  expect_near(wide(ingot::jit([](Array v, Array f) { return max_chain(v, f, 20); })(x, y)), tops, 1e-5);
}

}  // namespace
}  // namespace programs
