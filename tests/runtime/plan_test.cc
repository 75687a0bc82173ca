#include "runtime/plan.h"

#include <gtest/gtest.h>

#include <functional>

#include "ingot/error.h"
#include "test_kernels.h"

namespace ingot::runtime {
namespace {

BufferInfo plan_buffer(const char* name, Shape shape, int32_t may_alias = -1) {
  return {name, DType::kF32, std::move(shape), may_alias};
}

// main(a, b) = loop(carry a, slices of b, axis 1), with a step of each kind somewhere.
Plan good_plan() {
  Plan plan;
  plan.name = "demo";
  plan.kernels = {add_kernel(4)};
  plan.constants = {{"ones", std::make_shared<float[]>(4), 16}};
  PlanFunction body{"body",
                    {plan_buffer("carry", {4}), plan_buffer("x", {4}), plan_buffer("bias", {4})},
                    {plan_buffer("next", {4})},
                    64,
                    {LaunchStep{0, {Location::argument(0), Location::argument(1), Location::frame(0)}},
                     LaunchStep{0, {Location::frame(0), Location::argument(2), Location::result(0)}}},
                    {{"sum", 0, 16, 0, 1}}};
  LoopStep loop;
  loop.function = 0;
  loop.trip_count = 3;
  loop.reverse = true;
  loop.carries = {{Location::argument(0), Location::frame(0), 16, 64}};
  loop.inputs = {{Location::argument(1), {4, 3}, 1, 4, 128}};
  loop.invariants = {Location::constant(0)};
  loop.frame_offset = 192;
  PlanFunction main{"main",
                    {plan_buffer("a", {4}), plan_buffer("b", {4, 3})},
                    {plan_buffer("y", {4}, 0)},
                    256,
                    {loop, CallStep{2, {Location::frame(0)}, {Location::result(0)}, 64}},
                    {{"last", 0, 16, 0, 1}}};
  PlanFunction keep{"keep",
                    {plan_buffer("x", {4})},
                    {plan_buffer("y", {4})},
                    0,
                    {CopyStep{Location::argument(0), Location::result(0), 16}},
                    {}};
  plan.functions = {body, main, keep};
  plan.entry = 1;
  return plan;
}

TEST(Plan, PrintsBuffersLaunchesAndLifetimes) {
  EXPECT_EQ(to_string(good_plan()), R"(plan demo, entry main
constant 0 ones: 16 bytes
kernel add 000000000000000b (loop): 4 units, 32 bytes read, 16 written, 4 flops
function body, frame of 64 bytes
  argument 0 carry: f32[4], 16 bytes
  argument 1 x: f32[4], 16 bytes
  argument 2 bias: f32[4], 16 bytes
  result 0 next: f32[4], 16 bytes
  buffer 0 frame [0, 16) sum: lives from step 0 to 1
  0: launch add(argument 0, argument 1) -> frame 0
  1: launch add(frame 0, argument 2) -> result 0
function main, frame of 256 bytes
  argument 0 a: f32[4], 16 bytes
  argument 1 b: f32[4,3], 48 bytes
  result 0 y: f32[4], 16 bytes, may take the memory of argument 0
  buffer 0 frame [0, 16) last: lives from step 0 to 1
  0: loop body 3 times, reverse, its frame at 192
       carry argument 0 -> frame 0, 16 bytes, alternating with frame 64
       slices of argument 1 [4,3] axis 1, copied through frame 128
       invariant constant 0
  1: call keep(frame 0) -> result 0, its frame at 64
function keep, frame of 0 bytes
  argument 0 x: f32[4], 16 bytes
  result 0 y: f32[4], 16 bytes
  0: copy 16 bytes: argument 0 -> result 0
)");
}

// main(i, x, y) = a loop while x's first byte says so, then a branch.
Plan control_plan() {
  Plan plan;
  plan.name = "control";
  plan.kernels = {add_kernel(4)};
  const BufferInfo x = plan_buffer("x", {4}), flag{"flag", DType::kPred, {}, -1};
  PlanFunction body{"body",
                    {x, x},
                    {x},
                    0,
                    {LaunchStep{0, {Location::argument(0), Location::argument(1), Location::result(0)}}},
                    {}};
  PlanFunction predicate{
      "predicate", {x, x}, {flag}, 0, {CopyStep{Location::argument(0), Location::result(0), 1}}, {}};
  PlanFunction keep{"keep", {x}, {x}, 0, {CopyStep{Location::argument(0), Location::result(0), 16}}, {}};
  WhileStep loop;
  loop.predicate = 1;
  loop.body = 0;
  loop.carries = {{Location::argument(1), Location::frame(0), 16, 64}};
  loop.invariants = {Location::argument(2)};
  loop.predicate_byte = 128;
  loop.frame_offset = 192;
  loop.max_steps = 9;
  PlanFunction main{
      "main",
      {{"i", DType::kS32, {}, -1}, x, x},
      {x},
      256,
      {loop, CondStep{Location::argument(0), {2, 2}, {Location::frame(0)}, {Location::result(0)}, 192}},
      {}};
  plan.functions = {body, predicate, keep, main};
  plan.entry = 3;
  return plan;
}

TEST(Plan, PrintsLoopsWithoutACountAndBranches) {
  const std::string text = to_string(control_plan());
  EXPECT_EQ(text.substr(text.find("function main")), R"(function main, frame of 256 bytes
  argument 0 i: s32[], 4 bytes
  argument 1 x: f32[4], 16 bytes
  argument 2 x: f32[4], 16 bytes
  result 0 x: f32[4], 16 bytes
  0: loop body while predicate says so in frame 128, at most 9 times, their frames at 192
       carry argument 1 -> frame 0, 16 bytes, alternating with frame 64
       invariant argument 2
  1: branch by argument 0 to keep or keep(frame 0) -> result 0, their frames at 192
)");
}

TEST(Plan, RefusesWrongLoopsWithoutACountAndBranches) {
  const auto refused = [](const std::string& expected,
                          const std::function<void(WhileStep&, CondStep&)>& spoil) {
    Plan plan = control_plan();
    verify(plan);
    spoil(std::get<WhileStep>(plan.functions[3].steps[0]), std::get<CondStep>(plan.functions[3].steps[1]));
    try {
      verify(plan);
      ADD_FAILURE() << "accepted; expected: " << expected;
    } catch (const InternalError& error) {
      EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
    }
  };
  refused("the arguments of keep are not those of body",
          [](WhileStep& loop, CondStep&) { loop.predicate = 2; });
  refused("body must have one result of one byte", [](WhileStep& loop, CondStep&) { loop.predicate = 0; });
  refused("the predicate of a loop is none of its carries of one byte",
          [](WhileStep& loop, CondStep&) { loop.predicate = -1, loop.predicate_carry = 0; });
  refused("the predicate's byte lies in what the loop works on",
          [](WhileStep& loop, CondStep&) { loop.predicate_byte = 70; });
  refused("wrong number of carries, slices or invariants for body",
          [](WhileStep& loop, CondStep&) { loop.invariants.clear(); });
  refused("a buffer that the loop writes overlaps an invariant",
          [](WhileStep& loop, CondStep&) { loop.invariants = {Location::frame(64)}; });
  refused("a choice of no functions", [](WhileStep&, CondStep& cond) { cond.functions.clear(); });
  refused("wrong number of arguments or results for body", [](WhileStep&, CondStep& cond) {
    cond.functions = {2, 0};
  });
  refused("result 0 of keep overlaps argument 0",
          [](WhileStep&, CondStep& cond) { cond.arguments = {Location::result(0)}; });
  refused("leaves its place of 4 bytes",
          [](WhileStep&, CondStep& cond) { cond.index = Location::argument(0, 2); });
  refused("function main calls itself", [](WhileStep&, CondStep& cond) {
    cond = {Location::argument(0),
            {3},
            {Location::argument(0), Location::argument(1), Location::argument(2)},
            {Location::result(0)}};
  });
}

TEST(Plan, AGoodPlanVerifies) {
  EXPECT_NO_THROW(verify(good_plan()));
}

// The plan after `spoil` is refused with a message that contains `expected`.
void expect_refused(const std::string& expected, const std::function<void(Plan&)>& spoil) {
  Plan plan = good_plan();
  spoil(plan);
  try {
    verify(plan);
    ADD_FAILURE() << "accepted; expected: " << expected;
  } catch (const InternalError& error) {
    EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
  }
}

LaunchStep& launch_of(Plan& plan) {
  return std::get<LaunchStep>(plan.functions[0].steps[0]);
}
LoopStep& loop_of(Plan& plan) {
  return std::get<LoopStep>(plan.functions[1].steps[0]);
}
CallStep& call_of(Plan& plan) {
  return std::get<CallStep>(plan.functions[1].steps[1]);
}

TEST(Plan, RefusesWhatLeavesItsPlace) {
  expect_refused("plan demo, function body, step 0: there is no such kernel",
                 [](Plan& plan) { launch_of(plan).kernel = 1; });
  expect_refused("kernel add has 3 parameters and no shared memory, not 2 buffers",
                 [](Plan& plan) { launch_of(plan).buffers.pop_back(); });
  expect_refused("there is no argument 3",
                 [](Plan& plan) { launch_of(plan).buffers[0] = Location::argument(3); });
  expect_refused("a buffer of 16 bytes at offset 56 leaves its place of 64 bytes",
                 [](Plan& plan) { launch_of(plan).buffers[2] = Location::frame(56); });
  expect_refused("an argument or a constant is written to",
                 [](Plan& plan) { launch_of(plan).buffers[2] = Location::argument(0); });
  expect_refused("the frame of body is not aligned or leaves the caller's",
                 [](Plan& plan) { loop_of(plan).frame_offset = 256; });
  expect_refused("has no entry function", [](Plan& plan) { plan.entry = 3; });
  expect_refused("has a kernel without code", [](Plan& plan) { plan.kernels[0] = nullptr; });
}

TEST(Plan, RefusesWrongCallsAndLoops) {
  expect_refused("wrong number of arguments or results for keep",
                 [](Plan& plan) { call_of(plan).arguments.clear(); });
  expect_refused("function main calls itself", [](Plan& plan) {
    CallStep call{1, {Location::argument(0), Location::argument(1)}, {Location::result(0)}, 0};
    plan.functions[1].steps = {call};
  });
  expect_refused("has extent 3 along its axis, the loop 4 steps",
                 [](Plan& plan) { loop_of(plan).trip_count = 4; });
  expect_refused("carry 0 has another size than in the body",
                 [](Plan& plan) { loop_of(plan).carries[0].bytes = 8; });
  expect_refused("carry 0 is in place, but the body does not allow it",
                 [](Plan& plan) { loop_of(plan).carries[0].takes = 0; });
  expect_refused("carry 0 is not where the body wants it", [](Plan& plan) {
    plan.functions[0].results[0].may_alias_argument = 0;
    plan.functions[0].results[0].always_aliases = true;
  });
  expect_refused("carry 0 lies in an output that the body does not make of it",
                 [](Plan& plan) { loop_of(plan).carries[0].stack = 0; });
  expect_refused("carry 0 lies ahead in no output",
                 [](Plan& plan) { loop_of(plan).carries[0].ahead = true; });
  expect_refused("the caller does not know where result y wants to be",
                 [](Plan& plan) { plan.functions[1].results[0].always_aliases = true; });
  expect_refused("slice x has another size", [](Plan& plan) { loop_of(plan).inputs[0].element_bytes = 2; });
}

TEST(Plan, RefusesBuffersThatOverlap) {
  expect_refused("carry 0 overlaps its spare", [](Plan& plan) { loop_of(plan).carries[0].spare = 8; });
  expect_refused("two buffers that the loop writes overlap",
                 [](Plan& plan) { loop_of(plan).inputs[0].slot = 64; });
  expect_refused("a buffer that body works on lies in its frame",
                 [](Plan& plan) { loop_of(plan).carries[0].result = Location::frame(192); });
  expect_refused("result 0 of keep overlaps argument 0",
                 [](Plan& plan) { call_of(plan).results[0] = Location::frame(8); });
  expect_refused("source and destination of a copy overlap", [](Plan& plan) {
    plan.functions[1].steps.emplace_back(CopyStep{Location::frame(0), Location::frame(8), 16});
  });
  expect_refused(
      "result 0 is written while argument 0, whose memory it may take, is still needed", [](Plan& plan) {
        plan.functions[1].steps.emplace_back(CopyStep{Location::argument(0), Location::frame(0), 16});
      });
}

}  // namespace
}  // namespace ingot::runtime
