#include "base/options.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "ingot/error.h"

namespace ingot {
namespace {

std::string error_of(std::string_view name, std::string_view value) {
  try {
    Options::global().set(name, value);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Options, HelpNamesEveryOption) {
  std::string help = Options::help();
  for (const char* name :
       {"INGOT_NUM_THREADS", "INGOT_MEMORY_LIMIT_MB", "INGOT_POOL_RETAIN_MB", "INGOT_CACHE_LIMIT_MB",
        "INGOT_TARGET", "INGOT_LAPACK", "INGOT_SKIP_PASSES", "INGOT_LOG"}) {
    EXPECT_NE(help.find(name), std::string::npos) << name;
  }
}

// They are read once, so that another process has to.
TEST(Options, AreReadFromTheEnvironment) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  ASSERT_EQ(setenv("INGOT_POOL_RETAIN_MB", "7", 1), 0);
  ASSERT_EQ(setenv("INGOT_CACHE_LIMIT_MB", "9", 1), 0);
  const auto read = [] {
    const Options& options = Options::global();
    std::_Exit(options.pool_retain_mb == 7 && options.cache_limit_mb == 9 ? 7 : 1);
  };
  EXPECT_EXIT(read(), ::testing::ExitedWithCode(7), "");
  unsetenv("INGOT_POOL_RETAIN_MB");
  unsetenv("INGOT_CACHE_LIMIT_MB");
}

TEST(Options, ThreadsDefaultToTheProcessorsOfTheProcess) {
  set_num_threads(0);
  EXPECT_GE(num_threads(), 1);
  set_num_threads(3);
  EXPECT_EQ(num_threads(), 3);
  Options::global().set("INGOT_NUM_THREADS", "5");
  EXPECT_EQ(num_threads(), 5);
  set_num_threads(0);
}

TEST(Options, LogTopicsAreAList) {
  set_log("kernels,passes");
  EXPECT_TRUE(logs(LogTopic::kKernels));
  EXPECT_FALSE(logs(LogTopic::kCompile));
  EXPECT_TRUE(logs(LogTopic::kPasses));
  set_log_topic(LogTopic::kObservers, true);
  set_log("compile");
  EXPECT_FALSE(logs(LogTopic::kKernels));
  EXPECT_TRUE(logs(LogTopic::kCompile));
  EXPECT_TRUE(logs(LogTopic::kObservers)) << "only named topics are replaced";
  set_log_topic(LogTopic::kObservers, false);
  set_log("");
  EXPECT_FALSE(logs(LogTopic::kCompile));
}

TEST(Options, BadValuesSayWhatWouldHaveBeenRight) {
  EXPECT_EQ(error_of("INGOT_NUM_THREADS", "two"),
            "INGOT_NUM_THREADS: 'two' is not a whole number from 0 to 4096");
  EXPECT_EQ(error_of("INGOT_NUM_THREADS", "-1"),
            "INGOT_NUM_THREADS: '-1' is not a whole number from 0 to 4096");
  EXPECT_EQ(
      error_of("INGOT_LOG", "kernels,kernel"),
      "INGOT_LOG: there is no topic 'kernel'; write a comma-separated list of kernels, compile, passes");
  EXPECT_NE(error_of("INGOT_THREADS", "2").find("INGOT_NUM_THREADS"), std::string::npos);
}

TEST(Options, BadThreadCountsNameTheLine) {
  const std::string line = std::string(__FILE__) + ":" + std::to_string(__LINE__ + 2) + ": ";
  try {
    set_num_threads(-2);
    ADD_FAILURE() << "no error was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(),
              line + "set_num_threads: the number of threads is from 0 (all processors) to 4096, not -2");
  }
}

}  // namespace
}  // namespace ingot
