// The list of all operations.
#pragma once

#include <span>

#include "ir/op_record.h"

namespace ingot::ops {

using Records = std::span<const ir::OpRecord* const>;

// One per family, in its file.
Records literal_records();
Records unary_records();
Records bits_records();
Records inverse_records();
Records special_records();
Records binary_records();
Records compare_select_records();
Records complex_records();
Records permute_records();
Records shape_records();
Records pick_records();
Records join_records();
Records hold_records();
Records reduce_records();
Records contraction_records();
Records convolution_records();
Records control_records();
Records branching_records();
Records collective_records();
Records custom_call_records();
Records gather_records();
Records scatter_records();
Records sort_records();
Records linear_algebra_records();
Records fft_records();
Records qr_records();
Records eigen_records();

// Hands all records to the IR. Runs before main by itself; calling it again changes nothing.
void register_all();

}  // namespace ingot::ops
