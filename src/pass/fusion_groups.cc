#include "pass/fusion_groups.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "kernel/lower.h"
#include "kernel/price.h"
#include "kernel/schedule.h"
#include "pass/fusion_worth.h"
#include "pass/grouping.h"

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
constexpr int kHeavy = 8;          // instructions from which a careful grouping looks at the price

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

std::optional<std::vector<FusionGroup>> Grouping::run() {
  std::vector<Op*> ops;
  for (auto& op : region_.ops()) ops.push_back(op.get());
  for (size_t i = ops.size(); i-- > 0;) place(*ops[i]);
  merge_readers();
  round_where_made();
  merge_columns();
  std::vector<FusionGroup> result;
  for (FusionGroup& group : groups_) {
    if (group.ops.empty()) continue;
    add_constants(group);
    if (buildable(group))
      result.push_back(std::move(group));
    else if (!careful_)
      return std::nullopt;
    else
      take_apart(group, result);
  }
  return result;
}

void Grouping::place(Op& op) {
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
  if (kernel::is_scan(op) && !alone_in_a_kernel(op)) return;
  if (op.name() == "reshape" && escapes && users.empty()) return;  // the same bytes under another shape
  if (becomes_pairs(op)) return;                                   // and under another dtype
  if (!escapes && is_free(op) && !users.empty() && (users.size() == 1 || cheap_to_repeat(op))) {
    std::set<GroupId> joined;
    for (GroupId g : users) {
      if (join(op, g, false)) joined.insert(g);
    }
    if (joined.size() == users.size()) return;
    start_group(op);
    return;
  }
  if (users.size() > 1) {
    merge(users);
  }
  for (GroupId g : users) {
    const bool leaves = escapes || users.size() > 1;
    if (leaves && depends_on_user_outside(op, g)) {
      refuse(op, g, "the kernel would need its own result by way of another one");
      continue;
    }
    if (join(op, g, leaves)) return;
  }
  start_group(op);
}

bool Grouping::alone_in_a_kernel(Op& op) {
  const std::string reason = why_no_kernel(op);
  if (!reason.empty()) context_.refuse(op, nullptr, reason + "; it runs as a loop over kernels");
  return reason.empty();
}

void Grouping::start_group(Op& op) {
  // It may be in groups already, as a copy; they read the result from memory now.
  GroupId id = groups_.size();
  groups_.emplace_back();
  add(op, id);
  for (Value* result : op.results()) {
    if (result->used()) groups_[id].outputs.insert(result);
  }
}

void Grouping::add(Op& op, GroupId g) {
  FusionGroup& group = groups_[g];
  group.ops.insert(&op);
  groups_of_[&op].insert(g);
  if (becomes<ir::Contraction>(op)) group.contraction = true;
  for (Value* result : op.results()) {
    for (const ir::Use& use : result->uses()) {
      if (group.ops.count(use.op) && (becomes<ir::Contraction>(*use.op) || group.upstream.count(use.op))) {
        group.upstream.insert(&op);
      }
    }
  }
}

bool Grouping::feeds_contraction(const Op& op, const FusionGroup& group) const {
  for (Value* result : op.results()) {
    for (const ir::Use& use : result->uses()) {
      if (group.ops.count(use.op) && (becomes<ir::Contraction>(*use.op) || group.upstream.count(use.op)))
        return true;
    }
  }
  return false;
}

