// What `ingot kernels` tells of programs: launches, values, buffers, the graph, refusals.

#include <nlohmann/json.hpp>
#include <regex>

#include "base/options.h"
#include "tests/tools/invoke.h"
#include "tools/arguments.h"

namespace ingot::tools {
namespace {

using Json = nlohmann::json;

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
  const auto squared = [](const std::string& x) {
    return "dot_general(" + x + ", " + x +
           ") {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : f32[9,9]\n";
  };
  const std::string program =
      "func @main(%x: f32[9,9], %i: s32[]) -> (f32[9,9], s32[]) {\n"
      "  %y = cond(%i, %x) (%a: f32[9,9]) {\n    return %a\n  } (%b: f32[9,9]) {\n    %c = " +
      squared("%b") +
      "    return %c\n  } : f32[9,9]\n"
      "  %zero = constant() {value = dense s32[]{0}} : s32[]\n"
      "  %z, %k = while(%y, %zero) {carries = 2, max_steps = 50} (%p: f32[9,9], %q: s32[]) {\n"
      "    %seven = constant() {value = dense s32[]{7}} : s32[]\n"
      "    %more = compare(%q, %seven) {direction = \"lt\"} : pred[]\n    return %more\n"
      "  } (%r: f32[9,9], %s: s32[]) {\n    %one = constant() {value = dense s32[]{1}} : s32[]\n"
      "    %v = add(%s, %one) : s32[]\n    %t = max(%v, %one) : s32[]\n"  // no counter that is known
      "    %u = " +
      squared("%r") +
      "    return %u, %t\n"  // a product: no loop inside of one kernel
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

TEST(Kernels, TellsHowManyStepsAKernelOfALoopTakes) {
  const std::string program = R"(func @main(%x: f32[9]) -> (f32[9]) {
  %z = while(%x) {carries = 1, max_steps = 50} (%p: f32[9]) {
    %first = slice(%p) {limits = [1], starts = [0], strides = [1]} : f32[1]
    %one = reshape(%first) {shape = []} : f32[]
    %least = constant() {value = dense f32[]{0.5}} : f32[]
    %more = compare(%one, %least) {direction = "gt"} : pred[]
    return %more
  } (%q: f32[9]) {
    %u = tanh(%q) : f32[9]
    return %u
  } : f32[9]
  return %z
})";
  const std::string told = ", at most 1 time, each 50 steps of the program's loop";
  expect_contains(invoke({"kernels", "-"}, program).out, told);
  expect_contains(invoke({"kernels", "-", "--plan"}, program).out, told);
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

TEST(Kernels, WritesJsonOfNamesThatAreNoUtf8) {
  const Outcome outcome = invoke(
      {"kernels", "-", "--json"},
      "func @main(%x: f32[4]) -> (f32[4]) {\n  %y = exp(%x) : f32[4] loc(\"a\xff\":9)\n  return %y\n}\n");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out)["kernels"][0]["source"][0], "a\xef\xbf\xbd:9");
}

}  // namespace
}  // namespace ingot::tools
