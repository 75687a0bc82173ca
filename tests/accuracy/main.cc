// ingot_accuracy: how far the functions of analysis are from their exact values, in units of the last place.
//
//   ingot_accuracy                         f32: all 2^32 floats; f64 and functions of two numbers: samples
//   ingot_accuracy --stride 1009           each 1009th float only
//   ingot_accuracy --only exp,tanh         some functions
//   ingot_accuracy --threads 2 --samples 200000
//   ingot_accuracy --markdown FILE ...     writes docs/accuracy.md as well
//
// Ends with 1 where a function misses its bound. All floats take some minutes a function.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "accuracy/sweep.h"
#include "base/options.h"
#include "ingot/error.h"
#include "testing/numbers.h"

namespace ingot::accuracy {
namespace {

struct Arguments {
  int threads = static_cast<int>(std::thread::hardware_concurrency());
  uint64_t stride = 1;
  int64_t samples = 200000;
  std::set<std::string> only;
  std::string markdown;
};

struct Line {
  const Function* function;
  Result single, twice;
};

std::string number(double value, const char* format) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string at_of(const Function& function, const Worst& worst, const char* format) {
  return number(worst.x, format) + (function.operands == 2 ? ", " + number(worst.second, format) : "");
}

Result swept(const Function& function, const Arguments& arguments) {
  auto told = std::chrono::steady_clock::now();
  Result result = sweep(function, arguments.threads, arguments.stride, [&](double share, const Worst& worst) {
    const auto now = std::chrono::steady_clock::now();
    if (now - told < std::chrono::seconds(5)) return;
    told = now;
    std::fprintf(stderr, "%-10s %3.0f %%, at most %.4f ulp, at %.9g\n", function.name, 100 * share,
                 worst.ulps, worst.x);
  });
  if (result.reference_error > 1e-4)
    throw Error(std::string(function.name) + ": the reference in double is " +
                number(result.reference_error, "%g") + " ulp off");
  return result;
}

std::string times_of(const Function& function, const Arguments& arguments) {
  if (function.operands == 2) return std::to_string(arguments.samples) + " pairs";
  return arguments.stride == 1 ? "all" : "every " + std::to_string(arguments.stride) + "th";
}

std::string table(const std::vector<Line>& lines, const Arguments& arguments) {
  std::ostringstream out;
  out << "# Accuracy of functions\n\n"
         "Made by `build/bin/ingot_accuracy --markdown docs/accuracy.md`, with kernels of the machine's "
         "widest vectors. Errors are\n"
         "in units of the last place of the right result, which is MPFR's. *Floats* says how many of the "
         "2^32 were looked at; of\n"
         "f64 it is a sample, half of it random bits. *Exact* is the share of results that are the right "
         "ones, rounded.\n"
         "Where results below the normal numbers are zero, these are not counted. A test holds the bounds by "
         "a sample.\n\n"
         "| | f32: bound | worst | at | exact | floats | f64: bound | worst | at | exact | below the normal "
         "numbers |\n"
         "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const auto& [function, single, twice] : lines) {
    const auto share = [](const Result& r) {
      return number(100.0 * static_cast<double>(r.correctly_rounded) / static_cast<double>(r.values),
                    "%.1f %%");
    };
    const auto cells = [&](double bound, const Result& r, const char* format) {
      return number(bound, "%g") + " | " + number(r.worst.ulps, "%.3f") + " | " +
             at_of(*function, r.worst, format) + " | " + share(r) + " | ";
    };
    out << "| `" << function->name << "` | " << cells(function->bound_f32, single, "%.9g")
        << times_of(*function, arguments) << " | " << cells(function->bound_f64, twice, "%.17g")
        << (single.flushes  ? twice.flushes ? "zero" : "zero in f32"
            : twice.flushes ? "zero in f64"
                            : "kept")
        << " |\n";
  }
  out << "\n`lgamma` and `digamma` cross zero: where the result is below 1 they are at most 32 times the "
         "dtype's epsilon off.\n";
  return out.str();
}

int run(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const auto value = [&] {
      if (i + 1 >= argc) throw Error(name + " needs a value");
      return std::string(argv[++i]);
    };
    if (name == "--threads") {
      arguments.threads = testing::number_of<int>(name, value());
    } else if (name == "--stride") {
      arguments.stride = testing::number_of<uint64_t>(name, value());
    } else if (name == "--samples") {
      arguments.samples = testing::number_of<int64_t>(name, value());
    } else if (name == "--markdown") {
      arguments.markdown = value();
    } else if (name == "--only") {
      std::istringstream names(value());
      for (std::string one; std::getline(names, one, ',');) arguments.only.insert(one);
    } else {
      throw Error("unknown option " + name +
                  "; --threads, --stride, --samples, --only and --markdown are known");
    }
  }
  set_num_threads(1);  // blocks are shared among threads of its own
  std::vector<Line> lines;
  bool all_good = true;
  for (const Function& function : all_functions()) {
    if (!arguments.only.empty() && !arguments.only.contains(function.name)) continue;
    Line line{&function, {}, {}};
    line.single = function.operands == 1 ? swept(function, arguments)
                                         : sample(function, DType::kF32, arguments.samples, 1);
    line.twice = sample(function, DType::kF64, arguments.samples, 2);
    const bool good =
        line.single.worst.ulps <= function.bound_f32 && line.twice.worst.ulps <= function.bound_f64;
    all_good &= good;
    std::printf("%-10s f32 %.4f ulp at %s (bound %g), f64 %.4f ulp at %s (bound %g)%s%s\n", function.name,
                line.single.worst.ulps, at_of(function, line.single.worst, "%.9g").c_str(),
                function.bound_f32, line.twice.worst.ulps, at_of(function, line.twice.worst, "%.17g").c_str(),
                function.bound_f64, line.single.flushes ? ", results below the normal numbers are zero" : "",
                good ? "" : "  MISSED");
    std::fflush(stdout);
    lines.push_back(line);
    if (!arguments.markdown.empty()) std::ofstream(arguments.markdown) << table(lines, arguments);
  }
  return all_good ? 0 : 1;
}

}  // namespace
}  // namespace ingot::accuracy

int main(int argc, char** argv) {
  try {
    return ingot::accuracy::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ingot_accuracy: %s\n", error.what());
    return 2;
  }
}
