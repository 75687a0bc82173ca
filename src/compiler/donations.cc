#include "compiler/donations.h"

#include "compiler/planned_kernels.h"
#include "ops/control.h"
#include "ops/kinds.h"

#include <algorithm>
#include <set>

namespace ingot::compiler {
namespace {

using ir::Value;

std::string text_of(const Value& value) {
  return "%" + value.name() + " (" + ir::to_string(value.type()) + ")";
}

bool same_size(const Value& a, const Value& b) {
  return element_count(a.shape()) == element_count(b.shape()) && byte_size(a.dtype()) == byte_size(b.dtype());
}

// The value whose memory this one is.
const Value& root(const Value& value) {
  const Value* at = &value;
  while (at->op() != nullptr && ops::is_any<ops::ReshapeOp, ops::BitcastOp>(*at->op()))
    at = at->op()->operand(0);
  return *at;
}

// Why a result does not lie in an argument although nothing was tried.
std::string why_not_tried(const Value& seen) {
  const Value& result = root(seen);
  const std::string name = text_of(seen);
  if (result.op() == nullptr) return name + " is an argument itself, of which the caller gets a copy";
  if (ops::is<ops::CallOp>(&result))
    return name +
           " is made by a function that is called, and calls write to memory of their own; inside of "
           "the function that donates it would do";
  if (result.op() != nullptr && ops::is<ops::CondOp>(*result.op()))
    return name +
           " is made by a branch, which writes to memory of its own; a kernel that makes the result from it "
           "would do";
  if (result.op() != nullptr && ops::runs_regions(*result.op()))
    return name +
           " is made by a loop over kernels, which writes to memory of its own; a kernel that makes the "
           "result from it would do";
  if (result.op() != nullptr && is_routine(*result.op()))
    return name + " is made by a routine of the runtime, which writes to memory of its own";
  return "the kernel that makes " + name +
         " does not read it; a result takes the place of what its own kernel is the last to read";
}

}  // namespace

void Donations::refuse(const Value* argument, int result, std::string why) {
  refused_[argument].push_back({result, std::move(why)});
}

std::vector<pass::Note> Donations::notes(const ir::Region& body, const std::unordered_set<int>& donated,
                                         const runtime::PlanFunction& function) const {
  std::set<int> without_effect(donated.begin(), donated.end());
  for (const runtime::BufferInfo& result : function.results) without_effect.erase(result.may_alias_argument);
  std::vector<pass::Note> notes;
  for (int index : without_effect) {
    const Value& argument = *body.argument(index);
    if (element_count(argument.shape()) == 0) continue;
    notes.push_back(
        {"donation", "%" + argument.name(), "is donated without effect: " + why(argument, body, function)});
  }
  return notes;
}

std::string Donations::why(const Value& argument, const ir::Region& body,
                           const runtime::PlanFunction& function) const {
  const auto results = body.results();
  std::string text, taken;
  const auto add = [&](const std::string& reason) {
    if (text.find(reason) == std::string::npos) text += (text.empty() ? "" : "; ") + reason;
  };
  bool any = false;
  const auto refused = refused_.find(&argument);
  for (size_t r = 0; r < results.size(); ++r) {
    const Value& result = *results[r];
    if (!same_size(argument, result)) continue;
    any = true;
    // The same again is a copy of the first.
    if (std::any_of(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(r),
                    [&](const Value* earlier) { return &root(*earlier) == &root(result); }))
      continue;
    if (const int32_t other = function.results[r].may_alias_argument; other >= 0) {
      taken +=
          (taken.empty() ? "" : ", ") + text_of(result) + " takes that of %" + body.argument(other)->name();
      continue;
    }
    bool tried = false;
    if (refused != refused_.end()) {
      for (const Refused& one : refused->second) {
        if (one.result != static_cast<int>(r)) continue;
        add(one.why);
        tried = true;
      }
    }
    if (!tried) add(why_not_tried(result));
  }
  if (!any)
    return "no result has " + std::to_string(element_count(argument.shape())) + " elements of " +
           std::to_string(byte_size(argument.dtype())) + " bytes, as " + text_of(argument) +
           " has; an argument of a result's size would do";
  if (text.empty()) return "every result of its size has a place already: " + taken;
  return text;
}

}  // namespace ingot::compiler
