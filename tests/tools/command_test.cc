// Each subcommand on small programs: what it prints, and what it says about mistakes.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "base/options.h"
#include "io/npz.h"
#include "tests/tools/invoke.h"
#include "tools/arguments.h"

namespace ingot::tools {
namespace {

using Json = nlohmann::json;

constexpr const char* kDouble =
    "func @main(%x: f32[2,2]) -> (f32[2,2]) {\n  %y = add(%x, %x) : f32[2,2] loc(\"double.cc\":7)\n  return "
    "%y\n}\n";

TEST(Run, ReadsArgumentsPrintsAndWritesResults) {
  TemporaryFolder folder;
  io::write_npz(folder.file("in.npz"), {{"arg0", Tensor::of<float>({2, 2}, {1, -2, 0.5f, 1e10f})}});
  for (const char* command : {"run", "interpret"}) {
    const Outcome outcome =
        invoke({command, "-", "--args", folder.file("in.npz"), "--out", folder.file("out.npz")}, kDouble);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "out0: f32[2,2]\n[[   2.   -4.]\n [   1. 2e+10]]\n") << command;
    EXPECT_EQ(io::read_npz(folder.file("out.npz")),
              (io::NamedTensors{{"out0", Tensor::of<float>({2, 2}, {2, -4, 1, 2e10f})}}));
  }
}

TEST(Run, NumbersOfOrdinarySizeHaveNoExponent) {
  const std::string text =
      "func @f() -> (f32[6], f64[2], f16[1]) {\n"
      "  %a = constant() {value = dense f32[6]{10, 1200, 100000, 123456, 0.1, 1e10}} : f32[6]\n"
      "  %b = constant() {value = dense f64[2]{1e10, 1e-7}} : f64[2]\n"
      "  %c = constant() {value = dense f16[1]{20}} : f16[1]\n  return %a, %b, %c\n}\n";
  EXPECT_EQ(invoke({"run", "-"}, text).out,
            "out0: f32[6] [    10.   1200. 100000. 123456.     0.1   1e+10]\n"
            "out1: f64[2] [10000000000.        1e-07]\nout2: f16[1] [20.]\n");
}

// A file that cannot be written anew stays what it was.
TEST(Run, AnOldFileOutlivesAFailure) {
  TemporaryFolder folder;
  const std::string path = folder.file("keep.npz");
  const io::NamedTensors old = {{"arg0", Tensor::of<float>({2}, {1, 2})}};
  io::write_npz(path, old);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_FSIZE, &none);
    std::signal(SIGXFSZ, SIG_IGN);
    try {
      io::write_npz(path, {{"arg0", Tensor(DType::kF32, {100})}});
    } catch (const Error& error) {
      _exit(std::string(error.what()).find("cannot write") == std::string::npos ? 1 : 0);
    }
    _exit(2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(io::read_npz(path), old);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.file("")), {}), 1);
}

TEST(Run, RandomArgumentsDependOnTheSeedAlone) {
  const Outcome one = invoke({"run", data_file("scale.ir"), "--random", "1"});
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(one.out, invoke({"interpret", data_file("scale.ir"), "--random", "1"}).out);
  EXPECT_NE(one.out, invoke({"run", data_file("scale.ir"), "--random", "2"}).out);
}

