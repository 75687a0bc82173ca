// How the command writes values, sizes and tables.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "base/tensor.h"

namespace ingot::tools {

// "f32[2,3]" and, up to some 200 elements, the values in nested brackets as NumPy prints them.
std::string show_tensor(const Tensor& tensor);

std::string show_number(double value);  // short: six significant digits
std::string show_ms(double ms);         // "1.23 ms", "4.50 us"
std::string show_count(int64_t count);  // "1.02 M"
std::string show_bytes(int64_t bytes);  // "1.02 MB"
std::string show_hash(uint64_t hash);   // 16 hexadecimal digits

// Columns as wide as they need to be; the first row is the head. Numbers stand at the right: `right` says
// which columns.
class Table {
 public:
  explicit Table(std::vector<std::string> head) : rows_{std::move(head)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text(const std::vector<bool>& right) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace ingot::tools
