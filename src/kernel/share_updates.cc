// Updates of memory at indices that are known only at run time, shared among threads.
//
// A scatter arrives as: fill the array; then, one update after the other, combine a window with what is
// there. Its band are the dimensions that windows share with the array, which may be few or none, and each of
// its points would walk over the whole array at random. So the updates themselves are shared, in one of two
// ways. What a unit does follows from extents alone, and no unit writes what another one reads or writes.
//
// Parts, where the array is small beside the updates: each unit combines a chunk of the updates into an array
// of its own, and the arrays are then joined in their order.
//
//   parallel chunk:  fill part with the neutral element;  scan update: part[place] = part[place] + update
//   parallel place:  out = array;  scan chunk: out = out + part
//
// Lists, elsewhere: the array is cut into blocks of slots that fit the cache; every block gets the list of
// its updates, in their order, and one unit fills it and goes through them. Windows are vectors.
//
//   parallel chunk:  scan update: count[chunk][block of it] += 1
//   parallel one:    offsets of all lists
//   parallel chunk:  scan update: list[offset[chunk][block of it]++] = update
//   parallel block:  fill the block's slots;  scan entry of its list: window = window + update
//
// Where the array begins as a constant, as in a gradient, and has not many more slots than there are updates,
// each slot is a block. Pieces of its window are put together in registers and leave once:
//
//   parallel slot:   for pieces of the window:  scan entry of its list (sum = fill): sum + update;  out = sum
#include <algorithm>
#include <limits>

#include "kernel/blocks.h"
#include "kernel/copier.h"
#include "kernel/schedule.h"
#include "kernel/updates.h"

namespace ingot::kernel {
namespace {

constexpr int64_t kLeastWork = 1 << 16;      // elements of all updates: below, one walk is over at once
constexpr int64_t kChunkElements = 1 << 16;  // of the updates that one unit puts into its own part
constexpr int64_t kChunkUpdates = 1 << 13;   // that one unit puts into lists
constexpr int64_t kMostChunks = 64;
constexpr int64_t kBytesAhead = 16 << 10;  // of windows that are on their way
constexpr int64_t kLeastAhead = 4, kMostAhead = 32;
constexpr int64_t kBlocks = 64, kMostBlocks = 1024;
constexpr int64_t kWideWindow =
    8;  // elements; narrower ones are not worth a list while the cache holds the array
constexpr int64_t kSlotChunks = 4;  // of updates, where each slot has a list
constexpr int64_t kListPrice = 8;   // elements that pass through memory in the time in which a list begins

class Sharer {
 public:
  Sharer(Kernel& kernel, const Target& target) : kernel_(kernel), target_(target), nest_(take_nest(kernel)) {}

  bool run() {
    std::optional<Updates> found = find_updates(kernel_, nest_);
    if (found) u_ = std::move(*found);
    if (!found || !share()) {
      put_nest(kernel_, std::move(nest_));
      return false;
    }
    kernel_.body = std::move(phases_);
    return true;
  }

 private:
  // --- how

  bool share() {
    const int64_t work = u_.count * u_.window, array = u_.slots * u_.window;
    constexpr int64_t kLargest = std::numeric_limits<int32_t>::max() / 2;
    if (work < kLeastWork || u_.count > kLargest || u_.slots < 2) return false;
    const auto element =
        static_cast<int64_t>(byte_size(kernel_.buffers[static_cast<size_t>(u_.buffer)].dtype));
    // Of chunks of equal length, but for the last one.
    auto chunks = [&](int64_t wanted) {
      const int64_t length = (u_.count + wanted - 1) / wanted;
      return (u_.count + length - 1) / length;
    };
    const int64_t parts = chunks(
        std::max<int64_t>(std::min({kMostChunks, work / kChunkElements, work / (4 * array), u_.count}), 1));
    if (u_.combine && parts >= 2 && array * element <= target_.l2_bytes) {
      combine_parts(parts);
      return true;
    }
    if (u_.window < kWideWindow && array * element <= target_.l3_bytes / 4) return false;
    if (u_.slots < kBlocks) return false;
    if (windows_begin_as_constant()) {
      const int64_t few = chunks(std::clamp<int64_t>(u_.count / kChunkUpdates, 1, kSlotChunks));
      if (few * u_.slots * kListPrice <= (u_.count + u_.slots) * u_.window) {
        follow_lists(u_.slots, few, true);
        return true;
      }
    }
    const int64_t fitting = array * element / (target_.l2_bytes / 2);
    follow_lists(std::min({std::max(kBlocks, fitting), kMostBlocks, u_.slots}),
                 chunks(std::clamp<int64_t>(u_.count / kChunkUpdates, 1, kMostChunks)), false);
    return true;
  }

