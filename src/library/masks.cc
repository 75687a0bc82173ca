// Masks as indices: x(mask) and at(x, mask). Outside of a program the places of a mask's true elements are
// indices as all others are. In a program their number is not known: what is put into all of them alike is a
// choice, element by element, and all else an Error.
#include <algorithm>

#include "frontend/index_plan.h"
#include "ingot/searching.h"

namespace ingot::detail {
namespace {

using Kind = Subscript::Kind;

bool is_mask(const Subscript& index) {
  if (index.kind() != Kind::kArray) return false;
  const Array array = index.array();
  return !array.empty() && array.dtype() == DType::kPred;
}

// Axes of x that an index names.
int64_t named_axes(const Subscript& index) {
  if (is_mask(index)) return index.array().rank();
  return index.kind() == Kind::kInteger || index.kind() == Kind::kSlice || index.kind() == Kind::kArray ? 1
                                                                                                        : 0;
}

void check_mask(const Array& x, const Subscript& index, int64_t axis) {
  const Array mask = index.array();
  checked_node(mask, index.where());
  bool fits = mask.rank() > 0 && axis >= 0 && axis + mask.rank() <= x.rank();
  for (int64_t i = 0; fits && i < mask.rank(); ++i) fits = mask.shape(i) == x.shape(axis + i);
  if (fits) return;
  fail(index.where(), "the mask is " + mask.type_string() + ", but should have the extents of the axes of " +
                          x.type_string() + " from axis " + std::to_string(std::max<int64_t>(axis, 0)) +
                          " on");
}

}  // namespace

std::vector<Subscript> without_masks(const Array& x, const std::vector<Subscript>& given,
                                     const std::source_location& where) {
  if (std::none_of(given.begin(), given.end(), is_mask)) return given;
  checked_node(x, where);
  int64_t behind = 0, axis = 0;
  for (const Subscript& index : given) behind += named_axes(index);
  std::vector<Subscript> indices;
  for (const Subscript& index : given) {
    if (index.kind() == Kind::kEllipsis) axis = x.rank() - behind;
    if (is_mask(index)) {
      check_mask(x, index, axis);
      const Array mask = index.array();
      if (tracing() || mask.is_traced())
        fail(index.where(),
             "a " + mask.type_string() +
                 " is no index in a program, since the size of the result would depend on its values; choose "
                 "with where(mask, x, y), put a number there with at(x, mask).set(y), or take the first n "
                 "elements with compress(mask, x, {.size = n})");
      for (const Array& places : nonzero(Operand(mask, index.where())))
        indices.emplace_back(places, index.where());
    } else {
      indices.push_back(index);
    }
    axis += named_axes(index);
    behind -= named_axes(index);
  }
  return indices;
}

std::optional<Array> only_mask(const Array& x, const std::vector<Subscript>& given,
                               const std::source_location& where) {
  const Subscript* mask = nullptr;
  for (const Subscript& index : given) {
    if (index.kind() == Kind::kNone) continue;
    if (mask != nullptr || !is_mask(index)) return std::nullopt;
    mask = &index;
  }
  if (mask == nullptr) return std::nullopt;
  checked_node(x, where);
  check_mask(x, *mask, 0);
  Shape shape = mask->array().shape();
  shape.resize(x.shape().size(), 1);
  return reshape(Operand(mask->array(), where), shape);
}

std::optional<Array> update_by_mask(const Array& x, const std::vector<Subscript>& indices,
                                    const Array& values, std::string_view combiner,
                                    const std::source_location& where) {
  const std::optional<Array> mask = only_mask(x, indices, where);
  if (!mask) return std::nullopt;
  int64_t left = 0;  // axes behind those of the mask
  for (const Subscript& index : indices)
    if (is_mask(index)) left = x.rank() - index.array().rank();
  if (values.rank() > left) return std::nullopt;
  const Operand a(x, where), b(values, where);
  const Array changed = combiner == "add"   ? a + b
                        : combiner == "mul" ? a * b
                        : combiner == "min" ? minimum(a, b)
                        : combiner == "max" ? maximum(a, b)
                                            : broadcast_to(b, x.shape());
  return ingot::where(Operand(*mask, where), Operand(changed, where), a);
}

}  // namespace ingot::detail
