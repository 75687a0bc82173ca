// The routines on matrices, against what they mean: L L^H is a, op(a) x is b. Every dtype, width of vectors,
// size where another way is taken, and number of threads.
#include "runtime/routines/linear_algebra.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <random>
#include <thread>

#include "base/options.h"
#include "runtime/vector_widths.h"
#include "testing/errors.h"

namespace ingot::runtime {
namespace {

constexpr DType kDTypes[] = {DType::kF32, DType::kF64, DType::kC64, DType::kC128};
constexpr int kWidths[] = {16, 32, 64};

using Number = std::complex<double>;
using Numbers = std::vector<Number>;

// An array as it lies in memory.
struct Elements {
  Elements(DType dtype, int64_t size) : dtype(dtype), bytes(static_cast<size_t>(size) * byte_size(dtype)) {}

  size_t size() const { return bytes.size() / byte_size(dtype); }
  template <class Fn>
  void visit(const Fn& fn) {
    if (dtype == DType::kF32) fn(reinterpret_cast<float*>(bytes.data()));
    if (dtype == DType::kF64) fn(reinterpret_cast<double*>(bytes.data()));
    if (dtype == DType::kC64) fn(reinterpret_cast<std::complex<float>*>(bytes.data()));
    if (dtype == DType::kC128) fn(reinterpret_cast<std::complex<double>*>(bytes.data()));
  }
  void set(const Numbers& values) {
    visit([&]<class E>(E* elements) {
      for (size_t i = 0; i < values.size(); ++i) {
        if constexpr (std::is_floating_point_v<E>)
          elements[i] = static_cast<E>(values[i].real());
        else
          elements[i] = E(values[i]);
      }
    });
  }
  Numbers get() {
    Numbers values(size());
    visit([&](auto* elements) {
      for (size_t i = 0; i < values.size(); ++i) values[i] = Number(elements[i]);
    });
    return values;
  }

  DType dtype;
  std::vector<std::byte> bytes;
};

double epsilon(DType dtype) {
  return real_dtype(dtype) == DType::kF64 ? 0x1p-52 : 0x1p-23;
}

Number random_number(DType dtype, std::mt19937_64& random) {
  std::uniform_real_distribution<double> part(-1, 1);
  const double re = part(random), im = part(random);
  return is_complex(dtype) ? Number(re, im) : Number(re);
}

// Runs a routine in memory that holds anything, and looks behind it.
Elements run(const Routine& routine, std::vector<Elements> inputs, int64_t result_size) {
  Elements result(inputs[0].dtype, result_size);
  std::vector<void*> buffers;
  for (Elements& input : inputs) buffers.push_back(input.bytes.data());
  buffers.push_back(result.bytes.data());
  const auto bytes = static_cast<size_t>(routine.work_bytes());
  const std::shared_ptr<void> work(std::aligned_alloc(64, (bytes + 127) / 64 * 64), std::free);
  std::memset(work.get(), 0xff, bytes + 64);  // NaN
  std::memset(result.bytes.data(), 0xff, result.bytes.size());
  routine.run({buffers.data(), static_cast<std::byte*>(work.get())});
  EXPECT_EQ(static_cast<const std::byte*>(work.get())[bytes], std::byte{0xff})
      << "written behind the work memory";
  return result;
}

// --- cholesky

// Positive definite, and NaN where nobody is to read.
Numbers positive_definite(const CholeskyForm& form, uint64_t seed) {
  const auto n = static_cast<size_t>(form.n);
  std::mt19937_64 random(seed);
  Numbers a(static_cast<size_t>(form.batch) * n * n);
  for (size_t b = 0; b < static_cast<size_t>(form.batch); ++b) {
    Number* matrix = a.data() + b * n * n;
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < n; ++j) {
        const bool read = form.lower ? j <= i : j >= i;
        matrix[i * n + j] = read ? random_number(form.dtype, random) / std::sqrt(double(n)) : NAN;
      }
      matrix[i * n + i] = 4 + double(i % 3);
    }
  }
  return a;
}

