// The text form: exact round trip of everything that it can say, and a precise message for everything that it
// cannot.
#include "ir/text.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "ir/builder.h"
#include "ir/deferred_text.h"
#include "ir/depth.h"
#include "ir/op_record.h"
#include "testing/on_stack.h"

namespace ingot::ir {
namespace {

void expect_round_trip(const std::string& text) {
  EXPECT_EQ(to_string(*parse(text)), text);
}

// The message of the error that the text gives.
std::string message_of(const std::string& text) {
  try {
    parse(text, "test.ir");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(TextTest, FunctionsArgumentsResults) {
  expect_round_trip("");
  expect_round_trip("func @main() -> () {\n  return\n}\n");
  expect_round_trip(
      "func @main(%x: f32[4] donated, %y: pred[]) -> (pred[], f32[4], pred[]) {\n"
      "  return %y, %x, %y\n"
      "}\n"
      "\n"
      "func @other(%x: u64[0,3]) -> (u64[0,3]) {\n"
      "  return %x\n"
      "}\n");
}

TEST(TextTest, OddNamesAreQuoted) {
  expect_round_trip(
      "func @\"a b\"(%\"x \\\"1\\\"\": f32[], %1.a$: f32[]) -> (f32[]) {\n  return %\"x \\\"1\\\"\"\n}\n");
}

TEST(TextTest, LocationsSurviveInEveryForm) {
  for (std::string location : {"", " loc(\"a.cc\":3)", " loc(\"a \\\"b\\\".cc\":3 by \"views\")",
                               " loc(by \"views\" from \"transpose, add\")", " loc(\"\":7 from \"x\")",
                               " loc(\"a.cc\":3 in \"encoder/attention\" and \"b.cc:4 in x\" by \"cse\")",
                               " loc(in \"a \\\"b\\\"\")"}) {
    expect_round_trip("func @f(%a: f32[2]) -> (f32[2]) {\n  %b = add(%a, %a) : f32[2]" + location +
                      "\n  return %b loc(\"a.cc\":4)\n}\n");
  }
}

TEST(TextTest, CommentsAndSpaceAreFree) {
  auto module = parse(
      "// first\n# second\nfunc@f(%a:f32[2]// an argument\n)->(f32[2]){%b=add(%a,%a):f32[2] # the "
      "sum\nreturn %b}");
  EXPECT_EQ(to_string(*module),
            "func @f(%a: f32[2]) -> (f32[2]) {\n  %b = add(%a, %a) : f32[2]\n  return %b\n}\n");
}

TEST(TextTest, RegionsAndSeveralResults) {
  expect_round_trip(
      "func @f(%x: f32[8,4], %y: f32[8,4], %zero: f32[]) -> (f32[8], f32[8]) {\n"
      "  %m, %n = reduce(%x, %y, %zero, %zero) {axes = [1]} (%a: f32[], %b: f32[], %c: f32[], %d: f32[]) {\n"
      "    %e = add(%a, %c) : f32[]\n"
      "    %f = mul(%b, %d) : f32[]\n"
      "    return %e, %f\n"
      "  } : f32[8], f32[8] loc(\"f.cc\":12 by \"views\" from \"transpose\")\n"
      "  return %m, %n\n"
      "}\n");
}

TEST(TextTest, CallsMayPrecedeTheirCallee) {
  expect_round_trip(
      "func @main(%x: f32[3]) -> (f32[3]) {\n  %y = call(%x) {callee = @g} : f32[3]\n  return %y\n}\n"
      "\n"
      "func @g(%x: f32[3]) -> (f32[3]) {\n  return %x\n}\n");
}

TEST(TextTest, FloatLiteralsKeepTheirBits) {
  std::vector<float> values = {0.0f,
                               -0.0f,
                               1.0f,
                               0.1f,
                               1e-45f,
                               1e30f,
                               -16777216.0f,
                               std::numeric_limits<float>::max(),
                               std::numeric_limits<float>::infinity(),
                               -std::numeric_limits<float>::infinity(),
                               std::numeric_limits<float>::quiet_NaN(),
                               std::bit_cast<float>(0x7fc00001u),
                               std::bit_cast<float>(0xffc00000u),
                               std::bit_cast<float>(0x7f800001u)};
  Module module;
  Function* f = module.add_function("f");
  Builder builder(f->body());
  Tensor tensor = Tensor::of<float>({static_cast<int64_t>(values.size())}, values);
  Value* constant = builder.constant(tensor);
  f->body().set_results({constant});
  std::string text = to_string(module);
  EXPECT_NE(
      text.find("{0, -0, 1, 0.1, 1e-45, 1e+30, -16777216, 3.4028235e+38, inf, -inf, nan, nan(0x7fc00001), "
                "nan(0xffc00000), nan(0x7f800001)}"),
      std::string::npos)
      << text;
  auto back = parse(text);
  EXPECT_EQ(to_string(*back), text);
  EXPECT_TRUE(back->functions()[0]->body().ops().front()->attributes().get<Tensor>("value") == tensor);
}

// Behind the middle of two numbers of 16 bits by less than a float can tell.
TEST(TextTest, LiteralsAreRoundedOnce) {
  const auto read = [](const std::string& type, const std::string& number) {
    return to_string(*parse("func @f() -> (" + type + "[]) {\n  %c = constant() {value = dense " + type +
                            "[]{" + number + "}} : " + type + "[]\n  return %c\n}\n"));
  };
  EXPECT_EQ(read("bf16", "1.00390625000001"), read("bf16", "1.0078125"));
  EXPECT_EQ(read("bf16", "1.00390625"), read("bf16", "1"));
  EXPECT_EQ(read("f16", "1.00048828125001"), read("f16", "1.0009765625"));
  EXPECT_EQ(read("f16", "65519.9999999"), read("f16", "65504"));
}

TEST(TextTest, LiteralsOfEveryTypeKeepTheirBits) {
  for (std::string literal :
       {"dense pred[2]{true, false}", "dense s8[2]{-128, 127}", "dense u8[1]{255}", "dense s16[1]{-32768}",
        "dense u64[2]{18446744073709551615, 0}", "dense s64[1]{-9223372036854775808}",
        "dense f64[3]{0.1, 5e-324, nan(0xfff8000000000000)}", "dense f32[0,4]{}", "dense f32[]{2.5}",
        "dense s32[2,2]{1, 2, 3, 4}"}) {
    std::string type = literal.substr(6, literal.find('{') - 6);
    expect_round_trip("func @f() -> (" + type + ") {\n  %c = constant() {value = " + literal + "} : " + type +
                      "\n  return %c\n}\n");
  }
}

TEST(TextTest, LongLiteralsPrintInFullUnlessAskedToShorten) {
  Module module;
  Function* f = module.add_function("f");
  f->body().set_results({Builder(f->body()).constant(Tensor(DType::kF32, {5000}))});
  std::string text = to_string(module);
  EXPECT_GT(text.size(), 15000u);
  expect_round_trip(text);
  std::string brief = to_string(module, {.max_literal_elements = 10});
  EXPECT_NE(brief.find("dense f32[5000]{...}"), std::string::npos);
  EXPECT_NE(message_of(brief).find("shortened when it was printed"), std::string::npos);
}

TEST(TextTest, LongLiteralsMayBeWrittenLater) {
  Module module;
  for (const char* name : {"f", "g"}) {
    Function* f = module.add_function(name);
    Tensor rising(DType::kF32, {500});
    for (int64_t i = 0; i < 500; ++i) rising.set_double(i, static_cast<double>(i) / 7);
    Builder b(f->body());
    f->body().set_results({b.constant(rising), b.constant(Tensor(DType::kS32, {3})), b.constant(rising)});
  }
  const DeferredText text(module);
  EXPECT_EQ(text.str(), to_string(module));
  EXPECT_LT(text.bytes(), text.str().size());
  EXPECT_EQ(DeferredText().str(), "");
}

std::string with_op(const std::string& line) {
  return "func @f(%x: f32[2], %y: f32[3]) -> (f32[2]) {\n  " + line + "\n  return %x\n}\n";
}

TEST(TextErrorTest, NamesThePlaceAndWhatWouldBeRight) {
  const std::pair<std::string, std::string> cases[] = {
      {with_op("%a = ad(%x, %x) : f32[2]"),
       "test.ir:2:8: there is no operation called 'ad'; did you mean 'add'?"},
      {with_op("%a = add(%z, %x) : f32[2]"), "test.ir:2:12: there is no value called %z before this point"},
      {with_op("%a = add(%x, %x)"), "test.ir:3:3: expected ':' and the type of %a, found 'return'"},
      {with_op("%a = add(%x %x) : f32[2]"), "test.ir:2:15: expected ')' after the operands, found '%x'"},
      {with_op("%x = add(%x, %x) : f32[2]"), "test.ir:2:3: %x is already the name of a value at line 1"},
      {with_op("%a = add(%x, %x) : f23[2]"),
       "test.ir:2:22: there is no element type called 'f23'; did you mean "},
      {with_op("%a = add(%x, %x) : f32"),
       "test.ir:3:3: expected '[' and the extents (a scalar is written f32[])"},
      {with_op("%a = add(%x, %x) : f32[-1]"), "test.ir:2:26: the shape [-1] has a negative extent"},
      {with_op("%a = add(%x, %x) : f32[3]"),
       "test.ir:2:8: add of (f32[2], f32[2]) gives (f32[2]), but (f32[3]) is written"},
      {with_op("%a, %b = add(%x, %x) : f32[2]"),
       "test.ir:2:26: 2 results are named, but 1 types are written"},
      {with_op("%a = call(%x) {callee = @g} : f32[2]"), "test.ir:2:8: call: there is no function @g"},
      {with_op("%a = constant() {value = dense f32[2]{1}} : f32[2]"),
       "test.ir:2:40: f32[2] has 2 elements, but 1 are written"},
      {with_op("%a = constant() {value = dense s8[1]{300}} : s8[1]"),
       "test.ir:2:40: '300' is out of the range of s8"},
      {with_op("%a = constant() {value = dense s8[1]{1.5}} : s8[1]"),
       "test.ir:2:40: '1.5' is not a literal of type s8"},
      {with_op("%a = constant() {value = hello} : s8[1]"), "test.ir:2:28: 'hello' is no value: true, 3, 0.5"},
      {with_op("%a = constant() {value = \"hello} : s8[1]"), "test.ir:2:28: the string has no closing '\"'"},
      {with_op("%a = constant() {value = 1, value = 2} : s8[1]"),
       "test.ir:2:31: the attribute 'value' is given twice"},
      {with_op("%a = add(%x, %x) (%b: f32[]) { return %b } : f32[2]"),
       "test.ir:2:20: add has 0 regions, but 1 are"},
      {"func @f(%x: f32[2]) -> (f32[3]) {\n  return %x\n}",
       "test.ir:1:21: @f is declared to return (f32[3]), but returns (f32[2])"},
      {"func @f(%x: f32[2]) -> (f32[2]) {\n",
       "test.ir:2:1: expected an operation or 'return', found the end of the"},
      {"func @f() -> () { return }\nfunc @f() -> () { return }",
       "test.ir:2:6: there are two functions called @f"},
      {"fun @f()", "test.ir:1:1: expected 'func', found 'fun'"},
      {"func f()", "test.ir:1:6: expected the function's name, as in @main, found 'f'"},
  };
  for (const auto& [text, expected] : cases) {
    std::string message = message_of(text);
    EXPECT_EQ(message.substr(0, expected.size()), expected) << text;
  }
}

TEST(TextErrorTest, CapturedValuesAreExplained) {
  std::string message = message_of(
      "func @f(%x: f32[2], %z: f32[]) -> (f32[]) {\n"
      "  %s = reduce(%x, %z) {axes = [0]} (%a: f32[], %b: f32[]) {\n"
      "    %c = add(%a, %z) : f32[]\n"
      "    return %c\n  } : f32[]\n  return %s\n}\n");
  EXPECT_EQ(message.substr(0, 43), "test.ir:3:18: %z (line 1) cannot be used he") << message;
}

TEST(TextErrorTest, ExtentsThatNoArrayCanHave) {
  const auto of = [](const std::string& op, const std::string& type = "f32[2]") {
    return message_of("func @f(%x: " + type + ", %z: f32[]) -> (f32[2]) {\n  %y = " + op +
                      "\n  return %x\n}\n");
  };
  const std::string limit = "has more elements than an array may have, 281474976710656 (2^48)";
  const std::string zeros = "; extents other than 0 count, since strides are their products";
  EXPECT_EQ(of("", "f32[4294967296,4294967296]"), "test.ir:1:17: the shape [4294967296,4294967296] " + limit);
  EXPECT_EQ(of("", "f32[0,4294967296,4294967296]"),
            "test.ir:1:17: the shape [0,4294967296,4294967296] " + limit + zeros);
  EXPECT_EQ(of("broadcast(%z) {dims = [], shape = [4294967296, 4294967296]} : f32[0]"),
            "test.ir:2:8: broadcast: the shape [4294967296,4294967296] " + limit);
  EXPECT_EQ(of("iota() {axis = 0, dtype = f32, shape = [9223372036854775807, 4]} : f32[0]"),
            "test.ir:2:8: iota: the shape [9223372036854775807,4] " + limit);
  EXPECT_EQ(of("reshape(%x) {shape = [4294967296, 4294967296, 0]} : f32[0]", "f32[0]"),
            "test.ir:2:8: reshape: the shape [4294967296,4294967296,0] " + limit + zeros);
  std::string ones = "1";
  for (int i = 1; i < 50'000; ++i) ones += ",1";
  EXPECT_EQ(of("", "f32[" + ones + "]"),
            "test.ir:1:17: the shape has 50000 dimensions, and an array has at most 1000");
  // Sums and products on the way to an extent must not wrap either.
  EXPECT_EQ(of("pad(%x, %z) {high = [0], interior = [281474976710656], low = [0]} : f32[2]", "f32[3]"),
            "test.ir:2:8: pad: the shape [562949953421315] " + limit);
  EXPECT_EQ(
      of("pad(%x, %z) {high = [1], interior = [0], low = [9223372036854775807]} : f32[2]"),
      "test.ir:2:8: pad: 'low' is [9223372036854775807], but no entry may be beyond 281474976710656 (2^48)");
  EXPECT_EQ(of("concatenate(%x, %x, %x) {axis = 0} : f32[2]", "f32[281474976710656]"),
            "test.ir:2:8: concatenate: the shape [844424930131968] " + limit);
  EXPECT_EQ(
      of("slice(%x) {limits = [2], starts = [0], strides = [9223372036854775807]} : f32[1]"),
      "test.ir:2:8: slice: 'strides' is [9223372036854775807], but no entry may be beyond 281474976710656 "
      "(2^48)");
  EXPECT_EQ(
      of("scan(%x) {carries = 1, length = 9223372036854775807, reverse = false, scanned = 0, xs_axes = [], "
         "ys_axes = []} (%c: f32[2]) {\n return %c\n } : f32[2]"),
      "test.ir:2:8: scan: 'length' is 9223372036854775807, but may be at most 281474976710656 (2^48)");
  EXPECT_EQ(of("constant() {value = dense f32[4294967296,4294967296]{}} : f32[0]"),
            "test.ir:2:38: the shape [4294967296,4294967296] " + limit);
}

TEST(TextErrorTest, CyclesOfCallsAreNamed) {
  const auto calling = [](const std::string& name, const std::string& callee) {
    return "func @" + name + "(%x: f32[]) -> (f32[]) {\n  %y = call(%x) {callee = @" + callee +
           "} : f32[]\n  return %y\n}\n";
  };
  const std::string why = "; a function may not call itself, neither directly nor through others";
  EXPECT_EQ(message_of(calling("f", "f")), "test.ir:2:8: @f calls @f at line 2" + why);
  EXPECT_EQ(message_of(calling("f", "g") + calling("g", "f")),
            "test.ir:2:8: @f calls @g at line 2, which calls @f at line 6" + why);
  EXPECT_EQ(message_of(calling("main", "f") + calling("f", "g") + calling("g", "h") + calling("h", "f")),
            "test.ir:6:8: @f calls @g at line 6, which calls @h at line 10, which calls @f at line 14" + why);
  // From inside of a loop, too.
  EXPECT_EQ(message_of(
                "func @f(%x: f32[]) -> (f32[]) {\n  %y = scan(%x) {carries = 1, length = 2, reverse = false, "
                "scanned = 0, xs_axes = [], ys_axes = []} (%c: f32[]) {\n"
                "    %d = call(%c) {callee = @f} : f32[]\n    return %d\n  } : f32[]\n  return %y\n}\n"),
            "test.ir:3:10: @f calls @f at line 3" + why);
  // Functions that share a callee are no cycle; a long chain ends in an error, whichever end comes first.
  EXPECT_EQ(
      message_of(calling("f", "h") + calling("g", "h") + "func @h(%x: f32[]) -> (f32[]) {\n  return %x\n}\n"),
      "no error");
  std::string down, up;
  for (int i = 0; i < 10000; ++i) {
    const std::string one = calling("f" + std::to_string(i), "f" + std::to_string(i + 1));
    down += one;
    up = i < 1000 ? one + up : up;
  }
  const std::string last = "(%x: f32[]) -> (f32[]) {\n  return %x\n}\n";
  const std::string most =
      " deep here, of which " + std::to_string(kMostNested + 12) + " may be nested at most";
  EXPECT_NE(message_of(down + "func @f10000" + last).find(most), std::string::npos);
  EXPECT_NE(message_of("func @f1000" + last + up).find(most), std::string::npos);
}

// `depth` functions that call each other, the innermost with `loops` loops inside of each other.
std::string nested(int depth, int loops) {
  std::string text;
  for (int i = 0; i + 1 < depth; ++i) {
    text += "func @f" + std::to_string(i) + "(%x: f32[]) -> (f32[]) {\n  %y = call(%x) {callee = @f" +
            std::to_string(i + 1) + "} : f32[]\n  return %y\n}\n\n";
  }
  text += "func @f" + std::to_string(depth - 1) + "(%x0: f32[]) -> (f32[]) {\n";
  std::string tail;
  for (int i = 1; i <= loops; ++i) {
    const std::string indent(2 * static_cast<size_t>(i), ' '), at = std::to_string(i);
    text += indent + "%y" + at + " = scan(%x" + std::to_string(i - 1) +
            ") {carries = 1, length = 2, reverse = false, scanned = 0, xs_axes = [], ys_axes = []} (%x" + at +
            ": f32[]) {\n";
    tail = indent + "} : f32[]\n" + indent + "return %y" + at + "\n" + tail;
  }
  text += std::string(2 * static_cast<size_t>(loops) + 2, ' ') + "return %x" + std::to_string(loops) + "\n";
  return text + tail + "}\n";
}

TEST(TextTest, WhatIsNestedDeeplyComesBack) {
  testing::on_stack(32 << 10, [] {
    for (const auto& [depth, loops] : {std::pair{400, 0}, {1, 400}, {300, 100}, {kMostNested, 0}}) {
      const std::string text = nested(depth, loops);
      const auto module = parse(text);
      EXPECT_EQ(to_string(*module), text);
      EXPECT_EQ(ir::depth(*module), depth + loops);
    }
  });
  // Loops in functions count with those around the call.
  EXPECT_NE(message_of(nested(300, 300)).find("nested"), std::string::npos);
}

// On the stack of a small thread an error says so; nothing crashes.
TEST(TextTest, ASmallStackIsAnError) {
  const std::string deep = nested(400, 0), loops = nested(1, 400), flat = nested(3, 3);
  std::string messages[3];
  const std::string* const texts[] = {&deep, &loops, &flat};
  testing::on_stack(768, [&] {
    for (size_t i = 0; i < 3; ++i) messages[i] = message_of(*texts[i]);
  });
  for (size_t i = 0; i < 2; ++i)
    EXPECT_NE(messages[i].find("KiB left; give it more"), std::string::npos) << messages[i];
  EXPECT_EQ(messages[2], "no error");
}

TEST(TextTest, SeveralLinesOfOneOperation) {
  const std::string text =
      "func @f(%x: f32[2]) -> (f32[2]) {\n"
      "  %y = exp(%x) : f32[2] loc(\"a.cc\":3 and \"a.cc:7\" and \"b.cc:1\" by \"cse\")\n"
      "  return %y\n}\n";
  const auto module = parse(text);
  EXPECT_EQ(to_string(*module), text);
  const Provenance& provenance = module->entry()->body().ops().front()->provenance();
  EXPECT_EQ(provenance.also, (std::vector<std::string>{"a.cc:7", "b.cc:1"}));
  EXPECT_EQ(to_string(provenance), "a.cc:3 and a.cc:7 and b.cc:1 by cse");
}

TEST(TextErrorTest, NumbersThatADTypeCannotHold) {
  const auto message = [](const std::string& dtype, const std::string& number) {
    return message_of("func @f() -> (" + dtype + "[]) {\n  %c = constant() {value = dense " + dtype + "[]{" +
                      number + "}} : " + dtype + "[]\n  return %c\n}\n");
  };
  const std::pair<std::string, std::string> beyond[] = {{"s8", "128"},
                                                        {"s8", "-129"},
                                                        {"u8", "256"},
                                                        {"s64", "9223372036854775808"},
                                                        {"u64", "18446744073709551616"},
                                                        {"f16", "65520"},
                                                        {"f16", "-70000"},
                                                        {"bf16", "3.4e38"},
                                                        {"bf16", "1e39"},
                                                        {"f32", "1e39"},
                                                        {"f64", "1e309"},
                                                        {"c64", "0+1e39i"},
                                                        {"c128", "1e309+0i"}};
  for (const auto& [dtype, number] : beyond) {
    std::string part = number;  // of a complex number the one that does not fit
    if (dtype == "c64") part = "1e39";
    if (dtype == "c128") part = "1e309";
    const std::string told = message(dtype, number);
    EXPECT_TRUE(told.starts_with("test.ir:2:")) << told;
    EXPECT_TRUE(told.ends_with(": '" + part + "' is out of the range of " + dtype)) << told;
  }
  const std::pair<std::string, std::string> none[] = {{"u8", "-1"},  {"s32", "1.5"},  {"s32", "1e3"},
                                                      {"pred", "2"}, {"f32", "1+2i"}, {"f16", "0x1p3"}};
  for (const auto& [dtype, number] : none)
    EXPECT_NE(message(dtype, number).find("'" + number + "' is not a literal of type " + dtype),
              std::string::npos)
        << message(dtype, number);
  const std::pair<std::string, std::string> held[] = {{"s8", "-128"}, {"f16", "65519"}, {"bf16", "3.38e38"},
                                                      {"f32", "inf"}, {"f16", "-inf"},  {"f64", "1e308"}};
  for (const auto& [dtype, number] : held) EXPECT_EQ(message(dtype, number), "no error") << dtype << number;
}

TEST(TextErrorTest, DeepNestingAndEveryPrefixFailCleanly) {
  std::string deep = "func @f(%x: f32[]) -> (f32[]) {\n";
  for (int i = 0; i < 100000; ++i) deep += "%a" + std::to_string(i) + " = reduce() () {";
  testing::on_stack(32 << 10, [&] {
    EXPECT_NE(message_of(deep).find("nested deeper than 512"), std::string::npos) << message_of(deep);
  });

  std::string text =
      "func @f(%x: f32[2] donated, %z: f32[]) -> (f32[]) {\n"
      "  %s = reduce(%x, %z) {axes = [0]} (%a: f32[], %b: f32[]) {\n"
      "    %c = constant() {value = dense f32[]{nan(0x7fc00001)}} : f32[] loc(\"a\\n\":3 by \"x\" from "
      "\"y\")\n"
      "    return %c\n  } : f32[]\n  return %s\n}";
  EXPECT_EQ(message_of(text), "no error");
  for (size_t length = 1; length < text.size(); ++length)
    EXPECT_NE(message_of(text.substr(0, length)), "no error");
}

// How results lie in memory: an order of all dimensions, and rows that hold their elements.
TEST(TextTest, StoredFormsFitTheirResults) {
  const auto fused = [](const std::string& attributes) {
    return "func @f(%x: f32[2,3]) -> (f32[2,3]) {\n  %y = fused(%x) {kernel = \"k\"" + attributes +
           "} (%a: f32[2,3]) {\n    %e = exp(%a) : f32[2,3]\n    return %e\n  } : f32[2,3]\n  return %y\n}\n";
  };
  const auto call = [](const std::string& attributes) {
    return "func @f(%x: f32[2,3]) -> (f32[2,3]) {\n  %y = call(%x) {callee = @g" + attributes +
           "} : f32[2,3]\n  return %y\n}\n\nfunc @g(%x: f32[2,3]) -> (f32[2,3]) {\n  return %x\n}\n";
  };
  const auto scan = [](const std::string& attributes) {
    return "func @f(%x: f32[2,3]) -> (f32[2,3]) {\n  %y = scan(%x) {carries = 1, length = 2" + attributes +
           ", reverse = false, scanned = 0, xs_axes = [], ys_axes = []} (%a: f32[2,3]) {\n    return %a\n"
           "  } : f32[2,3]\n  return %y\n}\n";
  };
  for (const std::string good : {"", ", order0 = [1, 0]", ", order0 = [0, 1]"}) {
    for (const std::string& text : {fused(good), call(good), scan(good)})
      EXPECT_EQ(message_of(text), "no error") << text;
  }
  for (const std::string bad : {"[0, 0]", "[5, 1]", "[]", "[1]", "[0, 1, 2]", "[-1, 0]"}) {
    for (const std::string& text :
         {fused(", order0 = " + bad), call(", order0 = " + bad), scan(", order0 = " + bad)}) {
      const std::string message = message_of(text);
      EXPECT_TRUE(message.starts_with("test.ir:2:8: ")) << message;
      EXPECT_NE(message.find("but must name each of the 2 dimensions of result 0, a f32[2,3], once"),
                std::string::npos)
          << message;
    }
  }
  EXPECT_EQ(message_of(fused(", pitch0 = 3")), "no error");
  EXPECT_EQ(
      message_of(fused(", pitch0 = 2")),
      "test.ir:2:8: fused: 'pitch0' is 2, but the rows of result 0, a f32[2,3], have 3 elements; it says "
      "how many elements lie from one row to the next");
  for (const std::string huge : {"9223372036854775807", "281474976710656"}) {
    const std::string message = message_of(fused(", pitch0 = " + huge));
    EXPECT_TRUE(message.starts_with("test.ir:2:8: fused: 'pitch0' is " + huge + ", too much for result 0"))
        << message;
  }
  const std::string unknown = message_of(fused(", pitch = 3"));
  EXPECT_EQ(unknown, "test.ir:2:8: fused: has no attribute 'pitch'; did you mean 'pitch0'?");
  EXPECT_EQ(message_of(fused(", colour = 3")),
            "test.ir:2:8: fused: has no attribute 'colour'; it takes kernel, order0 and pitch0");
}

// The functions that a call names as rules: there, of types that fit, and no cycle.
TEST(TextTest, RulesOfCallsFit) {
  const std::string functions =
      "func @g(%x: f32[3], %n: s32[]) -> (f32[3]) {\n  return %x\n}\n"
      "func @jvp(%x: f32[3], %n: s32[], %t: f32[3]) -> (f32[3], f32[3]) {\n  return %x, %t\n}\n"
      "func @forward(%x: f32[3], %n: s32[]) -> (f32[3], s32[]) {\n  return %x, %n\n}\n"
      "func @backward(%n: s32[], %c: f32[3]) -> (f32[3]) {\n  return %c\n}\n"
      "func @h(%n: s32[], %x: f32[3]) -> (f32[3]) {\n  return %x\n}\n"
      "func @scalar(%x: f32[]) -> (f32[]) {\n  return %x\n}\n";
  const auto message = [&](const std::string& rules, const std::string& callee = "g(%x, %n)") {
    const size_t open = callee.find('(');
    return message_of("func @main(%x: f32[3], %n: s32[]) -> (f32[3]) {\n  %y = call" + callee.substr(open) +
                      " {callee = @" + callee.substr(0, open) + ", " + rules +
                      "} : f32[3]\n  return %y\n}\n" + functions);
  };
  EXPECT_EQ(message("jvp = @jvp"), "no error");
  EXPECT_EQ(message("vjp_forward = @forward, vjp_backward = @backward"), "no error");
  EXPECT_EQ(message("transpose = @h, residuals = 1", "h(%n, %x)"), "no error");
  const std::string at = "test.ir:2:8: call: ";
  for (const std::string rule : {"jvp", "vjp_forward", "vjp_backward", "transpose"})
    EXPECT_EQ(message(rule + " = @nobody"), at + "there is no function @nobody, the rule '" + rule + "'");
  EXPECT_EQ(
      message("jvp = @scalar"),
      at + "the rule 'jvp', @scalar, takes (f32[]), but must for this call take (f32[3], s32[], f32[3])");
  EXPECT_EQ(message("jvp = @backward").substr(0, at.size() + 30), at + "the rule 'jvp', @backward, tak");
  EXPECT_EQ(message("vjp_forward = @forward"),
            at + "there is the rule 'vjp_forward', but not 'vjp_backward'; reverse mode needs both");
  EXPECT_EQ(message("vjp_backward = @backward"),
            at + "there is the rule 'vjp_backward', but not 'vjp_forward'; reverse mode needs both");
  EXPECT_EQ(message("vjp_forward = @g, vjp_backward = @backward"),
            at + "the rule 'vjp_backward', @backward, takes (s32[], f32[3]), but must for this call take "
                 "(f32[3])");
  EXPECT_EQ(message("vjp_forward = @h, vjp_backward = @backward").substr(0, at.size() + 33),
            at + "the rule 'vjp_forward', @h, takes");
  EXPECT_NE(message("transpose = @h", "h(%n, %x)").find(at + "the rule 'transpose' needs the attribute"),
            std::string::npos);
  for (const std::string count : {"-1", "3", "9223372036854775807"})
    EXPECT_EQ(message("transpose = @h, residuals = " + count, "h(%n, %x)"),
              at + "'residuals' is " + count + ", but must be from 0 to 2, the number of operands");
  EXPECT_EQ(message("transpose = @scalar, residuals = 1", "h(%n, %x)").substr(0, at.size() + 37),
            at + "the rule 'transpose', @scalar, takes ");
  EXPECT_EQ(message_of("func @f(%x: f32[]) -> (f32[]) {\n  %y = call(%x) {callee = @g, jvp = @r} : f32[]\n"
                       "  return %y\n}\nfunc @g(%x: f32[]) -> (f32[]) {\n  return %x\n}\n"
                       "func @r(%x: f32[], %t: f32[]) -> (f32[], f32[]) {\n"
                       "  %y = call(%x) {callee = @f} : f32[]\n  return %y, %t\n}\n"),
            "test.ir:2:8: @f calls @r at line 2, which calls @f at line 9; a function may not call itself, "
            "neither directly nor through others");
}

// What a checkpoint keeps, and which rule a batch asks for, as far as a text can tell.
TEST(TextTest, PoliciesAndNumbersOfRulesAreThoseThatThereAre) {
  const auto message = [&](const std::string& attributes) {
    return message_of("func @main(%x: f32[3]) -> (f32[3]) {\n  %y = call(%x) {callee = @g, " + attributes +
                      "} : f32[3]\n  return %y\n}\nfunc @g(%x: f32[3]) -> (f32[3]) {\n  return %x\n}\n");
  };
  for (const char* policy :
       {"nothing_saveable", "dots_saveable | everything_saveable", "save_only_these_names(a, b)",
        "save_any_names_but_these() | dots_with_no_batch_dims_saveable",
        "save_anything_except_these_names(a)"})
    EXPECT_EQ(message("checkpoint = true, policy = \"" + std::string(policy) + "\""), "no error") << policy;
  for (const std::string policy : {"nonsense", "", "Dots_saveable", "dots_saveable(a)",
                                   "save_only_these_names", "save_only_these_names(a"})
    EXPECT_EQ(
        message("checkpoint = true, policy = \"dots_saveable | " + policy + "\""),
        "test.ir:2:8: call: '" + policy +
            "' is no policy of a checkpoint; they are nothing_saveable, everything_saveable, "
            "dots_saveable, dots_with_no_batch_dims_saveable, save_only_these_names(name, ..), "
            "save_any_names_but_these(name, ..), save_anything_except_these_names(name, ..), and several "
            "of them with ' | ' between");
  EXPECT_EQ(message("batch_rule = -1"),
            "test.ir:2:8: call: 'batch_rule' is -1, but rules have numbers from 0 on");
}

TEST(TextTest, OddCharactersAndLongWords) {
  const std::string program = "func @f(%x: f32[]) -> (f32[]) {\n  return %x\n}\n";
  EXPECT_EQ(message_of("\xef\xbb\xbf" + program), "no error");
  EXPECT_EQ(message_of("\xef\xbb\xbf"
                       "fun"),
            "test.ir:1:1: expected 'func', found 'fun'");
  EXPECT_EQ(message_of(program + "\xef\xbb\xbf"), "test.ir:4:1: expected 'func', found '\xef\xbb\xbf'");
  EXPECT_EQ(message_of("\xc3\xa9"), "test.ir:1:1: expected 'func', found '\xc3\xa9'");
  for (const std::string half : {"\xef", "\xef\xbb", "\xef\xbbx", "\xffx", "\x80"}) {
    const std::string message = message_of(half);
    EXPECT_TRUE(message.starts_with("test.ir:1:1: expected 'func', found the byte 0x")) << message;
  }
  EXPECT_EQ(message_of("\x01"), "test.ir:1:1: expected 'func', found the byte 0x01");
  const std::string name(1 << 20, 'a');
  EXPECT_LT(message_of("func @f(%x: f32[]) -> (f32[]) {\n  %y = exp(%x) {" + name +
                       " = 3} : f32[]\n"
                       "  return %y\n}\n")
                .size(),
            200u);
  EXPECT_LT(
      message_of("func @f(%x: f32[]) -> (f32[]) {\n  %y = " + name + "(%x) : f32[]\n  return %y\n}\n").size(),
      200u);
  EXPECT_LT(message_of("func @f(%x: " + name + "[]) -> (f32[]) {\n  return %x\n}\n").size(), 200u);
  EXPECT_LT(message_of("func @f() -> () {\n  return %" + name + "\n}\n").size(), 200u);
}

// A file may say of which version it is; this one reads its own and older ones.
TEST(TextTest, SaysAndReadsItsVersion) {
  const std::string program = "func @f() -> () {\n  return\n}\n";
  const auto module = parse(program);
  EXPECT_EQ(to_string(*module), program);
  const std::string kept = to_string(*module, {.version = true});
  EXPECT_EQ(kept, "version 1\n" + program);
  EXPECT_EQ(to_string(*parse("// kept\n" + kept)), program);
  EXPECT_EQ(message_of("version 2\n" + program),
            "test.ir:1:9: this text is of version 2, but this Ingot reads versions up to 1; a later Ingot "
            "wrote it");
  EXPECT_EQ(message_of("version 0\n" + program), "test.ir:1:9: there is no version 0 of this text");
  EXPECT_EQ(message_of("version\n" + program),
            "test.ir:2:1: expected the number of the text's version, as in 'version 1', found 'func'");
}

}  // namespace
}  // namespace ingot::ir
