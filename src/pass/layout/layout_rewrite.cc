#include "pass/layout/layout_rewrite.h"

#include <algorithm>
#include <string>
#include <utility>

#include "kernel/lower/group.h"
#include "ops/control.h"
#include "pass/layout/layout_region.h"
#include "pass/replace.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Region;
using ir::Value;
using ops::ScanOp;

class LayoutRewriting {
 public:
  LayoutRewriting(ir::Function& function, const Orders& orders) : function_(function), orders_(orders) {}

  void run() {
    Region& body = function_.body();
    const std::vector<Value*> arguments = body.arguments();
    if (std::any_of(arguments.begin(), arguments.end(), [&](Value* a) { return moved(a); })) {
      for (Value* argument : arguments) make_again(*argument, body);
      old_arguments_ = body.argument_count() / 2;
    }
    run(body);
  }

  void erase_old() {
    while (!old_.empty()) {  // users before what they use
      old_.back()->erase();
      old_.pop_back();
    }
    for (; old_arguments_ > 0; --old_arguments_) function_.body().erase_argument(0);
    names_.give_back(function_);
  }

 private:
  bool moved(const Value* value) const { return orders_.of(value) != nullptr; }

  bool is_touched(const Op& op) const {
    const auto any = [&](const auto& values) {
      return std::any_of(values.begin(), values.end(), [&](const Value* value) { return moved(value); });
    };
    return any(op.operands()) || any(op.results());
  }

  void run(Region& region) {
    std::vector<Op*> ops;
    for (auto& op : region.ops()) ops.push_back(op.get());
    for (Op* op : ops) {
      if (op->is_return()) {
        region.set_results(stored({op->operands().begin(), op->operands().end()}));
      } else if (is_touched(*op)) {
        Op& fresh = remake(*op);
        old_.push_back(op);
        if (ops::is<ScanOp>(fresh)) run(fresh.region());
      } else if (ops::runs_regions(*op)) {
        for (int r = 0; r < op->region_count(); ++r) run(op->region(r));
      }
    }
  }

  std::vector<Value*> stored(std::vector<Value*> values) const {
    for (Value*& value : values) {
      if (const auto it = stored_.find(value); it != stored_.end()) value = it->second;
    }
    return values;
  }

  ir::TensorType type_of(const Value& value) const {
    const Order* order = orders_.of(&value);
    return order == nullptr ? value.type() : stored_type(value.type(), *order);
  }

  void make_again(Value& argument, Region& region) {
    Value* fresh = region.add_argument(type_of(argument), argument.name());
    names_.add(fresh, &argument);
    if (moved(&argument))
      stored_[&argument] = fresh;
    else
      argument.replace_all_uses_with(fresh);
  }

  Op& remake(Op& op) {
    std::vector<std::unique_ptr<Region>> regions;
    ir::Attributes attributes = op.attributes();
    ir::ValueMap map;
    if (op.region_count() > 0) regions.push_back(function_.make_region());
    if (const auto loop = ops::as<ScanOp>(op)) {
      move_region(op.region(), *regions[0]);
      move_axes(*loop, attributes);
    } else if (ops::is<ops::FusedOp>(op)) {
      reorder_region(op, orders_, *regions[0], map);
    }
    std::vector<ir::TensorType> types;
    for (Value* result : op.results()) {
      types.push_back(type_of(*result));
      if (const Order* order = orders_.of(result)) ops::set_stored_order(attributes, result->index(), *order);
    }
    Op* fresh = op.parent()->insert(op.record(), stored({op.operands().begin(), op.operands().end()}),
                                    std::move(attributes), std::move(types), op.provenance(), &op,
                                    std::move(regions));
    if (ops::is<ops::FusedOp>(op)) keep_names(op.region(), map);
    for (int i = 0; i < op.result_count(); ++i) {
      Value *before = op.result(i), *after = fresh->result(i);
      names_.add(after, before);
      if (moved(before))
        stored_[before] = after;
      else
        before->replace_all_uses_with(after);
    }
    return *fresh;
  }

  // Of the inside of a kernel that has been made again.
  void keep_names(const Region& from, const ir::ValueMap& map) {
    for (Value* argument : from.arguments()) names_.add(map.at(argument), argument);
    for (auto& op : from.ops()) {
      for (Value* result : op->results()) {
        const auto copy = map.find(result);
        if (copy == map.end() || copy->second->op() == nullptr) continue;
        names_.add(copy->second, result);
        if (result->index() == 0) names_.add(*copy->second->op(), *op, false);
      }
    }
  }

  void move_region(Region& from, Region& to) {
    for (Value* argument : from.arguments()) make_again(*argument, to);
    const std::vector<Value*> results(from.results().begin(), from.results().end());
    from.set_results({});
    move_ops(from, to);
    to.set_results(results);
  }

  // The axes of what the loop walks along, and of what `active` is about, where they are stored now.
  void move_axes(const ScanOp& loop, ir::Attributes& attributes) const {
    const auto placed = [&](const Value* value, int64_t axis) {
      const Order* order = orders_.of(value);
      return order == nullptr ? axis : inverse(*order)[static_cast<size_t>(axis)];
    };
    ops::ScanForm form = loop.form();
    form.xs_axes.clear();
    form.ys_axes.clear();
    for (const ScanOp::Scanned& x : loop.scanned()) form.xs_axes.push_back(placed(x.array, x.axis));
    for (const ScanOp::Stack& y : loop.stacks()) form.ys_axes.push_back(placed(y.whole, y.axis));
    if (form.active.has_value()) form.active->dim = placed(loop.carry(0).initial, form.active->dim);
    form.write(attributes);
  }

  ir::Function& function_;
  const Orders& orders_;
  std::unordered_map<const Value*, Value*> stored_;  // of values that have another order now
  std::vector<Op*> old_;
  int old_arguments_ = 0;  // of the function
  NamesToKeep names_;
};

}  // namespace

void rewrite_layout(ir::Module& module, const Orders& orders) {
  std::vector<LayoutRewriting> all;
  for (auto& function : module.functions()) all.emplace_back(*function, orders);
  for (LayoutRewriting& one : all) one.run();
  // Only now: orders are known by the addresses of values.
  for (LayoutRewriting& one : all) one.erase_old();
}

}  // namespace ingot::pass
