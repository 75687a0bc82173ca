// Each structure is lowered once, whoever asks, and answers have the names of who asked.
#include <gtest/gtest.h>

#include "ir/text.h"
#include "kernel/candidates.h"
#include "kernel/lower/lower.h"

namespace ingot::kernel {
namespace {

std::unique_ptr<ir::Module> softmax(const std::string& x, int rows) {
  std::string text = R"(func @f(%NAME: f32[ROWS,64]) -> (f32[ROWS,64]) {
  %exp_NAME = exp(%NAME) : f32[ROWS,64]
  %zero = constant() {value = dense f32[]{0}} : f32[]
  %sum = reduce(%exp_NAME, %zero) {axes = [1]} (%a: f32[], %b: f32[]) {
    %c = add(%a, %b) : f32[]
    return %c
  } : f32[ROWS]
  %spread = broadcast(%sum) {dims = [0], shape = [ROWS,64]} : f32[ROWS,64]
  %y = div(%exp_NAME, %spread) : f32[ROWS,64]
  return %y
}
)";
  for (const auto& [word, by] :
       {std::pair<std::string, std::string>{"NAME", x}, {"ROWS", std::to_string(rows)}}) {
    for (size_t at = text.find(word); at != text.npos; at = text.find(word))
      text.replace(at, word.size(), by);
  }
  return ir::parse(text);
}

Candidate candidate(Candidates& store, ir::Module& module) {
  return store.of(group_of_region(module.entry()->body()));
}

TEST(CandidatesTest, EqualStructuresAreLoweredOnce) {
  Candidates store;
  const auto first = softmax("x", 32), second = softmax("data", 32), other = softmax("x", 33);
  const Candidate a = candidate(store, *first), b = candidate(store, *second);
  EXPECT_EQ(a.band_points(), 32);
  EXPECT_EQ(store.lowerings(), 0);  // the band is known without
  EXPECT_EQ(a.kernel("one").buffers[0].name, "x");
  EXPECT_EQ(b.kernel("two").buffers[0].name, "data");
  EXPECT_EQ(b.kernel("two").name, "two");
  EXPECT_EQ(b.kernel("two").buffers[1].name, "y");
  EXPECT_EQ(a.kernel("one").buffers[2].name, "exp_x");  // a tile of it, within the kernel
  EXPECT_EQ(b.kernel("two").buffers[2].name, "exp_data");
  EXPECT_EQ(a.form(), b.form());
  EXPECT_EQ(a.work(), b.work());
  EXPECT_GT(b.price().total, 0);
  EXPECT_EQ(store.lowerings(), 1);
  EXPECT_NE(candidate(store, *other).form(), a.form());
  EXPECT_EQ(store.lowerings(), 2);
}

// A step of a scan with this body, whose carry %c is f32[32,16], as a kernel of its own.
bool keeps_tiles(const std::string& body) {
  const auto module = ir::parse(
      R"(func @f(%c0: f32[32,16], %x: f32[5,32,40], %y: f32[5,40,16], %w: f32[40,50], %v: f32[50,16]) -> (f32[32,16]) {
  %last = scan(%c0, %x, %y, %w, %v) {carries = 1, length = 5, reverse = false, scanned = 2, xs_axes = [0,0], ys_axes = []} (%c: f32[32,16], %a: f32[32,40], %b: f32[40,16], %p: f32[40,50], %q: f32[50,16]) {
)" + body +
      "    return %next\n  } : f32[32,16]\n  return %last\n}\n");
  Candidates store;
  return candidate(store, *module).keeps_tiles();
}

