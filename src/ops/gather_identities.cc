// The algebra of gathers: those of constant indices are views, and what is equal everywhere is so wherever it
// is read.
#include <algorithm>

#include "ops/identities.h"
#include "ops/windows.h"

namespace ingot::ops {
namespace {

// Index vectors that become a list in the program's text. The list is looked up where it is not known; beyond
// this number an array of indices is as good.
constexpr int64_t kMostTaken = 1024;

// The elements, in row-major order, of a constant or of a view of one that keeps them all in their order.
const Tensor* constant_in_order(const Value* value) {
  const int64_t elements = value->type().elements();
  while (made_by(value, "reshape") != nullptr || made_by(value, "broadcast") != nullptr) {
    const IntList none,
        &dims = value->op()->name() == "broadcast" ? value->op()->attributes().list("dims") : none;
    value = value->op()->operand(0);
    if (value->type().elements() != elements || !std::is_sorted(dims.begin(), dims.end())) return nullptr;
  }
  const Op* op = made_by(value, "constant");
  return op == nullptr ? nullptr : &op->attributes().get<Tensor>("value");
}

// Which element each index vector takes, of the dimensions in the map as one; nothing if one of them is
// outside, and the gather gives something else there.
std::optional<IntList> taken(const WindowDims& dims, const Shape& array, const Shape& shape,
                             const Tensor& indices) {
  const auto components = static_cast<int64_t>(dims.index_map.size());
  int64_t inner = 1;  // index vectors behind their components
  for (auto d = static_cast<size_t>(dims.index_vector_dim) + 1; d < shape.size(); ++d) inner *= shape[d];
  IntList result;
  for (int64_t v = 0; v < indices.size() / components; ++v) {
    int64_t element = 0;
    for (int64_t k = 0; k < components; ++k) {
      const int64_t extent = array[static_cast<size_t>(dims.index_map[static_cast<size_t>(k)])];
      const int64_t index = indices.get_int((v / inner * components + k) * inner + v % inner);
      const int64_t inside = std::clamp<int64_t>(index, 0, extent - 1);
      // Unsigned numbers of 64 bits that look negative are greater than all extents.
      if (index != inside && (dims.fills() || indices.dtype() == DType::kU64)) return std::nullopt;
      element = element * extent + inside;
    }
    result.push_back(element);
  }
  return result;
}

Value* transposed(Rewriter& rewriter, Value* x, const IntList& order) {
  return std::is_sorted(order.begin(), order.end())
             ? x
             : rewriter.make("transpose", {x}, {{"permutation", order}});
}

Value* reshaped(Rewriter& rewriter, Value* x, const Shape& shape) {
  return x->shape() == shape ? x : rewriter.make("reshape", {x}, {{"shape", shape}});
}

// Of one scalar everywhere, where no index leads outside.
Values gather_of_splat(Op& op, const WindowDims& dims, Rewriter& rewriter) {
  const Op* spread = made_by(op.operand(0), "broadcast");
  if (spread == nullptr || spread->operand(0)->rank() != 0 || dims.fills() ||
      !rewriter.may("gather_of_splat", op))
    return {};
  return {rewriter.make("broadcast", {spread->operand(0)},
                        {{"dims", IntList{}}, {"shape", op.result()->shape()}})};
}

}  // namespace

// Elements, or whole rows along the dimensions that no index is for: a take, between views.
Values gather_identities(Op& op, Rewriter& rewriter) {
  const WindowDims dims = WindowDims::of(op.attributes());
  if (Values values = gather_of_splat(op, dims, rewriter); !values.empty()) return values;
  Value* x = op.operand(0);
  const Shape &array = x->shape(), &shape = op.operand(1)->shape();
  const auto components = static_cast<int64_t>(dims.index_map.size());
  if (!dims.array_batching.empty() || components == 0 || x->type().elements() == 0) return {};
  IntList rest;  // dimensions of the array that windows hold whole
  for (int64_t d = 0; d < x->rank(); ++d) {
    const bool indexed = contains(dims.index_map, d);
    if (!indexed) rest.push_back(d);
    if (dims.sizes[static_cast<size_t>(d)] != (indexed ? 1 : array[static_cast<size_t>(d)])) return {};
  }
  const int64_t vectors = op.operand(1)->type().elements() / components;
  const Tensor* constant = vectors < 1 || vectors > kMostTaken ? nullptr : constant_in_order(op.operand(1));
  const auto indices = constant == nullptr ? std::nullopt : taken(dims, array, shape, *constant);
  if (!indices || !rewriter.may("gather_of_constants", op)) return {};

  // One indexed dimension stays where it is, several become one in front.
  IntList order = dims.index_map;
  order.insert(order.end(), rest.begin(), rest.end());
  const int64_t axis = components == 1 ? dims.index_map[0] : 0;
  if (components > 1) {
    Shape merged = {1};
    for (const int64_t d : dims.index_map) merged[0] *= array[static_cast<size_t>(d)];
    for (const int64_t d : rest) merged.push_back(array[static_cast<size_t>(d)]);
    x = reshaped(rewriter, transposed(rewriter, x, order), merged);
  }
  x = rewriter.make("take", {x}, {{"axis", axis}, {"indices", *indices}});

  // The dimensions of the index vectors in the place of the taken one, and then where the result has them.
  Shape apart;
  IntList from_vectors, from_rest;  // where they stand in `apart`
  for (int64_t d = 0; d < x->rank(); ++d) {
    if (d != axis) {
      from_rest.push_back(static_cast<int64_t>(apart.size()));
      apart.push_back(x->shape()[static_cast<size_t>(d)]);
      continue;
    }
    for (int64_t i = 0; i < static_cast<int64_t>(shape.size()); ++i) {
      if (i == dims.index_vector_dim) continue;
      from_vectors.push_back(static_cast<int64_t>(apart.size()));
      apart.push_back(shape[static_cast<size_t>(i)]);
    }
  }
  IntList windows;  // of the array: the dimensions that windows have
  for (int64_t d = 0; d < op.operand(0)->rank(); ++d) {
    if (!contains(dims.collapsed, d)) windows.push_back(d);
  }
  IntList places;
  size_t vector = 0, window = 0, whole = 0;
  for (int64_t d = 0; d < op.result()->rank(); ++d) {
    if (!contains(dims.window_dims, d)) {
      places.push_back(from_vectors[vector++]);
    } else if (!contains(dims.index_map, windows[window++])) {
      places.push_back(from_rest[whole++]);
    }
  }
  x = transposed(rewriter, reshaped(rewriter, x, apart), places);
  return {reshaped(rewriter, x, op.result()->shape())};
}

}  // namespace ingot::ops
