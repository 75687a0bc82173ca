// Outside of jit: parts of arrays are copied, and element-wise operations on new sizes go in pieces of known
// ones; nothing is compiled for an index, a start or a size. Values are those of compiled programs.
#include "ingot/cache.h"

#include <cstring>

#include "frontend/testing.h"

namespace ingot {
namespace {

using testing::counting;
using testing::error_of;

// What has been compiled so far.
int64_t compiled() {
  const CacheInfo info = cache_info();
  return info.programs.misses + info.kernels.misses;
}

template <class T, class F>
void expect_as_compiled(const F& f, const Array& x) {
  EXPECT_EQ(f(x).template to_vector<T>(), jit(f)(x).template to_vector<T>()) << x.type_string();
  EXPECT_EQ(f(x).shape(), jit(f)(x).shape());
}

TEST(EagerTest, PartsAreThoseOfCompiledPrograms) {
  const Array x = counting({5, 7, 6});
  expect_as_compiled<float>([](Array a) { return a[3]; }, x);
  expect_as_compiled<float>([](Array a) { return a[-1][2]; }, x);
  expect_as_compiled<float>([](Array a) { return index_axis(a, 1, 4); }, x);
  expect_as_compiled<float>([](Array a) { return index_axis(a, 2, 5); }, x);
  expect_as_compiled<float>([](Array a) { return a.slices({{1, 4}, {0, 7, 3}, {2, 5}}); }, x);
  expect_as_compiled<float>([](Array a) { return a.slices({{}, {.step = -1}, {5, 1, -2}}); }, x);
  expect_as_compiled<float>([](Array a) { return a.slices({{2, 2}}); }, x);
  expect_as_compiled<float>([](Array a) { return transpose(a, {2, 0, 1}); }, x);
  expect_as_compiled<float>([](Array a) { return a.T(); }, x);
  expect_as_compiled<float>([](Array a) { return flip(a, {0, 2}); }, x);
  expect_as_compiled<float>([](Array a) { return a.reshape({7, -1}); }, x);
  expect_as_compiled<float>([](Array a) { return expand_dims(a, {0, 2}); }, x);
  expect_as_compiled<float>([](Array a) { return flip(a); }, Array::zeros({0, 3}));
  expect_as_compiled<float>([](Array a) { return a.reshape({3, 0}); }, Array::zeros({0, 3}));
  expect_as_compiled<bool>([](Array a) { return a.slice({1, 9, 2}); }, counting({10}) > 4.f);
  expect_as_compiled<double>([](Array a) { return transpose(a)[1]; }, counting<double>({3, 4}));
  expect_as_compiled<std::complex<double>>([](Array a) { return flip(a); },
                                           complex(counting<double>({3, 4}), counting<double>({3, 4})));
  EXPECT_EQ(Array(3.f).reshape({1, 1}).shape(), (Shape{1, 1}));
}

TEST(EagerTest, NothingIsCompiledForAnIndexOrAStart) {
  const Array x = counting({60, 70});
  const int64_t before = compiled();
  for (int64_t i = 0; i < 60; ++i) {
    EXPECT_EQ(x[i][i].item<float>(), static_cast<float>(71 * i));
    EXPECT_EQ(x.slice({0, i}).size(), 70 * i);
    EXPECT_EQ(x.slices({{i, 60}, {i, 70, 3}}).shape(0), 60 - i);
  }
  EXPECT_EQ(compiled(), before);
}

// All of it, in both forms, once the sizes of pieces are known.
TEST(EagerTest, NothingIsCompiledForASize) {
  const Array x = counting({5000}), row = counting({7}), table = counting({300, 7});
  const auto work = [&](int64_t n) {
    const Array part = x.slice({0, n}), rows = table.slice({0, n % 300 + 1});
    const std::vector<float> doubled = (part * 2.f + part).to_vector<float>();
    const std::vector<bool> above = (rows > row).to_vector<bool>();
    for (int64_t i = 0; i < n; ++i)
      ASSERT_EQ(doubled[static_cast<size_t>(i)], static_cast<float>(3 * i)) << n;
    for (size_t i = 0; i < above.size(); ++i) ASSERT_EQ(above[i], i >= 7) << n;
  };
  for (const int64_t n : {1, 2, 60, 64, 65, 100, 1024, 5000}) work(n);
  for (const int64_t n : {63, 299}) work(n);
  const int64_t before = compiled();
  for (int64_t n = 3; n < 5000; n += 41) work(n);
  EXPECT_EQ(compiled(), before);
}

TEST(EagerTest, PiecesHaveTheBitsOfPrograms) {
  for (const int64_t n : {2, 3, 63, 64, 65, 127, 1000, 1025, 70001}) {
    const Array x = counting({n}) * 0.37f - 5.f;
    for (const auto f : {sin, exp, tanh, sqrt}) {
      const std::vector<float> eager = f(x).to_vector<float>(), whole = jit(f)(x).to_vector<float>();
      EXPECT_EQ(std::memcmp(eager.data(), whole.data(), eager.size() * sizeof(float)), 0) << n;
    }
    EXPECT_EQ(x.astype(DType::kU8).to_vector<uint8_t>(),
              jit([](Array a) { return a.astype(DType::kU8); })(x).to_vector<uint8_t>());
    const Array z = complex(x, x);
    EXPECT_EQ((z * z).to_vector<std::complex<float>>(),
              jit([](Array a) { return a * a; })(z).to_vector<std::complex<float>>());
  }
}

TEST(EagerTest, RowsOfAnyLengthAndOperandsOfAnyRank) {
  for (const int64_t length : {1, 3, 16, 33, 1000}) {
    for (const int64_t count : {2, 5, 64, 129}) {
      const Array x = counting<int>({count, length}), row = counting<int>({length}),
                  one = counting<int>({1, length}, 1), column = counting<int>({count, 1});
      const auto all = [](Array a, Array b, Array c, Array d) { return a * b + c - d; };
      EXPECT_EQ(all(x, row, one, column).to_vector<int>(), jit(all)(x, row, one, column).to_vector<int>())
          << count << " x " << length;
      EXPECT_EQ(
          where(x > column, row, 1).to_vector<int>(),
          jit([](Array a, Array b, Array c) { return where(a > b, c, 1); })(x, column, row).to_vector<int>());
    }
  }
}

TEST(EagerTest, MistakesAreToldAsBefore) {
  const Array x = counting({4, 5});
  const std::string told = error_of([&] { slice(x, {0, 2}, {4, 9}); });
  EXPECT_NE(told.find("eager_test.cc:"), std::string::npos) << told;
  EXPECT_NE(told.find("slice"), std::string::npos) << told;
  const std::string sizes = error_of([&] { x + counting({4}); });
  EXPECT_NE(sizes.find("do not broadcast"), std::string::npos) << sizes;
}

}  // namespace
}  // namespace ingot
