// The discrete Fourier transform as the reference semantics compute it: plainly, in the next wider type.
#pragma once

#include <complex>
#include <span>

namespace ingot::ops {

// y[k] = sum over j of x[j] exp(-+ 2 pi i j k / n), without a factor, in the place of x.
template <class Real>
void transform_in_place(std::span<std::complex<Real>> x, bool inverse);

extern template void transform_in_place(std::span<std::complex<double>>, bool);
extern template void transform_in_place(std::span<std::complex<long double>>, bool);

}  // namespace ingot::ops
