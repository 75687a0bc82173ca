// A step that holds a loop of unknown length is no piece of a kernel, since a kernel has to end. So the step
// becomes one that may be left in the middle of its loop, and taken up again there:
//
//   what comes before the inner loop    where the step begins anew
//   at most so many steps of the inner loop as one kernel takes of it
//   what comes behind the inner loop    where that has come to its end
//
// What the inner loop carries becomes a carry of the outer one, but for arrays that both change in part:
// these lie where the outer one's lie. What comes before the inner loop is computed again where a step is
// taken up, from the same carries. Only what was read of arrays that the step has changed since then is kept.
#include "pass/control/nested_steps.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "ir/builder.h"
#include "kernel/lower/group.h"
#include "ops/control.h"
#include "ops/kinds.h"
#include "ops/make.h"
#include "pass/control/take_steps.h"
#include "pass/masked_updates.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Region;
using ir::Value;

bool is_few(const Value* value) {
  return element_count(value->shape()) <= kernel::kMaxUnrolledElements;
}

// The carry that says whether the loop goes on, of one that nothing is known of but that; or nothing.
std::optional<int> plain_end(const ops::WhileOp& loop) {
  if (loop.form().max_steps || loop.form().steps_before != 0 || loop.lanes().any()) return std::nullopt;
  const Value* predicate = loop.predicate().results()[0];
  const bool is_carry =
      predicate->op() == nullptr && loop.is_carry(predicate->index()) && predicate->rank() == 0;
  return is_carry ? std::optional(predicate->index()) : std::nullopt;
}

// The scan that take_steps has made of all that the loop's step does.
std::optional<ops::ScanOp> steps_of(const ops::WhileOp& loop, int end) {
  const Region& body = loop.body();
  const auto scan = ops::as<ops::ScanOp>(*body.ops().front());
  if (!scan || body.ops().size() != 2 || scan->form().running != end || scan->stack_count() > 0 ||
      scan->carry_count() != loop.carry_count() || scan->op().operand_count() != loop.op().operand_count())
    return std::nullopt;
  for (int i = 0; i < scan->op().operand_count(); ++i) {
    if (scan->op().operand(i) != body.argument(i)) return std::nullopt;
  }
  for (int k = 0; k < loop.carry_count(); ++k) {
    if (body.results()[static_cast<size_t>(k)] != scan->op().result(k)) return std::nullopt;
  }
  return scan;
}

class Nest {
 public:
  explicit Nest(Op& op) : op_(op), loop_(op), body_(loop_.body()) {}

