// The kernel IR: one kernel is one loop nest over scalars, with its schedule. It knows no CPU and no GPU.
//
// A kernel reads and writes flat buffers at Index offsets (in elements) and computes scalars. A scalar is
// written as if for a single point of the band; the styles of the loops say how many points run side by side.
// Operations on scalars are the IR's own elementwise records. Loops count up from 0; a reversed scan has
// offsets like 99 - t.
//
//   kernel softmax(in x: f32[8192,1024], out y: f32[8192,1024]) {
//     parallel i in 0..8192 {
//       %zero = literal f32 -inf
//       reduce j in 0..1024 lanes (%m = %zero) { %e = load x[1024*i + j]; yield %e } combine(%a, %b) { %c =
//       max(%a, %b) }
//       ...
//       map j in 0..1024 lanes { ... store y[1024*i + j], %q }
#pragma once

#include <algorithm>
#include <compare>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "base/code_units.h"
#include "base/index.h"
#include "base/tensor.h"
#include "ir/op_record.h"
#include "ir/type.h"

namespace ingot::kernel {

using ScalarId = int;
using BufferId = int;
using VarId = int;
inline constexpr int kNone = -1;

struct Buffer {
  enum class Kind {
    kInput,   // parameter, only read
    kOutput,  // parameter; every element is written, and read only after it was written by the same point
    kLocal,   // private memory of the thread, placed by an Alloc
    kShared,  // memory of the launch, placed by an Alloc at the root: one phase writes it, later ones read it
  };
  std::string name;
  DType dtype;
  int64_t elements;
  Kind kind;
  Shape shape;        // for reports only
  bool kept = false;  // an input that is the same in all launches of the loop that runs the kernel
};

struct Stmt;

struct Block {
  std::vector<Stmt> stmts;
};

// result = record(operands), element by element.
struct Let {
  ScalarId result;
  const ir::OpRecord* record;  // becomes a ScalarRecipe
  std::vector<ScalarId> operands;
  ir::Attributes attributes;
};

struct Literal {
  ScalarId result;
  Tensor value;  // a scalar
};

// The value of an index expression, converted to the result's dtype.
struct IndexValue {
  ScalarId result;
  Index index;
};

// Pred: low <= index < high.
struct InRange {
  ScalarId result;
  Index index;
  int64_t low, high;
};

struct Load {
  ScalarId result;
  BufferId buffer;
  Index offset;
  ScalarId predicate = kNone;  // where false, nothing is read and the result is 0
};

struct Store {
  BufferId buffer;
  Index offset;
  ScalarId value;
};

// Brings near what a later load reads. It reads nothing itself: its place may lie outside of the buffer.
struct Prefetch {
  BufferId buffer;
  Index offset;
};

// list[count] = value for each list, then count = count + 1, if the pred holds: those points of a loop that
// are to be kept, in their order. All are local buffers; the count is one s32, and a list has kAppendedAtOnce
// elements more than it gets: what lies behind the last one is undefined, so that lanes may write whole
// vectors.
struct Append {
  std::vector<BufferId> lists;
  BufferId count;
  std::vector<ScalarId> values;  // one for each list
  ScalarId keep;
};
inline constexpr int64_t kAppendedAtOnce = 64;

// A local or shared buffer begins to live here, with undefined contents. Inside of a loop with lanes or of a
// tile, every lane and tile point has a local one of its own; outside, they share it.
struct Alloc {
  BufferId buffer;
};

enum class LoopKind {
  kParallel,  // band: independent points, spread over threads; these loops nest at the root of the kernel.
              // Several nests there, one behind the other, are phases: each begins when the last one has
              // ended. Loops that fill local buffers may stand before the next loop of a band, as its
              // prelude: they run once for points that the same thread takes one after the other
  kMap,       // independent points within a thread
  kReduce,    // independent points whose values an associative combiner joins
  kScan,      // one step after the other
};

enum class LoopStyle {
  kSerial,  // one point after the other
  kLanes,   // vector lanes; at most one loop of this style is open at any place
  kTile,    // all points at once, in registers: loops inside run once for all of them
};

struct Carry {
  ScalarId init;    // value before the first step; for kReduce the neutral element of the combiner
  ScalarId arg;     // kScan: value at the start of a step; kNone for kReduce
  ScalarId next;    // kScan: value at the end of a step; kReduce: this point's value
  ScalarId result;  // value after the loop
};

struct Combiner {
  std::vector<ScalarId> lhs, rhs, out;  // per carry
  Block body;                           // Let and Literal only
};

// How a loop's points and steps become instructions: what the schedule chooses last.
struct LoopWidths {
  int lanes = 0;            // points per vector, 1 without lanes; 0: nothing is chosen yet
  int vectors = 1;          // kLanes: vectors side by side
  int unroll = 1;           // steps (kLanes: blocks of vectors) per iteration of the machine's loop
  int accumulators = 1;     // kReduce: independent partial results, at most `unroll`
  bool may_overlap = true;  // kLanes: may the last block repeat points?

