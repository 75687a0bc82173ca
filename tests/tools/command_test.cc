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
#include "tests/tools/invoke.h"
#include "tools/arguments.h"
#include "tools/npz.h"

namespace ingot::tools {
namespace {

using Json = nlohmann::json;

constexpr const char* kDouble =
    "func @main(%x: f32[2,2]) -> (f32[2,2]) {\n  %y = add(%x, %x) : f32[2,2] loc(\"double.cc\":7)\n  return "
    "%y\n}\n";

TEST(Run, ReadsArgumentsPrintsAndWritesResults) {
  TemporaryFolder folder;
  write_npz(folder.file("in.npz"), {{"arg0", Tensor::of<float>({2, 2}, {1, -2, 0.5f, 1e10f})}});
  for (const char* command : {"run", "interpret"}) {
    const Outcome outcome =
        invoke({command, "-", "--args", folder.file("in.npz"), "--out", folder.file("out.npz")}, kDouble);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "out0: f32[2,2]\n[[   2.   -4.]\n [   1. 2e+10]]\n") << command;
    EXPECT_EQ(read_npz(folder.file("out.npz")),
              (NamedTensors{{"out0", Tensor::of<float>({2, 2}, {2, -4, 1, 2e10f})}}));
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
  const NamedTensors old = {{"arg0", Tensor::of<float>({2}, {1, 2})}};
  write_npz(path, old);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_FSIZE, &none);
    std::signal(SIGXFSZ, SIG_IGN);
    try {
      write_npz(path, {{"arg0", Tensor(DType::kF32, {100})}});
    } catch (const Error& error) {
      _exit(std::string(error.what()).find("cannot write") == std::string::npos ? 1 : 0);
    }
    _exit(2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read_npz(path), old);
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

TEST(Errors, NameWhatIsWrongAndExitWith1) {
  TemporaryFolder folder;
  write_npz(folder.file("in.npz"), {{"arg0", Tensor(DType::kF64, {2, 2})}});
  write_npz(folder.file("other.npz"), {{"x", Tensor(DType::kF32, {2, 2})}});
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

TEST(Kernels, ListsThemWithTypesSourcesAndLaunches) {
  const Outcome outcome = invoke({"kernels", data_file("fma.ir"), "--plan"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  expect_contains(outcome.out,
                  "(elementwise)\n  in  f32[1000]\n  in  f32[1000]\n  in  f32[1000]\n  out f32[1000]\n");
  expect_contains(outcome.out, "from fma.cc:3, fma.cc:4\n");
  expect_contains(outcome.out,
                  "reads argument 0 %x, argument 1 %y, argument 2 %z; writes result 0 %s; "
                  "from fma.cc:3, fma.cc:4\n");
  expect_contains(outcome.out, "plan main, entry main\n");
  expect_contains(outcome.out, "1 kernel, 1 launch, 0 copies, 16 KB in all");
}

TEST(Kernels, PrintsLoopNestsGraphAndRefusals) {
  const Outcome nests = invoke({"kernels", data_file("fma.ir"), "--ir"});
  expect_contains(nests.out, "as it comes from the passes\nkernel main(in ");
  expect_contains(nests.out, "with its schedule for this machine\nkernel main(in ");

  expect_contains(invoke({"kernels", data_file("fma.ir"), "--ir", "--why"}).out,
                  "}\n\nno fusion was refused\n");

  const Outcome graph = invoke({"kernels", data_file("calls.ir"), "--graph"});
  expect_contains(graph.out, "digraph \"main\" {\n");
  expect_contains(graph.out, "label=\"0: call layer\"");
  expect_contains(graph.out, "label=\"@layer\"");

  expect_contains(invoke({"kernels", data_file("calls.ir"), "--why"}).out, "@layer holds a contraction");
  EXPECT_EQ(invoke({"kernels", data_file("fma.ir"), "--why"}).out, "no fusion was refused\n");
}

TEST(Kernels, PrintsAllThatIsAskedForOrRefuses) {
  const std::string file = data_file("calls.ir");
  const std::string why = invoke({"kernels", file, "--why"}).out,
                    plan = invoke({"kernels", file, "--plan"}).out;
  EXPECT_EQ(invoke({"kernels", file, "--why", "--plan"}).out, why + plan);
  EXPECT_EQ(invoke({"kernels", file, "--plan", "--ir"}).out, invoke({"kernels", file, "--ir"}).out + plan);
  expect_contains(invoke({"kernels", file, "--json", "--graph"}).err, "exclude each other");
  for (const char* other : {"--why", "--plan", "--ir"}) {
    const Outcome outcome = invoke({"kernels", file, "--graph", other});
    EXPECT_NE(outcome.code, 0);
    expect_contains(outcome.err, "--graph prints a file for Graphviz");
  }
}

// A loop that would not end in `steps` steps; all that is returned of it is what it hands on, or nothing.
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
    expect_contains(outcome.err, "error: %y: while: the predicate still holds after 3 steps, the bound");
    expect_contains(invoke(words, bounded("%y", " loc(\"loop.cc\":7)")).err,
                    "error: loop.cc:7: while: the predicate still holds after 3 steps");
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

TEST(Kernels, CountsOfNestedLoopsStopAtTheEndOf64Bits) {
  const std::string attributes =
      " {carries = 1, length = 4294967296, reverse = false, scanned = 0, xs_axes = [], ys_axes = []} ";
  const std::string program =
      "func @f(%x: f64[3]) -> (f64[3]) {\n  %y = scan(%x)" + attributes +
      "(%c: f64[3]) {\n    %z = scan(%c)" + attributes +
      "(%d: f64[3]) {\n      %t = tanh(%d) : f64[3]\n      return %t\n    } : f64[3]\n"
      "    return %z\n  } : f64[3]\n  return %y\n}\n";
  const Json report = Json::parse(invoke({"kernels", "-", "--json"}, program).out);
  EXPECT_EQ(report["kernels"][0]["flops"], INT64_MAX);
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

TEST(Kernels, JsonHoldsTheGraph) {
  const Json report = Json::parse(invoke({"kernels", data_file("calls.ir"), "--json", "--ir"}).out);
  EXPECT_EQ(report["functions"].size(), 2u);
  EXPECT_EQ(report["functions"][0]["steps"].size(), 2u);
  EXPECT_EQ(report["functions"][0]["steps"][0]["what"], "layer");
  // The second call reads what the first one writes.
  const Json& steps = report["functions"][0]["steps"];
  EXPECT_EQ(steps[0]["writes"][0], steps[1]["reads"][0]);
  EXPECT_EQ(report["kernels"].size(), report["loop_nests"].size());
  EXPECT_EQ(report["kernels"][0]["hash"].get<std::string>().size(), 16u);
  EXPECT_FALSE(report["refusals"].empty());
}

// %e takes the memory of %a, which dies there, and is a value of its own.
constexpr const char* kInPlace =
    "func @main(%x: f32[320,320]) -> (f32[320,320]) {\n"
    "  %a = dot_general(%x, %x) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : "
    "f32[320,320]\n"
    "  %z = constant() {value = dense f32[]{0}} : f32[]\n"
    "  %s = reduce(%a, %z) {axes = [0,1]} (%p: f32[], %q: f32[]) {\n    %m = add(%p, %q) : f32[]\n    return "
    "%m\n  "
    "} : f32[]\n"
    "  %b = broadcast(%s) {dims = [], shape = [320,320]} : f32[320,320]\n"
    "  %e = div(%a, %b) : f32[320,320]\n"
    "  %r = dot_general(%e, %x) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : "
    "f32[320,320]\n"
    "  return %r\n}\n";

TEST(Kernels, NamesValuesAndTheBuffersThatTheyLieIn) {
  const Outcome outcome = invoke({"kernels", "-", "--plan"}, kInPlace);
  expect_contains(outcome.out, "launch main_a reads argument 0 %x; writes buffer 0 %a\n");
  expect_contains(outcome.out, " %s, buffer 0 %a; writes buffer 0 %e (in the place of %a)\n");
  expect_contains(outcome.out, "launch main_r reads buffer 0 %e, argument 0 %x; writes result 0 %r\n");
  expect_contains(outcome.out, " lives from step 0 to 3\n");
  expect_contains(outcome.out,
                  "value buffer 0 %a: f32[320,320], 409600 bytes, written by step 0, last read by step 2\n");
  expect_contains(outcome.out,
                  "value buffer 0 %e (in the place of %a): f32[320,320], 409600 bytes, written by step 2, "
                  "last read by step 3\n");
  // Two nodes of the graph, so that no step reads what it writes.
  const std::string graph = invoke({"kernels", "-", "--graph"}, kInPlace).out;
  for (const char* edge : {"f0s0 -> f0v1;\n", "f0v1 -> f0s2;\n", "f0s2 -> f0v3;\n", "f0v3 -> f0s3;\n"})
    expect_contains(graph, edge);
  const Json report = Json::parse(invoke({"kernels", "-", "--json"}, kInPlace).out);
  EXPECT_EQ(report["functions"][0]["values"][3]["name"], "e");
  EXPECT_EQ(report["functions"][0]["values"][3]["in_place_of"], 1);
}

TEST(Kernels, TellsOrdersAndPitchesAsSuchAndWhy) {
  const std::string file = data_file("padded_scan.ir");
  const std::string listed = invoke({"kernels", file, "--plan"}).out;
  expect_contains(listed, "writes buffer 0 %h in the order [1,0]");
  // The type is the program's wherever the order stands beside it.
  expect_contains(listed, "value buffer 0 %h in the order [1,0]: f32[64,1024], 262144 bytes");
  expect_contains(listed, "  out f32[64,1024] in the order [1,0]\n");
  expect_contains(listed, "  in  f32[64,1024] in the order [1,0]\n");
  EXPECT_EQ(listed.find("f32[1024,64]"), std::string::npos) << listed;
  const Json stored = Json::parse(invoke({"kernels", file, "--json"}).out);
  EXPECT_EQ(stored["kernels"][0]["outputs"][0], "f32[64,1024] in the order [1,0]");
  EXPECT_EQ(stored["functions"][0]["values"][2]["type"], "f32[64,1024]");
  expect_contains(invoke({"kernels", file, "--why"}).out, "layout: %h lies in the order [1,0]");
  Options::global().set("INGOT_SKIP_PASSES", "layout");
  const Outcome kernels = invoke({"kernels", file}), why = invoke({"kernels", file, "--why"});
  const Json json = Json::parse(invoke({"kernels", file, "--json"}).out);
  Options::global().set("INGOT_SKIP_PASSES", "");
  expect_contains(kernels.out, "out f32[64,1024] with rows 1040 apart");
  expect_contains(why.out, "padding: %h has rows 1040 elements apart");
  ASSERT_EQ(json["notes"].size(), 1u);
  EXPECT_EQ(json["notes"][0]["pass"], "padding");
}

TEST(Kernels, CountsKernelsThatOnlyCopyAmongCopies) {
  const std::string transpose =
      "func @main(%x: f32[40,30]) -> (f32[30,40], f32[40,30]) {\n"
      "  %t = transpose(%x) {permutation = [1,0]} : f32[30,40]\n  return %t, %x\n}\n";
  expect_contains(invoke({"kernels", "-"}, transpose).out,
                  "1 kernel, 1 launch, 2 copies (1 launch of main, 1 by the plan), ");
}

TEST(Kernels, TellsTheLinesOfEachLaunch) {
  const std::string program =
      "func @main(%x: f32[40,40]) -> (f32[40,40], f32[40,40]) {\n"
      "  %a = dot_general(%x, %x) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : "
      "f32[40,40] loc(\"p.cc\":4)\n"
      "  %b = dot_general(%a, %a) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : "
      "f32[40,40] loc(\"p.cc\":5)\n"
      "  return %a, %b\n}\n";
  const std::string text = invoke({"kernels", "-"}, program).out;
  expect_contains(text, "  from p.cc:4, p.cc:5\nlaunches of @main\n");
  expect_contains(text, "writes result 0 %a; from p.cc:4\n");
  expect_contains(text, "writes result 1 %b; from p.cc:5\n");
  expect_contains(invoke({"kernels", "-", "--graph"}, program).out, "0: main_a\\np.cc:4\"]");
  expect_contains(invoke({"kernels", "-", "--plan"}, program).out, "-> result 1 %b, from p.cc:5\n");
  const Json report = Json::parse(invoke({"kernels", "-", "--json"}, program).out);
  EXPECT_EQ(report["kernels"][0]["source"], Json({"p.cc:4", "p.cc:5"}));
  EXPECT_EQ(report["functions"][0]["steps"][0]["source"], Json::array({"p.cc:4"}));
  EXPECT_EQ(report["functions"][0]["steps"][1]["source"], Json::array({"p.cc:5"}));
}

TEST(Kernels, TellsOfLoopsOfUnknownLengthAndOfBranches) {
  const std::string product =
      "dot_general(%b, %b) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : "
      "f32[9,9]\n";
  const std::string program =
      "func @main(%x: f32[9,9], %i: s32[]) -> (f32[9,9], s32[]) {\n"
      "  %y = cond(%i, %x) (%a: f32[9,9]) {\n    return %a\n  } (%b: f32[9,9]) {\n    %c = " +
      product +
      "    return %c\n  } : f32[9,9]\n"
      "  %zero = constant() {value = dense s32[]{0}} : s32[]\n"
      "  %z, %k = while(%y, %zero) {carries = 2, max_steps = 50} (%p: f32[9,9], %q: s32[]) {\n"
      "    %seven = constant() {value = dense s32[]{7}} : s32[]\n"
      "    %more = compare(%q, %seven) {direction = \"lt\"} : pred[]\n    return %more\n"
      "  } (%r: f32[9,9], %s: s32[]) {\n    %one = constant() {value = dense s32[]{1}} : s32[]\n"
      "    %v = add(%s, %one) : s32[]\n    %t = max(%v, %one) : s32[]\n"  // no counter that is known
      "    %u = tanh(%r) : f32[9,9]\n    return %u, %t\n"
      "  } : f32[9,9], s32[] loc(\"p.cc\":9)\n  return %z, %k\n}\n";
  const std::string text = invoke({"kernels", "-"}, program).out;
  expect_contains(text, "branch to main_branch0 or main_branch1 reads argument 1 %i, argument 0 %x; writes ");
  expect_contains(text, "loop main_loop (while %more.4, at most 50 times) reads ");
  expect_contains(text, "launches of @main_branch1\n");
  expect_contains(text, ", at least 1 launch, ");
  expect_contains(invoke({"kernels", "-", "--graph"}, program).out,
                  "loop main_loop\\nwhile %more.4, at most 50");
  expect_contains(invoke({"kernels", "-", "--plan"}, program).out,
                  "loop main_loop while carry 2 does, at most 50");
  const Json report = Json::parse(invoke({"kernels", "-", "--json"}, program).out);
  EXPECT_EQ(report["counts_are_least"], true);
  std::map<std::string, int> kinds;
  for (const Json& step : report["functions"][0]["steps"]) ++kinds[step["kind"]];
  EXPECT_EQ(kinds["while"], 1);
  EXPECT_EQ(kinds["branch"], 1);
  // Counted when run: one launch asks before the loop, two of each of seven steps.
  const Json run = Json::parse(invoke({"bench", "-", "--json", "--reps", "1"}, program).out);
  EXPECT_GE(run["launches"], 15);
  EXPECT_EQ(
      Json::parse(invoke({"kernels", "-", "--json"}, file_text(data_file("fma.ir"))).out)["counts_are_least"],
      false);
}

TEST(Kernels, TellsOfUpdatesInPlaceAndOfDonationsWithoutEffect) {
  const std::string how =
      " {offset_dims = [0], collapsed_slice_dims = [], operand_batching_dims = [], "
      "start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 0, slice_sizes = [8], "
      "mode = \"clip\", combiner = \"set\"} : f32[1000]\n";
  const std::string update =
      "func @main(%x: f32[1000] donated, %at: s32[1], %part: f32[8], %w: f32[3] donated) -> (f32[1000]) {\n"
      "  %y = scatter(%x, %at, %part)" +
      how + "  return %y\n}\n";
  expect_contains(invoke({"kernels", "-"}, update).out, "36 B read, 32 B written, ");
  const Json report = Json::parse(invoke({"kernels", "-", "--json"}, update).out);
  EXPECT_EQ(report["kernels"][0]["bytes_read"], 36);
  EXPECT_EQ(report["functions"][0]["steps"][0]["bytes_written"], 32);
  EXPECT_EQ(report["peak_bytes"], 4000 + 4 + 32 + 12);
  EXPECT_EQ(report["notes"][0]["about"], "%w");
  expect_contains(
      invoke({"kernels", "-", "--why"}, update).out,
      "donation: %w is donated without effect: no result has 3 elements of 4 bytes, as %w (f32[3]) "
      "has; an argument of a result's size would do\n");
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
      outcome.out, std::regex("largest error \\S+e-0[6-9].*\n|compiled and interpreted are equal\n")))
      << outcome.out;
}

TEST(Interpret, ExitsWithTwoWhereTheCompiledProgramIsWrong) {
  const Outcome outcome = invoke({"interpret", data_file("softmax.ir"), "--compare", "--plant", "fuse.fuse"});
  EXPECT_EQ(outcome.code, kFoundDifference) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("wrong: ")) << outcome.out;
}

// Bytes that are no text, in a place that JSON repeats.
TEST(Kernels, WritesJsonOfNamesThatAreNoUtf8) {
  const Outcome outcome = invoke(
      {"kernels", "-", "--json"},
      "func @main(%x: f32[4]) -> (f32[4]) {\n  %y = exp(%x) : f32[4] loc(\"a\xff\":9)\n  return %y\n}\n");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out)["kernels"][0]["source"][0], "a\xef\xbf\xbd:9");
}

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

TEST(Help, NamesEverySubcommand) {
  const Outcome outcome = invoke({});
  EXPECT_EQ(outcome.code, 0);
  for (const char* name :
       {"run", "interpret", "bench", "kernels", "opt", "passes", "bisect", "ops", "check", "INGOT_LOG"}) {
    expect_contains(outcome.out, name);
  }
  expect_contains(invoke({"run", "--help"}).out, "--random");
}

// The command in a shell, which may redirect its streams and set limits before it.
Outcome in_shell(const std::string& before, const std::string& arguments, const std::string& redirections) {
  const TemporaryFolder folder;
  const std::string line = "( " + before + " '" INGOT_COMMAND "' " + arguments + " < /dev/null " +
                           redirections + " 2> " + folder.file("err") + " )";
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, "", file_text(folder.file("err"))};
}

