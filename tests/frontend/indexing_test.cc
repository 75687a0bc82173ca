// Elements at indices that are known at run time, against plain loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "frontend/testing.h"

namespace ingot {
namespace {

using testing::counting;
using testing::error_of;
using testing::f32;
using testing::line;
using testing::s32;

Array ints(Shape shape, const std::vector<int32_t>& values) {
  return Array::from(std::move(shape), values);
}

TEST(IndexingTest, TakesRowsColumnsAndElements) {
  const Array x = counting({4, 3});
  EXPECT_EQ(take(x, ints({3}, {2, 0, 2})).to_vector<float>(),
            (std::vector<float>{6, 7, 8, 0, 1, 2, 6, 7, 8}));
  EXPECT_EQ(take(x, ints({2, 1}, {2, -3}), 1).shape(), (Shape{4, 2, 1}));
  EXPECT_EQ(take(x, ints({2, 1}, {2, -3}), 1).to_vector<float>(),
            (std::vector<float>{2, 0, 5, 3, 8, 6, 11, 9}));
  EXPECT_EQ(take(x, ints({}, {1})).to_vector<float>(), (std::vector<float>{3, 4, 5}));
  EXPECT_EQ(take(counting({7}), ints({5}, {6, 5, 0, 1, 1})).to_vector<float>(),
            (std::vector<float>{6, 5, 0, 1, 1}));
  EXPECT_EQ(take(x, ints({0}, {})).shape(), (Shape{0, 3}));
  EXPECT_EQ(take(x, {2, 0}).shape(), (Shape{2, 3}));  // constant indices
}

TEST(IndexingTest, IndicesOutOfRangeFillOrAreCut) {
  const Array x = counting({3}, 1.0f), far = ints({4}, {3, -4, 2, -1});
  const std::vector<float> filled = take(x, far).to_vector<float>();
  EXPECT_TRUE(std::isnan(filled[0]) && std::isnan(filled[1]));
  EXPECT_EQ(filled[2], 3);
  EXPECT_EQ(filled[3], 3);
  EXPECT_EQ(take(x, far, 0, IndexMode::kClip).to_vector<float>(), (std::vector<float>{3, 1, 3, 1}));
  EXPECT_EQ(take(counting<int32_t>({3}), far).to_vector<int32_t>()[0], std::numeric_limits<int32_t>::min());
  EXPECT_EQ(take(counting<uint8_t>({3}), far).to_vector<uint8_t>()[0], 255);
  const Array large = Array::from({2}, std::vector<uint64_t>{1, ~uint64_t{0}});
  EXPECT_EQ(take(x, large, 0, IndexMode::kClip).to_vector<float>(), (std::vector<float>{2, 3}));
  const Array bytes = Array::from({2}, std::vector<uint8_t>{1, 200});
  EXPECT_EQ(take(counting({1000}), bytes).to_vector<float>(), (std::vector<float>{1, 200}));
}

// An axis may be longer than the indices can count: they reach its first elements, and its last ones from the
// end.
template <class T>
void expect_narrow_indices_work(int64_t extent) {
  const T most = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::min();
  const Array x = arange(extent), i = Array::from<T>({1, most, static_cast<T>(-1), least});
  const auto at = [&](T index) {
    return static_cast<int32_t>(index) < 0 ? static_cast<int32_t>(extent + index)
                                           : static_cast<int32_t>(index);
  };
  const auto there = [&](int32_t place) { return place >= 0 && place < extent; };
  const std::vector<int32_t> places = {at(1), at(most), at(static_cast<T>(-1)), at(least)};
  const std::vector<int32_t> taken = take(x, i).template to_vector<int32_t>();
  EXPECT_EQ(take_along_axis(x, i, 0).template to_vector<int32_t>(), taken);
  std::vector<int32_t> sums(static_cast<size_t>(extent), 0);
  for (size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(taken[k], there(places[k]) ? places[k] : INT32_MIN) << extent << " " << k;
    if (there(places[k])) sums[static_cast<size_t>(places[k])] += 1;
  }
  const Array none = Array::zeros({extent}, DType::kS32);
  EXPECT_EQ(scatter_add(none, i, 1).template to_vector<int32_t>(), sums);
  // As in jax.ops, negative ids are those of no segment.
  std::vector<int32_t> segments(static_cast<size_t>(extent), 0);
  for (const T id : {T(1), most, static_cast<T>(-1), least}) {
    const auto wide = static_cast<int64_t>(id);
    if (wide >= 0 && wide < extent) segments[static_cast<size_t>(wide)] += 1;
  }
  EXPECT_EQ(segment_sum(Array::ones({4}, DType::kS32), i, extent).template to_vector<int32_t>(), segments);
  for (const T start : {T(1), most, static_cast<T>(-1), least}) {
    const int64_t first = std::clamp<int64_t>(at(start), 0, extent - 2);
    const Array part = dynamic_slice(x, {Array(start)}, {2});
    EXPECT_EQ(part.template to_vector<int32_t>(),
              (std::vector<int32_t>{static_cast<int32_t>(first), static_cast<int32_t>(first) + 1}));
    const Array written = dynamic_update_slice(none, Array::ones({2}, DType::kS32), {Array(start)});
    EXPECT_EQ(argmax(written, 0).template item<int64_t>(), first);
  }
  const std::vector<int32_t> cut = take(x, i, 0, IndexMode::kClip).template to_vector<int32_t>();
  for (size_t k = 0; k < 4; ++k) {
    const T index = std::array<T, 4>{1, most, static_cast<T>(-1), least}[k];
    EXPECT_EQ(cut[k], std::clamp<int64_t>(static_cast<int64_t>(index), 0, extent - 1));
  }
}

TEST(IndexingTest, NarrowIndicesReachIntoLongAxes) {
  for (int64_t extent : {5, 127, 128, 129, 255, 256, 300}) {
    expect_narrow_indices_work<int8_t>(extent);
    expect_narrow_indices_work<uint8_t>(extent);
  }
  for (int64_t extent : {300, 32767, 32768, 40000, 70000}) expect_narrow_indices_work<int16_t>(extent);
  expect_narrow_indices_work<uint16_t>(70000);
  // No array of so many elements is made here: the types alone are asked for.
  const Array longest = eval_shape(
      [](Array x) {
        return take(x, Array::from<int32_t>({1, -1}));
      },
      f32({int64_t{1} << 40}));
  EXPECT_EQ(longest.shape(), (Shape{2}));
}

TEST(IndexingTest, TakesAlongAnAxis) {
  const Array x = counting({2, 3});
  EXPECT_EQ(take_along_axis(x, ints({2, 2}, {2, 0, 1, 1}), 1).to_vector<float>(),
            (std::vector<float>{2, 0, 4, 4}));
  EXPECT_EQ(take_along_axis(x, ints({1, 3}, {1, 0, -1}), 0).to_vector<float>(),
            (std::vector<float>{3, 1, 5}));
  EXPECT_EQ(take_along_axis(x, ints({2, 2}, {7, 0, -5, 1}), 1, IndexMode::kClip).to_vector<float>(),
            (std::vector<float>{2, 0, 3, 4}));
  EXPECT_EQ(take_along_axis(x, ints({1, 2}, {2, 0}), 1).to_vector<float>(), (std::vector<float>{2, 0, 5, 3}));
}

TEST(IndexingTest, SlicesWhereItIsTold) {
  const Array x = counting({4, 5});
  EXPECT_EQ(dynamic_slice(x, {1, 2}, {2, 2}).to_vector<float>(), (std::vector<float>{7, 8, 12, 13}));
  EXPECT_EQ(dynamic_slice(x, {9, -2}, {2, 2}).to_vector<float>(), (std::vector<float>{13, 14, 18, 19}));
  // No unsigned number is negative.
  const Array three = counting({3}, 1.0f);
  for (const uint64_t start : {uint64_t{1} << 63, UINT64_MAX, uint64_t{3}, uint64_t{1}}) {
    const Array at = Array::full({}, start, DType::kU64);
    EXPECT_EQ(dynamic_slice(three, {at}, {2}).to_vector<float>(), (std::vector<float>{2, 3})) << start;
    EXPECT_EQ(dynamic_update_slice(three, counting({2}, 8.0f), {at}).to_vector<float>(),
              (std::vector<float>{1, 8, 9}))
        << start;
  }
}

// No negative id counts from the end.
TEST(IndexingTest, SegmentsTakeNoRowsOfOtherIds) {
  const Array x = Array::from(std::vector<float>{1, 10, 100, 1000});
  const std::vector<float> sums = {0, 1000, 1};
  EXPECT_EQ(segment_sum(x, Array::from<int32_t>({2, -1, 5, 1}), 3).to_vector<float>(), sums);
  EXPECT_EQ(segment_sum(x, Array::from<int8_t>({2, -1, 5, 1}), 3).to_vector<float>(), sums);
  EXPECT_EQ(segment_sum(x, Array::from<uint8_t>({2, 255, 5, 1}), 3).to_vector<float>(), sums);
  EXPECT_EQ(segment_sum(x, Array::from<int8_t>({2, -1, -100, 1}), 1000).shape(), Shape{1000});
}

TEST(IndexingTest, BatchesOfBoth) {
  const Array x = counting({5, 4, 3}), i = ints({5, 2}, {0, 3, 1, 1, 2, 0, 3, 3, 0, 1});
  const auto rows = [](Array a, Array b) { return take(a, b); };
  const Array y = vmap(rows)(x, i);
  for (int64_t b = 0; b < 5; ++b) EXPECT_EQ(y[b].to_vector<float>(), take(x[b], i[b]).to_vector<float>());
  const Array z = vmap(rows, {.in_axes = {std::nullopt, 1}})(x[0], i);
  for (int64_t b = 0; b < 2; ++b)
    EXPECT_EQ(z[b].to_vector<float>(), take(x[0], index_axis(i, 1, b)).to_vector<float>());
  const Array w = vmap(rows, {.in_axes = {2, std::nullopt}})(x, i[0]);
  for (int64_t b = 0; b < 3; ++b)
    EXPECT_EQ(w[b].to_vector<float>(), take(index_axis(x, 2, b), i[0]).to_vector<float>());
}

TEST(IndexingTest, ScattersRowsInTheirOrder) {
  const Array x = Array::zeros({4, 3}), rows = counting({3, 3}, 1.0f), at = ints({3}, {2, 0, 2});
  EXPECT_EQ(scatter_add(x, at, rows).to_vector<float>(),
            (std::vector<float>{4, 5, 6, 0, 0, 0, 8, 10, 12, 0, 0, 0}));
  EXPECT_EQ(scatter(Scatter::kSet, x, at, rows).to_vector<float>(),
            (std::vector<float>{4, 5, 6, 0, 0, 0, 7, 8, 9, 0, 0, 0}));
  EXPECT_EQ(scatter(Scatter::kMul, x + 2, ints({2}, {1, 1}), 3).to_vector<float>(),
            (std::vector<float>{2, 2, 2, 18, 18, 18, 2, 2, 2, 2, 2, 2}));
  EXPECT_EQ(scatter(Scatter::kMax, x, ints({1}, {-1}), Array(5.0f)).to_vector<float>(),
            (std::vector<float>{0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 5, 5}));
  EXPECT_EQ(scatter_add(x, ints({2}, {0, 2}), counting({4, 2}), 1).to_vector<float>(),
            (std::vector<float>{0, 0, 1, 2, 0, 3, 4, 0, 5, 6, 0, 7}));
  EXPECT_EQ(segment_sum(counting({6}), ints({6}, {0, 2, 1, 2, 2, 9}), 3).to_vector<float>(),
            (std::vector<float>{0, 2, 8}));
  EXPECT_EQ(
      scatter(Scatter::kAdd, counting({3}), ints({2}, {7, -8}), 1, 0, IndexMode::kClip).to_vector<float>(),
      (std::vector<float>{1, 1, 3}));
  EXPECT_EQ(dynamic_update_slice(counting({3, 3}), Array::ones({2, 2}), {5, 0}).to_vector<float>(),
            (std::vector<float>{0, 1, 2, 1, 1, 5, 1, 1, 8}));
}

// Large ones are shared among threads, by lists of what goes where or by parts of their own: windows and
// single elements, any operation, indices out of range, and blocks that do not divide the rows.
TEST(IndexingTest, LargeScattersAreSharedAmongThreads) {
  struct Case {
    int64_t rows, columns, updates;
    Scatter how;
    IndexMode mode;
  };
  for (const Case& c : {Case{1000, 100, 3001, Scatter::kAdd, IndexMode::kFill},
                        Case{777, 64, 20000, Scatter::kAdd, IndexMode::kClip},
                        Case{500, 129, 2000, Scatter::kSet, IndexMode::kFill},
                        Case{130, 16, 9000, Scatter::kMax, IndexMode::kFill},
                        Case{7, 33, 30011, Scatter::kAdd, IndexMode::kFill},
                        Case{64, 1, 300001, Scatter::kAdd, IndexMode::kFill},
                        Case{64, 1, 300001, Scatter::kMin, IndexMode::kClip},
                        Case{3000000, 1, 70001, Scatter::kAdd, IndexMode::kFill}}) {
    const Shape shape = c.columns == 1 ? Shape{c.rows} : Shape{c.rows, c.columns};
    std::vector<float> values(static_cast<size_t>(c.updates * c.columns));
    std::vector<int32_t> at(static_cast<size_t>(c.updates));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 7919 % 1001) - 500;
    for (size_t i = 0; i < at.size(); ++i)
      at[i] = static_cast<int32_t>((i * 2654435761u) % static_cast<uint64_t>(c.rows + 3)) - 1;
    std::vector<float> expected(static_cast<size_t>(c.rows * c.columns), 1);
    for (size_t i = 0; i < at.size(); ++i) {
      int64_t row = at[i];
      if (row < 0 && c.mode == IndexMode::kFill) row += c.rows;  // from the end
      if (c.mode == IndexMode::kClip) row = std::clamp<int64_t>(row, 0, c.rows - 1);
      if (row >= c.rows) continue;
      for (int64_t j = 0; j < c.columns; ++j) {
        float& to = expected[static_cast<size_t>(row * c.columns + j)];
        const float v = values[i * static_cast<size_t>(c.columns) + static_cast<size_t>(j)];
        to = c.how == Scatter::kSet   ? v
             : c.how == Scatter::kAdd ? to + v
             : c.how == Scatter::kMax ? std::max(to, v)
                                      : std::min(to, v);
      }
    }
    Shape stack = shape;
    stack[0] = c.updates;
    const Array x = Array::ones(shape), w = Array::from(stack, values), i = ints({c.updates}, at);
    const auto put = [c](Array a, Array b, Array d) { return scatter(c.how, a, b, d, 0, c.mode); };
    EXPECT_EQ(jit(put)(x, i, w).to_vector<float>(), expected) << c.rows << " x " << c.columns;
    const auto after = jit([put](Array a, Array b, Array d) { return put(a * 1.0f, b, d); });
    EXPECT_EQ(after(x, i, w).to_vector<float>(), expected) << c.rows << " x " << c.columns;
    const auto onto_ones = jit([put, shape](Array b, Array d) { return put(Array::ones(shape), b, d); });
    EXPECT_EQ(onto_ones(i, w).to_vector<float>(), expected) << c.rows << " x " << c.columns;
    // An array that is given away is updated where it lies.
    const auto here = jit(put, {.donate = {0}});
    Array given = Array::ones(shape) + 0.0f;
    EXPECT_EQ(here(std::move(given), i, w).to_vector<float>(), expected) << c.rows << " x " << c.columns;
  }
}

TEST(IndexingTest, ScatterOfManyRowsIsOneKernelAndTheSameForAnyThreads) {
  for (int64_t columns : {256, 100, 37, 8, 3, 1}) {
    const int64_t n = 3000, segments = 50;
    std::vector<float> values;
    std::vector<int32_t> ids;
    for (int64_t i = 0; i < n * columns; ++i) values.push_back(std::sin(static_cast<float>(i)));
    for (int64_t i = 0; i < n; ++i) ids.push_back(static_cast<int32_t>(i * i % 53));  // some are out of range
    const Array x = Array::from({n, columns}, values), at = ints({n}, ids);
    const auto sums = jit([](Array rows, Array where_to) { return segment_sum(rows * 2, where_to, 50); });
    EXPECT_EQ(sums.compile(x, at).kernels().size(), 1u) << sums.compile(x, at).text();
    std::vector<float> expected(static_cast<size_t>(segments * columns), 0.0f);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t c = 0; c < columns && ids[static_cast<size_t>(i)] < segments; ++c)
        expected[static_cast<size_t>(ids[static_cast<size_t>(i)] * columns + c)] +=
            values[static_cast<size_t>(i * columns + c)] * 2;
    }
    std::vector<std::vector<float>> results;
    for (int threads : {1, 2, 4}) {
      set_num_threads(threads);
      results.push_back(sums(x, at).to_vector<float>());
    }
    set_num_threads(0);
    EXPECT_EQ(results[1], results[0]);
    EXPECT_EQ(results[2], results[0]);
    for (size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(results[0][i], expected[i], 2e-3) << columns << " " << i;
  }
}

