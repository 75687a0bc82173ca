// Radix sort, from the last digit to the first: keys are mapped to unsigned integers that order as they do,
// and each pass moves elements to where those of their digit go, in the order in which they come. A digit
// that all have in common costs no pass. What is moved is
// - the key alone, where nothing else is asked for: results are made from it again;
// - the key and the element of one more array, of 4 bytes at most;
// - the key and the element's place, from which all arrays are put in order at the end. Of several keys the
//   last one is sorted by first.
// Zeros that count as equal, and NaN, have one key; they are put back in the order in which they came.
#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "runtime/routines/first_in_order.h"
#include "runtime/routines/rows.h"

namespace ingot::runtime {
namespace {

constexpr int64_t kFew = 40;  // elements that are inserted one by one, about where both take as long

// key = bits ^ base, with all but the sign flipped too where it is set and `negative` says so.
template <class U, bool kByValue>
struct KeyMap {
  static constexpr U kTop = U(U(1) << (8 * sizeof(U) - 1));

  U base = 0, negative = 0, infinity = 0, nan = 0;

  explicit KeyMap(const SortKey& key) {
    const U all = static_cast<U>(~U(0)), down = key.descending ? all : U(0);
    const bool real = is_float(key.dtype);
    base = static_cast<U>((real || is_signed(key.dtype) ? kTop : U(0)) ^ down);
    negative = real ? static_cast<U>(~kTop) : U(0);
    nan = static_cast<U>(all ^ down);
    if (real) {  // all bits of the exponent
      const int mantissa = significant_bits(key.dtype) - 1;
      infinity = static_cast<U>((U(~kTop) >> mantissa) << mantissa);
    }
  }
  // Without a branch, so that it runs on vectors.
  U signs(U bits) const { return static_cast<U>((U(0) - (bits >> (8 * sizeof(U) - 1))) & negative); }
  U key(U bits) const {
    if constexpr (kByValue) {
      const U size = static_cast<U>(bits & U(~kTop)), by_bits = static_cast<U>(bits ^ base ^ signs(bits));
      const U number = size == 0 ? base : by_bits;
      return size > infinity ? nan : number;
    }
    return static_cast<U>(bits ^ base ^ signs(bits));
  }
  U bits(U key) const {
    const U flipped = static_cast<U>(key ^ base);
    return static_cast<U>(flipped ^ signs(flipped));
  }
  // Whether bits(key(x)) is another x.
  bool loses(U bits) const {
    return kByValue && (bits == kTop || static_cast<U>(bits & U(~kTop)) > infinity);
  }
};

template <class Fn>
void visit_key(const SortKey& key, const Fn& fn) {
  const auto by_width = [&]<bool kByValue>(std::bool_constant<kByValue>) {
    switch (byte_size(key.dtype)) {
      case 1:
        return fn(KeyMap<uint8_t, false>(key));
      case 2:
        return fn(KeyMap<uint16_t, kByValue>(key));
      case 4:
        return fn(KeyMap<uint32_t, kByValue>(key));
      default:
        return fn(KeyMap<uint64_t, kByValue>(key));
    }
  };
  key.by_value&& is_float(key.dtype) ? by_width(std::true_type()) : by_width(std::false_type());
}

// --- what is moved

template <class U>
struct Alone {
  U key;
  uint64_t order() const { return key; }
};
struct Pair {  // the key above
  uint64_t both;
  Pair() = default;
  Pair(uint64_t key, uint64_t carried) : both(key << 32 | carried) {}
  uint64_t order() const { return both >> 32; }
  uint64_t carried() const { return both & 0xffffffff; }
};
struct WidePair {
  uint64_t key, place;
  WidePair() = default;
  WidePair(uint64_t key, uint64_t carried) : key(key), place(carried) {}
  uint64_t order() const { return key; }
  uint64_t carried() const { return place; }
};

template <class T>
void insert_all(T* x, int64_t n) {
  for (int64_t i = 1; i < n; ++i) {
    const T element = x[i];
    int64_t at = i;
    for (; at > 0 && element.order() < x[at - 1].order(); --at) x[at] = x[at - 1];
    x[at] = element;
  }
}

// Digits are bytes, and of long rows with long keys 11 bits: three passes for 32 bits instead of four, where
// as many places as there are digits still lie in the second-level cache.
constexpr int kByte = 8, kLongDigit = 11;

int bits_of_digit(int64_t length, int64_t key_bytes) {
  return length >= kSharedRow && key_bytes >= 4 ? kLongDigit : kByte;
}

// Sorts by keys of so many bytes; returns which of both arrays the result is in. `counts` has room for the
// numbers of all digits of each chunk.
template <class T>
T* sort_digits(const RoutineCall& call, T* from, T* to, int64_t n, int64_t key_bytes, int64_t* counts) {
  if (n <= kFew) {
    insert_all(from, n);
    return from;
  }
  const int64_t chunks = chunks_of(n);
  const int bits = bits_of_digit(n, key_bytes);
  const int64_t values = int64_t{1} << bits;
  const uint64_t mask = static_cast<uint64_t>(values) - 1;
  for (int shift = 0; shift < 8 * key_bytes; shift += bits) {
    for_chunks(call, n, [&](int64_t c, int64_t begin, int64_t end) {
      int64_t* count = counts + c * values;
      std::fill(count, count + values, 0);
      for (int64_t i = begin; i < end; ++i) ++count[from[i].order() >> shift & mask];
    });
    int64_t sum = 0;
    bool common = false;
    for (int64_t d = 0; d < values; ++d) {
      const int64_t first = sum;
      for (int64_t c = 0; c < chunks; ++c) {
        const int64_t own = std::exchange(counts[c * values + d], sum);
        sum += own;
      }
      common = common || sum - first == n;
    }
    if (common) continue;
    for_chunks(call, n, [&](int64_t c, int64_t begin, int64_t end) {
      int64_t* next = counts + c * values;
      for (int64_t i = begin; i < end; ++i) to[next[from[i].order() >> shift & mask]++] = from[i];
    });
    std::swap(from, to);
  }
  return from;
}

class RadixSort final : public Routine {
 public:
  RadixSort(const SortedRows& rows, const std::vector<SortKey>& keys) : rows_(rows), keys_(keys) {
    check(!keys.empty(), "a sort without a key");
    for (const SortKey& key : keys) {
      check(!is_complex(key.dtype), "a sort by complex numbers");
      key_bytes_ = std::max(key_bytes_, static_cast<int64_t>(byte_size(key.dtype)));
    }
    const bool all = rows.kept() == rows.length, one = keys.size() == 1 && all;
    int others = 0;
    for (const int output : rows.outputs) {
      if (one && output == keys[0].input) continue;
      if (others == 0) carried_ = output;
      if (output != carried_ || others == 0) ++others;
    }
    if (one && others == 0) {
      moves_ = Moves::kKey;
      moved_bytes_ = key_bytes_;
    } else if (one && others == 1 && key_bytes_ <= 4 &&
               rows.element_bytes[static_cast<size_t>(carried_)] <= 4) {
      moves_ = Moves::kElement;
      moved_bytes_ = sizeof(Pair);
    } else {
      moved_bytes_ = key_bytes_ <= 4 && rows.length <= int64_t{1} << 32 ? sizeof(Pair) : sizeof(WidePair);
    }
  }

