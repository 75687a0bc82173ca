#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <sstream>

#include "frontend/testing.h"

namespace ingot {
namespace {

using testing::counting;
using testing::error_of;
using testing::line;

TEST(ArrayTest, HoldsHostValues) {
  const Array x = Array::from<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(x.dtype(), DType::kF32);
  EXPECT_EQ(x.shape(), (Shape{2, 3}));
  EXPECT_EQ(x.rank(), 2);
  EXPECT_EQ(x.size(), 6);
  EXPECT_EQ(x.bytes(), 24);
  EXPECT_EQ(x.shape(-1), 3);
  EXPECT_EQ(x.type_string(), "f32[2,3]");
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(x.view<float>()[4], 5);
  EXPECT_EQ(Array::from(std::vector<bool>{true, false}).dtype(), DType::kPred);
  EXPECT_EQ(Array(2.5).item<double>(), 2.5);
  EXPECT_EQ(Array(int8_t{-3}).item<int>(), -3);
  EXPECT_EQ(Array(7u).dtype(), DType::kU32);
  EXPECT_EQ(Array::full({3}, 7, DType::kS16).to_vector<int16_t>(), (std::vector<int16_t>{7, 7, 7}));
  EXPECT_EQ(Array::zeros({0, 4}).size(), 0);
  EXPECT_TRUE(static_cast<bool>(Array(true)));
}

// One conversion for both, whatever the dtypes.
template <class T>
void expect_item_is_astype(const Array& x) {
  const DType dtype = detail::dtype_for<T>();
  const T item = x.item<T>(), converted = x.astype(dtype).to_vector<T>()[0];
  const auto text = [](T value) { return to_string(Array(value)); };
  const bool same_bits = std::memcmp(&item, &converted, sizeof(T)) == 0,
             both_nan = text(item).find("nan") != std::string::npos && text(item) == text(converted);
  EXPECT_TRUE(same_bits || both_nan) << to_string(x) << " " << x.type_string() << " to " << name_of(dtype)
                                     << ": " << text(item) << " " << text(converted);
}

TEST(ArrayTest, ItemConvertsAsAstypeDoes) {
  const Array values[] = {0.5,        -0.5,      1e19,         1e30, -1e30, 300., -1.,
                          NAN,        INFINITY,  0.5f,         3e9f, -1,    300,  -INFINITY,
                          UINT64_MAX, INT64_MIN, uint8_t{200}, true, 1e-30f};
  for (const Array& x : values) {
    expect_item_is_astype<bool>(x);
    expect_item_is_astype<int8_t>(x);
    expect_item_is_astype<int16_t>(x);
    expect_item_is_astype<int32_t>(x);
    expect_item_is_astype<int64_t>(x);
    expect_item_is_astype<uint8_t>(x);
    expect_item_is_astype<uint16_t>(x);
    expect_item_is_astype<uint32_t>(x);
    expect_item_is_astype<uint64_t>(x);
    expect_item_is_astype<float16>(x);
    expect_item_is_astype<bfloat16>(x);
    expect_item_is_astype<float>(x);
    expect_item_is_astype<double>(x);
    expect_item_is_astype<std::complex<float>>(x);
    expect_item_is_astype<std::complex<double>>(x);
  }
  EXPECT_EQ(Array(1e19).item<uint64_t>(), 10000000000000000000u);
  EXPECT_EQ(Array(300.).item<uint8_t>(), 255);
  EXPECT_TRUE(Array(0.5).item<bool>());
}

TEST(ArrayTest, CopiesShareAndNothingChanges) {
  Array x = counting({3});
  const Array before = x;
  x += 1;
  EXPECT_EQ(before.to_vector<float>(), (std::vector<float>{0, 1, 2}));
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{1, 2, 3}));
}

TEST(ArrayTest, PrintsLikeNumpy) {
  std::ostringstream out;
  out << counting({2, 2});
  EXPECT_EQ(out.str(), "[[0., 1.],\n [2., 3.]] f32[2,2]");
  EXPECT_EQ(to_string(counting<int32_t>({2000})), "[   0,    1,    2, ..., 1997, 1998, 1999] s32[2000]");
  EXPECT_EQ(to_string(Array(true)), "true pred[]");
  EXPECT_EQ(to_string(Array::zeros({0})), "[] f32[0]");
  EXPECT_EQ(to_string(Array()), "(empty array)");
  EXPECT_EQ(to_string(Array::abstract(DType::kF64, {2})), "abstract f64[2]");
}

