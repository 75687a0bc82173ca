#include "tools/show.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>

namespace ingot::tools {
namespace {

constexpr int64_t kMaxShown = 200;

template <class... Values>
std::string format(const char* pattern, Values... values) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

// Numbers in between are written without an exponent; f32 has some eight digits.
constexpr double kLeastPlain = 1e-4, kMostPlain = 1e16, kMostPlainF32 = 1e8;

// The fewest digits that read back.
std::string shortest(double value, DType dtype) {
  std::string text = dtype == DType::kF32 ? format("%.8g", value) : format("%.17g", value);
  for (int digits = 1; digits < 17; ++digits) {
    std::string shorter = format("%.*g", digits, value);
    Tensor read(dtype, {});
    read.set_double(0, std::strtod(shorter.c_str(), nullptr));
    if (read.get_double(0) == value) {
      text = shorter;
      break;
    }
  }
  const double most = dtype == DType::kF64 ? kMostPlain : kMostPlainF32;
  if (text.find('e') != std::string::npos && std::abs(value) >= kLeastPlain && std::abs(value) < most) {
    // Of the same digits: those behind the point of a number of this size.
    const double same = std::strtod(text.c_str(), nullptr);
    const auto e = text.find('e'), point = text.find('.');
    const int behind = point == std::string::npos ? 0 : static_cast<int>(e - point) - 1;
    text = format("%.*f", std::max(0, behind - std::atoi(text.c_str() + e + 1)), same);
  }
  const bool plain = std::isfinite(value) && text.find_first_of(".e") == std::string::npos;
  return plain ? text + "." : text;
}

std::string element(const Tensor& tensor, int64_t i) {
  if (tensor.dtype() == DType::kPred) return tensor.get_int(i) != 0 ? "true" : "false";
  if (tensor.dtype() == DType::kU64) return std::to_string(static_cast<uint64_t>(tensor.get_int(i)));
  if (is_integer(tensor.dtype())) return std::to_string(tensor.get_int(i));
  const std::complex<double> value = tensor.get_complex(i);
  const std::string re = shortest(value.real(), real_dtype(tensor.dtype()));
  if (!is_complex(tensor.dtype())) return re;
  const std::string im = shortest(value.imag(), real_dtype(tensor.dtype()));
  return re + (im[0] == '-' ? "" : "+") + im + "i";
}

// The elements from `first` on along dimension `dim`; returns the first one after them.
int64_t append_brackets(std::string& text, const Tensor& tensor, const std::vector<std::string>& elements,
                        size_t width, size_t dim, int64_t first) {
  const Shape& shape = tensor.shape();
  if (dim == shape.size()) {
    const std::string& value = elements[static_cast<size_t>(first)];
    text += std::string(width - value.size(), ' ') + value;
    return first + 1;
  }
  text += "[";
  for (int64_t i = 0; i < shape[dim]; ++i) {
    if (i > 0) {
      const size_t inner = shape.size() - dim - 1;  // brackets that close here
      text += inner == 0 ? " " : std::string(inner, '\n') + std::string(dim + 1, ' ');
    }
    first = append_brackets(text, tensor, elements, width, dim + 1, first);
  }
  text += "]";
  return first;
}

std::string scaled(double value, const char* const* units, double step) {
  int unit = 0;
  while (std::abs(value) >= step * 0.9995 && units[unit + 1] != nullptr) {
    value /= step;
    ++unit;
  }
  return format("%.3g", value) + (*units[unit] == '\0' ? "" : " ") + units[unit];
}

}  // namespace

std::string show_tensor(const Tensor& tensor) {
  std::string text = std::string(name_of(tensor.dtype())) + to_string(tensor.shape());
  if (tensor.size() == 0) return text;
  if (tensor.size() > kMaxShown)
    return text + ", " + std::to_string(tensor.size()) + " elements, which --out FILE.npz writes";
  std::vector<std::string> elements;
  size_t width = 0;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    elements.push_back(element(tensor, i));
    width = std::max(width, elements.back().size());
  }
  text += tensor.shape().size() > 1 ? "\n" : " ";
  append_brackets(text, tensor, elements, width, 0, 0);
  return text;
}

std::string show_number(double value) {
  return format("%.6g", value);
}

std::string show_ms(double ms) {
  if (ms >= 1000) return format("%.3g s", ms / 1000);
  if (ms >= 1) return format("%.3g ms", ms);
  return format("%.3g us", ms * 1000);
}

std::string show_count(int64_t count) {
  static constexpr const char* kUnits[] = {"", "K", "M", "G", "T", nullptr};
  return scaled(static_cast<double>(count), kUnits, 1000);
}

std::string show_bytes(int64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KB", "MB", "GB", "TB", nullptr};
  return scaled(static_cast<double>(bytes), kUnits, 1000);
}

std::string show_hash(uint64_t hash) {
  return format("%016" PRIx64, hash);
}

std::string Table::text(const std::vector<bool>& right) const {
  std::vector<size_t> widths(rows_[0].size(), 0);
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - row[i].size(), ' ');
      line += (i == 0 ? "" : "  ") + (right[i] ? space + row[i] : row[i] + space);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace ingot::tools
