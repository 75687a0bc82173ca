// What the ways to tile a contraction share.
#include "kernel/schedule/contraction/contraction.h"

#include <algorithm>
#include <memory>

#include "kernel/ir/blocks.h"

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
