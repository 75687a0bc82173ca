// sum_in_steps: a small product over all steps of a loop is summed up where the loop takes them.
//
//   x, as = scan: x' = f(x), stack a    ->    x, s = scan(0; bs): x' = f(x), s' = s + a * b
//   sum(as . bs)                              sum(s)
//
// So it is with gradients of the few parameters that all members of a batch share: each step multiplies what
// it makes with what the forward loop has stacked, and a contraction over steps and batch is hoisted out of
// the loop. A product of few elements takes as long as its factors take from memory. The loop has one of them
// in registers, so that it sums up there, for each point of what else is contracted, and no factor is stacked
// for the product alone. `sum_products` does the opposite for products that are blocked as a whole.
//
// Done where loops are kernels before and after, for stacks that no near cache holds.

#include <algorithm>
#include <optional>

#include "ir/builder.h"
#include "kernel/cost/table.h"
#include "ops/control.h"
#include "ops/kinds.h"
#include "ops/make.h"
#include "pass/find_ops.h"
#include "pass/fusion/fusion_groups.h"
#include "pass/passes.h"
#include "pass/replace.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Region;
using ir::Value;
using ops::ScanOp;

class StepSums {
 public:
  StepSums(Op& op, PassContext& context) : op_(&op), context_(context) {}

  bool run() {
    bool changed = false;
    while (sum_one()) changed = true;
    return changed;
  }

 private:
  struct Factor {
    Value* array = nullptr;  // that the loop is to go through, or null: the slice of a stack of its own
    int stack = -1;
    int64_t axis = 0;  // of the steps
  };
  struct Product {
    Op* op;
    Factor factors[2];
    int gone;  // the stack that nothing else reads
  };

  bool sum_one() {
    const ScanOp loop(*op_);
    if (loop.form().active || loop.form().running || loop.length() < 2) return false;
    for (const ScanOp::Stack& stack : loop.stacks()) {
      const std::optional<Product> product = product_of(loop, stack);
      if (!product || !why_no_kernel(*op_, context_.candidates()).empty()) continue;
      Op* fresh = make_loop(loop, *product);
      if (!why_no_kernel(*fresh, context_.candidates()).empty() || !context_.may("sum", *product->op)) {
        erase_attempt(*fresh);
        continue;
      }
      use(*fresh, *product);
      return true;
    }
    return false;
  }

  // The small product, over all steps, of a stack that is made for it alone.
  std::optional<Product> product_of(const ScanOp& loop, const ScanOp::Stack& stack) const {
    const DType dtype = stack.whole->dtype();
    if (stack.whole->uses().size() != 1 || stack.whole->type().bytes() <= prices::kSmallCache ||
        (dtype != DType::kF32 && dtype != DType::kF64))
      return std::nullopt;
    Op* op = stack.whole->uses().front().op;
    if (!ops::is<ops::DotGeneralOp>(*op) || op->parent() != op_->parent()) return std::nullopt;
    const ops::DotForm form = ops::DotForm::of(op->attributes());
    if (!form.batch[0].empty() || element_count(op->result()->shape()) > prices::kMostStepSums ||
        op->result()->dtype() != dtype || op->operand(0) == op->operand(1))
      return std::nullopt;
    const size_t side = op->operand(0) == stack.whole ? 0 : 1;
    const auto at = std::find(form.contract[side].begin(), form.contract[side].end(), stack.axis);
    if (at == form.contract[side].end()) return std::nullopt;
    const int64_t axis = form.contract[1 - side][static_cast<size_t>(at - form.contract[side].begin())];
    Product product{op, {}, stack.whole->index() - loop.carry_count()};
    product.factors[side] = {nullptr, product.gone, stack.axis};
    Value* other = op->operand(static_cast<int>(1 - side));
    Factor& factor = product.factors[1 - side];
    factor = {other, -1, axis};
    if (other->dtype() != dtype) return std::nullopt;
    if (other->op() == op_) {
      factor = {nullptr, other->index() - loop.carry_count(), axis};
      if (factor.stack < 0 || loop.stack(factor.stack).axis != axis) return std::nullopt;
    } else if (other->op() != nullptr && !is_before_loop(*other->op())) {
      return std::nullopt;
    }
    return product;
  }

  bool is_before_loop(const Op& op) const {
    for (const auto& one : op_->parent()->ops()) {
      if (one.get() == &op) return true;
      if (one.get() == op_) return false;
    }
    return false;
  }

