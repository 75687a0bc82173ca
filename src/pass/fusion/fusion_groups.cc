#include "pass/fusion/fusion_groups.h"

#include <algorithm>
#include <cstdio>

#include "base/check.h"
#include "kernel/cost/table.h"
#include "ops/control.h"
#include "ops/kinds.h"
#include "ops/support.h"
#include "pass/branch_cost.h"
#include "pass/fusion/fusion_worth.h"
#include "pass/fusion/grouping.h"
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
constexpr int kCheapToRepeat = 4;  // instructions
constexpr int kHeavy = 8;          // instructions from which the price of a doubted operation is looked at
// Each groups the region again and has doubts about more of it; then about all of it. In the tests 84 regions
// take three or more, 20 of them six or seven (random keys, butterflies), five all of these. With four a
// program of random keys lowers 144 groups instead of 63.
constexpr int kMostAttempts = 8;

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

// The shape of arithmetic or of what constants give; null for others. One element is one place, whatever its
// shape and whether it is computed or taken from somewhere.
const Shape* shape_of_arithmetic(const Op& op) {
  static const Shape& one = *new Shape;
  if ((becomes<ir::ScalarRecipe>(op) || becomes<ir::View>(op)) && element_count(op.result()->shape()) == 1)
    return &one;
  const bool gives_constants = becomes<ir::View>(op) && reads_constants_alone(op);
  return becomes<ir::ScalarRecipe>(op) || gives_constants ? &op.result()->shape() : nullptr;
}

// What is taken, maybe by way of other views, of what lies in memory before anything is computed: an index
// and no more. Joins have pieces, each of its own.
bool is_index(const Op& op) {
  if (!becomes<ir::View>(op) || ops::is<ops::ConcatenateOp>(op)) return false;
  return std::all_of(op.operands().begin(), op.operands().end(), [](const Value* operand) {
    return operand->op() == nullptr || is_inline_constant(*operand->op()) || is_index(*operand->op());
  });
}

// Whether the operation adds and drops extents of 1 alone, so that no index becomes another one: whatever is
// wrong with a kernel, it is not that.
bool keeps_indices(const Op& op) {
  if (!ops::is<ops::ReshapeOp>(op)) return false;
  const auto without_ones = [](Shape shape) {
    std::erase(shape, 1);
    return shape;
  };
  return without_ones(op.result()->shape()) == without_ones(op.operand(0)->shape());
}

// The places of a kernel that begins with the operation; null for what is neither arithmetic nor an index.
const Shape* shape_of_places(const Op& op) {
  return becomes<ir::ScalarRecipe>(op) || is_index(op) ? &op.result()->shape() : nullptr;
}

}  // namespace

bool reads_constants_alone(const Op& op) {
  return std::all_of(op.operands().begin(), op.operands().end(), [](const Value* operand) {
    return operand->op() != nullptr && is_inline_constant(*operand->op());
  });
}

bool Grouping::gives(GroupId g, const Op& op) const {
  if (!reads_constants_alone(op)) return true;
  const std::vector<Value*> results = op.results();
  return std::any_of(results.begin(), results.end(),
                     [&](Value* result) { return groups_[g].outputs.count(result) > 0; });
}

bool Grouping::has_own_copy(const Op& reader, const Op& maker) const {
  const auto found = groups_of_.find(&reader);
  return found != groups_of_.end() && reads_constants_alone(maker) &&
         std::all_of(found->second.begin(), found->second.end(), [&](GroupId g) { return holds(g, maker); });
}

