// Expands calls where it pays: callees that are called from one place only, and light ones, whose call would
// cost more than their work and would keep their operations from fusing with the caller's.
//
// Light means a few dozen operations, none of them a loop, a call, a reduction over much, or a contraction
// that reads elements more than once; constants and views of one array, which are indices in a kernel, do
// not count. All other callees stay functions, compiled once. Of a callee counts what it is once the calls
// in it are expanded, and a budget linear in the size of the program bounds the growth, so nested functions
// cannot explode. Operations keep their locations, and their names and scopes behind those of the call:
// where %a calls @silu, its %y is %a.y.

#include <unordered_map>
#include <unordered_set>

#include "ir/op_record.h"
#include "ops/control.h"
#include "pass/call_graph.h"
#include "pass/passes.h"
#include "pass/replace.h"

namespace ingot::pass {
namespace {

using ir::Function;
using ir::Op;

constexpr int64_t kGrowthFactor = 8;  // of the operations of the whole program
constexpr int64_t kFreeGrowth = 400;

// What a function is once the calls in it are expanded that are to be.
struct Body {
  int64_t size = 0;
  int64_t work = 0;   // of that, what is more than indices in a kernel
  std::string heavy;  // why it is, but for its size
};

bool is_index(const Op& op) {
  return std::holds_alternative<ir::Literal>(*op.record().becomes) ||
         (std::holds_alternative<ir::View>(*op.record().becomes) && op.operand_count() <= 1);
}

// Decides callees first, for bodies as they will be, and expands callers first: so each operation is copied
// once, and not at each level of calls anew.
class Expansion {
 public:
  Expansion(ir::Module& module, PassContext& context) : module_(module), context_(context) {}

  bool run() {
    int64_t budget = kFreeGrowth;
    for (const auto& function : module_.functions()) budget += kGrowthFactor * operations_of(*function);
    const CallGraph graph(module_);
    std::vector<Function*> gone;
    for (Function* function : graph.callees_first()) {
      bodies_[function] = body_of(*function);
      const std::vector<Op*>& calls = graph.calls_of(function);
      if (function == module_.entry() || calls.empty()) continue;
      if (decide(*function, calls, budget) == calls.size()) gone.push_back(function);
    }
    if (expanded_.empty()) return false;
    const std::unordered_set<const Function*> leaving(gone.begin(), gone.end());
    for (const auto& function : module_.functions()) {
      if (!leaving.contains(function.get())) expand_calls_in(*function);
    }
    for (auto it = gone.rbegin(); it != gone.rend(); ++it) module_.erase_function(*it);
    return true;
  }

 private:
  Body body_of(Function& function) {
    Body body;
    walk(function.body(), [&](Op& op) {
      const auto expanded = expanded_.find(&op);
      if (expanded != expanded_.end()) {
        const Body& callee = bodies_.at(expanded->second);
        body.size += callee.size;
        body.work += callee.work;
        if (body.heavy.empty()) body.heavy = callee.heavy;
        return;
      }
      body.size += op.is_return() ? 0 : 1;
      body.work += op.is_return() || is_index(op) ? 0 : 1;
      if (body.heavy.empty()) body.heavy = why_heavy(op);
    });
    return body;
  }

  // How many of the calls are to be expanded.
  size_t decide(Function& function, const std::vector<Op*>& calls, int64_t& budget) {
    const Body& body = bodies_.at(&function);
    const bool once = calls.size() == 1;
    const std::string heavy = once ? ""
                              : body.work > kLightOperations
                                  ? "has more than " + std::to_string(kLightOperations) + " operations"
                                  : body.heavy;
    const int64_t growth = once ? 0 : body.size;
    size_t expanded = 0;
    for (Op* call : calls) {
      if (ops::is<ops::LinearCallOp>(*call)) {
        context_.refuse(*call, nullptr, "@" + function.name() + " is the transpose of what is asked for");
      } else if (ops::recomputes(*call)) {
        context_.refuse(*call, nullptr,
                        "@" + function.name() + " is computed anew, as a checkpoint asks for");
      } else if (!heavy.empty()) {
        context_.refuse(*call, nullptr, "@" + function.name() + " " + heavy);
      } else if (growth > budget) {
        context_.refuse(*call, nullptr, kProgramHasGrown);
      } else if (context_.may(once ? "called_once" : "light", *call)) {
        budget -= growth;
        expanded_[call] = &function;
        ++expanded;
      }
    }
    return expanded;
  }

  void expand_calls_in(Function& function) {
    std::vector<Op*> calls;
    walk(function.body(), [&](Op& op) {
      if (expanded_.contains(&op)) calls.push_back(&op);
    });
    while (!calls.empty()) {
      Op* call = calls.back();
      calls.pop_back();
      expand(*call, *expanded_.at(call), calls);
    }
  }

  // Adds the copies of calls that are to be expanded.
  void expand(Op& call, Function& callee, std::vector<Op*>& calls) {
    ir::ValueMap map;
    const ir::Region& body = callee.body();
    for (int i = 0; i < body.argument_count(); ++i) map[body.argument(i)] = call.operand(i);
    const std::string prefix = expansion_prefix(call);
    for (const auto& op : body.ops()) {
      if (op->is_return()) continue;
      Op& copy = *clone_op(*op, *call.parent(), map, &call, prefix);
      if (!call.provenance().scope.empty()) move_into_scope(copy, call.provenance().scope);
      note_copies(*op, copy, calls);
    }
    std::vector<ir::Value*> results;
    for (ir::Value* result : body.results()) results.push_back(map.at(result));
    expanded_.erase(&call);
    replace_op(&call, results, {});
  }

  static void move_into_scope(Op& op, const std::string& scope) {
    ir::Provenance moved = op.provenance();
    moved.scope = ir::joined_scopes(scope, moved.scope);
    op.set_provenance(std::move(moved));
    for (int r = 0; r < op.region_count(); ++r) {
      for (const auto& inner : op.region(r).ops()) move_into_scope(*inner, scope);
    }
  }

  void note_copies(const Op& original, Op& copy, std::vector<Op*>& calls) {
    if (const auto known = expanded_.find(&original); known != expanded_.end()) {
      Function* callee = known->second;
      expanded_[&copy] = callee;
      calls.push_back(&copy);
    }
    for (int r = 0; r < original.region_count(); ++r) {
      auto to = copy.region(r).ops().begin();
      for (const auto& op : original.region(r).ops()) note_copies(*op, **to++, calls);
    }
  }

  ir::Module& module_;
  PassContext& context_;
  std::unordered_map<const Op*, Function*> expanded_;  // calls that are to be, to their callees
  std::unordered_map<const Function*, Body> bodies_;
};

class Inline : public Pass {
 public:
  std::string_view name() const override { return "inline"; }
  std::string_view why() const override {
    return "Expands callees that are called once or light, so that their operations can fuse with the "
           "caller's; it "
           "runs after dedupe_functions has found which calls are of the same function.";
  }

  bool run(ir::Module& module, PassContext& context) override { return Expansion(module, context).run(); }
};

}  // namespace

std::unique_ptr<Pass> make_inline() {
  return std::make_unique<Inline>();
}

}  // namespace ingot::pass
