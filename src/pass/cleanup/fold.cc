// Constant folding, through the interpreter: an operation on constants becomes a constant.
//
// A constant whose elements are all equal is always a scalar constant and a broadcast, so that it costs no
// memory and equal constants look equal. A literal never becomes larger than 64 elements or its largest
// input; broadcasts that repeat, and iotas, are index maps already and stay.
//
// Rules: `splat` takes equal elements apart into scalar and broadcast; `fold_splat` computes an element-wise
// operation on such constants once; `fold_view` does the same for views; `fold` evaluates everything else;
// `empty` replaces what has no elements; `sink_constant` moves a scalar constant into the loop or the
// branches that read it, where more can be folded; `branch`, `no_step` and `known_steps` replace branches
// and loops about which constants decide (fold_control.h).

#include <algorithm>
#include <cstring>
#include <optional>

#include "interpreter/interpreter.h"
#include "ir/builder.h"
#include "ir/op_record.h"
#include "kernel/lower/group.h"
#include "ops/control.h"
#include "ops/host_call.h"
#include "ops/kinds.h"
#include "ops/make.h"
#include "ops/support.h"
#include "pass/call_graph.h"
#include "pass/cleanup/fold_control.h"
#include "pass/passes.h"
#include "pass/replace.h"
#include "pass/scan_layout.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Region;
using ir::Value;

constexpr int64_t kSmallLiteral = 64;    // elements that a result may always have
constexpr int64_t kCheapInputs = 65536;  // elements of the operands of element-wise operations and views
constexpr int64_t kCostlyInputs = 4096;  // of contractions, reductions and loops, which read them many times

bool is_literal(const Op& op) {
  return std::holds_alternative<ir::Literal>(*op.record().becomes);
}
bool is_view(const Op& op) {
  return std::holds_alternative<ir::View>(*op.record().becomes);
}
bool is_scalar_recipe(const Op& op) {
  return std::holds_alternative<ir::ScalarRecipe>(*op.record().becomes);
}

const Tensor* literal_of(const Value* value) {
  return value->op() != nullptr && is_literal(*value->op()) ? &ops::ConstantOp(*value->op()).value()
                                                            : nullptr;
}

// The one element of a scalar constant or of a broadcast of one.
const Tensor* splat_of(const Value* value) {
  if (ops::is<ops::BroadcastOp>(value)) value = value->op()->operand(0);
  const Tensor* literal = literal_of(value);
  return literal != nullptr && literal->shape().empty() ? literal : nullptr;
}

// Whether it is an index map already: a broadcast of a scalar, or one that repeats a literal. Others of a
// literal add dimensions of size 1 alone, which is a view, and one of a broadcast scalar is that scalar,
// broadcast.
bool is_index_map(const Op& op) {
  if (!ops::is<ops::BroadcastOp>(op)) return false;
  const Value* from = op.operand(0);
  return from->shape().empty() ||
         (splat_of(from) == nullptr && op.result()->type().elements() > from->type().elements());
}

Tensor first_element(const Tensor& tensor) {
  Tensor scalar(tensor.dtype(), {});
  std::memcpy(scalar.raw(), tensor.raw(), scalar.bytes());
  return scalar;
}

Tensor filled(const Tensor& scalar, const Shape& shape) {
  Tensor tensor(scalar.dtype(), shape);
  for (size_t at = 0; at < tensor.bytes(); at += scalar.bytes()) {
    std::memcpy(tensor.raw() + at, scalar.raw(), scalar.bytes());
  }
  return tensor;
}

// The results of an operation like `op` for these operands, whose shapes may be others than op's.
std::vector<Tensor> evaluate(const Op& op, const std::vector<Tensor>& operands) {
  ir::Module module;
  ir::Function* function = module.add_function("constant");
  std::vector<Value*> arguments;
  for (const Tensor& operand : operands) {
    arguments.push_back(function->body().add_argument({operand.dtype(), operand.shape()}));
  }
  std::vector<std::unique_ptr<Region>> regions;
  for (int i = 0; i < op.region_count(); ++i) {
    regions.push_back(function->make_region());
    clone_region(op.region(i), *regions.back());
  }
  ir::Builder builder(function->body());
  Op* copy = builder.make(op.name(), arguments, op.attributes(), std::move(regions));
  function->body().set_results(copy->results());
  return interpret(*function, operands);
}

