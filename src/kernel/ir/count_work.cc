#include <algorithm>
#include <map>
#include <set>

#include "kernel/ir/blocks.h"
#include "kernel/ir/count_work.h"

namespace ingot::kernel {
namespace {

struct Counter {
  Kernel& kernel;
  std::map<BufferId, int64_t> elements;  // touched, of parameters
  std::map<VarId, int64_t> extents;      // of open loops
  int64_t flops = 0;
  bool has_scan = false, has_reduce = false, has_arithmetic = false;

  // A bound variable takes as many values as there are points, at most.
  void touch(BufferId buffer, const Index& offset, int64_t all_points) {
    const Buffer& info = kernel.buffers[static_cast<size_t>(buffer)];
    if (info.kind == Buffer::Kind::kLocal || info.kind == Buffer::Kind::kShared) return;
    std::vector<int> vars;
    offset.collect_variables(vars);
    int64_t points = 1;
    for (int var : vars) {
      const bool bound = kernel.bound.count(var) > 0;
      points = std::min(points * (bound ? kernel.var_extents[static_cast<size_t>(var)] : extents[var]),
                        info.elements);
    }
    if (kernel.uses_bound(offset)) points = std::min(points, all_points);
    // Each access with an offset of its own touches other elements, up to the whole buffer.
    elements[buffer] =
        std::min(info.elements, elements[buffer] + (seen.emplace(buffer, offset).second ? points : 0));
  }
  std::set<std::pair<BufferId, Index>> seen;

  // Conversions of floats that are only stored as f16 or bf16 are no work of the program's.
  bool stores_narrow(const Let& let) const {
    return *let.record->name == std::string_view("convert") &&
           (is_narrow_float(kernel.scalars[static_cast<size_t>(let.result)]) ||
            is_narrow_float(kernel.scalars[static_cast<size_t>(let.operands[0])]));
  }

  void visit(const Block& block, int64_t points) {
    for (const Stmt& stmt : block.stmts) {
      if (auto* s = std::get_if<Load>(&stmt.node)) touch(s->buffer, s->offset, points);
      if (auto* s = std::get_if<Store>(&stmt.node)) touch(s->buffer, s->offset, points);
      if (auto* s = std::get_if<Let>(&stmt.node)) {
        has_arithmetic = true;
        if (is_float(kernel.scalars[static_cast<size_t>(s->result)]) && !stores_narrow(*s)) flops += points;
      }
      if (auto* loop = std::get_if<Loop>(&stmt.node)) {
        has_scan = has_scan || loop->kind == LoopKind::kScan;
        has_reduce = has_reduce || loop->kind == LoopKind::kReduce;
        extents[loop->var] = loop->extent;
        visit(loop->body, points * loop->extent);
        visit(loop->combiner.body, points * loop->extent);
      }
    }
  }
};

}  // namespace

void count_work(Kernel& kernel) {
  Counter counter{kernel, {}, {}, 0, false, false, false, {}};
  counter.visit(kernel.body, 1);
  kernel.bytes_read = kernel.bytes_written = 0;
  for (auto& [buffer, elements] : counter.elements) {
    const Buffer& info = kernel.buffers[static_cast<size_t>(buffer)];
    (info.kind == Buffer::Kind::kInput ? kernel.bytes_read : kernel.bytes_written) +=
        elements * static_cast<int64_t>(byte_size(info.dtype));
  }
  kernel.flops = counter.flops;
  kernel.kind = counter.has_scan         ? "scan"
                : counter.has_reduce     ? "reduction"
                : counter.has_arithmetic ? "elementwise"
                                         : "copy";
}

}  // namespace ingot::kernel
