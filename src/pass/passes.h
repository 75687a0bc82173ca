// The passes, one per file. Their order is stated by the compiler's pipeline; this is only the list of what
// exists.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "pass/pass.h"

namespace ingot::pass {

std::unique_ptr<Pass> make_canonicalize();
std::unique_ptr<Pass> make_cse();
std::unique_ptr<Pass> make_dce();
std::unique_ptr<Pass> make_dedupe_functions();
std::unique_ptr<Pass> make_excess_precision();
std::unique_ptr<Pass> make_expand_fft();
std::unique_ptr<Pass> make_expand_lanes();
std::unique_ptr<Pass> make_fold();
std::unique_ptr<Pass> make_forget_derivatives();
std::unique_ptr<Pass> make_fuse();
std::unique_ptr<Pass> make_inline();
std::unique_ptr<Pass> make_join_alike();
std::unique_ptr<Pass> make_layout();
std::unique_ptr<Pass> make_online_softmax();
std::unique_ptr<Pass> make_padding();
std::unique_ptr<Pass> make_rotate_loops();
std::unique_ptr<Pass> make_row_blocks();
std::unique_ptr<Pass> make_select_branches();
std::unique_ptr<Pass> make_sort_keys();
std::unique_ptr<Pass> make_split_complex();
std::unique_ptr<Pass> make_split_joins();
std::unique_ptr<Pass> make_split_loops();
std::unique_ptr<Pass> make_step_slices();
std::unique_ptr<Pass> make_sum_in_steps();
std::unique_ptr<Pass> make_sum_products();
std::unique_ptr<Pass> make_views();
std::unique_ptr<Pass> make_widen_floats();

struct PassEntry {
  std::string_view name;
  std::unique_ptr<Pass> (*make)();
};

// All passes that can be asked for by name, sorted by name.
std::span<const PassEntry> all_passes();

// The passes of a comma-separated list, in its order. Throws ingot::Error for an unknown name.
PassList parse_pass_list(std::string_view names);

}  // namespace ingot::pass
