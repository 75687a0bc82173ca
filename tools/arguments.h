// The values that a program is run on: from a .npz or .safetensors file, or random ones; and its results in
// one.
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
  std::string file;              // arg0, arg1, ... of the file
  std::optional<uint64_t> seed;  // random values
};

// Adds --args and --random.
void add_argument_options(CLI::App& command, ArgumentOptions& options);

// One value per argument of the entry function. Without a file and a seed a program with arguments is an
// Error that says what to give, unless there is a default seed.
std::vector<Tensor> make_arguments(const ir::Module& module, const ArgumentOptions& options,
                                   std::optional<uint64_t> default_seed = std::nullopt);

// The types of arg0, arg1, ... of a file.
std::vector<ir::TensorType> types_in_file(const std::string& path);
// out0, out1, ... in a file of the kind that its name ends with.
void write_results(const std::string& path, const std::vector<Tensor>& results);

// Floats in [-2, 2), integers in [-8, 8] (unsigned: [0, 16]), preds by coin; the same on every machine.
Tensor random_tensor(DType dtype, const Shape& shape, uint64_t seed);

}  // namespace ingot::tools
