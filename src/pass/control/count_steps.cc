#include "pass/control/count_steps.h"

#include <algorithm>
#include <limits>

#include "ir/builder.h"
#include "ops/control.h"
#include "ops/make.h"
#include "pass/control/number.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Region;
using ir::Value;

// Of the slice at an index vector of one component, along the axis.
ir::Attributes at_index(const Shape& shape, int64_t axis) {
  Shape sizes = shape;
  sizes[static_cast<size_t>(axis)] = 1;
  ir::IntList window;
  for (int64_t d = 0; d + 1 < static_cast<int64_t>(shape.size()); ++d) window.push_back(d);
  return {{"collapsed_slice_dims", ir::IntList{axis}},
          {"index_vector_dim", int64_t{0}},
          {"mode", std::string("clip")},
          {"offset_dims", window},
          {"operand_batching_dims", ir::IntList{}},
          {"slice_sizes", sizes},
          {"start_index_map", ir::IntList{axis}},
          {"start_indices_batching_dims", ir::IntList{}}};
}

}  // namespace

bool holds_a_while(Op& op) {
  const auto scan = ops::as<ops::ScanOp>(op);
  if (!scan || scan->form().active || scan->form().running || scan->length() < 2 ||
      scan->length() >= std::numeric_limits<int32_t>::max())
    return false;
  const auto& ops = scan->body().ops();
  return std::any_of(ops.begin(), ops.end(), [](const auto& inner) { return ops::is<ops::WhileOp>(*inner); });
}

Op* count_steps(Op& op) {
  const ops::ScanOp scan(op);
  ir::Function* function = op.function();
  std::unique_ptr<Region> predicate = function->make_region(), step = function->make_region();
  ir::Builder outside(*op.parent(), &op), inside(*step);
  outside.set_provenance(op.provenance().derived("rotate_loops", std::string(op.name())));
  inside.set_provenance(outside.provenance());
  std::vector<Value*> operands;
  const auto add = [&](Value* operand, const std::string& name) {
    operands.push_back(operand);
    predicate->add_argument(operand->type(), name);
    return step->add_argument(operand->type(), name);
  };
  const int64_t last = scan.length() - 1;
  add(number(outside, 1, DType::kPred), "goes_on");
  Value* now = add(number(outside, scan.reverse() ? last : 0), "step");
  ir::ValueMap map;
  for (const auto& carry : scan.carries()) map[carry.argument] = add(carry.initial, carry.argument->name());
  std::vector<Value*> stacks;
  for (const auto& stack : scan.stacks()) {
    Value* nothing = outside.constant(Tensor(stack.whole->dtype(), {}));
    stacks.push_back(add(make::spread(outside, nothing, stack.whole->shape()), stack.whole->name()));
  }
  ops::WhileForm form;
  form.carries = static_cast<int>(operands.size());
  std::vector<Value*> arrays;
  for (const auto& scanned : scan.scanned()) arrays.push_back(add(scanned.array, scanned.array->name()));
  for (const auto& invariant : scan.invariants())
    map[invariant.argument] = add(invariant.value, invariant.argument->name());

  Value* index = make::reshape(inside, now, {1});
  for (size_t i = 0; i < arrays.size(); ++i) {
    const auto scanned = scan.scanned(static_cast<int>(i));
    map[scanned.slice] =
        inside.value("gather", {arrays[i], index}, at_index(arrays[i]->shape(), scanned.axis));
  }
  for (const auto& inner : scan.body().ops()) {
    if (!inner->is_return()) ir::clone_op(*inner, *step, map);
  }
  Value* next = make::add(inside, {now, number(inside, scan.reverse() ? -1 : 1)});
  Value* goes_on = make::compare(inside, scan.reverse() ? "ge" : "lt",
                                 {next, number(inside, scan.reverse() ? 0 : scan.length())});
  std::vector<Value*> results = {goes_on, next};
  for (const auto& carry : scan.carries()) results.push_back(map.at(carry.next));
  for (size_t i = 0; i < stacks.size(); ++i) {
    const auto stack = scan.stack(static_cast<int>(i));
    ir::Attributes attributes = at_index(stacks[i]->shape(), stack.axis);
    attributes.set("combiner", std::string("set"));
    results.push_back(inside.value("scatter", {stacks[i], index, map.at(stack.slice)}, attributes));
  }
  step->set_results(results);
  predicate->set_results({predicate->argument(0)});
  std::vector<std::unique_ptr<Region>> regions;
  regions.push_back(std::move(predicate));
  regions.push_back(std::move(step));
  return outside.make("while", operands, form.attributes(), std::move(regions));
}

}  // namespace ingot::pass
