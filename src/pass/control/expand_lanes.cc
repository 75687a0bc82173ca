// expand_lanes: a while or a cond with lanes becomes one without, whose regions do all lanes at once.
//
// Lanes (ops/lanes.h) are one dimension from here on. A while carries a mask besides, which lanes run still,
// and whether any does, which is its predicate; each step does all lanes, and those that have ended keep what
// they carry. Of a cond, light branches (branch_cost.h) are done for all lanes, others if any lane takes
// them; selects choose.
//
// A lane that takes no part computes something all the same, which nobody sees. Where that could run for long
// or forever, since a region holds loops or branches of its own, such a lane is given what the first lane
// that takes part has: it does then what that one does, and holds up nothing.

#include <limits>

#include "ir/builder.h"
#include "ops/control.h"
#include "ops/make.h"
#include "pass/branch_cost.h"
#include "pass/control/number.h"
#include "pass/passes.h"
#include "pass/replace.h"
#include "transform/batch.h"

namespace ingot::pass {
namespace {

using ir::Batched;
using ir::IntList;
using ir::Op;
using ir::Region;
using ir::TensorType;
using ir::Value;

Value* spread(ir::Builder& builder, Value* value, const Shape& shape, IntList dims) {
  if (value->shape() == shape) return value;
  return make::broadcast(builder, value, shape, std::move(dims));
}

// A reduction of one dimension to a scalar by one operation.
Value* reduced(ir::Builder& builder, Value* x, Value* initial, make::Binary* combiner) {
  return make::reduce(builder, combiner, {x, initial}, {0});
}

Value* any_of(ir::Builder& builder, Value* mask) {
  return reduced(builder, mask, builder.constant(Tensor(DType::kPred, {})), make::bit_or);
}

// Expands one operation, before which everything is made.
class Expanding {
 public:
  Expanding(Op& op, ops::Lanes lanes) : op_(op), lanes_(std::move(lanes)), builder_(*op.parent(), &op) {
    provenance_ = op.provenance().derived("expand_lanes", std::string(op.name()));
    builder_.set_provenance(provenance_);
    for (const int64_t extent : lanes_.extents) count_ *= extent;
    for (int i = 0; i < op.operand_count(); ++i) operands_.push_back(flat(i));
  }

  void run() {
    const std::vector<Value*> flat_results = count_ == 0                  ? run_none()
                                             : ops::is<ops::WhileOp>(op_) ? run_while(ops::WhileOp(op_))
                                                                          : run_cond(ops::CondOp(op_));
    std::vector<Value*> results;
    std::vector<Op*> made;
    for (size_t k = 0; k < flat_results.size(); ++k) {
      const Shape& shape = op_.result(static_cast<int>(k))->shape();
      Value* result = flat_results[k];
      if (result->shape() != shape) result = make::reshape(builder_, result, shape);
      results.push_back(result);
      made.push_back(result->op());
    }
    ir::Function* function = op_.function();
    replace_op(&op_, results, made);
    for (const auto& [value, name] : names_) function->rename(value, name);
  }

 private:
  // Without lanes there is nothing to do, and no lane that could lend another one what it has.
  std::vector<Value*> run_none() {
    std::vector<Value*> results;
    for (const Value* result : op_.results())
      results.push_back(builder_.constant(Tensor(result->dtype(), result->shape())));
    return results;
  }

  bool is_mapped(int operand) const { return lanes_.is_mapped(operand); }

  // The operand with all lanes as one dimension.
  Value* flat(int i) {
    Value* value = op_.operand(i);
    if (!is_mapped(i) || lanes_.rank() == 1) return value;
    const TensorType lane = lanes_.of_lane(value->type());
    return make::reshape(builder_, value, all(lane.shape));
  }

  Shape all(Shape lane) const {
    lane.insert(lane.begin(), count_);
    return lane;
  }

  // The region for all lanes, all of whose results have them in front. Operand `first` is its argument 0.
  std::unique_ptr<Region> batched(const Region& region, int first = 0) {
    std::vector<int64_t> axes, wanted(region.results().size(), 0);
    for (int i = first; i < op_.operand_count(); ++i) axes.push_back(is_mapped(i) ? 0 : Batched::kShared);
    return std::move(transform::batch_region(region, {count_, "", provenance_}, axes, wanted).region);
  }

  // What the region makes of these, before the end of the builder's region.
  static std::vector<Value*> inlined(ir::Builder& builder, const Region& region,
                                     const std::vector<Value*>& arguments, Op* before = nullptr) {
    ir::ValueMap map;
    for (size_t i = 0; i < arguments.size(); ++i) map[region.argument(static_cast<int>(i))] = arguments[i];
    return ir::clone_ops(region, builder.region(), map, before);
  }

  static Value* chosen(ir::Builder& builder, Value* mask, Value* yes, Value* no) {
    if (yes == no) return yes;
    return make::select(builder, {spread(builder, mask, yes->shape(), {0}), yes, no});
  }

