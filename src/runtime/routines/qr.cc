// Orthogonal factors by Householder's reflections, in panels: a panel's columns are reflected one after the
// other, then all of its reflections at once are applied to the panels that follow, as 1 - V T^H V^H (compact
// WY: Schreiber and Van Loan, 1989). Q is made of the identity by applying 1 - V T V^H, from the last panel
// to the first. A panel that they are applied to has rows of its own behind the matrix for -V^H C and for T
// V^H C, so that all three products are tiles of rows minus factors times rows.
#include <cmath>
#include <cstring>

#include "runtime/routines/matrices.h"

namespace ingot::runtime {
namespace {

template <class E>
class Qr final : public Routine {
  using T = typename PartOf<E>::type;
  static constexpr int64_t kParts = kIsComplex<E> ? 2 : 1;

 public:
  explicit Qr(const QrForm& form)
      : form_(form), code_(panel_code<T, kIsComplex<E>>(form.vector_bytes, false)) {
    if (std::max(form.n, form.columns) <= code_.lanes / 2)
      code_ = panel_code<T, kIsComplex<E>>(form.vector_bytes, true);
    rows_ = round_up(form.m, code_.lanes);
    row_ = code_.lanes * kParts;
    panel_ = (rows_ + 2 * code_.lanes) * row_;
    blocks_ = panels_of(form.reflections);
    // Of a product nothing is read but the reflections.
    panels_ = form.result == QrResult::kProduct ? blocks_ : panels_of(form.n);
    q_panels_ = form.result == QrResult::kPacked ? 0 : panels_of(form.columns);
  }

  std::string name() const override {
    return form_.result == QrResult::kFactors  ? "qr"
           : form_.result == QrResult::kPacked ? "geqrf"
                                               : "householder_product";
  }
  std::string form() const override { return std::to_string(form_.vector_bytes); }
  int64_t work_bytes() const override {
    return small() ? 0 : matrices_at_once(form_.batch, size()) * work_of_matrix();
  }

  void run(const RoutineCall& call) const override {
    if (small()) return run_small(call);
    const int64_t m = form_.m, n = form_.n, k = form_.reflections;
    for_matrices(call, form_.batch, size(), work_of_matrix(),
                 [&](int64_t i, std::byte* work, const auto& for_each) {
                   const Work at = work_at(reinterpret_cast<T*>(work));
                   const E* a = call.input<E>(0) + i * m * n;
                   for_each(panels_, [&](int64_t p) { load(a, n, at.a, p); });
                   if (form_.result == QrResult::kProduct) {
                     load_taus(call.input<E>(1) + i * k, at.taus);
                   } else {
                     factor(at, for_each);
                   }
                   if (form_.result == QrResult::kPacked) {
                     E* packed = static_cast<E*>(call.buffers[1]) + i * m * n;
                     for_each(panels_, [&](int64_t p) { store(at.a, p, n, packed); });
                     store_taus(at.taus, static_cast<E*>(call.buffers[2]) + i * k);
                     return;
                   }
                   form_q(at, for_each);
                   const bool product = form_.result == QrResult::kProduct;
                   E* q = static_cast<E*>(call.buffers[product ? 2 : 1]) + i * m * form_.columns;
                   for_each(q_panels_, [&](int64_t p) { store(at.q, p, form_.columns, q); });
                   if (product) return;
                   E* r = static_cast<E*>(call.buffers[2]) + i * form_.columns * n;
                   for_each(panels_, [&](int64_t p) { store_r(at.a, p, r); });
                 });
  }

 private:
  // Panels of a and of Q, V of one panel, it and its adjoint as factors, T as factors, T row by row, and tau.
  struct Work {
    T *a, *q, *v, *packed, *adjoint, *packed_t, *t, *taus;
  };

  int64_t size() const { return std::max({form_.m, form_.n, form_.columns}); }
  bool small() const { return size() <= kSmallMatrix<kIsComplex<E>>; }
  int64_t panels_of(int64_t columns) const { return (columns + code_.lanes - 1) / code_.lanes; }
  int64_t square() const { return code_.lanes * row_; }
  int64_t work_of_matrix() const {
    const int64_t elements =
        (panels_ + q_panels_ + 1) * panel_ + 2 * rows_ * row_ + 2 * square() + round_up(blocks_ * row_, 64);
    return round_up(elements * static_cast<int64_t>(sizeof(T)), 64);
  }
  Work work_at(T* work) const {
    Work at{};
    at.a = work;
    at.q = at.a + panels_ * panel_;
    at.v = at.q + q_panels_ * panel_;
    at.packed = at.v + panel_;
    at.adjoint = at.packed + rows_ * row_;
    at.packed_t = at.adjoint + rows_ * row_;
    at.t = at.packed_t + square();
    at.taus = at.t + square();
    return at;
  }
  T* at_row(T* panel, int64_t row) const { return panel + row * row_; }

