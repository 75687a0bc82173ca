// Derivatives as a user takes them: trees, composition, rules of one's own, errors.
#include "ingot/autodiff.h"

#include <cmath>
#include <functional>

#include "../../examples/programs/tdma.h"
#include "frontend/testing.h"

namespace ingot {
namespace {

using testing::counting;
using testing::error_of;
using testing::line;

struct Params {
  Array w, b;
};

Array loss(Params p, Array x, Array y) {
  return sum(square(dot(x, p.w) + p.b - y));
}

Array vector(std::vector<double> values) {
  return Array::from<double>(values);
}

double value(const Array& x) {
  return x.item<double>();
}

void expect_near(const Array& actual, const std::vector<double>& expected, double tolerance = 1e-10) {
  const std::vector<double> values = actual.to_vector<double>();
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], tolerance) << i;
}

TEST(AutodiffTest, GradientOfAStructHasItsType) {
  const Params p{Array::from<double>({2, 1}, {1, 2}), vector({0.5})};
  const Array x = Array::from<double>({3, 2}, {1, 2, 3, 4, 5, 6}), y = Array::from<double>({3, 1}, {1, 2, 3});
  const Params g = grad(loss)(p, x, y);
  // d = xw + b - y = {4.5, 9.5, 14.5}
  expect_near(g.b, {57});
  expect_near(g.w, {2 * (4.5 + 3 * 9.5 + 5 * 14.5), 2 * (2 * 4.5 + 4 * 9.5 + 6 * 14.5)});
  EXPECT_EQ(g.w.shape(), (Shape{2, 1}));

  const auto [l, again] = value_and_grad(loss)(p, x, y);
  EXPECT_NEAR(value(l), 4.5 * 4.5 + 9.5 * 9.5 + 14.5 * 14.5, 1e-9);
  expect_near(again.b, {57});
  const auto [gx, gp] = grad<1, 0>(loss)(p, x, y);
  EXPECT_EQ(gx.shape(), (Shape{3, 2}));
  expect_near(gp.b, {57});
}

Array sum_of_sines(Array x) {
  return sum(sin(x));
}

TEST(AutodiffTest, TakesTheNameOfAFunction) {
  const Array x = vector({0, 1});
  const double slope = std::cos(1.0);
  expect_near(grad(sum_of_sines)(x), {1, slope});
  expect_near(vjp(sum_of_sines, x).second(Array(2.0)), {2, 2 * slope});
  expect_near(jvp(sum_of_sines, x, x).second, {slope});
  expect_near(linearize(sum_of_sines, std::tuple(x)).second(std::tuple(x)), {slope});
  expect_near(hvp(sum_of_sines, x, x), {0, -std::sin(1.0)});
  EXPECT_EQ(eval_shape(sum_of_sines, x).shape(), Shape{});
  EXPECT_FALSE(saved_residuals(sum_of_sines, x).text().empty());
}

TEST(AutodiffTest, Auxiliary) {
  const auto f = [](Array x) {
    const Array y = sin(x);
    return std::pair(sum(y), std::tuple(y, iota(DType::kS32, {2}, 0)));
  };
  const auto [g, aux] = grad(f, kHasAux)(vector({0, 1}));
  expect_near(g, {1, std::cos(1)});
  expect_near(std::get<0>(aux), {0, std::sin(1)});
  EXPECT_EQ(std::get<1>(aux).to_vector<int32_t>(), (std::vector<int32_t>{0, 1}));
  const auto [both, g2] = value_and_grad(f, kHasAux)(vector({0, 1}));
  EXPECT_NEAR(value(both.first), std::sin(1), 1e-12);
  expect_near(g2, {1, std::cos(1)});
}

