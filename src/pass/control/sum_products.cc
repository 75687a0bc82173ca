// sum_products: products that the steps of a scan add up are one product behind it.
//
//   x, s = scan: x' = f(x), s' = s + a . b    ->    x, as, bs = scan: x' = f(x), stack a, b
//                                                   s = s0 + as . bs
//
// So it is with the gradients of weights on the way back through a loop. A product of all steps at once is
// blocked as a whole, and its sum does not go through memory once a step; a kernel that takes the steps in
// registers would compute a product element by element. What the loop goes through or stacks is there; a
// factor that the step makes is, if that is no more than the arrays which it goes through anyway.

#include <algorithm>
#include <optional>

#include "ir/builder.h"
#include "ir/unused.h"
#include "kernel/lower/group.h"
#include "ops/control.h"
#include "ops/kinds.h"
#include "ops/make.h"
#include "pass/find_ops.h"
#include "pass/passes.h"
#include "pass/replace.h"
#include "pass/scan_layout.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Value;

class SumsOfSteps {
 public:
  SumsOfSteps(Op& op, PassContext& context) : op_(&op), context_(context) {}

  bool run() {
    bool changed = false;
    for (std::optional<Sum> sum = find(); sum; sum = op_ == nullptr ? std::nullopt : find()) {
      take_out(*sum);
      changed = true;
    }
    return changed;
  }

 private:
  struct Sum {
    int carry;
    Op* product;
  };

  std::optional<Sum> find() {
    const ops::ScanOp loop(*op_);
    if (loop.form().active || loop.form().running || loop.length() < 2) return std::nullopt;
    for (const ops::ScanOp::Carry& carry : loop.carries()) {
      const Op* add = ops::made_by<ops::AddOp>(carry.next);
      if (add == nullptr || carry.argument->uses().size() != 1 || carry.next->uses().size() != 1) continue;
      const int side = add->operand(0) == carry.argument ? 1 : 0;
      if (add->operand(1 - side) != carry.argument) continue;
      Op* product = add->operand(side)->op();
      if (product == nullptr || !ops::is<ops::DotGeneralOp>(*product) || product->parent() != &loop.body() ||
          product->result()->uses().size() != 1)
        continue;
      if (!fits_in_registers(*product) && can_be_stacked(loop, *product) && context_.may("product", *op_))
        return Sum{carry.argument->index(), product};
    }
    return std::nullopt;
  }

  // A kernel sums up little of each product of a batch where it takes the steps.
  static bool fits_in_registers(const Op& product) {
    int64_t elements = element_count(product.result()->shape());
    const size_t batch = ops::DotForm::of(product.attributes()).batch[0].size();
    for (size_t d = 0; d < batch; ++d) elements /= std::max<int64_t>(product.result()->shape()[d], 1);
    return elements <= kernel::kMaxUnrolledElements;
  }

  // The number of the argument, if the value is what a step sees of a scanned array; else -1.
  static int scanned(const ops::ScanOp& loop, const Value* value) {
    if (value->op() != nullptr || !loop.is_scanned(value->index())) return -1;
    return value->index();
  }

  static bool is_stacked(const ops::ScanOp& loop, const Value* value) {
    const std::vector<ops::ScanOp::Stack> stacks = loop.stacks();
    return std::any_of(stacks.begin(), stacks.end(), [&](const auto& stack) { return stack.slice == value; });
  }

  static bool can_be_stacked(const ops::ScanOp& loop, const Op& product) {
    int64_t fresh = 0, there = 0;
    for (const Value* factor : product.operands()) {
      if (factor->op() == nullptr && loop.is_invariant(factor->index())) return false;
      if (scanned(loop, factor) < 0 && !is_stacked(loop, factor))
        fresh += loop.length() * factor->type().bytes();
    }
    for (const ops::ScanOp::Scanned& one : loop.scanned()) there += one.array->type().bytes();
    for (const ops::ScanOp::Stack& one : loop.stacks()) there += one.whole->type().bytes();
    return fresh <= there;
  }

