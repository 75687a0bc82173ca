// Loops: over steps, over blocks of lanes, over tiles.
#include <llvm/IR/IntrinsicInst.h>

#include "base/check.h"
#include "codegen/cpu/emitter.h"
#include "codegen/cpu/llvm_scalar_builder.h"
#include "kernel/ir/blocks.h"

namespace ingot::codegen {

using kernel::Loop;
using kernel::LoopKind;
using kernel::LoopStyle;
using llvm::Value;

namespace {

bool is_prefetch(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::prefetch;
}

}  // namespace

void Emitter::emit_block(const kernel::Block& block) {
  for (size_t i = 0; i < block.stmts.size();) {
    if (const size_t done = emit_matrix_product(block, i)) {
      i += done;
      continue;
    }
    std::visit([&](const auto& node) { emit(node); }, block.stmts[i++].node);
  }
}

void Emitter::emit_stretch(const kernel::Block& block) {
  Stretch stretch;
  plan_runs(block, kernel::kNone, 1, stretch);
  stretch_ = &stretch;
  emit_block(block);
  flush_stores();
  stretch_ = nullptr;
}

void Emitter::emit(const Loop& loop) {
  check(loop.kind != LoopKind::kParallel, "a parallel loop stands inside of the body");
  check(loop.widths.lanes > 0, "the schedule has not chosen a loop's widths");
  if (stretch_) flush_stores();
  Stretch* outer = std::exchange(stretch_, nullptr);
  const size_t scratch = scratch_used_;
  llvm::BasicBlock* after_copy = nullptr;
  if (loop.copies != kernel::kNone) after_copy = skip_if_in_place(loop);
  if (loop.extent == 0) {
    define_results(loop, initial(loop));
  } else if (emit_outlined(loop)) {
    // a call stands here
  } else if (loop.steps != kernel::kNone || !loop.running.empty()) {
    emit_some_steps(loop);
  } else if (loop.style == LoopStyle::kTile) {
    emit_tile(loop);
  } else if (loop.style == LoopStyle::kSerial) {
    if (!emit_streaming(loop)) emit_serial(loop);
  } else if (loop.kind == LoopKind::kReduce) {
    emit_reduce_lanes(loop);
  } else if (loop.kind == LoopKind::kScan && !kernel::appends(loop)) {
    emit_totals_lanes(loop);
  } else if (!emit_streaming(loop)) {
    emit_map_lanes(loop);
  }
  if (after_copy) {
    b_.CreateBr(after_copy);
    b_.SetInsertPoint(after_copy);
  }
  scratch_used_ = scratch;
  stretch_ = outer;
}

// What copies an input to an output that stands in its place is not run. Returns where the code goes on.
llvm::BasicBlock* Emitter::skip_if_in_place(const Loop& loop) {
  Value* same = b_.getFalse();
  kernel::for_each_stmt(const_cast<kernel::Block&>(loop.body), [&](const kernel::Stmt& stmt) {
    if (const auto* store = std::get_if<kernel::Store>(&stmt.node))
      same = b_.CreateICmpEQ(buffer_base(loop.copies), buffer_base(store->buffer));
  });
  auto* copy = llvm::BasicBlock::Create(llvm_, "copy", function_);
  auto* after = llvm::BasicBlock::Create(llvm_, "copied", function_);
  b_.CreateCondBr(same, after, copy);
  b_.SetInsertPoint(copy);
  return after;
}

void Emitter::emit_tile(const Loop& loop) {
  const int dim = varying_.loops.at(&loop).dim;
  extents_[static_cast<size_t>(dim)] = static_cast<int>(loop.extent);
  vars_[static_cast<size_t>(loop.var)] = {nullptr, 0, 0, dim};
  ++open_tiles_;
  open_[static_cast<size_t>(dim)] = &loop;
  emit_stretch(loop.body);
  open_[static_cast<size_t>(dim)] = nullptr;
  --open_tiles_;
}

// --- carried values

Emitter::Carried Emitter::initial(const Loop& loop) {
  const std::vector<DimMask>& carried_dims = varying_.loops.at(&loop).carries;
  Carried state;
  for (size_t i = 0; i < loop.carries.size(); ++i) {
    const DimMask mask =
        loop.extent == 0 ? varying_.scalars[static_cast<size_t>(loop.carries[i].result)] : carried_dims[i];
    std::vector<Value*>& copies = state.emplace_back();
    for (int copy = 0; copy < copy_count(mask); ++copy) {
      copies.push_back(get(loop.carries[i].init, coords_of(mask, copy), mask & kLaneBit));
    }
  }
  return state;
}

Emitter::Carried Emitter::next_values(const Loop& loop) {
  const std::vector<DimMask>& carried_dims = varying_.loops.at(&loop).carries;
  Carried values;
  for (size_t i = 0; i < loop.carries.size(); ++i) {
    std::vector<Value*>& copies = values.emplace_back();
    for (int copy = 0; copy < copy_count(carried_dims[i]); ++copy) {
      const Coords coords = coords_of(carried_dims[i], copy);
      copies.push_back(get(loop.carries[i].next, coords, carried_dims[i] & kLaneBit));
    }
  }
  return values;
}

void Emitter::define_results(const Loop& loop, const Carried& values) {
  for (size_t i = 0; i < loop.carries.size(); ++i) {
    const kernel::ScalarId id = loop.carries[i].result;
    define(id, varying_.scalars[static_cast<size_t>(id)]).copies = values[i];
  }
}

std::vector<Value*> Emitter::combine_one(const Loop& loop, std::span<Value* const> lhs,
                                         std::span<Value* const> rhs, const Coords& coords, int lanes) {
  const kernel::Combiner& c = loop.combiner;
  std::unordered_map<kernel::ScalarId, Value*> known;
  for (size_t i = 0; i < lhs.size(); ++i) known[c.lhs[i]] = lhs[i], known[c.rhs[i]] = rhs[i];
  auto lookup = [&](kernel::ScalarId id) -> Value* {
    auto found = known.find(id);
    Value* value = found != known.end() ? found->second : get(id, coords, false);
    return value->getType()->isVectorTy() ? value : splat(value, lanes);
  };
  for (const kernel::Stmt& stmt : c.body.stmts) {
    if (const auto* l = std::get_if<kernel::Literal>(&stmt.node)) known[l->result] = literal(*l, lanes);
    const auto* let = std::get_if<kernel::Let>(&stmt.node);
    if (!let) continue;
    if (Value* comparison = known_comparison(loop, *let, lanes)) {
      known[let->result] = comparison;
      continue;
    }
    std::vector<Value*> operands;
    for (kernel::ScalarId operand : let->operands) operands.push_back(lookup(operand));
    known[let->result] = recipe(*let, operands, lanes);
  }
  std::vector<Value*> out;
  for (kernel::ScalarId id : c.out) out.push_back(lookup(id));
  return out;
}

// All carries at all points. Carries of one loop may vary over different dimensions: the widest counts.
Emitter::Carried Emitter::combine(const Loop& loop, const Carried& lhs, const Carried& rhs) {
  const std::vector<DimMask>& carried_dims = varying_.loops.at(&loop).carries;
  Carried result(lhs.size());
  DimMask all = 0;
  for (size_t i = 0; i < lhs.size(); ++i) {
    all |= carried_dims[i];
    result[i].resize(lhs[i].size());
  }
  for (int copy = 0; copy < copy_count(all); ++copy) {
    const Coords coords = coords_of(all, copy);
    std::vector<Value*> a, b;
    for (size_t i = 0; i < lhs.size(); ++i) {
      const auto at = static_cast<size_t>(copy_index(carried_dims[i], coords));
      a.push_back(lhs[i][at]);
      b.push_back(rhs[i][at]);
      if (width(all) > 1 && width(carried_dims[i]) == 1) {
        a.back() = splat(a.back(), lanes_);
        b.back() = splat(b.back(), lanes_);
      }
    }
    std::vector<Value*> out = combine_one(loop, a, b, coords, width(all));
    for (size_t i = 0; i < lhs.size(); ++i) {
      Value* value = out[i];
      if (width(all) > 1 && width(carried_dims[i]) == 1) value = b_.CreateExtractElement(value, uint64_t{0});
      result[i][static_cast<size_t>(copy_index(carried_dims[i], coords))] = value;
    }
  }
  return result;
}

// --- machine loops

// Runs `body` `iterations` times with var = 0, step, ... (at most last_start) and the state carried around.
void Emitter::counted_loop(kernel::VarId var, int64_t iterations, int64_t step, int64_t last_start,
                           std::vector<Carried>& state, const std::function<void()>& body) {
  Variable& v = vars_[static_cast<size_t>(var)];
  if (iterations == 1) {
    v.base = nullptr;
    v.level = 0;
    body();
    return;
  }
  ++machine_loops_;
  llvm::BasicBlock* before = b_.GetInsertBlock();
  auto* head = llvm::BasicBlock::Create(llvm_, "loop", function_);
  auto* inside = llvm::BasicBlock::Create(llvm_, "body", function_);
  b_.CreateBr(head);
  b_.SetInsertPoint(head);
  llvm::PHINode* counter = b_.CreatePHI(b_.getInt64Ty(), 2);
  counter->addIncoming(b_.getInt64(0), before);
  std::vector<llvm::PHINode*> phis;
  std::vector<Value*> before_values;
  for (Carried& carried : state) {
    for (auto& copies : carried) {
      for (Value*& value : copies) {
        phis.push_back(b_.CreatePHI(value->getType(), 2));
        phis.back()->addIncoming(value, before);
        value = phis.back();
      }
    }
  }
  Value* start = counter;
  if ((iterations - 1) * step > last_start) {
    start = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, counter,
                                     b_.getInt64(static_cast<uint64_t>(last_start)));
  }
  b_.CreateBr(inside);
  b_.SetInsertPoint(inside);
  const size_t outside = levels_.size();
  levels_.push_back({head, {}, {}});
  v.base = start;
  v.level = static_cast<int>(outside);
  body();
  close_levels(outside);
  Value* next = b_.CreateAdd(counter, b_.getInt64(static_cast<uint64_t>(step)));
  llvm::BasicBlock* last = b_.GetInsertBlock();
  auto* after = llvm::BasicBlock::Create(llvm_, "after", function_);
  b_.CreateCondBr(b_.CreateICmpULT(next, b_.getInt64(static_cast<uint64_t>(iterations * step))), head, after);
  counter->addIncoming(next, last);
  size_t phi = 0;
  for (Carried& carried : state) {
    for (auto& copies : carried) {
      for (Value* value : copies) phis[phi++]->addIncoming(value, last);
    }
  }
  b_.SetInsertPoint(after);
  v.base = nullptr;
  v.level = 0;
}

