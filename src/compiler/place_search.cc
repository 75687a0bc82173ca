#include "compiler/place_search.h"

#include <algorithm>

#include "compiler/planned_kernels.h"
#include "ir/op_record.h"
#include "ops/control.h"
#include "ops/kinds.h"

namespace ingot::compiler {

using ir::Op;
using ir::Value;

namespace {

bool begins_as_copy(const kernel::Kernel& kernel, int input, int output) {
  return std::any_of(kernel.copied_first.begin(), kernel.copied_first.end(), [&](const auto& copied) {
    return copied.input == input && copied.output == kernel.input_count + output;
  });
}

std::string text_of(const Op& op) {
  if (is_call(op)) return "a call of a function";
  if (is_loop(op)) return "a loop over kernels";
  if (is_branch(op)) return "a branch";
  if (is_routine(op)) return "a routine";
  return "the kernel " + kernel_name(op);
}

}  // namespace

PlaceSearch::PlaceSearch(SharedPlaces& shared, ir::Region& region) : shared_(shared), region_(region) {
  for (auto& op : region.ops()) {
    position_.emplace(op.get(), static_cast<int>(position_.size()));
    if (ops::keeps_bytes(*op)) continue;
    for (Value* operand : op->operands()) {
      std::vector<Op*>& readers = readers_[root_of(operand)];
      if (readers.empty() || readers.back() != op.get()) readers.push_back(op.get());
    }
  }
}

std::vector<PlaceSearch::Link> PlaceSearch::links_to(
    Value* value, const std::function<bool(const Value* from, bool part)>& wanted) {
  Op* op = value->op();
  std::vector<Link> links;
  if (op == nullptr || is_constant(*op) || is_call(*op) || is_empty(*op)) return links;
  if (is_loop(*op)) {
    const LoopPlaces& loop = shared_.of_loop(*op);
    const int carry = value->index();
    if (static_cast<size_t>(carry) >= loop.takes.size() || loop.takes[static_cast<size_t>(carry)] != carry)
      return links;
    Value* from = root_of(op->operand(carry));
    if (wanted(from, true)) links.push_back({op, from, value, true});
    return links;
  }
  if (is_branch(*op)) {
    const Pairs& pairs = shared_.of_branches(*op);
    const auto it = pairs.find(value->index());
    if (it == pairs.end()) return links;
    Value* from = root_of(op->operand(it->second + 1));
    if (wanted(from, true)) links.push_back({op, from, value, true});
    return links;
  }
  if (!is_kernel(*op)) return links;
  const kernel::Kernel& kernel = shared_.kernels_.at(op).kernel->scheduled;
  const std::vector<Value*> inputs = kernel_inputs(*op);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool part = begins_as_copy(kernel, static_cast<int>(i), value->index());
    if (!wanted(root_of(inputs[i]), part)) continue;
    if (part || shared_.why_not(*op, static_cast<int>(i), value->index()).empty())
      links.push_back({op, root_of(inputs[i]), value, part});
  }
  return links;
}

bool PlaceSearch::depends(const Op* late, const Op* early) const {
  std::vector<const Op*> pending{late};
  std::unordered_set<const Op*> seen{late};
  while (!pending.empty()) {
    const Op* op = pending.back();
    pending.pop_back();
    if (op == early) return true;
    const auto visit = [&](const Op* other) {
      if (other != nullptr && position_.count(other) > 0 && seen.insert(other).second)
        pending.push_back(other);
    };
    for (const Value* operand : op->operands()) visit(operand->op());
    for (const auto& [reader, change] : before_) {
      if (change == op) visit(reader);
    }
  }
  return false;
}

std::string PlaceSearch::why_not(const Link& link) {
  const auto from = std::count_if(link.op->operands().begin(), link.op->operands().end(),
                                  [&](const Value* operand) { return root_of(operand) == link.from; });
  const std::string changed = text_of(*link.op) + ", which changes it,";
  if (from > 1) return changed + " reads it in several ways; one alone would do";
  if (is_kernel(*link.op)) {
    const std::vector<Value*> inputs = kernel_inputs(*link.op);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (root_of(inputs[i]) != link.from) continue;
      const std::string& why = shared_.why_not(*link.op, static_cast<int>(i), link.to->index());
      if (!why.empty()) return text_of(*link.op) + " " + why;
    }
  }
  if (taken_.count(link.from) > 0) return "something else is made in its place";
  const std::vector<Op*>& readers = readers_[link.from];
  for (Op* reader : readers) {
    if (reader == link.op) continue;
    if (reader->is_return())
      return "it is handed on as it is, besides what " + text_of(*link.op) + " makes of it";
    if (depends(reader, link.op))
      return text_of(*reader) + " reads it, and needs what " + text_of(*link.op) + " makes of it";
  }
  for (Op* reader : readers) {
    if (reader != link.op) before_.emplace_back(reader, link.op);
  }
  return "";
}

