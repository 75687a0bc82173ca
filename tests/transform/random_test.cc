// Random programs, with loops, calls and whole patterns: forward, linear and reverse mode agree, compiled and
// not, to the second order.
#include <gtest/gtest.h>

#include "ir/text.h"
#include "testing/random_program.h"
#include "transform/check_derivatives.h"

namespace ingot::transform {
namespace {

// Some operations have a derivative only for some of their attributes.
bool has_derivative(const ir::Module& module) {
  bool known = true;
  for (const auto& function : module.functions()) {
    walk(function->body(), [&](const ir::Op& op) {
      if (op.name() != "scatter" || !is_float(op.result()->dtype())) return;
      const std::string& combiner = op.attributes().get<std::string>("combiner");
      known = known && (combiner == "add" || combiner == "set");
    });
  }
  return known;
}

void check(uint64_t first, uint64_t last, const testing::RandomProgramOptions& program_options,
           const testing::DerivativeOptions& options) {
  for (uint64_t seed = first; seed < last; ++seed) {
    const testing::RandomProgram program = testing::random_program(seed, program_options);
    if (!has_derivative(*program.module)) continue;
    EXPECT_EQ(testing::check_derivatives(*program.module, seed, options), "") << "seed " << seed << "\n"
                                                                              << to_string(*program.module);
    if (::testing::Test::HasFailure()) return;
  }
}

testing::RandomProgramOptions small() {
  testing::RandomProgramOptions options;
  options.operations = 12;
  options.max_elements = 300;
  options.max_length = 6;
  options.dtypes = {DType::kF64, DType::kF64, DType::kF64, DType::kS32, DType::kPred};
  return options;
}

TEST(DerivativesOfRandomProgramsTest, ModesAgree) {
  check(0, 150, small(), {.order = 1, .compiled = false, .smooth = false});
}

TEST(DerivativesOfRandomProgramsTest, ModesAgreeTwice) {
  check(1000, 1050, small(), {.order = 2, .compiled = false, .smooth = false});
}

TEST(DerivativesOfRandomProgramsTest, CompiledOnesAgree) {
  check(2000, 2020, small(), {.order = 1, .smooth = false, .compiled_tolerance = 1e-5});
}

TEST(DerivativesOfRandomProgramsTest, ManyAgreeSlow) {
  check(5000, 5250, small(), {.order = 2, .compiled = false, .smooth = false});
  check(6000, 6050, small(), {.order = 1, .smooth = false, .compiled_tolerance = 1e-5});
}

}  // namespace
}  // namespace ingot::transform
