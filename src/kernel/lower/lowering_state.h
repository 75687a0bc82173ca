// The state of one lowering: the kernel under construction, its open scopes, and what each scope remembers.
// Private to lower*.cc.
#pragma once

#include <list>
#include <map>
#include <memory_resource>
#include <optional>
#include <set>
#include <span>

#include "kernel/ir/kernel_ir.h"
#include "kernel/lower/group.h"
#include "ops/control.h"
#include "ops/windows.h"

namespace ingot::kernel {

using IndexTuple = std::vector<Index>;

// Facts that only show while a kernel is written; the lowering starts again with them known.
struct Decisions {
  std::set<const ir::Value*> stacks;  // outputs of scans that a later loop reads: they get a local buffer
  std::set<const ir::Value*> tiles;   // elementwise values, too dear to compute in a second loop
};

class Lowering {
 public:
  Lowering(const Group& group, const Dimensions& dims, Decisions& decisions, std::string name);
  Kernel run();
  // Whether a decision was made on the way that the kernel does not know of yet. So that a run finds many of
  // them, it goes on as if they had been known.
  bool starts_again() const { return starts_again_; }

 private:
  using PlaceId = int;  // of an index tuple: chains of elementwise operations ask thousands of times for one
  struct MemoKey {
    const ir::Value* value;
    PlaceId place;
    ScalarId predicate;
    bool operator==(const MemoKey&) const = default;
    void hash_into(Hasher& hasher) const {
      hasher.add(reinterpret_cast<uintptr_t>(value));
      hasher.add(place);
      hasher.add(predicate);
    }
  };
  struct LoadKey {
    BufferId buffer;
    Index offset;
    ScalarId predicate;
    bool operator==(const LoadKey&) const = default;
    void hash_into(Hasher& hasher) const {
      hasher.add(buffer);
      offset.hash_into(hasher);
      hasher.add(predicate);
    }
  };
  struct LetKey {
    const ir::OpRecord* record;
    std::vector<ScalarId> operands;
    std::string attributes;
    DType dtype;
    bool operator==(const LetKey&) const = default;
    void hash_into(Hasher& hasher) const {
      hasher.add(reinterpret_cast<uintptr_t>(record));
      for (ScalarId operand : operands) hasher.add(operand);
      hasher.add(attributes);
      hasher.add(static_cast<int>(dtype));
    }
  };
  // These maps are only looked up, never walked: addresses in a hash change nothing that anybody sees.
  struct KeyHash {
    template <class Key>
    size_t operator()(const Key& key) const {
      Hasher hasher;
      key.hash_into(hasher);
      return hasher.value();
    }
  };
  struct TupleHash {
    size_t operator()(const IndexTuple& tuple) const {
      Hasher hasher;
      for (const Index& index : tuple) index.hash_into(hasher);
      return hasher.value();
    }
  };
  template <class Key>
  using Memory = std::pmr::unordered_map<Key, ScalarId, KeyHash>;

  struct Scope {
    explicit Scope(std::pmr::memory_resource* room) : memo(room), loads(room), lets(room) {}
    Block block;
    Memory<MemoKey> memo;
    Memory<LoadKey> loads;
    Memory<LetKey> lets;
    std::map<std::string, ScalarId> literals;
    std::map<std::pair<Index, DType>, ScalarId> index_values;
    std::map<std::pair<Index, std::pair<int64_t, int64_t>>, ScalarId> ranges;
    std::set<const ir::Value*> filling;  // tiles that the loop of this scope fills
  };
  // How a region's argument is read while its scan is being written.
  struct Binding {
    const ir::Value* operand = nullptr;  // of the scan; null for a carry
    int64_t axis = -1;                   // scanned axis, or -1 for an invariant
    Index time;
  };
  struct Stack {  // the local buffer of a scan's output
    BufferId buffer;
    int64_t axis;
  };

  struct FilledTile {  // the local buffer of a tile
    BufferId buffer;
    int level;  // of the scope that the loop which fills it stands in: while that is open, reads stay in it
  };

