#include "pass/layout/layout_copies.h"

#include <algorithm>
#include <functional>
#include <map>

#include "ir/builder.h"
#include "ir/op_record.h"
#include "ops/control.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Region;
using ir::Value;

bool worth_a_copy(const Value& value, int64_t small) {
  return element_count(value.shape()) >= small &&
         std::count_if(value.shape().begin(), value.shape().end(), [](int64_t n) { return n > 1; }) > 1;
}

class Copies {
 public:
  Copies(ir::Module& module, int64_t small) : classes_(module), small_(small) {
    for (auto& function : module.functions()) run(function->body());
  }
  LayoutCopies take() { return std::move(made_); }

 private:
  void run(Region& region) {
    std::vector<Op*> all;
    for (auto& op : region.ops()) all.push_back(op.get());
    for (size_t i = 0; i < all.size(); ++i) {
      if (ops::is_any<ops::ScanOp, ops::CallOp>(*all[i])) {
        for (int k = 0; k < all[i]->operand_count(); ++k) before(*all[i], k);
        for (Value* result : all[i]->results()) after(*result, *all[i + 1]);  // there is a return at least
      }
      if (!ops::runs_regions(*all[i])) continue;
      for (int r = 0; r < all[i]->region_count(); ++r) run(all[i]->region(r));
    }
  }

  int64_t least(const Op& op) const { return ops::is<ops::ScanOp>(op) ? least_in_loops(small_) : small_; }

  void before(Op& op, int operand) {
    Value* value = op.operand(operand);
    if (!worth_a_copy(*value, least(op)) || made_.contains(value->op()) || !classes_.is_held(*value)) return;
    op.set_operand(operand, copy(*value, op, op));
  }

  void after(Value& value, Op& next) {
    if (!worth_a_copy(value, least(*value.op()))) return;
    std::vector<ir::Use> uses = value.uses();
    std::erase_if(uses, [&](const ir::Use& use) { return !classes_.is_held_by(use); });
    if (uses.empty()) return;
    Value* made = copy(value, *value.op(), next);
    for (const ir::Use& use : uses) use.op->set_operand(use.operand, made);
  }

  Value* copy(Value& value, const Op& reason, Op& before) {
    Region& region = *before.parent();
    ir::Function* function = region.function();
    std::unique_ptr<Region> body = function->make_region();
    Value* argument = body->add_argument(value.type(), value.name());
    ir::Builder builder(*body);
    const ir::Provenance provenance = reason.provenance().derived("layout", std::string(reason.name()));
    builder.set_provenance(provenance);
    ir::Attributes view{{"permutation", row_major(value.rank())}};
    body->set_results({builder.make("transpose", {argument}, std::move(view), {}, {value.name()})->result()});
    std::vector<std::unique_ptr<Region>> regions;
    regions.push_back(std::move(body));
    ir::Attributes attributes = ops::FusedOp::attributes(function->name() + "_" + value.name() + "_copy");
    Op* made = region.insert(*ir::find_record("fused"), {&value}, std::move(attributes), {value.type()},
                             provenance, &before, std::move(regions), {value.name() + "_copy"});
    made_.insert(made);
    return made->result();
  }

  LayoutClasses classes_;  // as they were before
  int64_t small_;
  LayoutCopies made_;
};

}  // namespace

LayoutCopies insert_copies(ir::Module& module, int64_t small) {
  return Copies(module, small).take();
}

bool is_needless(const Op& copy, const Orders& orders) {
  const Order *from = orders.of(copy.operand(0)), *to = orders.of(copy.result());
  return from == nullptr || to == nullptr ? from == to : *from == *to;
}

void erase_needless_copies(ir::Module& module, LayoutCopies& copies, LayoutClasses& classes,
                           const Orders& orders) {
  if (copies.empty()) return;
  std::map<std::pair<const Value*, Order>, Op*> first;  // of each region
  const std::function<void(Region&)> run = [&](Region& region) {
    for (auto it = region.ops().begin(); it != region.ops().end();) {
      Op& op = **it++;
      if (ops::runs_regions(op)) {
        for (int r = 0; r < op.region_count(); ++r) run(op.region(r));
      }
      if (!copies.contains(&op)) continue;
      Value* same = op.operand(0);
      if (!is_needless(op, orders)) {
        const Order* order = orders.of(op.result());
        Op*& known = first[{same, order == nullptr ? row_major(same->rank()) : *order}];
        if (known == nullptr) known = &op;
        if (known == &op) continue;
        same = known->result();
      }
      copies.erase(&op);
      op.result()->replace_all_uses_with(same);
      classes.forget(op.result());
      op.erase();
    }
  };
  for (auto& function : module.functions()) run(function->body());
}

}  // namespace ingot::pass
