// Reads and writes at indices that are known at run time: all become gather and scatter.
#include <algorithm>

#include "ops/windows.h"
#include "stablehlo/importer.h"

namespace ingot::stablehlo {
namespace {

bool holds(const Ints& list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

void import_gather(OpImport& op) {
  const Record* dims = op.record("dimension_numbers");
  ir::Value* indices = op.operand(1);
  op.set(op.make("gather", {op.operand(0), indices},
                 {{"offset_dims", op.field(dims, "offset_dims")},
                  {"collapsed_slice_dims", op.field(dims, "collapsed_slice_dims")},
                  {"operand_batching_dims", op.field(dims, "operand_batching_dims")},
                  {"start_indices_batching_dims", op.field(dims, "start_indices_batching_dims")},
                  {"start_index_map", op.field(dims, "start_index_map")},
                  {"index_vector_dim", op.field(dims, "index_vector_dim", 0)},
                  {"slice_sizes", op.ints("slice_sizes")},
                  {"mode", std::string("clip")}}));
}

// What the region makes of (what is there, an update): a combiner of the record's, and the update in its
// form.
std::string scatter_combiner(OpImport& op, ir::Value*& update) {
  const Combiner combiner = combiner_of(op.op().regions.front());
  if (combiner.name == "second") return "set";
  if (combiner.name == "add") return "add";
  if (combiner.name == "multiply") return "mul";
  if (combiner.name == "maximum") return "max";
  if (combiner.name == "minimum") return "min";
  if (combiner.name == "subtract" && !combiner.swapped) {
    update = op.make("neg", {update});
    return "add";
  }
  if (update->dtype() == DType::kPred && combiner.name == "or") return "max";
  if (update->dtype() == DType::kPred && combiner.name == "and") return "min";
  op.refuse(
      combiner.name.empty()
          ? "Ingot scatters with a single add, subtract, multiply, maximum, minimum or the update itself"
          : "Ingot has no scatter that combines by " + combiner.name);
}

void import_scatter(OpImport& op) {
  if (op.op().regions.size() != 1) op.fail("there is to be one region");
  if (op.operand_count() != 3) op.refuse("Ingot scatters into one array at a time");
  const Record* dims = op.record("scatter_dimension_numbers");
  ir::Value *x = op.operand(0), *indices = op.operand(1), *updates = op.operand(2);
  const Ints window = op.field(dims, "update_window_dims"), inserted = op.field(dims, "inserted_window_dims"),
             batching = op.field(dims, "input_batching_dims");
  Shape sizes;
  size_t next = 0;
  for (int64_t d = 0; d < x->rank(); ++d) {
    if (holds(inserted, d) || holds(batching, d)) {
      sizes.push_back(1);
      continue;
    }
    if (next >= window.size() || window[next] < 0 || window[next] >= updates->rank()) {
      op.fail("update_window_dims names no dimension of the updates for dimension " + std::to_string(d));
    }
    sizes.push_back(updates->shape()[static_cast<size_t>(window[next++])]);
  }
  const std::string combiner = scatter_combiner(op, updates);
  op.set(op.make("scatter", {x, indices, updates},
                 {{"offset_dims", window},
                  {"collapsed_slice_dims", inserted},
                  {"operand_batching_dims", batching},
                  {"start_indices_batching_dims", op.field(dims, "scatter_indices_batching_dims")},
                  {"start_index_map", op.field(dims, "scatter_dims_to_operand_dims")},
                  {"index_vector_dim", op.field(dims, "index_vector_dim", 0)},
                  {"slice_sizes", sizes},
                  {"mode", std::string("fill")},
                  {"combiner", combiner}}));
}

// Scalars from operand `first` on, as one vector.
ir::Value* starts_of(OpImport& op, size_t first) {
  std::vector<ir::Value*> starts;
  for (size_t i = first; i < op.operand_count(); ++i) {
    starts.push_back(op.make("reshape", {op.operand(i)}, {{"shape", Shape{1}}}));
  }
  return starts.size() == 1 ? starts[0] : op.make("concatenate", starts, {{"axis", int64_t{0}}});
}

void import_dynamic_slice(OpImport& op) {
  ir::Value* x = op.operand(0);
  if (x->rank() == 0) return op.set(x);
  if (op.operand_count() != x->shape().size() + 1) op.fail("there is to be one start per dimension");
  op.set(op.make("gather", {x, starts_of(op, 1)}, ops::one_window(x->rank(), op.ints("slice_sizes"))));
}

void import_dynamic_update_slice(OpImport& op) {
  ir::Value *x = op.operand(0), *update = op.operand(1);
  if (x->rank() == 0) return op.set(update);
  if (op.operand_count() != x->shape().size() + 2) op.fail("there is to be one start per dimension");
  ir::Attributes attributes = ops::one_window(x->rank(), update->shape());
  attributes.set("combiner", std::string("set"));
  op.set(op.make("scatter", {x, starts_of(op, 2), update}, attributes));
}

constexpr NamedRule kIndexing[] = {
    {"stablehlo.dynamic_slice", import_dynamic_slice},
    {"stablehlo.dynamic_update_slice", import_dynamic_update_slice},
    {"stablehlo.gather", import_gather},
    {"stablehlo.scatter", import_scatter},
};

}  // namespace

Rules indexing_rules() {
  return kIndexing;
}

}  // namespace ingot::stablehlo
