#include "backend/interpret/interpret.h"

#include <utility>

#include "backend/interpret/hidden_memory.h"
#include "backend/interpret/kernel_interpreter.h"

namespace ingot::backend {
namespace {

std::vector<void*> bytes_behind_all(void* const* handles, size_t count) {
  std::vector<void*> pointers;
  for (size_t i = 0; i < count; ++i) pointers.push_back(bytes_behind(handles[i]));
  return pointers;
}

class InterpretedKernel final : public runtime::KernelProgram {
 public:
  explicit InterpretedKernel(kernel::Kernel kernel) : interpreter_(std::move(kernel)) {}

  void run(const runtime::RoutineCall& call) const override {
    const kernel::Kernel& kernel = interpreter_.kernel();
    const auto parameters = static_cast<size_t>(kernel.input_count + kernel.output_count);
    interpreter_.run(bytes_behind_all(call.buffers, parameters).data());
  }

 private:
  KernelInterpreter interpreter_;
};

// A routine of the runtime, which works on the bytes behind the handles.
class RoutineBehindHandles final : public runtime::KernelProgram {
 public:
  RoutineBehindHandles(std::shared_ptr<const runtime::Routine> routine, size_t parameters)
      : routine_(std::move(routine)), parameters_(parameters) {}

  void run(const runtime::RoutineCall& call) const override {
    const std::vector<void*> pointers = bytes_behind_all(call.buffers, parameters_);
    auto* work = call.work == nullptr ? nullptr : static_cast<std::byte*>(bytes_behind(call.work));
    routine_->run({pointers.data(), work, call.threads});
  }

 private:
  std::shared_ptr<const runtime::Routine> routine_;
  size_t parameters_;
};

class Interpret final : public Backend {
 public:
  std::string_view name() const override { return "interpret"; }

  const runtime::DeviceMemory& memory() const override { return hidden_memory(); }

  // For routines alone, which run on the host.
  kernel::Target target() const override { return host_backend().target(); }

  kernel::Kernel schedule(kernel::Kernel kernel, const kernel::Target&) const override { return kernel; }

  std::vector<Outcome> compile(std::span<const kernel::Kernel* const> kernels, const kernel::Target&,
                               const CodeOptions&) const override {
    std::vector<Outcome> outcomes(kernels.size());
    for (size_t i = 0; i < kernels.size(); ++i) {
      Code& code = outcomes[i].code;
      code.program = std::make_shared<InterpretedKernel>(*kernels[i]);
      code.memory = std::make_shared<std::shared_ptr<const runtime::KernelProgram>>(code.program);
      code.code_bytes = sizeof(InterpretedKernel);
      code.unit_cost_ns = {0};
      code.copying_cost_ns.assign(kernels[i]->copied_first.size(), {0});
    }
    return outcomes;
  }

  std::shared_ptr<const runtime::KernelProgram> adopt(std::shared_ptr<const runtime::Routine> routine,
                                                      size_t parameters) const override {
    return std::make_shared<RoutineBehindHandles>(std::move(routine), parameters);
  }
};

}  // namespace

const Backend& interpret() {
  static const Interpret& instance = *new Interpret;
  return instance;
}

}  // namespace ingot::backend
