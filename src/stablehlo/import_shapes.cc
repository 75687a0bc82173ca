// Constants and views.
#include <algorithm>

#include "stablehlo/importer.h"

namespace ingot::stablehlo {

// A dimension of extent 1 that becomes a longer one is dropped first.
ir::Value* broadcast_in_dim(OpImport& op, const Shape& result) {
  ir::Value* x = op.operand(0);
  const ir::TensorType type{x->dtype(), result};
  const Ints dims = op.ints("broadcast_dimensions");
  if (dims.size() != x->shape().size()) {
    op.fail("broadcast_dimensions has " + std::to_string(dims.size()) + " entries for an operand of " +
            std::to_string(x->rank()) + " dimensions");
  }
  ir::IntList kept;
  Shape shape;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0 || dims[i] >= type.rank()) {
      op.fail("broadcast_dimensions names dimension " + std::to_string(dims[i]) + " of " +
              ir::to_string(type));
    }
    if (std::count(dims.begin(), dims.end(), dims[i]) > 1)
      op.fail("broadcast_dimensions may name dimension " + std::to_string(dims[i]) + " only once");
    if (x->shape()[i] == 1 && type.shape[static_cast<size_t>(dims[i])] != 1) continue;
    kept.push_back(dims[i]);
    shape.push_back(x->shape()[i]);
  }
  if (shape != x->shape()) x = op.make("reshape", {x}, {{"shape", shape}});
  if (x->type() == type && std::is_sorted(kept.begin(), kept.end())) return x;
  return op.make("broadcast", {x}, {{"dims", kept}, {"shape", type.shape}});
}

// What is cut off at the ends is cut off once the rest stands.
ir::Value* padded(OpImport& op, const Ints& low, const Ints& high, const Ints& interior) {
  ir::Value* x = op.operand(0);
  const size_t rank = x->shape().size();
  if (low.size() != rank || high.size() != rank || interior.size() != rank) {
    op.fail("paddings have one entry per dimension of the operand, " + std::to_string(rank));
  }
  const auto positive = [](Ints list) {
    for (int64_t& entry : list) entry = std::max<int64_t>(entry, 0);
    return list;
  };
  x = op.make("pad", {x, op.operand(1)},
              {{"low", positive(low)}, {"high", positive(high)}, {"interior", interior}});
  Ints starts, limits;
  for (size_t i = 0; i < rank; ++i) {
    starts.push_back(low[i] < 0 ? 0 - std::max(low[i], -kMostElements) : 0);
    limits.push_back(x->shape()[i] + std::max(std::min<int64_t>(high[i], 0), -kMostElements));
    if (starts[i] > limits[i])
      op.fail("the padding cuts off more of dimension " + std::to_string(i) + " than there is");
  }
  if (limits != x->shape() || std::any_of(starts.begin(), starts.end(), [](int64_t s) { return s != 0; })) {
    x = op.make("slice", {x}, {{"starts", starts}, {"limits", limits}, {"strides", Ints(rank, 1)}});
  }
  return x;
}

namespace {

void import_constant(OpImport& op) {
  const Attribute* value = op.find("value");
  const auto* elements = value ? value->as<Elements>() : nullptr;
  if (!elements) op.fail("the attribute value is to be dense<...>");
  if (!op.importer().fits(op.result(0), op.importer().tensor_type(*elements->type)))
    op.fail("its value is a " + to_string(*elements->type) + ", but the result is a " +
            to_string(op.result(0)) + "; they must be one type");
  op.set(constant_of(op, *elements, op.result_type().shape));
}

void import_iota(OpImport& op) {
  const ir::TensorType type = op.result_type();
  op.set(op.make("iota", {},
                 {{"dtype", type.dtype}, {"shape", type.shape}, {"axis", op.integer("iota_dimension")}}));
}

void import_broadcast_in_dim(OpImport& op) {
  op.set(broadcast_in_dim(op, op.result_type().shape));
}

// New dimensions in front.
void import_broadcast(OpImport& op) {
  ir::Value* x = op.operand(0);
  const ir::TensorType type = op.result_type();
  ir::IntList dims;
  for (int64_t i = type.rank() - x->rank(); i < type.rank(); ++i) dims.push_back(i);
  op.set(op.make("broadcast", {x}, {{"dims", dims}, {"shape", type.shape}}));
}

void import_reshape(OpImport& op) {
  ir::Value* x = op.operand(0);
  const ir::TensorType type = op.result_type();
  op.set(x->shape() == type.shape ? x : op.make("reshape", {x}, {{"shape", type.shape}}));
}

void import_transpose(OpImport& op) {
  const Ints permutation = op.ints("permutation");
  op.set(op.make("transpose", {op.operand(0)}, {{"permutation", permutation}}));
}

void import_reverse(OpImport& op) {
  Ints axes = op.ints("dimensions");
  std::sort(axes.begin(), axes.end());
  op.set(axes.empty() ? op.operand(0) : op.make("reverse", {op.operand(0)}, {{"axes", axes}}));
}

void import_slice(OpImport& op) {
  op.set(op.make("slice", {op.operand(0)},
                 {{"starts", op.ints("start_indices")},
                  {"limits", op.ints("limit_indices")},
                  {"strides", op.ints("strides")}}));
}

void import_concatenate(OpImport& op) {
  op.set(op.make("concatenate", op.operands(), {{"axis", op.integer("dimension")}}));
}

void import_pad(OpImport& op) {
  op.set(padded(op, op.ints("edge_padding_low"), op.ints("edge_padding_high"), op.ints("interior_padding")));
}

constexpr NamedRule kShapes[] = {
    {"chlo.constant", import_constant},
    {"stablehlo.broadcast", import_broadcast},
    {"stablehlo.broadcast_in_dim", import_broadcast_in_dim},
    {"stablehlo.concatenate", import_concatenate},
    {"stablehlo.constant", import_constant},
    {"stablehlo.iota", import_iota},
    {"stablehlo.pad", import_pad},
    {"stablehlo.reshape", import_reshape},
    {"stablehlo.reverse", import_reverse},
    {"stablehlo.slice", import_slice},
    {"stablehlo.transpose", import_transpose},
};

}  // namespace

ir::Value* constant_of(OpImport& op, const Elements& elements, const Shape& shape) {
  if (elements.splat && element_count(shape) == 1) {  // text cannot tell it from one that is written in full
    Tensor one(elements.values.dtype(), shape);
    std::copy_n(elements.values.raw(), one.bytes(), one.raw());
    return op.builder().constant(one);
  }
  ir::Value* constant = op.builder().constant(elements.values);
  return elements.splat ? op.spread(constant, shape) : constant;
}

Rules shape_rules() {
  return kShapes;
}

}  // namespace ingot::stablehlo
