#include "pass/cleanup/constant_tables.h"

#include <algorithm>
#include <unordered_set>

#include "ops/kinds.h"
#include "pass/replace.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Value;

// Operations of all steps together. Threefry's five steps have some 225 of them, with broadcasts and
// reshapes; they compile in the time of the loop, and run in a third of it.
constexpr int64_t kMostWritten = 512;

bool is_constant(const Value* value) {
  return value->op() != nullptr && ops::is<ops::ConstantOp>(*value->op());
}

// What a step computes of constants and of those carries alone that are taken to be constants.
class Constants {
 public:
  explicit Constants(const ops::ScanOp& scan) {
    for (const ops::ScanOp::Carry& carry : scan.carries()) {
      if (is_constant(carry.initial)) known_.insert(carry.argument);
    }
    for (const ops::ScanOp::Invariant& invariant : scan.invariants()) {
      if (is_constant(invariant.value)) fixed_.insert(invariant.argument);
    }
    // A carry that becomes something else is none, nor are those that follow from it.
    for (bool fewer = true; fewer;) {
      follow(scan.body());
      fewer = false;
      for (const ops::ScanOp::Carry& carry : scan.carries())
        fewer |= !holds(carry.next) && known_.erase(carry.argument) > 0;
    }
  }

  bool holds(const Value* value) const {
    return known_.contains(value) || fixed_.contains(value) || made_.contains(value);
  }

 private:
  void follow(const ir::Region& body) {
    made_.clear();
    for (const auto& op : body.ops()) {
      bool constant = op->region_count() == 0 && !ops::has_callee(*op);
      for (const Value* operand : op->operands()) constant = constant && holds(operand);
      if (!constant) continue;
      for (const Value* result : op->results()) made_.insert(result);
    }
  }

  std::unordered_set<const Value*> known_, fixed_, made_;
};

}  // namespace

bool exchanges_constants(const ops::ScanOp& scan) {
  if (scan.scanned_count() > 0 || scan.stack_count() > 0 || scan.form().active || scan.form().running)
    return false;
  const auto operations = static_cast<int64_t>(scan.body().ops().size());
  if (scan.length() > kMostWritten / std::max<int64_t>(operations, 1)) return false;
  for (const auto& op : scan.body().ops()) {
    if (op->region_count() > 0) return false;
  }
  const std::vector<ops::ScanOp::Carry> carries = scan.carries();
  const auto changes = [](const ops::ScanOp::Carry& c) {
    return c.argument->rank() > 0 && c.next != c.argument && c.argument->used() && is_constant(c.initial);
  };
  if (std::none_of(carries.begin(), carries.end(), changes)) return false;
  const Constants constants(scan);
  return std::any_of(carries.begin(), carries.end(),
                     [&](const ops::ScanOp::Carry& c) { return changes(c) && constants.holds(c.next); });
}

void write_out_steps(const ops::ScanOp& scan) {
  auto& op = const_cast<Op&>(scan.op());
  std::vector<Value*> carried;
  for (const ops::ScanOp::Carry& carry : scan.carries()) carried.push_back(carry.initial);
  for (int64_t step = 0; step < scan.length(); ++step) {
    ir::ValueMap map;
    for (int k = 0; k < scan.carry_count(); ++k)
      map[scan.carry(k).argument] = carried[static_cast<size_t>(k)];
    for (const ops::ScanOp::Invariant& invariant : scan.invariants())
      map[invariant.argument] = invariant.value;
    carried = ir::clone_ops(scan.body(), *op.parent(), map, &op);
  }
  replace_op(&op, carried, {});
}

}  // namespace ingot::pass
