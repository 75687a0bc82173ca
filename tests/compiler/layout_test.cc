// Values between kernels in other orders than row-major: compiled programs mean the same in all of them, and
// the orders that are hoped for are chosen, without kernels that only move data.
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/compiler.h"
#include "compiler/pipeline.h"
#include "compiler/plan_builder.h"
#include "interpreter/interpreter.h"
#include "ir/text.h"
#include "pass/runner.h"
#include "testing/differential.h"
#include "testing/random_program.h"
#include "testing/tensors.h"

namespace ingot::compiler {
namespace {

using ingot::to_string;

// All passes, with orders by chance, at most so many, and gaps between rows wherever there may be; how many
// sets of linked values got an order.
int64_t shuffle(ir::Module& module, uint64_t seed, int64_t most = -1) {
  pass::PassOptions options;
  options.values["layout.shuffle"] = std::to_string(seed);
  options.values["layout.small"] = "2";
  if (seed % 2 == 1) options.values["padding.always"] = "3";
  if (most >= 0) options.rule_limits["layout.order"] = most;
  pass::PassContext context(options);
  int64_t orders = 0;
  for (const pass::PassResult& result : run_passes(module, pipeline(), context)) {
    if (result.name == "layout") orders += result.total_rewrites();
  }
  return orders;
}

TEST(LayoutTest, AnyOrderOfRandomProgramsComputesTheSame) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    testing::RandomProgram program = testing::random_program(seed);
    shuffle(*program.module, seed);
    EXPECT_EQ(testing::check_compiled(*program.module, program.tolerances, seed,
                                      {.all_targets = false, .passes = false}),
              "")
        << "seed " << seed << "\n"
        << to_string(*program.module);
    if (::testing::Test::HasFailure()) return;
  }
}

// Of 24 kernels whose results are put together, each alike: the join is not lowered once for each of them.
TEST(LayoutTest, PiecesOfAJoinThatAreAlikeAreAskedForOnce) {
  constexpr int kPieces = 24, kColumns = 16;
  const std::string column = "f32[256,1]", piece = "f32[256,16]", whole = "f32[256,384]";
  std::string arguments, kernels, pieces, inner, inside;
  for (int p = 0; p < kPieces; ++p) {
    const std::string name = std::to_string(p), comma = p == 0 ? "" : ", ";
    std::string operands, parameters, body, columns;
    for (int i = p * kColumns; i < (p + 1) * kColumns; ++i) {
      const std::string k = std::to_string(i), and_then = i == p * kColumns ? "" : ", ";
      arguments += (i == 0 ? "%a" : ", %a") + k + ": " + column;
      operands += and_then + "%a" + k;
      parameters += and_then + "%a" + k + ".k: " + column;
      body += "    %e" + k + " = exp(%a" + k + ".k) : " + column + "\n";
      columns += and_then + "%e" + k;
    }
    kernels += "  %p" + name + " = fused(" + operands + ") {kernel = \"p" + name + "\"} (" + parameters +
               ") {\n" + body + "    %c" + name + " = concatenate(" + columns + ") {axis = 1} : " + piece +
               "\n    return %c" + name + "\n  } : " + piece + "\n";
    pieces += comma + "%p" + name;
    inner += comma + "%p" + name + ".k: " + piece;
    inside += comma + "%p" + name + ".k";
  }
  const auto module =
      ir::parse("func @main(" + arguments + ") -> (" + whole + ") {\n" + kernels + "  %r = fused(" + pieces +
                ") {kernel = \"r\"} (" + inner + ") {\n    %j = concatenate(" + inside +
                ") {axis = 1} : " + whole + "\n    return %j\n  } : " + whole + "\n  return %r\n}\n");
  pass::PassContext context;
  pass::RunnerOptions only;
  only.only = {"layout"};
  int seen = 0;
  for (const pass::PassResult& result : run_passes(*module, pipeline(), context, only)) {
    if (result.name != "layout") continue;
    ++seen;
    EXPECT_GT(result.lowerings, 0);
    EXPECT_LT(result.lowerings, kPieces / 2);
  }
  EXPECT_EQ(seen, 1);
}

// Programs of contractions, convolutions, loops and reductions of three dimensions, each of which makes a
// kernel that reads what earlier ones have written.
class Writer {
 public:
  explicit Writer(uint64_t seed) : random_(seed) {}