// An access pattern, not a kernel of its own.
TEST(IndexingTest, FusesWithWhatIsAround) {
  const auto embed = [](Array table, Array ids, Array scale) {
    return tanh(take(table, ids * 2 + 1)) * scale;
  };
  const auto compiled = jit(embed).compile(f32({1000, 64}), s32({512}), f32({64}));
  ASSERT_EQ(compiled.kernels().size(), 1u);
  EXPECT_LE(compiled.kernels()[0].bytes_read, 512 * 64 * 4 + 512 * 4 + 64 * 4);
  // The label's log probability: softmax's row is read in the kernel that makes it.
  const auto loss = [](Array logits, Array labels) {
    const Array shifted = logits - max(logits, -1, kKeepDims);
    const Array logs = shifted - log(sum(exp(shifted), -1, kKeepDims));
    return take_along_axis(logs, expand_dims(labels, 1), 1);
  };
  EXPECT_EQ(jit(loss).kernels(f32({512, 100}), s32({512})).size(), 1u);
  const Array logits = counting({3, 4}), labels = ints({3}, {0, 3, 1});
  const std::vector<float> values = loss(logits, labels).to_vector<float>();
  const std::vector<float> jitted = jit(loss)(logits, labels).to_vector<float>();
  for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(values[i], jitted[i], 1e-6);
  // In a loop, too.
  const auto walk = [](Array table, Array ids) {
    return scan([&](Array sum, Array id) { return std::pair(sum + take(table, id), sum); }, Array::zeros({3}),
                ids)
        .first;
  };
  EXPECT_EQ(walk(counting({4, 3}), ints({3}, {1, 3, 3})).to_vector<float>(),
            (std::vector<float>{21, 24, 27}));
}

