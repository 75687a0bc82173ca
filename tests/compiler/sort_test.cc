// Sorts in programs: what the compiler makes of comparators, where they stand, and what reports say.
#include <gtest/gtest.h>

#include "compiler/compiler.h"
#include "ir/text.h"
#include "ir/verifier.h"
#include "runtime/launch_log.h"
#include "runtime/routine.h"
#include "testing/differential.h"

namespace ingot::compiler {
namespace {

std::string scalar(const std::string& type, const std::string& value) {
  return "constant() {value = dense " + type + "[]{" + value + "}} : " + type + "[]\n";
}

// "%name = sort(%x) .." of one array by `comparison` of %a and %b.
std::string sort_of(const std::string& type, const std::string& axis, const std::string& comparison) {
  const std::string element = type.substr(0, type.find('[')) + "[]";
  return "  %y = sort(%x) {axis = " + axis + ", stable = true} (%a: " + element + ", %b: " + element +
         ") {\n" + comparison + "    return %less\n  } : " + type + "\n";
}

std::string program(const std::string& type, const std::string& axis, const std::string& comparison) {
  return "func @main(%x: " + type + ") -> (" + type + ") {\n" + sort_of(type, axis, comparison) +
         "  return %y\n}\n";
}

const char* const kLess = "    %less = compare(%a, %b) {direction = \"lt\"} : pred[]\n";

Compiled checked(const std::string& text) {
  std::unique_ptr<ir::Module> module = ir::parse(text, "test");
  ir::verify(*module);
  EXPECT_EQ(testing::check_compiled(*module, {}, 1), "") << text;
  return compile(std::move(module));
}

std::vector<std::string> kinds_of(const Compiled& compiled) {
  std::vector<std::string> kinds;
  for (const auto& kernel : compiled.executable->kernels()) kinds.push_back(kernel->kind);
  return kinds;
}

using Kinds = std::vector<std::string>;

TEST(SortTest, KeysOfEveryDtypeAlongEveryAxis) {
  for (const char* dtype : {"pred", "s8", "u16", "s32", "u64", "f16", "bf16", "f32", "f64"}) {
    for (const char* shape : {"[1]", "[37]", "[5,700]", "[300,7]", "[3,4,5]"}) {
      const std::string type = dtype + std::string(shape);
      EXPECT_EQ(checked(program(type, "0", kLess)).executable->launch_count(),
                std::string(shape).find(',') == std::string::npos ? 1 : 3)
          << type;
    }
    checked(program(dtype + std::string("[5,70]"), "1", kLess));
  }
  checked(program("f32[0]", "0", kLess));
  checked(program("f32[3,0,2]", "2", kLess));
  checked(program("f32[2,3,4,5,2,3]", "3", kLess));
}

TEST(SortTest, KeysAreMadeBeforeWithWhatComesBefore) {
  const Compiled compiled =
      checked("func @main(%w: f32[1000]) -> (f32[1000]) {\n  %x = exp(%w) : f32[1000]\n" +
              sort_of("f32[1000]", "0",
                      "    %p = sin(%a) : f32[]\n    %q = sin(%b) : f32[]\n    %less = compare(%p, %q) "
                      "{direction = \"gt\"} : "
                      "pred[]\n") +
              "  return %y\n}\n");
  EXPECT_EQ(kinds_of(compiled), (Kinds{"elementwise", "radix_sort"}));
}

TEST(SortTest, SeveralKeysAndUnusedResults) {
  const std::string text =
      "func @main(%x: f32[40,50], %n: s32[40,50], %z: c64[40,50]) -> (c64[40,50], s32[40,50]) {\n"
      "  %s, %t, %u = sort(%x, %n, %z) {axis = 1, stable = true} (%a: f32[], %b: f32[], %c: s32[], %d: "
      "s32[], %e: "
      "c64[], %f: c64[]) {\n"
      "    %re = real(%e) : f32[]\n    %rf = real(%f) : f32[]\n"
      "    %p = compare(%c, %d) {direction = \"gt\"} : pred[]\n"
      "    %q = compare(%c, %d) {direction = \"eq\"} : pred[]\n"
      "    %r = compare(%re, %rf) {direction = \"lt\"} : pred[]\n"
      "    %s1 = and(%q, %r) : pred[]\n    %less = or(%p, %s1) : pred[]\n    return %less\n"
      "  } : f32[40,50], s32[40,50], c64[40,50]\n  return %u, %t\n}\n";
  const Kinds kinds = kinds_of(checked(text));
  EXPECT_EQ(std::count(kinds.begin(), kinds.end(), "radix_sort"), 1);
}

// None of these compares keys.
TEST(SortTest, OtherComparatorsAreCompiled) {
  const std::vector<std::string> comparisons{
      "    %c = convert(%a) {dtype = s32} : s32[]\n    %d = convert(%b) {dtype = s32} : s32[]\n"
      "    %e = sub(%c, %d) : s32[]\n    %zero = " +
          scalar("s32", "0") + "    %less = compare(%e, %zero) {direction = \"lt\"} : pred[]\n",
      "    %m = max(%a, %b) : s8[]\n    %less = compare(%a, %m) {direction = \"lt\"} : pred[]\n",
      "    %d = compare(%a, %b) {direction = \"ge\"} : pred[]\n    %less = not(%d) : pred[]\n"};
  for (const std::string& comparison : comparisons) {
    EXPECT_EQ(kinds_of(checked(program("s8[700]", "0", comparison))), (Kinds{"merge_sort"}));
    checked(program("s8[30,5]", "0", comparison));
  }
  // Complex numbers and narrow floats, a branch, and what looks at nothing.
  checked(
      "func @main(%x: c64[5,31], %h: bf16[5,31]) -> (c64[5,31], bf16[5,31]) {\n"
      "  %y, %g = sort(%x, %h) {axis = 0, stable = false} (%a: c64[], %b: c64[], %c: bf16[], %d: bf16[]) {\n"
      "    %i = imag(%a) : f32[]\n    %j = imag(%b) : f32[]\n"
      "    %k = compare(%i, %j) {direction = \"ge\"} : pred[]\n    %l = not(%k) : pred[]\n"
      "    %m = compare(%c, %d) {direction = \"le\"} : pred[]\n    %n = not(%m) : pred[]\n"
      "    %o = compare(%i, %j) {direction = \"eq\"} : pred[]\n    %p = and(%o, %n) : pred[]\n"
      "    %less = or(%l, %p) : pred[]\n"
      "    return %less\n  } : c64[5,31], bf16[5,31]\n  return %y, %g\n}\n");
  checked(program("f64[20]", "0", "    %less = " + scalar("pred", "false")));
  checked(program("s32[61]", "0",
                  "    %zero = " + scalar("s32", "0") + "    %i = min(%a, %zero) : s32[]\n" +
                      "    %less = cond(%i, %a, %b) (%c: s32[], %d: s32[]) {\n"
                      "      %e = compare(%c, %d) {direction = \"lt\"} : pred[]\n      return %e\n"
                      "    } (%f: s32[], %g: s32[]) {\n      %h = compare(%g, %f) {direction = \"gt\"} : "
                      "pred[]\n      return %h\n"
                      "    } : pred[]\n"));
}

// A function that stays one, and one that is called like a comparator.
TEST(SortTest, ComparatorsMayCall) {
  std::string chain, last = "v";
  for (int i = 0; i < 300; ++i) {
    const std::string next = "w" + std::to_string(i);
    chain += "  %" + next + " = " + (i % 2 == 0 ? "mul(%" : "add(%") + last + ", %v) : s32[]\n";
    last = next;
  }
  const Compiled compiled =
      checked(program("s32[19]", "0",
                      "    %c = call(%a) {callee = @main_comparator} : s32[]\n"
                      "    %d = call(%b) {callee = @main_comparator} : s32[]\n"
                      "    %less = compare(%c, %d) {direction = \"lt\"} : pred[]\n") +
              "func @main_comparator(%v: s32[]) -> (s32[]) {\n" + chain + "  return %" + last + "\n}\n");
  EXPECT_EQ(kinds_of(compiled), (Kinds{"merge_sort"}));
}

TEST(SortTest, InLoopsBranchesAndCalls) {
  checked(
      "func @main(%x: f32[50], %xs: f32[6,50]) -> (f32[50], f32[6,50]) {\n"
      "  %c, %s = scan(%x, %xs) {carries = 1, length = 6, reverse = false, scanned = 1, xs_axes = [0], "
      "ys_axes = "
      "[0]} (%u: f32[50], %v: f32[50]) {\n"
      "    %w = add(%u, %v) : f32[50]\n"
      "    %t = sort(%w) {axis = 0, stable = true} (%a: f32[], %b: f32[]) {\n" +
      std::string(kLess) +
      "      return %less\n    } : f32[50]\n    %k = call(%t) {callee = @down} : f32[50]\n    return %t, %k\n"
      "  } : f32[50], f32[6,50]\n  return %c, %s\n}\n"
      "func @down(%x: f32[50]) -> (f32[50]) {\n" +
      sort_of("f32[50]", "0", "    %less = compare(%a, %b) {direction = \"gt\"} : pred[]\n") +
      "  return %y\n}\n");
  checked(
      "func @main(%i: s32[], %x: f32[50]) -> (f32[50]) {\n"
      "  %y = cond(%i, %x) (%u: f32[50]) {\n"
      "    %t = sort(%u) {axis = 0, stable = true} (%a: f32[], %b: f32[]) {\n" +
      std::string(kLess) +
      "      return %less\n    } : f32[50]\n    return %t\n  } (%v: f32[50]) {\n    %n = neg(%v) : f32[50]\n"
      "    return %n\n  } : f32[50]\n  return %y\n}\n");
}

// As a program may have been written, too: along any dimension.
TEST(SortTest, ByKeysThatAreGiven) {
  for (const char* axis : {"0", "1", "2"}) {
    checked(
        "func @main(%k: u8[7,5,3], %x: c64[7,5,3]) -> (c64[7,5,3], u8[7,5,3]) {\n"
        "  %y, %l = sort_by_keys(%k, %x, %k) {axis = " +
        std::string(axis) + ", orders = [1]} : c64[7,5,3], u8[7,5,3]\n  return %y, %l\n}\n");
  }
}

// The first elements of rows alone are put in order, along any dimension, and in lanes.
TEST(SortTest, TheFirstInOrder) {
  checked(
      "func @main(%k: f32[7,50,3], %x: s16[7,50,3]) -> (s16[7,4,3], f32[7,4,3]) {\n"
      "  %y, %l = sort_by_keys(%k, %x, %k) {axis = 1, orders = [3], first = 4} : s16[7,4,3], f32[7,4,3]\n"
      "  return %y, %l\n}\n");
  checked(
      "func @main(%k: f32[9,40]) -> (f32[9,40]) {\n"
      "  %y = sort_by_keys(%k, %k) {axis = 1, orders = [3], first = 40} : f32[9,40]\n  return %y\n}\n");
  checked(
      "func @main(%k: u8[9,40]) -> (u8[9,0]) {\n"
      "  %y = sort_by_keys(%k, %k) {axis = 1, orders = [0], first = 0} : u8[9,0]\n  return %y\n}\n");
}

TEST(SortTest, ReportsTellTheRoutine) {
  const Compiled compiled = compile(ir::parse(program("f32[1000]", "0", kLess), "test"));
  const auto& executable = *compiled.executable;
  ASSERT_EQ(executable.kernels().size(), 1u);
  const runtime::CompiledKernel& kernel = *executable.kernels()[0];
  EXPECT_EQ(kernel.name, "main_y");
  EXPECT_EQ(kernel.bytes_read, 4000);
  EXPECT_EQ(kernel.bytes_written, 4000);
  EXPECT_GT(kernel.shared_bytes, 8000);
  EXPECT_GT(executable.frame_bytes(), 8000);
  const std::string plan = runtime::to_string(executable);
  EXPECT_NE(plan.find("(radix_sort): 1 units, 4000 bytes read, 4000 written"), std::string::npos) << plan;
  EXPECT_NE(plan.find("work memory of main_y"), std::string::npos) << plan;
  std::vector<std::string> lines;
  const auto watching = runtime::observe_launches(
      [&](const runtime::LaunchRecord& record) { lines.push_back(describe(record)); });
  alignas(64) float x[1000], y[1000];
  for (int i = 0; i < 1000; ++i) x[i] = static_cast<float>(i * 7919 % 1000);
  const void* arguments[] = {x};
  void* results[] = {y};
  executable.run(arguments, results);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("main_y (f32[1000]) -> f32[1000]: 4.00 KB read, 4.00 KB written"),
            std::string::npos)
      << lines[0];
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(y[i], static_cast<float>(i));
}

// The same routine on the same types is the same in reports, another one is not.
TEST(SortTest, HashesTellRoutinesApart) {
  const auto hash = [](const std::string& text) {
    return compile(ir::parse(text, "test")).executable->kernels()[0]->hash;
  };
  const std::string down = "    %less = compare(%a, %b) {direction = \"gt\"} : pred[]\n";
  EXPECT_EQ(hash(program("f32[10]", "0", kLess)), hash(program("f32[10]", "0", kLess)));
  EXPECT_NE(hash(program("f32[10]", "0", kLess)), hash(program("f32[11]", "0", kLess)));
  EXPECT_NE(hash(program("f32[10]", "0", kLess)), hash(program("f32[10]", "0", down)));
}

}  // namespace
}  // namespace ingot::compiler
