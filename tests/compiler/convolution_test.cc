// Convolutions with awkward sizes: compiled against interpreted.
#include <gtest/gtest.h>

#include <algorithm>

#include "ir/builder.h"
#include "ir/text.h"
#include "ops/convolution.h"
#include "testing/differential.h"
#include "testing/tensors.h"

namespace ingot::compiler {
namespace {

using ir::IntList;
using ops::ConvolutionDims;
using testing::Random;
using testing::random_integer;

IntList shuffled(Random& random, int64_t count) {
  IntList list;
  for (int64_t i = 0; i < count; ++i) list.push_back(i);
  for (size_t i = list.size(); i > 1; --i)
    std::swap(list[i - 1], list[static_cast<size_t>(random_integer(random, 0, static_cast<int64_t>(i) - 1))]);
  return list;
}

struct RandomConvolution {
  ConvolutionDims dims;
  Shape lhs, rhs;
};

// Extents up to `largest`, some of them 0.
RandomConvolution random_convolution(Random& random, int64_t largest) {
  const auto draw = [&](int64_t low, int64_t high) { return random_integer(random, low, high); };
  const int64_t spatial = draw(0, 3), rank = spatial + 2;
  RandomConvolution c;
  c.dims.lhs = shuffled(random, rank);
  c.dims.rhs = shuffled(random, rank);
  c.dims.out = shuffled(random, rank);
  c.dims.feature_groups = draw(0, 3) == 0 ? draw(2, 3) : 1;
  c.dims.batch_groups = c.dims.feature_groups == 1 && draw(0, 5) == 0 ? draw(2, 3) : 1;
  const int64_t groups = std::max(c.dims.feature_groups, c.dims.batch_groups);
  c.lhs.resize(static_cast<size_t>(rank));
  c.rhs.resize(static_cast<size_t>(rank));
  const auto set = [](Shape& shape, int64_t dim, int64_t extent) {
    shape[static_cast<size_t>(dim)] = extent;
  };
  const int64_t summed = draw(0, 15) == 0 ? 0 : draw(1, largest);
  set(c.lhs, c.dims.lhs[0], draw(0, 15) == 0 ? 0 : draw(1, 3) * c.dims.batch_groups);
  set(c.lhs, c.dims.lhs[1], summed * c.dims.feature_groups);
  set(c.rhs, c.dims.rhs[1], summed);
  set(c.rhs, c.dims.rhs[0], draw(1, largest) * groups);
  const int64_t longest = spatial == 1 ? 40 : spatial == 2 ? 13 : 6;
  for (size_t i = 0; i < static_cast<size_t>(spatial); ++i) {
    set(c.lhs, c.dims.lhs[i + 2], draw(0, 20) == 0 ? 0 : draw(1, longest));
    set(c.rhs, c.dims.rhs[i + 2], draw(0, 30) == 0 ? 0 : draw(1, 5));
    c.dims.strides.push_back(draw(0, 1) ? 1 : draw(1, 3));
    c.dims.low.push_back(draw(0, 1) ? draw(0, 2) : draw(-3, 6));
    c.dims.high.push_back(draw(0, 1) ? draw(0, 2) : draw(-3, 6));
    c.dims.lhs_dilation.push_back(draw(0, 3) ? 1 : draw(2, 3));
    c.dims.rhs_dilation.push_back(draw(0, 3) ? 1 : draw(2, 9));
    c.dims.reverse.push_back(draw(0, 3) == 0);
  }
  return c;
}

// With an epilogue, and with what is convolved padded by a number that is an argument.
std::unique_ptr<ir::Module> program_of(const RandomConvolution& c, DType dtype, bool epilogue,
                                       bool padded = false) {
  auto module = std::make_unique<ir::Module>();
  ir::Region& body = module->add_function("main")->body();
  ir::Builder builder(body);
  Shape inner = c.lhs;
  IntList low(inner.size(), 0), high(inner.size(), 0);
  for (size_t i = 0; padded && i < inner.size(); ++i) {
    if (inner[i] < 3) continue;
    inner[i] -= 2;
    low[i] = high[i] = 1;
  }
  ir::Value* lhs = body.add_argument({dtype, inner}, "x");
  ir::Value* rhs = body.add_argument({dtype, c.rhs}, "w");
  if (padded) {
    lhs = builder.value("pad", {lhs, body.add_argument({dtype, {}}, "v")},
                        {{"low", low}, {"high", high}, {"interior", IntList(inner.size(), 0)}});
  }
  ir::Value* result = builder.value("convolution", {lhs, rhs}, c.dims.attributes());
  if (epilogue) {
    const ir::TensorType bias{dtype, {result->shape()[static_cast<size_t>(c.dims.out[1])]}};
    ir::Value* b = builder.value("broadcast", {body.add_argument(bias, "b")},
                                 {{"shape", result->shape()}, {"dims", IntList{c.dims.out[1]}}});
    result =
        builder.value("max", {builder.value("add", {result, b}), body.add_argument(result->type(), "r")});
  }
  body.set_results({result});
  return module;
}

// How many products a result is the sum of, at most.
int64_t terms_of(const RandomConvolution& c) {
  int64_t terms = 1;
  for (size_t d = 1; d < c.dims.rhs.size(); ++d) terms *= c.rhs[static_cast<size_t>(c.dims.rhs[d])];
  return terms * (c.dims.batch_groups > 1 ? c.lhs[static_cast<size_t>(c.dims.lhs[0])] : 1);
}

void check_many(uint64_t seed, int count, int64_t largest, bool machine_code) {
  Random random(seed);
  for (int i = 0; i < count; ++i) {
    const RandomConvolution c = random_convolution(random, largest);
    const DType dtypes[] = {DType::kF32, DType::kF32, DType::kF64, DType::kS32, DType::kU8};
    const DType dtype = dtypes[random_integer(random, 0, 4)];
    const bool epilogue = random_integer(random, 0, 2) == 0;
    const auto module = program_of(c, dtype, epilogue, random_integer(random, 0, 3) == 0);
    const double tolerances[] = {testing::tolerance_of_sum(dtype, terms_of(c) + epilogue)};
    const std::string wrong = testing::check_compiled(*module, tolerances, seed + static_cast<uint64_t>(i),
                                                      {.machine_code = machine_code, .all_targets = false});
    EXPECT_EQ(wrong, "") << ir::to_string(*module);
    if (!wrong.empty()) return;
  }
}

TEST(ConvolutionTest, KernelsOfAwkwardSizesAgreeWithTheInterpreter) {
  check_many(1, 80, 9, false);
}

TEST(ConvolutionTest, MachineCodeOfAwkwardSizesAgreesWithTheInterpreterSlow) {
  check_many(2, 200, 9, true);
  check_many(3, 40, 40, true);
}

// Sizes that fill register tiles, panels and units, with rests: features last, features first, depth-wise;
// and what their gradients are.
TEST(ConvolutionTest, TilesAgreeWithTheInterpreter) {
  const IntList last = {0, 3, 1, 2}, last_window = {3, 2, 0, 1}, first = {0, 1, 2, 3};
  const auto dims = [](IntList lhs, IntList rhs, IntList out, int64_t stride, int64_t pad, int64_t spread) {
    return ConvolutionDims{std::move(lhs),
                           std::move(rhs),
                           std::move(out),
                           {stride, stride},
                           {pad, pad},
                           {pad, pad},
                           {1, 1},
                           {spread, spread},
                           {0, 0},
                           1,
                           1};
  };
  ConvolutionDims by_feature{{0, 2, 1}, {2, 1, 0}, {0, 2, 1}, {1}, {4}, {0}, {1}, {1}, {0}, 40, 1};
  ConvolutionDims by_feature_gradient{{2, 0, 1}, {2, 0, 1}, {1, 2, 0}, {1}, {4}, {0}, {1}, {1}, {0}, 1, 40};
  const RandomConvolution list[] = {
      {dims(last, last_window, last, 1, 1, 1), {2, 19, 17, 24}, {3, 3, 24, 40}},
      {dims(last, last_window, last, 2, 3, 1), {1, 29, 31, 3}, {7, 7, 3, 33}},
      {dims(last, first, last, 1, 0, 2), {1, 13, 29, 9}, {20, 9, 3, 2}},
      {dims(first, first, first, 1, 1, 1), {2, 20, 11, 37}, {30, 20, 3, 3}},
      {dims(first, first, first, 2, 1, 1), {1, 6, 23, 41}, {17, 6, 3, 3}},
      // Gradients of windows: batch and features change places, windows are as large as images.
      {dims({3, 0, 1, 2}, {3, 0, 1, 2}, {2, 3, 0, 1}, 1, 1, 1), {3, 19, 17, 24}, {3, 19, 17, 36}},
      {dims({1, 0, 2, 3}, {1, 0, 2, 3}, {1, 0, 2, 3}, 1, 1, 1), {3, 20, 19, 17}, {3, 33, 19, 17}},
      {dims({3, 0, 1, 2}, {3, 0, 1, 2}, {2, 3, 0, 1}, 1, 3, 2), {2, 29, 31, 3}, {2, 15, 16, 33}},
      {by_feature, {3, 50, 40}, {5, 1, 40}},
      {by_feature_gradient, {3, 50, 40}, {3, 50, 40}},
  };
  uint64_t seed = 0;
  for (const RandomConvolution& c : list) {
    for (bool epilogue : {false, true}) {
      const auto module = program_of(c, DType::kF32, epilogue);
      const double tolerances[] = {testing::tolerance_of_sum(DType::kF32, terms_of(c) + epilogue)};
      EXPECT_EQ(testing::check_compiled(*module, tolerances, ++seed), "") << ir::to_string(*module);
    }
  }
}

}  // namespace
}  // namespace ingot::compiler
