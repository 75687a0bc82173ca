#include "pass/replace.h"

#include <algorithm>

#include "base/check.h"
#include "ir/unused.h"

namespace ingot::pass {

void replace_op(ir::Op* op, std::span<ir::Value* const> values, std::span<ir::Op* const> made) {
  check(static_cast<int>(values.size()) == op->result_count(), "replace_op: one value per result is needed");
  std::vector<std::string> names;
  for (int i = 0; i < op->result_count(); ++i) {
    names.push_back(op->result(i)->name());
    op->result(i)->replace_all_uses_with(values[static_cast<size_t>(i)]);
  }
  ir::Function* function = op->function();
  op->erase();
  for (size_t i = 0; i < values.size(); ++i) {
    bool first = std::find(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(i), values[i]) ==
                 values.begin() + static_cast<std::ptrdiff_t>(i);
    bool fresh = std::find(made.begin(), made.end(), values[i]->op()) != made.end();
    if (first && fresh) function->rename(values[i], names[i]);
  }
}

void erase_attempt(ir::Op& op) {
  std::vector<ir::Op*> makers;
  const auto erase = [&](ir::Op& one) {
    for (const ir::Value* operand : one.operands()) {
      if (operand->op() != nullptr && std::find(makers.begin(), makers.end(), operand->op()) == makers.end())
        makers.push_back(operand->op());
    }
    one.erase();
  };
  erase(op);
  const auto unused = [](const ir::Op* one) { return !one->used(); };
  for (auto at = makers.begin(); (at = std::find_if(makers.begin(), makers.end(), unused)) != makers.end();) {
    ir::Op& one = **at;
    makers.erase(at);
    erase(one);
  }
}

void NamesToKeep::add(const ir::Op& copy, const ir::Op& original, bool results) {
  for (int i = 0; results && i < original.result_count(); ++i) add(copy.result(i), original.result(i));
  for (int r = 0; r < original.region_count(); ++r) {
    const ir::Region &to = copy.region(r), &from = original.region(r);
    for (int i = 0; i < from.argument_count(); ++i) add(to.argument(i), from.argument(i));
    auto inner = to.ops().begin();
    for (const auto& op : from.ops()) add(**inner++, *op, true);
  }
}

void NamesToKeep::give_back(ir::Function& function) const {
  for (const auto& [value, name] : list_) function.rename(value, name);
}

void move_ops(ir::Region& from, ir::Region& to) {
  while (!from.ops().front()->is_return()) to.take(from.ops().front().get());
}

std::unique_ptr<ir::Region> keep_parts(ir::Region& region, const std::vector<int>& arguments,
                                       const std::vector<int>& results) {
  std::vector<ir::Value*> returned;
  for (int i : results) returned.push_back(region.results()[static_cast<size_t>(i)]);
  region.set_results(returned);
  ir::erase_unused(region);
  std::unique_ptr<ir::Region> fresh = region.function()->make_region();
  for (int i : arguments) {
    ir::Value* argument = region.argument(i);
    argument->replace_all_uses_with(fresh->add_argument(argument->type(), argument->name()));
  }
  returned.assign(region.results().begin(), region.results().end());
  region.set_results({});
  move_ops(region, *fresh);
  fresh->set_results(returned);
  return fresh;
}

}  // namespace ingot::pass
