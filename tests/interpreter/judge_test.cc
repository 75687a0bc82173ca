// What rounding may make of a program: room where it is ill-conditioned, and none where it is not.

#include "interpreter/judge.h"

#include <gtest/gtest.h>

#include <cmath>

#include "interpreter/in_f64.h"
#include "interpreter/interpreter.h"
#include "ir/text.h"
#include "ir/verifier.h"

namespace ingot {
namespace {

Judgement judgement_of(const std::string& text, const std::vector<Tensor>& arguments) {
  return judge(*ir::parse(text), arguments);
}

Tensor f32(const std::vector<float>& values) {
  return Tensor::of<float>({static_cast<int64_t>(values.size())}, values);
}

double room(const Judgement& judgement, int64_t i, size_t result = 0) {
  return judgement.room[result].data<double>()[i];
}

TEST(InF64, KeepsIntegersConstantsAndBits) {
  const auto module = ir::parse(
      R"(func @main(%x: f32[2], %h: bf16[2], %n: s32[2]) -> (f32[2], s32[2], bf16[2], c64[2], s32[2]) {
  %third = constant() {value = dense f32[2]{0.33333334,1}} : f32[2]
  %y = mul(%x, %third) : f32[2]
  %bits = bitcast(%x) {dtype = s32} : s32[2]
  %k = convert(%h) {dtype = f32} : f32[2]
  %l = add(%k, %x) : f32[2]
  %m = convert(%l) {dtype = bf16} : bf16[2]
  %z = complex(%x, %y) : c64[2]
  %o = add(%n, %bits) : s32[2]
  return %y, %bits, %m, %z, %o
}
)");
  const InF64 wide = in_f64(*module);
  ir::verify(*wide.module);
  const Tensor x = f32({0.1f, 3}), h = converted(f32({1, 2}), DType::kBF16);
  const Tensor n = Tensor::of<int32_t>({2}, {2147483647, 5});
  const std::vector<Tensor> own = interpret(*module, std::vector{x, h, n});
  const std::vector<Tensor> got =
      interpret(*wide.entry, std::vector{converted(x, DType::kF64), converted(h, DType::kF64), n});
  EXPECT_EQ(got[0].data<double>()[0], static_cast<double>(0.1f) * static_cast<double>(0.33333334f));
  EXPECT_EQ(got[1], own[1]);
  EXPECT_EQ(got[2].dtype(), DType::kF64);
  EXPECT_EQ(got[2].data<double>()[0], 1 + static_cast<double>(0.1f));
  EXPECT_EQ(got[3].dtype(), DType::kC128);
  EXPECT_EQ(got[4], own[4]);
}

// Where a threshold holds most neighbours, no element has by chance less room than a few roundings take.
TEST(Judge, GivesRoomBesideThresholds) {
  const int64_t n = 300000;
  std::vector<Tensor> arguments;
  for (const uint64_t seed : {1, 2, 3}) {
    Tensor x(DType::kF32, {n});
    uint64_t state = seed;
    for (int64_t i = 0; i < n; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      x.set_double(i, static_cast<double>(state >> 40) * 0x1p-23 - 1);
    }
    arguments.push_back(x);
  }
  const Judgement judgement = judgement_of(
      "func @main(%x: f32[300000], %g: f32[300000], %b: f32[300000]) -> (f32[300000]) {\n"
      "  %p = mul(%x, %g) : f32[300000]\n  %s = add(%p, %b) : f32[300000]\n"
      "  %zero = constant() {value = dense f32[]{0}} : f32[]\n"
      "  %z = broadcast(%zero) {shape = [300000], dims = []} : f32[300000]\n"
      "  %y = max(%s, %z) : f32[300000]\n  return %y\n}\n",
      arguments);
  for (int64_t i = 0; i < n; ++i) {
    if (judgement.expected[0].get_double(i) == 0) continue;
    const double product = std::abs(arguments[0].get_double(i) * arguments[1].get_double(i));
    ASSERT_GE(room(judgement, i), 3 * 0x1p-24 * product) << i;
  }
}

TEST(Judge, GivesRoomByCondition) {
  // Of (x + 1e8) - 1e8 nothing is left; of x + x everything.
  const Judgement judgement =
      judgement_of(R"(func @main(%x: f32[8], %big: f32[8]) -> (f32[8], f32[8]) {
  %a = add(%x, %big) : f32[8]
  %b = sub(%a, %big) : f32[8]
  %c = add(%x, %x) : f32[8]
  return %b, %c
}
)",
                   {f32({.1f, .2f, .3f, .4f, .5f, .6f, .7f, .8f}), f32(std::vector<float>(8, 1e8f))});
  for (int64_t i = 0; i < 8; ++i) {
    EXPECT_GE(room(judgement, i, 0), 8);
    EXPECT_LE(room(judgement, i, 0), 1000);
    EXPECT_LE(room(judgement, i, 1), 4e-6);
    EXPECT_GT(room(judgement, i, 1), 0);
  }
  EXPECT_EQ(judgement.undecided, 0);
}

