// What the functions of make.h make, as text: each is the operation whose name it has, with the attributes
// that its arguments are.
#include "ops/make.h"

#include <gtest/gtest.h>

#include "ir/text.h"

namespace ingot {
namespace {

using ir::Value;

TEST(MakeTest, FunctionsMakeTheOperationsThatTheyAreNamedAfter) {
  ir::Module module;
  ir::Function& f = *module.add_function("f");
  Value* x = f.body().add_argument({DType::kF32, {2, 3}}, "x");
  Value* p = f.body().add_argument({DType::kPred, {}}, "p");
  Value* zero = f.body().add_argument({DType::kF32, {}}, "zero");
  ir::Builder builder(f.body());
  std::vector<Value*> made = {
      make::neg(builder, x),
      make::atan2(builder, {x, x}),
      make::choose(builder, p, {x, x}),
      make::compare(builder, "lt", {x, x}),
      make::convert(builder, x, DType::kF64),
      make::bitcast(builder, x, DType::kU32),
      make::spread(builder, zero, {4}),
      make::broadcast(builder, x, {2, 5, 3}, {0, 2}),
      make::reshape(builder, x, {6}),
      make::transpose(builder, x, {1, 0}),
      make::slice(builder, x, {0, 1}, {2, 3}, {1, 2}),
      make::reverse(builder, x, {1}),
      make::concatenate(builder, {x, x}, 1),
      make::pad(builder, {x, zero}, {1, 0}, {0, 2}, {0, 1}),
      make::reduce(builder, make::max, {x, zero}, {1}),
      make::iota(builder, DType::kS32, {2, 3}, 1),
  };
  made.push_back(make::like(builder, *made[9]->op(), {made[9]}));
  f.body().set_results(made);
  const std::string text = ir::to_string(module);
  const size_t first = text.find("{\n") + 2;
  EXPECT_EQ(text.substr(first, text.find("  return %neg") - first), R"(  %neg = neg(%x) : f32[2,3]
  %atan2 = atan2(%x, %x) : f32[2,3]
  %broadcast = broadcast(%p) {dims = [], shape = [2,3]} : pred[2,3]
  %select = select(%broadcast, %x, %x) : f32[2,3]
  %compare = compare(%x, %x) {direction = "lt"} : pred[2,3]
  %convert = convert(%x) {dtype = f64} : f64[2,3]
  %bitcast = bitcast(%x) {dtype = u32} : u32[2,3]
  %broadcast_1 = broadcast(%zero) {dims = [], shape = [4]} : f32[4]
  %broadcast_2 = broadcast(%x) {dims = [0,2], shape = [2,5,3]} : f32[2,5,3]
  %reshape = reshape(%x) {shape = [6]} : f32[6]
  %transpose = transpose(%x) {permutation = [1,0]} : f32[3,2]
  %slice = slice(%x) {limits = [2,3], starts = [0,1], strides = [1,2]} : f32[2,1]
  %reverse = reverse(%x) {axes = [1]} : f32[2,3]
  %concatenate = concatenate(%x, %x) {axis = 1} : f32[2,6]
  %pad = pad(%x, %zero) {high = [0,2], interior = [0,1], low = [1,0]} : f32[3,7]
  %reduce = reduce(%x, %zero) {axes = [1]} (%acc: f32[], %x.1: f32[]) {
    %max = max(%acc, %x.1) : f32[]
    return %max
  } : f32[2]
  %iota = iota() {axis = 1, dtype = s32, shape = [2,3]} : s32[2,3]
  %transpose_1 = transpose(%transpose) {permutation = [1,0]} : f32[2,3]
)");
}

}  // namespace
}  // namespace ingot
