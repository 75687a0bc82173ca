// Derivatives of branches and of loops of unknown length: in both modes and twice, of one element and of
// batches, and where a branch that is not taken, or a step that is not run, would be no number.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "interpreter/interpreter.h"
#include "ir/text.h"
#include "ir/verifier.h"
#include "ops/control.h"
#include "testing/batch_check.h"
#include "transform/check_derivatives.h"
#include "transform/extract.h"

namespace ingot::transform {
namespace {

using ir::Batched;
using Tensors = std::vector<Tensor>;

struct NamedProgram {
  std::string name, text;
};

std::vector<NamedProgram> branch_programs() {
  std::vector<NamedProgram> programs;
  for (const auto& entry : std::filesystem::directory_iterator(INGOT_TEST_DIR "/branches")) {
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    programs.push_back({entry.path().filename().string(), text.str()});
  }
  EXPECT_GT(programs.size(), 10u);
  return programs;
}

std::string in_f32(std::string text) {
  for (size_t at; (at = text.find("f64")) != std::string::npos;) text.replace(at, 3, "f32");
  return text;
}

std::unique_ptr<ir::Module> batched(const ir::Module& module, int64_t size, std::vector<int64_t> axes) {
  auto made = std::make_unique<ir::Module>();
  const std::vector<int64_t> wanted(module.entry()->body().results().size(), 0);
  transform::batch(*module.entry(), *made, {.size = size}, axes, wanted);
  ir::verify(*made);
  return made;
}

// Every argument, every second one, the others, the last one.
std::vector<std::vector<int64_t>> ways_to_batch(const ir::Module& module) {
  const auto count = static_cast<size_t>(module.entry()->body().argument_count());
  std::vector<std::vector<int64_t>> ways(4, std::vector<int64_t>(count, Batched::kShared));
  for (size_t i = 0; i < count; ++i) {
    ways[0][i] = 0;
    ways[1 + i % 2][i] = 0;
  }
  ways[3].back() = 0;
  return ways;
}

TEST(DerivativesOfBranchesTest, AgreeWithFiniteDifferences) {
  for (const auto& [name, text] : branch_programs()) {
    const auto module = ir::parse(text);
    ir::verify(*module);
    for (uint64_t seed = 3; seed < 6; ++seed)
      EXPECT_EQ(testing::check_derivatives(*module, seed, {.compiled = false}), "") << name;
  }
}

TEST(DerivativesOfBranchesTest, CompiledOnesAgreeSlow) {
  for (const auto& [name, text] : branch_programs()) {
    const auto module = ir::parse(text);
    EXPECT_EQ(testing::check_derivatives(*module, 7, {.order = 1}), "") << name;
    const auto batch = batched(*module, 3, ways_to_batch(*module)[0]);
    EXPECT_EQ(testing::check_derivatives(*batch, 5, {.order = 1}), "") << name;
  }
}

TEST(DerivativesOfBranchesTest, InF32TheyAreThoseOfF64) {
  for (const auto& [name, text] : branch_programs()) {
    const auto module = ir::parse(in_f32(text));
    for (uint64_t seed = 3; seed < 6; ++seed)
      EXPECT_EQ(testing::check_derivatives_in_f32(*module, seed), "") << name;
  }
}

TEST(DerivativesOfBranchesTest, OfABatchAreThoseOfItsElements) {
  for (const auto& [name, text] : branch_programs()) {
    const auto module = ir::parse(text);
    for (const std::vector<int64_t>& axes : ways_to_batch(*module)) {
      const testing::BatchCheck check{.batch = {.size = 3}, .argument_axes = axes};
      EXPECT_EQ(testing::check_batched(*module, check, 1), "") << name;
      EXPECT_EQ(testing::check_derivatives(*batched(*module, 3, axes), 5, {.order = 1, .compiled = false}),
                "")
          << name;
    }
    const testing::Gradient gradient = testing::gradient_of(*module);
    for (const std::vector<int64_t>& axes : ways_to_batch(*gradient.module)) {
      const testing::BatchCheck check{.batch = {.size = 3}, .argument_axes = axes};
      EXPECT_EQ(testing::check_batched(*gradient.module, check, 1), "") << name;
    }
  }
}

// --- where other branches and further steps are no numbers

constexpr const char* kRootOrZero = R"(
func @f(%x: f64[]) -> (f64[]) {
  %zero = constant() {value = dense f64[]{0}} : f64[]
  %holds = compare(%x, %zero) {direction = "gt"} : pred[]
  %i = convert(%holds) {dtype = s32} : s32[]
  %y = cond(%i, %x) (%a: f64[]) {
    %n = constant() {value = dense f64[]{0}} : f64[]
    return %n
  } (%b: f64[]) {
    %r = sqrt(%b) : f64[]
    return %r
  } : f64[]
  return %y
}
)";
constexpr const char* kRootOrLog = R"(
func @f(%x: f64[]) -> (f64[]) {
  %zero = constant() {value = dense f64[]{0}} : f64[]
  %holds = compare(%x, %zero) {direction = "gt"} : pred[]
  %i = convert(%holds) {dtype = s32} : s32[]
  %y = cond(%i, %x) (%a: f64[]) {
    %one = constant() {value = dense f64[]{1}} : f64[]
    %m = sub(%one, %a) : f64[]
    %n = log(%m) : f64[]
    return %n
  } (%b: f64[]) {
    %r = sqrt(%b) : f64[]
    return %r
  } : f64[]
  return %y
}
)";
// The product of sqrt(x), sqrt(x - 1), .. while these are numbers.
constexpr const char* kRoots = R"(
func @f(%x: f64[]) -> (f64[]) {
  %one = constant() {value = dense f64[]{1}} : f64[]
  %y, %last = while(%one, %x) {carries = 2, max_steps = 5} (%y0: f64[], %z0: f64[]) {
    %zero = constant() {value = dense f64[]{0}} : f64[]
    %p = compare(%z0, %zero) {direction = "gt"} : pred[]
    return %p
  } (%y1: f64[], %z1: f64[]) {
    %step = constant() {value = dense f64[]{1}} : f64[]
    %s = sqrt(%z1) : f64[]
    %m = mul(%y1, %s) : f64[]
    %z = sub(%z1, %step) : f64[]
    return %m, %z
  } : f64[], f64[]
  return %y
}
)";

