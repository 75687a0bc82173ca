// Reductions that processors with registers for matrices do with all points of a tile at once: sums of
// products of bf16 at every point (m, n), stored in a local buffer, or added to what stands there. One
// operand has k along memory, the other one pairs of k interleaved, [k/2][n][2].
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "kernel/ir/kernel_ir.h"
#include "kernel/ir/target.h"
#include "kernel/ir/varying.h"

namespace ingot::kernel {

struct MatrixProduct {
  const Store* store = nullptr;
  int64_t sum_stride = 0;   // elements from one row of sums to the next
  bool accumulate = false;  // what stands there is added
  size_t count = 0;         // statements behind the reduction that belong to it
  const Load *row = nullptr, *panel = nullptr;
  int64_t row_stride = 0, panel_stride = 0;  // elements, of the panel from one pair of k to the next
  std::vector<const Prefetch*> prefetches;
  int dim = 0;                   // of the tile
  int64_t depth = 0, steps = 0;  // points of k that one product takes, and how many of them
  int64_t down = 0, across = 0;  // matrices of sums
};

// Of the reduction at that place of the block and what stands behind it, where `columns` points run side by
// side on the lanes of the loop open[0], and tile loops are open by their dimensions.
std::optional<MatrixProduct> matrix_product(const Kernel& kernel, const Varying& varying, const Block& block,
                                            size_t at, const std::array<const Loop*, kMaxDims>& open,
                                            int64_t columns, const MatrixTiles& tiles);

}  // namespace ingot::kernel
