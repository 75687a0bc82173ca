// What is known of a kernel before its code is emitted: which scalars differ between the points that run side
// by side, how wide the lanes are, how far loops are unrolled.
//
// Points side by side are numbered by dimensions: dimension 0 are the vectors (and lanes) of the open lanes
// loop, the others are the open tile loops, outermost first. A scalar has one value per point of the
// dimensions that it varies over, its DimMask; bit 0 says that the value is a vector of lanes.
#pragma once

#include <array>
#include <unordered_map>
#include <vector>

#include "kernel/ir/kernel_ir.h"
#include "kernel/ir/target.h"

namespace ingot::codegen {

using DimMask = uint32_t;
inline constexpr DimMask kLaneBit = 1;
inline constexpr int kMaxDims = 8;
inline constexpr int64_t kLineBytes = 64;  // of a cache

// A line of each of several rows does not stay in a cache whose sets they share.
inline bool rows_collide(int64_t bytes_apart) {
  return bytes_apart % 4096 == 0;
}

struct LoopPlan {
  int dim = -1;                  // kLanes, kTile: the dimension that it opens
  int lanes = 1;                 // kLanes: points per vector
  int vectors = 1;               // kLanes: vectors side by side
  int unroll = 1;                // steps (for lanes: blocks of vectors) per iteration of the machine loop
  int accumulators = 1;          // kReduce: independent partial results, at most `unroll`
  bool may_overlap = true;       // kLanes: may the last block repeat points?
  std::vector<DimMask> carries;  // of the value inside of the loop

  int64_t width() const { return static_cast<int64_t>(lanes) * vectors; }
};

struct VectorPlan {
  std::vector<DimMask> scalars;
  std::vector<DimMask> vars;
  std::vector<DimMask> locals;  // by BufferId: the dimensions that were open at its Alloc
  std::unordered_map<const kernel::Loop*, LoopPlan> loops;

  DimMask of(const Index& index) const;
};

VectorPlan make_vector_plan(const kernel::Kernel& kernel, const kernel::Target& target);

// How many units of work the parallel loop has.
int64_t blocks_of(const kernel::Loop& loop, const LoopPlan& plan);

}  // namespace ingot::codegen
