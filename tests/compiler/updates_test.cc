// Many updates of single elements and of rows: in tables that units have of their own, in ranges of slots, in
// blocks by one unit; and of one slot, which are a reduction. Whatever is out of range changes nothing.
#include <gtest/gtest.h>

#include <cstring>

#include "base/options.h"
#include "codegen/codegen.h"
#include "compiler/compiler.h"
#include "interpreter/interpreter.h"
#include "ir/text.h"
#include "testing/run_executable.h"
#include "testing/tensors.h"

namespace ingot::compiler {
namespace {

struct Case {
  const char* name;
  int64_t slots;
  Shape updates;
  DType dtype = DType::kF32, indices = DType::kS32;
  const char* combiner = "add";
  double tolerance = 0;  // none where the order is that of the updates
  int64_t least_units = 1;
  std::string made{};  // of %u, what is put
  const char* mode = "fill";
  bool infinite = false;  // values among others
  int64_t row = 0;        // elements of a slot, where it is a row
};
void PrintTo(const Case& one, std::ostream* out) {
  *out << one.name;
}

std::string type(DType dtype, const Shape& shape) {
  std::string text = std::string(name_of(dtype)) + "[";
  for (size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? "," : "") + std::to_string(shape[i]);
  return text + "]";
}

std::string program(const Case& one) {
  Shape vectors = one.updates;
  vectors.push_back(1);
  const bool rows = one.row > 0;
  Shape updates = one.updates;
  if (rows) updates.push_back(one.row);
  const std::string array = type(one.dtype, rows ? Shape{one.slots, one.row} : Shape{one.slots});
  const std::string x = one.infinite ? "%infinite0" : "%x", u = one.infinite ? "%infinite1" : "%u";
  return "func @main(" + x + ": " + array + ", %at: " + type(one.indices, vectors) + ", " + u + ": " +
         type(one.dtype, updates) + ") -> (" + array + ") {\n" + one.made + "  %y = scatter(" + x +
         ", %at, " + (one.made.empty() ? u : "%v") + ") {offset_dims = [" +
         (rows ? std::to_string(one.updates.size()) : "") +
         "], collapsed_slice_dims = [0], operand_batching_dims = [], "
         "start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = " +
         std::to_string(one.updates.size()) + ", slice_sizes = [1" +
         (rows ? "," + std::to_string(one.row) : "") + "], mode = \"" + one.mode + "\", combiner = \"" +
         one.combiner + "\"} : " + array + "\n  return %y\n}\n";
}

// Anywhere, also beyond both ends, and most of them in a few slots if they are to meet.
Tensor places(testing::Random& random, const Case& one, bool meet) {
  Shape shape = one.updates;
  shape.push_back(1);
  Tensor result(one.indices, shape);
  for (int64_t i = 0; i < result.size(); ++i) {
    const int64_t last = meet && i % 8 != 0 ? std::min<int64_t>(one.slots - 1, 2) : one.slots + 3;
    result.set_int(i, testing::random_integer(random, is_signed(one.indices) ? -3 : 0, last));
  }
  return result;
}

class UpdatesTest : public ::testing::TestWithParam<Case> {};

TEST_P(UpdatesTest, AreTheSameForAllThreads) {
  const Case& one = GetParam();
  const int before = num_threads();
  testing::Random random(11);
  for (const bool meet : {false, true}) {
    std::unique_ptr<ir::Module> module = ir::parse(program(one));
    std::vector<Tensor> arguments = testing::random_arguments(random, *module);
    arguments[1] = places(random, one, meet);
    if (is_float(one.dtype) && !one.infinite)
      for (int64_t i = 0; i < one.slots; i += 3) arguments[0].set_double(i, -0.0);
    const std::vector<Tensor> expected = interpret(*module, arguments);
    for (const kernel::Target& target : codegen::available_targets()) {
      std::vector<Tensor> first;
      for (const int threads : {1, 2, 3}) {
        set_num_threads(threads);
        Options options;
        options.target = target;
        const Compiled compiled = compile(ir::parse(program(one)), options);
        const int64_t units = compiled.executable->kernels().at(0)->units;
        EXPECT_TRUE(units >= one.least_units || !target.compresses) << units;
        for (const bool donate : {false, true}) {
          const std::vector<Tensor> results =
              testing::run_executable(*compiled.executable, arguments, donate);
          EXPECT_EQ(testing::difference(results, expected, one.tolerance), "")
              << target.vector_bytes << " bytes, " << threads << " threads, donated: " << donate;
          if (first.empty()) first = results;
          EXPECT_EQ(std::memcmp(results[0].raw(), first[0].raw(), first[0].bytes()), 0) << threads;
        }
      }
    }
  }
  set_num_threads(before);
}

const std::string kColumns = "  %v = transpose(%u) {permutation = [1,0]} : f32[257,257]\n";
const std::string kExp = "  %v = exp(%u) : f32[66003]\n";

INSTANTIATE_TEST_SUITE_P(
    Slots, UpdatesTest,
    ::testing::Values(
        Case{"Tables", 100, {66003}, DType::kF32, DType::kS32, "add", 1e-3, 8},
        Case{"TablesOfWholeBlocks", 100, {65536}, DType::kF32, DType::kS32, "add", 1e-3, 8},
        Case{"TablesAlone", 5000, {100001}, DType::kF32, DType::kS32, "add", 1e-3, 4},
        Case{"TablesOfFunctions", 100, {66003}, DType::kF32, DType::kS32, "add", 1e-3, 8, kExp},
        Case{"TablesOfDoubles", 100, {257, 256}, DType::kF64, DType::kS64, "add", 1e-12, 8},
        Case{"TablesOfIntegers", 1000, {66003}, DType::kS32, DType::kU32, "add", 0, 8},
        Case{"TablesOfBytes", 2, {66003}, DType::kU8, DType::kU8, "mul", 0, 8},
        Case{"TablesOfMaxima", 77, {66003}, DType::kF32, DType::kS32, "max", 0, 8},
        Case{"TablesOfMinima", 77, {66003}, DType::kS64, DType::kS32, "min", 0, 8},
        Case{"Ranges", 20003, {66003}, DType::kF32, DType::kS32, "add", 0, 4},
        Case{"RangesOfWholeBlocks", 20000, {65536}, DType::kF32, DType::kS32, "add", 0, 4},
        Case{"RangesCutOff", 20003, {66003}, DType::kF32, DType::kS32, "add", 0, 4, "", "clip"},
        Case{"RangesOfFunctions", 20003, {66003}, DType::kF32, DType::kS32, "add", 1e-5, 4, kExp},
        Case{"RangesOfDoubles", 20003, {257, 257}, DType::kF64, DType::kS64, "add", 0, 4},
        Case{"RangesOfIntegers", 20003, {66003}, DType::kS32, DType::kU32, "mul", 0, 4},
        Case{"RangesOfBytes", 20003, {66003}, DType::kU8, DType::kS32, "add", 0, 4},
        Case{"RangesOfShorts", 20003, {66003}, DType::kS16, DType::kS32, "max", 0, 4},
        Case{"RangesOfHalves", 20003, {66003}, DType::kBF16, DType::kS32, "add", 0.1, 1},
        Case{"InfiniteSums", 5000, {100001}, DType::kF32, DType::kS32, "add", 1e-3, 4, "", "fill", true},
        Case{"InfiniteMaxima", 100, {66003}, DType::kF32, DType::kS32, "max", 0, 8, "", "fill", true},
        Case{"InfiniteMinima", 20003, {66003}, DType::kF64, DType::kS32, "min", 0, 4, "", "fill", true},
        Case{"InfiniteProducts", 20003, {66003}, DType::kF32, DType::kS32, "mul", 0, 4, "", "fill", true},
        Case{"InfiniteBlocks", 777, {5003}, DType::kF32, DType::kS32, "max", 0, 1, "", "fill", true},
        Case{"InfiniteSlot", 1, {5003}, DType::kF32, DType::kS32, "max", 0, 1, "", "fill", true},
        Case{"Blocks", 777, {5003}}, Case{"BlocksOfWholeSteps", 777, {4096}},
        Case{"BlocksOfDoubles", 777, {61, 83}, DType::kF64, DType::kS64},
        Case{"BlocksOfMaxima", 777, {5003}, DType::kF32, DType::kS32, "max"},
        Case{"TablesOfColumns", 100, {257, 257}, DType::kF32, DType::kS32, "add", 1e-3, 8, kColumns},
        Case{"RangesOfColumns", 20003, {257, 257}, DType::kF32, DType::kS32, "add", 0, 1, kColumns},
        Case{"Rows", 2003, {5003}, DType::kF32, DType::kS32, "add", 0, 4, "", "fill", false, 16},
        Case{"RowsOfWholeBlocks", 2000, {4096}, DType::kF32, DType::kS32, "add", 0, 4, "", "fill", false, 16},
        Case{"RowsOfAnyLength", 2003, {5003}, DType::kF32, DType::kS32, "max", 0, 4, "", "fill", false, 37},
        Case{"RowsCutOff", 2003, {5003}, DType::kF32, DType::kS32, "add", 0, 4, "", "clip", false, 19},
        Case{"RowsOfDoubles", 2003, {61, 83}, DType::kF64, DType::kS64, "mul", 0, 4, "", "fill", false, 13},
        Case{"RowsOfBytes", 2003, {5003}, DType::kU8, DType::kU32, "add", 0, 4, "", "fill", false, 65},
        Case{"FewRows", 2003, {900}, DType::kF32, DType::kS32, "add", 0, 4, "", "fill", false, 100},
        Case{"LastRowsStay", 2003, {5003}, DType::kF32, DType::kS32, "set", 0, 4, "", "fill", false, 17},
        Case{"InfiniteRows", 2003, {5003}, DType::kF32, DType::kS32, "min", 0, 4, "", "fill", true, 16},
        Case{"LastOnesStay", 20003, {66003}, DType::kF32, DType::kS32, "set"},
        Case{"OneSlot", 1, {66003}, DType::kF32, DType::kS32, "add", 1e-3},
        Case{"OneSlotOfMaxima", 1, {61, 83}, DType::kF32, DType::kS64, "max", 0},
        Case{"OneSlotCutOff", 1, {5003}, DType::kF32, DType::kU8, "add", 1e-3, 1, "", "clip"}),
    [](const auto& info) { return std::string(info.param.name); });

// Whole rows that all go to the only one there is, or are left out.
TEST(UpdatesOfOneRowTest, AreAReduction) {
  const std::string text = R"(func @main(%array: f32[1,33], %at: s32[500,1], %u: f32[500,33]) -> (f32[1,33]) {
  %y = scatter(%array, %at, %u) {offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1, slice_sizes = [1,33], mode = "fill", combiner = "add"} : f32[1,33]
  return %y
}
)";
  testing::Random random(5);
  std::unique_ptr<ir::Module> module = ir::parse(text);
  std::vector<Tensor> arguments = testing::random_arguments(random, *module);
  for (int64_t i = 0; i < 500; ++i) arguments[1].set_int(i, testing::random_integer(random, -1, 1));
  const std::vector<Tensor> expected = interpret(*module, arguments);
  const Compiled compiled = compile(std::move(module));
  EXPECT_EQ(compiled.executable->kernels().at(0)->kind, "reduction");
  EXPECT_EQ(testing::difference(testing::run_executable(*compiled.executable, arguments), expected, 1e-4),
            "");
}

}  // namespace
}  // namespace ingot::compiler