bool Grouping::join(Op& op, GroupId g, bool leaves) {
  FusionGroup& group = groups_[g];
  if (group.ops.size() >= kMaxGroupOps) return refuse(op, g, "the kernel is long enough");
  if (feeds_contraction(op, group) && !becomes<ir::View>(op) && !reads_narrow(op)) {
    return refuse(op, g, "it would be computed again for every panel of the product");
  }
  if (is_anchor(op) && group.contraction) {
    return refuse(op, g, "the kernel holds a contraction, whose register tile has no room for it");
  }
  if (becomes<ir::Contraction>(op) && holds_anchor(group)) {
    const std::string reason = why_not_rows(op, group);
    if (!reason.empty()) return refuse(op, g, reason);
  }
  const bool trusted =
      is_free(op) && !leaves && (!careful_ || (!becomes<ir::View>(op) && recipe_cost(op) < kHeavy));
  if (!trusted) {
    FusionGroup candidate = group;
    candidate.ops.insert(&op);
    if (leaves) {
      for (Value* result : op.results()) {
        if (used_outside(result, candidate, g)) candidate.outputs.insert(result);
      }
    }
    std::string reason = why_not(candidate, group, op);
    if (!reason.empty()) return refuse(op, g, reason);
    group.outputs = candidate.outputs;
  }
  add(op, g);
  return true;
}

