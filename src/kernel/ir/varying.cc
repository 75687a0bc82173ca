#include "kernel/ir/varying.h"

#include <unordered_set>

#include "base/check.h"

namespace ingot::kernel {
namespace {

class VaryingWalk {
 public:
  explicit VaryingWalk(const Kernel& kernel) : kernel_(kernel) {
    found_.scalars.assign(kernel.scalars.size(), 0);
    found_.vars.assign(kernel.var_names.size(), 0);
    found_.locals.assign(kernel.buffers.size(), 0);
    for (auto [var, scalar] : kernel.bound) bound_.emplace(scalar, var);
  }

  Varying run() {
    block(kernel_.body, 0, 1);
    return std::move(found_);
  }

 private:
  DimMask& mask(ScalarId id) { return found_.scalars[static_cast<size_t>(id)]; }

  void block(const Block& block, DimMask open, int next_tile) {
    for (const Stmt& stmt : block.stmts) {
      if (const Let* let = std::get_if<Let>(&stmt.node)) {
        DimMask m = 0;
        for (ScalarId operand : let->operands) m |= mask(operand);
        if (totals_.count(let->result)) m |= kLaneBit;
        mask(let->result) = m;
        for (auto [bound, end] = bound_.equal_range(let->result); bound != end; ++bound)
          found_.vars[static_cast<size_t>(bound->second)] = m;
      } else if (const IndexValue* value = std::get_if<IndexValue>(&stmt.node)) {
        mask(value->result) = found_.of(value->index);
      } else if (const InRange* range = std::get_if<InRange>(&stmt.node)) {
        mask(range->result) = found_.of(range->index);
      } else if (const Load* load = std::get_if<Load>(&stmt.node)) {
        DimMask m = found_.of(load->offset) | found_.locals[static_cast<size_t>(load->buffer)];
        if (load->predicate != kNone) m |= mask(load->predicate);
        mask(load->result) = m;
      } else if (const Alloc* alloc = std::get_if<Alloc>(&stmt.node)) {
        found_.locals[static_cast<size_t>(alloc->buffer)] = open;
      } else if (const Loop* inner = std::get_if<Loop>(&stmt.node)) {
        loop(*inner, open, next_tile);
      }
    }
  }

  void loop(const Loop& loop, DimMask open, int next_tile) {
    Varying::OfLoop& own_loop = found_.loops[&loop];
    if (loop.style == LoopStyle::kLanes) own_loop.dim = 0;
    if (loop.style == LoopStyle::kTile) own_loop.dim = next_tile++;
    check(own_loop.dim < kMaxDims, "tile loops nest too deep");
    const DimMask own = own_loop.dim >= 0 ? DimMask{1} << own_loop.dim : 0;
    found_.vars[static_cast<size_t>(loop.var)] = own;

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
    for (size_t i = 0; i < n; ++i) mask(loop.carries[i].result) = carried[i] & ~own;
    found_.loops[&loop].carries = std::move(carried);
  }

  // Results of one carry can depend on the values of another: an argmax's index on its maximum.
  std::vector<DimMask> combined(const Loop& loop, std::vector<DimMask> values) {
    const Combiner& c = loop.combiner;
    for (size_t i = 0; i < values.size(); ++i) mask(c.lhs[i]) = mask(c.rhs[i]) = values[i];
    block(c.body, 0, 1);
    for (size_t i = 0; i < values.size(); ++i) values[i] |= mask(c.out[i]);
    return values;
  }

  const Kernel& kernel_;
  Varying found_;
  std::unordered_set<ScalarId> totals_;
  std::unordered_multimap<ScalarId, VarId> bound_;
};

}  // namespace

DimMask Varying::of(const Index& index) const {
  std::vector<int> ids;
  index.collect_variables(ids);
  DimMask m = 0;
  for (int id : ids) m |= vars[static_cast<size_t>(id)];
  return m;
}

Varying varying(const Kernel& kernel) {
  return VaryingWalk(kernel).run();
}

}  // namespace ingot::kernel