// `count` steps of a serial loop as one stretch of straight-line code. The variable stands at base + delta.
// The first `begun` are what their accumulators begin with.
void Emitter::steps(const Loop& loop, int count, std::vector<Carried>& state, size_t begun) {
  Variable& v = vars_[static_cast<size_t>(loop.var)];
  const int64_t delta = v.delta;
  Stretch stretch;
  plan_runs(loop.body, loop.var, count, stretch);
  const std::vector<DimMask>& carried_dims = varying_.loops.at(&loop).carries;
  const bool in_pairs = count % 2 == 0 && loop.reduce_by == kernel::ReduceBy::kPairs;
  for (int step = 0; in_pairs && step < count; step += 2) {
    stretch_ = &stretch;
    v.delta = delta + step;
    const auto first = pair_operands(loop);
    v.delta = delta + step + 1;
    dot_pairs(loop, first, pair_operands(loop), state[static_cast<size_t>(step / 2) % state.size()][0]);
  }
  for (int step = in_pairs ? count : 0; step < count; ++step) {
    stretch_ = &stretch;
    v.delta = delta + step;
    if (loop.kind == LoopKind::kScan) {
      for (size_t i = 0; i < loop.carries.size(); ++i)
        define(loop.carries[i].arg, carried_dims[i]).copies = state[0][i];
    }
    emit_block(loop.body);
    if (loop.carries.empty()) continue;
    Carried next = next_values(loop);
    Carried& own = state[static_cast<size_t>(step) % state.size()];
    const bool as_it_is = loop.kind == LoopKind::kScan || static_cast<size_t>(step) < begun;
    own = as_it_is ? std::move(next) : combine(loop, own, next);
  }
  flush_stores();
  stretch_ = nullptr;
  v.delta = delta;
  if (open_tiles_ > 0 && loop.kind == LoopKind::kReduce) sink_to_first_use(*b_.GetInsertBlock());
}

