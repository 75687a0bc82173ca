#include "testing/kernel_interpreter.h"

#include <unordered_map>

#include "ir/op_record.h"
#include "kernel/lower/group.h"
#include "kernel/lower/lower.h"
#include "kernel/schedule/schedule.h"

namespace ingot::testing {
namespace {

using namespace kernel;

class LoweredProgram : public ir::Evaluator {
 public:
  explicit LoweredProgram(const LoweredOptions& options) : options_(options) {}

  std::vector<Tensor> run(const ir::Region& region, std::span<const Tensor> arguments) override {
    std::unordered_map<const ir::Value*, Tensor> values;
    for (int i = 0; i < region.argument_count(); ++i) {
      values[region.argument(i)] = arguments[static_cast<size_t>(i)];
    }
    for (const auto& op : region.ops()) {
      std::vector<Tensor> operands;
      for (const ir::Value* operand : op->operands()) operands.push_back(values.at(operand));
      if (op->is_return()) return operands;
      ir::ReferenceFn reference = op->record().reference;
      std::vector<Tensor> results =
          op->name() == "fused" ? run_fused(*op, operands) : reference(*op, operands, *this);
      for (int i = 0; i < op->result_count(); ++i) values[op->result(i)] = results[static_cast<size_t>(i)];
    }
    throw InternalError("a region has no return");
  }

 private:
  std::vector<Tensor> run_fused(const ir::Op& op, std::span<const Tensor> operands) {
    auto it = kernels_.find(&op);
    if (it == kernels_.end()) {
      Kernel kernel = lower(group_of_region(op.region()), op.attributes().get<std::string>("kernel"));
      verify(kernel);
      if (options_.target != nullptr) kernel = schedule(std::move(kernel), *options_.target);
      verify(kernel);
      it = kernels_.emplace(&op, std::move(kernel)).first;
    }
    KernelRun run = run_kernel(it->second, operands, options_.backwards);
    if (options_.seen) options_.seen(it->second, operands, run);
    return std::move(run.outputs);
  }

  const LoweredOptions& options_;
  std::unordered_map<const ir::Op*, Kernel> kernels_;
};

}  // namespace

std::vector<Tensor> run_lowered(const ir::Module& module, std::span<const Tensor> arguments,
                                const LoweredOptions& options) {
  return LoweredProgram(options).run(module.entry()->body(), arguments);
}

}  // namespace ingot::testing