// The value and its first two derivatives.
using Exact = std::array<double, 3>;
Exact root(double x) {
  return {std::sqrt(x), 0.5 / std::sqrt(x), -0.25 / (x * std::sqrt(x))};
}
Exact root_or_zero(double x) {
  return x > 0 ? root(x) : Exact{};
}
Exact root_or_log(double x) {
  return x > 0 ? root(x) : Exact{std::log(1 - x), -1 / (1 - x), -1 / ((1 - x) * (1 - x))};
}
Exact roots(double x) {
  double y = 1, sum = 0, squares = 0;
  for (double z = x; z > 0; z -= 1) {
    y *= std::sqrt(z);
    sum += 0.5 / z;
    squares += 0.5 / (z * z);
  }
  return {y, y * sum, y * (sum * sum - squares)};
}

// A program with its arguments, of which the first one is x; the first result is what counts.
struct Applied {
  std::unique_ptr<ir::Module> module;
  Tensors arguments;

  Tensor run() const { return interpret(*module, arguments)[0]; }
};

Tensor all(const Tensor& like, double value) {
  Tensor x(like.dtype(), like.shape());
  for (int64_t i = 0; i < x.size(); ++i) x.set_double(i, value);
  return x;
}

void apply_grad(Applied& f) {
  f.arguments.push_back(all(f.run(), 1));
  f.module = std::move(testing::gradient_of(*f.module).module);
}

void apply_jvp(Applied& f) {
  Derivatives derivatives(*f.module);
  Mask active(f.arguments.size(), false);
  active[0] = true;
  const Jvp& jvp = derivatives.jvp(f.module->entry(), active);
  ir::Region& body = jvp.function->body();
  const auto results = body.results();
  body.set_results({results[results.size() - 1]});
  f.module = extract(*jvp.function);
  f.arguments.push_back(all(f.arguments[0], 1));
}

