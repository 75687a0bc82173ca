// Attention against its definition, and against itself without blocks.
#include <cmath>
#include <limits>

#include "../../examples/programs/report.h"
#include "base/options.h"
#include "frontend/testing.h"

namespace {

using ingot::Array;
using ingot::testing::error_of;
using programs::random_array;

void expect_close(const Array& x, const Array& y, double tolerance) {
  const std::vector<float> a = x.to_vector<float>(), b = y.to_vector<float>();
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], tolerance) << i;
}

Array defined(const Array& q, const Array& k, const Array& v, bool causal) {
  Array scores = ingot::einsum("bqd,bkd->bqk", {q, k}) / std::sqrt(static_cast<double>(q.shape()[2]));
  if (causal) {
    const Array i = ingot::iota(ingot::DType::kS32, scores.shape(), 1),
                j = ingot::iota(ingot::DType::kS32, scores.shape(), 2);
    scores = ingot::where(i >= j, scores, -1e30);
  }
  const Array weights = ingot::exp(scores);
  return ingot::einsum("bqk,bkd->bqd", {weights / ingot::sum(weights, 2, ingot::kKeepDims), v});
}

TEST(AttentionTest, IsItsDefinitionForAnyNumberOfKeys) {
  for (const int64_t keys : {1, 5, 256, 512, 777}) {
    for (const bool causal : {false, true}) {
      const Array q = random_array({2, 400, 8}, 1), k = random_array({2, keys, 8}, 2),
                  v = random_array({2, keys, 8}, 3);
      const auto f = ingot::jit(
          [causal](Array a, Array b, Array c) { return ingot::attention(a, b, c, {.causal = causal}); });
      expect_close(f(q, k, v), defined(q, k, v, causal), 2e-5);
    }
  }
}

TEST(AttentionTest, LongOnesDoNotMakeTheSquare) {
  const Array q = random_array({1024, 16}, 1);
  const auto f = ingot::jit([](Array a) { return ingot::attention(a, a, a, {.causal = true}); });
  EXPECT_NE(f.compile(q).text().find("scan("), std::string::npos);
  EXPECT_EQ(f.compile(q).text().find("f32[1024,1024]"), std::string::npos);
  ingot::Options::global().set("INGOT_SKIP_PASSES", "online_softmax");
  const auto whole = ingot::jit([](Array a) { return ingot::attention(a, a, a, {.causal = true}); });
  const Array expected = whole(q);
  EXPECT_EQ(whole.compile(q).text().find("scan("), std::string::npos);
  ingot::Options::global().set("INGOT_SKIP_PASSES", "");
  expect_close(f(q), expected, 1e-5);
}

// One kernel, whatever the batch and the mask, and whether or not blocks divide the keys; and the same result
// as without blocks.
TEST(AttentionTest, LongOnesAreOneKernel) {
  struct Case {
    ingot::Shape batch;
    int64_t queries, keys, depth;
    bool causal;
  };
  const std::vector<Case> cases = {{{}, 640, 640, 16, false},      {{2, 3}, 640, 640, 24, true},
                                   {{3}, 601, 777, 20, true},      {{2}, 777, 601, 33, true},
                                   {{2, 2}, 601, 1031, 40, false}, {{}, 1031, 601, 17, true}};
  for (const Case& c : cases) {
    const auto shape = [&](int64_t rows) {
      ingot::Shape s = c.batch;
      s.insert(s.end(), {rows, c.depth});
      return s;
    };
    const Array q = random_array(shape(c.queries), 1), k = random_array(shape(c.keys), 2),
                v = random_array(shape(c.keys), 3);
    const bool causal = c.causal;
    const auto attend = [causal](Array a, Array b, Array d) {
      return ingot::attention(a, b, d, {.causal = causal});
    };
    const auto blocks = ingot::jit(attend);
    EXPECT_EQ(blocks.compile(q, k, v).kernels().size(), 1u);
    ingot::Options::global().set("INGOT_SKIP_PASSES", "online_softmax");
    const auto whole = ingot::jit([attend](Array a, Array b, Array d) { return attend(a, b, d); });
    const Array expected = whole(q, k, v);
    ingot::Options::global().set("INGOT_SKIP_PASSES", "");
    expect_close(blocks(q, k, v), expected, 1e-5);
  }
}

