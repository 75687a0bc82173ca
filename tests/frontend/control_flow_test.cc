#include "ingot/control_flow.h"

#include <cmath>

#include "frontend/testing.h"
#include "ingot/stop.h"

namespace ingot {
namespace {

using testing::counting;
using testing::error_of;
using testing::f32;
using testing::traced;
using V = std::vector<float>;

// --- what they become

TEST(ControlFlowTest, AWhileIsOneOperationWithTwoRegions) {
  EXPECT_EQ(traced(
                [](Array x, Array limit) {
                  return while_loop([&](Array v) { return sum(v) < limit; }, [&](Array v) { return v * x; },
                                    x);
                },
                f32({3}), f32({})),
            R"(func @f(%arg0: f32[3], %arg1: f32[]) -> (f32[3]) {
  %while = while(%arg0, %arg1, %arg0) {carries = 1} (%carry: f32[3], %captured: f32[], %captured.3: f32[3]) {
    %constant = constant() {value = dense f32[]{0}} : f32[]
    %reduce = reduce(%carry, %constant) {axes = [0]} (%acc: f32[], %x: f32[]) {
      %add = add(%acc, %x) : f32[]
      return %add
    } : f32[]
    %compare = compare(%reduce, %captured) {direction = "lt"} : pred[]
    return %compare
  } (%carry.1: f32[3], %captured_1: f32[], %captured_2: f32[3]) {
    %mul = mul(%carry.1, %captured_2) : f32[3]
    return %mul
  } : f32[3]
  return %while
}
)");
}

TEST(ControlFlowTest, BranchesCaptureTogether) {
  EXPECT_EQ(traced(
                [](Array p, Array x, Array y, Array z) {
                  return cond(
                      p, [&](Array v) { return v * y; }, [&](Array v) { return v + z + y; }, x);
                },
                Array::abstract(DType::kPred, {}), f32({3}), f32({3}), f32({3})),
            R"(func @f(%arg0: pred[], %arg1: f32[3], %arg2: f32[3], %arg3: f32[3]) -> (f32[3]) {
  %convert = convert(%arg0) {dtype = s32} : s32[]
  %cond = cond(%convert, %arg1, %arg3, %arg2) (%x: f32[3], %captured: f32[3], %captured_1: f32[3]) {
    %add = add(%x, %captured) : f32[3]
    %add_1 = add(%add, %captured_1) : f32[3]
    return %add_1
  } (%x.1: f32[3], %captured_2: f32[3], %captured_3: f32[3]) {
    %mul = mul(%x.1, %captured_3) : f32[3]
    return %mul
  } : f32[3]
  return %cond
}
)");
}

// --- values

TEST(ControlFlowTest, AWhileRunsToItsEnd) {
  const Array a = Array::from<float>({2.f, 9.f, 100.f});
  const Array root = while_loop([&](Array x) { return any(abs(x * x - a) > 1e-5f * a); },
                                [&](Array x) { return (x + a / x) / 2.f; }, a);
  EXPECT_NEAR(root[0].item<float>(), std::sqrt(2.f), 1e-5);
  EXPECT_NEAR(root[2].item<float>(), 10.f, 1e-4);
}

TEST(ControlFlowTest, CarriesAreTrees) {
  struct State {
    Array a, b;
    std::pair<Array, int> unused;  // the int is static
  };
  const State end = while_loop([](State s) { return s.a < 100; },
                               [](State s) {
                                 return State{s.b, s.a + s.b, s.unused};
                               },
                               State{Array(0), Array(1), {counting({2}), 7}});
  EXPECT_EQ(end.a.item<int>(), 144);
  EXPECT_EQ(end.b.item<int>(), 233);
  EXPECT_EQ(end.unused.first.to_vector<float>(), (V{0, 1}));
  EXPECT_EQ(end.unused.second, 7);
  const auto [i, x] = while_loop(
      [](std::pair<Array, Array> c) { return c.first < 10; },
      [](std::pair<Array, Array> c) { return std::pair(c.first + 1, c.second * 2.f); }, std::pair(0, 1.f));
  EXPECT_EQ(i.item<int>(), 10);
  EXPECT_EQ(x.item<float>(), 1024.f);
}

