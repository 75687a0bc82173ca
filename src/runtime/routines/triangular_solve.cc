// Solutions of triangles. All ways to ask for one are the same substitution, from the first row to the last,
// of a lower triangle with rows and columns exchanged or turned round, and so are right sides. The triangle
// is packed in blocks of rows once; panels of right sides are shared out.
#include "runtime/routines/matrices.h"

namespace ingot::runtime {
namespace {

template <class E>
class TriangularSolve final : public Routine {
  using T = typename PartOf<E>::type;
  static constexpr int64_t kParts = kIsComplex<E> ? 2 : 1;

 public:
  explicit TriangularSolve(const TriangularForm& form)
      : form_(form), code_(panel_code<T, kIsComplex<E>>(form.vector_bytes, false)) {
    if (form.sides <= code_.lanes / 2) code_ = panel_code<T, kIsComplex<E>>(form.vector_bytes, true);
    rows_ = round_up(form.n, code_.rows);
    triangle_ = rows_ * rows_ * kParts;
    panel_ = rows_ * code_.lanes * kParts;
  }

  std::string name() const override { return "triangular_solve"; }
  std::string form() const override {
    std::string text = form_.same ? "same" : "";
    for (const bool flag :
         {form_.left_side, form_.lower, form_.unit_diagonal, form_.transposed, form_.conjugated})
      text += flag ? " 1" : " 0";
    return text + " " + std::to_string(form_.vector_bytes);
  }
  int64_t work_bytes() const override {
    return is_small() ? 0 : matrices_at_once(form_.batch, form_.n) * work_of_matrix();
  }

  void run(const RoutineCall& call) const override {
    const int64_t n = form_.n, sides = form_.sides;
    const E *a = call.input<E>(0), *b = call.input<E>(form_.same ? 0 : 1);
    E* x = static_cast<E*>(call.buffers[form_.same ? 1 : 2]);
    if (is_small()) {
      const SmallForm small{form_.left_side, form_.lower, form_.unit_diagonal, form_.transposed,
                            form_.conjugated};
      for_small_groups<T>(call, form_.batch, [&](int64_t first, int64_t count) {
        code_.small_solve(reinterpret_cast<const T*>(a + first * n * n),
                          reinterpret_cast<const T*>(b + first * n * sides),
                          reinterpret_cast<T*>(x + first * n * sides), n, sides, small, count);
      });
      return;
    }
    for_matrices(
        call, form_.batch, n, work_of_matrix(), [&](int64_t i, std::byte* work, const auto& for_each) {
          T* packed = reinterpret_cast<T*>(work);
          const int64_t rows = code_.rows, panels = panels_();
          for_each(rows_ / rows, [&](int64_t block) { pack(triangle(a + i * n * n), packed, block * rows); });
          for_each(panels, [&](int64_t p) {
            T* panel = packed + triangle_ + p * panel_;
            const int64_t first = p * code_.lanes, columns = std::min(code_.lanes, sides - first);
            load(right_side(b + i * n * sides, first), columns, panel);
            code_.solve({packed, rows, rows_ * rows * kParts, rows * kParts, rows}, false,
                        form_.unit_diagonal, panel, 0, 0, rows_);
            const Strided<E> to = right_side(x + i * n * sides, first);
            for_elements(to, 0, n, columns,
                         [&](int64_t r, int64_t j) { to(r, j) = get<E>(at(panel, r), code_.lanes, j); });
          });
        });
  }

 private:
  bool is_small() const {
    return form_.n <= kSmallMatrix<kIsComplex<E>> && form_.sides <= kSmallSolve &&
           (form_.n <= kSmallSolve || form_.batch >= kSmallSolves);
  }
  int64_t panels_() const { return (form_.sides + code_.lanes - 1) / code_.lanes; }
  int64_t work_of_matrix() const {
    return round_up((triangle_ + panels_() * panel_) * static_cast<int64_t>(sizeof(T)), 64);
  }
  T* at(T* panel, int64_t row) const { return panel + row * code_.lanes * kParts; }

  // Whether the rows are turned round, so that the last one is the first.
  bool upwards() const { return form_.lower == (form_.transposed == form_.left_side); }

  // As a lower triangle that stands to the left of what it is solved for.
  Strided<const E> triangle(const E* a) const {
    const int64_t n = form_.n;
    Strided<const E> view{a, n, 1};
    if (form_.transposed == form_.left_side) std::swap(view.row, view.column);
    if (upwards()) view = {a + n * n - 1, -view.row, -view.column};
    return view;
  }
  template <class Element>
  Strided<Element> right_side(Element* b, int64_t first) const {
    Strided<Element> view = form_.left_side ? Strided<Element>{b + first, form_.sides, 1}
                                            : Strided<Element>{b + first * form_.n, 1, form_.n};
    if (upwards()) view = {view.data + (form_.n - 1) * view.row, -view.row, view.column};
    return view;
  }

  // The block's rows, up to its square on the diagonal; beyond the matrix the identity.
  void pack(const Strided<const E>& a, T* packed, int64_t begin) const {
    const int64_t rows = code_.rows, end = begin + rows;
    T* block = packed + begin * rows_ * kParts;
    const auto to = [&](int64_t i, int64_t k, const E& x) {
      put(block + k * rows * kParts, rows, i - begin, x);
    };
    const int64_t last = std::min(end, form_.n);
    for_elements(a, begin, last, begin, [&](int64_t i, int64_t k) { to(i, k, conjugated(a(i, k))); });
    for (int64_t k = 0; last < end && k < end; ++k) {
      for (int64_t i = last; i < end; ++i) to(i, k, E(0));
    }
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t k = begin; k < end; ++k) {
        const bool inside = i < form_.n && k < i + (form_.unit_diagonal ? 0 : 1);
        to(i, k, inside ? conjugated(a(i, k)) : E(i == k ? 1 : 0));
      }
    }
  }
  E conjugated(const E& x) const {
    if constexpr (kIsComplex<E>)
      return form_.conjugated ? std::conj(x) : x;
    else
      return x;
  }

  void load(const Strided<const E>& b, int64_t columns, T* panel) const {
    const int64_t lanes = code_.lanes;
    if (columns < lanes) std::fill(panel, panel + panel_, T(0));
    std::fill(at(panel, form_.n), panel + panel_, T(0));
    for_elements(b, 0, form_.n, columns, [&](int64_t i, int64_t j) { put(at(panel, i), lanes, j, b(i, j)); });
  }

  const TriangularForm form_;
  PanelCode<T> code_;
  int64_t rows_, triangle_, panel_;  // rows of all; elements of the packed triangle and of a panel
};

}  // namespace

std::shared_ptr<const Routine> triangular_solve(const TriangularForm& form) {
  return visit_matrix_dtype(form.dtype,
                            [&]<class E>(std::type_identity<E>) -> std::shared_ptr<const Routine> {
                              return std::make_shared<TriangularSolve<E>>(form);
                            });
}

}  // namespace ingot::runtime
