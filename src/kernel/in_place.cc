#include "kernel/in_place.h"

#include "kernel/blocks.h"

namespace ingot::kernel {
namespace {

// Loops whose last bodies overlap compute some points twice, the second time from what the first one wrote.
// Lanes overlap too unless their vectors divide the extent, whatever the width of the machine's vectors.
constexpr int64_t kWidestVectorElements = 256;

bool repeats_points(const Loop& loop) {
  if (loop.extent % loop.step != 0) return true;
  return loop.style == LoopStyle::kLanes && loop.extent % kWidestVectorElements != 0;
}

struct Search {
  BufferId input, output;
  const Block* store_block = nullptr;
  Index store_offset;
  int stores = 0;
  bool fine = true;

  void visit(const Block& block) {
    for (const Stmt& stmt : block.stmts) {
      if (auto* s = std::get_if<Store>(&stmt.node); s && s->buffer == output) {
        ++stores;
        store_block = &block;
        store_offset = s->offset;
      }
      if (auto* loop = std::get_if<Loop>(&stmt.node)) {
        if (repeats_points(*loop)) fine = false;
        visit(loop->body);
      }
    }
  }

  // Every load of the input stands before the store in the same block, at the same offset.
  void check_loads(const Block& block) {
    bool stored = false;
    for (const Stmt& stmt : block.stmts) {
      if (auto* s = std::get_if<Store>(&stmt.node); s && s->buffer == output) stored = true;
      if (auto* s = std::get_if<Load>(&stmt.node); s && s->buffer == input) {
        fine = fine && &block == store_block && !stored && s->offset == store_offset;
      }
      if (auto* loop = std::get_if<Loop>(&stmt.node)) check_loads(loop->body);
    }
  }
};

}  // namespace

bool may_run_in_place(const Kernel& scheduled, int input, int output) {
  Search search;
  search.input = input;
  search.output = scheduled.input_count + output;
  const Buffer &in = scheduled.buffers[static_cast<size_t>(search.input)],
               &out = scheduled.buffers[static_cast<size_t>(search.output)];
  if (in.elements != out.elements || byte_size(in.dtype) != byte_size(out.dtype)) return false;
  search.visit(scheduled.body);
  if (!search.fine || search.stores != 1) return false;
  search.check_loads(scheduled.body);
  return search.fine;
}

}  // namespace ingot::kernel
