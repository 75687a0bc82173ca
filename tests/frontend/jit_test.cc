#include "ingot/jit.h"

#include <atomic>
#include <thread>

#include "base/options.h"
#include "frontend/testing.h"

namespace ingot {
namespace {

using testing::counting;
using testing::error_of;

Array twice(Array x) {
  return x * 2;
}

TEST(JitTest, TracesOncePerTypes) {
  int runs = 0;
  const auto f = jit([&runs](Array x, Array y) {
    ++runs;
    return x + y;
  });
  EXPECT_EQ(f(counting({3}), 1.0f).to_vector<float>(), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(f(counting({3}), 2.0f).to_vector<float>(), (std::vector<float>{2, 3, 4}));
  EXPECT_EQ(runs, 1);
  f(counting({4}), 1.0f);
  EXPECT_EQ(runs, 2);
  f(counting({4}), 1.0);  // a number, which takes the dtype of the array
  EXPECT_NE(error_of([&] {
              f(counting({4}), Array::from<double>({1})[0]);
            }).find("f32[4] and f64[] have different dtypes"),
            std::string::npos);
}

TEST(JitTest, SameFunctionSameCache) {
  const auto a = jit(twice), b = jit(&twice);
  a(counting({5}));
  b(counting({5}));
  EXPECT_EQ(a.trace_count(), 1);
  EXPECT_EQ(b.trace_count(), 1);
  const auto lambda = [](Array x) { return x * 3; };
  jit(lambda)(counting({5}));
  EXPECT_EQ(jit(lambda).trace_count(), 1);
}

TEST(JitTest, LoweringAndNumbersShareTheEntryOfCalls) {
  const auto f = jit([](Array x, Array s) { return x * s; });
  f.compile(counting({3}), 1.0f);
  f(counting({3}), 2.0f);
  f(counting({3}), Array(2.0f));
  EXPECT_EQ(f.trace_count(), 1);
  f(counting({3}), Array::from<float>({}, {2}));  // has a dtype of its own
  EXPECT_EQ(f.trace_count(), 2);
}

TEST(JitTest, ManyThreadsOneTrace) {
  std::atomic<int> runs = 0;
  const auto f = jit([&runs](Array x) {
    ++runs;
    return sum(x * x);
  });
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k) right += f(counting({10})).item<float>() == 285 ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(right, 200);
}

TEST(JitTest, ResultsMayBeArgumentsConstantsAndDuplicates) {
  const auto f = jit([](Array x) {
    const Array y = x + 1;
    return std::tuple(x, y, y, Array(4), 5);
  });
  const auto [x, y, z, four, five] = f(counting({2}));
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{0, 1}));
  EXPECT_EQ(y.to_vector<float>(), z.to_vector<float>());
  EXPECT_EQ(four.item<int>(), 4);
  EXPECT_EQ(five, 5);
  EXPECT_EQ(jit([] { return arange(3); })().to_vector<int32_t>(), (std::vector<int32_t>{0, 1, 2}));
}

TEST(JitTest, CapturedArraysKeepTheirValue) {
  Array shift = counting({2});
  const auto f = jit([&](Array x) { return x + shift; });
  EXPECT_EQ(f(counting({2})).to_vector<float>(), (std::vector<float>{0, 2}));
  shift = Array::zeros({2});
  EXPECT_EQ(f(counting({2})).to_vector<float>(), (std::vector<float>{0, 2}));
}

TEST(JitTest, LoweredTextSaysWhatIsDonated) {
  const Array x = counting({8}), y = counting({8});
  const auto f =
      jit([](Array a, std::pair<Array, Array> b) { return a + b.first * b.second; }, {.donate = {1}});
  const std::string text = f.lower(x, std::pair(y, y)).text();
  const std::string head = text.substr(0, text.find(" {"));
  EXPECT_NE(head.find(": f32[8], %"), std::string::npos) << head;
  EXPECT_NE(head.find(": f32[8] donated, %"), std::string::npos) << head;
  EXPECT_NE(head.find(": f32[8] donated)"), std::string::npos) << head;
  const auto none = jit([](Array a) { return a + 1; });
  EXPECT_EQ(none.lower(x).text().find("donated"), std::string::npos);
}

