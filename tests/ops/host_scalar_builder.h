// A ScalarBuilder that computes at once, with the host's arithmetic, so that recipes can be tested without a
// code generator. The handle of a Scalar is its value, as bits: integers extended to 64 bits, a pred as 0
// or 1.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/check.h"
#include "ir/scalar_builder.h"
#include "ops/reference.h"

namespace ingot::ops {

class HostScalarBuilder : public ir::ScalarBuilder {
 public:
  // Instructions so far, by rough weight; constants and reinterpretations cost nothing.
  int cost = 0;
  bool scales = false;  // stands for a machine that multiplies by powers of two

  template <class T>
  static Scalar scalar(T value) {
    uint64_t bits = 0;
    if constexpr (is_complex(dtype_of<T>()))
      throw InternalError("complex numbers have no recipes");
    else if constexpr (is_float(dtype_of<T>()))
      std::memcpy(&bits, &value, sizeof(value));
    else
      bits = static_cast<uint64_t>(static_cast<int64_t>(value));
    return {std::bit_cast<void*>(bits), dtype_of<T>()};
  }
  template <class T>
  static T value(Scalar scalar) {
    check(scalar.dtype == dtype_of<T>(), "a recipe mixes dtypes");
    const uint64_t bits = std::bit_cast<uint64_t>(scalar.handle);
    T result{};
    if constexpr (is_complex(dtype_of<T>()))
      throw InternalError("complex numbers have no recipes");
    else if constexpr (is_float(dtype_of<T>()))
      std::memcpy(&result, &bits, sizeof(result));
    else
      result = static_cast<T>(bits);
    return result;
  }

  Scalar constant(DType dtype, double v) override {
    return make(dtype, [&]<class T>(std::type_identity<T>) { return static_cast<T>(v); });
  }
  Scalar integer(DType dtype, int64_t v) override {
    check(!is_float(dtype), "integer() makes no floats");
    return make(dtype, [&]<class T>(std::type_identity<T>) { return static_cast<T>(v); });
  }
  Scalar float_bits(DType dtype, uint64_t bits) override { return {std::bit_cast<void*>(bits), dtype}; }

  Scalar add(Scalar a, Scalar b) override {
    return number(1, a, b, [](auto x, auto y) { return x + y; });
  }
  Scalar sub(Scalar a, Scalar b) override {
    return number(1, a, b, [](auto x, auto y) { return x - y; });
  }
  Scalar mul(Scalar a, Scalar b) override {
    return number(1, a, b, [](auto x, auto y) { return x * y; });
  }
  Scalar div(Scalar a, Scalar b) override {
    return each(is_float(a.dtype) ? 5 : 20, a, [&]<class T>(T x) -> T {
      const T y = value<T>(b);
      if constexpr (std::is_integral_v<T>) check_divisor(x, y);
      return static_cast<T>(x / y);
    });
  }
  Scalar rem(Scalar a, Scalar b) override {
    return each(20, a, [&]<class T>(T x) -> T {
      const T y = value<T>(b);
      if constexpr (std::is_integral_v<T>) {
        check_divisor(x, y);
        return static_cast<T>(x % y);
      } else {
        return std::fmod(x, y);
      }
    });
  }
  Scalar fma(Scalar a, Scalar b, Scalar c) override {
    return real(1, a, [&]<class T>(T x) { return std::fma(x, value<T>(b), value<T>(c)); });
  }
  Scalar neg(Scalar a) override {
    return each(1, a, []<class T>(T x) -> T {
      if constexpr (std::is_floating_point_v<T>)
        return -x;
      else
        return static_cast<T>(0 - bits(x));
    });
  }
  Scalar abs(Scalar a) override {
    check(is_signed(a.dtype), "abs of an unsigned number");
    return each(1, a, []<class T>(T x) -> T {
      if constexpr (std::is_floating_point_v<T>)
        return std::fabs(x);
      else
        return x < T(0) ? static_cast<T>(0 - bits(x)) : x;
    });
  }
  Scalar min(Scalar a, Scalar b) override { return extreme(false, a, b); }
  Scalar max(Scalar a, Scalar b) override { return extreme(true, a, b); }
  Scalar sqrt(Scalar a) override {
    return real(5, a, [](auto x) { return std::sqrt(x); });
  }
  Scalar floor(Scalar a) override {
    return real(1, a, [](auto x) { return std::floor(x); });
  }
  Scalar ceil(Scalar a) override {
    return real(1, a, [](auto x) { return std::ceil(x); });
  }
  Scalar trunc(Scalar a) override {
    return real(1, a, [](auto x) { return std::trunc(x); });
  }
  Scalar round_even(Scalar a) override {
    return real(1, a, [](auto x) { return std::nearbyint(x); });
  }
  Scalar copy_sign(Scalar magnitude, Scalar sign) override {
    return real(3, magnitude, [&]<class T>(T x) { return std::copysign(x, value<T>(sign)); });
  }
  bool scales_by_powers(DType) const override { return scales; }
  Scalar scale_by_power(Scalar a, Scalar n) override {
    return real(1, a, [&]<class T>(T x) {
      const T power = value<T>(n);
      return power == power ? std::scalbn(x, static_cast<int>(std::clamp<T>(power, -9999, 9999))) : power;
    });
  }

