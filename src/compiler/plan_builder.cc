#include "compiler/plan_builder.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/check.h"
#include "compiler/frame_layout.h"
#include "ir/op_record.h"
#include "kernel/ir/in_place.h"
#include "ops/control.h"
#include "ops/kinds.h"

namespace ingot::compiler {
namespace {

using ir::Op;
using ir::Value;
using runtime::Location;

class FunctionPlanner;

class ProgramPlanner {
 public:
  using Compiled = std::unordered_map<const Op*, std::shared_ptr<const CachedKernel>>;
  ProgramPlanner(ir::Module& module, const Compiled& compiled) : module_(module), compiled_(compiled) {}

  runtime::Plan run() {
    ir::Function* entry = module_.entry();
    plan_.name = entry->name();
    plan_.entry = function_index(*entry);
    return std::move(plan_);
  }

  int32_t function_index(ir::Function& function) {
    auto [it, fresh] = functions_.emplace(&function, -1);
    if (fresh) {
      int32_t index = region_index(function.body(), function.name(), function.donated);
      functions_[&function] = index;
      return index;
    }
    return it->second;
  }

  int32_t region_index(ir::Region& region, const std::string& name, const std::unordered_set<int>& donated);

  int32_t kernel_index(const Op& op) {
    const CachedKernel& cached = *compiled_.at(&op);
    auto [it, fresh] = kernels_.emplace(&cached, static_cast<int32_t>(plan_.kernels.size()));
    if (!fresh) return it->second;
    const kernel::Kernel& kernel = cached.scheduled;
    auto compiled = std::make_shared<runtime::CompiledKernel>();
    compiled->name = kernel_name(op);
    compiled->hash = cached.hash;
    compiled->kind = kernel.kind;
    compiled->function = cached.code.function;
    compiled->units = cached.code.units;
    compiled->barriers = cached.code.barriers;
    compiled->shared_bytes = static_cast<int64_t>(cached.code.shared_bytes);
    compiled->unit_cost_ns = cached.code.unit_cost_ns;
    compiled->scratch_bytes = cached.code.scratch_bytes;
    compiled->stack_bytes = cached.code.stack_bytes;
    compiled->bytes_read = kernel.bytes_read;
    compiled->bytes_written = kernel.bytes_written;
    compiled->flops = kernel.flops;
    // Reports show this program's shapes: the kernel may come from one that sees the same memory otherwise.
    std::vector<Value*> values = kernel_inputs(const_cast<Op&>(op));
    for (Value* result : op.results()) values.push_back(result);
    for (int i = 0; i < kernel.input_count + kernel.output_count; ++i) {
      const Value& value = *values[static_cast<size_t>(i)];
      compiled->parameters.push_back({kernel.buffers[static_cast<size_t>(i)].dtype, value.shape(),
                                      i >= kernel.input_count, kernel::pitch_of(value),
                                      kernel.parameter_bytes[static_cast<size_t>(i)],
                                      ops::stored_order(value).value_or(Shape())});
    }
    for (size_t i = 0; i < kernel.copied_first.size(); ++i) {
      const kernel::CopiedFirst& c = kernel.copied_first[i];
      if (kernel::is_copied_first(kernel, c.input, c.output))
        compiled->copied_first.push_back(
            {c.input, c.output, c.bytes_read, c.bytes_written, cached.code.copying_cost_ns[i]});
    }
    compiled->code = cached.code.memory;
    own_kernels_.push_back(compiled.get());
    plan_.kernels.push_back(std::move(compiled));
    return it->second;
  }

  // The kernel serves all launches, and has the lines of all.
  void add_lines(int32_t kernel, const std::vector<std::string>& lines) {
    for (const std::string& line : lines)
      add_line(own_kernels_[static_cast<size_t>(kernel)]->source_lines, line);
  }

