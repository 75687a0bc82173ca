#include "compiler/function_planner.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "ir/op_record.h"
#include "kernel/ir/in_place.h"
#include "ops/control.h"
#include "ops/kinds.h"

namespace ingot::compiler {

using ir::Op;
using ir::Value;
using runtime::Location;

namespace {

std::string making(const Op& op, const Value& result) {
  return "the kernel " + kernel_name(op) + ", which makes %" + result.name() + ",";
}

std::string why_read_later(const Op& op, const Op& last, const Value& result) {
  if (last.is_return()) return "it is a result too; a program that does not hand it out would do";
  const std::string reader = is_call(last)      ? "a call of a function"
                             : is_loop(last)    ? "a loop over kernels"
                             : is_branch(last)  ? "a branch"
                             : is_routine(last) ? "a routine"
                                                : "the kernel " + kernel_name(last);
  return reader + " reads it after " + making(op, result) +
         " has run; what is made of it there would have to "
         "be made before, or of %" +
         result.name();
}

// Puts offsets of the frame where numbers of its buffers stood, those of other places than locations in the
// offset itself.
struct StepResolver {
  const FrameLayout& frame;

  void fix_offset(int64_t& offset) const { offset = frame.at(static_cast<int>(offset)).offset; }
  void fix(Location& location) const {
    if (location.kind != Location::Kind::kFrame) return;
    location.offset += frame.at(location.index).offset;
    location.index = 0;
  }
  void fix(std::vector<Location>& locations) const {
    for (Location& location : locations) fix(location);
  }
  void fix(std::vector<runtime::LoopCarry>& carries) const {
    for (runtime::LoopCarry& carry : carries) {
      fix(carry.initial);
      fix(carry.result);
      if (carry.spare >= 0) fix_offset(carry.spare);
    }
  }

