// The solver over lanes: a register holds the same column of neighbouring rows. Private to tdma_avx2.cc and
// tdma_avx512.cc, which give it their registers.
//
// A group of as many rows as a register has lanes is solved at a time. Columns arrive in blocks of 16 bytes
// a row, transposed in registers; the first sweep leaves its two results in a tile that stays in the cache,
// the second one runs over it backwards.
//
// The columns of a group are many short streams, more than the hardware's prefetcher follows. But a group is
// one contiguous piece of each input: while one is computed the lines of the next are touched in the order of
// their addresses, by loads, because those teach the hardware its streams and prefetches do not; prefetches
// into the second-level cache run ahead of the loads. On a Zen 4 this takes 11.7 ms on one core for 200 MB,
// loads alone 15, prefetches alone or nothing 24.
#pragma once

#include <immintrin.h>

#include <cstdlib>
#include <cstring>
#include <memory>

#include "tdma.h"

namespace bench {
namespace {

constexpr int64_t kLine = 64;

// Memory of a thread that grows but is never given back while the thread lives.
template <class T>
T* scratch(int64_t elements) {
  struct Free {
    void operator()(T* memory) const { std::free(memory); }
  };
  thread_local std::unique_ptr<T, Free> memory;
  thread_local int64_t capacity = 0;
  if (elements > capacity) {
    const size_t bytes = (static_cast<size_t>(elements) * sizeof(T) + 4095) / 4096 * 4096;
    memory.reset(static_cast<T*>(std::aligned_alloc(4096, bytes)));
    capacity = elements;
  }
  return memory.get();
}

// Reads one word of each line, and prefetches the lines kAhead bytes later.
inline void touch(const void* from, int64_t offset, int lines) {
  constexpr int64_t kAhead = 24 * 1024;
  const char* at = static_cast<const char*>(from) + offset;
  for (int i = 0; i < lines; ++i) {
    _mm_prefetch(at + i * kLine + kAhead, _MM_HINT_T1);
    static_cast<void>(*reinterpret_cast<const volatile int*>(at + i * kLine));
  }
}

template <class V>
struct Group {
  using T = typename V::Element;
  using Reg = typename V::Reg;
  static constexpr int kColumns = 16 / sizeof(T);
  static constexpr int kTouchedLines = V::kLanes * 16 / kLine;  // of each input, per block

  const Systems<T>& s;
  T* tile;          // [length][2][lanes]: both results of the first sweep
  T* staged;        // [lanes][length]: the solution before it is streamed out; null: written in place
  bool contiguous;  // groups are small enough that the next one is worth touching

  void solve(int64_t row) {
    forward(row, contiguous && row + 2 * V::kLanes <= s.rows);
    T* x = s.x + row * s.length;
    backward(staged ? staged : x);
    if (staged) stream_out(x);
  }

  void forward(int64_t row, bool touch_next) {
    const int64_t base = row * s.length;
    Reg last_c = V::zero(), last_d = V::zero();
    int64_t t = 0;
    for (; t + kColumns <= s.length; t += kColumns) {
      if (touch_next) touch_block(base, t);
      forward_block(base, t, 0, last_c, last_d);
    }
    // The last block overlaps the one before and skips the columns that are done.
    if (t < s.length) forward_block(base, s.length - kColumns, kColumns - (s.length - t), last_c, last_d);
  }

  // The next group's share of lines that falls to the block at column t.
  void touch_block(int64_t base, int64_t t) {
    const int64_t offset = (base + V::kLanes * (s.length + t)) * static_cast<int64_t>(sizeof(T));
    touch(s.a, offset, kTouchedLines);
    touch(s.b, offset, kTouchedLines);
    touch(s.c, offset, kTouchedLines);
    touch(s.d, offset, kTouchedLines);
  }

  [[gnu::always_inline]] void forward_block(int64_t base, int64_t t, int64_t skip, Reg& last_c, Reg& last_d) {
    Reg a[kColumns], b[kColumns], c[kColumns], d[kColumns];
    V::load_columns(s.a + base + t, s.length, a);
    V::load_columns(s.b + base + t, s.length, b);
    V::load_columns(s.c + base + t, s.length, c);
    V::load_columns(s.d + base + t, s.length, d);
    for (int u = 0; u < kColumns; ++u) {
      if (u < skip) continue;
      const Reg n = V::div(V::one(), V::fnmadd(a[u], last_c, b[u]));
      last_c = V::mul(c[u], n);
      last_d = V::mul(V::fnmadd(a[u], last_d, d[u]), n);
      V::store(slot(t + u), last_c);
      V::store(slot(t + u) + V::kLanes, last_d);
    }
  }

  void backward(T* x) {
    Reg last = V::zero();
    int64_t t = s.length - kColumns;
    for (; t >= 0; t -= kColumns) backward_block(x, t, kColumns, last);
    if (t > -kColumns) backward_block(x, 0, t + kColumns, last);
  }

  // Columns t.. of the solution; those from `done` on have been computed and are only stored again.
  [[gnu::always_inline]] void backward_block(T* x, int64_t t, int64_t done, Reg& last) {
    Reg column[kColumns];
    for (int u = kColumns - 1; u >= 0; --u) {
      if (u >= done) {
        column[u] = V::load(slot(t + u));
      } else {
        column[u] = last = V::fnmadd(V::load(slot(t + u)), last, V::load(slot(t + u) + V::kLanes));
        if (t < kColumns) V::store(slot(t + u), last);  // a last, overlapping block may need it
      }
    }
    V::store_columns(x + t, s.length, column);
  }

  void stream_out(T* x) {
    const int64_t elements = V::kLanes * s.length;
    for (int64_t i = 0; i < elements; i += V::kLanes) V::stream(x + i, V::load(staged + i));
  }

  T* slot(int64_t t) { return tile + t * 2 * V::kLanes; }
};

// Length 1 has nothing to transpose: lanes are rows, and rows are contiguous.
template <class T>
void solve_length_one(const Systems<T>& s, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    const T zero = 0, n = 1 / (s.b[i] - s.a[i] * zero);
    s.x[i] = (s.d[i] - s.a[i] * zero) * n - s.c[i] * n * zero;
  }
}

template <class V>
void solve_groups(const Systems<typename V::Element>& s, int64_t begin, int64_t end) {
  using T = typename V::Element;
  constexpr int64_t kSmallGroup = 16 << 10, kLargeOutput = 32 << 20;
  if (s.length == 1) return solve_length_one(s, begin, end);
  if (s.length < Group<V>::kColumns) return solve_plain(s, begin, end);

  const int64_t tile = 2 * V::kLanes * s.length, group_bytes = V::kLanes * s.length * int64_t{sizeof(T)};
  T* memory = scratch<T>(tile + V::kLanes * s.length);
  const bool aligned = reinterpret_cast<uintptr_t>(s.x + begin * s.length) % kLine == 0;
  const bool stream = s.rows * s.length * int64_t{sizeof(T)} >= kLargeOutput && group_bytes <= kSmallGroup &&
                      group_bytes % kLine == 0 && aligned;
  Group<V> group{s, memory, stream ? memory + tile : nullptr, group_bytes <= kSmallGroup};
  int64_t row = begin;
  for (; row + V::kLanes <= end; row += V::kLanes) group.solve(row);
  if (row < end) solve_plain(s, row, end);
  if (stream) _mm_sfence();
}

}  // namespace
}  // namespace bench
