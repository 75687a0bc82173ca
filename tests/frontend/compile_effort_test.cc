// What compiling costs grows with a program, not with its square: by how many groups of operations are
// lowered.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace ingot
