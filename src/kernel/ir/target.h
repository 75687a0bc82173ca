// What lowering, schedule and prices must know of the machine.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>

#include "ingot/dtype.h"
#include "kernel/cost/table.h"

namespace ingot::kernel {

using prices::kLineBytes;

// A line of each of several rows does not stay in a cache whose sets they share.
inline bool rows_collide(int64_t bytes_apart) {
  return bytes_apart % prices::kCollisionPeriod == 0;
}

// Registers that hold matrices: up to `rows` rows of `row_bytes` each. One instruction adds the product of
// two of them, of pairs of bf16, to a third one of f32.
struct MatrixTiles {
  int count = 0, rows = 0, row_bytes = 0;
  int columns() const { return row_bytes / 4; }                    // of sums
  int depth() const { return std::min(row_bytes / 2, 2 * rows); }  // points of k that one product takes
  auto operator<=>(const MatrixTiles&) const = default;
};

// Caches by whose sizes sums are cut: the common machine's, whatever the machine at hand has, so that bits
// are the same on all that have its vectors. Tests make them small.
struct SumCaches {
  int64_t l1_bytes = prices::kFirstLevel, l2_bytes = prices::kSecondLevel, l3_bytes = prices::kLastLevel;
  auto operator<=>(const SumCaches&) const = default;
};

// What a schedule must know of the machine: an instruction set, which is asked of the processor at run time,
// and caches.
struct Target {
  int vector_bytes = 16;  // of the widest vector unit that is worth using
  int vector_registers = 16;
  int64_t l1_bytes = prices::kFirstLevel;
  int64_t l2_bytes = prices::kSecondLevel;
  int64_t l3_bytes = prices::kLastLevel;  // shared by all cores
  bool permutes_two = false;              // one instruction takes each lane from any place of two registers
  bool float_extremes = false;  // one instruction takes the larger or smaller of two floats that are numbers
  bool compresses = false;      // one instruction moves the lanes that count to the front of a register
  bool bf16_products = false;   // one instruction multiplies pairs of bf16 and adds them to f32
  bool s16_products = false;    // one instruction multiplies pairs of s16 and adds each pair up
  MatrixTiles tiles{};
  SumCaches sums{};

  // Vectors of so many bytes in so many registers, and what else all processors that have these can do, with
  // the common machine's caches.
  static Target vectors(int bytes, int registers) {
    Target target;
    target.vector_bytes = bytes, target.vector_registers = registers;
    return target;
  }
  static Target avx2() {
    Target target = vectors(32, 16);
    target.s16_products = true;
    return target;
  }
  static Target avx512() {  // with its parts DQ, BW and VL
    Target target = vectors(64, 32);
    target.permutes_two = target.float_extremes = target.compresses = target.s16_products = true;
    return target;
  }

  int lanes(DType dtype) const { return vector_bytes / static_cast<int>(byte_size(dtype)); }
  // The machine as whoever cuts a sum must see it.
  Target for_sums() const {
    Target target = *this;
    target.l1_bytes = sums.l1_bytes, target.l2_bytes = sums.l2_bytes, target.l3_bytes = sums.l3_bytes;
    return target;
  }
  auto operator<=>(const Target&) const = default;
};

}  // namespace ingot::kernel