  // The loop whose steps may be left in the middle, before the given one; null where it is none.
  Op* make() {
    const std::optional<int> end = plain_end(loop_);
    if (!end || loop_.form().at_once > 1 || !find_inner()) return nullptr;
    find_versions();
    find_reads();
    return look_at_what_is_wanted() ? build(*end) : nullptr;
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
  bool find_inner() {
    for (const auto& op : body_.ops()) {
      if (!ops::is<ops::WhileOp>(*op)) continue;
      if (inner_ != nullptr) return false;
      inner_ = op.get();
    }
    if (inner_ == nullptr) return false;
    const ops::WhileOp inner(*inner_);
    const std::optional<int> end = plain_end(inner);
    if (!end) return false;
    inner_end_ = *end;
    steps_ = steps_of(inner, *end);
    if (!steps_) return false;
    behind_.insert(inner_);
    for (const auto& op : body_.ops()) {
      const auto& operands = op->operands();
      if (std::any_of(operands.begin(), operands.end(), [&](const Value* v) { return is_behind(v); }))
        behind_.insert(op.get());
    }
    return true;
  }

  bool is_behind(const Value* value) const {
    return value->op() != nullptr && behind_.count(value->op()) > 0;
  }

  // Which carries the step changes in part, by scatters and by the inner loop.
  void find_versions() {
    for (int k = 0; k < loop_.carry_count(); ++k) {
      std::vector<const Value*> versions;
      std::optional<int> inside;
      const Value* value = body_.results()[static_cast<size_t>(k)];
      for (const Value* argument = body_.argument(k); value != argument;) {
        versions.push_back(value);
        Op* op = value->op();
        if (op == nullptr) break;
        if (op == inner_ && kernel::updated_carry(steps_->carry(value->index()))) {
          inside = value->index();
          value = op->operand(*inside);
        } else if (can_be_masked(*op)) {
          value = op->operand(0);
        } else {
          break;
        }
      }
      if (value != body_.argument(k) || versions.empty()) continue;
      versions.push_back(value);
      changed_.insert(k);
      if (inside) placed_.insert(*inside);
      const Value* last = *std::find_if(versions.begin(), versions.end(),
                                        [&](const Value* version) { return !is_behind(version); });
      for (const Value* version : versions) versions_[version] = version == last && !inside;
    }
  }

  // What comes before the inner loop and is read of what the step changes.
  void find_reads() {
    for (const auto& op : body_.ops()) {
      if (behind_.count(op.get()) > 0) continue;
      const auto& operands = op->operands();
      const bool reads = std::any_of(operands.begin(), operands.end(), [&](const Value* v) {
        return versions_.count(v) > 0 || reads_.count(v) > 0;
      });
      for (const Value* result : op->results()) {
        if (reads && versions_.count(result) == 0) reads_.insert(result);
      }
    }
  }

  // What the inner loop, and what comes behind it, is given of what comes before.
  bool look_at_what_is_wanted() {
    bool fits = true;
    const auto want = [&](Value* value) {
      if (is_behind(value)) return;
      if (const auto version = versions_.find(value); version != versions_.end()) {
        fits = fits && version->second;  // else it is another one where the step is taken up
      } else if (reads_.count(value) > 0) {
        fits = fits && is_few(value);
        if (std::find(kept_.begin(), kept_.end(), value) == kept_.end()) kept_.push_back(value);
      }
    };
    for (int i = 0; i < inner_->operand_count(); ++i) {
      if (!steps_->is_carry(i))
        want(inner_->operand(i));
      else if (placed_.count(i) == 0)
        fits = fits && is_few(inner_->operand(i));
    }
    for (const auto& op : body_.ops()) {
      if (op.get() == inner_ || op->is_return() || behind_.count(op.get()) == 0) continue;
      for (Value* operand : op->operands()) want(operand);
    }
    for (int k = 0; k < loop_.carry_count(); ++k) {
      Value* next = body_.results()[static_cast<size_t>(k)];
      if (changed_.count(k) > 0 || next == body_.argument(k)) continue;
      fits = fits && is_few(next);
      want(next);
    }
    return fits;
  }

  // --- the loop

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
    std::map<int, Value*> left;  // carries of the inner loop where it was left
    for (int j = 0; j < steps_->carry_count(); ++j) {
      if (placed_.count(j) == 0) left[j] = add_carry(steps_->carry(j).argument);
    }
    std::vector<Value*> kept;
    for (const Value* value : kept_) kept.push_back(add_carry(value));
    ops::WhileForm form = loop_.form();
    form.carries = static_cast<int>(operands.size());
    for (int i = loop_.carry_count(); i < op_.operand_count(); ++i)
      map_[body_.argument(i)] = add(op_.operand(i), body_.argument(i));

    Value* begins = make::bit_not(inside, left.at(inner_end_));
    copy(inside, begins, false);
    for (int i = 0; i < inner_->operand_count(); ++i) {
      Value* first = map_.at(inner_->operand(i));
      if (const auto found = left.find(i); found != left.end())
        first = make::choose(inside, begins, {first, found->second});
      starts_.push_back(first);
    }
    for (size_t n = 0; n < kept.size(); ++n) {
      Value*& value = map_.at(kept_[n]);
      kept[n] = value = make::choose(inside, begins, {value, kept[n]});
    }
    for (int i = 0; i < inner_->operand_count(); ++i) {
      const bool is_kept = std::count(kept_.begin(), kept_.end(), inner_->operand(i)) > 0;
      const bool now = !steps_->is_carry(i) && is_kept;
      map_[steps_->op().operand(i)] = now ? map_.at(inner_->operand(i)) : starts_[static_cast<size_t>(i)];
    }
    Op* steps = ir::clone_op(steps_->op(), *step, map_);
    note(*steps, steps_->op());
    for (int j = 0; j < steps_->carry_count(); ++j) map_[inner_->result(j)] = steps->result(j);
    Value* ends = make::bit_not(inside, steps->result(inner_end_));
    copy(inside, ends, true);

    std::vector<Value*> results;
    for (int k = 0; k < loop_.carry_count(); ++k) {
      Value *now = map_.at(body_.argument(k)), *next = map_.at(body_.results()[static_cast<size_t>(k)]);
      results.push_back(changed_.count(k) > 0 || next == now ? next
                                                             : make::choose(inside, ends, {next, now}));
    }
    for (const auto& [j, argument] : left) results.push_back(steps->result(j));
    results.insert(results.end(), kept.begin(), kept.end());
    step->set_results(results);
    predicate->set_results({predicate->argument(end)});
    ir::Attributes attributes = op_.attributes();
    form.write(attributes);
    std::vector<std::unique_ptr<Region>> regions;
    regions.push_back(std::move(predicate));
    regions.push_back(std::move(step));
    return outside.make("while", operands, std::move(attributes), std::move(regions));
  }

  // What comes before the inner loop, or behind it; updates are made where `taken` holds.
  void copy(ir::Builder& builder, Value* taken, bool behind) {
    for (const auto& op : body_.ops()) {
      if (op.get() == inner_ || op->is_return() || (behind_.count(op.get()) > 0) != behind) continue;
      Op* copy = ir::clone_op(*op, builder.region(), map_);
      if (!ops::is<ops::ScatterOp>(*op) || versions_.count(op->result()) == 0) {
        note(*copy, *op);
        continue;
      }
      Value*& version = map_.at(op->result());
      version = update_where(builder, taken, *copy, copy->operand(0));
      names_[version->name()] = op->result()->name();
      copy->erase();
    }
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
  Region& body_;
  Op* inner_ = nullptr;
  int inner_end_ = 0;                 // the inner loop's carry that says whether it goes on
  std::optional<ops::ScanOp> steps_;  // of the inner loop
  std::set<const Op*> behind_;        // the inner loop, and what needs it
  std::set<int> changed_;             // carries that the step changes in part
  std::set<int> placed_;              // those of the inner loop that are versions of them
  // Of such carries; whether it is the last one before the inner loop, and that does not change it.
  std::unordered_map<const Value*, bool> versions_;
  std::set<const Value*> reads_;
  std::vector<Value*> kept_;
  std::vector<Value*> starts_;  // what the inner loop's steps are given
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
