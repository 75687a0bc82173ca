// Factors and solutions of matrices from the front door: identities, derivatives, batches, loops, errors.
// derivatives_golden_test.cc has derivatives by JAX.
#include <cmath>
#include <complex>
#include <limits>

#include "testing.h"

namespace ingot {
namespace {

using testing::counting;
using testing::error_of;
using testing::line;

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

Floats floats(const Array& x) {
  return x.to_vector<float>();
}

Array eye64(int64_t n, DType dtype = DType::kF64) {
  const Array i = arange(n);
  return (expand_dims(i, 1) == expand_dims(i, 0)).astype(dtype);
}

// Positive definite, of any shape [..., n, n].
Array definite(const Shape& shape) {
  const Array x = sin(counting<double>(shape) * 1.3);
  return matmul(x, swapaxes(x, -1, -2)) + eye64(shape.back()) * 0.5;
}

double largest(const Array& x) {
  return x.size() == 0 ? 0 : max(abs(x)).item<double>();
}

TEST(LinalgTest, FactorsTimesThemselvesAreTheMatrix) {
  for (const int64_t n : {0, 1, 2, 3, 5, 16, 17, 33}) {
    const Array a = definite({2, n, n});
    const Array l = cholesky(a), u = cholesky(a, {.lower = false});
    EXPECT_LE(largest(matmul(l, swapaxes(l, -1, -2)) - a), 1e-13) << n;
    EXPECT_EQ(largest(swapaxes(u, -1, -2) - l), 0) << n;
    const Array b = cos(counting<double>({2, n, 3}));
    EXPECT_LE(largest(matmul(a, cho_solve(l, b)) - b), 1e-11) << n;
    EXPECT_LE(largest(cho_solve(u, b, {.lower = false}) - cho_solve(l, b)), 1e-11) << n;
  }
  const Array z = complex(definite({3, 3}), Array::zeros({3, 3}, DType::kF64)) +
                  complex(Array::zeros({3, 3}, DType::kF64),
                          Array::from({3, 3}, Doubles{0, 0.1, 0.2, -0.1, 0, 0.3, -0.2, -0.3, 0}));
  const Array l = cholesky(z);
  EXPECT_LE(largest(abs(matmul(l, conj(l.T())) - z)), 1e-14);
}

int nans(const Array& x) {
  return sum((x != x).astype(DType::kS32)).item<int32_t>();
}

// Of small matrices in lanes, of those in panels, alone and in batches.
TEST(LinalgTest, ANanIsKept) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const int64_t n : {1, 2, 5, 16, 17, 33, 70}) {
      for (const int64_t place : {int64_t{0}, n / 2, n - 1}) {
        const Array i = arange(n), there = expand_dims(i, 1) == expand_dims(i, 0);
        const Array a = where(there & (i == place), std::nan(""), eye64(n, dtype)).astype(dtype);
        for (const Array& x :
             {a, expand_dims(a, 0),
              concatenate({broadcast_to(a, {20, n, n}), eye64(n, dtype).reshape({1, n, n})})}) {
          const int kept = x.rank() == 2 ? 1 : x.shape(0) == 1 ? 1 : 20;
          EXPECT_EQ(nans(det(x)), kept) << n << " " << place << " " << x.type_string();
          EXPECT_EQ(nans(slogdet(x).log), kept) << n << " " << place;
        }
      }
    }
  }
}

