// Code for AArch64 is run: kernels are compiled for it, linked with a small program (runner.cc), run by qemu,
// and what they compute is compared with the kernel interpreter. A failure of one kernel names it.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "codegen/codegen.h"
#include "compiler/pipeline.h"
#include "ir/text.h"
#include "ir/verifier.h"
#include "kernel/lower/group.h"
#include "kernel/lower/lower.h"
#include "kernel/schedule/schedule.h"
#include "pass/runner.h"
#include "testing/differential.h"
#include "testing/golden.h"
#include "testing/kernel_interpreter.h"
#include "testing/random_program.h"
#include "testing/tensors.h"

namespace ingot {
namespace {

constexpr const char* kTriple = "aarch64-linux-gnu";

kernel::Target neon() {
  kernel::Target target;
  target.vector_bytes = 16;
  target.vector_registers = 32;
  return target;
}

// Caches so small that even little programs are cut into blocks for them.
kernel::Target neon_with_small_caches() {
  kernel::Target target = neon();
  target.l1_bytes = 1 << 10;
  target.l2_bytes = target.l3_bytes = 4 << 10;
  target.sums = {target.l1_bytes, target.l2_bytes, target.l3_bytes};
  return target;
}

// Kernels with arguments and what they should give.
class Cases {
 public:
  // Without fma where rounding may decide: programs are not all well conditioned.
  explicit Cases(bool fma)
      : fma_(fma),
        folder_(std::filesystem::temp_directory_path() / ("ingot-aarch64-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
    cases_.open(folder_ / "cases", std::ios::binary);
    table_ << "#include <cstdint>\nextern \"C\" {\nusing Kernel = void(void* const*, int64_t, int64_t, "
              "void*);\n";
  }
  ~Cases() { std::filesystem::remove_all(folder_); }

  size_t count() const { return expected_.size(); }

  void add(const std::string& what, const kernel::Kernel& kernel, std::span<const Tensor> inputs,
           std::vector<Tensor> expected, const kernel::Target& target) {
    const std::string symbol = "kernel_" + std::to_string(count());
    const codegen::ForeignObject object =
        codegen::object_for(kernel, target, kTriple, symbol, {.fma_contraction = fma_});
    ASSERT_FALSE(object.bytes.empty()) << "LLVM has no AArch64";
    std::ofstream(folder_ / (symbol + ".o"), std::ios::binary) << object.bytes;
    table_ << "extern Kernel " << symbol << ";\n";
    const codegen::Code& code = object.code;
    words({code.units, static_cast<int64_t>(code.barriers.size()), kernel.input_count, kernel.output_count,
           static_cast<int64_t>(code.scratch_bytes), code.shared_bytes});
    words(code.barriers);
    for (int b = 0; b < kernel.input_count + kernel.output_count; ++b) words({buffer_bytes(kernel, b)});
    for (int b = 0; b < kernel.input_count; ++b) {
      std::string bytes(static_cast<size_t>(buffer_bytes(kernel, b)), '\0');
      const Tensor& input = inputs[static_cast<size_t>(b)];
      std::memcpy(bytes.data(), input.raw(), std::min(bytes.size(), input.bytes()));
      cases_ << bytes;
    }
    std::vector<int64_t> sizes;
    for (int b = 0; b < kernel.output_count; ++b)
      sizes.push_back(buffer_bytes(kernel, kernel.input_count + b));
    expected_.push_back({what + "\n" + to_string(kernel), std::move(expected), std::move(sizes)});
  }

  // The program is scheduled and run kernel by kernel; every kernel with its arguments is a case.
  void add_program(const std::string& what, const ir::Module& program, uint64_t seed) {
    std::unique_ptr<ir::Module> module = clone(program);
    pass::PassContext context;
    pass::run_passes(*module, compiler::pipeline(), context);
    testing::Random random(seed);
    const std::vector<Tensor> arguments = testing::random_arguments(random, *module);
    for (const kernel::Target& target : {neon(), neon_with_small_caches()}) {
      testing::run_lowered(*module, arguments,
                           {.target = &target,
                            .seen = [&](const kernel::Kernel& kernel, std::span<const Tensor> inputs,
                                        const testing::KernelRun& run) {
                              if (kernels_++ < kMostKernels) add(what, kernel, inputs, run.outputs, target);
                            }});
      kernels_ = 0;
    }
  }

  // Links, runs and compares all.
  void check() {
    cases_.close();
    table_ << "extern Kernel* const ingot_kernels[] = {";
    for (size_t i = 0; i < count(); ++i) table_ << "kernel_" << i << ", ";
    table_ << "};\nextern const int64_t ingot_kernel_count = " << count() << ";\n}\n";
    std::ofstream(folder_ / "table.cc") << table_.str();
    const std::string in = "cd " + folder_.string() + " && ";
    ASSERT_EQ(std::system((in + INGOT_AARCH64_COMPILER +
                           " -O1 -static -o runner " INGOT_TEST_DIR "/runner.cc "
                           "table.cc kernel_*.o > log 2>&1")
                              .c_str()),
              0)
        << testing::read_file(folder_ / "log");
    const int status =
        std::system((in + INGOT_AARCH64_EMULATOR + " ./runner cases results > log 2>&1").c_str());
    ASSERT_EQ(status, 0) << testing::read_file(folder_ / "log");
    std::ifstream results(folder_ / "results", std::ios::binary);
    for (const Expected& one : expected_) {
      for (size_t i = 0; i < one.outputs.size(); ++i) {
        std::string bytes(static_cast<size_t>(one.bytes[i]), '\0');
        results.read(bytes.data(), one.bytes[i]);
        ASSERT_EQ(results.gcount(), one.bytes[i])
            << "output " << i << " was not written by the kernel of " << one.what;
        Tensor actual(one.outputs[i].dtype(), one.outputs[i].shape());
        std::memcpy(actual.raw(), bytes.data(), actual.bytes());
        const double tolerance = testing::tolerance_of(actual.dtype());
        EXPECT_EQ(testing::difference(actual, one.outputs[i], tolerance), "")
            << "output " << i << " of the kernel of " << one.what;
      }
    }
    EXPECT_EQ(results.get(), std::ifstream::traits_type::eof()) << "more was written than was asked for";
    std::cout << count() << " kernels ran on AArch64\n";
  }

 private:
  static constexpr int kMostKernels = 20;  // of a program: loops run theirs many times

  struct Expected {
    std::string what;
    std::vector<Tensor> outputs;
    std::vector<int64_t> bytes;
  };

  static int64_t buffer_bytes(const kernel::Kernel& kernel, int b) {
    const kernel::Buffer& buffer = kernel.buffers[static_cast<size_t>(b)];
    return buffer.elements * static_cast<int64_t>(byte_size(buffer.dtype));
  }
  void words(const std::vector<int64_t>& values) {
    for (int64_t value : values) cases_.write(reinterpret_cast<const char*>(&value), sizeof value);
  }

  const bool fma_;
  const std::filesystem::path folder_;
  std::ofstream cases_;
  std::ostringstream table_;
  std::vector<Expected> expected_;
  int kernels_ = 0;
};

std::vector<std::filesystem::path> files(const std::string& folder) {
  return testing::files_in(std::string(INGOT_TEST_DIR "/../") + folder);
}

TEST(AArch64Test, GoldenKernels) {
  Cases cases(/*fma=*/false);
  for (const std::filesystem::path& file : files("kernel/golden")) {
    for (const std::string& input : testing::golden_inputs(file)) {
      std::unique_ptr<ir::Module> module = ir::parse(input, file.string());
      ir::verify(*module);
      testing::Random random(1);
      const std::vector<Tensor> arguments = testing::random_arguments(random, *module);
      for (const kernel::Target& target : {neon(), neon_with_small_caches()}) {
        try {
          kernel::Kernel kernel = schedule(
              lower(kernel::group_of_region(module->entry()->body()), module->entry()->name()), target);
          cases.add(file.string() + "\n" + input, kernel, arguments,
                    testing::run_kernel(kernel, arguments).outputs, target);
        } catch (const kernel::NotFusible&) {
        }
      }
    }
  }
  EXPECT_GT(cases.count(), 50u);
  cases.check();
}

TEST(AArch64Test, KernelsOfRegressions) {
  Cases cases(/*fma=*/true);
  for (const std::filesystem::path& file : files("compiler/regressions")) {
    std::unique_ptr<ir::Module> module = ir::parse(testing::read_file(file), file.string());
    ir::verify(*module);
    cases.add_program(file.string(), *module, 0);
  }
  EXPECT_GT(cases.count(), 60u);
  cases.check();
}

void check_random(uint64_t first, uint64_t last, const std::vector<DType>& dtypes) {
  testing::RandomProgramOptions options;
  options.operations = 10;
  options.functions = 1;
  options.max_elements = 500;
  if (!dtypes.empty()) options.dtypes = dtypes;
  Cases cases(/*fma=*/true);
  for (uint64_t seed = first; seed < last; ++seed) {
    cases.add_program("seed " + std::to_string(seed), *testing::random_program(seed, options).module, seed);
  }
  EXPECT_GT(cases.count(), 3 * (last - first));
  cases.check();
}

TEST(AArch64Test, KernelsOfRandomPrograms) {
  check_random(0, 40, {});
}

TEST(AArch64Test, KernelsOfNarrowFloats) {
  check_random(100, 120, {DType::kBF16, DType::kF16, DType::kBF16, DType::kF32, DType::kS32, DType::kPred});
}

TEST(AArch64Test, KernelsOfIntegers) {
  check_random(200, 220, {DType::kS32, DType::kU8, DType::kS8, DType::kU16, DType::kS64, DType::kPred});
}

}  // namespace
}  // namespace ingot
