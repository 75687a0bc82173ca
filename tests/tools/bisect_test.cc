// The search for the wrong rewrite: on made-up trials, and on a program whose fusion changes its rounding.

#include "tools/bisect.h"

#include <signal.h>

#include <chrono>

#include "codegen/codegen.h"
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

TEST(Bisect, TellsWhatIsKnownWhereTimeIsUp) {
  const Trial bad{false, "wrong", 100}, late{false, "no answer", 0, true};
  bool over = false;
  const auto time_up = [&] { return over; };
  // A trial that hangs before time is up is a bad one.
  EXPECT_EQ(
      bisect([&](int64_t n) { return n == 0 ? Trial{} : late; }, [] { return int64_t{1}; }, time_up).kind,
      BisectResult::Kind::kRewrite);
  const BisectResult cut = bisect(
      [&](int64_t n) {
        over = n == 37;
        return n < 0 || n == 50 ? bad : n == 37 ? late : Trial{};
      },
      {}, time_up);
  EXPECT_EQ(cut.kind, BisectResult::Kind::kTimeUp);
  EXPECT_EQ(cut.good, 25);
  EXPECT_EQ(cut.rewrite, 50);
  over = true;
  EXPECT_EQ(bisect([&](int64_t) { return late; }, {}, time_up).kind, BisectResult::Kind::kNothing);
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
  EXPECT_EQ(what([]() -> Trial { throw std::bad_alloc(); }), "out of memory");
}

TEST(AskApart, HearsWhatWasSaidBeforeTheEnd) {
  const Answer answer = ask_apart(
      [](const Say& say) {
        say("one,");
        say("two");
        raise(SIGKILL);  // sanitizers have handlers of their own for others
      },
      10);
  EXPECT_EQ(answer.said, "one,two");
  expect_contains(answer.failure, "crashed with signal 9");
  const std::string much(3 << 20, 'x');
  EXPECT_EQ(ask_apart([&](const Say& say) { say(much); }, 10).said, much);
}

// Processors with AVX2 do, and all AArch64 ones.
bool multiplies_and_adds_at_once() {
#if defined(__x86_64__)
  return codegen::detect_target().vector_bytes >= 32;
#else
  return true;
#endif
}

TEST(BisectCommand, NamesTheRewriteThatFusesTheRounding) {
  const Outcome outcome = invoke({"bisect", data_file("fma.ir"), "--tolerance", "0"});
  if (!multiplies_and_adds_at_once()) {
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(outcome.out.starts_with("no difference: ")) << outcome.out;
    return;
  }
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
  expect_contains(outcome.out, "the first wrong value is %e, in @main: ");
}

// Without a tolerance at all, functions whose last digit is another one are wrong kernels.
TEST(BisectCommand, DescendsIntoCallsLoopsAndKernels) {
  const char* program = R"(func @main(%x: f32[50,8]) -> (f32[8]) {
  %a = add(%x, %x) : f32[50,8]
  %y = call(%a) {callee = @layer} : f32[8]
  %z = call(%a) {callee = @layer} : f32[8]
  %r = add(%y, %z) : f32[8]
  return %r
}
func @layer(%x: f32[50,8]) -> (f32[8]) {
  %one = constant() {value = dense f32[]{1}} : f32[]
  %start = broadcast(%one) {dims = [], shape = [8]} : f32[8]
  %last = scan(%start, %x) {carries = 1, length = 50, reverse = false, scanned = 1, xs_axes = [0], ys_axes = []} (%c: f32[8], %xi: f32[8]) {
    %d = add(%c, %xi) : f32[8]
    %m = max(%d, %c) : f32[8]
    %n = tanh(%m) : f32[8] loc("layer.cc":7)
    return %n
  } : f32[8]
  return %last
}
)";
  const Outcome outcome = invoke({"bisect", "-", "--tolerance", "0"}, program);
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  expect_contains(outcome.out, "the first wrong value is %n");
  expect_contains(outcome.out, " of 50 of %last");
  expect_contains(outcome.out, ", in @layer, called by %y, in @main: ");
  expect_contains(outcome.out, "tanh(%m) : f32[8] at layer.cc:7");
}

TEST(BisectCommand, DescendsIntoBranchesAndLoopsOfUnknownLength) {
  const char* program = R"(func @main(%x: f32[300,300], %n: s32[]) -> (f32[300,300]) {
  %zero = constant() {value = dense s32[]{0}} : s32[]
  %y, %i = while(%x, %zero) {carries = 2} (%a: f32[300,300], %j: s32[]) {
    %three = constant() {value = dense s32[]{3}} : s32[]
    %more = compare(%j, %three) {direction = "lt"} : pred[]
    return %more
  } (%b: f32[300,300], %k: s32[]) {
    %one = constant() {value = dense s32[]{1}} : s32[]
    %k1 = add(%k, %one) : s32[]
    %c = cond(%k1, %b) (%d: f32[300,300]) {
      return %d
    } (%d1: f32[300,300]) {
      %m = max(%d1, %d1) : f32[300,300]
      return %m
    } (%d2: f32[300,300]) {
      %e = tanh(%d2) : f32[300,300] loc("layer.cc":7)
      return %e
    } : f32[300,300]
    return %c, %k1
  } : f32[300,300], s32[]
  return %y
}
)";
  const Outcome outcome = invoke({"bisect", "-", "--tolerance", "0"}, program);
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  expect_contains(outcome.out, "the first wrong value is %e");
  expect_contains(outcome.out, ", in branch 2 of %c, in a step of %y, evaluated for the 2. time, in @main: ");
  expect_contains(outcome.out, "tanh(%d2) : f32[300,300] at layer.cc:7");
}

// The interpreter takes many times as long as it may here, so that whatever else there was time for, nothing
// is known of the values. The limit is far below what a loaded machine may take to end, and that far below
// the hours of the whole search.
TEST(BisectCommand, KeepsToItsLimit) {
  const char* long_loop = R"(func @main(%x: f32[]) -> (f32[]) {
  %y = scan(%x) {carries = 1, length = 10000000000, reverse = false, scanned = 0, xs_axes = [], ys_axes = []} (%c: f32[]) {
    %d = sin(%c) : f32[]
    return %d
  } : f32[]
  return %y
}
)";
  for (const std::string& program : {file_text(data_file("attention_gradient.ir")), std::string(long_loop)}) {
    const auto start = std::chrono::steady_clock::now();
    const Outcome outcome = invoke({"bisect", "-", "--limit", "0.1"}, program);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
    EXPECT_EQ(outcome.code, 4) << outcome.out;
    expect_contains(outcome.err, "at most 0.1 seconds (--limit)");
    EXPECT_EQ(outcome.err.find("equal"), std::string::npos) << outcome.err;
    const bool unjudged = outcome.out.find("whether its values are right is not known") != std::string::npos;
    const bool unheard = outcome.out.find("nothing is known: ") != std::string::npos;
    EXPECT_TRUE(unjudged || unheard) << outcome.out;
    for (const char* answer : {"no difference", "wrong", "makes the difference", "the results differ"})
      EXPECT_EQ(outcome.out.find(answer), std::string::npos) << outcome.out;
  }
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
