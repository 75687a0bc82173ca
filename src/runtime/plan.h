// The launch plan: what the compiler hands to the runtime. Plain data, functions made of steps over buffers
// whose places are already decided. Executable (executable.h) checks a plan once and then only runs it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "ingot/dtype.h"
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
};

// Copies `bytes`; the two ranges are equal or do not overlap.
struct CopyStep {
  Location from;
  Location to;
  int64_t bytes;
};

// Runs plan.functions[function]. The callee's frame is the part of the caller's that starts at frame_offset.
struct CallStep {
  int32_t function;
  std::vector<Location> arguments;
  std::vector<Location> results;
  int64_t frame_offset = 0;
};

// One value that goes round a loop. Step k reads what step k - 1 wrote; the first reads `initial` where it
// is, the last writes into `result`. In between the steps alternate between `result` and the frame bytes
// [spare, spare + bytes), so that nothing is copied; `result` is therefore written from the first step on.
// With `in_place` the body gets the same pointer for both (its result must allow that, see BufferInfo), and
// needs no spare: a small write into a big carry costs the small write.
struct LoopCarry {
  Location initial;
  Location result;
  int64_t bytes = 0;
  int64_t spare = 0;
  bool in_place = false;
};

// A buffer of which each step of a loop sees the slice at its index along one axis, the axis dropped. Where
// everything before the axis has extent 1 the slice is contiguous and the step gets a pointer into the
// buffer; otherwise the slice is copied through the frame bytes [slot, slot + slice_bytes()).
struct SlicedBuffer {
  Location location;
  Shape shape;  // of the whole buffer, in memory order
  int32_t axis = 0;
  int64_t element_bytes = 1;
  int64_t slot = 0;

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
  int64_t frame_offset = 0;  // of the body's frame inside this function's
};

using Step = std::variant<LaunchStep, CopyStep, CallStep, LoopStep>;

// An argument or result of a plan function.
struct BufferInfo {
  std::string name;
  DType dtype = DType::kF32;
  Shape shape;
  int32_t may_alias_argument = -1;  // results only: the argument whose memory it may take (donation), or -1

  int64_t bytes() const { return element_count(shape) * static_cast<int64_t>(byte_size(dtype)); }
};

// A buffer in a function's frame and the steps between which it lives; for reports, never read when running.
struct FrameBuffer {
  std::string name;
  int64_t offset = 0;
  int64_t bytes = 0;
  int32_t first_step = 0;  // index of the step that writes it first
  int32_t last_step = 0;   // index of the step that reads it last
};

struct PlanFunction {
  std::string name;
  std::vector<BufferInfo> arguments;
  std::vector<BufferInfo> results;
  int64_t frame_bytes = 0;  // with the frames of all callees inside
  std::vector<Step> steps;
  std::vector<FrameBuffer> frame_buffers;
};

// Literal bytes of the program; `data` keeps them alive and should be 64-byte aligned.
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
};

// The plan as text: per function its buffers with offsets and lifetimes, then its steps in order.
std::string to_string(const Plan& plan);

// What the plan takes in memory, about, with its constants but without the machine code.
int64_t bytes_of(const Plan& plan);

// Throws InternalError, naming the step, where the plan is not well formed: indices out of range, wrong
// counts, frame ranges that leave the frame, recursion, aliasing that a callee does not allow.
void verify(const Plan& plan);

}  // namespace ingot::runtime
