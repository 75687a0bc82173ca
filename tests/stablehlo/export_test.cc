// Programs of Ingot's as StableHLO: golden texts, and round trips through the text, whose values are the
// same.
//
// Every file of tests/stablehlo/exports holds cases: a program, a line "// ----", the module that it becomes.
#include "stablehlo/export.h"

#include <gtest/gtest.h>

#include "ingot/error.h"
#include "interpreter/interpreter.h"
#include "ir/op_record.h"
#include "ir/text.h"
#include "stablehlo/import.h"
#include "stablehlo/read.h"
#include "testing/golden.h"
#include "testing/random_program.h"
#include "testing/tensors.h"

namespace ingot::stablehlo {
namespace {

// By the text; the artifact is the same program.
std::unique_ptr<ir::Module> there_and_back(const ir::Module& module) {
  const auto imported = [](const std::string& exported) {
    return import_module(*read_module(exported, "exported.mlir")).module;
  };
  std::unique_ptr<ir::Module> by_text = imported(export_text(module));
  const ir::PrintOptions plain{.locations = false};
  EXPECT_EQ(ir::to_string(*imported(export_bytecode(module)), plain), ir::to_string(*by_text, plain));
  return by_text;
}

// What differs between the program's values and those of the program that comes back; empty if nothing does.
// Sums of several arrays at once come back as several, whose order is another: `tolerances` are for these.
std::string round_trip(const ir::Module& module, uint64_t seed, const std::vector<double>& tolerances = {}) {
  const std::unique_ptr<ir::Module> back = there_and_back(module);
  testing::Random random(seed);
  const std::vector<Tensor> arguments = testing::random_arguments(random, module);
  const std::vector<Tensor> got = interpret(*back, arguments), want = interpret(module, arguments);
  if (got.size() != want.size()) return "another number of results";
  constexpr double kSignsOfZeros = 1e-300;  // 0 + -0 is no sum where there is nothing to add up
  for (size_t i = 0; i < got.size(); ++i) {
    const double tolerance = std::max(kSignsOfZeros, tolerances.empty() ? 0 : tolerances[i]);
    const std::string found = testing::difference(got[i], want[i], tolerance);
    if (!found.empty()) return "result " + std::to_string(i) + ": " + found;
  }
  return "";
}

// The IR programs of all tests.
std::vector<std::pair<std::string, std::string>> programs() {
  std::vector<std::pair<std::string, std::string>> found;
  for (const char* folder :
       {"compiler/regressions", "tools/data", "transform/branches", "transform/programs"}) {
    for (const auto& file : testing::files_in(INGOT_TEST_DIR "/../" + std::string(folder))) {
      if (file.extension() == ".ir") found.emplace_back(file.filename(), testing::read_file(file));
    }
  }
  for (const char* folder : {"pass/golden", "kernel/golden", "stablehlo/programs"}) {
    for (const auto& file : testing::files_in(INGOT_TEST_DIR "/../" + std::string(folder))) {
      for (const std::string& input : testing::golden_inputs(file))
        found.emplace_back(file.filename(), input);
    }
  }
  return found;
}

TEST(StablehloExportTest, Golden) {
  for (const auto& file : testing::files_in(INGOT_TEST_DIR "/exports")) {
    testing::check_golden_file(file, [](const std::string& input) {
      const std::unique_ptr<ir::Module> module = ir::parse(input);
      EXPECT_EQ(round_trip(*module, 1), "");
      return export_text(*module);
    });
  }
}

TEST(StablehloExportTest, EveryRecordIsExportedOrSaysWhyNot) {
  for (const ir::OpRecord* record : ir::all_records()) {
    EXPECT_NE(is_exported(*record->name), !not_exported(*record->name).empty()) << *record->name;
  }
}

// Elements of all values, which is what interpreting takes but for loops and contractions.
int64_t elements_of(const ir::Module& module) {
  int64_t elements = 0;
  for (const auto& function : module.functions()) {
    ir::walk(function->body(), [&](const ir::Op& op) {
      for (const ir::Value* result : op.results()) elements += result->type().elements();
    });
  }
  return elements;
}

void check_programs(bool large) {
  constexpr int64_t kSmall = 40000;  // elements; those with fewer take 2 s together
  int count = 0;
  for (const auto& [name, text] : programs()) {
    std::unique_ptr<ir::Module> module;
    try {
      module = ir::parse(text, name);
    } catch (const Error& error) {  // a case of what is no program
      EXPECT_FALSE(name == "functions.ir" || name == "indexing.ir" || name == "structure.ir" ||
                   name == "linear_algebra.ir" || name == "decompositions.ir")
          << error.what();
      continue;
    }
    if ((elements_of(*module) > kSmall) != large) continue;
    ++count;
    try {
      // One factorization comes back as two calls, which round by themselves.
      const bool rounds = name == "decompositions.ir";
      const std::vector<double> room(module->entry()->body().results().size(), rounds ? 1e-6 : 0);
      EXPECT_EQ(round_trip(*module, 1, room), "") << name << "\n" << text;
    } catch (const Error& error) {
      ADD_FAILURE() << name << ": " << error.what() << "\n" << text;
    }
  }
  EXPECT_GT(count, large ? 30 : 150);
}

TEST(StablehloExportTest, ProgramsOfTestsComeBackWithTheirValues) {
  check_programs(false);
}
TEST(StablehloExportTest, LargeProgramsOfTestsComeBackWithTheirValuesSlow) {
  check_programs(true);
}

TEST(StablehloExportTest, RandomProgramsComeBackWithTheirValues) {
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    testing::RandomProgramOptions options = testing::options_of_seed(seed);
    if (seed % 5 == 0) options.updates = true;
    const testing::RandomProgram program = testing::random_program(seed, options);
    try {
      EXPECT_EQ(round_trip(*program.module, seed, program.tolerances), "") << seed << "\n"
                                                                           << ir::to_string(*program.module);
    } catch (const Error& error) {
      ADD_FAILURE() << seed << ": " << error.what();
    }
  }
}

std::string export_error(const std::string& text) {
  try {
    export_text(*ir::parse(text, "p.ir"));
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(StablehloExportTest, WhatIsNotExportedNamesItsLine) {
  EXPECT_EQ(export_error(R"(func @main(%x: f32[3]) -> (f32[3], s32[]) {
  %y = exp(%x) : f32[3]
  %i = axis_index() {axis_name = "rows"} : s32[] loc("model.cc":12)
  return %y, %i
})"),
            "export: model.cc:12: axis_index: StableHLO has no such operation: it names the axis of a batch; "
            "export "
            "the program that vmap makes of it");
}

TEST(StablehloExportTest, LinesAndScopesComeBack) {
  const std::string program = R"(func @main(%x: f32[3]) -> (f32[3]) {
  %a = sin(%x) : f32[3] loc("m:1.cc":3 in "encoder/attention")
  %b = cos(%a) : f32[3] loc("m:1.cc":4)
  %c = exp(%b) : f32[3] loc("n.cc":5 in "a in b: 7")
  %d = tanh(%c) : f32[3] loc("n.cc":6 and "m:1.cc:7 in x:y")
  return %d
}
)";
  const std::string text = export_text(*ir::parse(program), true);
  for (const std::string& exported : {text, export_bytecode(*ir::parse(program))}) {
    const auto back = import_module(*read_module(exported, "exported.mlir")).module;
    std::string found;
    ir::walk(back->entry()->body(), [&](const ir::Op& op) {
      if (!op.is_return()) found += ir::to_string(op.provenance()) + "\n";
    });
    EXPECT_EQ(found, "m:1.cc:3 in encoder/attention\nm:1.cc:4\nn.cc:5 in a in b: 7\nn.cc:6\n") << text;
  }
  EXPECT_NE(text.find("\"m:1.cc\":7"), std::string::npos) << text;
}

