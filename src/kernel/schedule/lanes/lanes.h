// Which points run side by side, and how wide. Private to the schedule.
#pragma once

#include <optional>

#include "kernel/ir/nest.h"
#include "kernel/ir/target.h"

namespace ingot::kernel {

void separate_digits(Kernel& kernel, const Target& target);  // of a kernel with one phase
void choose_lanes(Kernel& kernel, const Target& target);     // of a kernel with one phase
void choose_widths(Kernel& kernel, const Target& target);
void choose_instructions(Kernel& kernel, const Target& target);  // of loops with widths

// Position of the band loop whose points should run side by side; nothing if the innermost loops of the body
// should.
std::optional<size_t> cheapest_lane(Kernel& kernel, const Target& target, const Nest& nest);
// What a point of the band costs then.
double price_on_lanes(Kernel& kernel, const Target& target, const Nest& nest);

// How many points of the lanes' loop a unit takes, if its results can wait in memory while it walks along
// rows (see accumulate_in_memory); 0 if they can't. Other loops give so many units.
int64_t points_in_memory(const Kernel& kernel, const Target& target, const Nest& nest, size_t lane,
                         int64_t other_units);

// Lanes over a loop along which memory is contiguous, and a reduction that steps from row to row: a unit of a
// few vectors would read a sliver of each row. Instead it takes a long piece of each row, and adds it to a
// row of results in the first-level cache. Returns false, and changes nothing, where that does not fit.
bool accumulate_in_memory(Kernel& kernel, const Target& target, Nest& nest, size_t lane);

}  // namespace ingot::kernel
