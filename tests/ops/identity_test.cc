// Every algebraic rule: text in, text out, and the program computes the same bits before and after.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <random>
#include <string>

#include "interpreter/interpreter.h"
#include "ir/text.h"
#include "ops/rewriting.h"

namespace ingot::ops {
namespace {

Tensor random_tensor(const ir::TensorType& type, std::mt19937_64& random) {
  Tensor tensor(type.dtype, type.shape);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const int64_t n = static_cast<int64_t>(random() % 41) - 20;
    if (is_float(type.dtype))
      tensor.set_double(i, static_cast<double>(n) / 4);
    else
      tensor.set_int(i, type.dtype == DType::kPred ? n & 1 : n);
  }
  return tensor;
}

// The file holds cases, each a function, a line "---- " with the rules that apply to it in order, and what is
// left of it. INGOT_UPDATE_TESTS=1 writes the file anew; read the difference.
struct Case {
  std::string before, rules, after;
};

constexpr const char* kFile = INGOT_TEST_DIR "/identities.txt";
constexpr std::string_view kRulesLine = "---- ";

std::vector<Case> read_cases() {
  std::vector<Case> cases;
  std::ifstream file(kFile);
  bool before = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("func ") && !before) cases.emplace_back();
    if (line.starts_with("func ")) before = !before;
    if (line.starts_with("====")) continue;
    if (line.starts_with(kRulesLine))
      cases.back().rules = line.substr(kRulesLine.size());
    else
      (before ? cases.back().before : cases.back().after) += line + "\n";
  }
  return cases;
}

void write_cases(const std::vector<Case>& cases) {
  std::ofstream file(kFile);
  for (const Case& c : cases) file << c.before << kRulesLine << c.rules << "\n" << c.after << "====\n";
}

// What the rules make of the function.
Case rewritten(const Case& c) {
  const auto module = ir::parse(c.before, kFile);
  ir::Region& body = module->entry()->body();
  std::mt19937_64 random(1);
  std::vector<Tensor> arguments;
  for (Value* argument : body.arguments()) arguments.push_back(random_tensor(argument->type(), random));
  const std::vector<Tensor> want = interpret(*module, arguments);
  Case result{c.before, "", ""};
  std::vector<std::string> rules;
  while (rules.size() < 20 && rewrite_one(body, rules)) erase_dead(body);
  for (const std::string& rule : rules) result.rules += (result.rules.empty() ? "" : " ") + rule;
  if (rules.empty()) result.rules = "none";
  ir::PrintOptions options;
  options.locations = false;
  result.after = ir::to_string(*module, options);
  const std::vector<Tensor> got = interpret(*module, arguments);
  for (size_t i = 0; i < want.size(); ++i) EXPECT_EQ(got[i], want[i]) << result.after;
  return result;
}

TEST(IdentityTest, RulesRewriteAsWritten) {
  std::vector<Case> cases = read_cases();
  EXPECT_GT(cases.size(), 50u);
  for (Case& c : cases) {
    const Case got = rewritten(c);
    if (std::getenv("INGOT_UPDATE_TESTS") == nullptr) {
      EXPECT_EQ(got.rules, c.rules) << c.before;
      EXPECT_EQ(got.after, c.after);
    }
    c = got;
  }
  if (std::getenv("INGOT_UPDATE_TESTS") != nullptr) write_cases(cases);
}

}  // namespace
}  // namespace ingot::ops
