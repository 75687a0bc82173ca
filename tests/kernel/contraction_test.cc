// What a contraction's schedule packs, and what memory that takes.
#include <gtest/gtest.h>

#include <regex>

#include "ir/text.h"
#include "kernel/ir/blocks.h"
#include "kernel/ir/in_place.h"
#include "kernel/ir/kept_phases.h"
#include "kernel/ir/target.h"
#include "kernel/lower/group.h"
#include "kernel/lower/lower.h"
#include "kernel/schedule/schedule.h"

namespace ingot::kernel {
namespace {

Kernel scheduled(const std::string& text, MatrixTiles tiles = {}, int vector_bytes = 64) {
  const std::unique_ptr<ir::Module> module = ir::parse(text);
  Target target;
  target.vector_bytes = vector_bytes;
  target.vector_registers = vector_bytes == 64 ? 32 : 16;
  target.l2_bytes = 1 << 20;
  target.l3_bytes = 32 << 20;
  target.tiles = tiles;
  return schedule(lower(group_of_region(module->entry()->body()), "main"), target);
}

// A contracted dimension that has no divisors is not cut into blocks: what is packed of it stays bounded all
// the same, since every thread holds a copy.
TEST(ContractionTest, PacksFewPanelsOfALongContractedDimension) {
  const std::string text = R"(func @main(%x: f32[256,1000003], %w: f32[1000003,2048]) -> (f32[256,2048]) {
  %d = dot_general(%x, %w) {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]} : f32[256,2048]
  return %d
}
)";
  const Kernel kernel = scheduled(text);
  int64_t bytes = 0;
  for (const Buffer& buffer : kernel.buffers) {
    if (buffer.kind == Buffer::Kind::kLocal)
      bytes += buffer.elements * static_cast<int64_t>(byte_size(buffer.dtype));
  }
  EXPECT_EQ(kernel.report.kind, KernelKind::kContraction);
  EXPECT_LE(bytes, int64_t{256} << 20);
}

int64_t shared_elements(const Kernel& kernel) {
  int64_t elements = 0;
  for (const Buffer& buffer : kernel.buffers) {
    if (buffer.kind == Buffer::Kind::kShared) elements += buffer.elements;
  }
  return elements;
}

// Of a matrix and the transpose of another.
Kernel product(int64_t m, int64_t n, int64_t k) {
  auto type = [](int64_t rows, int64_t columns) {
    return "f32[" + std::to_string(rows) + "," + std::to_string(columns) + "]";
  };
  return scheduled("func @main(%x: " + type(m, k) + ", %w: " + type(n, k) + ") -> (" + type(m, n) + R"() {
  %d = dot_general(%x, %w) {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [1]} : )" +
                   type(m, n) + R"(
  return %d
}
)");
}

// Panels that many units would have to transpose are packed once, in a phase of its own; where little would
// be saved, or the copy would leave the cache, each unit has its own.
TEST(ContractionTest, PacksSharedPanelsWhereThatSavesWork) {
  EXPECT_GE(shared_elements(product(2048, 2048, 2048)), 2048 * 2048);  // and the rows, where those save more
  EXPECT_EQ(shared_elements(product(64, 64, 64)), 0);
  EXPECT_EQ(shared_elements(product(8192, 8192, 8192)), 0);
}

// The same for the rows of many chunks of n.
TEST(ContractionTest, PacksSharedRowsWhereThatSavesWork) {
  const auto shares_rows = [](const Kernel& kernel) {
    return to_string(kernel).find("shared rows") != std::string::npos;
  };
  EXPECT_TRUE(shares_rows(product(512, 4096, 512)));
  EXPECT_FALSE(shares_rows(product(4096, 512, 512)));
  EXPECT_FALSE(shares_rows(product(64, 64, 64)));
}

// What a unit's own caches cannot hold is fetched while the panel before it is multiplied.
TEST(ContractionTest, FetchesPanelsFromFar) {
  const auto fetches = [](const Kernel& kernel) {
    return to_string(kernel).find("prefetch panels") != std::string::npos;
  };
  EXPECT_TRUE(fetches(product(2048, 2048, 2048)));
  EXPECT_FALSE(fetches(product(64, 64, 64)));
}

// The rows of a gradient of weights lie side by side in lines that are far from each other: these are fetched
// ahead, go whole vector by whole vector, and into pieces that do not share the sets of the first level.
TEST(ContractionTest, CopiesRowsLineByLineWithoutWaiting) {
  const Kernel kernel = scheduled(R"(func @main(%x: f32[32768,1024], %d: f32[32768,128]) -> (f32[1024,128]) {
  %w = dot_general(%x, %d) {lhs_batch = [], rhs_batch = [], lhs_contract = [0], rhs_contract = [0]} : f32[1024,128]
  return %w
}
)");
  const std::string text = to_string(kernel);
  EXPECT_NE(text.find("prefetch x"), std::string::npos) << text;
  EXPECT_NE(text.find("rows_point in 0..8 lanes 8 "), std::string::npos) << text;
  std::smatch piece;
  ASSERT_TRUE(std::regex_search(text, piece, std::regex(R"(store rows\[.*?(\d+)\*rows_piece\])"))) << text;
  EXPECT_NE(std::stoll(piece[1]) * 4 % 4096, 0) << text;
  EXPECT_EQ(to_string(product(256, 256, 256)).find("prefetch x"), std::string::npos) << "caches hold them";
}

