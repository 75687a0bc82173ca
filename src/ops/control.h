// Loops, calls and kernels as types (ops/typed.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/ir.h"
#include "ops/lanes.h"
#include "ops/typed.h"

namespace ingot::ops {

// What the attributes of a scan say, to be read, changed and written.
struct ScanForm {
  // A promise: where per_index * i + per_step * s + constant < 0, step s leaves alone what it carries at
  // index i of dimension `dim` of the first carry, and in all carries along with it.
  struct Active {
    int64_t dim, per_index, per_step, constant;
  };
  int carries = 0;
  int64_t length = 0;
  bool reverse = false;
  ir::IntList xs_axes, ys_axes;  // one per scanned array, one per stack
  std::optional<Active> active;
  // A promise: where this carry, a pred, is false at an index, no step that is left changes what it, and all
  // carries along with it, have there.
  std::optional<int> running;

  static ScanForm of(const ir::Attributes& attributes);
  ir::Attributes attributes() const;
  void write(ir::Attributes& attributes) const;  // leaves alone what else stands there
};

// A loop of a known number of steps (the record `scan`).
class ScanOp {
 public:
  static const ir::OpRecord& record();
  explicit ScanOp(const ir::Op& op);

  const ir::Op& op() const { return *op_; }
  ir::Region& body() const { return op_->region(); }
  const ScanForm& form() const { return form_; }
  int64_t length() const { return form_.length; }
  bool reverse() const { return form_.reverse; }

  struct Carry {
    ir::Value *initial, *argument;  // before the first step; at the start of each
    ir::Value *next, *result;       // at the end of each step; after the last one
  };
  struct Scanned {
    ir::Value *array, *slice;  // the operand; the body's argument
    int64_t axis;              // of the array
  };
  struct Stack {
    ir::Value *slice, *whole;  // what the body returns; the result
    int64_t axis;              // of the whole
  };
  struct Invariant {
    ir::Value *value, *argument;
  };
  int carry_count() const { return form_.carries; }
  int scanned_count() const { return static_cast<int>(form_.xs_axes.size()); }
  int stack_count() const { return static_cast<int>(form_.ys_axes.size()); }
  int invariant_count() const { return op_->operand_count() - carry_count() - scanned_count(); }
  Carry carry(int k) const;
  Scanned scanned(int k) const;
  Stack stack(int k) const;
  Invariant invariant(int k) const;
  std::vector<Carry> carries() const;
  std::vector<Scanned> scanned() const;
  std::vector<Stack> stacks() const;
  std::vector<Invariant> invariants() const;

  // What operand i is, and with it argument i of the body.
  bool is_carry(int i) const { return i < carry_count(); }
  bool is_scanned(int i) const { return i >= carry_count() && i < carry_count() + scanned_count(); }
  bool is_invariant(int i) const { return i >= carry_count() + scanned_count(); }
  int64_t scanned_axis(int i) const { return form_.xs_axes[static_cast<size_t>(i - carry_count())]; }
  // What result i is, and with it result i of the body.
  bool is_stack(int i) const { return i >= carry_count(); }
  int64_t stack_axis(int i) const { return form_.ys_axes[static_cast<size_t>(i - carry_count())]; }

 private:
  const ir::Op* op_;
  ScanForm form_;
};

// What the attributes of a while say.
struct WhileForm {
  int carries = 0;
  std::optional<int64_t> max_steps;  // of this loop; running longer is an error at run time
  int64_t steps_before = 0;          // of the user's loop, whose end this one is: the error counts them
  int64_t at_once = 1;               // steps of the user's loop that one step of this one takes, but the last
  Lanes lanes;

  static WhileForm of(const ir::Attributes& attributes);
  ir::Attributes attributes() const;
  void write(ir::Attributes& attributes) const;  // leaves alone what else stands there
};

// A loop that runs while a predicate of its carries holds (the record `while`). Arguments of its regions are
// those of one lane (ops/lanes.h).
class WhileOp {
 public:
  static const ir::OpRecord& record();
  explicit WhileOp(const ir::Op& op);

  const ir::Op& op() const { return *op_; }
  ir::Region& predicate() const { return op_->region(0); }  // (carries, invariants) -> pred[]
  ir::Region& body() const { return op_->region(1); }       // (carries, invariants) -> the next carries
  const WhileForm& form() const { return form_; }
  const Lanes& lanes() const { return form_.lanes; }

  struct Carry {
    ir::Value *initial, *asked, *argument;  // before the first step; of the predicate; of the body
    ir::Value *next, *result;               // at the end of each step; after the last one
  };
  struct Invariant {
    ir::Value *value, *asked, *argument;  // outside; of the predicate; of the body
  };
  int carry_count() const { return form_.carries; }
  int invariant_count() const { return op_->operand_count() - carry_count(); }
  bool is_carry(int i) const { return i < carry_count(); }  // operand i, and with it argument i
  Carry carry(int k) const;
  Invariant invariant(int k) const;
  std::vector<Carry> carries() const;
  std::vector<Invariant> invariants() const;

 private:
  const ir::Op* op_;
  WhileForm form_;
};

// One of several regions, by an index (the record `cond`). Arguments of its regions are those of one lane.
class CondOp {
 public:
  static const ir::OpRecord& record();
  explicit CondOp(const ir::Op& op);

