// ingot bisect: finds what makes the compiled program differ from the interpreted one.
//
// Passes number their rewrites and can stop after n of them. The program is compiled with fewer and fewer
// allowed, each time in a process of its own, so that crashes and endless loops count as differences too.
// The interpreter then says of the program on both sides of the rewrite that was found whether its meaning
// has changed. If it has, the rewrite is wrong; if not, a kernel of the rewritten program is, and the search
// goes on among its operations (descend.h). Where the compiled program differs without any rewrite, the same
// is asked of those rewrites that no program can be compiled without, by interpreting alone.

#include "tools/bisect.h"

#include <CLI/CLI.hpp>
#include <cstring>
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
#include "tools/descend.h"
#include "tools/execute.h"
#include "tools/files.h"
#include "tools/numbers.h"
#include "tools/show.h"
#include "tools/trial.h"

namespace ingot::tools {
namespace {

constexpr int kNothingKnown = 4;  // an exit code
constexpr int kRuns = 3;          // of what is compiled once: races do not show every time

struct BisectOptions {
  ProgramOptions program;
  ArgumentOptions arguments;
  double tolerance = -1, limit = 300, seconds = 60;
  std::string plant;
};

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

bool same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::memcmp(a[i].raw(), b[i].raw(), a[i].bytes()) != 0) return false;
  }
  return true;
}

// One program on one set of arguments, and everything that is asked about it.
class Bisection {
 public:
  Bisection(const BisectOptions& options, const Program& program, const Streams& streams)
      : options_(options),
        module_(*program.module),
        file_(options.program.file + program.shapes_option),
        streams_(streams),
        deadline_(options.limit),
        arguments_(make_arguments(module_, options.arguments, 0)) {}

  // Whether there is a difference.
  bool run() {
    streams_.err << "  at most " << show_number(options_.limit) << " seconds (--limit)\n";
    judge();
    const BisectResult result =
        bisect([this](int64_t n) { return compiled(n); }, [this] { return count_rewrites(); },
               [this] { return deadline_.over(); });
    const std::string total = std::to_string(result.total);
    switch (result.kind) {
      case BisectResult::Kind::kNothing:
        streams_.out << "nothing is known: the compiled program gave no answer within the limit of "
                     << show_number(options_.limit) << " seconds (--limit)\n";
        throw ExitCode{kNothingKnown};
      case BisectResult::Kind::kTimeUp:
        streams_.out << "time is up after " << show_number(options_.limit)
                     << " seconds (--limit); the program is "
                     << (result.good < 0 ? "" : "right with " + std::to_string(result.good) + " rewrites, ")
                     << "wrong with " << result.rewrite << " of " << total << ": " << result.what << "\n";
        return true;
      case BisectResult::Kind::kNoDifference:
        no_difference(result);
        // Values that nothing has judged are not known to be right.
        if (!measure_ && !unsteady_) throw ExitCode{kNothingKnown};
        return unsteady_;
      case BisectResult::Kind::kRewrite:
        return found(result);
      case BisectResult::Kind::kNotRewrites:
        return without_rewrites(result);
    }
    return true;
  }

 private:
  double trial_seconds() const { return std::max(0.1, std::min(options_.seconds, deadline_.left())); }

  void tell(const std::string& what, const std::string& answer) {
    char time[32];
    std::snprintf(time, sizeof time, "  %5.1f s  ", deadline_.elapsed());
    streams_.err << time << what << ": " << answer << "\n" << std::flush;
  }

  void judge() {
    Judged judged = judge_apart(module_, arguments_, options_.tolerance, deadline_.left() * 2 / 3);
    if (judged.failure.starts_with("error: ")) {  // maybe of what no result needs
      const auto needed = ir::clone(module_);
      if (remove_unneeded(*needed))
        judged = judge_apart(*needed, arguments_, options_.tolerance, deadline_.left() * 2 / 3);
    }
    if (judged.measure) {
      measure_ = std::move(judged.measure);
      tell("interpreted", "done");
      return;
    }
    if (judged.failure.starts_with("error: ")) throw Error(judged.failure.substr(7));
    tell("interpreted", first_line(judged.failure));
    streams_.out << "the interpreter cannot judge the program: " << first_line(judged.failure)
                 << "; what follows is about crashes alone\n";
  }

