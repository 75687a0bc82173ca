// What has no arithmetic: barriers, tuples and tokens, what is said to several devices, and calls by a name.
#include <algorithm>

#include "base/host_functions.h"
#include "stablehlo/importer.h"
#include "stablehlo/text.h"

namespace ingot::stablehlo {
namespace {

void import_identity(OpImport& op) {
  if (op.op().results.size() != op.operand_count()) op.fail("there is to be one result per operand");
  for (size_t i = 0; i < op.operand_count(); ++i) {
    Bound bound = op.bound(i);
    if (bound.value) bound.value = op.operand(i);
    if (bound.value && !op.importer().fits(op.result(i), bound.value->type())) {
      op.refuse("result " + std::to_string(i) + " is " + ir::to_string(op.result_type(i)) + " of " +
                ir::to_string(bound.value->type()) + ", which is no identity");
    }
    op.set_bound(i, bound);
  }
}

// On one device an operation between devices leaves everything as it is, but for the dtype, which is that in
// which the region of a reduction, where there is one, would combine the devices' arrays.
void import_collective(OpImport& op) {
  op.want_regions_of_scalars();
  for (size_t i = 0; i < op.operand_count() && !op.op().regions.empty(); ++i) {
    if (op.bound(i).value) op.promote(i, op.op().regions.front(), 0);
  }
  import_identity(op);
}

void import_device_number(OpImport& op) {
  op.set(op.filled_int(op.result_type(), 0));
}

void import_token(OpImport& op) {
  for (size_t i = 0; i < op.op().results.size(); ++i) op.set_bound(i, {});
}

void import_tuple(OpImport& op) {
  Bound tuple;
  tuple.tuple = std::make_shared<std::vector<Bound>>();
  for (size_t i = 0; i < op.operand_count(); ++i) tuple.tuple->push_back(op.bound(i));
  if (op.op().results.size() != 1) op.fail("there is to be one result");
  op.set_bound(0, std::move(tuple));
}

void import_get_tuple_element(OpImport& op) {
  const Bound tuple = op.bound(0);
  const int64_t index = op.integer("index");
  if (!tuple.tuple) op.fail("the operand is no tuple");
  if (index < 0 || index >= static_cast<int64_t>(tuple.tuple->size()) || op.op().results.size() != 1) {
    op.fail("the tuple has no element " + std::to_string(index));
  }
  op.set_bound(0, (*tuple.tuple)[static_cast<size_t>(index)]);
}

// The operation that makes a value: where that is a call, the one in the callee.
const Operation* maker_of(const Module& module, const Function& function, ValueId id, int depth = 0) {
  const Operation* maker = nullptr;
  size_t place = 0;
  for (const Operation& operation : function.body.operations) {
    const auto found = std::find(operation.results.begin(), operation.results.end(), id);
    if (found == operation.results.end()) continue;
    maker = &operation;
    place = static_cast<size_t>(found - operation.results.begin());
  }
  const Attribute* callee = maker ? stablehlo::find(maker->attributes, "callee") : nullptr;
  if (!callee || depth > kMostNested) return maker;
  for (const Function& other : module.functions) {
    if (other.name != word(*callee).value_or("") || other.body.operations.empty()) continue;
    const std::vector<ValueId>& returned = other.body.operations.back().operands;
    const Operation* inner =
        place < returned.size() ? maker_of(module, other, returned[place], depth + 1) : nullptr;
    return inner ? inner : maker;
  }
  return maker;
}

// custom_call @check.X(actual, expected): compared outside of the program.
void import_check(OpImport& op, const std::string& kind) {
  if (!op.importer().options().checks) return;
  const Attribute* constant = op.find("value");
  const auto* elements = constant ? constant->as<Elements>() : nullptr;
  if (!op.importer().is_entry(op.function()) || op.operand_count() != (elements ? 1 : 2) ||
      op.frame().region->parent_op()) {
    op.fail("a check takes two arrays and stands in the entry function");
  }
  Check check;
  check.kind = kind;
  check.tolerance = kind == "expect_close" ? op.real("max_ulp_difference", op.real("ulp", 3))
                                           : op.real("tolerance", op.real("tol", kind == "eq" ? 1e-4 : 1e-3));
  if (op.integer("min_ulp_difference", 0) != 0) op.refuse("it asks for a difference, which is not checked");
  const Operation* maker = maker_of(op.importer().module(), op.function(), op.op().operands[0]);
  check.operation = maker ? maker->name : "argument";
  ir::Value* expected = elements ? constant_of(op, *elements, op.operand(0)->shape()) : op.operand(1);
  op.importer().add_check(std::move(check), op.operand(0), expected);
}

// The same as operations of the dialect of StableHLO's own tests; of a constant where they are named so.
void import_check_operation(OpImport& op) {
  std::string kind = op.op().name.substr(6);
  constexpr std::string_view kOfConstant = "_const";
  if (kind.ends_with(kOfConstant)) {
    kind.resize(kind.size() - kOfConstant.size());
    const Attribute* value = op.find("value");
    const auto* elements = value ? value->as<Elements>() : nullptr;
    if (!elements) op.fail("the attribute value is to be dense<...>");
    const ir::TensorType type = op.importer().tensor_type(*elements->type);
    if (type != op.operand(0)->type())
      op.fail("its value is a " + to_string(*elements->type) + ", but the array is " +
              ir::to_string(op.operand(0)->type()));
  }
  import_check(op, kind);
}

// What a function is handed: a string as it stands, or attributes as MLIR prints them. JAX writes these into
// mhlo.backend_config, beside a string that is empty.
void set_config(OpImport& op, ir::Attributes& attributes) {
  constexpr int64_t kTypedInterface = 4;  // the version of those that take attributes: none are {}
  const Attribute* own = op.find("backend_config");
  for (const Attribute* config : {op.find("mhlo.backend_config"), own}) {
    const auto* items = config ? config->as<Attributes>() : nullptr;
    const bool none = config == own && !items && op.integer("api_version", 1) == kTypedInterface;
    if (!items && !none) continue;
    attributes.set("config", dictionary_text(items ? *items : Attributes()));
    attributes.set("dictionary", true);
    return;
  }
  if (own == nullptr) return;
  const auto number = integer(*own);
  const std::string text = number ? std::to_string(*number) : word(*own).value_or("");
  if (!text.empty()) attributes.set("config", text);
}

std::string instead_of_call(const std::string& target) {
  const auto has = [&](const char* word) { return target.find(word) != std::string::npos; };
  if (has("python") && has("callback"))
    return "it is one of the Python process (jax.debug.print, pure_callback, io_callback), which no file "
           "holds; "
           "export the function without it";
  for (const char* other :
       {"cusolver", "cublas", "cudnn", "cu_", "hipsolver", "hip_", "triton", "tpu", "Eigh", "Mosaic"}) {
    if (has(other))
      return "it is one of GPUs or TPUs; export for a CPU, jax.export.export(f, platforms=[\"cpu\"])";
  }
  return "a program that has one says so with ingot::register_custom_call";
}

void import_custom_call(OpImport& op);

std::string list_text(const Ints& list) {
  std::string text;
  for (int64_t item : list) text += (text.empty() ? "[" : ", ") + std::to_string(item);
  return text.empty() ? "[]" : text + "]";
}

constexpr const char* kLayouts[] = {"operand_layouts", "result_layouts"};

// The layouts of one of these attributes: for each array its dimensions, the one that runs fastest first.
std::vector<Ints> layouts_of(OpImport& op, const std::string& name) {
  const Attribute* attribute = op.find(name);
  if (attribute == nullptr) return {};
  const auto* items = attribute->as<Attribute::Array>();
  if (items == nullptr) op.fail("the attribute " + name + " is to be a list of layouts");
  std::vector<Ints> layouts;
  for (const Attribute& item : *items) {
    std::optional<Ints> list = ints(item);
    if (!list)
      op.fail("the attribute " + name + " is to be a list of layouts, which are lists of dimensions");
    layouts.push_back(std::move(*list));
  }
  return layouts;
}

void want_layouts(OpImport& op) {
  for (const char* name : kLayouts) {
    if (op.find(name) == nullptr) continue;
    const std::vector<Ints> layouts = layouts_of(op, name);
    std::vector<const Type*> types;
    for (ValueId id : name == kLayouts[0] ? op.op().operands : op.op().results)
      types.push_back(&op.function().type_of(id));
    if (types.size() == 1 && types[0]->kind == Type::Kind::kTuple) types = types[0]->parts;
    if (layouts.size() != types.size())
      op.fail(std::string(name) + " has " + std::to_string(layouts.size()) + " layouts, but must have " +
              std::to_string(types.size()) + ", one for each array");
    for (size_t i = 0; i < layouts.size(); ++i) {
      if (types[i]->is_tensor() && !types[i]->ranked) continue;
      Ints every(types[i]->is_tensor() ? types[i]->shape.size() : 0);
      for (size_t d = 0; d < every.size(); ++d) every[d] = static_cast<int64_t>(d);
      if (std::is_permutation(layouts[i].begin(), layouts[i].end(), every.begin(), every.end())) continue;
      op.fail(std::string(name) + ": layout " + std::to_string(i) + " is " + list_text(layouts[i]) +
              ", but must name each dimension of " + to_string(*types[i]) + " once: those of " +
              list_text(every));
    }
  }
}

// What the host program registers is handed arrays row-major.
void want_default_layouts(OpImport& op) {
  for (const char* name : kLayouts) {
    const std::vector<Ints> layouts = layouts_of(op, name);
    for (size_t i = 0; i < layouts.size(); ++i) {
      Ints row_major = layouts[i];
      std::sort(row_major.rbegin(), row_major.rend());
      if (layouts[i] != row_major)
        op.fail(std::string(name) + ": layout " + std::to_string(i) + " is " + list_text(layouts[i]) +
                ", but functions that are registered take only the default one, row-major, which is " +
                list_text(row_major));
    }
  }
}

// A function that the host program has registered; false for others.
bool import_registered_call(OpImport& op, const std::string& target) {
  const RegisteredFunction function = registered_host_function(target);
  if (function.handle == 0) return false;
  want_default_layouts(op);
  std::string types;
  for (size_t i = 0; i < op.op().results.size(); ++i)
    types += (i == 0 ? "" : " ") + ir::to_string(op.result_type(i));
  ir::Attributes attributes{{"target", target}, {"types", types}, {"batch", ir::IntList{}}};
  attributes.set("handle", function.handle);
  attributes.set("batches", function.takes_batches);
  set_config(op, attributes);
  op.set_all(op.make_several("custom_call", op.operands(), std::move(attributes)));
  return true;
}

// A call whose results have open extents takes their shapes as operands, too: these say what the other
// operands do. False where there are none.
bool import_without_shapes(OpImport& op) {
  const Ints shapes = op.ints("indices_of_shape_operands", Ints());
  if (shapes.empty()) return false;
  Operation other = op.op();
  other.operands.clear();
  for (size_t i = 0; i < op.operand_count(); ++i) {
    const bool is_shape = std::find(shapes.begin(), shapes.end(), static_cast<int64_t>(i)) != shapes.end();
    if (!is_shape) other.operands.push_back(op.op().operands[i]);
  }
  std::erase_if(other.attributes, [](const auto& item) { return item.first == "indices_of_shape_operands"; });
  for (auto& [name, attribute] : other.attributes) {
    const auto* layouts = name == kLayouts[0] ? attribute.as<Attribute::Array>() : nullptr;
    if (!layouts) continue;
    Attribute::Array kept;
    for (size_t i = 0; i < layouts->size(); ++i) {
      if (std::find(shapes.begin(), shapes.end(), static_cast<int64_t>(i)) == shapes.end())
        kept.push_back((*layouts)[i]);
    }
    attribute = Attribute::array(std::move(kept));
  }
  OpImport made(op.importer(), op.function(), other, op.frame());
  import_custom_call(made);
  return true;
}

void import_custom_call(OpImport& op) {
  want_layouts(op);
  if (import_without_shapes(op)) return;
  const std::string target = op.word("call_target_name");
  constexpr std::string_view kIdentities[] = {"Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape",
                                              "annotate_device_placement", "LayoutConstraint"};
  if (target.starts_with("check.")) return import_check(op, target.substr(6));
  if (std::find(std::begin(kIdentities), std::end(kIdentities), target) != std::end(kIdentities)) {
    return import_identity(op);
  }
  if (import_sorting_call(op, target) || import_lapack_call(op, target) || import_dynamic_call(op, target))
    return;
  if (import_registered_call(op, target)) return;
  op.refuse("Ingot knows no function @" + target + " to call; " + instead_of_call(target));
}

// Between a host, other devices, and this one.
void refuse_transfer(OpImport& op) {
  op.refuse("there is no other device, and no host, to exchange arrays with while a program runs");
}

constexpr NamedRule kOthers[] = {
    {"builtin.unrealized_conversion_cast", import_identity},
    {"check.expect_almost_eq", import_check_operation},
    {"check.expect_almost_eq_const", import_check_operation},
    {"check.expect_close", import_check_operation},
    {"check.expect_eq", import_check_operation},
    {"check.expect_eq_const", import_check_operation},
    {"sdy.sharding_constraint", import_identity},
    {"stablehlo.after_all", import_token},
    {"stablehlo.all_gather", import_collective},
    {"stablehlo.all_reduce", import_collective},
    {"stablehlo.all_to_all", import_collective},
    {"stablehlo.collective_broadcast", import_collective},
    {"stablehlo.collective_permute", import_collective},
    {"stablehlo.create_token", import_token},
    {"stablehlo.cross-replica-sum", import_collective},
    {"stablehlo.custom_call", import_custom_call},
    {"stablehlo.get_tuple_element", import_get_tuple_element},
    {"stablehlo.infeed", refuse_transfer},
    {"stablehlo.optimization_barrier", import_identity},
    {"stablehlo.outfeed", refuse_transfer},
    {"stablehlo.partition_id", import_device_number},
    {"stablehlo.recv", refuse_transfer},
    {"stablehlo.reduce_scatter", import_collective},
    {"stablehlo.replica_id", import_device_number},
    {"stablehlo.send", refuse_transfer},
    {"stablehlo.tuple", import_tuple},
};

}  // namespace

Rules other_rules() {
  return kOthers;
}

}  // namespace ingot::stablehlo
