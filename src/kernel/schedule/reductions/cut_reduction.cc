#include "kernel/schedule/reductions/cut_reduction.h"

#include <algorithm>

#include "base/divisors.h"
#include "kernel/ir/blocks.h"

namespace ingot::kernel {

bool is_reduction(const Stmt& stmt) {
  auto* loop = std::get_if<Loop>(&stmt.node);
  return loop != nullptr && loop->kind == LoopKind::kReduce;
}

Loop* same_reduction_inside(Loop& loop) {
  if (loop.body.stmts.size() != 1 || !is_reduction(loop.body.stmts[0])) return nullptr;
  Loop& inner = std::get<Loop>(loop.body.stmts[0].node);
  for (size_t i = 0; i < loop.carries.size(); ++i) {
    if (loop.carries[i].next != inner.carries[i].result || loop.carries[i].init != inner.carries[i].init)
      return nullptr;
  }
  return inner.carries.size() == loop.carries.size() ? &inner : nullptr;
}

std::vector<int64_t> extents_of(Loop& reduction) {
  std::vector<int64_t> extents;
  for (Loop* loop = &reduction; loop != nullptr; loop = same_reduction_inside(*loop))
    extents.push_back(loop->extent);
  return extents;
}

int64_t points_of(const Loop& loop) {
  int64_t inside = 1;
  for (const Stmt& stmt : loop.body.stmts) {
    if (auto* inner = std::get_if<Loop>(&stmt.node)) inside = std::max(inside, points_of(*inner));
  }
  return loop.extent * inside;
}

bool rounds(const Kernel& kernel, const Loop& loop) {
  return std::any_of(loop.carries.begin(), loop.carries.end(), [&](const Carry& carry) {
    return is_float(kernel.scalars[static_cast<size_t>(carry.init)]);
  });
}

Cut::Level cut_level(int64_t extent, int64_t wanted) {
  const int64_t pieces = std::clamp<int64_t>(wanted, 1, extent);
  if (const int64_t n = largest_divisor(extent, divide_up(pieces * 3, 4), pieces); n > 0)
    return {n, extent / n};
  const int64_t length = extent / pieces;
  return {extent / length, length};
}

Cut cut_into(const std::vector<int64_t>& extents, int64_t wanted) {
  Cut cut;
  for (size_t i = 0; i < extents.size() && wanted > 1; ++i) {
    if (extents[i] <= wanted && i + 1 < extents.size()) {
      cut.levels.push_back({extents[i], 1});
      wanted = (wanted + extents[i] - 1) / extents[i];
      continue;
    }
    cut.levels.push_back(cut_level(extents[i], wanted));
    cut.left_over = extents[i] - cut.levels.back().pieces * cut.levels.back().length;
    break;
  }
  // Where single points were enough, the next level stays whole.
  if (!cut.levels.empty() && cut.levels.size() < extents.size() && cut.levels.back().length == 1 &&
      cut.left_over == 0)
    cut.levels.push_back({1, extents[cut.levels.size()]});
  return cut;
}

namespace {

void set_range(Kernel& kernel, Loop& loop, const Index& start, int64_t extent) {
  const VarId old = loop.var;
  loop.extent = extent;
  loop.var = kernel.add_var(kernel.var_names[static_cast<size_t>(old)], extent);
  const Index at = start + kernel.var(loop.var);
  substitute(loop.body, [&](int id, int64_t e) { return id == old ? at : Index::variable(id, e); });
}

}  // namespace

Loop piece_of(Kernel& kernel, Copier& copy, const Stmt& reduction, const Cut& cut,
              const std::vector<Index>& at) {
  Loop loop = std::get<Loop>(copy(reduction).node);
  for (size_t i = 0; i + 1 < cut.levels.size(); ++i) {
    Loop inner = std::move(std::get<Loop>(loop.body.stmts[0].node));
    const VarId outer = loop.var;
    substitute(inner.body,
               [&](int id, int64_t extent) { return id == outer ? at[i] : Index::variable(id, extent); });
    loop = std::move(inner);
  }
  set_range(kernel, loop, at.back() * cut.levels.back().length, cut.levels.back().length);
  return loop;
}

Loop rest_of(Kernel& kernel, Copier& copy, const Stmt& reduction, const Cut& cut) {
  Loop loop = std::get<Loop>(copy(reduction).node);
  Loop* level = &loop;
  for (size_t i = 0; i + 1 < cut.levels.size(); ++i) level = same_reduction_inside(*level);
  set_range(kernel, *level, cut.levels.back().pieces * cut.levels.back().length, cut.left_over);
  return loop;
}

std::vector<ScalarId> results_of(const Loop& loop) {
  std::vector<ScalarId> ids;
  for (const Carry& carry : loop.carries) ids.push_back(carry.result);
  return ids;
}

}  // namespace ingot::kernel
