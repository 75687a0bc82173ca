// What is made of decompositions, as array programs: pseudo-inverses, ranks, norms, least squares, powers.
#include <bit>
#include <cmath>
#include <limits>

#include "frontend/compose.h"
#include "ingot/autodiff.h"
#include "ingot/linalg.h"
#include "library/matrices.h"
#include "library/rules_by_value.h"

namespace ingot {
namespace {

using detail::check_matrices;
using detail::check_square;
using detail::emit_adjoint;
using detail::fail;

double epsilon_of(DType dtype) {
  return std::ldexp(1.0, 1 - significant_bits(real_dtype(dtype)));
}

int64_t word(double number) {
  return std::bit_cast<int64_t>(number);
}

double greater_extent(const Array& a) {
  return static_cast<double>(std::max(a.shape(-1), a.shape(-2)));
}

Array adjoint(const Array& x) {
  const Array turned = swapaxes(x, -1, -2);
  return is_complex(x.dtype()) ? conj(turned) : turned;
}

Array squares(const Array& x) {
  return is_complex(x.dtype()) ? real(x) * real(x) + imag(x) * imag(x) : x * x;
}

// --- pinv

Array pinv_value(const Array& a, double rtol) {
  const Svd parts = svd(a, {.full_matrices = false});
  const Array cutoff = slice_axis(parts.s, -1, 0, 1) * rtol;
  const Array s = where(parts.s > cutoff, parts.s, std::numeric_limits<double>::infinity()).astype(a.dtype());
  return matmul(adjoint(parts.vh), adjoint(parts.u) / expand_dims(s, -1));
}

// Its derivative is a formula of itself; a rule cannot ask for the function whose rule it is, so it holds the
// function with one order less.
constexpr int kPinvOrders = 3;
Array pinv_of(const Array& a, double rtol, int orders) {
  if (orders == 0) return pinv_value(a, rtol);
  const auto rule = [rtol, orders](const std::tuple<Array>& at, const std::tuple<Array>& tangent) {
    const Array &x = std::get<0>(at), &dx = std::get<0>(tangent);
    const Array p = pinv_of(x, rtol, orders - 1), ph = adjoint(p), dh = adjoint(dx);
    if (x.shape(-2) >= x.shape(-1)) {
      const Array s = matmul(matmul(p, ph), dh), t = matmul(matmul(dh, ph), p);
      return std::pair(p,
                       s - matmul(matmul(p, dx), p) - matmul(matmul(s, x), p) + t - matmul(matmul(p, x), t));
    }
    const Array s = matmul(p, matmul(ph, dh)), t = matmul(dh, matmul(ph, p));
    return std::pair(p, s - matmul(p, matmul(dx, p)) - matmul(s, matmul(x, p)) + t - matmul(p, matmul(x, t)));
  };
  return detail::custom_jvp_by_value([rtol](Array x) { return pinv_value(x, rtol); }, rule)(a);
}

// --- norms

struct NormForm {
  NormOrder order;
  std::vector<int64_t> axes;  // none: all, whatever the rank
  bool keepdims;
};

std::vector<int64_t> with_axes_last(int64_t rank, int64_t row, int64_t column) {
  std::vector<int64_t> order;
  for (int64_t i = 0; i < rank; ++i) {
    if (i != row && i != column) order.push_back(i);
  }
  order.insert(order.end(), {row, column});
  return order;
}

// The greatest of magnitudes; 0 where there are none.
Array greatest(const Array& sizes, int64_t axis, bool keepdims) {
  return sizes.shape(axis) == 0 ? sum(sizes, axis, keepdims) : max(sizes, axis, keepdims);
}

Array vector_norm(const Array& x, double p, int64_t axis, bool keepdims) {
  if (p == 2) return sqrt(sum(squares(x), axis, keepdims));
  const Array sizes = abs(x);
  if (p == std::numeric_limits<double>::infinity()) return greatest(sizes, axis, keepdims);
  if (p == -std::numeric_limits<double>::infinity()) return min(sizes, axis, keepdims);
  if (p == 0) return sum((x != 0).astype(sizes.dtype()), axis, keepdims);
  if (p == 1) return sum(sizes, axis, keepdims);
  return pow(sum(pow(sizes, p), axis, keepdims), 1 / p);
}

Array matrix_norm(const Array& x, const NormForm& form) {
  const int64_t row = form.axes[0], column = form.axes[1];
  const NormOrder::Kind kind = form.order.kind();
  if (kind == NormOrder::Kind::kDefault || kind == NormOrder::Kind::kFrobenius)
    return sqrt(sum(squares(x), Axes(form.axes), form.keepdims));
  const double p = form.order.p();
  Array result = x;
  if (kind == NormOrder::Kind::kNumber && std::abs(p) != 2) {
    const bool of_columns = std::abs(p) == 1;
    const int64_t summed = of_columns ? row : column, compared = of_columns ? column : row;
    const Array sums = sum(abs(x), summed, true);
    result = p > 0 ? greatest(sums, compared, true) : min(sums, compared, true);
    return form.keepdims ? result : squeeze(result, Axes(form.axes));
  }
  const Array s = svdvals(transpose(x, with_axes_last(x.rank(), row, column)));
  result = kind == NormOrder::Kind::kNuclear ? sum(s, -1) : p > 0 ? greatest(s, -1, false) : min(s, -1);
  return form.keepdims ? expand_dims(result, Axes(form.axes)) : result;
}

void check_matrix_order(const char* name, const NormOrder& order, const std::source_location& where) {
  if (order.kind() != NormOrder::Kind::kNumber) return;
  const double p = std::abs(order.p());
  if (p != 1 && p != 2 && p != std::numeric_limits<double>::infinity())
    fail(where, std::string(name) + ": the order is " + std::to_string(order.p()) +
                    ", but of matrices it should be 1, 2, infinity, one of their negatives, or "
                    "NormOrder::frobenius() or nuclear()");
}

NormForm checked_norm(const Array& x, const NormOptions& options, const std::source_location& where) {
  NormForm form{options.order, {}, options.keepdims};
  if (!options.axes.get() && options.order.kind() == NormOrder::Kind::kDefault) return form;
  // In the order that is given: rows first.
  std::vector<int64_t> given;
  if (options.axes.get()) {
    detail::checked_axes("norm", options.axes, x.rank(), where);
    for (int64_t axis : *options.axes.get()) given.push_back(axis < 0 ? axis + x.rank() : axis);
  } else {
    for (int64_t axis = 0; axis < x.rank(); ++axis) given.push_back(axis);
  }
  if (given.size() != 1 && given.size() != 2)
    fail(where, "norm: there are " + std::to_string(given.size()) + " axes of " + x.type_string() +
                    ", but should be one, for norms of vectors, or two, for norms of matrices");
  const NormOrder::Kind kind = options.order.kind();
  if (given.size() == 2) {
    check_matrix_order("norm", options.order, where);
  } else if (kind == NormOrder::Kind::kFrobenius || kind == NormOrder::Kind::kNuclear) {
    fail(where, "norm: there is one axis, but the Frobenius and the nuclear norm are of matrices: name two");
  }
  form.axes = given;
  return form;
}

Array norm_of(const Array& x, const NormForm& form) {
  if (form.axes.empty()) return sqrt(sum(squares(x), Axes(), form.keepdims));
  if (form.axes.size() == 2) return matrix_norm(x, form);
  return vector_norm(x, form.order.kind() == NormOrder::Kind::kNumber ? form.order.p() : 2, form.axes[0],
                     form.keepdims);
}

}  // namespace

Array pinv(const Operand& a, const PinvOptions& options) {
  const std::source_location& where = a.where();
  const CallerScope caller(where, "pinv");
  const Array array = a.array();
  check_matrices("pinv", "a", array, where);
  const double rtol = options.rtol.value_or(10 * greater_extent(array) * epsilon_of(array.dtype()));
  if (std::isnan(rtol))
    fail(where, "pinv: rtol, the part of the greatest singular value below which one is 0, is NaN");
  return detail::apply("pinv", {array}, {word(rtol)}, where, [&](const std::vector<Array>& given) {
    const Array& x = given[0];
    if (element_count(x.shape()) != 0) return pinv_of(x, rtol, kPinvOrders);
    Shape shape = x.shape();
    std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
    return Array::zeros(shape, x.dtype());
  });
}

Array matrix_rank(const Operand& a, const RankOptions& options) {
  const std::source_location& where = a.where();
  const CallerScope caller(where, "matrix_rank");
  const Array array = a.array();
  check_matrices("matrix_rank", "a", array, where);
  const double least = greater_extent(array) * epsilon_of(array.dtype());
  const std::vector<int64_t> words = {options.tolerance.has_value(), word(options.tolerance.value_or(0))};
  return detail::apply("matrix_rank", {array}, words, where, [&](const std::vector<Array>& given) {
    const Array s = svdvals(given[0]);
    if (s.shape(-1) == 0) return sum(s, -1).astype(DType::kS32);
    if (options.tolerance) return sum(s > *options.tolerance, -1);
    return sum(s > max(s, -1, true) * least, -1);
  });
}

Array norm(const Operand& x, const NormOptions& options) {
  const std::source_location& where = x.where();
  const CallerScope caller(where, "norm");
  const Array array = detail::floating(detail::checked_array(x));
  const NormForm form = checked_norm(array, options, where);
  std::vector<int64_t> words = form.axes;
  words.insert(words.end(), {form.keepdims, static_cast<int64_t>(form.order.kind()), word(form.order.p())});
  return detail::apply("norm", {array}, words, where,
                       [&](const std::vector<Array>& given) { return norm_of(given[0], form); });
}
Array norm(const Operand& x, const char* order, const Axes& axes, KeepDims keepdims) {
  const CallerScope caller(x.where(), "norm");
  const std::string_view name = order;
  if (name != "fro" && name != "nuc")
    detail::fail(x.where(),
                 "the order is \"" + std::string(name) + "\", but should be a number, \"fro\" or \"nuc\"");
  return norm(x, name == "fro" ? NormOrder::frobenius() : NormOrder::nuclear(), axes, keepdims);
}

Array cond(const Operand& a, const NormOrder& order) {
  const std::source_location& where = a.where();
  const CallerScope caller(where, "cond");
  const Array array = a.array();
  check_matrices("cond", "a", array, where);
  if (element_count(array.shape()) == 0)
    fail(where, "cond: a is " + array.type_string() + ", but should have elements");
  const bool by_values = order.kind() == NormOrder::Kind::kDefault ||
                         (order.kind() == NormOrder::Kind::kNumber && std::abs(order.p()) == 2);
  if (!by_values) {
    check_square("cond", "a", array, where);
    check_matrix_order("cond", order, where);
  }
  const std::vector<int64_t> words = {static_cast<int64_t>(order.kind()), word(order.p())};
  return detail::apply("cond", {array}, words, where, [&](const std::vector<Array>& given) {
    const Array& x = given[0];
    if (by_values) {
      const Array s = svdvals(x);
      const Array first = index_axis(s, -1, 0), last = index_axis(s, -1, s.shape(-1) - 1);
      if (order.p() > 0) return first / last;
      const Array quotient = last / first;
      const Array given_nan = any(abs(x) != abs(x), {-2, -1});
      return ingot::where((quotient != quotient) & logical_not(given_nan),
                          std::numeric_limits<double>::infinity(), quotient);
    }
    const NormForm form{order, {x.rank() - 2, x.rank() - 1}, false};
    const Array product = norm_of(x, form) * norm_of(inv(x), form);
    const Array given_nan = any(abs(x) != abs(x), {-2, -1});
    return ingot::where((product != product) & logical_not(given_nan),
                        std::numeric_limits<double>::infinity(), product);
  });
}

Lstsq lstsq(const Operand& a, const Operand& b, const LstsqOptions& options) {
  const std::source_location& where = a.where();
  const CallerScope caller(where, "lstsq");
  const std::vector<Array> arrays = detail::same_dtype("lstsq", {a, b}, where);
  check_matrices("lstsq", "a", arrays[0], where);
  const std::string types = "lstsq: a is " + arrays[0].type_string() + " and b is " + arrays[1].type_string();
  if (arrays[0].rank() != 2 || (arrays[1].rank() != 1 && arrays[1].rank() != 2))
    fail(where, types + ", but a should be a matrix, and b a vector or a matrix; vmap makes batches of them");
  if (arrays[0].shape(0) != arrays[1].shape(0))
    fail(where, types + ", but both should have the same number of rows");
  const bool vector = arrays[1].rank() == 1;
  double rcond = options.rcond.value_or(greater_extent(arrays[0]) * epsilon_of(arrays[0].dtype()));
  if (rcond < 0) rcond = epsilon_of(arrays[0].dtype());
  const std::vector<Array> results =
      detail::apply_all("lstsq", arrays, where, [&](const std::vector<Array>& given) {
        const Array& x = given[0];
        const Array sides = vector ? expand_dims(given[1], 1) : given[1];
        const DType dtype = x.dtype();
        const auto residuals = [&](const Array& solution) {
          return sum(squares(sides - dot(x, solution)), 0);
        };
        const auto shaped = [&](const Array& solution) { return vector ? squeeze(solution, 1) : solution; };
        if (element_count(x.shape()) == 0) {
          const Array none = Array::zeros({x.shape(1), sides.shape(1)}, dtype);
          return std::vector<Array>{shaped(none), residuals(none), Array::zeros({}, DType::kS32),
                                    Array::zeros({0}, real_dtype(dtype))};
        }
        const Svd parts = svd(x, {.full_matrices = false});
        const Array kept = (parts.s > 0) & (parts.s >= index_axis(parts.s, 0, 0) * rcond);
        const Array inverse = ingot::where(kept, 1 / ingot::where(kept, parts.s, 1), 0).astype(dtype);
        const Array solution = dot(adjoint(parts.vh), expand_dims(inverse, 1) * dot(adjoint(parts.u), sides));
        return std::vector<Array>{shaped(solution), residuals(solution), sum(kept), parts.s};
      });
  return {results[0], results[1], results[2], results[3]};
}

Array matrix_power(const Operand& a, int64_t n) {
  const std::source_location& where = a.where();
  const CallerScope caller(where, "matrix_power");
  const Array array = a.array();
  check_square("matrix_power", "a", array, where);
  return detail::apply("matrix_power", {array}, {n}, where, [&](const std::vector<Array>& given) {
    Array square = n < 0 ? inv(given[0]) : given[0];
    if (n == 0) {
      const auto places = [&](int64_t axis) { return iota(DType::kS32, square.shape(), axis); };
      return (places(square.rank() - 2) == places(square.rank() - 1)).astype(square.dtype());
    }
    std::optional<Array> result;
    for (uint64_t left = n < 0 ? 0 - static_cast<uint64_t>(n) : static_cast<uint64_t>(n); left > 0;) {
      if ((left & 1) != 0) result = result ? matmul(*result, square) : square;
      left >>= 1;
      if (left > 0) square = matmul(square, square);
    }
    return *result;
  });
}

Array multi_dot(const Operands& list) {
  const std::source_location& where = list.where();
  const CallerScope caller(where, "multi_dot");
  if (list.items().size() < 2) fail(where, "multi_dot: takes two arrays or more");
  const std::vector<Array> arrays = detail::same_dtype("multi_dot", list.items(), where);
  const size_t count = arrays.size();
  std::vector<double> extents;
  for (size_t i = 0; i < count; ++i) {
    const Array& x = arrays[i];
    const bool end = i == 0 || i + 1 == count;
    if (x.rank() != 2 && !(end && x.rank() == 1))
      fail(where, "multi_dot: array " + std::to_string(i) + " is " + x.type_string() +
                      ", but should be a matrix; only the first and the last one may be vectors");
    if (i > 0 && arrays[i - 1].shape(-1) != x.shape(0))
      fail(where, "multi_dot: array " + std::to_string(i - 1) + " is " + arrays[i - 1].type_string() +
                      " and array " + std::to_string(i) + " is " + x.type_string() +
                      ", but the columns of one should be as many as the rows of the next");
    extents.push_back(x.rank() == 1 && i == 0 ? 1 : static_cast<double>(x.shape(0)));
  }
  extents.push_back(arrays.back().rank() == 1 ? 1 : static_cast<double>(arrays.back().shape(-1)));
  // The cheapest way to make the product of arrays i to j: where it is cut (Cormen et al., matrix chains).
  std::vector<std::vector<double>> cost(count, std::vector<double>(count, 0));
  std::vector<std::vector<size_t>> cut(count, std::vector<size_t>(count, 0));
  for (size_t length = 2; length <= count; ++length) {
    for (size_t i = 0; i + length <= count; ++i) {
      const size_t j = i + length - 1;
      cost[i][j] = std::numeric_limits<double>::infinity();
      for (size_t k = i; k < j; ++k) {
        const double whole = cost[i][k] + cost[k + 1][j] + extents[i] * extents[k + 1] * extents[j + 1];
        if (whole < cost[i][j]) cost[i][j] = whole, cut[i][j] = k;
      }
    }
  }
  return detail::apply("multi_dot", arrays, {}, where, [&](const std::vector<Array>& given) {
    const auto product = [&](const auto& self, size_t i, size_t j) -> Array {
      if (i == j) return given[i];
      return dot(self(self, i, cut[i][j]), self(self, cut[i][j] + 1, j));
    };
    return product(product, 0, count - 1);
  });
}

}  // namespace ingot
