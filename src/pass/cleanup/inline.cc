// Expands calls where it pays: callees that are called from one place only, and light ones, whose call would
// cost more than their work and would keep their operations from fusing with the caller's.
//
// Light means a few dozen operations, none of them a contraction, a loop, a call or a reduction over much.
// All other callees stay functions, compiled once. Callees are expanded into before they are expanded
// themselves, and a budget linear in the size of the program bounds the growth, so nested functions cannot
// explode. Operations keep their locations, and their names behind that of the call: where %a calls @silu,
// its %y is %a.y.

#include "ir/op_record.h"
#include "ops/control.h"
#include "pass/call_graph.h"
#include "pass/passes.h"
#include "pass/replace.h"

namespace ingot::pass {
namespace {

using ir::Function;
using ir::Op;

constexpr int64_t kLightOperations = 40;
constexpr int64_t kLightReduction = 64;  // elements reduced to one
constexpr int64_t kGrowthFactor = 8;     // of the operations of the whole program
constexpr int64_t kFreeGrowth = 400;

int64_t size_of(Function& function) {
  int64_t size = 0;
  walk(function.body(), [&](Op& op) { size += op.is_return() ? 0 : 1; });
  return size;
}

// Why the operation makes a function heavy; empty if it does not.
std::string why_heavy(const Op& op) {
  const ir::Becomes& becomes = *op.record().becomes;
  if (std::holds_alternative<ir::Contraction>(becomes)) return "holds a contraction";
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

std::string why_heavy(Function& function) {
  if (size_of(function) > kLightOperations)
    return "has more than " + std::to_string(kLightOperations) + " operations";
  std::string reason;
  walk(function.body(), [&](Op& op) {
    if (reason.empty()) reason = why_heavy(op);
  });
  return reason;
}

class Inline : public Pass {
 public:
  std::string_view name() const override { return "inline"; }
  std::string_view why() const override {
    return "Expands callees that are called once or light, so that their operations can fuse with the "
           "caller's; it "
           "runs after dedupe_functions has found which calls are of the same function.";
  }

  bool run(ir::Module& module, PassContext& context) override {
    int64_t budget = kFreeGrowth;
    for (const auto& function : module.functions()) budget += kGrowthFactor * size_of(*function);
    bool changed = false;
    CallGraph graph(module);
    for (Function* function : std::vector<Function*>(graph.callees_first())) {
      if (function == module.entry()) continue;
      bool has_calls = false;
      walk(function->body(), [&](Op& op) { has_calls |= ops::has_callee(op); });
      if (!expand_calls_of(module, *function, graph.calls_of(function), budget, context)) continue;
      changed = true;
      if (has_calls) graph = CallGraph(module);  // the calls inside of it stand in new places
    }
    return changed;
  }

 private:
  static bool expand_calls_of(ir::Module& module, Function& function, const std::vector<Op*>& calls,
                              int64_t& budget, PassContext& context) {
    if (calls.empty()) return false;
    std::string heavy = calls.size() == 1 ? "" : why_heavy(function);
    int64_t growth = calls.size() == 1 ? 0 : size_of(function);
    size_t expanded = 0;
    for (Op* call : calls) {
      if (ops::recomputes(*call)) {
        context.refuse(*call, nullptr, "@" + function.name() + " is computed anew, as a checkpoint asks for");
      } else if (!heavy.empty()) {
        context.refuse(*call, nullptr, "@" + function.name() + " " + heavy);
      } else if (growth > budget) {
        context.refuse(*call, nullptr, "the program has grown by as much as inlining may make it grow");
      } else if (context.may(calls.size() == 1 ? "called_once" : "light", *call)) {
        budget -= growth;
        expand(*call, function);
        ++expanded;
      }
    }
    if (expanded == calls.size()) module.erase_function(&function);
    return expanded > 0;
  }

  static void expand(Op& call, Function& callee) {
    ir::ValueMap map;
    const ir::Region& body = callee.body();
    for (int i = 0; i < body.argument_count(); ++i) map[body.argument(i)] = call.operand(i);
    replace_op(&call, clone_ops(body, *call.parent(), map, &call, expansion_prefix(call)), {});
  }
};

}  // namespace

std::unique_ptr<Pass> make_inline() {
  return std::make_unique<Inline>();
}

}  // namespace ingot::pass