  // Is a window a row of neighbours, in an array that begins as a constant? What begins as a copy may stand
  // in the copied array's place, which only updates touch then.
  bool windows_begin_as_constant() const {
    int64_t row = 0;
    for (const Loop& loop : nest_.loops) {
      if (is_lanes(loop)) row = loop.extent;
    }
    const Loop& fill = std::get<Loop>(nest_.body.stmts[u_.fill].node);
    auto reads = [](const Stmt& stmt) { return std::holds_alternative<Load>(stmt.node); };
    return row >= kWideWindow && std::none_of(fill.body.stmts.begin(), fill.body.stmts.end(), reads) &&
           std::none_of(nest_.body.stmts.begin(), nest_.body.stmts.end(), reads);
  }
  // A loop of the band whose points are neighbours in a window.
  bool is_lanes(const Loop& loop) const {
    return u_.rest.coefficient(loop.var) == 1 && !u_.rest.uses_nonlinearly(loop.var);
  }

  // --- small things to build with

  ScalarId number(Block& to, int64_t value) {
    Tensor scalar(DType::kS32, {});
    scalar.set_int(0, value);
    to.stmts.push_back({Literal{kernel_.add_scalar(DType::kS32), scalar}});
    return std::get<Literal>(to.stmts.back().node).result;
  }
  ScalarId let(Block& to, const char* record, std::vector<ScalarId> operands) {
    const ir::OpRecord* found = ir::find_record(record);
    to.stmts.push_back({Let{kernel_.add_scalar(DType::kS32), found, std::move(operands), {}}});
    return std::get<Let>(to.stmts.back().node).result;
  }
  ScalarId let(Block& to, const char* record, ScalarId a, ScalarId b) { return let(to, record, {a, b}); }
  ScalarId value_of(Block& to, const Index& index) {
    to.stmts.push_back({IndexValue{kernel_.add_scalar(DType::kS32), index}});
    return std::get<IndexValue>(to.stmts.back().node).result;
  }
  ScalarId load(Block& to, BufferId buffer, const Index& offset) {
    const DType dtype = kernel_.buffers[static_cast<size_t>(buffer)].dtype;
    to.stmts.push_back({Load{kernel_.add_scalar(dtype), buffer, offset}});
    return std::get<Load>(to.stmts.back().node).result;
  }
  // A variable that is the scalar, which is known to be below the extent; cut off for those who cannot know.
  Index bind(Block& to, ScalarId scalar, int64_t extent) {
    const ScalarId cut = let(to, "min", scalar, number(to, extent - 1));
    const VarId var = kernel_.add_var("at", extent);
    kernel_.bound[var] = cut;
    return kernel_.var(var);
  }
  BufferId share_buffer(const char* name, DType dtype, int64_t elements) {
    const BufferId buffer = kernel_.add_buffer({name, dtype, elements, Buffer::Kind::kShared, {elements}});
    phases_.stmts.insert(phases_.stmts.begin(), {Alloc{buffer}});
    return buffer;
  }
  void append(Block& to, Block block) {
    for (Stmt& stmt : block.stmts) to.stmts.push_back(std::move(stmt));
  }
  void append_phase(std::vector<Loop> loops, Block body) {
    eliminate_dead(kernel_, body);
    append(phases_, wrap(std::move(loops), std::move(body)));
  }
  // What stands before the loops in the nest's body.
  void copy_scalars(Copier& copy, Block& to) {
    for (const Stmt& stmt : nest_.body.stmts) {
      if (is_scalar(stmt)) to.stmts.push_back(copy(stmt));
    }
  }
  // The variables of the loops over updates, for the update of that number.
  void at_update(Copier& copy, Index number) {
    for (size_t i = u_.loops.size(); i-- > 0;) {
      const Loop& loop = u_.loops[i];
      copy.replace_variable(loop.var, i == 0 ? number : number.mod(loop.extent));
      number = number.floor_div(loop.extent);
    }
  }
  // The updates of a chunk, one after the other: `body` gets the number of each.
  template <class Fn>
  Block walk_chunk(const Index& chunk, int64_t chunks, Fn body) {
    const int64_t length = (u_.count + chunks - 1) / chunks;
    Block result;
    Loop loop = make_loop(kernel_, "update", length, 1, LoopKind::kScan);
    Block inside;
    Index at = chunk * length + kernel_.var(loop.var);
    if (u_.count % length != 0) {  // the last chunk is shorter, and some may be empty
      const ScalarId left = let(result, "sub", number(result, u_.count), value_of(result, chunk * length));
      loop.steps = let(result, "min", left, number(result, length));
      at = bind(inside, value_of(inside, at), u_.count);
    }
    body(inside, at);
    append(result, wrap({std::move(loop)}, std::move(inside)));
    return result;
  }
  // Fresh loops for the band: one of vectors, and the others around it.
  struct Band {
    std::vector<Loop> outer;
    std::optional<Loop> lanes;
  };
  Band fresh_band(Copier& copy, LoopKind outer) {
    Band band;
    for (const Loop& old : nest_.loops) {
      const std::string& name = kernel_.var_names[static_cast<size_t>(old.var)];
      const bool neighbours = is_lanes(old);
      Loop loop = make_loop(kernel_, name, old.extent, 1, neighbours ? LoopKind::kMap : outer);
      copy.replace_variable(old.var, kernel_.var(loop.var));
      if (!neighbours) {
        band.outer.push_back(std::move(loop));
        continue;
      }
      loop.style = LoopStyle::kLanes;
      loop.vectors = 4;
      band.lanes = std::move(loop);
    }
    return band;
  }
  // Puts what depends on the band into its loops, behind what does not.
  Block over_band(Band band, Block body) {
    std::vector<Loop> loops = std::move(band.outer);
    if (band.lanes) loops.push_back(std::move(*band.lanes));
    if (loops.empty()) return body;
    std::set<VarId> variables;
    for (const Loop& loop : loops) variables.insert(loop.var);
    const std::set<ScalarId> inside = varying(kernel_, body, variables);
    Block result, inner;
    for (Stmt& stmt : body.stmts) {
      const std::vector<ScalarId> made = results(stmt);
      const bool moves =
          !is_scalar(stmt) || (!made.empty() && inside.count(made[0]) > 0) || reads_target(stmt);
      (moves ? inner : result).stmts.push_back(std::move(stmt));
    }
    append(result, wrap(std::move(loops), std::move(inner)));
    return result;
  }
  bool reads_target(const Stmt& stmt) const {
    auto* load = std::get_if<Load>(&stmt.node);
    return load != nullptr && kernel_.buffers[static_cast<size_t>(load->buffer)].kind != Buffer::Kind::kInput;
  }

