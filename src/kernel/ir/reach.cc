#include "kernel/ir/reach.h"

#include <algorithm>
#include <limits>

#include "kernel/ir/blocks.h"

namespace ingot::kernel {
namespace {

struct Reach {
  int64_t first = std::numeric_limits<int64_t>::max(), last = std::numeric_limits<int64_t>::min();

  bool is_part_of(const Buffer& buffer) const {
    return first <= last && first >= 0 && last < buffer.elements && last - first + 1 < buffer.elements;
  }
};

}  // namespace

void cut_to_reach(Kernel& kernel) {
  const auto inputs = static_cast<size_t>(kernel.input_count);
  std::vector<Reach> reach(inputs);
  for_each_stmt(kernel.body, [&](const Stmt& stmt) {
    const auto* load = std::get_if<Load>(&stmt.node);
    if (load == nullptr || static_cast<size_t>(load->buffer) >= inputs) return;
    Reach& of = reach[static_cast<size_t>(load->buffer)];
    of.first = std::min(of.first, load->offset.min());
    of.last = std::max(of.last, load->offset.max());
  });
  kernel.input_starts.assign(inputs, 0);
  for (size_t b = 0; b < inputs; ++b) {
    Buffer& buffer = kernel.buffers[b];
    if (!reach[b].is_part_of(buffer)) continue;
    kernel.input_starts[b] = reach[b].first;
    buffer.elements = reach[b].last - reach[b].first + 1;
    buffer.shape = {buffer.elements};
  }
  for_each_stmt(kernel.body, [&](Stmt& stmt) {
    auto* load = std::get_if<Load>(&stmt.node);
    if (load == nullptr || static_cast<size_t>(load->buffer) >= inputs) return;
    load->offset = load->offset - kernel.input_starts[static_cast<size_t>(load->buffer)];
  });
}

}  // namespace ingot::kernel
