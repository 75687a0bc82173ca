// Transforms of a few elements, each an array of its own, written out.
#pragma once

#include <vector>

#include "pass/numbers/fft_writer.h"

namespace ingot::pass {

// y[k] = sum over j of x[j] exp(-2 pi i j k / n).
std::vector<Parts> small_dft(FftWriter& writer, std::vector<Parts> x);

}  // namespace ingot::pass
