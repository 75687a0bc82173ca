#include "pass/control/take_steps.h"

#include <algorithm>
#include <optional>
#include <set>

#include "ir/builder.h"
#include "ir/structural.h"
#include "ops/control.h"
#include "ops/kinds.h"
#include "ops/make.h"
#include "ops/windows.h"
#include "pass/becomes.h"
#include "pass/branch_cost.h"
#include "pass/masked_updates.h"
#include "pass/replace.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Region;
using ir::Value;

// Whether it joins all elements of one pred array by `or`.
bool is_any(const Op& op) {
  if (!ops::is<ops::ReduceOp>(op)) return false;
  const ops::ReduceOp reduce(op);
  if (reduce.count() != 1 || reduce.array(0)->dtype() != DType::kPred) return false;
  if (static_cast<int64_t>(reduce.axes().size()) != reduce.array(0)->rank()) return false;
  const Op* initial = ops::made_by<ops::ConstantOp>(reduce.initial(0));
  if (initial == nullptr || ops::ConstantOp(*initial).value().get_int(0) != 0) return false;
  const Op* join = ops::made_by<ops::OrOp>(reduce.combiner().results()[0]);
  return join != nullptr && join->operand(0) != join->operand(1) && reduce.combiner().ops().size() == 2;
}

// The loops in a step that take_steps has left there: they end by a scalar, and wait where it is false.
std::optional<ops::ScanOp> loop_with_end(const Op& op) {
  const auto scan = ops::as<ops::ScanOp>(op);
  const bool ends = scan && scan->form().running.has_value() && scan->stack_count() == 0 &&
                    scan->scanned_count() == 0 && scan->carry(*scan->form().running).argument->rank() == 0;
  return ends ? scan : std::nullopt;
}

struct Updates {
  std::set<int> carries;    // that a step changes in part
  std::set<const Op*> ops;  // the scatters and loops that do so
};

const Value* without_spreading(const Value* value) {
  while (value->op() != nullptr && ops::is_any<ops::BroadcastOp, ops::ReshapeOp>(*value->op()))
    value = value->op()->operand(0);
  return value;
}

// Whether the scatter does nothing where the mask of its lane is false.
bool waits_for(const Op& op, const Value* mask) {
  if (!ops::is<ops::ScatterOp>(op) || !ops::WindowDims::of(op.attributes()).fills()) return false;
  const Op* choice = ops::made_by<ops::SelectOp>(without_spreading(op.operand(1)));
  if (choice == nullptr || without_spreading(choice->operand(0)) != mask) return false;
  const Op* nowhere = ops::made_by<ops::ConstantOp>(without_spreading(choice->operand(2)));
  if (nowhere == nullptr || nowhere->result()->rank() != 0) return false;
  return ops::ConstantOp(*nowhere).value().get_int(0) < 0;
}

// If all else that a step does is plain work on a few numbers and on few elements of arrays, for each lane;
// but for one operation that joins lanes.
std::optional<Updates> small_updates(const Region& body, int carries, int64_t lanes = 1,
                                     const Op* join = nullptr) {
  const auto is_few = [&](const Value* value) {
    return element_count(value->shape()) <= kernel::kMaxUnrolledElements * std::max<int64_t>(lanes, 1);
  };
  Updates updates;
  for (int k = 0; k < carries; ++k) {
    Value *argument = body.argument(k), *next = body.results()[static_cast<size_t>(k)];
    const auto updated = kernel::updated_carry({nullptr, argument, next, nullptr});
    const bool can_wait =
        updated && std::all_of(updated->updates.begin(), updated->updates.end(), [&](const auto& update) {
          if (join != nullptr) return ops::is<ops::ScatterOp>(*update.op);
          return can_be_masked(*update.op) || loop_with_end(*update.op).has_value();
        });
    if (can_wait) {
      updates.carries.insert(k);
      for (const auto& update : updated->updates) updates.ops.insert(update.op);
    } else if (!is_few(argument)) {
      return std::nullopt;
    }
  }
  for (const auto& op : body.ops()) {
    if (const auto loop = loop_with_end(*op); loop && join == nullptr) {
      if (!small_updates(loop->body(), loop->carry_count())) return std::nullopt;
      continue;
    }
    if (op->is_return() || op.get() == join || updates.ops.count(op.get()) > 0) continue;
    const std::vector<Value*> results = op->results();
    const bool plain = std::all_of(results.begin(), results.end(), is_few) &&
                       (becomes<ir::ScalarRecipe>(*op) || becomes<ir::View>(*op) ||
                        becomes<ir::Literal>(*op) || becomes<ir::Gather>(*op));
    if (!plain) return std::nullopt;
  }
  return updates;
}

