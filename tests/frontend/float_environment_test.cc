// What the caller has set for its floating-point arithmetic changes no result, on any number of threads, and
// is as it was after each call.
#include "base/float_environment.h"

#include <cfenv>
#include <cmath>
#include <functional>

#include "frontend/testing.h"
#include "ingot/autodiff.h"

namespace ingot {
namespace {

using testing::counting;
using Word = FloatEnvironment::Word;

// Environments that callers may have, by name.
struct Setting {
  const char* name;
  std::function<void()> set;
};
std::vector<Setting> settings() {
  std::vector<Setting> all = {{"default", [] {}},
                              {"rounding up", [] { std::fesetround(FE_UPWARD); }},
                              {"rounding to zero", [] { std::fesetround(FE_TOWARDZERO); }}};
#if defined(__x86_64__)
  all.push_back({"denormals flushed and taken for zero",
                 [] { FloatEnvironment::set(FloatEnvironment::kStandard | 0x8040); }});
  // Of division by zero, overflow and invalid operations.
  all.push_back({"traps", [] { FloatEnvironment::set(FloatEnvironment::kStandard & ~Word{0x680}); }});
#elif defined(__aarch64__)
  all.push_back({"denormals flushed", [] { FloatEnvironment::set(Word{1} << 24); }});
#endif
  return all;
}

// Runs f in an environment that must not change meanwhile.
template <class F>
auto in(const Setting& setting, F f) {
  std::fenv_t standard;
  std::fegetenv(&standard);
  setting.set();
  const Word before = FloatEnvironment::get();
  auto result = f();
  const Word after = FloatEnvironment::get();
  std::fesetenv(&standard);
  EXPECT_EQ(after & ~FloatEnvironment::kFlags, before & ~FloatEnvironment::kFlags) << setting.name;
  return result;
}

// Bits of many results, from functions that are traced and compiled anew: `marker` is a number that no
// element is, another one for each call, so that no kernel is one of those before.
std::vector<std::vector<uint8_t>> results(const std::vector<Array>& arrays, bool interpret, float marker) {
  std::vector<std::vector<uint8_t>> bits;
  const auto keep = [&](const Array& array) {
    auto& to = bits.emplace_back(static_cast<size_t>(array.bytes()));
    array.to_host(to.data());
  };
  const JitOptions options{.interpret = interpret};
  const auto keep_new = [&](const auto& function, const Array& x) {
    const auto f = jit([=](Array a) { return function(where(a == marker, 1.0f, a)); }, options);
    if (!interpret) {
      EXPECT_GT(f.lower(x).compile().kernels_compiled(), 0) << bits.size() << ", " << marker;
    }
    keep(f(x));
  };
  keep_new([](Array x) { return x / 3 + 0.1; }, arrays[0]);
  keep_new([](Array x) { return sum(exp(x * 1e-6f) * 0.3f); }, arrays[0]);
  keep_new([](Array x) { return 1 / (x - x); }, arrays[1]);
  keep_new([](Array x) { return x * 1e-3f; }, arrays[1]);
  keep_new([](Array x) { return mean(x) + x * (Array(1e-30f) * Array(1e-10f)); }, arrays[1]);
  if (!interpret) {
    keep_new(grad([](Array x) { return sum(tanh(x * 0.7) / (x + 3.3)); }), arrays[0]);
    keep(arrays[0] * 0.1);  // eager
    keep(mean(arrays[0]));
    keep(arrays[2].astype(DType::kBF16));
  }
  return bits;
}

TEST(FloatEnvironmentTest, ResultsDoNotDependOnTheCallers) {
  // Large enough for several threads; denormals, and products that are.
  const std::vector<Array> arrays = {counting({300, 1000}, 0.3f), counting({1 << 18}, 1.0f) * 1e-42f,
                                     counting({1 << 16}, 0.7f)};
  const std::vector<Array> small = {counting({30}, 0.3f), counting({12}, 1.0f) * 1e-42f, counting({5}, 0.7f)};
  const std::vector<Setting> all = settings();
  float marker = 1e9f;
  const auto another = [&] { return marker *= 2; };
  const auto expected = results(arrays, false, another()), interpreted = results(small, true, another());
  for (const Setting& setting : all) {
    for (int threads : {1, 2}) {
      set_num_threads(threads);
      EXPECT_TRUE(in(setting, [&] { return results(arrays, false, another()); }) == expected)
          << setting.name << ", " << threads << " threads";
    }
    EXPECT_TRUE(in(setting, [&] { return results(small, true, another()); }) == interpreted) << setting.name;
  }
  set_num_threads(0);
}

TEST(FloatEnvironmentTest, AnErrorLeavesTheCallersAsItWas) {
  const auto f = jit([](Array x) { return reshape(x, {x.shape(0) + 1}); });
  for (const Setting& setting : settings()) {
    const std::string error = in(setting, [&] { return testing::error_of([&] { f(counting({4})); }); });
    EXPECT_NE(error.find("reshape: "), std::string::npos) << setting.name << ": " << error;
  }
}

TEST(FloatEnvironmentTest, NumbersAreRoundedToNearest) {
  const Setting up{"rounding up", [] { std::fesetround(FE_UPWARD); }};
  EXPECT_EQ(in(up, [] { return Array(0.1).astype(DType::kF32).item<float>(); }), 0.1f);
  EXPECT_EQ(in(up, [] { return (counting({1}, 0.0f) + 0.1).item<float>(); }), 0.1f);
}

// Flags are the caller's own: those of kernels, most of which run on other threads, are not seen.
TEST(FloatEnvironmentTest, FlagsOfKernelsAreNotSeen) {
  std::feclearexcept(FE_ALL_EXCEPT);
  const Array y = jit([](Array x) { return 1 / x; })(counting({8}));
  EXPECT_TRUE(std::isinf(y.to_vector<float>()[0]));
#if defined(__x86_64__)
  EXPECT_EQ(std::fetestexcept(FE_DIVBYZERO), 0);
#endif
  std::feraiseexcept(FE_OVERFLOW);
  jit([](Array x) { return x + 1; })(counting({8}));
  EXPECT_NE(std::fetestexcept(FE_OVERFLOW), 0);
}

}  // namespace
}  // namespace ingot
