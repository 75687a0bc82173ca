// What it takes to count a kernel's work and to choose its chunks: little, whatever the extents.
#include <gtest/gtest.h>

#include "base/divide.h"
#include "ir/text.h"
#include "kernel/ir/count_work.h"
#include "kernel/ir/in_place.h"
#include "kernel/lower/group.h"
#include "kernel/lower/lower.h"
#include "kernel/schedule/contraction/contraction_choice.h"
#include "testing/kernel_builder.h"

namespace ingot::kernel {
namespace {

// Every length that chunks may have, once.
TEST(EffortTest, SidesAreCutIntoChunksOfEachLengthOnce) {
  for (int64_t length : {1, 2, 7, 12, 100, 1009}) {
    for (int64_t fewest = 1; fewest <= length; ++fewest) {
      for (int64_t most : {fewest, fewest + 1, 3 * fewest, length, length + 5}) {
        std::vector<int64_t> wanted, got;
        for (int64_t count = fewest; count <= most; ++count) {
          const int64_t size = divide_up(length, count);
          if (wanted.empty() || wanted.back() != size) wanted.push_back(size);
        }
        for (int64_t count : counts_of_chunks(length, fewest, most)) {
          ASSERT_TRUE(fewest <= count && count <= most) << length << " " << count;
          got.push_back(divide_up(length, count));
        }
        ASSERT_EQ(got, wanted) << length << " in " << fewest << " to " << most;
      }
    }
  }
  EXPECT_LE(counts_of_chunks(10'000'000, 1, 10'000'000).size(), 6400u);
  EXPECT_LE(counts_of_chunks(int64_t{1} << 44, int64_t{1} << 34, int64_t{1} << 36).size(), 1025u);
}

// The columns of an array that was dilated twice are no intervals: that there are too many of their parts is
// found out once, not for each of the rows.
TEST(EffortTest, RowsOfADilatedArrayAskForTheSamePartsOnce) {
  const auto steps = [](int64_t rows) {
    const std::string in = "f32[" + std::to_string(rows) + ",5]",
                      dilated = "f32[" + std::to_string(2 * rows - 1) + ",400005]",
                      out = "f32[" + std::to_string(8 * rows - 5) + ",1600019]";
    const std::string text = "func @main(%x: " + in + ") -> (" + out +
                             ") {\n  %one = constant() {value = dense f32[]{1}} : f32[]\n"
                             "  %p = pad(%x, %one) {high = [0,4], interior = [1,99999], low = [0,0]} : " +
                             dilated +
                             "\n  %q = pad(%p, %one) {high = [1,1], interior = [3,3], low = [1,1]} : " + out +
                             "\n  return %q\n}\n";
    Kernel kernel = lower(group_of_region(ir::parse(text)->entry()->body()), "main");
    return count_work(kernel);
  };
  EXPECT_LE(steps(40), 2 * steps(10));
}

// Small arrays that come from several places are written out while that is little; beyond, code for each of
// 49 elements was 30 times as much. What has been computed is not done again in each place.
TEST(EffortTest, MuchIsNotWrittenOutForEachOfFewElements) {
  const auto statements = [](int before, int behind) {
    std::string text =
        "func @main(%x: f32[49]) -> (f32[49]) {\n"
        "  %z0 = tanh(%x) : f32[49]\n";
    for (int i = 0; i < before; ++i)
      text += "  %z" + std::to_string(i + 1) + " = sin(%z" + std::to_string(i) + ") : f32[49]\n";
    const std::string z = "%z" + std::to_string(before);
    text += "  %r = reverse(" + z + ") {axes = [0]} : f32[49]\n  %y0 = add(" + z + ", %r) : f32[49]\n";
    for (int i = 0; i < behind; ++i)
      text += "  %y" + std::to_string(i + 1) + " = sin(%y" + std::to_string(i) + ") : f32[49]\n";
    text += "  return %y" + std::to_string(behind) + "\n}\n";
    Kernel kernel = lower(group_of_region(ir::parse(text)->entry()->body()), "main");
    int count = 0;
    for_each_stmt(kernel.body, [&](const Stmt&) { ++count; });
    return count;
  };
  EXPECT_GT(statements(1, 5), 49 * 5);
  EXPECT_LE(statements(1, 50), 100);
  EXPECT_GT(statements(50, 1), 49 * 20);
  EXPECT_LT(statements(50, 1), 49 * 70);
}

// A loop over many carries is a kernel of as many arrays, each of which may lie in the place of each other
// one: a question is about two of them, not about the whole kernel.
TEST(EffortTest, EachPairOfArraysIsAskedAboutByItself) {
  const auto looked_at = [](int arrays) {
    testing::KernelBuilder b("carries");
    std::vector<BufferId> in, out;
    for (int i = 0; i < arrays; ++i) in.push_back(b.input(DType::kF32, 64));
    for (int i = 0; i < arrays; ++i) out.push_back(b.output(DType::kF32, 64));
    b.parallel(64, [&](Index at) {
      for (size_t i = 0; i < in.size(); ++i) {
        const ScalarId x = b.load(in[i], at);
        b.store(out[i], at, b.let("add", {x, x}));
      }
    });
    const Kernel kernel = b.finish();
    const InPlace places(kernel);
    for (int i = 0; i < arrays; ++i) {
      for (int o = 0; o < arrays; ++o) places.why_not(i, o);
    }
    return places.looked_at();
  };
  EXPECT_LE(looked_at(40), 20 * looked_at(10));
}

// Nor is the work of each pair counted anew where arrays are copied and changed in part.
TEST(EffortTest, ArraysThatAreChangedInPartAreCountedTogether) {
  const auto steps = [](int arrays) {
    testing::KernelBuilder b("changed");
    std::vector<BufferId> in, out;
    for (int i = 0; i < arrays; ++i) in.push_back(b.input(DType::kF32, 64));
    for (int i = 0; i < arrays; ++i) out.push_back(b.output(DType::kF32, 64));
    for (size_t i = 0; i < in.size(); ++i) {
      b.map(64, [&](Index at) { b.store(out[i], at, b.load(in[i], at)); });
      b.store(out[i], 5, b.literal(2.0f));
    }
    Kernel kernel = b.finish();
    mark_copies(kernel);
    const int64_t taken = count_work(kernel);
    EXPECT_EQ(kernel.copied_first.size(), in.size());
    return taken;
  };
  EXPECT_LE(steps(40), 5 * steps(10));
}

}  // namespace
}  // namespace ingot::kernel
