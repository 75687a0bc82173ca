// What a plan changes where it lies: carries of loops, what branches hand on, values between kernels. And
// that it copies where somebody still reads what was there.

#include <gtest/gtest.h>

#include "compiler/compiler.h"
#include "ir/text.h"
#include "testing/differential.h"

namespace ingot::compiler {
namespace {

// "set(%a, %i, %v)" writes one element of an f32[300], "get(%a, %i)" reads one.
std::string expanded(std::string text) {
  constexpr const char* kWindow =
      "{offset_dims = [], collapsed_slice_dims = [0], operand_batching_dims = [], "
      "start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 0, slice_sizes = [1], "
      "mode = \"clip\"";
  for (const auto& [name, op, tail] : {std::tuple{"set(", "scatter(", ", combiner = \"set\"} : f32[300]"},
                                       {"get(", "gather(", "} : f32[]"}}) {
    for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
      const size_t end = text.find(')', at);
      text.insert(end + 1, std::string(" ") + kWindow + tail);
      text.replace(at, 4, op);
    }
  }
  return text;
}

Compiled compiled(const std::string& text) {
  const std::string whole = expanded(text);
  std::unique_ptr<ir::Module> module = ir::parse(whole);
  EXPECT_EQ(testing::check_compiled(*module,
                                    std::vector<double>(module->entry()->body().results().size(), 1e-5), 1),
            "")
      << whole;
  return compile(std::move(module));
}

std::string notes_of(const Compiled& program) {
  std::string text;
  for (const pass::Note& note : program.notes) {
    if (note.pass == "in place") text += note.about + " " + note.text + "\n";
  }
  return text;
}

// A loop of six steps over (state, i), whose body is given; its results are %y and %j, the next index.
std::string counted(const std::string& body) {
  return R"(func @main(%x: f32[300], %n: s32[1]) -> (f32[300], s32[1]) {
  %a, %i = scan(%x, %n) {carries = 2, length = 6, reverse = false, scanned = 0, xs_axes = [], ys_axes = []} (%s: f32[300], %k: s32[1]) {
    %one = constant() {value = dense s32[1]{3}} : s32[1]
    %j = add(%k, %one) : s32[1]
)" + body +
         R"(
    return %y, %j
  } : f32[300], s32[1]
  return %a, %i
})";
}

TEST(InPlaceTest, ReadsBesideAnUpdateComeFirst) {
  const Compiled one = compiled(counted(R"(
    %v = get(%s, %k)
    %w = tanh(%v) : f32[]
    %y = set(%s, %j, %w))"));
  EXPECT_EQ(one.executable->copy_count(), 0) << "one kernel, which begins with the initial value";
  EXPECT_EQ(one.executable->frame_bytes(), 0);
  EXPECT_EQ(notes_of(one), "");
}

// Columns are points of the band: each reads and writes its own, whatever the row.
TEST(InPlaceTest, ARowIsMadeOfAnotherRowWhereTheyLie) {
  constexpr const char* kWindows =
      R"({offset_dims = [0,1], collapsed_slice_dims = [], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0,1], index_vector_dim = 0, slice_sizes = [1,50], mode = "clip")";
  for (const bool same : {true, false}) {
    const std::string from = same ? "%k1" : "%n1";
    const Compiled one = compiled(
        R"(func @main(%x: f32[20,50], %k: s32[2], %n: s32[2]) -> (f32[20,50]) {
  %a = scan(%x, %k, %n) {carries = 1, length = 6, reverse = false, scanned = 0, xs_axes = [], ys_axes = []} (%s: f32[20,50], %k1: s32[2], %n1: s32[2]) {
    %row = gather(%s, )" +
        from + ") " + kWindows + R"(} : f32[1,50]
    %new = tanh(%row) : f32[1,50]
    %y = scatter(%s, %k1, %new) )" +
        kWindows + R"(, combiner = "set"} : f32[20,50]
    return %y
  } : f32[20,50]
  return %a
})");
    EXPECT_EQ(notes_of(one), "") << same;
    EXPECT_EQ(one.executable->copy_count(), 0) << "one kernel, which begins with the initial value";
  }
}

TEST(InPlaceTest, AReaderThatStandsBehindIsMovedBefore) {
  // The sum reads all of the state; it needs a kernel of its own, and nothing of what the update makes.
  const Compiled one = compiled(R"(func @main(%x: f32[300], %n: s32[1]) -> (f32[300], f32[]) {
  %zero = constant() {value = dense f32[]{0}} : f32[]
  %a, %t = scan(%x, %zero, %n) {carries = 2, length = 6, reverse = false, scanned = 0, xs_axes = [], ys_axes = []} (%s: f32[300], %c: f32[], %k: s32[1]) {
    %y = set(%s, %k, %c)
    %none = constant() {value = dense f32[]{0}} : f32[]
    %sum = reduce(%s, %none) {axes = [0]} (%l: f32[], %r: f32[]) {
      %p = add(%l, %r) : f32[]
      return %p
    } : f32[]
    %d = tanh(%sum) : f32[]
    return %y, %d
  } : f32[300], f32[]
  return %a, %t
})");
  EXPECT_EQ(one.executable->copy_count(), 0) << "one kernel";
  EXPECT_EQ(notes_of(one), "");
}