  Scalar bit_and(Scalar a, Scalar b) override {
    return integral(1, a, [&]<class T>(T x) { return x & value<T>(b); });
  }
  Scalar bit_or(Scalar a, Scalar b) override {
    return integral(1, a, [&]<class T>(T x) { return x | value<T>(b); });
  }
  Scalar bit_xor(Scalar a, Scalar b) override {
    return integral(1, a, [&]<class T>(T x) { return x ^ value<T>(b); });
  }
  Scalar bit_not(Scalar a) override {
    return integral(1, a, []<class T>(T x) {
      if constexpr (std::is_same_v<T, bool>)
        return !x;
      else
        return ~x;
    });
  }
  Scalar shift_left(Scalar a, Scalar amount) override {
    return integral(1, a, [&]<class T>(T x) { return bits(x) << checked_amount<T>(amount); });
  }
  Scalar shift_right_logical(Scalar a, Scalar amount) override {
    return integral(1, a, [&]<class T>(T x) {
      constexpr uint64_t mask = ~uint64_t{0} >> (64 - 8 * sizeof(T));
      return (bits(x) & mask) >> checked_amount<T>(amount);
    });
  }
  Scalar shift_right_arithmetic(Scalar a, Scalar amount) override {
    return integral(1, a, [&]<class T>(T x) {
      constexpr int spare = 64 - 8 * static_cast<int>(sizeof(T));
      return (static_cast<int64_t>(bits(x) << spare) >> spare) >> checked_amount<T>(amount);
    });
  }

  Scalar compare(ir::Comparison comparison, Scalar a, Scalar b) override {
    cost += 1;
    check(a.dtype != DType::kPred, "compare takes no preds");
    bool result = false;
    visit_dtype(a.dtype, [&]<class T>(std::type_identity<T>) {
      if constexpr (is_complex(dtype_of<T>()))
        return;
      else {
        const T x = value<T>(a), y = value<T>(b);
        switch (comparison) {
          case ir::Comparison::kEq:
            result = x == y;
            break;
          case ir::Comparison::kNe:
            result = x != y;
            break;
          case ir::Comparison::kLt:
            result = x < y;
            break;
          case ir::Comparison::kLe:
            result = x <= y;
            break;
          case ir::Comparison::kGt:
            result = x > y;
            break;
          case ir::Comparison::kGe:
            result = x >= y;
            break;
        }
      }
    });
    return scalar(result);
  }
  Scalar select(Scalar pred, Scalar if_true, Scalar if_false) override {
    cost += 1;
    check(if_true.dtype == if_false.dtype, "a recipe mixes dtypes");
    return value<bool>(pred) ? if_true : if_false;
  }
  Scalar convert(Scalar a, DType to) override {
    cost += 1;
    Scalar result;
    visit_dtype(a.dtype, [&]<class From>(std::type_identity<From>) {
      result = make(to, [&]<class To>(std::type_identity<To>) { return convert_value<To>(value<From>(a)); });
    });
    return result;
  }
  Scalar bitcast(Scalar a, DType to) override {
    check(byte_size(a.dtype) == byte_size(to), "bitcast between widths");
    uint64_t raw = std::bit_cast<uint64_t>(a.handle);
    if (is_float(to) && byte_size(to) < 8) raw &= (uint64_t{1} << 8 * byte_size(to)) - 1;
    if (is_float(to)) return {std::bit_cast<void*>(raw), to};
    return make(to, [&]<class T>(std::type_identity<T>) { return static_cast<T>(raw); });
  }
  Scalar patch_rare(Scalar rare, Scalar usual, const ir::RareFunction& function, Scalar x) override {
    cost += 2;
    if (!value<bool>(rare)) return usual;
    if (x.dtype == DType::kF32) return scalar(function.f32(value<float>(x)));
    return scalar(function.f64(value<double>(x)));
  }

