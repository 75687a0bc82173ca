// split_loops: what of a loop waits for nothing else in it is a loop of its own, ahead of it.
//
// All that a loop in a kernel carries runs over one band. Where some carries lack dimensions of the others,
// as the covariance of a Kalman filter, which is the same for all series, or the key of random numbers that
// each step draws, no kernel can hold the loop. Carries that depend on none of the others become a loop that
// stands before it and stacks, step by step, what the rest reads of them:
//
//   p, x = scan(P, X): p' = f(p), x' = g(p, x)    ->    ps = scan(P): stack h(p), p' = f(p)
//                                                      x = scan(X; ps): x' = g'(h, x)
//
// Done where no kernel holds the loop and one holds the first part; the stacks are at most as large as what a
// step of the rest carries and the arrays that the loop goes through anyway, so that a program's memory stays
// what it is.

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "ir/builder.h"
#include "ir/unused.h"
#include "ops/control.h"
#include "pass/becomes.h"
#include "pass/fusion/fusion_groups.h"
#include "pass/passes.h"
#include "pass/replace.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Region;
using ir::Value;
using Carries = std::vector<bool>;

int64_t bytes_of(const Value* value) {
  return value->type().elements() * static_cast<int64_t>(byte_size(value->dtype()));
}

class LoopSplit {
 public:
  LoopSplit(Op& op, PassContext& context) : op_(op), context_(context), loop_(op) {}

  // The loop that is left; null where nothing is done.
  Op* run() {
    const ops::ScanForm& form = loop_.form();
    if (form.active || form.running || loop_.carry_count() < 2) return nullptr;
    const std::vector<Carries> parts = first_parts();
    if (parts.empty() || why_no_kernel(op_, context_.candidates()).empty()) return nullptr;
    for (const Carries& first : parts) {
      first_ = first;
      classify();
      cut();
      if (too_large()) continue;
      Op* made = make_first();
      if (!why_no_kernel(*made, context_.candidates()).empty() || !context_.may("carries", op_)) {
        made->erase();
        continue;
      }
      return make_rest(*made);
    }
    return nullptr;
  }

 private:
  enum class Part { kNeither, kFirst, kRest };

  // Sets of carries that depend on themselves alone, without that of all; small ones first.
  std::vector<Carries> first_parts() const {
    std::vector<Carries> parts;
    for (int k = 0; k < loop_.carry_count(); ++k) {
      Carries reached(static_cast<size_t>(loop_.carry_count()), false);
      std::unordered_set<const Value*> seen;
      std::vector<const Value*> open{loop_.carry(k).argument};
      while (!open.empty()) {
        const Value* value = open.back();
        open.pop_back();
        if (!seen.insert(value).second) continue;
        if (value->op() != nullptr) {
          open.insert(open.end(), value->op()->operands().begin(), value->op()->operands().end());
        } else if (loop_.is_carry(value->index())) {
          reached[static_cast<size_t>(value->index())] = true;
          open.push_back(loop_.carry(value->index()).next);
        }
      }
      const bool all = std::find(reached.begin(), reached.end(), false) == reached.end();
      if (!all && std::find(parts.begin(), parts.end(), reached) == parts.end()) parts.push_back(reached);
    }
    std::stable_sort(parts.begin(), parts.end(), [](const Carries& a, const Carries& b) {
      return std::count(a.begin(), a.end(), true) < std::count(b.begin(), b.end(), true);
    });
    return parts;
  }

  bool in_first(int carry) const { return first_[static_cast<size_t>(carry)]; }

  Part part_of(const Value* value) const {
    const auto known = parts_.find(value);
    return known == parts_.end() ? Part::kNeither : known->second;
  }

  // Which values depend on which carries.
  void classify() {
    parts_.clear();
    for (int k = 0; k < loop_.carry_count(); ++k) {
      parts_[loop_.carry(k).argument] = in_first(k) ? Part::kFirst : Part::kRest;
    }
    for (const auto& op : loop_.body().ops()) {
      Part part = Part::kNeither;
      for (const Value* operand : op->operands()) part = std::max(part, part_of(operand));
      for (const Value* result : op->results()) parts_[result] = part;
    }
  }

  bool is_view(const Value* value) const { return value->op() != nullptr && becomes<ir::View>(*value->op()); }

