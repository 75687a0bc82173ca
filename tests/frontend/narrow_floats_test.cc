// f16 and bf16 as a user meets them: dtypes beside others, values and gradients, against JAX (golden/ has
// what it says and the program that asked it); conversions, sums, loops, batches, errors.
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

#include "base/options.h"
#include "frontend/testing.h"

namespace ingot {
namespace {

using testing::error_of;
using Function = std::function<Array(Array, Array)>;

const std::map<std::string, Function>& functions() {
  static const std::map<std::string, Function> list = {
      {"product", [](Array x, Array y) { return sum(x * y); }},
      {"squares", [](Array x, Array y) { return sum(square(x - y)); }},
      {"tanh", [](Array x, Array y) { return sum(tanh(x * y)); }},
      {"exp", [](Array x, Array y) { return sum(exp(x) * y); }},
      {"mean", [](Array x, Array y) { return mean(x * y); }},
      {"dot", [](Array x, Array y) { return dot(x, y); }},
      {"wide_dot", [](Array x, Array y) { return dot(x, y, DType::kF32); }},
      {"matmul",
       [](Array x, Array y) {
         return sum(matmul(x.reshape({2, 3}), y.reshape({3, 2})));
       }},
      {"through_f32",
       [](Array x, Array y) {
         const Array p = x.astype(DType::kF32) * y.astype(DType::kF32);
         return sum(p * p * p);
       }},
      {"max", [](Array x, Array y) { return max(x) * y[0]; }},
      {"cumsum", [](Array x, Array y) { return sum(cumsum(x, 0) * y); }},
      {"where", [](Array x, Array y) { return sum(where(x > y, x, y * x)); }},
  };
  return list;
}

Array of(DType dtype, const std::vector<double>& values) {
  return Array::from(values).astype(dtype);
}

struct Golden {
  std::vector<std::vector<std::string>> lines;
  Golden() {
    std::ifstream file(INGOT_TEST_DIR "/golden/jax_narrow_floats.txt");
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      lines.emplace_back();
      for (std::string word; words >> word;) lines.back().push_back(word);
    }
  }
};

DType dtype(const std::string& name) {
  return *parse_dtype(name);
}

TEST(NarrowFloatsTest, PromoteAsInJax) {
  int pairs = 0;
  for (const auto& words : Golden().lines) {
    if (words[0] == "promote") {
      const Array a = Array::ones({2}, dtype(words[1])), b = Array::ones({2}, dtype(words[2]));
      EXPECT_EQ((a + b).dtype(), dtype(words[3])) << words[1] << " + " << words[2];
      EXPECT_EQ((b * a).dtype(), dtype(words[3])) << words[2] << " * " << words[1];
      EXPECT_EQ((a + b).astype(DType::kF64).to_vector<double>(), std::vector<double>(2, 2.0));
      ++pairs;
    } else if (words[0] == "number") {
      const Array a = Array::ones({2}, dtype(words[1]));
      EXPECT_EQ((words[2] == "s32" ? a + 1 : a + 1.5).dtype(), dtype(words[3]));
      ++pairs;
    }
  }
  EXPECT_EQ(pairs, 30);
}

// What a program converts is rounded, compiled as it is outside of jit: a quantization error is not 0.
TEST(NarrowFloatsTest, WhatAProgramConvertsIsRounded) {
  std::vector<float> numbers;
  for (int i = 0; i < 1000; ++i) numbers.push_back(std::sin(static_cast<float>(i)) * 3);
  const Array x = Array::from(numbers);
  for (const DType type : {DType::kF16, DType::kBF16}) {
    for (const auto& f : std::vector<std::function<Array(Array)>>{
             [=](Array v) { return v - v.astype(type).astype(DType::kF32); },
             [=](Array v) { return v * 2 - (v.astype(type) + v.astype(type)).astype(DType::kF32); },
             [=](Array v) {
               return broadcast_to(v.astype(type), {3, 1000}).astype(DType::kF32) - v;
             },
             // What an operation made in f32 is rounded where the program says so, though it converts from
             // f32 what it had converted to f32.
             [=](Array v) {
               const Array y = v.astype(type);
               return (y * y).astype(DType::kF32).astype(type).astype(DType::kF32) - v;
             }}) {
      const auto compiled = jit(f)(x).to_vector<float>();
      EXPECT_EQ(compiled, jit(f, {.interpret = true})(x).to_vector<float>()) << name_of(type);
      EXPECT_GT(std::count_if(compiled.begin(), compiled.end(), [](float v) { return v != 0; }), 800);
    }
  }
}

// Where the processor has arithmetic in f16, nothing of it may join two operations that are rounded each.
TEST(NarrowFloatsTest, RoundingsThatAreKeptAreMade) {
  Options::global().set("INGOT_SKIP_PASSES", "excess_precision");
  std::vector<double> a, b;
  for (int i = 0; i < 1000; ++i) {
    a.push_back(std::sin(i) * 3);
    b.push_back(std::cos(i * i) * 3);
  }
  for (const DType type : {DType::kF16, DType::kBF16}) {
    const Array x = of(type, a), y = of(type, b);
    for (const auto& f : std::vector<Function>{
             [](Array x, Array y) { return x * y + x; }, [](Array x, Array y) { return y - x * y * x; },
             [](Array x, Array y) { return where(x > y, x * y, -y) - x; }}) {
      const auto compiled = jit(f)(x, y).astype(DType::kF64).to_vector<double>();
      const auto interpreted = jit(f, {.interpret = true})(x, y).astype(DType::kF64).to_vector<double>();
      for (size_t i = 0; i < compiled.size(); ++i) {
        ASSERT_EQ(compiled[i], interpreted[i])
            << name_of(type) << ": x = " << x[i].astype(DType::kF64) << ", y = " << y[i].astype(DType::kF64);
      }
    }
  }
  Options::global().set("INGOT_SKIP_PASSES", "");
}

TEST(NarrowFloatsTest, ValuesAndGradientsAreThoseOfJax) {
  int checked = 0;
  for (const auto& words : Golden().lines) {
    if (words[0] != "function") continue;
    const DType narrow = dtype(words[2]);
    const Array x = of(narrow, {0.3, -1.2, 0.7, 2.1, -0.4, 1.6}),
                y = of(narrow, {1.1, 0.2, -0.8, 0.5, 1.9, -1.3});
    const Function& f = functions().at(words[1]);
    const Array value = jit(f)(x, y);
    const auto [gx, gy] = grad<0, 1>(f)(x, y);
    EXPECT_EQ(value.dtype(), dtype(words[3])) << words[1];
    EXPECT_EQ(gx.dtype(), dtype(words[4])) << words[1];
    EXPECT_EQ(gy.dtype(), dtype(words[4])) << words[1];
    const double unit = narrow == DType::kBF16 ? 0x1p-8 : 0x1p-11;  // half of the last place, relative
    std::vector<double> got = {value.item<double>()};
    for (const Array& g : {gx, gy}) {
      for (double v : g.astype(DType::kF64).to_vector<double>()) got.push_back(v);
    }
    for (size_t i = 0; i < got.size(); ++i) {
      const double want = std::stod(words[5 + i]);
      // Roundings of what it is made of: of terms up to 6.4 that cancel in the value, up to 1 in gradients.
      EXPECT_NEAR(got[i], want, unit * (2 * std::abs(want) + (i == 0 ? 8 : 1)))
          << words[1] << " " << words[2] << " " << i;
    }
    ++checked;
  }
  EXPECT_EQ(checked, 24);
}

// Every value of both types through every other dtype, and back where that holds it.
TEST(NarrowFloatsTest, ConvertsAllValuesThereAndBack) {
  std::vector<uint16_t> bits(65536);
  for (size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<uint16_t>(i);
  for (DType narrow : {DType::kF16, DType::kBF16}) {
    const Array all = Array::from_bytes(narrow, {65536}, bits.data());
    const auto value = [&](size_t i) {
      return narrow == DType::kF16 ? float(float16::from_bits(bits[i])) : float(bfloat16::from_bits(bits[i]));
    };
    const std::vector<float> wide = all.astype(DType::kF32).to_vector<float>();
    for (size_t i = 0; i < bits.size(); ++i) {
      if (std::isnan(value(i)))
        EXPECT_TRUE(std::isnan(wide[i])) << i;
      else
        EXPECT_EQ(std::bit_cast<uint32_t>(wide[i]), std::bit_cast<uint32_t>(value(i))) << i;
    }
    for (DType through : {DType::kF32, DType::kF64}) {
      const Array middle = all.astype(through);
      std::vector<uint16_t> back(bits.size());
      middle.astype(narrow).to_host(back.data());
      for (size_t i = 0; i < bits.size(); ++i) {
        if (std::isnan(value(i))) continue;
        EXPECT_EQ(back[i], bits[i]) << name_of(through);
      }
    }
    const std::vector<int32_t> whole = all.astype(DType::kS32).to_vector<int32_t>();
    for (size_t i = 0; i < bits.size(); ++i) {
      const float v = value(i);
      const int32_t want = std::isnan(v)   ? 0
                           : v >= 0x1p31f  ? INT32_MAX
                           : v <= -0x1p31f ? INT32_MIN
                                           : static_cast<int32_t>(v);
      EXPECT_EQ(whole[i], want) << i;
    }
  }
}

// Floats next to the middle between two neighbours, for all of them, and what else rounds: as the type does
// it on the host, whose test is exhaustive.
TEST(NarrowFloatsTest, RoundsToNearestEven) {
  std::vector<float> values;
  for (uint32_t upper = 0; upper < 65536; ++upper) {
    for (uint32_t lower : {0x0000u, 0x0001u, 0x0fffu, 0x1000u, 0x1001u, 0x2fffu, 0x3000u, 0x7fffu, 0x8000u,
                           0x8001u, 0xf000u, 0xffffu})
      values.push_back(std::bit_cast<float>(upper << 16 | lower));
  }
  const Array x = Array::from(values);
  std::vector<uint16_t> half(values.size()), brain(values.size());
  x.astype(DType::kF16).to_host(half.data());
  x.astype(DType::kBF16).to_host(brain.data());
  int wrong = 0;
  for (size_t i = 0; i < values.size() && wrong < 10; ++i) {
    wrong += half[i] != float16(values[i]).bits || brain[i] != bfloat16(values[i]).bits;
    EXPECT_EQ(half[i], float16(values[i]).bits) << values[i];
    EXPECT_EQ(brain[i], bfloat16(values[i]).bits) << values[i];
  }
}

// Doubles that are rounded to a float on the other side, or to the middle, of two narrow numbers.
TEST(NarrowFloatsTest, DoublesAreRoundedOnce) {
  std::vector<double> values = {0.0,      -0.0,      1e300, -1e300, 1e-300, -1e-300,
                                INFINITY, -INFINITY, NAN,   5e-8,   65520,  65519.99999999999};
  for (uint32_t upper = 0; upper < 65536; upper += 3) {
    for (uint32_t lower : {0x0000u, 0x0fffu, 0x1000u, 0x3000u, 0x8000u}) {
      const double middle = std::bit_cast<float>(upper << 16 | lower);
      for (double value : {middle, std::nextafter(middle, 0.0), std::nextafter(middle, 2 * middle)})
        values.push_back(value);
    }
  }
  const Array x = Array::from(values);
  std::vector<uint16_t> half(values.size()), brain(values.size());
  x.astype(DType::kF16).to_host(half.data());
  x.astype(DType::kBF16).to_host(brain.data());
  int wrong = 0;
  for (size_t i = 0; i < values.size() && wrong < 10; ++i) {
    wrong += half[i] != float16(values[i]).bits || brain[i] != bfloat16(values[i]).bits;
    EXPECT_EQ(half[i], float16(values[i]).bits) << std::hexfloat << values[i];
    EXPECT_EQ(brain[i], bfloat16(values[i]).bits) << std::hexfloat << values[i];
  }
}

// Beside arrays, whose operators take them too, numbers stay numbers.
template <class H>
void check_numbers(const Array& x) {
  constexpr H a(1.5f), b(2.0f);
  static_assert(std::is_same_v<decltype(-a), float> && -a == -1.5f);
  static_assert(std::is_same_v<decltype(a + b), float> && a + b == 3.5f);
  static_assert(std::is_same_v<decltype(a - 2), float> && a - 2 == -0.5f);
  static_assert(std::is_same_v<decltype(2.0 * a), double> && 2.0 * a == 3.0);
  static_assert(std::is_same_v<decltype(a / bfloat16(2.0f)), float> && a / bfloat16(2.0f) == 0.75f);
  static_assert(a < b && a <= b && b > a && b >= a && a != b && a == 1.5 && 2 == b);
  static_assert(std::is_same_v<decltype(x + a), Array> && std::is_same_v<decltype(a < x), Array>);
  EXPECT_EQ((x + a).dtype(), DType::kF32);
}

TEST(NarrowFloatsTest, NumbersComputeInFloat) {
  check_numbers<float16>(testing::counting({2}));
  check_numbers<bfloat16>(testing::counting({2}));
}

TEST(NarrowFloatsTest, AreReadAndPrinted) {
  const Array x = Array::from(std::vector<bfloat16>{bfloat16(1.5f), bfloat16(-0.1f)});
  EXPECT_EQ(to_string(x), "[ 1.5, -0.1] bf16[2]");
  EXPECT_EQ(x.to_vector<bfloat16>()[0], 1.5f);
  EXPECT_EQ(x[0].item<float>(), 1.5f);
  EXPECT_EQ(x[0].item<bfloat16>(), 1.5f);
  EXPECT_EQ((x * bfloat16(2.0f)).dtype(), DType::kBF16);
  EXPECT_EQ(Array(float16(0.5f)).dtype(), DType::kF16);
  EXPECT_NE(error_of([&] { x.to_vector<float>(); }).find("cannot be read as f32"), std::string::npos);
}

// 4096 ones in bf16 would stick at 256 if each addition were rounded.
TEST(NarrowFloatsTest, SumsAreRoundedOnce) {
  const Array ones = Array::ones({4096}, DType::kBF16);
  EXPECT_EQ(sum(ones).item<float>(), 4096);
  EXPECT_EQ(dot(ones, ones).item<float>(), 4096);
  EXPECT_EQ(cumsum(ones, 0)[4095].item<float>(), 4096);
  EXPECT_EQ(mean(ones * 100).item<float>(), 100);
  EXPECT_EQ(
      scatter_add(Array::zeros({1}, DType::kBF16), Array::zeros({4096}, DType::kS32), ones)[0].item<float>(),
      4096);
  const Array big = Array::full({64}, 60000, DType::kF16);
  EXPECT_EQ(mean(big).item<float>(), float(float16(60000.0f)));
  EXPECT_EQ(var(Array::full({9000}, 3, DType::kF16)).item<float>(), 0);
}

// A program that asks for every rounding gets it; others keep f32 between operations of one kernel.
TEST(NarrowFloatsTest, ContractionsKeepAWideResult) {
  const Array x = of(DType::kBF16, {1, 0x1p-7, 0, 0}), y = Array::ones({4}, DType::kBF16);
  const Array wide = dot(x + y * 0.0, y, DType::kF32);
  EXPECT_EQ(wide.dtype(), DType::kF32);
  EXPECT_EQ(einsum("i,i->", {x, y}, DType::kF32).dtype(), DType::kF32);
  EXPECT_EQ(matmul(x.reshape({1, 4}), y.reshape({4, 1}), DType::kF64).dtype(), DType::kF64);
  EXPECT_EQ(
      dot(Array::full({4}, 100, DType::kS8), Array::full({4}, 100, DType::kS8), DType::kS32).item<int>(),
      40000);
  EXPECT_NE(
      error_of([&] { dot(x.astype(DType::kF32), y.astype(DType::kF32), DType::kBF16); }).find("wider dtype"),
      std::string::npos);
}

// Machines that multiply pairs of s16 at once: sums wrap as they would one by one, at the extremes and of an
// odd number of terms, too.
TEST(NarrowFloatsTest, ProductsOfBytesAndHalvesAreExact) {
  const auto numbers = [](DType dtype, int64_t rows, int64_t columns, int64_t seed) {
    const int64_t low = dtype == DType::kU8   ? 0
                        : dtype == DType::kS8 ? -128
                                              : -32768,
                  high = dtype == DType::kU8   ? 255
                         : dtype == DType::kS8 ? 127
                                               : 32767;
    std::vector<int64_t> list;
    for (int64_t i = 0; i < rows * columns; ++i) {
      const int64_t number = (i * i * 7919 + i * seed) % (high - low + 1) + low;
      list.push_back(i % 5 < 3 ? low : number);
    }
    return Array::from({rows, columns}, list).astype(dtype);
  };
  const auto product =
      jit([](Array a, Array b) { return dot(a.astype(DType::kS32), b.astype(DType::kS32)); });
  for (const auto& [left, right] : {std::pair(DType::kS8, DType::kS8),
                                    {DType::kU8, DType::kS8},
                                    {DType::kU8, DType::kU8},
                                    {DType::kS16, DType::kS16},
                                    {DType::kS16, DType::kU8}}) {
    for (const int64_t k : {2, 131, 256}) {
      const Array a = numbers(left, 75, k, 3), b = numbers(right, k, 130, 11);
      const Array exact = dot(a.astype(DType::kS64), b.astype(DType::kS64)).astype(DType::kS32);
      EXPECT_TRUE(array_equal(product(a, b), exact).item<bool>())
          << name_of(left) << " " << name_of(right) << " " << k;
      EXPECT_TRUE(array_equal(product(b.transpose(), a.transpose()), exact.transpose()).item<bool>());
    }
  }
}

TEST(NarrowFloatsTest, LoopsAndBatchesKeepTheDtype) {
  const auto step = [](Array h, Array v) {
    const Array next = h * 0.5 + v;
    return std::pair(next, next);
  };
  const Array x = of(DType::kBF16, {1, 2, 3, 4});
  const auto [last, all] = scan(step, Array(bfloat16(0.0f)), x);
  EXPECT_EQ(all.dtype(), DType::kBF16);
  EXPECT_EQ(last.item<float>(), 6.125f);
  const Array m = of(DType::kF16, {1, 2, 3, 4, 5, 6}).reshape({2, 3});
  const Array rows = vmap([](Array row) { return softmax(row); })(m);
  EXPECT_EQ(rows.dtype(), DType::kF16);
  EXPECT_NEAR(rows[0].astype(DType::kF64).to_vector<double>()[2], 0.6652, 1e-3);
  const Array attended = attention(m, m, m);
  EXPECT_EQ(attended.dtype(), DType::kF16);
}

TEST(NarrowFloatsTest, OtherDtypesStillDoNotMix) {
  EXPECT_NE(error_of([] { Array::ones({2}) + Array::ones({2}, DType::kF64); }).find("different dtypes"),
            std::string::npos);
  EXPECT_NE(error_of([] { ~Array::ones({2}, DType::kBF16); }).find("integers or preds"), std::string::npos);
}

// What is rounded is the result, whoever asks for it.
TEST(NarrowFloatsTest, RoundedAndWidenedAgain) {
  const Array x = Array::from(std::vector<float>{1.25f, 2, -3, 0.5f}), ones = Array::ones({40});
  const std::vector<float> values = x.to_vector<float>(), twice = (x * 2).to_vector<float>();
  for (DType narrow : {DType::kBF16, DType::kF16}) {
    const auto rounded = [narrow](Array a) { return a.astype(narrow).astype(DType::kF32); };
    EXPECT_EQ(jit(rounded)(ones).to_vector<float>(), ones.to_vector<float>());
    EXPECT_EQ(jit(rounded)(x).to_vector<float>(), values);
    EXPECT_EQ(jit(rounded).lower(x).compile().launches(), 1);
    EXPECT_EQ(jit([&](Array a) { return vmap(rounded)(a); })(x).to_vector<float>(), values);
    Array gone = x + 0;
    EXPECT_EQ(jit(rounded, {.donate = {0}})(gone).to_vector<float>(), values);
    const auto and_sum = jit([&](Array a) {
      const Array y = rounded(a);
      return std::pair(y, sum(y));
    })(x);
    EXPECT_EQ(and_sum.first.to_vector<float>(), values);
    EXPECT_EQ(and_sum.second.item<float>(), 0.75f);
    const auto and_twice = jit([&](Array a) {
      const Array y = rounded(a);
      return std::pair(y, y * 2);
    })(x);
    EXPECT_EQ(and_twice.first.to_vector<float>(), values);
    EXPECT_EQ(and_twice.second.to_vector<float>(), twice);
    const auto both = jit([&](Array a) { return std::pair(a * 2, rounded(a * 2)); })(x);
    EXPECT_EQ(both.first.to_vector<float>(), twice);
    EXPECT_EQ(both.second.to_vector<float>(), twice);
    const auto looped =
        scan([&](Array carry, Array next) { return std::pair(rounded(carry), rounded(next)); }, ones,
             Array::zeros({3, 4}));
    EXPECT_EQ(looped.first.to_vector<float>(), ones.to_vector<float>());
  }
}

// What decides whether a loop goes on is rounded as it is written: x + 1 is 256 for x = 256 in bf16.
TEST(NarrowFloatsTest, LoopsEndWhereRoundingEndsThem) {
  const auto grown = jit([](Array x) {
    return while_loop([](Array v) { return v + 1.f != v; }, [](Array v) { return v + 1.f; }, x);
  });
  EXPECT_EQ(grown(Array(1.f).astype(DType::kBF16)).item<float>(), 256.f);
  EXPECT_EQ(grown(Array(1.f).astype(DType::kF16)).item<float>(), 2048.f);
  const auto epsilon = jit(vmap([](Array x) {
    return while_loop([](Array v) { return v / 2.f + 1.f > 1.f; }, [](Array v) { return v / 2.f; }, x);
  }));
  EXPECT_EQ(epsilon(Array::ones({3}, DType::kBF16)).astype(DType::kF32).to_vector<float>(),
            std::vector<float>(3, 0.0078125f));
  EXPECT_EQ(epsilon(Array::ones({40}, DType::kF16)).astype(DType::kF32).to_vector<float>(),
            std::vector<float>(40, 0.0009765625f));
}

}  // namespace
}  // namespace ingot