TEST(ControlFlowTest, NoStepLeavesTheCarry) {
  const Array x = counting({3});
  EXPECT_EQ(
      while_loop([](Array) { return Array(false); }, [](Array v) { return v + 1.f; }, x).to_vector<float>(),
      (V{0, 1, 2}));
  EXPECT_EQ(fori_loop(
                4, 4, [](Array, Array v) { return v + 1.f; }, x)
                .to_vector<float>(),
            (V{0, 1, 2}));
  EXPECT_EQ(fori_loop(
                4, 1, [](Array, Array v) { return v + 1.f; }, x)
                .to_vector<float>(),
            (V{0, 1, 2}));
  EXPECT_EQ(fori_loop(
                Array(4), 1, [](Array, Array v) { return v + 1.f; }, x)
                .to_vector<float>(),
            (V{0, 1, 2}));
}

TEST(ControlFlowTest, AnIndexRunsBetweenNumbersOrArrays) {
  const auto add_index = [](Array i, Array v) { return v + i.astype(DType::kF32); };
  const auto f = [&](auto low, auto high) {
    return fori_loop(low, high, add_index, Array(0.f)).template item<float>();
  };
  EXPECT_EQ(f(2, 5), 9.f);
  EXPECT_EQ(f(Array(2), 5), 9.f);
  EXPECT_EQ(f(2, Array(int64_t{5})), 9.f);
  EXPECT_EQ(f(Array(uint8_t{2}), Array(uint8_t{5})), 9.f);
  const std::string text = traced([&](Array x) { return fori_loop(2, 5, add_index, x); }, f32({}));
  EXPECT_NE(text.find("scan("), std::string::npos) << text;
  EXPECT_EQ(fori_loop(
                int64_t{1} << 40, (int64_t{1} << 40) + 2, [](Array i, Array) { return i; }, Array(int64_t{0}))
                .item<int64_t>(),
            (int64_t{1} << 40) + 1);
}

TEST(ControlFlowTest, ABranchIsTaken) {
  const Array x = counting({2}, 1.f), y = counting({2}, 10.f);
  const auto pick = jit([](Array p, Array a, Array b) {
    return cond(
        p, [](Array v, Array) { return v; }, [](Array, Array w) { return w * 2.f; }, a, b);
  });
  EXPECT_EQ(pick(Array(true), x, y).to_vector<float>(), (V{1, 2}));
  EXPECT_EQ(pick(Array(false), x, y).to_vector<float>(), (V{20, 22}));
  const auto several =
      std::tuple{[](Array v) { return v; }, [](Array v) { return -v; }, [](Array v) { return v * v; }};
  for (const auto& [index, first] :
       std::vector<std::pair<int, float>>{{0, 10}, {1, -10}, {2, 100}, {-5, 10}, {9, 100}})
    EXPECT_EQ(switch_(index, several, y)[0].item<float>(), first) << index;
  EXPECT_EQ(switch_(Array(int64_t{1} << 32), several, y)[0].item<float>(), 100.f);  // no wrapping
  EXPECT_EQ(switch_(Array(uint8_t{255}), several, y)[0].item<float>(), 100.f);
  const std::vector<std::function<Array(Array)>> many(300, [](Array a) { return a; });
  std::vector<std::function<Array(Array)>> last = many;
  last[127] = [](Array a) { return a + 127; };
  last[255] = [](Array a) { return a + 255; };
  EXPECT_EQ(switch_(Array(int8_t{127}), last, Array(0.0f)).item<float>(),
            127);  // of an index that cannot name all
  EXPECT_EQ(switch_(Array(uint8_t{255}), last, Array(0.0f)).item<float>(), 255);
  const std::vector<std::function<Array(Array)>> list = {[](Array v) { return v + 1.f; },
                                                         [](Array v) { return v + 2.f; }};
  EXPECT_EQ(switch_(1, list, x)[0].item<float>(), 3.f);
}

