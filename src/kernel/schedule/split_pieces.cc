// An output that is put together from several arrays, a concatenation with whatever made its parts, computed
// piece by piece.
//
// As it is lowered, each point asks in which piece it lies, computes all of them, each under its condition,
// and picks one. Here the loop over pieces is cut where a condition changes, and each of its ranges becomes a
// phase of its own, in which all conditions are known: it computes one piece, with the lanes and units that
// suit that piece.
//
//   parallel i in 0..n { parallel j in 0..a+b { out = select(j < a, x[i,j] if j < a, y[i,j-a] if not) } }
// becomes
//   parallel i in 0..n { parallel j in 0..a { out[i,j] = x[i,j] } }
//   parallel i in 0..n { parallel j in 0..b { out[i,a+j] = y[i,j] } }
//
// Many pieces that are narrower than a line of memory share lines, which each phase would fetch again, and
// very many are too much code for phases. There a unit takes a block of rows that its cache keeps, and writes
// one piece after the other into it:
//
//   parallel i_block in 0..n step r {
//     map i in 0..r lanes { out[i_block + i, 0] = x[i_block + i] }
//     map i in 0..r lanes { out[i_block + i, 1] = y[i_block + i] }
//   }
//
// Many pieces without so many rows are written one after the other by one unit. Pieces that differ in where
// they lie and in their numbers alone become calls of one function.
//
// Few pieces that lie along rows are loops of their own in each row where asking costs more than loops do:
//
//   parallel i in 0..n {
//     map j in 0..a lanes { out[i,j] = x[i,j] }
//     map j in 0..b lanes { out[i,a+j] = y[i,j] }
//   }
//
// On AVX2, a ring of 1,000 elements that moves on by one took 165 ns a step with a condition on each vector,
// and takes 117 so; a step of a game of life of bytes, sums of rolls by rows and columns, takes a tenth.
#include <algorithm>
#include <set>

#include "kernel/cost/price.h"
#include "kernel/cost/table.h"
#include "kernel/ir/blocks.h"
#include "kernel/ir/copier.h"
#include "kernel/ir/count_work.h"
#include "kernel/ir/nest.h"
#include "kernel/schedule/steps.h"
#include "ops/kinds.h"

namespace ingot::kernel {
namespace {

constexpr int64_t kLeastPoints = 1 << 14;  // below, the whole kernel runs at once
constexpr size_t kMostPieces = 32;
constexpr double kMostReadAgain = 1.2;                // times the traffic of one pass
constexpr double kPerByte = prices::kMemoryTrip / 4;  // instructions that a byte of traffic is worth
constexpr int64_t kMostOfLinesShared = 16;            // 1 in so many
// Parts of its points that a price is worth: exact for what pads and concatenates; a dilated window of 32 by
// 32 would take 65536 parts, and a group of a pool's gradient 30 s.
constexpr int64_t kMostPartsPriced = 1 << 7;
// Pieces from which writing them one after the other beats asking for each element which of them it is of.
constexpr size_t kManyPieces = 12;
// Instructions on elements that one more loop over lanes is worth: about 20 on vectors of 16.
constexpr double kPerLoop = 320;
// Times the statements of the body that few pieces may have together, for the compiler's time.
constexpr size_t kMostCode = 2;
constexpr int64_t kBlockBytes = prices::kSmallCache / 2;  // of a block of rows
constexpr int64_t kLeastRowsOfBlock = 16, kMostRowsOfBlock = 256;

// The variable of the index if that is var + constant.
std::optional<VarId> shifted_variable(const Index& index) {
  if (index.terms().size() != 1 || index.terms()[0].coefficient != 1) return std::nullopt;
  const IndexAtom& atom = *index.terms()[0].atom;
  if (atom.kind != IndexAtom::Kind::kVariable) return std::nullopt;
  return atom.id;
}

class Cutter {
 public:
  Cutter(Kernel& kernel, const Nest& nest) : kernel_(kernel), nest_(nest), scalars_(kernel.scalars.size()) {}

  // The phases, or nothing if one pass over all pieces is better.
  std::optional<Block> phases() {
    if (has_loops(nest_.body) || !chooses_between_reads() || points() < kLeastPoints) return std::nullopt;
    for (position_ = 0; position_ < nest_.loops.size(); ++position_) {
      find_bounds();
      facts_.clear();
      if (bounds_.size() < 3 || !are_phases()) continue;
      if (position_ + 1 == nest_.loops.size() && position_ > 0 && in_rows()) break;  // one pass over all
      Block made;
      for (size_t i = 0; i + 1 < bounds_.size(); ++i) {
        Block one = piece(bounds_[i], bounds_[i + 1], LoopKind::kParallel);
        for (Stmt& stmt : one.stmts) made.stmts.push_back(std::move(stmt));
      }
      const Block whole = wrap(nest_.loops, nest_.body);
      const double saved = work(whole) - work(made);
      if (kPerByte * (traffic(made) - kMostReadAgain * traffic(whole)) <= std::max(saved, 0.0)) return made;
    }
    return std::nullopt;
  }