  int32_t constant_index(const Op& op) {
    const Tensor& value = ops::ConstantOp(op).value();
    auto data = std::shared_ptr<void>(std::aligned_alloc(64, (value.bytes() + 127) / 64 * 64), std::free);
    std::memcpy(data.get(), value.raw(), value.bytes());
    plan_.constants.push_back({op.result()->name(), data, static_cast<int64_t>(value.bytes())});
    return static_cast<int32_t>(plan_.constants.size()) - 1;
  }

  int64_t shared_bytes(int32_t kernel) const {
    return plan_.kernels[static_cast<size_t>(kernel)]->shared_bytes;
  }
  const kernel::Kernel& scheduled(const Op& op) const { return compiled_.at(&op)->scheduled; }
  runtime::Plan& plan() { return plan_; }
  std::vector<PlanNote>& notes() { return notes_; }

 private:
  ir::Module& module_;
  const Compiled& compiled_;
  runtime::Plan plan_;
  std::unordered_map<const ir::Function*, int32_t> functions_;
  std::unordered_map<const CachedKernel*, int32_t> kernels_;
  std::vector<runtime::CompiledKernel*> own_kernels_;  // those of plan_, to be completed
  std::vector<PlanNote> notes_;
};

// Plans one region: the body of a function, or of a loop over kernels.
class FunctionPlanner {
 public:
  FunctionPlanner(ProgramPlanner& program, ir::Region& region, const std::unordered_set<int>& donated)
      : program_(program), region_(region), donated_(donated) {}

  runtime::PlanFunction run(const std::string& name) {
    function_.name = name;
    for (Value* argument : region_.arguments()) {
      function_.arguments.push_back({argument->name(), argument->dtype(), argument->shape(), -1});
      places_[argument] = {Location::argument(argument->index()), -1};
      values_.add(*argument, -1);
    }
    for (Value* result : region_.results()) {
      function_.results.push_back({result->name(), result->dtype(), result->shape(), -1});
    }
    find_last_uses();
    for (auto& op : region_.ops()) plan_op(*op);
    copy_results();
    for (Value* result : region_.results()) {
      if (element_count(result->shape()) > 0) value_of(result);
    }
    resolve_frame();
    for (PlanNote& note : donations_.notes(region_, donated_, function_))
      program_.notes().push_back(std::move(note));
    return std::move(function_);
  }

 private:
  struct Place {
    Location location;
    int frame_buffer;  // number in frame_, or -1 if the location is final
  };

  int step() const { return static_cast<int>(function_.steps.size()); }

  // The values that the program works with, by number, and what reports say of them. Their places follow at
  // the end.
  class Values {
   public:
    int32_t add(const Value& value, int first_step) {
      runtime::PlanValue described;
      described.name = value.name();
      described.dtype = value.dtype();
      described.order = order_of(value);
      described.shape = runtime::program_shape(value.shape(), described.order);
      described.bytes = bytes(&value);
      described.first_step = described.last_step = first_step;
      numbers_[&value] = static_cast<int32_t>(list.size());
      list.push_back(std::move(described));
      return numbers_[&value];
    }
    int32_t copy(const runtime::PlanValue& value, int32_t of, int step) {
      runtime::PlanValue copied = value;
      copied.kind = runtime::PlanValue::Kind::kCopy;
      copied.of = of;
      copied.first_step = copied.last_step = step;
      list.push_back(std::move(copied));
      return static_cast<int32_t>(list.size()) - 1;
    }
    std::optional<int32_t> number(const Value* value) const {
      const auto it = numbers_.find(value);
      return it == numbers_.end() ? std::nullopt : std::optional(it->second);
    }
    runtime::PlanValue& at(int32_t number) { return list[static_cast<size_t>(number)]; }

    std::vector<runtime::PlanValue> list;

   private:
    std::unordered_map<const Value*, int32_t> numbers_;
  };

  // The value whose memory this one shares.
  static Value* root(Value* value) {
    while (value->op() != nullptr && ops::keeps_bytes(*value->op())) value = value->op()->operand(0);
    return value;
  }

