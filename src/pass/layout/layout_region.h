// Kernels and loops that see their operands and results with dimensions in another order, and what they cost.
//
// Nothing but types and views changes: a kernel that makes the value ends in a transpose, one that reads it
// transposes it back wherever it is used, and both are folded into its addresses.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/ir.h"
#include "kernel/candidates.h"
#include "pass/layout/layout_copies.h"

namespace ingot::pass {

// Fills the empty region `to` (of any function) with what the `fused` operation does on operands and results
// that lie in these orders. `map` receives the new value of each old one.
void reorder_region(const ir::Op& fused, const Orders& orders, ir::Region& to, ir::ValueMap& map);

// What operations cost under given orders, in the unit of kernel::running_price.
class LayoutPrices {
 public:
  LayoutPrices(const LayoutCopies& copies, kernel::Candidates& candidates);
  // Of a fused operation, or of the copies of slices that a loop makes. Infinite if there is no such kernel.
  kernel::RunningPrice of(const ir::Op& op, const Orders& orders);
  // Of what a fused operation does: equal ones do the same.
  uint64_t structure(const ir::Op& fused);

 private:
  struct Asked {  // equal kernels have equal prices, wherever they stand
    uint64_t region;
    std::vector<int64_t> orders;
    auto operator<=>(const Asked&) const = default;
  };
  kernel::RunningPrice price_kernel(const ir::Op& fused, const Orders& orders);

  const LayoutCopies* copies_;
  kernel::Candidates* candidates_;
  std::map<Asked, kernel::RunningPrice> by_question_;
  std::unordered_map<const ir::Op*, uint64_t> hashes_;
};

}  // namespace ingot::pass
