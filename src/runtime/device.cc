#include "runtime/device.h"

#include <algorithm>
#include <vector>

#include "runtime/buffer_pool.h"
#include "runtime/plan_copy.h"

namespace ingot::runtime {
namespace {

class HostMemory final : public DeviceMemory {
 public:
  constexpr HostMemory() : DeviceMemory(Device(), MemorySpace::kHost) {}

  std::shared_ptr<Buffer> allocate(size_t bytes, const char* label) const override {
    return BufferPool::global().allocate(bytes, label);
  }
  void copy_pieces(void* to, int64_t to_stride, const void* from, int64_t from_stride, int64_t pieces,
                   int64_t piece_bytes) const override {
    runtime::copy_pieces(*this, to, to_stride, from, from_stride, pieces, piece_bytes, {});
  }

 private:
  void read_device(void* host, const void* from, size_t bytes) const override { read(host, from, bytes); }
  void write_device(void* to, const void* host, size_t bytes) const override { write(to, host, bytes); }
};

constexpr HostMemory kHostMemory;

}  // namespace

const DeviceMemory& host_memory() {
  return kHostMemory;
}

void DeviceMemory::swap(void* a, void* b, size_t bytes) const {
  if (of_host()) {
    std::swap_ranges(static_cast<std::byte*>(a), static_cast<std::byte*>(a) + bytes,
                     static_cast<std::byte*>(b));
    return;
  }
  std::vector<std::byte> of_a(bytes), of_b(bytes);
  read(of_a.data(), a, bytes);
  read(of_b.data(), b, bytes);
  write(a, of_b.data(), bytes);
  write(b, of_a.data(), bytes);
}

}  // namespace ingot::runtime
