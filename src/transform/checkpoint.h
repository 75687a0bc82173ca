// A checkpoint: a function is run once for its results, and once more, on the way back, for what that needs.
// In between lives only what a policy saves.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "ir/ir.h"
#include "ops/save_policy.h"

namespace ingot::transform {

struct TwoRuns {
  ir::Function* first = nullptr;  // the arguments -> the kept results, then the saved values
  ir::Function* again = nullptr;  // (some arguments, the saved values) -> the wanted results
  std::vector<int> arguments;     // which arguments the second run gets
  int saved = 0;                  // how many values are saved; where there are none, `first` is null
};

// Splits functions of a module into two runs, each once. Functions that are called and loops are split in
// turn: they have a first version with more results, and a second one for what is computed anew.
class Checkpoints {
 public:
  explicit Checkpoints(ir::Module& module) : module_(module) {}

  // `kept`: how many results, from the first on, the first run has; `wanted`: those of the second.
  const TwoRuns& split(const ir::Function& function, int kept, const std::vector<bool>& wanted,
                       const std::string& policy);

 private:
  using Key = std::tuple<const ir::Function*, int, std::vector<bool>, std::string>;
  ir::Module& module_;
  std::map<Key, std::unique_ptr<TwoRuns>> made_;
};

}  // namespace ingot::transform