TEST(LinalgTest, WhatIsRead) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Array lower = Array::from({2, 2}, Floats{4, nan, 2, 10}),
              upper = Array::from({2, 2}, Floats{4, 2, nan, 10});
  EXPECT_EQ(floats(cholesky(lower, {.symmetrize = false})), (Floats{2, 0, 1, 3}));
  EXPECT_EQ(floats(cholesky(upper, {.lower = false, .symmetrize = false})), (Floats{2, 1, 0, 3}));
  EXPECT_EQ(floats(cholesky(Array::from({2, 2}, Floats{4, 1, 3, 10}))), (Floats{2, 0, 1, 3}));
  EXPECT_EQ(floats(triangular_solve(lower, Array::from({2}, Floats{4, 12}))), (Floats{1, 1}));
  // Nothing of what is not read has a derivative.
  const auto loss = [](Array a) { return sum(cholesky(a, {.symmetrize = false})); };
  EXPECT_EQ(floats(grad(loss)(lower))[1], 0);
  EXPECT_FALSE(std::isnan(floats(grad(loss)(lower))[2]));
}

TEST(LinalgTest, WhatIsNotPositiveDefinite) {
  const Array a = Array::from({2, 2, 2}, Floats{1, 2, 2, 1, 4, 2, 2, 10});
  const Floats l = floats(cholesky(a));
  EXPECT_TRUE(std::isnan(l[0]) && std::isnan(l[2]) && std::isnan(l[3]));
  EXPECT_EQ(l[1], 0);
  EXPECT_EQ(Floats(l.begin() + 4, l.end()), (Floats{2, 0, 1, 3}));
}

TEST(LinalgTest, EveryWayToSolve) {
  const Array a = sin(counting<double>({4, 4})) * 0.3 + eye64(4) * 2, b = cos(counting<double>({4, 3}));
  for (const bool lower : {true, false}) {
    const Array i = expand_dims(arange(4), 1), j = expand_dims(arange(4), 0);
    const Array t = where(lower ? i >= j : i <= j, a, 0);
    EXPECT_LE(largest(dot(t, triangular_solve(a, b, {.lower = lower})) - b), 1e-14);
    EXPECT_LE(
        largest(dot(t.T(), triangular_solve(a, b, {.lower = lower, .transpose_a = TransposeA::kTranspose})) -
                b),
        1e-14);
    EXPECT_LE(largest(dot(triangular_solve(a, b.T(), {.left_side = false, .lower = lower}), t) - b.T()),
              1e-14);
    const Array unit = where(i == j, 1, t);
    EXPECT_LE(largest(dot(unit, triangular_solve(a, b, {.lower = lower, .unit_diagonal = true})) - b), 1e-14);
  }
  EXPECT_EQ(triangular_solve(a, b.T()[0]).shape(), (Shape{4}));
  EXPECT_EQ(triangular_solve(eye64(3, DType::kF16), Array::zeros({3, 2}, DType::kF16)).dtype(), DType::kF16);
}

// The same as formulas of what is solved for, whose derivatives are known to be right.
TEST(LinalgTest, Derivatives) {
  const Array x = sin(counting<double>({3, 3}) * 0.7), b = cos(counting<double>({3, 2}));
  const auto matrix = [](Array v) { return dot(v, v.T()) + eye64(3) * 2; };
  const auto inverse = [](Array m) {  // by cofactors
    std::vector<Array> rows;
    Array det = Array(0.0);
    for (int64_t j = 0; j < 3; ++j) {
      std::vector<Array> row;
      for (int64_t i = 0; i < 3; ++i) {
        const auto at = [&](int64_t r, int64_t c) { return m[(i + r) % 3][(j + c) % 3]; };
        row.push_back(at(1, 1) * at(2, 2) - at(1, 2) * at(2, 1));
        if (j == 0) det = det + m[i][0] * row.back();
      }
      rows.push_back(stack(row));
    }
    return stack(rows) / det;
  };
  const auto by_solution = [&](Array v) { return sum(square(cho_solve(cholesky(matrix(v)), b))); };
  const auto by_formula = [&](Array v) { return sum(square(dot(inverse(matrix(v)), b))); };
  EXPECT_LE(largest(by_solution(x) - by_formula(x)), 1e-12);
  EXPECT_LE(largest(grad(by_solution)(x) - grad(by_formula)(x)), 1e-12);
  EXPECT_LE(largest(hessian(by_solution)(x) - hessian(by_formula)(x)), 1e-11);
  const auto forwards = [&](Array v) { return jvp(by_solution, v, x + 1).second; };
  EXPECT_LE(largest(forwards(x) - sum(grad(by_formula)(x) * (x + 1))), 1e-12);
  // The logarithm of the determinant: its gradient is the inverse.
  const auto masked = [&](Array m) {
    return sum(where(eye64(3) == 1, log(abs(cholesky(m)) + (1 - eye64(3))), 0)) * 2;
  };
  EXPECT_LE(largest(grad(masked)(matrix(x)) - inverse(matrix(x))), 1e-12);
}

