#include "codegen/cpu/cost.h"

#include <algorithm>

namespace ingot::codegen {
namespace {

using namespace kernel;

// Vector instructions of a block, run once.
double instructions(const Block& block, const Plan& plan) {
  double sum = 0;
  for (const Stmt& stmt : block.stmts) {
    if (const Let* let = std::get_if<Let>(&stmt.node)) {
      sum += *std::get<ir::ScalarRecipe>(*let->record->becomes).cost;
    } else if (const Loop* loop = std::get_if<Loop>(&stmt.node)) {
      const LoopPlan& lp = plan.loops.at(loop);
      double trips = static_cast<double>(loop->extent) / static_cast<double>(loop->step);
      if (loop->style == LoopStyle::kLanes) trips /= lp.lanes;
      if (loop->kind == LoopKind::kParallel) trips = loop->style == LoopStyle::kLanes ? lp.vectors : 1;
      sum += trips * (instructions(loop->body, plan) + instructions(loop->combiner.body, plan) + 1);
    } else if (!std::holds_alternative<Literal>(stmt.node)) {
      sum += 1;
    }
  }
  return sum;
}

}  // namespace

double estimate_unit_cost(const Kernel& kernel, const Plan& plan, int64_t units) {
  constexpr double kNsPerInstruction = 0.15, kNsPerByte = 0.05;
  const double bytes = static_cast<double>(kernel.bytes_read + kernel.bytes_written);
  return std::max(instructions(kernel.body, plan) * kNsPerInstruction,
                  bytes * kNsPerByte / static_cast<double>(std::max<int64_t>(units, 1)));
}

}  // namespace ingot::codegen
