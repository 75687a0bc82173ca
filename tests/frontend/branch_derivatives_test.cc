// Derivatives of while_loop, cond and switch_ as users meet them.
#include <gtest/gtest.h>

#include <cmath>

#include "frontend/testing.h"
#include "ingot/ingot.h"

namespace ingot {
namespace {

using testing::error_of;
using testing::f32;
using testing::line;

constexpr int kLoopLine = __LINE__ + 2;
Array doubled_until_large(const Array& x, const WhileOptions& options = {}) {
  return while_loop([](Array y) { return y < 100; }, [](Array y) { return y * 2; }, x, options);
}

TEST(BranchDerivativesTest, ReverseModeOfAWhileNeedsABound) {
  const auto f = [](Array x) { return doubled_until_large(x); };
  const std::string error = error_of([&] { make_ir(grad(f), f32({})); });
  EXPECT_EQ(error.find(line(kLoopLine) + "while: reverse mode (grad, vjp, linearize) needs a bound"), 0u)
      << error;
  EXPECT_NE(error.find("`max_steps`"), std::string::npos) << error;
  const auto bounded = [](Array x) { return doubled_until_large(x, {.max_steps = 20}); };
  EXPECT_NE(testing::traced(grad(bounded), f32({})).find("max_steps = 0"), std::string::npos);
  EXPECT_NE(testing::traced([&](Array x) { return jvp(f, x, x).second; }, f32({})).find("while"),
            std::string::npos);
}

TEST(BranchDerivativesTest, SavedResidualsSayFromWhichBranch) {
  const std::string here = std::to_string(__LINE__ + 3);
  const auto f = [](Array p, Array x) {
    return cond(
        sum(p) > 0, [](Array y) { return sin(y) * 3; }, [](Array y) { return exp(sin(y)); }, x);
  };
  EXPECT_EQ(saved_residuals(f, f32({}), f32({8})).text(),
            "f32[8]  exp, in branch 0  at branch_derivatives_test.cc:" + here +
                "\n"
                "f32[8]  cos for the derivative of sin, in branch 0  at branch_derivatives_test.cc:" +
                here +
                "\n"
                "f32[]  the argument arg0\n");
  const auto g = [](Array x) {
    return while_loop([](Array y) { return sum(y) < 100; }, [](Array y) { return exp(sin(y)); }, x,
                      {.max_steps = 20});
  };
  const std::string text = saved_residuals(g, f32({8})).text();
  EXPECT_NE(text.find("exp, in branch 1, in each of 20 steps"), std::string::npos) << text;
  EXPECT_NE(text.find("cos for the derivative of sin, in branch 1, in each of 20 steps"), std::string::npos)
      << text;
}

// --- values

Array vector(std::vector<double> values) {
  return Array::from<double>(values);
}

void expect_near(const Array& actual, const std::vector<double>& expected) {
  const std::vector<double> values = actual.to_vector<double>();
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-10) << i;
}

// Forward mode needs no bound: neither jvp nor the columns of a Jacobian, alone, in loops, in batches.
TEST(BranchDerivativesTest, ColumnsOfAWhileWithoutABound) {
  const auto f = [](Array x) { return doubled_until_large(x); };
  const Array x = vector({1.5, 30, 200});
  expect_near(jacfwd(f)(Array(1.5)), {128});
  expect_near(vmap(jacfwd(f))(x), {128, 4, 1});
  const auto steps = [](Array v, Array n) {
    return fori_loop(
        Array(0), n, [](Array i, Array y) { return y * sin(y + i.astype(y.dtype())); }, v);
  };
  const auto in_scan = [&](Array v) {
    return scan([&](Array c, Array e) { return std::pair(vmap(f)(c * e), sum(c)); }, v, vector({0.5, 2}));
  };
  const Array n(3);
  const std::vector<double> columns = jacfwd(steps)(x, n).to_vector<double>();
  for (int i = 0; i < 3; ++i) {
    const Array e = Array::from<double>({i == 0 ? 1. : 0., i == 1 ? 1. : 0., i == 2 ? 1. : 0.});
    const std::vector<double> column =
        jvp([&](Array v) { return steps(v, n); }, x, e).second.to_vector<double>();
    for (int r = 0; r < 3; ++r) EXPECT_NEAR(columns[static_cast<size_t>(3 * r + i)], column[r], 1e-12);
  }
  const auto of_scan = [&](Array v) { return in_scan(v).first; };
  expect_near(jacfwd(of_scan)(vector({8, 300})), {32, 0, 0, 1});
}

// A root, or 1/x: each is infinite or no number where the other one counts.
Array root_or_inverse(const Array& x) {
  return cond(
      x > 0, [](Array v) { return sqrt(v); }, [](Array v) { return 1 / (v - 4); }, x);
}

TEST(BranchDerivativesTest, OfABranchThatIsNotTakenNothingIsSeen) {
  const Array xs = vector({4, -1, 0, 0.25});
  const std::vector<double> first = {0.25, -1.0 / 25, -1.0 / 16, 1},
                            second = {-1.0 / 32, -2.0 / 125, -2.0 / 64, -2};
  const auto all = [](Array x) { return sum(vmap(root_or_inverse)(x)); };
  const auto along = [](Array x) {
    return jvp([](Array y) { return vmap(root_or_inverse)(y); }, x, Array::ones(x.shape(), x.dtype())).second;
  };
  expect_near(vmap(root_or_inverse)(xs), {2, -0.2, -0.25, 0.5});
  expect_near(vmap(grad(root_or_inverse))(xs), first);
  expect_near(grad(all)(xs), first);
  expect_near(jit(grad(all))(xs), first);
  expect_near(along(xs), first);
  expect_near(jit(along)(xs), first);
  expect_near(vmap(grad(grad(root_or_inverse)))(xs), second);
  expect_near(vmap(hessian(root_or_inverse))(xs), second);
  expect_near(grad([&](Array x) { return sum(grad(all)(x)); })(xs), second);
  expect_near(sum(hessian(all)(xs), 1), second);
  expect_near(grad([&](Array x) { return sum(along(x)); })(xs), second);
  for (int64_t i = 0; i < 4; ++i) {
    const auto k = static_cast<size_t>(i);
    const Array x(xs.to_vector<double>()[k]);
    expect_near(grad(root_or_inverse)(x), {first[k]});
    expect_near(hessian(root_or_inverse)(x), {second[k]});
  }
}

// Newton's method for a square root, to convergence.
Array newton(const Array& a) {
  return while_loop([&](Array x) { return abs(x * x - a) > 1e-13 * a; },
                    [&](Array x) { return (x + a / x) / 2; }, a, {.max_steps = 40});
}

TEST(BranchDerivativesTest, OfAMethodThatConverges) {
  const Array xs = vector({4, 0.25, 900, 1});
  const std::vector<double> slopes = {0.25, 1, 1.0 / 60, 1};  // at 1 no step is taken, and x is a
  expect_near(vmap(newton)(xs), {2, 0.5, 30, 1});
  expect_near(vmap(grad(newton))(xs), slopes);
  expect_near(grad([](Array x) { return sum(vmap(newton)(x)); })(xs), slopes);
  expect_near(jvp([](Array x) { return vmap(newton)(x); }, xs, Array::ones({4}, DType::kF64)).second, slopes);
  expect_near(jit(vmap(grad(newton)))(xs), slopes);
}

// Also of a gradient whose value nobody looks at, of any element.
TEST(BranchDerivativesTest, ABoundThatIsTooSmallIsAnErrorOfTheGradient) {
  const auto f = [](Array x) { return doubled_until_large(x, {.max_steps = 5}); };
  expect_near(grad(f)(Array(4.0)), {32});
  expect_near(vmap(grad(f))(vector({4, 101, 50})), {32, 1, 2});
  for (const std::string& error :
       {error_of([&] { grad(f)(Array(3.0)).to_vector<double>(); }), error_of([&] {
          vmap(grad(f))(vector({4, 3, 50})).to_vector<double>();
        }),
        error_of([&] {
          grad([&](Array x) { return sum(vmap(f)(x)); })(vector({4, 3, 50})).to_vector<double>();
        }),
        error_of([&] { jacfwd(f)(Array(3.0)).to_vector<double>(); }),
        error_of([&] { jit([&](Array x) { return jacfwd(f)(x); })(Array(3.0)).to_vector<double>(); }),
        error_of([&] {
          vectorize(f)(vector({4, 3, 50})).to_vector<double>();
        })})
    EXPECT_EQ(error.find(line(kLoopLine) + "the loop goes on after 5 steps, the bound 'max_steps'"), 0u)
        << error;
}

TEST(BranchDerivativesTest, ABoundBeyondAnyArrayIsNoBoundForReverseMode) {
  const auto f = [](Array x) { return doubled_until_large(x, {.max_steps = int64_t{1} << 49}); };
  EXPECT_EQ(f(Array(4.0)).item<double>(), 128);
  const std::string error = error_of([&] { grad(f)(Array(4.0)); });
  EXPECT_EQ(error.find(line(kLoopLine) + "while: `max_steps` is 562949953421312; reverse mode"), 0u) << error;
}

// A loop in a branch that an element does not take would not end for it.
TEST(BranchDerivativesTest, OfLoopsInBranches) {
  const auto f = [](std::optional<int64_t> max_steps) {
    return [=](Array x) {
      return cond(
          x > 0, [=](Array v) { return doubled_until_large(v, {.max_steps = max_steps}); },
          [](Array v) { return v; }, x);
    };
  };
  const Array xs = vector({1, -1}), ones = vector({1, 1});
  for (const auto& max_steps : {std::optional<int64_t>(), std::optional<int64_t>(40)}) {
    const auto all = [&](Array x) { return vmap(f(max_steps))(x); };
    expect_near(all(xs), {128, -1});
    expect_near(jvp(all, xs, ones).second, {128, 1});
  }
  expect_near(vmap(grad(f(40)))(xs), {128, 1});
  expect_near(grad([&](Array x) { return sum(vmap(f(40))(x)); })(xs), {128, 1});
}

TEST(BranchDerivativesTest, CheckpointsAndRulesHoldBranches) {
  const Array x = vector({0.5, -0.5});
  const auto kept = [](const Array& v) { return checkpoint_name(sin(v), "kept"); };
  const auto f = [&](Array p, Array v) {
    return sum(cond(
        p > 0, [&](Array u) { return exp(kept(u)); }, [&](Array u) { return kept(u) * u; }, v));
  };
  std::vector<double> positive, negative;
  for (const double v : {0.5, -0.5}) {
    positive.push_back(std::exp(std::sin(v)) * std::cos(v));
    negative.push_back(std::cos(v) * v + std::sin(v));
  }
  for (const CheckpointPolicy& policy :
       {checkpoint_policies::nothing_saveable, checkpoint_policies::everything_saveable,
        checkpoint_policies::save_only_these_names({"kept"})}) {
    const auto g = grad<1>(checkpoint(f, {.policy = policy}));
    expect_near(g(Array(1.0), x), positive);
    expect_near(g(Array(-1.0), x), negative);
  }
  // A rule that takes a branch, and a loop, with values and tangents side by side.
  const auto h = custom_jvp([](Array v) { return newton(root_or_inverse(v)); },
                            [](std::tuple<Array> at, std::tuple<Array> along) {
                              return jvp([](Array v) { return newton(root_or_inverse(v)); }, std::get<0>(at),
                                         std::get<0>(along));
                            });
  const double at = 16, slope = 1 / (4 * std::pow(at, 0.75));
  expect_near(grad(h)(Array(at)), {slope});
  expect_near(jvp(h, Array(at), Array(1.0)).second, {slope});
  expect_near(vmap(grad(h))(vector({at, at})), {slope, slope});
}

// Values and tangents of complex branches share much, and constants most of all: what several kernels hold
// copies of is nothing for one of them to wait for.
TEST(BranchDerivativesTest, OfComplexBranches) {
  const auto centered = [](Array x) { return x - sum(x, 0) / Array(std::complex<float>(5, 0)); };
  const auto tamed = [](Array x) { return x / (1.0f + abs(x)).astype(DType::kC64); };
  const Array re = sin(testing::counting({5, 2}, 0.3f)), im = cos(testing::counting({5, 2}, 0.7f));
  const Array z = complex(re, im), t = complex(im, re * 0.5f);
  const auto branches = jit([&](Array x, Array tangent, Array k) {
    return jvp([&](Array v) { return switch_(k, std::tuple{centered, tamed}, v); }, x, tangent);
  });
  const auto expect_near = [](const Array& actual, const Array& expected) {
    EXPECT_LE(max(abs(actual - expected)).item<float>(), 1e-5);
  };
  for (const int k : {0, 1}) {
    const auto [value, tangent] = branches(z, t, Array(k));
    const auto [wanted, slope] = k == 0 ? jvp(centered, z, t) : jvp(tamed, z, t);
    expect_near(value, wanted);
    expect_near(tangent, slope);
  }
}

}  // namespace
}  // namespace ingot
