// Loads and stores of every kind, dtypes, and loops that become functions, on every vector width of the
// machine.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "testing/kernel_builder.h"
#include "testing/run_kernel.h"

namespace ingot {
namespace {

using namespace testing;

class MemoryTest : public ::testing::TestWithParam<Target> {};

INSTANTIATE_TEST_SUITE_P(Widths, MemoryTest, ::testing::ValuesIn(codegen::available_targets()),
                         [](const ::testing::TestParamInfo<Target>& info) {
                           return "bytes" + std::to_string(info.param.vector_bytes) +
                                  (info.param.tiles.count > 0 ? "tiles" : "");
                         });

template <class T>
std::vector<T> counted(int64_t count, int first = 0) {
  std::vector<T> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(static_cast<T>((first + i) % 101));
  return values;
}

// Runs of constants of every length within a row, for all element sizes: loads and stores are transposed.
template <class T>
void check_runs(const Target& target, int64_t rows, int64_t row, int64_t length) {
  const DType dtype = dtype_of<T>();
  KernelBuilder b("runs");
  const BufferId x = b.input(dtype, rows * row), y = b.output(dtype, rows * row);
  b.parallel_lanes(rows, [&](Index i) {
    for (int64_t c = 0; c < length; ++c) {  // element c goes to place length - 1 - c
      const ScalarId v = b.load(x, i * row + Index(c));
      b.store(y, i * row + Index(length - 1 - c), b.let("add", {v, b.literal(static_cast<T>(c))}));
    }
  });
  std::vector<T> in = counted<T>(rows * row), out(in.size(), T(1)), expected = out;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t c = 0; c < length; ++c) {
      expected[static_cast<size_t>(i * row + length - 1 - c)] =
          static_cast<T>(in[static_cast<size_t>(i * row + c)] + static_cast<T>(c));
    }
  }
  run(b.finish(), target, Arguments().add(in).add(out));
  EXPECT_EQ(out, expected) << name_of(dtype) << " runs of " << length << " in rows of " << row;
}

TEST_P(MemoryTest, RunsInRowsAreTransposed) {
  for (int64_t run : {1, 2, 3, 4, 5, 6, 7, 9, 16, 17}) {
    check_runs<float>(GetParam(), 35, run + 1, run);
    check_runs<double>(GetParam(), 21, run + 1, run);
    check_runs<int32_t>(GetParam(), 16, run + 2, run);
    check_runs<int16_t>(GetParam(), 33, run + 1, run);
    check_runs<uint8_t>(GetParam(), 64, run + 1, run);
    check_runs<uint64_t>(GetParam(), 8, run + 3, run);
  }
  check_runs<float>(GetParam(), 5, 16, 16);
  check_runs<double>(GetParam(), 3, 4, 4);
}

// A transposed copy: the rows of a tile are the run.
TEST_P(MemoryTest, RunsAcrossATile) {
  for (int64_t rows : {4, 8, 20}) {
    const int64_t columns = 37;
    KernelBuilder b("transpose");
    const BufferId x = b.input(DType::kF32, rows * columns), y = b.output(DType::kF32, rows * columns);
    b.loop(
        LoopKind::kParallel, LoopStyle::kSerial, rows,
        [&](Index j) {
          b.parallel_lanes(columns, [&](Index i) {
            b.tile(4, [&](Index jj) { b.store(y, (j + jj) * columns + i, b.load(x, i * rows + j + jj)); });
          });
        },
        4);
    std::vector<float> in = counted<float>(rows * columns), out(in.size());
    run(b.finish(), GetParam(), Arguments().add(in).add(out));
    for (int64_t j = 0; j < rows; ++j) {
      for (int64_t i = 0; i < columns; ++i) {
        ASSERT_EQ(out[static_cast<size_t>(j * columns + i)], in[static_cast<size_t>(i * rows + j)]);
      }
    }
  }
}

