// Sorts rows that lie one behind the other. Both routines are stable, so that their results are the same
// however work is shared out.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "runtime/routine.h"

namespace ingot::runtime {

struct SortedRows {
  int64_t rows = 0, length = 0;
  std::vector<int64_t> element_bytes;  // by input
  std::vector<int> outputs;            // the input that output i holds in order
  std::optional<int64_t> first = {};   // outputs hold so many elements of each row; else all

  int64_t kept() const { return first.value_or(length); }
};

// By keys, the first of which that differs decides.
struct SortKey {
  int input = 0;
  DType dtype = DType::kF32;  // not complex
  bool descending = false;
  // Of floats: zeros are equal, and NaN are equal and last. Else by their bits.
  bool by_value = false;
};
std::shared_ptr<const Routine> radix_sort(const SortedRows& rows, const std::vector<SortKey>& keys);

// By a comparator: says of elements (a1, b1 .. an, bn), two of what each output holds, whether the first ones
// come before the second ones. Any number of threads may ask.
class Comparator {
 public:
  virtual ~Comparator() = default;
  virtual std::string form() const = 0;
  // The pointers are aligned to 64 bytes.
  virtual bool less(const void* const* elements) const = 0;
};
std::shared_ptr<const Routine> merge_sort(const SortedRows& rows,
                                          std::shared_ptr<const Comparator> comparator);

}  // namespace ingot::runtime
