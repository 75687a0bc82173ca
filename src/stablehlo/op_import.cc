// What rules ask of the operation that they import (importer.h), and the table of all rules.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "ingot/error.h"
#include "stablehlo/importer.h"

namespace ingot::stablehlo {
namespace {

const std::unordered_map<std::string_view, Rule>& all_rules() {
  static const auto table = [] {
    std::unordered_map<std::string_view, Rule> rules;
    for (Rules family :
         {elementwise_rules(), function_rules(), shape_rules(), indexing_rules(), reduction_rules(),
          window_rules(), norm_rules(), contraction_rules(), control_rules(), other_rules(), sort_rules(),
          random_rules(), linear_algebra_rules(), fft_rules(), dynamic_rules(), scatter_rules(), scan_rules(),
          select_and_scatter_rules()}) {
      for (const NamedRule& rule : family) rules.emplace(rule.name, rule.rule);
    }
    return rules;
  }();
  return table;
}

}  // namespace

Rule rule_of(std::string_view operation) {
  const auto found = all_rules().find(operation);
  return found == all_rules().end() ? nullptr : found->second;
}

std::vector<std::string> imported_operations() {
  std::vector<std::string> names;
  for (const auto& [name, rule] : all_rules()) names.emplace_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

OpImport::OpImport(Importer& importer, const Function& function, const Operation& op, Frame& frame)
    : importer_(&importer), function_(&function), op_(&op), frame_(&frame), builder_(*frame.region) {
  builder_.set_provenance(importer.provenance(op));
}

void OpImport::fail(const std::string& message) const {
  throw Error(importer_->place(*op_) + ": " + message);
}

void OpImport::refuse(const std::string& why) const {
  throw Refusal(importer_->place(*op_) + ": " + why + "; see docs/conformance.md", op_->name);
}

const Bound& OpImport::bound(size_t i) const {
  if (i >= op_->operands.size()) fail("there is no operand " + std::to_string(i));
  const auto found = frame_->values.find(op_->operands[i]);
  if (found == frame_->values.end()) fail("operand " + std::to_string(i) + " does not stand before its use");
  return found->second;
}

ir::Value* OpImport::operand(size_t i) const {
  if (const auto found = promoted_.find(i); found != promoted_.end()) return found->second;
  ir::Value* value = bound(i).value;
  if (!value) fail("operand " + std::to_string(i) + " is no array");
  return value;
}

std::vector<ir::Value*> OpImport::operands() const {
  std::vector<ir::Value*> values;
  for (size_t i = 0; i < op_->operands.size(); ++i) values.push_back(operand(i));
  return values;
}

const Type& OpImport::result(size_t i) const {
  if (i >= op_->results.size()) fail("there is no result " + std::to_string(i));
  return function_->type_of(op_->results[i]);
}

ir::TensorType OpImport::result_type(size_t i) const {
  return importer_->tensor_type(result(i));
}

DType OpImport::result_dtype(size_t i) const {
  const std::optional<DType> dtype = result(i).is_tensor() ? dtype_of(result(i)) : std::nullopt;
  return dtype ? *dtype : result_type(i).dtype;
}

Ints OpImport::ints(std::string_view name) const {
  const Attribute* attribute = find(name);
  const std::optional<Ints> list = attribute ? stablehlo::ints(*attribute) : std::nullopt;
  if (!list) fail("the attribute " + std::string(name) + " is to be a list of integers");
  return *list;
}

Ints OpImport::ints(std::string_view name, Ints otherwise) const {
  return find(name) ? ints(name) : std::move(otherwise);
}

int64_t OpImport::integer(std::string_view name) const {
  const Attribute* attribute = find(name);
  const std::optional<int64_t> value = attribute ? stablehlo::integer(*attribute) : std::nullopt;
  if (!value) fail("the attribute " + std::string(name) + " is to be an integer");
  return *value;
}

int64_t OpImport::integer(std::string_view name, int64_t otherwise) const {
  return find(name) ? integer(name) : otherwise;
}

double OpImport::real(std::string_view name) const {
  const Attribute* attribute = find(name);
  if (attribute) {
    if (const auto* number = attribute->as<Real>()) return number->value;
    if (const std::optional<int64_t> whole = stablehlo::integer(*attribute))
      return static_cast<double>(*whole);
  }
  fail("the attribute " + std::string(name) + " is to be a number");
}

double OpImport::real(std::string_view name, double otherwise) const {
  return find(name) ? real(name) : otherwise;
}

std::string OpImport::word(std::string_view name, std::string otherwise) const {
  const Attribute* attribute = find(name);
  const std::optional<std::string> value = attribute ? stablehlo::word(*attribute) : std::nullopt;
  return value ? *value : std::move(otherwise);
}

std::optional<int64_t> OpImport::entry(std::string_view dictionary, std::string_view name) const {
  const Attribute* attribute = find(dictionary);
  const auto* entries = attribute ? attribute->as<Attributes>() : nullptr;
  const Attribute* found = entries ? stablehlo::find(*entries, name) : nullptr;
  return found ? stablehlo::integer(*found) : std::nullopt;
}

const Record* OpImport::record(std::string_view name) const {
  const Attribute* attribute = find(name);
  const Record* record = attribute ? attribute->as<Record>() : nullptr;
  if (!record) fail("the attribute " + std::string(name) + " is to be one of dimension numbers");
  return record;
}

Ints OpImport::field(const Record* record, std::string_view name) {
  const Attribute* attribute = stablehlo::find(record->fields, name);
  return attribute ? stablehlo::ints(*attribute).value_or(Ints()) : Ints();
}

int64_t OpImport::field(const Record* record, std::string_view name, int64_t otherwise) {
  const Attribute* attribute = stablehlo::find(record->fields, name);
  return attribute ? stablehlo::integer(*attribute).value_or(otherwise) : otherwise;
}

ir::Value* OpImport::scalar(DType dtype, double value) {
  Tensor tensor(dtype, {});
  tensor.set_double(0, value);
  return builder_.constant(tensor);
}

ir::Value* OpImport::scalar_int(DType dtype, int64_t value) {
  Tensor tensor(dtype, {});
  tensor.set_int(0, value);
  return builder_.constant(tensor);
}

ir::Value* OpImport::spread(ir::Value* scalar, const Shape& shape) {
  if (shape.empty()) return scalar;
  return make("broadcast", {scalar}, {{"dims", ir::IntList{}}, {"shape", shape}});
}

ir::Value* OpImport::filled(const ir::TensorType& type, double value) {
  return spread(scalar(type.dtype, value), type.shape);
}

ir::Value* OpImport::filled_int(const ir::TensorType& type, int64_t value) {
  return spread(scalar_int(type.dtype, value), type.shape);
}

ir::Value* OpImport::convert(ir::Value* x, DType dtype) {
  if (x->dtype() == dtype) return x;
  if (is_complex(x->dtype()) && !is_complex(dtype)) x = make("real", {x});
  return x->dtype() == dtype ? x : make("convert", {x}, {{"dtype", dtype}});
}

void OpImport::set_all(const std::vector<ir::Value*>& results) {
  if (results.size() != op_->results.size()) {
    fail("there are " + std::to_string(results.size()) + " results, but the module says " +
         std::to_string(op_->results.size()));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (!importer_->fits(result(i), results[i]->type())) {
      if (result(i).is_static()) result_type(i);  // an Error where it is none of Ingot's
      fail("result " + std::to_string(i) + " is " + ir::to_string(results[i]->type()) +
           ", but the module says " + to_string(result(i)));
    }
    frame_->values[op_->results[i]] = {results[i], nullptr};
  }
}

void OpImport::set_bound(size_t i, Bound bound) {
  frame_->values[op_->results[i]] = std::move(bound);
}

Combiner combiner_of(const Region& region) {
  if (region.arguments.size() != 2 || region.operations.empty()) return {};
  const Operation& back = region.operations.back();
  if (back.operands.size() != 1) return {};
  if (region.operations.size() == 1) {
    if (back.operands[0] == region.arguments[0]) return {"first", false, &back};
    if (back.operands[0] == region.arguments[1]) return {"second", false, &back};
    return {};
  }
  const Operation& only = region.operations.front();
  if (region.operations.size() != 2 || only.results.size() != 1 || back.operands[0] != only.results[0] ||
      only.operands.size() != 2 || !only.regions.empty())
    return {};
  const bool straight = only.operands == region.arguments;
  const bool swapped = only.operands[0] == region.arguments[1] && only.operands[1] == region.arguments[0];
  if (!straight && !swapped) return {};
  const size_t dot = only.name.find('.');
  return {only.name.substr(dot + 1), swapped, &only};
}

std::vector<Combiner> combiners_of(const Region& body, size_t n) {
  if (body.operations.empty() || body.operations.back().operands.size() != n ||
      body.arguments.size() != 2 * n)
    return {};
  std::vector<Combiner> combiners;
  for (size_t i = 0; i < n; ++i) {
    Region one;
    one.arguments = {body.arguments[i], body.arguments[n + i]};
    const ValueId returned = body.operations.back().operands[i];
    for (const Operation& operation : body.operations) {
      const bool makes =
          std::find(operation.results.begin(), operation.results.end(), returned) != operation.results.end();
      if (makes) one.operations.push_back(operation);
    }
    one.operations.push_back(body.operations.back());
    one.operations.back().operands = {returned};
    combiners.push_back(combiner_of(one));
    combiners.back().operation = nullptr;  // it is a copy
    if (combiners.back().name.empty()) return {};
  }
  return combiners;
}

std::string record_of_combiner(const std::string& name, DType dtype) {
  if (dtype == DType::kPred) {
    if (name == "add" || name == "maximum") return "or";
    if (name == "multiply" || name == "minimum") return "and";
  }
  if (is_complex(dtype) && (name == "maximum" || name == "minimum")) return {};  // they are a comparison
  constexpr std::pair<std::string_view, std::string_view> kCombiners[] = {
      {"add", "add"}, {"multiply", "mul"}, {"maximum", "max"}, {"minimum", "min"},
      {"and", "and"}, {"or", "or"},        {"xor", "xor"}};
  for (const auto& [combiner, record] : kCombiners) {
    if (combiner == name) return std::string(record);
  }
  return {};
}

Tensor neutral_of(const std::string& record, DType dtype) {
  Tensor tensor(dtype, {});
  const bool greatest = record == "max";
  if (record == "mul") {
    tensor.set_double(0, 1);
  } else if (record == "and") {
    tensor.set_int(0, dtype == DType::kPred ? 1 : -1);
  } else if (record == "max" || record == "min") {
    if (dtype == DType::kPred)
      tensor.set_int(0, greatest ? 0 : 1);
    else
      tensor = (*std::get<ir::ScalarRecipe>(*ir::find_record(record)->becomes).identity)(dtype);
  }
  return tensor;
}

}  // namespace ingot::stablehlo
