// Running totals along any axis, against plain loops.

#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "testing.h"

namespace ingot {
namespace {

using testing::counting;
using testing::error_of;

// x[i, j, k] of f32, with neither order nor ties.
Array mixed(const Shape& shape) {
  return sin(counting<float>(shape) * 1.7f) * 3;
}

template <class T>
std::vector<T> running(const Array& x, int64_t axis, bool reverse, const std::function<T(T, T)>& f) {
  std::vector<T> values = x.to_vector<T>();
  const Shape& shape = x.shape();
  int64_t inner = 1;
  for (size_t d = static_cast<size_t>(axis) + 1; d < shape.size(); ++d) inner *= shape[d];
  const int64_t n = shape[static_cast<size_t>(axis)], outer = x.size() / std::max<int64_t>(n * inner, 1);
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      for (int64_t t = 1; t < n; ++t) {
        const int64_t at = reverse ? n - 1 - t : t, before = reverse ? at + 1 : at - 1;
        T& value = values[static_cast<size_t>((o * n + at) * inner + i)];
        value = f(values[static_cast<size_t>((o * n + before) * inner + i)], value);
      }
    }
  }
  return values;
}

void expect_near(const Array& actual, const std::vector<float>& expected) {
  const auto values = actual.to_vector<float>();
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i)
    ASSERT_NEAR(values[i], expected[i], 2e-5 * (1 + std::abs(expected[i]))) << i;
}

TEST(CumulativeTest, AlongEveryAxis) {
  for (const Shape& shape : {Shape{5, 7, 3}, Shape{1, 33, 17}, Shape{40, 1, 130}, Shape{2, 67, 64}}) {
    const Array x = mixed(shape);
    for (int64_t axis = 0; axis < 3; ++axis) {
      for (bool reverse : {false, true}) {
        expect_near(cumsum(x, axis, reverse),
                    running<float>(x, axis, reverse, [](float a, float b) { return a + b; }));
        expect_near(cumprod(x * 0.4f, axis, reverse),
                    running<float>(x * 0.4f, axis, reverse, [](float a, float b) { return a * b; }));
        expect_near(cummax(x, axis, reverse),
                    running<float>(x, axis, reverse, [](float a, float b) { return std::max(a, b); }));
        expect_near(cummin(x, axis, reverse),
                    running<float>(x, axis, reverse, [](float a, float b) { return std::min(a, b); }));
        expect_near(cumlogsumexp(x, axis, reverse), running<float>(x, axis, reverse, [](float a, float b) {
                      return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
                    }));
      }
    }
  }
}

TEST(CumulativeTest, OfIntegersAndOfNothing) {
  for (int64_t n : {1, 2, 15, 16, 17, 1000, 1024}) {
    const Array x = counting<uint32_t>({37, n}, 4'000'000'000u);
    for (bool reverse : {false, true}) {
      EXPECT_EQ(cumsum(x, 1, reverse).to_vector<uint32_t>(),
                running<uint32_t>(x, 1, reverse, [](uint32_t a, uint32_t b) { return a + b; }));
    }
  }
  EXPECT_EQ(cumsum(Array::from<bool>({3}, {true, false, true})).to_vector<int32_t>(),
            (std::vector<int32_t>{1, 1, 2}));
  EXPECT_EQ(cumsum(Array::zeros({0, 3})).shape(), (Shape{0, 3}));
  EXPECT_EQ(cumsum(Array::zeros({3, 0})).shape(), (Shape{3, 0}));
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(cumlogsumexp(Array::from<float>({3}, {-inf, 0, -inf})).to_vector<float>(),
            (std::vector<float>{-inf, 0, 0}));
}

TEST(CumulativeTest, OneKernelEach) {
  const Array x = Array::abstract(DType::kU32, {1000, 1024});
  EXPECT_EQ(jit([](Array a) { return cumsum(a, 1); }).lower(x).compile().kernels().size(), 1u);
  EXPECT_EQ(jit([](Array a) { return cumsum(a, 0, true); }).lower(x).compile().kernels().size(), 1u);
}

TEST(CumulativeTest, Derivatives) {
  const Array x = mixed({4, 9});
  // The sum of all running sums counts element i once for itself and each element behind it.
  const auto g = grad([](Array a) { return sum(cumsum(a, 1)); })(x).to_vector<float>();
  for (size_t i = 0; i < g.size(); ++i) EXPECT_EQ(g[i], static_cast<float>(9 - i % 9));
  // log(sum(exp)) of all: the last running value.
  const auto last = grad([](Array a) { return sum(slice_axis(cumlogsumexp(a, 1), 1, 8, 9)); })(x);
  const auto a = last.to_vector<float>(), b = softmax(x, 1).to_vector<float>();
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-5);
}

