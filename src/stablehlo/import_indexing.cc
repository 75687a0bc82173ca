// Reads and writes at indices that are known at run time: all become gather and scatter (import_scatter.cc).

#include "ops/windows.h"
#include "stablehlo/importer.h"

namespace ingot::stablehlo {

ir::Value* gathered(OpImport& op, const Ints& sizes) {
  const Record* dims = op.record("dimension_numbers");
  return op.make("gather", {op.operand(0), op.operand(1)},
                 {{"offset_dims", op.field(dims, "offset_dims")},
                  {"collapsed_slice_dims", op.field(dims, "collapsed_slice_dims")},
                  {"operand_batching_dims", op.field(dims, "operand_batching_dims")},
                  {"start_indices_batching_dims", op.field(dims, "start_indices_batching_dims")},
                  {"start_index_map", op.field(dims, "start_index_map")},
                  {"index_vector_dim", op.field(dims, "index_vector_dim", 0)},
                  {"slice_sizes", sizes},
                  {"mode", std::string("clip")}});
}

namespace {

void import_gather(OpImport& op) {
  op.set(gathered(op, op.ints("slice_sizes")));
}

// Scalars from operand `first` on, one for each dimension of operand 0, as one vector.
ir::Value* starts_of(OpImport& op, size_t first) {
  std::vector<ir::Value*> starts;
  if (op.operand_count() != op.operand(0)->shape().size() + first)
    op.fail("there is to be one start per dimension");
  for (size_t i = first; i < op.operand_count(); ++i) {
    const ir::TensorType &type = op.operand(i)->type(), &other = op.operand(first)->type();
    if (!type.shape.empty() || !is_integer(type.dtype))
      op.fail("operand " + std::to_string(i) + ", where a window begins, is " + ir::to_string(type) +
              ", but must be a scalar of integers");
    if (type != other)
      op.fail("operand " + std::to_string(i) + " is " + ir::to_string(type) + ", but operand " +
              std::to_string(first) + " is " + ir::to_string(other) +
              "; where a window begins must be said in one dtype; convert one of them");
    starts.push_back(op.make("reshape", {op.operand(i)}, {{"shape", Shape{1}}}));
  }
  return starts.size() == 1 ? starts[0] : op.make("concatenate", starts, {{"axis", int64_t{0}}});
}

// Of operand 0; `what` it is.
void want_window_fits(OpImport& op, const Ints& sizes, const std::string& what) {
  const ir::TensorType& array = op.operand(0)->type();
  if (sizes.size() != array.shape.size())
    op.fail(what + " has " + std::to_string(sizes.size()) + " dimensions, but must have " +
            std::to_string(array.shape.size()) + ", as " + ir::to_string(array) + " has");
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] < 0 || sizes[d] > array.shape[d])
      op.fail(what + " has " + std::to_string(sizes[d]) + " elements along dimension " + std::to_string(d) +
              ", but must have 0 to " + std::to_string(array.shape[d]) + ", as it lies in " +
              ir::to_string(array));
  }
}

void import_dynamic_slice(OpImport& op) {
  ir::Value* x = op.operand(0);
  if (x->rank() == 0) return op.set(x);
  want_window_fits(op, op.ints("slice_sizes"), "the slice of slice_sizes");
  op.set(op.make("gather", {x, starts_of(op, 1)}, ops::one_window(x->rank(), op.ints("slice_sizes"))));
}

void import_dynamic_update_slice(OpImport& op) {
  ir::Value *x = op.operand(0), *update = op.operand(1);
  if (x->rank() == 0) return op.set(update);
  if (update->dtype() != x->dtype())
    op.fail("the update is " + ir::to_string(update->type()) + ", but must have the dtype of " +
            ir::to_string(x->type()));
  want_window_fits(op, update->shape(), "the update");
  ir::Attributes attributes = ops::one_window(x->rank(), update->shape());
  attributes.set("combiner", std::string("set"));
  op.set(op.make("scatter", {x, starts_of(op, 2), update}, attributes));
}

// Rows of dimension `dim` by indices, whose first `batch_dims` dimensions run along with the array's.
void import_index_select(OpImport& op) {
  ir::Value *x = op.operand(0), *indices = op.operand(1);
  const int64_t dim = op.integer("dim"), batch = op.integer("batch_dims", 0), more = indices->rank() - batch;
  if (dim < 0 || dim >= x->rank() || batch < 0 || batch > dim || more < 0)
    op.fail("dim and batch_dims name no dimensions");
  Ints offset, together;
  Shape sizes = x->shape();
  sizes[static_cast<size_t>(dim)] = 1;
  for (int64_t d = 0; d < x->rank(); ++d) {
    if (d < batch) {
      together.push_back(d);
      sizes[static_cast<size_t>(d)] = 1;
    } else if (d != dim) {
      offset.push_back(d < dim ? d : d + more - 1);
    }
  }
  op.set(op.make("gather", {x, indices},
                 {{"offset_dims", offset},
                  {"collapsed_slice_dims", Ints{dim}},
                  {"operand_batching_dims", together},
                  {"start_indices_batching_dims", together},
                  {"start_index_map", Ints{dim}},
                  {"index_vector_dim", indices->rank()},
                  {"slice_sizes", sizes},
                  {"mode", std::string("clip")}}));
}

constexpr NamedRule kIndexing[] = {
    {"stablehlo.dynamic_slice", import_dynamic_slice},
    {"stablehlo.dynamic_update_slice", import_dynamic_update_slice},
    {"stablehlo.gather", import_gather},
    {"stablehlo.torch_index_select", import_index_select},
};

}  // namespace

Rules indexing_rules() {
  return kIndexing;
}

}  // namespace ingot::stablehlo
