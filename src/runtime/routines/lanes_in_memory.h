// Arrays that lie one behind the other, as vectors with a lane of each: element e of all is vector e. They
// are turned round in registers, a square of as many arrays and elements as a vector has lanes at a time.
// Everything is inlined into functions that are compiled for one kind of processor.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "runtime/routines/vector_of.h"

namespace ingot::runtime {

template <class T, int kBytes>
struct LanesInMemory {
  static constexpr int64_t kLanes = kBytes / static_cast<int>(sizeof(T));
  using V = typename VectorOf<T, kBytes>::type;
  using Indices = std::make_index_sequence<kLanes>;

  // Of the first `count` arrays; the other lanes are 0.
  [[gnu::always_inline]] static void load(const T* from, int64_t elements, int64_t count, V* to) {
    if (elements < kLanes) {  // in no square
      for (int64_t e = 0; e < elements; ++e) {
        T* lanes = reinterpret_cast<T*>(&to[e]);
        for (int64_t l = 0; l < count; ++l) lanes[l] = from[l * elements + e];
        for (int64_t l = count; l < kLanes; ++l) lanes[l] = 0;
      }
      return;
    }
    for (int64_t e = 0; e < elements; e += kLanes) {
      const int64_t at = std::min(e, elements - kLanes);  // the last square begins earlier to be a whole one
      V rows[kLanes];
      if (count == kLanes) {
#pragma GCC unroll 16
        for (int64_t l = 0; l < kLanes; ++l) rows[l] = *reinterpret_cast<const V*>(from + l * elements + at);
      } else {
        for (int64_t l = 0; l < kLanes; ++l)
          rows[l] = l < count ? *reinterpret_cast<const V*>(from + l * elements + at) : V{};
      }
      transpose(rows);
#pragma GCC unroll 16
      for (int64_t i = 0; i < kLanes; ++i) to[at + i] = rows[i];
    }
  }

  [[gnu::always_inline]] static void store(const V* from, int64_t elements, int64_t count, T* to) {
    if (elements < kLanes) {
      for (int64_t e = 0; e < elements; ++e) {
        const T* lanes = reinterpret_cast<const T*>(&from[e]);
        for (int64_t l = 0; l < count; ++l) to[l * elements + e] = lanes[l];
      }
      return;
    }
    for (int64_t e = 0; e < elements; e += kLanes) {
      const int64_t at = std::min(e, elements - kLanes);
      V rows[kLanes];
#pragma GCC unroll 16
      for (int64_t i = 0; i < kLanes; ++i) rows[i] = from[at + i];
      transpose(rows);
      if (count == kLanes) {
#pragma GCC unroll 16
        for (int64_t l = 0; l < kLanes; ++l) *reinterpret_cast<V*>(to + l * elements + at) = rows[l];
      } else {
        for (int64_t l = 0; l < count; ++l) *reinterpret_cast<V*>(to + l * elements + at) = rows[l];
      }
    }
  }

 private:
  // Exchanges the elements of `a` whose place has the bit kDistance with those of `b` that have it not.
  template <int64_t kDistance, size_t... kI>
  [[gnu::always_inline]] static void exchange(V& a, V& b, std::index_sequence<kI...>) {
    const V low = __builtin_shufflevector(
        a, b, static_cast<int>((kI & kDistance) != 0 ? kLanes + kI - kDistance : kI)...);
    b = __builtin_shufflevector(a, b,
                                static_cast<int>((kI & kDistance) != 0 ? kLanes + kI : kI + kDistance)...);
    a = low;
  }
  template <int64_t kDistance>
  [[gnu::always_inline]] static void exchange_rows(V (&rows)[kLanes]) {
#pragma GCC unroll 16
    for (int64_t r = 0; r < kLanes; ++r) {
      if ((r & kDistance) == 0) exchange<kDistance>(rows[r], rows[r + kDistance], Indices());
    }
  }
  // Interleaves the first, and the last, two of each four elements: one instruction each, where an exchange
  // of single elements of 32 bits takes two.
  template <size_t... kI>
  [[gnu::always_inline]] static void interleave(V& a, V& b, std::index_sequence<kI...>) {
    const V low =
        __builtin_shufflevector(a, b, static_cast<int>(kI % 2 * kLanes + kI / 4 * 4 + kI % 4 / 2)...);
    b = __builtin_shufflevector(a, b, static_cast<int>(kI % 2 * kLanes + kI / 4 * 4 + kI % 4 / 2 + 2)...);
    a = low;
  }

  [[gnu::always_inline]] static void transpose(V (&rows)[kLanes]) {
    if constexpr (sizeof(T) == 4) {
#pragma GCC unroll 4
      for (int64_t r = 0; r < kLanes; r += 4) {
        interleave(rows[r], rows[r + 1], Indices());
        interleave(rows[r + 2], rows[r + 3], Indices());
        exchange<2>(rows[r], rows[r + 2], Indices());
        exchange<2>(rows[r + 1], rows[r + 3], Indices());
        // Not std::swap: a template of V forgets that it is aligned as T is.
        const V second = rows[r + 1];
        rows[r + 1] = rows[r + 2];
        rows[r + 2] = second;
      }
    } else {
      exchange_rows<1>(rows);
      if constexpr (kLanes > 2) exchange_rows<2>(rows);
    }
    if constexpr (kLanes > 4) exchange_rows<4>(rows);
    if constexpr (kLanes > 8) exchange_rows<8>(rows);
  }
};

}  // namespace ingot::runtime
