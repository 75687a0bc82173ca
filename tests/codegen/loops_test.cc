// Loops over lanes, steps and tiles, with awkward sizes, on every vector width of the machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

#include "kernel/ir/blocks.h"
#include "testing/kernel_builder.h"
#include "testing/run_kernel.h"

namespace ingot {
namespace {

using namespace testing;

class LoopsTest : public ::testing::TestWithParam<Target> {};

std::string target_name(const ::testing::TestParamInfo<Target>& info) {
  return "bytes" + std::to_string(info.param.vector_bytes) + (info.param.tiles.count > 0 ? "tiles" : "");
}
INSTANTIATE_TEST_SUITE_P(Widths, LoopsTest, ::testing::ValuesIn(codegen::available_targets()), target_name);

std::vector<float> numbers(int64_t count, float first = 1) {
  std::vector<float> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), first);
  return values;
}

const int64_t kSizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 70};

TEST_P(LoopsTest, ElementwiseOfAnySize) {
  for (int64_t n : kSizes) {
    for (int vectors : {1, 3}) {
      KernelBuilder b("f");
      const BufferId x = b.input(DType::kF32, n), y = b.output(DType::kF32, n);
      b.parallel_lanes(
          n,
          [&](Index i) {
            b.store(y, i, b.let("add", {b.load(x, i), b.literal(1.0f)}));
          },
          vectors);
      std::vector<float> in = numbers(n), out(in.size(), -1), expected = numbers(n, 2);
      run(b.finish(), GetParam(), Arguments().add(in).add(out));
      EXPECT_EQ(out, expected) << n;
    }
  }
}

TEST_P(LoopsTest, ReversedStridedAndUniformAccess) {
  for (int64_t n : kSizes) {
    if (n == 0) continue;
    KernelBuilder b("f");
    const BufferId x = b.input(DType::kF32, n), z = b.input(DType::kF32, 3 * n), y = b.output(DType::kF32, n),
                   w = b.output(DType::kF32, 2 * n);
    b.parallel_lanes(n, [&](Index i) {
      const ScalarId sum = b.let("add", {b.load(x, Index(n - 1) - i), b.load(z, i * 3 + Index(2))});
      b.store(y, Index(n - 1) - i, b.let("add", {sum, b.load(x, 0)}));
      b.store(w, i * 2, sum);
      b.store(w, i * 2 + Index(1), b.literal(7.0f));
    });
    std::vector<float> in = numbers(n), wide = numbers(3 * n), out(in.size()), pairs(in.size() * 2);
    run(b.finish(), GetParam(), Arguments().add(in).add(wide).add(out).add(pairs));
    for (size_t i = 0; i < in.size(); ++i) {
      const float sum = in[in.size() - 1 - i] + wide[3 * i + 2];
      EXPECT_EQ(out[in.size() - 1 - i], sum + in[0]);
      EXPECT_EQ(pairs[2 * i], sum);
      EXPECT_EQ(pairs[2 * i + 1], 7);
    }
  }
}

TEST_P(LoopsTest, BandOfThreeLoopsWithOverlappingSteps) {
  KernelBuilder b("f");
  const int64_t ni = 5, nj = 7, nk = 19;
  const BufferId x = b.input(DType::kF64, ni * nj * nk), y = b.output(DType::kF64, ni * nj * nk);
  b.parallel(ni, [&](Index i) {
    b.loop(
        LoopKind::kParallel, LoopStyle::kSerial, nj,
        [&](Index j) {
          b.parallel_lanes(nk, [&](Index k) {
            for (int64_t d = 0; d < 3; ++d) {
              const Index at = i * (nj * nk) + (j + Index(d)) * nk + k;
              b.store(y, at, b.let("mul", {b.load(x, at), b.load(x, at)}));
            }
          });
        },
        3);
  });
  std::vector<double> in(static_cast<size_t>(ni * nj * nk)), out(in.size());
  std::iota(in.begin(), in.end(), 0.5);
  run(b.finish(), GetParam(), Arguments().add(in).add(out));
  for (size_t i = 0; i < in.size(); ++i) EXPECT_EQ(out[i], in[i] * in[i]);
}

