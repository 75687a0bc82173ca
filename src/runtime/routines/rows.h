// What both sorts share: which rows are worked on at once, and how elements of a few bytes are moved.
#pragma once

#include <algorithm>
#include <cstring>

#include "kernel/cost/table.h"
#include "runtime/routines/sort.h"

namespace ingot::runtime {

inline constexpr int64_t kWorkAlignment = prices::kLineBytes;
// Elements of a shared row that one thread takes at a time.
inline constexpr int64_t kRowChunk = prices::kWorthThreads;
// From so many elements on, a row is shared among threads; shorter ones are not.
inline constexpr int64_t kSharedRow = 2 * kRowChunk;
// So many rows are worked on at once, at most, each with work memory of its own.
inline constexpr int64_t kRowsAtOnce = 64;

inline int64_t aligned(int64_t bytes) {
  return (bytes + kWorkAlignment - 1) / kWorkAlignment * kWorkAlignment;
}
inline int64_t rows_at_once(const SortedRows& rows) {
  return rows.length >= kSharedRow ? 1 : std::clamp<int64_t>(rows.rows, 1, kRowsAtOnce);
}
inline int64_t chunks_of(int64_t length) {
  return length < kSharedRow ? 1 : (length + kRowChunk - 1) / kRowChunk;
}

// Calls body(row, work of the row).
template <class Body>
void for_rows(const RoutineCall& call, const SortedRows& rows, int64_t work_bytes, const Body& body) {
  const int64_t slots = rows_at_once(rows);
  const auto slot = [&](int64_t s) {
    const int64_t begin = rows.rows * s / slots, end = rows.rows * (s + 1) / slots;
    for (int64_t row = begin; row < end; ++row) body(row, call.work + s * work_bytes);
  };
  if (slots == 1) return slot(0);
  call.for_each(slots, slot);
}

// Calls body(chunk, begin, end) for the chunks of a row, on several threads if it is shared.
template <class Body>
void for_chunks(const RoutineCall& call, int64_t length, const Body& body) {
  const int64_t chunks = chunks_of(length);
  const auto one = [&](int64_t c) { body(c, length * c / chunks, length * (c + 1) / chunks); };
  chunks == 1 ? one(0) : call.for_each(chunks, one);
}

template <size_t kBytes>
struct Element {
  std::byte bytes[kBytes];
};
// Calls fn with a value of a type of so many bytes.
template <class Fn>
void visit_bytes(int64_t bytes, const Fn& fn) {
  switch (bytes) {
    case 1:
      return fn(uint8_t{});
    case 2:
      return fn(uint16_t{});
    case 4:
      return fn(uint32_t{});
    case 8:
      return fn(uint64_t{});
    default:
      return fn(Element<16>{});
  }
}

// Element i of the output, which has so many, is element place(i) of the input.
template <class Place>
void put_in_order(const RoutineCall& call, const void* from, void* to, int64_t element_bytes, int64_t length,
                  const Place& place) {
  visit_bytes(element_bytes, [&]<class T>(T) {
    const T* source = static_cast<const T*>(from);
    T* result = static_cast<T*>(to);
    for_chunks(call, length, [&](int64_t, int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) result[i] = source[place(i)];
    });
  });
}

}  // namespace ingot::runtime