// What a loop's launches find the same each time is packed in a phase of its own, by the first of them.
TEST(ContractionTest, PacksWhatALoopKeepsInAPhaseOfItsOwn) {
  const std::string text = R"(func @main(%h: f32[64,256], %u: f32[256,1024]) -> (f32[64,1024]) {
  %d = dot_general(%h, %u) {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]} : f32[64,1024]
  return %d
}
)";
  const std::unique_ptr<ir::Module> module = ir::parse(text);
  const auto phases = [&](const char* kept) {
    Kernel kernel = lower(group_of_region(module->entry()->body()), "main");
    for (Buffer& buffer : kernel.buffers) buffer.kept = kept != nullptr && buffer.name == kept;
    return kept_phases(schedule(std::move(kernel), common_machine()));
  };
  EXPECT_EQ(phases(nullptr), 0u);
  EXPECT_NE(phases("u"), 0u);  // the panels
  EXPECT_NE(phases("h"), 0u);  // the rows
}

// Matrix tiles are as wide and as high as the machine has them, and packing weighs more beside products that
// are so fast: units are larger, and panels come from far.
TEST(ContractionTest, MatrixTilesTakeLargeChunks) {
  const auto text_of = [](int64_t m, int64_t n, int64_t k, MatrixTiles tiles) {
    const auto shape = [](int64_t a, int64_t b) {
      return "[" + std::to_string(a) + "," + std::to_string(b) + "]";
    };
    const std::string x = shape(m, k), w = shape(k, n), y = shape(m, n);
    return to_string(scheduled("func @main(%x: bf16" + x + ", %w: bf16" + w + ") -> (f32" + y +
                                   ") {\n  %xw = convert(%x) {dtype = f32} : f32" + x +
                                   "\n  %ww = convert(%w) {dtype = f32} : f32" + w + R"(
  %d = dot_general(%xw, %ww) {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]} : f32)" +
                                   y + "\n  return %d\n}\n",
                               tiles));
  };
  const std::string large = text_of(2048, 2048, 2048, {8, 16, 64});
  EXPECT_NE(large.find("map m in 0..32 tile"), std::string::npos) << large;
  EXPECT_NE(large.find("map n in 0..32 lanes"), std::string::npos) << large;
  EXPECT_NE(large.find("prefetch panels"), std::string::npos) << large;
  EXPECT_NE(text_of(70, 512, 512, {8, 16, 64}).find("map m in 0..24 tile"), std::string::npos);
  EXPECT_NE(text_of(64, 512, 512, {3, 8, 32}).find("map n in 0..8 lanes"), std::string::npos);
  EXPECT_EQ(text_of(2, 64, 64, {8, 16, 64}).find("div 2"), std::string::npos);  // too few rows for a tile
}

// Tiles ask for no other instruction of the machine, and for vectors of no width.
TEST(ContractionTest, MatrixTilesOfAnyMachine) {
  const char text[] = R"(func @main(%x: bf16[64,64], %w: bf16[64,64]) -> (f32[64,64]) {
  %xw = convert(%x) {dtype = f32} : f32[64,64]
  %ww = convert(%w) {dtype = f32} : f32[64,64]
  %d = dot_general(%xw, %ww) {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]} : f32[64,64]
  return %d
}
)";
  for (const int vector_bytes : {32, 64}) {
    int in_tiles = 0;
    Kernel kernel = scheduled(text, {8, 16, 64}, vector_bytes);
    for_each_stmt(kernel.body, [&](const Stmt& stmt) {
      const auto* loop = std::get_if<Loop>(&stmt.node);
      in_tiles += loop != nullptr && loop->reduce_by == ReduceBy::kMatrixTiles;
    });
    EXPECT_GT(in_tiles, 0) << vector_bytes;
  }
}

// A tile reads what it adds to before it writes there, and none of its points runs twice.
TEST(ContractionTest, RunsInThePlaceOfWhatItAddsTo) {
  const char text[] = R"(func @main(%w: f32[64,64], %x: f32[64,32], %d: f32[32,64]) -> (f32[64,64]) {
  %p = dot_general(%x, %d) {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]} : f32[64,64]
  %r = sub(%w, %p) : f32[64,64]
  return %r
}
)";
  for (const int vector_bytes : {16, 32, 64}) {
    const Kernel kernel = scheduled(text, {}, vector_bytes);
    const auto input = std::find_if(kernel.buffers.begin(), kernel.buffers.end(),
                                    [](const auto& buffer) { return buffer.name == "w"; });
    ASSERT_NE(input, kernel.buffers.end());
    EXPECT_EQ(InPlace(kernel).why_not(static_cast<int>(input - kernel.buffers.begin()), 0), "")
        << vector_bytes;
  }
}

}  // namespace
}  // namespace ingot::kernel
