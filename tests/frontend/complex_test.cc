// Complex numbers as a user meets them: values and derivatives against JAX (golden/ has what it says and the
// program that asked it), dtypes beside others, files and printing, loops, batches, errors.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <sstream>

#include "frontend/testing.h"

namespace ingot {
namespace {

using testing::error_of;
using C64 = std::complex<float>;
using C128 = std::complex<double>;
using OfTwo = std::function<Array(Array, Array)>;
using OfOne = std::function<Array(Array)>;

const std::map<std::string, OfTwo>& real_functions() {
  static const std::map<std::string, OfTwo> list = {
      {"abs2", [](Array z, Array) { return sum(square(abs(z))); }},
      {"abs", [](Array z, Array w) { return sum(abs(z * w)); }},
      {"real_of_product", [](Array z, Array w) { return sum(real(z * w)); }},
      {"imag_of_product", [](Array z, Array w) { return sum(imag(z * z * w)); }},
      {"with_conj", [](Array z, Array w) { return sum(real(z * conj(w) * z)); }},
      {"angle", [](Array z, Array w) { return sum(angle(z) * real(w)); }},
      {"exp", [](Array z, Array w) { return sum(real(exp(z) / w)); }},
      {"log", [](Array z, Array w) { return sum(imag(log(z) * w)); }},
      {"dot", [](Array z, Array w) { return abs(dot(z, w)); }},
      {"matmul",
       [](Array z, Array w) {
         return sum(square(abs(matmul(z.reshape({2, 2}), w.reshape({2, 2})))));
       }},
      {"tanh", [](Array z, Array w) { return sum(abs(tanh(z * w))); }},
      {"where", [](Array z, Array w) { return sum(abs(where(real(z) > 0, z * w, w))); }},
      {"prod", [](Array z, Array) { return abs(prod(z)); }},
      {"cumsum", [](Array z, Array w) { return sum(abs(cumsum(z, 0) * w)); }},
      {"pow", [](Array z, Array w) { return sum(real(pow(z, w))); }},
  };
  return list;
}

const std::map<std::string, OfOne>& holomorphic_functions() {
  static const std::map<std::string, OfOne> list = {
      {"square", [](Array z) { return sum(z * z); }},
      {"exp", [](Array z) { return sum(exp(z)); }},
      {"expm1", [](Array z) { return sum(expm1(z / 3)); }},
      {"log1p", [](Array z) { return sum(log1p(z / 3)); }},
      {"sin", [](Array z) { return sum(sin(z) * z); }},
      {"cos", [](Array z) { return sum(cos(z) / z); }},
      {"tanh", [](Array z) { return sum(tanh(z)); }},
      {"sqrt", [](Array z) { return sum(sqrt(z)); }},
      {"log", [](Array z) { return sum(log(z)); }},
      {"rsqrt", [](Array z) { return sum(rsqrt(z)); }},
      {"prod", [](Array z) { return prod(z); }},
      {"logistic", [](Array z) { return sum(logistic(z)); }},
      {"tan", [](Array z) { return sum(tan(z)); }},
      {"sinh", [](Array z) { return sum(sinh(z)); }},
      {"cosh", [](Array z) { return sum(cosh(z)); }},
      {"asin", [](Array z) { return sum(asin(z)); }},
      {"acos", [](Array z) { return sum(acos(z)); }},
      {"atan", [](Array z) { return sum(atan(z)); }},
      {"asinh", [](Array z) { return sum(asinh(z)); }},
      {"acosh", [](Array z) { return sum(acosh(z)); }},
      {"atanh", [](Array z) { return sum(atanh(z)); }},
      {"exp2", [](Array z) { return sum(exp2(z)); }},
      {"log2", [](Array z) { return sum(log2(z)); }},
  };
  return list;
}

Array z() {
  return Array::from(std::vector<C128>{{0.3, -0.5}, {-1.2, 0.7}, {0.8, 1.1}, {2.1, -0.2}});
}
Array w() {
  return Array::from(std::vector<C128>{{1.1, 0.4}, {0.2, -0.9}, {-0.8, 0.3}, {0.5, 1.6}});
}

void append(std::vector<C128>& list, const Array& array) {
  for (C128 number : array.astype(DType::kC128).reshape({-1}).to_vector<C128>()) list.push_back(number);
}

// Of both branches, the one near a magnitude of 1 and the one far from it, each logarithm is taken once.
TEST(ComplexTest, LogarithmsOfOneAndMore) {
  const auto f = jit([](Array x) { return log1p(x); });
  std::vector<C128> points;
  for (const double size : {1e-9, 0.1, 0.6, 0.9, 1.1, 1.9, 2.1, 2.7, 2.9, 5.0, 1e200}) {
    for (int i = 0; i < 12; ++i)
      points.push_back(std::polar(size, 0.1 + i * 0.55) - (size < 0.05 ? 0.0 : 1.0));
  }
  const Array x = Array::from(points);
  const std::vector<C128> found = f(x).to_vector<C128>();
  for (size_t i = 0; i < points.size(); ++i) {
    using Wide = std::complex<long double>;
    const Wide sum = Wide(points[i]) + Wide(1);
    const long double re = points[i].real(), im = points[i].imag(), more = re * (re + 2) + im * im;
    const long double size = std::abs(sum) < 1e9 ? std::log1p(more) / 2 : std::log(std::abs(sum));
    EXPECT_NEAR(found[i].real(), static_cast<double>(size),
                4e-15 * (std::min(1.0, std::abs(points[i])) + std::abs(size)))
        << points[i];
    EXPECT_NEAR(found[i].imag(), static_cast<double>(std::arg(sum)), 1e-15) << points[i];
  }
  const std::string text = f.compile(x).text();
  const auto count = [&](const std::string& op) {
    int times = 0;
    for (size_t at = text.find(op); at != std::string::npos; at = text.find(op, at + 1)) ++times;
    return times;
  };
  EXPECT_EQ(count(" log1p("), 1) << text;
  EXPECT_EQ(count(" log("), 1) << text;
}

TEST(ComplexTest, ValuesAndDerivativesAreThoseOfJax) {
  std::ifstream file(INGOT_TEST_DIR "/golden/jax_complex.txt");
  int checked = 0;
  for (std::string line; std::getline(file, line); ++checked) {
    std::istringstream words(line);
    std::string kind, name;
    words >> kind >> name;
    std::vector<C128> want, got;
    for (double re, im; words >> re >> im;) want.emplace_back(re, im);
    if (kind == "real") {
      const OfTwo& f = real_functions().at(name);
      const auto [value, gradients] = value_and_grad<0, 1>(f)(z(), w());
      EXPECT_EQ(value.dtype(), DType::kF64);
      EXPECT_EQ(std::get<0>(gradients).dtype(), DType::kC128);
      append(got, value);
      append(got, std::get<0>(gradients));
      append(got, std::get<1>(gradients));
    } else if (kind == "holomorphic") {
      const OfOne& f = holomorphic_functions().at(name);
      append(got, f(z()));
      append(got, grad(f, kHolomorphic)(z()));
    } else {
      const auto f = [](Array a, Array b) { return conj(a) * b; };
      if (kind == "jvp") {
        const auto [value, tangent] = jvp(f, std::tuple(z(), w()), std::tuple(w(), z()));
        append(got, value);
        append(got, tangent);
      } else {
        const auto [value, pull] = vjp(f, std::tuple(z(), w()));
        const auto [ct_z, ct_w] = pull(z() * w());
        append(got, ct_z);
        append(got, ct_w);
      }
    }
    ASSERT_EQ(got.size(), want.size()) << line;
    for (size_t i = 0; i < got.size(); ++i)
      EXPECT_NEAR(std::abs(got[i] - want[i]), 0, 1e-12 * (1 + std::abs(want[i])))
          << kind << " " << name << " " << i;
  }
  EXPECT_EQ(checked, 40);
}

TEST(ComplexTest, ExpAndLogAroundOneKeepTheirDigits) {
  const std::vector<C64> tiny = {{1e-12f, 3e-11f}, {-4e-9f, 1e-20f}};
  for (const auto& f : {expm1, log1p}) {
    const auto of_tiny = jit([&](Array z) { return f(z); })(Array::from(tiny)).to_vector<C64>();
    for (size_t i = 0; i < tiny.size(); ++i)
      EXPECT_LT(std::abs(of_tiny[i] - tiny[i]), 1e-6f * std::abs(tiny[i]));
  }
  EXPECT_THROW(erf(Array::from(tiny)), Error);
}

constexpr double kInf = std::numeric_limits<double>::infinity();

const std::map<std::string, OfOne>& library_functions() {
  static const std::map<std::string, OfOne> list = {
      {"exp", [](Array z) { return exp(z); }},
      {"expm1", [](Array z) { return expm1(z); }},
      {"log", [](Array z) { return log(z); }},
      {"log1p", [](Array z) { return log1p(z); }},
      {"sin", [](Array z) { return sin(z); }},
      {"cos", [](Array z) { return cos(z); }},
      {"tanh", [](Array z) { return tanh(z); }},
      {"sqrt", [](Array z) { return sqrt(z); }},
      {"rsqrt", [](Array z) { return rsqrt(z); }},
      {"tan", [](Array z) { return tan(z); }},
      {"sinh", [](Array z) { return sinh(z); }},
      {"cosh", [](Array z) { return cosh(z); }},
      {"asin", [](Array z) { return asin(z); }},
      {"acos", [](Array z) { return acos(z); }},
      {"atan", [](Array z) { return atan(z); }},
      {"asinh", [](Array z) { return asinh(z); }},
      {"acosh", [](Array z) { return acosh(z); }},
      {"atanh", [](Array z) { return atanh(z); }},
      {"sign", [](Array z) { return sign(z); }},
      {"logistic", [](Array z) { return logistic(z); }},
      {"abs", [](Array z) { return complex(abs(z), 0 * real(z)); }},
      {"over itself", [](Array z) { return z / z; }},
      {"over its mirror image", [](Array z) { return z / complex(imag(z), real(z)); }},
      {"one over", [](Array z) { return 1 / z; }},
      {"half of", [](Array z) { return z / C64(1, 1); }},
  };
  return list;
}

// Compiled against interpreted: within some units in the last place of the magnitude, be that a number or
// not; results below the least normal number may be zero. A part that is infinite or NaN is so in both.
template <class C>
void compare_far_away(std::vector<typename C::value_type> sizes) {
  using T = typename C::value_type;
  std::vector<C> points;
  for (size_t i = 0, n = sizes.size(); i < n; ++i) sizes.push_back(-sizes[i]);
  for (T re : sizes) {
    for (T im : sizes) points.emplace_back(re, im);
  }
  int checked = 0;
  for (const auto& [name, f] : library_functions()) {
    const Array z = Array::from(points);
    const auto got = jit(f)(z).template to_vector<C>(),
               want = jit(f, {.interpret = true})(z).template to_vector<C>();
    for (size_t i = 0; i < points.size(); ++i) {
      T size = 0;  // of the greater part that is a number
      for (const T part : {want[i].real(), want[i].imag()})
        if (std::isfinite(part)) size = std::max(size, std::fabs(part));
      const T allowed =
          std::max(16 * std::numeric_limits<T>::epsilon() * size, std::numeric_limits<T>::min());
      const auto same = [&](T a, T b) {
        if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
        return a == b || (std::isfinite(a) && std::isfinite(b) && std::fabs(a - b) <= allowed);
      };
      EXPECT_TRUE(same(got[i].real(), want[i].real()) && same(got[i].imag(), want[i].imag()))
          << name << " of " << points[i] << " is " << got[i] << ", not " << want[i];
      ++checked;
    }
  }
  EXPECT_EQ(checked, static_cast<int>(points.size() * library_functions().size()));
}

TEST(ComplexTest, FarAwayAndTinyNumbersAreThoseOfTheInterpreter) {
  compare_far_away<C64>({0, 1, 1e-30f, 1e-38f, 1e-45f, 0.3f, 50, 88, 88.8f, 89, 90, 710, 1e19f, 3e38f});
  compare_far_away<C128>(
      {0, 1, 1e-30, 1e-38, 1e-310, 5e-324, 0.3, 88, 300, 709.9, 710, 711, 1e19, 1e200, 1.5e308});
}

// Every pair of zeros, ones, infinities and NaN as parts: all functions of one, products and quotients of
// two.
TEST(ComplexTest, SpecialNumbersAreThoseOfTheInterpreter) {
  const std::vector<double> parts = {0, -0.0, 1, -1, 0.5, kInf, -kInf, std::nan("")};
  std::vector<C128> points, left, right;
  for (double re : parts) {
    for (double im : parts) points.emplace_back(re, im);
  }
  for (C128 x : points) {
    for (C128 y : points) {
      left.push_back(x);
      right.push_back(y);
    }
  }
  const auto compare = [](const std::string& name, const auto& f, DType dtype, const auto&... z) {
    const auto got = jit(f)(z.astype(dtype)...).astype(DType::kC128).template to_vector<C128>();
    const auto want =
        jit(f, {.interpret = true})(z.astype(dtype)...).astype(DType::kC128).template to_vector<C128>();
    const double tolerance = dtype == DType::kC128 ? 1e-12 : 1e-5;
    const auto same = [tolerance](double a, double b) {
      return a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) < tolerance * (1 + std::abs(b));
    };
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_TRUE(same(got[i].real(), want[i].real()) && same(got[i].imag(), want[i].imag()))
          << name << " of pair " << i << " is " << got[i] << ", not " << want[i];
    }
  };
  const Array z = Array::from(points), x = Array::from(left), y = Array::from(right);
  for (DType dtype : {DType::kC64, DType::kC128}) {
    for (const auto& [name, f] : library_functions()) compare(name, f, dtype, z);
    compare(
        "product", [](Array a, Array b) { return a * b; }, dtype, x, y);
    compare(
        "quotient", [](Array a, Array b) { return a / b; }, dtype, x, y);
  }
}