std::optional<FusionChoice> Grouping::run() {
  std::vector<Op*> ops;
  for (auto& op : region_.ops()) ops.push_back(op.get());
  for (size_t i = ops.size(); i-- > 0;) {
    placed_from_ = static_cast<int>(i);
    place(*ops[i]);
  }
  merge_readers();
  round_where_made();
  merge_columns();
  merge_siblings();
  std::vector<FusionGroup> result;
  for (FusionGroup& group : groups_) {
    if (group.ops.empty()) continue;
    add_constants(group);
    const std::string reason = why_unbuildable(group);
    if (reason.empty())
      result.push_back(std::move(group));
    else if (is_doubted(group) || (!holds_anchor(group) && !lowers(group)))
      cut(group, reason, result);
    else
      doubt(group);
  }
  if (!went_wrong_.empty()) return std::nullopt;
  std::vector<FusionRefusal> refused = refusals(result);
  return FusionChoice{std::move(result), std::move(refused), std::move(alone_)};
}

void Grouping::place(Op& op) {
  if (op.used()) tell_machine_control(op);
  if (op.is_return() || becomes<ir::Literal>(op) || !(is_free(op) || is_anchor(op))) return;
  std::set<GroupId> users;
  bool escapes = false;
  for (Value* result : op.results()) {
    for (const ir::Use& use : result->uses()) {
      auto it = groups_of_.find(use.op);
      if (it == groups_of_.end())
        escapes = true;
      else
        users.insert(it->second.begin(), it->second.end());
    }
  }
  if (!escapes && users.empty()) return;  // dead
  if (ops::is<ops::ScanOp>(op) && !alone_in_a_kernel(op)) return;
  if (ops::is<ops::ReshapeOp>(op) && escapes && users.empty()) return;  // the same bytes under another shape
  if (becomes_pairs(op)) return;                                        // and under another dtype
  if (!escapes && is_free(op) && !users.empty() && (users.size() == 1 || cheap_to_repeat(op))) {
    std::set<GroupId> joined;
    for (GroupId g : users) {
      if (join(op, g, false)) joined.insert(g);
    }
    if (joined.size() == users.size()) return;
    start_group(op);
    return;
  }
  std::map<GroupId, std::string> why_apart;
  const GroupId first = users.empty() ? 0 : *users.begin();  // that the others were to join
  if (users.size() > 1) why_apart = merge(users);
  for (GroupId g : users) {
    const bool leaves = escapes || users.size() > 1;
    if (leaves && depends_on_user_outside(op, g)) {
      refuse(op, g, "the kernel would need its own result by way of another one");
      continue;
    }
    if (!join(op, g, leaves)) continue;
    for (GroupId other : users) {
      // Those before g have said themselves why the operation could not join them.
      if (other <= g || groups_of_.at(&op).count(other) > 0) continue;
      // What would have kept it out of that kernel, had that one been asked first.
      const std::string refused = why_not_joined(op, other, leaves, nullptr);
      const std::string apart = g == first ? why_apart[other] : why_not_merged(other, g);
      refuse(op, other,
             !refused.empty()
                 ? refused
                 : "it is made once, in the kernel of another reader, and the two readers stay apart" +
                       (apart.empty() ? ", since their kernels could join only once it had a place"
                                      : ": " + apart));
    }
    return;
  }
  start_group(op);
}

bool Grouping::alone_in_a_kernel(Op& op) {
  const std::string reason = why_no_kernel(op, candidates_);
  if (!reason.empty()) alone_.emplace_back(&op, reason + "; it runs as a loop over kernels");
  return reason.empty();
}

void Grouping::tell_machine_control(const Op& op) {
  if (const auto loop = ops::as<ops::WhileOp>(op)) {
    const Value* predicate = loop->predicate().results()[0];
    const bool carried = predicate->op() == nullptr && loop->is_carry(predicate->index());
    alone_.emplace_back(
        &op,
        "how many steps it takes is known only when it runs, and loops inside of kernels have known "
        "lengths; it runs as a loop over the kernels of its step, " +
            (carried
                 ? "and looks at the carry %" +
                       loop->body().results()[static_cast<size_t>(predicate->index())]->name() + " after each"
                 : "with those of its predicate before each"));
  } else if (ops::is<ops::CondOp>(op)) {
    const std::string why = why_not_selected(op);
    alone_.emplace_back(&op, "which branch it takes is known only when it runs" +
                                 (why.empty() ? "" : ", and " + why) +
                                 "; it runs as a branch to the kernels of the one that is taken");
  } else if (becomes<ir::LibraryRoutine>(op)) {
    alone_.emplace_back(
        &op,
        "it is a routine of the library over whole arrays, in no loop nest that could make what it "
        "reads or take in what it makes");
  }
}

