// Layers against those of flax (golden/jax_layers.py wrote the values), their derivatives, and errors.
#include "frontend/golden_values.h"
#include "ingot/nn.h"

namespace ingot {
namespace {

using testing::error_of;
using testing::golden_difference;
using testing::line;

Array numbers(const Shape& shape, float step) {
  return sin(arange(element_count(shape)).astype(DType::kF32) * step).reshape(shape);
}

void expect(const char* name, const Array& value) {
  static const auto golden = testing::read_golden(INGOT_TEST_DIR "/golden/jax_layers.txt");
  ASSERT_TRUE(golden.contains(name)) << name;
  EXPECT_EQ(golden_difference(value, golden.at(name), 16, 3e-6), "") << name;
}

Array input() {
  return numbers({2, 5, 8}, 0.3f);
}
nn::Norm norm() {
  return {numbers({8}, 0.7f) + 1, numbers({8}, 0.2f)};
}

TEST(LayersTest, Products) {
  expect("dense", nn::dense({numbers({8, 3}, 0.4f), numbers({3}, 1)}, input()));
  expect("conv", nn::conv({numbers({3, 8, 3}, 0.4f), numbers({3}, 1)}, input()));
  const nn::Conv two{numbers({3, 3, 4, 2}, 0.4f), numbers({2}, 1)};
  expect("conv_2d",
         nn::conv(two, numbers({2, 6, 5, 4}, 0.3f), {.strides = {2}, .padding = ConvPadding::kSame}));
  expect("embed", nn::embed({numbers({6, 4}, 0.5f)}, Array::from({2, 2}, std::vector<int>{1, 5, 0, 2})));
}

TEST(LayersTest, Norms) {
  expect("layer_norm", nn::layer_norm(norm(), input()));
  expect("rms_norm", nn::rms_norm(norm().scale, input()));
  expect("group_norm", nn::group_norm(norm(), input(), 4));
  const nn::BatchStats stats{numbers({8}, 0.9f), numbers({8}, 0.1f) + 2};
  expect("batch_norm", nn::batch_norm(norm(), stats, input()));
  const auto [y, next] = nn::batch_norm_train(norm(), stats, input(), {.momentum = 0.9});
  expect("batch_norm_train", y);
  expect("batch_norm_mean", next.mean);
  expect("batch_norm_var", next.var);
}

nn::Dense projection(float step) {
  return {numbers({8, 8}, step), numbers({8}, step + 1)};
}

TEST(LayersTest, Attention) {
  const nn::MultiHeadAttention layer{projection(0.31f), projection(0.37f), projection(0.41f),
                                     projection(0.43f), 2};
  expect("attention", nn::multi_head_attention(layer, input()));
  expect("attention_causal", nn::multi_head_attention(layer, input(), {.causal = true}));
  expect("attention_cross", nn::multi_head_attention(layer, input().slices({{}, {0, 2}}), input()));
  // The number of heads is static: gradients are of the arrays.
  const auto f = jit([](nn::MultiHeadAttention l, Array x) { return sum(nn::multi_head_attention(l, x)); });
  const nn::MultiHeadAttention slope = grad(f)(layer, input());
  EXPECT_EQ(slope.heads, 2);
  for (const float g : slope.out.b.to_vector<float>()) EXPECT_NEAR(g, 10, 1e-4);
}

TEST(LayersTest, RecurrentCells) {
  const Array x = index_axis(input(), 1, 0), h = numbers({2, 4}, 0.6f), c = numbers({2, 4}, 0.8f);
  const Array wx = numbers({8, 16}, 0.13f), wh = numbers({4, 16}, 0.17f), b = numbers({16}, 0.19f);
  expect("lstm", nn::lstm({wx, wh, b}, {h, c}, x).h);
  const auto part = [](const Array& w, int64_t features) { return slice_axis(w, -1, 0, features); };
  expect("gru", nn::gru({part(wx, 12), part(wh, 12), part(b, 12), numbers({4}, 0.23f)}, h, x));
  expect("rnn", nn::rnn({part(wx, 4), part(wh, 4), part(b, 4)}, h, x));
}

TEST(LayersTest, CellsRunInScansAndHaveDerivatives) {
  const Array key = random::key(1), xs = numbers({7, 2, 8}, 0.3f);
  const nn::Lstm cell = nn::lstm_init(key, 8, 4);
  const auto last = jit([](nn::Lstm l, Array sequence) {
    const nn::LstmState zero{Array::zeros({2, 4}), Array::zeros({2, 4})};
    const auto step = [&](nn::LstmState s, Array x) {
      const nn::LstmState next = nn::lstm(l, s, x);
      return std::pair(next, next.h);
    };
    return sum(square(scan(step, zero, sequence).second));
  });
  nn::Lstm moved = cell;
  const nn::Lstm slope = grad(last)(cell, xs);
  const float eps = 1e-2f;
  moved.b = cell.b + eps * slope.b;
  const float expected = sum(slope.b * slope.b).item<float>() * eps;
  EXPECT_NEAR(last(moved, xs).item<float>() - last(cell, xs).item<float>(), expected, 0.1f * expected);
  EXPECT_EQ(nn::gru_init(key, 8, 4).wx.type_string(), "f32[8,12]");
  EXPECT_EQ(nn::rnn_init(key, 8, 4).wh.type_string(), "f32[4,4]");
}

TEST(LayersTest, FirstParameters) {
  const Array key = random::key(1);
  const nn::Dense dense = nn::dense_init(key, 100, 200, {.w = nn::he_normal, .b = nn::ones});
  EXPECT_EQ(dense.w.type_string(), "f32[100,200]");
  EXPECT_NEAR(std_(dense.w).item<float>(), std::sqrt(2.f / 100), 3e-3);
  EXPECT_EQ(dense.b.to_vector<float>(), std::vector<float>(200, 1));
  EXPECT_EQ(nn::conv_init(key, {3, 3}, 8, 16, {.dtype = DType::kBF16}, 2).w.type_string(), "bf16[3,3,4,16]");
  EXPECT_NEAR(std_(nn::embedding_init(key, 500, 64).table).item<float>(), 1.f / 8, 5e-3);
  EXPECT_EQ(nn::multi_head_attention_init(key, 8, 2).query.w.type_string(), "f32[8,8]");
  EXPECT_EQ(nn::norm_init(3).scale.to_vector<float>(), (std::vector<float>{1, 1, 1}));
  EXPECT_EQ(nn::batch_stats_init(2).var.to_vector<float>(), (std::vector<float>{1, 1}));
}

TEST(LayersTest, DropoutKeepsTheMean) {
  const Array x = Array::ones({100, 100}), y = nn::dropout(random::key(3), x, 0.25);
  EXPECT_NEAR(mean(y).item<float>(), 1, 0.02);
  EXPECT_NEAR(mean((y == 0).astype(DType::kF32)).item<float>(), 0.25, 0.02);
  EXPECT_EQ(nn::dropout(random::key(3), x, 0).to_vector<float>(), x.to_vector<float>());
  EXPECT_EQ(sum(nn::dropout(random::key(3), x, 1)).item<float>(), 0);
}

TEST(LayersTest, ErrorsNameTheLayer) {
  const Array key = random::key(1), x = numbers({2, 5}, 1);
  const nn::Dense dense = nn::dense_init(key, 4, 3);
  EXPECT_EQ(error_of([&] { nn::dense(dense, x); }),
            line(__LINE__ - 1) +
                "nn::dense: x is f32[2,5], but its last axis should have 4 features, as the parameters have");
  EXPECT_EQ(error_of([&] { nn::group_norm(nn::norm_init(5), x, 2); }),
            line(__LINE__ - 1) + "nn::group_norm: 2 groups do not divide 5 features");
  EXPECT_EQ(error_of([&] { nn::multi_head_attention_init(key, 8, 3); }),
            line(__LINE__ - 1) + "nn::multi_head_attention_init: 3 heads do not divide 8 features");
  EXPECT_EQ(error_of([&] { nn::dropout(key, x, 1.5); }),
            line(__LINE__ - 1) + "nn::dropout: the rate is 1.500000, but should be from 0 to 1");
  const std::vector<int64_t> four = {3, 3, 3, 3};
  EXPECT_EQ(error_of([&] { nn::conv_init(key, four, 1, 1); }),
            line(__LINE__ - 1) + "nn::conv_init: the window has 4 extents, but should have one to three");
}

}  // namespace
}  // namespace ingot
