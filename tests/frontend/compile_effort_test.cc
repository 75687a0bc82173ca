// What compiling costs grows with a program, not with its square: by how many groups of operations are
// lowered. What a kernel of many arrays costs is counted in tests/kernel/effort_test.cc.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "compiler/compiler.h"
#include "frontend/testing.h"
#include "ingot/ingot.h"
#include "ir/text.h"

namespace ingot {
namespace {

template <class F>
int64_t lowerings(const F& f, const Array& x) {
  return compiler::compile(ir::parse(jit(f).lower(x).text())).lowerings;
}

// Its pieces make groups that are no kernel as a whole, which are cut: 304 of 400 were tried.
TEST(CompileEffortTest, GradientsThroughManyJoinedPieces) {
  const auto of_pieces = [](int count) {
    return grad([count](const Array& x) {
      std::vector<Array> pieces;
      for (int i = 0; i < count; ++i) pieces.push_back(sin(x * static_cast<float>(i)));
      return sum(square(concatenate(pieces)));
    });
  };
  EXPECT_LE(lowerings(of_pieces(400), full({3}, 0.5f)), 60);
}

// Small products written out: hundreds of operations that share kernels with all others. 700 were tried.
TEST(CompileEffortTest, GradientsOfSmallComplexFactors) {
  const auto loss = grad([](const Array& a) {
    const auto s = svd(a, {.full_matrices = false});
    return sum(square(abs(matmul(s.u * expand_dims(log(s.s), -2), s.vh))));
  });
  EXPECT_LE(lowerings(loss, Array::zeros({3, 4, 4}, DType::kC64)), 100);
}

// A place behind a chain of views took twice as many divisions for each of them: a minute and 3 GB for 20. A
// copy goes between some of them.
TEST(CompileEffortTest, ChainsOfShuffles) {
  const auto shuffled = [](const Array& x) {
    Array y = x;
    for (int i = 0; i < 40; ++i) y = reshape(transpose(y), {28, 20});
    return -y;
  };
  const Array x = reshape(arange(560, DType::kF32), {28, 20});
  EXPECT_LE(lowerings(shuffled, x), 60);
  std::vector<float> right(560), next(560);
  for (size_t i = 0; i < 560; ++i) right[i] = static_cast<float>(i);
  for (int k = 0; k < 40; ++k) {
    for (size_t i = 0; i < 560; ++i) next[i] = right[i % 28 * 20 + i / 28];
    right = next;
  }
  for (float& number : right) number = -number;
  EXPECT_EQ(reshape(jit(shuffled)(x), {560}).to_vector<float>(), right);
}

// Each carry asked for all others whether it could lie there, with what the kernel says of it: half a minute.
TEST(CompileEffortTest, LoopsOfManyCarries) {
  const std::vector<Array> xs(700, full({3}, 1.f));
  const auto doubled = jit([](const std::vector<Array>& carries) {
    return fori_loop(
        0, 10,
        [](const Array&, std::vector<Array> c) {
          for (Array& each : c) each = each * 2;
          return c;
        },
        carries);
  });
  EXPECT_EQ(doubled(xs).back().to_vector<float>(), std::vector<float>(3, 1024.f));
}

// Each pair of what may lie in one place had the whole kernel counted again: 33 s.
TEST(CompileEffortTest, LoopsOfManyCarriesThatAreChangedInPart) {
  const std::vector<Array> xs(500, full({400}, 1.f));
  const auto changed = jit([](const std::vector<Array>& carries) {
    return fori_loop(
        0, 10,
        [](const Array& i, std::vector<Array> c) {
          for (Array& each : c) each = each.at(i).set(2.f);
          return c;
        },
        carries);
  });
  EXPECT_EQ(sum(changed(xs).back()).item<float>(), 410.f);
}

// Each loop asked twice what depends on its arguments in the one inside of it: 16 s for 24 of them.
TEST(CompileEffortTest, GradientsOfLoopsInLoops) {
  const std::function<Array(int, const Array&)> nest = [&](int depth, const Array& x) {
    if (depth == 0) return sin(x);
    return fori_loop(
        0, 1, [&](const Array&, const Array& y) { return nest(depth - 1, y); }, x);
  };
  const Array x = full({3}, 0.5f);
  const Array slope = jit(grad([&](const Array& y) { return sum(nest(36, y)); }))(x);
  EXPECT_NEAR(slope.to_vector<float>()[0], std::cos(0.5f), 1e-6);
}

// A loop of known length around one of unknown length is one kernel: 4,000 launches.
TEST(CompileEffortTest, LoopsOfUnknownLengthInLoopsOfKnown) {
  const auto root = [](const Array& a) {
    return while_loop([&](const Array& x) { return abs(x * x - a) > 1e-5f * a; },
                      [&](const Array& x) { return (x + a / x) / 2; }, a + 1);
  };
  const Array a = linspace(1, 50, 600);
  const auto launches = [&](const auto& f) {
    return compiler::compile(ir::parse(jit(f).lower(a).text())).executable->launch_count();
  };
  const auto of_all = [&](const Array& all) { return map(root, all); };
  EXPECT_LE(launches(of_all), 6);
  const std::vector<float> roots = jit(vmap(root))(a).to_vector<float>();
  EXPECT_EQ(jit(of_all)(a).to_vector<float>(), roots);
  // Backwards, with what one step hands on, and rows that are stacked as columns.
  const auto handed_on = [&](const Array& all) {
    const auto step = [&](const Array& before, const Array& now) {
      const Array r = root(now + before / 2);
      return std::pair(r, stack({r, now}));
    };
    const auto [last, rows] = scan(step, Array(1.f), all, {.reverse = true, .ys_axis = 1});
    return std::pair(last, rows);
  };
  EXPECT_LE(launches(handed_on), 6);
  float before = 1;
  const auto [last, rows] = jit(handed_on)(a);
  const std::vector<float> all = a.to_vector<float>(), stacked = rows.to_vector<float>();
  ASSERT_EQ(rows.shape(), (Shape{2, 600}));
  for (size_t i = 600; i-- > 0;) {
    before = std::sqrt(all[i] + before / 2);
    EXPECT_NEAR(stacked[i], before, 1e-3) << i;
    EXPECT_EQ(stacked[600 + i], all[i]);
  }
  EXPECT_NEAR(last.item<float>(), before, 1e-3);
}

}  // namespace
}  // namespace ingot
