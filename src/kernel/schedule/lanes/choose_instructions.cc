// By which of the machine's instructions reductions join their points. What is chosen means what the loop's
// combiner says (LoopWidths and ReduceBy in kernel_ir.h); the emitter writes it.
//
// - Extremes of floats on lanes. One NaN makes the result NaN, which no instruction of x86 does: asked at
//   every step, it would cost two more. So the accumulators keep to numbers, which takes one instruction, and
//   beside them stands for each lane whether all it has seen were numbers.
// - Places that are carried beside a value, as that of a maximum. Accumulators meet the points of their loop
//   in order, so whatever an accumulator holds comes from an earlier place than what is joined to it: the
//   combiner's comparisons of the two are known, and with them goes the arithmetic of ties.
// - Sums of products of bf16 or s16, two points at a time, or all points of a tile at once.
#include <array>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "kernel/ir/blocks.h"
#include "kernel/ir/matrix_product.h"
#include "kernel/ir/reductions.h"
#include "kernel/ir/varying.h"
#include "kernel/schedule/lanes/lanes.h"
#include "ops/kinds.h"

namespace ingot::kernel {
namespace {

// Statements that a serial loop writes once more, before itself, so that its accumulators begin with points.
// What is saved are some six instructions a point: nothing beside a longer body, and 37 of 50 ms more to
// compile for numbers drawn by Gumbel's trick.
constexpr size_t kMostWrittenTwice = 64;

class InstructionChoice {
 public:
  InstructionChoice(Kernel& kernel, const Target& target)
      : kernel_(kernel), target_(target), varying_(varying(kernel)) {
    for_each_stmt(kernel.body, [&](Stmt& stmt) {
      if (const auto* literal = std::get_if<Literal>(&stmt.node)) literals_[literal->result] = literal;
    });
  }

  void run() { choose(kernel_.body); }

 private:
  void choose(Block& block) {
    for (size_t i = 0; i < block.stmts.size(); ++i) {
      auto* loop = std::get_if<Loop>(&block.stmts[i].node);
      if (loop == nullptr) continue;
      const int dim = varying_.loops.at(loop).dim;
      const Loop* outer = dim >= 0 ? std::exchange(open_[static_cast<size_t>(dim)], loop) : nullptr;
      choose(loop->body);
      if (dim >= 0) open_[static_cast<size_t>(dim)] = outer;
      if (loop->kind != LoopKind::kReduce) continue;
      loop->reduce_by = instructions(block, i);
      loop->rising.clear();
      const bool in_order = loop->style == LoopStyle::kLanes ||
                            (loop->style == LoopStyle::kSerial && begins_with_points(*loop));
      for (size_t c = 0; in_order && loop->step == 1 && c < loop->carries.size(); ++c) {
        if (rises(kernel_, *loop, c)) loop->rising.push_back(c);
      }
    }
  }

  ReduceBy instructions(const Block& block, size_t at) const {
    const auto& loop = std::get<Loop>(block.stmts[at].node);
    if (loop.style == LoopStyle::kLanes) return is_extreme(loop) ? ReduceBy::kNumbers : ReduceBy::kCombiner;
    if (loop.style != LoopStyle::kSerial || open_[0] == nullptr) return ReduceBy::kCombiner;
    const LoopWidths& lanes = open_[0]->widths;
    if (begins_with_zero(loop) &&
        matrix_product(kernel_, varying_, block, at, open_, lanes.points(), target_.tiles))
      return ReduceBy::kMatrixTiles;
    const bool on_lanes = (varying_.loops.at(&loop).carries[0] & kLaneBit) != 0;
    const bool whole = lanes.lanes == target_.lanes(DType::kS32) && on_lanes;
    return whole && sums_pairs(kernel_, loop, target_) ? ReduceBy::kPairs : ReduceBy::kCombiner;
  }

  static bool begins_with_points(const Loop& loop) {
    return loop.body.stmts.size() * static_cast<size_t>(loop.widths.unroll) <= kMostWrittenTwice;
  }

  // Of one value per lane, in vectors that the instruction takes.
  bool is_extreme(const Loop& loop) const {
    if (!target_.float_extremes || loop.widths.lanes == 1 || loop.carries.size() != 1 ||
        varying_.loops.at(&loop).carries[0] != kLaneBit)
      return false;
    const Let* let = only_operation(loop.combiner);
    if (let == nullptr || !ops::is_any<ops::MaxOp, ops::MinOp>(*let->record)) return false;
    const DType dtype = kernel_.scalars[static_cast<size_t>(let->result)];
    const auto bytes = static_cast<int64_t>(loop.widths.lanes) * static_cast<int64_t>(byte_size(dtype));
    return (dtype == DType::kF32 || dtype == DType::kF64) && bytes >= 16 && bytes <= target_.vector_bytes;
  }

  bool begins_with_zero(const Loop& loop) const {
    if (loop.carries.size() != 1) return false;
    const auto found = literals_.find(loop.carries[0].init);
    if (found == literals_.end() || found->second->value.dtype() != DType::kF32) return false;
    const double value = found->second->value.get_double(0);
    return value == 0 && !std::signbit(value);
  }

  Kernel& kernel_;
  const Target& target_;
  const Varying varying_;
  std::unordered_map<ScalarId, const Literal*> literals_;
  std::array<const Loop*, kMaxDims> open_{};
};

}  // namespace

void choose_instructions(Kernel& kernel, const Target& target) {
  InstructionChoice(kernel, target).run();
}

}  // namespace ingot::kernel