TEST(AutodiffTest, ComposesWithItselfAndJit) {
  const auto f = [](Array x) { return sin(x) * x; };
  const double x = 0.7;
  const double first = std::cos(x) * x + std::sin(x), second = 2 * std::cos(x) - x * std::sin(x),
               third = -3 * std::sin(x) - x * std::cos(x);
  EXPECT_NEAR(value(grad(f)(x)), first, 1e-12);
  EXPECT_NEAR(value(jit(grad(f))(x)), first, 1e-12);
  EXPECT_NEAR(value(grad(jit(f))(x)), first, 1e-12);
  EXPECT_NEAR(value(grad(grad(f))(x)), second, 1e-12);
  EXPECT_NEAR(value(jit(grad(jit(grad(jit(f)))))(x)), second, 1e-12);
  EXPECT_NEAR(value(grad(grad(grad(f)))(x)), third, 1e-12);
  EXPECT_NEAR(value(jvp(grad(f), Array(x), Array(2.0)).second), 2 * second, 1e-12);
  const auto directional = [&](Array at) { return jvp(f, at, Array(1.0)).second; };
  EXPECT_NEAR(value(grad(directional)(x)), second, 1e-12);
  EXPECT_NEAR(value(jit(directional)(x)), first, 1e-12);
}

TEST(AutodiffTest, ClosuresAreConstantsForTheInnerAndNotForTheOuterDerivative) {
  // d/dy (d/dx (x y^2)) = 2 y
  const auto outer = [](Array y) { return grad([&](Array x) { return x * y * y; })(Array(3.0)); };
  EXPECT_NEAR(value(outer(Array(5.0))), 25, 1e-12);
  EXPECT_NEAR(value(grad(outer)(5.0)), 10, 1e-12);
  EXPECT_NEAR(value(jit(grad(outer))(5.0)), 10, 1e-12);
}

TEST(AutodiffTest, PullbackAndLinearFunctionAtAPoint) {
  const auto f = [](Array x, Array y) { return std::tuple(x * y, sin(x)); };
  const Array x = vector({1, 2}), y = vector({3, 4});
  const auto [result, pullback] = vjp(f, std::tuple(x, y));
  expect_near(std::get<0>(result), {3, 8});
  const auto [gx, gy] = pullback({vector({1, 10}), vector({1, 0})});
  expect_near(gx, {3 + std::cos(1), 40});
  expect_near(gy, {1, 20});
  expect_near(std::get<1>(pullback({vector({0, 1}), vector({0, 0})})), {0, 2});

  const auto [same, linear] = linearize(f, std::tuple(x, y));
  const auto [t0, t1] = linear({vector({1, 0}), vector({0, 1})});
  expect_near(t0, {3, 2});
  expect_near(t1, {std::cos(1), 0});
  const auto [r, t] = jvp(f, std::tuple(x, y), std::tuple(vector({1, 0}), vector({0, 1})));
  expect_near(std::get<0>(t), {3, 2});

  const auto in_program = jit([&](Array a) {
    const auto [z, back] = vjp([](Array v) { return tanh(v); }, a);
    return back(z);
  });
  const double z = std::tanh(0.5);
  EXPECT_NEAR(value(in_program(Array(0.5))), z * (1 - z * z), 1e-12);
}

TEST(AutodiffTest, Jacobians) {
  const auto f = [](Array x) { return stack({x[0] * x[1], sin(x[2]), x[0], x[2] * x[2]}); };
  const Array x = vector({2, 3, 0.5});
  const std::vector<double> expected = {3, 2, 0, 0, 0, std::cos(0.5), 1, 0, 0, 0, 0, 1};
  for (const Array& j : {jacfwd(f)(x), jacrev(f)(x), jit(jacrev(jit(f)))(x)}) {
    EXPECT_EQ(j.shape(), (Shape{4, 3}));
    expect_near(j, expected);
  }
  const auto trees = [](Params p) { return Params{p.w * p.b, sum(p.w)}; };
  for (const std::vector<Params>& j :
       {jacfwd(trees)(Params{x, Array(2.0)}), jacrev(trees)(Params{x, Array(2.0)})}) {
    ASSERT_EQ(j.size(), 2u);
    expect_near(j[0].w, {2, 0, 0, 0, 2, 0, 0, 0, 2});
    expect_near(j[0].b, {2, 3, 0.5});
    expect_near(j[1].w, {1, 1, 1});
    expect_near(j[1].b, {0});
  }
  const auto cubes = [](Array v) { return sum(v * v * v) + v[0] * v[1]; };
  expect_near(hessian(cubes)(x), {12, 1, 0, 1, 18, 0, 0, 0, 3});
  expect_near(jacrev(jacfwd(cubes))(x), {12, 1, 0, 1, 18, 0, 0, 0, 3});
}

