// Tridiagonal systems: three scans along the rows, without a rule for their derivative, which is that of the
// elimination. Rows are exchanged so that the larger of two elements is divided by, as LAPACK's gtsv does it.
#include "library/tridiagonal.h"

#include <algorithm>
#include <limits>

#include "frontend/compose.h"
#include "ingot/linalg.h"
#include "ingot/scan.h"
#include "library/matrices.h"
#include "library/rules_by_value.h"

namespace ingot {
namespace detail {
namespace {

// The row that is eliminated with: its diagonal element and the one behind it.
struct Top {
  Array d, du, info;
};
struct Row {
  Array dl, d, du, number;
};
// The row of U that comes of the two, and how the right sides follow.
struct Pivot {
  Array d, du, du2, factor, exchanged;
};

struct Side {
  Array b, factor, exchanged;
};
struct Solved {
  Array next, after;  // x of the next row, and of the one behind it
};
struct Eliminated {
  Array b, d, du, du2;
};

Array size_of(const Array& x) {
  return is_complex(x.dtype()) ? abs(real(x)) + abs(imag(x)) : abs(x);
}

std::pair<Top, Pivot> eliminate(const Top& top, const Row& row) {
  const Array exchanged = logical_not(size_of(top.d) >= size_of(row.dl));
  const Pivot pivot{where(exchanged, row.dl, top.d), where(exchanged, row.d, top.du),
                    where(exchanged, row.du, 0),
                    where(exchanged, top.d, row.dl) / where(exchanged, row.dl, top.d), exchanged};
  const Array singular = (top.info == 0) & (pivot.d == 0);
  return {Top{where(exchanged, top.du, row.d) - pivot.factor * pivot.du,
              where(exchanged, -pivot.factor * row.du, row.du), where(singular, row.number, top.info)},
          pivot};
}

}  // namespace

// In front of the first row stands one that says x = 0, so that all rows have one before them; what is made
// of it is left out on the way back, where each step hands on the x that it was given.
Gtsv gtsv(const Array& dl, const Array& d, const Array& du, const Array& b) {
  const int64_t axis = d.rank() - 1, n = d.shape(-1);
  Shape systems = d.shape();
  systems.pop_back();
  if (n == 0) return {dl, d, du, b, Array::zeros(systems, DType::kS32)};
  const bool matrices = b.rank() > d.rank();
  const auto along = [&](const Array& x) { return matrices ? expand_dims(x, -1) : x; };
  Shape sides = systems;
  if (matrices) sides.push_back(b.shape(-1));
  const Array number = iota(DType::kS32, {n}, 0), zero = Array::zeros(sides, b.dtype());

  const Top before{Array::ones(systems, d.dtype()), Array::zeros(systems, d.dtype()),
                   Array::zeros(systems, DType::kS32)};
  const Row rows{where(number == 0, 0, dl), d, where(number == n - 1, 0, du), number};
  const auto [last, pivots] =
      ingot::scan(eliminate, before, rows, {.axis = {axis, axis, axis, 0}, .ys_axis = ScanAxes(axis)});

  const auto follow = [&](const Array& top, const Side& row) {
    const Array exchanged = along(row.exchanged);
    const Array pivot = where(exchanged, row.b, top);
    return std::pair(Array(where(exchanged, top, row.b) - along(row.factor) * pivot), pivot);
  };
  const auto [last_b, pivot_b] =
      ingot::scan(follow, zero, Side{b, pivots.factor, pivots.exchanged}, {.axis = axis});

  const auto back = [&](const Solved& x, const Eliminated& row) {
    const Array here = (row.b - along(row.du) * x.next - along(row.du2) * x.after) / along(row.d);
    return std::pair(Solved{here, x.next}, x.next);
  };
  const Array x =
      ingot::scan(back, Solved{last_b / along(last.d), zero},
                  Eliminated{pivot_b, pivots.d, pivots.du, pivots.du2}, {.axis = axis, .reverse = true})
          .second;

  const auto moved = [&](const Array& pivot, const Array& end) {  // row 0 is the one in front
    return concatenate({slice_axis(pivot, axis, 1, n), end}, axis);
  };
  const auto part = [&](const Array& whole, int64_t from, int64_t to) {
    return slice_axis(whole, axis, from, to);
  };
  return {n == 1 ? dl : concatenate({part(dl, 0, 1), part(pivots.du2, 1, n - 1), part(dl, n - 1, n)}, axis),
          moved(pivots.d, expand_dims(last.d, -1)), moved(pivots.du, part(du, n - 1, n)), x,
          where((last.info == 0) & (last.d == 0), static_cast<int32_t>(n), last.info)};
}

}  // namespace detail

namespace {

using Diagonals = std::tuple<Array, Array, Array>;  // the lower one, the middle one, the upper one
using System = std::tuple<Array, Array, Array, Array>;

// The matrix times x of [.., n, k].
Array product(const Diagonals& a, const Array& x) {
  const auto& [dl, d, du] = a;
  const int64_t rows = x.rank() - 2, n = x.shape(rows);
  const auto times = [&](const Array& diagonal, const Array& y) { return expand_dims(diagonal, -1) * y; };
  const Array none = zeros_like(slice_axis(x, rows, 0, 1));
  const Array before = concatenate({none, slice_axis(x, rows, 0, n - 1)}, rows),
              behind = concatenate({slice_axis(x, rows, 1, n), none}, rows);
  const Array row = iota(DType::kS32, {n}, 0);
  return times(d, x) + times(where(row == 0, 0, dl), before) + times(where(row == n - 1, 0, du), behind);
}

Diagonals transposed(const Diagonals& a) {
  const auto& [dl, d, du] = a;
  const int64_t axis = d.rank() - 1, n = d.shape(axis);
  const auto part = [&](const Array& x, int64_t from, int64_t to) { return slice_axis(x, axis, from, to); };
  return {concatenate({part(du, n - 1, n), part(du, 0, n - 1)}, axis), d,
          concatenate({part(dl, 1, n), part(dl, 0, 1)}, axis)};
}

// Its derivatives are solutions with the same matrix, as JAX has them: how pivots are moved has none. A rule
// cannot ask for the function whose rule it is, so it holds the function with one order less.
constexpr int kPerturbedOrders = 3;
Array perturbed(int orders, const Diagonals& a, const Array& b) {
  const auto solve = [](Array dl, Array d, Array du, Array sides) {
    return detail::perturbed_solve(dl, d, du, sides);
  };
  const auto& [l, m, u] = a;
  if (orders == 0) return solve(l, m, u, b);
  const auto rule = [less = orders - 1](const System& at, const System& tangents) {
    const auto& [dl, d, du, sides] = at;
    const auto& [dl_t, d_t, du_t, sides_t] = tangents;
    const Diagonals here{dl, d, du};
    const Array x = perturbed(less, here, sides);
    const auto linear = custom_transpose(
        [less](Diagonals diagonals, Array y) { return perturbed(less, diagonals, y); },
        [less](Diagonals diagonals, Array ct) { return perturbed(less, transposed(diagonals), ct); });
    return std::pair(x, linear(here, sides_t - product({dl_t, d_t, du_t}, x)));
  };
  return detail::custom_jvp_by_value(solve, rule)(l, m, u, b);
}

}  // namespace

Array tridiagonal_solve(const Operand& dl, const Operand& d, const Operand& du, const Operand& b,
                        const TridiagonalSolveOptions& options) {
  const std::source_location& where = dl.where();
  const CallerScope caller(where, "tridiagonal_solve");
  const std::vector<Array> arrays = detail::same_dtype("tridiagonal_solve", {dl, d, du, b}, where);
  const Shape &rows = arrays[1].shape(), &sides = arrays[3].shape();
  const std::string types = "tridiagonal_solve: dl, d, du are " + arrays[0].type_string() + ", " +
                            arrays[1].type_string() + ", " + arrays[2].type_string() + ", and b is " +
                            arrays[3].type_string();
  detail::check_inexact("tridiagonal_solve", arrays[1], where);
  if (rows.empty() || arrays[0].shape() != rows || arrays[2].shape() != rows)
    detail::fail(
        where,
        types + ", but the diagonals should have one shape, [.., n]; dl[0] and du[n - 1] are not read");
  const Shape leading(sides.begin(), sides.begin() + std::min(arrays[1].rank(), arrays[3].rank()));
  if (leading != rows || arrays[3].rank() > arrays[1].rank() + 1)
    detail::fail(where, types + ", but b should be [.., n, k], or, of vectors, [.., n], like the diagonals");
  const std::vector<int64_t> words = {options.perturb_singular};
  return detail::apply("tridiagonal_solve", arrays, words, where, [&](const std::vector<Array>& given) {
    const DType dtype = given[3].dtype();
    std::vector<Array> wide = given;
    for (Array& array : wide)
      if (is_narrow_float(dtype)) array = array.astype(DType::kF32);
    if (options.perturb_singular && given[3].size() > 0) {
      const bool vectors = wide[3].rank() == wide[1].rank();
      const Array sides = vectors ? expand_dims(wide[3], -1) : wide[3];
      const Array x = perturbed(kPerturbedOrders, {wide[0], wide[1], wide[2]}, sides);
      return (vectors ? squeeze(x, -1) : x).astype(dtype);
    }
    const detail::Gtsv solved = detail::gtsv(wide[0], wide[1], wide[2], wide[3]);
    Array failed = solved.info != 0;
    while (failed.rank() < solved.x.rank()) failed = expand_dims(failed, -1);
    return ingot::where(failed, std::numeric_limits<double>::quiet_NaN(), solved.x).astype(dtype);
  });
}

}  // namespace ingot
