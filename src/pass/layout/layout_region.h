// Kernels and loops that see their operands and results with dimensions in another order, and what they cost.
//
// Nothing but types and views changes: a kernel that makes the value ends in a transpose, one that reads it
// transposes it back wherever it is used, and both are folded into its addresses.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/ir.h"
#include "kernel/cost/price.h"
#include "kernel/ir/kernel_ir.h"
#include "kernel/ir/target.h"
#include "pass/layout/layout_copies.h"

namespace ingot::pass {

// Fills the empty region `to` (of any function) with what the `fused` operation does on operands and results
// that lie in these orders. `map` receives the new value of each old one.
void reorder_region(const ir::Op& fused, const Orders& orders, ir::Region& to, ir::ValueMap& map);

// A machine of a common kind, not the one at hand: programs are the same on all of them.
kernel::Target common_machine();

// What operations cost under given orders, in the unit of kernel::running_price.
class LayoutPrices {
 public:
  explicit LayoutPrices(const LayoutCopies& copies);
  ~LayoutPrices();
  // Of a fused operation, or of the copies of slices that a loop makes. Infinite if there is no such kernel.
  kernel::RunningPrice of(const ir::Op& op, const Orders& orders);

 private:
  struct Asked {  // equal kernels have equal prices, wherever they stand
    uint64_t region;
    std::vector<int64_t> orders;
    auto operator<=>(const Asked&) const = default;
  };
  kernel::RunningPrice price_kernel(const ir::Op& fused, const Orders& orders);

  const LayoutCopies* copies_;
  kernel::Target target_;
  std::unique_ptr<ir::Module> module_;  // of functions that are only priced
  std::unordered_map<std::string, kernel::RunningPrice> by_form_;
  std::map<Asked, kernel::RunningPrice> by_question_;
  std::unordered_map<const ir::Op*, uint64_t> hashes_;
};

}  // namespace ingot::pass
