// What a user of JAX tried on a second afternoon: numbers that are passed as arguments, masks, slices, trees
// whose numbers differ, structs whose numbers change.
#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>

#include "frontend/testing.h"

namespace ingot {
namespace {

using testing::counting;
using testing::error_of;
using V = std::vector<float>;

const auto scaled = [](Array x, Array rate) { return x * rate; };

// --- numbers are weak wherever they enter

TEST(WeakNumbersTest, ArgumentsTakeTheDtypeOfArrays) {
  const Array x = counting({3});
  EXPECT_EQ(jit(scaled)(x, 1e-3).type_string(), "f32[3]");
  EXPECT_EQ(jit(scaled)(x, 2).type_string(), "f32[3]");
  EXPECT_EQ(jit(scaled)(counting<double>({3}), 0.5f).type_string(), "f64[3]");
  EXPECT_EQ(jit(scaled)(counting<int>({3}), 0.5).type_string(), "f32[3]");
  EXPECT_EQ(jit(scaled)(x.astype(DType::kBF16), 0.5).type_string(), "bf16[3]");
  EXPECT_EQ(jit(scaled)(x, 0.5)[2].item<float>(), 1);
  EXPECT_EQ(grad([](Array x, Array rate) { return sum(x * rate); })(x, 0.5).type_string(), "f32[3]");
  EXPECT_EQ(vmap(scaled, {.in_axes = {0, std::nullopt}})(x, 0.5).type_string(), "f32[3]");
  EXPECT_EQ(scaled(x, 0.5).type_string(), "f32[3]");  // an Array made of a number, outside of programs
  EXPECT_EQ((x + Array(1.0)).type_string(), "f32[3]");
}

TEST(WeakNumbersTest, SoDoesWhatIsMadeOfNumbersAlone) {
  const Array x = counting({3});
  const auto decayed = [](Array x, Array b, Array step) { return x / (1 - pow(b, step + 1)) * sqrt(b); };
  EXPECT_EQ(jit(decayed)(x, 0.9, 3).type_string(), "f32[3]");
  EXPECT_NEAR(jit(decayed)(x, 0.25, 1)[1].item<float>(), 1 / (1 - 0.0625) * 0.5, 1e-6);
  const auto doubled = jit([](Array x, Array n) { return jit(scaled)(x, n * 2); });
  EXPECT_EQ(doubled(x, 0.5).type_string(), "f32[3]");
}

TEST(WeakNumbersTest, SoDoesWhatFunctionsOfTheLibraryMakeOfThem) {
  const std::vector<std::function<Array(const Array&)>> functions = {
      [](const Array& n) { return mean(n); },
      [](const Array& n) { return var(n); },
      [](const Array& n) { return cumsum(n); },
      [](const Array& n) { return cumprod(n, 0, true); },
      [](const Array& n) { return cummax(n); },
      [](const Array& n) { return logsumexp(n); },
      [](const Array& n) { return quantile(n, 0.5); },
      [](const Array& n) { return nanmedian(n); },
      [](const Array& n) { return diff(n, 2); },
      [](const Array& n) { return n.at(0).set(n[1]); },
      [](const Array& n) { return n.at(1).add(3.0); },
      [](const Array& n) {
        return n.at(Slice{0, 2}).mul(Array::full({2}, 2.f));
      },
      [](const Array& n) { return associative_scan([](Array a, Array b) { return a * b; }, n); },
  };
  for (const DType dtype : {DType::kBF16, DType::kF32, DType::kF64}) {
    const Array b = counting({3}).astype(dtype);
    for (size_t i = 0; i < functions.size(); ++i) {
      const auto beside = [&](Array n, Array b) {
        const Array made = functions[i](broadcast_to(n, {3}));
        return (made.rank() == 1 && made.shape(0) == 1 ? made[0] : made) * b;
      };
      EXPECT_EQ(jit(beside)(2.0, b).dtype(), dtype) << i;
    }
    EXPECT_EQ((sqrt(4.0) * b).dtype(), dtype);
    EXPECT_EQ((b - mean(2.0)).dtype(), dtype);
  }
  // What is asked for in a dtype is no number, whatever it was made of.
  const auto made = [](Array n, Array b) {
    return std::tuple(linspace(0, n, 3) * b, n.astype(DType::kF32) * b,
                      random::uniform(random::key(0), {3}, DType::kF32, n, n + 1) * b);
  };
  const auto [steps, converted, drawn] = jit(made)(2.0, counting({3}).astype(DType::kBF16));
  EXPECT_EQ(converted.dtype(), DType::kF32);
  EXPECT_EQ(drawn.dtype(), DType::kF32);
  EXPECT_EQ(steps.dtype(), DType::kF32);
}

TEST(WeakNumbersTest, OutsideOfProgramsToo) {
  const Array x = counting({3});
  EXPECT_EQ((x * (Array(1e-3) + 1)).type_string(), "f32[3]");
  EXPECT_EQ((x * sqrt(Array(4.0)))[2].item<float>(), 4);
  EXPECT_EQ((counting<uint8_t>({3}) * (Array(2) + 1)).type_string(), "u8[3]");
}

TEST(WeakNumbersTest, AloneTheyKeepTheirOwn) {
  const auto same = jit([](Array n) { return n * 2; });
  EXPECT_EQ(same(0.5).dtype(), DType::kF64);
  EXPECT_EQ(same(3).dtype(), DType::kS32);
  EXPECT_EQ(jit([](Array a, Array b) { return a + b; })(1, 0.5).dtype(), DType::kF64);
}

TEST(WeakNumbersTest, SoDoesWhatIsChosenAmongNumbers) {
  const Array x = counting({3}), p = x > 1;
  const auto steps = [](Array x) { return where(x > 1, 1.0, 0.0) * x; };
  EXPECT_EQ(steps(x).type_string(), "f32[3]");
  EXPECT_EQ(jit(steps)(x).type_string(), "f32[3]");
  EXPECT_EQ(jit(steps)(x.astype(DType::kBF16)).type_string(), "bf16[3]");
  EXPECT_EQ(jit(steps)(x.astype(DType::kF64)).type_string(), "f64[3]");
  EXPECT_EQ(steps(x).to_vector<float>(), (V{0, 0, 2}));
  EXPECT_EQ((where(p, 3, 1) * x).type_string(), "f32[3]");
  EXPECT_EQ((where(p, 3, 1) * counting<uint8_t>({3})).type_string(), "u8[3]");
  EXPECT_EQ((where(p, 1, 0.5) * x).to_vector<float>(), (V{0, 0.5, 2}));
  // Parts, sums and the like of such are no arrays of a dtype either.
  EXPECT_EQ((x / sum(where(p, 1.0, 0.0))).type_string(), "f32[3]");
  EXPECT_EQ((x + where(p, 1.0, 0.0)[0]).type_string(), "f32[3]");
  EXPECT_EQ(dot(where(p, 1.0, 0.0).reshape({1, 3}), x).type_string(), "f32[1]");
  EXPECT_EQ(vmap([](Array q, Array x) { return where(q, 1.0, 0.0) * x; })(p, x).type_string(), "f32[3]");
  const Array mask = jit([](Array p) { return where(p, 1.0, 0.0); })(p);
  EXPECT_EQ((mask * x).type_string(), "f32[3]");
  EXPECT_EQ(jit([](Array m, Array x) { return m * x; })(mask, x).type_string(), "f32[3]");
  EXPECT_EQ(jit([&](Array x) { return mask * x; })(x).type_string(), "f32[3]");
}

TEST(WeakNumbersTest, SoDoesWhatBranchesAndLoopsMakeOfNumbers) {
  const Array x = counting({3});
  const auto both = [&](auto f) {
    EXPECT_EQ(f(x).type_string(), "f32[3]");
    EXPECT_EQ(jit(f)(x).type_string(), "f32[3]");
    EXPECT_EQ(f(x).template to_vector<float>(), jit(f)(x).template to_vector<float>());
    return f(x)[1].template item<float>();
  };
  EXPECT_EQ(both([](Array x) {
              return x * cond(
                             x[0] > 1, [](Array a) { return a; }, [](Array a) { return a * 3; }, 0.5);
            }),
            1.5);
  EXPECT_EQ(both([](Array x) {
              return x * cond(
                             x[0] > 1, [] { return Array(1.0); }, [] { return Array(2.0); });
            }),
            2);
  EXPECT_EQ(both([](Array x) {
              return x *
                     switch_(1, std::tuple([](Array a) { return a; }, [](Array a) { return a + 1; }), 0.5);
            }),
            1.5);
  EXPECT_EQ(both([](Array x) {
              return x * fori_loop(
                             0, 3, [](Array, Array c) { return c * 2; }, 1.0);
            }),
            8);
  EXPECT_EQ(both([](Array x) {
              return x * while_loop([](Array c) { return c < 3; }, [](Array c) { return c * 2; }, 1.0);
            }),
            4);
  EXPECT_EQ(both([](Array x) { return jit([](Array a) { return a * 2; })(0.5) * x; }), 1);
  EXPECT_EQ(
      both([](Array x) {
        return x * jit([](Array p) { return jit([](Array q) { return where(q, 1.0, 0.5); })(p); })(x[0] > 0);
      }),
      0.5);
}

TEST(WeakNumbersTest, ArraysDecideTheDtypeOfBranchesAndLoops) {
  const Array x = counting({3}), half = x.astype(DType::kBF16);
  const auto total = [](Array x) {
    return scan([](Array c, Array x) { return std::pair(c + x, c); }, 0.0, x).first;
  };
  EXPECT_EQ(total(x).type_string(), "f32[]");
  EXPECT_EQ(total(x).item<float>(), 3);
  EXPECT_EQ(jit(total)(half).type_string(), "bf16[]");
  const auto unrolled = [](Array x) {
    return scan([](Array c, Array x) { return std::pair(c + x, c); }, 0, x, {.unroll = 2}).first;
  };
  EXPECT_EQ(unrolled(x).item<float>(), 3);
  EXPECT_EQ(unrolled(x).dtype(), DType::kF32);
  const auto grown = [](Array x) {
    return while_loop([](Array c) { return c < 9; }, [&](Array c) { return c + sum(x); }, 0);
  };
  EXPECT_EQ(grown(x).dtype(), DType::kF32);
  EXPECT_EQ(grown(x).item<float>(), 9);
  const auto chosen = [](Array x) {
    return cond(
        x[1] > 0, [&] { return x[2]; }, [] { return Array(0.0); });
  };
  EXPECT_EQ(chosen(x).dtype(), DType::kF32);
  EXPECT_EQ(jit(chosen)(half).dtype(), DType::kBF16);
  EXPECT_EQ(chosen(x).item<float>(), 2);
  // What an array cannot hold is none of its numbers.
  EXPECT_NE(error_of([&] {
              while_loop([](Array c) { return c < 9; }, [&](Array c) { return c.astype(DType::kS32) + 1; },
                         0.5);
            }).find("but a step makes it s32[]"),
            std::string::npos);
}

TEST(WeakNumbersTest, AstypeMakesAnArrayOfANumber) {
  const Array x = counting({3});
  for (const Array& number : {Array(0.5).astype(DType::kF64), where(x > 1, 1.0, 0.0).astype(DType::kF64)})
    EXPECT_NE(error_of([&] { x* number; }).find("have different dtypes"), std::string::npos);
  EXPECT_EQ((x.astype(DType::kBF16) * Array(0.5).astype(DType::kF32)).dtype(), DType::kF32);
}

TEST(WeakNumbersTest, ArraysStayAsTheyAre) {
  const Array x = counting({3}), f64 = Array::from<double>({1});
  EXPECT_NE(error_of([&] { jit(scaled)(x, f64); }).find("have different dtypes"), std::string::npos);
  EXPECT_NE(error_of([&] { jit(scaled)(x, f64[0]); }).find("have different dtypes"), std::string::npos);
  EXPECT_NE(error_of([&] { counting<uint8_t>({3}) + Array(300); }).find("is not a value of u8"),
            std::string::npos);
  // A program of an array is none of a number.
  const auto f = jit([](Array x, Array rate) { return x * rate; });
  EXPECT_EQ(f(f64, 2.0).dtype(), DType::kF64);
  EXPECT_EQ(f(f64, f64[0]).dtype(), DType::kF64);
  EXPECT_EQ(f.trace_count(), 2);
}

// --- parts

TEST(PartsTest, MasksChooseElements) {
  const Array x = Array::from<float>({3, -1, 2}), m = counting({2, 3});
  EXPECT_EQ(x(x > 0).to_vector<float>(), (V{3, 2}));
  EXPECT_EQ(x[x < 0].to_vector<float>(), V{-1});
  EXPECT_EQ(m(m > 3).to_vector<float>(), (V{4, 5}));
  EXPECT_EQ(m(Slice{}, x > 0).to_vector<float>(), (V{0, 2, 3, 5}));
  EXPECT_EQ(m(kEllipsis, x > 0).to_vector<float>(), (V{0, 2, 3, 5}));
  EXPECT_EQ(m(m > 9).shape(), Shape{0});
  EXPECT_EQ(at(x, x > 0).set(Array({7.f, 8.f})).to_vector<float>(), (V{7, -1, 8}));
}

TEST(PartsTest, NumbersArePutWhereAMaskIsTrue) {
  const Array x = Array::from<float>({3, -1, 2}), m = counting({2, 3});
  const auto f = jit([](Array v) {
    return std::tuple(v.at(v > 0).set(0), v.at(v < 0).add(5), v.at(v > 2).mul(2), v.at(v > 0).min(2),
                      v.at(v < 0).max(0), v.at(v < 0).apply([](Array u) { return -u; }), v.at(v > 0).sub(1));
  });
  const auto [set, add, mul, low, high, apply, sub] = f(x);
  EXPECT_EQ(set.to_vector<float>(), (V{0, -1, 0}));
  EXPECT_EQ(add.to_vector<float>(), (V{3, 4, 2}));
  EXPECT_EQ(mul.to_vector<float>(), (V{6, -1, 2}));
  EXPECT_EQ(low.to_vector<float>(), (V{2, -1, 2}));
  EXPECT_EQ(high.to_vector<float>(), (V{3, 0, 2}));
  EXPECT_EQ(apply.to_vector<float>(), (V{3, 1, 2}));
  EXPECT_EQ(sub.to_vector<float>(), (V{2, -1, 1}));
  // Rows by a mask of their axis.
  const Array rows = jit([](Array v, Array u) { return v.at(v(Slice{}, 0) > 0).set(u); })(m, x);
  EXPECT_EQ(rows.to_vector<float>(), (V{0, 1, 2, 3, -1, 2}));
  EXPECT_EQ(grad([](Array v) { return sum(v.at(v > 0).mul(3)); })(x).to_vector<float>(), (V{3, 1, 3}));
}

TEST(PartsTest, AnEndThatIsLeftOutIsTheEnd) {
  const Array x = counting({6});
  EXPECT_EQ((x(Slice{1, {}}).size()), 5);
  EXPECT_EQ(x(Slice{1, {}, 2}).to_vector<float>(), (V{1, 3, 5}));
  EXPECT_EQ(x(Slice{{}, 2}).to_vector<float>(), (V{0, 1}));
  EXPECT_EQ(x.slice({{}, {}, -1})[0].item<float>(), 5);
  EXPECT_EQ((x[Slice{2, 4}].to_vector<float>()), (V{2, 3}));
  EXPECT_EQ(x[Array({4, 1})].to_vector<float>(), (V{4, 1}));
}

// --- making

TEST(MakingTest, FullHasTheDtypeOfItsValue) {
  EXPECT_EQ(full(3, 2).type_string(), "s32[3]");
  EXPECT_EQ(full({2}, 2.0).type_string(), "f32[2]");
  EXPECT_EQ(Array::full({2}, true).type_string(), "pred[2]");
  EXPECT_EQ(Array::full({2}, int64_t{1}).type_string(), "s64[2]");
  EXPECT_EQ(Array::full({2}, std::complex<double>(1, 2)).type_string(), "c64[2]");
  EXPECT_EQ(Array::full(2, 1, DType::kF64).type_string(), "f64[2]");
  EXPECT_EQ(Array::full({2}, Array::from<double>({1})[0]).type_string(), "f64[2]");
  EXPECT_EQ(Array::zeros(3).type_string(), "f32[3]");
  EXPECT_EQ(Array::ones(3, DType::kS8).type_string(), "s8[3]");
  EXPECT_EQ(Array::zeros({}).type_string(), "f32[]");
  EXPECT_EQ(eye(2, DType::kS32).type_string(), "s32[2,2]");
}

TEST(MakingTest, ArraysOfVectors) {
  EXPECT_EQ(Array(std::vector<int>{1, 2}).type_string(), "s32[2]");
  EXPECT_EQ(Array(std::vector<bool>{true, false}).type_string(), "pred[2]");
  const Array m(std::vector<V>{{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(m.type_string(), "f32[2,3]");
  EXPECT_EQ(m(1, 0).item<float>(), 4);
  EXPECT_NE(error_of([] {
              Array(std::vector<V>{{1}, {1, 2}});
            }).find("a row of 2 numbers beside one of 1"),
            std::string::npos);
}

// --- trees

struct Layer {
  Array w;
  int steps = 1;
  std::string name = "a";
};

TEST(TreesOfNumbersTest, TreesThatAreMappedAgreeInAllButArrays) {
  const Array x = counting({2});
  const auto add = [](const Array& a, const Array& b) { return a + b; };
  EXPECT_EQ(tree::map(add, Layer{x}, Layer{x}).w[1].item<float>(), 2);
  EXPECT_NE(error_of([&] {
              tree::map(add, Layer{x, 1}, Layer{x, 2});
            }).find("tree::map: tree 2 is not like the first one: it has steps = 2, the first one steps = 1"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              tree::map(add, Layer{x, 1, "a"}, Layer{x, 1, "b"});
            }).find("name = \"b\""),
            std::string::npos);
}

// --- a program for each call

struct Settings {
  Array scale;
  float rate = 0;
};

std::string told_by_calls(int calls) {
  const auto f = jit([](Settings s) { return s.scale * s.rate; }, {.name = "trained"});
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < calls; ++i) f(Settings{Array::ones({2}), 0.1f * static_cast<float>(i)});
  return ::testing::internal::GetCapturedStderr();
}

TEST(ManyTracesTest, AreToldOnceWithTheLeafThatChanges) {
  EXPECT_EQ(told_by_calls(7), "");
  const std::string told = told_by_calls(20);
  EXPECT_NE(
      told.find("'trained' is traced and compiled for the 8th time, since arg0.rate differs from call to "
                "call (0, 0."),
      std::string::npos)
      << told;
  EXPECT_NE(told.find("let it be an Array"), std::string::npos);
  EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 1);
}

TEST(ManyTracesTest, NewShapesAreNoMistake) {
  const auto f = jit([](Array x) { return x + 1; });
  ::testing::internal::CaptureStderr();
  for (int64_t n = 1; n < 12; ++n) f(Array::zeros(n));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

// --- what operators cannot be

TEST(LogicTest, MessagesNameTheOperatorsOfElements) {
  const Array p = Array({true, false});
  const std::string told = error_of([&] { EXPECT_TRUE(!p); });
  EXPECT_NE(told.find("write &, | and ~ in place of &&, || and !"), std::string::npos) << told;
  const std::string both = error_of([&] { EXPECT_TRUE(p && p); });
  EXPECT_NE(both.find("write &, | and ~ in place of &&, || and !"), std::string::npos) << both;
  const std::string traced = error_of([&] { jit([](Array q) { return q && q ? Array(1) : Array(0); })(p); });
  EXPECT_NE(traced.find("&, | and ~ instead of &&, || and !"), std::string::npos) << traced;
}

// --- edges

TEST(EdgesTest, OfFunctions) {
  EXPECT_EQ(gammainc(0.0f, 1.0f).item<float>(), 1);
  EXPECT_EQ(gammaincc(0.0f, 1.0f).item<float>(), 0);
  EXPECT_TRUE(std::isnan(gammainc(0.0f, 0.0f).item<float>()));
  EXPECT_EQ(grad([](Array x) { return hypot(x, 0.0f); })(Array(0.0f)).item<float>(), 0.5f);
  EXPECT_EQ(roots(Array::zeros(3)).size(), 0);
  EXPECT_EQ(ndim(eye(2)), 2);
  EXPECT_NE(error_of([] { partition(arange(3), 3); }).find("place 3 is out of range"), std::string::npos);
  EXPECT_NE(error_of([] { block({{arange(2)}, {}}); }).find("block: "), std::string::npos);
  EXPECT_NE(error_of([] { piecewise(arange(2), {arange(2) > 0}, {}); }).find("0 pieces for 1 conditions"),
            std::string::npos);
  EXPECT_NE(error_of([] { interp(arange(2), arange(2), arange(3)); }).find("the points xp and fp are"),
            std::string::npos);
  EXPECT_NE(error_of([] { norm(eye(2), "max"); }).find("should be a number, \"fro\" or \"nuc\""),
            std::string::npos);
}

TEST(EdgesTest, OfVectorize) {
  const auto f = vectorize([](Array m, Array v) { return dot(m, v); }, "(m,n),(n)->(m)");
  EXPECT_EQ(f(Array::ones({4, 1, 2, 3}), Array::ones({5, 3})).shape(), (Shape{4, 5, 2}));
  EXPECT_NE(error_of([&] { f(Array::ones({2, 3}), Array::ones({4})); }).find("axis n of"), std::string::npos);
  EXPECT_NE(error_of([&] { f(Array::ones({2}), Array::ones({4})); }).find("should have 2 axes or more"),
            std::string::npos);
  EXPECT_NE(error_of([] { vectorize([](Array a) { return a; }, "n->n")(arange(2)); }).find("should be like"),
            std::string::npos);
  EXPECT_EQ(grad([&](Array v) {
              return sum(f(Array::ones({2, 3}), v));
            })(Array::ones({3}))[0]
                .item<float>(),
            2);
}

// --- what the next ones missed

TEST(ProductsOfPartsTest, HaveDerivativesOnBothSides) {
  const Array ones3 = Array::full({3}, 1.f);
  const auto of_slice = [&](Array y) { return sum(ones3.at(Slice{1, 3}).mul(y) * counting({3})); };
  EXPECT_EQ(grad(of_slice)(Array({2.f, 3.f})).to_vector<float>(), (V{1, 2}));
  EXPECT_EQ(grad([&](Array y) { return sum(at(ones3, 0).mul(y)); })(Array(2.f)).item<float>(), 1);
  const auto of_x = [](Array x) { return sum(x.at(Slice{1, 3}).mul(Array({2.f, 3.f}))); };
  EXPECT_EQ(grad(of_x)(ones3).to_vector<float>(), (V{1, 2, 3}));
  const Array tangent = jvp(
                            [&](Array y) {
                              return ones3.at(Slice{1, 3}).mul(y);
                            },
                            Array({2.f, 3.f}), Array::full({2}, 1.f))
                            .second;
  EXPECT_EQ(tangent.to_vector<float>(), (V{0, 1, 1}));
  EXPECT_EQ(counting({2, 3}).at(1, Slice{0, 3, 2}).mul(Array({5.f, 7.f})).to_vector<float>(),
            (V{0, 1, 2, 15, 4, 35}));
  const auto of_steps = [](Array y) { return sum(counting({6}).at(Slice{1, 6, 2}).mul(y)); };
  EXPECT_EQ(grad(of_steps)(Array({1.f, 2.f, 3.f})).to_vector<float>(), (V{1, 3, 5}));
  EXPECT_EQ(counting({3}).at(Slice{}, kNewAxis).mul(Array::full({3, 1}, 2.f)).to_vector<float>(),
            (V{0, 2, 4}));
}

TEST(WeakNumbersTest, DerivativesWithRegardToThem) {
  const Array x = counting({3});
  const auto square = [](Array s) { return s * s; };
  const auto both = std::make_tuple(Array(2.0));
  for (const DType dtype : {DType::kBF16, DType::kF32, DType::kF64}) {
    const Array b = x.astype(dtype);
    EXPECT_EQ((grad(square)(2.0) * b).dtype(), dtype);
    EXPECT_EQ((value_and_grad(square)(2.0).first * b).dtype(), dtype);
    EXPECT_EQ((vjp(square, both).first * b).dtype(), dtype);
    EXPECT_EQ((linearize(square, both).first * b).dtype(), dtype);
    EXPECT_EQ((jvp(square, both, std::make_tuple(Array(1.0))).second * b).dtype(), dtype);
    EXPECT_EQ(jit([](Array s, Array q) { return grad([&](Array z) { return sum(z * q); })(s) * q; })(2.0, b)
                  .dtype(),
              dtype);
  }
  EXPECT_EQ(grad(square)(Array({2.0})[0]).type_string(), "f64[]");
}

TEST(WeakNumbersTest, WhereverTheyEnterAndWhateverTheyGoThrough) {
  const Array x = counting({5}), m = counting({2, 3});
  const auto is_f32 = [](const Array& made) { return made.dtype() == DType::kF32; };
  EXPECT_TRUE(is_f32(x * expand_dims(2.0, 0)) && is_f32(x * ravel(2.0)) && is_f32(x * repeat(2.0, 5)));
  EXPECT_TRUE(is_f32(x * broadcast_to(2.0, {5})) && is_f32(x * stop_gradient(2.0)));
  EXPECT_EQ(outer(2.0, x).type_string(), "f32[1,5]");
  EXPECT_EQ(tensordot(m, 2.0, 0).type_string(), "f32[2,3]");
  EXPECT_TRUE(is_f32(jit([](Array x, Array a) { return x * full({5}, a) + zeros_like(a); })(x, 2.0)));
  const auto square = [](Array a) { return a * a; };
  EXPECT_TRUE(is_f32(x * hessian(square)(3.0)) && is_f32(x * jacfwd(square)(3.0)) &&
              is_f32(x * jacrev(square)(3.0)));
}

struct NumberAndArray {
  Array scale, w;
};

TEST(WeakNumbersTest, AsParametersThroughOptimisersAndFiles) {
  NumberAndArray params{1.0, Array::ones({5})};
  const auto loss = [](NumberAndArray p) { return mean(square(p.scale * p.w * counting({5}) - 1)); };
  const optim::Adam adam{.rate = 0.1};
  auto state = optim::init(adam, params);
  for (int i = 0; i < 3; ++i) {
    const auto [next, moved] = optim::update(adam, grad(loss)(params), state, params);
    params = next;
    state = moved;
  }
  EXPECT_EQ(loss(params).dtype(), DType::kF32);
  const std::string path = ::testing::TempDir() + "numbers_as_parameters.npz";
  io::save(path, params);
  EXPECT_EQ(loss(io::load_into(path, params)).item<float>(), loss(params).item<float>());
  std::remove(path.c_str());
}

TEST(ThirdAfternoonTest, BetaOfLargeArguments) {
  EXPECT_NEAR(beta(1.f, 1e6f).item<float>() * 1e6, 1, 1e-5);
  EXPECT_NEAR(beta(2.f, 1e8f).item<float>() * 1e16, 1, 1e-5);
  EXPECT_NEAR(beta(3.0, 4.0).item<double>(), 1 / 60., 1e-15);
  EXPECT_NEAR(betaln(1.0, 1e15).item<double>(), -std::log(1e15), 1e-12);
  EXPECT_NEAR(betaln(1e18, 2.0).item<double>(), -std::log(1e18) - std::log(1e18 + 1), 1e-12);
  EXPECT_NEAR(betaln(9.5, 20.25).item<double>(), std::lgamma(9.5) + std::lgamma(20.25) - std::lgamma(29.75),
              1e-12);
  // d/da log beta(a, b) = digamma(a) - digamma(a + b)
  const Array slope = grad([](Array a) { return betaln(a, 1e5); })(Array({2.5})[0]);
  EXPECT_NEAR(slope.item<double>(), digamma(2.5).item<double>() - digamma(1e5 + 2.5).item<double>(), 1e-9);
}

TEST(ThirdAfternoonTest, CountsThatAreTooLarge) {
  const Array x = counting({3}), bytes = Array::zeros({3}, DType::kU8);
  const auto says = [](const std::function<void()>& f, const std::string& text) {
    const std::string error = error_of(f);
    EXPECT_NE(error.find(text), error.npos) << error;
    EXPECT_NE(error.find("second_afternoon_test.cc:"), error.npos) << error;
  };
  says([&] { polyint(x, int64_t{1} << 62); }, "polyint: is taken 0 to 1000 times");
  says([&] { array_split(x, int64_t{1} << 62); }, "array_split: makes 4611686018427387904 arrays");
  says([&] { unstack(Array::zeros({int64_t{1} << 40, 0})); }, "unstack: makes 1099511627776 arrays");
  says([&] { multigammaln(x, int64_t{1} << 62); }, "multigammaln: d is 4611686018427387904");
  says([&] { unravel_index(Array({1}), {int64_t{1} << 62, 4}); }, "unravel_index: the shape");
  says([&] { random::permutation(random::key(0), -1); }, "random::permutation: there are -1 numbers");
  says([&] { repeat(x, Array({1, -1, 2})); }, "repeat: -1 is no number of repeats");
  says([&] { nn::softmax_cross_entropy(x, Array(1)); }, "softmax_cross_entropy_with_integer_labels");
  const auto long_repeat =
      jit([](Array b, Array each) { return repeat(b, each, {.total_repeat_length = 5}); });
  EXPECT_EQ(long_repeat(x, Array({2000000000, 2000000000, 300000000})).to_vector<float>(),
            (V{0, 0, 0, 0, 0}));
}

TEST(ThirdAfternoonTest, ShiftsAndPlacesOfAnyInteger) {
  const Array x = counting({5});
  EXPECT_EQ(roll(counting({3}), Array(~uint64_t{0}), 0).to_vector<float>(), (V{0, 1, 2}));
  EXPECT_EQ(roll(x, Array(uint64_t{1} << 63), 0).to_vector<float>(), (V{2, 3, 4, 0, 1}));
  EXPECT_EQ(roll(x, Array(-1), 0).to_vector<float>(), (V{1, 2, 3, 4, 0}));
  EXPECT_EQ(take(x, 2).item<float>(), 2);
  EXPECT_EQ(x.take(-1).item<float>(), 4);
  using C = std::complex<float>;
  const Array z = Array::from(std::vector<C>{{1, NAN}, {2, 0}, {NAN, 1}, {0, 0}, {NAN, NAN}, {2, 0}});
  EXPECT_EQ(unique(z).size(), 3);
  EXPECT_EQ(union1d(z, z.slice({0, 2})).size(), 3);
  // d halves are one sum, however many: log(2 pi^(1/2)) and so on cancel in the difference of neighbours.
  const double far = multigammaln(3000.0, 5000).item<double>() - multigammaln(3000.0, 4999).item<double>();
  EXPECT_NEAR(far, 0.5 * 4999 * std::log(std::numbers::pi) + std::lgamma(3000 - 4999 / 2.), 1e-6);
}

TEST(QuantilesTest, OfWhatIsNoNan) {
  const double nan = NAN, infinity = INFINITY;
  const Array x({nan, 0., 1., 4., 9., nan, 16., 25., 36., 49., 64., 81., 100.});
  EXPECT_EQ(nanquantile(x, 0.33).item<double>(), 11.100000000000001);  // f64 between elements
  EXPECT_EQ(nanquantile(x, Array(0.3f)).type_string(), "f64[]");
  EXPECT_EQ(nanquantile(x, {0.1, 0.5}).to_vector<double>(), (std::vector<double>{1, 25}));
  EXPECT_EQ(nanquantile(x, Array({0.1, 0.5})).to_vector<double>(), (std::vector<double>{1, 25}));
  EXPECT_EQ(nanpercentile(x, Array({10., 50.})).to_vector<double>(), (std::vector<double>{1, 25}));
  const auto part = [&](Array x, Array q) { return nanquantile(x, q); };
  EXPECT_NEAR(jit(part)(x, 0.33).item<double>(), 11.1, 1e-12);
  EXPECT_NEAR(grad([&](Array q) { return nanquantile(x, q); })(Array(0.33)).item<double>(), 70, 1e-9);
  const Array rows = stack({x, Array::full({13}, nan, DType::kF64), where(isnan(x), -infinity, x)});
  EXPECT_EQ(vmap(part, {.in_axes = {0, std::nullopt}})(rows, Array({0., 0.5})).shape(), (Shape{3, 2}));
  EXPECT_EQ(nanquantile(rows, Array({0., 0.5, 1.}), 1).shape(), (Shape{3, 3}));
  EXPECT_EQ(nanquantile(rows, Array(0.), 1, kKeepDims).shape(), (Shape{3, 1}));
  const std::vector<double> least = nanquantile(rows, Array(0.), 1).to_vector<double>();
  EXPECT_EQ(least[0], 0);
  EXPECT_TRUE(std::isnan(least[1]));
  EXPECT_EQ(least[2], -infinity);
  const std::string error = error_of([&] { nanquantile(x, Array::zeros({2, 2})); });
  EXPECT_NE(error.find("nanquantile: q is f32[2,2], but must be real numbers of rank 0 or 1"), error.npos)
      << error;
}

TEST(QuantilesTest, OfPartsThatAreArrays) {
  const Array x = reshape(Array({3.f, 9.f, 1.f, 7.f, 5.f, 2.f, 8.f, 4.f, 6.f, 0.f}), {2, 5});
  for (const QuantileMethod method :
       {QuantileMethod::kLinear, QuantileMethod::kLower, QuantileMethod::kHigher, QuantileMethod::kMidpoint,
        QuantileMethod::kNearest}) {
    for (const Axes& axes : {Axes(), Axes(0), Axes(1)}) {
      const Array q({0.f, 0.125f, 0.5f, 0.75f, 1.f});
      const Array wanted = quantile(x, {0, 0.125, 0.5, 0.75, 1}, axes, {}, method);
      EXPECT_EQ(quantile(x, q, axes, {}, method).to_vector<float>(), wanted.to_vector<float>());
      EXPECT_EQ(quantile(x, q[1], axes, kKeepDims, method).to_vector<float>(),
                quantile(x, 0.125, axes, kKeepDims, method).to_vector<float>());
      EXPECT_EQ(quantile(x, q, axes, kKeepDims, method).shape(),
                quantile(x, {0, 0.125, 0.5, 0.75, 1}, axes, kKeepDims, method).shape());
    }
  }
  const auto part = [&](Array q) { return quantile(x, q); };
  EXPECT_EQ(jit(part)(Array(0.3f)).item<float>(), part(Array(0.3f)).item<float>());
  EXPECT_NEAR(grad(part)(Array(0.3f)).item<float>(), 9,
              1e-5);  // nine steps of 1 from the least to the greatest
  EXPECT_EQ(vmap(part)(Array({0.f, 1.f})).to_vector<float>(), (V{0, 9}));
  EXPECT_EQ(percentile(x, Array({0.f, 50.f, 120.f})).to_vector<float>(), (V{0, 4.5f, 9}));
  EXPECT_TRUE(std::isnan(quantile(Array({1.f, NAN}), Array(0.f)).item<float>()));
}

TEST(NextMistakesTest, SayWhatTheUserHasWritten) {
  const Array x = counting({4, 3});
  EXPECT_TRUE(
      error_of([&] { percentile(x, 120); }).ends_with("percentile: q is 120, but must be from 0 to 100"));
  EXPECT_TRUE(error_of([&] {
                nanpercentile(x, {50, 101});
              }).ends_with("nanpercentile: q is 101, but must be from 0 to 100"));
  EXPECT_TRUE(
      error_of([&] { top_k(Array(1.f), 1); }).ends_with("top_k: takes an array with an axis, not a f32[]"));
  EXPECT_TRUE(error_of([&] {
                dynamic_update_slice(x, counting({3}), {1, 0});
              }).find("the update is f32[3], but needs as many axes as f32[4,3]") != std::string::npos);
  EXPECT_TRUE(error_of([&] {
                quantile(x, counting({2, 2}));
              }).find("real numbers of rank 0 or 1") != std::string::npos);
}

}  // namespace
}  // namespace ingot
