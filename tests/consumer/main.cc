// A user's program: sees only the installed headers and library.
#include <ingot/ingot.h>
#include <ingot/stablehlo.h>

#include <iostream>

struct Line {
  ingot::Array slope, offset;
};

int main() {
  const auto f = ingot::jit([](Line line, ingot::Array x) { return line.slope * x + line.offset; });
  const ingot::Array y =
      f(Line{ingot::Array(2.0f), ingot::Array(1.0f)}, ingot::arange(3, ingot::DType::kF32));
  std::cout << "ingot " << ingot::version() << ": " << y << "\n";
  const auto negate = ingot::load_stablehlo<ingot::Array>(
      "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
      "  %y = stablehlo.negate %x : tensor<3xf32>\n"
      "  return %y : tensor<3xf32>\n"
      "}");
  const bool right = y.to_vector<float>() == std::vector<float>{1, 3, 5} &&
                     negate(y).to_vector<float>() == std::vector<float>{-1, -3, -5};
  return right ? 0 : 1;
}
