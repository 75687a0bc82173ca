// Emits one LLVM function for a kernel (or for an outlined loop of it).
//
// Statements are emitted once per point of the dimensions that they vary over (see kernel/ir/varying.h).
// Addresses are sums of Index terms; the part that an outer loop fixes is computed once at the head of that
// loop, so no pass has to hoist it. Constants end up in the displacement of the access.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "codegen/codegen.h"
#include "codegen/cpu/llvm_scalar_builder.h"
#include "kernel/ir/places.h"
#include "kernel/ir/target.h"
#include "kernel/ir/varying.h"

namespace ingot::codegen {

using kernel::DimMask;
using kernel::kLaneBit;
using kernel::kLineBytes;
using kernel::kMaxDims;
using kernel::rows_collide;

// What all functions of a kernel's module share.
struct ModuleContext {
  llvm::Module& module;
  const kernel::Kernel& kernel;
  const kernel::Target& target;
  const CodeOptions& options;
  kernel::Varying varying;
  Instructions instructions;
  size_t scratch_bytes = 0;
  int64_t shared_bytes = 0;
  std::vector<int64_t> barriers;
  std::map<std::string, llvm::Function*> outlined;  // by their canonical forms
  std::map<std::vector<int64_t>, llvm::GlobalVariable*> tables;
  llvm::GlobalVariable* zeros = nullptr;  // what a load reads where its predicate is false

  llvm::Function* make_function(const std::string& name, llvm::FunctionType* type, bool internal);
};

// One coordinate per dimension.
using Coords = std::array<int, kMaxDims>;

class Emitter {
 public:
  explicit Emitter(ModuleContext& context);

  // void(buffers, begin, end, scratch): the whole kernel. Returns its number of units.
  int64_t emit_kernel();

 private:
  // The values of a scalar: one per point of the dimensions in `mask`, each a vector if it has the lane bit.
  struct Values {
    DimMask mask = 0;
    std::vector<llvm::Value*> copies;
    std::vector<std::vector<std::pair<int, llvm::Value*>>> splats;  // of each copy, by number of lanes
  };
  // A variable's value is base + delta (+ the lane or the coordinate of its dimension).
  struct Variable {
    llvm::Value* base = nullptr;  // null: 0
    int64_t delta = 0;
    int level = 0;  // where the base is known
    int dim = -1;
    kernel::ScalarId lanes = kernel::kNone;  // a bound variable that differs from lane to lane: its values
  };
  // A place where values that depend on no deeper loop are computed.
  struct Level {
    llvm::BasicBlock* head;
    std::map<Index, llvm::Value*> indices;
    std::map<std::pair<llvm::Value*, Index>, llvm::Value*> pointers;
  };
  // Offset of an access at one point: uniform + constant + lane_stride * lane, or not linear in the lane.
  struct Offset {
    Index uniform;
    int64_t constant = 0;
    int64_t lane_stride = 0;
    bool linear = true;
  };
  struct Local {
    llvm::Value* base = nullptr;
    DimMask mask = 0;
    int64_t copies = 1;  // memory elements per element, without lanes
    int64_t lanes = 1;
  };
  // Carried values of a loop: [carry][copy].
  using Carried = std::vector<std::vector<llvm::Value*>>;

  // Loads of one stretch from one buffer whose offsets differ by constants: moved in pieces of rows.
  struct RunGroup {
    kernel::BufferId buffer;
    Index uniform;
    int64_t lane_stride;
    std::vector<int64_t> constants;
    std::vector<std::pair<int64_t, int>> pieces;                          // first constant, elements
    std::map<std::pair<int64_t, int>, std::vector<llvm::Value*>> loaded;  // by first constant and vector
  };
  struct PendingStore {
    kernel::BufferId buffer;
    Index uniform;
    int64_t constant, lane_stride;
    llvm::Value* value;
  };
  // Neighbours in rows that wait for each other: an element of all rows each.
  struct RowPiece {
    int64_t start;  // the first one's constant
    std::vector<llvm::Value*> values;
  };
  // An output whose rows are put together in scratch memory first.
  struct Staged {
    llvm::Value* memory = nullptr;
    Index outer;  // where the unit's rows begin: uniform part and constant of the first element
    int64_t first = 0, elements = 0;
  };
  // A piece of memory as it lies, in a vector, which it may not fill.
  struct Piece {
    kernel::BufferId buffer;
    Index uniform;
    int64_t start, last;
    llvm::Value* value;
  };
  // A stretch of straight-line code: a block's statements, for several steps of its loop.
  struct Stretch {
    std::vector<RunGroup> groups;
    std::vector<PendingStore> stores;
    std::vector<Piece> pieces;
  };