  std::string program() {
    values_.push_back({"%x", {5, 6, 70}});
    for (int i = 0; i < 9; ++i) {
      const Named from = values_[static_cast<size_t>(draw(values_.size() > 3 ? 1 : 0, last()))];
      switch (draw(0, 7)) {
        case 0:
        case 1:
          product(from);
          break;
        case 2:
          convolution(from);
          break;
        case 3:
          loop(from);
          break;
        case 4:
          totals(from);
          break;
        case 5:
          nested_loop(from);
          break;
        case 6:
          calls(from);
          break;
        default:
          sum(from, values_[static_cast<size_t>(draw(0, last()))]);
      }
    }
    const Named& one = values_[values_.size() - 1];
    const Named& other = values_[values_.size() - 2];
    return functions_ + "func @main(" + arguments_ + ") -> (" + type(one.shape) + ", " + type(other.shape) +
           ") {\n" + text_ + "  return " + one.name + ", " + other.name + "\n}\n";
  }

 private:
  struct Named {
    std::string name;
    Shape shape;
  };
  int64_t draw(int64_t low, int64_t high) { return testing::random_integer(random_, low, high); }
  int64_t last() const { return static_cast<int64_t>(values_.size()) - 1; }
  static std::string type(const Shape& shape) { return "f32" + to_string(shape); }
  static std::string list(const std::vector<int64_t>& numbers) { return to_string(Shape(numbers)); }

  std::string argument(const Shape& shape) {
    const std::string name = "%w" + std::to_string(arguments_made_++);
    arguments_ += ", " + name + ": " + type(shape);
    return name;
  }
  void add(const std::string& what, const Shape& shape) {
    const std::string name = "%v" + std::to_string(made_++);
    text_ += "  " + name + "_ = " + what + " : " + type(shape) + "\n";
    text_ += "  " + name + " = tanh(" + name + "_) : " + type(shape) + "\n";
    values_.push_back({name, shape});
  }

