#include "runtime/executable.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>

#include "base/extents.h"
#include "base/float_environment.h"
#include "base/stop.h"
#include "runtime/buffer_pool.h"
#include "runtime/flat_body.h"
#include "runtime/launch_log.h"
#include "runtime/plan_copy.h"
#include "runtime/plan_totals.h"

namespace ingot::runtime {
namespace {

constexpr size_t kStackPointers = 64;
constexpr int64_t kStackFrameBytes = 4096;

// A loop's body that is flat (flat_body.h) runs so from this step on, if the loop has so many.
constexpr int64_t kStepsBeforeFlat = 2, kLeastFlatSteps = 4;

// A run that ends before its end, on its way out of the loops that it is in.
struct Stop {
  std::string text;
  void in_step(int64_t step, const std::string& of, const PlanFunction& body,
               const std::vector<std::string>& lines) {
    text += ", in step " + std::to_string(step) + of + " of the loop @" + body.name;
    for (size_t i = 0; i < lines.size(); ++i) text += (i == 0 ? " at " : ", ") + lines[i];
  }
};

// Runs the steps of one plan function. `pointers` is room for the pointer lists of its steps and of what they
// call, so that nothing is allocated on the way.
class Activation {
 public:
  Activation(const Plan& plan, const Places& places, void** pointers, const Stops* stop)
      : plan_(plan), places_(places), pointers_(pointers), stop_(stop) {}

  void run(const PlanFunction& function) const {
    for (const Step& step : function.steps) {
      go_on();
      std::visit(*this, step);
    }
  }

  void operator()(const LaunchStep& step) const {
    resolve(step.buffers, pointers_);
    launch(*plan_.kernels[step.kernel], pointers_, step.source_lines, again_);
  }

  void operator()(const CopyStep& step) const {
    copy_buffer(*plan_.memory, places_.at(step.to), places_.at(step.from), step.bytes,
                launches_watched() ? CopyReason{step.about, step.source_lines} : CopyReason());
  }

  void operator()(const CallStep& step) const {
    void** arguments = pointers_;
    void** results = resolve(step.arguments, arguments);
    void** rest = resolve(step.results, results);
    callee(arguments, results, step.frame_offset, rest).run(plan_.functions[step.function]);
  }

  void operator()(const LoopStep& loop) const {
    int64_t k = 0;
    try {
      take_steps(loop, k);
    } catch (Stop& stop) {
      stop.in_step(k, " of " + std::to_string(loop.trip_count), plan_.functions[loop.function],
                   loop.source_lines);
      throw;
    }
  }

  void operator()(const WhileStep& loop) const {
    int64_t k = 0;
    try {
      take_steps(loop, k);
    } catch (Stop& stop) {
      stop.in_step(k * loop.at_once, loop.at_once > 1 ? " or later" : "", plan_.functions[loop.body],
                   loop.source_lines);
      throw;
    }
  }

  void operator()(const CondStep& step) const {
    int32_t index;
    plan_.memory->read(&index, places_.at(step.index), sizeof(index));
    const auto last = static_cast<int32_t>(step.functions.size()) - 1;
    void** arguments = pointers_;
    void** results = resolve(step.arguments, arguments);
    void** rest = resolve(step.results, results);
    callee(arguments, results, step.frame_offset, rest)
        .run(plan_.functions[step.functions[std::clamp(index, 0, last)]]);
  }

