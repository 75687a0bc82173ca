#include "kernel/blocks.h"

namespace ingot::kernel {

void substitute(Block& block, const std::function<Index(int, int64_t)>& replace) {
  for_each_index(block, [&](Index& index) { index = index.substitute(replace); });
}

namespace {

void collect_uses(const Stmt& stmt, std::vector<ScalarId>& out) {
  auto add = [&](ScalarId id) {
    if (id != kNone) out.push_back(id);
  };
  if (auto* s = std::get_if<Let>(&stmt.node)) {
    for (ScalarId id : s->operands) add(id);
  } else if (auto* s = std::get_if<Load>(&stmt.node)) {
    add(s->predicate);
  } else if (auto* s = std::get_if<Store>(&stmt.node)) {
    add(s->value);
  } else if (auto* s = std::get_if<Loop>(&stmt.node)) {
    for (const Carry& carry : s->carries) {
      add(carry.init);
      add(carry.next);
    }
    for (const Stmt& inner : s->body.stmts) collect_uses(inner, out);
    for (const Stmt& inner : s->combiner.body.stmts) collect_uses(inner, out);
  }
}

}  // namespace

std::vector<ScalarId> uses(const Stmt& stmt) {
  std::vector<ScalarId> out;
  collect_uses(stmt, out);
  return out;
}

std::vector<ScalarId> results(const Stmt& stmt) {
  if (auto* s = std::get_if<Let>(&stmt.node)) return {s->result};
  if (auto* s = std::get_if<Literal>(&stmt.node)) return {s->result};
  if (auto* s = std::get_if<IndexValue>(&stmt.node)) return {s->result};
  if (auto* s = std::get_if<InRange>(&stmt.node)) return {s->result};
  if (auto* s = std::get_if<Load>(&stmt.node)) return {s->result};
  std::vector<ScalarId> out;
  if (auto* s = std::get_if<Loop>(&stmt.node)) {
    for (const Carry& carry : s->carries) out.push_back(carry.result);
  }
  return out;
}

int cost(const Stmt& stmt) {
  if (auto* s = std::get_if<Let>(&stmt.node)) return std::get<ir::ScalarRecipe>(*s->record->becomes).cost;
  if (std::holds_alternative<Literal>(stmt.node) || std::holds_alternative<Alloc>(stmt.node)) return 0;
  return 1;
}

}  // namespace ingot::kernel
