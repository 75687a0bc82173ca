#include "testing/differential.h"

#include <cstring>
#include <exception>

#include "base/options.h"
#include "codegen/codegen.h"
#include "compiler/compiler.h"
#include "compiler/pipeline.h"
#include "interpreter/interpreter.h"
#include "ir/text.h"
#include "pass/passes.h"
#include "pass/runner.h"
#include "runtime/buffer_pool.h"
#include "testing/kernel_interpreter.h"
#include "testing/tensors.h"

namespace ingot::testing {
namespace {

constexpr size_t kGuard = 256;  // bytes behind each result that must keep their value
constexpr unsigned char kPoison = 0xa5;

using Memory = std::shared_ptr<runtime::Buffer>;

Memory copy_of(const Tensor& tensor) {
  Memory memory = runtime::BufferPool::global().allocate(tensor.bytes() + kGuard, "argument");
  std::memcpy(memory->data(), tensor.raw(), tensor.bytes());
  return memory;
}

// Caches so small that even little programs are cut into blocks for them.
kernel::Target with_small_caches(kernel::Target target) {
  target.l1_bytes = 1 << 10;
  target.l2_bytes = 4 << 10;
  target.l3_bytes = 4 << 10;
  return target;
}

class Trial {
 public:
  Trial(const ir::Module& module, std::span<const double> tolerances, uint64_t seed) : module_(module) {
    Random random(seed);
    arguments_ = random_arguments(random, module);
    expected_ = interpret(module, arguments_);
    for (size_t i = 0; i < expected_.size(); ++i) {
      tolerances_.push_back(tolerances.empty() ? tolerance_of(expected_[i].dtype()) : tolerances[i]);
    }
  }

  // Each of these throws the text of a failure.

  void kernels_only() {
    std::unique_ptr<ir::Module> module = clone(module_);
    pass::PassContext context;
    pass::run_passes(*module, compiler::pipeline(), context);
    compare("kernels as lowered", run_lowered(*module, arguments_));
    kernel::Target target;
    for (int bytes : {16, 32, 64}) {
      target.vector_bytes = bytes;
      target.vector_registers = bytes == 64 ? 32 : 16;
      compare("scheduled kernels for " + std::to_string(bytes) + " bytes",
              run_lowered(*module, arguments_, {&target, bytes == 32}));
    }
    kernel::Target small = with_small_caches(target);
    compare("scheduled kernels for small caches", run_lowered(*module, arguments_, {&small, false}));
    if (ir::to_string(*module).find("bf16") == std::string::npos) return;  // all that tiles multiply
    for (kernel::Target tiled : {target, small}) {
      tiled.tiles = {8, 16, 64};
      compare("scheduled kernels for matrix tiles", run_lowered(*module, arguments_, {&tiled, true}));
    }
  }

  void compiled(const compiler::Options& options, const std::string& how) {
    compiler::Compiled compiled = compiler::compile(clone(module_), options);
    const runtime::Executable& executable = *compiled.executable;
    set_num_threads(2);
    std::vector<Tensor> two = run(executable, how, false);
    compare(how, two);
    expect_bits(two, run(executable, how, false), how + ", run again");
    expect_bits(two, run(executable, how, true), how + ", donated");
    set_num_threads(1);
    expect_bits(two, run(executable, how, false), how + ", one thread");
    set_num_threads(0);
  }

 private:
  [[noreturn]] static void fail(const std::string& text) { throw text; }

  void compare(const std::string& how, const std::vector<Tensor>& actual) const {
    for (size_t i = 0; i < expected_.size(); ++i) {
      std::string text = difference(actual[i], expected_[i], tolerances_[i]);
      if (!text.empty()) fail("values: " + how + ": result " + std::to_string(i) + ": " + text);
    }
  }

  static void expect_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b,
                          const std::string& how) {
    for (size_t i = 0; i < a.size(); ++i) {
      for (int64_t e = 0; e < a[i].size(); ++e) {
        const size_t size = byte_size(a[i].dtype()), at = static_cast<size_t>(e) * size;
        if (std::memcmp(a[i].raw() + at, b[i].raw() + at, size) == 0) continue;
        fail("bits: " + how + ": element " + std::to_string(e) + " of result " + std::to_string(i) +
             " was another one before");
      }
    }
  }