  // The pieces one after the other, or nothing if they are few or each is work enough for threads.
  std::optional<Block> in_turn() {
    if (has_loops(nest_.body) || !chooses_between_reads()) return std::nullopt;
    for (position_ = 0; position_ < nest_.loops.size(); ++position_) {
      find_bounds();
      facts_.clear();
      if (bounds_.size() <= kManyPieces || are_large()) continue;
      Block all;
      for (size_t i = 0; i + 1 < bounds_.size(); ++i) {
        Block made = piece(bounds_[i], bounds_[i + 1], LoopKind::kMap);
        for (Stmt& stmt : made.stmts) all.stmts.push_back(std::move(stmt));
      }
      return all;
    }
    return std::nullopt;
  }

  // Each row piece by piece, or nothing if asking costs less than loops do.
  std::optional<Block> in_rows() {
    if (has_loops(nest_.body) || nest_.loops.empty() || !chooses_between_reads()) return std::nullopt;
    position_ = nest_.loops.size() - 1;
    if (loop().extent > kLeastPoints || !lies_along_rows()) return std::nullopt;
    find_bounds();
    facts_.clear();
    const size_t count = bounds_.size() - 1;
    if (count < 2 || count >= kManyPieces) return std::nullopt;
    Block pieces;
    size_t code = 0;
    for (size_t i = 0; i < count; ++i) {
      const int64_t begin = bounds_[i], end = bounds_[i + 1];
      Loop part = make_loop(kernel_, kernel_.var_names[static_cast<size_t>(loop().var)], end - begin, 1,
                            LoopKind::kMap, LoopStyle::kLanes);
      Copier copy(kernel_);
      copy.replace_variable(loop().var, kernel_.var(part.var) + Index(begin));
      part.body = body_of_piece(copy, begin, end);
      code += part.body.stmts.size();
      pieces.stmts.push_back({std::move(part)});
    }
    if (code > kMostCode * nest_.body.stmts.size()) return std::nullopt;
    const double saved = work(wrap({loop()}, nest_.body)) - work(pieces);
    if (saved <= kPerLoop * static_cast<double>(count - 1)) return std::nullopt;
    return wrap({nest_.loops.begin(), nest_.loops.end() - 1}, std::move(pieces));
  }

  // The pieces in blocks of rows, or nothing if they are few or there are no rows.
  std::optional<Block> in_blocks() {
    if (has_loops(nest_.body) || !chooses_between_reads() || points() < kLeastPoints) return std::nullopt;
    for (position_ = 0; position_ < nest_.loops.size(); ++position_) {
      find_bounds();
      facts_.clear();
      if (bounds_.size() <= kManyPieces || are_phases()) continue;
      std::optional<size_t> row;
      for (size_t i = 0; i < nest_.loops.size(); ++i) {
        // Of wide pieces those rows that lie around them: others would cut what is a line or more.
        if (i == position_ || (i > position_ && writes_whole_lines())) continue;
        const bool longer = !row || nest_.loops[i].extent > nest_.loops[*row].extent;
        if (longer && nest_.loops[i].extent >= kLeastRowsOfBlock) row = i;
      }
      if (row) return pieces_in_blocks(*row);
    }
    return std::nullopt;
  }

 private:
  const Loop& loop() const { return nest_.loops[position_]; }
  int64_t points() const {
    int64_t all = 1;
    for (const Loop& l : nest_.loops) all *= l.extent;
    return all;
  }

  // Whether all that is read and written lies along the innermost loop, or does not move with it.
  bool lies_along_rows() const {
    const auto along = [&](const Index& offset) {
      return !offset.uses_nonlinearly(loop().var) && std::abs(offset.coefficient(loop().var)) <= 1;
    };
    return std::all_of(nest_.body.stmts.begin(), nest_.body.stmts.end(), [&](const Stmt& stmt) {
      if (const auto* load = std::get_if<Load>(&stmt.node)) return along(load->offset);
      if (const auto* store = std::get_if<Store>(&stmt.node)) return along(store->offset);
      return !results(stmt).empty();
    });
  }

