#include "pass/fusion/fusion_groups.h"

#include <algorithm>

#include "base/check.h"
#include "ops/control.h"
#include "ops/kinds.h"
#include "ops/support.h"
#include "pass/branch_cost.h"
#include "pass/fusion/fusion_worth.h"
#include "pass/fusion/grouping.h"
#include "pass/fusion/op_places.h"
#include "pass/pass.h"

namespace ingot::pass {

using ir::Op;
using ir::Value;

namespace {

constexpr int kCheapToRepeat = 4;  // instructions
// Each groups the region again and has doubts about more of it; the last one cuts what is still no kernel. In
// the tests 84 regions take three or more, 20 of them six or seven (random keys, butterflies), five all of
// these. With four a program of random keys lowers 144 groups instead of 63.
constexpr int kMostAttempts = 8;

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
    else if (last_ || is_doubted(group) || (!holds_anchor(group) && !lowers(group)) || !doubt(group))
      cut(group, reason, result);
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
        "how many steps it takes is known only when it runs, and a kernel takes such steps where they are "
        "plain work on few numbers, of such loops inside of each other; it runs as a loop over the kernels "
        "of its step, " +
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
    Grouping grouping(region, candidates, doubted, attempt > kMostAttempts);
    if (auto choice = grouping.run()) return std::move(*choice);
    const Grouping::Doubts& more = grouping.went_wrong();
    doubted.insert(more.begin(), more.end());
  }
}

}  // namespace ingot::pass
