// The runner and the context: what they count, limit, log, dump and refuse, and what they say about a broken
// pass.
#include "pass/runner.h"

#include <gtest/gtest.h>

#include "ingot/error.h"
#include "interpreter/interpreter.h"
#include "ir/builder.h"
#include "ir/text.h"
#include "pass/passes.h"

namespace ingot::pass {
namespace {

constexpr std::string_view kProgram = R"(func @main(%x: f32[4], %y: f32[4]) -> (f32[4], f32[4]) {
  %a = add(%x, %y) : f32[4] loc("p.cc":1)
  %b = add(%x, %y) : f32[4] loc("p.cc":2)
  %c = add(%x, %y) : f32[4] loc("p.cc":3)
  %d = exp(%x) : f32[4]
  %e = mul(%b, %c) : f32[4]
  return %a, %e
}
)";

size_t op_count(const ir::Module& module) {
  return module.entry()->body().ops().size();
}

// A pass made of a function.
class TestPass : public Pass {
 public:
  explicit TestPass(std::function<bool(ir::Module&, PassContext&)> fn) : fn_(std::move(fn)) {}
  std::string_view name() const override { return "test"; }
  std::string_view why() const override { return "Tests the runner."; }
  bool run(ir::Module& module, PassContext& context) override { return fn_(module, context); }

 private:
  std::function<bool(ir::Module&, PassContext&)> fn_;
};

std::string message_of(std::function<bool(ir::Module&, PassContext&)> fn) {
  auto module = ir::parse(kProgram);
  PassList passes;
  passes.push_back(std::make_unique<TestPass>(std::move(fn)));
  PassContext context;
  try {
    run_passes(*module, passes, context);
  } catch (const InternalError& error) {
    return error.what();
  }
  return "no error";
}

TEST(RunnerTest, ReportsNamesChangesAndRewritesPerRule) {
  auto module = ir::parse(kProgram);
  PassContext context;
  auto results = run_passes(*module, parse_pass_list("cse,dce,dce"), context);
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0].name, "cse");
  EXPECT_TRUE(results[0].changed);
  EXPECT_EQ(results[0].rewrites, (RewriteCounts{{"merge", 2}}));
  EXPECT_EQ(results[1].rewrites, (RewriteCounts{{"unused", 1}}));
  EXPECT_EQ(results[1].total_rewrites(), 1);
  EXPECT_FALSE(results[2].changed);
  EXPECT_EQ(context.total_rewrites(), 3);
}

TEST(RunnerTest, StopsAndFilters) {
  auto run = [](int stop_after, std::vector<std::string> only, std::vector<std::string> skip) {
    RunnerOptions options;
    options.stop_after = stop_after;
    options.only = std::move(only);
    options.skip = std::move(skip);
    auto module = ir::parse(kProgram);
    PassContext context;
    std::string names;
    for (const auto& result : run_passes(*module, parse_pass_list("cse,dce,fold,dce"), context, options)) {
      names += result.name + " ";
    }
    return names;
  };
  EXPECT_EQ(run(-1, {}, {}), "cse dce fold dce ");
  EXPECT_EQ(run(2, {}, {}), "cse dce ");
  EXPECT_EQ(run(0, {}, {}), "");
  EXPECT_EQ(run(-1, {"dce", "fold"}, {}), "dce fold dce ");
  EXPECT_EQ(run(-1, {}, {"dce"}), "cse fold ");
}

TEST(RunnerTest, DumpsTheInputAndTheProgramAfterEveryPass) {
  auto module = ir::parse(kProgram);
  PassContext context;
  std::vector<std::string> dumps;
  RunnerOptions options;
  options.dump = [&](int index, std::string_view name, const ir::Module& now) {
    dumps.push_back(std::to_string(index) + " " + std::string(name) + " " + std::to_string(op_count(now)));
  };
  run_passes(*module, parse_pass_list("cse,dce"), context, options);
  EXPECT_EQ(dumps, (std::vector<std::string>{"0 input 6", "1 cse 4", "2 dce 3"}));
}

TEST(RunnerTest, RewritesCanBeBisected) {
  // With a limit of n rewrites exactly the first n of the full run happen.
  for (int64_t limit = 0; limit <= 4; ++limit) {
    auto module = ir::parse(kProgram);
    PassOptions options;
    options.max_rewrites = limit;
    PassContext context(options);
    run_passes(*module, parse_pass_list("cse,dce"), context);
    EXPECT_EQ(op_count(*module), 6u - static_cast<size_t>(std::min<int64_t>(limit, 3)));
    EXPECT_EQ(context.total_rewrites(), std::min<int64_t>(limit, 3));
  }
  for (std::string rule : {"merge", "cse.merge"}) {
    auto module = ir::parse(kProgram);
    PassOptions options;
    options.rule_limits = {{rule, 1}};
    PassContext context(options);
    run_passes(*module, parse_pass_list("cse,dce"), context);
    EXPECT_EQ(op_count(*module), 4u);
  }
}

TEST(RunnerTest, LogsEveryRewriteWithItsPlace) {
  auto module = ir::parse(kProgram);
  std::vector<std::string> lines;
  PassOptions options;
  options.max_rewrites = 2;
  options.log = [&](const std::string& line) { lines.push_back(line); };
  PassContext context(options);
  run_passes(*module, parse_pass_list("cse,dce"), context);
  EXPECT_EQ(lines, (std::vector<std::string>{"pass cse: #1 merge: %b = add in @main at p.cc:2",
                                             "pass cse: #2 merge: %c = add in @main at p.cc:3",
                                             "pass dce: #2 not allowed: unused: %d = exp in @main"}));
}

