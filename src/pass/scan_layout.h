// Taking parts of a scan away: carries, scanned arrays, stacked results and invariants that nobody needs.
#pragma once

#include <vector>

#include "ir/ir.h"

namespace ingot::pass {

// Which parts of a scan stay, each list in the order of the new scan, by the index in the old one.
struct ScanLayout {
  std::vector<int> carries;     // of the carries
  std::vector<int> scanned;     // of the scanned arrays
  std::vector<int> invariants;  // arguments of the region: an invariant, or a carry that never changes
  std::vector<int> stacked;     // of the stacked results

  static ScanLayout of(const ir::Op& scan);  // all of it
  bool operator==(const ScanLayout&) const = default;
};

// Without the carries, scanned arrays, invariants and stacks that no used result depends on.
ScanLayout needed_parts(const ir::Op& scan);
// With the carries that every step hands on unchanged as invariants. They are indexed as carries still.
ScanLayout without_constant_carries(const ir::Op& scan);

// Replaces the scan by one of that layout. What is left out must be unused, but for operations of the region
// that only it needs, which are erased. Values keep their names.
ir::Op* rebuild_scan(ir::Op& scan, const ScanLayout& layout);

}  // namespace ingot::pass
