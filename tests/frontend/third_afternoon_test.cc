// Habits of NumPy and JAX that C++ allows, and what is said where a call cannot mean what was meant.
#include <cmath>
#include <optional>
#include <sstream>

#include "frontend/testing.h"

namespace ingot {
namespace {

using testing::counting;
using testing::error_of;
using V = std::vector<float>;

TEST(HabitsTest, ExtentsOneByOne) {
  const Array x = counting({2, 3});
  EXPECT_EQ(x.reshape(3, 2).shape(), (Shape{3, 2}));
  EXPECT_EQ(x.reshape(-1).shape(), (Shape{6}));
  EXPECT_EQ(x.reshape(size_t{6}, 1).shape(), (Shape{6, 1}));
  EXPECT_EQ(x.reshape({6}).shape(), (Shape{6}));
  EXPECT_EQ(x.transpose(1, 0).to_vector<float>(), x.T().to_vector<float>());
  EXPECT_EQ(counting({2, 3, 4}).transpose(2, 0, 1).shape(), (Shape{4, 2, 3}));
  EXPECT_EQ(reshape(x, -1).shape(), (Shape{6}));
  EXPECT_EQ(broadcast_to(Array(1.f), 4).shape(), (Shape{4}));
  EXPECT_EQ(tile(counting({2}), 2).to_vector<float>(), (V{0, 1, 0, 1}));
  EXPECT_NE(error_of([&] { x.reshape(4, 2); }).find("third_afternoon_test.cc"), std::string::npos);
  EXPECT_NE(error_of([&] { x.transpose(1, 1); }).find("third_afternoon_test.cc"), std::string::npos);
}

TEST(HabitsTest, BracesBeforeOtherIndicesAreWholeAxes) {
  const Array m = counting({2, 3});
  EXPECT_EQ(m({}, 1).to_vector<float>(), (V{1, 4}));
  EXPECT_EQ(m({}, {}, kNewAxis).shape(), (Shape{2, 3, 1}));
  EXPECT_EQ(m.at({}, 1).set(0).to_vector<float>(), (V{0, 0, 2, 3, 0, 5}));
  EXPECT_EQ(at(m, {}, 0).get().to_vector<float>(), (V{0, 3}));
  EXPECT_EQ(counting({2, 2, 2})(1, {}, 0).to_vector<float>(), (V{4, 6}));
  EXPECT_NE(error_of([&] { m(1, {}, 2); }).find("there are 3 indices for the 2 axes"), std::string::npos);
  EXPECT_EQ(counting({4}).transpose(0).shape(), (Shape{4}));
}

TEST(HabitsTest, ShapesAndDtypesArePrinted) {
  std::ostringstream out;
  out << counting({2, 3}).shape() << " " << counting({2}).dtype();
  EXPECT_EQ(out.str(), "[2,3] f32");
}

TEST(HabitsTest, AnExtentForTheShapeOfSamples) {
  const Array key = random::key(7);
  EXPECT_EQ(random::normal(key, 3).to_vector<float>(), random::normal(key, {3}).to_vector<float>());
  EXPECT_EQ(random::uniform(key, 3).shape(), (Shape{3}));
  EXPECT_EQ(random::gamma(key, 2.f, 5).shape(), (Shape{5}));
  EXPECT_EQ(random::choice(key, 10, 4).shape(), (Shape{4}));
  EXPECT_EQ(random::ball(key, 2, 2, 6).shape(), (Shape{6, 2}));
  EXPECT_EQ(random::orthogonal(key, 2, 6).shape(), (Shape{6, 2, 2}));
  EXPECT_EQ(random::normal(key).shape(), Shape());
  EXPECT_EQ(random::uniform(key, {}, DType::kF32, 0, counting({4})).shape(), (Shape{4}));
  EXPECT_TRUE(error_of([] {
                random::normal(Array({3, 4}));
              }).ends_with("but this is a s32[2]; the key comes first, then the shape"));
}

TEST(HabitsTest, NulloptStandsForNone) {
  const auto step = [](Array carry, std::nullopt_t) { return std::pair(carry * 2, std::nullopt); };
  const auto [last, ys] = scan(step, Array(1.f), std::nullopt, {.length = 3});
  EXPECT_EQ(last.item<float>(), 8);
  EXPECT_EQ(tree::leaves(ys).size(), 0u);
  EXPECT_EQ(jit([](Array x, std::nullopt_t) { return x + 1; })(1.f, std::nullopt).item<float>(), 2);
}

TEST(HabitsTest, UpdatesNameTheLeafOfAnotherNetwork) {
  struct Params {
    Array w, b;
  };
  const Params params{counting({2, 3}), counting({3})}, other{counting({2, 3}), counting({2, 1})};
  const optim::Adam adam;
  EXPECT_TRUE(error_of([&] {
                optim::update(adam, params, optim::init(adam, other), params);
              }).ends_with("state.mu.b is f32[2,1], but params.b, to which it belongs, is f32[3]"));
  EXPECT_TRUE(error_of([&] {
                optim::update(adam, other, optim::init(adam, params), params);
              }).ends_with("gradients.b is f32[2,1], but params.b, to which it belongs, is f32[3]"));
  const std::vector<Array> two = {counting({2}), counting({3})}, one = {counting({2})};
  EXPECT_TRUE(
      error_of([&] {
        optim::update(adam, one, optim::init(adam, two), two);
      }).ends_with("the gradients are a tree of 1 arrays with other names than the 2 of the parameters"));
  EXPECT_TRUE(error_of([&] {
                optim::update(adam, two, optim::init(adam, std::vector<Array>{two[0], two[0], two[0]}), two);
              }).ends_with("state.mu[1] is f32[2], but params[1], to which it belongs, is f32[3]"));
  auto state = optim::init(adam, params);
  state.nu.w = state.nu.w.astype(DType::kS32);
  EXPECT_TRUE(error_of([&] {
                optim::update(adam, params, state, params);
              }).ends_with("state.nu.w is s32[2,3], but params.w, to which it belongs, is f32[2,3]"));
  state = optim::init(adam, params);
  state.step = counting<int>({2});
  EXPECT_TRUE(error_of([&] {
                optim::update(adam, params, state, params);
              }).ends_with("state.step is s32[2], but should be one number"));
  EXPECT_NE(
      error_of([&] {
        optim::update(optim::Sgd{.rate = Array::ones({7, 3})}, one, optim::init(optim::Sgd{}, one), one);
      }).find("third_afternoon_test.cc"),
      std::string::npos);
  EXPECT_NE(
      error_of([&] {
        optim::update(optim::Sgd{.rate = Array::ones({7, 2})}, one, optim::init(optim::Sgd{}, one), one);
      }).find("has to keep its shape"),
      std::string::npos);
  EXPECT_NE(error_of([&] {
              optim::apply_updates(counting({2}), counting({3, 2}));
            }).find("third_afternoon_test.cc"),
            std::string::npos);
}

TEST(HabitsTest, NanIsNoPlaceAndNoTolerance) {
  const Array x = counting({3});
  EXPECT_TRUE(error_of([&] {
                nonzero(x, {.size = 4, .fill_value = NAN});
              }).ends_with("nonzero: the fill_value of places, which are s32, is nan"));
  EXPECT_TRUE(error_of([&] {
                flatnonzero(x, {.size = 4, .fill_value = 1e12});
              }).ends_with("flatnonzero: the fill_value of places, which are s32, is 1e+12"));
  EXPECT_NE(error_of([&] { pinv(counting({2, 2}), {.rtol = NAN}); }).find("pinv: rtol"), std::string::npos);
}

TEST(HabitsTest, WhatFillsUpIsANumberOfTheDType) {
  const Array i = Array::from<int>({3, 1, 3}), u = i.astype(DType::kU8), p = i == 3;
  const auto refused = [](const auto& f, const std::string& text) {
    EXPECT_TRUE(error_of(f).ends_with(text)) << error_of(f);
  };
  refused([&] { nonzero(i, {.size = 4, .fill_value = 1.5}); },
          "nonzero: the fill_value of places, which are s32, is 1.5");
  refused([&] { unique(i, {.size = 4, .fill_value = NAN}); },
          "unique: the fill_value of elements, which are s32, is nan");
  refused([&] { unique(i, {.size = 4, .fill_value = 1.5}); },
          "unique: the fill_value of elements, which are s32, is 1.5");
  refused([&] { unique(u, {.size = 4, .fill_value = 256}); },
          "unique: the fill_value of elements, which are u8, is 256");
  refused([&] { unique(u, {.size = 4, .fill_value = -1, .axis = 0}); },
          "unique: the fill_value of elements, which are u8, is -1");
  refused([&] { unique(p, {.size = 4, .fill_value = 2}); },
          "unique: the fill_value of elements, which are pred, is 2");
  refused([&] { unique_all(i, {.size = 4, .fill_value = 0x1p31}); },
          "unique_all: the fill_value of elements, which are s32, is 2147483648");
  refused([&] { union1d(i, i, {.size = 4, .fill_value = NAN}); },
          "union1d: the fill_value of elements, which are s32, is nan");
  refused([&] { compress(p, i, {.size = 4, .fill_value = 0.5}); },
          "compress: the fill_value of elements, which are s32, is 0.5");
  refused([&] { extract(p, u, {.size = 4, .fill_value = 300}); },
          "fill_value of elements, which are u8, is 300");
  EXPECT_EQ(unique(u, {.size = 3, .fill_value = 255}).to_vector<uint8_t>(),
            (std::vector<uint8_t>{1, 3, 255}));
  EXPECT_EQ(unique(i, {.size = 3, .fill_value = -0x1p31}).to_vector<int>(),
            (std::vector<int>{1, 3, INT32_MIN}));
  EXPECT_TRUE(std::isnan(unique(counting({2}), {.size = 3, .fill_value = NAN}).to_vector<float>()[2]));
}

TEST(HabitsTest, MoreThanAnArrayHoldsIsSaidByWhatIsCalled) {
  const Array i = Array::from<int>({3, 1, 3}), key = random::key(1);
  const auto refused = [](const auto& f, const std::string& text) {
    EXPECT_NE(error_of(f).find(text), std::string::npos) << error_of(f);
  };
  const std::string too_many = "] has more elements than an array may have, ";
  refused([&] { eye(INT64_MAX); }, ": eye: the shape [9223372036854775807,9223372036854775807" + too_many);
  refused([&] { one_hot(i, INT64_MAX); }, ": one_hot: the shape [3,9223372036854775807" + too_many);
  refused([&] { indices({INT64_MAX}); }, ": indices: the shape [1,9223372036854775807" + too_many);
  refused([&] { vander(i, INT64_MAX); }, ": vander: the shape [3,9223372036854775807" + too_many);
  refused([&] { linspace(0, 1, INT64_MAX); }, "linspace: the shape [9223372036854775807" + too_many);
  refused(
      [&] { histogram(counting({2}), INT64_MAX); },
      ": histogram: 9223372036854775807 bins have more edges than the 2^48 elements that an array may have");
  refused(
      [&] { unique(i, {.size = INT64_MAX}); },
      ": unique: the size is 9223372036854775807, but an array has at most 281474976710656 (2^48) elements");
  refused([&] { random::permutation(key, INT64_MAX); },
          ": random::permutation: there are 9223372036854775807 numbers to put in order, but s32 has "
          "2147483648 from 0 on; for more, give the array of them");
  refused([&] { diagflat(i, INT64_MAX); }, ": diagflat: the matrix with a s32[3] on its diagonal");
  refused(
      [&] { random::choice(key, -1, 3); },
      ": random::choice: a s32[0] has nothing to choose from; of a number n, choices are from 0 to n-1, and "
      "it should be 1 or more");
  // What is only larger than s32 counts is no mistake.
  EXPECT_EQ(jit([] { return eye(2, int64_t{1} << 32); }).lower().compile().launches() > 0, true);
}

TEST(HabitsTest, RowsWithNanAreEqual) {
  const Array rows({{1.f, NAN}, {0.f, 2.f}, {1.f, NAN}});
  EXPECT_EQ(unique(rows, {.axis = 0}).shape(), (Shape{2, 2}));
}

}  // namespace
}  // namespace ingot
