// Planted faults: for tests of what finds wrong rewrites, one rewrite is made wrongly.
//
// "pass.rule" names the first rewrite of that rule, "pass.rule:3" the third. What it replaces becomes -x - 1
// (bits are turned round in integers and preds) wherever it is read from then on. That is done where leave is
// given, so that the rewrite itself finds the spoiled use and keeps it; in kernels (fuse, layout, padding),
// and for rewrites that must be made, once the pass has ended. Merged operations (cse) are replaced by
// another value of the same type. A rewrite that removes what nobody reads spoils what its region returns.
// "pass.silently" spoils what the program returns once the pass has ended, without any rewrite.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ir/ir.h"

namespace ingot::pass {

class Plant {
 public:
  explicit Plant(std::string_view text);

  // Leave was given for a rewrite of the operation or the function.
  void rewrites(std::string_view pass, std::string_view rule, const ir::Op& op);
  void rewrites(std::string_view pass, std::string_view rule, const ir::Function& function);
  // The pass has ended.
  void ended(std::string_view pass, ir::Module& module);

 private:
  bool is_it(std::string_view pass, std::string_view rule);

  std::string pass_, rule_;
  int64_t number_ = 1, seen_ = 0;
  bool later_ = false;  // once the pass has ended, in this function, where this value is made:
  std::string function_, value_;
};

}  // namespace ingot::pass