// Products whose rows and columns points of the band share, and those that are computed anew for each column
// of another one, are not written out in a kernel of a scan.
TEST(CandidatesTest, ScansLeaveProductsTheirTiles) {
  const std::string dims = " {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : ";
  EXPECT_FALSE(keeps_tiles("    %d = dot_general(%a, %b)" + dims + "f32[32,16]\n" +
                           "    %next = add(%c, %d) : f32[32,16]\n"));
  EXPECT_FALSE(keeps_tiles("    %d = dot_general(%a, %p)" + dims +
                           "f32[32,50]\n    %e = tanh(%d) : f32[32,50]\n" + "    %g = dot_general(%e, %q)" +
                           dims + "f32[32,16]\n" + "    %next = add(%c, %g) : f32[32,16]\n"));
  // Each point has its own terms.
  EXPECT_TRUE(keeps_tiles(R"(    %zero = constant() {value = dense f32[]{0}} : f32[]
    %sums = reduce(%a, %zero) {axes = [1]} (%l: f32[], %r: f32[]) {
      %s = add(%l, %r) : f32[]
      return %s
    } : f32[32]
    %spread = broadcast(%sums) {dims = [0], shape = [32,16]} : f32[32,16]
    %next = add(%c, %spread) : f32[32,16]
)"));
}

// What is scheduled does not depend on whether the kernel's work has been counted: a step of an update that
// is made twice would read what it has written, where the output stands in the input's place.
TEST(CandidatesTest, ScheduleIsTheSameWhoeverAsksFirst) {
  const std::string dims =
      "{offset_dims = [0], collapsed_slice_dims = [0], operand_batching_dims = [], "
      "start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 0, slice_sizes = [1,100], "
      "mode = \"clip\"";
  const auto module =
      ir::parse("func @f(%x: f32[50,100], %i: s32[1]) -> (f32[50,100]) {\n  %old = gather(%x, %i) " + dims +
                "} : f32[100]\n  %new = mul(%old, %old) : f32[100]\n  %y = scatter(%x, %i, %new) " + dims +
                ", combiner = \"set\"} : f32[50,100]\n  return %y\n}\n");
  Candidates store;
  const Candidate one = candidate(store, *module);
  const std::string before = to_string(one.scheduled());
  one.kernel("counted");
  EXPECT_EQ(to_string(one.scheduled()), before);
  EXPECT_NE(before.find("lanes 4 {"), std::string::npos) << before;  // which divide 100
}

// A run does not end at the first value that is to be stored.
TEST(LoweringTest, ARunFindsAllThatIsToBeStored) {
  constexpr int kMany = 30;
  const auto numbered = [](const std::string& line) {
    std::string all;
    for (int i = 0; i < kMany; ++i) {
      std::string one = line;
      for (size_t at = one.find('#'); at != one.npos; at = one.find('#'))
        one.replace(at, 1, std::to_string(i));
      all += one;
    }
    return all;
  };
  const auto separated = [&](const std::string& piece) {
    const std::string all = numbered(piece + ", ");
    return all.substr(0, all.size() - 2);
  };
  // Elementwise values that a reduction reads, and then what is computed with its result.
  std::string tiles =
      "func @f(%x: f32[9,40]) -> (f32[9,40]) {\n  %zero = constant() {value = dense f32[]{0}} : f32[]\n  %t0 "
      "= exp(%x) : f32[9,40]\n";
  std::string last = "%t0";
  tiles += numbered(
      "  %e# = exp(%x) : f32[9,40]\n  %s# = sin(%e#) : f32[9,40]\n  %r# = reduce(%s#, %zero) {axes = [1]} "
      "(%a#: f32[], "
      "%b#: f32[]) {\n    %c# = add(%a#, %b#) : f32[]\n    return %c#\n  } : f32[9]\n  %w# = broadcast(%r#) "
      "{dims "
      "= [0], "
      "shape = [9,40]} : f32[9,40]\n  %y# = mul(%s#, %w#) : f32[9,40]\n");
  for (int i = 0; i < kMany; ++i) {
    tiles += "  %o" + std::to_string(i) + " = add(" + last + ", %y" + std::to_string(i) + ") : f32[9,40]\n";
    last = "%o" + std::to_string(i);
  }
  tiles += "  return " + last + "\n}\n";
  // Outputs of a loop that one the other way round reads.
  const std::string types = separated("f32[40]"), scalars = separated("f32[]");
  const auto loop = [&](const std::string& results, const std::string& operands, bool reverse, int scanned,
                        const std::string& arguments, const std::string& body, const std::string& returned) {
    std::string axes;
    for (int i = 0; i < scanned; ++i) axes += i == 0 ? "0" : ",0";
    return "  " + results + " = scan(" + operands +
           ") {carries = 1, length = 40, reverse = " + (reverse ? "true" : "false") +
           ", scanned = " + std::to_string(scanned) + ", xs_axes = [" + axes + "], ys_axes = [" +
           (reverse ? "" : axes) + "]} (" + arguments + ") {\n" + body + "    return " + returned +
           "\n  } : f32[]" + (reverse ? "" : ", " + types) + "\n";
  };
  std::string there = numbered("    %v# = sin(%x#) : f32[]\n    %u# = mul(%v#, %h) : f32[]\n"), back;
  std::string sum = "%g";
  for (int i = 0; i < kMany; ++i) {
    const std::string n = std::to_string(i);
    back += "    %m" + n + " = add(" + sum + ", %p" + n + ") : f32[]\n";
    sum = "%m" + n;
  }
  const std::string stacks =
      "func @f(%start: f32[], " + separated("%in#: f32[40]") + ") -> (f32[]) {\n" +
      loop("%end, " + separated("%st#"), "%start, " + separated("%in#"), false, kMany,
           "%h: f32[], " + separated("%x#: f32[]"), there, "%u0, " + separated("%u#")) +
      loop("%total", "%end, " + separated("%st#"), true, kMany, "%g: f32[], " + separated("%p#: f32[]"), back,
           sum) +
      "  return %total\n}\n";
  for (const std::string& text : {tiles, stacks}) {
    const auto module = ir::parse(text);
    int64_t runs = 0;
    lower(group_of_region(module->entry()->body()), "f", &runs);
    EXPECT_GE(runs, 2);
    EXPECT_LE(runs, 3) << text;
  }
}

// Attributes, types, pitches and what a region holds are structure.
TEST(CandidatesTest, WhatLoweringSeesIsStructure) {
  Candidates store;
  const auto text = [](const std::string& op, int axis) {
    return ir::parse(
        "func @f(%x: s32[4,4]) -> (s32[4]) {\n  %zero = constant() {value = dense s32[]{0}} : s32[]\n"
        "  %y = reduce(%x, %zero) {axes = [" +
        std::to_string(axis) +
        "]} (%a: s32[], %b: s32[]) {\n"
        "    %c = " +
        op + "(%a, %b) : s32[]\n    return %c\n  } : s32[4]\n  return %y\n}\n");
  };
  const auto sum = text("add", 0), rows = text("add", 1), bits = text("or", 0);
  const std::string form = candidate(store, *sum).form();
  EXPECT_NE(candidate(store, *rows).form(), form);
  EXPECT_NE(candidate(store, *bits).form(), form);
  Group apart = group_of_region(sum->entry()->body());
  apart.pitches[apart.inputs[0]] = 9;
  EXPECT_NE(store.of(apart).form(), form);
  EXPECT_EQ(store.lowerings(), 4);
}

std::unique_ptr<ir::Module> carried_too_large(const std::string& carry) {
  return ir::parse(
      "func @f(%x: f32[8192]) -> (f32[8192]) {\n  %y = scan(%x) {carries = 1, length = 4, "
      "reverse = false, scanned = 0, xs_axes = [], ys_axes = []} (%" +
      carry +
      ": f32[8192]) {\n"
      "    %r = reverse(%" +
      carry +
      ") {axes = [0]} : f32[8192]\n    return %r\n  } : f32[8192]\n"
      "  return %y\n}\n");
}

std::string why_not(const Candidate& candidate) {
  try {
    candidate.want();
  } catch (const NotFusible& reason) {
    return reason.what();
  }
  return "";
}

TEST(CandidatesTest, RefusalsNameTheValuesOfWhoAsks) {
  Candidates store;
  const auto first = carried_too_large("state"), second = carried_too_large("other");
  const std::string why = why_not(candidate(store, *first));
  EXPECT_NE(why.find("%state"), std::string::npos) << why;
  std::string expected = why;
  expected.replace(expected.find("%state"), 6, "%other");
  EXPECT_EQ(why_not(candidate(store, *second)), expected);
  EXPECT_EQ(why_not(candidate(store, *first)), why);
  EXPECT_EQ(store.lowerings(), 1);
}

// What was lowered long ago is forgotten, but for what is known of it.
TEST(CandidatesTest, StaysSmall) {
  Candidates store;
  const auto chain = [](int64_t rows) {
    std::string type = "f32[" + std::to_string(rows) + "]",
                text = "func @f(%x0: " + type + ") -> (" + type + ") {\n";
    for (int i = 0; i < 3000; ++i)
      text += "  %x" + std::to_string(i + 1) + " = sin(%x" + std::to_string(i) + ") : " + type + "\n";
    return ir::parse(text + "  return %x3000\n}\n");
  };
  std::vector<std::unique_ptr<ir::Module>> modules;
  for (int64_t i = 0; i < 60; ++i) modules.push_back(chain(100 + i));
  for (auto& module : modules) candidate(store, *module).work();
  EXPECT_EQ(store.lowerings(), 60);
  EXPECT_GT(candidate(store, *modules[0]).work(), 0);
  EXPECT_EQ(store.lowerings(), 60);
  EXPECT_EQ(candidate(store, *modules[0]).kernel("again").name, "again");
  EXPECT_EQ(store.lowerings(), 61);
  EXPECT_EQ(candidate(store, *modules[59]).kernel("last").name, "last");
  EXPECT_EQ(store.lowerings(), 61);
}

}  // namespace
}  // namespace ingot::kernel
