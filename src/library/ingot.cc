#include "ingot/ingot.h"

#include "frontend/node.h"
#include "runtime/buffer_pool.h"

namespace ingot {

const char* version() {
  return "0.1.0";
}

void trim_memory(int64_t retained_bytes, const std::source_location& where) {
  if (retained_bytes < 0) {
    detail::fail(where, "trim_memory: what is kept is a number of bytes, 0 or more, not " +
                            std::to_string(retained_bytes));
  }
  runtime::BufferPool::global().trim(static_cast<size_t>(retained_bytes));
}

}  // namespace ingot
