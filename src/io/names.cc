#include "io/names.h"

#include "ingot/error.h"

namespace ingot::io {

bool is_utf8(const std::string& text) {
  for (size_t i = 0; i < text.size();) {
    const auto byte = [&](size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u; };
    const unsigned first = byte(i);
    const size_t length = first < 0x80                    ? 1
                          : first >= 0xc2 && first < 0xe0 ? 2
                          : first >= 0xe0 && first < 0xf0 ? 3
                          : first >= 0xf0 && first < 0xf5 ? 4
                                                          : 0;
    if (length == 0) return false;
    for (size_t k = 1; k < length; ++k) {
      if ((byte(i + k) & 0xc0) != 0x80) return false;
    }
    // Longer than need be, halves of pairs, and what lies behind the last code point.
    const unsigned second = byte(i + 1);
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
        (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f))
      return false;
    i += length;
  }
  return true;
}

void check_name(const std::string& path, const std::string& name) {
  if (!is_utf8(name)) throw Error(path + ": a name of an array is no UTF-8, which names in such files are");
}

void check_rank(const std::string& path, const std::string& name, size_t rank) {
  if (rank > kMostDimensions)
    throw Error(path + ": " + name + " has " + std::to_string(rank) +
                " dimensions, but arrays in files have at most " + std::to_string(kMostDimensions));
}

std::string as_wider(DType dtype) {
  const DType wide = is_float(dtype) ? DType::kF32 : is_signed(dtype) ? DType::kS8 : DType::kU8;
  return "save its values as " + std::string(name_of(wide)) + " (astype), which has all of them";
}

}  // namespace ingot::io
