// Memory between pages that nobody may access: a read or write outside of it ends the process at once, and a
// line on stderr says where it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace ingot::testing {

enum class Guard : uint8_t {
  kBefore,  // the memory begins at a page: nothing right before it
  kBehind,  // it ends with a page: nothing right behind it, or less than its alignment
};

// `bytes` bytes, all of value `poison`, between such pages. Blocks are used again. No bytes are a pointer
// that nothing may be read from.
std::shared_ptr<void> guarded_memory(size_t bytes, Guard guard, size_t alignment, unsigned char poison);

// What a bad access happens in, for the line on stderr; kept by pointer.
void name_guarded_work(const char* what);

}  // namespace ingot::testing
