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

TEST(CheckpointTest, PoliciesAreText) {
  for (const char* text : {"all", "dots_saveable |", "save_only_these_names(a", ""})
    EXPECT_THROW(ops::SavePolicy::parse(text), Error) << text;
}

}  // namespace
}  // namespace ingot::transform
