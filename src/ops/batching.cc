#include "ops/batching.h"

#include <algorithm>

namespace ingot::ops {

IntList batched_dims(const IntList& dims, int64_t axis) {
  IntList result;
  for (int64_t dim : dims) result.push_back(batched_dim(dim, axis));
  return result;
}

IntList with_entry(IntList list, int64_t axis, int64_t entry) {
  list.insert(list.begin() + axis, entry);
  return list;
}

Value* with_batch_at(Batcher& batcher, const Batched& x, int64_t axis) {
  if (x.axis == axis) return x.value;
  IntList dims;
  if (x.shared()) {
    for (int64_t d = 0; d < x.value->rank(); ++d) dims.push_back(batched_dim(d, axis));
    const Shape shape = batched_shape(x.value->shape(), axis, batcher);
    return batcher.make("broadcast", {x.value}, {{"shape", shape}, {"dims", dims}})->result();
  }
  for (int64_t d = 0; d < x.value->rank(); ++d) {
    if (d != x.axis) dims.push_back(d);
  }
  return batcher.make("transpose", {x.value}, {{"permutation", with_entry(dims, axis, x.axis)}})->result();
}

std::vector<int64_t> axes_of(std::span<const Batched> operands) {
  std::vector<int64_t> axes;
  for (const Batched& x : operands) axes.push_back(x.axis);
  return axes;
}

int64_t first_batch_axis(std::span<const Batched> operands) {
  for (const Batched& x : operands) {
    if (!x.shared()) return x.axis;
  }
  return 0;
}

Batches batch_elementwise(const Op& op, std::span<const Batched> x, Batcher& batcher) {
  const int64_t axis = first_batch_axis(x);
  std::vector<Value*> operands;
  for (const Batched& operand : x) operands.push_back(with_batch_at(batcher, operand, axis));
  return {{batcher.make(op.name(), operands, op.attributes())->result(), axis}};
}

}  // namespace ingot::ops
