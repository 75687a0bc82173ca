// Fourier transforms from the front door: against their definition, of all kinds of lengths, along any axes,
// in transforms of programs, with their errors. derivatives_golden_test.cc has derivatives by JAX.
#include <cmath>
#include <complex>
#include <numbers>

#include "testing.h"

namespace ingot {
namespace {

using testing::counting;
using testing::error_of;

using C64 = std::complex<float>;
using C128 = std::complex<double>;
using fft::Norm;

std::vector<C128> numbers(int64_t count) {
  std::vector<C128> list;
  for (int64_t i = 0; i < count; ++i) {
    const auto t = static_cast<double>(i);
    list.emplace_back(std::sin(1.3 * t * t + 0.2), std::cos(0.7 * t * t - 1));
  }
  return list;
}

std::vector<C128> by_definition(const std::vector<C128>& x, bool inverse = false) {
  const size_t n = x.size();
  std::vector<C128> roots, y(n);
  for (size_t k = 0; k < n; ++k)
    roots.push_back(std::polar(
        1.0, (inverse ? 2 : -2) * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n)));
  for (size_t k = 0; k < n; ++k) {
    for (size_t j = 0; j < n; ++j) y[k] += x[j] * roots[j * k % n];
    if (inverse) y[k] /= static_cast<double>(n);
  }
  return y;
}

template <class T>
std::vector<C128> values(const Array& x) {
  std::vector<C128> list;
  for (const T& value : x.to_vector<T>()) list.emplace_back(value);
  return list;
}

// The size of the difference beside the size of what is right.
double distance(const std::vector<C128>& x, const std::vector<C128>& right) {
  EXPECT_EQ(x.size(), right.size());
  double off = 0, size = 0;
  for (size_t i = 0; i < std::min(x.size(), right.size()); ++i) {
    off += std::norm(x[i] - right[i]);
    size += std::norm(right[i]);
  }
  return size == 0 ? off : std::sqrt(off / size);
}

Array c64(const std::vector<C128>& x) {
  return Array::from({static_cast<int64_t>(x.size())}, std::vector<C64>(x.begin(), x.end()));
}
Array c128(const std::vector<C128>& x) {
  return Array::from({static_cast<int64_t>(x.size())}, x);
}
Array randoms(const Shape& shape) {
  return Array::from(shape, numbers(element_count(shape)));
}
double apart(const Array& x, const Array& y) {
  EXPECT_EQ(x.shape(), y.shape());
  return x.size() == 0 ? 0 : max(abs(x - y)).item<double>();
}

TEST(FftTest, IsWhatItsDefinitionSays) {
  // Written out, in passes, by products, by a chirp, powers, primes.
  for (const int64_t n : {1,  2,  3,  4,  5,  6,   7,   8,   9,   11,  13,  15,  16,   17,  19,
                          20, 30, 34, 48, 59, 100, 127, 131, 210, 243, 256, 263, 1009, 1024}) {
    const std::vector<C128> x = numbers(n), y = by_definition(x);
    EXPECT_LE(distance(values<C128>(fft::fft(c128(x))), y), 2e-14) << n;
    EXPECT_LE(distance(values<C128>(fft::ifft(c128(y))), x), 2e-14) << n;
    EXPECT_LE(distance(values<C64>(fft::fft(c64(x))), y), 6e-7) << n;
  }
}

TEST(FftTest, OfRealNumbers) {
  // By a factor, by two, on a circle (131, 211, 1021), by a chirp (167, 3 * 167).
  for (const int64_t n : {1, 2, 3, 4, 5, 8, 17, 18, 31, 35, 64, 99, 131, 167, 211, 262, 501, 1021}) {
    std::vector<double> x;
    for (const C128& z : numbers(n)) x.push_back(z.real());
    const std::vector<C128> whole = by_definition({x.begin(), x.end()});
    const std::vector<C128> half(whole.begin(), whole.begin() + n / 2 + 1);
    const Array given = Array::from(x);
    EXPECT_LE(distance(values<C128>(fft::rfft(given)), half), 2e-14) << n;
    EXPECT_LE(distance(values<C128>(fft::fft(given)), whole), 2e-14) << n;
    const Array y = c128(half);
    EXPECT_LE(distance(values<double>(fft::irfft(y, {.n = n})), {x.begin(), x.end()}), 2e-14) << n;
    EXPECT_LE(apart(fft::hfft(fft::ihfft(given), {.n = n}), given), 1e-13) << n;
    EXPECT_LE(distance(values<float>(fft::irfft(y.astype(DType::kC64), {.n = n})), {x.begin(), x.end()}),
              6e-7)
        << n;
  }
  // What is its own conjugate has no imaginary part.
  const Array odd = Array::from({3}, std::vector<C128>{{1, 5}, {2, 1}, {3, 7}}),
              even = Array::from({3}, std::vector<C128>{{1, 0}, {2, 1}, {3, 0}});
  EXPECT_LE(apart(fft::irfft(odd), fft::irfft(even)), 0);
}

TEST(FftTest, LongOnes) {
  // Of a single frequency, whose transform is known.
  for (const int64_t n : {1 << 16, 3 * 5 * 7 * 11 * 13, 10007}) {
    std::vector<C128> wave;
    for (int64_t j = 0; j < n; ++j)
      wave.push_back(
          std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(j * 77 % n) / static_cast<double>(n)));
    std::vector<C128> y(wave.size());
    y[77] = static_cast<double>(n);
    EXPECT_LE(distance(values<C64>(fft::fft(c64(wave))), y), 1e-6) << n;
    EXPECT_LE(distance(values<C128>(fft::fft(c128(wave))), y), 1e-14) << n;
    EXPECT_LE(distance(values<C128>(fft::ifft(fft::fft(c128(wave)))), wave), 1e-14) << n;
  }
  const Array x = Array::abstract(DType::kC64, {1 << 16});
  EXPECT_EQ(jit([](Array v) { return fft::fft(v); }).lower(x).compile().launches(), 2);
  EXPECT_EQ(jit([](Array v) { return fft::ifft(v); }).lower(x).compile().launches(), 2);
}

