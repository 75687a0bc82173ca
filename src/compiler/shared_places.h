// Which values lie in the place of others because they are made of them by a change in part: by an update
// that leaves the rest as it is, by a loop or a branch that changes what it is given. Found on the program,
// before anything is planned:
//
// A value may be changed in place where nobody reads it later. Its readers come first: where they stand
// behind the change and do not wait for it, they are moved before it (`order`). A kernel must write each
// element only after all that it reads there (kernel/ir/in_place.h); a loop must make the next value of a
// carry in the carry's own place; all branches of a cond must make a result in the place of the same
// argument, or hand that argument on. What lies in an argument's place at the end is a *pair*, of a result
// and an argument, and so the question goes from regions to what holds them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/kernel_cache.h"
#include "ir/ir.h"
#include "kernel/ir/in_place.h"

namespace ingot::compiler {

// The value whose memory this one is.
ir::Value* root_of(const ir::Value* value);

// Result r of a region in the place of its argument a.
using Pairs = std::map<int, int>;

struct RegionPlaces {
  std::vector<ir::Op*> order;  // in which the operations run
  Pairs pairs;                 // of those asked for, the ones that can be
  // Of pairs: kernels write all of the result, so that it may as well lie elsewhere than its argument.
  std::map<int, bool> made_anywhere;
  // A value that an operation makes in the place of another one, both roots.
  std::unordered_map<const ir::Value*, ir::Value*> takes;
  // The results in whose memory values lie, by roots; that of a pair's result is the argument's.
  std::unordered_map<const ir::Value*, int> home;
  // Why a result that is its argument, changed in part, lies elsewhere.
  std::map<int, std::string> refused;
};

struct LoopPlaces {
  // By carry: the carry in whose place a step makes the next value, or -1; the output that holds it, or -1.
  std::vector<int> takes, stack;
  std::vector<bool> ahead;             // the output holds the carry as the step finds it
  std::map<int, std::string> refused;  // why it is copied at each step
};

class SharedPlaces {
 public:
  using Kernels = std::unordered_map<const ir::Op*, Implementation>;
  explicit SharedPlaces(const Kernels& kernels) : kernels_(kernels) {}

  // With the pairs asked for, as far as they can be; of a branch or a loop's body, those that were found.
  RegionPlaces of(ir::Region& region, const Pairs& wanted);
  const LoopPlaces& of_loop(ir::Op& loop);
  // What all branches can do.
  const Pairs& of_branches(ir::Op& cond);
  // Why the kernel must not make a result in the place of an input, or empty.
  const std::string& why_not(ir::Op& op, int input, int output);

 private:
  friend class PlaceSearch;
  RegionPlaces search(ir::Region& region, const Pairs& wanted);
  // The same of several regions: what all of them can do.
  Pairs agreed(const std::vector<ir::Region*>& regions, Pairs wanted);

  const Kernels& kernels_;
  std::unordered_map<const ir::Region*, RegionPlaces> found_;  // with all pairs
  std::unordered_map<const ir::Op*, LoopPlaces> loops_;
  std::unordered_map<const ir::Op*, Pairs> branches_;
  std::unordered_map<const kernel::Kernel*, kernel::InPlace> in_place_;
  std::map<std::pair<const ir::Op*, std::pair<int, int>>, std::string> reasons_;
};

}  // namespace ingot::compiler
