// Moves views towards their users through element-wise operations.
//
// Where all operands of an element-wise operation are the same view (the same broadcast, transpose or
// reversal) of arrays of one shape, the operation is done on these arrays and the view taken of its result.
// For broadcasts this computes less; transposes and reversals meet others and cancel (by their records'
// identities), or end at a contraction, a reduction or the program's results, which read through them.
// Constants of equal elements fit any view, and any view of one scalar everywhere is just that. A broadcast
// fits a transpose, too: it says of other dimensions where they go.
//
// Views move in this one direction only, towards users, and no identity moves them back: that is why this
// ends. Kernels compose index maps in any case, so this pass is about doing less, never about making a view
// possible.

#include <algorithm>

#include "ir/builder.h"
#include "ir/op_record.h"
#include "ir/structural.h"
#include "ops/kinds.h"
#include "ops/make.h"
#include "pass/passes.h"
#include "pass/replace.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Value;

bool can_sink(const Op& view) {
  return ops::is_any<ops::BroadcastOp, ops::TransposeOp, ops::ReverseOp>(view);
}

// The scalar that a constant of equal elements is a broadcast of, or null.
Value* splat_source(const Value* value) {
  const Op* op = ops::made_by<ops::BroadcastOp>(value);
  return op == nullptr || op->operand(0)->rank() != 0 ? nullptr : op->operand(0);
}

// The view that all operands share, but for those that are one scalar everywhere, or broadcasts beside a
// transpose; null if there is none. If all are one scalar everywhere, that is the view.
const Op* shared_view(const Op& op) {
  const Op* shared = nullptr;
  for (const Value* operand : op.operands()) {
    if (const Op* view = operand->op(); view != nullptr && ops::is<ops::TransposeOp>(*view)) shared = view;
  }
  const bool moved = shared != nullptr;
  for (const Value* operand : op.operands()) {
    const Op* view = operand->op();
    if (view == nullptr || !can_sink(*view)) return nullptr;
    if (shared == nullptr || splat_source(shared->result()) != nullptr) {
      shared = view;
    } else if (splat_source(operand) == nullptr && !(moved && ops::is<ops::BroadcastOp>(*view))) {
      const bool same = &view->record() == &shared->record() &&
                        view->operand(0)->shape() == shared->operand(0)->shape() &&
                        structurally_equal(view->attributes(), shared->attributes());
      if (!same) return nullptr;
    }
  }
  return shared;
}

// The broadcast whose transpose the given one is.
Value* before(const Op& transpose, const Op& broadcast, ir::Builder& builder) {
  const ir::IntList& permutation = ops::TransposeOp(transpose).permutation();
  ir::IntList dims;
  for (const int64_t dim : ops::BroadcastOp(broadcast).dims())
    dims.push_back(permutation[static_cast<size_t>(dim)]);
  return builder.value("broadcast", {broadcast.operand(0)},
                       {{"dims", dims}, {"shape", transpose.operand(0)->shape()}});
}

class Views : public Pass {
 public:
  std::string_view name() const override { return "views"; }
  std::string_view why() const override {
    return "Does element-wise work before broadcasts instead of after, and lets transposes and reversals "
           "meet and "
           "cancel; it runs before fusion, with canonicalize after it.";
  }

  bool run(ir::Module& module, PassContext& context) override {
    bool changed = false;
    for (const auto& function : module.functions()) {
      std::vector<Op*> ops;
      walk(function->body(), [&](Op& op) { ops.push_back(&op); });
      // In program order: when an operation is looked at, the views have moved as far as its operands.
      for (Op* op : ops) changed |= sink(*op, context) || refill(*op, context);
    }
    return changed;
  }

 private:
  // Any view of one scalar everywhere is one scalar everywhere.
  static bool refill(Op& op, PassContext& context) {
    if (!std::holds_alternative<ir::View>(*op.record().becomes) || op.operand_count() != 1) return false;
    Value* scalar = splat_source(op.operand(0));
    if (scalar == nullptr || !context.may("refill", op)) return false;
    ir::Builder builder(*op.parent(), &op);
    builder.set_provenance(op.provenance().derived("views", std::string(op.name())));
    Value* result = make::spread(builder, scalar, op.result()->shape());
    Op* made = result->op();
    replace_op(&op, {&result, 1}, {&made, 1});
    return true;
  }

  static bool sink(Op& op, PassContext& context) {
    if (!std::holds_alternative<ir::ScalarRecipe>(*op.record().becomes) || op.operand_count() == 0)
      return false;
    const Op* view = shared_view(op);
    if (view == nullptr || !context.may("sink_" + std::string(view->name()), op)) return false;
    const Shape& shape = view->operand(0)->shape();
    ir::Builder builder(*op.parent(), &op);
    builder.set_provenance(view->provenance().derived("views", std::string(view->name())));
    std::vector<Value*> sources;
    for (const Value* operand : op.operands()) {
      Value* scalar = splat_source(operand);
      if (scalar != nullptr && !shape.empty()) {
        sources.push_back(make::spread(builder, scalar, shape));
      } else if (&operand->op()->record() != &view->record()) {
        sources.push_back(before(*view, *operand->op(), builder));
      } else {
        sources.push_back(operand->op()->operand(0));
      }
    }
    builder.set_provenance(op.provenance());
    Op* small = builder.make(op.name(), sources, op.attributes(), {}, {op.result()->name()});
    builder.set_provenance(view->provenance().derived("views", std::string(view->name())));
    Value* result = builder.value(view->name(), {small->result()}, view->attributes());
    Op* made = result->op();
    replace_op(&op, {&result, 1}, {&made, 1});
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> make_views() {
  return std::make_unique<Views>();
}

}  // namespace ingot::pass
