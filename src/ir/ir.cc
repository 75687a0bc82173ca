#include "ir/ir.h"

#include <algorithm>
#include <new>

#include "base/check.h"
#include "ir/op_record.h"

namespace ingot::ir {

// --- Value

Value::~Value() {
  for (const Use& use : uses_) use.op->operands_[static_cast<size_t>(use.operand)] = nullptr;
}

void Value::replace_all_uses_with(Value* other) {
  check(other != this && other->type() == type_, "replace_all_uses_with: the types differ");
  Function* function = region_ != nullptr ? region_->function() : op_->function();
  if (used()) function->replaced_[name_] = other->name_;
  while (!uses_.empty()) {
    Use use = uses_.back();
    use.op->set_operand(use.operand, other);
  }
}

// --- Op

Op::~Op() {
  drop_operands();
  regions_.clear();
  if (parent_ == nullptr) return;
  for (auto& result : results_) parent_->function()->release_name(result->name());
}

std::string_view Op::name() const {
  return *record_->name;
}

bool Op::is_return() const {
  return record_ == &return_record();
}

void Op::set_operand(int i, Value* value) {
  Value*& slot = operands_[static_cast<size_t>(i)];
  if (slot == value) return;
  if (value != nullptr) value->uses_.push_back({this, i});  // first: without memory for it nothing changes
  if (slot != nullptr) {
    auto& uses = slot->uses_;
    // From the back: who replaces or destroys users goes backwards, and finds each at once.
    auto it = std::find_if(uses.rbegin(), uses.rend(),
                           [&](const Use& u) { return u.op == this && u.operand == i; });
    check(it != uses.rend(), "use lists are out of step");
    *it = uses.back();
    uses.pop_back();
  }
  slot = value;
}

void Op::set_operands(std::vector<Value*> values) {
  drop_operands();
  operands_.assign(values.size(), nullptr);
  for (size_t i = 0; i < values.size(); ++i) set_operand(static_cast<int>(i), values[i]);
}

void Op::drop_operands() {
  for (size_t i = 0; i < operands_.size(); ++i) set_operand(static_cast<int>(i), nullptr);
  operands_.clear();
}

std::vector<Value*> Op::results() const {
  std::vector<Value*> values;
  for (auto& result : results_) values.push_back(result.get());
  return values;
}

Function* Op::function() const {
  return parent_->function();
}

bool Op::used() const {
  return std::any_of(results_.begin(), results_.end(), [](auto& result) { return result->used(); });
}

void Op::erase() {
  check(!used(), "Op::erase: a result is still used");
  parent_->ops().erase(position_);
}

// --- Region

Region::~Region() {
  // Users before what they use.
  while (!ops_.empty()) ops_.pop_back();
  for (auto& argument : arguments_) function_->release_name(argument->name());
}

std::vector<Value*> Region::arguments() const {
  std::vector<Value*> values;
  for (auto& argument : arguments_) values.push_back(argument.get());
  return values;
}

Value* Region::add_argument(TensorType type, std::string_view name) {
  auto value = std::make_unique<Value>();
  value->type_ = std::move(type);
  value->name_ = name.empty() ? function_->fresh_name("arg") : function_->name_like(name);
  value->region_ = this;
  value->index_ = argument_count();
  arguments_.push_back(std::move(value));
  return arguments_.back().get();
}

void Region::erase_argument(int i) {
  check(!argument(i)->used(), "Region::erase_argument: it is still used");
  function_->release_name(argument(i)->name());
  arguments_.erase(arguments_.begin() + i);
  for (int k = i; k < argument_count(); ++k) arguments_[static_cast<size_t>(k)]->index_ = k;
}

bool Region::terminated() const {
  return !ops_.empty() && ops_.back()->is_return();
}

std::span<Value* const> Region::results() const {
  return terminated() ? ops_.back()->operands() : std::span<Value* const>();
}

void Region::set_results(std::vector<Value*> values) {
  if (terminated()) {
    ops_.back()->set_operands(std::move(values));
  } else {
    insert(return_record(), std::move(values), {}, {}, {});
  }
}

Op* Region::insert(const OpRecord& record, std::vector<Value*> operands, Attributes attributes,
                   std::vector<TensorType> result_types, Provenance provenance, Op* before,
                   std::vector<std::unique_ptr<Region>> regions, std::vector<std::string> result_names) {
  std::unique_ptr<Op> op(new Op(record));
  op->attributes_ = std::move(attributes);
  op->provenance_ = std::move(provenance);
  op->regions_ = std::move(regions);
  for (auto& region : op->regions_) region->parent_op_ = op.get();
  for (size_t i = 0; i < result_types.size(); ++i) {
    auto value = std::make_unique<Value>();
    value->type_ = std::move(result_types[i]);
    bool named = i < result_names.size() && !result_names[i].empty();
    value->name_ = named ? function_->name_like(result_names[i]) : function_->fresh_name(*record.name);
    value->op_ = op.get();
    value->index_ = static_cast<int>(i);
    op->results_.push_back(std::move(value));
  }
  auto position = ops_.end();
  if (before != nullptr) {
    check(before->parent_ == this, "Region::insert: 'before' stands in another region");
    position = before->position_;
  } else if (terminated()) {
    position = std::prev(ops_.end());
  }
  op->parent_ = this;
  op->set_operands(std::move(operands));
  Op* raw = op.get();
  raw->position_ = ops_.insert(position, std::move(op));
  return raw;
}

void Region::take(Op* op, Op* before) {
  auto position = before != nullptr ? before->position_ : (terminated() ? std::prev(ops_.end()) : ops_.end());
  check(op->function() == function_, "Region::take: the operation is of another function");
  ops_.splice(position, op->parent_->ops_, op->position_);
  op->parent_ = this;
}

// --- Function and Module

bool Function::claim(const std::string& name) {
  return names_.try_emplace(name, NameState{true, module_->passes_}).second;
}

// The base without a number of its own, so that names do not grow over the passes: "add_3" continues as
// "add_4".
std::string Function::number(std::string base, char separator) {
  const size_t digits = base.find_last_not_of("0123456789");
  if (digits != std::string::npos && digits + 1 < base.size() && digits > 0 && base[digits] == separator)
    base.resize(digits);
  base += separator;
  int& number = next_number_[base];
  std::string candidate;
  do {
    candidate = base + std::to_string(++number);
  } while (!claim(candidate));
  return candidate;
}

std::string Function::fresh_name(std::string_view kind) {
  std::string name(kind);
  return claim(name) ? name : number(std::move(name), '_');
}

std::string Function::name_like(std::string_view name) {
  std::string copy(name);
  return claim(copy) ? copy : number(std::move(copy), '.');
}

void Function::release_name(const std::string& name) {
  const auto known = names_.find(name);
  if (known == names_.end()) return;
  known->second.live = false;
  try {
    released_.push_back(name);
  } catch (const std::bad_alloc&) {  // in a destructor, of a program that is given up for lack of memory
  }
}

void Function::rename(Value* value, std::string_view name) {
  if (value->name_ == name) return;
  const std::string old = value->name_;
  release_name(old);
  if (auto known = names_.find(std::string(name)); known != names_.end() && !known->second.live) {
    known->second.live = true;
    value->name_ = known->first;
  } else {
    value->name_ = name_like(name);
  }
  replaced_[old] = value->name_;
}

Function* Module::entry() const {
  if (Function* main = find("main")) return main;
  return functions_.empty() ? nullptr : functions_.front().get();
}

Function* Module::find(std::string_view name) const {
  const auto known = by_name_.find(std::string(name));
  return known == by_name_.end() ? nullptr : known->second;
}

std::string Module::unique_function_name(std::string_view wish) {
  std::string name(wish);
  if (by_name_.count(name) == 0) return name;
  int& number = taken_numbers_[name];
  do {
    name = std::string(wish) + "_" + std::to_string(++number);
  } while (by_name_.count(name) != 0);
  return name;
}

Function* Module::add_function(std::string_view name) {
  functions_.push_back(std::unique_ptr<Function>(new Function(this, unique_function_name(name))));
  Function* function = functions_.back().get();
  by_name_.emplace(function->name(), function);
  return function;
}

void Module::erase_function(Function* function) {
  erased_functions_.push_back(function->name());
  by_name_.erase(function->name());
  taken_numbers_.clear();  // its own may be free again
  std::erase_if(functions_, [&](auto& f) { return f.get() == function; });
}

void Module::end_pass(std::string_view pass) {
  const bool tell = !pass.empty();
  for (const std::string& name : erased_functions_) {
    if (tell) fates_.push_back({name, "", "", std::string(pass)});
  }
  erased_functions_.clear();
  for (auto& function : functions_) {
    for (const std::string& name : function->released_) {
      Function::NameState& state = function->names_.at(name);
      if (!tell || state.live || state.pass == passes_) continue;  // taken over, or only there for a moment
      // Through names that were there for a moment, and twice released ones, to a value that lives.
      std::string by;
      auto next = function->replaced_.find(name);
      for (size_t n = 0; n <= function->replaced_.size() && next != function->replaced_.end(); ++n) {
        by = next->second;
        if (function->names_.at(by).live) break;
        next = function->replaced_.find(by);
      }
      if (!by.empty() && !function->names_.at(by).live) by.clear();
      fates_.push_back({function->name(), name, by, std::string(pass)});
      state.pass = passes_;  // told once
    }
    function->released_.clear();
    function->replaced_.clear();
  }
  ++passes_;
}

std::string to_string(const Fate& fate) {
  const std::string why = " (" + fate.pass + ")";
  if (fate.name.empty()) return "@" + fate.function + " is gone" + why;
  return "%" + fate.name + " in @" + fate.function + ": " +
         (fate.replaced_by.empty() ? "gone" : "%" + fate.replaced_by + " stands for it") + why;
}

// --- cloning

Op* clone_op(const Op& op, Region& to, ValueMap& map, Op* before, std::string_view prefix) {
  std::vector<Value*> operands;
  for (Value* operand : op.operands()) operands.push_back(map.at(operand));
  std::vector<TensorType> types;
  std::vector<std::string> names;
  for (Value* result : op.results()) {
    types.push_back(result->type());
    names.push_back(std::string(prefix) + result->name());
  }
  std::vector<std::unique_ptr<Region>> regions;
  for (int i = 0; i < op.region_count(); ++i) {
    regions.push_back(to.function()->make_region());
    clone_region(op.region(i), *regions.back(), prefix);
  }
  Op* copy = to.insert(op.record(), std::move(operands), op.attributes(), std::move(types), op.provenance(),
                       before, std::move(regions), std::move(names));
  for (int i = 0; i < op.result_count(); ++i) map[op.result(i)] = copy->result(i);
  return copy;
}

std::vector<Value*> clone_ops(const Region& from, Region& to, ValueMap& map, Op* before,
                              std::string_view prefix) {
  for (auto& op : from.ops()) {
    if (!op->is_return()) clone_op(*op, to, map, before, prefix);
  }
  std::vector<Value*> results;
  for (Value* result : from.results()) results.push_back(map.at(result));
  return results;
}

void clone_region(const Region& from, Region& to, std::string_view prefix) {
  ValueMap map;
  for (Value* argument : from.arguments())
    map[argument] = to.add_argument(argument->type(), std::string(prefix) + argument->name());
  to.set_results(clone_ops(from, to, map, nullptr, prefix));
}

std::unique_ptr<Module> clone(const Module& module) {
  auto copy = std::make_unique<Module>();
  for (auto& function : module.functions()) {
    Function* f = copy->add_function(function->name());
    f->donated = function->donated;
    clone_region(function->body(), f->body());
    for (const auto& [name, state] : function->names_) f->names_.emplace(name, state);
    f->next_number_ = function->next_number_;
  }
  copy->fates_ = module.fates_;
  copy->passes_ = module.passes_;
  return copy;
}

}  // namespace ingot::ir
