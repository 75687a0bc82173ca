// How much of this thread's stack is left, for what walks by recursion.
#pragma once

#include <cstddef>

namespace ingot {

size_t stack_left();  // bytes; the largest size_t where the system does not tell

}  // namespace ingot
