// The names of jax.lax for what other functions do with more arguments: along one axis, of one number.
#pragma once

#include "ingot/functions.h"

namespace ingot {

Array rev(const Operand& x, const Axes& axes);                  // flip
Array collapse(const Operand& x, int64_t start, int64_t stop);  // axes start .. stop - 1 become one
Array integer_pow(const Operand& x, int64_t n);                 // pow
Array convert_element_type(const Operand& x, DType dtype);      // astype
Array bitcast_convert_type(const Operand& x, DType dtype);      // bitcast
Array broadcasted_iota(DType dtype, const Shape& shape, Axis axis, Where where = Where::current());  // iota
// Axis i of x becomes axis axes[i] of the result; all others are new.
Array broadcast_in_dim(const Operand& x, const Shape& shape, const std::vector<int64_t>& axes);
// Where `which` is 0 (or false) the element of the first one of the cases, and so on.
Array select_n(const Operand& which, const Operands& cases);

// Parts along one axis.
Array slice_in_dim(const Operand& x, int64_t start, int64_t limit, int64_t stride = 1, Axis axis = 0);
Array index_in_dim(const Operand& x, int64_t index, Axis axis = 0, KeepDims keepdims = kKeepDims);
// The same from a place that is known at run time (dynamic_slice), and put there.
Array dynamic_slice_in_dim(const Operand& x, const Operand& start, int64_t size, Axis axis = 0);
Array dynamic_index_in_dim(const Operand& x, const Operand& index, Axis axis = 0,
                           KeepDims keepdims = kKeepDims);
Array dynamic_update_slice_in_dim(const Operand& x, const Operand& part, const Operand& start, Axis axis);
// `part` with the axis of extent 1, or without it.
Array dynamic_update_index_in_dim(const Operand& x, const Operand& part, const Operand& index, Axis axis);

}  // namespace ingot
