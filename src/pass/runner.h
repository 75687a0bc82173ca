// Runs a list of passes: times each, verifies after each that changed something, dumps, and says which one
// failed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pass/pass.h"

namespace ingot::pass {

struct RunnerOptions {
  int stop_after = -1;            // run only the first n passes; -1: all
  std::vector<std::string> only;  // run only passes of these names; empty: all
  std::vector<std::string> skip;  // leave out passes of these names
  bool verify = true;
  // Called with the program as it comes in (index 0, name "input") and after every pass (index from 1 on).
  std::function<void(int index, std::string_view name, const ir::Module& module)> dump;
};

struct PassResult {
  std::string name;
  double ms = 0;  // of the pass alone, without verification and dump
  bool changed = false;
  int64_t lowerings = 0;   // groups of operations that had not been lowered before (kernel/candidates.h)
  RewriteCounts rewrites;  // per rule
  int64_t total_rewrites() const;
};

// Throws InternalError "failed after pass <name>" with the program in the state that the pass left, if the
// pass throws or leaves a program that the verifier rejects.
std::vector<PassResult> run_passes(ir::Module& module, const PassList& passes, PassContext& context,
                                   const RunnerOptions& options = {});

}  // namespace ingot::pass
