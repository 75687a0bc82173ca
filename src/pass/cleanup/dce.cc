// Removes what no result of the entry function needs: operations without users, parts of loops and branches
// (carries that only feed themselves, stacks and results that nobody reads, and what was computed for them),
// functions that are not called, arguments and results of functions that no caller gives a use.
//
// A region is walked backwards, so one walk suffices within a function; removing a part of a signature can
// make things unused on the other side of the call, so the whole repeats until nothing changes.

#include <algorithm>
#include <unordered_set>

#include "ops/control.h"
#include "pass/call_graph.h"
#include "pass/control_parts.h"
#include "pass/passes.h"
#include "pass/scan_layout.h"

namespace ingot::pass {
namespace {

using ir::Function;
using ir::Op;
using ir::Region;
using ir::Value;

class DeadCode {
 public:
  DeadCode(ir::Module& module, PassContext& context) : module_(module), context_(context) {}

  bool run() {
    bool any = false;
    do {
      changed_ = false;
      erase_unreachable_functions();
      for (const auto& function : module_.functions()) clean(function->body());
      trim_signatures();
      any |= changed_;
    } while (changed_);
    return any;
  }

 private:
  void erase_unreachable_functions() {
    if (module_.functions().size() < 2) return;
    std::vector<Function*> reached = CallGraph(module_).reachable_from(module_.entry());
    std::unordered_set<Function*> keep(reached.begin(), reached.end());
    std::vector<Function*> dead;
    for (const auto& function : module_.functions()) {
      if (!keep.contains(function.get()) && context_.may("function", *function))
        dead.push_back(function.get());
    }
    for (Function* function : dead) module_.erase_function(function);
    changed_ |= !dead.empty();
  }

  void clean(Region& region) {
    for (auto it = region.ops().end(); it != region.ops().begin();) {
      Op* op = std::prev(it)->get();
      if (!op->is_return() && !op->used() && context_.may("unused", *op)) {
        op->erase();
        changed_ = true;
        continue;
      }
      if (ops::is<ops::ScanOp>(*op)) op = simplify_scan(op);
      if (ops::is_any<ops::WhileOp, ops::CondOp>(*op)) op = simplify_control(op);
      for (int i = 0; i < op->region_count(); ++i) clean(op->region(i));
      --it;
    }
  }

  Op* simplify_scan(Op* scan) {
    ScanLayout constant = without_constant_carries(*scan);
    if (constant != ScanLayout::of(*scan) && context_.may("constant_carry", *scan)) {
      for (const ops::ScanOp::Carry& carry : ops::ScanOp(*scan).carries()) {
        if (carry.next == carry.argument && carry.result->used())
          carry.result->replace_all_uses_with(carry.initial);
      }
      scan = rebuild_scan(*scan, constant);
      changed_ = true;
    }
    ScanLayout needed = needed_parts(*scan);
    if (needed != ScanLayout::of(*scan) && context_.may("scan_part", *scan)) {
      scan = rebuild_scan(*scan, needed);
      changed_ = true;
    }
    return scan;
  }

  Op* simplify_control(Op* op) {
    for (const PassedThrough& one : passed_through(*op)) {
      if (!op->result(one.result)->used() || !context_.may("passed_through", *op)) continue;
      op->result(one.result)->replace_all_uses_with(one.value);
      changed_ = true;
    }
    if (ops::is<ops::WhileOp>(*op)) op = with_parts(op, without_constant_carries_of(*op), "constant_carry");
    return with_parts(op, needed_parts_of(*op), "control_part");
  }

  Op* with_parts(Op* op, const ControlParts& parts, std::string_view rule) {
    if (parts == ControlParts::of(*op)) return op;
    for (const PassedThrough& one : passed_through(*op)) {
      const bool leaves =
          std::find(parts.results.begin(), parts.results.end(), one.result) == parts.results.end();
      if (leaves && op->result(one.result)->used()) return op;  // there was no leave to use its value
    }
    if (!context_.may(rule, *op)) return op;
    changed_ = true;
    return rebuild_control(*op, parts);
  }

  void trim_signatures() {
    if (module_.functions().size() < 2) return;
    CallGraph graph(module_);
    for (const auto& function : module_.functions()) {
      if (function.get() != module_.entry()) trim_signature(*function, graph.calls_of(function.get()));
    }
  }

  void trim_signature(Function& function, const std::vector<Op*>& calls) {
    Region& body = function.body();
    std::vector<int> arguments, results;
    for (int i = 0; i < body.argument_count(); ++i) {
      if (body.argument(i)->used()) arguments.push_back(i);
    }
    int result_count = static_cast<int>(body.results().size());
    for (int i = 0; i < result_count; ++i) {
      if (std::any_of(calls.begin(), calls.end(), [&](Op* call) { return call->result(i)->used(); })) {
        results.push_back(i);
      }
    }
    bool full = static_cast<int>(arguments.size()) == body.argument_count() &&
                static_cast<int>(results.size()) == result_count;
    if (full || !context_.may("signature", function)) return;
    changed_ = true;
    std::vector<Value*> returned;
    for (int i : results) returned.push_back(body.results()[static_cast<size_t>(i)]);
    body.set_results(returned);
    std::unordered_set<int> donated;
    for (size_t k = 0; k < arguments.size(); ++k) {
      if (function.donated.contains(arguments[k])) donated.insert(static_cast<int>(k));
    }
    function.donated = std::move(donated);
    for (int i = body.argument_count() - 1; i >= 0; --i) {
      if (!std::binary_search(arguments.begin(), arguments.end(), i)) body.erase_argument(i);
    }
    for (Op* call : calls) trim_call(*call, arguments, results);
  }

  static void trim_call(Op& call, const std::vector<int>& arguments, const std::vector<int>& results) {
    std::vector<Value*> operands;
    std::vector<ir::TensorType> types;
    std::vector<std::string> names;
    for (int i : arguments) operands.push_back(call.operand(i));
    for (int i : results) {
      types.push_back(call.result(i)->type());
      names.push_back(call.result(i)->name());
    }
    Op* fresh =
        call.parent()->insert(call.record(), operands, call.attributes(), types, call.provenance(), &call);
    for (size_t k = 0; k < results.size(); ++k) {
      call.result(results[k])->replace_all_uses_with(fresh->result(static_cast<int>(k)));
    }
    Function* function = call.function();
    call.erase();
    for (size_t k = 0; k < results.size(); ++k)
      function->rename(fresh->result(static_cast<int>(k)), names[k]);
  }

  ir::Module& module_;
  PassContext& context_;
  bool changed_ = false;
};

class Dce : public Pass {
 public:
  std::string_view name() const override { return "dce"; }
  std::string_view why() const override {
    return "Removes what no result of the program needs, also inside loops, branches and across calls; it "
           "runs after "
           "passes "
           "that leave dead operations behind, so that nothing dead is fused or compiled.";
  }
  bool run(ir::Module& module, PassContext& context) override { return DeadCode(module, context).run(); }
};

}  // namespace

std::unique_ptr<Pass> make_dce() {
  return std::make_unique<Dce>();
}

}  // namespace ingot::pass