// Moves each value of the block to where it is first used. The sums of a tile fill the registers; what is
// loaded for one row of them must not stand beside what is loaded for all others.
void Emitter::sink_to_first_use(llvm::BasicBlock& block) {
  std::vector<llvm::Instruction*> movable;
  for (llvm::Instruction& instruction : block) {
    if (is_prefetch(instruction)) continue;
    if (instruction.mayWriteToMemory()) return;
    if (!llvm::isa<llvm::PHINode>(instruction) && !instruction.isTerminator())
      movable.push_back(&instruction);
  }
  for (size_t i = movable.size(); i-- > 0;) {
    llvm::Instruction* first = nullptr;
    for (llvm::User* user : movable[i]->users()) {
      auto* other = llvm::dyn_cast<llvm::Instruction>(user);
      if (!other || other->getParent() != &block || llvm::isa<llvm::PHINode>(other)) continue;
      if (!first || other->comesBefore(first)) first = other;
    }
    if (first) movable[i]->moveBefore(first->getIterator());
  }
}

void Emitter::emit_serial(const Loop& loop) {
  const kernel::LoopWidths& w = loop.widths;
  Variable& v = vars_[static_cast<size_t>(loop.var)];
  v = {};
  const int64_t count = loop.blocks();
  const int64_t unroll = std::min<int64_t>(w.unroll, count);
  const bool accumulate = loop.kind == LoopKind::kReduce;
  std::vector<Carried> state(accumulate ? static_cast<size_t>(std::min<int64_t>(w.accumulators, unroll)) : 1,
                             initial(loop));
  int64_t iterations = count / unroll;
  const int64_t done = iterations * unroll, rest = count % unroll;
  if (iterations > 1) stage_outputs(loop);
  const bool rising = iterations > 1 && !loop.rising.empty();
  if (rising) {
    steps(loop, static_cast<int>(unroll), state, state.size());
    begun_.insert(&loop);
    --iterations;
    v.delta = unroll;
  }
  counted_loop(loop.var, iterations, unroll * loop.step, std::max<int64_t>(loop.extent - loop.step, 0), state,
               [&] { steps(loop, static_cast<int>(unroll), state); });
  if (rest) {
    v.delta = done;
    steps(loop, static_cast<int>(rest), state);
  }
  v.delta = 0;
  begun_.erase(&loop);
  copy_staged();
  for (size_t half = state.size() / 2; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) state[i] = combine(loop, state[i], state[i + half]);
  }
  define_results(loop, state[0]);
}