TEST(AutodiffTest, PerSampleGradients) {
  const auto sample_loss = [](Params p, Array x) { return square(dot(x, p.w) + p.b); };
  const Params p{vector({1, 2}), Array(1.0)};
  const Array x = Array::from<double>({3, 2}, {1, 0, 0, 1, 1, 1});
  const auto gradients = jit(vmap(grad(sample_loss), {.in_axes = {std::nullopt, 0}}));
  const Params g = gradients(p, x);
  expect_near(g.b, {4, 6, 8});
  expect_near(g.w, {4, 0, 0, 6, 8, 8});
  const auto total = [&](Params q) { return sum(vmap(sample_loss, {.in_axes = {std::nullopt, 0}})(q, x)); };
  expect_near(grad(total)(p).w, {12, 14});
}

// All gradients of each sample in one row: outer products and vectors go straight to their places.
TEST(AutodiffTest, PerSampleGradientsAreWrittenOnce) {
  const auto network = [](Params p, Array x) { return sum(square(tanh(dot(x, p.w) + p.b))); };
  const auto joined = [=](Params p, Array x) {
    const Params g = grad(network)(p, x);
    return concatenate({reshape(g.w, {g.w.size()}), g.b});
  };
  const auto samples = [=](Array w, Array b, Array x) {
    return vmap([=](Array xi) { return joined(Params{w, b}, xi); })(x);
  };
  const Array w = counting({24, 32}, 0.0) * 1e-3, b = counting({32}, 0.0) * 1e-2;
  const Array x = sin(counting({64, 24}, 0.0));
  const Compiled compiled = jit(samples).compile(w, b, x);
  int64_t written = 0;
  for (const KernelInfo& kernel : compiled.kernels()) written += kernel.launches * kernel.bytes_written;
  const Array all = jit(samples)(w, b, x);
  EXPECT_LT(written, 1.2 * 8 * static_cast<double>(all.size()));
  for (int64_t i : {0, 63}) {
    expect_near(reshape(slice_axis(all, 0, i, i + 1), {25 * 32}),
                joined(Params{w, b}, reshape(slice_axis(x, 0, i, i + 1), {24})).to_vector<double>());
  }
}

TEST(AutodiffTest, RulesOfOnesOwnUnderVmap) {
  const auto tripled = custom_jvp([](Array x) { return sin(x); },
                                  [](std::tuple<Array> primals, std::tuple<Array> tangents) {
                                    return std::pair(sin(std::get<0>(primals)), std::get<0>(tangents) * 3);
                                  });
  const Array x = vector({1, 2, 3});
  expect_near(grad([&](Array v) { return sum(vmap(tripled)(v)); })(x), {3, 3, 3});
  expect_near(vmap(grad(tripled))(x), {3, 3, 3});
  const auto reversed = custom_vjp([](Array a, Array k) { return a * k; },
                                   [](Array a, Array k) { return std::pair(a * k, std::pair(a, k)); },
                                   [](std::pair<Array, Array> kept, Array ct) {
                                     return std::tuple(ct * kept.second * 2, ct * kept.first);
                                   });
  const auto mapped = [&](Array v, Array k) {
    return sum(vmap(reversed, {.in_axes = {0, std::nullopt}})(v, k) * vector({1, 2, 3}));
  };
  const auto [gx, gk] = grad<0, 1>(mapped)(x, Array(5.0));
  expect_near(gx, {10, 20, 30});
  expect_near(gk, {1 + 4 + 9});
}

TEST(AutodiffTest, StatelessFunctionsAreDerivedOnce) {
  const auto f = [](Array x) { return sum(x * x); };
  const auto a = grad(f), b = grad(f);
  a(vector({1, 2}));
  b(vector({1, 2}));
  EXPECT_EQ(b.trace_count(), 1);
}

