#include "runtime/plan.h"

#include <cinttypes>
#include <cstdio>

namespace ingot::runtime {
namespace {

std::string text_of(const Location& location) {
  std::string text;
  switch (location.kind) {
    case Location::Kind::kArgument:
      text = "argument " + std::to_string(location.index);
      break;
    case Location::Kind::kResult:
      text = "result " + std::to_string(location.index);
      break;
    case Location::Kind::kFrame:
      return "frame " + std::to_string(location.offset);
    case Location::Kind::kConstant:
      text = "constant " + std::to_string(location.index);
      break;
  }
  return location.offset == 0 ? text : text + " + " + std::to_string(location.offset);
}

std::string list_of(const std::vector<Location>& locations) {
  std::string text;
  for (const Location& location : locations) {
    if (!text.empty()) text += ", ";
    text += text_of(location);
  }
  return text;
}

std::string text_of(const BufferInfo& buffer) {
  std::string text = buffer.name + ": " + std::string(name_of(buffer.dtype)) +
                     ingot::to_string(buffer.shape) + ", " + std::to_string(buffer.bytes()) + " bytes";
  if (buffer.may_alias_argument >= 0)
    text += ", may take the memory of argument " + std::to_string(buffer.may_alias_argument);
  return text;
}

std::string text_of(const SlicedBuffer& buffer) {
  std::string text = text_of(buffer.location) + " " + ingot::to_string(buffer.shape) + " axis " +
                     std::to_string(buffer.axis);
  return buffer.contiguous() ? text : text + ", copied through frame " + std::to_string(buffer.slot);
}

struct StepPrinter {
  const Plan& plan;

  std::string operator()(const LaunchStep& step) const {
    const CompiledKernel& kernel = *plan.kernels[step.kernel];
    std::vector<Location> inputs, outputs;
    for (size_t i = 0; i < kernel.parameters.size(); ++i) {
      (kernel.parameters[i].is_output ? outputs : inputs).push_back(step.buffers[i]);
    }
    std::string text = "launch " + kernel.name + "(" + list_of(inputs) + ") -> " + list_of(outputs);
    if (step.buffers.size() > kernel.parameters.size())
      text += ", " + std::to_string(kernel.shared_bytes) + " shared bytes in " + text_of(step.buffers.back());
    return text;
  }

  std::string operator()(const CopyStep& step) const {
    return "copy " + std::to_string(step.bytes) + " bytes: " + text_of(step.from) + " -> " + text_of(step.to);
  }

  std::string operator()(const CallStep& step) const {
    return "call " + plan.functions[step.function].name + "(" + list_of(step.arguments) + ") -> " +
           list_of(step.results) + ", its frame at " + std::to_string(step.frame_offset);
  }

  std::string operator()(const LoopStep& step) const {
    std::string text = "loop " + plan.functions[step.function].name + " " + std::to_string(step.trip_count) +
                       (step.trip_count == 1 ? " time" : " times") + (step.reverse ? ", reverse" : "") +
                       ", its frame at " + std::to_string(step.frame_offset);
    const std::string line = "\n       ";
    for (const LoopCarry& carry : step.carries) {
      text += line + "carry " + text_of(carry.initial) + " -> " + text_of(carry.result) + ", " +
              std::to_string(carry.bytes) + " bytes, " +
              (carry.in_place ? "in place" : "alternating with frame " + std::to_string(carry.spare));
    }
    for (const SlicedBuffer& input : step.inputs) text += line + "slices of " + text_of(input);
    for (const Location& invariant : step.invariants) text += line + "invariant " + text_of(invariant);
    for (const SlicedBuffer& output : step.outputs) text += line + "stacked into " + text_of(output);
    return text;
  }
};

std::string text_of(const PlanFunction& function, const Plan& plan) {
  std::string text =
      "function " + function.name + ", frame of " + std::to_string(function.frame_bytes) + " bytes\n";
  for (size_t i = 0; i < function.arguments.size(); ++i) {
    text += "  argument " + std::to_string(i) + " " + text_of(function.arguments[i]) + "\n";
  }
  for (size_t i = 0; i < function.results.size(); ++i) {
    text += "  result " + std::to_string(i) + " " + text_of(function.results[i]) + "\n";
  }
  for (const FrameBuffer& buffer : function.frame_buffers) {
    text += "  frame [" + std::to_string(buffer.offset) + ", " +
            std::to_string(buffer.offset + buffer.bytes) + ") " + buffer.name + ": lives from step " +
            std::to_string(buffer.first_step) + " to " + std::to_string(buffer.last_step) + "\n";
  }
  for (size_t i = 0; i < function.steps.size(); ++i) {
    text += "  " + std::to_string(i) + ": " + std::visit(StepPrinter{plan}, function.steps[i]) + "\n";
  }
  return text;
}

}  // namespace

int64_t SlicedBuffer::outer() const {
  int64_t product = 1;
  for (int32_t i = 0; i < axis; ++i) product *= shape[i];
  return product;
}

int64_t SlicedBuffer::inner_bytes() const {
  int64_t product = element_bytes;
  for (size_t i = static_cast<size_t>(axis) + 1; i < shape.size(); ++i) product *= shape[i];
  return product;
}

int64_t bytes_of(const Plan& plan) {
  size_t bytes = sizeof(Plan);
  for (const PlanFunction& function : plan.functions) {
    bytes += sizeof(PlanFunction) + function.steps.size() * sizeof(Step) +
             (function.arguments.size() + function.results.size()) * sizeof(BufferInfo) +
             function.frame_buffers.size() * sizeof(FrameBuffer);
    for (const Step& step : function.steps) {
      if (const auto* launch = std::get_if<LaunchStep>(&step))
        bytes += launch->buffers.size() * sizeof(Location);
      if (const auto* call = std::get_if<CallStep>(&step))
        bytes += (call->arguments.size() + call->results.size()) * sizeof(Location);
      if (const auto* loop = std::get_if<LoopStep>(&step)) {
        bytes += loop->carries.size() * sizeof(LoopCarry) + loop->invariants.size() * sizeof(Location) +
                 (loop->inputs.size() + loop->outputs.size()) * sizeof(SlicedBuffer);
      }
    }
  }
  for (const auto& kernel : plan.kernels) {
    bytes += sizeof(CompiledKernel) + kernel->parameters.size() * sizeof(ParameterInfo);
    for (const std::string& line : kernel->source_lines) bytes += sizeof(line) + line.size();
  }
  for (const Constant& constant : plan.constants)
    bytes += sizeof(constant) + static_cast<size_t>(constant.bytes);
  return static_cast<int64_t>(bytes);
}

std::string to_string(const Plan& plan) {
  std::string text = "plan " + plan.name + ", entry " + plan.functions[plan.entry].name + "\n";
  for (size_t i = 0; i < plan.constants.size(); ++i) {
    text += "constant " + std::to_string(i) + " " + plan.constants[i].name + ": " +
            std::to_string(plan.constants[i].bytes) + " bytes\n";
  }
  for (const auto& kernel : plan.kernels) {
    char hash[20];
    std::snprintf(hash, sizeof(hash), "%016" PRIx64, kernel->hash);
    text += "kernel " + kernel->name + " " + hash + " (" + kernel->kind +
            "): " + std::to_string(kernel->units) + " units, " + std::to_string(kernel->bytes_read) +
            " bytes read, " + std::to_string(kernel->bytes_written) + " written, " +
            std::to_string(kernel->flops) + " flops\n";
  }
  for (const PlanFunction& function : plan.functions) text += text_of(function, plan);
  return text;
}

}  // namespace ingot::runtime
