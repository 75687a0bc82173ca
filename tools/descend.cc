// Each operation is compiled as a program of its own, on the operands that the interpreter gives it, without
// any rewrite. The first one that is wrong is looked into: a call's callee on the call's operands; a scan,
// first made as short as it may be and still be wrong, at its last step; a while at its first steps and the
// last one, a cond in the branch that was taken; a kernel cut off behind each of its operations. If all
// operations are right alone, the program is cut off behind each of them.

#include "tools/descend.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <unordered_map>

#include "compiler/compiler.h"
#include "interpreter/interpreter.h"
#include "ir/builder.h"
#include "ir/text.h"
#include "ir/unused.h"
#include "ops/control.h"
#include "tools/compare.h"
#include "tools/execute.h"

namespace ingot::tools {
namespace {

using ir::Op;
using ir::Region;
using ir::Value;

constexpr int kBatch = 16;           // trials of one process
constexpr int64_t kFirstTimes = 16;  // evaluations of a region that are looked into, besides the last one

// What an operation was given and made.
struct Site {
  std::vector<Tensor> operands, results;
};
using Sites = std::unordered_map<const Op*, Site>;

// Remembers the n-th evaluation of each operation of a region.
class Recorder : public Interceptor {
 public:
  Recorder(const Region& region, int64_t n) : region_(region), n_(n) {}
  void made(const Op& op, std::span<const Tensor> operands, std::vector<Tensor>& results) override {
    if (op.parent() == &region_ && seen_[&op]++ == n_)
      sites[&op] = {std::vector<Tensor>(operands.begin(), operands.end()), results};
  }
  Sites sites;
  int64_t times(const Op& op) const {  // that the operation was evaluated
    const auto seen = seen_.find(&op);
    return seen == seen_.end() ? 0 : seen->second;
  }

