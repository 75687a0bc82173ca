// rotate_loops: the predicate of a while becomes one of its carries.
//
// It is asked once before the loop and at the end of each step, of the same values as before, so that it
// shares a kernel with the step that makes these, and what asks it is a look at a byte. A predicate of many
// operations stays a function of its own: it would stand in the program twice.
//
// Then many steps are taken in one kernel, where that is possible (take_steps.h), with those of loops inside
// (nested_steps.h). A loop of known length with such loops inside becomes a while for that (count_steps.h).

#include "ir/builder.h"
#include "ops/control.h"
#include "pass/branch_cost.h"
#include "pass/call_graph.h"
#include "pass/control/count_steps.h"
#include "pass/control/nested_steps.h"
#include "pass/control/take_steps.h"
#include "pass/find_ops.h"
#include "pass/passes.h"
#include "pass/replace.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Region;
using ir::Value;

bool is_a_carry(const ops::WhileOp& loop) {
  const Value* predicate = loop.predicate().results()[0];
  return predicate->op() == nullptr && loop.is_carry(predicate->index());
}

class RotateLoops : public Pass {
 public:
  std::string_view name() const override { return "rotate_loops"; }
  std::string_view why() const override {
    return "Asks for another step of a while at the end of each step, in the kernel that makes what decides; "
           "it stands after all that looks at predicates by themselves, and before fuse.";
  }

  bool run(ir::Module& module, PassContext& context) override {
    const std::vector<Op*> loops = find_ops(module, [](Op& op) {
      if (ops::is<ops::ScanOp>(op)) return true;
      const auto loop = ops::as<ops::WhileOp>(op);
      return loop && !loop->lanes().any() &&
             static_cast<int64_t>(loop->predicate().ops().size()) <= kLightOperations;
    });
    bool changed = false;
    for (auto it = loops.rbegin(); it != loops.rend(); ++it) {  // inner ones first
      Op* loop = *it;
      if (ops::is<ops::ScanOp>(*loop)) {
        changed |= take_counted_steps(*loop, context);
        continue;
      }
      if (!is_a_carry(ops::WhileOp(*loop))) {
        if (!context.may("predicate", *loop)) continue;
        loop = &rotate(*loop);
        changed = true;
      }
      changed |= take_steps(*loop, context) || take_nested_steps(*loop, context);
    }
    return changed;
  }

 private:
  // A scan whose step holds loops of unknown length, if the steps of all are steps of one kernel.
  static bool take_counted_steps(Op& scan, PassContext& context) {
    if (!holds_a_while(scan)) return false;
    Op* loop = count_steps(scan);
    std::vector<std::string> names;
    for (int r = 0; r < scan.result_count(); ++r) {
      names.push_back(scan.result(r)->name());
      scan.result(r)->replace_all_uses_with(loop->result(kCountingCarries + r));
    }
    std::vector<Value*> stand_ins;
    if (!take_nested_steps(*loop, context, &stand_ins)) {
      for (int r = 0; r < scan.result_count(); ++r)
        loop->result(kCountingCarries + r)->replace_all_uses_with(scan.result(r));
      erase_attempt(*loop);
      return false;
    }
    ir::Function& function = *scan.function();
    scan.erase();
    for (size_t r = 0; r < names.size(); ++r)
      function.rename(stand_ins[static_cast<size_t>(kCountingCarries) + r], names[r]);
    return true;
  }

  static Op& rotate(Op& op) {
    const ops::WhileOp loop(op);
    const auto carries = static_cast<size_t>(loop.carry_count());
    ir::Function* function = op.function();
    // Before the loop, of the initial values.
    ir::ValueMap before;
    for (int i = 0; i < op.operand_count(); ++i) before[loop.predicate().argument(i)] = op.operand(i);
    Value* first = ir::clone_ops(loop.predicate(), *op.parent(), before, &op)[0];

    std::unique_ptr<Region> predicate = function->make_region(), body = function->make_region();
    std::vector<std::pair<Value*, std::string>> names;
    ir::ValueMap after;
    const auto add_argument = [&](int i) {
      Value *asked = loop.predicate().argument(i), *given = loop.body().argument(i);
      Value* inside = body->add_argument(given->type(), given->name());
      names.emplace_back(predicate->add_argument(asked->type(), asked->name()), asked->name());
      names.emplace_back(inside, given->name());
      given->replace_all_uses_with(inside);
      after[asked] = inside;
    };
    for (int i = 0; i < loop.carry_count(); ++i) add_argument(i);
    predicate->set_results({predicate->add_argument(first->type(), first->name())});
    body->add_argument(first->type(), first->name());
    for (int i = loop.carry_count(); i < op.operand_count(); ++i) add_argument(i);
    std::vector<Value*> results(loop.body().results().begin(), loop.body().results().end());
    for (size_t k = 0; k < carries; ++k) after[loop.predicate().argument(static_cast<int>(k))] = results[k];
    loop.body().set_results({});
    move_ops(loop.body(), *body);
    results.push_back(ir::clone_ops(loop.predicate(), *body, after)[0]);
    body->set_results(results);

    std::vector<Value*> operands(op.operands().begin(), op.operands().end());
    operands.insert(operands.begin() + static_cast<std::ptrdiff_t>(carries), first);
    std::vector<ir::TensorType> types;
    std::vector<std::string> result_names;
    for (const Value* result : op.results()) {
      types.push_back(result->type());
      result_names.push_back(result->name());
    }
    types.push_back(first->type());
    ops::WhileForm form = loop.form();
    ++form.carries;
    ir::Attributes attributes = op.attributes();
    form.write(attributes);
    std::vector<std::unique_ptr<Region>> regions;
    regions.push_back(std::move(predicate));
    regions.push_back(std::move(body));
    Op* fresh = op.parent()->insert(op.record(), operands, std::move(attributes), types, op.provenance(), &op,
                                    std::move(regions));
    for (size_t k = 0; k < carries; ++k)
      op.result(static_cast<int>(k))->replace_all_uses_with(fresh->result(static_cast<int>(k)));
    op.erase();
    for (size_t k = 0; k < carries; ++k)
      function->rename(fresh->result(static_cast<int>(k)), result_names[k]);
    for (const auto& [value, name] : names) function->rename(value, name);
    return *fresh;
  }
};

}  // namespace

std::unique_ptr<Pass> make_rotate_loops() {
  return std::make_unique<RotateLoops>();
}

}  // namespace ingot::pass
