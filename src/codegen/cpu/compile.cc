// The entry points of code generation.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <thread>

#include "base/check.h"
#include "base/fork.h"
#include "base/options.h"
#include "base/process_ends.h"
#include "codegen/compile_each.h"
#include "codegen/cpu/compile_order.h"
#include "codegen/cpu/cost.h"
#include "codegen/cpu/emitter.h"
#include "codegen/cpu/machine.h"
#include "codegen/cpu/room.h"
#include "kernel/ir/blocks.h"
#include "kernel/ir/kept_phases.h"

namespace ingot::codegen {
namespace {

std::string text_of(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

// Emits and optimises. Returns the number of units.
int64_t build(llvm::Module& module, const kernel::Kernel& kernel, const kernel::Target& target,
              const CodeOptions& options, Machine& machine, Code& code) {
  machine.prepare(module);
  ModuleContext context{module, kernel, target, options, kernel::varying(kernel)};
  context.instructions = machine.instructions();
  code.units = Emitter(context).emit_kernel();
  code.barriers = context.barriers;
  code.kept_phases = kernel::kept_phases(kernel);
  code.scratch_bytes = context.scratch_bytes;
  code.shared_bytes = context.shared_bytes;
  std::vector<int64_t> units_of_phases;
  int64_t first = 0;
  for (const int64_t end : code.barriers) units_of_phases.push_back(end - std::exchange(first, end));
  units_of_phases.push_back(code.units - first);
  code.unit_cost_ns = estimate_unit_costs(kernel, units_of_phases);
  for (const CopiedFirst& copied : kernel.copied_first) {
    std::vector<double> copying = estimate_unit_costs(kernel, units_of_phases, &copied);
    for (size_t p = 0; p < copying.size(); ++p) copying[p] = std::max(0.0, code.unit_cost_ns[p] - copying[p]);
    code.copying_cost_ns.push_back(std::move(copying));
  }
#ifndef NDEBUG
  std::string error;
  llvm::raw_string_ostream stream(error);
  check(!llvm::verifyModule(module, &stream), "broken LLVM IR: " + error + "\n" + to_string(kernel));
#endif
  machine.optimise(module);
  return code.units;
}

std::atomic<bool> process_ends{false};
std::atomic<bool> paused{false};                // nobody begins for a moment
std::atomic<int64_t> inside{0};                 // compilations that are going on
thread_local constinit int64_t own_inside = 0;  // in this thread

void wait_for_others() {
  while (inside.load() > own_inside) std::this_thread::yield();
}

// A handler of exit(): nobody begins any more, and it waits for those that have begun.
void end_compiling() {
  process_ends.store(true);
  wait_for_others();
}

void before_what_is_made() {
  std::atexit(end_compiling);
}

// LLVM makes static objects when it first needs them, which may be at any compilation, and what is made late
// is destroyed early. So the handler of exit() has to be added late:
// - The first compilation, which makes nearly all of them, goes on alone. The handler is added before it,
//   behind what can be made on its own (make_static_objects), before each pass over its code, and behind it,
//   as behind the second, the fourth, the eighth ... compilation. So another thread's exit() in its midst
//   waits, too, having destroyed at most what the running pass has made.
// - exit() ends the thread-local objects of its thread before it calls any handler. That of the main thread
//   adds the handler once more, while nobody compiles, so that it comes before all that has been made.
class InLlvm {
 public:
  InLlvm() {
    if (!warm_.load(std::memory_order_acquire)) {
      first_ = std::unique_lock(one_first_);
      if (warm_.load(std::memory_order_relaxed)) first_.unlock();
    }
    enter();
    if (first_.owns_lock()) {
      before_what_is_made();
      make_static_objects(before_what_is_made);
    }
    if (!process_ends.load()) return;
    leave();
    throw ProcessEnds();
  }
  ~InLlvm() {
    static std::atomic<uint64_t> ended{0};
    if (std::has_single_bit(ended.fetch_add(1) + 1)) std::atexit(end_compiling);
    leave();
    if (first_.owns_lock()) warm_.store(true, std::memory_order_release);
  }
  // Whether the next compilation is the first one of the process.
  static bool alone() { return !warm_.load(std::memory_order_acquire); }
  void watch(llvm::LLVMContext& context) const {
    if (!first_.owns_lock()) return;
    context.setYieldCallback([](llvm::LLVMContext*, void*) { before_what_is_made(); }, nullptr);
  }
  InLlvm(const InLlvm&) = delete;
  InLlvm& operator=(const InLlvm&) = delete;

 private:
  static void enter() {
    for (;;) {
      inside.fetch_add(1);
      // Either this sees the pause, or who pauses sees this one.
      if (!paused.load()) break;
      inside.fetch_sub(1);
      paused.wait(true);
    }
    ++own_inside;
  }
  static void leave() {
    --own_inside;
    inside.fetch_sub(1);
  }

  inline static constinit std::mutex one_first_;
  inline static constinit std::atomic<bool> warm_{false};
  std::unique_lock<std::mutex> first_;  // held by the first compilation
};

struct AtThreadEnd {
  ~AtThreadEnd() {
    paused.store(true);
    wait_for_others();
    std::atexit(end_compiling);
    paused.store(false);
    paused.notify_all();
  }
};

// In the thread that loads the library, which is the main one. (If that ends alone, the process goes on, and
// has one handler more.)
[[maybe_unused]] const bool watches_main_thread = [] {
  static thread_local AtThreadEnd at_end;
  (void)at_end;
  return true;
}();

// Where that was not enough: LLVM asks what to do, and may not go on.
[[noreturn]] void report_no_memory(void*, const char*, bool) {
  constexpr std::string_view kText = "ingot: not enough memory to compile: LLVM cannot go on without it\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kText.data(), kText.size());
  std::abort();
}

Code compile_one(const kernel::Kernel& kernel, const kernel::Target& target, const CodeOptions& options) {
  const InLlvm in_llvm;
  const Room room;
  static const bool reports = (llvm::install_bad_alloc_error_handler(report_no_memory), true);
  (void)reports;
  const auto start = std::chrono::steady_clock::now();
  Machine& machine = Machine::native(target);
  llvm::LLVMContext context;
  in_llvm.watch(context);
  llvm::Module module("kernel", context);
  Code code;
  build(module, kernel, target, options, machine, code);
  if (options.keep_text) code.llvm_ir = text_of(module);
  if (options.keep_text) {
    // Code generation changes the module, so the assembly is made from another build of it.
    llvm::Module again("kernel", context);
    Code ignored;
    build(again, kernel, target, options, machine, ignored);
    code.assembly = machine.assembly(again);
  }
  const Machine::Object object = machine.object(module);
  code.stack_bytes = object.stack_bytes;
  Loaded loaded = load_object(*object.bytes, "kernel");
  code.function = reinterpret_cast<KernelFunction>(loaded.entry);
  code.memory = std::move(loaded.memory);
  code.ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return code;
}

// Loads, adds and stores a vector: next to nothing, but LLVM makes for it what it makes once.
void compile_least(const kernel::Target& target) {
  const ForkSection section;
  const InLlvm in_llvm;
  const Room room;
  Machine& machine = Machine::native(target);
  llvm::LLVMContext context;
  in_llvm.watch(context);
  llvm::Module module("kernel", context);
  machine.prepare(module);
  auto* place = llvm::PointerType::get(context, 0);
  auto* function =
      llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), {place}, false),
                             llvm::Function::ExternalLinkage, "kernel", module);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", function));
  auto* type = llvm::FixedVectorType::get(b.getFloatTy(), static_cast<unsigned>(target.vector_bytes / 4));
  llvm::Value* vector = b.CreateLoad(type, function->getArg(0));
  b.CreateStore(b.CreateFAdd(vector, vector), function->getArg(0));
  b.CreateRetVoid();
  machine.optimise(module);
  load_object(*machine.object(module).bytes, "kernel");
}

