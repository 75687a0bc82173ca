// The rules of a well-formed plan. What is checked here is not checked when the plan runs.
#include <algorithm>
#include <limits>
#include <string>

#include "base/check.h"
#include "runtime/plan.h"

namespace ingot::runtime {
namespace {

// A buffer that a step hands on: where it is and how long.
struct Range {
  Location location;
  int64_t bytes;
};

class FunctionVerifier {
 public:
  FunctionVerifier(const Plan& plan, const PlanFunction& function) : plan_(plan), function_(function) {}

  void verify() {
    for (const BufferInfo& result : function_.results) {
      require(result.same_as_result < size(function_.results), "a result is one that is not there");
      if (result.may_alias_argument < 0) {
        require(!result.always_aliases, "a result takes an argument's place, but of which?");
        continue;
      }
      require(result.may_alias_argument < size(function_.arguments),
              "a result may alias an argument that is not there");
      require(result.bytes() <= function_.arguments[result.may_alias_argument].bytes(),
              "result " + result.name + " is longer than the argument whose memory it may take");
    }
    for (step_ = 0; step_ < size(function_.steps); ++step_) {
      std::visit(*this, function_.steps[step_]);
      verify_values();
    }
    verify_donations();
  }

  void operator()(const LaunchStep& step) {
    require(step.kernel >= 0 && step.kernel < size(plan_.kernels), "there is no such kernel");
    const CompiledKernel& kernel = *plan_.kernels[step.kernel];
    const size_t shared = kernel.shared_bytes > 0 ? 1 : 0;
    require(step.buffers.size() == kernel.parameters.size() + shared,
            "kernel " + kernel.name + " has " + std::to_string(kernel.parameters.size()) +
                " parameters and " + (shared ? "" : "no ") + "shared memory, not " +
                std::to_string(step.buffers.size()) + " buffers");
    if (shared) written({step.buffers.back(), kernel.shared_bytes});
    for (size_t i = 0; i < kernel.parameters.size(); ++i) {
      const ParameterInfo& parameter = kernel.parameters[i];
      const Range range{step.buffers[i], parameter.bytes()};
      parameter.is_output ? written(range) : read(range);
    }
  }

  void operator()(const CopyStep& step) {
    require(step.bytes >= 0, "a copy of negative length");
    read({step.from, step.bytes});
    written({step.to, step.bytes});
    require(place(step.from) == place(step.to) || !overlap({step.from, step.bytes}, {step.to, step.bytes}),
            "source and destination of a copy overlap");
  }

  void operator()(const CallStep& step) {
    const PlanFunction& callee = callee_at(step.function, step.frame_offset);
    require(step.arguments.size() == callee.arguments.size() && step.results.size() == callee.results.size(),
            "wrong number of arguments or results for " + callee.name);
    std::vector<Range> arguments, results;
    for (size_t i = 0; i < step.arguments.size(); ++i) {
      arguments.push_back({step.arguments[i], callee.arguments[i].bytes()});
      read(arguments.back());
      outside_of_frame(arguments.back(), callee, step.frame_offset);
    }
    for (size_t i = 0; i < step.results.size(); ++i) {
      results.push_back({step.results[i], callee.results[i].bytes()});
      written(results.back());
      outside_of_frame(results.back(), callee, step.frame_offset);
    }
    for (size_t r = 0; r < results.size(); ++r) {
      const BufferInfo& info = callee.results[r];
      require(info.same_as_result < 0, "a result of " + callee.name + " is another one");
      require(!info.always_aliases ||
                  place(results[r].location) == place(arguments[info.may_alias_argument].location),
              "result " + std::to_string(r) + " of " + callee.name + " is not in its argument's place");
      for (size_t a = 0; a < arguments.size(); ++a) {
        bool donated = callee.results[r].may_alias_argument == static_cast<int64_t>(a) &&
                       place(results[r].location) == place(arguments[a].location);
        require(
            donated || !overlap(results[r], arguments[a]),
            "result " + std::to_string(r) + " of " + callee.name + " overlaps argument " + std::to_string(a));
      }
      for (size_t other = 0; other < r; ++other) {
        require(!overlap(results[r], results[other]), "two results of " + callee.name + " overlap");
      }
    }
  }