TEST_P(LoopsTest, PreludeRunsBeforeUnitsThatFollowEachOther) {
  KernelBuilder b("f");
  const int64_t ni = 3, nj = 4, nk = 5, n = 2000;  // a buffer in scratch memory
  const BufferId x = b.input(DType::kF32, ni * n), y = b.output(DType::kF32, ni * nj * nk);
  b.parallel(ni, [&](Index i) {
    const BufferId t = b.local(DType::kF32, n);
    b.map_lanes(n, [&](Index k) {
      const ScalarId value = b.load(x, i * n + k);
      b.store(t, k, b.let("add", {value, value}));
    });
    b.parallel(nj, [&](Index j) {
      b.parallel(nk, [&](Index k) { b.store(y, i * (nj * nk) + j * nk + k, b.load(t, j * 300 + k * 100)); });
    });
  });
  std::vector<float> in = numbers(ni * n), out(static_cast<size_t>(ni * nj * nk));
  run(b.finish(), GetParam(), Arguments().add(in).add(out));
  for (int64_t u = 0; u < ni * nj * nk; ++u) {
    const int64_t from = u / (nj * nk) * n + u / nk % nj * 300 + u % nk * 100;
    EXPECT_EQ(out[static_cast<size_t>(u)], 2 * in[static_cast<size_t>(from)]);
  }
}

TEST_P(LoopsTest, ReductionsOverLanesCountEachPointOnce) {
  for (int64_t n : {0, 1, 2, 3, 5, 8, 13, 16, 17, 33, 63, 64, 65, 100, 127, 200, 300}) {
    for (int vectors : {1, 2, 4}) {
      KernelBuilder b("f");
      const BufferId x = b.input(DType::kF32, 3 * n), y = b.output(DType::kF32, 3),
                     z = b.output(DType::kF32, 3);
      b.parallel(3, [&](Index i) {
        const ScalarId zero = b.literal(0.0f), low = b.literal(-1e30f);
        b.store(
            y, i,
            b.reduce(
                n, LoopStyle::kLanes, zero, "add", [&](Index j) { return b.load(x, i * n + j); }, vectors));
        b.store(
            z, i,
            b.reduce(
                n, LoopStyle::kLanes, low, "max", [&](Index j) { return b.load(x, i * n + j); }, vectors));
      });
      std::vector<float> in = numbers(3 * n), sums(3), tops(3);
      run(b.finish(), GetParam(), Arguments().add(in).add(sums).add(tops));
      for (size_t i = 0; i < 3; ++i) {
        const auto row = in.begin() + static_cast<int64_t>(i) * n;
        EXPECT_EQ(sums[i], std::accumulate(row, row + n, 0.0f)) << n << " " << vectors;
        EXPECT_EQ(tops[i], n ? *std::max_element(row, row + n) : -1e30f);
      }
    }
  }
}

