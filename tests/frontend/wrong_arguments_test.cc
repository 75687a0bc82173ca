// Arguments that no call can do anything with: an Error at the user's line.
#include <cmath>
#include <functional>
#include <limits>
#include <sstream>

#include "frontend/testing.h"
#include "ingot/dlpack.h"

namespace ingot {
namespace {

using testing::counting;
using testing::error_of;
using testing::line;

TEST(WrongArgumentsTest, ADTypeThatIsNone) {
  const Array x = counting({3});
  EXPECT_EQ(error_of([&] { x.astype(static_cast<DType>(99)); }),
            line(__LINE__ - 1) + "astype: DType(99) is none of the dtypes");
  EXPECT_EQ(error_of([&] { jit([](Array a) { return a.astype(static_cast<DType>(255)); })(x); }),
            line(__LINE__ - 1) + "astype: DType(255) is none of the dtypes");
}

TEST(WrongArgumentsTest, FunctionsThatAreEmpty) {
  const Array x = counting({6});
  const std::function<Array(Array)> one;
  const std::function<Array(Array, Array)> two;
  const auto says = [](const std::string& error, const std::string& part, int at) {
    EXPECT_EQ(error.find(line(at)), 0u) << error;
    EXPECT_NE(error.find(part), std::string::npos) << error;
  };
  says(error_of([&] { reduce_window(two, x, 0, {2}); }), "reduce_window: the function is empty", __LINE__);
  says(error_of([&] { (void)x.at(0).apply(one); }), "apply: the function is empty", __LINE__);
  says(error_of([&] { piecewise(x, {x > 2}, {one}); }), "a function of a piece is empty", __LINE__);
}

TEST(WrongArgumentsTest, AnInitialiserThatIsEmpty) {
  const nn::Initializer none = std::function<Array(const Operand&, const Shape&, DType)>();
  EXPECT_EQ(error_of([&] { none(random::key(0), {2}); }),
            line(__LINE__ - 1) + "the initialiser is an empty function");
}

TEST(WrongArgumentsTest, ADeadlineThatIsNoNumber) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error_of([&] { const Deadline deadline{std::chrono::duration<double>(kNone)}; }),
            line(__LINE__ - 1) + "Deadline: the time from now is not a number");
}

TEST(WrongArgumentsTest, ABatchOfLessThanNothing) {
  const auto same = [](Array x) { return x; };
  EXPECT_EQ(error_of([&] { vmap(same, {.axis_size = -1})(counting({3})); }),
            line(__LINE__ - 1) + "vmap: the option axis_size is -1, but a batch has 0 elements or more");
}

TEST(WrongArgumentsTest, StridesThatLeadNowhere) {
  float values[4] = {1, 2, 3, 4};
  int64_t shape[2] = {2, 2};
  const auto taken = [&](int64_t outer, int64_t inner) {
    int64_t strides[2] = {outer, inner};
    dlpack::ManagedTensor managed{};
    managed.tensor = {values, {dlpack::kCpu, 0}, 2, {dlpack::kFloat, 32, 1}, shape, strides, 0};
    return from_dlpack(&managed).to_vector<float>();
  };
  EXPECT_EQ(taken(1, 2), (std::vector<float>{1, 3, 2, 4}));
  EXPECT_EQ(taken(0, 0), (std::vector<float>{1, 1, 1, 1}));
  for (const int64_t far : {INT64_MAX, INT64_MIN, INT64_MAX / 4, int64_t{1} << 47}) {
    const std::string error = error_of([&] { taken(far, 1); });
    EXPECT_NE(error.find("from_dlpack: the stride " + std::to_string(far) + " of axis 0"), std::string::npos)
        << error;
  }
  shape[0] = 1;  // an axis of one element is never stepped along
  EXPECT_EQ(taken(INT64_MAX, 2), (std::vector<float>{1, 3}));
}

TEST(WrongArgumentsTest, ARankThatNoArrayHas) {
  EXPECT_NE(error_of([] {
              Array::ones(Shape(100'000, 1));
            }).find("Array::ones: the shape has 100000 dimensions, and an array has at most 1000"),
            std::string::npos);
  const Array most = Array::ones(Shape(1000, 1));
  std::ostringstream text;
  text << most;  // prints dimension by dimension
  EXPECT_EQ(text.str().find("1."), 1000u);
  EXPECT_NE(error_of([&] { expand_dims(most, 0); }).find("at most 1000"), std::string::npos);
  EXPECT_NE(error_of([&] { vmap([&](Array x) { return x + most; })(counting({2})); }).find("at most 1000"),
            std::string::npos);
}

TEST(WrongArgumentsTest, DiagonalsOfManyAxes) {
  const Array filled = fill_diagonal(zeros({3, 3, 3}), 1);
  for (int64_t i = 0; i < 27; ++i)
    EXPECT_EQ(filled.to_vector<float>()[static_cast<size_t>(i)], i % 13 == 0 ? 1 : 0) << i;
  EXPECT_EQ(fill_diagonal(zeros({2, 3}), 1).to_vector<float>(), (std::vector<float>{1, 0, 0, 0, 1, 0}));
  EXPECT_NE(error_of([] {
              (void)fill_diagonal(zeros({2, 3, 3}), 1);
            }).find("fill_diagonal: more than two axes are to be of one length, but this is a f32[2,3,3]"),
            std::string::npos);
  EXPECT_NE(error_of([] { (void)fill_diagonal(zeros({3}), 1); }).find("an array of two axes or more"),
            std::string::npos);
}

}  // namespace
}  // namespace ingot