TEST(Binary, OutputThatIsLostIsAnError) {
  const std::string file = data_file("softmax.ir");
  const std::vector<std::string> commands = {"run " + file + " --random 1",
                                             "run --json " + file + " --random 1",
                                             "bench --reps 1 " + file + " --random 1",
                                             "interpret " + file + " --random 1",
                                             "kernels " + file,
                                             "kernels --json " + file,
                                             "opt " + file,
                                             "bisect " + file,
                                             "ops",
                                             "passes",
                                             "--help",
                                             ""};
  for (const std::string& command : commands) {
    const Outcome full = in_shell("", command, "> /dev/full");
    EXPECT_EQ(full.code, 1) << command;
    expect_contains(full.err, "error: cannot write to standard output: No space left on device\n");
    const Outcome closed = in_shell("", command, ">&-");
    EXPECT_EQ(closed.code, 1) << command;
    expect_contains(closed.err, "error: cannot write to standard output: Bad file descriptor\n");
  }
  EXPECT_EQ(in_shell("", "run --nonsense", "> /dev/full").code, 1);
}

// Nothing of what is printed lands in a file that got the number of a closed standard output.
TEST(Binary, ClosedStandardOutputIsNoOtherFile) {
  const TemporaryFolder folder;
  const std::string out = folder.file("out.npz");
  in_shell("", "interpret " + data_file("softmax.ir") + " --random 1 --out " + out, "> /dev/null");
  const std::string expected = file_text(out);
  in_shell("", "interpret " + data_file("softmax.ir") + " --random 1 --out " + out, ">&-");
  EXPECT_EQ(file_text(out), expected);
}

