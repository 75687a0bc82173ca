// Random numbers: bits of a state, by formulas over integers, those that XLA's CPU compiler makes; and `rng`,
// whose numbers StableHLO leaves to whoever runs a program.
#include <algorithm>
#include <array>
#include <numbers>
#include <string>

#include "stablehlo/importer.h"

namespace ingot::stablehlo {
namespace {

using ir::IntList;

// Formulas over arrays of one shape.
class Bits {
 public:
  explicit Bits(OpImport& op) : op_(op) {}

  ir::Value* number(ir::Value* like, uint64_t value) {
    return op_.filled_int(like->type(), static_cast<int64_t>(value));
  }
  ir::Value* add(ir::Value* a, ir::Value* b) { return op_.make("add", {a, b}); }
  ir::Value* add(ir::Value* a, uint64_t b) { return add(a, number(a, b)); }
  ir::Value* mul(ir::Value* a, uint64_t b) { return op_.make("mul", {a, number(a, b)}); }
  ir::Value* exclusive(ir::Value* a, ir::Value* b) { return op_.make("xor", {a, b}); }
  ir::Value* left(ir::Value* a, uint64_t by) { return op_.make("shift_left", {a, number(a, by)}); }
  ir::Value* right(ir::Value* a, uint64_t by) { return op_.make("shift_right_logical", {a, number(a, by)}); }
  ir::Value* rotated(ir::Value* a, uint64_t by) { return op_.make("or", {left(a, by), right(a, 32 - by)}); }
  ir::Value* low(ir::Value* a) { return op_.convert(a, DType::kU32); }
  ir::Value* high(ir::Value* a) { return low(right(a, 32)); }
  ir::Value* joined(ir::Value* low, ir::Value* high) {
    return op_.make("or", {op_.convert(low, DType::kU64), left(op_.convert(high, DType::kU64), 32)});
  }
  ir::Value* reshaped(ir::Value* a, const Shape& shape) {
    return a->shape() == shape ? a : op_.make("reshape", {a}, {{"shape", shape}});
  }
  ir::Value* counted(const Shape& shape) {  // 0, 1, 2, .. in row-major order
    return reshaped(
        op_.make("iota", {},
                 {{"dtype", DType::kU64}, {"shape", IntList{element_count(shape)}}, {"axis", int64_t{0}}}),
        shape);
  }
  ir::Value* element(ir::Value* vector, int64_t i) {
    return reshaped(op_.make("slice", {vector},
                             {{"starts", IntList{i}}, {"limits", IntList{i + 1}}, {"strides", IntList{1}}}),
                    {});
  }
  // Threefry-2x32 with 20 rounds (Salmon et al., 2011).
  std::array<ir::Value*, 2> threefry(std::array<ir::Value*, 2> x, std::array<ir::Value*, 2> key) {
    constexpr std::array<std::array<uint64_t, 4>, 2> kRotations{{{13, 15, 26, 6}, {17, 29, 16, 24}}};
    const std::array<ir::Value*, 3> keys{key[0], key[1],
                                         exclusive(exclusive(key[0], key[1]), number(key[0], 0x1BD11BDA))};
    x = {add(x[0], keys[0]), add(x[1], keys[1])};
    for (size_t group = 0; group < 5; ++group) {
      for (const uint64_t by : kRotations[group % 2]) {
        x[0] = add(x[0], x[1]);
        x[1] = exclusive(rotated(x[1], by), x[0]);
      }
      x[0] = add(x[0], keys[(group + 1) % 3]);
      x[1] = add(add(x[1], keys[(group + 2) % 3]), group + 1);
    }
    return x;
  }

  // Philox-4x32 with 10 rounds (the same).
  std::array<ir::Value*, 4> philox(std::array<ir::Value*, 4> x, std::array<ir::Value*, 2> key) {
    for (int round = 0; round < 10; ++round) {
      ir::Value* first = mul(op_.convert(x[0], DType::kU64), 0xD2511F53);
      ir::Value* second = mul(op_.convert(x[2], DType::kU64), 0xCD9E8D57);
      x = {exclusive(exclusive(high(second), x[1]), key[0]), low(second),
           exclusive(exclusive(high(first), x[3]), key[1]), low(first)};
      key = {add(key[0], 0x9E3779B9), add(key[1], 0xBB67AE85)};
    }
    return x;
  }

