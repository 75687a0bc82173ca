// What the compiler makes and tells depends on the program alone, not on where memory lies: many programs in
// several processes, whose addresses differ, give the same text.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/hash.h"
#include "compiler/pipeline.h"
#include "compiler/plan_builder.h"
#include "compiler/routines.h"
#include "ir/text.h"
#include "kernel/schedule/schedule.h"
#include "pass/passes.h"
#include "pass/runner.h"
#include "runtime/plan.h"
#include "testing/golden.h"
#include "testing/random_program.h"

namespace ingot::compiler {
namespace {

constexpr const char* kReport = "ORDER_TEST_REPORT";

std::vector<std::unique_ptr<ir::Module>> programs() {
  std::vector<std::unique_ptr<ir::Module>> list;
  for (const char* folder : {"/regressions", "/../transform/programs"}) {
    for (const auto& file : testing::files_in(INGOT_TEST_DIR + std::string(folder))) {
      std::string text = testing::read_file(file);
      list.push_back(ir::parse(text.substr(0, text.find("// ----"))));
    }
  }
  for (uint64_t seed = 0; list.size() < 60; ++seed)
    list.push_back(testing::random_program(seed, {.operations = 40}).module);
  return list;
}

// Everything that is told of a compilation but machine code and times.
std::string story(ir::Module& module) {
  pass::PassOptions options;
  std::string text;
  options.log = [&](const std::string& line) { text += line + "\n"; };
  pass::PassContext context(options);
  pass::RunnerOptions runner;
  runner.dump = [&](int, std::string_view pass, const ir::Module& m) {
    text += "// " + std::string(pass) + "\n" + ir::to_string(m);
  };
  pass::run_passes(module, pipeline(), context, runner);
  for (const ir::Fate& fate : module.fates()) text += to_string(fate) + "\n";
  kernel::Target target;
  target.vector_bytes = 32;
  std::unordered_map<const ir::Op*, Implementation> kernels;
  for (PlannedKernel& planned : plan_kernels(module, context.candidates())) {
    text += kernel::to_string(planned.kernel);
    auto cached = std::make_shared<CachedKernel>();
    cached->hash = planned.hash;
    cached->scheduled = kernel::schedule(std::move(planned.kernel), target);
    text += kernel::to_string(cached->scheduled);
    cached->code.copying_cost_ns.resize(cached->scheduled.copied_first.size());
    std::vector<int64_t> starts = cached->scheduled.input_starts;
    kernels[planned.op] = {std::move(cached), std::move(starts)};
  }
  return text +
         runtime::to_string(build_plan(module, kernels, plan_routines(module, {}), backend::host_backend()));
}

std::string all_stories() {
  std::string text;
  for (const auto& module : programs()) text += "==== program\n" + story(*module);
  return text;
}

// What the other processes run: the text goes where the environment says.
TEST(OrderTest, TellsInThisProcess) {
  const char* file = std::getenv(kReport);
  if (file == nullptr) return;
  // Memory of other sizes before and in between, so that what follows lies in another order.
  std::vector<std::unique_ptr<char[]>> noise;
  uint64_t state = static_cast<uint64_t>(getpid()) * 0x9e3779b97f4a7c15u;
  for (int i = 0; i < 5000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    auto block = std::make_unique<char[]>(16 + (state >> 33) % 400);
    if ((state >> 60) % 2 == 0) noise.push_back(std::move(block));
  }
  std::ofstream(file) << all_stories();
}

std::string told_by_another_process(const std::string& file) {
  const pid_t child = fork();
  if (child == 0) {
    setenv(kReport, file.c_str(), 1);
    for (const char* of_a_share : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX"}) unsetenv(of_a_share);
    execl("/proc/self/exe", "compiler_tests", "--gtest_filter=OrderTest.TellsInThisProcess",
          "--gtest_brief=1", nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  std::string text = testing::read_file(file);
  unlink(file.c_str());
  return text;
}

std::string first_difference(const std::string& a, const std::string& b) {
  std::istringstream x(a), y(b);
  std::string one, other;
  for (int line = 1; std::getline(x, one) && std::getline(y, other); ++line) {
    if (one != other) return "line " + std::to_string(line) + ":\n" + one + "\n" + other;
  }
  return "the length";
}

void same_in_processes(int count) {
  std::string name = (std::filesystem::temp_directory_path() / "ingot_order_XXXXXX").string();
  const int file = mkstemp(name.data());
  ASSERT_GE(file, 0);
  close(file);
  const std::string first = told_by_another_process(name);
  EXPECT_GT(first.size(), 100000u);
  for (int i = 1; i < count; ++i) {
    const std::string other = told_by_another_process(name);
    ASSERT_TRUE(first == other) << first_difference(first, other);
  }
}

TEST(OrderTest, IsTheSameInEveryProcess) {
  same_in_processes(3);
}

TEST(OrderTest, IsTheSameInTwentyProcessesSlow) {
  same_in_processes(20);
}

}  // namespace
}  // namespace ingot::compiler
