// A fused group, and which of its dimensions form the band.
//
// Every dimension of every value inside the group belongs to a class: two dimensions are of one class when
// they must run together (an elementwise operation, a permutation, a scan that carries one into the next
// step). Inputs are loaded at any index and tie nothing, nor does a number in all places, but where that
// leaves the anchors without a common band and they read inputs at the same places, those tie them. The band
// is the set of classes that every anchor of the group has - its outputs, its scans and its reductions - and
// that nobody reduces, scans over or mixes. All else is done inside of one band point.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/ir.h"
#include "ir/op_record.h"
#include "kernel/lower/updated_carries.h"

namespace ingot::kernel {

struct Group {
  std::vector<ir::Op*> ops;         // in program order
  std::vector<ir::Value*> outputs;  // made by ops, wanted outside
  std::vector<ir::Value*> inputs;   // used by ops, made outside; in order of first use
  // Inputs and outputs whose rows lie further apart in memory than they are long: by so many elements.
  std::unordered_map<const ir::Value*, int64_t> pitches;

  // The shape with rows of that length.
  Shape shape_in_memory(const ir::Value* value) const;
};

// Elements from one row of the value to the next one in memory, if a pass has given it more than a row has
// (the attribute pitch0 of a `fused` operation, for its first result) and only kernels touch it; else 0.
int64_t pitch_of(const ir::Value& value);
// The bytes that the value takes in memory.
int64_t bytes_in_memory(const ir::Value& value);

// The group that a `fused` operation holds: inputs are the region's arguments. Of its region alone, nothing
// is known of what lies around.
Group group_of(ir::Op& fused);
Group group_of_region(ir::Region& region);
// The group of operations of one region; inputs and order are worked out here.
Group make_group(std::vector<ir::Op*> ops, std::vector<ir::Value*> outputs);

// A group cannot be one kernel; the reason is for the user's eyes. Of one that is about a value, the parts
// before and behind its name hold for all groups of the same form.
struct NotFusible : std::runtime_error {
  explicit NotFusible(const std::string& reason) : std::runtime_error(reason), before(reason) {}
  NotFusible(std::string before, const ir::Value& value, std::string after)
      : std::runtime_error(before + "%" + value.name() + after),
        before(std::move(before)),
        value(&value),
        after(std::move(after)) {}
  std::string before;
  const ir::Value* value = nullptr;
  std::string after;
};

using DimClass = int;

// Where the elements of a scan's carry live that one band point has.
enum class Carries {
  kInRegisters,  // if they are few
  kInMemory,     // a local buffer, unless there is one element only; no reduction is written out then
};

class Dimensions {
 public:
  explicit Dimensions(const Group& group, Carries carries = Carries::kInRegisters);

  // The class of dimension `dim` of a value of the group (or of a region inside of it).
  DimClass of(const ir::Value* value, int64_t dim) const;
  bool in_band(DimClass c) const { return band_position_.count(c) > 0; }
  // Few, static, and mixed by views: laid out as scalars of one band point.
  bool unrolled(DimClass c) const { return unrolled_.count(c) > 0; }
  bool writes_out_reductions() const { return carries_in_ == Carries::kInRegisters; }
  // Whether a reduction over so many elements is a loop, however short.
  bool too_many_to_write_out(int64_t elements) const { return elements > most_written_out_; }
  // Whether each element that one band point has of a carry would need a loop of its own.
  bool carries_need_loops() const;
  // Classes of the band, in the order of the first output's dimensions, with their extents.
  const std::vector<DimClass>& band() const { return band_; }
  int64_t extent(DimClass c) const { return extents_.at(c); }
  int64_t band_points() const;
  // The elements that one point of the band has of the value.
  int64_t elements_inside(const ir::Value* value) const;
  // The carry of a scan with that result, if its steps change it in part, in the memory where it lies; or
  // null.
  const UpdatedCarry* updated(const ir::Value* result) const;
  // Whether it lies where the carry of a scan around that one does, being one of its versions.
  bool is_version(const ir::Value* result) const;

