// Packing of bf16 for instructions that multiply pairs of them.
//
// Such an instruction takes two neighbours along the contracted dimension from each side. In the panels they
// lie interleaved, [k/2][n][2], so that the pairs of neighbouring n make a vector, or a row of a matrix tile;
// the rows lie as [m][k]. Several contracted dimensions are one in the copies. Where its points are no
// multiple of what an instruction takes, zeros follow on both sides: garbage might be NaN, which times zero
// is NaN.
#include "base/check.h"
#include "kernel/ir/blocks.h"
#include "kernel/schedule/contraction/contraction.h"

namespace ingot::kernel {
namespace {

// Elements of k that are read at once where k runs along memory and lanes do not: a line of the cache.
constexpr int64_t kAtOnce = 32;
// Behind each row: whole lines, so that rows begin with one, and fall on different ones.
constexpr int64_t kPairRowPadding = 32;

class PairPacking {
 public:
  PairPacking(Kernel& kernel, Loop& reduction, const PairSide& side, const FlatLoop& flat)
      : kernel_(kernel), side_(side), flat_(flat), chain_(chain_of(reduction)) {
    for (Stmt& stmt : chain_.back()->body.stmts) {
      auto* load = std::get_if<Load>(&stmt.node);
      if (load != nullptr && load->offset.uses(side.inner) && !load->offset.uses(side.other)) load_ = load;
    }
    check(load_ != nullptr, "nothing is read of this side of a product");
    row_ = side.interleaved ? 2 * side.extent
                            : flat.padded / kPairRowPadding * kPairRowPadding + kPairRowPadding;
    while (row_ < flat.padded && !side.interleaved) row_ += kPairRowPadding;
    elements_ = side.interleaved ? flat.padded * side.extent : side.extent * row_;
  }

  Block run() {
    const int64_t elements = side_.pieces * elements_;
    buffer_ = kernel_.add_buffer(
        {side_.name, DType::kBF16, elements, Buffer::Kind::kLocal, {elements / row_, row_}});
    result_.stmts.push_back({Alloc{buffer_}});
    if (side_.interleaved)
      pack_panels();
    else
      pack_rows();
    const Index there = place(kernel_.var(side_.ordinal), kernel_.var(side_.inner), kernel_.var(flat_.var));
    load_->buffer = buffer_;
    load_->offset = there;
    return std::move(result_);
  }

 private:
  int64_t inner_extent() const { return chain_.back()->extent; }

  Index place(const Index& piece, const Index& point, const Index& k) const {
    const Index inside = side_.interleaved ? k.floor_div(2) * row_ + point * 2 + k.mod(2) : point * row_ + k;
    return piece * elements_ + inside;
  }

  Loop loop(const char* what, int64_t extent, LoopStyle style = LoopStyle::kSerial) {
    return make_loop(kernel_, std::string(side_.name) + what, extent, 1, LoopKind::kMap, style);
  }
  Loop pieces() { return loop("_piece", side_.pieces); }

  // Loops over the contracted dimensions but the innermost one.
  std::vector<Loop> outer() {
    std::vector<Loop> loops;
    for (size_t i = 0; i + 1 < chain_.size(); ++i)
      loops.push_back(make_loop(kernel_, kernel_.var_names[static_cast<size_t>(chain_[i]->var)],
                                chain_[i]->extent, 1, LoopKind::kMap));
    return loops;
  }

  // Copies the point of those variables; `k` is that of the innermost contracted dimension.
  Block copy(const Loop& piece, const Loop& point, const std::vector<Loop>& outer, const Index& k) {
    Index whole;
    std::unordered_map<VarId, Index> renewed = {{side_.inner, kernel_.var(point.var)},
                                                {side_.ordinal, kernel_.var(piece.var)},
                                                {chain_.back()->var, k}};
    for (size_t i = 0; i < outer.size(); ++i) {
      renewed[chain_[i]->var] = kernel_.var(outer[i].var);
      whole = whole * chain_[i]->extent + kernel_.var(outer[i].var);
    }
    whole = whole * inner_extent() + k;
    Block body;
    const ScalarId value = kernel_.add_scalar(DType::kBF16);
    body.stmts.push_back({Load{value, load_->buffer, load_->offset.substitute([&](int id, int64_t extent) {
                                 auto it = renewed.find(id);
                                 return it == renewed.end() ? Index::variable(id, extent) : it->second;
                               })}});
    body.stmts.push_back(
        {Store{buffer_, place(kernel_.var(piece.var), kernel_.var(point.var), whole), value}});
    return body;
  }

