// Every element-wise operation, compiled, against its reference: all dtypes, on the values that go wrong
// first.
#include <gtest/gtest.h>

#include <sstream>

#include "compiler/compiler.h"
#include "interpreter/interpreter.h"
#include "ir/builder.h"
#include "ops/elementwise_cases.h"
#include "testing/run_executable.h"

namespace ingot::compiler {
namespace {

Tensor run_compiled(std::unique_ptr<ir::Module> module, const std::vector<Tensor>& operands) {
  return testing::run_executable(*compile(std::move(module)).executable, operands)[0];
}

void check_record(const ir::OpRecord& record, const ops::Types& types, const ir::Attributes& attributes) {
  const std::vector<Tensor> operands = ops::operand_grid(record, types);
  auto module = std::make_unique<ir::Module>();
  ir::Region& body = module->add_function("main")->body();
  std::vector<ir::Value*> arguments;
  for (const Tensor& operand : operands)
    arguments.push_back(body.add_argument({operand.dtype(), operand.shape()}));
  body.set_results({ir::Builder(body).value(record.name, arguments, attributes)});
  const Tensor want = interpret(*module, operands)[0];
  const Tensor got = run_compiled(std::move(module), operands);
  int failures = 0;
  for (int64_t i = 0; i < want.size() && failures < 3; ++i) {
    visit_dtype(want.dtype(), [&]<class T>(std::type_identity<T>) {
      const T expected = want.data<T>()[i], actual = got.data<T>()[i];
      if (ops::close(ops::judged_as(record, types), actual, expected)) return;
      ++failures;
      std::ostringstream text;
      for (const Tensor& operand : operands)
        text << " " << operand.get_complex(operand.size() == want.size() ? i : 0);
      ADD_FAILURE() << *record.name << " of " << name_of(types.back().dtype) << text.str() << " to "
                    << name_of(want.dtype()) << ": compiled " << +actual << ", interpreted " << +expected;
    });
  }
}

TEST(RecordsTest, CompiledElementwiseOperationsAgreeWithTheirReferenceSlow) {
  ops::for_each_elementwise(check_record);
}

}  // namespace
}  // namespace ingot::compiler