// One NaN anywhere is the result; else the extreme, whose zero has the right sign. Row by row the special
// number moves on by one place.
TEST_P(LoopsTest, ExtremesOverLanesKeepNaN) {
  for (int64_t n : {1, 5, 16, 33, 64, 143}) {
    for (float special : {std::nanf(""), -std::nanf(""), 0.0f, -0.0f, INFINITY, -INFINITY}) {
      const float other = std::signbit(special) ? 0.0f : -0.0f;
      KernelBuilder b("f");
      const BufferId x = b.input(DType::kF32, n * n), out = b.output(DType::kF32, 2 * n);
      b.parallel(n, [&](Index i) {
        auto element = [&](Index j) { return b.load(x, i * n + j); };
        const ScalarId low = b.literal(-INFINITY), high = b.literal(INFINITY);
        b.store(out, i * 2, b.reduce(n, LoopStyle::kLanes, low, "max", element, 1));
        b.store(out, i * 2 + 1, b.reduce(n, LoopStyle::kLanes, high, "min", element, 2));
      });
      std::vector<float> in(static_cast<size_t>(n * n), other), extremes(static_cast<size_t>(2 * n));
      for (int64_t row = 0; row < n; ++row) in[static_cast<size_t>(row * n + row)] = special;
      run(b.finish(), GetParam(), Arguments().add(in).add(extremes));
      for (size_t at = 0; at < extremes.size(); ++at) {
        const bool takes_special = n == 1 || std::signbit(special) == (at % 2 == 1);
        const float right = std::isnan(special) || takes_special ? special : other;
        EXPECT_EQ(std::isnan(extremes[at]), std::isnan(special)) << n << " " << special << " at " << at;
        if (std::isnan(special)) continue;
        EXPECT_EQ(extremes[at], right) << n << " " << special << " at " << at;
        EXPECT_EQ(std::signbit(extremes[at]), std::signbit(right)) << n << " " << special << " at " << at;
      }
    }
  }
}

TEST_P(LoopsTest, SerialReductionsKeepLanesApart) {
  for (int64_t n : {1, 3, 4, 9, 50}) {
    KernelBuilder b("f");
    const int64_t columns = 21;
    const BufferId x = b.input(DType::kF32, n * columns), y = b.output(DType::kF32, columns);
    b.parallel_lanes(columns, [&](Index i) {
      b.store(y, i, b.reduce(n, LoopStyle::kSerial, b.literal(0.0f), "add", [&](Index k) {
        return b.load(x, k * columns + i);
      }));
    });
    std::vector<float> in = numbers(n * columns), out(static_cast<size_t>(columns));
    run(b.finish(), GetParam(), Arguments().add(in).add(out));
    for (size_t i = 0; i < out.size(); ++i) {
      float sum = 0;
      for (int64_t k = 0; k < n; ++k) sum += in[static_cast<size_t>(k * columns) + i];
      EXPECT_EQ(out[i], sum);
    }
  }
}

// Two carries whose values depend on each other: the first maximum and its place.
TEST_P(LoopsTest, ReductionOfPairs) {
  for (int64_t n : {1, 5, 16, 37, 100, 143, 300}) {
    KernelBuilder b("f");
    const BufferId x = b.input(DType::kF32, n), y = b.output(DType::kS32, 1);
    Loop loop = b.open(LoopKind::kReduce, LoopStyle::kLanes, n, 1);
    const ScalarId low = b.literal(-1e30f), last = b.literal(int32_t{1 << 30});
    Carry value{low, kNone, kNone, kNone}, place{last, kNone, kNone, kNone};
    const Index i = b.kernel().var(loop.var);
    loop.body = b.nested([&] {
      value.next = b.load(x, i);
      place.next = b.index(DType::kS32, i);
    });
    auto scalar = [&](DType dtype) { return b.kernel().add_scalar(dtype); };
    Combiner& c = loop.combiner;
    c.lhs = {scalar(DType::kF32), scalar(DType::kS32)};
    c.rhs = {scalar(DType::kF32), scalar(DType::kS32)};
    c.body = b.nested([&] {
      const ScalarId more = b.let_as(DType::kPred, "compare", {c.lhs[0], c.rhs[0]}, {{"direction", "gt"}});
      const ScalarId same = b.let_as(DType::kPred, "compare", {c.lhs[0], c.rhs[0]}, {{"direction", "eq"}});
      const ScalarId first = b.let_as(DType::kPred, "compare", {c.lhs[1], c.rhs[1]}, {{"direction", "lt"}});
      const ScalarId left = b.let("or", {more, b.let("and", {same, first})});
      c.out = {b.let("max", {c.lhs[0], c.rhs[0]}),
               b.let_as(DType::kS32, "select", {left, c.lhs[1], c.rhs[1]})};
    });
    value.result = scalar(DType::kF32);
    place.result = scalar(DType::kS32);
    loop.carries = {value, place};
    b.add(std::move(loop));
    b.store(y, 0, place.result);
    for (int64_t top = 0; top < n; top += n < 40 ? 3 : n / 8) {
      std::vector<float> in(static_cast<size_t>(n), 1.0f);
      in[static_cast<size_t>(top)] = 2;
      std::fill(in.begin() + std::min(top + n / 3, n), in.end(), in[static_cast<size_t>(top)]);  // ties
      std::vector<int32_t> out(1);
      run(b.finish(), GetParam(), Arguments().add(in).add(out));
      EXPECT_EQ(out[0], top);
    }
  }
}