  void operator()(runtime::LaunchStep& step) const { fix(step.buffers); }
  void operator()(runtime::CopyStep& step) const {
    fix(step.from);
    fix(step.to);
  }
  void operator()(runtime::CallStep& step) const {
    fix(step.arguments);
    fix(step.results);
    fix_offset(step.frame_offset);
  }
  void operator()(runtime::LoopStep& step) const {
    fix(step.carries);
    for (auto* list : {&step.inputs, &step.outputs}) {
      for (runtime::SlicedBuffer& buffer : *list) {
        fix(buffer.location);
        fix_offset(buffer.slot);
      }
    }
    fix(step.invariants);
    fix_offset(step.frame_offset);
  }
  void operator()(runtime::WhileStep& step) const {
    fix(step.carries);
    fix(step.invariants);
    if (step.predicate >= 0) fix_offset(step.predicate_byte);
    fix_offset(step.frame_offset);
  }
  void operator()(runtime::CondStep& step) const {
    fix(step.index);
    fix(step.arguments);
    fix(step.results);
    fix_offset(step.frame_offset);
  }
};

}  // namespace

runtime::PlanFunction FunctionPlanner::run(const std::string& name) {
  function_.name = name;
  for (Value* argument : region_.arguments()) {
    function_.arguments.push_back({argument->name(), argument->dtype(), argument->shape(), -1});
    places_[argument] = {Location::argument(argument->index()), -1};
    values_.add(*argument, -1);
  }
  for (Value* result : region_.results()) {
    function_.results.push_back({result->name(), result->dtype(), result->shape(), -1});
  }
  for (const auto& [result, argument] : shared_.pairs) {
    runtime::BufferInfo& info = function_.results[static_cast<size_t>(result)];
    info.may_alias_argument = argument;
    info.always_aliases = !shared_.made_anywhere.at(result);
    if (root(region_.results()[static_cast<size_t>(result)])->op() == nullptr) claimed_.insert(result);
  }
  for (const auto& [result, other] : given_.same) {
    function_.results[static_cast<size_t>(result)].same_as_result = other;
    claimed_.insert(result);
  }
  find_last_uses();
  for (Op* op : shared_.order) plan_op(*op);
  copy_results();
  for (Value* result : region_.results()) {
    if (element_count(result->shape()) > 0) value_of(result);
  }
  resolve_frame();
  for (pass::Note& note : donations_.notes(region_, donated_, function_))
    program_.notes().push_back(std::move(note));
  return std::move(function_);
}

int32_t FunctionPlanner::Values::add(const Value& value, int first_step) {
  runtime::PlanValue described;
  described.name = value.name();
  described.dtype = value.dtype();
  described.order = ops::stored_order(value).value_or(Shape());  // if the pass `layout` has chosen one
  described.shape = runtime::program_shape(value.shape(), described.order);
  described.bytes = bytes(&value);
  described.first_step = described.last_step = first_step;
  numbers_[&value] = static_cast<int32_t>(list.size());
  list.push_back(std::move(described));
  return numbers_[&value];
}

int32_t FunctionPlanner::Values::copy(const runtime::PlanValue& value, int32_t of, int step) {
  runtime::PlanValue copied = value;
  copied.kind = runtime::PlanValue::Kind::kCopy;
  copied.of = of;
  copied.first_step = copied.last_step = step;
  list.push_back(std::move(copied));
  return static_cast<int32_t>(list.size()) - 1;
}

int64_t FunctionPlanner::bytes(const Value* value) {
  return kernel::bytes_in_memory(*value);
}

void FunctionPlanner::find_last_uses() {
  for (Op* op : shared_.order) {
    for (Value* operand : op->operands()) last_use_[root(operand)] = op;
  }
}

int32_t FunctionPlanner::value_of(Value* value) {
  if (const auto number = values_.number(value)) return *number;
  if (value == root(value)) return values_.add(*value, -1);  // a constant
  const int32_t of = value_of(root(value));
  const int32_t number = values_.add(*value, values_.at(of).first_step);
  values_.at(number).kind = runtime::PlanValue::Kind::kSameBytes;
  values_.at(number).of = of;
  return number;
}

Location FunctionPlanner::use(Value* value) {
  for (const int32_t number : {value_of(value), value_of(root(value))}) values_.at(number).last_step = step();
  described_.reads.push_back(value_of(value));
  value = root(value);
  if (!places_.count(value)) {
    check(value->op() != nullptr && is_constant(*value->op()),
          "%" + value->name() + " is used before it has a place");
    places_[value] = {Location::constant(program_.constant_index(*value->op())), -1};
  }
  Place& place = places_.at(value);
  if (place.frame_buffer >= 0) frame_.extend(place.frame_buffer, step());
  return location_of(place);
}

std::optional<int> FunctionPlanner::result_index(Value* value) const {
  if (const auto home = shared_.home.find(value); home != shared_.home.end()) return home->second;
  auto results = region_.results();
  for (size_t i = 0; i < results.size(); ++i) {
    if (root(results[i]) == value) return static_cast<int>(i);
  }
  return std::nullopt;
}

void FunctionPlanner::push_step(runtime::Step step) {
  function_.steps.push_back(std::move(step));
  function_.step_values.push_back(std::exchange(described_, {}));
}

int32_t FunctionPlanner::describe(Value* value) {
  const int32_t number = values_.add(*value, step());
  described_.writes.push_back(number);
  return number;
}

Location FunctionPlanner::define(Value* value) {
  describe(value);
  Place place{{}, -1};
  const auto taken = shared_.takes.find(value);
  if (std::optional<int> index = result_index(value)) {
    place.location = Location::result(*index);
    if (root(region_.results()[static_cast<size_t>(*index)]) == value)
      claimed_.insert(*index);
    else
      passing_.insert(value_of(value));
  } else if (taken != shared_.takes.end()) {
    place = places_.at(taken->second);
    if (place.frame_buffer >= 0) frame_.extend(place.frame_buffer, step());
  } else {
    place.frame_buffer = frame_.add(bytes(value), step());
    purposes_[place.frame_buffer] = "";
  }
  places_[value] = place;
  if (taken != shared_.takes.end()) describe_place(value, taken->second, runtime::PlanValue::Kind::kInPlace);
  return location_of(place);
}

void FunctionPlanner::describe_place(Value* value, Value* other, runtime::PlanValue::Kind kind) {
  runtime::PlanValue& described = values_.at(value_of(value));
  described.kind = kind;
  described.of = value_of(other);
}

int FunctionPlanner::scratch(int64_t size, std::string purpose) {
  const int buffer = frame_.add(size, step());
  if (size > 0) purposes_[buffer] = std::move(purpose);
  return buffer;
}

void FunctionPlanner::plan_op(Op& op) {
  if (op.is_return() || is_constant(op) || ops::keeps_bytes(op)) return;
  if (is_call(op))
    plan_call(op);
  else if (ops::is<ops::ScanOp>(op))
    plan_loop(op);
  else if (ops::is<ops::WhileOp>(op))
    plan_while(op);
  else if (ops::is<ops::CondOp>(op))
    plan_cond(op);
  else if (is_empty(op))
    plan_empty(op);
  else if (is_routine(op))
    plan_routine(op);
  else
    plan_launch(op);
}

void FunctionPlanner::plan_empty(Op& op) {
  for (Value* result : op.results()) {
    define(result);
    values_.at(value_of(result)).first_step = -1;
  }
  described_ = {};
}

void FunctionPlanner::plan_launch(Op& op) {
  runtime::LaunchStep launch;
  launch.kernel = program_.kernel_index(op);
  launch.source_lines = source_lines(op);
  program_.add_lines(launch.kernel, launch.source_lines);
  const std::vector<Value*> inputs = kernel_inputs(op);
  const Implementation& implementation = program_.implementation(op);
  for (size_t i = 0; i < inputs.size(); ++i) {
    Location location = use(inputs[i]);
    location.offset += implementation.input_starts[i] * static_cast<int64_t>(byte_size(inputs[i]->dtype()));
    launch.buffers.push_back(location);
  }
  std::set<Value*> taken;
  for (Value* result : op.results()) {
    if (takes_a_place(result)) taken.insert(shared_.takes.at(result));
  }
  for (Value* result : op.results()) {
    launch.buffers.push_back(define_output(op, inputs, result, taken));
  }
  if (const int64_t shared = program_.shared_bytes(launch.kernel); shared > 0) {
    const int memory = scratch(shared, "shared memory of " + kernel_name(op));
    if (program_.keeps_phases(launch.kernel)) kept_.push_back(memory);
    launch.buffers.push_back(in_frame(memory));
  }
  push_step(std::move(launch));
}

void FunctionPlanner::plan_routine(Op& op) {
  runtime::LaunchStep launch;
  launch.kernel = program_.routine_index(op);
  launch.source_lines = source_lines(op);
  program_.add_lines(launch.kernel, launch.source_lines);
  for (Value* input : routine_inputs(op)) launch.buffers.push_back(use(input));
  for (Value* result : op.results()) launch.buffers.push_back(define(result));
  if (const int64_t work = program_.shared_bytes(launch.kernel); work > 0)
    launch.buffers.push_back(in_frame(scratch(work, "work memory of " + kernel_name(op))));
  push_step(std::move(launch));
}

Location FunctionPlanner::define_output(Op& op, const std::vector<Value*>& inputs, Value* result,
                                        std::set<Value*>& taken) {
  if (takes_a_place(result)) return define(result);
  std::optional<int> own = result_index(result);
  for (size_t i = 0; i < inputs.size(); ++i) {
    Value* input = root(inputs[i]);
    auto place = places_.find(input);
    if (place == places_.end() || taken.count(input)) continue;
    const bool donated_argument = own && input->region() == &region_ && donated_.count(input->index()) > 0;
    const bool frame_buffer = !own && place->second.frame_buffer >= 0;
    if (!donated_argument && !frame_buffer) continue;
    if (last_use_[input] != &op) {
      if (donated_argument) donations_.refuse(input, *own, why_read_later(op, *last_use_[input], *result));
      continue;
    }
    const std::string& why_not = program_.shared_places().why_not(op, static_cast<int>(i), result->index());
    if (!why_not.empty()) {
      if (donated_argument) donations_.refuse(input, *own, making(op, *result) + " " + why_not);
      continue;
    }
    if (std::count_if(op.operands().begin(), op.operands().end(),
                      [&](Value* o) { return root(o) == input; }) > 1) {
      if (donated_argument)
        donations_.refuse(input, *own,
                          making(op, *result) + " reads it under several shapes; one alone would do");
      continue;
    }
    taken.insert(input);
    using Kind = runtime::PlanValue::Kind;
    if (frame_buffer) {
      places_[result] = place->second;
      describe(result);
      describe_place(result, input, Kind::kInPlace);
      return location_of(place->second);
    }
    function_.results[static_cast<size_t>(*own)].may_alias_argument = input->index();
    const Location location = define(result);
    describe_place(result, input, Kind::kMayBeInPlace);
    return location;
  }
  return define(result);
}

// A result has memory of its own, which what is there already, or is handed out twice, does not lie in.
std::string FunctionPlanner::why_copied(const Value& result, size_t index) const {
  const Value* whole = root(const_cast<Value*>(&result));
  const std::string own = ", and results have memory of their own";
  std::string text = "%" + result.name() + " to result " + std::to_string(index) + " of @" + function_.name;
  if (whole->op() == nullptr) return text + ", since it is argument " + std::to_string(whole->index()) + own;
  if (is_constant(*whole->op())) return text + ", since it is a constant" + own;
  const auto results = region_.results();
  for (size_t i = 0; i < results.size(); ++i) {
    if (i != index && claimed_.count(static_cast<int>(i)) > 0 && root(results[i]) == whole)
      return text + ", since it is result " + std::to_string(i) + " too" + own;
  }
  return text + ", since it was made in the place of another value";
}

void FunctionPlanner::copy_results() {
  auto results = region_.results();
  for (size_t i = 0; i < results.size(); ++i) {
    if (claimed_.count(static_cast<int>(i)) || element_count(results[i]->shape()) == 0) continue;
    runtime::CopyStep copy;
    copy.from = use(results[i]);
    copy.to = Location::result(static_cast<int32_t>(i));
    copy.bytes = bytes(results[i]);
    copy.about = why_copied(*results[i], i);
    if (const Op* maker = root(results[i])->op()) copy.source_lines = own_lines(*maker);
    const int32_t of = value_of(results[i]), copied = values_.copy(values_.at(of), of, step());
    values_.at(copied).location = copy.to;
    described_.writes.push_back(copied);
    push_step(copy);
  }
}

void FunctionPlanner::resolve_frame() {
  for (const int memory : kept_) frame_.keep(memory, std::max(0, step() - 1));
  function_.frame_bytes = frame_.place();
  for (runtime::Step& step : function_.steps) std::visit(StepResolver{frame_}, step);
  std::map<int, int32_t> reported;  // by the number of the buffer in frame_
  for (auto& [number, purpose] : purposes_) {
    const FrameLayout::Buffer& b = frame_.at(number);
    reported[number] = static_cast<int32_t>(function_.frame_buffers.size());
    function_.frame_buffers.push_back({purpose, b.offset, b.bytes, b.first, b.last});
  }
  for (const auto& [value, place] : places_) {
    runtime::PlanValue& described = values_.at(value_of(value));
    described.location = location_of(place);
    StepResolver{frame_}.fix(described.location);
    if (place.frame_buffer >= 0) described.buffer = reported.at(place.frame_buffer);
  }
  for (size_t number = 0; number < values_.list.size(); ++number) {
    runtime::PlanValue& value = values_.list[number];
    if (value.kind == runtime::PlanValue::Kind::kSameBytes) {
      value.location = values_.at(value.of).location;
      value.buffer = values_.at(value.of).buffer;
    }
    if (value.location.kind == Location::Kind::kResult && passing_.count(static_cast<int32_t>(number)) == 0)
      value.last_step = static_cast<int32_t>(function_.steps.size());
  }
  function_.values = std::move(values_.list);
}

}  // namespace ingot::compiler
