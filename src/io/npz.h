// NumPy's .npz files: named arrays. Python's numpy.load reads what is written here; what numpy.savez and
// numpy.savez_compressed write is read.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/tensor.h"

namespace ingot::io {

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;  // names without ".npy"

// Throw ingot::Error that names file and array.
NamedTensors read_npz(const std::string& path);
void write_npz(const std::string& path, const NamedTensors& tensors);

}  // namespace ingot::io