// --- lanes

void Emitter::emit_map_lanes(const Loop& loop) {
  const kernel::LoopWidths& w = loop.widths;
  Variable& v = vars_[static_cast<size_t>(loop.var)];
  v = {nullptr, 0, 0, 0};
  lane_var_ = loop.var;
  open_[0] = &loop;
  std::vector<Carried> none;
  auto blocks = [&](int lanes, int vectors, int64_t start, int64_t extent, bool overlap) {
    lanes_ = lanes;
    extents_[0] = vectors;
    v.delta = start;
    const int64_t width = static_cast<int64_t>(lanes) * vectors;
    const int64_t count = overlap ? (extent + width - 1) / width : extent / width;
    counted_loop(loop.var, count, width, extent - width, none, [&] {
      Stretch stretch;
      plan_runs(loop.body, kernel::kNone, 1, stretch);
      stretch_ = &stretch;
      // What is permuted at once comes vector by vector: all of them at once would fill the registers.
      const int turns = permutes(loop) && stretch.groups.empty() ? vectors : 1;
      extents_[0] = vectors / turns;
      for (int turn = 0; turn < turns; ++turn, v.delta += lanes) emit_block(loop.body);
      v.delta = start;
      extents_[0] = vectors;
      flush_stores();
      stretch_ = nullptr;
    });
    return start + count * width;
  };
  int64_t done = w.may_overlap ? blocks(w.lanes, w.vectors, 0, loop.extent, true) : 0;
  for (int lanes = w.lanes, vectors = w.vectors; done < loop.extent;
       lanes = vectors == 1 ? lanes / 2 : lanes) {
    const int64_t width = static_cast<int64_t>(lanes) * vectors;
    if (loop.extent - done >= width) done = blocks(lanes, vectors, done, loop.extent - done, false);
    if (vectors > 1 && loop.extent - done >= lanes) done = blocks(lanes, 1, done, loop.extent - done, false);
    vectors = 1;
  }
  lanes_ = 1;
  lane_var_ = kernel::kNone;
  open_[0] = nullptr;
}

