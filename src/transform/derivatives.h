// Derivatives of functions: jvp, linearisation and transpose, each made once per function of a module and
// kind of use, so that a function that is called a hundred times has one derivative.
//
// All are functions of the same module, IR to IR, made through the rules of the records (ir/derivative.h).
// Reverse mode is `linearize`, then `transpose`. Tangents exist for floating values only; a tangent that is
// zero is none: it is neither an argument nor a result.
//
// A `call` may carry rules of its own: `jvp` names a function (arguments, tangents of the floating ones) ->
// (results, tangents of the floating ones); `vjp_forward` one that returns the results and then residuals,
// with `vjp_backward` (residuals, cotangents of the floating results) -> cotangents of the floating
// arguments; `checkpoint` asks that the callee's residuals are computed anew instead of being kept, but for
// those that `policy` saves (ops/save_policy.h).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "ir/ir.h"
#include "transform/batch_rules.h"
#include "transform/checkpoint.h"

namespace ingot::transform {

using Mask = std::vector<bool>;

// (arguments, tangents of the active ones) -> (results, tangents of those that have one)
struct Jvp {
  ir::Function* function = nullptr;
  Mask result_tangents;
};

struct Linearized {
  ir::Function* forward = nullptr;  // the arguments -> the results, then what else the linear function needs
  ir::Function* linear = nullptr;   // (tangents of the active arguments, residuals) -> tangents
  Mask result_tangents;             // which results have one
  struct Residual {
    bool is_argument;  // of `forward`; else one of its results
    int index;
  };
  std::vector<Residual> residuals;
};

// (cotangents of some results, known arguments) -> cotangents of linear arguments
struct Transposed {
  ir::Function* function = nullptr;
  std::vector<int> known;      // arguments of the linear function that are passed on
  std::vector<int> arguments;  // of the linear function, whose cotangents are the results
};

// A derivative of a call that has a batching rule, with the rule that follows (batch_rules.h).
struct RuledCall {
  ir::Function* function = nullptr;
  std::shared_ptr<const BatchRule> rule;
  std::vector<int> residuals;  // results of the forward function that a linear one takes
};

class Derivatives {
 public:
  // `line`: of what is made for no operation, as the sum of cotangents of an argument that is returned twice.
  // `define` gives a function that is declared in the module its body, where it is asked for.
  using Define = std::function<void(ir::Function& declared)>;
  explicit Derivatives(ir::Module& module, ir::Provenance line = {}, Define define = nullptr)
      : module_(module), line_(std::move(line)), define_(std::move(define)), checkpoints_(module) {}

  const Jvp& jvp(ir::Function* function, const Mask& active);
  // `wanted`: the results whose tangents are needed; empty: all.
  const Linearized& linearize(ir::Function* function, const Mask& active, const Mask& wanted = {});
  // `linear`: which arguments are tangents; `cotangents`: which results have a cotangent that is not zero.
  const Transposed& transpose(ir::Function* function, const Mask& linear, const Mask& cotangents);

  // The same for a call with a batching rule, as one call each. With the forward function of linearize():
  // (operands, residuals, tangents of the active ones) -> tangents of all floating results.
  const RuledCall& linear_call(const ir::Op& call, const Mask& active);
  // (operands that are not linear, cotangents of all floating results) -> cotangents of the linear ones
  const RuledCall& transposed_call(const ir::Op& call, const Mask& linear);

  // Which results may have a tangent if these arguments have one.
  Mask active_results(const ir::Region& region, const Mask& arguments);
  // The same for the carries of a scan or a while, which go round; the mask is over the arguments of its
  // body.
  Mask active_arguments(const ir::Op& loop, const Mask& operands);

  Checkpoints& checkpoints() { return checkpoints_; }
  const ir::Provenance& line() const { return line_; }
  ir::Function* function(const std::string& name);  // of the module, with its body

 private:
  ir::Function* prepared(ir::Function* function);

  using Key = std::tuple<const ir::Function*, Mask, Mask>;
  ir::Module& module_;
  ir::Provenance line_;
  Define define_;
  Checkpoints checkpoints_;
  std::map<Key, std::unique_ptr<Jvp>> jvps_;
  std::map<Key, std::unique_ptr<Linearized>> linearized_;
  std::map<Key, std::unique_ptr<Transposed>> transposed_;
  std::map<std::tuple<int64_t, const ir::Function*, Mask>, RuledCall> linear_calls_, transposed_calls_;
  struct ActiveInLoop {
    Mask arguments, results;  // of a step, once no more carries become active
  };
  ActiveInLoop active_in_loop(const ir::Op& loop, const Mask& operands);
  ActiveInLoop find_active(const ir::Op& loop, Mask operands);

  std::map<std::pair<const ir::Function*, Mask>, Mask> active_results_;
  // While one question is answered: loops in loops are asked about by each step around them.
  std::map<std::pair<const ir::Op*, Mask>, ActiveInLoop> active_loops_;
  int loops_asked_ = 0;
  std::unordered_map<const ir::Function*, ir::Function*> prepared_;
};

// Writes reductions with other combiners than add, max and min as loops, whose derivative is known. True if
// there were any.
bool expand_reductions(ir::Function& function);
// Gathers the floats that sorts give from their places, whose derivative is known. True if there were any.
bool expand_sorts(ir::Function& function);

}  // namespace ingot::transform
