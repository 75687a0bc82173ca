// ingot check: runs StableHLO modules that check themselves by check.expect_*, called or as operations, as
// the conformance cases of the StableHLO project do. A case that fails or is refused is counted, and the next
// one is run.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <ostream>

#include "base/visit_dtype.h"
#include "compiler/compiler.h"
#include "ingot/error.h"
#include "interpreter/interpreter.h"
#include "stablehlo/import.h"
#include "stablehlo/read.h"
#include "stablehlo/symbolic_shapes.h"
#include "tools/command.h"
#include "tools/execute.h"
#include "tools/files.h"
#include "tools/report.h"
#include "tools/show.h"

namespace ingot::tools {
namespace {

struct CheckOptions {
  std::vector<std::string> files;
  bool interpret = false, lift_inputs = false, json = false, quiet = false;
};

struct Case {
  std::string file, operation, status, message;  // status: passed, failed, refused
  double ms = 0;
};

// How many numbers of that float type lie between the two; infinite where one is a NaN or infinite and the
// other is not the same. Zeros are 0 apart.
template <class Bits>
double ulps_between(const std::byte* a, const std::byte* b, Bits infinity) {
  Bits x, y;
  std::memcpy(&x, a, sizeof(Bits));
  std::memcpy(&y, b, sizeof(Bits));
  const Bits sign = Bits{1} << (8 * sizeof(Bits) - 1);
  const Bits size_x = x & static_cast<Bits>(~sign), size_y = y & static_cast<Bits>(~sign);
  if (size_x > infinity || size_y > infinity) return size_x > infinity && size_y > infinity ? 0 : INFINITY;
  if (size_x == infinity || size_y == infinity) return x == y ? 0 : INFINITY;
  const double dx = static_cast<double>(size_x), dy = static_cast<double>(size_y);
  if ((x & sign) != (y & sign)) return dx + dy;
  return static_cast<double>(size_x > size_y ? size_x - size_y : size_y - size_x);
}

double ulps(DType dtype, const std::byte* a, const std::byte* b) {
  if (is_small_float(dtype)) {
    return visit_dtype(dtype, [&]<class T>(std::type_identity<T>) -> double {
      if constexpr (is_small_float(dtype_of<T>()))
        return ulps_between<uint8_t>(a, b, static_cast<uint8_t>(T::kFormat.infinity()));
      else
        return 0;
    });
  }
  switch (dtype) {
    case DType::kF16:
      return ulps_between<uint16_t>(a, b, 0x7c00);
    case DType::kBF16:
      return ulps_between<uint16_t>(a, b, 0x7f80);
    case DType::kF32:
      return ulps_between<uint32_t>(a, b, 0x7f800000);
    default:
      return ulps_between<uint64_t>(a, b, 0x7ff0000000000000);
  }
}

// Whether element i of one array is right, by the kind of check.
bool right(const stablehlo::Check& check, const Tensor& actual, const Tensor& expected, int64_t i) {
  const DType dtype = actual.dtype();
  if (!is_inexact(dtype)) return actual.get_int(i) == expected.get_int(i);
  const std::complex<double> a = actual.get_complex(i), b = expected.get_complex(i);
  if (check.kind == "expect_eq") return a == b;
  const auto close = [&](double x, double y, int part) {
    if (check.kind == "expect_close") {
      const size_t bytes = byte_size(real_dtype(dtype));
      const size_t at = static_cast<size_t>(i) * byte_size(dtype) + static_cast<size_t>(part) * bytes;
      return ulps(real_dtype(dtype), actual.raw() + at, expected.raw() + at) <= check.tolerance;
    }
    return x == y || (std::isnan(x) && std::isnan(y)) || std::abs(x - y) <= check.tolerance;
  };
  return close(a.real(), b.real(), 0) && (!is_complex(dtype) || close(a.imag(), b.imag(), 1));
}

std::string show_element(const Tensor& tensor, int64_t i) {
  if (is_complex(tensor.dtype())) {
    const std::complex<double> value = tensor.get_complex(i);
    return "(" + show_number(value.real()) + ", " + show_number(value.imag()) + ")";
  }
  return is_float(tensor.dtype()) ? show_number(tensor.get_double(i)) : std::to_string(tensor.get_int(i));
}

// What is wrong with the results; empty if nothing is.
std::string wrong(const std::vector<stablehlo::Check>& checks, const std::vector<Tensor>& results) {
  for (size_t k = 0; k < checks.size(); ++k) {
    const Tensor &actual = results[2 * k], &expected = results[2 * k + 1];
    if (actual.dtype() != expected.dtype() || actual.shape() != expected.shape()) {
      return "check " + std::to_string(k) + ": the arrays have other types";
    }
    int64_t bad = 0, first = 0;
    for (int64_t i = actual.size() - 1; i >= 0; --i) {
      if (right(checks[k], actual, expected, i)) continue;
      ++bad;
      first = i;
    }
    if (bad > 0) {
      return checks[k].kind + " " + std::to_string(k) + ": " + std::to_string(bad) + " of " +
             std::to_string(actual.size()) + " elements, element " + std::to_string(first) + " is " +
             show_element(actual, first) + " instead of " + show_element(expected, first);
    }
  }
  return checks.empty() ? "there is no check in it" : "";
}

std::vector<Tensor> run_compiled(std::unique_ptr<ir::Module> module, const std::vector<Tensor>& inputs) {
  Execution execution(compiler::compile(std::move(module)).executable, inputs);
  execution.run();
  return execution.results();
}

void run_case(const CheckOptions& options, const std::string& bytes, Case& one) {
  const std::unique_ptr<stablehlo::Module> module = stablehlo::read_module(bytes, one.file);
  if (const auto arguments = stablehlo::argument_types(*module, true); !arguments.empty())
    throw Error("the program takes " + stablehlo::to_string(arguments) +
                ", but the modules that `ingot check` runs bring their own arguments; `ingot run FILE --args "
                "FILE` takes some");
  stablehlo::Imported imported =
      stablehlo::import_module(*module, {.checks = true, .lift_inputs = options.lift_inputs});
  if (!imported.checks.empty()) one.operation = imported.checks.front().operation;
  const std::vector<Tensor> results = options.interpret
                                          ? interpret(*imported.module, imported.inputs)
                                          : run_compiled(std::move(imported.module), imported.inputs);
  one.message = wrong(imported.checks, results);
  one.status = one.message.empty() ? "passed" : "failed";
}

Case checked(const CheckOptions& options, const std::string& file, const std::string& bytes) {
  Case one{file, "?", "failed", ""};
  const auto start = std::chrono::steady_clock::now();
  try {
    run_case(options, bytes, one);
  } catch (const stablehlo::Refusal& refusal) {
    one.operation = refusal.operation;
    one.status = "refused";
    one.message = refusal.what();
  } catch (const std::exception& error) {
    one.message = error.what();
  }
  one.ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return one;
}

struct Counts {
  int64_t cases = 0, passed = 0, failed = 0, refused = 0;
  void add(const Case& one) {
    ++cases;
    ++(one.status == "passed" ? passed : one.status == "failed" ? failed : refused);
  }
};

void check_files(const CheckOptions& options, const Streams& streams) {
  std::map<std::string, Counts> operations;
  Counts all;
  Json cases = Json::array();
  std::vector<std::string> texts;  // a file that is not there is a mistake of the command's, not of a case
  for (const std::string& file : options.files) texts.push_back(read_file(file));
  for (size_t i = 0; i < texts.size(); ++i) {
    const Case one = checked(options, options.files[i], texts[i]);
    operations[one.operation].add(one);
    all.add(one);
    if (options.json) {
      cases.push_back({{"file", one.file},
                       {"operation", one.operation},
                       {"status", one.status},
                       {"message", one.message},
                       {"ms", one.ms}});
    } else if (one.status != "passed" && !options.quiet) {
      streams.out << one.status << ": " << one.file << ": " << one.message << "\n";
    }
  }
  const int64_t failed = all.failed + all.refused;
  if (options.json) {
    Json table = Json::array();
    for (const auto& [name, counts] : operations) {
      table.push_back({{"operation", name},
                       {"cases", counts.cases},
                       {"passed", counts.passed},
                       {"failed", counts.failed},
                       {"refused", counts.refused}});
    }
    Json report;
    report["cases"] = cases;
    report["operations"] = table;
    report["passed"] = all.passed;
    report["failed"] = failed;
    streams.out << json_text(report) << "\n";
  } else {
    Table table({"operation", "cases", "passed", "failed", "refused"});
    for (const auto& [name, counts] : operations) {
      table.add({name, std::to_string(counts.cases), std::to_string(counts.passed),
                 std::to_string(counts.failed), std::to_string(counts.refused)});
    }
    streams.out << table.text({false, true, true, true, true});
    streams.out << all.passed << " passed, " << failed << " failed\n";
  }
  if (failed > 0) throw ExitCode{kUserError};
}

}  // namespace

void add_check(CLI::App& app, const Streams& streams) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command =
      app.add_subcommand("check", "run StableHLO modules that check themselves by check.expect_*, and count");
  command->add_option("FILE", options->files, "the modules")->required();
  command->add_flag("--interpret", options->interpret, "evaluate them plainly instead of compiling them");
  command->add_flag(
      "--lift-inputs", options->lift_inputs,
      "make what inputs() returns arguments first, so that nothing is computed while compiling");
  command->add_flag("--quiet", options->quiet, "print the table alone, not each case that is not passed");
  command->add_flag("--json", options->json, "print all cases and the table as one JSON object");
  command->callback([options, &streams] { check_files(*options, streams); });
}

}  // namespace ingot::tools
