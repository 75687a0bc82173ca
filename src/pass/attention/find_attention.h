// Attention, by what is computed: a softmax that is contracted right away.
#pragma once

#include <optional>
#include <vector>

#include "ir/ir.h"
#include "ops/kinds.h"

namespace ingot::pass {

struct Attention {
  ir::Op* contraction = nullptr;
  int side = 0;                         // which operand of it is the softmax
  int64_t axis = 0;                     // of the softmax: the keys
  ir::Value* scores = nullptr;          // what is exponentiated, before the maximum is taken off
  bool divided = false;                 // by the sum
  std::vector<const ir::Value*> inner;  // that need not exist any more

  ir::Value* other() const { return contraction->operand(1 - side); }
  int64_t other_axis() const { return ops::DotGeneralOp(*contraction).contract(1 - side)[0]; }
  // The dimension of the scores, and that of the other operand, along which the result's dimension `dim`
  // runs.
  int64_t batch(int64_t dim) const {
    return ops::DotGeneralOp(*contraction).batch(side)[static_cast<size_t>(dim)];
  }
  int64_t other_batch(int64_t dim) const {
    return ops::DotGeneralOp(*contraction).batch(1 - side)[static_cast<size_t>(dim)];
  }
  // The first dimension of a batch of more than one, or -1.
  int64_t batch_dim() const {
    const auto dims = static_cast<int64_t>(ops::DotGeneralOp(*contraction).batch(0).size());
    for (int64_t dim = 0; dim < dims; ++dim) {
      if (contraction->result()->shape()[static_cast<size_t>(dim)] > 1) return dim;
    }
    return -1;
  }
  int64_t keys() const { return scores->shape()[static_cast<size_t>(axis)]; }
};

// Is the operand of the contraction a softmax along the one dimension that is summed over?
std::optional<Attention> find_attention(ir::Op& contraction, int side);
// Something that uses a value of the softmax too: then the scores have to exist as a whole in any case.
const ir::Op* other_user(const Attention& found);

// All dimensions but one.
ir::IntList all_but(int64_t rank, int64_t axis);

}  // namespace ingot::pass