 private:
  // `k` is the step that is taken.
  void take_steps(const LoopStep& loop, int64_t& k) const {
    const size_t carries = loop.carries.size();
    void** arguments = pointers_;
    void** slices = arguments + carries;
    void** results = resolve(loop.invariants, slices + loop.inputs.size());
    void** stacks = results + carries;
    void** places = stacks + loop.outputs.size();
    void** rest = places + 2 * carries;
    const PlanFunction& body = plan_.functions[loop.function];
    start_carries(loop, body, loop.trip_count, loop.trip_count, arguments, places, rest);
    const auto index_of = [&](int64_t step) { return loop.reverse ? loop.trip_count - 1 - step : step; };
    if (loop.trip_count > 0) begin_ahead(loop, body, index_of(0), arguments);

    Activation step = callee(arguments, results, loop.frame_offset, rest);
    std::optional<FlatBody> flat;
    for (; k < loop.trip_count; ++k) {
      go_on();
      const int64_t index = index_of(k);
      for (size_t i = 0; i < loop.inputs.size(); ++i) slices[i] = take_slice(loop, loop.inputs[i], index);
      for (size_t i = 0; i < loop.outputs.size(); ++i) stacks[i] = place_of_slice(loop.outputs[i], index);
      for (size_t i = 0; i < carries; ++i) {
        const LoopCarry& carry = loop.carries[i];
        if (carry.stack < 0)
          results[i] = places[place_before(loop.carries, static_cast<int32_t>(i))];
        else if (!carry.ahead)
          results[i] = stacks[carry.stack];
        else if (k + 1 < loop.trip_count)
          results[i] = place_of_slice(loop.outputs[static_cast<size_t>(carry.stack)], index_of(k + 1));
        else
          results[i] = places_.at(carry.result);
      }
      if (k == kStepsBeforeFlat && loop.trip_count >= kLeastFlatSteps)
        flat = flatten(plan_, body, step.places_, step.again_);
      if (flat)
        flat->run();
      else
        step.run(body);
      step.again_ = true;
      for (const SlicedBuffer& output : loop.outputs) put_slice(loop, output, index);
      next_places(loop.carries, arguments, results, places);
      if (flat && moves_evenly(loop)) {
        run_evenly(loop, *flat, ++k, arguments, results);
        break;
      }
    }
    for (size_t i = 0; i < carries && loop.trip_count > 0; ++i) {
      const LoopCarry& carry = loop.carries[i];
      if (carry.stack < 0 || carry.ahead) continue;
      copy_buffer(*plan_.memory, places_.at(carry.result), arguments[i], carry.bytes, reason(loop, body, [&] {
        return "the last slice of %" + loop.outputs[static_cast<size_t>(carry.stack)].name + " to %" +
               carry.name + ", since the steps have made it there";
      }));
    }
  }

  void take_steps(const WhileStep& loop, int64_t& k) const {
    const size_t carries = loop.carries.size();
    void** arguments = pointers_;
    void** results = resolve(loop.invariants, arguments + carries);
    void** predicate = results + carries;
    void** places = predicate + 1;
    void** rest = places + 2 * carries;
    *predicate = places_.frame + loop.predicate_byte;
    const PlanFunction& body = plan_.functions[loop.body];
    start_carries(loop, body, 1, -1, arguments, places, rest);
    const Activation step = callee(arguments, results, loop.frame_offset, rest);
    const Activation question = callee(arguments, predicate, loop.frame_offset, rest);
    std::optional<FlatBody> flat;
    for (;; ++k) {
      go_on();
      if (loop.predicate >= 0) question.run(plan_.functions[loop.predicate]);
      const void* answer = loop.predicate >= 0 ? *predicate : arguments[loop.predicate_carry];
      uint8_t wants_step;
      plan_.memory->read(&wants_step, answer, sizeof(wants_step));
      if (wants_step == 0) break;
      if (k == loop.max_steps) exceeded(loop);
      for (size_t i = 0; i < carries; ++i)
        results[i] = places[place_before(loop.carries, static_cast<int32_t>(i))];
      if (k == kStepsBeforeFlat) flat = flatten(plan_, body, step.places_, step.again_);
      if (flat)
        flat->run();
      else
        step.run(body);
      next_places(loop.carries, arguments, results, places);
      if (flat && loop.predicate < 0 && loop.max_steps < 0 && stay_in_place(loop.carries)) {
        const auto* goes_on = static_cast<const volatile uint8_t*>(arguments[loop.predicate_carry]);
        for (++k; *goes_on != 0; ++k) {
          go_on();
          flat->run_again();
        }
        break;
      }
    }
    for (size_t i = 0; i < carries; ++i) results[i] = places_.at(loop.carries[i].result);
    move_all(loop.carries, arguments, results, [&](size_t i) {
      return reason(loop, body, [&] {
        return "the carry %" + loop.carries[i].name + " to its result, since a step makes it elsewhere";
      });
    });
  }

  void go_on() const {
    if (stop_ == nullptr) [[likely]]
      return;
    if (std::optional<std::string> why = stop_->met()) throw Stop{Stops::text_of(*why)};
  }

  // What the log says of a copy for a loop.
  template <class Loop, class Text>
  static CopyReason reason(const Loop& loop, const PlanFunction& body, const Text& text) {
    if (!launches_watched()) return {};
    if constexpr (requires { loop.carries; }) {
      const bool described = std::all_of(loop.carries.begin(), loop.carries.end(),
                                         [](const LoopCarry& carry) { return !carry.name.empty(); });
      if (!described) return {};
    }
    return {text() + " (loop @" + body.name + ")", loop.source_lines};
  }

