#include "testing/differential.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <optional>

#include "backend/backend.h"
#include "base/options.h"
#include "codegen/codegen.h"
#include "compiler/compiler.h"
#include "compiler/pipeline.h"
#include "interpreter/interpreter.h"
#include "interpreter/judge.h"
#include "ir/text.h"
#include "pass/passes.h"
#include "pass/runner.h"
#include "runtime/buffer_pool.h"
#include "testing/dealt_launches.h"
#include "testing/kernel_interpreter.h"
#include "testing/run_executable.h"
#include "testing/sanitized.h"
#include "testing/tensors.h"

namespace ingot::testing {
namespace {

constexpr size_t kGuard = 256;  // bytes behind each result that must keep their value
constexpr unsigned char kPoison = 0xa5;

using Memory = std::shared_ptr<void>;

// How a program is run.
struct Way {
  std::string how;
  bool donate = false;
  int threads = 1;
  std::optional<DealOptions> dealt{};  // else as a user's program runs
};

Memory memory_for(size_t bytes, const Way& way, unsigned char poison) {
  if (way.dealt && way.dealt->guard) return guarded_memory(bytes, *way.dealt->guard, 64, poison);
  auto buffer = runtime::BufferPool::global().allocate(bytes + kGuard, "test");
  std::memset(buffer->data(), poison, bytes + kGuard);
  return {buffer, buffer->data()};
}

Memory copy_of(const Tensor& tensor, const Way& way) {
  Memory memory = memory_for(tensor.bytes(), way, kPoison);
  std::memcpy(memory.get(), tensor.raw(), tensor.bytes());
  return memory;
}

// Caches so small that even little programs are cut into blocks for them.
kernel::Target with_small_caches(kernel::Target target) {
  target.l1_bytes = 1 << 10;
  target.l2_bytes = 4 << 10;
  target.l3_bytes = 4 << 10;
  target.sums = {target.l1_bytes, target.l2_bytes, target.l3_bytes};
  return target;
}

class Trial {
 public:
  Trial(const ir::Module& module, std::span<const double> tolerances, uint64_t seed, bool judged)
      : module_(module), configurations_(seed) {
    Random random(seed);
    arguments_ = random_arguments(random, module);
    expected_ = interpret(module, arguments_);
    for (size_t i = 0; i < expected_.size(); ++i) {
      tolerances_.push_back(tolerances.empty() ? tolerance_of(expected_[i].dtype()) : tolerances[i]);
    }
    if (judged) judgement_ = judge(module, arguments_);
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
      target.permutes_two = target.float_extremes = target.compresses = target.bf16_products = bytes == 64;
      target.s16_products = bytes >= 32;
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

  // The number of a configuration decides on which side memory is guarded, and in which order units run.
  void compiled(const compiler::Options& options, const std::string& how) {
    compiler::Compiled compiled = compiler::compile(clone(module_), options);
    const runtime::Executable& executable = *compiled.executable;
    const std::vector<Tensor> first = run(executable, {how});
    compare(how, first);
    const bool odd = ++configurations_ % 2 == 1;
    const Guard one = odd ? Guard::kBehind : Guard::kBefore, other = odd ? Guard::kBefore : Guard::kBehind;
    const Way ways[] = {
        {how + ", donated, two threads", true, 2},
        {how + ", guarded, two threads in turn", false, 2, DealOptions{2, odd, 0xff, one}},
        {how + ", donated, guarded, three threads in turn", true, 3, DealOptions{3, !odd, 0x5a, other}},
    };
    const bool of_host = executable.plan().memory->of_host();  // guards and orders are of the host's launches
    for (const Way& way : ways) {
      if (of_host || !way.dealt) expect_bits(first, run(executable, way), way.how);
    }
  }

 private:
  [[noreturn]] static void fail(const std::string& text) { throw text; }

  void compare(const std::string& how, const std::vector<Tensor>& actual) const {
    if (judgement_) return compare_judged(how, actual);
    for (size_t i = 0; i < expected_.size(); ++i) {
      std::string text = difference(actual[i], expected_[i], tolerances_[i]);
      if (!text.empty()) fail("values: " + how + ": result " + std::to_string(i) + ": " + text);
    }
  }

  void compare_judged(const std::string& how, const std::vector<Tensor>& actual) const {
    const Verdict verdict = ingot::compare(actual, *judgement_);
    if (verdict.good()) return;
    fail("values: " + how + ": result " + std::to_string(verdict.result) + ": element " +
         std::to_string(verdict.element) + " is " + std::to_string(verdict.error) +
         " off, and has room for " + std::to_string(verdict.room));
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

  std::vector<Tensor> run(const runtime::Executable& executable, const Way& way) const {
    if (!executable.plan().memory->of_host()) return run_executable(executable, arguments_, way.donate);
    const auto& infos = executable.entry().results;
    std::vector<Memory> arguments, results;
    for (const Tensor& argument : arguments_) arguments.push_back(copy_of(argument, way));
    std::vector<bool> given(arguments.size(), false);
    for (const runtime::BufferInfo& info : infos) {
      const int32_t alias = way.donate ? info.may_alias_argument : -1;
      if (alias >= 0) {
        results.push_back(arguments[static_cast<size_t>(alias)]);
        given[static_cast<size_t>(alias)] = true;
        continue;
      }
      results.push_back(memory_for(static_cast<size_t>(info.bytes()), way, kPoison));
    }
    std::vector<const void*> in;
    std::vector<void*> out;
    for (const Memory& memory : arguments) in.push_back(memory.get());
    for (const Memory& memory : results) out.push_back(memory.get());
    run(executable, in, out, way);

    std::vector<Tensor> tensors;
    for (size_t i = 0; i < infos.size(); ++i) {
      tensors.emplace_back(infos[i].dtype, infos[i].shape);
      std::memcpy(tensors.back().raw(), results[i].get(), tensors.back().bytes());
      if ((way.donate && infos[i].may_alias_argument >= 0) || (way.dealt && way.dealt->guard)) continue;
      const auto* guard = static_cast<const unsigned char*>(results[i].get()) + tensors.back().bytes();
      for (size_t b = 0; b < kGuard; ++b) {
        if (guard[b] != kPoison) fail("memory: " + way.how + ": a write behind result " + std::to_string(i));
      }
    }
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (!given[i] && std::memcmp(arguments[i].get(), arguments_[i].raw(), arguments_[i].bytes()) != 0) {
        fail("memory: " + way.how + ": argument " + std::to_string(i) + " has changed");
      }
    }
    return tensors;
  }

  static void run(const runtime::Executable& executable, const std::vector<const void*>& in,
                  const std::vector<void*>& out, const Way& way) {
    set_num_threads(way.threads);
    if (!way.dealt) {
      executable.run(in.data(), out.data());
    } else {
      // What lies in the frame at first is garbage, and another one each time.
      const Memory frame = guarded_memory(static_cast<size_t>(executable.frame_bytes()),
                                          way.dealt->guard.value_or(Guard::kBehind), 64, way.dealt->poison);
      DealtLaunches dealt(*way.dealt);
      executable.run(in.data(), out.data(), frame.get());
      const std::string changed = dealt.changed_input();
      if (!changed.empty()) fail("memory: " + way.how + ": kernel " + changed + " changed an input");
    }
    set_num_threads(0);
  }

  const ir::Module& module_;
  std::vector<Tensor> arguments_, expected_;
  std::vector<double> tolerances_;
  std::optional<Judgement> judgement_;
  uint64_t configurations_ = 0;  // the seed, and one for each
};

}  // namespace

double tolerance_of(DType dtype) {
  if (is_small_float(dtype))
    return std::ldexp(1.0, 1 - significant_bits(dtype));  // one neighbour or the other
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

double tolerance_of_sum(DType dtype, int64_t n) {
  if (is_small_float(dtype))
    return std::ldexp(1.0, 1 - significant_bits(dtype));  // one neighbour or the other
  const auto terms = static_cast<double>(std::max<int64_t>(n, 1));
  switch (dtype) {
    case DType::kBF16:  // sums are f32, rounded once: to one neighbour or the other
      return 0x1p-7 + 0x1p-23 * terms;
    case DType::kF16:
      return 0x1p-10 + 0x1p-23 * terms;
    case DType::kF32:
    case DType::kC64:
      return 0x1p-23 * (4 + terms);
    case DType::kF64:
    case DType::kC128:
      return 0x1p-52 * (4 + terms);
    default:
      return 0;
  }
}

std::string check_compiled(const ir::Module& module, std::span<const double> tolerances, uint64_t seed,
                           const DifferentialOptions& options) {
  try {
    Trial trial(module, tolerances, seed, options.judged);
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
    struct Configuration {
      compiler::Options options;
      std::string how;
    };
    std::vector<Configuration> configurations;
    for (const kernel::Target& target : targets) {
      configurations.push_back({common, std::to_string(target.vector_bytes) + "-byte vectors"});
      configurations.back().options.target = target;
      if (!options.all_targets) break;
    }
    configurations.push_back({common, "for small caches"});
    configurations.back().options.target = with_small_caches(targets.front());
    configurations.push_back({common, "without fma"});
    configurations.back().options.fma_contraction = false;
    // What does not schedule is the same for all targets.
    if (!backend::chosen_backend().memory().of_host()) configurations.resize(1);
    // Sanitizers see the compiler and the runtime, and no machine code: seeds share the ways among them.
    if (options.one_way || under_sanitizer())
      configurations = {configurations[seed / 5 % configurations.size()]};
    for (const Configuration& c : configurations) trial.compiled(c.options, c.how);
    return "";
  } catch (const std::string& failure) {
    return failure;
  } catch (const std::exception& error) {
    return std::string("error: ") + error.what();
  }
}

}  // namespace ingot::testing
