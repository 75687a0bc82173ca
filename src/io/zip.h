// ZIP archives, as far as .npz files need them: entries stored or deflated, archives and entries beyond 4 GiB
// (zip64), checksums tested. Written: stored.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ingot::io {

using ZipEntries = std::vector<std::pair<std::string, std::string>>;  // name, contents

// Throw ingot::Error that names the file.
ZipEntries read_zip(const std::string& path);
void write_zip(const std::string& path, const ZipEntries& entries);

}  // namespace ingot::io
