// Random programs, with loops, calls and whole patterns: forward, linear and reverse mode agree, compiled and
// not, to the second order.
#include <gtest/gtest.h>

#include <sstream>

#include "ir/text.h"
#include "ops/control.h"
#include "testing/random_program.h"
#include "transform/check_derivatives.h"

namespace ingot::transform {
namespace {

// Some operations have a derivative only for some of their attributes.
bool has_derivative(const ir::Module& module) {
  bool known = true;
  for (const auto& function : module.functions()) {
    walk(function->body(), [&](const ir::Op& op) {
      if (op.name() != "scatter" || !is_float(op.result()->dtype())) return;
      const std::string& combiner = op.attributes().get<std::string>("combiner");
      known = known && (combiner == "add" || combiner == "set");
    });
  }
  return known;
}

// Differences know nothing of stop_gradient.
void erase_stops(ir::Module& module) {
  for (const auto& function : module.functions()) {
    walk(function->body(), [&](ir::Op& op) {
      if (op.name() == "stop_gradient") op.result()->replace_all_uses_with(op.operand(0));
    });
  }
}

// Reverse mode wants bounds; random loops take at most seven steps.
int bound_loops(ir::Module& module) {
  int loops = 0;
  for (const auto& function : module.functions()) {
    walk(function->body(), [&](ir::Op& op) {
      if (!ops::is<ops::WhileOp>(op)) return;
      op.attributes().set("max_steps", int64_t{7});
      ++loops;
    });
  }
  return loops;
}

// Random programs, of which most have derivatives.
void check(uint64_t first, uint64_t last, const testing::RandomProgramOptions& program_options,
           const testing::DerivativeOptions& options) {
  uint64_t checked = 0;
  for (uint64_t seed = first; seed < last; ++seed) {
    const testing::RandomProgram program = testing::random_program(seed, program_options);
    if (!has_derivative(*program.module)) continue;
    if (options.bracketed) erase_stops(*program.module);
    bound_loops(*program.module);
    EXPECT_EQ(testing::check_derivatives(*program.module, seed, options), "") << "seed " << seed << "\n"
                                                                              << to_string(*program.module);
    if (::testing::Test::HasFailure()) return;
    ++checked;
  }
  EXPECT_GE(10 * checked, 8 * (last - first));
}

testing::RandomProgramOptions small() {
  testing::RandomProgramOptions options;
  options.operations = 12;
  options.max_elements = 300;
  options.max_length = 6;
  options.dtypes = {DType::kF64, DType::kF64, DType::kF64, DType::kS32, DType::kPred};
  return options;
}

// That one-sided differences have said something: of how many elements at all, and of how many as one slope.
void expect_most(const testing::Coverage& coverage, double compared, double sharp) {
  const auto all = static_cast<double>(coverage.elements);
  EXPECT_GT(all, 1000);
  EXPECT_GE(static_cast<double>(coverage.compared), compared * all);
  EXPECT_GE(static_cast<double>(coverage.sharp), sharp * all);
}

// Also with one-sided differences of the interpreter, which know no rule.
TEST(DerivativesOfRandomProgramsTest, ModesAgree) {
  testing::Coverage coverage;
  check(0, 150, small(),
        {.order = 1, .compiled = false, .smooth = false, .bracketed = true, .coverage = &coverage});
  expect_most(coverage, 0.99, 0.98);
}

TEST(DerivativesOfRandomProgramsTest, ModesAgreeTwice) {
  check(1000, 1050, small(), {.order = 2, .compiled = false, .smooth = false});
}

TEST(DerivativesOfRandomProgramsTest, CompiledOnesAgree) {
  check(2000, 2020, small(), {.order = 1, .smooth = false, .compiled_tolerance = 1e-5});
}

// The programs above are too short for loops of unknown length.
testing::RandomProgramOptions with_loops() {
  testing::RandomProgramOptions options = small();
  options.operations = 25;
  options.max_length = 8;
  options.idioms = false;
  return options;
}

TEST(DerivativesOfRandomProgramsTest, WithLoopsOfUnknownLengthAgree) {
  int loops = 0;
  for (uint64_t seed = 3000; seed < 3100; ++seed)
    loops += bound_loops(*testing::random_program(seed, with_loops()).module);
  EXPECT_GT(loops, 20);
  check(3000, 3100, with_loops(), {.order = 1, .compiled = false, .smooth = false, .bracketed = true});
  check(3100, 3130, with_loops(), {.order = 2, .compiled = false, .smooth = false});
}

TEST(DerivativesOfRandomProgramsTest, ManyWithLoopsOfUnknownLengthAgreeSlow) {
  check(8000, 8300, with_loops(), {.order = 2, .compiled = false, .smooth = false});
  check(9000, 9060, with_loops(), {.order = 1, .smooth = false, .compiled_tolerance = 1e-5});
}

TEST(DerivativesOfRandomProgramsTest, ManyAgreeSlow) {
  check(5000, 5250, small(), {.order = 2, .compiled = false, .smooth = false});
  check(6000, 6050, small(), {.order = 1, .smooth = false, .compiled_tolerance = 1e-5});
}

TEST(DerivativesOfRandomProgramsTest, InF32TheyAreThoseOfF64) {
  testing::RandomProgramOptions options = small();
  options.dtypes = {DType::kF32, DType::kF32, DType::kF32, DType::kS32, DType::kPred};
  testing::Coverage coverage;
  for (uint64_t seed = 7000; seed < 7080; ++seed) {
    const testing::RandomProgram program = testing::random_program(seed, options);
    if (!has_derivative(*program.module)) continue;
    erase_stops(*program.module);
    bound_loops(*program.module);
    EXPECT_EQ(testing::check_derivatives_in_f32(*program.module, seed, &coverage), "")
        << "seed " << seed << "\n"
        << to_string(*program.module);
    if (::testing::Test::HasFailure()) return;
  }
  expect_most(coverage, 0.99, 0.98);
}

// At kinks and ties: arguments of few different numbers.
struct Kink {
  const char *name, *body;  // of %x and %y: f64[6,5]; the result is %r: f64[6,5]
};

const Kink kKinks[] = {
    {"abs", "  %r = abs(%x) : T\n"},
    {"max", "  %r = max(%x, %y) : T\n"},
    {"min", "  %r = min(%x, %y) : T\n"},
    {"max_with_zero", "  %z = sub(%x, %x) : T\n  %r = max(%x, %z) : T\n"},
    {"max_of_product", "  %z = mul(%x, %y) : T\n  %r = max(%x, %z) : T\n"},
    {"select",
     "  %z = sub(%x, %x) : T\n  %p = compare(%x, %z) {direction = \"gt\"} : pred[6,5]\n"
     "  %r = select(%p, %x, %z) : T\n"},
    {"sign_times", "  %s = sign(%x) : T\n  %r = mul(%s, %x) : T\n"},
    {"floor", "  %s = floor(%x) : T\n  %r = mul(%s, %y) : T\n"},
    {"round_even", "  %s = round_even(%x) : T\n  %r = add(%s, %y) : T\n"},
    {"clip",
     "  %c = constant() {value = dense f64[]{0.5}} : f64[]\n"
     "  %h = broadcast(%c) {dims = [], shape = [6,5]} : T\n  %m = min(%x, %h) : T\n"
     "  %l = neg(%h) : T\n  %r = max(%m, %l) : T\n"},
    {"rem",
     "  %c = constant() {value = dense f64[]{0.75}} : f64[]\n"
     "  %h = broadcast(%c) {dims = [], shape = [6,5]} : T\n  %r = rem(%x, %h) : T\n"},
    {"square_by_pow",
     "  %c = constant() {value = dense f64[]{2}} : f64[]\n"
     "  %h = broadcast(%c) {dims = [], shape = [6,5]} : T\n  %r = pow(%x, %h) : T\n"},
    {"itself_by_pow",
     "  %c = constant() {value = dense f64[]{1}} : f64[]\n"
     "  %h = broadcast(%c) {dims = [], shape = [6,5]} : T\n  %r = pow(%x, %h) : T\n"},
    {"reduce_max", "REDUCE max -inf"},
    {"reduce_min", "REDUCE min inf"},
    {"reduce_mul", "REDUCE mul 1"},
    {"running_max",
     "  %c = constant() {value = dense f64[]{-3}} : f64[]\n"
     "  %s = broadcast(%c) {dims = [], shape = [6]} : f64[6]\n"
     "  %l, %r = scan(%s, %x) {carries = 1, scanned = 1, length = 5, reverse = false, xs_axes = [1], "
     "ys_axes = [1]} (%a: f64[6], %b: f64[6]) {\n    %n = max(%a, %b) : f64[6]\n    return %n, %n\n  } : "
     "f64[6], T\n"},
};

std::string program_of(const Kink& kink) {
  std::istringstream words(kink.body);
  std::string first, op, neutral, body = kink.body;
  words >> first >> op >> neutral;
  if (first == "REDUCE") {
    body = "  %n = constant() {value = dense f64[]{" + neutral +
           "}} : f64[]\n  %m = reduce(%x, %n) {axes = [1]} "
           "(%a: f64[], %b: f64[]) {\n    %c = " +
           op +
           "(%a, %b) : f64[]\n    return %c\n  } : f64[6]\n"
           "  %r = broadcast(%m) {dims = [0], shape = [6,5]} : T\n";
  }
  std::string text = "func @f(%x: T, %y: T) -> (T) {\n" + body + "  return %r\n}\n";
  for (size_t at; (at = text.find('T')) != std::string::npos;) text.replace(at, 1, "f64[6,5]");
  return text;
}

TEST(DerivativesAtKinksTest, LieBetweenTheSlopes) {
  testing::Coverage coverage;
  for (const Kink& kink : kKinks) {
    const auto module = ir::parse(program_of(kink), kink.name);
    for (uint64_t seed = 0; seed < 10; ++seed) {
      testing::DerivativeOptions options{.order = 1, .compiled = false, .smooth = false, .bracketed = true};
      options.points = {-1, -0.5, 0, 0.5, 1};
      options.coverage = &coverage;
      EXPECT_EQ(testing::check_derivatives(*module, seed, options), "") << kink.name << " " << seed;
      options.points = {0, 1};
      EXPECT_EQ(testing::check_derivatives(*module, seed, options), "") << kink.name << " " << seed;
    }
  }
  expect_most(coverage, 0.9, 0.5);  // a floor jumps
}

}  // namespace
}  // namespace ingot::transform