// Why a call missed the cache, of functions that are called outside of any program too.
TEST(JitTest, TheLogTellsWhatDiffers) {
  const auto log_of = [](const auto& calls) {
    set_log_topic(LogTopic::kCompile, true);
    ::testing::internal::CaptureStderr();
    calls();
    const std::string log = ::testing::internal::GetCapturedStderr();
    set_log_topic(LogTopic::kCompile, false);
    return log;
  };
  const std::string counts = log_of([] { arange(1237), arange(1239); });
  EXPECT_NE(counts.find("ingot: iota: not in the cache (shape and options = 1,1239,"), std::string::npos)
      << counts;
  EXPECT_NE(counts.find(", because shape and options = 1,1239,"), std::string::npos) << counts;
  EXPECT_EQ(counts.find("C++ types"), std::string::npos) << counts;
  const auto f = jit([](Array x) { return x + 1; }, {.name = "f"});
  const std::string shapes = log_of([&] { f(counting({3})), f(counting({4})); });
  EXPECT_NE(shapes.find("ingot: f: not in the cache (arg0: f32[4]), because arg0: f32[4] was arg0: f32[3]"),
            std::string::npos)
      << shapes;
  const auto g = jit([](const std::vector<Array>& xs) { return xs.front() + 1; }, {.name = "g"});
  const auto leaves = [](size_t alike, size_t others) {
    std::vector<Array> xs(alike, counting({3}));
    xs.insert(xs.end(), others, counting({4}));
    return xs;
  };
  const std::string long_ones =
      log_of([&] { g(leaves(9, 0)), g(leaves(300, 0)), g(leaves(297, 3)), g(leaves(8, 1)); });
  const std::string first = "(arg0 = <300>, arg0[0]: f32[3], arg0[1]: f32[3], arg0[2]: f32[3], ";
  const std::string missed = "ingot: g: not in the cache " + first + "and 297 more), because ";
  for (const std::string& line : {missed + "arg0 = <300> was arg0 = <9>, and 291 more differ\n",
                                  missed + "arg0[297]: f32[4] was arg0[297]: f32[3], and 2 more differ\n",
                                  std::string(", because arg0[8]: f32[4] was arg0[8]: f32[3]\n")})
    EXPECT_NE(long_ones.find(line), std::string::npos) << line << long_ones;
}

TEST(JitTest, DonatedArraysAreDead) {
  const auto f = jit([](Array x, Array y) { return x + y; }, {.donate = {0}, .name = "update"});
  Array x = counting({1000});
  const Array copy = x, y = counting({1000});
  const Array result = f(x, y);
  EXPECT_EQ(result.view<float>()[3], 6);
  EXPECT_NE(error_of([&] { x + 1; }).find("this f32[1000] was donated to a call of 'update'"),
            std::string::npos);
  EXPECT_THROW(copy.to_vector<float>(), Error);
  EXPECT_EQ(y.view<float>()[3], 3);
  EXPECT_EQ(to_string(x), "donated f32[1000]");
  EXPECT_EQ(x.shape(), Shape{1000});  // as jit.h says, that can still be asked
  EXPECT_EQ(x.dtype(), DType::kF32);
  Array z = counting({1000});
  EXPECT_EQ(error_of([&] { f(x, y); }).find(testing::line(__LINE__)), 0u);
  EXPECT_NE(error_of([&] { f(z, z); }).find("is donated but is used by the call in another place too"),
            std::string::npos);
  const auto sum = [](Array a, Array b) { return a + b; };
  const int here = __LINE__ + 1;
  const auto wrong = jit(sum, {.donate = {3}, .name = "sum"});
  const std::string message =
      "'sum': argument 3 is to be donated, but the call has 2 arguments, numbers 0 to 1";
  EXPECT_EQ(error_of([&] { wrong(z, z); }), testing::line(here) + message);
  EXPECT_EQ(error_of([&] { wrong.lower(z, z); }), testing::line(here) + message);
  EXPECT_EQ(error_of([&] { jit([&](Array a) { return wrong(a, a); })(z); }), testing::line(here) + message);
}

struct Pair {
  Array a, b;
};

TEST(JitTest, ErrorsNameTheLeafThatIsEmpty) {
  const Array x = testing::counting({3});
  const auto add = jit([](Pair p) { return p.a + p.b; });
  const std::string message = "this array is empty (default-constructed); give it a value before it is used";
  int here = __LINE__ + 1;
  EXPECT_EQ(error_of([&] { add(Pair{x, Array()}); }), testing::line(here) + "arg0.b: " + message);
  const auto generic = jit([](const auto& n, const auto& list) { return n + list[1]; });
  here = __LINE__ + 1;
  std::string error = error_of([&] { generic(1, std::vector<Array>{x, Array()}); });
  EXPECT_EQ(error, testing::line(here) + "arg1[1]: " + message);
  const auto two = jit([](Array a, Array b) { return a + b; });
  here = __LINE__ + 1;
  EXPECT_EQ(error_of([&] { two(x, Array()); }), testing::line(here) + "arg1: " + message);
  here = __LINE__ + 1;
  error = error_of([&] { vmap([](Pair p) { return p.a; })(Pair{Array(), x}); });
  EXPECT_EQ(error, testing::line(here) + "arg0.a: " + message);
}

