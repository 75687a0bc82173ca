// Flops and bytes that reports tell, against counts by hand: the work that the program asks for, whichever
// pieces and paddings its kernels go through.
#include "frontend/testing.h"

namespace ingot {
namespace {

using testing::f32;

struct Work {
  int64_t kernels = 0, flops = 0, read = 0, written = 0;
  bool operator==(const Work&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Work& work) {
  return out << work.kernels << " kernels, " << work.flops << " flops, " << work.read << " bytes read, "
             << work.written << " written";
}

template <class F, class... Args>
Work work_of(const F& f, const Args&... args) {
  Work work;
  for (const KernelInfo& kernel : jit(f, {.name = "f"}).kernels(args...)) {
    ++work.kernels;
    work.flops += kernel.flops;
    work.read += kernel.bytes_read;
    work.written += kernel.bytes_written;
  }
  return work;
}

TEST(CountedWorkTest, PiecesCountForTheirOwnElements) {
  const auto ten = [](Array x) {
    std::vector<Array> pieces;
    for (int i = 0; i < 10; ++i)
      pieces.push_back(x.slice({100 * i, 100 * i + 100}) + static_cast<float>(i + 1));
    return concatenate(pieces, 0);
  };
  EXPECT_EQ(work_of(ten, f32({1000})), (Work{1, 1000, 4000, 4000}));
  const auto unequal = [](Array x, Array y) { return concatenate({x * 2, y + x[0]}, 0); };
  EXPECT_EQ(work_of(unequal, f32({300}), f32({500})), (Work{1, 300 + 500, 4 * 800, 4 * 800}));
  // Along the last axis, of two operations each.
  const auto columns = [](Array x, Array y) { return concatenate({x * x + 1, y * 2 - 3}, 1); };
  EXPECT_EQ(work_of(columns, f32({20, 30}), f32({20, 50})), (Work{1, 2 * 20 * 80, 4 * 20 * 80, 4 * 20 * 80}));
  // Nothing is computed.
  const auto joined = [](Array x, Array y) { return concatenate({x, y, x}, 0); };
  EXPECT_EQ(work_of(joined, f32({300}), f32({500})), (Work{1, 0, 4 * 800, 4 * 1100}));
}

TEST(CountedWorkTest, PaddingIsNotComputed) {
  const auto padded = [](Array x) { return pad(x * 3, {2, 1}, {4, 2}, 1.0f); };
  EXPECT_EQ(work_of(padded, f32({40, 50})), (Work{1, 40 * 50, 4 * 40 * 50, 4 * 46 * 53}));
  const auto between = [](Array x) { return pad(x * 3, {0}, {0}, 0.0f, {2}); };
  EXPECT_EQ(work_of(between, f32({100})), (Work{1, 100, 400, 4 * 298}));
}

// Terms of a convolution: pairs of a place in the result and one in the window that meet inside of x.
int64_t pairs(int64_t n, int64_t window, int64_t out, int64_t stride, int64_t low, int64_t dilation) {
  int64_t count = 0;
  for (int64_t o = 0; o < out; ++o) {
    for (int64_t k = 0; k < window; ++k) {
      const int64_t at = o * stride + k - low;
      count += at >= 0 && at <= (n - 1) * dilation && at % dilation == 0;
    }
  }
  return count;
}

TEST(CountedWorkTest, ConvolutionsWithoutTheirZeros) {
  const auto same = [](Array x, Array w) { return conv2d(x, w, {.padding = ConvPadding::kSame}); };
  const int64_t h = pairs(28, 3, 28, 1, 1, 1), w = pairs(20, 5, 20, 1, 2, 1);
  EXPECT_EQ(h, 28 * 3 - 2);
  EXPECT_EQ(work_of(same, f32({2, 28, 20, 8}), f32({3, 5, 8, 16})),
            (Work{1, 2 * 2 * h * w * 8 * 16, 4 * (2 * 28 * 20 * 8 + 3 * 5 * 8 * 16), 4 * 2 * 28 * 20 * 16}));
  // One that reads what lies in another order than the program's: its zeros are chosen, not left out.
  ConvOptions nchw;
  nchw.lhs_layout = "NCHW", nchw.rhs_layout = "OIHW", nchw.padding = {{1, 1}};
  const auto two = [=](Array x, Array a, Array b) { return conv_general(conv_general(x, a, nchw), b, nchw); };
  const auto compiled = jit(two).compile(f32({8, 64, 28, 28}), f32({64, 64, 3, 3}), f32({64, 64, 3, 3}));
  ASSERT_EQ(compiled.kernels().size(), 2u);
  for (const auto& kernel : compiled.kernels())
    EXPECT_EQ(kernel.flops, 2 * 8 * h * h * 64 * 64) << kernel.name;
  const auto strided = [](Array x, Array k) { return conv1d(x, k, {.strides = {2}, .padding = {{1, 2}}}); };
  const int64_t out = (50 + 3 - 4) / 2 + 1;
  EXPECT_EQ(work_of(strided, f32({1, 50, 32}), f32({4, 32, 8})),
            (Work{1, 2 * pairs(50, 4, out, 2, 1, 1) * 32 * 8, 4 * (50 * 32 + 4 * 32 * 8), 4 * out * 8}));
  const auto depthwise = [](Array x, Array k) {
    return depthwise_conv(x, k, {.padding = ConvPadding::kSame});
  };
  const int64_t d = pairs(16, 3, 16, 1, 1, 1);
  EXPECT_EQ(work_of(depthwise, f32({1, 16, 16, 8}), f32({3, 3, 1, 8})),
            (Work{1, 8 * 2 * d * d, 4 * (16 * 16 * 8 + 9 * 8), 4 * 16 * 16 * 8}));
}

TEST(CountedWorkTest, WhatTakeReads) {
  const auto twice = [](Array x) { return take(x, {3, 17, 3, 9, 17, 3, 9, 3, 17, 9}, 0) * 2; };
  EXPECT_EQ(work_of(twice, f32({30})), (Work{1, 10, 3 * 4, 10 * 4}));
  const auto rows = [](Array x) { return take(x, {0, 19, 0, 7}, 0) * 2; };
  EXPECT_EQ(work_of(rows, f32({20, 1000})), (Work{1, 4000, 3 * 4000, 4 * 4000}));
  const auto columns = [](Array x) { return take(x, {0, 5, 0, 5, 0, 29}, 1) * 2; };
  EXPECT_EQ(work_of(columns, f32({20, 30})), (Work{1, 120, 20 * 3 * 4, 20 * 6 * 4}));
}

TEST(CountedWorkTest, PlainOnesAsBefore) {
  const auto product = [](Array x, Array y) { return dot(x, y); };
  EXPECT_EQ(work_of(product, f32({30, 40}), f32({40, 50})),
            (Work{1, 2 * 30 * 40 * 50, 4 * (30 * 40 + 40 * 50), 4 * 30 * 50}));
  const auto norm = [](Array x) { return x / sqrt(sum(x * x, 1, kKeepDims)); };
  EXPECT_EQ(work_of(norm, f32({100, 200})), (Work{1, 100 * (200 * 3 + 1), 4 * 20000, 4 * 20000}));
  const auto all = [](Array x) { return sum(x); };
  EXPECT_EQ(work_of(all, f32({20, 30, 40})), (Work{1, 20 * 30 * 40, 4 * 20 * 30 * 40, 4}));
  // The choice between values is an operation; that between pieces is none.
  const auto chosen = [](Array x, Array y) { return where(x > y, x, y * 2); };
  EXPECT_EQ(work_of(chosen, f32({100}), f32({100})), (Work{1, 200, 800, 400}));
}

// A row's distances from its mean are taken in two loops, since that costs less than to keep them.
TEST(CountedWorkTest, WhatIsComputedTwiceCountsOnce) {
  const int64_t n = 100, k = 500;
  const auto normal = [](Array x) {
    const Array d = x - sum(x, 1, kKeepDims) / 500;
    return d * rsqrt(sum(d * d, 1, kKeepDims));
  };
  // A sum; a difference, a product and a sum; a product. Of each row a division and a root.
  EXPECT_EQ(work_of(normal, f32({n, k})), (Work{1, n * (5 * k + 2), 4 * n * k, 4 * n * k}));
  const auto soft = [](Array x) { return softmax(x, 1); };  // a maximum, a difference, exp, a sum, a division
  EXPECT_EQ(work_of(soft, f32({n, k})), (Work{1, 5 * n * k, 4 * n * k, 4 * n * k}));
  // What looks alike is of other values: x and y, and the rows and columns of x.
  const auto apart = [](Array x, Array y) { return exp(sum(x * 2, 1)) + exp(sum(y * 2, 1)); };
  EXPECT_EQ(work_of(apart, f32({n, k}), f32({n, k})), (Work{1, n * (4 * k + 3), 2 * 4 * n * k, 4 * n}));
}

TEST(CountedWorkTest, IndicesAreNotAskedForByTheProgram) {
  for (const IndexMode mode : {IndexMode::kFill, IndexMode::kClip}) {
    const auto added = [=](Array x, Array i, Array u) { return scatter(Scatter::kAdd, x, i, u, 0, mode); };
    EXPECT_EQ(work_of(added, f32({1000}), testing::s32({30}), f32({30})).flops, 30);
    EXPECT_EQ(work_of(added, f32({1000, 8}), testing::s32({30}), f32({30, 8})).flops, 30 * 8);
    const auto set = [=](Array x, Array i, Array u) { return scatter(Scatter::kSet, x, i, u, 0, mode); };
    EXPECT_EQ(work_of(set, f32({1000}), testing::s32({30}), f32({30})).flops, 0);
    const auto read = [=](Array x, Array i) { return take(x, i, 0, mode) * 2; };
    EXPECT_EQ(work_of(read, f32({1000, 8}), testing::s32({30})).flops, 30 * 8);
  }
  // What the program asks for itself counts.
  const auto chosen = [](Array x, Array i) { return where(i > 3, take(x, i, 0), -1); };
  EXPECT_EQ(work_of(chosen, f32({1000}), testing::s32({30})).flops, 30);
}

// Of conditions that hold for millions of values in a row few are asked: one by one, they took 47 s and 2 GB.
TEST(CountedWorkTest, LongTransposedConvolutions) {
  const auto twice = [](Array x, Array w) {
    return conv1d(x, w, {.padding = {{1, 1}}, .lhs_dilation = {2}});
  };
  EXPECT_EQ(work_of(twice, f32({1, 1000, 1}), f32({3, 1, 1})).flops, 2 * pairs(1000, 3, 1999, 1, 1, 2));
  EXPECT_EQ(work_of(twice, f32({1, 4'000'000, 1}), f32({3, 1, 1})).read, 4 * (4'000'000 + 3));
}

}  // namespace
}  // namespace ingot
