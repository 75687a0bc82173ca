// The arguments of a program of symbolic shapes, as its user knows them: the names that they have in the
// function, and the names that jax.export's symbolic_shape gives open extents.
//
// The module itself has no field for these names. The conditions that jax.export writes into the entry
// function tell them in their text ("Using the following polymorphic shapes specifications: args[0].shape =
// (b, 2*b + 1)"). Where these are left out, or say something else than the types, there are the names that
// the function inside gives the sizes it takes (jax.global_constant = "b"), of extents that are such a size;
// and any other open extent is called after its argument and its axis, x.0.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stablehlo/module.h"

namespace ingot::stablehlo {

struct ArgumentType {
  std::string name;                  // as the imported function has it
  std::optional<DType> dtype;        // none where Ingot has no such elements
  std::string element;               // as Ingot writes it, or MLIR
  std::vector<std::string> extents;  // "3", "b", "2*b + 1", "x.0"
  bool ranked = true;
};
std::string to_string(const ArgumentType& type);              // "f32[b,2*b + 1]"
std::string to_string(const std::vector<ArgumentType>& all);  // "(x: f32[b,3], k: f32[])"

// One for each array that the entry function takes.
std::vector<ArgumentType> argument_types(const Module& module, bool first = false);

// --- what stands for an extent: sums and products of numbers and names, and powers, floordiv, mod, max, min

using Sizes = std::map<std::string, int64_t, std::less<>>;  // of dimensions, by their names
// The names in it, each once.
std::vector<std::string> names_in(std::string_view extent);
// None where a name has no size, or it cannot be read, or computed in 64 bits.
std::optional<int64_t> size_of(std::string_view extent, const Sizes& sizes);

}  // namespace ingot::stablehlo
