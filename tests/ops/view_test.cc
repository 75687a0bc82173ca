// Every view with attributes at random: its index map must pick the same elements as its reference, which
// shares no code with it. The map is also asked about what a view of a view asks: an expression instead of a
// plain variable.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "ir/builder.h"
#include "ops/reference.h"

namespace ingot::ops {
namespace {

using ir::ViewPiece;

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  int64_t below(int64_t n) { return std::uniform_int_distribution<int64_t>(0, n - 1)(engine_); }
  // Mostly small extents, now and then 0 or 1.
  Shape shape(int64_t rank) {
    Shape shape;
    for (int64_t i = 0; i < rank; ++i) shape.push_back(below(12) == 0 ? 0 : 1 + below(5));
    return shape;
  }
  IntList permutation(int64_t n) {
    IntList list(static_cast<size_t>(n));
    std::iota(list.begin(), list.end(), 0);
    std::shuffle(list.begin(), list.end(), engine_);
    return list;
  }

 private:
  std::mt19937_64 engine_;
};

struct Example {
  std::vector<Shape> operands;
  Attributes attributes;
};

// Splits n into a product of extents.
Shape factors(Random& random, int64_t n) {
  if (n == 0) return {random.below(4), 0, random.below(3)};
  Shape shape;
  while (n > 1) {
    int64_t factor = 1 + random.below(n);
    while (n % factor != 0) --factor;
    shape.push_back(factor);
    n /= factor;
    if (shape.size() > 4) break;
  }
  shape.push_back(n);
  return shape;
}

Example random_example(std::string_view name, Random& random) {
  const int64_t rank = 1 + random.below(4);
  const Shape shape = random.shape(rank);
  const int64_t axis = random.below(rank);
  const size_t a = static_cast<size_t>(axis);
  if (name == "iota") return {{}, {{"dtype", DType::kS32}, {"shape", shape}, {"axis", axis}}};
  if (name == "transpose") return {{shape}, {{"permutation", random.permutation(rank)}}};
  if (name == "reverse") {
    IntList axes = random.permutation(rank);
    axes.resize(static_cast<size_t>(random.below(rank + 1)));
    return {{shape}, {{"axes", axes}}};
  }
  if (name == "reshape") return {{shape}, {{"shape", factors(random, element_count(shape))}}};
  if (name == "broadcast") {
    IntList dims = random.permutation(rank);
    dims.resize(static_cast<size_t>(random.below(rank + 1)));
    Shape from;
    for (int64_t d : dims) from.push_back(shape[static_cast<size_t>(d)]);
    return {{from}, {{"shape", shape}, {"dims", dims}}};
  }
  if (name == "slice") {
    IntList starts, limits, strides;
    for (int64_t extent : shape) {
      starts.push_back(random.below(extent + 1));
      limits.push_back(starts.back() + random.below(extent - starts.back() + 1));
      strides.push_back(1 + random.below(3));
    }
    return {{shape}, {{"starts", starts}, {"limits", limits}, {"strides", strides}}};
  }
  if (name == "take") {
    IntList indices;
    const int64_t count = shape[a] == 0 ? 0 : random.below(6),
                  first = random.below(std::max<int64_t>(shape[a], 1));
    for (int64_t i = 0; i < count; ++i)
      indices.push_back(random.below(4) > 0 ? random.below(shape[a]) : first);
    return {{shape}, {{"axis", axis}, {"indices", indices}}};
  }
  if (name == "hold") return {{shape}, {{"dims", IntList{axis}}}};
  if (name == "concatenate") {
    std::vector<Shape> shapes;
    for (int64_t n = 1 + random.below(4); n > 0; --n) {
      shapes.push_back(shape);
      shapes.back()[a] = random.below(4);
    }
    return {shapes, {{"axis", axis}}};
  }
  if (name == "pad") {
    IntList low, high, interior;
    for (int64_t i = 0; i < rank; ++i) {
      low.push_back(random.below(3));
      high.push_back(random.below(3));
      interior.push_back(random.below(3));
    }
    return {{shape, {}}, {{"low", low}, {"high", high}, {"interior", interior}}};
  }
  ADD_FAILURE() << "no examples of " << name << ": add them here";
  return {};
}

int64_t element_by_map(const std::vector<ViewPiece>& pieces, const std::vector<Tensor>& operands,
                       const std::function<int64_t(int)>& value) {
  for (const ViewPiece& piece : pieces) {
    const bool applies =
        std::all_of(piece.guards.begin(), piece.guards.end(), [&](const ViewPiece::Guard& guard) {
          const int64_t at = guard.index.evaluate(value);
          return guard.low <= at && at < guard.high;
        });
    if (!applies) continue;
    std::vector<int64_t> index;
    for (const Index& i : piece.index) index.push_back(i.evaluate(value));
    if (piece.operand == ViewPiece::kIndexValue) return index[0];
    const Tensor& from = operands[static_cast<size_t>(piece.operand)];
    for (size_t i = 0; i < index.size(); ++i) {
      if (index[i] < 0 || index[i] >= from.shape()[i]) return -1000;
    }
    return from.get_int(linear_index(index, strides_of(from.shape())));
  }
  return -2000;
}

class WithoutRegions : public Evaluator {
  Tensors run(const ir::Region&, std::span<const Tensor>) override { throw InternalError("no regions here"); }
};

void check_example(const OpRecord& record, const Example& example, Random& random) {
  ir::Module module;
  ir::Function* function = module.add_function("f");
  std::vector<Value*> arguments;
  std::vector<Tensor> operands;
  int64_t next = 1;
  for (const Shape& shape : example.operands) {
    arguments.push_back(function->body().add_argument({DType::kS32, shape}));
    operands.emplace_back(DType::kS32, shape);
    for (int64_t i = 0; i < operands.back().size(); ++i) operands.back().set_int(i, next++);
  }
  Op* op = ir::Builder(function->body()).make(record.name, arguments, example.attributes);
  WithoutRegions none;
  ir::ReferenceFn reference = record.reference;
  const Tensor want = reference(*op, operands, none)[0];
  ASSERT_EQ(want.shape(), op->result()->shape());

  // Each index of the result as a variable, and as a variable that counts from an offset below zero, as in a
  // concatenate that looks at the second half of a longer array.
  const Shape& shape = want.shape();
  std::vector<Index> plain, shifted;
  const int64_t offset = 1 + random.below(3);
  for (size_t i = 0; i < shape.size(); ++i) {
    plain.push_back(Index::variable(static_cast<int>(i), shape[i]));
    shifted.push_back(Index::variable(static_cast<int>(i), shape[i] + offset) - Index(offset));
  }
  auto map = *std::get<ir::View>(*record.becomes).map;
  const std::vector<ViewPiece> pieces = map(*op, plain), shifted_pieces = map(*op, shifted);
  EXPECT_TRUE(pieces.back().guards.empty());
  std::vector<int64_t> index(shape.size(), 0);
  for (int64_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(element_by_map(pieces, operands, [&](int id) { return index[static_cast<size_t>(id)]; }),
              want.get_int(i))
        << *record.name << " to " << to_string(shape) << " at " << i;
    EXPECT_EQ(element_by_map(shifted_pieces, operands,
                             [&](int id) { return index[static_cast<size_t>(id)] + offset; }),
              want.get_int(i));
    if (::testing::Test::HasFailure()) return;
    next_index(shape, index);
  }
}

TEST(ViewTest, EveryMapAgreesWithItsReference) {
  Random random(5);
  for (const OpRecord* record : ir::all_records()) {
    if (!std::holds_alternative<ir::View>(*record->becomes)) continue;
    for (int i = 0; i < 400 && !HasFailure(); ++i)
      check_example(*record, random_example(record->name, random), random);
  }
}

TEST(ViewTest, ReshapeKeepsWholeDimensionsAsTheyAre) {
  ir::Module module;
  ir::Function* function = module.add_function("f");
  Value* x = function->body().add_argument({DType::kF32, {7, 16, 5}});
  Op* op = ir::Builder(function->body()).make("reshape", {x}, {{"shape", IntList{7, 4, 4, 5}}});
  std::vector<Index> index;
  for (int i = 0; i < 4; ++i)
    index.push_back(Index::variable(i, op->result()->shape()[static_cast<size_t>(i)]));
  const ViewPiece piece = (*std::get<ir::View>(*op->record().becomes).map)(*op, index)[0];
  EXPECT_TRUE(piece.index[0].is_variable(0));
  EXPECT_EQ(piece.index[1], index[1] * 4 + index[2]);
  EXPECT_TRUE(piece.index[2].is_variable(3));
}

TEST(ViewTest, TakeOfAProgressionNeedsNoTable) {
  ir::Module module;
  ir::Function* function = module.add_function("f");
  Value* x = function->body().add_argument({DType::kF32, {10}});
  Op* op =
      ir::Builder(function->body()).make("take", {x}, {{"axis", int64_t{0}}, {"indices", IntList{9, 7, 5}}});
  const Index i = Index::variable(0, 3);
  const ViewPiece piece = (*std::get<ir::View>(*op->record().becomes).map)(*op, {&i, 1})[0];
  EXPECT_EQ(piece.index[0], i * -2 + Index(9));
}

}  // namespace
}  // namespace ingot::ops