void expect_factor(const CholeskyForm& form, const Numbers& a, const Numbers& factor) {
  const auto n = static_cast<size_t>(form.n);
  double worst = 0;
  for (size_t b = 0; b < static_cast<size_t>(form.batch); ++b) {
    const Number *given = a.data() + b * n * n, *found = factor.data() + b * n * n;
    const auto l = [&](size_t i, size_t k) {
      return form.lower ? found[i * n + k] : std::conj(found[k * n + i]);
    };
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < n; ++j) {
        if (j > i) {
          EXPECT_EQ(l(i, j), Number(0));
          continue;
        }
        Number sum = 0;
        for (size_t k = 0; k <= j; ++k) sum += l(i, k) * std::conj(l(j, k));
        const Number expected = form.lower ? given[i * n + j] : std::conj(given[j * n + i]);
        const double error = std::abs(sum - expected);
        worst = testing::larger_error(worst, error);
      }
    }
  }
  EXPECT_LE(worst, 8 * (double(n) + 4) * epsilon(form.dtype)) << name_of(form.dtype) << " of " << n;
}

class MatrixTest : public ::testing::TestWithParam<int64_t> {};

TEST_P(MatrixTest, CholeskyGivesTheFactor) {
  for (const DType dtype : kDTypes) {
    for (const int width : widths_here()) {
      for (const bool lower : {true, false}) {
        const int64_t n = GetParam();
        const CholeskyForm form{dtype, n > 100 ? 1 : n > 20 ? 3 : 37, n, lower, width};
        const Numbers a = positive_definite(form, 1);
        Elements input(dtype, static_cast<int64_t>(a.size()));
        input.set(a);
        expect_factor(form, input.get(), run(*cholesky(form), {input}, static_cast<int64_t>(a.size())).get());
      }
    }
  }
}

// The one matrix that is none is NaN in its triangle, and zero in the other one.
TEST_P(MatrixTest, CholeskyOfWhatIsNotPositiveDefinite) {
  const int64_t n = GetParam();
  if (n > 200) return;
  for (const DType dtype : kDTypes) {
    for (const bool lower : {true, false}) {
      const CholeskyForm form{dtype, 3, n, lower, width_here(lower ? 64 : 32)};
      for (const double wrong : {-1.0, 0.0, double(NAN)}) {
        Numbers a = positive_definite(form, 2);
        const auto size = static_cast<size_t>(n * n), rows = static_cast<size_t>(n);
        a[size + (rows - 1) / 2 * (rows + 1)] = wrong;
        Elements input(dtype, static_cast<int64_t>(a.size()));
        input.set(a);
        const Numbers all = run(*cholesky(form), {input}, static_cast<int64_t>(a.size())).get();
        for (size_t i = 0; i < rows; ++i) {
          for (size_t j = 0; j < rows; ++j) {
            const Number x = all[size + i * rows + j];
            if (lower ? j <= i : j >= i)
              EXPECT_TRUE(std::isnan(x.real())) << i << "," << j;
            else
              EXPECT_EQ(x, Number(0));
          }
        }
        for (size_t i = 0; i < size; ++i) {
          EXPECT_FALSE(std::isnan(all[i].real()));
          EXPECT_FALSE(std::isnan(all[2 * size + i].real()));
        }
      }
    }
  }
}

// --- triangular_solve

Numbers triangles(const TriangularForm& form, uint64_t seed) {
  const auto n = static_cast<size_t>(form.n);
  std::mt19937_64 random(seed);
  Numbers a(static_cast<size_t>(form.batch) * n * n);
  for (size_t i = 0; i < a.size(); ++i) {
    const size_t row = i / n % n, column = i % n;
    a[i] = random_number(form.dtype, random) / double(n);
    if (form.lower ? column > row : column < row) a[i] = NAN;
    if (column == row) a[i] = form.unit_diagonal ? NAN : a[i] + Number(1 + double(row % 2), 0);
  }
  return a;
}