// Calls are for inline to expand, and long or nested loops would make the compiler slow, as would large
// values inside of a loop. A while may never end.
bool worth_evaluating(const Op& op) {
  if (ops::has_callee(op) || ops::is_any<ops::FusedOp, ops::WhileOp, ops::CustomCallOp>(op)) return false;
  if (const auto scan = ops::as<ops::ScanOp>(op); scan && scan->length() > kSmallLiteral) return false;
  for (int i = 0; i < op.region_count(); ++i) {
    for (const auto& inner : op.region(i).ops()) {
      if (inner->region_count() > 0 || ops::has_callee(*inner) || ops::is<ops::CustomCallOp>(*inner))
        return false;
      for (const Value* result : inner->results()) {
        if (result->type().elements() > kCostlyInputs) return false;
      }
    }
  }
  return true;
}

class Folder {
 public:
  explicit Folder(PassContext& context) : context_(context) {}

  bool run(Region& region) {
    // New operations are made before the one that they replace, so the walk never meets them, but for those
    // of a branch or of steps, which are constants as often as not.
    for (auto it = region.ops().begin(); it != region.ops().end();) {
      Op* op = it->get();
      const bool first = it == region.ops().begin();
      const auto before = first ? it : std::prev(it);
      ++it;
      if (op->is_return()) continue;
      sink_constants(*op);
      for (int i = 0; i < op->region_count(); ++i) run(op->region(i));
      if (op->used() && visit(*op)) it = first ? region.ops().begin() : std::next(before);
    }
    return changed_;
  }

 private:
  // Whether operations that are to be visited, too, have taken its place.
  bool visit(Op& op) {
    if (is_literal(op)) {
      split_literal(op);
    } else if (fold_control(op, context_)) {
      return changed_ = true;
    } else if (!fold_empty(op) && op.operand_count() > 0 && !is_index_map(op) && !fold_splat(op)) {
      fold(op);
    }
    return false;
  }

  void split_literal(Op& op) {
    const Tensor& value = ops::ConstantOp(op).value();
    if (value.shape().empty() || !ops::is_uniform(value) || !context_.may("splat", op)) return;
    replace(op, {value});
  }

  bool fold_empty(Op& op) {
    std::vector<Tensor> values;
    for (const Value* result : op.results()) {
      if (result->type().elements() > 0) return false;
      values.emplace_back(result->dtype(), result->shape());
    }
    if (!context_.may("empty", op)) return false;
    replace(op, values);
    return true;
  }

  bool fold_splat(Op& op) {
    if (!is_scalar_recipe(op) && !is_view(op)) return false;
    std::vector<Tensor> scalars;
    for (const Value* operand : op.operands()) {
      const Tensor* scalar = splat_of(operand);
      if (scalar == nullptr) return false;
      scalars.push_back(*scalar);
    }
    const Shape& shape = op.result()->shape();
    if (is_view(op)) {
      bool same =
          std::all_of(scalars.begin(), scalars.end(), [&](const Tensor& s) { return s == scalars[0]; });
      if (!same || !context_.may("fold_view", op)) return false;
      replace_by_splat(op, scalars[0], shape);
    } else {
      if (!context_.may("fold_splat", op)) return false;
      replace_by_splat(op, evaluate(op, scalars)[0], shape);
    }
    return true;
  }

