// Kernels and loops that see their operands and results with dimensions in another order, and what they cost.
//
// An order says how a value lies in memory: dimension i of what is stored is dimension order[i] of the value.
// Nothing but types and views changes: a kernel that makes the value ends in a transpose, one that reads it
// transposes it back wherever it is used, and both are folded into its addresses.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/ir.h"
#include "kernel/kernel_ir.h"
#include "kernel/price.h"

namespace ingot::pass {

using Order = ir::IntList;
using Orders = std::unordered_map<const ir::Value*, Order>;  // values that are not in it are row-major

Order row_major(int64_t rank);
Order inverse(const Order& order);
ir::TensorType stored_type(const ir::TensorType& type, const Order& order);

// A scan that is no part of a kernel: a loop of the machine.
bool is_loop(const ir::Op& op);
// Whether the loop walks along this operand, or stacks this result.
bool is_sliced_operand(const ir::Op& loop, int operand);
bool is_sliced_result(const ir::Op& loop, int result);
int64_t sliced_axis_of_operand(const ir::Op& loop, int operand);
int64_t sliced_axis_of_result(const ir::Op& loop, int result);

// Fills the empty region `to` (of any function) with what the `fused` operation does on operands and results
// that lie in these orders. `map` receives the new value of each old one.
void reorder_region(const ir::Op& fused, const Orders& orders, ir::Region& to, ir::ValueMap& map);

// What operations cost under given orders, in the unit of kernel::running_price.
class LayoutPrices {
 public:
  LayoutPrices();
  ~LayoutPrices();
  // Of a fused operation, or of the copies of slices that a loop makes. Infinite if there is no such kernel.
  kernel::RunningPrice of(ir::Op& op, const Orders& orders);
  // Operations may be erased from here on.
  void forget_operations() { known_.clear(); }

 private:
  kernel::RunningPrice price_kernel(const ir::Op& fused, const Orders& orders);

  kernel::Target target_;
  std::unique_ptr<ir::Module> module_;  // of functions that are only priced
  std::unordered_map<uint64_t, kernel::RunningPrice> by_hash_;
  std::unordered_map<const ir::Op*, std::unordered_map<std::string, kernel::RunningPrice>> known_;
};

}  // namespace ingot::pass
