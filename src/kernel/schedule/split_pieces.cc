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
// Many pieces that are narrower than a line of memory share lines, which each phase would fetch again. There
// a unit takes a block of rows that its cache keeps, and writes one piece after the other into it:
//
//   parallel i_block in 0..n step r {
//     map i in 0..r lanes { out[i_block + i, 0] = x[i_block + i] }
//     map i in 0..r lanes { out[i_block + i, 1] = y[i_block + i] }
//   }
#include <algorithm>
#include <map>
#include <set>

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
constexpr int64_t kWrittenLine = 64;    // bytes: what two phases write to is fetched twice
constexpr double kMostReadAgain = 1.2;  // times the traffic of one pass
// Pieces from which writing them one after the other beats asking for each element which of them it is of.
constexpr size_t kManyPieces = 12;
constexpr int64_t kBlockBytes = 64 << 10;  // of a block of rows: half of a small second-level cache
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
  Cutter(Kernel& kernel, const Nest& nest) : kernel_(kernel), nest_(nest) {}

  // The phases, or nothing if one pass over all pieces is better.
  std::optional<Block> run() {
    if (has_loops(nest_.body) || !chooses_between_reads() || points() < kLeastPoints) return std::nullopt;
    for (position_ = 0; position_ < nest_.loops.size(); ++position_) {
      find_bounds();
      if (bounds_.size() < 3 || bounds_.size() > kMostPieces + 1 || !writes_whole_lines()) continue;
      Block phases;
      for (size_t i = 0; i + 1 < bounds_.size(); ++i) {
        Block made = piece(bounds_[i], bounds_[i + 1]);
        for (Stmt& stmt : made.stmts) phases.stmts.push_back(std::move(stmt));
      }
      if (traffic(phases) <= kMostReadAgain * traffic(wrap(nest_.loops, nest_.body))) return phases;
    }
    return std::nullopt;
  }

  // The pieces in blocks of rows, or nothing if they are few or there are no rows.
  std::optional<Block> run_in_blocks() {
    if (has_loops(nest_.body) || !chooses_between_reads() || points() < kLeastPoints) return std::nullopt;
    for (position_ = 0; position_ < nest_.loops.size(); ++position_) {
      find_bounds();
      if (bounds_.size() <= kManyPieces || writes_whole_lines()) continue;
      std::optional<size_t> row;
      for (size_t i = 0; i < nest_.loops.size(); ++i) {
        const bool longer = !row || nest_.loops[i].extent > nest_.loops[*row].extent;
        if (i != position_ && longer && nest_.loops[i].extent >= kLeastRowsOfBlock) row = i;
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
             std::abs(store->offset.coefficient(loop().var)) * shortest * element >= kWrittenLine;
    });
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
      loops.push_back(make_loop(kernel_, name, rows, 1, LoopKind::kMap, LoopStyle::kLanes));
      copy.replace_variable(nest_.loops[row].var,
                            kernel_.var(band.back().var) + kernel_.var(loops.back().var));
      Block made = wrap(std::move(loops), body_of_piece(copy));
      for (Stmt& stmt : made.stmts) pieces.stmts.push_back(std::move(stmt));
    }
    return wrap(std::move(band), std::move(pieces));
  }

  // The nest over begin <= variable < end.
  Block piece(int64_t begin, int64_t end) {
    Copier copy(kernel_);
    std::vector<Loop> loops;
    for (size_t i = 0; i < nest_.loops.size(); ++i) {
      const Loop& old = nest_.loops[i];
      const bool cut = i == position_;
      loops.push_back(make_loop(kernel_, kernel_.var_names[static_cast<size_t>(old.var)],
                                cut ? end - begin : old.extent, 1, LoopKind::kParallel));
      copy.replace_variable(old.var, kernel_.var(loops.back().var) + Index(cut ? begin : 0));
    }
    return wrap(std::move(loops), body_of_piece(copy));
  }

  // The body with variables that tell which piece it is of.
  Block body_of_piece(Copier& copy) {
    known_.clear();
    Block body;
    for (const Stmt& stmt : nest_.body.stmts) {
      Stmt made = copy(stmt);
      decide(made);
      if (std::optional<ScalarId> same = stands_for(made)) {
        copy.replace_scalar(results(stmt).at(0), *same);
        continue;
      }
      body.stmts.push_back(std::move(made));
    }
    eliminate_dead(kernel_, body);
    return body;
  }

  std::optional<bool> known(ScalarId id) const {
    auto it = known_.find(id);
    return it == known_.end() ? std::nullopt : std::optional(it->second);
  }
  void become(Stmt& stmt, ScalarId result, bool value) {
    known_[result] = value;
    Tensor scalar(DType::kPred, {});
    scalar.set_int(0, value ? 1 : 0);
    stmt.node = Literal{result, scalar};
  }

  // A condition that is known in this piece becomes a constant, and so does what it forbids to read.
  void decide(Stmt& stmt) {
    if (auto* range = std::get_if<InRange>(&stmt.node)) {
      const int64_t low = range->index.min(), high = range->index.max();
      if (high < range->low || low >= range->high) return become(stmt, range->result, false);
      if (low >= range->low && high < range->high) become(stmt, range->result, true);
    } else if (auto* load = std::get_if<Load>(&stmt.node)) {
      if (load->predicate == kNone || !known(load->predicate)) return;
      if (*known(load->predicate)) {
        load->predicate = kNone;
      } else {
        const ScalarId result = load->result;
        stmt.node = Literal{result, Tensor(kernel_.scalars[static_cast<size_t>(result)], {})};
      }
    } else if (auto* let = std::get_if<Let>(&stmt.node);
               let != nullptr && kernel_.scalars[static_cast<size_t>(let->result)] == DType::kPred) {
      const std::optional<bool> a = known(let->operands[0]);
      const std::optional<bool> b = let->operands.size() > 1 ? known(let->operands[1]) : std::nullopt;
      if (is<ops::NotOp>(*let) && a) return become(stmt, let->result, !*a);
      if (is<ops::AndOp>(*let) && ((a && !*a) || (b && !*b) || (a && b)))
        become(stmt, let->result, a.value_or(true) && b.value_or(true));
    }
  }
  template <class T>
  static bool is(const Let& let) {
    return ops::is<T>(*let.record);
  }

  // The scalar whose value the statement's result has in this piece, if it computes nothing.
  std::optional<ScalarId> stands_for(const Stmt& stmt) const {
    auto* let = std::get_if<Let>(&stmt.node);
    if (let == nullptr) return std::nullopt;
    const std::vector<ScalarId>& x = let->operands;
    if (is<ops::SelectOp>(*let) && known(x[0])) return *known(x[0]) ? x[1] : x[2];
    if (is<ops::AndOp>(*let) && known(x[0])) return x[1];  // it holds
    if (is<ops::AndOp>(*let) && known(x[1])) return x[0];
    return std::nullopt;
  }

  // Bytes between memory and the nests. What two pieces read, both fetch.
  double traffic(Block body) const {
    double total = 0;
    for (Stmt& stmt : body.stmts) {
      Kernel one = kernel_;
      one.body = Block{};
      one.body.stmts.push_back(std::move(stmt));
      count_work(one);
      total += static_cast<double>(one.bytes_read + one.bytes_written);
    }
    return total;
  }

  Kernel& kernel_;
  const Nest& nest_;
  size_t position_ = 0;          // of the loop that is cut
  std::vector<int64_t> bounds_;  // of the pieces
  std::map<ScalarId, bool> known_;
};

}  // namespace

bool split_pieces(Kernel& kernel) {
  Nest nest = take_nest(kernel);
  if (std::optional<Block> phases = Cutter(kernel, nest).run()) {
    kernel.body = std::move(*phases);
    return true;
  }
  put_nest(kernel, std::move(nest));
  return false;
}

bool write_pieces_in_blocks(Kernel& kernel) {
  Nest nest = take_nest(kernel);
  if (std::optional<Block> blocks = Cutter(kernel, nest).run_in_blocks()) {
    kernel.body = std::move(*blocks);
    return true;
  }
  put_nest(kernel, std::move(nest));
  return false;
}

}  // namespace ingot::kernel
