#include "codegen/cpu/vector_plan.h"

#include <algorithm>
#include <unordered_set>

#include "base/check.h"
#include "kernel/ir/blocks.h"
#include "kernel/ir/target.h"

namespace ingot::codegen {
namespace {

using namespace kernel;

class Planner {
 public:
  Planner(const Kernel& kernel, const Target& target) : kernel_(kernel), target_(target) {
    plan_.scalars.assign(kernel.scalars.size(), 0);
    plan_.vars.assign(kernel.var_names.size(), 0);
    plan_.locals.assign(kernel.buffers.size(), 0);
    for (auto [var, scalar] : kernel.bound) bound_.emplace(scalar, var);
  }

  VectorPlan run() {
    block(kernel_.body, 0, 1);
    choose(kernel_.body, nullptr);
    return std::move(plan_);
  }

 private:
  DimMask& mask(ScalarId id) { return plan_.scalars[static_cast<size_t>(id)]; }

  // --- which scalars vary over which dimensions
  // -------------------------------------------------------------------

  void block(const Block& block, DimMask open, int next_tile) {
    for (const Stmt& stmt : block.stmts) {
      if (const Let* let = std::get_if<Let>(&stmt.node)) {
        DimMask m = 0;
        for (ScalarId operand : let->operands) m |= mask(operand);
        if (totals_.count(let->result)) m |= kLaneBit;
        mask(let->result) = m;
        for (auto [bound, end] = bound_.equal_range(let->result); bound != end; ++bound)
          plan_.vars[static_cast<size_t>(bound->second)] = m;
      } else if (const IndexValue* value = std::get_if<IndexValue>(&stmt.node)) {
        mask(value->result) = plan_.of(value->index);
      } else if (const InRange* range = std::get_if<InRange>(&stmt.node)) {
        mask(range->result) = plan_.of(range->index);
      } else if (const Load* load = std::get_if<Load>(&stmt.node)) {
        DimMask m = plan_.of(load->offset) | plan_.locals[static_cast<size_t>(load->buffer)];
        if (load->predicate != kNone) m |= mask(load->predicate);
        mask(load->result) = m;
      } else if (const Alloc* alloc = std::get_if<Alloc>(&stmt.node)) {
        plan_.locals[static_cast<size_t>(alloc->buffer)] = open;
      } else if (const Literal* literal = std::get_if<Literal>(&stmt.node)) {
        literals_.insert(literal->result);
      } else if (const Loop* inner = std::get_if<Loop>(&stmt.node)) {
        loop(*inner, open, next_tile);
      }
    }
  }

  void loop(const Loop& loop, DimMask open, int next_tile) {
    LoopPlan& lp = plan_.loops[&loop];
    if (loop.style == LoopStyle::kLanes) lp.dim = 0;
    if (loop.style == LoopStyle::kTile) lp.dim = next_tile++;
    check(lp.dim < kMaxDims, "tile loops nest too deep");
    const DimMask own = lp.dim >= 0 ? DimMask{1} << lp.dim : 0;
    plan_.vars[static_cast<size_t>(loop.var)] = own;

    const size_t n = loop.carries.size();
    std::vector<DimMask> carried(n);
    for (size_t i = 0; i < n; ++i) carried[i] = mask(loop.carries[i].init);
    // A running total on lanes has a value for each of them, but is handed on as one.
    const bool totals = loop.kind == LoopKind::kScan && own;
    if (totals) {
      for (const Carry& carry : loop.carries) totals_.insert(carry.next);
    }
    for (bool changed = true; changed;) {  // masks only grow: a few rounds
      changed = false;
      for (size_t i = 0; i < n; ++i) {
        if (loop.kind == LoopKind::kScan) mask(loop.carries[i].arg) = carried[i];
      }
      block(loop.body, open | own, next_tile);
      std::vector<DimMask> next(n);
      for (size_t i = 0; i < n; ++i)
        next[i] = carried[i] | (mask(loop.carries[i].next) & (totals ? ~own : ~DimMask{0}));
      if (loop.kind == LoopKind::kReduce) next = combined(loop, std::move(next));
      if (loop.kind == LoopKind::kReduce && own) {
        for (DimMask& m : next) m |= own;
      }
      changed = next != carried;
      carried = std::move(next);
    }
    lp.carries = carried;
    for (size_t i = 0; i < n; ++i) mask(loop.carries[i].result) = carried[i] & ~own;
  }

  // Results of one carry can depend on the values of another: an argmax's index on its maximum.
  std::vector<DimMask> combined(const Loop& loop, std::vector<DimMask> values) {
    const Combiner& c = loop.combiner;
    for (size_t i = 0; i < values.size(); ++i) mask(c.lhs[i]) = mask(c.rhs[i]) = values[i];
    block(c.body, 0, 1);
    for (size_t i = 0; i < values.size(); ++i) values[i] |= mask(c.out[i]);
    return values;
  }

