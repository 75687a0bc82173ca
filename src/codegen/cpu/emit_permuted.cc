// Loads whose lanes lie at places that are known when the code is made.
//
// Where the lanes' loop is gone through at once, each lane's index is a constant beside what is the same for
// all of them, whatever divisions and remainders it holds. The pieces of memory around these places are
// loaded as they lie, once for all that the stretch reads of them, and permuted in registers.
#include <algorithm>
#include <bit>

#include "codegen/cpu/emitter.h"
#include "codegen/cpu/llvm_scalar_builder.h"
#include "kernel/ir/blocks.h"

namespace ingot::codegen {

using kernel::Buffer;
using kernel::cover;
using kernel::floor_to;
using kernel::kMostPieces;
using kernel::Span;
using llvm::Value;

// Is the lanes' loop gone through at once, and are places in memory permutations of its points?
bool Emitter::permutes(const kernel::Loop& loop) const {
  if (vars_[static_cast<size_t>(loop.var)].base || kernel::has_loops(loop.body)) return false;
  return std::any_of(loop.body.stmts.begin(), loop.body.stmts.end(), [&](const kernel::Stmt& stmt) {
    const auto* load = std::get_if<kernel::Load>(&stmt.node);
    return load && load->offset.uses_nonlinearly(loop.var);
  });
}

// False: the places depend on more than constants.
bool Emitter::places_of_lanes(const Index& index, const Coords& coords, Index& uniform,
                              std::vector<int64_t>& places) {
  if (vars_[static_cast<size_t>(lane_var_)].base || kernel_.uses_bound(index)) return false;
  const Index inside = substituted(index, coords, true);
  for (int lane = 0; lane < lanes_; ++lane) {
    const Index here = inside.substitute(
        [&](int id, int64_t extent) { return id == lane_var_ ? Index(lane) : Index::variable(id, extent); });
    const Index rest = here - Index(here.constant());
    if (lane > 0 && rest != uniform) return false;
    uniform = rest;
    places.push_back(here.constant());
  }
  return true;
}

// A vector that holds the span, and what lies around it where that is in the buffer: it begins at a multiple
// of a vector's length if it can.
Emitter::Piece& Emitter::piece_around(kernel::BufferId id, const Index& uniform, const Span& span) {
  const Buffer& buffer = kernel_.buffers[static_cast<size_t>(id)];
  const int64_t low = uniform.min(), high = uniform.max();
  Piece piece{id, uniform, span.first, span.last, nullptr};
  for (int64_t start : {floor_to(span.first, lanes_), span.first, span.last + 1 - lanes_}) {
    const bool holds = start <= span.first && span.last < start + lanes_;
    if (!holds || low + start < 0 || high + start + lanes_ > buffer.elements) continue;
    piece.start = start;
    piece.last = start + lanes_ - 1;
    break;
  }
  for (Piece& known : stretch_->pieces) {
    const bool same = known.buffer == id && known.start == piece.start && known.last == piece.last;
    if (same && known.uniform == uniform) return known;
  }
  auto loaded = [&](int64_t start, int64_t length) {
    llvm::Type* element = memory_type(llvm_, buffer.dtype);
    return b_.CreateAlignedLoad(llvm::FixedVectorType::get(element, static_cast<unsigned>(length)),
                                address(id, Offset{uniform, start, 1, true}, {}),
                                llvm::Align(byte_size(buffer.dtype)));
  };
  const int64_t length = piece.last - piece.start + 1;
  if (length == lanes_) {
    piece.value = loaded(piece.start, lanes_);
  } else {
    // Less than a vector lies there: its first and its last elements, which may overlap.
    const auto half = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(length)));
    std::vector<int> order(static_cast<size_t>(lanes_), -1);
    for (int64_t i = 0; i < length; ++i)
      order[static_cast<size_t>(i)] = static_cast<int>(i < half ? i : 2 * half - length + i);
    piece.value =
        b_.CreateShuffleVector(loaded(piece.start, half), loaded(piece.last + 1 - half, half), order);
  }
  return stretch_->pieces.emplace_back(std::move(piece));
}

// Null: the load is of another kind.
Value* Emitter::load_permuted(const kernel::Load& load, const Coords& coords) {
  const Buffer& buffer = kernel_.buffers[static_cast<size_t>(load.buffer)];
  if (!stretch_ || lanes_ == 1 || load.predicate != kernel::kNone || buffer.kind != Buffer::Kind::kInput)
    return nullptr;
  if (!load.offset.uses_nonlinearly(lane_var_)) return nullptr;
  Index uniform;
  std::vector<int64_t> places;
  if (!places_of_lanes(load.offset, coords, uniform, places)) return nullptr;

  const std::vector<Span> spans = cover(places, lanes_);
  if (spans.size() > kMostPieces) return nullptr;
  // The first piece is permuted together with the second one, each other one with what is there by then.
  Value* result = nullptr;
  std::vector<int> order(places.size(), -1);
  for (size_t i = 0; i < spans.size(); ++i) {
    const Piece& piece = piece_around(load.buffer, uniform, spans[i]);
    for (size_t lane = 0; lane < places.size(); ++lane) {
      if (spans[i].first <= places[lane] && places[lane] <= spans[i].last)
        order[lane] = static_cast<int>(places[lane] - piece.start) + (result ? lanes_ : 0);
      else if (i > 1 && order[lane] >= 0)
        order[lane] = static_cast<int>(lane);
    }
    if (result)
      result = b_.CreateShuffleVector(result, piece.value, order);
    else
      result = spans.size() == 1 ? b_.CreateShuffleVector(piece.value, order) : piece.value;
  }
  return from_memory(result, buffer.dtype);
}

}  // namespace ingot::codegen
