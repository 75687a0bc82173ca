// The kernel's entry: units of work, decoded into the variables of the band.
#include <llvm/IR/IntrinsicsX86.h>

#include "base/check.h"
#include "base/divide.h"
#include "codegen/cpu/emitter.h"

namespace ingot::codegen {

using kernel::Loop;
using kernel::LoopKind;
using llvm::Value;

llvm::Function* ModuleContext::make_function(const std::string& name, llvm::FunctionType* type,
                                             bool internal) {
  const auto linkage = internal ? llvm::Function::InternalLinkage : llvm::Function::ExternalLinkage;
  auto* function = llvm::Function::Create(type, linkage, name, module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  if (instructions.x86) {
    const std::string bits = std::to_string(target.vector_bytes * 8);
    function->addFnAttr("prefer-vector-width", bits);
    function->addFnAttr("min-legal-vector-width", bits);
    // Spilled vectors lie within cache lines: across two of them they would cost as much as all arithmetic of
    // a register tile, or nothing, as the caller's stack has it.
    function->addFnAttr("stackrealign");
  }
  return function;
}

Emitter::Emitter(ModuleContext& context)
    : context_(context),
      kernel_(context.kernel),
      varying_(context.varying),
      llvm_(context.module.getContext()),
      b_(llvm_),
      bases_(kernel_.buffers.size()),
      locals_(kernel_.buffers.size()),
      scalars_(kernel_.scalars.size()),
      vars_(kernel_.var_names.size()) {
  extents_.fill(1);
  llvm::FastMathFlags flags;
  flags.setAllowContract(context.options.fma_contraction);
  b_.setFastMathFlags(flags);
  for (auto [var, scalar] : kernel_.bound) bound_.emplace(scalar, var);
}

// Space in the caller's scratch memory. A few lines of distance keep buffers of a power of two from sharing
// one set of the cache.
Value* Emitter::scratch(size_t bytes) {
  const size_t at = scratch_used_;
  scratch_used_ += (bytes + 63) / 64 * 64 + 128;
  context_.scratch_bytes = std::max(context_.scratch_bytes, scratch_used_);
  return at_level(0).CreateConstGEP1_64(b_.getInt8Ty(), scratch_base_, at);
}

// The pointers of inputs and outputs; shared buffers lie one behind the other in what follows them.
void Emitter::place_parameters() {
  const auto parameters = static_cast<size_t>(kernel_.input_count + kernel_.output_count);
  auto pointer = [&](size_t i) {
    return b_.CreateLoad(b_.getPtrTy(), b_.CreateConstGEP1_64(b_.getPtrTy(), function_->getArg(0), i));
  };
  for (size_t i = 0; i < parameters; ++i) bases_[i] = pointer(i);
  Value* shared = nullptr;
  for (size_t i = parameters; i < kernel_.buffers.size(); ++i) {
    const kernel::Buffer& buffer = kernel_.buffers[i];
    if (buffer.kind != kernel::Buffer::Kind::kShared) continue;
    if (!shared) shared = pointer(parameters);
    bases_[i] = b_.CreateConstGEP1_64(b_.getInt8Ty(), shared, context_.shared_bytes);
    context_.shared_bytes +=
        divide_up(buffer.elements * static_cast<int64_t>(byte_size(buffer.dtype)), 64) * 64;
  }
}

int64_t Emitter::emit_kernel() {
  llvm::Type* i64 = b_.getInt64Ty();
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), {b_.getPtrTy(), i64, i64, b_.getPtrTy()}, false);
  function_ = context_.make_function("kernel", type, false);
  scratch_base_ = function_->getArg(3);
  auto* entry = llvm::BasicBlock::Create(llvm_, "entry", function_);
  auto* start = llvm::BasicBlock::Create(llvm_, "start", function_);
  b_.SetInsertPoint(entry);
  place_parameters();
  b_.CreateBr(start);
  levels_.push_back({entry, {}, {}});
  b_.SetInsertPoint(start);

