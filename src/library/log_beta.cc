#include "library/log_beta.h"

#include <iterator>

#include "ingot/elementwise.h"

namespace ingot {

Array detail::stirling_rest(const Array& z) {
  constexpr double kTerms[] = {1. / 12,   -1. / 360,      1. / 1260, -1. / 1680,
                               1. / 1188, -691. / 360360, 1. / 156};
  const Array inverse = 1 / z, square = inverse * inverse;
  Array sum = inverse * 0;
  for (size_t i = z.dtype() == DType::kF64 ? std::size(kTerms) : 3; i-- > 0;) sum = sum * square + kTerms[i];
  return sum * inverse;
}

namespace {

using detail::stirling_rest;

// lgamma(more) - lgamma(less + more). Where the greater one is large, and the sum not much less, the two are
// as good as equal, and the difference is taken term by term.
Array lgamma_difference(const Array& less, const Array& more) {
  const Array far = (more >= 8) & (less + more >= 8) & (less >= -0.5 * more), large = where(far, more, 8),
              small = where(far, less, 1);
  const Array sum = small + large;
  const Array difference = small - (large - 0.5) * log1p(small / large) - small * log(sum) +
                           (stirling_rest(large) - stirling_rest(sum));
  return where(far, difference, lgamma(more) - lgamma(less + more));
}

}  // namespace

// By `where`, since the derivatives of the lesser one of two equal numbers are half in each.
Array detail::log_beta(const Array& a, const Array& b) {
  const Array less = where(a <= b, a, b);
  return lgamma(less) + lgamma_difference(less, where(a <= b, b, a));
}

Array detail::log_beta_times(const Array& a, const Array& b) {
  const Array less = where(a <= b, a, b);
  return where(a <= b, lgamma(less + 1), lgamma(less) + log(a)) +
         lgamma_difference(less, where(a <= b, b, a));
}

}  // namespace ingot