// Lanes over a batch of which each element has indices of its own, in numbers that no vector divides.
TEST(IndexingTest, ScattersOfABatch) {
  for (int64_t batch : {1, 3, 7, 16, 48}) {
    std::vector<int32_t> ids;
    for (int64_t i = 0; i < batch * 20; ++i) ids.push_back(static_cast<int32_t>((i * 7 + i / 20) % 11));
    const Array at = ints({batch, 20}, ids), values = counting({batch, 20});
    const auto g = [](Array a, Array v) { return segment_sum(v, a, 10); };
    for (int64_t axis : {0, 1}) {
      const Array sums =
          vmap(g, {.in_axes = {axis, axis}})(axis == 0 ? at : at.T(), axis == 0 ? values : values.T());
      for (int64_t b = 0; b < batch; ++b)
        EXPECT_EQ(sums[b].to_vector<float>(), g(at[b], values[b]).to_vector<float>()) << batch;
    }
  }
}

// What was read many times gets the sum of what came back.
TEST(IndexingTest, DerivativesAreScatters) {
  const Array table = counting({4, 3}), ids = ints({5}, {1, 3, 1, 9, -1}), weights = counting({5, 3}, 1.0f);
  const auto loss = [&](Array t, Array w) {
    return sum(select(is_finite(take(t, ids)), take(t, ids), 0) * w);
  };
  const std::vector<float> expected = {0, 0, 0, 8, 10, 12, 0, 0, 0, 17, 19, 21};
  EXPECT_EQ(grad([&](Array t) { return loss(t, weights); })(table).to_vector<float>(), expected);
  const auto compiled = jit(grad([](Array t, Array i, Array w) { return sum(take(t, i) * w); }));
  EXPECT_EQ(compiled.kernels(f32({1000, 64}), s32({512}), f32({512, 64})).size(), 1u);
  // One table and weights of its own for each of a batch.
  const Array batch = stack({weights, weights * 2});
  const Array grads =
      vmap(grad([&](Array t, Array w) { return loss(t, w); }), {.in_axes = {std::nullopt, 0}})(table, batch);
  EXPECT_EQ(grads[1].to_vector<float>(), (stack({grads[0]}) * 2).to_vector<float>());
  EXPECT_EQ(grads[0].to_vector<float>(), expected);
  // What is overwritten no longer counts; of two that are put in one place, the last does.
  const auto put = [&](Array t, Array w) { return sum(square(scatter(Scatter::kSet, t, ids, w))); };
  const auto [dt, dw] = grad([&](std::pair<Array, Array> both) { return put(both.first, both.second); })(
      std::pair(table, weights));
  EXPECT_EQ(dt.to_vector<float>(), (std::vector<float>{0, 2, 4, 0, 0, 0, 12, 14, 16, 0, 0, 0}));
  EXPECT_EQ(dw.to_vector<float>(), (std::vector<float>{0, 0, 0, 0, 0, 0, 14, 16, 18, 0, 0, 0, 26, 28, 30}));
}

