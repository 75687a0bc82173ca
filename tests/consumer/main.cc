// A user's program: sees only the installed headers and library.
#include <ingot/ingot.h>

#include <iostream>

struct Line {
  ingot::Array slope, offset;
};

int main() {
  const auto f = ingot::jit([](Line line, ingot::Array x) { return line.slope * x + line.offset; });
  const ingot::Array y =
      f(Line{ingot::Array(2.0f), ingot::Array(1.0f)}, ingot::arange(3, ingot::DType::kF32));
  std::cout << "ingot " << ingot::version() << ": " << y << "\n";
  return y.to_vector<float>() == std::vector<float>{1, 3, 5} ? 0 : 1;
}
