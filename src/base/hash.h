// A 64-bit hash that is the same in every process and on every machine: no addresses, no std::hash.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace ingot {

class Hasher {
 public:
  template <std::integral T>
  void add(T value) {
    mix(static_cast<uint64_t>(value));
  }
  void add(double value) { mix(std::bit_cast<uint64_t>(value)); }
  void add(std::string_view text) { add_bytes(text.data(), text.size()); }
  void add_bytes(const void* data, size_t size) {
    const char* bytes = static_cast<const char*>(data);
    mix(size);
    for (; size >= 8; bytes += 8, size -= 8) {
      uint64_t word;
      std::memcpy(&word, bytes, 8);
      mix(word);
    }
    uint64_t rest = 0;
    for (size_t i = 0; i < size; ++i) rest |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    if (size > 0) mix(rest);
  }

  uint64_t value() const { return state_; }

 private:
  // One round of multiply, fold and rotate per word, with odd constants of no special meaning.
  void mix(uint64_t word) {
    uint64_t x = (state_ ^ word) * 0x9fb21c651e98df25u;
    x ^= x >> 32;
    state_ = std::rotl(x * 0xd6e8feb86659fd93u, 29) + 0x2545f4914f6cdd1du;
  }

  uint64_t state_ = 0x51ed270b35ae2d1fu;
};

}  // namespace ingot