// The two scans of a tridiagonal solver, lanes across systems: transposed loads and stores, locals, a
// reversed scan.
template <class T>
void check_tdma(const Target& target, int64_t systems, int64_t n, int vectors) {
  const DType dtype = dtype_of<T>();
  KernelBuilder b("tdma");
  const int64_t total = systems * n;
  const BufferId a = b.input(dtype, total), bb = b.input(dtype, total), c = b.input(dtype, total),
                 d = b.input(dtype, total), x = b.output(dtype, total);
  b.parallel_lanes(
      systems,
      [&](Index i) {
        const ScalarId zero = b.literal(T{0}), one = b.literal(T{1});
        const BufferId cp = b.local(dtype, n), dp = b.local(dtype, n);
        b.scan(n, {zero, zero}, [&](Index t, std::vector<ScalarId> last) {
          const Index at = i * n + t;
          const ScalarId av = b.load(a, at);
          const ScalarId norm =
              b.let("div", {one, b.let("sub", {b.load(bb, at), b.let("mul", {av, last[0]})})});
          const ScalarId p = b.let("mul", {b.load(c, at), norm});
          const ScalarId q = b.let("mul", {b.let("sub", {b.load(d, at), b.let("mul", {av, last[1]})}), norm});
          b.store(cp, t, p);
          b.store(dp, t, q);
          return std::vector{p, q};
        });
        b.scan(n, {zero}, [&](Index t, std::vector<ScalarId> last) {
          const Index back = Index(n - 1) - t;
          const ScalarId s = b.let("sub", {b.load(dp, back), b.let("mul", {b.load(cp, back), last[0]})});
          b.store(x, i * n + back, s);
          return std::vector{s};
        });
      },
      vectors);
  const auto size = static_cast<size_t>(total);
  std::vector<T> va(size), vb(size), vc(size), vd(size), out(size);
  for (size_t i = 0; i < size; ++i) {
    va[i] = T(i % 7) / 8, vb[i] = T(4 + i % 5), vc[i] = T(i % 3) / 4, vd[i] = T(i % 11);
  }
  run(b.finish(), target, Arguments().add(va).add(vb).add(vc).add(vd).add(out));
  for (int64_t i = 0; i < systems; ++i) {
    std::vector<T> p(static_cast<size_t>(n)), q(p.size());
    T lp = 0, lq = 0;
    for (size_t t = 0; t < p.size(); ++t) {
      const size_t at = static_cast<size_t>(i * n) + t;
      const T norm = 1 / (vb[at] - va[at] * lp);
      lp = p[t] = vc[at] * norm;
      lq = q[t] = (vd[at] - va[at] * lq) * norm;
    }
    T s = 0;
    for (size_t t = p.size(); t-- > 0;) {
      s = q[t] - p[t] * s;
      ASSERT_NEAR(out[static_cast<size_t>(i * n) + t], s, 1e-5)
          << "system " << i << " step " << t << " of " << n;
    }
  }
}

