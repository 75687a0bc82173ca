// The first few elements of a row in order, without sorting the row: those whose key is below the k-th
// smallest so far are collected, and where there is no more room the k smallest of them stay. Most elements
// are only compared with a bound.
#pragma once

#include <algorithm>

#include "runtime/routines/rows.h"

namespace ingot::runtime {

// Rows of which so many times fewer elements are asked for are not sorted whole. At a third, collecting and
// sorting take as long (f32[1024,1000], AMD EPYC).
inline constexpr int64_t kFewOfRow = 4;

// Elements of which T(key, place) are made, in `kept`, which has room for 2k of them; in order. 0 < k <= n.
template <class T, class Key>
void first_in_order(int64_t n, int64_t k, T* kept, const Key& key_of) {
  const auto before = [](const T& a, const T& b) {
    return a.order() != b.order() ? a.order() < b.order() : a.carried() < b.carried();
  };
  int64_t count = 0;
  for (; count < k; ++count) kept[count] = T(key_of(count), static_cast<uint64_t>(count));
  // In the key's own type, so that as many as possible are compared at a time.
  using U = decltype(key_of(0));
  U bound = static_cast<U>(std::max_element(kept, kept + k, before)->order());
  const auto take = [&](int64_t i) {
    if (key_of(i) >= bound) return;  // of equal ones the first are in
    kept[count++] = T(key_of(i), static_cast<uint64_t>(i));
    if (count < 2 * k) return;
    std::nth_element(kept, kept + k - 1, kept + count, before);
    bound = static_cast<U>(kept[k - 1].order());
    count = k;
  };
  constexpr int64_t kBlock = 64;  // that are compared on vectors
  int64_t i = k;
  for (; i + kBlock <= n; i += kBlock) {
    U below = 0;
    for (int64_t j = i; j < i + kBlock; ++j) below = static_cast<U>(below | (key_of(j) < bound ? 1 : 0));
    for (int64_t j = i; below != 0 && j < i + kBlock; ++j) take(j);
  }
  for (; i < n; ++i) take(i);
  std::nth_element(kept, kept + k - 1, kept + count, before);
  std::sort(kept, kept + k, before);
}

}  // namespace ingot::runtime