TEST(ControlFlowTest, OneInsideOfTheOther) {
  const auto collatz = jit([](Array n) {
    return while_loop([](std::pair<Array, Array> c) { return c.first > 1; },
                      [](std::pair<Array, Array> c) {
                        Array next = cond((c.first % 2) == 0, [](Array v) { return v / 2; },
                                          [](Array v) { return 3 * v + 1; }, c.first);
                        return std::pair(next, c.second + 1);
                      },
                      std::pair(n, 0))
        .second;
  });
  EXPECT_EQ(collatz(27).item<int>(), 111);
  EXPECT_EQ(collatz(1).item<int>(), 0);
}

// --- batches

TEST(ControlFlowTest, EachElementEndsAtItsOwnStep) {
  const auto doubled = vmap([](Array x) {
    return while_loop([](std::pair<Array, Array> c) { return c.first < 100.f; },
                      [](std::pair<Array, Array> c) { return std::pair(c.first * 2.f, c.second + 1); },
                      std::pair(x, 0));
  });
  const auto [x, steps] = doubled(Array::from<float>({1.f, 3.f, 300.f, 50.f}));
  EXPECT_EQ(x.to_vector<float>(), (V{128, 192, 300, 100}));
  EXPECT_EQ(steps.to_vector<int>(), (std::vector<int>{7, 6, 0, 1}));
}

// Elements whose steps are counted: of a batch of any size, each ends by itself inside of one kernel.
TEST(ControlFlowTest, ManyElementsEndInOneKernel) {
  const auto steps_to_one = jit(vmap([](Array n) {
    return while_loop([](std::pair<Array, Array> c) { return c.first != 1; },
                      [](std::pair<Array, Array> c) {
                        Array odd = c.first * 3 + 1, even = c.first / 2;
                        return std::pair(where(c.first % 2 == 0, even, odd), c.second + 1);
                      },
                      std::pair(n, 0))
        .second;
  }));
  for (const int64_t count : {1, 2, 31, 100, 1000}) {
    const Array start = arange(1, count + 1);
    std::vector<int> expected;
    for (int64_t n = 1; n <= count; ++n) {
      int steps = 0;
      for (int64_t at = n; at != 1; ++steps) at = at % 2 == 0 ? at / 2 : 3 * at + 1;
      expected.push_back(steps);
    }
    EXPECT_EQ(steps_to_one(start).to_vector<int>(), expected);
    // Of all steps that a launch may take, a kernel that ends by itself is told to do one.
    int64_t flops = 0;
    for (const KernelInfo& kernel : steps_to_one.lower(start).compile().kernels()) flops += kernel.flops;
    EXPECT_LT(flops, 100 * count + 100);
  }
}

// A state of several numbers, of which one step looks at all.
TEST(ControlFlowTest, StatesOfSeveralNumbersEndInOneKernel) {
  const auto norm_grows = jit(vmap([](Array x) {
    return while_loop([](Array v) { return sum(v * v) < 100.f; }, [](Array v) { return v * 2.f + v[0]; }, x);
  }));
  const Array x = Array::from<float>({4, 3}, {1, 0, 0, 0, 1, 2, 20, 0, 0, 3, 3, 3});
  EXPECT_EQ(norm_grows(x).to_vector<float>(), (V{9, 5, 5, 0, 8, 16, 20, 0, 0, 9, 9, 9}));
  int64_t flops = 0;
  for (const KernelInfo& kernel : norm_grows.kernels(x)) flops += kernel.flops;
  EXPECT_LT(flops, 1000);
}

TEST(ControlFlowTest, ABranchThatIsNotTakenReachesNothing) {
  const auto safe = vmap([](Array x) {
    return cond(
        x > 0.f, [](Array v) { return log(v); }, [](Array v) { return v; }, x);
  });
  EXPECT_EQ(safe(Array::from<float>({1.f, -2.f, 0.f})).to_vector<float>(), (V{0, -2, 0}));
}

