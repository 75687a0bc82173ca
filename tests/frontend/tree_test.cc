#include "ingot/tree.h"

#include "frontend/testing.h"

namespace ingot {
namespace {

struct Layer {
  Array w, b;
};
struct Model {
  std::vector<Layer> layers;
  std::map<std::string, Array> extra;
  std::optional<Array> scale;
  std::tuple<Array, int> pair;
  std::string name;
};
struct Wide {
  Array a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21,
      a22, a23;
};
struct Nothing {};

// A class that is no plain struct.
class Counter {
 public:
  Counter() = default;
  explicit Counter(Array value) : value_(std::move(value)) {}
  const Array& value() const { return value_; }

 private:
  friend struct tree::Traits<Counter>;
  Array value_;
};

}  // namespace

template <>
struct tree::Traits<Counter> {
  template <class C, class F>
  static void fields(C& counter, F&& f) {
    f("value", counter.value_);
  }
};

namespace {

Model make_model() {
  return {{{Array(0.0f), Array(1.0f)}, {Array(2.0f), Array(3.0f)}},
          {{"x", Array(4.0f)}, {"y", Array(5.0f)}},
          Array(6.0f),
          {Array(7.0f), 3},
          "model"};
}

TEST(TreeTest, LeavesComeInOrderWithTheirPaths) {
  const Model model = make_model();
  const std::vector<Array> leaves = tree::flatten(model);
  ASSERT_EQ(leaves.size(), 8u);
  for (size_t i = 0; i < leaves.size(); ++i) EXPECT_EQ(leaves[i].item<float>(), static_cast<float>(i));
  EXPECT_EQ(tree::leaf_paths(model, "m"),
            (std::vector<std::string>{"m.layers[0].w", "m.layers[0].b", "m.layers[1].w", "m.layers[1].b",
                                      "m.extra[\"x\"]", "m.extra[\"y\"]", "m.scale", "m.pair[0]"}));
}

TEST(TreeTest, UnflattenPutsThemBack) {
  const Model model = make_model();
  std::vector<Array> leaves = tree::flatten(model);
  leaves[7] = Array(70.0f);
  const Model other = tree::unflatten(model, leaves);
  EXPECT_EQ(std::get<0>(other.pair).item<float>(), 70);
  EXPECT_EQ(std::get<1>(other.pair), 3);
  EXPECT_EQ(other.name, "model");
  leaves.pop_back();
  EXPECT_THROW(tree::unflatten(model, leaves), Error);
}

TEST(TreeTest, MapAppliesToEveryArray) {
  const Model doubled = tree::map(make_model(), [](const Array& x) { return Array(x.item<float>() * 2); });
  EXPECT_EQ(doubled.layers[1].b.item<float>(), 6);
}

TEST(TreeTest, WideEmptyAndOptedInClasses) {
  EXPECT_EQ(tree::leaf_paths(Wide{}).back(), "a23");
  EXPECT_EQ(tree::flatten(Wide{}).size(), 24u);
  EXPECT_TRUE(tree::flatten(Nothing{}).empty());
  EXPECT_EQ(tree::leaf_paths(Counter(Array(1)), "c"), std::vector<std::string>{"c.value"});
  EXPECT_TRUE(tree::flatten(std::tuple<>()).empty());
  EXPECT_TRUE(tree::flatten(std::vector<Array>()).empty());
}

TEST(TreeTest, JitTakesAndReturnsTrees) {
  const auto step = jit([](Model m, Array rate) {
    for (Layer& layer : m.layers) layer.w = layer.w + rate;
    m.extra["z"] = *m.scale;
    m.scale.reset();
    return std::tuple(m, Counter(rate * 2), Nothing{});
  });
  const auto [model, counter, nothing] = step(make_model(), 10.0f);
  EXPECT_EQ(model.layers[1].w.item<float>(), 12);
  EXPECT_EQ(model.layers[1].b.item<float>(), 3);
  EXPECT_EQ(model.extra.at("z").item<float>(), 6);
  EXPECT_FALSE(model.scale.has_value());
  EXPECT_EQ(model.name, "model");
  EXPECT_EQ(counter.value().item<float>(), 20);
  EXPECT_EQ(step.trace_count(), 1);
}

TEST(TreeTest, NumbersOutsideOfStructsAreRunTimeValues) {
  const auto f = jit([](std::vector<Array> xs, std::pair<Array, Array> p, std::map<int, Array> m) {
    return xs[0] + xs[1] * p.first - p.second + m.at(7);
  });
  EXPECT_EQ(f(std::vector<float>{1, 2}, std::pair(10.0f, 0.5f), std::map<int, float>{{7, 100}}).item<float>(),
            120.5f);
  EXPECT_EQ(f(std::vector<float>{2, 2}, std::pair(10.0f, 0.5f), std::map<int, float>{{7, 100}}).item<float>(),
            121.5f);
  EXPECT_EQ(f.trace_count(), 1);
}

TEST(TreeTest, StaticValuesArePartOfTheKey) {
  const auto power = jit([](Array x, int n) {
    Array y = x;
    for (int i = 1; i < n; ++i) y = y * x;
    return y;
  });
  EXPECT_EQ(power(Array(2.0f), Static{3}).item<float>(), 8);
  EXPECT_EQ(power(Array(2.0f), Static{4}).item<float>(), 16);
  EXPECT_EQ(power(Array(3.0f), Static{3}).item<float>(), 27);
  EXPECT_EQ(power.trace_count(), 2);
}

}  // namespace
}  // namespace ingot
