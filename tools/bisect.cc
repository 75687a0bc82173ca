// ingot bisect: finds the first rewrite after which the compiled program differs from the interpreted one.
//
// Passes number their rewrites and can stop after n of them. The program is compiled with fewer and fewer
// allowed, each time in a process of its own, so that crashes and endless loops count as differences too.
// Where it differs without any rewrite, the same is done with the program's values: the first wrong one names
// the operation whose kernel is wrong.

#include "tools/bisect.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "compiler/compiler.h"
#include "compiler/pipeline.h"
#include "interpreter/interpreter.h"
#include "ir/text.h"
#include "pass/runner.h"
#include "tools/arguments.h"
#include "tools/command.h"
#include "tools/compare.h"
#include "tools/execute.h"
#include "tools/files.h"
#include "tools/numbers.h"
#include "tools/show.h"
#include "tools/trial.h"

namespace ingot::tools {
namespace {

constexpr int kFoundDifference = 2;

struct BisectOptions {
  std::string file;
  ArgumentOptions arguments;
  double tolerance = -1;
  int seconds = 60;
};

Trial try_program(const ir::Module& module, const std::vector<Tensor>& arguments,
                  const std::vector<Tensor>& expected, double tolerance, int64_t max_rewrites) {
  compiler::Options options;
  options.max_rewrites = max_rewrites;
  const compiler::Compiled compiled = compiler::compile(ir::clone(module), options);
  Trial trial;
  for (const compiler::PassReport& report : compiled.passes) trial.rewrites += report.rewrites;
  Execution execution(compiled.executable, arguments);
  execution.run();
  const Difference difference = largest_difference(execution.results(), expected);
  trial.good = !difference.beyond(tolerance);
  if (!trial.good) trial.what = "error " + show_number(difference.error) + " at " + difference.where;
  return trial;
}

// The number of all rewrites, where compiling ends well enough to count them.
int64_t count_rewrites(const ir::Module& module) {
  const Trial trial = run_apart(
      [&] {
        auto copy = ir::clone(module);
        pass::PassContext context;
        try {
          pass::run_passes(*copy, compiler::pipeline(), context);
        } catch (const std::exception&) {
          // The rewrites before the failure are what there is to search.
        }
        return Trial{true, "", context.total_rewrites()};
      },
      60);
  return trial.rewrites;
}

// The log's line of the n-th rewrite, "pass fuse: #3 group: %s = add in @main".
std::string rewrite_line(const ir::Module& module, int64_t n) {
  const Trial trial = run_apart(
      [&] {
        Trial trial;
        const std::string number = ": #" + std::to_string(n) + " ";
        pass::PassOptions options;
        options.max_rewrites = n;
        options.log = [&](const std::string& line) {
          // The first line with the number is the rewrite's; refusals and notes that follow repeat it.
          if (trial.what.empty() && line.find(number) != std::string::npos) trial.what = line;
        };
        pass::PassContext context(options);
        auto copy = ir::clone(module);
        try {
          pass::run_passes(*copy, compiler::pipeline(), context);
        } catch (const std::exception&) {
          // The line came before.
        }
        return trial;
      },
      60);
  return trial.what;
}

// The program that returns one value of the entry's body, and what is in front of it.
std::unique_ptr<ir::Module> program_of_value(const ir::Module& module, int op, int result) {
  auto copy = ir::clone(module);
  ir::Region& body = copy->entry()->body();
  auto it = body.ops().begin();
  std::advance(it, op);
  body.set_results({(*it)->result(result)});
  for (auto last = std::prev(body.ops().end()); last != body.ops().begin();) {
    auto here = last--;
    if (!(*here)->is_return() && !(*here)->used()) (*here)->erase();
  }
  copy->entry()->donated.clear();
  return copy;
}

// Searches the values of the entry function in their order; prints the first wrong one.
void find_wrong_value(const ir::Module& module, const std::vector<Tensor>& arguments,
                      const BisectOptions& options, std::ostream& out) {
  int number = 0;
  for (const auto& op : module.entry()->body().ops()) {
    for (int r = 0; r < op->result_count(); ++r) {
      auto program = program_of_value(module, number, r);
      const std::vector<Tensor> expected = interpret(*program, arguments);
      const double tolerance = options.tolerance >= 0 ? options.tolerance : default_tolerance(expected);
      const Trial trial = run_apart([&] { return try_program(*program, arguments, expected, tolerance, 0); },
                                    options.seconds);
      if (trial.good) continue;
      out << "the first wrong value is %" << op->result(r)->name() << ": " << trial.what << "\n  "
          << ir::to_string(*op, {.max_literal_elements = 16}) << "\n";
      return;
    }
    ++number;
  }
  out << "every value is right when it is the program's only result\n";
}

void bisect_program(const BisectOptions& options, const Streams& streams) {
  const Program program = read_program(options.file, streams.in);
  const ir::Module& module = *program.module;
  const std::vector<Tensor> arguments = make_arguments(module, options.arguments, 0);
  const std::vector<Tensor> expected = interpret(module, arguments);
  const double tolerance = options.tolerance >= 0 ? options.tolerance : default_tolerance(expected);
  const BisectResult result = bisect([&](int64_t max_rewrites) {
    Trial trial = run_apart([&] { return try_program(module, arguments, expected, tolerance, max_rewrites); },
                            options.seconds);
    // A trial that did not end well could not say how many rewrites it made.
    if (max_rewrites < 0 && trial.rewrites == 0) trial.rewrites = count_rewrites(module);
    streams.err << "  " << (max_rewrites < 0 ? "all" : std::to_string(max_rewrites))
                << " rewrites: " << (trial.good ? "equal" : trial.what.substr(0, trial.what.find('\n')))
                << "\n";
    return trial;
  });
  if (result.kind == BisectResult::Kind::kNoDifference) {
    streams.out << "no difference: compiled and interpreted results agree within " << show_number(tolerance)
                << " after all " << result.total << " rewrites\n";
    return;
  }
  if (result.kind == BisectResult::Kind::kNotRewrites) {
    streams.out << "the results differ without any rewrite, so the passes are not to blame: " << result.what
                << "\n";
    find_wrong_value(module, arguments, options, streams.out);
  } else {
    streams.out << "rewrite " << result.rewrite << " of " << result.total
                << " makes the difference: " << result.what << "\n  " << rewrite_line(module, result.rewrite)
                << "\n"
                << "see the program before and after it with\n  ingot opt " << options.file
                << " --pipeline --max-rewrites " << result.rewrite - 1 << "\n  ingot opt " << options.file
                << " --pipeline --max-rewrites " << result.rewrite << "\n";
  }
  throw ExitCode{kFoundDifference};
}

}  // namespace

BisectResult bisect(const Try& attempt) {
  BisectResult result;
  Trial bad = attempt(-1);
  result.total = bad.rewrites;
  if (bad.good) return result;
  Trial first = attempt(0);
  if (!first.good) {
    result.kind = BisectResult::Kind::kNotRewrites;
    result.what = first.what;
    return result;
  }
  // Good with `low` rewrites, bad with `high`.
  int64_t low = 0, high = std::max<int64_t>(result.total, 1);
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    Trial trial = attempt(middle);
    (trial.good ? low : high) = middle;
    if (!trial.good) bad = std::move(trial);
  }
  result.kind = BisectResult::Kind::kRewrite;
  result.rewrite = high;
  result.what = bad.what;
  return result;
}

void add_bisect(CLI::App& app, const Streams& streams) {
  auto options = std::make_shared<BisectOptions>();
  CLI::App* command =
      app.add_subcommand("bisect", "find the rewrite after which compiled and interpreted results differ");
  command->add_option("FILE", options->file, "the program; - for standard input")->required();
  add_argument_options(*command, options->arguments);
  command
      ->add_option("--tolerance", options->tolerance,
                   "the largest error that counts as equal, relative to 1 + the magnitude; "
                   "without it 1e-4, or 1e-10 where no result is f32")
      ->check(number_between(0, 1e6));
  command->add_option("--seconds", options->seconds, "time limit of one trial")
      ->check(whole_number(1, 1000000));
  command->footer(
      "Exits with 2 if there is a difference. Random arguments from seed 0 where none are given.");
  command->callback([options, &streams] { bisect_program(*options, streams); });
}

}  // namespace ingot::tools
