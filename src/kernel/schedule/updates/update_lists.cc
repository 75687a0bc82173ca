// Updates of a large array: in lists, of blocks of slots or of each slot.
#include <algorithm>

#include "kernel/cost/table.h"
#include "kernel/schedule/updates/update_builder.h"

namespace ingot::kernel {
namespace {

constexpr int64_t kLeastAhead = 4, kMostAhead = 32;

class Lists : public UpdateBuilder {
 public:
  explicit Lists(UpdateBuilder builder) : UpdateBuilder(std::move(builder)) {}

  Block follow(int64_t wanted, int64_t chunks, bool in_registers) {
    const int64_t length = (u_.slots + wanted - 1) / wanted, blocks = u_.slots / length;
    const int64_t lists = u_.counts == kNone ? blocks : blocks + 1;
    const BufferId counts = share_buffer("count", DType::kS32, chunks * lists);
    const BufferId starts = share_buffer("start", DType::kS32, lists + 1);
    const BufferId list = share_buffer("list", DType::kS32, u_.count);

    {
      Loop chunk = make_loop(kernel_, "chunk", chunks, 1, LoopKind::kParallel);
      const Index own = kernel_.var(chunk.var) * lists;
      Block body;
      Loop clear = make_loop(kernel_, "block", lists, 1, LoopKind::kMap, LoopStyle::kLanes);
      const ScalarId zero = number(body, 0), one = number(body, 1);
      Block cleared;
      cleared.stmts.push_back({Store{counts, own + kernel_.var(clear.var), zero}});
      append(body, wrap({std::move(clear)}, std::move(cleared)));
      append(body, walk_chunk(kernel_.var(chunk.var), chunks, [&](Block& to, const Index& at) {
               const Index place = own + block_of_update(to, at, blocks);
               to.stmts.push_back({Store{counts, place, let(to, "add", load(to, counts, place), one)}});
             }));
      append_phase({std::move(chunk)}, std::move(body));
    }
    append_offsets(counts, starts, blocks, lists, chunks);
    {
      Loop chunk = make_loop(kernel_, "chunk", chunks, 1, LoopKind::kParallel);
      const Index own = kernel_.var(chunk.var) * lists;
      Block body;
      const ScalarId one = number(body, 1);
      append(body, walk_chunk(kernel_.var(chunk.var), chunks, [&](Block& to, const Index& at) {
               const Index place = own + block_of_update(to, at, blocks);
               const ScalarId next = load(to, counts, place);
               to.stmts.push_back({Store{list, bind(to, next, u_.count), value_of(to, at)}});
               to.stmts.push_back({Store{counts, place, let(to, "add", next, one)}});
             }));
      append_phase({std::move(chunk)}, std::move(body));
    }
    in_registers ? append_slots(starts, list) : append_blocks(starts, list, blocks);
    return std::move(phases_);
  }

 private:
  // The block of the update at hand, its statements included; behind the last one if the update does not
  // count.
  Index block_of_update(Block& to, const Index& at, int64_t blocks) {
    Copier copy(kernel_);
    at_update(copy, at);
    for (const Loop& loop : nest_.loops) copy.replace_variable(loop.var, Index(0));
    Block all;
    copy_scalars(copy, all);
    for (const Stmt& stmt : u_.body.stmts) {
      if (is_scalar(stmt) && !reads_target(stmt)) all.stmts.push_back(copy(stmt));
    }
    const Index slot = copy.fresh(u_.slot);
    append(to, std::move(all));
    // What no block is as long as the others for belongs to the last one.
    const Index block = bind(to, value_of(to, slot.floor_div(u_.slots / blocks)), blocks);
    if (u_.counts == kNone) return block;
    const ScalarId at_end = number(to, blocks);
    return bind(to, let(to, "select", {copy.fresh(u_.counts), value_of(to, block), at_end}), blocks + 1);
  }