  void operator()(const LoopStep& step) {
    const PlanFunction& body = callee_at(step.function, step.frame_offset);
    size_t carries = step.carries.size(), inputs = step.inputs.size();
    require(step.trip_count >= 0, "a negative trip count");
    require(body.arguments.size() == carries + inputs + step.invariants.size() &&
                body.results.size() == carries + step.outputs.size(),
            "wrong number of carries, slices or invariants for " + body.name);
    for (size_t i = 0; i < carries; ++i) verify_carry(step, body, i);
    verify_places(step.carries);
    for (size_t i = 0; i < step.outputs.size(); ++i) {
      const int32_t same = body.results[carries + i].same_as_result;
      const int32_t place = body.results[carries + i].may_alias_argument;
      const bool holds = place >= 0 && place < static_cast<int64_t>(carries) && step.carries[place].ahead &&
                         step.carries[place].stack == static_cast<int64_t>(i);
      require(holds || place < 0 || !body.results[carries + i].always_aliases,
              "a stack wants the memory of an argument");
      require(same < 0 || (same < static_cast<int64_t>(carries) &&
                           step.carries[same].stack == static_cast<int64_t>(i)),
              "a stack is the same as a carry that does not lie in it");
    }
    for (size_t i = 0; i < inputs; ++i)
      verify_slices(step, body, step.inputs[i], body.arguments[carries + i], false);
    for (size_t i = 0; i < step.invariants.size(); ++i) {
      Range range{step.invariants[i], body.arguments[carries + inputs + i].bytes()};
      read(range);
      outside_of_frame(range, body, step.frame_offset);
    }
    for (size_t i = 0; i < step.outputs.size(); ++i) {
      verify_slices(step, body, step.outputs[i], body.results[carries + i], true);
    }
    verify_loop_aliasing(step, body);
  }

  void operator()(const WhileStep& step) {
    LoopStep steps;
    steps.function = step.body;
    steps.carries = step.carries;
    steps.invariants = step.invariants;
    steps.frame_offset = step.frame_offset;
    (*this)(steps);
    if (step.predicate < 0) {
      require(step.predicate_carry >= 0 && step.predicate_carry < size(step.carries) &&
                  step.carries[step.predicate_carry].bytes == 1,
              "the predicate of a loop is none of its carries of one byte");
      return;
    }
    verify_predicate(step);
  }

  void operator()(const CondStep& step) {
    require(!step.functions.empty(), "a choice of no functions");
    read({step.index, 4});
    for (int32_t function : step.functions)
      (*this)(CallStep{function, step.arguments, step.results, step.frame_offset});
  }

 private:
  template <class T>
  static int64_t size(const std::vector<T>& items) {
    return static_cast<int64_t>(items.size());
  }

  void require(bool condition, const std::string& message) const {
    if (!condition)
      throw InternalError("plan " + plan_.name + ", function " + function_.name + ", step " +
                          std::to_string(step_) + ": " + message);
  }

  // What reports say of a step is what it does.
  void verify_values() const {
    if (function_.step_values.empty()) return;
    require(function_.step_values.size() == function_.steps.size(), "a step has no values");
    const StepLocations at = locations_of(function_.steps[step_], plan_);
    const StepValues& values = function_.step_values[step_];
    const bool is_launch = std::holds_alternative<LaunchStep>(function_.steps[step_]);
    verify_values(at.reads, values.reads, is_launch);
    verify_values(at.writes, values.writes, false);
    if (!is_launch) return;
    const std::vector<ReachedBytes> reached = reached_by(plan_, function_, static_cast<size_t>(step_));
    for (size_t i = 0; i < reached.size(); ++i) {
      const PlanValue& value = function_.values[values.reads[i]];
      require(reached[i].first >= 0 && reached[i].end <= value.bytes,
              "what is read of %" + value.name + " leaves it");
    }
  }

  // A launch may see a part of what it reads, which begins somewhere in the value.
  void verify_values(const std::vector<Location>& locations, const std::vector<int32_t>& values,
                     bool parts) const {
    require(locations.size() == values.size(), "a location has no value");
    for (size_t i = 0; i < values.size(); ++i) {
      require(values[i] >= 0 && values[i] < size(function_.values), "there is no such value");
      const PlanValue& value = function_.values[values[i]];
      const Location& place = locations[i];
      const bool inside = parts && place.kind == value.location.kind && place.index == value.location.index;
      require(place == value.location || inside,
              "%" + value.name + " lies at " + to_string(value.location) + ", not " + to_string(place));
    }
  }