  int64_t points() const { return static_cast<int64_t>(lanes) * vectors; }
};

// By which instructions a reduction joins its points. All mean what its combiner says, but for the rounding
// of products of bf16.
enum class ReduceBy {
  kCombiner,
  kNumbers,      // kLanes: the largest or smallest float, and beside it whether all were numbers
  kPairs,        // sums of products of bf16, or s16, two points at a time
  kMatrixTiles,  // of bf16 for all points of a tile, up to the store of the sums (matrix_product.h)
};

struct Loop {
  VarId var = kNone;
  int64_t extent = 0;
  // The variable takes the values 0, step, 2*step, ...; the last one is lowered to extent - step, so that a
  // body which covers [var, var + step) stays inside: the last two bodies may overlap, and write the same
  // values twice.
  int64_t step = 1;
  LoopKind kind = LoopKind::kMap;
  LoopStyle style = LoopStyle::kSerial;
  int vectors = 1;       // kLanes: how many native vectors are to run side by side, if the extent has them
  bool outline = false;  // becomes a function of its own, shared by loops of equal structure
  // Of a serial scan: a scalar that says how many of the points run, maybe none; the extent bounds it.
  ScalarId steps = kNone;
  // Of a scan: a step at which this is negative leaves the carries as they are, whether it runs or not.
  Index active = 0;
  // Of a serial scan: numbers of carries, preds. Where all of them are false, the steps that are left leave
  // the carries as they are, whether they run or not. None: nothing ends the loop before its extent.
  std::vector<size_t> running;
  // The input that the loop does nothing but copy to its own places in an output: nothing is to be done where
  // both are the same memory.
  BufferId copies = kNone;
  LoopWidths widths;
  ReduceBy reduce_by = ReduceBy::kCombiner;
  std::vector<size_t> rising;  // kReduce: carries that grow from point to point, as places do
  std::vector<Carry> carries;
  Combiner combiner;  // kReduce
  Block body;

  // Units of a parallel loop, iterations of others that are not unrolled.
  int64_t blocks() const {
    const int64_t points = style == LoopStyle::kLanes ? widths.points() : step;
    return (extent + points - 1) / points;
  }
};

struct Stmt {
  std::variant<Let, Literal, IndexValue, InRange, Load, Store, Prefetch, Alloc, Loop, Append> node;
};

struct Kernel;

enum class KernelKind : uint8_t { kFill, kCopy, kElementwise, kReduction, kScan, kContraction };
std::string_view name_of(KernelKind kind);
// By the loops and statements that there are: a fill reads nothing, a copy computes nothing. What the
// schedule has made tiles of a reduction for is a contraction, which the body does not tell.
KernelKind kind_of(const Kernel& kernel);

// What is said of a kernel to people; nothing is decided by it.
struct KernelReport {
  KernelKind kind = KernelKind::kFill;
  int64_t flops = 0;
};

struct Kernel {
  std::string name;
  std::vector<Buffer> buffers;  // inputs, outputs, then local and shared ones
  int input_count = 0, output_count = 0;
  // Of each input: the elements of its array that lie before those which the kernel reaches (reach.h). Where
  // a launch points to, and no part of the structure. Empty: none.
  std::vector<int64_t> input_starts;
  std::vector<DType> scalars;          // dtype of each ScalarId
  std::vector<std::string> var_names;  // of each VarId
  std::vector<int64_t> var_extents;
  // Variables of no loop: each is the value of a scalar, an index that is known at run time and lies in the
  // variable's range. The scalar is the result of a Let that stands before all uses of the variable.
  std::unordered_map<VarId, ScalarId> bound;
  Block body;
  int64_t bytes_read = 0, bytes_written = 0;  // of the emitted loads and stores
  std::vector<int64_t> parameter_bytes;       // the same of each parameter
  std::vector<CopiedFirst> copied_first;
  KernelReport report;

  BufferId add_buffer(Buffer buffer) {
    buffers.push_back(std::move(buffer));
    return static_cast<BufferId>(buffers.size()) - 1;
  }
  ScalarId add_scalar(DType dtype) {
    scalars.push_back(dtype);
    return static_cast<ScalarId>(scalars.size()) - 1;
  }
  VarId add_var(std::string name, int64_t extent) {
    var_names.push_back(std::move(name));
    var_extents.push_back(extent);
    return static_cast<VarId>(var_names.size()) - 1;
  }
  bool uses_bound(const Index& index) const {
    std::vector<int> ids;
    if (!bound.empty()) index.collect_variables(ids);
    for (int id : ids) {
      if (bound.count(id) > 0) return true;
    }
    return false;
  }
  Index var(VarId id) const { return Index::variable(id, var_extents[static_cast<size_t>(id)]); }
};

std::string to_string(const Kernel& kernel);
// Structure only: names, source lines and reported figures do not count. Equal kernels have equal hashes in
// every process and on every machine.
uint64_t structural_hash(const Kernel& kernel);
// The operation of each carry, if the loop is a scan that does nothing but keep running totals: every carry
// is the left or right operand of one associative operation, whose result is its next value, and is used
// nowhere else; it runs for its whole extent, and no step reads what another one stores, or stores where
// another one does. Such a scan may run on lanes: totals within a vector, then from vector to vector. Else
// nothing.
std::vector<const Let*> running_totals(const Loop& loop);
// Whether it is a scan whose steps hand on nothing but what they append to lists. It may run on lanes, too:
// what it stores besides, each point stores at its own place.
bool appends(const Loop& loop);
// Throws InternalError if a scalar is used before it is made or out of its scope, an offset can leave its
// buffer, two lanes loops nest, a parallel loop is not at the root, or a dtype does not fit.
void verify(const Kernel& kernel);

}  // namespace ingot::kernel
