// Which elements of a buffer the accesses of a kernel touch: how many, and between which ends. Private to the
// counting of work.
#pragma once

#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "kernel/ir/kernel_ir.h"

namespace ingot::kernel {

// Of open loops: the first point, and the one behind the last.
using Domain = std::map<VarId, std::pair<int64_t, int64_t>>;

// Elements of one buffer that one offset touches, which may do so in parts.
struct Access {
  std::set<std::vector<std::pair<int64_t, int64_t>>> parts;  // ranges of the offset's variables
  int64_t points = 0, most = 0;  // how many points in all that are looked at, until there are `most`
  int64_t first = std::numeric_limits<int64_t>::max(), last = std::numeric_limits<int64_t>::min();
};

// How many they are together: each offset touches other elements, up to all between the first and the last.
int64_t elements_of(std::vector<const Access*> accesses);

// The least and the greatest value of an index whose variables are all in the domain.
std::pair<int64_t, int64_t> bounds_of(const Index& index, const Domain& domain);

// How many values an index takes, `most` at most: all points of its variables, but where it looks some up in
// tables those that differ, unless there are too many to look.
int64_t distinct_values(const Index& index, const Domain& domain, int64_t most);

}  // namespace ingot::kernel