void apply_vmap(Applied& f, const std::vector<double>& points) {
  const auto size = static_cast<int64_t>(points.size());
  f.module = batched(*f.module, size, std::vector<int64_t>(f.arguments.size(), 0));
  for (size_t i = 0; i < f.arguments.size(); ++i) {
    Tensor many = testing::stack(Tensors(points.size(), f.arguments[i]), 0);
    for (int64_t k = 0; i == 0 && k < size; ++k) many.set_double(k, points[static_cast<size_t>(k)]);
    f.arguments[i] = many;
  }
}

TEST(DerivativesOfBranchesTest, KnowNothingOfWhatDoesNotRun) {
  const std::vector<double> points = {-2.25, 4, 0, 0.5, -1, 2.5};
  const struct {
    const char* name;
    const char* text;
    Exact (*exact)(double);
  } programs[] = {{"root or zero", kRootOrZero, root_or_zero},
                  {"root or log", kRootOrLog, root_or_log},
                  {"roots", kRoots, roots}};
  const char* ways[] = {"g",   "vg",  "gv",  "j",   "vj",  "jv",  "gg",  "gj",  "jj",  "jg",  "vgg",
                        "gvg", "ggv", "vgj", "gvj", "gjv", "vjg", "jvg", "jgv", "vjj", "jvj", "jjv"};
  for (const auto& program : programs) {
    for (const std::string way : ways) {
      const bool batch = way.find('v') != std::string::npos;
      const size_t order = way.size() - (batch ? 1 : 0);
      for (size_t p = 0; p < (batch ? 1 : points.size()); ++p) {
        Applied f{ir::parse(program.text), {all(Tensor(DType::kF64, {}), points[p])}};
        for (const char step : way)
          step == 'g' ? apply_grad(f) : step == 'j' ? apply_jvp(f) : apply_vmap(f, points);
        ir::verify(*f.module);
        const Tensor result = f.run();
        ASSERT_EQ(result.size(), batch ? static_cast<int64_t>(points.size()) : 1);
        for (size_t k = 0; k < static_cast<size_t>(result.size()); ++k) {
          const double x = points[p + k], want = program.exact(x)[order];
          EXPECT_NEAR(result.get_double(static_cast<int64_t>(k)), want, 1e-12 * (1 + std::fabs(want)))
              << program.name << ", " << way << ", at " << x;
        }
      }
    }
  }
}

// --- bounds of steps

