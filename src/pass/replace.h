// Replacing operations without losing the names that users know.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ir/ir.h"

namespace ingot::pass {

// Makes every user of op's results use `values` instead, and erases op. A replacement that was made for this
// purpose (its operation is one of `made`) takes over the name of the result.
void replace_op(ir::Op* op, std::span<ir::Value* const> values, std::span<ir::Op* const> made);

// Erases an unused operation, and with it those of its operands that nothing else uses.
void erase_attempt(ir::Op& op);

// Copies that take the place of their originals, and the names that they take over once these are gone.
class NamesToKeep {
 public:
  void add(ir::Value* copy, const ir::Value* original) { list_.emplace_back(copy, original->name()); }
  // What stands in the regions of an operation, and with `results` its results.
  void add(const ir::Op& copy, const ir::Op& original, bool results);
  void give_back(ir::Function& function) const;

 private:
  std::vector<std::pair<ir::Value*, std::string>> list_;
};

// Moves the operations of `from` but for its return into the empty region `to`, whose arguments have replaced
// those of `from` already. Values keep their names.
void move_ops(ir::Region& from, ir::Region& to);

// Moves what is kept of a region into a fresh one, arguments and results by their indices in the order that
// they have there; operations that only other results need are erased. Names of arguments are left to be
// given back once those of the old region are gone.
std::unique_ptr<ir::Region> keep_parts(ir::Region& region, const std::vector<int>& arguments,
                                       const std::vector<int>& results);

}  // namespace ingot::pass
