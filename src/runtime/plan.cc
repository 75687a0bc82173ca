#include "runtime/plan.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <optional>

#include "base/source_lines.h"

namespace ingot::runtime {

std::string to_string(const Location& location) {
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

std::string how_often(const WhileStep& step) {
  std::string text;
  if (step.max_steps >= 0)
    text = ", at most " + std::to_string(step.max_steps) + (step.max_steps == 1 ? " time" : " times");
  if (step.at_once > 1) text += ", each " + std::to_string(step.at_once) + " steps of the program's loop";
  return text;
}

namespace {

std::string text_of(const BufferInfo& buffer) {
  std::string text = buffer.name + ": " + std::string(name_of(buffer.dtype)) +
                     ingot::to_string(buffer.shape) + ", " + std::to_string(buffer.bytes()) + " bytes";
  if (buffer.may_alias_argument >= 0)
    text += std::string(buffer.always_aliases ? ", takes" : ", may take") + " the memory of argument " +
            std::to_string(buffer.may_alias_argument);
  if (buffer.same_as_result >= 0) text += ", is result " + std::to_string(buffer.same_as_result);
  return text;
}

std::string text_of(const PlanValue& value, const PlanFunction& function) {
  std::string text = describe(value, function) + ": " + std::string(name_of(value.dtype)) +
                     ingot::to_string(value.shape) + ", " + std::to_string(value.bytes) + " bytes, ";
  text +=
      value.first_step < 0 ? "there before step 0" : "written by step " + std::to_string(value.first_step);
  if (value.last_step >= static_cast<int32_t>(function.steps.size())) return text + ", handed to the caller";
  return text + (value.last_step <= value.first_step
                     ? ", read by none"
                     : ", last read by step " + std::to_string(value.last_step));
}

// One step: its raw locations, with the names of the values there if the plan knows them.
class StepPrinter {
 public:
  StepPrinter(const Plan& plan, const PlanFunction& function, size_t step)
      : plan_(plan), function_(function), step_(step) {
    if (step < function.step_values.size()) values_ = &function.step_values[step];
    at_ = locations_of(function.steps[step], plan);
  }

  std::string operator()(const LaunchStep& step) const {
    const CompiledKernel& kernel = *plan_.kernels[step.kernel];
    std::string text = "launch " + kernel.name + "(" + reads() + ") -> " + writes();
    if (step.buffers.size() > kernel.parameters.size())
      text +=
          ", " + std::to_string(kernel.shared_bytes) + " shared bytes in " + to_string(step.buffers.back());
    if (const std::string parts = parts_text(plan_, function_, step_); !parts.empty())
      text += ", reads " + parts;
    if (const MovedBytes moved = moved_bytes(plan_, function_, step); moved != moved_bytes(plan_, kernel))
      text += ", in place: " + std::to_string(moved.read) + " bytes read, " + std::to_string(moved.written) +
              " written";
    if (!step.source_lines.empty()) text += ", " + from_lines(step.source_lines);
    return text;
  }

  std::string operator()(const CopyStep& step) const {
    return "copy " + std::to_string(step.bytes) + " bytes: " + reads() + " -> " + writes() +
           (step.about.empty() ? "" : ", that is " + step.about);
  }

  std::string operator()(const CallStep& step) const {
    return "call " + plan_.functions[step.function].name + "(" + reads() + ") -> " + writes() +
           ", its frame at " + std::to_string(step.frame_offset);
  }

  std::string operator()(const LoopStep& step) const {
    std::string text = "loop " + plan_.functions[step.function].name + " " + std::to_string(step.trip_count) +
                       (step.trip_count == 1 ? " time" : " times") + (step.reverse ? ", reverse" : "") +
                       ", its frame at " + std::to_string(step.frame_offset);
    const size_t carries = step.carries.size(), inputs = step.inputs.size();
    text += carried(step.carries);
    for (size_t i = 0; i < inputs; ++i)
      text += kLine + ("slices of " + read(carries + i)) + how_sliced(step.inputs[i]);
    for (size_t i = 0; i < step.invariants.size(); ++i)
      text += kLine + ("invariant " + read(carries + inputs + i));
    for (size_t i = 0; i < step.outputs.size(); ++i)
      text += kLine + ("stacked into " + written(carries + i)) + how_sliced(step.outputs[i]);
    return text;
  }

  std::string operator()(const WhileStep& step) const {
    std::string text = "loop " + plan_.functions[step.body].name + " while ";
    text += step.predicate >= 0 ? plan_.functions[step.predicate].name + " says so in frame " +
                                      std::to_string(step.predicate_byte)
                                : "carry " + std::to_string(step.predicate_carry) + " does";
    text += how_often(step);
    text += (step.predicate >= 0 ? ", their frames at " : ", its frame at ") +
            std::to_string(step.frame_offset) + carried(step.carries);
    for (size_t i = 0; i < step.invariants.size(); ++i)
      text += kLine + ("invariant " + read(step.carries.size() + i));
    return text;
  }

  std::string operator()(const CondStep& step) const {
    std::string text = "branch by " + read(0) + " to ";
    for (size_t i = 0; i < step.functions.size(); ++i)
      text += (i == 0 ? "" : " or ") + plan_.functions[step.functions[i]].name;
    return text + "(" + reads(1) + ") -> " + writes() + ", " +
           (step.functions.size() == 1 ? "its frame" : "their frames") + " at " +
           std::to_string(step.frame_offset);
  }

 private:
  static constexpr const char* kLine = "\n       ";

  std::string carried(const std::vector<LoopCarry>& carries) const {
    std::string text;
    for (size_t i = 0; i < carries.size(); ++i) {
      const LoopCarry& carry = carries[i];
      text += kLine + ("carry " + read(i)) + " -> " + written(i) + ", " + std::to_string(carry.bytes) +
              " bytes, ";
      if (carry.stack >= 0)
        text += (carry.ahead ? "in the next slice of output " : "in the slices of output ") +
                std::to_string(carry.stack);
      else if (carry.in_place_of(i))
        text += "in place";
      else if (carry.takes >= 0)
        text += "in the place of carry " + std::to_string(carry.takes);
      else
        text += "alternating with frame " + std::to_string(carry.spare);
    }
    return text;
  }

  static std::string how_sliced(const SlicedBuffer& buffer) {
    std::string text = " " + ingot::to_string(buffer.shape) + " axis " + std::to_string(buffer.axis);
    return buffer.contiguous() ? text : text + ", copied through frame " + std::to_string(buffer.slot);
  }

  std::string named(const Location& location, const std::vector<int32_t>* values, size_t i) const {
    std::string text = to_string(location);
    return values == nullptr ? text : text + " %" + function_.values[(*values)[i]].name;
  }
  std::string read(size_t i) const {
    return named(at_.reads[i], values_ == nullptr ? nullptr : &values_->reads, i);
  }
  std::string written(size_t i) const {
    return named(at_.writes[i], values_ == nullptr ? nullptr : &values_->writes, i);
  }
  std::string reads(size_t first = 0) const {
    std::string text;
    for (size_t i = first; i < at_.reads.size(); ++i) text += (i == first ? "" : ", ") + read(i);
    return text;
  }
  std::string writes() const {
    std::string text;
    for (size_t i = 0; i < at_.writes.size(); ++i) text += (i == 0 ? "" : ", ") + written(i);
    return text;
  }

  const Plan& plan_;
  const PlanFunction& function_;
  const size_t step_;
  const StepValues* values_ = nullptr;
  StepLocations at_;
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
  for (size_t b = 0; b < function.frame_buffers.size(); ++b) {
    const FrameBuffer& buffer = function.frame_buffers[b];
    text += "  buffer " + std::to_string(b) + " frame [" + std::to_string(buffer.offset) + ", " +
            std::to_string(buffer.offset + buffer.bytes) + ")" +
            (buffer.purpose.empty() ? "" : " " + buffer.purpose) + ": lives from step " +
            std::to_string(buffer.first_step) + " to " + std::to_string(buffer.last_step) + "\n";
  }
  for (const PlanValue& value : function.values) text += "  value " + text_of(value, function) + "\n";
  for (size_t i = 0; i < function.steps.size(); ++i) {
    text += "  " + std::to_string(i) + ": " + std::visit(StepPrinter(plan, function, i), function.steps[i]) +
            "\n";
  }
  return text;
}

size_t bytes_of(const std::vector<std::string>& lines) {
  size_t bytes = 0;
  for (const std::string& line : lines) bytes += sizeof(line) + line.size();
  return bytes;
}

struct StepReader {
  const Plan& plan;

  StepLocations operator()(const LaunchStep& step) const {
    StepLocations at;
    const CompiledKernel& kernel = *plan.kernels[step.kernel];
    for (size_t i = 0; i < kernel.parameters.size(); ++i)
      (kernel.parameters[i].is_output ? at.writes : at.reads).push_back(step.buffers[i]);
    return at;
  }
  StepLocations operator()(const CopyStep& step) const { return {{step.from}, {step.to}}; }
  StepLocations operator()(const CallStep& step) const { return {step.arguments, step.results}; }
  StepLocations operator()(const LoopStep& step) const {
    StepLocations at;
    for (const LoopCarry& carry : step.carries) at.reads.push_back(carry.initial);
    for (const SlicedBuffer& input : step.inputs) at.reads.push_back(input.location);
    at.reads.insert(at.reads.end(), step.invariants.begin(), step.invariants.end());
    for (const LoopCarry& carry : step.carries) at.writes.push_back(carry.result);
    for (const SlicedBuffer& output : step.outputs) at.writes.push_back(output.location);
    return at;
  }
  StepLocations operator()(const WhileStep& step) const {
    StepLocations at;
    for (const LoopCarry& carry : step.carries) at.reads.push_back(carry.initial);
    at.reads.insert(at.reads.end(), step.invariants.begin(), step.invariants.end());
    for (const LoopCarry& carry : step.carries) at.writes.push_back(carry.result);
    return at;
  }
  StepLocations operator()(const CondStep& step) const {
    StepLocations at{{step.index}, step.results};
    at.reads.insert(at.reads.end(), step.arguments.begin(), step.arguments.end());
    return at;
  }
};

struct StepCallees {
  std::vector<int32_t> operator()(const LaunchStep&) const { return {}; }
  std::vector<int32_t> operator()(const CopyStep&) const { return {}; }
  std::vector<int32_t> operator()(const CallStep& step) const { return {step.function}; }
  std::vector<int32_t> operator()(const LoopStep& step) const { return {step.function}; }
  std::vector<int32_t> operator()(const WhileStep& step) const {
    if (step.predicate < 0) return {step.body};
    return {step.predicate, step.body};
  }
  std::vector<int32_t> operator()(const CondStep& step) const { return step.functions; }
};

}  // namespace

Location place_of(const Location& location, const PlanFunction& function) {
  if (location.kind != Location::Kind::kResult) return location;
  const int32_t argument = function.results[static_cast<size_t>(location.index)].may_alias_argument;
  return argument < 0 ? location : Location::argument(argument, location.offset);
}

bool in_place(const CopiedOutput& copied, const PlanFunction& function, const LaunchStep& launch) {
  const auto place = [&](int32_t parameter) {
    return place_of(launch.buffers[static_cast<size_t>(parameter)], function);
  };
  return place(copied.input) == place(copied.output);
}

MovedBytes moved_bytes(const Plan& plan, const PlanFunction& function, const LaunchStep& launch) {
  const CompiledKernel& kernel = *plan.kernels[static_cast<size_t>(launch.kernel)];
  MovedBytes moved{kernel.bytes_read, kernel.bytes_written};
  for (const CopiedOutput& copied : kernel.copied_first) {
    if (!in_place(copied, function, launch)) continue;
    moved.read -= copied.bytes_read;
    moved.written -= copied.bytes_written;
  }
  return moved;
}

MovedBytes moved_bytes(const Plan& plan, const CompiledKernel& kernel) {
  std::optional<MovedBytes> most;
  for (const PlanFunction& function : plan.functions) {
    for (const Step& step : function.steps) {
      const auto* launch = std::get_if<LaunchStep>(&step);
      if (launch == nullptr || plan.kernels[static_cast<size_t>(launch->kernel)].get() != &kernel) continue;
      const MovedBytes moved = moved_bytes(plan, function, *launch);
      if (!most || moved.sum() > most->sum()) most = moved;
    }
  }
  return most ? *most : MovedBytes{kernel.bytes_read, kernel.bytes_written};
}

StepLocations locations_of(const Step& step, const Plan& plan) {
  return std::visit(StepReader{plan}, step);
}

std::vector<ReachedBytes> reached_by(const Plan& plan, const PlanFunction& function, size_t launch_step) {
  const auto& launch = std::get<LaunchStep>(function.steps[launch_step]);
  const std::vector<int32_t>& reads = function.step_values[launch_step].reads;
  std::vector<ReachedBytes> reached;
  const auto& parameters = plan.kernels[static_cast<size_t>(launch.kernel)]->parameters;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].is_output) continue;
    const PlanValue& value = function.values[static_cast<size_t>(reads[reached.size()])];
    const int64_t first = launch.buffers[i].offset - value.location.offset;
    reached.push_back({first, first + parameters[i].bytes()});
  }
  return reached;
}

