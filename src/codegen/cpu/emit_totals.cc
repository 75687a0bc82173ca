// Running totals on lanes: first those within each vector, in as many rounds as it takes to reach the first
// lane from the last one, doubling the distance; then what came before the vector is combined with all lanes.
// From vector to vector there is one operation to wait for.
#include "base/check.h"
#include "codegen/cpu/emitter.h"

namespace ingot::codegen {

using kernel::Loop;
using llvm::Value;

void Emitter::emit_totals_lanes(const Loop& loop) {
  constexpr int64_t kUnroll = 4;
  constexpr size_t kSmall = 12;  // statements of a body that is unrolled
  const kernel::LoopWidths& w = loop.widths;
  Variable& v = vars_[static_cast<size_t>(loop.var)];
  v = {nullptr, 0, 0, 0};
  std::vector<Carried> state{initial(loop)};
  lane_var_ = loop.var;
  open_[0] = &loop;
  extents_[0] = 1;
  for (const kernel::Let* let : kernel::running_totals(loop)) {
    for (size_t i = 0; i < loop.carries.size(); ++i) {
      if (loop.carries[i].next == let->result)
        totals_[let->result] = {let->operands[0] == loop.carries[i].arg, nullptr};
    }
  }
  auto vectors = [&](int64_t count) {
    const int64_t delta = v.delta;
    for (int64_t k = 0; k < count; ++k) {
      v.delta = delta + k * lanes_;
      for (size_t i = 0; i < loop.carries.size(); ++i) totals_.at(loop.carries[i].next).before = &state[0][i];
      emit_stretch(loop.body);
    }
    v.delta = delta;
  };
  // Vectors as wide as possible, then what is left in narrower ones.
  for (int64_t done = 0, lanes = w.lanes; done < loop.extent; lanes /= 2) {
    const int64_t count = (loop.extent - done) / lanes;
    if (count == 0) continue;
    lanes_ = static_cast<int>(lanes);
    for (std::vector<Value*>& copies : state[0]) {
      for (Value*& value : copies) value = splat(value, lanes_);
    }
    const int64_t unroll = loop.body.stmts.size() <= kSmall ? std::min(kUnroll, count) : 1;
    v.delta = done;
    counted_loop(loop.var, count / unroll, unroll * lanes, loop.extent, state, [&] { vectors(unroll); });
    v.delta = done + count / unroll * unroll * lanes;
    vectors(count % unroll);
    done += count * lanes;
    if (lanes_ == 1) continue;
    for (std::vector<Value*>& copies : state[0]) {
      for (Value*& value : copies) value = b_.CreateExtractElement(value, uint64_t{0});
    }
  }
  for (const kernel::Carry& carry : loop.carries) totals_.erase(carry.next);
  v.delta = 0;
  lanes_ = 1;
  lane_var_ = kernel::kNone;
  open_[0] = nullptr;
  define_results(loop, state[0]);
}

void Emitter::emit_total(const kernel::Let& let) {
  const Total& total = totals_.at(let.result);
  const DimMask mask = varying_.scalars[static_cast<size_t>(let.result)];
  const auto& recipe_of = std::get<ir::ScalarRecipe>(*let.record->becomes);
  const Tensor neutral = (*recipe_of.identity)(dtype(let.result));
  Value* none = splat(literal({kernel::kNone, neutral}, 1), lanes_);
  auto combine = [&](Value* earlier, Value* later) {
    Value* operands[] = {total.left ? earlier : later, total.left ? later : earlier};
    return recipe(let, operands, lanes_);
  };
  std::vector<Value*> results;
  for (int copy = 0; copy < copy_count(mask); ++copy) {
    const Coords coords = coords_of(mask, copy);
    Value* sums = get(let.operands[total.left ? 1 : 0], coords, true);
    for (int distance = 1; distance < lanes_; distance *= 2) {
      std::vector<int> order;
      for (int lane = 0; lane < lanes_; ++lane)
        order.push_back(lane < distance ? lanes_ + lane : lane - distance);
      sums = combine(b_.CreateShuffleVector(sums, none, order), sums);
    }
    Value*& before = (*total.before)[static_cast<size_t>(copy_index(mask & ~kLaneBit, coords))];
    results.push_back(combine(before, sums));
    Value* all = sums;
    if (lanes_ > 1)
      all = b_.CreateShuffleVector(sums, std::vector<int>(static_cast<size_t>(lanes_), lanes_ - 1));
    before = combine(before, all);
  }
  define(let.result, mask).copies = std::move(results);
  bind(let.result);
}

}  // namespace ingot::codegen