// Blocks of vectors into independent accumulators; then the rest, whose lanes that were counted before
// contribute the neutral element; then accumulators, vectors and lanes are joined, always in the same order.
void Emitter::emit_reduce_lanes(const Loop& loop) {
  const kernel::LoopWidths& w = loop.widths;
  Variable& v = vars_[static_cast<size_t>(loop.var)];
  v = {nullptr, 0, 0, 0};
  lane_var_ = loop.var;
  open_[0] = &loop;
  lanes_ = w.lanes;
  extents_[0] = w.vectors;
  const int64_t width = w.points(), blocks = loop.extent / width;
  const int64_t unroll = std::min<int64_t>(w.unroll, blocks);
  const auto accumulators = static_cast<size_t>(std::min<int64_t>(w.accumulators, unroll));
  std::vector<Carried> state(accumulators, initial(loop));
  const bool extreme = loop.reduce_by == kernel::ReduceBy::kNumbers;
  if (extreme) state.push_back(all_numbers());
  int64_t begun = 0;  // blocks that are in the accumulators from the beginning
  auto several = [&](int64_t count) {
    const int64_t delta = v.delta;
    Carried last;
    for (int64_t i = 0; i < count; ++i) {
      v.delta = delta + i * width;
      Carried& into = state[static_cast<size_t>(i) % accumulators];
      Carried next = block_values(loop);
      if (!extreme) {
        into = i < begun ? std::move(next) : combine(loop, into, next);
        continue;
      }
      add_extreme(loop, into, next);
      if (i % 2 == 1 || i + 1 == count) see_numbers(i % 2 == 1 ? last : next, next, state.back());
      last = std::move(next);
    }
    v.delta = delta;
  };
  int64_t iterations = blocks / unroll;
  if (iterations > 1 && !loop.rising.empty()) {
    begun = static_cast<int64_t>(accumulators);
    several(unroll);
    begun_.insert(&loop);
    begun = 0;
    --iterations;
    v.delta = unroll * width;
  }
  counted_loop(loop.var, iterations, unroll * width, loop.extent, state, [&] { several(unroll); });
  v.delta = blocks / unroll * unroll * width;
  several(blocks % unroll);
  begun_.erase(&loop);
  if (const int64_t rest = loop.extent - blocks * width; rest > 0) {
    const int64_t vectors = (rest + lanes_ - 1) / lanes_;
    v.delta = loop.extent - vectors * lanes_;
    reduce_rest(loop, static_cast<int>(vectors), static_cast<int>(vectors * lanes_ - rest), state[0]);
    if (extreme) see_numbers(state[0], state[0], state.back());
  }
  if (extreme) return join_extremes(loop, std::move(state));
  for (size_t half = state.size() / 2; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) state[i] = combine(loop, state[i], state[i + half]);
  }
  Carried result = join_lanes(loop, state[0]);
  lanes_ = 1;
  extents_[0] = 1;
  lane_var_ = kernel::kNone;
  open_[0] = nullptr;
  define_results(loop, result);
}

