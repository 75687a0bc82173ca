// Arrays made from numbers: sequences, grids, and arrays like others.
#include "ingot/creation.h"

#include "frontend/compose.h"
#include "ingot/elementwise.h"

namespace ingot {
namespace {

using detail::apply;
using detail::fail;

void check_count(const char* name, const char* what, int64_t count, const std::source_location& where) {
  if (count < 0)
    fail(where,
         std::string(name) + ": " + what + " is " + std::to_string(count) + ", but should be 0 or more");
}

// The ends in the dtype that is computed in. Numbers alone are f32, as everywhere in JAX.
std::vector<Array> sequence_ends(const char* name, const Operand& start, const Operand& stop,
                                 Optional<DType> wanted) {
  const bool inexact = wanted && is_inexact(*wanted);
  if (detail::is_number(start) && detail::is_number(stop)) {
    const bool complex =
        is_complex(detail::checked_array(start).dtype()) || is_complex(detail::checked_array(stop).dtype());
    const DType dtype = inexact ? *wanted : complex ? DType::kC64 : DType::kF32;
    return {astype(start, dtype), astype(stop, dtype)};
  }
  std::vector<Array> ends = detail::same_floats(name, {start, stop}, start.where());
  if (inexact)
    for (Array& end : ends) end = end.astype(*wanted);
  return ends;
}

// Numbers in equal steps along a new axis, before they get the dtype that is asked for.
Array equal_steps(const Array& start, const Array& stop, int64_t count, bool endpoint, int64_t axis) {
  Shape shape = detail::broadcast_shape("linspace", {start, stop}, Where::current());
  const Shape given = shape;
  shape.insert(shape.begin() + axis, count);
  const auto along = [&](const Array& end) {
    return broadcast_to(expand_dims(broadcast_to(end, given), axis), shape);
  };
  const Array low = along(start), high = along(stop);
  if (count == 1) return low;
  const Array place = iota(detail::places_dtype(count), shape, axis);
  const DType real = real_dtype(start.dtype());
  const Array part = place.astype(real) / static_cast<double>(endpoint ? count - 1 : count);
  const Array between = low * (1 - part) + high * part;
  return endpoint ? where(place == count - 1, high, between) : between;
}

using Finish = std::function<Array(const Array&)>;

Array sequence(const char* name, const Operand& start, const Operand& stop, int64_t count,
               const LinspaceOptions& options, std::vector<int64_t> words, const Finish& prepare,
               const Finish& finish) {
  const std::source_location& where = start.where();
  check_count(name, "the count", count, where);
  const std::vector<Array> ends = sequence_ends(name, start, stop, options.dtype);
  const int64_t rank = static_cast<int64_t>(detail::broadcast_shape(name, ends, where).size());
  const int64_t axis = detail::checked_axis(name, options.axis, rank + 1, where);
  const DType dtype = options.dtype.value_or(ends[0].dtype());
  words.insert(words.end(), {count, options.endpoint, axis, static_cast<int64_t>(dtype)});
  const Array made = apply(name, ends, words, where, [&](const std::vector<Array>& given) {
    const Array numbers =
        finish(equal_steps(prepare(given[0]), prepare(given[1]), count, options.endpoint, axis));
    return (is_inexact(dtype) ? numbers : floor(numbers)).astype(dtype);
  });
  return detail::as_weak(made, false);
}

}  // namespace

Array linspace(const Operand& start, const Operand& stop, int64_t count, const LinspaceOptions& options) {
  const CallerScope caller(start.where(), "linspace");
  const Finish same = [](const Array& a) { return a; };
  return sequence("linspace", start, stop, count, options, {}, same, same);
}

Array logspace(const Operand& start, const Operand& stop, int64_t count, double base,
               const LinspaceOptions& options) {
  const CallerScope caller(start.where(), "logspace");
  return sequence(
      "logspace", start, stop, count, options, {detail::word_of(base)}, [](const Array& a) { return a; },
      [&](const Array& a) { return pow(base, a); });
}

Array geomspace(const Operand& start, const Operand& stop, int64_t count, const LinspaceOptions& options) {
  const CallerScope caller(start.where(), "geomspace");
  const std::source_location& where = start.where();
  check_count("geomspace", "the count", count, where);
  const std::vector<Array> ends = sequence_ends("geomspace", start, stop, options.dtype);
  if (is_complex(ends[0].dtype())) fail(where, "geomspace: takes real numbers, not " + ends[0].type_string());
  const int64_t rank = static_cast<int64_t>(detail::broadcast_shape("geomspace", ends, where).size());
  const int64_t axis = detail::checked_axis("geomspace", options.axis, rank + 1, where);
  const DType dtype = options.dtype.value_or(ends[0].dtype());
  const std::vector<int64_t> words = {count, options.endpoint, axis, static_cast<int64_t>(dtype)};
  const Array made = apply("geomspace", ends, words, where, [&](const std::vector<Array>& given) {
    const Array side = sign(given[0]), both = log10(given[0] / side);
    const Array steps = equal_steps(both, log10(given[1] / side), count, options.endpoint, axis);
    const Array numbers =
        expand_dims(broadcast_to(side, detail::broadcast_shape("geomspace", given, where)), axis) *
        pow(10.0, steps);
    return (is_inexact(dtype) ? numbers : floor(numbers)).astype(dtype);
  });
  return detail::as_weak(made, false);
}

Array linspace(const Operand& start, const Operand& stop, int64_t count, DType dtype) {
  return linspace(start, stop, count, {.dtype = dtype});
}

Array zeros(const Shape& shape, DType dtype, Where where) {
  return Array::zeros(shape, dtype, where);
}
Array ones(const Shape& shape, DType dtype, Where where) {
  return Array::ones(shape, dtype, where);
}
Array empty(const Shape& shape, DType dtype, Where where) {
  return Array::zeros(shape, dtype, where);
}
Array full(const Shape& shape, const Operand& value) {
  return Array::full(shape, value);
}
Array full(const Shape& shape, const Operand& value, DType dtype) {
  return Array::full(shape, value, dtype);
}

namespace {

// Of the shape of x and its dtype, which is a number's where x is a number.
Array like(const char* name, const Operand& x, const Operand& value, Optional<DType> dtype) {
  const CallerScope caller(x.where(), name);
  const Array given = detail::checked_array(x);
  const Array made = Array::full(given.shape(), value, dtype.value_or(given.dtype()));
  return detail::as_weak(made, !dtype && detail::is_weak(given));
}

}  // namespace

Array full_like(const Operand& x, const Operand& value, Optional<DType> dtype) {
  return like("full_like", x, value, dtype);
}
Array zeros_like(const Operand& x, Optional<DType> dtype) {
  return like("zeros_like", x, Operand(0, x.where()), dtype);
}
Array ones_like(const Operand& x, Optional<DType> dtype) {
  return like("ones_like", x, Operand(1, x.where()), dtype);
}
Array empty_like(const Operand& x, Optional<DType> dtype) {
  return zeros_like(x, dtype);
}

// --- grids

std::vector<Array> meshgrid(const Operands& axes, const MeshgridOptions& options) {
  const std::source_location where = axes.where();
  const CallerScope caller(where, "meshgrid");
  const size_t rank = axes.items().size();
  const bool exchanged = options.indexing == Indexing::kXY && rank >= 2;
  Shape shape(rank, 1);
  std::vector<Array> results;
  for (size_t i = 0; i < rank; ++i) {
    const Array line = detail::checked_array(axes.items()[i]);
    if (line.rank() > 1)
      fail(where, "meshgrid: axis " + std::to_string(i) + " is " + line.type_string() +
                      ", but should be a vector of coordinates");
    const size_t place = exchanged && i < 2 ? 1 - i : i;
    shape[place] = line.size();
    Shape alone(rank, 1);
    alone[place] = line.size();
    results.push_back(reshape(line, alone));
  }
  if (options.sparse) return results;
  for (Array& result : results) result = broadcast_to(result, shape);
  return results;
}

std::array<Array, 2> meshgrid(const Operand& x, const Operand& y, const MeshgridOptions& options) {
  const std::vector<Array> grid = meshgrid(Operands{x, y}, options);
  return {grid[0], grid[1]};
}

std::array<Array, 3> meshgrid(const Operand& x, const Operand& y, const Operand& z,
                              const MeshgridOptions& options) {
  const std::vector<Array> grid = meshgrid(Operands{x, y, z}, options);
  return {grid[0], grid[1], grid[2]};
}

Array indices(const Shape& shape, DType dtype, Where where) {
  const CallerScope caller(where, "indices");
  std::vector<int64_t> words = shape;
  words.push_back(static_cast<int64_t>(dtype));
  if (shape.empty()) return Array::zeros({0}, dtype, where);
  Shape all = shape;
  all.insert(all.begin(), static_cast<int64_t>(shape.size()));
  detail::checked_shape("indices", all, where);
  return apply("indices", {}, words, where, [&](const std::vector<Array>&) {
    std::vector<Array> along;
    for (size_t i = 0; i < shape.size(); ++i) along.push_back(iota(dtype, shape, static_cast<int64_t>(i)));
    return stack(along, 0);
  });
}

Array one_hot(const Operand& x, int64_t classes, DType dtype, Axis wanted) {
  const CallerScope caller(x.where(), "one_hot");
  check_count("one_hot", "the number of classes", classes, x.where());
  const Array array = detail::checked_array(x);
  const int64_t axis = detail::checked_axis("one_hot", wanted, array.rank() + 1, x.where());
  Shape all = array.shape();
  all.insert(all.begin() + axis, classes);
  detail::checked_shape("one_hot", all, x.where());
  return apply("one_hot", {array}, {classes, static_cast<int64_t>(dtype), axis}, x.where(),
               [&](const std::vector<Array>& operands) {
                 const DType given = operands[0].dtype();
                 // An s8 cannot count 300 classes.
                 const bool narrow = !is_inexact(given) && byte_size(given) < 4;
                 const DType wide = detail::places_dtype(classes);
                 const bool more = narrow || (given == DType::kS32 && wide == DType::kS64);
                 const Array places = more ? operands[0].astype(wide) : operands[0];
                 Shape shape = places.shape();
                 shape.insert(shape.begin() + axis, classes);
                 const Array classes_there = iota(wide, shape, axis).astype(places.dtype());
                 return (expand_dims(places, axis) == classes_there).astype(dtype);
               });
}

}  // namespace ingot
