// Values, gradients and Hessian-vector products of many functions, against those of JAX. golden/ has the
// values and the program that wrote them; the functions here are the ones of the same names there.
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <sstream>

#include "frontend/testing.h"

namespace ingot {
namespace {

using Function = std::function<Array(Array, Array)>;

Array constants(int64_t count, double first = 0) {
  return arange(count).astype(DType::kF64) + first;
}
Array weighted(const Array& v) {
  return sum(v * constants(v.shape(0), 1));
}
Array m23(const Array& x) {
  return x.reshape({2, 3});
}
Array m32(const Array& x) {
  return x.reshape({3, 2});
}
Array first(const Array& x, int64_t count) {
  return slice_axis(x, 0, 0, count);
}
Array eye3() {
  const Array i = arange(3);
  return (expand_dims(i, 1) == expand_dims(i, 0)).astype(DType::kF64);
}
Array m33(const Array& x) {
  const Array a = first(x, 3), b = slice_axis(x, 0, 3, 6);
  return expand_dims(a, 1) * expand_dims(b, 0) + eye3() * expand_dims(a * b, 0);
}
Array m44(const Array& x, const Array& y) {
  const Array a = first(x, 4), i = expand_dims(arange(4), 1), j = expand_dims(arange(4), 0);
  const Array above = concatenate({Array::zeros({1}, DType::kF64), first(y, 3)});
  return expand_dims(a, 1) * expand_dims(slice_axis(y, 0, 2, 6), 0) +
         where(i == j, expand_dims(a * slice_axis(x, 0, 2, 6), 0), 0) +
         where(j == i + 1, expand_dims(above, 0), 0);
}
Array columns(const Array& x, int64_t count) {
  return slice_axis(x, 1, 0, count);
}
// Of all elements, so that signs and places count.
Array total(const Array& x) {
  return sum(sin(x.reshape({-1}) * 2 + 0.3) * (arange(x.size()).astype(DType::kF64) + 1));
}
Array total(const std::pair<Array, Array>& both) {
  return total(both.first) + total(both.second);
}
Array total(const Qr& factors) {
  return total(factors.q) + total(factors.r);
}
Array total(const Eigh& found) {
  return total(found.values) + total(found.vectors);
}
Array total(const Svd& found) {
  return total(found.u) + total(found.s) + total(found.vh);
}
constexpr double kInfinity = std::numeric_limits<double>::infinity();
Array definite(const Array& x, const Array& y) {
  const Array m = m33(x) + m33(y);
  return dot(m, m.T()) + eye3();
}
// As pools take it, and back.
Array image(const Array& x) {
  return x.reshape({1, x.size(), 1});
}
Array row(const Array& x) {
  return x.reshape({x.size()});
}
Array log_softmax(const Array& x) {
  return log(softmax(x));
}

using Step = std::function<std::pair<Array, Array>(Array, std::pair<Array, Array>)>;
Array recurrence(const Array& x, const Array& y, double start, bool reverse, const Step& step) {
  return scan(step, Array(start), std::pair(x, y), {.reverse = reverse}).second;
}

Array rnn(const Array& x, const Array& y) {
  const Array w = slice_axis(m23(y), 1, 0, 2);
  const auto step = [&](Array h, Array v) {
    const Array next = tanh(dot(h, w) + v);
    return std::pair(next, next);
  };
  const auto [last, all] = scan(step, Array::zeros({2}, DType::kF64), m32(x));
  return sum(last) + sum(all * all);
}

Array layer_norm(const Array& x) {
  const Array centered = x - mean(x);
  return centered * rsqrt(mean(square(centered)) + 1e-5);
}

const std::map<std::string, Function>& functions() {
  static const std::map<std::string, Function> list = {
      {"add", [](Array x, Array y) { return weighted(x + y); }},
      {"sub", [](Array x, Array y) { return weighted(x - y * x); }},
      {"mul", [](Array x, Array y) { return weighted(x * y); }},
      {"div", [](Array x, Array y) { return weighted(x / y); }},
      {"neg", [](Array x, Array) { return weighted(-x * x); }},
      {"exp", [](Array x, Array y) { return weighted(exp(x * y)); }},
      {"log", [](Array x, Array y) { return weighted(log(x * y)); }},
      {"expm1", [](Array x, Array) { return weighted(expm1(x)); }},
      {"log1p", [](Array x, Array y) { return weighted(log1p(x * y)); }},
      {"erf", [](Array x, Array) { return weighted(erf(x)); }},
      {"sin", [](Array x, Array y) { return weighted(sin(x * y)); }},
      {"cos", [](Array x, Array y) { return weighted(cos(x * y)); }},
      {"tanh", [](Array x, Array y) { return weighted(tanh(x * y)); }},
      {"logistic", [](Array x, Array y) { return weighted(logistic(x * y)); }},
      {"sqrt", [](Array x, Array y) { return weighted(sqrt(x * y)); }},
      {"rsqrt", [](Array x, Array y) { return weighted(rsqrt(x * y)); }},
      {"floor", [](Array x, Array) { return weighted(floor(x) * x); }},
      {"ceil", [](Array x, Array) { return weighted(ceil(x) * x); }},
      {"round", [](Array x, Array) { return weighted(round(x) * x); }},
      {"sign", [](Array x, Array) { return weighted(sign(x) * x * x); }},
      {"abs", [](Array x, Array y) { return weighted(abs(x) * y); }},
      {"abs_at_zero", [](Array x, Array) { return weighted(abs(x)); }},
      {"sign_at_zero", [](Array x, Array) { return weighted(sign(x) * x); }},
      {"rem", [](Array x, Array y) { return weighted(x % y); }},
      {"rem_negative", [](Array x, Array y) { return weighted(x % y); }},
      {"pow", [](Array x, Array y) { return weighted(pow(x, y)); }},
      {"pow_two", [](Array x, Array) { return weighted(pow(x, 2.0)); }},
      {"maximum", [](Array x, Array y) { return weighted(maximum(x * x, y)); }},
      {"minimum", [](Array x, Array y) { return weighted(minimum(x * x, y)); }},
      {"maximum_ties", [](Array x, Array y) { return weighted(maximum(x, y)); }},
      {"minimum_ties", [](Array x, Array y) { return weighted(minimum(x, y)); }},
      {"relu_at_zero", [](Array x, Array) { return weighted(relu(x)); }},
      {"clip_at_border", [](Array x, Array) { return weighted(clip(x, -1, 1)); }},
      {"where", [](Array x, Array y) { return weighted(where(x > y, sin(x), y * y)); }},
      {"where_border", [](Array x, Array y) { return weighted(where(x >= y, x * x, y * 3)); }},
      {"where_safe", [](Array x, Array) { return weighted(where(x > 0, log(where(x > 0, x, 1)), 0)); }},
      {"sum", [](Array x, Array) { return square(sum(x)); }},
      {"sum_axis", [](Array x, Array) { return weighted(square(sum(m23(x), 1))); }},
      {"mean", [](Array x, Array y) { return mean(x) * mean(y * x); }},
      {"prod", [](Array x, Array) { return prod(x); }},
      {"prod_axis", [](Array x, Array) { return weighted(prod(m23(x), 0)); }},
      {"max", [](Array x, Array) { return square(max(x)); }},
      {"max_axis", [](Array x, Array) { return weighted(square(max(m23(x), 1))); }},
      {"max_ties", [](Array x, Array y) { return max(slice_axis(y, 0, 1, 3) * x[1]); }},
      {"max_all_ties", [](Array x, Array y) { return max(x * 0 + x[1] + y * 0); }},
      {"min", [](Array x, Array) { return square(min(x)); }},
      {"min_ties", [](Array x, Array) { return min(stack({x[1], x[3], x[5]})); }},
      {"variance", [](Array x, Array) { return mean(square(x - mean(x))); }},
      {"dot", [](Array x, Array y) { return square(dot(x, y)); }},
      {"outer", [](Array x, Array y) { return sum(sin(expand_dims(x, 1) * expand_dims(y, 0))); }},
      {"matmul", [](Array x, Array y) { return sum(tanh(dot(m23(x), m32(y)))); }},
      {"batched_matmul",
       [](Array x, Array y) { return sum(sin(matmul(x.reshape({3, 2, 1}), y.reshape({3, 1, 2})))); }},
      {"transpose", [](Array x, Array y) { return sum(sin(dot(m23(x).T(), m23(y)))); }},
      {"reshape", [](Array x, Array y) { return sum(sin(m23(x) * m23(y))); }},
      {"flip", [](Array x, Array y) { return weighted(flip(x) * y); }},
      {"slice",
       [](Array x, Array y) {
         return weighted(slice_axis(x, 0, 1, 6, 2) * slice_axis(y, 0, 0, 3) * slice_axis(x, 0, 3, 6));
       }},
      {"index", [](Array x, Array y) { return x[2] * y[4] * x[-1]; }},
      {"concatenate", [](Array x, Array y) { return sum(sin(concatenate({x, y, x}) * constants(18))); }},
      {"stack",
       [](Array x, Array y) {
         return sum(exp(index_axis(slice_axis(stack({x, y}, 1), 0, 2, 6), 1, 0)) * slice_axis(y, 0, 2, 6));
       }},
      {"pad", [](Array x, Array) { return sum(sin(pad(x, {1}, {2}) * constants(9))); }},
      {"take", [](Array x, Array) { return weighted(square(take(x, {3, 3, 0, 5, 3, 1}))); }},
      {"roll", [](Array x, Array) { return weighted(roll(x, 2, 0) * x); }},
      {"broadcast",
       [](Array x, Array y) { return sum(sin(expand_dims(x, 1) * expand_dims(slice_axis(y, 0, 0, 3), 0))); }},
      {"softmax", [](Array x, Array y) { return weighted(softmax(x) * y); }},
      {"log_sum_exp", [](Array x, Array) { return log(sum(exp(x - max(x)))) + max(x); }},
      {"cross_entropy", [](Array x, Array y) { return -sum(softmax(y) * log_softmax(x)); }},
      {"silu", [](Array x, Array) { return weighted(silu(x)); }},
      {"gelu", [](Array x, Array) { return weighted(gelu(x)); }},
      {"square", [](Array x, Array y) { return weighted(square(x) * y); }},
      {"layer_norm", [](Array x, Array y) { return weighted(layer_norm(x) * y); }},
      {"attention",
       [](Array x, Array y) {
         const Array q = m32(x), k = m32(y);
         return sum(square(dot(softmax(dot(q, k.T())), k)));
       }},
      {"cumsum",
       [](Array x, Array y) {
         return weighted(square(recurrence(x, y, 0, false, [](Array c, std::pair<Array, Array> v) {
           return std::pair(c + v.first, c + v.first);
         })));
       }},
      {"cumprod", [](Array x, Array y) { return weighted(cumprod(x) * y); }},
      {"cumprod_zeros", [](Array x, Array y) { return weighted(cumprod(x) * y); }},
      {"cumprod_reverse", [](Array x, Array y) { return weighted(cumprod(x, 0, true) * y); }},
      {"cummax", [](Array x, Array y) { return weighted(square(cummax(x)) * y); }},
      {"cummax_ties", [](Array x, Array y) { return weighted(cummax(first(x, 4)) * first(y, 4)); }},
      {"cummax_tree", [](Array x, Array) { return weighted(cummax(x) * sin(x)); }},
      {"cummax_tree_reverse",
       [](Array x, Array y) { return weighted(cummax(first(x, 5), 0, true) * first(y, 5)); }},
      {"cummin_tree", [](Array x, Array y) { return weighted(cummin(y * 0 + x) * y); }},
      {"cummin_tree_mixed",
       [](Array x, Array y) {
         return weighted(sum(cummin(stack({x, y, x, x, y, x * y, y}), 0) * constants(7, 1).reshape({7, 1}), 0));
       }},
      {"cummax_tree_long",
       [](Array x, Array y) { return weighted(slice_axis(cummax(concatenate({x, y, x, x})), 0, 7, 13) * y); }},
      {"cummin", [](Array x, Array y) { return weighted(square(cummin(x, 0, true)) * y); }},
      {"cumlogsumexp", [](Array x, Array y) { return weighted(cumlogsumexp(x) * y); }},
      {"cumlogsumexp_rows", [](Array x, Array y) { return sum(cumlogsumexp(m23(x), 1, true) * m23(y)); }},
      {"associative_scan",
       [](Array x, Array y) {
         const auto compose = [](std::pair<Array, Array> p, std::pair<Array, Array> q) {
           return std::pair(p.first * q.first, p.second * q.first + q.second);
         };
         return weighted(square(associative_scan(compose, std::pair(x, y)).second));
       }},
      {"prod_zero", [](Array x, Array y) { return prod(first(x, 3)) * prod(y); }},
      {"prod_zeros", [](Array x, Array y) { return prod(first(x, 5)) * prod(y); }},
      {"reduce_combiner",
       [](Array x, Array) {
         const auto combine = [](Array a, Array b) { return a + b + a * b; };
         return square(reduce_window(combine, sin(x), 0.0, {6})[0]);
       }},
      {"max_pool", [](Array x, Array y) { return weighted(square(row(max_pool(image(x * y), {3})))); }},
      {"max_pool_ties",
       [](Array x, Array) { return weighted(row(max_pool(image(x), {2}, {.strides = {2}})) * first(x, 3)); }},
      {"min_pool",
       [](Array x, Array) { return weighted(square(row(min_pool(image(x), {2}, {.strides = {2}})))); }},
      {"sum_pool",
       [](Array x, Array y) { return weighted(square(row(sum_pool(image(x * y), {3}, {.strides = {2}})))); }},
      {"avg_pool_same",
       [](Array x, Array) {
         return weighted(square(row(avg_pool(image(x), {3}, {.padding = ConvPadding::kSame}, false))));
       }},
      {"linear_recurrence",
       [](Array x, Array y) {
         return weighted(recurrence(x, y, 1, false, [](Array h, std::pair<Array, Array> v) {
           const Array next = tanh(v.first) * h + v.second;
           return std::pair(next, next);
         }));
       }},
      {"backward_recurrence",
       [](Array x, Array y) {
         return weighted(recurrence(x, y, 0.5, true, [](Array h, std::pair<Array, Array> v) {
           const Array next = sin(v.first * h) + v.second;
           return std::pair(next, next * v.first);
         }));
       }},
      {"rnn", rnn},
      {"astype", [](Array x, Array) { return weighted((x > 0).astype(DType::kF64) * x * x); }},
      {"stop_gradient", [](Array x, Array y) { return weighted(stop_gradient(x * x) * y * x); }},
      {"cholesky", [](Array x, Array y) { return sum(cholesky(definite(x, y)) * cos(m33(x))); }},
      {"cholesky_upper",
       [](Array x, Array y) { return sum(sin(cholesky(definite(x, y), {.lower = false}))); }},
      {"triangular_solve",
       [](Array x, Array y) {
         return sum(sin(triangular_solve(m33(x) + 3 * eye3(), m23(y).T(), {.transpose_a = TransposeA::kTranspose})));
       }},
      {"triangular_solve_right",
       [](Array x, Array y) {
         return sum(square(triangular_solve(m33(x), m23(y),
                                            {.left_side = false, .lower = false, .unit_diagonal = true})));
       }},
      {"solve",
       [](Array x, Array y) { return weighted(solve(m33(x) + m33(y), first(y, 3)) * first(x, 3)); }},
      {"det", [](Array x, Array y) { return det(m33(x) * 2 + m33(y)); }},
      {"slogdet", [](Array x, Array y) { return slogdet(m33(x) * 2 + m33(y)).log; }},
      {"inv", [](Array x, Array y) { return sum(sin(inv(m33(x) + m33(y)))); }},
      {"lu", [](Array x, Array y) { return sum(sin(lu(m33(x) + m33(y)).lu) * cos(m33(x))); }},
      {"lu_tall", [](Array x, Array y) { return sum(sin(lu(m32(x) * m32(y)).lu)); }},
      {"lu_wide", [](Array x, Array y) { return sum(sin(lu(m23(x) * m23(y)).lu)); }},
      {"cho_solve",
       [](Array x, Array y) { return weighted(cho_solve(cholesky(definite(x, y)), first(y, 3))); }},
      {"fft",
       [](Array x, Array y) {
         return weighted(square(abs(fft::fft(complex(x, y), {.norm = fft::Norm::kOrtho}))));
       }},
      {"ifft", [](Array x, Array y) { return weighted(real(sin(fft::ifft(complex(x * y, y), {.n = 5})))); }},
      {"rfft", [](Array x, Array y) { return weighted(square(abs(fft::rfft(x * y)))); }},
      {"rfft_odd",
       [](Array x, Array y) {
         const Array z = fft::rfft(x * y, {.n = 5});
         return weighted(imag(z * z));
       }},
      {"irfft",
       [](Array x, Array y) {
         const Array tail = slice_axis(x, 0, 2, 6);
         return weighted(sin(fft::irfft(complex(first(x, 4), first(y, 4) * tail), {.n = 6})));
       }},
      {"irfft_odd",
       [](Array x, Array y) { return weighted(sin(fft::irfft(complex(x, y * x), {.n = 5}))); }},
      {"rfft2", [](Array x, Array y) { return sum(square(square(abs(fft::rfft2(m23(x) * m23(y)))))); }},
      {"irfft2",
       [](Array x, Array y) {
         return sum(sin(fft::irfft2(complex(m23(x), m23(x * y)), {.s = std::vector<int64_t>{2, 5}})));
       }},
      {"hfft",
       [](Array x, Array y) {
         return weighted(sin(fft::hfft(complex(first(x, 4), first(y, 4)), {.n = 6})));
       }},
      {"ihfft", [](Array x, Array y) { return weighted(square(abs(fft::ihfft(x * y)))); }},
      {"qr", [](Array x, Array y) { return total(qr(m44(x, y))); }},
      {"qr_tall", [](Array x, Array y) { return total(qr(columns(m44(x, y), 2))); }},
      {"qr_complete",
       [](Array x, Array y) { return total(qr(columns(m44(x, y), 2), {.mode = QrMode::kComplete})); }},
      {"qr_wide", [](Array x, Array y) { return total(qr(m23(x) + square(m23(y)))); }},
      {"eigh", [](Array x, Array y) { return total(eigh(m44(x, y))); }},
      {"eigh_upper",
       [](Array x, Array y) {
         return total(eigh(m44(x, y) + m44(x, y).T(), {.lower = false, .symmetrize = false}));
       }},
      {"eigvalsh", [](Array x, Array y) { return total(eigvalsh(m44(x, y))); }},
      {"svd", [](Array x, Array y) { return total(svd(m44(x, y))); }},
      {"svd_tall", [](Array x, Array y) { return total(svd(columns(m44(x, y), 2), {.full_matrices = false})); }},
      {"svd_wide", [](Array x, Array y) { return total(svd(first(m44(x, y), 2), {.full_matrices = false})); }},
      {"svdvals", [](Array x, Array y) { return total(svdvals(first(m44(x, y), 3))); }},
      {"eigvals",
       [](Array x, Array y) { return sum(abs(eigvals(m44(x, y))) * (arange(4).astype(DType::kF64) + 1)); }},
      {"eig",
       [](Array x, Array y) {
         const Eig found = eig(m44(x, y));
         return total(std::pair(real(found.values), imag(found.values))) +
                total(std::pair(real(found.vectors), imag(found.vectors)));
       }},
      {"det4", [](Array x, Array y) { return sin(det(m44(x, y))); }},
      {"pinv", [](Array x, Array y) { return total(pinv(columns(m44(x, y), 3))); }},
      {"pinv_wide", [](Array x, Array y) { return total(pinv(m23(x) + m23(y))); }},
      {"norms",
       [](Array x, Array y) {
         const NormOrder orders[] = {{}, NormOrder::frobenius(), NormOrder::nuclear(), 1, -1, 2, -2, kInfinity,
                                     -kInfinity};
         Array whole = Array(0.0);
         for (int i = 0; i < 9; ++i)
           whole = whole + norm(m23(x) * m23(y), {.order = orders[i], .axes = {0, 1}}) * (i + 1.0);
         return whole;
       }},
      {"vector_norms",
       [](Array x, Array y) {
         const NormOrder orders[] = {{}, 1, 2, 3, 0.5, kInfinity, -kInfinity};
         Array whole = Array(0.0);
         for (int i = 0; i < 7; ++i)
           whole = whole + weighted(norm(m23(x) + m23(y), {.order = orders[i], .axes = 1})) * (i + 1.0);
         return whole;
       }},
      {"cond",
       [](Array x, Array y) { return cond(m23(x) + m23(y)) + cond(m44(x, y), 1) * cond(m44(x, y), -2); }},
      {"lstsq",
       [](Array x, Array y) {
         const Lstsq found = lstsq(columns(m44(x, y), 2), slice_axis(x, 0, 2, 6) + first(y, 4));
         return total(std::pair(found.x, found.residuals));
       }},
      {"matrix_power",
       [](Array x, Array y) { return total(std::pair(matrix_power(m33(x), 5), matrix_power(m33(y), -2))); }},
      {"multi_dot",
       [](Array x, Array y) {
         return total(multi_dot({first(x, 4), m44(x, y), m44(y, x), slice_axis(x.reshape({6, 1}), 0, 2, 6)}));
       }},
      {"rosenbrock",
       [](Array x, Array) {
         const Array head = slice_axis(x, 0, 0, 5), tail = slice_axis(x, 0, 1, 6);
         return sum(100 * square(tail - square(head)) + square(1 - head));
       }},
  };
  return list;
}

using Values = std::map<std::string, std::vector<double>>;

std::map<std::string, Values> golden() {
  std::map<std::string, Values> list;
  std::ifstream file(INGOT_TEST_DIR "/golden/jax_derivatives.txt");
  std::string text, name;
  while (std::getline(file, text)) {
    std::istringstream words(text);
    std::string label;
    words >> label;
    if (text[0] != ' ') {
      name = label;
      continue;
    }
    double value;
    while (words >> value) list[name][label].push_back(value);
  }
  return list;
}

void expect_near(const Array& actual, const std::vector<double>& expected, const std::string& what) {
  const std::vector<double> values = actual.to_vector<double>();
  ASSERT_EQ(values.size(), expected.size()) << what;
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(values[i], expected[i], 1e-9 * (1 + std::fabs(expected[i]))) << what << ", element " << i;
}

TEST(DerivativesGoldenTest, AgreeWithJax) {
  const auto golden_values = golden();
  EXPECT_GE(golden_values.size(), 60u);
  EXPECT_EQ(golden_values.size(), functions().size());
  const Array direction = Array::from<double>({1, -0.5, 0.25, 2, -1, 0.5});
  for (const auto& [name, function] : functions()) {
    ASSERT_TRUE(golden_values.contains(name)) << name;
    const Values& values = golden_values.at(name);
    const Array x = Array::from(values.at("x")), y = Array::from(values.at("y"));
    const auto [value, gradients] = value_and_grad<0, 1>(function)(x, y);
    expect_near(value, values.at("value"), name);
    expect_near(std::get<0>(gradients), values.at("grad_x"), name + ", gradient in x");
    expect_near(std::get<1>(gradients), values.at("grad_y"), name + ", gradient in y");
    const auto of_x = [&](Array at) { return function(at, y); };
    expect_near(hvp(of_x, x, direction), values.at("hvp_x"), name + ", Hessian times vector");
  }
}

}  // namespace
}  // namespace ingot
