#include "compiler/planned_kernels.h"

#include <algorithm>
#include <unordered_set>

#include "base/check.h"
#include "base/fork.h"
#include "ir/op_record.h"
#include "kernel/ir/form.h"
#include "ops/control.h"
#include "ops/kinds.h"

namespace ingot::compiler {

using ir::Op;
using ir::Value;

bool is_constant(const Op& op) {
  return std::holds_alternative<ir::Literal>(*op.record().becomes);
}
bool is_call(const Op& op) {
  return ops::is<ops::CallOp>(op);
}
bool is_loop(const Op& op) {
  return ops::is_any<ops::ScanOp, ops::WhileOp>(op);
}
bool is_branch(const Op& op) {
  return ops::is<ops::CondOp>(op);
}
bool is_routine(const Op& op) {
  return std::holds_alternative<ir::LibraryRoutine>(*op.record().becomes);
}
bool is_kernel(const Op& op) {
  return !op.is_return() && !is_constant(op) && !is_call(op) && !ops::runs_regions(op) &&
         !ops::keeps_bytes(op) && !is_routine(op);
}

bool is_empty(const Op& op) {
  auto results = op.results();
  return std::all_of(results.begin(), results.end(), [](Value* r) { return element_count(r->shape()) == 0; });
}

std::vector<Value*> kernel_inputs(Op& op) {
  if (!ops::is<ops::FusedOp>(op)) return kernel::make_group({&op}, op.results()).inputs;
  return {op.operands().begin(), op.operands().end()};
}

void add_line(std::vector<std::string>& lines, const std::string& line) {
  if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
}

std::vector<std::string> own_lines(const Op& op) {
  const ir::Provenance& p = op.provenance();
  std::vector<std::string> lines;
  if (p.file.empty()) return lines;
  add_line(lines, p.place());
  for (const std::string& line : p.also) add_line(lines, line);
  return lines;
}

std::vector<std::string> source_lines(Op& op) {
  std::vector<std::string> computed, constant;
  std::unordered_set<const Op*> constants;
  const auto add = [&](Op& one) {
    const auto operands = one.operands();
    const bool views = std::holds_alternative<ir::View>(*one.record().becomes) && !operands.empty();
    if (is_constant(one) ||
        (views && std::all_of(operands.begin(), operands.end(), [&](const Value* operand) {
           return constants.count(operand->op()) > 0 ||
                  (operand->op() != nullptr && is_constant(*operand->op()));
         })))
      constants.insert(&one);
    if (one.is_return()) return;
    for (const std::string& line : own_lines(one))
      add_line(constants.count(&one) > 0 ? constant : computed, line);
  };
  if (!ops::is<ops::FusedOp>(op)) add(op);
  for (int r = 0; r < op.region_count(); ++r) ir::walk(op.region(r), add);
  return computed.empty() ? constant : computed;
}

namespace {

bool holds_product(Op& op) {
  bool found = false;
  const auto look = [&](Op& one) {
    found = found || std::holds_alternative<ir::Contraction>(*one.record().becomes);
  };
  look(op);
  for (int r = 0; r < op.region_count() && !found; ++r) ir::walk(op.region(r), look);
  return found;
}

// Inputs that are the same at each step of the scan whose step launches the kernel: what products pack of
// them is packed at the first step. Returns whether there are any.
bool mark_kept(Op& op, const std::unordered_set<const Value*>& invariants, kernel::Kernel& kernel) {
  if (invariants.empty() || !holds_product(op)) return false;
  bool any = false;
  const std::vector<Value*> inputs = kernel_inputs(op);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Value* value = inputs[i];
    while (value->op() != nullptr && ops::keeps_bytes(*value->op())) value = value->op()->operand(0);
    if (invariants.count(value) == 0) continue;
    kernel.buffers[i].kept = true;
    any = true;
  }
  return any;
}

// `invariants`: of the scan whose step the region is.
void collect_kernels(ir::Region& region, const std::unordered_set<const Value*>& invariants,
                     kernel::Candidates& candidates, std::vector<PlannedKernel>& out) {
  for (auto& op : region.ops()) {
    if (ops::runs_regions(*op)) {
      std::unordered_set<const Value*> inner;
      if (const auto scan = ops::as<ops::ScanOp>(*op)) {
        for (const auto& [value, argument] : scan->invariants()) inner.insert(argument);
      }
      for (int r = 0; r < op->region_count(); ++r) collect_kernels(op->region(r), inner, candidates, out);
    } else if (is_kernel(*op) && !is_empty(*op)) {
      const ForkSection section;
      const bool fused = ops::is<ops::FusedOp>(*op);
      const kernel::Candidate candidate =
          candidates.of(fused ? kernel::group_of(*op) : kernel::make_group({op.get()}, op->results()));
      try {
        kernel::Kernel kernel = candidate.kernel(kernel_name(*op));
        const std::string form =
            mark_kept(*op, invariants, kernel) ? kernel::canonical_form(kernel) : candidate.form();
        out.push_back({op.get(), kernel::hash_of_form(form), form, std::move(kernel)});
      } catch (const kernel::NotFusible& reason) {
        check(false, "no kernel for " + std::string(op->name()) + ", which is not fused: " + reason.what());
      }
    }
  }
}

}  // namespace

std::string kernel_name(const Op& op) {
  if (const auto fused = ops::as<ops::FusedOp>(op)) return fused->kernel();
  return op.parent()->function()->name() + "_" + op.result()->name();
}

std::vector<PlannedKernel> plan_kernels(ir::Module& module, kernel::Candidates& candidates) {
  std::vector<PlannedKernel> kernels;
  for (auto& function : module.functions()) collect_kernels(function->body(), {}, candidates, kernels);
  return kernels;
}

}  // namespace ingot::compiler
