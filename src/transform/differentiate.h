// Walks a region and makes, for each operation, the operation itself and its tangent.
//
// There are two places to put operations: what depends on no tangent goes to `forward`, all else to `linear`.
// For a jvp both are one region. For a linearisation they are regions of two functions, and a forward value
// that the linear side needs becomes an argument there, a residual; so one rule per operation serves both.
#pragma once

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/derivative.h"
#include "ops/control.h"
#include "transform/derivatives.h"
#include "transform/residuals.h"

namespace ingot::transform {

class RegionDifferentiator final : public ir::Emitter {
 public:
  // `line`: of what is made for no operation of the source, such as zeros for its results.
  RegionDifferentiator(Derivatives& shared, ir::Region& forward, ir::Region& linear,
                       const ir::Provenance& line)
      : shared_(shared), forward_(forward), linear_(linear), provenance_(line) {}

  // What an argument of the source becomes; the tangent may be null.
  void bind(const ir::Value* source, ir::Value* primal, ir::Value* tangent);
  void run(const ir::Region& source);

  ir::Value* primal(const ir::Value* source) const { return primals_.at(source); }
  ir::Value* tangent(const ir::Value* source) const;   // null: zero
  ir::Value* linear_tangent(const ir::Value* source);  // as a value of `linear`, zeros where there is none
  std::vector<Residual> residuals() const { return residuals_; }

  // To `linear` if an operand is there, else to `forward`.
  ir::Op* emit(std::string_view record, std::vector<ir::Value*> operands, ir::Attributes attributes = {},
               const FillRegion& fill = nullptr) override;

 private:
  using Values = std::vector<ir::Value*>;
  using Regions = std::vector<std::unique_ptr<ir::Region>>;

  bool splits() const { return &forward_ != &linear_; }
  bool is_linear(const ir::Value* value) const;
  ir::Value* in_linear(ir::Value* value);  // the value itself, or a residual
  Values primals_of(const ir::Op& op) const;
  ir::Op* emit_forward(std::string_view record, Values operands, ir::Attributes attributes,
                       Regions regions = {});
  ir::Op* emit_linear(std::string_view record, Values operands, ir::Attributes attributes,
                      Regions regions = {});
  void set_tangent(const ir::Value* result, ir::Value* tangent);

  void visit(const ir::Op& op);
  void copy(const ir::Op& op);  // to the forward side
  void linear_op(const ir::Op& op, int first);
  void give_name(const ir::Op& op);
  void terms(const ir::Op& op, const ir::Terms& terms);
  void all_tangents(const ir::Op& op, const ir::AllTangents& rule);
  void structure(const ir::Op& op);

  void call(const ir::Op& op);
  void call_of_jvp(const ir::Op& op, const Mask& active);
  void call_linearized(const ir::Op& op, const Mask& active);
  Values call_forward(const ir::Op& op, const Linearized& made);
  Values call_checkpointed(const ir::Op& op, const Linearized& made);
  // differentiate_rules.cc
  void call_with_jvp_rule(const ir::Op& op);
  void call_with_vjp_rule(const ir::Op& op);
  void call_with_transpose_rule(const ir::Op& op, const Mask& active);
  void call_with_batch_rule(const ir::Op& op, const Mask& active);
  void linear_call(const ir::Op& op);
  Values inline_rule(const ir::Region& rule, const Values& arguments);
  // What is with regions in a rule, some of whose operands are linear, in two parts.
  Values parts_of_rule(const ir::Op& op, const Values& operands);
  // The tangents of all floating operands, zeros among them.
  Values floating_tangents(const ir::Op& op);

  // differentiate_scan.cc
  void scan_of_jvp(const ir::Op& op, const Mask& active);
  struct LoopDrafts;
  void scan_linearized(const ir::Op& op, const Mask& active);
  Values scan_of_rule(const ir::Op& op, const Values& operands);
  std::pair<Values, Values> two_scans(const ops::ScanOp& scan, LoopDrafts& drafts);
  // differentiate_while.cc
  void while_of_jvp(const ir::Op& op, const Mask& active);
  void while_linearized(const ir::Op& op);
  Values while_of_rule(const ir::Op& op, const Values& operands);
  void while_of_no_steps(const ir::Op& op);
  // differentiate_cond.cc
  struct Branch;
  struct TwoConds {
    const ir::Op *forward = nullptr, *linear = nullptr;
  };
  std::vector<Branch> empty_branches(const ir::Op& op);
  std::vector<Branch> differentiated_branches(const ir::Op& op);
  static std::vector<int> with_tangent(const ir::Op& op, const std::vector<Branch>& branches);
  void cond_of_jvp(const ir::Op& op);
  void cond_linearized(const ir::Op& op);
  Values cond_of_rule(const ir::Op& op, const Values& operands);
  TwoConds two_conds(const ops::CondOp& cond, const std::vector<Branch>& branches, ir::Value* index,
                     const Values& operands, const Values& tangents);

  Derivatives& shared_;
  ir::Region& forward_;
  ir::Region& linear_;
  ir::Provenance provenance_;
  std::unordered_map<const ir::Value*, ir::Value*> primals_, tangents_;
  std::vector<Residual> residuals_;
  std::unordered_map<const ir::Value*, ir::Value*> residual_of_;
  std::vector<std::unique_ptr<ir::Region>> drafts_;  // what operations of the source were written as
};

}  // namespace ingot::transform