std::string parts_text(const Plan& plan, const PlanFunction& function, size_t step) {
  if (step >= function.step_values.size() || !std::holds_alternative<LaunchStep>(function.steps[step]))
    return "";
  const std::vector<ReachedBytes> reached = reached_by(plan, function, step);
  std::string text;
  for (size_t i = 0; i < reached.size(); ++i) {
    const PlanValue& value = function.values[static_cast<size_t>(function.step_values[step].reads[i])];
    const auto [first, end] = reached[i];
    if (end - first >= value.bytes) continue;
    const auto size = static_cast<int64_t>(byte_size(value.dtype));
    text += (text.empty() ? "elements " : ", elements ") + std::to_string(first / size) + " to " +
            std::to_string(end / size - 1) + " of %" + value.name;
  }
  return text;
}

std::vector<int32_t> callees_of(const Step& step) {
  return std::visit(StepCallees{}, step);
}

std::string describe(const PlanValue& value, const PlanFunction& function, bool brief) {
  std::string text = value.buffer >= 0 ? "buffer " + std::to_string(value.buffer) : to_string(value.location);
  text += " %" + value.name;
  if (!value.order.empty()) text += " in the order " + ingot::to_string(value.order);
  if (brief || value.of < 0) return text;
  const std::string other = "%" + function.values[static_cast<size_t>(value.of)].name;
  switch (value.kind) {
    case PlanValue::Kind::kOwn:
      break;
    case PlanValue::Kind::kInPlace:
      return text + " (in the place of " + other + ")";
    case PlanValue::Kind::kMayBeInPlace:
      return text + " (in the place of " + other + ", which the caller gives away)";
    case PlanValue::Kind::kSameBytes:
      return text + " (the bytes of " + other + ")";
    case PlanValue::Kind::kCopy:
      return text + " (a copy of " + other + ")";
  }
  return text;
}

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

