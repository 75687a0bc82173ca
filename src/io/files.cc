#include "io/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <istream>

#include "base/options.h"
#include "ingot/error.h"

namespace ingot::io {
namespace {

std::ifstream open_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw Error(path + " is a folder, not a file");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error("cannot read " + path + ": " + std::strerror(errno));
  return file;
}

}  // namespace

std::string rest_of(std::istream& in, const std::string& path, int64_t most, std::string text) {
  const auto limit = static_cast<size_t>(std::min(most, memory_limit_bytes()));
  constexpr size_t kStep = 1 << 20;
  std::string piece(kStep, '\0');
  try {
    // Not through the stream, which would swallow exceptions: that memory runs out is no error of the file.
    errno = 0;
    while (const auto count = in.rdbuf()->sgetn(piece.data(), static_cast<std::streamsize>(kStep))) {
      text.append(piece, 0, static_cast<size_t>(count));
      if (text.size() > limit) {
        throw Error(path + ": there are more than " + std::to_string(limit) + " bytes in it, the most that " +
                    (static_cast<int64_t>(limit) == most ? "a program's text may have"
                                                         : "may be taken (INGOT_MEMORY_LIMIT_MB)"));
      }
    }
  } catch (const std::ios_base::failure&) {
    throw Error("cannot read " + path + ": " + std::strerror(errno));
  }
  // What has no end but cannot be read, as a folder or a closed standard input, looks empty.
  if (text.empty() && errno != 0) throw Error("cannot read " + path + ": " + std::strerror(errno));
  return text;
}

std::string read_file(const std::string& path) {
  std::ifstream file = open_file(path);
  return rest_of(file, path, kMostTextBytes);
}

std::string read_file_that_begins(const std::string& path, std::span<const std::string_view> beginnings,
                                  const std::string& other) {
  std::ifstream file = open_file(path);
  std::string start(beginnings.front().size(), '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  if (file.bad()) throw Error("cannot read " + path + ": " + std::strerror(errno));
  start.resize(static_cast<size_t>(file.gcount()));
  if (std::find(beginnings.begin(), beginnings.end(), start) == beginnings.end())
    throw Error(path + ": " + other);
  return rest_of(file, path, INT64_MAX, std::move(start));
}

namespace {

// What is renamed before it lies on the disk may be empty after the machine has lost its power.
void reach_disk(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  ::fsync(file);
  ::close(file);
}

}  // namespace

void write_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  // What is no file of its own, such as /dev/stdout, is written as it is.
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  const bool replaces = !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
  const std::string target =
      std::filesystem::is_symlink(path, ignored) ? std::filesystem::canonical(path, ignored).string() : path;
  std::string written = replaces && !target.empty() ? target + ".part" + std::to_string(getpid()) : path;
  const auto fail = [&] {
    const std::string reason = std::strerror(errno);
    if (written != path) std::filesystem::remove(written, ignored);
    throw Error("cannot write " + path + ": " + reason);
  };
  std::ofstream file(written, std::ios::binary);
  if (!file && written != path) {  // a folder that takes no new files
    written = path;
    file.open(written, std::ios::binary);
  }
  if (!file) fail();
  write(file);
  file.close();
  if (!file) fail();
  if (written != path) reach_disk(written);
  if (written != path && std::filesystem::exists(status))
    std::filesystem::permissions(written, status.permissions(), ignored);
  if (written != path && std::rename(written.c_str(), target.c_str()) != 0) fail();
}

void write_file(const std::string& path, const std::string& text) {
  write_file(path, [&](std::ostream& out) { out << text; });
}

}  // namespace ingot::io
