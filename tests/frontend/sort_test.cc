// Sorts from the front door: values against std::stable_sort and numpy's own, derivatives, batches, errors.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "testing.h"

namespace ingot {
namespace {

using testing::counting;
using testing::error_of;
using testing::line;

const float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<float> floats(const Array& x) {
  return x.to_vector<float>();
}
std::vector<int32_t> places(const Array& x) {
  return x.to_vector<int32_t>();
}

TEST(SortTest, AlongEveryAxisAndInBothOrders) {
  const Array x = Array::from({2, 3}, std::vector<float>{3, 1, 2, 0, 5, 1});
  EXPECT_EQ(floats(sort(x)), (std::vector<float>{1, 2, 3, 0, 1, 5}));
  EXPECT_EQ(floats(sort(x, 0)), (std::vector<float>{0, 1, 1, 3, 5, 2}));
  EXPECT_EQ(floats(sort(x, -1, Order::kDescending)), (std::vector<float>{3, 2, 1, 5, 1, 0}));
  EXPECT_EQ(places(argsort(x)), (std::vector<int32_t>{1, 2, 0, 0, 2, 1}));
  EXPECT_EQ(places(argsort(x, 0, Order::kDescending)), (std::vector<int32_t>{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(sort(Array::zeros({0, 3}, DType::kF32), 0).shape(), (Shape{0, 3}));
  EXPECT_EQ(floats(jit([](Array v) { return sort(exp(v)) * 2; })(Array::from({2}, std::vector<float>{1, 0}))),
            (std::vector<float>{2, 2 * std::exp(1.0f)}));
}

// Equal ones keep their order, in descending order too; NaN is greatest.
TEST(SortTest, TiesAndNan) {
  const Array x = Array::from({6}, std::vector<float>{1, kNan, 0.0f, -0.0f, -kNan, 0.0f});
  EXPECT_EQ(places(argsort(x)), (std::vector<int32_t>{2, 3, 5, 0, 1, 4}));
  EXPECT_EQ(places(argsort(x, 0, Order::kDescending)), (std::vector<int32_t>{1, 4, 0, 2, 3, 5}));
  EXPECT_TRUE(std::signbit(floats(sort(x))[1]));
  const Array z = Array::from({3}, std::vector<std::complex<float>>{{1, 2}, {0, 5}, {1, -1}});
  EXPECT_EQ(sort(z).to_vector<std::complex<float>>(),
            (std::vector<std::complex<float>>{{0, 5}, {1, -1}, {1, 2}}));
}

TEST(SortTest, LargeOnes) {
  const Array x = sin(counting<float>({200'001}) * 1.7f);
  std::vector<float> expected = floats(x);
  std::stable_sort(expected.begin(), expected.end());
  EXPECT_EQ(floats(sort(x)), expected);
  EXPECT_EQ(floats(take_along_axis(x, argsort(x), 0)), expected);
}

TEST(SortTest, ByKeys) {
  const Array a = Array::from({4}, std::vector<int32_t>{1, 0, 1, 0}),
              b = Array::from({4}, std::vector<float>{5, 7, 4, 6});
  EXPECT_EQ(places(lexsort({b, a})), (std::vector<int32_t>{3, 1, 2, 0}));
  EXPECT_EQ(places(lexsort({a, b})), (std::vector<int32_t>{2, 0, 3, 1}));
  const std::vector<Array> sorted = sort_by_keys({a, b}, {b, counting<int32_t>({4})});
  EXPECT_EQ(floats(sorted[0]), (std::vector<float>{6, 7, 4, 5}));
  EXPECT_EQ(places(sorted[1]), (std::vector<int32_t>{3, 1, 2, 0}));
  EXPECT_EQ(places(sort_by_keys({a}, {counting<int32_t>({4})}, 0, Order::kDescending)[0]),
            (std::vector<int32_t>{0, 2, 1, 3}));
}

TEST(SortTest, TopK) {
  const Array x = Array::from({2, 4}, std::vector<float>{1, 4, 4, 2, kNan, -1, 0.0f, -0.0f});
  const TopK top = top_k(x, 2);
  EXPECT_EQ(places(top.places), (std::vector<int32_t>{1, 2, 0, 2}));
  EXPECT_EQ(floats(top.values)[0], 4);
  EXPECT_TRUE(std::isnan(floats(top.values)[2]));
  EXPECT_EQ(top_k(x, 0).values.shape(), (Shape{2, 0}));
  EXPECT_EQ(places(top_k(x.astype(DType::kPred), 1, 0).places), (std::vector<int32_t>{0, 0, 0, 0}));
}

TEST(SortTest, QuantilesAreThoseOfNumpy) {
  const Array x = Array::from({2, 4}, std::vector<float>{4, 1, 3, 2, 10, 40, 30, 20});
  EXPECT_EQ(floats(median(x)), std::vector<float>{7});
  EXPECT_EQ(floats(median(x, 1)), (std::vector<float>{2.5f, 25}));
  EXPECT_EQ(floats(quantile(x, 0.25, 1)), (std::vector<float>{1.75f, 17.5f}));
  EXPECT_EQ(floats(quantile(x, 1, 0)), (std::vector<float>{10, 40, 30, 20}));
  EXPECT_EQ(median(x, {0, 1}, kKeepDims).shape(), (Shape{1, 1}));
  EXPECT_TRUE(std::isnan(floats(median(Array::from({3}, std::vector<float>{1, kNan, 2})))[0]));
}

// Whatever rounding makes of the weights.
TEST(SortTest, QuantilesLieBetweenTheirNeighbours) {
  const float a = 0.1f, b = std::nextafter(a, 1.0f), inf = std::numeric_limits<float>::infinity();
  const Array same = Array::from({4}, std::vector<float>{a, a, a, a}),
              near = Array::from({2}, std::vector<float>{b, a});
  for (int i = 0; i <= 97; ++i) {
    const double q = i / 97.0;
    EXPECT_EQ(floats(quantile(same, q)), std::vector<float>{a}) << q;
    const float between = floats(quantile(near, q))[0];
    EXPECT_TRUE(between == a || between == b) << q;
  }
  EXPECT_EQ(floats(quantile(Array::from({2}, std::vector<float>{-inf, 5}), 0.3)), std::vector<float>{-inf});
  EXPECT_EQ(floats(quantile(Array::from({2}, std::vector<float>{-3e38f, 3e38f}), 0.5)),
            std::vector<float>{0});
  EXPECT_EQ(floats(grad([](Array x) { return quantile(x, 0.25); })(near)),
            (std::vector<float>{0.25f, 0.75f}));
}

// The derivative of a sorted element is that of where it comes from.
TEST(SortTest, Derivatives) {
  const Array x = Array::from({2, 3}, std::vector<float>{3, 1, 2, 0, 5, 1}), w = counting<float>({2, 3}, 1);
  const auto loss = [&](Array v) { return sum(sort(v) * w); };
  EXPECT_EQ(floats(grad(loss)(x)), (std::vector<float>{3, 1, 2, 4, 6, 5}));
  EXPECT_EQ(floats(jvp([](Array v) { return sort(v, 0); }, x, w).second),
            (std::vector<float>{4, 2, 6, 1, 5, 3}));
  const auto tops = [&](Array v) { return sum(square(top_k(v, 2).values)); };
  EXPECT_EQ(floats(grad(tops)(x)), (std::vector<float>{6, 0, 4, 0, 10, 2}));
  EXPECT_EQ(floats(grad([](Array v) { return sum(median(v, 1)); })(x)),
            (std::vector<float>{0, 0, 1, 0, 0, 1}));
  const auto twice = [&](Array v) { return sum(grad([&](Array u) { return sum(sort(u * u * u) * w); })(v)); };
  EXPECT_EQ(floats(grad(twice)(x)), (std::vector<float>{54, 6, 24, 0, 180, 30}));
}

TEST(SortTest, Batches) {
  const Array x = sin(counting<float>({4, 5, 6}) * 1.3f);
  EXPECT_EQ(floats(vmap([](Array v) { return sort(v, 0); })(x)), floats(sort(x, 1)));
  const auto greatest = [](Array v) { return top_k(v, 2, 0).places; };
  EXPECT_EQ(places(vmap(greatest, {.in_axes = 1})(x)), places(top_k(transpose(x, {1, 0, 2}), 2, 1).places));
  EXPECT_EQ(floats(vmap(grad([](Array v) { return sum(sort(v, 0) * v); }))(x)).size(), 120u);
}

TEST(SortTest, Errors) {
  const Array x = counting<float>({3});
  const auto expect_error = [](const std::string& error, const std::string& text) {
    EXPECT_NE(error.find(text), std::string::npos) << error;
  };
  EXPECT_EQ(error_of([&] { sort(x, 1); }).find(line(__LINE__)), 0u);
  expect_error(error_of([&] { top_k(x, 4); }),
               "top_k: there are 3 elements along axis 0 of f32[3], so k is 0 to that, not 4");
  expect_error(error_of([&] {
                 lexsort({x, counting<float>({4})});
               }),
               "lexsort: there are arrays of type f32[3] and f32[4]; all must have one shape");
  expect_error(error_of([&] { quantile(x, 1.5); }), "quantile: q is 1.5, but must be from 0 to 1");
  expect_error(error_of([&] { quantile(x, 1.0000000001); }), "quantile: q is 1.0000000001, but");
  EXPECT_EQ(median(counting<int32_t>({3})).item<float>(), 1);
}

TEST(SortTest, DerivativesOfNothing) {
  for (const Shape& shape : {Shape{0}, Shape{0, 3}, Shape{3, 0}}) {
    const Array x = Array::zeros(shape);
    EXPECT_EQ(grad([](Array v) { return sum(sort(v) * 2.0f); })(x).shape(), shape);
    EXPECT_EQ(grad([](Array v) { return sum(sort(v, 0) * 2.0f); })(x).shape(), shape);
  }
}

}  // namespace
}  // namespace ingot
