// Kernels as text. A case of a file in tests/kernel/golden is a program whose entry function is one group;
// what follows is the kernel as it is lowered, or scheduled for vectors of so many bytes where a line says
// "// schedule: 32" (or "// schedule: 64 bf16", for a machine that multiplies pairs of bf16, "64 tiles", for
// one that has matrix tiles besides, "64 permutes", for one that permutes two registers at once, or "64
// compresses", for one that moves some lanes to the front), or the reason why the group cannot be one kernel.
// Every kernel is also run by the kernel interpreter and compared with the interpreter.

#include <gtest/gtest.h>

#include "interpreter/interpreter.h"
#include "ir/text.h"
#include "ir/verifier.h"
#include "kernel/ir/count_work.h"
#include "kernel/ir/target.h"
#include "kernel/lower/group.h"
#include "kernel/lower/lower.h"
#include "kernel/schedule/schedule.h"
#include "testing/golden.h"
#include "testing/kernel_interpreter.h"
#include "testing/tensors.h"

namespace ingot::kernel {
namespace {

void expect_same_meaning(const ir::Module& module, const Kernel& kernel) {
  testing::Random random(1);
  std::vector<Tensor> arguments = testing::random_arguments(random, module);
  std::vector<Tensor> expected = interpret(module, arguments);
  for (bool backwards : {false, true}) {
    EXPECT_EQ(testing::difference(testing::run_kernel(kernel, arguments, backwards).outputs, expected, 1e-5),
              "");
  }
}

std::string run_case(const std::string& input, const std::string& file) {
  std::unique_ptr<ir::Module> module = ir::parse(input, file);
  ir::verify(*module);
  try {
    Kernel kernel = lower(group_of_region(module->entry()->body()), module->entry()->name());
    verify(kernel);
    expect_same_meaning(*module, kernel);
    if (std::string bytes = testing::golden_option(input, "schedule"); !bytes.empty()) {
      Target target;
      target.vector_bytes = std::stoi(bytes);
      target.bf16_products = bytes.ends_with("bf16") || bytes.ends_with("tiles");
      target.s16_products = bytes.ends_with("s16");
      target.permutes_two = bytes.ends_with("permutes");
      target.compresses = bytes.ends_with("compresses");
      if (bytes.ends_with("tiles")) target.tiles = {8, 16, 64};
      kernel = schedule(std::move(kernel), target);
      expect_same_meaning(*module, kernel);
    }
    count_work(kernel);
    return to_string(kernel);
  } catch (const NotFusible& reason) {
    return std::string("not fusible: ") + reason.what() + "\n";
  }
}

class KernelGoldenTest : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(KernelGoldenTest, Matches) {
  testing::check_golden_file(GetParam(),
                             [&](const std::string& input) { return run_case(input, GetParam().string()); });
}

INSTANTIATE_TEST_SUITE_P(Files, KernelGoldenTest,
                         ::testing::ValuesIn(testing::files_in(INGOT_TEST_DIR "/golden")),
                         [](const auto& info) { return info.param.stem().string(); });

}  // namespace
}  // namespace ingot::kernel
