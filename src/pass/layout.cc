// layout: values between kernels lie in memory with their dimensions in the order that costs least.
//
// It follows fuse, which decides what the kernels are. A value that only kernels and loops of the same region
// make and read may lie in any order: the kernel that makes it ends in a transpose, those that read it begin
// with the inverse one, and both are folded into addresses, so that the program still says what it computes
// and nobody else learns of it. Loops of the machine take slices: they see a stack with the axis of the steps
// in another place.
//
// An order is judged by what the kernels that touch the value cost under it, each lowered and scheduled
// (kernel::running_price), and the slices that loops copy. Which dimension lies innermost matters most, and
// which one loops step through, so these are the orders that are tried: first one for all values that kernels
// join, since a kernel that reads one and writes another wants both alike, then for each by itself. Between
// orders that cost nearly the same, row-major stays.
#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <utility>

#include "base/check.h"
#include "ir/builder.h"
#include "ir/op_record.h"
#include "pass/layout_region.h"
#include "pass/passes.h"
#include "pass/replace.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Region;
using ir::Value;

constexpr int64_t kSmall = 4096;   // elements that lie in a near cache in any order
constexpr double kMargin = 0.04;   // of the cost of a kernel that changes, to be gained at least
constexpr double kSame = 0.005;    // of the cost of a kernel: no change
constexpr double kLittle = 20000;  // instructions: some microseconds
constexpr int64_t kLanes = 16;
constexpr int kRounds = 2;

bool is_kernel(const Op& op) {
  return op.name() == "fused";
}

bool may_move(const Value& value, int64_t small) {
  const Op* op = value.op();
  if (op == nullptr || element_count(value.shape()) < small) return false;
  if (std::count_if(value.shape().begin(), value.shape().end(), [](int64_t n) { return n > 1; }) < 2)
    return false;
  if (!(is_kernel(*op) || (is_loop(*op) && is_sliced_result(*op, value.index())))) return false;
  return !value.uses().empty() &&
         std::all_of(value.uses().begin(), value.uses().end(), [](const ir::Use& use) {
           return is_kernel(*use.op) || (is_loop(*use.op) && is_sliced_operand(*use.op, use.operand));
         });
}

Order with_last(int64_t rank, int64_t dim) {
  Order order = row_major(rank);
  std::rotate(order.begin() + dim, order.begin() + dim + 1, order.end());
  return order;
}
Order with_first(int64_t rank, int64_t dim) {
  Order order = row_major(rank);
  std::rotate(order.begin(), order.begin() + dim, order.begin() + dim + 1);
  return order;
}

std::string text_of(const Order& order) {
  std::string text;
  for (int64_t dim : order) text += (text.empty() ? "[" : ",") + std::to_string(dim);
  return text + "]";
}

// The choice of orders for the values of one region.
class Choice {
 public:
  // `times`: how often the region runs.
  Choice(Region& region, LayoutPrices& prices, double times, int64_t small) : prices_(prices), times_(times) {
    for (auto& op : region.ops()) {
      for (Value* result : op->results()) {
        if (may_move(*result, small)) values_.push_back(result);
      }
    }
  }

  Orders run() {
    for (const std::vector<Value*>& set : joined()) {
      if (set.size() < 2 || !promising(set)) continue;
      const int64_t rank = set.front()->rank();
      for (int64_t d = 0; d + 1 < rank; ++d) {
        if (std::any_of(set.begin(), set.end(), [&](const Value* value) { return wide(*value, d); }))
          try_orders(set, with_last(rank, d));
      }
    }
    bool changed = true;
    for (int round = 0; round < kRounds && changed; ++round) {
      changed = false;
      for (Value* value : values_) changed |= improve(value);
    }
    return orders_;
  }

  // Any orders that there are kernels for.
  Orders shuffled(std::minstd_rand& random) {
    for (Value* value : values_) {
      Orders changed = orders_;
      Order order = row_major(value->rank());
      std::shuffle(order.begin(), order.end(), random);
      changed[value] = order;
      if (std::isfinite(cost(around({value}), changed))) orders_ = std::move(changed);
    }
    return orders_;
  }

  // By how much the kernels around the value are cheaper now, as text.
  std::string gain(Value* value) {
    const double before = cost(around({value}), {}), after = cost(around({value}), orders_);
    return std::to_string(std::lround(100 * (1 - after / before))) + " %";
  }

 private:
  // What makes and what reads the values, each once.
  static std::vector<Op*> around(const std::vector<Value*>& values) {
    std::vector<Op*> ops;
    std::set<const Op*> seen;
    const auto add = [&](Op* op) {
      if (seen.insert(op).second) ops.push_back(op);
    };
    for (Value* value : values) {
      add(value->op());
      for (const ir::Use& use : value->uses()) add(use.op);
    }
    return ops;
  }

  double cost(const std::vector<Op*>& ops, const Orders& orders) {
    double total = 0;
    for (Op* op : ops) total += prices_.of(*op, orders).total;
    return total;
  }

