#include "codegen/cpu/cost.h"

#include <algorithm>

#include "kernel/ir/in_place.h"

namespace ingot::codegen {
namespace {

using namespace kernel;

// Vector instructions of a block, run once, without loops that copy where both are the same memory.
double instructions(const Kernel& kernel, const Block& block, const CopiedFirst* in_place) {
  double sum = 0;
  for (const Stmt& stmt : block.stmts) {
    if (const Let* let = std::get_if<Let>(&stmt.node)) {
      sum += *std::get<ir::ScalarRecipe>(*let->record->becomes).cost;
    } else if (const Loop* loop = std::get_if<Loop>(&stmt.node)) {
      BufferId input = kNone;
      if (in_place != nullptr && loop->copies == in_place->input) {
        const Store* store = copying_store(kernel, *loop, input);
        if (store != nullptr && store->buffer == in_place->output) continue;
      }
      double trips = static_cast<double>(loop->extent) / static_cast<double>(loop->step);
      if (loop->style == LoopStyle::kLanes) trips /= loop->widths.lanes;
      if (loop->kind == LoopKind::kParallel)
        trips = loop->style == LoopStyle::kLanes ? loop->widths.vectors : 1;
      sum += trips * (instructions(kernel, loop->body, in_place) +
                      instructions(kernel, loop->combiner.body, in_place) + 1);
    } else if (!std::holds_alternative<Literal>(stmt.node)) {
      sum += 1;
    }
  }
  return sum;
}

}  // namespace

double estimate_unit_cost(const Kernel& kernel, int64_t units, const CopiedFirst* in_place) {
  constexpr double kNsPerInstruction = 0.15, kNsPerByte = 0.05;
  const int64_t copied = in_place == nullptr ? 0 : in_place->bytes_read + in_place->bytes_written;
  const double bytes = static_cast<double>(kernel.bytes_read + kernel.bytes_written - copied);
  return std::max(instructions(kernel, kernel.body, in_place) * kNsPerInstruction,
                  bytes * kNsPerByte / static_cast<double>(std::max<int64_t>(units, 1)));
}

}  // namespace ingot::codegen