TEST(ControlFlowTest, ASharedPredicateStaysOneBranch) {
  const auto f = [](Array p, Array x) {
    return cond(
        p, [](Array v) { return v + 1.f; }, [](Array v) { return v * v; }, x);
  };
  const std::string text =
      traced(vmap(f, {.in_axes = {std::nullopt, 0}}), Array::abstract(DType::kPred, {}), f32({5}));
  EXPECT_EQ(text.find("lanes"), std::string::npos) << text;
  const std::string own = traced(vmap(f), Array::abstract(DType::kPred, {5}), f32({5}));
  EXPECT_NE(own.find("lanes = [5]"), std::string::npos) << own;
}

// --- mistakes

// An operation of two dtypes tells which carry would have to become another one.
TEST(ControlFlowTest, ACarryOfAnotherDtypeIsNamed) {
  struct State {
    Array x, n;
  };
  const Array start = ones({}), zero = zeros({}, DType::kS32);
  const auto told = [](auto f, const std::string& types, const std::string& carry) {
    const std::string error = error_of(f), line = __FILE__ ":";
    EXPECT_NE(error.find(types + " have different dtypes"), std::string::npos) << error;
    const size_t at = error.find(". The first is made of " + carry + " at " + line);
    ASSERT_NE(at, std::string::npos) << error;
    EXPECT_NE(error.find(" as s32[] and has to leave it so: if it should become f32, begin with that", at),
              std::string::npos)
        << error;
  };
  told([&] { while_loop([](Array v) { return v < 3; }, [&](Array v) { return v + start; }, zero); },
       "add: the operands s32[] and f32[]", "carry, which comes into a step of while_loop");
  const auto less = [&](Array, State s) { return State{s.x, (s.n + 1) * 2 - start}; };
  told(
      [&] {
        fori_loop(0, 3, less, State{start, zero});
      },
      "sub: the operands s32[] and f32[]", "carry.n, which comes into a step of fori_loop");
  const std::string other = error_of([&] {
    fori_loop(
        0, 3, [](Array i, Array v) { return v * i; }, start);
  });
  EXPECT_NE(other.find("have different dtypes"), std::string::npos) << other;
  EXPECT_EQ(other.find("made of"), std::string::npos) << "it need not change: " << other;
}

TEST(ControlFlowTest, MistakesAreToldAtTheLine) {
  const Array x = counting({3});
  const auto id = [](Array v) { return v; };
  // No macro, which would have one line for all that it holds: the call in `f` is at most two lines below.
  const auto told = [](auto f, const std::string& message, int at = __builtin_LINE()) {
    const std::string error = error_of(f), file = __FILE__ ":";
    EXPECT_TRUE(error.starts_with(file)) << error;
    const std::string rest = error.substr(std::min(error.size(), file.size()));
    const int named = std::atoi(rest.c_str());
    EXPECT_TRUE(named >= at && named <= at + 2) << error << "\nat line " << at;
    const size_t colon = rest.find(": ");
    EXPECT_EQ(colon == std::string::npos ? rest : rest.substr(colon + 2), message);
  };
  told([&] { while_loop([](Array v) { return v < 1.f; }, id, x); },
       "while_loop: the condition returns pred[3], but must return pred[], whether to take a "
       "step; reduce it with any or all");
  told([&] { while_loop([](Array v) { return sum(v); }, id, x); },
       "while_loop: the condition returns f32[], but must return pred[], whether to take a "
       "step; compare it with something");
  told([&] { while_loop([](Array v) { return sum(v) < 1.f; }, [](Array v) { return sum(v); }, x); },
       "while_loop: carry comes in as f32[3], but a step makes it f32[]; a carry keeps its "
       "type: convert or broadcast the initial value, or what the step returns");
  told([&] { while_loop([](Array v) { return sum(v) < 1.f; }, id, x, {.max_steps = -1}); },
       "while_loop: max_steps is -1, but must not be negative");
  told(
      [&] {
        fori_loop(
            Array(1.f), 3, [](Array, Array v) { return v; }, x);
      },
      "fori_loop: the lower bound is f32[], but must be an integer of rank 0");
  told(
      [&] {
        fori_loop(
            Array(1), Array(int64_t{3}), [](Array, Array v) { return v; }, x);
      },
      "fori_loop: the bounds are s32[] and s64[], but must be of one dtype; convert one with "
      "astype");
  told([&] { cond(x > 0.f, id, id, x); },
       "cond: the predicate is pred[3], but must be pred[]; reduce it with any or all, or "
       "choose element by element with where");
  told([&] { cond(sum(x), id, id, x); },
       "cond: the predicate is f32[], but must be pred[]; compare it with something");
  told(
      [&] {
        cond(
            true, id, [](Array v) { return sum(v); }, x);
      },
      "cond: the result is f32[3] from the function for true, but f32[] from the one for "
      "false; all must return the same types");
  told(
      [&] {
        switch_(1.f, std::tuple{id, id}, x);
      },
      "switch_: the index is f32[], but must be an integer of rank 0; take one element, or "
      "convert it with astype");
  told([&] { switch_(1, std::vector<std::function<Array(Array)>>(), x); },
       "switch_: there are no branches to choose from");
}

