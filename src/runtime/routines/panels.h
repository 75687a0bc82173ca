// Arithmetic of matrices in panels: some columns side by side, as many as a few vectors have lanes, all rows
// of them one behind the other, so that a row of a panel is a few vectors. Of complex numbers the real parts
// of a row come first, then the imaginary ones.
//
// What all algorithms are made of is a tile: some rows of a panel, minus the product of a block of factors
// with other rows of the same panel. It is compiled for each width of vectors.
#pragma once

#include <complex>
#include <cstdint>

namespace ingot::runtime {

// Factors: element (i, k) for row i of the panel that row k is multiplied for. Rows come in groups, each of
// which lies with its own side by side, and k one behind the other.
template <class T>
struct Factors {
  const T* base;
  int64_t group;         // rows in it
  int64_t group_stride;  // from one to the next
  int64_t k_stride;
  int64_t imaginary;  // from real to imaginary parts

  const T* block(int64_t row) const { return base + row / group * group_stride + row % group; }
};

struct SmallForm {
  bool left_side, lower, unit_diagonal, transposed, conjugated;
};

// The code for one width of vectors. All rows and numbers of rows are multiples of `rows`, but for those of
// factor().
template <class T>
struct PanelCode {
  int64_t lanes;  // columns of a panel
  int64_t rows;   // of a tile
  // Rows [begin, end) of x minus the factors, or their conjugates, times rows [from, to).
  void (*update)(const Factors<T>& factors, bool conjugated, T* x, int64_t from, int64_t to, int64_t begin,
                 int64_t end);
  // Rows [begin, end) of x for a lower triangle of factors, or their conjugates, from column `from` on.
  void (*solve)(const Factors<T>& factors, bool conjugated, bool unit_diagonal, T* x, int64_t from,
                int64_t begin, int64_t end);
  // U with U^H U = the first `count` rows and columns of x; false if there is none.
  bool (*factor)(T* x, int64_t count);
  // Takes the first row off the `count` rows behind it, so that column `column` of them is zero; the factors
  // stand there instead. Leaves all as it is where the first row is zero there.
  void (*eliminate)(T* x, int64_t column, int64_t count);
  // Makes column `column` of the `count` rows behind the first one zero by a reflection 1 - tau v v^H, whose
  // adjoint is applied to the columns behind it; v, but for its first element, 1, stands there instead. Of
  // complex numbers tau has two parts.
  void (*reflect)(T* x, int64_t column, int64_t count, T* tau);
  // The same of small matrices, `count` of them, each in a lane of its own. In memory they are as the user
  // has them.
  void (*small_factor)(const T* a, T* result, int64_t n, bool lower, int64_t count);
  void (*small_solve)(const T* a, const T* b, T* x, int64_t n, int64_t sides, const SmallForm& form,
                      int64_t count);
  // L and U of [m, n]; the row that row i was exchanged with, and the row that row i comes from.
  void (*small_lu)(const T* a, T* lu, int32_t* pivots, int32_t* permutation, int64_t m, int64_t n,
                   int64_t count);
  // R of [m, n] with the reflections below its diagonal, and their factors.
  void (*small_reflect)(const T* a, T* result, T* taus, int64_t m, int64_t n, int64_t count);
  // The first `columns` columns of the product of `reflections` reflections, which stand in a of [m, n].
  void (*small_product)(const T* a, const T* taus, T* q, int64_t m, int64_t n, int64_t reflections,
                        int64_t columns, int64_t count);
};

// Rows of matrices that lie in lanes, at most: those whose lanes lie in the first-level cache. Right sides
// that lie with them, at most: of more, a panel is full.
template <bool kComplex>
inline constexpr int64_t kSmallMatrix = kComplex ? 8 : 16;
inline constexpr int64_t kSmallSolve = 8;
// Larger triangles from so many matrices on; fewer are faster in panels (16 rows, 1 and 8 sides: from 3 and 5
// matrices on).
inline constexpr int64_t kSmallSolves = 5;
// Small matrices that are worked on by one call, at most: as many as the widest vector has lanes.
template <class T>
inline constexpr int64_t kSmallLanes = 64 / static_cast<int64_t>(sizeof(T));

// For vectors of so many bytes; `narrow` panels are half as wide, for few columns.
template <class T, bool kComplex>
const PanelCode<T>& panel_code(int vector_bytes, bool narrow);

}  // namespace ingot::runtime
