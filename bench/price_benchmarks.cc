// price_benchmarks: the table of prices (src/kernel/cost/table.def) beside what this machine takes for the
// same.
//
//   price_benchmarks            a table: name, table, this machine, unit, what
//   price_benchmarks --json     the same as JSON
//
// Each probe is a loop of some µs, the fastest of many rounds by its thread's own time, on vectors as long as
// this machine has. A price in instructions is a time in those of a vector instruction of a plain kernel
// (probe `instruction`). Rows without a probe say which lines of the bench they were chosen at. Nothing is
// written back: the table is that of a common machine.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/options.h"
#include "kernel/cost/table.h"
#include "runtime/thread_pool.h"

namespace {

using Clock = std::chrono::steady_clock;

#if defined(__AVX512F__)
constexpr int kBytes = 64;
#elif defined(__AVX__)
constexpr int kBytes = 32;
#else
constexpr int kBytes = 16;
#endif
constexpr int kLanes = kBytes / 4;
using Vector = float __attribute__((vector_size(kBytes)));
using Unaligned = float __attribute__((vector_size(kBytes), aligned(4)));
using Places = int32_t __attribute__((vector_size(kBytes)));

// The compiler takes the value to be used, and to be another one from here on.
template <class T>
void touch(T& value) {
  asm volatile("" : "+m"(value) : : "memory");
}
void touch_memory() {
  asm volatile("" : : : "memory");
}

// Time of this thread alone: others may work on the machine.
double thread_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// ns of one call of `run`, which does its work `count` times: the fastest of rounds that are long beside a
// question for the time, 0.1 s together.
template <class Run>
double ns_of(double count, Run&& run) {
  double best = 1e30;
  int calls = 1;
  const double end = thread_ns() + 1e8;
  for (double start = thread_ns(); start < end;) {
    for (int i = 0; i < calls; ++i) run();
    const double now = thread_ns(), round = now - start;
    start = now;
    if (round < 50e3)
      calls *= 2;
    else
      best = std::min(best, round / calls);
  }
  return best / count;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

Vector load(const float* from) {
  return *reinterpret_cast<const Unaligned*>(from);
}

// Memory of so many floats that begins at a page.
struct Floats {
  explicit Floats(size_t count)
      : data(static_cast<float*>(std::aligned_alloc(4096, (count * 4 + 4095) / 4096 * 4096))) {
    std::fill_n(data, count, 1.0f);
  }
  Floats(const Floats&) = delete;
  ~Floats() { std::free(data); }
  float* data;
};

constexpr int64_t kNear = 4096;  // floats that the first level holds

// ns of a vector that `read(i)` gives for i = 0, kLanes, ...: four sums take them.
template <class Read>
double ns_per_vector(int64_t floats, Read&& read) {
  Vector sums[4] = {};
  const double ns = ns_of(static_cast<double>(floats / kLanes), [&] {
    Vector a = sums[0], b = sums[1], c = sums[2], d = sums[3];
    for (int64_t i = 0; i < floats; i += 4 * kLanes) {
      a += read(i), b += read(i + kLanes), c += read(i + 2 * kLanes), d += read(i + 3 * kLanes);
    }
    sums[0] = a, sums[1] = b, sums[2] = c, sums[3] = d;
    touch(sums);
  });
  return ns;
}

double plain_vector() {
  static const Floats memory(kNear + 64);
  return ns_per_vector(kNear, [&](int64_t i) { return load(memory.data + i); });
}

// y = a x + y in the first level: two loads, arithmetic and a store.
double instruction() {
  static const Floats x(kNear), y(kNear);
  return ns_of(4.0 * kNear / kLanes, [&] {
    Vector a = Vector{} + 0.5f;
    touch(a);
    for (int64_t i = 0; i < kNear; i += kLanes)
      *reinterpret_cast<Unaligned*>(y.data + i) = load(y.data + i) * a + load(x.data + i);
    touch_memory();
  });
}

double stray_lane() {
  static const Floats memory(kNear * 3 + 64);
  const double ns = ns_per_vector(kNear, [&](int64_t i) {
    Vector vector;
    for (int lane = 0; lane < kLanes; ++lane) {
      float element = memory.data[(i + lane) * 3];
      asm("" : "+x"(element));  // by itself: no gather
      vector[lane] = element;
    }
    return vector;
  });
  return ns / kLanes;
}

double reversed_vector() {
  static const Floats memory(kNear + 64);
  Places back;
  for (int lane = 0; lane < kLanes; ++lane) back[lane] = kLanes - 1 - lane;
  return ns_per_vector(
      kNear, [&](int64_t i) { return __builtin_shuffle(load(memory.data + (kNear - i - kLanes)), back); });
}

double across_lines() {
  static const Floats memory(kNear + 64);
  return ns_per_vector(kNear, [&](int64_t i) { return load(memory.data + i + 1); }) - plain_vector();
}

// A block of as many rows as a vector has lanes: in log2 rounds, each of which takes pairs of vectors apart.
double transposed_vector() {
  constexpr int64_t kRows = kNear / kLanes;
  static const Floats memory(kNear + 64);
  Places low, high;
  for (int lane = 0; lane < kLanes; ++lane) {
    low[lane] = lane / 2 + (lane % 2) * kLanes;
    high[lane] = low[lane] + kLanes / 2;
  }
  Vector sums[kLanes] = {};
  return ns_of(kRows, [&] {
    for (int64_t row = 0; row < kRows; row += kLanes) {
      Vector block[kLanes], next[kLanes];
      for (int i = 0; i < kLanes; ++i) block[i] = load(memory.data + (row + i) * kLanes);
      for (int width = 1; width < kLanes; width *= 2) {
        for (int i = 0; i < kLanes / 2; ++i) {
          next[2 * i] = __builtin_shuffle(block[i], block[i + kLanes / 2], low);
          next[2 * i + 1] = __builtin_shuffle(block[i], block[i + kLanes / 2], high);
        }
        std::copy(next, next + kLanes, block);
      }
      for (int i = 0; i < kLanes; ++i) sums[i] += block[i];
    }
    touch(sums);
  });
}

// By a number, to sums that fill as many registers as a tile does.
double multiplication() {
  constexpr int kSums = 12, kSteps = 1024;
  Vector sums[kSums] = {};
  return ns_of(kSums * kSteps, [&] {
    Vector own[kSums], x = Vector{} + 1.5f, y = Vector{} + 0.5f;
    std::copy(sums, sums + kSums, own);
    for (int i = 0; i < kSteps; ++i) {
      touch(x);
      for (Vector& sum : own) sum += x * y;
    }
    std::copy(own, own + kSums, sums);
    touch(sums);
  });
}

double loop_step() {
  return ns_of(4096, [] {
    for (int i = 0; i < 4096; ++i) asm volatile("" : "+r"(i));
  });
}

double sum_latency() {
  Vector sum = {};
  return ns_of(4096, [&] {
    Vector own = sum, one = Vector{} + 1.0f;
    touch(one);
    for (int i = 0; i < 4096; ++i) own = own * one + one;
    sum = own;
    touch(sum);
  });
}

double join_lanes() {
  static const Floats memory(kNear + 64);
  std::vector<Places> others;
  for (int half = kLanes / 2; half > 0; half /= 2) {
    Places other;
    for (int lane = 0; lane < kLanes; ++lane) other[lane] = lane ^ half;
    others.push_back(other);
  }
  float total = 0;
  return ns_of(static_cast<double>(kNear) / kLanes, [&] {
    float sum = 0;
    for (int64_t at = 0; at < kNear; at += kLanes) {
      Vector v = load(memory.data + at);
      for (const Places& other : others) v += __builtin_shuffle(v, other);
      sum += v[0];
    }
    total += sum;
    touch(total);
  });
}

constexpr double kVectorsOfLine = static_cast<double>(ingot::prices::kLineBytes) / kBytes;

// The median time of `run(first)` over pieces of 4 MiB of arrays that no cache holds, each seen once.
constexpr int64_t kFar = int64_t{1} << 27, kPieceOfFar = int64_t{1} << 20;  // floats
template <class Run>
double ns_of_far(Run&& run) {
  std::vector<double> times;
  for (int64_t first = 0; first < kFar; first += kPieceOfFar) {
    const double start = thread_ns();
    run(first);
    times.push_back(thread_ns() - start);
  }
  return median(std::move(times));
}
const Floats& far_memory() {
  static const Floats memory(kFar);
  return memory;
}

double line_from_memory() {
  const float* from = far_memory().data;
  Vector sum = {};
  const double ns = ns_of_far([&](int64_t first) {
    Vector a = {}, b = {};
    for (int64_t i = first; i < first + kPieceOfFar; i += 2 * kLanes)
      a += load(from + i), b += load(from + i + kLanes);
    sum += a + b;
    touch(sum);
  });
  return (ns / (kPieceOfFar / kLanes) - plain_vector()) * kVectorsOfLine;
}
double line_from_near() {
  constexpr int64_t kFloats = ingot::prices::kSmallCache / 4 * 2;
  static const Floats memory(kFloats);
  const double ns = ns_per_vector(kFloats, [&](int64_t i) { return load(memory.data + i); });
  return (ns - plain_vector()) * kVectorsOfLine;
}

double byte() {
  const float* from = far_memory().data;
  static const Floats to(kFar);
  const double ns = ns_of_far([&](int64_t first) {
    for (int64_t i = first; i < first + kPieceOfFar; i += kLanes)
      *reinterpret_cast<Unaligned*>(to.data + i) = load(from + i) + 1.0f;
    touch_memory();
  });
  return ns / (8.0 * kPieceOfFar);
}

double piece() {
  constexpr int64_t kPieces = 4096, kApart = 256;
  static const Floats from(kPieces * kApart / 4), to(kPieces * 16);
  return ns_of(kPieces, [&] {
    for (int64_t i = 0; i < kPieces; ++i) std::memcpy(to.data + i * 16, from.data + i * kApart / 4, 64);
    touch_memory();
  });
}

// Ranges of some µs, one for each thread, one job after another: what a job takes beside its ranges.
double meet() {
  constexpr std::chrono::microseconds kWork(5);
  const int64_t threads = ingot::num_threads();
  std::vector<double> times;
  for (int i = 0; i < 400; ++i) {
    const auto start = Clock::now();
    ingot::runtime::parallel_for(threads, 1, [&](int64_t begin, int64_t end) {
      for (const auto until = Clock::now() + kWork * (end - begin); Clock::now() < until;) {
      }
    });
    times.push_back(std::chrono::duration<double, std::nano>(Clock::now() - start - kWork).count());
  }
  return median(std::move(times));
}

// An empty job that finds the others asleep.
double wake() {
  const int64_t threads = ingot::num_threads();
  std::vector<double> times;
  for (int i = 0; i < 50; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const auto start = Clock::now();
    ingot::runtime::parallel_for(threads, 1, [](int64_t, int64_t) {});
    times.push_back(std::chrono::duration<double, std::nano>(Clock::now() - start).count());
  }
  return median(std::move(times));
}

const std::map<std::string_view, std::function<double()>> kProbes = {
    {"stray_lane", stray_lane},
    {"reversed_vector", reversed_vector},
    {"transposed_vector", transposed_vector},
    {"across_lines", across_lines},
    {"loop_step", loop_step},
    {"multiplication", multiplication},
    {"sum_latency", sum_latency},
    {"join_lanes", join_lanes},
    {"line_from_memory", line_from_memory},
    {"line_from_near", line_from_near},
    {"instruction", instruction},
    {"byte", byte},
    {"piece", piece},
    {"meet", meet},
    {"wake", wake},
};

// The probe that a row names, or nothing.
std::string_view probe_of(const ingot::prices::Row& row) {
  constexpr std::string_view kWord = "probe: ";
  if (!row.measured.starts_with(kWord)) return {};
  return row.measured.substr(kWord.size(), row.measured.find(';') - kWord.size());
}

int run(bool json) {
  const double unit = instruction();
  bool well = true, first = true;
  if (json)
    std::printf("{\"vector_bytes\": %d, \"prices\": [", kBytes);
  else
    std::printf("%-18s %10s %12s  %-20s %s\n", "name", "table", "this machine", "unit", "what");
  for (const ingot::prices::Row& row : ingot::prices::kTable) {
    const std::string_view probe = probe_of(row);
    std::optional<double> measured;
    if (!probe.empty()) {
      const auto found = kProbes.find(probe);
      if (found == kProbes.end()) {
        std::fprintf(stderr, "price_benchmarks: no probe \"%s\" for %s\n", std::string(probe).c_str(),
                     row.name.data());
        well = false;
        continue;
      }
      measured = found->second() / (row.unit.starts_with("instructions") ? unit : 1);
    }
    if (json) {
      std::printf("%s\n  {\"name\": \"%s\", \"table\": %g, \"machine\": ", first ? "" : ",", row.name.data(),
                  row.value);
      measured ? std::printf("%.4g", *measured) : std::printf("null");
      std::printf(", \"unit\": \"%s\", \"what\": \"%s\", \"measured\": \"%s\"}", row.unit.data(),
                  row.what.data(), row.measured.data());
    } else {
      char text[32] = "-";
      if (measured) std::snprintf(text, sizeof text, "%.3g", *measured);
      std::printf("%-18s %10.10g %12s  %-20s %s%s%s%s\n", row.name.data(), row.value, text, row.unit.data(),
                  row.what.data(), probe.empty() ? " (" : "", probe.empty() ? row.measured.data() : "",
                  probe.empty() ? ")" : "");
    }
    first = false;
    std::fflush(stdout);
  }
  if (json) std::printf("\n]}\n");
  return well ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const bool json = argc == 2 && std::string_view(argv[1]) == "--json";
  if (argc > 2 || (argc == 2 && !json)) {
    std::fprintf(stderr, "usage: price_benchmarks [--json]\n");
    return 2;
  }
  return run(json);
}
