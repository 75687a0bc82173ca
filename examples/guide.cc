// The program of docs/using.md.
#include <cstdio>
#include <span>
#include <utility>
#include <vector>

#include "ingot/ingot.h"

namespace {

using ingot::Array;
using ingot::DType;

struct Parameters {
  Array w, b;
};

bool arrays() {
  std::vector<float> samples = {1, 2, 3, 4, 5, 6};
  Array x = Array::from({2, 3}, samples);
  Array line = Array::from(samples);
  Array grid = Array::zeros({2, 3}, DType::kF64);
  Array n = ingot::arange(6);
  Array rows = {{1.f, 2.f}, {3.f, 4.f}};
  Array half(0.5f);

  std::vector<float> values = x.to_vector<float>();
  std::span<const float> seen = x.view<float>();
  float last = x[1][2].item<float>();

  return values == samples && seen[3] == 4 && last == 6 && line.type_string() == "f32[6]" &&
         grid.type_string() == "f64[2,3]" && n.type_string() == "s32[6]" && half.type_string() == "f32[]" &&
         line.slice({0, 5, 2}).to_vector<float>() == std::vector<float>{1, 3, 5} &&
         x.slices({{}, {.step = -1}}).to_vector<float>() == std::vector<float>{3, 2, 1, 6, 5, 4} &&
         x.reshape({3, -1}).type_string() == "f32[3,2]" && rows.type_string() == "f32[2,2]" &&
         ingot::at(x, 0).set(7)(0, ingot::Slice{0, 2}).to_vector<float>() == std::vector<float>{7, 7};
}

bool functions() {
  auto loss = [](Parameters p, Array x, Array y) {
    return ingot::mean(ingot::square(ingot::tanh(ingot::dot(x, p.w) + p.b) - y));
  };
  auto step = ingot::jit(
      [=](Parameters p, Array x, Array y) {
        auto [value, slope] = ingot::value_and_grad(loss)(p, x, y);
        return std::pair(value, Parameters{p.w - 0.1f * slope.w, p.b - 0.1f * slope.b});
      },
      {.name = "step"});

  Parameters p{Array::full({3, 2}, 0.1f), Array::zeros({2})};
  const Array x = ingot::sin(ingot::arange(30).astype(DType::kF32)).reshape({10, 3}),
              y = x.slices({{}, {0, 2}});
  const float first = step(p, x, y).first.item<float>();
  float value = first;
  for (int i = 0; i < 100; ++i) {
    auto [now, next] = step(p, x, y);
    value = now.item<float>();
    p = next;
  }
  std::printf("loss %.3f, after 100 steps %.3f\n", first, value);
  return value < 0.5f * first;
}

}  // namespace

int main() {
  const bool right = arrays() && functions();
  std::puts(right ? "right" : "wrong");
  return right ? 0 : 1;
}