 private:
  Dimensions(const Group& group, Carries carries, bool tied_by_inputs);
  bool misses_dimensions(const Group& group) const;
  // What is read at any index: inputs, and one number in all places.
  bool binds_nothing(const ir::Value* value) const {
    return !tied_by_inputs_ && (inputs_.count(value) > 0 || is_one_number(value));
  }
  bool is_one_number(const ir::Value* value) const;
  void visit(ir::Op& op);
  void visit_view(ir::Op& op);
  void visit_hold(ir::Op& op);
  void visit_contraction(ir::Op& op, const ir::Contraction& contraction);
  void visit_gather(ir::Op& op);
  void visit_scatter(ir::Op& op);
  void visit_scan(ir::Op& op);
  void visit_region(ir::Region& region);
  int node(const ir::Value* value, int64_t dim);
  int find(int n) const;
  void unite(const ir::Value* a, int64_t da, const ir::Value* b, int64_t db);
  void unite_shapes(const ir::Value* a, const ir::Value* b);
  void flag_inner(const ir::Value* v, int64_t d) { inner_nodes_.push_back(node(v, d)); }
  void flag_stepped(const ir::Value* v, int64_t d);
  void flag_mixed(const ir::Value* v, int64_t d) { mixed_nodes_.push_back(node(v, d)); }
  std::unordered_set<DimClass> stepped() const;
  void choose_band(const Group& group);
  void write_out_rest(const Group& group);
  void place_carries();
  void place_updates(const UpdatedCarry& updated);
  void choose_unrolled(const Group& group);
  void unroll_if_small(const Group& group, const std::unordered_set<DimClass>& classes);
  void flag_reduced(const ir::Value* v, int64_t d, int64_t reduced_elements);

  Carries carries_in_;
  bool tied_by_inputs_;
  int64_t most_written_out_;  // elements of a reduction
  struct Anchor {
    std::vector<const ir::Value*> values;  // a class is carried by the anchor if one of them has it
    bool all;                              // ... or only if each of them has it (outputs)
  };

  std::unordered_set<const ir::Value*> inputs_, outputs_;
  std::unordered_map<const ir::Value*, int> first_node_;
  mutable std::vector<int> parent_;
  std::vector<int64_t> node_extent_;
  std::vector<int> inner_nodes_, mixed_nodes_;
  std::vector<int> stepped_nodes_;                     // of axes that scans step through
  std::vector<std::pair<int, int>> mixed_links_;       // dimensions that a view relates by more than a name
  std::vector<int> written_out_nodes_, looped_nodes_;  // of reduced dimensions
  std::vector<Anchor> anchors_;
  std::vector<const ir::Value*> carries_;
  std::vector<UpdatedCarry> updated_;
  std::vector<const ir::Value*> looped_;  // results of reductions that are loops
  std::unordered_set<DimClass> inner_, mixed_, unrolled_;
  std::unordered_map<DimClass, int64_t> extents_;
  std::vector<DimClass> band_;
  std::unordered_map<DimClass, int> band_position_;
};

// At most this many elements of a value become scalars of one body.
inline constexpr int64_t kMaxUnrolledElements = 64;
// At most so many statements are written out for elements that only come from several places: 49 complex
// quotients of a transform's result take 2.6 s to compile in 7,300 statements, and 0.15 s as loops (AMD EPYC,
// AVX2).
inline constexpr int64_t kMaxWrittenOutStatements = 1024;
// ... of which so many operations make each: five levels of sums of two. More are not done again in each
// place.
inline constexpr int64_t kMostMovedOperations = 32;
// At most this many elements of a carry live in a local buffer of a band point.
inline constexpr int64_t kMaxCarriedElements = 4096;
// Reductions over at most so many elements are written out instead of looping.
inline constexpr int64_t kMaxWrittenOut = 16;
// ... and over fewer in a long group, all of which may be written out for each of them: so many operations.
// Beyond, a loop with lanes is faster: 200 steps sin(x) + x / 2 of 10 elements and their sum take 5 us in
// place of 38, and 700 compile in 0.7 s in place of 37 (AMD EPYC, AVX-512).
inline constexpr int64_t kMaxWrittenOutOps = 1024;

}  // namespace ingot::kernel
