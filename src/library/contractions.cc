// Contractions: all are dot_general; no transpose of an operand is ever asked for.
#include <algorithm>

#include "frontend/apply.h"

namespace ingot {
namespace {

using detail::fail;

Array contract(const char* name, const Array& x, const Array& y, const DotDims& dims,
               const std::source_location& where) {
  ir::Attributes attributes{{"lhs_batch", dims.lhs_batch},
                            {"rhs_batch", dims.rhs_batch},
                            {"lhs_contract", dims.lhs_contract},
                            {"rhs_contract", dims.rhs_contract}};
  std::vector<int64_t> words;
  for (const auto* list : {&dims.lhs_batch, &dims.rhs_batch, &dims.lhs_contract, &dims.rhs_contract}) {
    words.push_back(static_cast<int64_t>(list->size()));
    words.insert(words.end(), list->begin(), list->end());
  }
  const std::vector<Array> arrays = detail::same_dtype(name, {Operand(x, where), Operand(y, where)}, where);
  if (dims.result && *dims.result != arrays[0].dtype()) {
    attributes.set("dtype", *dims.result);
    words.push_back(static_cast<int64_t>(*dims.result));
  }
  return detail::apply_op("dot_general", arrays, attributes, words, where);
}

void check_ranks(const char* name, const Array& x, const Array& y, const std::source_location& where) {
  detail::checked_node(x, where);
  detail::checked_node(y, where);
  if (x.rank() == 0 || y.rank() == 0) {
    fail(where, std::string(name) + ": takes arrays of at least one axis, but these are " + x.type_string() +
                    " and " + y.type_string() + "; multiply with * instead");
  }
}

void check_contracted(const char* name, const Array& x, const Array& y, int64_t x_axis, int64_t y_axis,
                      const std::source_location& where) {
  if (x.shape(x_axis) == y.shape(y_axis)) return;
  fail(where, std::string(name) + ": the shapes of " + x.type_string() + " and " + y.type_string() +
                  " do not fit: axis " + std::to_string(x_axis) + " of the first (" +
                  std::to_string(x.shape(x_axis)) + ") should be as long as axis " + std::to_string(y_axis) +
                  " of the second (" + std::to_string(y.shape(y_axis)) + ")");
}

std::vector<int64_t> first_axes(int64_t count) {
  std::vector<int64_t> axes;
  for (int64_t i = 0; i < count; ++i) axes.push_back(i);
  return axes;
}

// Matrices with leading batch axes on both sides, which broadcast.
Array batched(const Array& x, const Array& y, Optional<DType> result, const std::source_location& where) {
  const Shape x_batch(x.shape().begin(), x.shape().end() - 2),
      y_batch(y.shape().begin(), y.shape().end() - 2);
  const Shape batch = detail::broadcast_shape(
      "matmul", {Array::abstract(x.dtype(), x_batch), Array::abstract(y.dtype(), y_batch)}, where);
  const auto with_batch = [&](const Array& array) {
    Shape shape = batch;
    shape.insert(shape.end(), array.shape().end() - 2, array.shape().end());
    return broadcast_to(Operand(array, where), shape);
  };
  const auto count = static_cast<int64_t>(batch.size());
  return contract("matmul", with_batch(x), with_batch(y),
                  {.lhs_contract = {count + 1},
                   .rhs_contract = {count},
                   .lhs_batch = first_axes(count),
                   .rhs_batch = first_axes(count),
                   .result = result},
                  where);
}

}  // namespace

Array dot_general(const Operand& x, const Operand& y, const DotDims& dims) {
  return contract("dot_general", x.array(), y.array(), dims, x.where());
}

Array dot(const Operand& x_operand, const Operand& y_operand, Optional<DType> result) {
  const std::source_location& where = x_operand.where();
  const Array x = x_operand.array(), y = y_operand.array();
  check_ranks("dot", x, y, where);
  const int64_t x_axis = x.rank() - 1, y_axis = std::max<int64_t>(0, y.rank() - 2);
  check_contracted("dot", x, y, x_axis, y_axis, where);
  return contract("dot", x, y, {.lhs_contract = {x_axis}, .rhs_contract = {y_axis}, .result = result}, where);
}

Array matmul(const Operand& x_operand, const Operand& y_operand, Optional<DType> result) {
  const std::source_location& where = x_operand.where();
  const CallerScope caller(where);
  const Array x = x_operand.array(), y = y_operand.array();
  check_ranks("matmul", x, y, where);
  const int64_t x_axis = x.rank() - 1, y_axis = std::max<int64_t>(0, y.rank() - 2);
  check_contracted("matmul", x, y, x_axis, y_axis, where);
  const DotDims dims{.lhs_contract = {x_axis}, .rhs_contract = {y_axis}, .result = result};
  if (y.rank() <= 2) return contract("matmul", x, y, dims, where);
  std::vector<int64_t> words;
  if (result) words.push_back(static_cast<int64_t>(*result));
  if (x.rank() > 2) {
    return detail::apply("matmul", {x, y}, words, where, [&](const std::vector<Array>& arrays) {
      return batched(arrays[0], arrays[1], result, where);
    });
  }
  // A plain matrix or vector on the left: its free axis comes first and belongs before the columns.
  return detail::apply("matmul", {x, y}, words, where, [&](const std::vector<Array>& arrays) {
    const Array product = contract("matmul", arrays[0], arrays[1], dims, where);
    if (x.rank() == 1) return product;
    std::vector<int64_t> permutation = first_axes(product.rank());
    std::rotate(permutation.begin(), permutation.begin() + 1, permutation.end() - 1);
    return transpose(Operand(product, where), permutation);
  });
}

}  // namespace ingot
