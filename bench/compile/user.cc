#include <ingot/ingot.h>

using ingot::Array;

struct Params {
  Array w, b;
};

Array loss(Params p, Array x, Array y) {
  return mean(square(dot(tanh(dot(x, p.w)), p.w) + p.b - y));
}

int main() {
  const auto f = ingot::jit([](Array x, Array y) { return x * y + 1; });
  const auto step = ingot::jit([](Params p, Array x, Array y) {
    auto [value, g] = ingot::value_and_grad(loss)(p, x, y);
    return std::pair(value, Params{p.w - 0.1 * g.w, p.b - 0.1 * g.b});
  });
  const auto rows = ingot::vmap([](Array x, Array w) { return dot(x, w); }, {.in_axes = {0, std::nullopt}});
  const Array x = ingot::ones({4, 4});
  Params p{ingot::ones({4, 4}), ingot::zeros({4})};
  auto [value, next] = step(p, x, f(x, x));
  const Params g = ingot::grad(loss)(p, x, x);
  return sum(rows(x, next.w) + g.w + value).item<float>() > 0 ? 0 : 1;
}
