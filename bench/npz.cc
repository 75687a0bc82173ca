// ZIP archives without compression: the central directory at the end names each entry; an entry is a .npy
// file, whose header is a Python dictionary in text. Archives beyond 4 GiB are not needed here and refused.
#include "npz.h"

#include <sys/mman.h>
#include <zlib.h>

#include <cstring>
#include <fstream>
#include <new>
#include <sstream>
#include <stdexcept>

namespace bench {
namespace {

constexpr uint32_t kEndSignature = 0x06054b50, kDirectorySignature = 0x02014b50, kLocalSignature = 0x04034b50;
constexpr size_t kEndSize = 22, kDirectorySize = 46, kLocalSize = 30;

template <class T>
T load(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// The text between `from` and `to` that follows `key` in a .npy header.
std::string header_field(const std::string& header, const std::string& key, char from, char to) {
  size_t at = header.find("'" + key + "'");
  size_t begin = header.find(from, header.find(':', at));
  size_t end = header.find(to, begin + 1);
  if (at == std::string::npos || begin == std::string::npos || end == std::string::npos) {
    throw std::runtime_error("malformed .npy header: " + header);
  }
  return header.substr(begin + 1, end - begin - 1);
}

HostArray parse_npy(const char* data, size_t size) {
  if (size < 12 || std::memcmp(data, "\x93NUMPY", 6) != 0)
    throw std::runtime_error("an entry is no .npy file");
  const bool wide = data[6] >= 2;
  const size_t length = wide ? load<uint32_t>(data + 8) : load<uint16_t>(data + 8);
  const size_t begin = wide ? 12 : 10;
  const std::string header(data + begin, length);
  HostArray array;
  array.dtype = header_field(header, "descr", '\'', '\'');
  if (header.find("'fortran_order': True") != std::string::npos) {
    throw std::runtime_error("arrays in Fortran order are not read here");
  }
  std::istringstream extents(header_field(header, "shape", '(', ')'));
  for (std::string extent; std::getline(extents, extent, ',');) {
    if (extent.find_first_of("0123456789") != std::string::npos) array.shape.push_back(std::stoll(extent));
  }
  array.bytes = Bytes(size - begin - length);
  std::memcpy(array.bytes.data(), data + begin + length, array.bytes.size());
  return array;
}

std::string npy_header(const HostArray& array) {
  std::string text = "{'descr': '" + array.dtype + "', 'fortran_order': False, 'shape': (";
  for (int64_t extent : array.shape) text += std::to_string(extent) + ",";
  text += "), }";
  while ((text.size() + 11) % 64 != 0) text += ' ';
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  const uint16_t length = static_cast<uint16_t>(text.size());
  header.append(reinterpret_cast<const char*>(&length), 2);
  return header + text;
}

// The fields that a local header and a directory entry share, from "version needed" to "extra length".
std::string common_fields(uint32_t crc, uint32_t size, const std::string& name) {
  std::string text;
  auto put = [&](auto value) { text.append(reinterpret_cast<const char*>(&value), sizeof value); };
  put(uint16_t{20}), put(uint16_t{0}), put(uint16_t{0});  // version, flags, stored
  put(uint16_t{0}), put(uint16_t{0x21});                  // time, date (1 January 1980)
  put(crc), put(size), put(size);                         // stored: both sizes are equal
  put(static_cast<uint16_t>(name.size())), put(uint16_t{0});
  return text;
}

}  // namespace

Bytes::Bytes(size_t size) : size_(size) {
  if (size == 0) return;
  // Whole huge pages where it is large: fewer page faults where fresh memory is written.
  constexpr size_t kHugePage = 2 << 20;
  const bool huge = size > kHugePage / 2;
  const size_t mapped = huge ? (size + kHugePage - 1) / kHugePage * kHugePage + kHugePage : size;
  void* memory = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  char* start = static_cast<char*>(memory);
  if (huge) {
    start += (kHugePage - reinterpret_cast<uintptr_t>(start) % kHugePage) % kHugePage;
    madvise(start, mapped - kHugePage, MADV_HUGEPAGE);
  }
  data_ = std::unique_ptr<char, Free>(start, Free{memory, mapped});
}

void Bytes::Free::operator()(char*) const {
  munmap(mapping, mapped);
}

int64_t HostArray::elements() const {
  int64_t count = 1;
  for (int64_t extent : shape) count *= extent;
  return count;
}

std::map<std::string, HostArray> read_npz(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw std::runtime_error("cannot read " + path);
  Bytes content(static_cast<size_t>(file.tellg()));
  file.seekg(0);
  file.read(content.data(), static_cast<std::streamsize>(content.size()));
  const char* data = content.data();

  if (content.size() < kEndSize) throw std::runtime_error(path + " is too short for an archive");
  size_t end = content.size() - kEndSize;
  while (end > 0 && load<uint32_t>(data + end) != kEndSignature) --end;
  const int count = load<uint16_t>(data + end + 10);
  size_t entry = load<uint32_t>(data + end + 16);

  std::map<std::string, HostArray> arrays;
  for (int i = 0; i < count; ++i) {
    if (entry + kDirectorySize > content.size() || load<uint32_t>(data + entry) != kDirectorySignature) {
      throw std::runtime_error(path + " has a damaged directory, or is larger than 4 GiB");
    }
    const size_t name_size = load<uint16_t>(data + entry + 28),
                 extra_size = load<uint16_t>(data + entry + 30);
    const size_t comment_size = load<uint16_t>(data + entry + 32);
    std::string name(data + entry + kDirectorySize, name_size);
    if (load<uint16_t>(data + entry + 10) != 0)
      throw std::runtime_error(path + ": " + name + " is compressed");
    const size_t size = load<uint32_t>(data + entry + 24), local = load<uint32_t>(data + entry + 42);
    const size_t begin =
        local + kLocalSize + load<uint16_t>(data + local + 26) + load<uint16_t>(data + local + 28);
    if (begin + size > content.size()) throw std::runtime_error(path + " is cut short");
    if (name.ends_with(".npy")) name.resize(name.size() - 4);
    arrays.emplace(name, parse_npy(data + begin, size));
    entry += kDirectorySize + name_size + extra_size + comment_size;
  }
  return arrays;
}

void write_npz(const std::string& path, const std::map<std::string, const HostArray*>& arrays) {
  std::ofstream file(path, std::ios::binary);
  std::string directory;
  auto put = [](std::string& text, auto value) {
    text.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for (const auto& [stem, array] : arrays) {
    const std::string name = stem + ".npy", header = npy_header(*array);
    uLong crc = crc32(0, reinterpret_cast<const Bytef*>(header.data()), static_cast<uInt>(header.size()));
    crc = crc32_z(crc, reinterpret_cast<const Bytef*>(array->bytes.data()), array->bytes.size());
    const uint32_t size = static_cast<uint32_t>(header.size() + array->bytes.size());
    const uint32_t offset = static_cast<uint32_t>(file.tellp());
    const std::string fields = common_fields(static_cast<uint32_t>(crc), size, name);

    std::string local;
    put(local, kLocalSignature);
    file << local << fields << name << header;
    file.write(array->bytes.data(), static_cast<std::streamsize>(array->bytes.size()));

    put(directory, kDirectorySignature), put(directory, uint16_t{20});
    directory += fields;
    put(directory, uint16_t{0}), put(directory, uint16_t{0}), put(directory, uint16_t{0});
    put(directory, uint32_t{0}), put(directory, offset);
    directory += name;
  }
  std::string end;
  const uint16_t count = static_cast<uint16_t>(arrays.size());
  put(end, kEndSignature), put(end, uint32_t{0}), put(end, count), put(end, count);
  put(end, static_cast<uint32_t>(directory.size())), put(end, static_cast<uint32_t>(file.tellp()));
  put(end, uint16_t{0});
  file << directory << end;
  if (!file) throw std::runtime_error("cannot write " + path);
}

}  // namespace bench