// What is derived outside of a program is traced once, too.
TEST(AutodiffTest, StatelessFunctionsAreTracedOnceForPullbacksAndTangents) {
  static int traces = 0;
  const auto f = [](Params p) {
    ++traces;
    return Params{p.w * p.b, sin(p.w)};
  };
  for (int i = 1; i < 4; ++i) {
    const Params p{vector({1.0 * i, 2}), vector({3, 4})};
    const auto [result, pullback] = vjp(f, p);
    expect_near(result.w, {3.0 * i, 8});
    expect_near(pullback(result).b, {3.0 * i * i, 16});
    const auto [same, linear] = linearize(f, p);
    expect_near(linear(p).w, {6.0 * i, 16});
    expect_near(jvp(f, p, p).second.w, {6.0 * i, 16});
  }
  EXPECT_EQ(traces, 1);
  const Params other{Array(1.0), vector({3, 4})};
  expect_near(vjp(f, other).second(Params{vector({1, 1}), Array(0.0)}).w, {7});
  EXPECT_EQ(traces, 2);
  // Inside of a program it belongs to that.
  const auto inside = jit([&](Array x) { return jvp(f, Params{x, x}, Params{x, x}).second.w; });
  expect_near(inside(vector({3})), {18});
}
// Where f is linear in pieces, half of the sum of f^2 has the Hessian J' J of its Jacobian J, at ties too:
// the value within a derivative has the derivatives that the value itself has.
TEST(AutodiffTest, SecondDerivativesAtTiesAreThoseOfTheFirst) {
  const auto image = [](const Array& x) { return reshape(x, {1, 3, 2, 1}); };
  const auto line = [](const Array& x) { return reshape(x, {1, 6, 1}); };
  struct Case {
    const char* name;
    std::function<Array(Array)> function;
  };
  const std::vector<Case> functions = {
      {"max_pool", [=](Array x) { return max_pool(line(x), {2}); }},
      {"min_pool", [=](Array x) { return min_pool(line(x), {3}, {.strides = {2}}); }},
      {"max_pool of an image",
       [=](Array x) {
         return max_pool(image(x), {2, 2}, {.padding = ConvPadding::kSame});
       }},
      {"min_pool of an image",
       [=](Array x) {
         return min_pool(image(x), {3, 2});
       }},
      {"max_pool of max_pool", [=](Array x) { return max_pool(max_pool(line(x), {2}), {3}); }},
      {"max_pool of relu", [=](Array x) { return max_pool(relu(line(x)), {2}); }},
      {"a long max_pool",
       [=](Array x) {
         return max_pool(line(x), {70}, {.padding = {{35, 35}}});
       }},
      {"reduce_window",
       [=](Array x) {
         return reduce_window([](Array a, Array b) { return maximum(a, b); }, x, Array(-1e30), {3});
       }},
      {"cummax", [](Array x) { return cummax(x); }},
      {"cummin", [](Array x) { return cummin(x, 0, true); }},
      {"max",
       [](Array x) {
         return max(reshape(x, {2, 3}), 1);
       }},
      {"min", [](Array x) { return min(x); }},
      {"maximum", [](Array x) { return maximum(x, 2.0 - x); }},
      {"minimum", [](Array x) { return minimum(x, 1.0); }},
      {"clip", [](Array x) { return clip(x, 0, 1); }},
      {"relu", [](Array x) { return relu(x) + 1.0; }},
      {"abs", [](Array x) { return abs(x) + 1.0; }},
      {"the element at argmax", [](Array x) { return take(x, argmax(x, 0)); }},
      {"scatter of the greatest",
       [](Array x) {
         return scatter(Scatter::kMax, x, Array::from(std::vector<int>{0, 1, 1}), x.slice({2, 5}));
       }},
      {"associative_scan",
       [](Array x) { return associative_scan([](Array a, Array b) { return maximum(a, b); }, x); }},
  };
  for (const std::vector<double>& at : {std::vector<double>{1, 1, 0, 0, 0, 1}, {2, 2, 2, 2, 2, 2}}) {
    const Array x = Array::from(at);
    for (const auto& [name, g] : functions) {
      const auto f = [&g = g](Array a) { return 0.5 * sum(square(g(a))); };
      const Array jacobian = reshape(jacfwd(g)(x), {-1, 6});
      const auto expected = dot(jacobian.T(), jacobian).to_vector<double>();
      SCOPED_TRACE(name);
      expect_near(hessian(f)(x), expected);
      expect_near(jacrev(grad(f))(x), expected);
      const auto cubes = [&f](Array a) { return sum(hessian(f)(a) * a[0]); };
      expect_near(grad(cubes)(x)[0], {sum(hessian(f)(x)).item<double>()});
    }
  }
}

