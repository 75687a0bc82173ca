// Groups that read the same value become one kernel with several outputs, which reads that value once and is
// launched once: elementwise ones, and reductions of little (merge_readers joins those of more).
//
// Which groups may: those of one *level*, the longest way to a group from what the region is given, in
// groups. Neither of two such groups needs the other, by whatever way, and a group made of them has their
// level, so that any number of them may join without a circle. Their outputs have one shape, those that
// reduce do so over the same axes of arrays of the value's shape, and what they read in other places than
// those of their outputs is little, so that what suits one suits all.
#include <algorithm>
#include <map>
#include <tuple>

#include "ops/kinds.h"
#include "pass/fusion/fusion_worth.h"
#include "pass/fusion/grouping.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Value;

// Arrays of more than kLittleWork elements that a kernel reads and writes: the most that were measured, and
// still the best. 16 results of one f32[8000000] take 47.5 ms in one kernel, 53 in three, 112 in 16 (Intel
// Xeon, 2 cores).
constexpr size_t kMostStreams = 17;
// Operations of a kernel of siblings: 3000 results of one f32[64] are compiled in 0.33 s with 256 of them,
// and in 12.8 s apart; longer kernels gain nothing more.
constexpr size_t kMostSiblingOps = 256;
// Groups that reduce, in one kernel, whose totals lie in registers: sums of sin(k x) of one f32[64] take 10
// ms to compile apart, 5 ms each in kernels of 2 to 24, and 7.5 ms each in one of 40 (Intel Xeon, 1 thread).
constexpr size_t kMostSiblingReductions = 16;

}  // namespace

std::vector<int> Grouping::levels() const {
  constexpr int kUnknown = -1;
  std::vector<int> levels(groups_.size(), kUnknown);
  std::unordered_map<const Op*, int> alone;  // of operations in no group
  for (auto& op : region_.ops()) {
    if (!groups_of_.count(op.get()) && !becomes<ir::Literal>(*op)) alone[op.get()] = kUnknown;
  }
  // A group, or an operation in none.
  struct Node {
    const Op* op;
    GroupId group;
  };
  const auto level_of = [&](const Node& node) -> int& {
    return node.op != nullptr ? alone.at(node.op) : levels[node.group];
  };
  const auto makers_of = [&](const Node& node) {
    std::vector<Node> makers;
    const auto add = [&](const Op& op) {
      for (const Value* operand : op.operands()) {
        const Op* maker = operand->op();
        if (maker == nullptr || becomes<ir::Literal>(*maker)) continue;
        const auto found = groups_of_.find(maker);
        if (found == groups_of_.end()) {
          if (alone.count(maker)) makers.push_back({maker, 0});
          continue;
        }
        if (node.op == nullptr && found->second.count(node.group)) continue;
        for (GroupId g : found->second) {
          if (groups_[g].outputs.count(const_cast<Value*>(operand))) makers.push_back({nullptr, g});
        }
      }
    };
    if (node.op != nullptr) {
      add(*node.op);
    } else {
      for (const Op* op : groups_[node.group].ops) add(*op);
    }
    return makers;
  };
  std::vector<std::pair<Node, bool>> stack;  // whether its makers are done
  const auto visit = [&](const Node& from) {
    stack.push_back({from, false});
    while (!stack.empty()) {
      const auto [node, done] = stack.back();
      stack.pop_back();
      if (!done && level_of(node) != kUnknown) continue;
      const std::vector<Node> makers = makers_of(node);
      if (done) {
        int level = 0;
        for (const Node& maker : makers) level = std::max(level, level_of(maker) + 1);
        level_of(node) = level;
        continue;
      }
      level_of(node) = 0;  // in the making: there are no circles
      stack.push_back({node, true});
      for (const Node& maker : makers) {
        if (level_of(maker) == kUnknown) stack.push_back({maker, false});
      }
    }
  };
  for (GroupId g = 0; g < groups_.size(); ++g) visit({nullptr, g});
  return levels;
}

std::optional<Grouping::Work> Grouping::even_work(const FusionGroup& group) const {
  if (group.ops.empty() || group.outputs.empty()) return std::nullopt;
  const auto is_little = [](const Value* operand) { return element_count(operand->shape()) <= kLittleWork; };
  Work work{(*group.outputs.begin())->shape(), {}, {}};
  work.over = work.outputs;
  for (const Op* op : group.ops) {
    const auto operands = op->operands();
    if (becomes<ir::ScalarRecipe>(*op)) continue;
    if (!std::all_of(operands.begin(), operands.end(), is_little)) return std::nullopt;
    if (becomes<ir::View>(*op)) continue;
    if (!becomes<ir::Reduction>(*op)) return std::nullopt;
    const ops::ReduceOp reduction(*op);
    const Shape& reduced = reduction.array(0)->shape();
    if (!work.axes.empty() && (work.axes != reduction.axes() || work.over != reduced)) return std::nullopt;
    work.axes = reduction.axes(), work.over = reduced;
  }
  const bool even = std::all_of(group.outputs.begin(), group.outputs.end(),
                                [&](const Value* output) { return output->shape() == work.outputs; });
  return even ? std::optional(std::move(work)) : std::nullopt;
}

