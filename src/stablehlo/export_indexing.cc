// Gather and scatter. StableHLO's gather moves a window that would leave the array back inside, its scatter
// leaves such a window out: what else Ingot's modes say is written out with comparisons and clamps.
#include <algorithm>
#include <limits>
#include <numeric>

#include "ops/windows.h"
#include "stablehlo/exporter.h"

namespace ingot::stablehlo {
namespace {

using ops::WindowDims;

// Indices of 32 bits or more: extents need not fit into what is smaller.
ValueId wide_indices(OpExport& op) {
  const ValueId indices = op.operand(1);
  return byte_size(op.type(indices).dtype) < 4 ? op.convert(indices, DType::kS32) : indices;
}

// Where windows begin at last, one number per component of an index vector, in the indices' shape.
ValueId last_places(OpExport& op, const WindowDims& dims, const ir::TensorType& indices) {
  const Shape& array = op.operand_type(0).shape;
  Tensor last(indices.dtype, {static_cast<int64_t>(dims.index_map.size())});
  const bool small = byte_size(indices.dtype) == 4;
  const int64_t most = indices.dtype == DType::kS32   ? std::numeric_limits<int32_t>::max()
                       : indices.dtype == DType::kU32 ? std::numeric_limits<uint32_t>::max()
                                                      : std::numeric_limits<int64_t>::max();
  for (size_t k = 0; k < dims.index_map.size(); ++k) {
    const auto d = static_cast<size_t>(dims.index_map[k]);
    const int64_t place = array[d] - dims.sizes[d];
    last.set_int(static_cast<int64_t>(k), small ? std::min(place, most) : place);
  }
  if (dims.index_vector_dim == indices.rank()) return op.filled_int(indices, last.get_int(0));
  return op.spread(op.constant(last), indices.shape, {dims.index_vector_dim});
}

// StableHLO wants these lists to ascend; pairs stay together.
struct BatchingDims {
  Ints array, indices;
};
BatchingDims batching_dims(const WindowDims& dims) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (size_t i = 0; i < dims.array_batching.size(); ++i)
    pairs.emplace_back(dims.array_batching[i], dims.indices_batching[i]);
  std::sort(pairs.begin(), pairs.end());
  BatchingDims result;
  for (const auto& [array, indices] : pairs) {
    result.array.push_back(array);
    result.indices.push_back(indices);
  }
  return result;
}

Ints ascending(Ints list) {
  std::sort(list.begin(), list.end());
  return list;
}

// Whether the window of each place of the stack lies inside of the array: a pred of the stack's shape.
ValueId inside(OpExport& op, const WindowDims& dims, ValueId indices, const Shape& stack) {
  const ir::TensorType type = op.type(indices);
  ValueId fits = op.compare("le", indices, last_places(op, dims, type));
  if (is_signed(type.dtype)) {
    const ValueId begins = op.compare("ge", indices, op.filled_int(type, 0));
    fits = op.same("stablehlo.and", {begins, fits});
  }
  if (dims.index_vector_dim < type.rank()) {
    const ir::TensorType scalar{DType::kPred, {}};
    Region both = op.region({scalar, scalar}, [&](const std::vector<ValueId>& arguments) {
      return std::vector<ValueId>{op.same("stablehlo.and", arguments)};
    });
    ir::TensorType result{DType::kPred, type.shape};
    result.shape.erase(result.shape.begin() + dims.index_vector_dim);
    std::vector<Region> regions;
    regions.push_back(std::move(both));
    fits = op.make("stablehlo.reduce", {fits, op.number(DType::kPred, 1)}, result,
                   {{"dimensions", Ints{dims.index_vector_dim}}}, std::move(regions));
  }
  Ints outer;
  for (int64_t d = 0; d < static_cast<int64_t>(stack.size()); ++d) {
    if (!ops::contains(dims.window_dims, d)) outer.push_back(d);
  }
  return op.spread(fits, stack, outer);
}

void export_gather(OpExport& op) {
  const WindowDims dims = WindowDims::of(op.attributes());
  const BatchingDims batching = batching_dims(dims);
  const ValueId indices = wide_indices(op);
  const ir::TensorType result = op.result_type();
  const ValueId read = op.make(
      "stablehlo.gather", {op.operand(0), indices}, result,
      {{"dimension_numbers",
        Attribute::record("gather", {{"offset_dims", dims.window_dims},
                                     {"collapsed_slice_dims", ascending(dims.collapsed)},
                                     {"operand_batching_dims", batching.array},
                                     {"start_indices_batching_dims", batching.indices},
                                     {"start_index_map", dims.index_map},
                                     {"index_vector_dim", Attribute(Integer{dims.index_vector_dim})}})},
       {"indices_are_sorted", Attribute(false)},
       {"slice_sizes", dims.sizes}});
  if (!dims.fills()) return op.set(read);
  op.set(op.select(inside(op, dims, indices, result.shape), read,
                   op.filled(result, dims.filling(result.dtype))));
}

// The scalars of an index vector.
std::vector<ValueId> starts_of(OpExport& op, ValueId vector) {
  std::vector<ValueId> starts;
  const int64_t count = op.type(vector).elements();
  for (int64_t k = 0; k < count; ++k) starts.push_back(op.reshape(op.slice(vector, {k}, {k + 1}, {1}), {}));
  return starts;
}

void export_scatter(OpExport& op) {
  const WindowDims dims = WindowDims::of(op.attributes());
  const auto& combiner = op.attributes().get<std::string>("combiner");
  const ir::TensorType array = op.operand_type(0);
  ValueId indices = wide_indices(op);
  if (combiner == "set" && ops::is_one_window(op.attributes(), array.rank()) && array.rank() > 0) {
    std::vector<ValueId> operands{op.operand(0), op.operand(2)};
    for (ValueId start : starts_of(op, indices)) operands.push_back(start);
    return op.set_made("stablehlo.dynamic_update_slice", std::move(operands));
  }
  if (dims.mode == WindowDims::Mode::kClip) {
    const ir::TensorType type = op.type(indices);
    indices =
        op.make("stablehlo.clamp", {op.filled_int(type, 0), indices, last_places(op, dims, type)}, type);
  }
  const bool pred = array.dtype == DType::kPred;
  const std::string name = combiner == "add"   ? "stablehlo.add"
                           : combiner == "mul" ? "stablehlo.multiply"
                           : combiner == "max" ? (pred ? "stablehlo.or" : "stablehlo.maximum")
                                               : (pred ? "stablehlo.and" : "stablehlo.minimum");
  const ir::TensorType scalar{array.dtype, {}};
  std::vector<Region> regions;
  regions.push_back(op.region({scalar, scalar}, [&](const std::vector<ValueId>& arguments) {
    return std::vector<ValueId>{combiner == "set" ? arguments[1] : op.same(name, arguments)};
  }));
  const BatchingDims batching = batching_dims(dims);
  op.set_made(
      "stablehlo.scatter", {op.operand(0), indices, op.operand(2)},
      {{"indices_are_sorted", Attribute(false)},
       {"scatter_dimension_numbers",
        Attribute::record("scatter", {{"update_window_dims", dims.window_dims},
                                      {"inserted_window_dims", ascending(dims.collapsed)},
                                      {"input_batching_dims", batching.array},
                                      {"scatter_indices_batching_dims", batching.indices},
                                      {"scatter_dims_to_operand_dims", dims.index_map},
                                      {"index_vector_dim", Attribute(Integer{dims.index_vector_dim})}})},
       {"unique_indices", Attribute(op.attributes().has("unique") && op.attributes().flag("unique"))}},
      std::move(regions));
}

constexpr NamedExport kIndexingExports[] = {{"gather", export_gather}, {"scatter", export_scatter}};

}  // namespace

ExportRules indexing_exports() {
  return kIndexingExports;
}

}  // namespace ingot::stablehlo
