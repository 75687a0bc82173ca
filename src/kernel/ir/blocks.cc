#include "kernel/ir/blocks.h"
#include "ops/kinds.h"

namespace ingot::kernel {

void substitute(Block& block, const std::function<Index(int, int64_t)>& replace) {
  for_each_index(block, [&](Index& index) { index = index.substitute(replace); });
}

namespace {

void collect_uses(const Kernel& kernel, const Stmt& stmt, std::vector<ScalarId>& out) {
  auto add = [&](ScalarId id) {
    if (id != kNone) out.push_back(id);
  };
  auto add_bound = [&](const Index& index) {
    std::vector<int> ids;
    if (!kernel.bound.empty()) index.collect_variables(ids);
    for (int id : ids) {
      if (auto bound = kernel.bound.find(id); bound != kernel.bound.end()) out.push_back(bound->second);
    }
  };
  if (auto* s = std::get_if<Let>(&stmt.node)) {
    for (ScalarId id : s->operands) add(id);
  } else if (auto* s = std::get_if<Load>(&stmt.node)) {
    add(s->predicate);
    add_bound(s->offset);
  } else if (auto* s = std::get_if<Store>(&stmt.node)) {
    add(s->value);
    add_bound(s->offset);
  } else if (auto* s = std::get_if<Append>(&stmt.node)) {
    for (ScalarId id : s->values) add(id);
    add(s->keep);
  } else if (auto* s = std::get_if<Prefetch>(&stmt.node)) {
    add_bound(s->offset);
  } else if (auto* s = std::get_if<IndexValue>(&stmt.node)) {
    add_bound(s->index);
  } else if (auto* s = std::get_if<InRange>(&stmt.node)) {
    add_bound(s->index);
  } else if (auto* s = std::get_if<Loop>(&stmt.node)) {
    add(s->steps);
    for (const Carry& carry : s->carries) {
      add(carry.init);
      add(carry.next);
    }
    for (const Stmt& inner : s->body.stmts) collect_uses(kernel, inner, out);
    for (const Stmt& inner : s->combiner.body.stmts) collect_uses(kernel, inner, out);
  }
}

}  // namespace

bool appends(const Loop& loop) {
  if (loop.kind != LoopKind::kScan || !loop.carries.empty() || loop.steps != kNone) return false;
  bool found = false;
  for (const Stmt& stmt : loop.body.stmts) {
    if (std::holds_alternative<Loop>(stmt.node) || std::holds_alternative<Alloc>(stmt.node)) return false;
    found = found || std::holds_alternative<Append>(stmt.node);
  }
  return found;
}

std::vector<ScalarId> uses(const Kernel& kernel, const Stmt& stmt) {
  std::vector<ScalarId> out;
  collect_uses(kernel, stmt, out);
  return out;
}

std::vector<ScalarId> results(const Stmt& stmt) {
  if (auto* s = std::get_if<Let>(&stmt.node)) return {s->result};
  if (auto* s = std::get_if<Literal>(&stmt.node)) return {s->result};
  if (auto* s = std::get_if<IndexValue>(&stmt.node)) return {s->result};
  if (auto* s = std::get_if<InRange>(&stmt.node)) return {s->result};
  if (auto* s = std::get_if<Load>(&stmt.node)) return {s->result};
  std::vector<ScalarId> out;
  if (auto* s = std::get_if<Loop>(&stmt.node)) {
    for (const Carry& carry : s->carries) out.push_back(carry.result);
  }
  return out;
}

int cost(const Stmt& stmt) {
  if (auto* s = std::get_if<Let>(&stmt.node)) return std::get<ir::ScalarRecipe>(*s->record->becomes).cost;
  const bool free = std::holds_alternative<Literal>(stmt.node) || std::holds_alternative<Alloc>(stmt.node) ||
                    std::holds_alternative<Prefetch>(stmt.node);  // what the load itself costs
  return free ? 0 : 1;
}

namespace {

struct Liveness {
  std::set<ScalarId> scalars;
  std::set<BufferId> buffers;

