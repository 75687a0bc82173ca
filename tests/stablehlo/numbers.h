// What the function main of StableHLO text gives, by the interpreter and compiled.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "compiler/compiler.h"
#include "interpreter/interpreter.h"
#include "stablehlo/import.h"
#include "stablehlo/read.h"
#include "stablehlo/text.h"
#include "testing/differential.h"

namespace ingot::stablehlo {

// The elements of each result of the function main, which takes these; compiled it gives the same.
inline std::vector<std::vector<double>> numbers_of(const std::string& text,
                                                   const std::vector<Tensor>& arguments = {}) {
  const auto module = read_text(text, "m.mlir");
  const Imported program = import_module(*module);
  EXPECT_EQ(testing::check_compiled(*program.module, {}, 1), "") << text;
  std::vector<std::vector<double>> found;
  for (const Tensor& result : interpret(*program.module, arguments)) {
    std::vector<double>& numbers = found.emplace_back();
    for (int64_t i = 0; i < result.size(); ++i) numbers.push_back(result.get_double(i));
  }
  return found;
}

using Numbers = std::vector<double>;

inline Tensor f32(const Shape& shape, const std::function<double(int64_t)>& element) {
  Tensor made(DType::kF32, shape);
  for (int64_t i = 0; i < made.size(); ++i) made.set_double(i, element(i));
  return made;
}

}  // namespace ingot::stablehlo
