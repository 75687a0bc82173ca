// excess_precision: rounding to f16 or bf16 that nobody would see is not done.
//
// Inside of a kernel, f32 -> bf16 -> f32 is the f32 itself: the value is in a register, and exacter than what
// was asked for. Between kernels the narrow float is what lies in memory. What the program itself converts is
// rounded (widen_floats has marked it): a quantization error is not 0. A program that wants what each
// operation on narrow floats makes to be rounded, as JAX's CPU does, skips this pass. Comparisons see what is
// rounded in any case: a loop that ends when x + 1 is x would not end.

#include <algorithm>

#include "ir/builder.h"
#include "kernel/lower/group.h"
#include "ops/control.h"
#include "ops/kinds.h"
#include "pass/passes.h"
#include "pass/replace.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Value;

bool is_convert(const Op* op) {
  return op != nullptr && ops::is<ops::ConvertOp>(*op);
}

class ExcessPrecision : public Pass {
 public:
  std::string_view name() const override { return "excess_precision"; }
  std::string_view why() const override {
    return "Drops roundings to f16 and bf16 that are undone in the same kernel; it follows fuse, which "
           "decides "
           "what is one. Skip it to have them all.";
  }
  bool run(ir::Module& module, PassContext& context) override {
    bool changed = false;
    for (const auto& function : module.functions()) {
      std::vector<Op*> kernels;
      walk(function->body(), [&](Op& op) {
        if (ops::is<ops::FusedOp>(op)) kernels.push_back(&op);
      });
      for (Op* kernel : kernels) {
        if (!clean(kernel->region(), context)) continue;
        changed = true;
        hand_on(*kernel);
      }
    }
    return changed;
  }

 private:
  static bool clean(ir::Region& kernel, PassContext& context) {
    std::vector<Op*> found;
    walk(kernel, [&](Op& op) {
      if (is_convert(&op) && is_convert(op.operand(0)->op()) && is_narrow_float(op.operand(0)->dtype()) &&
          !is_small_float(op.operand(0)->dtype()) && !op.operand(0)->op()->attributes().has("rounds") &&
          op.operand(0)->op()->operand(0)->dtype() == DType::kF32 && op.result()->dtype() == DType::kF32) {
        found.push_back(&op);
      }
    });
    bool changed = false;
    for (Op* op : found) {
      Op* rounding = op->operand(0)->op();
      const std::vector<ir::Use> uses = op->result()->uses();
      const auto compares = [](const ir::Use& use) { return ops::is<ops::CompareOp>(*use.op); };
      if (!uses.empty() && std::all_of(uses.begin(), uses.end(), compares)) continue;
      if (!context.may("drop_rounding", *op)) continue;
      changed = true;
      Value* exact = rounding->operand(0);
      if (std::any_of(uses.begin(), uses.end(), compares)) {
        for (const ir::Use& use : uses) {
          if (!compares(use)) use.op->set_operand(use.operand, exact);
        }
        continue;
      }
      replace_op(op, {&exact, 1}, {});
      if (!rounding->used()) rounding->erase();
    }
    return changed;
  }

  // What a kernel makes is no argument of its own, nor the same twice: users take that value itself. Without
  // a result of its own there is no kernel.
  static void hand_on(Op& kernel) {
    ir::Region& from = kernel.region();
    const std::vector<Value*> results(from.results().begin(), from.results().end());
    std::vector<int> kept;
    for (int i = 0; i < kernel.result_count(); ++i) {
      const Value* result = results[static_cast<size_t>(i)];
      Value* same = result->op() == nullptr ? kernel.operand(result->index()) : nullptr;
      for (int k : kept) {
        if (results[static_cast<size_t>(k)] == result) same = kernel.result(k);
      }
      if (same == nullptr)
        kept.push_back(i);
      else
        kernel.result(i)->replace_all_uses_with(same);
    }
    if (kept.empty()) return kernel.erase();
    if (kept.size() < results.size()) keep_results(kernel, kept);
  }

  static void keep_results(Op& kernel, const std::vector<int>& kept) {
    ir::Region& from = kernel.region();
    ir::Function* function = kernel.function();
    NamesToKeep names;
    std::vector<Value*> made, operands;
    std::vector<ir::TensorType> types;
    for (int i : kept) {
      made.push_back(from.results()[static_cast<size_t>(i)]);
      types.push_back(made.back()->type());
    }
    from.set_results(made);
    std::unique_ptr<ir::Region> body = function->make_region();
    for (int i = 0; i < from.argument_count(); ++i) {
      Value* old = from.argument(i);
      if (!old->used()) continue;
      Value* argument = body->add_argument(old->type(), old->name());
      names.add(argument, old);
      old->replace_all_uses_with(argument);
      operands.push_back(kernel.operand(i));
    }
    move_ops(from, *body);
    body->set_results(made);
    ir::Attributes attributes = kernel.attributes();
    ops::erase_stored_pitches(attributes);  // of results that have other numbers now
    std::vector<std::unique_ptr<ir::Region>> regions;
    regions.push_back(std::move(body));
    Op* rest = kernel.parent()->insert(kernel.record(), operands, std::move(attributes), types,
                                       kernel.provenance(), &kernel, std::move(regions));
    for (size_t i = 0; i < kept.size(); ++i) {
      Value* old = kernel.result(kept[i]);
      names.add(rest->result(static_cast<int>(i)), old);
      old->replace_all_uses_with(rest->result(static_cast<int>(i)));
    }
    kernel.erase();
    names.give_back(*function);
  }
};

}  // namespace

std::unique_ptr<Pass> make_excess_precision() {
  return std::make_unique<ExcessPrecision>();
}

}  // namespace ingot::pass
