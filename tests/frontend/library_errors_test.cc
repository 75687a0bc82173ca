// What the functions of the library say of mistakes, and at which line; what they take that is easily
// refused; and that they are as few kernels as they look.
#include <limits>

#include "frontend/testing.h"

namespace ingot {
namespace {

using testing::error_of;
using testing::f32;
using testing::line;
using testing::s32;

template <class F>
void expect_error(F f, const std::string& text) {
  const std::string error = error_of(f);
  EXPECT_NE(error.find(text), std::string::npos) << error << "\n  has not: " << text;
  EXPECT_NE(error.find("library_errors_test.cc"), std::string::npos) << error;
}

const Array& x4() {
  static const Array x = Array::from<float>({1, 2, 3, 4});
  return x;
}

// A part is an array of its own, to which nothing is assigned.
template <class A>
concept AssignsParts = requires(A x) {
  x(0) = x;
}
|| requires(A x) {
  x(0) += x;
}
|| requires(A x) {
  x[0] = x;
};
static_assert(!AssignsParts<Array>);

TEST(LibraryErrorsTest, WhatReadersFound) {
  const Array x = x4(), m = reshape(x, {2, 2});
  const auto product = [](Array a, Array b) { return dot(a, b); };
  EXPECT_EQ(vectorize(product, "(n),(n)->()")(m, x(Slice{0, 2})).shape(), (Shape{2}));
  expect_error([&] { vectorize(product, "(n),(n)->(n)")(m, m); },
               "result 0 of the function is f32[], which does not fit \"(n),(n)->(n)\"");
  expect_error([&] { vectorize(product, "(n),(n)->(),()")(m, m); },
               "is of 2 results, but the function returns 1");
  expect_error([&] { vectorize([](Array a) { return a(Slice{0, 1}); }, "(n)->(n)")(m); }, "f32[1]");
  expect_error([&] { nn::huber_loss(x, x, -1.0); }, "delta, where the loss becomes linear, is -1");
  EXPECT_EQ(expi(Array(INFINITY)).item<float>(), INFINITY);
  EXPECT_EQ(fft::rfftn(m, {.s = {4, 6}, .axes = {0, 1}}).shape(), (Shape{4, 4}));
  expect_error([&] { diag(x, INT64_MIN); }, "diag");
  expect_error([&] { optim::linear(1, 0, 0); }, "optim::linear: takes 0 steps");
  expect_error([&] { optim::warmup_cosine(0, 1, 10, 5); }, "all 5 steps, `warmup` of 10 among them");
  expect_error([&] { optim::Rate(optim::Schedule()); }, "the schedule of a learning rate is empty");
  expect_error([&] { optim::clip_by_global_norm(x, -1); }, "the limit is -1");
}

TEST(LibraryErrorsTest, IndicesSayWhatWouldBeRight) {
  const Array x = x4(), m = reshape(x, {2, 2});
  const int here = __LINE__ + 1;
  const auto wrong = [&] { static_cast<void>(m(0, 5)); };
  EXPECT_EQ(error_of(wrong), line(here) + "index 5 is out of range for axis 1 of f32[2,2]");
  expect_error([&] { m(0, 1, 2); }, "there are 3 indices for the 2 axes of f32[2,2]");
  expect_error(
      [&] { jit([](Array v) { return v(v > 2); })(x); },
      "a pred[4] is no index in a program, since the size of the result would depend on its values; "
      "choose with where(mask, x, y), put a number there with at(x, mask).set(y), or take the first");
  expect_error([&] { jit([](Array v) { return v.at(v > 2).set(v); })(x); }, "is no index in a program");
  expect_error([&] { x(m > 2); }, "the mask is pred[2,2], but should have the extents of the axes of f32[4]");
  expect_error([&] { return x.at(Array({true, false})).set(1); }, "the mask is pred[2]");
  expect_error([&] { x(x); }, "an index is a f32[4], but should be an array of integers");
  expect_error([&] { m(kEllipsis, kEllipsis); }, "there are 2 ellipses; there can be one");
  expect_error([&] { x(Slice{0, 2, 0}); }, "the step of a slice is 0");
  expect_error([&] { x(size_t(-1)); }, "is out of range for an axis of any array");
  expect_error([&] { m(arange(2), arange(3)); }, "do not broadcast");
  expect_error([&] { Array::zeros({0})(arange(2)); }, "axis 0 of f32[0] has no elements to index");
  expect_error([&] { return at(m, 0).set(x); },
               "at: the values are f32[4], but the part of f32[2,2] that they are for has the shape [2]");
  expect_error([&] { return at(arange(3), 0).set(1.5); }, "at: ");
  expect_error([&] { return at(x, 0).set(arange(1)); }, "have different dtypes");
  expect_error([&] { index(x, {0, 0}); }, "there are 2 indices for the 1 axis of f32[4]");
}

TEST(LibraryErrorsTest, NumbersInBraces) {
  expect_error([] { Array({{1, 2}, {3}}); }, "the lists in braces have 2 and 1 items along axis 1");
  expect_error([] { Array({{1, 2}, 3}); }, "numbers and lists side by side");
  expect_error([] { Array({1, {2, 3}}); }, "numbers and lists side by side");
  expect_error([] { Array({300}, DType::kU8); }, "300");
  const Array x = {{1.f, 2.f}, {3.f, 4.f}};
  EXPECT_EQ(x.type_string(), "f32[2,2]");
  EXPECT_EQ(Array({1, 2.5f}).type_string(), "f32[2]");
  EXPECT_EQ(Array({1, 2.5}).type_string(), "f64[2]");
  EXPECT_EQ(Array({true, false}).type_string(), "pred[2]");
  EXPECT_EQ(Array({std::complex<float>(1), std::complex<float>(0, 1)}).type_string(), "c64[2]");
  EXPECT_EQ(Array({0.5, 1}, DType::kF16).type_string(), "f16[2]");
  EXPECT_EQ(Array({{1}}).type_string(), "s32[1,1]");
  const Array empty = {};
  EXPECT_TRUE(empty.empty());
}

TEST(LibraryErrorsTest, SizesMustBeKnownInPrograms) {
  const Array x = x4(), n = arange(4);
  expect_error([&] { jit([](Array v) { return unique(v); })(x); },
               "unique: how many results there are depends on "
               "values, which a program does not know when it "
               "is traced; say how many with {.size = n}");
  expect_error([&] { jit([](Array v) { return nonzero(v); })(x); }, "nonzero: how many results");
  expect_error([&] { jit([](Array v) { return where(v > 1); })(x); }, "where: how many results");
  expect_error([&] { jit([](Array v) { return compress(v > 1, v); })(x); }, "compress: how many results");
  expect_error([&] { jit([](Array v) { return bincount(v); })(n); }, "give .length");
  expect_error([&] { jit([](Array v) { return repeat(v, v); })(n); }, "give .total_repeat_length");
  expect_error([&] { flatnonzero(x, {.size = -1}); }, "flatnonzero: the size is -1");
  EXPECT_EQ(unique(Array({3, 1, 3})).to_vector<int>(), (std::vector<int>{1, 3}));
  EXPECT_EQ(where(x > 2)[0].to_vector<int>(), (std::vector<int>{2, 3}));
}

TEST(LibraryErrorsTest, MakingAndShaping) {
  const Array x = x4(), m = reshape(x, {2, 2});
  expect_error([&] { linspace(0, 1, -1); }, "linspace: the count is -1");
  expect_error([&] { one_hot(arange(2), -1); }, "one_hot: the number of classes is -1");
  expect_error([&] { eye(-1); }, "eye: there are no -1 rows of -1 columns");
  expect_error([&] { tril(x); }, "tril: takes a matrix");
  expect_error([&] { diag(Array::zeros({2, 2, 2})); }, "diag: takes a vector or a matrix");
  expect_error([&] { diagonal(x); }, "diagonal: axis 1 is out of range");
  expect_error([&] { vander(m); }, "vander: takes a vector, but this is a f32[2,2]");
  expect_error([&] { meshgrid(x, m); }, "meshgrid: axis 1 is f32[2,2], but should be a vector");
  expect_error([&] { moveaxis(m, {0, 1}, 0); }, "moveaxis: there are 2 axes to move, but 1 places");
  expect_error([&] { moveaxis(m, 2, 0); }, "moveaxis: axis 2 is out of range");
  expect_error([&] { rot90(m, 1, {0, -2}); }, "rot90: both axes are 0");
  expect_error([&] { split(x, 3); },
               "split: axis 0 of f32[4] has 4 elements, which do not make 3 equal parts; "
               "array_split makes parts that are not equal");
  expect_error([&] { array_split(x, 0); }, "array_split: axis 0 of f32[4]");
  expect_error([&] { tile(x, {-1}); }, "tile: -1 is no number of repeats");
  expect_error([&] { repeat(x, -1); }, "repeat: -1 is no number of repeats");
  expect_error([&] { repeat(x, Array({1, 2})); }, "repeat: the repeats are s32[2]");
  expect_error([&] { delete_(x, {4}); }, "delete_: index 4 is out of range for axis 0 of f32[4]");
  expect_error([&] { insert(x, {0, 5}, 7.0f); }, "insert: place 5 is out of range for axis 0 of f32[4]");
  expect_error([&] { insert(x, 5, 0.5); }, "insert: place 5 is out of range");
  expect_error([&] { roll(m, {1}, {0, 1}); }, "roll: there are 1 shifts for 2 axes");
  expect_error([&] { pad(m, {1, 2, 3}, {1}, PadMode::kEdge); }, "pad: `low` has 3 numbers");
  expect_error([&] { pad(x, {-1}, {1}, PadMode::kEdge); }, "pad: `low` has -1, but should be 0 or more");
  expect_error([&] { pad(Array::zeros({0}), {1}, {1}, PadMode::kWrap); }, "has no element to pad with");
  expect_error([&] { hstack(std::vector<Array>{}); }, "hstack: there is no array");
  expect_error([&] { vstack({x, m(Slice{}, Slice{0, 1})}); }, "vstack: operand 1 is f32[2,1]");
}

TEST(LibraryErrorsTest, NumbersAndStatistics) {
  const Array x = x4(), m = reshape(x, {2, 2});
  expect_error([&] { gcd(x, x); }, "gcd: takes integers, but this is a f32[4]");
  expect_error([&] { isposinf(x.astype(DType::kC64)); }, "isposinf: takes numbers with a sign");
  expect_error([&] { average(m, Array({1.f, 2.f, 3.f}), 0); }, "average: the weights are f32[3]");
  expect_error([&] { cov(Array::zeros({2, 2, 2})); }, "cov: takes vectors and matrices");
  expect_error([&] { cov(Array({1.f})); }, "leaves none to divide by");
  expect_error([&] { percentile(x, 120); }, "q is 120, but must be from 0 to 100");
  expect_error([&] { nanmedian(Array::zeros({0})); }, "nanmedian: f32[0] has no elements there");
  expect_error([&] { histogram(x, 0); }, "0 bins; there should be 1 or more");
  expect_error([&] { histogram(x, Array({1.f})); }, "histogram: the edges are f32[1]");
  expect_error([&] { histogram(x, 3, {.weights = m}); }, "histogram: the weights are f32[2,2]");
  expect_error([&] { bincount(x); }, "bincount: takes a vector of integers, but this is a f32[4]");
  expect_error([&] { searchsorted(m, x); }, "searchsorted: the sorted values are f32[2,2]");
  expect_error([&] { digitize(x, m); }, "digitize: the bins are f32[2,2]");
  expect_error([&] { gradient(m); }, "gradient: a f32[2,2] has a slope along each axis; say which one");
  expect_error([&] { gradient(x, x(Slice{1})); }, "gradient: the spacing is f32[3]");
  expect_error([&] { diff(x, -1); }, "diff: n is -1");
  for (const double period : {0.0, std::nan(""), std::numeric_limits<double>::infinity()})
    expect_error([&] { interp(x, x, x, {.period = period}); }, "interp: the period is ");
  const Array places({0.f, 1.f, 2.f}), values({0.f, 10.f, 20.f});
  for (const double period : {3.0, -3.0}) {
    EXPECT_EQ(interp(Array({0.5f, 2.5f, -0.5f, 4.f}), places, values, {.period = period}).to_vector<float>(),
              (std::vector<float>{5, 10, 10, 10}));
  }
  const int at = __LINE__ + 1;
  EXPECT_TRUE(error_of([] { select({}, {}); }).starts_with(line(at) + "select: there are 0 conditions"));
  EXPECT_EQ(quantile(m, std::vector<double>{}, 1).shape(), (Shape{0, 2}));
  EXPECT_EQ(percentile(m, std::vector<double>{}).shape(), (Shape{0}));
  expect_error([&] { interp(x, x, m); }, "interp: the points xp and fp are f32[4] and f32[2,2]");
  expect_error([&] { convolve(m, x); }, "convolve: takes two vectors that are not empty");
  expect_error([&] { cross(x, x); }, "cross: takes vectors of 3 elements, or both of 2");
  expect_error([&] { polyfit(x, x, -1); }, "polyfit: the degree is -1");
  expect_error([&] { polyval(m, x); }, "polyval: the coefficients are f32[2,2]");
  expect_error([&] { glu(x(Slice{1})); },
               "glu: axis 0 of f32[3] has 3 elements, which do not make two halves");
  expect_error([&] { select({x > 1}, {x, x}, 0); }, "select: there are 1 conditions and 2 choices");
  expect_error([&] { choose(x, {x, x}); }, "choose: the indices are f32[4], but must be integers");
  expect_error([&] { return put(x, arange(2), Array::zeros({0})); }, "put: there are no values");
  expect_error([&] { ndtri(x.astype(DType::kF16)); }, "ndtri: takes f32 and f64");
  expect_error([&] { sigmoid(Array()); }, "this array is empty");
}

// Numbers take the dtype of the array beside them.
TEST(LibraryErrorsTest, NumbersAreWeak) {
  for (const DType dtype : {DType::kF32, DType::kF64, DType::kF16, DType::kBF16}) {
    const Array x = x4().astype(dtype);
    for (const Array& y : std::vector<Array>{clip(x, 0, 1),
                                             clip(x, 0.5, 1.5),
                                             leaky_relu(x, 1e-3),
                                             elu(x, 2),
                                             celu(x, 0.5),
                                             squareplus(x, 4),
                                             heaviside(x, 0.5),
                                             copysign(x, -1),
                                             fmod(x, 2),
                                             divmod(x, 0.75).first,
                                             float_power(x, 2.5),
                                             fmax(x, 0),
                                             logaddexp2(x, 1),
                                             full_like(x, 3),
                                             linspace(0, x, 3),
                                             where(x > 2, x, 0),
                                             trapezoid(x, 0.1),
                                             gradient(x, 0.1),
                                             interp(x, x, x, {.left = 0.1}),
                                             interp(1.5, x, x),
                                             put(x, arange(1), 7),
                                             at(x, 0).set(5),
                                             at(x, 1).add(0.5),
                                             put_along_axis(x, arange(2), 0.1, 0),
                                             insert(x, 1, 0.5),
                                             append(x, 1.5),
                                             pad(x, {1}, {1}, PadMode::kConstant, 0.5),
                                             select({x > 2}, {x}, 0.1),
                                             logsumexp(x, {}, x),
                                             polyval(x, 0.5),
                                             nan_to_num(x, {.nan = 0.1}),
                                             average(x),
                                             quantile(x, 0.1),
                                             x.clip(0, 1),
                                             x.round(1)})
      EXPECT_EQ(y.dtype(), dtype) << y.type_string();
    EXPECT_EQ(isclose(x, 1e-3).dtype(), DType::kPred);
    EXPECT_EQ(digitize(x, Array({1.f, 2.f}).astype(dtype)).dtype(), DType::kS32);
    EXPECT_EQ(isin(x, 2.0).dtype(), DType::kPred);
  }
  EXPECT_EQ(linspace(0.0, 1.0, 5).type_string(), "f32[5]");
  EXPECT_EQ(geomspace(1, 8, 4).type_string(), "f32[4]");
  EXPECT_EQ(gammainc(2, x4()).dtype(), DType::kF32);
  EXPECT_EQ(betainc(2, 3.5, x4() / 5).dtype(), DType::kF32);
}

template <class F>
size_t kernels_of(const F& f, const Array& x) {
  const std::string text = jit(f).lower(x).compile().text();
  size_t count = 0;
  for (size_t at = text.find("= fused("); at != std::string::npos; at = text.find("= fused(", at + 1))
    ++count;
  return count;
}

TEST(LibraryErrorsTest, CompositionsAreOneKernel) {
  const Array m = Array::abstract(DType::kF32, {64, 64}), x = Array::abstract(DType::kF32, {1000});
  EXPECT_EQ(kernels_of([](Array a) { return eye(64) + a; }, m), 1u);
  EXPECT_EQ(kernels_of([](Array a) { return tril(a); }, m), 1u);
  EXPECT_EQ(kernels_of([](Array a) { return diff(a); }, x), 1u);
  EXPECT_EQ(kernels_of([](Array a) { return gradient(a); }, x), 1u);
  EXPECT_EQ(kernels_of([](Array a) { return tile(a, {3}) * 2; }, x), 1u);
  EXPECT_EQ(kernels_of([](Array a) { return repeat(a, 3) * 2; }, x), 1u);
  EXPECT_EQ(kernels_of([](Array a) { return pad(a, {5}, {5}, PadMode::kReflect) * 2; }, x), 1u);
  EXPECT_EQ(kernels_of([](Array a) { return linspace(0, 1, 1000) * a; }, x), 1u);
  EXPECT_EQ(kernels_of([](Array a) { return diagonal(a) * 2; }, m), 1u);
  EXPECT_EQ(kernels_of([](Array a) { return trapezoid(a); }, x), 1u);
  EXPECT_EQ(kernels_of([](Array a) { return a(Slice{.step = -2}, kNewAxis) * 2; }, x), 1u);
  EXPECT_EQ(kernels_of([](Array a) { return searchsorted(a, 0.5f) + 1; }, x), 1u);
}

// A derivative that JAX has not: by differences.
TEST(LibraryErrorsTest, SlowBetaincHasDerivativesInAllArguments) {
  const auto f = [](Array a, Array b, Array x) { return betainc(a, b, x); };
  const Array a(2.0), b(3.5), x(0.4);
  const auto [da, db, dx] = grad<0, 1, 2>(f)(a, b, x);
  const double h = 1e-5;
  const auto slope = [&](Array u, Array v) { return (u - v).item<double>() / (2 * h); };
  EXPECT_NEAR(da.item<double>(), slope(f(a + h, b, x), f(a - h, b, x)), 1e-8);
  EXPECT_NEAR(db.item<double>(), slope(f(a, b + h, x), f(a, b - h, x)), 1e-8);
  EXPECT_NEAR(dx.item<double>(), slope(f(a, b, x + h), f(a, b, x - h)), 1e-8);
  const auto twice = [&](Array v) { return betainc(a, b, v); };
  EXPECT_NEAR(grad(grad(twice))(x).item<double>(), slope(grad(twice)(x + h), grad(twice)(x - h)), 1e-7);
  const auto in_x = [&](Array v) { return gammainc(2.5, v); };
  EXPECT_NEAR(grad(grad(in_x))(Array(1.5)).item<double>(),
              (grad(in_x)(Array(1.5 + h)) - grad(in_x)(Array(1.5 - h))).item<double>() / (2 * h), 1e-7);
}

}  // namespace
}  // namespace ingot
