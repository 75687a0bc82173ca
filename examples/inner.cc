// A function called a hundred times inside of another one, traced and compiled once.
#include "programs/inner.h"

#include <iostream>

#include "programs/report.h"

int main() {
  const ingot::Array x = programs::random_array({64, 64}, 1),
                     w = programs::random_array({64, 64}, 2, -0.2, 0.2);
  const auto outer = ingot::jit([](ingot::Array a, ingot::Array m) { return programs::blocks(a, m, 100); },
                                {.name = "outer"});
  std::cout << outer(x, w) << "\n";
  std::cout << "the block was traced " << ingot::jit(programs::block, {.name = "block"}).trace_count()
            << " time(s); " << outer.kernels(x, w).size() << " kernel(s), " << outer.compile(x, w).launches()
            << " launches\n";
}