  // --- widths and unrolling
  // -----------------------------------------------------------------------------------------

  void choose(const Block& block, const Loop* lanes) {
    for (const Stmt& stmt : block.stmts) {
      const Loop* loop = std::get_if<Loop>(&stmt.node);
      if (!loop) continue;
      LoopPlan& lp = plan_.loops[loop];
      if (loop->style == LoopStyle::kLanes) choose_lanes(*loop, lp);
      if (loop->style == LoopStyle::kTile) tile_points_ *= loop->extent;
      choose(loop->body, loop->style == LoopStyle::kLanes ? loop : lanes);
      if (loop->style == LoopStyle::kTile) tile_points_ /= std::max<int64_t>(loop->extent, 1);
      choose_unroll(*loop, lp, lanes);
    }
  }

  // Of local buffers that live inside of the block: one copy per lane.
  int64_t local_bytes(const Block& block) const {
    int64_t bytes = 0;
    for (const kernel::Stmt& stmt : block.stmts) {
      if (auto* alloc = std::get_if<kernel::Alloc>(&stmt.node)) {
        const kernel::Buffer& buffer = kernel_.buffers[static_cast<size_t>(alloc->buffer)];
        bytes += buffer.elements * static_cast<int64_t>(byte_size(buffer.dtype));
      } else if (auto* loop = std::get_if<Loop>(&stmt.node)) {
        bytes += local_bytes(loop->body);
      }
    }
    return bytes;
  }

  void choose_lanes(const Loop& loop, LoopPlan& lp) {
    size_t widest = 4;  // lanes of narrower types fill a part of the register
    widen(loop.body, widest);
    int64_t lanes = target_.vector_bytes / static_cast<int64_t>(widest);
    while (lanes > std::max<int64_t>(loop.extent, 1)) lanes /= 2;
    // Fewer lanes where what each keeps for itself would leave the second-level cache otherwise: tdma of
    // length 10,000 on a Zen 4 goes from 6.0 to 5.1 ms in f32.
    const int64_t kept = local_bytes(loop.body);
    while (lanes * static_cast<int64_t>(widest) > 32 && lanes * kept > target_.l2_bytes) lanes /= 2;
    // Units may run at the same time: those that update memory must not overlap at all.
    const bool in_place = updates_in_place(loop), apart = in_place && loop.kind == LoopKind::kParallel;
    while (apart && loop.extent % lanes != 0) lanes /= 2;
    lp.lanes = static_cast<int>(lanes);
    lp.vectors =
        static_cast<int>(std::clamp<int64_t>(loop.vectors, 1, std::max<int64_t>(loop.extent / lanes, 1)));
    if (apart && lanes == 1) lp.vectors = 1;
    while (apart && loop.extent % lp.width() != 0) --lp.vectors;
    if (loop.kind == LoopKind::kMap) lp.may_overlap = !in_place;
  }

  void widen(DType dtype, DimMask m, size_t& widest) const {
    if (m & kLaneBit) widest = std::max(widest, byte_size(dtype));
  }
  void widen(ScalarId id, size_t& widest) const {
    widen(kernel_.scalars[static_cast<size_t>(id)], plan_.scalars[static_cast<size_t>(id)], widest);
  }
  void widen(const Block& block, size_t& widest) const {
    for (const Stmt& stmt : block.stmts) {
      if (const Let* let = std::get_if<Let>(&stmt.node)) {
        widen(let->result, widest);
      } else if (const IndexValue* value = std::get_if<IndexValue>(&stmt.node)) {
        widen(value->result, widest);
      } else if (const Load* load = std::get_if<Load>(&stmt.node)) {
        widen(load->result, widest);
      } else if (const Store* store = std::get_if<Store>(&stmt.node)) {
        widen(store->value, widest);
      } else if (const Loop* loop = std::get_if<Loop>(&stmt.node)) {
        for (const Carry& carry : loop->carries) widen(carry.next, widest);
        widen(loop->body, widest);
      }
    }
  }

  // True if a point may read what it itself overwrites, so that no point may run twice.
  bool updates_in_place(const Loop& loop) const {
    std::vector<bool> loaded(kernel_.buffers.size()), stored(kernel_.buffers.size());
    if (loop.copies != kernel::kNone) return false;  // it does not run in place
    collect_accesses(loop.body, loaded, stored);
    for (size_t i = 0; i < loaded.size(); ++i) {
      const bool per_lane = plan_.locals[i] & kLaneBit;
      if (loaded[i] && stored[i] && !per_lane) return true;
    }
    // Where the output of an update stands in its array's place, one is the other.
    return std::any_of(kernel_.copied_first.begin(), kernel_.copied_first.end(), [&](const auto& copied) {
      return loaded[static_cast<size_t>(copied.input)] && stored[static_cast<size_t>(copied.output)];
    });
  }
  static void collect_accesses(const Block& block, std::vector<bool>& loaded, std::vector<bool>& stored) {
    for (const Stmt& stmt : block.stmts) {
      if (const Load* load = std::get_if<Load>(&stmt.node)) loaded[static_cast<size_t>(load->buffer)] = true;
      if (const Store* store = std::get_if<Store>(&stmt.node))
        stored[static_cast<size_t>(store->buffer)] = true;
      if (const Loop* loop = std::get_if<Loop>(&stmt.node); loop && loop->copies == kernel::kNone)
        collect_accesses(loop->body, loaded, stored);
    }
  }

