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
  EXPECT_EQ(ir::to_string(module), "");
}

}  // namespace
}  // namespace ingot
