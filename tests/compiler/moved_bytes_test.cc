// What launches are said to read and write: against what they change in memory, which is filled with garbage
// before where nothing lies in it, and against counts by hand.
#include <cstring>
#include <random>

#include "compiler/compiler.h"
#include "compiler/reported_programs.h"
#include "runtime/launch_log.h"

namespace ingot::testing {
namespace {

using runtime::CompiledKernel;
using runtime::MovedBytes;

struct Launched {
  std::string kernel;
  MovedBytes moved;       // as the log tells it
  int64_t changed = 0;    // bytes of elements that differ afterwards
  bool bytewise = false;  // some output is of bytes: one of them in some hundred is what the garbage is
  bool in_place = false;  // some output lies where an input does
};

std::vector<Launched>* launched = nullptr;

int64_t changed_bytes(const std::vector<std::byte>& before, const void* after, size_t element) {
  int64_t bytes = 0;
  for (size_t at = 0; at < before.size(); at += element) {
    if (std::memcmp(before.data() + at, static_cast<const std::byte*>(after) + at, element) != 0)
      bytes += static_cast<int64_t>(element);
  }
  return bytes;
}

void launch_and_look(const CompiledKernel& kernel, void* const* buffers) {
  const size_t parameters = kernel.parameters.size();
  std::vector<std::vector<std::byte>> before(parameters);
  Launched one{kernel.name, moved_bytes(kernel, buffers)};
  for (size_t o = 0; o < parameters; ++o) {
    if (!kernel.parameters[o].is_output) continue;
    const auto bytes = static_cast<size_t>(kernel.parameters[o].bytes());
    const bool in_place = std::find(buffers, buffers + o, buffers[o]) != buffers + o;
    one.in_place = one.in_place || in_place;
    one.bytewise = one.bytewise || byte_size(kernel.parameters[o].dtype) == 1;
    if (!in_place) std::memset(buffers[o], 0xa5, bytes);
    const auto* start = static_cast<const std::byte*>(buffers[o]);
    before[o].assign(start, start + bytes);
  }
  runtime::launch_unlogged(kernel, buffers);
  for (size_t o = 0; o < parameters; ++o)
    one.changed += changed_bytes(before[o], buffers[o], byte_size(kernel.parameters[o].dtype));
  launched->push_back(one);
}

struct Program {
  std::shared_ptr<const runtime::Executable> executable;
  compiler::Compiled compiled;

  explicit Program(std::unique_ptr<ir::Module> module) : compiled(compiler::compile(std::move(module))) {
    executable = compiled.executable;
  }

  // Launches of one run; results lie in the memory of donated arguments. Whole numbers are all `index`.
  std::vector<Launched> run(int32_t index = 3) const {
    std::vector<Launched> list;
    launched = &list;
    std::mt19937 random(1);
    std::uniform_real_distribution<float> uniform(0.1f, 1);
    std::vector<std::vector<float>> memory;
    std::vector<void*> arguments, results;
    for (const auto& argument : executable->entry().arguments) {
      auto& one = memory.emplace_back(static_cast<size_t>(argument.bytes()) / sizeof(float));
      for (float& x : one) {
        x = uniform(random);
        if (argument.dtype == DType::kS32) std::memcpy(&x, &index, sizeof(x));
      }
      arguments.push_back(one.data());
    }
    for (const auto& result : executable->entry().results) {
      auto& one = memory.emplace_back(static_cast<size_t>(result.bytes()) / sizeof(float) + 1);
      results.push_back(result.may_alias_argument < 0
                            ? one.data()
                            : arguments[static_cast<size_t>(result.may_alias_argument)]);
    }
    runtime::replace_launcher(launch_and_look);
    executable->run(arguments.data(), results.data());
    runtime::replace_launcher(nullptr);
    launched = nullptr;
    return list;
  }