TEST(Run, ReportsAsJson) {
  const Outcome outcome = invoke({"run", data_file("scale.ir"), "--random", "1", "--json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const Json report = Json::parse(outcome.out);
  EXPECT_EQ(report["results"].size(), 3u);
  EXPECT_EQ(report["results"][0]["shape"], Json({3, 2}));
  EXPECT_EQ(report["results"][2]["values"], Json({true}));
  EXPECT_GE(report["compile_ms"]["total"], report["compile_ms"]["passes"]);
}

TEST(Run, ShowsOnlyTheTypeOfLargeResults) {
  EXPECT_EQ(invoke({"run", data_file("fma.ir"), "--random", "0"}).out,
            "out0: f32[1000], 1000 elements, which --out FILE.npz writes\n");
}

// What is known by its transpose alone cannot be computed: no command takes the transpose for it.
TEST(Run, LinearFunctionsThatAreKnownBackwardsAreRefusedAtTheLine) {
  const std::string program =
      "func @main(%x: f32[3], %t: f32[3]) -> (f32[3]) {\n"
      "  %y = call(%x, %t) {callee = @inner} : f32[3]\n  return %y\n}\n"
      "func @inner(%x: f32[3], %t: f32[3]) -> (f32[3]) {\n"
      "  %y = linear_call(%x, %t) {callee = @back, residuals = 1} : f32[3] loc(\"model.cc\":12)\n"
      "  return %y\n}\n"
      "func @back(%r: f32[3], %ct: f32[3]) -> (f32[3]) {\n  %y = mul(%r, %ct) : f32[3]\n  return %y\n}\n";
  for (const std::vector<std::string>& command : {std::vector<std::string>{"run", "-", "--random", "1"},
                                                  {"interpret", "-", "--random", "1"},
                                                  {"kernels", "-"}}) {
    const Outcome outcome = invoke(command, program);
    EXPECT_EQ(outcome.code, 1) << command[0];
    EXPECT_EQ(outcome.err,
              "error: model.cc:12: linear_call: @back was given as the rule of reverse mode alone, so there "
              "is no forward mode; use grad or vjp, or custom_jvp instead of custom_vjp\n")
        << command[0];
  }
  expect_contains(invoke({"opt", "-", "--passes", "inline"}, program).out, "= linear_call(");
}

TEST(Run, ProgramsWithoutElementsOrArguments) {
  const Outcome outcome = invoke({"run", data_file("empty.ir")});
  EXPECT_EQ(outcome.out, "out0: f32[0,3]\nout1: s64[2] [-9223372036854775808     9007199254740993]\n");
}

// Extents that a StableHLO program leaves open are those of the file's arrays.
TEST(Run, OpenExtentsAreThoseOfTheArguments) {
  constexpr const char* kOpen =
      "func.func @main(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {\n"
      "  %0 = stablehlo.add %x, %x : tensor<?x2xf32>\n  return %0 : tensor<?x2xf32>\n}\n";
  TemporaryFolder folder;
  Tensor x(DType::kF32, {3, 2});
  for (int64_t i = 0; i < 6; ++i) x.set_double(i, static_cast<double>(i));
  io::write_npz(folder.file("in.npz"), {{"arg0", x}});
  for (const char* command : {"run", "interpret"}) {
    const Outcome outcome =
        invoke({command, "-", "--args", folder.file("in.npz"), "--out", folder.file("out.npz")}, kOpen);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const io::NamedTensors found = io::read_npz(folder.file("out.npz"));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].second.shape(), x.shape());
    EXPECT_EQ(found[0].second.get_double(5), 10);
  }
  const Outcome outcome = invoke({"run", "-", "--random", "1"}, kOpen);
  EXPECT_EQ(outcome.code, 1);
  expect_contains(outcome.err,
                  "the program takes (arg0: f32[arg0.0,2]), which leaves sizes open: give --shapes");
}

