// What rules make operations of StableHLO with (exporter.h), and the table of all rules.
#include <algorithm>
#include <cctype>

#include "ingot/error.h"
#include "ops/support.h"
#include "stablehlo/exporter.h"

namespace ingot::stablehlo {
namespace {

const std::unordered_map<std::string_view, ExportRule>& own_rules() {
  static const auto& table = *new auto([] {
    std::unordered_map<std::string_view, ExportRule> rules;
    for (ExportRules family :
         {elementwise_exports(), shape_exports(), indexing_exports(), reduction_exports(),
          contraction_exports(), control_exports(), linear_algebra_exports(), lapack_exports(),
          custom_call_exports(), fft_exports()}) {
      for (const NamedExport& rule : family) rules.emplace(rule.record, rule.rule);
    }
    return rules;
  }());
  return table;
}

// What no program that can run contains.
constexpr std::pair<std::string_view, std::string_view> kNotExported[] = {
    {"linear_call", "nobody can compute it, only transpose it; export what is made of it by vjp or grad"},
    {"axis_reduce", "it names the axis of a batch; export the program that vmap makes of it"},
    {"axis_index", "it names the axis of a batch; export the program that vmap makes of it"},
};

std::string in_capitals(std::string_view word) {
  std::string text(word);
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

ExportRule export_rule(const ir::OpRecord& record) {
  const auto own = own_rules().find(*record.name);
  if (own != own_rules().end()) return own->second;
  if (record.regions != 0 || !record.attributes->specs().empty()) return nullptr;
  if (!record.stablehlo->empty()) return export_same;
  const bool of_elements = std::holds_alternative<ir::ScalarRecipe>(*record.becomes);
  return of_elements && not_exported(*record.name).empty() ? export_recipe : nullptr;
}

bool is_exported(std::string_view record) {
  const ir::OpRecord* found = ir::find_record(record);
  return found != nullptr && export_rule(*found) != nullptr;
}

std::string_view not_exported(std::string_view record) {
  for (const auto& [name, reason] : kNotExported) {
    if (name == record) return reason;
  }
  return {};
}

void export_same(OpExport& op) {
  op.set_made(std::string(*op.op().record().stablehlo), op.operands());
}

// --- OpMaker

ir::TensorType OpMaker::type(ValueId id) const {
  const Type& type = frame_->function->type_of(id);
  return {*dtype_of(type), type.shape};
}

std::vector<ValueId> OpMaker::make_all(std::string name, std::vector<ValueId> operands,
                                       const std::vector<ir::TensorType>& results, Attributes attributes,
                                       std::vector<Region> regions) {
  Operation made;
  made.name = std::move(name);
  made.operands = std::move(operands);
  for (const ir::TensorType& type : results)
    made.results.push_back(frame_->function->add_value(exporter_->type(type)));
  made.attributes = std::move(attributes);
  made.regions = std::move(regions);
  made.location = frame_->location;
  std::vector<ValueId> ids = made.results;
  frame_->into->push_back(std::move(made));
  return ids;
}

ValueId OpMaker::constant(const Tensor& value) {
  const ir::TensorType type{value.dtype(), value.shape()};
  if ((value.size() > 1 && ops::is_uniform(value)) || value.shape().empty()) {
    Tensor scalar(value.dtype(), {});
    std::copy_n(value.raw(), scalar.bytes(), scalar.raw());
    return filled(type, scalar);
  }
  return make("stablehlo.constant", {}, type,
              {{"value", Attribute::elements({exporter_->type(type), value, false})}});
}

ValueId OpMaker::filled(const ir::TensorType& type, const Tensor& scalar) {
  const bool none = type.elements() == 0;
  const ValueId made = make(
      "stablehlo.constant", {}, type,
      {{"value", Attribute::elements({exporter_->type(type), none ? Tensor(type.dtype, type.shape) : scalar,
                                      !none && !type.shape.empty()})}});
  if (type.shape.empty()) frame_->scalars.emplace(made, scalar);
  return made;
}

ValueId OpMaker::filled_int(const ir::TensorType& type, int64_t value) {
  Tensor scalar(type.dtype, {});
  scalar.set_int(0, value);
  return filled(type, scalar);
}

ValueId OpMaker::filled_double(const ir::TensorType& type, double value) {
  Tensor scalar(type.dtype, {});
  scalar.set_double(0, value);
  return filled(type, scalar);
}

ValueId OpMaker::spread(ValueId x, const Shape& shape, const Ints& dims) {
  return make("stablehlo.broadcast_in_dim", {x}, {type(x).dtype, shape}, {{"broadcast_dimensions", dims}});
}

ValueId OpMaker::reshape(ValueId x, const Shape& shape) {
  return type(x).shape == shape ? x : make("stablehlo.reshape", {x}, {type(x).dtype, shape});
}

ValueId OpMaker::convert(ValueId x, DType dtype) {
  return type(x).dtype == dtype ? x : make("stablehlo.convert", {x}, {dtype, type(x).shape});
}

ValueId OpMaker::slice(ValueId x, const Ints& starts, const Ints& limits, const Ints& strides) {
  ir::TensorType result = type(x);
  for (size_t d = 0; d < result.shape.size(); ++d)
    result.shape[d] = limits[d] <= starts[d] ? 0 : (limits[d] - starts[d] - 1) / strides[d] + 1;
  return make("stablehlo.slice", {x}, result,
              {{"start_indices", starts}, {"limit_indices", limits}, {"strides", strides}});
}

ValueId OpMaker::concatenate(const std::vector<ValueId>& parts, int64_t axis) {
  ir::TensorType result = type(parts.front());
  for (size_t i = 1; i < parts.size(); ++i)
    result.shape[static_cast<size_t>(axis)] += type(parts[i]).shape[static_cast<size_t>(axis)];
  return make("stablehlo.concatenate", parts, result, {{"dimension", Attribute(Integer{axis})}});
}

ValueId OpMaker::compare(std::string_view direction, ValueId a, ValueId b) {
  const ir::TensorType of = type(a);
  const char* how = is_inexact(of.dtype) ? "FLOAT" : is_signed(of.dtype) ? "SIGNED" : "UNSIGNED";
  return make("stablehlo.compare", {a, b}, {DType::kPred, of.shape},
              {{"comparison_direction", Attribute(Enum{"comparison_direction", in_capitals(direction)})},
               {"compare_type", Attribute(Enum{"comparison_type", how})}});
}

ValueId OpMaker::select(ValueId predicate, ValueId a, ValueId b) {
  return make("stablehlo.select", {predicate, a, b}, type(a));
}

Region OpMaker::region(const std::vector<ir::TensorType>& arguments, const Fill& fill) {
  Region region;
  for (const ir::TensorType& type : arguments)
    region.arguments.push_back(frame_->function->add_value(exporter_->type(type)));
  std::vector<Operation>* outside = std::exchange(frame_->into, &region.operations);
  std::vector<ValueId> results = fill(region.arguments);
  make_all("stablehlo.return", std::move(results), {});
  frame_->into = outside;
  return region;
}

Attribute OpMaker::i32(int64_t value) {
  return Attribute(Integer{value, exporter_->number_type("i32")});
}

Attribute OpMaker::u8(int64_t value) {
  return Attribute(Integer{value, exporter_->number_type("ui8")});
}

Attribute OpMaker::order(const Ints& dims) {
  Tensor values(DType::kS64, {static_cast<int64_t>(dims.size())});
  for (size_t i = 0; i < dims.size(); ++i) values.set_int(static_cast<int64_t>(i), dims[i]);
  return Attribute::elements({exporter_->index_list(values.size()), std::move(values), false});
}

ValueId OpMaker::composite(std::string_view name, const std::vector<ValueId>& operands,
                           const ir::TensorType& result,
                           const std::function<ValueId(OpMaker&, const std::vector<ValueId>&)>& fill) {
  std::string key(name);
  for (ValueId operand : operands) {
    const ir::TensorType of = type(operand);
    key += "_" + std::string(ingot::name_of(of.dtype));
    for (int64_t extent : of.shape) key += "_" + std::to_string(extent);
  }
  std::vector<ir::TensorType> types;
  for (ValueId operand : operands) types.push_back(type(operand));
  const std::string& callee = exporter_->decomposition(key, [&](Function& function, ExportFrame& frame) {
    for (const ir::TensorType& of : types)
      function.body.arguments.push_back(function.add_value(exporter_->type(of)));
    function.result_types.push_back(exporter_->type(result));
    OpMaker inside(*exporter_, frame);
    inside.make_all("func.return", {fill(inside, function.body.arguments)}, {});
  });
  return make("stablehlo.composite", operands, result,
              {{"composite_attributes", Attribute::dictionary({})},
               {"decomposition", Attribute(Symbol{callee})},
               {"name", Attribute("ingot." + std::string(name))},
               {"version", i32(1)}});
}

// --- OpExport

ValueId OpExport::value(const ir::Value* value) const {
  const auto found = frame_->values.find(value);
  check(found != frame_->values.end(), "nothing stands for %" + value->name() + " in the exported program");
  return found->second;
}

std::vector<ValueId> OpExport::operands() const {
  std::vector<ValueId> ids;
  for (const ir::Value* operand : op_->operands()) ids.push_back(value(operand));
  return ids;
}

void OpExport::bind(const ir::Value* value, ValueId id) {
  frame_->values[value] = id;
  std::string& name = frame_->function->values[static_cast<size_t>(id)].name;
  if (name.empty()) name = value->name();
}

void OpExport::bind_outside(const ir::Value* argument, const ir::Value* outside) {
  const ValueId id = value(outside);
  const auto scalar = frame_->scalars.find(id);
  if (scalar == frame_->scalars.end() || !argument->used()) {
    frame_->values[argument] = id;
  } else {
    bind(argument, constant(Tensor(scalar->second)));
  }
}

void OpExport::set_all(const std::vector<ValueId>& results) {
  check(static_cast<int>(results.size()) == op_->result_count(), "an exported operation lacks results");
  for (int i = 0; i < op_->result_count(); ++i) {
    const ValueId id = results[static_cast<size_t>(i)];
    check(type(id) == op_->result(i)->type(), "an exported " + std::string(op_->name()) + " is " +
                                                  ir::to_string(type(id)) + ", not " +
                                                  ir::to_string(op_->result(i)->type()));
    bind(op_->result(i), id);
  }
}

void OpExport::set_made(std::string name, std::vector<ValueId> operands, Attributes attributes,
                        std::vector<Region> regions) {
  std::vector<ir::TensorType> types;
  for (const ir::Value* result : op_->results()) types.push_back(result->type());
  set_all(make_all(std::move(name), std::move(operands), types, std::move(attributes), std::move(regions)));
}

std::vector<ValueId> OpExport::inline_region(const ir::Region& region) {
  exporter_->export_operations(region, *frame_);
  std::vector<ValueId> results;
  for (const ir::Value* result : region.results()) results.push_back(value(result));
  return results;
}

Region OpExport::whole_region(const ir::Region& inner) {
  std::vector<ir::TensorType> types;
  for (const ir::Value* argument : inner.arguments()) types.push_back(argument->type());
  return region(types, [&](const std::vector<ValueId>& arguments) {
    for (size_t i = 0; i < arguments.size(); ++i) bind(inner.argument(static_cast<int>(i)), arguments[i]);
    return inline_region(inner);
  });
}

}  // namespace ingot::stablehlo
