// The copies that a plan asks for. Long ones run on all threads and show up in the launch log as kernels of
// the kind "copy", so that no memory traffic is hidden.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/device.h"

namespace ingot::runtime {

// What the log says of a copy, "%x to result 0, since ...", and the lines of what it is made for. Nobody need
// make it where nobody watches.
struct CopyReason {
  std::string about;
  std::vector<std::string> source_lines;
};

// A part of a launch in the host's memory.
void copy_unlogged(void* to, const void* from, int64_t bytes);

// Copies `bytes` in the given memory; equal pointers need nothing, other overlaps are not allowed.
void copy_buffer(const DeviceMemory& memory, void* to, const void* from, int64_t bytes,
                 const CopyReason& reason);

// Copies `pieces` pieces of `piece_bytes` each, to and from addresses that advance by the given strides.
void copy_pieces(const DeviceMemory& memory, void* to, int64_t to_stride, const void* from,
                 int64_t from_stride, int64_t pieces, int64_t piece_bytes, const CopyReason& reason);

}  // namespace ingot::runtime
