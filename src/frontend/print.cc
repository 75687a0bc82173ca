// Arrays as text: rows and brackets as numpy prints them, long axes shortened to their ends.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <ostream>
#include <sstream>

#include "base/float_environment.h"
#include "frontend/node.h"

namespace ingot {
namespace {

constexpr int64_t kSummariseFrom = 1000;  // elements
constexpr int kMostDecimals = 8;          // behind the point of a number
constexpr int64_t kEdge = 3;              // of a shortened axis, on each side

struct Printer {
  const detail::ArrayNode& node;
  std::vector<int64_t> strides;
  bool shorten;
  size_t width = 0;

  explicit Printer(const detail::ArrayNode& n) : node(n), shorten(n.type->elements > kSummariseFrom) {
    int64_t stride = 1;
    strides.resize(node.type->shape.size());
    for (size_t i = strides.size(); i-- > 0;) {
      strides[i] = stride;
      stride *= node.type->shape[i];
    }
  }

  std::string element(int64_t index) const {
    const size_t bytes = byte_size(node.type->dtype);
    detail::Literal literal{node.type->dtype, {}};
    std::memcpy(literal.bits.data(),
                static_cast<const std::byte*>(node.host_data()) + static_cast<size_t>(index) * bytes, bytes);
    if (literal.dtype == DType::kPred) return literal.bits[0] != 0 ? "true" : "false";
    if (literal.dtype == DType::kU64) return std::to_string(literal.bits[0]);
    if (is_complex(literal.dtype)) {
      const std::complex<double> z = detail::as_complex(literal);
      const std::string im = number(z.imag(), real_dtype(literal.dtype));
      return number(z.real(), real_dtype(literal.dtype)) + (im[0] == '-' ? "" : "+") + im + "i";
    }
    if (!is_float(literal.dtype)) return std::to_string(detail::as_int(literal));
    return number(detail::as_double(literal), literal.dtype);
  }

  static std::string number(double value, DType dtype) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    if (is_narrow_float(dtype)) value = shortest_narrow(value, dtype);
    const double size = std::abs(value);
    const auto format = size == 0 || (size >= 1e-4 && size < (is_narrow_float(dtype) ? 1e3
                                                              : dtype == DType::kF32 ? 1e6
                                                                                     : 1e8))
                            ? std::chars_format::fixed
                            : std::chars_format::scientific;
    char text[64];
    const std::to_chars_result full =
        dtype == DType::kF32 ? std::to_chars(text, std::end(text), static_cast<float>(value), format)
                             : std::to_chars(text, std::end(text), value, format);
    std::string digits(text, full.ptr), exponent;
    const auto split = [&] {
      const size_t e = digits.find('e');
      exponent = e == std::string::npos ? "" : digits.substr(e);
      digits.resize(digits.size() - exponent.size());
    };
    split();
    const size_t point = digits.find('.');
    if (point == std::string::npos) return digits + "." + exponent;
    if (digits.size() - point - 1 <= size_t{kMostDecimals}) return digits + exponent;
    digits.assign(text, std::to_chars(text, std::end(text), value, format, kMostDecimals).ptr);
    split();
    return digits.substr(0, digits.find_last_not_of('0') + 1) + exponent;
  }

  // The number of the fewest digits that is this one of an f16 or bf16.
  static double shortest_narrow(double value, DType dtype) {
    for (int digits = 0; digits < 8; ++digits) {
      char text[64];
      const char* end = std::to_chars(text, std::end(text), value, std::chars_format::scientific, digits).ptr;
      double read = 0;
      std::from_chars(text, end, read);
      if (detail::as_double(detail::convert(detail::Literal::of(read), dtype)) == value) return read;
    }
    return value;
  }

  // Calls fn(i) for the shown indices of an axis, and gap() where some are left out.
  template <class Fn, class Gap>
  void shown(int64_t extent, Fn fn, Gap gap) const {
    const bool cut = shorten && extent > 2 * kEdge;
    for (int64_t i = 0; i < extent; ++i) {
      if (cut && i == kEdge) {
        gap();
        i = extent - kEdge;
      }
      fn(i);
    }
  }

  void measure(size_t axis, int64_t offset) {
    if (axis == node.type->shape.size()) {
      width = std::max(width, element(offset).size());
      return;
    }
    shown(
        node.type->shape[axis], [&](int64_t i) { measure(axis + 1, offset + i * strides[axis]); }, [] {});
  }

  void print(std::ostream& out, size_t axis, int64_t offset) const {
    if (axis == node.type->shape.size()) {
      const std::string text = element(offset);
      out << std::string(width - std::min(width, text.size()), ' ') << text;
      return;
    }
    const bool last = axis + 1 == node.type->shape.size();
    const std::string separator = last ? ", " : ",\n" + std::string(axis + 1, ' ');
    bool first = true;
    const auto separate = [&] {
      if (!first) out << separator;
      first = false;
    };
    out << "[";
    shown(
        node.type->shape[axis],
        [&](int64_t i) {
          separate();
          print(out, axis + 1, offset + i * strides[axis]);
        },
        [&] {
          separate();
          out << "...";
        });
    out << "]";
  }
};

}  // namespace

std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  return out << to_string(shape);
}

std::ostream& operator<<(std::ostream& out, DType dtype) {
  return out << name_of(dtype);
}

std::ostream& operator<<(std::ostream& out, const Array& array) {
  const FloatEnvironment environment;  // denormals are shown as they are
  if (array.empty()) return out << "(empty array)";
  const detail::ArrayNode& node = *array.node();
  if (node.donated_to.load(std::memory_order_acquire) != nullptr)
    return out << "donated " << array.type_string();
  if (!node.concrete()) {
    return out << (node.kind == detail::ArrayNode::Kind::kTraced ? "traced " : "abstract ")
               << array.type_string();
  }
  Printer printer(node);
  printer.measure(0, 0);
  printer.print(out, 0, 0);
  return out << " " << array.type_string();
}

std::string to_string(const Array& array) {
  std::ostringstream out;
  out << array;
  return out.str();
}

}  // namespace ingot
