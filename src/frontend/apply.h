// How every function over arrays ends: recorded as it stands while a trace is going on, else as a compiled
// program of its own, kept by name, attributes and operand types.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "frontend/trace.h"
#include "ingot/functions.h"

namespace ingot::detail {

using ArrayBody = std::function<Array(const std::vector<Array>&)>;

// `body` records the operations for the given operands. `name` (a literal) and `attributes` must tell it
// apart.
Array apply(const char* name, const std::vector<Array>& operands, const std::vector<int64_t>& attributes,
            const std::source_location& where, const ArrayBody& body);

// The same for a function that gives each element of the result, of that shape, from those of the operands at
// its place; `body` may be given operands of other shapes that broadcast in the same way.
Array apply_elementwise(const char* name, const std::vector<Array>& operands, const Shape& shape,
                        const std::vector<int64_t>& attributes, const std::source_location& where,
                        const ArrayBody& body);

// The same for what has several results.
using ArraysBody = std::function<std::vector<Array>(const std::vector<Array>&)>;
std::vector<Array> apply_all(const char* name, const std::vector<Array>& operands,
                             const std::source_location& where, const ArraysBody& body);

// One operation with these operands, for `attributes` that `words` tells apart.
Array apply_op(const char* op, const std::vector<Array>& operands, const ir::Attributes& attributes,
               const std::vector<int64_t>& words, const std::source_location& where);

// --- arguments of functions, with their errors ---

// The axis in [0, rank). `name` is the function's, for the error.
int64_t checked_axis(const char* name, int64_t axis, int64_t rank, const std::source_location& where);
// The same for several, sorted; all of them where none are given. Error if one is named twice.
std::vector<int64_t> checked_axes(const char* name, const Axes& axes, int64_t rank,
                                  const std::source_location& where);

// Which of `count` values of an enum this is. Error, as "NAME: WHAT is 77 ...", if it is none of them.
int64_t checked_choice(const char* name, const char* what, int64_t value, int64_t count,
                       const std::source_location& where);
// Error, which suggests astype, unless the array holds floats or complex numbers.
void check_inexact(const char* name, const Array& x, const std::source_location& where);

// The shape that all broadcast to. Error if there is none.
Shape broadcast_shape(const char* name, const std::vector<Array>& arrays, const std::source_location& where);
// The array with that shape, which it must broadcast to; recorded, so only while tracing.
Array emit_broadcast(const Array& x, const Shape& shape, const std::source_location& where);

// The operands as arrays of one dtype: numbers take that of the arrays. Error if arrays differ,
// but for f16 and bf16 (array.h).
std::vector<Array> same_dtype(const char* name, const std::vector<Operand>& operands,
                              const std::source_location& where);

// What an array of numbers becomes beside one of that dtype.
DType beside(DType array, DType number);

// x, but in f32 if it is f16 or bf16: for functions of which only the result is to be rounded.
Array in_f32(const Array& x);
// Sums and products of preds count in s32.
Operand countable(const Operand& x);
// A number of that dtype, of rank 0.
Array number(DType dtype, int value);

}  // namespace ingot::detail
