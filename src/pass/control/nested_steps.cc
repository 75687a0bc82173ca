// A step that holds loops of unknown length is no piece of a kernel, since a kernel has to end. So the step
// becomes one that may be left in the middle of a loop, and taken up again there. Its parts lie between its
// loops, which follow each other in its order:
//
//   what comes before the first inner loop        where the step begins anew
//   at most so many steps of that loop as one kernel takes of it
//   what comes behind it                          where it has come to its end just now
//   and so on, up to the last one
//
// What inner loops carry becomes carries of the outer one, but for arrays that both change in part: these lie
// where the outer one's lie. Once an inner loop has ended, its carries stay what they became until the step
// begins anew. What parts make is computed again where a step is taken up, from the same carries. Only what
// was read of arrays that the step may have changed since then is kept.
#include "pass/control/nested_steps.h"

#include <map>
#include <optional>
#include <unordered_map>

#include "ir/builder.h"
#include "ops/control.h"
#include "ops/make.h"
#include "pass/control/nested_parts.h"
#include "pass/control/take_steps.h"
#include "pass/masked_updates.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Region;
using ir::Value;

class Nest {
 public:
  explicit Nest(Op& op) : op_(op), loop_(op), body_(loop_.body()), parts_(loop_) {}

  // The loop whose steps may be left in the middle, before the given one; null where it is none.
  Op* make() {
    const std::optional<int> end = plain_end(loop_);
    return end && loop_.form().at_once <= 1 && parts_.find() ? build(*end) : nullptr;
  }

  // Once the loop is gone: its values' names, for those that stand for them in the copy.
  void give_names(Op& fresh) const {
    ir::Function& function = *fresh.function();
    const auto give = [&](Value* value) {
      if (const auto name = names_.find(value->name()); name != names_.end())
        function.rename(value, name->second);
    };
    for (int r = 0; r < fresh.region_count(); ++r) {
      for (Value* argument : fresh.region(r).arguments()) give(argument);
      ir::walk(fresh.region(r), [&](Op& op) {
        for (Value* result : op.results()) give(result);
        for (int i = 0; i < op.region_count(); ++i) {
          for (Value* argument : op.region(i).arguments()) give(argument);
        }
      });
    }
  }

 private:
  Op* build(int end) {
    ir::Function* function = op_.function();
    std::unique_ptr<Region> predicate = function->make_region(), step = function->make_region();
    ir::Builder outside(*op_.parent(), &op_), inside(*step);
    outside.set_provenance(op_.provenance().derived("rotate_loops", std::string(op_.name())));
    inside.set_provenance(outside.provenance());
    std::vector<Value*> operands;
    const auto add = [&](Value* operand, const Value* like) {
      operands.push_back(operand);
      predicate->add_argument(operand->type(), like->name());
      return step->add_argument(operand->type(), like->name());
    };
    for (int k = 0; k < loop_.carry_count(); ++k)
      map_[body_.argument(k)] = add(op_.operand(k), body_.argument(k));
    const auto add_carry = [&](const Value* like) {  // of no value before the inner loop is begun
      return add(outside.constant(Tensor(like->dtype(), like->shape())), like);
    };
    for (const NestedParts::Inner& loop : parts_.inner()) {
      left_.emplace_back();
      for (int j = 0; j < loop.steps.carry_count(); ++j) {
        if (loop.placed.count(j) == 0) left_.back()[j] = add_carry(loop.steps.carry(j).argument);
      }
    }
    for (const Value* value : parts_.kept()) kept_.push_back(add_carry(value));
    ops::WhileForm form = loop_.form();
    form.carries = static_cast<int>(operands.size());
    for (int i = loop_.carry_count(); i < op_.operand_count(); ++i)
      map_[body_.argument(i)] = add(op_.operand(i), body_.argument(i));

    add_step(inside);
    predicate->set_results({predicate->argument(end)});
    ir::Attributes attributes = op_.attributes();
    form.write(attributes);
    std::vector<std::unique_ptr<Region>> regions;
    regions.push_back(std::move(predicate));
    regions.push_back(std::move(step));
    return outside.make("while", operands, std::move(attributes), std::move(regions));
  }