  std::vector<Tensor> run(const runtime::Executable& executable, const std::string& how, bool donate) const {
    const auto& infos = executable.entry().results;
    std::vector<Memory> arguments, results;
    for (const Tensor& argument : arguments_) arguments.push_back(copy_of(argument));
    std::vector<bool> given(arguments.size(), false);
    for (const runtime::BufferInfo& info : infos) {
      const int32_t alias = donate ? info.may_alias_argument : -1;
      if (alias >= 0) {
        results.push_back(arguments[static_cast<size_t>(alias)]);
        given[static_cast<size_t>(alias)] = true;
        continue;
      }
      const size_t bytes = static_cast<size_t>(info.bytes()) + kGuard;
      results.push_back(runtime::BufferPool::global().allocate(bytes, "result"));
      std::memset(results.back()->data(), kPoison, bytes);
    }
    std::vector<const void*> in;
    std::vector<void*> out;
    for (const Memory& memory : arguments) in.push_back(memory->data());
    for (const Memory& memory : results) out.push_back(memory->data());
    executable.run(in.data(), out.data());

    std::vector<Tensor> tensors;
    for (size_t i = 0; i < infos.size(); ++i) {
      tensors.emplace_back(infos[i].dtype, infos[i].shape);
      std::memcpy(tensors.back().raw(), results[i]->data(), tensors.back().bytes());
      if (donate && infos[i].may_alias_argument >= 0) continue;
      const auto* guard = static_cast<const unsigned char*>(results[i]->data()) + tensors.back().bytes();
      for (size_t b = 0; b < kGuard; ++b) {
        if (guard[b] != kPoison) fail("memory: " + how + ": a write behind result " + std::to_string(i));
      }
    }
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (!given[i] && std::memcmp(arguments[i]->data(), arguments_[i].raw(), arguments_[i].bytes()) != 0) {
        fail("memory: " + how + ": argument " + std::to_string(i) + " has changed");
      }
    }
    return tensors;
  }

  const ir::Module& module_;
  std::vector<Tensor> arguments_, expected_;
  std::vector<double> tolerances_;
};

}  // namespace

double tolerance_of(DType dtype) {
  switch (dtype) {
    case DType::kBF16:
      return 4e-2;
    case DType::kF16:
      return 5e-3;
    case DType::kF32:
    case DType::kC64:
      return 1e-4;
    case DType::kF64:
    case DType::kC128:
      return 1e-11;
    default:
      return 0;
  }
}

std::string check_compiled(const ir::Module& module, std::span<const double> tolerances, uint64_t seed,
                           const DifferentialOptions& options) {
  try {
    Trial trial(module, tolerances, seed);
    if (!options.machine_code) {
      trial.kernels_only();
      return "";
    }
    compiler::Options common;
    for (const pass::PassEntry& pass : pass::all_passes()) {
      if (!options.passes) common.skip_passes.emplace_back(pass.name);
    }
    const std::vector<kernel::Target> targets =
        options.targets.empty() ? codegen::available_targets() : options.targets;
    if (!options.targets.empty()) common.target = targets.front();
    for (const kernel::Target& target : targets) {
      compiler::Options compile_options = common;
      compile_options.target = target;
      trial.compiled(compile_options, std::to_string(target.vector_bytes) + "-byte vectors");
      if (!options.all_targets) break;
    }
    compiler::Options small_caches = common;
    small_caches.target = with_small_caches(targets.front());
    trial.compiled(small_caches, "for small caches");
    compiler::Options without_fma = common;
    without_fma.fma_contraction = false;
    trial.compiled(without_fma, "without fma");
    return "";
  } catch (const std::string& failure) {
    return failure;
  } catch (const std::exception& error) {
    return std::string("error: ") + error.what();
  }
}

}  // namespace ingot::testing
