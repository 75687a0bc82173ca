// LU with partial pivoting, blocked, looking to the right, in panels. A block of columns takes three steps:
// its panels are factored one after the other, each of which is taken off those that follow in the block;
// rows are exchanged in all other panels; those to the right are solved for and lose the block's product.
// Threads share the panels of the last two out. The first step has little to share, so it does not wait for
// them: who takes the next block's panels goes on and factors them, while others do the rest.
#include <cmath>
#include <cstring>

#include "runtime/routines/matrices.h"

namespace ingot::runtime {
namespace {

constexpr int64_t kLuBlock = 64;  // columns; a multiple of every panel's lanes
constexpr int64_t kRowPart =
    256;  // rows of a panel that one thread takes at a time; a multiple of every tile's
constexpr int64_t kGroupPart = 32;  // groups of rows that one thread packs at a time

template <class E>
class Lu final : public Routine {
  using T = typename PartOf<E>::type;
  static constexpr int64_t kParts = kIsComplex<E> ? 2 : 1;

 public:
  explicit Lu(const LuForm& form)
      : form_(form), code_(panel_code<T, kIsComplex<E>>(form.vector_bytes, false)) {
    if (form.n <= code_.lanes / 2) code_ = panel_code<T, kIsComplex<E>>(form.vector_bytes, true);
    rows_ = round_up(form.m, code_.lanes);
    row_ = code_.lanes * kParts;
    panel_ = rows_ * row_;
    panels_ = (form.n + code_.lanes - 1) / code_.lanes;
  }

  std::string name() const override { return "lu"; }
  std::string form() const override { return std::to_string(form_.vector_bytes); }
  int64_t work_bytes() const override {
    return small() ? 0 : matrices_at_once(form_.batch, size()) * work_of_matrix();
  }

  void run(const RoutineCall& call) const override {
    const int64_t m = form_.m, n = form_.n, pivots = std::min(m, n);
    if (small()) {
      for_small_groups<T>(call, form_.batch, [&](int64_t first, int64_t count) {
        code_.small_lu(reinterpret_cast<const T*>(call.input<E>(0) + first * m * n),
                       reinterpret_cast<T*>(static_cast<E*>(call.buffers[1]) + first * m * n),
                       static_cast<int32_t*>(call.buffers[2]) + first * pivots,
                       static_cast<int32_t*>(call.buffers[3]) + first * m, m, n, count);
      });
      return;
    }
    for_matrices(call, form_.batch, size(), work_of_matrix(),
                 [&](int64_t i, std::byte* work, const auto& for_each) {
                   T* panels = reinterpret_cast<T*>(work);
                   const E* a = call.input<E>(0) + i * m * n;
                   E* lu = static_cast<E*>(call.buffers[1]) + i * m * n;
                   int32_t *pivot = static_cast<int32_t*>(call.buffers[2]) + i * pivots,
                           *permutation = static_cast<int32_t*>(call.buffers[3]) + i * m;
                   for_each(panels_, [&](int64_t p) { load(a, panels, p); });
                   factor(panels, panels + panels_ * panel_, pivot, for_each);
                   for_each(panels_, [&](int64_t p) { store(panels, p, lu); });
                   for (int64_t r = 0; r < m; ++r) permutation[r] = static_cast<int32_t>(r);
                   for (int64_t r = 0; r < pivots; ++r) std::swap(permutation[r], permutation[pivot[r]]);
                 });
  }

 private:
  int64_t size() const { return std::max(form_.m, form_.n); }
  bool small() const { return size() <= kSmallMatrix<kIsComplex<E>>; }
  int64_t work_of_matrix() const {
    return round_up(
        (panels_ * panel_ + rows_ * (kLuBlock + code_.lanes) * kParts) * static_cast<int64_t>(sizeof(T)), 64);
  }
  T* at(T* panel, int64_t row) const { return panel + row * row_; }

  void load(const E* a, T* panels, int64_t p) const {
    const int64_t lanes = code_.lanes, first = p * lanes, columns = std::min(lanes, form_.n - first);
    T* panel = panels + p * panel_;
    if (columns < lanes) std::fill(panel, at(panel, form_.m), T(0));
    std::fill(at(panel, form_.m), panel + panel_, T(0));
    for (int64_t i = 0; i < form_.m; ++i) {
      for (int64_t j = 0; j < columns; ++j) put(at(panel, i), lanes, j, a[i * form_.n + first + j]);
    }
  }
  void store(T* panels, int64_t p, E* lu) const {
    const int64_t lanes = code_.lanes, first = p * lanes, columns = std::min(lanes, form_.n - first);
    for (int64_t i = 0; i < form_.m; ++i) {
      for (int64_t j = 0; j < columns; ++j)
        lu[i * form_.n + first + j] = get<E>(at(panels + p * panel_, i), lanes, j);
    }
  }

  void exchange(T* panel, int64_t a, int64_t b) const {
    if (a != b) std::swap_ranges(at(panel, a), at(panel, a + 1), at(panel, b));
  }

  // Columns [0, count) of a panel from row `begin` on; the rows that were chosen.
  void factor_panel(T* panel, int64_t begin, int64_t count, int32_t* pivot) const {
    const int64_t lanes = code_.lanes;
    for (int64_t j = 0; j < count; ++j) {
      const int64_t row = begin + j;
      int64_t best = row;
      const auto size = [&](int64_t i) {
        const T* x = at(panel, i);
        return kParts == 2 ? std::abs(x[j]) + std::abs(x[lanes + j]) : std::abs(x[j]);
      };
      T largest = size(row);  // a NaN that stands first stays
      for (int64_t i = row + 1; i < form_.m; ++i) {
        if (size(i) > largest) largest = size(i), best = i;
      }
      pivot[j] = static_cast<int32_t>(best);
      exchange(panel, row, best);
      code_.eliminate(at(panel, row), j, form_.m - row - 1);
    }
  }