  void take_out(const Sum& sum) {
    const ops::ScanOp loop(*op_);
    ops::ScanForm form = loop.form();
    ir::Region& body = loop.body();
    const ops::ScanOp::Carry carry = loop.carry(sum.carry);

    // Where each factor lies, of all steps: an operand, or a result to come.
    struct Factor {
      Value* array = nullptr;
      int result = -1;
      int64_t axis = 0;  // of the steps
    };
    std::vector<Factor> factors;
    std::vector<Value*> results(body.results().begin(), body.results().end());
    for (Value* factor : sum.product->operands()) {
      if (const int at = scanned(loop, factor); at >= 0) {
        factors.push_back({op_->operand(at), -1, loop.scanned_axis(at)});
        continue;
      }
      const auto stacks = results.begin() + loop.carry_count();
      const auto found = std::find(stacks, results.end(), factor);
      if (found == results.end()) {
        results.push_back(factor);
        form.ys_axes.push_back(0);
        factors.push_back({nullptr, static_cast<int>(results.size()) - 1, 0});
      } else {
        factors.push_back({nullptr, static_cast<int>(found - results.begin()),
                           form.ys_axes[static_cast<size_t>(found - stacks)]});
      }
    }
    results[static_cast<size_t>(sum.carry)] = carry.argument;

    ops::DotForm dims = ops::DotForm::of(sum.product->attributes());
    for (size_t side = 0; side < 2; ++side) {
      const int64_t axis = factors[side].axis;
      for (ir::IntList* list : {&dims.batch[side], &dims.contract[side]}) {
        for (int64_t& d : *list) d += d >= axis ? 1 : 0;
      }
      dims.contract[side].insert(dims.contract[side].begin(), axis);
    }
    ir::Attributes attributes = sum.product->attributes();
    dims.write(attributes);

    const ir::Provenance where = sum.product->provenance();
    body.set_results(results);
    std::unique_ptr<ir::Region> step = op_->function()->make_region();
    std::vector<std::pair<Value*, std::string>> names;
    for (Value* argument : body.arguments()) {
      names.emplace_back(step->add_argument(argument->type()), argument->name());
      argument->replace_all_uses_with(names.back().first);
    }
    results.assign(body.results().begin(), body.results().end());
    body.set_results({});
    move_ops(body, *step);
    step->set_results(results);
    ir::erase_unused(*step);

    ir::Builder builder(*op_->parent(), op_);
    builder.set_provenance(op_->provenance());
    const std::vector<Value*> operands(op_->operands().begin(), op_->operands().end());
    std::vector<std::unique_ptr<ir::Region>> regions;
    regions.push_back(std::move(step));
    Op* fresh = builder.make("scan", operands, form.attributes(), std::move(regions));
    builder.set_provenance(where.derived("sum_products", std::string(op_->name())));
    const auto array_of = [&](const Factor& f) {
      return f.array != nullptr ? f.array : fresh->result(f.result);
    };
    Value* total = builder.value("dot_general", {array_of(factors[0]), array_of(factors[1])}, attributes);
    Value* all = make::add(builder, {carry.initial, total});
    std::vector<Value*> values;
    for (int i = 0; i < op_->result_count(); ++i) values.push_back(i == sum.carry ? all : fresh->result(i));
    ir::Function* function = op_->function();
    Op* const made[] = {fresh, all->op()};
    replace_op(op_, values, made);
    for (const auto& [value, name] : names) function->rename(value, name);
    op_ = rebuild_scan(*fresh, without_constant_carries(*fresh));
    if (op_->result_count() > 0) return;
    op_->erase();
    op_ = nullptr;
  }

  Op* op_;
  PassContext& context_;
};

class SumProducts : public Pass {
 public:
  std::string_view name() const override { return "sum_products"; }
  std::string_view why() const override {
    return "Makes one product of those that the steps of a scan add up, as they do for the gradients of "
           "weights; it looks at loops as algebra has left them, and comes before it is asked what kernels "
           "hold.";
  }

  bool run(ir::Module& module, PassContext& context) override {
    const std::vector<Op*> loops = find_ops(module, [](const Op& op) { return ops::is<ops::ScanOp>(op); });
    bool changed = false;
    for (auto it = loops.rbegin(); it != loops.rend(); ++it) changed |= SumsOfSteps(**it, context).run();
    return changed;
  }
};

}  // namespace

std::unique_ptr<Pass> make_sum_products() {
  return std::make_unique<SumProducts>();
}

}  // namespace ingot::pass