TEST(JitTest, ErrorsNameTheLeafOfTheResultThatIsEmpty) {
  const Array x = testing::counting({3});
  int here = __LINE__ + 1;
  const auto half = jit([](Array a) { return Pair{a, Array()}; }, {.name = "half"});
  EXPECT_EQ(error_of([&] { half(x); }),
            testing::line(here) + "the function 'half' returned an empty array as the result.b");
  here = __LINE__ + 1;
  const auto none = jit([](Array) { return Array(); }, {.name = "none"});
  EXPECT_EQ(error_of([&] { none(x); }),
            testing::line(here) + "the function 'none' returned an empty array as the result");
}

// The same of functions that others call: which result, of which function.
TEST(JitTest, ErrorsNameTheEmptyResultOfAFunctionOfFunctions) {
  const Array x = testing::counting({3}), one = Array(1.0f);
  const auto pair = [](Array a) { return Pair{sum(a), Array()}; };
  const auto expect = [&](const std::string& message, const std::string& error) {
    EXPECT_EQ(error.find(__FILE__), 0u) << error;
    EXPECT_TRUE(error.ends_with(": " + message)) << error << "\ninstead of " << message;
  };
  const std::string empty = " returned an empty array (default-constructed) as ";
  expect("vjp: the function" + empty + "result.b", error_of([&] { vjp(pair, x); }));
  expect("jvp: the function" + empty + "result.b", error_of([&] { jvp(pair, x, x); }));
  expect("linearize: the function" + empty + "result.b", error_of([&] { linearize(pair, x); }));
  expect("grad: the function" + empty + "result[1].b",
         error_of([&] { grad([&](Array a) { return std::pair(sum(a), pair(a)); }, kHasAux)(x); }));
  expect("jacrev: the function" + empty + "result.b", error_of([&] { jacrev(pair)(x); }));
  expect("checkpoint: the function" + empty + "result.b", error_of([&] { checkpoint(pair)(x); }));
  EXPECT_EQ(error_of([&] { eval_shape(pair, x); }), "eval_shape: the function" + empty + "result.b");
  EXPECT_NE(error_of([&] { vmap(pair)(x); }).find("returned an empty array as the result.b"),
            std::string::npos);
  const auto step = [](Array c, Array) { return std::pair(Pair{c, Array()}, c); };
  expect("scan: a step" + empty + "carry.b", error_of([&] {
           scan([&](Pair p, Array v) { return step(p.a, v); }, Pair{one, one}, x);
         }));
  expect("scan: a step" + empty + "y.b", error_of([&] {
           scan([](Array c, Array) { return std::pair(c, Pair{c, Array()}); }, one, x);
         }));
  expect("scan: a step" + empty + "carry.a", error_of([&] {
           jit([&](Array a) {
             return scan([](Pair, Array) { return std::pair(Pair(), Array()); }, Pair{one, one}, a);
           })(x);
         }));
  expect("associative_scan: the function" + empty + "result.a", error_of([&] {
           associative_scan([](Pair, Pair) { return Pair(); }, Pair{x, x});
         }));
  expect("map: a step" + empty + "y", error_of([&] { map([](Array) { return Array(); }, x); }));
  const auto f = [](Array a) { return a * 2; };
  const auto jvp_rule = [](std::tuple<Array> p, std::tuple<Array>) {
    return std::pair(std::get<0>(p) * 2, Array());
  };
  expect("custom_jvp: the rule" + empty + "tangent", error_of([&] { jvp(custom_jvp(f, jvp_rule), x, x); }));
  const auto forward = [](Array a) { return std::pair(a * 2, Pair{a, Array()}); };
  const auto backward = [](Pair, Array t) { return std::tuple(t); };
  expect("custom_vjp: the forward function" + empty + "residuals.b",
         error_of([&] { custom_vjp(f, forward, backward)(x); }));
  const auto kept = [](Array a) { return std::pair(a * 2, a); };
  const auto none = [](Array, Array) { return std::tuple(Array()); };
  expect("custom_vjp: the backward function" + empty + "cotangents[0]",
         error_of([&] { custom_vjp(f, kept, none)(x); }));
  // And of what is given to them.
  expect("carry.b: this array is empty (default-constructed); give it a value before it is used",
         error_of([&] {
           scan([](Pair p, Array v) { return std::pair(p, v); }, Pair{one, Array()}, x);
         }));
  expect("arg0.a: this array is empty (default-constructed); give it a value before it is used",
         error_of([&] {
           vjp([](Pair p) { return p.b; }, Pair{Array(), x});
         }));
}