void expect_solution(const TriangularForm& form, const Numbers& a, const Numbers& b, const Numbers& x) {
  const auto n = static_cast<size_t>(form.n), sides = static_cast<size_t>(form.sides);
  double worst = 0;
  for (size_t m = 0; m < static_cast<size_t>(form.batch); ++m) {
    const auto read = [&](size_t i, size_t j) -> Number {
      if (i == j && form.unit_diagonal) return 1;
      return (form.lower ? j <= i : j >= i) ? a[m * n * n + i * n + j] : 0;
    };
    const auto op = [&](size_t i, size_t j) {
      const Number e = form.transposed ? read(j, i) : read(i, j);
      return form.conjugated ? std::conj(e) : e;
    };
    for (size_t s = 0; s < sides; ++s) {
      const auto at = [&](const Numbers& of, size_t i) {
        return of[m * n * sides + (form.left_side ? i * sides + s : s * n + i)];
      };
      for (size_t i = 0; i < n; ++i) {
        Number sum = 0;
        for (size_t k = 0; k < n; ++k) sum += (form.left_side ? op(i, k) : op(k, i)) * at(x, k);
        const double error = std::abs(sum - at(b, i));
        worst = testing::larger_error(worst, error);
      }
    }
  }
  EXPECT_LE(worst, 8 * (double(n) + 4) * epsilon(form.dtype)) << name_of(form.dtype) << " of " << n;
}

TEST_P(MatrixTest, TriangularSolveGivesTheSolution) {
  const int64_t n = GetParam();
  for (const DType dtype : kDTypes) {
    for (int flags = 0; flags < 32; ++flags) {
      const int width = width_here(kWidths[flags % 3]);
      if (n > 50 && flags % 5 != 0) continue;
      for (const int64_t sides : {1, 3, 8, 40}) {
        TriangularForm form{dtype, n > 20 ? 1 : 19, n, sides};
        form.left_side = flags & 1;
        form.lower = flags & 2;
        form.unit_diagonal = flags & 4;
        form.transposed = flags & 8;
        form.conjugated = flags & 16;
        form.vector_bytes = width;
        const Numbers a = triangles(form, 3);
        Numbers b(static_cast<size_t>(form.batch * n * sides));
        std::mt19937_64 random(4);
        for (Number& x : b) x = random_number(dtype, random);
        Elements left(dtype, static_cast<int64_t>(a.size())), right(dtype, static_cast<int64_t>(b.size()));
        left.set(a);
        right.set(b);
        const Numbers x = run(*triangular_solve(form), {left, right}, static_cast<int64_t>(b.size())).get();
        expect_solution(form, left.get(), right.get(), x);
      }
    }
  }
}

// --- lu

