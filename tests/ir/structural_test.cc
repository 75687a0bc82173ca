// Equality and hash see structure, and neither names nor locations.
#include "ir/structural.h"

#include <gtest/gtest.h>

#include "ir/text.h"

namespace ingot::ir {
namespace {

constexpr std::string_view kBase = R"(func @f(%x: f32[4], %z: f32[]) -> (f32[]) {
  %a = add(%x, %x) : f32[4]
  %s = reduce(%a, %z) {axes = [0]} (%p: f32[], %q: f32[]) {
    %r = add(%p, %q) : f32[]
    return %r
  } : f32[]
  %t = call(%s) {callee = @g} : f32[]
  return %t
}
func @g(%x: f32[]) -> (f32[]) {
  %y = exp(%x) : f32[]
  return %y
}
)";

// The base with one piece of text replaced.
std::unique_ptr<Module> variant(std::string_view from, std::string_view to) {
  std::string text(kBase);
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return parse(text);
}

bool same(const Module& a, const Module& b) {
  const Function &f = *a.functions()[0], &g = *b.functions()[0];
  bool equal = structurally_equal(f, g);
  EXPECT_EQ(equal, structurally_equal(g, f));
  EXPECT_EQ(equal, structural_hash(f) == structural_hash(g));
  EXPECT_EQ(structurally_equal(f.body(), g.body()), structural_hash(f.body()) == structural_hash(g.body()));
  return equal;
}

TEST(StructuralTest, NamesAndLocationsDoNotCount) {
  auto base = parse(kBase);
  EXPECT_TRUE(same(*base, *base));
  EXPECT_TRUE(same(*base, *clone(*base)));
  EXPECT_TRUE(same(*base, *variant("%a", "%other")));
  EXPECT_TRUE(same(*base, *variant("%p", "%other")));
  EXPECT_TRUE(same(*base, *variant("@g", "@h")));
  EXPECT_TRUE(same(*base, *variant(" : f32[4]\n", " : f32[4] loc(\"a.cc\":5 by \"x\")\n")));
}

TEST(StructuralTest, EverythingElseCounts) {
  auto base = parse(kBase);
  EXPECT_FALSE(same(*base, *variant("add(%x, %x)", "mul(%x, %x)")));
  EXPECT_FALSE(same(*base, *variant("add(%p, %q)", "add(%q, %p)")));
  EXPECT_FALSE(same(*base, *variant("f32", "f64")));
  EXPECT_FALSE(same(*base, *variant("f32[4]", "f32[5]")));
  EXPECT_FALSE(same(*base, *variant("exp", "neg")));  // in the callee
  EXPECT_FALSE(same(*base, *variant("%x: f32[4]", "%x: f32[4] donated")));
  EXPECT_FALSE(same(*base, *variant("return %t", "return %s")));
}

TEST(StructuralTest, FloatsByTheirBits) {
  auto constant = [](const std::string& value) {
    return parse("func @f() -> (f32[]) {\n  %c = constant() {value = dense f32[]{" + value +
                 "}} : f32[]\n  return %c\n}");
  };
  EXPECT_FALSE(same(*constant("0"), *constant("-0")));
  EXPECT_TRUE(same(*constant("nan"), *constant("nan")));
  EXPECT_FALSE(same(*constant("nan"), *constant("nan(0x7fc00001)")));
  Attributes zero{{"a", 0.0}}, minus_zero{{"a", -0.0}};
  EXPECT_FALSE(structurally_equal(zero, minus_zero));
  EXPECT_NE(structural_hash(zero), structural_hash(minus_zero));
  EXPECT_NE(structural_hash(Attributes{{"a", int64_t{1}}}), structural_hash(Attributes{{"a", true}}));
}

TEST(StructuralTest, TheHashIsTheSameInEveryProcess) {
  EXPECT_EQ(structural_hash(*parse(kBase)->functions()[0]), 10072184314511546693u);
}

}  // namespace
}  // namespace ingot::ir
