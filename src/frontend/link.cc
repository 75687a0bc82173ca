#include "frontend/link.h"

#include <utility>
#include <vector>

#include "frontend/pending.h"

namespace ingot::detail {
namespace {

template <class Fn>
void for_each_symbol(ir::Region& region, Fn fn) {
  ir::walk(region, [&](ir::Op& op) {
    std::vector<std::pair<std::string, std::string>> found;
    for (const auto& [attribute, value] : op.attributes().items()) {
      if (const auto* symbol = std::get_if<ir::Symbol>(&value)) found.emplace_back(attribute, symbol->name);
    }
    for (const auto& [attribute, name] : found) fn(op, attribute, name);
  });
}

}  // namespace

std::string Linker::add(const TracedFunction& traced) {
  return copy(traced, *traced.own->functions().front());
}

std::string Linker::copy(const TracedFunction& traced, ir::Function& from) {
  if (auto known = names_.find(&from); known != names_.end()) return known->second;
  ir::Function* to = module_.add_function(from.name());
  names_[&from] = to->name();
  fill(traced, from, *to);
  return to->name();
}

void Linker::fill(const TracedFunction& traced, ir::Function& from, ir::Function& to) {
  to.donated = from.donated;
  std::map<std::string, std::string> renamed;  // to nothing: left out
  for_each_symbol(from.body(), [&](ir::Op&, const std::string&, const std::string& name) {
    if (renamed.count(name) != 0) return;
    ir::Function* own = traced.own->find(name);
    if (const auto callee = traced.callees.find(name); callee != traced.callees.end())
      renamed[name] = add(*callee->second);
    else if (const auto later = traced.pending.find(name); later != traced.pending.end())
      renamed[name] = copy_pending(later->second, *own);
    else
      renamed[name] = copy(traced, *own);
  });
  ir::clone_region(from.body(), to.body());
  for_each_symbol(to.body(), [&](ir::Op& op, const std::string& attribute, const std::string& name) {
    const std::string& now = renamed.at(name);
    if (now.empty())
      op.attributes().erase(attribute);
    else
      op.attributes().set(attribute, ir::Symbol{now});
  });
}

std::string Linker::copy_pending(const std::shared_ptr<const PendingFunction>& function,
                                 const ir::Function& from) {
  if (rules_ == Rules::kLeftOut) return "";
  std::string& name = pending_names_[function.get()];
  if (!name.empty()) return name;
  if (rules_ == Rules::kTraced) {
    if (++rules_of_rules_ > ir::kMostNested)
      throw Error("rules of custom_jvp ask for rules, and these for others, more than " +
                  std::to_string(ir::kMostNested) +
                  " times, as where the rule of a function calls that function; all of them are wanted where "
                  "a program is printed, or is a batching rule");
    const std::string made = add(*function->traced());
    --rules_of_rules_;
    return pending_names_[function.get()] = made;
  }
  ir::Function* to = module_.add_function(from.name());
  for (const ir::Value* argument : from.body().arguments())
    to->body().add_argument(argument->type(), argument->name());
  to->declared = from.declared;
  pending_.emplace(to->name(), function);
  return name = to->name();
}

void Linker::define(ir::Function& declared, const TracedFunction& traced) {
  ir::Function& from = *traced.own->functions().front();
  for (int i = declared.body().argument_count(); i-- > 0;) declared.body().erase_argument(i);
  declared.declared.reset();
  names_[&from] = declared.name();
  fill(traced, from, declared);
}

std::unique_ptr<ir::Module> linked(const TracedFunction& traced, Rules rules) {
  auto module = std::make_unique<ir::Module>();
  Linker(*module, rules).add(traced);
  return module;
}

}  // namespace ingot::detail
