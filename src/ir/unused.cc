#include "ir/unused.h"

#include <iterator>

namespace ingot::ir {

void erase_unused(Region& region) {
  for (auto it = region.ops().end(); it != region.ops().begin();) {
    Op* op = std::prev(it)->get();
    if (op->is_return() || op->used())
      --it;
    else
      op->erase();
  }
}

}  // namespace ingot::ir