  // emit_index.cc
  Offset offset_at(const Index& index, const Coords& coords);
  bool is_plain(const Index& index) const;
  Index substituted(const Index& index, const Coords& coords, bool keep_lane);
  llvm::Value* uniform_index(const Index& index);
  llvm::Value* uniform_index(const Offset& offset);
  llvm::Value* atom_value(const IndexAtom& atom);
  llvm::Value* pointer(llvm::Value* base, const Index& uniform, int64_t scale, size_t element_bytes);
  llvm::Value* lane_index(const Index& index, const Coords& coords);
  llvm::Value* lane_sum(const Index& index, llvm::Type* type, const Coords& coords);
  llvm::Value* lane_atom(const IndexAtom& atom, llvm::Type* type, const Coords& coords);
  bool varies_by_lane(const Index& index) const;
  void bind(kernel::ScalarId id);
  void close_levels(size_t count) {
    levels_.erase(levels_.begin() + static_cast<std::ptrdiff_t>(count), levels_.end());
  }
  llvm::Value* table_lookup(const std::vector<int64_t>& table, llvm::Value* at, llvm::IRBuilder<>& b);
  llvm::Value* iota(llvm::Type* type, int64_t stride);
  int level_of(const Index& index) const;
  llvm::IRBuilder<> at_level(int level);

  // emit_values.cc
  llvm::Value* get(kernel::ScalarId id, const Coords& coords, bool vector);
  llvm::Value* splat(llvm::Value* value, int lanes);
  int copy_count(DimMask mask) const;
  int copy_index(DimMask mask, const Coords& coords) const;
  Coords coords_of(DimMask mask, int copy) const;
  Values& define(kernel::ScalarId id, DimMask mask);
  int width(DimMask mask) const { return mask & kLaneBit ? lanes_ : 1; }
  DType dtype(kernel::ScalarId id) const { return kernel_.scalars[static_cast<size_t>(id)]; }
  llvm::Value* literal(const kernel::Literal& literal, int lanes);
  llvm::Value* recipe(const kernel::Let& let, std::span<llvm::Value* const> operands, int lanes);
  void emit(const kernel::Let& let);
  void emit(const kernel::Literal& literal);
  void emit(const kernel::IndexValue& value);
  void emit(const kernel::InRange& range);

  // emit_memory.cc
  void emit(const kernel::Load& load);
  void emit(const kernel::Store& store);
  void emit(const kernel::Append& append);
  void emit(const kernel::Prefetch& ahead);
  void emit(const kernel::Alloc& alloc);
  llvm::Value* load_one(const kernel::Load& load, const Coords& coords, bool vector);
  llvm::Value* load_strided(llvm::Value* base, DType dtype, int64_t stride);
  llvm::Value* load_gather(const kernel::Load& load, const Coords& coords);
  llvm::Value* elements_of_lanes(kernel::BufferId buffer, const Index& offset, const Coords& coords,
                                 llvm::Value* predicate);
  llvm::Value* base_of_copy(kernel::BufferId buffer, const Coords& coords);
  llvm::Value* masked_load(llvm::Value* address, DType dtype, llvm::Value* predicate, llvm::Align align);
  void store_one(const kernel::Store& store, const Coords& coords, bool vector);
  llvm::Value* address(kernel::BufferId buffer, const Offset& offset, const Coords& coords,
                       int64_t extra = 0);
  int64_t memory_scale(kernel::BufferId buffer) const;
  size_t alignment(kernel::BufferId buffer, bool vector) const;
  llvm::Value* load_element(llvm::Value* address, DType dtype);
  llvm::Value* from_memory(llvm::Value* value, DType dtype);
  llvm::Value* to_memory(llvm::Value* value, DType dtype);
  llvm::Value* zeros(int64_t bytes);
  llvm::Value* buffer_base(kernel::BufferId buffer);