  // With at most so many rewrites, -1: all.
  Trial compiled(int64_t max_rewrites) {
    Trial trial = run_apart([&] { return compile_and_run(max_rewrites); }, trial_seconds());
    // Runs of one program that differ are a race, and a finding even where all of them pass.
    const bool unsteady = trial.what.starts_with(kUnsteady);
    unsteady_ = unsteady_ || unsteady;
    tell(max_rewrites < 0 ? "all rewrites" : std::to_string(max_rewrites) + " rewrites",
         !trial.good || unsteady ? first_line(trial.what)
         : measure_              ? "equal"
                                 : "ends well");
    return trial;
  }

  Trial compile_and_run(int64_t max_rewrites) const {
    compiler::Options options;
    options.max_rewrites = max_rewrites;
    options.plant = options_.plant;
    const compiler::Compiled compiled = compiler::compile(ir::clone(module_), options);
    Trial trial;
    for (const compiler::PassReport& report : compiled.passes) trial.rewrites += report.rewrites;
    std::vector<Tensor> first;
    std::string wrong;
    int wrong_runs = 0;
    bool steady = true;
    for (int run = 0; run < kRuns; ++run) {
      Execution execution(compiled.executable, arguments_);  // anew: arguments may have been given away
      execution.run();
      const std::vector<Tensor> results = execution.results();
      if (run == 0) first = results;
      steady = steady && same_bits(first, results);
      const std::string what = measure_ ? measure_->wrong(results) : "";
      if (what.empty()) continue;
      ++wrong_runs;
      if (wrong.empty()) wrong = what;
    }
    trial.good = wrong_runs == 0;
    if (!steady) {
      trial.what = kUnsteady + std::to_string(kRuns) + " runs differ in their bits, and " +
                   std::to_string(wrong_runs) + " of them are wrong" + (wrong.empty() ? "" : ": ");
    }
    trial.what += wrong;
    return trial;
  }

  // Runs the passes, and `then` with the program after them.
  void rewrite(pass::PassOptions options, bool only_required,
               const std::function<void(ir::Module&, pass::PassContext&)>& then) const {
    options.plant = options_.plant;
    pass::PassContext context(options);
    pass::RunnerOptions runner;
    if (only_required) runner.only = {"none but those that must run"};
    runner.stop_after = stop_after_;
    auto copy = ir::clone(module_);
    pass::run_passes(*copy, compiler::pipeline(), context, runner);
    then(*copy, context);
  }

  // The number of all rewrites, where compiling ends well enough to count them.
  int64_t count_rewrites() const {
    const Trial trial = run_apart(
        [&] {
          auto copy = ir::clone(module_);
          pass::PassOptions options;
          options.plant = options_.plant;
          pass::PassContext context(options);
          try {
            pass::run_passes(*copy, compiler::pipeline(), context);
          } catch (const std::exception&) {
            // The rewrites before the failure are what there is to search.
          }
          return Trial{true, "", context.total_rewrites()};
        },
        trial_seconds());
    // Of a pass that crashes or does not end nothing is heard: more than any program has will do.
    return trial.good ? trial.rewrites : 1 << 20;
  }

  // The log's line of the n-th rewrite, "pass fuse: #3 group: %s = add in @main".
  std::string rewrite_line(pass::PassOptions options, bool only_required, int64_t n) const {
    const std::string number = ": #" + std::to_string(n) + " ";
    const Answer answer = ask_apart(
        [&](const Say& say) {
          bool said = false;
          options.log = [&](const std::string& line) {
            // The first line with the number is the rewrite's; refusals and notes that follow repeat it.
            if (!said && line.find(number) != std::string::npos) say(line);
            said = said || line.find(number) != std::string::npos;
          };
          rewrite(options, only_required, [](ir::Module&, pass::PassContext&) {});
        },
        trial_seconds());
    return answer.said;
  }

  // What the interpreter makes of the program after passes.
  Trial interpreted(const pass::PassOptions& options, bool only_required) {
    if (!measure_) return {};
    return run_apart(
        [&] {
          Trial trial;
          rewrite(options, only_required, [&](ir::Module& after, pass::PassContext& context) {
            trial.rewrites = context.required_rewrites();
            trial.what = measure_->wrong(interpret_needed(after, arguments_));
            trial.good = trial.what.empty();
          });
          return trial;
        },
        trial_seconds());
  }

