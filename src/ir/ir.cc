#include "ir/ir.h"

#include <algorithm>

#include "base/check.h"
#include "ir/op_record.h"

namespace ingot::ir {

// --- Value
// ------------------------------------------------------------------------------------------------------

Value::~Value() {
  for (const Use& use : uses_) use.op->operands_[static_cast<size_t>(use.operand)] = nullptr;
}

void Value::replace_all_uses_with(Value* other) {
  check(other != this && other->type() == type_, "replace_all_uses_with: the types differ");
  while (!uses_.empty()) {
    Use use = uses_.back();
    use.op->set_operand(use.operand, other);
  }
}

// --- Op
// ---------------------------------------------------------------------------------------------------------

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
  if (value != nullptr) value->uses_.push_back({this, i});
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
// -----------------------------------------------------------------------------------------------------

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
  value->name_ = function_->unique_name(name.empty() ? "arg" : name);
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
    value->name_ = function_->unique_name(named ? std::string_view(result_names[i]) : *record.name);
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
// ----------------------------------------------------------------------------------------

std::string Function::unique_name(std::string_view wish) {
  std::string name(wish);
  if (names_.insert(name).second) return name;
  // "x" and "x_3" both continue as "x_4", so that names do not grow over the passes.
  size_t digits = name.find_last_not_of("0123456789");
  if (digits != std::string::npos && digits + 1 < name.size() && digits > 0 && name[digits] == '_')
    name.resize(digits);
  int& number = next_number_[name];
  std::string candidate;
  do {
    candidate = name + "_" + std::to_string(++number);
  } while (!names_.insert(candidate).second);
  return candidate;
}

void Function::rename(Value* value, std::string_view wish) {
  if (value->name_ == wish) return;
  release_name(value->name_);
  value->name_ = unique_name(wish);
}

Function* Module::entry() const {
  if (Function* main = find("main")) return main;
  return functions_.empty() ? nullptr : functions_.front().get();
}

Function* Module::find(std::string_view name) const {
  for (auto& function : functions_) {
    if (function->name() == name) return function.get();
  }
  return nullptr;
}

std::string Module::unique_function_name(std::string_view wish) const {
  std::string name(wish);
  for (int number = 1; find(name) != nullptr; ++number)
    name = std::string(wish) + "_" + std::to_string(number);
  return name;
}

Function* Module::add_function(std::string_view name) {
  functions_.push_back(std::unique_ptr<Function>(new Function(this, unique_function_name(name))));
  return functions_.back().get();
}

void Module::erase_function(Function* function) {
  std::erase_if(functions_, [&](auto& f) { return f.get() == function; });
}

// --- cloning
// ----------------------------------------------------------------------------------------------------

Op* clone_op(const Op& op, Region& to, ValueMap& map, Op* before) {
  std::vector<Value*> operands;
  for (Value* operand : op.operands()) operands.push_back(map.at(operand));
  std::vector<TensorType> types;
  std::vector<std::string> names;
  for (Value* result : op.results()) {
    types.push_back(result->type());
    names.push_back(result->name());
  }
  std::vector<std::unique_ptr<Region>> regions;
  for (int i = 0; i < op.region_count(); ++i) {
    regions.push_back(to.function()->make_region());
    clone_region(op.region(i), *regions.back());
  }
  Op* copy = to.insert(op.record(), std::move(operands), op.attributes(), std::move(types), op.provenance(),
                       before, std::move(regions), std::move(names));
  for (int i = 0; i < op.result_count(); ++i) map[op.result(i)] = copy->result(i);
  return copy;
}

std::vector<Value*> clone_ops(const Region& from, Region& to, ValueMap& map, Op* before) {
  for (auto& op : from.ops()) {
    if (!op->is_return()) clone_op(*op, to, map, before);
  }
  std::vector<Value*> results;
  for (Value* result : from.results()) results.push_back(map.at(result));
  return results;
}

void clone_region(const Region& from, Region& to) {
  ValueMap map;
  for (Value* argument : from.arguments())
    map[argument] = to.add_argument(argument->type(), argument->name());
  to.set_results(clone_ops(from, to, map));
}

std::unique_ptr<Module> clone(const Module& module) {
  auto copy = std::make_unique<Module>();
  for (auto& function : module.functions()) {
    Function* f = copy->add_function(function->name());
    f->donated = function->donated;
    clone_region(function->body(), f->body());
  }
  return copy;
}

}  // namespace ingot::ir