TEST(Binary, FilesBeyondTheirLimitAreErrorsOfTheWrite) {
  const TemporaryFolder folder;
  const Outcome outcome =
      in_shell("ulimit -f 1;", "run " + data_file("softmax.ir") + " --random 1 --dump " + folder.file("d"),
               "> /dev/null");
  EXPECT_EQ(outcome.code, 1);
  expect_contains(outcome.err, "error: cannot write " + folder.file("d"));
  expect_contains(outcome.err, ": File too large");
}

// What has no end, or is no file, ends in an error that names it.
TEST(Binary, ReadsNoMoreThanThereMayBe) {
  const TemporaryFolder folder;
  const std::string softmax = data_file("softmax.ir"), fifo = folder.file("fifo");
  ASSERT_EQ(std::system(("mkfifo " + fifo).c_str()), 0);
  const std::string small = "export INGOT_MEMORY_LIMIT_MB=2;";
  const struct {
    std::string before, arguments, redirections, error;
  } cases[] = {
      {small, "run /dev/zero", "",
       "/dev/zero: there are more than 2097152 bytes in it, the most that may be"},
      {small, "opt -", "< /dev/zero", "<stdin>: there are more than 2097152 bytes in it"},
      {small + "yes > " + fifo + " &", "kernels " + fifo, "",
       "fifo: there are more than 2097152 bytes in it"},
      {small, "run " + softmax + " --args /dev/zero", "", "/dev/zero: not a .npz file"},
      {small + "(printf 'PK\\003\\004'; yes) > " + fifo + " &", "run " + softmax + " --args " + fifo, "",
       "fifo: there are more than 2097152 bytes in it"},
      {"", "run " + softmax + " --args " + folder.file(""), "", "is a folder, not a file"},
      {"", "bisect " + folder.file(""), "", "is a folder, not a file"},
      {"", "run /proc/self/mem", "", "cannot read /proc/self/mem: Input/output error"},
      {"", "run /dev/null", "", "/dev/null: there is no function in it"},
  };
  for (const auto& one : cases) {
    const Outcome outcome =
        in_shell(one.before + " timeout 60", one.arguments, "> /dev/null " + one.redirections);
    EXPECT_EQ(outcome.code, 1) << one.arguments;
    expect_contains(outcome.err, one.error);
  }
}

