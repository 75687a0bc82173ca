// `ingot bisect` on programs without a fault: random ones, and such as amplify rounding.

#include <gtest/gtest.h>

#include <cstdio>

#include "ir/text.h"
#include "testing/random_program.h"
#include "tests/tools/invoke.h"

namespace ingot::tools {
namespace {

void expect_no_alarm(const std::string& program, const std::string& name, int seed) {
  const Outcome outcome = invoke({"bisect", "-", "--random", std::to_string(seed)}, program);
  EXPECT_EQ(outcome.code, 0) << name << "\n" << outcome.out << outcome.err << program;
  EXPECT_TRUE(outcome.out.starts_with("no difference: ")) << outcome.out;
  const std::string& err = outcome.err;
  const size_t last = err.rfind(" s  "), line = err.rfind('\n', last) + 1;
  const size_t undecided = outcome.out.find(" are undecided");
  std::printf(
      "%-40s %s s%s\n", name.c_str(), err.substr(line, last - line).c_str(),
      undecided == std::string::npos
          ? ""
          : (", " + outcome.out.substr(outcome.out.find('\n') + 1, undecided - outcome.out.find('\n') - 1) +
             " undecided")
                .c_str());
}

// Elementwise programs of one or two arrays of 4096 numbers in [-2, 2), scaled by `scale`.
std::string elementwise(const std::string& dtype, const std::string& scale, const std::string& body) {
  const std::string type = dtype + "[4,1024]", rows = dtype + "[4]";
  std::string text =
      "func @main(%x: " + type + ", %y: " + type + ") -> (TYPE) {\n" + "  %k = constant() {value = dense " +
      dtype + "[]{" + scale + "}} : " + dtype + "[]\n" +
      "  %ks = broadcast(%k) {dims = [], shape = [4,1024]} : TYPE\n  %s = mul(%x, %ks) : TYPE\n" +
      "  %t = mul(%y, %ks) : TYPE\n" + "  %i = constant() {value = dense " + dtype + "[]{1}} : " + dtype +
      "[]\n" + "  %one = broadcast(%i) {dims = [], shape = [4,1024]} : TYPE\n" +
      "  %zero = constant() {value = dense " + dtype + "[]{0}} : " + dtype + "[]\n" +
      "  %low = constant() {value = dense " + dtype + "[]{-inf}} : " + dtype + "[]\n" + body +
      "  return %r\n}\n";
  for (const auto& [from, to] :
       {std::pair<std::string, std::string>{"TYPE", type}, {"ROWS", rows}, {"ONE", dtype + "[]"}}) {
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  }
  return text;
}

const std::string kRowSum =
    "{axes = [1]} (%a: ONE, %b: ONE) {\n    %c = add(%a, %b) : ONE\n    return %c\n  } : ROWS\n";
const std::string kRowMax =
    "{axes = [1]} (%d: ONE, %e: ONE) {\n    %f = max(%d, %e) : ONE\n    return %f\n  } : ROWS\n";
const std::string kSpread = "{dims = [0], shape = [4,1024]} : TYPE\n";

struct Hard {
  const char* name;
  std::string body;
};

std::vector<Hard> hard_programs() {
  return {
      {"sigmoid", "  %r = logistic(%s) : TYPE\n"},
      {"log of 1 - sigmoid",
       "  %g = logistic(%s) : TYPE\n  %h = sub(%one, %g) : TYPE\n  %r = log(%h) : TYPE\n"},
      {"1 / (1 - tanh^2)",
       "  %g = tanh(%s) : TYPE\n  %h = mul(%g, %g) : TYPE\n  %j = sub(%one, %h) : TYPE\n  %r = div(%one, %j) "
       ": TYPE\n"},
      {"exp of differences", "  %g = sub(%s, %t) : TYPE\n  %r = exp(%g) : TYPE\n"},
      {"exp(s) / (1 + exp(s))",
       "  %g = exp(%s) : TYPE\n  %h = add(%one, %g) : TYPE\n  %r = div(%g, %h) : TYPE\n"},
      {"softmax", "  %m = reduce(%s, %low) " + kRowMax + "  %n = broadcast(%m) " + kSpread +
                      "  %g = sub(%s, %n) : TYPE\n  %h = exp(%g) : TYPE\n  %o = reduce(%h, %zero) " +
                      kRowSum + "  %p = broadcast(%o) " + kSpread + "  %r = div(%h, %p) : TYPE\n"},
      {"cancellation", "  %g = add(%x, %s) : TYPE\n  %r = sub(%g, %s) : TYPE\n"},
      {"quotient of differences",
       "  %g = add(%x, %s) : TYPE\n  %h = sub(%g, %s) : TYPE\n  %j = sub(%h, %x) : TYPE\n  %r = div(%one, "
       "%j) : TYPE\n"},
      {"variance of nearly equal numbers",
       "  %g = add(%x, %ks) : TYPE\n  %h = mul(%g, %g) : TYPE\n  %m = reduce(%g, %zero) " + kRowSum +
           "  %n = reduce(%h, %zero) " +
           "{axes = [1]} (%a2: ONE, %b2: ONE) {\n    %c2 = add(%a2, %b2) : ONE\n    return %c2\n  } : "
           "ROWS\n" +
           "  %k2 = constant() {value = dense ONE{1024}} : ONE\n  %c3 = broadcast(%k2) {dims = [], shape = "
           "[4]} : ROWS\n" +
           "  %m1 = div(%m, %c3) : ROWS\n  %n1 = div(%n, %c3) : ROWS\n  %m2 = mul(%m1, %m1) : ROWS\n" +
           "  %v = sub(%n1, %m2) : ROWS\n  %w = sqrt(%v) : ROWS\n  %r = broadcast(%w) " + kSpread},
      {"floor of a quotient",
       "  %g = div(%x, %y) : TYPE\n  %h = mul(%g, %s) : TYPE\n  %r = floor(%h) : TYPE\n"},
      {"select by a rounded comparison",
       "  %g = div(%s, %t) : TYPE\n  %h = mul(%g, %t) : TYPE\n  %p = compare(%h, %s) {direction = \"lt\"} : "
       "pred[4,1024]\n"
       "  %j = neg(%t) : TYPE\n  %r = select(%p, %t, %j) : TYPE\n"},
      {"overflow and back", "  %g = exp(%s) : TYPE\n  %h = mul(%g, %g) : TYPE\n  %r = div(%h, %g) : TYPE\n"},
      {"sine of large numbers", "  %g = mul(%s, %s) : TYPE\n  %r = sin(%g) : TYPE\n"},
  };
}

void try_hard(const std::vector<std::pair<std::string, std::string>>& cases) {
  for (const auto& [dtype, scale] : cases) {
    for (const Hard& hard : hard_programs())
      expect_no_alarm(elementwise(dtype, scale, hard.body),
                      std::string(hard.name) + ", " + dtype + " " + scale, 1);
  }
}

void try_random(uint64_t from, uint64_t to) {
  const std::vector<std::vector<DType>> dtypes = {
      {DType::kF32, DType::kF32, DType::kF64, DType::kS32, DType::kPred},
      {DType::kBF16, DType::kBF16, DType::kF32, DType::kS32, DType::kPred},
      {DType::kF16, DType::kF32, DType::kU8, DType::kPred},
      {DType::kC64, DType::kC128, DType::kF32, DType::kPred},
  };
  for (uint64_t seed = from; seed < to; ++seed) {
    testing::RandomProgramOptions options;
    options.dtypes = dtypes[seed % dtypes.size()];
    const testing::RandomProgram program = testing::random_program(seed, options);
    expect_no_alarm(ir::to_string(*program.module), "random program " + std::to_string(seed),
                    static_cast<int>(seed));
  }
}

TEST(NoAlarm, WhereRoundingIsAmplified) {
  try_hard({{"f32", "40"}});
}

TEST(NoAlarm, RandomPrograms) {
  try_random(1000, 1008);
}

TEST(NoAlarm, SlowWhereRoundingIsAmplified) {
  try_hard({{"f32", "1000"},
            {"f32", "1e8"},
            {"f64", "40"},
            {"f64", "1e12"},
            {"bf16", "40"},
            {"bf16", "1000"},
            {"f16", "10"},
            {"f16", "100"}});
}

TEST(NoAlarm, SlowRandomPrograms) {
  try_random(0, 200);
}

}  // namespace
}  // namespace ingot::tools
