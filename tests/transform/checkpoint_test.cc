// What a checkpointed function keeps, and what it computes anew, under each policy.
#include "transform/checkpoint.h"

#include <gtest/gtest.h>

#include "ir/text.h"
#include "ir/verifier.h"
#include "transform/derivatives.h"

namespace ingot::transform {
namespace {

constexpr const char* kLayer = R"(
func @layer(%x: f64[2,3], %w: f64[3,3], %q: f64[2,3,3]) -> (f64[2,3]) {
  %p = dot_general(%x, %w) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : f64[2,3]
  %b = dot_general(%p, %q) {lhs_batch = [0], lhs_contract = [1], rhs_batch = [0], rhs_contract = [1]} : f64[2,3]
  %n = checkpoint_name(%b) {name = "first"} : f64[2,3]
  %e = exp(%n) : f64[2,3]
  %s = sin(%e) : f64[2,3]
  %m = checkpoint_name(%s) {name = "second"} : f64[2,3]
  %t = mul(%m, %n) : f64[2,3]
  return %t
}
)";

// The names of what is saved, and the operations of the second run.
std::string split(const std::string& program, const std::string& policy) {
  const auto module = ir::parse(program);
  ir::Function* function = module->functions().front().get();
  Derivatives derivatives(*module);
  Mask active;
  for (const ir::Value* argument : function->body().arguments())
    active.push_back(is_inexact(argument->dtype()));
  const Linearized& made = derivatives.linearize(function, active);
  std::vector<bool> wanted(made.forward->body().results().size(), false);
  for (const auto& residual : made.residuals) {
    if (!residual.is_argument) wanted[static_cast<size_t>(residual.index)] = true;
  }
  const int kept = static_cast<int>(function->body().results().size());
  const TwoRuns& runs = derivatives.checkpoints().split(*made.forward, kept, wanted, policy);
  ir::verify(*module);
  std::string text = "saves";
  if (runs.first != nullptr) {
    const auto results = runs.first->body().results();
    for (size_t i = static_cast<size_t>(kept); i < results.size(); ++i) text += " " + results[i]->name();
  }
  text += ", computes";
  ir::walk(runs.again->body(), [&](const ir::Op& op) {
    if (!op.is_return()) text += " " + std::string(op.name());
  });
  return text;
}

TEST(CheckpointTest, PoliciesSay) {
  const char* cases[][2] = {
      {"nothing_saveable",
       "saves, computes dot_general dot_general checkpoint_name exp sin checkpoint_name cos"},
      {"everything_saveable", "saves p n e m cos, computes"},
      {"dots_saveable", "saves p b, computes checkpoint_name exp sin checkpoint_name cos"},
      {"dots_with_no_batch_dims_saveable",
       "saves p, computes dot_general checkpoint_name exp sin checkpoint_name cos"},
      {"save_only_these_names(second)", "saves m, computes dot_general dot_general checkpoint_name exp cos"},
      {"save_only_these_names(third)",
       "saves, computes dot_general dot_general checkpoint_name exp sin checkpoint_name cos"},
      {"save_any_names_but_these(second, third)",
       "saves n, computes dot_general exp sin checkpoint_name cos"},
      {"save_anything_except_these_names(second)", "saves p n e cos, computes sin checkpoint_name"},
      {"save_only_these_names(second) | dots_with_no_batch_dims_saveable",
       "saves p m, computes dot_general checkpoint_name exp cos"},
  };
  for (const auto& [policy, wanted] : cases) EXPECT_EQ(split(kLayer, policy), wanted) << policy;
}

// Policies go into branches, which share results for what they save.
constexpr const char* kBranches = R"(
func @layer(%i: s32[], %x: f64[2,3], %w: f64[3,3]) -> (f64[2,3]) {
  %y = cond(%i, %x, %w) (%x0: f64[2,3], %w0: f64[3,3]) {
    %p = dot_general(%x0, %w0) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : f64[2,3]
    %s = sin(%p) : f64[2,3]
    %m = checkpoint_name(%s) {name = "first"} : f64[2,3]
    %t = mul(%m, %m) : f64[2,3]
    return %t
  } (%x1: f64[2,3], %w1: f64[3,3]) {
    %e = exp(%x1) : f64[2,3]
    %n = checkpoint_name(%e) {name = "second"} : f64[2,3]
    %q = dot_general(%n, %w1) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : f64[2,3]
    %z = mul(%q, %q) : f64[2,3]
    return %z
  } : f64[2,3]
  return %y
}
)";

TEST(CheckpointTest, PoliciesGoIntoBranches) {
  const char* cases[][2] = {
      {"nothing_saveable",
       "saves, computes cond dot_general sin checkpoint_name cos exp checkpoint_name dot_general"},
      {"dots_saveable", "saves cond_3, computes cond sin checkpoint_name cos exp checkpoint_name"},
      {"save_only_these_names(first)",
       "saves cond_3, computes cond dot_general cos exp checkpoint_name dot_general"},
      {"save_only_these_names(first, second)", "saves cond_3, computes cond dot_general cos dot_general"},
      {"everything_saveable", "saves cond_1 cond_2, computes"},
  };
  for (const auto& [policy, wanted] : cases) EXPECT_EQ(split(kBranches, policy), wanted) << policy;
}

TEST(CheckpointTest, PoliciesAreText) {
  for (const char* text : {"all", "dots_saveable |", "save_only_these_names(a", ""})
    EXPECT_THROW(ops::SavePolicy::parse(text), Error) << text;
}

}  // namespace
}  // namespace ingot::transform
