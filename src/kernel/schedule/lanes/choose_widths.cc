// How wide lanes are, how far loops are unrolled, and how many partial results a reduction keeps: the last
// step of the schedule, on loops that have their styles.
#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "kernel/ir/blocks.h"
#include "kernel/ir/commutes.h"
#include "kernel/ir/in_place.h"
#include "kernel/ir/varying.h"
#include "kernel/schedule/lanes/lanes.h"

namespace ingot::kernel {
namespace {

class Widths {
 public:
  Widths(Kernel& kernel, const Target& target)
      : kernel_(kernel), target_(target), varying_(varying(kernel)), copied_(copied_pairs(kernel)) {}

  void run() {
    for_each_stmt(kernel_.body, [&](Stmt& stmt) {
      if (const auto* literal = std::get_if<Literal>(&stmt.node)) literals_.insert(literal->result);
    });
    choose(kernel_.body, nullptr);
  }

 private:
  void choose(Block& block, const Loop* lanes) {
    for (Stmt& stmt : block.stmts) {
      Loop* loop = std::get_if<Loop>(&stmt.node);
      if (loop == nullptr) continue;
      loop->widths = {.lanes = 1};
      if (loop->style == LoopStyle::kLanes) choose_lanes(*loop);
      if (loop->style == LoopStyle::kTile) tile_points_ *= loop->extent;
      choose(loop->body, loop->style == LoopStyle::kLanes ? loop : lanes);
      if (loop->style == LoopStyle::kTile) tile_points_ /= std::max<int64_t>(loop->extent, 1);
      choose_unroll(*loop, lanes);
    }
  }

  // Of local buffers that live inside of the block: one copy per lane.
  int64_t local_bytes(const Block& block) const {
    int64_t bytes = 0;
    for (const Stmt& stmt : block.stmts) {
      if (auto* alloc = std::get_if<Alloc>(&stmt.node)) {
        const Buffer& buffer = kernel_.buffers[static_cast<size_t>(alloc->buffer)];
        bytes += buffer.elements * static_cast<int64_t>(byte_size(buffer.dtype));
      } else if (auto* loop = std::get_if<Loop>(&stmt.node)) {
        bytes += local_bytes(loop->body);
      }
    }
    return bytes;
  }

  void choose_lanes(Loop& loop) {
    size_t widest = 4;  // lanes of narrower types fill a part of the register
    widen(loop.body, widest);
    int64_t lanes = target_.vector_bytes / static_cast<int64_t>(widest);
    while (lanes > std::max<int64_t>(loop.extent, 1)) lanes /= 2;
    // Fewer lanes where what each keeps for itself would leave the second-level cache otherwise: tdma of
    // length 10,000 on a Zen 4 goes from 6.0 to 5.1 ms in f32. The level is the common machine's: lanes may
    // cut a sum.
    const int64_t kept = local_bytes(loop.body);
    while (lanes * static_cast<int64_t>(widest) > 32 && lanes * kept > target_.sums.l2_bytes) lanes /= 2;
    // Units may run at the same time: those that update memory must not overlap at all.
    const bool in_place = updates_in_place(loop), apart = in_place && loop.kind == LoopKind::kParallel;
    while (apart && loop.extent % lanes != 0) lanes /= 2;
    LoopWidths& w = loop.widths;
    w.lanes = static_cast<int>(lanes);
    w.vectors =
        static_cast<int>(std::clamp<int64_t>(loop.vectors, 1, std::max<int64_t>(loop.extent / lanes, 1)));
    if (apart && lanes == 1) w.vectors = 1;
    while (apart && loop.extent % w.points() != 0) --w.vectors;
    if (loop.kind == LoopKind::kMap) w.may_overlap = !in_place;
    if (appends(loop)) w.may_overlap = false;
  }