struct Streamed {
  const char* arguments;  // $ stands for the folder of test data
  int code;
  bool prints;     // to standard output
  bool has_error;  // on standard error: "error: ..."
};

// Results go to standard output, errors to standard error, and the exit code is the same for all subcommands.
TEST(Binary, EachSubcommandUsesItsStreamsAndCodes) {
  constexpr Streamed kAll[] = {
      {"", 0, true, false},
      {"--help", 0, true, false},
      {"--list-passes", 0, true, false},
      {"passes", 0, true, false},
      {"passes x", 1, false, true},
      {"ops", 0, true, false},
      {"ops --json", 0, true, false},
      {"ops x", 1, false, true},
      {"fly", 1, false, true},
      {"run --help", 0, true, false},
      {"run", 1, false, true},
      {"run $/scale.ir", 1, false, true},
      {"run $/scale.ir --random 1", 0, true, false},
      {"run $/scale.ir --random 1 --json", 0, true, false},
      {"run $/scale.ir --random 1 --out /none/x.npz", 1, false, true},
      {"run /none", 1, false, true},
      {"interpret $/scale.ir --random 1", 0, true, false},
      {"interpret $/scale.ir --random 1 --compare", 0, true, false},
      {"interpret /none", 1, false, true},
      {"bench $/scale.ir --random 1 --reps 1", 0, true, false},
      {"bench /none", 1, false, true},
      {"kernels $/scale.ir", 0, true, false},
      {"kernels $/scale.ir --json --graph", 1, false, true},
      {"kernels /none", 1, false, true},
      {"opt $/scale.ir", 0, true, false},
      {"opt $/scale.ir --pipeline --timing", 0, true, false},
      {"opt $/scale.ir --passes nosuch", 1, false, true},
      {"opt /none", 1, false, true},
      {"bisect $/scale.ir", 0, true, false},
      {"bisect $/scale.ir --plant fuse.fuse", 2, true, false},
      {"bisect /none", 1, false, true},
  };
  for (const Streamed& one : kAll) {
    std::string arguments = one.arguments;
    if (const size_t at = arguments.find('$'); at != std::string::npos)
      arguments.replace(at, 1, data_file("").substr(0, data_file("").size() - 1));
    const TemporaryFolder folder;
    const Outcome outcome = in_shell("timeout 100", arguments, "> " + folder.file("out"));
    EXPECT_EQ(outcome.code, one.code) << arguments << outcome.err;
    EXPECT_EQ(!file_text(folder.file("out")).empty(), one.prints) << arguments;
    EXPECT_EQ(("\n" + outcome.err).find("\nerror: ") != std::string::npos, one.has_error) << outcome.err;
    EXPECT_EQ(outcome.err.find("internal error"), std::string::npos) << outcome.err;
  }
}

