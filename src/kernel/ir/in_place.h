// May a kernel write an output into the memory of one of its inputs?
#pragma once

#include "kernel/ir/kernel_ir.h"

namespace ingot::kernel {

// Points that run side by side in a vector, at most, whatever the machine: 64 bytes of lanes of 4 bytes.
inline constexpr int64_t kMostLanes = 16;

// `scheduled` is the kernel as it runs. Empty only if every element of the input is read where, and before,
// the same element of the output is written, by the same point, and no point runs twice. Else what forbids
// it, and what would not, as the end of a sentence about the kernel.
std::string why_not_in_place(const Kernel& scheduled, int input, int output);

// Marks what copies an array that is then updated, so that it may run in place: where input and output are
// one, the copy does nothing.
void mark_copies(Kernel& kernel);

// True if the output begins as a copy of the input, which is left out where both are the same memory, and
// what else is read of the input is read before an update overwrites it there.
bool is_copied_first(const Kernel& scheduled, BufferId input, BufferId output);

// Which outputs begin as copies of inputs that are then updated, by what mark_copies has marked.
struct CopiedPair {
  BufferId input, output;
};
std::vector<CopiedPair> copied_pairs(const Kernel& scheduled);

// The store of a nest that does nothing but copy an input to the same places of an output; else null.
const Store* copying_store(const Kernel& kernel, const Loop& loop, BufferId& input);

}  // namespace ingot::kernel
