#include "transform/residuals.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "ir/op_record.h"
#include "ir/unused.h"

namespace ingot::transform {
namespace {

using ir::Op;
using ir::Region;
using ir::Value;

constexpr int kBudget = 12;  // instructions that computing a value anew may cost: a division and a few
constexpr int64_t kSmallLiteral = 4096;  // elements of a literal that is written twice

bool is_view(const Op& op) {
  return std::holds_alternative<ir::View>(*op.record().becomes);
}

// The cost of the operation by itself, or none if it is never done again.
std::optional<int> cost_of(const Op& op) {
  if (is_view(op)) return 0;
  if (const auto* recipe = std::get_if<ir::ScalarRecipe>(&*op.record().becomes)) return *recipe->cost;
  const bool literal = std::holds_alternative<ir::Literal>(*op.record().becomes);
  if (literal && op.result()->type().elements() <= kSmallLiteral) return 0;
  return std::nullopt;
}

class Planner {
 public:
  Planner(Region& linear, const std::function<bool(const Value*)>& is_free)
      : linear_(linear), is_free_(is_free) {}

  std::vector<Residual> run(const std::vector<Residual>& wanted) {
    Op* front = linear_.ops().front().get();
    std::vector<Residual> needed;
    for (const Residual& residual : wanted) {
      if (residual.argument->used()) needed.push_back(residual);
    }
    // In the order of the forward region, so that what others are computed from is decided before them.
    std::unordered_map<const Value*, int> order = order_of(needed);
    std::stable_sort(needed.begin(), needed.end(), [&](const Residual& a, const Residual& b) {
      return order.at(a.value) < order.at(b.value);
    });
    for (const Residual& residual : needed) arguments_[residual.value] = residual.argument;
    for (const Residual& residual : needed) decide(residual.value);
    for (const Residual& residual : needed) {
      if (kept_.contains(residual.value)) continue;
      residual.argument->replace_all_uses_with(recomputed(residual.value, front));
    }
    std::vector<Residual> left;
    for (const auto& [value, argument] : arguments_) {
      if (argument->used()) left.push_back({const_cast<Value*>(value), argument});
    }
    std::sort(left.begin(), left.end(),
              [](const Residual& a, const Residual& b) { return a.argument->index() < b.argument->index(); });
    return left;
  }

 private:
  static std::unordered_map<const Value*, int> order_of(const std::vector<Residual>& residuals) {
    std::unordered_map<const Value*, int> order;
    if (residuals.empty()) return order;
    const Value* any = residuals.front().value;
    const Region& region = any->op() != nullptr ? *any->op()->parent() : *any->region();
    for (const Value* argument : region.arguments()) order.emplace(argument, order.size());
    for (const auto& op : region.ops()) {
      for (const Value* result : op->results()) order.emplace(result, order.size());
    }
    return order;
  }

  bool available(const Value* value) const { return kept_.contains(value) || is_free_(value); }

  void decide(const Value* value) {
    if (constant(value)) return;
    if (available(value)) {
      kept_.insert(value);
      return;
    }
    int cost = 0;
    std::unordered_set<const Value*> seen;
    if (cheap(value, cost, seen)) {
      again_.insert(seen.begin(), seen.end());
      return;
    }
    if (value->op() != nullptr && is_view(*value->op()) && keep_instead(*value)) return;
    kept_.insert(value);
  }

  // True if the value is made of literals alone, by views.
  bool constant(const Value* value) {
    if (value->op() == nullptr || !cost_of(*value->op())) return false;
    if (!is_view(*value->op())) return value->op()->operand_count() == 0;
    if (auto it = constant_.find(value); it != constant_.end()) return it->second;
    const auto operands = value->op()->operands();
    const bool all =
        std::all_of(operands.begin(), operands.end(), [&](const Value* v) { return constant(v); });
    return constant_[value] = all;
  }

  bool cheap(const Value* value, int& cost, std::unordered_set<const Value*>& seen) const {
    if (available(value) || again_.contains(value) || !seen.insert(value).second) return true;
    if (value->op() == nullptr) return false;
    const std::optional<int> own = cost_of(*value->op());
    if (!own || (cost += *own) > kBudget) return false;
    for (const Value* operand : value->op()->operands()) {
      if (!cheap(operand, cost, seen)) return false;
    }
    return true;
  }

  // Keeps what a view is made of instead of the view, if that is not more.
  bool keep_instead(const Value& view) {
    std::unordered_set<const Value*> sources, seen;
    collect_sources(&view, sources, seen);
    int64_t bytes = 0;
    for (const Value* source : sources) bytes += available(source) ? 0 : source->type().bytes();
    if (bytes > view.type().bytes() * 5 / 4) return false;
    kept_.insert(sources.begin(), sources.end());
    return true;
  }

  void collect_sources(const Value* value, std::unordered_set<const Value*>& sources,
                       std::unordered_set<const Value*>& seen) {
    if (!seen.insert(value).second) return;
    if (value->op() == nullptr || !is_view(*value->op()) || available(value)) {
      if (!constant(value)) sources.insert(value);
      return;
    }
    for (const Value* operand : value->op()->operands()) collect_sources(operand, sources, seen);
  }

  // The value in the linear region: an argument, or operations before `front`.
  Value* recomputed(const Value* value, Op* front) {
    if (!constant(value) && available(value)) {
      Value*& argument = arguments_[value];
      if (argument == nullptr) argument = linear_.add_argument(value->type(), value->name());
      return argument;
    }
    if (auto it = made_.find(value); it != made_.end()) return it->second;
    ir::ValueMap map;
    for (const Value* operand : value->op()->operands()) map[operand] = recomputed(operand, front);
    clone_op(*value->op(), linear_, map, front);
    return made_[value] = map.at(value);
  }

  Region& linear_;
  const std::function<bool(const Value*)>& is_free_;
  std::unordered_map<const Value*, Value*> arguments_;  // of the linear region, by forward value
  std::unordered_set<const Value*> kept_, again_;  // handed over; computed anew, and free for others then
  std::unordered_map<const Value*, bool> constant_;
  ir::ValueMap made_;
};

}  // namespace

std::vector<Residual> plan_residuals(Region& linear, const std::vector<Residual>& wanted,
                                     const std::function<bool(const Value*)>& is_free) {
  erase_unused(linear);
  std::vector<Residual> left = Planner(linear, is_free).run(wanted);
  std::unordered_set<const Value*> stays;
  for (const Residual& residual : left) stays.insert(residual.argument);
  std::vector<const Value*> gone;
  for (const Residual& residual : wanted) {
    if (!stays.contains(residual.argument)) gone.push_back(residual.argument);
  }
  for (int i = linear.argument_count() - 1; i >= 0; --i) {
    if (std::find(gone.begin(), gone.end(), linear.argument(i)) != gone.end()) linear.erase_argument(i);
  }
  return left;
}

}  // namespace ingot::transform