TEST(AutodiffTest, HessianVectorProduct) {
  const auto f = [](Array x) { return sum(x * x * x); };
  expect_near(hvp(f, vector({1, 2}), vector({1, 1})), {6, 12});
}

TEST(AutodiffTest, IntegersHaveNoTangent) {
  struct State {
    Array x, step;
  };
  const auto f = [](State s) { return sum(s.x * s.step.astype(DType::kF64)); };
  const State g = grad(f)(State{vector({1, 2}), Array(3)});
  expect_near(g.x, {3, 3});
  EXPECT_EQ(g.step.dtype(), DType::kS32);
  EXPECT_EQ(g.step.item<int>(), 0);
  const auto counts = [](Array x) { return sum((x > 0.5).astype(DType::kF64)); };
  expect_near(grad(counts)(vector({1, 0})), {0, 0});
}

TEST(AutodiffTest, IntegersThroughEveryFunction) {
  struct State {
    Array x, n;
  };
  const auto f = [](State s) { return State{s.x * s.n.astype(DType::kF64), s.n * 2}; };
  const State s{vector({1, 2}), Array::from<int>({3, 4})}, any{vector({1, 1}), Array::from<int>({9, 9})};
  const std::vector<int> none{0, 0};
  const State pushed = jvp(f, s, any).second, pulled = vjp(f, s).second(any),
              linear = linearize(f, s).second(any);
  for (const State& t : {pushed, pulled, linear}) {
    expect_near(t.x, {3, 4});
    EXPECT_EQ(t.n.to_vector<int>(), none);
  }
  // What is given for an integer is not looked at.
  expect_near(jvp(f, s, State{vector({1, 1}), Array(0.0)}).second.x, {3, 4});
  const std::vector<State> rows = jacrev(f)(s), columns = jacfwd(f)(s);
  expect_near(rows[0].x, {3, 0, 0, 4});
  expect_near(columns[0].x, {3, 0, 0, 4});
  EXPECT_EQ(rows[0].n.type_string(), "s32[2,2]");     // of the argument
  EXPECT_EQ(columns[1].x.type_string(), "s32[2,2]");  // of the result
  expect_near(hessian([&](State q) { return sum(square(f(q).x)); })(s)[0].x, {18, 0, 0, 32});

  const auto times = [](Array x, Array n) { return std::pair(x * n.astype(DType::kF64), n); };
  const auto tripled = custom_jvp(times, [&](std::tuple<Array, Array> p, std::tuple<Array, Array> t) {
    const auto& [x, n] = p;
    return std::pair(times(x, n), std::pair(std::get<0>(t) * n.astype(DType::kF64) * 3, std::get<1>(t)));
  });
  const auto back = custom_vjp(
      times, [&](Array x, Array n) { return std::pair(times(x, n), n); },
      [](Array n, std::pair<Array, Array> ct) {
        return std::tuple(ct.first * n.astype(DType::kF64) * 3, ct.second);
      });
  expect_near(grad([&](Array x) { return sum(tripled(x, s.n).first); })(s.x), {9, 12});
  expect_near(grad([&](Array x) { return sum(back(x, s.n).first); })(s.x), {9, 12});
  expect_near(vmap(grad([&](Array x, Array n) { return tripled(x, n).first; }))(s.x, s.n), {9, 12});
  expect_near(vmap(grad([&](Array x, Array n) { return back(x, n).first; }))(s.x, s.n), {9, 12});
}