// As C99 (annex G) and JAX have it. NaN is any.
TEST(ComplexTest, InfinitiesInRootsAndExponentials) {
  const double nan = std::nan("");
  const auto expect = [](const std::string& name, const std::vector<std::pair<C128, C128>>& cases) {
    for (const auto& [z, want] : cases) {
      const auto check = [&](C128 got) {
        const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
        EXPECT_TRUE(same(got.real(), want.real()) && same(got.imag(), want.imag()))
            << name << " of " << z << " is " << got << ", not " << want;
      };
      const auto f = jit(library_functions().at(name));
      check(f(Array::from(std::vector<C128>{z})).to_vector<C128>()[0]);
      check(f(Array::from(std::vector<C64>{C64(z)})).to_vector<C64>()[0]);
    }
  };
  expect("sqrt", {{{1, kInf}, {kInf, kInf}},
                  {{0, -kInf}, {kInf, -kInf}},
                  {{nan, kInf}, {kInf, kInf}},
                  {{kInf, -kInf}, {kInf, -kInf}},
                  {{-kInf, kInf}, {kInf, kInf}},
                  {{kInf, 1}, {kInf, 0}},
                  {{-kInf, -1}, {0, -kInf}},
                  {{kInf, nan}, {kInf, nan}},
                  {{nan, 0}, {nan, nan}}});
  expect("exp", {{{kInf, 0}, {kInf, 0}},
                 {{kInf, 2}, {-kInf, kInf}},
                 {{kInf, kInf}, {kInf, nan}},
                 {{kInf, nan}, {kInf, nan}},
                 {{-kInf, kInf}, {0, 0}},
                 {{-kInf, nan}, {0, 0}},
                 {{1e30, 0}, {kInf, 0}},
                 {{nan, 0}, {nan, 0}}});
  expect("sin", {{{0, kInf}, {0, kInf}}, {{0, -1e30}, {0, -kInf}}});
  expect("cos", {{{0, kInf}, {kInf, 0}}, {{0, -1e30}, {kInf, 0}}});
  expect("tanh", {{{kInf, kInf}, {1, 0}}, {{-kInf, -kInf}, {-1, 0}}, {{kInf, nan}, {1, 0}}});
  expect("log", {{{-kInf, nan}, {kInf, nan}}, {{0, 0}, {-kInf, 0}}});
  expect("one over", {{{0, 0}, {kInf, nan}},
                      {{-0.0, 0}, {-kInf, nan}},
                      {{kInf, -kInf}, {0, 0}},
                      {{-kInf, 1}, {0, 0}},
                      {{nan, 1}, {nan, nan}}});
  expect("rsqrt", {{{0, 0}, {kInf, nan}}, {{1, kInf}, {0, 0}}, {{kInf, 0}, {0, 0}}});
  expect("logistic", {{{-kInf, kInf}, {0, 0}}, {{kInf, -kInf}, {1, 0}}});
}