  // A result that may take an argument's memory is taken for that argument.
  Location place(const Location& location) const {
    if (location.kind != Location::Kind::kResult) return location;
    int32_t argument = function_.results[location.index].may_alias_argument;
    return argument < 0 ? location : Location::argument(argument, location.offset);
  }

  bool overlap(const Range& a, const Range& b) const {
    Location first = place(a.location), second = place(b.location);
    return first.kind == second.kind && first.index == second.index && a.bytes > 0 && b.bytes > 0 &&
           first.offset < second.offset + b.bytes && second.offset < first.offset + a.bytes;
  }

  int64_t room(const Location& location) const {
    auto in = [&](int64_t count) { return location.index >= 0 && location.index < count; };
    switch (location.kind) {
      case Location::Kind::kArgument:
        require(in(size(function_.arguments)), "there is no argument " + std::to_string(location.index));
        return function_.arguments[location.index].bytes();
      case Location::Kind::kResult:
        require(in(size(function_.results)), "there is no result " + std::to_string(location.index));
        return function_.results[location.index].bytes();
      case Location::Kind::kFrame:
        return function_.frame_bytes;
      case Location::Kind::kConstant:
        require(in(size(plan_.constants)), "there is no constant " + std::to_string(location.index));
        return plan_.constants[location.index].bytes;
    }
    return 0;
  }

  void read(const Range& range) {
    int64_t bytes = room(range.location);
    require(range.location.offset >= 0 && range.location.offset + range.bytes <= bytes,
            "a buffer of " + std::to_string(range.bytes) + " bytes at offset " +
                std::to_string(range.location.offset) + " leaves its place of " + std::to_string(bytes) +
                " bytes");
    if (range.location.kind == Location::Kind::kArgument) last_read(range.location.index) = step_;
  }

  void written(const Range& range) {
    read(range);
    require(range.location.kind == Location::Kind::kFrame || range.location.kind == Location::Kind::kResult,
            "an argument or a constant is written to");
    if (range.location.kind == Location::Kind::kResult)
      first_write(range.location.index) = std::min(first_write(range.location.index), step_);
  }

  const PlanFunction& callee_at(int32_t index, int64_t frame_offset) {
    require(index >= 0 && index < size(plan_.functions), "there is no such function");
    const PlanFunction& callee = plan_.functions[index];
    require(frame_offset >= 0 && frame_offset % 64 == 0 &&
                frame_offset + callee.frame_bytes <= function_.frame_bytes,
            "the frame of " + callee.name + " is not aligned or leaves the caller's");
    return callee;
  }

  void outside_of_frame(const Range& range, const PlanFunction& callee, int64_t frame_offset) const {
    require(!overlap(range, {Location::frame(frame_offset), callee.frame_bytes}),
            "a buffer that " + callee.name + " works on lies in its frame");
  }

  void verify_carry(const LoopStep& step, const PlanFunction& body, size_t i) {
    const LoopCarry& carry = step.carries[i];
    std::string what = "carry " + std::to_string(i) + " ";
    require(carry.bytes == body.arguments[i].bytes() && carry.bytes == body.results[i].bytes(),
            what + "has another size than in the body");
    Range initial{carry.initial, carry.bytes}, result{carry.result, carry.bytes};
    read(initial);
    written(result);
    outside_of_frame(initial, body, step.frame_offset);
    outside_of_frame(result, body, step.frame_offset);
    const BufferInfo& next = body.results[i];
    require(!carry.ahead || carry.stack >= 0, what + "lies ahead in no output");
    if (carry.stack >= 0) {
      const int64_t output = step.carries.size() + carry.stack;
      require(carry.stack < size(step.outputs) && step.outputs[carry.stack].contiguous() &&
                  step.outputs[carry.stack].slice_bytes() == carry.bytes &&
                  (carry.ahead ? body.results[output].may_alias_argument
                               : body.results[output].same_as_result) == static_cast<int64_t>(i),
              what + "lies in an output that the body does not make of it");
      require(!carry.ahead || next.same_as_result < 0, what + "is the same as another result");
      require(carry.takes < 0 && next.may_alias_argument < 0 && !keeps_place(step.carries, i),
              what + "lies in an output and in a carry's place");
      return;
    }
    require(next.same_as_result < 0, what + "is the same as another result");
    if (next.always_aliases)
      require(carry.takes == next.may_alias_argument, what + "is not where the body wants it");
    if (carry.takes >= 0) {
      require(carry.takes < size(step.carries) && next.may_alias_argument == carry.takes,
              what + "is in place, but the body does not allow it");
      require(step.carries[carry.takes].bytes == carry.bytes, what + "takes a place of another size");
      return;
    }
    Range spare{Location::frame(carry.spare), carry.bytes};
    written(spare);
    outside_of_frame(spare, body, step.frame_offset);
    require(!overlap(spare, initial) && !overlap(spare, result), what + "overlaps its spare");
  }