TEST(Errors, NameWhatIsWrongAndExitWith1) {
  TemporaryFolder folder;
  io::write_npz(folder.file("in.npz"), {{"arg0", Tensor(DType::kF64, {2, 2})}});
  io::write_npz(folder.file("other.npz"), {{"x", Tensor(DType::kF32, {2, 2})}});
  auto expect_error = [&](std::vector<std::string> arguments, const std::string& text) {
    const Outcome outcome = invoke(arguments, kDouble);
    EXPECT_EQ(outcome.code, 1) << text;
    EXPECT_TRUE(outcome.err.starts_with("error: ")) << outcome.err;
    expect_contains(outcome.err, text);
    EXPECT_EQ(outcome.out, "");
  };
  expect_error({"run", "-"}, "the program takes arguments, @main(%x: f32[2,2]): give --args FILE.npz");
  expect_error({"run", "-", "--args", folder.file("in.npz")},
               "arg0 is f64[2,2], but the argument %x of @main is f32[2,2]");
  expect_error({"run", "-", "--args", folder.file("other.npz")},
               "there is no arg0 for @main(%x: f32[2,2]); the file holds x");
  expect_error({"run", folder.file("none.ir")}, "none.ir: No such file or directory");
  expect_error({"run", folder.file("")}, "is a folder, not a file");
  expect_error({"run"}, "FILE");
  expect_error({"run", "-", "--random", "x"}, "--random");
  expect_error({"fly"}, "fly");
  expect_error({"runn", "x.ir"}, "for 'runn', did you mean 'run'?");
  expect_error({"run", "--randm", "3"}, "for '--randm', did you mean '--random'?");
  expect_error({"run", "-", "--randm=3"}, "for '--randm', did you mean '--random'?");
  expect_error({"--list-pases"}, "did you mean '--list-passes'?");
  expect_error({"opt", "-", "--passes", "dcee"}, "did you mean 'dce'?");
  expect_error({"opt", "-", "--passes", "dce", "--pipeline"}, "exclude each other");
  expect_error({"opt"}, "FILE is missing");
}

TEST(Errors, InTheProgramNameLineAndColumn) {
  const Outcome outcome = invoke({"opt", "-"}, "func @main() -> () {\n  %x = expp() : f32[]\n  return\n}\n");
  EXPECT_EQ(outcome.code, 1);
  expect_contains(outcome.err, "error: <stdin>:2:");
  expect_contains(invoke({"run", "-"}, "// nothing\n").err, "there is no function in it");
}

TEST(Opt, RunsNamedPassesAndStops) {
  const std::string program =
      "func @main(%x: f32[4]) -> (f32[4]) {\n  %a = exp(%x) : f32[4]\n  %b = exp(%x) : f32[4]\n"
      "  %c = add(%a, %b) : f32[4]\n  return %c\n}\n";
  EXPECT_EQ(invoke({"opt", "-"}, program).out, program);
  const std::string merged =
      "func @main(%x: f32[4]) -> (f32[4]) {\n  %a = exp(%x) : f32[4]\n  %c = add(%a, %a) : f32[4]\n  return "
      "%c\n}\n";
  EXPECT_EQ(invoke({"opt", "-", "--passes", "cse,dce"}, program).out, merged);
  EXPECT_EQ(invoke({"opt", "-", "--passes", "cse,dce", "--stop-after", "0"}, program).out, program);
  EXPECT_EQ(invoke({"opt", "-", "--passes", "cse,dce", "--max-rewrites", "0"}, program).out, program);
  expect_contains(invoke({"opt", "-", "--passes", "cse", "--log"}, program).err, "pass cse: #1 ");
  expect_contains(invoke({"opt", "-", "--passes", "cse", "--timing"}, program).err, "rewrites");
}