TEST(ComplexTest, DtypesMeetAsInJax) {
  const Array c = Array::ones({2}, DType::kC64);
  EXPECT_EQ((c + Array::ones({2})).dtype(), DType::kC64);
  EXPECT_EQ((c + Array::ones({2}, DType::kF64)).dtype(), DType::kC128);
  EXPECT_EQ((Array::ones({2}, DType::kS32) * c).dtype(), DType::kC64);
  EXPECT_EQ((Array::ones({2}, DType::kBF16) * c).dtype(), DType::kC64);
  EXPECT_EQ((c * 2.5).dtype(), DType::kC64);
  EXPECT_EQ((Array::ones({2}) * C128(0, 1)).dtype(), DType::kC64);
  EXPECT_EQ((Array::ones({2}, DType::kF64) * C64(0, 1)).dtype(), DType::kC128);
  EXPECT_EQ((c * C128(0, 1)).to_vector<C64>(), (std::vector<C64>{{0, 1}, {0, 1}}));
  EXPECT_EQ(Array(C128(1, 2)).dtype(), DType::kC128);
  EXPECT_EQ(abs(c).dtype(), DType::kF32);
  EXPECT_EQ(real(Array::ones({2})).to_vector<float>(), (std::vector<float>{1, 1}));
}

TEST(ComplexTest, PartsAndArithmeticInPrograms) {
  const auto f = jit([](Array a, Array b) {
    const Array c = complex(a, b);
    return std::tuple(c * conj(c), sum(c, 0), c.T(), matmul(c, c.T()), c == c);
  });
  const Array a = testing::counting({2, 3}), b = testing::counting({2, 3}, 1.0f);
  const auto [square, sums, turned, product, same] = f(a, b);
  EXPECT_EQ(square[1].to_vector<C64>(), (std::vector<C64>{{25, 0}, {41, 0}, {61, 0}}));
  EXPECT_EQ(sums.to_vector<C64>(), (std::vector<C64>{{3, 5}, {5, 7}, {7, 9}}));
  EXPECT_EQ(turned[0].to_vector<C64>(), (std::vector<C64>{{0, 1}, {3, 4}}));
  EXPECT_EQ(product[0].to_vector<C64>()[0], C64(-9, 16));
  EXPECT_TRUE(all(same).item<bool>());
  EXPECT_EQ(real(sums).to_vector<float>(), (std::vector<float>{3, 5, 7}));
  EXPECT_EQ(to_string(sums[0]), "3.+5.i c64[]");
  EXPECT_EQ(sums[1].item<C64>(), C64(5, 7));
}