// Rows in the order of the permutation are L U, and no factor is above 1.
TEST_P(MatrixTest, LuGivesFactorsAndRows) {
  const int64_t k = GetParam();
  for (const DType dtype : kDTypes) {
    for (const int width : widths_here()) {
      if (k > 200 && width != width_here(64)) continue;
      for (const auto& [m, n] : {std::pair(k, k), {k, k / 2 + 1}, {k / 2 + 1, k}}) {
        const LuForm form{dtype, k > 20 ? 1 : 21, m, n, width};  // a whole vector and a part of one
        Numbers a(static_cast<size_t>(form.batch * m * n));
        std::mt19937_64 random(7);
        for (Number& x : a) x = random_number(dtype, random);
        Elements input(dtype, static_cast<int64_t>(a.size()));
        input.set(a);
        a = input.get();
        const int64_t pivots = std::min(m, n);
        Elements factors(dtype, static_cast<int64_t>(a.size()));
        std::vector<int32_t> pivot(static_cast<size_t>(form.batch * pivots)),
            rows(static_cast<size_t>(form.batch * m));
        const auto routine = lu(form);
        const std::shared_ptr<void> work(
            std::aligned_alloc(64, static_cast<size_t>((routine->work_bytes() + 127) / 64 * 64)), std::free);
        std::memset(work.get(), 0xff, static_cast<size_t>(routine->work_bytes()));
        void* buffers[] = {input.bytes.data(), factors.bytes.data(), pivot.data(), rows.data()};
        routine->run({buffers, static_cast<std::byte*>(work.get())});
        const Numbers lu = factors.get();
        double worst = 0, largest = 0;
        for (int64_t b = 0; b < form.batch; ++b) {
          std::vector<int32_t> order(static_cast<size_t>(m));
          for (int64_t i = 0; i < m; ++i) order[static_cast<size_t>(i)] = static_cast<int32_t>(i);
          for (int64_t i = 0; i < pivots; ++i)
            std::swap(order[static_cast<size_t>(i)],
                      order[static_cast<size_t>(pivot[static_cast<size_t>(b * pivots + i)])]);
          for (int64_t i = 0; i < m; ++i) {
            const int64_t row = rows[static_cast<size_t>(b * m + i)];
            ASSERT_EQ(row, order[static_cast<size_t>(i)]);
            for (int64_t j = 0; j < n; ++j) {
              const auto at = [&](int64_t r, int64_t c) {
                return lu[static_cast<size_t>((b * m + r) * n + c)];
              };
              Number sum = i <= j ? at(i, j) : 0;
              for (int64_t s = 0; s < std::min(i, j + 1); ++s) sum += at(i, s) * at(s, j);
              const double error = std::abs(sum - a[static_cast<size_t>((b * m + row) * n + j)]);
              worst = testing::larger_error(worst, error);
              if (i > j) largest = testing::larger_error(largest, std::abs(at(i, j)));
            }
          }
        }
        EXPECT_LE(worst, 16 * (double(k) + 4) * epsilon(dtype))
            << name_of(dtype) << " " << m << " " << n << " " << width;
        EXPECT_LE(largest, is_complex(dtype) ? 1.5 : 1.0);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, MatrixTest, ::testing::Values(1, 2, 3, 4, 5, 8, 9, 13, 16, 17, 33, 100, 257));

struct Factored {
  Elements factors;
  std::vector<int32_t> pivots, rows;
};
Factored factored(const LuForm& form, Elements input) {
  const int64_t pivots = std::min(form.m, form.n);
  Factored result{Elements(form.dtype, form.batch * form.m * form.n), {}, {}};
  result.pivots.resize(static_cast<size_t>(form.batch * pivots));
  result.rows.resize(static_cast<size_t>(form.batch * form.m));
  void* buffers[] = {input.bytes.data(), result.factors.bytes.data(), result.pivots.data(),
                     result.rows.data()};
  const auto routine = lu(form);
  EXPECT_EQ(routine->work_bytes(), 0);
  routine->run({buffers, nullptr});
  return result;
}

// Small matrices are divided by reciprocals, which pivots near the ends of the range of numbers have none of.
TEST(SmallMatrixTest, LuOfPivotsNearTheEndsOfTheRange) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const int width : widths_here()) {
      for (const int64_t n : {4, 7, 16}) {
        const LuForm form{dtype, 19, n, n, width};
        std::mt19937_64 random(11);
        Numbers a(static_cast<size_t>(form.batch * n * n));
        for (Number& x : a) x = random_number(dtype, random);
        Elements plain(dtype, static_cast<int64_t>(a.size())), scaled = plain;
        plain.set(a);
        a = plain.get();
        const Factored expected = factored(form, plain);
        Elements factors = expected.factors;
        const Numbers wanted = factors.get();
        const int most = dtype == DType::kF32 ? 124 : 1020;
        for (const double by : {std::ldexp(1.0, most), std::ldexp(1.0, -most)}) {
          Numbers b = a;
          for (Number& x : b) x *= by;
          scaled.set(b);
          Factored found = factored(form, scaled);
          EXPECT_EQ(found.pivots, expected.pivots);
          const Numbers all = found.factors.get();
          double worst = 0;
          for (size_t i = 0; i < all.size(); ++i) {
            const auto size = static_cast<size_t>(n);
            const bool upper = i % size >= i / size % size;
            worst = testing::larger_error(worst, std::abs(all[i] / (upper ? by : 1.0) - wanted[i]));
          }
          // What is below the range of normal numbers has fewer bits.
          EXPECT_LE(worst, (by < 1 ? 1e-3 : 0) + double(n * n) * 8 * epsilon(dtype))
              << name_of(dtype) << " " << n << " " << width << " " << by;
        }
      }
    }
  }
}

// A column of zeros divides nothing, so that its row is taken off nothing, whatever it holds.
TEST(SmallMatrixTest, NothingIsTakenOffForAPivotOfZero) {
  for (const int width : widths_here()) {
    const LuForm form{DType::kF32, 17, 2, 2, width};
    Elements input(DType::kF32, 17 * 4);
    Numbers a;
    for (int i = 0; i < 17; ++i) {
      for (const double x : {i % 2 == 0 ? 0.0 : 2.0, i % 2 == 0 ? double(INFINITY) : 4.0, 0.0, 1.0})
        a.push_back(x);
    }
    input.set(a);
    Factored found = factored(form, input);
    EXPECT_EQ(found.factors.get(), a) << width;
  }
}

