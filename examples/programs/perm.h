// Rounds of arithmetic and a fixed permutation on 4x4 matrices of integers: many tiny views, and yet one
// kernel. Everything works on [4, 4] and on batches [n, 4, 4].
#pragma once

#include <ingot/ingot.h>

#include <array>
#include <vector>

namespace programs {

// What is done to every column, of entries a, b, c, d from top to bottom.
enum class Columns { kShift, kMix, kRotate };
// How the permutation of the flattened matrix is written; it rotates row r to the left by r.
enum class Permute { kGather, kTake, kSlices };

inline const std::vector<int64_t> kPermutation{0, 1, 2, 3, 5, 6, 7, 4, 10, 11, 8, 9, 15, 12, 13, 14};

inline ingot::Array apply_columns(const ingot::Array& m, Columns columns) {
  std::array<ingot::Array, 4> row;
  for (int i = 0; i < 4; ++i) row[i] = ingot::slice_axis(m, -2, i, i + 1);
  auto& [a, b, c, d] = row;
  for (int round = 0; round < 3; ++round) {
    switch (columns) {
      case Columns::kShift:
        for (ingot::Array& r : row) r = r << 7;
        break;
      case Columns::kMix:
        a = a << 7;
        b = b + a;
        c = c * b;
        break;
      case Columns::kRotate:
        a = ingot::rotl(a, 7) ^ d;
        b = b + a;
        c = c * b;
        d = d ^ c;
        break;
    }
  }
  return ingot::concatenate(row, -2);
}

inline ingot::Array permute(const ingot::Array& m, Permute way) {
  ingot::Shape flat(m.shape().begin(), m.shape().end() - 2);
  flat.push_back(16);
  std::vector<ingot::Array> rows;
  switch (way) {
    case Permute::kGather:  // each row by its constant column indices
      for (int64_t r = 0; r < 4; ++r) {
        std::vector<int64_t> wanted;
        for (int64_t column = 0; column < 4; ++column) wanted.push_back(kPermutation[r * 4 + column] - r * 4);
        rows.push_back(ingot::take(ingot::index_axis(m, -2, r), wanted, -1));
      }
      return ingot::stack(rows, -2);
    case Permute::kTake:  // on the flattened matrix
      return ingot::reshape(ingot::take(ingot::reshape(m, flat), kPermutation, -1), m.shape());
    case Permute::kSlices:  // the two ends of each row change places
      for (int64_t r = 0; r < 4; ++r) {
        const ingot::Array row = ingot::slice_axis(m, -2, r, r + 1);
        rows.push_back(
            ingot::concatenate({ingot::slice_axis(row, -1, r, 4), ingot::slice_axis(row, -1, 0, r)}, -1));
      }
      return ingot::concatenate(rows, -2);
  }
  return m;
}

// x : s32[..., 4, 4], of the same shape as the result.
inline ingot::Array perm(ingot::Array x, Columns columns, Permute way) {
  ingot::Array m = x;
  for (int round = 0; round < 7; ++round) m = apply_columns(permute(apply_columns(m, columns), way), columns);
  return m + x;
}

}  // namespace programs
