#include <gtest/gtest.h>

#include <set>
#include <string>

#include "ir/text.h"
#include "ops/control.h"
#include "ops/kinds.h"

namespace ingot::ops {
namespace {

TEST(TypedTest, TypesAreOfTheRecordsThatTheyNameThemselvesAfter) {
  const std::pair<const ir::OpRecord*, std::string_view> types[] = {
      {&ScanOp::record(), "scan"},
      {&CallOp::record(), "call"},
      {&LinearCallOp::record(), "linear_call"},
      {&FusedOp::record(), "fused"},
      {&ConstantOp::record(), "constant"},
      {&IotaOp::record(), "iota"},
      {&BroadcastOp::record(), "broadcast"},
      {&ReshapeOp::record(), "reshape"},
      {&TransposeOp::record(), "transpose"},
      {&ReverseOp::record(), "reverse"},
      {&ReduceOp::record(), "reduce"},
      {&DotGeneralOp::record(), "dot_general"},
      {&ScatterOp::record(), "scatter"},
      {&CompareOp::record(), "compare"},
      {&SelectOp::record(), "select"},
      {&ConvertOp::record(), "convert"},
      {&BitcastOp::record(), "bitcast"},
      {&StopGradientOp::record(), "stop_gradient"},
      {&CheckpointNameOp::record(), "checkpoint_name"},
      {&AddOp::record(), "add"},
      {&SubOp::record(), "sub"},
      {&MulOp::record(), "mul"},
      {&DivOp::record(), "div"},
      {&MaxOp::record(), "max"},
      {&MinOp::record(), "min"},
      {&AndOp::record(), "and"},
      {&OrOp::record(), "or"},
      {&XorOp::record(), "xor"},
      {&NotOp::record(), "not"},
      {&ShiftLeftOp::record(), "shift_left"},
      {&ShiftRightLogicalOp::record(), "shift_right_logical"},
      {&ShiftRightArithmeticOp::record(), "shift_right_arithmetic"},
      {&AbsOp::record(), "abs"},
      {&ComplexOp::record(), "complex"},
      {&RealOp::record(), "real"},
      {&ImagOp::record(), "imag"},
      {&ExpOp::record(), "exp"},
  };
  for (const auto& [record, name] : types) EXPECT_EQ(record, ir::find_record(name)) << name;
}

// The names of all attributes of which there is one.
std::set<std::string> listed(const ir::OpRecord& record) {
  std::set<std::string> names;
  for (const ir::AttributeSpec& spec : record.attributes->specs()) {
    if (spec.presence != ir::AttributeSpec::Presence::kPerResult) names.emplace(spec.name);
  }
  return names;
}
std::set<std::string> names_of(const ir::Attributes& attributes) {
  std::set<std::string> names;
  for (const auto& [name, value] : attributes.items()) names.insert(name);
  return names;
}

TEST(TypedTest, AFormHasAPartForEveryAttribute) {
  const ScanForm scan{.carries = 1,
                      .length = 5,
                      .reverse = true,
                      .xs_axes = {2, 0},
                      .ys_axes = {1},
                      .active = ScanForm::Active{0, 1, -1, 3},
                      .running = 0};
  EXPECT_EQ(names_of(scan.attributes()), listed(ScanOp::record()));
  EXPECT_EQ(ScanForm::of(scan.attributes()).attributes(), scan.attributes());
  const CallForm call{.callee = "f",
                      .jvp = "f_jvp",
                      .vjp_forward = "f_forward",
                      .vjp_backward = "f_backward",
                      .transpose = "f_transpose",
                      .residuals = 2,
                      .batch_rule = 7,
                      .checkpoint = true,
                      .policy = "dots_saveable",
                      .recompute = true};
  EXPECT_EQ(names_of(call.attributes()), listed(CallOp::record()));
  EXPECT_EQ(CallForm::of(call.attributes()), call);
}

TEST(TypedTest, WritingAFormLeavesOtherAttributesAloneAndErasesWhatIsGone) {
  const ScanForm plain{.carries = 1, .length = 5, .xs_axes = {0}, .ys_axes = {}};
  ScanForm promising = plain;
  promising.active = ScanForm::Active{0, 1, -1, 3};
  promising.running = 0;
  ir::Attributes attributes = promising.attributes();
  set_stored_order(attributes, 0, {1, 0});
  plain.write(attributes);
  ir::Attributes expected = plain.attributes();
  set_stored_order(expected, 0, {1, 0});
  EXPECT_EQ(attributes, expected);
}

TEST(TypedTest, ALoopNamesItsParts) {
  const auto module = ir::parse(
      "func @main(%a: f32[2], %b: f32[3], %x: f32[2,5], %k: f32[2]) -> (f32[2], f32[3], f32[5,2]) {\n"
      "  %p, %q, %s = scan(%a, %b, %x, %k) {carries = 2, length = 5, reverse = true, scanned = 1, "
      "xs_axes = [1], ys_axes = [0]} (%c: f32[2], %d: f32[3], %e: f32[2], %i: f32[2]) {\n"
      "    %n = add(%c, %e) : f32[2]\n"
      "    %y = mul(%n, %i) : f32[2]\n"
      "    return %n, %d, %y\n"
      "  } : f32[2], f32[3], f32[5,2]\n"
      "  return %p, %q, %s\n}\n");
  const ir::Op& op = *module->entry()->body().ops().front();
  ASSERT_TRUE(is<ScanOp>(op));
  EXPECT_FALSE(as<CallOp>(op).has_value());
  const ScanOp scan(op);
  EXPECT_EQ(scan.length(), 5);
  EXPECT_TRUE(scan.reverse());
  ASSERT_EQ(scan.carries().size(), 2u);
  const ScanOp::Carry carry = scan.carries()[0];
  EXPECT_EQ(carry.initial->name(), "a");
  EXPECT_EQ(carry.argument->name(), "c");
  EXPECT_EQ(carry.next->name(), "n");
  EXPECT_EQ(carry.result->name(), "p");
  EXPECT_EQ(scan.carry(1).next, scan.carry(1).argument);
  ASSERT_EQ(scan.scanned().size(), 1u);
  EXPECT_EQ(scan.scanned(0).array->name(), "x");
  EXPECT_EQ(scan.scanned(0).slice->name(), "e");
  EXPECT_EQ(scan.scanned(0).axis, 1);
  ASSERT_EQ(scan.stacks().size(), 1u);
  EXPECT_EQ(scan.stack(0).slice->name(), "y");
  EXPECT_EQ(scan.stack(0).whole->name(), "s");
  EXPECT_EQ(scan.stack(0).axis, 0);
  ASSERT_EQ(scan.invariants().size(), 1u);
  EXPECT_EQ(scan.invariant(0).value->name(), "k");
  EXPECT_EQ(scan.invariant(0).argument->name(), "i");
  for (int i = 0; i < op.operand_count(); ++i) {
    EXPECT_EQ(scan.is_carry(i), i < 2) << i;
    EXPECT_EQ(scan.is_scanned(i), i == 2) << i;
    EXPECT_EQ(scan.is_invariant(i), i == 3) << i;
  }
  EXPECT_FALSE(scan.is_stack(1));
  EXPECT_TRUE(scan.is_stack(2));
}

}  // namespace
}  // namespace ingot::ops
