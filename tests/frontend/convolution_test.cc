// The functions for convolutions, against values of JAX (golden/ has them and the program that wrote them),
// and their errors.
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

#include "frontend/testing.h"

namespace ingot {
namespace {

using testing::error_of;
using testing::f32;

// Element i is (i * factor mod modulus - modulus / 2) / 4.
Array numbers(const Shape& shape, int64_t factor, int64_t modulus) {
  std::vector<double> values(static_cast<size_t>(element_count(shape)));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<double>(static_cast<int64_t>(i) * factor % modulus - modulus / 2) / 4;
  return Array::from(shape, values);
}

struct Case {
  Shape lhs, rhs;
  std::function<Array(Array, Array)> function;
};

Case general(Shape lhs, Shape rhs, const ConvOptions& options) {
  return {std::move(lhs), std::move(rhs), [=](Array x, Array w) { return conv_general(x, w, options); }};
}

const std::map<std::string, Case>& cases() {
  const auto same = ConvPadding::kSame;
  static const std::map<std::string, Case> list = {
      {"same", general({2, 5, 4, 3}, {3, 2, 3, 2}, {.padding = same})},
      {"valid", {{2, 5, 4, 3}, {3, 2, 3, 2}, [](Array x, Array w) { return conv2d(x, w); }}},
      {"same_strided", general({1, 7, 6, 2}, {3, 3, 2, 2}, {.strides = {2, 3}, .padding = same})},
      {"nchw", general({2, 3, 5, 4}, {2, 3, 3, 2},
                       {.strides = {2, 1}, .padding = same, .lhs_layout = "NCHW", .rhs_layout = "OIHW"})},
      {"mixed", general({3, 5, 2, 4}, {2, 3, 2, 3},
                        {.strides = {1, 2},
                         .padding = {{1, 2}, {0, 1}},
                         .lhs_layout = "CHNW",
                         .rhs_layout = "OIHW",
                         .out_layout = "HNWC"})},
      {"negative", general({1, 9, 2}, {2, 2, 3}, {.padding = {{-2, -1}}})},
      {"dilated", general({1, 4, 2}, {2, 2, 3},
                          {.strides = {2}, .padding = {{7, 5}}, .lhs_dilation = {3}, .rhs_dilation = {6}})},
      {"groups", general({2, 5, 4}, {3, 2, 6}, {.padding = same, .feature_groups = 2})},
      {"batch_groups", general({4, 5, 3}, {3, 3, 6}, {.padding = same, .batch_groups = 2})},
      {"causal_depthwise",
       {{2, 6, 4},
        {3, 1, 4},
        [](Array x, Array w) {
          return depthwise_conv(x, w, {.padding = {{2, 0}}});
        }}},
      {"cube",
       {{1, 3, 4, 3, 2},
        {2, 2, 2, 2, 1},
        [](Array x, Array w) {
          return conv3d(x, w, {.strides = {1, 2, 1}, .padding = ConvPadding::kSame});
        }}},
      {"transpose_same",
       {{1, 3, 4, 2},
        {3, 2, 2, 2},
        [](Array x, Array w) {
          return conv_transpose(x, w, {.strides = {2, 3}, .padding = ConvPadding::kSame});
        }}},
      {"transpose_valid",
       {{1, 3, 4, 2},
        {3, 2, 2, 2},
        [](Array x, Array w) {
          return conv_transpose(x, w, {.strides = {2, 3}});
        }}},
  };
  return list;
}

using Values = std::map<std::string, std::vector<double>>;

std::map<std::string, Values> golden() {
  std::map<std::string, Values> list;
  std::ifstream file(INGOT_TEST_DIR "/golden/jax_convolutions.txt");
  std::string text, name;
  while (std::getline(file, text)) {
    std::istringstream words(text);
    std::string label;
    words >> label;
    if (text[0] != ' ') {
      name = label;
      continue;
    }
    double value;
    while (words >> value) list[name][label].push_back(value);
  }
  return list;
}

void expect_equal(const Array& actual, const std::vector<double>& expected, const std::string& what) {
  const std::vector<double> values = actual.to_vector<double>();
  ASSERT_EQ(values.size(), expected.size()) << what;
  for (size_t i = 0; i < values.size(); ++i)  // sums of multiples of 1/16: exact
    EXPECT_EQ(values[i], expected[i]) << what << ", element " << i;
}

TEST(ConvolutionTest, AgreesWithJax) {
  const auto golden_values = golden();
  EXPECT_EQ(golden_values.size(), cases().size());
  for (const auto& [name, c] : cases()) {
    ASSERT_TRUE(golden_values.contains(name)) << name;
    const Values& values = golden_values.at(name);
    const Array x = numbers(c.lhs, 7, 13), w = numbers(c.rhs, 5, 11);
    const Array out = c.function(x, w);
    EXPECT_EQ(std::vector<double>(out.shape().begin(), out.shape().end()), values.at("shape")) << name;
    expect_equal(out, values.at("value"), name);
    const Array weights = numbers(out.shape(), 3, 7);
    const auto& function = c.function;
    const auto [gx, gw] = grad<0, 1>([&](Array a, Array b) { return sum(function(a, b) * weights); })(x, w);
    expect_equal(gx, values.at("grad_x"), name + ", gradient in x");
    expect_equal(gw, values.at("grad_w"), name + ", gradient in w");
  }
}

// What an error says behind the caller's line, which is one of this file.
template <class F>
std::string message_of(F f) {
  const std::string text = error_of(f), file = "convolution_test.cc:";
  const size_t at = text.find(file);
  return at == std::string::npos ? text : text.substr(text.find(": ", at + file.size()) + 2);
}

TEST(ConvolutionTest, ErrorsNameTheLineAndWhatWouldHaveBeenRight) {
  const Array x = f32({1, 5, 5, 3}), w = f32({3, 3, 3, 4});
  EXPECT_EQ(message_of([&] {
              conv2d(f32({5, 5, 3}), w);
            }),
            "conv2d: takes arrays of 4 dimensions (batch, features, and 2 spatial), but the "
            "first is f32[5,5,3]");
  EXPECT_EQ(message_of([&] {
              conv_general(x, f32({3, 3, 4}));
            }),
            "conv_general: the arrays f32[1,5,5,3] and f32[3,3,4] must have one rank: the "
            "spatial dimensions, and two more for batch or features");
  EXPECT_EQ(message_of([&] {
              conv2d(x, w, {.strides = {1, 2, 3}});
            }),
            "conv2d: strides has 3 entries, but there are 2 spatial dimensions; give one per "
            "dimension, or one for all");
  EXPECT_EQ(message_of([&] {
              conv2d(x, w, {.padding = {{1, 1}, {1, 1}, {1, 1}}});
            }),
            "conv2d: padding has 3 pairs, but there are 2 spatial dimensions; give one pair "
            "per dimension, or one for all");
  EXPECT_EQ(message_of([&] { conv2d(x, w, {.lhs_layout = "NHC"}); }),
            "conv2d: lhs_layout is \"NHC\", but the array has 4 dimensions; give one letter per dimension");
  EXPECT_EQ(message_of([&] { conv2d(x, w, {.rhs_layout = "HWOO"}); }),
            "conv2d: rhs_layout is \"HWOO\", but should have the letter O once");
  EXPECT_NE(message_of([&] {
              jit([](Array a, Array b) { return conv2d(a, b); }).lower(x, f32({3, 3, 2, 4}));
            })
                .find("convolution: dimension 3 of f32[1,5,5,3] holds 3 features, so dimension 2 of "
                      "f32[3,3,2,4], the input features, must have extent 3, not 2"),
            std::string::npos);
}

}  // namespace
}  // namespace ingot