  std::string name() const override { return "radix_sort"; }
  std::string form() const override {
    std::string text;
    for (const SortKey& key : keys_)
      text += std::to_string(key.input) + " " + std::string(name_of(key.dtype)) +
              (key.by_value ? " by value" : "") + (key.descending ? " descending;" : ";");
    for (const int output : rows_.outputs) text += " " + std::to_string(output);
    if (rows_.first) text += " first " + std::to_string(*rows_.first);
    return text;
  }
  int64_t work_bytes() const override { return rows_at_once(rows_) * work_of_row(); }

  void run(const RoutineCall& call) const override {
    for_rows(call, rows_, work_of_row(), [&](int64_t row, std::byte* work) {
      if (moves_ == Moves::kPlace)
        return moved_bytes_ == sizeof(Pair) ? sort_places<Pair>(call, row, work)
                                            : sort_places<WidePair>(call, row, work);
      visit_key(keys_[0], [&]<class U, bool kByValue>(const KeyMap<U, kByValue>& map) {
        if (moves_ == Moves::kKey)
          sort_alone<Alone<U>>(call, row, work, map);
        else if constexpr (sizeof(U) <= 4)
          sort_alone<Pair>(call, row, work, map);
      });
    });
  }

 private:
  enum class Moves { kKey, kElement, kPlace };

  int64_t array_bytes() const { return aligned(rows_.length * moved_bytes_); }
  int64_t work_of_row() const {
    return 2 * array_bytes() + (chunks_of(rows_.length) << bits_of_digit(rows_.length, key_bytes_)) *
                                   static_cast<int64_t>(sizeof(int64_t));
  }
  template <class T>
  T* array(std::byte* work, int which) const {
    return reinterpret_cast<T*>(work + which * array_bytes());
  }
  int64_t* counts(std::byte* work) const { return reinterpret_cast<int64_t*>(work + 2 * array_bytes()); }