// A number takes the dtype of the bound beside it, and is an error where it cannot.
TEST(ControlFlowTest, ABoundIsAValueOfTheDtypeOfTheOther) {
  const auto count = [](auto low, auto high, std::optional<int64_t> most = std::nullopt) {
    return fori_loop(
               low, high, [](Array, Array n) { return n + 1; }, Array(0), {.max_steps = most},
               std::source_location())
        .template item<int>();
  };
  const Array u8(uint8_t{5}), s8(int8_t{0}), s32(0);
  EXPECT_EQ(count(u8, 255), 250);
  EXPECT_EQ(count(int64_t{-128}, s8), 128);
  EXPECT_EQ(
      error_of([&] { count(u8, 300); }),
      "fori_loop: the upper bound: the number 300 is not a value of u8, whose values are the integers 0 "
      "to 255; convert the other bound with astype");
  EXPECT_EQ(error_of([&] { count(-1, u8); }),
            "fori_loop: the lower bound: the number -1 is not a value of u8, whose values are the integers 0 "
            "to 255; convert the other bound with astype");
  for (const std::string& error : {error_of([&] { count(u8, -1); }), error_of([&] { count(s8, 1000); }),
                                   error_of([&] { count(s32, (int64_t{1} << 32) + 5); }),
                                   error_of([&] { count(0, uint64_t{1} << 63, 10); })})
    EXPECT_NE(error.find("is not a value of "), std::string::npos) << error;
}

TEST(ControlFlowTest, TheStepsBetweenNumbersAreKnownAndBounded) {
  const auto count = [](int64_t low, int64_t high, std::optional<int64_t> most) {
    return fori_loop(
               low, high, [](Array, Array n) { return n + 1; }, Array(0), {.max_steps = most},
               std::source_location())
        .item<int>();
  };
  EXPECT_EQ(count(0, 10, 10), 10);
  EXPECT_EQ(count(10, 0, 0), 0);
  EXPECT_EQ(error_of([&] { count(0, 10, 3); }),
            "fori_loop: from 0 to 10 there are 10 steps, but the option max_steps allows 3");
  EXPECT_EQ(error_of([&] { count(0, 10, -3); }), "fori_loop: max_steps is -3, but must not be negative");
  EXPECT_NE(error_of([] {
              fori_loop(0, Array(10), [](Array, Array n) { return n + 1; }, Array(0), {.max_steps = 5});
            }).find("(in a call of 'fori_loop' at "),
            std::string::npos);
  EXPECT_NE(error_of([] {
              fori_loop(0, 10, [](Array, Array n) { return n + 1; }, Array(0),
                        {.max_steps = 5, .name = "mine"});
            }).find("mine: from 0 to 10 there are 10 steps"),
            std::string::npos);
  EXPECT_EQ(
      error_of([&] { count(INT64_MIN, INT64_MAX, std::nullopt); }),
      "fori_loop: from -9223372036854775808 to 9223372036854775807 there are 18446744073709551615 steps, "
      "but a loop between numbers takes at most 2^48; with an array for a bound there is no end");
  const std::string error = error_of([&] { arange(INT64_MIN, INT64_MAX, 1, DType::kS64); });
  EXPECT_NE(error.find("arange: from -9223372036854775808 to 9223372036854775807 in steps of 1 there are "
                       "18446744073709551615 numbers, more than the 2^48"),
            std::string::npos)
      << error;
}