// Lanes that are gone through at once and lie at places known beforehand: pieces of memory are permuted. The
// buffer ends with the last element, begins with the first one, and may be smaller than a vector.
template <class T>
void check_permuted(const Target& target, int64_t inside, int64_t apart, int64_t first, int64_t groups) {
  const DType dtype = dtype_of<T>();
  const auto lanes =
      static_cast<int64_t>(target.vector_bytes) / static_cast<int64_t>(std::max<size_t>(4, sizeof(T)));
  const int64_t points = lanes * inside, rows = lanes * groups, size = apart * (rows - 1) + first + inside;
  KernelBuilder b("permuted");
  const BufferId x = b.input(dtype, size), w = b.input(dtype, inside), y = b.output(dtype, rows * inside);
  b.parallel(groups, [&](Index group) {
    b.map_lanes(
        points,
        [&](Index v) {
          const Index column = v.mod(inside), row = v.floor_div(inside);
          const ScalarId a =
              b.load(x, group * (lanes * apart) + row * apart + Index(first + inside - 1) - column);
          const ScalarId c = b.load(w, column);
          b.store(y, group * points + v, b.let("add", {a, c}));
        },
        static_cast<int>(inside));
  });
  std::vector<T> in = counted<T>(size), more = counted<T>(inside, 50),
                 out(static_cast<size_t>(rows * inside));
  run(b.finish(), target, Arguments().add(in).add(more).add(out));
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < inside; ++j) {
      const auto at = static_cast<size_t>(i * apart + first + inside - 1 - j);
      ASSERT_EQ(out[static_cast<size_t>(i * inside + j)],
                static_cast<T>(in[at] + more[static_cast<size_t>(j)]))
          << name_of(dtype) << ", row " << i << " of " << inside << ", " << apart << " apart, from " << first;
    }
  }
}

TEST_P(MemoryTest, PlacesOfLanesArePermuted) {
  for (int64_t inside : {2, 3, 4, 5, 9}) {
    for (int64_t apart : {inside, inside + 1, 3 * inside, 40 * inside}) {
      for (int64_t first : {0, 1, 7}) {
        check_permuted<float>(GetParam(), inside, apart, first, 3);
        check_permuted<double>(GetParam(), inside, apart, first, 2);
        check_permuted<int16_t>(GetParam(), inside, apart, first, 2);
        check_permuted<uint8_t>(GetParam(), inside, apart, first, 1);
      }
    }
  }
}

// The transposed loop that choose_lanes makes: lanes across rows, a map loop along them. Rows of 1024
// elements fall on the same lines of a cache and are read line by line.
TEST_P(MemoryTest, TransposedMapLoop) {
  for (int64_t n : {1, 3, 4, 9, 64, 101, 1024}) {
    KernelBuilder b("transpose");
    const int64_t rows = 45;
    const BufferId x = b.input(DType::kF32, rows * n), y = b.output(DType::kF32, rows * n),
                   z = b.output(DType::kF32, rows * n);
    b.parallel_lanes(rows, [&](Index i) {
      b.map(n, [&](Index t) {
        const ScalarId v = b.load(x, i * n + t);
        b.store(y, t * rows + i, v);              // transposed
        b.store(z, i * n + Index(n - 1) - t, v);  // rows, backwards
      });
    });
    std::vector<float> in = counted<float>(rows * n), out(in.size()), back(in.size());
    run(b.finish(), GetParam(), Arguments().add(in).add(out).add(back));
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t t = 0; t < n; ++t) {
        const float v = in[static_cast<size_t>(i * n + t)];
        ASSERT_EQ(out[static_cast<size_t>(t * rows + i)], v);
        ASSERT_EQ(back[static_cast<size_t>(i * n + n - 1 - t)], v);
      }
    }
  }
}

