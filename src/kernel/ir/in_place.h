// May a kernel write an output into the memory of one of its inputs?
#pragma once

#include "kernel/ir/kernel_ir.h"

namespace ingot::kernel {

// `scheduled` is the kernel as it runs. True only if every element of the input is read where, and before,
// the same element of the output is written, by the same point, and no point runs twice.
bool may_run_in_place(const Kernel& scheduled, int input, int output);

// Marks what copies an array that is then updated, so that it may run in place: where input and output are
// one, the copy does nothing.
void mark_copies(Kernel& kernel);

}  // namespace ingot::kernel
