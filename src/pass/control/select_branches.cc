// select_branches: a cond whose branches are cheap becomes all of them, and selects.
//
// What is cheap is for branch_cost.h to say. A cond in a reduction's combiner has no choice: kernels take in
// no branch, and so it is made selects whatever it costs. What branches change in part of a scan's carry is
// changed where its branch is taken (masked_updates.h). Inner ones come first, so that a cond of conds may
// go as a whole. Lanes have been expanded.
//
// The other way round, a select of an array and of what is made of it by changing it in part becomes a change
// where the condition holds.

#include "ir/builder.h"
#include "ops/control.h"
#include "ops/kinds.h"
#include "ops/make.h"
#include "pass/becomes.h"
#include "pass/branch_cost.h"
#include "pass/masked_updates.h"
#include "pass/passes.h"
#include "pass/replace.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Region;
using ir::Value;

class Selecting {
 public:
  explicit Selecting(PassContext& context) : context_(context) {}

  bool run(Region& region, bool in_combiner = false) {
    for (auto it = region.ops().begin(); it != region.ops().end();) {
      Op* op = (it++)->get();
      for (int r = 0; r < op->region_count(); ++r)
        run(op->region(r), in_combiner || becomes<ir::Reduction>(*op));
      if (is_select_of_update(*op) && context_.may("update", *op)) {
        make_update(*op);
        changed_ = true;
        continue;
      }
      const auto cond = ops::as<ops::CondOp>(*op);
      if (!cond || cond->lanes().any()) continue;
      if (in_combiner ? context_.must("in_combiner", *op)
                      : is_better_selected(*op) && context_.may("cheap", *op))
        select(*cond, *op);
    }
    return changed_;
  }

 private:
  void select(const ops::CondOp& cond, Op& op) {
    Region& region = *op.parent();
    const std::vector<MaskedUpdate> updates = masked_updates(cond);
    std::vector<std::vector<Value*>> made;  // by branch
    for (int b = 0; b < cond.branch_count(); ++b) {
      Region& branch = cond.branch(b);
      for (int i = 0; i < cond.argument_count(); ++i)
        branch.argument(i)->replace_all_uses_with(cond.argument(i));
      made.emplace_back(branch.results().begin(), branch.results().end());
      branch.set_results({});
      while (!branch.ops().front()->is_return()) region.take(branch.ops().front().get(), &op);
    }
    ir::Builder builder(region, &op);
    builder.set_provenance(op.provenance().derived("select_branches", std::string(op.name())));
    std::vector<Value*> results = made.back();
    std::vector<Op*> fresh;
    for (int b = cond.branch_count() - 1; b-- > 0;) {
      Value* beyond = predicate_of(cond);  // of two branches, whether the second is taken
      Value* taken = beyond == nullptr ? up_to(builder, cond.index(), b) : beyond;
      for (size_t k = 0; k < results.size(); ++k) {
        Value *yes = made[static_cast<size_t>(b)][k], *no = results[k];
        if (yes == no || updates[k].argument >= 0) continue;
        if (beyond != nullptr) std::swap(yes, no);
        results[k] = make::select(builder, {spread(builder, taken, yes->shape()), yes, no});
        fresh.push_back(results[k]->op());
      }
    }
    for (size_t k = 0; k < results.size(); ++k) {
      if (updates[k].argument < 0) continue;
      results[k] = update(cond, updates[k]);
      if (results[k] != cond.argument(updates[k].argument)) fresh.push_back(results[k]->op());
    }
    replace_op(&op, results, fresh);
    changed_ = true;
  }

  // The updates of all branches, one after the other where they stand, each where its branch is taken.
  static Value* update(const ops::CondOp& cond, const MaskedUpdate& updates) {
    Value* version = cond.argument(updates.argument);
    Region& region = *cond.op().parent();
    for (int b = 0; b < cond.branch_count(); ++b) {
      Value* taken = nullptr;
      for (Op* scatter : updates.scatters[static_cast<size_t>(b)]) {
        ir::Builder builder(region, scatter);
        builder.set_provenance(
            scatter->provenance().derived("select_branches", std::string(cond.op().name())));
        if (taken == nullptr) taken = is_taken(builder, cond, b);
        version = update_where(builder, taken, *scatter, version);
        Op* const made[] = {version->op()};
        Value* const values[] = {version};
        replace_op(scatter, values, made);
      }
    }
    return version;
  }

  static Value* is_taken(ir::Builder& builder, const ops::CondOp& cond, int branch) {
    const int last = cond.branch_count() - 1;
    if (Value* second = predicate_of(cond)) return branch == 1 ? second : make::bit_not(builder, second);
    if (branch == 0) return up_to(builder, cond.index(), 0);
    Value* beyond = make::bit_not(builder, up_to(builder, cond.index(), branch - 1));
    return branch == last ? beyond : make::bit_and(builder, {beyond, up_to(builder, cond.index(), branch)});
  }

  // What the index is a number for.
  static Value* predicate_of(const ops::CondOp& cond) {
    const Op* convert = ops::made_by<ops::ConvertOp>(cond.index());
    const bool is_one =
        cond.branch_count() == 2 && convert != nullptr && convert->operand(0)->dtype() == DType::kPred;
    return is_one ? convert->operand(0) : nullptr;
  }

  // Whether the index names that branch or one before.
  static Value* up_to(ir::Builder& builder, Value* index, int branch) {
    Value* number = builder.constant(Tensor::of<int32_t>({}, {branch}));
    return make::compare(builder, "le", {index, number});
  }

  static Value* spread(ir::Builder& builder, Value* scalar, const Shape& shape) {
    if (shape.empty()) return scalar;
    return make::spread(builder, scalar, shape);
  }

  PassContext& context_;
  bool changed_ = false;
};

class SelectBranches : public Pass {
 public:
  std::string_view name() const override { return "select_branches"; }
  std::string_view why() const override {
    return "Computes all branches of a cond and selects: in a reduction's combiner, since kernels take in no "
           "branch, and where that is cheaper than to branch, so that a scan with a cond in its step stays "
           "one kernel; it follows the algebra, which makes branches small, and expand_lanes, which leaves "
           "conds without lanes.";
  }
  bool required() const override { return true; }
  bool run(ir::Module& module, PassContext& context) override {
    bool changed = false;
    for (const auto& function : module.functions()) changed |= Selecting(context).run(function->body());
    return changed;
  }
};

}  // namespace

std::unique_ptr<Pass> make_select_branches() {
  return std::make_unique<SelectBranches>();
}

}  // namespace ingot::pass
