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
    const Bound bound = op.bound(i);
    if (bound.value && !op.importer().fits(op.result(i), bound.value->type())) {
      op.refuse("result " + std::to_string(i) + " is " + ir::to_string(op.result_type(i)) + " of " +
                ir::to_string(bound.value->type()) + ", which is no identity");
    }
    op.set_bound(i, bound);
  }
}

// On one device an operation between devices leaves everything as it is.
void import_collective(OpImport& op) {
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
  if (!op.importer().is_entry(op.function()) || op.operand_count() != 2 || op.frame().region->parent_op()) {
    op.fail("a check takes two arrays and stands in the entry function");
  }
  Check check;
  check.kind = kind;
  check.tolerance = kind == "expect_close" ? op.real("ulp", 3) : op.real("tol", kind == "eq" ? 1e-4 : 1e-3);
  const Operation* maker = maker_of(op.importer().module(), op.function(), op.op().operands[0]);
  check.operation = maker ? maker->name : "argument";
  op.importer().add_check(std::move(check), op.operand(0), op.operand(1));
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

// A function that the host program has registered; false for others.
bool import_registered_call(OpImport& op, const std::string& target) {
  const RegisteredFunction function = registered_host_function(target);
  if (function.handle == 0) return false;
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
  OpImport made(op.importer(), op.function(), other, op.frame());
  import_custom_call(made);
  return true;
}

void import_custom_call(OpImport& op) {
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
