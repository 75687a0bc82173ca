#include "testing/matrix_tiles.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "codegen/codegen.h"

#if defined(__x86_64__) && defined(__linux__)
#include <ucontext.h>
#include <unistd.h>
#endif

namespace ingot::testing {

#if defined(__x86_64__) && defined(__linux__)
namespace {

constexpr int kTiles = 8, kRows = 16, kRowBytes = 64;

struct Tile {
  int rows, row_bytes;
  uint8_t bytes[kRows][kRowBytes];
};

struct Registers {
  bool shaped;
  int64_t products;
  Tile tiles[kTiles];
};
thread_local Registers registers;

[[noreturn]] void refuse(const char* what) {
  const char begin[] = "emulation of matrix tiles: ";
  for (const char* text : {begin, what, "\n"}) {
    if (write(2, text, std::strlen(text)) < 0) break;
  }
  std::abort();
}
void expect(bool fine, const char* what) {
  if (!fine) refuse(what);
}

Tile& tile(int number) {
  expect(registers.shaped, "no shapes are set");
  expect(number < kTiles, "there are eight tiles");
  Tile& found = registers.tiles[number];
  expect(found.rows > 0, "a tile without a shape is used");
  return found;
}

void set_shapes(const uint8_t* from) {
  expect(from[0] == 1, "not palette 1");
  expect(from[1] == 0, "a first row other than 0");
  expect(std::all_of(from + 2, from + 16, [](uint8_t byte) { return byte == 0; }), "reserved bytes are set");
  expect(std::all_of(from + 32, from + 48, [](uint8_t byte) { return byte == 0; }), "more than eight tiles");
  expect(std::all_of(from + 56, from + 64, [](uint8_t byte) { return byte == 0; }), "more than eight tiles");
  for (int i = 0; i < kTiles; ++i) {
    Tile& tile = registers.tiles[i];
    tile = {};
    tile.rows = from[48 + i];
    tile.row_bytes = from[16 + 2 * i] + 256 * from[17 + 2 * i];
    expect(tile.rows <= kRows, "more than 16 rows");
    expect(tile.row_bytes <= kRowBytes, "rows of more than 64 bytes");
    expect((tile.rows == 0) == (tile.row_bytes == 0), "rows of no bytes, or no rows of some");
  }
  registers.shaped = true;
}

float flushed(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}
float wide(const uint8_t* at) {
  uint16_t bits;
  std::memcpy(&bits, at, sizeof bits);
  return flushed(std::bit_cast<float>(static_cast<uint32_t>(bits) << 16));
}

void multiply(int to, int a, int b) {
  expect(to != a && to != b && a != b, "a product of tiles that are not three");
  Tile &sums = tile(to), &rows = tile(a), &pairs = tile(b);
  expect(sums.row_bytes % 4 == 0 && rows.row_bytes % 4 == 0, "rows that do not hold pairs");
  expect(sums.rows == rows.rows, "sums and rows differ in height");
  expect(sums.row_bytes == pairs.row_bytes, "sums and pairs differ in width");
  expect(rows.row_bytes == 4 * pairs.rows, "rows and pairs differ in what is contracted");
  for (int m = 0; m < sums.rows; ++m) {
    for (int n = 0; n < sums.row_bytes / 4; ++n) {
      float both[2] = {0, 0};
      for (int k = 0; k < pairs.rows; ++k) {
        for (int i = 0; i < 2; ++i)
          both[i] = flushed(
              std::fma(wide(&rows.bytes[m][4 * k + 2 * i]), wide(&pairs.bytes[k][4 * n + 2 * i]), both[i]));
      }
      float sum;
      std::memcpy(&sum, &sums.bytes[m][4 * n], sizeof sum);
      sum = flushed(flushed(sum) + flushed(both[0] + both[1]));
      std::memcpy(&sums.bytes[m][4 * n], &sum, sizeof sum);
    }
  }
  ++registers.products;
}

// An operand in memory. For tiles the index is the distance of rows.
struct RandomMemory {
  uint8_t* begin;
  int64_t stride;
};

// The registers of the interrupted code in the order in which instructions number them.
constexpr int kNumbered[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                             REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

class Instruction {
 public:
  explicit Instruction(ucontext_t& context)
      : machine_(context.uc_mcontext.gregs), at_(reinterpret_cast<const uint8_t*>(machine_[REG_RIP])) {}

  // False if it is another instruction.
  bool run() {
    if (at_[0] != 0xc4 || (at_[1] & 0x1f) != 2 || (at_[2] & 0x84) != 0) return false;
    extension_ = static_cast<uint8_t>(~at_[1]);
    const int prefix = at_[2] & 3, third = ~(at_[2] >> 3) & 15, code = at_[3], operands = at_[4];
    const int reg = operands >> 3 & 7, rm = operands & 7;
    const bool in_memory = operands >> 6 != 3;
    length_ = 5;
    if (code == 0x49 && prefix == 0 && in_memory && reg == 0) {
      const RandomMemory shapes = memory();
      set_shapes(shapes.begin + shapes.stride);
    } else if (code == 0x49 && prefix == 0 && operands == 0xc0) {
      std::memset(&registers.tiles, 0, sizeof registers.tiles);
      registers.shaped = false;
    } else if (code == 0x49 && prefix == 3 && !in_memory && rm == 0) {
      std::memset(tile(reg).bytes, 0, sizeof tile(reg).bytes);
    } else if (code == 0x4b && (prefix == 3 || prefix == 1) && in_memory && rm == 4) {
      Tile& to = tile(reg);
      const RandomMemory from = memory();
      std::memset(to.bytes, 0, sizeof to.bytes);
      for (int r = 0; r < to.rows; ++r)
        std::memcpy(to.bytes[r], from.begin + r * from.stride, static_cast<size_t>(to.row_bytes));
    } else if (code == 0x4b && prefix == 2 && in_memory && rm == 4) {
      const Tile& from = tile(reg);
      const RandomMemory to = memory();
      for (int r = 0; r < from.rows; ++r)
        std::memcpy(to.begin + r * to.stride, from.bytes[r], static_cast<size_t>(from.row_bytes));
    } else if (code == 0x5c && prefix == 2 && !in_memory) {
      multiply(reg, rm, third);
    } else {
      return false;
    }
    machine_[REG_RIP] += length_;
    return true;
  }

 private:
  int64_t value(int number) const { return machine_[kNumbered[number]]; }

  template <class T>
  int64_t displacement() {
    T bytes;
    std::memcpy(&bytes, at_ + length_, sizeof bytes);
    length_ += static_cast<int>(sizeof bytes);
    return bytes;
  }

  RandomMemory memory() {
    const int mode = at_[4] >> 6, rm = at_[4] & 7;
    int64_t begin = 0, stride = 0;
    bool absolute = false, from_here = false;
    if (rm == 4) {
      const int sib = at_[length_++];
      const int index = (sib >> 3 & 7) | (extension_ >> 6 & 1) << 3, base = (sib & 7) | (extension_ >> 5 & 1)
                                                                                            << 3;
      if (index != 4) stride = value(index) << (sib >> 6);
      absolute = mode == 0 && (sib & 7) == 5;
      if (!absolute) begin = value(base);
    } else if (mode == 0 && rm == 5) {
      from_here = true;
    } else {
      begin = value(rm | (extension_ >> 5 & 1) << 3);
    }
    if (mode == 1)
      begin += displacement<int8_t>();
    else if (mode == 2 || absolute || from_here)
      begin += displacement<int32_t>();
    if (from_here) begin += machine_[REG_RIP] + length_;
    return {reinterpret_cast<uint8_t*>(begin), stride};
  }

  greg_t* machine_;
  const uint8_t* at_;
  int length_ = 0;
  uint8_t extension_ = 0;  // the bits R, X, B of registers' numbers, from the top
};

void trapped(int, siginfo_t*, void* context) {
  if (!Instruction(*static_cast<ucontext_t*>(context)).run()) std::signal(SIGILL, SIG_DFL);
}

bool install() {
  struct sigaction action {};
  action.sa_sigaction = trapped;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  return sigaction(SIGILL, &action, nullptr) == 0;
}

}  // namespace

std::optional<kernel::Target> target_with_tiles() {
  kernel::Target target = codegen::available_targets().front();
  if (target.tiles.count > 0) return target;
  // The narrow products stay off where the machine lacks them; what tiles do not take is computed in f32.
  static const bool installed = install();
  if (!installed || target.vector_bytes < 32) return std::nullopt;
  target.tiles = {kTiles, kRows, kRowBytes};
  return target;
}

bool emulates_tiles() {
  return codegen::available_targets().front().tiles.count == 0;
}
bool holds_tiles() {
  return registers.shaped;
}
int64_t tile_products() {
  return registers.products;
}

#else

std::optional<kernel::Target> target_with_tiles() {
  return std::nullopt;
}
bool emulates_tiles() {
  return false;
}
bool holds_tiles() {
  return false;
}
int64_t tile_products() {
  return 0;
}

#endif

}  // namespace ingot::testing