TEST(ComplexTest, LoopsBatchesAndArguments) {
  const auto step = [](Array h, Array v) {
    const Array next = h * C64(0, 1) + v;
    return std::pair(next, next);
  };
  const Array x = Array::from(std::vector<C64>{{1, 0}, {2, 0}, {3, 0}});
  const auto [last, stack] = scan(step, Array(C64(0, 0)), x);
  EXPECT_EQ(stack.to_vector<C64>(), (std::vector<C64>{{1, 0}, {2, 1}, {2, 2}}));
  EXPECT_EQ(last.item<C64>(), C64(2, 2));
  const Array m = stack.reshape({3, 1}) * Array::ones({2});
  const Array norms = vmap([](Array row) { return sum(row * conj(row)); })(m);
  EXPECT_EQ(norms.to_vector<C64>(), (std::vector<C64>{{2, 0}, {10, 0}, {16, 0}}));
  const auto twice = jit([](Array v) { return v + v; });
  const auto outer = jit([&](Array v) { return twice(v) * twice(v * C64(0, 1)); });
  EXPECT_EQ(outer(x).to_vector<C64>()[1], C64(0, 16));
  EXPECT_EQ(take(x, Array::from(std::vector<int>{2, 0})).to_vector<C64>(),
            (std::vector<C64>{{3, 0}, {1, 0}}));
  EXPECT_EQ(jit([](Array v) { return v; })(x).to_vector<C64>(), x.to_vector<C64>());
  EXPECT_NEAR(std::abs(mean(stack).item<C64>() - C64(5.0f / 3, 1)), 0, 1e-6);
}

