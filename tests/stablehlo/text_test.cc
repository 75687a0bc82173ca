// The reader of StableHLO text: forms, errors with their places, and texts that mean harm.
#include "stablehlo/text.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ingot/error.h"
#include "testing/golden.h"

namespace ingot::stablehlo {
namespace {

// A module with one function of these operations.
std::string module_of(const std::string& operations) {
  return "module @m {\n  func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xi32>) -> "
         "tensor<2x3xf32> {\n" +
         operations + "\n    return %arg0 : tensor<2x3xf32>\n  }\n}\n";
}

const Operation& first(const Module& module) {
  return module.functions.front().body.operations.front();
}

// What reading the text says is wrong with it.
std::string error_of(const std::string& text) {
  try {
    read_text(text, "m.mlir");
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(StablehloTextTest, PrettyForms) {
  const auto module = read_text(module_of(R"(
    %0 = stablehlo.slice %arg0 [0:2, 0:3:2] : (tensor<2x3xf32>) -> tensor<2x2xf32>)"));
  const Operation& slice = first(*module);
  EXPECT_EQ(slice.name, "stablehlo.slice");
  EXPECT_EQ(ints(*find(slice.attributes, "strides")), (Ints{1, 2}));
  EXPECT_EQ(slice.line, 4);
  EXPECT_EQ(slice.column, 5);
}

// What is read is read again, from its generic form: JAX's own texts, and one with all other forms.
TEST(StablehloTextTest, EveryFormReadsAsItsGenericForm) {
  for (const auto& file : testing::files_in(INGOT_TEST_DIR "/texts")) {
    const auto module = read_text(testing::read_file(file), file.string());
    const std::string printed = to_string(*module, true);
    EXPECT_EQ(to_string(*read_text(printed), true), printed) << file;
  }
}

TEST(StablehloTextTest, AMarkOfTheEncodingIsNoText) {
  const std::string text =
      "module { func.func @main(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> } }";
  const std::string marked = "\xef\xbb\xbf" + text;
  EXPECT_TRUE(looks_like_text(marked));
  EXPECT_EQ(read_text(marked, "f")->file, "f");
}

TEST(StablehloTextTest, ErrorsHaveTheirPlace) {
  EXPECT_EQ(error_of(module_of("    %0 = stablehlo.add %arg0, %arg2 : tensor<2x3xf32>")),
            "m.mlir:3:31: there is no value %arg2 before this place");
  EXPECT_EQ(error_of(module_of("    %0 = stablehlo.add %arg0, %arg1 : tensor<2x3xf32>")),
            "m.mlir:3:31: stablehlo.add: %arg1 is a tensor<2x3xi32>, not a tensor<2x3xf32>");
  EXPECT_EQ(error_of(module_of("    %0 = stablehlo.frobnicate %arg0 : tensor<2x3xf32>")),
            "m.mlir:3:10: no short form of stablehlo.frobnicate is known; what is read of every operation is "
            "\"stablehlo.frobnicate\"(%operands) {attributes} : (types) -> types");
  EXPECT_EQ(error_of(module_of("    %0 = stablehlo.iota dim 0 : tensor<2x3xf32>")),
            "m.mlir:3:29: expected '=' of stablehlo.iota, found '0'");
  EXPECT_EQ(error_of(module_of("    %arg0 = stablehlo.iota dim = 0 : tensor<2x3xf32>")),
            "m.mlir:3:5: %arg0 is defined twice");
  EXPECT_EQ(error_of(module_of("    %0 = stablehlo.constant dense<[1, 2]> : tensor<3xi32>")),
            "m.mlir:3:35: expected 3 elements of dimension 0 of [3], found 2");
  EXPECT_EQ(error_of(module_of("    %0 = stablehlo.constant dense<300> : tensor<3xi8>")),
            "m.mlir:3:35: the number does not fit into s8: it is to be from -128 to 255");
  EXPECT_EQ(error_of(module_of("    %0 = stablehlo.constant dense<\"0x0102\"> : tensor<3xi32>")),
            "m.mlir:3:35: there are 2 bytes, but tensor<3xi32> has 3 elements of 4");
  EXPECT_EQ(error_of("module { func.func @f() { return } func.func @f() { return } }"),
            "m.mlir:1:36: there are two functions @f");
  EXPECT_EQ(error_of("module {"),
            "m.mlir:1:9: expected a function, or the '}' of the module, found the end of the text");
  EXPECT_EQ(error_of("func.func @f() { return } loc(#a)"), "m.mlir:1:31: there is no location #a");
}

TEST(StablehloTextTest, NumbersKeepTheirBits) {
  const auto module = read_text(
      module_of("    %0 = stablehlo.constant dense<[0x7FC00001, 1.0e400, -1.0e-400]> : tensor<3xf32>\n"
                "    %1 = stablehlo.constant dense<18446744073709551615> : tensor<ui64>\n"
                "    %2 = stablehlo.constant dense<\"0x05\"> : tensor<3xi1>"));
  const auto& operations = module->functions.front().body.operations;
  const auto value = [&](size_t i) { return find(operations[i].attributes, "value")->as<Elements>(); };
  EXPECT_TRUE(std::isnan(value(0)->values.get_double(0)));
  EXPECT_EQ(value(0)->values.get_double(1), INFINITY);
  EXPECT_TRUE(std::signbit(value(0)->values.get_double(2)));
  EXPECT_EQ(value(1)->values.get_int(0), -1);
  EXPECT_EQ(ints(*find(operations[2].attributes, "value")), (Ints{1, 0, 1}));
}

TEST(StablehloTextTest, SplatsOfTerabytesCostNothing) {
  const auto module =
      read_text(module_of("    %0 = stablehlo.constant dense<1.0> : tensor<1000000x1000000xf32>"));
  const auto* value = find(first(*module).attributes, "value")->as<Elements>();
  EXPECT_TRUE(value->splat);
  EXPECT_EQ(value->values.bytes(), 4u);
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(StablehloTextTest, HostileTextsAreErrors) {
  const int kMany = 200000;
  EXPECT_NE(error_of(module_of("    %0 = stablehlo.constant dense<[1]> : tensor<1000000000000xi32>")),
            "nothing");
  EXPECT_NE(error_of(module_of(
                "    %0 = stablehlo.constant dense<1> : tensor<99999999999999999999x99999999999999xi8>")),
            "nothing");
  EXPECT_NE(error_of(module_of("    %0 = stablehlo.constant dense<" + repeated("[", kMany))), "nothing");
  EXPECT_NE(error_of(module_of("    %0 = \"a\"() {b = " + repeated("[", kMany))), "nothing");
  EXPECT_NE(error_of(module_of("    %0 = \"a\"() {b = " + repeated("{c = ", kMany))), "nothing");
  EXPECT_NE(error_of(repeated("module {", kMany)), "nothing");
  EXPECT_NE(error_of(module_of(repeated("\"a\"() ({", kMany))), "nothing");
  EXPECT_NE(error_of("func.func @f(%a: " + repeated("tuple<", kMany)), "nothing");
  EXPECT_NE(error_of("func.func @f(%a: tensor<" + repeated("complex<", kMany)), "nothing");
  EXPECT_NE(error_of("func.func @f(%a: tensor<" + repeated("1x", kMany) + "f32>) { return }"), "nothing");
  EXPECT_NE(error_of("func.func @f(%a: " + repeated("() -> ", kMany)), "nothing");
  EXPECT_NE(error_of("#a = loc(" + repeated("callsite(", kMany)), "nothing");
  EXPECT_NE(error_of("#a = loc(\"x\"(#b))\n#b = loc(\"y\"(#a))"), "nothing");
  EXPECT_NE(error_of("#a = loc(#a)"), "nothing");
  EXPECT_NE(error_of(module_of("    %0:1000000000 = \"a\"() : () -> ()")), "nothing");
  EXPECT_NE(error_of("\"" + repeated("\\", kMany)), "nothing");
  std::string chain;
  for (int i = 0; i < 5000; ++i) {
    chain += "#a" + std::to_string(i) + " = loc(\"x\"(#a" + std::to_string(i + 1) + "))\n";
  }
  EXPECT_NE(error_of(chain + "#a5000 = loc(unknown)\n"), "nothing");
}

// Cut off anywhere, the text is an error or still whole.
TEST(StablehloTextTest, TruncatedTexts) {
  const std::string text = module_of(
      "    %0 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32> "
      "loc(\"a\"(\"b\":1:2))\n"
      "    %1 = \"stablehlo.gather\"(%0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0]>}> "
      ": "
      "(tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<f32>");
  read_text(text);
  size_t tried = 0;
  for (size_t n = 0; n + 3 < text.size(); ++n) {
    const std::string cut = text.substr(0, n);
    if (!looks_like_text(cut)) continue;
    ++tried;
    const std::string error = error_of(cut);
    EXPECT_TRUE(error.starts_with("m.mlir:")) << n << ": " << error;
  }
  EXPECT_EQ(tried, text.size() - 3 - std::string("module").size());  // all from where its first word is there
}

// Extents that no array has are told as they are written.
TEST(StablehloTextTest, ExtentsBeyondAllArrays) {
  for (const std::string extent : {"4611686018427387910", "9223372036854775807", "99999999999999999999999"})
    EXPECT_EQ(error_of("func.func @main(%a: tensor<2x" + extent + "xf32>) { return }"),
              "m.mlir:1:30: the extent " + extent +
                  " is more than the 281474976710656 (2^48) elements that an array may have");
  const auto module = read_text("func.func @main(%a: tensor<400000000000000000xf32>) { return }", "m.mlir");
  EXPECT_EQ(module->functions.at(0).values.at(0).type->shape, Shape{400000000000000000});
}

// As MLIR has them: locations of operations and arguments may be defined behind their uses, all other
// attributes, locations as attributes among them, come first.
TEST(StablehloTextTest, AliasesOfLocationsAndAttributes) {
  const auto reads = [](const std::string& text) { return read_text(text, "m.mlir"); };
  const std::string main = "func.func @main() attributes {foo = #a} { return loc(#a) }\n";
  const auto attribute = [&](const std::string& text) {
    return *find(reads(text)->functions.at(0).attributes, "foo");
  };
  EXPECT_EQ(attribute("#a = loc(\"x\":1:2)\n" + main).as<Opaque>()->text, "loc(\"x\":1:2)");
  EXPECT_EQ(attribute("#b = loc(\"x\":1:2)\n#a = #b\n" + main).as<Opaque>()->text, "loc(\"x\":1:2)");
  EXPECT_EQ(integer(attribute("#b = 3 : i32\n#a = #b\nfunc.func @main() attributes {foo = #a} { return }")),
            3);
  reads("func.func @main(%x: tensor<f32> loc(#a)) { return loc(#b) }\n#a = loc(\"x\":1:2)\n#b = #a");
  EXPECT_EQ(
      error_of(main + "#a = loc(\"x\":1:2)"),
      "m.mlir:1:37: there is no attribute alias #a up to here; only the location of an operation or argument "
      "may be defined behind its uses");
  EXPECT_NE(error_of("#a = 3 : i32\nfunc.func @main() { return loc(#a) }").find("there is no location #a"),
            std::string::npos);
  EXPECT_NE(error_of("#a = #b\n#b = 3 : i32").find("1:6: there is no attribute alias #b up to here"),
            std::string::npos);
  EXPECT_NE(error_of("#a = loc(\"x\")\n#a = loc(\"y\")").find("#a is defined twice"), std::string::npos);
}

TEST(StablehloTextTest, TellsItFromIngotsOwnText) {
  EXPECT_TRUE(looks_like_text("// a comment\n#loc = loc(unknown)\nmodule @m {}"));
  EXPECT_TRUE(looks_like_text("\"builtin.module\"() ({}) : () -> ()"));
  EXPECT_TRUE(looks_like_text("func.func @main() { return }"));
  EXPECT_FALSE(looks_like_text("# a comment\nfunc @main() -> () {\n  return\n}"));
  EXPECT_FALSE(looks_like_text(""));
}

// Quotes within a string, each of which looks like its end: two million take no longer than others.
TEST(StablehloTextTest, ManyQuotesInAString) {
  std::string quotes;
  for (int i = 0; i < 2'000'000; ++i) quotes += "\\\"";
  const auto module = read_text("module attributes {a.b = \"" + quotes + "\"} {}", "m.mlir");
  const auto* text = module->attributes.at(0).second.as<std::string>();
  ASSERT_NE(text, nullptr);
  EXPECT_EQ(text->size(), 2'000'000u);
}

// Bytes in hexadecimal are read sixteen digits at a time, and what is left over.
TEST(StablehloTextTest, HexadecimalBytes) {
  const auto constant = [](const std::string& digits) {
    return module_of("%0 = stablehlo.constant dense<\"0x" + digits + "\"> : tensor<" +
                     std::to_string(digits.size() / 2) + "xui8>");
  };
  const std::string all = "00112233445566778899aAbBCcDdeEFf0f1e2D3c4B5a69788796a5b4C3d2E1f0";
  for (size_t bytes = 2; bytes <= all.size() / 2; ++bytes) {
    const std::string digits = all.substr(0, 2 * bytes);
    const auto module = read_text(constant(digits));
    const auto* read = find(first(*module).attributes, "value")->as<Elements>();
    ASSERT_EQ(read->values.shape(), Shape{static_cast<int64_t>(bytes)});
    for (size_t i = 0; i < bytes; ++i)
      ASSERT_EQ(read->values.data<uint8_t>()[i], std::stoi(digits.substr(2 * i, 2), nullptr, 16)) << bytes;
    for (const char wrong : {'/', ':', '@', 'G', '`', 'g', ' ', '\xb1', '\xe1'}) {
      const size_t at = (bytes * 7) % digits.size();
      std::string broken = digits;
      broken[at] = wrong;
      ASSERT_NE(error_of(constant(broken)).find("not hexadecimal"), std::string::npos) << broken;
    }
  }
}

// A string ends in its line, however long it is.
TEST(StablehloTextTest, StringsOfManyBlocks) {
  for (const size_t length : {16'383u, 16'384u, 16'385u, 40'000u}) {
    const std::string text(length, 'x');
    const auto module = read_text("module attributes {a.b = \"" + text + "\"} {}", "m.mlir");
    EXPECT_EQ(*module->attributes.at(0).second.as<std::string>(), text);
    EXPECT_NE(error_of("module attributes {a.b = \"" + text + "\n\"} {}").find("has no closing"),
              std::string::npos);
  }
}

TEST(StablehloTextTest, ManyAttributesOfOneOperation) {
  std::string text = "module attributes {";
  for (int i = 0; i < 200'000; ++i) text += "a" + std::to_string(i) + " = 1 : i64, ";
  EXPECT_EQ(read_text(text + "b} {}", "m.mlir")->attributes.size(), 200'001u);
  EXPECT_NE(error_of(text + "a7} {}").find("the attribute a7 stands there twice"), std::string::npos);
}

}  // namespace
}  // namespace ingot::stablehlo
