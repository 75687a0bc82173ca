#include "pass/fusion/call_refusals.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "ops/control.h"
#include "pass/call_graph.h"

namespace ingot::pass {
namespace {

using ir::Function;
using ir::Op;
using ir::Value;

// An operation inside of a kernel, and the value as the kernel knows it outside.
struct End {
  const Op* op = nullptr;
  std::string kernel;
  const Value* value = nullptr;
  std::string label = {};
};

std::string kernel_of(const Op& fused) {
  return ops::FusedOp(fused).kernel();
}

// What leaves a kernel is told by its name outside.
std::string label_of(const Op& inside, const Op& fused) {
  const auto results = fused.region().results();
  const auto it =
      std::find_if(results.begin(), results.end(), [&](const Value* v) { return v->op() == &inside; });
  if (it == results.end()) return label(inside);
  return "%" + fused.result(static_cast<int>(it - results.begin()))->name() + " = " +
         std::string(inside.name());
}

// The kernel that makes a value, in callees too; none where it is an argument, or what a loop makes.
End maker_of(const Value& value, const CallGraph& graph) {
  const Op* op = value.op();
  if (op == nullptr) return {};
  if (ops::is<ops::FusedOp>(*op)) {
    const Op* inside = op->region().results()[static_cast<size_t>(value.index())]->op();
    return inside == nullptr ? End() : End{inside, kernel_of(*op), &value, label_of(*inside, *op)};
  }
  if (!ops::has_callee(*op)) return {};
  return maker_of(*graph.callee(*op)->body().results()[static_cast<size_t>(value.index())], graph);
}

// All kernels that read a value, in callees too.
void add_readers(const Value& value, const CallGraph& graph, std::vector<End>& readers) {
  for (const ir::Use& use : value.uses()) {
    if (ops::is<ops::FusedOp>(*use.op)) {
      const Value* inside = use.op->region().argument(use.operand);
      if (!inside->used()) continue;
      const Op* reader = inside->uses().front().op;
      if (reader->is_return()) continue;
      readers.push_back({reader, kernel_of(*use.op), &value, label_of(*reader, *use.op)});
    } else if (ops::has_callee(*use.op)) {
      add_readers(*graph.callee(*use.op)->body().argument(use.operand), graph, readers);
    }
  }
}

}  // namespace

CallRefusals::CallRefusals(ir::Module& module) {
  const CallGraph graph(module);
  for (const auto& function : module.functions()) {
    const size_t calls = graph.calls_of(function.get()).size();
    if (calls > 0) calls_[function.get()] = calls;
  }
}

std::string CallRefusals::why_apart(const Op& call, const Function& callee,
                                    const PassContext& context) const {
  const std::string name = "@" + callee.name();
  if (ops::recomputes(call))
    return name +
           " is computed anew, as a checkpoint asks for, and shares no kernel with what stands around it; a "
           "policy that saves what it makes, or no checkpoint, would do";
  const std::string stays = ", so that it is compiled once for all and shares no kernel with its callers; ";
  const std::string cure = "what stands inside of it may fuse, and so may a function that is called once";
  const auto& refusals = context.refusals();
  const auto refusal = std::find_if(refusals.begin(), refusals.end(), [&](const Refusal& r) {
    return r.pass == "inline" && r.producer == label(call);
  });
  if (refusal == refusals.end()) {
    return name + " was not expanded by the pass inline" + stays +
           "a small function, or one that is called once, is, unless that pass is left out or limited";
  }
  if (refusal->reason == kProgramHasGrown)
    return name + " is not expanded, since " + kProgramHasGrown + stays + cure;
  const size_t calls = calls_.at(&callee);
  const std::string heavy = refusal->reason.substr(refusal->reason.find(' '));  // behind the function's name
  return name + heavy +
         (calls > 1 ? " and is called in " + std::to_string(calls) + " places"
                    : " and was called in several places, before equal calls became one") +
         stays + cure;
}

void CallRefusals::tell(ir::Module& module, PassContext& context) const {
  if (calls_.empty()) return;
  const CallGraph graph(module);
  std::set<std::tuple<std::string, std::string, const Value*>> told;
  const auto refuse = [&](const End& maker, const std::vector<End>& readers, const std::string& why) {
    for (const End& reader : readers) {
      if (maker.op == nullptr || !told.insert({maker.kernel, reader.kernel, maker.value}).second) continue;
      context.refuse({*maker.op, *reader.op, *maker.value, false, maker.kernel, reader.kernel, reader.value,
                      maker.label, reader.label},
                     why);
    }
  };
  for (const auto& function : module.functions()) {
    ir::walk(function->body(), [&](const Op& op) {
      if (!ops::has_callee(op)) return;
      const Function& callee = *graph.callee(op);
      const std::string why = why_apart(op, callee, context);
      for (int i = 0; i < op.operand_count(); ++i) {
        std::vector<End> readers;
        add_readers(*callee.body().argument(i), graph, readers);
        refuse(maker_of(*op.operand(i), graph), readers, why);
      }
      for (int i = 0; i < op.result_count(); ++i) {
        std::vector<End> readers;
        add_readers(*op.result(i), graph, readers);
        refuse(maker_of(*op.result(i), graph), readers, why);
      }
    });
  }
}

}  // namespace ingot::pass
