// What brackets mean in numpy: the indices as parts, in the order of the result.
//
// Parts keep an axis (slices, new axes) or take elements of one (integers, arrays). Arrays broadcast
// together; the axes of that, the *block*, stand in front of the kept axes, or between them where the arrays
// were side by side.
#pragma once

#include "frontend/compose.h"
#include "ingot/indexing.h"

namespace ingot::detail {

struct IndexPart {
  Subscript::Kind kind;
  int64_t axis = 0;                        // of x; none for a new one
  int64_t start = 0, count = 1, step = 1;  // of a slice; an integer is `start`
  size_t array = 0;                        // which of the operands an array of indices is
};

struct IndexPlan {
  std::vector<IndexPart> parts;
  std::vector<Array> arrays;
  Shape block;             // of the arrays together
  size_t block_place = 0;  // kept axes in front of it
  Shape result;
  std::vector<int64_t> words;

  bool advanced() const { return !arrays.empty(); }
};

inline bool keeps_axis(const IndexPart& part) {
  return part.kind == Subscript::Kind::kSlice || part.kind == Subscript::Kind::kNewAxis;
}

// --- masks (masks.cc) ---
// The indices with the places of its true elements in place of every mask. Error where a mask does not fit
// the axes, and in a program, which does not know how many places there will be.
std::vector<Subscript> without_masks(const Array& x, const std::vector<Subscript>& given,
                                     const std::source_location& where);
// The mask that is the only index, with axes of extent 1 for all that it has not; nothing where there is
// another index.
std::optional<Array> only_mask(const Array& x, const std::vector<Subscript>& given,
                               const std::source_location& where);
// x with the values where the mask is true, if they are for each of its places alike; else nothing.
std::optional<Array> update_by_mask(const Array& x, const std::vector<Subscript>& indices,
                                    const Array& values, std::string_view combiner,
                                    const std::source_location& where);

// Error where an index is none of the array. Outside of a trace integers may be operands as arrays are, so
// that all have one program.
IndexPlan plan_index(const Array& x, const std::vector<Subscript>& given, bool integers_are_arrays,
                     const std::source_location& where);
// Slices before the block. New axes are put in at the end of a read, and dropped at the beginning of a write.
int64_t slices_in_front(const IndexPlan& plan);

// Index vectors along a new last axis of `shape`: components that broadcast to it, of one dtype.
Array index_vectors(const std::vector<Array>& components, const Shape& shape, DType dtype,
                    const std::source_location& where);
// Negative indices counted from the start.
Array counted_from_start(const Array& indices, int64_t extent, const std::source_location& where);

// The part of a plan that has no index arrays, without its new axes and without the axes of its integers.
Array read_static(const Array& x, const IndexPlan& plan, const std::source_location& where);
// The part as a view and a gather; x with the part changed by a scatter of that combiner.
Array read_index(const Array& x, const std::vector<Subscript>& indices, const std::source_location& where);
Array update_index(const Array& x, const std::vector<Subscript>& indices, const Operand& values,
                   const char* combiner);
// The values in the dtype of the array, into which they are to fit.
Array values_for(const Array& x, const Operand& values, const std::source_location& where);

}  // namespace ingot::detail