 private:
  const Region& region_;
  int64_t n_;
  std::unordered_map<const Op*, int64_t> seen_;
};

// A program, and what it is run on.
struct Single {
  std::unique_ptr<ir::Module> module;
  std::vector<Tensor> arguments;
  Region& body() { return module->entry()->body(); }
};

bool is_constant(const Value* value) {
  return value->op() != nullptr && std::holds_alternative<ir::Literal>(*value->op()->record().becomes);
}

// The functions that the operation calls, and those that they call, with their names.
void copy_callees(const Op& op, const ir::Module& from, ir::Module& to) {
  const auto copy = [&](const Op& user) {
    if (!ops::has_callee(user)) return;
    const std::string& name = ops::callee_name(user);
    if (to.find(name) != nullptr) return;
    const ir::Function* callee = from.find(name);
    ir::clone_region(callee->body(), to.add_function(name)->body());
    for (const auto& inner : callee->body().ops()) copy_callees(*inner, from, to);
  };
  copy(op);
  for (int i = 0; i < op.region_count(); ++i) {
    for (const auto& inner : op.region(i).ops()) copy_callees(*inner, from, to);
  }
}

// Gaps between rows are for values that stay between kernels.
void without_pitches(Op& op) {
  ops::erase_stored_pitches(op.attributes());
}

// The operation's operands as values of the program: arguments, but for constants, which stay.
std::vector<Value*> add_operands(Single& program, const Op& op, const Site& site) {
  ir::ValueMap map;
  std::vector<Value*> values;
  for (int i = 0; i < op.operand_count(); ++i) {
    Value* operand = op.operand(i);
    if (map.find(operand) == map.end()) {
      if (is_constant(operand)) {
        ir::clone_op(*operand->op(), program.body(), map);
      } else {
        map[operand] = program.body().add_argument(operand->type(), operand->name());
        program.arguments.push_back(site.operands[static_cast<size_t>(i)]);
      }
    }
    values.push_back(map.at(operand));
  }
  return values;
}

Single start_program(const Op& op) {
  Single program;
  program.module = std::make_unique<ir::Module>();
  program.module->add_function("main");
  copy_callees(op, *op.function()->module(), *program.module);
  return program;
}

// The operation alone.
Single alone(const Op& op, const Site& site) {
  Single program = start_program(op);
  const std::vector<Value*> operands = add_operands(program, op, site);
  ir::ValueMap map;
  for (int i = 0; i < op.operand_count(); ++i) map[op.operand(i)] = operands[static_cast<size_t>(i)];
  Op* copy = ir::clone_op(op, program.body(), map);
  without_pitches(*copy);
  program.body().set_results(copy->results());
  return program;
}

// The kernel that ends behind the n-th operation of a fused one, as a program.
Single cut_kernel(const Op& fused, const Site& site, int n) {
  Single program = start_program(fused);
  std::vector<Value*> operands = add_operands(program, fused, site);
  std::unique_ptr<Region> region = program.module->entry()->make_region();
  ir::clone_region(fused.region(), *region);
  auto last = region->ops().begin();
  std::advance(last, n);
  std::vector<ir::TensorType> types;
  for (Value* result : (*last)->results()) types.push_back(result->type());
  region->set_results((*last)->results());
  ir::erase_unused(*region);
  for (int i = region->argument_count() - 1; i >= 0; --i) {
    if (region->argument(i)->used()) continue;
    region->erase_argument(i);
    operands.erase(operands.begin() + i);
  }
  std::vector<std::unique_ptr<Region>> regions;
  regions.push_back(std::move(region));
  Op* kernel = program.body().insert(fused.record(), operands, ops::FusedOp::attributes("cut"), types,
                                     fused.provenance(), nullptr, std::move(regions));
  program.body().set_results(kernel->results());
  return program;
}

Tensor slices(const Tensor& stack, int64_t axis, int64_t from, int64_t count) {
  Shape shape = stack.shape();
  const auto a = static_cast<size_t>(axis);
  const int64_t length = shape[a];
  shape[a] = count;
  Tensor result(stack.dtype(), shape);
  size_t inner = byte_size(stack.dtype());
  for (size_t d = a + 1; d < shape.size(); ++d) inner *= static_cast<size_t>(shape[d]);
  const size_t row = inner * static_cast<size_t>(count), stride = inner * static_cast<size_t>(length);
  for (size_t at = 0, k = 0; at < result.bytes(); at += row, ++k)
    std::memcpy(result.raw() + at, stack.raw() + k * stride + inner * static_cast<size_t>(from), row);
  return result;
}

// The first `steps` steps of a loop. With `value` >= 0 its one result is that operation of the body, stacked.
Single short_loop(const Op& op, const Site& site, int64_t steps, int value = -1) {
  Single program = start_program(op);
  const ops::ScanOp scan(op);
  const int64_t from = scan.reverse() ? scan.length() - steps : 0;
  ops::ScanForm form = scan.form();
  form.length = steps;
  std::vector<Value*> operands;
  for (int i = 0; i < op.operand_count(); ++i) {
    Tensor operand = site.operands[static_cast<size_t>(i)];
    if (scan.is_scanned(i)) operand = slices(operand, scan.scanned_axis(i), from, steps);
    operands.push_back(program.body().add_argument({operand.dtype(), operand.shape()}));
    program.arguments.push_back(operand);
  }
  std::vector<std::unique_ptr<Region>> regions;
  regions.push_back(program.module->entry()->make_region());
  Region& body = *regions.back();
  ir::clone_region(scan.body(), body);
  if (value >= 0) {
    auto it = body.ops().begin();
    std::advance(it, value);
    std::vector<Value*> results(body.results().begin(), body.results().begin() + scan.carry_count());
    results.push_back((*it)->result());
    body.set_results(results);
    form.ys_axes = {0};
  }
  ir::Builder builder(program.body());
  builder.set_provenance(op.provenance());
  ir::Attributes attributes = op.attributes();
  form.write(attributes);
  Op* made = builder.make("scan", operands, attributes, std::move(regions));
  if (value >= 0)
    program.body().set_results({ops::ScanOp(*made).stack(0).whole});
  else
    program.body().set_results(made->results());
  return program;
}

// The program up to the results of one operation.
Single cut_program(const ir::Module& module, std::span<const Tensor> arguments, int n) {
  Single program;
  program.module = ir::clone(module);
  program.arguments.assign(arguments.begin(), arguments.end());
  auto it = program.body().ops().begin();
  std::advance(it, n);
  without_pitches(**it);
  program.body().set_results((*it)->results());
  ir::erase_unused(program.body());
  program.module->entry()->donated.clear();
  return program;
}

// Equal but for the last bits, so that nothing needs to be judged.
bool nearly_equal(std::span<const Tensor> actual, std::span<const Tensor> expected) {
  for (size_t r = 0; r < actual.size(); ++r) {
    const DType dtype = actual[r].dtype();
    if (!is_inexact(dtype)) {
      if (!(actual[r] == expected[r])) return false;
      continue;
    }
    const double few = std::ldexp(4.0, 1 - significant_bits(real_dtype(dtype)));
    for (int64_t i = 0; i < actual[r].size(); ++i) {
      const std::complex<double> a = actual[r].get_complex(i), e = expected[r].get_complex(i);
      if (a == e || (std::isnan(a.real()) && std::isnan(e.real()))) continue;
      if (!(std::abs(a - e) <= few * std::abs(e))) return false;
    }
  }
  return true;
}

std::string where_from(const Op& op) {
  const std::string text = ir::to_string(op.provenance());
  return text.empty() ? "" : " at " + text;
}

class Descent {
 public:
  Descent(const DescentOptions& options, const Say& say) : options_(options), say_(say) {}