// Whether a step is plain work on a few numbers of each lane, but for one operation that joins lanes.
bool is_small(const Region& body, int64_t lanes, const Op* join = nullptr) {
  const auto few = [&](const Value* value) {
    return element_count(value->shape()) <= kernel::kMaxUnrolledElements * std::max<int64_t>(lanes, 1);
  };
  const std::vector<Value*> arguments = body.arguments();
  return std::all_of(arguments.begin(), arguments.end(), few) &&
         std::all_of(body.ops().begin(), body.ops().end(), [&](const auto& op) {
           const bool plain = op.get() == join || op->is_return() || becomes<ir::ScalarRecipe>(*op) ||
                              becomes<ir::View>(*op) || becomes<ir::Literal>(*op) ||
                              (ops::is<ops::ReduceOp>(*op) &&
                               ops::ReduceOp(*op).reduced_elements() <= kernel::kMaxWrittenOut);
           const std::vector<Value*> results = op->results();
           return plain && std::all_of(results.begin(), results.end(), few);
         });
}

class Steps {
 public:
  Steps(Op& op, const LoopsInside* inside)
      : op_(op),
        inside_(inside),
        loop_(op),
        body_(loop_.body()),
        predicate_(loop_.predicate().results()[0]->index()),
        next_(body_.results().begin(), body_.results().end()) {}

  bool take(PassContext& context) {
    if (loop_.form().at_once > 1 || element_count(goes_on()->shape()) != 1) return false;
    find_lanes();
    if (mask_ == nullptr && !is_elementwise(body_) && !is_small(body_, 1) && !reads_and_writes_little())
      return false;
    ops::WhileForm form = loop_.form();
    const int64_t steps = steps_within(form.max_steps, steps_in_a_kernel(work_of(body_)));
    if (steps == 0) return false;
    Op* scan = make_scan(steps);
    if (!is_one_kernel(*scan, context) || !context.may("take_steps", op_)) {
      scan->erase();
      return false;
    }
    use(*scan);
    form.at_once = steps;
    if (form.max_steps) *form.max_steps /= steps;
    form.write(op_.attributes());
    return true;
  }

 private:
  // A bound of the user's is met between two looks: the most steps that it is a multiple of. 0: too few.
  static int64_t steps_within(std::optional<int64_t> bound, int64_t most) {
    if (!bound) return most;
    if (*bound <= most) return *bound < 2 ? 0 : *bound;
    while (most >= kLeastSteps && *bound % most != 0) --most;
    return most < kLeastSteps ? 0 : most;
  }

  bool reads_and_writes_little() {
    auto updates = small_updates(body_, loop_.carry_count());
    if (updates) updates_ = std::move(*updates);
    return updates.has_value();
  }

  Value* goes_on() const { return body_.argument(predicate_); }

  // --- lanes

  // Finds what decides for each lane whether it goes on, if all of the step obeys it.
  void find_lanes() {
    Op* any = next_[static_cast<size_t>(predicate_)]->op();
    if (any == nullptr || any->parent() != &body_ || !is_any(*any) || goes_on()->used()) return;
    Value* next_mask = any->operand(0);
    const int64_t lanes = element_count(next_mask->shape());
    if (!is_small(body_, lanes, any) && !small_updates(body_, loop_.carry_count(), lanes, any)) return;
    Value* mask = nullptr;
    for (int k = 0; k < loop_.carry_count(); ++k) {
      if (next_[static_cast<size_t>(k)] == next_mask && is_cut_off(next_mask, body_.argument(k)))
        mask = body_.argument(k);
    }
    // Else the step has asked the same of what it was given.
    for (auto it = body_.ops().begin(); mask == nullptr && it != body_.ops().end(); ++it) {
      for (Value* value : (*it)->results()) {
        seen_.clear();
        if (value->type() == next_mask->type() && is_same_one_step_later(next_mask, value)) mask = value;
      }
    }
    if (mask == nullptr) return;
    for (int k = 0; k < loop_.carry_count(); ++k) {
      const bool own = k == predicate_ || body_.argument(k) == mask;
      if (!own && !is_left_alone(k, mask)) return;
    }
    mask_ = mask;
    next_mask_ = next_mask;
    any_ = any;
  }

