// What is done with trees, and which classes are trees: bases, C arrays, many fields, hash maps.
#include <unordered_map>

#include "frontend/testing.h"
#include "ingot/tree_math.h"

namespace ingot {
namespace {

using testing::error_of;

struct Layer {
  Array w, b;
};
struct Model {
  std::vector<Layer> layers;
  std::map<std::string, Array> extra;
};
struct Tagged : Layer {};  // all fields in the base
struct Marker {};
struct Marked : Marker {
  Array x, y;
};
struct Blocks {
  Array first;
  Layer layers[2];
  Array grid[2][2];
  float rates[3];
  Array last;
};
struct Mixed : Layer {
  Array extra;
};
struct Many {
  Array f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21,
      f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33, f34, f35, f36, f37, f38, f39, f40, f41, f42,
      f43, f44, f45, f46, f47;
};

}  // namespace

template <>
struct tree::Traits<Mixed> {
  template <class M, class F>
  static void fields(M& mixed, F&& f) {
    using Base = std::conditional_t<std::is_const_v<M>, const Layer, Layer>;
    tree::fields(static_cast<Base&>(mixed), f);
    f("extra", mixed.extra);
  }
};

namespace {

Array number(float value) {
  return Array(value);
}

Model model(float start) {
  Model m;
  m.layers = {{number(start), number(start + 1)}, {number(start + 2), number(start + 3)}};
  m.extra = {{"scale", number(start + 4)}};
  return m;
}

template <class V>
std::vector<float> values(const V& value) {
  std::vector<float> list;
  for (const Array& leaf : tree::leaves(value)) list.push_back(leaf.item<float>());
  return list;
}

TEST(TreesTest, MapTakesFunctionAndTreesInEitherOrder) {
  const auto twice = [](const Array& x) { return x * 2; };
  EXPECT_EQ(values(tree::map(model(1), twice)), (std::vector<float>{2, 4, 6, 8, 10}));
  EXPECT_EQ(values(tree::map(twice, model(1))), (std::vector<float>{2, 4, 6, 8, 10}));
  const auto sum = [](const Array& x, const Array& y, const Array& z) { return x + y * z; };
  EXPECT_EQ(values(tree::map(sum, model(1), model(10), model(100))),
            (std::vector<float>{1001, 1113, 1227, 1343, 1461}));
  EXPECT_EQ(values(tree::map([](Array x, Array y) { return x - y; }, number(3), number(1))),
            std::vector<float>{2});
  const auto traced = jit([=](Model a, Model b) { return tree::map(std::plus<>(), a, b); });
  EXPECT_EQ(values(traced(model(1), model(2))), (std::vector<float>{3, 5, 7, 9, 11}));
}

TEST(TreesTest, TreesOfDifferentTypesHaveOneStructure) {
  const auto sum = [](const Array& x, const Array& y) { return x + y; };
  const std::pair<Array, Array> pair(number(1), number(2));
  const std::vector<Array> list = {number(10), number(20)};
  EXPECT_EQ(values(tree::map(sum, pair, list)), (std::vector<float>{11, 22}));
  EXPECT_EQ(error_of([&] { tree::map(sum, model(1), pair); }),
            "tree::map: tree 2 has another structure than the first one: it has nothing for layers[0].w of "
            "the first one");
  Model more = model(1);
  more.extra.emplace("shift", number(1));
  EXPECT_EQ(error_of([&] { tree::map(sum, model(1), more); }),
            "tree::map: tree 2 has another structure than the first one: the first one has nothing for "
            "extra[\"shift\"] of it");
  more.extra.erase("scale");
  EXPECT_NE(error_of([&] { tree::map(sum, model(1), more); }).find("it has nothing for extra[\"scale\"]"),
            std::string::npos);
}

TEST(TreesTest, PathsAndReductions) {
  std::vector<std::string> paths;
  const Model same = tree::map_with_path(
      [&](const std::string& path, const Array& x) {
        paths.push_back(path);
        return path.ends_with(".b") ? x * 0 : x;
      },
      model(1), "m");
  EXPECT_EQ(paths, tree::leaf_paths(model(1), "m"));
  EXPECT_EQ(values(same), (std::vector<float>{1, 0, 3, 0, 5}));
  EXPECT_EQ(tree::reduce([](int n, const Array&) { return n + 1; }, model(1), 0), 5);
}

TEST(TreesTest, Arithmetic) {
  const Model a = model(1), b = model(2);
  EXPECT_EQ(values(tree::add(a, b)), (std::vector<float>{3, 5, 7, 9, 11}));
  EXPECT_EQ(values(tree::sub(b, a)), (std::vector<float>{1, 1, 1, 1, 1}));
  EXPECT_EQ(values(tree::mul(a, b)), (std::vector<float>{2, 6, 12, 20, 30}));
  EXPECT_EQ(values(tree::div(b, b)), (std::vector<float>{1, 1, 1, 1, 1}));
  EXPECT_EQ(values(tree::scale(a, 10)), (std::vector<float>{10, 20, 30, 40, 50}));
  EXPECT_EQ(values(tree::add_scaled(a, number(-2), b)), (std::vector<float>{-3, -4, -5, -6, -7}));
  EXPECT_EQ(values(tree::where(Array(false), a, b)), (std::vector<float>{2, 3, 4, 5, 6}));
  EXPECT_EQ(values(tree::zeros_like(a)), (std::vector<float>(5, 0)));
  EXPECT_EQ(values(tree::ones_like(a)), (std::vector<float>(5, 1)));
  EXPECT_EQ(values(tree::full_like(a, 7)), (std::vector<float>(5, 7)));
  EXPECT_EQ(tree::astype(a, DType::kS32).layers[1].b.type_string(), "s32[]");
  EXPECT_EQ(tree::sum(a).item<float>(), 15);
  EXPECT_EQ(tree::dot(a, b).item<float>(), 70);
  EXPECT_FLOAT_EQ(tree::norm(a).item<float>(), std::sqrt(55.f));
  EXPECT_EQ(tree::norm(Array(std::complex<float>(3, 4))).item<float>(), 5);
  EXPECT_EQ(tree::size(std::pair(Array::ones({2, 3}), Array::ones({}))), 7);
}

TEST(TreesTest, StructsWithBases) {
  EXPECT_EQ(tree::leaf_paths(Tagged(), "t"), (std::vector<std::string>{"t.w", "t.b"}));
  EXPECT_EQ(tree::leaf_paths(Marked(), "m"), (std::vector<std::string>{"m.x", "m.y"}));
  EXPECT_EQ(tree::leaf_paths(Mixed(), "m"), (std::vector<std::string>{"m.w", "m.b", "m.extra"}));
  const auto f = jit([](Tagged t, Mixed m) {
    t.w = t.w + m.extra;
    m.b = m.b * t.b;
    return std::pair(t, m);
  });
  const Tagged tagged{{number(1), number(2)}};
  const Mixed mixed{{number(3), number(4)}, number(5)};
  const auto [t, m] = f(tagged, mixed);
  EXPECT_EQ(values(t), (std::vector<float>{6, 2}));
  EXPECT_EQ(values(m), (std::vector<float>{3, 8, 5}));
}

Blocks blocks() {
  Blocks b{};
  b.first = number(0);
  for (int i = 0; i < 2; ++i)
    b.layers[i] = {number(static_cast<float>(2 * i + 1)), number(static_cast<float>(2 * i + 2))};
  for (int i = 0; i < 4; ++i) b.grid[i / 2][i % 2] = number(static_cast<float>(i + 5));
  b.rates[1] = 0.5f;
  b.last = number(9);
  return b;
}

TEST(TreesTest, CArraysInStructs) {
  EXPECT_EQ(tree::leaf_paths(blocks()),
            (std::vector<std::string>{"first", "layers[0].w", "layers[0].b", "layers[1].w", "layers[1].b",
                                      "grid[0][0]", "grid[0][1]", "grid[1][0]", "grid[1][1]", "last"}));
  EXPECT_EQ(values(blocks()), (std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  const auto f = jit([](Blocks b) {
    b.grid[1][0] = b.last * b.rates[1];
    return b;
  });
  EXPECT_EQ(values(f(blocks())), (std::vector<float>{0, 1, 2, 3, 4, 5, 6, 4.5, 8, 9}));
  Blocks other = blocks();
  other.rates[1] = 2;
  EXPECT_EQ(f(other).grid[1][0].item<float>(), 18);
  EXPECT_EQ(f.trace_count(), 2);  // the rates are static
  const Blocks slope = grad([](Blocks b) { return b.grid[1][1] * b.layers[0].w; })(blocks());
  EXPECT_EQ(values(slope), (std::vector<float>{0, 8, 0, 0, 0, 0, 0, 0, 1, 0}));
}

TEST(TreesTest, FortyEightFields) {
  EXPECT_EQ(detail::field_count<Many>, 48u);
  EXPECT_EQ(tree::leaf_paths(Many(), "m").back(), "m.f47");
  Many many;
  tree::for_each(many, [n = 0.f](Array& x, const tree::Path&) mutable { x = number(n++); });
  EXPECT_EQ(values(jit([](Many m) { return std::pair(m.f30, m.f47); })(many)), (std::vector<float>{30, 47}));
}

TEST(TreesTest, HashMapsAreInTheOrderOfTheirKeys) {
  std::unordered_map<std::string, Array> arrays;
  for (int i = 25; i >= 0; --i)
    arrays.emplace(std::string(1, static_cast<char>('a' + i)), number(static_cast<float>(i)));
  const std::vector<float> in_order = values(arrays);
  for (size_t i = 0; i < in_order.size(); ++i) EXPECT_EQ(in_order[i], static_cast<float>(i));
  EXPECT_EQ(tree::leaf_paths(arrays, "p").front(), "p[\"a\"]");
  const auto f = jit([](std::unordered_map<std::string, Array> m) {
    m["a"] = m["z"] * 2;
    return m;
  });
  EXPECT_EQ(f(arrays).at("a").item<float>(), 50);
  EXPECT_EQ(f(arrays).at("y").item<float>(), 24);
  const auto g = jit([](std::unordered_map<int, Array> m) { return m.at(3) + m.at(1); });
  EXPECT_EQ(g(std::unordered_map<int, float>{{3, 1.5f}, {1, 2.f}}).item<float>(), 3.5f);
}

}  // namespace
}  // namespace ingot