  // For lanes that are not in the mask, what the first one has that is. Some lane is.
  void lend(ir::Builder& builder, Value* mask, std::vector<Value*>& values, int first_operand) const {
    const DType dtype = count_ > std::numeric_limits<int32_t>::max() ? DType::kS64 : DType::kS32;
    Value* last = number(builder, count_ - 1, dtype);
    Value* lanes = make::iota(builder, dtype, Shape{count_}, 0);
    Value* far = spread(builder, last, {count_}, {});
    Value* first = reduced(builder, make::select(builder, {mask, lanes, far}), last, make::min);
    for (size_t i = 0; i < values.size(); ++i) {
      if (!is_mapped(static_cast<int>(i) + first_operand)) continue;
      const Shape& shape = values[i]->shape();
      IntList window, dims, sizes(shape.begin(), shape.end());
      for (int64_t d = 1; d < static_cast<int64_t>(shape.size()); ++d) {
        window.push_back(d - 1);
        dims.push_back(d);
      }
      sizes[0] = 1;
      Value* one = builder.value("gather", {values[i], first},
                                 {{"offset_dims", window},
                                  {"collapsed_slice_dims", IntList{0}},
                                  {"operand_batching_dims", IntList{}},
                                  {"start_indices_batching_dims", IntList{}},
                                  {"start_index_map", IntList{0}},
                                  {"index_vector_dim", int64_t{0}},
                                  {"slice_sizes", sizes},
                                  {"mode", std::string("clip")}});
      values[i] = chosen(builder, mask, values[i], spread(builder, one, shape, dims));
    }
  }

  std::vector<Value*> run_while(const ops::WhileOp& loop) {
    const std::unique_ptr<Region> predicate = batched(loop.predicate()), step = batched(loop.body());
    Value* running = inlined(builder_, *predicate, operands_, &op_)[0];
    std::vector<Value*> operands{any_of(builder_, running), running};
    operands.insert(operands.end(), operands_.begin(), operands_.end());

    std::unique_ptr<Region> asked = builder_.make_region(), body = builder_.make_region();
    for (size_t i = 0; i < operands.size(); ++i) {
      const int lane = static_cast<int>(i) - 2;  // the argument of one lane
      const auto add = [&](Region& region, const Region& old) {
        const std::string name = i == 0 ? "any" : i == 1 ? "running" : old.argument(lane)->name();
        Value* argument = region.add_argument(operands[i]->type(), name);
        if (i > 1) names_.emplace_back(argument, name);
      };
      add(*asked, loop.predicate());
      add(*body, loop.body());
    }
    asked->set_results({asked->argument(0)});

    ir::Builder inside(*body);
    inside.set_provenance(provenance_);
    std::vector<Value*> state = body->arguments();  // the mask, the carries, the invariants
    state.erase(state.begin());
    std::vector<Value*> next = one_step(inside, loop, *predicate, *step, state);
    next.insert(next.begin(), any_of(inside, next[0]));
    body->set_results(next);

    ops::WhileForm form = loop.form();
    form.carries += 2;
    form.lanes = {};
    ir::Attributes attributes = op_.attributes();
    form.write(attributes);
    std::vector<std::unique_ptr<Region>> regions;
    regions.push_back(std::move(asked));
    regions.push_back(std::move(body));
    std::vector<std::string> names = result_names();
    names.insert(names.begin(), {"any", "running"});
    std::vector<Value*> results =
        builder_.make("while", operands, std::move(attributes), std::move(regions), std::move(names))
            ->results();
    results.erase(results.begin(), results.begin() + 2);
    return results;
  }

  // From which lanes run, what they carry and read, to the next of what is carried.
  std::vector<Value*> one_step(ir::Builder& builder, const ops::WhileOp& loop, const Region& predicate,
                               const Region& step, const std::vector<Value*>& state) const {
    Value* mask = state[0];
    std::vector<Value*> arguments(state.begin() + 1, state.end()), given = arguments;
    if (holds_choices(loop.body())) lend(builder, mask, given, 0);
    std::vector<Value*> next = inlined(builder, step, given);
    for (size_t k = 0; k < next.size(); ++k)
      next[k] = arguments[k] = chosen(builder, mask, next[k], arguments[k]);
    // Of a lane that has ended the predicate is false again, which `and` makes plain.
    next.insert(next.begin(), make::bit_and(builder, {mask, inlined(builder, predicate, arguments)[0]}));
    return next;
  }

