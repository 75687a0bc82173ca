#include "pass/attention/row_loop.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ops/control.h"
#include "ops/kinds.h"
#include "ops/make.h"
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

// --- what belongs to it

RowPart::RowPart(Value* seed, int64_t axis) : seed_(seed), axis_(axis) {
  follow(seed, axis);
}

RowPart::Exit RowPart::exit_of(const Op& op, int side, int64_t axis) {
  const DotGeneralOp dot(op);
  Exit exit;
  exit.operands[side] = {op.operand(side), axis};
  exit.operands[1 - side] = {op.operand(1 - side), BlockPlace::kWhole};
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
  if (!followed_.insert({value, axis}).second) return;
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

Blocked RowPart::blocks_of(const std::vector<Op*>& exits) const {
  std::vector<BlockPlace> roots;
  for (Op* exit : exits) {
    for (const BlockPlace& operand : reads_.at(exit).operands) roots.push_back(operand);
  }
  return Blocked(roots, Blocked::Repeats::kRows);
}

void RowPart::keep_last_exits() {
  std::vector<Op*> last;
  for (Op* first : exits_) {
    const std::unordered_set<const Op*> after = followers({first});
    bool read = false;
    for (Op* exit : exits_) {
      const Blocked blocks = blocks_of({exit});
      auto follows = [&](const Value* value) {
        return value->op() != nullptr && after.count(value->op()) > 0;
      };
      for (const BlockPlace& slice : blocks.slices())
        read = read || slice.value->op() == first || follows(slice.value);
      for (const Value* whole : blocks.wholes()) read = read || whole->op() == first || follows(whole);
    }
    if (!read) last.push_back(first);
  }
  exits_ = std::move(last);
}

// --- how it is computed

// The operation before which the loop stands: behind all that it reads. What reads the exits follows it.
Op* RowPart::make_room(const Blocked& blocks) {
  const std::unordered_set<const Op*> after = followers(exits_);
  std::unordered_set<const Op*> read;
  for (const BlockPlace& slice : blocks.slices()) read.insert(slice.value->op());
  for (const Value* whole : blocks.wholes()) read.insert(whole->op());
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
  const Blocked blocks = blocks_of(exits_);
  const int64_t rows = seed_->shape()[at(axis_)], steps = rows / block;
  ir::Builder builder(*exits_[0]->parent(), make_room(blocks));
  builder.set_provenance(exits_[0]->provenance().derived(std::string(pass), "dot_general"));
  std::unique_ptr<ir::Region> region = builder.make_region();
  ir::Builder inside(*region);
  inside.set_provenance(builder.provenance());
  Blocked::Inputs inputs{.size = block};

  std::vector<Op*> sums, stacks;
  for (Op* exit : exits_) (reads_.at(exit).result == BlockPlace::kWhole ? sums : stacks).push_back(exit);
  std::vector<Value*> operands, so_far;
  for (Op* exit : sums) {
    Value* zero = builder.constant(Tensor(exit->result()->dtype(), {}));
    operands.push_back(make::spread(builder, zero, exit->result()->shape()));
    so_far.push_back(region->add_argument(exit->result()->type(), exit->result()->name()));
  }
  IntList xs_axes, ys_axes;
  for (const BlockPlace& slice : blocks.slices()) {
    Shape shape = slice.value->shape();
    shape[at(slice.axis)] = block;
    const Shape one = shape;
    shape.insert(shape.begin() + slice.axis, steps);
    operands.push_back(make::reshape(builder, slice.value, shape));
    xs_axes.push_back(slice.axis);
    inputs.slices.push_back(region->add_argument({slice.value->dtype(), one}, slice.value->name()));
  }
  if (blocks.needs_start()) {
    Value* numbers = make::iota(builder, DType::kS64, Shape{steps}, 0);
    Tensor distance(DType::kS64, {});
    distance.set_int(0, block);
    Value* each = make::spread(builder, builder.constant(distance), Shape{steps});
    operands.push_back(make::mul(builder, {numbers, each}));
    xs_axes.push_back(0);
    inputs.start = region->add_argument({DType::kS64, {}}, "start");
  }
  for (Value* whole : blocks.wholes()) {
    operands.push_back(whole);
    inputs.wholes.push_back(region->add_argument(whole->type(), whole->name()));
  }
  Blocked::Emission emission(blocks, inside, inputs);

  auto compute = [&](Op* exit) {
    const Exit& reads = reads_.at(exit);
    Value* lhs = emission.piece(reads.operands[0]);
    return make::like(inside, *exit, {lhs, emission.piece(reads.operands[1])}, exit->result()->name());
  };
  std::vector<Value*> results;
  for (size_t i = 0; i < sums.size(); ++i)
    results.push_back(make::add(inside, {so_far[i], compute(sums[i])}));
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
    whole.push_back(make::reshape(builder, stack.whole, shape));
  }
  sums.insert(sums.end(), stacks.begin(), stacks.end());
  for (size_t i = 0; i < sums.size(); ++i) {
    Op* made = whole[i]->op();
    replace_op(sums[i], {&whole[i], 1}, {&made, 1});
  }
  return seed;
}

}  // namespace ingot::pass
