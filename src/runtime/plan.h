// The launch plan: what the compiler hands to the runtime. Plain data, functions made of steps over buffers
// whose places are already decided. Executable (executable.h) checks a plan once and then only runs it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "ingot/dtype.h"
#include "runtime/device.h"
#include "runtime/kernel.h"

namespace ingot::runtime {

// Where a buffer starts, seen from inside one plan function. `offset` is in bytes, on top of the buffer that
// `index` names; a frame has no index.
struct Location {
  enum class Kind : uint8_t { kArgument, kResult, kFrame, kConstant };
  Kind kind = Kind::kFrame;
  int32_t index = 0;
  int64_t offset = 0;

  static Location argument(int32_t index, int64_t offset = 0) { return {Kind::kArgument, index, offset}; }
  static Location result(int32_t index, int64_t offset = 0) { return {Kind::kResult, index, offset}; }
  static Location frame(int64_t offset) { return {Kind::kFrame, 0, offset}; }
  static Location constant(int32_t index, int64_t offset = 0) { return {Kind::kConstant, index, offset}; }

  bool operator==(const Location&) const = default;
};

// Runs plan.kernels[kernel] with one location per parameter of the kernel, and one more for its shared memory
// if it wants any.
struct LaunchStep {
  int32_t kernel;
  std::vector<Location> buffers;
  std::vector<std::string> source_lines = {};  // "file:line" of what it computes, for reports
};

// Copies `bytes`; the two ranges are equal or do not overlap.
struct CopyStep {
  Location from;
  Location to;
  int64_t bytes;
  std::string about = {};  // "%x to result 0 %y of @main, since ...", for reports
  std::vector<std::string> source_lines = {};
};

// Runs plan.functions[function]. The callee's frame is the part of the caller's that starts at frame_offset.
struct CallStep {
  int32_t function;
  std::vector<Location> arguments;
  std::vector<Location> results;
  int64_t frame_offset = 0;
};

// One value that goes round a loop. Step k reads what step k - 1 wrote, the last one writes into `result`.
// Nothing is copied in between, but carries change places. Each has one, and maybe a spare one in the frame;
// a step makes the next value
// - in the spare, and the place that nothing has taken then is the spare: a carry alternates between `result`
//   and its spare, and the first step reads `initial` where it is;
// - in the place of a carry, itself or another of as many bytes (`takes`), which the body's result must allow
//   (see BufferInfo). A small write into a big carry costs the small write, and carries that a step exchanges
//   cost nothing. Such a place holds the initial value before the first step;
// - in its slice of an output (`stack`), which is contiguous: the next step reads it there. Of an output that
//   holds each value as the step finds it, that is the slice of the next step (`ahead`): the initial value is
//   copied to the slice of the first one, and the last one makes the value in `result`.
// `result` may be written from the first step on; of a carry that is stacked as it is made it is a copy of
// the last slice.
struct LoopCarry {
  Location initial;
  Location result;
  int64_t bytes = 0;
  int64_t spare = -1;       // offset in the frame; -1: none
  int32_t takes = -1;       // the carry in whose place the next value is made; -1: in the spare
  int32_t next_spare = -1;  // the carry whose place is the spare one after a step; -1: its own
  int32_t stack = -1;       // the output that holds it
  bool ahead = false;       // the output holds what the step finds, not what it makes
  std::string initial_name = {}, name = {};  // of the values that it begins and ends as, for reports

  bool in_place_of(size_t carry) const { return takes == static_cast<int32_t>(carry); }
};

// Places of n carries have the numbers 0 .. n - 1, those of their spares n .. 2 n - 1. What lies in which
// after a step lay, or was made, in the place of that number before it.
int32_t place_before(const std::vector<LoopCarry>& carries, int32_t place);
// Whose result, or spare, the place is before the first step, so that after so many steps all results are
// there.
int32_t buffer_at_start(const std::vector<LoopCarry>& carries, int32_t place, int64_t steps);
// Whether a step leaves the carry's place to another value, or the same one: then the initial value is moved
// there before the first step, unless the body reads it wherever it is.
bool keeps_place(const std::vector<LoopCarry>& carries, size_t carry);

// A buffer of which each step of a loop sees the slice at its index along one axis, the axis dropped. Where
// everything before the axis has extent 1 the slice is contiguous and the step gets a pointer into the
// buffer; otherwise the slice is copied through the frame bytes [slot, slot + slice_bytes()).
struct SlicedBuffer {
  Location location;
  Shape shape;  // of the whole buffer, in memory order
  int32_t axis = 0;
  int64_t element_bytes = 1;
  int64_t slot = 0;
  std::string name = {};  // of the whole value, for reports

