// Decompositions from the front door: what they mean, on every kind of matrix that has one; edges; errors.
// derivatives_golden_test.cc has values and derivatives by JAX.
#include <cmath>
#include <complex>
#include <limits>

#include "testing.h"

namespace ingot {
namespace {

using testing::counting;
using testing::error_of;
using testing::line;

using Doubles = std::vector<double>;

double largest(const Array& x) {
  return x.size() == 0 ? 0 : max(abs(x)).astype(DType::kF64).item<double>();
}

Array adjoint(const Array& x) {
  return conj(swapaxes(x, -1, -2));
}

Array eye_like(const Array& x) {
  const auto places = [&](int64_t axis) { return iota(DType::kS32, x.shape(), axis); };
  return (places(x.rank() - 2) == places(x.rank() - 1)).astype(x.dtype());
}

// Matrices without a pattern.
Array matrices(const Shape& shape, DType dtype) {
  const Array x = sin(square(counting<double>(shape)) * 1.3 + 0.7);
  if (!is_complex(dtype)) return x.astype(dtype);
  return complex(x, cos(square(counting<double>(shape)) * 0.9)).astype(dtype);
}

double tolerance(DType dtype) {
  return real_dtype(dtype) == DType::kF64 ? 1e-12 : 1e-4;
}

constexpr DType kDTypes[] = {DType::kF32, DType::kF64, DType::kC64, DType::kC128};

bool is_upper(const Array& r) {
  const auto places = [&](int64_t axis) { return iota(DType::kS32, r.shape(), axis); };
  return largest(where(places(r.rank() - 2) > places(r.rank() - 1), r, 0)) == 0;
}

TEST(DecompositionsTest, QrTimesItselfIsTheMatrix) {
  for (const DType dtype : kDTypes) {
    for (const Shape& shape : {Shape{3, 1, 1},
                               {40, 4, 4},
                               {3, 7, 3},
                               {2, 3, 7},
                               {16, 16},
                               {2, 17, 9},
                               {33, 40},
                               {70, 33},
                               {5, 0},
                               {0, 5},
                               {0, 3, 3},
                               {100, 100},
                               {300, 50}}) {
      const Array a = matrices(shape, dtype);
      for (const QrMode mode : {QrMode::kReduced, QrMode::kComplete}) {
        const Qr f = qr(a, {.mode = mode});
        EXPECT_LE(largest(matmul(f.q, f.r) - a), tolerance(dtype)) << a.type_string();
        const Array unit = matmul(adjoint(f.q), f.q);
        EXPECT_LE(largest(unit - eye_like(unit)), tolerance(dtype)) << a.type_string();
        EXPECT_TRUE(is_upper(f.r)) << a.type_string();
        if (is_complex(dtype)) {
          EXPECT_EQ(largest(where(eye_like(f.r) != 0, imag(f.r), 0)), 0) << a.type_string();
        }
      }
    }
  }
}

// Zeros, one column, numbers whose squares leave the range of numbers.
TEST(DecompositionsTest, QrOfEdges) {
  const Qr zero = qr(Array::zeros({3, 3}, DType::kF32));
  EXPECT_EQ(largest(zero.q - eye_like(zero.q)), 0);
  EXPECT_EQ(largest(zero.r), 0);
  for (const double scale : {1e-300, 1e-200, 1e200, 1e300}) {
    for (const int64_t n : {3, 20}) {
      const Array a = matrices({n, n}, DType::kF64);
      const Qr small = qr(a * scale), plain = qr(a);
      EXPECT_LE(largest(small.q - plain.q), 1e-12) << scale << " " << n;
      EXPECT_LE(largest(small.r / scale - plain.r), 1e-12) << scale << " " << n;
    }
  }
  const Array float16 = matrices({3, 3}, DType::kF32).astype(DType::kF16);
  EXPECT_EQ(qr(float16).q.dtype(), DType::kF16);
  EXPECT_LE(largest(dot(qr(float16).q, qr(float16).r) - float16), 4e-3);
}

TEST(DecompositionsTest, EigenvaluesOfHermitianMatrices) {
  for (const DType dtype : kDTypes) {
    for (const int64_t n : {0, 1, 2, 5, 30}) {
      const Array x = matrices({2, n, n}, dtype), a = (x + adjoint(x)) * 0.5;
      for (const bool lower : {true, false}) {
        const Eigh found = eigh(a, {.lower = lower, .symmetrize = false});
        EXPECT_EQ(found.values.dtype(), real_dtype(dtype));
        const Array scaled = found.vectors * expand_dims(found.values, -2).astype(dtype);
        EXPECT_LE(largest(matmul(a, found.vectors) - scaled), 10 * tolerance(dtype)) << a.type_string();
        const Array unit = matmul(adjoint(found.vectors), found.vectors);
        EXPECT_LE(largest(unit - eye_like(unit)), tolerance(dtype)) << a.type_string();
        EXPECT_LE(largest(eigvalsh(a, {.lower = lower}) - found.values), 10 * tolerance(dtype));
        if (n > 1) {
          EXPECT_TRUE(
              all(slice_axis(found.values, 1, 1, n) >= slice_axis(found.values, 1, 0, n - 1)).item<bool>());
        }
      }
    }
  }
}

TEST(DecompositionsTest, OneTriangleOfAHermitianMatrixIsRead) {
  const Array a = Array::from({2, 2}, Doubles{1, 100, 2, 3}),
              lower = Array::from({2, 2}, Doubles{1, 2, 2, 3}),
              upper = Array::from({2, 2}, Doubles{1, 100, 100, 3});
  for (const auto& [is_lower, read] : {std::pair(true, lower), std::pair(false, upper)}) {
    const Eigh of_a = eigh(a, {.lower = is_lower, .symmetrize = false}), whole = eigh(read);
    EXPECT_LE(largest(of_a.values - whole.values), 1e-12) << is_lower;
    EXPECT_LE(largest(abs(of_a.vectors) - abs(whole.vectors)), 1e-12) << is_lower;
  }
}

TEST(DecompositionsTest, SingularValues) {
  for (const DType dtype : kDTypes) {
    for (const Shape& shape : {Shape{2, 1, 1}, {4, 4}, {2, 7, 3}, {2, 3, 7}, {30, 26}, {0, 3}, {3, 0}}) {
      const Array a = matrices(shape, dtype);
      for (const bool full : {true, false}) {
        const Svd parts = svd(a, {.full_matrices = full});
        const int64_t k = parts.s.shape(-1);
        const Array u = slice_axis(parts.u, -1, 0, k), vh = slice_axis(parts.vh, -2, 0, k);
        EXPECT_LE(largest(matmul(u * expand_dims(parts.s, -2).astype(dtype), vh) - a), 10 * tolerance(dtype));
        for (const Array& square : {matmul(adjoint(parts.u), parts.u), matmul(parts.vh, adjoint(parts.vh))})
          EXPECT_LE(largest(square - eye_like(square)), tolerance(dtype)) << a.type_string();
        EXPECT_LE(largest(svdvals(a) - parts.s), 10 * tolerance(dtype));
        EXPECT_TRUE(all(parts.s >= 0).item<bool>());
        EXPECT_TRUE(k == 0 ||
                    all(slice_axis(parts.s, -1, 1, k) <= slice_axis(parts.s, -1, 0, k - 1)).item<bool>());
      }
    }
  }
}

TEST(DecompositionsTest, GeneralMatrices) {
  for (const DType dtype : kDTypes) {
    for (const int64_t n : {1, 2, 5, 30}) {
      const Array a = matrices({2, n, n}, dtype);
      const Eig found = eig(a);
      const Array whole = a.astype(found.values.dtype());
      EXPECT_LE(largest(matmul(whole, found.vectors) - found.vectors * expand_dims(found.values, -2)),
                20 * tolerance(dtype));
      EXPECT_LE(largest(sum(eigvals(a), -1) - sum(where(eye_like(whole) != 0, whole, 0), {-2, -1})),
                20 * tolerance(dtype));
      const Schur form = schur(a);
      EXPECT_LE(largest(matmul(matmul(form.q, form.t), adjoint(form.q)) - a), 20 * tolerance(dtype));
      const Array unit = matmul(adjoint(form.q), form.q);
      EXPECT_LE(largest(unit - eye_like(unit)), tolerance(dtype)) << a.type_string();
      // Of real matrices with pairs of conjugate eigenvalues in blocks of 2 x 2.
      const Array below = iota(DType::kS32, form.t.shape(), 1) - iota(DType::kS32, form.t.shape(), 2);
      EXPECT_EQ(largest(where(below > (is_complex(dtype) ? 0 : 1), form.t, 0)), 0) << a.type_string();
    }
  }
}

TEST(DecompositionsTest, WhatIsNotFiniteIsNan) {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {nan, infinity}) {
    const Array a = Array::from({2, 2, 2}, Doubles{1, bad, bad, 1, 2, 0, 0, 3});
    // All of the first matrix's, none of the second's.
    const auto first_only = [](const Array& x) {
      return all(x[0] != x[0]).item<bool>() && all(x[1] == x[1]).item<bool>();
    };
    EXPECT_TRUE(first_only(eigh(a).values) && first_only(eigh(a).vectors));
    EXPECT_TRUE(first_only(svd(a).s) && first_only(svd(a).u) && first_only(svd(a).vh));
    EXPECT_TRUE(first_only(svdvals(a)));
    EXPECT_TRUE(first_only(eig(a).values) && first_only(eig(a).vectors));
    EXPECT_TRUE(first_only(schur(a).t) && first_only(schur(a).q));
  }
}

// The cofactors, also where there is no inverse (jax.grad(jnp.linalg.det)).
TEST(DecompositionsTest, TheDerivativeOfADeterminantThatIsZero) {
  const auto gradient = [](const Array& a) { return grad([](Array x) { return det(x); })(a); };
  for (const int64_t n : {1, 2, 3, 4, 6}) {
    const Array x = matrices({n, n}, DType::kF64), row = iota(DType::kS32, {n, n}, 0);
    // The last row depends on the others; then the last two rows.
    const Array once = where(row == n - 1, expand_dims(sum(where(row < n - 1, x, 0), 0), 0), x);
    const Array cofactors = gradient(once);
    EXPECT_FALSE(std::isnan(largest(cofactors))) << n;
    // Along each of the elements the determinant is linear.
    for (int64_t i = 0; i < n; ++i) {
      const Array place = (row == i) & (iota(DType::kS32, {n, n}, 1) == (i + 1) % n);
      const double change = det(once + where(place, 1.0, 0.0)).item<double>();
      EXPECT_NEAR(sum(where(place, cofactors, 0)).item<double>(), change, 1e-12) << n;
    }
    if (n < 3) continue;
    const Array twice = where(row >= n - 2, expand_dims(x[0], 0), x);
    EXPECT_LE(largest(gradient(twice)), 1e-12) << n;
    EXPECT_LE(largest(gradient(x) - inv(x).T() * det(x)), 1e-12) << n;
  }
}

TEST(DecompositionsTest, WhatIsMadeOfThem) {
  const Array a = matrices({5, 3}, DType::kF64), b = matrices({5, 2}, DType::kF64);
  EXPECT_LE(largest(dot(pinv(a), a) - eye_like(dot(pinv(a), a))), 1e-13);
  EXPECT_LE(largest(lstsq(a, b).x - dot(pinv(a), b)), 1e-13);
  EXPECT_EQ(lstsq(a, b).rank.item<int32_t>(), 3);
  EXPECT_EQ(lstsq(a, b.T()[0]).x.shape(), (Shape{3}));
  EXPECT_EQ(matrix_rank(concatenate({a, a}, 1)).item<int32_t>(), 3);
  EXPECT_EQ(matrix_rank(a, {.tolerance = 1e9}).item<int32_t>(), 0);
  const Array square = dot(a.T(), a);
  EXPECT_LE(largest(matrix_power(square, -2) - inv(dot(square, square))), 1e-11);
  EXPECT_LE(largest(matrix_power(square, 0) - eye_like(square)), 0);
  EXPECT_LE(largest(matrix_power(square, 3) - dot(square, dot(square, square))), 1e-12);
  EXPECT_LE(largest(multi_dot({a.T(), a, a.T(), b}) - dot(dot(square, a.T()), b)), 1e-13);
  EXPECT_EQ(multi_dot({a.T()[0], a, a[0]}).shape(), Shape());
  EXPECT_EQ(norm(Array::from(Doubles{3, -4})).item<double>(), 5);
  EXPECT_EQ(norm(Array::from(Doubles{3, 0, -4}), {.order = 0}).item<double>(), 2);
  EXPECT_EQ(norm(a, {.order = 1, .axes = {0, 1}, .keepdims = true}).shape(), (Shape{1, 1}));
  EXPECT_LE(std::abs(norm(a, {.order = 2}).item<double>() - largest(svdvals(a))), 1e-14);
  EXPECT_EQ(norm(Array::zeros({3, 0}, DType::kF64), {.order = 2}).item<double>(), 0);
  EXPECT_EQ(norm(Array::zeros({0, 3}, DType::kF64), {.order = 1}).item<double>(), 0);
  EXPECT_EQ(cond(Array::zeros({2, 2}, DType::kF64), 1).item<double>(),
            std::numeric_limits<double>::infinity());
}

TEST(DecompositionsTest, Batches) {
  const Array a = matrices({4, 3, 5, 3}, DType::kF64);
  const auto q = [](Array x) { return qr(x).q; };
  EXPECT_EQ(largest(vmap(q, {.in_axes = 1})(a) - swapaxes(qr(a).q, 0, 1)), 0);
  const auto values = [](Array x) { return svdvals(x); };
  EXPECT_EQ(largest(vmap(values)(a) - svdvals(a)), 0);
}

TEST(DecompositionsTest, Errors) {
  const Array x = counting<float>({2, 3});
  const auto expect_error = [](const std::string& error, const std::string& text) {
    EXPECT_NE(error.find(text), std::string::npos) << error;
  };
  EXPECT_EQ(error_of([&] { eigh(x); }).find(line(__LINE__)), 0u);
  expect_error(error_of([&] { eigh(x); }), "eigh: a is f32[2,3], but should be square");
  expect_error(error_of([&] { qr(x[0]); }), "qr: a is f32[3], but should be a matrix");
  expect_error(error_of([&] { svd(counting<int32_t>({2, 2})); }), "astype");
  expect_error(error_of([&] { grad([](Array v) { return sum(svd(v).u); })(x); }), "full_matrices");
  expect_error(error_of([&] { norm(x, {.order = 3}); }), "norm: the order is 3");
  expect_error(error_of([&] { norm(x, {.order = NormOrder::nuclear(), .axes = 0}); }), "name two");
  expect_error(error_of([&] { lstsq(x, counting<float>({3})); }), "the same number of rows");
  expect_error(error_of([&] {
                 multi_dot({x, x});
               }),
               "the columns of one should be as many as the rows of the");
  expect_error(error_of([&] { cond(Array::zeros({0, 3}, DType::kF32)); }), "should have elements");
}

}  // namespace
}  // namespace ingot
