// Attention whose scores reach 100 and more on both sides, where a softmax without its maximum, or with a
// wrong one, overflows or is 0 / 0: forward and gradient against plain loops in f64.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "../../examples/programs/report.h"
#include "ingot/ingot.h"

namespace {

using ingot::Array;
using ingot::DType;

constexpr int64_t kDepth = 16;
constexpr double kSpread = 4.4;  // of q and k: scores have a deviation of 26
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<double> wide(const Array& x) {
  return x.astype(DType::kF64).to_vector<double>();
}

struct Reference {
  std::vector<double> y, dq, dk, dv;
  double largest_score = 0;  // of magnitude
};

// Rows of length kDepth; the scale is 1. `bias` is empty or [queries, keys].
Reference reference(const std::vector<double>& q, const std::vector<double>& k, const std::vector<double>& v,
                    const std::vector<double>& dy, const std::vector<double>& bias, bool causal) {
  const size_t queries = q.size() / kDepth, keys = k.size() / kDepth;
  Reference r;
  r.y.resize(q.size());
  r.dq.resize(q.size());
  r.dk.resize(k.size());
  r.dv.resize(v.size());
  const auto dot = [](const double* a, const double* b) {
    double sum = 0;
    for (int64_t d = 0; d < kDepth; ++d) sum += a[d] * b[d];
    return sum;
  };
  std::vector<double> p(keys), dp(keys);
  for (size_t i = 0; i < queries; ++i) {
    const size_t seen = causal ? std::min(i + 1, keys) : keys;
    double most = -kInfinity, sum = 0, mean = 0;
    for (size_t j = 0; j < seen; ++j) {
      p[j] = dot(&q[i * kDepth], &k[j * kDepth]);
      r.largest_score = std::max(r.largest_score, std::abs(p[j]));
      if (!bias.empty()) p[j] += bias[i * keys + j];
      most = std::max(most, p[j]);
    }
    for (size_t j = 0; j < seen; ++j) sum += p[j] = std::exp(p[j] - most);
    for (size_t j = 0; j < seen; ++j) {
      p[j] /= sum;
      dp[j] = dot(&dy[i * kDepth], &v[j * kDepth]);
      mean += p[j] * dp[j];
    }
    for (size_t j = 0; j < seen; ++j) {
      const double ds = p[j] * (dp[j] - mean);
      for (size_t d = 0; d < kDepth; ++d) {
        r.y[i * kDepth + d] += p[j] * v[j * kDepth + d];
        r.dv[j * kDepth + d] += p[j] * dy[i * kDepth + d];
        r.dq[i * kDepth + d] += ds * k[j * kDepth + d];
        r.dk[j * kDepth + d] += ds * q[i * kDepth + d];
      }
    }
  }
  return r;
}

// Errors are judged by the largest element: a small one is what large ones have cancelled to.
void expect_close(const std::string& what, const Array& got, const std::vector<double>& want,
                  double tolerance) {
  const std::vector<double> values = wide(got);
  ASSERT_EQ(values.size(), want.size());
  double largest = 1;
  for (double x : want) {
    if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  }
  for (size_t i = 0; i < want.size(); ++i) {
    if (std::isnan(want[i])) {
      ASSERT_TRUE(std::isnan(values[i])) << what << " " << i << " is " << values[i];
    } else {
      ASSERT_NEAR(values[i], want[i], tolerance * largest) << what << " " << i;
    }
  }
}

struct Inputs {
  Array q, k, v, dy;
};

Inputs inputs(int64_t queries, int64_t keys, DType dtype) {
  return {programs::random_array({queries, kDepth}, 1, -kSpread, kSpread).astype(dtype),
          programs::random_array({keys, kDepth}, 2, -kSpread, kSpread).astype(dtype),
          programs::random_array({keys, kDepth}, 3).astype(dtype),
          programs::random_array({queries, kDepth}, 4).astype(dtype)};
}

// Few keys are one block, many are gone through in blocks.
TEST(AttentionExtremesTest, LargeScores) {
  for (const int64_t length : {37, 1024}) {
    for (const DType dtype : {DType::kF32, DType::kBF16}) {
      for (const bool causal : {false, true}) {
        const Inputs x = inputs(length, length, dtype);
        const Reference want = reference(wide(x.q), wide(x.k), wide(x.v), wide(x.dy), {}, causal);
        EXPECT_GT(want.largest_score, length > 100 ? 100 : 50);
        const auto attend = [causal](Array q, Array k, Array v) {
          return ingot::attention(q, k, v, {.causal = causal, .scale = 1.0});
        };
        const Array dy = x.dy;
        const auto backward = ingot::jit([attend](Array q, Array k, Array v, Array ct) {
          return ingot::grad<0, 1, 2>([&](Array a, Array b, Array c) {
            return ingot::sum((attend(a, b, c) * ct).astype(DType::kF32));
          })(q, k, v);
        });
        const double tolerance = dtype == DType::kF32 ? 5e-5 : 8e-3;
        SCOPED_TRACE(std::string(ingot::name_of(dtype)) + (causal ? ", causal, " : ", ") +
                     std::to_string(length));
        expect_close("y", ingot::jit(attend)(x.q, x.k, x.v), want.y, tolerance);
        const auto [dq, dk, dv] = backward(x.q, x.k, x.v, dy);
        expect_close("dq", dq, want.dq, tolerance);
        expect_close("dk", dk, want.dk, tolerance);
        expect_close("dv", dv, want.dv, tolerance);
      }
    }
  }
}

// Rows of which a bias leaves nothing, one key, or one that is far above all others; and rows that are moved
// as a whole, which changes nothing.
TEST(AttentionExtremesTest, RowsOfExtremeBiases) {
  for (const int64_t length : {37, 1024}) {
    std::vector<double> bias(static_cast<size_t>(length * length), 0);
    const auto row = [&](int64_t i) { return bias.begin() + i * length; };
    std::fill(row(8), row(9), -kInfinity);  // but one:
    *(row(8) + length - 2) = -100;
    *(row(9) + 3) = 1e5;
    std::fill(row(10), row(11), 100);
    std::fill(row(11), row(12), -100);
    *(row(12) + 5) = -kInfinity;
    for (int64_t j = 0; j < length; j += 2) *(row(13) + j) = j % 4 == 0 ? 1e4 : -1e4;
    for (const bool nothing : {false, true}) {
      if (nothing) std::fill(row(7), row(8), -kInfinity);
      const Inputs x = inputs(length, length, DType::kF32);
      const Reference want = reference(wide(x.q), wide(x.k), wide(x.v), wide(x.dy), bias, false);
      EXPECT_EQ(std::isnan(want.y[7 * kDepth]), nothing);
      std::vector<float> narrow(bias.begin(), bias.end());
      const Array b = Array::from({length, length}, narrow);
      const auto attend = [](Array q, Array k, Array v, Array bias_array) {
        return ingot::attention(q, k, v, {.scale = 1.0, .bias = bias_array});
      };
      SCOPED_TRACE(std::to_string(length) + (nothing ? ", a row of nothing" : ""));
      // Scores near 1e4 are rounded to 1e-3.
      expect_close("y", ingot::jit(attend)(x.q, x.k, x.v, b), want.y, 2e-3);
      if (nothing) continue;
      const auto backward = ingot::jit([attend](Array q, Array k, Array v, Array bias_array, Array ct) {
        return ingot::grad<0, 1, 2>(
            [&](Array a, Array c, Array d) { return ingot::sum(attend(a, c, d, bias_array) * ct); })(q, k, v);
      });
      const auto [dq, dk, dv] = backward(x.q, x.k, x.v, b, x.dy);
      expect_close("dq", dq, want.dq, 2e-3);
      expect_close("dk", dk, want.dk, 2e-3);
      expect_close("dv", dv, want.dv, 2e-3);
    }
  }
}

}  // namespace