std::string without_bound(std::string text) {
  const std::string bound = ", max_steps = 5";
  return text.erase(text.find(bound), bound.size());
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(DerivativesOfLoopsTest, ReverseModeNeedsABound) {
  const std::string text = without_bound(kRoots);
  for (const double x : {-1.0, 0.5, 2.5}) {
    Applied f{ir::parse(text), {all(Tensor(DType::kF64, {}), x)}};
    apply_jvp(f);
    EXPECT_NEAR(f.run().get_double(0), roots(x)[1], 1e-12);
    apply_jvp(f);
    EXPECT_NEAR(f.run().get_double(0), roots(x)[2], 1e-12);
  }
  const std::string error = error_of([&] { testing::gradient_of(*ir::parse(text)); });
  EXPECT_NE(error.find("`max_steps`"), std::string::npos) << error;
  EXPECT_NE(error.find("jvp"), std::string::npos) << error;
}

// Where no tangent gets to what is carried there is nothing to go back through.
TEST(DerivativesOfLoopsTest, NeedNoBoundWhereNothingIsDifferentiated) {
  const auto module = ir::parse(R"(
func @f(%x: f64[], %limit: f64[]) -> (f64[]) {
  %zero = constant() {value = dense s32[]{0}} : s32[]
  %start = constant() {value = dense f64[]{1}} : f64[]
  %i, %z, %unused = while(%zero, %start, %x, %limit) {carries = 3} (%i0: s32[], %z0: f64[], %u0: f64[], %l0: f64[]) {
    %p = compare(%z0, %l0) {direction = "lt"} : pred[]
    return %p
  } (%i1: s32[], %z1: f64[], %u1: f64[], %l1: f64[]) {
    %one = constant() {value = dense s32[]{1}} : s32[]
    %n = add(%i1, %one) : s32[]
    %d = add(%z1, %z1) : f64[]
    %v = sin(%u1) : f64[]
    return %n, %d, %v
  } : s32[], f64[], f64[]
  %f = convert(%i) {dtype = f64} : f64[]
  %a = mul(%f, %x) : f64[]
  %y = mul(%a, %z) : f64[]
  return %y
}
)");
  EXPECT_EQ(testing::check_derivatives(*module, 3, {.compiled = false}), "");
}

TEST(DerivativesOfLoopsTest, ABoundThatIsTooSmallIsAnErrorOfTheGradient) {
  for (const bool in_batch : {false, true}) {
    Applied f{ir::parse(kRoots), {all(Tensor(DType::kF64, {}), 4.5)}};
    apply_grad(f);
    if (in_batch) apply_vmap(f, {-1, 4.5, 2});
    EXPECT_EQ(error_of([&] { f.run(); }), "");
    f.arguments[0].set_double(in_batch ? 1 : 0, 5.5);
    EXPECT_NE(error_of([&] { f.run(); }).find("max_steps"), std::string::npos);
  }
}

// Both ways know of the bound, since what is not looked at is not computed.
TEST(DerivativesOfLoopsTest, BothWaysCheckTheBound) {
  int checks = 0;
  const auto module = std::move(testing::gradient_of(*ir::parse(kRoots)).module);
  for (const auto& function : module->functions()) {
    ir::walk(function->body(), [&](const ir::Op& op) {
      const auto loop = ops::as<ops::WhileOp>(op);
      checks += loop.has_value() && loop->form().max_steps == 0 ? 1 : 0;
    });
  }
  EXPECT_EQ(checks, 2) << to_string(*module);
}

// What a step computes from invariants alone is computed before a loop, but not before one without steps.
TEST(DerivativesOfLoopsTest, WithoutStepsRunNothing) {
  const auto module = ir::parse(R"(
func @f(%x: f64[], %k: f64[]) -> (f64[]) {
  %s = stop_gradient(%k) : f64[]
  %y = scan(%x, %s) {carries = 1, length = 0, reverse = false, scanned = 0, xs_axes = [], ys_axes = []} (%c: f64[], %ki: f64[]) {
    %v = while(%ki) {carries = 1, max_steps = 3} (%v0: f64[]) {
      %p = compare(%v0, %v0) {direction = "eq"} : pred[]
      return %p
    } (%v1: f64[]) {
      %n = sin(%v1) : f64[]
      return %n
    } : f64[]
    %m = mul(%c, %v) : f64[]
    return %m
  } : f64[]
  return %y
}
)");
  EXPECT_EQ(testing::check_derivatives(*module, 3, {.compiled = false}), "");
}

// --- what is handed over

TEST(ResidualsOfBranchesTest, ShareResults) {
  const auto module = ir::parse(R"(
func @f(%i: s32[], %x: f64[8], %y: f64[8]) -> (f64[8]) {
  %r = cond(%i, %x, %y) (%x0: f64[8], %y0: f64[8]) {
    %a = sin(%x0) : f64[8]
    return %a
  } (%x1: f64[8], %y1: f64[8]) {
    %b = exp(%y1) : f64[8]
    %c = sin(%b) : f64[8]
    return %c
  } (%x2: f64[8], %y2: f64[8]) {
    %d = mul(%x2, %y2) : f64[8]
    return %d
  } : f64[8]
  return %r
}
)");
  Derivatives derivatives(*module);
  const Linearized& made = derivatives.linearize(module->entry(), {false, true, true});
  ir::verify(*module);
  // The index, both arguments, and two results for the derivatives of a and of c and for b.
  int arguments = 0;
  for (const auto& residual : made.residuals) arguments += residual.is_argument ? 1 : 0;
  EXPECT_EQ(arguments, 3);
  EXPECT_EQ(made.residuals.size(), 5u) << to_string(*module);
  EXPECT_EQ(made.forward->body().results().size(), 3u) << to_string(*module);
}

}  // namespace
}  // namespace ingot::transform
