#include "frontend/testing.h"

namespace ingot {
namespace {

using testing::body;
using testing::error_of;
using testing::f32;
using testing::line;
using testing::s32;
using testing::traced;

TEST(TraceTest, RecordsOperationsWithBroadcastsAndConstants) {
  EXPECT_EQ(traced([](Array x, Array b) { return tanh(x * 2 + b); }, f32({4, 3}), f32({3})),
            R"(func @f(%arg0: f32[4,3], %arg1: f32[3]) -> (f32[4,3]) {
  %constant = constant() {value = dense f32[]{2}} : f32[]
  %broadcast = broadcast(%constant) {dims = [], shape = [4,3]} : f32[4,3]
  %mul = mul(%arg0, %broadcast) : f32[4,3]
  %broadcast_1 = broadcast(%arg1) {dims = [1], shape = [4,3]} : f32[4,3]
  %add = add(%mul, %broadcast_1) : f32[4,3]
  %tanh = tanh(%add) : f32[4,3]
  return %tanh
}
)");
}

TEST(TraceTest, StretchedExtentsAreReshapedAway) {
  EXPECT_EQ(body(traced([](Array x, Array y) { return x + y; }, f32({2, 1}), f32({5}))),
            R"(  %reshape = reshape(%arg0) {shape = [2]} : f32[2]
  %broadcast = broadcast(%reshape) {dims = [0], shape = [2,5]} : f32[2,5]
  %broadcast_1 = broadcast(%arg1) {dims = [1], shape = [2,5]} : f32[2,5]
  %add = add(%broadcast, %broadcast_1) : f32[2,5]
)");
}

TEST(TraceTest, ArgumentsAreNamedByTheirPaths) {
  struct Params {
    Array w, bias;
  };
  struct Model {
    std::vector<Params> layers;
    int depth;
  };
  const Model model{{{f32({2, 2}), f32({2})}}, 3};
  const std::string text = traced(
      [](const Model& m, std::pair<Array, Array> x) {
        Array y = x.first * x.second;
        for (int i = 0; i < m.depth; ++i) y = dot(y, m.layers[0].w) + m.layers[0].bias;
        return y;
      },
      model, std::pair(f32({2}), 0.5f));
  EXPECT_EQ(
      text.substr(0, text.find(" {")),
      "func @f(%arg0_layers_0_w: f32[2,2], %arg0_layers_0_bias: f32[2], %arg1_0: f32[2], %arg1_1: f32[]) -> "
      "(f32[2])");
}

TEST(TraceTest, ReductionsTakeTheirCombinerAsRegion) {
  EXPECT_EQ(body(traced([](Array x) { return sum(x, 1, kKeepDims); }, s32({2, 3}))),
            R"(  %constant = constant() {value = dense s32[]{0}} : s32[]
  %reduce = reduce(%arg0, %constant) {axes = [1]} (%acc: s32[], %x: s32[]) {
    %add = add(%acc, %x) : s32[]
    return %add
  } : s32[2]
  %reshape = reshape(%reduce) {shape = [2,1]} : s32[2,1]
)");
}

TEST(TraceTest, NestedFunctionsBecomeCallsTracedOnce) {
  int runs = 0;
  const auto inner = jit(
      [&runs](Array x) {
        ++runs;
        return x * x;
      },
      {.name = "inner"});
  const auto outer = [&inner](Array x) { return inner(inner(inner(x))); };
  EXPECT_EQ(traced(outer, f32({3})), R"(func @f(%arg0: f32[3]) -> (f32[3]) {
  %call = call(%arg0) {callee = @inner} : f32[3]
  %call_1 = call(%call) {callee = @inner} : f32[3]
  %call_2 = call(%call_1) {callee = @inner} : f32[3]
  return %call_2
}

func @inner(%arg0: f32[3]) -> (f32[3]) {
  %mul = mul(%arg0, %arg0) : f32[3]
  return %mul
}
)");
  traced(outer, f32({3}));
  traced([&inner](Array x) { return -inner(x); }, f32({3}));
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(inner.trace_count(), 1);
  traced(outer, f32({4}));
  EXPECT_EQ(runs, 2);
}

Array cube(Array x) {
  return x * x * x;
}

