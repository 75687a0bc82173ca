// The values that a program is run on: from a .npz file, or random ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/tensor.h"
#include "ir/ir.h"

namespace CLI {
class App;
}

namespace ingot::tools {

struct ArgumentOptions {
  std::string file;              // arg0, arg1, ... of a .npz file
  std::optional<uint64_t> seed;  // random values
};

// Adds --args and --random.
void add_argument_options(CLI::App& command, ArgumentOptions& options);

// One value per argument of the entry function. Without a file and a seed a program with arguments is an
// Error that says what to give, unless there is a default seed.
std::vector<Tensor> make_arguments(const ir::Module& module, const ArgumentOptions& options,
                                   std::optional<uint64_t> default_seed = std::nullopt);

// The types of arg0, arg1, ... of a .npz file.
std::vector<ir::TensorType> types_in_file(const std::string& path);

// Floats in [-2, 2), integers in [-8, 8] (unsigned: [0, 16]), preds by coin; the same on every machine.
Tensor random_tensor(DType dtype, const Shape& shape, uint64_t seed);

// Names tensors "arg0", "arg1", ... or "out0", ...
std::vector<std::pair<std::string, Tensor>> numbered(const std::string& stem,
                                                     const std::vector<Tensor>& tensors);

}  // namespace ingot::tools
