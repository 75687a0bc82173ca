#include "kernel/ir/in_place.h"

#include "kernel/ir/blocks.h"

namespace ingot::kernel {
namespace {

// Loops whose last bodies overlap compute some points twice, the second time from what the first one wrote.
// Lanes overlap too unless their vectors divide the extent, whatever the width of the machine's vectors.
constexpr int64_t kWidestVectorElements = 256;

bool repeats_points(const Loop& loop) {
  if (loop.extent % loop.step != 0) return true;
  return loop.style == LoopStyle::kLanes && loop.extent % kWidestVectorElements != 0;
}

void mark_in(const Kernel& kernel, Block& block) {
  for (Stmt& stmt : block.stmts) {
    auto* loop = std::get_if<Loop>(&stmt.node);
    if (loop == nullptr) continue;
    BufferId input = kNone;
    if (copying_store(kernel, *loop, input) != nullptr) {
      loop->copies = input;
    } else {
      mark_in(kernel, loop->body);
    }
  }
}

// Is the input only copied, before the output is updated, which reads nothing else of it? Then what is in
// place is a copy already.
bool is_only_copied(const Kernel& kernel, const Block& block, BufferId input, BufferId output, bool& copied) {
  for (const Stmt& stmt : block.stmts) {
    if (auto* s = std::get_if<Load>(&stmt.node); s && s->buffer == input) return false;
    auto* loop = std::get_if<Loop>(&stmt.node);
    if (loop == nullptr) continue;
    if (loop->copies == input) {
      BufferId from = kNone;
      const Store* store = copying_store(kernel, *loop, from);
      if (store == nullptr || store->buffer != output) return false;
      copied = true;
    } else if (!is_only_copied(kernel, loop->body, input, output, copied)) {
      return false;
    }
  }
  return true;
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

void mark_copies(Kernel& kernel) {
  bool updates = false;
  for_each_stmt(kernel.body, [&](const Stmt& stmt) {
    auto* load = std::get_if<Load>(&stmt.node);
    updates =
        updates || (load && kernel.buffers[static_cast<size_t>(load->buffer)].kind == Buffer::Kind::kOutput);
  });
  if (updates) mark_in(kernel, kernel.body);
}

const Store* copying_store(const Kernel& kernel, const Loop& loop, BufferId& input) {
  if (loop.kind != LoopKind::kMap && loop.kind != LoopKind::kScan) return nullptr;
  if (!loop.carries.empty() || loop.steps != kNone) return nullptr;
  const std::vector<Stmt>& stmts = loop.body.stmts;
  if (stmts.size() == 1 && std::holds_alternative<Loop>(stmts[0].node))
    return copying_store(kernel, std::get<Loop>(stmts[0].node), input);
  if (stmts.size() != 2) return nullptr;
  auto* load = std::get_if<Load>(&stmts[0].node);
  auto* store = std::get_if<Store>(&stmts[1].node);
  if (load == nullptr || store == nullptr || load->predicate != kNone) return nullptr;
  if (store->value != load->result || store->offset != load->offset) return nullptr;
  const Buffer &from = kernel.buffers[static_cast<size_t>(load->buffer)],
               &to = kernel.buffers[static_cast<size_t>(store->buffer)];
  if (from.kind != Buffer::Kind::kInput || to.kind != Buffer::Kind::kOutput || from.elements != to.elements)
    return nullptr;
  input = load->buffer;
  return store;
}

bool is_copied_first(const Kernel& scheduled, BufferId input, BufferId output) {
  bool copied = false;
  return is_only_copied(scheduled, scheduled.body, input, output, copied) && copied;
}

bool may_run_in_place(const Kernel& scheduled, int input, int output) {
  Search search;
  search.input = input;
  search.output = scheduled.input_count + output;
  const Buffer &in = scheduled.buffers[static_cast<size_t>(search.input)],
               &out = scheduled.buffers[static_cast<size_t>(search.output)];
  if (in.elements != out.elements || byte_size(in.dtype) != byte_size(out.dtype)) return false;
  if (is_copied_first(scheduled, search.input, search.output)) return true;
  search.visit(scheduled.body);
  if (!search.fine || search.stores != 1) return false;
  search.check_loads(scheduled.body);
  return search.fine;
}

}  // namespace ingot::kernel
