// Scans that end at a number of steps which is known at run time, or once no point has a step left.
#include <map>

#include "codegen/cpu/emitter.h"

namespace ingot::codegen {

using kernel::Loop;
using llvm::Value;

namespace {

// What is known where a pred holds, so that the next step need not wait for what a choice between two values
// is made by: where a loop goes on, a processor guesses that it does.
class Facts {
 public:
  explicit Facts(Value* pred) { add(pred, true); }

  // What the value is, where it is chosen by what is known.
  Value* known(Value* value) const {
    for (auto* choice = llvm::dyn_cast<llvm::SelectInst>(value); choice != nullptr;
         choice = llvm::dyn_cast<llvm::SelectInst>(value)) {
      const std::optional<bool> holds = truth(choice->getCondition());
      if (!holds) break;
      value = *holds ? choice->getTrueValue() : choice->getFalseValue();
    }
    const std::optional<bool> holds = truth(value);
    return holds ? llvm::ConstantInt::getBool(value->getContext(), *holds) : value;
  }

 private:
  std::optional<bool> truth(const Value* pred) const {
    const auto* number = llvm::dyn_cast<llvm::ConstantInt>(pred);
    if (number != nullptr && number->getType()->isIntegerTy(1)) return number->isOne();
    const auto found = facts_.find(pred);
    return found == facts_.end() ? std::nullopt : std::optional(found->second);
  }

  void add(const Value* pred, bool holds) {
    if (!pred->getType()->isIntegerTy(1) || !facts_.insert({pred, holds}).second) return;
    const auto* op = llvm::dyn_cast<llvm::Instruction>(pred);
    if (op == nullptr) return;
    const auto* not_of = op->getOpcode() == llvm::Instruction::Xor
                             ? llvm::dyn_cast<llvm::ConstantInt>(op->getOperand(1))
                             : nullptr;
    if (not_of != nullptr && not_of->isOne()) return add(op->getOperand(0), !holds);
    if (op->getOpcode() != (holds ? llvm::Instruction::And : llvm::Instruction::Or)) return;
    add(op->getOperand(0), holds);
    add(op->getOperand(1), holds);
  }

  std::map<const Value*, bool> facts_;
};

}  // namespace

// Whether a step is left to any point: of the preds that say so, at all points of tiles and lanes.
Value* Emitter::any_runs(const Loop& loop, const Carried& state) {
  // On one number of lanes: a pred that is the same for all of them does as one of them does.
  const std::vector<DimMask>& dims = varying_.loops.at(&loop).carries;
  DimMask all = 0;
  for (size_t carry : loop.running) all |= dims[carry];
  Value* any = nullptr;
  for (size_t carry : loop.running) {
    for (Value* one : state[carry]) {
      if (width(all) > 1 && width(dims[carry]) == 1) one = splat(one, lanes_);
      any = any == nullptr ? one : b_.CreateOr(any, one);
    }
  }
  return any->getType()->isVectorTy() ? b_.CreateOrReduce(any) : any;
}

// As many steps as a scalar says, or until no point has one left; which may be none.
void Emitter::emit_some_steps(const Loop& loop) {
  Variable& v = vars_[static_cast<size_t>(loop.var)];
  v = {};
  Value* count = loop.steps == kernel::kNone ? b_.getInt64(static_cast<uint64_t>(loop.extent))
                                             : b_.CreateSExt(get(loop.steps, {}, false), b_.getInt64Ty());
  std::vector<Carried> state = {initial(loop)};
  // Calls fn on every carried value.
  auto each = [&](auto fn) {
    for (auto& copies : state[0]) {
      for (Value*& value : copies) fn(value);
    }
  };
  ++machine_loops_;
  llvm::BasicBlock* before = b_.GetInsertBlock();
  auto* head = llvm::BasicBlock::Create(llvm_, "loop", function_);
  auto* inside = llvm::BasicBlock::Create(llvm_, "body", function_);
  auto* after = llvm::BasicBlock::Create(llvm_, "after", function_);
  b_.CreateCondBr(loop.running.empty() ? b_.CreateICmpSGT(count, b_.getInt64(0)) : any_runs(loop, state[0]),
                  head, after);
  std::vector<llvm::PHINode*> carried, results;
  for (auto* block : {head, after}) {
    b_.SetInsertPoint(block);
    each([&](Value* value) {
      (block == head ? carried : results).push_back(b_.CreatePHI(value->getType(), 2));
    });
  }
  size_t phi = 0;
  each([&](Value*& value) {
    carried[phi]->addIncoming(value, before);
    results[phi]->addIncoming(value, before);
    value = carried[phi++];
  });
  b_.SetInsertPoint(head);
  llvm::PHINode* counter = b_.CreatePHI(b_.getInt64Ty(), 2);
  counter->addIncoming(b_.getInt64(0), before);
  b_.CreateBr(inside);
  b_.SetInsertPoint(inside);
  const size_t outside = levels_.size();
  levels_.push_back({head, {}, {}});
  v.base = counter;
  v.level = static_cast<int>(outside);
  // Where a single pred decides, a step runs where it is true: what depends on it is decided here.
  if (loop.running.size() == 1) {
    std::vector<Value*>& decides = state[0][loop.running[0]];
    if (decides.size() == 1 && decides[0]->getType()->isIntegerTy(1)) decides[0] = b_.getTrue();
  }
  steps(loop, 1, state);
  close_levels(outside);
  Value* next = b_.CreateAdd(counter, b_.getInt64(1));
  llvm::BasicBlock* last = b_.GetInsertBlock();
  counter->addIncoming(next, last);
  Value* goes_on = b_.CreateICmpSLT(next, count);
  if (!loop.running.empty()) goes_on = b_.CreateAnd(goes_on, any_runs(loop, state[0]));
  b_.CreateCondBr(goes_on, head, after);
  const Facts facts(goes_on);
  phi = 0;
  each([&](Value*& value) {
    carried[phi]->addIncoming(facts.known(value), last);
    results[phi]->addIncoming(value, last);
    value = results[phi++];
  });
  b_.SetInsertPoint(after);
  v = {};
  define_results(loop, state[0]);
}

}  // namespace ingot::codegen
