// A group that turned out not to lower as a whole becomes several kernels.
//
// From its end on, the most that makes a kernel is one; what is left is looked at again. Within the last half
// of that kernel's operations the cut is made where the fewest bytes go through memory.
#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>

#include "pass/becomes.h"
#include "pass/fusion/fusion_worth.h"
#include "pass/fusion/grouping.h"

namespace ingot::pass {

using ir::Op;
using ir::Value;

namespace {

// For each place of a cut in the first `end` operations, what those behind it read of those before.
std::vector<int64_t> bytes_across(const std::vector<Op*>& ops, size_t end) {
  std::unordered_map<const Op*, size_t> at;
  for (size_t i = 0; i < end; ++i) at.emplace(ops[i], i);
  std::vector<int64_t> bytes(end + 1, 0);  // more from there on than before
  for (size_t i = 0; i < end; ++i) {
    for (const Value* result : ops[i]->results()) {
      size_t last = i;
      for (const ir::Use& use : result->uses()) {
        if (const auto reader = at.find(use.op); reader != at.end()) last = std::max(last, reader->second);
      }
      const int64_t size = element_count(result->shape()) * static_cast<int64_t>(byte_size(result->dtype()));
      bytes[i + 1] += size;
      bytes[last + 1] -= size;
    }
  }
  for (size_t i = 1; i <= end; ++i) bytes[i] += bytes[i - 1];
  return bytes;
}

// Of a group that is not tried one by one, statements that all tries together would lower, each of them what
// the group has become by then. Random keys, 300 numbers, take 10^5 and 0.1 s; the gradient of singular
// values of three complex 4x4 matrices, small products written out, took 10^6 and 4 s.
constexpr int64_t kMostLowered = 1 << 18;

// The cut is made somewhere in the last half of a kernel's operations: of how many more the kernel could
// hold, a part of so many is near enough.
constexpr size_t kCutWithin = 8;

// How many times as many operations are tried next at most: what a short part fills tells little of a long
// one.
constexpr size_t kMostGrowth = 8;

// Where the longest part of [0, end) begins that reaches to the end and is good, to a part of 1 / `within` of
// its length, and where one begins that is not good (nowhere: nobody asked). Grows from the end on: a part
// that is far too long takes longest to try. `fullness` tells of a good part how much of a kernel it fills:
// operations come in runs of alike ones, so that the length which would fill one is nearly known, and a full
// one grows no more.
template <class Good, class Fullness>
std::pair<size_t, std::optional<size_t>> longest_end(size_t end, size_t within, const Good& is_good,
                                                     const Fullness& fullness) {
  const double full = 1 - 1 / static_cast<double>(std::max<size_t>(within, 2));
  size_t good = end, bad = 0;
  for (size_t length = kFewToTry; good > 0;) {
    const size_t from = end - std::min(end, length);
    if (!is_good(from)) {
      bad = from;
      break;
    }
    good = from;
    const double filled = fullness(from);
    if (within > 1 && filled >= full) return {good, std::nullopt};
    const double fills = static_cast<double>(length) * (1 + full) / 2 / std::max(filled, 1e-3);
    length =
        within > 1 ? std::clamp(static_cast<size_t>(fills), length + 1, kMostGrowth * length) : 2 * length;
  }
  while (good > bad + std::max<size_t>(1, within > 1 ? (end - good) / within : 0)) {
    const size_t middle = (good + bad) / 2;
    (is_good(middle) ? good : bad) = middle;
  }
  return {good, bad};
}

// Small arrays are written out, element by element.
int64_t statements_of(const FusionGroup& group) {
  int64_t statements = 0;
  for (const Op* op : group.ops) {
    const int64_t elements = element_count(op->results()[0]->shape());
    statements += elements <= kernel::kMaxUnrolledElements ? elements : 1;
  }
  return statements;
}

}  // namespace

// What every part that reads it makes for itself: views of constants alone, and what other groups hold as a
// copy.
std::set<Op*> Grouping::repeated_in(const FusionGroup& group) const {
  std::set<Op*> found;
  for (Op* op : group.ops) {
    const std::vector<Value*> results = op->results();
    const bool leaves = std::any_of(results.begin(), results.end(),
                                    [&](Value* result) { return group.outputs.count(result) > 0; });
    const bool constant =
        std::all_of(op->operands().begin(), op->operands().end(), [&](const Value* operand) {
          Op* maker = operand->op();
          return maker != nullptr && (is_inline_constant(*maker) || found.count(maker) > 0);
        });
    const bool copied = groups_of_.count(op) > 0 && groups_of_.at(op).size() > 1;
    if (!leaves && (copied || (becomes<ir::View>(*op) && constant))) found.insert(op);
  }
  return found;
}

FusionGroup Grouping::part(const FusionGroup& group, const std::set<Op*>& repeated,
                           const std::vector<Op*>& ops, size_t from, size_t to) const {
  FusionGroup part(order_);
  std::vector<Op*> pending(ops.begin() + static_cast<std::ptrdiff_t>(from),
                           ops.begin() + static_cast<std::ptrdiff_t>(to));
  part.ops.insert(pending.begin(), pending.end());
  while (!pending.empty()) {
    const Op* op = pending.back();
    pending.pop_back();
    for (const Value* operand : op->operands()) {
      Op* maker = operand->op();
      if (repeated.count(maker) > 0 && part.ops.insert(maker).second) pending.push_back(maker);
    }
  }
  const std::set<const Op*> own(ops.begin() + static_cast<std::ptrdiff_t>(from),
                                ops.begin() + static_cast<std::ptrdiff_t>(to));
  std::set<const Op*> seen;  // of what is repeated
  const std::function<bool(const Value&)> read_elsewhere = [&](const Value& value) {
    return std::any_of(value.uses().begin(), value.uses().end(), [&](const ir::Use& use) {
      if (group.ops.count(use.op) == 0 || own.count(use.op) > 0) return false;
      if (repeated.count(use.op) == 0) return true;
      const std::vector<Value*> results = use.op->results();
      return seen.insert(use.op).second &&
             std::any_of(results.begin(), results.end(), [&](const Value* r) { return read_elsewhere(*r); });
    });
  };
  for (size_t i = from; i < to; ++i) {
    for (Value* result : ops[i]->results()) {
      seen.clear();
      if (group.outputs.count(result) > 0 || read_elsewhere(*result)) part.outputs.insert(result);
    }
  }
  add_constants(part);
  return part;
}

const Op* Grouping::culprit_of(const FusionGroup& group) const {
  const std::set<Op*> repeated = repeated_in(group);
  std::vector<Op*> ops;
  for (Op* op : group.ops) {
    if (!becomes<ir::Literal>(*op) && repeated.count(op) == 0) ops.push_back(op);
  }
  const auto [good, bad] = longest_end(
      ops.size(), 1, [&](size_t from) { return buildable(part(group, repeated, ops, from, ops.size())); },
      [](size_t) { return 0.0; });
  return good == ops.size() ? nullptr : ops[*bad];
}

bool Grouping::doubt(const FusionGroup& group) {
  const Op* culprit = group.ops.size() > kFewToTry ? culprit_of(group) : nullptr;
  if (culprit != nullptr && doubted_.count(culprit) == 0) {
    went_wrong_.insert(culprit);
    return true;
  }
  if (static_cast<int64_t>(group.ops.size()) * statements_of(group) > kMostLowered) return false;
  went_wrong_.insert(group.ops.begin(), group.ops.end());
  return true;
}

void Grouping::cut(const FusionGroup& group, const std::string& reason, std::vector<FusionGroup>& result) {
  const std::set<Op*> repeated = repeated_in(group);
  std::vector<Op*> ops;
  for (Op* op : group.ops) {
    if (!becomes<ir::Literal>(*op) && repeated.count(op) == 0) ops.push_back(op);
  }
  if (ops.empty()) return take_apart(group, reason, result);
  const size_t parts = result.size();
  for (size_t end = ops.size(); end > 0;) {
    auto [begin, too_early] = longest_end(
        end, kCutWithin, [&](size_t from) { return buildable(part(group, repeated, ops, from, end)); },
        [&](size_t from) { return kernel_of(part(group, repeated, ops, from, end)).fullness(); });
    begin = std::min(begin, end - 1);
    if (begin > 0) {
      const std::vector<int64_t> bytes = bytes_across(ops, end);
      std::vector<size_t> better;  // the fewest bytes first, which nearly always is a kernel
      for (size_t at = begin + 1; at <= begin + (end - begin) / 2 && at < end; ++at) {
        if (bytes[at] < bytes[begin]) better.push_back(at);
      }
      std::stable_sort(better.begin(), better.end(), [&](size_t a, size_t b) { return bytes[a] < bytes[b]; });
      const auto best = std::find_if(better.begin(), better.end(), [&](size_t at) {
        return buildable(part(group, repeated, ops, at, end));
      });
      if (best != better.end()) begin = *best;
    }
    FusionGroup made = part(group, repeated, ops, begin, end);
    // An operation may be no kernel together with what it makes again for itself.
    if (begin + 1 == end && made.ops.size() > 1 && !lowers(made)) {
      result.erase(result.begin() + static_cast<std::ptrdiff_t>(parts), result.end());
      return take_apart(group, reason, result);
    }
    result.push_back(std::move(made));
    if (begin == 0) break;
    // What keeps the kernel from growing, and so each pair across the cut apart.
    const std::string more =
        too_early ? why_unbuildable(part(group, repeated, ops, std::min(*too_early, begin - 1), end)) : "";
    const std::string why =
        "a kernel of both could not be built as a whole: " + (more.empty() ? reason : more);
    for (const Op* op : result.back().ops) {
      for (const Value* operand : op->operands()) {
        if (operand->op() != nullptr && group.ops.count(operand->op()) > 0 &&
            result.back().ops.count(operand->op()) == 0)
          attempts_.push_back({operand->op(), op, why});
      }
    }
    end = begin;
  }
}

void Grouping::take_apart(const FusionGroup& group, const std::string& reason,
                          std::vector<FusionGroup>& result) {
  for (Op* op : group.ops) {
    if (becomes<ir::Literal>(*op)) continue;
    attempts_.push_back({op, nullptr, "a kernel of both could not be built as a whole: " + reason});
    FusionGroup single(order_);
    single.ops.insert(op);
    for (Value* r : op->results()) {
      if (r->used()) single.outputs.insert(r);
    }
    add_constants(single);
    result.push_back(std::move(single));
  }
}

}  // namespace ingot::pass
