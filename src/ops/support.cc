#include "ops/support.h"

#include <algorithm>
#include <cstring>

namespace ingot::ops {

std::string describe(unsigned set) {
  std::vector<std::string> names;
  if ((set & kFloats) != 0) names.push_back("floats");
  if ((set & kIntegers) == kIntegers) {
    names.push_back("integers");
  } else if ((set & kSignedIntegers) != 0) {
    names.push_back("signed integers");
  } else if ((set & kUnsignedIntegers) != 0) {
    names.push_back("unsigned integers");
  }
  if ((set & kComplexes) != 0) names.push_back("complex numbers");
  if ((set & kPreds) != 0) names.push_back("preds");
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

std::ostream& operator<<(std::ostream& out, const List& list) {
  return out << to_string(Shape(list.values.begin(), list.values.end()));
}

void want_dtype(const TensorType& type, unsigned set, std::string_view what) {
  if (contains(set, type.dtype)) return;
  const bool converts = (set & kFloats) != 0 && contains(kBits, type.dtype) && !what.starts_with('\'');
  fail(what, " is ", type, ", but must hold ", describe(set), converts ? "; convert it, with astype" : "");
}

void want_same_type(const TensorType& a, const TensorType& b) {
  if (a == b) return;
  if (a.dtype != b.dtype)
    fail("the operands are ", a, " and ", b, "; convert one of them, so that they have one dtype");
  fail("the operands are ", a, " and ", b, "; broadcast them, so that they have one shape");
}

void want_scalar(const TensorType& type, std::string_view what) {
  if (type.rank() != 0) fail(what, " is ", type, ", but must be a scalar");
}

void want_axis(int64_t axis, int64_t rank, std::string_view attribute) {
  if (axis >= 0 && axis < rank) return;
  if (rank == 0) fail("'", attribute, "' names dimension ", axis, ", but a scalar has none");
  fail("'", attribute, "' names dimension ", axis, ", but must be from 0 to ", rank - 1);
}

void want_distinct_axes(std::span<const int64_t> axes, int64_t rank, std::string_view attribute) {
  for (size_t i = 0; i < axes.size(); ++i) {
    want_axis(axes[i], rank, attribute);
    if (contains(axes.subspan(0, i), axes[i])) {
      fail("'", attribute, "' is ", List{axes}, ", but may name dimension ", axes[i], " only once");
    }
  }
}

void want_length(std::span<const int64_t> list, int64_t length, std::string_view attribute,
                 std::string_view per) {
  if (static_cast<int64_t>(list.size()) == length) return;
  fail("'", attribute, "' is ", List{list}, ", but must have ", length,
       length == 1 ? " entry, " : " entries, ", per);
}

void want_extents(std::span<const int64_t> list, std::string_view attribute) {
  for (int64_t entry : list) {
    if (entry >= -kMostElements && entry <= kMostElements) continue;
    fail("'", attribute, "' is ", List{list}, ", but no entry may be beyond ", kMostElements, " (2^48)");
  }
}

void want_region_arguments(const ir::Region& region, const Types& types, std::string_view meaning) {
  if (region.argument_count() != static_cast<int>(types.size())) {
    fail("the region has ", region.argument_count(), " arguments, but must have ", types.size(), ": ",
         meaning);
  }
  for (int i = 0; i < region.argument_count(); ++i) {
    const TensorType& want = types[static_cast<size_t>(i)];
    const ir::Value* argument = region.argument(i);
    if (argument->type() == want) continue;
    fail("argument ", i, " of the region, %", argument->name(), ", is ", argument->type(), ", but must be ",
         want, " (the arguments are ", meaning, ")");
  }
}

Types result_types(const ir::Region& region) {
  Types types;
  for (const Value* value : region.results()) types.push_back(value->type());
  return types;
}

Shape without_axes(const Shape& shape, std::span<const int64_t> axes) {
  Shape rest;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!contains(axes, static_cast<int64_t>(i))) rest.push_back(shape[i]);
  }
  return rest;
}

bool contains(std::span<const int64_t> list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

std::vector<int64_t> strides_of(const Shape& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

bool next_index(const Shape& shape, std::vector<int64_t>& index) {
  for (size_t i = shape.size(); i-- > 0;) {
    if (++index[i] < shape[i]) return true;
    index[i] = 0;
  }
  return false;
}

int64_t linear_index(std::span<const int64_t> index, std::span<const int64_t> strides) {
  int64_t linear = 0;
  for (size_t i = 0; i < index.size(); ++i) linear += index[i] * strides[i];
  return linear;
}

bool is_uniform(const Tensor& x) {
  const size_t width = byte_size(x.dtype());
  return x.size() > 0 && std::memcmp(x.raw(), x.raw() + width, x.bytes() - width) == 0;
}

Tensor converted(const Tensor& x, DType to) {
  Tensor result(to, x.shape());
  for (int64_t i = 0; i < x.size(); ++i) result.set_double(i, x.get_double(i));
  return result;
}

void copy_element(Tensor& to, int64_t to_index, const Tensor& from, int64_t from_index) {
  const size_t size = byte_size(to.dtype());
  std::memcpy(to.raw() + static_cast<size_t>(to_index) * size,
              from.raw() + static_cast<size_t>(from_index) * size, size);
}

}  // namespace ingot::ops