TEST_P(LoopsTest, TridiagonalSolverOfAnyLength) {
  for (int64_t n : {1, 2, 3, 4, 5, 7, 8, 16, 17, 30, 100}) {
    for (int vectors : {1, 2}) {
      check_tdma<float>(GetParam(), 37, n, vectors);
      check_tdma<double>(GetParam(), 19, n, vectors);
    }
  }
  check_tdma<float>(GetParam(), 3, 1000, 1);  // locals in scratch memory
  check_tdma<float>(GetParam(), 1, 9, 1);
}

// Register tiles: all rows of the tile and all lanes at once, the reduction once for all of them.
TEST_P(LoopsTest, ContractionInRegisterTiles) {
  const int64_t lanes = GetParam().lanes(DType::kF32);
  for (int64_t m : {3, 5, 8}) {
    for (int64_t n : {int64_t{1}, lanes, 2 * lanes, 3 * lanes - 1}) {
      for (int64_t k : {1, 2, 7, 32}) {
        KernelBuilder b("dot");
        const BufferId x = b.input(DType::kF32, m * k), w = b.input(DType::kF32, k * n),
                       y = b.output(DType::kF32, m * n);
        const int64_t mr = 3, nr = std::min(n, 2 * lanes);
        b.loop(
            LoopKind::kParallel, LoopStyle::kSerial, m,
            [&](Index i) {
              b.loop(
                  LoopKind::kParallel, LoopStyle::kSerial, n,
                  [&](Index j) {
                    b.tile(mr, [&](Index ii) {
                      b.map_lanes(
                          nr,
                          [&](Index jj) {
                            const ScalarId dot =
                                b.reduce(k, LoopStyle::kSerial, b.literal(0.0f), "add", [&](Index kk) {
                                  return b.let("mul",
                                               {b.load(x, (i + ii) * k + kk), b.load(w, kk * n + j + jj)});
                                });
                            b.store(y, (i + ii) * n + j + jj, b.let("max", {dot, b.literal(2.0f)}));
                          },
                          2);
                    });
                  },
                  nr);
            },
            mr);
        std::vector<float> vx = numbers(m * k), vw = numbers(k * n, -3), out(static_cast<size_t>(m * n));
        run(b.finish(), GetParam(), Arguments().add(vx).add(vw).add(out));
        for (int64_t i = 0; i < m; ++i) {
          for (int64_t j = 0; j < n; ++j) {
            float sum = 0;
            for (int64_t kk = 0; kk < k; ++kk)
              sum += vx[static_cast<size_t>(i * k + kk)] * vw[static_cast<size_t>(kk * n + j)];
            ASSERT_EQ(out[static_cast<size_t>(i * n + j)], std::max(sum, 2.0f)) << m << " " << n << " " << k;
          }
        }
      }
    }
  }
}

// A row kept in a local between three passes over it: the shape of softmax.
TEST_P(LoopsTest, RowInALocal) {
  for (int64_t n : {1, 3, 16, 33, 100, 2000}) {
    KernelBuilder b("row");
    const BufferId x = b.input(DType::kF32, 4 * n), y = b.output(DType::kF32, 4 * n);
    b.parallel(4, [&](Index i) {
      const BufferId row = b.local(DType::kF32, n);
      b.map_lanes(
          n,
          [&](Index j) {
            b.store(row, j, b.let("mul", {b.load(x, i * n + j), b.literal(2.0f)}));
          },
          2);
      const ScalarId top =
          b.reduce(n, LoopStyle::kLanes, b.literal(-1e30f), "max", [&](Index j) { return b.load(row, j); });
      b.map_lanes(
          n,
          [&](Index j) {
            b.store(row, j, b.let("sub", {top, b.load(row, j)}));
          },
          2);  // in place
      b.map_lanes(n, [&](Index j) { b.store(y, i * n + j, b.load(row, Index(n - 1) - j)); });
    });
    std::vector<float> in = numbers(4 * n), out(in.size());
    run(b.finish(), GetParam(), Arguments().add(in).add(out));
    for (int64_t i = 0; i < 4; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        const auto at = static_cast<size_t>(i * n + j), back = static_cast<size_t>(i * n + n - 1 - j);
        ASSERT_EQ(out[at], 2 * in[static_cast<size_t>(i * n + n - 1)] - 2 * in[back]);
      }
    }
  }
}