// The same along a part of rows that collide, which no number of whole lines makes up.
TEST_P(MemoryTest, TransposedPartsOfRowsThatCollide) {
  for (int64_t n : {1, 5, 16, 23, 36, 61}) {
    KernelBuilder b("transpose");
    const int64_t rows = 37, apart = 1024;
    const BufferId x = b.input(DType::kF32, rows * apart), y = b.output(DType::kF32, rows * n);
    b.parallel_lanes(rows, [&](Index i) {
      b.map(n, [&](Index t) { b.store(y, t * rows + i, b.load(x, i * apart + t + Index(7))); });
    });
    std::vector<float> in = counted<float>(rows * apart), out(static_cast<size_t>(rows * n));
    run(b.finish(), GetParam(), Arguments().add(in).add(out));
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t t = 0; t < n; ++t)
        ASSERT_EQ(out[static_cast<size_t>(t * rows + i)], in[static_cast<size_t>(i * apart + t + 7)]);
    }
  }
}

// An output so large that it is streamed past the caches.
TEST_P(MemoryTest, LargeOutputsAreStreamed) {
  Target target = GetParam();
  target.l2_bytes = 4 << 10;
  const int64_t n = 24, rows = 8 * target.l2_bytes / 4 / n + 5;
  KernelBuilder b("big");
  const BufferId x = b.input(DType::kF32, rows * n), y = b.output(DType::kF32, rows * n);
  b.parallel_lanes(rows, [&](Index i) {
    b.scan(n, {b.literal(0.0f)}, [&](Index t, std::vector<ScalarId> last) {
      const ScalarId sum = b.let("add", {last[0], b.load(x, i * n + t)});
      b.store(y, i * n + t, sum);
      return std::vector{sum};
    });
  });
  std::vector<float> in = counted<float>(rows * n), out(in.size());
  run(b.finish(), target, Arguments().add(in).add(out));
  for (int64_t i = 0; i < rows; ++i) {
    float sum = 0;
    for (int64_t t = 0; t < n; ++t) {
      sum += in[static_cast<size_t>(i * n + t)];
      ASSERT_EQ(out[static_cast<size_t>(i * n + t)], sum) << i << " " << t;
    }
  }
}

// The same of numbers narrower than those that lanes are counted by, in rows of an odd length: units begin
// amid a vector, and none writes beyond its end.
TEST_P(MemoryTest, LargeOutputsOfNarrowNumbersAreStreamed) {
  Target target = GetParam();
  target.l2_bytes = 512;
  for (const int64_t n : {24, 101}) {
    const int64_t rows = 203;
    KernelBuilder b("narrow");
    const BufferId x = b.input(DType::kF32, rows * n), y = b.output(DType::kS16, rows * n);
    b.parallel_lanes(rows, [&](Index i) {
      b.scan(n, {b.literal(0.0f)}, [&](Index t, std::vector<ScalarId> last) {
        const ScalarId sum = b.let("add", {last[0], b.load(x, i * n + t)});
        b.store(y, i * n + t, b.let_as(DType::kS16, "convert", {sum}, {{"dtype", DType::kS16}}));
        return std::vector{sum};
      });
    });
    const codegen::Code code = compile_one(b.finish(), target, {.keep_text = true});
#if defined(__x86_64__)
    if (n == 24 || target.vector_bytes >= 32) {  // otherwise units are no whole vectors
      EXPECT_NE(code.assembly.find("movnt"), std::string::npos) << n;
    }
#endif
    std::vector<float> in(static_cast<size_t>(rows * n));
    for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i % 7);
    std::vector<int16_t> out(in.size() + 64, -1);
    run(code, Arguments().add(in.data()).add(out.data()));
    for (int64_t i = 0; i < rows; ++i) {
      float sum = 0;
      for (int64_t t = 0; t < n; ++t) {
        sum += in[static_cast<size_t>(i * n + t)];
        ASSERT_EQ(out[static_cast<size_t>(i * n + t)], static_cast<int16_t>(sum)) << i << " " << t;
      }
    }
    for (size_t i = in.size(); i < out.size(); ++i) ASSERT_EQ(out[i], -1);
  }
}