  // Whether each piece is enough for threads.
  bool are_large() const { return points() >= kLeastPoints * (static_cast<int64_t>(bounds_.size()) - 1); }
  // Very many, if each lies by itself: those of rows are written side by side, since a row of 64 pieces of 64
  // to 128 bytes takes 40 ms in 64 passes over 10,000 rows, and 6.5 in blocks of them.
  bool are_phases() const {
    const bool few = bounds_.size() <= kMostPieces + 1;
    return (writes_whole_lines() || shares_few_lines()) && (few || (position_ == 0 && are_large()));
  }

  // Reads under one condition alone are those of a pad, which is little more than a mask.
  bool chooses_between_reads() const {
    std::set<ScalarId> predicates;
    for (const Stmt& stmt : nest_.body.stmts) {
      auto* load = std::get_if<Load>(&stmt.node);
      if (load != nullptr && load->predicate != kNone) predicates.insert(load->predicate);
    }
    return predicates.size() > 1;
  }

  // Where a condition on the loop's variable begins or ceases to hold, and both ends.
  void find_bounds() {
    std::set<int64_t> found = {0, loop().extent};
    for (const Stmt& stmt : nest_.body.stmts) {
      auto* range = std::get_if<InRange>(&stmt.node);
      if (range == nullptr || shifted_variable(range->index) != loop().var) continue;
      for (int64_t bound : {range->low, range->high}) {
        const int64_t at = bound - range->index.constant();
        if (at > 0 && at < loop().extent) found.insert(at);
      }
    }
    bounds_.assign(found.begin(), found.end());
  }

  // A line that two phases write to is fetched twice.
  bool writes_whole_lines() const {
    int64_t shortest = loop().extent;
    for (size_t i = 0; i + 1 < bounds_.size(); ++i)
      shortest = std::min(shortest, bounds_[i + 1] - bounds_[i]);
    return std::all_of(nest_.body.stmts.begin(), nest_.body.stmts.end(), [&](const Stmt& stmt) {
      auto* store = std::get_if<Store>(&stmt.node);
      if (store == nullptr) return true;
      const auto element =
          static_cast<int64_t>(byte_size(kernel_.buffers[static_cast<size_t>(store->buffer)].dtype));
      return !store->offset.uses_nonlinearly(loop().var) &&
             std::abs(store->offset.coefficient(loop().var)) * shortest * element >= prices::kLineBytes;
    });
  }

  // What is fetched twice is little of what is written, such as where the ends of long rows are pieces.
  bool shares_few_lines() const {
    int64_t rows = 1;
    for (size_t i = 0; i < position_; ++i) rows *= nest_.loops[i].extent;
    const auto inside = static_cast<int64_t>(bounds_.size()) - 2;
    return inside * rows * prices::kLineBytes * kMostOfLinesShared <=
           points() / loop().extent * bytes_of_a_row();
  }

  int64_t bytes_of_a_row() const {
    int64_t bytes = 0;
    for (const Stmt& stmt : nest_.body.stmts) {
      if (auto* store = std::get_if<Store>(&stmt.node))
        bytes += loop().extent *
                 static_cast<int64_t>(byte_size(kernel_.buffers[static_cast<size_t>(store->buffer)].dtype));
    }
    return std::max<int64_t>(bytes, 1);
  }

  Block pieces_in_blocks(size_t row) {
    const std::string name = kernel_.var_names[static_cast<size_t>(nest_.loops[row].var)];
    const int64_t rows = std::min(nest_.loops[row].extent, std::clamp(kBlockBytes / bytes_of_a_row(),
                                                                      kLeastRowsOfBlock, kMostRowsOfBlock));
    std::vector<Loop> band;
    for (size_t i = 0; i < nest_.loops.size(); ++i) {
      if (i != position_ && i != row) band.push_back(nest_.loops[i]);
    }
    band.push_back(make_loop(kernel_, name + "_block", nest_.loops[row].extent, rows, LoopKind::kParallel));
    Block pieces;
    const bool wide = writes_whole_lines();
    for (size_t i = 0; i + 1 < bounds_.size(); ++i) {
      const int64_t begin = bounds_[i], length = bounds_[i + 1] - begin;
      std::vector<Loop> loops;
      Copier copy(kernel_);
      if (length > 1) {
        loops.push_back(make_loop(kernel_, kernel_.var_names[static_cast<size_t>(loop().var)], length, 1,
                                  LoopKind::kMap));
        copy.replace_variable(loop().var, kernel_.var(loops.back().var) + Index(begin));
      } else {
        copy.replace_variable(loop().var, Index(begin));
      }
      loops.push_back(make_loop(kernel_, name, rows, 1, LoopKind::kMap));
      copy.replace_variable(nest_.loops[row].var,
                            kernel_.var(band.back().var) + kernel_.var(loops.back().var));
      if (wide) std::swap(loops.front(), loops.back());  // lanes lie along what is a line or more
      loops.back().style = LoopStyle::kLanes;
      loops.front().outline = wide;
      Block made = wrap(std::move(loops), body_of_piece(copy, begin, begin + length));
      for (Stmt& stmt : made.stmts) pieces.stmts.push_back(std::move(stmt));
    }
    return wrap(std::move(band), std::move(pieces));
  }