TEST(TraceTest, FunctionPointersAreOneFunctionAndCalleesOfCalleesComeAlong) {
  const auto middle = [](Array x) { return jit(cube, {.name = "cube"})(x) + 1; };
  const std::string text = traced(
      [&](Array x) { return jit(middle, {.name = "middle"})(x) * jit(cube, {.name = "cube"})(x); }, f32({2}));
  EXPECT_NE(text.find("func @middle"), std::string::npos);
  EXPECT_EQ(text.find("func @cube"), text.rfind("func @cube"));
  EXPECT_EQ(jit(cube, {.name = "cube"}).trace_count(), 1);
}

TEST(TraceTest, CapturedArraysBecomeArguments) {
  const Array weights = testing::counting({3});
  EXPECT_EQ(traced(
                [&](Array x) {
                  const auto inner = jit([&](Array y) { return y * x + weights; }, {.name = "inner"});
                  return inner(x);
                },
                f32({3})),
            R"(func @f(%arg0: f32[3], %captured: f32[3]) -> (f32[3]) {
  %call = call(%arg0, %arg0, %captured) {callee = @inner} : f32[3]
  return %call
}

func @inner(%arg0: f32[3], %captured: f32[3], %captured_1: f32[3]) -> (f32[3]) {
  %mul = mul(%arg0, %captured) : f32[3]
  %add = add(%mul, %captured_1) : f32[3]
  return %add
}
)");
}

TEST(TraceTest, OperationsCarryTheUsersLine) {
  const int here = __LINE__ + 1;
  const auto f = [](Array x) { return softmax(x); };
  const std::string text = jit(f).lower(f32({4})).text();
  const std::string location = "loc(\"" + std::string(__FILE__) + "\":" + std::to_string(here) + ")";
  size_t found = 0, lines = 0;
  for (size_t i = text.find("loc("); i != std::string::npos; i = text.find("loc(", i + 1)) {
    ++lines;
    found += text.compare(i, location.size(), location) == 0 ? 1 : 0;
  }
  EXPECT_GT(lines, 5u);
  EXPECT_EQ(found, lines);  // none names a line of the library
}

TEST(TraceTest, CallsCarryTheirLine) {
  struct Pair {
    Array a, b;
  };
  const auto inner = jit([](Pair p, Array x) { return p.a * x + p.b; }, {.name = "inner"});
  const int here = __LINE__ + 1;
  const auto outer = [&](Array x) { return inner(Pair{x, x}, 2.0f); };
  const std::string text = jit(outer).lower(f32({4})).text();
  const size_t call = text.find("= call(");
  const std::string rest = text.substr(call, text.find('\n', call) - call);
  EXPECT_NE(rest.find("\":" + std::to_string(here) + ")"), std::string::npos) << rest;
}

// --- what cannot be done while tracing ---

TEST(TraceErrorTest, ReadingValuesNamesTheLineAndTheWayOut) {
  const std::string hint =
      " cannot be read: while a function is traced, its arrays stand for all the values that it will be "
      "called with. "
      "Use ingot::where(condition, a, b) or ingot::cond instead of if and ?:, &, | and ~ instead of &&, || "
      "and !, "
      "ingot::while_loop instead of a loop that depends on values, or pass the value as ingot::Static{...} "
      "if it "
      "is known when the function is traced";
  int here = 0;
  const auto branch = [&](Array x) {
    here = __LINE__ + 1;
    if (x > 0) return x;
    return -x;
  };
  std::string message = error_of([&] { traced(branch, f32({})); });
  EXPECT_EQ(message, line(here) + "the value of a traced pred[]" + hint);
  const auto read = [&](Array x) {
    here = __LINE__ + 1;
    return x * x.item<float>();
  };
  message = error_of([&] { traced(read, f32({})); });
  EXPECT_EQ(message, line(here) + "the value of a traced f32[]" + hint);
  const auto print = [](Array x) {
    EXPECT_EQ(to_string(x), "traced f32[2]");
    return x;
  };
  traced(print, f32({2}));
}

