// Reductions on lanes to the largest or smallest float. One NaN makes the result NaN, which no instruction of
// x86 does: asked at every step, it would cost two more. So the accumulators keep to numbers, which takes one
// instruction, and beside them stands for each lane whether all it has seen were numbers, which one
// comparison tells of two vectors at once.
#include "codegen/cpu/emitter.h"
#include "codegen/cpu/llvm_scalar_builder.h"
#include "kernel/ir/reductions.h"
#include "ops/kinds.h"

namespace ingot::codegen {

using kernel::Loop;
using llvm::Value;

namespace {

bool is_maximum(const Loop& loop) {
  return ops::is<ops::MaxOp>(*kernel::only_operation(loop.combiner)->record);
}

}  // namespace

Emitter::Carried Emitter::all_numbers() {
  auto* type = llvm::FixedVectorType::get(b_.getInt1Ty(), static_cast<unsigned>(lanes_));
  return {{llvm::ConstantInt::getTrue(type)}};
}

void Emitter::see_numbers(const Carried& a, const Carried& b, Carried& numbers) {
  Value*& all = numbers[0][0];
  for (size_t i = 0; i < a[0].size(); ++i) all = b_.CreateAnd(all, b_.CreateFCmpORD(a[0][i], b[0][i]));
}

void Emitter::add_extreme(const Loop& loop, Carried& into, const Carried& next) {
  LlvmScalarBuilder builder(b_, lanes_, context_.instructions);
  for (size_t i = 0; i < into[0].size(); ++i)
    into[0][i] = builder.range(into[0][i], next[0][i], is_maximum(loop));
}

// Accumulators, then vectors, then halves of a vector. The last of `state` says whether all were numbers.
void Emitter::join_extremes(const Loop& loop, std::vector<Carried> state) {
  Value* numbers = b_.CreateAndReduce(state.back()[0][0]);
  std::vector<Value*> values;
  for (size_t i = 0; i + 1 < state.size(); ++i)
    values.insert(values.end(), state[i][0].begin(), state[i][0].end());
  LlvmScalarBuilder builder(b_, lanes_, context_.instructions);
  auto join = [&](Value* a, Value* b) { return builder.range(a, b, is_maximum(loop)); };
  for (size_t count = values.size(); count > 1; count = (count + 1) / 2) {
    for (size_t i = 0; i < count / 2; ++i) values[i] = join(values[i], values[count - 1 - i]);
  }
  Value* result = values[0];
  for (int lanes = lanes_ / 2; lanes >= 1; lanes /= 2) {
    std::vector<int> high;
    for (int lane = 0; lane < lanes_; ++lane) high.push_back((lane + lanes) % lanes_);
    result = join(result, b_.CreateShuffleVector(result, high));
  }
  result = b_.CreateExtractElement(result, uint64_t{0});
  result = b_.CreateSelect(numbers, result, llvm::ConstantFP::getNaN(result->getType()));
  lanes_ = 1;
  extents_[0] = 1;
  lane_var_ = kernel::kNone;
  open_[0] = nullptr;
  define_results(loop, {{result}});
}

}  // namespace ingot::codegen
