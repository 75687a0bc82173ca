#include "kernel/ir/blocks.h"
#include "kernel/ir/nest.h"
#include "kernel/ir/reductions.h"
#include "kernel/schedule/loops/loops.h"

namespace ingot::kernel {
namespace {

// True if every index sees outer * extent(inner) + inner.
bool seen_as_one(Block& block, VarId outer, VarId inner, int64_t inner_extent) {
  bool one = true;
  for_each_index(block, [&](const Index& index) {
    one = one && !index.uses_nonlinearly(outer) && !index.uses_nonlinearly(inner) &&
          index.coefficient(outer) == index.coefficient(inner) * inner_extent;
  });
  return one;
}

void merge_variables(Kernel& kernel, Block& block, VarId outer, VarId inner, int64_t inner_extent,
                     Loop& merged) {
  merged.extent *= inner_extent;
  const VarId fresh = kernel.add_var(kernel.var_names[static_cast<size_t>(outer)], merged.extent);
  merged.var = fresh;
  for_each_index(block, [&](Index& index) {
    const int64_t coefficient = index.coefficient(inner);
    if (index.coefficient(outer) == 0 && coefficient == 0) return;
    index = index.substitute([&](int id, int64_t extent) {
      return id == outer || id == inner ? Index(0) : Index::variable(id, extent);
    });
    index = index + kernel.var(fresh) * coefficient;
  });
}

// A loop whose body is one loop of the same kind, both without side exits, becomes one loop.
void collapse_inner(Kernel& kernel, Block& block, bool maps) {
  for (Stmt& stmt : block.stmts) {
    auto* loop = std::get_if<Loop>(&stmt.node);
    if (loop == nullptr) continue;
    collapse_inner(kernel, loop->body, maps);
    while (loop->body.stmts.size() == 1 &&
           ((maps && loop->kind == LoopKind::kMap) || loop->kind == LoopKind::kReduce)) {
      auto* inner = std::get_if<Loop>(&loop->body.stmts[0].node);
      if (inner == nullptr || inner->kind != loop->kind || inner->carries.size() != loop->carries.size())
        break;
      bool chained = loop->kind != LoopKind::kReduce || same_combiner(loop->combiner, inner->combiner);
      for (size_t i = 0; i < loop->carries.size(); ++i) {
        chained = chained && loop->carries[i].next == inner->carries[i].result &&
                  loop->carries[i].init == inner->carries[i].init;
      }
      if (!chained || !seen_as_one(inner->body, loop->var, inner->var, inner->extent)) break;
      Loop merged = std::move(*inner);
      for (size_t i = 0; i < loop->carries.size(); ++i) merged.carries[i].result = loop->carries[i].result;
      const int64_t inner_extent = merged.extent;
      const VarId inner_var = merged.var, outer_var = loop->var;
      merged.extent = loop->extent;
      merge_variables(kernel, merged.body, outer_var, inner_var, inner_extent, merged);
      *loop = std::move(merged);
    }
  }
}

}  // namespace

void collapse_chains(Kernel& kernel, Block& block) {
  collapse_inner(kernel, block, false);
}

void collapse_loops(Kernel& kernel) {
  Nest nest = take_nest(kernel);
  for (size_t i = 0; i + 1 < nest.loops.size();) {
    Loop &outer = nest.loops[i], &inner = nest.loops[i + 1];
    if (!seen_as_one(nest.body, outer.var, inner.var, inner.extent)) {
      ++i;
      continue;
    }
    merge_variables(kernel, nest.body, outer.var, inner.var, inner.extent, outer);
    nest.loops.erase(nest.loops.begin() + static_cast<int64_t>(i) + 1);
    if (i > 0) --i;
  }
  collapse_inner(kernel, nest.body, true);
  put_nest(kernel, std::move(nest));
}

}  // namespace ingot::kernel