  // Which values of the first part the rest reads: of views, the smallest on the way, but no more of one
  // value than there is of it.
  void cut() {
    cut_.clear();
    std::vector<Value*> bases;
    std::unordered_map<Value*, std::vector<Value*>> seen_as;  // what is read of each base
    const auto read = [&](Value* value) {
      Value* least = value;
      Value* base = value;
      while (is_view(base) && base->op()->operand_count() == 1) {
        base = base->op()->operand(0);
        if (bytes_of(base) <= bytes_of(least)) least = base;
      }
      std::vector<Value*>& list = seen_as[base];
      if (list.empty()) bases.push_back(base);
      if (std::find(list.begin(), list.end(), least) == list.end()) list.push_back(least);
    };
    for (const auto& op : loop_.body().ops()) {
      if (op->is_return() || part_of(op->result(0)) != Part::kRest) continue;
      for (Value* operand : op->operands()) {
        if (part_of(operand) == Part::kFirst) read(operand);
      }
    }
    for (const ops::ScanOp::Carry& carry : loop_.carries()) {
      if (!in_first(carry.argument->index()) && part_of(carry.next) == Part::kFirst) read(carry.next);
    }
    for (Value* base : bases) {
      int64_t bytes = 0;
      for (const Value* value : seen_as[base]) bytes += bytes_of(value);
      if (bytes < bytes_of(base))
        cut_.insert(cut_.end(), seen_as[base].begin(), seen_as[base].end());
      else
        cut_.push_back(base);
    }
  }

  bool too_large() const {
    int64_t a_step = 0, carried = 0, all = 0;
    for (const Value* value : cut_) a_step += bytes_of(value);
    for (int k = 0; k < loop_.carry_count(); ++k) {
      if (!in_first(k)) carried += bytes_of(loop_.carry(k).argument);
    }
    for (const ops::ScanOp::Scanned& scanned : loop_.scanned()) all += bytes_of(scanned.array);
    for (const ops::ScanOp::Stack& stack : loop_.stacks()) all += bytes_of(stack.whole);
    return a_step > carried || a_step * loop_.length() > carried + all;
  }

  bool is_firsts(const ops::ScanOp::Stack& stack) const { return part_of(stack.slice) == Part::kFirst; }

  ir::Builder before() const {
    ir::Builder builder(*op_.parent(), &op_);
    builder.set_provenance(op_.provenance().derived("split_loops", std::string(op_.name())));
    return builder;
  }

  // A copy of the body with these results, operands for those of its arguments that are used, and its form.
  struct Draft {
    std::vector<int> arguments, results;
    std::vector<Value*> operands;
    ops::ScanForm form;
  };

  Draft draft(const Region& body, bool first) const {
    Draft result;
    result.form.length = loop_.length();
    result.form.reverse = loop_.reverse();
    for (int i = 0; i < op_.operand_count(); ++i) {
      if (loop_.is_carry(i) ? in_first(i) != first : !body.argument(i)->used()) continue;
      result.arguments.push_back(i);
      result.operands.push_back(op_.operand(i));
      if (loop_.is_carry(i)) ++result.form.carries;
      if (loop_.is_scanned(i)) result.form.xs_axes.push_back(loop_.scanned_axis(i));
    }
    return result;
  }

  Op* make_first() {
    std::unique_ptr<Region> body = op_.function()->make_region();
    ir::ValueMap map;
    for (Value* argument : loop_.body().arguments())
      map[argument] = body->add_argument(argument->type(), argument->name());
    ir::clone_ops(loop_.body(), *body, map);
    std::vector<Value*> results;
    ir::IntList axes;
    for (const ops::ScanOp::Carry& carry : loop_.carries()) {
      if (in_first(carry.argument->index())) results.push_back(map.at(carry.next));
    }
    for (const ops::ScanOp::Stack& stack : loop_.stacks()) {
      if (!is_firsts(stack)) continue;
      results.push_back(map.at(stack.slice));
      axes.push_back(stack.axis);
    }
    for (const Value* value : cut_) {
      results.push_back(map.at(value));
      axes.push_back(0);
    }
    body->set_results(results);
    ir::erase_unused(*body);
    Draft made = draft(*body, true);
    made.form.ys_axes = axes;
    for (size_t i = 0; i < results.size(); ++i) made.results.push_back(static_cast<int>(i));
    std::vector<std::unique_ptr<Region>> regions;
    regions.push_back(keep_parts(*body, made.arguments, made.results));
    remember_names(*regions.back(), map, made.arguments);
    return before().make("scan", made.operands, made.form.attributes(), std::move(regions));
  }

  // Copies take over the names of what is not left behind in the rest.
  struct Name {
    const Op* original;  // null: the argument of a carry
    NamesToKeep names;
  };

