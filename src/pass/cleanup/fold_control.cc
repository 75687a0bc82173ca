#include "pass/cleanup/fold_control.h"

#include <algorithm>
#include <optional>

#include "ir/structural.h"
#include "ops/control.h"
#include "ops/kinds.h"
#include "pass/cleanup/constant_tables.h"
#include "pass/cleanup/known_steps.h"
#include "pass/replace.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Region;
using ir::Value;

const Tensor* constant_scalar(const Value* value) {
  const Op* op = value->op();
  return op != nullptr && ops::is<ops::ConstantOp>(*op) && value->rank() == 0 ? &ops::ConstantOp(*op).value()
                                                                              : nullptr;
}

// The branch that is taken whatever else is known. Those of lanes are about one lane.
std::optional<int> branch_taken(const ops::CondOp& cond) {
  if (cond.lanes().any()) return std::nullopt;
  if (const Tensor* index = constant_scalar(cond.index()))
    return static_cast<int>(std::clamp<int64_t>(index->get_int(0), 0, cond.branch_count() - 1));
  for (int b = 1; b < cond.branch_count(); ++b) {
    if (!ir::structurally_equal(cond.branch(0), cond.branch(b))) return std::nullopt;
  }
  return 0;
}

void take_branch(const ops::CondOp& cond, int taken) {
  Region& branch = cond.branch(taken);
  auto& op = const_cast<Op&>(cond.op());
  for (int i = 0; i < cond.argument_count(); ++i) branch.argument(i)->replace_all_uses_with(cond.argument(i));
  const std::vector<Value*> results(branch.results().begin(), branch.results().end());
  branch.set_results({});
  while (!branch.ops().front()->is_return()) op.parent()->take(branch.ops().front().get(), &op);
  replace_op(&op, results, {});
}

// The body becomes that of a scan; the counter stays one of its carries.
void count_steps(const ops::WhileOp& loop, int64_t steps) {
  auto& op = const_cast<Op&>(loop.op());
  std::vector<int> arguments, results;
  for (int i = 0; i < op.operand_count(); ++i) arguments.push_back(i);
  for (int k = 0; k < loop.carry_count(); ++k) results.push_back(k);
  std::vector<std::string> names;
  for (const Value* argument : loop.body().arguments()) names.push_back(argument->name());
  std::vector<std::unique_ptr<Region>> regions;
  regions.push_back(keep_parts(loop.body(), arguments, results));
  const std::vector<Value*> fresh = regions.back()->arguments();
  ops::ScanForm form;
  form.carries = loop.carry_count();
  form.length = steps;
  std::vector<ir::TensorType> types;
  for (const Value* result : op.results()) types.push_back(result->type());
  const std::vector<Value*> operands(op.operands().begin(), op.operands().end());
  ir::Function* function = op.function();
  Op* scan =
      op.parent()->insert(ops::ScanOp::record(), operands, form.attributes(), types,
                          op.provenance().derived("fold", std::string(op.name())), &op, std::move(regions));
  Op* const made[] = {scan};
  replace_op(&op, scan->results(), made);
  for (size_t i = 0; i < names.size(); ++i) function->rename(fresh[i], names[i]);
}

}  // namespace

bool fold_control(Op& op, PassContext& context) {
  if (const auto cond = ops::as<ops::CondOp>(op)) {
    const std::optional<int> taken = branch_taken(*cond);
    if (!taken || !context.may("branch", op)) return false;
    take_branch(*cond, *taken);
    return true;
  }
  if (const auto scan = ops::as<ops::ScanOp>(op)) {
    if (!exchanges_constants(*scan) || !context.may("constant_tables", op)) return false;
    write_out_steps(*scan);
    return true;
  }
  if (const auto loop = ops::as<ops::WhileOp>(op)) {
    if (const auto steps = known_steps(*loop); steps && context.may("known_steps", op)) {
      count_steps(*loop, *steps);
      return true;
    }
    const Tensor* predicate = constant_scalar(loop->predicate().results()[0]);
    if (predicate == nullptr || predicate->get_int(0) != 0 || !context.may("no_step", op)) return false;
    std::vector<Value*> initial;
    for (const ops::WhileOp::Carry& carry : loop->carries()) initial.push_back(carry.initial);
    replace_op(&op, initial, {});
    return true;
  }
  return false;
}

}  // namespace ingot::pass