  const std::byte* input(const RoutineCall& call, int k, int64_t row) const {
    const auto i = static_cast<size_t>(k);
    return call.input<std::byte>(i) + row * rows_.length * rows_.element_bytes[i];
  }
  std::byte* output(const RoutineCall& call, size_t o, int64_t row) const {
    const int64_t bytes = rows_.element_bytes[static_cast<size_t>(rows_.outputs[o])];
    return static_cast<std::byte*>(call.buffers[rows_.element_bytes.size() + o]) + row * rows_.kept() * bytes;
  }
  // Keys, or keys with elements of another array.
  template <class T, class U, bool kByValue>
  void sort_alone(const RoutineCall& call, int64_t row, std::byte* work,
                  const KeyMap<U, kByValue>& map) const {
    const U* keys = reinterpret_cast<const U*>(input(call, keys_[0].input, row));
    T* sorted = array<T>(work, 0);
    int64_t* lost = counts(work);  // by chunk: whether anything was
    const auto fill = [&](const auto* others) {
      for_chunks(call, rows_.length, [&](int64_t c, int64_t begin, int64_t end) {
        bool any = false;
        for (int64_t i = begin; i < end; ++i) {
          if constexpr (std::is_same_v<T, Pair>)
            sorted[i] = Pair(map.key(keys[i]), others[i]);
          else
            sorted[i].key = map.key(keys[i]);
          any |= map.loses(keys[i]);
        }
        lost[c] = any ? 1 : 0;
      });
    };
    if constexpr (std::is_same_v<T, Pair>) {
      const std::byte* others = input(call, carried_, row);
      visit_bytes(rows_.element_bytes[static_cast<size_t>(carried_)], [&]<class E>(E) {
        if constexpr (std::is_integral_v<E>) fill(reinterpret_cast<const E*>(others));
      });
    } else {
      fill(keys);
    }
    const int64_t n = rows_.length;
    const bool loses = std::any_of(lost, lost + chunks_of(n), [](int64_t any) { return any != 0; });
    sorted = sort_digits(call, sorted, array<T>(work, 1), n, sizeof(U), counts(work));
    for (size_t o = 0; o < rows_.outputs.size(); ++o) {
      std::byte* to = output(call, o, row);
      if (rows_.outputs[o] == keys_[0].input) {
        U* result = reinterpret_cast<U*>(to);
        for_chunks(call, rows_.length, [&](int64_t, int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) result[i] = map.bits(static_cast<U>(sorted[i].order()));
        });
        if (loses) put_back(keys, sorted, result, map);
      } else if constexpr (std::is_same_v<T, Pair>) {
        visit_bytes(rows_.element_bytes[static_cast<size_t>(carried_)], [&]<class E>(E) {
          if constexpr (std::is_integral_v<E>) {
            E* result = reinterpret_cast<E*>(to);
            for_chunks(call, rows_.length, [&](int64_t, int64_t begin, int64_t end) {
              for (int64_t i = begin; i < end; ++i) result[i] = static_cast<E>(sorted[i].carried());
            });
          }
        });
      }
    }
  }

  // Zeros and NaN, in the order in which they came.
  template <class T, class U, bool kByValue>
  void put_back(const U* keys, const T* sorted, U* result, const KeyMap<U, kByValue>& map) const {
    const auto first = [&](U key) {
      return std::lower_bound(sorted, sorted + rows_.length, key,
                              [](const T& element, U bound) { return element.order() < bound; }) -
             sorted;
    };
    int64_t zero = first(map.base), nan = first(map.nan);
    for (int64_t i = 0; i < rows_.length; ++i) {
      const U key = map.key(keys[i]);
      if (key == map.base)
        result[zero++] = keys[i];
      else if (key == map.nan)
        result[nan++] = keys[i];
    }
  }

  template <class T>
  void sort_places(const RoutineCall& call, int64_t row, std::byte* work) const {
    const int64_t n = rows_.length;
    T *current = array<T>(work, 0), *other = array<T>(work, 1);
    const bool few = keys_.size() == 1 && rows_.kept() * kFewOfRow <= n;
    if (few) {
      visit_key(keys_[0], [&]<class U, bool kByValue>(const KeyMap<U, kByValue>& map) {
        const U* keys = reinterpret_cast<const U*>(input(call, keys_[0].input, row));
        first_in_order(n, rows_.kept(), current, [&](int64_t i) { return map.key(keys[i]); });
      });
    }
    for (size_t k = few ? 0 : keys_.size(); k-- > 0;) {
      visit_key(keys_[k], [&]<class U, bool kByValue>(const KeyMap<U, kByValue>& map) {
        const U* keys = reinterpret_cast<const U*>(input(call, keys_[k].input, row));
        const bool first = k + 1 == keys_.size();
        for_chunks(call, rows_.length, [&](int64_t, int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const uint64_t place = first ? static_cast<uint64_t>(i) : current[i].carried();
            current[i] = T(map.key(keys[place]), place);
          }
        });
        T* sorted = sort_digits(call, current, other, n, sizeof(U), counts(work));
        if (sorted != current) std::swap(current, other);
      });
    }
    for (size_t o = 0; o < rows_.outputs.size(); ++o) {
      const int from = rows_.outputs[o];
      put_in_order(call, input(call, from, row), output(call, o, row),
                   rows_.element_bytes[static_cast<size_t>(from)], rows_.kept(),
                   [&](int64_t i) { return static_cast<int64_t>(current[i].carried()); });
    }
  }

  const SortedRows rows_;
  const std::vector<SortKey> keys_;
  Moves moves_ = Moves::kPlace;
  int64_t key_bytes_ = 0, moved_bytes_ = 0;
  int carried_ = -1;
};

}  // namespace

std::shared_ptr<const Routine> radix_sort(const SortedRows& rows, const std::vector<SortKey>& keys) {
  return std::make_shared<RadixSort>(rows, keys);
}

}  // namespace ingot::runtime