TEST(FftTest, AlongAnyAxes) {
  const Array x = randoms({3, 4, 5});
  const auto one_by_one = [](Array array, const std::vector<int64_t>& axes) {
    for (const int64_t axis : axes) array = swapaxes(fft::fft(swapaxes(array, axis, -1)), axis, -1);
    return array;
  };
  for (const int64_t axis : {0, 1, 2, -3})
    EXPECT_LE(apart(fft::fft(x, {.axis = axis}), one_by_one(x, {axis})), 1e-13);
  EXPECT_LE(apart(fft::fft2(x), one_by_one(x, {1, 2})), 1e-13);
  EXPECT_LE(apart(fft::fftn(x), one_by_one(x, {0, 1, 2})), 1e-13);
  const std::vector<int64_t> outer{0, 2};
  EXPECT_LE(apart(fft::fft2(x, {.axes = outer}), one_by_one(x, outer)), 1e-13);
  EXPECT_LE(apart(fft::ifftn(fft::fftn(x)), x), 1e-14);
  const Array four = randoms({2, 3, 2, 4, 3});
  EXPECT_LE(apart(fft::fftn(four), one_by_one(four, {0, 1, 2, 3, 4})), 1e-13);
  const Array r = real(four);
  EXPECT_LE(apart(fft::irfftn(fft::rfftn(r), {.s = r.shape()}), r), 1e-14);
  EXPECT_LE(apart(fft::rfftn(r), slice_axis(fft::fftn(r), -1, 0, 2)), 1e-13);
  EXPECT_LE(apart(fft::irfft2(fft::rfft2(r), {.s = std::vector<int64_t>{4, 3}}), r), 1e-14);
  EXPECT_EQ(fft::fftn(x, {.axes = std::vector<int64_t>{}}).shape(), x.shape());
}