  int64_t outer() const;        // product of the extents before the axis
  int64_t inner_bytes() const;  // bytes of one contiguous piece of a slice
  int64_t slice_bytes() const { return outer() * inner_bytes(); }
  bool contiguous() const { return outer() == 1; }
};

// A counted loop over plan.functions[function]. Step k of trip_count works on index k, or trip_count - 1 - k
// where `reverse` is set. The body's arguments are the carries, the slices of `inputs`, then the invariants;
// its results the next carries, then the slices of `outputs`.
struct LoopStep {
  int32_t function;
  int64_t trip_count = 0;
  bool reverse = false;
  std::vector<LoopCarry> carries;
  std::vector<SlicedBuffer> inputs;
  std::vector<Location> invariants;
  std::vector<SlicedBuffer> outputs;
  int64_t frame_offset = 0;                    // of the body's frame inside this function's
  std::vector<std::string> source_lines = {};  // of the loop, for reports
};

// A loop of as many steps as it takes. Both functions have the carries, then the invariants as arguments: the
// predicate says whether to take a step, the body makes the next carries. The first step writes into results,
// and steps alternate from there on; if the last one wrote into spares, the carries are moved.
struct WhileStep {
  int32_t predicate = -1;  // a function whose one result is a byte; -1: carry `predicate_carry` is that byte
  int32_t predicate_carry = -1;
  int32_t body = 0;
  std::vector<LoopCarry> carries;
  std::vector<Location> invariants;
  int64_t predicate_byte = 0;                  // in the frame: where the predicate's function puts its result
  int64_t frame_offset = 0;                    // of both functions' frames, which never live at the same time
  int64_t max_steps = -1;                      // more of them are the user's error; -1: no bound
  int64_t steps_before = 0;                    // of the loop that this one ends, of which that error speaks
  int64_t at_once = 1;                         // steps of the user's loop that one step takes, but the last
  std::string place = {};                      // "file:line: " or "%name: " of the loop, for that error
  std::vector<std::string> source_lines = {};  // of the loop, for reports
};

// Runs the one of plan.functions[functions[i]] whose number the index names, an s32 that is clamped to those
// there are. All have the same arguments and results, and one place for their frames.
struct CondStep {
  Location index;
  std::vector<int32_t> functions;
  std::vector<Location> arguments;
  std::vector<Location> results;
  int64_t frame_offset = 0;
};

using Step = std::variant<LaunchStep, CopyStep, CallStep, LoopStep, WhileStep, CondStep>;

// The functions that a step may run: none, one, or for a while the predicate and the body, for a cond all
// branches.
std::vector<int32_t> callees_of(const Step& step);

// An argument or result of a plan function.
struct BufferInfo {
  std::string name;
  DType dtype = DType::kF32;
  Shape shape;
  int32_t may_alias_argument = -1;  // results only: the argument whose memory it may take (donation), or -1
  // Who runs the function gives it that memory in any case: what is the argument already is not copied there.
  bool always_aliases = false;
  // Results only: it is that other result again, and gets its memory; -1: none.
  int32_t same_as_result = -1;

