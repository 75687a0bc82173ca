// Loops that are cut by remainders, so that their work can be counted.
#include "kernel/ir/residues.h"

#include <gtest/gtest.h>

#include "kernel/ir/count_work.h"
#include "testing/kernel_builder.h"
#include "testing/kernel_interpreter.h"

namespace ingot {
namespace {

using namespace testing;

// y[i] = x[(i + shift) div modulus] where (i + shift) mod modulus is 0, else 0.
Kernel dilated(int64_t extent, int64_t modulus, int64_t shift = 0, LoopKind kind = LoopKind::kParallel,
               int64_t step = 1) {
  KernelBuilder b("dilated");
  const BufferId x = b.input(DType::kF32, extent + shift), y = b.output(DType::kF32, extent);
  b.loop(
      kind, LoopStyle::kSerial, extent,
      [&](Index i) {
        const Index at = i + shift;
        const ScalarId hit = b.in_range(at.mod(modulus), 0, 1), zero = b.literal(0.0f);
        b.store(y, i, b.let_as(DType::kF32, "select", {hit, b.load(x, at.floor_div(modulus), hit), zero}));
      },
      step);
  return b.finish();
}

std::vector<float> values_of(const Kernel& kernel) {
  std::vector<float> x(static_cast<size_t>(kernel.buffers[0].elements));
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i + 1);
  const std::vector<Tensor> inputs = {Tensor::of<float>({static_cast<int64_t>(x.size())}, x)};
  const Tensor y = run_kernel(kernel, inputs).outputs[0];
  return {y.data<float>(), y.data<float>() + y.size()};
}

TEST(ResiduesTest, ALoopBecomesOneOverMultiplesAndOneOverRemainders) {
  const Kernel whole = dilated(12, 4);
  const auto cut = cut_by_residues(whole);
  ASSERT_TRUE(cut);
  verify(*cut);
  EXPECT_EQ(to_string(*cut),
            "kernel dilated(in in0: f32[12], out out1: f32[12]) {\n"
            "  parallel i_div in 0..3 {\n"
            "    parallel i_mod in 0..4 {\n"
            "      %0 = 0 <= i_mod < 1\n"
            "      %1 = literal f32 0\n"
            "      %2 = load in0[i_div] if %0\n"
            "      %3 = select(%0, %2, %1) : f32\n"
            "      store out1[i_mod + 4*i_div], %3\n"
            "    }\n"
            "  }\n"
            "}\n");
  EXPECT_EQ(values_of(*cut), values_of(whole));
}

// What a remainder is of may begin anywhere, and maps are cut as loops of the band are.
TEST(ResiduesTest, MeansTheSame) {
  for (const auto& [extent, modulus, shift] :
       {std::tuple{12, 4, 1}, {12, 3, 2}, {24, 6, 5}, {30, 2, 1}, {10, 5, 3}}) {
    for (const LoopKind kind : {LoopKind::kParallel, LoopKind::kMap}) {
      const Kernel whole = dilated(extent, modulus, shift, kind);
      const auto cut = cut_by_residues(whole);
      ASSERT_TRUE(cut) << extent << " " << modulus;
      verify(*cut);
      EXPECT_EQ(values_of(*cut), values_of(whole)) << to_string(*cut);
    }
  }
}

// Two remainders cut a loop by their least common multiple.
TEST(ResiduesTest, SeveralRemaindersOfOneLoop) {
  KernelBuilder b("two");
  const BufferId y = b.output(DType::kF32, 24);
  b.parallel(24, [&](Index i) {
    const ScalarId both = b.let("and", {b.in_range(i.mod(4), 1, 2), b.in_range((i + 1).mod(6), 0, 3)});
    b.store(y, i, b.let_as(DType::kF32, "select", {both, b.literal(1.0f), b.literal(0.0f)}));
  });
  const Kernel whole = b.finish();
  const auto cut = cut_by_residues(whole);
  ASSERT_TRUE(cut);
  verify(*cut);
  const Loop& outer = std::get<Loop>(cut->body.stmts[0].node);
  EXPECT_EQ(outer.extent, 2);
  EXPECT_EQ(std::get<Loop>(outer.body.stmts[0].node).extent, 12);
  const auto run = [](const Kernel& kernel) {
    const Tensor y = run_kernel(kernel, {}).outputs[0];
    return std::vector<float>(y.data<float>(), y.data<float>() + y.size());
  };
  EXPECT_EQ(run(*cut), run(whole));
}

// Both of two loops, and what a loop inside asks of the variable outside.
TEST(ResiduesTest, LoopsInLoops) {
  KernelBuilder b("rows");
  const BufferId y = b.output(DType::kF32, 48);
  b.parallel(6, [&](Index i) {
    b.parallel(8, [&](Index j) {
      const ScalarId hit = b.let("and", {b.in_range(i.mod(3), 0, 1), b.in_range(j.mod(2), 1, 2)});
      b.store(y, i * 8 + j, b.let_as(DType::kF32, "select", {hit, b.literal(1.0f), b.literal(0.0f)}));
    });
  });
  const Kernel whole = b.finish();
  const auto cut = cut_by_residues(whole);
  ASSERT_TRUE(cut);
  verify(*cut);
  const std::string text = to_string(*cut);
  for (const char* loop : {"i_div in 0..2", "i_mod in 0..3", "j_div in 0..4", "j_mod in 0..2"})
    EXPECT_NE(text.find(loop), std::string::npos) << text;
}

TEST(ResiduesTest, WhatIsNotCut) {
  EXPECT_FALSE(cut_by_residues(dilated(13, 4)));    // the last remainders are not all there
  EXPECT_FALSE(cut_by_residues(dilated(4, 4, 1)));  // there is one multiple
  EXPECT_FALSE(cut_by_residues(dilated(12, 4, 0, LoopKind::kParallel, 2)));  // points that overlap
  EXPECT_FALSE(cut_by_residues(dilated(12, 4, 0, LoopKind::kScan)));  // points that wait for each other
  KernelBuilder sum("sum");  // terms that are added up in their order
  const BufferId x = sum.input(DType::kF32, 12), y = sum.output(DType::kF32, 1);
  sum.store(y, 0, sum.reduce(12, LoopStyle::kSerial, sum.literal(0.0f), "add", [&](Index i) {
    return sum.load(x, i, sum.in_range(i.mod(4), 0, 1));
  }));
  EXPECT_FALSE(cut_by_residues(sum.finish()));
  KernelBuilder plain("plain");  // a remainder that no condition asks for
  const BufferId a = plain.input(DType::kF32, 4), c = plain.output(DType::kF32, 12);
  plain.parallel(12, [&](Index i) { plain.store(c, i, plain.load(a, i.mod(4))); });
  EXPECT_FALSE(cut_by_residues(plain.finish()));
}

// What it is for: a quarter of the elements is read, and counted.
TEST(ResiduesTest, CountsWhatIsRead) {
  Kernel kernel = dilated(4'000'000, 4);
  EXPECT_LE(count_work(kernel), 1000);
  EXPECT_EQ(kernel.parameter_bytes, (std::vector<int64_t>{4'000'000, 16'000'000}));
}

}  // namespace
}  // namespace ingot
