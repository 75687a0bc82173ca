// Moves what needs no carry out of a linear loop body that is being made.
#pragma once

#include <vector>

#include "ir/derivative.h"

namespace ingot::transform {

// The arguments of a loop body, but for the carries, with what they stand for outside.
struct LoopArguments {
  struct Argument {
    ir::Value* inside;
    ir::Value* outside;
    int64_t axis;  // a slice along this axis of `outside`; -1: all of it, in every step
  };
  std::vector<Argument> list;

  void add(ir::Value* inside, ir::Value* outside, int64_t axis) { list.push_back({inside, outside, axis}); }
  const Argument* find(const ir::Value* inside) const {
    for (const Argument& argument : list) {
      if (argument.inside == inside) return &argument;
    }
    return nullptr;
  }
};

// The slices that a carry has been, where `stack` has those that it becomes.
ir::Value* one_step_late(ir::Emitter& outside, ir::Value* first, ir::Value* stack, int64_t axis,
                         bool reverse);

// Element-wise operations and views of invariants that do not make them larger, and contractions of a slice
// or an invariant with an invariant, are made by `outside`; the body gets arguments for their results.
void hoist_from_loop(ir::Region& body, LoopArguments& arguments, ir::Emitter& outside);

}  // namespace ingot::transform
