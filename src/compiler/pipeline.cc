#include "compiler/pipeline.h"

#include "pass/passes.h"

namespace ingot::compiler {

pass::PassList pipeline() {
  pass::PassList list;
  // Nothing is differentiated from here on.
  list.push_back(pass::make_forget_derivatives());
  // Less to look at first: dead code goes, equal functions become one, and so do equal calls; small
  // functions, and those that are called once, join their callers.
  list.push_back(pass::make_dce());
  list.push_back(pass::make_dedupe_functions());
  list.push_back(pass::make_cse());
  list.push_back(pass::make_inline());
  // What a loop of the host has written many times stands there once.
  list.push_back(pass::make_join_alike());
  list.push_back(pass::make_sort_keys());
  // Algebra, and the constants and equalities that it uncovers.
  list.push_back(pass::make_canonicalize());
  list.push_back(pass::make_fold());
  list.push_back(pass::make_cse());
  // Loops go through arrays by their own step, where they do.
  list.push_back(pass::make_step_slices());
  // What is left of branches that constants decide about is small by now, and so are the regions of one lane:
  // all lanes at once from here on, and selects for branches that are cheap. What that makes is algebra
  // again.
  list.push_back(pass::make_expand_lanes());
  list.push_back(pass::make_select_branches());
  // Views move out of the way of arithmetic, which lets some identities apply that could not before.
  list.push_back(pass::make_views());
  list.push_back(pass::make_canonicalize());
  list.push_back(pass::make_cse());
  list.push_back(pass::make_dce());
  // Kernels know real numbers only.
  list.push_back(pass::make_split_complex());
  // Kernels compute in f32 what is f16 or bf16.
  list.push_back(pass::make_widen_floats());
  // Squares that need not exist do not; what the blocks repeat is dead outside of them.
  list.push_back(pass::make_row_blocks());
  list.push_back(pass::make_dce());
  list.push_back(pass::make_online_softmax());
  // Predicates are looked at for the last time where they stand by themselves; what they share with the steps
  // of their loops is found behind this.
  list.push_back(pass::make_rotate_loops());
  // Transforms become kernels, and arithmetic around them.
  list.push_back(pass::make_expand_fft());
  list.push_back(pass::make_canonicalize());
  list.push_back(pass::make_cse());
  list.push_back(pass::make_dce());
  // What remains becomes kernels.
  list.push_back(pass::make_sum_products());
  list.push_back(pass::make_split_loops());
  list.push_back(pass::make_sum_in_steps());
  list.push_back(pass::make_split_joins());
  // The halves of a loop keep what only the other one needs; what is judged below shall be what is run.
  list.push_back(pass::make_dce());
  list.push_back(pass::make_fuse());
  list.push_back(pass::make_excess_precision());
  list.push_back(pass::make_dce());
  // What travels between them lies in memory as they like it.
  list.push_back(pass::make_layout());
  list.push_back(pass::make_padding());
  list.push_back(pass::make_dedupe_functions());
  return list;
}

}  // namespace ingot::compiler