  std::vector<Value*> run_cond(const ops::CondOp& cond) {
    const std::vector<Value*> arguments(operands_.begin() + 1, operands_.end());
    std::vector<Value*> results;  // of the branches from here on
    std::vector<Value*> up_to;    // by branch: whether the index names it or one before
    for (int b = 0; b + 1 < cond.branch_count(); ++b) {
      Value* last = spread(builder_, number(builder_, b), {count_}, {});
      up_to.push_back(make::compare(builder_, "le", {operands_[0], last}));
    }
    for (int b = cond.branch_count(); b-- > 0;) {
      const std::unique_ptr<Region> branch = batched(cond.branch(b), 1);
      std::vector<Value*> made;
      if (is_light(cond.branch(b))) {
        made = inlined(builder_, *branch, arguments, &op_);
      } else {
        made = if_any(cond.branch(b), *branch, taken(up_to, b), arguments);
      }
      if (results.empty()) {
        results = std::move(made);
        continue;
      }
      for (size_t k = 0; k < results.size(); ++k)
        results[k] = chosen(builder_, up_to[static_cast<size_t>(b)], made[k], results[k]);
    }
    return results;
  }

  Value* taken(const std::vector<Value*>& up_to, int branch) {
    const auto b = static_cast<size_t>(branch);
    if (up_to.empty()) return spread(builder_, builder_.constant(Tensor::of<bool>({}, {true})), {count_}, {});
    if (b == 0) return up_to[0];
    Value* beyond = make::bit_not(builder_, up_to[b - 1]);
    return b == up_to.size() ? beyond : make::bit_and(builder_, {up_to[b], beyond});
  }

  // A branch for all lanes if any takes it, else zeros.
  std::vector<Value*> if_any(const Region& one, const Region& branch, Value* mask,
                             const std::vector<Value*>& arguments) {
    std::unique_ptr<Region> none = builder_.make_region(), some = builder_.make_region();
    std::vector<Value*> operands{make::convert(builder_, any_of(builder_, mask), DType::kS32), mask};
    operands.insert(operands.end(), arguments.begin(), arguments.end());
    for (size_t i = 1; i < operands.size(); ++i) {
      const std::string name = i == 1 ? "taken" : one.argument(static_cast<int>(i) - 2)->name();
      none->add_argument(operands[i]->type(), name);
      Value* argument = some->add_argument(operands[i]->type(), name);
      if (i > 1) names_.emplace_back(argument, name);
    }
    ir::Builder zeros(*none), inside(*some);
    zeros.set_provenance(provenance_);
    inside.set_provenance(provenance_);
    std::vector<Value*> nothing;
    for (const Value* result : branch.results())
      nothing.push_back(spread(zeros, zeros.constant(Tensor(result->dtype(), {})), result->shape(), {}));
    none->set_results(nothing);
    std::vector<Value*> given = some->arguments();
    given.erase(given.begin());
    if (holds_choices(one)) lend(inside, some->argument(0), given, 1);
    some->set_results(inlined(inside, branch, given));
    std::vector<std::unique_ptr<Region>> regions;
    regions.push_back(std::move(none));
    regions.push_back(std::move(some));
    return builder_.make("cond", operands, {}, std::move(regions), result_names())->results();
  }

  std::vector<std::string> result_names() const {
    std::vector<std::string> names;
    for (const Value* result : op_.results()) names.push_back(result->name());
    return names;
  }

  Op& op_;
  ops::Lanes lanes_;
  ir::Builder builder_;
  ir::Provenance provenance_;
  int64_t count_ = 1;                                  // of lanes
  std::vector<Value*> operands_;                       // of the operation, with its lanes as one dimension
  std::vector<std::pair<Value*, std::string>> names_;  // that arguments get once those of one lane are gone
};

ops::Lanes lanes_of(const Op& op) {
  if (const auto loop = ops::as<ops::WhileOp>(op)) return loop->lanes();
  if (const auto cond = ops::as<ops::CondOp>(op)) return cond->lanes();
  return {};
}

class ExpandLanes : public Pass {
 public:
  std::string_view name() const override { return "expand_lanes"; }
  std::string_view why() const override {
    return "Makes loops and branches with lanes such that do all lanes at once; it follows the first round "
           "of "
           "algebra, which makes the regions of one lane small while they are, and precedes all that makes "
           "kernels, which know no lanes.";
  }
  bool required() const override { return true; }

  bool run(ir::Module& module, PassContext& context) override {
    bool changed = false;
    // Batched callees are added at the end.
    for (size_t f = 0; f < module.functions().size(); ++f)
      changed |= expand(module.functions()[f]->body(), context);
    return changed;
  }

 private:
  // Outer ones first: what is in their regions may get lanes by that.
  static bool expand(Region& region, PassContext& context) {
    bool changed = false;
    for (auto it = region.ops().begin(); it != region.ops().end();) {
      Op& op = **it;
      ops::Lanes lanes = lanes_of(op);
      if (lanes.any() && context.must("expand", op)) {
        const bool first = it == region.ops().begin();
        const auto before = first ? it : std::prev(it);
        Expanding(op, std::move(lanes)).run();
        it = first ? region.ops().begin() : std::next(before);
        changed = true;
        continue;
      }
      for (int r = 0; r < op.region_count(); ++r) changed |= expand(op.region(r), context);
      ++it;
    }
    return changed;
  }
};

}  // namespace

std::unique_ptr<Pass> make_expand_lanes() {
  return std::make_unique<ExpandLanes>();
}

}  // namespace ingot::pass
