// How often a while runs, where that follows from constants.
#pragma once

#include <optional>

#include "ops/control.h"

namespace ingot::pass {

// The steps of a loop without lanes whose predicate compares a counter, which begins at a constant and to
// which each step adds one, with a constant. Nothing where the counter would leave its dtype, where the loop
// would not end, or where it would take more than `max_steps`.
std::optional<int64_t> known_steps(const ops::WhileOp& loop);

}  // namespace ingot::pass
