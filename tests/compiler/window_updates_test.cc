// A single window that is written at a known place, as `x.at[1:-1].set(..)` is in JAX: in place, in lanes,
// whatever it is made of.
#include <gtest/gtest.h>

#include "compiler/compiler.h"
#include "ir/text.h"
#include "testing/differential.h"

namespace ingot::compiler {
namespace {

std::string window_of(const std::string& sizes, const std::string& rest) {
  const bool two = sizes.find(',') != std::string::npos;
  return std::string(" {offset_dims = ") + (two ? "[0,1]" : "[0]") +
         ", collapsed_slice_dims = [], operand_batching_dims = [], start_indices_batching_dims = [], "
         "start_index_map = " +
         (two ? "[0,1]" : "[0]") + ", index_vector_dim = 0, slice_sizes = [" + sizes + "], " + rest;
}

Compiled compiled(const std::string& text) {
  std::unique_ptr<ir::Module> module = ir::parse(text);
  for (const uint64_t seed : {1, 2}) {
    EXPECT_EQ(testing::check_compiled(
                  *module, std::vector<double>(module->entry()->body().results().size(), 1e-5), seed),
              "")
        << text;
  }
  return compile(std::move(module));
}

// Six steps that change a state.
Compiled stepped(const std::string& type, const std::string& body) {
  return compiled("func @main(%x: " + type + ") -> (" + type + R"() {
  %a = scan(%x) {carries = 1, length = 6, reverse = false, scanned = 0, xs_axes = [], ys_axes = []} (%s: )" +
                  type + ") {\n" + body + "    return %y\n  } : " + type + "\n  return %a\n}\n");
}

std::string slice_of(const std::string& name, int begin, int end, const std::string& type) {
  return "    %" + name + " = slice(%s) {starts = [" + std::to_string(begin) + "], limits = [" +
         std::to_string(end) + "], strides = [1]} : " + type + "\n";
}

TEST(WindowUpdatesTest, ElementsMadeOfThemselvesStayInPlace) {
  for (const char* combiner : {"set", "add", "mul", "max", "min"}) {
    const Compiled one =
        stepped("f32[301]", slice_of("v", 2, 299, "f32[297]") + R"(    %w = tanh(%v) : f32[297]
    %i = constant() {value = dense s32[1]{2}} : s32[1]
    %y = scatter(%s, %i, %w))" + window_of("297", "mode = \"fill\", combiner = \"") +
                                combiner + "\"} : f32[301]\n");
    EXPECT_EQ(one.executable->copy_count(), 1) << combiner << ": the initial value";
  }
}

// Both ways of a shift, and neighbours: what is read must not have been written.
TEST(WindowUpdatesTest, ElementsMadeOfOthersAreThoseBefore) {
  const std::string at_1 = "    %i = constant() {value = dense s32[1]{1}} : s32[1]\n",
                    at_0 = "    %i = constant() {value = dense s32[1]{0}} : s32[1]\n";
  const std::string put =
      "    %y = scatter(%s, %i, %w)" + window_of("300", "mode = \"clip\", combiner = \"set\"} : f32[301]\n");
  stepped("f32[301]", slice_of("w", 0, 300, "f32[300]") + at_1 + put);
  stepped("f32[301]", slice_of("w", 1, 301, "f32[300]") + at_0 + put);
  stepped("f32[301]", slice_of("l", 0, 299, "f32[299]") + slice_of("r", 2, 301, "f32[299]") + at_1 +
                          "    %w = add(%l, %r) : f32[299]\n    %y = scatter(%s, %i, %w)" +
                          window_of("299", "mode = \"clip\", combiner = \"set\"} : f32[301]\n"));
}

// Borders that follow each other: no step copies the grid.
TEST(WindowUpdatesTest, BordersOfAGridAreWrittenWhereTheyLie) {
  std::string body;
  const auto border = [&](const std::string& from, const std::string& to, const std::string& limits,
                          const std::string& starts, const std::string& sizes, const std::string& place) {
    body += "    %r" + to + " = slice(%" + from + ") {starts = [" + starts + "], limits = [" + limits +
            "], strides = [1,1]} : f32[" + sizes + "]\n    %i" + to + " = constant() {value = dense s32[2]{" +
            place + "}} : s32[2]\n    %" + to + " = scatter(%" + from + ", %i" + to + ", %r" + to + ")" +
            window_of(sizes, "mode = \"fill\", combiner = \"set\"} : f32[41,37]\n");
  };
  border("s", "p", "41,36", "0,35", "41,1", "0, 36");
  border("p", "q", "2,37", "1,0", "1,37", "0, 0");
  border("q", "y", "41,2", "0,1", "41,1", "0, 0");
  const Compiled one = stepped("f32[41,37]", body);
  EXPECT_EQ(one.executable->copy_count(), 0) << to_string(*one.executable);
}

// At a place beyond the array nothing is written, or it is moved back.
TEST(WindowUpdatesTest, PlacesOutOfRange) {
  for (const char* place : {"-1", "3", "2000000000", "0"}) {
    for (const char* mode : {"fill", "clip"}) {
      for (const char* combiner : {"set", "add"}) {
        compiled(
            "func @main(%x: f64[20,30], %w: f64[18,28]) -> (f64[20,30]) {\n  %i = constant() {value = dense "
            "s32[2]{" +
            std::string(place) + ", 1}} : s32[2]\n  %y = scatter(%x, %i, %w)" +
            window_of("18,28", std::string("mode = \"") + mode + "\", combiner = \"" + combiner +
                                   "\"} : f64[20,30]\n") +
            "  return %y\n}\n");
      }
    }
  }
}

}  // namespace
}  // namespace ingot::compiler
