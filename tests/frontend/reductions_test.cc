// Long sums are accurate, whatever adds them up.

#include <cmath>

#include "testing.h"

namespace ingot {
namespace {

// Numbers in [0, 1) without an order, made on the fly: a long sum needs no memory.
Array scattered(const Shape& shape) {
  Array n = iota(DType::kU32, {element_count(shape)}, 0) * uint32_t{2654435761u};
  return reshape((n >> 8).astype(DType::kF32) * (1.0 / (1 << 24)), shape);
}

double error_of_sum(const Shape& shape, const Axes& axes, double offset) {
  const auto both = jit([&] {
    const Array x = scattered(shape) + offset;
    return std::pair(sum(x, axes), sum(x.astype(DType::kF64), axes));
  });
  const auto [single, twice] = both();
  const auto a = single.to_vector<float>();
  const auto b = twice.to_vector<double>();
  double worst = 0;
  for (size_t i = 0; i < a.size(); ++i)
    worst = std::max(worst, std::abs(static_cast<double>(a[i]) - b[i]) / std::abs(b[i]));
  return worst;
}

TEST(LongSumTest, OfAHundredMillionIsAccurate) {
  EXPECT_LT(error_of_sum({100'000'000}, {0}, 0), 5e-7);
  EXPECT_LT(error_of_sum({100'000'000}, {0}, 0.1), 5e-7);
  EXPECT_LT(error_of_sum({10'000, 10'000}, {}, 0.1), 5e-7);
}

TEST(LongSumTest, OfRowsAndColumnsIsAccurate) {
  EXPECT_LT(error_of_sum({2, 10'000'000}, {1}, 0.1), 1e-6);
  EXPECT_LT(error_of_sum({10'000'000, 2}, {0}, 0.1), 1e-6);
  EXPECT_LT(error_of_sum({100'000, 200}, {0}, 0.1), 1e-6);
  EXPECT_LT(error_of_sum({100, 1000, 200}, {0, 1}, 0.1), 1e-6);
  EXPECT_LT(error_of_sum({200, 1000, 100}, {0, 2}, 0.1), 1e-6);
}

}  // namespace
}  // namespace ingot