TEST(InPlaceTest, WhatIsReadLaterIsCopiedAndTold) {
  // What the update makes decides where the old state is read.
  const Compiled one = compiled(R"(func @main(%x: f32[300], %n: s32[1]) -> (f32[300], f32[]) {
  %zero = constant() {value = dense f32[]{0}} : f32[]
  %a, %t = scan(%x, %zero, %n) {carries = 2, length = 6, reverse = false, scanned = 0, xs_axes = [], ys_axes = []} (%s: f32[300], %c: f32[], %k: s32[1]) {
    %y = set(%s, %k, %c)
    %none = constant() {value = dense f32[]{0}} : f32[]
    %sum = reduce(%y, %none) {axes = [0]} (%l: f32[], %r: f32[]) {
      %p = add(%l, %r) : f32[]
      return %p
    } : f32[]
    %at = convert(%sum) {dtype = s32} : s32[]
    %at1 = reshape(%at) {shape = [1]} : s32[1]
    %d = get(%s, %at1)
    return %y, %d
  } : f32[300], f32[]
  return %a, %t
})");
  EXPECT_NE(notes_of(one).find("%a is copied at each step to be changed in part: "), std::string::npos)
      << notes_of(one);
}

TEST(InPlaceTest, CarriesThatChangePlacesAreNotCopied) {
  const auto exchange = [](int steps) {
    return compiled(
        R"(func @main(%x: f32[300], %z: f32[300], %n: s32[1]) -> (f32[300], f32[300]) {
  %a, %b = scan(%x, %z, %n) {carries = 2, length = )" +
        std::to_string(steps) +
        R"(, reverse = false, scanned = 0, xs_axes = [], ys_axes = []} (%s: f32[300], %t: f32[300], %k: s32[1]) {
    %v = get(%t, %k)
    %w = tanh(%v) : f32[]
    %y = set(%s, %k, %w)
    return %t, %y
  } : f32[300], f32[300]
  return %a, %b
})");
  };
  for (int steps : {0, 1, 2, 3, 4, 7}) {
    const Compiled one = exchange(steps);
    EXPECT_EQ(notes_of(one), "");
    EXPECT_LE(one.executable->copy_count(), 2) << steps << ": the initial values";
  }
}

TEST(InPlaceTest, ABranchHandsOnWithoutACopy) {
  const Compiled one = compiled(counted(R"(
    %c = get(%s, %k)
    %q = convert(%c) {dtype = s32} : s32[]
    %y = cond(%q, %s, %k) (%a0: f32[300], %k0: s32[1]) {
      return %a0
    } (%a1: f32[300], %k1: s32[1]) {
      %v = convert(%k1) {dtype = f32} : f32[1]
      %v1 = reshape(%v) {shape = []} : f32[]
      %e = set(%a1, %k1, %v1)
      return %e
    } : f32[300])"));
  EXPECT_EQ(one.executable->copy_count(), 0) << "one kernel";
}

TEST(InPlaceTest, OneArrayThatStartsTwoCarriesIsTwo) {
  const Compiled one = compiled(R"(func @main(%x: f32[300], %n: s32[1]) -> (f32[300], f32[300], f32[300]) {
  %a, %b = scan(%x, %x, %n, %x) {carries = 2, length = 5, reverse = false, scanned = 0, xs_axes = [], ys_axes = []} (%s: f32[300], %t: f32[300], %k: s32[1], %u: f32[300]) {
    %v = get(%t, %k)
    %w = tanh(%v) : f32[]
    %y = set(%s, %k, %w)
    %v1 = get(%u, %k)
    %z = set(%t, %k, %v1)
    return %y, %z
  } : f32[300], f32[300]
  return %a, %b, %x
})");
  EXPECT_EQ(one.executable->copy_count(), 1) << "the result that is an argument";
}

TEST(InPlaceTest, ACarryThatIsStackedLiesInTheStack) {
  const Compiled one = compiled(R"(func @main(%x: f32[300], %w: f32[300,300]) -> (f32[300], f32[9,300]) {
  %a, %b = scan(%x, %w) {carries = 1, length = 9, reverse = true, scanned = 0, xs_axes = [], ys_axes = [0]} (%h: f32[300], %m: f32[300,300]) {
    %p = dot_general(%m, %h) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : f32[300]
    %less = constant() {value = dense f32[]{0.001}} : f32[]
    %factor = broadcast(%less) {shape = [300], dims = []} : f32[300]
    %q = mul(%p, %factor) : f32[300]
    return %q, %q
  } : f32[300], f32[9,300]
  return %a, %b
})");
  EXPECT_EQ(one.executable->copy_count(), 1) << "the last slice";
}