  void product(const Named& x) {
    const int64_t d = draw(0, 2), width = draw(3, 9);
    Shape shape = x.shape;
    shape.erase(shape.begin() + d);
    shape.push_back(width);
    const std::string w = argument({x.shape[static_cast<size_t>(d)], width});
    add("dot_general(" + x.name + ", " + w + ") {lhs_batch = [], lhs_contract = [" + std::to_string(d) +
            "], rhs_batch = [], rhs_contract = [0]}",
        shape);
  }
  void convolution(const Named& x) {
    std::vector<int64_t> dims = {0, 1, 2}, out = {0, 1, 2};
    std::shuffle(dims.begin(), dims.end(), random_);
    std::shuffle(out.begin(), out.end(), random_);
    const auto extent = [&](int i) { return x.shape[static_cast<size_t>(dims[static_cast<size_t>(i)])]; };
    const int64_t features = draw(3, 9);
    Shape shape(3);
    shape[static_cast<size_t>(out[0])] = extent(0);
    shape[static_cast<size_t>(out[1])] = features;
    shape[static_cast<size_t>(out[2])] = extent(2);
    const std::string w = argument({3, extent(1), features});
    add("convolution(" + x.name + ", " + w +
            ") {batch_groups = 1, feature_groups = 1, high = [1], lhs_dilation = " + "[1], lhs_dims = " +
            list(dims) + ", low = [1], out_dims = " + list(out) +
            ", reverse = [0], rhs_dilation = [1], rhs_dims = [2,1,0], strides = [1]}",
        shape);
  }
  // A loop of the machine: each step has a contraction.
  void loop(const Named& x) {
    const int64_t axis = draw(0, 2), stacked = draw(0, 2);
    Shape slice = x.shape;
    const int64_t length = slice[static_cast<size_t>(axis)];
    slice.erase(slice.begin() + axis);
    Shape shape = slice;
    shape.insert(shape.begin() + stacked, length);
    const std::string w = argument({slice[1], slice[1]}), start = argument(slice), t = type(slice);
    const std::string n = std::to_string(made_);
    text_ += "  %l" + n + ", %v" + n + " = scan(" + start + ", " + x.name + ", " + w +
             ") {carries = 1, length = " + std::to_string(length) +
             ", reverse = " + (draw(0, 1) ? "true" : "false") + ", scanned = 1, xs_axes = [" +
             std::to_string(axis) + "], ys_axes = [" + std::to_string(stacked) + "]} (%c" + n + ": " + t +
             ", %s" + n + ": " + t + ", %u" + n + ": " + type({slice[1], slice[1]}) + ") {\n    %p" + n +
             " = dot_general(%c" + n + ", %u" + n +
             ") {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : " + t +
             "\n    %k" + n + " = constant() {value = dense f32[]{0.05}} : f32[]\n    %b" + n +
             " = broadcast(%k" + n + ") {dims = [], shape = " + to_string(slice) + "} : " + t + "\n    %z" +
             n + " = mul(%p" + n + ", %b" + n + ") : " + t + "\n    %q" + n + " = add(%z" + n + ", %s" + n +
             ") : " + t + "\n    %r" + n + " = tanh(%q" + n + ") : " + t + "\n    return %r" + n + ", %r" +
             n + "\n  } : " + t + ", " + type(shape) + "\n";
    values_.push_back({"%v" + std::to_string(made_++), shape});
  }
  // A loop that begins at each slice of x, in a loop along x, which hands on and stacks what it ends with. Of
  // both loops, weights are what all steps share.
  void nested_loop(const Named& x) {
    const int64_t axis = draw(0, 2), stacked = draw(0, 2);
    Shape slice = x.shape;
    const int64_t length = slice[static_cast<size_t>(axis)];
    slice.erase(slice.begin() + axis);
    Shape shape = slice;
    shape.insert(shape.begin() + stacked, length);
    const Shape square = {slice[1], slice[1]};
    const std::string w = argument(square), start = argument(slice), n = std::to_string(made_);
    const std::string t = type(slice), u = type(square);
    // Small enough that the steps forget what they were given, rounding included.
    const std::string product =
        "%a" + n + " = dot_general(%d" + n + ", %f" + n +
        ") {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : " + t + "\n    %k" + n +
        " = constant() {value = dense f32[]{0.05}} : f32[]\n    %b" + n + " = broadcast(%k" + n +
        ") {dims = [], shape = " + to_string(slice) + "} : " + t + "\n    %p" + n + " = mul(%a" + n + ", %b" +
        n + ") : " + t + "\n    ";
    text_ += "  %l" + n + ", %v" + n + " = scan(" + start + ", " + x.name + ", " + w +
             ") {carries = 1, length = " + std::to_string(length) +
             ", reverse = false, scanned = 1, xs_axes = [" + std::to_string(axis) + "], ys_axes = [" +
             std::to_string(stacked) + "]} (%c" + n + ": " + t + ", %s" + n + ": " + t + ", %u" + n + ": " +
             u + ") {\n    %i" + n + " = scan(%s" + n + ", %c" + n + ", %u" + n +
             ") {carries = 1, length = 3, reverse = false, scanned = 0, xs_axes = [], ys_axes = []} (%d" + n +
             ": " + t + ", %e" + n + ": " + t + ", %f" + n + ": " + u + ") {\n    " + product + "%q" + n +
             " = add(%p" + n + ", %e" + n + ") : " + t + "\n    " + "%r" + n + " = tanh(%q" + n + ") : " + t +
             "\n    return %r" + n + "\n  } : " + t + "\n    return %i" + n + ", %i" + n + "\n  } : " + t +
             ", " + type(shape) + "\n";
    values_.push_back({"%v" + std::to_string(made_++), shape});
  }
  // A function of products, called twice, once with the other's result.
  void calls(const Named& x) {
    const int64_t d = draw(0, 1);
    const std::string n = std::to_string(made_), t = type(x.shape);
    const std::string w = argument({x.shape[2], x.shape[2]}), u = type({x.shape[2], x.shape[2]});
    const auto product = [&](const std::string& result, const std::string& left, int64_t contracted) {
      return "  %a" + result + " = dot_general(" + left +
             ", %v) {lhs_batch = [], lhs_contract = [2], rhs_batch = [], rhs_contract = [" +
             std::to_string(contracted) + "]} : " + t + "\n  %" + result + " = tanh(%a" + result +
             ") : " + t + "\n";
    };
    functions_ += "func @f" + n + "(%x: " + t + ", %w: " + u + ") -> (" + t +
                  ") {\n  %k = constant() {value = dense f32[]{0.1}} : f32[]\n  %b = broadcast(%k) {dims = "
                  "[], shape = " +
                  to_string(Shape{x.shape[2], x.shape[2]}) + "} : " + u + "\n  %v = mul(%w, %b) : " + u +
                  "\n" + product("q", "%x", d) + product("y", "%q", 1 - d) + "  return %y\n}\n";
    text_ += "  %c" + n + " = call(" + x.name + ", " + w + ") {callee = @f" + n + "} : " + t + "\n";
    text_ += "  %v" + n + " = call(%c" + n + ", " + w + ") {callee = @f" + n + "} : " + t + "\n";
    values_.push_back({"%v" + std::to_string(made_++), x.shape});
  }
  // A scan within a kernel.
  void totals(const Named& x) {
    const int64_t axis = draw(0, 2);
    Shape slice = x.shape;
    const int64_t length = slice[static_cast<size_t>(axis)];
    slice.erase(slice.begin() + axis);
    const std::string start = argument(slice), t = type(slice), n = std::to_string(made_);
    text_ += "  %l" + n + ", %v" + n + " = scan(" + start + ", " + x.name +
             ") {carries = 1, length = " + std::to_string(length) +
             ", reverse = false, scanned = 1, xs_axes = [" + std::to_string(axis) + "], ys_axes = [" +
             std::to_string(axis) + "]} (%c" + n + ": " + t + ", %s" + n + ": " + t + ") {\n    %p" + n +
             " = add(%c" + n + ", %s" + n + ") : " + t + "\n    return %p" + n + ", %p" + n + "\n  } : " + t +
             ", " + type(x.shape) + "\n";
    values_.push_back({"%v" + std::to_string(made_++), x.shape});
  }
  // With another value's dimensions in the order of the first one's, where they have the same extents.
  void sum(const Named& x, const Named& y) {
    std::vector<int64_t> order;
    for (int64_t extent : x.shape) {
      for (int64_t d = 0; d < 3; ++d) {
        if (y.shape[static_cast<size_t>(d)] == extent &&
            std::find(order.begin(), order.end(), d) == order.end()) {
          order.push_back(d);
          break;
        }
      }
    }
    if (order.size() < 3) return product(x);
    const std::string name = "%v" + std::to_string(made_) + "t";
    text_ += "  " + name + " = transpose(" + y.name + ") {permutation = " + list(order) +
             "} : " + type(x.shape) + "\n";
    add("add(" + x.name + ", " + name + ")", x.shape);
  }