int32_t place_before(const std::vector<LoopCarry>& carries, int32_t place) {
  const auto n = static_cast<int32_t>(carries.size());
  if (place < n) {
    const LoopCarry& carry = carries[static_cast<size_t>(place)];
    if (carry.stack >= 0) return place;  // it has none
    return carry.takes >= 0 ? carry.takes : n + place;
  }
  const LoopCarry& carry = carries[static_cast<size_t>(place - n)];
  if (carry.takes >= 0 || carry.stack >= 0) return place;  // there is no spare
  return carry.next_spare >= 0 ? carry.next_spare : place - n;
}

int32_t buffer_at_start(const std::vector<LoopCarry>& carries, int32_t place, int64_t steps) {
  int64_t length = 0;  // of the circle that goes through the place
  for (int32_t at = place; length == 0 || at != place; ++length) at = place_before(carries, at);
  int32_t at = place;  // what is in `place` now gets to where all is in its own place within `steps`
  for (int64_t left = (length - steps % length) % length; left > 0; --left) at = place_before(carries, at);
  return at;
}

bool keeps_place(const std::vector<LoopCarry>& carries, size_t carry) {
  return std::any_of(carries.begin(), carries.end(),
                     [&](const LoopCarry& other) { return other.stack < 0 && other.in_place_of(carry); });
}