// Row i: how much of each element the i-th running maximum of x has, by the tree in which JAX combines:
// blocks of the sizes that are the powers of two in i + 1, from the left.
std::vector<double> tree_weights(const std::vector<double>& x) {
  using Node = std::pair<double, std::vector<double>>;
  const auto combine = [](const Node& a, const Node& b) {
    Node c{std::max(a.first, b.first), std::vector<double>(a.second.size())};
    const double wa = a.first < b.first ? 0 : a.first > b.first ? 1 : 0.5;
    for (size_t j = 0; j < c.second.size(); ++j) c.second[j] = wa * a.second[j] + (1 - wa) * b.second[j];
    return c;
  };
  const std::function<Node(size_t, size_t)> block = [&](size_t from, size_t size) {
    if (size > 1) return combine(block(from, size / 2), block(from + size / 2, size / 2));
    Node leaf{x[from], std::vector<double>(x.size())};
    leaf.second[from] = 1;
    return leaf;
  };
  std::vector<double> rows;
  for (size_t count = 1; count <= x.size(); ++count) {
    size_t size = std::bit_floor(count), done = size;
    Node prefix = block(0, size);
    for (; done < count; done += size) {
      size = std::bit_floor(count - done);
      prefix = combine(prefix, block(done, size));
    }
    rows.insert(rows.end(), prefix.second.begin(), prefix.second.end());
  }
  return rows;
}

TEST(CumulativeTest, EqualElementsShareLikeATree) {
  for (int64_t n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 33, 70}) {
    for (int64_t values : {1, 2, 3}) {
      std::vector<double> x;
      uint64_t state = static_cast<uint64_t>(n * 7 + values);
      for (int64_t i = 0; i < n; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        x.push_back(static_cast<double>((state >> 33) % static_cast<uint64_t>(values)) / 4);
      }
      const std::vector<double> expected = tree_weights(x);
      const Array row = Array::from<double>({n}, x);
      const auto greatest = [](Array a) { return cummax(a); };
      EXPECT_EQ(jacrev(greatest)(row).to_vector<double>(), expected) << n << " " << values;
      EXPECT_EQ(jacfwd(greatest)(row).to_vector<double>(), expected) << n << " " << values;
      // From the other end, the least ones, and along another axis of a batch.
      const auto least = [](Array a) { return cummin(a, 0, true); };
      EXPECT_EQ(flip(jacrev(least)(flip(-row))).to_vector<double>(), expected) << n << " " << values;
      const auto inner = [](Array a) { return sum(cummax(a, 1), Axes{0, 2}); };
      const Array batch = broadcast_to(row.reshape({1, n, 1}), {2, n, 3});
      EXPECT_EQ(index_axis(index_axis(jit(jacrev(inner))(batch), 1, 1), -1, 2).to_vector<double>(), expected);
      EXPECT_EQ(vmap(jacfwd(greatest))(stack({row, row})).to_vector<double>(),
                concatenate({jacrev(greatest)(row), jacfwd(greatest)(row)}).to_vector<double>());
    }
  }
}

