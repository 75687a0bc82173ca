// einsum against plain loops over all labels.
#include <algorithm>
#include <map>
#include <random>

#include "frontend/testing.h"

namespace ingot {
namespace {

using Values = std::vector<double>;

Array numbers(const Shape& shape, int seed) {
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  std::mt19937 random(static_cast<unsigned>(seed));
  Values values(static_cast<size_t>(count));
  for (double& value : values) value = static_cast<double>(random() % 9) - 4;
  return Array::from(shape, values);
}

// The definition: the sum over all values of the labels that the result lacks.
Values by_definition(const std::vector<std::string>& inputs, const std::string& result,
                     const std::vector<Array>& arrays) {
  std::map<char, int64_t> extents;
  for (size_t i = 0; i < inputs.size(); ++i) {
    for (size_t k = 0; k < inputs[i].size(); ++k) extents[inputs[i][k]] = arrays[i].shape()[k];
  }
  std::string labels = result;
  for (const auto& [label, extent] : extents) {
    if (result.find(label) == std::string::npos) labels += label;
  }
  std::map<char, int64_t> at;
  const auto offset = [&](const std::string& axes) {
    int64_t position = 0;
    for (const char label : axes) position = position * extents[label] + at[label];
    return static_cast<size_t>(position);
  };
  int64_t size = 1;
  for (const char label : result) size *= extents[label];
  Values sums(static_cast<size_t>(size), 0);
  std::vector<Values> values;
  for (const Array& array : arrays) values.push_back(array.to_vector<double>());
  const auto visit = [&](auto& self, size_t depth) -> void {
    if (depth == labels.size()) {
      double product = 1;
      for (size_t i = 0; i < inputs.size(); ++i) product *= values[i][offset(inputs[i])];
      sums[offset(result)] += product;
      return;
    }
    for (int64_t i = 0; i < extents[labels[depth]]; ++i) {
      at[labels[depth]] = i;
      self(self, depth + 1);
    }
  };
  visit(visit, 0);
  return sums;
}

struct Example {
  std::vector<std::string> inputs;
  std::string result;
  std::vector<Shape> shapes;
};

TEST(EinsumTest, IsTheSumOfProductsOverTheLabels) {
  const std::vector<Example> examples = {
      {{"ij", "jk"}, "ik", {{3, 4}, {4, 5}}},
      {{"ij", "kj"}, "ki", {{3, 4}, {5, 4}}},
      {{"ab", "cdb"}, "cda", {{6, 7}, {2, 3, 7}}},
      {{"bxayc", "cyz"}, "zabx", {{2, 3, 4, 5, 6}, {6, 5, 7}}},
      {{"i", "j"}, "ij", {{3}, {4}}},
      {{"ij"}, "ji", {{3, 4}}},
      {{"ij"}, "j", {{3, 4}}},
      {{"ii"}, "i", {{5, 5}}},
      {{"iji", "j"}, "i", {{4, 3, 4}, {3}}},
      {{"iii"}, "", {{3, 3, 3}}},
      {{"bij", "bjk", "kl"}, "bil", {{2, 3, 4}, {2, 4, 5}, {5, 6}}},
      {{"ij", "ij"}, "ij", {{3, 4}, {3, 4}}},
      {{"ijq", "jk", "k"}, "i", {{3, 4, 2}, {4, 5}, {5}}},
      {{"bhqd", "bhkd"}, "bhqk", {{2, 3, 4, 5}, {2, 3, 6, 5}}},
      {{"i", "i", "i"}, "", {{4}, {4}, {4}}},
      {{"ij", "jk"}, "ik", {{3, 0}, {0, 5}}},
      {{"ij", "jk"}, "ik", {{1, 1}, {1, 1}}},
  };
  for (const Example& example : examples) {
    std::string text;
    std::vector<Array> arrays;
    for (size_t i = 0; i < example.inputs.size(); ++i) {
      text += (i ? "," : "") + example.inputs[i];
      arrays.push_back(numbers(example.shapes[i], static_cast<int>(i)));
    }
    text += "->" + example.result;
    EXPECT_EQ(einsum(text, arrays).to_vector<double>(), by_definition(example.inputs, example.result, arrays))
        << text;
  }
}

TEST(EinsumTest, TakesArraysOneByOne) {
  const Array x = testing::counting({3}), m = testing::counting({2, 3});
  EXPECT_EQ(einsum("i,i->", x, x).item<float>(), einsum("i,i->", {x, x}).item<float>());
  EXPECT_EQ(einsum("ij->ji", m).shape(), (Shape{3, 2}));
  EXPECT_EQ(einsum("ij,j,j->i", m, x, x).to_vector<float>(),
            einsum("ij,j,j->i", {m, x, x}).to_vector<float>());
  EXPECT_EQ(einsum(",ij", 2.0, m).type_string(), "f32[2,3]");
  EXPECT_EQ(einsum("i,,i->", x, 0.5, x).item<float>(), 2.5f);
  EXPECT_EQ(einsum("i,,i,i->", x, 0.5, x, x).item<float>(), 4.5f);
  EXPECT_EQ(testing::error_of([&] { einsum("i,i,i,ij->", x, x, x, x); }).find(testing::line(__LINE__)), 0u);
  const std::string labels = "ij,j,j,,j->i";
  EXPECT_EQ(einsum(labels, m, x, x, 2.0, x).to_vector<float>(),
            einsum(labels, {m, x, x, 2.0f, x}).to_vector<float>());
}

TEST(EinsumTest, ImpliesTheResultAndBroadcastsEllipses) {
  const Array x = numbers({2, 3, 4}, 1), y = numbers({1, 4, 5}, 2), m = numbers({3, 3}, 3);
  const Array tall = numbers({2, 4, 5}, 4);
  EXPECT_EQ(einsum("ba", {m}).to_vector<double>(), transpose(m).to_vector<double>());
  EXPECT_EQ(einsum("ii", {m}).to_vector<double>(), by_definition({"ii"}, "", {m}));
  EXPECT_EQ(einsum("...ij,...jk", {x, tall}).to_vector<double>(), matmul(x, tall).to_vector<double>());
  EXPECT_EQ(einsum("...ij, ...jk -> ...ik", {x, y}).to_vector<double>(), matmul(x, y).to_vector<double>());
  EXPECT_EQ(einsum("ij,...jk->...ki", {m, x}).to_vector<double>(),
            by_definition({"ij", "ajk"}, "aki", {m, x}));
}

TEST(EinsumTest, ItsRelatives) {
  const Array x = numbers({2, 3, 4}, 1), y = numbers({3, 4, 5}, 2), v = numbers({3}, 3), w = numbers({4}, 4);
  EXPECT_EQ(tensordot(x, y).to_vector<double>(), by_definition({"ijk", "jkl"}, "il", {x, y}));
  EXPECT_EQ(tensordot(x, y, {2}, {1}).to_vector<double>(), by_definition({"ijk", "akl"}, "ijal", {x, y}));
  EXPECT_EQ(outer(v, w).to_vector<double>(), by_definition({"i", "j"}, "ij", {v, w}));
  EXPECT_EQ(vdot(x, x).to_vector<double>(), by_definition({"ijk", "ijk"}, "", {x, x}));
}

// The order of arguments does not matter: one kernel, and no transpose.
TEST(EinsumTest, TheOrderOfOperandsDoesNotChangeTheKernel) {
  const Array w = numbers({60, 82}, 1), a = numbers({3, 10, 82}, 2);
  const auto first = jit([](Array p, Array q) { return einsum("ok,bck->bco", {p, q}); }).kernels(w, a);
  const auto second = jit([](Array p, Array q) { return einsum("bck,ok->bco", {q, p}); }).kernels(w, a);
  ASSERT_EQ(first.size(), 1u);
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(first[0].hash, second[0].hash);
}

TEST(EinsumTest, SaysWhatDoesNotFit) {
  const Array x = numbers({2, 3}, 1);
  EXPECT_NE(testing::error_of([&] {
              einsum("ij,jk->ik", {x, x});
            }).find("the label 'j' stands for axes of 3 and of 2 elements"),
            std::string::npos);
  EXPECT_NE(testing::error_of([&] {
              einsum("ijk->i", {x});
            }).find("'ijk' names 3 axes of an array that has 2, f64[2,3]"),
            std::string::npos);
  EXPECT_NE(testing::error_of([&] {
              einsum("ij->ik", {x});
            }).find("the result has the label 'k', which no array has"),
            std::string::npos);
  EXPECT_NE(testing::error_of([&] { einsum("ij->ii", {x}); }).find("the result has the label 'i' twice"),
            std::string::npos);
  EXPECT_NE(testing::error_of([&] { einsum("ij,jk", {x}); }).find("describes 2 arrays, but 1 were given"),
            std::string::npos);
  EXPECT_EQ(testing::error_of([&] { einsum("", {}); }).find(testing::line(__LINE__)), 0u);
  EXPECT_NE(testing::error_of([&] { einsum("i+->i", {x}); }).find("'+' is no label"), std::string::npos);
  EXPECT_NE(testing::error_of([&] {
              tensordot(x, x, 3);
            }).find("3 axes cannot be contracted of f64[2,3] and f64[2,3]"),
            std::string::npos);
}

// Large enough that sides are packed once for all threads: both sides' last chunks overlap those before, and
// a long contracted dimension has blocks.
void expect_product_of_rows(const Shape& x_shape, const Shape& w_shape) {
  const Array x = numbers(x_shape, 1), w = numbers(w_shape, 2);
  const int64_t m = x_shape[0], n = w_shape[0], k = x_shape[1];
  const Values a = x.to_vector<double>(), b = w.to_vector<double>();
  Values expected(static_cast<size_t>(m * n));
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t p = 0; p < k; ++p)
        sum += a[static_cast<size_t>(i * k + p)] * b[static_cast<size_t>(j * k + p)];
      expected[static_cast<size_t>(i * n + j)] = sum;
    }
  }
  for (DType dtype : {DType::kF32, DType::kF64}) {  // whole numbers: sums are exact
    const auto product = jit([&](Array x, Array w) { return einsum("mk,nk->mn", {x, w}); });
    const Array y = product(x.astype(dtype), w.astype(dtype));
    EXPECT_EQ(y.astype(DType::kF64).to_vector<double>(), expected) << m << " " << n << " " << k;
  }
}

