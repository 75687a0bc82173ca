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

// Two systems, of which rows are exchanged, with two right sides each. Values and derivatives are those of
// jax.lax.linalg.tridiagonal_solve.
struct Systems {
  Array dl = sin(counting<double>({2, 4}) * 1.3 + 1.0), d = 0.5 * cos(counting<double>({2, 4}) * 0.7),
        du = cos(counting<double>({2, 4}) * 1.1 + 0.4), b = sin(counting<double>({2, 4, 2}) * 0.9 + 0.2);
};

void expect_near(const Array& x, const Doubles& expected) {
  const Doubles found = x.to_vector<double>();
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], 1e-10 * (1 + std::abs(expected[i]))) << i;
}

TEST(LinalgTest, TridiagonalSystems) {
  const Systems s;
  const Array x = tridiagonal_solve(s.dl, s.d, s.du, s.b);
  expect_near(x, {1.4877358422406, -0.194784907517333, -0.59192452386441, 1.07332719576333, 0.371084494096148,
                  -0.367013529298423, 1.0565346734905, 0.576228721246385, -3.07912026322997,
                  -3.14903127881749, -6.30750019376772, -6.64432836330212, 0.170089433884892,
                  -0.843515299926313, 3.62257730096586, 4.06083615370779});
  const Array of_vectors = tridiagonal_solve(s.dl, s.d, s.du, s.b(kEllipsis, 0));
  EXPECT_EQ(of_vectors.to_vector<double>(), x(kEllipsis, 0).to_vector<double>());
  // Under vmap, and of vectors and matrices that are complex or narrow.
  const auto mapped =
      vmap([](Array dl, Array d, Array du, Array b) { return tridiagonal_solve(dl, d, du, b); });
  expect_near(mapped(s.dl, s.d, s.du, s.b), x.to_vector<double>());
  const Array i = complex(Array(0.0), Array(1.0));
  const Array turned = tridiagonal_solve(s.dl * i, s.d * i, s.du * i, s.b * i);
  EXPECT_LE(largest(abs(turned - x)), 1e-13);
  const auto narrow = [](const Array& a) { return a.astype(DType::kBF16); };
  const Array rounded = tridiagonal_solve(narrow(s.dl), narrow(s.d), narrow(s.du), narrow(s.b));
  EXPECT_EQ(rounded.dtype(), DType::kBF16);
  for (const int64_t n : {0, 1, 2, 7}) {  // what is not read may be anything
    const Array d = counting<double>({3, n}) + 1.0, nan = d * std::numeric_limits<double>::quiet_NaN();
    const Array row = iota(DType::kS32, {n}, 0);
    const Array solved = tridiagonal_solve(where(row == 0, nan, 0.25), d, where(row == n - 1, nan, 0.5), d);
    Array product = d * solved;
    if (n > 1)
      product = product + 0.25 * pad(solved(kEllipsis, Slice{0, n - 1}), {0, 1}, {0, 0}) +
                0.5 * pad(solved(kEllipsis, Slice{1, n}), {0, 0}, {0, 1});
    EXPECT_LE(largest(product - d), 1e-12) << n;
  }
}

TEST(LinalgTest, DerivativesOfTridiagonalSystems) {
  const Systems s;
  const auto loss = [](Array dl, Array d, Array du, Array b) {
    return sum(sin(tridiagonal_solve(dl, d, du, b)));
  };
  const auto [dl, d, du, b] = grad<0, 1, 2, 3>(loss)(s.dl, s.d, s.du, s.b);
  expect_near(dl, {0, 1.15661799000791, 0.604973739830847, 0.0483026655199877, 0, -19.7313978548887,
                   -3.29702012610115, -3.30123922971977});
  expect_near(d, {-1.58964938212157, -2.11456611890256, -0.160357585321177, 1.58420668703049,
                  -26.078755343484, -40.9729177299266, -0.0701338729450296, 45.2288297412786});
  expect_near(du, {1.1458442950937, 0.817503799978297, 0.703699404022135, 0, -54.1130357421414,
                   -1.81948281330735, 1.9316438633781, 0});
  expect_near(b, {1.00100663718455, -0.515522126130048, -0.559924083410541, 1.66131383744677,
                  -0.275709348154384, -0.715693096657061, -1.01274386441033, -0.892367318664687,
                  -4.81770015828532, -3.57077341199478, -3.48371180767461, -2.85949215468118,
                  -0.358895819650658, -0.155513788243703, -6.60511083112542, -5.2455465741041});
  const auto by_d = [&](Array x) { return sum(sin(grad<1>(loss)(s.dl, x, s.du, s.b))); };
  expect_near(grad(by_d)(s.d), {2.08843632933385, 2.92854718549468, -0.0611546964099835, 0.798096717240669,
                                -118.954108944515, -4.04008912603307, -2.46419056435107, -32.313784401976});
}