// A large transpose: every step writes whole lines far apart, which are streamed where the row length lets
// them begin at a line.
TEST_P(MemoryTest, LargeColumnsAreStreamed) {
  for (const int64_t rows : {48, 45}) {
    Target target = GetParam();
    target.l2_bytes = 4 << 10;
    const int64_t n = 8 * target.l2_bytes / 4 / rows + 5;
    KernelBuilder b("transpose");
    const BufferId x = b.input(DType::kF32, rows * n), y = b.output(DType::kF32, rows * n);
    b.parallel_lanes(
        rows, [&](Index i) { b.map(n, [&](Index t) { b.store(y, t * rows + i, b.load(x, i * n + t)); }); });
    std::vector<float> in = counted<float>(rows * n), out(in.size());
    run(b.finish(), target, Arguments().add(in).add(out));
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t t = 0; t < n; ++t)
        ASSERT_EQ(out[static_cast<size_t>(t * rows + i)], in[static_cast<size_t>(i * n + t)])
            << i << " " << t;
    }
  }
}

// An output larger than the last cache is streamed from beginning to end; one that takes the place of its
// input, or does not begin at a line, or ends amid a vector, is not.
TEST_P(MemoryTest, LargeRowsAreStreamed) {
  Target target = GetParam();
  target.l3_bytes = 4 << 10;
  for (const int64_t n : {4096, 4099}) {
    KernelBuilder b("double");
    const BufferId x = b.input(DType::kF32, n), y = b.output(DType::kF32, n);
    b.map_lanes(n, [&](Index i) {
      const ScalarId v = b.load(x, i);
      b.store(y, i, b.let("add", {v, v}));
    });
    const codegen::Code code = compile_one(b.finish(), target);
    for (const int64_t shift : {0, 1}) {
      for (const bool in_place : {false, true}) {
        if (in_place && n % 16 != 0) continue;  // the last vector would repeat points
        std::vector<float> in = counted<float>(n + 32), out(in.size(), -1.0f), expected = in;
        auto at_line = [&](std::vector<float>& v) {
          const auto bits = reinterpret_cast<uintptr_t>(v.data()) % 64;
          return v.data() + (64 - bits) % 64 / sizeof(float) + shift;
        };
        float *from = at_line(in), *to = in_place ? from : at_line(out);
        const std::vector<float> before(from, from + n);
        run(code, Arguments().add(from).add(to));
        for (int64_t i = 0; i < n; ++i) ASSERT_EQ(to[i], 2 * before[static_cast<size_t>(i)]) << i;
      }
    }
  }
}

// y[i] = x[i - 2] inside of the range, 0 outside: contiguous, reversed, strided, uniform and gathered.
TEST_P(MemoryTest, LoadsWithPredicates) {
  for (int64_t n : {1, 2, 5, 16, 40}) {
    KernelBuilder b("pad");
    const int64_t padded = n + 5;
    const BufferId x = b.input(DType::kF32, n), y = b.output(DType::kF32, 4 * padded);
    b.parallel_lanes(padded, [&](Index i) {
      const ScalarId inside = b.in_range(i, 2, n + 2);
      b.store(y, i, b.load(x, i - Index(2), inside));
      b.store(y, i + Index(padded), b.load(x, Index(n + 1) - i, inside));
      b.store(y, i + Index(2 * padded), b.load(x, 0, inside));
      b.store(y, i + Index(3 * padded), b.load(x, (i - Index(2)) * 2, b.in_range(i * 2 - Index(4), 0, n)));
    });
    std::vector<float> in = counted<float>(n, 3), out(static_cast<size_t>(4 * padded));
    run(b.finish(), GetParam(), Arguments().add(in).add(out));
    for (int64_t i = 0; i < padded; ++i) {
      const int64_t from = i - 2;
      auto at = [&](int64_t j, bool inside) { return inside ? in[static_cast<size_t>(j)] : 0.0f; };
      const bool inside = from >= 0 && from < n;
      EXPECT_EQ(out[static_cast<size_t>(i)], at(from, inside));
      EXPECT_EQ(out[static_cast<size_t>(padded + i)], at(n - 1 - from, inside));
      EXPECT_EQ(out[static_cast<size_t>(2 * padded + i)], at(0, inside));
      EXPECT_EQ(out[static_cast<size_t>(3 * padded + i)], at(2 * from, from >= 0 && 2 * from < n));
    }
  }
}

