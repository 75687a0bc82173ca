// Values that a script beside the golden file has made: lines of a name, a dtype, a shape and the elements.
#pragma once

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "frontend/testing.h"

namespace ingot::testing {

struct GoldenValue {
  DType dtype = DType::kF32;
  Shape shape;
  std::vector<double> values;
  std::vector<std::string> texts;
};

inline std::map<std::string, GoldenValue> read_golden(const std::string& path) {
  std::map<std::string, GoldenValue> list;
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name, dtype, shape, word;
    words >> name >> dtype >> shape;
    GoldenValue& golden = list[name];
    golden.dtype = parse_dtype(dtype).value();
    std::istringstream extents(shape == "-" ? "" : shape);
    while (std::getline(extents, word, ',')) golden.shape.push_back(std::stoll(word));
    while (words >> word) {
      const bool wide = golden.dtype == DType::kF64 || !is_float(golden.dtype);
      golden.values.push_back(wide ? std::stod(word) : double{std::stof(word)});
      golden.texts.push_back(word);
    }
  }
  return list;
}

inline Array golden_array(const GoldenValue& golden) {
  return Array::from(golden.shape, golden.values).astype(golden.dtype);
}

// In units of the last place of the greater one; integers differ by any number of them.
inline double units_apart(double a, double b, DType dtype) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  if (!std::isfinite(a) || !std::isfinite(b) || !is_float(dtype)) return INFINITY;
  const int bits = significant_bits(dtype);
  int exponent = 0;
  std::frexp(std::max(std::fabs(a), std::fabs(b)), &exponent);
  return std::fabs(a - b) / std::ldexp(1.0, exponent - bits);
}

// "" where the array has the dtype, the shape and, up to so many units in the last place or up to `absolute`,
// the values.
inline std::string golden_difference(const Array& actual, const GoldenValue& golden, double units,
                                     double absolute = 0) {
  if (actual.dtype() != golden.dtype || actual.shape() != golden.shape) {
    return actual.type_string() + " for " + std::string(name_of(golden.dtype)) + to_string(golden.shape);
  }
  const auto size = static_cast<size_t>(actual.size());
  if (golden.values.size() != size || golden.texts.size() != size) {
    return "the golden line has " + std::to_string(golden.values.size()) + " elements, but there are " +
           std::to_string(size);
  }
  std::ostringstream text;
  text.precision(17);
  if (byte_size(actual.dtype()) == 8 && is_integer(actual.dtype())) {  // doubles do not hold them
    for (size_t i = 0; i < golden.texts.size(); ++i) {
      const std::string own = actual.dtype() == DType::kU64 ? std::to_string(actual.view<uint64_t>()[i])
                                                            : std::to_string(actual.view<int64_t>()[i]);
      if (own != golden.texts[i]) text << " [" << i << "] " << own << " for " << golden.texts[i];
    }
    return text.str();
  }
  const std::vector<double> values = actual.astype(DType::kF64).to_vector<double>();
  double most = 0;
  int count = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double apart = units_apart(values[i], golden.values[i], golden.dtype);
    if (apart <= units || std::fabs(values[i] - golden.values[i]) <= absolute) continue;
    most = std::max(most, apart);
    if (++count <= 5) text << " [" << i << "] " << values[i] << " for " << golden.values[i];
  }
  if (count > 0) text << "; " << count << " of " << values.size() << ", up to " << most << " units";
  return text.str();
}

}  // namespace ingot::testing