// The digits of numpy 2.4's print(numpy.array([x], dtype)), without the brackets.
TEST(ArrayTest, NumbersHaveTheDigitsOfNumpy) {
  const auto text = [](auto x) {
    const std::string all = to_string(Array(x));
    return all.substr(0, all.find(' '));
  };
  EXPECT_EQ(text(1 / 3.0f), "0.33333334");
  EXPECT_EQ(text(16777216.0f), "1.6777216e+07");
  EXPECT_EQ(text(999999.0f), "999999.");
  EXPECT_EQ(text(16777216.0), "16777216.");
  EXPECT_EQ(text(1.6777216e8f), "1.6777216e+08");
  EXPECT_EQ(text(0.1f), "0.1");
  EXPECT_EQ(text(-0.0f), "-0.");
  EXPECT_EQ(text(1e22f), "1.e+22");
  EXPECT_EQ(text(1e-45f), "1.e-45");
  EXPECT_EQ(text(0.0012345679f), "0.00123457");
  EXPECT_EQ(text(1.2345678e-5f), "1.2345678e-05");
  EXPECT_EQ(text(1 / 3.0), "0.33333333");
  EXPECT_EQ(text(2 / 3e5), "6.66666667e-06");
  EXPECT_EQ(text(12345.678901234), "12345.67890123");
  EXPECT_EQ(text(1.999999999999), "2.");
  EXPECT_EQ(text(1e300), "1.e+300");
  EXPECT_EQ(text(float16(1 / 3.0f)), "0.3333");
  EXPECT_EQ(text(float16(65504.0f)), "6.55e+04");
  EXPECT_EQ(text(bfloat16(1 / 3.0f)), "0.334");
  for (const double nan : {std::nan(""), -std::nan("")}) {
    EXPECT_EQ(text(nan), "nan");
    EXPECT_EQ(text(static_cast<float>(nan)), "nan");
  }
  EXPECT_EQ(text(-INFINITY), "-inf");
  EXPECT_EQ(text(std::complex<float>(1 / 3.0f, -NAN)), "0.33333334+nani");
}

TEST(ArrayTest, ErrorsNameTheFunctionThatWasCalled) {
  const Array x = counting({6, 6}), n = counting<int32_t>({6});
  int here = __LINE__ + 1;
  EXPECT_EQ(error_of([&] { concatenate(std::vector<Array>{}); }),
            line(here) + "concatenate: there is no array to take the shape from");
  here = __LINE__ + 1;
  EXPECT_EQ(error_of([&] { stack({}); }), line(here) + "stack: there is no array to take the shape from");
  here = __LINE__ + 1;
  EXPECT_EQ(error_of([&] { Array::zeros({-1}); }).find(line(here) + "Array::zeros: "), 0u);
  here = __LINE__ + 1;
  EXPECT_EQ(error_of([&] { Array::ones({-1}); }).find(line(here) + "Array::ones: "), 0u);
  here = __LINE__ + 1;
  EXPECT_EQ(error_of([&] { segment_sum(x, n, -3); }),
            line(here) + "segment_sum: -3 is no number of segments; it should be 0 or more");
  here = __LINE__ + 1;
  EXPECT_EQ(error_of([&] { softmax(x, 5); }).find(line(here) + "softmax: axis 5 "), 0u);
  // What is called in a trace is told the same way, and no name stays behind.
  here = __LINE__ + 1;
  EXPECT_EQ(
      error_of([&] { jit([](Array a) { return softmax(a, 5); })(x); }).find(line(here) + "softmax: axis"),
      0u);
  // By the function's or the operator's name, and by no operation's besides.
  const Array z = complex(x, x);
  here = __LINE__ + 1;
  EXPECT_EQ(error_of([&] { maximum(x, counting({5})); }).find(line(here) + "maximum: f32[6,6] and"), 0u);
  here = __LINE__ + 1;
  EXPECT_EQ(error_of([&] { population_count(x); }).find(line(here) + "population_count: the operand"), 0u);
  here = __LINE__ + 1;
  EXPECT_EQ(error_of([&] { floor_divide(z, z); }).find(line(here) + "floor_divide: an operand is c64"), 0u);
  here = __LINE__ + 1;
  EXPECT_EQ(error_of([&] { argmax(z, 0); }).find(line(here) + "argmax: complex numbers have no order"), 0u);
  here = __LINE__ + 1;
  EXPECT_EQ(error_of([&] { z % z; }).find(line(here) + "operator %: an operand is c64"), 0u);
  here = __LINE__ + 1;
  EXPECT_EQ(
      error_of([&] { max(x > 0); }),
      line(here) +
          "max: takes numbers that are ordered, but this is a pred[6,6]; any says whether one is true, all "
          "whether every one is");
}

