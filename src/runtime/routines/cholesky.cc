// Cholesky's factorisation, blocked, looking to the right: A = U^H U in panels, of which U is stored row by
// row. A block of rows takes three steps: its square on the diagonal is factored, panel by panel; the rows to
// the right of it are solved for; what follows loses their product. The last two share their panels out.
//
// L is the transpose of the U of A's conjugate, so that both ways are one, with rows and columns exchanged.
#include <limits>

#include "runtime/routines/matrices.h"

namespace ingot::runtime {
namespace {

constexpr int64_t kCholeskyBlock = 128;  // rows; a multiple of every panel's lanes

template <class E>
class Cholesky final : public Routine {
  using T = typename PartOf<E>::type;
  static constexpr int64_t kParts = kIsComplex<E> ? 2 : 1;

 public:
  explicit Cholesky(const CholeskyForm& form)
      : form_(form), code_(panel_code<T, kIsComplex<E>>(form.vector_bytes, false)) {
    if (form.n <= code_.lanes / 2) code_ = panel_code<T, kIsComplex<E>>(form.vector_bytes, true);
    rows_ = round_up(form.n, code_.lanes);
    panel_ = rows_ * code_.lanes * kParts;
  }

  std::string name() const override { return "cholesky"; }
  std::string form() const override {
    return (form_.lower ? "lower " : "upper ") + std::to_string(form_.vector_bytes);
  }
  int64_t work_bytes() const override {
    return form_.n <= kSmallMatrix<kIsComplex<E>> ? 0
                                                  : matrices_at_once(form_.batch, form_.n) * work_of_matrix();
  }

  void run(const RoutineCall& call) const override {
    const int64_t n = form_.n;
    const E* a = call.input<E>(0);
    E* result = static_cast<E*>(call.buffers[1]);
    if (n <= kSmallMatrix<kIsComplex<E>>) {
      for_small_groups<T>(call, form_.batch, [&](int64_t first, int64_t count) {
        code_.small_factor(reinterpret_cast<const T*>(a + first * n * n),
                           reinterpret_cast<T*>(result + first * n * n), n, form_.lower, count);
      });
      return;
    }
    const int64_t row = form_.lower ? 1 : n, column = form_.lower ? n : 1;
    for_matrices(call, form_.batch, n, work_of_matrix(),
                 [&](int64_t i, std::byte* work, const auto& for_each) {
                   T* panels = reinterpret_cast<T*>(work);
                   const Strided<const E> from{a + i * n * n, row, column};
                   for_each(panels_(), [&](int64_t p) { load(from, panels, p); });
                   const bool positive = factor(panels, for_each);
                   const Strided<E> to{result + i * n * n, row, column};
                   for_each(panels_(), [&](int64_t p) { store(panels, p, positive, to); });
                 });
  }

 private:
  int64_t panels_() const { return rows_ / code_.lanes; }
  int64_t work_of_matrix() const { return panels_() * panel_ * static_cast<int64_t>(sizeof(T)); }
  T* at(T* panel, int64_t row) const { return panel + row * code_.lanes * kParts; }

  // What is below the diagonal becomes zero, and so does what is beyond the matrix.
  void load(const Strided<const E>& from, T* panels, int64_t p) const {
    T* panel = panels + p * panel_;
    const int64_t lanes = code_.lanes, first = p * lanes, columns = std::min(lanes, form_.n - first);
    for_elements(from, 0, first, columns,
                 [&](int64_t i, int64_t j) { put(at(panel, i), lanes, j, from(i, first + j)); });
    std::fill(at(panel, first), at(panel, first + lanes), T(0));
    for (int64_t i = 0; i < columns; ++i) {
      for (int64_t j = i; j < columns; ++j) put(at(panel, first + i), lanes, j, from(first + i, first + j));
    }
    if (columns == lanes) return;
    for (int64_t i = 0; i < first; ++i) {
      for (int64_t j = columns; j < lanes; ++j) put(at(panel, i), lanes, j, E(0));
    }
  }

  void store(T* panels, int64_t p, bool positive, const Strided<E>& to) const {
    T* panel = panels + p * panel_;
    const T nan = std::numeric_limits<T>::quiet_NaN();
    E none;
    if constexpr (kIsComplex<E>)
      none = {nan, nan};
    else
      none = nan;
    const int64_t lanes = code_.lanes, first = p * lanes, columns = std::min(lanes, form_.n - first);
    if (positive) {
      for_elements(to, 0, first, columns,
                   [&](int64_t i, int64_t j) { to(i, first + j) = get<E>(at(panel, i), lanes, j); });
      for (int64_t i = 0; i < columns; ++i) {
        for (int64_t j = i; j < columns; ++j)
          to(first + i, first + j) = get<E>(at(panel, first + i), lanes, j);
      }
    } else {
      for (int64_t j = 0; j < columns; ++j) {
        for (int64_t i = 0; i <= first + j; ++i) to(i, first + j) = none;
      }
    }
    for (int64_t i = 0; i < columns; ++i) {
      for (int64_t j = 0; j < i; ++j) to(first + i, first + j) = E(0);
    }
    for_elements(to, first + columns, form_.n, columns,
                 [&](int64_t i, int64_t j) { to(i, first + j) = E(0); });
  }

  template <class ForEach>
  bool factor(T* panels, const ForEach& for_each) const {
    const int64_t lanes = code_.lanes;
    const Factors<T> u{panels, lanes, panel_, lanes * kParts, lanes};
    for (int64_t begin = 0; begin < form_.n; begin += kCholeskyBlock) {
      const int64_t end = std::min(begin + kCholeskyBlock, rows_), rest = (rows_ - end) / lanes;
      for (int64_t column = begin; column < end; column += lanes) {
        T* panel = panels + column / lanes * panel_;
        code_.solve(u, true, false, panel, begin, begin, column);
        code_.update(u, true, panel, begin, column, column, column + lanes);
        if (!code_.factor(at(panel, column), std::min(lanes, form_.n - column))) return false;
      }
      for_each(rest, [&](int64_t p) {
        code_.solve(u, true, false, panels + (end / lanes + p) * panel_, begin, begin, end);
      });
      for_each(rest, [&](int64_t p) {
        p = rest - 1 - p;  // the longest first
        code_.update(u, true, panels + (end / lanes + p) * panel_, begin, end, end, end + (p + 1) * lanes);
      });
    }
    return true;
  }

  const CholeskyForm form_;
  PanelCode<T> code_;
  int64_t rows_, panel_;  // rows of all panels; elements of one
};

}  // namespace

std::shared_ptr<const Routine> cholesky(const CholeskyForm& form) {
  return visit_matrix_dtype(form.dtype,
                            [&]<class E>(std::type_identity<E>) -> std::shared_ptr<const Routine> {
                              return std::make_shared<Cholesky<E>>(form);
                            });
}

}  // namespace ingot::runtime
