// A solver that is two scans, written in two ways, and is one kernel.
#include "programs/tdma.h"

#include <iostream>

#include "programs/report.h"

int main() {
  using ingot::Array;
  const ingot::Shape shape{1000, 100};
  const Array a = programs::random_array(shape, 1, 0.1, 1), b = programs::random_array(shape, 2, 3, 4),
              c = programs::random_array(shape, 3, 0.1, 1), d = programs::random_array(shape, 4, 0.1, 1);

  const auto along_axis_1 = ingot::jit(programs::tdma, {.name = "tdma"});
  const auto transposed = ingot::jit(programs::tdma_transposed, {.name = "tdma_transposed"});
  std::cout << along_axis_1(a, b, c, d) << "\n\n" << along_axis_1.lower(a, b, c, d).text(false) << "\n";
  for (const auto& kernels : {along_axis_1.kernels(a, b, c, d), transposed.kernels(a, b, c, d)}) {
    for (const ingot::KernelInfo& kernel : kernels) {
      std::cout << "kernel " << kernel.name << " " << std::hex << kernel.hash << std::dec << ", "
                << kernel.bytes_read + kernel.bytes_written << " bytes\n";
    }
  }
}