  // Lists lie one behind the other, and within each the chunks in their order. What no block is as long as
  // the others for is filled here: it belongs to the last one.
  void append_offsets(BufferId counts, BufferId starts, int64_t blocks, int64_t lists, int64_t chunks) {
    Block body;
    Loop block = make_loop(kernel_, "block", lists, 1, LoopKind::kScan);
    Loop chunk = make_loop(kernel_, "chunk", chunks, 1, LoopKind::kScan);
    auto carry = [&](Loop& loop, ScalarId init) {
      loop.carries.push_back({init, kernel_.add_scalar(DType::kS32), kNone, kernel_.add_scalar(DType::kS32)});
      return loop.carries[0].arg;
    };
    const ScalarId so_far = carry(block, number(body, 0)), here = carry(chunk, so_far);
    const Index place = kernel_.var(chunk.var) * lists + kernel_.var(block.var);
    Block inner;
    chunk.carries[0].next = let(inner, "add", here, load(inner, counts, place));
    inner.stmts.push_back({Store{counts, place, here}});
    block.carries[0].next = chunk.carries[0].result;
    const ScalarId total = block.carries[0].result;
    Block outer;
    outer.stmts.push_back({Store{starts, kernel_.var(block.var), so_far}});
    append(outer, wrap({std::move(chunk)}, std::move(inner)));
    append(body, wrap({std::move(block)}, std::move(outer)));
    body.stmts.push_back({Store{starts, Index(lists), total}});
    const int64_t length = u_.slots / blocks;
    if (u_.slots % blocks != 0) append(body, fill_slots(Index(blocks * length), u_.slots % blocks, {}));
    append_phase({make_loop(kernel_, "one", 1, 1, LoopKind::kParallel)}, std::move(body));
  }

  void append_blocks(BufferId starts, BufferId list, int64_t blocks) {
    const int64_t length = u_.slots / blocks;
    Loop block = make_loop(kernel_, "block", blocks, 1, LoopKind::kParallel);
    const Index own = kernel_.var(block.var);
    Copier copy(kernel_);
    Band band = fresh_band(copy, LoopKind::kParallel);
    Block body = fill_slots(own * length, length, &copy);
    Block inside;
    auto [entry, place] = walk_list(body, inside, starts, own);
    at_update(copy, bind(inside, load(inside, list, place), u_.count));
    append(inside, look_ahead(inside, copy, list, place));
    Block update;
    copy_scalars(copy, update);
    for (size_t i = 0; i < u_.body.stmts.size(); ++i) {
      if (!is_choice(i, copy)) update.stmts.push_back(copy(u_.body.stmts[i]));
    }
    std::vector<Loop> units = std::move(band.outer);
    band.outer.clear();
    append(inside, over_band(std::move(band), std::move(update)));
    append(body, wrap({std::move(entry)}, std::move(inside)));
    units.push_back(std::move(block));
    append_phase(std::move(units), std::move(body));
  }

  // The loop over a block's list, and where in all lists its entry stands.
  std::pair<Loop, Index> walk_list(Block& body, Block& inside, BufferId starts, const Index& own) {
    const ScalarId first = load(body, starts, own);
    Loop entry = make_loop(kernel_, "entry", u_.count, 1, LoopKind::kScan);
    entry.steps = let(body, "sub", load(body, starts, own + Index(1)), first);
    Index place = bind(inside, let(inside, "add", first, value_of(inside, kernel_.var(entry.var))), u_.count);
    return {std::move(entry), std::move(place)};
  }

  // Is it the choice whether the update counts? Those in a list do.
  bool is_choice(size_t i, Copier& copy) {
    if (u_.counts == kNone || i != u_.choice) return false;
    const auto& select = std::get<Let>(u_.body.stmts[i].node);
    copy.replace_scalar(select.result, copy.fresh(select.operands[1]));
    return true;
  }

