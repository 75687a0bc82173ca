// Several threads that make programs at once: they wait for each other where that ends, and get an error
// where it would not.
#include <unistd.h>

#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <fstream>
#include <future>
#include <thread>

#include "frontend/testing.h"

namespace ingot {
namespace {

using testing::counting;

TEST(MakingTest, AFunctionMayCompileAnotherWhileItIsTraced) {
  int inner_traces = 0;
  const auto inner = jit([&](Array x) {
    ++inner_traces;
    return x * 5;
  });
  const auto outer = jit([&](Array x) {
    EXPECT_EQ(inner.compile(Array::abstract(DType::kF32, {7})).launches(), 1);
    return inner(x) + 1;
  });
  EXPECT_EQ(outer(counting({7})).to_vector<float>()[2], 11);
  EXPECT_EQ(inner_traces, 1);
}

bool sleeps(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string stat;
  std::getline(file, stat);
  const size_t name_end = stat.rfind(") ");
  return name_end != std::string::npos && stat[name_end + 2] == 'S';
}

// Who traces goes on when all others who want the function sleep, so that each of them has to be woken.
TEST(MakingTest, AnErrorLeavesNobodyWaiting) {
  constexpr int kThreads = 6;
  std::array<std::atomic<pid_t>, kThreads> asking{};  // 0: not yet; -1: has an answer
  std::atomic<int> runs = 0, overlaps = 0;
  const auto others_wait = [&] {
    int waiting = 0;
    for (const std::atomic<pid_t>& thread : asking) {
      const pid_t id = thread;
      if (id == 0 || (id > 0 && id != gettid() && !sleeps(id))) return -1;
      waiting += id > 0 && id != gettid() ? 1 : 0;
    }
    return waiting;
  };
  const auto f = jit([&](Array x) -> Array {
    const int run = runs.fetch_add(1);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);  // nobody waits: a failure
    while (others_wait() != kThreads - 1 - run && std::chrono::steady_clock::now() < end)
      std::this_thread::yield();
    overlaps += others_wait() == kThreads - 1 - run ? 1 : 0;
    if (run < 3) throw Error("not yet");
    return x + 1;
  });
  const Array x = counting({9});
  std::atomic<int> errors = 0, results = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::atomic<pid_t>& asks = asking[static_cast<size_t>(t)];
      asks = gettid();
      try {
        results += f(x).to_vector<float>()[8] == 9 ? 1 : 0;
      } catch (const Error&) {
        ++errors;
      }
      asks = -1;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(errors, 3);  // each of those who wait tries again
  EXPECT_EQ(results, 3);
  EXPECT_EQ(runs, 4);  // the last two get what the fourth has made
  EXPECT_EQ(overlaps, 4);
}

// Each thread traces one function and wants the other: neither would ever end.
TEST(MakingTest, CirclesThroughThreadsAreErrors) {
  std::barrier both(2);
  std::function<Array(Array)> f, g;
  std::atomic<bool> f_is_traced = false, g_is_traced = false;
  const auto jitted_f = jit([&](Array x) {
    if (!f_is_traced.exchange(true)) both.arrive_and_wait();
    return g(x) + 1;
  });
  const auto jitted_g = jit([&](Array x) {
    if (!g_is_traced.exchange(true)) both.arrive_and_wait();
    return f(x) + 1;
  });
  f = [&](Array x) { return jitted_f(x); };
  g = [&](Array x) { return jitted_g(x); };
  std::string errors[2];
  std::thread other([&] { errors[0] = testing::error_of([&] { f(counting({11})); }); });
  errors[1] = testing::error_of([&] { g(counting({11})); });
  other.join();
  for (const std::string& error : errors)
    EXPECT_NE(error.find("calls itself while it is being traced"), std::string::npos) << error;
}

// Who traces waits for a thread that wants what is being traced, directly or by way of another thread.
TEST(MakingTest, JoiningAThreadThatCallsWhatIsTracedIsAnError) {
  for (int threads_between : {0, 1}) {
    std::string error;
    std::function<Array(Array)> again;
    const auto f = jit([&](Array x) {
      if (error.empty()) {
        const auto call = [&] { error = testing::error_of([&] { again(counting({13})); }); };
        std::thread other([&] {
          if (threads_between == 0) return call();
          std::thread last(call);
          last.join();
        });
        other.join();
      }
      return x + 1;
    });
    again = [&](Array x) { return f(x); };
    EXPECT_EQ(f(counting({13})).to_vector<float>()[3], 4);
    EXPECT_NE(error.find("is being traced, with the same types, by a thread that waits for this one to end"),
              std::string::npos)
        << error;
  }
}

TEST(MakingTest, AskingForTheResultOfAThreadThatCallsWhatIsTracedIsAnError) {
  std::string error;
  std::function<Array(Array)> again;
  const auto f = jit([&](Array x) {
    if (error.empty()) {
      auto result = std::async(std::launch::async, [&] { return again(counting({17})); });
      error = testing::error_of([&] { result.get(); });
    }
    return x + 1;
  });
  again = [&](Array x) { return f(x); };
  EXPECT_EQ(f(counting({17})).to_vector<float>()[3], 4);
  EXPECT_NE(error.find("by a thread that waits for this one to end"), std::string::npos) << error;
}

// A thread that is joined and calls something else, or waits for what yet another thread makes, is none.
TEST(MakingTest, JoiningAThreadThatCallsWhatAnotherOneTraces) {
  std::atomic<bool> slow_begins = false;
  const auto slow = jit([&](Array x) {
    slow_begins = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // others look a few times meanwhile
    return x * 2;
  });
  std::thread first([&] { slow(counting({19})); });
  while (!slow_begins) std::this_thread::yield();
  const auto f = jit([&](Array x) {
    std::vector<float> doubled;
    std::thread other([&] { doubled = slow(counting({19})).to_vector<float>(); });
    other.join();
    return x + doubled[1];
  });
  EXPECT_EQ(f(counting({19})).to_vector<float>()[3], 5);
  first.join();
}

}  // namespace
}  // namespace ingot
