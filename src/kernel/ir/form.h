// The one byte form of a kernel's structure. Kernels are looked up by it: its hash finds a candidate, and
// only equal bytes make it the same kernel.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kernel/ir/kernel_ir.h"

namespace ingot::kernel {

// Structure only: names, source lines and reported figures do not count, nor does how scalars, variables and
// buffers are numbered. Two kernels have equal forms exactly if they are equal but for these. The bytes are
// the same in every process and on every machine.
std::string canonical_form(const Kernel& kernel);

// structural_hash() of the kernel with this form.
uint64_t hash_of_form(std::string_view form);

// For tests, which plant collisions: hashes are these from now on. Null: the usual ones.
using FormHash = uint64_t (*)(std::string_view form);
void replace_hash_of_forms(FormHash hash);

}  // namespace ingot::kernel
