// One region of a function that a checkpoint runs twice (checkpoint.h).
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/ir.h"
#include "transform/checkpoint.h"
#include "transform/regions_builder.h"

namespace ingot::transform {

// One region of the function to be split, in three steps: plan() finds what the second run needs and what of
// that is saved; emit_first() and emit_again() make the two versions. The saved values of a region come in
// the order of its operations; those of a loop's body are stacks, and those of branches share results of the
// cond. A while is one operation: what it computes in its steps is nothing that the way back needs.
class RegionSplitter {
 public:
  RegionSplitter(Checkpoints& shared, const std::string& policy_text, const ir::Region& from)
      : shared_(shared), policy_text_(policy_text), from_(from) {}

  // `wanted`: which results of the region the second run is to give.
  void plan(const std::vector<bool>& wanted);
  bool needs(const ir::Value* value) const { return needed_.contains(value); }

  // Copies the region; returns the saved values. `map` has the new arguments, and gets all other values.
  std::vector<ir::Value*> emit_first(ir::Region& to, ir::ValueMap& map);
  // Makes what is needed of the region; `saved` are the values that stand for the saved ones.
  void emit_again(ir::Region& to, ir::ValueMap& map, const std::vector<ir::Value*>& saved) const;

 private:
  bool is_needed(const ir::Op& op) const;
  void plan_call(const ir::Op& op);
  void plan_loop(const ir::Op& op);
  void plan_cond(const ir::Op& op);

  // The branches of a cond. First runs fill in what they save.
  struct Branches {
    std::vector<std::unique_ptr<RegionSplitter>> splitters;
    SharedResults saved;                   // what lies in the results behind the cond's own
    std::vector<std::vector<int>> places;  // of what each branch saves
  };

  ir::Op* first_call(const ir::Op& op, ir::Region& to, const ir::ValueMap& map) const;
  ir::Op* first_loop(const ir::Op& op, ir::Region& to, const ir::ValueMap& map) const;
  ir::Op* first_cond(const ir::Op& op, ir::Region& to, const ir::ValueMap& map);
  void again_call(const ir::Op& op, ir::Region& to, ir::ValueMap& map, std::vector<ir::Value*> saved) const;
  void again_loop(const ir::Op& op, ir::Region& to, ir::ValueMap& map,
                  const std::vector<ir::Value*>& saved) const;
  void again_cond(const ir::Op& op, ir::Region& to, ir::ValueMap& map,
                  const std::vector<ir::Value*>& saved) const;

  Checkpoints& shared_;
  const std::string& policy_text_;
  const ir::Region& from_;
  std::unordered_set<const ir::Value*> needed_;
  std::unordered_set<const ir::Op*> saved_ops_;
  std::unordered_map<const ir::Op*, const TwoRuns*> calls_;
  std::unordered_map<const ir::Op*, std::unique_ptr<RegionSplitter>> loops_;
  std::unordered_map<const ir::Op*, std::vector<bool>> wanted_of_loop_;
  std::unordered_map<const ir::Op*, Branches> conds_;
  std::vector<ir::TensorType> saved_types_;  // as emit_first() has made them
};

}  // namespace ingot::transform
