#include "io/zip.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <string_view>

#include "base/options.h"
#include "ingot/error.h"
#include "io/files.h"
#include "io/names.h"

namespace ingot::io {
namespace {

constexpr uint32_t kLocalHeader = 0x04034b50, kDirectoryEntry = 0x02014b50, kDirectoryEnd = 0x06054b50,
                   kDirectoryEnd64 = 0x06064b50, kDirectoryLocator64 = 0x07064b50;
constexpr uint64_t kIn64 = 0xffffffff;  // a 32-bit field whose value stands in the zip64 part
constexpr uint64_t kIn64Short = 0xffff;
constexpr uint64_t kUtf8 = 1 << 11;  // the flag of an entry whose name is that

class ZipReader {
 public:
  explicit ZipReader(const std::string& path)
      : path_(path),
        bytes_(
            read_file_that_begins(path, kBeginnings, "not a .npz file (no ZIP archive begins like this)")) {}

  ZipEntries run() {
    find_directory();
    ZipEntries entries;
    size_t at = directory_;
    int64_t unpacked = 0;
    for (uint64_t i = 0; i < count_; ++i) {
      entries.push_back(entry(at, memory_limit_bytes() - unpacked));
      unpacked += static_cast<int64_t>(entries.back().second.size());
    }
    return entries;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw Error(path_ + ": " + what); }

  uint64_t number(uint64_t at, size_t width) const {
    if (at > bytes_.size() || width > bytes_.size() - at) fail("the archive is cut off");
    uint64_t value = 0;
    for (size_t i = 0; i < width; ++i) {
      value |= static_cast<uint64_t>(static_cast<unsigned char>(bytes_[at + i])) << (8 * i);
    }
    return value;
  }
  std::string_view piece(uint64_t at, uint64_t length) const {
    if (at > bytes_.size() || length > bytes_.size() - at) fail("the archive is cut off");
    return std::string_view(bytes_).substr(at, length);
  }

  // The directory's end is the last thing in the file but for a comment of at most 64 KiB.
  void find_directory() {
    constexpr size_t kSize = 22;
    if (bytes_.size() < kSize) fail("not a .npz file (too short for a ZIP archive)");
    const size_t lowest = bytes_.size() - std::min(bytes_.size(), kSize + 65535);
    size_t at = bytes_.size() - kSize;
    while (number(at, 4) != kDirectoryEnd) {
      if (at == lowest) fail("not a .npz file (no directory of a ZIP archive found)");
      --at;
    }
    count_ = number(at + 10, 2);
    directory_ = number(at + 16, 4);
    if ((count_ == kIn64Short || directory_ == kIn64) && at >= 20 &&
        number(at - 20, 4) == kDirectoryLocator64) {
      const uint64_t end64 = number(at - 12, 8);
      if (number(end64, 4) != kDirectoryEnd64) fail("damaged zip64 directory");
      count_ = number(end64 + 32, 8);
      directory_ = number(end64 + 48, 8);
    }
  }

  std::pair<std::string, std::string> entry(size_t& at, int64_t room) const {
    if (number(at, 4) != kDirectoryEntry) fail("damaged directory of the archive");
    const uint64_t flags = number(at + 8, 2), method = number(at + 10, 2), checksum = number(at + 16, 4);
    uint64_t packed = number(at + 20, 4), size = number(at + 24, 4), offset = number(at + 42, 4);
    const uint64_t name_length = number(at + 28, 2), extra_length = number(at + 30, 2);
    std::string name(piece(at + 46, name_length));
    read_zip64_extra(at + 46 + name_length, extra_length, size, packed, offset);
    at += 46 + name_length + extra_length + number(at + 32, 2);

    if ((flags & 1) != 0) fail("'" + name + "' is encrypted");
    if (number(offset, 4) != kLocalHeader || piece(offset + 30, number(offset + 26, 2)) != name)
      fail("damaged header of '" + name + "'");  // names have no checksum, but stand there twice
    if (size > static_cast<uint64_t>(room)) {
      fail("'" + name + "' takes " + std::to_string(size) + " bytes, but there are only " +
           std::to_string(room) + " left of those that may be taken (INGOT_MEMORY_LIMIT_MB)");
    }
    const uint64_t data = offset + 30 + number(offset + 26, 2) + number(offset + 28, 2);
    std::string contents = unpack(name, method, piece(data, packed), size);
    if (crc(contents) != checksum) fail("'" + name + "' is damaged: its checksum is wrong");
    return {std::move(name), std::move(contents)};
  }

  // The 64-bit values of those fields that are all ones, in this order.
  void read_zip64_extra(uint64_t at, uint64_t length, uint64_t& size, uint64_t& packed,
                        uint64_t& offset) const {
    const uint64_t end = at + length;
    while (at + 4 <= end) {
      const uint64_t id = number(at, 2);
      uint64_t field = at + 4;
      at = field + number(at + 2, 2);
      if (id != 1) continue;
      for (uint64_t* value : {&size, &packed, &offset}) {
        if (*value != kIn64) continue;
        *value = number(field, 8);
        field += 8;
      }
    }
  }