  void no_difference(const BisectResult& result) {
    if (!measure_) {
      streams_.out << "the compiled program ends well, after all " << result.total
                   << " rewrites; whether its values are right is not known\n";
      return;
    }
    streams_.out << "no difference: compiled and interpreted results agree within "
                 << (options_.tolerance >= 0 ? show_number(options_.tolerance)
                                             : "what rounding may make of them")
                 << " after all " << result.total << " rewrites\n";
    streams_.out << measure_->unseen();
    if (unsteady_)
      streams_.out << "but the results of " << kRuns << " runs differ in their bits: there is a race\n";
  }

  bool found(const BisectResult& result) {
    streams_.out << "rewrite " << result.rewrite << " of " << result.total
                 << " makes the difference: " << result.what << "\n";
    pass::PassOptions options;
    options.max_rewrites = result.rewrite;
    streams_.out << "  " << rewrite_line(options, false, result.rewrite) << "\n"
                 << "see the program before and after it with\n  ingot opt " << file_
                 << " --pipeline --max-rewrites " << result.rewrite - 1 << "\n  ingot opt " << file_
                 << " --pipeline --max-rewrites " << result.rewrite << "\n";
    sometimes();
    const Trial meaning = interpreted(options, false);
    tell("interpreted after rewrite " + std::to_string(result.rewrite),
         meaning.good ? "equal" : first_line(meaning.what));
    if (!meaning.good) {
      streams_.out << "the rewrite is wrong: interpreted after it, the program differs too\n";
    } else if (measure_) {
      streams_.out << "the interpreter finds the program after it right, so that a kernel of it is wrong\n";
      descend(options);
    }
    return true;
  }

  bool without_rewrites(const BisectResult& result) {
    streams_.out << "the results differ without any rewrite that could be left out: " << result.what << "\n";
    sometimes();
    pass::PassOptions options;
    options.max_rewrites = 0;
    const Trial meaning = interpreted(options, true);
    tell("interpreted after the passes that must run", meaning.good ? "equal" : first_line(meaning.what));
    if (!meaning.good) {
      required_rewrite(options);
    } else if (measure_) {
      descend(options);
    }
    return true;
  }

  // Among those rewrites that kernels cannot do without.
  void required_rewrite(pass::PassOptions options) {
    const BisectResult result = bisect(
        [&](int64_t n) {
          options.max_required = n;
          const Trial trial = interpreted(options, true);
          tell((n < 0 ? "all" : std::to_string(n)) + " rewrites that must be made, interpreted",
               trial.good ? "equal" : first_line(trial.what));
          return trial;
        },
        [&] {
          int64_t count = 0;
          options.max_required = -1;
          const std::string line = rewrite_line(options, true, 1);
          for (count = 1; !line.empty() && count < 1 << 20; count *= 2) {
            if (rewrite_line(options, true, count).empty()) break;
          }
          return count;
        },
        [this] { return deadline_.over(); });
    if (result.kind != BisectResult::Kind::kRewrite) {
      streams_.out << "interpreted after the passes that must run, the program differs, too: " << result.what
                   << "\n";
      return required_pass();
    }
    options.max_required = result.rewrite;
    streams_.out << "rewrite " << result.rewrite << " of " << result.total
                 << " that must be made makes the difference: " << result.what << "\n  "
                 << rewrite_line(options, true, result.rewrite) << "\n";
  }

  // The first pass after which the program differs, though none of its rewrites makes the difference.
  void required_pass() {
    std::vector<std::string> names = {"the program as it comes"};
    for (const auto& pass : compiler::pipeline()) {
      if (pass->required()) names.push_back("pass " + std::string(pass->name()));
    }
    for (stop_after_ = 0; stop_after_ < static_cast<int>(names.size()) && !deadline_.over(); ++stop_after_) {
      const Trial trial = interpreted({}, true);
      if (trial.good) continue;
      streams_.out << names[static_cast<size_t>(stop_after_)] << " makes the difference: " << trial.what
                   << "\n";
      break;
    }
    stop_after_ = -1;
  }

  void sometimes() {
    if (unsteady_) {
      streams_.out
          << "it is wrong sometimes: runs of one compiled program differ, as where threads race; try "
             "INGOT_NUM_THREADS=1\n";
    }
  }

