#include "ir/depth.h"

#include <algorithm>

#include "ingot/error.h"

namespace ingot::ir {
namespace {

// Bytes of the stack that a level may take: twice what the deepest walk, that of passes over loops in loops,
// was measured to take (1.97 KiB), and what is left over for all that is not nested.
constexpr size_t kStackPerLevel = 4096, kStackForTheRest = 128 << 10;
constexpr size_t kFrames =  // sanitizers keep a distance between variables
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    3;
#else
    1;
#endif

}  // namespace

int Depths::of(const Function& function) {
  if (function.declared) return function.declared->depth;
  if (const auto known = known_.find(&function); known != known_.end()) return known->second;
  const int depth = of(function.body(), *function.module());
  known_[&function] = depth;
  return depth;
}

int Depths::of(const Region& region, const Module& module) {
  int deepest = 0;
  for (const auto& op : region.ops()) {
    for (int i = 0; i < op->region_count(); ++i) deepest = std::max(deepest, of(op->region(i), module));
    if (!op->attributes().has("callee")) continue;
    const Function* callee = module.find(op->attributes().get<Symbol>("callee").name);
    if (callee != nullptr) deepest = std::max(deepest, of(*callee));
  }
  return deepest + 1;
}

int depth(const Function& function) {
  return Depths().of(function);
}

int depth(const Module& module) {
  Depths depths;
  int deepest = 0;
  for (const auto& function : module.functions()) deepest = std::max(deepest, depths.of(*function));
  return deepest;
}

std::string stack_problem(int depth, size_t left) {
  const size_t wanted = kFrames * (static_cast<size_t>(depth) * kStackPerLevel + kStackForTheRest);
  if (left >= wanted) return "";
  return "which takes " + std::to_string(wanted >> 10) + " KiB of stack, but this thread has " +
         std::to_string(left >> 10) + " KiB left; give it more (ulimit -s, or the attributes of the thread)";
}

void want_stack(const Module& module) {
  const int levels = depth(module);
  if (const std::string problem = stack_problem(levels); !problem.empty())
    throw Error("the program is nested " + std::to_string(levels) + " deep, " + problem);
}

}  // namespace ingot::ir
