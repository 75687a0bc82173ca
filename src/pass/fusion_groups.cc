#include "pass/fusion_groups.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <unordered_set>

#include "base/check.h"
#include "ir/op_record.h"
#include "kernel/lower.h"
#include "kernel/price.h"
#include "kernel/schedule.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Value;

// A band of fewer points leaves threads and lanes without work, unless there is little work at all, or it is
// the work of reductions that can be shared (kernel::shares_reductions).
constexpr int64_t kSmallBand = 256;
constexpr int64_t kLittleWork = 1 << 16;
constexpr int kCheapToRepeat = 4;  // instructions
constexpr int kHeavy = 8;          // instructions from which a careful grouping looks at the price
// Instructions per element that a trip through memory is worth.
constexpr double kMemoryTrip = 8;
constexpr size_t kMaxGroupOps = 6000;

template <class T>
bool becomes(const Op& op) {
  return std::holds_alternative<T>(*op.record().becomes);
}

bool is_anchor(const Op& op) {
  return becomes<ir::Reduction>(op) || becomes<ir::Contraction>(op) || becomes<ir::Scatter>(op) ||
         kernel::is_scan(op);
}

// Complex numbers at the border of the program, as the pairs that kernels see.
bool becomes_pairs(const Op& op) {
  return op.name() == "bitcast" && is_complex(op.operand(0)->dtype()) != is_complex(op.result()->dtype());
}

