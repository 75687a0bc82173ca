// Tridiagonal systems that may be singular: rows are exchanged by their size relative to that of their rows,
// as LAPACK's lagtf does it, and a pivot that would make the solution overflow is moved away from 0, as its
// lagts does it. For jax.lax.linalg.tridiagonal_solve(.., perturb_singular=True), which inverse iteration
// uses.
//
// lagts adds to a pivot eps times the greatest element of U, then twice that, and so on, until the division
// does not overflow. After j times that is (2^j - 1) times the first amount, so that j is found at once.
#include <limits>

#include "frontend/compose.h"
#include "ingot/elementwise.h"
#include "ingot/functions.h"
#include "ingot/scan.h"
#include "library/matrices.h"
#include "library/tridiagonal.h"

namespace ingot::detail {
namespace perturbed {
namespace {

// The row that is eliminated with; `scale` is the sum of its elements' sizes.
struct Top {
  Array d, du, scale;
};
struct Row {
  Array dl, d, du;
};
// The row of U that comes of the two, and how the right sides follow.
struct Pivot {
  Array d, du, du2, factor, exchanged, alone;
};
struct Side {
  Array b, factor, exchanged, alone;
};
struct Solved {
  Array next, after;  // x of the next row, and of the one behind it
};
struct Eliminated {
  Array b, d, du, du2;
};

std::pair<Top, Pivot> eliminate(const Top& top, const Row& row) {
  const Array scale = abs(row.dl) + abs(row.d) + abs(row.du), alone = row.dl == 0;
  const Array stays = where(top.d == 0, 0, abs(top.d) / where(top.d == 0, 1, top.scale)),
              comes = where(alone, 0, abs(row.dl) / where(alone, 1, scale));
  const Array exchanged = logical_not(comes <= stays);
  const Array pivot = where(exchanged, row.dl, top.d);
  const Array factor = where(alone, 0, where(exchanged, top.d, row.dl) / where(alone, 1, pivot));
  const Array behind = where(exchanged, row.d, top.du);
  const Array d = where(alone, row.d, where(exchanged, top.du, row.d) - factor * behind),
              du = where(exchanged, -factor * row.du, row.du);
  return {Top{d, du, where(exchanged, abs(d) + abs(du), scale)},
          Pivot{pivot, behind, where(exchanged, row.du, 0), factor, exchanged, alone}};
}

// A pivot by which a row of right sides can be divided, and 1, or what both are to be multiplied by.
std::pair<Array, Array> safe_pivot(const Array& pivot, const Array& rows, const Array& first) {
  const bool wide = first.dtype() == DType::kF64;
  const double least = wide ? std::numeric_limits<double>::min() : std::numeric_limits<float>::min();
  const Array size = abs(pivot), wanted = minimum(max(abs(rows), -1) * least, 1);
  const Array small = (size < 1) & ((size == 0) | (wanted > size));
  const Array times = maximum((wanted - size) / first + 1, where(size == 0, 2, 1));
  const Array amount = first * (exp2(ceil(log2(where(small, times, 1)))) - 1);
  const Array moved = where(small, pivot + copysign(amount, real(pivot)).astype(pivot.dtype()), pivot);
  return {moved, where(abs(moved) < least, full_like(first, 1 / least), 1)};
}

// In front of the first row stands one that says x = 0, as in gtsv.
Array solve(const Array& dl, const Array& d, const Array& du, const Array& b) {
  const int64_t axis = d.rank() - 1, n = d.shape(-1);
  if (b.rank() == d.rank()) return squeeze(solve(dl, d, du, expand_dims(b, -1)), -1);
  if (b.size() == 0) return b;
  Shape systems = d.shape(), sides = b.shape();
  systems.pop_back();
  sides.erase(sides.end() - 2);
  const auto along = [](const Array& x) { return expand_dims(x, -1); };
  const Array number = iota(DType::kS32, {n}, 0), zero = Array::zeros(sides, b.dtype());

  const Array none = Array::zeros(systems, d.dtype());
  const Row rows{where(number == 0, 0, dl), d, where(number == n - 1, 0, du)};
  const auto [last, pivots] = ingot::scan(eliminate, Top{none + 1, none, real(none) + 1}, rows,
                                          {.axis = {axis, axis, axis}, .ys_axis = ScanAxes(axis)});

  const auto follow = [&](const Array& top, const Side& row) {
    const Array exchanged = along(row.exchanged);
    const Array pivot = where(exchanged, row.b, top);
    const Array next = where(exchanged, top, row.b) - along(row.factor) * pivot;
    return std::pair(Array(where(along(row.alone), row.b, next)), pivot);
  };
  const auto [last_b, pivot_b] =
      ingot::scan(follow, zero, Side{b, pivots.factor, pivots.exchanged, pivots.alone}, {.axis = axis});

  // Of the rows of U but the last two; of these the first one stands for itself, as lagtf leaves it out.
  const Array counts = (number > 0) & (number < n - 1);
  const auto greatest = [&](const Array& column) { return max(where(counts, abs(column), 0), -1); };
  const Array begin = maximum(abs(take(rows.d, Array(0), -1)), abs(take(rows.du, Array(0), -1)));
  const Array all = maximum(maximum(greatest(pivots.d), greatest(pivots.du)), greatest(pivots.du2));
  const bool wide = begin.dtype() == DType::kF64;
  const double eps = wide ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
  const double least = wide ? std::numeric_limits<double>::min() : std::numeric_limits<float>::min();
  const Array first = maximum(eps * maximum(maximum(all, begin), abs(last.d)), least);

  const auto divided = [&](const Array& row, const Array& by) {
    const auto [pivot, scale] = safe_pivot(by, row, first);
    const Array factor = scale.astype(row.dtype());
    return Array(row * along(factor) * along(1 / (pivot * factor)));
  };
  const auto back = [&](const Solved& x, const Eliminated& row) {
    const Array here = divided(row.b - along(row.du) * x.next - along(row.du2) * x.after, row.d);
    return std::pair(Solved{here, x.next}, x.next);
  };
  return ingot::scan(back, Solved{divided(last_b, last.d), zero},
                     Eliminated{pivot_b, pivots.d, pivots.du, pivots.du2}, {.axis = axis, .reverse = true})
      .second;
}

}  // namespace
}  // namespace perturbed

Array perturbed_solve(const Array& dl, const Array& d, const Array& du, const Array& b) {
  return perturbed::solve(dl, d, du, b);
}

}  // namespace ingot::detail
