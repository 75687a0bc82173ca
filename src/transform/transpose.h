// Walks a region that is linear in some of its arguments backwards: from cotangents of its results to
// cotangents of these arguments. What does not depend on them is copied as it stands.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/builder.h"
#include "ir/derivative.h"
#include "transform/derivatives.h"

namespace ingot::transform {

class RegionTransposer final : public ir::Transposition {
 public:
  // Makes operations at the end of `target`. `line`: of those made for no operation of the source.
  RegionTransposer(Derivatives& shared, const ir::Region& source, ir::Region& target,
                   const ir::Provenance& line)
      : shared_(shared), source_(source), target_(target), provenance_(line) {}

  void bind(const ir::Value* argument, ir::Value* value) { known_[argument] = value; }
  // `start`: what its cotangent is added to, or null.
  void bind_linear(const ir::Value* argument, ir::Value* start = nullptr) {
    linear_.insert(argument);
    if (start != nullptr) cotangents_[argument] = start;
  }
  // The cotangents of the region's results, null where they are zero.
  void run(const std::vector<ir::Value*>& cotangents);

  ir::Value* cotangent(const ir::Value* source) const;  // null: zero
  // What does not depend on linear arguments is computed where it is first needed, so that what a checkpoint
  // computes anew does not wait in memory.
  ir::Value* known_value(const ir::Value* source);
  bool linear(const ir::Value* source) const { return linear_.contains(source); }

  ir::Op* emit(std::string_view record, std::vector<ir::Value*> operands, ir::Attributes attributes = {},
               const FillRegion& fill = nullptr) override;
  bool is_linear(int operand) const override { return linear(op_->operand(operand)); }
  ir::Value* known(int operand) override;
  void add(int operand, ir::Value* cotangent) override;
  ir::Value* take(int operand) override;

 private:
  void accumulate(const ir::Value* source, ir::Value* cotangent);
  ir::Value* or_zeros(ir::Value* cotangent, const ir::TensorType& type);
  void visit(const ir::Op& op);
  void call(const ir::Op& op);
  bool call_with_rule(const ir::Op& op);
  void call_with_batch_rule(const ir::Op& op);
  void linear_call(const ir::Op& op);
  void scan(const ir::Op& op);               // transpose_scan.cc
  void cond(const ir::Op& op);               // transpose_cond.cc
  void while_of_no_steps(const ir::Op& op);  // transpose_cond.cc
  std::vector<ir::Value*> cotangents_of(const ir::Op& op) const;

  Derivatives& shared_;
  const ir::Region& source_;
  ir::Region& target_;
  const ir::Op* op_ = nullptr;  // the one at hand
  ir::Provenance provenance_;
  std::unordered_set<const ir::Value*> linear_;
  std::unordered_map<const ir::Value*, ir::Value*> known_, cotangents_;
};

}  // namespace ingot::transform
