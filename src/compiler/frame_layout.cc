#include "compiler/frame_layout.h"

#include <algorithm>
#include <string>

#include "ingot/error.h"
#include "kernel/cost/table.h"

namespace ingot::compiler {
namespace {

constexpr int64_t kAlignment = prices::kLineBytes;

int64_t align(int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

int64_t FrameLayout::place() {
  std::vector<Buffer*> by_size;
  for (Buffer& buffer : buffers_) by_size.push_back(&buffer);
  std::stable_sort(by_size.begin(), by_size.end(), [](Buffer* a, Buffer* b) { return a->bytes > b->bytes; });
  int64_t size = 0;
  std::vector<Buffer*> placed;  // sorted by offset
  for (Buffer* buffer : by_size) {
    int64_t offset = 0;
    for (Buffer* other : placed) {
      if (other->last < buffer->first || buffer->last < other->first) continue;
      if (other->offset >= offset + align(buffer->bytes)) break;
      offset = std::max(offset, other->offset + align(other->bytes));
    }
    buffer->offset = offset;
    size = std::max(size, offset + align(buffer->bytes));
    placed.insert(std::upper_bound(placed.begin(), placed.end(), buffer,
                                   [](Buffer* a, Buffer* b) { return a->offset < b->offset; }),
                  buffer);
  }
  // A caller's frame holds those of what it calls: far from the end of 64 bits they can be added.
  if (size > int64_t{1} << 56)
    throw Error("the values between the kernels of the program take " + std::to_string(size) +
                " bytes, more than any memory holds");
  return size;
}

}  // namespace ingot::compiler