  // --- parts

  void combine_parts(int64_t parts) {
    const DType dtype = kernel_.buffers[static_cast<size_t>(u_.buffer)].dtype;
    const int64_t array = u_.slots * u_.window;
    const BufferId part = share_buffer("part", dtype, parts * array);
    const Tensor neutral = (*std::get<ir::ScalarRecipe>(*u_.combine->record->becomes).identity)(dtype);

    Loop chunk = make_loop(kernel_, "chunk", parts, 1, LoopKind::kParallel);
    const Index own = kernel_.var(chunk.var) * array;
    Block body;
    Loop clear = make_loop(kernel_, "j", array, 1, LoopKind::kMap, LoopStyle::kLanes);
    const ScalarId nothing = kernel_.add_scalar(dtype);
    body.stmts.push_back({Literal{nothing, neutral}});
    Block cleared;
    cleared.stmts.push_back({Store{part, own + kernel_.var(clear.var), nothing}});
    append(body, wrap({std::move(clear)}, std::move(cleared)));
    append(body, walk_chunk(kernel_.var(chunk.var), parts, [&](Block& to, const Index& at) {
             Copier copy(kernel_);
             Band band = fresh_band(copy, LoopKind::kMap);
             at_update(copy, at);
             Block update;
             copy_scalars(copy, update);
             for (size_t i = 0; i < u_.body.stmts.size(); ++i) {
               Stmt stmt = copy(u_.body.stmts[i]);
               if (i == u_.load) redirect(std::get<Load>(stmt.node), part, own);
               if (i == u_.store) redirect(std::get<Store>(stmt.node), part, own);
               update.stmts.push_back(std::move(stmt));
             }
             append(to, over_band(std::move(band), std::move(update)));
           }));
    append_phase({std::move(chunk)}, std::move(body));
    join_parts(part, parts);
  }

  template <class Access>
  static void redirect(Access& access, BufferId buffer, const Index& start) {
    access.buffer = buffer;
    access.offset = start + access.offset;
  }

