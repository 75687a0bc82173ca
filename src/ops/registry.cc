#include "ops/registry.h"

namespace ingot::ops {
namespace {

// The order in which the documentation lists them.
constexpr Records (*kFamilies[])() = {
    literal_records,    unary_records,          inverse_records,     special_records,     bits_records,
    binary_records,     compare_select_records, complex_records,     permute_records,     shape_records,
    pick_records,       join_records,           hold_records,        gather_records,      scatter_records,
    sort_records,       reduce_records,         contraction_records, convolution_records, control_records,
    branching_records,  linear_algebra_records, qr_records,          eigen_records,       fft_records,
    collective_records, custom_call_records,
};

// Records are constants that the compiler lays out, so that the order in which files are initialised is no
// matter.
[[maybe_unused]] const bool registered = (register_all(), true);

}  // namespace

void register_all() {
  static const bool once = [] {
    for (auto family : kFamilies) ir::register_records(family());
    return true;
  }();
  (void)once;
}

}  // namespace ingot::ops