// A body that is long enough to be cut keeps an index with what it is an index of.
// Each element of a batch has its own row, where one update meets nothing.
TEST(IndexingTest, DerivativesOfOneProductOfEachRow) {
  const auto f = [](const Array& x, const Array& i) { return sum(x.at(i).mul(x(2))); };
  const Array x({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}}), k({0, 1});
  const std::vector<float> expected = {3, 1, 2, 1, 6, 6};
  EXPECT_EQ(vmap(grad(f))(x, k).to_vector<float>(), expected);
  EXPECT_EQ(grad([&](const Array& y) { return sum(vmap(f)(y, k)); })(x).to_vector<float>(), expected);
}

TEST(IndexingTest, LongBodies) {
  const auto f = [](Array table, Array ids, Array more) {
    Array x = take(table, ids);
    for (int i = 0; i < 12; ++i) x = sin(x) + take(more, ids * (i + 1) % 100);
    return x;
  };
  std::vector<int32_t> ids;
  for (int32_t i = 0; i < 5000; ++i) ids.push_back(i * 7 % 100);
  const Array table = counting({100}), more = sin(counting({100})), at = ints({5000}, ids);
  EXPECT_EQ(jit(f).kernels(table, at, more).size(), 1u);
  const std::vector<float> got = jit(f)(table, at, more).to_vector<float>();
  const std::vector<float> want = jit(f, {.interpret = true})(table, at, more).to_vector<float>();
  for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], want[i], 1e-5) << i;
  const Array rows = counting({100, 16}), small = sin(rows);
  const std::vector<float> wide = jit(f)(rows, at, small).to_vector<float>();
  const std::vector<float> expected = jit(f, {.interpret = true})(rows, at, small).to_vector<float>();
  for (size_t i = 0; i < wide.size(); ++i) ASSERT_NEAR(wide[i], expected[i], 1e-5) << i;
}

