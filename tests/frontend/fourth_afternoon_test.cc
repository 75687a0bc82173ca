// What readers with fresh eyes found: empty polynomials, wide paddings, files that could not be read again.
#include <filesystem>
#include <fstream>
#include <limits>
#include <numbers>

#include "frontend/testing.h"
#include "ingot/io.h"

namespace ingot {
namespace {

using testing::counting;
using testing::error_of;
using V = std::vector<float>;

TEST(ReadersTest, EmptyPolynomialsAreZero) {
  EXPECT_EQ(polyint(zeros({0})).to_vector<float>(), (V{0}));
  EXPECT_EQ(polyint(zeros({0}), 3).to_vector<float>(), (V{0, 0, 0}));
  EXPECT_EQ(polymul(zeros({0}), counting({4})).to_vector<float>(), (V{0, 0, 0, 0}));
  EXPECT_NE(error_of([] {
              polymul(ones({2, 2}), ones(2));
            }).find(": polymul: the coefficients are f32[2,2]"),
            std::string::npos);
}

TEST(ReadersTest, PaddingByElementsOfAnyWidth) {
  const auto expected = [](PadMode mode, int64_t low, int64_t extent, int64_t high) {
    V all;
    for (int64_t i = -low; i < extent + high; ++i) {
      int64_t at = 0;
      const auto turn = [&](int64_t length) { return (i % length + length) % length; };
      if (mode == PadMode::kWrap) at = turn(extent);
      if (mode == PadMode::kSymmetric)
        at = turn(2 * extent) < extent ? turn(2 * extent) : 2 * extent - 1 - turn(2 * extent);
      if (mode == PadMode::kReflect && extent > 1) {
        const int64_t length = 2 * (extent - 1);
        at = turn(length) < extent ? turn(length) : length - turn(length);
      }
      all.push_back(static_cast<float>(at));
    }
    return all;
  };
  for (const PadMode mode : {PadMode::kWrap, PadMode::kSymmetric, PadMode::kReflect}) {
    for (const int64_t extent : {1, 2, 5}) {
      for (const auto& [low, high] : {std::pair<int64_t, int64_t>{0, 1}, {3, 0}, {4, 5}, {23, 17}}) {
        EXPECT_EQ(pad(counting({extent}), {low}, {high}, mode).to_vector<float>(),
                  expected(mode, low, extent, high))
            << extent << " " << low << " " << high << " " << static_cast<int>(mode);
      }
    }
    const Array wide = pad(counting({2, 3}), {0, 1000000}, {0, 0}, mode);  // no list of places is made
    EXPECT_EQ(wide.shape(), (Shape{2, 1000003}));
    EXPECT_EQ(wide(0, -1).item<float>(), 2);
    EXPECT_NE(error_of([&] { pad(counting({3}), {INT64_MAX}, {0}, mode); }).find("more elements than"),
              std::string::npos);
  }
}

TEST(ReadersTest, NumbersThatAreTooWideAreTold) {
  EXPECT_TRUE(error_of([] {
                counting({2}) + Array({1.0, 2.0});
              })
                  .ends_with(".astype(ingot::DType::kF64) or the like, or make it of floats: Array({1.0f, "
                             "2.0f}), Array(1.0f)"));
  EXPECT_TRUE(error_of([] { counting({2}) + Array({1, 2}); }).ends_with("kF32) or the like"));
}

TEST(ReadersTest, OneElementIsDeleted) {
  EXPECT_EQ(delete_(counting({3}), 1).to_vector<float>(), (V{0, 2}));
  EXPECT_EQ(delete_(counting({2, 2}), -1, 1).to_vector<float>(), (V{0, 2}));
}

TEST(ReadersTest, FilesThatCouldNotBeReadAreNotWritten) {
  const std::string folder = ::testing::TempDir();
  const io::NamedArrays twice = {{"", counting({2})}, {"arr_0", counting({3})}};
  for (const char* end : {".npz", ".safetensors"}) {
    const std::string path = folder + "twice" + end;
    std::filesystem::remove(path);
    EXPECT_NE(error_of([&] { io::save(path, twice); }).find("two arrays have the name arr_0 there"),
              std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(path));
  }
  const std::string cut = folder + std::string("cut\0off.npy", 11);
  EXPECT_NE(error_of([&] { io::save(cut, counting({2})); }).find("a zero stands behind that"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder + "cut"));
  EXPECT_NE(error_of([&] { io::load(cut); }).find("a zero stands behind that"), std::string::npos);
}

// A hole of 64 TiB, more than any machine gives.
TEST(ReadersTest, FilesBeyondTheMemoryAreAnError) {
  const std::string path = ::testing::TempDir() + "beyond.safetensors";
  const uint64_t elements = uint64_t{1} << 44;
  const std::string header = R"({"x":{"dtype":"F32","shape":[)" + std::to_string(elements) +
                             R"(],"data_offsets":[0,)" + std::to_string(4 * elements) + "]}}";
  const uint64_t length = header.size();
  {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(&length), sizeof(length));
    file << header;
  }
  std::error_code refused;  // by file systems that have no such files
  std::filesystem::resize_file(path, 8 + length + 4 * elements, refused);
  EXPECT_NE(error_of([&] { io::load(path); }).find("beyond.safetensors: "), std::string::npos);
  std::filesystem::remove(path);
}

TEST(ReadersTest, TransformsOfIntegersAreThoseOfFloats) {
  const Array x = counting({6}), i = x.astype(DType::kS32);
  EXPECT_TRUE(array_equal(fft::fft(i), fft::fft(x)).item<bool>());
  EXPECT_TRUE(array_equal(fft::rfft(i), fft::rfft(x)).item<bool>());
  EXPECT_TRUE(array_equal(fft::irfft(i > 2), fft::irfft((x > 2).astype(DType::kF32))).item<bool>());
}

TEST(ReadersTest, ComplexNumbersAreClose) {
  const float inf = INFINITY, nan = NAN;
  const Array re = Array({1.f, inf, nan, inf});
  const Array a = complex(re, Array({1.f, 1.f, 1.f, 1.f}));
  const Array b = complex(re, Array({1.000001f, 1.f, 1.f, 2.f}));
  using Preds = std::vector<bool>;
  EXPECT_EQ(isclose(a, b).to_vector<bool>(), (Preds{true, true, false, false}));
  EXPECT_EQ(isclose(a, b, {.equal_nan = true}).to_vector<bool>(), (Preds{true, true, true, false}));
}

TEST(ReadersTest, OptionsThatNoOtherTestNames) {
  const Array re = Array({{2.f, 0.f}, {1.f, 3.f}}), im = Array({{0.f, 0.f}, {-2.f, 1.f}});
  const Array a = complex(re, im), b = complex(counting({2}), ones(2));
  const Array x = triangular_solve(a, expand_dims(b, 1), {.transpose_a = TransposeA::kAdjoint});
  EXPECT_TRUE(allclose(dot(conj(a).T(), x), expand_dims(b, 1)).item<bool>());
  const Array cov = Array({{2.f, 1.f}, {1.f, 2.f}});
  const Array samples =
      random::multivariate_normal(random::key(3), zeros(2), cov, {20000}, random::Root::kSvd);
  EXPECT_TRUE(allclose(ingot::cov(samples.T()), cov, {.rtol = 0, .atol = 0.1}).item<bool>());
  // Of two equal columns one direction is cut off by any rcond above it.
  const Array twice = Array({{1.f, 1.f}, {2.f, 2.f}, {3.f, 3.f}});
  const Array y = Array({2.f, 4.f, 6.f});
  EXPECT_TRUE(allclose(lstsq(twice, y, {.rcond = 0.1}).x, Array({1.f, 1.f})).item<bool>());
  EXPECT_TRUE(
      allclose(polyfit(counting({3}), y, 1, {.rcond = 0.1}), Array({2.f, 2.f}), {.atol = 0.5}).item<bool>());
  EXPECT_EQ(kPi, std::numbers::pi);
  EXPECT_EQ(kEulerGamma, std::numbers::egamma);
}

TEST(ReadersTest, DivisorsOfTheLeastInteger) {
  const auto least = std::numeric_limits<int32_t>::min(), greatest = std::numeric_limits<int32_t>::max();
  EXPECT_EQ(gcd(Array({greatest, least, 12}), Array({least, 6, -18})).to_vector<int32_t>(),
            (std::vector<int32_t>{1, 2, 6}));
  const Array bytes = Array({127, -128}).astype(DType::kS8);
  EXPECT_EQ(gcd(bytes, bytes[1]).astype(DType::kS32).to_vector<int32_t>(), (std::vector<int32_t>{1, -128}));
  EXPECT_EQ(lcm(Array({4, -6}), Array({6, 4})).to_vector<int32_t>(), (std::vector<int32_t>{12, 12}));
}

TEST(ReadersTest, DecimalLogarithmsOfComplexZero) {
  const Array y = log10(
      Array({std::complex<float>(0, 0), std::complex<float>(100, 0), std::complex<float>(INFINITY, 0)}));
  EXPECT_EQ(real(y).to_vector<float>(), (V{-INFINITY, 2, INFINITY}));
  EXPECT_EQ(imag(y).to_vector<float>(), (V{0, 0, 0}));
}

// (det / |det|)' = i Im(tr(a^-1 a')) det / |det|, as JAX has it.
TEST(ReadersTest, TheDirectionOfAComplexDeterminantTurns) {
  const Array a = ones({1, 1}).astype(DType::kC64), i = Array(std::complex<float>(0, 1));
  const auto turn = [](Array x) { return slogdet(x).sign; };
  EXPECT_EQ(jvp(turn, a, a * i).second.item<std::complex<float>>(), std::complex<float>(0, 1));
  EXPECT_EQ(jvp(turn, a, a).second.item<std::complex<float>>(), std::complex<float>(0, 0));
  const Array m = complex(Array({{2.f, 1.f}, {0.5f, 3.f}}), Array({{1.f, -1.f}, {0.25f, 0.5f}}));
  const Array change = complex(Array({{0.5f, 0.f}, {1.f, -1.f}}), Array({{1.f, 2.f}, {0.f, 0.5f}}));
  const auto by_det = [](Array x) {
    const Array d = det(x);
    return d / abs(d);
  };
  const Array both = stack({jvp(turn, m, change).second, jvp(by_det, m, change).second}, 0);
  EXPECT_LT(abs(both[0] - both[1]).item<float>(), 1e-5f);
  EXPECT_GT(abs(both[0]).item<float>(), 0.1f);
}

TEST(ReadersTest, WindowsThatGiveAnotherDtype) {
  EXPECT_NE(error_of([] {
              reduce_window([](Array a, Array b) { return (a + b).astype(DType::kS32); }, ones({4}), 0.f,
                            {2});
            }).find("reduce_window: the function returns s32["),
            std::string::npos);
}

}  // namespace
}  // namespace ingot