  // emit_runs.cc
  void plan_runs(const kernel::Block& block, kernel::VarId var, int steps, Stretch& stretch);
  RunGroup* group_of(Stretch& stretch, kernel::BufferId buffer, const Offset& offset, bool make);
  llvm::Value* load_from_run(const kernel::Load& load, const Coords& coords);
  void load_pieces(RunGroup& group, int64_t start, int size, int vector);
  std::vector<std::vector<llvm::Value*>> load_rows(const RunGroup& group, const std::vector<int64_t>& starts,
                                                   int size, int vector);
  void flush_stores();
  void store_pieces(const PendingStore& place, std::vector<RowPiece> pieces);
  void store_rows(const PendingStore& place, std::span<RowPiece> pieces);
  void store_strided(const PendingStore& place, int64_t constant, llvm::Value* value);
  std::vector<llvm::Value*> transposed(std::vector<llvm::Value*> registers, DType dtype, bool loading);
  llvm::Value* concatenated(std::vector<llvm::Value*> parts);
  int largest_piece(DType dtype) const;
  int row_of(int j, int part, int size, DType dtype) const;
  bool paired(int size, DType dtype) const;
  void read_ahead(const Stretch& stretch, kernel::VarId var, int steps);
  void prefetch(llvm::Value* address, uint32_t locality);
  void prefetch_along(const RunGroup& group, kernel::VarId var, int steps);

  // emit_permuted.cc
  bool permutes(const kernel::Loop& loop) const;
  llvm::Value* load_permuted(const kernel::Load& load, const Coords& coords);
  bool places_of_lanes(const Index& index, const Coords& coords, Index& uniform,
                       std::vector<int64_t>& places);
  Piece& piece_around(kernel::BufferId id, const Index& uniform, const kernel::Span& span);

  // emit_staging.cc
  int64_t bytes_of(kernel::BufferId buffer) const;
  bool is_large_output(kernel::BufferId buffer, int64_t bytes) const;
  bool writes_columns(const kernel::Loop& loop, const kernel::Store& store) const;
  bool writes_rows(const kernel::Loop& loop, const kernel::Store& store) const;
  void streaming_store(llvm::Value* value, llvm::Value* to, uint64_t bytes);
  bool emit_streaming(const kernel::Loop& loop);
  void stage_outputs(const kernel::Loop& loop);
  void copy_staged();
  void copy_vectors(llvm::Value* from, llvm::Value* to, int64_t bytes, bool streaming);
  llvm::Value* store_address(const PendingStore& place, int64_t constant);

  // emit_outline.cc
  class Outline;
  bool emit_outlined(const kernel::Loop& loop);
  llvm::Value* as_bits(llvm::Value* value);
  llvm::Function* emit_part(const Outline& outline);

  // emit_loops.cc
  void emit(const kernel::Loop& loop);
  void emit_block(const kernel::Block& block);
  // The block as a stretch of its own, of one step.
  void emit_stretch(const kernel::Block& block);
  void sink_to_first_use(llvm::BasicBlock& block);
  void emit_tile(const kernel::Loop& loop);
  void emit_map_lanes(const kernel::Loop& loop);
  void emit_reduce_lanes(const kernel::Loop& loop);
  Carried block_values(const kernel::Loop& loop);

  // emit_rising.cc
  llvm::Value* known_comparison(const kernel::Loop& loop, const kernel::Let& let, int lanes);

  // emit_extremes.cc
  Carried all_numbers();
  void see_numbers(const Carried& a, const Carried& b, Carried& numbers);
  void add_extreme(const kernel::Loop& loop, Carried& into, const Carried& next);
  void join_extremes(const kernel::Loop& loop, std::vector<Carried> state);

  void reduce_rest(const kernel::Loop& loop, int vectors, int counted, Carried& into);
  Carried join_lanes(const kernel::Loop& loop, const Carried& values);
  void emit_totals_lanes(const kernel::Loop& loop);
  void emit_total(const kernel::Let& let);
  void emit_serial(const kernel::Loop& loop);
  llvm::BasicBlock* skip_if_in_place(const kernel::Loop& loop);
  void steps(const kernel::Loop& loop, int count, std::vector<Carried>& state, size_t begun = 0);
  Carried initial(const kernel::Loop& loop);
  Carried next_values(const kernel::Loop& loop);
  Carried combine(const kernel::Loop& loop, const Carried& lhs, const Carried& rhs);
  std::vector<llvm::Value*> combine_one(const kernel::Loop& loop, std::span<llvm::Value* const> lhs,
                                        std::span<llvm::Value* const> rhs, const Coords& coords, int lanes);
  void define_results(const kernel::Loop& loop, const Carried& values);
  void counted_loop(kernel::VarId var, int64_t iterations, int64_t step, int64_t last_start,
                    std::vector<Carried>& state, const std::function<void()>& body);

