// Windows for signals: numbers that fall off towards both ends, as numpy and jax.numpy give them.
#include <numbers>

#include "frontend/compose.h"
#include "ingot/creation.h"
#include "ingot/special.h"

namespace ingot {
namespace {

// The window at the places 0 .. count-1 as parts of the way from one end to the other.
Array signal_window(const char* name, int64_t count, const std::source_location& where,
                    const std::function<Array(const Array& part)>& formula) {
  const CallerScope caller(where, name);
  if (count < 0)
    detail::fail(where, "the number of elements is " + std::to_string(count) + "; it should be 0 or more");
  if (count <= 1) return Array::ones({count}, DType::kF32, where);
  return detail::apply(name, {}, {count}, where, [&](const std::vector<Array>&) {
    return formula(iota(DType::kF32, {count}, 0) / static_cast<double>(count - 1));
  });
}

Array waves(const Array& part, int turns) {
  return cos(2 * std::numbers::pi * turns * part);
}

}  // namespace

Array hanning(int64_t count, Where where) {
  return signal_window("hanning", count, where, [](const Array& p) { return 0.5 - 0.5 * waves(p, 1); });
}
Array hamming(int64_t count, Where where) {
  return signal_window("hamming", count, where, [](const Array& p) { return 0.54 - 0.46 * waves(p, 1); });
}
Array blackman(int64_t count, Where where) {
  return signal_window("blackman", count, where,
                       [](const Array& p) { return 0.42 - 0.5 * waves(p, 1) + 0.08 * waves(p, 2); });
}
Array bartlett(int64_t count, Where where) {
  return signal_window("bartlett", count, where, [](const Array& p) { return 1 - abs(2 * p - 1); });
}
// i0 of both is scaled by its exponential, so that a large beta does not overflow.
Array kaiser(int64_t count, const Operand& beta) {
  const std::source_location& where = beta.where();
  const CallerScope caller(where, "kaiser");
  if (count < 0)
    detail::fail(where, "the number of elements is " + std::to_string(count) + "; it should be 0 or more");
  const Array steep =
      beta.is_literal() ? astype(beta, DType::kF32) : detail::floating(detail::checked_array(beta));
  if (steep.rank() != 0 || !is_float(steep.dtype()))
    detail::fail(where, "beta is a " + steep.type_string() + ", but should be a real number");
  if (count <= 1) return Array::ones({count}, steep.dtype(), where);
  return detail::apply("kaiser", {steep}, {count}, where, [&](const std::vector<Array>& given) {
    const Array from_start = iota(detail::places_dtype(count), {count}, 0).astype(given[0].dtype());
    const Array place = 2 * (from_start / static_cast<double>(count - 1)) - 1;
    const Array there = given[0] * sqrt(maximum(1 - place * place, 0));
    return i0e(there) / i0e(given[0]) * exp(abs(there) - abs(given[0]));
  });
}

}  // namespace ingot
