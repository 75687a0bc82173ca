// The values of functions that no other test asks for, and what a compiled program tells of its making.
#include <bit>
#include <cstdlib>
#include <cstring>

#include "frontend/testing.h"

namespace ingot {
namespace {

using testing::counting;

// In a program of their own, and inside of one.
template <class T, class F, class... Args>
std::vector<T> both(const F& f, const Args&... args) {
  const std::vector<T> alone = f(args...).template to_vector<T>();
  EXPECT_EQ(jit(f)(args...).template to_vector<T>(), alone);
  EXPECT_EQ(jit(f, {.interpret = true})(args...).template to_vector<T>(), alone);
  return alone;
}

TEST(ValuesTest, LogicalNot) {
  const auto negated = [](Array x) { return logical_not(x); };
  EXPECT_EQ(both<bool>(negated, Array::from(std::vector<bool>{true, false, true})),
            (std::vector<bool>{false, true, false}));
  EXPECT_EQ(both<bool>(negated, Array::from(std::vector<int32_t>{0, 5, -1})),
            (std::vector<bool>{true, false, false}));
}

TEST(ValuesTest, Shifts) {
  const Array x = Array::from(std::vector<int32_t>{-8, -1, 7, INT32_MIN, -8, -8}),
              by = Array::from(std::vector<int32_t>{1, 31, 1, 31, 32, -1});
  const auto logical = [](Array a, Array b) { return shift_right_logical(a, b); };
  const auto arithmetic = [](Array a, Array b) { return shift_right_arithmetic(a, b); };
  // Zeros come in, or copies of the sign; all are gone where the amount is not in [0, 32).
  EXPECT_EQ(both<int32_t>(logical, x, by), (std::vector<int32_t>{0x7ffffffc, 1, 3, 1, 0, 0}));
  EXPECT_EQ(both<int32_t>(arithmetic, x, by), (std::vector<int32_t>{-4, -1, 3, -1, -1, -1}));
  const Array u = Array::from(std::vector<uint8_t>{200, 3}), one = Array::from(std::vector<uint8_t>{1, 1});
  EXPECT_EQ(both<uint8_t>(logical, u, one), (std::vector<uint8_t>{100, 1}));
  EXPECT_EQ(both<uint8_t>(arithmetic, u, one), (std::vector<uint8_t>{228, 1}));  // the highest bit is copied
}

TEST(ValuesTest, Bitcast) {
  const std::vector<float> floats{1.0f, -0.0f, 3.5f};
  std::vector<int32_t> bits;
  for (float f : floats) bits.push_back(std::bit_cast<int32_t>(f));
  EXPECT_EQ(both<int32_t>([](Array x) { return bitcast(x, DType::kS32); }, Array::from(floats)), bits);
  EXPECT_EQ(both<float>([](Array x) { return bitcast(x, DType::kF32); }, Array::from(bits)), floats);
  EXPECT_EQ(
      both<uint8_t>([](Array x) { return bitcast(x, DType::kU8); }, Array::from(std::vector<int8_t>{-1, 5})),
      (std::vector<uint8_t>{255, 5}));
}

TEST(ValuesTest, BitcastToOtherWidths) {
  const std::vector<double> numbers{1.5, -0.0, 1e300, 0x1p-1074};
  const Array x = Array::from(numbers);
  const auto as = [](DType dtype) { return [dtype](Array a) { return bitcast(a, dtype); }; };
  std::vector<uint8_t> bytes(8 * numbers.size());
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  std::vector<int16_t> halves(4 * numbers.size());
  std::memcpy(halves.data(), numbers.data(), bytes.size());
  EXPECT_EQ(both<uint8_t>(as(DType::kU8), x), bytes);
  EXPECT_EQ(both<int16_t>(as(DType::kS16), x), halves);
  EXPECT_EQ(bitcast(x, DType::kF32).shape(), (Shape{4, 2}));
  EXPECT_EQ(both<double>(as(DType::kF64), Array::from({4, 8}, bytes)), numbers);
  EXPECT_EQ(both<double>(as(DType::kF64), Array::from({4, 4}, halves)), numbers);
  EXPECT_EQ(both<double>(
                [](Array a) {
                  return vmap([](Array row) { return bitcast(bitcast(row, DType::kF16), DType::kF64); })(a);
                },
                x),
            numbers);
  const Array bits = Array::from({2, 3}, std::vector<uint8_t>{1, 2, 3, 4, 5, 6});
  const int here = __LINE__ + 1;
  const std::string error = testing::error_of([&] { bitcast(bits, DType::kF32); });
  EXPECT_EQ(error,
            testing::line(here) + "bitcast: cannot read a u8[2,3] as f32; its last dimension must be 4");
}

TEST(ValuesTest, SwapAxes) {
  const auto swapped = [](Array x) { return swapaxes(x, 0, -1); };
  const Array x = counting({2, 1, 3});
  EXPECT_EQ(swapped(x).type_string(), "f32[3,1,2]");
  EXPECT_EQ(both<float>(swapped, x), (std::vector<float>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(swapaxes(x, 1, 1).to_vector<float>(), x.to_vector<float>());
}

TEST(ValuesTest, Compare) {
  using Preds = std::vector<bool>;
  const Array x = Array::from(std::vector<float>{1, 2, 3, NAN}),
              y = Array::from(std::vector<float>{2, 2, 2, NAN});
  const auto by = [&](Compare direction) {
    return both<bool>([=](Array a, Array b) { return compare(direction, a, b); }, x, y);
  };
  EXPECT_EQ(by(Compare::kEq), (Preds{false, true, false, false}));
  EXPECT_EQ(by(Compare::kNe), (Preds{true, false, true, true}));
  EXPECT_EQ(by(Compare::kLt), (Preds{true, false, false, false}));
  EXPECT_EQ(by(Compare::kLe), (Preds{true, true, false, false}));
  EXPECT_EQ(by(Compare::kGt), (Preds{false, false, true, false}));
  EXPECT_EQ(by(Compare::kGe), (Preds{false, true, true, false}));
}

TEST(ValuesTest, CompiledTellsOfItsMaking) {
  // A value that two read and no kernel can hold: the sum of all is wanted before any element is divided.
  const auto normalized = jit([](Array x) { return x / sum(x) + 0.8125f; }, {.name = "normalized"});
  const Compiled compiled = normalized.compile(testing::f32({1000, 1003}));
  EXPECT_GT(compiled.trace_ms(), 0);
  EXPECT_GT(compiled.passes_ms(), 0);
  EXPECT_GT(compiled.kernels_ms(), 0);
  EXPECT_EQ(compiled.codegen_ms() > 0, compiled.kernels_compiled() > 0);
  EXPECT_GE(compiled.total_ms(), compiled.passes_ms() + compiled.kernels_ms());
  const std::string plan = compiled.plan();
  EXPECT_NE(plan.find("launch"), std::string::npos) << plan;
  for (const KernelInfo& kernel : compiled.kernels())
    EXPECT_NE(plan.find(kernel.name), std::string::npos) << kernel.name << " is not in\n" << plan;
  const std::vector<FusionRefusal> refusals = compiled.refusals();
  ASSERT_FALSE(refusals.empty());
  EXPECT_FALSE(refusals[0].producer.empty());
  EXPECT_FALSE(refusals[0].reason.empty());
  EXPECT_NE(refusals[0].source.find("values_test.cc:"), std::string::npos) << refusals[0].source;
}

// Options are read once, so that another process has to.
TEST(ValuesTest, TheEnvironmentLimitsTheCaches) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  ASSERT_EQ(setenv("INGOT_CACHE_LIMIT_MB", "9", 1), 0);
  EXPECT_EXIT(std::_Exit(cache_info().limit_bytes == int64_t{9} << 20 ? 7 : 1), ::testing::ExitedWithCode(7),
              "");
  unsetenv("INGOT_CACHE_LIMIT_MB");
}

}  // namespace
}  // namespace ingot