  // Columns of L as factors for rows from `begin` on, in groups of a tile's rows.
  void pack(const T* panel, int64_t begin, int64_t k_first, int64_t depth, T* packed, int64_t group) const {
    const int64_t rows = code_.rows, lanes = code_.lanes;
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t i = group * rows + r;
      const T* row = panel + (begin + i) * row_;
      T* to = packed + (group * depth + k_first) * rows * kParts + r;
      for (int64_t k = 0; k < lanes; ++k) {
        for (int64_t p = 0; p < kParts; ++p) to[(k * kParts + p) * rows] = row[p * lanes + k];
      }
    }
  }
  Factors<T> packed_factors(const T* packed, int64_t depth) const {
    const int64_t rows = code_.rows;
    return {packed, rows, depth * rows * kParts, rows * kParts, rows};
  }

  template <class ForEach, class Body>
  static void for_groups(int64_t groups, const ForEach& for_each, const Body& body) {
    for_each((groups + kGroupPart - 1) / kGroupPart, [&](int64_t part) {
      for (int64_t g = part * kGroupPart; g < std::min((part + 1) * kGroupPart, groups); ++g) body(g);
    });
  }

  // The columns of one block, and what is below them.
  struct Block {
    int64_t begin, end;   // columns
    int64_t first, last;  // panels
  };
  Block block_at(int64_t begin) const {
    const int64_t end = std::min(begin + kLuBlock, std::min(form_.m, form_.n)), first = begin / code_.lanes;
    return {begin, end, first, first + (end - begin + code_.lanes - 1) / code_.lanes};
  }

  template <class ForEach>
  void factor_block(T* panels, T* packed, const Block& block, int32_t* pivot, const ForEach& for_each) const {
    const int64_t lanes = code_.lanes;
    for (int64_t column = block.begin; column < block.end; column += lanes) {
      const int64_t q = column / lanes, count = std::min(lanes, block.end - column);
      factor_panel(panels + q * panel_, column, count, pivot + column);
      for (int64_t p = block.first; p < block.last; ++p) {
        for (int64_t j = 0; j < count && p != q; ++j)
          exchange(panels + p * panel_, column + j, pivot[column + j]);
      }
      if (q + 1 >= block.last) continue;
      const int64_t left = rows_ - column;
      for_groups(left / code_.rows, for_each,
                 [&](int64_t g) { pack(panels + q * panel_, column, 0, lanes, packed, g); });
      const Factors<T> factors = packed_factors(packed, lanes);
      for (int64_t p = q + 1; p < block.last; ++p)
        code_.solve(factors, false, true, at(panels + p * panel_, column), 0, 0, lanes);
      for_each((left - lanes + kRowPart - 1) / kRowPart, [&](int64_t part) {
        const int64_t from = lanes + part * kRowPart, to = std::min(from + kRowPart, left);
        for (int64_t p = q + 1; p < block.last; ++p)
          code_.update(factors, false, at(panels + p * panel_, column), 0, lanes, from, to);
      });
    }
  }

  template <class ForEach>
  void factor(T* panels, T* packed, int32_t* pivot, const ForEach& for_each) const {
    const int64_t pivots = std::min(form_.m, form_.n), lanes = code_.lanes;
    T* packed_ahead = packed + rows_ * kLuBlock * kParts;
    factor_block(panels, packed_ahead, block_at(0), pivot, for_each);
    for (int64_t begin = 0; begin < pivots; begin += kLuBlock) {
      const Block block = block_at(begin);
      const int64_t left = rows_ - begin, depth = (block.last - block.first) * lanes;
      for_groups(left / code_.rows, for_each, [&](int64_t g) {
        for (int64_t q = block.first; q < block.last; ++q)
          pack(panels + q * panel_, begin, (q - block.first) * lanes, depth, packed, g);
      });
      const Factors<T> factors = packed_factors(packed, depth);
      const auto take_off = [&](int64_t p) {
        T* panel = panels + p * panel_;
        for (int64_t j = begin; j < block.end; ++j) exchange(panel, j, pivot[j]);
        if (p < block.first) return;
        code_.solve(factors, false, true, at(panel, begin), 0, 0, depth);
        code_.update(factors, false, at(panel, begin), 0, depth, depth, left);
      };
      const bool more = block.end < pivots;
      const Block next = more ? block_at(block.end) : Block{0, 0, block.last, block.last};
      for_each(1 + panels_ - (next.last - block.first), [&](int64_t i) {
        if (i > 0) {  // those behind the next block come first
          const int64_t behind = panels_ - next.last;
          return take_off(i <= behind ? next.last + i - 1 : i - 1 - behind);
        }
        for (int64_t p = next.first; p < next.last; ++p) take_off(p);
        if (more) factor_block(panels, packed_ahead, next, pivot, in_turn);
      });
    }
  }
  static constexpr auto in_turn = [](int64_t count, const auto& body) {
    for (int64_t i = 0; i < count; ++i) body(i);
  };

  const LuForm form_;
  PanelCode<T> code_;
  int64_t rows_, row_, panel_, panels_;  // rows of all panels; elements of a row and of a panel; their number
};

}  // namespace

std::shared_ptr<const Routine> lu(const LuForm& form) {
  return visit_matrix_dtype(form.dtype,
                            [&]<class E>(std::type_identity<E>) -> std::shared_ptr<const Routine> {
                              return std::make_shared<Lu<E>>(form);
                            });
}

}  // namespace ingot::runtime
