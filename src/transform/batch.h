// Batching: from a function of one element to the function that does the same to a whole batch at once.
//
// Every operation has a rule in its record; this file carries the rules through functions and regions. What
// does not depend on the batch stays as it is, and is computed once for all. Functions stay functions: a
// callee has one batched version for each set of dimensions along which its arguments are batched.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ir/op_record.h"
#include "transform/batch_rules.h"

namespace ingot::transform {

struct Batch {
  int64_t size = 0;
  std::string axis_name;  // by which collectives name it; empty if they do not
  // Of what is made for no operation, as where an argument is a result with its batch along another
  // dimension.
  ir::Provenance line = {};
};

struct BatchedFunction {
  ir::Function* function = nullptr;
  std::vector<int64_t> result_axes;  // where the batch stands in each result; Batched::kShared
  // Those that calls of what was made name, some of them made on the way.
  std::vector<std::shared_ptr<const BatchRule>> rules = {};
  // Functions that are declared, as they were in the module of the one that was batched.
  struct Declared {
    std::string name, from;
    std::vector<int64_t> argument_axes, result_axes;  // empty: it is the same one
  };
  std::vector<Declared> declared = {};
};

// Adds the batched version of `from` to the module `to`, which is another than that of `from`, and all that
// it calls. The batch stands along `argument_axes` (Batched::kShared: the same for all), and along the
// `wanted` dimensions of the results (Batched::kShared: where it falls; empty: wherever).
BatchedFunction batch(const ir::Function& from, ir::Module& to, const Batch& batch,
                      std::span<const int64_t> argument_axes, std::span<const int64_t> wanted = {});

// The same for one region, as a new one of the same function, for an operation that is about to be made.
// Batched versions of what it calls are added to the module.
struct BatchedRegion {
  std::unique_ptr<ir::Region> region;
  std::vector<int64_t> result_axes;
};
BatchedRegion batch_region(const ir::Region& from, const Batch& batch, std::span<const int64_t> argument_axes,
                           std::span<const int64_t> wanted = {});

}  // namespace ingot::transform
