// A loop of known length while it is recorded, whole or in chunks of steps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/trace.h"
#include "ingot/scan.h"

namespace ingot::detail {

// What is the same for a scan and all chunks of it.
struct ScanLoop {
  const char* name = "";
  bool reverse = false;
  std::vector<int64_t> xs_axes = {};  // resolved
  int64_t length = -1;
  ScanAxes asked_ys_axis = 0;
  std::optional<std::vector<int64_t>> ys_axes = {};  // resolved by the first step that is traced
};

// What a scan, or a chunk of it, starts from.
struct ScanState {
  std::vector<Array> init, xs;
  const Structure& carry_structure;
  const std::vector<std::string>& x_names;
};

// Error where a step changes types or structure of the carry, or has other ys than axes were given for.
void check_step(const ScanBody& body, const ScanState& state, ScanLoop& loop,
                const std::vector<Array>& results, const std::source_location& where);
// One `scan` of so many steps.
ScanResult record_scan(ScanBody& body, const ScanState& state, ScanLoop& loop, int64_t length,
                       const std::source_location& where);
// As the options unroll and checkpoints say.
ScanResult scan_in_chunks(ScanBody& body, const ScanState& state, ScanLoop& loop, const ScanOptions& options,
                          const std::source_location& where);

}  // namespace ingot::detail
