#include <algorithm>
#include <cstdlib>
#include <unordered_set>

#include "kernel/ir/blocks.h"
#include "kernel/ir/kernel_ir.h"

namespace ingot::kernel {
namespace {

bool is_associative(const Let& let) {
  auto* recipe = std::get_if<ir::ScalarRecipe>(&*let.record->becomes);
  return recipe != nullptr && let.operands.size() == 2 && *recipe->identity != nullptr;
}

// How often straight-line code names a scalar.
int64_t uses_in(const Block& block, ScalarId id) {
  int64_t count = 0;
  for (const Stmt& stmt : block.stmts) {
    if (auto* s = std::get_if<Let>(&stmt.node))
      count += std::count(s->operands.begin(), s->operands.end(), id);
    if (auto* s = std::get_if<Load>(&stmt.node)) count += s->predicate == id;
    if (auto* s = std::get_if<Store>(&stmt.node)) count += s->value == id;
  }
  return count;
}

// Whether no two steps store in one place: the later one has to stand there.
bool stores_apart(const Loop& loop) {
  std::vector<const Store*> stores;
  for (const Stmt& stmt : loop.body.stmts) {
    const auto* store = std::get_if<Store>(&stmt.node);
    if (store == nullptr) continue;
    const int64_t stride = store->offset.coefficient(loop.var);
    if (stride == 0 || store->offset.uses_nonlinearly(loop.var)) return false;
    for (const Store* other : stores) {
      if (other->buffer != store->buffer) continue;
      const Index between = store->offset - other->offset;
      if (!between.is_constant()) return false;
      const int64_t distance = std::abs(between.constant()), step = std::abs(stride);
      if (distance != 0 && distance % step == 0 && distance / step < loop.extent) return false;
    }
    stores.push_back(store);
  }
  return true;
}

}  // namespace

std::vector<const Let*> running_totals(const Loop& loop) {
  if (loop.kind != LoopKind::kScan || loop.carries.empty() || !loop.running.empty()) return {};
  if (!stores_apart(loop)) return {};
  std::vector<const Let*> found;
  std::unordered_set<BufferId> stored;
  for (const Stmt& stmt : loop.body.stmts) {
    if (std::holds_alternative<Loop>(stmt.node) || std::holds_alternative<Alloc>(stmt.node)) return {};
    if (const auto* store = std::get_if<Store>(&stmt.node)) stored.insert(store->buffer);
  }
  for (const Stmt& stmt : loop.body.stmts) {  // a step may read what the one before has stored
    const auto* load = std::get_if<Load>(&stmt.node);
    if (load != nullptr && stored.count(load->buffer) > 0) return {};
  }
  for (const Carry& carry : loop.carries) {
    const Let* total = nullptr;
    for (const Stmt& stmt : loop.body.stmts) {
      auto* let = std::get_if<Let>(&stmt.node);
      if (let != nullptr && let->result == carry.next) total = let;
    }
    if (total == nullptr || !is_associative(*total) || total->operands[0] == total->operands[1]) return {};
    if (!std::count(total->operands.begin(), total->operands.end(), carry.arg)) return {};
    int64_t used = uses_in(loop.body, carry.arg);
    for (const Carry& other : loop.carries) used += other.next == carry.arg;
    if (used != 1) return {};
    if (std::count(found.begin(), found.end(), total)) return {};  // it combines two carries with each other
    found.push_back(total);
  }
  return found;
}

}  // namespace ingot::kernel
