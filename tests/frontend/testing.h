// What the tests of the front door share: the text of a traced function, the message of an error.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ingot/ingot.h"
#include "ir/text.h"
#include "ir/verifier.h"

namespace ingot::testing {

// The IR that f becomes for these arguments, verified and with an exact round trip.
template <class F, class... Args>
std::string traced(const F& f, const Args&... args) {
  const std::string text = jit(f, {.name = "f"}).lower(args...).text(false);
  const auto module = ir::parse(text);
  ir::verify(*module);
  EXPECT_EQ(ir::to_string(*module), text);
  return text;
}

// The lines between the first and the return: the operations of a function.
inline std::string body(const std::string& text) {
  const size_t begin = text.find('\n') + 1;
  return text.substr(begin, text.rfind("  return") - begin);
}

template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error was thrown";
  return "";
}

// "file.cc:12: "
inline std::string line(int number, const char* file = __builtin_FILE()) {
  return std::string(file) + ":" + std::to_string(number) + ": ";
}

inline Array f32(Shape shape) {
  return Array::abstract(DType::kF32, std::move(shape));
}
inline Array s32(Shape shape) {
  return Array::abstract(DType::kS32, std::move(shape));
}

// The values 0, 1, 2, ... in a shape.
template <class T = float>
Array counting(const Shape& shape, T start = 0) {
  std::vector<T> values(static_cast<size_t>(element_count(shape)));
  for (T& value : values) value = start++;
  return Array::from(shape, values);
}

}  // namespace ingot::testing