  // Each step leaves every place to one value.
  void verify_places(const std::vector<LoopCarry>& carries) const {
    const auto n = size(carries);
    std::vector<int> taken(2 * carries.size(), 0);
    for (int32_t p = 0; p < 2 * n; ++p) {
      const int32_t before = place_before(carries, p);
      require(before >= 0 && before < 2 * n && taken[before]++ == 0, "two carries take the same place");
      const auto bytes_at = [&](int32_t place) { return carries[place % n].bytes; };
      require(bytes_at(before) == bytes_at(p), "carries of different sizes change places");
    }
  }

  // It is asked between steps, so its byte may lie in nothing that steps read or write.
  void verify_predicate(const WhileStep& step) {
    const PlanFunction& predicate = callee_at(step.predicate, step.frame_offset);
    const PlanFunction& body = plan_.functions[step.body];
    bool alike = predicate.arguments.size() == body.arguments.size();
    for (size_t i = 0; alike && i < body.arguments.size(); ++i)
      alike = predicate.arguments[i].bytes() == body.arguments[i].bytes();
    require(alike, "the arguments of " + predicate.name + " are not those of " + body.name);
    require(predicate.results.size() == 1 && predicate.results[0].bytes() == 1,
            predicate.name + " must have one result of one byte");
    const Range byte{Location::frame(step.predicate_byte), 1};
    written(byte);
    outside_of_frame(byte, predicate, step.frame_offset);
    outside_of_frame(byte, body, step.frame_offset);
    std::vector<Range> others;
    for (const LoopCarry& carry : step.carries) {
      for (const Location& location : {carry.initial, carry.result})
        others.push_back({location, carry.bytes});
      if (carry.spare >= 0) others.push_back({Location::frame(carry.spare), carry.bytes});
    }
    for (size_t i = 0; i < step.invariants.size(); ++i)
      others.push_back({step.invariants[i], body.arguments[step.carries.size() + i].bytes()});
    for (const Range& other : others) {
      outside_of_frame(other, predicate, step.frame_offset);
      require(!overlap(byte, other), "the predicate's byte lies in what the loop works on");
    }
  }

  void verify_slices(const LoopStep& step, const PlanFunction& body, const SlicedBuffer& buffer,
                     const BufferInfo& slice, bool output) {
    require(buffer.axis >= 0 && buffer.axis < size(buffer.shape), "a slice along an axis that is not there");
    require(buffer.shape[buffer.axis] == step.trip_count,
            "a sliced buffer has extent " + std::to_string(buffer.shape[buffer.axis]) +
                " along its axis, the loop " + std::to_string(step.trip_count) + " steps");
    require(buffer.slice_bytes() == slice.bytes(),
            "slice " + slice.name + " has another size than in the body");
    Range whole{buffer.location, element_count(buffer.shape) * buffer.element_bytes};
    output ? written(whole) : read(whole);
    outside_of_frame(whole, body, step.frame_offset);
    if (buffer.contiguous()) return;
    Range slot{Location::frame(buffer.slot), buffer.slice_bytes()};
    written(slot);
    outside_of_frame(slot, body, step.frame_offset);
    require(!overlap(slot, whole), "a slice's slot overlaps its buffer");
  }

