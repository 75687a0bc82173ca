// Index expressions: simplification checked by brute force, over all values of all variables of random
// expressions.

#include "base/index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace ingot {
namespace {

int64_t floor_div(int64_t a, int64_t b) {
  return a / b - ((a % b != 0 && a < 0) ? 1 : 0);
}

// An Index beside the same expression as written, evaluated without any simplification.
struct Expression {
  Index index;
  std::function<int64_t(const std::vector<int64_t>&)> value;
};

class RandomExpressions {
 public:
  explicit RandomExpressions(uint64_t seed) : random_(seed) {
    constexpr int64_t kExtents[] = {1, 2, 3, 4, 5, 6, 8, 12};
    for (int64_t points = 1, n = 1 + pick(3); n > 0; --n) {
      int64_t extent = kExtents[pick(std::size(kExtents))];
      if (points * extent > 200) extent = 1;
      points *= extent;
      extents_.push_back(extent);
    }
  }

  Expression make(int depth) {
    if (depth == 0) return leaf();
    Expression a = make(depth - 1);
    switch (pick(8)) {
      case 0:
      case 1: {
        Expression b = make(static_cast<int>(pick(depth)));
        return {a.index + b.index, [a, b](auto& v) { return a.value(v) + b.value(v); }};
      }
      case 2: {
        Expression b = make(static_cast<int>(pick(depth)));
        return {a.index - b.index, [a, b](auto& v) { return a.value(v) - b.value(v); }};
      }
      case 3: {
        int64_t factor = pick(13) - 4;
        return {a.index * factor, [a, factor](auto& v) { return a.value(v) * factor; }};
      }
      case 4:
      case 5: {
        int64_t divisor = 1 + pick(12);
        return {a.index.floor_div(divisor), [a, divisor](auto& v) { return floor_div(a.value(v), divisor); }};
      }
      case 6: {
        int64_t divisor = 1 + pick(12);
        return {a.index.mod(divisor),
                [a, divisor](auto& v) { return a.value(v) - floor_div(a.value(v), divisor) * divisor; }};
      }
      default: {
        int64_t low = a.index.min(), size = a.index.max() - low + 1;
        if (size > 64) return a;
        auto table = std::make_shared<std::vector<int64_t>>();
        for (int64_t i = 0; i < size; ++i) table->push_back(pick(20) - 5);
        return {(a.index - Index(low)).lookup(table),
                [a, low, table](auto& v) { return table->at(static_cast<size_t>(a.value(v) - low)); }};
      }
    }
  }

  // Calls fn with each assignment of values to the variables.
  template <class Fn>
  void for_all(Fn fn) const {
    std::vector<int64_t> values(extents_.size(), 0);
    while (true) {
      fn(values);
      size_t d = 0;
      while (d < values.size() && ++values[d] == extents_[d]) values[d++] = 0;
      if (d == values.size()) return;
    }
  }

  int64_t pick(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  const std::vector<int64_t>& extents() const { return extents_; }

 private:
  Expression leaf() {
    if (pick(4) == 0) {
      int64_t c = pick(31) - 10;
      return {Index(c), [c](auto&) { return c; }};
    }
    size_t id = static_cast<size_t>(pick(static_cast<int64_t>(extents_.size())));
    return {Index::variable(static_cast<int>(id), extents_[id]), [id](auto& v) { return v[id]; }};
  }

  std::mt19937_64 random_;
  std::vector<int64_t> extents_;
};

std::string text(const Index& index) {
  return index.to_string([](int id) { return std::string(1, static_cast<char>('i' + id)); });
}

Index v(int id, int64_t extent) {
  return Index::variable(id, extent);
}

TEST(IndexTest, SimplificationKeepsTheValue) {
  for (uint64_t seed = 0; seed < 20000; ++seed) {
    RandomExpressions random(seed);
    Expression e = random.make(1 + static_cast<int>(random.pick(6)));
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + text(e.index));
    int64_t low = e.index.min(), high = e.index.max();
    random.for_all([&](const std::vector<int64_t>& values) {
      auto at = [&](int id) { return values[static_cast<size_t>(id)]; };
      const int64_t expected = e.value(values);
      EXPECT_EQ(e.index.evaluate(at), expected);
      EXPECT_LE(low, expected);
      EXPECT_GE(high, expected);
    });
    if (HasFailure()) return;
  }
}

TEST(IndexTest, SubstitutionKeepsTheValue) {
  for (uint64_t seed = 0; seed < 5000; ++seed) {
    RandomExpressions random(seed);
    Expression e = random.make(1 + static_cast<int>(random.pick(5)));
    // Every variable is reversed, shifted to a part of its range, or split in two.
    const int parts = static_cast<int>(random.extents().size());
    std::vector<Index> replacement;
    std::vector<int64_t> new_extents(static_cast<size_t>(parts) * 2, 1);
    for (int id = 0; id < parts; ++id) {
      const int64_t extent = random.extents()[static_cast<size_t>(id)];
      int64_t& outer = new_extents[static_cast<size_t>(id)];
      int64_t& inner = new_extents[static_cast<size_t>(id + parts)];
      inner = extent % 2 == 0 ? 2 : 1;
      outer = extent / inner;
      Index whole = v(id, outer) * inner + v(id + parts, inner);
      replacement.push_back(random.pick(2) == 0 ? whole : Index(extent - 1) - whole);
    }
    Index substituted = e.index.substitute([&](int id, int64_t extent) {
      EXPECT_EQ(extent, random.extents()[static_cast<size_t>(id)]);
      return replacement[static_cast<size_t>(id)];
    });
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + text(e.index) + " -> " + text(substituted));
    std::vector<int64_t> values(new_extents.size(), 0);
    while (!HasFailure()) {
      auto at = [&](int id) { return values[static_cast<size_t>(id)]; };
      std::vector<int64_t> old;
      for (const Index& r : replacement) old.push_back(r.evaluate(at));
      EXPECT_EQ(substituted.evaluate(at), e.value(old));
      size_t d = 0;
      while (d < values.size() && ++values[d] == new_extents[d]) values[d++] = 0;
      if (d == values.size()) break;
    }
    if (HasFailure()) return;
  }
}

