// Memory for arrays. Buffers are recycled by size class, so that a result is written into pages that the
// process already owns: fresh pages cost more than most kernels. Small buffers go through a cache of the
// calling thread and take no lock; control block and header of a buffer are recycled with its memory, so a
// warm allocation calls no allocator at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "runtime/device.h"

namespace ingot::runtime {

// A piece of memory with unspecified contents: 64-byte aligned, page-aligned from 64 KiB on. Always held by a
// shared_ptr; the memory goes back to the pool, or the device, with the last reference (weak ones included).
class Buffer {
 public:
  void* data() const {
    return data_;
  }  // where kernels find it; a handle to the host if memory() is no host's
  size_t bytes() const { return bytes_; }        // as asked for
  size_t capacity() const { return capacity_; }  // of its size class
  // Memory that is not the pool's: who takes it over may not write to it.
  bool is_of_others() const { return capacity_ == 0; }
  const DeviceMemory& memory() const { return *memory_; }
  Device device() const { return memory_->device(); }
  MemorySpace memory_space() const { return memory_->space(); }

  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  // So many bytes at a multiple of 64 that lie there until `release` is called, with the end of the buffer.
  static std::shared_ptr<Buffer> of_others(void* data, size_t bytes, std::function<void()> release);
  // Memory of a device, which `release` gives back to it.
  static std::shared_ptr<Buffer> of_device(const DeviceMemory& memory, void* handle, size_t bytes,
                                           std::function<void()> release);

 private:
  friend struct Block;
  friend struct OthersBlock;
  Buffer() = default;

  void* data_ = nullptr;
  size_t bytes_ = 0;
  size_t capacity_ = 0;
  const DeviceMemory* memory_ = &host_memory();
};

struct PoolStatistics {
  int64_t live_bytes = 0;      // capacity of the buffers in use
  int64_t peak_bytes = 0;      // highest live_bytes since the start or reset_peak()
  int64_t retained_bytes = 0;  // capacity of unused buffers kept for reuse
  int64_t live_buffers = 0;
  int64_t allocations = 0;        // calls of allocate
  int64_t fresh_allocations = 0;  // those that had to ask the system
};

class BufferPool {
 public:
  // The one pool of the process. It is never destroyed, so buffers may outlive everything else.
  static BufferPool& global();

  // `label` says what the buffer is for, in out-of-memory errors; it must live as long as the process (a
  // literal, or intern()). Throws Error where the memory limit or the system refuses.
  std::shared_ptr<Buffer> allocate(size_t bytes, const char* label = nullptr);

  void trim(size_t retain_bytes = 0);  // gives unused buffers back to the system down to this many bytes
  PoolStatistics statistics() const;
  void reset_peak();

  // A copy of `text` that lives as long as the process; equal texts share one.
  static const char* intern(std::string_view text);

 private:
  BufferPool() = default;
};

}  // namespace ingot::runtime
