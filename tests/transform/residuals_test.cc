// What a linear function is handed, and what it computes anew.
#include "transform/residuals.h"

#include <gtest/gtest.h>

#include "ir/builder.h"
#include "ir/text.h"
#include "ir/verifier.h"
#include "transform/derivatives.h"

namespace ingot::transform {
namespace {

// "keeps" the residuals by name (arguments in brackets), "again" the operations on the linear side that no
// tangent reaches.
std::string choice(const std::string& body, const std::string& arguments = "%x: f64[8], %y: f64[8]") {
  const auto module = ir::parse("func @f(" + arguments + ") -> (f64[8]) {\n" + body + "  return %r\n}\n");
  ir::Function* function = module->functions().front().get();
  Derivatives derivatives(*module);
  const Linearized& made =
      derivatives.linearize(function, Mask(static_cast<size_t>(function->body().argument_count()), true));
  ir::verify(*module);
  std::string text = "keeps";
  const ir::Region& forward = made.forward->body();
  for (const auto& [is_argument, index] : made.residuals) {
    text += is_argument ? " [" + forward.argument(index)->name() + "]"
                        : " " + forward.results()[static_cast<size_t>(index)]->name();
  }
  text += ", again";
  const ir::Region& linear = made.linear->body();
  const int tangents = linear.argument_count() - static_cast<int>(made.residuals.size());
  std::unordered_set<const ir::Value*> reached;
  for (int i = 0; i < tangents; ++i) reached.insert(linear.argument(i));
  for (const auto& op : linear.ops()) {
    bool known = true;
    for (const ir::Value* operand : op->operands()) known = known && !reached.contains(operand);
    if (!known)
      for (const ir::Value* result : op->results()) reached.insert(result);
    else if (!op->is_return())
      text += " " + std::string(op->name());
  }
  return text;
}

TEST(ResidualsTest, CheapOperationsAreDoneAgain) {
  // cos(x y) is dear, x and y are at hand.
  EXPECT_EQ(choice("  %p = mul(%x, %y) : f64[8]\n  %r = sin(%p) : f64[8]\n"), "keeps [y] [x] cos, again");
  // What follows from it by a few operations is not kept as well.
  EXPECT_EQ(choice("  %e = exp(%x) : f64[8]\n  %a = add(%e, %y) : f64[8]\n  %r = mul(%a, %a) : f64[8]\n"),
            "keeps e [y], again add");
  // A result is at hand.
  EXPECT_EQ(choice("  %r = tanh(%x) : f64[8]\n"), "keeps r, again constant broadcast mul sub");
  EXPECT_EQ(choice("  %r = exp(%x) : f64[8]\n"), "keeps r, again");
}

TEST(ResidualsTest, LongChainsAreKept) {
  // Each step adds a division; the square of the last one is what is needed.
  const auto chain = [](int length) {
    std::string body;
    std::string last = "x";
    for (int i = 0; i < length; ++i) {
      const std::string next = "d" + std::to_string(i);
      body += "  %" + next + " = div(%y, %" + last + ") : f64[8]\n";
      last = next;
    }
    return choice(body + "  %s = stop_gradient(%" + last + ") : f64[8]\n  %r = mul(%s, %x) : f64[8]\n");
  };
  EXPECT_EQ(chain(1), "keeps [y] [x], again div stop_gradient");
  EXPECT_EQ(chain(2), "keeps [y] [x], again div div stop_gradient");
  EXPECT_EQ(chain(5), "keeps s, again");
}

TEST(ResidualsTest, ContractionsAreKept) {
  EXPECT_EQ(
      choice("  %d = dot_general(%x, %w) {lhs_batch = [], lhs_contract = [0], rhs_batch = [], rhs_contract "
             "= [0]} : f64[8]\n  %a = neg(%d) : f64[8]\n  %r = mul(%a, %a) : f64[8]\n",
             "%x: f64[3], %w: f64[3,8]"),
      "keeps [w] [x] a, again");
}

TEST(ResidualsTest, OfAViewWhatItIsOf) {
  // A broadcast is larger than what it is of; a slice is smaller.
  EXPECT_EQ(choice("  %e = exp(%s) : f64[]\n  %b = broadcast(%e) {dims = [], shape = [8]} : f64[8]\n"
                   "  %r = mul(%b, %x) : f64[8]\n",
                   "%s: f64[], %x: f64[8]"),
            "keeps e [x], again broadcast");
  EXPECT_EQ(
      choice("  %e = sin(%l) : f64[100]\n  %b = slice(%e) {limits = [8], starts = [0], strides = [1]} : "
             "f64[8]\n  %r = mul(%b, %x) : f64[8]\n",
             "%l: f64[100], %x: f64[8]"),
      "keeps cos [x] b, again");
  EXPECT_EQ(choice("  %e = sin(%l) : f64[2,4]\n  %b = reshape(%e) {shape = [8]} : f64[8]\n"
                   "  %c = reverse(%b) {axes = [0]} : f64[8]\n  %r = mul(%b, %c) : f64[8]\n",
                   "%l: f64[2,4]"),
            "keeps cos e, again reshape reverse");
}

TEST(ResidualsTest, WhatSeveralNeedIsDoneAgainOnce) {
  EXPECT_EQ(choice("  %e = exp(%x) : f64[8]\n  %a = add(%e, %y) : f64[8]\n  %b = mul(%a, %a) : f64[8]\n"
                   "  %r = mul(%b, %b) : f64[8]\n"),
            "keeps e [y], again add mul");
}

// A rule that a user gives may hold any number of operations on what is known.
TEST(ResidualsTest, KnownChainsMayBeLongerThanTheStackIsDeep) {
  ir::Module module;
  const ir::TensorType type{DType::kF64, {}};
  ir::Function* linear = module.add_function("linear");
  ir::Value* known = linear->body().add_argument(type, "known");
  ir::Value* tangent = linear->body().add_argument(type, "tangent");
  ir::Builder builder(linear->body());
  constexpr int kLength = 100'000;
  for (int i = 0; i < kLength; ++i) known = builder.value("add", {known, known});
  linear->body().set_results({builder.value("mul", {known, tangent})});
  Derivatives derivatives(module);
  const Transposed& made = derivatives.transpose(linear, {false, true}, {true});
  EXPECT_GT(made.function->body().ops().size(), static_cast<size_t>(kLength));
}

}  // namespace
}  // namespace ingot::transform