TEST(ArrayTest, ErrorsNameTheLine) {
  const Array x = counting({2, 3});
  int here = __LINE__ + 1;
  EXPECT_EQ(
      error_of([&] { x.to_vector<int>(); }),
      line(here) +
          "the elements of a f32[2,3] cannot be read as s32; ask for the C++ type of f32, or convert with "
          ".astype first");
  here = __LINE__ + 1;
  EXPECT_EQ(error_of([&] { x.item<float>(); }), line(here) + "item: a f32[2,3] has not exactly one element");
  here = __LINE__ + 1;
  EXPECT_EQ(error_of([&] {
              Array::from<int>({4}, {1, 2});
            }),
            line(here) + "Array::from: the shape [4] holds 4 elements, but 2 values were given");
  here = __LINE__ + 1;
  EXPECT_EQ(error_of([&] { Array() + x; }),
            line(here) + "this array is empty (default-constructed); give it a value before it is used");
}

// --- values of functions, against plain C++ ---

TEST(FunctionsTest, BroadcastLikeNumpy) {
  const Array a = counting({2, 1, 3}), b = counting({4, 1});
  const Array c = a * 10 + b;
  EXPECT_EQ(c.shape(), (Shape{2, 4, 3}));
  const std::vector<float> values = c.to_vector<float>();
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 4; ++j) {
      for (int k = 0; k < 3; ++k) {
        EXPECT_EQ(values[static_cast<size_t>((i * 4 + j) * 3 + k)], static_cast<float>((i * 3 + k) * 10 + j));
      }
    }
  }
  const int here = __LINE__ + 1;
  EXPECT_EQ(error_of([&] {
              counting({2, 3}) + counting({2});
            }),
            line(here) +
                "add: f32[2,3] and f32[2] do not broadcast: axis -1 has the extents 3 and 2, which should be "
                "equal, or one of them 1");
}

TEST(FunctionsTest, NumbersTakeTheDtypeOfTheArray) {
  const Array f = counting({2}), n = counting<uint8_t>({2}), p = n == 0;
  EXPECT_EQ((f + 1.0).dtype(), DType::kF32);
  EXPECT_EQ((f + 1).dtype(), DType::kF32);
  EXPECT_EQ((1 + n).dtype(), DType::kU8);
  EXPECT_EQ((n * 0.5).dtype(), DType::kF32);
  EXPECT_EQ((p + 1).dtype(), DType::kS32);
  EXPECT_EQ((p & true).dtype(), DType::kPred);
  EXPECT_EQ(error_of([&] { n + 300; }),
            line(__LINE__ - 1) +
                "add: the number 300 is not a value of u8, whose values are the integers 0 to 255; it stands "
                "beside a u8[2], which .astype converts");
  EXPECT_EQ(error_of([&] { f + n; }),
            line(__LINE__ - 1) +
                "add: the operands f32[2] and u8[2] have different dtypes; convert one with "
                ".astype(ingot::DType::kF32) or the like");
  // Which one is told does not hang on their order.
  EXPECT_NE(error_of([&] { n + f; }).find(".astype(ingot::DType::kF32)"), std::string::npos);
  EXPECT_NE(error_of([&] { p + n; }).find(".astype(ingot::DType::kU8)"), std::string::npos);
}