// What a matrix becomes does not depend on those it shares a vector with, nor do they on where it stands.
TEST(SmallMatrixTest, MatricesOfABatchAreOnTheirOwn) {
  for (const DType dtype : kDTypes) {
    const int width = width_here(64);
    for (int64_t n = 1; n <= (is_complex(dtype) ? 8 : 16); ++n) {
      for (const int64_t batch : {7, 17, 1001}) {
        const auto size = static_cast<size_t>(n * n);
        const CholeskyForm all{dtype, batch, n, true, width}, one{dtype, 1, n, true, width};
        Numbers a = positive_definite(all, 12);
        for (size_t i = 3 * size; i < 4 * size; ++i) a[i] = -1;
        Elements input(dtype, static_cast<int64_t>(a.size())), single(dtype, n * n);
        input.set(a);
        Elements together = run(*cholesky(all), {input}, batch * n * n);
        const size_t bytes = single.bytes.size();
        for (const size_t b : {size_t(0), size_t(3), size_t(5), static_cast<size_t>(batch - 1)}) {
          std::memcpy(single.bytes.data(), input.bytes.data() + b * bytes, bytes);
          Elements alone = run(*cholesky(one), {single}, n * n);
          const std::vector<std::byte> part(
              together.bytes.begin() + static_cast<std::ptrdiff_t>(b * bytes),
              together.bytes.begin() + static_cast<std::ptrdiff_t>((b + 1) * bytes));
          EXPECT_EQ(alone.bytes, part) << name_of(dtype) << " " << n << " of " << batch;
        }
      }
    }
  }
}

TEST(MatrixThreadsTest, TheSameBitsOnAnyNumberOfThreads) {
  const int64_t n = 300;
  for (const DType dtype : {DType::kF32, DType::kC128}) {
    std::vector<Elements> factors, solutions, others;
    const int width = width_here(dtype == DType::kF32 ? 64 : 32);
    for (const int threads : {1, 2, 3}) {
      set_num_threads(threads);
      const CholeskyForm form{dtype, 2, n, true, width};
      Elements input(dtype, 2 * n * n);
      input.set(positive_definite(form, 5));
      factors.push_back(run(*cholesky(form), {input}, 2 * n * n));
      const LuForm form_of_lu{dtype, 2, n, n, width};
      Elements factors_of_lu(dtype, 2 * n * n);
      std::vector<int32_t> pivot(2 * n), rows(2 * n);
      const auto routine = lu(form_of_lu);
      const std::unique_ptr<std::byte[]> work(new std::byte[static_cast<size_t>(routine->work_bytes()) + 64]);
      const auto address = (reinterpret_cast<uintptr_t>(work.get()) + 63) / 64 * 64;
      void* buffers[] = {factors.back().bytes.data(), factors_of_lu.bytes.data(), pivot.data(), rows.data()};
      routine->run({buffers, reinterpret_cast<std::byte*>(address)});
      others.push_back(std::move(factors_of_lu));
      EXPECT_EQ(others.back().bytes, others.front().bytes) << threads;
      const TriangularForm solve{
          .dtype = dtype, .batch = 2, .n = n, .sides = n, .same = true, .vector_bytes = width};
      solutions.push_back(run(*triangular_solve(solve), {factors.back()}, 2 * n * n));
      EXPECT_EQ(factors.back().bytes, factors.front().bytes) << threads;
      EXPECT_EQ(solutions.back().bytes, solutions.front().bytes) << threads;
    }
  }
  set_num_threads(0);
}

TEST(MatrixFormTest, TellRoutinesApart) {
  EXPECT_NE(cholesky({.n = 3, .lower = true})->form(), cholesky({.n = 3, .lower = false})->form());
  EXPECT_NE(triangular_solve({.n = 3, .lower = true})->form(),
            triangular_solve({.n = 3, .lower = false})->form());
  EXPECT_EQ(triangular_solve({.n = 3})->form(), triangular_solve({.n = 3})->form());
}

}  // namespace
}  // namespace ingot::runtime
