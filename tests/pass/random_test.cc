// Random programs: their text reads back, they verify, and every pass, and some together, keep their meaning
// (the compiler's own list: tests/compiler/pipeline_meaning_test.cc).

#include <gtest/gtest.h>
#include <algorithm>

#include <map>

#include "interpreter/interpreter.h"
#include "ir/op_record.h"
#include "ir/structural.h"
#include "ir/text.h"
#include "ir/verifier.h"
#include "pass/passes.h"
#include "pass/runner.h"
#include "testing/random_program.h"
#include "testing/tensors.h"

namespace ingot::pass {
namespace {

constexpr std::string_view kTogether =
    "dce,dedupe_functions,inline,canonicalize,fold,cse,views,canonicalize,fold,cse,dce,fuse,dce";

void expect_same_results(const testing::RandomProgram& program, const ir::Module& module, uint64_t seed) {
  testing::Random random(seed);
  std::vector<Tensor> arguments = testing::random_arguments(random, *program.module);
  std::vector<Tensor> expected = interpret(*program.module, arguments);
  std::vector<Tensor> actual = interpret(module, arguments);
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    EXPECT_EQ(testing::difference(actual[i], expected[i], program.tolerances[i]), "") << "result " << i;
  }
}

TEST(RandomProgramTest, TextReadsBack) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    testing::RandomProgram program = testing::random_program(seed);
    std::string text = to_string(*program.module);
    SCOPED_TRACE(text);
    ir::verify(*program.module);
    std::unique_ptr<ir::Module> back = ir::parse(text);
    ir::verify(*back);
    ASSERT_EQ(to_string(*back), text);
    ASSERT_TRUE(structurally_equal(*back->entry(), *program.module->entry()));
    ASSERT_EQ(structural_hash(*back->entry()), structural_hash(*program.module->entry()));
    ASSERT_EQ(to_string(*testing::random_program(seed).module), text);
  }
}

TEST(RandomProgramTest, UsesEveryOperation) {
  std::map<std::string_view, int> counts;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    testing::RandomProgramOptions options;
    if (seed >= 1800) options.dtypes = {DType::kC64, DType::kC128, DType::kF32, DType::kPred};
    testing::RandomProgram program = testing::random_program(seed, options);
    for (const auto& function : program.module->functions()) {
      walk(function->body(), [&](ir::Op& op) { ++counts[op.name()]; });
    }
  }
  for (const ir::OpRecord* record : ir::all_records()) {
    if (*record->name == "fused" || *record->name == "linear_call" || *record->name == "sort_by_keys" ||
        *record->name == "hold")
      continue;                                    // made by transforms and passes
    if (*record->name == "lu") continue;           // random programs are exported, and it is not
    if (*record->name == "custom_call") continue;  // no text of a program brings its function along
    // They have no derivative, or none where eigenvalues are equal, and signs that turn with roundings.
    constexpr std::string_view kOfLapack[] = {"geqrf", "householder_product", "eigh", "svd", "eig", "schur"};
    if (std::find(std::begin(kOfLapack), std::end(kOfLapack), *record->name) != std::end(kOfLapack)) continue;
    if (std::holds_alternative<ir::Collective>(*record->becomes)) continue;  // no program of its own has one
    EXPECT_GT(counts[*record->name], 0) << *record->name;
  }
}

void expect_kept_meaning(std::string_view passes, uint64_t first_seed, uint64_t count) {
  for (uint64_t seed = first_seed; seed < first_seed + count; ++seed) {
    testing::RandomProgram program = testing::random_program(seed);
    std::unique_ptr<ir::Module> module = clone(*program.module);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + to_string(*program.module));
    PassContext context;
    run_passes(*module, parse_pass_list(passes), context);
    expect_same_results(program, *module, seed);
    if (::testing::Test::HasFailure()) return;
  }
}

// Values between kernels in any order that they might be given.
TEST(RandomLayoutTest, AnyLayoutKeepsTheMeaning) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    testing::RandomProgram program = testing::random_program(seed);
    std::unique_ptr<ir::Module> module = clone(*program.module);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + to_string(*program.module));
    PassOptions options;
    options.values["layout.shuffle"] = std::to_string(seed);
    options.values["layout.small"] = "2";
    PassContext context(options);
    run_passes(*module, parse_pass_list("inline,canonicalize,cse,dce,split_complex,widen_floats,fuse,layout"),
               context);
    expect_same_results(program, *module, seed);
    if (::testing::Test::HasFailure()) return;
  }
}

class RandomPassTest : public ::testing::TestWithParam<std::string> {};

TEST_P(RandomPassTest, KeepsTheMeaning) {
  expect_kept_meaning(GetParam(), 0, 20);
}

std::vector<std::string> pass_lists() {
  std::vector<std::string> lists{std::string(kTogether)};
  for (const PassEntry& pass : all_passes()) lists.emplace_back(pass.name);
  return lists;
}

INSTANTIATE_TEST_SUITE_P(Passes, RandomPassTest, ::testing::ValuesIn(pass_lists()),
                         [](const auto& info) { return info.param == kTogether ? "together" : info.param; });

}  // namespace
}  // namespace ingot::pass
