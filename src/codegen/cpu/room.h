// Memory for what LLVM is asked for.
//
// LLVM is built without exceptions: where it gets no memory it ends the process, or an exception leaves it
// half-way through whatever it did. So a kernel is begun, and the machine asked what it can do, only where
// there is room for it beside what other threads have begun; else it waits for them, or throws bad_alloc.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <thread>

namespace ingot::codegen {

class Room {
 public:
  Room() {
    for (int64_t others = taken_.load();; std::this_thread::yield(), others = taken_.load()) {
      if (there_is(others + 1)) {
        if (taken_.compare_exchange_strong(others, others + 1)) return;
      } else if (others == 0) {
        throw std::bad_alloc();
      }
    }
  }
  ~Room() { taken_.fetch_sub(1); }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

 private:
  // In bytes; a scan over 64x64 with a reduction behind it took 37 MiB of address space, most kernels less
  // than 3.
  static constexpr size_t kEach = size_t{48} << 20;

  static bool there_is(int64_t rooms) {
    const size_t bytes = kEach * static_cast<size_t>(rooms);
    void* room =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return room != MAP_FAILED && munmap(room, bytes) == 0;
  }

  inline static constinit std::atomic<int64_t> taken_{0};
};

}  // namespace ingot::codegen