  void remember_names(const Region& copy, const ir::ValueMap& map, const std::vector<int>& arguments) {
    names_.clear();
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (!loop_.is_carry(arguments[i])) continue;
      names_.emplace_back().names.add(copy.argument(static_cast<int>(i)),
                                      loop_.body().argument(arguments[i]));
    }
    std::unordered_map<const Value*, const Op*> originals;
    for (const auto& op : loop_.body().ops()) {
      for (const Value* result : op->results()) originals[map.at(result)] = op.get();
    }
    for (const auto& op : copy.ops()) {
      if (op->is_return()) continue;
      const Op* original = originals.at(op->result(0));
      names_.push_back({original, {}});
      names_.back().names.add(*op, *original, true);
    }
  }

  void give_names(const Region& rest, ir::Function& function) const {
    std::unordered_set<const Op*> stay;
    for (const auto& op : rest.ops()) {
      if (!op->is_return()) stay.insert(op.get());
    }
    for (const Name& name : names_) {
      if (stay.count(name.original) == 0) name.names.give_back(function);
    }
  }

  // What is left of the loop, which reads slices of the first part's stacks.
  Op* make_rest(Op& first) {
    Region& body = loop_.body();
    std::vector<std::string> names;  // of arguments
    for (const Value* argument : body.arguments()) names.push_back(argument->name());
    std::vector<Value*> values(static_cast<size_t>(op_.result_count()));  // for the results of the whole
    std::vector<int> results;                                             // that stay
    int next = 0;
    for (int k = 0; k < loop_.carry_count(); ++k) {
      if (in_first(k))
        values[static_cast<size_t>(k)] = first.result(next++);
      else
        results.push_back(k);
    }
    ops::ScanForm stacks;
    for (int s = 0; s < loop_.stack_count(); ++s) {
      const int at = loop_.carry_count() + s;
      if (is_firsts(loop_.stack(s))) {
        values[static_cast<size_t>(at)] = first.result(next++);
      } else {
        results.push_back(at);
        stacks.ys_axes.push_back(loop_.stack(s).axis);
      }
    }
    std::vector<int> slices;
    for (Value* value : cut_) {
      Value* slice = body.add_argument(value->type(), value->name());
      slices.push_back(slice->index());
      value->replace_all_uses_with(slice);
    }
    std::vector<Value*> kept;
    for (int i : results) kept.push_back(body.results()[static_cast<size_t>(i)]);
    body.set_results(kept);
    ir::erase_unused(body);
    Draft made = draft(body, false);
    made.form.ys_axes = stacks.ys_axes;
    const auto invariants = static_cast<std::ptrdiff_t>(made.form.carries) +
                            static_cast<std::ptrdiff_t>(made.form.xs_axes.size());
    made.arguments.insert(made.arguments.begin() + invariants, slices.begin(), slices.end());
    std::vector<Value*> stacked;
    for (size_t i = 0; i < cut_.size(); ++i) stacked.push_back(first.result(next++));
    made.operands.insert(made.operands.begin() + invariants, stacked.begin(), stacked.end());
    made.form.xs_axes.insert(made.form.xs_axes.end(), slices.size(), 0);
    for (size_t i = 0; i < kept.size(); ++i) made.results.push_back(static_cast<int>(i));
    std::vector<std::unique_ptr<Region>> regions;
    regions.push_back(keep_parts(body, made.arguments, made.results));
    const std::vector<Value*> fresh = regions.back()->arguments();
    Op* rest = before().make("scan", made.operands, made.form.attributes(), std::move(regions));
    for (size_t i = 0; i < results.size(); ++i)
      values[static_cast<size_t>(results[i])] = rest->result(static_cast<int>(i));
    ir::Function* function = op_.function();
    Op* const both[] = {&first, rest};
    replace_op(&op_, values, both);
    for (size_t i = 0; i < fresh.size(); ++i) {
      const auto from = static_cast<size_t>(made.arguments[i]);
      if (from < names.size()) function->rename(fresh[i], names[from]);
    }
    give_names(rest->region(), *function);
    return rest;
  }

  Op& op_;
  PassContext& context_;
  const ops::ScanOp loop_;
  Carries first_;
  std::unordered_map<const Value*, Part> parts_;
  std::vector<Value*> cut_;
  std::vector<Name> names_;
};

class SplitLoops : public Pass {
 public:
  std::string_view name() const override { return "split_loops"; }
  std::string_view why() const override {
    return "Makes two loops of one that no kernel holds, where some of its carries do not need the others; "
           "it "
           "asks for kernels, so that it stands behind all algebra, right before fuse.";
  }

  bool run(ir::Module& module, PassContext& context) override {
    std::vector<Op*> loops;
    for (const auto& function : module.functions()) {
      ir::walk(function->body(), [&](Op& op) {
        if (ops::is<ops::ScanOp>(op)) loops.push_back(&op);
      });
    }
    bool changed = false;
    for (auto it = loops.rbegin(); it != loops.rend(); ++it) {
      for (Op* loop = *it; loop != nullptr;) {
        loop = LoopSplit(*loop, context).run();
        changed |= loop != nullptr;
      }
    }
    return changed;
  }
};

}  // namespace

std::unique_ptr<Pass> make_split_loops() {
  return std::make_unique<SplitLoops>();
}

}  // namespace ingot::pass