void Grouping::start_group(Op& op) {
  // It may be in groups already, as a copy; they read the result from memory now.
  GroupId id = groups_.size();
  groups_.emplace_back(order_);
  add(op, id);
  for (Value* result : op.results()) {
    if (result->used()) groups_[id].outputs.insert(result);
  }
}

void Grouping::add(Op& op, GroupId g) {
  FusionGroup& group = groups_[g];
  const Shape* shape = shape_of_arithmetic(op);
  if (group.ops.empty() || !is_one_kernel(shape, group.one_shape)) {
    group.one_shape = group.ops.empty() ? shape : nullptr;
  }
  if (group.ops.empty())
    group.places = shape_of_places(op);
  else if (!is_index(op) && !computes_at_places(op, group))
    group.places = nullptr;
  group.ops.insert(&op);
  group.reads.erase(&op);
  for (Value* operand : op.operands()) {
    if (operand->op() != nullptr && group.ops.count(operand->op()) == 0) group.reads.insert(operand->op());
  }
  std::set<GroupId>& groups = groups_of_[&op];
  groups.insert(g);
  copies_ = copies_ || (groups.size() > 1 && !reads_constants_alone(op));
  if (becomes<ir::Contraction>(op)) group.contraction = true;
  if (!group.contraction) return;
  for (Value* result : op.results()) {
    for (const ir::Use& use : result->uses()) {
      if (group.ops.count(use.op) && (becomes<ir::Contraction>(*use.op) || group.upstream.count(use.op))) {
        group.upstream.insert(&op);
      }
    }
  }
}

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

bool Grouping::join(Op& op, GroupId g, bool leaves) {
  std::optional<Outputs> outputs;
  const std::string reason = why_not_joined(op, g, leaves, &outputs);
  if (!reason.empty()) return refuse(op, g, reason);
  if (outputs) groups_[g].outputs = std::move(*outputs);
  const bool arithmetic = leaves && is_plain_arithmetic(op, groups_[g]);
  add(op, g);
  if (arithmetic) groups_[g].leaving = &op.result()->shape();
  return true;
}

Grouping::Outputs Grouping::outputs_with(const Op& op, GroupId g, bool leaves) const {
  Outputs outputs = groups_[g].outputs;
  for (Value* result : op.results()) {
    if (leaves && used_outside(result, groups_[g], g)) outputs.insert(result);
  }
  return outputs;
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
  if (feeds_contraction(op, group) && !becomes<ir::View>(op) && !reads_narrow(op))
    return "it would be computed again for every panel of the product";
  if (is_anchor(op) && group.contraction) {
    const std::string name(op.name());
    return is_written_out(group)
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
    return group.ops.count(use.op) > 0 && becomes<ir::View>(*use.op) &&
           !ops::is<ops::ConcatenateOp>(*use.op);  // whose pieces are computed where they lie
  };
  const std::vector<Value*> results = op.results();
  return std::any_of(results.begin(), results.end(), [&](const Value* result) {
    return std::any_of(result->uses().begin(), result->uses().end(), is_view);
  });
}