  Op* make_loop(const ScanOp& loop, const Product& product) {
    names_ = {};
    ops::ScanForm form = loop.form();
    std::unique_ptr<Region> step = op_->function()->make_region();
    ir::Builder outside(*op_->parent(), op_), inside(*step);
    outside.set_provenance(product.op->provenance().derived("sum_in_steps", std::string(op_->name())));
    inside.set_provenance(outside.provenance());
    std::vector<Value*> operands;
    ir::ValueMap map;
    const auto add = [&](Value* operand, const ir::TensorType& type, const std::string& name) {
      operands.push_back(operand);
      return step->add_argument(type, name);
    };
    const auto add_same = [&](Value* operand, const Value* argument) {
      map[argument] = add(operand, argument->type(), argument->name());
      names_.add(map.at(argument), argument);
    };
    for (const ScanOp::Carry& carry : loop.carries()) add_same(carry.initial, carry.argument);
    const Shape sums = sums_of(product);
    zero_ = outside.constant(Tensor(product.op->result()->dtype(), {}));
    Value* nothing = make::spread(outside, zero_, sums);
    Value* sum = add(nothing, nothing->type(), product.op->result()->name());
    for (const ScanOp::Scanned& scanned : loop.scanned()) add_same(scanned.array, scanned.slice);
    Value* slices[2] = {};
    for (size_t side = 0; side < 2; ++side) {
      const Factor& factor = product.factors[side];
      if (factor.array == nullptr) continue;
      Shape slice = factor.array->shape();
      slice.erase(slice.begin() + factor.axis);
      slices[side] = add(factor.array, {factor.array->dtype(), slice}, factor.array->name());
      form.xs_axes.push_back(factor.axis);
    }
    for (const ScanOp::Invariant& invariant : loop.invariants())
      add_same(invariant.value, invariant.argument);
    for (const auto& op : loop.body().ops()) {
      if (!op->is_return()) names_.add(*ir::clone_op(*op, *step, map), *op, true);
    }
    std::vector<Value*> results;
    for (const ScanOp::Carry& carry : loop.carries()) results.push_back(map.at(carry.next));
    Value* factors[2] = {};
    for (size_t side = 0; side < 2; ++side) {
      const int stack = product.factors[side].stack;
      Value* slice = stack < 0 ? slices[side] : map.at(loop.stack(stack).slice);
      factors[side] = spread_factor(inside, slice, product, side, sums);
    }
    results.push_back(make::add(inside, {sum, make::mul(inside, {factors[0], factors[1]})}));
    for (const ScanOp::Stack& stack : loop.stacks()) {
      if (stack.whole->index() - loop.carry_count() != product.gone) results.push_back(map.at(stack.slice));
    }
    step->set_results(results);
    ++form.carries;
    form.ys_axes.erase(form.ys_axes.begin() + product.gone);
    std::vector<std::unique_ptr<Region>> regions;
    regions.push_back(std::move(step));
    outside.set_provenance(op_->provenance());
    return outside.make("scan", operands, form.attributes(), std::move(regions));
  }

  // What the product gives, and behind that what it contracts besides steps.
  static Shape sums_of(const Product& product) {
    Shape sums = product.op->result()->shape();
    const Shape& shape = product.op->operand(0)->shape();
    for (const int64_t d : ops::DotForm::of(product.op->attributes()).contract[0]) {
      if (d != product.factors[0].axis) sums.push_back(shape[static_cast<size_t>(d)]);
    }
    return sums;
  }

  // The slice of one side, along these dimensions.
  static Value* spread_factor(ir::Builder& builder, Value* slice, const Product& product, size_t side,
                              const Shape& sums) {
    const ops::DotForm form = ops::DotForm::of(product.op->attributes());
    const ir::IntList& contract = form.contract[side];
    const int64_t axis = product.factors[side].axis, rank = slice->rank() + 1;
    const int64_t given = product.op->result()->rank();
    const int64_t own = rank - static_cast<int64_t>(contract.size());  // dimensions that it gives
    int64_t free = side == 0 ? 0 : given - own;
    ir::IntList order, dims;
    for (int64_t d = 0; d < rank; ++d) {  // those that the product gives come first
      if (std::count(contract.begin(), contract.end(), d) > 0) continue;
      order.push_back(d - (d > axis ? 1 : 0));
      dims.push_back(free++);
    }
    int64_t behind = given;
    for (const int64_t d : contract) {
      if (d == axis) continue;
      order.push_back(d - (d > axis ? 1 : 0));
      dims.push_back(behind++);
    }
    if (!std::is_sorted(order.begin(), order.end())) slice = make::transpose(builder, slice, order);
    return slice->shape() == sums ? slice : make::broadcast(builder, slice, sums, dims);
  }

  void use(Op& fresh, const Product& product) {
    const ScanOp loop(*op_);
    ir::Function* function = op_->function();
    std::vector<std::pair<Value*, std::string>> names;
    const auto replace = [&](Value* value, Value* by) {
      names.emplace_back(by, value->name());
      value->replace_all_uses_with(by);
    };
    ir::Builder builder(*op_->parent(), op_);
    builder.set_provenance(product.op->provenance().derived("sum_in_steps", std::string(op_->name())));
    Value* sums = fresh.result(loop.carry_count());
    ir::IntList axes;
    for (int64_t d = product.op->result()->rank(); d < sums->rank(); ++d) axes.push_back(d);
    Value* total = axes.empty() ? sums : make::reduce(builder, &make::add, {sums, zero_}, axes);
    replace(product.op->result(), total);
    product.op->erase();
    int next = 0;
    for (int i = 0; i < op_->result_count(); ++i, ++next) {
      if (i == loop.carry_count()) ++next;
      if (i == loop.carry_count() + product.gone)
        --next;
      else
        replace(op_->result(i), fresh.result(next));
    }
    op_->erase();
    for (const auto& [value, name] : names) function->rename(value, name);
    names_.give_back(*function);
    op_ = &fresh;
  }

  Op* op_;
  PassContext& context_;
  Value* zero_ = nullptr;  // what sums begin with
  NamesToKeep names_;      // of what the loop's step does
};

class SumInSteps : public Pass {
 public:
  std::string_view name() const override { return "sum_in_steps"; }
  std::string_view why() const override {
    return "Sums up small products over the steps of a loop in the loop; it looks at loops as they are to be "
           "kernels, behind split_loops.";
  }

  bool run(ir::Module& module, PassContext& context) override {
    bool changed = false;
    for (Op* loop : find_ops(module, [](const Op& op) { return ops::is<ops::ScanOp>(op); }))
      changed |= StepSums(*loop, context).run();
    return changed;
  }
};

}  // namespace

std::unique_ptr<Pass> make_sum_in_steps() {
  return std::make_unique<SumInSteps>();
}

}  // namespace ingot::pass
