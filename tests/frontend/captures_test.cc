// What functions read from outside: those that grad, vmap and their like return see it as it is at each call,
// programs as it was when they were traced.
#include <algorithm>

#include "frontend/testing.h"

namespace ingot {
namespace {

using testing::counting;
using V = std::vector<float>;

TEST(CapturesTest, TransformsSeeThemAsTheyAre) {
  Array scale = 2.f;
  const Array x = counting({3});
  const auto product = [&](Array a) { return a * scale; };
  const auto total = [&](Array a) { return sum(product(a)); };
  const auto slope = grad(total);
  const auto both = value_and_grad(total);
  const auto mapped = vmap(product);
  const auto rows = jacrev(product);
  const auto columns = jacfwd(product);
  const auto kept = checkpoint(product);
  const auto jitted = jit(grad(total));
  const auto calls = [&] {
    V all;
    for (const Array& part : {slope(x), both(x).second, mapped(x), diag(rows(x)), diag(columns(x)), kept(x)})
      all.push_back(part[2].item<float>());
    return all;
  };
  EXPECT_EQ(calls(), (V{2, 2, 4, 2, 2, 4}));
  EXPECT_EQ(jitted(x).to_vector<float>(), (V{2, 2, 2}));
  scale = 3.f;
  EXPECT_EQ(calls(), (V{3, 3, 6, 3, 3, 6}));
  EXPECT_EQ(jitted(x).to_vector<float>(), (V{2, 2, 2}));
  scale = counting({3});  // another shape
  EXPECT_EQ(slope(x).to_vector<float>(), (V{0, 1, 2}));
}

TEST(CapturesTest, NumbersAndStaticValuesOfResultsToo) {
  struct Result {
    Array y;
    int power = 0;
  };
  int power = 2;
  const auto f = vmap([&](Array a) {
    Array y = a;
    for (int i = 1; i < power; ++i) y = y * a;
    return Result{y, power};
  });
  const Array x = counting({3});
  EXPECT_EQ(f(x).y.to_vector<float>(), (V{0, 1, 4}));
  power = 3;
  const Result cubes = f(x);
  EXPECT_EQ(cubes.y.to_vector<float>(), (V{0, 1, 8}));
  EXPECT_EQ(cubes.power, 3);
  EXPECT_EQ(f(counting({2})).power, 3);
}

TEST(CapturesTest, ManyProgramsAreToldOnce) {
  float rate = 0;
  const auto f = vmap([&](Array a) { return a * rate; });
  const Array x = counting({3});
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 12; ++i) {
    rate = static_cast<float>(i);
    EXPECT_EQ(f(x)[1].item<float>(), rate);
    f(x);
  }
  f(counting({4}));  // other types are other programs, and nothing more is said
  for (int i = 20; i < 24; ++i) {
    rate = static_cast<float>(i);
    f(x);
  }
  const std::string told = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(told.find("captures_test.cc:"), std::string::npos);
  EXPECT_NE(told.find("is compiled for the 8th time, since what it captures"), std::string::npos);
  EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 1);
}

// A lambda that is made in each turn of a loop is traced each time, and compiled once.
TEST(CapturesTest, TheSameProgramIsCompiledOnce) {
  Array w = counting({4});
  const auto compiled = [] { return cache_info().programs.misses; };
  int64_t before = 0;
  for (int i = 0; i < 8; ++i) {
    if (i == 4) before = compiled();  // what stands around it has been, by then
    const Array target = Array(static_cast<float>(i)) * ones(4);
    w = w - 0.25f * grad([&](Array v) { return sum(square(v - target)); })(w);
  }
  EXPECT_EQ(compiled(), before);
  EXPECT_EQ(w[0].item<float>(), 6.0078125f);
}

TEST(CapturesTest, DerivativesOfDerivatives) {
  Array scale = 2.f;
  const auto f = [&](Array a) { return scale * a * a * a; };
  const auto second = grad(grad(f));
  const auto each = vmap(grad(f));
  EXPECT_EQ(second(Array(1.f)).item<float>(), 12);
  EXPECT_EQ(each(counting({2})).to_vector<float>(), (V{0, 6}));
  scale = 1.f;
  EXPECT_EQ(second(Array(1.f)).item<float>(), 6);
  EXPECT_EQ(second.compile(Array(1.f)).kernels().size(), 1);
  EXPECT_EQ(each(counting({2})).to_vector<float>(), (V{0, 3}));
}

TEST(CapturesTest, WithoutStateAFunctionIsTracedOnce) {
  static int runs = 0;
  const auto slope = grad([](Array a) {
    ++runs;
    return a * a;
  });
  for (int i = 0; i < 3; ++i) EXPECT_EQ(slope(Array(2.f)).item<float>(), 4);
  EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace ingot
