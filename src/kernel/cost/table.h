// The one table of prices and sizes of the machine (table.def): plain numbers, below all layers that compare
// what something costs, so that no two of them disagree. A threshold that says something about the machine
// stands here, or follows from what stands here; what is a habit of one algorithm stays beside it.
//
// They are numbers of one common machine. Fusion, layout, padding and schedules see these alone, and never
// what bench/price_benchmarks.cc measures on the machine at hand: kernels and hashes are the same everywhere,
// and bits depend on no threads, cores or measured times.
#pragma once

#include <cstdint>
#include <string_view>

namespace ingot::prices {

#define PRICE(name, value, unit, what, measured) inline constexpr double name = value;
#define SIZE(name, value, unit, what, measured) inline constexpr int64_t name = value;
#include "kernel/cost/table.def"
#undef PRICE
#undef SIZE

struct Row {
  std::string_view name;
  double value;
  std::string_view unit, what, measured;
};

#define PRICE(name, value, unit, what, measured) {#name, value, unit, what, measured},
#define SIZE(name, value, unit, what, measured) {#name, value, unit, what, measured},
inline constexpr Row kTable[] = {
#include "kernel/cost/table.def"
};
#undef PRICE
#undef SIZE

}  // namespace ingot::prices