  // --- small matrices

  void run_small(const RoutineCall& call) const {
    const int64_t m = form_.m, n = form_.n, k = form_.reflections, columns = form_.columns;
    const auto parts = [](auto* elements) {
      using Element = std::remove_pointer_t<decltype(elements)>;
      return reinterpret_cast<std::conditional_t<std::is_const_v<Element>, const T*, T*>>(elements);
    };
    const auto output = [&](size_t parameter) { return static_cast<E*>(call.buffers[parameter]); };
    for_small_groups<T>(call, form_.batch, [&](int64_t first, int64_t count) {
      const E* a = call.input<E>(0) + first * m * n;
      if (form_.result == QrResult::kPacked) {
        code_.small_reflect(parts(a), parts(output(1) + first * m * n), parts(output(2) + first * k), m, n,
                            count);
      } else if (form_.result == QrResult::kProduct) {
        code_.small_product(parts(a), parts(call.input<E>(1) + first * k),
                            parts(output(2) + first * m * columns), m, n, k, columns, count);
      } else {
        constexpr int64_t kMost = kSmallMatrix<kIsComplex<E>>;
        E packed[kMost * kMost * kSmallLanes<T>], taus[kMost * kSmallLanes<T>];
        code_.small_reflect(parts(a), parts(packed), parts(taus), m, n, count);
        code_.small_product(parts(packed), parts(taus), parts(output(1) + first * m * columns), m, n, k,
                            columns, count);
        E* r = output(2) + first * columns * n;
        for (int64_t l = 0; l < count; ++l) {
          for (int64_t i = 0; i < columns; ++i) {
            for (int64_t j = 0; j < n; ++j)
              r[(l * columns + i) * n + j] = j < i ? E(0) : packed[(l * m + i) * n + j];
          }
        }
      }
    });
  }

  // --- panels

  void load(const E* a, int64_t n, T* panels, int64_t p) const {
    const int64_t lanes = code_.lanes, first = p * lanes, columns = std::min(lanes, n - first);
    T* panel = panels + p * panel_;
    if (columns < lanes) std::fill(panel, at_row(panel, form_.m), T(0));
    std::fill(at_row(panel, form_.m), at_row(panel, rows_), T(0));
    for (int64_t i = 0; i < form_.m; ++i) {
      for (int64_t j = 0; j < columns; ++j) put(at_row(panel, i), lanes, j, a[i * n + first + j]);
    }
  }
  void store(T* panels, int64_t p, int64_t n, E* to) const {
    const int64_t lanes = code_.lanes, first = p * lanes, columns = std::min(lanes, n - first);
    for (int64_t i = 0; i < form_.m; ++i) {
      for (int64_t j = 0; j < columns; ++j)
        to[i * n + first + j] = get<E>(at_row(panels + p * panel_, i), lanes, j);
    }
  }
  void store_r(T* panels, int64_t p, E* r) const {
    const int64_t lanes = code_.lanes, n = form_.n, first = p * lanes, columns = std::min(lanes, n - first);
    for (int64_t i = 0; i < form_.columns; ++i) {
      for (int64_t j = 0; j < columns; ++j)
        r[i * n + first + j] = first + j < i ? E(0) : get<E>(at_row(panels + p * panel_, i), lanes, j);
    }
  }
  void load_taus(const E* from, T* taus) const {
    for (int64_t k = 0; k < form_.reflections; ++k) put(taus + k * kParts, 1, 0, from[k]);
  }
  void store_taus(const T* taus, E* to) const {
    for (int64_t k = 0; k < form_.reflections; ++k) to[k] = get<E>(taus + k * kParts, 1, 0);
  }

  int64_t reflections_of(int64_t block) const {
    return std::min(code_.lanes, form_.reflections - block * code_.lanes);
  }

  template <class ForEach>
  void factor(const Work& at, const ForEach& for_each) const {
    for (int64_t block = 0; block < blocks_; ++block) {
      const int64_t begin = block * code_.lanes;
      T* panel = at.a + block * panel_;
      for (int64_t j = 0; j < reflections_of(block); ++j)
        code_.reflect(at_row(panel, begin + j), j, form_.m - begin - j - 1, at.taus + (begin + j) * kParts);
      if (block + 1 == panels_) break;
      prepare(at, block, true);
      for_each(panels_ - block - 1, [&](int64_t p) { apply(at, block, at.a + (block + 1 + p) * panel_); });
    }
  }

