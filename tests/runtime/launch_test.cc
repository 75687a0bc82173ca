#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>

#include "base/options.h"
#include "ingot/error.h"
#include "runtime/kernel.h"
#include "runtime/launch_log.h"
#include "test_kernels.h"
#include "testing/on_stack.h"

namespace ingot::runtime {
namespace {

std::vector<float> ramp(int64_t n) {
  std::vector<float> values(static_cast<size_t>(n));
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

void launch_add(const CompiledKernel& kernel, int64_t n) {
  std::vector<float> a = ramp(n), b = ramp(n), out(static_cast<size_t>(n), -1);
  void* buffers[] = {a.data(), b.data(), out.data()};
  launch(kernel, buffers);
  for (int64_t i = 0; i < n; ++i) ASSERT_EQ(out[static_cast<size_t>(i)], 2 * static_cast<float>(i));
}

TEST(Launch, RunsAllUnits) {
  for (int64_t n : {0, 1, 7, 1000, 100'003}) {
    for (double cost : {0.0, 0.1, 100.0, 1e6}) launch_add(*add_kernel(n, cost), n);
  }
}

std::mutex seen_mutex;
std::set<std::thread::id> seen_threads;
std::vector<int64_t> seen_lengths;

std::shared_ptr<CompiledKernel> noting_kernel(int64_t units, double unit_cost_ns) {
  seen_threads.clear();
  seen_lengths.clear();
  KernelFunction function = [](void* const*, int64_t begin, int64_t end, void*) {
    std::lock_guard lock(seen_mutex);
    seen_threads.insert(std::this_thread::get_id());
    seen_lengths.push_back(end - begin);
  };
  return make_kernel("noting", 1, function, units, {}, unit_cost_ns);
}

TEST(Launch, ShortKernelsStayOnTheirThread) {
  set_num_threads(4);
  launch(*noting_kernel(1000, 1), nullptr);  // 1 us in all
  EXPECT_EQ(seen_lengths, std::vector<int64_t>{1000});
  launch(*noting_kernel(1, 1e9), nullptr);  // one unit cannot be shared
  EXPECT_EQ(seen_lengths, std::vector<int64_t>{1});
  EXPECT_EQ(*seen_threads.begin(), std::this_thread::get_id());
  set_num_threads(0);
}

// What is updated where it lies is not copied first, and nobody needs help with what is not done.
TEST(Launch, CopiesThatAreNotMadeDoNotCount) {
  set_num_threads(4);
  int here = 0, there = 0;
  void* apart[] = {&here, &there};
  void* in_place[] = {&here, &here};
  const auto kernel = noting_kernel(1000, 1000);  // 1 ms, of which 1 us is no copying
  kernel->copied_first = {{0, 1, 4000, 4000, {999}}};
  EXPECT_EQ(unit_cost(*kernel, apart, 0), 1000);
  EXPECT_EQ(unit_cost(*kernel, in_place, 0), 1);
  launch(*kernel, in_place);
  EXPECT_EQ(seen_lengths, std::vector<int64_t>{1000});
  seen_lengths.clear();
  launch(*kernel, apart);
  EXPECT_GT(seen_lengths.size(), 8u);
  set_num_threads(0);
}

// One unit would copy on one thread: its launch copies first, and the kernel finds its output in place.
TEST(Launch, AllThreadsCopyForAKernelOfOneUnit) {
  static bool was_in_place;
  KernelFunction function = [](void* const* buffers, int64_t, int64_t, void*) {
    was_in_place = buffers[0] == buffers[1];
    static_cast<float*>(buffers[1])[1] = 7;
  };
  for (const int64_t n : {1000, 1'000'003}) {
    const auto kernel =
        make_kernel("one", 1, function, 1, {{DType::kF32, {n}, false}, {DType::kF32, {n}, true}});
    kernel->copied_first = {{0, 1, 4 * n, 4 * n, {0}}};
    std::vector<float> from = ramp(n), to(from.size(), -1);
    void* apart[] = {from.data(), to.data()};
    launch(*kernel, apart);
    EXPECT_EQ(apart[0], from.data());
    EXPECT_EQ(was_in_place, n > 1000);  // the kernel copies what is short itself
    if (n == 1000) continue;
    std::vector<float> expected = ramp(n);
    EXPECT_EQ(from, expected);
    expected[1] = 7;
    EXPECT_EQ(to, expected);
    void* in_place[] = {from.data(), from.data()};
    launch(*kernel, in_place);
    EXPECT_EQ(from, expected);
  }
}

// Phases are cut by the cost of their own units, and a launch is short or long by the sum of all of them.
TEST(Launch, EachPhaseHasItsOwnCost) {
  set_num_threads(4);
  auto kernel = noting_kernel(1002, 0);
  kernel->barriers = {1000};
  kernel->unit_cost_ns = {1, 3000};  // 1 us, then two units of 3 us: 7 us in all
  launch(*kernel, nullptr);
  EXPECT_EQ(seen_lengths, std::vector<int64_t>{1002});
  seen_lengths.clear();
  // 8 us, no chunk of which is below 4, then two units of half a millisecond.
  kernel->unit_cost_ns = {8, 500'000};
  launch(*kernel, nullptr);
  EXPECT_LE(seen_lengths.size(), 2u + 2u);
  EXPECT_EQ(std::count(seen_lengths.begin(), seen_lengths.end(), 1), 2);
  set_num_threads(0);
}

// What a loop keeps from step to step is not done again, and does not count for how long a launch is.
TEST(Launch, KeptPhasesRunOnce) {
  set_num_threads(4);
  auto kernel = noting_kernel(1003, 0);
  kernel->barriers = {1000, 1002};
  kernel->kept_phases = 1 << 1;
  kernel->unit_cost_ns = {1, 500'000, 1};
  launch(*kernel, nullptr);
  EXPECT_EQ(std::accumulate(seen_lengths.begin(), seen_lengths.end(), int64_t{0}), 1003);
  seen_lengths.clear();
  launch(*kernel, nullptr, {}, true);
  EXPECT_EQ(seen_lengths, (std::vector<int64_t>{1000, 1}));
  EXPECT_TRUE(runs_on_this_thread(*kernel, nullptr, true));
  EXPECT_FALSE(runs_on_this_thread(*kernel, nullptr));
  seen_lengths.clear();
  kernel->unit_cost_ns = {500'000, 1, 500'000};
  launch(*kernel, nullptr, {}, true);
  EXPECT_EQ(std::accumulate(seen_lengths.begin(), seen_lengths.end(), int64_t{0}), 1001);
  set_num_threads(0);
}

TEST(Launch, LongKernelsAreCutIntoChunksOfFairCost) {
  set_num_threads(4);
  launch(*noting_kernel(100'000, 1000), nullptr);  // 100 ms in all
  EXPECT_EQ(seen_lengths.size(), 8u + 8 * 4);      // of sixteen, the last two for each thread in four pieces
  launch(*noting_kernel(12'000, 1), nullptr);      // 12 us in all: no chunk below 4 us
  EXPECT_LE(seen_lengths.size(), 3u);
  EXPECT_EQ(std::accumulate(seen_lengths.begin(), seen_lengths.end(), int64_t{0}), 12'000);
  set_num_threads(0);
}

TEST(Launch, EachThreadHasItsOwnScratch) {
  KernelFunction function = [](void* const* buffers, int64_t begin, int64_t end, void* scratch) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(scratch) % 64, 0u);
    int64_t* words = static_cast<int64_t*>(scratch);
    for (int64_t i = begin; i < end; ++i) {
      for (int j = 0; j < 1000; ++j) words[j] = i;
      for (int j = 0; j < 1000; ++j) static_cast<std::atomic<int64_t>*>(buffers[0])->fetch_add(words[j] == i);
    }
  };
  auto kernel = make_kernel("scratch", 2, function, 64, {}, 1e6);
  kernel->scratch_bytes = 8000;
  set_num_threads(4);
  std::atomic<int64_t> right{0};
  void* buffers[] = {&right};
  launch(*kernel, buffers);
  EXPECT_EQ(right, 64 * 1000);
  set_num_threads(0);
}

constexpr size_t kLargeFrame = 1 << 20;

// Writes all of a frame of kLargeFrame bytes.
void use_large_frame(void* const* buffers, int64_t begin, int64_t end, void*) {
  volatile char frame[kLargeFrame];
  for (size_t i = 0; i < kLargeFrame; i += 64) frame[i] = static_cast<char>(i / 64);
  for (int64_t unit = begin; unit < end; ++unit) {
    int64_t right = 0;
    for (size_t i = 0; i < kLargeFrame; i += 64) right += frame[i] == static_cast<char>(i / 64);
    static_cast<std::atomic<int64_t>*>(buffers[0])->fetch_add(right);
  }
}

// Kernels of thousands of operations have frames that not every thread has room for: here the caller's 256
// KiB, whoever takes part, and with somebody who watches.
TEST(Launch, AKernelHasTheStackThatItTakes) {
  const auto kernel = make_kernel("large_frame", 2, use_large_frame, 16, {}, 1e6);
  kernel->stack_bytes = kLargeFrame + 4096;
  constexpr int64_t kRight = 16 * static_cast<int64_t>(kLargeFrame / 64);
  for (int threads : {1, 3}) {
    set_num_threads(threads);
    testing::on_stack(256, [&] {
      std::atomic<int64_t> right{0};
      void* buffers[] = {&right};
      launch(*kernel, buffers);
      EXPECT_EQ(right, kRight);
      const auto observer =
          observe_launches([&](const LaunchRecord& record) { EXPECT_EQ(record.kernel.name, "large_frame"); });
      launch(*kernel, buffers);
      EXPECT_EQ(right, 2 * kRight);
    });
  }
  set_num_threads(0);
}

TEST(Launch, AStackThatNobodyGivesIsAnError) {
  const auto kernel = make_kernel("endless", 2, use_large_frame, 1, {}, 1);
  kernel->stack_bytes = size_t{1} << 60;
  try {
    launch(*kernel, nullptr);
    ADD_FAILURE() << "it ran";
  } catch (const Error& error) {
    const std::string what = error.what();
    EXPECT_EQ(what.find("the kernel 'endless' takes 1125899906842640 KiB of stack, but this thread has "), 0u)
        << what;
    EXPECT_NE(what.find(" KiB left, and the system gives no other one; give this one more (ulimit -s"),
              std::string::npos)
        << what;
  }
}

TEST(LaunchLog, ObserversSeeEveryLaunch) {
  EXPECT_FALSE(launches_watched());
  std::atomic<int> first{0}, second{0};
  int64_t told_ns = 0;
  const auto start = std::chrono::steady_clock::now();
  auto observer = observe_launches([&](const LaunchRecord& record) {
    ++first;
    EXPECT_EQ(record.kernel.name, "add");
    told_ns += record.duration_ns;
    EXPECT_GE(record.threads, 1);
    EXPECT_LE(record.threads, num_threads());
  });
  launch_add(*add_kernel(100), 100);
  {
    auto other = observe_launches([&](const LaunchRecord&) { ++second; });
    launch_add(*add_kernel(100'000, 10), 100'000);
  }
  launch_add(*add_kernel(5), 5);
  observer.reset();
  const std::chrono::nanoseconds passed = std::chrono::steady_clock::now() - start;
  EXPECT_GT(told_ns, 0);
  EXPECT_LE(told_ns, passed.count());  // one launch after the other
  launch_add(*add_kernel(5), 5);
  EXPECT_EQ(first, 3);
  EXPECT_EQ(second, 1);
  EXPECT_FALSE(launches_watched());
}

TEST(LaunchLog, ObserversComeAndGoWhileKernelsRun) {
  std::atomic<bool> stop{false};
  std::atomic<int64_t> mine{0}, others{0}, launched{0};
  std::thread user([&] {
    auto kernel = add_kernel(50);
    kernel->name = "other";
    while (!stop) {
      launch_add(*kernel, 50);
      ++launched;
    }
  });
  while (launched == 0) std::this_thread::yield();
  // Each observer stays until the other thread has launched something under it, begun before or after.
  for (int i = 0; i < 200; ++i) {
    auto observer = observe_launches(
        [&](const LaunchRecord& record) { ++(record.kernel.name == "other" ? others : mine); });
    launch_add(*add_kernel(3), 3);
    const int64_t before = launched;
    while (launched < before + 2) std::this_thread::yield();
  }
  stop = true;
  user.join();
  EXPECT_EQ(mine, 200);
  EXPECT_GE(others, 200);
  EXPECT_LE(others, launched);
}

TEST(LaunchLog, ALineSaysAllThereIsToKnow) {
  auto kernel = add_kernel(1000);
  kernel->source_lines = {"model.cc:12", "model.cc:14"};
  LaunchRecord record{*kernel, nullptr, kernel->source_lines, 2000, 2};
  EXPECT_EQ(describe(record),
            "add (f32[1000], f32[1000]) -> f32[1000]: 8.00 KB read, 4.00 KB written, 1000 flops, 2.00 us, "
            "6.00 GB/s, 2 threads, 1000 units, from model.cc:12, model.cc:14");
}

// The type is the program's; in memory this one is f32[10,20] with ten elements between rows.
TEST(LaunchLog, ALineTellsTypesOfTheProgram) {
  auto kernel = add_kernel(200);
  kernel->parameters[2] = {DType::kF32, {10, 20}, true, 30, 0, {1, 0}};
  EXPECT_EQ(describe({*kernel, nullptr, kernel->source_lines, 2000, 1})
                .rfind("add (f32[200], f32[200]) -> f32[20,10] in the order [1,0] with rows 30 apart: ", 0),
            0u);
}

TEST(LaunchLog, PrintsToStderrWhenAsked) {
  set_log("kernels");
  ::testing::internal::CaptureStderr();
  launch_add(*add_kernel(8), 8);
  std::string text = ::testing::internal::GetCapturedStderr();
  set_log("");
  EXPECT_EQ(text.rfind("ingot: kernel add (f32[8], f32[8]) -> f32[8]: 64 B read, 32 B written, 8 flops, ", 0),
            0u)
      << text;
  EXPECT_EQ(text.back(), '\n');
}

}  // namespace
}  // namespace ingot::runtime
