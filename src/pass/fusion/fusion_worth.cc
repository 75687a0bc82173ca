#include "pass/fusion/fusion_worth.h"

#include <algorithm>
#include <cstdio>

#include "base/extents.h"
#include "kernel/cost/price.h"
#include "kernel/cost/table.h"
#include "ops/control.h"
#include "ops/kinds.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Value;

// The elements of an operation, or of what the steps of a scan make.
int64_t elements_in_all_steps(const Op& op) {
  int64_t elements = elements_of(op);
  const auto scan = ops::as<ops::ScanOp>(op);
  if (!scan.has_value()) return elements;
  for (const auto& inner : op.region().ops())
    elements = std::max(elements, multiply_extents(scan->length(), elements_in_all_steps(*inner)));
  return elements;
}

}  // namespace

bool is_anchor(const Op& op) {
  return becomes<ir::Reduction>(op) || becomes<ir::Contraction>(op) || becomes<ir::Scatter>(op) ||
         ops::is<ops::ScanOp>(op);
}

bool becomes_pairs(const Op& op) {
  const auto bitcast = ops::as<ops::BitcastOp>(op);
  return bitcast.has_value() && bitcast->is_between_complex_and_parts();
}

bool reads_narrow(const Op& op) {
  return ops::is<ops::ConvertOp>(op) && byte_size(op.operand(0)->dtype()) < byte_size(op.result()->dtype());
}

bool is_free(const Op& op) {
  return becomes<ir::ScalarRecipe>(op) || becomes<ir::View>(op) || becomes<ir::Gather>(op);
}

int64_t elements_of(const Op& op) {
  int64_t elements = 0;
  for (Value* operand : op.operands()) elements = std::max(elements, element_count(operand->shape()));
  for (Value* result : op.results()) elements = std::max(elements, element_count(result->shape()));
  return elements;
}

int recipe_cost(const Op& op) {
  auto* recipe = std::get_if<ir::ScalarRecipe>(&*op.record().becomes);
  return recipe == nullptr ? 0 : static_cast<int>(recipe->cost);
}

std::string too_dear(const kernel::Candidate& candidate) {
  if (!candidate.keeps_tiles()) return std::string(kNoTiles);
  const double work = candidate.work(), least = kernel::least_work(candidate.group());
  int64_t elements = 0;
  for (const Op* op : candidate.group().ops) elements = std::max(elements, elements_in_all_steps(*op));
  if (work - least <= prices::kMemoryTrip * static_cast<double>(elements)) return "";
  char times[32];
  std::snprintf(times, sizeof times, "%.1f", work / std::max(least, 1.0));
  return std::string("the kernel would do ") + times +
         " times the arithmetic, more than a trip through memory costs";
}

}  // namespace ingot::pass
