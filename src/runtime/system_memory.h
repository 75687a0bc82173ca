// Memory straight from the system, and what the address sanitizer should know about it. Private to the pool.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ingot::runtime {

// Memory of this size and more comes in whole huge pages, where the system has them: a fault of a small page
// costs microseconds on a virtual machine, as much as clearing a good part of a huge one.
inline constexpr size_t kHugePage = size_t{2} << 20;

// `bytes` of memory (a multiple of 64, from kHugePage on a multiple of that), 64-byte aligned, page-aligned
// from 64 KiB on, huge-page-aligned from kHugePage on. No page is touched. Null where the system has none.
void* take_system_memory(size_t bytes);
void release_system_memory(void* data, size_t bytes);

// Marks memory as out of bounds, or as usable again, in builds with the address sanitizer.
void poison_memory(void* data, size_t bytes);
void unpoison_memory(void* data, size_t bytes);

}  // namespace ingot::runtime