  // While the loop runs, its results, spares and slots are written in any order, so they may not overlap what
  // it still reads.
  void verify_loop_aliasing(const LoopStep& step, const PlanFunction& body) const {
    auto whole = [](const SlicedBuffer& b) {
      return Range{b.location, element_count(b.shape) * b.element_bytes};
    };
    std::vector<Range> written;
    for (const LoopCarry& carry : step.carries) written.push_back({carry.result, carry.bytes});
    for (const SlicedBuffer& output : step.outputs) written.push_back(whole(output));
    size_t results = written.size();
    for (const LoopCarry& carry : step.carries) {
      if (carry.spare >= 0) written.push_back({Location::frame(carry.spare), carry.bytes});
    }
    for (const auto* buffers : {&step.inputs, &step.outputs}) {
      for (const SlicedBuffer& buffer : *buffers) {
        if (!buffer.contiguous()) written.push_back({Location::frame(buffer.slot), buffer.slice_bytes()});
      }
    }
    size_t carries = step.carries.size(), inputs = step.inputs.size();
    for (size_t w = 0; w < written.size(); ++w) {
      for (size_t other = 0; other < w; ++other) {
        require(!overlap(written[w], written[other]), "two buffers that the loop writes overlap");
      }
      for (size_t i = 0; i < step.invariants.size(); ++i) {
        require(!overlap(written[w], {step.invariants[i], body.arguments[carries + inputs + i].bytes()}),
                "a buffer that the loop writes overlaps an invariant");
      }
      for (size_t i = 0; i < inputs; ++i) {
        const SlicedBuffer& input = step.inputs[i];
        bool same_slices = w >= carries && w < results &&
                           place(step.outputs[w - carries].location) == place(input.location) &&
                           step.outputs[w - carries].shape == input.shape &&
                           step.outputs[w - carries].axis == input.axis &&
                           body.results[w].may_alias_argument == static_cast<int64_t>(carries + i);
        require(same_slices || !overlap(written[w], whole(input)),
                "a buffer that the loop writes overlaps a sliced input");
      }
      for (size_t i = 0; i < carries; ++i) {
        Range initial{step.carries[i].initial, step.carries[i].bytes};
        // It is moved in time where it lies in the place of a result, and not where parts of it do.
        const bool staged = w < carries && step.carries[i].stack < 0 &&
                            place(step.carries[w].result) == place(initial.location) &&
                            step.carries[w].bytes == initial.bytes;
        require(staged || !overlap(written[w], initial),
                "a buffer that the loop writes overlaps the initial value of carry " + std::to_string(i));
      }
    }
  }

  // A result that may take an argument's memory is not written before the last step that reads the argument.
  void verify_donations() {
    for (size_t r = 0; r < function_.results.size(); ++r) {
      int32_t argument = function_.results[r].may_alias_argument;
      if (argument < 0) continue;
      step_ = first_write(r);
      require(last_read(argument) <= first_write(r),
              "result " + std::to_string(r) + " is written while argument " + std::to_string(argument) +
                  ", whose memory it may take, is still needed");
      for (size_t other = 0; other < r; ++other) {
        require(function_.results[other].may_alias_argument != argument,
                "two results may take the same argument");
      }
    }
  }

  int64_t& last_read(size_t argument) {
    last_reads_.resize(function_.arguments.size(), -1);
    return last_reads_[argument];
  }
  int64_t& first_write(size_t result) {
    first_writes_.resize(function_.results.size(), std::numeric_limits<int64_t>::max());
    return first_writes_[result];
  }

  const Plan& plan_;
  const PlanFunction& function_;
  int64_t step_ = 0;
  std::vector<int64_t> last_reads_;
  std::vector<int64_t> first_writes_;
};

enum class Mark : uint8_t { kNew, kOpen, kDone };

void verify_no_recursion(const Plan& plan, int32_t index, std::vector<Mark>& marks) {
  if (marks[index] == Mark::kDone) return;
  check(marks[index] == Mark::kNew,
        "plan " + plan.name + ": function " + plan.functions[index].name + " calls itself");
  marks[index] = Mark::kOpen;
  for (const Step& step : plan.functions[index].steps) {
    for (int32_t callee : callees_of(step)) verify_no_recursion(plan, callee, marks);
  }
  marks[index] = Mark::kDone;
}

}  // namespace

void verify(const Plan& plan) {
  check(plan.entry >= 0 && plan.entry < static_cast<int64_t>(plan.functions.size()),
        "plan " + plan.name + " has no entry function");
  for (const auto& kernel : plan.kernels) {
    check(kernel != nullptr && (kernel->function != nullptr) != (kernel->program != nullptr),
          "plan " + plan.name + " has a kernel without code");
  }
  for (const BufferInfo& result : plan.functions[plan.entry].results)
    check(!result.always_aliases && result.same_as_result < 0,
          "plan " + plan.name + ": the caller does not know where result " + result.name + " wants to be");
  for (const PlanFunction& function : plan.functions) FunctionVerifier(plan, function).verify();
  std::vector<Mark> marks(plan.functions.size(), Mark::kNew);
  for (size_t i = 0; i < plan.functions.size(); ++i)
    verify_no_recursion(plan, static_cast<int32_t>(i), marks);
}

}  // namespace ingot::runtime
