// What a kernel is called by, as its loops and statements tell.
#include <algorithm>

#include "kernel/ir/blocks.h"

namespace ingot::kernel {

std::string_view name_of(KernelKind kind) {
  constexpr std::string_view kNames[] = {"fill", "copy", "elementwise", "reduction", "scan", "contraction"};
  return kNames[static_cast<size_t>(kind)];
}

KernelKind kind_of(const Kernel& kernel) {
  KernelKind found = KernelKind::kFill;
  for_each_stmt(const_cast<Block&>(kernel.body), [&](const Stmt& stmt) {
    KernelKind here = KernelKind::kFill;
    if (std::holds_alternative<Load>(stmt.node)) here = KernelKind::kCopy;
    if (std::holds_alternative<Let>(stmt.node)) here = KernelKind::kElementwise;
    if (const auto* loop = std::get_if<Loop>(&stmt.node)) {
      if (loop->kind == LoopKind::kReduce) here = KernelKind::kReduction;
      if (loop->kind == LoopKind::kScan) here = KernelKind::kScan;
    }
    found = std::max(found, here);
  });
  return found;
}

}  // namespace ingot::kernel
