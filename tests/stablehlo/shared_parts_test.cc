// Texts of a few lines that mean endless programs: aliases that refer to others twice, over and over.
#include <gtest/gtest.h>

#include "stablehlo/bytecode/bytecode.h"
#include "stablehlo/bytecode/writer.h"
#include "stablehlo/imported.h"

namespace ingot::stablehlo {
namespace {

constexpr int kDoublings = 64;

// #a1 = <begin>#a0<between>#a0<end>, and so on to #a64, or the same of ! for #.
std::string doubled(char sigil, const std::string& first, const std::string& begin,
                    const std::string& between, const std::string& end) {
  const auto name = [&](int i) { return sigil + std::string("a") + std::to_string(i); };
  std::string text = name(0) + " = " + first + "\n";
  for (int i = 0; i < kDoublings; ++i)
    text += name(i + 1) + " = " + begin + name(i) + between + name(i) + end + "\n";
  return text;
}

std::string program(const std::string& location) {
  return "func.func public @main(%x: tensor<f32>) -> tensor<f32> {\n  %y = stablehlo.add %x, %x : "
         "tensor<f32> "
         "loc(" +
         location + ")\n  return %y : tensor<f32>\n}\n";
}

TEST(StablehloSharedPartsTest, LocationsAreVisitedOnce) {
  const std::string fused = doubled('#', "loc(\"a\")", "loc(fused[", ", ", "])");
  const std::string calls = doubled('#', "loc(\"a\")", "loc(callsite(", " at ", "))");
  for (const std::string& text : {fused, calls}) {
    EXPECT_EQ(error_of(text + program("#a64")), "nothing");
    // What it says is cut, and is read again.
    const std::string printed = to_string(*read_text(text + program("#a64")), true);
    EXPECT_LT(printed.size(), 100'000u);
    EXPECT_EQ(to_string(*read_text(printed)), to_string(*read_text(text + program("#a64"))));
  }
  // The same of artifacts, in which locations are numbers.
  for (const std::string& text : {fused, calls}) {
    const std::string bytes = write_bytecode(*read_text(text + program("#a64")));
    EXPECT_LT(bytes.size(), 10'000u);
    EXPECT_EQ(import_module(*read_bytecode(bytes)).module->functions().size(), 1u);
  }
  const std::string located = doubled('#', "loc(\"model.py\":7:3)", "loc(fused[", ", ", "])");
  const Imported with_file = imported(located + program("#a64"));
  EXPECT_EQ(with_file.module->entry()->body().ops().front()->provenance().file, "model.py");
}

TEST(StablehloSharedPartsTest, TypesAndAttributesHaveABoundedSize) {
  const std::string most = " stand for has too many parts";
  EXPECT_NE(error_of(doubled('!', "tensor<f32>", "tuple<", ", ", ">") + program("unknown")).find(most),
            std::string::npos);
  EXPECT_NE(error_of(doubled('#', "1 : i64", "[", ", ", "]") + program("unknown")).find(most),
            std::string::npos);
  std::string deep = "!a0 = tensor<f32>\n";
  for (int i = 0; i < 1200; ++i)
    deep += "!a" + std::to_string(i + 1) + " = tuple<!a" + std::to_string(i) + ">\n";
  EXPECT_NE(error_of(deep + program("unknown")).find("nested too deeply"), std::string::npos);
  // Many uses of one are fine.
  std::string many = "#s = [1, 2, 3]\n!t = tensor<f32>\nfunc.func public @main(%x: !t) -> !t {\n";
  for (int i = 0; i < 5000; ++i) many += "  %y" + std::to_string(i) + " = stablehlo.abs %x {a = #s} : !t\n";
  EXPECT_EQ(error_of(many + "  return %x : !t\n}\n"), "nothing");
}

}  // namespace
}  // namespace ingot::stablehlo
