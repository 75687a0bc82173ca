#include "pass/scan_layout.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "ops/control.h"
#include "pass/replace.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Region;
using ir::Value;
using ops::ScanOp;

std::vector<int> numbers(int count) {
  std::vector<int> list(static_cast<size_t>(count));
  std::iota(list.begin(), list.end(), 0);
  return list;
}

// The values of a scan's region that its used results depend on, over any number of steps.
class Liveness {
 public:
  explicit Liveness(const Op& op) : op_(op), scan_(op) {
    for (int i = 0; i < op.result_count(); ++i) {
      if (op.result(i)->used()) mark_result(i);
    }
    while (!stack_.empty()) {
      const Value* value = stack_.back();
      stack_.pop_back();
      if (value->op() != nullptr) {
        for (const Value* operand : value->op()->operands()) mark(operand);
      } else if (scan_.is_carry(value->index())) {
        mark_result(value->index());  // what this step reads, the step before has to make
      }
    }
  }

  bool operator()(const ScanOp::Carry& carry) const {
    return is_live(carry.argument) || carry.result->used();
  }
  bool operator()(const ScanOp::Scanned& scanned) const { return is_live(scanned.slice); }
  bool operator()(const ScanOp::Invariant& invariant) const { return is_live(invariant.argument); }
  bool operator()(const ScanOp::Stack& stack) const { return stack.whole->used(); }

 private:
  bool is_live(const Value* value) const { return live_.contains(value); }
  void mark(const Value* value) {
    if (live_.insert(value).second) stack_.push_back(value);
  }
  void mark_result(int i) { mark(op_.region().results()[static_cast<size_t>(i)]); }

  const Op& op_;
  const ScanOp scan_;
  std::unordered_set<const Value*> live_;
  std::vector<const Value*> stack_;
};

ir::IntList pick(const ir::IntList& list, const std::vector<int>& indices) {
  ir::IntList picked;
  for (int i : indices) picked.push_back(list[static_cast<size_t>(i)]);
  return picked;
}

// The arguments of the old region (and operands of the old scan) in the order of the new one.
std::vector<int> kept_arguments(const Op& scan, const ScanLayout& layout) {
  const ScanOp parts(scan);
  std::vector<int> kept = layout.carries;
  for (int k : layout.scanned) kept.push_back(parts.scanned(k).slice->index());
  kept.insert(kept.end(), layout.invariants.begin(), layout.invariants.end());
  return kept;
}

std::vector<int> kept_results(const Op& scan, const ScanLayout& layout) {
  const ScanOp parts(scan);
  std::vector<int> kept = layout.carries;
  for (int k : layout.stacked) kept.push_back(parts.stack(k).whole->index());
  return kept;
}

ir::Attributes attributes_for(const Op& scan, const ScanLayout& layout) {
  ir::Attributes attributes = scan.attributes();
  ops::ScanForm form = ScanOp(scan).form();
  form.carries = static_cast<int>(layout.carries.size());
  form.xs_axes = pick(form.xs_axes, layout.scanned);
  form.ys_axes = pick(form.ys_axes, layout.stacked);
  if (layout.carries.empty() || layout.carries[0] != 0) form.active.reset();  // it is about the first
  if (form.running.has_value()) {
    const auto at = std::find(layout.carries.begin(), layout.carries.end(), *form.running);
    if (at == layout.carries.end())
      form.running.reset();
    else
      form.running = static_cast<int>(at - layout.carries.begin());
  }
  form.write(attributes);
  return attributes;
}

}  // namespace

ScanLayout ScanLayout::of(const Op& scan) {
  const ScanOp parts(scan);
  ScanLayout layout{
      numbers(parts.carry_count()), numbers(parts.scanned_count()), {}, numbers(parts.stack_count())};
  for (const ScanOp::Invariant& invariant : parts.invariants())
    layout.invariants.push_back(invariant.argument->index());
  return layout;
}

ScanLayout needed_parts(const Op& scan) {
  const ScanOp parts(scan);
  const Liveness live(scan);
  ScanLayout layout;
  for (int k = 0; k < parts.carry_count(); ++k) {
    if (live(parts.carry(k))) layout.carries.push_back(k);
  }
  for (int k = 0; k < parts.scanned_count(); ++k) {
    if (live(parts.scanned(k))) layout.scanned.push_back(k);
  }
  for (const ScanOp::Invariant& invariant : parts.invariants()) {
    if (live(invariant)) layout.invariants.push_back(invariant.argument->index());
  }
  for (int k = 0; k < parts.stack_count(); ++k) {
    if (live(parts.stack(k))) layout.stacked.push_back(k);
  }
  return layout;
}

ScanLayout without_constant_carries(const Op& scan) {
  const ScanOp parts(scan);
  ScanLayout layout = ScanLayout::of(scan);
  std::erase_if(layout.carries, [&](int k) {
    const ScanOp::Carry carry = parts.carry(k);
    const bool constant = carry.next == carry.argument;
    if (constant) layout.invariants.push_back(carry.argument->index());
    return constant;
  });
  return layout;
}

Op* rebuild_scan(Op& scan, const ScanLayout& layout) {
  std::vector<int> arguments = kept_arguments(scan, layout);
  std::vector<int> results = kept_results(scan, layout);
  std::vector<Value*> operands;
  std::vector<std::string> argument_names, result_names;
  std::vector<ir::TensorType> types;
  for (int i : arguments) {
    operands.push_back(scan.operand(i));
    argument_names.push_back(scan.region().argument(i)->name());
  }
  for (int i : results) {
    types.push_back(scan.result(i)->type());
    result_names.push_back(scan.result(i)->name());
  }
  std::vector<std::unique_ptr<Region>> regions;
  regions.push_back(keep_parts(scan.region(), arguments, results));
  Op* fresh = scan.parent()->insert(scan.record(), std::move(operands), attributes_for(scan, layout),
                                    std::move(types), scan.provenance(), &scan, std::move(regions));
  for (size_t k = 0; k < results.size(); ++k) {
    scan.result(results[k])->replace_all_uses_with(fresh->result(static_cast<int>(k)));
  }
  ir::Function* function = scan.function();
  scan.erase();
  for (size_t k = 0; k < results.size(); ++k)
    function->rename(fresh->result(static_cast<int>(k)), result_names[k]);
  for (size_t k = 0; k < arguments.size(); ++k) {
    function->rename(fresh->region().argument(static_cast<int>(k)), argument_names[k]);
  }
  return fresh;
}

}  // namespace ingot::pass
