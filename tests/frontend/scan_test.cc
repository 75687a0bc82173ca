#include "ingot/scan.h"

#include "frontend/testing.h"

namespace ingot {
namespace {

using testing::counting;
using testing::error_of;
using testing::f32;
using testing::line;
using testing::traced;

const auto kCumulate = [](Array carry, Array x) {
  Array next = carry + x;
  return std::pair(next, next);
};

TEST(ScanTest, TracesToOneOperation) {
  EXPECT_EQ(
      traced([](Array x) { return scan(kCumulate, Array::zeros({4}), x, {.axis = 1}).second; }, f32({4, 9})),
      R"(func @f(%arg0: f32[4,9]) -> (f32[4,9]) {
  %constant = constant() {value = dense f32[]{0}} : f32[]
  %broadcast = broadcast(%constant) {dims = [], shape = [4]} : f32[4]
  %scan, %scan_1 = scan(%broadcast, %arg0) {carries = 1, length = 9, reverse = false, scanned = 1, xs_axes = [1], ys_axes = [1]} (%carry: f32[4], %x: f32[4]) {
    %add = add(%carry, %x) : f32[4]
    return %add, %add
  } : f32[4], f32[4,9]
  return %scan_1
}
)");
}

TEST(ScanTest, CapturesAreInvariantsWhereverTheyComeFrom) {
  const Array outside = counting({4});
  EXPECT_EQ(traced(
                [&](Array x, Array scale) {
                  const Array shift = scale * 2;
                  return scan([&](Array c, Array xi) { return std::pair(c * scale + shift + outside, xi); },
                              Array::zeros({4}), x);
                },
                f32({9, 4}), f32({4})),
            R"(func @f(%arg0: f32[9,4], %arg1: f32[4], %captured_3: f32[4]) -> (f32[4], f32[9,4]) {
  %constant = constant() {value = dense f32[]{2}} : f32[]
  %broadcast = broadcast(%constant) {dims = [], shape = [4]} : f32[4]
  %mul = mul(%arg1, %broadcast) : f32[4]
  %constant_1 = constant() {value = dense f32[]{0}} : f32[]
  %broadcast_1 = broadcast(%constant_1) {dims = [], shape = [4]} : f32[4]
  %scan, %scan_1 = scan(%broadcast_1, %arg0, %arg1, %mul, %captured_3) {carries = 1, length = 9, reverse = false, scanned = 1, xs_axes = [0], ys_axes = [0]} (%carry: f32[4], %x: f32[4], %captured: f32[4], %captured_1: f32[4], %captured_2: f32[4]) {
    %mul_1 = mul(%carry, %captured) : f32[4]
    %add = add(%mul_1, %captured_1) : f32[4]
    %add_1 = add(%add, %captured_2) : f32[4]
    return %add_1, %x
  } : f32[4], f32[9,4]
  return %scan, %scan_1
}
)");
}

TEST(ScanTest, ValuesForwardsAndBackwards) {
  const Array x = counting({2, 3});
  using V = std::vector<float>;
  const auto [last, sums] = scan(kCumulate, Array::zeros({2}), x, {.axis = 1});
  EXPECT_EQ(last.to_vector<float>(), (V{3, 12}));
  EXPECT_EQ(sums.to_vector<float>(), (V{0, 1, 3, 3, 7, 12}));
  const auto [first, back] =
      scan(kCumulate, Array::zeros({2}), x, {.axis = -1, .reverse = true, .ys_axis = 0});
  EXPECT_EQ(first.to_vector<float>(), (V{3, 12}));
  EXPECT_EQ(back.shape(), (Shape{3, 2}));
  EXPECT_EQ(back.to_vector<float>(), (V{3, 12, 3, 9, 2, 5}));
}

TEST(ScanTest, TreesWithDifferentAxes) {
  struct State {
    Array position, speed;
  };
  struct Input {
    Array force, time;
  };
  const auto simulate = jit([](State s, Input in) {
    return scan(
        [](State s, Input now) {
          State next{s.position + s.speed * now.time, s.speed + now.force};
          return std::tuple(next, std::map<std::string, Array>{{"p", next.position}});
        },
        s, in, {.axis = {1, 0}, .ys_axis = 1});
  });
  const auto [state, ys] = simulate(State{Array::zeros({2}), Array::zeros({2})},
                                    Input{Array::ones({2, 4}), Array::full({4}, 0.5)});
  EXPECT_EQ(state.position.to_vector<float>(), (std::vector<float>{3, 3}));
  EXPECT_EQ(ys.at("p").to_vector<float>(), (std::vector<float>{0, 0.5, 1.5, 3, 0, 0.5, 1.5, 3}));
}

TEST(ScanTest, NoXsAndNoYs) {
  const auto power = [](Array x) {
    return scan([&](Array c, std::tuple<>) { return std::pair(c * x, std::tuple<>()); }, Array(1.0f),
                std::tuple<>(), {.length = 5})
        .first;
  };
  EXPECT_EQ(jit(power)(2.0f).item<float>(), 32);
  EXPECT_EQ(power(Array(3.0f)).item<float>(), 243);
}

TEST(ScanTest, NestedScansCaptureThroughBothBodies) {
  const auto f = jit([](Array x) {
    const Array half = x * 0.5;
    return scan(
               [&](Array c, Array row) {
                 auto [total, unused] =
                     scan([&](Array inner,
                              Array xi) { return std::pair(inner + xi + half[0][0], std::tuple<>()); },
                          Array(0.0f), row);
                 return std::pair(c + total, std::tuple<>());
               },
               Array(0.0f), x)
        .first;
  });
  EXPECT_EQ(f(counting({2, 3}, 1.0f)).item<float>(), 21 + 6 * 0.5f);
}

TEST(ScanTest, FunctionsAreCalledInBodies) {
  const auto twice = jit([](Array x) { return x * 2; }, {.name = "twice"});
  const auto f = jit([&](Array x) {
    return scan([&](Array c, Array xi) { return std::pair(twice(c) + xi, c); }, Array(0.0f), x).first;
  });
  EXPECT_EQ(f(counting({4})).item<float>(), 11);
  EXPECT_EQ(twice.trace_count(), 1);
}

TEST(ScanErrorTest, CarryNamesTheLeafAndBothTypes) {
  struct Carry {
    Array h, c;
  };
  int here = 0;
  const auto f = [&](Array x) {
    here = __LINE__ + 1;
    return scan(
               [](Carry k, Array xi) {
                 return std::pair(Carry{k.h + xi, k.c}, xi);
               },
               Carry{Array(0.0f), Array(0.0f)}, x)
        .second;
  };
  std::string message = error_of([&] { traced(f, f32({3, 2})); });
  EXPECT_EQ(
      message,
      line(here) +
          "scan: carry.h comes in as f32[], but a step makes it f32[2]; a carry keeps its type: convert "
          "or broadcast the initial value, or what the step returns");
}

TEST(ScanErrorTest, LengthsMustAgree) {
  const std::string message = error_of([&] {
    scan([](Array c, std::pair<Array, Array> x) { return std::pair(c, x.first); }, Array(0.0f),
         std::pair(counting({3}), counting({4})));
  });
  EXPECT_NE(message.find("scan: x[1], a f32[4], has 4 steps along axis 0, but x[0] has 3"),
            std::string::npos);
}

}  // namespace
}  // namespace ingot
