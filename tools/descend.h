// The search for the first operation that is computed wrongly, where no rewrite is to blame.
#pragma once

#include <span>
#include <string>

#include "base/tensor.h"
#include "ir/ir.h"
#include "tools/trial.h"

namespace ingot::tools {

struct DescentOptions {
  double tolerance = -1;      // the user's, or none
  double trial_seconds = 20;  // for a compilation and a run
  const Deadline* deadline = nullptr;
};

// Says what it finds, line by line, and ends with the operation, "the first wrong value is %e ...", or with
// the sentence that each value is right by itself. The interpreter runs in this process, which must not have
// started threads; what is compiled runs in processes of its own.
void find_wrong_operation(const ir::Module& module, std::span<const Tensor> arguments,
                          const DescentOptions& options, const Say& say);

}  // namespace ingot::tools
