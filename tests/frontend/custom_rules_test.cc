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
  // Outside of the batch the derivative is that of the rule, inside of it that of the function.
  expect_near(grad([&](Array y) { return sum(mapped(w, y).b); })(x), {2, 2, 2});
  expect_near(vmap(grad([&](Array y) { return f(w, y).b; }))(x), {1, 1, 1});
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
  expect_near(vmap(grad(f))(vector({1, 2})), {3, 3});
  const auto loop = [&](Array y) { return map(f, y); };
  expect_near(loop(vector({2, 3})), {4, 9});
  expect_near(vmap(loop)(x), {2, 3, 4, 5, 6, 7});
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
