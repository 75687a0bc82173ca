#include "pass/attention/softmax_loops.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "ir/builder.h"
#include "ops/control.h"
#include "ops/kinds.h"
#include "ops/make.h"
#include "pass/attention/blocked.h"
#include "pass/attention/seen_keys.h"
#include "pass/fusion/fusion_groups.h"
#include "pass/replace.h"

namespace ingot::pass {
namespace {

using ir::IntList;
using ir::Op;
using ir::Value;

Value* reduce(ir::Builder& b, make::Binary* combiner, Value* x, double init, int64_t axis) {
  Tensor scalar(x->dtype(), {});
  scalar.set_double(0, init);
  return make::reduce(b, combiner, {x, b.constant(scalar)}, {axis});
}

Value* spread_rows(ir::Builder& b, Value* rows, const Value* scores, int64_t axis) {
  return make::broadcast(b, rows, scores->shape(), all_but(scores->rank(), axis));
}

Value* counted(ir::Builder& b, int64_t steps) {
  return make::iota(b, DType::kS64, Shape{steps}, 0);
}

// The contraction for one index of a batch dimension at a time: what a step makes stays in the caches nearby.
class OverBatch {
 public:
  OverBatch(const Attention& found, int64_t dim)
      : found_(found),
        dim_(dim),
        builder_(*found.contraction->parent(), found.contraction),
        scores_({BlockPlace{found.scores, found.batch(dim)}}, Blocked::Repeats::kOwnProducts) {
    const Op& op = *found.contraction;
    builder_.set_provenance(op.provenance().derived("online_softmax", std::string(op.name())));
  }

  // Returns the contraction of one step.
  Op* run() {
    const Op& op = *found_.contraction;
    const int64_t steps = op.result()->shape()[at(dim_)];
    region_ = builder_.make_region();
    ir::Builder inside(*region_);
    inside.set_provenance(builder_.provenance());
    Blocked::Inputs inputs;
    inputs.size = 1;
    for (const BlockPlace& slice : scores_.slices())
      inputs.slices.push_back(scanned(inside, slice.value, slice.axis));
    Value* other = scanned(inside, found_.other(), found_.other_batch(dim_));
    if (scores_.needs_start()) {
      operands_.push_back(counted(builder_, steps));
      axes_.push_back(0);
      inputs.start = region_->add_argument({DType::kS64, {}}, "start");
    }
    for (Value* value : scores_.wholes()) {
      operands_.push_back(value);
      inputs.wholes.push_back(region_->add_argument(value->type(), value->name()));
    }
    Value* scores = Blocked::Emission(scores_, inside, inputs).piece({found_.scores, found_.batch(dim_)});
    Op* step = contract(inside, scores, other);
    Shape shape = step->result()->shape();
    shape.erase(shape.begin() + dim_);
    region_->set_results({make::reshape(inside, step->result(), shape)});
    std::vector<std::unique_ptr<ir::Region>> regions;
    regions.push_back(std::move(region_));
    const ops::ScanForm form{.length = steps, .xs_axes = axes_, .ys_axes = {dim_}};
    Op* scan = builder_.make("scan", operands_, form.attributes(), std::move(regions));
    Value* result = scan->result();
    replace_op(found_.contraction, {&result, 1}, {&scan, 1});
    return step;
  }

 private:
  // A slice, with its dimension of extent 1.
  Value* scanned(ir::Builder& inside, Value* value, int64_t axis) {
    operands_.push_back(value);
    axes_.push_back(axis);
    Shape shape = value->shape();
    shape[at(axis)] = 1;
    Shape slice = shape;
    slice.erase(slice.begin() + axis);
    Value* argument = region_->add_argument({value->dtype(), slice}, value->name());
    return make::reshape(inside, argument, shape);
  }

  Op* contract(ir::Builder& b, Value* scores, Value* other) const {
    Value* maximum = reduce(b, make::max, scores, -HUGE_VAL, found_.axis);
    Value* weights = make::exp(b, make::sub(b, {scores, spread_rows(b, maximum, scores, found_.axis)}));
    if (found_.divided) {
      Value* sum = reduce(b, make::add, weights, 0, found_.axis);
      weights = make::div(b, {weights, spread_rows(b, sum, scores, found_.axis)});
    }
    std::vector<Value*> operands = {weights, other};
    if (found_.side == 1) std::swap(operands[0], operands[1]);
    return make::like(b, *found_.contraction, operands)->op();
  }