  // The nest over begin <= variable < end. What one unit does by itself has its lanes along the innermost
  // loop.
  Block piece(int64_t begin, int64_t end, LoopKind kind) {
    Copier copy(kernel_);
    std::vector<Loop> loops;
    for (size_t i = 0; i < nest_.loops.size(); ++i) {
      const Loop& old = nest_.loops[i];
      const bool cut = i == position_;
      loops.push_back(make_loop(kernel_, kernel_.var_names[static_cast<size_t>(old.var)],
                                cut ? end - begin : old.extent, 1, kind));
      copy.replace_variable(old.var, kernel_.var(loops.back().var) + Index(cut ? begin : 0));
    }
    if (kind == LoopKind::kMap) {
      loops.front().outline = true;
      loops.back().style = LoopStyle::kLanes;
    }
    return wrap(std::move(loops), body_of_piece(copy, begin, end));
  }

  // What the body needs of begin <= variable < end, copied. What only other pieces need is looked at, and not
  // copied: there may be hundreds of pieces.
  Block body_of_piece(Copier& copy, int64_t begin, int64_t end) {
    const std::vector<Stmt>& stmts = nest_.body.stmts;
    look_up();
    known_.assign(scalars_, Known::kMaybe);
    for (size_t i = 0; i < scalars_; ++i) same_[i] = static_cast<ScalarId>(i);
    for (size_t i = 0; i < stmts.size(); ++i) decide(copy, stmts[i], facts_[i].shifted, begin, end);
    std::vector<char> needed(scalars_, 0);
    std::vector<size_t> kept;
    for (size_t i = stmts.size(); i-- > 0;) {
      const ScalarId made = facts_[i].made;
      if (made != kNone && !needed[at(made)]) continue;
      kept.push_back(i);
      if (is_constant(stmts[i], made)) continue;
      for (ScalarId id : facts_[i].uses) needed[at(resolved(id))] = 1;
    }
    Block body;
    for (auto it = kept.rbegin(); it != kept.rend(); ++it) body.stmts.push_back(in_piece(copy, *it));
    eliminate_dead(kernel_, body);
    return body;
  }

  // What pieces ask of each statement of the body.
  struct Facts {
    ScalarId made = kNone;
    std::vector<ScalarId> uses;
    bool shifted = false;  // a condition on the loop's variable and a constant
  };
  void look_up() {
    if (!facts_.empty()) return;
    same_.resize(scalars_);
    for (const Stmt& stmt : nest_.body.stmts) {
      const std::vector<ScalarId> made = results(stmt);
      const auto* range = std::get_if<InRange>(&stmt.node);
      facts_.push_back({made.empty() ? kNone : made.at(0), uses(kernel_, stmt),
                        range != nullptr && shifted_variable(range->index) == loop().var});
    }
  }

  // The statement as it is in this piece: a condition that is known is a constant, and so is what it forbids
  // to read.
  Stmt in_piece(Copier& copy, size_t i) {
    const Stmt& stmt = nest_.body.stmts[i];
    const ScalarId made = facts_[i].made;
    if (is_constant(stmt, made)) {
      Tensor value(kernel_.scalars[at(made)], {});
      if (known(made) == true) value.set_int(0, 1);
      return copy(Stmt{Literal{made, std::move(value)}});
    }
    for (ScalarId id : facts_[i].uses) {
      if (resolved(id) != id) copy.replace_scalar(id, copy.fresh(resolved(id)));
    }
    Stmt result = copy(stmt);
    if (auto* load = std::get_if<Load>(&result.node); load != nullptr && load->predicate != kNone) {
      if (known(std::get<Load>(stmt.node).predicate)) load->predicate = kNone;  // it holds
    }
    return result;
  }
  bool is_constant(const Stmt& stmt, ScalarId made) const {
    return made != kNone && (known(made) || reads_nothing(stmt));
  }