TEST(AutodiffTest, GradientsOfAllKindsOfTrees) {
  struct Model {
    std::vector<Params> layers;
    std::map<std::string, Array> named;
    std::optional<Array> scale, none;
    std::array<Array, 2> two;
    std::tuple<Array, std::pair<Array, Array>> nested;
    int depth = 2;
  };
  Model m;
  for (double i : {1.0, 2.0}) m.layers.push_back({vector({i, i}), vector({i})});
  m.named["a"] = vector({3});
  m.scale = vector({4});
  m.two = {vector({5}), vector({6})};
  m.nested = {vector({7}), {vector({8}), vector({9})}};
  const auto f = [](Model q) {
    Array total = sum(*q.scale * q.named.at("a") * q.two[1]) * q.depth;
    for (const Params& layer : q.layers) total = total + sum(layer.w * layer.b);
    return total + sum(std::get<0>(q.nested) * std::get<1>(q.nested).second);
  };
  const Model g = grad(f)(m);
  expect_near(g.layers[1].w, {2, 2});
  expect_near(g.layers[1].b, {4});
  expect_near(g.named.at("a"), {48});
  expect_near(*g.scale, {36});
  EXPECT_FALSE(g.none.has_value());
  expect_near(g.two[0], {0});
  expect_near(std::get<1>(g.nested).second, {7});
  Model wrong = m;
  wrong.layers[1].w = vector({1});
  const std::string error = error_of([&] { jvp(f, m, wrong); });
  EXPECT_NE(
      error.find("jvp: tangent.layers[1].w is f64[1], but must be f64[2], the type of arg0.layers[1].w"),
      std::string::npos)
      << error;
}

TEST(AutodiffTest, StopGradient) {
  const auto f = [](Array x) { return x * stop_gradient(x); };
  EXPECT_NEAR(value(grad(f)(3.0)), 3, 1e-12);
  EXPECT_NEAR(value(grad(grad(f))(3.0)), 0, 1e-12);
  const auto tree = [](Params p) { return sum(p.w * stop_gradient(p).b); };
  const Params g = grad(tree)(Params{vector({1}), vector({2})});
  expect_near(g.w, {2});
  expect_near(g.b, {0});
}

TEST(AutodiffTest, Checkpoint) {
  const auto layer = [](Array x) { return sin(exp(tanh(x))); };
  const auto f = [&](Array x) { return sum(layer(layer(x))); };
  const auto saved = checkpoint(layer);
  const auto g = [&](Array x) { return sum(saved(saved(x))); };
  const Array x = vector({0.1, 0.2});
  expect_near(grad(g)(x), grad(f)(x).to_vector<double>());
  expect_near(hvp(g, x, x), hvp(f, x, x).to_vector<double>());
  expect_near(saved(x), layer(x).to_vector<double>());
}

TEST(AutodiffTest, CustomJvpServesBothModes) {
  // A derivative that is wrong on purpose: three times the right one.
  const auto f = custom_jvp([](Array x) { return sin(x); },
                            [](std::tuple<Array> primals, std::tuple<Array> tangents) {
                              const Array x = std::get<0>(primals);
                              return std::pair(sin(x), std::get<0>(tangents) * cos(x) * 3);
                            });
  const Array x(0.5);
  EXPECT_NEAR(value(f(x)), std::sin(0.5), 1e-12);
  EXPECT_NEAR(value(grad(f)(x)), 3 * std::cos(0.5), 1e-12);
  EXPECT_NEAR(value(jvp(f, x, Array(1.0)).second), 3 * std::cos(0.5), 1e-12);
  EXPECT_NEAR(value(grad(grad(f))(x)), -3 * std::sin(0.5), 1e-12);
  EXPECT_NEAR(value(jit(grad([&](Array y) { return f(y) * y; }))(x)), 1.5 * std::cos(0.5) + std::sin(0.5),
              1e-12);
}

TEST(AutodiffTest, CustomVjp) {
  const auto clip_gradient = custom_vjp(
      [](Array x, Array bound) { return x * x; },
      [](Array x, Array bound) {
        return std::pair(x * x, Params{x, bound});
      },
      [](Params kept, Array ct) { return std::tuple(clip(ct * 2 * kept.w, -kept.b, kept.b), kept.b * 0); });
  expect_near(grad([&](Array x) {
                return sum(clip_gradient(x, vector({1, 1})));
              })(vector({0.25, 7})),
              {0.5, 1});
  EXPECT_NE(error_of([&] {
              jvp(clip_gradient, std::tuple(vector({1}), vector({1})), std::tuple(vector({1}), vector({1})));
            }).find("reverse mode alone"),
            std::string::npos);
}

