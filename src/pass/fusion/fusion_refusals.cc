// What is told of kernels that stay apart: found in the groups as they are in the end, so that none is named
// that became one after all, with the reason that was given when the two were tried.
#include <algorithm>
#include <set>

#include "pass/fusion/fusion_worth.h"
#include "pass/fusion/grouping.h"
#include "pass/pass.h"

namespace ingot::pass {

using ir::Op;
using ir::Value;

std::vector<FusionRefusal> Grouping::refusals(const std::vector<FusionGroup>& groups) const {
  std::vector<FusionRefusal> found;
  add_edges(groups, found);
  add_siblings(groups, found);
  std::stable_sort(found.begin(), found.end(), [&](const FusionRefusal& a, const FusionRefusal& b) {
    if (a.siblings != b.siblings) return b.siblings;
    return a.producer != b.producer ? order_(a.producer, b.producer) : order_(a.consumer, b.consumer);
  });
  return found;
}

// Values that one kernel writes for another one to read.
void Grouping::add_edges(const std::vector<FusionGroup>& groups, std::vector<FusionRefusal>& found) const {
  std::unordered_map<const Value*, size_t> homes;
  for (size_t g = 0; g < groups.size(); ++g) {
    for (const Value* output : groups[g].outputs) homes.emplace(output, g);
  }
  for (size_t g = 0; g < groups.size(); ++g) {
    std::unordered_set<const Value*> seen;
    for (const Op* op : groups[g].ops) {
      for (const Value* operand : op->operands()) {
        const auto home = homes.find(operand);
        if (home == homes.end() || home->second == g || groups[g].ops.count(operand->op()) > 0 ||
            !seen.insert(operand).second)
          continue;
        found.push_back({home->second, g, operand->op(), op, operand, false,
                         why_apart(*operand->op(), groups[home->second], groups[g])});
      }
    }
  }
}

// The last attempt to let the operation join is about the groups as they became.
std::string Grouping::why_apart(const Op& producer, const FusionGroup& maker,
                                const FusionGroup& reader) const {
  const auto in = [](const FusionGroup& group, const Op* op) {
    return op != nullptr && group.ops.count(const_cast<Op*>(op)) > 0;
  };
  const auto last = [&](const auto& fits) {
    const auto it = std::find_if(attempts_.rbegin(), attempts_.rend(), fits);
    return it == attempts_.rend() ? nullptr : &it->reason;
  };
  if (const auto* reason =
          last([&](const Attempt& a) { return a.producer == &producer && in(reader, a.consumer); }))
    return *reason;
  if (const auto* reason =
          last([&](const Attempt& a) { return in(maker, a.producer) && in(reader, a.consumer); }))
    return *reason;
  if (const auto* reason = last([&](const Attempt& a) {
        return a.consumer == nullptr && (in(maker, a.producer) || in(reader, a.producer));
      }))
    return *reason;
  return "it is made with another reader already";
}

void Grouping::add_siblings(const std::vector<FusionGroup>& groups, std::vector<FusionRefusal>& found) const {
  std::vector<const Value*> read;
  std::unordered_map<const Value*, std::vector<std::pair<size_t, const Op*>>> readers;
  for (size_t g = 0; g < groups.size(); ++g) {
    for (const Op* op : groups[g].ops) {
      for (const Value* operand : op->operands()) {
        if (operand->op() != nullptr && groups[g].ops.count(operand->op()) > 0) continue;
        if (element_count(operand->shape()) <= kLittleWork) continue;
        auto& list = readers[operand];
        if (list.empty()) read.push_back(operand);
        if (list.empty() || list.back().first != g) list.emplace_back(g, op);
      }
    }
  }
  std::set<std::pair<size_t, size_t>> told;
  for (const FusionRefusal& edge : found) told.insert(std::minmax(edge.first, edge.second));
  for (const Value* value : read) {
    auto& list = readers.at(value);
    std::sort(list.begin(), list.end(),
              [&](const auto& a, const auto& b) { return order_(a.second, b.second); });
    for (size_t i = 1; i < list.size(); ++i) {
      const auto [first, producer] = list[0];
      const auto [second, consumer] = list[i];
      if (!told.insert(std::minmax(first, second)).second) continue;
      found.push_back({first, second, producer, consumer, value, true, why_siblings(groups, first, second)});
    }
  }
}

bool waits_for(const std::vector<FusionGroup>& groups, size_t late, size_t early) {
  std::unordered_map<const Value*, size_t> homes;
  for (size_t g = 0; g < groups.size(); ++g) {
    for (const Value* output : groups[g].outputs) homes.emplace(output, g);
  }
  std::vector<const Op*> alone;  // operations in no group
  std::vector<size_t> pending = {late};
  std::unordered_set<const Op*> seen;
  std::set<size_t> reached = {late};
  const auto look = [&](const Op& op, const FusionGroup* inside) {
    for (const Value* operand : op.operands()) {
      if (operand->op() == nullptr || (inside != nullptr && inside->ops.count(operand->op()) > 0)) continue;
      if (const auto home = homes.find(operand); home == homes.end()) {
        if (seen.insert(operand->op()).second) alone.push_back(operand->op());
      } else if (reached.insert(home->second).second) {
        pending.push_back(home->second);
      }
    }
  };
  while (!pending.empty() || !alone.empty()) {
    if (!alone.empty()) {
      const Op* op = alone.back();
      alone.pop_back();
      look(*op, nullptr);
      continue;
    }
    const FusionGroup& group = groups[pending.back()];
    pending.pop_back();
    for (const Op* op : group.ops) look(*op, &group);
  }
  return reached.count(early) > 0;
}

// What was said when the two were tried, or the rule by which they were not.
std::string Grouping::why_siblings(const std::vector<FusionGroup>& groups, size_t a, size_t b) const {
  const FusionGroup &first = groups[a], &second = groups[b];
  if (waits_for(groups, b, a) || waits_for(groups, a, b)) return std::string(kNeedsTheOther);
  const auto hold = [&](const Attempt& attempt) {
    const auto in = [](const FusionGroup& group, const Op* op) {
      return group.ops.count(const_cast<Op*>(op)) > 0;
    };
    return (in(first, attempt.producer) && in(second, attempt.consumer)) ||
           (in(second, attempt.producer) && in(first, attempt.consumer));
  };
  const auto tried = std::find_if(merges_.rbegin(), merges_.rend(), hold);
  if (tried != merges_.rend()) return tried->reason;
  if (!first.contraction && !second.contraction && !(holds_reduction(first) && holds_reduction(second)))
    return "kernels are joined for what both read only where both reduce, or where both are elementwise, "
           "have results of one shape, read the value as it lies and are equally far from the arguments";
  std::string reason = why_contraction_apart(second, first);
  if (reason.empty()) reason = why_not_one_kernel(second, first);
  return reason.empty() ? "they were not tried together, only each with another reader" : reason;
}

}  // namespace ingot::pass