  const Attention& found_;
  int64_t dim_;
  ir::Builder builder_;
  Blocked scores_;
  std::unique_ptr<ir::Region> region_;
  std::vector<Value*> operands_;
  IntList axes_;
};

class OverKeys {
 public:
  OverKeys(const Attention& found, int64_t block)
      : found_(found),
        block_(block),
        builder_(*found.contraction->parent(), found.contraction),
        scores_({BlockPlace{found.scores, found.axis}}, Blocked::Repeats::kOwnProducts) {
    const Op& op = *found.contraction;
    builder_.set_provenance(op.provenance().derived("online_softmax", std::string(op.name())));
  }

  // With candidates: false, and nothing done, if the loop cannot be one kernel.
  bool run(kernel::Candidates* candidates) {
    std::unordered_set<const Op*> before;
    if (candidates != nullptr) {
      for (const auto& op : builder_.region().ops()) before.insert(op.get());
    }
    const int64_t whole = found_.keys() / block_ * block_;
    State state{full(row_shape(), -HUGE_VAL), full(row_shape(), 0),
                full(found_.contraction->result()->shape(), 0)};
    state = loop(state, 0, whole, block_);
    if (candidates != nullptr && !why_no_kernel(*state.result->op(), *candidates).empty()) {
      std::vector<Op*> made;
      for (const auto& op : builder_.region().ops()) {
        if (before.count(op.get()) == 0) made.push_back(op.get());
      }
      for (size_t i = made.size(); i-- > 0;) made[i]->erase();
      return false;
    }
    if (whole < found_.keys()) state = loop(state, whole, found_.keys(), found_.keys() - whole);
    Value* result = state.result;
    if (found_.divided) result = make::div(builder_, {result, spread_over_result(builder_, state.sum)});
    Op* made = result->op();
    replace_op(found_.contraction, {&result, 1}, {&made, 1});
    return true;
  }

 private:
  struct State {
    Value *maximum, *sum, *result;
  };

  Value* full(const Shape& shape, double number) {
    Tensor scalar(found_.scores->dtype(), {});
    scalar.set_double(0, number);
    return make::spread(builder_, builder_.constant(scalar), shape);
  }

  Shape row_shape() const {
    Shape shape = found_.scores->shape();
    shape.erase(shape.begin() + found_.axis);
    return shape;
  }

  // A value per row of the scores, spread over the rows of the result.
  Value* spread_over_result(ir::Builder& b, Value* rows) const {
    const IntList& batch = ops::DotGeneralOp(*found_.contraction).batch(found_.side);
    const auto batches = static_cast<int64_t>(batch.size());
    int64_t next = batches;
    if (found_.side == 1) next += found_.other()->rank() - batches - 1;
    std::vector<std::pair<int64_t, int64_t>> places;  // in the result, of the rows
    int64_t row = 0;
    for (int64_t d = 0; d < found_.scores->rank(); ++d) {
      if (d == found_.axis) continue;
      const auto in_batch = std::find(batch.begin(), batch.end(), d);
      places.emplace_back(in_batch != batch.end() ? in_batch - batch.begin() : next++, row++);
    }
    std::sort(places.begin(), places.end());
    IntList dims, permutation;
    for (auto [place, from] : places) dims.push_back(place), permutation.push_back(from);
    if (!std::is_sorted(permutation.begin(), permutation.end())) rows = make::transpose(b, rows, permutation);
    return make::broadcast(b, rows, found_.contraction->result()->shape(), dims);
  }

  // One block of keys joins.
  State step(ir::Builder& b, const State& state, const Blocked::Inputs& inputs, Value* values) const {
    Value* scores = Blocked::Emission(scores_, b, inputs).piece({found_.scores, found_.axis});
    Value* maximum = make::max(b, {state.maximum, reduce(b, make::max, scores, -HUGE_VAL, found_.axis)});
    // Nothing may be taken off where no score is finite yet.
    Value* finite = make::is_finite(b, maximum);
    Tensor zero(scores->dtype(), {});
    Value* zeros = make::spread(b, b.constant(zero), maximum->shape());
    Value* shift = make::select(b, {finite, maximum, zeros});
    Value* weights = make::exp(b, make::sub(b, {scores, spread_rows(b, shift, scores, found_.axis)}));
    Value* scale = make::exp(b, make::sub(b, {state.maximum, shift}));
    Value* sum =
        make::add(b, {make::mul(b, {state.sum, scale}), reduce(b, make::add, weights, 0, found_.axis)});
    std::vector<Value*> operands = {weights, values};
    if (found_.side == 1) std::swap(operands[0], operands[1]);
    Value* product = make::like(b, *found_.contraction, operands);
    Value* result = make::add(b, {make::mul(b, {state.result, spread_over_result(b, scale)}), product});
    return {maximum, sum, result};
  }