  // evaluation (lower_eval.cc)
  ScalarId eval(const ir::Value* value, const IndexTuple& index);
  ScalarId eval(const ir::Value* value, const IndexTuple& index, PlaceId place);
  ScalarId eval_uncached(const ir::Value* value, const IndexTuple& index, PlaceId place);
  ScalarId eval_argument(const ir::Value* argument, const IndexTuple& index);
  ScalarId eval_recipe(ir::Op& op, const IndexTuple& index, PlaceId place);
  bool is_plain_recipe(const ir::Value* value) const;
  ScalarId eval_view(ir::Op& op, const IndexTuple& index);
  ScalarId condition_of(std::span<const ir::ViewPiece::Guard> guards);
  ScalarId eval_guarded(const ir::Value* value, const IndexTuple& index,
                        std::span<const ir::ViewPiece::Guard> guards);
  ScalarId eval_gather(ir::Op& op, const IndexTuple& index);
  struct Start {  // of a window along one dimension
    Index index;
    ScalarId inside = kNone;  // pred: it was in range; kNone if that is not asked
  };
  Start start_of(ScalarId index, int64_t last, bool ask);
  // Moves an element of the array to where its window begins. Returns the pred that it is in range, or kNone
  // if it always counts as such.
  ScalarId begin_window(const ops::WindowDims& dims, const ir::Value* array, const ir::Value* indices,
                        ops::WindowPlace<Index>& place);
  ScalarId eval_literal(ir::Op& op, const IndexTuple& index);
  ScalarId eval_stack(const ir::Value* value, const IndexTuple& index);
  Index offset_in_point(const ir::Value* value, const IndexTuple& index,
                        std::optional<int64_t> outermost = std::nullopt) const;
  ScalarId load_input(const ir::Value* value, const IndexTuple& index);
  PlaceId place_of(const IndexTuple& index);
  std::optional<ScalarId> remembered(const ir::Value* value, PlaceId place) const;
  void remember(const ir::Value* value, const IndexTuple& index, ScalarId scalar, int level) {
    scopes_[static_cast<size_t>(level)].memo[{value, place_of(index), kNone}] = scalar;
  }
  // Whether the value is to be stored where it was computed first, and read from there from the next run on.
  bool decide_on_tile(const ir::Value* value, const IndexTuple& index);
  void fill_tile(const ir::Value* value, const IndexTuple& index, ScalarId scalar);
  bool is_whole_range(const ir::Value* value, const IndexTuple& index) const;
  int cost(const ir::Value* value);

  // loops (lower_loops.cc)
  ScalarId eval_reduction(ir::Op& op, int result, const IndexTuple& index);
  ScalarId eval_contraction(ir::Op& op, const IndexTuple& index);
  void materialize_scan(ir::Op& op);
  Index active_steps(const ops::ScanOp& scan, const Index& step) const;
  void require_an_end(const ops::ScanOp& scan) const;
  bool lives_in_memory(const ir::Value* carry) const;
  struct MemoryCarry {  // of a scan
    const ir::Value *argument, *next, *result;
    BufferId buffer;
  };
  void store_carry(const MemoryCarry& carry, const ir::Value* value);