std::vector<size_t> order_of(std::span<const kernel::Kernel* const> kernels, const kernel::Target& target) {
  std::vector<double> lengths;
  for (const kernel::Kernel* kernel : kernels) lengths.push_back(expected_length(*kernel));
  CompileOrder order = compile_order(lengths, num_threads(), InLlvm::alone());
  if (order.least_first) compile_least(target);
  return std::move(order.kernels);
}

// Threads that compile besides their callers: together as many as run kernels, however many programs are
// being compiled at once.
class Helpers {
 public:
  template <class Work>
  Helpers(int64_t wanted, const Work& work) {
    const int64_t most = num_threads() - 1;
    while (static_cast<int64_t>(threads_.size()) < wanted) {
      if (running_.fetch_add(1) >= most) {
        running_.fetch_sub(1);
        return;
      }
      try {
        threads_.emplace_back([&work] {
          work();
          running_.fetch_sub(1);
        });
      } catch (const std::exception&) {  // the system gives no more threads, or memory for one; fewer do too
        running_.fetch_sub(1);
        return;
      }
    }
  }
  ~Helpers() { join(); }
  void join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  inline static std::atomic<int64_t> running_{0};
  [[maybe_unused]] inline static const bool starts_anew_ = on_fork({.child = [] { running_.store(0); }});
  std::vector<std::thread> threads_;
};

}  // namespace

