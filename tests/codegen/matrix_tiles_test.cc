// The machine code of products in matrix tiles.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "ir/text.h"
#include "kernel/group.h"
#include "kernel/lower.h"
#include "kernel/schedule.h"
#include "testing/run_kernel.h"

namespace ingot {
namespace {

kernel::Target with_tiles() {
  kernel::Target target = codegen::available_targets().front();
  target.bf16_products = true;
  target.tiles = {8, 16, 64};
  return target;
}

std::string assembly_of_product(int64_t m, int64_t k, int64_t n) {
  const auto shape = [](int64_t rows, int64_t columns) {
    return "[" + std::to_string(rows) + "," + std::to_string(columns) + "]";
  };
  const std::string x = shape(m, k), w = shape(k, n), y = shape(m, n);
  const auto module = ir::parse("func @main(%x: bf16" + x + ", %w: bf16" + w + ") -> (f32" + y + R"() {
  %xw = convert(%x) {dtype = f32} : f32)" +
                                x + R"(
  %ww = convert(%w) {dtype = f32} : f32)" +
                                w + R"(
  %d = dot_general(%xw, %ww) {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]} : f32)" +
                                y + "\n  return %d\n}\n");
  kernel::Kernel kernel = kernel::lower(kernel::group_of_region(module->entry()->body()), "main");
  kernel = kernel::schedule(std::move(kernel), with_tiles());
  return testing::compile_one(kernel, with_tiles(), {.keep_text = true}).assembly;
}

bool is_x86() {
#if defined(__x86_64__)
  return codegen::available_targets().front().vector_bytes >= 32;
#else
  return false;
#endif
}

// The instructions between two labels, of which the second one is jumped back from.
std::vector<std::string> innermost_loop_with(const std::string& assembly, const std::string& wanted) {
  std::istringstream lines(assembly);
  std::vector<std::string> block;
  for (std::string line; std::getline(lines, line);) {
    const size_t first = line.find_first_not_of(" \t");
    if (first == std::string::npos || line[first] == '#') continue;
    const bool label = first == 0;
    if (!label && line[first] != '.') block.push_back(line.substr(first));
    const bool jump = !label && line[first] == 'j';
    if (!label && !jump) continue;
    const bool found = std::any_of(block.begin(), block.end(), [&](const std::string& text) {
      return text.find(wanted) != std::string::npos;
    });
    if (found) return block;
    block.clear();
  }
  return {};
}

// Four products for four loads, and nothing but counting and fetching ahead beside them: no spills.
TEST(MatrixTilesTest, LoopsHoldProductsAndLoads) {
  if (!is_x86()) GTEST_SKIP() << "not a processor of this kind";
  const std::string assembly = assembly_of_product(512, 512, 512);
  int products = 0, loads = 0;
  for (const std::string& line : innermost_loop_with(assembly, "tdpbf16ps")) {
    const bool product = line.starts_with("tdpbf16ps"), load = line.starts_with("tileloadd");
    products += product;
    loads += load;
    const bool address = line.starts_with("lea") || line.starts_with("prefetch");
    EXPECT_TRUE(product || load || address || line.find('(') == std::string::npos) << line;
  }
  EXPECT_EQ(products, 4) << assembly;
  EXPECT_EQ(loads, 4) << assembly;
}

// Shapes are state of the thread: set once by a function, and given up before it returns.
TEST(MatrixTilesTest, FunctionsSetShapesOnce) {
  if (!is_x86()) GTEST_SKIP() << "not a processor of this kind";
  const std::string assembly = assembly_of_product(512, 512, 512);
  const auto count = [&](const std::string& text) {
    int found = 0;
    for (size_t at = 0; (at = assembly.find(text, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  EXPECT_EQ(count("ldtilecfg"), 1);
  EXPECT_EQ(count("tilerelease"), 1);
  EXPECT_LT(assembly.find("ldtilecfg"), assembly.find("tdpbf16ps"));
}

}  // namespace
}  // namespace ingot
