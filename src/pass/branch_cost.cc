#include "pass/branch_cost.h"

#include <algorithm>
#include <cmath>

#include "kernel/cost/price.h"
#include "kernel/cost/table.h"
#include "ops/control.h"
#include "ops/kinds.h"
#include "pass/becomes.h"
#include "pass/masked_updates.h"
#include "pass/pass.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Region;
using ir::Value;

// Instructions for one element that a launch may take: at four of them a cycle 0.1 s of a core. Launches of
// Mandelbrot's set on 10^6 points take 2 ms (two cores of a Zen 4, vectors of 64 bytes). And steps of it:
// 20,000 cosines, one after the other, take 0.28 ms.
constexpr double kLaunch = 1 << 30;
constexpr int64_t kMostSteps = 1 << 16;

template <class Values>
double elements(const Values& values) {
  double sum = 0;
  for (const Value* value : values) sum += static_cast<double>(element_count(value->shape()));
  return sum;
}

// The first operation that is run only where it is wanted; null: none is. `masked` are scatters that can be
// made to do nothing.
const Op* heavy_op(const Region& region, const std::vector<const Op*>& masked = {}) {
  for (const auto& op : region.ops()) {
    if (std::find(masked.begin(), masked.end(), op.get()) != masked.end()) continue;
    const bool light = op->is_return() || becomes<ir::ScalarRecipe>(*op) || becomes<ir::View>(*op) ||
                       becomes<ir::Literal>(*op) || becomes<ir::Gather>(*op);
    if (!light) return op.get();
  }
  return nullptr;
}

}  // namespace

bool is_light(const Region& region) {
  return heavy_op(region) == nullptr;
}

double work_of(const Region& region) {
  double sum = 0;
  for (const auto& op : region.ops()) {
    if (op->is_return()) continue;
    if (const auto scan = ops::as<ops::ScanOp>(*op)) {
      sum += static_cast<double>(scan->length()) * work_of(scan->body());
      continue;
    }
    const auto* recipe = std::get_if<ir::ScalarRecipe>(&*op->record().becomes);
    const double each = recipe != nullptr          ? *recipe->cost
                        : becomes<ir::Gather>(*op) ? prices::kMemoryTrip
                                                   : 0;
    sum += each * elements(op->results());
  }
  return sum;
}

bool is_elementwise(const Region& region) {
  return std::all_of(region.ops().begin(), region.ops().end(), [](const auto& op) {
    const bool spread = ops::is<ops::BroadcastOp>(*op) && op->operand(0)->rank() == 0;
    return op->is_return() || becomes<ir::ScalarRecipe>(*op) || becomes<ir::Literal>(*op) || spread;
  });
}

int64_t steps_in_a_kernel(double work) {
  return std::clamp(std::llround(kLaunch / std::max(work, 1.0)), static_cast<long long>(kLeastSteps),
                    static_cast<long long>(kMostSteps));
}

std::string why_not_selected(const Op& op) {
  const ops::CondOp cond(op);
  const std::vector<MaskedUpdate> updates = masked_updates(cond);
  std::vector<std::vector<const Op*>> masked(static_cast<size_t>(cond.branch_count()));
  double all = 0, selects = 0, trips = elements(op.operands()) + elements(op.results());
  for (size_t k = 0; k < updates.size(); ++k) {
    const std::vector<Value*> results = op.results();
    const auto size = static_cast<double>(element_count(results[k]->shape()));
    if (updates[k].argument < 0) {
      selects += size * (cond.branch_count() - 1);
      continue;
    }
    trips -= 4 * size;  // of the cond and of the step: it stays where it is
    for (size_t b = 0; b < masked.size(); ++b) {
      for (const Op* scatter : updates[k].scatters[b]) {
        masked[b].push_back(scatter);
        all += prices::kMemoryTrip * static_cast<double>(element_count(scatter->operand(2)->shape()));
      }
    }
  }
  for (int b = 0; b < cond.branch_count(); ++b) {
    if (const Op* heavy = heavy_op(cond.branch(b), masked[static_cast<size_t>(b)])) {
      return "its branch " + std::to_string(b) + " holds " + label(*heavy) +
             ", which is not run where it is not taken";
    }
    all += work_of(cond.branch(b));
  }
  const double needed = all / cond.branch_count();  // each is as likely as the other
  const Op* around = op.parent()->parent_op();
  if (around != nullptr && ops::is<ops::ScanOp>(*around))
    trips += elements(op.parent()->arguments()) + elements(op.parent()->results());
  const double without_need = all - needed + selects, branch = prices::kBranch + prices::kMemoryTrip * trips;
  if (without_need <= branch) return "";
  return "to compute all of its branches would take " + std::to_string(std::llround(without_need)) +
         " instructions for one element without need, and the branch costs as much as " +
         std::to_string(std::llround(branch));
}

bool is_better_selected(const Op& cond) {
  return why_not_selected(cond).empty();
}

bool holds_choices(const Region& region) {
  return std::any_of(region.ops().begin(), region.ops().end(), [](const auto& op) {
    if (ops::is_any<ops::WhileOp, ops::CondOp>(*op)) return true;
    for (int r = 0; r < op->region_count(); ++r) {
      if (holds_choices(op->region(r))) return true;
    }
    const ir::Function* callee = ops::callee_of(*op);
    return callee != nullptr && holds_choices(callee->body());
  });
}

}  // namespace ingot::pass