TEST(AutodiffTest, EvalShapeAndIr) {
  const auto f = [](Params p) { return Params{dot(p.w, p.w), sum(p.b)}; };
  const Params shapes = eval_shape(f, Params{testing::f32({3, 3}), testing::f32({5})});
  EXPECT_EQ(shapes.w.type_string(), "f32[3,3]");
  EXPECT_EQ(shapes.b.type_string(), "f32[]");
  EXPECT_NE(make_ir(f, Params{testing::f32({3, 3}), testing::f32({5})}).find("dot_general"),
            std::string::npos);
}

TEST(AutodiffTest, OneDerivativeForManyCalls) {
  const auto inner = jit([](Array x, Array w) { return tanh(dot(x, w)); }, {.name = "inner"});
  const auto text = [&](int calls) {
    const auto f = [&](Array x, Array w) {
      for (int i = 0; i < calls; ++i) x = inner(x, w);
      return sum(x);
    };
    return jit(grad<0, 1>(f)).text(testing::f32({8, 8}), testing::f32({8, 8}));
  };
  for (int calls : {2, 5}) {
    const std::string ir = text(calls);
    size_t functions = 0;
    for (size_t at = 0; (at = ir.find("func @", at)) != std::string::npos; ++at) ++functions;
    EXPECT_LE(functions, 6u) << ir;
  }
}

// What follows compiles, but runs nothing: no kernel only moves data.
TEST(AutodiffTest, GradientOfTheTridiagonalSolverIsOneKernel) {
  const auto f = [](Array a, Array b, Array c, Array d) { return sum(square(programs::tdma(a, b, c, d))); };
  const Array x = testing::f32({1000, 100});
  const Compiled compiled = grad<0, 1, 2, 3>(f).compile(x, x, x, x);
  EXPECT_EQ(compiled.launches(), 1);
  EXPECT_EQ(compiled.copies(), 0);
}

// Two products on the way there, three on the way back; all else happens on their tiles.
TEST(AutodiffTest, GradientsOfBiasesAreAddedUpWhereProductsAreMade) {
  const auto f = [](Array w1, Array b1, Array w2, Array b2, Array x, Array y) {
    return mean(square(tanh(dot(tanh(dot(x, w1) + b1), w2) + b2) - y));
  };
  const auto array = testing::f32;
  const Compiled compiled = grad<0, 1, 2, 3>(f).compile(array({256, 512}), array({512}), array({512, 128}),
                                                        array({128}), array({1024, 256}), array({1024, 128}));
  EXPECT_EQ(compiled.launches(), 5);
  for (const KernelInfo& kernel : compiled.kernels()) EXPECT_EQ(kernel.kind, "contraction") << kernel.name;
}

TEST(AutodiffTest, GradientOfAttentionMovesNoData) {
  const auto f = [](Array q, Array k, Array v) {
    const Array s =
        dot_general(q, k,
                    {.lhs_contract = {3}, .rhs_contract = {3}, .lhs_batch = {0, 1}, .rhs_batch = {0, 1}}) *
        0.125;
    const Array e = exp(s - max(s, -1, kKeepDims)), p = e / sum(e, -1, kKeepDims);
    return sum(square(dot_general(
        p, v, {.lhs_contract = {3}, .rhs_contract = {2}, .lhs_batch = {0, 1}, .rhs_batch = {0, 1}})));
  };
  const Array x = testing::f32({2, 8, 1024, 64});
  for (const KernelInfo& kernel : grad<0, 1, 2>(f).compile(x, x, x).kernels()) {
    const bool moves = kernel.kind == "copy";
    EXPECT_FALSE(moves) << kernel.name;
  }
}