// As JAX's derivatives keep it; the copy is that of the initial value. Of a carry that is stacked twice, as
// it comes and as it goes, one of both is a copy of each step.
TEST(InPlaceTest, ACarryThatIsStackedAsTheStepFindsItLiesInTheStack) {
  const auto copies = [](const std::string& length, const std::string& reverse, const std::string& stacks) {
    const int count = stacks == "%h" ? 1 : 2;
    const std::string type = "f32[" + length + ",300]";
    const Compiled one = compiled(
        "func @main(%x: f32[300], %w: f32[300,300]) -> (f32[300], " + type + (count == 2 ? ", " + type : "") +
        ") {\n  %a, %b" + (count == 2 ? ", %c" : "") + " = scan(%x, %w) {carries = 1, length = " + length +
        ", reverse = " + reverse + ", scanned = 0, xs_axes = [], ys_axes = [" + (count == 2 ? "0,0" : "0") +
        R"(]} (%h: f32[300], %m: f32[300,300]) {
    %p = dot_general(%m, %h) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : f32[300]
    %less = constant() {value = dense f32[]{0.001}} : f32[]
    %factor = broadcast(%less) {shape = [300], dims = []} : f32[300]
    %q = mul(%p, %factor) : f32[300]
    return %q, )" +
        stacks + "\n  } : f32[300], " + type + (count == 2 ? ", " + type : "") + "\n  return %a, %b" +
        (count == 2 ? ", %c" : "") + "\n}");
    return one.executable->copy_count();
  };
  for (const char* reverse : {"false", "true"}) {
    for (const char* length : {"1", "2", "9"})
      EXPECT_EQ(copies(length, reverse, "%h"), 1) << length << reverse;
    EXPECT_EQ(copies("9", reverse, "%h, %q"), 10) << reverse;
    EXPECT_EQ(copies("9", reverse, "%h, %h"), 10) << reverse;
  }
}

TEST(InPlaceTest, ACarryIsMadeWhereNobodyReadsItAnyMore) {
  // The last kernel of a step makes the next state; none reads the old one by then.
  const Compiled one = compiled(R"(func @main(%x: f32[300], %w: f32[300,300], %n: s32[]) -> (f32[300]) {
  %zero = constant() {value = dense s32[]{0}} : s32[]
  %a, %i = while(%x, %zero, %w, %n) {carries = 2} (%h0: f32[300], %i0: s32[], %w0: f32[300,300], %n0: s32[]) {
    %nine = constant() {value = dense s32[]{9}} : s32[]
    %last = min(%n0, %nine) : s32[]
    %more = compare(%i0, %last) {direction = "lt"} : pred[]
    return %more
  } (%h: f32[300], %k: s32[], %m: f32[300,300], %n1: s32[]) {
    %one = constant() {value = dense s32[]{1}} : s32[]
    %j = add(%k, %one) : s32[]
    %p = dot_general(%m, %h) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : f32[300]
    %less = constant() {value = dense f32[]{0.001}} : f32[]
    %factor = broadcast(%less) {shape = [300], dims = []} : f32[300]
    %q = mul(%p, %factor) : f32[300]
    %r = dot_general(%m, %q) {lhs_batch = [], lhs_contract = [0], rhs_batch = [], rhs_contract = [0]} : f32[300]
    %s = mul(%r, %factor) : f32[300]
    return %s, %j
  } : f32[300], s32[]
  return %a
})");
  const std::string plan = to_string(*one.executable);
  EXPECT_NE(plan.find("-> result 0 %a, 1200 bytes, in place"), std::string::npos) << plan;
  EXPECT_EQ(plan.find("alternating"), std::string::npos) << plan;
}

TEST(InPlaceTest, AnUpdateOutsideOfLoopsIsDoneInTheBufferThatDies) {
  const Compiled one = compiled(R"(func @main(%x: f32[300,300], %n: s32[1]) -> (f32[300]) {
  %none = constant() {value = dense f32[]{0}} : f32[]
  %sum = reduce(%x, %none) {axes = [0]} (%l: f32[], %r: f32[]) {
    %p = add(%l, %r) : f32[]
    return %p
  } : f32[300]
  %a = set(%sum, %n, %none)
  %b = set(%a, %n, %none)
  return %b
})");
  EXPECT_EQ(one.executable->frame_bytes(), 0) << "all in the result's memory";
}

}  // namespace
}  // namespace ingot::compiler
