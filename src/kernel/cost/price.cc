#include "kernel/cost/price.h"

#include "kernel/ir/blocks.h"
#include "ops/control.h"
#include "ops/kinds.h"

namespace ingot::kernel {
namespace {

double cost_of(std::initializer_list<std::string_view> records) {
  double total = 0;
  for (std::string_view record : records)
    total += std::get<ir::ScalarRecipe>(*ir::find_record(record)->becomes).cost;
  return total;
}

// To clamp the indices of an element, convert them, and see whether they were in range.
double index_work(const ir::Op& op) {
  static const double each = cost_of({"max", "min", "convert", "compare", "and", "select"});
  return each * static_cast<double>(op.attributes().list("start_index_map").size());
}

// To see whether a term is read inside of the lhs: one condition per guard, and a choice.
double guard_work(const ir::Op& op, const Shape& summed) {
  static const double each = cost_of({"and", "select"});
  std::vector<Index> at, over;
  int variable = 0;
  for (int64_t extent : op.result()->shape()) at.push_back(Index::variable(variable++, extent));
  for (int64_t extent : summed) over.push_back(Index::variable(variable++, extent));
  const auto& contraction = std::get<ir::Contraction>(*op.record().becomes);
  const ir::ContractionTerm term = (*contraction.term)(op, at, over);
  return each * static_cast<double>(term.lhs_guards.size() + term.rhs_guards.size());
}

double least_work_of(ir::Op& op) {
  const ir::Becomes& becomes = *op.record().becomes;
  if (auto* recipe = std::get_if<ir::ScalarRecipe>(&becomes)) {
    return static_cast<double>(element_count(op.result()->shape())) * recipe->cost;
  }
  if (std::holds_alternative<ir::Gather>(becomes))
    return index_work(op) * static_cast<double>(element_count(op.result()->shape()));
  if (std::holds_alternative<ir::Scatter>(becomes))
    return (index_work(op) + cost_of({"add"})) * static_cast<double>(element_count(op.operand(2)->shape()));
  double inside = 0;
  for (int r = 0; r < op.region_count(); ++r) {
    for (auto& inner : op.region(r).ops()) inside += least_work_of(*inner);
  }
  if (std::holds_alternative<ir::Reduction>(becomes)) {
    return inside * static_cast<double>(element_count(op.operand(0)->shape()));
  }
  if (std::holds_alternative<ir::Contraction>(becomes)) {
    const auto& contraction = std::get<ir::Contraction>(becomes);
    const Shape summed = (*contraction.summed)(op);
    const double terms =
        static_cast<double>(element_count(op.result()->shape())) * static_cast<double>(element_count(summed));
    return (cost_of({"mul", "add"}) + guard_work(op, summed)) * terms;
  }
  if (const auto scan = ops::as<ops::ScanOp>(op)) {
    const auto steps = static_cast<double>(scan->length());
    return inside * (scan->form().running.has_value() ? std::min(steps, kSomeSteps) : steps);
  }
  return 0;
}

}  // namespace

double work(const Block& block, double points) {
  double total = 0;
  for (const Stmt& stmt : block.stmts) {
    if (std::holds_alternative<Let>(stmt.node)) total += points * cost(stmt);
    if (auto* loop = std::get_if<Loop>(&stmt.node)) {
      const double inside = points * likely_points(*loop);
      total += work(loop->body, inside) + work(loop->combiner.body, inside);
    }
  }
  return total;
}

double least_work(const Group& group) {
  double total = 0;
  for (ir::Op* op : group.ops) total += least_work_of(*op);
  return total;
}

}  // namespace ingot::kernel