  void program(const ir::Module& module, std::span<const Tensor> arguments) {
    const ir::Function& entry = *module.entry();
    if (function(entry, arguments, "")) return;
    say_("each operation of @" + entry.name() + " is right by itself\n");
    const std::vector<const Op*> ops = operations(entry.body());
    const auto [n, what] = first_bad(static_cast<int>(ops.size()), [&](int i) {
      return try_single(cut_program(module, arguments, position(*ops[static_cast<size_t>(i)])), nullptr);
    });
    if (n >= 0)
      report(*ops[static_cast<size_t>(n)], ", though it is right by itself", what);
    else
      say_("every value is right when it is the program's only result\n");
  }

 private:
  struct FirstBad {
    int index = -1;
    std::string what;
  };

  // Some trials share a process. One in which it crashes or hangs is bad.
  FirstBad first_bad(int count, const std::function<Trial(int)>& attempt) {
    for (int start = 0; start < count;) {
      if (options_.deadline->over()) throw Error("time is up");
      const double seconds = std::min(options_.trial_seconds, options_.deadline->left());
      const Answer answer = ask_apart(
          [&](const Say& say) {
            for (int i = start; i < std::min(start + kBatch, count); ++i) {
              const Trial trial = attempt(i);
              say(trial.good ? "+" : "-" + trial.what);
              if (!trial.good) return;
            }
          },
          seconds);
      const size_t good = std::min(answer.said.find_first_not_of('+'), answer.said.size());
      start += static_cast<int>(good);
      if (good < answer.said.size()) return {start, answer.said.substr(good + 1)};
      if (answer.failure.empty()) continue;
      if (answer.timed_out && (good > 0 || options_.deadline->over())) continue;
      return {start, answer.failure};
    }
    return {};
  }