std::string Grouping::why_not_rows(const Op& product, const FusionGroup& group) const {
  const std::string no_tile = "a contraction would lose its register tile to the reductions of that kernel";
  const auto may_stay = [](Op* op) { return !is_anchor(*op) || becomes<ir::Reduction>(*op); };
  if (group.contraction || !std::all_of(group.ops.begin(), group.ops.end(), may_stay)) return no_tile;
  FusionGroup candidate = group;
  candidate.ops.insert(const_cast<Op*>(&product));
  try {
    const kernel::Group rows = kernel_group(candidate);
    const kernel::Dimensions dims(rows);
    const int64_t columns =
        element_count(product.result()->shape()) / std::max<int64_t>(1, dims.band_points());
    if (dims.band_points() < kManyRows || columns > kMostColumns ||
        lies_in_columns(*product.result(), dims) || !kernel::blocks_rows(kernel::lower(rows, "probe")))
      return no_tile;
  } catch (const kernel::NotFusible&) {
    return no_tile;
  }
  const auto& contraction = std::get<ir::Contraction>(*product.record().becomes);
  if (element_count((*contraction.summed)(product)) > kMostTerms)
    return "its sums are long: a trip through memory costs less than to compute few whole rows at a time";
  return "";
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

kernel::Group Grouping::kernel_group(const FusionGroup& group) const {
  std::vector<Op*> ops(group.ops.begin(), group.ops.end());
  std::set<Op*> constants;
  for (Op* op : ops) {
    for (Value* operand : op->operands()) {
      if (operand->op() != nullptr && is_inline_constant(*operand->op())) constants.insert(operand->op());
    }
  }
  for (Op* op : constants) {
    if (!group.ops.count(op)) ops.push_back(op);
  }
  std::vector<std::pair<int, Op*>> ordered;
  for (Op* op : ops) ordered.emplace_back(position_.at(op), op);
  std::sort(ordered.begin(), ordered.end());
  for (size_t i = 0; i < ops.size(); ++i) ops[i] = ordered[i].second;
  auto before = [&](Op* a, Op* b) { return position_.at(a) < position_.at(b); };
  std::vector<Value*> outputs(group.outputs.begin(), group.outputs.end());
  std::sort(outputs.begin(), outputs.end(), [&](Value* a, Value* b) {
    return a->op() == b->op() ? a->index() < b->index() : before(a->op(), b->op());
  });
  return kernel::make_group(std::move(ops), std::move(outputs));
}

std::string Grouping::why_not(const FusionGroup& candidate, const FusionGroup& without, const Op& op) const {
  try {
    kernel::Group group = kernel_group(candidate);
    const int64_t band = kernel::Dimensions(group).band_points();
    const int64_t rest = kernel::Dimensions(kernel_group(without)).band_points();
    int64_t total = 0;
    for (Op* member : candidate.ops) total = std::max(total, elements_of(*member));
    const auto starves = [&](int64_t before) {
      return band < before && band < kSmallBand && total > kLittleWork &&
             !kernel::shares_reductions(kernel::lower(group, "probe"));
    };
    if (starves(rest)) {
      return "the band of the kernel would shrink from " + std::to_string(rest) + " points to " +
             std::to_string(band);
    }
    if (candidate.contraction || becomes<ir::Contraction>(op)) {
      if (band < rest) return "the contraction and the kernel do not share all dimensions of its result";
    }
    if (is_anchor(op)) {
      FusionGroup alone;
      alone.ops = {const_cast<Op*>(&op)};
      for (Value* result : op.results()) {
        if (result->used()) alone.outputs.insert(result);
      }
      const int64_t own = kernel::Dimensions(kernel_group(alone)).band_points();
      if (starves(own)) {
        return "the band of the operation would shrink from " + std::to_string(own) + " points to " +
               std::to_string(band);
      }
      if (becomes<ir::Contraction>(op) && band < own && !holds_anchor(without))  // else see why_not_rows
        return "the contraction's result is reduced in that kernel";
    }
    if (writes_columns(candidate, kernel::Dimensions(group), op))
      return "it would be computed again, and written column by column, beside a reduction of its columns";
    std::string dear = too_dear(group);
    // A view adds no arithmetic: what is dear was so before, and a copy of its own would not make it less.
    return becomes<ir::View>(op) && candidate.outputs == without.outputs ? "" : dear;
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
    if (kernel::is_scan(*member) || becomes<ir::Contraction>(*member)) return false;
  }
  return lies_in_columns(*value, dims);
}

bool Grouping::buildable(const FusionGroup& group) const {
  try {
    kernel::Group candidate = kernel_group(group);
    const bool dear = !too_dear(candidate).empty();
    if (careful_) return true;
    if (dear) return false;
    if (holds_anchor(group)) return true;
    int64_t total = 0;
    for (Op* op : group.ops) total = std::max(total, elements_of(*op));
    return total <= kLittleWork || kernel::Dimensions(candidate).band_points() >= kSmallBand;
  } catch (const kernel::NotFusible&) {
    return false;
  }
}

bool Grouping::refuse(const Op& op, GroupId g, const std::string& reason) {
  // The consumer is the user of the operation in that group.
  for (Value* result : op.results()) {
    for (const ir::Use& use : result->uses()) {
      if (groups_[g].ops.count(use.op)) {
        context_.refuse(op, use.op, reason);
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
  std::set<Op*> constants;
  for (Op* op : group.ops) {
    for (Value* operand : op->operands()) {
      if (operand->op() != nullptr && is_inline_constant(*operand->op())) constants.insert(operand->op());
    }
  }
  group.ops.insert(constants.begin(), constants.end());
}

void Grouping::take_apart(const FusionGroup& group, std::vector<FusionGroup>& result) {
  for (Op* op : group.ops) {
    if (becomes<ir::Literal>(*op)) continue;
    context_.refuse(*op, nullptr, "its kernel could not be built as a whole");
    FusionGroup single;
    single.ops.insert(op);
    for (Value* r : op->results()) {
      if (r->used()) single.outputs.insert(r);
    }
    add_constants(single);
    result.push_back(std::move(single));
  }
}

std::string why_no_kernel(Op& scan) {
  try {
    std::vector<Value*> used = scan.results();
    if (scan.used()) std::erase_if(used, [](const Value* result) { return !result->used(); });
    const kernel::Kernel kernel = kernel::lower(kernel::make_group({&scan}, std::move(used)), "probe");
    return keeps_tiles(kernel) ? "" : std::string(kNoTiles);
  } catch (const kernel::NotFusible& reason) {
    return reason.what();
  }
}

bool is_inline_constant(const Op& op) {
  if (!becomes<ir::Literal>(op)) return false;
  const Tensor& value = op.attributes().get<Tensor>("value");
  const size_t bytes = byte_size(value.dtype());
  for (int64_t i = 1; i < value.size(); ++i) {
    if (std::memcmp(value.raw(), value.raw() + static_cast<size_t>(i) * bytes, bytes) != 0) return false;
  }
  return value.size() > 0;
}

std::vector<FusionGroup> choose_groups(ir::Region& region, PassContext& context) {
  if (auto groups = Grouping(region, context, false).run()) return std::move(*groups);
  return *Grouping(region, context, true).run();
}

}  // namespace ingot::pass
