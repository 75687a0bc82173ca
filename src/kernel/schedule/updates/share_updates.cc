// Updates of memory at indices that are known only at run time, shared among threads.
//
// A scatter arrives as: fill the array; then, one update after the other, combine a window with what is
// there. Its band are the dimensions that windows share with the array, which may be few or none, and each of
// its points would walk over the whole array at random. So the updates themselves are shared, in one of three
// ways. What a unit does follows from extents alone, and no unit writes what another one reads or writes.
//
// Blocks, of single elements: update_blocks.cc. Wider windows go into parts or lists.
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
#include <bit>
#include <limits>

#include "kernel/cost/table.h"
#include "kernel/ir/target.h"
#include "kernel/schedule/updates/update_builder.h"
#include "kernel/schedule/updates/updates.h"

namespace ingot::kernel {
namespace {

using prices::kChunkUpdates, prices::kMostBlocks, prices::kMostTables, prices::kRanges, prices::kSlotChunks,
    prices::kWideWindow;

// The way that a kernel's updates are shared.
class Sharing : public UpdateBuilder {
 public:
  explicit Sharing(UpdateBuilder builder) : UpdateBuilder(std::move(builder)) {}

  // The phases, or nothing where sharing does not pay.
  std::optional<Block> run() const {
    const int64_t work = u_.count * u_.window, array = u_.slots * u_.window;
    constexpr int64_t kLargest = std::numeric_limits<int32_t>::max() / 2;
    if (u_.count > kLargest || u_.slots < 2) return std::nullopt;
    if (fits_blocks(u_) && u_.slots <= kLargest) return in_blocks();
    if (work < prices::kWorthThreads) return std::nullopt;
    const auto element =
        static_cast<int64_t>(byte_size(kernel_.buffers[static_cast<size_t>(u_.buffer)].dtype));
    const int64_t parts = chunks(std::max<int64_t>(
        std::min({prices::kEnoughUnits, work / prices::kWorthThreads, work / (4 * array), u_.count}), 1));
    if (u_.combine && parts >= 2 && array * element <= target_.sums.l2_bytes)
      return combine_parts(*this, parts);
    if (u_.window < kWideWindow && array * element <= target_.l3_bytes / 4) return std::nullopt;
    return in_lists();
  }

 private:
  int64_t chunks(int64_t wanted) const {  // of equal length, but for the last one
    const int64_t length = (u_.count + wanted - 1) / wanted;
    return (u_.count + length - 1) / length;
  }

  std::optional<Block> in_lists() const {
    const int64_t array = u_.slots * u_.window;
    const auto element =
        static_cast<int64_t>(byte_size(kernel_.buffers[static_cast<size_t>(u_.buffer)].dtype));
    if (u_.slots < prices::kEnoughUnits) return std::nullopt;
    if (windows_begin_as_constant()) {
      const int64_t few = chunks(std::clamp<int64_t>(u_.count / kChunkUpdates, 1, kSlotChunks));
      if (few * u_.slots * prices::kListStart <= (u_.count + u_.slots) * u_.window)
        return follow_lists(*this, u_.slots, few, true);
    }
    // Lists take two walks over the updates, and pay where caches do not hold a range.
    if (target_.compresses && array * element <= kRanges * target_.l2_bytes / 2 && has_rows_alone())
      return divide_windows(*this, kRanges);
    const int64_t fitting = array * element / (target_.l2_bytes / 2);
    return follow_lists(*this, std::min({std::max(prices::kEnoughUnits, fitting), kMostBlocks, u_.slots}),
                        chunks(std::clamp<int64_t>(u_.count / kChunkUpdates, 1, prices::kEnoughUnits)),
                        false);
  }

  // Single elements, of which blocks are prepared on lanes.
  std::optional<Block> in_blocks() const {
    const auto element =
        static_cast<int64_t>(byte_size(kernel_.buffers[static_cast<size_t>(u_.buffer)].dtype));
    const int64_t bytes = u_.slots * element;
    if (u_.count >= prices::kWorthThreads) {
      const int64_t wanted =
          std::min({prices::kEnoughUnits, u_.count / kChunkUpdates, u_.count / (4 * u_.slots)});
      if (wanted >= 2 && bytes <= target_.sums.l2_bytes) {
        const int64_t tables = std::clamp<int64_t>(target_.sums.l1_bytes / 2 / bytes, 1, kMostTables);
        return combine_tables(*this, wanted,
                              static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(tables))));
      }
      const bool ranges = target_.compresses && u_.slots >= kChunkUpdates;
      if (ranges && u_.runs_on) return divide_slots(*this, kRanges);
      if (bytes > target_.l3_bytes / 4) return in_lists();
    }
    // What lies anywhere is read by itself, on lanes or not.
    return u_.runs_on ? std::optional(divide_slots(*this, 1)) : std::nullopt;
  }

  // Is all of a window neighbours, and an update straight-line code?
  bool has_rows_alone() const {
    return !has_loops(u_.body) && nest_.loops.size() == 1 && is_lanes(nest_.loops[0]);
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
};

}  // namespace

bool share_updates(Kernel& kernel, const Target& target) {
  Nest nest = take_nest(kernel);
  std::optional<Updates> found = find_updates(kernel, nest);
  std::optional<Block> phases;
  if (found) phases = Sharing(UpdateBuilder(kernel, target, nest, std::move(*found))).run();
  if (phases) {
    kernel.body = std::move(*phases);
  } else {
    put_nest(kernel, std::move(nest));
  }
  return phases.has_value();
}

}  // namespace ingot::kernel
