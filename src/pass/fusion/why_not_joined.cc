// Why an operation does not join a group, and a group is no good kernel: questions that change nothing.
#include <algorithm>
#include <cstdio>

#include "base/check.h"
#include "kernel/cost/table.h"
#include "ops/control.h"
#include "ops/kinds.h"
#include "pass/fusion/fusion_worth.h"
#include "pass/fusion/grouping.h"
#include "pass/fusion/op_places.h"
#include "pass/pass.h"

namespace ingot::pass {

using ir::Op;
using ir::Value;

namespace {

// A band of fewer points leaves threads and lanes without work, unless there is little work at all, or it is
// the work of reductions that can be shared (kernel::shares_reductions).
constexpr int64_t kSmallBand = 256;
// A contraction whose rows are reduced where they are made: units take blocks of them, in their own caches.
constexpr int64_t kManyRows = 256, kMostColumns = 4096, kMostTerms = 64;
constexpr int kHeavy = 8;  // instructions from which the price of a doubted operation is looked at

// Whether a dimension of the band lies behind one that is not of it.
bool lies_in_columns(const Value& value, const kernel::Dimensions& dims) {
  bool outside = false;
  for (int64_t d = 0; d < value.rank(); ++d) {
    if (value.shape()[static_cast<size_t>(d)] == 1) continue;
    const kernel::DimClass c = dims.of(&value, d);
    if (dims.in_band(c) && outside) return true;
    outside = outside || !(dims.in_band(c) || dims.unrolled(c));
  }
  return false;
}

}  // namespace

bool Grouping::feeds_contraction(const Op& op, const FusionGroup& group) const {
  if (!group.contraction) return false;
  for (Value* result : op.results()) {
    for (const ir::Use& use : result->uses()) {
      if (group.ops.count(use.op) && (becomes<ir::Contraction>(*use.op) || group.upstream.count(use.op)))
        return true;
    }
  }
  return false;
}

// Whether the contraction takes each element of what the operation makes for one term alone, as a product of
// a matrix and a vector does with the matrix: then it is a reduction of what its operands make.
bool Grouping::feeds_each_term_once(const Op& op, const FusionGroup& group) const {
  const Op& product = contraction_of(group);
  const auto& contraction = std::get<ir::Contraction>(*product.record().becomes);
  const int64_t terms = multiply_extents(element_count(product.result()->shape()),
                                         element_count((*contraction.summed)(product)));
  for (const Value* operand : product.operands()) {
    if (element_count(operand->shape()) == terms) continue;
    std::vector<const Op*> makers{operand->op()};
    std::set<const Op*> seen;
    while (!makers.empty()) {
      const Op* maker = makers.back();
      makers.pop_back();
      if (maker == &op) return false;
      if (maker == nullptr || !seen.insert(maker).second || group.upstream.count(const_cast<Op*>(maker)) == 0)
        continue;
      for (const Value* from : maker->operands()) makers.push_back(from->op());
    }
  }
  return true;
}

std::string Grouping::why_not_joined(Op& op, GroupId g, bool leaves, std::optional<Outputs>* outputs) const {
  const FusionGroup& group = groups_[g];
  if (group.ops.size() >= kMaxGroupOps)
    return "the kernel holds " + std::to_string(kMaxGroupOps) +
           " operations already, and longer ones take too long to compile";
  if (ops::is<ops::ConcatenateOp>(op)) {
    int pieces = op.operand_count();
    for (const Op* member : group.ops)
      pieces += ops::is<ops::ConcatenateOp>(*member) ? member->operand_count() : 0;
    if (pieces > kMostPieces)
      return "the kernel would put " + std::to_string(pieces) + " pieces together, more than " +
             std::to_string(kMostPieces) + ", and take too long to compile";
  }
  if (feeds_contraction(op, group) && !becomes<ir::View>(op) && !reads_narrow(op) &&
      (leaves || !feeds_each_term_once(op, group)))
    return "it would be computed again for every panel of the product";
  if (is_anchor(op) && group.contraction) {
    const std::string name(op.name());
    return is_written_out(contraction_of(group))
               ? "the kernel holds a contraction of few terms, which is written out, and takes no " + name +
                     " besides"
               : "the kernel holds a contraction, whose register tile has no room for a " + name;
  }
  if (becomes<ir::Contraction>(op) && holds_anchor(group)) {
    if (const std::string reason = why_not_rows(op, group); !reason.empty()) return reason;
  }
  const bool trusted = is_free(op) && !leaves &&
                       (doubted_.count(&op) == 0 || keeps_indices(op) ||
                        (!becomes<ir::View>(op) && recipe_cost(op) < kHeavy && !through_view(op, group)));
  if (trusted) return "";
  if (is_one_kernel(shape_of_arithmetic(op), group.one_shape)) {
    if (outputs != nullptr && leaves) *outputs = outputs_with(op, g, leaves);
    return "";
  }
  if (group.places != nullptr && (is_index(op) ? !leaves : computes_at_places(op, group))) {
    if (outputs != nullptr && leaves) *outputs = outputs_with(op, g, leaves);
    return "";
  }
  if (leaves && doubted_.count(&op) == 0 && is_plain_arithmetic(op, group) &&
      is_one_kernel(&op.result()->shape(), group.leaving)) {
    if (outputs != nullptr) *outputs = outputs_with(op, g, leaves);
    return "";
  }
  FusionGroup candidate = group;
  candidate.ops.insert(&op);
  candidate.outputs = outputs_with(op, g, leaves);
  std::string reason = why_not(candidate, group, op);
  if (outputs != nullptr) *outputs = std::move(candidate.outputs);
  return reason;
}

bool Grouping::is_plain_arithmetic(const Op& op, const FusionGroup& group) const {
  return becomes<ir::ScalarRecipe>(op) && !through_view(op, group);
}

// Whether all that the group needs of the operation lies at the places where it is computed itself.
bool Grouping::computes_at_places(const Op& op, const FusionGroup& group) const {
  return is_plain_arithmetic(op, group) && is_one_kernel(&op.result()->shape(), group.places);
}

// Whether a view of the group reads the operation, so that it may be computed at more places than its reader.
bool Grouping::through_view(const Op& op, const FusionGroup& group) const {
  const auto is_view = [&](const ir::Use& use) {
    return group.ops.count(use.op) > 0 && (becomes<ir::View>(*use.op) || becomes<ir::Gather>(*use.op)) &&
           !ops::is<ops::ConcatenateOp>(*use.op);  // whose pieces are computed where they lie
  };
  const std::vector<Value*> results = op.results();
  return std::any_of(results.begin(), results.end(), [&](const Value* result) {
    return std::any_of(result->uses().begin(), result->uses().end(), is_view);
  });
}

std::string Grouping::why_not_rows(const Op& product, const FusionGroup& group) const {
  const std::string loses =
      is_written_out(product) ? "the contraction, of few terms and written out, does not share a kernel with "
                              : "the contraction would lose its register tile to ";
  for (const Op* op : group.ops) {
    if (is_anchor(*op) && !becomes<ir::Reduction>(*op)) return loses + label(*op) + " of that kernel";
  }
  const auto lost = [&](const std::string& why) {
    return loses + "the reductions of that kernel, since " + why;
  };
  FusionGroup candidate = group;
  candidate.ops.insert(const_cast<Op*>(&product));
  try {
    const kernel::Candidate rows = kernel_of(candidate);
    const kernel::Dimensions dims(rows.group());
    const int64_t points = dims.band_points();
    const int64_t columns = element_count(product.result()->shape()) / std::max<int64_t>(1, points);
    // What no other size would cure comes first.
    if (points == 1) return lost("they leave no rows of its result apart, of which units could take blocks");
    if (lies_in_columns(*product.result(), dims)) return lost("they go down the columns of its result");
    if (!rows.blocks_rows()) return lost("its rows do not lie in blocks that a unit could compute together");
    if (points < kManyRows)
      return lost("blocks of rows pay from " + std::to_string(kManyRows) + " rows on, and it has " +
                  std::to_string(points));
    if (columns > kMostColumns)
      return lost("a row has " + std::to_string(columns) + " columns, and blocks hold rows of up to " +
                  std::to_string(kMostColumns));
  } catch (const kernel::NotFusible& reason) {
    return reason.what();
  }
  const auto& contraction = std::get<ir::Contraction>(*product.record().becomes);
  if (const int64_t terms = element_count((*contraction.summed)(product)); terms > kMostTerms)
    return "its sums have " + std::to_string(terms) + " terms, more than " + std::to_string(kMostTerms) +
           ": a trip through memory costs less than to compute few whole rows at a time";
  return "";
}

const Op& Grouping::contraction_of(const FusionGroup& group) {
  const auto found = std::find_if(group.ops.begin(), group.ops.end(),
                                  [](const Op* op) { return becomes<ir::Contraction>(*op); });
  check(found != group.ops.end(), "a group without a contraction");
  return **found;
}

bool Grouping::is_written_out(const Op& product) const {
  // By itself: the whole group grows with each operation that joins, and with it the time to lower it.
  FusionGroup alone(order_);
  alone.ops = {const_cast<Op*>(&product)};
  alone.outputs = {product.result()};
  try {
    return kernel_of(alone).kind() == kernel::KernelKind::kElementwise;
  } catch (const kernel::NotFusible&) {
    return false;
  }
}

bool Grouping::holds_anchor(const FusionGroup& group) const {
  return std::any_of(group.ops.begin(), group.ops.end(), [](Op* op) { return is_anchor(*op); });
}

std::string Grouping::why_not(const FusionGroup& candidate, const FusionGroup& without, const Op& op) const {
  try {
    const kernel::Candidate whole = kernel_of(candidate);
    const int64_t band = whole.band_points(), rest = kernel_of(without).band_points();
    int64_t total = 0;
    for (Op* member : candidate.ops) total = std::max(total, elements_of(*member));
    const auto starves = [&](int64_t before, int64_t few = kSmallBand) {
      return band < before && band < few && total > kLittleWork && !whole.shares_reductions();
    };
    const auto own_band = [&] {
      FusionGroup alone(order_);
      alone.ops = {const_cast<Op*>(&op)};
      for (Value* result : op.results()) {
        if (result->used()) alone.outputs.insert(result);
      }
      return kernel_of(alone).band_points();
    };
    const auto would_shrink = [&](int64_t before, int64_t few) {
      return "the band of the operation would shrink from " + std::to_string(before) + " points to " +
             std::to_string(band) + ", fewer than " + std::to_string(few) + ", which leaves threads idle";
    };
    if (starves(rest)) {
      return "the band of the kernel would shrink from " + std::to_string(rest) + " points to " +
             std::to_string(band) + ", fewer than " + std::to_string(kSmallBand) +
             ", which leaves threads idle";
    }
    if (candidate.contraction || becomes<ir::Contraction>(op)) {
      if (band < rest)
        return "the kernel's band would shrink from " + std::to_string(rest) + " points to " +
               std::to_string(band) + ", and a contraction's tile needs all of them";
    }
    if (is_anchor(op)) {
      const int64_t own = own_band();
      if (starves(own)) return would_shrink(own, kSmallBand);
      if (becomes<ir::Contraction>(op) && band < own && !holds_anchor(without))  // else see why_not_rows
        return "the kernel's band of " + std::to_string(band) +
               " points lacks dimensions of the contraction's " + "result, which has " + std::to_string(own);
    }
    // A value that leaves is written by the band's points next to what is reduced of it: with few of them
    // each must be enough for a thread, or it streams by itself and is read once more.
    if (is_free(op) && candidate.outputs != without.outputs && band < prices::kEnoughUnits) {
      if (const int64_t own = own_band(); starves(own, prices::kEnoughUnits))
        return would_shrink(own, prices::kEnoughUnits);
    }
    if (writes_columns(candidate, kernel::Dimensions(whole.group()), op))
      return "its columns are the band of that kernel: it would be computed again, and written column by "
             "column";
    // A loop of the band that the kernel has anyway is trusted: it is a kernel by itself, and the whole is
    // looked at in the end. Loops have long bodies, which each loop that joins would have lowered once more;
    // reductions have none, but each would have a long group lowered.
    const bool long_to_lower =
        ops::is<ops::ScanOp>(op) || (becomes<ir::Reduction>(op) && without.ops.size() > kFewToTry);
    if (long_to_lower && doubted_.count(&op) == 0 && candidate.outputs == without.outputs && band == rest &&
        band == own_band())
      return "";
    std::string dear = too_dear(whole);
    if (dear.empty() || !becomes<ir::View>(op) || candidate.outputs != without.outputs) return dear;
    // A view adds no arithmetic: what is dear was so before, and a copy of its own would not make it less.
    // But which of its pieces an element lies in is asked wherever the view is read.
    const double asked = whole.work() - kernel_of(without).work();
    const auto elements = static_cast<double>(elements_of(op));
    if (asked <= prices::kMemoryTrip * elements) return "";
    char each[32];
    std::snprintf(each, sizeof each, "%.0f", asked / elements);
    return std::string("for each of its elements the kernel would take ") + each +
           " instructions to choose between its pieces, more than a trip through memory costs";
  } catch (const kernel::NotFusible& reason) {
    return reason.what();
  }
}

bool Grouping::writes_columns(const FusionGroup& candidate, const kernel::Dimensions& dims,
                              const Op& op) const {
  const Value* value = op.result_count() == 1 ? op.result() : nullptr;
  if (value == nullptr || !is_free(op) || !candidate.outputs.count(const_cast<Value*>(value)) ||
      elements_of(op) <= kLittleWork)
    return false;
  for (Op* member : candidate.ops) {
    if (ops::is<ops::ScanOp>(*member) || becomes<ir::Contraction>(*member)) return false;
  }
  return lies_in_columns(*value, dims);
}

bool Grouping::lowers(const FusionGroup& group) const {
  try {
    kernel_of(group).want();
    return true;
  } catch (const kernel::NotFusible&) {
    return false;
  }
}

bool Grouping::buildable(const FusionGroup& group) const {
  return why_unbuildable(group).empty();
}

bool Grouping::is_doubted(const FusionGroup& group) const {
  int64_t members = 0, trusted = 0;
  for (const Op* op : group.ops) {
    if (becomes<ir::Literal>(*op)) continue;
    ++members;
    trusted += doubted_.count(op) == 0 ? 1 : 0;
  }
  return trusted == 0 || members == 1;
}

std::string Grouping::why_unbuildable(const FusionGroup& group) const {
  try {
    const kernel::Candidate kernel = kernel_of(group);
    const std::string dear = too_dear(kernel);
    if (is_doubted(group)) return "";
    if (!dear.empty()) return dear;
    if (holds_anchor(group)) return "";
    int64_t total = 0;
    for (Op* op : group.ops) total = std::max(total, elements_of(*op));
    if (total <= kLittleWork || kernel.band_points() >= kSmallBand) return "";
    return "its band would have " + std::to_string(kernel.band_points()) + " points, fewer than " +
           std::to_string(kSmallBand) + ", which leaves threads idle";
  } catch (const kernel::NotFusible& reason) {
    return reason.what();
  }
}

}  // namespace ingot::pass