TEST(LinalgTest, Solutions) {
  for (const int64_t n : {0, 1, 2, 3, 17, 33}) {
    const Array a = sin(counting<double>({2, n, n}) * 1.7) + eye64(n) * 0.5,
                b = cos(counting<double>({2, n, 3}));
    EXPECT_LE(largest(matmul(a, solve(a, b)) - b), 1e-10) << n;
    EXPECT_LE(largest(matmul(a, inv(a)) - eye64(n)), 1e-10) << n;
    EXPECT_LE(largest(lu_solve(lu(a), b) - solve(a, b)), 0) << n;
    EXPECT_LE(largest(slogdet(a).sign * exp(slogdet(a).log) / det(a) - 1), 1e-12) << n;
  }
  const Array a = Array::from({2, 2}, Doubles{1, 2, 3, 4});
  EXPECT_NEAR(det(a).item<double>(), -2, 1e-14);
  EXPECT_EQ(slogdet(a).sign.item<double>(), -1);
  EXPECT_EQ(solve(a, Array::from({2}, Doubles{5, 11})).to_vector<double>(), (Doubles{1, 2}));
  EXPECT_EQ(det(Array::from({2, 2}, Doubles{1, 2, 2, 4})).item<double>(), 0);
  EXPECT_EQ(slogdet(Array::from({2, 2}, Doubles{1, 2, 2, 4})).log.item<double>(),
            -std::numeric_limits<double>::infinity());
  EXPECT_EQ(lu(counting<float>({5, 3, 4})).permutation.shape(), (Shape{5, 3}));
}

TEST(LinalgTest, Batches) {
  const Array a = definite({5, 4, 4}), b = sin(counting<double>({5, 4, 3}));
  EXPECT_EQ(largest(vmap([](Array m) { return cholesky(m); })(a) - cholesky(a)), 0);
  EXPECT_EQ(largest(vmap([](Array m) { return cholesky(m); }, {.in_axes = 2})(transpose(a, {1, 2, 0})) -
                    cholesky(a)),
            0);
  const auto solution = [](Array m, Array v) { return triangular_solve(m, v); };
  const Array l = cholesky(a);
  EXPECT_LE(largest(vmap(solution)(l, b) - triangular_solve(l, b)), 1e-14);
  // One matrix for all: its right sides become columns side by side.
  const Array one = l[0];
  const Array all = vmap([&](Array v) { return triangular_solve(one, v); })(b);
  for (int64_t i = 0; i < 5; ++i) EXPECT_LE(largest(all[i] - triangular_solve(one, b[i])), 1e-14);
  const auto right = [&](Array v) { return triangular_solve(one, v, {.left_side = false}); };
  const Array rows = swapaxes(b, -1, -2);
  const Array all_rows = vmap(right)(rows);
  for (int64_t i = 0; i < 5; ++i) EXPECT_LE(largest(all_rows[i] - right(rows[i])), 1e-14);
  const auto solved = [](Array m, Array v) { return solve(m, v) * det(m); };
  EXPECT_LE(largest(vmap(solved)(a, b) - solve(a, b) * det(a).reshape({5, 1, 1})), 1e-12);
  EXPECT_EQ(vmap([](Array m) { return lu(m).pivots; }, {.in_axes = 1})(swapaxes(a, 0, 1)).shape(),
            (Shape{5, 4}));
  const auto loss = [](Array m) { return sum(cholesky(m)); };
  EXPECT_LE(largest(vmap(grad(loss))(a)[3] - grad(loss)(a[3])), 1e-13);
}

