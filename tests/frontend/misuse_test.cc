// What must not compile, since it would do nothing or something else than it says.
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "frontend/testing.h"

namespace ingot {
namespace {

using testing::counting;

// --- assignment to a part

template <class A>
concept PartsAreAssigned = requires(A x) {
  x[0] = 5.0f;
}
|| requires(A x) {
  x[0] = x;
}
|| requires(A x) {
  x[1] += 2;
}
|| requires(A x) {
  x.row(0) -= x;
}
|| requires(A x) {
  x.slice({0, 2}) *= 3;
}
|| requires(A x) {
  x.T() /= x;
}
|| requires(A x) {
  x.slices({{0, 1}}) = std::move(x);
}
|| requires(A x) {
  x.reshape({-1}) = x;
}
|| requires(A x) {
  x.astype(x.dtype()) = 1;
}
|| requires(A x) {
  exp(x) = x;
}
|| requires(A x) {
  (x + x) = x;
}
|| requires(A x) {
  A() = x;
}
|| requires(A x) {
  std::move(x) = x;
}
|| requires(A x) {
  std::move(x) += x;
};
static_assert(!PartsAreAssigned<Array>);

template <class S>
concept FieldsOfTemporariesAreAssigned = requires(S s) {
  S().a = s.a;
}
|| requires(S s) {
  std::get<0>(std::tuple(s.a, s.b)) = s.b;
};
struct Two {
  Array a, b;
};
static_assert(!FieldsOfTemporariesAreAssigned<Two>);

// --- what must go on compiling

static_assert(std::is_copy_assignable_v<Array> && std::is_nothrow_move_assignable_v<Array>);
static_assert(std::is_copy_assignable_v<Two> && std::is_move_assignable_v<Two>);
static_assert(std::is_swappable_v<Array> && std::is_swappable_v<Two>);
static_assert(
    requires(Array x) { x = 5.0f; } && requires(Array x) { x += 2; });

TEST(MisuseTest, VariablesAreAssigned) {
  Array x = counting({3}), y = x;
  x = 5.0f;
  EXPECT_EQ(x.item<float>(), 5);
  (x += 2) *= 3;
  EXPECT_EQ(x.item<float>(), 21);
  std::swap(x, y);
  EXPECT_EQ(y.item<float>(), 21);
  Two two{x, y}, other;
  other = two;
  other.a -= 1;
  std::tie(two.a, two.b) = std::pair(other.b, other.a);
  EXPECT_EQ(two.b.to_vector<float>(), (std::vector<float>{-1, 0, 1}));
  std::vector<Array> list(2);
  list[0] = y;
  list.at(1) = list.front();
  list.back() /= 7;
  EXPECT_EQ(list[1].item<float>(), 3);
  std::optional<Array> maybe;
  maybe = x;
  *maybe = y;
  auto [first, second] = two;
  first = second;
  EXPECT_EQ(first.to_vector<float>(), second.to_vector<float>());
}

TEST(MisuseTest, PartsAreWrittenByMakingTheWholeAnew) {
  Array x = counting({3});
  x = dynamic_update_slice(x, Array(5.0f).reshape({1}), {0});
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{5, 1, 2}));
  x = scatter_add(x, Array::from<int>({1, 1}), 2);
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{5, 5, 2}));
}

// --- options

constexpr auto kAdd = [](Array x, Array y) { return x + y; };

// {0, std::nullopt} would be in_axes = 0 and out_axes = nullopt, {0, 1} a scan along axis 0 in reverse.
template <class F, class A>
concept OptionsWithoutNames = requires(F f) {
  vmap(f, {0, std::nullopt});
}
|| requires(F f) {
  vmap(f, {0});
}
|| requires(F f) {
  jit(f, {{0, 1}});
}
|| requires(F f, A x) {
  scan(f, x, x, {0, 1});
}
|| requires(F f, A x) {
  scan(f, x, x, {1});
}
|| requires(F f) {
  checkpoint(f, {checkpoint_policies::dots_saveable});
}
|| requires(A x) {
  conv2d(x, x, {{2, 2}});
}
|| requires(A x) {
  conv2d(x, x, {{2, 2}, {1, 1}});
}
|| requires(A x) {
  max_pool(x, {2, 2}, {{2, 2}});
}
|| requires(A x) {
  attention(x, x, x, {true});
}
|| requires(A x) {
  dot_general(x, x, {{1}, {0}});
}
|| requires(A x) {
  dot_general(x, x, {{{1}, {0}}, {{}, {}}});
};
static_assert(!OptionsWithoutNames<decltype(kAdd), Array>);

static_assert(!std::is_constructible_v<BatchAxes, bool>);

// kKeepDims is no axis.
template <class A>
concept BoolsAreAxes = requires(A x) {
  sum(x, kKeepDims);
}
|| requires(A x) {
  max(x, true);
}
|| requires(A x) {
  x[true];
};
static_assert(!BoolsAreAxes<Array>);
static_assert(
    requires(Array x) { sum(x, 1, kKeepDims); } && requires(Array x) { sum(x, {}, true); });

