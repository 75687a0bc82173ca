#include "pass/layout/layout_classes.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "kernel/cost/price.h"
#include "kernel/lower/group.h"
#include "ops/control.h"
#include "pass/call_graph.h"

namespace ingot::pass {

using ir::Op;
using ir::Region;
using ir::Value;
using ops::CallOp;
using ops::FusedOp;
using ops::ScanOp;

// --- orders

Order row_major(int64_t rank) {
  Order order(static_cast<size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

bool is_row_major(const Order& order) {
  return std::is_sorted(order.begin(), order.end());
}

Order inverse(const Order& order) {
  Order result(order.size());
  for (size_t i = 0; i < order.size(); ++i) result[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  return result;
}

ir::TensorType stored_type(const ir::TensorType& type, const Order& order) {
  ir::TensorType stored{type.dtype, {}};
  for (int64_t dim : order) stored.shape.push_back(type.shape[static_cast<size_t>(dim)]);
  return stored;
}

Order without_axis(const Order& stack, int64_t axis) {
  Order slice;
  for (int64_t dim : stack) {
    if (dim != axis) slice.push_back(dim - (dim > axis ? 1 : 0));
  }
  return slice;
}

Order with_axis(const Order& slice, int64_t axis, int64_t place) {
  Order stack;
  for (int64_t dim : slice) stack.push_back(dim + (dim >= axis ? 1 : 0));
  stack.insert(stack.begin() + place, axis);
  return stack;
}

// --- classes

LayoutClasses::LayoutClasses(ir::Module& module) {
  count_runs(module);
  for (auto& function : module.functions()) number(function->body());
  parent_.resize(values_.size());
  std::iota(parent_.begin(), parent_.end(), 0);
  for (auto& function : module.functions()) {
    walk(function->body(), [&](Op& op) {
      if (ops::is_any<ScanOp, CallOp>(op)) join_around(op);
    });
  }
  make_classes();
  for (auto& function : module.functions()) add_links_and_ops(function->body());
}

void LayoutClasses::count_runs(ir::Module& module) {
  const CallGraph graph(module);
  std::vector<ir::Function*> order = graph.callees_first();
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    ir::Function* function = *it;
    double times = function == module.entry() ? 1 : 0;
    bool open = function == module.entry() || graph.calls_of(function).empty();
    for (const Op* call : graph.calls_of(function)) {
      if (auto at = times_.find(call->parent()); at != times_.end()) times += at->second;  // not in a kernel
      open = open || !ops::is<CallOp>(*call);
    }
    is_open_[&function->body()] = open;
    count_runs(function->body(), times);
  }
}

void LayoutClasses::count_runs(Region& region, double times) {
  times_[&region] = times;
  for (auto& op : region.ops()) {
    if (const auto loop = ops::as<ScanOp>(*op))
      count_runs(loop->body(), times * static_cast<double>(loop->length()));
    if (ops::is<ops::WhileOp>(*op)) count_runs_apart(*op, times * kernel::kSomeSteps);
    if (ops::is<ops::CondOp>(*op)) count_runs_apart(*op, times / op->region_count());
  }
}

void LayoutClasses::count_runs_apart(Op& op, double times) {
  for (int r = 0; r < op.region_count(); ++r) {
    is_open_[&op.region(r)] = true;
    count_runs(op.region(r), times);
  }
}

void LayoutClasses::number(Region& region) {
  const auto add = [&](Value* value) {
    class_of_[value] = static_cast<int>(values_.size());
    values_.push_back(value);
  };
  for (Value* argument : region.arguments()) add(argument);
  for (auto& op : region.ops()) {
    for (Value* result : op->results()) add(result);
    if (!ops::runs_regions(*op)) continue;
    for (int r = 0; r < op->region_count(); ++r) number(op->region(r));
  }
}

int LayoutClasses::root(int i) {
  auto& parent = parent_[static_cast<size_t>(i)];
  return parent == i ? i : parent = root(parent);
}

void LayoutClasses::join(const Value* a, const Value* b) {
  const int i = root(class_of_.at(a)), j = root(class_of_.at(b));
  parent_[static_cast<size_t>(std::max(i, j))] = std::min(i, j);
}

void LayoutClasses::join_around(Op& op) {
  if (times_.count(op.parent()) == 0) return;  // in a kernel
  if (const auto call = ops::as<CallOp>(op)) {
    const Region& body = call->callee().body();
    for (int i = 0; i < op.operand_count(); ++i) join(op.operand(i), body.argument(i));
    for (int i = 0; i < op.result_count(); ++i) join(op.result(i), body.results()[static_cast<size_t>(i)]);
    return;
  }
  const ScanOp loop(op);
  for (const ScanOp::Invariant& invariant : loop.invariants()) join(invariant.value, invariant.argument);
  for (const ScanOp::Carry& carry : loop.carries()) {
    for (const Value* same : {carry.argument, carry.next, carry.result}) join(carry.initial, same);
  }
}

bool LayoutClasses::is_held_by(const ir::Use& use) const {
  const Op& op = *use.op;
  if (op.is_return()) return is_open_.count(op.parent()) > 0 && is_open_.at(op.parent());
  return !ops::is_any<FusedOp, ScanOp, CallOp>(op);
}

bool LayoutClasses::is_held(const Value& value) const {
  if (const Op* op = value.op(); op != nullptr) {
    if (!ops::is_any<FusedOp, ScanOp, CallOp>(*op)) return true;
  } else if (auto open = is_open_.find(value.region()); open != is_open_.end() && open->second) {
    return true;
  }
  return std::any_of(value.uses().begin(), value.uses().end(),
                     [&](const ir::Use& use) { return is_held_by(use); });
}

int LayoutClasses::of(const Value* value) const {
  const auto it = class_of_.find(value);
  return it == class_of_.end() ? -1 : it->second;
}

void LayoutClasses::make_classes() {
  std::vector<int> number_of(values_.size(), -1);
  for (size_t i = 0; i < values_.size(); ++i) {
    int& number = number_of[static_cast<size_t>(root(static_cast<int>(i)))];
    if (number < 0) {
      number = static_cast<int>(classes_.size());
      classes_.emplace_back();
    }
    class_of_[values_[i]] = number;
    Class& own = classes_[static_cast<size_t>(number)];
    own.members.push_back(values_[i]);
    own.fixed = own.fixed || is_held(*values_[i]);
  }
}

void LayoutClasses::add_links_and_ops(Region& region) {
  const auto touch = [&](Value* value, Op& op) {
    Class& own = classes_[static_cast<size_t>(of(value))];
    if (own.ops.empty() || own.ops.back() != &op) own.ops.push_back(&op);
    own.visits += times(op) * static_cast<double>(element_count(value->shape()));
  };
  const auto link = [&](Value* stack, int64_t axis, Value* slice) {
    for (int number : {of(stack), of(slice)})
      classes_[static_cast<size_t>(number)].links.push_back(static_cast<int>(links_.size()));
    links_.push_back({of(stack), axis, of(slice)});
  };
  for (auto& op : region.ops()) {
    if (ops::is<FusedOp>(*op)) {
      for (Value* operand : op->operands()) touch(operand, *op);
      for (Value* result : op->results()) touch(result, *op);
    } else if (const auto loop = ops::as<ScanOp>(*op)) {
      for (const ScanOp::Scanned& x : loop->scanned()) {
        touch(x.array, *op);
        link(x.array, x.axis, x.slice);
      }
      for (const ScanOp::Stack& y : loop->stacks()) {
        touch(y.whole, *op);
        link(y.whole, y.axis, y.slice);
      }
      add_links_and_ops(loop->body());
    } else if (ops::runs_regions(*op)) {
      for (int r = 0; r < op->region_count(); ++r) add_links_and_ops(op->region(r));
    }
  }
}

// --- an order for each

Orders::Orders(const LayoutClasses& classes) : classes_(&classes) {
  for (const LayoutClasses::Class& one : classes.all()) orders_.push_back(row_major(one.rank()));
}

const Order* Orders::of(const Value* value) const {
  const int number = classes_->of(value);
  return number < 0 || !moved(number) ? nullptr : &of(number);
}

Order Orders::exchange(int number, Order order) {
  return std::exchange(orders_[static_cast<size_t>(number)], std::move(order));
}

}  // namespace ingot::pass
