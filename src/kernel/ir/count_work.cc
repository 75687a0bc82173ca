#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "kernel/ir/blocks.h"
#include "kernel/ir/count_work.h"
#include "kernel/ir/in_place.h"

namespace ingot::kernel {
namespace {

// Elements of one buffer that are touched.
class Touched {
 public:
  // Each access with an offset of its own touches other elements, up to all between the first and the last.
  void add(const Index& offset, int64_t points) {
    if (!seen_.insert(offset).second) return;
    first_ = std::min(first_, offset.min());
    last_ = std::max(last_, offset.max());
    count_ = std::min(count_ + points, last_ - first_ + 1);
  }
  int64_t count() const { return count_; }

 private:
  std::set<Index> seen_;
  int64_t first_ = std::numeric_limits<int64_t>::max(), last_ = std::numeric_limits<int64_t>::min();
  int64_t count_ = 0;
};

struct Counter {
  const Kernel& kernel;
  // Two that are the same memory, which is updated without being copied; or none.
  BufferId updated_input = kNone, updated_output = kNone;
  std::map<BufferId, Touched> elements = {};            // of parameters
  std::map<VarId, int64_t> extents = {};                // of open loops
  std::set<std::pair<BufferId, BufferId>> copies = {};  // inputs that outputs begin as
  int64_t flops = 0;
  bool has_scan = false, has_reduce = false, has_arithmetic = false;

  int64_t bytes_of(BufferId buffer) const {
    const auto it = elements.find(buffer);
    if (it == elements.end()) return 0;
    const Buffer& info = kernel.buffers[static_cast<size_t>(buffer)];
    return std::min(it->second.count(), info.elements) * static_cast<int64_t>(byte_size(info.dtype));
  }

  // What is read of an output has been written there by the kernel, or is what the updated input was.
  void read(const Load& load, int64_t all_points) {
    const bool output = kernel.buffers[static_cast<size_t>(load.buffer)].kind == Buffer::Kind::kOutput;
    if (!output) touch(load.buffer, load.offset, all_points);
    if (output && load.buffer == updated_output) touch(updated_input, load.offset, all_points);
  }

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
    elements[buffer].add(offset, points);
  }

  // Conversions of floats that are only stored as f16 or bf16 are no work of the program's.
  bool stores_narrow(const Let& let) const {
    return *let.record->name == std::string_view("convert") &&
           (is_narrow_float(kernel.scalars[static_cast<size_t>(let.result)]) ||
            is_narrow_float(kernel.scalars[static_cast<size_t>(let.operands[0])]));
  }

  void visit(const Block& block, int64_t points) {
    for (const Stmt& stmt : block.stmts) {
      if (auto* s = std::get_if<Load>(&stmt.node)) read(*s, points);
      if (auto* s = std::get_if<Store>(&stmt.node)) touch(s->buffer, s->offset, points);
      if (auto* s = std::get_if<Let>(&stmt.node)) {
        has_arithmetic = true;
        if (is_float(kernel.scalars[static_cast<size_t>(s->result)]) && !stores_narrow(*s)) flops += points;
      }
      if (auto* loop = std::get_if<Loop>(&stmt.node)) {
        has_scan = has_scan || loop->kind == LoopKind::kScan;
        has_reduce = has_reduce || loop->kind == LoopKind::kReduce;
        extents[loop->var] = loop->extent;
        BufferId input = kNone;
        if (const Store* store = copying_store(kernel, *loop, input)) {
          copies.emplace(input, store->buffer);
          if (input == updated_input && store->buffer == updated_output) continue;
        }
        visit(loop->body, points * loop->extent);
        visit(loop->combiner.body, points * loop->extent);
      }
    }
  }
};

}  // namespace

void count_work(Kernel& kernel) {
  Counter counter{kernel};
  counter.visit(kernel.body, 1);
  kernel.bytes_read = kernel.bytes_written = 0;
  kernel.parameter_bytes.clear();
  for (BufferId buffer = 0; buffer < kernel.input_count + kernel.output_count; ++buffer) {
    kernel.parameter_bytes.push_back(counter.bytes_of(buffer));
    (buffer < kernel.input_count ? kernel.bytes_read : kernel.bytes_written) += counter.bytes_of(buffer);
  }
  kernel.copied_first.clear();
  for (const auto& [input, output] : counter.copies) {
    Counter updated{kernel, input, output};
    updated.visit(kernel.body, 1);
    kernel.copied_first.push_back({input, output, counter.bytes_of(input) - updated.bytes_of(input),
                                   counter.bytes_of(output) - updated.bytes_of(output)});
  }
  kernel.flops = counter.flops;
  kernel.kind = counter.has_scan         ? "scan"
                : counter.has_reduce     ? "reduction"
                : counter.has_arithmetic ? "elementwise"
                                         : "copy";
}

}  // namespace ingot::kernel
