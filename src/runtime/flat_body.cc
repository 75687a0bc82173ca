#include "runtime/flat_body.h"

#include <algorithm>
#include <cstring>

namespace ingot::runtime {

void FlatBody::run_branches(void* scratch) {
  for (size_t at = 0; at < instructions.size();) {
    const Instruction& one = instructions[at++];
    if (one.function != nullptr) {
      one.function(one.buffers, one.first, one.units, scratch);
    } else if (one.targets.empty()) {
      std::memcpy(one.buffers[0], one.buffers[1], static_cast<size_t>(one.units));
    } else if (one.buffers == nullptr) {
      at = one.targets[0];
    } else {
      int32_t index;
      std::memcpy(&index, one.buffers[0], sizeof(index));
      at = one.targets[static_cast<size_t>(
          std::clamp(index, 0, static_cast<int32_t>(one.targets.size()) - 1))];
    }
  }
}

}  // namespace ingot::runtime
