#include "kernel/ir/copier.h"

namespace ingot::kernel {

std::vector<ScalarId> Copier::fresh(const std::vector<ScalarId>& ids) const {
  std::vector<ScalarId> result;
  for (ScalarId id : ids) result.push_back(fresh(id));
  return result;
}

Index Copier::fresh(const Index& index) const {
  return index.substitute([&](int id, int64_t extent) {
    auto it = variables_.find(id);
    return it == variables_.end() ? Index::variable(id, extent) : it->second;
  });
}

Stmt Copier::operator()(const Stmt& stmt) {
  Stmt result = stmt;
  std::visit([&](auto& node) { copy(node); }, result.node);
  return result;
}

Block Copier::operator()(const Block& block) {
  Block result;
  for (const Stmt& stmt : block.stmts) result.stmts.push_back((*this)(stmt));
  return result;
}

ScalarId Copier::made(ScalarId id) {
  return scalars_[id] = kernel_.add_scalar(kernel_.scalars[static_cast<size_t>(id)]);
}

void Copier::copy(Let& let) {
  const ScalarId old = let.result;
  let.operands = fresh(let.operands);
  let.result = made(old);
  std::vector<VarId> follow;  // variables that are this scalar's value
  for (auto [var, scalar] : kernel_.bound) {
    if (scalar == old) follow.push_back(var);
  }
  for (VarId var : follow) {
    const auto at = static_cast<size_t>(var);
    const VarId own = kernel_.add_var(kernel_.var_names[at], kernel_.var_extents[at]);
    kernel_.bound[own] = let.result;
    variables_[var] = kernel_.var(own);
  }
}

void Copier::copy(IndexValue& value) {
  value.index = fresh(value.index);
  value.result = made(value.result);
}

void Copier::copy(InRange& range) {
  range.index = fresh(range.index);
  range.result = made(range.result);
}

void Copier::copy(Load& load) {
  if (auto it = buffers_.find(load.buffer); it != buffers_.end()) load.buffer = it->second;
  load.offset = fresh(load.offset);
  if (load.predicate != kNone) load.predicate = fresh(load.predicate);
  load.result = made(load.result);
}

void Copier::copy(Store& store) {
  if (auto it = buffers_.find(store.buffer); it != buffers_.end()) store.buffer = it->second;
  store.offset = fresh(store.offset);
  store.value = fresh(store.value);
}

void Copier::copy(Append& append) {
  for (BufferId& list : append.lists)
    if (auto it = buffers_.find(list); it != buffers_.end()) list = it->second;
  if (auto it = buffers_.find(append.count); it != buffers_.end()) append.count = it->second;
  append.values = fresh(append.values);
  append.keep = fresh(append.keep);
}

void Copier::copy(Prefetch& prefetch) {
  if (auto it = buffers_.find(prefetch.buffer); it != buffers_.end()) prefetch.buffer = it->second;
  prefetch.offset = fresh(prefetch.offset);
}

void Copier::copy(Alloc& alloc) {
  const Buffer same = kernel_.buffers[static_cast<size_t>(alloc.buffer)];
  alloc.buffer = buffers_[alloc.buffer] = kernel_.add_buffer(same);
}

void Copier::copy(Loop& loop) {
  const auto var = static_cast<size_t>(loop.var);
  const VarId own = kernel_.add_var(kernel_.var_names[var], kernel_.var_extents[var]);
  variables_[loop.var] = kernel_.var(own);
  loop.var = own;
  loop.active = fresh(loop.active);
  if (loop.steps != kNone) loop.steps = fresh(loop.steps);
  for (Carry& carry : loop.carries) {
    carry.init = fresh(carry.init);
    if (carry.arg != kNone) carry.arg = made(carry.arg);
  }
  loop.body = (*this)(loop.body);
  for (ScalarId& id : loop.combiner.lhs) id = made(id);
  for (ScalarId& id : loop.combiner.rhs) id = made(id);
  loop.combiner.body = (*this)(loop.combiner.body);
  loop.combiner.out = fresh(loop.combiner.out);
  for (Carry& carry : loop.carries) {
    carry.next = fresh(carry.next);
    carry.result = made(carry.result);
  }
}

std::vector<ScalarId> combine(Kernel& kernel, const Combiner& combiner, const std::vector<ScalarId>& lhs,
                              const std::vector<ScalarId>& rhs, Block& to, const Copier* outside) {
  Copier copy = outside != nullptr ? *outside : Copier(kernel);
  for (size_t i = 0; i < lhs.size(); ++i) {
    copy.replace_scalar(combiner.lhs[i], lhs[i]);
    copy.replace_scalar(combiner.rhs[i], rhs[i]);
  }
  for (const Stmt& stmt : combiner.body.stmts) to.stmts.push_back(copy(stmt));
  return copy.fresh(combiner.out);
}

}  // namespace ingot::kernel
