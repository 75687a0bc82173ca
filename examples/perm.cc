// Shifts and permutations on a 4x4 matrix, in three spellings of the permutation.
#include "programs/perm.h"

#include <iostream>

int main() {
  using programs::Permute;
  std::vector<int32_t> values(16);
  for (int i = 0; i < 16; ++i) values[static_cast<size_t>(i)] = i + 1;
  const ingot::Array x = ingot::Array::from({4, 4}, values);
  for (const Permute way : {Permute::kGather, Permute::kTake, Permute::kSlices}) {
    const auto f =
        ingot::jit([way](ingot::Array m) { return programs::perm(m, programs::Columns::kRotate, way); },
                   {.name = "perm"});
    std::cout << f(x) << "\n";
    for (const ingot::KernelInfo& kernel : f.kernels(x))
      std::cout << "kernel " << std::hex << kernel.hash << std::dec << "\n";
  }
}