  [[noreturn]] static void exceeded(const WhileStep& loop) {
    throw StepError(
        loop.place + "the loop goes on after " +
        std::to_string(add_extents(multiply_extents(loop.max_steps, loop.at_once), loop.steps_before)) +
        " steps, the bound 'max_steps'; a larger one, or a loop that ends by then, would do");
  }

  void** resolve(const std::vector<Location>& locations, void** to) const {
    for (const Location& location : locations) *to++ = places_.at(location);
    return to;
  }

  Activation callee(void** arguments, void** results, int64_t frame_offset, void** pointers) const {
    return {plan_, {places_.constants, arguments, results, places_.frame + frame_offset}, pointers, stop_};
  }

  static bool stay_in_place(const std::vector<LoopCarry>& carries) {
    for (size_t i = 0; i < carries.size(); ++i) {
      if (carries[i].stack < 0 && !carries[i].in_place_of(i)) return false;
    }
    return true;
  }
  // Whether all pointers of a step move by the same way to the next one, or not at all.
  static bool moves_evenly(const LoopStep& loop) {
    const auto contiguous = [](const SlicedBuffer& buffer) { return buffer.contiguous(); };
    const auto ahead = [](const LoopCarry& carry) { return carry.ahead; };  // until the last step
    return stay_in_place(loop.carries) && std::none_of(loop.carries.begin(), loop.carries.end(), ahead) &&
           std::all_of(loop.inputs.begin(), loop.inputs.end(), contiguous) &&
           std::all_of(loop.outputs.begin(), loop.outputs.end(), contiguous);
  }
  // All steps from `k` on.
  void run_evenly(const LoopStep& loop, FlatBody& flat, int64_t& k, void** arguments, void** results) const {
    const size_t carries = loop.carries.size(), inputs = loop.inputs.size();
    const auto stride = [&](const SlicedBuffer& buffer) {
      return loop.reverse ? -buffer.inner_bytes() : buffer.inner_bytes();
    };
    const auto stride_of = [&](void* const* base) -> int64_t {
      const bool argument = base >= arguments && base < results;
      const auto i = static_cast<size_t>(argument ? base - arguments : base - results);
      if (i < carries) {
        const int32_t stack = loop.carries[i].stack;
        return stack < 0 ? 0 : stride(loop.outputs[static_cast<size_t>(stack)]);
      }
      if (!argument) return stride(loop.outputs[i - carries]);
      return i < carries + inputs ? stride(loop.inputs[i - carries]) : 0;
    };
    struct Moved {
      void** pointer;
      int64_t bytes;
    };
    std::vector<Moved> moving;
    for (const FlatBody::Moving& one : flat.moving) {
      if (const int64_t bytes = stride_of(one.base); bytes != 0) moving.push_back({one.pointer, bytes});
    }
    for (; k < loop.trip_count; ++k) {
      go_on();
      for (const Moved& one : moving) *one.pointer = static_cast<std::byte*>(*one.pointer) + one.bytes;
      flat.run_again();
    }
    const int64_t last = loop.reverse ? 0 : loop.trip_count - 1;
    for (size_t i = 0; i < carries; ++i) {
      const int32_t stack = loop.carries[i].stack;
      if (stack >= 0) arguments[i] = place_of_slice(loop.outputs[static_cast<size_t>(stack)], last);
    }
  }

  // Carries that are stacked as steps find them begin in the slice of the first step.
  void begin_ahead(const LoopStep& loop, const PlanFunction& body, int64_t index, void** arguments) const {
    for (size_t i = 0; i < loop.carries.size(); ++i) {
      const LoopCarry& carry = loop.carries[i];
      if (!carry.ahead) continue;
      const SlicedBuffer& output = loop.outputs[static_cast<size_t>(carry.stack)];
      void* first = place_of_slice(output, index);
      copy_buffer(*plan_.memory, first, arguments[i], carry.bytes, reason(loop, body, [&] {
        return "%" + carry.initial_name + " to the first slice of %" + output.name +
               ", since steps find the carry %" + carry.name + " there";
      }));
      arguments[i] = first;
    }
  }

