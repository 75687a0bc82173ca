#include "compiler/plan_builder.h"

#include <utility>

#include "base/hash.h"
#include "compiler/function_planner.h"
#include "kernel/ir/in_place.h"
#include "ops/control.h"
#include "ops/kinds.h"
#include "runtime/buffer_pool.h"

namespace ingot::compiler {

using ir::Op;
using ir::Value;

runtime::Plan ProgramPlanner::run() {
  ir::Function* entry = module_.entry();
  plan_.name = entry->name();
  plan_.memory = &backend_.memory();
  plan_.entry = function_index(*entry);
  return std::move(plan_);
}

int32_t ProgramPlanner::function_index(ir::Function& function) {
  auto [it, fresh] = functions_.emplace(&function, -1);
  if (fresh) {
    int32_t index = region_index(function.body(), function.name(), {.donated = function.donated});
    functions_[&function] = index;
    return index;
  }
  return it->second;
}

int32_t ProgramPlanner::region_index(ir::Region& region, const std::string& name, const GivenPlaces& given) {
  // Loops inside of each other, and next to each other, are of one function of the program.
  std::string own = name;
  for (int n = 1; !names_.insert(own).second; ++n) own = name + "_" + std::to_string(n);
  runtime::PlanFunction function = FunctionPlanner(*this, region, given).run(own);
  plan_.functions.push_back(std::move(function));
  return static_cast<int32_t>(plan_.functions.size()) - 1;
}

int32_t ProgramPlanner::kernel_index(const Op& op) {
  const CachedKernel& cached = *implementations_.at(&op).kernel;
  auto [it, fresh] = kernels_.emplace(&cached, static_cast<int32_t>(plan_.kernels.size()));
  if (!fresh) return it->second;
  const kernel::Kernel& kernel = cached.scheduled;
  auto compiled = std::make_shared<runtime::CompiledKernel>();
  compiled->name = kernel_name(op);
  compiled->hash = cached.hash;
  compiled->kind = kernel::name_of(kernel.report.kind);
  compiled->function = cached.code.function;
  compiled->program = cached.code.program;
  static_cast<CodeUnits&>(*compiled) = cached.code;
  compiled->bytes_read = kernel.bytes_read;
  compiled->bytes_written = kernel.bytes_written;
  compiled->flops = kernel.report.flops;
  // Reports show this program's shapes: the kernel may come from one that sees the same memory otherwise.
  std::vector<Value*> values = kernel_inputs(const_cast<Op&>(op));
  for (Value* result : op.results()) values.push_back(result);
  for (int i = 0; i < kernel.input_count + kernel.output_count; ++i) {
    const Value& value = *values[static_cast<size_t>(i)];
    const kernel::Buffer& buffer = kernel.buffers[static_cast<size_t>(i)];
    compiled->parameters.push_back({buffer.dtype, value.shape(), i >= kernel.input_count,
                                    kernel::pitch_of(value), kernel.parameter_bytes[static_cast<size_t>(i)],
                                    ops::stored_order(value).value_or(Shape()), buffer.elements});
  }
  for (size_t i = 0; i < kernel.copied_first.size(); ++i) {
    const CopiedFirst& copied = kernel.copied_first[i];
    if (kernel::is_copied_first(kernel, copied.input, copied.output))
      compiled->copied_first.push_back({copied, cached.code.copying_cost_ns[i]});
  }
  compiled->code = cached.code.memory;
  own_kernels_.push_back(compiled.get());
  plan_.kernels.push_back(std::move(compiled));
  return it->second;
}

// What is read and written of each array is all of it, once.
int32_t ProgramPlanner::routine_index(const Op& op) {
  auto compiled = std::make_shared<runtime::CompiledKernel>();
  compiled->name = kernel_name(op);
  const runtime::Routine& routine = *routines_.at(&op);
  compiled->is_routine = true;
  compiled->kind = routine.name();
  compiled->shared_bytes = routine.work_bytes();
  std::string form = compiled->kind + "(" + routine.form() + ")";
  const auto add = [&](const Value& value, bool is_output) {
    runtime::ParameterInfo parameter{value.dtype(), value.shape(), is_output};
    parameter.moved_bytes = parameter.bytes();
    (is_output ? compiled->bytes_written : compiled->bytes_read) += parameter.moved_bytes;
    form += " " + ir::to_string(value.type());
    compiled->parameters.push_back(std::move(parameter));
  };
  for (const Value* input : routine_inputs(op)) add(*input, false);
  for (const Value* result : op.results()) add(*result, true);
  compiled->program = backend_.adopt(routines_.at(&op), compiled->parameters.size());
  Hasher hasher;
  hasher.add(form);
  compiled->hash = hasher.value();
  own_kernels_.push_back(compiled.get());
  plan_.kernels.push_back(std::move(compiled));
  return static_cast<int32_t>(plan_.kernels.size()) - 1;
}

int32_t ProgramPlanner::constant_index(const Op& op) {
  const Tensor& value = ops::ConstantOp(op).value();
  const std::shared_ptr<runtime::Buffer> buffer =
      backend_.memory().allocate(value.bytes(), "a constant of a program");
  backend_.memory().write(buffer->data(), value.raw(), value.bytes());
  plan_.constants.push_back({op.result()->name(), std::shared_ptr<const void>(buffer, buffer->data()),
                             static_cast<int64_t>(value.bytes())});
  return static_cast<int32_t>(plan_.constants.size()) - 1;
}

runtime::Plan build_plan(ir::Module& module,
                         const std::unordered_map<const Op*, Implementation>& implementations,
                         const PlannedRoutines& routines, const backend::Backend& backend,
                         std::vector<pass::Note>* notes) {
  ProgramPlanner planner(module, implementations, routines, backend);
  runtime::Plan plan = planner.run();
  if (notes != nullptr) *notes = planner.notes();
  return plan;
}

}  // namespace ingot::compiler
