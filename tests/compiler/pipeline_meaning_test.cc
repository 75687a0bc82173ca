// The compiler's own list of passes keeps the meaning of random programs, as the interpreter sees them.
#include <gtest/gtest.h>

#include "compiler/pipeline.h"
#include "interpreter/interpreter.h"
#include "ir/text.h"
#include "pass/runner.h"
#include "testing/random_program.h"
#include "testing/tensors.h"

namespace ingot::compiler {
namespace {

TEST(PipelineMeaningSlowTest, AllPassesKeepIt) {
  for (uint64_t seed = 1000; seed < 1060; ++seed) {
    const testing::RandomProgram program = testing::random_program(seed);
    const std::unique_ptr<ir::Module> module = clone(*program.module);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + to_string(*program.module));
    pass::PassContext context;
    run_passes(*module, pipeline(), context);
    testing::Random random(seed);
    const std::vector<Tensor> arguments = testing::random_arguments(random, *program.module);
    const std::vector<Tensor> expected = interpret(*program.module, arguments);
    const std::vector<Tensor> actual = interpret(*module, arguments);
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < actual.size(); ++i)
      ASSERT_EQ(testing::difference(actual[i], expected[i], program.tolerances[i]), "") << "result " << i;
  }
}

}  // namespace
}  // namespace ingot::compiler