  // emit_some_steps.cc
  llvm::Value* any_runs(const kernel::Loop& loop, const Carried& state);
  void emit_some_steps(const kernel::Loop& loop);

  // emit_dot_pairs.cc
  std::array<std::vector<llvm::Value*>, 2> pair_operands(const kernel::Loop& loop);
  llvm::Value* dot_with_pair_at(llvm::Value* address, llvm::Value* pairs, llvm::Value* sum);
  llvm::Value* pairs_of(llvm::Type* half, llvm::Value* first, llvm::Value* second, bool neighbours);
  llvm::Value* products_of_pairs(llvm::Value* a, llvm::Value* b);
  void dot_pairs(const kernel::Loop& loop, const std::array<std::vector<llvm::Value*>, 2>& first,
                 const std::array<std::vector<llvm::Value*>, 2>& second, std::vector<llvm::Value*>& sums);

  // emit_matrix_tiles.cc
  size_t emit_matrix_product(const kernel::Block& block, size_t at);
  void shape_tiles(const std::array<uint8_t, 64>& shapes);
  void release_tiles();

  // emit_kernel.cc
  void place_parameters();
  // What stands beside the parallel loop in `depth` others: done once for the units of that loop that follow
  // each other.
  struct Prelude {
    std::vector<const kernel::Stmt*> stmts;
    size_t depth = 0;
  };
  int64_t emit_phase(const kernel::Loop* outermost, int64_t first, bool several);
  void emit_units(std::span<const kernel::Loop* const> band, const Prelude& prelude,
                  const kernel::Block& body, llvm::Value* begin, llvm::Value* end);
  llvm::Value* scratch(size_t bytes);

  ModuleContext& context_;
  const kernel::Kernel& kernel_;
  const kernel::Varying& varying_;
  llvm::LLVMContext& llvm_;
  llvm::IRBuilder<> b_;
  llvm::Function* function_ = nullptr;
  llvm::Value* scratch_base_ = nullptr;
  size_t scratch_used_ = 0;
  std::vector<llvm::Value*> bases_;  // of the buffers
  std::vector<Local> locals_;
  std::vector<Values> scalars_;
  std::vector<Variable> vars_;
  std::vector<Level> levels_;
  std::unordered_multimap<kernel::ScalarId, kernel::VarId> bound_;  // the variables that are a scalar's value
  int lanes_ = 1;                                                   // of the open lanes loop
  kernel::VarId lane_var_ = kernel::kNone;
  std::array<const kernel::Loop*, kMaxDims> open_{};  // lanes and tile loops, by dimension
  int open_tiles_ = 0;
  int outlined_calls_ = 0, machine_loops_ = 0;
  bool band_lanes_ = false;  // the open lanes loop belongs to the band
  llvm::Value* next_unit_ =
      nullptr;  // then: how far its variable moves on to the next unit, inside of the extent
  std::array<int, kMaxDims> extents_{};  // of the open dimensions
  // Of the open loop of running totals, by the operation's result: all lanes hold the total before the block.
  struct Total {
    bool left;  // the total is the left operand
    std::vector<llvm::Value*>* before;
  };
  std::unordered_map<kernel::ScalarId, Total> totals_;
  // Open reductions whose accumulators hold points: where carries rise, they are below what is joined to
  // them.
  std::set<const kernel::Loop*> begun_;
  Stretch* stretch_ = nullptr;
  std::vector<llvm::CallInst*> shaped_tiles_;  // where shapes are set
  std::map<kernel::BufferId, Staged> staged_;
  std::set<kernel::BufferId> streamed_;  // outputs whose stores bypass the caches where the code stands
  bool streams_ = false;                 // some stores bypass the caches
};

}  // namespace ingot::codegen
