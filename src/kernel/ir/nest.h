// The root nest of a kernel, taken apart and put together again. Private to the schedule.
#pragma once

#include <algorithm>

#include "kernel/ir/kernel_ir.h"

namespace ingot::kernel {

struct Nest {
  std::vector<Loop> loops;  // the parallel loops, outermost first, with empty bodies
  Block body;
};

inline Nest take_nest(Kernel& kernel) {
  Nest nest;
  Block block = std::move(kernel.body);
  while (block.stmts.size() == 1) {
    auto* loop = std::get_if<Loop>(&block.stmts[0].node);
    if (loop == nullptr || loop->kind != LoopKind::kParallel) break;
    Block inner = std::move(loop->body);
    loop->body = Block{};
    nest.loops.push_back(std::move(*loop));
    block = std::move(inner);
  }
  nest.body = std::move(block);
  return nest;
}

inline Block wrap(std::vector<Loop> loops, Block body) {
  for (size_t i = loops.size(); i-- > 0;) {
    loops[i].body = std::move(body);
    body = Block{};
    body.stmts.push_back({std::move(loops[i])});
  }
  return body;
}

inline void put_nest(Kernel& kernel, Nest nest) {
  kernel.body = wrap(std::move(nest.loops), std::move(nest.body));
}

inline Loop make_loop(Kernel& kernel, const std::string& name, int64_t extent, int64_t step, LoopKind kind,
                      LoopStyle style = LoopStyle::kSerial) {
  Loop loop;
  loop.var = kernel.add_var(name, extent - step + 1);
  loop.extent = extent;
  loop.step = step;
  loop.kind = kind;
  loop.style = style;
  return loop;
}

// The block as a phase: one unit if it has no parallel loop.
inline Block as_phase(Kernel& kernel, Block block) {
  const bool parallel = std::any_of(block.stmts.begin(), block.stmts.end(), [](const Stmt& stmt) {
    auto* loop = std::get_if<Loop>(&stmt.node);
    return loop != nullptr && loop->kind == LoopKind::kParallel;
  });
  if (parallel) return block;
  return wrap({make_loop(kernel, "one", 1, 1, LoopKind::kParallel)}, std::move(block));
}

// Calls fn for each phase, as if it were the whole kernel.
template <class Fn>
void for_each_phase(Kernel& kernel, Fn fn) {
  Block all = std::move(kernel.body);
  auto is_phase = [](const Stmt& stmt) {
    auto* loop = std::get_if<Loop>(&stmt.node);
    return loop != nullptr && loop->kind == LoopKind::kParallel;
  };
  if (std::none_of(all.stmts.begin(), all.stmts.end(), is_phase)) {
    kernel.body = std::move(all);
    return fn();
  }
  Block done;
  for (Stmt& stmt : all.stmts) {
    const bool phase = is_phase(stmt);
    kernel.body = Block{};
    kernel.body.stmts.push_back(std::move(stmt));
    if (phase) fn();
    for (Stmt& made : kernel.body.stmts) done.stmts.push_back(std::move(made));
  }
  kernel.body = std::move(done);
}

}  // namespace ingot::kernel