TEST(FunctionsTest, NumbersThatTheDtypeCannotHoldAreRefused) {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto refused = [](auto value, DType dtype, const std::string& message, int line = __builtin_LINE()) {
    const auto full = [&] { return Array::full({2}, Operand(value), dtype); };
    for (const bool traced : {false, true}) {
      const std::string error = error_of([&] { traced ? jit(full)() : full(); });
      EXPECT_NE(error.find("Array::full: the number " + message), std::string::npos) << line << ": " << error;
      EXPECT_EQ(error.find(__FILE__), 0u) << error;
    }
  };
  const std::string bytes = ", whose values are the integers 0 to 255; give another dtype";
  refused(300, DType::kU8, "300 is not a value of u8" + bytes);
  refused(-1, DType::kU8, "-1 is not a value of u8" + bytes);
  refused(2.5, DType::kU8, "2.5 is not a value of u8" + bytes);
  refused(-1, DType::kU32, "-1 is not a value of u32, whose values are the integers 0 to 4294967295");
  refused(2.5, DType::kS32,
          "2.5 is not a value of s32, whose values are the integers -2147483648 to 2147483647");
  refused(2147483648.0, DType::kS32, "2147483648 is not a value of s32");
  refused(-128.5f, DType::kS8, "-128.5 is not a value of s8, whose values are the integers -128 to 127");
  refused(128, DType::kS8, "128 is not a value of s8");
  refused(~uint64_t{0}, DType::kS64, "18446744073709551615 is not a value of s64");
  refused(0x1p63, DType::kS64, "9223372036854775808 is not a value of s64");
  refused(0x1p64, DType::kU64, "18446744073709551616 is not a value of u64");
  refused(std::nan(""), DType::kS32, "nan is not a value of s32");
  refused(infinity, DType::kS64, "inf is not a value of s64");
  refused(70000, DType::kF16, "70000 is not a value of f16, whose finite values are -65504 to 65504");
  refused(1e39, DType::kF32, "1e+39 is not a value of f32, whose finite values are -3.40282");
  refused(std::complex<float>(1, 2), DType::kF32, "1+2i is not a value of f32, since it is complex");

  EXPECT_EQ(Array::full({2}, 255.0, DType::kU8)[1].item<int>(), 255);
  EXPECT_EQ(Array::full({2}, -0x1p63, DType::kS64)[1].item<int64_t>(), INT64_MIN);
  EXPECT_EQ(Array::full({2}, ~uint64_t{0}, DType::kU64)[1].item<uint64_t>(), ~uint64_t{0});
  EXPECT_EQ(Array::full({2}, -infinity, DType::kF16)[1].item<double>(), -infinity);
  EXPECT_EQ(Array::full({2}, 65519, DType::kF16)[1].item<double>(), 65504);
  EXPECT_EQ(Array::full({2}, 16777217, DType::kF32)[1].item<double>(), 16777216);
  EXPECT_TRUE(Array::full({2}, 300, DType::kPred)[1].item<bool>());
  EXPECT_EQ(astype(300, DType::kU8).item<int>(), 44);  // a conversion, which wraps as that of an array does

  // Beside arrays, whatever the function.
  const Array n = counting<uint8_t>({2}), h = Array::ones({2}, DType::kF16);
  for (const std::string& error :
       {error_of([&] { n * -1; }), error_of([&] { where(n > 0, n, 256); }),
        error_of([&] { clip(n, 0, 256); }), error_of([&] { pad(n, {1}, {1}, 256); }),
        error_of([&] { scatter(Scatter::kSet, n, Array::from<int>({0}), 256); }),
        error_of([&] { h * 70000; }), error_of([&] { maximum(h, -1e9); }),
        error_of([&] { counting({2}) * 1e300; })}) {
    EXPECT_EQ(error.find(__FILE__), 0u) << error;
    EXPECT_NE(error.find("is not a value of "), std::string::npos) << error;
  }
  EXPECT_NE(error_of([&] {
              iota(DType::kU8, {2, 257}, 1);
            }).find("iota: 256 is not a number of u8"),
            std::string::npos);
  EXPECT_EQ(arange(200, -1, -100, DType::kU8).to_vector<uint8_t>(), (std::vector<uint8_t>{200, 100, 0}));
  EXPECT_EQ(arange(-100, 101, 200, DType::kS8).to_vector<int8_t>(), (std::vector<int8_t>{-100, 100}));
  EXPECT_EQ(arange(-128, 128, 1, DType::kS8)[255].item<int>(), 127);
}