  template <class ForEach>
  void form_q(const Work& at, const ForEach& for_each) const {
    for_each(q_panels_, [&](int64_t p) {
      T* panel = at.q + p * panel_;
      std::fill(panel, at_row(panel, rows_), T(0));
      for (int64_t j = 0; j < std::min(code_.lanes, form_.columns - p * code_.lanes); ++j) {
        if (p * code_.lanes + j < form_.m) at_row(panel, p * code_.lanes + j)[j] = 1;
      }
    });
    for (int64_t block = blocks_ - 1; block >= 0; --block) {
      prepare(at, block, false);
      for_each(q_panels_ - block, [&](int64_t p) { apply(at, block, at.q + (block + p) * panel_); });
    }
  }

  // V of a block, from its first row on, and T, or T^H, as factors.
  void prepare(const Work& at, int64_t block, bool adjoint) const {
    const int64_t lanes = code_.lanes, begin = block * lanes, left = rows_ - begin, rows = code_.rows,
                  count = reflections_of(block);
    T* from = at_row(at.a + block * panel_, begin);
    for (int64_t i = 0; i < left; ++i) {
      for (int64_t j = 0; j < lanes; ++j) {
        const E v = j >= count || i < j ? E(0) : i == j ? E(1) : get<E>(at_row(from, i), lanes, j);
        put(at_row(at.v, i), lanes, j, v);
        put(at.packed + (i / rows * lanes + j) * rows * kParts, rows, i % rows, v);
        put(at.adjoint + (j / rows * left + i) * rows * kParts, rows, j % rows, conjugate(v));
      }
    }
    std::fill(at_row(at.v, left), at_row(at.v, left + lanes), T(0));
    code_.update(adjoint_factors(at, left), false, at.v, 0, left, left, left + lanes);
    // Column i of T is -tau_i T V^H v_i above the diagonal.
    std::fill(at.t, at.t + square(), T(0));
    for (int64_t i = 0; i < count; ++i) {
      const E tau = get<E>(at.taus + (begin + i) * kParts, 1, 0);
      for (int64_t r = 0; r < i; ++r) {
        E sum(0);
        for (int64_t s = r; s < i; ++s)
          sum += product(get<E>(at_row(at.t, r), lanes, s), get<E>(at_row(at.v, left + s), lanes, i));
        put(at_row(at.t, r), lanes, i, product(tau, sum));
      }
      put(at_row(at.t, i), lanes, i, tau);
    }
    for (int64_t i = 0; i < lanes; ++i) {
      for (int64_t k = 0; k < lanes; ++k) {
        const E t =
            adjoint ? conjugate(get<E>(at_row(at.t, k), lanes, i)) : get<E>(at_row(at.t, i), lanes, k);
        put(at.packed_t + (i / rows * lanes + k) * rows * kParts, rows, i % rows, t);
      }
    }
  }

  void apply(const Work& at, int64_t block, T* panel) const {
    const int64_t lanes = code_.lanes, left = rows_ - block * lanes;
    T* x = at_row(panel, block * lanes);
    std::fill(at_row(x, left), at_row(x, left + 2 * lanes), T(0));
    code_.update(adjoint_factors(at, left), false, x, 0, left, left, left + lanes);
    code_.update(factors(at.packed_t, lanes, left + lanes, left), false, x, left, left + lanes, left + lanes,
                 left + 2 * lanes);
    code_.update(factors(at.packed, lanes, 0, left + lanes), false, x, left + lanes, left + 2 * lanes, 0,
                 left);
  }

  // Factors of rows from `first_row` on with rows from `first_k` on, `depth` of them.
  Factors<T> factors(const T* packed, int64_t depth, int64_t first_row, int64_t first_k) const {
    const int64_t rows = code_.rows, k_stride = rows * kParts, group = depth * k_stride;
    return {packed - first_row / rows * group - first_k * k_stride, rows, group, k_stride, rows};
  }
  Factors<T> adjoint_factors(const Work& at, int64_t left) const {
    return factors(at.adjoint, left, left, 0);
  }

  static E conjugate(const E& x) {
    if constexpr (kIsComplex<E>)
      return {x.real(), -x.imag()};
    else
      return x;
  }
  static E product(const E& x, const E& y) {
    if constexpr (kIsComplex<E>)
      return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
    else
      return x * y;
  }

  const QrForm form_;
  PanelCode<T> code_;
  int64_t rows_, row_, panel_;          // rows of all panels; elements of a row and of a panel
  int64_t blocks_, panels_, q_panels_;  // panels with reflections, of a, and of Q
};

}  // namespace

std::shared_ptr<const Routine> qr(const QrForm& form) {
  return visit_matrix_dtype(form.dtype,
                            [&]<class E>(std::type_identity<E>) -> std::shared_ptr<const Routine> {
                              return std::make_shared<Qr<E>>(form);
                            });
}

}  // namespace ingot::runtime