  // what steps change in part (lower_scatter.cc)
  struct PlacedCarry {
    const UpdatedCarry* updated;
    BufferId buffer;
    bool is_output;            // of the kernel; else the buffer holds what one band point has
    const ir::Value* current;  // the version that lies there: the only one that may be read
  };
  struct ChangedCarry {  // of a scan
    const UpdatedCarry* updated;
    PlacedCarry* placed;  // for it, or for a carry of a scan around it
  };
  PlacedCarry& place_carry(const UpdatedCarry& updated);
  PlacedCarry& place_around(const UpdatedCarry& updated);
  void place_versions(const UpdatedCarry& updated, PlacedCarry& placed);
  void change_carries(ir::Region& body, const std::vector<ChangedCarry>& carries);
  void change_by_scatter(const PlacedCarry& placed, const ir::Op& scatter);
  void read_before_update(const UpdatedCarry& updated, size_t update);
  Index place_in(const PlacedCarry& placed, const IndexTuple& index) const;
  ScalarId load_version(const PlacedCarry& placed, const ir::Value* version, const IndexTuple& index);
  struct Change {  // of one element of an array by a scatter
    IndexTuple place;
    ScalarId inside;  // pred: it is in the array; kNone if it is
    ScalarId update;
  };
  Change eval_change(const ir::Op& scatter, const IndexTuple& index_in_updates);
  void put(BufferId buffer, const Index& offset, const Change& change, const ir::Op& scatter);
  struct ReduceSpec {              // what reduction and contraction have in common
    std::vector<int64_t> extents;  // of the reduced dimensions, outermost first
    bool loops = false;            // even if they are short
    std::vector<ScalarId> inits;   // neutral, but for the zero of sums, which makes 0 of a lone -0
    bool from_zero = false;        // one is that zero, and whether the sum is 0 or -0 counts
    std::function<std::vector<ScalarId>(const IndexTuple& reduced)> element;
    std::function<std::vector<ScalarId>(const std::vector<ScalarId>& a, const std::vector<ScalarId>& b)>
        combine;
  };
  std::vector<ScalarId> reduce(const ReduceSpec& spec, int level);
  std::vector<ScalarId> reduce_loop(const ReduceSpec& spec, size_t depth, IndexTuple& reduced);
  std::vector<ScalarId> combine_with_region(ir::Region& region, const std::vector<ScalarId>& a,
                                            const std::vector<ScalarId>& b);
  Combiner make_combiner(const ReduceSpec& spec);

  // what is held (lower_holds.cc)
  void hold(ir::Op& op);
  ScalarId eval_held(ir::Op& op, const IndexTuple& index);
  BufferId room_for(const ir::Op& op);
  size_t last_reader(const ir::Op& op);

  // outputs (lower_outputs.cc)
  void attach_outputs(ir::Op& scan, const Index& time);
  std::optional<IndexTuple> attachment(const ir::Value* output, const ir::Op& scan, const Index& time);
  bool trace_demand(const ir::Value* value, const IndexTuple& index, const ir::Op& scan,
                    std::set<std::pair<const ir::Value*, IndexTuple>>& seen, std::vector<Index>& times);
  void store_scatter(size_t output);
  ScalarId sum_of_updates(const ir::Op& scatter, const ops::IntList& shared, const IndexTuple& index);
  void for_each_point(const Shape& shape, std::vector<std::optional<Index>> fixed, LoopKind kind,
                      const std::function<void(const IndexTuple&)>& fn);
  void store_outputs();
  void store_output(size_t output, const IndexTuple& index);
  std::vector<int64_t> loop_dims(const ir::Value* value) const;
  std::vector<IndexTuple> unrolled_points(const ir::Value* value, const IndexTuple& others) const;
  void require_no_loops(const ir::Value* value) const;
  IndexTuple band_index(const ir::Value* value) const;

  // algebra of scalars (lower_scalars.cc)
  std::optional<ScalarId> simplified(const ir::OpRecord& record, const std::vector<ScalarId>& operands,
                                     DType result);
  std::optional<ScalarId> without_zero(const ir::OpRecord& record,
                                       const std::vector<ScalarId>& operands) const;
  bool never_minus_zero(ScalarId scalar) const;
  bool gives_no_minus_zero(const ir::OpRecord& record, const std::vector<ScalarId>& operands) const;
  std::optional<ScalarId> shifted(const ir::OpRecord& record, const std::vector<ScalarId>& operands,
                                  DType result);

  // scopes and statements (lower.cc)
  int level_of(const Index& index) const;
  int level_of(const IndexTuple& index) const;
  int context_level(const ir::Op& op) const;
  void emit(int level, Stmt stmt) {
    if (auto* store = std::get_if<Store>(&stmt.node)) store->offset = store->offset.rejoined();
    scopes_[static_cast<size_t>(level)].block.stmts.push_back(std::move(stmt));
  }
  int top() const { return static_cast<int>(scopes_.size()) - 1; }
  ScalarId new_scalar(DType dtype, int level);
  int level_of_scalar(ScalarId id) const { return scalar_level_[static_cast<size_t>(id)]; }
  VarId new_var(const std::string& name, int64_t extent, int level);
  ScalarId let(std::string_view record, std::vector<ScalarId> operands, DType result,
               ir::Attributes attributes = {});
  ScalarId let(const ir::OpRecord& record, std::vector<ScalarId> operands, DType result,
               const ir::Attributes& attributes);
  ScalarId literal(const Tensor& scalar);
  ScalarId load(BufferId buffer, const Index& offset, int min_level = 0);
  // Runs fn with only the scopes up to `level` open.
  template <class Fn>
  auto at_level(int level, Fn fn);
  // Opens a scope, runs fn in it, and returns what it wrote.
  template <class Fn>
  Block in_scope(Fn fn);