  // What the plan says of its launches, in their order; there are no calls and no loops.
  std::vector<MovedBytes> planned() const {
    std::vector<MovedBytes> list;
    const auto& function = executable->entry();
    for (const auto& step : function.steps) {
      if (const auto* launch = std::get_if<runtime::LaunchStep>(&step))
        list.push_back(moved_bytes(executable->plan(), function, *launch));
    }
    return list;
  }
};

template <class F, class... Args>
Program program(bool donate, const F& f, const Args&... args) {
  auto module = ir::parse(jit(f, {.name = "f"}).lower(args...).text());
  if (donate) module->entry()->donated.insert(0);
  return Program(std::move(module));
}

TEST(MovedBytesTest, AreThoseThatChange) {
  for (const ReportedProgram& reported : reported_programs()) {
    const Program p(ir::parse(reported.text));
    for (const Launched& launch : p.run()) {
      // In the place of an input nothing may change where nothing is different.
      if (launch.in_place) {
        EXPECT_LE(launch.changed, launch.moved.written) << reported.name << ", " << launch.kernel;
      } else if (launch.bytewise) {
        EXPECT_LE(launch.changed, launch.moved.written) << reported.name << ", " << launch.kernel;
        EXPECT_GE(launch.changed, launch.moved.written / 10 * 9) << reported.name << ", " << launch.kernel;
      } else {
        EXPECT_EQ(launch.changed, launch.moved.written) << reported.name << ", " << launch.kernel;
      }
    }
  }
}

constexpr int64_t kRows = 4000, kColumns = 16, kArray = kRows * kColumns * 4;

TEST(MovedBytesTest, AnUpdateInItsPlaceMovesWhatItUpdates) {
  const auto put = [](Array x, Array part, Array at) { return dynamic_update_slice(x, part, {at, 0}); };
  const auto x = f32({kRows, kColumns}), part = f32({5, kColumns});
  const int64_t update = 5 * kColumns * 4;
  const Program whole = program(false, put, x, part, s32({})), here = program(true, put, x, part, s32({}));

  const auto copied = whole.run();
  ASSERT_EQ(copied.size(), 1u);
  EXPECT_EQ(copied[0].changed, kArray);
  EXPECT_EQ(copied[0].moved, (MovedBytes{kArray + update + 4, kArray}));
  EXPECT_EQ(whole.planned()[0], copied[0].moved);
  EXPECT_EQ(whole.executable->peak_bytes(), 2 * kArray + update + 4);

  const auto updated = here.run();
  ASSERT_EQ(updated.size(), 1u);
  EXPECT_EQ(updated[0].changed, update);
  EXPECT_EQ(updated[0].moved, (MovedBytes{update + 4, update}));
  EXPECT_EQ(here.planned()[0], updated[0].moved);
  EXPECT_EQ(moved_bytes(here.executable->plan(), *here.executable->kernels()[0]), updated[0].moved);
  EXPECT_EQ(here.executable->peak_bytes(), kArray + update + 4);

  // Nor does a launch count on the time that copying would take.
  const CompiledKernel& kernel = *here.executable->kernels()[0];
  char memory[3];
  void *apart[] = {memory, memory + 1, memory + 1, memory + 2},
       *in_place[] = {memory, memory, memory, memory};
  EXPECT_EQ(unit_cost(kernel, apart, 0), kernel.unit_cost_ns[0]);
  EXPECT_LT(unit_cost(kernel, in_place, 0), kernel.unit_cost_ns[0] / 100);
}

TEST(MovedBytesTest, AScatterThatAddsReadsWhatItAddsTo) {
  const auto add = [](Array x, Array at, Array rows) { return scatter(Scatter::kAdd, x, at, rows, 0); };
  const Program here = program(true, add, f32({kRows, kColumns}), s32({7}), f32({7, kColumns}));
  const auto launches = here.run();
  ASSERT_EQ(launches.size(), 1u);
  const int64_t rows = 7 * kColumns * 4;
  EXPECT_EQ(launches[0].moved, (MovedBytes{2 * rows + 7 * 4, rows}));  // at most: all are the same row here
  EXPECT_EQ(launches[0].changed, kColumns * 4);
  EXPECT_EQ(here.planned()[0], launches[0].moved);
}

// The same kernel copies what is an argument, and updates what is its own.
TEST(MovedBytesTest, LaunchesOfOneKernelMayDiffer) {
  const auto twice = [](Array x, Array a, Array b, Array at, Array to, Array w) {
    return dot(dynamic_update_slice(dynamic_update_slice(x, a, {at, 0}), b, {to, 0}), w);
  };
  const auto part = f32({5, kColumns});
  const Program p =
      program(false, twice, f32({kRows, kColumns}), part, part, s32({}), s32({}), f32({kColumns, 8}));
  const auto launches = p.run();
  ASSERT_EQ(p.executable->kernels().size(), 2u) << p.compiled.ir_text.str();
  ASSERT_EQ(launches.size(), 3u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(launches[i].changed, launches[i].moved.written) << i;
    EXPECT_EQ(p.planned()[i], launches[i].moved) << i;
  }
  EXPECT_EQ(launches[0].moved.written, kArray);
  EXPECT_EQ(launches[1].moved, (MovedBytes{5 * kColumns * 4 + 4, 5 * kColumns * 4}));
  const std::string text = to_string(p.executable->plan());
  EXPECT_NE(text.find(", in place: 324 bytes read, 320 written"), std::string::npos) << text;
}

// Rows that two reads share count once.
TEST(MovedBytesTest, WhatIsReadTwiceCountsOnce) {
  const auto overlap = [](Array x) { return slice_axis(x, 0, 0, 1000) + slice_axis(x, 0, 500, 1500); };
  const Program p = program(false, overlap, f32({kRows}));
  EXPECT_EQ(p.planned()[0], (MovedBytes{1500 * 4, 1000 * 4}));
}

// What is at stake between two kernels is what they store and load.
TEST(MovedBytesTest, RefusalsTellWhatKernelsMove) {
  const auto f = [](Array x, Array part, Array at, Array w) {
    const Array next = dynamic_update_slice(x, part, {at, 0});
    return std::pair(next, dot(slice_axis(next, 0, 0, 32), w));
  };
  const Program p =
      program(true, f, f32({kRows, kColumns}), f32({5, kColumns}), s32({}), f32({kColumns, 24}));
  int told = 0;
  for (const pass::Refusal& refusal : p.compiled.refusals) {
    if (refusal.value.empty()) continue;
    ++told;
    EXPECT_EQ(refusal.bytes, 5 * kColumns * 4) << to_string(refusal);
    EXPECT_EQ(refusal.bytes_read, 32 * kColumns * 4) << to_string(refusal);
  }
  EXPECT_GT(told, 0) << p.compiled.ir_text.str();
}

}  // namespace
}  // namespace ingot::testing