  // [.., keys, ..] from begin to end as [.., blocks, block, ..].
  Value* cut(Value* value, int64_t axis, int64_t begin, int64_t end, int64_t block) {
    value = piece(value, axis, begin, end);
    Shape shape = value->shape();
    shape[at(axis)] = block;
    shape.insert(shape.begin() + axis, (end - begin) / block);
    return make::reshape(builder_, value, shape);
  }

  Value* piece(Value* value, int64_t axis, int64_t begin, int64_t end) {
    if (begin == 0 && end == value->shape()[at(axis)]) return value;
    IntList starts(value->shape().size(), 0), strides(value->shape().size(), 1);
    IntList limits = value->shape();
    starts[at(axis)] = begin;
    limits[at(axis)] = end;
    return make::slice(builder_, value, starts, limits, strides);
  }

  // Over the blocks between two keys.
  State loop(const State& initial, int64_t begin, int64_t end, int64_t block) {
    std::unique_ptr<ir::Region> region = builder_.make_region();
    std::vector<Value*> operands = {initial.maximum, initial.sum, initial.result};
    const State state{region->add_argument(operands[0]->type(), "maximum"),
                      region->add_argument(operands[1]->type(), "sum"),
                      region->add_argument(operands[2]->type(), "result")};
    IntList axes;
    auto scanned = [&](Value* value, int64_t axis) {
      Value* operand = cut(value, axis, begin, end, block);
      operands.push_back(operand);
      axes.push_back(axis);
      Shape shape = operand->shape();
      shape.erase(shape.begin() + axis);
      return region->add_argument({value->dtype(), shape}, value->name());
    };
    Blocked::Inputs inputs;
    inputs.size = block;
    for (const BlockPlace& slice : scores_.slices())
      inputs.slices.push_back(scanned(slice.value, slice.axis));
    Value* values = scanned(found_.other(), found_.other_axis());
    if (scores_.needs_start()) {
      operands.push_back(starts(begin, (end - begin) / block, block));
      axes.push_back(0);
      inputs.start = region->add_argument({DType::kS64, {}}, "start");
    }
    for (Value* value : scores_.wholes()) {
      operands.push_back(value);
      inputs.wholes.push_back(region->add_argument(value->type(), value->name()));
    }
    ir::Builder inside(*region);
    inside.set_provenance(builder_.provenance());
    const State next = step(inside, state, inputs, values);
    region->set_results({next.maximum, next.sum, next.result});
    std::vector<std::unique_ptr<ir::Region>> regions;
    regions.push_back(std::move(region));
    ops::ScanForm form{.carries = 3, .length = (end - begin) / block, .xs_axes = axes};
    if (const std::optional<SeenKeys> seen = seen_keys(found_)) {
      // Of a block, the key that is seen by most rows.
      const int64_t key = begin + (seen->per_key > 0 ? block - 1 : 0);
      form.active = {seen->row_dim, seen->per_row, seen->per_key * block,
                     seen->per_key * key + seen->constant};
    }
    const Op* scan = builder_.make("scan", operands, form.attributes(), std::move(regions));
    return {scan->result(0), scan->result(1), scan->result(2)};
  }

  // Where each block begins.
  Value* starts(int64_t begin, int64_t blocks, int64_t block) {
    const auto all = [&](int64_t number) { return make::spread(builder_, integer(number), Shape{blocks}); };
    Value* numbers = make::mul(builder_, {counted(builder_, blocks), all(block)});
    return begin == 0 ? numbers : make::add(builder_, {numbers, all(begin)});
  }

  Value* integer(int64_t number) {
    Tensor scalar(DType::kS64, {});
    scalar.set_int(0, number);
    return builder_.constant(scalar);
  }

  const Attention& found_;
  int64_t block_;
  ir::Builder builder_;
  Blocked scores_;
};

}  // namespace

Op* loop_over_batch(const Attention& found, int64_t dim) {
  return OverBatch(found, dim).run();
}

bool loop_over_keys(const Attention& found, int64_t block, kernel::Candidates* candidates) {
  return OverKeys(found, block).run(candidates);
}

}  // namespace ingot::pass