  std::vector<const Loop*> phases;
  for (const kernel::Stmt& stmt : kernel_.body.stmts) {
    const Loop* loop = std::get_if<Loop>(&stmt.node);
    if (loop && loop->kind == LoopKind::kParallel) phases.push_back(loop);
  }
  int64_t units = 0;
  if (phases.empty()) phases.push_back(nullptr);  // one unit
  for (const Loop* phase : phases) {
    if (phase != phases.front()) context_.barriers.push_back(units);
    units += emit_phase(phase, units, phases.size() > 1);
  }
  release_tiles();
  // Callers may use the narrow instructions that wide registers' dirty upper halves slow down.
  if (context_.instructions.x86 && context_.target.vector_bytes > 16)
    b_.CreateIntrinsic(llvm::Intrinsic::x86_avx_vzeroupper, {});
  b_.CreateRetVoid();
  if (outlined_calls_ > 64 && machine_loops_ == 0) {  // a long list of calls: there is nothing to optimise
    function_->addFnAttr(llvm::Attribute::OptimizeNone);
    function_->addFnAttr(llvm::Attribute::NoInline);
  }
  return units;
}

// The nest that begins with that loop at the root; null: the root itself, as one unit. Its units are numbered
// from `first` on; `several` says that other phases have units too. Returns their count.
int64_t Emitter::emit_phase(const Loop* outermost, int64_t first, bool several) {
  std::vector<const Loop*> band;
  Prelude prelude;
  const kernel::Block* body = &kernel_.body;
  int64_t units = 1;
  auto literals = [&](const kernel::Block& block) {
    for (const kernel::Stmt& stmt : block.stmts) {
      if (const auto* l = std::get_if<kernel::Literal>(&stmt.node)) emit(*l);
    }
  };
  for (const Loop* loop = outermost; loop;) {
    literals(*body);
    check(loop->widths.lanes > 0, "the schedule has not chosen a loop's widths");
    band.push_back(loop);
    units *= loop->blocks();
    body = &loop->body;
    loop = nullptr;
    for (const kernel::Stmt& stmt : body->stmts) {
      const Loop* inner = std::get_if<Loop>(&stmt.node);
      if (inner && inner->kind == LoopKind::kParallel) loop = inner;
    }
    if (!loop) break;
    for (const kernel::Stmt& stmt : body->stmts) {
      const Loop* inner = std::get_if<Loop>(&stmt.node);
      if (inner != loop && !std::holds_alternative<kernel::Literal>(stmt.node))
        prelude.stmts.push_back(&stmt);
    }
    if (!prelude.stmts.empty() && prelude.depth == 0) prelude.depth = band.size();
  }
  if (units == 0) return 0;
  auto* inside = llvm::BasicBlock::Create(llvm_, "phase", function_);
  auto* after = llvm::BasicBlock::Create(llvm_, "end", function_);
  Value *begin = function_->getArg(1), *end = function_->getArg(2);
  if (several) {
    Value *low = b_.getInt64(static_cast<uint64_t>(first)),
          *high = b_.getInt64(static_cast<uint64_t>(first + units));
    begin = b_.CreateSub(b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, begin, low), low);
    end = b_.CreateSub(b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, end, high), low);
  }
  b_.CreateCondBr(b_.CreateICmpSLT(begin, end), inside, after);
  b_.SetInsertPoint(inside);
  emit_units(band, prelude, *body, begin, end);
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
  return units;
}

