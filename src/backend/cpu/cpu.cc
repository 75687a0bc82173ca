#include "backend/cpu/cpu.h"

#include <utility>

#include "codegen/compile_each.h"
#include "kernel/schedule/schedule.h"

namespace ingot::backend {
namespace {

Code neutral(codegen::Code code) {
  Code made;
  made.function = code.function;
  made.code_bytes = codegen::machine_code_bytes(code);
  if (!code.llvm_ir.empty()) made.texts.push_back({"ll", "LLVM IR", std::move(code.llvm_ir)});
  if (!code.assembly.empty()) made.texts.push_back({"s", "assembly", std::move(code.assembly)});
  made.memory = std::move(code.memory);
  static_cast<MadeUnits&>(made) = std::move(code);
  return made;
}

class Cpu final : public Backend {
 public:
  std::string_view name() const override { return "cpu"; }

  const runtime::DeviceMemory& memory() const override { return runtime::host_memory(); }

  kernel::Target target() const override { return codegen::detect_target(); }

  kernel::Kernel schedule(kernel::Kernel kernel, const kernel::Target& target) const override {
    return kernel::schedule(std::move(kernel), target);
  }

  std::vector<Outcome> compile(std::span<const kernel::Kernel* const> kernels, const kernel::Target& target,
                               const CodeOptions& options) const override {
    std::vector<Outcome> outcomes;
    for (codegen::Outcome& outcome : codegen::compile_each(kernels, target, options)) {
      Outcome& made = outcomes.emplace_back();
      made.error = outcome.error;
      if (!outcome.error) made.code = neutral(std::move(outcome.code));
    }
    return outcomes;
  }

  std::shared_ptr<const runtime::KernelProgram> adopt(std::shared_ptr<const runtime::Routine> routine,
                                                      size_t) const override {
    return routine;
  }
};

}  // namespace

const Backend& cpu() {
  static const Cpu& instance = *new Cpu;  // threads may compile while the process ends
  return instance;
}

}  // namespace ingot::backend