TEST(Opt, PrintsTheProgramAfterEveryPass) {
  const Outcome outcome = invoke({"opt", data_file("fma.ir"), "--pipeline", "--print"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  expect_contains(outcome.out, "// 0: input\nfunc @main");
  expect_contains(outcome.out, ", unchanged\n// ");
  expect_contains(outcome.out, "fused(");
  // What is printed last is what is printed without --print.
  const std::string last = invoke({"opt", data_file("fma.ir"), "--pipeline"}).out;
  expect_contains(outcome.out, last);
  EXPECT_EQ(invoke({"opt", "-", "--pipeline"}, last).out, last) << "the pipeline leaves its own result alone";
}

TEST(Passes, ListsNamesAndReasons) {
  const Outcome outcome = invoke({"passes"});
  EXPECT_EQ(outcome.code, 0);
  expect_contains(outcome.out, "canonicalize");
  expect_contains(outcome.out, "(again)");
  EXPECT_EQ(invoke({"--list-passes"}).out, outcome.out);
  EXPECT_EQ(invoke({"opt", "--list-passes"}).out, outcome.out);
}

TEST(Ops, DocumentationIsUpToDate) {
  EXPECT_EQ(invoke({"ops", "--markdown"}).out,
            file_text(std::string(INGOT_SOURCE_DIR) + "/docs/operations.md"))
      << "write it again with: build/bin/ingot ops --markdown > docs/operations.md";
}

TEST(Ops, ListsAsTableAndJson) {
  expect_contains(invoke({"ops"}).out, "stablehlo.add");
  const Json list = Json::parse(invoke({"ops", "--json"}).out);
  EXPECT_GT(list.size(), 30u);
  EXPECT_EQ(list[0]["becomes"], "literal");
}

std::string bounded(const std::string& result, const std::string& location = "") {
  return "func @f(%x: f32[3], %k: s32[]) -> (f32[3]) {\n  %z = constant() {value = dense s32[]{0}} : s32[]\n"
         "  %n, %y = while(%z, %x, %k) {carries = 2, max_steps = 3} (%i: s32[], %a: f32[3], %k0: s32[]) {\n"
         "    %t = compare(%k0, %k0) {direction = \"eq\"} : pred[]\n    return %t\n"
         "  } (%j: s32[], %b: f32[3], %k1: s32[]) {\n    %m = add(%j, %j) : s32[]\n    return %m, %b\n"
         "  } : s32[], f32[3]" +
         location + "\n  return " + result + "\n}\n";
}

TEST(Command, ABoundOfStepsIsCheckedUnlessNoResultNeedsTheLoop) {
  for (const std::string command : {"run", "interpret", "bench", "bisect", "compare"}) {
    std::vector<std::string> words{command == "compare" ? "interpret" : command, "-", "--random", "1"};
    if (command == "compare") words.push_back("--compare");
    const Outcome outcome = invoke(words, bounded("%y"));
    EXPECT_EQ(outcome.code, 1) << command;
    expect_contains(outcome.err, "error: %y: the loop goes on after 3 steps, the bound");
    expect_contains(invoke(words, bounded("%y", " loc(\"loop.cc\":7)")).err,
                    "error: loop.cc:7: the loop goes on after 3 steps");
    EXPECT_EQ(invoke(words, bounded("%x")).code, 0) << command;
  }
}

TEST(Interpret, TakesATolerance) {
  const std::string file = data_file("softmax.ir");
  EXPECT_EQ(invoke({"interpret", file, "--compare", "--tolerance", "1e-3"}).code, 0);
  expect_contains(invoke({"interpret", file, "--compare", "--plant", "fuse.fuse", "--tolerance", "1e-3"}).out,
                  "wrong: error ");
  EXPECT_EQ(invoke({"interpret", file, "--compare", "--plant", "fuse.fuse", "--tolerance", "1e6"}).code, 0);
  expect_contains(invoke({"interpret", file, "--random", "1", "--tolerance", "1e-3"}).err, "--compare");
}

TEST(Opt, StopsOnlyAfterPassesThatThereAre) {
  const std::string file = data_file("fma.ir");
  for (const std::string option : {"--stop-after", "--max-rewrites", "--print", "--timing", "--log"}) {
    std::vector<std::string> command{"opt", file, option};
    if (option == "--stop-after" || option == "--max-rewrites") command.push_back("1");
    const Outcome outcome = invoke(command);
    EXPECT_EQ(outcome.code, 1);
    expect_contains(outcome.err, option + " needs passes to run: --pipeline or --passes");
  }
  expect_contains(invoke({"opt", file, "--passes", "cse,dce", "--stop-after", "3"}).err,
                  "there are only 2 passes");
  EXPECT_EQ(invoke({"opt", file, "--passes", "cse,dce", "--stop-after", "2"}).code, 0);
}

TEST(Run, LogsCompilations) {
  set_log_topic(LogTopic::kCompile, true);
  ::testing::internal::CaptureStderr();
  const Outcome outcome = invoke({"run", data_file("scale.ir"), "--random", "1"});
  const std::string log = ::testing::internal::GetCapturedStderr();
  set_log_topic(LogTopic::kCompile, false);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  expect_contains(log, "ingot: main: compiled in ");
}

TEST(Bench, ReportsTimesKernelsAndMemory) {
  const Outcome outcome = invoke({"bench", data_file("fma.ir"), "--json", "--reps", "3"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const Json report = Json::parse(outcome.out);
  double sum = 0;
  for (const char* part : {"parse", "passes", "kernels", "codegen"}) {
    EXPECT_GE(report["compile_ms"][part], 0) << part;  // the kernel may be there already
    sum += report["compile_ms"][part].get<double>();
  }
  EXPECT_GE(report["compile_ms"]["total"].get<double>(), sum);
  EXPECT_GT(report["run_ms"]["min"], 0);
  EXPECT_LE(report["run_ms"]["min"], report["run_ms"]["median"]);
  EXPECT_EQ(report["kernels"].size(), 1u);
  EXPECT_EQ(report["kernels"][0]["bytes_read"], 12000);
  EXPECT_EQ(report["kernels"][0]["bytes_written"], 4000);
  EXPECT_EQ(report["kernels"][0]["flops"], 2000);
  EXPECT_EQ(report["peak_bytes"], 16000);
  EXPECT_EQ(report["launches"], 1);
  EXPECT_EQ(report["reps"], 3);
  expect_contains(invoke({"bench", data_file("fma.ir"), "--reps", "2"}).out, "launches 1, copies 0");
}

TEST(Dump, WritesEveryStageWithAnIndex) {
  TemporaryFolder folder;
  const Outcome outcome =
      invoke({"run", data_file("fma.ir"), "--random", "1", "--dump", folder.file("dump")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::string index = file_text(folder.file("dump/index.md"));
  for (const char* file : {"00_input.ir", "kernel_main.kernel", "kernel_main.scheduled.kernel",
                           "kernel_main.ll", "kernel_main.s", "plan.txt", "refusals.txt"}) {
    expect_contains(index, std::string("(") + file + ")");
    EXPECT_TRUE(std::filesystem::exists(folder.file(std::string("dump/") + file))) << file;
  }
  EXPECT_EQ(invoke({"opt", folder.file("dump/00_input.ir")}).out, invoke({"opt", data_file("fma.ir")}).out);
}

TEST(Interpret, SaysWhereItCannotSeeErrors) {
  const Outcome outcome = invoke({"interpret", "-", "--compare"},
                                 "func @main() -> (f32[3]) {\n"
                                 "  %x = constant() {value = dense f32[3]{-1, 4, 0}} : f32[3]\n"
                                 "  %y = sqrt(%x) : f32[3]\n  return %y\n}\n");
  expect_contains(outcome.out, "1 of 3 elements are not finite");
}

TEST(Interpret, ComparesWithTheCompiledProgram) {
  EXPECT_EQ(invoke({"interpret", data_file("empty.ir"), "--compare"}).out,
            "compiled and interpreted are equal\n");
  const Outcome outcome = invoke({"interpret", data_file("softmax.ir"), "--compare"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(std::regex_match(
      outcome.out,
      std::regex("largest error \\S+e-0[6-9].*; \\d+ of \\d+ elements are not equal\n|compiled and "
                 "interpreted are equal\n")))
      << outcome.out;
}

// Products that overflow before they are subtracted are NaN in one way and infinite in the other, which is
// no error; equal they are not.
TEST(Interpret, CallsOnlyEqualNumbersEqual) {
  const Outcome outcome = invoke({"interpret", "-", "--compare"}, R"(func @main(%x: f32[1]) -> (c64[1]) {
  %zero = constant() {value = dense f32[1]{0}} : f32[1]
  %one = constant() {value = dense f32[1]{1}} : f32[1]
  %big = constant() {value = dense f32[1]{3e38}} : f32[1]
  %inf = constant() {value = dense f32[1]{inf}} : f32[1]
  %n = mul(%x, %zero) : f32[1]
  %a = add(%n, %one) : f32[1]
  %b = add(%n, %big) : f32[1]
  %c = add(%n, %inf) : f32[1]
  %p = complex(%a, %b) : c64[1]
  %q = complex(%c, %b) : c64[1]
  %z = mul(%p, %q) : c64[1]
  return %z
}
)");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find("are equal"), std::string::npos) << outcome.out;
}

TEST(Interpret, ExitsWithTwoWhereTheCompiledProgramIsWrong) {
  const Outcome outcome = invoke({"interpret", data_file("softmax.ir"), "--compare", "--plant", "fuse.fuse"});
  EXPECT_EQ(outcome.code, kFoundDifference) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("wrong: ")) << outcome.out;
}

// Bytes that are no text, in a place that JSON repeats.
TEST(Run, RefusesBatchAxesThatAreNotThere) {
  const std::string program =
      "func @main() -> (s32[]) {\n  %i = axis_index() {axis_name = \"i\"} : s32[]\n  return %i\n}\n";
  const Outcome outcome = invoke({"run", "-"}, program);
  EXPECT_EQ(outcome.code, kUserError);
  EXPECT_EQ(
      outcome.err,
      "error: axis_index: there is no batch axis called 'i' for %i of @main; only a function that is mapped "
      "over one of that name can use it\n");
}

TEST(Run, RefusesKernelsInKernels) {
  const Outcome outcome = invoke({"run", "-", "--random", "1"},
                                 "func @main(%x: f32[4]) -> (f32[4]) {\n"
                                 "  %y = fused(%x) {kernel = \"a\"} (%a: f32[4]) {\n"
                                 "    %z = fused(%a) {kernel = \"b\"} (%b: f32[4]) {\n"
                                 "      %c = exp(%b) : f32[4]\n      return %c\n    } : f32[4]\n"
                                 "    return %z\n  } : f32[4]\n  return %y\n}\n");
  EXPECT_EQ(outcome.code, kUserError);
  EXPECT_EQ(outcome.err,
            "error: <stdin>:2:8: fused: 'fused' cannot be part of a kernel, only stand outside of one\n");
}

TEST(Run, RefusesComplexArraysWhosePartsAreTooMany) {
  const auto product = [](const std::string& type) {
    return invoke({"kernels", "-"}, "func @main(%x: " + type + ") -> (" + type +
                                        ") {\n  %y = mul(%x, %x) : " + type + "\n  return %y\n}\n");
  };
  const Outcome outcome = product("c128[281474976710656]");
  EXPECT_EQ(outcome.code, kUserError);
  EXPECT_EQ(
      outcome.err,
      "error: <stdin>:1:21: the shape [281474976710656] has more elements than an array of c128 may have, "
      "140737488355328 (2^47)\n");
  EXPECT_EQ(product("c128[140737488355328]").code, 0);
}

TEST(Run, ReadsNoFurtherIntoWhatIsNoArchive) {
  const Outcome outcome = invoke({"run", data_file("fma.ir"), "--args", "/dev/zero"});
  EXPECT_EQ(outcome.code, kUserError);
  EXPECT_EQ(outcome.err, "error: /dev/zero: not a .npz file (no ZIP archive begins like this)\n");
}

// Kernels are called what the text calls them.
TEST(Dump, NamesOfKernelsAreNoPaths) {
  TemporaryFolder folder;
  std::string program = "func @main(%x: f32[4]) -> (f32[4]) {\n";
  const std::string ops[] = {"exp", "sin", "cos"}, names[] = {"../../x", ".._.._x", "a/b\xff"};
  for (int i = 0; i < 3; ++i) {
    const std::string n = std::to_string(i), before = i == 0 ? "x" : "y" + std::to_string(i - 1);
    program += "  %y" + n + " = fused(%" + before + ") {kernel = \"" + names[i] + "\"} (%a" + n +
               ": f32[4]) {\n    %b" + n + " = " + ops[i] + "(%a" + n + ") : f32[4]\n    return %b" + n +
               "\n  } : f32[4]\n";
  }
  const Outcome outcome =
      invoke({"run", "-", "--random", "1", "--dump", folder.file("in/dump")}, program + "  return %y2\n}\n");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  int listings = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.file("")))
    listings += entry.path().extension() == ".s" ? 1 : 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.file("in/dump"))) {
    EXPECT_TRUE(std::regex_match(entry.path().filename().string(), std::regex("[A-Za-z0-9_.-]+")))
        << entry.path();
    listings -= entry.path().extension() == ".s" ? 1 : 0;
  }
  EXPECT_EQ(listings, 0);
}

// What is exported is read as any program, and gives the same values.
TEST(Export, WritesStableHlo) {
  TemporaryFolder folder;
  const std::string file = folder.file("softmax.mlir");
  const Outcome printed = invoke({"export", data_file("softmax.ir"), "--no-locations"});
  EXPECT_EQ(printed.code, 0) << printed.err;
  expect_contains(printed.out, "\"stablehlo.reduce\"");
  EXPECT_EQ(printed.out.find("loc("), std::string::npos);
  const Outcome written = invoke({"export", data_file("softmax.ir"), "--out", file});
  EXPECT_EQ(written.code, 0) << written.err;
  EXPECT_EQ(written.out, "");
  EXPECT_EQ(invoke({"interpret", file, "--random", "1"}).out,
            invoke({"interpret", data_file("softmax.ir"), "--random", "1"}).out);
  // What was StableHLO before comes out of it again.
  EXPECT_EQ(invoke({"export", file, "--no-locations"}).code, 0);
}

TEST(Export, NotesBoundsThatDoNotComeAlong) {
  const Outcome outcome = invoke({"export", "-"}, R"(func @main(%n: s32[]) -> (s32[]) {
  %m = while(%n) {carries = 1, max_steps = 5} (%i: s32[]) {
    %zero = constant() {value = dense s32[]{0}} : s32[]
    %more = compare(%i, %zero) {direction = "gt"} : pred[]
    return %more
  } (%j: s32[]) {
    return %j
  } : s32[] loc("model.cc":7)
  return %m
})");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(
      outcome.err,
      "note: model.cc:7: StableHLO has no bound of steps: a loop of more than 5, an error here, goes on "
      "there\n");
}