std::string Grouping::why_not_rows(const Op& product, const FusionGroup& group) const {
  FusionGroup alone(order_);
  alone.ops = {const_cast<Op*>(&product)};
  const std::string loses =
      is_written_out(alone) ? "the contraction, of few terms and written out, does not share a kernel with "
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

bool Grouping::is_written_out(const FusionGroup& group) const {
  const auto product = std::find_if(group.ops.begin(), group.ops.end(),
                                    [](const Op* op) { return becomes<ir::Contraction>(*op); });
  if (product == group.ops.end()) return false;
  // By itself: the whole group grows with each operation that joins, and with it the time to lower it.
  FusionGroup alone(order_);
  alone.ops = {*product};
  alone.outputs = {(*product)->result()};
  try {
    return kernel_of(alone).kind() == kernel::KernelKind::kElementwise;
  } catch (const kernel::NotFusible&) {
    return false;
  }
}

bool Grouping::holds_anchor(const FusionGroup& group) const {
  return std::any_of(group.ops.begin(), group.ops.end(), [](Op* op) { return is_anchor(*op); });
}

bool Grouping::used_outside(Value* value, const FusionGroup& group, GroupId id) const {
  return std::any_of(value->uses().begin(), value->uses().end(), [&](const ir::Use& use) {
    auto it = groups_of_.find(use.op);
    return !group.ops.count(use.op) ||
           (it != groups_of_.end() &&
            std::any_of(it->second.begin(), it->second.end(), [&](GroupId g) { return g != id; }));
  });
}

kernel::Candidate Grouping::kernel_of(const FusionGroup& group) const {
  FusionGroup whole = group;
  add_constants(whole);
  return candidates_.of(
      kernel::make_group({whole.ops.begin(), whole.ops.end()}, {whole.outputs.begin(), whole.outputs.end()}));
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
    // looked at in the end. Loops have long bodies, which each loop that joins would have lowered once more.
    if (ops::is<ops::ScanOp>(op) && doubted_.count(&op) == 0 && candidate.outputs == without.outputs &&
        band == rest && band == own_band())
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

bool Grouping::refuse(const Op& op, GroupId g, const std::string& reason) {
  // The consumer is the user of the operation in that group.
  for (Value* result : op.results()) {
    for (const ir::Use& use : result->uses()) {
      if (groups_[g].ops.count(use.op)) {
        attempts_.push_back({&op, use.op, reason});
        return false;
      }
    }
  }
  return false;
}

bool Grouping::cheap_to_repeat(const Op& op) const {
  if (becomes<ir::View>(op)) return true;
  int64_t in = 0, out = element_count(op.result()->shape());
  for (Value* operand : op.operands()) {
    if (operand->op() == nullptr || !is_inline_constant(*operand->op()))
      in += element_count(operand->shape());
  }
  return recipe_cost(op) <= kCheapToRepeat && in <= out;
}

void Grouping::add_constants(FusionGroup& group) const {
  const std::vector<Op*> ops(group.ops.begin(), group.ops.end());
  for (Op* op : ops) {
    for (Value* operand : op->operands()) {
      if (operand->op() != nullptr && is_inline_constant(*operand->op())) group.ops.insert(operand->op());
    }
  }
}

std::string why_no_kernel(Op& scan, kernel::Candidates& candidates) {
  try {
    std::vector<Value*> used = scan.results();
    if (scan.used()) std::erase_if(used, [](const Value* result) { return !result->used(); });
    const bool keeps_tiles = candidates.of(kernel::make_group({&scan}, std::move(used))).keeps_tiles();
    return keeps_tiles ? "" : std::string(kNoTiles);
  } catch (const kernel::NotFusible& reason) {
    return reason.what();
  }
}

bool is_inline_constant(const Op& op) {
  return becomes<ir::Literal>(op) && ops::is_uniform(ops::ConstantOp(op).value());
}

FusionChoice choose_groups(ir::Region& region, kernel::Candidates& candidates) {
  Grouping::Doubts doubted;
  for (int attempt = 1;; ++attempt) {
    Grouping grouping(region, candidates, doubted);
    if (auto choice = grouping.run()) return std::move(*choice);
    const Grouping::Doubts& more = grouping.went_wrong();
    doubted.insert(more.begin(), more.end());
    if (attempt < kMostAttempts) continue;
    for (auto& op : region.ops()) doubted.insert(op.get());
  }
}

}  // namespace ingot::pass
