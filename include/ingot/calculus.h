// Differences, sums and products along axes: numbers on lines and grids, vectors, polynomials.
#pragma once

#include "ingot/functions.h"

namespace ingot {

struct DiffOptions {
  detail::ByName by_name = detail::ByName();
  Optional<Operand> prepend = {}, append = {};  // more elements at the ends, which broadcast
};
// Differences of neighbours, n times. Of preds: whether they differ.
Array diff(const Operand& x, int64_t n = 1, Axis axis = -1, const DiffOptions& options = {});
Array ediff1d(const Operand& x);  // of all elements, in row-major order
// The slope by differences to both sides, at the ends to one. `spacing` is the distance of elements, or a
// vector of their coordinates. Error for an axis with less than two elements, and for several axes of which
// none is named.
Array gradient(const Operand& x, const Operand& spacing = 1);
Array gradient(const Operand& x, const Operand& spacing, Axis axis);
// The integral by trapezoids; `spacing` as above, or coordinates of the shape of y. cumulative_trapezoid
// (scipy) is one element shorter.
Array trapezoid(const Operand& y, const Operand& spacing = 1, Axis axis = -1);
Array cumulative_trapezoid(const Operand& y, const Operand& spacing = 1, Axis axis = -1);
struct InterpOptions {
  detail::ByName by_name = detail::ByName();
  Optional<double> left = {}, right = {};  // beyond the ends; by default the values there
  Optional<double> period = {};            // of xp, in any order; its sign says nothing
};
// The line through the points (xp, fp) at x; xp ascends.
Array interp(const Operand& x, const Operand& xp, const Operand& fp, const InterpOptions& options = {});
// Angles without jumps: multiples of the period are added where a step is larger than half of it.
Array unwrap(const Operand& x, Axis axis = -1, double period = 6.283185307179586);

enum class ConvolveMode { kFull, kSame, kValid };
// Sums of products of two vectors that slide along each other, the second one backwards for convolve. Floats,
// of integers too.
Array convolve(const Operand& x, const Operand& y, ConvolveMode mode = ConvolveMode::kFull);
Array correlate(const Operand& x, const Operand& y, ConvolveMode mode = ConvolveMode::kValid);

Array cross(const Operand& x, const Operand& y, Axis axis = -1);  // of vectors of 3 or 2 elements
Array kron(const Operand& x, const Operand& y);
Array inner(const Operand& x, const Operand& y);  // of the last axes
Array vecdot(const Operand& x, const Operand& y, Axis axis = -1);

// --- polynomials: coefficients, that of the greatest power first ---
Array polyval(const Operand& p, const Operand& x);
struct PolyfitOptions {
  detail::ByName by_name = detail::ByName();
  Optional<double> rcond = {};  // by default len(x) eps
  Optional<Array> weights = {};
};
// The polynomial of that degree with the least squares of distances, for x of [n] and y of [n] or [n, k].
Array polyfit(const Operand& x, const Operand& y, int64_t degree, const PolyfitOptions& options = {});
Array polyadd(const Operand& p, const Operand& q);
Array polysub(const Operand& p, const Operand& q);
Array polymul(const Operand& p, const Operand& q);
Array polyder(const Operand& p, int64_t times = 1);
Array polyint(const Operand& p, int64_t times = 1);  // constants of integration are 0
// Complex. Coefficients that are 0 in front are left out; in a program, which does not see them, they make
// all NaN.
Array roots(const Operand& p);

}  // namespace ingot
