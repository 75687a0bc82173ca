#include "tools/files.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <istream>
#include <iterator>

#include "ingot/error.h"
#include "ir/text.h"

namespace ingot::tools {

namespace {

std::ifstream open_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw Error(path + " is a folder, not a file");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error("cannot read " + path + ": " + std::strerror(errno));
  return file;
}

std::string rest_of(std::ifstream& file, const std::string& path, std::string text = {}) {
  text.append(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  if (file.bad()) throw Error("cannot read " + path + ": " + std::strerror(errno));
  return text;
}

}  // namespace

std::string read_file(const std::string& path) {
  std::ifstream file = open_file(path);
  return rest_of(file, path);
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
  return rest_of(file, path, std::move(start));
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  if (!file) throw Error("cannot write " + path + ": " + std::strerror(errno));
  file << text;
  file.close();
  if (!file) throw Error("cannot write " + path + ": " + std::strerror(errno));
}

Program read_program(const std::string& path, std::istream& in) {
  std::string text;
  if (path == "-") {
    text.assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  } else {
    text = read_file(path);
  }
  const std::string name = path == "-" ? "<stdin>" : path;
  Program program;
  const auto start = std::chrono::steady_clock::now();
  program.module = ir::parse(text, name);
  program.parse_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  if (program.module->entry() == nullptr) {
    throw Error(name +
                ": there is no function in it; a program looks like\n"
                "  func @main(%x: f32[4]) -> (f32[4]) {\n    %y = exp(%x) : f32[4]\n    return %y\n  }");
  }
  return program;
}

}  // namespace ingot::tools