// Side by side, of two factors, of three, by a chirp: all passes are stages of one kernel.
TEST(FftTest, ManyAtOnceAreOneKernel) {
  for (const int64_t n : {20, 131, 210, 263, 1024}) {
    const Array x = randoms({19, n});
    const auto rows = jit([](Array v) { return fft::fft(v); });
    const auto columns = jit([](Array v) { return fft::fft(v, {.axis = 0}); });
    const auto back = jit([](Array v) { return fft::ifft(v); });
    EXPECT_EQ(rows.kernels(x).size(), 1u) << n;
    const Array y = rows(x);
    for (const int64_t row : {0, 7, 18})
      EXPECT_LE(
          distance(values<C128>(index_axis(y, 0, row)), by_definition(values<C128>(index_axis(x, 0, row)))),
          2e-14)
          << n;
    EXPECT_LE(apart(transpose(columns(transpose(x))), y), 1e-12) << n;
    EXPECT_LE(apart(back(y), x), 1e-13) << n;
    const Array narrow = rows(x.astype(DType::kC64)).astype(DType::kC128);
    EXPECT_LE(distance(values<C128>(narrow.reshape({19 * n})), values<C128>(y.reshape({19 * n}))), 6e-7) << n;
  }
  // Along each of two dimensions: lanes run across rows, then along columns.
  const auto both = jit([](Array v) { return fft::fft2(v); });
  const Array square = randoms({2, 48, 36});
  EXPECT_EQ(both.kernels(square).size(), 2u);
  EXPECT_LE(apart(both(square), fft::fft(fft::fft(square), {.axis = 1})), 1e-11);
  const Array x = randoms({3, 36, 5, 2});
  const auto middle = jit([](Array v) { return fft::fft(v, {.axis = 1}); });
  EXPECT_LE(
      apart(index_axis(index_axis(middle(x), 3, 1), 2, 4), fft::fft(index_axis(index_axis(x, 3, 1), 2, 4))),
      1e-13);
}

TEST(FftTest, RowsOfRealNumbersAreOneKernel) {
  for (const int64_t n : {40, 48, 420, 2048}) {  // rows of the last one share sets of a cache
    const Array x = real(randoms({19, n}));
    const auto ahead = jit([](Array v) { return fft::rfft(v); });
    const auto back = jit([n](Array v) { return fft::irfft(v, {.n = n}); });
    const Array y = ahead(x);
    EXPECT_EQ(ahead.kernels(x).size(), 1u) << n;
    EXPECT_EQ(back.kernels(y).size(), 1u) << n;
    EXPECT_LE(apart(y, slice(fft::fft(x.astype(DType::kC128)), {0, 0}, {19, n / 2 + 1})), 1e-12) << n;
    EXPECT_LE(apart(back(y), x), 1e-14) << n;
    // What is its own conjugate has no imaginary part.
    const Array first = (arange(n / 2 + 1) == 0).astype(DType::kC128) * C128(0, 1);
    EXPECT_LE(apart(back(y + first), x), 1e-14);
    const Array narrow = back(ahead(x.astype(DType::kF32))).astype(DType::kF64);
    EXPECT_LE(apart(narrow, x), 2e-6) << n;
  }
  // A long row: the kernel that takes even and odd apart beside those of the transform.
  const Array row = Array::abstract(DType::kF32, {1 << 17}),
              half = Array::abstract(DType::kC64, {(1 << 16) + 1});
  EXPECT_EQ(jit([](Array v) { return fft::rfft(v); }).lower(row).compile().launches(), 3);
  EXPECT_EQ(jit([](Array v) { return fft::irfft(v); }).lower(half).compile().launches(), 3);
}

// Real numbers of an odd length take clearly less work than complex ones.
TEST(FftTest, RowsOfOddLengthAreNoComplexOnes) {
  for (const int64_t n : {99, 131, 1021, 1023, 2187}) {
    const Array x = real(randoms({19, n}));
    const auto ahead = jit([](Array v) { return fft::rfft(v); });
    const auto back = jit([n](Array v) { return fft::irfft(v, {.n = n}); });
    const Array y = ahead(x);
    EXPECT_LE(apart(y, slice(fft::fft(x.astype(DType::kC128)), {0, 0}, {19, n / 2 + 1})), 1e-12) << n;
    EXPECT_LE(apart(back(y), x), 1e-14) << n;
    // What is its own conjugate has no imaginary part.
    const Array first = (arange(n / 2 + 1) == 0).astype(DType::kC128) * C128(0, 1);
    EXPECT_LE(apart(back(y + first), x), 1e-14) << n;
    const auto work = [](const auto& kernels) {
      double flops = 0;
      for (const auto& kernel : kernels) flops += static_cast<double>(kernel.flops);
      return flops;
    };
    const double whole = work(jit([](Array v) { return fft::fft(v); }).kernels(x.astype(DType::kC128)));
    EXPECT_LE(work(ahead.kernels(x)), 0.7 * whole) << n;
    EXPECT_LE(work(back.kernels(y)), 0.7 * whole) << n;
  }
}

