// What batching rules share: where dimensions stand once one element has become a batch of them.
//
// A rule never moves the batch dimension without need: it follows the one of the operands, and only where two
// operands disagree is one of them transposed, which is a view.
#pragma once

#include "ops/support.h"

namespace ingot::ops {

using ir::Batched;
using ir::Batcher;
using Batches = std::vector<Batched>;

// Where dimension `dim` of one element stands in a value with the batch along `axis`.
constexpr int64_t batched_dim(int64_t dim, int64_t axis) {
  return axis != Batched::kShared && dim >= axis ? dim + 1 : dim;
}
IntList batched_dims(const IntList& dims, int64_t axis);

// `list` has an entry for each dimension of one element: with one more, for the batch.
IntList with_entry(IntList list, int64_t axis, int64_t entry);
inline Shape batched_shape(const Shape& shape, int64_t axis, const Batcher& batcher) {
  return with_entry(shape, axis, batcher.size());
}

// The value with the batch along `axis`: broadcast if it is shared, transposed if the batch is elsewhere.
Value* with_batch_at(Batcher& batcher, const Batched& x, int64_t axis);
std::vector<int64_t> axes_of(std::span<const Batched> operands);
// The axis of the first operand that is batched; 0 if none is.
int64_t first_batch_axis(std::span<const Batched> operands);

// Operations whose operands and results have one shape.
Batches batch_elementwise(const Op& op, std::span<const Batched> x, Batcher& batcher);

}  // namespace ingot::ops
