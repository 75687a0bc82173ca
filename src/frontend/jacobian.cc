// Whole Jacobians: the derivative in a direction, or the transpose of the linear function of a point, mapped
// over a basis.
#include "frontend/apply.h"
#include "frontend/derive.h"
#include "frontend/program.h"
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

std::vector<std::vector<Array>> jacobian_by_columns(const char* what, LeafFunction& f,
                                                    const LeafArrays& arguments,
                                                    const std::vector<bool>& active,
                                                    const std::source_location& where) {
  const std::vector<const ArrayType*> types = types_of(arguments.arrays);
  for (const ArrayType* type : types) {
    if (is_complex(type->dtype))
      fail(where, std::string(what) + ": an argument is " + to_string(*type) +
                      "; a Jacobian has real columns: use jacrev for a real result, or jvp");
  }
  const std::vector<bool> moved = differentiable(what, arguments, active, where);
  const auto function = DerivedFunction::of(what + std::string(": the function"), f, arguments, where);
  const TracedFunction& traced = function->traced();
  const CallerScope caller(where);  // what the function does has lines of its own
  std::vector<Array> primals = arguments.arrays;
  primals.insert(primals.end(), traced.captures.begin(), traced.captures.end());
  std::vector<std::vector<Array>> rows(traced.result_types.size());
  for (size_t i = 0; i < types.size(); ++i) {
    transform::Mask one(primals.size(), false);
    one[i] = moved[i];
    std::vector<Array> columns;  // of the results that have a tangent
    const transform::Jvp* made = moved[i] ? &function->jvp(one) : nullptr;
    if (made != nullptr) {
      const auto push = [&](Array tangent) {
        std::vector<Array> operands = primals;
        operands.push_back(tangent);
        std::vector<Array> all = run_or_record(function->callable(made->function), operands, where);
        all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(rows.size()));
        return all;
      };
      columns = vmap(push, {.out_axes = -1})(basis(*types[i]));
    }
    size_t next = 0;
    for (size_t r = 0; r < rows.size(); ++r) {
      const Shape shape = joined(traced.result_types[r]->shape, types[i]->shape);
      const bool moves = made != nullptr && made->result_tangents[r];
      const Array column = moves ? columns[next++].reshape(shape)
                                 : zero_of(*intern_type(traced.result_types[r]->dtype, shape), where);
      rows[r].push_back(as_weak(column, traced.result_types[r]->weak));
    }
  }
  return rows;
}

}  // namespace ingot::detail