  void widen(ScalarId id, size_t& widest) const {
    if (varying_.scalars[static_cast<size_t>(id)] & kLaneBit)
      widest = std::max(widest, byte_size(kernel_.scalars[static_cast<size_t>(id)]));
  }
  void widen(const Block& block, size_t& widest) const {
    for (const Stmt& stmt : block.stmts) {
      if (const Let* let = std::get_if<Let>(&stmt.node)) {
        widen(let->result, widest);
      } else if (const IndexValue* value = std::get_if<IndexValue>(&stmt.node)) {
        widen(value->result, widest);
      } else if (const Load* load = std::get_if<Load>(&stmt.node)) {
        widen(load->result, widest);
      } else if (const Prefetch* prefetch = std::get_if<Prefetch>(&stmt.node)) {
        const Buffer& buffer = kernel_.buffers[static_cast<size_t>(prefetch->buffer)];
        if (varying_.of(prefetch->offset) & kLaneBit) widest = std::max(widest, byte_size(buffer.dtype));
      } else if (const Append* append = std::get_if<Append>(&stmt.node)) {
        for (ScalarId value : append->values) widen(value, widest);
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
    if (loop.copies != kNone) return false;  // it does not run in place
    collect_accesses(loop.body, loaded, stored);
    for (size_t i = 0; i < loaded.size(); ++i) {
      const bool per_lane = varying_.locals[i] & kLaneBit;
      if (loaded[i] && stored[i] && !per_lane) return true;
    }
    // Where the output of an update stands in its array's place, one is the other.
    return std::any_of(copied_.begin(), copied_.end(), [&](const CopiedPair& copied) {
      return loaded[static_cast<size_t>(copied.input)] && stored[static_cast<size_t>(copied.output)];
    });
  }
  static void collect_accesses(const Block& block, std::vector<bool>& loaded, std::vector<bool>& stored) {
    for (const Stmt& stmt : block.stmts) {
      if (const Load* load = std::get_if<Load>(&stmt.node)) loaded[static_cast<size_t>(load->buffer)] = true;
      if (const Store* store = std::get_if<Store>(&stmt.node))
        stored[static_cast<size_t>(store->buffer)] = true;
      if (const Loop* loop = std::get_if<Loop>(&stmt.node); loop && loop->copies == kNone)
        collect_accesses(loop->body, loaded, stored);
    }
  }

  void choose_unroll(Loop& loop, const Loop* lanes) {
    if (loop.step != 1 || loop.kind == LoopKind::kParallel || loop.style == LoopStyle::kTile) return;
    for (const Stmt& stmt : loop.body.stmts) {
      if (std::holds_alternative<Loop>(stmt.node)) return;
    }
    LoopWidths& w = loop.widths;
    const int64_t vectors = lanes ? lanes->widths.vectors : w.vectors;
    const int64_t copies = std::max<int64_t>(vectors, 1) * std::max<int64_t>(tile_points_, 1);
    const int64_t size = static_cast<int64_t>(loop.body.stmts.size()) * copies;
    if (loop.kind == LoopKind::kReduce) {
      const int64_t chains = tile_points_ * vectors;
      const int64_t registers = chains * static_cast<int64_t>(loop.carries.size());
      const int64_t blocks = loop.extent / w.points();
      int64_t unroll = loop.extent <= 8 ? 8 : 4;  // a few rows are added up without a loop
      while (unroll > 1 && (size * unroll > kMostStatements || unroll > blocks)) unroll /= 2;
      while (unroll > 1 && instructions(loop.body) * copies * unroll > kMostInstructions) unroll /= 2;
      // A tile that fills the registers has no place for what further steps load.
      const int64_t free = target_.vector_registers - registers - 1;
      auto loaded = [&] { return vectors * (blocks < 2 * unroll ? blocks : unroll); };
      while (unroll > 1 && tile_points_ > 1 && loaded() > free) unroll /= 2;
      w.unroll = static_cast<int>(unroll);
      if (sums_pairs(kernel_, loop, target_)) w.unroll = std::max(w.unroll, 2);
      // Enough independent chains hide the latency of the combiner; a register tile has them already. What
      // goes on from another loop's sums begins with them once.
      const bool fresh = std::all_of(loop.carries.begin(), loop.carries.end(),
                                     [&](const Carry& carry) { return literals_.count(carry.init) > 0; });
      const bool more = chains < 4 && fresh && commutes(kernel_, loop);
      w.accumulators = more ? w.unroll : 1;
      // Carries of one chain wait for each other: they make it longer, and take room besides.
      while (loop.carries.size() > 1 && w.accumulators > 1 &&
             registers * w.accumulators > target_.vector_registers / 2)
        w.accumulators /= 2;
    }
    if (lanes && lanes != &loop && loop.style == LoopStyle::kSerial)
      w.unroll = std::max(w.unroll, transposed_unroll(loop, *lanes, size));
  }

  // Of the steps of a reduction that are unrolled, at most. Steps of many instructions keep the processor
  // busy by themselves: with powers in them n bodies take 20 ms either way, and compile in 94 in place of 238
  // ms (AMD EPYC, AVX2).
  static constexpr int64_t kMostStatements = 256, kMostInstructions = 512;

  static int64_t instructions(const Block& block) {
    int64_t total = 0;
    for (const Stmt& stmt : block.stmts) total += cost(stmt);
    return total;
  }

  // Rows of memory that lanes read across, step by step, are read in pieces of 16 bytes and transposed in
  // registers: the steps of one piece are unrolled, or those of a line where it would not stay in a cache.
  int transposed_unroll(const Loop& loop, const Loop& lanes, int64_t size) const {
    int64_t unroll = 1;
    std::map<std::pair<BufferId, Index>, std::set<int64_t>> seen;  // constants, by what they are added to
    auto see = [&](BufferId buffer, const Index& offset) {
      const Buffer& b = kernel_.buffers[static_cast<size_t>(buffer)];
      const int64_t stride = offset.coefficient(lanes.var), along = std::abs(offset.coefficient(loop.var));
      if (b.kind == Buffer::Kind::kLocal || stride * stride <= 1 || along == 0) return;
      if (offset.uses_nonlinearly(lanes.var) || offset.uses_nonlinearly(loop.var)) return;
      // A step has as many neighbours as the next one is away.
      std::set<int64_t>& constants = seen[{buffer, offset - Index(offset.constant())}];
      constants.insert(offset.constant());
      if (static_cast<int64_t>(constants.size()) < along) return;
      const auto bytes = static_cast<int64_t>(byte_size(b.dtype));
      unroll = std::max<int64_t>(unroll, (rows_collide(stride * bytes) ? kLineBytes : 16) / (bytes * along));
    };
    for (const Stmt& stmt : loop.body.stmts) {
      if (const Load* load = std::get_if<Load>(&stmt.node)) see(load->buffer, load->offset);
      if (const Store* store = std::get_if<Store>(&stmt.node)) see(store->buffer, store->offset);
    }
    while (unroll > 1 && size * unroll > 1024) unroll /= 2;
    return static_cast<int>(unroll);
  }

  Kernel& kernel_;
  const Target& target_;
  const Varying varying_;
  const std::vector<CopiedPair> copied_;
  int64_t tile_points_ = 1;
  std::unordered_set<ScalarId> literals_;
};

}  // namespace

void choose_widths(Kernel& kernel, const Target& target) {
  Widths(kernel, target).run();
}

}  // namespace ingot::kernel