TEST(AutodiffTest, WeightsOfALoopGetOneContractionAfterIt) {
  const auto f = [](Array h, Array w, Array x) {
    const auto step = [&](Array carry, Array xi) {
      const Array next = tanh(dot(carry, w) + xi);
      return std::pair(next, next);
    };
    return sum(scan(step, h, x, {.axis = 1}).second);
  };
  const std::string ir =
      jit(grad<1>(f))
          .compile(testing::f32({8, 16}), testing::f32({16, 16}), testing::f32({8, 50, 16}))
          .text();
  // Over the batch and all steps at once.
  EXPECT_NE(ir.find("rhs_contract = [0,1]"), std::string::npos) << ir;
}

TEST(AutodiffTest, ErrorsNameTheLeafAndTheLine) {
  const Params p{vector({1, 2}), vector({3})};
  const int here = __LINE__ + 1;
  const auto no_scalar = error_of([&] { grad([](Params q) { return q.w * 2; })(p); });
  const std::string wanted =
      "grad: the function must return a floating scalar, such as f32[], but returns f64[2]";
  EXPECT_NE(no_scalar.find(line(here) + wanted), std::string::npos) << no_scalar;
  const auto integers =
      error_of([&] { grad([](Array n) { return sum(n).astype(DType::kF32); })(counting<int>({3})); });
  EXPECT_NE(integers.find(
                "grad: there is nothing to differentiate, since the argument holds no floating array: arg0 "
                "is s32[3]"),
            std::string::npos)
      << integers;
  const auto tangent = error_of([&] {
    jvp([](Params q) { return q.w; }, p, Params{vector({1, 2}), vector({1, 2})});
  });
  EXPECT_NE(tangent.find("jvp: tangent.b is f64[2], but must be f64[1], the type of arg0.b"),
            std::string::npos)
      << tangent;
  const auto rule = error_of([&] {
    grad(custom_jvp([](Array x) { return sum(x); },
                    [](std::tuple<Array> x, std::tuple<Array> t) {
                      return std::pair(sum(std::get<0>(x)), std::get<0>(t));
                    }))(p.w);
  });
  EXPECT_NE(
      rule.find("custom_jvp: as the tangent, the rule returns f64[2] as tangent, but must return f64[], the "
                "type of result"),
      std::string::npos)
      << rule;
  const auto integer_result = error_of([&] {
    const auto f = custom_jvp(
        [](Params q) {
          return Params{q.w, Array(1)};
        },
        [](std::tuple<Params> q, std::tuple<Params> t) {
          return std::pair(Params{std::get<0>(q).w, Array(1.0)}, std::get<0>(t));
        });
    jvp(f, p, p);
  });
  EXPECT_NE(integer_result.find("custom_jvp: the rule returns f64[] as result.b, but must return s32[]"),
            std::string::npos)
      << integer_result;
  const std::vector<Params> layers{p, p};
  const auto form =
      error_of([&] { jvp([](std::vector<Params> q) { return q[0].w; }, layers, std::vector<Params>{p}); });
  EXPECT_NE(form.find("jvp: tangent is a vector of 1, but must be a vector of 2, as in arg0"),
            std::string::npos)
      << form;
  const auto count =
      error_of([&] { jvp([](std::vector<Params> q) { return q[0].w; }, layers, std::tuple(p)); });
  EXPECT_NE(count.find("jvp: there are 2 arrays, but must be 4; there is none for arg0[1].w"),
            std::string::npos)
      << count;
  const auto pulled = error_of([&] { vjp([](Params q) { return q; }, p).second(Params{p.w, p.w}); });
  EXPECT_NE(pulled.find("vjp: cotangent.b is f64[2], but must be f64[1], the type of result.b"),
            std::string::npos)
      << pulled;
  const auto backward = error_of([&] {
    grad(custom_vjp([](Params q) { return sum(q.w); }, [](Params q) { return std::pair(sum(q.w), q); },
                    [](Params q, Array ct) {
                      return std::tuple(Params{q.w, q.w});
                    }))(p);
  });
  EXPECT_NE(backward.find("custom_vjp: the backward function returns f64[2]"), std::string::npos) << backward;
  EXPECT_NE(backward.find("arg0.b"), std::string::npos) << backward;
}

}  // namespace
}  // namespace ingot
