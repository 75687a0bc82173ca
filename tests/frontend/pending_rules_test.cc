// Rules of custom_jvp without a state are traced where a derivative asks for them, and no sooner.
#include <atomic>
#include <functional>
#include <thread>

#include "ingot/stablehlo.h"
#include "ir/text.h"
#include "testing.h"

namespace ingot {
namespace {

using testing::error_of;
using testing::line;
using One = std::tuple<Array>;

std::atomic<int> rules_traced = 0;  // by these rules, which are without a state

// x^2, whose derivative is said to be 3 x t, so that one sees who is asked.
Array squared(Array x) {
  return x * x;
}
auto marked() {
  return custom_jvp(squared, [](One x, One t) {
    ++rules_traced;
    return std::pair(squared(std::get<0>(x)), 3 * std::get<0>(x) * std::get<0>(t));
  });
}

class PendingRulesTest : public ::testing::Test {
 protected:
  void SetUp() override { rules_traced = 0; }
  static int traced_by(const std::function<void()>& work) {
    rules_traced = 0;
    work();
    return rules_traced.load();
  }
};

std::vector<float> values(const Array& x) {
  return x.to_vector<float>();
}
using Floats = std::vector<float>;

TEST_F(PendingRulesTest, NobodyTracesThemWithoutADerivative) {
  const auto f = [](Array x) { return marked()(x) + 1; };
  const Array x({1.0f, 2.0f});
  EXPECT_EQ(values(f(x)), (Floats{2, 5}));
  EXPECT_EQ(values(jit(f)(x)), (Floats{2, 5}));
  EXPECT_EQ(values(vmap(f)(x)), (Floats{2, 5}));
  EXPECT_EQ(values(jit(vmap(vmap(f)))(x[kNewAxis])), (Floats{2, 5}));
  EXPECT_EQ(values(map(f, x)), (Floats{2, 5}));
  EXPECT_EQ(eval_shape(f, x).shape(), Shape{2});
  to_stablehlo(jit(f).lower(x));
  const auto branches = [&](Array y) {
    return cond(
        y > 1, f, [](Array z) { return z; }, y);
  };
  EXPECT_EQ(values(vmap(branches)(x)), (Floats{1, 5}));
  EXPECT_EQ(rules_traced, 0);
}

TEST_F(PendingRulesTest, DerivativesTraceThemOnce) {
  const auto f = [](Array x) { return marked()(x); };
  const Array x(2.0f), xs({1.0f, 2.0f});
  // Derivatives of functions without a state are kept, too: the rule may have been traced before.
  const auto once = [&](const std::function<void()>& work) { EXPECT_LE(traced_by(work), 1); };
  EXPECT_EQ(traced_by([&] { EXPECT_EQ(jit(grad([&](Array y) { return f(y); }))(x).item<float>(), 6); }), 1);
  once([&] { EXPECT_EQ(grad(f)(x).item<float>(), 6); });
  once([&] { EXPECT_EQ(jvp(f, x, x).second.item<float>(), 12); });
  once([&] { EXPECT_EQ(jit(grad(f))(x).item<float>(), 6); });
  once([&] { EXPECT_EQ(grad(jit(f))(x).item<float>(), 6); });
  once([&] { EXPECT_EQ(values(vmap(grad(f))(xs)), (Floats{3, 6})); });
  once([&] { EXPECT_EQ(values(grad([&](Array y) { return sum(vmap(f)(y)); })(xs)), (Floats{3, 6})); });
  once([&] { EXPECT_EQ(grad([&](Array y) { return sum(vmap(vmap(f))(y)); })(xs[kNewAxis]).size(), 2); });
  // What the rule makes is differentiated as any function is: its value x^2, its slope 3 x.
  once([&] { EXPECT_EQ(grad(grad(f))(x).item<float>(), 3); });
  const auto total = [&](Array y) {
    return scan([&](Array c, Array a) { return std::pair(c + f(a), c); }, Array(0.0f), y).first;
  };
  once([&] { EXPECT_EQ(values(grad(total)(xs)), (Floats{3, 6})); });
  // The rule of a function that is called twice, and of one that no derivative passes through.
  const auto g = jit(f);
  once([&] { EXPECT_EQ(grad([&](Array y) { return g(y) + g(2 * y); })(x).item<float>(), 30); });
}

// A rule whose loop calls another function with a rule, on values and tangents.
TEST_F(PendingRulesTest, RulesAskForRules) {
  const auto outer = custom_jvp(
      [](Array x) { return x; },
      [](One x, One t) {
        const auto [p, d] = scan(
                                [](std::tuple<Array, Array> c, Array) {
                                  const auto both = jvp(marked(), std::get<0>(c), std::get<1>(c));
                                  return std::pair(std::tuple(both.first, both.second), std::tuple<>());
                                },
                                std::tuple(std::get<0>(x), std::get<0>(t)), Array::zeros({2}))
                                .first;
        return std::pair(marked()(std::get<0>(x)) * 0 + p, d);
      });
  const Array x(2.0f);
  EXPECT_EQ(jvp(outer, x, Array(1.0f)).second.item<float>(), 6 * 12);
  EXPECT_EQ(grad(outer)(x).item<float>(), 6 * 12);
  EXPECT_EQ(values(vmap(grad(outer))(Array({2.0f, 1.0f}))), (Floats{72, 9}));
  EXPECT_EQ(jit(grad(grad(outer)))(x).shape(), Shape{});
}

// The exponential function: what its rule returns is itself.
Array own_exp(const Array& x) {
  return custom_jvp([](Array y) { return exp(y); },
                    [](One y, One t) {
                      ++rules_traced;
                      const Array value = own_exp(std::get<0>(y));
                      return std::pair(value, value * std::get<0>(t));
                    })(x);
}

TEST_F(PendingRulesTest, ARuleMayCallItsFunction) {
  const auto f = [](Array x) { return own_exp(x); };
  const Array x(1.0f);
  const float e = exp(x).item<float>();
  EXPECT_EQ(traced_by([&] { EXPECT_FLOAT_EQ(grad(f)(x).item<float>(), e); }), 1);
  EXPECT_LE(traced_by([&] { EXPECT_FLOAT_EQ(grad(grad(grad(f)))(x).item<float>(), e); }), 3);
  EXPECT_FLOAT_EQ(vmap(grad(grad(f)))(Array({1.0f})).item<float>(), e);
  EXPECT_FLOAT_EQ(jvp([&](Array y) { return grad(f)(y); }, x, x).second.item<float>(), e);
  // A program in print holds all that it needs, which here is without an end.
  EXPECT_NE(error_of([&] { make_ir(f, x); }).find("the rule of a function calls that function"),
            std::string::npos);
}

TEST_F(PendingRulesTest, APrintedProgramHoldsThem) {
  const auto f = [](Array x) { return marked()(x); };
  const std::string text = make_ir(f, Array(2.0f));
  EXPECT_EQ(rules_traced, 1);
  EXPECT_NE(text.find("jvp = @"), std::string::npos) << text;
  EXPECT_EQ(ir::to_string(*ir::parse(text)), text);
  EXPECT_NE(make_ir(vmap(f), Array({2.0f})).find("jvp = @"), std::string::npos);
}

TEST_F(PendingRulesTest, ErrorsStandAtTheUsersLine) {
  const int at = __LINE__ + 1;
  const auto f = custom_jvp([](Array x) { return sum(x); },
                            [](One x, One t) { return std::pair(sum(std::get<0>(x)), std::get<0>(t)); });
  const Array x({1.0f, 2.0f});
  EXPECT_EQ(f(x).item<float>(), 3);
  const std::string wrong = line(at) + "custom_jvp: as the tangent, the rule returns f32[2] as tangent";
  EXPECT_EQ(error_of([&] { grad(f)(x); }).find(wrong), 0u);
  EXPECT_EQ(error_of([&] { jit(vmap(grad(f)))(x[kNewAxis]); }).find(wrong), 0u);
  const int inside = __LINE__ + 3;
  const auto g = custom_jvp([](Array x) { return sum(x); },
                            [](One x, One t) {
                              return std::pair(sum(std::get<0>(x)), std::get<0>(t) + Array({1, 2, 3}));
                            });
  EXPECT_EQ(error_of([&] { grad(g)(x); }).find(line(inside)), 0u);
}

TEST_F(PendingRulesTest, ThreadsThatAskAtOnceGetTheSame) {
  const auto f = jit([](Array x) { return marked()(x) * 2; });
  const Array x(2.0f);
  EXPECT_EQ(f(x).item<float>(), 8);
  std::atomic<int> right = 0;
  const auto traced = traced_by([&] {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        right += grad(f)(x).item<float>() == 12;
        right += vmap(grad(f))(x[kNewAxis]).item<float>() == 12;
      });
    for (std::thread& thread : threads) thread.join();
  });
  EXPECT_EQ(right, 8);
  EXPECT_GE(traced, 1);
}

// What a rule refers to may be gone when a derivative is taken.
TEST_F(PendingRulesTest, RulesWithAStateAreTracedAtTheCall) {
  const auto f = [](Array x) {
    const float factor = 5;
    return custom_jvp(squared, [&factor](One y, One t) {
      ++rules_traced;
      return std::pair(squared(std::get<0>(y)), factor * std::get<0>(t));
    })(x);
  };
  EXPECT_EQ(traced_by([&] { f(Array(2.0f)); }), 1);
  EXPECT_EQ(grad(f)(Array(2.0f)).item<float>(), 5);
}

TEST_F(PendingRulesTest, RulesAmongNamedAxes) {
  const auto f = [](Array x) {
    return custom_jvp(
        [](Array y) { return psum(y, "i"); },
        [](One y, One t) { return std::pair(psum(std::get<0>(y), "i"), 2 * psum(std::get<0>(t), "i")); })(x);
  };
  const Array x({1.0f, 2.0f});
  EXPECT_EQ(values(jvp(vmap(f, {.axis_name = "i"}), x, x).second), (Floats{6, 6}));
}

}  // namespace
}  // namespace ingot
