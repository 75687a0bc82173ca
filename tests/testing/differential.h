// Compiled programs against interpreted ones.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ir/ir.h"
#include "kernel/ir/kernel_ir.h"
#include "kernel/ir/target.h"

namespace ingot::testing {

struct DifferentialOptions {
  bool machine_code = true;  // else only the kernels as the kernel interpreter runs them
  bool all_targets = true;   // every vector width of this machine, not just the widest
  bool one_way = false;      // compiles in one of the ways, which the seed draws, not in all of them
  bool passes = true;        // else the program consists of kernels already
  // Instead of the tolerance each element has the room that the program's own condition gives it
  // (interpreter/judge.h): for floats of 16 bits, whose tolerance lets almost anything pass after a few
  // operations, and for programs that nobody has analysed.
  bool judged = false;
  std::vector<kernel::Target> targets{};  // instead of those of this machine
};

// Compiles the program, runs it on random arguments in several ways, and compares: with the interpreter,
// within tolerance (one per result; empty: by dtype); with itself, bit by bit: on one, two and three threads,
// to which every unit of the smallest kernel is dealt out (dealt_launches.h), in memory between pages that
// nobody may touch, with garbage wherever contents are unspecified, with results in the memory of donated
// arguments; without fma. Also looks at the bytes behind every result, and at the arguments, which must not
// change unless they are donated.
//
// Says what is wrong, in a text that begins with its kind ("values", "bits", "memory", "error") and a colon.
// Empty if nothing is.
std::string check_compiled(const ir::Module& module, std::span<const double> tolerances, uint64_t seed,
                           const DifferentialOptions& options = {});

// Tolerance for results of programs that nobody has analysed.
double tolerance_of(DType dtype);
// Of sums of n products, or of n numbers, of random_tensor(): floats in [-2, 2), whose terms are at most 4. A
// sum of n terms grows like sqrt(n), and so do the errors of n roundings of it: n is a bound of both together
// that has room for any order, and none for operands of fewer bits.
double tolerance_of_sum(DType dtype, int64_t n);

}  // namespace ingot::testing
