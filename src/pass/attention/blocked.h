// Blocks of values along one of their dimensions: what of their computation has to be done for each block,
// and what it reads from outside.
#pragma once

#include <array>
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

// Where an operation reads a block: a value along one of its dimensions, or the whole of it.
struct BlockPlace {
  static constexpr int64_t kWhole = -1;
  ir::Value* value;
  int64_t axis = kWhole;
  auto operator<=>(const BlockPlace&) const = default;
};

// The dimensions of a contraction's operands along which its result's dimension `axis` runs; kWhole for none.
std::array<int64_t, 2> contraction_sides(const ir::Op& op, int64_t axis);
// Which dimension of a contraction's result is the free dimension `dim` of operand `side`.
int64_t free_in_result(const ir::Op& op, int side, int64_t dim);
// A contraction whose result is larger than what it reads: it need not exist, if it is repeated for each
// block.
bool product_grows(const ir::Op& op);

class Blocked {
 public:
  // What is computed anew for each block, besides elementwise operations, broadcasts and transposes:
  // contractions that grow, where nobody else reads them; or all of these, and reductions along other
  // dimensions, too.
  enum class Repeats : uint8_t { kOwnProducts, kRows };

  // Finds what a block of each root needs. The roots as a whole are not needed any more.
  Blocked(const std::vector<BlockPlace>& roots, Repeats repeats);

  // Values that are read in blocks, and values that are the same for all blocks.
  const std::vector<BlockPlace>& slices() const { return slices_; }
  const std::vector<ir::Value*>& wholes() const { return wholes_; }
  // Where the block begins: some iota runs along the dimension.
  bool needs_start() const { return needs_start_; }

  // What stands for all of that in the place where a block is computed.
  struct Inputs {
    std::vector<ir::Value*> slices, wholes;  // in the order above
    ir::Value* start = nullptr;              // s64 scalar
    int64_t size = 0;                        // of the block
  };

  // Computes one block.
  class Emission {
   public:
    Emission(const Blocked& plan, ir::Builder& builder, const Inputs& inputs);
    ir::Value* piece(const BlockPlace& place);

   private:
    ir::Value* make(const BlockPlace& place);
    ir::Value* iota(const ir::Op& op, int64_t axis);
    Shape shape_of(const BlockPlace& place) const;

    const Blocked& plan_;
    ir::Builder& builder_;
    ir::Value* start_;
    int64_t size_;
    std::map<BlockPlace, ir::Value*> made_;
  };

 private:
  // The operands of an operation that is computed for each block; empty if its result is read in slices.
  std::vector<BlockPlace> operands_of(const BlockPlace& place) const;
  bool is_repeated(const ir::Op& op) const;
  void add(const BlockPlace& place);

  Repeats repeats_;
  std::vector<BlockPlace> roots_, slices_, seen_;
  std::vector<ir::Value*> wholes_;
  bool needs_start_ = false;
};

}  // namespace ingot::pass