int64_t bytes_of(const Plan& plan) {
  size_t bytes = sizeof(Plan);
  for (const PlanFunction& function : plan.functions) {
    bytes += sizeof(PlanFunction) + function.steps.size() * sizeof(Step) +
             (function.arguments.size() + function.results.size()) * sizeof(BufferInfo) +
             function.frame_buffers.size() * sizeof(FrameBuffer) + function.values.size() * sizeof(PlanValue);
    for (const StepValues& values : function.step_values)
      bytes += sizeof(values) + (values.reads.size() + values.writes.size()) * sizeof(int32_t);
    for (const Step& step : function.steps) {
      if (const auto* launch = std::get_if<LaunchStep>(&step))
        bytes += launch->buffers.size() * sizeof(Location) + bytes_of(launch->source_lines);
      if (const auto* call = std::get_if<CallStep>(&step))
        bytes += (call->arguments.size() + call->results.size()) * sizeof(Location);
      if (const auto* loop = std::get_if<LoopStep>(&step)) {
        bytes += loop->carries.size() * sizeof(LoopCarry) + loop->invariants.size() * sizeof(Location) +
                 (loop->inputs.size() + loop->outputs.size()) * sizeof(SlicedBuffer);
      }
      if (const auto* loop = std::get_if<WhileStep>(&step))
        bytes += loop->carries.size() * sizeof(LoopCarry) + loop->invariants.size() * sizeof(Location) +
                 loop->place.size();
      if (const auto* cond = std::get_if<CondStep>(&step))
        bytes += (cond->arguments.size() + cond->results.size()) * sizeof(Location) +
                 cond->functions.size() * sizeof(int32_t);
    }
  }
  for (const auto& kernel : plan.kernels) {
    bytes += sizeof(CompiledKernel) + kernel->parameters.size() * sizeof(ParameterInfo) +
             bytes_of(kernel->source_lines);
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
    const MovedBytes moved = moved_bytes(plan, *kernel);
    char hash[20];
    std::snprintf(hash, sizeof(hash), "%016" PRIx64, kernel->hash);
    text += "kernel " + kernel->name + " " + hash + " (" + kernel->kind +
            "): " + std::to_string(kernel->units) + " units, " + std::to_string(moved.read) +
            " bytes read, " + std::to_string(moved.written) + " written" +
            (kernel->counts_flops() ? ", " + std::to_string(kernel->flops) + " flops\n" : "\n");
  }
  for (const PlanFunction& function : plan.functions) text += text_of(function, plan);
  return text;
}

}  // namespace ingot::runtime