TEST(LinalgTest, InLoopsAndBranches) {
  const Array a = definite({3, 4, 4});
  const auto scanned = jit([](Array m) {
    return scan([](Array l, Array v) { return std::pair(cholesky(v) + l * 0, cholesky(v)); }, m[0], m).second;
  });
  EXPECT_LE(largest(scanned(a) - cholesky(a)), 1e-14);
  const auto chosen = jit([](Array p, Array m) {
    return cond(
        p, [](Array v) { return cholesky(v); }, [](Array v) { return triangular_solve(v, v); }, m);
  });
  EXPECT_LE(largest(chosen(Array(true), a) - cholesky(a)), 1e-14);
  EXPECT_LE(largest(chosen(Array(false), a) - triangular_solve(a, a)), 1e-14);
  // As long as the factor of the factor's square is itself.
  const auto repeated = jit([](Array m) {
    return while_loop([](std::pair<Array, Array> s) { return s.first < 3; },
                      [](std::pair<Array, Array> s) {
                        const Array l = cholesky(s.second);
                        return std::pair(s.first + 1, matmul(l, swapaxes(l, -1, -2)));
                      },
                      std::pair(Array(0), m))
        .second;
  });
  EXPECT_LE(largest(repeated(a) - a), 1e-13);
  EXPECT_LE(largest(grad([&](Array m) { return sum(scanned(m)); })(a) -
                    grad([](Array m) { return sum(cholesky(m)); })(a)),
            1e-12);
}

TEST(LinalgTest, DerivativesOfMatricesWithoutRows) {
  for (const Shape& shape : {Shape{0, 3}, Shape{3, 0}, Shape{0, 0}, Shape{0, 3, 3}, Shape{2, 0, 3}}) {
    const Array x = Array::zeros(shape, DType::kF64);
    EXPECT_EQ(grad([](Array m) { return sum(lu(m).lu); })(x).shape(), shape);
    if (shape[shape.size() - 2] == shape.back()) {
      EXPECT_EQ(grad([](Array m) { return sum(det(m)); })(x).shape(), shape);
      EXPECT_EQ(grad([](Array m) { return sum(slogdet(m).log); })(x).shape(), shape);
    }
  }
}

TEST(LinalgTest, Errors) {
  const auto expect_error = [](const std::string& error, const std::string& text) {
    EXPECT_NE(error.find(text), std::string::npos) << error;
  };
  const Array x = counting<float>({2, 3}), a = counting<float>({3, 3});
  EXPECT_EQ(error_of([&] { cholesky(x); }).find(line(__LINE__)), 0u);
  expect_error(error_of([&] { cholesky(x); }),
               "cholesky: a is f32[2,3], but should be square in its last two");
  expect_error(error_of([&] { cholesky(x[0]); }), "but should be a matrix");
  expect_error(error_of([&] { cholesky(counting<int32_t>({2, 2})); }), "astype");
  expect_error(error_of([&] { triangular_solve(a, x); }),
               "triangular_solve: a is f32[3,3] and b is f32[2,3], but the columns of b should have 3 "
               "elements, not 2");
  expect_error(error_of([&] { cho_solve(a, x[0][0]); }), "as many dimensions as a");
  expect_error(error_of([&] {
                 triangular_solve(counting<float>({4, 3, 3}), counting<float>({5, 3, 1}));
               }),
               "the same dimensions before those of the matrix; broadcast one");
  expect_error(error_of([&] { triangular_solve(a, counting<double>({3, 3})); }), "f64");
}

}  // namespace
}  // namespace ingot