// A first block without any score that counts, and rows that see nothing at all: NaN there, as a softmax
// gives.
TEST(AttentionTest, BlocksWithoutScores) {
  const int64_t keys = 700;
  const Array q = random_array({512, 8}, 1), k = random_array({keys, 8}, 2), v = random_array({keys, 8}, 3);
  const float inf = std::numeric_limits<float>::infinity();
  std::vector<float> bias(static_cast<size_t>(512 * keys), 0);
  for (int64_t row = 0; row < 512; ++row) {
    for (int64_t key = 0; key < (row == 7 ? keys : 300); ++key)
      bias[static_cast<size_t>(row * keys + key)] = -inf;
  }
  const auto f =
      ingot::jit([](Array a, Array b, Array c, Array d) { return ingot::attention(a, b, c, {.bias = d}); });
  const std::vector<float> result = f(q, k, v, Array::from({512, keys}, bias)).to_vector<float>();
  const Array seen =
      ingot::attention(q, ingot::slice_axis(k, 0, 300, keys), ingot::slice_axis(v, 0, 300, keys));
  const std::vector<float> expected = seen.to_vector<float>();
  for (size_t i = 0; i < result.size(); ++i) {
    if (i / 8 == 7)
      EXPECT_TRUE(std::isnan(result[i]));
    else
      ASSERT_NEAR(result[i], expected[i], 1e-5) << i;
  }
}

struct Gradient {
  bool again, deep, causal;
  Array operator()(Array q, Array k, Array v, Array dy) const {
    const bool mask = causal, further = deep;
    const auto attend = [mask](Array a, Array b, Array c) {
      return ingot::attention(a, b, c, {.causal = mask});
    };
    const bool anew = again;
    const auto loss = [=](Array a, Array b, Array c) {
      const Array y = anew ? ingot::checkpoint(attend)(a, b, c) : attend(a, b, c);
      return ingot::sum((further ? ingot::tanh(y) : y) * dy);
    };
    const auto [dq, dk, dv] = ingot::grad<0, 1, 2>(loss)(q, k, v);
    return ingot::concatenate({dq, dk, dv}, 0);
  }
};

// The gradient makes no square either, whether the way there is computed anew, needed as well, or masked.
TEST(AttentionTest, GradientsOfLongOnesDoNotMakeTheSquare) {
  const ingot::Shape shape = {1, 2, 1024, 16};
  const Array q = random_array(shape, 1), k = random_array(shape, 2), v = random_array(shape, 3),
              dy = random_array(shape, 4);
  for (const bool again : {false, true}) {
    for (const bool deep : {false, true}) {
      for (const bool causal : {false, true}) {
        const Gradient f{again, deep, causal};
        const auto blocks = ingot::jit(f);
        EXPECT_EQ(blocks.compile(q, k, v, dy).text().find("1024,1024]"), std::string::npos);
        ingot::Options::global().set("INGOT_SKIP_PASSES", "row_blocks");
        const auto whole = ingot::jit([f](Array a, Array b, Array c, Array d) { return f(a, b, c, d); });
        const Array expected = whole(q, k, v, dy);
        EXPECT_NE(whole.compile(q, k, v, dy).text().find("1024,1024]"), std::string::npos);
        ingot::Options::global().set("INGOT_SKIP_PASSES", "");
        expect_close(blocks(q, k, v, dy), expected, 2e-5);
      }
    }
  }
}

TEST(AttentionTest, MemoryOfTheGradientIsLinearInLength) {
  std::vector<double> bytes_per_row;
  for (const int64_t length : {1024, 2048, 4096}) {
    const Array x = Array::zeros({2, 4, length, 64});
    const auto f = ingot::jit(Gradient{true, false, false});
    bytes_per_row.push_back(static_cast<double>(f.compile(x, x, x, x).peak_bytes()) /
                            static_cast<double>(length));
  }
  EXPECT_LT(bytes_per_row[1], bytes_per_row[0] * 1.05);
  EXPECT_LT(bytes_per_row[2], bytes_per_row[0] * 1.05);
}

TEST(AttentionTest, SaysWhatDoesNotFit) {
  const Array q = random_array({4, 8}, 1), k = random_array({5, 7}, 2);
  EXPECT_NE(
      error_of([&] { ingot::attention(q, k, k); }).find("their last axes must have one extent, the depth"),
      std::string::npos);
  EXPECT_NE(error_of([&] { ingot::attention(q, q, k); }).find("the number of keys"), std::string::npos);
}

}  // namespace
