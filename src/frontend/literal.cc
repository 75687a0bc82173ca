// C++ numbers beside arrays: their values, and conversion between dtypes as the operation `convert` does it.
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/float_environment.h"
#include "frontend/node.h"

namespace ingot::detail {
namespace {

// Calls fn with a value of the dtype's C++ type.
template <class F>
auto with_type(DType dtype, F fn) {
  switch (dtype) {
    case DType::kPred:
      return fn(bool{});
    case DType::kS8:
      return fn(int8_t{});
    case DType::kS16:
      return fn(int16_t{});
    case DType::kS32:
      return fn(int32_t{});
    case DType::kS64:
      return fn(int64_t{});
    case DType::kU8:
      return fn(uint8_t{});
    case DType::kU16:
      return fn(uint16_t{});
    case DType::kU32:
      return fn(uint32_t{});
    case DType::kU64:
      return fn(uint64_t{});
    case DType::kF16:
      return fn(float16{});
    case DType::kBF16:
      return fn(bfloat16{});
    case DType::kF32:
      return fn(float{});
    case DType::kF64:
      return fn(double{});
    case DType::kC64:
      return fn(std::complex<float>{});
    case DType::kC128:
      return fn(std::complex<double>{});
  }
  return fn(float{});
}

template <class T>
T value_of(const Literal& literal) {
  T value;
  std::memcpy(static_cast<void*>(&value), literal.bits.data(), sizeof(T));
  return value;
}

template <class To, class From>
To convert_value(From value) {
  if constexpr (is_narrow_float(dtype_of<From>()) && !std::is_same_v<From, To>) {
    return convert_value<To>(static_cast<float>(value));
  } else if constexpr (is_complex(dtype_of<From>())) {
    if constexpr (is_complex(dtype_of<To>()))
      return static_cast<To>(value);
    else
      return convert_value<To>(value.real());  // callers have checked
  } else if constexpr (is_complex(dtype_of<To>())) {
    return To(static_cast<typename To::value_type>(value));
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    if (std::isnan(value)) return 0;
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
    return convert_value<std::complex<double>>(value_of<decltype(zero)>(literal));
  });
}

[[gnu::noinline]] Literal converted(const Literal& literal, DType dtype) {
  return with_type(literal.dtype, [&](auto from) {
    return with_type(dtype, [&](auto to) {
      Literal result{dtype, {}};
      const auto value = convert_value<decltype(to)>(value_of<decltype(from)>(literal));
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
      return convert_value<int64_t>(value_of<decltype(zero)>(literal));
  });
}

Literal convert(const Literal& literal, DType dtype) {
  const FloatEnvironment environment;
  return converted(literal, dtype);
}

bool fits(const Literal& literal, DType dtype) {
  if (!is_integer(dtype) || is_inexact(literal.dtype)) return true;
  const bool unsigned_source = literal.dtype == DType::kU64;
  const int64_t value = as_int(literal);
  return with_type(dtype, [&](auto zero) -> bool {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      return unsigned_source ? std::in_range<T>(static_cast<uint64_t>(value)) : std::in_range<T>(value);
    } else {
      return true;
    }
  });
}

}  // namespace ingot::detail
