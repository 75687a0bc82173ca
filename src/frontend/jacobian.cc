// Whole Jacobians: the linear function of a point, or its transpose, mapped over a basis.
#include "frontend/derive.h"
#include "ingot/functions.h"
#include "ingot/vmap.h"

namespace ingot::detail {
namespace {

// The unit vectors of a type, one after the other along a new first axis.
Array basis(const ArrayType& type) {
  const Shape square{type.elements, type.elements};
  const Array same = iota(DType::kS64, square, 0) == iota(DType::kS64, square, 1);
  Shape shape = type.shape;
  shape.insert(shape.begin(), type.elements);
  return same.astype(type.dtype).reshape(shape);
}

Shape joined(const Shape& a, const Shape& b) {
  Shape shape = a;
  shape.insert(shape.end(), b.begin(), b.end());
  return shape;
}

// A vector of zeros but for one leaf.
std::vector<Array> only(const std::vector<const ArrayType*>& types, size_t which, const Array& array,
                        const std::source_location& where) {
  std::vector<Array> leaves;
  for (size_t i = 0; i < types.size(); ++i) leaves.push_back(i == which ? array : zero_of(*types[i], where));
  return leaves;
}

}  // namespace

std::vector<std::vector<Array>> jacobian_by_rows(const Linearized& at, const std::source_location& where) {
  const CallerScope caller(where);
  const LinearizedData& data = *at.data;
  for (const ArrayType* result : data.result_types) {
    if (is_complex(result->dtype))
      fail(where, data.what + ": the function returns " + to_string(*result) +
                      "; a Jacobian has real rows: take real and imag first, or use vjp");
  }
  std::vector<std::vector<Array>> rows;
  for (size_t r = 0; r < data.result_types.size(); ++r) {
    const ArrayType& result = *data.result_types[r];
    std::vector<Array>& row = rows.emplace_back();
    if (data.made->result_tangents[r]) {
      const auto pull = [&](Array cotangent) {
        return pull_arrays_back(at, only(data.result_types, r, cotangent, where), where);
      };
      row = vmap(pull)(basis(result));
    }
    for (size_t i = 0; i < data.leaves.arrays.size(); ++i) {
      const ArrayType& argument = *data.leaves.arrays[i].node()->type;
      const Shape shape = joined(result.shape, argument.shape);
      if (data.made->result_tangents[r])
        row[i] = row[i].reshape(shape);
      else
        row.push_back(zero_of(*intern_type(argument.dtype, shape), where));
    }
  }
  return rows;
}

std::vector<std::vector<Array>> jacobian_by_columns(const Linearized& at, const std::source_location& where) {
  const CallerScope caller(where);
  const LinearizedData& data = *at.data;
  const std::vector<const ArrayType*> arguments = types_of(data.leaves.arrays);
  for (const ArrayType* argument : arguments) {
    if (is_complex(argument->dtype))
      fail(where, data.what + ": an argument is " + to_string(*argument) +
                      "; a Jacobian has real columns: use jacrev for a real result, or jvp");
  }
  std::vector<std::vector<Array>> rows(data.result_types.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::vector<Array> columns;
    if (data.active[i]) {
      const auto push = [&](Array tangent) {
        return push_arrays_forward(at, only(arguments, i, tangent, where), where);
      };
      columns = vmap(push, {.out_axes = -1})(basis(*arguments[i]));
    }
    for (size_t r = 0; r < rows.size(); ++r) {
      const Shape shape = joined(data.result_types[r]->shape, arguments[i]->shape);
      rows[r].push_back(data.active[i] ? columns[r].reshape(shape)
                                       : zero_of(*intern_type(data.result_types[r]->dtype, shape), where));
    }
  }
  return rows;
}

}  // namespace ingot::detail
