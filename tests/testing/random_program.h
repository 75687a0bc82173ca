// Random, well-typed programs over all operations, for round trips and for comparing two ways of running a
// program.
//
// Programs are built so that rounding cannot decide what they do. Each value carries a bound of its magnitude
// and of the error that reordered sums, fused multiply-adds and a few ulps per function may give it;
// operations that would let these grow too far, or that turn a small error into a large one (comparison,
// floor, conversion to integers), get other operands. So results of two correct compilers agree within the
// tolerance that comes with each result.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ir/ir.h"

namespace ingot::testing {

struct RandomProgramOptions {
  int operations = 25;  // tried in the entry function; callees and loop bodies have fewer
  int functions = 2;    // besides the entry function, at most
  int max_rank = 3;
  int64_t max_elements = 2000;  // of any value
  bool views = true, reductions = true, contractions = true, loops = true;
  bool choices = true;   // loops that values end, and branches
  bool updates = false;  // besides those, of state that is changed in part; most of the program
  bool idioms = true;    // whole patterns: softmax, layers, pairs of scans, matrices cut up and put together
  int max_results = 10;  // of a function
  bool special_values = false;  // infinite or extreme ones in arguments (tensors.h), NaN from gather
  int64_t max_length = 17;      // of loops
  // Each program draws a few extents of these and uses them most of the time, so that its values fit
  // together.
  std::vector<int64_t> extents = {1, 2, 3, 4, 5, 7, 8, 13, 16, 17};
  std::vector<DType> dtypes = {DType::kF32, DType::kF32, DType::kF64, DType::kS32,
                               DType::kU8,  DType::kU32, DType::kS64, DType::kPred};
};

struct RandomProgram {
  std::unique_ptr<ir::Module> module;
  // For each result of the entry function, for arguments as random_arguments() makes them: how far two right
  // values may be apart, relative to 1 + magnitude; 0 for all but floats.
  std::vector<double> tolerances;
};

// The same seed and options give the same program everywhere.
RandomProgram random_program(uint64_t seed, const RandomProgramOptions& options = {});

// Programs of many kinds: the seed draws the options, too.
RandomProgramOptions options_of_seed(uint64_t seed);

}  // namespace ingot::testing