std::set<const Value*> Grouping::large_arrays(const FusionGroup& group) const {
  std::set<const Value*> arrays;
  for (const Op* op : group.ops) {
    for (const Value* operand : op->operands()) {
      if (element_count(operand->shape()) <= kLittleWork) continue;
      if (operand->op() == nullptr || !group.ops.count(operand->op())) arrays.insert(operand);
    }
  }
  for (const Value* output : group.outputs) {
    if (element_count(output->shape()) > kLittleWork) arrays.insert(output);
  }
  return arrays;
}

void Grouping::merge_siblings() {
  const std::vector<int> level = levels();
  std::vector<std::vector<GroupId>> families;  // in the order of the program
  std::map<std::tuple<const Value*, int, Work>, size_t> places;
  std::vector<std::pair<int, GroupId>> ordered;  // by first operation
  std::unordered_map<GroupId, Work> works;
  for (GroupId g = 0; g < groups_.size(); ++g) {
    if (std::optional<Work> work = even_work(groups_[g])) {
      ordered.emplace_back(order_.position(*groups_[g].ops.begin()), g);
      works.emplace(g, std::move(*work));
    }
  }
  std::sort(ordered.begin(), ordered.end());
  for (const auto& [position, g] : ordered) {
    const Work& work = works.at(g);
    std::set<const Value*> seen;
    for (const Op* op : groups_[g].ops) {
      for (const Value* operand : op->operands()) {
        if (operand->op() != nullptr &&
            (groups_[g].ops.count(operand->op()) || becomes<ir::Literal>(*operand->op())))
          continue;
        if (operand->shape() != work.over || !seen.insert(operand).second) continue;
        const auto [it, fresh] = places.try_emplace({operand, level[g], work}, families.size());
        if (fresh) families.emplace_back();
        families[it->second].push_back(g);
      }
    }
  }
  // A group may be in thousands of families, of which all but one find it merged or full.
  std::unordered_map<GroupId, std::set<const Value*>> streams_of;
  const auto streams_of_group = [&](GroupId g) -> const std::set<const Value*>& {
    const auto [known, fresh] = streams_of.try_emplace(g);
    if (fresh) known->second = large_arrays(groups_[g]);
    return known->second;
  };
  for (const std::vector<GroupId>& ids : families) {
    std::vector<GroupId> batch;
    std::set<const Value*> streams;
    size_t ops = 0;
    const auto join = [&] {
      if (batch.size() > 1) {
        merge_all(batch);
        for (GroupId g : batch) streams_of.erase(g);
      }
      batch.clear(), streams.clear(), ops = 0;
    };
    for (GroupId g : ids) {
      if (groups_[g].ops.empty()) continue;  // it has joined one of another family
      std::set<const Value*> with = streams;
      with.insert(streams_of_group(g).begin(), streams_of_group(g).end());
      const bool full = with.size() > kMostStreams || ops + groups_[g].ops.size() > kMostSiblingOps ||
                        (holds_reduction(groups_[g]) && batch.size() >= kMostSiblingReductions);
      if (full && !batch.empty()) {
        join();
        with = streams_of_group(g);
      }
      batch.push_back(g);
      streams = std::move(with);
      ops += groups_[g].ops.size();
    }
    join();
  }
}

void Grouping::merge_all(const std::vector<GroupId>& ids) {
  FusionGroup candidate(order_);
  for (GroupId g : ids) {
    candidate.ops.insert(groups_[g].ops.begin(), groups_[g].ops.end());
    candidate.outputs.insert(groups_[g].outputs.begin(), groups_[g].outputs.end());
  }
  try {
    const kernel::Candidate together = kernel_of(candidate);
    const int64_t band = together.band_points();
    for (GroupId g : ids) {
      if (kernel_of(groups_[g]).band_points() != band) return;
    }
    together.want();
  } catch (const kernel::NotFusible&) {
    return;
  }
  for (GroupId g : ids) {
    for (Op* op : groups_[g].ops) {
      groups_of_[op].erase(g);
      groups_of_[op].insert(ids.front());
    }
    groups_[g] = FusionGroup(order_);
  }
  note_reads(candidate);
  groups_[ids.front()] = std::move(candidate);
}

}  // namespace ingot::pass
