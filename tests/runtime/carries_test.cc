// Carries of loops that lie in each other's places, or in a stack.
#include <gtest/gtest.h>

#include <utility>

#include "test_plans.h"

namespace ingot::runtime {
namespace {

// A big carry of which each step changes one element: state[t] = t + 1, in place.
Plan in_place_plan(int64_t n) {
  Plan plan;
  plan.name = "in_place";
  KernelFunction poke = [](void* const* buffers, int64_t, int64_t, void*) {
    ASSERT_EQ(buffers[0], buffers[2]);
    int64_t t = static_cast<int64_t>(*static_cast<const float*>(buffers[1]));
    static_cast<float*>(buffers[2])[t] = static_cast<float>(t + 1);
  };
  plan.kernels = {make_kernel(
      "poke", 5, poke, 1, {{DType::kF32, {n}, false}, {DType::kF32, {}, false}, {DType::kF32, {n}, true}})};
  PlanFunction body{"body",
                    {buffer("state", {n}), buffer("t", {})},
                    {buffer("next", {n}, 0)},
                    0,
                    {LaunchStep{0, {Location::argument(0), Location::argument(1), Location::result(0)}}},
                    {}};
  body.results[0].always_aliases = true;
  LoopStep loop;
  loop.function = 1;
  loop.trip_count = n;
  loop.carries = {{Location::argument(0), Location::result(0), 4 * n, -1, 0}};
  loop.inputs = {{Location::argument(1), {n}, 0, 4, 0}};
  PlanFunction main{"main", {buffer("state", {n}), buffer("times", {n})}, {buffer("out", {n}, 0)}, 0, {loop},
                    {}};
  plan.functions = {main, body};
  return plan;
}

TEST(Carries, ACarryInPlaceIsNotCopied) {
  Executable executable(in_place_plan(6));
  EXPECT_EQ(run(executable, {Floats(6, 0), {0, 1, 2, 3, 4, 5}}), (Floats{1, 2, 3, 4, 5, 6}));
}

// (a, b, c) -> (b, c, a + b in the place of a), so that all places go round: with any number of steps,
// counted or until a predicate ends, and with any donation.
Plan rotating_plan(int64_t steps, bool is_while) {
  Plan plan;
  plan.name = "rotating";
  KernelFunction less = [](void* const* buffers, int64_t, int64_t, void*) {
    *static_cast<uint8_t*>(buffers[1]) = static_cast<uint8_t>(*static_cast<const uint8_t*>(buffers[0]) - 1);
  };
  const ParameterInfo in{DType::kU8, {}, false}, out{DType::kU8, {}, true};
  plan.kernels = {add_kernel(2), make_kernel("less", 4, less, 1, {in, out})};
  const BufferInfo n{"n", DType::kU8, {}, -1};
  PlanFunction body{"body",
                    {buffer("a", {2}), buffer("b", {2}), buffer("c", {2}), n},
                    {buffer("b", {2}, 1), buffer("c", {2}, 2), buffer("sum", {2}, 0), n},
                    0,
                    {LaunchStep{0, {Location::argument(0), Location::argument(1), Location::result(2)}},
                     LaunchStep{1, {Location::argument(3), Location::result(3)}}},
                    {}};
  for (int r = 0; r < 3; ++r) body.results[static_cast<size_t>(r)].always_aliases = true;
  std::vector<LoopCarry> carries;
  for (int32_t k = 0; k < 3; ++k)
    carries.push_back({Location::argument(k), Location::result(k), 8, -1, (k + 1) % 3});
  carries.push_back({Location::argument(3), Location::frame(0), 1, 64});
  PlanFunction main{"main",
                    {buffer("a", {2}), buffer("b", {2}), buffer("c", {2}), n},
                    {buffer("a_n", {2}, 1), buffer("b_n", {2}, 0), buffer("c_n", {2}, 2)},
                    128,
                    {},
                    {}};
  if (is_while) {
    WhileStep loop;
    loop.predicate_carry = 3;
    loop.body = 1;
    loop.carries = carries;
    loop.frame_offset = 128;
    main.steps.emplace_back(loop);
  } else {
    LoopStep loop;
    loop.function = 1;
    loop.trip_count = steps;
    loop.carries = carries;
    loop.frame_offset = 128;
    main.steps.emplace_back(loop);
  }
  plan.functions = {main, body};
  return plan;
}

TEST(Carries, CarriesTakeEachOthersPlaces) {
  for (uint8_t steps = 0; steps < 8; ++steps) {
    for (const bool is_while : {false, true}) {
      const Executable executable(rotating_plan(steps, is_while));
      std::vector<float> expected{0, 1, 2};
      for (int i = 0; i < steps; ++i) expected = {expected[1], expected[2], expected[0] + expected[1]};
      for (int donated = 0; donated < 8; ++donated) {
        std::vector<Floats> given{{0, 0}, {1, 1}, {2, 2}}, made(3, Floats(2, -1));
        const void* arguments[] = {given[0].data(), given[1].data(), given[2].data(), &steps};
        void* results[3];
        for (size_t r = 0; r < 3; ++r) {
          const size_t argument = r == 2 ? 2 : 1 - r;  // crosswise
          results[r] = donated >> r & 1 ? given[argument].data() : made[r].data();
        }
        executable.run(arguments, results);
        for (size_t r = 0; r < 3; ++r) {
          EXPECT_EQ(static_cast<float*>(results[r])[0], expected[r])
              << int{steps} << is_while << donated << r;
          EXPECT_EQ(static_cast<float*>(results[r])[1], expected[r])
              << int{steps} << is_while << donated << r;
        }
      }
    }
  }
}

TEST(Carries, ACarryLiesInItsStack) {
  for (const bool reverse : {false, true}) {
    Plan plan = cumulative_plan(5, 4, 0, reverse);
    PlanFunction& body = plan.functions[1];
    body.steps.pop_back();  // the copy
    body.results[1].same_as_result = 0;
    auto& loop = std::get<LoopStep>(plan.functions[0].steps[0]);
    loop.carries[0] = {Location::argument(0), Location::result(1), 16, -1, -1, -1, 0};
    plan.functions[0].results[1].may_alias_argument = -1;
    const Executable executable(plan);
    EXPECT_EQ(executable.copy_count(), 1);
    Floats x(20), y(20), last(4);
    for (size_t i = 0; i < 20; ++i) x[i] = static_cast<float>(i);
    const Floats start{1, 2, 3, 4};
    const void* arguments[] = {start.data(), x.data()};
    void* results[] = {y.data(), last.data()};
    executable.run(arguments, results);
    EXPECT_EQ(last, (Floats{41, 47, 53, 59}));
    EXPECT_EQ(y[0], reverse ? 41 : 1);
    EXPECT_EQ(y[16], reverse ? 17 : 41);
  }
}

// The stack holds what the steps find: the first slice is the initial value, and the last step makes the
// result.
TEST(Carries, ACarryLiesAStepAheadInItsStack) {
  for (const bool reverse : {false, true}) {
    for (const size_t steps : {1, 2, 100}) {
      Plan plan = cumulative_plan(static_cast<int64_t>(steps), 4, 0, reverse);
      PlanFunction& body = plan.functions[1];
      body.steps.pop_back();  // the copy
      body.results[1].may_alias_argument = 0;
      body.results[1].always_aliases = true;
      auto& loop = std::get<LoopStep>(plan.functions[0].steps[0]);
      loop.carries[0] = {Location::argument(0), Location::result(1), 16, -1, -1, -1, 0, true};
      plan.functions[0].results[1].may_alias_argument = -1;
      const Executable executable(plan);
      EXPECT_EQ(executable.copy_count(), 1);
      Floats x(4 * steps), y(4 * steps, -1), last(4), found{1, 2, 3, 4};
      for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
      const Floats start = found;
      const void* arguments[] = {start.data(), x.data()};
      void* results[] = {y.data(), last.data()};
      executable.run(arguments, results);
      for (size_t k = 0; k < steps; ++k) {
        const size_t row = 4 * (reverse ? steps - 1 - k : k);
        for (size_t i = 0; i < 4; ++i) {
          ASSERT_EQ(y[row + i], found[i]) << steps << reverse << k;
          found[i] += x[row + i];
        }
      }
      EXPECT_EQ(last, found) << steps << reverse;
    }
  }
}

}  // namespace
}  // namespace ingot::runtime
