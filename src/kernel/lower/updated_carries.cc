#include "kernel/lower/updated_carries.h"

#include <algorithm>
#include <unordered_set>

#include "kernel/lower/group.h"
#include "ops/kinds.h"

namespace ingot::kernel {
namespace {

bool is_link(const ir::Use& use) {
  if (ops::is<ops::ScatterOp>(*use.op)) return use.operand == 0;
  const auto scan = ops::as<ops::ScanOp>(*use.op);
  return scan && scan->is_carry(use.operand) && updated_carry(scan->carry(use.operand)).has_value();
}

// What the operation that makes the version has changed in part; null if it has not.
const ir::Value* before_update(const ir::Value& version) {
  const ir::Op* op = version.op();
  if (op == nullptr) return nullptr;
  if (ops::is<ops::ScatterOp>(*op)) return op->operand(0);
  const auto scan = ops::as<ops::ScanOp>(*op);
  const bool updates = scan && scan->is_carry(version.index()) && updated_carry(scan->carry(version.index()));
  return updates ? op->operand(version.index()) : nullptr;
}

// Whether the body hands the value on.
int64_t returns_of(const ir::Value& value) {
  return std::count_if(value.uses().begin(), value.uses().end(),
                       [](const ir::Use& use) { return use.op->is_return(); });
}

}  // namespace

std::optional<UpdatedCarry> updated_carry(const ops::ScanOp::Carry& carry) {
  UpdatedCarry updated{carry, {}};
  if (returns_of(*carry.next) != 1) return std::nullopt;
  for (const ir::Value* value = carry.next; value != carry.argument;) {
    const ir::Value* before = before_update(*value);
    if (before == nullptr) return std::nullopt;
    updated.updates.push_back({value->op(), value});
    value = before;
    const auto links = std::count_if(value->uses().begin(), value->uses().end(), is_link);
    if (links != 1 || returns_of(*value) != 0) return std::nullopt;
  }
  if (updated.updates.empty()) return std::nullopt;
  std::reverse(updated.updates.begin(), updated.updates.end());
  return updated;
}

std::vector<const ir::Value*> readings(const UpdatedCarry& updated, size_t u, int64_t most,
                                       const std::function<int64_t(const ir::Value*)>& elements) {
  std::vector<const ir::Value*> found, pending{updated.version(u)};
  std::unordered_set<const ir::Value*> seen;
  while (!pending.empty()) {
    const ir::Value* value = pending.back();
    pending.pop_back();
    for (const ir::Use& use : value->uses()) {
      const ir::Op& op = *use.op;
      if (op.is_return() || (is_link(use) && value == updated.version(u))) continue;
      const bool reads_all = std::holds_alternative<ir::Reduction>(*op.record().becomes) ||
                             std::holds_alternative<ir::Contraction>(*op.record().becomes);
      if (reads_all && elements(value) > kMaxCarriedElements)
        throw NotFusible(
            "", *value,
            " is read as a whole in the step of a scan that changes the carry in part, and has so "
            "many elements that threads had better share them");
      for (const ir::Value* result : op.results()) {
        if (!seen.insert(result).second) continue;
        if (elements(result) <= most) {
          found.push_back(result);
          continue;
        }
        const ir::Becomes& becomes = *op.record().becomes;
        if (!std::holds_alternative<ir::View>(becomes) && !std::holds_alternative<ir::ScalarRecipe>(becomes))
          throw NotFusible(
              "", *result,
              " is made of a carry that the step of a scan changes in part, and has more elements "
              "than fit in registers until then");
        pending.push_back(result);
      }
    }
  }
  return found;
}

}  // namespace ingot::kernel
