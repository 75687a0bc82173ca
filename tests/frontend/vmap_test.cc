// vmap as a user calls it: axes through trees, errors, nesting with jit and scan, names of axes.
#include "ingot/vmap.h"

#include <gtest/gtest.h>

#include "../../examples/programs/perm.h"
#include "frontend/testing.h"

namespace ingot {
namespace {

using testing::counting;
using testing::error_of;
using testing::f32;
using testing::line;
using testing::s32;

Array row(const Array& x, int64_t axis, int64_t i) {
  return index_axis(x, axis, i);
}

// vmap of f over these axes against a loop.
template <class F>
void expect_loop(const F& f, const Array& x, int64_t axis, int64_t out_axis) {
  std::vector<Array> rows;
  for (int64_t i = 0; i < x.shape(axis); ++i) rows.push_back(f(row(x, axis, i)));
  const Array expected = stack(rows, out_axis), actual = vmap(f, {.in_axes = axis, .out_axes = out_axis})(x);
  ASSERT_EQ(actual.shape(), expected.shape());
  EXPECT_EQ(actual.to_vector<float>(), expected.to_vector<float>());
  const Array jitted = jit(vmap(f, {.in_axes = axis, .out_axes = out_axis}))(x);
  EXPECT_EQ(jitted.to_vector<float>(), expected.to_vector<float>());
  const Array inside = vmap(jit(f), {.in_axes = axis, .out_axes = out_axis})(x);
  EXPECT_EQ(inside.to_vector<float>(), expected.to_vector<float>());
}

TEST(VmapTest, DoesToABatchWhatTheFunctionDoesToEachElement) {
  const auto f = [](Array x) { return flip(x, 0) * 2 + transpose(x).reshape({x.shape(0), x.shape(1)}); };
  for (int64_t axis : {0, 1, 2, -1, -3}) {
    for (int64_t out_axis : {0, 1, 2, -1, -2}) {
      expect_loop(f, counting({2, 3, 5}), axis, out_axis);
      expect_loop(f, counting({1, 1, 7}), axis, out_axis);
    }
  }
}

struct Layer {
  Array w, b;
};
struct Net {
  std::vector<Layer> layers;
  Array scale;
};

TEST(VmapTest, AxesGoThroughTrees) {
  const auto f = [](Net net, Array x) {
    for (const Layer& layer : net.layers) x = dot(x, layer.w) + layer.b;
    return std::pair(x * net.scale, Layer{net.scale, x});
  };
  const Net net{{{counting({4, 3, 3}), counting({3})}, {counting({3, 4, 3}), counting({3, 4})}},
                counting({4})};
  const Array x = counting({4, 3});
  const auto [y, layer] = vmap(f, {.in_axes = {{{{0, std::nullopt}, {1, -1}}, 0}, 0},
                                   .out_axes = {1, {std::optional<int64_t>(-1), 0}}})(net, x);
  EXPECT_EQ(y.shape(), (Shape{3, 4}));
  EXPECT_EQ(layer.w.shape(), (Shape{4}));
  EXPECT_EQ(layer.b.shape(), (Shape{4, 3}));
  for (int64_t i = 0; i < 4; ++i) {
    const Net one{{{row(net.layers[0].w, 0, i), net.layers[0].b},
                   {row(net.layers[1].w, 1, i), row(net.layers[1].b, 1, i)}},
                  row(net.scale, 0, i)};
    const auto [expected, expected_layer] = f(one, row(x, 0, i));
    EXPECT_EQ(row(y, 1, i).to_vector<float>(), expected.to_vector<float>());
    EXPECT_EQ(row(layer.b, 0, i).to_vector<float>(), expected_layer.b.to_vector<float>());
  }
}

TEST(VmapTest, WhatDoesNotDependOnTheBatchIsComputedOnce) {
  const auto f = [](Array x, Array w) { return std::pair(x * exp(w), exp(w)); };
  const auto g = vmap(f, {.in_axes = {0, std::nullopt}, .out_axes = {0, std::nullopt}});
  const std::string text = testing::traced([&](Array x, Array w) { return g(x, w); }, f32({5, 3}), f32({3}));
  EXPECT_NE(text.find("%exp = exp(%arg1) : f32[3]"), std::string::npos) << text;
  const auto [y, w] = g(counting({5, 3}), Array::zeros({3}));
  EXPECT_EQ(y.to_vector<float>(), counting({5, 3}).to_vector<float>());
  EXPECT_EQ(w.to_vector<float>(), (std::vector<float>{1, 1, 1}));
}

TEST(VmapTest, BatchesCapturedArraysAsShared) {
  const Array w = counting({3});
  const auto f = [w](Array x) { return x * w; };
  EXPECT_EQ(vmap(f)(Array::ones({2, 3})).to_vector<float>(), (std::vector<float>{0, 1, 2, 0, 1, 2}));
  // A traced array around it, too.
  const auto g = jit([&](Array a, Array b) { return vmap([&](Array x) { return x + a; })(b); });
  EXPECT_EQ(g(counting({2}), counting({3, 2})).to_vector<float>(), (std::vector<float>{0, 2, 2, 4, 4, 6}));
}

TEST(VmapTest, NestsAndKeepsInnerFunctions) {
  const auto dot2 = jit([](Array x, Array y) { return dot(x, y); }, {.name = "dot2"});
  const auto all_pairs = vmap(vmap(dot2, {.in_axes = {std::nullopt, 0}}), {.in_axes = {0, std::nullopt}});
  const Array a = counting({3, 4}), b = counting({5, 4});
  EXPECT_EQ(all_pairs(a, b).to_vector<float>(), dot(a, b.T()).to_vector<float>());
  EXPECT_EQ(dot2.trace_count(), 1);
  const auto twice = [&](Array x) { return dot2(x, x) + dot2(x * 2, x); };
  const std::string text = testing::traced([&](Array x) { return vmap(twice)(x); }, f32({7, 4}));
  size_t functions = 0;
  for (size_t at = text.find("func @"); at != std::string::npos; at = text.find("func @", at + 1))
    ++functions;
  EXPECT_EQ(functions, 4u) << text;  // f, vmap's, its batched body, and one batched dot2 for both calls
  EXPECT_EQ(vmap(twice)(counting({2, 2})).to_vector<float>(), (std::vector<float>{3, 39}));
}

TEST(VmapTest, LoopsStayLoops) {
  const auto sums = [](Array x) {
    return scan([](Array carry, Array xi) { return std::pair(carry + xi, carry + xi); }, Array(0.0f), x)
        .second;
  };
  expect_loop(sums, counting({3, 5}), 0, 0);
  expect_loop(sums, counting({5, 3}), 1, 1);
  const auto compiled = jit(vmap(sums)).compile(f32({100, 50}));
  EXPECT_EQ(compiled.kernels().size(), 1u);
  // A vmap inside of a loop.
  const auto loop = [](Array x) {
    return scan(
               [](Array carry, Array xi) {
                 return std::pair(vmap([](Array a, Array b) { return a + b; })(carry, xi), xi);
               },
               Array::zeros({3}), x)
        .first;
  };
  EXPECT_EQ(loop(counting({2, 3})).to_vector<float>(), (std::vector<float>{3, 5, 7}));
}

TEST(VmapTest, NamedAxes) {
  const auto normalized = [](Array x) { return (x - pmean(x, "i")) / (pmax(x, "i") - pmin(x, "i")); };
  const Array x = counting({3, 2});
  EXPECT_EQ(vmap(normalized, {.axis_name = "i"})(x).to_vector<float>(),
            (std::vector<float>{-0.5, -0.5, 0, 0, 0.5, 0.5}));
  const auto indices = [](Array y) { return y * axis_index("i").astype(DType::kF32) + psum(1.0f, "i"); };
  EXPECT_EQ(vmap(indices, {.axis_name = "i"})(Array::ones({4})).to_vector<float>(),
            (std::vector<float>{4, 5, 6, 7}));
  // An inner function that names the axis of the outer batch, jitted in between.
  const auto inner = jit([](Array y) { return psum(y, "outer") * static_cast<double>(axis_size("outer")); });
  const auto both = vmap(vmap(inner), {.axis_name = "outer"});
  EXPECT_EQ(both(counting({2, 3})).to_vector<float>(), (std::vector<float>{6, 10, 14, 6, 10, 14}));
  // A result that is reduced over the batch may leave it.
  const auto total = vmap([](Array y) { return psum(y, "i"); }, {.out_axes = std::nullopt, .axis_name = "i"});
  EXPECT_EQ(total(counting({4})).item<float>(), 6);
  EXPECT_EQ(jit(total)(counting({4})).item<float>(), 6);
  // Only the index depends on the batch.
  const auto counted = vmap([](Array) { return axis_index("i"); },
                            {.in_axes = std::nullopt, .axis_size = 3, .axis_name = "i"});
  EXPECT_EQ(counted(Array(1.0f)).to_vector<int32_t>(), (std::vector<int32_t>{0, 1, 2}));
}

// The derivative counts what an element does to the results of all.
TEST(VmapTest, DerivativesGoThroughNamedAxes) {
  for (const char* what : {"sum", "max", "min"}) {
    const auto f = [what](Array x) {
      const std::string name = what;
      const Array over = name == "sum"   ? psum(x * x, "i")
                         : name == "max" ? pmax(x * x, "i")
                                         : pmin(x * x, "i");
      return over * x;
    };
    const Array x = Array::from(std::vector<float>{1, -3, 2, 5});
    const std::vector<float> inside = vmap(grad(f), {.axis_name = "i"})(x).to_vector<float>();
    const std::vector<float> outside =
        grad([&](Array y) { return sum(vmap(f, {.axis_name = "i"})(y)); })(x).to_vector<float>();
    for (size_t i = 0; i < inside.size(); ++i) EXPECT_NEAR(inside[i], outside[i], 1e-4) << what << i;
  }
}

// f(x) = (sum over rows of x) * (greatest of the column), each seen from the inside.
TEST(VmapTest, NestedNamesWithDerivativesInside) {
  const auto f = [](Array x) { return psum(x, "rows") * pmax(x, "columns"); };
  const auto both = vmap(vmap(f, {.axis_name = "columns"}), {.axis_name = "rows"});
  const Array x = Array::from<float>({2, 3}, {1, 2, 3, 4, 6, 5});
  EXPECT_EQ(both(x).to_vector<float>(), (std::vector<float>{15, 24, 24, 30, 48, 48}));
  const std::vector<float> outside = grad([&](Array y) { return sum(both(y)); })(x).to_vector<float>();
  const auto inside = vmap(vmap(grad(f), {.axis_name = "columns"}), {.axis_name = "rows"});
  const auto between = vmap(grad([&](Array row) { return sum(vmap(f, {.axis_name = "columns"})(row)); }),
                            {.axis_name = "rows"});
  EXPECT_EQ(inside(x).to_vector<float>(), outside);
  EXPECT_EQ(between(x).to_vector<float>(), outside);
  EXPECT_EQ(jit(between)(x).to_vector<float>(), outside);
  const int here = __LINE__ + 1;
  const auto wrong = [](Array y) { return psum(y, "diagonals"); };
  EXPECT_NE(
      error_of([&] { vmap(vmap(grad(wrong), {.axis_name = "columns"}), {.axis_name = "rows"})(x); })
          .find(line(here) +
                "psum: there is no axis called 'diagonals' here; the axes of the batches around are 'rows', "
                "'columns'"),
      std::string::npos);
}

TEST(VmapTest, ErrorsNameTheLeafTheSizesAndTheLine) {
  const auto add = [](Array x, Array y) { return x + y; };
  EXPECT_EQ(error_of([&] {
              vmap(add)(counting({3, 2}), counting({4, 2}));
            }),
            line(__LINE__ - 3) +
                "vmap: the sizes of the batch disagree: arg0, a f32[3,2], has 3 along axis 0, but "
                "arg1, a f32[4,2], has 4 along axis 0");
  const auto three = vmap([](Array a, Layer b) { return a * b.w * b.b; });
  const Layer two{counting({3}), counting({4})};
  EXPECT_EQ(error_of([&] { three(counting({2}), two); }),
            line(__LINE__ - 1) +
                "vmap: the sizes of the batch disagree: arg0, a f32[2], has 2 along axis 0, but "
                "arg1.w, a f32[3], has 3 along axis 0 and arg1.b, a f32[4], has 4 along axis 0");
  const auto sum_layer = [](Layer layer) { return layer.w + layer.b; };
  EXPECT_EQ(error_of([&] {
              vmap(sum_layer, {.in_axes = 1})(Layer{counting({3, 2}), counting({3})});
            }),
            line(__LINE__ - 3) +
                "vmap: arg0.b, a f32[3], has no axis 1 that a batch could stand along; name another "
                "one in in_axes, or std::nullopt where all elements share the array");
  EXPECT_EQ(error_of([&] { vmap(add, {.in_axes = {0}})(counting({3}), counting({3})); }),
            line(__LINE__ - 1) +
                "vmap: in_axes has 1 entries for 2 arguments; give one for each, or one axis for all");
  EXPECT_EQ(error_of([&] {
              vmap(sum_layer, {.in_axes = {{0, 0, 0}}})(Layer{counting({3}), counting({3})});
            }),
            line(__LINE__ - 3) +
                "vmap: in_axes has a list of 3 for arg0, which has 2 parts with arrays; give one entry "
                "for each, or one axis for all");
  EXPECT_EQ(error_of([&] { vmap(add, {.out_axes = {0}})(counting({3}), counting({3})); }),
            line(__LINE__ - 1) +
                "vmap: out_axes has a list of 1 for the result, an array, which has no parts; give the axis "
                "without braces");
  EXPECT_EQ(error_of([&] { vmap(add, {.out_axes = std::nullopt})(counting({3}), counting({3})); }),
            line(__LINE__ - 1) +
                "vmap: out_axes says that the result, a f32[], does not depend on the batch, but it "
                "does; name an axis for it, or reduce it over the batch (psum and the like)");
  EXPECT_EQ(error_of([&] { vmap(add, {.out_axes = 2})(counting({3}), counting({3})); }),
            line(__LINE__ - 1) +
                "vmap: out_axes of the result: axis 2 is out of range for 1 dimension, which are -1 to 0");
  EXPECT_EQ(error_of([&] { vmap(add, {.in_axes = std::nullopt})(counting({3}), counting({3})); }),
            line(__LINE__ - 1) +
                "vmap: no argument is batched, so the option axis_size must say how large the batch is");
  EXPECT_EQ(error_of([&] { vmap(add, {.axis_size = 5})(counting({3}), counting({3})); }),
            line(__LINE__ - 1) +
                "vmap: the sizes of the batch disagree: the option axis_size is 5, but arg0, a f32[3], "
                "has 3 along axis 0 and arg1, a f32[3], has 3 along axis 0");
  EXPECT_EQ(error_of([&] { psum(counting({3}), "i"); }),
            line(__LINE__ - 1) +
                "psum: there is no axis called 'i' here; call it in a function that is mapped by vmap "
                "with this axis_name");
  const auto wrong_name = [](Array x) { return psum(x, "j"); };
  EXPECT_NE(error_of([&] {
              vmap(wrong_name, {.axis_name = "i"})(counting({3}));
            }).find("the batches around are 'i'"),
            std::string::npos);
}

TEST(VmapTest, IsTracedOnceForEveryType) {
  static int traces = 0;
  const auto f = vmap([](Array x) {
    ++traces;
    return x * 2;
  });
  f(counting({3}));
  f(counting({3}));
  EXPECT_EQ(traces, 1);
  f(counting({4}));
  EXPECT_EQ(traces, 2);
}

TEST(VmapTest, MapGoesOverAnAxisStepByStep) {
  const auto f = [](Array x) { return sum(x) * x; };
  const Array x = counting({2, 3});
  EXPECT_EQ(map(f, x).to_vector<float>(), vmap(f)(x).to_vector<float>());
  EXPECT_EQ(map(f, x, 1, 1).to_vector<float>(), vmap(f, {.in_axes = 1, .out_axes = 1})(x).to_vector<float>());
  EXPECT_EQ(vmap([&](Array y) { return map([](Array z) { return z + 1; }, y); })(x).to_vector<float>(),
            (x + 1).to_vector<float>());
}

TEST(VmapTest, MapTakesSeveralStepsAtATime) {
  const auto f = [](Layer layer) { return Layer{sin(layer.w) * sum(layer.b), layer.b * 2}; };
  const Layer xs{counting({3, 7}), counting({2, 7}, 0.5f)};
  const auto loss = [&](int64_t batch, bool negative) {
    return [&, batch, negative](Layer all) {
      const Layer y = map(f, all, negative ? -1 : 1, negative ? -1 : 1, batch);
      return sum(y.w * y.w) + sum(y.b * all.b);
    };
  };
  const Layer plain = map(f, xs, 1, 1);
  // What is mapped, of all columns at once.
  const auto whole = [](Layer all) { return Layer{sin(all.w) * sum(all.b, 0), all.b * 2}; };
  const Layer direct = whole(xs);
  EXPECT_EQ(plain.b.to_vector<float>(), direct.b.to_vector<float>());
  EXPECT_LT(max(abs(plain.w - direct.w)).item<float>(), 1e-5f);
  const Layer gradient = grad([&](Layer all) {
    const Layer y = whole(all);
    return sum(y.w * y.w) + sum(y.b * all.b);
  })(xs);
  for (int64_t batch : {2, 3, 7, 10}) {
    for (bool negative : {false, true}) {
      const Layer y = map(f, xs, negative ? -1 : 1, negative ? -1 : 1, batch);
      EXPECT_EQ(y.w.to_vector<float>(), plain.w.to_vector<float>());
      EXPECT_EQ(y.b.to_vector<float>(), plain.b.to_vector<float>());
      const Layer mapped = grad(loss(batch, negative))(xs);
      for (const auto& [a, b] : {std::pair(mapped.w, gradient.w), std::pair(mapped.b, gradient.b)})
        EXPECT_LT(max(abs(a - b) / (1.0f + abs(b))).item<float>(), 1e-5f) << batch;
    }
  }
  const Array x = counting({4, 6});
  EXPECT_EQ(
      vmap([](Array y) { return map([](Array z) { return z * z; }, y, 0, 0, 4); })(x).to_vector<float>(),
      (x * x).to_vector<float>());
  EXPECT_EQ(map([](Array y) { return sum(y) * y; }, x, 0, 1, 3).to_vector<float>(),
            map([](Array y) { return sum(y) * y; }, x, 0, 1).to_vector<float>());
}

// --- kernels ---

TEST(VmapTest, ThePermutationOfOneMatrixBecomesTheKernelOfTheBatch) {
  using programs::Columns;
  using programs::Permute;
  for (Permute way : {Permute::kGather, Permute::kTake, Permute::kSlices}) {
    const auto one = [way](Array x) { return programs::perm(x, Columns::kRotate, way); };
    const auto mapped = jit(vmap(one)).kernels(s32({1000, 4, 4})),
               written = jit(one).kernels(s32({1000, 4, 4}));
    ASSERT_EQ(mapped.size(), 1u);
    ASSERT_EQ(written.size(), 1u);
    EXPECT_EQ(mapped[0].hash, written[0].hash);
  }
}

TEST(VmapTest, ProductsUnderTwoBatchesAreTheOneContraction) {
  const auto twice = [](const auto& product) {
    return vmap(vmap(product, {.in_axes = {std::nullopt, 0}}), {.in_axes = {std::nullopt, 0}});
  };
  const auto kernel = [](const auto& f) {
    const auto compiled = jit(f).compile(f32({64, 48}), f32({8, 100, 48}));
    EXPECT_EQ(compiled.kernels().size(), 1u) << compiled.text();
    EXPECT_EQ(compiled.copies(), 0);
    return compiled.kernels()[0].hash;
  };
  const uint64_t wanted = kernel([](Array w, Array a) { return einsum("ab,...b->...a", {w, a}); });
  EXPECT_EQ(kernel(twice([](Array w, Array a) { return dot(w, a); })), wanted);
  EXPECT_EQ(kernel(twice([](Array w, Array a) { return dot(a, w.T()); })), wanted);
  EXPECT_EQ(kernel([](Array w, Array a) { return einsum("...b,ab->...a", {a, w}); }), wanted);
}

}  // namespace
}  // namespace ingot
