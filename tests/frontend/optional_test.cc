// Options that may be left out.
#include <optional>
#include <string>

#include "frontend/testing.h"

namespace ingot {
namespace {

TEST(OptionalTest, HoldsAValueOrNone) {
  Optional<int64_t> none, three = 3;
  EXPECT_FALSE(none.has_value() || none);
  EXPECT_TRUE(three.has_value() && three);
  EXPECT_EQ(*three + none.value_or(4), 7);
  three = std::nullopt;
  EXPECT_EQ(three.value_or(1), 1);
  three = 5;
  three = {};
  EXPECT_FALSE(three);
  static_assert(std::is_trivially_copyable_v<Optional<double>>);
  static_assert(!std::is_constructible_v<Optional<DType>, int>);
}

TEST(OptionalTest, CopiesAndMovesWhatIsNoPlainData) {
  using Text = Optional<std::string>;
  Text none, text = "a text that is too long to stand in the object itself";
  Text copy = text, moved = std::move(copy);
  EXPECT_EQ(*moved, *text);
  none = moved;
  EXPECT_EQ(none->size(), text->size());
  none = none;
  EXPECT_EQ(*none, *text);
  none = Text();
  EXPECT_FALSE(none);
  none = std::move(moved);
  EXPECT_EQ(*none, *text);
  none = {};
  EXPECT_FALSE(none);
  Optional<std::vector<int64_t>> list;
  list = {1, 2};
  EXPECT_EQ(list->size(), 2u);
  list = {};
  EXPECT_FALSE(list);
  text = std::nullopt;
  EXPECT_FALSE(text.has_value());
}

// So that .ys_axis = {1, 0} is a list of axes.
TEST(OptionalTest, TakesAListInBraces) {
  const Optional<Shape> two = {2, 3}, one = {4}, none = {};
  EXPECT_EQ(*two, (Shape{2, 3}));
  EXPECT_EQ(*one, (Shape{4}));
  EXPECT_FALSE(none);
  ScanOptions options{.ys_axis = {1, 0}};
  EXPECT_EQ(options.ys_axis->axes(), (std::vector<int64_t>{1, 0}));
  options.ys_axis = {0, 2, 1};
  EXPECT_EQ(options.ys_axis->axes(), (std::vector<int64_t>{0, 2, 1}));
  options.ys_axis = {};
  EXPECT_FALSE(options.ys_axis);
  static_assert(!std::is_constructible_v<Optional<double>, std::initializer_list<int64_t>>);
}

TEST(OptionalTest, IsMadeOfTheStandardOneAndBecomesOne) {
  const std::optional<double> given = 2.5, left_out;
  Optional<double> x = given;
  EXPECT_EQ(*x, 2.5);
  x = left_out;
  EXPECT_FALSE(x);
  const std::optional<double> back = Optional<double>(1);
  EXPECT_EQ(back, 1.0);
  EXPECT_EQ(linspace(0, 1, 3, {.dtype = std::optional(DType::kF64)}).dtype(), DType::kF64);
  EXPECT_EQ(sum(histogram(arange(4), 2, {.range = std::optional(std::pair(0.0, 9.0))}).counts).item<float>(),
            4);
}

struct Maybe {
  Array x;
  Optional<Array> bias;
};

TEST(OptionalTest, IsATree) {
  const auto f = jit([](Maybe m) { return m.bias ? m.x + *m.bias : m.x; });
  const Array x = testing::counting({2});
  EXPECT_EQ(f(Maybe{x, {}})[1].item<float>(), 1);
  EXPECT_EQ(f(Maybe{x, x})[1].item<float>(), 2);
  EXPECT_EQ(f.trace_count(), 2);
  EXPECT_EQ(tree::leaf_paths(Maybe{x, x}, "m"), (std::vector<std::string>{"m.x", "m.bias"}));
  const Maybe slope = grad([](Maybe m) { return sum(m.x * *m.bias); })(Maybe{x, x});
  EXPECT_EQ((*slope.bias)[1].item<float>(), 1);
}

}  // namespace
}  // namespace ingot