// Vectors of which no lane is inside of the buffer, most of those past its end, do not stand behind it: lanes
// left out of a page that is none take the processor a microsecond.
TEST_P(MemoryTest, VectorsOutsideOfABufferStandElsewhere) {
  constexpr int64_t kInside = 100, kAll = 1000;
  KernelBuilder b("past");
  const BufferId x = b.input(DType::kF32, kInside), y = b.output(DType::kF32, kAll);
  b.parallel_lanes(kAll, [&](Index i) { b.store(y, i, b.load(x, i, b.in_range(i, 0, kInside))); });
  const codegen::Code code = compile_one(b.finish(), GetParam(), {.keep_text = true});
  EXPECT_NE(code.llvm_ir.find("@llvm.masked.load"), std::string::npos) << code.llvm_ir;
  EXPECT_NE(code.llvm_ir.find("ptr @zeros"), std::string::npos) << code.llvm_ir;
  std::vector<float> in = counted<float>(kInside, 3), out(kAll, 1.0f), expected = in;
  expected.resize(kAll);
  run(code, Arguments().add(in).add(out));
  EXPECT_EQ(out, expected);
}

TEST_P(MemoryTest, AnEmptyBufferIsNeverRead) {
  KernelBuilder b("empty");
  const BufferId x = b.input(DType::kF32, 0), y = b.output(DType::kF32, 20);
  b.parallel_lanes(20, [&](Index i) { b.store(y, i, b.load(x, i, b.in_range(i, 0, 0))); });
  std::vector<float> in, out(20, 1.0f);
  run(b.finish(), GetParam(), Arguments().add(in).add(out));
  EXPECT_EQ(out, std::vector<float>(20));
}

TEST_P(MemoryTest, DivisionsRemaindersAndTables) {
  auto table = std::make_shared<const std::vector<int64_t>>(std::vector<int64_t>{4, 2, 0, 1, 3, 6, 5});
  for (int64_t n : {7, 49, 70}) {
    KernelBuilder b("gather");
    const BufferId x = b.input(DType::kF64, n), y = b.output(DType::kF64, n), z = b.output(DType::kS64, n);
    b.parallel_lanes(n, [&](Index i) {
      const Index place = i.floor_div(7) * 7 + i.mod(7).lookup(table);
      b.store(y, i, b.load(x, place));
      b.store(z, i, b.index(DType::kS64, (i - Index(20)).floor_div(6) + (i * 5 - Index(9)).mod(4) * 100));
    });
    std::vector<double> in = counted<double>(n), out(in.size());
    std::vector<int64_t> numbers(in.size());
    run(b.finish(), GetParam(), Arguments().add(in).add(out).add(numbers));
    for (int64_t i = 0; i < n; ++i) {
      const auto at = static_cast<size_t>(i);
      EXPECT_EQ(out[at], in[static_cast<size_t>(i / 7 * 7 + (*table)[static_cast<size_t>(i % 7)])]);
      const auto quotient = static_cast<int64_t>(std::floor((static_cast<double>(i) - 20) / 6));
      EXPECT_EQ(numbers[at], quotient + (((i * 5 - 9) % 4 + 4) % 4) * 100);
    }
  }
}

