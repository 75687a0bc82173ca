// What functions of matrices share: checks of arguments, and views.
#pragma once

#include <numeric>

#include "frontend/apply.h"

namespace ingot::detail {

inline void check_matrices(const char* name, const char* what, const Array& x,
                           const std::source_location& where) {
  checked_node(x, where);
  check_inexact(name, x, where);
  if (x.rank() < 2)
    fail(where, std::string(name) + ": " + what + " is " + x.type_string() +
                    ", but should be a matrix, or a batch of them in its last two dimensions");
}

inline void check_square(const char* name, const char* what, const Array& x,
                         const std::source_location& where) {
  check_matrices(name, what, x, where);
  if (x.shape(-1) != x.shape(-2))
    fail(where, std::string(name) + ": " + what + " is " + x.type_string() +
                    ", but should be square in its last two dimensions");
}

inline std::vector<int64_t> last_two_exchanged(int64_t rank) {
  std::vector<int64_t> order(static_cast<size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return order;
}

inline Array emit_adjoint(const Array& x, const std::source_location& where) {
  const Array turned = emit("transpose", {x}, {{"permutation", last_two_exchanged(x.rank())}}, where);
  return is_complex(x.dtype()) ? emit("conj", {turned}, {}, where) : turned;
}

inline Array emit_reshape(const Array& x, const Shape& shape, const std::source_location& where) {
  return x.shape() == shape ? x : emit("reshape", {x}, {{"shape", shape}}, where);
}

// (x + x^H) / 2.
inline Array emit_symmetric(const Array& x, const std::source_location& where) {
  return (x + emit_adjoint(x, where)) * 0.5;
}

}  // namespace ingot::detail
