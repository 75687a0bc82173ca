#include "pass/attention/row_loop.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/check.h"
#include "ops/control.h"
#include "ops/kinds.h"
#include "pass/attention/blocked.h"
#include "pass/replace.h"

namespace ingot::pass {

using ir::IntList;
using ir::Op;
using ir::Value;
using ops::BroadcastOp;
using ops::DotGeneralOp;
using ops::ReduceOp;
using ops::TransposeOp;

namespace {

// A contraction whose result is larger than what it reads is repeated for each block.
bool product_grows(const Op& op) {
  return ops::is<ops::DotGeneralOp>(op) &&
         op.result()->type().elements() > op.operand(0)->type().elements() + op.operand(1)->type().elements();
}

// Which dimension of a contraction's result is the free dimension `dim` of operand `side`.
int64_t free_in_result(const Op& op, int side, int64_t dim) {
  const DotGeneralOp dot(op);
  auto next = static_cast<int64_t>(dot.batch(0).size());
  for (int of = 0; of < 2; ++of) {
    for (int64_t d = 0; d < op.operand(of)->rank(); ++d) {
      if (position(dot.batch(of), d) >= 0 || position(dot.contract(of), d) >= 0) continue;
      if (of == side && d == dim) return next;
      ++next;
    }
  }
  return -1;
}

// The dimensions of a contraction's operands along which its result's dimension `axis` runs; -1 for none.
std::pair<int64_t, int64_t> sides_of(const Op& op, int64_t axis) {
  const DotGeneralOp dot(op);
  const IntList &lhs = dot.batch(0), &rhs = dot.batch(1);
  if (axis < static_cast<int64_t>(lhs.size())) return {lhs[at(axis)], rhs[at(axis)]};
  for (int side = 0; side < 2; ++side) {
    for (int64_t d = 0; d < op.operand(side)->rank(); ++d) {
      if (position(dot.batch(side), d) >= 0 || position(dot.contract(side), d) >= 0) continue;
      if (free_in_result(op, side, d) == axis)
        return side == 0 ? std::pair(d, int64_t{-1}) : std::pair(int64_t{-1}, d);
    }
  }
  throw InternalError("a contraction's result has no such dimension");
}

}  // namespace

// --- what belongs to it

RowPart::RowPart(Value* seed, int64_t axis) : seed_(seed), axis_(axis) {
  follow(seed, axis);
}

// The dimension of the operands along which the result's runs, if the operation is repeated for each block.
std::vector<RowPart::Place> RowPart::operands_of(const Place& place) {
  const Op* op = place.value->op();
  std::vector<Place> operands;
  if (op == nullptr || op->result_count() != 1) return operands;
  if (is_elementwise(*op)) {
    for (Value* operand : op->operands()) operands.push_back({operand, place.axis});
  } else if (const auto broadcast = ops::as<BroadcastOp>(*op)) {
    operands.push_back({op->operand(0), position(broadcast->dims(), place.axis)});
  } else if (const auto transpose = ops::as<TransposeOp>(*op)) {
    operands.push_back({op->operand(0), transpose->permutation()[at(place.axis)]});
  } else if (const auto reduce = ops::as<ReduceOp>(*op)) {
    int64_t axis = place.axis;
    IntList axes = reduce->axes();
    std::sort(axes.begin(), axes.end());
    for (int64_t reduced : axes) axis += reduced <= axis;
    operands = {{op->operand(0), axis}, {op->operand(1), kWhole}};
  } else if (product_grows(*op)) {
    const auto [lhs, rhs] = sides_of(*op, place.axis);
    operands = {{op->operand(0), lhs}, {op->operand(1), rhs}};
  }
  return operands;
}

RowPart::Exit RowPart::exit_of(const Op& op, int side, int64_t axis) {
  const DotGeneralOp dot(op);
  Exit exit;
  exit.operands[side] = {op.operand(side), axis};
  exit.operands[1 - side] = {op.operand(1 - side), kWhole};
  if (const int64_t i = position(dot.batch(side), axis); i >= 0) {
    exit.operands[1 - side].axis = dot.batch(1 - side)[at(i)];
    exit.result = i;
  } else if (const int64_t k = position(dot.contract(side), axis); k >= 0) {
    exit.operands[1 - side].axis = dot.contract(1 - side)[at(k)];
  } else {
    exit.result = free_in_result(op, side, axis);
  }
  return exit;
}

void RowPart::follow(Value* value, int64_t axis) {
  if (!followed_.emplace(Place{value, axis}, true).second) return;
  for (const ir::Use& use : value->uses()) {
    Op& op = *use.op;
    if (obstacle_ != nullptr) return;
    if (op.result_count() == 1 && is_elementwise(op)) {
      follow(op.result(), axis);
    } else if (const auto broadcast = ops::as<BroadcastOp>(op)) {
      follow(op.result(), broadcast->dims()[at(axis)]);
    } else if (const auto transpose = ops::as<TransposeOp>(op)) {
      follow(op.result(), position(transpose->permutation(), axis));
    } else if (const auto reduce = ops::as<ReduceOp>(op); reduce.has_value() && reduce->count() == 1 &&
                                                          use.operand == 0 &&
                                                          position(reduce->axes(), axis) < 0) {
      int64_t kept = axis;
      for (int64_t reduced : reduce->axes()) kept -= reduced < axis;
      follow(op.result(), kept);
    } else if (ops::is<DotGeneralOp>(op) && !product_grows(op) &&
               value->type().elements() > 2 * op.result()->type().elements()) {
      const bool known = reads_.count(&op) > 0;
      if (known || op.operand(0) == op.operand(1)) {
        obstacle_ = &op;
        return;
      }
      reads_[&op] = exit_of(op, use.operand, axis);
      exits_.push_back(&op);
    } else {
      obstacle_ = &op;
    }
  }
}

namespace {

// All that is computed from the values, in the region that they stand in.
std::unordered_set<const Op*> followers(const std::vector<Op*>& makers) {
  std::unordered_set<const Op*> found;
  std::vector<const Op*> pending(makers.begin(), makers.end());
  while (!pending.empty()) {
    const Op* op = pending.back();
    pending.pop_back();
    for (const Value* result : op->results()) {
      for (const ir::Use& use : result->uses()) {
        if (found.insert(use.op).second) pending.push_back(use.op);
      }
    }
  }
  return found;
}

}  // namespace

void RowPart::need(const Place& place) {
  if (place.axis == kWhole) {
    if (is_made_of_constants(place.value)) return;  // copied
    if (std::find(wholes_.begin(), wholes_.end(), place.value) == wholes_.end())
      wholes_.push_back(place.value);
    return;
  }
  if (std::find(seen_.begin(), seen_.end(), place) != seen_.end()) return;
  seen_.push_back(place);
  const auto iota = ops::as<ops::IotaOp>(place.value);
  const std::vector<Place> operands = operands_of(place);
  if (iota.has_value()) {
    needs_start_ = needs_start_ || iota->axis() == place.axis;
  } else if (operands.empty()) {
    slices_.push_back(place);
  }
  for (const Place& operand : operands) need(operand);
}

void RowPart::plan() {
  slices_.clear();
  seen_.clear();
  wholes_.clear();
  needs_start_ = false;
  for (Op* exit : exits_) {
    for (const Place& operand : reads_.at(exit).operands) need(operand);
  }
}

void RowPart::keep_last_exits() {
  const std::vector<Op*> all = exits_;
  std::vector<Op*> last;
  for (Op* first : all) {
    const std::unordered_set<const Op*> after = followers({first});
    bool read = false;
    for (Op* exit : all) {
      exits_ = {exit};
      plan();
      auto follows = [&](const Value* value) {
        return value->op() != nullptr && after.count(value->op()) > 0;
      };
      for (const Place& slice : slices_) read = read || slice.value->op() == first || follows(slice.value);
      for (const Value* whole : wholes_) read = read || whole->op() == first || follows(whole);
    }
    if (!read) last.push_back(first);
  }
  exits_ = last;
}

// --- how it is computed

class RowPart::Emission {
 public:
  Emission(ir::Builder& builder, int64_t block) : builder_(builder), block_(block) {}