  std::vector<kernel::RunningPrice> prices_now(const std::vector<Op*>& ops) {
    std::vector<kernel::RunningPrice> prices;
    for (Op* op : ops) prices.push_back(prices_.of(*op, orders_));
    return prices;
  }

  // What kernels gain must be worth mentioning beside what they cost, since prices are only near the truth;
  // copies that a loop does not make are a sure thing. Stops as soon as what is left could not make up for
  // it.
  bool cheaper(const std::vector<Op*>& ops, const std::vector<kernel::RunningPrice>& old) {
    double before = 0, left = 0, after = 0;
    for (const kernel::RunningPrice& price : old) before += price.total, left += price.least;
    for (size_t i = 0; i < ops.size(); ++i) {
      const double price = prices_.of(*ops[i], orders_).total;
      left -= old[i].least;
      after += price;
      if (is_kernel(*ops[i]) && std::abs(price - old[i].total) > kSame * old[i].total)
        after += kMargin * old[i].total;
      if (!(after + left < before)) return false;
    }
    return true;
  }

  bool try_orders(const std::vector<Value*>& values, const Order& order) {
    const std::vector<Op*> ops = around(values);
    const std::vector<kernel::RunningPrice> old = prices_now(ops);
    std::vector<Order> kept;
    for (Value* value : values) {
      const auto it = orders_.try_emplace(value, row_major(value->rank())).first;
      kept.push_back(std::exchange(it->second, order));
    }
    if (cheaper(ops, old)) return true;
    for (size_t i = 0; i < values.size(); ++i) orders_[values[i]] = std::move(kept[i]);
    return false;
  }

  // Whether it is worth asking: if everything ran along memory, it would cost that much less.
  bool promising(const std::vector<Value*>& values) {
    double total = 0, least = 0;
    bool copies = false;
    for (Op* op : around(values)) {
      const kernel::RunningPrice price = prices_.of(*op, orders_);
      total += price.total;
      least += price.least;
      copies |= is_loop(*op) && price.total > 0;
    }
    return total * times_ > kLittle && (copies || least < (1 - kMargin) * total);
  }

  // Lanes want that many neighbours, or as many as there are in row-major order.
  static bool wide(const Value& value, int64_t dim) {
    const int64_t extent = value.shape()[static_cast<size_t>(dim)];
    return extent > 1 && extent >= std::min(kLanes, value.shape().back());
  }

  bool improve(Value* value) {
    if (!promising({value})) return false;
    std::vector<Order> orders = {row_major(value->rank())};
    for (int64_t d = 0; d + 1 < value->rank(); ++d) {
      if (wide(*value, d)) orders.push_back(with_last(value->rank(), d));
    }
    const auto stepped = [&](int64_t axis) {
      if (axis > 0) orders.push_back(with_first(value->rank(), axis));
    };
    if (is_loop(*value->op())) stepped(sliced_axis_of_result(*value->op(), value->index()));
    for (const ir::Use& use : value->uses()) {
      if (is_loop(*use.op)) stepped(sliced_axis_of_operand(*use.op, use.operand));
    }
    bool improved = false;
    for (const Order& order : orders) improved |= try_orders({value}, order);
    return improved;
  }

  // Values of one rank that kernels touch together.
  std::vector<std::vector<Value*>> joined() const {
    std::vector<std::vector<Value*>> sets;
    std::set<const Value*> taken;
    const std::set<const Value*> movable(values_.begin(), values_.end());
    for (Value* first : values_) {
      if (!taken.insert(first).second) continue;
      std::vector<Value*> set = {first};
      for (size_t i = 0; i < set.size(); ++i) {
        const auto add = [&](Value* value) {
          if (movable.count(value) && value->rank() == first->rank() && taken.insert(value).second)
            set.push_back(value);
        };
        for (Op* op : around({set[i]})) {
          if (is_loop(*op)) continue;
          for (Value* operand : op->operands()) add(operand);
          for (Value* result : op->results()) add(result);
        }
      }
      sets.push_back(std::move(set));
    }
    return sets;
  }

  LayoutPrices& prices_;
  double times_;
  std::vector<Value*> values_;  // in program order
  Orders orders_;
};

// Makes every kernel and loop of the region again that touches a value with an order.
class Rewriting {
 public:
  Rewriting(Region& region, const Orders& orders) : region_(region), orders_(orders) {}

  void run() {
    std::vector<Op*> ops, old;
    for (auto& op : region_.ops()) ops.push_back(op.get());
    for (Op* op : ops) {
      const auto moved = [&](const Value* value) { return orders_.count(value) > 0; };
      const std::vector<Value*> results = op->results();
      if (std::none_of(op->operands().begin(), op->operands().end(), moved) &&
          std::none_of(results.begin(), results.end(), moved))
        continue;
      remake(*op);
      old.push_back(op);
    }
    while (!old.empty()) {
      old.back()->erase();
      old.pop_back();
    }
    for (auto& [value, name] : names_) region_.function()->rename(value, name);
  }

