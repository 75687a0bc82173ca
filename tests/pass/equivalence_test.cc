// Different ways of writing one computation end in the same program.

#include <gtest/gtest.h>

#include "ir/structural.h"
#include "ir/text.h"
#include "pass/passes.h"
#include "pass/runner.h"

namespace ingot::pass {
namespace {

constexpr std::string_view kPasses =
    "dce,dedupe_functions,inline,canonicalize,fold,cse,views,canonicalize,cse,dce";

std::unique_ptr<ir::Module> optimized(const std::string& text) {
  auto module = ir::parse(text);
  PassContext context;
  run_passes(*module, parse_pass_list(kPasses), context);
  return module;
}

void expect_equivalent(const std::vector<std::string>& programs) {
  auto first = optimized(programs[0]);
  for (size_t i = 1; i < programs.size(); ++i) {
    auto other = optimized(programs[i]);
    EXPECT_TRUE(structurally_equal(*first->entry(), *other->entry())) << programs[i] << "becomes\n"
                                                                      << to_string(*other) << "instead of\n"
                                                                      << to_string(*first);
    EXPECT_EQ(structural_hash(*first->entry()), structural_hash(*other->entry()));
  }
}

// A function of %x: s32[4] and %y: s32[4] with these lines, that returns %r.
std::string on_integers(const std::string& lines) {
  return "func @main(%x: s32[4], %y: s32[4]) -> (s32[4]) {\n"
         "  %zero = constant() {value = dense s32[]{0}} : s32[]\n"
         "  %one = constant() {value = dense s32[]{1}} : s32[]\n"
         "  %zeros = broadcast(%zero) {dims = [], shape = [4]} : s32[4]\n"
         "  %ones = broadcast(%one) {dims = [], shape = [4]} : s32[4]\n" +
         lines + "  return %r\n}\n";
}

TEST(EquivalenceTest, NeutralElements) {
  expect_equivalent({
      on_integers("%r = neg(%x) : s32[4]\n"),
      on_integers("%a = add(%x, %zeros) : s32[4]\n%r = neg(%a) : s32[4]\n"),
      on_integers("%a = add(%zeros, %x) : s32[4]\n%r = neg(%a) : s32[4]\n"),
      on_integers("%a = sub(%x, %zeros) : s32[4]\n%r = neg(%a) : s32[4]\n"),
      on_integers("%a = mul(%ones, %x) : s32[4]\n%r = neg(%a) : s32[4]\n"),
      on_integers("%a = sub(%ones, %ones) : s32[4]\n%b = add(%x, %a) : s32[4]\n%r = neg(%b) : s32[4]\n"),
      on_integers("%k = constant() {value = dense s32[4]{1, 1, 1, 1}} : s32[4]\n%a = mul(%x, %k) : s32[4]\n"
                  "%r = neg(%a) : s32[4]\n"),
      on_integers("%a = div(%x, %ones) : s32[4]\n%r = neg(%a) : s32[4]\n"),
  });
}

TEST(EquivalenceTest, CallsAndLocations) {
  expect_equivalent({
      on_integers("%a = mul(%x, %y) : s32[4]\n%r = neg(%a) : s32[4]\n"),
      on_integers("%r = call(%x, %y) {callee = @f} : s32[4]\n") +
          "func @f(%p: s32[4], %q: s32[4]) -> (s32[4]) {\n%a = mul(%p, %q) : s32[4]\n"
          "%b = call(%a) {callee = @g} : s32[4]\nreturn %b\n}\n"
          "func @g(%p: s32[4]) -> (s32[4]) {\n%a = neg(%p) : s32[4]\nreturn %a\n}\n",
      on_integers(
          "%a = mul(%x, %y) : s32[4] loc(\"a.cc\":3)\n%b = mul(%x, %y) : s32[4]\n%c = abs(%b) : s32[4]\n"
          "%r = neg(%b) : s32[4]\n"),
  });
}

// A function of %x: f32[3,5] with these lines, that returns %r: f32[5,3].
std::string on_matrix(const std::string& lines) {
  return "func @main(%x: f32[3,5]) -> (f32[5,3]) {\n" + lines + "  return %r\n}\n";
}

TEST(EquivalenceTest, TransposesMoveAndCancel) {
  std::string t = "transpose(%x) {permutation = [1,0]} : f32[5,3]\n";
  expect_equivalent({
      on_matrix("%a = exp(%x) : f32[3,5]\n%b = tanh(%a) : f32[3,5]\n%r = transpose(%b) {permutation = [1,0]} "
                ": f32[5,3]\n"),
      on_matrix("%t = " + t + "%a = exp(%t) : f32[5,3]\n%r = tanh(%a) : f32[5,3]\n"),
      on_matrix("%a = exp(%x) : f32[3,5]\n%t = transpose(%a) {permutation = [1,0]} : f32[5,3]\n%r = tanh(%t) "
                ": f32[5,3]\n"),
      on_matrix("%t = " + t +
                "%u = transpose(%t) {permutation = [1,0]} : f32[3,5]\n%a = exp(%u) : f32[3,5]\n"
                "%v = transpose(%a) {permutation = [1,0]} : f32[5,3]\n%r = tanh(%v) : f32[5,3]\n"),
  });
}

TEST(EquivalenceTest, ScalarsAndBroadcasts) {
  std::string head = "func @main(%s: f32[]) -> (f32[6]) {\n";
  expect_equivalent({
      head + "%a = exp(%s) : f32[]\n%r = broadcast(%a) {dims = [], shape = [6]} : f32[6]\nreturn %r\n}\n",
      head + "%b = broadcast(%s) {dims = [], shape = [6]} : f32[6]\n%r = exp(%b) : f32[6]\nreturn %r\n}\n",
      head + "%b = broadcast(%s) {dims = [], shape = [2,3]} : f32[2,3]\n%a = exp(%b) : f32[2,3]\n"
             "%r = reshape(%a) {shape = [6]} : f32[6]\nreturn %r\n}\n",
  });
}

}  // namespace
}  // namespace ingot::pass