  enum class Known : uint8_t { kMaybe, kTrue, kFalse };
  static size_t at(ScalarId id) { return static_cast<size_t>(id); }
  std::optional<bool> known(ScalarId id) const {
    const Known known = known_[at(id)];
    return known == Known::kMaybe ? std::nullopt : std::optional(known == Known::kTrue);
  }
  void learn(ScalarId id, bool holds) { known_[at(id)] = holds ? Known::kTrue : Known::kFalse; }
  // Whether a variable has its value.
  bool is_bound(ScalarId id) const {
    return std::any_of(kernel_.bound.begin(), kernel_.bound.end(),
                       [&](const auto& bound) { return bound.second == id; });
  }
  // The scalar whose value this one has in the piece.
  ScalarId resolved(ScalarId id) const { return same_[at(id)]; }
  void stands_for(ScalarId id, ScalarId other) {
    same_[at(id)] = resolved(other);
    known_[at(id)] = known_[at(other)];
  }
  bool reads_nothing(const Stmt& stmt) const {
    const auto* load = std::get_if<Load>(&stmt.node);
    return load != nullptr && load->predicate != kNone && known(load->predicate) == false;
  }

  // Conditions that are known in the piece, and scalars that are another one's value there.
  void decide(const Copier& copy, const Stmt& stmt, bool shifted, int64_t begin, int64_t end) {
    if (auto* range = std::get_if<InRange>(&stmt.node)) {
      int64_t low = begin, high = end - 1;
      if (shifted) {
        low += range->index.constant(), high += range->index.constant();
      } else {
        const Index index = copy.fresh(range->index);
        low = index.min(), high = index.max();
      }
      if (high < range->low || low >= range->high || high < low) return learn(range->result, false);
      if (low >= range->low && high < range->high) learn(range->result, true);
      return;
    }
    const auto* let = std::get_if<Let>(&stmt.node);
    if (let == nullptr || is_bound(let->result)) return;
    const std::vector<ScalarId>& x = let->operands;
    const std::optional<bool> a = known(x[0]), b = x.size() > 1 ? known(x[1]) : std::nullopt;
    const bool condition = kernel_.scalars[at(let->result)] == DType::kPred;
    if (is<ops::SelectOp>(*let) && a) return stands_for(let->result, *a ? x[1] : x[2]);
    if (condition && is<ops::NotOp>(*let) && a) return learn(let->result, !*a);
    if (!condition || !is<ops::AndOp>(*let) || (!a && !b)) return;
    if ((a && !*a) || (b && !*b)) return learn(let->result, false);
    stands_for(let->result, a ? x[1] : x[0]);
  }
  template <class T>
  static bool is(const Let& let) {
    return ops::is<T>(*let.record);
  }

  // Bytes between memory and the nests. What two pieces read, both fetch.
  double traffic(Block body) const {
    double total = 0;
    for (Stmt& stmt : body.stmts) {
      Kernel one = kernel_;
      one.body = Block{};
      one.body.stmts.push_back(std::move(stmt));
      count_work(one, kMostPartsPriced);
      total += static_cast<double>(one.bytes_read + one.bytes_written);
    }
    return total;
  }

  Kernel& kernel_;
  const Nest& nest_;
  size_t position_ = 0;          // of the loop that is cut
  std::vector<int64_t> bounds_;  // of the pieces
  size_t scalars_;               // of the body, before pieces have some of their own
  std::vector<Facts> facts_;     // of the statements of the body
  std::vector<Known> known_;     // of conditions, in the piece that is being made
  std::vector<ScalarId> same_;   // of each scalar, the one whose value it has there
};

bool rewrite(Kernel& kernel, std::optional<Block> (Cutter::*way)()) {
  Nest nest = take_nest(kernel);
  std::optional<Block> pieces = (Cutter(kernel, nest).*way)();
  if (!pieces) {
    put_nest(kernel, std::move(nest));
    return false;
  }
  kernel.body = std::move(*pieces);
  return true;
}

}  // namespace

bool split_pieces(Kernel& kernel) {
  return rewrite(kernel, &Cutter::phases);
}

bool write_pieces_in_blocks(Kernel& kernel) {
  return rewrite(kernel, &Cutter::in_blocks);
}

bool write_pieces_in_turn(Kernel& kernel) {
  return rewrite(kernel, &Cutter::in_turn);
}

bool write_pieces_in_rows(Kernel& kernel) {
  return rewrite(kernel, &Cutter::in_rows);
}

}  // namespace ingot::kernel
