#include "ir/literal.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/visit_dtype.h"

namespace ingot::ir {
namespace {

template <class T>
using BitsOf = std::conditional_t<
    sizeof(T) == 1, uint8_t,
    std::conditional_t<sizeof(T) == 2, uint16_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;

template <class T>
void append_number(std::string& text, T value, int base = 10) {
  char buffer[64];
  std::to_chars_result end;
  if constexpr (std::is_floating_point_v<T>) {
    end = std::to_chars(buffer, buffer + sizeof buffer, value);
  } else {
    end = std::to_chars(buffer, buffer + sizeof buffer, value, base);
  }
  text.append(buffer, end.ptr);
}

template <class T>
void append_float(std::string& text, T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isnan(value)) {
      append_number(text, value);
      return;
    }
  }
  auto bits = std::bit_cast<BitsOf<T>>(value);
  text += "nan";
  if (bits == std::bit_cast<BitsOf<T>>(std::numeric_limits<T>::quiet_NaN())) return;
  text += "(0x";
  append_number(text, bits, 16);
  text += ')';
}

std::string wrong(std::string_view token, std::string_view dtype) {
  return "'" + std::string(token) + "' is not a literal of type " + std::string(dtype);
}

template <class T>
std::string read_float(std::string_view token, std::string_view dtype, T& value) {
  using Bits = BitsOf<T>;
  if (token == "nan") {
    value = std::numeric_limits<T>::quiet_NaN();
    return "";
  }
  const char* end = token.data() + token.size();
  if (token.starts_with("nan(0x") && token.ends_with(')')) {
    Bits bits = 0;
    auto result = std::from_chars(token.data() + 6, end - 1, bits, 16);
    value = std::bit_cast<T>(bits);
    bool good = result.ec == std::errc() && result.ptr == end - 1 && value != value;
    return good ? "" : wrong(token, dtype) + ": the bits are not those of a NaN";
  }
  if constexpr (std::is_floating_point_v<T>) {
    auto result = std::from_chars(token.data(), end, value);
    if (result.ec == std::errc::result_out_of_range) {
      return "'" + std::string(token) + "' is out of the range of " + std::string(dtype);
    }
    bool good = result.ec == std::errc() && result.ptr == end && !std::isnan(value);
    if (good) return "";
  }
  return wrong(token, dtype);
}

// The shortest number of few digits that is rounded to x: those of its float are more than it needs.
template <class T>
void append_narrow(std::string& text, T x) {
  const float value = x;
  if (std::isnan(value)) return append_float(text, x);
  char buffer[64];
  for (int digits = 1;; ++digits) {
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits);
    double back = 0;
    const auto read = std::from_chars(buffer, end.ptr, back);
    if ((read.ec == std::errc() && T(back).bits == x.bits) || digits == 9) {
      text.append(buffer, end.ptr);
      return;
    }
  }
}

template <class T>
std::string read_narrow(std::string_view token, std::string_view dtype, T& value) {
  using Limits = std::numeric_limits<T>;
  if (token.starts_with("nan") && Limits::has_quiet_NaN) return read_float(token, dtype, value);
  double wide = 0;
  const std::string wrong = read_float(token, dtype, wide);
  value = T(wide);
  const bool infinite = std::isinf(static_cast<float>(value)) && !std::isinf(wide);
  const bool lost = std::isnan(static_cast<float>(value)) || std::isnan(wide) ||
                    (!Limits::has_infinity && std::abs(wide) > static_cast<float>(Limits::max()));
  return wrong.empty() && (infinite || lost)
             ? "'" + std::string(token) + "' is out of the range of " + std::string(dtype)
             : wrong;
}

// 1+2i: the imaginary part begins at the last sign that is not an exponent's.
template <class T>
void append_complex(std::string& text, std::complex<T> z) {
  append_float(text, z.real());
  const size_t start = text.size();
  append_float(text, z.imag());
  if (text[start] != '-') text.insert(start, 1, '+');
  text += 'i';
}