  // Is it false where the mask is?
  static bool is_cut_off(const Value* next, const Value* mask) {
    const Op* both = ops::made_by<ops::AndOp>(next);
    return both != nullptr && (both->operand(0) == mask || both->operand(1) == mask);
  }

  // Is `now` computed from what a step is given as `later` is from what it makes?
  bool is_same_one_step_later(const Value* later, const Value* now) {
    for (int k = 0; k < loop_.carry_count(); ++k) {
      if (body_.argument(k) == now) return next_[static_cast<size_t>(k)] == later;
    }
    if (later == now && later->op() == nullptr) return true;  // an invariant
    if (later->op() == nullptr || now->op() == nullptr) return false;
    const Op &a = *later->op(), &b = *now->op();
    if (&a.record() != &b.record() || later->index() != now->index() || a.region_count() > 0 ||
        a.operand_count() != b.operand_count() || later->type() != now->type() ||
        !ir::structurally_equal(a.attributes(), b.attributes()))
      return false;
    if (!seen_.insert({later, now}).second) return true;
    for (int i = 0; i < a.operand_count(); ++i) {
      if (!is_same_one_step_later(a.operand(i), b.operand(i))) return false;
    }
    return true;
  }

  // Where the mask is false, the carry stays as it is.
  bool is_left_alone(int k, const Value* mask) const {
    const Value *now = body_.argument(k), *next = next_[static_cast<size_t>(k)];
    if (next == now) return true;
    if (const auto updated =
            kernel::updated_carry({nullptr, body_.argument(k), next_[static_cast<size_t>(k)], nullptr}))
      return std::all_of(updated->updates.begin(), updated->updates.end(),
                         [&](const auto& update) { return waits_for(*update.op, mask); });
    const Op* choice = ops::made_by<ops::SelectOp>(next);
    if (choice == nullptr || choice->operand(2) != now) return false;
    const Value* chooser = choice->operand(0);
    if (const Op* spread = ops::made_by<ops::BroadcastOp>(chooser)) chooser = spread->operand(0);
    return chooser == mask;
  }

  // --- the scan

  // Of a mask that is no carry of the loop, or where the scan may end before that, it is the first carry of
  // the scan.
  Op* make_scan(int64_t steps) {
    std::unique_ptr<Region> step = op_.function()->make_region();
    ir::ValueMap map;
    std::vector<Value*> operands, now, results;
    const auto add = [&](Value* value) {
      operands.push_back(value);
      now.push_back(step->add_argument(value->type(), value->name()));
      map[value] = now.back();
    };
    ops::ScanForm form;
    form.length = steps;
    if (mask_ != nullptr && mask_->op() != nullptr) {
      form.running = 0;
      add(mask_);
      results.push_back(next_mask_);
      carried_.push_back(-1);
    } else if (inside_ != nullptr) {
      form.running = 0;
      add(goes_on());
      results.push_back(next_[static_cast<size_t>(predicate_)]);
      carried_.push_back(-1);
    }
    for (int k = 0; k < loop_.carry_count(); ++k) {
      if (mask_ != nullptr && k == predicate_) continue;
      if (inside_ == nullptr && body_.argument(k) == (mask_ != nullptr ? mask_ : goes_on()))
        form.running = static_cast<int>(operands.size());
      add(body_.argument(k));
      results.push_back(next_[static_cast<size_t>(k)]);
      carried_.push_back(k);
    }
    form.carries = static_cast<int>(operands.size());
    running_ = *form.running;
    Value* runs = now[static_cast<size_t>(running_)];
    if (inside_ != nullptr) {
      for (const int k : inside_->values) add(body_.argument(k));
    }
    for (int i = loop_.carry_count(); i < op_.operand_count(); ++i) add(body_.argument(i));
    ir::Builder inside(*step);
    inside.set_provenance(op_.provenance().derived("rotate_loops", std::string(op_.name())));
    for (const auto& op : body_.ops()) {
      const bool here =
          op->is_return() || op.get() == any_ || (op->result_count() > 0 && map.count(op->result()));
      if (here) continue;
      Op* copy = ir::clone_op(*op, *step, map);
      if (const auto inner = loop_with_end(*copy); inner && mask_ == nullptr) {
        Value* first = inner->carry(*inner->form().running).initial;
        ir::Builder before(*step, copy);
        before.set_provenance(inside.provenance());
        copy->set_operand(*inner->form().running, before.value("and", {runs, first}));
      }
      if (updates_.ops.count(op.get()) == 0 || !ops::is<ops::ScatterOp>(*copy)) {
        names_.add(*copy, *op, true);
        continue;
      }
      Value*& version = map.at(op->result());
      version = update_where(inside, runs, *copy, copy->operand(0));
      names_.add(version, op->result());
      copy->erase();
    }
    for (size_t k = 0; k < results.size(); ++k) {
      Value* then = map.at(results[k]);
      if (now[k] == runs && inside_ != nullptr) then = without_those_left(inside, then, map);
      const bool waits = mask_ != nullptr || updates_.carries.count(carried_[k]) > 0;
      results[k] = waits ? then : chosen(inside, now[k], then, runs);
    }
    step->set_results(results);
    ir::Builder outside(body_);
    outside.set_provenance(inside.provenance());
    std::vector<std::unique_ptr<Region>> regions;
    regions.push_back(std::move(step));
    return outside.make("scan", operands, form.attributes(), std::move(regions));
  }

