// Work is cut alike for any number of threads, and what cuts a sum leaves units for 64 of them.
#include <gtest/gtest.h>

#include <cstring>

#include "base/options.h"
#include "codegen/codegen.h"
#include "compiler/compiler.h"
#include "ir/text.h"
#include "kernel/cost/table.h"
#include "testing/run_executable.h"
#include "testing/tensors.h"

namespace ingot::compiler {
namespace {

std::string sum_over(const std::string& type, const std::string& axes, const std::string& result) {
  return "func @main(%x: " + type + ") -> (" + result + R"() {
  %zero = constant() {value = dense f32[]{0}} : f32[]
  %s = reduce(%x, %zero) {axes = )" +
         axes + R"(} (%a: f32[], %b: f32[]) {
    %c = add(%a, %b) : f32[]
    return %c
  } : )" +
         result + "\n  return %s\n}\n";
}

std::string product(const std::string& m, const std::string& k, const std::string& n) {
  const std::string result = "f32[" + m + "," + n + "]";
  return "func @main(%x: f32[" + m + "," + k + "], %y: f32[" + k + "," + n + "]) -> (" + result +
         ") {\n  %d = dot_general(%x, %y) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract "
         "= "
         "[0]} : " +
         result + "\n  return %d\n}\n";
}

struct Large {
  const char* name;
  std::string program;
};
void PrintTo(const Large& large, std::ostream* out) {
  *out << large.name;
}

class UnitsTest : public ::testing::TestWithParam<Large> {};

TEST_P(UnitsTest, FeedManyThreadsAndAreTheSameForAll) {
  const int before = num_threads();
  std::vector<std::pair<int64_t, std::vector<int64_t>>> cut;  // by the first number of threads
  std::vector<Tensor> values;
  for (const int threads : {2, 16, 64}) {
    set_num_threads(threads);
    std::unique_ptr<ir::Module> module = ir::parse(GetParam().program);
    testing::Random random(7);
    const std::vector<Tensor> arguments = testing::random_arguments(random, *module);
    Options options;
    for (const kernel::Target& target : codegen::available_targets())
      if (target.vector_bytes == 32) options.target = target;
    const Compiled compiled = compile(std::move(module), options);
    std::vector<std::pair<int64_t, std::vector<int64_t>>> units;
    for (const auto& kernel : compiled.executable->kernels()) {
      units.emplace_back(kernel->units, kernel->barriers);
      // The first phase is the one that reads all.
      const int64_t first = kernel->barriers.empty() ? kernel->units : kernel->barriers.front();
      EXPECT_GE(first, prices::kEnoughUnits) << kernel->name;
    }
    const std::vector<Tensor> results = testing::run_executable(*compiled.executable, arguments);
    if (values.empty()) cut = units, values = results;
    EXPECT_EQ(units, cut) << threads;
    for (size_t i = 0; i < results.size(); ++i)
      EXPECT_EQ(std::memcmp(results[i].raw(), values[i].raw(), values[i].bytes()), 0) << threads;
  }
  set_num_threads(before);
}

INSTANTIATE_TEST_SUITE_P(Sums, UnitsTest,
                         ::testing::Values(Large{"Rows", sum_over("f32[8,1000000]", "[1]", "f32[8]")},
                                           Large{"Columns", sum_over("f32[100000,64]", "[0]", "f32[64]")},
                                           Large{"All", sum_over("f32[6000,1000]", "[0,1]", "f32[]")},
                                           Large{"Product", product("32", "65536", "32")}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace ingot::compiler