 private:
  OpImport& op_;
};

struct Random {
  ir::Value *bits, *next;  // u32 or u64 of the shape; the counter behind them
};

// Words of 32 bits come in two halves, put together along an even dimension, or the longest one.
Random threefry_bits(OpImport& op, ir::Value* key, ir::Value* counter, const Shape& shape, bool wide) {
  Bits bits(op);
  const auto at = [&](const Shape& part) {
    ir::Value* count = bits.add(op.spread(counter, part), bits.counted(part));
    ir::Value* whole = op.spread(key, part);
    return bits.threefry({bits.low(count), bits.high(count)}, {bits.low(whole), bits.high(whole)});
  };
  if (wide) {
    const std::array<ir::Value*, 2> words = at(shape);
    return {bits.joined(words[0], words[1]), bits.add(counter, static_cast<uint64_t>(element_count(shape)))};
  }
  if (shape.empty()) return {bits.reshaped(at({1})[0], {}), bits.add(counter, 1)};
  const auto even = std::find_if(shape.begin(), shape.end(), [](int64_t extent) { return extent % 2 == 0; });
  const auto split =
      (even != shape.end() ? even : std::max_element(shape.begin(), shape.end())) - shape.begin();
  Shape half = shape;
  half[static_cast<size_t>(split)] = (shape[static_cast<size_t>(split)] + 1) / 2;
  half.insert(half.begin() + split + 1, 1);
  const std::array<ir::Value*, 2> words = at(half);
  Shape both = shape;
  both[static_cast<size_t>(split)] = 2 * half[static_cast<size_t>(split)];
  ir::Value* all = op.make("concatenate", {words[0], words[1]}, {{"axis", static_cast<int64_t>(split) + 1}});
  return {first_of(op, bits.reshaped(all, both), split, shape[static_cast<size_t>(split)]),
          bits.add(counter, static_cast<uint64_t>(element_count(half)))};
}

// Four words of 32 bits for each count of 128 bits. Of a state of two numbers the key is the upper half.
struct Counter128 {
  ir::Value *low, *high;
};
Counter128 advanced(OpImport& op, const Counter128& counter, ir::Value* by) {
  Bits bits(op);
  const Shape& shape = by->shape();
  ir::Value *before = op.spread(counter.low, shape), *high = op.spread(counter.high, shape);
  ir::Value* low = bits.add(before, by);
  ir::Value* over = op.make("compare", {low, before}, {{"direction", std::string("lt")}});
  return {low, op.make("select", {over, bits.add(high, 1), high})};
}

std::pair<ir::Value*, Counter128> philox_bits(OpImport& op, ir::Value* key, const Counter128& counter,
                                              const Shape& shape, bool wide) {
  Bits bits(op);
  const int64_t n = element_count(shape), each = wide ? 2 : 4, blocks = (n + each - 1) / each;
  const Counter128 at = advanced(op, counter, bits.counted({blocks}));
  ir::Value* whole = op.spread(key, {blocks});
  const std::array<ir::Value*, 4> words =
      bits.philox({bits.low(at.low), bits.high(at.low), bits.low(at.high), bits.high(at.high)},
                  {bits.low(whole), bits.high(whole)});
  std::vector<ir::Value*> columns(words.begin(), words.end());
  if (wide) columns = {bits.joined(words[0], words[1]), bits.joined(words[2], words[3])};
  for (ir::Value*& column : columns) column = bits.reshaped(column, {blocks, 1});
  ir::Value* all = bits.reshaped(op.make("concatenate", columns, {{"axis", int64_t{1}}}), {blocks * each});
  return {bits.reshaped(first_of(op, all, 0, n), shape),
          advanced(op, counter, op.scalar_int(DType::kU64, blocks))};
}

void import_random_bits(OpImport& op) {
  if (op.operand_count() != 1 || op.op().results.size() != 2)
    op.fail("takes a state, and gives the next and bits");
  ir::Value* state = op.operand(0);
  const ir::TensorType wanted = op.result_type(1);
  const std::string algorithm = op.word("rng_algorithm", "DEFAULT");
  const bool threefry = algorithm == "THREE_FRY";
  if (state->dtype() != DType::kU64 || state->rank() != 1 || state->shape()[0] < 2 ||
      state->shape()[0] > (threefry ? 2 : 3)) {
    op.refuse("its state is " + ir::to_string(state->type()) + "; Ingot's is " +
              (threefry ? "two numbers of 64 bits" : "two or three numbers of 64 bits"));
  }
  if (is_complex(wanted.dtype) || wanted.dtype == DType::kPred)
    op.refuse("random bits of " + std::string(name_of(wanted.dtype)) + " are not known");
  Bits bits(op);
  ir::Value* key = bits.element(state, 0);
  const size_t width = byte_size(wanted.dtype);
  std::vector<ir::Value*> next{key};
  ir::Value* made = nullptr;
  if (threefry) {
    const Random random = threefry_bits(op, key, bits.element(state, 1), wanted.shape, width == 8);
    made = random.bits;
    next.push_back(random.next);
  } else {
    const bool three = state->shape()[0] == 3;
    const auto [random, counter] = philox_bits(
        op, key, {bits.element(state, 1), three ? bits.element(state, 2) : key}, wanted.shape, width == 8);
    made = random;
    next.push_back(counter.low);
    if (three) next.push_back(counter.high);
  }
  for (ir::Value*& number : next) number = bits.reshaped(number, {1});
  const DType whole = width == 1   ? DType::kU8
                      : width == 2 ? DType::kU16
                      : width == 4 ? DType::kU32
                                   : DType::kU64;
  made = op.convert(made, whole);
  if (whole != wanted.dtype) made = op.make("bitcast", {made}, {{"dtype", wanted.dtype}});
  op.set_all({op.make("concatenate", next, {{"axis", int64_t{0}}}), made});
}

// --- rng

// Of an operation, by its place in the module: one number each time it runs, another for each operation.
uint64_t key_of(const OpImport& op) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  const auto add = [&](uint64_t byte) { hash = (hash ^ (byte & 0xff)) * 0x100000001b3; };
  for (const char c : op.function().name) add(static_cast<unsigned char>(c));
  for (int shift = 0; shift < 64; shift += 8) add(static_cast<uint64_t>(op.op().results.front()) >> shift);
  return hash;
}

ir::Value* bits_of_key(OpImport& op, const Shape& shape, bool wide) {
  Bits bits(op);
  ir::Value* key = bits.number(op.scalar_int(DType::kU64, 0), key_of(op));
  ir::Value* start = op.scalar_int(DType::kU64, 0);
  return philox_bits(op, key, {start, start}, shape, wide).first;
}

// From 0 on, below 1.
ir::Value* unit_interval(OpImport& op, DType dtype, const Shape& shape) {
  const bool wide = dtype == DType::kF64;
  Bits bits(op);
  ir::Value* whole = bits.right(bits_of_key(op, shape, wide), wide ? 11 : 8);
  ir::Value* number = op.convert(op.convert(whole, wide ? DType::kS64 : DType::kS32), dtype);
  return op.make("mul", {number, op.filled({dtype, shape}, wide ? 0x1p-53 : 0x1p-24)});
}

// From the first operand on, below the second.
ir::Value* uniform_numbers(OpImport& op, const ir::TensorType& type) {
  const DType dtype = type.dtype;
  if (is_float(dtype)) {
    const DType computed = dtype == DType::kF64 ? dtype : DType::kF32;
    ir::Value* low = op.spread(op.convert(op.operand(0), computed), type.shape);
    ir::Value* high = op.spread(op.convert(op.operand(1), computed), type.shape);
    ir::Value* unit = unit_interval(op, computed, type.shape);
    ir::Value* made = op.make("add", {low, op.make("mul", {unit, op.make("sub", {high, low})})});
    // Rounding may reach the end.
    made =
        op.make("select", {op.make("compare", {made, high}, {{"direction", std::string("lt")}}), made, low});
    return op.convert(made, dtype);
  }
  ir::Value* low = op.spread(op.convert(op.operand(0), DType::kS64), type.shape);
  ir::Value* high = op.spread(op.convert(op.operand(1), DType::kS64), type.shape);
  ir::Value* span = op.make("max", {op.make("sub", {high, low}), op.filled_int(low->type(), 1)});
  ir::Value* rest = op.make("rem", {bits_of_key(op, type.shape, true), op.convert(span, DType::kU64)});
  return op.convert(op.make("add", {low, op.convert(rest, DType::kS64)}), dtype);
}

// Of the mean that is the first operand and the deviation that is the second.
ir::Value* normal_numbers(OpImport& op, const ir::TensorType& type) {
  const DType computed = type.dtype == DType::kF64 ? type.dtype : DType::kF32;
  const ir::TensorType like{computed, type.shape};
  ir::Value* unit = unit_interval(op, computed, type.shape);
  // In the middle of its interval it is neither -1 nor 1.
  const double half = computed == DType::kF64 ? 0x1p-53 : 0x1p-24;
  ir::Value* both = op.make("add", {op.make("mul", {unit, op.filled(like, 2)}), op.filled(like, half - 1)});
  ir::Value* made = op.make("mul", {op.make("erf_inv", {both}), op.filled(like, std::numbers::sqrt2)});
  ir::Value* mean = op.spread(op.convert(op.operand(0), computed), type.shape);
  ir::Value* deviation = op.spread(op.convert(op.operand(1), computed), type.shape);
  return op.convert(op.make("add", {mean, op.make("mul", {made, deviation})}), type.dtype);
}

void import_random_numbers(OpImport& op) {
  if (op.operand_count() != 3 || op.operand(0)->rank() != 0 || op.operand(1)->rank() != 0)
    op.fail("takes two numbers and a shape");
  const ir::TensorType type{op.result_dtype(), op.shape_by(2)};
  const std::string distribution = op.word("rng_distribution", "UNIFORM");
  const bool is_normal = distribution == "NORMAL";
  if (is_normal ? !is_float(type.dtype) : is_complex(type.dtype))
    op.fail("it makes no " + std::string(name_of(type.dtype)));
  op.set(is_normal ? normal_numbers(op, type) : uniform_numbers(op, type));
}

constexpr NamedRule kRandom[] = {
    {"stablehlo.rng", import_random_numbers},
    {"stablehlo.rng_bit_generator", import_random_bits},
};

}  // namespace

Rules random_rules() {
  return kRandom;
}

}  // namespace ingot::stablehlo