TEST(FunctionsTest, OperatorsComputeWhatCppComputes) {
  const std::vector<int32_t> a{7, -7, 100, -1}, b{2, 2, -3, 5};
  const Array x = Array::from(a), y = Array::from(b);
  const auto expect = [&](const Array& result, auto fn) {
    const std::vector<int32_t> values = result.to_vector<int32_t>();
    for (size_t i = 0; i < a.size(); ++i) EXPECT_EQ(values[i], fn(a[i], b[i]));
  };
  expect(x + y, [](int p, int q) { return p + q; });
  expect(x - y, [](int p, int q) { return p - q; });
  expect(x * y, [](int p, int q) { return p * q; });
  expect(x / y, [](int p, int q) { return p / q; });
  expect(x % y, [](int p, int q) { return p % q; });
  expect((x & y) ^ (x | y), [](int p, int q) { return (p & q) ^ (p | q); });
  expect(~x, [](int p, int) { return ~p; });
  expect(-x, [](int p, int) { return -p; });
  expect(x << 3, [](int p, int) { return p * 8; });
  expect(x >> 1, [](int p, int) { return p >> 1; });
  expect(rotl(x, 7), [](int p, int) {
    const auto u = static_cast<uint32_t>(p);
    return static_cast<int32_t>((u << 7) | (u >> 25));
  });
  expect(maximum(x, y), [](int p, int q) { return std::max(p, q); });
  expect(select(x < y, x, 0), [](int p, int q) { return p < q ? p : 0; });
  expect((x >= y).astype(DType::kS32), [](int p, int q) { return p >= q ? 1 : 0; });
}

TEST(FunctionsTest, NegativePaddingCutsOffInEveryMode) {
  using V = std::vector<float>;
  const auto f = [](Array a) { return pad(a, {-1}, {1}, 9, {1}); };  // 9 1 9 2 9 3 9 of 0 1 2 3
  const Array x = counting({4});
  EXPECT_EQ(jit(f)(x).to_vector<float>(), (V{9, 1, 9, 2, 9, 3, 9}));
  EXPECT_EQ(grad([&](Array a) { return sum(square(f(a))); })(x).to_vector<float>(), (V{0, 2, 4, 6}));
  EXPECT_EQ(jvp(f, std::tuple(x), std::tuple(x)).second.to_vector<float>(), (V{0, 1, 0, 2, 0, 3, 0}));
  const Array batch = vmap(f)(counting({2, 2}));
  EXPECT_EQ(batch.to_vector<float>(), (V{9, 1, 9, 9, 3, 9}));
  const auto too_much = [&] { pad(x, {-3}, {-2}); };
  const int cut = __LINE__ - 1;
  EXPECT_EQ(error_of(too_much),
            line(cut) +
                "pad: along axis 0 of f32[4] the negative padding cuts off more than the 4 elements "
                "that there are, with those around and between them");
  EXPECT_NE(error_of([&] { pad(x, {INT64_MIN}, {INT64_MIN}); }).find("cuts off more"), std::string::npos);
}

