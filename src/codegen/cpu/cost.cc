#include "codegen/cpu/cost.h"

#include <algorithm>
#include <optional>

#include "kernel/cost/access_price.h"
#include "kernel/cost/table.h"
#include "kernel/ir/blocks.h"
#include "kernel/ir/in_place.h"

namespace ingot::codegen {
namespace {

using namespace kernel;

// Vector instructions of what runs once, without loops that copy where both are the same memory.
class Walk {
 public:
  Walk(const Kernel& kernel, const Target& target, const CopiedFirst* in_place)
      : kernel_(kernel), price_(kernel, target), in_place_(in_place) {}

  double of(const Block& block, const Stmt& stmt) {
    if (const Loop* loop = std::get_if<Loop>(&stmt.node)) return of(*loop);
    const std::optional<PricedAccess> access = access_of(block, stmt);
    return access ? price_.of(*access, lanes_, around_) : cost(stmt);
  }

 private:
  double of(const Block& block) {
    double sum = 0;
    for (const Stmt& stmt : block.stmts) sum += of(block, stmt);
    return sum;
  }

  double of(const Loop& loop) {
    BufferId input = kNone;
    if (in_place_ != nullptr && loop.copies == in_place_->input) {
      const Store* store = copying_store(kernel_, loop, input);
      if (store != nullptr && store->buffer == in_place_->output) return 0;
    }
    const bool on_lanes = loop.style == LoopStyle::kLanes;
    double trips = static_cast<double>(loop.extent) / static_cast<double>(loop.step);
    if (on_lanes) trips /= loop.widths.lanes;
    const double step = loop.style == LoopStyle::kTile ? 0 : price_of_step(trips, loop.widths.unroll);
    if (loop.kind == LoopKind::kParallel) trips = on_lanes ? loop.widths.vectors : 1;
    const LaneLoop outside = lanes_;
    if (on_lanes) lanes_ = {loop.var, loop.widths.lanes};
    around_.push_back(loop.var);
    const double inside = of(loop.body) + of(loop.combiner.body);
    around_.pop_back();
    lanes_ = outside;
    return trips * (inside + step);
  }

  const Kernel& kernel_;
  const AccessPrice price_;
  const CopiedFirst* in_place_;
  LaneLoop lanes_;
  std::vector<VarId> around_;
};

bool is_band(const Stmt& stmt) {
  const Loop* loop = std::get_if<Loop>(&stmt.node);
  return loop != nullptr && loop->kind == LoopKind::kParallel;
}

}  // namespace

std::vector<double> estimate_unit_costs(const Kernel& kernel, const Target& target,
                                        const std::vector<int64_t>& units_of_phases,
                                        const CopiedFirst* in_place) {
  std::vector<double> costs(units_of_phases.size(), 0);
  Walk walk(kernel, target, in_place);
  size_t begun = 0;  // bands, each of which is a phase; what stands before the first one belongs to it
  for (const Stmt& stmt : kernel.body.stmts) {
    if (is_band(stmt)) ++begun;
    costs[begun > 0 ? begun - 1 : 0] += walk.of(kernel.body, stmt) * prices::kNsPerInstruction;
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
