// Groups that become one, roundings that move to where a value is made, and the question that both must ask:
// would kernels depend on each other in a circle?
#include <algorithm>
#include <map>
#include <utility>

#include "ops/kinds.h"
#include "pass/fusion/fusion_worth.h"
#include "pass/fusion/grouping.h"

namespace ingot::pass {

using ir::Op;
using ir::Value;

std::map<Grouping::GroupId, std::string> Grouping::merge(std::set<GroupId>& ids) {
  std::map<GroupId, std::string> why_not;
  const GroupId into = *ids.begin();
  for (auto it = std::next(ids.begin()); it != ids.end();) {
    const std::pair pair(*it, into);
    std::string reason;
    if (const auto known = stay_apart_.find(pair); known != stay_apart_.end()) {
      reason = known->second;
    } else if (reason = why_always_apart(*it, into); !reason.empty()) {
      stay_apart_.emplace(pair, reason);
    } else {
      reason = why_not_one_kernel(groups_[*it], groups_[into]);
    }
    if (!reason.empty()) {
      merges_.push_back({*groups_[into].ops.begin(), *groups_[*it].ops.begin(), reason});
      why_not[*it++] = reason;
      continue;
    }
    merge(*it, into);
    it = ids.erase(it);
  }
  return why_not;
}

void Grouping::merge_readers() {
  std::map<int, std::set<GroupId>> readers;  // by the reader's place, so that the order is the program's
  std::unordered_map<const Value*, int> places;
  for (size_t g = 0; g < groups_.size(); ++g) {
    if (!holds_reduction(groups_[g])) continue;
    for (Op* op : groups_[g].ops) {
      for (Value* operand : op->operands()) {
        const bool inside = operand->op() != nullptr && groups_[g].ops.count(operand->op()) > 0;
        if (inside || element_count(operand->shape()) <= kLittleWork) continue;
        const int place = places.try_emplace(operand, static_cast<int>(places.size())).first->second;
        readers[place].insert(g);
      }
    }
  }
  for (auto& [place, ids] : readers) {
    std::erase_if(ids, [&](GroupId g) { return groups_[g].ops.empty(); });
    if (ids.size() > 1) merge(ids);
  }
}

void Grouping::merge_columns() {
  for (GroupId product = 0; product < groups_.size(); ++product) {
    if (!groups_[product].contraction) continue;
    std::set<GroupId> readers;
    for (Value* output : groups_[product].outputs) {
      for (const ir::Use& use : output->uses()) {
        if (auto it = groups_of_.find(use.op); it != groups_of_.end())
          readers.insert(it->second.begin(), it->second.end());
      }
    }
    readers.erase(product);
    for (GroupId reader : readers) {
      if (holds_reduction(groups_[reader]) && !groups_[reader].contraction) merge_columns(product, reader);
    }
  }
}

void Grouping::merge_columns(GroupId product, GroupId reader) {
  const FusionGroup &from = groups_[product], &to = groups_[reader];
  if (from.ops.size() + to.ops.size() > kMaxGroupOps || reaches(from, to, true)) return;
  FusionGroup candidate = from;
  candidate.ops.insert(to.ops.begin(), to.ops.end());
  candidate.outputs.insert(to.outputs.begin(), to.outputs.end());
  std::erase_if(candidate.outputs, [&](Value* output) {
    return std::all_of(output->uses().begin(), output->uses().end(), [&](const ir::Use& use) {
      auto groups = groups_of_.find(use.op);
      return candidate.ops.count(use.op) > 0 &&
             std::all_of(groups->second.begin(), groups->second.end(),
                         [&](GroupId g) { return g == product || g == reader; });
    });
  });
  try {
    const kernel::Candidate merged = kernel_of(candidate);
    if (!merged.reduces_columns() || !too_dear(merged).empty()) return;
  } catch (const kernel::NotFusible&) {
    return;
  }
  for (Op* op : to.ops) {
    groups_of_[op].erase(reader);
    groups_of_[op].insert(product);
  }
  note_reads(candidate);
  groups_[product] = std::move(candidate);
  groups_[reader] = FusionGroup(order_);
}

void Grouping::round_where_made() {
  for (auto& op : region_.ops()) {
    auto found = groups_of_.find(op.get());
    if (found == groups_of_.end() || !ops::is<ops::ConvertOp>(*op) ||
        !is_narrow_float(op->result()->dtype()) ||
        byte_size(op->operand(0)->dtype()) <= byte_size(op->result()->dtype()))
      continue;
    const Value* value = op->operand(0);
    const std::set<GroupId> readers = found->second;
    const auto makers = value->op() == nullptr ? groups_of_.end() : groups_of_.find(value->op());
    if (makers == groups_of_.end()) continue;
    for (GroupId maker : makers->second) {
      if (!groups_[maker].outputs.count(const_cast<Value*>(value))) continue;
      move_rounding(*op, readers, maker);
      break;
    }
  }
}

void Grouping::move_rounding(Op& op, const std::set<GroupId>& readers, GroupId maker) {
  Value *value = op.operand(0), *rounded = op.result();
  FusionGroup candidate = groups_[maker];
  candidate.ops.insert(&op);
  candidate.outputs.insert(rounded);
  if (!why_not(candidate, groups_[maker], op).empty()) return;
  bool moved = false;
  for (GroupId g : readers) {
    if (g == maker || groups_[g].ops.count(value->op())) continue;
    groups_[g].ops.erase(&op);
    note_reads(groups_[g]);
    groups_[g].outputs.erase(rounded);
    groups_of_[&op].erase(g);
    moved = true;
  }
  if (!moved) return;
  note_reads(candidate);
  groups_[maker] = std::move(candidate);
  groups_of_[&op].insert(maker);
  const bool wanted = std::any_of(value->uses().begin(), value->uses().end(), [&](const ir::Use& use) {
    auto it = groups_of_.find(use.op);
    return it == groups_of_.end() || it->second.size() != 1 || *it->second.begin() != maker;
  });
  if (!wanted) groups_[maker].outputs.erase(value);
}

bool Grouping::holds_reduction(const FusionGroup& group) const {
  return std::any_of(group.ops.begin(), group.ops.end(), [](Op* op) { return becomes<ir::Reduction>(*op); });
}

FusionGroup Grouping::merged(const FusionGroup& from, const FusionGroup& into) const {
  FusionGroup candidate = into;
  candidate.ops.insert(from.ops.begin(), from.ops.end());
  candidate.outputs.insert(from.outputs.begin(), from.outputs.end());
  return candidate;
}

std::string Grouping::why_not_merged(GroupId from, GroupId into) const {
  const std::string reason = why_always_apart(from, into);
  return reason.empty() ? why_not_one_kernel(groups_[from], groups_[into]) : reason;
}

std::string Grouping::why_contraction_apart(const FusionGroup& one, const FusionGroup& other) const {
  if (!one.contraction && !other.contraction) return "";
  return is_written_out(contraction_of(one.contraction ? one : other))
             ? "one of them holds a contraction, which is written out and shares no kernel with other readers"
             : "one of them holds a contraction, whose register tile belongs to it alone";
}

std::string Grouping::why_always_apart(GroupId from, GroupId into) const {
  const FusionGroup &a = groups_[from], &b = groups_[into];
  if (std::string reason = why_contraction_apart(a, b); !reason.empty()) return reason;
  if (reaches(a, b) || reaches(b, a)) {
    // Where nothing is computed in two kernels, what one reaches it waits for, and no walk has to tell.
    return !copies_ || waits_for(groups_, from, into) || waits_for(groups_, into, from)
               ? std::string(kNeedsTheOther)
               : "one of them needs a kernel that computes something of the other one's once more, and what "
                 "two kernels compute counts as made by either where none may wait for itself";
  }
  return "";
}

std::string Grouping::why_not_one_kernel(const FusionGroup& from, const FusionGroup& into) const {
  const FusionGroup &small = from.ops.size() < into.ops.size() ? from : into,
                    &large = &small == &from ? into : from;
  const auto more =
      std::count_if(small.ops.begin(), small.ops.end(), [&](Op* op) { return !large.ops.count(op); });
  if (large.ops.size() + static_cast<size_t>(more) > kMaxGroupOps)
    return "together they would hold more than " + std::to_string(kMaxGroupOps) + " operations";
  if (is_one_kernel(from.one_shape, into.one_shape)) return "";
  const FusionGroup candidate = merged(from, into);
  try {
    const kernel::Candidate together = kernel_of(candidate);
    const int64_t band = together.band_points(), of_from = kernel_of(from).band_points(),
                  of_into = kernel_of(into).band_points();
    if (band != of_into || band != of_from)
      return "their bands have " + std::to_string(of_into) + " and " + std::to_string(of_from) +
             " points, but " + std::to_string(band) + " together";
    together.want();
  } catch (const kernel::NotFusible& reason) {
    return reason.what();
  }
  return "";
}

void Grouping::merge(GroupId from, GroupId into) {
  const FusionGroup gone = std::exchange(groups_[from], FusionGroup(order_));
  for (Op* op : gone.ops) {
    groups_of_[op].erase(from);
    groups_of_[op].insert(into);
  }
  groups_[into].ops.insert(gone.ops.begin(), gone.ops.end());
  groups_[into].reads.insert(gone.reads.begin(), gone.reads.end());
  std::erase_if(groups_[into].reads, [&](Op* op) { return groups_[into].ops.count(op) > 0; });
  groups_[into].leaving = nullptr;
  groups_[into].outputs.insert(gone.outputs.begin(), gone.outputs.end());
  if (!is_one_kernel(gone.one_shape, groups_[into].one_shape)) groups_[into].one_shape = nullptr;
  groups_[into].places = groups_[into].one_shape;  // views of the one may read what the other computes
}

void Grouping::note_reads(FusionGroup& group) {
  group.reads.clear();
  for (const Op* op : group.ops) {
    for (Value* operand : op->operands()) {
      if (operand->op() != nullptr && group.ops.count(operand->op()) == 0) group.reads.insert(operand->op());
    }
  }
}

bool Grouping::reaches(const FusionGroup& from, const FusionGroup& to, bool by_others) const {
  std::unordered_set<Op*> seen;
  std::vector<Op*> pending;
  auto push = [&](Op* op) {
    if (op != nullptr && op->parent() == &region_ && seen.insert(op).second) pending.push_back(op);
  };
  // Operations inside `to` itself are where the walk starts, not where it arrives.
  for (Op* op : to.reads) {
    if (!by_others || from.ops.count(op) == 0) push(op);
  }
  return walk_back(pending, seen, [&](Op* op) { return from.ops.count(op) > 0; });
}

bool Grouping::walk_back(std::vector<Op*>& pending, std::unordered_set<Op*>& seen,
                         const std::function<bool(Op*)>& arrived) const {
  std::unordered_set<GroupId> seen_groups;
  while (!pending.empty()) {
    Op* op = pending.back();
    pending.pop_back();
    if (arrived(op)) return true;
    for (Value* operand : op->operands()) {
      Op* maker = operand->op();
      if (maker != nullptr && order_.position(maker) >= placed_from_ && !has_own_copy(*op, *maker) &&
          seen.insert(maker).second)
        pending.push_back(maker);
    }
    if (auto it = groups_of_.find(op); it != groups_of_.end()) {
      for (GroupId g : it->second) {
        if (!gives(g, *op) || !seen_groups.insert(g).second) continue;
        for (Op* member : groups_[g].ops) {
          if (!reads_constants_alone(*member) && seen.insert(member).second) pending.push_back(member);
        }
      }
    }
  }
  return false;
}

bool Grouping::holds(GroupId g, const Op& op) const {
  const auto found = groups_of_.find(&op);
  return found != groups_of_.end() && found->second.count(g) > 0;
}

bool Grouping::depends_on_user_outside(const Op& op, GroupId g) {
  std::unordered_set<Op*> outside;
  std::set<GroupId> others;
  for (Value* result : op.results()) {
    for (const ir::Use& use : result->uses()) {
      if (auto it = groups_of_.find(use.op); it != groups_of_.end())
        others.insert(it->second.begin(), it->second.end());
      else
        outside.insert(use.op);
    }
  }
  others.erase(g);
  if (std::any_of(others.begin(), others.end(), [&](GroupId h) { return needs_.count({g, h}) > 0; }))
    return true;
  if (!copies_) std::erase_if(others, [&](GroupId h) { return needs_.count({h, g}) > 0; });
  if (outside.empty() && others.empty()) return false;
  std::unordered_set<Op*> seen;
  std::vector<Op*> pending;
  for (Op* maker : groups_[g].reads) {
    if (maker != &op && seen.insert(maker).second) pending.push_back(maker);
  }
  return walk_back(pending, seen, [&](Op* o) {
    if (outside.count(o) > 0) return true;
    const auto it = groups_of_.find(o);
    if (it == groups_of_.end()) return false;
    const auto needed = std::find_if(it->second.begin(), it->second.end(),
                                     [&](GroupId h) { return others.count(h) > 0 && gives(h, *o); });
    if (needed == it->second.end()) return false;
    needs_.insert({g, *needed});
    return true;
  });
}

}  // namespace ingot::pass