// A loop is found in what it was written as: the program that comes back has the kernels that it had.
TEST(Export, WhatComesBackHasTheSameKernels) {
  TemporaryFolder folder;
  const auto kernels = [](const std::string& file) {
    const std::string listed = invoke({"kernels", file}).out;
    return listed.substr(listed.rfind('\n', listed.size() - 2));  // the last line counts them
  };
  for (const char* name : {"softmax.ir", "griffin.ir", "gated_bf16.ir", "padded_scan.ir"}) {
    for (const char* form : {"--no-locations", "--bytecode"}) {
      const std::string file = folder.file("exported");
      EXPECT_EQ(invoke({"export", data_file(name), form, "--out", file}).code, 0) << name;
      EXPECT_EQ(kernels(file), kernels(data_file(name))) << name << " " << form;
    }
  }
}

TEST(Opt, WritesFilesWithTheVersionOfTheirText) {
  TemporaryFolder folder;
  EXPECT_EQ(invoke({"opt", data_file("softmax.ir"), "--out", folder.file("p.ir")}).out, "");
  EXPECT_EQ(file_text(folder.file("p.ir")).substr(0, 10), "version 1\n");
  EXPECT_EQ(invoke({"opt", folder.file("p.ir")}).out, invoke({"opt", data_file("softmax.ir")}).out);
}

TEST(Help, NamesEverySubcommand) {
  const Outcome outcome = invoke({});
  EXPECT_EQ(outcome.code, 0);
  for (const char* name : {"run", "interpret", "bench", "kernels", "opt", "passes", "bisect", "ops", "check",
                           "export", "INGOT_LOG"}) {
    expect_contains(outcome.out, name);
  }
  expect_contains(invoke({"run", "--help"}).out, "--random");
}

}  // namespace
}  // namespace ingot::tools
