// What is told of kernels that stay two: their names in the end, the value and its bytes, and the rule. Where
// the rule names a cure, the cure makes one kernel of them.
#include <gtest/gtest.h>

#include "compiler/compiler.h"
#include "ir/text.h"

namespace ingot::compiler {
namespace {

struct Told {
  std::vector<std::string> kernels;
  std::string text;  // refusals, a line each
};

Told told_of(const std::string& program, const Options& options = {}) {
  const Compiled compiled = compile(ir::parse(program), options);
  Told told;
  for (const auto& kernel : compiled.executable->kernels()) told.kernels.push_back(kernel->name);
  for (const pass::Refusal& refusal : compiled.refusals) told.text += to_string(refusal) + "\n";
  return told;
}

std::string type(int64_t rows, int64_t columns) {
  return "f32[" + std::to_string(rows) + "," + std::to_string(columns) + "]";
}

constexpr const char* kZero = "  %zero = constant() {value = dense f32[]{0}} : f32[]\n";

std::string reduce_text(const std::string& name, const std::string& of, const std::string& axes,
                        const std::string& kept) {
  return "  %" + name + " = reduce(%" + of + ", %zero) {axes = " + axes + "} (%a" + name + ": f32[], %b" +
         name + ": f32[]) {\n    %m" + name + " = add(%a" + name + ", %b" + name +
         ") : f32[]\n    return %m" + name + "\n  } : f32" + kept + "\n";
}

// Each row of a product divided by its sum.
std::string normalized_product(int64_t rows, int64_t terms) {
  const std::string result = type(rows, 300);
  return "func @main(%x: " + type(rows, terms) + ", %w: " + type(terms, 300) + ") -> (" + result + ") {\n" +
         kZero +
         "  %d = dot_general(%x, %w) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = "
         "[0]} : " +
         result + "\n" + reduce_text("s", "d", "[1]", "[" + std::to_string(rows) + "]") +
         "  %sb = broadcast(%s) {dims = [0], shape = [" + std::to_string(rows) + ",300]} : " + result +
         "\n  %q = div(%d, %sb) : " + result + "\n  return %q\n}\n";
}

TEST(RefusalsTest, FewRowsOfAProductAndTheirCure) {
  const Told few = told_of(normalized_product(100, 64));
  EXPECT_EQ(few.kernels, (std::vector<std::string>{"main_d", "main_q"}));
  EXPECT_EQ(
      few.text,
      "%d = dot_general in main_d into %s = reduce in main_q: the contraction would lose its register tile "
      "to "
      "the reductions of that kernel, since blocks of rows pay from 256 rows on, and it has 100; 120000 "
      "bytes are written and read again\n");
  const Told cured = told_of(normalized_product(256, 64));
  EXPECT_EQ(cured.kernels.size(), 1u);
  EXPECT_EQ(cured.text, "");
}

// Sums down the columns, and sums of all: no number of rows makes blocks of them.
TEST(RefusalsTest, NoSizeIsACureWhereColumnsAreReduced) {
  for (const int64_t columns : {128, 256}) {
    const std::string result = type(256, columns), kept = "[" + std::to_string(columns) + "]";
    const std::string bytes =
        "; " + std::to_string(256 * columns * 4) + " bytes are written and read again\n";
    const auto program = [&](const std::string& results, const std::string& body) {
      return "func @main(%x: f32[256,48], %w: " + type(48, columns) + ") -> (" + results + ") {\n" + kZero +
             "  %d = dot_general(%x, %w) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = "
             "[0]} : " +
             result + "\n" + body + "}\n";
    };
    const Told down = told_of(program(result, reduce_text("s", "d", "[0]", kept) +
                                                  "  %sb = broadcast(%s) {dims = [1], shape = [256," +
                                                  std::to_string(columns) + "]} : " + result +
                                                  "\n  %q = div(%d, %sb) : " + result + "\n  return %q\n"));
    EXPECT_EQ(
        down.text,
        "%d = dot_general in main_d into %s = reduce in main_q: the contraction would lose its register "
        "tile to the reductions of that kernel, since they go down the columns of its result" +
            bytes);
    const auto folded = [&](const std::string& axes, const std::string& kept_type) {
      return told_of(
          program(result + ", " + kept_type, "  %e = sin(%d) : " + result + "\n  %f = exp(%e) : " + result +
                                                 "\n" + reduce_text("s", "f", axes, kept_type.substr(3)) +
                                                 "  %g = cos(%d) : " + result + "\n  return %g, %s\n"));
    };
    EXPECT_EQ(
        folded("[0,1]", "f32[]").text,
        "%d = dot_general in main_g into %e = sin in main_s: the contraction would lose its register tile to "
        "the reductions of that kernel, since they leave no rows of its result apart, of which units could "
        "take blocks" +
            bytes);
    const Told one =
        folded("[0]", "f32" + kept);  // where nothing else needs the sums, nothing stands between
    EXPECT_EQ(one.text, "");
    EXPECT_EQ(one.kernels.size(), 1u);
  }
}

TEST(RefusalsTest, LongSumsOfAProductAndTheirCure) {
  EXPECT_NE(told_of(normalized_product(1000, 128)).text.find("its sums have 128 terms, more than 64"),
            std::string::npos);
  const Told cured = told_of(normalized_product(1000, 64));
  EXPECT_EQ(cured.kernels.size(), 1u);
  EXPECT_EQ(cured.text, "");
}

std::string two_sums(const std::string& axes, const std::string& other_axes, const std::string& kept) {
  return "func @main(%x: f32[400,400]) -> (f32" + kept + ", f32" + kept + ") {\n" + kZero +
         "  %e = exp(%x) : f32[400,400]\n" + reduce_text("s", "x", axes, kept) +
         reduce_text("t", "e", other_axes, kept) + "  return %s, %t\n}\n";
}

TEST(RefusalsTest, SiblingsThatReadTheSame) {
  const Told two = told_of(two_sums("[1]", "[0]", "[400]"));
  EXPECT_EQ(two.kernels.size(), 2u);
  EXPECT_NE(two.text.find(", which both read %x: their bands have 400 and 400 points, but 1 together;"),
            std::string::npos)
      << two.text;
  EXPECT_NE(two.text.find("; at most 640000 bytes are read by both\n"), std::string::npos) << two.text;
  for (const std::string& kernel : two.kernels) EXPECT_NE(two.text.find(" in " + kernel), std::string::npos);
  const Told cured = told_of(two_sums("[0,1]", "[0,1]", "[]"));  // one band
  EXPECT_EQ(cured.kernels.size(), 1u);
  EXPECT_EQ(cured.text, "");
}

// In the list of what became of them, groups have other numbers than while they were formed.
TEST(RefusalsTest, AProductBesideASumOfWhatItReads) {
  const std::string text =
      told_of(
          "func @main(%x: f32[400,400], %w: f32[400,300]) -> (f32[400,300], f32[400]) {\n" +
          std::string(kZero) +
          "  %d = dot_general(%x, %w) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = "
          "[0]} : f32[400,300]\n" +
          reduce_text("s", "x", "[1]", "[400]") + "  return %d, %s\n}\n")
          .text;
  EXPECT_NE(
      text.find("which both read %x: one of them holds a contraction, whose register tile belongs to it "
                "alone"),
      std::string::npos)
      << text;
}

TEST(RefusalsTest, NameTheAnchorThatIsThere) {
  const std::string text =
      told_of(
          "func @main(%x: f32[2000,64], %w: f32[64,300], %h0: f32[300]) -> (f32[2000,300]) {\n"
          "  %d = dot_general(%x, %w) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = "
          "[0]} : "
          "f32[2000,300]\n"
          "  %h, %ys = scan(%h0, %d) {carries = 1, length = 2000, reverse = false, scanned = 1, xs_axes = "
          "[0], "
          "ys_axes = [0]} (%c: f32[300], %xi: f32[300]) {\n    %s = add(%c, %xi) : f32[300]\n    return %s, "
          "%s\n"
          "  } : f32[300], f32[2000,300]\n  return %ys\n}\n")
          .text;
  EXPECT_EQ(
      text,
      "%d = dot_general in main_d into %h = scan in main_ys: the contraction would lose its register tile to "
      "%h = scan of that kernel; 2400000 bytes are written and read again\n");
}

std::string product(const std::string& name, const std::string& a, const std::string& b,
                    const std::string& type) {
  return "  %" + name + " = dot_general(%" + a + ", %" + b +
         ") {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : " + type + "\n";
}

// A function that stays one: kernels on both sides of its calls, what goes through memory, and the cures.
TEST(RefusalsTest, AtCalls) {
  const std::string type = "f32[300,300]";
  const auto program = [&](const std::string& body) {
    return "func @main(%x: " + type + ", %w: " + type + ") -> (" + type + ") {\n" + body +
           "  return %r\n}\n" + "func @layer(%a: " + type + ", %b: " + type + ") -> (" + type + ") {\n" +
           product("p", "a", "b", type) + "  %t = tanh(%p) : " + type + "\n  return %t\n}\n";
  };
  const std::string first =
      "  %s = sin(%x) : " + type + "\n  %y = call(%s, %w) {callee = @layer} : " + type + "\n";
  const Told two = told_of(program(first + "  %c = cos(%y) : " + type +
                                   "\n  %z = call(%c, %w) {callee = @layer} : " + type +
                                   "\n  %r = exp(%z) : " + type + "\n"));
  const std::string why =
      "@layer holds a contraction and is called in 2 places, so that it is compiled once for all and shares "
      "no "
      "kernel with its callers; what stands inside of it may fuse, and so may a function that is called "
      "once; "
      "360000 bytes are written and read again\n";
  EXPECT_EQ(two.text, "%s = sin in main_s into %p = dot_general in layer: " + why +
                          "%t = tanh in layer into %c = cos in main_c: " + why +
                          "%c = cos in main_c into %p = dot_general in layer: " + why +
                          "%t = tanh in layer into %r = exp in main_r: " + why);
  const Told one = told_of(program(first + "  %r = exp(%y) : " + type + "\n"));
  EXPECT_EQ(one.text.find("@layer"), std::string::npos) << one.text;
  EXPECT_EQ(one.kernels.size(), 2u);
  // Two calls of the same are one.
  const Told same = told_of(program(first + "  %z = call(%s, %w) {callee = @layer} : " + type +
                                    "\n  %r = mul(%y, %z) : " + type + "\n"));
  EXPECT_EQ(same.text.find("@layer"), std::string::npos) << same.text;
  EXPECT_EQ(same.kernels.size(), 2u);
  // They are found to be the same when it is too late to expand one.
  const Told late = told_of(program(first + "  %t = transpose(%s) {permutation = [1,0]} : " + type +
                                    "\n  %u = transpose(%t) {permutation = [1,0]} : " + type +
                                    "\n  %z = call(%u, %w) {callee = @layer} : " + type +
                                    "\n  %r = mul(%y, %z) : " + type + "\n"));
  EXPECT_NE(late.text.find("@layer holds a contraction and was called in several places, before equal calls "
                           "became one, so that"),
            std::string::npos)
      << late.text;
  // Without the pass that expands calls nothing else is to blame.
  Options apart;
  apart.skip_passes = {"inline"};
  const Told kept = told_of(program(first + "  %r = exp(%y) : " + type + "\n"), apart);
  EXPECT_NE(kept.text.find("@layer was not expanded by the pass inline, so that"), std::string::npos)
      << kept.text;
}

TEST(RefusalsTest, AtCheckpoints) {
  const std::string type = "f32[300,300]";
  const std::string text =
      told_of("func @main(%x: " + type + ") -> (" + type + ") {\n  %s = sin(%x) : " + type +
              "\n  %y = call(%s) {callee = @f, checkpoint = true, recompute = true} : " + type +
              "\n  %r = cos(%y) : " + type + "\n  return %r\n}\nfunc @f(%a: " + type + ") -> (" + type +
              ") {\n  %e = exp(%a) : " + type + "\n  return %e\n}\n")
          .text;
  EXPECT_NE(text.find("%s = sin in main_s into %e = exp in f: @f is computed anew, as a checkpoint asks for"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("%e = exp in f into %r = cos in main_r: @f is"), std::string::npos) << text;
  EXPECT_NE(text.find("or no checkpoint, would do; 360000 bytes are written and read again\n"),
            std::string::npos)
      << text;
}

// Each reader says what keeps the value out of its own kernel, not that another reader was asked first.
TEST(RefusalsTest, OfSeveralReadersEachForItself) {
  const std::string text =
      told_of("func @main(%x: f32[400,300], %w: f32[300,200]) -> (f32[400,200], f32[400], f32[300,400]) {\n" +
              std::string(kZero) + "  %e = exp(%x) : f32[400,300]\n" +
              product("d", "e", "w", "f32[400,200]") + reduce_text("s", "e", "[1]", "[400]") +
              "  %t = transpose(%e) {permutation = [1,0]} : f32[300,400]\n  return %d, %s, %t\n}\n")
          .text;
  EXPECT_NE(text.find(" into %d = dot_general in main_d: it would be computed again for every panel of the "
                      "product; 480000 bytes"),
            std::string::npos)
      << text;
}

// Neither needs the other: what one of them needs and the other one have a constant in common.
TEST(RefusalsTest, AGatherBesideAScatterNeedsNothingOfIt) {
  const std::string dims =
      "{offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], "
      "start_indices_batching_dims = "
      "[], start_index_map = [0], index_vector_dim = 1, slice_sizes = [1,30], mode = \"clip\"";
  const std::string text =
      told_of(
          "func @main(%x: f32[4000,30], %i: s32[500,1], %k: f32[500,30,900]) -> (f32[500,30], f32[4000,30]) "
          "{\n" +
          std::string(kZero) + reduce_text("u", "k", "[2]", "[500,30]") + "  %g = gather(%x, %i) " + dims +
          "} : f32[500,30]\n  %zb = broadcast(%zero) {dims = [], shape = [500,30]} : f32[500,30]\n"
          "  %h = max(%g, %zb) : f32[500,30]\n  %s = scatter(%x, %i, %u) " +
          dims + ", combiner = \"set\"} : f32[4000,30]\n  return %h, %s\n}\n")
          .text;
  EXPECT_EQ(text.find("needs what the other"), std::string::npos) << text;
  EXPECT_NE(
      text.find(
          "%g = gather in main_h and %s = scatter in main_s, which both read %x: kernels are joined for "
          "what both read only where both reduce"),
      std::string::npos)
      << text;
}

// Two products in a step: a loop of the machine, over two kernels.
// Pieces are computed each in a loop of its own, where asking each element of which it is would cost more.
TEST(RefusalsTest, DearPiecesOfAConcatenationAreNotComputedForEachOther) {
  const Told told = told_of(R"(func @main(%x: f32[300,400]) -> (f32[300,800]) {
  %e = exp(%x) : f32[300,400]
  %c = concatenate(%e, %x) {axis = 1} : f32[300,800]
  return %c
}
)");
  EXPECT_EQ(told.kernels.size(), 1u);
  EXPECT_EQ(told.text, "");
}

TEST(RefusalsTest, InsideOfLoops) {
  const std::string text =
      told_of(
          "func @main(%h0: f32[40,64], %xs: f32[9,40,64], %w: f32[64,64]) -> (f32[40,64]) {\n"
          "  %h = scan(%h0, %xs, %w) {carries = 1, length = 9, reverse = false, scanned = 1, xs_axes = [0], "
          "ys_axes "
          "= []} (%c: f32[40,64], %x: f32[40,64], %v: f32[64,64]) {\n"
          "    %p = dot_general(%c, %v) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = "
          "[0]} : "
          "f32[40,64]\n    %e = tanh(%p) : f32[40,64]\n"
          "    %q = dot_general(%e, %v) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = "
          "[0]} : "
          "f32[40,64]\n    %r = add(%q, %x) : f32[40,64]\n    return %r\n  } : f32[40,64]\n  return %h\n}\n")
          .text;
  EXPECT_NE(text.find("runs as a loop over kernels"), std::string::npos) << text;
  EXPECT_NE(text.find(" in main_e into %q = dot_general in main_r: "), std::string::npos) << text;
}

// What is a loop or a branch of the machine says why, at the top of a function and inside of each other.
TEST(RefusalsTest, LoopsOfUnknownLengthAndBranches) {
  const auto program = [](const std::string& step) {
    return "func @main(%x: f32[40,40], %n: s32[]) -> (s32[], f32[40,40]) {\n"
           "  %z = constant() {value = dense s32[]{0}} : s32[]\n"
           "  %i, %y = while(%z, %x, %n) {carries = 2} (%a: s32[], %b: f32[40,40], %c: s32[]) {\n"
           "    %p = compare(%a, %c) {direction = \"lt\"} : pred[]\n    return %p\n"
           "  } (%d: s32[], %e: f32[40,40], %f: s32[]) {\n"
           "    %one = constant() {value = dense s32[]{1}} : s32[]\n"
           "    %g = add(%d, %one) : s32[]\n" +
           step + "    return %g, %h\n  } : s32[], f32[40,40]\n  return %i, %y\n}\n";
  };
  const std::string product =
      "(%E, %E) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : f32[40,40]\n";
  const auto product_of = [&](std::string name) {
    std::string text = product;
    for (size_t at; (at = text.find("%E")) != std::string::npos;) text.replace(at, 2, name);
    return text;
  };
  for (const std::string& step :
       {std::string("    %h = exp(%e) : f32[40,40]\n"), "    %h = dot_general" + product_of("%e")}) {
    const std::string text = told_of(program(step)).text;
    EXPECT_NE(
        text.find(
            "%i = while: how many steps it takes is known only when it runs, and a kernel takes such "
            "steps where they are plain work on few numbers, of such loops inside of each other; it runs "
            "as a loop over the kernels of its step, and looks at the carry %"),
        std::string::npos)
        << text;
  }
  const std::string branches =
      "    %h = cond(%d, %e) (%k: f32[40,40]) {\n      %l = dot_general" + product_of("%k") +
      "      return %l\n    } (%m: f32[40,40]) {\n      return %m\n    } : f32[40,40]\n";
  const std::string text = told_of(program(branches)).text;
  EXPECT_NE(text.find("%i = while: how many steps"), std::string::npos) << text;
  EXPECT_NE(text.find("%h = cond: which branch it takes is known only when it runs, and its branch 0 holds"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("it runs as a branch to the kernels of the one that is taken"), std::string::npos)
      << text;
}

// Rows of an array that is updated where it lies: what goes from one kernel to the next is a row, not all.
TEST(RefusalsTest, RowsThatAreUpdatedInPlaceCountAsSuch) {
  const auto update = [](const std::string& combiner) {
    return " {collapsed_slice_dims = [0], combiner = \"" + combiner +
           "\", index_vector_dim = 0, mode = \"fill\", offset_dims = [0], operand_batching_dims = [], "
           "slice_sizes = [1,1000], start_index_map = [0], start_indices_batching_dims = []} : "
           "f32[64,1000]\n";
  };
  const auto told = [&](const std::string& second) {
    return told_of(
               "func @main(%x: f32[64,1000] donated, %i: s32[1], %j: s32[1]) -> (f32[64,1000]) {\n"
               "  %c = constant() {value = dense f32[]{2}} : f32[]\n"
               "  %u = broadcast(%c) {dims = [], shape = [1000]} : f32[1000]\n"
               "  %s = scatter(%x, %i, %u)" +
               update("add") + "  %t = scatter(%s, %j, %u)" + update(second) + "  return %t\n}\n")
        .text;
  };
  for (const char* second : {"max", "set"}) {
    const std::string text = told(second);
    EXPECT_NE(text.find("; 4000 bytes are written and read again\n"), std::string::npos) << text;
  }
}

// A map that is kept next to its sum: the points of the sum's band would write it.
std::string map_and_sum(int64_t rows, int64_t columns, const std::string& axes, const std::string& kept) {
  const std::string whole = type(rows, columns);
  return "func @main(%x: " + whole + ") -> (" + whole + ", f32" + kept + ") {\n" + kZero +
         "  %t = tanh(%x) : " + whole + "\n" + reduce_text("s", "t", axes, kept) + "  return %t, %s\n}\n";
}

TEST(RefusalsTest, AMapWithItsSumAndTheCure) {
  const Told all = told_of(map_and_sum(300, 400, "[0,1]", "[]"));
  EXPECT_EQ(all.kernels, (std::vector<std::string>{"main_t", "main_s"}));
  EXPECT_EQ(
      all.text,
      "%t = tanh in main_t into %s = reduce in main_s: the band of the operation would shrink from 120000 "
      "points to 1, fewer than 64, which leaves threads idle; 480000 bytes are written and read again\n");
  EXPECT_EQ(told_of(map_and_sum(63, 2000, "[1]", "[63]")).kernels.size(), 2u);
  const Told cured = told_of(map_and_sum(64, 2000, "[1]", "[64]"));
  EXPECT_EQ(cured.kernels.size(), 1u);
  EXPECT_EQ(cured.text, "");
  EXPECT_EQ(told_of(map_and_sum(30, 40, "[0,1]", "[]")).kernels.size(), 1u);  // little work at all
}

TEST(RefusalsTest, ResultsOfTheProgramHaveNoOrder) {
  try {
    compile(ir::parse(R"(func @main(%x: f32[4,6]) -> (f32[4,6]) {
  %y = fused(%x) {kernel = "k", order0 = [1,0]} (%a: f32[4,6]) {
    %b = neg(%a) : f32[4,6]
    return %b
  } : f32[4,6]
  return %y
})"));
    FAIL() << "an order that nothing has was taken";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("handed out row by row"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace ingot::compiler