std::string assembly_of(const Kernel& kernel, const Target& target) {
  CodeOptions options;
  options.keep_text = true;
  const Kernel scheduled = with_code_chosen(kernel, target);
  const Kernel* pointer = &scheduled;
  return codegen::compile({&pointer, 1}, target, options)[0].assembly;
}

// The assembly of sums of `rows` rows by two vectors over three steps, for this machine.
std::string assembly_of_tile(int64_t rows) {
  const Target target = codegen::detect_target();
  const int64_t lanes = 2 * target.lanes(DType::kF32), k = 3;
  KernelBuilder b("tile");
  const BufferId x = b.input(DType::kF32, rows * k), w = b.input(DType::kF32, k * lanes),
                 y = b.output(DType::kF32, rows * lanes);
  b.loop(LoopKind::kParallel, LoopStyle::kSerial, 1, [&](Index) {
    b.tile(rows, [&](Index i) {
      b.map_lanes(
          lanes,
          [&](Index j) {
            b.store(y, i * lanes + j, b.reduce(k, LoopStyle::kSerial, b.literal(0.0f), "add", [&](Index kk) {
              return b.let("mul", {b.load(x, i * k + kk), b.load(w, kk * lanes + j)});
            }));
          },
          2);
    });
  });
  return assembly_of(b.finish(), target);
}

// y = x * w + d for an f64 of each array.
void scaled_sum(KernelBuilder& b, BufferId x, BufferId w, BufferId d, BufferId y, const Index& at) {
  const ScalarId product = b.let("mul", {b.load(x, at), b.load(w, at)});
  b.store(y, at, b.let("add", {b.load(d, at), product}));
}

// Code must not depend on what the same thread compiled before. What is very long is compiled with less
// effort.
TEST(CodegenTest, CodeBehindALongKernelIsAsItWasBefore) {
  const Target target = codegen::detect_target();
  const auto short_kernel = [&] {
    KernelBuilder b("short");
    const BufferId x = b.input(DType::kF64, 16), w = b.input(DType::kF64, 16), d = b.input(DType::kF64, 16),
                   y = b.output(DType::kF64, 16);
    b.parallel_lanes(
        16, [&](Index i) { scaled_sum(b, x, w, d, y, i); }, 2);
    return assembly_of(b.finish(), target);
  };
  const std::string before = short_kernel();
  constexpr int64_t kLong = 5000;
  KernelBuilder b("long");
  const BufferId x = b.input(DType::kF64, kLong), w = b.input(DType::kF64, kLong),
                 d = b.input(DType::kF64, kLong), y = b.output(DType::kF64, kLong);
  b.loop(LoopKind::kParallel, LoopStyle::kSerial, 1, [&](Index) {
    for (int64_t i = 0; i < kLong; ++i) scaled_sum(b, x, w, d, y, Index(i));
  });
  EXPECT_FALSE(assembly_of(b.finish(), target).empty());
  EXPECT_EQ(short_kernel(), before);
}

bool has_line(const std::string& text, std::initializer_list<const char*> parts) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (std::all_of(parts.begin(), parts.end(),
                    [&](const char* part) { return line.find(part) != line.npos; }))
      return true;
  }
  return false;
}

// A vector in the stack that crosses a line of the cache halves the speed of a tile, and whether it does
// would be up to the caller's stack.
TEST(CodegenTest, SpilledVectorsAreAligned) {
  const Target target = codegen::detect_target();
  const std::string assembly = assembly_of_tile(target.vector_registers);
  if (!has_line(assembly, {"vmov", "mm", "(%rsp)"})) GTEST_SKIP() << "no vectors of x86 on the stack";
  EXPECT_FALSE(has_line(assembly, {"vmovup", "(%rsp)"})) << assembly;
}

