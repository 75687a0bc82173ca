// The one list of passes by name.

#include "ingot/error.h"
#include "ir/text_cursor.h"
#include "pass/passes.h"

namespace ingot::pass {
namespace {

constexpr PassEntry kPasses[] = {
    {"canonicalize", make_canonicalize},
    {"cse", make_cse},
    {"dce", make_dce},
    {"dedupe_functions", make_dedupe_functions},
    {"excess_precision", make_excess_precision},
    {"expand_fft", make_expand_fft},
    {"expand_lanes", make_expand_lanes},
    {"fold", make_fold},
    {"forget_derivatives", make_forget_derivatives},
    {"fuse", make_fuse},
    {"inline", make_inline},
    {"join_alike", make_join_alike},
    {"layout", make_layout},
    {"online_softmax", make_online_softmax},
    {"padding", make_padding},
    {"rotate_loops", make_rotate_loops},
    {"row_blocks", make_row_blocks},
    {"select_branches", make_select_branches},
    {"sort_keys", make_sort_keys},
    {"split_complex", make_split_complex},
    {"split_joins", make_split_joins},
    {"split_loops", make_split_loops},
    {"step_slices", make_step_slices},
    {"sum_in_steps", make_sum_in_steps},
    {"sum_products", make_sum_products},
    {"views", make_views},
    {"widen_floats", make_widen_floats},
};

std::unique_ptr<Pass> make_pass(std::string_view name) {
  std::vector<std::string_view> known;
  for (const PassEntry& entry : kPasses) {
    if (entry.name == name) return entry.make();
    known.push_back(entry.name);
  }
  std::string_view near = ir::nearest_word(name, known);
  std::string message = "there is no pass called '" + std::string(name) + "'";
  if (!near.empty()) throw Error(message + "; did you mean '" + std::string(near) + "'?");
  message += "; there are";
  for (std::string_view candidate : known) message += " " + std::string(candidate);
  throw Error(message);
}

}  // namespace

std::span<const PassEntry> all_passes() {
  return kPasses;
}

PassList parse_pass_list(std::string_view names) {
  PassList passes;
  while (!names.empty()) {
    size_t comma = std::min(names.find(','), names.size());
    passes.push_back(make_pass(names.substr(0, comma)));
    names.remove_prefix(std::min(comma + 1, names.size()));
  }
  return passes;
}

}  // namespace ingot::pass