TEST(RunnerTest, KeepsRefusalsNotesAndOptions) {
  auto module = ir::parse(kProgram);
  PassOptions options;
  options.values = {{"test.width", "8"}, {"test.kind", "tall"}, {"test.bad", "x"}};
  PassContext context(options);
  PassList passes;
  passes.push_back(std::make_unique<TestPass>([](ir::Module& m, PassContext& c) {
    const ir::Op& first = *m.entry()->body().ops().front();
    const ir::Op& last = *m.entry()->body().ops().back();
    c.refuse(first, &last, "too far away");
    c.refuse(first, nullptr, "alone");
    c.note("@main", "is small");
    EXPECT_EQ(c.option("width", 1), 8);
    EXPECT_EQ(c.option("height", 1), 1);
    EXPECT_EQ(c.option("kind", "short"), "tall");
    EXPECT_THROW(c.option("bad", 1), Error);
    return false;
  }));
  run_passes(*module, passes, context);
  ASSERT_EQ(context.refusals().size(), 2u);
  const Refusal& refusal = context.refusals()[0];
  EXPECT_EQ(refusal.pass, "test");
  EXPECT_EQ(refusal.producer, "%a = add");
  EXPECT_EQ(refusal.consumer, "return");
  EXPECT_EQ(refusal.reason, "too far away");
  EXPECT_EQ(refusal.source, "p.cc:1");
  EXPECT_EQ(context.refusals()[1].consumer, "");
  ASSERT_EQ(context.notes().size(), 1u);
  EXPECT_EQ(context.notes()[0].text, "is small");
}

TEST(RunnerTest, InlineSaysWhyItDidNot) {
  auto module = ir::parse(R"(func @main(%x: f32[4,4]) -> (f32[4,4]) {
  %a = call(%x) {callee = @f} : f32[4,4]
  %b = call(%a) {callee = @f} : f32[4,4]
  return %b
}
func @f(%x: f32[4,4]) -> (f32[4,4]) {
  %y = dot_general(%x, %x) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : f32[4,4]
  return %y
})");
  PassContext context;
  run_passes(*module, parse_pass_list("inline"), context);
  ASSERT_EQ(context.refusals().size(), 2u);
  EXPECT_EQ(context.refusals()[0].producer, "%a = call");
  EXPECT_EQ(context.refusals()[0].reason, "@f holds a contraction");
}

TEST(RunnerTest, WantsEveryChangeToBeAskedFor) {
  const std::string unasked = message_of([](ir::Module& module, PassContext&) {
    module.entry()->body().ops().front()->attributes().set("note", int64_t{1});
    return true;
  });
  EXPECT_NE(unasked.find("changed the program without asking"), std::string::npos) << unasked;
}

// Rewrites that kernels need can be left out where the program is only interpreted, one by one.
TEST(RunnerTest, LimitsWhatMustBeRewritten) {
  const auto module = ir::parse(R"(func @main(%x: c64[4], %h: bf16[4]) -> (c64[4], bf16[4]) {
  %a = mul(%x, %x) : c64[4]
  %b = exp(%a) : c64[4]
  %g = mul(%h, %h) : bf16[4]
  return %b, %g
}
)");
  Tensor x(DType::kC64, {4}), h(DType::kBF16, {4});
  for (int i = 0; i < 4; ++i) {
    x.set_complex(i, {0.5 * i, 1 - 0.25 * i});
    h.set_double(i, 0.5 * i);
  }
  const std::vector<Tensor> want = interpret(*module, std::vector{x, h});
  for (int64_t limit = -1; limit <= 3; ++limit) {
    PassOptions options;
    options.max_required = limit;
    PassContext context(options);
    auto copy = ir::clone(*module);
    run_passes(*copy, parse_pass_list("split_complex,widen_floats"), context);
    EXPECT_EQ(context.required_rewrites(), limit < 0 ? 3 : limit);
    const std::vector<Tensor> got = interpret(*copy, std::vector{x, h});
    for (int i = 0; i < 4; ++i) {
      EXPECT_LT(std::abs(got[0].get_complex(i) - want[0].get_complex(i)), 1e-5);
      EXPECT_EQ(got[1].get_double(i), want[1].get_double(i));
    }
  }
}

TEST(RunnerTest, NamesThePassThatBrokeTheProgram) {
  std::string broken = message_of([](ir::Module& module, PassContext&) {
    ir::Region& body = module.entry()->body();
    body.take(std::next(body.ops().begin())->get());  // %b, to behind its user
    return true;
  });
  EXPECT_NE(broken.find("failed after pass 'test'"), std::string::npos) << broken;
  EXPECT_NE(broken.find("func @main"), std::string::npos) << broken;
  std::string thrown = message_of([](ir::Module& module, PassContext&) -> bool {
    ir::Region& body = module.entry()->body();
    ir::Builder(body).make("exp", {});
    return true;
  });
  EXPECT_NE(thrown.find("failed in pass 'test'"), std::string::npos) << thrown;
  EXPECT_NE(thrown.find("exp: "), std::string::npos) << thrown;
  EXPECT_NE(thrown.find("func @main"), std::string::npos) << thrown;
}

TEST(RegistryTest, PassesByName) {
  for (const PassEntry& entry : all_passes()) {
    EXPECT_EQ(entry.make()->name(), entry.name);
    EXPECT_GT(entry.make()->why().size(), 40u);
  }
  EXPECT_TRUE(parse_pass_list("").empty());
  EXPECT_EQ(parse_pass_list("dce").size(), 1u);
  try {
    parse_pass_list("dce,cannonicalize");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "there is no pass called 'cannonicalize'; did you mean 'canonicalize'?");
  }
  EXPECT_THROW(parse_pass_list("something else"), Error);
}

}  // namespace
}  // namespace ingot::pass
