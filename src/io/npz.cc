#include "io/npz.h"

#include <set>

#include "ingot/error.h"
#include "io/npy.h"
#include "io/zip.h"

namespace ingot::io {

NamedTensors read_npz(const std::string& path) {
  constexpr std::string_view kSuffix = ".npy";
  NamedTensors tensors;
  std::set<std::string> names;
  for (auto& [name, contents] : read_zip(path)) {
    if (!name.ends_with(kSuffix))
      continue;  // numpy.load gives other members as bytes; a program has no use for them
    name.resize(name.size() - kSuffix.size());
    if (!names.insert(name).second) throw Error(path + ": damaged: '" + name + "' stands there twice");
    tensors.emplace_back(name, read_npy(contents, path + ": " + name));
    contents = std::string();  // one copy at a time
  }
  return tensors;
}

void write_npz(const std::string& path, const NamedTensors& tensors) {
  ZipEntries entries;
  for (const auto& [name, tensor] : tensors) entries.emplace_back(name + ".npy", write_npy(tensor));
  write_zip(path, entries);
}

}  // namespace ingot::io