  bool is_dead_local(const Kernel& kernel, BufferId buffer) const {
    return kernel.buffers[static_cast<size_t>(buffer)].kind == Buffer::Kind::kLocal && !buffers.count(buffer);
  }
};

// One walk from the end to the start. Returns whether it found something alive that it had not known of.
bool mark(const Kernel& kernel, const Block& block, Liveness& live) {
  bool grown = false;
  auto use = [&](ScalarId id) {
    if (id != kNone) grown = live.scalars.insert(id).second || grown;
  };
  for (size_t i = block.stmts.size(); i-- > 0;) {
    const Stmt& stmt = block.stmts[i];
    if (auto* s = std::get_if<Store>(&stmt.node)) {
      if (live.is_dead_local(kernel, s->buffer)) continue;
      for (ScalarId id : uses(kernel, stmt)) use(id);
    } else if (auto* s = std::get_if<Append>(&stmt.node)) {
      if (live.is_dead_local(kernel, s->count)) continue;  // nobody knows how long the lists are
      for (ScalarId id : uses(kernel, stmt)) use(id);
      for (BufferId id : s->lists) grown = live.buffers.insert(id).second || grown;
    } else if (auto* s = std::get_if<Prefetch>(&stmt.node)) {
      if (live.is_dead_local(kernel, s->buffer)) continue;
      for (ScalarId id : uses(kernel, stmt)) use(id);
    } else if (auto* loop = std::get_if<Loop>(&stmt.node)) {
      for (const Carry& carry : loop->carries) {
        use(carry.init);
        use(carry.next);
      }
      use(loop->steps);
      for (ScalarId id : loop->combiner.out) use(id);
      grown = mark(kernel, loop->combiner.body, live) || grown;
      grown = mark(kernel, loop->body, live) || grown;
    } else {
      std::vector<ScalarId> made = results(stmt);
      if (made.empty() || !live.scalars.count(made[0])) continue;
      for (ScalarId id : uses(kernel, stmt)) use(id);
      if (auto* s = std::get_if<Load>(&stmt.node)) grown = live.buffers.insert(s->buffer).second || grown;
    }
  }
  return grown;
}

void sweep(const Kernel& kernel, Block& block, const Liveness& live) {
  std::erase_if(block.stmts, [&](Stmt& stmt) {
    if (auto* loop = std::get_if<Loop>(&stmt.node)) {
      sweep(kernel, loop->body, live);
      return loop->body.stmts.empty() && loop->carries.empty();
    }
    if (auto* s = std::get_if<Store>(&stmt.node)) return live.is_dead_local(kernel, s->buffer);
    if (auto* s = std::get_if<Append>(&stmt.node)) return live.is_dead_local(kernel, s->count);
    if (auto* s = std::get_if<Prefetch>(&stmt.node)) return live.is_dead_local(kernel, s->buffer);
    if (auto* s = std::get_if<Alloc>(&stmt.node)) return live.is_dead_local(kernel, s->buffer);
    std::vector<ScalarId> made = results(stmt);
    return !made.empty() && !live.scalars.count(made[0]);
  });
}

}  // namespace

int64_t widest_scalar(const Kernel& kernel) {
  size_t widest = 1;
  for (DType dtype : kernel.scalars) widest = std::max(widest, byte_size(dtype));
  return static_cast<int64_t>(widest);
}

int64_t lanes_of_widest(const Kernel& kernel, const Target& target) {
  return std::max<int64_t>(1, target.vector_bytes / widest_scalar(kernel));
}

bool has_loops(const Block& block) {
  return std::any_of(block.stmts.begin(), block.stmts.end(),
                     [](const Stmt& stmt) { return std::holds_alternative<Loop>(stmt.node); });
}

Prefetch ahead_of(const Load& load, const std::unordered_map<VarId, int64_t>& shifted) {
  const Index offset = load.offset.substitute([&](int id, int64_t extent) {
    auto it = shifted.find(id);
    return Index::variable(id, extent) + Index(it == shifted.end() ? 0 : it->second);
  });
  return {load.buffer, offset};
}

namespace {

const Let* conversion(const Stmt& stmt) {
  const auto* let = std::get_if<Let>(&stmt.node);
  return let != nullptr && ops::is<ops::ConvertOp>(*let->record) ? let : nullptr;
}

bool converts(const Kernel& kernel, const Let& let, DType from, DType to) {
  return kernel.scalars[static_cast<size_t>(let.operands[0])] == from &&
         kernel.scalars[static_cast<size_t>(let.result)] == to;
}

bool is_byte(DType dtype) {
  return dtype == DType::kS8 || dtype == DType::kU8;
}

// With `from_bytes` what is multiplied may be converted from bytes before.
bool adds_products(DType half, const Kernel& kernel, const Loop& loop, bool from_bytes) {
  const std::vector<Stmt>& stmts = loop.body.stmts;
  const std::vector<Stmt>& joining = loop.combiner.body.stmts;
  if (loop.carries.size() != 1 || stmts.empty() || joining.size() != 1) return false;
  const auto* sum = std::get_if<Let>(&joining[0].node);
  const auto* product = std::get_if<Let>(&stmts.back().node);
  if (sum == nullptr || !ops::is<ops::AddOp>(*sum->record) || product == nullptr ||
      !ops::is<ops::MulOp>(*product->record) || loop.carries[0].next != product->result)
    return false;
  size_t loads = 0, widened = 0, others = 0;
  for (const Stmt& stmt : stmts) {
    const auto* load = std::get_if<Load>(&stmt.node);
    const Let* convert = conversion(stmt);
    const DType from = convert == nullptr ? half : kernel.scalars[static_cast<size_t>(convert->operands[0])];
    if (load != nullptr && load->predicate == kNone)
      ++loads;
    else if (convert != nullptr && from == half && widens_half(kernel, stmt))
      ++widened;
    else if (from_bytes && convert != nullptr && is_byte(from) && half == DType::kS16)
      widened += kernel.scalars[static_cast<size_t>(convert->result)] == DType::kS32;
    else if (!std::holds_alternative<Prefetch>(stmt.node))
      ++others;
  }
  return loads == 2 && widened == 2 && others == 1 && product->operands[0] != product->operands[1];
}

}  // namespace

bool widens_half(const Kernel& kernel, const Stmt& stmt) {
  const Let* let = conversion(stmt);
  return let != nullptr && (converts(kernel, *let, DType::kBF16, DType::kF32) ||
                            converts(kernel, *let, DType::kS16, DType::kS32));
}

bool adds_products_of(DType half, const Kernel& kernel, const Loop& loop) {
  return adds_products(half, kernel, loop, false);
}

bool sums_products_of(DType half, const Kernel& kernel, const Loop& loop) {
  return loop.extent % 2 == 0 && adds_products_of(half, kernel, loop);
}

bool sums_pairs(const Kernel& kernel, const Loop& loop, const Target& target) {
  return (target.bf16_products && sums_products_of(DType::kBF16, kernel, loop)) ||
         (target.s16_products && sums_products_of(DType::kS16, kernel, loop));
}

bool sums_packed_pairs(const Kernel& kernel, const Loop& loop, const Target& target) {
  return sums_pairs(kernel, loop, target) ||
         (target.s16_products && loop.extent % 2 == 0 && adds_products(DType::kS16, kernel, loop, true));
}

void widen_by_halves(Kernel& kernel, Loop& loop, const Target& target) {
  if (!target.s16_products || !adds_products(DType::kS16, kernel, loop, true)) return;
  std::vector<Stmt> stmts;
  for (Stmt& stmt : loop.body.stmts) {
    if (const Let* let = conversion(stmt); let != nullptr &&
                                           is_byte(kernel.scalars[static_cast<size_t>(let->operands[0])]) &&
                                           kernel.scalars[static_cast<size_t>(let->result)] == DType::kS32) {
      Let half = *let;
      half.result = kernel.add_scalar(DType::kS16);
      half.attributes.set("dtype", DType::kS16);
      std::get<Let>(stmt.node).operands = {half.result};
      stmts.push_back({std::move(half)});
    }
    stmts.push_back(std::move(stmt));
  }
  loop.body.stmts = std::move(stmts);
}

void eliminate_dead(const Kernel& kernel, Block& block) {
  Liveness live;
  while (mark(kernel, block, live)) {
  }
  sweep(kernel, block, live);
}

namespace {

class Ordering {
 public:
  Ordering(const Kernel& kernel, Block& block) : kernel_(kernel), stmts_(std::move(block.stmts)) {
    for (size_t i = 0; i < stmts_.size(); ++i) {
      if (!moves(stmts_[i])) continue;
      for (ScalarId id : results(stmts_[i])) maker_[id] = i;
    }
  }