std::vector<Outcome> compile_each(std::span<const kernel::Kernel* const> kernels,
                                  const kernel::Target& target, const CodeOptions& options) {
  std::vector<Outcome> outcomes(kernels.size());
  const std::vector<size_t> order = order_of(kernels, target);
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t n; (n = next.fetch_add(1)) < order.size();) {
      const size_t i = order[n];
      try {
        const ForkSection section;  // LLVM's own locks are not made for forks
        outcomes[i].code = compile_one(*kernels[i], target, options);
      } catch (...) {
        outcomes[i].error = std::current_exception();
      }
    }
  };
  Helpers helpers(static_cast<int64_t>(kernels.size()) - 1, work);
  work();
  helpers.join();
  return outcomes;
}

std::vector<Code> compile(std::span<const kernel::Kernel* const> kernels, const kernel::Target& target,
                          const CodeOptions& options) {
  std::vector<Code> codes;
  for (Outcome& outcome : compile_each(kernels, target, options)) {
    if (outcome.error) std::rethrow_exception(outcome.error);
    codes.push_back(std::move(outcome.code));
  }
  return codes;
}

namespace {

// Those that the library is linked with; others are not usable.
Machine foreign_machine(const std::string& triple) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
  return Machine(triple, "generic", "", /*this_process=*/false);
}

}  // namespace

std::string assembly_for(const kernel::Kernel& kernel, const kernel::Target& target,
                         const std::string& triple, const CodeOptions& options) {
  Machine machine = foreign_machine(triple);
  if (!machine.usable()) return "";
  llvm::LLVMContext context;
  llvm::Module module("kernel", context);
  Code code;
  build(module, kernel, target, options, machine, code);
  return machine.assembly(module);
}

ForeignObject object_for(const kernel::Kernel& kernel, const kernel::Target& target,
                         const std::string& triple, const std::string& symbol, const CodeOptions& options) {
  Machine machine = foreign_machine(triple);
  if (!machine.usable()) return {};
  llvm::LLVMContext context;
  llvm::Module module("kernel", context);
  ForeignObject object;
  build(module, kernel, target, options, machine, object.code);
  module.getFunction("kernel")->setName(symbol);
  const Machine::Object made = machine.object(module);
  object.bytes = made.bytes->getBuffer().str();
  object.code.stack_bytes = made.stack_bytes;
  return object;
}

}  // namespace ingot::codegen
