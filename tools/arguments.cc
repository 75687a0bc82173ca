#include "tools/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "ingot/error.h"
#include "io/npz.h"
#include "io/safetensors.h"
#include "tools/numbers.h"

namespace ingot::tools {
namespace {

// Splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
uint64_t next_random(uint64_t& state) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

template <class T>
void fill_floats(Tensor& tensor, uint64_t state) {
  T* data = tensor.data<T>();
  for (int64_t i = 0; i < tensor.size(); ++i) {
    data[i] = static_cast<T>(static_cast<double>(next_random(state) >> 40) * 0x1p-22 - 2);
  }
}

std::string describe(const ir::Function& entry) {
  std::string text = "@" + entry.name() + "(";
  for (int i = 0; i < entry.body().argument_count(); ++i) {
    const ir::Value* argument = entry.body().argument(i);
    text += (i == 0 ? "%" : ", %") + argument->name() + ": " + ir::to_string(argument->type());
  }
  return text + ")";
}

// What the program does not take was meant for another program, or for another version of this one.
void want_no_others(const ir::Function& entry, const std::string& path, const io::NamedTensors& found) {
  const int count = entry.body().argument_count();
  for (const auto& [name, tensor] : found) {
    bool wanted = false;
    for (int a = 0; a < count; ++a) wanted = wanted || name == "arg" + std::to_string(a);
    if (!wanted) {
      throw Error(path + ": there is an array " + name + ", but " + describe(entry) + " takes " +
                  (count == 0   ? "no arguments"
                   : count == 1 ? "one argument, arg0"
                                : "arg0 to arg" + std::to_string(count - 1) + " only"));
    }
  }
}

bool is_safetensors(const std::string& path) {
  return path.ends_with(".safetensors");
}

io::NamedTensors read_arrays(const std::string& path) {
  return is_safetensors(path) ? io::read_safetensors(path) : io::read_npz(path);
}

// A .npz file has no names for floats of a byte: their bits come as u8.
Tensor with_dtype(const Tensor& tensor, DType dtype) {
  if (tensor.dtype() != DType::kU8 || !is_float(dtype) || byte_size(dtype) != 1) return tensor;
  Tensor floats(dtype, tensor.shape());
  std::copy_n(tensor.raw(), tensor.bytes(), floats.raw());
  return floats;
}

std::vector<Tensor> read_arguments(const ir::Function& entry, const std::string& path) {
  io::NamedTensors found = read_arrays(path);
  std::vector<Tensor> arguments;
  for (int i = 0; i < entry.body().argument_count(); ++i) {
    const std::string name = "arg" + std::to_string(i);
    const ir::Value* argument = entry.body().argument(i);
    const ir::TensorType& type = argument->type();
    auto it =
        std::find_if(found.begin(), found.end(), [&](const auto& entry) { return entry.first == name; });
    if (it == found.end()) {
      std::string names;
      for (const auto& [other, tensor] : found) names += (names.empty() ? "" : ", ") + other;
      throw Error(path + ": there is no " + name + " for " + describe(entry) + "; the file holds " +
                  (names.empty() ? "nothing" : names));
    }
    const Tensor tensor = with_dtype(it->second, type.dtype);
    if (tensor.dtype() != type.dtype || tensor.shape() != type.shape) {
      throw Error(path + ": " + name + " is " +
                  ir::to_string(ir::TensorType{tensor.dtype(), tensor.shape()}) + ", but the argument %" +
                  argument->name() + " of @" + entry.name() + " is " + ir::to_string(type));
    }
    arguments.push_back(tensor);
  }
  want_no_others(entry, path, found);
  return arguments;
}

}  // namespace

void add_argument_options(CLI::App& command, ArgumentOptions& options) {
  auto* file = command.add_option("--args", options.file, "a .npz or .safetensors file with arg0, arg1, ...")
                   ->check(path_given());
  command.add_option("--random", options.seed, "random arguments from this seed")
      ->check(whole_number(0, UINT64_MAX))
      ->excludes(file);
}

Tensor random_tensor(DType dtype, const Shape& shape, uint64_t seed) {
  Tensor tensor(dtype, shape);
  uint64_t state = seed;
  if (dtype == DType::kF32) {
    fill_floats<float>(tensor, state);
  } else if (dtype == DType::kF64) {
    fill_floats<double>(tensor, state);
  } else if (is_complex(dtype)) {
    const auto part = [&] { return static_cast<double>(next_random(state) >> 40) * 0x1p-22 - 2; };
    for (int64_t i = 0; i < tensor.size(); ++i) {
      const double re = part();
      tensor.set_complex(i, {re, part()});
    }
  } else if (is_float(dtype)) {
    for (int64_t i = 0; i < tensor.size(); ++i)
      tensor.set_double(i, static_cast<double>(next_random(state) >> 40) * 0x1p-22 - 2);
  } else {
    for (int64_t i = 0; i < tensor.size(); ++i) {
      const auto value = static_cast<int64_t>(next_random(state) >> 32);
      tensor.set_int(i, dtype == DType::kPred ? value % 2 : value % 17 - (is_signed(dtype) ? 8 : 0));
    }
  }
  return tensor;
}

std::vector<Tensor> make_arguments(const ir::Module& module, const ArgumentOptions& options,
                                   std::optional<uint64_t> default_seed) {
  const ir::Function& entry = *module.entry();
  if (!options.file.empty()) return read_arguments(entry, options.file);
  const std::optional<uint64_t> seed = options.seed ? options.seed : default_seed;
  std::vector<Tensor> arguments;
  for (int i = 0; i < entry.body().argument_count(); ++i) {
    if (!seed) {
      throw Error("the program takes arguments, " + describe(entry) +
                  ": give --args FILE.npz (with arg0, arg1, ...) or --random SEED");
    }
    const ir::TensorType& type = entry.body().argument(i)->type();
    // Seeds that follow each other must not give arguments that do.
    uint64_t state = *seed * 0x100000001b3 + static_cast<uint64_t>(i);
    arguments.push_back(random_tensor(type.dtype, type.shape, next_random(state)));
  }
  return arguments;
}

std::vector<ir::TensorType> types_in_file(const std::string& path) {
  const io::NamedTensors found = read_arrays(path);
  std::vector<ir::TensorType> types;
  for (bool more = true; more;) {
    more = false;
    for (const auto& [name, tensor] : found) {
      if (name != "arg" + std::to_string(types.size())) continue;
      types.push_back({tensor.dtype(), tensor.shape()});
      more = true;
      break;
    }
  }
  return types;
}

void write_results(const std::string& path, const std::vector<Tensor>& results) {
  io::NamedTensors named;
  for (size_t i = 0; i < results.size(); ++i) named.emplace_back("out" + std::to_string(i), results[i]);
  is_safetensors(path) ? io::write_safetensors(path, named) : io::write_npz(path, named);
}

}  // namespace ingot::tools
