// Batched programs against the loop that they stand for.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/ir.h"
#include "testing/tensors.h"
#include "transform/batch.h"

namespace ingot::testing {

// The slice of x at position `at` along `axis`, which is dropped; and slices put together again.
Tensor slice_at(const Tensor& x, int64_t axis, int64_t at);
Tensor stack(std::span<const Tensor> slices, int64_t axis);

struct BatchCheck {
  transform::Batch batch;
  std::vector<int64_t> argument_axes;  // Batched::kShared: the same for all
  std::vector<int64_t> wanted = {};    // of the results
  bool compile = false;                // also by machine code
};

// Batches the entry function of the module, runs it on random arguments, and compares with running the module
// for each element of the batch. Empty if they agree, else what differs.
std::string check_batched(const ir::Module& module, const BatchCheck& check, uint64_t seed);

}  // namespace ingot::testing