// One machine loop over the units; the counters of the band's loops advance like an odometer, so that only
// the first unit is decoded by division.
void Emitter::emit_units(std::span<const Loop* const> band, const Prelude& prelude, const kernel::Block& body,
                         Value* begin, Value* end) {
  llvm::BasicBlock* before = b_.GetInsertBlock();
  struct Counter {
    const Loop* loop;
    int64_t blocks, step, last;
    Value* first;
    llvm::PHINode* phi = nullptr;
  };
  std::vector<Counter> counters;
  Value* rest = begin;
  for (size_t i = band.size(); i-- > 0;) {
    const bool lanes = band[i]->style == kernel::LoopStyle::kLanes;
    const int64_t step = lanes ? band[i]->widths.points() : band[i]->step, blocks = band[i]->blocks();
    Value* count = b_.getInt64(static_cast<uint64_t>(blocks));
    const bool outermost = i == 0;
    Value* first = outermost ? rest : b_.CreateURem(rest, count);
    if (!outermost) rest = b_.CreateUDiv(rest, count);
    counters.push_back({band[i], blocks, step, band[i]->extent - step, first});
  }
  auto* head = llvm::BasicBlock::Create(llvm_, "unit", function_);
  auto* inside = llvm::BasicBlock::Create(llvm_, "points", function_);
  auto* after = llvm::BasicBlock::Create(llvm_, "done", function_);
  b_.CreateBr(head);
  b_.SetInsertPoint(head);
  llvm::PHINode* unit = b_.CreatePHI(b_.getInt64Ty(), 2);
  unit->addIncoming(begin, before);
  for (Counter& c : counters) {
    if (c.blocks == 1) continue;
    c.phi = b_.CreatePHI(b_.getInt64Ty(), 2);
    c.phi->addIncoming(c.first, before);
  }
  const size_t outside = levels_.size();
  levels_.push_back({head, {}, {}});
  for (const Counter& c : counters) {
    const int dim = varying_.loops.at(c.loop).dim;
    Variable& v = vars_[static_cast<size_t>(c.loop->var)];
    v = {nullptr, 0, static_cast<int>(levels_.size()) - 1, dim};
    if (dim == 0) {
      lanes_ = c.loop->widths.lanes;
      extents_[0] = c.loop->widths.vectors;
      lane_var_ = c.loop->var;
      open_[0] = c.loop;
      band_lanes_ = true;
    }
    if (!c.phi) continue;
    v.base = b_.CreateMul(c.phi, b_.getInt64(static_cast<uint64_t>(c.step)));
    if ((c.blocks - 1) * c.step > c.last) {
      v.base =
          b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, v.base, b_.getInt64(static_cast<uint64_t>(c.last)));
    }
    if (dim == 0) {
      Value* next = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin,
                                             b_.CreateAdd(v.base, b_.getInt64(static_cast<uint64_t>(c.step))),
                                             b_.getInt64(static_cast<uint64_t>(c.last)));
      next_unit_ = b_.CreateSub(next, v.base);
    }
  }
  b_.CreateBr(inside);
  b_.SetInsertPoint(inside);
  if (!prelude.stmts.empty()) {
    // The first of these units, and each that begins another round of the loops inside.
    Value* again = b_.getTrue();
    for (size_t i = 0; i < counters.size() - prelude.depth; ++i) {
      if (counters[i].phi) again = b_.CreateAnd(again, b_.CreateICmpEQ(counters[i].phi, b_.getInt64(0)));
    }
    again = b_.CreateOr(again, b_.CreateICmpEQ(unit, begin));
    auto* prepare = llvm::BasicBlock::Create(llvm_, "prelude", function_);
    auto* prepared = llvm::BasicBlock::Create(llvm_, "prepared", function_);
    b_.CreateCondBr(again, prepare, prepared);
    b_.SetInsertPoint(prepare);
    for (const kernel::Stmt* stmt : prelude.stmts)
      std::visit([&](const auto& node) { emit(node); }, stmt->node);
    b_.CreateBr(prepared);
    b_.SetInsertPoint(prepared);
  }
  emit_stretch(body);
  close_levels(outside);

  Value* next = b_.CreateAdd(unit, b_.getInt64(1));
  Value* carry = b_.getTrue();  // does this counter advance?
  llvm::BasicBlock* last = b_.GetInsertBlock();
  for (Counter& c : counters) {
    if (!c.phi) continue;
    Value* advanced = b_.CreateAdd(c.phi, b_.CreateZExt(carry, b_.getInt64Ty()));
    if (c.loop != band[0]) {
      carry = b_.CreateICmpEQ(advanced, b_.getInt64(static_cast<uint64_t>(c.blocks)));
      advanced = b_.CreateSelect(carry, b_.getInt64(0), advanced);
    }
    c.phi->addIncoming(advanced, last);
  }
  unit->addIncoming(next, last);
  b_.CreateCondBr(b_.CreateICmpSLT(next, end), head, after);
  b_.SetInsertPoint(after);
  // Streaming stores are not ordered by the release with which a thread reports that its units are done.
  if (streams_) b_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
  lanes_ = 1;
  extents_[0] = 1;
  lane_var_ = kernel::kNone;
  band_lanes_ = false;
  next_unit_ = nullptr;
}

}  // namespace ingot::codegen
