// Shapes that no array can have, and arrays that no memory holds: errors at the user's line, from every
// function that takes or makes a shape.
#include <functional>

#include "base/options.h"
#include "frontend/testing.h"

namespace ingot {
namespace {

using testing::counting;
using testing::error_of;
using testing::f32;
using testing::line;

constexpr int64_t kHuge = int64_t{1} << 32;
constexpr int64_t kFar = INT64_MAX;

// Functions of whole arrays, each with arguments that make its result too large. All are traced, so that no
// memory is asked for.
struct Case {
  const char* name;
  std::function<Array()> make;
};

std::vector<Case> too_large() {
  const auto traced = [](std::vector<Shape> shapes,
                         const std::function<Array(const std::vector<Array>&)>& f) {
    return [=] {
      std::vector<Array> arguments;
      for (const Shape& shape : shapes) arguments.push_back(f32(shape));
      return eval_shape(f, arguments);
    };
  };
  const auto one = [=](Shape shape, const std::function<Array(Array)>& f) {
    return traced({shape}, [=](const std::vector<Array>& x) { return f(x[0]); });
  };
  const auto two = [=](Shape a, Shape b, const std::function<Array(Array, Array)>& f) {
    return traced({a, b}, [=](const std::vector<Array>& x) { return f(x[0], x[1]); });
  };
  using A = Array;
  return {
      {"zeros",
       [] {
         return A::zeros({kHuge, kHuge});
       }},
      {"zeros, negative",
       [] {
         return A::zeros({3, -1});
       }},
      {"zeros, hidden by 0",
       [] {
         return A::zeros({0, kHuge, kHuge});
       }},
      {"ones", [] { return A::ones({kFar}); }},
      {"full", [] { return A::full({-3}, 1); }},
      {"full, least",
       [] {
         return A::full({INT64_MIN, INT64_MIN}, 1);
       }},
      {"full of an array",
       [] {
         return A::full({kHuge, kHuge}, A(1.0f));
       }},
      {"full in a trace", one({2},
                              [](A x) {
                                return A::full({kHuge, kHuge}, 1) + x;
                              })},
      {"abstract",
       [] {
         return A::abstract(DType::kF32, {kHuge, kHuge});
       }},
      {"from",
       [] {
         return A::from<float>({kHuge, kHuge}, std::vector<float>());
       }},
      {"from, negative",
       [] {
         return A::from<float>({-1, -1}, std::vector<float>(1));
       }},
      {"from_bytes",
       [] {
         return A::from_bytes(DType::kF64, {kFar, 2}, nullptr);
       }},
      {"reshape",
       [] {
         return counting({4}).reshape({kHuge, kHuge, -1});
       }},
      {"reshape, wrapping to 4",
       [] {
         return counting({4}).reshape({kHuge, kHuge, 4});
       }},
      {"reshape of none",
       [] {
         return counting({0}).reshape({0, kHuge, kHuge});
       }},
      {"broadcast_to",
       [] {
         return broadcast_to(1.0f, {kHuge, kHuge});
       }},
      {"broadcast_to, negative", [] { return broadcast_to(1.0f, {-2}); }},
      {"broadcasting", two({kHuge, 1}, {kHuge}, [](A x, A y) { return x + y; })},
      {"select", two({kHuge, 1}, {kHuge}, [](A x, A y) { return where(x > 0, x, y); })},
      {"iota",
       [] {
         return iota(DType::kS32, {kHuge, kHuge}, 0);
       }},
      {"iota, negative", [] { return iota(DType::kS32, {-2}, 0); }},
      {"arange", [] { return arange(kFar); }},
      {"arange, over all integers", [] { return arange(INT64_MIN, INT64_MAX); }},
      {"arange, backwards", [] { return arange(INT64_MAX, INT64_MIN, -1); }},
      {"pad", one({4}, [](A x) { return pad(x, {kFar}, {kFar}); })},
      {"pad inside", one({4}, [](A x) { return pad(x, {0}, {0}, 0, {kFar}); })},
      {"pad, sum too large", one({kHuge, 4},
                                 [](A x) {
                                   return pad(x, {0, kHuge}, {0, 0});
                                 })},
      {"concatenate", one({int64_t{1} << 47}, [](A x) { return concatenate(std::vector<A>(3, x)); })},
      {"stack", one({int64_t{1} << 47}, [](A x) { return stack(std::vector<A>(3, x)); })},
      {"outer", two({kHuge}, {kHuge}, [](A x, A y) { return outer(x, y); })},
      {"dot", two({kHuge, 2}, {2, kHuge}, [](A x, A y) { return dot(x, y); })},
      {"matmul", two({kHuge, 1, 2, 2}, {kHuge, 2, 2}, [](A x, A y) { return matmul(x, y); })},
      {"dot_general", two({kHuge}, {kHuge}, [](A x, A y) { return dot_general(x, y, {}); })},
      {"einsum", two({kHuge}, {kHuge},
                     [](A x, A y) {
                       return einsum("i,j->ij", {x, y});
                     })},
      {"tensordot", two({kHuge}, {kHuge}, [](A x, A y) { return tensordot(x, y, 0); })},
      {"convolution", two({1, 8, 1}, {3, 1, 1},
                          [](A x, A w) {
                            return conv1d(x, w, {.padding = {{kFar, kFar}}});
                          })},
      {"convolution, dilated",
       two({1, 8, 1}, {3, 1, 1}, [](A x, A w) { return conv1d(x, w, {.lhs_dilation = {kFar}}); })},
      {"convolution, window dilated",
       two({1, 8, 1}, {3, 1, 1}, [](A x, A w) { return conv1d(x, w, {.rhs_dilation = {kFar}}); })},
      {"convolution, both",
       two({1, 8, 1}, {3, 1, 1},
           [](A x, A w) { return conv1d(x, w, {.lhs_dilation = {kFar}, .rhs_dilation = {kFar}}); })},
      {"convolution, strides",
       two({1, 8, 1}, {3, 1, 1}, [](A x, A w) { return conv1d(x, w, {.strides = {kFar}}); })},
      {"convolution, same",
       two({1, 8, 1}, {3, 1, 1},
           [](A x, A w) { return conv1d(x, w, {.padding = ConvPadding::kSame, .rhs_dilation = {kFar}}); })},
      {"conv_transpose",
       two({1, 8, 1}, {3, 1, 1}, [](A x, A w) { return conv_transpose(x, w, {.strides = {kFar}}); })},
      {"conv_transpose, same", two({1, 8, 1}, {3, 1, 1},
                                   [](A x, A w) {
                                     return conv_transpose(
                                         x, w, {.strides = {kFar}, .padding = ConvPadding::kSame});
                                   })},
      {"pool", one({1, 8, 1},
                   [](A x) {
                     return max_pool(x, {2}, {.padding = {{kFar, kFar}}});
                   })},
      {"pool, dilated", one({1, 8, 1}, [](A x) { return sum_pool(x, {2}, {.window_dilation = {kFar}}); })},
      {"pool, elements apart", one({1, 8, 1}, [](A x) { return sum_pool(x, {2}, {.x_dilation = {kFar}}); })},
      {"pool, long window",
       one({1, 8, 1}, [](A x) { return avg_pool(x, {kFar}, {.padding = ConvPadding::kSame}); })},
      {"reduce_window",
       one({8},
           [](A x) {
             return reduce_window([](A a, A b) { return a + b; }, x, 0, {kHuge}, {.padding = {{kFar, kFar}}});
           })},
      {"take", two({kHuge, 2}, {2},
                   [](A x, A) {
                     return take(x, iota(DType::kS32, {kHuge, 2}, 0), 1);
                   })},
      {"take_along_axis", two({kHuge, 2}, {2},
                              [](A x, A) {
                                return take_along_axis(x, iota(DType::kS32, {1, kHuge}, 0), 1);
                              })},
      {"scatter", two({kHuge, 2}, {2},
                      [](A x, A) {
                        return scatter_add(x, iota(DType::kS32, {kHuge, 2}, 0), 1, 1);
                      })},
      {"dynamic_slice", one({8}, [](A x) { return dynamic_slice(x, {0}, {kFar}); })},
      {"segment_sum", one({8, 2}, [](A x) { return segment_sum(x, iota(DType::kS32, {8}, 0), kFar); })},
      {"segment_sum, negative",
       one({8, 2}, [](A x) { return segment_sum(x, iota(DType::kS32, {8}, 0), -1); })},
      {"scan, stacked", one({kHuge},
                            [](A x) {
                              return scan([](A c, std::tuple<>) { return std::pair(c, c); }, x,
                                          std::tuple<>(), {.length = kHuge})
                                  .second;
                            })},
      {"scan, long", one({2},
                         [](A x) {
                           return scan([](A c, std::tuple<>) { return std::pair(c, std::tuple<>()); }, x,
                                       std::tuple<>(), {.length = kFar})
                               .first;
                         })},
      {"vmap of nothing", one({kHuge},
                              [](A x) {
                                return vmap(
                                    [=](A) { return x + axis_index("i"); },
                                    {.in_axes = std::nullopt, .axis_size = kHuge, .axis_name = "i"})(x);
                              })},
      {"vmap", two({kHuge}, {kHuge},
                   [](A x, A y) {
                     return vmap([](A a, A b) { return a * b; }, {.in_axes = {0, std::nullopt}})(x, y);
                   })},
      {"jacfwd", one({kHuge}, [](A x) { return jacfwd([](A v) { return sin(v); })(x); })},
      {"jacrev", one({kHuge}, [](A x) { return jacrev([](A v) { return sin(v); })(x); })},
      {"hessian", one({kHuge}, [](A x) { return hessian([](A v) { return sum(v * v * v); })(x); })},
      {"attention with a bias", two({kHuge, 4}, {1, kHuge, 1},
                                    [](A q, A b) {
                                      return attention(q, q, q, {.bias = broadcast_to(b, {kHuge, kHuge, 1})});
                                    })},
  };
}

// An error about another matter would be no test of what is too large here, or negative.
bool speaks_of_size(const std::string& message) {
  for (const char* word : {"extent", "elements", "bytes", "memory", "2^48"}) {
    if (message.find(word) != std::string::npos) return true;
  }
  return false;
}

TEST(ExtentsTest, EveryFunctionThatMakesAShapeRefusesThoseThatNoArrayCanHave) {
  for (const Case& c : too_large()) {
    std::string message = "no error";
    try {
      message = c.make().type_string();
    } catch (const Error& error) {
      message = error.what();
    } catch (const std::exception& error) {
      message = std::string("another exception: ") + error.what();
    }
    EXPECT_EQ(message.find(line(0).substr(0, line(0).size() - 3)), 0u)
        << c.name << " should fail at the user's line: " << message;
    EXPECT_TRUE(speaks_of_size(message)) << c.name << " should say what is too large: " << message;
  }
}

TEST(ExtentsTest, MessagesSayWhatIsWrong) {
  const std::string limit = "more elements than an array may have, 281474976710656 (2^48)";
  const auto zeros = [] { return Array::zeros({kHuge, kHuge}); };
  const int made = __LINE__ - 1;
  EXPECT_EQ(error_of(zeros), line(made) + "Array::zeros: the shape [4294967296,4294967296] has " + limit);
  const auto product = [] { return dot(f32({kHuge, 2}), f32({2, kHuge})); };
  const int multiplied = __LINE__ - 1;
  EXPECT_EQ(error_of(product),
            line(multiplied) + "dot_general: the shape [4294967296,4294967296] has " + limit);
  const auto negative = [] { return Array::full({-3}, 1); };
  const int below = __LINE__ - 1;
  EXPECT_EQ(error_of(negative), line(below) + "Array::full: the shape [-3] has a negative extent");
  // Kernels have complex numbers as pairs.
  const auto pairs = [] { return Array::abstract(DType::kC64, {kHuge, kHuge / (1 << 16)}); };
  const int paired = __LINE__ - 1;
  EXPECT_EQ(error_of(pairs), line(paired) +
                                 "Array::abstract: the shape [4294967296,65536] has more elements "
                                 "than an array of c64 may have, 140737488355328 (2^47)");
  EXPECT_EQ(Array::abstract(DType::kC64, {kHuge, kHuge / (1 << 17)}).shape(), (Shape{kHuge, 1 << 15}));
}

TEST(ExtentsTest, NumbersThatAreNoIndexNoDtypeAndNoCountAreRefused) {
  const Array x = counting({8});
  const auto last = [&] { return x[UINT64_MAX]; };
  const int indexed = __LINE__ - 1;
  EXPECT_EQ(error_of(last),
            line(indexed) + "index 18446744073709551615 is out of range for an axis of any array");
  EXPECT_EQ(x[size_t{7}].item<float>(), 7);
  EXPECT_EQ(x[-1].item<float>(), 7);
  const auto unknown = [] { return Array::zeros({1}, DType(77)); };
  const int typed = __LINE__ - 1;
  EXPECT_EQ(error_of(unknown), line(typed) + "Array::zeros: DType(77) is none of the dtypes");
  const auto far = [&] { return var(x, {}, INT64_MIN); };
  const int counted = __LINE__ - 1;
  EXPECT_EQ(error_of(far), line(counted) +
                               "var: 'ddof' is -9223372036854775808, but may not be beyond "
                               "281474976710656 (2^48)");
  EXPECT_EQ(var(x, {}, -8).item<float>(), 42.0f / 16);
}

// What would divide by zero, or by less, has no value: numpy warns of it, and shapes tell it before anything
// runs.
TEST(ExtentsTest, VarianceOfFewerElementsThanItTakesOffIsRefused) {
  const Array x = counting({4, 3});
  const auto told = [&](const char* function, const char* elements, const char* type, int64_t ddof) {
    return std::string(function) + ": each result is of " + elements + " of " + type +
           ", of which ddof = " + std::to_string(ddof) +
           " leaves none to divide by; ddof must be less than the number of elements";
  };
  EXPECT_EQ(error_of([&] { var(x, 1, 3); }), line(__LINE__) + told("var", "3 elements", "f32[4,3]", 3));
  EXPECT_EQ(error_of([&] { var(x, {}, 13); }), line(__LINE__) + told("var", "12 elements", "f32[4,3]", 13));
  EXPECT_EQ(error_of([&] { var(x[0][0], {}, 1); }), line(__LINE__) + told("var", "1 element", "f32[]", 1));
  const auto spread = [&] { std_(x, 0, 4); };
  const int called = __LINE__ - 1;
  EXPECT_EQ(error_of(spread), line(called) + "std_: " + told("var", "4 elements", "f32[4,3]", 4));
  const auto traced = jit([](Array y) { return std_(y, {}, 12); });
  const int inside = __LINE__ - 1;
  EXPECT_EQ(error_of([&] { traced(x); }),
            line(inside) + "std_: " + told("var", "12 elements", "f32[4,3]", 12));
  EXPECT_EQ(var(x, 1, 2).to_vector<float>(), (std::vector<float>{2, 2, 2, 2}));
  EXPECT_EQ(var(x[0][0]).item<float>(), 0);
}

TEST(ExtentsTest, LargeShapesThatArraysCanHaveAreFine) {
  EXPECT_EQ(
      eval_shape([](Array x, Array y) { return sum(outer(x, y)); }, f32({1 << 24}), f32({1 << 24})).shape(),
      Shape{});
  EXPECT_EQ(counting({8}).slice({.step = INT64_MAX}).to_vector<float>(), (std::vector<float>{0}));
  EXPECT_EQ(counting({8}).slice({.step = INT64_MIN}).to_vector<float>(), (std::vector<float>{7}));
  EXPECT_EQ(arange(INT64_MAX - 3, INT64_MAX, 2, DType::kS64).to_vector<int64_t>(),
            (std::vector<int64_t>{INT64_MAX - 3, INT64_MAX - 1}));
  EXPECT_EQ(conv1d(counting({1, 3, 1}), counting({3, 1, 1}), {.strides = {1 << 30}}).shape(),
            (Shape{1, 1, 1}));
}

// Counts that may be beyond s32 are s64.
TEST(ExtentsTest, CountsAreAsWideAsTheyMayBecome) {
  constexpr int64_t kMany = int64_t{1} << 31;
  const auto type = [](const auto& f, Shape shape) {
    return eval_shape(f, Array::abstract(DType::kU8, std::move(shape))).type_string();
  };
  const auto all = [](Array x) { return count_nonzero(x); };
  const auto rows = [](Array x) { return count_nonzero(x, 1); };
  const auto bins = [](Array x) { return bincount(x, {.length = 3}); };
  EXPECT_EQ(type(all, {kMany - 1}), "s32[]");
  EXPECT_EQ(type(all, {kMany}), "s64[]");
  EXPECT_EQ(type(all, {2, kMany / 2}), "s64[]");
  EXPECT_EQ(type(rows, {2, kMany / 2}), "s32[2]");
  EXPECT_EQ(type(bins, {kMany - 1}), "s32[3]");
  EXPECT_EQ(type(bins, {kMany}), "s64[3]");
  // Places of what is found, of as many as there are elements.
  const auto found = [](Array x) { return nonzero(x, {.size = 5})[1]; };
  const auto flat = [](Array x) { return flatnonzero(x, {.size = 5}); };
  const auto rows_of = [](Array x) { return argwhere(x, {.size = 5}); };
  EXPECT_EQ(type(found, {2, (kMany - 2) / 2}), "s32[5]");
  EXPECT_EQ(type(found, {2, kMany / 2}), "s64[5]");
  EXPECT_EQ(type(flat, {kMany - 1}), "s32[5]");
  EXPECT_EQ(type(flat, {kMany}), "s64[5]");
  EXPECT_EQ(type(rows_of, {kMany}), "s64[5,1]");
  EXPECT_EQ(type([](Array x) { return flatnonzero(x, {.size = 2, .fill_value = 3e9}); }, {kMany}), "s64[2]");
  EXPECT_EQ(type([](Array x) { return searchsorted(x, x(Slice{0, 3})); }, {kMany}), "s64[3]");
  EXPECT_EQ(type([](Array x) { return digitize(x(Slice{0, 3}), x); }, {kMany}), "s64[3]");
  EXPECT_EQ(type([](Array x) { return histogram2d(x, x, {2, 3}).counts; }, {kMany}), "s64[2,3]");
  // Counts that no result shows.
  const auto wide = [](const auto& f, int64_t extent) {
    return jit(f).lower(f32({extent})).text().find("s64") != std::string::npos;
  };
  const auto placed = [](Array x) { return place(x, x > 0, Array({1.0f, 2.0f})); };
  const auto middle = [](Array x) { return nanmedian(x); };
  EXPECT_TRUE(!wide(placed, 1000) && wide(placed, kMany));
  EXPECT_TRUE(!wide(middle, 1000) && wide(middle, kMany));
  const auto different = [](Array x) { return unique(x, {.size = 4}); };
  const auto both = [](Array x) { return intersect1d(x, x, {.size = 4}); };
  const auto chosen = [](Array x) { return compress(x > 0, x, {.size = 4}); };
  const auto in_line = [](Array x) { return fill_diagonal(expand_dims(x, 0), 1); };
  const auto of_bands = [](Array x) { return toeplitz(x(Slice{0, 2}), x); };
  EXPECT_TRUE(!wide(different, 1000) && wide(different, kMany));
  EXPECT_TRUE(!wide(both, 1000) && wide(both, kMany / 2));
  EXPECT_TRUE(!wide(chosen, 1000) && wide(chosen, kMany));
  EXPECT_TRUE(!wide(in_line, 1000) && wide(in_line, kMany));
  EXPECT_TRUE(!wide(of_bands, 1000) && wide(of_bands, kMany));
}

// However far the diagonal is from the matrix; how many there are is known before any is made.
TEST(ExtentsTest, PlacesOfTriangles) {
  constexpr int64_t kMany = int64_t{1} << 40;
  using P = std::vector<int32_t>;
  const auto expect = [](const std::array<Array, 2>& places, const P& rows, const P& columns) {
    EXPECT_EQ(places[0].to_vector<int32_t>(), rows);
    EXPECT_EQ(places[1].to_vector<int32_t>(), columns);
  };
  for (const int64_t far : {int64_t{2}, int64_t{3}, INT64_MAX - 1, INT64_MAX}) {
    expect(tril_indices(3, far), {0, 0, 0, 1, 1, 1, 2, 2, 2}, {0, 1, 2, 0, 1, 2, 0, 1, 2});
    expect(tril_indices(3, -far - 1), {}, {});
    expect(triu_indices(3, -far), {0, 0, 0, 1, 1, 1, 2, 2, 2}, {0, 1, 2, 0, 1, 2, 0, 1, 2});
    expect(triu_indices(3, far == 2 ? 3 : far), {}, {});
  }
  expect(tril_indices(2, INT64_MIN), {}, {});
  expect(triu_indices(2, INT64_MIN), {0, 0, 1, 1}, {0, 1, 0, 1});
  for (int64_t rows = 0; rows < 5; ++rows) {
    for (int64_t columns = 0; columns < 5; ++columns) {
      for (int64_t k = -6; k <= 6; ++k) {
        P lower[2], upper[2];
        for (int32_t i = 0; i < rows; ++i) {
          for (int32_t j = 0; j < columns; ++j) {
            for (P* list : {j <= i + k ? lower : nullptr, j >= i + k ? upper : nullptr}) {
              if (list == nullptr) continue;
              list[0].push_back(i);
              list[1].push_back(j);
            }
          }
        }
        expect(tril_indices(rows, k, columns), lower[0], lower[1]);
        expect(triu_indices(rows, k, columns), upper[0], upper[1]);
      }
    }
  }
  expect(tril_indices(kMany, 0, 0), {}, {});
  expect(triu_indices(kMany, 0, 1), {0}, {0});
  expect(tril_indices(1, 0, kMany), {0}, {0});
  const auto refused = [](const auto& f, const std::string& part) {
    const std::string error = error_of(f);
    EXPECT_NE(error.find(part), std::string::npos) << error;
    EXPECT_NE(error.find("extents_test.cc"), std::string::npos) << error;
  };
  refused([&] { tril_indices(kMany, 0, 1); },
          "tril_indices: of 1099511627776 rows of 1 columns there are places "
          "up to row 1099511627775 and column 0, but places are s32");
  refused([&] { triu_indices(1, 0, kMany); },
          "triu_indices: of 1 rows of 1099511627776 columns there are places");
  refused([] { tril_indices(1 << 24); }, "tril_indices: there is no memory for s32[140737496743936]");
}

// What is kept is told by ranges: a program does not grow with the extent.
TEST(ExtentsTest, OneDeletedIndexOfMany) {
  const auto text = [](int64_t extent) {
    const auto f = [](Array x) { return delete_(x, {5, -3}); };
    return jit(f).lower(Array::abstract(DType::kU8, {extent})).text();
  };
  EXPECT_LT(text(1 << 20).size(), 1000u);
  EXPECT_NE(text(kHuge).find("-> (u8[4294967294])"), std::string::npos) << text(kHuge);
  // Few ranges are slices and many a list, of arrays that are not too long; both keep the same.
  constexpr int64_t kLong = 600;
  for (const int64_t step : {2, 3, 50}) {
    std::vector<int64_t> gone;
    std::vector<float> kept;
    for (int64_t i = 0; i < kLong; ++i) {
      if (i % step == 0) {
        gone.insert(gone.begin(), i % 4 == 0 ? i : i - kLong);
      } else {
        kept.push_back(static_cast<float>(i));
      }
    }
    gone.push_back(0);
    EXPECT_EQ(delete_(counting({kLong}), gone).to_vector<float>(), kept);
  }
  std::vector<int64_t> odd;
  for (int64_t i = 0; i < 300; ++i) odd.push_back(2 * i + 1);
  const auto without = [&](Array x) { return delete_(x, odd); };
  EXPECT_EQ(eval_shape(without, Array::abstract(DType::kU8, {kHuge * (kHuge / (1 << 20))})).shape(),
            (Shape{kHuge * (kHuge / (1 << 20)) - 300}));
  EXPECT_EQ(delete_(counting({2}), {1, 0}).shape(), Shape{0});
}

// Each names the function that was called, and the line.
TEST(ExtentsTest, FunctionsAreNamed) {
  constexpr int64_t kMany = int64_t{1} << 32;
  const auto says = [](const auto& f, const std::string& text) {
    const std::string error = error_of(f);
    EXPECT_NE(error.find("extents_test.cc"), std::string::npos) << error;
    const size_t begin = error.find(": ");
    ASSERT_NE(begin, std::string::npos) << error;
    EXPECT_TRUE(error.substr(begin + 2).starts_with(text)) << error;
  };
  const Array x = counting({3}), i = arange(3);
  const auto shaped = [](auto f) { return [=] { eval_shape(f, f32({kMany})); }; };
  says([] { fft::fftfreq(INT64_MAX); }, "fftfreq: the shape [9223372036854775807] has more");
  says([] { fft::fftfreq(int64_t{1} << 44); }, "fftfreq: out of memory: f32[17592186044416]");
  says([] { fft::rfftfreq(INT64_MAX); }, "rfftfreq: the shape [4611686018427387904] has more");
  says(
      [&] {
        ravel_multi_index({i, i}, {kFar, kFar});
      },
      "ravel_multi_index: the shape [9223372036854775807,");
  says([&] { bincount(i, {.minlength = kFar - 1}); }, "bincount: the shape [9223372036854775806] has more");
  says([&] { segment_sum(x, i, kFar); }, "segment_sum: the shape [9223372036854775807] has more");
  says([&] { polyfit(x, x, INT64_MAX); }, "polyfit: the degree is 9223372036854775807");
  says(shaped([](Array a) { return nanargmax(a); }), "nanargmax: axis 0 has 4294967296 elements");
  says(shaped([](Array a) { return nanargmin(a); }), "nanargmin: axis 0 has 4294967296 elements");
  says([] { nanargmax(Array::zeros({2, 0}), 1); }, "nanargmax: axis 1 of f32[2,0] is empty");
  says(shaped([](Array a) { return unique_all(a, {.size = 3}).values; }),
       "unique_all: f32[4294967296] has 4294967296 elements");
  const auto same = [](Array a) { return a + 1; };
  says([&] { vmap(same, {.in_axes = std::nullopt, .axis_size = kFar})(x); },
       "vmap: the option axis_size is 9223372036854775807, but an array has at most");
  const std::string error =
      error_of([&] { vmap(same, {.in_axes = std::nullopt, .axis_size = int64_t{1} << 47})(x); });
  EXPECT_TRUE(error.ends_with("(2^48); vmap makes it for a whole batch of 140737488355328")) << error;
}

// Arrays that could be, but for which there is no memory.
// Indices and counts are s32, and what does not fit is an error before anything is computed.
TEST(ExtentsTest, WhatSmallIntegersCannotHoldIsRefused) {
  constexpr int64_t kMany = 3000000000;
  const auto refused = [](const auto& f, const std::string& part) {
    const std::string error = error_of([&] { eval_shape(f); });
    EXPECT_NE(error.find(part), std::string::npos) << error;
    EXPECT_NE(error.find("extents_test.cc"), std::string::npos) << error;
  };
  refused([] { return argmax(iota(DType::kF64, {kMany}, 0), 0); }, "has 3000000000 elements");
  refused([] { return argmin(iota(DType::kF64, {2, kMany}, 1), 1); }, "has 3000000000 elements");
  refused([] { return sum(iota(DType::kS64, {kMany}, 0) >= 1); }, "the count of 3000000000 preds");
  refused([] { return cumsum(iota(DType::kS64, {kMany}, 0) >= 1); }, "the count of 3000000000 preds");
  refused([] { return argsort(iota(DType::kF64, {kMany}, 0)); }, "has 3000000000 elements");
  refused([] { return top_k(iota(DType::kF64, {kMany}, 0), 3); }, "has 3000000000 elements");
  refused([] { return arange(kMany); }, "2999999999 is not a number of s32");
  refused([] { return arange(0, 600, 200, DType::kU8); }, "400 is not a number of u8");
  refused([] { return arange(-1, 5, 1, DType::kU8); }, "-1 is not a number of u8");
  EXPECT_EQ(eval_shape([] { return argmax(iota(DType::kF64, {3, kMany}, 1), 0); }).shape(), Shape{kMany});
  EXPECT_EQ(eval_shape([] { return arange(kMany, DType::kS64); }).shape(), Shape{kMany});
  EXPECT_EQ(arange(0, 256, 255, DType::kU8)[1].item<uint8_t>(), 255);
}

TEST(ExtentsTest, WithoutMemoryTheErrorNamesBytesShapeAndLimit) {
  constexpr int64_t kMany = int64_t{1} << 40;
  const auto expect_told = [](const std::string& message, const std::string& shape) {
    for (const std::string& part : {std::string("extents_test.cc:"), shape,
                                    std::string("4398046511104 bytes"), std::string("INGOT_MEMORY_LIMIT_MB")})
      EXPECT_NE(message.find(part), std::string::npos) << part << " in: " << message;
  };
  expect_told(error_of([] { Array::zeros({kMany}); }), "f32[1099511627776]");
  expect_told(error_of([] { Array::full({kMany}, 7); }), "s32[1099511627776]");
  expect_told(error_of([] { broadcast_to(counting({1}), {kMany}); }), "f32[1099511627776]");
  expect_told(error_of([] { jit([](Array x) {
                              return x + Array::zeros({1 << 20, 1 << 20});
                            })(1.0f); }),
              "f32[1048576,1048576]");
  const auto interpreted = jit([](Array x) { return sum(x + Array::zeros({kMany})); }, {.interpret = true});
  const std::string message = error_of([&] { interpreted(1.0f); });
  EXPECT_NE(message.find("f32[1099511627776] takes 4398046511104 bytes"), std::string::npos) << message;
}

// What lies between kernels is the frame of the program.
TEST(ExtentsTest, WithoutMemoryForWhatLiesBetweenKernels) {
  const auto f = jit([](Array x) {
    const Array all = cumsum(broadcast_to(x, {1 << 20, 1 << 20}), 1);
    return sum(all * all[-1]);
  });
  EXPECT_NE(error_of([&] { f(1.0f); }).find("out of memory"), std::string::npos);
}

}  // namespace
}  // namespace ingot
