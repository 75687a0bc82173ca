// Logarithms of the beta function, which lose nothing where an argument is large.
#pragma once

#include "ingot/array.h"

namespace ingot::detail {

// What lgamma has beyond (z - 1/2) log(z) - z + log(2 pi) / 2, of z from 8 on.
Array stirling_rest(const Array& z);
// log(|B(a, b)|).
Array log_beta(const Array& a, const Array& b);
// log(a B(a, b)) of arguments above 0: next to 0 for a small a, where log(a) and log(B(a, b)) are large and
// would cancel.
Array log_beta_times(const Array& a, const Array& b);

}  // namespace ingot::detail