void PlaceSearch::forget_from(size_t constraint) {
  before_.resize(constraint);
}

bool PlaceSearch::find(Value* value, const Value* argument, std::vector<Link>& path) {
  if (value == argument) return true;
  if (found_.home.count(value) > 0) return false;
  const auto leads_there = [&](const Value* from, bool) { return from == argument || from->op() != nullptr; };
  for (const Link& link : links_to(value, leads_there)) {
    const size_t constraints = before_.size();
    if (std::string why = why_not(link); !why.empty()) {
      if (link.part && refused_.empty()) refused_ = "%" + link.from->name() + ": " + why;
      continue;
    }
    path.push_back(link);
    if (find(link.from, argument, path)) return true;
    path.pop_back();
    forget_from(constraints);
  }
  // What does not read the argument may be made where it lay, once all have read it.
  Op* op = value->op();
  if (op == nullptr || is_constant(*op) || is_empty(*op) || reads(*op, argument)) return false;
  const Link over{op, const_cast<Value*>(argument), value, false};
  if (!why_not(over).empty()) return false;
  path.push_back(over);
  return true;
}

bool PlaceSearch::reads(const Op& op, const Value* value) {
  return std::any_of(op.operands().begin(), op.operands().end(),
                     [&](const Value* operand) { return root_of(operand) == value; });
}

bool PlaceSearch::can(int result, int argument) {
  std::vector<Link> path;
  const bool there =
      find(root_of(region_.results()[static_cast<size_t>(result)]), region_.argument(argument), path);
  forget_from(0);
  return there;
}

void PlaceSearch::take_pair(int result, int argument) {
  std::vector<Link> path;
  Value* value = root_of(region_.results()[static_cast<size_t>(result)]);
  const Value* place = region_.argument(argument);
  refused_.clear();
  if (taken_.count(place) > 0 || !find(value, place, path)) {
    if (!refused_.empty()) found_.refused[result] = refused_;
    return;
  }
  // What is there already lies where it lies, also at the end.
  if (path.empty()) {
    const auto same = std::any_of(found_.pairs.begin(), found_.pairs.end(),
                                  [&](const auto& pair) { return pair.second == argument; });
    if (same) return;
  }
  found_.pairs[result] = argument;
  bool anywhere = !path.empty();
  for (const Link& link : path) {
    found_.takes[link.to] = link.from;
    found_.home[link.to] = result;
    taken_.insert(link.from);
    anywhere = anywhere && !link.part;
  }
  found_.made_anywhere[result] = anywhere;
}

// Changes in part of what the region makes itself. What ends as a result lies there from the first on.
void PlaceSearch::take_rest() {
  for (auto& op : region_.ops()) {
    if (op->is_return()) continue;
    for (Value* result : op->results()) {
      if (found_.takes.count(result) > 0 || found_.home.count(result) > 0) continue;
      const auto made_here = [](const Value* from, bool part) {
        return part && from->op() != nullptr && !is_constant(*from->op()) && !is_empty(*from->op());
      };
      for (const Link& link : links_to(result, made_here)) {
        if (!why_not(link).empty()) continue;
        found_.takes[link.to] = link.from;
        taken_.insert(link.from);
        break;
      }
    }
  }
  for (size_t r = 0; r < region_.results().size(); ++r) {
    const Value* value = root_of(region_.results()[r]);
    if (found_.pairs.count(static_cast<int>(r)) > 0 || found_.home.count(value) > 0) continue;
    for (auto it = found_.takes.find(value); it != found_.takes.end(); it = found_.takes.find(value)) {
      found_.home[value] = static_cast<int>(r);
      value = it->second;
      found_.home[value] = static_cast<int>(r);
    }
  }
}

void PlaceSearch::place(Op& op, std::unordered_set<const Op*>& done) {
  if (!done.insert(&op).second) return;
  for (const Value* operand : op.operands()) {
    if (operand->op() != nullptr && position_.count(operand->op()) > 0) place(*operand->op(), done);
  }
  for (const auto& [reader, change] : before_) {
    if (change == &op) place(*reader, done);
  }
  found_.order.push_back(&op);
}

void PlaceSearch::order() {
  std::unordered_set<const Op*> done;
  for (auto& op : region_.ops()) place(*op, done);
}

RegionPlaces PlaceSearch::run(const Pairs& wanted) {
  for (const auto& [result, argument] : wanted) take_pair(result, argument);
  take_rest();
  order();
  return std::move(found_);
}

}  // namespace ingot::compiler