  std::map<Place, Value*> known;  // slices, wholes (axis kWhole)
  Value* start = nullptr;         // s64 scalar: where the block begins

  Value* piece(const Place& place) {
    auto [it, fresh] = known.emplace(place, nullptr);
    if (!fresh) return it->second;
    Value* made = make(place);
    return known[place] = made;
  }

 private:
  Value* make(const Place& place) {
    if (place.axis == kWhole) return copy_of_constants(builder_, place.value);
    const Op& op = *place.value->op();
    if (ops::is<ops::IotaOp>(op)) return iota(op, place.axis);
    std::vector<Value*> operands;
    for (const Place& operand : operands_of(place)) operands.push_back(piece(operand));
    ir::Attributes attributes = op.attributes();
    if (ops::is<BroadcastOp>(op)) {
      Shape shape = place.value->shape();
      shape[at(place.axis)] = block_;
      attributes.set("shape", shape);
    }
    const std::string& name = place.value->name();
    if (!ops::is<ReduceOp>(op))
      return builder_.value(op.name(), std::move(operands), std::move(attributes), name);
    std::vector<std::unique_ptr<ir::Region>> regions;
    regions.push_back(builder_.make_region());
    ir::clone_region(op.region(), *regions[0]);
    return builder_.make("reduce", std::move(operands), std::move(attributes), std::move(regions), {name})
        ->result();
  }

  Value* iota(const Op& op, int64_t axis) {
    ir::Attributes attributes = op.attributes();
    Shape shape = op.result()->shape();
    shape[at(axis)] = block_;
    attributes.set("shape", shape);
    Value* numbers = builder_.value("iota", {}, attributes);
    if (ops::IotaOp(op).axis() != axis) return numbers;
    Value* first = start;
    if (first->dtype() != numbers->dtype())
      first = builder_.value("convert", {first}, {{"dtype", numbers->dtype()}});
    first = builder_.value("broadcast", {first}, {{"shape", shape}, {"dims", IntList()}});
    return builder_.value("add", {numbers, first});
  }

