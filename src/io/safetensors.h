// Files of named arrays as the safetensors library writes them: a length, a header in JSON, and the elements.
// https://huggingface.co/docs/safetensors, "Format".
#pragma once

#include <string>

#include "io/npz.h"

namespace ingot::io {

// Throw ingot::Error that names file and array. Some types of elements have no name in the format: an
// Error that says what would do.
NamedTensors read_safetensors(const std::string& path);
bool has_safetensors_name(DType dtype);
void write_safetensors(const std::string& path, const NamedTensors& tensors);

}  // namespace ingot::io
