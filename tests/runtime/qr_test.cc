// The routine that makes orthogonal factors, and those that LAPACK makes, against what they mean: every
// dtype, width of vectors, size where another way is taken, and number of threads.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <random>

#include "base/options.h"
#include "runtime/routines/linear_algebra.h"
#include "runtime/vector_widths.h"
#include "testing/errors.h"

namespace ingot::runtime {
namespace {

template <class E>
std::vector<E> random_elements(int64_t count) {
  std::mt19937_64 random(static_cast<uint64_t>(count));
  std::uniform_real_distribution<double> part(-1, 1);
  std::vector<E> elements;
  for (int64_t i = 0; i < count; ++i) {
    const double re = part(random), im = part(random);
    if constexpr (std::is_floating_point_v<E>)
      elements.push_back(static_cast<E>(re));
    else
      elements.push_back(E(std::complex<double>(re, im)));
  }
  return elements;
}

// Runs a routine in memory that holds anything, and looks behind it.
void run_in_garbage(const Routine& routine, std::vector<void*> buffers) {
  const auto bytes = static_cast<size_t>(routine.work_bytes());
  const std::shared_ptr<void> work(std::aligned_alloc(64, (bytes + 127) / 64 * 64), std::free);
  std::memset(work.get(), 0xff, bytes + 64);  // NaN
  routine.run({buffers.data(), static_cast<std::byte*>(work.get())});
  EXPECT_EQ(static_cast<const std::byte*>(work.get())[bytes], std::byte{0xff});
}

template <class E>
std::complex<double> number(const E& x) {
  return std::complex<double>(x);
}

template <class E>
void expect_factors(DType dtype, int64_t m, int64_t n, bool full, int width) {
  const int64_t batch = m * n > 400 ? 2 : 19, least = std::min(m, n), k = full ? m : least;
  QrForm form{dtype, batch, m, n, least, k, QrResult::kFactors, width};
  std::vector<E> a = random_elements<E>(batch * m * n), q(static_cast<size_t>(batch * m * k)),
                 r(static_cast<size_t>(batch * k * n));
  run_in_garbage(*qr(form), {a.data(), q.data(), r.data()});
  double worst = 0;
  const auto note = [&](std::complex<double> error) {
    worst = testing::larger_error(worst, std::abs(error));
  };
  for (int64_t b = 0; b < batch; ++b) {
    const auto at = [](const std::vector<E>& x, int64_t i) { return number(x[static_cast<size_t>(i)]); };
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        std::complex<double> sum = -at(a, (b * m + i) * n + j);
        for (int64_t s = 0; s < std::min(k, j + 1); ++s)
          sum += at(q, (b * m + i) * k + s) * at(r, (b * k + s) * n + j);
        note(sum);
      }
    }
    for (int64_t i = 0; i < k; ++i) {
      for (int64_t j = 0; j < k; ++j) {
        std::complex<double> sum = i == j ? -1 : 0;
        for (int64_t s = 0; s < m; ++s)
          sum += std::conj(at(q, (b * m + s) * k + i)) * at(q, (b * m + s) * k + j);
        note(sum);
      }
      for (int64_t j = 0; j < std::min(i, n); ++j) EXPECT_EQ(at(r, (b * k + i) * n + j), 0.0);
    }
  }
  const double epsilon = real_dtype(dtype) == DType::kF64 ? 0x1p-52 : 0x1p-23;
  EXPECT_LE(worst, 16 * (double(m + n) + 4) * epsilon)
      << name_of(dtype) << " " << m << " " << n << " " << width;
  // The same of what is packed.
  form.result = QrResult::kPacked;
  std::vector<E> packed(a.size()), taus(static_cast<size_t>(batch * least));
  run_in_garbage(*qr(form), {a.data(), packed.data(), taus.data()});
  if (full || m < n) return;
  form.result = QrResult::kProduct;
  std::vector<E> again(q.size());
  run_in_garbage(*qr(form), {packed.data(), taus.data(), again.data()});
  EXPECT_EQ(std::memcmp(again.data(), q.data(), q.size() * sizeof(E)), 0) << m << " " << n;
}

TEST(QrTest, FactorsOfEverySizeAndWidth) {
  for (const int width : widths_here()) {
    for (const auto& [m, n] : {std::pair<int64_t, int64_t>{1, 1},
                               {2, 2},
                               {4, 4},
                               {5, 3},
                               {3, 5},
                               {8, 8},
                               {9, 9},
                               {16, 16},
                               {17, 17},
                               {33, 20},
                               {20, 33},
                               {64, 64},
                               {100, 37},
                               {130, 130}}) {
      for (const bool full : {false, true}) {
        expect_factors<float>(DType::kF32, m, n, full, width);
        expect_factors<double>(DType::kF64, m, n, full, width);
        expect_factors<std::complex<float>>(DType::kC64, m, n, full, width);
        expect_factors<std::complex<double>>(DType::kC128, m, n, full, width);
      }
    }
  }
}

TEST(QrTest, TheSameBitsOnAnyNumberOfThreads) {
  const int64_t n = 300;
  const std::vector<float> a = random_elements<float>(2 * n * n);
  const int widest = width_here(64);
  std::vector<std::vector<float>> all;
  for (const int threads : {1, 2, 3}) {
    set_num_threads(threads);
    std::vector<float> q(a.size()), r(a.size()), w(2 * n), v(a.size());
    std::vector<float> given = a;
    run_in_garbage(*qr({.dtype = DType::kF32,
                        .batch = 2,
                        .m = n,
                        .n = n,
                        .reflections = n,
                        .columns = n,
                        .vector_bytes = widest}),
                   {given.data(), q.data(), r.data()});
    const lapack::Form of{.kind = lapack::Kind::kEigh, .m = n, .n = n};
    run_in_garbage(*decomposition({of, 2, n * n * 4, {n * 4, n * n * 4}}),
                   {given.data(), w.data(), v.data()});
    for (const auto* part : {&r, &w, &v}) q.insert(q.end(), part->begin(), part->end());
    all.push_back(q);
    EXPECT_EQ(all.back(), all.front()) << threads;
  }
  set_num_threads(0);
}

}  // namespace
}  // namespace ingot::runtime
