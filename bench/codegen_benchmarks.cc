// Kernels built by hand, to tune the code generator: codegen_benchmarks [NAME] [--asm] [--ir] [--threads N].
// Prints the best time of many runs, bandwidth or arithmetic rate, and the time to compile.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <thread>

#include "testing/kernel_builder.h"
#include "testing/run_kernel.h"

namespace {

using namespace ingot;
using namespace ingot::testing;

Kernel stream(int64_t n, int vectors) {
  KernelBuilder b("stream");
  const BufferId x = b.input(DType::kF32, n), y = b.input(DType::kF32, n), z = b.output(DType::kF32, n);
  b.loop(
      LoopKind::kParallel, LoopStyle::kSerial, n,
      [&](Index i) {
        b.map_lanes(
            4096,
            [&](Index j) {
              const ScalarId product = b.let("mul", {b.load(x, i + j), b.load(y, i + j)});
              b.store(z, i + j, b.let("add", {product, b.literal(0.5f)}));
            },
            vectors);
      },
      4096);
  return b.finish();
}

template <class T>
Kernel tdma(int64_t systems, int64_t n, int vectors) {
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
  return b.finish();
}

Kernel softmax(int64_t rows, int64_t n, int vectors) {
  KernelBuilder b("softmax");
  const BufferId x = b.input(DType::kF32, rows * n), y = b.output(DType::kF32, rows * n);
  b.parallel(rows, [&](Index i) {
    const BufferId row = b.local(DType::kF32, n);
    const ScalarId top = b.reduce(
        n, LoopStyle::kLanes, b.literal(-std::numeric_limits<float>::infinity()), "max",
        [&](Index j) { return b.load(x, i * n + j); }, vectors);
    const ScalarId sum = b.reduce(
        n, LoopStyle::kLanes, b.literal(0.0f), "add",
        [&](Index j) {
          const ScalarId e = b.let("exp", {b.let("sub", {b.load(x, i * n + j), top})});
          b.store(row, j, e);
          return e;
        },
        vectors);
    const ScalarId scale = b.let("div", {b.literal(1.0f), sum});
    b.map_lanes(
        n,
        [&](Index j) {
          b.store(y, i * n + j, b.let("mul", {b.load(row, j), scale}));
        },
        vectors);
  });
  return b.finish();
}

// A panel of w packed into a local, rows in register tiles.
Kernel contraction(int64_t m, int64_t n, int64_t k, int64_t rows, int64_t panel, int vectors) {
  KernelBuilder b("contraction");
  const BufferId x = b.input(DType::kF32, m * k), w = b.input(DType::kF32, k * n),
                 y = b.output(DType::kF32, m * n);
  const int64_t chunk = 256 / rows * rows;
  b.loop(
      LoopKind::kParallel, LoopStyle::kSerial, n,
      [&](Index j) {
        b.loop(
            LoopKind::kParallel, LoopStyle::kSerial, m,
            [&](Index i) {
              const BufferId packed = b.local(DType::kF32, k * panel);
              b.map(k, [&](Index kk) {
                b.map_lanes(
                    panel, [&](Index jj) { b.store(packed, kk * panel + jj, b.load(w, kk * n + j + jj)); },
                    vectors);
              });
              b.loop(
                  LoopKind::kMap, LoopStyle::kSerial, chunk,
                  [&](Index ib) {
                    b.tile(rows, [&](Index ii) {
                      b.map_lanes(
                          panel,
                          [&](Index jj) {
                            const ScalarId dot =
                                b.reduce(k, LoopStyle::kSerial, b.literal(0.0f), "add", [&](Index kk) {
                                  return b.let("mul", {b.load(x, (i + ib + ii) * k + kk),
                                                       b.load(packed, kk * panel + jj)});
                                });
                            b.store(y, (i + ib + ii) * n + j + jj, dot);
                          },
                          vectors);
                    });
                  },
                  rows);
            },
            chunk);
      },
      panel);
  return b.finish();
}

Kernel row_sums(int64_t rows, int64_t n, int vectors) {
  KernelBuilder b("row_sums");
  const BufferId x = b.input(DType::kF32, rows * n), y = b.output(DType::kF32, rows);
  b.parallel(rows, [&](Index i) {
    b.store(y, i,
            b.reduce(
                n, LoopStyle::kLanes, b.literal(0.0f), "add", [&](Index j) { return b.load(x, i * n + j); },
                vectors));
  });
  return b.finish();
}

Kernel small(int64_t n) {
  KernelBuilder b("small");
  const BufferId x = b.input(DType::kF32, n), y = b.output(DType::kF32, n);
  b.parallel_lanes(n, [&](Index i) { b.store(y, i, b.let("add", {b.load(x, i), b.literal(1.0f)})); });
  return b.finish();
}

// A chain of sines over a tile, one outlined loop per operation.
Kernel chain(int64_t n, int length) {
  KernelBuilder b("chain");
  const BufferId x = b.input(DType::kF32, n), y = b.output(DType::kF32, n);
  const int64_t tile = 4096;
  b.loop(
      LoopKind::kParallel, LoopStyle::kSerial, n,
      [&](Index i) {
        const BufferId t = b.local(DType::kF32, tile), u = b.local(DType::kF32, tile);
        for (int step = 0; step < length; ++step) {
          const bool first = step == 0, last = step == length - 1, even = step % 2 == 0;
          b.loop(
               LoopKind::kMap, LoopStyle::kLanes, tile,
               [&](Index j) {
                 const ScalarId v = b.load(first ? x : even ? u : t, first ? i + j : j);
                 const ScalarId w = b.let("add", {b.let("mul", {b.let("sin", {v}), b.literal(1.01f)}),
                                                  b.literal(static_cast<float>(step))});
                 b.store(last ? y : even ? t : u, last ? i + j : j, w);
               },
               1, 2)
              .outline = true;
        }
      },
      tile);
  return b.finish();
}

// Of this thread alone, which other work on the machine disturbs less; wall time where there are helpers.
double now_ms(bool thread) {
  timespec time{};
  clock_gettime(thread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

struct Command {
  bool assembly = false, ir = false;
  int threads = 1;
  std::string name;
};

void measure(const std::string& name, const Kernel& kernel, const Command& arguments) {
  if (!arguments.name.empty() && name.rfind(arguments.name, 0) != 0) return;
  CodeOptions options;
  options.keep_text = arguments.assembly || arguments.ir;
  const Target target = codegen::detect_target();
  const double compile_start = now_ms(true);
  const codegen::Code code = compile_one(kernel, target, options);
  const double compile_ms = now_ms(true) - compile_start;
  if (arguments.ir) std::printf("%s\n", code.llvm_ir.c_str());
  if (arguments.assembly) std::printf("%s\n", code.assembly.c_str());
  std::vector<void*> buffers;
  double bytes = 0;
  for (const Buffer& buffer : kernel.buffers) {
    if (buffer.kind == Buffer::Kind::kLocal) continue;
    const size_t size = static_cast<size_t>(buffer.elements) * byte_size(buffer.dtype);
    buffers.push_back(std::aligned_alloc(4096, (size + 8191) / 4096 * 4096));
    const double value = 1 + static_cast<double>(buffers.size() % 3);  // dominant diagonal for tdma
    if (buffer.dtype == DType::kF32)
      std::fill_n(static_cast<float*>(buffers.back()), buffer.elements, value);
    else if (buffer.dtype == DType::kF64)
      std::fill_n(static_cast<double*>(buffers.back()), buffer.elements, value);
    else
      std::memset(buffers.back(), 1, size);
    bytes += static_cast<double>(size);
  }
  std::vector<void*> scratch;
  for (int i = 0; i < arguments.threads; ++i)
    scratch.push_back(std::aligned_alloc(64, code.scratch_bytes + 64 - code.scratch_bytes % 64));
  double best = 1e30, spent = 0;
  for (int run = 0; run < 300 && (spent < 1500 || run < 5); ++run) {
    const double start = now_ms(arguments.threads == 1);
    std::vector<std::thread> helpers;
    for (int i = 0; i < arguments.threads; ++i) {
      auto part = [&, i] {
        code.function(buffers.data(), code.units * i / arguments.threads,
                      code.units * (i + 1) / arguments.threads, scratch[static_cast<size_t>(i)]);
      };
      if (i + 1 < arguments.threads)
        helpers.emplace_back(part);
      else
        part();
    }
    for (std::thread& helper : helpers) helper.join();
    const double ms = now_ms(arguments.threads == 1) - start;
    best = std::min(best, ms);
    spent += ms;
  }
  std::printf("%-24s %9.3f ms %7.1f GB/s", name.c_str(), best, bytes / best / 1e6);
  if (kernel.flops) std::printf(" %7.1f GFLOP/s", static_cast<double>(kernel.flops) / best / 1e6);
  double estimate = 0;
  std::vector<int64_t> ends = code.barriers;
  ends.push_back(code.units);
  for (size_t phase = 0; phase < ends.size(); ++phase)
    estimate +=
        code.unit_cost_ns[phase] * static_cast<double>(ends[phase] - (phase > 0 ? ends[phase - 1] : 0));
  std::printf("   compiled in %.2f ms; estimate %.3f ms\n", compile_ms, estimate / 1e6);
  for (void* buffer : buffers) std::free(buffer);
  for (void* memory : scratch) std::free(memory);
}

}  // namespace

int main(int argc, char** argv) {
  Command arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string text = argv[i];
    if (text == "--asm")
      arguments.assembly = true;
    else if (text == "--ir")
      arguments.ir = true;
    else if (text == "--threads" && i + 1 < argc && std::atoi(argv[i + 1]) > 0)
      arguments.threads = std::atoi(argv[++i]);
    else if (text.starts_with("--")) {
      std::fprintf(stderr, "error: %s: there are --asm, --ir and --threads N\n", text.c_str());
      return 1;
    } else
      arguments.name = text;
  }
  const int64_t lanes = codegen::detect_target().lanes(DType::kF32);
  measure("small", small(1000), arguments);
  measure("stream1", stream(16 << 20, 1), arguments);
  measure("stream4", stream(16 << 20, 4), arguments);
  measure("tdma_f32x1", tdma<float>(100000, 100, 1), arguments);
  measure("tdma_f32x2", tdma<float>(100000, 100, 2), arguments);
  measure("tdma_f64x1", tdma<double>(100000, 100, 1), arguments);
  measure("tdma_f64x2", tdma<double>(100000, 100, 2), arguments);
  measure("tdma_7", tdma<float>(1400000, 7, 1), arguments);
  measure("tdma_10000", tdma<float>(1000, 10000, 1), arguments);
  measure("softmax1", softmax(8192, 1024, 1), arguments);
  measure("softmax2", softmax(8192, 1024, 2), arguments);
  measure("row_sums1", row_sums(4096, 4096, 1), arguments);
  measure("row_sums4", row_sums(4096, 4096, 4), arguments);
  Kernel dot = contraction(4096, 512, 256, lanes == 16 ? 14 : 6, 2 * lanes, 2);
  dot.flops = int64_t{2} * 4096 * 512 * 256;
  measure("contraction", dot, arguments);
  Kernel dot1 = contraction(4096, 512, 256, lanes == 16 ? 12 : 6, lanes == 16 ? 32 : 16, 2);
  dot1.flops = dot.flops;
  measure("contraction12", dot1, arguments);
  measure("chain10", chain(4 << 20, 10), arguments);
  if (arguments.name.rfind("chain", 0) == 0) {
    measure("chain100", chain(4 << 20, 100), arguments);
    measure("chain1000", chain(1 << 20, 1000), arguments);
  }
  return 0;
}
