#include "stablehlo/bytecode/bytes.h"

#include <bit>

#include "ingot/error.h"

namespace ingot::stablehlo {

void Bytes::fail(const std::string& what) const {
  throw Error(*file_ + ": at byte " + std::to_string(offset_) + ": " + what);
}

void Bytes::skip(size_t size) {
  data_.remove_prefix(size);
  offset_ += size;
}

uint8_t Bytes::byte(std::string_view what) {
  if (data_.empty()) fail("expected " + std::string(what) + ", found the end of its section");
  const auto value = static_cast<uint8_t>(data_.front());
  skip(1);
  return value;
}

// As many zeros as the first byte ends with, so many bytes follow it.
uint64_t Bytes::varint(std::string_view what) {
  if (data_.empty()) fail("expected " + std::string(what) + ", found the end of its section");
  const auto first = static_cast<uint8_t>(data_.front());
  if (first & 1) {
    skip(1);
    return first >> 1;
  }
  const auto more = static_cast<size_t>(first == 0 ? 8 : std::countr_zero(first));
  if (more >= data_.size()) fail("expected " + std::string(what) + ", found a number that is cut off");
  uint64_t value = 0;
  for (size_t i = more; i > 0; --i) value = value << 8 | static_cast<uint8_t>(data_[i]);
  if (more < 8) value = value << (7 - more) | static_cast<uint64_t>(first >> (more + 1));
  skip(more + 1);
  return value;
}

int64_t Bytes::signed_varint(std::string_view what) {
  const uint64_t value = varint(what);
  return static_cast<int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

std::pair<uint64_t, bool> Bytes::flagged(std::string_view what) {
  const uint64_t value = varint(what);
  return {value >> 1, (value & 1) != 0};
}

size_t Bytes::count(std::string_view what) {
  return checked_count(varint(what), what);
}

size_t Bytes::checked_count(uint64_t count, std::string_view what) const {
  if (count > data_.size()) {
    fail(std::string(what) + " is " + std::to_string(count) + ", but " + std::to_string(data_.size()) +
         " bytes are left");
  }
  return static_cast<size_t>(count);
}

size_t Bytes::index(size_t count, std::string_view what) {
  const Bytes before = *this;
  return before.checked_index(varint(what), count, what);
}

size_t Bytes::checked_index(uint64_t index, size_t count, std::string_view what) const {
  if (index >= count) {
    fail("there is no " + std::string(what) + " " + std::to_string(index) + "; there are " +
         std::to_string(count));
  }
  return static_cast<size_t>(index);
}

Bytes Bytes::take(uint64_t size, std::string_view what) {
  if (size > data_.size()) {
    fail("expected " + std::to_string(size) + " bytes of " + std::string(what) + ", found " +
         std::to_string(data_.size()));
  }
  Bytes taken(data_.substr(0, static_cast<size_t>(size)), offset_, file_);
  skip(static_cast<size_t>(size));
  return taken;
}

Bytes Bytes::blob(std::string_view what) {
  const uint64_t size = varint(what);
  return take(size, what);
}

std::string_view Bytes::text_to_nul(std::string_view what) {
  const size_t end = data_.find('\0');
  if (end == std::string_view::npos) fail(std::string(what) + " does not end");
  const std::string_view text = data_.substr(0, end);
  skip(end + 1);
  return text;
}

void Bytes::expect_end(std::string_view what) const {
  if (!data_.empty()) {
    fail("expected the end of " + std::string(what) + ", found " + std::to_string(data_.size()) +
         " more bytes");
  }
}

}  // namespace ingot::stablehlo
