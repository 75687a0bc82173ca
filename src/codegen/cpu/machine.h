// The LLVM side of a machine: target, pass pipeline, object code into memory. One instance per thread and
// target.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>

#include "codegen/cpu/llvm_scalar_builder.h"
#include "kernel/ir/kernel_ir.h"
#include "kernel/ir/target.h"

namespace ingot::codegen {

// Makes the static objects of LLVM's that compilations need and that can be made before one, and calls `made`
// behind each: what is made late is destroyed early, while compile.cc may still be compiling.
void make_static_objects(void (*made)());

class Machine {
 public:
  // Of this process, limited to target.vector_bytes and with matrix tiles if the target has them; kept for
  // the thread's next kernel.
  static Machine& native(const kernel::Target& target);
  Machine(const std::string& triple, const std::string& cpu, const std::string& features,
          bool this_process = true);
  ~Machine();

  bool usable() const { return machine_ != nullptr; }
  Instructions instructions() const;
  void prepare(llvm::Module& module) const;  // triple and data layout
  // The short pipeline: kernels arrive vectorised, with addresses hoisted.
  void optimise(llvm::Module& module);
  struct Object {
    std::unique_ptr<llvm::MemoryBuffer> bytes;
    // The frames of functions that call each other, at most; what is called by address is not counted.
    size_t stack_bytes = 0;
  };
  Object object(llvm::Module& module);
  std::string assembly(llvm::Module& module);

 private:
  struct Passes;
  void choose_level(llvm::Module& module);
  bool this_process_;
  std::unique_ptr<llvm::TargetMachine> machine_;
  std::unique_ptr<Passes> passes_;
};

// Code in executable memory. `memory` keeps it alive.
struct Loaded {
  void* entry = nullptr;
  std::shared_ptr<void> memory;
};
Loaded load_object(const llvm::MemoryBuffer& object, const std::string& symbol);

}  // namespace ingot::codegen
