// The four programs, compiled, checked against plain loops and timed. `demo --ir` prints what they are traced
// to, `demo --kernels` names every kernel.
#include <cstring>
#include <iostream>

#include "programs/inner.h"
#include "programs/layer.h"
#include "programs/perm.h"
#include "programs/references.h"
#include "programs/report.h"
#include "programs/tdma.h"

namespace {

using ingot::Array;
using programs::random_array;
using programs::report;
namespace plain = programs::plain;

struct Options {
  bool ir = false, kernels = false;
} options;

template <class F, class... Args>
bool show(const std::string& name, const F& f, const std::vector<double>& expected, double tolerance,
          const Args&... args) {
  const auto jitted = ingot::jit(f, {.name = name});
  if (options.ir) std::cout << jitted.lower(args...).text(false) << "\n";
  const bool right = report(name, f, expected, tolerance, args...);
  if (options.kernels) {
    for (const ingot::KernelInfo& kernel : jitted.kernels(args...)) {
      std::printf(
          "    %-40s %-12s %016llx  %lld B read, %lld B written, %lld flops, %lld units, %lld launch(es)\n",
          kernel.name.c_str(), kernel.kind.c_str(), static_cast<unsigned long long>(kernel.hash),
          static_cast<long long>(kernel.bytes_read), static_cast<long long>(kernel.bytes_written),
          static_cast<long long>(kernel.flops), static_cast<long long>(kernel.units),
          static_cast<long long>(kernel.launches));
    }
  }
  return right;
}

std::vector<double> wide(const Array& x) {
  return x.astype(ingot::DType::kF64).to_vector<double>();
}

bool show_layer() {
  const Array x = random_array({4096, 256}, 1), w = random_array({256, 512}, 2, -0.1, 0.1),
              b = random_array({512}, 3);
  return show("layer", programs::layer, plain::layer(wide(x), wide(w), wide(b), 64), 1e-5, x, w, b);
}

template <class T>
bool show_tdma(const std::string& name, double tolerance) {
  const int64_t systems = 100000, length = 100;
  const ingot::Shape shape{systems, length};
  const Array a = random_array<T>(shape, 1, 0.1, 1), b = random_array<T>(shape, 2, 3, 4),
              c = random_array<T>(shape, 3, 0.1, 1), d = random_array<T>(shape, 4, 0.1, 1);
  const auto expected = plain::tdma(wide(a), wide(b), wide(c), wide(d), 1000, static_cast<size_t>(length));
  bool right = show(name, programs::tdma, expected, tolerance, a, b, c, d);
  right &= show(name + " transposed", programs::tdma_transposed, expected, tolerance, a, b, c, d);
  return right;
}

bool show_perm() {
  const char* columns[] = {"shift", "mix", "rotate"};
  const char* ways[] = {"gather", "take", "slices"};
  bool right = true;
  for (const int64_t batch : {int64_t{0}, int64_t{100000}}) {
    const Array x = random_array<int32_t>(batch == 0 ? ingot::Shape{4, 4} : ingot::Shape{batch, 4, 4}, 7);
    for (int column = 0; column < 3; ++column) {
      const auto expected = plain::widen(plain::perm(x.to_vector<int32_t>(), column));
      for (int way = 0; way < 3; ++way) {
        const auto f = [=](Array m) {
          return programs::perm(m, static_cast<programs::Columns>(column),
                                static_cast<programs::Permute>(way));
        };
        const std::string name =
            std::string("perm ") + columns[column] + " " + ways[way] + (batch > 0 ? " batch" : "");
        right &= show(name, f, expected, 0, x);
      }
    }
  }
  return right;
}

bool show_inner() {
  const Array x = random_array({64, 64}, 1), w = random_array({64, 64}, 2, -0.2, 0.2);
  bool right = true;
  for (const int calls : {1, 10, 50, 100}) {
    // The rounds amplify rounding; only the first calls leave digits to compare.
    const auto expected = calls > 10 ? std::vector<double>() : plain::inner(wide(x), wide(w), 64, 4 * calls);
    const auto f = [calls](Array a, Array m) { return programs::blocks(a, m, calls); };
    right &= show("inner, " + std::to_string(calls) + " calls", f, expected, 1e-3, x, w);
  }
  return right;
}

}  // namespace

int main(int count, char** arguments) {
  for (int i = 1; i < count; ++i) {
    options.ir |= std::strcmp(arguments[i], "--ir") == 0;
    options.kernels |= std::strcmp(arguments[i], "--kernels") == 0;
  }
  try {
    std::printf("Ingot %s on %lld thread(s)\n\n", ingot::version(),
                static_cast<long long>(ingot::num_threads()));
    programs::print_heading();
    bool right = show_layer();
    right &= show_tdma<float>("tdma f32", 1e-4);
    right &= show_tdma<double>("tdma f64", 1e-12);
    right &= show_perm();
    right &= show_inner();
    std::printf("\n%s\n", right ? "All values agree with the plain loops." : "SOME VALUES ARE WRONG.");
    return right ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
