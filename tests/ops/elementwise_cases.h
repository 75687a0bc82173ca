// Every element-wise operation with every dtype and attribute that it takes, on values that are likely to go
// wrong; and how near a result must be to the reference.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ir/op_record.h"
#include "ops/samples.h"

namespace ingot::ops {

// How many representable numbers the recipe may lie from the reference, where it is not exact.
inline const std::map<std::string_view, int> kTolerance = {
    {"exp", 1},         {"log", 1},        {"sin", 2},        {"cos", 2},    {"tanh", 3},    {"logistic", 3},
    {"rsqrt", 1},       {"expm1", 2},      {"log1p", 2},      {"erf", 2},    {"pow", 2},     {"atan2", 3},
    {"complex_abs", 3}, {"erfc", 6},       {"erf_inv", 3},    {"lgamma", 8}, {"digamma", 8}, {"zeta", 8},
    {"polygamma", 600}, {"bessel_i0e", 6}, {"bessel_i1e", 6}, {"tan", 2},    {"asin", 2},    {"acos", 1},
    {"atan", 2},        {"sinh", 2},       {"cosh", 2},       {"asinh", 2},  {"acosh", 2},   {"atanh", 2},
    {"exp2", 1},        {"log2", 1},       {"cbrt", 1}};
// Those that may give zero for a result below the normal numbers.
inline bool flushes(std::string_view name) {
  return name == "exp" || name == "logistic" || name == "pow" || name == "erfc" || name == "zeta" ||
         name == "polygamma";
}

// Those with zeros between poles, where large terms cancel.
inline bool cancels(std::string_view name) {
  return name == "lgamma" || name == "digamma";
}

template <class T>
std::vector<T> values_for(int operand_count, int pairs) {
  std::vector<T> all;
  if constexpr (sizeof(T) == 1) {
    // Of floats of a byte, pairs of some: what tells them apart are conversions.
    constexpr DType dtype = dtype_of<T>();
    const int step = operand_count > 1 && is_small_float(dtype) ? 5 : 1;
    for (int i = 0; i < (std::is_same_v<T, bool> ? 2 : 1 << bit_width(dtype)); i += step) {
      if constexpr (is_narrow(dtype_of<T>()))
        all.push_back(T::from_bits(static_cast<uint8_t>(i)));
      else
        all.push_back(static_cast<T>(i));
    }
    return all;
  } else if constexpr (is_narrow_float(dtype_of<T>())) {
    for (int i = 0; operand_count == 1 && i < 65536; ++i)
      all.push_back(T::from_bits(static_cast<uint16_t>(i)));
    if (operand_count == 1) return all;
  }
  return sample_values<T>(fewer_samples(operand_count == 1 ? 25000 : pairs));
}

// All combinations of values for the operands; preds take both values. Fewer for what takes a thousand
// instructions.
inline std::vector<Tensor> operand_grid(const OpRecord& record, const Types& types) {
  const int pairs = std::get<ir::ScalarRecipe>(*record.becomes).cost > 500 ? 20 : 100;
  std::vector<Tensor> values;
  Shape shape;
  for (const TensorType& type : types) {
    visit_dtype(type.dtype, [&]<class T>(std::type_identity<T>) {
      const std::vector<T> list = values_for<T>(static_cast<int>(types.size()), pairs);
      values.push_back(Tensor::of({static_cast<int64_t>(list.size())}, list));
      shape.push_back(static_cast<int64_t>(list.size()));
    });
  }
  const int64_t total = element_count(shape);
  std::vector<Tensor> grid;
  int64_t repeat = total;
  for (size_t k = 0; k < types.size(); ++k) {
    repeat /= shape[k];
    Tensor column(types[k].dtype, {total});
    for (int64_t i = 0; i < total; ++i) copy_element(column, i, values[k], i / repeat % shape[k]);
    grid.push_back(column);
  }
  return grid;
}

template <class T>
int64_t ordered(T value) {  // integers in the order of the floats
  if constexpr (is_small_float(dtype_of<T>())) {
    const int64_t raw = value.bits, sign = T::kFormat.sign();
    return (raw & sign) != 0 ? -(raw & (sign - 1)) : raw;
  } else if constexpr (sizeof(T) == 2) {
    const auto raw = static_cast<int16_t>(value.bits);
    return raw < 0 ? -static_cast<int64_t>(raw & 0x7fff) : raw;
  } else if constexpr (sizeof(T) == 4) {
    const int32_t raw = std::bit_cast<int32_t>(value);
    return raw < 0 ? -static_cast<int64_t>(raw & 0x7fffffff) : raw;
  } else {
    const int64_t raw = std::bit_cast<int64_t>(value);
    return raw < 0 ? -(raw & std::numeric_limits<int64_t>::max()) : raw;
  }
}

// The name by which tolerances are looked up.
inline std::string judged_as(const OpRecord& record, const Types& types) {
  return (is_complex(types.back().dtype) ? "complex_" : "") + std::string(*record.name);
}

template <class T>
bool close(std::string_view name, T got, T want) {
  if constexpr (is_complex(dtype_of<T>())) {
    const std::complex<double> a(got), b(want);
    const auto same = [](double x, double y) { return std::isnan(x) ? std::isnan(y) : x == y; };
    if (!std::isfinite(b.real()) || !std::isfinite(b.imag()) || !std::isfinite(a.real()) ||
        !std::isfinite(a.imag()))
      return same(a.real(), b.real()) && same(a.imag(), b.imag());
    // A power is as exact as the product of exponent and logarithm, a logarithm and the like as arguments
    // are.
    const double ulps = name.ends_with("pow") ? 400 : 32,
                 epsilon = std::numeric_limits<typename T::value_type>::epsilon();
    // On which side of a cut a number lies is told by the sign of its zero. Quotients and cube roots of zeros
    // have those of the way in which they are computed.
    const auto sign = [](double x, double y) {
      return x != 0 || y != 0 || std::signbit(x) == std::signbit(y);
    };
    const bool any_sign = name == "complex_div" || name == "complex_cbrt";
    if (!any_sign && (!sign(a.real(), b.real()) || !sign(a.imag(), b.imag()))) return false;
    return std::abs(a - b) <=
           ulps * epsilon * std::abs(b) + std::numeric_limits<typename T::value_type>::min();
  } else if constexpr (is_narrow_float(
                           dtype_of<T>())) {  // rounded from f32 numbers that may differ as those may
    if (std::isnan(float(want)) || std::isnan(float(got)))
      return std::isnan(float(want)) && std::isnan(float(got));
    // Without NaN, a zero stands for it, with the sign that it did not have.
    if (!std::numeric_limits<T>::has_quiet_NaN && got == 0 && want == 0) return true;
    if (flushes(name) && got == 0 && std::fabs(want) < std::numeric_limits<float>::min() * 1.01f) return true;
    return std::signbit(float(got)) == std::signbit(float(want)) &&
           std::llabs(ordered(got) - ordered(want)) <= (kTolerance.contains(name) ? 1 : 0);
  } else if constexpr (!std::is_floating_point_v<T>) {
    return got == want;
  } else {
    if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
    if (flushes(name) && got == 0 && std::fabs(want) < std::numeric_limits<T>::min() * T(1.0001)) return true;
    if (cancels(name) && std::fabs(got - want) <= 32 * std::numeric_limits<T>::epsilon()) return true;
    // Their terms are zero where they are below the normal numbers.
    if ((name == "zeta" || name == "polygamma") &&
        std::fabs(got - want) <= 16 * std::numeric_limits<T>::min())
      return true;
    if (std::signbit(got) != std::signbit(want)) return false;
    auto tolerance = kTolerance.find(name);
    return std::llabs(ordered(got) - ordered(want)) <=
           (tolerance == kTolerance.end() ? 0 : tolerance->second);
  }
}

// The attribute sets to try; an operation that does not know an attribute ignores it.
inline std::vector<Attributes> attribute_choices(std::string_view name) {
  std::vector<Attributes> choices;
  if (name == "compare") {
    for (const char* direction : {"eq", "ne", "lt", "le", "gt", "ge"}) {
      choices.push_back({{"direction", std::string(direction)}});
    }
  } else if (name == "convert" || name == "bitcast") {
    for (DType dtype : kAllDTypes) choices.push_back({{"dtype", dtype}});
  } else if (name == "reduce_precision") {
    const std::pair<int64_t, int64_t> formats[] = {{8, 7}, {5, 10}, {4, 3}, {11, 20}, {1, 0}};
    for (const auto& [exponent, mantissa] : formats)
      choices.push_back({{"exponent_bits", exponent}, {"mantissa_bits", mantissa}});
  } else if (name == "checkpoint_name") {
    choices.push_back({{"name", std::string("x")}});
  } else {
    choices.push_back({});
  }
  return choices;
}

// Whether the operation has to do with how the numbers of a byte are stored. All others are computed in f32,
// or in 8 bits, and are tried with one type of each kind.
inline bool tells_apart(std::string_view name, DType dtype) {
  const bool stores = name == "convert" || name == "bitcast" || name == "compare" || name == "select";
  const bool small = is_small_float(dtype) || is_small_integer(dtype);
  return stores || !small || dtype == DType::kF8E4M3FN || dtype == DType::kF8E5M2 || dtype == DType::kS4 ||
         dtype == DType::kU4;
}

// Calls fn(record, operand types, attributes) for all of them.
template <class Fn>
void for_each_elementwise(Fn fn) {
  for (const OpRecord* record : ir::all_records()) {
    if (!std::holds_alternative<ir::ScalarRecipe>(*record->becomes)) continue;
    int accepted = 0;
    for (DType dtype : kAllDTypes) {
      if (!tells_apart(*record->name, dtype)) continue;
      Types types(static_cast<size_t>(record->operands->max), TensorType{dtype, {}});
      if (*record->name == "select") types[0].dtype = DType::kPred;
      for (const Attributes& attributes : attribute_choices(record->name)) {
        try {
          ir::InferFn infer = record->infer;
          infer({types, attributes, {}, nullptr});
        } catch (const Error&) {
          continue;
        }
        ++accepted;
        fn(*record, types, attributes);
      }
    }
    EXPECT_GT(accepted, 0) << *record->name;
  }
}

}  // namespace ingot::ops