  // Says where the carries and their spares lie so that they are in their own places after `steps` of them,
  // and where the first step finds the carries: where their initial values are, or in their places, to which
  // those are moved where the step would leave them as they are, or overwrites them. `trip_count` is -1 where
  // it is not known. `room` is for pointers.
  template <class Loop>
  void start_carries(const Loop& loop, const PlanFunction& body, int64_t steps, int64_t trip_count,
                     void** starts, void** places, void** room) const {
    const std::vector<LoopCarry>& carries = loop.carries;
    const size_t n = carries.size();
    for (size_t p = 0; p < 2 * n; ++p) {
      const auto buffer = static_cast<size_t>(buffer_at_start(carries, static_cast<int32_t>(p), steps));
      places[p] = buffer < n ? places_.at(carries[buffer].result) : places_.frame + carries[buffer - n].spare;
    }
    void** to = room;
    bool any = false;
    for (size_t i = 0; i < n; ++i) {
      starts[i] = to[i] = places_.at(carries[i].initial);
      const bool read_anywhere = carries[i].in_place_of(i) && !body.results[i].always_aliases;
      if (trip_count == 0)
        to[i] = places_.at(carries[i].result);
      else if (carries[i].stack < 0 && keeps_place(carries, i) && !read_anywhere)
        to[i] = places[i];
      any = any || to[i] != starts[i];
    }
    // What others overwrite, before the first step or in it, is moved; each move may overwrite another one's.
    for (bool again = trip_count != 0; again;) {
      again = false;
      for (size_t i = 0; i < n; ++i) {
        if (to[i] == places[i] || carries[i].stack >= 0) continue;
        for (size_t k = 0; k < n && to[i] != places[i]; ++k) {
          const bool written =
              carries[k].stack < 0 && (starts[i] == places[place_before(carries, static_cast<int32_t>(k))] ||
                                       (k != i && starts[i] == to[k] && to[k] != starts[k]));
          if (!written) continue;
          to[i] = places[i];
          any = again = true;
        }
      }
    }
    if (!any) return;
    move_all(carries, starts, to, [&](size_t i) {
      return reason(loop, body, [&] {
        return "%" + carries[i].initial_name + " to the place of the carry %" + carries[i].name +
               (trip_count == 0 ? ", since the loop takes no step"
                                : ", since steps change it there or write over where it lies");
      });
    });
  }

  // Moves values from where they lie to where they belong, all at once: the places are alike or apart.
  template <class Reason>
  void move_all(const std::vector<LoopCarry>& carries, void** from, void* const* to,
                const Reason& reason_of) const {
    const size_t n = carries.size();
    for (size_t i = 0; i < n; ++i) {
      if (carries[i].bytes == 0) from[i] = to[i];
    }
    const auto is_needed = [&](const void* place, size_t by) {
      for (size_t k = 0; k < n; ++k) {
        if (k != by && from[k] == place && to[k] != from[k]) return true;
      }
      return false;
    };
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t i = 0; i < n; ++i) {
        if (from[i] == to[i] || is_needed(to[i], i)) continue;
        copy_buffer(*plan_.memory, to[i], from[i], carries[i].bytes, reason_of(i));
        from[i] = to[i];
        moved = true;
      }
      // What is left goes in circles.
      for (size_t i = 0; i < n && !moved; ++i) {
        if (from[i] == to[i]) continue;
        void* here = from[i];
        plan_.memory->swap(here, to[i], static_cast<size_t>(carries[i].bytes));
        for (size_t k = 0; k < n; ++k) {
          if (k == i) continue;
          if (from[k] == to[i])
            from[k] = here;
          else if (from[k] == here)
            from[k] = to[i];
        }
        from[i] = to[i];
        moved = true;
      }
    }
  }

  // After a step: where carries and spares are now.
  static void next_places(const std::vector<LoopCarry>& carries, void** arguments, void** results,
                          void** places) {
    const size_t n = carries.size();
    std::copy(results, results + n, arguments);
    for (size_t i = 0; i < n; ++i) {
      const LoopCarry& carry = carries[i];
      if (carry.takes >= 0 || carry.stack >= 0) continue;
      // The spare holds what was made; what nothing has taken is the spare.
      places[n + i] = places[place_before(carries, static_cast<int32_t>(n + i))];
    }
    for (size_t i = 0; i < n; ++i) {
      if (carries[i].stack < 0) places[i] = results[i];
    }
  }