  void choose_unroll(const Loop& loop, LoopPlan& lp, const Loop* lanes) {
    if (loop.step != 1 || loop.kind == LoopKind::kParallel || loop.style == LoopStyle::kTile) return;
    for (const Stmt& stmt : loop.body.stmts) {
      if (std::holds_alternative<Loop>(stmt.node)) return;
    }
    const int64_t vectors = lanes ? plan_.loops[lanes].vectors : lp.vectors;
    const int64_t size = static_cast<int64_t>(loop.body.stmts.size()) * std::max<int64_t>(vectors, 1) *
                         std::max<int64_t>(tile_points_, 1);
    if (loop.kind == LoopKind::kReduce) {
      const int64_t accumulators = tile_points_ * vectors * static_cast<int64_t>(loop.carries.size());
      const int64_t blocks = loop.extent / lp.width();
      int64_t unroll = loop.extent <= 8 ? 8 : 4;  // a few rows are added up without a loop
      while (unroll > 1 && (size * unroll > 256 || unroll > blocks)) unroll /= 2;
      // A tile that fills the registers has no place for what further steps load.
      const int64_t free = target_.vector_registers - accumulators - 1;
      auto loaded = [&] { return vectors * (blocks < 2 * unroll ? blocks : unroll); };
      while (unroll > 1 && tile_points_ > 1 && loaded() > free) unroll /= 2;
      lp.unroll = static_cast<int>(unroll);
      if (target_.bf16_products && kernel::sums_bf16_products(kernel_, loop))
        lp.unroll = std::max(lp.unroll, 2);
      // Enough independent chains hide the latency of the combiner; a register tile has them already. What
      // goes on from another loop's sums begins with them once.
      const bool fresh = std::all_of(loop.carries.begin(), loop.carries.end(),
                                     [&](const Carry& carry) { return literals_.count(carry.init) > 0; });
      lp.accumulators = accumulators >= 4 || !fresh ? 1 : lp.unroll;
    }
    if (lanes && lanes != &loop && loop.style == LoopStyle::kSerial) {
      lp.unroll = std::max(lp.unroll, transposed_unroll(loop, *lanes, size));
    }
  }

  // Rows of memory that lanes read across, step by step, are read in pieces of 16 bytes and transposed in
  // registers: the steps of one piece are unrolled, or those of a line where it would not stay in a cache.
  int transposed_unroll(const Loop& loop, const Loop& lanes, int64_t size) const {
    int64_t unroll = 1;
    auto see = [&](BufferId buffer, const Index& offset) {
      const Buffer& b = kernel_.buffers[static_cast<size_t>(buffer)];
      const int64_t stride = offset.coefficient(lanes.var), along = offset.coefficient(loop.var);
      if (b.kind == Buffer::Kind::kLocal || stride * stride <= 1 || along * along != 1) return;
      if (offset.uses_nonlinearly(lanes.var) || offset.uses_nonlinearly(loop.var)) return;
      const auto bytes = static_cast<int64_t>(byte_size(b.dtype));
      unroll = std::max<int64_t>(unroll, (rows_collide(stride * bytes) ? kLineBytes : 16) / bytes);
    };
    for (const Stmt& stmt : loop.body.stmts) {
      if (const Load* load = std::get_if<Load>(&stmt.node)) see(load->buffer, load->offset);
      if (const Store* store = std::get_if<Store>(&stmt.node)) see(store->buffer, store->offset);
    }
    while (unroll > 1 && size * unroll > 1024) unroll /= 2;
    return static_cast<int>(unroll);
  }

  const Kernel& kernel_;
  const Target& target_;
  VectorPlan plan_;
  int64_t tile_points_ = 1;
  std::unordered_set<ScalarId> totals_;
  std::unordered_set<ScalarId> literals_;
  std::unordered_multimap<ScalarId, VarId> bound_;
};

}  // namespace

DimMask VectorPlan::of(const Index& index) const {
  std::vector<int> ids;
  index.collect_variables(ids);
  DimMask m = 0;
  for (int id : ids) m |= vars[static_cast<size_t>(id)];
  return m;
}

VectorPlan make_vector_plan(const Kernel& kernel, const Target& target) {
  return Planner(kernel, target).run();
}

int64_t blocks_of(const Loop& loop, const LoopPlan& plan) {
  const int64_t step = loop.style == LoopStyle::kLanes ? plan.width() : loop.step;
  return (loop.extent + step - 1) / step;
}

}  // namespace ingot::codegen
