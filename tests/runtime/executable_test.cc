#include "runtime/executable.h"

#include <gtest/gtest.h>

#include <thread>
#include <utility>

#include "runtime/launch_log.h"
#include "test_plans.h"

namespace ingot::runtime {
namespace {

Plan one_kernel_plan(int64_t n) {
  Plan plan;
  plan.name = "sum";
  plan.kernels = {add_kernel(n)};
  plan.functions = {{"main",
                     {buffer("a", {n}), buffer("b", {n})},
                     {buffer("c", {n}, 0)},
                     0,
                     {LaunchStep{0, {Location::argument(0), Location::argument(1), Location::result(0)}}},
                     {}}};
  return plan;
}

TEST(Executable, RunsOneKernel) {
  Executable executable(one_kernel_plan(4));
  EXPECT_EQ(run(executable, {{1, 2, 3, 4}, {10, 20, 30, 40}}), (Floats{11, 22, 33, 44}));
  EXPECT_EQ(executable.launch_count(), 1);
  EXPECT_EQ(executable.peak_bytes(), 32);  // the result lies in the first argument
}

TEST(Executable, ADonatedArgumentIsTheResult) {
  Executable executable(one_kernel_plan(4));
  Floats a{1, 2, 3, 4}, b{1, 1, 1, 1};
  const void* arguments[] = {a.data(), b.data()};
  void* results[] = {a.data()};
  executable.run(arguments, results);
  EXPECT_EQ(a, (Floats{2, 3, 4, 5}));
}

// f(x) = 2 * (x + c), called twice through a frame: main(x) = f(f(x)).
Plan call_plan() {
  constexpr int64_t n = 3;
  Plan plan;
  plan.name = "calls";
  plan.kernels = {add_kernel(n), double_kernel(n)};
  plan.constants = {{"c", std::make_shared<Floats>(Floats{1, 2, 3}), 12}};
  auto values = std::static_pointer_cast<const Floats>(plan.constants[0].data);
  plan.constants[0].data = std::shared_ptr<const void>(values, values->data());
  PlanFunction inner{"inner",
                     {buffer("x", {n})},
                     {buffer("y", {n})},
                     64,
                     {LaunchStep{0, {Location::argument(0), Location::constant(0), Location::frame(0)}},
                      LaunchStep{1, {Location::frame(0), Location::result(0)}}},
                     {{"sum", 0, 12, 0, 1}}};
  PlanFunction main{"main",
                    {buffer("x", {n})},
                    {buffer("y", {n})},
                    128,
                    {CallStep{0, {Location::argument(0)}, {Location::frame(0)}, 64},
                     CallStep{0, {Location::frame(0)}, {Location::result(0)}, 64}},
                    {{"once", 0, 12, 0, 1}}};
  plan.functions = {inner, main};
  plan.entry = 1;
  return plan;
}

TEST(Executable, CallsFunctionsInTheirFrames) {
  Executable executable(call_plan());
  EXPECT_EQ(run(executable, {{0, 0, 1}}), (Floats{6, 12, 22}));
  EXPECT_EQ(executable.launch_count(), 4);
  ASSERT_EQ(executable.kernels().size(), 2u);
  EXPECT_EQ(executable.kernels()[0]->name, "add");
  EXPECT_EQ(executable.kernels()[1]->name, "double");
}

struct LoopCase {
  int64_t steps, n;
  int32_t axis;
  bool reverse, donated;
};

void check_cumulative(const LoopCase& c) {
  SCOPED_TRACE(::testing::Message() << c.steps << " steps of " << c.n << " along axis " << c.axis
                                    << (c.reverse ? " in reverse" : "") << (c.donated ? ", donated" : ""));
  Executable executable(cumulative_plan(c.steps, c.n, c.axis, c.reverse));
  auto at = [&](int64_t t, int64_t i) {
    return static_cast<size_t>(c.axis == 0 ? t * c.n + i : i * c.steps + t);
  };
  Floats start(static_cast<size_t>(c.n)), x(static_cast<size_t>(c.steps * c.n)), expected = x, y = x;
  for (int64_t i = 0; i < c.n; ++i) start[static_cast<size_t>(i)] = static_cast<float>(100 * i);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 17);
  Floats last = start;
  for (int64_t k = 0; k < c.steps; ++k) {
    int64_t t = c.reverse ? c.steps - 1 - k : k;
    for (int64_t i = 0; i < c.n; ++i) expected[at(t, i)] = last[static_cast<size_t>(i)] += x[at(t, i)];
  }
  Floats separate(start.size());
  const void* arguments[] = {start.data(), x.data()};
  void* results[] = {y.data(), c.donated ? start.data() : separate.data()};
  executable.run(arguments, results);
  EXPECT_EQ(y, expected);
  EXPECT_EQ(c.donated ? start : separate, last);
}

TEST(Executable, LoopsSliceAndStack) {
  for (int64_t steps : {0, 1, 2, 3, 8}) {
    for (int32_t axis : {0, 1}) {
      for (bool reverse : {false, true}) {
        for (bool donated : {false, true}) check_cumulative({steps, 5, axis, reverse, donated});
      }
    }
  }
  Executable executable(cumulative_plan(8, 5, 1, false));
  EXPECT_EQ(executable.launch_count(), 8);
  EXPECT_EQ(executable.copy_count(), 24) << "one in the body, two strided slices";
}

// (a, b) -> (b, a + b): carries change places, with every way of donating them.
Plan fibonacci_plan(int64_t steps) {
  Plan plan;
  plan.name = "fibonacci";
  plan.kernels = {add_kernel(1)};
  PlanFunction body{"body",
                    {buffer("a", {1}), buffer("b", {1})},
                    {buffer("next_a", {1}), buffer("next_b", {1})},
                    0,
                    {CopyStep{Location::argument(1), Location::result(0), 4},
                     LaunchStep{0, {Location::argument(0), Location::argument(1), Location::result(1)}}},
                    {}};
  LoopStep loop;
  loop.function = 1;
  loop.trip_count = steps;
  loop.carries = {{Location::argument(0), Location::result(0), 4, 0},
                  {Location::argument(1), Location::result(1), 4, 64}};
  loop.frame_offset = 128;
  PlanFunction main{"main",
                    {buffer("a", {1}), buffer("b", {1})},
                    {buffer("a_n", {1}, 1), buffer("b_n", {1}, 0)},  // crosswise
                    128,
                    {loop},
                    {}};
  plan.functions = {main, body};
  return plan;
}

TEST(Executable, CarriesMayChangePlacesInDonatedMemory) {
  for (int64_t steps : {0, 1, 2, 3, 10}) {
    Executable executable(fibonacci_plan(steps));
    float expected_a = 0, expected_b = 1;
    for (int64_t i = 0; i < steps; ++i) {
      float sum = expected_a + expected_b;
      expected_a = expected_b;
      expected_b = sum;
    }
    float a = 0, b = 1;
    const void* arguments[] = {&a, &b};
    void* results[] = {&b, &a};
    executable.run(arguments, results);
    EXPECT_EQ(b, expected_a) << steps;
    EXPECT_EQ(a, expected_b) << steps;
  }
}

// (a, b, n) -> (b, a + b, n - 1) while n is not 0, with every way of donating a and b. The predicate is a
// function that tells the first byte of n, or that byte itself.
Plan while_plan(bool is_carry, int64_t max_steps = -1) {
  Plan plan;
  plan.name = "count_down";
  KernelFunction tell = [](void* const* buffers, int64_t, int64_t, void*) {
    *static_cast<uint8_t*>(buffers[1]) = *static_cast<const uint8_t*>(buffers[0]) == 0 ? 0 : 1;
  };
  KernelFunction less = [](void* const* buffers, int64_t, int64_t, void*) {
    *static_cast<uint8_t*>(buffers[1]) = static_cast<uint8_t>(*static_cast<const uint8_t*>(buffers[0]) - 1);
  };
  const ParameterInfo in{DType::kU8, {}, false}, out{DType::kU8, {}, true};
  plan.kernels = {add_kernel(1), make_kernel("tell", 3, tell, 1, {in, out}),
                  make_kernel("less", 4, less, 1, {in, out})};
  const BufferInfo n{"n", DType::kU8, {}, -1}, a = buffer("a", {1}), b = buffer("b", {1});
  PlanFunction body{"body",
                    {a, b, n},
                    {a, b, n},
                    0,
                    {CopyStep{Location::argument(1), Location::result(0), 4},
                     LaunchStep{0, {Location::argument(0), Location::argument(1), Location::result(1)}},
                     LaunchStep{2, {Location::argument(2), Location::result(2)}}},
                    {}};
  PlanFunction predicate{"predicate",
                         {a, b, n},
                         {{"more", DType::kPred, {}, -1}},
                         0,
                         {LaunchStep{1, {Location::argument(2), Location::result(0)}}},
                         {}};
  WhileStep loop;
  if (is_carry)
    loop.predicate_carry = 2;
  else
    loop.predicate = 2;
  loop.body = 1;
  loop.carries = {{Location::argument(0), Location::result(0), 4, 0},
                  {Location::argument(1), Location::result(1), 4, 64},
                  {Location::argument(2), Location::frame(256), 1, 128}};
  loop.predicate_byte = 192;
  loop.frame_offset = 320;
  loop.max_steps = max_steps;
  loop.place = "loop.cc:7: ";
  PlanFunction main{"main", {a, b, n}, {buffer("a_n", {1}, 1), buffer("b_n", {1}, 0)},  // crosswise
                    320,    {loop},    {}};
  plan.functions = {main, body, predicate};
  return plan;
}

TEST(Executable, LoopsRunWhileTheirPredicateHolds) {
  for (bool is_carry : {false, true}) {
    const Executable executable(while_plan(is_carry));
    EXPECT_TRUE(executable.counts_are_least());
    EXPECT_EQ(executable.launch_count(), is_carry ? 0 : 1);
    for (uint8_t steps : {0, 1, 2, 3, 10}) {
      float expected_a = 0, expected_b = 1;
      for (int i = 0; i < steps; ++i) expected_b += std::exchange(expected_a, expected_b);
      for (bool donated : {false, true}) {
        float a = 0, b = 1, c = -1, d = -1;
        const void* arguments[] = {&a, &b, &steps};
        void* results[] = {donated ? &b : &c, donated ? &a : &d};
        executable.run(arguments, results);
        EXPECT_EQ(donated ? b : c, expected_a) << int{steps};
        EXPECT_EQ(donated ? a : d, expected_b) << int{steps};
      }
    }
  }
}

// The predicate takes more scratch memory from step to step, where that of the steps before it has gone.
TEST(Executable, StepsHaveTheScratchMemoryOfTheirThread) {
  Plan plan = while_plan(false);
  KernelFunction tell = [](void* const* buffers, int64_t, int64_t, void*) {
    const uint8_t left = *static_cast<const uint8_t*>(buffers[0]);
    thread_scratch(size_t{16} << (20 - left));
    *static_cast<uint8_t*>(buffers[1]) = left == 0 ? 0 : 1;
  };
  KernelFunction less = [](void* const* buffers, int64_t, int64_t, void* scratch) {
    EXPECT_EQ(scratch, thread_scratch(64));
    *static_cast<uint8_t*>(buffers[1]) = static_cast<uint8_t>(*static_cast<const uint8_t*>(buffers[0]) - 1);
  };
  const ParameterInfo in{DType::kU8, {}, false}, out{DType::kU8, {}, true};
  plan.kernels[1] = make_kernel("tell", 3, tell, 1, {in, out});
  auto step = make_kernel("less", 4, less, 1, {in, out});
  step->scratch_bytes = 64;
  plan.kernels[2] = step;
  const Executable executable(std::move(plan));
  const uint8_t steps = 12;
  float a = 0, b = 1, c = -1, d = -1;
  const void* arguments[] = {&a, &b, &steps};
  void* results[] = {&c, &d};
  executable.run(arguments, results);
  EXPECT_EQ(c, 144);
}

TEST(Executable, ALoopEndsAtItsBoundWithAnErrorAtItsLine) {
  const Executable executable(while_plan(false, 3));
  const auto run_steps = [&](uint8_t steps) {
    float a = 0, b = 1, c = -1, d = -1;
    const void* arguments[] = {&a, &b, &steps};
    void* results[] = {&c, &d};
    try {
      executable.run(arguments, results);
    } catch (const StepError& error) {
      EXPECT_EQ(a, 0);
      EXPECT_EQ(b, 1);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(run_steps(3), "");
  EXPECT_EQ(run_steps(4),
            "loop.cc:7: the loop goes on after 3 steps, the bound 'max_steps'; a larger one, or "
            "a loop that ends by then, would do");
  std::vector<std::thread> users;
  for (int user = 0; user < 4; ++user) {
    users.emplace_back([&, user] {
      for (int round = 0; round < 100; ++round)
        EXPECT_EQ(run_steps(user % 2 == 0 ? 3 : 4) == "", user % 2 == 0);
    });
  }
  for (std::thread& user : users) user.join();
}

TEST(Executable, TakesTheBranchThatAnIndexNames) {
  Plan plan;
  plan.name = "branches";
  plan.kernels = {add_kernel(2), double_kernel(2)};
  const BufferInfo x = buffer("x", {2});
  PlanFunction same{"same", {x}, {x}, 0, {CopyStep{Location::argument(0), Location::result(0), 8}}, {}};
  PlanFunction twice{"twice", {x}, {x}, 0, {LaunchStep{1, {Location::argument(0), Location::result(0)}}}, {}};
  PlanFunction thrice{"thrice",
                      {x},
                      {x},
                      64,
                      {LaunchStep{1, {Location::argument(0), Location::frame(0)}},
                       LaunchStep{0, {Location::argument(0), Location::frame(0), Location::result(0)}}},
                      {}};
  PlanFunction main{
      "main",
      {{"i", DType::kS32, {}, -1}, x},
      {x},
      64,
      {CondStep{Location::argument(0), {1, 2, 3}, {Location::argument(1)}, {Location::result(0)}}},
      {}};
  plan.functions = {main, same, twice, thrice};
  const Executable executable(plan);
  // One branch launches nothing, and others copy nothing.
  EXPECT_EQ(executable.launch_count(), 0);
  EXPECT_EQ(executable.copy_count(), 0);
  EXPECT_TRUE(executable.counts_are_least());
  const Floats from{1, 5};
  for (const auto& [index, times] :
       {std::pair<int32_t, float>{-7, 1}, {0, 1}, {1, 2}, {2, 3}, {3, 3}, {1 << 30, 3}}) {
    Floats to(2, -1);
    const void* arguments[] = {&index, from.data()};
    void* results[] = {to.data()};
    executable.run(arguments, results);
    EXPECT_EQ(to, (Floats{times, 5 * times})) << index;
  }
}

// 2^32 steps of 2^32 steps each.
TEST(Executable, CountsStopAtTheEndOf64Bits) {
  Plan plan;
  plan.name = "nested";
  plan.kernels = {double_kernel(2)};
  const BufferInfo x = buffer("x", {2});
  LoopStep loop;
  loop.trip_count = int64_t{1} << 32;
  loop.carries = {{Location::argument(0), Location::result(0), 8, 0}};
  loop.frame_offset = 64;
  PlanFunction main{"main", {x}, {x}, 256, {loop}, {}}, outer{"outer", {x}, {x}, 128, {loop}, {}};
  std::get<LoopStep>(main.steps[0]).function = 1;
  std::get<LoopStep>(outer.steps[0]).function = 2;
  PlanFunction step{"step",
                    {x},
                    {x},
                    0,
                    {LaunchStep{0, {Location::argument(0), Location::result(0)}},
                     CopyStep{Location::result(0), Location::result(0), 8}},
                    {}};
  plan.functions = {main, outer, step};
  const Executable executable(plan);
  EXPECT_EQ(executable.launch_count(), INT64_MAX);
  EXPECT_EQ(executable.copy_count(), INT64_MAX);
}

TEST(Executable, BigFramesComeFromThePool) {
  constexpr int64_t n = 100'000;
  Plan plan = one_kernel_plan(n);
  plan.kernels.push_back(double_kernel(n));
  plan.functions[0].frame_bytes = 4 * n + 1024;
  plan.functions[0].steps = {
      LaunchStep{0, {Location::argument(0), Location::argument(1), Location::frame(1024)}},
      LaunchStep{1, {Location::frame(1024), Location::result(0)}}};
  Executable executable(plan);
  EXPECT_EQ(run(executable, {Floats(n, 1), Floats(n, 2)}), Floats(n, 6));
}

TEST(Executable, ManyThreadsRunAtOnce) {
  Executable calls(call_plan()), loops(cumulative_plan(50, 40, 1, true));
  Floats start(40, 1), x(2000, 2);
  std::vector<std::thread> users;
  for (int user = 0; user < 4; ++user) {
    users.emplace_back([&] {
      for (int round = 0; round < 100; ++round) {
        EXPECT_EQ(run(calls, {{0, 0, 1}}), (Floats{6, 12, 22}));
        Floats y(2000), last(40);
        const void* arguments[] = {start.data(), x.data()};
        void* results[] = {y.data(), last.data()};
        loops.run(arguments, results);
        EXPECT_EQ(last, Floats(40, 101));
      }
    });
  }
  for (std::thread& user : users) user.join();
}

TEST(Executable, TheLogShowsCopiesToo) {
  Executable executable(fibonacci_plan(2));
  std::string seen;
  auto observer = observe_launches([&](const LaunchRecord& record) { seen += record.kernel.name + " "; });
  float a = 0, b = 1, c, d;
  const void* arguments[] = {&a, &b};
  void* results[] = {&c, &d};
  executable.run(arguments, results);
  EXPECT_EQ(seen, "copy add copy add ");
}

TEST(Executable, LongCopiesAndManyPointers) {
  constexpr int64_t n = 1 << 20;
  Plan plan;
  plan.name = "copies";
  PlanFunction main{"main", {}, {}, 0, {}, {}}, inner{"inner", {}, {}, 0, {}, {}};
  CallStep call{1, {}, {}, 0};
  for (int32_t i = 0; i < 40; ++i) {
    std::string name = std::to_string(i);
    inner.arguments.push_back(buffer(name.c_str(), {i == 0 ? n : 1}));
    inner.results.push_back(buffer(name.c_str(), {i == 0 ? n : 1}));
    call.arguments.push_back(Location::argument(i));
    call.results.push_back(Location::result(i));
    inner.steps.push_back(CopyStep{Location::argument(i), Location::result(i), inner.results.back().bytes()});
  }
  main.arguments = inner.arguments;
  main.results = inner.results;
  main.steps = {call};
  plan.functions = {main, inner};
  Executable executable(plan);
  Floats from(n + 40), to(n + 40, -1);
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<float>(i % 1000);
  std::vector<const void*> arguments;
  std::vector<void*> results;
  for (size_t i = 0; i < 40; ++i) {
    arguments.push_back(from.data() + (i == 0 ? 40 : i));
    results.push_back(to.data() + (i == 0 ? 40 : i));
  }
  executable.run(arguments.data(), results.data());
  to[0] = 0;
  EXPECT_EQ(to, from);
}

}  // namespace
}  // namespace ingot::runtime
