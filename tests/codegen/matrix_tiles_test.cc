// The machine code of products in matrix tiles.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <sstream>

#include "ir/text.h"
#include "kernel/lower/group.h"
#include "kernel/lower/lower.h"
#include "kernel/schedule/schedule.h"
#include "testing/kernel_builder.h"
#include "testing/matrix_tiles.h"
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

int count(const std::string& text, const std::string& wanted) {
  int found = 0;
  for (size_t at = 0; (at = text.find(wanted, at)) != std::string::npos; ++at) ++found;
  return found;
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
  EXPECT_EQ(count(assembly, "ldtilecfg"), 1);
  EXPECT_EQ(count(assembly, "tilerelease"), 1);
  ASSERT_NE(assembly.find("tdpbf16ps"), std::string::npos) << assembly;
  EXPECT_LT(assembly.find("ldtilecfg"), assembly.find("tdpbf16ps"));
}

// Rows along k times pairs of k interleaved, by hand: the sums go to a local buffer, and from there to y.
void add_product(testing::KernelBuilder& b, kernel::BufferId x, kernel::BufferId w, kernel::BufferId y,
                 int64_t rows, int64_t k, int64_t columns) {
  const kernel::BufferId sums = b.local(DType::kF32, rows * columns);
  b.tile(rows, [&](Index m) {
    b.map_lanes(
        columns,
        [&](Index n) {
          const kernel::ScalarId sum =
              b.reduce(k, kernel::LoopStyle::kSerial, b.literal(0.0f), "add", [&](Index at) {
                const Index pair = at.floor_div(2) * (2 * columns) + n * 2 + at.mod(2);
                const auto wide = [&](kernel::ScalarId narrow) {
                  return b.let_as(DType::kF32, "convert", {narrow}, {{"dtype", DType::kF32}});
                };
                const kernel::ScalarId of_x = b.load(x, m * k + at), wide_x = wide(of_x);
                const kernel::ScalarId of_w = b.load(w, pair), wide_w = wide(of_w);
                return b.let("mul", {wide_x, wide_w});
              });
          b.store(sums, m * columns + n, sum);
        },
        2);
  });
  b.map_lanes(rows * columns, [&](Index i) { b.store(y, i, b.load(sums, i)); });
}

// The bits of small integers as bf16.
std::vector<uint16_t> narrow_integers(int64_t count, int modulus) {
  std::vector<uint16_t> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(
        static_cast<uint16_t>(std::bit_cast<uint32_t>(static_cast<float>(i % modulus - 3)) >> 16));
  return values;
}
float wide(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

// Two products of other shapes in one function: each sets its own before it begins.
TEST(MatrixTilesTest, ProductsOfOtherShapesFollowEachOther) {
  const std::optional<kernel::Target> target = testing::target_with_tiles();
  if (!target) GTEST_SKIP() << "no matrix tiles here, and no way to emulate them";
  struct Shape {
    int64_t rows, k, columns;
  };
  const Shape shapes[] = {{32, 64, 32}, {19, 40, 16}, {32, 64, 32}};
  testing::KernelBuilder b("f");
  std::vector<kernel::BufferId> buffers;
  for (const Shape& s : shapes) {
    buffers.push_back(b.input(DType::kBF16, s.rows * s.k));
    buffers.push_back(b.input(DType::kBF16, s.k * s.columns));
  }
  for (const Shape& s : shapes) buffers.push_back(b.output(DType::kF32, s.rows * s.columns));
  b.parallel(1, [&](Index) {
    for (size_t i = 0; i < 3; ++i)
      add_product(b, buffers[2 * i], buffers[2 * i + 1], buffers[6 + i], shapes[i].rows, shapes[i].k,
                  shapes[i].columns);
  });
  const codegen::Code code = testing::compile_one(b.finish(), *target, {.keep_text = true});
  EXPECT_EQ(count(code.assembly, "ldtilecfg"), 3) << code.assembly;
  EXPECT_EQ(count(code.assembly, "tilerelease"), 1);

  std::vector<std::vector<uint16_t>> in;
  std::vector<std::vector<float>> out;
  for (const Shape& s : shapes) {
    in.push_back(narrow_integers(s.rows * s.k, 11));
    in.push_back(narrow_integers(s.k * s.columns, 7));
    out.emplace_back(static_cast<size_t>(s.rows * s.columns), -1.0f);
  }
  testing::Arguments arguments;
  for (auto& values : in) arguments.add(values);
  for (auto& values : out) arguments.add(values);
  testing::run(code, arguments);
  EXPECT_FALSE(testing::holds_tiles());
  for (size_t i = 0; i < 3; ++i) {
    const Shape& s = shapes[i];
    for (int64_t m = 0; m < s.rows; ++m) {
      for (int64_t n = 0; n < s.columns; ++n) {
        float sum = 0;
        for (int64_t k = 0; k < s.k; ++k)
          sum += wide(in[2 * i][static_cast<size_t>(m * s.k + k)]) *
                 wide(in[2 * i + 1][static_cast<size_t>(k / 2 * 2 * s.columns + 2 * n + k % 2)]);
        EXPECT_EQ(out[i][static_cast<size_t>(m * s.columns + n)], sum) << i << " " << m << " " << n;
      }
    }
  }
}

}  // namespace
}  // namespace ingot
