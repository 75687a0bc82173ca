// A name stands for one value through all passes, and what goes is told: by what, and by which pass.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "compiler/pipeline.h"
#include "compiler/reported_programs.h"
#include "interpreter/interpreter.h"
#include "pass/runner.h"
#include "testing/tensors.h"

namespace ingot::testing {
namespace {

using Key = std::pair<std::string, std::string>;    // function, value
using Values = std::map<Key, std::vector<Tensor>>;  // one tensor per evaluation, in their order

bool in_functions_loops_and_kernels(const ir::Region& region) {
  const ir::Op* op = region.parent_op();
  if (op == nullptr) return true;
  return (op->name() == "scan" || op->name() == "fused") && in_functions_loops_and_kernels(*op->parent());
}

Values evaluate(const ir::Module& module, std::span<const Tensor> arguments) {
  Values values;
  interpret(module, arguments, [&](const ir::Value& value, const Tensor& tensor) {
    const ir::Region& region = value.op() != nullptr ? *value.op()->parent() : *value.region();
    if (in_functions_loops_and_kernels(region))
      values[{region.function()->name(), value.name()}].push_back(tensor);
  });
  return values;
}

std::vector<double> elements(const Tensor& tensor) {
  std::vector<double> list;
  for (int64_t i = 0; i < tensor.size(); ++i) list.push_back(tensor.get_double(i));
  return list;
}

bool near(double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b)) return a == b || (std::isnan(a) && std::isnan(b));
  return std::abs(a - b) <= 2e-3 * (1 + std::max(std::abs(a), std::abs(b)));
}

// A value may lie in another order from the pass `layout` on: the same elements then.
bool same(const Tensor& a, const Tensor& b) {
  std::vector<double> x = elements(a), y = elements(b);
  if (a.shape() != b.shape()) {
    std::sort(x.begin(), x.end());
    std::sort(y.begin(), y.end());
  }
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), near);
}

// A function that is called less often, since two calls are one now, still computes nothing else.
bool same(const std::vector<Tensor>& before, const std::vector<Tensor>& after) {
  if (before.size() == after.size())
    return std::equal(before.begin(), before.end(), after.begin(),
                      [](const Tensor& a, const Tensor& b) { return same(a, b); });
  const auto& [few, many] = std::minmax(before, after, [](auto& a, auto& b) { return a.size() < b.size(); });
  return std::all_of(few.begin(), few.end(), [&](const Tensor& one) {
    return std::any_of(many.begin(), many.end(), [&](const Tensor& other) { return same(one, other); });
  });
}

class Follower {
 public:
  explicit Follower(const ReportedProgram& program) : program_(program), module_(ir::parse(program.text)) {}

  void run() {
    Random random(7);
    arguments_ = random_arguments(random, *module_);
    std::vector<Key> names;
    for (const auto& [key, tensors] : evaluate(*module_, arguments_)) names.push_back(key);
    pass::PassContext context;
    pass::RunnerOptions options;
    options.dump = [&](int, std::string_view pass, const ir::Module& module) {
      stage(std::string(pass), module);
    };
    pass::run_passes(*module_, compiler::pipeline(), context, options);
    // Most names of the program as it came are there in the end, or their fate is told. Those of functions
    // that went into others stand behind the name of the call; only their arguments, and results of calls,
    // are gone without a word.
    size_t known = 0;
    for (const Key& key : names) known += is_known(key) ? 1 : 0;
    EXPECT_GT(names.size(), 2u) << program_.name;
    EXPECT_GE(known * 3, names.size() * 2) << program_.name << ": " << known << " of " << names.size();
    EXPECT_GT(compared_, 0) << program_.name;
  }

 private:
  bool is_known(const Key& key) const {
    const auto is_it = [&](const Key& other) {
      return other == key || other.second.ends_with("." + key.second);
    };
    return std::any_of(before_.begin(), before_.end(),
                       [&](const auto& entry) { return is_it(entry.first); }) ||
           std::any_of(told_.begin(), told_.end(), is_it);
  }

  void stage(const std::string& pass, const ir::Module& module) {
    std::string text = ir::to_string(module);
    if (text == text_ && module.fates().size() == fates_) return;  // the pass found nothing to do
    text_ = std::move(text);
    const Values now = evaluate(module, arguments_);
    const std::string where = program_.name + ", after " + pass + ": ";
    for (const auto& [key, tensors] : now) {
      const auto known = ever_.find(key);
      if (known != ever_.end()) {
        EXPECT_TRUE(same(known->second, tensors))
            << where << "%" << key.second << " in @" << key.first << " is another value than it was";
        ++compared_;
      }
      ever_[key] = tensors;
    }
    const std::vector<ir::Fate>& fates = module.fates();
    std::map<Key, const ir::Fate*> told;
    for (size_t i = fates_; i < fates.size(); ++i) {
      EXPECT_EQ(fates[i].pass, pass) << where;
      told[{fates[i].function, fates[i].name}] = &fates[i];
      told_.insert({fates[i].function, fates[i].name});
    }
    fates_ = fates.size();
    for (const auto& [key, tensors] : before_) {
      if (now.contains(key) || told.contains({key.first, ""})) continue;
      if (!told.contains(key) && module.find(key.first) == nullptr) continue;
      ASSERT_TRUE(told.contains(key))
          << where << "%" << key.second << " in @" << key.first << " is gone, and nobody says why";
      const std::string& by = told[key]->replaced_by;
      if (by.empty()) continue;
      const auto other = now.find({key.first, by});
      ASSERT_NE(other, now.end()) << where << "%" << by << " stands for %" << key.second
                                  << ", but is not there";
      EXPECT_TRUE(same(tensors, other->second))
          << where << "%" << by << " stands for %" << key.second << ", but is another value";
    }
    before_ = now;
  }

  const ReportedProgram& program_;
  std::unique_ptr<ir::Module> module_;
  std::vector<Tensor> arguments_;
  Values ever_, before_;
  std::string text_;
  size_t fates_ = 0;
  std::set<Key> told_;
  int compared_ = 0;
};

TEST(NamesTest, NearNumbersAreFiniteOrTheSame) {
  const double inf = INFINITY, nan = NAN;
  EXPECT_TRUE(near(1, 1.001) && near(inf, inf) && near(-inf, -inf) && near(nan, nan));
  EXPECT_FALSE(near(1, 1.01) || near(inf, -inf) || near(inf, 7) || near(-7, -inf) || near(nan, 1) ||
               near(inf, nan));
}

TEST(NamesTest, StandForTheSameValueThroughAllPasses) {
  for (const ReportedProgram& program : reported_programs()) Follower(program).run();
}

TEST(NamesTest, TheGateKeepsItsNameBehindThatOfItsCall) {
  const std::vector<ReportedProgram> programs = reported_programs();
  const auto module = ir::parse(programs[0].text);
  std::vector<std::string> gates;  // the logistic of each call of @gate
  walk(module->entry()->body(), [&](ir::Op& op) {
    if (op.name() == "call") gates.push_back(op.result()->name() + ".");
  });
  ASSERT_EQ(gates.size(), 2u);
  for (std::string& gate : gates) {
    walk(module->find("gate")->body(), [&](ir::Op& op) {
      if (op.name() == "logistic") gate += op.result()->name();
    });
  }
  pass::PassContext context;
  pass::run_passes(*module, compiler::pipeline(), context);
  const std::string text = ir::to_string(*module);
  for (const std::string& gate : gates)
    EXPECT_NE(text.find("%" + gate + " = logistic("), std::string::npos) << gate << " is not in\n" << text;
}

}  // namespace
}  // namespace ingot::testing