  Trial try_single(Single program, const std::vector<Tensor>* expected) const {
    std::vector<Tensor> own;
    if (expected == nullptr) {
      own = interpret(*program.module, program.arguments);
      expected = &own;
    }
    compiler::Options options;
    options.max_rewrites = 0;
    const compiler::Compiled compiled = compiler::compile(ir::clone(*program.module), options);
    Execution execution(compiled.executable, program.arguments);
    execution.run();
    const std::vector<Tensor> results = execution.results();
    Trial trial;
    if (options_.tolerance >= 0) {
      Judgement judgement;
      judgement.own = *expected;
      trial.what = Measure(std::move(judgement), options_.tolerance).wrong(results);
    } else if (!nearly_equal(results, *expected)) {
      trial.what = Measure(judge(*program.module, program.arguments), -1).wrong(results);
    }
    trial.good = trial.what.empty();
    return trial;
  }

  static std::vector<const Op*> operations(const Region& region) {
    std::vector<const Op*> ops;
    for (const auto& op : region.ops()) {
      const bool literal = std::holds_alternative<ir::Literal>(*op->record().becomes);
      if (!op->is_return() && op->used() && !literal) ops.push_back(op.get());
    }
    return ops;
  }

  static int position(const Op& op) {
    int n = 0;
    for (const auto& other : op.parent()->ops()) {
      if (other.get() == &op) return n;
      ++n;
    }
    return -1;
  }

  // Whether one of its operations is wrong by itself. `where` begins with a comma, or is empty.
  bool function(const ir::Function& function, std::span<const Tensor> arguments, const std::string& where) {
    Recorder recorder(function.body(), 0);
    interpret(function, arguments, recorder);
    return region(function.body(), recorder.sites, ", in @" + function.name() + where);
  }

  bool region(const Region& region, const Sites& sites, const std::string& where) {
    const std::vector<const Op*> ops = operations(region);
    const auto [n, what] = first_bad(static_cast<int>(ops.size()), [&](int i) {
      const Op& op = *ops[static_cast<size_t>(i)];
      return try_single(alone(op, sites.at(&op)), &sites.at(&op).results);
    });
    if (n < 0) return false;
    const Op& op = *ops[static_cast<size_t>(n)];
    look_into(op, sites.at(&op), where, what);
    return true;
  }

  void look_into(const Op& op, const Site& site, const std::string& where, const std::string& what) {
    const std::string name = "%" + op.result()->name();
    if (const auto call = ops::as<ops::CallOp>(op)) {
      say_("the call " + name + " of @" + call->callee().name() + where + " is wrong: " + what + "\n");
      if (function(call->callee(), site.operands, ", called by " + name + where)) return;
      report(op, where + "; each operation of its callee is right by itself", what);
    } else if (ops::is<ops::FusedOp>(op)) {
      say_("the kernel of " + name + where + " is wrong: " + what + "\n");
      kernel(op, site, where, what);
    } else if (ops::is<ops::ScanOp>(op)) {
      loop(op, site, where, what);
    } else if (ops::is_any<ops::WhileOp, ops::CondOp>(op)) {
      choices(op, site, where, what);
    } else {
      report(op, where, what);
    }
  }

  // What runs of a while's predicate and steps, or of a cond's branches: each region as often as it was
  // evaluated, the first times and the last one.
  void choices(const Op& op, const Site& site, const std::string& where, const std::string& what) {
    const std::string name = "%" + op.result()->name();
    const bool is_loop = ops::is<ops::WhileOp>(op);
    say_((is_loop ? "the loop " : "the branch ") + name + where + " is wrong: " + what + "\n");
    const Single whole = alone(op, site);
    const Op& copy = *whole.module->entry()->body().results()[0]->op();
    for (int r = 0; r < copy.region_count(); ++r) {
      const std::vector<const Op*> ops = operations(copy.region(r));
      if (ops.empty()) continue;
      const std::string part = !is_loop ? "branch " + std::to_string(r) : r == 0 ? "the predicate" : "a step";
      for (int64_t n = 0, times = 1; n < times;
           n = n + 1 < kFirstTimes ? n + 1 : std::max(n + 1, times - 1)) {
        Recorder recorder(copy.region(r), n);
        interpret(*whole.module->entry(), whole.arguments, recorder);
        times = recorder.times(*ops[0]);
        if (times == 0) break;
        const std::string when = is_loop ? ", evaluated for the " + std::to_string(n + 1) + ". time" : "";
        if (region(copy.region(r), recorder.sites, ", in " + part + " of " + name + when + where)) return;
      }
    }
    report(op, where + "; each operation of its regions is right by itself", what);
  }