TEST(IndexTest, BoundsOfSumsOfDistinctVariablesAreExact) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    RandomExpressions random(seed);
    Index sum(random.pick(9) - 4);
    for (size_t id = 0; id < random.extents().size(); ++id) {
      sum = sum + v(static_cast<int>(id), random.extents()[id]) * (random.pick(9) - 4);
    }
    int64_t low = INT64_MAX, high = INT64_MIN;
    random.for_all([&](const std::vector<int64_t>& values) {
      const int64_t value = sum.evaluate([&](int id) { return values[static_cast<size_t>(id)]; });
      low = std::min(low, value);
      high = std::max(high, value);
    });
    EXPECT_EQ(sum.min(), low) << text(sum);
    EXPECT_EQ(sum.max(), high) << text(sum);
  }
}

TEST(IndexTest, SumsHaveOneForm) {
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    RandomExpressions random(seed);
    Index a = random.make(3).index, b = random.make(3).index, c = random.make(2).index;
    EXPECT_EQ((a + b) + c, c + (b + a));
    EXPECT_EQ(a + b - b, a);
    EXPECT_EQ((a + b) * 3, b * 3 + a * 3);
    EXPECT_EQ(a - a, Index(0));
    // Comparison is a strict total order.
    EXPECT_EQ(a<b, b> a);
    if (a < b && b < c) {
      EXPECT_LT(a, c);
    }
  }
}

// A reshape splits a linear index by division and remainder, and the next one puts it together again.
TEST(IndexTest, ReshapesThereAndBackVanish) {
  const Index i = v(0, 6), j = v(1, 4), k = v(2, 10);
  const Index linear = i * 40 + j * 10 + k;
  EXPECT_EQ(linear.floor_div(40), i);
  EXPECT_EQ(linear.mod(40).floor_div(10), j);
  EXPECT_EQ(linear.floor_div(10).mod(4), j);
  EXPECT_EQ(linear.mod(10), k);
  // [6,4,10] -> [12,20] -> [6,4,10]: each step divides what the one before multiplied.
  const Index row = linear.floor_div(20), column = linear.mod(20);
  EXPECT_EQ(row, i * 2 + j.floor_div(2));
  EXPECT_EQ(column, j.mod(2) * 10 + k);
  // [24,10] -> [240] -> [8,30], whose places say 30 (l div 30) + l mod 30.
  const Index whole = v(0, 24) * 10 + k;
  EXPECT_EQ((whole.floor_div(30) * 30 + whole.mod(30)).rejoined(), whole);
  EXPECT_EQ((i - k + whole.mod(30) * 2 + whole.floor_div(30) * 60).rejoined(), i - k + whole * 2);
  const Index half = whole.floor_div(2);
  EXPECT_EQ((half.floor_div(15) * 15 + half.mod(15)).rejoined(), half);
  EXPECT_EQ((whole.floor_div(30) * 31 + whole.mod(30)).rejoined(), whole.floor_div(30) * 31 + whole.mod(30));
  // Both of what one remainder is made of.
  const Index all = whole.mod(30) + whole.floor_div(30) * 30 + half.mod(15) * 7 + half.floor_div(15) * 105;
  EXPECT_EQ(all.rejoined(), whole + half * 7);
  // Division sees to it; a sum keeps its form, whatever was added in between.
  EXPECT_EQ((whole.floor_div(30) * 30 + whole.mod(30)).floor_div(12), whole.floor_div(12));
  EXPECT_EQ(whole.mod(30) + whole.floor_div(30) * 30 - whole.floor_div(30) * 30, whole.mod(30));
}

TEST(IndexTest, DivisionsOfDivisionsJoin) {
  const Index i = v(0, 1000);
  EXPECT_EQ(i.floor_div(5).floor_div(4), i.floor_div(20));
  EXPECT_EQ((i * 6).floor_div(4), (i * 3).floor_div(2));
  EXPECT_EQ((i * 6).mod(4), (i * 3).mod(2) * 2);
  EXPECT_EQ(text(i.mod(7).floor_div(7)), "0");
}

TEST(IndexTest, StepsAreCountedWhereverTheyStand) {
  const Index i = v(0, 1000), j = v(1, 7);
  EXPECT_EQ((i * 3 + j).steps(), 0);
  EXPECT_EQ((i.floor_div(7) + j).steps(), 1);
  EXPECT_EQ((i.floor_div(7) + i.mod(7)).steps(), 2);
  EXPECT_EQ(((i.floor_div(7) * 5 + i.mod(7)).mod(11)).steps(), 3);
  Index chain = i;
  for (int k = 0; k < 200; ++k) chain = (chain.floor_div(28) + chain.mod(28) * 20).mod(559);
  EXPECT_EQ(chain.steps(), Index::kMostSteps);
}

TEST(IndexTest, VariablesOfOneValueAreZero) {
  EXPECT_EQ(v(3, 1), Index(0));
  EXPECT_TRUE(v(3, 2).is_variable(3));
  EXPECT_FALSE((v(3, 2) + Index(1)).is_variable(3));
  EXPECT_EQ(v(3, 2).coefficient(3), 1);
  EXPECT_TRUE(v(0, 9).floor_div(2).uses_nonlinearly(0));
  EXPECT_FALSE(v(0, 9).uses_nonlinearly(0));
}

}  // namespace
}  // namespace ingot