  int64_t bytes() const { return element_count(shape) * static_cast<int64_t>(byte_size(dtype)); }
};

// What follows is for reports, and never read when running: steps read and write values, which lie in
// buffers.

// A buffer in a function's frame and the steps between which it lives. Several values may lie in it, each in
// the place of the one before.
struct FrameBuffer {
  std::string purpose;  // "spare of %h", "frame of @f", ...; empty if it holds values
  int64_t offset = 0;
  int64_t bytes = 0;
  int32_t first_step = 0;  // index of the step that writes it first
  int32_t last_step = 0;   // index of the step that uses it last
};

// A value of the program that a function is given or that one of its steps writes, or the same bytes seen as
// another one (a reshape).
struct PlanValue {
  enum class Kind : uint8_t { kOwn, kInPlace, kMayBeInPlace, kSameBytes, kCopy };
  std::string name;
  DType dtype = DType::kF32;
  Shape shape;             // as the program knows it
  Shape order;             // of its dimensions in memory where it is not row-major, the outermost first
  Location location;       // of its first byte
  int64_t bytes = 0;       // in memory, with gaps between rows
  int32_t buffer = -1;     // of PlanFunction::frame_buffers, if it lies in the frame
  int32_t first_step = 0;  // the one that writes it; -1 if it is there before the first
  int32_t last_step = 0;   // the last one that reads it, else the first; results: the number of steps
  Kind kind = Kind::kOwn;
  int32_t of = -1;  // the value in whose place it lies, whose bytes it is, or whose copy
};

// Values by number: those of a launch in the order of the kernel's parameters; of a loop, the initial values
// of carries, inputs and invariants, and the last values of carries and outputs; of a cond, the index and the
// arguments, and the results.
struct StepValues {
  std::vector<int32_t> reads, writes;
};

struct PlanFunction {
  std::string name;
  std::vector<BufferInfo> arguments;
  std::vector<BufferInfo> results;
  int64_t frame_bytes = 0;  // with the frames of all callees inside
  std::vector<Step> steps;
  std::vector<FrameBuffer> frame_buffers;
  std::vector<PlanValue> values;
  std::vector<StepValues> step_values;  // one per step, or none if nobody has described the plan
};

// Literal bytes of the program, in the plan's memory; `data` keeps them alive and should be 64-byte aligned.
struct Constant {
  std::string name;
  std::shared_ptr<const void> data;
  int64_t bytes = 0;
};

struct Plan {
  std::string name;
  std::vector<PlanFunction> functions;  // calls may not be recursive
  int32_t entry = 0;
  std::vector<std::shared_ptr<const CompiledKernel>> kernels;
  std::vector<Constant> constants;
  // Where all that a run is given and makes lies, but for a short frame on the stack where it is the host's.
  const DeviceMemory* memory = &host_memory();
};

// Where the steps read and write, in the order of StepValues.
struct StepLocations {
  std::vector<Location> reads, writes;
};
StepLocations locations_of(const Step& step, const Plan& plan);

// Which bytes of each value that it reads a launch's kernel reaches: [first, end), counted from where the
// value begins.
struct ReachedBytes {
  int64_t first, end;
};
std::vector<ReachedBytes> reached_by(const Plan& plan, const PlanFunction& function, size_t launch_step);
// "elements 32 to 47 of %x, elements 0 to 3 of %y": what a launch reads in part. Empty for other steps.
std::string parts_text(const Plan& plan, const PlanFunction& function, size_t step);

// Where it is, if the caller gives away what is donated: a result that may take an argument's memory is
// there.
Location place_of(const Location& location, const PlanFunction& function);
// Are the two the same memory, if the caller gives away what is donated?
bool in_place(const CopiedOutput& copied, const PlanFunction& function, const LaunchStep& launch);
// What a launch moves, if the caller gives away what is donated; and what the launch of a kernel moves that
// moves most. Launches of one kernel differ where some work in the place of what they update.
MovedBytes moved_bytes(const Plan& plan, const PlanFunction& function, const LaunchStep& launch);
MovedBytes moved_bytes(const Plan& plan, const CompiledKernel& kernel);

// "argument 0", "frame 128", "result 1 + 64"
std::string to_string(const Location& location);
// ", at most 5 times, each 20 steps of the program's loop", as far as there is something to say.
std::string how_often(const WhileStep& step);
// "argument 0 %x", "buffer 2 %h in the order [1,0] (in the place of %g)"; brief: without the bracket.
std::string describe(const PlanValue& value, const PlanFunction& function, bool brief = false);

// The plan as text: per function its buffers with offsets and lifetimes, then its steps in order.
std::string to_string(const Plan& plan);

// What the plan takes in memory, about, with its constants but without the machine code.
int64_t bytes_of(const Plan& plan);

// Throws InternalError, naming the step, where the plan is not well formed: indices out of range, wrong
// counts, frame ranges that leave the frame, recursion, aliasing that a callee does not allow, values that
// are not where their step reads or writes.
void verify(const Plan& plan);

}  // namespace ingot::runtime