  const Group& group_;
  const Dimensions& dims_;
  Decisions& decisions_;
  Kernel kernel_;
  struct Shift {  // of a scalar by a literal
    const ir::OpRecord* record;
    ScalarId from, amount;
  };

  std::pmr::monotonic_buffer_resource room_;  // of what scopes remember, all of which goes together
  std::vector<Scope> scopes_;
  std::unordered_map<IndexTuple, PlaceId, TupleHash> places_;
  std::unordered_map<ScalarId, Tensor> literals_;
  std::unordered_map<ScalarId, Shift> shifts_;
  std::unordered_set<ScalarId> never_minus_zero_;  // floats that are computed, besides literals
  std::vector<int> scalar_level_;
  std::vector<int> var_level_;
  std::map<std::pair<ScalarId, int64_t>, VarId> bound_vars_;  // by scalar and extent
  std::map<DimClass, VarId> band_vars_;
  std::unordered_map<const ir::Value*, BufferId> input_buffers_;
  std::vector<BufferId> output_buffers_;
  std::vector<bool> stored_;
  std::unordered_map<const ir::Value*, Binding> bindings_;
  std::unordered_map<const ir::Region*, int> region_level_;  // the scope of the loop that runs a region
  std::unordered_map<const ir::Value*, Stack> stacks_;
  std::unordered_map<const ir::Value*, BufferId> memory_carries_;  // of scans: arguments and results
  std::list<PlacedCarry> placed_carries_;
  std::unordered_map<const ir::Value*, PlacedCarry*> placed_;  // by all versions and the scan's result
  // The element of a carry that is being replaced: the only one that may be read of it.
  const ir::Value* replaced_ = nullptr;
  IndexTuple replaced_at_;
  std::unordered_map<const ir::Op*, int> gathered_;  // how often, of what is computed here
  std::set<const ir::Op*> scans_begun_, scans_done_;
  std::unordered_map<const ir::Value*, BufferId> held_;
  std::map<BufferId, size_t> in_use_;                       // local buffers of holds: by whom last
  std::unordered_map<const ir::Op*, size_t> last_readers_;  // of holds: the number of an operation
  std::unordered_map<const ir::Value*, FilledTile> tiles_;
  std::unordered_set<const ir::Value*> tiles_filled_;
  std::unordered_map<const ir::Value*, std::set<IndexTuple>> evaluations_;
  std::unordered_map<const ir::Value*, int> costs_;
  ScalarId predicate_ = kNone;
  bool starts_again_ = false;
  std::unordered_set<const ir::Value*> stacks_to_come_;  // decided on in this run
};

template <class Fn>
auto Lowering::at_level(int level, Fn fn) {
  std::vector<Scope> saved(std::make_move_iterator(scopes_.begin() + level + 1),
                           std::make_move_iterator(scopes_.end()));
  scopes_.erase(scopes_.begin() + level + 1, scopes_.end());
  auto result = fn();
  for (Scope& scope : saved) scopes_.push_back(std::move(scope));
  return result;
}

template <class Fn>
Block Lowering::in_scope(Fn fn) {
  scopes_.emplace_back(&room_);
  fn();
  Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  tiles_filled_.insert(scope.filling.begin(), scope.filling.end());
  return std::move(scope.block);
}

// Row-major strides, and where an element lies in memory of that shape.
std::vector<int64_t> strides_of(const Shape& shape);
Index offset_of(const Shape& shape, const IndexTuple& index);

}  // namespace ingot::kernel
