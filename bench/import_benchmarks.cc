// How long programs of StableHLO take to load: one of 10,000 operations, and one with 100 MB of constants, in
// text and as portable artifacts, beside reading their files. Median of nine. `import_benchmarks operations`
// takes the first alone, `constants` the second.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "ingot/stablehlo.h"
#include "stablehlo/bytecode/writer.h"
#include "stablehlo/import.h"
#include "stablehlo/read.h"

namespace ingot {
namespace {

double median_ms(const std::function<void()>& work) {
  std::vector<double> times;
  for (int i = 0; i < 9; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    times.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

// As JAX prints it, with a location for each operation.
std::string many_operations(int count) {
  std::string text =
      "module @jit_f {\n"
      "  func.func public @main(%arg0: tensor<64x64xf32>, %arg1: tensor<64x64xf32>) -> (tensor<64x64xf32> "
      "{jax.result_info = \"result\"}) {\n";
  std::string locations = "#loc1 = loc(\"model.py\":12:8)\n";
  std::string last = "%arg0";
  for (int i = 0; i < count; ++i) {
    const std::string name = "%" + std::to_string(i), place = " loc(#loc" + std::to_string(i + 2) + ")\n";
    switch (i % 5) {
      case 0:
        text += "    " + name + " = stablehlo.add " + last + ", %arg1 : tensor<64x64xf32>";
        break;
      case 1:
        text += "    " + name + " = stablehlo.tanh " + last + " : tensor<64x64xf32>";
        break;
      case 2:
        text += "    " + name + " = stablehlo.dot_general " + last +
                ", %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x64xf32>, "
                "tensor<64x64xf32>) -> tensor<64x64xf32>";
        break;
      case 3:
        text += "    " + name + " = stablehlo.transpose " + last +
                ", dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>";
        break;
      default:
        text += "    " + name + " = stablehlo.multiply " + last + ", " + last + " : tensor<64x64xf32>";
        break;
    }
    text += place;
    locations += "#loc" + std::to_string(i + 2) + " = loc(\"jit(f)/layer/op\"(callsite(#loc1 at #loc1)))\n";
    last = name;
  }
  return text + "    return " + last + " : tensor<64x64xf32>\n  }\n}\n" + locations;
}

std::string large_constants(int64_t bytes) {
  const int64_t each = bytes / 4 / 4;
  std::string text = "module @jit_f {\n  func.func public @main(%arg0: tensor<" + std::to_string(each) +
                     "xf32>) -> tensor<" + std::to_string(each) + "xf32> {\n";
  const std::string type = "tensor<" + std::to_string(each) + "xf32>";
  std::mt19937 random(1);
  std::string last = "%arg0";
  for (int i = 0; i < 4; ++i) {
    const std::string name = "%c" + std::to_string(i), sum = "%s" + std::to_string(i);
    text += "    " + name + " = stablehlo.constant dense<\"0x";
    constexpr const char* kDigits = "0123456789ABCDEF";
    for (int64_t k = 0; k < each * 8; k += 8) {
      for (uint32_t bits = random() & 0x3fffffff, digit = 0; digit < 8; ++digit, bits >>= 4)
        text += kDigits[bits & 15];
    }
    text += "\"> : " + type + "\n    " + sum + " = stablehlo.add " + last + ", " + name + " : " + type + "\n";
    last = sum;
  }
  return text + "    return " + last + " : " + type + "\n  }\n}\n";
}

void measure(const std::string& name, const std::string& bytes) {
  const std::string file = (std::filesystem::temp_directory_path() / ("ingot-import-" + name)).string();
  std::ofstream(file, std::ios::binary) << bytes;
  const double reading = median_ms([&] {
    std::ifstream in(file, std::ios::binary);
    std::string whole(bytes.size(), '\0');
    in.read(whole.data(), static_cast<std::streamsize>(whole.size()));
  });
  const double parsing = median_ms([&] { stablehlo::read_module(bytes, file); });
  const auto module = stablehlo::read_module(bytes, file);
  const double importing = median_ms([&] { stablehlo::import_module(*module); });
  const double loading = median_ms([&] { load(file); });
  std::printf("| %s | %.1f | %.1f | %.1f | %.1f | %.1f | %.2f |\n", name.c_str(),
              static_cast<double>(bytes.size()) / 1e6, reading, parsing, importing, loading,
              loading / reading);
  std::filesystem::remove(file);
}

void run(const std::string& only) {
  std::printf("| program | file, MB | read the file, ms | parse | import | load, all in | of reading |\n");
  std::printf("| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  const auto both = [](const std::string& name, const std::string& text) {
    measure(name + ".mlir", text);
    measure(name + ".mlirbc", stablehlo::write_bytecode(*stablehlo::read_module(text, name)));
  };
  if (only != "constants") both("10000-operations", many_operations(10'000));
  if (only != "operations") both("100-MB-of-constants", large_constants(100'000'000));
}

}  // namespace
}  // namespace ingot

int main(int argc, char** argv) {
  ingot::run(argc > 1 ? argv[1] : "");
}