// A reader that goes (| head) ends the command as any other, by SIGPIPE, and so does Ctrl-C, with all that it
// has started.
TEST(Binary, EndsBySignals) {
  const TemporaryFolder folder;
  const std::string code = folder.file("code");
  const std::string line = "( ( sleep 0.2; '" INGOT_COMMAND "' ops --markdown; echo $? > " + code +
                           " ) | true ) 2> " + folder.file("err");
  EXPECT_EQ(std::system(line.c_str()), 0);
  for (int i = 0; i < 200 && (!std::filesystem::exists(code) || file_text(code).empty()); ++i) usleep(50000);
  EXPECT_EQ(file_text(code), std::to_string(128 + SIGPIPE) + "\n");
  EXPECT_EQ(file_text(folder.file("err")), "");

  // A program whose judgement takes minutes.
  std::ofstream(folder.file("long.ir")) << "func @main(%x: f32[900,900]) -> (f32[900,900]) {\n"
                                           "  %y = dot_general(%x, %x) {lhs_batch = [], lhs_contract = [1], "
                                           "rhs_batch = [], rhs_contract = [0]} : "
                                           "f32[900,900]\n  return %y\n}\n";
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    std::signal(SIGINT, SIG_DFL);
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    execl(INGOT_COMMAND, "ingot", "bisect", folder.file("long.ir").c_str(), nullptr);
    _exit(127);
  }
  close(ends[1]);
  char c = 0;
  EXPECT_EQ(read(ends[0], &c, 1), 1);  // it has begun
  usleep(300000);
  EXPECT_EQ(kill(child, SIGINT), 0);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
  // What it had started has the pipe open, until it is gone.
  while (read(ends[0], &c, 1) == 1) {
  }
  close(ends[0]);
}

int exit_code(const std::string& arguments) {
  const std::string line =
      std::string(INGOT_COMMAND) + " " + arguments + " > /dev/null 2> /dev/null < /dev/null";
  const int status = std::system(line.c_str());
  return WEXITSTATUS(status);
}

TEST(Binary, ExitsWithTheCode) {
  EXPECT_EQ(exit_code("run " + data_file("scale.ir") + " --random 1"), 0);
  EXPECT_EQ(exit_code("run " + data_file("scale.ir")), 1);
  EXPECT_EQ(exit_code("--nothing"), 1);
  EXPECT_EQ(exit_code("bisect " + data_file("scale.ir")), 0);
}

}  // namespace
}  // namespace ingot::tools