// Serial loops of several levels in lanes, with divisions of unrolled variables.
TEST_P(MemoryTest, UniformDivisionsInSerialLoops) {
  const int64_t n = 30, columns = 18;
  KernelBuilder b("serial");
  const BufferId x = b.input(DType::kF32, n * columns), y = b.output(DType::kF32, columns);
  b.parallel_lanes(columns, [&](Index i) {
    b.store(y, i, b.reduce(n, LoopStyle::kSerial, b.literal(0.0f), "add", [&](Index k) {
      const Index row = k.floor_div(7) + k.mod(7) * 3;  // below 30
      return b.let("mul", {b.load(x, row * columns + i), b.index(DType::kF32, k.mod(5))});
    }));
  });
  std::vector<float> in = counted<float>(n * columns), out(static_cast<size_t>(columns));
  run(b.finish(), GetParam(), Arguments().add(in).add(out));
  for (int64_t i = 0; i < columns; ++i) {
    float sum = 0;
    for (int64_t k = 0; k < n; ++k) {
      sum += in[static_cast<size_t>((k / 7 + k % 7 * 3) * columns + i)] * static_cast<float>(k % 5);
    }
    EXPECT_EQ(out[static_cast<size_t>(i)], sum);
  }
}

template <class T>
void check_dtype(const Target& target, int64_t n) {
  const DType dtype = dtype_of<T>();
  KernelBuilder b("dtype");
  const BufferId x = b.input(dtype, n), y = b.input(dtype, n), z = b.output(dtype, n),
                 w = b.output(DType::kPred, n), v = b.output(DType::kF64, n), back = b.output(dtype, n);
  b.parallel_lanes(n, [&](Index i) {
    const ScalarId a = b.load(x, i), c = b.load(y, i);
    b.store(z, i, b.let("sub", {b.let("mul", {a, c}), b.let("max", {a, c})}));
    b.store(w, i, b.let_as(DType::kPred, "compare", {a, c}, {{"direction", "lt"}}));
    const ScalarId wide = b.let_as(DType::kF64, "convert", {a}, {{"dtype", DType::kF64}});
    b.store(v, i, wide);
    b.store(back, i, b.let_as(dtype, "convert", {wide}, {{"dtype", dtype}}));
  });
  std::vector<T> va = counted<T>(n, 1), vb = counted<T>(n, 50), out(va.size()), again(va.size());
  std::vector<uint8_t> less(va.size());
  std::vector<double> wide(va.size());
  run(b.finish(), target, Arguments().add(va).add(vb).add(out).add(less).add(wide).add(again));
  for (size_t i = 0; i < va.size(); ++i) {
    EXPECT_EQ(out[i], static_cast<T>(va[i] * vb[i] - std::max(va[i], vb[i]))) << name_of(dtype);
    EXPECT_EQ(less[i], va[i] < vb[i]) << name_of(dtype);
    EXPECT_EQ(wide[i], static_cast<double>(va[i])) << name_of(dtype);
  }
  EXPECT_EQ(again, va) << name_of(dtype);
}

TEST_P(MemoryTest, AllDTypes) {
  for (int64_t n : {1, 7, 16, 39}) {
    check_dtype<int8_t>(GetParam(), n);
    check_dtype<int16_t>(GetParam(), n);
    check_dtype<int32_t>(GetParam(), n);
    check_dtype<int64_t>(GetParam(), n);
    check_dtype<uint8_t>(GetParam(), n);
    check_dtype<uint16_t>(GetParam(), n);
    check_dtype<uint32_t>(GetParam(), n);
    check_dtype<uint64_t>(GetParam(), n);
    check_dtype<float>(GetParam(), n);
    check_dtype<double>(GetParam(), n);
  }
}