  void kernel(const Op& fused, const Site& site, const std::string& where, const std::string& what) {
    const std::string name = "%" + fused.result()->name();
    const std::vector<const Op*> ops = operations(fused.region());
    const auto [n, wrong] = first_bad(static_cast<int>(ops.size()), [&](int i) {
      return try_single(cut_kernel(fused, site, position(*ops[static_cast<size_t>(i)])), nullptr);
    });
    if (n < 0) return report(fused, where + "; it is right where it ends sooner", what);
    const Op& op = *ops[static_cast<size_t>(n)];
    const std::string inside = ", in the kernel of " + name + where;
    if (!ops::is<ops::ScanOp>(op)) return report(op, inside, wrong);
    Single whole = alone(fused, site);
    const Op* copy = whole.body().results()[0]->op();
    Recorder recorder(copy->region(), 0);
    interpret(*whole.module->entry(), whole.arguments, recorder);
    auto inner = copy->region().ops().begin();
    std::advance(inner, position(op));
    loop(**inner, recorder.sites.at(inner->get()), inside, wrong);
  }

  void loop(const Op& scan, const Site& site, const std::string& where, const std::string& what) {
    const std::string name = "%" + scan.result()->name();
    const int64_t length = ops::ScanOp(scan).length();
    say_("the loop " + name + where + " is wrong: " + what + "\n");
    // Right with `low` steps, wrong with `high`.
    int64_t low = 0, high = length;
    std::string wrong = what;
    while (high - low > 1) {
      const int64_t middle = low + (high - low) / 2;
      const FirstBad bad =
          first_bad(1, [&](int) { return try_single(short_loop(scan, site, middle), nullptr); });
      (bad.index < 0 ? low : high) = middle;
      if (bad.index >= 0) wrong = bad.what;
    }
    const std::string step =
        ", in step " + std::to_string(high - 1) + " of " + std::to_string(length) + " of " + name + where;
    const Single whole = short_loop(scan, site, high);
    const Region& body = whole.module->entry()->body().ops().front()->region();
    Recorder recorder(body, high - 1);
    interpret(*whole.module->entry(), whole.arguments, recorder);
    if (region(body, recorder.sites, step)) return;
    // Each operation is right by itself: it is the kernel of the whole loop.
    const std::vector<const Op*> ops = operations(body);
    const auto [n, stacked] = first_bad(static_cast<int>(ops.size()), [&](int i) {
      return try_single(short_loop(scan, site, high, position(*ops[static_cast<size_t>(i)])), nullptr);
    });
    if (n < 0)
      return report(scan,
                    where + "; each value of its body is right, wrong after step " +
                        std::to_string(high - 1) + " of " + std::to_string(length),
                    wrong);
    report(*ops[static_cast<size_t>(n)], step + ", though it is right by itself", stacked);
  }

  void report(const Op& op, const std::string& where, const std::string& what) {
    say_("the first wrong value is %" + op.result()->name() + where + ": " + what + "\n  " +
         ir::to_string(op, {.locations = false, .max_literal_elements = 16}) + where_from(op) + "\n");
  }

  const DescentOptions& options_;
  const Say& say_;
};

}  // namespace

void find_wrong_operation(const ir::Module& module, std::span<const Tensor> arguments,
                          const DescentOptions& options, const Say& say) {
  Descent(options, say).program(module, arguments);
}

}  // namespace ingot::tools
