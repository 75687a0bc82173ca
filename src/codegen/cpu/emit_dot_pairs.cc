// Sums of products of bf16 or s16, two points at a time, by the processor's instructions for them.
//
// A step of such a reduction loads one element of each operand, widens both, multiplies and adds. Two steps
// together are one vdpbf16ps per sum: its operands are pairs, which neighbours along the reduction make in a
// row of one operand, and two vectors of the other interleaved. The instruction rounds the sum of both
// products once less than two multiply-adds do, and treats denormals as zero. Of s16 they are pmaddwd, which
// wraps as the products would, and an addition, which LLVM makes one instruction of where there is one.
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "codegen/cpu/emitter.h"
#include "kernel/ir/blocks.h"

namespace ingot::codegen {

using kernel::Loop;
using llvm::Value;

// The operands of one step, as they are in memory: one per copy of each load.
std::array<std::vector<Value*>, 2> Emitter::pair_operands(const Loop& loop) {
  std::array<std::vector<Value*>, 2> found;
  size_t next = 0;
  for (const kernel::Stmt& stmt : loop.body.stmts) {
    if (const auto* ahead = std::get_if<kernel::Prefetch>(&stmt.node)) emit(*ahead);
    const auto* load = std::get_if<kernel::Load>(&stmt.node);
    if (!load) continue;
    emit(*load);
    found[next++] = scalars_[static_cast<size_t>(load->result)].copies;
  }
  return found;
}

// Adds the products of pairs with the one at an address. LLVM has a register filled with that one first, by a
// broadcast of floats, and on a Zen 4 the product waits for it: one of bf16 takes 20 % longer.
Value* Emitter::dot_with_pair_at(Value* address, Value* pairs, Value* sum) {
  auto* type =
      llvm::FunctionType::get(sum->getType(), {sum->getType(), pairs->getType(), b_.getPtrTy()}, false);
  auto* dot = llvm::InlineAsm::get(type, "vdpbf16ps $3{1to16}, $2, $0", "=v,0,v,*m", false);
  llvm::CallInst* call = b_.CreateCall(dot, {sum, pairs, address});
  call->addParamAttr(2, llvm::Attribute::get(llvm_, llvm::Attribute::ElementType, b_.getInt32Ty()));
  call->setOnlyReadsMemory();
  call->setOnlyAccessesArgMemory();
  call->setDoesNotThrow();
  return call;
}

// A vector of pairs of that type, from the values of two steps at one place; or, where the pair is the same
// for all lanes and these are neighbours in memory, its address.
Value* Emitter::pairs_of(llvm::Type* half, Value* first, Value* second, bool neighbours) {
  auto* pairs = llvm::FixedVectorType::get(half, static_cast<unsigned>(2 * lanes_));
  auto* loaded = llvm::dyn_cast<llvm::LoadInst>(first);
  if (neighbours && loaded && !loaded->getType()->isVectorTy()) return loaded->getPointerOperand();
  if (!first->getType()->isVectorTy()) {
    Value* low = b_.CreateZExt(b_.CreateBitCast(first, b_.getInt16Ty()), b_.getInt32Ty());
    Value* high = b_.CreateZExt(b_.CreateBitCast(second, b_.getInt16Ty()), b_.getInt32Ty());
    Value* both = b_.CreateOr(low, b_.CreateShl(high, 16));
    return b_.CreateBitCast(b_.CreateVectorSplat(static_cast<unsigned>(lanes_), both), pairs);
  }
  llvm::SmallVector<int, 32> interleaved;
  for (int lane = 0; lane < lanes_; ++lane) interleaved.append({lane, lane + lanes_});
  return b_.CreateBitCast(b_.CreateShuffleVector(first, second, interleaved), pairs);
}

// The sums of both products of each pair of s16.
Value* Emitter::products_of_pairs(Value* a, Value* b) {
  if (b->getType()->isPointerTy()) {
    Value* pair = b_.CreateAlignedLoad(b_.getInt32Ty(), b, llvm::Align(2));
    b = b_.CreateBitCast(b_.CreateVectorSplat(static_cast<unsigned>(lanes_), pair), a->getType());
  }
  const auto width = lanes_ == 16  ? llvm::Intrinsic::x86_avx512_pmaddw_d_512
                     : lanes_ == 8 ? llvm::Intrinsic::x86_avx2_pmadd_wd
                                   : llvm::Intrinsic::x86_sse2_pmadd_wd;
  return b_.CreateIntrinsic(width, {a, b});
}

void Emitter::dot_pairs(const Loop& loop, const std::array<std::vector<Value*>, 2>& first,
                        const std::array<std::vector<Value*>, 2>& second, std::vector<Value*>& sums) {
  std::array<DimMask, 2> masks{};
  std::array<bool, 2> neighbours{};
  size_t next = 0;
  for (const kernel::Stmt& stmt : loop.body.stmts) {
    const auto* load = std::get_if<kernel::Load>(&stmt.node);
    if (!load) continue;
    neighbours[next] = load->offset.coefficient(loop.var) == 1 && !load->offset.uses_nonlinearly(loop.var) &&
                       memory_scale(load->buffer) == 1;
    masks[next++] = varying_.scalars[static_cast<size_t>(load->result)];
  }
  const bool integers = is_integer(kernel_.scalars[static_cast<size_t>(loop.carries[0].next)]);
  llvm::Type* half = integers ? static_cast<llvm::Type*>(b_.getInt16Ty()) : b_.getBFloatTy();
  std::array<std::vector<Value*>, 2> pairs;
  for (size_t i = 0; i < 2; ++i) {
    for (size_t copy = 0; copy < first[i].size(); ++copy)
      pairs[i].push_back(pairs_of(half, first[i][copy], second[i][copy], neighbours[i]));
  }
  const DimMask all = varying_.loops.at(&loop).carries[0];
  for (int copy = 0; copy < copy_count(all); ++copy) {
    const Coords coords = coords_of(all, copy);
    Value*& sum = sums[static_cast<size_t>(copy)];
    Value* a = pairs[0][static_cast<size_t>(copy_index(masks[0], coords))];
    Value* b = pairs[1][static_cast<size_t>(copy_index(masks[1], coords))];
    if (a->getType()->isPointerTy()) std::swap(a, b);
    if (integers) {
      sum = b_.CreateAdd(sum, products_of_pairs(a, b));
      continue;
    }
    sum = b->getType()->isPointerTy()
              ? dot_with_pair_at(b, a, sum)
              : b_.CreateIntrinsic(llvm::Intrinsic::x86_avx512bf16_dpbf16ps_512, {sum, a, b});
  }
}

}  // namespace ingot::codegen