// Of what is given to branches, to functions over trees and to optimisers, too, at the user's line.
TEST(JitTest, ErrorsNameTheEmptyLeafOfOtherFunctions) {
  const Array x = testing::counting({3});
  const Pair full{x, x}, half{x, Array()};
  const auto expect = [](int line, const std::string& leaf, const std::string& error) {
    EXPECT_EQ(error, testing::line(line) + leaf +
                         ": this array is empty (default-constructed); give it a value before it is used");
  };
  const auto first = [](Pair p, Array) { return p.a; };
  expect(__LINE__, "arg0.b", error_of([&] { cond(x[0] == 0, first, first, half, x); }));
  expect(__LINE__, "arg0.b", error_of([&] { switch_(0, std::tuple(first, first), half, x); }));
  expect(__LINE__, "arg1", error_of([&] { switch_(0, std::vector{first}, full, Array()); }));
  expect(__LINE__, "tree::norm: value.b", error_of([&] { tree::norm(half); }));
  expect(__LINE__, "tree::add: b.b", error_of([&] { tree::add(full, half); }));
  const optim::Adam adam;
  expect(__LINE__, "optim::init: params.b", error_of([&] { optim::init(adam, half); }));
  const auto state = optim::init(adam, full);
  const auto update = [&](const Pair& slope, const optim::AdamState<Pair>& s, const Pair& p) {
    return error_of([&] { optim::update(adam, slope, s, p); });
  };
  const int line = __LINE__ - 2;
  expect(line, "optim::update: gradients.b", update(half, state, full));
  expect(line, "optim::update: state.nu.b", update(full, {state.step, state.mu, half}, full));
  expect(line, "optim::update: params.b", update(full, state, half));
  expect(__LINE__ + 1, "optim::clip_by_global_norm: gradients.b",
         error_of([&] { optim::clip_by_global_norm(half, 1); }));
}

// What functions over trees record stands in the line that calls them, and in no header.
TEST(JitTest, FunctionsOverTreesHaveTheLineOfTheirCall) {
  const Array x = testing::counting({3});
  const auto step = [](Pair p, Pair slope) {
    const optim::Adam adam{.rate = optim::cosine(0.1, 10)};
    const auto clipped = optim::clip_by_global_norm(slope, 1);
    return optim::update(adam, clipped, optim::init(adam, p), tree::add_scaled(p, 0.5f, slope)).params;
  };
  const std::string text = jit(step).lower(Pair{x, x}, Pair{x, x}).text();
  EXPECT_NE(text.find("jit_test.cc"), std::string::npos);
  EXPECT_EQ(text.find("optim.h"), std::string::npos) << text;
  EXPECT_EQ(text.find("tree_math.h"), std::string::npos) << text;
}

TEST(JitTest, ErrorsNameTheLineOfACallOfItself) {
  struct Endless {
    static Array call(Array a) { return jit(&Endless::call, {.name = "endless"})(a) + 1; }
  };
  const int here = __LINE__ - 2;
  EXPECT_EQ(error_of([&] {
              Endless::call(testing::counting({3}));
            }).find(testing::line(here) + "'endless' calls itself"),
            0u);
}

TEST(JitTest, ManyLeavesSpillOffTheStack) {
  std::vector<Array> many;
  for (int i = 0; i < 100; ++i) many.push_back(Array(static_cast<float>(i)));
  const auto f = jit([](std::vector<Array> xs) {
    for (Array& x : xs) x = x + 1;
    return xs;
  });
  const std::vector<Array> results = f(many);
  ASSERT_EQ(results.size(), 100u);
  EXPECT_EQ(results[99].item<float>(), 100);
  const std::vector<float> numbers(50, 2.0f);
  EXPECT_EQ(f(numbers)[49].item<float>(), 3);
}

TEST(JitTest, InterpretedProgramsAreRunByTheJudge) {
  const auto f = jit([](Array x) { return exp(x); }, {.interpret = true});
  EXPECT_NEAR(f(1.0f).item<float>(), 2.7182817f, 1e-6);
}

}  // namespace
}  // namespace ingot