TEST_P(MemoryTest, MinimumAndMaximumKeepNaNAndOrderZeros) {
  const float nan = std::nanf(""), inf = INFINITY;
  std::vector<float> a, c;
  for (float p : {nan, -inf, -1.0f, -0.0f, 0.0f, 2.0f, inf}) {
    for (float q : {nan, -inf, -1.0f, -0.0f, 0.0f, 2.0f, inf}) a.push_back(p), c.push_back(q);
  }
  const auto n = static_cast<int64_t>(a.size());
  KernelBuilder b("extremes");
  const BufferId x = b.input(DType::kF32, n), y = b.input(DType::kF32, n), out = b.output(DType::kF32, 4 * n);
  b.parallel_lanes(n, [&](Index i) {
    const ScalarId p = b.load(x, i), q = b.load(y, i);
    b.store(out, i, b.let("min", {p, q}));
    b.store(out, i + Index(n), b.let("max", {p, q}));
    b.store(out, i + Index(2 * n), b.let("max", {p, b.literal(0.0f)}));
    b.store(out, i + Index(3 * n), b.let("min", {b.literal(0.0f), p}));
  });
  std::vector<float> result(a.size() * 4);
  run(b.finish(), GetParam(), Arguments().add(a).add(c).add(result));
  auto lower = [](float p, float q) { return p < q || (p == q && std::signbit(p)); };
  for (size_t i = 0; i < a.size(); ++i) {
    auto expect = [&](float value, float p, float q, bool minimum, const char* what) {
      if (std::isnan(p) || std::isnan(q)) {
        EXPECT_TRUE(std::isnan(value)) << what << " " << p << " " << q;
      } else {
        const float right = lower(p, q) == minimum ? p : q;
        EXPECT_EQ(value, right) << what << " " << p << " " << q;
        EXPECT_EQ(std::signbit(value), std::signbit(right)) << what << " " << p << " " << q;
      }
    };
    expect(result[i], a[i], c[i], true, "min");
    expect(result[a.size() + i], a[i], c[i], false, "max");
    expect(result[2 * a.size() + i], a[i], 0.0f, false, "max 0");
    expect(result[3 * a.size() + i], a[i], 0.0f, true, "min 0");
  }
}

// The out-of-line path of sin, in some lanes of some vectors.
TEST_P(MemoryTest, RareArgumentsArePatched) {
  for (int64_t n : {1, 5, 64, 77}) {
    KernelBuilder b("sin");
    const BufferId x = b.input(DType::kF32, n), y = b.output(DType::kF32, n);
    b.parallel_lanes(
        n, [&](Index i) { b.store(y, i, b.let("sin", {b.load(x, i)})); }, 2);
    std::vector<float> in = counted<float>(n), out(in.size());
    for (size_t i = 0; i < in.size(); i += 3) in[i] = 1e20f * static_cast<float>(i + 1);
    run(b.finish(), GetParam(), Arguments().add(in).add(out));
    for (size_t i = 0; i < in.size(); ++i)
      EXPECT_NEAR(out[i], std::sin(static_cast<double>(in[i])), 1e-6) << in[i];
  }
}

// A chain over a tile, one outlined loop per operation: few functions, called often.
TEST_P(MemoryTest, OutlinedLoopsShareFunctions) {
  const int64_t n = 300, tile = 128;
  const int length = 40;
  KernelBuilder b("chain");
  const BufferId x = b.input(DType::kF32, n), y = b.output(DType::kF32, n), z = b.output(DType::kS32, n);
  std::vector<ScalarId> constants;
  for (int step = 0; step < length; ++step) constants.push_back(b.literal(static_cast<float>(step)));
  b.loop(
      LoopKind::kParallel, LoopStyle::kSerial, n,
      [&](Index i) {
        const BufferId t = b.local(DType::kF32, tile), u = b.local(DType::kF32, tile);
        for (int step = 0; step < length; ++step) {
          const bool first = step == 0, last = step == length - 1, even = step % 2 == 0;
          b.loop(LoopKind::kMap, LoopStyle::kLanes, tile, [&](Index j) {
             const ScalarId v = b.load(first ? x : even ? u : t, first ? i + j : j);
             const ScalarId w =
                 b.let("add", {b.let("mul", {v, b.literal(0.5f)}), constants[static_cast<size_t>(step)]});
             b.store(last ? y : even ? t : u, last ? i + j : j, w);
             if (last) b.store(z, i + j, b.index(DType::kS32, (i + j) * 3 - Index(1)));
           }).outline = true;
        }
      },
      tile);
  std::vector<float> in = counted<float>(n), out(in.size());
  std::vector<int32_t> places(in.size());
  CodeOptions options;
  options.keep_text = true;
  const codegen::Code code = compile_one(b.finish(), GetParam(), options);
  run(code, Arguments().add(in).add(out).add(places));
  for (size_t i = 0; i < in.size(); ++i) {
    float v = in[i];
    for (int step = 0; step < length; ++step) v = v * 0.5f + static_cast<float>(step);
    EXPECT_EQ(out[i], v);
    EXPECT_EQ(places[i], static_cast<int32_t>(i) * 3 - 1);
  }
  size_t functions = 0;
  for (size_t at = 0; (at = code.llvm_ir.find("\ndefine ", at)) != std::string::npos; ++at) ++functions;
  EXPECT_LE(functions, 4u);
}

