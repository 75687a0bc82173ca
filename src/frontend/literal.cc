// C++ numbers beside arrays: their values, and conversion between dtypes as the operation `convert` does it.
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/float_environment.h"
#include "base/visit_dtype.h"
#include "frontend/node.h"

namespace ingot::detail {
namespace {

// Calls fn with a value of the dtype's C++ type.
template <class F>
auto with_type(DType dtype, F fn) {
  return visit_dtype(dtype, [&]<class T>(std::type_identity<T>) { return fn(T{}); });
}

template <class T>
T read_as(const Literal& literal) {
  T value;
  std::memcpy(static_cast<void*>(&value), literal.bits.data(), sizeof(T));
  return value;
}

// As an integer of C++'s.
template <class T>
auto integer_of(T value) {
  if constexpr (kIsSmallInteger<T>)
    return static_cast<int>(value);
  else
    return value;
}

template <class To, class From>
To convert_value(From value) {
  if constexpr (is_narrow(dtype_of<From>()) && !std::is_same_v<From, To>) {
    return convert_value<To>(static_cast<ElementOf<computed_dtype(dtype_of<From>())>>(value));
  } else if constexpr (is_complex(dtype_of<From>())) {
    if constexpr (is_complex(dtype_of<To>()))
      return static_cast<To>(value);
    else
      return convert_value<To>(value.real());  // callers have checked
  } else if constexpr (is_complex(dtype_of<To>())) {
    return To(static_cast<typename To::value_type>(value));
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);
  } else if constexpr (is_integer(dtype_of<To>()) && std::is_floating_point_v<From>) {
    if (std::isnan(value)) return To(0);
    if (value <= static_cast<From>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
    if (value >= static_cast<From>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
    return static_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

// Not inlined: the compiler would move arithmetic out of the scope of an environment.
[[gnu::noinline]] std::complex<double> complex_of(const Literal& literal) {
  return with_type(literal.dtype, [&](auto zero) {
    return convert_value<std::complex<double>>(read_as<decltype(zero)>(literal));
  });
}

[[gnu::noinline]] Literal converted(const Literal& literal, DType dtype) {
  return with_type(literal.dtype, [&](auto from) {
    return with_type(dtype, [&](auto to) {
      Literal result{dtype, {}};
      const auto value = convert_value<decltype(to)>(read_as<decltype(from)>(literal));
      std::memcpy(result.bits.data(), &value, sizeof(value));
      return result;
    });
  });
}

}  // namespace

std::complex<double> as_complex(const Literal& literal) {
  const FloatEnvironment environment;
  return complex_of(literal);
}

double as_double(const Literal& literal) {
  return as_complex(literal).real();
}

int64_t as_int(const Literal& literal) {
  return with_type(literal.dtype, [&](auto zero) -> int64_t {
    if constexpr (std::is_same_v<decltype(zero), uint64_t>)
      return static_cast<int64_t>(literal.bits[0]);
    else
      return convert_value<int64_t>(read_as<decltype(zero)>(literal));
  });
}

Literal convert(const Literal& literal, DType dtype) {
  const FloatEnvironment environment;
  return converted(literal, dtype);
}

namespace {

// Whether the number is one of the dtype's: of integers exactly, of floats to rounding, where no finite
// number becomes an infinity.
bool fits(const Literal& literal, DType dtype) {
  const std::complex<double> z = complex_of(literal);
  if (is_complex(literal.dtype) && !is_complex(dtype)) return false;
  if (dtype == DType::kPred) return true;  // whether it is another number than 0
  if (is_inexact(dtype)) {
    const std::complex<double> rounded = complex_of(converted(literal, dtype));
    return std::isfinite(rounded.real()) == std::isfinite(z.real()) &&
           std::isfinite(rounded.imag()) == std::isfinite(z.imag());
  }
  return with_type(dtype, [&](auto zero) -> bool {
    using T = decltype(zero);
    if constexpr (is_integer(dtype_of<T>())) {
      const auto in_range = [](auto number) {
        return std::cmp_greater_equal(number, integer_of(std::numeric_limits<T>::min())) &&
               std::cmp_less_equal(number, integer_of(std::numeric_limits<T>::max()));
      };
      if (literal.dtype == DType::kU64) return in_range(literal.bits[0]);
      if (!is_float(literal.dtype)) return in_range(as_int(literal));
      // Powers of two are exact, where the largest number of 64 bits is none.
      const double number = z.real(), end = std::ldexp(1.0, std::numeric_limits<T>::digits);
      return number == std::trunc(number) && number < end &&
             number >= (is_signed(dtype_of<T>()) ? -end : 0.0);
    } else {
      return true;
    }
  });
}

// "0 to 255"; of floats the finite ones.
std::string range_of(DType dtype) {
  return with_type(dtype, [&](auto zero) -> std::string {
    using T = decltype(zero);
    if constexpr (is_complex(dtype_of<T>())) {
      return range_of(real_dtype(dtype_of<T>()));
    } else if constexpr (is_float(dtype_of<T>())) {
      const auto number = [](T value) { return text_of(Literal::of(static_cast<double>(value))); };
      return number(std::numeric_limits<T>::lowest()) + " to " + number(std::numeric_limits<T>::max());
    } else {
      return std::to_string(integer_of(std::numeric_limits<T>::min())) + " to " +
             std::to_string(integer_of(std::numeric_limits<T>::max()));
    }
  });
}

}  // namespace

std::string text_of(const Literal& literal) {
  if (literal.dtype == DType::kPred) return literal.bits[0] != 0 ? "true" : "false";
  if (literal.dtype == DType::kU64) return std::to_string(literal.bits[0]);
  if (!is_inexact(literal.dtype)) return std::to_string(as_int(literal));
  const auto number = [&](double value) {
    char text[64];
    const bool wide = real_dtype(literal.dtype) == DType::kF64;
    return std::string(text, (wide ? std::to_chars(text, std::end(text), value)
                                   : std::to_chars(text, std::end(text), static_cast<float>(value)))
                                 .ptr);
  };
  const std::complex<double> z = complex_of(literal);
  if (!is_complex(literal.dtype)) return number(z.real());
  const std::string im = number(z.imag());
  return number(z.real()) + (im[0] == '-' ? "" : "+") + im + "i";
}

Literal farthest_float(DType dtype, bool high) {
  return with_type(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (is_small_float(dtype_of<T>())) {
      using Limits = std::numeric_limits<T>;
      if constexpr (!Limits::has_infinity) {
        const T value = high ? Limits::max() : Limits::lowest();
        return Literal{dtype, {value.bits}};
      }
    }
    const double infinity = std::numeric_limits<double>::infinity();
    return convert(Literal::of(high ? infinity : -infinity), dtype);
  });
}

Literal value_of(const char* name, const Literal& literal, DType dtype, const std::source_location& where,
                 const std::string& cure) {
  const FloatEnvironment environment;
  if (!fits(literal, dtype)) {
    const bool inexact = is_inexact(dtype);
    std::string message = std::string(name) + ": the number " + text_of(literal) + " is not a value of " +
                          std::string(name_of(dtype));
    if (is_complex(literal.dtype) && !is_complex(dtype))
      message += ", since it is complex";
    else
      message += std::string(", whose ") + (inexact ? "finite values are " : "values are the integers ") +
                 range_of(dtype);
    fail(where, message + cure);
  }
  return converted(literal, dtype);
}

}  // namespace ingot::detail