TEST(Judge, DecisionsThatHangOnRoundingGetRoomForBoth) {
  // 3 * (1 / 3) is below or above 1; the others are far from it.
  const Judgement judgement =
      judgement_of(R"(func @main(%x: f32[8], %three: f32[8]) -> (f32[8], s32[8], pred[8]) {
  %one = constant() {value = dense f32[8]{1,1,1,1,1,1,1,1}} : f32[8]
  %t = div(%x, %three) : f32[8]
  %y = mul(%t, %three) : f32[8]
  %f = floor(%y) : f32[8]
  %n = convert(%f) {dtype = s32} : s32[8]
  %p = compare(%y, %one) {direction = "lt"} : pred[8]
  return %f, %n, %p
}
)",
                   {f32({1, 1.5f, 2.5f, 3.5f, 4.5f, 5.5f, 6.5f, 0.5f}), f32(std::vector<float>(8, 3))});
  EXPECT_GE(room(judgement, 0, 0), 1);
  EXPECT_LE(room(judgement, 5, 0), 1e-5);
  EXPECT_EQ(room(judgement, 0, 1), Judgement::kUndecided);
  EXPECT_EQ(room(judgement, 5, 1), 0);
  EXPECT_EQ(room(judgement, 0, 2), Judgement::kUndecided);
  EXPECT_EQ(room(judgement, 1, 2), 0);
  EXPECT_EQ(judgement.undecided, 2);
}

TEST(Judge, ExactArithmeticDecidesExactly) {
  // Whole numbers as floats: a mask by position has no edge that rounding could move.
  const Judgement judgement = judgement_of(R"(func @main(%x: f32[8]) -> (pred[8]) {
  %i = iota() {axis = 0, dtype = f32, shape = [8]} : f32[8]
  %s = sub(%i, %x) : f32[8]
  %z = constant() {value = dense f32[8]{0,0,0,0,0,0,0,0}} : f32[8]
  %p = compare(%s, %z) {direction = "le"} : pred[8]
  return %p
}
)",
                                           {f32({0, 1, 2, 3, 4, 5, 6, 7})});
  EXPECT_EQ(judgement.undecided, 0);
}

