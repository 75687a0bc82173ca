// What all families of operations share: error texts, checks of operands and attributes, and the names of the
// types that a record is made of.
#pragma once

#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "base/extents.h"
#include "ir/op_record.h"

namespace ingot::ops {

using ir::Arity;
using ir::AttributeList;
using ir::Attributes;
using ir::Evaluator;
using ir::InferContext;
using ir::IntList;
using ir::Op;
using ir::OpRecord;
using ir::Rewriter;
using ir::Scalar;
using ir::ScalarBuilder;
using ir::ScalarContext;
using ir::TensorType;
using ir::Value;

namespace attribute = ir::attribute;

using Types = std::vector<TensorType>;
using Tensors = std::vector<Tensor>;

// Sets of dtypes, as bits.
enum : unsigned {
  kFloats = 1,
  kSignedIntegers = 2,
  kUnsignedIntegers = 4,
  kPreds = 8,
  kComplexes = 16,
  kIntegers = kSignedIntegers | kUnsignedIntegers,
  kNumbers = kFloats | kIntegers,
  kBits = kIntegers | kPreds,
  kFields = kNumbers | kComplexes,  // what can be added and multiplied
  kInexact = kFloats | kComplexes,
  kAnything = kNumbers | kPreds | kComplexes,
};

constexpr bool contains(unsigned set, DType dtype) {
  const unsigned kind = dtype == DType::kPred ? kPreds
                        : is_float(dtype)     ? kFloats
                        : is_complex(dtype)   ? kComplexes
                        : is_signed(dtype)    ? kSignedIntegers
                                              : kUnsignedIntegers;
  return (set & kind) != 0;
}
std::string describe(unsigned set);  // "floats or integers"

// "[1,2]", "f32[3]" and the like for the texts below.
inline std::ostream& operator<<(std::ostream& out, const TensorType& type) {
  return out << ir::to_string(type);
}
struct List {
  std::span<const int64_t> values;
};
std::ostream& operator<<(std::ostream& out, const List& list);

// Throws the user's error that the parts make up.
template <class... Parts>
[[noreturn]] void fail(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  throw Error(text.str());
}

void want_dtype(const TensorType& type, unsigned set, std::string_view what = "the operand");
void want_same_type(const TensorType& a, const TensorType& b);
void want_scalar(const TensorType& type, std::string_view what);
// Checks that `axis` names a dimension.
void want_axis(int64_t axis, int64_t rank, std::string_view attribute);
// Checks that all are axes, and that none is there twice.
void want_distinct_axes(std::span<const int64_t> axes, int64_t rank, std::string_view attribute);
void want_length(std::span<const int64_t> list, int64_t length, std::string_view attribute,
                 std::string_view per = "one per dimension");
// Checks that no entry is beyond kMostElements on either side of 0, so that sums of a few cannot overflow.
void want_extents(std::span<const int64_t> list, std::string_view attribute);
// The types of a region's arguments must be these.
void want_region_arguments(const ir::Region& region, const Types& types, std::string_view meaning);
Types result_types(const ir::Region& region);

// The shape without some of its dimensions (sorted or not).
Shape without_axes(const Shape& shape, std::span<const int64_t> axes);
bool contains(std::span<const int64_t> list, int64_t value);

// Row-major strides in elements.
std::vector<int64_t> strides_of(const Shape& shape);
// Steps through all indices of a shape in row-major order; false after the last one. Start with all zeros,
// and only where the shape has elements.
bool next_index(const Shape& shape, std::vector<int64_t>& index);
int64_t linear_index(std::span<const int64_t> index, std::span<const int64_t> strides);
void copy_element(Tensor& to, int64_t to_index, const Tensor& from, int64_t from_index);
// Whether there are elements, and all have the same bits.
bool is_uniform(const Tensor& x);
Tensor converted(const Tensor& x, DType to);  // from one float dtype to another

}  // namespace ingot::ops
