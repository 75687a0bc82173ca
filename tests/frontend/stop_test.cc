// Calls that a deadline or a request ends: between steps, with where they were, and with all arrays intact.
#include "ingot/stop.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "frontend/testing.h"
#include "ingot/ingot.h"

namespace ingot {
namespace {

using namespace std::chrono_literals;
using testing::counting;

// What ended the call.
template <class F>
std::string stopped(const F& f) {
  try {
    f();
  } catch (const Stopped& error) {
    return error.what();
  }
  ADD_FAILURE() << "the call was not ended";
  return "";
}

// What ends a call that is asked to stop while its loop goes through its steps. On a busy machine the time
// may be over before the first of them: then it is asked again, later.
template <class F>
std::string stopped_in_a_step(const F& call_that_ends_within) {
  std::string told;
  for (const auto time : {50ms, 500ms, 5000ms}) {
    told = stopped([&] { call_that_ends_within(time); });
    if (told.find(", in step ") != std::string::npos) break;
  }
  return told;
}

void expect_in(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
}

// Never ends; its steps are one kernel each, or a loop.
Array endless(Array x) {
  return while_loop([](Array v) { return v[0] > -1.0f; }, [](Array v) { return sin(v) * 0.5f; }, x);
}
Array endless_nested(Array x) {
  return while_loop([](Array v) { return all(v > -1.0f); },
                    [](Array v) {
                      return fori_loop(
                          0, 50, [](Array, Array u) { return sort(sin(u)) * 0.5f; }, v);
                    },
                    x);
}

TEST(StopTest, DeadlinesEndLoops) {
  for (const auto f : {endless, endless_nested}) {
    for (const Array& x : {Array::ones({4}), Array::ones({3000})}) {
      const auto call = jit(f, {.name = "endless"});
      call.compile(x);
      const std::string told = stopped_in_a_step([&](auto time) {
        const Deadline deadline(time);
        call(x);
      });
      expect_in(told, {"stopped, since the deadline of ", " s has passed, in step ", " of the loop @",
                       "stop_test.cc:", "(in a call of 'endless' at "});
    }
  }
  // A program without loops, and one whose loop is a kernel, end before their kernels.
  const std::string told = stopped([] {
    const Deadline deadline(-1s);
    jit([](Array x) { return sin(x); })(Array::ones({4}));
  });
  EXPECT_EQ(told.find("stopped, since the deadline of -1 s has passed (in a call of "), 0u) << told;
}

// Steps that a kernel takes at once are counted, as far as they are known.
TEST(StopTest, StepsInOneKernelAreToldAsTheUsers) {
  const auto call = jit([](Array x) {
    return while_loop([](Array v) { return v > -1.0f; }, [](Array v) { return cos(v); }, x);
  });
  call.compile(Array(0.5f));
  const std::string told = stopped_in_a_step([&](auto time) {
    const Deadline deadline(time);
    call(Array(0.5f));
  });
  expect_in(told, {", in step ", " or later of the loop @", "stop_test.cc:"});
}

// Nor is it for what is traced and compiled, and folded on the way.
TEST(StopTest, CompilingIsNotEnded) {
  const Deadline deadline(-1s);
  const auto f = jit([](Array x) { return x + sum(arange(10) * 2).astype(DType::kF32); });
  EXPECT_EQ(f.compile(Array::ones({4})).kernels().size(), 1u);
  EXPECT_THROW(f(Array::ones({4})), Stopped);
}

// Of few numbers, the steps of both loops would be steps of one.
TEST(StopTest, OuterLoopsAreToldToo) {
  const auto f = jit([](Array x) {
    return fori_loop(
        0, 9, [](Array, Array v) { return endless(v); }, x);
  });
  f.compile(Array::ones({200}));
  const std::string told = stopped_in_a_step([&](auto time) {
    const Deadline deadline(time);
    f(Array::ones({200}));
  });
  expect_in(told, {", in step 0 of 9 of the loop @"});
  EXPECT_NE(told.find(" of the loop @"), told.rfind(" of the loop @")) << told;
}

TEST(StopTest, RequestsComeFromOtherThreads) {
  const auto f = jit(endless);
  f.compile(Array::ones({4}));
  const std::string told = stopped_in_a_step([&](auto time) {
    std::stop_source source;
    const StopScope scope(source.get_token());
    std::jthread other([&] {
      std::this_thread::sleep_for(time);
      source.request_stop();
    });
    f(Array::ones({4}));
  });
  EXPECT_EQ(told.find("stopped, since a stop was requested, in step "), 0u) << told;
}

TEST(StopTest, ArraysAreAsTheyWere) {
  const auto f = jit([](Array x, Array y) { return endless(x + y) + y; });
  const auto donating = jit([](Array x, Array y) { return endless(x + y) + y; }, {.donate = {0}});
  const Array x = counting({100}, 1.0f), y = counting({100}, 2.0f);
  Array given = x + 0;
  {
    const Deadline deadline(10ms);
    EXPECT_THROW(f(x, y), Stopped);
    EXPECT_THROW(donating(given, y), Stopped);
  }
  EXPECT_EQ(x.to_vector<float>(), counting({100}, 1.0f).to_vector<float>());
  EXPECT_EQ(y.to_vector<float>(), counting({100}, 2.0f).to_vector<float>());
  EXPECT_THROW(given.to_vector<float>(), Error);
  // What comes behind the scope is not ended.
  EXPECT_EQ(jit([](Array v) { return sum(v); })(x).item<float>(), 5050);
}

TEST(StopTest, ScopesNestAndBelongToTheirThread) {
  const auto f = jit(endless);
  const Array x = Array::ones({4});
  std::stop_source never;
  {
    const Deadline outer(20ms);
    const Deadline inner(3600s);
    const StopScope scope(never.get_token());
    EXPECT_EQ(stopped([&] { f(x); }).find("stopped, since the deadline of 0.02 s"), 0u);
    // Others run on, and so does what was over before.
    std::thread([&] { EXPECT_EQ(sum(x).item<float>(), 4); }).join();
  }
  // In another order than they began.
  auto first = std::make_unique<Deadline>(-1s);
  auto second = std::make_unique<Deadline>(std::chrono::duration<double>::max());
  first.reset();
  EXPECT_EQ(sum(x).item<float>(), 4);
  second.reset();
  EXPECT_EQ(sum(x).item<float>(), 4);
}

// A function of the host that calls what a deadline of its caller ends has been ended itself.
TEST(StopTest, InsideOfFunctionsOfTheHost) {
  const auto f = jit(endless);
  const Array x = Array::ones({4});
  const auto host = [&](const CustomCall&) { f(x); };
  const std::string told = stopped([&] {
    const Deadline deadline(20ms);
    custom_call("simulate", {DType::kF32, {}}, host, {Array(1.0f)});
  });
  expect_in(told, {"custom_call 'simulate': stopped, since the deadline of 0.02 s has passed"});
}

TEST(StopTest, DeadlinesAreNumbers) {
  try {
    const Deadline deadline(std::chrono::duration<double>(std::nan("")));
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    expect_in(error.what(), {"stop_test.cc", "Deadline: the time from now is not a number"});
  }
}

// Wherever a scope is ended, the thread that began it goes on without.
TEST(StopTest, AnotherThreadMayEndAScope) {
  const Array x = Array::ones({4});
  for (int i = 0; i < 3; ++i) {
    auto deadline = std::make_unique<Deadline>(-1s);
    const Deadline inner(3600s);
    EXPECT_THROW(sum(x).item<float>(), Stopped);
    std::thread([&] { deadline.reset(); }).join();
    EXPECT_EQ(sum(x).item<float>(), 4);
  }
  EXPECT_EQ(sum(x).item<float>(), 4);
  EXPECT_THROW(Deadline(std::chrono::duration<double>(NAN)), Error);
}

// Loops of a known length, of many short launches.
TEST(StopTest, ScansOfManySteps) {
  const auto f = jit([](Array x) {
    return fori_loop(
        0, int64_t{1} << 40, [](Array, Array v) { return sort(v) + sum(v); }, x);
  });
  f.compile(counting({5}));
  const std::string told = stopped_in_a_step([&](auto time) {
    const Deadline deadline(time);
    f(counting({5}));
  });
  expect_in(told, {" of 1099511627776 of the loop @"});
}

}  // namespace
}  // namespace ingot
