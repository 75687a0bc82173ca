#include "runtime/plan_copy.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "kernel/cost/table.h"
#include "runtime/kernel.h"
#include "runtime/launch_log.h"

namespace ingot::runtime {
namespace {

constexpr int64_t kUnitBytes = 4096;
constexpr double kNsPerByte = 2 * prices::kNsPerByte;  // read and written

struct Copy {
  std::byte* to;
  int64_t to_stride;
  const std::byte* from;
  int64_t from_stride;
  int64_t pieces;
  int64_t piece_bytes;
};

template <class Element>
void copy_elements(const Copy& copy, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    Element element;  // through memcpy: the addresses need not be aligned
    std::memcpy(&element, copy.from + i * copy.from_stride, sizeof(Element));
    std::memcpy(copy.to + i * copy.to_stride, &element, sizeof(Element));
  }
}

void copy_range(const Copy& copy, int64_t begin, int64_t end) {
  switch (copy.piece_bytes) {
    case 1:
      return copy_elements<uint8_t>(copy, begin, end);
    case 2:
      return copy_elements<uint16_t>(copy, begin, end);
    case 4:
      return copy_elements<uint32_t>(copy, begin, end);
    case 8:
      return copy_elements<uint64_t>(copy, begin, end);
    default:
      for (int64_t i = begin; i < end; ++i) {
        std::memcpy(copy.to + i * copy.to_stride, copy.from + i * copy.from_stride,
                    static_cast<size_t>(copy.piece_bytes));
      }
  }
}

// As a kernel: units are pieces, or pages of the one piece. buffers[2] is the description.
void copy_units(void* const* buffers, int64_t begin, int64_t end, void*) {
  const Copy& copy = *static_cast<const Copy*>(buffers[2]);
  if (copy.pieces != 1) return copy_range(copy, begin, end);
  int64_t first = begin * kUnitBytes;
  int64_t last = std::min(end * kUnitBytes, copy.piece_bytes);
  std::memcpy(copy.to + first, copy.from + first, static_cast<size_t>(last - first));
}

// The kernel that copies, whose buffers are both places and the description.
CompiledKernel kernel_of(const Copy& copy) {
  int64_t bytes = copy.pieces * copy.piece_bytes;
  CompiledKernel kernel;
  kernel.name = "copy";
  kernel.kind = "copy";
  kernel.function = copy_units;
  kernel.units = copy.pieces != 1 ? copy.pieces : (bytes + kUnitBytes - 1) / kUnitBytes;
  kernel.unit_cost_ns = {copy.pieces != 1
                             ? prices::kNsPerPiece + kNsPerByte * static_cast<double>(copy.piece_bytes)
                             : kNsPerByte * kUnitBytes};
  kernel.bytes_read = bytes;
  kernel.bytes_written = bytes;
  kernel.parameters = {{DType::kU8, {copy.pieces, copy.piece_bytes}, false},
                       {DType::kU8, {copy.pieces, copy.piece_bytes}, true}};
  return kernel;
}

void launch_copy(Copy copy, const CopyReason& reason) {
  CompiledKernel kernel = kernel_of(copy);
  if (!reason.about.empty()) kernel.name += " of " + reason.about;
  void* buffers[] = {const_cast<std::byte*>(copy.from), copy.to, &copy};
  launch(kernel, buffers, reason.source_lines);
}

Copy whole(void* to, const void* from, int64_t bytes) {
  return {static_cast<std::byte*>(to), bytes, static_cast<const std::byte*>(from), bytes, 1, bytes};
}

}  // namespace

void copy_unlogged(void* to, const void* from, int64_t bytes) {
  Copy copy = whole(to, from, bytes);
  void* buffers[] = {const_cast<void*>(from), to, &copy};
  launch_unlogged(kernel_of(copy), buffers);
}

void copy_buffer(const DeviceMemory& memory, void* to, const void* from, int64_t bytes,
                 const CopyReason& reason) {
  if (to == from || bytes == 0) return;
  if (!memory.of_host()) return memory.copy_pieces(to, bytes, from, bytes, 1, bytes);
  if (bytes <= prices::kSmallCache && !launches_watched()) {
    std::memcpy(to, from, static_cast<size_t>(bytes));
  } else {
    launch_copy(whole(to, from, bytes), reason);
  }
}

void copy_pieces(const DeviceMemory& memory, void* to, int64_t to_stride, const void* from,
                 int64_t from_stride, int64_t pieces, int64_t piece_bytes, const CopyReason& reason) {
  if (pieces * piece_bytes == 0) return;
  if (!memory.of_host()) return memory.copy_pieces(to, to_stride, from, from_stride, pieces, piece_bytes);
  Copy copy{static_cast<std::byte*>(to),
            to_stride,
            static_cast<const std::byte*>(from),
            from_stride,
            pieces,
            piece_bytes};
  if (pieces * piece_bytes <= prices::kSmallCache && !launches_watched()) {
    copy_range(copy, 0, pieces);
  } else {
    launch_copy(copy, reason);
  }
}

}  // namespace ingot::runtime
