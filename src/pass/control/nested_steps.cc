// A step that holds loops of unknown length is no piece of a kernel, since a kernel has to end. So the step
// becomes one that may be left in the middle of a loop, and taken up again there. Its parts lie between its
// loops, which follow each other in its order:
//
//   what comes before the first inner loop, where the step begins anew
//   at most so many steps of that loop as one kernel takes of it
//   what comes behind it, where it has come to its end just now
//   and so on, up to the last one
//
// What inner loops carry becomes carries of the outer one, but for arrays that both change in part: these lie
// where the outer one's lie. They are read where a step is taken up, in that loop or behind it. What parts
// make is computed again there, from the same carries. Only what was read of arrays that the step may have
// changed since then is kept.
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
#include "pass/replace.h"

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

  const LoopsInside& inside() const { return inside_; }

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
      for (int j = 0; j < loop.op->result_count(); ++j) {
        if (loop.placed.count(j) > 0) continue;
        (j == loop.end ? inside_.left : inside_.values).push_back(static_cast<int>(operands.size()));
        left_.back()[j] = add_carry(loop.carry(j).argument);
      }
    }
    for (const Value* value : parts_.kept()) {
      inside_.values.push_back(static_cast<int>(operands.size()));
      kept_.push_back(add_carry(value));
    }
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

  // A part is taken where all loops before it have ended, unless the step is taken up behind it.
  void add_step(ir::Builder& builder) {
    const size_t loops = parts_.inner().size();
    std::vector<Value*> taken_up(loops);  // in that loop, or behind it
    for (size_t l = loops; l-- > 0;) {
      taken_up[l] = left_[l].at(parts_.inner()[l].end);
      if (l + 1 < loops) taken_up[l] = make::bit_or(builder, {taken_up[l], taken_up[l + 1]});
    }
    Value* ended = nullptr;
    for (size_t l = 0; l < loops; ++l) {
      Value* taken = make::bit_not(builder, taken_up[l]);
      if (ended != nullptr) taken = make::bit_and(builder, {ended, taken});
      add_part(builder, static_cast<int>(l), taken);
      Value* ends = make::bit_not(builder, add_loop(builder, l, taken_up[l], ended));
      ended = ended == nullptr ? ends : make::bit_and(builder, {ended, ends});
    }
    add_part(builder, static_cast<int>(loops), ended);

    std::vector<Value*> results;
    for (int k = 0; k < loop_.carry_count(); ++k) {
      Value *now = map_.at(body_.argument(k)), *next = map_.at(body_.results()[static_cast<size_t>(k)]);
      results.push_back(parts_.is_changed(k) || next == now ? next
                                                            : make::choose(builder, ended, {next, now}));
    }
    for (size_t l = 0; l < loops; ++l) {
      for (const auto& [j, argument] : left_[l]) results.push_back(map_.at(parts_.inner()[l].op->result(j)));
    }
    results.insert(results.end(), kept_.begin(), kept_.end());
    builder.region().set_results(results);
  }

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

  // Steps of the inner loop, from its start where those before it have `ended`, and the step is not taken up
  // in it or behind it. Returns whether it goes on.
  Value* add_loop(ir::Builder& builder, size_t l, Value* taken_up, Value* ended) {
    const NestedParts::Inner& inner = parts_.inner()[l];
    const Op& op = *inner.op;
    const Region& body = ops::WhileOp(op).body();
    for (const auto& [j, left] : left_[l]) {
      Value* first = map_.at(op.operand(j));
      if (j == inner.end && ended != nullptr) first = make::bit_and(builder, {ended, first});
      map_[body.argument(j)] = make::choose(builder, taken_up, {left, first});
    }
    for (size_t n = 0; n < kept_.size(); ++n) {
      const Value* kept = parts_.kept()[n];
      if (parts_.part_of(kept) != static_cast<int>(l)) continue;
      Value*& value = map_.at(kept);
      kept_[n] = value = make::choose(builder, taken_up, {kept_[n], value});
    }
    for (int i = 0; i < op.operand_count(); ++i) {
      if (left_[l].count(i) == 0) map_[body.argument(i)] = map_.at(op.operand(i));
    }
    Op* copy = ir::clone_op(inner.steps.op(), builder.region(), map_);
    note(*copy, inner.steps.op());
    for (int j = 0; j < op.result_count(); ++j)
      map_[op.result(j)] = copy->result(inner.carries[static_cast<size_t>(j)]);
    return map_.at(op.result(inner.end));
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
  LoopsInside inside_;
  ir::ValueMap map_;
  std::unordered_map<std::string, std::string> names_;  // by a copy's: the original's
};

}  // namespace

bool take_nested_steps(Op& loop, PassContext& context, std::vector<Value*>* results) {
  Nest nest(loop);
  Op* fresh = nest.make();
  if (fresh == nullptr) return false;
  if (!take_steps(*fresh, context, &nest.inside())) {
    erase_attempt(*fresh);
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