  std::string unpack(const std::string& name, uint64_t method, std::string_view packed, uint64_t size) const {
    if (method == 0) {
      if (packed.size() != size) fail("'" + name + "' is damaged: its sizes differ");
      return std::string(packed);
    }
    if (method != 8) {
      fail("'" + name + "' is compressed by method " + std::to_string(method) +
           "; only stored and deflated entries (numpy.savez, numpy.savez_compressed) can be read");
    }
    // Deflate packs at most 1032 to 1, so a larger size is a damaged one and must not be allocated.
    if (size / 1032 > packed.size()) fail("'" + name + "' is damaged: its size is wrong");
    std::string out(size, '\0');
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw InternalError("zlib does not start");
    int status = Z_OK;
    size_t read = 0, written = 0;
    constexpr size_t kStep = 1u << 30;  // zlib counts in 32 bits
    while (status == Z_OK) {
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + read));
      stream.avail_in = static_cast<uInt>(std::min(kStep, packed.size() - read));
      stream.next_out = reinterpret_cast<Bytef*>(out.data() + written);
      stream.avail_out = static_cast<uInt>(std::min(kStep, out.size() - written));
      const uInt in = stream.avail_in, room = stream.avail_out;
      status = inflate(&stream, Z_NO_FLUSH);
      read += in - stream.avail_in;
      written += room - stream.avail_out;
    }
    inflateEnd(&stream);
    if (status != Z_STREAM_END || written != size) fail("'" + name + "' is damaged: it does not inflate");
    return out;
  }

 public:
  static uint64_t crc(std::string_view bytes) {
    return crc32_z(crc32_z(0, nullptr, 0), reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  }

 private:
  // A local header, or the end of an archive of nothing.
  static constexpr std::string_view kBeginnings[] = {"PK\3\4", "PK\5\6"};

  const std::string& path_;
  std::string bytes_;
  uint64_t count_ = 0, directory_ = 0;
};

void append(std::string& bytes, uint64_t value, size_t width) {
  for (size_t i = 0; i < width; ++i) bytes += static_cast<char>(value >> (8 * i) & 255);
}

uint64_t in_32(uint64_t value) {
  return std::min(value, kIn64);
}

bool is_ascii(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 128; });
}

// Both headers of an entry share these fields.
void append_common(std::string& header, const std::string& name, const std::string& contents,
                   uint64_t checksum, size_t extra_length, bool large) {
  append(header, 45, 2);  // version needed: zip64
  append(header, is_ascii(name) ? 0 : kUtf8, 2);
  append(header, 0, 2);     // stored
  append(header, 0, 2);     // time
  append(header, 0x21, 2);  // date: 1980-01-01, so that equal arrays give equal files
  append(header, checksum, 4);
  append(header, large ? kIn64 : contents.size(), 4);
  append(header, large ? kIn64 : contents.size(), 4);
  append(header, name.size(), 2);
  append(header, extra_length, 2);
}

}  // namespace

ZipEntries read_zip(const std::string& path) {
  return ZipReader(path).run();
}

namespace {

void write_entries(std::ostream& out, const ZipEntries& entries) {
  std::string directory;
  uint64_t offset = 0;
  auto write = [&](const std::string& bytes) {
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    offset += bytes.size();
  };
  for (const auto& [name, contents] : entries) {
    const uint64_t checksum = ZipReader::crc(contents), start = offset;
    const bool large = contents.size() >= kIn64, far = start >= kIn64;
    std::string local, extra;
    if (large) {
      append(extra, 1, 2);
      append(extra, 16, 2);
      append(extra, contents.size(), 8);
      append(extra, contents.size(), 8);
    }
    append(local, kLocalHeader, 4);
    append_common(local, name, contents, checksum, extra.size(), large);
    write(local + name + extra);
    write(contents);

    std::string fields = extra.empty() ? "" : extra.substr(4);
    if (far) append(fields, start, 8);
    extra.clear();
    if (!fields.empty()) {
      append(extra, 1, 2);
      append(extra, fields.size(), 2);
      extra += fields;
    }
    append(directory, kDirectoryEntry, 4);
    append(directory, 45, 2);  // made by
    append_common(directory, name, contents, checksum, extra.size(), large);
    append(directory, 0, 2);  // comment
    append(directory, 0, 2);  // disk
    append(directory, 0, 2);  // internal attributes
    append(directory, 0, 4);  // external attributes
    append(directory, in_32(start), 4);
    directory += name + extra;
  }
  const uint64_t start = offset, size = directory.size(), count = entries.size();
  write(directory);
  std::string end;
  if (start >= kIn64 || size >= kIn64 || count >= kIn64Short) {
    const uint64_t end64 = offset;
    append(end, kDirectoryEnd64, 4);
    append(end, 44, 8);  // of the rest
    append(end, 45, 2);
    append(end, 45, 2);
    append(end, 0, 8);  // disks
    append(end, count, 8);
    append(end, count, 8);
    append(end, size, 8);
    append(end, start, 8);
    append(end, kDirectoryLocator64, 4);
    append(end, 0, 4);
    append(end, end64, 8);
    append(end, 1, 4);
  }
  append(end, kDirectoryEnd, 4);
  append(end, 0, 4);  // disks
  append(end, std::min(count, kIn64Short), 2);
  append(end, std::min(count, kIn64Short), 2);
  append(end, in_32(size), 4);
  append(end, in_32(start), 4);
  append(end, 0, 2);
  write(end);
}

}  // namespace

void write_zip(const std::string& path, const ZipEntries& entries) {
  for (const auto& [name, contents] : entries) {
    check_name(path, name);
    if (name.size() > kIn64Short)
      throw Error(path + ": a name of " + std::to_string(name.size()) +
                  " bytes is longer than a .npz file can hold (" + std::to_string(kIn64Short) +
                  " with .npy)");
  }
  write_file(path, [&](std::ostream& out) { write_entries(out, entries); });
}

}  // namespace ingot::io