 private:
  void remake(Op& op) {
    std::unique_ptr<Region> body = region_.function()->make_region();
    ir::ValueMap map;
    ir::Attributes attributes = op.attributes();
    if (is_loop(op)) {
      move_region(op.region(), *body);
      move_axes(op, attributes);
    } else {
      reorder_region(op, orders_, *body, map);
    }
    std::vector<Value*> operands;
    for (Value* operand : op.operands()) {
      const auto it = stored_.find(operand);
      operands.push_back(it == stored_.end() ? operand : it->second);
    }
    std::vector<ir::TensorType> types;
    for (Value* result : op.results()) {
      const auto it = orders_.find(result);
      types.push_back(it == orders_.end() ? result->type() : stored_type(result->type(), it->second));
      if (it != orders_.end()) attributes.set("order" + std::to_string(result->index()), it->second);
    }
    std::vector<std::unique_ptr<Region>> regions;
    regions.push_back(std::move(body));
    Op* fresh = region_.insert(op.record(), std::move(operands), std::move(attributes), std::move(types),
                               op.provenance(), &op, std::move(regions));
    for (auto& [from, to] : map) {
      if (from->op() == nullptr || to->op() != nullptr) names_.emplace_back(to, from->name());
    }
    for (int i = 0; i < op.result_count(); ++i) {
      Value *before = op.result(i), *after = fresh->result(i);
      stored_[before] = after;
      names_.emplace_back(after, before->name());
      if (orders_.count(before) == 0) before->replace_all_uses_with(after);
    }
  }

  void move_region(Region& from, Region& to) {
    for (Value* argument : from.arguments()) {
      Value* fresh = to.add_argument(argument->type(), argument->name());
      argument->replace_all_uses_with(fresh);
      names_.emplace_back(fresh, argument->name());
    }
    const std::vector<Value*> results(from.results().begin(), from.results().end());
    from.set_results({});
    move_ops(from, to);
    to.set_results(results);
  }

  // The axes of what the loop walks along, where they are stored now.
  void move_axes(const Op& loop, ir::Attributes& attributes) const {
    const auto place = [&](const Value* value, int64_t& axis) {
      const auto it = orders_.find(value);
      if (it != orders_.end()) axis = inverse(it->second)[static_cast<size_t>(axis)];
    };
    ir::IntList xs_axes = attributes.list("xs_axes"), ys_axes = attributes.list("ys_axes");
    const auto carries = static_cast<int>(attributes.integer("carries"));
    for (size_t i = 0; i < xs_axes.size(); ++i)
      place(loop.operand(carries + static_cast<int>(i)), xs_axes[i]);
    for (size_t i = 0; i < ys_axes.size(); ++i) place(loop.result(carries + static_cast<int>(i)), ys_axes[i]);
    attributes.set("xs_axes", std::move(xs_axes));
    attributes.set("ys_axes", std::move(ys_axes));
  }

  Region& region_;
  const Orders& orders_;
  std::unordered_map<const Value*, Value*> stored_;
  std::vector<std::pair<Value*, std::string>> names_;
};

class Layout : public Pass {
 public:
  std::string_view name() const override { return "layout"; }
  std::string_view why() const override {
    return "gives values between kernels the dimension order that costs least; it follows fuse, which makes "
           "the kernels that it asks";
  }
  bool run(ir::Module& module, PassContext& context) override {
    LayoutPrices prices;
    bool changed = false;
    for (auto& function : module.functions()) changed |= run_region(function->body(), 1, prices, context);
    return changed;
  }

 private:
  static bool run_region(Region& region, double times, LayoutPrices& prices, PassContext& context) {
    Choice choice(region, prices, times, context.option("small", kSmall));
    // For tests: orders by chance instead of by price.
    const int64_t seed = context.option("shuffle", -1);
    std::minstd_rand random(static_cast<uint32_t>(seed));
    const Orders orders = seed >= 0 ? choice.shuffled(random) : choice.run();
    Orders allowed;
    for (auto& op : region.ops()) {
      for (Value* value : op->results()) {
        const auto it = orders.find(value);
        if (it == orders.end() || it->second == row_major(value->rank()) || !context.may("order", *op))
          continue;
        allowed[value] = it->second;
        context.note("%" + value->name(), "lies in the order " + text_of(it->second) + ", under which " +
                                              label(*op) + " and its readers cost " + choice.gain(value) +
                                              " less");
      }
    }
    const bool changed = !allowed.empty();
    if (changed) Rewriting(region, allowed).run();
    prices.forget_operations();
    bool inside = false;
    for (auto& op : region.ops()) {
      if (is_loop(*op)) {
        const auto steps = static_cast<double>(op->attributes().integer("length"));
        inside |= run_region(op->region(), times * steps, prices, context);
      }
    }
    return changed || inside;
  }
};

}  // namespace

std::unique_ptr<Pass> make_layout() {
  return std::make_unique<Layout>();
}

}  // namespace ingot::pass