  const ir::Op& op() const { return *op_; }
  ir::Value* index() const { return op_->operand(0); }  // clamped to the branches that there are
  int branch_count() const { return op_->region_count(); }
  ir::Region& branch(int b) const { return op_->region(b); }
  // What argument i of every branch is given: operand i + 1.
  int argument_count() const { return op_->operand_count() - 1; }
  ir::Value* argument(int i) const { return op_->operand(i + 1); }
  const Lanes& lanes() const { return lanes_; }

 private:
  const ir::Op* op_;
  Lanes lanes_;
};

// Loops and branches: an operation whose regions are programs that stand outside of kernels as they stand in
// them (scan, while, cond), unlike a reduction's combiner and the inside of a `fused`.
bool runs_regions(const ir::Op& op);

// The function that the operation names as its callee, be it a call or a linear_call; null if it names none.
ir::Function* callee_of(const ir::Op& op);
bool has_callee(const ir::Op& op);
const std::string& callee_name(const ir::Op& op);
void set_callee(ir::Op& op, const ir::Function& callee);

// What a call says of its callee besides: rules of the user's in place of what follows from it, and what is
// to be kept for the way back. Names of functions are empty where there is none.
struct CallForm {
  std::string callee;
  std::string jvp;  // (arguments, tangents) -> (results, tangents)
  std::string vjp_forward,
      vjp_backward;  // arguments -> (results, residuals); (residuals, cotangents) -> cotangents
  // (residuals, cotangents of the results) -> cotangents of the other arguments, in which the callee is
  // linear
  std::string transpose;
  std::optional<int> residuals;       // how many arguments those are
  std::optional<int64_t> batch_rule;  // a number (transform/batch_rules.h)
  bool checkpoint = false;            // the callee's residuals are computed anew
  std::string policy;                 // but for those that it saves (ops/save_policy.h)
  bool recompute = false;             // the second run of a checkpoint

  static CallForm of(const ir::Attributes& attributes);
  static CallForm plain(const ir::Function& callee);
  ir::Attributes attributes() const;
  void write(ir::Attributes& attributes) const;  // leaves alone what else stands there
  // The same for another function: with all of it, or without transpose and batch_rule, which are about what
  // the callee returns and takes.
  CallForm calling(const ir::Function& other) const;
  CallForm derivative(const ir::Function& other) const;

  bool operator==(const CallForm&) const = default;
  // Whether the call is of that callee and no other with more results or arguments.
  bool has_rules() const {
    return !jvp.empty() || !vjp_forward.empty() || !transpose.empty() || batch_rule.has_value();
  }
  // Whether all floating results have a tangent, whatever the callee says.
  bool gives_all_tangents() const { return !jvp.empty() || !vjp_forward.empty() || batch_rule.has_value(); }
};

// Whether it is the call of the second run of a checkpoint.
bool recomputes(const ir::Op& op);

// A call of a function of the same module (the record `call`).
class CallOp {
 public:
  static const ir::OpRecord& record();
  explicit CallOp(const ir::Op& op);

  const ir::Op& op() const { return *op_; }
  ir::Function& callee() const;
  const CallForm& form() const { return form_; }
  bool has_rules() const { return form_.has_rules(); }

 private:
  const ir::Op* op_;
  CallForm form_;
};

// The linear function whose transpose is the callee (the record `linear_call`): residuals, then tangents.
class LinearCallOp {
 public:
  static const ir::OpRecord& record();
  explicit LinearCallOp(const ir::Op& op);
  // Nobody can compute it, only transpose it: an Error at the user's line that says what to use.
  [[noreturn]] void fail_forwards() const;

  const ir::Op& op() const { return *op_; }
  ir::Function& callee() const;
  int residuals() const { return residuals_; }
  static ir::Attributes attributes(const std::string& callee, int residuals);

 private:
  const ir::Op* op_;
  int residuals_;
};

// One kernel, with a region of what it computes (the record `fused`).
class FusedOp {
 public:
  static const ir::OpRecord& record();
  explicit FusedOp(const ir::Op& op) : op_(&op) {}

  const ir::Op& op() const { return *op_; }
  ir::Region& body() const { return op_->region(); }
  const std::string& kernel() const;
  static ir::Attributes attributes(std::string kernel);

 private:
  const ir::Op* op_;
};

// How a result lies in memory where that is not row by row: an attribute of whatever makes it.
std::optional<ir::IntList> stored_order(const ir::Value& result);  // of its dimensions, outermost first
void set_stored_order(ir::Attributes& attributes, int result, ir::IntList order);
std::optional<int64_t> stored_pitch(const ir::Value& result);  // elements from one row to the next
void set_stored_pitch(ir::Attributes& attributes, int result, int64_t pitch);
void erase_stored_pitches(ir::Attributes& attributes);
// The types of the results of an operation with these attributes; an Error where an order is none of all
// dimensions of its result, or a pitch none of its rows.
std::vector<ir::TensorType> with_stored_forms(const ir::Attributes& attributes,
                                              std::vector<ir::TensorType> results);

}  // namespace ingot::ops