  // Among the operations of the program after passes.
  void descend(const pass::PassOptions& options) {
    const Answer text = ask_apart(
        [&](const Say& say) {
          rewrite(options, false, [&](ir::Module& after, pass::PassContext&) { say(ir::to_string(after)); });
        },
        trial_seconds());
    if (!text.failure.empty()) {
      streams_.out << "the passes end badly: " << text.failure << "\n";
      return;
    }
    const auto after = ir::parse(text.said, "<the program after its passes>");
    const Answer answer = ask_apart(
        [&](const Say& say) {
          find_wrong_operation(*after, arguments_, {options_.tolerance, options_.seconds, &deadline_}, say);
        },
        std::max(0.1, deadline_.left()));
    streams_.out << answer.said;
    if (!answer.failure.empty())
      streams_.out << "the search among its operations ends here: " << first_line(answer.failure) << "\n";
  }

  static constexpr const char* kUnsteady = "unsteady: ";

  const BisectOptions& options_;
  const ir::Module& module_;
  const std::string file_;  // and the option that makes this program of it
  const Streams& streams_;
  Deadline deadline_;
  std::vector<Tensor> arguments_;
  std::optional<Measure> measure_;
  bool unsteady_ = false;
  int stop_after_ = -1;  // so many passes are run; -1: all
};

void bisect_program(const BisectOptions& options, const Streams& streams) {
  const Program program = read_program(options.program, streams.in, &options.arguments);
  if (Bisection(options, program, streams).run()) throw ExitCode{kFoundDifference};
}

}  // namespace

BisectResult bisect(const Try& attempt, const std::function<int64_t()>& count, const TimeUp& time_up) {
  const auto late = [&](const Trial& trial) {
    // A trial that was cut off by the end of all time says nothing.
    return trial.timed_out && time_up && time_up();
  };
  BisectResult result;
  Trial bad = attempt(-1);
  result.total = bad.rewrites;
  if (bad.good) return result;
  result.what = bad.what;
  if (late(bad)) {
    result.kind = BisectResult::Kind::kNothing;
    return result;
  }
  if (result.total == 0 && count) result.total = count();
  result.rewrite = std::max<int64_t>(result.total, 1);
  Trial first = attempt(0);
  if (late(first)) {
    result.kind = BisectResult::Kind::kTimeUp;
    return result;
  }
  if (!first.good) {
    result.kind = BisectResult::Kind::kNotRewrites;
    result.what = first.what;
    return result;
  }
  result.good = 0;
  while (result.rewrite - result.good > 1) {
    const int64_t middle = result.good + (result.rewrite - result.good) / 2;
    const Trial trial = attempt(middle);
    if (late(trial)) {
      result.kind = BisectResult::Kind::kTimeUp;
      return result;
    }
    (trial.good ? result.good : result.rewrite) = middle;
    if (!trial.good) result.what = trial.what;
  }
  result.kind = BisectResult::Kind::kRewrite;
  return result;
}

void add_bisect(CLI::App& app, const Streams& streams) {
  auto options = std::make_shared<BisectOptions>();
  CLI::App* command =
      app.add_subcommand("bisect", "find the rewrite after which compiled and interpreted results differ");
  add_program_options(*command, options->program)->required();
  add_argument_options(*command, options->arguments);
  command
      ->add_option("--tolerance", options->tolerance,
                   "the largest error that counts as equal, relative to 1 + the magnitude, to what the "
                   "interpreter makes of the program; without it, what rounding may make of each element")
      ->check(number_between(0, 1e6));
  command->add_option("--limit", options->limit, "time limit of the whole search, in seconds")
      ->check(number_between(0.1, 1e6))
      ->capture_default_str();
  command->add_option("--seconds", options->seconds, "time limit of one trial")
      ->check(number_between(0.1, 1e6))
      ->capture_default_str();
  // For tests: a rewrite that is made wrongly (pass/plant.h). No name in --help.
  command->add_option("--plant", options->plant)->group("");
  command->footer(
      "Exits with 2 if there is a difference, and with 4 if --limit was over before anything was known, or "
      "if "
      "the interpreter could not judge the values. Random arguments from seed 0 where none are given.");
  command->callback([options, &streams] { bisect_program(*options, streams); });
}

}  // namespace ingot::tools