  void fold(Op& op) {
    bool cheap = is_scalar_recipe(op) || is_view(op);
    if (!cheap && !worth_evaluating(op)) return;
    int64_t inputs = 0, largest = kSmallLiteral, results = 0;
    for (const Value* operand : op.operands()) {
      const Tensor* literal = literal_of(operand);
      if (literal == nullptr && splat_of(operand) == nullptr) return;
      if (literal != nullptr) largest = std::max(largest, literal->size());
      inputs += operand->type().elements();
    }
    for (const Value* result : op.results()) results = std::max(results, result->type().elements());
    if (inputs > (cheap ? kCheapInputs : kCostlyInputs) || results > largest) return;
    if (!context_.may("fold", op)) return;
    std::vector<Tensor> operands;
    for (const Value* operand : op.operands()) {
      const Tensor* literal = literal_of(operand);
      operands.push_back(literal != nullptr ? *literal : filled(*splat_of(operand), operand->shape()));
    }
    replace(op, evaluate(op, operands));
  }

  // Replaces what a loop or its branches read of a scalar constant by one of their own. The operand is left
  // for dce.
  void sink_constants(Op& op) {
    if (const auto scan = ops::as<ops::ScanOp>(op)) {
      for (const auto& [value, argument] : scan->invariants()) sink_constant(op, value, {argument});
    } else if (const auto loop = ops::as<ops::WhileOp>(op)) {
      for (const auto& [value, asked, argument] : loop->invariants())
        sink_constant(op, value, {asked, argument});
    } else if (const auto cond = ops::as<ops::CondOp>(op)) {
      for (int i = 0; i < cond->argument_count(); ++i) {
        std::vector<Value*> arguments;
        for (int b = 0; b < cond->branch_count(); ++b) arguments.push_back(cond->branch(b).argument(i));
        sink_constant(op, cond->argument(i), arguments);
      }
    }
  }

  void sink_constant(Op& op, const Value* value, const std::vector<Value*>& arguments) {
    const Tensor* scalar = splat_of(value);
    const bool read = std::any_of(arguments.begin(), arguments.end(), [](Value* a) { return a->used(); });
    if (scalar == nullptr || !read || !context_.may("sink_constant", op)) return;
    for (Value* argument : arguments) {
      if (!argument->used()) continue;
      made_.clear();
      Region& region = *argument->region();
      Value* inner = make_splat(region, region.ops().front().get(), op, *scalar, argument->shape());
      argument->replace_all_uses_with(inner);
    }
    changed_ = true;
  }

  Value* make_splat(Region& region, Op* before, const Op& origin, const Tensor& scalar, const Shape& shape) {
    ir::Builder builder(region, before);
    builder.set_provenance(origin.provenance().derived("fold", std::string(origin.name())));
    Value* value = builder.constant(scalar);
    if (!shape.empty()) value = make::spread(builder, value, shape);
    made_.push_back(value->op());
    return value;
  }

  void replace_by_splat(Op& op, const Tensor& scalar, const Shape& shape) {
    made_.clear();
    Value* value = make_splat(*op.parent(), &op, op, scalar, shape);
    changed_ = true;
    replace_op(&op, {&value, 1}, made_);
  }

  void replace(Op& op, const std::vector<Tensor>& results) {
    made_.clear();
    std::vector<Value*> values;
    for (const Tensor& result : results) {
      if (!result.shape().empty() && ops::is_uniform(result)) {
        values.push_back(make_splat(*op.parent(), &op, op, first_element(result), result.shape()));
        continue;
      }
      ir::Builder builder(*op.parent(), &op);
      builder.set_provenance(op.provenance().derived("fold", std::string(op.name())));
      values.push_back(builder.constant(result));
      made_.push_back(values.back()->op());
    }
    changed_ = true;
    replace_op(&op, values, made_);
  }

  PassContext& context_;
  std::vector<Op*> made_;  // for the operation at hand
  bool changed_ = false;
};

class Fold : public Pass {
 public:
  std::string_view name() const override { return "fold"; }
  std::string_view why() const override {
    return "Computes what depends on constants alone, without ever making large literals; it follows inline, "
           "which "
           "brings constants of the caller to operations of the callee.";
  }
  bool run(ir::Module& module, PassContext& context) override {
    bool changed = false;
    for (const auto& function : module.functions()) changed |= Folder(context).run(function->body());
    return changed;
  }
};

}  // namespace

std::unique_ptr<Pass> make_fold() {
  return std::make_unique<Fold>();
}

}  // namespace ingot::pass
