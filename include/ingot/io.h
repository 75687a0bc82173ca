// Arrays in files: .npy (one array), .npz and .safetensors (many, with names), as NumPy and the safetensors
// library write and read them. The ending of the file's name says which.
//
//   ingot::io::save("weights.safetensors", params);            // names are paths: "layers[0].w"
//   params = ingot::io::load_into("weights.safetensors", params);
//   Array x = ingot::io::load("x.npy");
//
// A file is replaced whole or not at all, also where the machine fails meanwhile. What is damaged, or has
// other names, shapes or dtypes than are asked for, is an Error that names file and array. .npz files are
// read deflated too, .npy arrays in Fortran order and big endian ones; bf16 is '<V2' there, as np.save writes
// ml_dtypes.bfloat16. safetensors has no c128.
#pragma once

#include <map>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "ingot/array.h"
#include "ingot/tree.h"

namespace ingot::io {

using NamedArrays = std::map<std::string, Array>;

namespace detail {

// Names for arrays, in the order of a tree.
using Leaves = std::vector<std::pair<std::string, Array>>;
void save(const std::string& path, const Leaves& leaves, const std::source_location& where);
// The arrays of these names, shapes and dtypes; Error where the file has others, or more.
std::vector<Array> load(const std::string& path, const Leaves& like, const std::source_location& where);

Leaves leaves_of(tree::Ref value);
Leaves leaves_of(const NamedArrays& arrays);
template <class V>
Leaves leaves_of(const V& value) {
  return leaves_of(tree::ref(value));
}

}  // namespace detail

// All arrays of a tree, by their paths from its root; of NamedArrays by their names. An array alone is
// "arr_0" in .npz and .safetensors, as numpy.savez has it. Numbers and texts in structs are no arrays. Error
// for another ending of the name, for a .npy file of several arrays, and for traced arrays.
template <class V>
void save(const std::string& path, const V& value,
          const std::source_location& where = std::source_location::current()) {
  detail::save(path, detail::leaves_of(value), where);
}

// The tree with the arrays of a file. Error unless the file has just those of the tree, with their shapes and
// dtypes. Abstract arrays will do.
template <class V>
V load_into(const std::string& path, const V& like,
            const std::source_location& where = std::source_location::current()) {
  return tree::unflatten(like, detail::load(path, detail::leaves_of(like), where));
}

// The one array of a file.
Array load(const std::string& path, const std::source_location& where = std::source_location::current());
// All arrays of a file, whatever they are.
NamedArrays load_all(const std::string& path,
                     const std::source_location& where = std::source_location::current());

}  // namespace ingot::io
