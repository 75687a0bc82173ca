// What the compiler and the runtime ask of a device, in one interface. A back end is a folder beside this
// file and a line in registry.cc; nothing above this layer knows which ones there are.
//
// A program is compiled for one back end: its kernels are scheduled and compiled by it, and its buffers, its
// constants and its frame lie in the memory of its device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/code_units.h"
#include "kernel/ir/kernel_ir.h"
#include "kernel/ir/target.h"
#include "runtime/device.h"
#include "runtime/kernel.h"
#include "runtime/routine.h"

namespace ingot::backend {

// A form of the code that people read: "ll" (of a file's name), "LLVM IR".
struct CodeText {
  std::string suffix, title, text;
};

// A kernel that can be launched: a function of this process that works on ranges of units, or a program that
// is called once for all of them.
struct Code : MadeUnits {
  KernelFunction function = nullptr;
  std::shared_ptr<const runtime::KernelProgram> program;  // in place of a function
  size_t code_bytes = 0;                                  // that the code takes in memory
  std::vector<CodeText> texts;
  std::shared_ptr<void> memory;  // keeps the code alive; one for each kernel, which its launchers hold, too
};

struct Outcome {
  Code code;
  std::exception_ptr error;  // what the kernel has thrown; the others are compiled nevertheless
};

class Backend {
 public:
  virtual ~Backend() = default;

  virtual std::string_view name() const = 0;  // as INGOT_BACKEND spells it
  // Where buffers of its programs lie.
  virtual const runtime::DeviceMemory& memory() const = 0;
  // What kernels are scheduled for, unless the options of a compilation say otherwise. The target is part of
  // the key by which kernels are kept.
  virtual kernel::Target target() const = 0;
  virtual kernel::Kernel schedule(kernel::Kernel kernel, const kernel::Target& target) const = 0;
  // Compiles scheduled kernels; any number of threads may ask at once.
  virtual std::vector<Outcome> compile(std::span<const kernel::Kernel* const> kernels,
                                       const kernel::Target& target, const CodeOptions& options) const = 0;
  // What a launch of the runtime's routine calls, with so many parameters in this memory.
  virtual std::shared_ptr<const runtime::KernelProgram> adopt(std::shared_ptr<const runtime::Routine> routine,
                                                              size_t parameters) const = 0;
};

// The back end of that name; an Error lists those there are.
const Backend& backend_named(std::string_view name);
// The one of the processors that this process runs on. What the host itself computes (the comparators of
// sorts) is compiled by it.
const Backend& host_backend();
// The one that INGOT_BACKEND names, or else the host's: for programs whose options name none, and for all
// arrays. It is chosen once in a process.
const Backend& chosen_backend();

}  // namespace ingot::backend
