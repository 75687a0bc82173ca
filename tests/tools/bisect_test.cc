// The search for the wrong rewrite: on made-up trials, and on a program whose fusion changes its rounding.

#include "tools/bisect.h"

#include <signal.h>

#include "ingot/error.h"
#include "tests/tools/invoke.h"
#include "tools/trial.h"

namespace ingot::tools {
namespace {

TEST(Bisect, FindsTheFirstBadRewrite) {
  for (int64_t total : {1, 2, 3, 100, 1023}) {
    for (int64_t wrong : {int64_t{1}, total / 2 + 1, total}) {
      int trials = 0;
      const BisectResult result = bisect([&](int64_t limit) {
        ++trials;
        const int64_t made = limit < 0 ? total : std::min(limit, total);
        return Trial{made < wrong, "wrong from " + std::to_string(made), made};
      });
      EXPECT_EQ(result.kind, BisectResult::Kind::kRewrite);
      EXPECT_EQ(result.rewrite, wrong);
      EXPECT_EQ(result.total, total);
      EXPECT_EQ(result.what, "wrong from " + std::to_string(wrong));
      EXPECT_LE(trials, 13);
    }
  }
}

TEST(Bisect, TellsGoodProgramsAndWrongKernelsApart) {
  EXPECT_EQ(bisect([](int64_t) { return Trial{true, "", 5}; }).kind, BisectResult::Kind::kNoDifference);
  EXPECT_EQ(bisect([](int64_t) { return Trial{false, "bad", 5}; }).kind, BisectResult::Kind::kNotRewrites);
}

TEST(RunApart, SurvivesWhateverHappens) {
  const Trial good = run_apart([] { return Trial{true, "two\nlines", 7}; }, 10);
  EXPECT_TRUE(good.good);
  EXPECT_EQ(good.rewrites, 7);
  EXPECT_EQ(good.what, "two\nlines");
  auto what = [](const std::function<Trial()>& body, int seconds = 10) {
    const Trial trial = run_apart(body, seconds);
    EXPECT_FALSE(trial.good);
    return trial.what;
  };
  EXPECT_EQ(what([]() -> Trial { throw Error("wrong"); }), "error: wrong");
  expect_contains(what([]() -> Trial { throw InternalError("bug"); }), "internal error: ");
  expect_contains(what([]() -> Trial {
                    raise(SIGKILL);
                    return {};
                  }),
                  "crashed with signal 9");
  EXPECT_EQ(what([]() -> Trial { _exit(0); }), "ended without an answer");
  EXPECT_EQ(what(
                []() -> Trial {
                  while (true) usleep(1000);
                },
                1),
            "no answer within 1 seconds");
}

TEST(BisectCommand, NamesTheRewriteThatFusesTheRounding) {
  const Outcome outcome = invoke({"bisect", data_file("fma.ir"), "--tolerance", "0"});
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  expect_contains(outcome.out, "rewrite 1 of 1 makes the difference: error ");
  expect_contains(outcome.out, "pass fuse: #1 ");
  expect_contains(outcome.out, "--pipeline --max-rewrites 0\n");
}

TEST(BisectCommand, NamesTheOperationWhereNoRewriteIsToBlame) {
  const Outcome outcome =
      invoke({"bisect", "-", "--tolerance", "0"},
             "func @main(%x: f32[1000]) -> (f32[1000]) {\n  %a = add(%x, %x) : f32[1000]\n"
             "  %e = log(%a) : f32[1000]\n  %b = exp(%e) : f32[1000]\n  return %b\n}\n");
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  expect_contains(outcome.out, "the results differ without any rewrite");
  expect_contains(outcome.out, "the first wrong value is %e: ");
}

TEST(BisectCommand, SaysThatThereIsNoDifference) {
  for (const char* file : {"fma.ir", "scale.ir", "softmax.ir", "calls.ir", "empty.ir"}) {
    const Outcome outcome = invoke({"bisect", data_file(file), "--random", "3"});
    EXPECT_EQ(outcome.code, 0) << outcome.out;
    EXPECT_TRUE(outcome.out.starts_with("no difference: ")) << outcome.out;
  }
}

}  // namespace
}  // namespace ingot::tools