// NaN where there is no solution, and in no other of the batch.
TEST(LinalgTest, TridiagonalSystemsWithoutASolution) {
  const Array d = Array::from({3, 2}, Floats{1, 1, 1, 4, 0, 0}),
              off = Array::from({3, 2}, Floats{1, 2, 2, 2, 1, 1});
  const Floats x = floats(tridiagonal_solve(off, d, off, Array::ones({3, 2})));
  EXPECT_EQ(x[0], 0);  // x + y = 1, 2 x + y = 1
  EXPECT_EQ(x[1], 1);
  EXPECT_TRUE(std::isnan(x[2]) && std::isnan(x[3]));
  EXPECT_EQ(x[4], 1);
  EXPECT_EQ(x[5], 1);
}

// The values of jax.lax.linalg.tridiagonal_solve(.., perturb_singular=True). The second matrix has zeros on
// its diagonal; the one below is singular.
TEST(LinalgTest, TridiagonalSystemsThatMayBeSingular) {
  Systems s;
  s.d = s.d * Array::from<double>({2, 1}, {1, 0});
  const auto solve = [](Array dl, Array d, Array du, Array b) {
    return tridiagonal_solve(dl, d, du, b, {.perturb_singular = true});
  };
  const Array x = solve(s.dl, s.d, s.du, s.b);
  expect_near(x, {1.4877358422406, -0.194784907517333, -0.59192452386441, 1.07332719576333, 0.371084494096148,
                  -0.367013529298423, 1.0565346734905, 0.576228721246385, 0.603841885710899,
                  0.766719604712717, 10.2710689940023, 10.3106550304168, -0.370373853758107,
                  -1.44936375418215, -9.29525679243961, -8.81946760498211});
  expect_near(vmap(solve)(s.dl, s.d, s.du, s.b), x.to_vector<double>());
  EXPECT_EQ(solve(s.dl, s.d, s.du, s.b(kEllipsis, 0)).to_vector<double>(),
            x(kEllipsis, 0).to_vector<double>());
  const auto loss = [&](Array dl, Array d, Array du, Array b) { return sum(sin(solve(dl, d, du, b))); };
  const auto [dl, d, du, b] = grad<0, 1, 2, 3>(loss)(s.dl, s.d, s.du, s.b);
  expect_near(dl, {0, 1.15661799000791, 0.604973739830847, 0.0483026655199878, 0, -1.11859568866665,
                   24.7561959950824, 1.3002358448884});
  expect_near(d, {-1.58964938212157, -2.11456611890256, -0.160357585321177, 1.58420668703049,
                  -0.782842953597974, -16.9300328051806, -2.06806700722445, 6.57974047291382});
  expect_near(du, {1.1458442950937, 0.817503799978297, 0.703699404022135, 0, -13.1474719579986,
                   1.43784107346125, -21.8461633662486, 0});
  expect_near(b, {1.00100663718455, -0.515522126130048, -0.559924083410541, 1.66131383744677,
                  -0.275709348154384, -0.715693096657061, -1.01274386441033, -0.892367318664687,
                  1.21817520872105, 0.0616362724353402, 0.877569571186443, 0.767793624084391,
                  -1.31532151185391, -1.09075882806263, -0.189202997490891, 0.945457401054525});
  const auto by_d = [&](Array y) { return sum(sin(grad<1>(loss)(s.dl, y, s.du, s.b))); };
  expect_near(grad(by_d)(s.d), {2.08843632933385, 2.92854718549468, -0.0611546964099831, 0.798096717240668,
                                52.7093729043728, 260.087389682149, -30.5787264727607, -48.2532382378667});

  const Array minus = -Array::ones({4}, DType::kF64), middle = Array::from<double>({1, 2, 2, 1});
  const Array sides = sin(counting<double>({4, 2}) * 0.9 + 0.2);
  expect_near(solve(minus, middle, minus, sides),
              {-608696487986862, 1.55668461260671e+15, -608696487986862, 1.55668461260671e+15,
               -608696487986863, 1.55668461260671e+15, -608696487986864, 1.55668461260671e+15});
  const auto total = [&](Array y, Array c) { return sum(solve(minus, y, minus, c)) * 1e-15; };
  const auto [by_middle, by_sides] = grad<0, 1>(total)(middle, sides);
  expect_near(by_middle, Doubles(4, -1.70774358591584e+16));
  expect_near(by_sides, Doubles(8, 18.014398509482));
  EXPECT_EQ(solve(minus, middle, minus, Array::ones({4, 0}, DType::kF64)).shape(), (Shape{4, 0}));
}

void expect_error(const std::string& error, const std::string& text) {
  EXPECT_NE(error.find(text), std::string::npos) << error;
}

TEST(LinalgTest, ErrorsOfTridiagonalSystems) {
  const Array d = counting<float>({2, 3});
  EXPECT_EQ(error_of([&] { tridiagonal_solve(d, d, d[0], d); }).find(line(__LINE__)), 0u);
  expect_error(
      error_of([&] { tridiagonal_solve(d, d, d[0], d); }),
      "tridiagonal_solve: dl, d, du are f32[2,3], f32[2,3], f32[3], and b is f32[2,3], but the diagonals "
      "should have one shape");
  expect_error(error_of([&] { tridiagonal_solve(d, d, d, d[0]); }), "but b should be [.., n, k]");
  const Array i = counting<int32_t>({2, 3});
  expect_error(error_of([&] { tridiagonal_solve(i, i, i, i); }), "astype");
}

TEST(LinalgTest, Errors) {
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
