// What fft means, and what it refuses.
#include <gtest/gtest.h>

#include "interpreter/interpreter.h"
#include "ir/text.h"
#include "ir/verifier.h"

namespace ingot::ops {
namespace {

using C = std::complex<double>;

std::string fft_program(const std::string& from, const std::string& to, const std::string& type,
                        const std::string& lengths) {
  return "func @main(%x: " + from + ") -> (" + to + ") {\n  %y = fft(%x) {fft_length = " + lengths +
         ", fft_type = \"" + type + "\"} : " + to + "\n  return %y\n}\n";
}

Tensor transform_of(const std::string& text, const Tensor& argument) {
  const auto module = ir::parse(text);
  ir::verify(*module);
  EXPECT_EQ(ir::to_string(*ir::parse(ir::to_string(*module))), ir::to_string(*module));
  const std::vector<Tensor> arguments{argument};
  return interpret(*module, arguments)[0];
}

std::string refusal_of_fft(const std::string& text) {
  try {
    ir::verify(*ir::parse(text));
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(FftRecordTest, Values) {
  const Tensor x = Tensor::of<C>({4}, {1, 2, {0, 1}, -1}),
               y = Tensor::of<C>({4}, {{2, 1}, {1, -4}, {0, 1}, {1, 2}});
  EXPECT_EQ(transform_of(fft_program("c128[4]", "c128[4]", "fft", "[4]"), x), y);
  EXPECT_EQ(transform_of(fft_program("c128[4]", "c128[4]", "ifft", "[4]"), y), x);
  const Tensor r = Tensor::of<double>({2, 4}, {1, 2, 3, 4, 0, 1, 0, 0}),
               h = Tensor::of<C>({2, 3}, {10, {-2, 2}, -2, 1, {0, -1}, -1});
  EXPECT_EQ(transform_of(fft_program("f64[2,4]", "c128[2,3]", "rfft", "[4]"), r), h);
  EXPECT_EQ(transform_of(fft_program("c128[2,3]", "f64[2,4]", "irfft", "[4]"), h), r);
  // The imaginary parts of the first and, of even lengths, the last number do not count.
  EXPECT_EQ(transform_of(fft_program("c128[3]", "f64[4]", "irfft", "[4]"),
                         Tensor::of<C>({3}, {{10, 7}, {-2, 2}, {-2, 5}})),
            Tensor::of<double>({4}, {1, 2, 3, 4}));
  // Two dimensions: the sum, the difference of rows, ...
  EXPECT_EQ(transform_of(fft_program("c128[2,2]", "c128[2,2]", "fft", "[2,2]"),
                         Tensor::of<C>({2, 2}, {1, 2, 3, 5})),
            Tensor::of<C>({2, 2}, {11, -3, -5, 1}));
  EXPECT_EQ(transform_of(fft_program("f64[3,0]", "c128[3,0]", "rfft", "[0]"), Tensor(DType::kF64, {3, 0})),
            Tensor(DType::kC128, {3, 0}));
}

TEST(FftRecordTest, LongPrimesAreTransformedByAChirp) {
  const int64_t n = 1009;
  Tensor x(DType::kC128, {n});
  x.set_complex(1, 1);
  const Tensor y = transform_of(fft_program("c128[1009]", "c128[1009]", "fft", "[1009]"), x);
  for (const int64_t k : {0, 1, 500, 1008})
    EXPECT_LE(std::abs(y.get_complex(k) - std::polar(1.0, -2 * M_PI * static_cast<double>(k) / n)), 1e-14);
}

TEST(FftRecordTest, Refusals) {
  const auto refused = [](const std::string& from, const std::string& type, const std::string& lengths) {
    return refusal_of_fft(fft_program(from, from, type, lengths));
  };
  EXPECT_NE(refused("c64[4]", "dft", "[4]").find("must be \"fft\", \"ifft\", \"rfft\" or \"irfft\""),
            std::string::npos);
  EXPECT_NE(refused("c64[4]", "fft", "[]").find("must have 1, 2 or 3 lengths"), std::string::npos);
  EXPECT_NE(refused("c64[4]", "fft", "[4,4]").find("a dimension for each of the lengths"), std::string::npos);
  EXPECT_NE(refused("f32[4]", "fft", "[4]").find("takes complex numbers"), std::string::npos);
  EXPECT_NE(refused("c64[4]", "rfft", "[4]").find("takes f32 or f64"), std::string::npos);
  EXPECT_NE(refused("c64[4]", "irfft", "[4]").find("must be c64[3]"), std::string::npos);
  EXPECT_NE(refused("c64[4]", "fft", "[5]").find("must be c64[5]"), std::string::npos);
  EXPECT_NE(refused("c64[4]", "fft", "[-4]").find("no length may be negative"), std::string::npos);
}

}  // namespace
}  // namespace ingot::ops
