#include "codegen/cpu/cost.h"

#include <algorithm>

#include "kernel/cost/table.h"
#include "kernel/ir/in_place.h"

namespace ingot::codegen {
namespace {

using namespace kernel;

double instructions(const Kernel& kernel, const Block& block, const CopiedFirst* in_place);

// Vector instructions of a statement, run once, without loops that copy where both are the same memory.
double instructions(const Kernel& kernel, const Stmt& stmt, const CopiedFirst* in_place) {
  if (const Let* let = std::get_if<Let>(&stmt.node))
    return *std::get<ir::ScalarRecipe>(*let->record->becomes).cost;
  const Loop* loop = std::get_if<Loop>(&stmt.node);
  if (loop == nullptr) return std::holds_alternative<Literal>(stmt.node) ? 0 : 1;
  BufferId input = kNone;
  if (in_place != nullptr && loop->copies == in_place->input) {
    const Store* store = copying_store(kernel, *loop, input);
    if (store != nullptr && store->buffer == in_place->output) return 0;
  }
  double trips = static_cast<double>(loop->extent) / static_cast<double>(loop->step);
  if (loop->style == LoopStyle::kLanes) trips /= loop->widths.lanes;
  if (loop->kind == LoopKind::kParallel) trips = loop->style == LoopStyle::kLanes ? loop->widths.vectors : 1;
  return trips * (instructions(kernel, loop->body, in_place) +
                  instructions(kernel, loop->combiner.body, in_place) + 1);
}

double instructions(const Kernel& kernel, const Block& block, const CopiedFirst* in_place) {
  double sum = 0;
  for (const Stmt& stmt : block.stmts) sum += instructions(kernel, stmt, in_place);
  return sum;
}

bool is_band(const Stmt& stmt) {
  const Loop* loop = std::get_if<Loop>(&stmt.node);
  return loop != nullptr && loop->kind == LoopKind::kParallel;
}

}  // namespace

std::vector<double> estimate_unit_costs(const Kernel& kernel, const std::vector<int64_t>& units_of_phases,
                                        const CopiedFirst* in_place) {
  std::vector<double> costs(units_of_phases.size(), 0);
  size_t begun = 0;  // bands, each of which is a phase; what stands before the first one belongs to it
  for (const Stmt& stmt : kernel.body.stmts) {
    if (is_band(stmt)) ++begun;
    costs[begun > 0 ? begun - 1 : 0] += instructions(kernel, stmt, in_place) * prices::kNsPerInstruction;
  }
  double computing = 0, units = 0;
  for (size_t p = 0; p < costs.size(); ++p) {
    computing += costs[p] * static_cast<double>(units_of_phases[p]);
    units += static_cast<double>(units_of_phases[p]);
  }
  const int64_t copied = in_place == nullptr ? 0 : in_place->bytes_read + in_place->bytes_written;
  const double moving =
      static_cast<double>(kernel.bytes_read + kernel.bytes_written - copied) * prices::kNsPerByte;
  if (moving <= computing) return costs;
  // Which phase moves how much of it is not known.
  for (double& cost : costs)
    cost = computing > 0 ? cost * (moving / computing) : moving / std::max(units, 1.0);
  return costs;
}

}  // namespace ingot::codegen