// No array of the indices is there, in the program or before it: 2^40 of them would be 4 TiB.
TEST(ControlFlowTest, IndicesTakeNoMemory) {
  const auto f = [](Array x) {
    return fori_loop(
        0, int64_t{1} << 40, [](Array, Array n) { return n; }, x);
  };
  EXPECT_EQ(f(Array(7)).item<int>(), 7);
}

TEST(ControlFlowTest, TheCarryOfALoopWithAnIndexIsCalledSo) {
  struct State {
    Array a;
    std::vector<Array> v;
  };
  const auto grow = [](Array i, State s) {
    s.v.push_back(i);
    return s;
  };
  const auto widen = [](Array, Array c) { return c.astype(DType::kF64); };
  for (const bool array : {false, true}) {
    const detail::LoopBound end = array ? detail::LoopBound(Array(3)) : detail::LoopBound(3);
    const std::string lengths = error_of([&] { fori_loop(0, end, grow, State{Array(0), {}}); });
    EXPECT_NE(lengths.find(": carry.v "), std::string::npos) << lengths;
    const std::string types = error_of([&] { fori_loop(0, end, widen, counting<int>({1})[0]); });
    EXPECT_NE(types.find(": carry comes in as s32[], but a step makes it f64[]"), std::string::npos) << types;
  }
}

TEST(ControlFlowTest, ABoundThatIsTooSmallIsAnErrorWhenRun) {
  const auto f = jit([](Array x) {
    return while_loop([](Array v) { return v < 100.f; }, [](Array v) { return v * 2.f; }, x,
                      {.max_steps = 5});
  });
  EXPECT_EQ(f(4.f).item<float>(), 128.f);
  const std::string error = error_of([&] { f(1.f); });
  EXPECT_NE(error.find("the loop goes on after 5 steps"), std::string::npos) << error;
  EXPECT_EQ(f(50.f).item<float>(), 100.f);
}

// A step that changes nothing takes the loop nowhere: to its bound, or on until the caller ends it.
TEST(ControlFlowTest, ALoopThatChangesNothingDoesNotEnd) {
  const auto loop = [](WhileOptions options) {
    return jit([options](Array x) {
      return while_loop([](Array v) { return v.sum() < 10; }, [](Array v) { return v * 1.0f; }, x, options);
    });
  };
  EXPECT_NE(error_of([&] { loop({.max_steps = 10})(Array::full({3}, 1.f)); }).find("10 steps"),
            std::string::npos);
  EXPECT_EQ(loop({.max_steps = 10})(Array::full({3}, 9.f)).to_vector<float>(), (std::vector<float>{9, 9, 9}));
  EXPECT_EQ(loop({})(Array::full({3}, 9.f)).to_vector<float>(), (std::vector<float>{9, 9, 9}));
  const Deadline deadline(std::chrono::milliseconds(50));
  EXPECT_THROW(loop({})(Array::full({3}, 1.f)), Stopped);
}

// Launches take many steps each: as many as the bound is a multiple of, or one where there are no such
// numbers.
TEST(ControlFlowTest, ABoundIsMetExactlyHoweverManyStepsALaunchTakes) {
  for (const int64_t bound : {1, 2, 7, 5000, 65'536, 65'537, 100'000, 131'072}) {
    const auto count_to = [=](Array n) {
      using Count = std::pair<Array, Array>;
      return while_loop([](Count c) { return c.first < c.second; },
                        [](Count c) { return Count(c.first + 1, c.second); }, Count(Array(0), n),
                        {.max_steps = bound})
          .first;
    };
    const auto one = jit(count_to);
    const auto lanes = jit(vmap(count_to));
    const auto number = [](int64_t n) { return Array(static_cast<int32_t>(n)); };
    for (const int64_t steps : {int64_t{0}, int64_t{1}, bound - 1, bound})
      EXPECT_EQ(one(number(steps)).item<int32_t>(), steps) << bound;
    const Array few = stack({number(bound), number(0), number(1)});
    EXPECT_EQ(lanes(few).to_vector<int32_t>(), few.to_vector<int32_t>()) << bound;
    const std::string words = "the loop goes on after " + std::to_string(bound) + " steps";
    for (const std::string& error : {error_of([&] { one(number(bound + 1)); }), error_of([&] {
                                       lanes(stack({number(0), number(bound + 1)}));
                                     })})
      EXPECT_NE(error.find(words), std::string::npos) << error;
  }
}