TEST(EinsumTest, LargeProductsOfRowsAreRight) {
  expect_product_of_rows({700, 400}, {520, 400});
  expect_product_of_rows({301, 3000}, {530, 3000});
  expect_product_of_rows({101, 130}, {4100, 130});  // the rows are packed once, too
}

// Rows from two dimensions, packed once for all chunks of n.
TEST(EinsumTest, SharedRowsOfTwoDimensionsAreRight) {
  const int64_t a = 40, b = 9, k = 70, n = 4100;
  const Array x = numbers({a, k, b}, 1), w = numbers({k, n}, 2);
  const Values xs = x.to_vector<double>(), ws = w.to_vector<double>();
  Values expected(static_cast<size_t>(a * b * n));
  for (int64_t i = 0; i < a * b; ++i) {
    for (int64_t p = 0; p < k; ++p) {
      const double factor = xs[static_cast<size_t>((i / b * k + p) * b + i % b)];
      for (int64_t j = 0; j < n; ++j)
        expected[static_cast<size_t>(i * n + j)] += factor * ws[static_cast<size_t>(p * n + j)];
    }
  }
  const auto product = jit([](Array x, Array w) { return einsum("akb,kn->abn", {x, w}); });
  const Array y = product(x.astype(DType::kF32), w.astype(DType::kF32));
  EXPECT_EQ(y.astype(DType::kF64).to_vector<double>(), expected);
}

}  // namespace
}  // namespace ingot