// What is written leaves past the caches if the last one does not hold it beside what is read.
TEST(CodegenTest, WhatTheLastCacheDoesNotHoldIsStreamed) {
  Target target = codegen::detect_target();
  KernelBuilder b("negative");
  const BufferId x = b.input(DType::kF32, 1024), y = b.output(DType::kF32, 1024);
  b.map_lanes(1024, [&](Index i) { b.store(y, i, b.let("neg", {b.load(x, i)})); });
  Kernel kernel = b.finish();
  kernel.bytes_read = 4096;
  target.l3_bytes = 8191;
  if (!has_line(assembly_of(kernel, target), {"vmov"})) GTEST_SKIP() << "no vectors of x86";
  EXPECT_TRUE(has_line(assembly_of(kernel, target), {"vmovnt"}));
  target.l3_bytes = 8192;
  EXPECT_FALSE(has_line(assembly_of(kernel, target), {"vmovnt"}));
}

TEST(CodegenTest, TilesLeaveRegistersToTheirSteps) {
  const Target target = codegen::detect_target();
  const std::string assembly = assembly_of_tile((target.vector_registers - 6) / 2);
  EXPECT_FALSE(has_line(assembly, {"vmov", "mm", "(%rsp)"})) << assembly;
}

// A scan that ends with a single pred takes a step only where that is true: what depends on it in the step is
// decided where code is written.
TEST(CodegenTest, AStepKnowsThatItRuns) {
  const auto choices = [](bool ends) {
    KernelBuilder b("roots");
    const BufferId x = b.input(DType::kF32, 1), y = b.output(DType::kF32, 1);
    b.loop(LoopKind::kParallel, LoopStyle::kSerial, 1, [&](Index) {
      const ScalarId start = b.load(x, 0), limit = b.literal(2.0f);
      const ScalarId more =
          b.let_as(DType::kPred, "compare", {start, limit}, {{"direction", std::string("gt")}});
      const std::vector<ScalarId> last = b.scan(100, {more, start}, [&](Index, std::vector<ScalarId> now) {
        const ScalarId root = b.let("sqrt", {now[1]});
        const ScalarId next = b.let_as(DType::kF32, "select", {now[0], root, now[1]});
        return std::vector<ScalarId>{
            b.let_as(DType::kPred, "compare", {next, limit}, {{"direction", std::string("gt")}}), next};
      });
      b.store(y, 0, last[1]);
    });
    Kernel kernel = b.finish();
    for_each_stmt(kernel.body, [&](kernel::Stmt& stmt) {
      auto* loop = std::get_if<kernel::Loop>(&stmt.node);
      if (ends && loop != nullptr && loop->kind == LoopKind::kScan) loop->running = {0};
    });
    const Target target = codegen::detect_target();
    std::vector<float> in = {1e6f}, out = {0};
    run(kernel, target, Arguments().add(in).add(out));
    float expected = in[0];
    while (expected > 2) expected = std::sqrt(expected);
    EXPECT_EQ(out[0], expected);
    const std::string text = compile_one(kernel, target, {.keep_text = true}).llvm_ir;
    EXPECT_NE(text.find("sqrt"), std::string::npos) << text;
    return text.find("select") != std::string::npos;
  };
  EXPECT_FALSE(choices(true));
  EXPECT_TRUE(choices(false)) << "steps that do nothing have to choose";
}

