// fuse: every group of operations that shares a kernel becomes one `fused` operation.
//
// It stands last among the rewrites of the array IR: what it makes are the kernels, and no later pass may
// move operations in or out of them. A scan that no kernel can hold keeps its region, whose operations are
// grouped by themselves; it becomes a loop of the machine over those kernels. So do a while, and a cond,
// whose regions are branches of the machine.
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/check.h"
#include "ir/builder.h"
#include "ops/control.h"
#include "pass/fusion/call_refusals.h"
#include "pass/fusion/fusion_groups.h"
#include "pass/passes.h"
#include "pass/replace.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Value;

class Rewriting {
 public:
  Rewriting(ir::Region& region, std::vector<FusionGroup> groups)
      : region_(region), groups_(std::move(groups)) {
    for (auto& op : region.ops()) order_.push_back(op.get());
    for (size_t g = 0; g < groups_.size(); ++g) {
      for (Value* output : groups_[g].outputs) home_[output] = g;
      grouped_.insert(groups_[g].ops.begin(), groups_[g].ops.end());
    }
    emitted_.assign(groups_.size(), false);
  }

  void run() {
    // What stays is moved to the end one by one, behind what it needs.
    for (Op* op : order_) {
      if (op->is_return()) continue;
      if (!grouped_.count(op) || op->record().name == std::string_view("constant")) emit_op(op);
    }
    for (size_t g = 0; g < groups_.size(); ++g) emit_group(g);
    for (size_t i = order_.size(); i-- > 0;) {
      Op* op = order_[i];
      if (!op->is_return() && !op->used() && grouped_.count(op)) op->erase();
    }
  }

 private:
  void need(Value* value) {
    if (auto it = home_.find(value); it != home_.end())
      emit_group(it->second);
    else if (value->op() != nullptr && value->op()->parent() == &region_ && !made_.count(value->op()))
      emit_op(value->op());
  }

  void emit_op(Op* op) {
    if (!moved_.insert(op).second) return;
    for (Value* operand : op->operands()) need(operand);
    region_.take(op);
  }

  void emit_group(size_t g) {
    if (emitted_[g]) return;
    emitted_[g] = true;
    FusionGroup& group = groups_[g];
    const std::vector<Op*> ops(group.ops.begin(), group.ops.end());
    std::vector<Value*> inputs, outputs;
    std::unordered_set<Value*> seen;
    for (Op* op : ops) {
      for (Value* operand : op->operands()) {
        if ((operand->op() == nullptr || !group.ops.count(operand->op())) && seen.insert(operand).second) {
          inputs.push_back(operand);
        }
      }
      for (Value* result : op->results()) {
        if (group.outputs.count(result)) outputs.push_back(result);
      }
    }
    for (Value* input : inputs) need(input);
    // Inputs that another group makes have been replaced by now.
    std::vector<Value*> operands;
    std::unique_ptr<ir::Region> body = region_.function()->make_region();
    ir::ValueMap map;
    for (Value* input : inputs) {
      auto it = replaced_.find(input);
      operands.push_back(it == replaced_.end() ? input : it->second);
      map[input] = body->add_argument(input->type(), input->name());
    }
    for (Op* op : ops) {
      const Op* copy = ir::clone_op(*op, *body, map);
      inside_.add(*copy, *op, false);
      for (Value* result : op->results()) {
        if (!group.outputs.count(result)) inside_.add(map.at(result), result);
      }
    }
    std::vector<Value*> results;
    std::vector<ir::TensorType> types;
    for (Value* output : outputs) {
      results.push_back(map.at(output));
      types.push_back(output->type());
    }
    body->set_results(results);
    std::vector<std::unique_ptr<ir::Region>> regions;
    regions.push_back(std::move(body));
    ir::Attributes attributes = ops::FusedOp::attributes(kernel_name(g));
    const Op* last = outputs.back()->op();
    Op* fused = region_.insert(*ir::find_record("fused"), operands, std::move(attributes), types,
                               last->provenance(), nullptr, std::move(regions));
    made_.insert(fused);
    for (size_t i = 0; i < outputs.size(); ++i) {
      replaced_[outputs[i]] = fused->result(static_cast<int>(i));
      // Users inside of groups keep the old value until they are cloned.
      std::vector<ir::Use> uses = outputs[i]->uses();
      for (const ir::Use& use : uses) {
        if (!grouped_.count(use.op)) {
          use.op->set_operand(use.operand, fused->result(static_cast<int>(i)));
        }
      }
      outside_.add(fused->result(static_cast<int>(i)), outputs[i]);
    }
  }

 public:
  std::string kernel_name(size_t g) const {
    std::string name = region_.function()->name();
    if (groups_.size() > 1 || region_.parent_op() != nullptr)
      name += "_" + (*groups_[g].outputs.rbegin())->name();
    return name;
  }

  // Outside of kernels values keep their names, inside all that do not leave them; what does is like them.
  void rename() {
    outside_.give_back(*region_.function());
    inside_.give_back(*region_.function());
  }

 private:
  ir::Region& region_;
  std::vector<FusionGroup> groups_;
  std::vector<Op*> order_;
  std::unordered_set<const Op*> grouped_;  // in some group
  std::unordered_map<const Value*, size_t> home_;
  std::unordered_map<const Value*, Value*> replaced_;
  std::unordered_set<const Op*> made_, moved_;
  std::vector<bool> emitted_;
  NamesToKeep outside_, inside_;
};

class Fuse : public Pass {
 public:
  std::string_view name() const override { return "fuse"; }
  std::string_view why() const override {
    return "groups operations into kernels; what follows rewrites inside of kernels, or decides where their "
           "values lie";
  }
  bool run(ir::Module& module, PassContext& context) override {
    bool changed = false;
    const CallRefusals calls(module);
    for (auto& function : module.functions()) changed = run_region(function->body(), context) || changed;
    calls.tell(module, context);
    return changed;
  }

 private:
  bool run_region(ir::Region& region, PassContext& context) {
    FusionChoice choice = choose_groups(region, context.candidates());
    std::vector<FusionGroup> groups;
    std::vector<std::optional<size_t>> number;  // in `groups`, of those that there is leave for
    for (FusionGroup& group : choice.groups) {
      const bool may = context.may("fuse", **group.ops.begin());
      number.push_back(may ? std::optional(groups.size()) : std::nullopt);
      if (may) groups.push_back(std::move(group));
    }
    for (const auto& [op, reason] : choice.alone) context.refuse(*op, nullptr, reason);
    bool changed = !groups.empty();
    if (changed) {
      Rewriting rewriting(region, std::move(groups));
      for (const FusionRefusal& refusal : choice.refusals) {
        if (const auto first = number[refusal.first], second = number[refusal.second]; first && second) {
          context.refuse({*refusal.producer, *refusal.consumer, *refusal.value, refusal.siblings,
                          rewriting.kernel_name(*first), rewriting.kernel_name(*second)},
                         refusal.reason);
        }
      }
      rewriting.run();
      rewriting.rename();
    }
    for (auto& op : region.ops()) {
      if (!ops::runs_regions(*op)) continue;
      for (int r = 0; r < op->region_count(); ++r) changed = run_region(op->region(r), context) || changed;
    }
    return changed;
  }
};

}  // namespace

std::unique_ptr<Pass> make_fuse() {
  return std::make_unique<Fuse>();
}

}  // namespace ingot::pass
