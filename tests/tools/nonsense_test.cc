// Nonsense for every option of every subcommand, found through the command line's own description, and for
// every variable of the environment: an error that says what would have been right, never a crash.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <new>
#include <sstream>

#include "base/options.h"
#include "io/npz.h"
#include "testing/numbers.h"
#include "tools/invoke.h"

namespace ingot::tools {
namespace {

constexpr const char* kProgram =
    "func @main(%x: f32[4]) -> (f32[4]) {\n  %y = exp(%x) : f32[4]\n  return %y\n}\n";

// What a command with wrong arguments must do: end with the user's error and say the cause.
void expect_error(const Outcome& outcome, const std::string& what) {
  EXPECT_EQ(outcome.code, kUserError) << what << ": " << outcome.out.substr(0, 300) << outcome.err;
  EXPECT_TRUE(outcome.err.starts_with("error: ")) << what << ": " << outcome.err;
}

bool is_number(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.starts_with("INT") || type.starts_with("UINT") || type.starts_with("FLOAT");
}

TEST(NonsenseTest, EveryOptionOfEverySubcommand) {
  std::istringstream in;
  std::ostringstream out, err;
  const Streams streams{in, out, err};
  bool ignored = false;
  const auto app = make_app(streams, ignored);
  const TemporaryFolder folder;
  const std::string missing = folder.file("no/such/file"), itself = folder.file(".");
  int numbers = 0, options = 0;
  for (const CLI::App* command : app->get_subcommands([](const CLI::App*) { return true; })) {
    const std::string name = command->get_name();
    expect_error(invoke({name, "--no-such-option"}, kProgram), name);
    expect_error(invoke({name, "-", "superfluous", "arguments"}, kProgram),
                 name + " with superfluous arguments");
    const bool reads = command->get_option_no_throw("FILE") != nullptr;
    if (reads) {
      for (const std::string& file : {missing, itself, std::string()})
        expect_error(invoke({name, file}), name + " '" + file + "'");
    }
    for (const CLI::Option* option : command->get_options()) {
      const std::string flag = option->get_name();
      if (!flag.starts_with("--") || flag == "--help") continue;
      ++options;
      const auto given = [&](const std::string& value) {
        std::vector<std::string> arguments = {name};
        if (reads) arguments.push_back("-");
        if (flag != "--random" && flag != "--args" && reads &&
            command->get_option_no_throw("--random") != nullptr)
          arguments.insert(arguments.end(), {"--random", "1"});
        if (flag != "--reps" && command->get_option_no_throw("--reps") != nullptr)
          arguments.push_back("--reps=1");
        arguments.push_back(flag + "=" + value);
        const Outcome outcome = invoke(arguments, kProgram);
        set_log("");  // what a valid one has left behind
        set_num_threads(0);
        return outcome;
      };
      const std::string what = name + " " + flag + "=";
      if (is_number(*option)) {
        ++numbers;
        for (const char* value : {"-1", "-9223372036854775808", "99999999999999999999999", "two", "nan",
                                  "inf", "1e400", "-nan", "0x10", "1,5", "3 4", "--"}) {
          const Outcome outcome = given(value);
          expect_error(outcome, what + value);
          expect_contains(outcome.err, flag);
        }
      } else if (option->get_expected_max() == 0) {  // a flag takes no words
        expect_error(given("maybe"), what + "maybe");
      } else {  // a file or a list of names
        for (const std::string& value :
             {missing, itself + "/..", folder.file("\xff\xfe"), std::string(5000, 'x')}) {
          // What can be made is made: a folder in any place, a file of any name in one that is there.
          const bool makes =
              (flag == "--dump" && value.size() < 5000) ||
              (flag == "--out" && value == folder.file("\xff\xfe") && name != "run" && name != "interpret");
          if (!makes) expect_error(given(value), what + value.substr(0, 100));
        }
      }
      if (option->get_expected_max() > 0) expect_error(given(""), what);
    }
  }
  EXPECT_GE(numbers, 7);
  EXPECT_GE(options, 25);
}

// Before a program is looked for, which may be long in coming.
TEST(NonsenseTest, OptionsAreLookedAtBeforeTheProgram) {
  expect_contains(invoke({"opt", "no/such/file", "--passes", "folding"}).err, "did you mean 'fold'?");
  expect_contains(invoke({"opt", "no/such/file", "--pipeline", "--passes", "cse"}).err, "exclude each other");
  expect_contains(invoke({"opt", "no/such/file", "--pipeline", "--stop-after", "1000"}).err,
                  "--stop-after 1000");
  expect_contains(invoke({"interpret", "no/such/file", "--tolerance", "1"}).err, "--compare");
  const auto of_skipping = [](const char* names) {
    try {
      Options::global().set("INGOT_SKIP_PASSES", names);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  expect_contains(of_skipping("folding"), "did you mean 'fold'?");
  expect_contains(of_skipping("split_complex"), "cannot be left out");
  const std::string known = of_skipping("xyzzy");
  expect_contains(known, "those that can be left out are canonicalize");
  EXPECT_EQ(known.find("split_complex"), std::string::npos) << known;
  EXPECT_TRUE(Options::global().skipped_passes().empty());
}

// Those of the programs that test.
TEST(NonsenseTest, NumbersOfTestPrograms) {
  using ingot::testing::number_of;
  EXPECT_EQ(number_of<uint64_t>("--from", "18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(number_of<double>("--seconds", "1.5", 0, 1e9), 1.5);
  for (const char* text : {"", "-1", "1x", " 1", "18446744073709551616", "two", "0x10"})
    EXPECT_THROW(number_of<uint64_t>("--from", text), Error) << text;
  for (const char* text : {"", "-1", "nan", "inf", "1e10", "1,5", "long"})
    EXPECT_THROW(number_of<double>("--seconds", text, 0, 1e9), Error) << text;
}

TEST(NonsenseTest, RangesAreSaid) {
  expect_contains(invoke({"run", "-", "--random", "-1"}, kProgram).err, "0 to 18446744073709551615");
  expect_contains(invoke({"run", "-", "--random", "1", "--threads", "100000"}, kProgram).err,
                  "'100000' is not a whole number from 0 to 4096");
  expect_contains(invoke({"opt", "-", "--pipeline", "--max-rewrites", "-1"}, kProgram).err,
                  "'-1' is not a whole number from 0 to");
  expect_contains(invoke({"bisect", "-", "--tolerance", "nan"}, kProgram).err,
                  "'nan' is not a number from 0 to");
}

TEST(NonsenseTest, SuperfluousArraysAreNamed) {
  const TemporaryFolder folder;
  const std::string path = folder.file("arguments.npz");
  const Tensor x(DType::kF32, {4});
  io::write_npz(path, {{"arg0", x}, {"arg1", x}});
  const Outcome outcome = invoke({"run", "-", "--args", path}, kProgram);
  expect_error(outcome, "arg1");
  expect_contains(outcome.err, "there is an array arg1, but @main(%x: f32[4]) takes one argument, arg0");
  io::write_npz(path, {{"arg0", x}, {"arg0", x}});
  expect_contains(invoke({"run", "-", "--args", path}, kProgram).err, "'arg0' stands there twice");
  io::write_npz(path, {{"arg0", x}, {"x", x}});
  expect_error(invoke({"run", "-", "--args", path}, kProgram), "x");
}

// The command in a process of its own, with this environment; it runs the program if nothing else is said.
Outcome with_environment(const std::string& assignments, const std::string& arguments = "") {
  const TemporaryFolder folder;
  std::ofstream(folder.file("p.ir")) << kProgram;
  const std::string what = arguments.empty() ? "run --random 1 " + folder.file("p.ir") : arguments;
  const std::string command = assignments + " " INGOT_COMMAND " " + what + " < /dev/null > " +
                              folder.file("out") + " 2> " + folder.file("err");
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, file_text(folder.file("out")),
          file_text(folder.file("err"))};
}

// As the table of the options names them: each has a line of its text to itself.
std::vector<std::string> names_of_options() {
  std::istringstream lines(Options::help());
  std::vector<std::string> names;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("INGOT_")) names.push_back(line);
  }
  return names;
}

TEST(NonsenseTest, EveryVariableOfTheEnvironment) {
  const std::vector<std::string> names = names_of_options();
  EXPECT_GE(names.size(), 7u) << Options::help();
  EXPECT_NE(std::find(names.begin(), names.end(), "INGOT_CACHE_LIMIT_MB"), names.end());
  for (const std::string& name : names) {
    for (const char* value : {"-1", "99999999999999999999", "nonsense", "nan", "0x10", "1 2"}) {
      const Outcome outcome = with_environment(name + "='" + value + "'");
      expect_error(outcome, name + "=" + value);
      expect_contains(outcome.err, name);
    }
  }
  expect_contains(with_environment("INGOT_TARGET=AVX2").err, "there are sse4, avx2 and avx512");
  expect_contains(with_environment("INGOT_BACKEND=gpu").err,
                  "there is no back end 'gpu'; there are cpu, interpret");
  expect_contains(with_environment("INGOT_LOG=kernel").err, "kernels, compile, passes");
  expect_contains(with_environment("INGOT_SKIP_PASSES=folding").err, "did you mean 'fold'?");
  expect_contains(with_environment("INGOT_SKIP_PASSES=widen_floats").err, "cannot be left out");
  expect_contains(with_environment("INGOT_NUM_THREADS=5000").err, "from 0 to 4096");
  // At once, whatever else is wrong and whether the command wants the option or not; but for --help.
  for (const std::string& name : names) {
    for (const char* arguments :
         {"run no/such/file", "passes", "ops", "opt -", "--list-passes", "nonsense"}) {
      const Outcome outcome = with_environment(name + "=nonsense", arguments);
      expect_error(outcome, name + "=nonsense " + arguments);
      expect_contains(outcome.err, "error: " + name + ": ");
    }
    EXPECT_EQ(with_environment(name + "=nonsense", "--help").code, 0);
    EXPECT_EQ(with_environment(name + "=nonsense", "run --help").code, 0);
  }
  EXPECT_EQ(with_environment("INGOT_TARGET=sse4 INGOT_SKIP_PASSES=fold,cse INGOT_NUM_THREADS= ").code, 0);
  const Outcome typing_error = with_environment("INGOT_NUM_THREAD=2");
  EXPECT_EQ(typing_error.code, 0);
  expect_contains(typing_error.err,
                  "ingot: warning: the environment has INGOT_NUM_THREAD, which is no option; the options are "
                  "INGOT_NUM_THREADS, INGOT_MEMORY_LIMIT_MB");
}

// Errors of programs without enough memory, and of programs that never end their calls.
TEST(NonsenseTest, ArraysThatNoMemoryHolds) {
  const std::string text =
      "func @main(%x: f32[1048576,1048576]) -> (f32[]) {\n  %z = constant() {value = dense f32[]{0}} : "
      "f32[]\n"
      "  %y = reduce(%x, %z) {axes = [0, 1]} (%a: f32[], %b: f32[]) {\n    %c = add(%a, %b) : f32[]\n"
      "    return %c\n  } : f32[]\n  return %y\n}\n";
  for (const char* command : {"run", "interpret", "bench"}) {
    const Outcome outcome = invoke({command, "-", "--random", "1"}, text);
    expect_error(outcome, command);
    for (const char* part : {"f32[1048576,1048576]", "4398046511104 bytes", "INGOT_MEMORY_LIMIT_MB"})
      expect_contains(outcome.err, part);
  }
  EXPECT_EQ(invoke({"kernels", "-"}, text).code, 0) << "shapes alone need no memory";
  const std::string made =
      "func @main() -> (f32[1048576,1048576]) {\n"
      "  %z = constant() {value = dense f32[]{1}} : f32[]\n"
      "  %y = broadcast(%z) {dims = [], shape = [1048576, 1048576]} : f32[1048576,1048576]\n"
      "  return %y\n}\n";
  for (const char* command : {"run", "interpret", "bench"}) {
    const Outcome outcome = invoke({command, "-"}, made);
    expect_error(outcome, command);
    expect_contains(outcome.err, "INGOT_MEMORY_LIMIT_MB");
  }
}

// A program that memory runs out for while it is read: whatever needs it, it is no bug of the command's.
TEST(NonsenseTest, MemoryThatRunsOut) {
  struct NoMemory : std::streambuf {
    int_type underflow() override { throw std::bad_alloc(); }
  };
  NoMemory buffer;
  std::istream in(&buffer);
  std::ostringstream out, err;
  const int code = run_command({"run", "-"}, {in, out, err});
  expect_error({code, out.str(), err.str()}, "std::bad_alloc");
  expect_contains(err.str(), "error: out of memory");
}

TEST(NonsenseTest, CyclesOfCalls) {
  const std::string text =
      "func @f(%x: f32[]) -> (f32[]) {\n  %y = call(%x) {callee = @g} : f32[]\n  return %y\n}\n"
      "func @g(%x: f32[]) -> (f32[]) {\n  %y = call(%x) {callee = @f} : f32[]\n  return %y\n}\n";
  for (const char* command : {"run", "kernels", "interpret", "bisect", "opt", "bench"}) {
    const Outcome outcome = invoke({command, "-"}, text);
    expect_error(outcome, command);
    expect_contains(outcome.err, "<stdin>:2:8: @f calls @g at line 2, which calls @f at line 6");
  }
}

TEST(NonsenseTest, ResultsAreCalledWhatTheyAre) {
  for (const char* command : {"run", "interpret"}) {
    for (const char* file : {"out.npy", "out.txt", "program.ir", "out"}) {
      const Outcome outcome = invoke({command, "-", "--random", "1", "--out", file}, kProgram);
      expect_error(outcome, command);
      expect_contains(outcome.err, "results are written as a .npz or .safetensors file");
    }
  }
}

TEST(NonsenseTest, EmptyPathsAreErrors) {
  for (const char* command : {"run", "interpret", "bench", "kernels", "bisect"}) {
    for (const char* flag : {"--out", "--dump", "--args"}) {
      std::vector<std::string> arguments = {command, "-", flag, ""};
      const Outcome outcome = invoke(arguments, kProgram);
      expect_error(outcome, std::string(command) + " " + flag);
      expect_contains(outcome.err, flag);
    }
  }
}

TEST(NonsenseTest, PowersAtTheEndOfTheNumbers) {
  const std::string text =
      "func @main() -> (f64[5]) {\n  %x = constant() {value = dense f64[5]{-inf, -inf, -inf, -0.0, -inf}} : "
      "f64[5]\n  %y = constant() {value = dense f64[5]{-9223372036854775808.0, 9223372036854775808.0, -3.0, "
      "-9223372036854775808.0, -inf}} : f64[5]\n  %z = pow(%x, %y) : f64[5]\n  return %z\n}\n";
  for (const char* command : {"interpret", "run"})
    expect_contains(invoke({command, "-"}, text).out, "[ 0. inf -0. inf  0.]");
}

TEST(NonsenseTest, ValuesLeftOutAreMarked) {
  const auto made = [](const std::string& extent) {
    return invoke({"run", "-", "--json"}, "func @main() -> (f32[" + extent +
                                              "]) {\n  %y = iota() {axis = 0, dtype = f32, shape = [" +
                                              extent + "]} : f32[" + extent + "]\n  return %y\n}\n")
        .out;
  };
  expect_contains(made("1001"), "\"values_omitted\": true");
  EXPECT_EQ(made("1000").find("values_omitted"), std::string::npos);
}

}  // namespace
}  // namespace ingot::tools
