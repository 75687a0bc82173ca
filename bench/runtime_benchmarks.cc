// What the runtime itself costs: fork and join, buffers, launches. docs/performance.md holds the figures.
// Run on an idle machine; --benchmark_repetitions=9 gives medians.
#include <benchmark/benchmark.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "base/options.h"
#include "ingot/ingot.h"
#include "runtime/buffer_pool.h"
#include "runtime/executable.h"
#include "runtime/launch_log.h"
#include "runtime/thread_pool.h"

namespace ingot::runtime {
namespace {

using Clock = std::chrono::steady_clock;

void nothing(void*, int64_t, int64_t) {}

// An empty job of one chunk per thread, one after another: the workers spin.
void fork_join_hot(benchmark::State& state) {
  int64_t threads = num_threads();
  for (auto _ : state) parallel_for(threads, 1, nothing, nullptr);
}
BENCHMARK(fork_join_hot)->UseRealTime();

// A job of some work per thread, hot: what splitting gains or loses. Argument: microseconds per chunk.
void spin_for(void* context, int64_t begin, int64_t end) {
  auto until = Clock::now() + std::chrono::nanoseconds(*static_cast<int64_t*>(context) * (end - begin));
  while (Clock::now() < until) {
  }
}
void fork_join_with_work(benchmark::State& state) {
  int64_t threads = num_threads();
  int64_t ns = state.range(0) * 1000;
  for (auto _ : state) parallel_for(threads, 1, spin_for, &ns);
}
BENCHMARK(fork_join_with_work)->Arg(1)->Arg(10)->Arg(100)->UseRealTime();

// The same after the workers have gone to sleep. Only the job is timed.
void fork_join_after_sleep(benchmark::State& state) {
  int64_t threads = num_threads();
  int64_t ns = state.range(0) * 1000;
  for (auto _ : state) {
    std::this_thread::sleep_for(std::chrono::microseconds(500));
    auto start = Clock::now();
    parallel_for(threads, 1, spin_for, &ns);
    state.SetIterationTime(std::chrono::duration<double>(Clock::now() - start).count());
  }
}
BENCHMARK(fork_join_after_sleep)->Arg(0)->Arg(100)->Arg(1000)->UseManualTime();

// From the job's start to the first step of a worker that was asleep.
void wake_a_worker(benchmark::State& state) {
  std::thread::id caller = std::this_thread::get_id();
  for (auto _ : state) {
    std::this_thread::sleep_for(std::chrono::microseconds(500));
    std::atomic<int64_t> arrived{0};
    auto start = Clock::now();
    parallel_for(num_threads(), 1, [&](int64_t, int64_t) {
      auto waited = [&] { return (Clock::now() - start).count(); };
      if (std::this_thread::get_id() != caller) {
        arrived.store(waited());
      } else {
        while (arrived.load() == 0 && waited() < 5'000'000) {
        }
      }
    });
    state.SetIterationTime(static_cast<double>(arrived.load()) * 1e-9);
  }
}
BENCHMARK(wake_a_worker)->UseManualTime();

void pool_allocate_free(benchmark::State& state) {
  size_t bytes = static_cast<size_t>(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(BufferPool::global().allocate(bytes)->data());
}
BENCHMARK(pool_allocate_free)->Arg(32)->Arg(4000)->Arg(100'000)->Arg(32 << 20);

void malloc_free(benchmark::State& state) {
  size_t bytes = static_cast<size_t>(state.range(0));
  for (auto _ : state) {
    void* data = std::aligned_alloc(64, bytes / 64 * 64 + 64);
    benchmark::DoNotOptimize(data);
    std::free(data);
  }
}
BENCHMARK(malloc_free)->Arg(32)->Arg(4000);

// Writing 32 MB into a buffer of the pool against memory fresh from the system.
void write_reused(benchmark::State& state) {
  for (auto _ : state) {
    auto buffer = BufferPool::global().allocate(32 << 20);
    std::memset(buffer->data(), 1, 32 << 20);
  }
}
BENCHMARK(write_reused)->Unit(benchmark::kMillisecond);

void write_fresh(benchmark::State& state) {
  for (auto _ : state) {
    void* data = std::aligned_alloc(4096, 32 << 20);
    std::memset(data, 1, 32 << 20);
    benchmark::DoNotOptimize(data);
    std::free(data);
  }
}
BENCHMARK(write_fresh)->Unit(benchmark::kMillisecond);

void write_first_of_pool(benchmark::State& state) {
  for (auto _ : state) {
    auto buffer = BufferPool::global().allocate(32 << 20);
    std::memset(buffer->data(), 1, 32 << 20);
    buffer.reset();
    BufferPool::global().trim();
  }
}
BENCHMARK(write_first_of_pool)->Unit(benchmark::kMillisecond);

std::shared_ptr<CompiledKernel> add_kernel(int64_t n) {
  auto kernel = std::make_shared<CompiledKernel>();
  kernel->name = "add";
  kernel->hash = 1;
  kernel->function = [](void* const* buffers, int64_t begin, int64_t end, void*) {
    const float *a = static_cast<const float*>(buffers[0]), *b = static_cast<const float*>(buffers[1]);
    float* out = static_cast<float*>(buffers[2]);
    for (int64_t i = begin; i < end; ++i) out[i] = a[i] + b[i];
  };
  kernel->units = n;
  kernel->unit_cost_ns = {0.3};
  kernel->parameters = {{DType::kF32, {n}, false}, {DType::kF32, {n}, false}, {DType::kF32, {n}, true}};
  return kernel;
}

struct Arrays {
  explicit Arrays(int64_t n) : a(static_cast<size_t>(n)), b(a), c(a) {}
  std::vector<float> a, b, c;
};

// An add of 8 floats: called directly, launched, and as a program.
void call_function(benchmark::State& state) {
  auto kernel = add_kernel(8);
  Arrays arrays(8);
  void* buffers[] = {arrays.a.data(), arrays.b.data(), arrays.c.data()};
  for (auto _ : state) kernel->function(buffers, 0, 8, nullptr);
}
BENCHMARK(call_function);

void launch_kernel(benchmark::State& state) {
  auto kernel = add_kernel(8);
  Arrays arrays(8);
  void* buffers[] = {arrays.a.data(), arrays.b.data(), arrays.c.data()};
  for (auto _ : state) launch(*kernel, buffers);
}
BENCHMARK(launch_kernel);

void launch_observed(benchmark::State& state) {
  auto kernel = add_kernel(8);
  Arrays arrays(8);
  void* buffers[] = {arrays.a.data(), arrays.b.data(), arrays.c.data()};
  auto observer = observe_launches([](const LaunchRecord& record) { benchmark::DoNotOptimize(&record); });
  for (auto _ : state) launch(*kernel, buffers);
}
BENCHMARK(launch_observed);

BufferInfo vector_of(const char* name, int64_t n) {
  return {name, DType::kF32, {n}, -1};
}

void run_program(benchmark::State& state) {
  Plan plan;
  plan.name = "add";
  plan.kernels = {add_kernel(8)};
  PlanFunction main{"main", {vector_of("a", 8), vector_of("b", 8)}, {vector_of("c", 8)}, 0, {}, {}};
  main.steps.emplace_back(LaunchStep{0, {Location::argument(0), Location::argument(1), Location::result(0)}});
  plan.functions = {main};
  Executable executable(plan);
  Arrays arrays(8);
  const void* arguments[] = {arrays.a.data(), arrays.b.data()};
  void* results[] = {arrays.c.data()};
  for (auto _ : state) executable.run(arguments, results);
}
BENCHMARK(run_program);

// A loop whose body is one such add; items are steps. The result comes from the pool, as a user's would.
void run_loop(benchmark::State& state) {
  constexpr int64_t kSteps = 1000;
  Plan plan;
  plan.name = "loop";
  plan.kernels = {add_kernel(8)};
  PlanFunction body{"body", {vector_of("s", 8), vector_of("x", 8)}, {vector_of("t", 8)}, 0, {}, {}};
  body.steps.emplace_back(LaunchStep{0, {Location::argument(0), Location::argument(1), Location::result(0)}});
  LoopStep loop;
  loop.function = 0;
  loop.trip_count = kSteps;
  loop.carries = {{Location::argument(0), Location::result(0), 32, 0}};
  loop.inputs = {{Location::argument(1), {kSteps, 8}, 0, 4, 0}};
  loop.frame_offset = 64;
  PlanFunction main{"main", {vector_of("s", 8), vector_of("x", 8)}, {vector_of("y", 8)}, 64, {}, {}};
  main.arguments[1].shape = {kSteps, 8};
  main.steps.emplace_back(loop);
  plan.functions = {body, main};
  plan.entry = 1;
  Executable executable(plan);
  Arrays arrays(8 * kSteps);
  const void* arguments[] = {arrays.a.data(), arrays.b.data()};
  for (auto _ : state) {
    auto buffer = BufferPool::global().allocate(32);
    void* results[] = {buffer->data()};
    executable.run(arguments, results);
  }
  state.SetItemsProcessed(state.iterations() * kSteps);
}
BENCHMARK(run_loop);

// A call of a jitted function on 8 floats: of three arrays, of a struct of them, and with such a result.
struct Three {
  Array a, b, c;
};
void call_with_arrays(benchmark::State& state) {
  const auto f = jit([](Array a, Array b, Array c) { return a + b * c; });
  const Array x = Array::ones({8});
  for (auto _ : state) benchmark::DoNotOptimize(f(x, x, x));
}
BENCHMARK(call_with_arrays);

void call_with_a_struct(benchmark::State& state) {
  const auto f = jit([](Three t) { return t.a + t.b * t.c; });
  const Array x = Array::ones({8});
  const Three three{x, x, x};
  for (auto _ : state) benchmark::DoNotOptimize(f(three));
}
BENCHMARK(call_with_a_struct);

void call_for_a_struct(benchmark::State& state) {
  const auto f = jit([](Three t) { return Three{t.b, t.c, t.a + t.b}; });
  const Array x = Array::ones({8});
  Three three{x, x, x};
  for (auto _ : state) benchmark::DoNotOptimize(f(three));
}
BENCHMARK(call_for_a_struct);

// An add large enough to be split, launched again and again and after a pause. Argument: elements.
void launch_large(benchmark::State& state) {
  int64_t n = state.range(0);
  auto kernel = add_kernel(n);
  Arrays arrays(n);
  void* buffers[] = {arrays.a.data(), arrays.b.data(), arrays.c.data()};
  for (auto _ : state) launch(*kernel, buffers);
}
BENCHMARK(launch_large)->Arg(20'000)->Arg(100'000)->Arg(1'000'000)->UseRealTime();

void call_large(benchmark::State& state) {
  int64_t n = state.range(0);
  auto kernel = add_kernel(n);
  Arrays arrays(n);
  void* buffers[] = {arrays.a.data(), arrays.b.data(), arrays.c.data()};
  for (auto _ : state) kernel->function(buffers, 0, n, nullptr);
}
BENCHMARK(call_large)->Arg(20'000)->Arg(100'000)->Arg(1'000'000)->UseRealTime();

}  // namespace
}  // namespace ingot::runtime