// As in JAX, whatever the other is.
TEST(ComplexTest, ZerothPowersAndPowersOfOneAreOne) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<C64> any;
  for (const float re : {0.0f, 1.0f, 2.0f, inf, -inf, nan}) {
    for (const float im : {0.0f, -3.0f, inf, nan}) any.emplace_back(re, im);
  }
  const Array x = Array::from(any);
  const std::vector<C64> ones(any.size(), C64(1));
  EXPECT_EQ(pow(x, Array(C64(0))).to_vector<C64>(), ones);
  EXPECT_EQ(pow(Array(C64(1)), x).to_vector<C64>(), ones);
  const C64 zero_to_a_negative = pow(Array(C64(0)), Array(C64(-1))).item<C64>();
  EXPECT_TRUE(std::isnan(zero_to_a_negative.real()));
}

TEST(ComplexTest, WhatHasNoMeaningIsAnErrorAtTheUsersLine) {
  const Array c = Array::ones({2}, DType::kC64);
  const auto says = [](const std::string& text, const char* what) {
    EXPECT_NE(text.find(what), std::string::npos) << text;
    EXPECT_NE(text.find("complex_test.cc:"), std::string::npos) << text;
  };
  says(error_of([&] { c < c; }), "no order");
  says(error_of([&] { argmax(c); }), "no order");
  says(error_of([&] { median(c); }), "take real, imag or abs");
  says(error_of([&] { floor(c); }), "must hold");
  says(error_of([&] { jacfwd([](Array z) { return z * z; })(c); }), "a Jacobian has real columns");
  says(error_of([&] { jacrev([](Array x) { return complex(x, x); })(real(c)); }), "a Jacobian has real rows");
  says(error_of([&] { c.astype(DType::kF32); }), "take real, imag or abs");
  says(error_of([&] { complex(Array::ones({2}, DType::kS32), Array::ones({2}, DType::kS32)); }),
       "f32 or f64");
  says(error_of([&] { grad([](Array v) { return sum(v * v); })(c); }), "kHolomorphic");
  says(error_of([&] { grad([](Array v) { return sum(v * v); }, kHolomorphic)(Array::ones({2})); }),
       "must be complex");
  says(error_of([&] { grad([](Array v) { return sum(abs(v)); }, kHolomorphic)(c); }),
       "must return a complex scalar");
  EXPECT_NE(error_of([&] { c.to_vector<float>(); }).find("c64"), std::string::npos);
  EXPECT_NE(error_of([&] { c[0].item<float>(); }).find("no real number"), std::string::npos);
}

}  // namespace
}  // namespace ingot