TEST(FftTest, LengthsAndNorms) {
  const Array x = randoms({2, 6});
  EXPECT_LE(apart(fft::fft(x, {.n = 4}), fft::fft(slice_axis(x, 1, 0, 4))), 1e-14);
  EXPECT_LE(apart(fft::fft(x, {.n = 9}), fft::fft(pad(x, {0, 0}, {0, 3}))), 1e-14);
  EXPECT_EQ(fft::rfft(real(x), {.n = 9}).shape(), (Shape{2, 5}));
  EXPECT_EQ(fft::irfft(x).shape(), (Shape{2, 10}));
  EXPECT_EQ(fft::hfft(x, {.n = 3}).shape(), (Shape{2, 3}));
  const std::vector<int64_t> s{4, 8};
  EXPECT_LE(apart(fft::fft2(x, {.s = s}), fft::fft2(pad(x, {0, 0}, {2, 2}))), 1e-13);
  EXPECT_LE(apart(fft::fft(x, {.norm = Norm::kForward}) * 6, fft::fft(x)), 1e-14);
  EXPECT_LE(apart(fft::fft(x, {.norm = Norm::kOrtho}) * std::sqrt(6.0), fft::fft(x)), 1e-14);
  EXPECT_LE(apart(fft::ifft(x, {.norm = Norm::kForward}), fft::ifft(x) * 6), 1e-14);
  EXPECT_LE(apart(fft::hfft(x, {.norm = Norm::kForward}) * 10, fft::hfft(x)), 1e-13);
  EXPECT_LE(apart(fft::hfft(x), fft::irfft(conj(x)) * 10), 1e-13);
  EXPECT_LE(apart(fft::ihfft(real(x)), conj(fft::rfft(real(x))) / 6), 1e-14);
  EXPECT_EQ(fft::fft(Array::zeros({0, 4})).shape(), (Shape{0, 4}));
  EXPECT_EQ(fft::rfft(Array::zeros({3, 0, 4})).shape(), (Shape{3, 0, 3}));
  EXPECT_EQ(fft::fft(Array::zeros({3}, DType::kBF16)).dtype(), DType::kC64);
}

TEST(FftTest, InsideOfOtherThings) {
  const Array x = randoms({3, 5, 6});
  const auto f = [](Array v) { return fft::rfft(real(v)) * 2; };
  EXPECT_LE(apart(jit(f)(x), f(x)), 1e-13);
  const auto second = vmap([](Array v) { return fft::fft2(v); }, {.in_axes = {1}});
  for (int64_t i = 0; i < 5; ++i)
    EXPECT_LE(apart(index_axis(second(x), 0, i), fft::fft2(index_axis(x, 1, i))), 1e-13);
  // The transforms of the rows, one after the other, summed up.
  const auto looped = jit([](Array rows) {
    return scan([](Array sum, Array row) { return std::pair(sum + fft::fft(row), fft::ifft(row)); },
                Array::zeros({6}, DType::kC128), rows);
  });
  const auto [sum_of, rows] = looped(index_axis(x, 0, 0));
  EXPECT_LE(apart(sum_of, sum(fft::fft(index_axis(x, 0, 0)), Axes{0})), 1e-13);
  EXPECT_LE(apart(rows, fft::ifft(index_axis(x, 0, 0))), 1e-14);
  // Parseval, whose gradient is known: the sum of |y|^2 is n times that of |x|^2.
  const auto energy = [](Array v) { return sum(square(abs(fft::fft(v)))); };
  const Array v = real(index_axis(x, 0, 0));
  EXPECT_LE(apart(grad(energy)(v), 12 * v), 1e-12);
  const Array once = grad([energy](Array w) { return sum(grad(energy)(w) * w); })(v);
  EXPECT_LE(apart(once, 24 * v), 1e-12);
}