// Functions are called as they are, main is the entry, and names that MLIR would not read are numbers.
TEST(StablehloExportTest, NamesOfFunctionsAndValues) {
  const std::string text = export_text(*ir::parse(R"(func @"the entry"(%x: f32[3]) -> (f32[3]) {
  %"a b" = call(%x) {callee = @"f g", jvp = @rule} : f32[3]
  %c.1 = call(%"a b") {callee = @"f g", jvp = @rule} : f32[3]
  return %c.1
}
func @"f g"(%x: f32[3]) -> (f32[3]) {
  %y = exp2(%x) : f32[3]
  return %y
}
func @rule(%x: f32[3], %t: f32[3]) -> (f32[3], f32[3]) {
  return %x, %t
})"),
                                       false);
  EXPECT_EQ(text.substr(0, text.find("\"exp2_f32_3\"(")), R"(module @"ingot" {
func.func public @"main"(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %0 = "func.call"(%x) <{callee = @"f g"}> : (tensor<3xf32>) -> (tensor<3xf32>)
  %c.1 = "func.call"(%0) <{callee = @"f g"}> : (tensor<3xf32>) -> (tensor<3xf32>)
  "func.return"(%c.1) : (tensor<3xf32>) -> ()
}
func.func private @"f g"(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %y = "stablehlo.composite"(%x) <{composite_attributes = {}, decomposition = @exp2_f32_3, name = "ingot.exp2", version = 1 : i32}> : (tensor<3xf32>) -> (tensor<3xf32>)
  "func.return"(%y) : (tensor<3xf32>) -> ()
}
func.func private @)");
}

}  // namespace
}  // namespace ingot::stablehlo