// What decides that there is a next step is no choice that the next step waits for.
TEST(CodegenTest, AStepKnowsWhyTheOneBeforeWentOn) {
  const auto uses_of_choice = [](bool decides) {
    KernelBuilder b("halves");
    const BufferId x = b.input(DType::kF32, 1), y = b.output(DType::kF32, 1);
    b.loop(LoopKind::kParallel, LoopStyle::kSerial, 1, [&](Index) {
      const ScalarId start = b.load(x, 0), limit = b.literal(2.0f), half = b.literal(0.5f);
      const auto greater = [&](ScalarId value, ScalarId than) {
        return b.let_as(DType::kPred, "compare", {value, than}, {{"direction", std::string("gt")}});
      };
      const ScalarId more = greater(start, limit);
      const std::vector<ScalarId> last = b.scan(100, {more, start}, [&](Index, std::vector<ScalarId> now) {
        const ScalarId next = b.let("mul", {now[1], half});
        const ScalarId ends = greater(limit, next);
        const ScalarId kept = b.let_as(DType::kF32, "select", {ends, now[1], next});
        const ScalarId goes_on = b.let_as(DType::kPred, "not", {ends});
        const ScalarId other = greater(next, half);
        return std::vector<ScalarId>{
            b.let_as(DType::kPred, "and",
                     {now[0], b.let_as(DType::kPred, "and", {decides ? goes_on : other, other})}),
            kept};
      });
      b.store(y, 0, last[1]);
    });
    Kernel kernel = b.finish();
    for_each_stmt(kernel.body, [&](kernel::Stmt& stmt) {
      auto* loop = std::get_if<kernel::Loop>(&stmt.node);
      if (loop != nullptr && loop->kind == LoopKind::kScan) loop->running = {0};
    });
    const Target target = codegen::detect_target();
    std::vector<float> in = {1e6f}, out = {0};
    run(kernel, target, Arguments().add(in).add(out));
    float expected = in[0];
    while (expected / 2 >= 2) expected /= 2;
    EXPECT_EQ(out[0], expected);
    const std::string text = compile_one(kernel, target, {.keep_text = true}).llvm_ir;
    const size_t choice = text.find(" = select");
    if (choice == std::string::npos) return 0;
    const size_t line = text.rfind('%', choice);
    const std::string name = text.substr(line, choice - line);
    int uses = -1;
    for (size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += name.size())
      uses += std::isdigit(text[at + name.size()]) == 0 ? 1 : 0;
    return uses;
  };
  EXPECT_EQ(uses_of_choice(true), 1) << "the result behind the loop";
  EXPECT_EQ(uses_of_choice(false), 2);
}

// Broadcasts in registers take instructions, and vdpbf16ps waits for those that are made for floats.
TEST(CodegenTest, PairsOfBf16AreBroadcastByTheirProducts) {
  const Target target = codegen::detect_target();
  if (!target.bf16_products) GTEST_SKIP() << "this machine does not multiply pairs of bf16";
  const int64_t lanes = target.lanes(DType::kF32), rows = 4, k = 8;
  KernelBuilder b("dot");
  const BufferId x = b.input(DType::kBF16, rows * k), w = b.input(DType::kBF16, k * lanes),
                 y = b.output(DType::kF32, rows * lanes);
  b.loop(LoopKind::kParallel, LoopStyle::kSerial, 1, [&](Index) {
    b.tile(rows, [&](Index i) {
      b.map_lanes(lanes, [&](Index j) {
        b.store(y, i * lanes + j, b.reduce(k, LoopStyle::kSerial, b.literal(0.0f), "add", [&](Index kk) {
          return b.let(
              "mul",
              {b.let_as(DType::kF32, "convert", {b.load(x, i * k + kk)}, {{"dtype", DType::kF32}}),
               b.let_as(DType::kF32, "convert", {b.load(w, kk * lanes + j)}, {{"dtype", DType::kF32}})});
        }));
      });
    });
  });
  const std::string assembly = assembly_of(b.finish(), target);
  EXPECT_TRUE(has_line(assembly, {"vdpbf16ps", "{1to16}"})) << assembly;
}

}  // namespace
}  // namespace ingot
