// Kernel IR in, machine code of this process out. LLVM stays behind this header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/code_units.h"
#include "kernel/ir/kernel_ir.h"
#include "kernel/ir/target.h"

namespace ingot::codegen {

struct Code : MadeUnits {
  KernelFunction function = nullptr;
  double ms = 0;  // spent on this kernel
  std::string llvm_ir, assembly;
  std::shared_ptr<void> memory;  // keeps the machine code alive
};

// The machine that this process runs on. The environment option INGOT_TARGET=avx512|avx2|sse4 lowers the
// vector width, and leaves matrix tiles out; what the machine lacks is never chosen.
kernel::Target detect_target();
// Every vector width that this machine can run, widest first; with matrix tiles and without.
std::vector<kernel::Target> available_targets();

// Compiles the kernels in parallel; throws ProcessEnds once the process ends. The instruction set is that of
// the machine, limited to target.vector_bytes, and with matrix tiles if the target has them, whether the
// machine does or not.
std::vector<Code> compile(std::span<const kernel::Kernel* const> kernels, const kernel::Target& target,
                          const CodeOptions& options = {});

// The assembly of a kernel for another machine: "aarch64-linux-gnu". Empty if LLVM was built without that
// target.
std::string assembly_for(const kernel::Kernel& kernel, const kernel::Target& target,
                         const std::string& triple, const CodeOptions& options = {});

// An object file for another machine, with the kernel as a function of that name. What kernels call of this
// process by address (ir::RareFunction) are symbols there, for the one who links: float
// ingot_far_sin_f32(float). No bytes if LLVM was built without that target.
struct ForeignObject {
  std::string bytes;
  Code code;  // without the function
};
ForeignObject object_for(const kernel::Kernel& kernel, const kernel::Target& target,
                         const std::string& triple, const std::string& symbol,
                         const CodeOptions& options = {});

}  // namespace ingot::codegen