  testing::Random random_;
  std::vector<Named> values_;
  std::string arguments_ = "%x: f32[5,6,70]", text_, functions_;
  int made_ = 0, arguments_made_ = 0;
};

TEST(LayoutTest, AnyOrderBetweenKernelsComputesTheSame) {
  int64_t orders = 0;
  for (uint64_t seed = 0; seed < 25; ++seed) {
    const std::string text = Writer(seed).program();
    std::unique_ptr<ir::Module> module = ir::parse(text);
    testing::Random random(seed);
    const std::vector<Tensor> arguments = testing::random_arguments(random, *module);
    const std::vector<Tensor> want = interpret(*module, arguments);
    orders += shuffle(*module, seed);
    const std::vector<Tensor> got = interpret(*module, arguments);
    for (size_t i = 0; i < got.size(); ++i)
      EXPECT_EQ(testing::difference(got[i], want[i], testing::tolerance_of(DType::kF32)), "")
          << "result " << i;
    EXPECT_EQ(testing::check_compiled(*module, {}, seed, {.all_targets = false, .passes = false}), "")
        << "seed " << seed << "\n"
        << text << to_string(*module);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(orders, 60);
}

// As when a wrong result is searched for.
TEST(LayoutTest, SomeOrdersWithoutTheOthersComputeTheSame) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const std::string text = Writer(seed).program();
    std::unique_ptr<ir::Module> module = ir::parse(text);
    testing::Random random(seed);
    const std::vector<Tensor> arguments = testing::random_arguments(random, *module);
    const std::vector<Tensor> want = interpret(*module, arguments);
    const auto most = static_cast<int64_t>(seed % 4);
    EXPECT_LE(shuffle(*module, seed, most), most);
    kernel::Candidates candidates;
    (void)plan_kernels(*module, candidates);  // there is a kernel for each
    const std::vector<Tensor> got = interpret(*module, arguments);
    for (size_t i = 0; i < got.size(); ++i)
      EXPECT_EQ(testing::difference(got[i], want[i], testing::tolerance_of(DType::kF32)), "")
          << "seed " << seed << "\n"
          << text << to_string(*module);
    if (::testing::Test::HasFailure()) return;
  }
}

std::string plan_of(const std::string& program) {
  const Compiled compiled = compile(ir::parse(program));
  for (const auto& kernel : compiled.executable->kernels())
    EXPECT_NE(kernel->kind, "copy") << compiled.ir_text.str();
  return runtime::to_string(compiled.executable->plan());
}