TEST(FunctionsTest, ViewsMoveElements) {
  const Array x = counting<int32_t>({2, 3});
  using V = std::vector<int32_t>;
  const auto values = [](const Array& a) { return a.to_vector<int32_t>(); };
  EXPECT_EQ(values(x.T()), (V{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(values(x[1]), (V{3, 4, 5}));
  EXPECT_EQ(values(x[-1][-1]), (V{5}));
  EXPECT_EQ(values(x.slice({.step = -1})), (V{3, 4, 5, 0, 1, 2}));
  EXPECT_EQ(values(x.slices({{}, {.start = 1}})), (V{1, 2, 4, 5}));
  EXPECT_EQ(values(counting<int32_t>({10}).slice({.start = 8, .stop = 1, .step = -3})), (V{8, 5, 2}));
  EXPECT_EQ(values(counting<int32_t>({10}).slice({.start = -3})), (V{7, 8, 9}));
  EXPECT_EQ(values(counting<int32_t>({10}).slice({.start = 5, .stop = 2})), (V{}));
  EXPECT_EQ(values(flip(x, 1)), (V{2, 1, 0, 5, 4, 3}));
  EXPECT_EQ(values(reshape(x, {3, -1})), (V{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(values(take(x, {2, 0, -1}, 1)), (V{2, 0, 2, 5, 3, 5}));
  EXPECT_EQ(values(roll(x, 1, 1)), (V{2, 0, 1, 5, 3, 4}));
  EXPECT_EQ(values(concatenate({x, x + 10}, 1)), (V{0, 1, 2, 10, 11, 12, 3, 4, 5, 13, 14, 15}));
  EXPECT_EQ(values(stack({x[0], x[1]}, 1)), (V{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(values(pad(x, {0, 1}, {0, 0}, 9)), (V{9, 0, 1, 2, 9, 3, 4, 5}));
  EXPECT_EQ(values(pad(x, {0, -1}, {0, 1}, 9)), (V{1, 2, 9, 4, 5, 9}));
  EXPECT_EQ(values(pad(x, {0, -1}, {-1, -1})), (V{1}));
  EXPECT_EQ(values(pad(x, {-1, -2}, {0, -1}, 9, {0, 1})), (V{4, 9}));  // of 3 9 4 9 5
  EXPECT_EQ(pad(x, {0, -3}, {0, 0}).shape(), (Shape{2, 0}));
  EXPECT_EQ(values(pad(x, {0, -4}, {-1, 3}, 9)), (V{9, 9}));  // beyond all of its elements
  EXPECT_EQ(expand_dims(x, {0, -1}).shape(), (Shape{1, 2, 3, 1}));
  EXPECT_EQ(squeeze(expand_dims(x, {0, -1})).shape(), (Shape{2, 3}));
  EXPECT_EQ(values(arange(2, 9, 3)), (V{2, 5, 8}));
  EXPECT_EQ(values(arange(3, 0, -1)), (V{3, 2, 1}));
  EXPECT_EQ(values(iota(DType::kS32, {2, 2}, 1)), (V{0, 1, 0, 1}));
  EXPECT_EQ(values(broadcast_to(x[0], {2, 3})), (V{0, 1, 2, 0, 1, 2}));
  EXPECT_NE(error_of([&] {
              reshape(x, {4, -1});
            }).find("reshape: s32[2,3] has 6 elements"),
            std::string::npos);
  EXPECT_NE(error_of([&] { x[2]; }).find("index 2 is out of range for axis 0 of s32[2,3]"),
            std::string::npos);
}

TEST(FunctionsTest, Reductions) {
  const Array x = Array::from<float>({2, 3}, {4, 9, -1, 0, 9, 9});
  using V = std::vector<float>;
  EXPECT_EQ(sum(x).item<float>(), 30);
  EXPECT_EQ(sum(x, 0).to_vector<float>(), (V{4, 18, 8}));
  EXPECT_EQ(sum(x, {0, 1}, kKeepDims).shape(), (Shape{1, 1}));
  EXPECT_EQ(max(x, 1).to_vector<float>(), (V{9, 9}));
  EXPECT_EQ(min(x, -1).to_vector<float>(), (V{-1, 0}));
  EXPECT_EQ(prod(x, 1).to_vector<float>(), (V{-36, 0}));
  EXPECT_EQ(mean(x).item<float>(), 5);
  EXPECT_EQ(argmax(x, 1).to_vector<int32_t>(), (std::vector<int32_t>{1, 1}));
  EXPECT_EQ(argmin(x, 1).to_vector<int32_t>(), (std::vector<int32_t>{2, 0}));
  EXPECT_EQ(argmax(Array::from<float>({3}, {1, NAN, 2}), 0).item<int>(), 1);
  EXPECT_EQ(argmax(Array::full({1000}, -INFINITY), 0).item<int>(), 0);
  std::vector<float> late(1000, 3), nans(1000, 3);
  std::fill(late.begin() + 517, late.end(), 4.0f);
  std::fill(nans.begin() + 700, nans.end(), NAN);
  EXPECT_EQ(argmax(Array::from<float>({1000}, late), 0).item<int>(), 517);
  EXPECT_EQ(argmax(Array::from<float>({1000}, nans), 0).item<int>(), 700);
  EXPECT_EQ(argmin(Array::from<float>({1000}, late), 0).item<int>(), 0);
  EXPECT_EQ(sum(x > 0).item<int>(), 4);
  EXPECT_EQ(any(x > 8, 1).to_vector<bool>(), (std::vector<bool>{true, true}));
  EXPECT_FALSE(all(x > 0).item<bool>());
  EXPECT_EQ(max(counting<int8_t>({3}, -128)).item<int>(), -126);
  EXPECT_EQ(sum(Array::zeros({0, 2}), 0).to_vector<float>(), (V{0, 0}));
  EXPECT_NE(error_of([&] { max(Array::zeros({0})); }).find("axis 0 of f32[0] is empty"), std::string::npos);
}

TEST(FunctionsTest, Contractions) {
  const Array a = counting({2, 3}), b = counting({3, 4}), v = counting({3});
  EXPECT_EQ(dot(a, v).to_vector<float>(), (std::vector<float>{5, 14}));
  EXPECT_EQ(dot(v, v).item<float>(), 5);
  EXPECT_EQ(matmul(a, b).to_vector<float>(), dot(a, b).to_vector<float>());
  EXPECT_EQ(matmul(counting({5, 2, 3}), b).shape(), (Shape{5, 2, 4}));
  EXPECT_EQ(matmul(counting({5, 2, 3}), counting({1, 3, 4})).shape(), (Shape{5, 2, 4}));
  const Array batch = matmul(a, counting({5, 3, 4}));
  EXPECT_EQ(batch.shape(), (Shape{5, 2, 4}));
  EXPECT_EQ(batch[0].to_vector<float>(), dot(a, b).to_vector<float>());
  const int here = __LINE__ + 1;
  EXPECT_EQ(error_of([&] { dot(a, a); }),
            line(here) +
                "dot: the shapes of f32[2,3] and f32[2,3] do not fit: axis 1 of the first (3) should be as "
                "long as axis 0 of the second (2)");
}

TEST(FunctionsTest, Compositions) {
  const Array x = Array::from<float>({4}, {-2, -0.5, 0, 3});
  const std::vector<float> in = x.to_vector<float>(), s = silu(x).to_vector<float>(),
                           soft = softmax(x).to_vector<float>();
  float total = 0;
  for (float value : in) total += std::exp(value);
  for (size_t i = 0; i < in.size(); ++i) {
    EXPECT_NEAR(s[i], in[i] / (1 + std::exp(-in[i])), 1e-6);
    EXPECT_NEAR(soft[i], std::exp(in[i]) / total, 1e-6);
  }
  EXPECT_EQ(clip(x, -1, 1).to_vector<float>(), (std::vector<float>{-1, -0.5, 0, 1}));
  EXPECT_NEAR(gelu(Array(1.0f)).item<float>(), 0.841192f, 1e-5);
}

// Whatever needs the options first: the message is about the environment, not about what failed for it.
TEST(ArrayTest, ABadEnvironmentIsToldAsSuch) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // starts anew, and reads the environment
  ASSERT_EQ(setenv("INGOT_TARGET", "avx", 1), 0);
  const auto make = [] {
    try {
      counting({3});
      Array::zeros({300});
    } catch (const Error& error) {
      std::fprintf(stderr, "told: %s\n", error.what());
      std::_Exit(7);
    }
    std::_Exit(0);
  };
  EXPECT_EXIT(make(), ::testing::ExitedWithCode(7), "told: [^ ]*: INGOT_TARGET: .*avx2");
  unsetenv("INGOT_TARGET");
}

}  // namespace
}  // namespace ingot
