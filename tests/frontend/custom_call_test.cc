// Functions of the host as operations: values in jit, loops, batches and derivatives; what they throw; what a
// program says of them.
#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>

#include "frontend/testing.h"

namespace ingot {
namespace {

using testing::error_of;

std::vector<float> floats(const Array& x) {
  return x.to_vector<float>();
}

Array twice(const Array& x, std::atomic<int>* calls = nullptr, const CustomCallOptions& options = {}) {
  return custom_call(
      "twice", {x.dtype(), x.shape()},
      [calls](const CustomCall& call) {
        if (calls != nullptr) ++*calls;
        for (size_t i = 0; i < call.input<float>(0).size(); ++i)
          call.output<float>(0)[i] = 2 * call.input<float>(0)[i];
      },
      {x}, options);
}

TEST(CustomCall, RunsAtOnceAndInPrograms) {
  const Array x = Array::from(std::vector<float>{1, 2, 3});
  EXPECT_EQ(floats(twice(x)), (std::vector<float>{2, 4, 6}));
  std::atomic<int> calls = 0;
  const auto f = jit([&](Array a) { return twice(a + 1, &calls) * 10; });
  EXPECT_EQ(floats(f(x)), (std::vector<float>{40, 60, 80}));
  EXPECT_EQ(floats(f(x + 1)), (std::vector<float>{60, 80, 100}));
  EXPECT_EQ(calls, 2);
}

TEST(CustomCall, HasSeveralResultsAndDtypes) {
  const Array x = Array::from(std::vector<float>{1, -2, 3}).astype(DType::kBF16);
  const auto f = jit([](Array a, Array n) {
    return custom_call("split",
                       std::vector<ResultType>{{DType::kBF16, {3}}, {DType::kC64, {}}, {DType::kS32, {2}}},
                       [](const CustomCall& call) {
                         ASSERT_EQ(call.config(), "three");
                         ASSERT_EQ(call.output_count(), 3u);
                         std::complex<float> total = 0;
                         for (size_t i = 0; i < 3; ++i) {
                           call.output<bfloat16>(0)[i] = bfloat16(-call.input<bfloat16>(0)[i]);
                           total += std::complex<float>(call.input<bfloat16>(0)[i], 1);
                         }
                         call.output<std::complex<float>>(1)[0] = total;
                         call.output<int32_t>(2)[1] = call.input<int32_t>(1)[0];
                       },
                       {a, n}, {.config = "three"});
  });
  const std::vector<Array> got = f(x, Array(7));
  EXPECT_EQ(floats(got[0].astype(DType::kF32)), (std::vector<float>{-1, 2, -3}));
  EXPECT_EQ(got[1].item<std::complex<float>>(), std::complex<float>(2, 3));
  EXPECT_EQ(got[2].to_vector<int32_t>(), (std::vector<int32_t>{0, 7}));
}

TEST(CustomCall, RunsInLoops) {
  std::atomic<int> calls = 0;
  const auto f = jit([&](Array x) {
    return fori_loop(
        0, 5, [&](Array, Array a) { return twice(a, &calls) + 1; }, x);
  });
  EXPECT_EQ(floats(f(Array::from(std::vector<float>{1, 0}))), (std::vector<float>{63, 31}));
  EXPECT_EQ(calls, 5);
}

TEST(CustomCall, IsBatched) {
  std::atomic<int> calls = 0;
  const Array x = arange(6).astype(DType::kF32).reshape({3, 2});
  const std::vector<float> want = {0, 2, 4, 6, 8, 10};
  EXPECT_EQ(floats(vmap([&](Array row) { return twice(row, &calls); })(x)), want);
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(floats(vmap([&](Array row) { return twice(row, &calls, {.takes_batches = true}); })(x)), want);
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(floats(vmap(vmap([&](Array one) { return twice(one, &calls); }))(x)), want);
  EXPECT_EQ(calls, 10);
}

TEST(CustomCall, HasTheDerivativeThatIsGiven) {
  const auto f = custom_jvp([](Array x) { return twice(x); },
                            [](std::tuple<Array> x, std::tuple<Array> t) {
                              return std::pair(twice(std::get<0>(x)), 2 * std::get<0>(t));
                            });
  const Array x = Array::from(std::vector<float>{1, 2});
  EXPECT_EQ(floats(grad([&](Array a) { return sum(f(a) * a); })(x)), (std::vector<float>{4, 8}));
  const std::string error = error_of([&] { grad([](Array a) { return sum(twice(a)); })(x); });
  EXPECT_NE(error.find("custom_call_test.cc"), std::string::npos) << error;
  EXPECT_TRUE(
      error.ends_with(": custom_call 'twice': has no derivative: it is a function of the host; give "
                      "one with custom_jvp or custom_vjp"))
      << error;
}

TEST(CustomCall, WhatItThrowsComesToTheCaller) {
  const auto f = jit([](Array x) {
    return custom_call("picky", {DType::kF32, {2}},
                       [](const CustomCall& call) {
                         if (call.input<float>(0)[0] < 0) throw std::runtime_error("negative");
                         call.output<float>(0)[0] = 1;
                       },
                       {x}) +
           x;
  });
  const Array good = Array::from(std::vector<float>{1, 2}), bad = -good;
  EXPECT_EQ(floats(f(good)), (std::vector<float>{2, 2}));
  const std::string error = error_of([&] { f(bad); });
  EXPECT_NE(error.find("custom_call_test.cc"), std::string::npos) << error;
  EXPECT_NE(error.find("custom_call 'picky': negative"), std::string::npos) << error;
  EXPECT_EQ(floats(bad), (std::vector<float>{-1, -2}));
  EXPECT_EQ(floats(f(good)), (std::vector<float>{2, 2}));
  const std::string wrong = error_of([&] {
    custom_call("wrong", {DType::kF32, {2}}, [](const CustomCall& call) { call.output<double>(0); }, {good});
  });
  EXPECT_NE(wrong.find("f32[2]"), std::string::npos) << wrong;
}

TEST(CustomCall, RunsOnManyThreads) {
  const auto f = jit([](Array x) { return twice(x) + 1; });
  std::vector<std::jthread> threads;
  std::atomic<int> right = 0;
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back([&, k] {
      for (int i = 0; i < 50; ++i)
        right += floats(f(Array::full({100}, static_cast<float>(k))))[99] == 2.f * static_cast<float>(k) + 1;
    });
  }
  threads.clear();
  EXPECT_EQ(right, 200);
}

TEST(CustomCall, IsSaidByTheProgram) {
  const auto compiled = jit([](Array x) { return twice(x); }).compile(Array::ones({3}));
  const std::string text = compiled.text() + compiled.plan();
  EXPECT_NE(text.find("custom_call"), std::string::npos) << text;
  EXPECT_NE(text.find("target = \"twice\""), std::string::npos) << text;
}

// Whatever a function holds goes with the jitted function that calls it, not with the process.
TEST(CustomCall, FunctionsEndWithTheirPrograms) {
  std::weak_ptr<int> held;
  const auto call = [&](const Array& x) {
    const auto token = std::make_shared<int>(7);
    held = token;
    return custom_call("holder", {DType::kF32, {2}},
                       [token](const CustomCall& c) {
                         for (float& y : c.output<float>(0)) y = static_cast<float>(*token);
                       },
                       {x});
  };
  const Array x = Array::ones({2});
  {
    const auto f = jit([&](Array a) { return call(a) + a; });
    EXPECT_EQ(floats(f(x)), (std::vector<float>{8, 8}));
    set_cache_limit(1);  // programs that nobody holds go
    EXPECT_FALSE(held.expired());
    EXPECT_EQ(floats(f(x)), (std::vector<float>{8, 8}));  // compiled again from its trace
  }
  set_cache_limit(1);
  EXPECT_TRUE(held.expired());
  set_cache_limit(0);
}

}  // namespace
}  // namespace ingot
