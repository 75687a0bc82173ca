#include "pass/layout/layout_region.h"

#include <algorithm>
#include <limits>

#include "ir/builder.h"
#include "ir/structural.h"
#include "kernel/candidates.h"
#include "kernel/cost/table.h"
#include "ops/control.h"
#include "ops/kinds.h"
#include "ops/make.h"

namespace ingot::pass {
namespace {

using ir::IntList;
using ir::Op;
using ir::Region;
using ir::Value;

constexpr double kInfinite = std::numeric_limits<double>::infinity();
// A copy besides the program's own kernels takes memory and a launch, too.
constexpr double kPerCopy = 2;

// `value` with its dimensions in that order, seen through a transpose that it is already.
Value* transposed(ir::Builder& builder, Value* value, Order order) {
  if (const auto view = ops::as<ops::TransposeOp>(value)) {
    for (int64_t& dim : order) dim = view->permutation()[static_cast<size_t>(dim)];
    value = view->op().operand(0);
  }
  return is_row_major(order) ? value : make::transpose(builder, value, order);
}

// The copies that a loop makes of all slices of one buffer, in memory order.
double price_of_slices(const ir::TensorType& stored, int64_t axis) {
  const int64_t outer = element_count(Shape(stored.shape.begin(), stored.shape.begin() + axis));
  if (outer == 1) return 0;
  const int64_t steps = stored.shape[static_cast<size_t>(axis)];
  const double per_byte =
      stored.bytes() <= prices::kSecondLevel / 2 ? prices::kCopiedByteNear : prices::kCopiedByte;
  return static_cast<double>(outer * steps) * prices::kCopiedPiece +
         static_cast<double>(stored.bytes()) * per_byte;
}

// What the loop pays for seeing the value in that order.
double price_sliced(const Value* value, int64_t axis, const Orders& orders) {
  const Order* order = orders.of(value);
  if (order == nullptr) return price_of_slices(value->type(), axis);
  return price_of_slices(stored_type(value->type(), *order),
                         std::find(order->begin(), order->end(), axis) - order->begin());
}

}  // namespace

void reorder_region(const Op& fused, const Orders& orders, Region& to, ir::ValueMap& map) {
  const Region& from = fused.region();
  ir::Builder builder(to);
  std::unordered_map<const Value*, Order> to_logical;  // of arguments that lie in another order
  for (int i = 0; i < from.argument_count(); ++i) {
    const Value* argument = from.argument(i);
    const Order* order = orders.of(fused.operand(i));
    if (order != nullptr) to_logical[argument] = inverse(*order);
    map[argument] = to.add_argument(
        order == nullptr ? argument->type() : stored_type(argument->type(), *order), argument->name());
  }
  const ir::ValueMap stored = map;
  for (const auto& op : from.ops()) {
    if (op->is_return()) continue;
    builder.set_provenance(op->provenance().derived("layout", std::string(op->name())));
    // Each user has a transpose of its own: one that they share would tie their dimensions together.
    bool is_view_of_view = false;
    for (Value* operand : op->operands()) {
      const auto back = to_logical.find(operand);
      if (back == to_logical.end()) continue;
      Order order = back->second;
      const auto view = ops::as<ops::TransposeOp>(*op);
      is_view_of_view = view.has_value();
      if (is_view_of_view) {
        order.clear();
        for (int64_t dim : view->permutation()) order.push_back(back->second[static_cast<size_t>(dim)]);
      }
      map[is_view_of_view ? op->result() : operand] = transposed(builder, stored.at(operand), order);
    }
    if (!is_view_of_view) ir::clone_op(*op, to, map);
  }
  std::vector<Value*> results;
  for (size_t i = 0; i < from.results().size(); ++i) {
    const Value* old = from.results()[i];
    const auto back = to_logical.find(old);
    if (old->op() != nullptr)
      builder.set_provenance(old->op()->provenance().derived("layout", std::string(old->op()->name())));
    Value* value = back == to_logical.end() ? map.at(old) : transposed(builder, stored.at(old), back->second);
    const Order* order = orders.of(fused.result(static_cast<int>(i)));
    if (order != nullptr) value = transposed(builder, value, *order);
    // Transposes that cancelled leave a copy; a kernel returns what it makes, not its arguments.
    if (value->op() == nullptr) value = make::transpose(builder, value, row_major(value->rank()));
    results.push_back(value);
  }
  to.set_results(results);
  for (auto it = to.ops().end(); it != to.ops().begin();) {  // views that others have seen through
    Op* op = std::prev(it)->get();
    if (op->is_return() || op->used()) {
      --it;
    } else {
      std::erase_if(map, [&](const auto& known) { return known.second->op() == op; });
      op->erase();
    }
  }
  for (auto& [argument, order] : to_logical) map[argument] = stored.at(argument);
}

LayoutPrices::LayoutPrices(const LayoutCopies& copies, kernel::Candidates& candidates)
    : copies_(&copies), candidates_(&candidates) {}

kernel::RunningPrice LayoutPrices::of(const Op& op, const Orders& orders) {
  if (const auto loop = ops::as<ops::ScanOp>(op)) {
    double total = 0;
    for (const auto& x : loop->scanned()) total += price_sliced(x.array, x.axis, orders);
    for (const auto& y : loop->stacks()) total += price_sliced(y.whole, y.axis, orders);
    return {total, 0};
  }
  const bool copy = copies_->contains(&op);
  if (copy && is_needless(op, orders)) return {};
  const std::vector<Value*> results = op.results();
  if (std::all_of(results.begin(), results.end(), [](Value* r) { return element_count(r->shape()) == 0; }))
    return {};  // never launched
  Asked asked{0, {}};
  const auto add = [&](const Value* value) {
    if (const Order* order = orders.of(value))
      asked.orders.insert(asked.orders.end(), order->begin(), order->end());
    asked.orders.push_back(-1);
  };
  for (const Value* operand : op.operands()) add(operand);
  for (const Value* result : results) add(result);
  asked.region = structure(op);
  auto [it, fresh] = by_question_.emplace(std::move(asked), kernel::RunningPrice{});
  if (fresh) it->second = price_kernel(op, orders);
  kernel::RunningPrice price = it->second;
  if (copy) price.total *= kPerCopy;
  return price;
}

uint64_t LayoutPrices::structure(const Op& fused) {
  auto [known, unknown] = hashes_.emplace(&fused, 0);
  if (unknown) known->second = ir::structural_hash(fused.region());
  return known->second;
}

kernel::RunningPrice LayoutPrices::price_kernel(const Op& fused, const Orders& orders) {
  try {
    ir::Module module;  // of its own: names that are given once are never free again
    std::unique_ptr<Region> region = module.add_function("prices")->make_region();
    ir::ValueMap map;
    reorder_region(fused, orders, *region, map);
    return candidates_->of(kernel::group_of_region(*region)).price();
  } catch (const kernel::NotFusible&) {
    return {kInfinite, kInfinite};
  }
}

}  // namespace ingot::pass
