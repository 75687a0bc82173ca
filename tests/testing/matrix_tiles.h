// Matrix tiles on machines without them: the processor's instructions are emulated where they trap.
#pragma once

#include <optional>

#include "kernel/ir/kernel_ir.h"
#include "kernel/ir/target.h"

namespace ingot::testing {

// A target with matrix tiles whose kernels this process can run from here on, on hardware if it has them, or
// emulated; nothing where neither is possible. The emulation ends the process, with a message, at what
// hardware refuses: shapes that are none, tiles without one, operands that do not fit each other.
std::optional<kernel::Target> target_with_tiles();

bool emulates_tiles();

// Of this thread, if they are emulated: whether it holds shapes, and how many products it has computed.
bool holds_tiles();
int64_t tile_products();

}  // namespace ingot::testing
