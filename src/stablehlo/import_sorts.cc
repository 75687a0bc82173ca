// Sorts, and the greatest elements.
#include <algorithm>

#include "ops/comparators.h"
#include "stablehlo/importer.h"

namespace ingot::stablehlo {
namespace {

using ir::IntList;

std::vector<DType> pairs_of(const std::vector<ir::Value*>& arrays) {
  std::vector<DType> dtypes;
  for (const ir::Value* array : arrays) dtypes.insert(dtypes.end(), 2, array->dtype());
  return dtypes;
}

std::vector<ir::Value*> sorted(OpImport& op, const std::vector<ir::Value*>& arrays, int64_t axis, bool stable,
                               std::unique_ptr<ir::Region> comparator) {
  std::vector<std::unique_ptr<ir::Region>> regions;
  regions.push_back(std::move(comparator));
  return op.builder()
      .make("sort", arrays, {{"axis", axis}, {"stable", stable}}, std::move(regions))
      ->results();
}

void import_sort(OpImport& op) {
  if (op.op().regions.size() != 1 || op.operand_count() == 0)
    op.fail("there are to be arrays and one region");
  op.want_regions_of_scalars();
  std::vector<ir::Value*> arrays = op.operands();
  const size_t count = arrays.size();
  const int64_t rank = arrays[0]->rank();
  int64_t axis = op.integer("dimension", -1);
  if (axis < -rank || axis >= rank) op.fail("there is no dimension " + std::to_string(axis));
  if (axis < 0) axis += rank;
  const bool stable = op.integer("is_stable", 0) != 0;
  OpImport::ScalarRegion made = op.scalar_region(op.op().regions.front(), pairs_of(arrays));
  // What the comparator uses from outside is sorted along: the same number everywhere.
  std::vector<size_t> arguments(2 * count + 2 * made.captured.size());
  for (size_t i = 0; i < arguments.size(); ++i) arguments[i] = i < 2 * count ? i : count + i / 2;
  for (ir::Value* value : made.captured) arrays.push_back(op.spread(value, arrays[0]->shape()));
  if (!made.captured.empty()) made.region = op.rearranged(*made.region, arguments);
  std::vector<ir::Value*> results = sorted(op, arrays, axis, stable, std::move(made.region));
  results.resize(count);
  op.set_all(results);
}

// --- the greatest elements

ir::Value* numbered(OpImport& op, const Shape& shape, int64_t axis) {
  return op.make("iota", {}, {{"dtype", DType::kS32}, {"shape", shape}, {"axis", axis}});
}

// Floats in the order of their bits, so that NaN is the greatest; the lower place first of equal ones.
// `count` is none where the type of the result tells it. A call may number places by any integers.
void top_k(OpImport& op, bool largest, std::optional<int64_t> count, size_t operands = 1) {
  if (op.operand_count() != operands || op.op().results.size() != 2 || op.operand(0)->rank() == 0)
    op.fail("takes one array, and gives values and places");
  ir::Value* x = op.operand(0);
  const int64_t axis = x->rank() - 1, extent = x->shape().back();
  const Type& wanted = op.result(0);
  if (!count) {
    if (wanted.shape.empty()) op.fail("its results have no dimension");
    if (wanted.shape.back() == Type::kDynamic) op.refuse("it does not say how many elements it takes");
    count = wanted.shape.back();
  } else if (*count < 0 || *count > extent) {
    op.fail("k is " + std::to_string(*count) + ", but must be 0 to " + std::to_string(extent) +
            ", the number of elements along the last dimension of " + ir::to_string(x->type()));
  }
  std::unique_ptr<ir::Region> region =
      ops::comparator_by_keys(*op.frame().region->function(), {x->dtype(), DType::kS32},
                              {{.descending = largest}}, op.builder().provenance());
  const std::vector<ir::Value*> all =
      sorted(op, {x, numbered(op, x->shape(), axis)}, axis, true, std::move(region));
  std::vector<ir::Value*> results;
  for (ir::Value* array : all) results.push_back(first_of(op, array, axis, *count));
  const bool is_call = op.op().name == "stablehlo.custom_call" || op.op().name == "stablehlo.composite";
  if (is_call && is_integer(op.result_dtype(1))) results[1] = op.convert(results[1], op.result_dtype(1));
  op.set_all(results);
}

void import_top_k(OpImport& op) {
  top_k(op, op.integer("largest", 1) != 0, op.integer("k"));
}

// All of it exactly: arrays, then what stands where there is nothing; a function compares.
void import_approximate_top_k(OpImport& op) {
  const size_t n = op.operand_count() / 2;
  const Attribute* called = op.find("called_computations");
  const auto* names = called ? called->as<Attribute::Array>() : nullptr;
  if (n == 0 || op.op().results.size() != n || !names || names->size() != 1)
    op.fail("takes n arrays and n scalars, and a function that compares");
  const std::string name = word(names->front()).value_or("");
  const Function* comparator = nullptr;
  for (const Function& function : op.importer().module().functions) {
    if (function.name == name) comparator = &function;
  }
  if (!comparator) op.fail("there is no function @" + name);
  std::vector<ir::Value*> arrays = op.operands();
  arrays.resize(n);
  const int64_t axis = op.entry("mhlo.backend_config", "reduction_dim").value_or(arrays[0]->rank() - 1);
  if (axis < 0 || axis >= arrays[0]->rank()) op.fail("there is no dimension " + std::to_string(axis));
  const std::vector<DType> dtypes = pairs_of(arrays);
  if (comparator->body.arguments.size() != dtypes.size())
    op.fail("@" + name + " does not compare the arrays");
  std::unique_ptr<ir::Region> region = op.builder().make_region();
  Frame frame;
  frame.region = region.get();
  for (size_t i = 0; i < dtypes.size(); ++i)
    frame.values[comparator->body.arguments[i]].value = region->add_argument({dtypes[i], {}});
  op.importer().import_operations(comparator->body.operations, *comparator, frame);
  std::vector<ir::Value*> results = sorted(op, arrays, axis, true, std::move(region));
  for (size_t i = 0; i < n; ++i) {
    const Shape& wanted = op.result(i).shape;
    if (static_cast<int64_t>(wanted.size()) != results[i]->rank()) op.fail("its results have another rank");
    if (wanted[static_cast<size_t>(axis)] == Type::kDynamic)
      op.refuse("it does not say how many elements it takes");
    results[i] = first_of(op, results[i], axis, wanted[static_cast<size_t>(axis)]);
  }
  op.set_all(results);
}

constexpr NamedRule kSorts[] = {
    {"chlo.top_k", import_top_k},
    {"mhlo.topk", import_top_k},
    {"stablehlo.sort", import_sort},
};

}  // namespace

ir::Value* first_of(OpImport& op, ir::Value* array, int64_t axis, int64_t count) {
  IntList limits = array->shape();
  if (count < 0 || count > limits[static_cast<size_t>(axis)])
    op.fail("there are no " + std::to_string(count) + " elements along dimension " + std::to_string(axis) +
            " of " + ir::to_string(array->type()));
  limits[static_cast<size_t>(axis)] = count;
  return op.make(
      "slice", {array},
      {{"starts", IntList(limits.size(), 0)}, {"limits", limits}, {"strides", IntList(limits.size(), 1)}});
}

Rules sort_rules() {
  return kSorts;
}

bool import_sorting_call(OpImport& op, const std::string& target) {
  if (target == "ApproxTopK" || target == "PartialReduce") {
    import_approximate_top_k(op);
    return true;
  }
  if (target == "stablehlo.dynamic_top_k" && op.operand_count() == 2) {  // of a symbolic number
    const Ints count = op.known_ints(1, "the numbers of elements that it takes");
    if (count.size() != 1) op.fail("takes one number of elements");
    top_k(op, true, count.front(), 2);
    return true;
  }
  if (target != "TopK" && target != "mhlo.topk") return false;
  top_k(op, op.entry("mhlo.attributes", "largest").value_or(1) != 0, op.entry("mhlo.attributes", "k"));
  return true;
}

bool import_sorting_composite(OpImport& op, const std::string& name) {
  if (name != "chlo.top_k" || op.operand_count() != 1 || op.op().results.size() != 2) return false;
  top_k(op, op.entry("composite_attributes", "largest").value_or(1) != 0,
        op.entry("composite_attributes", "k"));
  return true;
}

}  // namespace ingot::stablehlo
