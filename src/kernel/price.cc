#include "kernel/price.h"

#include "kernel/blocks.h"

namespace ingot::kernel {
namespace {

constexpr double kIndexWork = 5;  // to clamp an index, convert it, and see whether it was in range

double work_of_block(const Block& block, double points) {
  double total = 0;
  for (const Stmt& stmt : block.stmts) {
    if (std::holds_alternative<Let>(stmt.node)) total += points * cost(stmt);
    if (auto* loop = std::get_if<Loop>(&stmt.node)) {
      const double inside = points * static_cast<double>(loop->extent);
      total += work_of_block(loop->body, inside) + work_of_block(loop->combiner.body, inside);
    }
  }
  return total;
}

double least_work_of(ir::Op& op) {
  const ir::Becomes& becomes = *op.record().becomes;
  if (auto* recipe = std::get_if<ir::ScalarRecipe>(&becomes)) {
    return static_cast<double>(element_count(op.result()->shape())) * recipe->cost;
  }
  // An index is made fit for use once for each element, at most.
  if (std::holds_alternative<ir::Gather>(becomes))
    return kIndexWork * static_cast<double>(element_count(op.result()->shape()));
  if (std::holds_alternative<ir::Scatter>(becomes))
    return (kIndexWork + 2) * static_cast<double>(element_count(op.operand(2)->shape()));
  double inside = 0;
  for (int r = 0; r < op.region_count(); ++r) {
    for (auto& inner : op.region(r).ops()) inside += least_work_of(*inner);
  }
  if (std::holds_alternative<ir::Reduction>(becomes)) {
    return inside * static_cast<double>(element_count(op.operand(0)->shape()));
  }
  if (std::holds_alternative<ir::Contraction>(becomes)) {
    double terms = static_cast<double>(element_count(op.result()->shape()));
    for (int64_t d : op.attributes().list("lhs_contract")) {
      terms *= static_cast<double>(op.operand(0)->shape()[static_cast<size_t>(d)]);
    }
    return 2 * terms;
  }
  return is_scan(op) ? inside * static_cast<double>(op.attributes().integer("length")) : 0;
}

}  // namespace

double work(const Kernel& kernel) {
  return work_of_block(kernel.body, 1);
}

double least_work(const Group& group) {
  double total = 0;
  for (ir::Op* op : group.ops) total += least_work_of(*op);
  return total;
}

}  // namespace ingot::kernel
