// What a user may get wrong beyond shapes and dtypes (null pointers, enums that do not exist, empty axes),
// told in the terms that the user has written, and what is right though it is empty.
#include <functional>
#include <string>

#include "frontend/testing.h"

namespace ingot {
namespace {

using testing::counting;
using testing::error_of;

// What is wrong with this call, told at a line of this file.
template <class F>
std::string refusal(const F& f) {
  const std::string error = error_of(f), file = "refusals_test.cc:";
  const size_t begin = error.find(file);
  EXPECT_NE(begin, std::string::npos) << error;
  return error.substr(error.find(": ", begin) + 2);
}

Array indices(std::vector<int32_t> values) {
  return Array::from(values);
}

TEST(RefusalsTest, NullPointers) {
  EXPECT_EQ(refusal([] { Array::from_bytes(DType::kF32, {3}, nullptr); }),
            "Array::from_bytes: the pointer is null, but should be to the 12 bytes of a f32[3]");
  EXPECT_EQ(Array::from_bytes(DType::kF32, {0}, nullptr).size(), 0);
  EXPECT_EQ(refusal([] { counting({3}).to_host(nullptr); }),
            "to_host: the pointer is null, but should be to the 12 bytes of a f32[3]");
  const auto step = [](Array carry, Array x) { return std::pair(carry, x); };
  EXPECT_EQ(refusal([&] { scan(step, Array(0.0f), counting({3}), {.name = nullptr}); }),
            "scan: the option name is null; leave it out, or name the loop");
  EXPECT_EQ(refusal([&] {
              while_loop([](Array c) { return c < 3; }, [](Array c) { return c + 1; }, Array(0.0f),
                         {.name = nullptr});
            }),
            "while_loop: the option name is null; leave it out, or name the loop");
  EXPECT_EQ(
      refusal([&] { fori_loop(0, 3, [](Array, Array c) { return c + 1; }, Array(0.0f), {.name = nullptr}); }),
      "fori_loop: the option name is null; leave it out, or name the loop");
  const std::string null = "the function to be traced is a null pointer, or a std::function that holds none";
  Array (*none)(Array) = nullptr;
  const std::function<Array(Array)> empty;
  const Array x = counting({3});
  EXPECT_EQ(refusal([&] { jit(none)(x); }), null);
  EXPECT_EQ(refusal([&] { jit(none)(x); }), null);  // not kept from the first time
  EXPECT_EQ(refusal([&] { jit(empty)(x); }), null);
  EXPECT_EQ(refusal([&] { grad(none)(x); }), null);
  EXPECT_EQ(refusal([&] { vmap(none)(x); }), null);
  EXPECT_EQ(refusal([&] { jvp(none, x, x); }), null);
  EXPECT_EQ(refusal([&] { map(empty, x); }), null);
}

TEST(RefusalsTest, EnumsOutOfRange) {
  const Array x = counting({3}), i = indices({0, 1});
  const std::string of_6 = " is 77, but its type has the values 0 to 5 alone";
  EXPECT_EQ(refusal([&] { compare(static_cast<Compare>(77), x, x); }), "compare: the direction" + of_6);
  EXPECT_EQ(refusal([&] { compare(static_cast<Compare>(-1), x, x); }),
            "compare: the direction is -1, but its type has the values 0 to 5 alone");
  EXPECT_EQ(refusal([&] { scatter(static_cast<Scatter>(77), x, i, 1.0f); }),
            "scatter: the combiner is 77, but its type has the values 0 to 4 alone");
  const auto mode = static_cast<IndexMode>(9);
  const std::string of_2 = ": the mode is 9, but its type has the values 0 to 1 alone";
  EXPECT_EQ(refusal([&] { take(x, i, 0, mode); }), "take" + of_2);
  EXPECT_EQ(refusal([&] { take_along_axis(x, i, 0, mode); }), "take_along_axis" + of_2);
  EXPECT_EQ(refusal([&] { scatter(Scatter::kSet, x, i, 1.0f, 0, mode); }), "scatter" + of_2);
  const auto padding = static_cast<ConvPadding::Kind>(3);
  const std::string of_3 = ": the padding's kind is 3, but its type has the values 0 to 2 alone";
  const Array image = counting({1, 4, 1}), window = counting({2, 1, 1});
  EXPECT_EQ(refusal([&] { conv1d(image, window, {.padding = padding}); }), "conv1d" + of_3);
  EXPECT_EQ(refusal([&] { conv_transpose(image, window, {.padding = padding}); }), "conv_transpose" + of_3);
  EXPECT_EQ(refusal([&] { max_pool(image, {2}, {.padding = padding}); }), "max_pool" + of_3);
}

TEST(RefusalsTest, NoIndicesIntoNothing) {
  const Array none = Array::zeros({0}), no_rows = Array::zeros({0, 2}), ids = Array::zeros({0}, DType::kS32);
  const auto type = [](const Array& array) { return array.type_string(); };
  EXPECT_EQ(type(segment_sum(counting({3}), indices({0, 1, 5}), 0)), "f32[0]");
  EXPECT_EQ(type(segment_sum(counting({3, 2}), indices({0, 1, 5}), 0)), "f32[0,2]");
  EXPECT_EQ(type(segment_sum(none, ids, 0)), "f32[0]");
  EXPECT_EQ(segment_sum(none, ids, 2).to_vector<float>(), (std::vector<float>{0, 0}));
  const Array gradient = grad([](Array y) {
    return sum(segment_sum(y, indices({0, 1, 5}), 0)) + sum(y);
  })(counting({3}));
  EXPECT_EQ(gradient.to_vector<float>(), (std::vector<float>{1, 1, 1}));
  for (const IndexMode mode : {IndexMode::kFill, IndexMode::kClip}) {
    EXPECT_EQ(type(take(none, ids, 0, mode)), "f32[0]");
    EXPECT_EQ(type(take(no_rows, Array::zeros({0, 5}, DType::kS32), 0, mode)), "f32[0,5,2]");
    EXPECT_EQ(type(jit([=](Array y, Array i) { return take(y, i, 0, mode); })(no_rows, ids)), "f32[0,2]");
    EXPECT_EQ(type(take_along_axis(none, ids, 0, mode)), "f32[0]");
    EXPECT_EQ(type(take_along_axis(Array::zeros({3, 0}), Array::zeros({3, 0}, DType::kS32), 1, mode)),
              "f32[3,0]");
    EXPECT_EQ(
        type(take_along_axis(no_rows, Array::zeros({4, 0}, DType::kS32).reshape({0, 4}).slice({}), 1, mode)
                 .reshape({0, 4})),
        "f32[0,4]");
    for (const Scatter combiner : {Scatter::kSet, Scatter::kAdd, Scatter::kMax})
      EXPECT_EQ(type(scatter(combiner, none, ids, 1.0f, 0, mode)), "f32[0]");
  }
  EXPECT_EQ(type(scatter_add(no_rows, ids, no_rows)), "f32[0,2]");
  EXPECT_EQ(type(vmap([&](Array i) { return take(none, i); })(Array::zeros({3, 0}, DType::kS32))),
            "f32[3,0]");
  EXPECT_EQ(type(grad([&](Array y) { return sum(take(y, ids)); })(none)), "f32[0]");
  // But an index there is no element for is told.
  EXPECT_EQ(refusal([&] { take(none, indices({0})); }), "take: axis 0 of f32[0] has no elements to index");
  EXPECT_EQ(refusal([&] { take_along_axis(none, indices({0}), 0); }),
            "take_along_axis: axis 0 of f32[0] has no elements to index");
  EXPECT_EQ(refusal([&] { scatter_add(none, indices({0}), 1.0f); }),
            "scatter_add: axis 0 of f32[0] has no elements to index");
}

TEST(RefusalsTest, MapSaysWhatWasWritten) {
  const auto twice = [](Array x) { return x * 2; };
  const auto add = [](std::pair<Array, Array> p) { return p.first + p.second; };
  const Array x = counting({5, 2});
  for (const int64_t batch : {1, 2, 100}) {
    EXPECT_EQ(refusal([&] {
                map(add, std::pair(x, counting({4, 2})), 0, 0, batch);
              }),
              "map: x[1], a f32[4,2], has 4 slices along axis 0, but x[0], a f32[5,2], has 5");
    EXPECT_EQ(refusal([&] { map(twice, x, 2, 0, batch); }),
              "map: x: axis 2 is out of range for 2 dimensions, which are -2 to 1");
    EXPECT_EQ(refusal([&] { map(twice, x, 0, 2, batch); }),
              "map: 'out_axis' of result: axis 2 is out of range for 2 dimensions, which are -2 to 1");
    EXPECT_EQ(refusal([&] { map([](std::tuple<>) { return Array(1.0f); }, std::tuple<>(), 0, 0, batch); }),
              "map: xs holds no array, so there is nothing to map over");
    EXPECT_EQ(map(twice, Array::zeros({0, 2}), 0, 0, batch).type_string(), "f32[0,2]");
  }
  EXPECT_EQ(refusal([&] { map(twice, x, 0, 0, 0); }), "map: 'batch_size' is 0, but should be 1 or more");
  const std::vector<float> doubled = (x * 2).to_vector<float>();
  for (const int64_t batch : {5L, 6L, int64_t{1} << 40, INT64_MAX}) {
    EXPECT_EQ(map(twice, x, 0, 0, batch).to_vector<float>(), doubled);
    EXPECT_EQ(map(twice, x, -1, -1, batch).to_vector<float>(), doubled);
  }
}

TEST(RefusalsTest, AttentionSpeaksOfKeysAndBias) {
  const Array q = counting({2, 4}), k = counting({3, 4}), v = counting({3, 5});
  EXPECT_EQ(
      refusal([&] {
        attention(q, Array::zeros({0, 4}), Array::zeros({0, 5}));
      }),
      "attention: k is f32[0,4] and v is f32[0,5]: there are no keys that the queries of f32[2,4] could "
      "attend to; there must be one or more");
  EXPECT_EQ(attention(Array::zeros({0, 4}), Array::zeros({0, 4}), Array::zeros({0, 5})).type_string(),
            "f32[0,5]");
  EXPECT_EQ(attention(Array::zeros({0, 4}), k, v).type_string(), "f32[0,5]");
  EXPECT_EQ(refusal([&] {
              attention(q, k, v, {.bias = counting({3, 2})});
            }),
            "attention: the bias is f32[3,2], but must broadcast to [2,3], the scores' [..., queries, keys]");
  EXPECT_EQ(
      refusal([&] {
        attention(counting({6, 2, 4}), k, v, {.bias = counting({5, 2, 3})});
      }),
      "attention: the bias is f32[5,2,3], but must broadcast to [6,2,3], the scores' [..., queries, keys]");
  EXPECT_EQ(
      refusal([&] {
        attention(counting({6, 2, 4}), counting({5, 3, 4}), v);
      }),
      "attention: q is f32[6,2,4], k is f32[5,3,4] and v is f32[3,5]; their axes before the last two must "
      "broadcast");
  for (const Shape& shape : {Shape{}, Shape{3}, Shape{2, 1}, Shape{2, 3}, Shape{6, 1, 3}, Shape{7, 1, 1, 3}})
    attention(counting({6, 2, 4}), k, v, {.bias = Array::zeros(shape)});
}

TEST(RefusalsTest, CompositionsSpeakOfWhatWasWritten) {
  for (const auto& f : {softmax, log_softmax}) {
    EXPECT_EQ(f(Array::zeros({0, 3}), 0).type_string(), "f32[0,3]");
    EXPECT_EQ(f(Array::zeros({3, 0}), -1).type_string(), "f32[3,0]");
    EXPECT_EQ(grad([&](Array x) { return sum(f(x, 1)); })(Array::zeros({3, 0})).type_string(), "f32[3,0]");
  }
  const Array n = indices({1, 2}), x = counting({2});
  // Functions of integers are those of floats, as in JAX; what rounds leaves them.
  for (const auto& f : {exp, silu, gelu, sqrt, log1p}) EXPECT_EQ(f(n).type_string(), "f32[2]");
  EXPECT_EQ(softmax(n).type_string(), "f32[2]");
  EXPECT_EQ(floor(n).type_string(), "s32[2]");
  EXPECT_EQ(pow(n, n).type_string(), "s32[2]");
  EXPECT_EQ(refusal([&] { where(x, x, x); }),
            "where: the condition is a f32[2], but should be a pred array, such as x > 0 gives");
  EXPECT_EQ(refusal([&] { where(x > 0, n, counting<double>({2})); }).substr(0, 7), "where: ");
  EXPECT_EQ(refusal([&] { where(x > 0, x, counting({3})); }).substr(0, 7), "where: ");
  EXPECT_EQ(refusal([&] { select(x > 0, x, counting({3})); }).substr(0, 8), "select: ");
}

TEST(RefusalsTest, SayWhatThereIs) {
  const auto f = [](Array x) { return x + 1; };
  const Array x = counting({4});
  EXPECT_EQ(refusal([&] { jit(f, {.donate = {2}, .name = "f"})(x); }),
            "'f': argument 2 is to be donated, but the call has one argument, number 0");
  EXPECT_EQ(refusal([] { jit([] { return Array(1.0f); }, {.donate = {0}, .name = "f"})(); }),
            "'f': argument 0 is to be donated, but the call has no arguments");
  Array leaked;
  jit([&](Array y) {
    leaked = y * 2;
    return y;
  })(x);
  const std::string traced = refusal([&] { leaked + 1; });
  EXPECT_EQ(
      traced.find(
          "this traced f32[4] has no value here; use a concrete array (a traced one can be used "
          "only inside of the function that is being traced: return it from there; this one was made at "),
      0u)
      << traced;
  EXPECT_EQ(refusal([] { Array::abstract(DType::kF32, {4}) + 1; }),
            "this abstract f32[4] has no value here; use a concrete array");
  const Array image = counting({1, 4, 1}), window = counting({1, 1, 2});
  EXPECT_EQ(
      refusal([&] { conv1d(image, window, {.rhs_layout = "OIH"}); }),
      "conv1d: rhs_layout is \"OIH\", but there is no lhs_layout, which says where these dimensions stand in "
      "the first array; give one, such as \"NHC\"");
  EXPECT_EQ(refusal([&] { conv_transpose(image, window, {.rhs_layout = "OIH"}); }).substr(0, 33),
            "conv_transpose: rhs_layout is \"OI");
  EXPECT_EQ(refusal([&] { conv1d(image, window, {.out_layout = "NCH"}); }).substr(0, 33),
            "conv1d: out_layout is \"NCH\", but ");
  EXPECT_EQ(conv1d(image, window, {.lhs_layout = "NHC", .rhs_layout = "OIH"}).type_string(), "f32[1,3,1]");
}

}  // namespace
}  // namespace ingot