  // Whether the loop goes on, and its step was left in none of the loops inside.
  Value* without_those_left(ir::Builder& builder, Value* goes_on, const ir::ValueMap& map) const {
    for (const int k : inside_->left) {
      Value* left = map.at(next_[static_cast<size_t>(k)]);
      goes_on = make::bit_and(builder, {goes_on, make::bit_not(builder, left)});
    }
    return goes_on;
  }

  // The next value of a carry where a scalar decides.
  static Value* chosen(ir::Builder& builder, Value* now, Value* then, Value* goes_on) {
    if (now == goes_on) return make::bit_and(builder, {goes_on, then});
    if (now == then) return now;
    return make::choose(builder, goes_on, {then, now});
  }

  // A scan with an end is lowered only where its loop ends by itself (kernel/lower/lower_loops.cc).
  static bool is_one_kernel(Op& scan, PassContext& context) {
    try {
      context.candidates().of(kernel::make_group({&scan}, scan.results())).want();
      return true;
    } catch (const kernel::NotFusible&) {
      return false;
    }
  }

  // The scan takes the place of what the body did.
  void use(Op& scan) {
    std::vector<Value*> results = next_;
    for (size_t i = 0; i < carried_.size(); ++i) {
      if (carried_[i] >= 0) results[static_cast<size_t>(carried_[i])] = scan.result(static_cast<int>(i));
    }
    if (mask_ != nullptr) {
      ir::ValueMap map;
      for (Value* operand : any_->operands()) map[operand] = operand;
      map[any_->operand(0)] = scan.result(running_);
      results[static_cast<size_t>(predicate_)] = ir::clone_op(*any_, body_, map)->result();
    }
    body_.set_results(results);
    for (auto it = body_.ops().end(); it != body_.ops().begin();) {
      Op& op = **--it;
      if (op.is_return() || op.used()) continue;
      ++it;
      op.erase();
    }
    names_.give_back(*op_.function());
  }

  Op& op_;
  const LoopsInside* inside_;  // null: there are none
  const ops::WhileOp loop_;
  Region& body_;
  const int predicate_;         // the carry that says whether the loop goes on
  std::vector<Value*> next_;    // what the body returns
  Value* mask_ = nullptr;       // in the body: which lanes take this step; null: there are none
  Value* next_mask_ = nullptr;  // which take the next one
  Op* any_ = nullptr;           // whether one of them does
  Updates updates_;             // they do nothing once the loop has ended
  std::vector<int> carried_;    // by the scan: carries of the loop, or -1
  NamesToKeep names_;           // of what the scan's step does
  int running_ = 0;             // the scan's carry that says which points go on
  std::set<std::pair<const Value*, const Value*>> seen_;
};

}  // namespace

bool take_steps(Op& loop, PassContext& context, const LoopsInside* inside) {
  return Steps(loop, inside).take(context);
}

}  // namespace ingot::pass