TEST(TraceErrorTest, TypeErrorsNameTheLineOfTheExpression) {
  int here = 0;
  const auto f = [&](Array x, Array y) {
    here = __LINE__ + 2;
    const Array z = x * 2;
    return z + y;
  };
  std::string message = error_of([&] { traced(f, f32({3}), f32({4})); });
  EXPECT_EQ(message.substr(0, line(here).size() + 4), line(here) + "add:");
  const auto g = [&](Array x) {
    here = __LINE__ + 1;
    return softmax(x, 3);
  };
  message = error_of([&] { traced(g, f32({3})); });
  EXPECT_EQ(message, line(here) + "softmax: axis 3 is out of range for 1 dimension, which are -1 to 0");
}

TEST(TraceErrorTest, AFunctionThatReturnsNothingIsNone) {
  const auto f = jit([](Array x) { x + 1; });
  const std::string message = error_of([&] { f(Array::zeros({2})); });
  EXPECT_NE(message.find("returns nothing, and would do nothing"), std::string::npos) << message;
  EXPECT_EQ(message.find(__FILE__), 0) << message;
}

TEST(TraceErrorTest, ValuesDoNotOutliveTheirTrace) {
  Array kept;
  traced(
      [&](Array x) {
        kept = x + 1;
        return x;
      },
      f32({2}));
  const std::string message = error_of([&] { traced([&](Array x) { return x + kept; }, f32({2})); });
  EXPECT_NE(message.find("this f32[2] was traced in a function or loop body whose trace has ended"),
            std::string::npos);
  for (const std::string& read :
       {error_of([&] { kept.item<float>(); }), error_of([&] { kept.to_vector<float>(); }),
        error_of([&] { static_cast<void>(static_cast<bool>(kept)); })}) {
    EXPECT_NE(read.find("whose trace has ended, and has no value"), std::string::npos) << read;
    EXPECT_NE(read.find("Return it from the function"), std::string::npos) << read;
    EXPECT_EQ(read.find("ingot::where"), std::string::npos) << read;
  }
  int here = __LINE__ + 1;
  EXPECT_EQ(error_of([&] { kept + 1; }).find(line(here) + "this traced f32[2] has no value here"), 0);
  // Functions whose parameters have no types of their own learn the line too, whatever they take.
  const auto f = jit([](auto x, auto y) { return x + y; });
  here = __LINE__ + 1;
  const std::string used = error_of([&] { f(1.0f, kept); });
  EXPECT_EQ(used.find(line(here)), 0) << used;
  EXPECT_NE(used.find("this one was made at " + std::string(__FILE__) + ":"), std::string::npos) << used;
  const Array x = Array::zeros({2});
  const auto many = jit([](auto... x) { return (x + ...); });
  here = __LINE__ + 1;
  const std::string seven = error_of([&] { many(x, x, x, x, x, x, kept); });
  EXPECT_EQ(seven.find(line(here) + "this traced f32[2] has no value here"), 0) << seven;
}

TEST(TraceErrorTest, TruthOfTracedArraysNamesALine) {
  int here = __LINE__ + 2;
  const auto compared = [](Array x) {
    if (x > 0) return x;
    return -x;
  };
  EXPECT_EQ(error_of([&] { jit(compared).lower(f32({})); }).find(line(here) + "the value of a traced pred[]"),
            0);
  const auto itself = [](Array x) {
    if (x) return x;
    return -x;
  };
  here = __LINE__ + 1;
  EXPECT_EQ(error_of([&] { jit(itself).lower(f32({})); }).find(line(here) + "the value of a traced f32[]"),
            0);
}

TEST(TraceErrorTest, NumbersThatAreOutOfRangeNameTheLine) {
  const Array x = testing::counting({2});
  int here = __LINE__ + 1;
  EXPECT_EQ(error_of([&] { x.shape(1); }), line(here) + "shape: axis 1 is out of range for f32[2]");
  here = __LINE__ + 1;
  EXPECT_EQ(error_of([] { trim_memory(-1); }).find(line(here) + "trim_memory: "), 0);
}

TEST(TraceErrorTest, RecursionThatNeverEnds) {
  struct Recursive {
    static Array call(Array x) { return jit(&Recursive::call, {.name = "again"})(x) + 1; }
  };
  EXPECT_NE(error_of([&] {
              jit(&Recursive::call, {.name = "again"}).lower(f32({2}));
            }).find("'again' calls itself"),
            std::string::npos);
}

}  // namespace
}  // namespace ingot