TEST(FftTest, FrequenciesAndShifts) {
  EXPECT_EQ(fft::fftfreq(4, 0.5).to_vector<float>(), (std::vector<float>{0, 0.5, -1, -0.5}));
  EXPECT_EQ((fft::fftfreq(5) * 5).to_vector<float>(), (std::vector<float>{0, 1, 2, -2, -1}));
  EXPECT_EQ((fft::rfftfreq(5, 1, DType::kF64) * 5).to_vector<double>(), (std::vector<double>{0, 1, 2}));
  const Array x = counting({5});
  EXPECT_EQ(fft::fftshift(x).to_vector<float>(), (std::vector<float>{3, 4, 0, 1, 2}));
  EXPECT_EQ(fft::ifftshift(fft::fftshift(x)).to_vector<float>(), x.to_vector<float>());
  const Array m = counting({2, 3});
  EXPECT_EQ(fft::fftshift(m).to_vector<float>(), (std::vector<float>{5, 3, 4, 2, 0, 1}));
  EXPECT_EQ(fft::fftshift(m, 0).to_vector<float>(), (std::vector<float>{3, 4, 5, 0, 1, 2}));
}

// The error without its line, which must be one of this file.
template <class F>
std::string refused(F f) {
  const std::string text = error_of(f), file = std::string(__FILE__) + ":";
  EXPECT_TRUE(text.starts_with(file)) << text;
  return text.substr(text.find(": ", file.size()) + 2);
}

TEST(FftTest, RealNumbersWhoseSumsAreRepresentable) {
  const Array y = fft::rfft(Array::from(std::vector<float>{1e38f, 2e38f}));
  EXPECT_EQ(real(y).to_vector<float>(), (std::vector<float>{1e38f + 2e38f, 1e38f - 2e38f}));
  EXPECT_EQ(imag(y).to_vector<float>(), (std::vector<float>{0, 0}));
}

TEST(FftTest, OverNoAxesIsComplex) {
  const Array x = counting<float>({2, 3}), y = fft::fftn(x, {.axes = std::vector<int64_t>{}});
  EXPECT_EQ(y.dtype(), DType::kC64);
  EXPECT_EQ(real(y).to_vector<float>(), x.to_vector<float>());
  EXPECT_EQ(fft::ifftn(x.astype(DType::kF64), {.axes = std::vector<int64_t>{}}).dtype(), DType::kC128);
}

TEST(FftTest, Errors) {
  const Array x = Array::zeros({2, 3}), z = Array::zeros({2, 1}, DType::kC64);
  using List = std::vector<int64_t>;
  EXPECT_EQ(refused([&] { (void)fft::fft(x, {.n = 0}); }), "fft: the length 0 should be positive");
  EXPECT_EQ(refused([&] {
              (void)fft::fft(Array::zeros({2, 0}));
            }),
            "fft: axis 1 of f32[2,0] has no element, and a transform needs one");
  EXPECT_EQ(refused([&] { (void)fft::irfft(z); }),
            "irfft: axis 1 of c64[2,1] has one element, which says no length; give n");
  EXPECT_EQ(refused([&] { (void)fft::rfft(z); }),
            "rfft: takes real numbers, but this is a c64[2,1]; take its real() part, or use fft");
  EXPECT_EQ(refused([&] { (void)fft::fft2(x, {.axes = List{1, -1}}); }), "fft2: axis 1 is named twice");
  EXPECT_EQ(refused([&] {
              (void)fft::fftn(x, {.s = List{2}, .axes = List{0, 1}});
            }),
            "fftn: there are 1 lengths for 2 axes; there should be one for each");
  EXPECT_EQ(refused([&] { (void)fft::rfftn(x, {.axes = List{}}); }),
            "rfftn: there is no axis to transform; it takes one or more");
  EXPECT_EQ(refused([&] { (void)fft::fftfreq(0); }), "fftfreq: n is 0, and should be positive");
  EXPECT_NE(refused([&] { (void)fft::fft(x, {.axis = 2}); }).find("axis"), std::string::npos);
  EXPECT_NE(testing::error_of([&] { (void)fft::fft(x, {.n = 100'000'000'000}); }).find("out of memory"),
            std::string::npos);
}

}  // namespace
}  // namespace ingot
