// Wrong rewrites, one of each rule, and whether `ingot bisect` names pass, rule and operation.

#include <gtest/gtest.h>

#include <cstdio>
#include <regex>

#include "compiler/pipeline.h"
#include "ir/text.h"
#include "testing/golden.h"
#include "tests/tools/invoke.h"

namespace ingot::tools {
namespace {

struct Fault {
  const char* rule;     // "pass.rule", ":n" for the n-th rewrite of that rule
  const char* program;  // "views 0": the input of the first case of the golden file, or a file of data/
};

// Quick ones, of all kinds: replaced operations, kernels, functions, what must be rewritten.
constexpr Fault kSome[] = {
    {"canonicalize.add_zero", "canonicalize 0"},
    {"dce.signature", "dce 3"},
    {"fuse.fuse", "fuse 1"},
    {"widen_floats.widen:2", "widen_floats 0"},
    {"split_complex.split:3", "split_complex 0"},
};

constexpr Fault kAll[] = {
    {"canonicalize.add_zero", "canonicalize 0"},
    {"canonicalize.constant_to_right", "canonicalize 0"},
    {"canonicalize.dead:2", "canonicalize 0"},
    {"canonicalize.reshape_of_reshape", "canonicalize 0"},
    {"canonicalize.undo", "canonicalize 0"},
    {"canonicalize.mul_one", "canonicalize 2"},
    {"canonicalize.dot_absorbs_transpose", "canonicalize 2"},
    {"canonicalize.dot_outer", "canonicalize 3"},
    {"canonicalize.transpose_of_transpose", "views 0"},
    {"cse.merge", "dedupe_functions 0"},
    {"dce.unused", "dce 0"},
    {"dce.function", "dce 0"},
    {"dce.scan_part", "dce 1"},
    {"dce.constant_carry", "dce 2"},
    {"dce.signature", "dce 3"},
    {"dedupe_functions.merge", "dedupe_functions 0"},
    {"excess_precision.drop_rounding", "excess_precision 0"},
    {"fold.fold", "fold 0"},
    {"fold.fold_splat", "fold 0"},
    {"fold.splat", "fold 0"},
    {"fold.sink_constant", "fold 2"},
    {"forget_derivatives.checkpoint_name", "forget_derivatives 0"},
    {"forget_derivatives.stop_gradient", "forget_derivatives 0"},
    {"forget_derivatives.rule", "forget_derivatives 0"},
    {"fuse.fuse", "fuse 1"},
    {"inline.light", "inline 0"},
    {"inline.called_once", "inline 1"},
    {"layout.order", "layout 0"},
    {"online_softmax.online_softmax", "online_softmax 1"},
    {"padding.pitch", "online_softmax 1"},
    {"row_blocks.row_blocks", "row_blocks 0"},
    {"split_complex.split", "split_complex 0"},
    {"views.sink_transpose", "views 0"},
    {"views.sink_broadcast", "views 1"},
    {"views.sink_reverse", "views 2"},
    {"widen_floats.widen", "widen_floats 0"},
    {"widen_floats.result_dtype", "widen_floats 1"},
    // Programs of real life: a gated recurrent block, its gradient, attention's, convolutions, a GRU in bf16.
    {"fuse.fuse:3", "griffin.ir"},
    {"canonicalize.slice_all", "griffin.ir"},
    {"cse.merge:42", "griffin_gradient.ir"},
    {"canonicalize.transpose_into_dot:2", "griffin_gradient.ir"},
    {"canonicalize.slice_of_concatenate", "griffin_gradient.ir"},
    {"inline.called_once", "griffin_gradient.ir"},
    {"row_blocks.expand_checkpoint", "attention_gradient.ir"},
    {"layout.order", "convolutions.ir"},
    {"widen_floats.widen", "gated_bf16.ir"},
    {"views.sink_transpose", "gated_bf16.ir"},
};

std::string program_of(const std::string& name) {
  const size_t space = name.find(' ');
  if (space == std::string::npos) return file_text(data_file(name));
  std::string text =
      file_text(std::string(INGOT_SOURCE_DIR) + "/tests/pass/golden/" + name.substr(0, space) + ".ir");
  for (int skip = std::stoi(name.substr(space + 1)); skip > 0; --skip)
    text = text.substr(text.find("// ====\n") + 8);
  return text.substr(0, text.find("// ----\n"));
}

void expect_found(const Fault& fault) {
  SCOPED_TRACE(std::string(fault.rule) + " in " + fault.program);
  const Outcome outcome =
      invoke({"bisect", "-", "--limit", "60", "--plant", fault.rule}, program_of(fault.program));
  EXPECT_EQ(outcome.code, 2) << outcome.out << outcome.err;
  std::string rule = fault.rule;
  rule = rule.substr(0, rule.find(':'));
  const size_t dot = rule.find('.');
  const std::regex line("pass " + rule.substr(0, dot) + ": #[0-9]+ " + rule.substr(dot + 1) +
                        ": (%[\\w.]+ = \\w+ in )?@\\w+");
  EXPECT_TRUE(std::regex_search(outcome.out, line)) << outcome.out << outcome.err;
  expect_contains(outcome.out, " makes the difference: ");
  std::smatch time;
  const std::string& err = outcome.err;
  const size_t last = err.rfind(" s  ");
  std::printf("%-40s %-24s %s s\n", fault.rule, fault.program,
              last == std::string::npos
                  ? "?"
                  : err.substr(err.rfind('\n', last) + 1, last - err.rfind('\n', last) - 1).c_str());
}

// What no search could see: a pass that changes a program although no rewrite is allowed.
TEST(Passes, ChangeNothingWithoutLeave) {
  std::vector<std::string> programs;
  for (const auto& file : testing::files_in(std::string(INGOT_SOURCE_DIR) + "/tests/pass/golden")) {
    const std::string text = testing::read_file(file);
    for (size_t at = 0; at != std::string::npos;) {
      const size_t end = text.find("// ----\n", at), next = text.find("// ====\n", at);
      programs.push_back(text.substr(at, end - at));
      at = next == std::string::npos ? next : next + 8;
    }
  }
  for (const char* file :
       {"griffin_gradient.ir", "attention_gradient.ir", "convolutions.ir", "gated_bf16.ir"})
    programs.push_back(file_text(data_file(file)));
  EXPECT_GT(programs.size(), 40u);
  for (const std::string& program : programs) {
    auto module = ir::parse(program);
    pass::PassOptions options;
    options.max_rewrites = 0;
    pass::PassContext context(options);
    for (const auto& pass : compiler::pipeline()) {
      const std::string before = ir::to_string(*module);
      context.enter(pass->name());
      pass->run(*module, context);
      if (pass->required()) continue;
      EXPECT_EQ(ir::to_string(*module), before) << pass->name();
    }
    EXPECT_EQ(context.total_rewrites(), context.required_rewrites());
  }
}

// A pass that is wrong without any rewrite.
TEST(PlantedFaults, PassesAreNamed) {
  for (const std::string pass : {"split_complex", "widen_floats"}) {
    const Outcome outcome = invoke({"bisect", "-", "--limit", "60", "--plant", pass + ".silently"},
                                   program_of("split_complex 0"));
    EXPECT_EQ(outcome.code, 2) << outcome.out << outcome.err;
    expect_contains(outcome.out, "pass " + pass + " makes the difference: ");
  }
}

TEST(PlantedFaults, SomeAreNamed) {
  for (const Fault& fault : kSome) expect_found(fault);
}

TEST(PlantedFaults, SlowAllAreNamed) {
  for (const Fault& fault : kAll) expect_found(fault);
}

}  // namespace
}  // namespace ingot::tools
