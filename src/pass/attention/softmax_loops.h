// The loops that an attention becomes (online_softmax.cc says why).
#pragma once

#include "kernel/candidates.h"
#include "pass/attention/find_attention.h"

namespace ingot::pass {

// A loop over the indices of a dimension of the batch. Returns the contraction of one step, again an
// attention.
ir::Op* loop_over_batch(const Attention& found, int64_t dim);
// A loop over blocks of keys, with the maximum, the sum and the result so far; what is left over is a loop of
// one step. With candidates the loop is to be one kernel: false, and nothing is done, if it cannot be.
bool loop_over_keys(const Attention& found, int64_t block, kernel::Candidates* candidates);

}  // namespace ingot::pass
