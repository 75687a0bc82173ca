// One block of a value along one of its dimensions: what of its computation has to be done for each block,
// and what it reads from outside.
#pragma once

#include <map>
#include <vector>

#include "ir/builder.h"

namespace ingot::pass {

// Is the value made of constants and counting alone, as a mask is? Then every block makes it anew, and it
// need not exist as a whole.
bool is_made_of_constants(const ir::Value* value);
ir::Value* copy_of_constants(ir::Builder& builder, const ir::Value* value);

// Helpers for those who walk over dimensions.
bool is_elementwise(const ir::Op& op);
int64_t position(const ir::IntList& list, int64_t entry);  // -1: it is not in the list
inline size_t at(int64_t i) {
  return static_cast<size_t>(i);
}

class Blocked {
 public:
  // Values that are read in blocks, and values that are the same for all blocks.
  struct Slice {
    ir::Value* value;
    int64_t axis;
    bool operator==(const Slice&) const = default;
  };

  // Finds what a block of `value` along `axis` needs. The value as a whole is not needed any more.
  Blocked(ir::Value* value, int64_t axis);

  const std::vector<Slice>& slices() const { return slices_; }
  const std::vector<ir::Value*>& wholes() const { return wholes_; }
  bool needs_start() const {
    return needs_start_;
  }  // where the block begins: some iota runs along the dimension

  // What stands for all of that in the place where a block is computed.
  struct Inputs {
    std::vector<ir::Value*> slices, wholes;  // in the order above
    ir::Value* start = nullptr;              // s64 scalar
    int64_t size = 0;                        // of the block
  };
  ir::Value* emit(ir::Builder& builder, const Inputs& inputs) const;

 private:
  class Emission;
  static constexpr int64_t kWhole = -1;
  struct Operand {
    ir::Value* value;
    int64_t axis;  // kWhole: it has no such dimension
  };
  // The operands of an operation that is copied for each block; empty if its result is read in slices.
  std::vector<Operand> operands_of(const ir::Value* value, int64_t axis) const;
  bool is_copied(const ir::Value* value, int64_t axis) const;
  void add(ir::Value* value, int64_t axis);
  void add_whole(ir::Value* value);

  ir::Value* root_;
  int64_t axis_;
  std::vector<Slice> slices_;
  std::vector<ir::Value*> wholes_;
  std::vector<Slice> seen_;
  bool needs_start_ = false;
};

}  // namespace ingot::pass
