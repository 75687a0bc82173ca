// Merge sort of places by a comparator: insertion into short runs, then merges of neighbours, which are
// shared among threads as long as there are several. A comparator that is no order gives some permutation.
#include <array>

#include "runtime/routines/rows.h"

namespace ingot::runtime {
namespace {

constexpr int64_t kRun = 8;  // elements that are inserted one by one

// Elements of one row, handed to the comparator in cells of their own.
class RowComparison {
 public:
  RowComparison(const Comparator& comparator, const SortedRows& rows, const RoutineCall& call, int64_t row)
      : comparator_(comparator), cells_(2 * rows.outputs.size()) {
    for (const int output : rows.outputs) {
      const auto input = static_cast<size_t>(output);
      bytes_.push_back(rows.element_bytes[input]);
      arrays_.push_back(call.input<std::byte>(input) + row * rows.length * bytes_.back());
    }
    for (Cell& cell : cells_) pointers_.push_back(cell.bytes);
  }

  bool operator()(int64_t a, int64_t b) {
    for (size_t k = 0; k < bytes_.size(); ++k) {
      const auto bytes = static_cast<size_t>(bytes_[k]);
      std::memcpy(cells_[2 * k].bytes, arrays_[k] + a * bytes_[k], bytes);
      std::memcpy(cells_[2 * k + 1].bytes, arrays_[k] + b * bytes_[k], bytes);
    }
    return comparator_.less(pointers_.data());
  }

 private:
  struct alignas(64) Cell {
    std::byte bytes[64];
  };
  const Comparator& comparator_;
  std::vector<int64_t> bytes_;
  std::vector<const std::byte*> arrays_;
  std::vector<Cell> cells_;
  std::vector<const void*> pointers_;
};

template <class Less>
void sort_run(int64_t* places, int64_t begin, int64_t end, Less& less) {
  for (int64_t i = begin + 1; i < end; ++i) {
    const int64_t place = places[i];
    int64_t at = i;
    for (; at > begin && less(place, places[at - 1]); --at) places[at] = places[at - 1];
    places[at] = place;
  }
}

template <class Less>
void merge(const int64_t* from, int64_t* to, int64_t begin, int64_t middle, int64_t end, Less& less) {
  int64_t a = begin, b = middle;
  for (int64_t i = begin; i < end; ++i) {
    const bool second = a == middle || (b < end && less(from[b], from[a]));
    to[i] = from[second ? b++ : a++];
  }
}

class MergeSort final : public Routine {
 public:
  MergeSort(const SortedRows& rows, std::shared_ptr<const Comparator> comparator)
      : rows_(rows), comparator_(std::move(comparator)) {}

  std::string name() const override { return "merge_sort"; }
  std::string form() const override { return comparator_->form(); }
  int64_t work_bytes() const override { return rows_at_once(rows_) * work_of_row(); }

  void run(const RoutineCall& call) const override {
    for_rows(call, rows_, work_of_row(), [&](int64_t row, std::byte* work) { sort_row(call, row, work); });
  }

 private:
  int64_t work_of_row() const { return 2 * aligned(rows_.length * static_cast<int64_t>(sizeof(int64_t))); }

  void sort_row(const RoutineCall& call, int64_t row, std::byte* work) const {
    const int64_t n = rows_.length;
    auto* places = reinterpret_cast<int64_t*>(work);
    auto* others = reinterpret_cast<int64_t*>(work + work_of_row() / 2);
    for (int64_t i = 0; i < n; ++i) places[i] = i;
    // Blocks of 2^k runs each: in one piece first, where a row is not shared.
    const int64_t block = n < kSharedRow ? n : kRowChunk;
    const auto in_block = [&](int64_t begin, int64_t end) {
      RowComparison less(*comparator_, rows_, call, row);
      for (int64_t i = begin; i < end; i += kRun) sort_run(places, i, std::min(i + kRun, end), less);
      int64_t *from = places, *to = others;
      for (int64_t width = kRun; width < end - begin; width *= 2, std::swap(from, to)) {
        for (int64_t i = begin; i < end; i += 2 * width)
          merge(from, to, i, std::min(i + width, end), std::min(i + 2 * width, end), less);
      }
      if (from != places) std::copy(from + begin, from + end, places + begin);
    };
    if (block >= n) {
      in_block(0, n);
    } else {
      const int64_t blocks = (n + block - 1) / block;
      call.for_each(blocks, [&](int64_t b) { in_block(b * block, std::min((b + 1) * block, n)); });
      for (int64_t width = block; width < n; width *= 2, std::swap(places, others)) {
        call.for_each((n + 2 * width - 1) / (2 * width), [&](int64_t pair) {
          RowComparison less(*comparator_, rows_, call, row);
          const int64_t i = 2 * width * pair;
          merge(places, others, i, std::min(i + width, n), std::min(i + 2 * width, n), less);
        });
      }
    }
    for (size_t o = 0; o < rows_.outputs.size(); ++o) {
      const auto input = static_cast<size_t>(rows_.outputs[o]);
      const int64_t bytes = rows_.element_bytes[input], begin = row * n * bytes;
      put_in_order(call, call.input<std::byte>(input) + begin,
                   static_cast<std::byte*>(call.buffers[rows_.element_bytes.size() + o]) + begin, bytes, n,
                   [&](int64_t i) { return places[i]; });
    }
  }

  const SortedRows rows_;
  const std::shared_ptr<const Comparator> comparator_;
};

}  // namespace

std::shared_ptr<const Routine> merge_sort(const SortedRows& rows,
                                          std::shared_ptr<const Comparator> comparator) {
  return std::make_shared<MergeSort>(rows, std::move(comparator));
}

}  // namespace ingot::runtime
