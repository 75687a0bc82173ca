// Where memory and work live. A buffer knows the memory that it lies in, and a plan that of its device; what
// the host does with such memory goes through here, so that no address of a device is ever touched by it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

namespace ingot::runtime {

class Buffer;

struct Device {
  std::string_view kind = "cpu";
  int32_t id = 0;

  bool operator==(const Device&) const = default;
};

enum class MemorySpace : uint8_t {
  kHost,    // the host reads and writes at the addresses that kernels are given
  kDevice,  // addresses are handles to the host
};

// The end of what was launched. Work of one device ends in the order in which it was launched, and reading or
// writing its memory waits for all of it.
struct Event {
  uint64_t number = 0;  // 0: it has ended
  bool done() const { return number == 0; }
};

// Never destroyed: buffers may outlive everything else.
class DeviceMemory {
 public:
  Device device() const { return device_; }
  MemorySpace space() const { return space_; }
  bool of_host() const { return space_ == MemorySpace::kHost; }

  // With unspecified contents, 64-byte aligned. `label` as BufferPool's. Throws Error where there is none.
  virtual std::shared_ptr<Buffer> allocate(size_t bytes, const char* label) const = 0;
  // Of all that was launched on the device so far, the last launch included. On the host it has ended, so
  // that a launch there pays nothing for it.
  virtual Event launched() const { return {}; }
  virtual void wait(Event) const {}

  void read(void* host, const void* from, size_t bytes) const {
    if (of_host()) [[likely]] {
      if (bytes > 0) std::memcpy(host, from, bytes);
    } else {
      read_device(host, from, bytes);
    }
  }
  void write(void* to, const void* host, size_t bytes) const {
    if (of_host()) [[likely]] {
      if (bytes > 0) std::memcpy(to, host, bytes);
    } else {
      write_device(to, host, bytes);
    }
  }
  // Exchanges the bytes of two places that do not overlap.
  void swap(void* a, void* b, size_t bytes) const;

  // Copies `pieces` pieces of `piece_bytes` each, to and from addresses that advance by the given strides;
  // where the space is the host's, plan_copy.h does it.
  virtual void copy_pieces(void* to, int64_t to_stride, const void* from, int64_t from_stride, int64_t pieces,
                           int64_t piece_bytes) const = 0;

 protected:
  constexpr DeviceMemory(Device device, MemorySpace space) : device_(device), space_(space) {}
  ~DeviceMemory() = default;

  virtual void read_device(void* host, const void* from, size_t bytes) const = 0;
  virtual void write_device(void* to, const void* host, size_t bytes) const = 0;

 private:
  Device device_;
  MemorySpace space_;
};

// The process's own memory: BufferPool::global().
const DeviceMemory& host_memory();

}  // namespace ingot::runtime
