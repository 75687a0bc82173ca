#include "runtime/system_memory.h"

#include <sys/mman.h>

#include <cstdlib>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define INGOT_ADDRESS_SANITIZER 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define INGOT_ADDRESS_SANITIZER 1
#endif
#if defined(INGOT_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#endif

namespace ingot::runtime {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kPageAlignFrom = size_t{64} << 10;

// Maps memory whose start is a multiple of `alignment`, by mapping more and giving the rest back.
void* map_aligned(size_t bytes, size_t alignment) {
  size_t mapped = bytes + alignment;
  void* start = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return nullptr;
  uintptr_t address = reinterpret_cast<uintptr_t>(start);
  uintptr_t aligned = (address + alignment - 1) / alignment * alignment;
  if (aligned > address) munmap(start, aligned - address);
  size_t behind = address + mapped - (aligned + bytes);
  if (behind > 0) munmap(reinterpret_cast<void*>(aligned + bytes), behind);
  return reinterpret_cast<void*>(aligned);
}

}  // namespace

void* take_system_memory(size_t bytes) {
  void* data = nullptr;
  if (bytes >= kHugePage) {
    data = map_aligned(bytes, kHugePage);
#if defined(MADV_HUGEPAGE)
    // Fewer and larger faults when a kernel's threads touch it, and fewer misses in the TLB later.
    if (data != nullptr) madvise(data, bytes, MADV_HUGEPAGE);
#endif
  } else {
    data = std::aligned_alloc(bytes >= kPageAlignFrom ? kPage : 64, bytes);
  }
  return data;
}

void release_system_memory(void* data, size_t bytes) {
  unpoison_memory(data, bytes);
  bytes >= kHugePage ? static_cast<void>(munmap(data, bytes)) : std::free(data);
}

void poison_memory([[maybe_unused]] void* data, [[maybe_unused]] size_t bytes) {
#if defined(INGOT_ADDRESS_SANITIZER)
  ASAN_POISON_MEMORY_REGION(data, bytes);
#endif
}

void unpoison_memory([[maybe_unused]] void* data, [[maybe_unused]] size_t bytes) {
#if defined(INGOT_ADDRESS_SANITIZER)
  ASAN_UNPOISON_MEMORY_REGION(data, bytes);
#endif
}

}  // namespace ingot::runtime
