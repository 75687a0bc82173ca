// Operations of a user's own: a function with its transpose, its batching rule, its derivative, in all
// compositions.

#include "testing.h"

namespace ingot {
namespace {

using testing::error_of;

Array vector(std::vector<double> values) {
  return Array::from<double>(values);
}

void expect_near(const Array& actual, const std::vector<double>& expected) {
  const std::vector<double> values = actual.to_vector<double>();
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-10) << i;
}

// x scaled by k, with a transpose that is wrong on purpose: twice the right one.
auto scaled() {
  return custom_transpose([](Array k, Array x) { return k * x; },
                          [](Array k, Array ct) { return k * ct * 2; });
}

TEST(CustomTransposeTest, ForwardsAndBackwards) {
  const auto f = scaled();
  const Array k = vector({2, 3}), x = vector({1, 5});
  expect_near(f(k, x), {2, 15});
  expect_near(jit(f)(k, x), {2, 15});
  const auto of_x = [&](Array y) { return f(k, y); };
  expect_near(jvp(of_x, x, x).second, {2, 15});
  const auto total = [&](Array y) { return sum(f(k, y)); };
  expect_near(grad(total)(x), {4, 6});
  expect_near(jit(grad(total))(x), {4, 6});
  // In what it is not linear in, it is a function as any other.
  expect_near(grad([&](Array l) { return sum(f(l, x)); })(k), {1, 5});
  const auto both = grad<0, 1>([&](Array l, Array y) { return sum(f(l, y)); })(k, x);
  expect_near(std::get<0>(both), {1, 5});
  expect_near(std::get<1>(both), {4, 6});
  expect_near(jvp(f, std::tuple(k, x), std::tuple(k, x)).second, {4, 30});
}

TEST(CustomTransposeTest, ComposesWithItselfAndBatches) {
  const auto f = scaled();
  const Array k = vector({2, 3}), x = vector({1, 5});
  // Reverse over reverse: the transpose of the transpose is the function itself.
  const auto square_sum = [&](Array y) { return sum(square(f(k, y))); };
  expect_near(grad(square_sum)(x), {2 * 2 * 2 * 2 * 1, 2 * 2 * 3 * 3 * 5});
  expect_near(grad([&](Array y) { return sum(grad(square_sum)(y)); })(x), {16, 36});
  expect_near(hvp(square_sum, x, vector({1, 1})), {16, 36});
  const Array rows = Array::from<double>({3, 2}, {1, 2, 3, 4, 5, 6});
  expect_near(vmap(grad(square_sum))(rows), {16, 72, 48, 144, 80, 216});
  const auto outside = [&](Array l) { return sum(vmap(f, {.in_axes = {std::nullopt, 0}})(l, rows)); };
  expect_near(grad(outside)(k), {9, 12});
  const auto shared = [&](Array y) { return sum(vmap(f, {.in_axes = {0, std::nullopt}})(rows, y)); };
  expect_near(grad(shared)(x), {18, 24});
  const auto looped = [&](Array y) {
    return sum(scan([&](Array c, std::tuple<>) { return std::pair(f(k, c), std::tuple<>()); }, y,
                    std::tuple<>(), {.length = 3})
                   .first);
  };
  expect_near(grad(looped)(x), {64, 216});
  expect_near(grad(checkpoint(looped))(x), {64, 216});
}

TEST(CustomTransposeTest, Errors) {
  const Array x = vector({1, 2});
  const auto wrong =
      custom_transpose([](Array k, Array y) { return k * y; }, [](Array, Array ct) { return sum(ct); });
  EXPECT_NE(error_of([&] { wrong(x, x); })
                .find("custom_transpose: the transpose returns f64[] as cotangent, but must return f64[2], "
                      "the type of "
                      "arg1"),
            std::string::npos);
  EXPECT_NE(error_of([&] { scaled()(Array(1), Array(2)); }).find("only floating arrays can be linear"),
            std::string::npos);
}

struct Pair {
  Array a, b;
};

TEST(CustomVmapTest, TheRuleIsUsedForBatches) {
  // The rule marks what it was called with.
  const auto f = custom_vmap(
      [](Array w, Array x) {
        return Pair{w * x, x};
      },
      [](int64_t size, std::vector<bool> batched, Array w, Array x) {
        EXPECT_EQ(size, 3);
        EXPECT_EQ(batched, (std::vector<bool>{false, true}));
        EXPECT_EQ(w.rank(), 0);
        return Pair{w * x + 100, x * 2};
      });
  const Array w(2.0), x = vector({1, 2, 3});
  expect_near(f(w, Array(3.0)).a, {6});
  const auto mapped = vmap(f, {.in_axes = {std::nullopt, 0}});
  expect_near(mapped(w, x).a, {102, 104, 106});
  expect_near(mapped(w, x).b, {2, 4, 6});
  expect_near(jit(mapped)(w, x).a, {102, 104, 106});
  // The derivative of a batch is that of the rule, taken outside or inside.
  expect_near(grad([&](Array y) { return sum(mapped(w, y).b); })(x), {2, 2, 2});
  expect_near(vmap(grad([&](Array y) { return f(w, y).b; }))(x), {2, 2, 2});
  expect_near(vmap([&](Array y) { return jvp([&](Array z) { return f(w, z).a; }, y, y).second; })(x),
              {2, 4, 6});
}

TEST(CustomVmapTest, NestsAndJoinsOtherRules) {
  const auto tripled = custom_jvp([](Array x) { return x * x; },
                                  [](std::tuple<Array> x, std::tuple<Array> t) {
                                    return std::pair(std::get<0>(x) * std::get<0>(x), std::get<0>(t) * 3);
                                  });
  const auto f = custom_vmap([=](Array x) { return tripled(x); },
                             [](int64_t, std::vector<bool>, Array x) { return x + 1; });
  const Array x = Array::from<double>({2, 3}, {1, 2, 3, 4, 5, 6});
  expect_near(vmap(vmap(f))(x), {2, 3, 4, 5, 6, 7});
  expect_near(grad(f)(Array(5.0)), {3});
  expect_near(vmap(grad(f))(vector({1, 2})), {1, 1});
  const auto loop = [&](Array y) { return map(f, y); };
  expect_near(loop(vector({2, 3})), {4, 9});
  expect_near(vmap(loop)(x), {2, 3, 4, 5, 6, 7});
}

// A function whose rule computes something else, so that the derivatives show which of them was used: w
// sin(x) of one element, w x^3 of each of a batch.
auto marked() {
  return custom_vmap([](Array w, Array x) { return w * sin(x); },
                     [](int64_t, std::vector<bool>, Array w, Array x) { return w * x * x * x; });
}

TEST(CustomVmapTest, GradientsInABatchAreThoseOfTheRule) {
  const auto f = marked();
  const Array w(2.0), x = vector({1, 2, 3});
  const VmapOptions shared{.in_axes = {std::nullopt, 0}};
  expect_near(grad<1>(f)(w, Array(0.0)), {2});
  expect_near(vmap(grad<1>(f), shared)(w, x), {6, 24, 54});
  expect_near(jit(vmap(grad<1>(f), shared))(w, x), {6, 24, 54});
  expect_near(vmap(grad<0>(f), shared)(w, x), {1, 8, 27});
  const auto both = vmap(grad<0, 1>(f), shared)(w, x);
  expect_near(std::get<0>(both), {1, 8, 27});
  expect_near(std::get<1>(both), {6, 24, 54});
  const auto [value, gradient] = vmap(value_and_grad<1>(f), shared)(w, x);
  expect_near(value, {2, 16, 54});
  expect_near(gradient, {6, 24, 54});
  // A batch of weights and one x, which is the same for all.
  expect_near(vmap(grad<1>(f), {.in_axes = {0, std::nullopt}})(x, w), {12, 24, 36});
  // In what follows, and in what went before.
  const auto composed = [&](Array y) { return square(f(w, 2 * y)); };  // (16 y^3)^2
  expect_near(vmap(grad(composed))(vector({1, 2})), {1536, 1536 * 32});
  expect_near(vmap(grad(checkpoint(composed)))(vector({1, 2})), {1536, 1536 * 32});
  expect_near(vmap(vmap(grad(composed)))(Array::from<double>({2, 1}, {1, 2})), {1536, 1536 * 32});
}

TEST(CustomVmapTest, TangentsInABatchAreThoseOfTheRule) {
  const auto f = marked();
  const Array w(2.0), x = vector({1, 2, 3});
  const auto of_x = [&](Array y) { return f(w, y); };
  expect_near(vmap([&](Array y) { return jvp(of_x, y, y).second; })(x), {6, 48, 162});
  expect_near(vmap([&](Array y) { return linearize(of_x, y).second(y); })(x), {6, 48, 162});
  expect_near(vmap([&](Array y) { return vjp(of_x, y).second(y); })(x), {6, 48, 162});
  expect_near(vmap([&](Array v) { return jvp([&](Array u) { return f(u, v); }, w, v).second; })(x),
              {1, 16, 81});
  // A batch of tangents at one point is no batch of the function: it follows from the function itself.
  expect_near(vmap([&](Array t) { return jvp(of_x, Array(0.0), t).second; })(x), {2, 4, 6});
  expect_near(jacfwd(of_x)(Array(0.0)), {2});
  expect_near(jacrev([&](Array y) { return y * of_x(Array(0.0)) + f(y, Array(0.0)); })(Array(1.0)), {0});
  // Of the points of a batch it is one.
  expect_near(vmap(jacfwd(of_x))(x), {6, 24, 54});
  expect_near(vmap(jacrev(of_x))(x), {6, 24, 54});
  const auto of_two = [&](Array y) { return f(w, sum(y)) * y; };  // 2 (a + b)^3 (a, b)
  expect_near(vmap(jacfwd(of_two))(Array::from<double>({1, 2}, {1, 1})), {16 + 24, 24, 24, 16 + 24});
  expect_near(vmap(jacrev(of_two))(Array::from<double>({1, 2}, {1, 1})), {16 + 24, 24, 24, 16 + 24});
}

TEST(CustomVmapTest, DerivativesOfAnyOrderAreThoseOfTheRule) {
  const auto f = marked();
  const Array w(2.0), x = vector({1, 2, 3});
  const auto of_x = [&](Array y) { return f(w, y); };
  expect_near(vmap(grad(grad(of_x)))(x), {12, 24, 36});
  expect_near(vmap(grad(grad(grad(of_x))))(x), {12, 12, 12});
  expect_near(vmap(hessian(of_x))(x), {12, 24, 36});
  expect_near(vmap([&](Array y) { return hvp(of_x, y, y); })(x), {12, 48, 108});
  expect_near(grad([&](Array y) { return sum(vmap(grad(of_x))(y)); })(x), {12, 24, 36});
  expect_near(grad([&](Array y) { return sum(vmap(grad(grad(of_x)))(y)); })(x), {12, 12, 12});
  expect_near(
      vmap(grad<0>([&](Array v, Array y) { return grad<1>(f)(v, y); }), {.in_axes = {std::nullopt, 0}})(w, x),
      {3, 12, 27});
  const auto looped = [&](Array y) {
    return scan([&](Array c, std::tuple<>) { return std::pair(f(y, c), std::tuple<>()); }, Array(1.0),
                std::tuple<>(), {.length = 2})
        .first;  // y (y 1^3)^3
  };
  expect_near(vmap(looped)(x), {1, 16, 81});
  expect_near(vmap(grad(looped))(x), {4, 32, 108});
  expect_near(vmap(grad(grad(looped)))(x), {12, 48, 108});
}

TEST(CustomVmapTest, RulesHaveRulesInside) {
  const auto doubled =
      custom_vjp([](Array x) { return x; }, [](Array x) { return std::pair(x, std::tuple<>()); },
                 [](std::tuple<>, Array ct) { return std::tuple(2 * ct); });
  const auto inner = marked();
  const auto f = custom_vmap([](Array x) { return x; },
                             [=](int64_t, std::vector<bool>, Array x) {
                               return doubled(x) * 5 + vmap([=](Array y) { return inner(Array(1.0), y); })(x);
                             });
  expect_near(vmap(f)(vector({1, 2})), {6, 18});
  expect_near(vmap(grad(f))(vector({1, 2})), {13, 22});
  expect_near(grad(f)(Array(1.0)), {1});
  // A result that the function does not vary with, and one that is an integer.
  const auto several =
      custom_vmap([](Array x) { return std::tuple(stop_gradient(x), x, argmax(x, 0)); },
                  [](int64_t, std::vector<bool>, Array x) { return std::tuple(x * x, x, argmax(x, 1)); });
  const auto total = [&](Array x) {
    const auto [a, b, i] = several(x);
    return sum(a) + sum(b);
  };
  const Array x = Array::from<double>({2, 2}, {1, 2, 3, 4});
  expect_near(vmap(grad(total))(x), {3, 5, 7, 9});
  expect_near(grad(total)(vector({1, 2})), {1, 1});
}

TEST(CustomVmapTest, RulesOnTangentsOfOtherRules) {
  // What a custom_jvp rule does to a tangent keeps its rules.
  const auto f = custom_jvp([](Array x) { return x; },
                            [](std::tuple<Array> x, std::tuple<Array> t) {
                              return std::pair(std::get<0>(x), scaled()(Array(3.0), std::get<0>(t)));
                            });
  expect_near(jvp(f, Array(1.0), Array(1.0)).second, {3});
  expect_near(grad(f)(Array(1.0)), {6});
  const auto twice =
      custom_vmap([](Array t) { return 2 * t; }, [](int64_t, std::vector<bool>, Array t) { return 7 * t; });
  const auto g = custom_jvp([](Array x) { return x; },
                            [=](std::tuple<Array> x, std::tuple<Array> t) {
                              return std::pair(std::get<0>(x), twice(std::get<0>(t)));
                            });
  expect_near(grad(g)(Array(1.0)), {2});
  expect_near(vmap([&](Array t) { return jvp(g, Array(1.0), t).second; })(vector({1, 2})), {7, 14});
}

TEST(CustomJvpTest, PassesThroughALoopWhatTheFunctionHoldsConstant) {
  const auto rounded = custom_jvp([](Array x) { return round(x); },
                                  [](std::tuple<Array> x, std::tuple<Array> t) {
                                    return std::pair(round(std::get<0>(x)), std::get<0>(t));
                                  });
  const auto total = [&](Array xs) {
    return scan([&](Array c, Array x) { return std::pair(rounded(x) + 2 * rounded(c), std::tuple<>()); },
                Array(0.0), xs)
        .first;
  };
  expect_near(grad(total)(vector({1, 2, 3})), {4, 2, 1});
}

TEST(CustomVmapTest, RulesLiveAsLongAsWhatUsesThem) {
  const Array x = vector({1, 2});
  std::weak_ptr<int> alive;
  const auto use = [&](const auto& transformed) {
    const auto token = std::make_shared<int>(3);
    alive = token;
    const auto f = custom_vmap([](Array y) { return 2 * y; },
                               [token](int64_t, std::vector<bool>, Array y) { return *token * y; });
    transformed(f);
  };
  use([&](const auto& f) { expect_near(vmap(f)(x), {3, 6}); });
  EXPECT_TRUE(alive.expired());
  use([&](const auto& f) { expect_near(jit(vmap(grad(f)))(x), {3, 3}); });
  EXPECT_TRUE(alive.expired());
  use([&](const auto& f) { expect_near(vmap(grad([=](Array y) { return square(f(y)); }))(x), {18, 36}); });
  EXPECT_TRUE(alive.expired());
  use([&](const auto& f) { expect_near(jvp([=](Array y) { return f(y); }, x, x).second, {2, 4}); });
  EXPECT_TRUE(alive.expired());
  use([&](const auto& f) { expect_near(vjp(vmap(f), x).second(x), {3, 6}); });
  EXPECT_TRUE(alive.expired());
  // A function that is used after the one that it was made of is gone.
  const auto kept = [&] {
    const auto f =
        custom_vmap([](Array y) { return 2 * y; }, [](int64_t, std::vector<bool>, Array y) { return 3 * y; });
    return linearize([f](Array y) { return square(f(y)); }, Array(1.0)).second;
  }();
  expect_near(vmap(kept)(x), {8, 16});
}

TEST(CustomVmapTest, Errors) {
  const auto wrong = custom_vmap([](Pair p) { return p; },
                                 [](int64_t, std::vector<bool>, Pair p) {
                                   return Pair{p.a, sum(p.b)};
                                 });
  const Array x = vector({1, 2});
  const std::string error = error_of([&] { vmap(wrong)(Pair{x, x}); });
  EXPECT_NE(
      error.find(
          "custom_vmap: for a batch of 2, the rule returns f64[] as result.b, but must return f64[2], the "
          "type of result.b"),
      std::string::npos)
      << error;
}

}  // namespace
}  // namespace ingot
