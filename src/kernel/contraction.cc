// What the ways to tile a contraction share.
#include "kernel/contraction.h"

#include <algorithm>
#include <memory>

#include "kernel/blocks.h"

namespace ingot::kernel {
namespace {

constexpr int kShortEpilogue = 2;  // instructions that may follow the sums in their registers

}  // namespace

bool store_is_contiguous(Block& block, VarId var) {
  bool any = false, all = true;
  for_each_stmt(block, [&](Stmt& stmt) {
    if (auto* s = std::get_if<Store>(&stmt.node)) {
      any = true;
      all = all && !s->offset.uses_nonlinearly(var) && s->offset.coefficient(var) == 1;
    }
  });
  return any && all;
}

Loop* single_reduction(Block& body) {
  Loop* found = nullptr;
  for (Stmt& stmt : body.stmts) {
    if (std::holds_alternative<Alloc>(stmt.node)) return nullptr;
    if (auto* loop = std::get_if<Loop>(&stmt.node)) {
      if (found != nullptr || loop->kind != LoopKind::kReduce) return nullptr;
      found = loop;
    }
  }
  return found;
}

bool only_reductions(Block& block) {
  bool fine = true;
  for_each_stmt(block, [&](Stmt& stmt) {
    if (auto* loop = std::get_if<Loop>(&stmt.node))
      fine = fine && loop->kind == LoopKind::kReduce && loop->extent > 0;
    if (std::holds_alternative<Alloc>(stmt.node) || std::holds_alternative<Store>(stmt.node)) fine = false;
  });
  return fine;
}

int64_t divide_up(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

int64_t near_divisor(int64_t n, int64_t most) {
  for (int64_t d = std::min(n, most); d * 2 >= most && d > 0; --d) {
    if (n % d == 0) return d;
  }
  return n;
}

bool short_epilogue(const Block& body) {
  int after = 0;
  bool behind = false;
  for (const Stmt& stmt : body.stmts) {
    behind = behind || std::holds_alternative<Loop>(stmt.node);
    if (behind && std::holds_alternative<Let>(stmt.node)) after += cost(stmt);
  }
  return after <= kShortEpilogue;
}

bool contiguous_along(Loop& reduction, VarId here, VarId other) {
  bool contiguous = true;
  for (const Stmt& stmt : innermost(reduction).body.stmts) {
    auto* load = std::get_if<Load>(&stmt.node);
    if (load == nullptr || !load->offset.uses(here) || load->offset.uses(other)) continue;
    contiguous = contiguous && !load->offset.uses_nonlinearly(here) && load->offset.coefficient(here) == 1;
  }
  return contiguous;
}

int64_t count_of(const Loop& loop) {
  return divide_up(loop.extent, loop.step);
}

Index ordinal_of(const Kernel& kernel, const Loop& loop) {
  return (kernel.var(loop.var) + Index(loop.step - 1)).floor_div(loop.step);
}

Index start_of(const Index& ordinal, int64_t count, int64_t tile, int64_t chunk) {
  if (count * tile <= chunk) return ordinal * tile;
  std::vector<int64_t> starts;
  for (int64_t i = 0; i < count; ++i) starts.push_back(std::min(i * tile, chunk - tile));
  return ordinal.lookup(std::make_shared<const std::vector<int64_t>>(std::move(starts)));
}

}  // namespace ingot::kernel