TEST_P(MemoryTest, LocalsPerLaneAndPerTilePoint) {
  for (int64_t n : {1, 5, 16, 23}) {
    KernelBuilder b("locals");
    const BufferId x = b.input(DType::kF32, 4 * n), y = b.output(DType::kF32, 4 * n);
    b.parallel_lanes(
        n,
        [&](Index i) {
          b.tile(2, [&](Index r) {
            const BufferId t = b.local(DType::kF32, 2);
            b.map(2, [&](Index k) { b.store(t, Index(1) - k, b.load(x, (r * 2 + k) * n + i)); });
            b.map(2, [&](Index k) { b.store(y, (r * 2 + k) * n + i, b.load(t, k)); });
          });
        },
        2);
    std::vector<float> in = counted<float>(4 * n), out(in.size());
    run(b.finish(), GetParam(), Arguments().add(in).add(out));
    for (int64_t r = 0; r < 4; ++r) {
      for (int64_t i = 0; i < n; ++i) {
        EXPECT_EQ(out[static_cast<size_t>(r * n + i)], in[static_cast<size_t>((r ^ 1) * n + i)]);
      }
    }
  }
}

TEST(CodegenTest, CompilesForNeon) {
  KernelBuilder b("f");
  const BufferId x = b.input(DType::kF32, 400), y = b.output(DType::kF32, 400);
  b.parallel_lanes(100, [&](Index i) {
    for (int64_t c = 0; c < 4; ++c)
      b.store(y, i * 4 + Index(c), b.let("tanh", {b.load(x, i * 4 + Index(3 - c))}));
  });
  Target neon;
  neon.vector_bytes = 16;
  neon.vector_registers = 32;
  const std::string assembly =
      codegen::assembly_for(with_code_chosen(b.finish(), neon), neon, "aarch64-linux-gnu");
  if (assembly.empty()) GTEST_SKIP() << "LLVM has no AArch64";
  EXPECT_NE(assembly.find("fmla\tv"), std::string::npos) << assembly;
}

TEST(CodegenTest, CompilesManyKernelsAtOnce) {
  std::vector<Kernel> kernels;
  for (int64_t n = 1; n < 20; ++n) {
    KernelBuilder b("f");
    const BufferId x = b.input(DType::kF32, n), y = b.output(DType::kF32, n);
    b.parallel_lanes(n, [&](Index i) { b.store(y, i, b.let("neg", {b.load(x, i)})); });
    kernels.push_back(with_code_chosen(b.finish(), codegen::detect_target()));
  }
  std::vector<const Kernel*> pointers;
  for (const Kernel& kernel : kernels) pointers.push_back(&kernel);
  const std::vector<codegen::Code> codes = codegen::compile(pointers, codegen::detect_target());
  for (size_t k = 0; k < codes.size(); ++k) {
    std::vector<float> in(k + 1, 2.0f), out(k + 1);
    run(codes[k], Arguments().add(in).add(out));
    EXPECT_EQ(out, std::vector<float>(k + 1, -2.0f));
  }
}

}  // namespace
}  // namespace ingot