// Numbers do not say that axes are kept: they would be axes, or ddof.
template <class A>
concept NumbersKeepDims = requires(A x) {
  sum(x, 0, 1);
}
|| requires(A x) {
  argmax(x, 0, 1);
}
|| requires(A x) {
  var(x, 0, 1, 1);
}
|| requires(A x) {
  logsumexp(x, 0, 1.0);
};
static_assert(!NumbersKeepDims<Array>);
template <class A>
concept KeepDimsIsDdof = requires(A x) {
  var(x, 0, kKeepDims);
}
|| requires(A x) {
  var(x, 0, true);
}
|| requires(A x) {
  std_(x, {0, 1}, kKeepDims);
}
|| requires(A x) {
  std_(x, 0, false);
};
static_assert(!KeepDimsIsDdof<Array>);
static_assert(
    requires(Array x, bool keepdims) {
      max(x, {0, 1}, keepdims);
    } &&
    requires(Array x) { var(x, {0}, 1, kKeepDims); } && requires(Array x) { std_(x, {}, 0, true); } &&
    requires(Array x) { argmin(x, 0, kKeepDims); });

TEST(MisuseTest, OptionsHaveNames) {
  const Array x = counting({3}), y = counting({2});
  EXPECT_EQ(vmap(kAdd, {.in_axes = {0, std::nullopt}})(x, y).shape(), (Shape{3, 2}));
  EXPECT_EQ(vmap(kAdd, {})(x, x).shape(), Shape{3});
  EXPECT_EQ(dot_general(x, y, {}).shape(), (Shape{3, 2}));
}

// Errors begin with the user's line, and with what the user called.
TEST(MisuseTest, MessagesNameWhatWasCalled) {
  using testing::error_of;
  using testing::line;
  const Array a = counting({4}), none;
  EXPECT_EQ(error_of([&] { hessian([](Array x) { return x * x; })(a); }).find(line(__LINE__) + "hessian: "),
            0u);
  EXPECT_EQ(error_of([&] { hvp([](Array x) { return x * x; }, a, a); }).find(line(__LINE__) + "hvp: "), 0u);
  EXPECT_EQ(error_of([&] { grad([](Array x) { return x * x; })(a); }).find(line(__LINE__) + "grad: "), 0u);
  EXPECT_EQ(error_of([&] { map([](Array x) { return x; }, a, 3); }).find(line(__LINE__) + "map: "), 0u);
  const std::string empty = "this array is empty (default-constructed)";
  EXPECT_EQ(error_of([&] { none.shape(); }).find(line(__LINE__) + empty), 0u);
  EXPECT_EQ(error_of([&] { none.dtype(); }).find(line(__LINE__) + empty), 0u);
  EXPECT_EQ(error_of([&] { none.rank(); }).find(line(__LINE__) + empty), 0u);
  EXPECT_EQ(error_of([&] { none.size(); }).find(line(__LINE__) + empty), 0u);
  EXPECT_EQ(error_of([&] { none.bytes(); }).find(line(__LINE__) + empty), 0u);
  const auto truth = [](const Array& array) { return error_of([&] { EXPECT_TRUE(bool(array)); }); };
  EXPECT_EQ(truth(none).find(empty), 0u);
  Array given = counting({});
  jit([](Array x) { return x + 1; }, {.donate = {0}, .name = "taker"})(given);
  EXPECT_NE(truth(given).find("this f32[] was donated to a call of 'taker'"), std::string::npos);
}

// A conversion to bool is given no line, but the array that it is of was made on one.
TEST(MisuseTest, ATruthThatIsNotClearIsToldAtTheLine) {
  using testing::error_of, testing::line;
  const auto truth = [](const Array& array) {
    return error_of([&] {
      if (array) ADD_FAILURE();
    });
  };
  const std::string cure =
      " that was made here is not clear; reduce it with ingot::any or ingot::all, or write &, | and ~ in "
      "place of &&, || and ! to go element by element";
  const Array u = Array::from<float>({1, 2, 3});
  const int made = __LINE__ - 1;
  EXPECT_EQ(truth(u), line(made) + "the truth of a f32[3]" + cure);
  const auto equal = [&] {
    if (u == u) ADD_FAILURE();
  };
  const int compared = __LINE__ - 2;
  EXPECT_EQ(error_of(equal), line(compared) + "the truth of a pred[3]" + cure);
  EXPECT_EQ(truth(Array::zeros({2})), line(__LINE__) + "the truth of a f32[2]" + cure);
  EXPECT_EQ(truth(softmax(u)), line(__LINE__) + "the truth of a f32[3]" + cure);
  const auto twice = jit([](Array x) { return x * 2; });
  EXPECT_EQ(truth(twice(u)), line(__LINE__) + "the truth of a f32[3]" + cure);
  EXPECT_EQ(truth(vmap([](Array x) { return x * 2; })(u)), line(__LINE__) + "the truth of a f32[3]" + cure);
  const Array nothing = Array::abstract(DType::kF32, {3});
  EXPECT_EQ(truth(nothing), line(__LINE__ - 1) + "an abstract f32[3] has no value");
  Array given = Array::zeros({});
  const int taken = __LINE__ - 1;
  jit([](Array x) { return x + 1; }, {.donate = {0}, .name = "taker"})(given);
  EXPECT_EQ(truth(given).find(line(taken) + "this f32[] was donated to a call of 'taker'"), 0u);
  EXPECT_TRUE(bool(u[0] == 1));
  EXPECT_FALSE(bool(any(u > 5)));
}

}  // namespace
}  // namespace ingot