// Widening a narrow float costs an instruction or two, and halves what the packing of a contraction reads.
bool reads_narrow(const Op& op) {
  return op.name() == "convert" && is_narrow_float(op.operand(0)->dtype());
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

// The same, with what the steps of a scan make.
int64_t elements_in_all_steps(const Op& op) {
  int64_t elements = elements_of(op);
  if (!kernel::is_scan(op)) return elements;
  for (const auto& inner : op.region().ops())
    elements = std::max(elements, op.attributes().integer("length") * elements_in_all_steps(*inner));
  return elements;
}

int recipe_cost(const Op& op) {
  auto* recipe = std::get_if<ir::ScalarRecipe>(&*op.record().becomes);
  return recipe == nullptr ? 0 : static_cast<int>(recipe->cost);
}

// Contractions inside of a scan are tiled if rows share what they read; else each row would read it anew.
constexpr std::string_view kNoTiles = "the contractions in its steps would lose their register tiles";
bool keeps_tiles(const kernel::Kernel& kernel) {
  return !kernel::has_products_in_scans(kernel) || kernel::blocks_rows(kernel);
}

// Why the kernel is not worth having, or empty. Throws NotFusible if there is no such kernel.
std::string too_dear(const kernel::Group& group) {
  const kernel::Kernel kernel = kernel::lower(group, "probe");
  if (!keeps_tiles(kernel)) return std::string(kNoTiles);
  const double work = kernel::work(kernel), least = kernel::least_work(group);
  int64_t elements = 0;
  for (Op* op : group.ops) elements = std::max(elements, elements_in_all_steps(*op));
  if (work - least <= kMemoryTrip * static_cast<double>(elements)) return "";
  char times[32];
  std::snprintf(times, sizeof times, "%.1f", work / std::max(least, 1.0));
  return std::string("the kernel would do ") + times +
         " times the arithmetic, more than a trip through memory costs";
}

class Grouping {
 public:
  // Trying each free operation by lowering its group costs quadratic time. A bold grouping trusts them and
  // looks at the groups once, at the end; a careful one, for the rare region where that fails, tries each.
  Grouping(ir::Region& region, PassContext& context, bool careful)
      : region_(region), context_(context), careful_(careful) {
    int position = 0;
    for (auto& op : region.ops()) position_[op.get()] = position++;
  }

  // Nothing if a bold grouping went wrong.
  std::optional<std::vector<FusionGroup>> run() {
    std::vector<Op*> ops;
    for (auto& op : region_.ops()) ops.push_back(op.get());
    for (size_t i = ops.size(); i-- > 0;) place(*ops[i]);
    merge_readers();
    round_where_made();
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

 private:
  using GroupId = size_t;

  void place(Op& op) {
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

  // A scan that cannot be a kernel is a loop of the machine over the kernels of its body.
  bool alone_in_a_kernel(Op& op) {
    const std::string reason = why_no_kernel(op);
    if (!reason.empty()) context_.refuse(op, nullptr, reason + "; it runs as a loop over kernels");
    return reason.empty();
  }

  void start_group(Op& op) {
    // It may be in groups already, as a copy; they read the result from memory now.
    GroupId id = groups_.size();
    groups_.emplace_back();
    add(op, id);
    for (Value* result : op.results()) {
      if (result->used()) groups_[id].outputs.insert(result);
    }
  }

  void add(Op& op, GroupId g) {
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

  bool feeds_contraction(const Op& op, const FusionGroup& group) const {
    for (Value* result : op.results()) {
      for (const ir::Use& use : result->uses()) {
        if (group.ops.count(use.op) && (becomes<ir::Contraction>(*use.op) || group.upstream.count(use.op)))
          return true;
      }
    }
    return false;
  }

  // Adds the operation to the group if that makes a good kernel; with `leaves`, its results are outputs.
  bool join(Op& op, GroupId g, bool leaves) {
    FusionGroup& group = groups_[g];
    if (group.ops.size() >= kMaxGroupOps) return refuse(op, g, "the kernel is long enough");
    if (feeds_contraction(op, group) && !becomes<ir::View>(op) && !reads_narrow(op)) {
      return refuse(op, g, "it would be computed again for every panel of the product");
    }
    if (is_anchor(op) && group.contraction) {
      return refuse(op, g, "the kernel holds a contraction, whose register tile has no room for it");
    }
    if (becomes<ir::Contraction>(op) && holds_anchor(group)) {
      return refuse(op, g, "a contraction would lose its register tile to the reductions of that kernel");
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

  bool holds_anchor(const FusionGroup& group) const {
    return std::any_of(group.ops.begin(), group.ops.end(), [](Op* op) { return is_anchor(*op); });
  }

  // A user in the group may have copies in other groups, which read the value too.
  bool used_outside(Value* value, const FusionGroup& group, GroupId id) const {
    return std::any_of(value->uses().begin(), value->uses().end(), [&](const ir::Use& use) {
      auto it = groups_of_.find(use.op);
      return !group.ops.count(use.op) ||
             (it != groups_of_.end() &&
              std::any_of(it->second.begin(), it->second.end(), [&](GroupId g) { return g != id; }));
    });
  }

  kernel::Group kernel_group(const FusionGroup& group) const {
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

  // Empty if the candidate is a good kernel.
  std::string why_not(const FusionGroup& candidate, const FusionGroup& without, const Op& op) const {
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
        if (becomes<ir::Contraction>(op) && band < own)
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

  // A large value that leaves the kernel while reductions of its columns stay: the band holds columns, so
  // that its rows would be written in pieces, next to a loop that computes it for the sums. By itself it
  // streams, and is read once more.
  bool writes_columns(const FusionGroup& candidate, const kernel::Dimensions& dims, const Op& op) const {
    const Value* value = op.result_count() == 1 ? op.result() : nullptr;
    if (value == nullptr || !is_free(op) || !candidate.outputs.count(const_cast<Value*>(value)) ||
        elements_of(op) <= kLittleWork)
      return false;
    for (Op* member : candidate.ops) {
      if (kernel::is_scan(*member) || becomes<ir::Contraction>(*member)) return false;
    }
    bool outside = false;  // of the band
    for (int64_t d = 0; d < value->rank(); ++d) {
      if (value->shape()[static_cast<size_t>(d)] == 1) continue;
      const kernel::DimClass c = dims.of(value, d);
      if (dims.in_band(c) && outside) return true;
      outside = outside || !(dims.in_band(c) || dims.unrolled(c));
    }
    return false;
  }

  bool buildable(const FusionGroup& group) const {
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

  bool refuse(const Op& op, GroupId g, const std::string& reason) {
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

  bool cheap_to_repeat(const Op& op) const {
    if (becomes<ir::View>(op)) return true;
    int64_t in = 0, out = element_count(op.result()->shape());
    for (Value* operand : op.operands()) {
      if (operand->op() == nullptr || !is_inline_constant(*operand->op()))
        in += element_count(operand->shape());
    }
    return recipe_cost(op) <= kCheapToRepeat && in <= out;
  }

  // One kernel with several outputs instead of several that read the same: merges those that can be, into the
  // first.
  void merge(std::set<GroupId>& ids) {
    const GroupId into = *ids.begin();
    for (auto it = std::next(ids.begin()); it != ids.end();) {
      if (!merge(*it, into)) {
        ++it;
        continue;
      }
      it = ids.erase(it);
    }
  }

  // Reductions of the same large value are one kernel, which reads it once.
  void merge_readers() {
    std::map<int, std::set<GroupId>> readers;  // by the reader's place, so that the order is the program's
    std::unordered_map<const Value*, int> places;
    for (size_t g = 0; g < groups_.size(); ++g) {
      if (!holds_reduction(groups_[g])) continue;
      std::set<std::pair<int, const Value*>> inputs;
      for (Op* op : groups_[g].ops) {
        for (Value* operand : op->operands()) {
          const bool inside = operand->op() != nullptr && groups_[g].ops.count(operand->op()) > 0;
          if (!inside && element_count(operand->shape()) > kLittleWork)
            inputs.emplace(position_.at(op), operand);
        }
      }
      for (auto [position, input] : inputs) {
        const int place = places.try_emplace(input, static_cast<int>(places.size())).first->second;
        readers[place].insert(g);
      }
    }
    for (auto& [place, ids] : readers) {
      std::erase_if(ids, [&](GroupId g) { return groups_[g].ops.empty(); });
      if (ids.size() > 1) merge(ids);
    }
  }

  // A value that another kernel reads only to round it to a narrow float is rounded where it is made, and
  // travels as that.
  void round_where_made() {
    for (auto& op : region_.ops()) {
      auto found = groups_of_.find(op.get());
      if (found == groups_of_.end() || op->name() != "convert" || !is_narrow_float(op->result()->dtype()) ||
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

  void move_rounding(Op& op, const std::set<GroupId>& readers, GroupId maker) {
    Value *value = op.operand(0), *rounded = op.result();
    FusionGroup candidate = groups_[maker];
    candidate.ops.insert(&op);
    candidate.outputs.insert(rounded);
    if (!why_not(candidate, groups_[maker], op).empty()) return;
    bool moved = false;
    for (GroupId g : readers) {
      if (g == maker || groups_[g].ops.count(value->op())) continue;
      groups_[g].ops.erase(&op);
      groups_[g].outputs.erase(rounded);
      groups_of_[&op].erase(g);
      moved = true;
    }
    if (!moved) return;
    groups_[maker] = std::move(candidate);
    groups_of_[&op].insert(maker);
    const bool wanted = std::any_of(value->uses().begin(), value->uses().end(), [&](const ir::Use& use) {
      auto it = groups_of_.find(use.op);
      return it == groups_of_.end() || it->second.size() != 1 || *it->second.begin() != maker;
    });
    if (!wanted) groups_[maker].outputs.erase(value);
  }

  bool holds_reduction(const FusionGroup& group) const {
    return std::any_of(group.ops.begin(), group.ops.end(),
                       [](Op* op) { return becomes<ir::Reduction>(*op); });
  }

  bool merge(GroupId from, GroupId into) {
    if (groups_[from].contraction || groups_[into].contraction) return false;
    if (reaches(groups_[from], groups_[into]) || reaches(groups_[into], groups_[from])) return false;
    FusionGroup candidate = groups_[into];
    candidate.ops.insert(groups_[from].ops.begin(), groups_[from].ops.end());
    candidate.outputs.insert(groups_[from].outputs.begin(), groups_[from].outputs.end());
    if (candidate.ops.size() > kMaxGroupOps) return false;
    try {
      kernel::Group merged = kernel_group(candidate);
      const int64_t band = kernel::Dimensions(merged).band_points();
      if (band != kernel::Dimensions(kernel_group(groups_[into])).band_points() ||
          band != kernel::Dimensions(kernel_group(groups_[from])).band_points()) {
        return false;
      }
      kernel::lower(merged, "probe");
    } catch (const kernel::NotFusible&) {
      return false;
    }
    for (Op* op : groups_[from].ops) {
      groups_of_[op].erase(from);
      groups_of_[op].insert(into);
    }
    groups_[into] = std::move(candidate);
    groups_[from] = FusionGroup{};
    return true;
  }

  // True if `to` needs something that depends on a result of `from`.
  bool reaches(const FusionGroup& from, const FusionGroup& to) const {
    std::unordered_set<Op*> seen;
    std::vector<Op*> pending;
    auto push = [&](Op* op) {
      if (op != nullptr && op->parent() == &region_ && seen.insert(op).second) pending.push_back(op);
    };
    // Operations inside `to` itself are where the walk starts, not where it arrives.
    for (Op* op : to.ops) {
      for (Value* operand : op->operands()) {
        if (operand->op() != nullptr && !to.ops.count(operand->op())) push(operand->op());
      }
    }
    return walk_back(pending, seen, [&](Op* op) { return from.ops.count(op) > 0; });
  }

  // Walks from operations to what they depend on, whole groups at a time. The groups of copies count one by
  // one.
  bool walk_back(std::vector<Op*>& pending, std::unordered_set<Op*>& seen,
                 const std::function<bool(Op*)>& arrived) const {
    while (!pending.empty()) {
      Op* op = pending.back();
      pending.pop_back();
      if (arrived(op)) return true;
      auto push_operands = [&](Op* o) {
        for (Value* operand : o->operands()) {
          if (operand->op() != nullptr && seen.insert(operand->op()).second) pending.push_back(operand->op());
        }
      };
      push_operands(op);
      if (auto it = groups_of_.find(op); it != groups_of_.end()) {
        for (GroupId g : it->second) {
          for (Op* member : groups_[g].ops) {
            if (seen.insert(member).second) pending.push_back(member);
          }
        }
      }
    }
    return false;
  }

  // True if the group depends on a user of the operation that is not in the group: joining would close a
  // cycle.
  bool depends_on_user_outside(const Op& op, GroupId g) const {
    std::unordered_set<Op*> outside;
    std::set<GroupId> others;
    for (Value* result : op.results()) {
      for (const ir::Use& use : result->uses()) {
        if (!groups_[g].ops.count(use.op)) outside.insert(use.op);
        if (auto it = groups_of_.find(use.op); it != groups_of_.end())
          others.insert(it->second.begin(), it->second.end());
      }
    }
    others.erase(g);
    std::unordered_set<Op*> seen;
    std::vector<Op*> pending;
    for (Op* member : groups_[g].ops) {
      for (Value* operand : member->operands()) {
        if (operand->op() != nullptr && !groups_[g].ops.count(operand->op()) && operand->op() != &op &&
            seen.insert(operand->op()).second) {
          pending.push_back(operand->op());
        }
      }
    }
    return walk_back(pending, seen, [&](Op* o) {
      auto it = groups_of_.find(o);
      return outside.count(o) > 0 ||
             (it != groups_of_.end() && std::any_of(it->second.begin(), it->second.end(),
                                                    [&](GroupId h) { return others.count(h) > 0; }));
    });
  }

  void add_constants(FusionGroup& group) const {
    std::set<Op*> constants;
    for (Op* op : group.ops) {
      for (Value* operand : op->operands()) {
        if (operand->op() != nullptr && is_inline_constant(*operand->op())) constants.insert(operand->op());
      }
    }
    group.ops.insert(constants.begin(), constants.end());
  }

  // The last resort for a group that turned out not to lower as a whole: every operation on its own.
  void take_apart(const FusionGroup& group, std::vector<FusionGroup>& result) {
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

  ir::Region& region_;
  PassContext& context_;
  const bool careful_;
  std::unordered_map<const Op*, int> position_;
  std::vector<FusionGroup> groups_;
  std::unordered_map<const Op*, std::set<GroupId>> groups_of_;
};

}  // namespace

std::string why_no_kernel(Op& scan) {
  try {
    const kernel::Kernel kernel = kernel::lower(kernel::make_group({&scan}, scan.results()), "probe");
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
