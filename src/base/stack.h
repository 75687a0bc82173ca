// How much of this thread's stack is left, for what walks by recursion or needs a large frame.
#pragma once

#include <cstddef>

namespace ingot {

size_t stack_left();  // bytes; the largest size_t where the system does not tell

// Calls fn(context), which may not throw, on a thread that is made for it and has so much stack, and waits
// for it. False, and nothing is called, if the system does not give one.
bool run_on_stack(size_t bytes, void (*fn)(void* context), void* context);

}  // namespace ingot
