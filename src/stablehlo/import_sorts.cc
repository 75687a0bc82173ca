// Sorts, the greatest elements, and random bits, which are the last a formula over integers: those that XLA's
// CPU compiler makes.
#include <algorithm>
#include <array>

#include "ops/comparators.h"
#include "stablehlo/importer.h"

namespace ingot::stablehlo {
namespace {

using ir::IntList;

std::vector<DType> pairs_of(const std::vector<ir::Value*>& arrays) {
  std::vector<DType> dtypes;
  for (const ir::Value* array : arrays) dtypes.insert(dtypes.end(), 2, array->dtype());
  return dtypes;
}

std::vector<ir::Value*> sorted(OpImport& op, const std::vector<ir::Value*>& arrays, int64_t axis, bool stable,
                               std::unique_ptr<ir::Region> comparator) {
  std::vector<std::unique_ptr<ir::Region>> regions;
  regions.push_back(std::move(comparator));
  return op.builder()
      .make("sort", arrays, {{"axis", axis}, {"stable", stable}}, std::move(regions))
      ->results();
}

void import_sort(OpImport& op) {
  if (op.op().regions.size() != 1 || op.operand_count() == 0)
    op.fail("there are to be arrays and one region");
  std::vector<ir::Value*> arrays = op.operands();
  const size_t count = arrays.size();
  const int64_t rank = arrays[0]->rank();
  int64_t axis = op.integer("dimension", -1);
  if (axis < -rank || axis >= rank) op.fail("there is no dimension " + std::to_string(axis));
  if (axis < 0) axis += rank;
  const bool stable = op.integer("is_stable", 0) != 0;
  OpImport::ScalarRegion made = op.scalar_region(op.op().regions.front(), pairs_of(arrays));
  // What the comparator uses from outside is sorted along: the same number everywhere.
  std::vector<size_t> arguments(2 * count + 2 * made.captured.size());
  for (size_t i = 0; i < arguments.size(); ++i) arguments[i] = i < 2 * count ? i : count + i / 2;
  for (ir::Value* value : made.captured) arrays.push_back(op.spread(value, arrays[0]->shape()));
  if (!made.captured.empty()) made.region = op.rearranged(*made.region, arguments);
  std::vector<ir::Value*> results = sorted(op, arrays, axis, stable, std::move(made.region));
  results.resize(count);
  op.set_all(results);
}

// --- the greatest elements

ir::Value* numbered(OpImport& op, const Shape& shape, int64_t axis) {
  return op.make("iota", {}, {{"dtype", DType::kS32}, {"shape", shape}, {"axis", axis}});
}

ir::Value* first_of(OpImport& op, ir::Value* array, int64_t axis, int64_t count) {
  IntList limits = array->shape();
  if (count < 0 || count > limits[static_cast<size_t>(axis)])
    op.fail("there are no " + std::to_string(count) + " elements along dimension " + std::to_string(axis) +
            " of " + ir::to_string(array->type()));
  limits[static_cast<size_t>(axis)] = count;
  return op.make(
      "slice", {array},
      {{"starts", IntList(limits.size(), 0)}, {"limits", limits}, {"strides", IntList(limits.size(), 1)}});
}

// Floats in the order of their bits, so that NaN is the greatest; the lower place first of equal ones.
void top_k(OpImport& op, bool largest) {
  if (op.operand_count() != 1 || op.op().results.size() != 2 || op.operand(0)->rank() == 0)
    op.fail("takes one array, and gives values and places");
  ir::Value* x = op.operand(0);
  const int64_t axis = x->rank() - 1;
  const Shape wanted = op.result_type().shape;
  if (wanted.empty()) op.fail("its results have no dimension");
  std::unique_ptr<ir::Region> region =
      ops::comparator_by_keys(*op.frame().region->function(), {x->dtype(), DType::kS32},
                              {{.descending = largest}}, op.builder().provenance());
  const std::vector<ir::Value*> all =
      sorted(op, {x, numbered(op, x->shape(), axis)}, axis, true, std::move(region));
  std::vector<ir::Value*> results;
  for (size_t i = 0; i < 2; ++i)
    results.push_back(op.convert(first_of(op, all[i], axis, wanted.back()), op.result_type(i).dtype));
  op.set_all(results);
}

void import_top_k(OpImport& op) {
  top_k(op, op.integer("largest", 1) != 0);
}

// All of it exactly: arrays, then what stands where there is nothing; a function compares.
void import_approximate_top_k(OpImport& op) {
  const size_t n = op.operand_count() / 2;
  const Attribute* called = op.find("called_computations");
  const auto* names = called ? called->as<Attribute::Array>() : nullptr;
  if (n == 0 || op.op().results.size() != n || !names || names->size() != 1)
    op.fail("takes n arrays and n scalars, and a function that compares");
  const std::string name = word(names->front()).value_or("");
  const Function* comparator = nullptr;
  for (const Function& function : op.importer().module().functions) {
    if (function.name == name) comparator = &function;
  }
  if (!comparator) op.fail("there is no function @" + name);
  std::vector<ir::Value*> arrays = op.operands();
  arrays.resize(n);
  const int64_t axis = op.entry("mhlo.backend_config", "reduction_dim").value_or(arrays[0]->rank() - 1);
  if (axis < 0 || axis >= arrays[0]->rank()) op.fail("there is no dimension " + std::to_string(axis));
  const std::vector<DType> dtypes = pairs_of(arrays);
  if (comparator->body.arguments.size() != dtypes.size())
    op.fail("@" + name + " does not compare the arrays");
  std::unique_ptr<ir::Region> region = op.builder().make_region();
  Frame frame;
  frame.region = region.get();
  for (size_t i = 0; i < dtypes.size(); ++i)
    frame.values[comparator->body.arguments[i]].value = region->add_argument({dtypes[i], {}});
  op.importer().import_operations(comparator->body.operations, *comparator, frame);
  std::vector<ir::Value*> results = sorted(op, arrays, axis, true, std::move(region));
  for (size_t i = 0; i < n; ++i) {
    const Shape wanted = op.result_type(i).shape;
    if (static_cast<int64_t>(wanted.size()) != results[i]->rank()) op.fail("its results have another rank");
    results[i] = first_of(op, results[i], axis, wanted[static_cast<size_t>(axis)]);
  }
  op.set_all(results);
}

// --- random bits

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

constexpr NamedRule kSorts[] = {
    {"chlo.top_k", import_top_k},
    {"mhlo.topk", import_top_k},
    {"stablehlo.rng_bit_generator", import_random_bits},
    {"stablehlo.sort", import_sort},
};

}  // namespace

Rules sort_rules() {
  return kSorts;
}

bool import_sorting_call(OpImport& op, const std::string& target) {
  if (target == "ApproxTopK" || target == "PartialReduce") {
    import_approximate_top_k(op);
    return true;
  }
  if (target != "TopK" && target != "mhlo.topk") return false;
  top_k(op, op.entry("mhlo.attributes", "largest").value_or(1) != 0);
  return true;
}

bool import_sorting_composite(OpImport& op, const std::string& name) {
  if (name != "chlo.top_k" || op.operand_count() != 1 || op.op().results.size() != 2) return false;
  top_k(op, op.entry("composite_attributes", "largest").value_or(1) != 0);
  return true;
}

}  // namespace ingot::stablehlo
