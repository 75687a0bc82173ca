// Whether a branch is computed without need, with the others, or only where it is taken: the one rule.
//
// A region is *light* if it holds nothing but what any kernel can take in (recipes, views, gathers,
// literals): it can neither fail nor run for long, and may be computed beside others to be chosen among by
// `select`. All else runs only if it is taken.
#pragma once

#include <string>

#include "ir/ir.h"

namespace ingot::pass {

bool is_light(const ir::Region& region);

// Whether it is cheaper to compute all branches of a cond, which has no lanes, than to branch. In
// instructions for one element: what is computed without need is weighed against the branch, which costs a
// launch, and takes through memory what could stay in a kernel: what the cond is given and gives, and in a
// scan's step what each step carries, reads and stacks, since the scan is one kernel only without the branch.
bool is_better_selected(const ir::Op& cond);
std::string why_not_selected(const ir::Op& cond);  // empty if it is better

// Whether all that a region does it does element by element: recipes, literals, and scalars spread over
// shapes. Steps of a loop that do no more are one kernel, however many of them.
bool is_elementwise(const ir::Region& region);

// How many steps of a loop of unknown length one launch may take that ends as soon as none is left: so many
// that launches do not count, and so few that a deadline is met between two of them. `work` is that of a
// step.
int64_t steps_in_a_kernel(double work);
inline constexpr int64_t kLeastSteps = 8;  // of it: fewer are not worth a scan
double work_of(const ir::Region& region);  // instructions for one element, of all elements together

// Whether a region holds, itself or in what it calls, something whose steps depend on data: what runs for a
// lane that does not need it might never end, or run a branch that no lane takes.
bool holds_choices(const ir::Region& region);

}  // namespace ingot::pass