  void find_last_uses() {
    for (auto& op : region_.ops()) {
      for (Value* operand : op->operands()) last_use_[root(operand)] = op.get();
    }
  }

  // The number of a value that has a place, or that is another one under another shape.
  int32_t value_of(Value* value) {
    if (const auto number = values_.number(value)) return *number;
    if (value == root(value)) return values_.add(*value, -1);  // a constant
    const int32_t of = value_of(root(value));
    const int32_t number = values_.add(*value, values_.at(of).first_step);
    values_.at(number).kind = runtime::PlanValue::Kind::kSameBytes;
    values_.at(number).of = of;
    return number;
  }

  Location use(Value* value) {
    for (const int32_t number : {value_of(value), value_of(root(value))})
      values_.at(number).last_step = step();
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

  // Frame offsets are known only at the end; until then the offset is the number of the buffer.
  static Location location_of(const Place& place) {
    return place.frame_buffer >= 0 ? Location::frame(place.frame_buffer) : place.location;
  }

  // Where the program's own results go, if the value is one and no earlier result has claimed it.
  std::optional<int> result_index(Value* value) const {
    auto results = region_.results();
    for (size_t i = 0; i < results.size(); ++i) {
      if (root(results[i]) == value) return static_cast<int>(i);
    }
    return std::nullopt;
  }

  void push_step(runtime::Step step) {
    function_.steps.push_back(std::move(step));
    function_.step_values.push_back(std::exchange(described_, {}));
  }

  int32_t describe(Value* value) {
    const int32_t number = values_.add(*value, step());
    described_.writes.push_back(number);
    return number;
  }

  Location define(Value* value) {
    describe(value);
    Place place{{}, -1};
    if (std::optional<int> index = result_index(value)) {
      place.location = Location::result(*index);
      claimed_.insert(*index);
    } else {
      place.frame_buffer = frame_.add(bytes(value), step());
      purposes_[place.frame_buffer] = "";
    }
    places_[value] = place;
    return location_of(place);
  }

  // The order of the dimensions in memory, if the pass `layout` has given it one.
  static Shape order_of(const Value& value) { return ops::stored_order(value).value_or(Shape()); }

  static int64_t bytes(const Value* value) { return kernel::bytes_in_memory(*value); }

  Location scratch(int64_t size, std::string purpose) {
    const int buffer = frame_.add(size, step());
    if (size > 0) purposes_[buffer] = std::move(purpose);
    return Location::frame(buffer);
  }

  void plan_op(Op& op) {
    if (op.is_return() || is_constant(op) || ops::keeps_bytes(op)) return;
    if (is_call(op))
      plan_call(op);
    else if (is_loop(op))
      plan_loop(op);
    else if (!is_empty(op))
      plan_launch(op);
    else
      plan_empty(op);
  }

  // Values without elements are there without anything being done.
  void plan_empty(Op& op) {
    for (Value* result : op.results()) {
      define(result);
      values_.at(value_of(result)).first_step = -1;
    }
    described_ = {};
  }

  void plan_launch(Op& op) {
    runtime::LaunchStep launch;
    launch.kernel = program_.kernel_index(op);
    launch.source_lines = source_lines(op);
    program_.add_lines(launch.kernel, launch.source_lines);
    const std::vector<Value*> inputs = kernel_inputs(op);
    for (Value* input : inputs) launch.buffers.push_back(use(input));
    const kernel::Kernel& kernel = program_.scheduled(op);
    std::set<Value*> taken;
    for (Value* result : op.results()) {
      launch.buffers.push_back(define_output(op, inputs, result, kernel, taken));
    }
    if (const int64_t shared = program_.shared_bytes(launch.kernel); shared > 0) {
      launch.buffers.push_back(scratch(shared, "shared memory of " + kernel.name));
    }
    push_step(std::move(launch));
  }

  static std::string making(const Op& op, const Value& result) {
    return "the kernel " + kernel_name(op) + ", which makes %" + result.name() + ",";
  }

  static std::string why_read_later(const Op& op, const Op& last, const Value& result) {
    if (last.is_return()) return "it is a result too; a program that does not hand it out would do";
    const std::string reader = is_call(last)   ? "a call of a function"
                               : is_loop(last) ? "a loop over kernels"
                                               : "the kernel " + kernel_name(last);
    return reader + " reads it after " + making(op, result) +
           " has run; what is made of it there would have to "
           "be made before, or of %" +
           result.name();
  }

  // An output takes the memory of an input that dies here, where the kernel allows that.
  Location define_output(Op& op, const std::vector<Value*>& inputs, Value* result,
                         const kernel::Kernel& kernel, std::set<Value*>& taken) {
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
      if (!kernel::may_run_in_place(kernel, static_cast<int>(i), result->index())) {
        if (donated_argument)
          donations_.refuse(input, *own,
                            making(op, *result) + " " +
                                kernel::why_not_in_place(kernel, static_cast<int>(i), result->index()));
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
      const auto in_place_of = [&](Kind kind) {
        runtime::PlanValue& described = values_.at(value_of(result));
        described.kind = kind;
        described.of = value_of(input);
      };
      if (frame_buffer) {
        places_[result] = place->second;
        describe(result);
        in_place_of(Kind::kInPlace);
        return location_of(place->second);
      }
      function_.results[static_cast<size_t>(*own)].may_alias_argument = input->index();
      const Location location = define(result);
      in_place_of(Kind::kMayBeInPlace);
      return location;
    }
    return define(result);
  }

  void plan_call(Op& op) {
    runtime::CallStep call;
    call.function = program_.function_index(ops::CallOp(op).callee());
    for (Value* operand : op.operands()) call.arguments.push_back(use(operand));
    for (Value* result : op.results()) call.results.push_back(define(result));
    call.frame_offset = callee_frame(call.function);
    push_step(std::move(call));
  }

  int64_t callee_frame(int32_t function) {
    const runtime::PlanFunction& callee = program_.plan().functions[static_cast<size_t>(function)];
    return scratch(callee.frame_bytes, "frame of @" + callee.name).offset;
  }

  void plan_loop(Op& op) {
    const ops::ScanOp scan(op);
    runtime::LoopStep loop;
    loop.function = program_.region_index(scan.body(), region_.function()->name() + "_loop", {});
    loop.trip_count = scan.length();
    loop.reverse = scan.reverse();
    auto sliced = [&](Value* value, int64_t axis, Location location) {
      runtime::SlicedBuffer buffer;
      buffer.location = location;
      buffer.shape = value->shape();
      buffer.axis = static_cast<int32_t>(axis);
      buffer.element_bytes = static_cast<int64_t>(byte_size(value->dtype()));
      buffer.slot =
          scratch(buffer.contiguous() ? 0 : buffer.slice_bytes(), "slice of %" + value->name()).offset;
      return buffer;
    };
    for (const auto& [initial, argument, next, result] : scan.carries()) {
      runtime::LoopCarry carry;
      carry.initial = use(initial);
      carry.result = define(result);
      carry.bytes = bytes(result);
      carry.spare = scratch(carry.bytes, "spare of %" + result->name()).offset;
      loop.carries.push_back(carry);
    }
    for (const auto& [xs, slice, axis] : scan.scanned()) loop.inputs.push_back(sliced(xs, axis, use(xs)));
    for (const auto& [value, argument] : scan.invariants()) loop.invariants.push_back(use(value));
    for (const auto& [slice, ys, axis] : scan.stacks()) loop.outputs.push_back(sliced(ys, axis, define(ys)));
    loop.frame_offset = callee_frame(loop.function);
    push_step(std::move(loop));
  }

  // Results that are arguments, constants or other results again.
  void copy_results() {
    auto results = region_.results();
    for (size_t i = 0; i < results.size(); ++i) {
      if (claimed_.count(static_cast<int>(i)) || element_count(results[i]->shape()) == 0) continue;
      runtime::CopyStep copy;
      copy.from = use(results[i]);
      copy.to = Location::result(static_cast<int32_t>(i));
      copy.bytes = bytes(results[i]);
      const int32_t of = value_of(results[i]), copied = values_.copy(values_.at(of), of, step());
      values_.at(copied).location = copy.to;
      described_.writes.push_back(copied);
      push_step(copy);
    }
  }

  void resolve_frame() {
    function_.frame_bytes = frame_.place();
    auto fix_offset = [&](int64_t& offset) { offset = frame_.at(static_cast<int>(offset)).offset; };
    auto fix = [&](Location& location) {
      if (location.kind == Location::Kind::kFrame) fix_offset(location.offset);
    };
    for (runtime::Step& step : function_.steps) {
      if (auto* s = std::get_if<runtime::LaunchStep>(&step)) {
        for (Location& l : s->buffers) fix(l);
      } else if (auto* s = std::get_if<runtime::CopyStep>(&step)) {
        fix(s->from);
        fix(s->to);
      } else if (auto* s = std::get_if<runtime::CallStep>(&step)) {
        for (Location& l : s->arguments) fix(l);
        for (Location& l : s->results) fix(l);
        fix_offset(s->frame_offset);
      } else if (auto* s = std::get_if<runtime::LoopStep>(&step)) {
        for (auto& carry : s->carries) {
          fix(carry.initial);
          fix(carry.result);
          fix_offset(carry.spare);
        }
        for (auto* list : {&s->inputs, &s->outputs}) {
          for (auto& buffer : *list) {
            fix(buffer.location);
            fix_offset(buffer.slot);
          }
        }
        for (Location& l : s->invariants) fix(l);
        fix_offset(s->frame_offset);
      }
    }
    std::map<int, int32_t> reported;  // by the number of the buffer in frame_
    for (auto& [number, purpose] : purposes_) {
      const FrameLayout::Buffer& b = frame_.at(number);
      reported[number] = static_cast<int32_t>(function_.frame_buffers.size());
      function_.frame_buffers.push_back({purpose, b.offset, b.bytes, b.first, b.last});
    }
    for (const auto& [value, place] : places_) {
      runtime::PlanValue& described = values_.at(value_of(value));
      described.location = location_of(place);
      fix(described.location);
      if (place.frame_buffer >= 0) described.buffer = reported.at(place.frame_buffer);
    }
    for (runtime::PlanValue& value : values_.list) {
      if (value.kind == runtime::PlanValue::Kind::kSameBytes) {
        value.location = values_.at(value.of).location;
        value.buffer = values_.at(value.of).buffer;
      }
      if (value.location.kind == Location::Kind::kResult)
        value.last_step = static_cast<int32_t>(function_.steps.size());
    }
    function_.values = std::move(values_.list);
  }

  ProgramPlanner& program_;
  ir::Region& region_;
  const std::unordered_set<int>& donated_;
  runtime::PlanFunction function_;
  FrameLayout frame_;
  std::map<int, std::string> purposes_;  // of buffers by their number; those of values have none
  Values values_;
  runtime::StepValues described_;  // of the step that is being planned
  std::unordered_map<Value*, Place> places_;
  std::unordered_map<Value*, const Op*> last_use_;
  std::set<int> claimed_;
  Donations donations_;
};

int32_t ProgramPlanner::region_index(ir::Region& region, const std::string& name,
                                     const std::unordered_set<int>& donated) {
  runtime::PlanFunction function = FunctionPlanner(*this, region, donated).run(name);
  plan_.functions.push_back(std::move(function));
  return static_cast<int32_t>(plan_.functions.size()) - 1;
}

}  // namespace

runtime::Plan build_plan(ir::Module& module,
                         const std::unordered_map<const Op*, std::shared_ptr<const CachedKernel>>& compiled,
                         std::vector<PlanNote>* notes) {
  ProgramPlanner planner(module, compiled);
  runtime::Plan plan = planner.run();
  if (notes != nullptr) *notes = planner.notes();
  return plan;
}

}  // namespace ingot::compiler
