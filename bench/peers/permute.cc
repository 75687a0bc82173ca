#include "permute.h"

#include <stdexcept>
#include <utility>

namespace bench {
namespace {

constexpr int kSource[16] = {0, 1, 2, 3, 5, 6, 7, 4, 10, 11, 8, 9, 15, 12, 13, 14};

void shift3(uint32_t& a, uint32_t& b, uint32_t& c, uint32_t& d) {
  for (int i = 0; i < 3; ++i) a <<= 7, b <<= 7, c <<= 7, d <<= 7;
}

void abc(uint32_t& a, uint32_t& b, uint32_t& c, uint32_t&) {
  for (int i = 0; i < 3; ++i) {
    a <<= 7;
    b += a;
    c *= b;
  }
}

void rotl(uint32_t& a, uint32_t& b, uint32_t& c, uint32_t& d) {
  for (int i = 0; i < 3; ++i) {
    a = ((a << 7) | (a >> 25)) ^ d;
    b += a;
    c *= b;
    d ^= c;
  }
}

template <void (*kColumn)(uint32_t&, uint32_t&, uint32_t&, uint32_t&)>
void permute(const uint32_t* from, uint32_t* to, int64_t matrices) {
  for (int64_t i = 0; i < matrices; ++i, from += 16, to += 16) {
    uint32_t m[16], moved[16];
    for (int k = 0; k < 16; ++k) m[k] = from[k];
    for (int round = 0; round < 7; ++round) {
      for (int j = 0; j < 4; ++j) kColumn(m[j], m[4 + j], m[8 + j], m[12 + j]);
      for (int k = 0; k < 16; ++k) moved[k] = m[kSource[k]];
      for (int j = 0; j < 4; ++j) kColumn(moved[j], moved[4 + j], moved[8 + j], moved[12 + j]);
      for (int k = 0; k < 16; ++k) m[k] = moved[k];
    }
    for (int k = 0; k < 16; ++k) to[k] = m[k] + from[k];
  }
}

}  // namespace

Permute plain_permute(const std::string& columns) {
  if (columns == "shift3") return permute<shift3>;
  if (columns == "abc") return permute<abc>;
  if (columns == "rotl") return permute<rotl>;
  throw std::invalid_argument("no column function '" + columns + "'");
}

}  // namespace bench
