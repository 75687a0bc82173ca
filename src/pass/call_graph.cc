#include "pass/call_graph.h"

#include <algorithm>
#include <unordered_set>

#include "base/check.h"
#include "ir/op_record.h"
#include "ops/control.h"
#include "ops/kinds.h"

namespace ingot::pass {

CallGraph::CallGraph(const ir::Module& module) {
  for (const auto& function : module.functions()) by_name_.emplace(function->name(), function.get());
  for (const auto& function : module.functions()) {
    walk(function->body(), [&](ir::Op& op) {
      if (!ops::has_callee(op)) return;
      calls_of_[callee(op)].push_back(&op);
      callees_[function.get()].push_back(callee(op));
    });
  }
  for (const auto& function : module.functions()) visit(function.get());
}

void CallGraph::visit(ir::Function* function) {
  if (!seen_.emplace(function, true).second) return;
  if (auto it = callees_.find(function); it != callees_.end()) {
    for (ir::Function* callee : it->second) visit(callee);
  }
  order_.push_back(function);
}

const std::vector<ir::Op*>& CallGraph::calls_of(const ir::Function* function) const {
  static const auto& none = *new std::vector<ir::Op*>;
  auto it = calls_of_.find(function);
  return it == calls_of_.end() ? none : it->second;
}

std::vector<ir::Function*> CallGraph::reachable_from(ir::Function* entry) const {
  std::vector<ir::Function*> reached{entry};
  std::unordered_set<const ir::Function*> seen{entry};
  for (size_t i = 0; i < reached.size(); ++i) {
    auto it = callees_.find(reached[i]);
    if (it == callees_.end()) continue;
    for (ir::Function* callee : it->second) {
      if (seen.insert(callee).second) reached.push_back(callee);
    }
  }
  return reached;
}

ir::Function* CallGraph::callee(const ir::Op& call) const {
  auto it = by_name_.find(ops::callee_name(call));
  check(it != by_name_.end(), "a call of a function that does not exist");
  return it->second;
}

int64_t operations_of(ir::Function& function) {
  int64_t size = 0;
  walk(function.body(), [&](ir::Op& op) { size += op.is_return() ? 0 : 1; });
  return size;
}

namespace {

constexpr int64_t kLightReduction = 64;  // elements reduced to one

// A product that reads no element twice, as that of a matrix and a vector, is a reduction; others are work
// for kernels of their own.
bool is_reduction(const ir::Op& op) {
  const auto dot = ops::as<ops::DotGeneralOp>(op);
  if (!dot) return false;
  int64_t terms = 1;
  for (const int64_t axis : dot->contract(0)) terms *= op.operand(0)->shape()[static_cast<size_t>(axis)];
  const int64_t most = std::max(op.operand(0)->type().elements(), op.operand(1)->type().elements());
  return terms <= kLightReduction && op.result()->type().elements() * terms <= most;
}

}  // namespace

std::string why_heavy(const ir::Op& op) {
  const ir::Becomes& becomes = *op.record().becomes;
  if (std::holds_alternative<ir::Contraction>(becomes) && !is_reduction(op)) return "holds a contraction";
  if (std::holds_alternative<ir::Expanded>(becomes)) return "holds a " + std::string(op.name());
  if (ops::has_callee(op)) return "calls a function that stays one";
  if (!op.is_return() && std::holds_alternative<ir::RegionControl>(becomes)) {
    return "holds a " + std::string(op.name());
  }
  if (std::holds_alternative<ir::Reduction>(becomes) && op.result_count() > 0) {
    int64_t kept = std::max<int64_t>(op.result()->type().elements(), 1);
    if (op.operand(0)->type().elements() / kept > kLightReduction) return "reduces over many elements";
  }
  return "";
}

std::string expansion_prefix(const ir::Op& call) {
  return (call.result_count() > 0 ? call.result()->name() : ops::callee_name(call)) + ".";
}

}  // namespace ingot::pass
