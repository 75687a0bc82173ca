// Reductions that carry the place of what they found, as the position of a maximum is carried beside it.
// Accumulators meet the points of their loop in order, so whatever an accumulator holds comes from an earlier
// place than what is joined to it: the combiner's comparisons of the two are known. With them goes the
// arithmetic of ties, half of what such a step costs. It takes accumulators that begin with points instead of
// the neutral element, whose place is no point's.
#include "codegen/cpu/emitter.h"
#include "ops/kinds.h"

namespace ingot::codegen {

using kernel::Loop;

// What the comparison gives if the left place of each rising carry is below the right one; null: that is not
// what it compares.
llvm::Value* Emitter::known_comparison(const Loop& loop, const kernel::Let& let, int lanes) {
  if (begun_.count(&loop) == 0 || !ops::is<ops::CompareOp>(*let.record)) return nullptr;
  const std::string& direction = ops::CompareOp::direction(let.attributes);
  for (size_t c : loop.rising) {
    const kernel::ScalarId low = loop.combiner.lhs[c], high = loop.combiner.rhs[c];
    const bool in_order = let.operands[0] == low && let.operands[1] == high;
    if (!in_order && (let.operands[0] != high || let.operands[1] != low)) continue;
    const bool holds = direction == "ne" || direction[0] == (in_order ? 'l' : 'g');
    return llvm::ConstantInt::getBool(value_type(llvm_, DType::kPred, lanes), holds);
  }
  return nullptr;
}

}  // namespace ingot::codegen