TEST(IndexingTest, ScalarsHaveNoElements) {
  const Array scalar(2.5f);
  EXPECT_EQ(error_of([&] { scalar[0]; }),
            line(__LINE__ - 1) + "a scalar has no element [0]; this is f32[], whose number item<T>() gives");
  EXPECT_EQ(error_of([&] { scalar.row(-1); }),
            line(__LINE__ - 1) + "a scalar has no element [-1]; this is f32[], whose number item<T>() gives");
  EXPECT_EQ(at(scalar).set(7).item<float>(), 7);
  EXPECT_EQ(scalar.at().add(1).item<float>(), 3.5f);
  EXPECT_EQ(jit([](Array x) { return x.at().get() + at(x).mul(2); })(scalar).item<float>(), 7.5f);
}

TEST(IndexingTest, ErrorsSayWhatIsWrong) {
  const Array x = counting({4, 3});
  EXPECT_EQ(
      error_of([&] { take(x, counting({2})); }),
      line(__LINE__ - 2) + "take: the indices are f32[2], but must be integers; convert them with astype");
  EXPECT_EQ(error_of([&] { take(x, ints({1}, {0}), 2); }),
            line(__LINE__ - 1) + "take: axis 2 is out of range for 2 dimensions, which are -2 to 1");
  EXPECT_EQ(error_of([&] { take(Array::zeros({0}), ints({1}, {0})); }),
            line(__LINE__ - 1) + "take: axis 0 of f32[0] has no elements to index");
  EXPECT_EQ(
      error_of([&] { take_along_axis(x, ints({1}, {0}), 0); }),
      line(__LINE__ - 2) +
          "take_along_axis: the indices are s32[1] and the array f32[4,3]; they must have as many axes");
  EXPECT_EQ(error_of([&] {
              dynamic_slice(x, {0, 0}, {5, 1});
            }),
            line(__LINE__ - 3) + "dynamic_slice: the size 5 along axis 0 of f32[4,3] must be from 0 to 4");
  const auto misfit = [&] { scatter_add(counting({3, 4}), ints({3}, {0, 1, 2}), x); };
  const int scattered = __LINE__ - 1;
  EXPECT_EQ(error_of(misfit),
            line(scattered) +
                "scatter_add: the updates are f32[4,3], but must broadcast to [3,4], the shape of what take "
                "gives of f32[3,4] at indices s32[3] along axis 0");
  EXPECT_EQ(error_of([&] { x.slices({{.step = 0}}); }).find(line(__LINE__) + "slices: "), 0u);
}

TEST(IndexingErrorTest, DerivativesOfProductsNameTheLine) {
  const Array x = Array::ones({4}), updates = Array::ones({2});
  const int here = __LINE__ + 1;
  const auto products = [&](Array y) { return sum(scatter(Scatter::kMul, x, ints({2}, {1, 1}), y)); };
  EXPECT_EQ(error_of([&] { grad(products)(updates); }),
            testing::line(here) +
                "scatter: the derivative of products with regard to the updates is not known where two of "
                "them may meet; write them as sums of logarithms, or as one product after the other");
}

}  // namespace
}  // namespace ingot
