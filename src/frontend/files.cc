// Arrays in files: which format, and which of its arrays belongs where.
#include <algorithm>
#include <new>
#include <set>

#include "frontend/node.h"
#include "ingot/io.h"
#include "io/files.h"
#include "io/npy.h"
#include "io/npz.h"
#include "io/safetensors.h"

namespace ingot::io {

detail::Leaves detail::leaves_of(tree::Ref value) {
  Leaves leaves;
  tree::for_each(
      value,
      [](void* to, Array& array, const tree::Path& path) {
        static_cast<Leaves*>(to)->emplace_back(tree::to_string(path), array);
      },
      &leaves, "");
  return leaves;
}
detail::Leaves detail::leaves_of(const NamedArrays& arrays) {
  return {arrays.begin(), arrays.end()};
}

namespace {

enum class Format { kNpy, kNpz, kSafetensors };

constexpr const char* kAlone = "arr_0";

Format format_of(const std::string& path, const std::source_location& where) {
  if (path.find('\0') != std::string::npos)
    ingot::detail::fail(where, std::string(path.c_str()) + ": a zero stands behind that in the file's name");
  if (path.ends_with(".npy")) return Format::kNpy;
  if (path.ends_with(".npz")) return Format::kNpz;
  if (path.ends_with(".safetensors")) return Format::kSafetensors;
  ingot::detail::fail(where, path + ": a file of arrays ends with .npy, .npz or .safetensors");
}

// What `body` throws, with the user's line.
template <class Body>
auto at_line(const std::string& path, const std::source_location& where, const Body& body) {
  try {
    return body();
  } catch (const Error& error) {
    ingot::detail::fail(where, error.what());
  } catch (const std::bad_alloc&) {
    ingot::detail::fail(where, path + ": there is not enough memory for what is in it");
  }
}

Tensor tensor_of(const Array& array, const std::string& name, const std::source_location& where) {
  const ingot::detail::ArrayNode& node = ingot::detail::checked_node(array, where, name);
  if (!node.concrete()) {
    ingot::detail::fail(where, name + (name.empty() ? "" : ": ") + "a " + array.type_string() +
                                   " without a value cannot be saved; save what a traced function returns");
  }
  Tensor tensor(node.type->dtype, node.type->shape);
  std::copy_n(static_cast<const std::byte*>(node.host_data()), tensor.bytes(), tensor.raw());
  return tensor;
}

Array array_of(const Tensor& tensor, const std::source_location& where) {
  return Array::from_bytes(tensor.dtype(), tensor.shape(), tensor.raw(), where);
}

NamedTensors read(const std::string& path, const std::source_location& where) {
  const Format format = format_of(path, where);
  return at_line(path, where, [&] {
    if (format == Format::kNpz) return read_npz(path);
    if (format == Format::kSafetensors) return read_safetensors(path);
    constexpr std::string_view kMagic[] = {"\x93NUMPY"};
    const std::string bytes =
        read_file_that_begins(path, kMagic, "not a .npy file (it does not start with NumPy's magic bytes)");
    return NamedTensors{{kAlone, read_npy(bytes, path)}};
  });
}

std::string listed(const std::vector<std::string>& names) {
  constexpr size_t kShown = 8;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kShown); ++i) text += (i > 0 ? ", " : "") + names[i];
  if (names.size() > kShown) text += " and " + std::to_string(names.size() - kShown) + " more";
  return names.empty() ? "nothing" : text;
}

}  // namespace

void detail::save(const std::string& path, const Leaves& leaves, const std::source_location& where) {
  const Format format = format_of(path, where);
  NamedTensors tensors;
  for (const auto& [name, array] : leaves)
    tensors.emplace_back(name.empty() ? kAlone : name, tensor_of(array, name, where));
  if (format == Format::kNpy && tensors.size() != 1) {
    ingot::detail::fail(where, path + ": a .npy file has one array, not " + std::to_string(tensors.size()) +
                                   "; save a .npz or .safetensors file");
  }
  std::set<std::string_view> names;
  for (const auto& [name, tensor] : tensors) {
    if (!names.insert(name).second)
      ingot::detail::fail(where, path + ": two arrays have the name " + name + " there" +
                                     (name == kAlone ? ", which one without a name has, too" : ""));
  }
  at_line(path, where, [&] {
    if (format == Format::kNpz) return write_npz(path, tensors);
    if (format == Format::kSafetensors) return write_safetensors(path, tensors);
    return write_file(path, write_npy(tensors[0].second));
  });
}

std::vector<Array> detail::load(const std::string& path, const Leaves& like,
                                const std::source_location& where) {
  const NamedTensors tensors = read(path, where);
  std::vector<std::string> there, unused;
  for (const auto& entry : tensors) there.push_back(entry.first);
  unused = there;
  std::vector<Array> arrays;
  const bool unnamed = path.ends_with(".npy");
  if (unnamed && like.size() != 1) {
    ingot::detail::fail(where, path + ": there is one array in a .npy file, but " +
                                   std::to_string(like.size()) + " are wanted");
  }
  for (const auto& [path_of, wanted] : like) {
    const std::string name = unnamed || path_of.empty() ? kAlone : path_of;
    const auto found = std::find(there.begin(), there.end(), name);
    if (found == there.end())
      ingot::detail::fail(where, path + ": there is no array " + name + " in it; it has " + listed(there));
    const Tensor& tensor = tensors[static_cast<size_t>(found - there.begin())].second;
    std::erase(unused, name);
    if (wanted.empty()) ingot::detail::checked_node(wanted, where, name);
    if (tensor.dtype() != wanted.dtype() || tensor.shape() != wanted.shape()) {
      ingot::detail::fail(where, path + ": " + name + " is " + std::string(name_of(tensor.dtype())) +
                                     to_string(tensor.shape()) + " in it, but should be " +
                                     wanted.type_string());
    }
    arrays.push_back(ingot::detail::as_weak(array_of(tensor, where), ingot::detail::is_weak(wanted)));
  }
  if (!unused.empty())
    ingot::detail::fail(where,
                        path + ": it has " + listed(unused) + ", too, for which the tree has no place");
  return arrays;
}

Array load(const std::string& path, const std::source_location& where) {
  const NamedTensors tensors = read(path, where);
  if (tensors.size() != 1) {
    ingot::detail::fail(where, path + ": there are " + std::to_string(tensors.size()) +
                                   " arrays in it; ingot::io::load_all gives all of them");
  }
  return array_of(tensors[0].second, where);
}

NamedArrays load_all(const std::string& path, const std::source_location& where) {
  NamedArrays arrays;
  for (const auto& [name, tensor] : read(path, where)) arrays.emplace(name, array_of(tensor, where));
  return arrays;
}

}  // namespace ingot::io