// Lanes run along the features of what both kernels see, and no kernel only moves data.
TEST(LayoutTest, ConvolutionsHandOnFeaturesInnermost) {
  const std::string plan = plan_of(R"(
func @main(%x: f32[2,32,28,28], %v: f32[32,32,3,3], %w: f32[32,32,3,3]) -> (f32[2,32,28,28]) {
  %a = convolution(%x, %v) {batch_groups = 1, feature_groups = 1, high = [1,1], lhs_dilation = [1,1], lhs_dims = [0,1,2,3], low = [1,1], out_dims = [0,1,2,3], reverse = [0,0], rhs_dilation = [1,1], rhs_dims = [0,1,2,3], strides = [1,1]} : f32[2,32,28,28]
  %b = tanh(%a) : f32[2,32,28,28]
  %c = convolution(%b, %w) {batch_groups = 1, feature_groups = 1, high = [1,1], lhs_dilation = [1,1], lhs_dims = [0,1,2,3], low = [1,1], out_dims = [0,1,2,3], reverse = [0,0], rhs_dilation = [1,1], rhs_dims = [0,1,2,3], strides = [1,1]} : f32[2,32,28,28]
  return %c
})");
  EXPECT_NE(plan.find("b in the order [0,2,3,1]"), std::string::npos) << plan;
}

// What a loop along a middle axis reads and stacks lies step by step: no slice is copied.
TEST(LayoutTest, LoopsFindTheirStepsSideBySide) {
  const std::string plan = plan_of(R"(
func @main(%x: f32[16,60,80], %u: f32[80,80]) -> (f32[16,60,80]) {
  %zero = constant() {value = dense f32[]{0}} : f32[]
  %start = broadcast(%zero) {dims = [], shape = [16,80]} : f32[16,80]
  %p = dot_general(%x, %u) {lhs_batch = [], lhs_contract = [2], rhs_batch = [], rhs_contract = [0]} : f32[16,60,80]
  %last, %h = scan(%start, %p, %u) {carries = 1, length = 60, reverse = false, scanned = 1, xs_axes = [1], ys_axes = [1]} (%c: f32[16,80], %xi: f32[16,80], %ui: f32[80,80]) {
    %d = dot_general(%c, %ui) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : f32[16,80]
    %q = add(%d, %xi) : f32[16,80]
    %n = tanh(%q) : f32[16,80]
    return %n, %n
  } : f32[16,80], f32[16,60,80]
  %y = dot_general(%h, %u) {lhs_batch = [], lhs_contract = [2], rhs_batch = [], rhs_contract = [0]} : f32[16,60,80]
  return %y
})");
  EXPECT_NE(plan.find("p in the order [1,"), std::string::npos) << plan;
  EXPECT_NE(plan.find("h in the order [1,"), std::string::npos) << plan;
  EXPECT_EQ(plan.find("copied through"), std::string::npos) << plan;
}

// Row-major does as well as anything else.
TEST(LayoutTest, ProductsInAChainStayRowMajor) {
  const std::string plan = plan_of(R"(
func @main(%x: f32[256,256], %v: f32[256,256], %w: f32[256,256]) -> (f32[256,256]) {
  %a = dot_general(%x, %v) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : f32[256,256]
  %b = dot_general(%a, %w) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : f32[256,256]
  return %b
})");
  EXPECT_EQ(plan.find("in the order"), std::string::npos) << plan;
}

// The argument's copy costs nothing where it is not needed: what it is for is in the steps of the loop.
TEST(LayoutTest, NotesTellTheGainOfAllThatMovesTogether) {
  const Compiled compiled =
      compile(ir::parse(R"(func @main(%arg0: f32[9,64,200], %arg1: f32[200,200]) -> (f32[9,64,200]) {
  %zero = constant() {value = dense f32[]{0}} : f32[]
  %init = broadcast(%zero) {dims = [], shape = [64,200]} : f32[64,200]
  %h, %ys = scan(%init, %arg0, %arg1) {carries = 1, length = 9, reverse = false, scanned = 1, xs_axes = [0], ys_axes = [0]} (%c: f32[64,200], %x: f32[64,200], %w: f32[200,200]) {
    %d = dot_general(%c, %w) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : f32[64,200]
    %e = add(%d, %x) : f32[64,200]
    %n = tanh(%e) : f32[64,200]
    return %n, %n
  } : f32[64,200], f32[9,64,200]
  return %ys
}
)"));
  int told = 0;
  for (const auto& note : compiled.notes) {
    if (note.pass != "layout") continue;
    ++told;
    const size_t at = note.text.find(" costs ");
    ASSERT_NE(at, std::string::npos) << note.text;
    const double percent = std::stod(note.text.substr(at + 7));
    EXPECT_TRUE(percent > 0 && percent < 100 && note.text.ends_with(" % less")) << note.text;
  }
  EXPECT_GT(told, 1);
}

}  // namespace
}  // namespace ingot::compiler
