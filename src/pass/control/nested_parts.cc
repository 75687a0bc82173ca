#include "pass/control/nested_parts.h"

#include <algorithm>
#include <optional>

#include "kernel/lower/group.h"
#include "ops/kinds.h"
#include "pass/masked_updates.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Region;
using ir::Value;

bool is_few(const Value* value) {
  return element_count(value->shape()) <= kernel::kMaxUnrolledElements;
}

}  // namespace

std::optional<int> plain_end(const ops::WhileOp& loop) {
  if (loop.form().max_steps || loop.form().steps_before != 0 || loop.lanes().any()) return std::nullopt;
  const Value* predicate = loop.predicate().results()[0];
  const bool is_carry =
      predicate->op() == nullptr && loop.is_carry(predicate->index()) && predicate->rank() == 0;
  return is_carry ? std::optional(predicate->index()) : std::nullopt;
}

bool NestedParts::find() {
  if (!find_inner()) return false;
  find_versions();
  if (!find_parts()) return false;
  find_reads();
  return look_at_what_is_wanted();
}

bool NestedParts::is_of_part(const Op& op, int part) const {
  const Place& place = places_.at(&op);
  return !op.is_return() && !place.loop && place.part == part;
}

bool NestedParts::find_inner() {
  for (const auto& op : body_.ops()) {
    if (ops::is<ops::WhileOp>(*op) && !add_inner(*op)) return false;
  }
  return !inner_.empty();
}

// If all that the loop's step does are steps in a scan, which ends with it.
bool NestedParts::add_inner(Op& op) {
  const ops::WhileOp loop(op);
  const std::optional<int> end = plain_end(loop);
  const Region& body = loop.body();
  const auto steps = ops::as<ops::ScanOp>(*body.ops().front());
  if (!end || !steps || body.ops().size() != 2 || steps->stack_count() > 0 || !steps->form().running ||
      steps->carry(*steps->form().running).initial != body.argument(*end))
    return false;
  for (const Value* operand : steps->op().operands()) {
    if (operand->op() != nullptr) return false;
  }
  std::vector<int> carries;
  for (int k = 0; k < loop.carry_count(); ++k) {
    const Value* next = body.results()[static_cast<size_t>(k)];
    if (next->op() != &steps->op() || steps->carry(next->index()).initial != body.argument(k)) return false;
    carries.push_back(next->index());
  }
  places_.insert({&op, {static_cast<int>(inner_.size()), true}});
  inner_.push_back({&op, *end, *steps, std::move(carries), {}});
  return true;
}

NestedParts::Inner* NestedParts::inner(const Op* op) {
  const auto found = std::find_if(inner_.begin(), inner_.end(), [&](const Inner& i) { return i.op == op; });
  return found == inner_.end() ? nullptr : &*found;
}

// Which carries the step changes in part, by scatters and by inner loops.
void NestedParts::find_versions() {
  for (int k = 0; k < loop_.carry_count(); ++k) {
    std::vector<const Value*> versions;
    std::vector<std::pair<Inner*, int>> inside;
    const Value* value = body_.results()[static_cast<size_t>(k)];
    for (const Value* argument = body_.argument(k); value != argument;) {
      versions.push_back(value);
      Op* op = value->op();
      if (op == nullptr) break;
      Inner* loop = inner(op);
      if (loop != nullptr && kernel::updated_carry(loop->carry(value->index()))) {
        inside.emplace_back(loop, value->index());
        value = op->operand(value->index());
      } else if (can_be_masked(*op)) {
        value = op->operand(0);
      } else {
        break;
      }
    }
    if (value != body_.argument(k) || versions.empty()) continue;
    changed_.insert(k);
    for (const auto& [loop, carry] : inside) loop->placed.insert(carry);
    const Op* next = nullptr;
    for (const Value* version : versions) {
      versions_[version] = next;
      next = version->op();
    }
    versions_[value] = next;
  }
}

// Each operation is of the first part that it can be of: behind what it needs, and, where it changes an
// array, behind what reads that as it was.
bool NestedParts::find_parts() {
  const int last = static_cast<int>(inner_.size());
  for (const auto& op : body_.ops()) places_.insert({op.get(), {0}});
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& op : body_.ops()) {
      int part = 0;
      for (const Value* operand : op->operands()) {
        part = std::max(part, part_behind(operand));
        if (const auto version = versions_.find(operand);
            version != versions_.end() && version->second == op.get())
          part = std::max(part, part_behind_readers(*operand, *op));
      }
      Place& place = places_.at(op.get());
      if (part > (place.loop ? place.part : last)) return false;
      if (place.loop || place.part >= part) continue;
      place.part = part;
      changed = true;
    }
  }
  return true;
}

int NestedParts::part_behind(const Value* value) const {
  if (value->op() == nullptr) return 0;
  const Place& place = places_.at(value->op());
  return place.part + (place.loop ? 1 : 0);
}

int NestedParts::part_behind_readers(const Value& version, const Op& next) const {
  int part = 0;
  for (const ir::Use& use : version.uses()) {
    if (use.op == &next || use.op->is_return()) continue;
    const Place& place = places_.at(use.op);
    const bool all_along = place.loop && !ops::WhileOp(*use.op).is_carry(use.operand);
    part = std::max(part, place.part + (all_along ? 1 : 0));
  }
  return part;
}

// What parts read of what the step changes.
void NestedParts::find_reads() {
  for (const auto& op : body_.ops()) {
    const Place& place = places_.at(op.get());
    if (place.loop) continue;
    const auto& operands = op->operands();
    const bool reads = std::any_of(operands.begin(), operands.end(), [&](const Value* v) {
      return versions_.count(v) > 0 || (reads_.count(v) > 0 && part_behind(v) == place.part);
    });
    for (const Value* result : op->results()) {
      if (reads && versions_.count(result) == 0) reads_.insert(result);
    }
  }
}

// Where a step is taken up, arrays are what the loop that it is taken up in reads and changes, and what was
// read of them before that is kept.
bool NestedParts::look_at_what_is_wanted() {
  bool fits = true;
  const auto want = [&](Value* value, Place at) {
    if (const auto version = versions_.find(value); version != versions_.end()) {
      const Op* next = version->second;
      if (next == nullptr) return;
      fits = fits && (at.loop ? at < places_.at(next) : !(places_.at(next) < at));
    } else if (reads_.count(value) > 0 && Place{part_behind(value)} < at) {
      fits = fits && is_few(value);
      if (std::find(kept_.begin(), kept_.end(), value) == kept_.end()) kept_.push_back(value);
    }
  };
  for (const auto& op : body_.ops()) {
    if (op->is_return()) continue;
    const Place place = places_.at(op.get());
    const Inner* loop = inner(op.get());
    for (int i = 0; i < op->operand_count(); ++i) {
      Value* operand = op->operand(i);
      if (loop == nullptr || !loop->is_carry(i)) {
        want(operand, place);
      } else if (loop->placed.count(i) == 0) {
        fits = fits && is_few(operand);
        want(operand, {place.part});
      }
    }
  }
  for (int k = 0; k < loop_.carry_count(); ++k) {
    Value* next = body_.results()[static_cast<size_t>(k)];
    if (changed_.count(k) > 0 || next == body_.argument(k)) continue;
    fits = fits && is_few(next);
    want(next, {static_cast<int>(inner_.size())});
  }
  return fits;
}

}  // namespace ingot::pass