 private:
  template <class Fn>
  static Scalar make(DType dtype, Fn fn) {
    Scalar result;
    visit_dtype(dtype, [&]<class T>(std::type_identity<T> type) { result = scalar<T>(fn(type)); });
    return result;
  }
  template <class Fn>
  Scalar each(int weight, Scalar a, Fn fn) {
    cost += weight;
    check(a.dtype != DType::kPred, "arithmetic on preds");
    check(!is_narrow(a.dtype), "arithmetic on a narrow number");
    Scalar result;
    visit_dtype(a.dtype, [&]<class T>(std::type_identity<T>) {
      if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) result = scalar<T>(fn(value<T>(a)));
    });
    return result;
  }
  template <class Fn>
  Scalar number(int weight, Scalar a, Scalar b, Fn fn) {
    return each(weight, a, [&]<class T>(T x) -> T {
      if constexpr (std::is_floating_point_v<T>)
        return fn(x, value<T>(b));
      else
        return static_cast<T>(fn(bits(x), bits(value<T>(b))));
    });
  }
  template <class Fn>
  Scalar real(int weight, Scalar a, Fn fn) {
    check(is_float(a.dtype), "a function of floats on integers");
    return each(weight, a, [&]<class T>(T x) -> T {
      if constexpr (std::is_floating_point_v<T>)
        return fn(x);
      else
        return x;
    });
  }
  template <class Fn>
  Scalar integral(int weight, Scalar a, Fn fn) {
    cost += weight;
    check(!is_float(a.dtype), "bits of a float");
    Scalar result;
    visit_dtype(a.dtype, [&]<class T>(std::type_identity<T>) {
      if constexpr (std::is_integral_v<T>) result = scalar<T>(static_cast<T>(fn(value<T>(a))));
    });
    return result;
  }
  Scalar extreme(bool maximum, Scalar a, Scalar b) {
    return each(is_float(a.dtype) ? 3 : 1, a, [&]<class T>(T x) -> T {
      const T y = value<T>(b);
      if constexpr (std::is_floating_point_v<T>) {
        if (x != x || y != y) return std::numeric_limits<T>::quiet_NaN();
        if (x == y) return std::signbit(x) == maximum ? y : x;
      }
      return (x < y) == maximum ? y : x;
    });
  }
  template <class T>
  static void check_divisor(T x, T y) {
    check(y != 0, "a recipe divides by zero");
    check(!(std::is_signed_v<T> && y == T(-1) && x == std::numeric_limits<T>::min()),
          "a recipe's division overflows");
  }
  template <class T>
  static uint64_t checked_amount(Scalar amount) {
    const uint64_t n = bits(value<T>(amount));
    check(n < 8 * sizeof(T), "a recipe shifts too far");
    return n;
  }
  template <class To, class From>
  static To convert_value(From x) {
    if constexpr (is_complex(dtype_of<From>()) || is_complex(dtype_of<To>())) {
      throw InternalError("complex numbers have no recipes");
    } else if constexpr (std::is_same_v<To, From>) {
      return x;
    } else if constexpr (is_narrow(dtype_of<From>())) {
      return convert_value<To>(static_cast<ElementOf<computed_dtype(dtype_of<From>())>>(x));
    } else if constexpr (std::is_same_v<To, bool>) {
      return x != From(0);
    } else if constexpr (std::is_floating_point_v<From> && is_integer(dtype_of<To>())) {
      if (x != x) return To(0);
      const long double wide = std::trunc(static_cast<long double>(x));
      if (wide < static_cast<long double>(std::numeric_limits<To>::min()))
        return std::numeric_limits<To>::min();
      if (wide > static_cast<long double>(std::numeric_limits<To>::max()))
        return std::numeric_limits<To>::max();
      return static_cast<To>(wide);
    } else {
      return static_cast<To>(x);
    }
  }
};

}  // namespace ingot::ops
