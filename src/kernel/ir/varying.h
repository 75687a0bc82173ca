// Which scalars of a kernel differ between the points that run side by side.
//
// Points side by side are numbered by dimensions: dimension 0 are the vectors (and lanes) of the open lanes
// loop, the others are the open tile loops, outermost first. A scalar has one value per point of the
// dimensions that it varies over, its DimMask; bit 0 says that the value is a vector of lanes. A scalar that
// varies over none is uniform.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "kernel/ir/kernel_ir.h"

namespace ingot::kernel {

using DimMask = uint32_t;
inline constexpr DimMask kLaneBit = 1;
inline constexpr int kMaxDims = 8;

struct Varying {
  struct OfLoop {
    int dim = -1;                  // kLanes, kTile: the dimension that it opens
    std::vector<DimMask> carries;  // of the value inside of the loop
  };
  std::vector<DimMask> scalars;
  std::vector<DimMask> vars;
  std::vector<DimMask> locals;  // by BufferId: the dimensions that were open at its Alloc
  std::unordered_map<const Loop*, OfLoop> loops;

  DimMask of(const Index& index) const;
};

// Holds pointers to the loops of the kernel, which has to stay as it is.
Varying varying(const Kernel& kernel);

}  // namespace ingot::kernel