Emitter::Carried Emitter::block_values(const Loop& loop) {
  emit_stretch(loop.body);
  return next_values(loop);
}

// The last points, in fewer vectors than the accumulators have; the first `counted` lanes are there already.
void Emitter::reduce_rest(const Loop& loop, int vectors, int counted, Carried& into) {
  const kernel::LoopWidths& w = loop.widths;
  const std::vector<DimMask>& carried_dims = varying_.loops.at(&loop).carries;
  std::vector<llvm::Constant*> fresh;
  for (int lane = 0; lane < lanes_; ++lane) fresh.push_back(b_.getInt1(lane >= counted));
  extents_[0] = vectors;
  Carried next = block_values(loop), old(next.size());
  std::vector<std::vector<size_t>> places(next.size());  // where each copy lies in `into`
  for (size_t i = 0; i < next.size(); ++i) {
    for (size_t copy = 0; copy < next[i].size(); ++copy) {
      const Coords coords = coords_of(carried_dims[i], static_cast<int>(copy));
      if (coords[0] == 0 && counted > 0) {
        Value* neutral = get(loop.carries[i].init, coords, true);
        next[i][copy] = b_.CreateSelect(llvm::ConstantVector::get(fresh), next[i][copy], neutral);
      }
      extents_[0] = w.vectors;
      places[i].push_back(static_cast<size_t>(copy_index(carried_dims[i], coords)));
      extents_[0] = vectors;
      old[i].push_back(into[i][places[i].back()]);
    }
  }
  const Carried joined = combine(loop, old, next);
  for (size_t i = 0; i < joined.size(); ++i) {
    for (size_t copy = 0; copy < joined[i].size(); ++copy) into[i][places[i][copy]] = joined[i][copy];
  }
  extents_[0] = w.vectors;
}

// Vectors first, then halves of a vector, down to one lane.
Emitter::Carried Emitter::join_lanes(const Loop& loop, const Carried& values) {
  const kernel::LoopWidths& w = loop.widths;
  const std::vector<DimMask>& carried_dims = varying_.loops.at(&loop).carries;
  DimMask all = 0;
  Carried results;
  for (size_t i = 0; i < values.size(); ++i) {
    const DimMask mask = varying_.scalars[static_cast<size_t>(loop.carries[i].result)];
    all |= mask;
    results.emplace_back(static_cast<size_t>(copy_count(mask)));
  }
  for (int copy = 0; copy < copy_count(all); ++copy) {
    Coords coords = coords_of(all, copy);
    std::vector<Value*> sum;
    for (int vector = 0; vector < w.vectors; ++vector) {
      coords[0] = vector;
      std::vector<Value*> one;
      for (size_t i = 0; i < values.size(); ++i) {
        one.push_back(values[i][static_cast<size_t>(copy_index(carried_dims[i], coords))]);
      }
      sum = vector == 0 ? one : combine_one(loop, sum, one, coords, lanes_);
    }
    for (int lanes = lanes_ / 2; lanes >= 1; lanes /= 2) {
      std::vector<Value*> low, high;
      for (Value* value : sum) {
        std::vector<int> first, second;
        for (int lane = 0; lane < lanes; ++lane) first.push_back(lane), second.push_back(lane + lanes);
        low.push_back(lanes == 1 ? b_.CreateExtractElement(value, uint64_t{0})
                                 : b_.CreateShuffleVector(value, first));
        high.push_back(lanes == 1 ? b_.CreateExtractElement(value, uint64_t{1})
                                  : b_.CreateShuffleVector(value, second));
      }
      sum = combine_one(loop, low, high, coords, lanes);
    }
    for (size_t i = 0; i < values.size(); ++i) {
      const DimMask mask = varying_.scalars[static_cast<size_t>(loop.carries[i].result)];
      results[i][static_cast<size_t>(copy_index(mask, coords))] = sum[i];
    }
  }
  return results;
}

}  // namespace ingot::codegen
