// A dense layer as one kernel.
#include "programs/layer.h"

#include <iostream>

#include "programs/report.h"

int main() {
  using ingot::Array;
  const Array x = programs::random_array({4096, 256}, 1), w = programs::random_array({256, 512}, 2),
              b = programs::random_array({512}, 3);

  const auto layer = ingot::jit(programs::layer, {.name = "layer"});
  const Array y = layer(x, w, b);
  std::cout << y << "\n\n" << layer.lower(x, w, b).text(false) << "\n" << layer.compile(x, w, b).plan();
}
