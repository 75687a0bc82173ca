// Bits do not depend on the sizes of caches: whatever cuts a sum looks at those of the common machine.
#include <gtest/gtest.h>

#include <algorithm>

#include "codegen/codegen.h"
#include "compiler/compiler.h"
#include "ir/text.h"
#include "testing/run_executable.h"
#include "testing/tensors.h"

namespace ingot::compiler {
namespace {

// The bytes of all results.
std::string bytes_of(const std::string& text, const kernel::Target& target) {
  std::unique_ptr<ir::Module> module = ir::parse(text);
  testing::Random random(7);
  const std::vector<Tensor> arguments = testing::random_arguments(random, *module);
  Options options;
  options.target = target;
  const Compiled compiled = compile(std::move(module), options);
  std::string bytes;
  for (const Tensor& result : testing::run_executable(*compiled.executable, arguments))
    bytes.append(static_cast<const char*>(static_cast<const void*>(result.raw())), result.bytes());
  return bytes;
}

// Of 32 bytes where there is such a one: the programs are those whose sums caches would cut there.
kernel::Target with_caches(int64_t l1, int64_t l2, int64_t l3) {
  const std::vector<kernel::Target> targets = codegen::available_targets();
  const auto of_32 = std::find_if(targets.begin(), targets.end(),
                                  [](const kernel::Target& target) { return target.vector_bytes == 32; });
  kernel::Target target = of_32 != targets.end() ? *of_32 : targets.front();
  target.tiles = {};
  target.l1_bytes = l1, target.l2_bytes = l2, target.l3_bytes = l3;
  return target;
}

kernel::Target cut_by_its_own(kernel::Target target) {
  target.sums = {target.l1_bytes, target.l2_bytes, target.l3_bytes};
  return target;
}

std::string sum_of(const std::string& name, const std::string& of, const std::string& axes,
                   const std::string& type) {
  return "  %" + name + " = reduce(%" + of + ", %zero) {axes = " + axes + "} (%a" + name + ": f32[], %b" +
         name + ": f32[]) {\n    %c" + name + " = add(%a" + name + ", %b" + name +
         ") : f32[]\n    return %c" + name + "\n  } : " + type + "\n";
}

const std::string kZero = "  %zero = constant() {value = dense f32[]{0}} : f32[]\n";
const std::string kProduct = "{lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]}";

// A product whose contracted side is cut into parts.
const std::string kParts =
    "func @main(%x: f32[48,8192], %y: f32[8192,96]) -> (f32[48,96]) {\n  %d = dot_general(%x, %y) " +
    kProduct + " : f32[48,96]\n  return %d\n}\n";
// Sums of columns, whose rows are added up in memory where no cache holds them.
const std::string kColumns = "func @main(%x: f32[16384,3000]) -> (f32[3000]) {\n" + kZero +
                             sum_of("s", "x", "[0]", "f32[3000]") + "  return %s\n}\n";
// Rows of a product are joined where they are made.
const std::string kGradient =
    "func @main(%x: f32[2048,300], %y: f32[300,256]) -> (f32[2048,256], f32[256]) {\n" + kZero +
    "  %d = dot_general(%x, %y) " + kProduct + " : f32[2048,256]\n  %t = tanh(%d) : f32[2048,256]\n" +
    sum_of("s", "t", "[0]", "f32[256]") + "  return %t, %s\n}\n";
// Updates that are added, in parts of their own.
const std::string kUpdates =
    "func @main(%u: f32[400000], %r: f32[400000]) -> (f32[20000]) {\n"
    "  %k = constant() {value = dense f32[]{5000}} : f32[]\n"
    "  %kb = broadcast(%k) {dims = [], shape = [400000]} : f32[400000]\n"
    "  %m = mul(%r, %kb) : f32[400000]\n  %b = abs(%m) : f32[400000]\n"
    "  %j = convert(%b) {dtype = s32} : s32[400000]\n  %i = reshape(%j) {shape = [400000,1]} : "
    "s32[400000,1]\n" +
    kZero +
    "  %z = broadcast(%zero) {dims = [], shape = [20000]} : f32[20000]\n"
    "  %s = scatter(%z, %i, %u) {offset_dims = [], collapsed_slice_dims = [0], operand_batching_dims = [], "
    "start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1, slice_sizes = [1], "
    "mode = \"clip\", combiner = \"add\"} : f32[20000]\n  return %s\n}\n";

// Blocks of k have sums of their own.
const std::string kBlocks =
    "func @main(%x: f32[300,3000], %y: f32[3000,200]) -> (f32[300,200]) {\n  %d = dot_general(%x, %y) " +
    kProduct + " : f32[300,200]\n  return %d\n}\n";
// Three rows of a product have so few sums in a tile that each is kept in parts.
const std::string kFewRows =
    "func @main(%x: f32[3,4000], %y: f32[4000,12]) -> (f32[3,12]) {\n  %d = dot_general(%x, %y) " + kProduct +
    " : f32[3,12]\n  return %d\n}\n";
// Windows that overlap, of more features than a cache holds.
const std::string kFewWindows =
    "func @main(%x: f32[1,66,64], %w: f32[64,64,8]) -> (f32[1,3,8]) {\n"
    "  %d = convolution(%x, %w) {batch_groups = 1, feature_groups = 1, high = [0], lhs_dilation = [1], "
    "lhs_dims = [0,2,1], low = [0], out_dims = [0,2,1], reverse = [0], rhs_dilation = [1], "
    "rhs_dims = [2,1,0], strides = [1]} : f32[1,3,8]\n  return %d\n}\n";

class CacheBitsTest : public ::testing::TestWithParam<std::pair<const char*, const std::string*>> {};

TEST_P(CacheBitsTest, AreTheSameForAllCaches) {
  const kernel::Target small = with_caches(4 << 10, 32 << 10, 64 << 10),
                       large = with_caches(1 << 20, 16 << 20, 512 << 20);
  const std::string& program = *GetParam().second;
  const std::string bytes = bytes_of(program, small);
  EXPECT_TRUE(bytes == bytes_of(program, large));
  // The program is one whose sums would be cut in other ways.
  EXPECT_FALSE(bytes_of(program, cut_by_its_own(small)) == bytes_of(program, cut_by_its_own(large)));
}

const std::pair<const char*, const std::string*> kPrograms[] = {
    {"PartsOfAProduct", &kParts}, {"Columns", &kColumns}, {"ColumnsOfAProduct", &kGradient},
    {"Updates", &kUpdates},       {"Blocks", &kBlocks},   {"FewRows", &kFewRows},
    {"FewWindows", &kFewWindows}};

INSTANTIATE_TEST_SUITE_P(Sums, CacheBitsTest, ::testing::ValuesIn(kPrograms),
                         [](const auto& info) { return std::string(info.param.first); });

}  // namespace
}  // namespace ingot::compiler
