// What routines on matrices share: how matrices come into panels and out of them, and how a batch is worked
// off.
#pragma once

#include <algorithm>
#include <complex>

#include "runtime/routines/linear_algebra.h"
#include "runtime/routines/panels.h"

namespace ingot::runtime {

// From so many rows on, threads share one matrix; smaller ones are shared out.
inline constexpr int64_t kSharedMatrix = 256;
// So many matrices are worked on at once, at most, each with work memory of its own.
inline constexpr int64_t kMatricesAtOnce = 16;
// Groups of small matrices, of kSmallLanes each, that one thread takes at a time.
inline constexpr int64_t kGroupsAtOnce = 8;

template <class T>
inline constexpr bool kIsComplex = false;
template <class T>
inline constexpr bool kIsComplex<std::complex<T>> = true;
template <class T>
struct PartOf {
  using type = T;
};
template <class T>
struct PartOf<std::complex<T>> {
  using type = T;
};

// Calls fn with the element type.
template <class Fn>
auto visit_matrix_dtype(DType dtype, const Fn& fn) {
  switch (dtype) {
    case DType::kF64:
      return fn(std::type_identity<double>());
    case DType::kC64:
      return fn(std::type_identity<std::complex<float>>());
    case DType::kC128:
      return fn(std::type_identity<std::complex<double>>());
    default:
      return fn(std::type_identity<float>());
  }
}

inline int64_t round_up(int64_t x, int64_t to) {
  return (x + to - 1) / to * to;
}

// A matrix in memory; either stride may be 1 or not, or negative.
template <class E>
struct Strided {
  E* data;
  int64_t row, column;
  E& operator()(int64_t i, int64_t j) const { return data[i * row + j * column]; }
};

template <class E>
void put(typename PartOf<std::remove_const_t<E>>::type* row, int64_t lanes, int64_t lane, const E& x) {
  if constexpr (kIsComplex<std::remove_const_t<E>>) {
    row[lane] = x.real();
    row[lanes + lane] = x.imag();
  } else {
    row[lane] = x;
  }
}
template <class E>
E get(const typename PartOf<E>::type* row, int64_t lanes, int64_t lane) {
  if constexpr (kIsComplex<E>)
    return {row[lane], row[lanes + lane]};
  else
    return row[lane];
}

inline constexpr int64_t kTransposed =
    16;  // rows that are moved at once, so that lines are used while they are there

// Calls move(i, j) for the elements of rows [begin, end) and `columns` columns, along memory where that is
// possible.
template <class E, class Move>
void for_elements(const Strided<E>& matrix, int64_t begin, int64_t end, int64_t columns, const Move& move) {
  if (matrix.column == 1 || matrix.column == -1) {
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t j = 0; j < columns; ++j) move(i, j);
    }
    return;
  }
  for (int64_t first = begin; first < end; first += kTransposed) {
    const int64_t last = std::min(first + kTransposed, end);
    for (int64_t j = 0; j < columns; ++j) {
      for (int64_t i = first; i < last; ++i) move(i, j);
    }
  }
}

// Calls body(number, work memory of it, for_each) for all matrices of a batch; a large one shares its work
// out through for_each(count, body).
template <class Body>
void for_matrices(const RoutineCall& call, int64_t batch, int64_t n, int64_t work_bytes, const Body& body) {
  if (n >= kSharedMatrix) {
    const auto shared = [&](int64_t count, const auto& part) { call.for_each(count, part); };
    for (int64_t i = 0; i < batch; ++i) body(i, call.work, shared);
    return;
  }
  const auto alone = [](int64_t count, const auto& part) {
    for (int64_t i = 0; i < count; ++i) part(i);
  };
  const int64_t slots = std::min(batch, kMatricesAtOnce);
  const auto slot = [&](int64_t s) {
    for (int64_t i = batch * s / slots; i < batch * (s + 1) / slots; ++i)
      body(i, call.work + s * work_bytes, alone);
  };
  slots == 1 ? slot(0) : call.for_each(slots, slot);
}
inline int64_t matrices_at_once(int64_t batch, int64_t n) {
  return n >= kSharedMatrix ? 1 : std::min(batch, kMatricesAtOnce);
}

// Calls body(first, count) for groups of small matrices.
template <class T, class Body>
void for_small_groups(const RoutineCall& call, int64_t batch, const Body& body) {
  const int64_t at_once = kGroupsAtOnce * kSmallLanes<T>, tasks = (batch + at_once - 1) / at_once;
  const auto task = [&](int64_t t) {
    const int64_t end = std::min((t + 1) * at_once, batch);
    for (int64_t first = t * at_once; first < end; first += kSmallLanes<T>)
      body(first, std::min(kSmallLanes<T>, end - first));
  };
  tasks == 1 ? task(0) : call.for_each(tasks, task);
}

}  // namespace ingot::runtime
