// Each test breaks one invariant of a good program through the IR's own interface and expects to be told.
#include "ir/verifier.h"

#include <gtest/gtest.h>

#include "base/check.h"
#include "ir/builder.h"
#include "ir/op_record.h"
#include "ir/text.h"

namespace ingot::ir {
namespace {

constexpr std::string_view kProgram = R"(func @main(%x: f32[4], %z: f32[]) -> (f32[]) {
  %a = add(%x, %x) : f32[4]
  %b = mul(%a, %x) : f32[4]
  %s = reduce(%b, %z) {axes = [0]} (%p: f32[], %q: f32[]) {
    %c = add(%p, %q) : f32[]
    %d = mul(%c, %c) : f32[]
    return %d
  } : f32[]
  %t = call(%s) {callee = @g} : f32[]
  return %t
}

func @g(%x: f32[]) -> (f32[]) {
  %y = add(%x, %x) : f32[]
  return %y
}
)";

class VerifierTest : public ::testing::Test {
 protected:
  std::string message() {
    try {
      verify(*module_);
    } catch (const InternalError& error) {
      return error.what();
    }
    return "no error";
  }
  void expect(std::string_view part) { EXPECT_NE(message().find(part), std::string::npos) << message(); }

  Region& main() { return module_->functions()[0]->body(); }
  Op* op(int i) {
    auto it = main().ops().begin();
    std::advance(it, i);
    return it->get();
  }

  std::unique_ptr<Module> module_ = parse(kProgram);
};

TEST_F(VerifierTest, AcceptsAGoodProgram) {
  EXPECT_EQ(message(), "no error");
  verify(Module());
  verify(*clone(*module_));
}

TEST_F(VerifierTest, ResultUsedBeforeItIsMade) {
  main().take(op(1), op(0));
  expect("operand 0 is neither an argument of the region nor an earlier result in it");
  expect("%b = mul(%a, %x)");
  expect("in function @main");
}

TEST_F(VerifierTest, OperandOfAnOuterRegion) {
  Op* inner = op(2)->region().ops().front().get();
  inner->set_operand(0, main().argument(1));
  expect("neither an argument of the region nor an earlier result");
}

TEST_F(VerifierTest, OperandOfAnotherFunction) {
  op(0)->set_operand(1, module_->functions()[1]->body().argument(0));
  expect("neither an argument of the region nor an earlier result");
  op(0)->set_operand(1, main().argument(0));
  EXPECT_EQ(message(), "no error");
}

TEST_F(VerifierTest, MissingOperand) {
  op(0)->set_operand(1, nullptr);
  expect("operand 1 is missing");
  op(0)->set_operand(1, main().argument(0));
}

TEST_F(VerifierTest, TypesThatDisagreeWithTheRecord) {
  Value* x = main().argument(0);
  Op* wrong = main().insert(*find_record("add"), {x, x}, {}, {{DType::kF32, {5}}}, {});
  expect("must be f32[4]");
  wrong->erase();
  main().insert(*find_record("add"), {x, main().argument(1)}, {}, {{DType::kF32, {4}}}, {});
  expect("add: ");
}

TEST_F(VerifierTest, WrongNumberOfResults) {
  Value* x = main().argument(0);
  main().insert(*find_record("add"), {x, x}, {}, {{DType::kF32, {4}}, {DType::kF32, {4}}}, {});
  expect("it must have 1 results");
}

TEST_F(VerifierTest, RegionWithoutReturn) {
  Function* f = module_->add_function("unfinished");
  f->body().add_argument({DType::kF32, {}});
  expect("does not end in 'return'");
}

TEST_F(VerifierTest, MissingRegion) {
  main().insert(*find_record("reduce"), {main().argument(0), main().argument(1)}, {{"axes", IntList{0}}},
                {{DType::kF32, {}}}, {});
  expect("the number of regions");
}

TEST_F(VerifierTest, UnknownCallee) {
  op(3)->attributes().set("callee", Symbol{"nothing"});
  expect("there is no function @nothing");
}

TEST_F(VerifierTest, Recursion) {
  Region& g = module_->functions()[1]->body();
  Op* call = Builder(g).make("call", {g.argument(0)}, {{"callee", Symbol{"g"}}});
  g.set_results({call->result()});
  expect("@g calls itself");
}

TEST_F(VerifierTest, DonatedArgumentThatDoesNotExist) {
  module_->functions()[0]->donated.insert(2);
  expect("an argument is donated that does not exist");
}

}  // namespace
}  // namespace ingot::ir