  ir::Builder& builder_;
  int64_t block_;
};

// The operation before which the loop stands: behind all that it reads. What reads the exits follows it.
Op* RowPart::make_room() {
  const std::unordered_set<const Op*> after = followers(exits_);
  std::unordered_set<const Op*> read;
  for (const Place& slice : slices_) read.insert(slice.value->op());
  for (const Value* whole : wholes_) read.insert(whole->op());
  ir::Region& region = *exits_[0]->parent();
  std::vector<Op*> ops;
  size_t last = 0;
  for (auto& op : region.ops()) {
    if (read.count(op.get())) last = ops.size() + 1;
    ops.push_back(op.get());
  }
  while (!ops[last]->is_return() && !after.count(ops[last])) ++last;
  Op* anchor = ops[last];
  Op* first = nullptr;
  for (size_t i = 0; i < last; ++i) {
    if (!after.count(ops[i])) continue;
    region.take(ops[i], anchor);
    if (first == nullptr) first = ops[i];
  }
  return first != nullptr ? first : anchor;
}

Value* RowPart::loop(int64_t block, std::string_view pass) {
  plan();
  const int64_t rows = seed_->shape()[at(axis_)], steps = rows / block;
  ir::Builder builder(*exits_[0]->parent(), make_room());
  builder.set_provenance(exits_[0]->provenance().derived(std::string(pass), "dot_general"));
  std::unique_ptr<ir::Region> region = builder.make_region();
  ir::Builder inside(*region);
  inside.set_provenance(builder.provenance());
  Emission emission(inside, block);

  std::vector<Op*> sums, stacks;
  for (Op* exit : exits_) (reads_.at(exit).result == kWhole ? sums : stacks).push_back(exit);
  std::vector<Value*> operands, so_far;
  for (Op* exit : sums) {
    Value* zero = builder.constant(Tensor(exit->result()->dtype(), {}));
    operands.push_back(
        builder.value("broadcast", {zero}, {{"shape", exit->result()->shape()}, {"dims", IntList()}}));
    so_far.push_back(region->add_argument(exit->result()->type(), exit->result()->name()));
  }
  IntList xs_axes, ys_axes;
  for (const Place& slice : slices_) {
    Shape shape = slice.value->shape();
    shape[at(slice.axis)] = block;
    const Shape one = shape;
    shape.insert(shape.begin() + slice.axis, steps);
    operands.push_back(builder.value("reshape", {slice.value}, {{"shape", shape}}));
    xs_axes.push_back(slice.axis);
    emission.known[slice] = region->add_argument({slice.value->dtype(), one}, slice.value->name());
  }
  if (needs_start_) {
    Value* numbers =
        builder.value("iota", {}, {{"dtype", DType::kS64}, {"shape", Shape{steps}}, {"axis", int64_t{0}}});
    Tensor distance(DType::kS64, {});
    distance.set_int(0, block);
    Value* each = builder.value("broadcast", {builder.constant(distance)},
                                {{"shape", Shape{steps}}, {"dims", IntList()}});
    operands.push_back(builder.value("mul", {numbers, each}));
    xs_axes.push_back(0);
    emission.start = region->add_argument({DType::kS64, {}}, "start");
  }
  for (Value* whole : wholes_) {
    operands.push_back(whole);
    emission.known[{whole, kWhole}] = region->add_argument(whole->type(), whole->name());
  }

  auto compute = [&](Op* exit) {
    const Exit& reads = reads_.at(exit);
    Value* lhs = emission.piece(reads.operands[0]);
    return inside.value("dot_general", {lhs, emission.piece(reads.operands[1])}, exit->attributes(),
                        exit->result()->name());
  };
  std::vector<Value*> results;
  for (size_t i = 0; i < sums.size(); ++i)
    results.push_back(inside.value("add", {so_far[i], compute(sums[i])}));
  for (Op* exit : stacks) {
    results.push_back(compute(exit));
    ys_axes.push_back(reads_.at(exit).result);
  }
  Value* seed = emission.piece({seed_, axis_});
  region->set_results(results);
  std::vector<std::unique_ptr<ir::Region>> regions;
  regions.push_back(std::move(region));
  const ops::ScanForm form{
      .carries = static_cast<int>(sums.size()), .length = steps, .xs_axes = xs_axes, .ys_axes = ys_axes};
  const ops::ScanOp scan(*builder.make("scan", operands, form.attributes(), std::move(regions)));
  std::vector<Value*> whole;
  for (const ops::ScanOp::Carry& carry : scan.carries()) whole.push_back(carry.result);
  for (const ops::ScanOp::Stack& stack : scan.stacks()) {
    const Shape& shape = stacks[whole.size() - sums.size()]->result()->shape();
    whole.push_back(builder.value("reshape", {stack.whole}, {{"shape", shape}}));
  }
  sums.insert(sums.end(), stacks.begin(), stacks.end());
  for (size_t i = 0; i < sums.size(); ++i) {
    Op* made = whole[i]->op();
    replace_op(sums[i], {&whole[i], 1}, {&made, 1});
  }
  return seed;
}

}  // namespace ingot::pass
