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
// Where the rest reads sums over what the first part has lanes of, as the way back of the same filter does
// for the covariance, no kernel holds those beside the loop. What only the rest needs then stands between the
// two loops, of all steps at once (`middle`).
//
// Done where no kernel holds the loop and one holds the first part. The stacks are at most as large as the
// arrays that the loop goes through anyway, so that a program's memory stays what it is.

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "ir/builder.h"
#include "ir/unused.h"
#include "ops/control.h"
#include "pass/becomes.h"
#include "pass/find_ops.h"
#include "pass/fusion/fusion_groups.h"
#include "pass/fusion/fusion_worth.h"
#include "pass/passes.h"
#include "pass/replace.h"
#include "transform/batch.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Region;
using ir::Value;
using Carries = std::vector<bool>;
using Bits = std::vector<uint64_t>;  // of carries, too, to be joined a word at a time

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
      for (const bool middle : {true, false}) {
        classify();
        if (middle && !take_out_middle()) continue;
        cut();
        if (too_large()) continue;
        Op* made = make_first();
        if (why_no_kernel(*made, context_.candidates()).empty() &&
            context_.may(middle ? "sums" : "carries", op_))
          return make_rest(*made);
        made->erase();
      }
    }
    return nullptr;
  }

 private:
  // What a value is computed from: no carry, carries of the first part; the same, and needed by the rest
  // alone; carries of the rest.
  enum class Part { kNeither, kFirst, kMiddle, kRest };

  // Sets of carries that depend on themselves alone, without that of all; small ones first.
  std::vector<Carries> first_parts() const {
    std::vector<Bits> needs = needs_in_a_step();
    const size_t count = needs.size();
    for (size_t by = 0; by < count; ++by) {  // ... in as many steps as there are carries
      for (size_t k = 0; k < count; ++k) {
        if (has(needs[k], by)) add(needs[k], needs[by]);
      }
    }
    std::vector<Carries> parts;
    for (size_t k = 0; k < count; ++k) {
      Carries reached(count);
      for (size_t i = 0; i < count; ++i) reached[i] = i == k || has(needs[k], i);
      const bool all = std::find(reached.begin(), reached.end(), false) == reached.end();
      if (!all && std::find(parts.begin(), parts.end(), reached) == parts.end()) parts.push_back(reached);
    }
    std::stable_sort(parts.begin(), parts.end(), [](const Carries& a, const Carries& b) {
      return std::count(a.begin(), a.end(), true) < std::count(b.begin(), b.end(), true);
    });
    return parts;
  }
  // Which carries each next carry is computed from.
  std::vector<Bits> needs_in_a_step() const {
    const auto count = static_cast<size_t>(loop_.carry_count());
    std::unordered_map<const Value*, Bits> needs;
    for (size_t k = 0; k < count; ++k) {
      Bits itself((count + 63) / 64);
      itself[k / 64] |= uint64_t{1} << (k % 64);
      needs.emplace(loop_.carry(static_cast<int>(k)).argument, std::move(itself));
    }
    for (const auto& op : loop_.body().ops()) {
      Bits all((count + 63) / 64);
      for (const Value* operand : op->operands()) {
        if (const auto found = needs.find(operand); found != needs.end()) add(all, found->second);
      }
      for (const Value* result : op->results()) needs.emplace(result, all);
    }
    std::vector<Bits> of_next;
    for (const ops::ScanOp::Carry& carry : loop_.carries()) {
      const auto found = needs.find(carry.next);
      of_next.push_back(found == needs.end() ? Bits((count + 63) / 64) : found->second);
    }
    return of_next;
  }
  static bool has(const Bits& bits, size_t i) { return (bits[i / 64] >> (i % 64) & 1) != 0; }
  static void add(Bits& to, const Bits& more) {
    for (size_t i = 0; i < to.size(); ++i) to[i] |= more[i];
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

  // What the first part does not need itself; false if there is nothing or what cannot be done for all steps
  // at once.
  bool take_out_middle() {
    std::unordered_set<const Value*> needed;
    std::vector<const Value*> open;
    for (const ops::ScanOp::Carry& carry : loop_.carries()) {
      if (in_first(carry.argument->index())) open.push_back(carry.next);
    }
    for (const ops::ScanOp::Stack& stack : loop_.stacks()) {
      if (part_of(stack.slice) == Part::kFirst) open.push_back(stack.slice);
    }
    while (!open.empty()) {
      const Value* value = open.back();
      open.pop_back();
      if (!needed.insert(value).second || value->op() == nullptr) continue;
      open.insert(open.end(), value->op()->operands().begin(), value->op()->operands().end());
    }
    bool sums = false;
    for (const auto& op : loop_.body().ops()) {
      if (op->is_return() || part_of(op->result(0)) != Part::kFirst) continue;
      const auto results = op->results();
      if (std::any_of(results.begin(), results.end(), [&](const Value* v) { return needed.count(v) > 0; }))
        continue;
      if (!is_free(*op) && !becomes<ir::Contraction>(*op) && !becomes<ir::Reduction>(*op)) return false;
      for (const Value* result : results) parts_[result] = Part::kMiddle;
      sums = sums || !is_free(*op);
    }
    return sums;
  }

  bool is_view(const Value* value) const { return value->op() != nullptr && becomes<ir::View>(*value->op()); }

  // Which values the rest reads of the first part and of the middle, and the middle of the first part: of
  // views, the smallest on the way, but no more of one value than there is of it.
  void cut() {
    cut_.clear();
    between_.clear();
    std::vector<Value*> bases;
    std::unordered_map<Value*, std::vector<Value*>> seen_as;  // what is read of each base
    const auto read = [&](Value* value) {
      Value* least = value;
      Value* base = value;
      while (is_view(base) && base->op()->operand_count() == 1) {
        base = base->op()->operand(0);
        if (base->type().bytes() <= least->type().bytes()) least = base;
      }
      if (part_of(base) != part_of(least)) least = base;  // the middle hands on no views of what comes first
      std::vector<Value*>& list = seen_as[base];
      if (list.empty()) bases.push_back(base);
      if (std::find(list.begin(), list.end(), least) == list.end()) list.push_back(least);
    };
    const auto is_read_through = [&](const Value* value) {
      return part_of(value) == Part::kMiddle && is_view(value) && value->op()->operand_count() == 1;
    };
    const auto take = [&](Part reader, Value* value) {
      while (reader == Part::kMiddle && is_read_through(value)) value = value->op()->operand(0);
      const Part part = part_of(value);
      if (part < reader && part != Part::kNeither) read(value);
    };
    for (const auto& op : loop_.body().ops()) {
      if (op->is_return()) continue;
      const Part part = part_of(op->result(0));
      if (part < Part::kMiddle || is_read_through(op->result(0))) continue;
      for (Value* operand : op->operands()) take(part, operand);
    }
    for (const ops::ScanOp::Carry& carry : loop_.carries()) {
      if (!in_first(carry.argument->index())) take(Part::kRest, carry.next);
    }
    for (Value* base : bases) {
      std::vector<Value*>& list = part_of(base) == Part::kMiddle ? between_ : cut_;
      int64_t bytes = 0;
      for (const Value* value : seen_as[base]) bytes += value->type().bytes();
      if (bytes < base->type().bytes())
        list.insert(list.end(), seen_as[base].begin(), seen_as[base].end());
      else
        list.push_back(base);
    }
  }

  bool too_large() const {
    int64_t a_step = 0, all = 0;
    for (const auto* list : {&cut_, &between_}) {
      for (const Value* value : *list) a_step += value->type().bytes();
    }
    for (const ops::ScanOp::Carry& carry : loop_.carries()) all += carry.argument->type().bytes();
    for (const ops::ScanOp::Scanned& scanned : loop_.scanned()) all += scanned.array->type().bytes();
    for (const ops::ScanOp::Stack& stack : loop_.stacks()) all += stack.whole->type().bytes();
    return a_step * loop_.length() > all;
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

  // What stands between the loops, of all steps: stacks of the values of `between_`.
  std::vector<Value*> make_middle(const std::vector<Value*>& stacks) {
    std::unordered_set<const Value*> needed(between_.begin(), between_.end());
    const std::unordered_set<const Value*> given(cut_.begin(), cut_.end());
    const Region& body = loop_.body();
    for (auto it = body.ops().rbegin(); it != body.ops().rend(); ++it) {
      const auto results = (*it)->results();
      if (std::none_of(results.begin(), results.end(), [&](const Value* v) { return needed.count(v) > 0; }))
        continue;
      for (const Value* operand : (*it)->operands()) {
        if (given.count(operand) == 0) needed.insert(operand);
      }
    }
    std::unique_ptr<Region> one = op_.function()->make_region();
    ir::ValueMap map;
    std::vector<int64_t> axes;
    std::vector<Value*> outside;
    const auto give = [&](Value* inside, Value* value, int64_t axis) {
      map[inside] = one->add_argument(inside->type(), inside->name());
      outside.push_back(value);
      axes.push_back(axis);
    };
    for (size_t i = 0; i < cut_.size(); ++i) give(cut_[i], stacks[i], 0);
    for (const ops::ScanOp::Scanned& scanned : loop_.scanned()) {
      if (map.count(scanned.slice) == 0) give(scanned.slice, scanned.array, scanned.axis);
    }
    for (const ops::ScanOp::Invariant& invariant : loop_.invariants())
      give(invariant.argument, invariant.value, ir::Batched::kShared);
    for (const auto& op : body.ops()) {
      const auto values = op->results();
      if (std::any_of(values.begin(), values.end(),
                      [&](const Value* v) { return needed.count(v) > 0 && map.count(v) == 0; }))
        ir::clone_op(*op, *one, map);
    }
    std::vector<Value*> results;
    for (const Value* value : between_) results.push_back(map.at(value));
    one->set_results(results);
    const std::vector<int64_t> wanted(between_.size(), 0);
    transform::Batch steps{loop_.length(), "", op_.provenance()};
    const transform::BatchedRegion all = transform::batch_region(*one, steps, axes, wanted);
    ir::walk(*all.region, [](Op& op) {
      ir::Provenance line = op.provenance();
      if (!line.made_by.empty()) line.made_by = "split_loops";
      op.set_provenance(std::move(line));
    });
    ir::ValueMap whole;
    for (size_t i = 0; i < outside.size(); ++i) whole[all.region->argument(static_cast<int>(i))] = outside[i];
    return ir::clone_ops(*all.region, *op_.parent(), whole, &op_);
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
    ir::IntList axes;
    for (int s = 0; s < loop_.stack_count(); ++s) {
      const int at = loop_.carry_count() + s;
      if (is_firsts(loop_.stack(s))) {
        values[static_cast<size_t>(at)] = first.result(next++);
      } else {
        results.push_back(at);
        axes.push_back(loop_.stack(s).axis);
      }
    }
    std::vector<Value*> given = cut_, stacks;
    for (size_t i = 0; i < cut_.size(); ++i) stacks.push_back(first.result(next++));
    if (!between_.empty()) {
      const std::vector<Value*> more = make_middle(stacks);
      given.insert(given.end(), between_.begin(), between_.end());
      stacks.insert(stacks.end(), more.begin(), more.end());
    }
    std::vector<Value*> read;  // slices of these
    for (Value* value : given) {
      read.push_back(body.add_argument(value->type(), value->name()));
      value->replace_all_uses_with(read.back());
    }
    std::vector<Value*> kept;
    for (int i : results) kept.push_back(body.results()[static_cast<size_t>(i)]);
    body.set_results(kept);
    ir::erase_unused(body);
    Draft made = draft(body, false);
    made.form.ys_axes = axes;
    auto at = static_cast<std::ptrdiff_t>(made.form.carries) +
              static_cast<std::ptrdiff_t>(made.form.xs_axes.size());
    for (size_t i = 0; i < read.size(); ++i) {
      if (!read[i]->used()) continue;
      made.arguments.insert(made.arguments.begin() + at, read[i]->index());
      made.operands.insert(made.operands.begin() + at, stacks[i]);
      made.form.xs_axes.push_back(0);
      ++at;
    }
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
  std::vector<Value*> cut_;      // values of the first part that are stacked
  std::vector<Value*> between_;  // values of the middle that the rest reads
  std::vector<Name> names_;
};

class SplitLoops : public Pass {
 public:
  std::string_view name() const override { return "split_loops"; }
  std::string_view why() const override {
    return "Makes two loops of one that no kernel holds, where some of its carries do not need the "
           "others; it asks for kernels, so that it stands behind all algebra, right before fuse.";
  }

  bool run(ir::Module& module, PassContext& context) override {
    const std::vector<Op*> loops = find_ops(module, [](const Op& op) { return ops::is<ops::ScanOp>(op); });
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