TEST(CumulativeTest, DerivativesOfExtremesToHigherOrder) {
  const Array x = Array::from<double>({6}, {2, 2, 1, 2, 3, 3}),
              w = Array::from<double>({6}, {1, 2, 3, 4, 5, 6});
  // Half of the sum of w m^2 has the Hessian W' diag(w) W, of the weights W.
  const auto f = [](Array a, Array v) { return sum(v * square(cummax(a))) / 2; };
  const Array weights = Array::from<double>({6, 6}, tree_weights(x.to_vector<double>()));
  const auto expected = dot(weights.T() * w, weights).to_vector<double>();
  EXPECT_EQ(hessian(f)(x, w).to_vector<double>(), expected);
  EXPECT_EQ(jit(jacrev(grad(f)))(x, w).to_vector<double>(), expected);
  EXPECT_EQ(jacfwd(jacfwd(f))(x, w).to_vector<double>(), expected);
}

TEST(CumulativeTest, DerivativesOfExtremesOfWhatIsNotFinite) {
  const double inf = std::numeric_limits<double>::infinity();
  const auto f = [](Array a) { return cummax(a); };
  EXPECT_EQ(jacrev(f)(Array::from<double>({3}, {-inf, -inf, 1})).to_vector<double>(),
            (std::vector<double>{1, 0, 0, 0.5, 0.5, 0, 0, 0, 1}));
  EXPECT_EQ(jacfwd(f)(Array::from<double>({3}, {inf, 1, inf})).to_vector<double>(),
            (std::vector<double>{1, 0, 0, 1, 0, 0, 0.5, 0, 0.5}));
  EXPECT_EQ(jacrev(f)(Array::from<double>({3}, {1, std::nan(""), 2})).to_vector<double>(),
            (std::vector<double>{1, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(CumulativeTest, TheGradientOfAnExtremeIsTwoKernels) {
  const Array x = Array::abstract(DType::kF32, {64, 300});
  const auto gradient = jit(
      [](Array a, Array w) { return grad([](Array b, Array v) { return sum(cummax(b, 1) * v); })(a, w); });
  EXPECT_LE(gradient.lower(x, x).compile().kernels().size(), 2u);
}

TEST(AssociativeScanTest, OfOneArrayAndOfTrees) {
  const Array x = mixed({6, 11});
  for (int64_t axis : {0, 1}) {
    for (bool reverse : {false, true}) {
      expect_near(associative_scan([](Array a, Array b) { return a * b; }, x, axis, reverse),
                  running<float>(x, axis, reverse, [](float a, float b) { return a * b; }));
    }
  }
  // h = a * h + b, as pairs.
  const Array a = mixed({5, 30}) * 0.3f, b = mixed({5, 30}) + 1;
  const auto compose = [](std::pair<Array, Array> p, std::pair<Array, Array> q) {
    return std::pair(p.first * q.first, p.second * q.first + q.second);
  };
  const auto linear =
      jit([&](Array s, Array t) { return associative_scan(compose, std::pair(s, t), 1).second; });
  const auto plain = scan(
      [](Array h, std::pair<Array, Array> ab) {
        const Array next = h * ab.first + ab.second;
        return std::pair(next, next);
      },
      Array::zeros({5}), std::pair(a, b), {.axis = 1});
  expect_near(linear(a, b), plain.second.to_vector<float>());
  EXPECT_EQ(linear.lower(a, b).compile().kernels().size(), 1u);
}

// The first element is combined with nothing, so that a derivative which is infinite there does not matter.
TEST(AssociativeScanTest, NoElementMeetsItself) {
  const auto norm = [](Array a, Array b) { return sqrt(a * a + b * b); };
  const auto f = [&](Array x) { return sum(associative_scan(norm, x)); };
  const Array x = Array::from<float>({0, 3, 4, 0});
  const auto expect = [](const Array& slope, const std::vector<float>& expected) {
    const auto values = slope.to_vector<float>();
    ASSERT_EQ(values.size(), expected.size());
    for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-6) << i;
  };
  expect(grad(f)(x), {1, 2.2f, 1.6f, 0});
  expect(jit(grad(f))(x), {1, 2.2f, 1.6f, 0});
  expect(vmap(grad(f))(reshape(x, {1, 4})), {1, 2.2f, 1.6f, 0});
  const auto parallel = [](Array a, Array b) { return a * b / (a + b); };
  const auto g = [&](Array v) { return associative_scan(parallel, v, 0, true)[0]; };
  expect(grad(g)(Array::from<float>({4, 3, 0})), {0, 0, 1});
  EXPECT_EQ(jit([&](Array v) { return associative_scan(norm, v); }).compile(x).kernels().size(), 1u);
}

// Totals of narrow floats are f32 inside.
TEST(CumulativeTest, LogarithmsOfNarrowFloats) {
  const Array x = Array::zeros({1000}, DType::kBF16);
  const Array totals = cumlogsumexp(x);
  EXPECT_EQ(totals.dtype(), DType::kBF16);
  EXPECT_EQ(totals[999].astype(DType::kF32).item<float>(),
            Array(std::log(1000.0f)).astype(DType::kBF16).astype(DType::kF32).item<float>());
}

// As long as all are -inf the total is the last element itself.
TEST(CumulativeTest, LogarithmsOfNothing) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const auto f = [](Array x) { return sum(cumlogsumexp(x)); };
  const auto slope = grad(f)(Array::from<float>({-kInf, 0, 1})).to_vector<float>();
  EXPECT_EQ(slope[0], 1);
  EXPECT_NEAR(slope[1], 1.2689414f, 1e-6);
  EXPECT_NEAR(slope[2], 0.7310586f, 1e-6);
  EXPECT_EQ(cumlogsumexp(Array::from<float>({-kInf, -kInf, 2})).to_vector<float>(),
            (std::vector<float>{-kInf, -kInf, 2}));
}

TEST(AssociativeScanTest, Errors) {
  EXPECT_NE(error_of([] {
              associative_scan([](std::pair<Array, Array> p, std::pair<Array, Array>) { return p; },
                               std::pair(Array::zeros({3}), Array::zeros({4})));
            }).find("elements along axis 0"),
            std::string::npos);
  // What the function returns is an element, too.
  const Array x = Array::ones({6, 6});
  const auto expect = [](const std::string& message, int line, const std::string& made) {
    EXPECT_EQ(message.find(testing::line(line) + "associative_scan: the elements of x"), 0u) << message;
    EXPECT_NE(message.find("are f32[6], but the function makes " + made), std::string::npos) << message;
  };
  int here = 0;
  const auto run = [&](const auto& f, bool jitted) {
    return error_of([&] {
      here = __LINE__ + 1;
      const auto scanned = [&](Array a) { return associative_scan(f, a); };
      jitted ? jit(scanned)(x) : scanned(x);
    });
  };
  for (bool jitted : {false, true}) {
    std::string message = run([](Array a, Array b) { return sum(a + b); }, jitted);
    expect(message, here, "f32[]");
    message = run([](Array a, Array b) { return concatenate({a, b}); }, jitted);
    expect(message, here, "f32[12]");
    message = run([](Array a, Array b) { return (a + b).astype(DType::kF64); }, jitted);
    expect(message, here, "f64[6]");
  }
  const auto fewer = [](std::vector<Array> a, std::vector<Array>) { return std::vector<Array>{a[0]}; };
  EXPECT_NE(
      error_of([&] {
        associative_scan(fewer, std::vector<Array>{x, x});
      }).find("of what the function returns, result is a vector of 1, but must be a vector of 2, as in x"),
      std::string::npos);
}

}  // namespace
}  // namespace ingot
