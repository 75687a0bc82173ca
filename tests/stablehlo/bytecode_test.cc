// The reader of portable artifacts: the same modules as their texts, and bytes that mean harm. The artifacts
// were made of texts/ by JAX's serialiser (jaxlib 0.10.2), for versions of StableHLO from 0.9.0 to 1.17.0.
#include "stablehlo/bytecode/bytecode.h"

#include <gtest/gtest.h>

#include "ingot/error.h"
#include "ingot/ingot.h"
#include "ingot/stablehlo.h"
#include "ir/text.h"
#include "stablehlo/bytecode/reader.h"
#include "stablehlo/import.h"
#include "stablehlo/read.h"
#include "testing/compare_modules.h"
#include "testing/golden.h"
#include "testing/mutate.h"

namespace ingot::stablehlo {
namespace {

std::string artifact(const std::string& name) {
  return testing::read_file(INGOT_TEST_DIR "/artifacts/" + name + ".mlirbc");
}

std::string bytecode_error(const std::string& bytes) {
  try {
    read_bytecode(bytes, "m.mlirbc");
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

// A text may say what is so anyway; an artifact's reader leaves that out.
void drop_defaults(Region& region) {
  for (Operation& operation : region.operations) {
    to_stablehlo(operation.name.substr(operation.name.find('.') + 1), operation.attributes);
    for (Region& inner : operation.regions) drop_defaults(inner);
  }
}

std::string number(uint64_t value) {  // as bytecode has it, up to 14 bits
  if (value < 128) return std::string(1, static_cast<char>(value << 1 | 1));
  return {static_cast<char>((value << 2 | 2) & 255), static_cast<char>(value >> 6)};
}

std::string with_size(const std::string& bytes) {
  return number(bytes.size()) + bytes;
}

// An artifact with one function f: () -> (), whose attributes and types are those given and some more.
struct Crafted {
  std::vector<std::string> builtin_attributes, types;  // behind the ones that are there: 3 and 1
  std::string operations = number(1 << 1) + number(2) + '\0' + number(0);  // how many, and themselves
  std::string dialect = "vhlo";

  std::string bytes() const {
    const std::vector<std::string> names = {"builtin",     dialect, "module",   "func_v1",
                                            "return_v1",   "f",     "sym_name", "function_type",
                                            "constant_v1", "value"};
    std::string strings = number(names.size()), letters;
    for (size_t i = names.size(); i-- > 0;) strings += number(names[i].size() + 1);
    for (const std::string& name : names) letters += name + '\0';
    strings += letters;
    std::string dialects = number(2) + number(0) + number(2);  // names 0 and 1 without versions
    dialects += number(4);
    dialects += number(0) + number(1) + number(2 << 1);
    dialects += number(1) + number(3) + number(3 << 1) + number(4 << 1) + number(8 << 1);
    // 0 unknown location, 1 "sym_name", 2 "f", 3 "function_type", 4 its type, 5 the dictionary of the
    // function
    std::vector<std::string> attributes = {
        number(15),
        number(2) + number(6),
        number(2) + number(5),
        number(2) + number(7),
        number(6) + number(0),
        number(1) + number(2) + number(1) + number(2) + number(3) + number(4)};
    attributes.insert(attributes.end(), builtin_attributes.begin(), builtin_attributes.end());
    std::vector<std::string> all_types = {number(2) + number(0) + number(0)};
    all_types.insert(all_types.end(), types.begin(), types.end());
    std::string entries, offsets = number(attributes.size()) + number(all_types.size());
    for (const auto* list : {&attributes, &all_types}) {
      offsets += number(0) + number(list->size());
      for (const std::string& entry : *list) {
        offsets += number(entry.size() << 1 | 1);
        entries += entry;
      }
    }
    const std::string body = number(1) + number(0) + operations;
    const std::string function = number(1) + '\x11' + number(0) + number(5) + number(1 << 1) + body;
    const std::string module =
        number(0) + '\x10' + number(0) + number(1 << 1) + number(1) + number(0) + number(1 << 1) + function;
    std::string file = std::string("ML\xefR") + number(6) + "test" + '\0';
    const auto section = [&](int id, const std::string& bytes) {
      file += static_cast<char>(id) + with_size(bytes);
    };
    section(0, strings);
    section(1, dialects);
    section(2, entries);
    section(3, offsets);
    section(4, number(1 << 1) + module);
    return file;
  }
};

TEST(BytecodeTest, ArtifactsAreTheirTexts) {
  const auto files = testing::files_in(INGOT_TEST_DIR "/artifacts");
  EXPECT_GE(files.size(), 10u);
  for (const std::filesystem::path& file : files) {
    const std::string text = INGOT_TEST_DIR "/texts/" + file.stem().string() + ".mlir";
    const auto from_bytes = read_module(testing::read_file(file), file.string());
    const auto from_text = read_module(testing::read_file(text), text);
    for (Function& function : from_text->functions) drop_defaults(function.body);
    EXPECT_EQ(canonical_text(*from_bytes, false), canonical_text(*from_text, false)) << file;
  }
}

TEST(BytecodeTest, LocationsComeAlong) {
  const auto module = read_bytecode(artifact("cond_branches"), "m");
  EXPECT_NE(to_string(*module, true).find("loc("), std::string::npos);
}

TEST(BytecodeTest, LoadsFromMemory) {
  const auto products = load_stablehlo(artifact("products"), "products");
  const auto text = load(INGOT_TEST_DIR "/texts/products.mlir");
  EXPECT_EQ(products.type(), text.type());
  const auto file = load(INGOT_TEST_DIR "/artifacts/products.mlirbc");
  EXPECT_EQ(file.type(), text.type());
}

TEST(BytecodeTest, ACraftedModuleIsRight) {
  EXPECT_EQ(bytecode_error(Crafted().bytes()), "nothing");
  const auto module = read_bytecode(Crafted().bytes(), "m");
  EXPECT_EQ(module->functions.front().name, "f");
}

TEST(BytecodeTest, EveryTruncationIsAnError) {
  const std::string whole = artifact("cond_branches");
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_TRUE(bytecode_error(whole.substr(0, size)).starts_with("m.mlirbc: at byte ")) << size;
  }
}

TEST(BytecodeTest, ErrorsNameTheByte) {
  EXPECT_EQ(bytecode_error("MLIR"),
            "m.mlirbc: at byte 0: expected the four bytes with which MLIR bytecode begins");
  EXPECT_EQ(bytecode_error("ML\xefR" + number(7)),
            "m.mlirbc: at byte 4: this is version 7 of MLIR bytecode; versions 0 to 6 are read");
  EXPECT_EQ(bytecode_error(std::string("ML\xefR\x0dx\0\x00", 8)),
            "m.mlirbc: at byte 8: expected the size of a section, found the end of its section");
  // A size of 2^64 - 1: a first byte without a bit, and eight more.
  EXPECT_EQ(bytecode_error(std::string("ML\xefR\x0dx\0\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff", 17)),
            "m.mlirbc: at byte 17: expected 18446744073709551615 bytes of the section of strings, found 0");
}

// What mlir-opt --emit-bytecode and write_bytecode write: each version of StableHLO does so in its own way.
TEST(BytecodeTest, TheDialectItselfIsNoArtifact) {
  Crafted crafted;
  crafted.dialect = "stablehlo";
  const std::string error = bytecode_error(crafted.bytes());
  EXPECT_TRUE(error.starts_with("m.mlirbc: at byte 0: this is MLIR bytecode of the dialect stablehlo itself"))
      << error;
  EXPECT_NE(error.find("mlir_module_serialized"), std::string::npos) << error;
}

// Attributes and types refer to each other by number.
TEST(BytecodeTest, CyclesAndDepthAreErrors) {
  Crafted crafted;
  crafted.builtin_attributes = {number(0) + number(1) + number(7), number(0) + number(1) + number(6)};
  crafted.operations = number(1 << 1) + number(3) + '\x01' + number(0) + number(6);
  EXPECT_NE(bytecode_error(crafted.bytes()).find("the attribute is a part of itself"), std::string::npos);

  crafted.builtin_attributes.clear();
  crafted.types = {number(9) + number(1)};  // complex<complex<...
  crafted.operations = number(1 << 1) + number(3) + '\x02' + number(0) + number(1) + number(1);
  EXPECT_NE(bytecode_error(crafted.bytes()).find("the type is a part of itself"), std::string::npos);

  crafted.types.clear();
  for (uint64_t i = 0; i < 1000; ++i) crafted.types.push_back(number(15) + number(1) + number(i + 2));
  crafted.types.push_back(number(12));
  EXPECT_NE(bytecode_error(crafted.bytes()).find("the type is nested too deeply"), std::string::npos);
}

// Arrays of two of the one before: a hundred bytes that are 2^40 numbers when they are written out.
TEST(BytecodeTest, ExpansionIsBounded) {
  Crafted crafted;
  crafted.builtin_attributes = {number(7)};
  for (uint64_t i = 0; i < 40; ++i) {
    crafted.builtin_attributes.push_back(number(0) + number(2) + number(6 + i) + number(6 + i));
  }
  crafted.operations = number(1 << 1) + number(3) + '\x01' + number(0) + number(46);
  EXPECT_NE(bytecode_error(crafted.bytes()).find("too many parts"), std::string::npos);
}

TEST(BytecodeTest, CountsAndSizesAreCheckedBeforeTheyAreBelieved) {
  Crafted crafted;
  crafted.operations = number(8000 << 1);  // operations
  EXPECT_NE(bytecode_error(crafted.bytes()).find("is 8000, but 0 bytes are left"), std::string::npos);
  crafted.operations = number(1 << 1) + number(2) + '\x04' + number(0) + number(1) + number(99);
  EXPECT_NE(bytecode_error(crafted.bytes()).find("there is no value 99"), std::string::npos);
  crafted.operations = number(1 << 1) + number(2) + '\x08' + number(0) + number(1);
  EXPECT_NE(bytecode_error(crafted.bytes()).find("control flow between blocks"), std::string::npos);
  // tensor<4294967296x4294967296xf32> with four bytes, a splat of more than there is
  crafted.types = {number(5), number(13) + number(2) + std::string("\x20\0\0\0\x08", 5) +
                                  std::string("\x20\0\0\0\x08", 5) + number(1)};
  crafted.builtin_attributes = {number(18) + number(2) + number(4) + "abcd"};
  crafted.operations = number(1 << 1) + number(3) + '\x01' + number(0) + number(6);
  EXPECT_TRUE(bytecode_error(crafted.bytes()).starts_with("m.mlirbc: at byte "))
      << bytecode_error(crafted.bytes());
}

// The importer refuses what is too large by the operation; the reader keeps a splat as one element.
TEST(BytecodeTest, MutationsAreErrorsOrModules) {
  const std::vector<std::string> artifacts = testing::modules_in(INGOT_TEST_DIR "/artifacts");
  testing::Stages stages;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    testing::Random random(seed);
    const std::string bytes = testing::mutated_artifact(artifacts, random);
    EXPECT_EQ(testing::try_artifact(bytes, seed % 16 == 0, seed, stages), "") << "seed " << seed;
  }
  EXPECT_GT(stages.read, 100) << "mutations should leave some artifacts valid";
}

}  // namespace
}  // namespace ingot::stablehlo
