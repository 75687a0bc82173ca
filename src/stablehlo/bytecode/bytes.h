// A piece of an artifact, read from its beginning to its end. Every error names the byte of the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace ingot::stablehlo {

class Bytes {
 public:
  Bytes() = default;
  Bytes(std::string_view data, size_t offset, const std::string* file)
      : data_(data), offset_(offset), file_(file) {}

  size_t offset() const { return offset_; }  // in the file
  size_t left() const { return data_.size(); }
  bool empty() const { return data_.empty(); }

  [[noreturn]] void fail(const std::string& what) const;  // where the next byte is

  uint8_t byte(std::string_view what);
  uint64_t varint(std::string_view what);  // up to seven bits in the first byte, 64 bits in nine
  int64_t signed_varint(std::string_view what);
  std::pair<uint64_t, bool> flagged(std::string_view what);  // a number, and a flag in its lowest bit
  // How many of something follow, each of which takes a byte at least.
  size_t count(std::string_view what);
  size_t checked_count(uint64_t count, std::string_view what) const;
  size_t index(size_t count, std::string_view what);  // below `count`
  size_t checked_index(uint64_t index, size_t count, std::string_view what) const;
  Bytes take(uint64_t size, std::string_view what);
  Bytes blob(std::string_view what);  // its size and itself
  std::string_view rest() const { return data_; }
  std::string_view text_to_nul(std::string_view what);
  void expect_end(std::string_view what) const;

 private:
  void skip(size_t size);

  std::string_view data_;
  size_t offset_ = 0;
  const std::string* file_ = nullptr;
};

}  // namespace ingot::stablehlo