  void* place_of_slice(const SlicedBuffer& buffer, int64_t index) const {
    if (!buffer.contiguous()) return places_.frame + buffer.slot;
    return plus(places_.at(buffer.location), index * buffer.inner_bytes());
  }

  void* take_slice(const LoopStep& loop, const SlicedBuffer& buffer, int64_t index) const {
    void* place = place_of_slice(buffer, index);
    if (!buffer.contiguous()) {
      int64_t piece = buffer.inner_bytes();
      const void* first = plus(places_.at(buffer.location), index * piece);
      copy_pieces(*plan_.memory, place, piece, first, piece * buffer.shape[buffer.axis], buffer.outer(),
                  piece, slice_reason(loop, buffer, index, false));
    }
    return place;
  }

  void put_slice(const LoopStep& loop, const SlicedBuffer& buffer, int64_t index) const {
    if (buffer.contiguous()) return;
    int64_t piece = buffer.inner_bytes();
    void* first = plus(places_.at(buffer.location), index * piece);
    copy_pieces(*plan_.memory, first, piece * buffer.shape[buffer.axis], places_.frame + buffer.slot, piece,
                buffer.outer(), piece, slice_reason(loop, buffer, index, true));
  }

  CopyReason slice_reason(const LoopStep& loop, const SlicedBuffer& buffer, int64_t index,
                          bool written) const {
    if (buffer.name.empty()) return {};
    return reason(loop, plan_.functions[loop.function], [&] {
      const std::string which = "slice " + std::to_string(index) + " of %" + buffer.name + " along axis " +
                                std::to_string(buffer.axis);
      return which + (written ? ", from where the step made it," : " for the step,") +
             " since it does not lie in one piece there";
    });
  }

  const Plan& plan_;
  const Places places_;
  void** pointers_;
  const Stops* stop_;   // null: nothing ends the run before its end
  bool again_ = false;  // the steps of the same scan's body have run before, in this frame
};

}  // namespace

Executable::Executable(Plan plan) : plan_(std::move(plan)) {
  verify(plan_);
  PlanTotals totals = totals_of(plan_);
  launch_count_ = totals.counts.launches;
  copy_count_ = totals.counts.copies;
  copy_launch_count_ = totals.counts.copy_launches;
  counts_are_least_ = totals.counts.least;
  pointer_slots_ = totals.counts.pointers;
  kernels_ = std::move(totals.kernels);
  peak_bytes_ = entry().frame_bytes;
  for (const BufferInfo& argument : entry().arguments) peak_bytes_ += argument.bytes();
  for (const BufferInfo& result : entry().results) {
    if (result.may_alias_argument < 0) peak_bytes_ += result.bytes();
  }
  for (const Constant& constant : plan_.constants) {
    constants_.push_back(constant.data.get());
    peak_bytes_ += constant.bytes;
  }
  size_t scratch = 0;
  for (const auto& kernel : kernels_) scratch = std::max(scratch, kernel->scratch_bytes);
  peak_bytes_ += static_cast<int64_t>(scratch);
  stack_frame_bytes_ = plan_.memory->of_host() ? kStackFrameBytes : 0;
  frame_label_ = BufferPool::intern("frame of " + plan_.name);
}

void Executable::run(const void* const* arguments, void* const* results) const {
  alignas(64) std::byte stack_frame[kStackFrameBytes];
  std::shared_ptr<Buffer> pool_frame;
  void* frame = stack_frame;
  if (frame_bytes() > stack_frame_bytes_) {
    pool_frame = plan_.memory->allocate(static_cast<size_t>(frame_bytes()), frame_label_);
    frame = pool_frame->data();
  }
  run(arguments, results, frame);
}

void Executable::run(const void* const* arguments, void* const* results, void* frame) const {
  const FloatEnvironment environment;
  void* stack_pointers[kStackPointers];
  std::unique_ptr<void*[]> heap_pointers;
  void** pointers = stack_pointers;
  if (pointer_slots_ > static_cast<int64_t>(kStackPointers)) {
    heap_pointers = std::make_unique<void*[]>(static_cast<size_t>(pointer_slots_));
    pointers = heap_pointers.get();
  }
  const std::shared_ptr<const Stops> stops = Stops::current();
  const Activation activation(plan_, {constants_.data(), arguments, results, static_cast<std::byte*>(frame)},
                              pointers, stops.get());
  try {
    activation.run(entry());
  } catch (const Stop& stop) {
    throw RunStopped(stop.text);
  }
}

}  // namespace ingot::runtime
