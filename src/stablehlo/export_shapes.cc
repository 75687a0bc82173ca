// Constants and views.
#include <algorithm>

#include "ops/kinds.h"
#include "stablehlo/exporter.h"

namespace ingot::stablehlo {
namespace {

void export_constant(OpExport& op) {
  op.set(op.constant(ops::ConstantOp(op.op()).value()));
}

void export_iota(OpExport& op) {
  op.set_made("stablehlo.iota", {},
              {{"iota_dimension", Attribute(Integer{op.attributes().integer("axis")})}});
}

void export_transpose(OpExport& op) {
  op.set_made("stablehlo.transpose", op.operands(), {{"permutation", op.list("permutation")}});
}

void export_reverse(OpExport& op) {
  op.set_made("stablehlo.reverse", op.operands(), {{"dimensions", op.list("axes")}});
}

void export_reshape(OpExport& op) {
  op.set_made("stablehlo.reshape", op.operands());
}

void export_broadcast(OpExport& op) {
  op.set_made("stablehlo.broadcast_in_dim", op.operands(), {{"broadcast_dimensions", op.list("dims")}});
}

void export_slice(OpExport& op) {
  op.set_made("stablehlo.slice", op.operands(),
              {{"start_indices", op.list("starts")},
               {"limit_indices", op.list("limits")},
               {"strides", op.list("strides")}});
}

// A gather at constant indices.
void export_take(OpExport& op) {
  const ir::IntList& indices = op.list("indices");
  const int64_t axis = op.attributes().integer("axis");
  if (indices.empty()) return op.set(op.filled_int(op.result_type(), 0));  // a window needs a place to be
  Tensor places(DType::kS64, {static_cast<int64_t>(indices.size()), 1});
  if (op.operand_type(0).shape[static_cast<size_t>(axis)] <= INT32_MAX)
    places = Tensor(DType::kS32, places.shape());
  for (size_t i = 0; i < indices.size(); ++i) places.set_int(static_cast<int64_t>(i), indices[i]);
  Ints offset, sizes = op.operand_type(0).shape;
  for (int64_t d = 0; d < op.operand_type(0).rank(); ++d) {
    if (d != axis) offset.push_back(d);
  }
  sizes[static_cast<size_t>(axis)] = 1;
  op.set_made(
      "stablehlo.gather", {op.operand(0), op.constant(places)},
      {{"dimension_numbers", Attribute::record("gather", {{"offset_dims", offset},
                                                          {"collapsed_slice_dims", Ints{axis}},
                                                          {"start_index_map", Ints{axis}},
                                                          {"index_vector_dim", Attribute(Integer{1})}})},
       {"indices_are_sorted", Attribute(std::is_sorted(indices.begin(), indices.end()))},
       {"slice_sizes", sizes}});
}

void export_concatenate(OpExport& op) {
  op.set_made("stablehlo.concatenate", op.operands(),
              {{"dimension", Attribute(Integer{op.attributes().integer("axis")})}});
}

void export_pad(OpExport& op) {
  op.set_made("stablehlo.pad", op.operands(),
              {{"edge_padding_low", op.list("low")},
               {"edge_padding_high", op.list("high")},
               {"interior_padding", op.list("interior")}});
}

// To a program outside of kernels, nothing.
void export_hold(OpExport& op) {
  op.set(op.operands()[0]);
}

constexpr NamedExport kShapeExports[] = {
    {"broadcast", export_broadcast}, {"concatenate", export_concatenate},
    {"constant", export_constant},   {"hold", export_hold},
    {"iota", export_iota},           {"pad", export_pad},
    {"reshape", export_reshape},     {"reverse", export_reverse},
    {"slice", export_slice},         {"take", export_take},
    {"transpose", export_transpose},
};

}  // namespace

ExportRules shape_exports() {
  return kShapeExports;
}

}  // namespace ingot::stablehlo