template <class T>
std::string read_complex(std::string_view token, std::string_view dtype, std::complex<T>& value) {
  size_t split = token.size();
  for (size_t i = 1; i < token.size(); ++i) {
    if ((token[i] == '+' || token[i] == '-') && token[i - 1] != 'e' && token[i - 1] != 'E') split = i;
  }
  if (split == token.size() || !token.ends_with('i')) return wrong(token, dtype) + "; write both parts: 1+2i";
  std::string_view imaginary = token.substr(split, token.size() - split - 1);
  if (imaginary.starts_with('+')) imaginary.remove_prefix(1);
  T re = 0, im = 0;
  for (const std::string& problem :
       {read_float(token.substr(0, split), dtype, re), read_float(imaginary, dtype, im)}) {
    if (!problem.empty()) return problem;
  }
  value = {re, im};
  return "";
}

template <class T>
std::string read_integer(std::string_view token, Tensor& tensor, int64_t i) {
  std::string_view dtype = name_of(tensor.dtype());
  std::conditional_t<detail::kIsSmallInteger<T>, int, T> value{};
  const char* end = token.data() + token.size();
  auto result = std::from_chars(token.data(), end, value);
  if (result.ec == std::errc::result_out_of_range) {
    return "'" + std::string(token) + "' is out of the range of " + std::string(dtype);
  }
  if (result.ec != std::errc() || result.ptr != end) return wrong(token, dtype);
  if (value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max())
    return "'" + std::string(token) + "' is out of the range of " + std::string(dtype);
  tensor.data<T>()[i] = static_cast<T>(value);
  return "";
}

}  // namespace

void append_double(std::string& text, double value) {
  size_t start = text.size();
  append_float(text, value);
  if (text.find_first_of(".eni", start) == std::string::npos) text += ".0";
}

void append_element(std::string& text, const Tensor& tensor, int64_t i) {
  visit_dtype(tensor.dtype(), [&]<class T>(std::type_identity<T>) {
    constexpr DType dtype = dtype_of<T>();
    if constexpr (dtype == DType::kPred)
      text += tensor.raw()[i] != std::byte{0} ? "true" : "false";
    else if constexpr (is_narrow_float(dtype))
      append_narrow(text, tensor.data<T>()[i]);
    else if constexpr (is_complex(dtype))
      append_complex(text, tensor.data<T>()[i]);
    else if constexpr (is_float(dtype))
      append_float(text, tensor.data<T>()[i]);
    else if constexpr (dtype == DType::kU64)
      append_number(text, tensor.data<T>()[i]);
    else
      append_number(text, tensor.get_int(i));
  });
}

void append_quoted(std::string& text, std::string_view content) {
  text += '"';
  for (char c : content) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (c == '\n') {
      text += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      constexpr char kDigits[] = "0123456789abcdef";
      text += "\\x";
      text += kDigits[byte >> 4];
      text += kDigits[byte & 15];
    } else {
      text += c;
    }
  }
  text += '"';
}

std::string read_double(std::string_view token, double& value) {
  return read_float(token, "f64", value);
}

std::string read_element(std::string_view token, Tensor& tensor, int64_t i) {
  return visit_dtype(tensor.dtype(), [&]<class T>(std::type_identity<T>) -> std::string {
    constexpr DType dtype = dtype_of<T>();
    if constexpr (dtype == DType::kPred) {
      if (token != "true" && token != "false") return wrong(token, "pred") + "; write true or false";
      tensor.raw()[i] = std::byte{token == "true"};
      return "";
    } else if constexpr (is_narrow_float(dtype)) {
      return read_narrow(token, name_of(dtype), tensor.data<T>()[i]);
    } else if constexpr (is_complex(dtype)) {
      return read_complex(token, name_of(dtype), tensor.data<T>()[i]);
    } else if constexpr (is_float(dtype)) {
      return read_float(token, name_of(dtype), tensor.data<T>()[i]);
    } else {
      return read_integer<T>(token, tensor, i);
    }
  });
}

}  // namespace ingot::ir