  // It begins anew where it was left in none of its loops.
  void add_step(ir::Builder& builder) {
    const size_t loops = parts_.inner().size();
    Value* was_left = goes_on(0);
    for (size_t l = 1; l < loops; ++l) was_left = make::bit_or(builder, {was_left, goes_on(l)});
    Value* taken = make::bit_not(builder, was_left);
    for (size_t l = 0; l < loops; ++l) {
      add_part(builder, static_cast<int>(l), taken);
      Value* ends = make::bit_not(builder, add_loop(builder, l, taken));
      if (loops > 1) ends = make::bit_and(builder, {make::bit_or(builder, {taken, goes_on(l)}), ends});
      taken = ends;
    }
    add_part(builder, static_cast<int>(loops), taken);

    std::vector<Value*> results;
    for (int k = 0; k < loop_.carry_count(); ++k) {
      Value *now = map_.at(body_.argument(k)), *next = map_.at(body_.results()[static_cast<size_t>(k)]);
      results.push_back(parts_.is_changed(k) || next == now ? next
                                                            : make::choose(builder, taken, {next, now}));
    }
    for (size_t l = 0; l < loops; ++l) {
      for (const auto& [j, argument] : left_[l]) results.push_back(map_.at(parts_.inner()[l].op->result(j)));
    }
    results.insert(results.end(), kept_.begin(), kept_.end());
    builder.region().set_results(results);
  }

  // Whether the step was left in that inner loop.
  Value* goes_on(size_t l) const { return left_[l].at(parts_.inner()[l].end); }

  // A part of the step, whose updates are made where it is `taken`.
  void add_part(ir::Builder& builder, int part, Value* taken) {
    for (const auto& op : body_.ops()) {
      if (!parts_.is_of_part(*op, part)) continue;
      Op* copy = ir::clone_op(*op, builder.region(), map_);
      if (!parts_.is_change(*op)) {
        note(*copy, *op);
        continue;
      }
      Value*& version = map_.at(op->result());
      version = update_where(builder, taken, *copy, copy->operand(0));
      names_[version->name()] = op->result()->name();
      copy->erase();
    }
  }

  // Steps of the inner loop, from its start where the part before it was taken. Returns whether it goes on.
  Value* add_loop(ir::Builder& builder, size_t l, Value* taken) {
    const auto& [op, steps, end, placed] = parts_.inner()[l];
    for (const auto& [j, argument] : left_[l])
      map_[steps.op().operand(j)] = make::choose(builder, taken, {map_.at(op->operand(j)), argument});
    for (size_t n = 0; n < kept_.size(); ++n) {
      const Value* kept = parts_.kept()[n];
      if (parts_.part_of(kept) != static_cast<int>(l)) continue;
      Value*& value = map_.at(kept);
      kept_[n] = value = make::choose(builder, taken, {value, kept_[n]});
    }
    for (int i = 0; i < op->operand_count(); ++i) {
      if (left_[l].count(i) == 0) map_[steps.op().operand(i)] = map_.at(op->operand(i));
    }
    Op* copy = ir::clone_op(steps.op(), builder.region(), map_);
    note(*copy, steps.op());
    for (int j = 0; j < steps.carry_count(); ++j) map_[op->result(j)] = copy->result(j);
    return copy->result(end);
  }

  void note(const Op& copy, const Op& original) {
    for (int i = 0; i < original.result_count(); ++i)
      names_[copy.result(i)->name()] = original.result(i)->name();
    for (int r = 0; r < original.region_count(); ++r) {
      const Region &to = copy.region(r), &from = original.region(r);
      for (int i = 0; i < from.argument_count(); ++i)
        names_[to.argument(i)->name()] = from.argument(i)->name();
      auto made = to.ops().begin();
      for (const auto& op : from.ops()) note(**made++, *op);
    }
  }

  Op& op_;
  const ops::WhileOp loop_;
  const Region& body_;
  NestedParts parts_;
  std::vector<std::map<int, Value*>> left_;  // carries of each inner loop, as they were where it was left
  std::vector<Value*> kept_;                 // of what parts have read
  ir::ValueMap map_;
  std::unordered_map<std::string, std::string> names_;  // by a copy's: the original's
};

}  // namespace

bool take_nested_steps(Op& loop, PassContext& context, std::vector<Value*>* results) {
  Nest nest(loop);
  Op* fresh = nest.make();
  if (fresh == nullptr) return false;
  if (!take_steps(*fresh, context)) {
    fresh->erase();
    return false;
  }
  std::vector<std::string> names;
  for (int k = 0; k < loop.result_count(); ++k) {
    names.push_back(loop.result(k)->name());
    loop.result(k)->replace_all_uses_with(fresh->result(k));
  }
  ir::Function& function = *loop.function();
  loop.erase();
  for (size_t k = 0; k < names.size(); ++k) function.rename(fresh->result(static_cast<int>(k)), names[k]);
  nest.give_names(*fresh);
  if (results != nullptr) *results = fresh->results();
  return true;
}

}  // namespace ingot::pass
