// Compiled programs mean what the interpreter says: random ones, and those that once did not.

#include <gtest/gtest.h>

#include <cmath>

#include "interpreter/judge.h"
#include "ir/text.h"
#include "ir/verifier.h"
#include "testing/differential.h"
#include "testing/golden.h"
#include "testing/random_program.h"
#include "testing/tensors.h"

namespace ingot::compiler {
namespace {

void check(uint64_t first, uint64_t last, const testing::RandomProgramOptions& options,
           const testing::DifferentialOptions& how = {}) {
  for (uint64_t seed = first; seed < last; ++seed) {
    testing::RandomProgram program = testing::random_program(seed, options);
    EXPECT_EQ(testing::check_compiled(*program.module, program.tolerances, seed, how), "")
        << "seed " << seed << "\n"
        << to_string(*program.module);
    if (::testing::Test::HasFailure()) return;
  }
}

testing::RandomProgramOptions small() {
  testing::RandomProgramOptions options;
  options.operations = 10;
  options.functions = 1;
  return options;
}

// Kernels as they are lowered and scheduled for every vector width, run by the kernel interpreter.
TEST(DifferentialTest, KernelsOfRandomProgramsMeanTheSame) {
  testing::RandomProgramOptions options = small();
  options.max_elements = 500;
  check(0, 60, options, {.machine_code = false});
}

TEST(DifferentialTest, SmallProgramsComputeTheSame) {
  check(0, 60, small());
}

TEST(DifferentialTest, LargerProgramsComputeTheSame) {
  check(0, 15, {});
}

TEST(DifferentialTest, IntegerProgramsComputeTheSame) {
  testing::RandomProgramOptions options = small();
  options.dtypes = {DType::kS32, DType::kU8, DType::kS64, DType::kPred};
  check(0, 30, options);
}

// State that is changed in part, where it lies.
TEST(DifferentialTest, ProgramsThatUpdateStateComputeTheSame) {
  testing::RandomProgramOptions options = small();
  options.updates = true;
  options.operations = 3;
  options.functions = 0;
  check(0, 40, options);
}

testing::RandomProgramOptions with_narrow_floats(testing::RandomProgramOptions options = {}) {
  options.dtypes = {DType::kBF16, DType::kF16, DType::kBF16, DType::kF32, DType::kS32, DType::kPred};
  return options;
}

TEST(DifferentialTest, ProgramsOfNarrowFloatsComputeTheSame) {
  check(0, 40, with_narrow_floats(small()), {.judged = true});
  check(100, 110, with_narrow_floats(), {.judged = true});
}

TEST(DifferentialTest, NumbersOfAByteOrLess) {
  testing::RandomProgramOptions options = small();
  options.operations = 12;
  const std::vector<DType> others = {DType::kF32, DType::kS32, DType::kPred};
  for (const std::vector<DType>& dtypes :
       {std::vector{DType::kF8E4M3FN}, {DType::kF8E5M2, DType::kS4}, {DType::kS4, DType::kU4, DType::kS2}}) {
    options.dtypes = dtypes;
    options.dtypes.insert(options.dtypes.end(), others.begin(), others.end());
    check(0, 40, options);
  }
}

// What the programs above compute could not be zeros, or have another sign. A result that is zero but for the
// rounding of an f32 constant, as that of 13 equal rows less their sum times 1/13, may be, and so may one
// beside a jump: the one that is named.
TEST(DifferentialTest, ResultsOfNarrowFloatsHaveLittleRoom) {
  int results = 0;
  std::vector<std::string> loose;
  for (uint64_t seed = 0; seed < 64; ++seed) {
    const testing::RandomProgram program = testing::random_program(seed, with_narrow_floats(small()));
    testing::Random random(seed);
    const Judgement judgement = judge(*program.module, testing::random_arguments(random, *program.module));
    EXPECT_TRUE(compare(judgement.own, judgement).good()) << seed;
    for (size_t r = 0; r < judgement.own.size(); ++r) {
      const Tensor& own = judgement.own[r];
      if (!is_float(own.dtype())) continue;
      bool any = false;
      // Tensors of other memory: copies share theirs.
      std::vector<Tensor> zeros = judgement.own, negated = judgement.own;
      zeros[r] = Tensor(own.dtype(), own.shape());
      negated[r] = Tensor(own.dtype(), own.shape());
      for (int64_t i = 0; i < own.size(); ++i) {
        any |= std::abs(judgement.expected[r].get_double(i)) > 1e-6;
        zeros[r].set_double(i, 0);
        negated[r].set_double(i, -own.get_double(i));
      }
      if (!any) continue;
      ++results;
      if (compare(zeros, judgement).good() || compare(negated, judgement).good())
        loose.push_back("seed " + std::to_string(seed) + ", result " + std::to_string(r));
    }
  }
  EXPECT_GT(results, 100);
  EXPECT_EQ(loose, std::vector<std::string>{"seed 15, result 2"});
}

TEST(DifferentialTest, KernelsOfNarrowFloatsMeanTheSame) {
  testing::RandomProgramOptions options = with_narrow_floats(small());
  options.max_elements = 500;
  check(200, 230, options, {.machine_code = false, .judged = true});
}

testing::RandomProgramOptions with_complex_numbers(testing::RandomProgramOptions options = {}) {
  options.dtypes = {DType::kC64, DType::kC128, DType::kC64, DType::kF32,
                    DType::kF64, DType::kS32,  DType::kPred};
  return options;
}

TEST(DifferentialTest, ProgramsOfComplexNumbersComputeTheSame) {
  check(0, 40, with_complex_numbers(small()));
  check(100, 110, with_complex_numbers());
}

testing::RandomProgramOptions with_special_values(testing::RandomProgramOptions options) {
  options.special_values = true;
  return options;
}

TEST(DifferentialTest, ProgramsOfSpecialValuesComputeTheSame) {
  const testing::DifferentialOptions how{.one_way = true};
  testing::RandomProgramOptions integers = with_special_values(small());
  integers.dtypes = {DType::kS8,  DType::kS16, DType::kS32, DType::kS64, DType::kU8,
                     DType::kU16, DType::kU32, DType::kU64, DType::kPred};
  check(0, 60, with_special_values(small()), how);
  check(100, 130, with_special_values(with_narrow_floats(small())), {.one_way = true, .judged = true});
  check(200, 220, with_special_values(with_complex_numbers(small())), how);
  check(300, 330, integers, how);
}

TEST(DifferentialTest, KernelsOfSpecialValuesMeanTheSame) {
  testing::RandomProgramOptions options = with_special_values(small());
  options.max_elements = 300;
  check(400, 420, options, {.machine_code = false});
}

TEST(DifferentialTest, KernelsOfComplexNumbersMeanTheSame) {
  testing::RandomProgramOptions options = with_complex_numbers(small());
  options.max_elements = 500;
  check(200, 230, options, {.machine_code = false});
}

// Continuous integration runs fresh seeds besides (tests/fuzz).
TEST(DifferentialTest, ManyProgramsComputeTheSameSlow) {
  check(4000, 4060, with_complex_numbers(small()));
  check(3000, 3060, with_narrow_floats(small()), {.judged = true});
  check(1000, 1050, {});
  check(2000, 2150, small());
}

class RegressionTest : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(RegressionTest, ComputesTheSame) {
  std::unique_ptr<ir::Module> module = ir::parse(testing::read_file(GetParam()), GetParam().string());
  ir::verify(*module);
  // Kernels are interpreted once: which values they are given changes nothing of what is made, and machine
  // code meets others.
  EXPECT_EQ(testing::check_compiled(*module, {}, 0, {.machine_code = false}), "");
  for (uint64_t seed : {0, 5, 10}) EXPECT_EQ(testing::check_compiled(*module, {}, seed), "");
}

INSTANTIATE_TEST_SUITE_P(Files, RegressionTest,
                         ::testing::ValuesIn(testing::files_in(INGOT_TEST_DIR "/regressions")),
                         [](const auto& info) { return info.param.stem().string(); });

}  // namespace
}  // namespace ingot::compiler