// Where all that is used of a loop is what it hands on, it is run for the bound's sake.
TEST(ControlFlowTest, ABoundIsCheckedWhateverIsUsedOfTheLoop) {
  const auto run = [](Array x, int part) {
    return jit([=](Array a) {
      const auto [i, same] =
          while_loop([](std::pair<Array, Array> c) { return c.first < 10; },
                     [](std::pair<Array, Array> c) { return std::pair(c.first + 1, c.second); },
                     std::pair<Array, Array>(Array(0), a), {.max_steps = 3});
      return part == 0 ? i : part == 1 ? same : a;
    })(x);
  };
  for (const int part : {0, 1}) {
    const std::string error = error_of([&] { run(Array(7), part); });
    EXPECT_NE(error.find("the loop goes on after 3 steps"), std::string::npos) << error;
  }
  EXPECT_EQ(run(Array(7), 2).item<int>(), 7);  // what no result needs is not run
}

// The programs are equal but for their lines.
TEST(ControlFlowTest, EachCallHasItsOwnLineInTheErrorOfItsLoop) {
  const auto run = [](int from, const std::source_location& where) {
    return while_loop([](Array n) { return n < 3; }, [](Array n) { return n + 1; }, Array(from),
                      {.max_steps = 1}, where);
  };
  EXPECT_EQ(run(5, std::source_location::current()).item<int>(), 5);
  const auto where = std::source_location::current();
  const std::string error = error_of([&] { run(0, where); });
  EXPECT_EQ(error.find(testing::line(static_cast<int>(where.line())) + "the loop goes on after"), 0u)
      << error;
}

// Kernels may have written to what was given away; all else is as it was.
TEST(ControlFlowTest, AnErrorWhenRunLeavesArraysIntactButForDonatedOnes) {
  const auto f = jit(
      [](Array x, Array y) {
        const Array z = x + y;
        return while_loop([](Array v) { return sum(v) < 100.f; }, [](Array v) { return v * 2.f; }, z,
                          {.max_steps = 2});
      },
      {.donate = {0}, .name = "grow"});
  const Array x = counting({3}), y = counting({3});
  const std::vector<float> before = y.to_vector<float>();
  const std::string error = error_of([&] { f(x, y); });
  EXPECT_NE(error.find("control_flow_test.cc:"), std::string::npos) << error;
  EXPECT_NE(error.find("(in a call of 'grow' at "), std::string::npos) << error;
  EXPECT_EQ(y.to_vector<float>(), before);
  EXPECT_NE(error_of([&] { x + 1; }).find("was donated to a call of 'grow'"), std::string::npos);
}

TEST(ControlFlowTest, AStepThatSpeaksOfAllElementsNeedsOneWayForAll) {
  const auto f = [](Array x) {
    return while_loop([](Array v) { return v < 10.f; }, [](Array v) { return psum(v, "i"); }, x);
  };
  const int f_line = __LINE__ - 2;
  const auto g = [](Array x) {
    return cond(
        x > 1.f, [](Array v) { return psum(v, "i"); }, [](Array v) { return v; }, x);
  };
  const int g_line = __LINE__ - 3;
  const std::string told = ": the elements of the batch go different ways here";
  const std::string loop = error_of([&] { vmap(f, {.axis_name = "i"})(counting({3})); });
  EXPECT_EQ(loop.find(testing::line(f_line) + "while" + told), 0u) << loop;
  const std::string branch = error_of([&] { vmap(g, {.axis_name = "i"})(counting({3})); });
  EXPECT_EQ(branch.find(testing::line(g_line) + "cond" + told), 0u) << branch;
}

}  // namespace
}  // namespace ingot
