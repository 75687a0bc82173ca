#include "ingot/ingot.h"

#include "runtime/buffer_pool.h"

namespace ingot {

const char* version() {
  return "0.1.0";
}

void trim_memory(int64_t retained_bytes) {
  runtime::BufferPool::global().trim(static_cast<size_t>(retained_bytes));
}

}  // namespace ingot