  // One slot after the other, in registers.
  void append_slots(BufferId starts, BufferId list) {
    Loop slot = make_loop(kernel_, "slot", u_.slots, 1, LoopKind::kParallel);
    const Index own = kernel_.var(slot.var);
    Copier copy(kernel_);
    Band band = fresh_band(copy, LoopKind::kParallel);
    band.lanes->vectors = target_.vector_registers / 2;
    const Loop& fill = std::get<Loop>(nest_.body.stmts[u_.fill].node);
    copy.replace_variable(fill.var, own);
    Block body, piece, inside;
    auto [entry, place] = walk_list(body, inside, starts, own);
    Store out;
    copy_scalars(copy, piece);
    for (const Stmt& stmt : fill.body.stmts) {
      Stmt made = copy(stmt);
      if (auto* store = std::get_if<Store>(&made.node))
        out = *store;
      else
        piece.stmts.push_back(std::move(made));
    }
    const DType dtype = kernel_.buffers[static_cast<size_t>(u_.buffer)].dtype;
    entry.carries.push_back({out.value, kernel_.add_scalar(dtype), kNone, kernel_.add_scalar(dtype)});
    at_update(copy, bind(inside, load(inside, list, place), u_.count));
    for (Stmt& stmt : prefetches(inside, copy, list, place).stmts) inside.stmts.push_back(std::move(stmt));
    copy_scalars(copy, inside);
    for (size_t i = 0; i < u_.body.stmts.size(); ++i) {
      if (is_choice(i, copy)) continue;
      if (i == u_.load) {
        copy.replace_scalar(results(u_.body.stmts[i])[0], entry.carries[0].arg);
        continue;
      }
      Stmt stmt = copy(u_.body.stmts[i]);
      if (i == u_.store)
        entry.carries[0].next = std::get<Store>(stmt.node).value;
      else
        inside.stmts.push_back(std::move(stmt));
    }
    out.value = entry.carries[0].result;
    append(piece, wrap({std::move(entry)}, std::move(inside)));
    piece.stmts.push_back({out});
    append(body, wrap({std::move(*band.lanes)}, std::move(piece)));
    std::vector<Loop> units = std::move(band.outer);
    units.push_back(std::move(slot));
    append_phase(std::move(units), std::move(body));
  }

  // Windows of the updates lie anywhere: no hardware sees them coming, but the list says which are next. All
  // of a window is asked for before this update's is waited for, line by line.
  Block look_ahead(Block& inside, const Copier& now, BufferId list, const Index& place) {
    Copier later = now;
    std::vector<Loop> lanes;
    for (const Loop& old : nest_.loops) {
      if (!is_lanes(old)) continue;
      lanes.push_back(make_loop(kernel_, kernel_.var_names[static_cast<size_t>(old.var)], old.extent, 1,
                                LoopKind::kMap, LoopStyle::kLanes));
      lanes.back().vectors = 4;
      later.replace_variable(old.var, kernel_.var(lanes.back().var));
    }
    Block ahead = prefetches(inside, later, list, place);
    return ahead.stmts.empty() ? Block{} : wrap(std::move(lanes), std::move(ahead));
  }

  Block prefetches(Block& inside, Copier later, BufferId list, const Index& place) {
    const auto element =
        static_cast<int64_t>(byte_size(kernel_.buffers[static_cast<size_t>(u_.buffer)].dtype));
    const int64_t ahead = std::clamp(prices::kUnderWay / (u_.window * element), kLeastAhead, kMostAhead);
    const ScalarId next = let(inside, "add", value_of(inside, place), number(inside, ahead));
    at_update(later, bind(inside, load(inside, list, bind(inside, next, u_.count)), u_.count));
    Block result;
    for (const Stmt& stmt : u_.body.stmts) {
      auto* load = std::get_if<Load>(&stmt.node);
      if (load == nullptr || kernel_.uses_bound(load->offset) || load->predicate != kNone) continue;
      if (kernel_.buffers[static_cast<size_t>(load->buffer)].kind != Buffer::Kind::kInput) continue;
      auto uses_loop = [&](const std::vector<Loop>& loops) {
        return std::any_of(loops.begin(), loops.end(),
                           [&](const Loop& loop) { return load->offset.uses(loop.var); });
      };
      if (!uses_loop(u_.loops) || !uses_loop(nest_.loops)) continue;
      result.stmts.push_back({ahead_of(std::get<Load>(later(stmt).node))});
    }
    return result;
  }
};

}  // namespace

Block follow_lists(UpdateBuilder builder, int64_t blocks, int64_t chunks, bool in_registers) {
  return Lists(std::move(builder)).follow(blocks, chunks, in_registers);
}

}  // namespace ingot::kernel