  void join_parts(BufferId part, int64_t parts) {
    const Loop& fill = std::get<Loop>(nest_.body.stmts[u_.fill].node);
    const int64_t array = u_.slots * u_.window;
    Copier copy(kernel_);
    std::vector<Loop> loops;
    for (const Loop& old : nest_.loops) loops.push_back(fresh_parallel(copy, old));
    loops.push_back(fresh_parallel(copy, fill));
    Block body;
    copy_scalars(copy, body);
    for (const Stmt& stmt : fill.body.stmts) {
      auto* old = std::get_if<Store>(&stmt.node);
      if (old == nullptr) {
        body.stmts.push_back(copy(stmt));
        continue;
      }
      Store store = std::get<Store>(copy(stmt).node);
      for (int64_t p = 0; p < parts; ++p) {
        const ScalarId term = load(body, part, store.offset + Index(p * array));
        const ScalarId sum = kernel_.add_scalar(kernel_.scalars[static_cast<size_t>(term)]);
        body.stmts.push_back({Let{sum, u_.combine->record, {store.value, term}, u_.combine->attributes}});
        store.value = sum;
      }
      body.stmts.push_back({store});
    }
    eliminate_dead(kernel_, body);
    schedule_phase(std::move(loops), std::move(body));
  }
  Loop fresh_parallel(Copier& copy, const Loop& old) {
    Loop loop = make_loop(kernel_, kernel_.var_names[static_cast<size_t>(old.var)], old.extent, 1,
                          LoopKind::kParallel);
    copy.replace_variable(old.var, kernel_.var(loop.var));
    return loop;
  }
  // An elementwise phase, scheduled as any other.
  void schedule_phase(std::vector<Loop> loops, Block body) {
    kernel_.body = wrap(std::move(loops), std::move(body));
    collapse_loops(kernel_);
    choose_lanes(kernel_, target_);
    append(phases_, as_phase(kernel_, std::move(kernel_.body)));
  }

  // --- lists

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

  void follow_lists(int64_t wanted, int64_t chunks, bool in_registers) {
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

  // What `count` slots begin with. The loops over `outer` dimensions of the band are open already.
  Block fill_slots(const Index& first, int64_t count, const Copier* opened) {
    const Loop& fill = std::get<Loop>(nest_.body.stmts[u_.fill].node);
    Copier copy = opened != nullptr ? *opened : Copier(kernel_);
    Loop slot = make_loop(kernel_, "slot", count, 1, LoopKind::kMap);
    Band band = fresh_band(copy, LoopKind::kMap);
    if (opened != nullptr) {
      for (const Loop& old : nest_.loops) {
        if (is_lanes(old)) continue;
        copy.replace_variable(old.var, opened->fresh(kernel_.var(old.var)));
      }
      band.outer.clear();
    }
    copy.replace_variable(fill.var, first + kernel_.var(slot.var));
    Block body;
    copy_scalars(copy, body);
    for (const Stmt& stmt : fill.body.stmts) body.stmts.push_back(copy(stmt));
    std::vector<Loop> loops = std::move(band.outer);
    if (!band.lanes) slot.style = u_.stride == 1 ? LoopStyle::kLanes : LoopStyle::kSerial;
    loops.push_back(std::move(slot));
    if (band.lanes) loops.push_back(std::move(*band.lanes));
    return wrap(std::move(loops), std::move(body));
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
    for (Stmt& stmt : loads_ahead(inside, copy, list, place).stmts) inside.stmts.push_back(std::move(stmt));
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
    Block loads = loads_ahead(inside, later, list, place);
    return loads.stmts.empty() ? Block{} : wrap(std::move(lanes), std::move(loads));
  }
  Block loads_ahead(Block& inside, Copier later, BufferId list, const Index& place) {
    const auto element =
        static_cast<int64_t>(byte_size(kernel_.buffers[static_cast<size_t>(u_.buffer)].dtype));
    const int64_t ahead = std::clamp(kBytesAhead / (u_.window * element), kLeastAhead, kMostAhead);
    const ScalarId next = let(inside, "add", value_of(inside, place), number(inside, ahead));
    at_update(later, bind(inside, load(inside, list, bind(inside, next, u_.count)), u_.count));
    Block loads;
    for (const Stmt& stmt : u_.body.stmts) {
      auto* load = std::get_if<Load>(&stmt.node);
      if (load == nullptr || kernel_.uses_bound(load->offset) || load->predicate != kNone) continue;
      if (kernel_.buffers[static_cast<size_t>(load->buffer)].kind != Buffer::Kind::kInput) continue;
      auto uses_loop = [&](const std::vector<Loop>& loops) {
        return std::any_of(loops.begin(), loops.end(),
                           [&](const Loop& loop) { return load->offset.uses(loop.var); });
      };
      if (!uses_loop(u_.loops) || !uses_loop(nest_.loops)) continue;
      Load ahead_of = std::get<Load>(later(stmt).node);
      ahead_of.ahead = true;
      loads.stmts.push_back({ahead_of});
    }
    return loads;
  }

  Kernel& kernel_;
  const Target& target_;
  Nest nest_;
  Block phases_;
  Updates u_;
};

}  // namespace

bool share_updates(Kernel& kernel, const Target& target) {
  return Sharer(kernel, target).run();
}

}  // namespace ingot::kernel
