// What fusing costs in arithmetic: a value that several places of a kernel need may be computed more than
// once.
#pragma once

#include "kernel/ir/kernel_ir.h"
#include "kernel/ir/target.h"
#include "kernel/lower/group.h"

namespace ingot::kernel {

// Steps that a loop takes of which nothing is known.
inline constexpr double kSomeSteps = 16;
// Points of the loop, as far as they can be told.
inline double likely_points(const Loop& loop) {
  const auto most = static_cast<double>(loop.extent);
  return loop.running.empty() ? most : std::min(most, kSomeSteps);
}

// Instructions per vector lane of what stands in a block, which runs so many times; as it is, whatever the
// schedule makes of it.
double work(const Block& block, double points = 1);
// The same if every operation of the group computed each element of its results once.
double least_work(const Group& group);

// What a scheduled kernel costs to run on one thread, in instructions on vectors: its arithmetic by lanes and
// tiles, its accesses by how they lie across lanes, and the lines that caches do not keep. For comparing
// kernels that do the same work on memory in other orders (running_price.cc).
struct RunningPrice {
  double total = 0;
  double least = 0;       // if all of it ran on lanes, along memory, and each line came once
  double arithmetic = 0;  // the part of `least` that is no access
};
RunningPrice running_price(const Kernel& scheduled, const Target& target);

// Whether an access across rows can be part of a block that is transposed in registers: its neighbours in
// memory are wanted too, by other points or steps of the loops around it, or by the same body.
bool transposable(const Block& block, BufferId buffer, const Index& offset, const std::vector<VarId>& around);

// Instructions per vector of an access along a variable that takes the values 0 .. extent - 1 in vectors of
// `lanes`, all other variables fixed: what is no piece of memory as it lies is put together from such pieces.
double price_of_permuting(const Index& offset, VarId var, int64_t extent, int64_t lanes,
                          const Target& target);

}  // namespace ingot::kernel