  // `wanted` are the scalars that the block's surroundings read.
  Block run(const std::vector<ScalarId>& wanted) {
    for (Stmt& stmt : stmts_) {
      if (moves(stmt)) continue;
      for (ScalarId id : uses(kernel_, stmt)) need(id);
      out_.stmts.push_back(std::move(stmt));
    }
    for (ScalarId id : wanted) need(id);
    return std::move(out_);
  }

 private:
  bool moves(const Stmt& stmt) const {
    if (auto* s = std::get_if<Load>(&stmt.node)) {
      return kernel_.buffers[static_cast<size_t>(s->buffer)].kind == Buffer::Kind::kInput;
    }
    return !results(stmt).empty() && !std::holds_alternative<Loop>(stmt.node);
  }

  // Chains can be thousands long: the walk has a stack of its own.
  void need(ScalarId id) {
    std::vector<ScalarId> pending = {id};
    while (!pending.empty()) {
      auto maker = maker_.find(pending.back());
      if (maker == maker_.end()) {
        pending.pop_back();
        continue;
      }
      Stmt& stmt = stmts_[maker->second];
      bool ready = true;
      std::vector<ScalarId> operands = uses(kernel_, stmt);
      for (size_t i = operands.size(); i-- > 0;) {
        if (!maker_.count(operands[i])) continue;
        pending.push_back(operands[i]);
        ready = false;
      }
      if (!ready) continue;
      maker_.erase(maker);
      pending.pop_back();
      out_.stmts.push_back(std::move(stmt));
    }
  }

  const Kernel& kernel_;
  std::vector<Stmt> stmts_;
  std::unordered_map<ScalarId, size_t> maker_;  // of those that are still to come
  Block out_;
};

void order(const Kernel& kernel, Block& block, const std::vector<ScalarId>& wanted) {
  for (Stmt& stmt : block.stmts) {
    auto* loop = std::get_if<Loop>(&stmt.node);
    if (loop == nullptr) continue;
    std::vector<ScalarId> next;
    for (const Carry& carry : loop->carries) next.push_back(carry.next);
    order(kernel, loop->body, next);
    order(kernel, loop->combiner.body, loop->combiner.out);
  }
  block = Ordering(kernel, block).run(wanted);
}

}  // namespace

void order_by_use(const Kernel& kernel, Block& block) {
  order(kernel, block, {});
}

}  // namespace ingot::kernel