  void add(std::vector<Loop> loops, Block body) {
    result_.stmts.push_back(std::move(wrap(std::move(loops), std::move(body)).stmts[0]));
  }
  static std::vector<Loop> joined(std::vector<Loop> a, std::vector<Loop> b, std::vector<Loop> c) {
    for (auto* more : {&b, &c}) a.insert(a.end(), more->begin(), more->end());
    return a;
  }

  // From that point of k on. Two points that share their pairs are written together.
  void pack_panels() {
    const int64_t whole = inner_extent() / 2 * 2;
    clear(flat_.points / 2 * 2);
    const int64_t at_once = side_.neighbours ? 2 : std::min(kAtOnce, whole);
    const int64_t blocks = at_once > 0 ? whole / at_once : 0;
    if (blocks > 0) pack_some(0, blocks, at_once);
    if (const int64_t done = blocks * at_once; done < whole) pack_some(done, 1, whole - done);
    if (whole < inner_extent()) pack_some(whole, 1, 1);
  }

  // The points from `first` on, in blocks. The lanes run along the points of a piece; where these are
  // neighbours in memory, pieces are copied line by line, or else k runs inside.
  void pack_some(int64_t first, int64_t blocks, int64_t at_once) {
    Loop piece = pieces(), point = loop("_point", side_.extent, LoopStyle::kLanes);
    Loop block = loop("_pairs", blocks), inside = loop("_k", at_once, LoopStyle::kTile);
    std::vector<Loop> around = outer();
    const Index k = Index(first) + kernel_.var(block.var) * at_once + kernel_.var(inside.var);
    Block body = copy(piece, point, around, k);
    if (side_.neighbours)
      add(joined(std::move(around), {block}, {piece, point, inside}), std::move(body));
    else
      add(joined({piece, point}, std::move(around), {block, inside}), std::move(body));
  }

  void pack_rows() {
    clear(flat_.points);
    Loop piece = pieces(), k = loop("_k", inner_extent(), LoopStyle::kLanes);
    Loop point = loop("_point", side_.extent);
    std::vector<Loop> around = outer();
    Block body = copy(piece, point, around, kernel_.var(k.var));
    if (side_.neighbours)
      add(joined({piece}, std::move(around), {k, point}), std::move(body));
    else
      add(joined({piece, point}, std::move(around), {k}), std::move(body));
  }

  // Zeros from that point of k on.
  void clear(int64_t first) {
    if (first == flat_.padded) return;
    const int64_t points = flat_.padded - first;
    Loop piece = pieces();
    Loop row = side_.interleaved ? loop("_rest", points / 2) : loop("_point", side_.extent);
    Loop lane = loop("_zero", side_.interleaved ? row_ : points, LoopStyle::kLanes);
    const Index start = side_.interleaved ? Index(first / 2 * row_) : Index(first);
    Block body;
    const ScalarId zero = kernel_.add_scalar(DType::kBF16);
    body.stmts.push_back({Literal{zero, Tensor(DType::kBF16, {})}});
    const Index at =
        kernel_.var(piece.var) * elements_ + start + kernel_.var(row.var) * row_ + kernel_.var(lane.var);
    body.stmts.push_back({Store{buffer_, at, zero}});
    add({piece, row, lane}, std::move(body));
  }

  Kernel& kernel_;
  const PairSide& side_;
  const FlatLoop& flat_;
  std::vector<Loop*> chain_;
  Load* load_ = nullptr;
  BufferId buffer_ = kNone;
  int64_t row_ = 0, elements_ = 0;  // of a row of a piece, of a piece
  Block result_;
};

}  // namespace

int64_t padded_points(int64_t points, int64_t depth) {
  const int64_t steps = divide_up(points, depth);
  return 2 * divide_up(points, 2 * steps) * steps;
}

FlatLoop flat_loop(Kernel& kernel, Loop& reduction, int64_t depth) {
  FlatLoop flat;
  flat.points = 1;
  for (const Loop* loop : chain_of(reduction)) flat.points *= loop->extent;
  flat.padded = padded_points(flat.points, depth);
  flat.var = kernel.add_var(kernel.var_names[static_cast<size_t>(reduction.var)], flat.padded);
  return flat;
}

Block pack_pairs(Kernel& kernel, Loop& reduction, const PairSide& side, const FlatLoop& flat) {
  return PairPacking(kernel, reduction, side, flat).run();
}

void flatten(Loop& reduction, const FlatLoop& flat) {
  Loop& inner = innermost(reduction);
  if (&inner != &reduction) {
    reduction.carries[0].next = inner.carries[0].next;
    Block body = std::move(inner.body);
    reduction.body = std::move(body);
  }
  reduction.var = flat.var;
  reduction.extent = flat.padded;
}

}  // namespace ingot::kernel