TEST(Judge, InfinitiesAndNansAreExpectedWhereAllAgree) {
  const float large = 0x1.fffffep63f;  // its square is one ulp below the largest number
  const Judgement judgement = judgement_of(R"(func @main(%x: f32[4]) -> (f32[4], f32[4], f32[4]) {
  %e = exp(%x) : f32[4]
  %l = log(%x) : f32[4]
  %q = mul(%x, %x) : f32[4]
  return %e, %l, %q
}
)",
                                           {f32({100, -2, large, 1})});
  EXPECT_EQ(judgement.expected[0].data<double>()[0], INFINITY);
  EXPECT_GE(room(judgement, 0, 0), 0);
  EXPECT_TRUE(std::isnan(judgement.expected[1].data<double>()[1]));
  EXPECT_NE(room(judgement, 1, 1), Judgement::kUndecided);
  EXPECT_LT(room(judgement, 2, 2), 0);  // infinity will do
  const std::vector<Tensor> results = {f32({3e38f, std::exp(-2.0f), INFINITY, std::exp(1.0f)}),
                                       f32({std::log(100.0f), -1, std::log(large), 0}),
                                       f32({10000, 4, INFINITY, 1})};
  EXPECT_EQ(compare(results, judgement).wrong, 2);
}

// A square root of 1 - exp(x) has no room for a NaN where x is not positive, however large x is.
TEST(Judge, MovesDoNotCrossWhatFunctionsDoNotCross) {
  const Judgement judgement = judgement_of(R"(func @main(%x: f32[6]) -> (f32[6]) {
  %e = exp(%x) : f32[6]
  %one = constant() {value = dense f32[6]{1,1,1,1,1,1}} : f32[6]
  %d = sub(%one, %e) : f32[6]
  %r = sqrt(%d) : f32[6]
  return %r
}
)",
                                           {f32({-1e-9f, -1e-8f, -3e-8f, -1e-7f, -0.25f, -100})});
  for (int64_t i = 0; i < 6; ++i) EXPECT_GT(room(judgement, i), 0);
  EXPECT_EQ(judgement.undecided, 0);
}

TEST(Judge, SumsHaveRoomForTheirOrder) {
  // Terms of both signs: what counts is their magnitudes, not the sum.
  std::vector<float> values;
  for (int i = 0; i < 1000; ++i) values.push_back(std::sin(static_cast<float>(i)) * 1000);
  const Judgement judgement = judgement_of(R"(func @main(%x: f32[1000]) -> (f32[]) {
  %zero = constant() {value = dense f32[]{0}} : f32[]
  %s = reduce(%x, %zero) {axes = [0]} (%a: f32[], %b: f32[]) {
    %c = add(%a, %b) : f32[]
    return %c
  } : f32[]
  return %s
}
)",
                                           {f32(values)});
  EXPECT_GE(room(judgement, 0), 1000 * 600 * 0x1p-24);
  EXPECT_LE(room(judgement, 0), 1000 * 600 * 0x1p-24 * 1000);
}

// Zeros of a transform are sums that cancel: their room is that of the row, whatever the algorithm.
TEST(Judge, TransformsHaveRoomByTheirRows) {
  for (const bool inverse : {false, true}) {
    const std::string half = "c64[2,50]", whole = "f32[2,99]", from = inverse ? half : whole,
                      to = inverse ? whole : half;
    Tensor x(inverse ? DType::kC64 : DType::kF32, {2, inverse ? 50 : 99});
    for (int64_t i = 0; i < x.size(); ++i) x.set_double(i, i < x.size() / 2 ? 1 : 1000);
    const Judgement judgement = judgement_of(
        "func @main(%x: " + from + ") -> (" + to + ") {\n  %y = fft(%x) {fft_length = [99], fft_type = \"" +
            (inverse ? "irfft" : "rfft") + "\"} : " + to + "\n  return %y\n}\n",
        {x});
    EXPECT_EQ(judgement.undecided, 0);
    // Of rows of ones and of thousands, an element in the middle, beyond the neighbours' reach.
    const int64_t row = judgement.room[0].size() / 2;
    const double size = inverse ? 1 / std::sqrt(99) : std::sqrt(99);
    for (const auto& [at, scale] : {std::pair<int64_t, double>{row / 2, 1}, {row + row / 2, 1000}}) {
      EXPECT_GE(room(judgement, at), scale * size * 4 * 0x1p-24);
      EXPECT_LE(room(judgement, at), scale * size * 400 * 0x1p-24);
    }
  }
}

}  // namespace
}  // namespace ingot
