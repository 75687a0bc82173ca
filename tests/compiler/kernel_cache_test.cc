// What the kernels of a process are looked up by.
#include "compiler/kernel_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <exception>
#include <thread>

#include "codegen/codegen.h"
#include "compiler/compiler.h"
#include "ir/text.h"
#include "kernel/ir/form.h"
#include "kernel/ir/target.h"
#include "testing/kernel_builder.h"

namespace ingot::compiler {
namespace {

int compiled_for(const kernel::Target& target) {
  Options options;
  options.target = target;
  return compile(ir::parse(R"(func @main(%x: f32[67,43]) -> (f32[67,43]) {
  %y = mul(%x, %x) : f32[67,43]
  %z = exp(%y) : f32[67,43]
  return %z
}
)"),
                 options)
      .kernels_compiled;
}

// A schedule depends on all of the target: kernels for other caches, or other instructions, are others.
TEST(KernelCacheTest, KnowsTheWholeTarget) {
  const kernel::Target target = codegen::available_targets().front();
  EXPECT_EQ(compiled_for(target), 1);
  EXPECT_EQ(compiled_for(target), 0);
  kernel::Target small = target;
  small.l2_bytes /= 2;
  EXPECT_EQ(compiled_for(small), 1);
  kernel::Target narrow = target;
  narrow.bf16_products = !target.bf16_products;
  EXPECT_EQ(compiled_for(narrow), 1);
}

// Who comes second gets the kernel of the first, but reports of its own shapes.
TEST(KernelCacheTest, ReportsShowTheProgramsOwnShapes) {
  const auto compiled = [](const std::string& shape) {
    return compile(ir::parse("func @main(%x: f32" + shape + ") -> (f32" + shape +
                             ") {\n  %y = erf(%x) : f32" + shape + "\n  return %y\n}\n"),
                   {});
  };
  const Compiled first = compiled("[4,61]"), second = compiled("[4,1,61]");
  EXPECT_EQ(second.kernels_compiled, 0);
  EXPECT_EQ(first.executable->kernels()[0]->parameters[0].shape, (Shape{4, 61}));
  EXPECT_EQ(second.executable->kernels()[0]->parameters[0].shape, (Shape{4, 1, 61}));
}

// --- kernels whose hashes collide

struct AllHashesAreEqual {
  AllHashesAreEqual() {
    kernel::replace_hash_of_forms([](std::string_view) { return uint64_t{7}; });
  }
  ~AllHashesAreEqual() { kernel::replace_hash_of_forms(nullptr); }
};

TEST(KernelCacheTest, KernelsOfEqualHashesAreTold) {
  const AllHashesAreEqual collisions;
  // Each kernel is launched as itself, and counted as itself.
  const Compiled compiled = compile(ir::parse(R"(func @main(%x: f32[8,5], %z: f32[40]) -> (f32[40], f32[5]) {
  %a = neg(%z) : f32[40]
  %zero = constant() {value = dense f32[]{0}} : f32[]
  %sum = reduce(%x, %zero) {axes = [0]} (%p: f32[], %q: f32[]) {
    %s = add(%p, %q) : f32[]
    return %s
  } : f32[5]
  return %a, %sum
}
)"),
                                    {});
  const runtime::Executable& executable = *compiled.executable;
  ASSERT_EQ(executable.launch_count(), 2);
  EXPECT_EQ(executable.kernels().size(), 2u);
  alignas(64) float x[40], negative[40], sums[5];
  for (int i = 0; i < 40; ++i) x[i] = static_cast<float>(i + 1);
  const void* arguments[] = {x, x};
  void* results[] = {negative, sums};
  executable.run(arguments, results);
  for (int i = 0; i < 40; ++i) EXPECT_EQ(negative[i], -x[i]);
  for (int j = 0; j < 5; ++j) EXPECT_EQ(sums[j], static_cast<float>(8 * (j + 1) + 5 * 28));
}

// --- makers and those who wait for them

KernelRequest request(kernel::Kernel kernel) {
  std::string form = kernel::canonical_form(kernel);
  const uint64_t hash = kernel::hash_of_form(form);
  return {hash, std::move(form), std::move(kernel)};
}

// y = x + number, for a number that no other test uses.
kernel::Kernel adds(float number) {
  testing::KernelBuilder b("adds");
  const kernel::BufferId x = b.input(DType::kF32, 64), y = b.output(DType::kF32, 64);
  const kernel::ScalarId n = b.literal(number);
  b.parallel_lanes(64, [&](Index i) { b.store(y, i, b.let("add", {b.load(x, i), n})); });
  return b.finish();
}

// Stores a scalar that nobody makes.
kernel::Kernel broken(float number) {
  kernel::Kernel kernel = adds(number);
  auto& loop = std::get<kernel::Loop>(kernel.body.stmts.back().node);
  std::get<kernel::Store>(loop.body.stmts.back().node).value = kernel.add_scalar(DType::kF32);
  return kernel;
}

CacheAnswer ask(kernel::Kernel kernel) {
  std::vector<KernelRequest> requests;
  requests.push_back(request(std::move(kernel)));
  return find_or_compile(std::move(requests), backend::host_backend(), codegen::detect_target(), {});
}

TEST(KernelCacheTest, EqualHashesAreComparedByForm) {
  const AllHashesAreEqual collisions;
  const CacheAnswer one = ask(adds(101)), two = ask(adds(102)), again = ask(adds(101));
  EXPECT_EQ(two.compiled, 1);
  EXPECT_EQ(again.compiled, 0);
  EXPECT_NE(one.kernels[0], two.kernels[0]);
  EXPECT_EQ(one.kernels[0], again.kernels[0]);
}

TEST(KernelCacheTest, ThreadsCompileAKernelOnce) {
  for (int round = 0; round < 10; ++round) {
    std::atomic<int> compiled = 0;
    std::barrier start(4);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        // Half of them ask in the other order: nobody waits with a kernel of its own undone.
        std::vector<KernelRequest> requests;
        for (int k = 0; k < 3; ++k)
          requests.push_back(request(adds(static_cast<float>(200 + 3 * round + (t % 2 == 0 ? k : 2 - k)))));
        start.arrive_and_wait();
        compiled +=
            find_or_compile(std::move(requests), backend::host_backend(), codegen::detect_target(), {})
                .compiled;
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(compiled, 3);
  }
}

// What becomes of a request. All who wait for a kernel get one exception, which is looked at when no thread
// may be letting go of it: the thread sanitizer does not see how the library counts its owners.
std::exception_ptr ask_for(std::vector<KernelRequest> requests) {
  try {
    find_or_compile(std::move(requests), backend::host_backend(), codegen::detect_target(), {});
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

std::exception_ptr ask_for(kernel::Kernel kernel) {
  std::vector<KernelRequest> requests;
  requests.push_back(request(std::move(kernel)));
  return ask_for(std::move(requests));
}

std::string message_of(const std::exception_ptr& thrown) {
  if (thrown == nullptr) return "no error";
  try {
    std::rethrow_exception(thrown);
  } catch (const InternalError& error) {
    return error.what();
  }
}

TEST(KernelCacheTest, AnErrorReachesAllAndTheNextTriesAgain) {
  std::exception_ptr errors[4];
  std::barrier start(4);
  std::vector<std::thread> threads;
  for (std::exception_ptr& error : errors) {
    threads.emplace_back([&] {
      start.arrive_and_wait();
      error = ask_for(broken(301));
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::string again = message_of(ask_for(broken(301)));
  EXPECT_NE(again.find("scalar %3 is used before it is made"), std::string::npos) << again;
  for (const std::exception_ptr& error : errors) EXPECT_EQ(message_of(error), again);
  // One that fails takes no other along.
  std::vector<KernelRequest> requests;
  requests.push_back(request(broken(301)));
  requests.push_back(request(adds(302)));
  EXPECT_EQ(message_of(ask_for(std::move(requests))), again);
  EXPECT_EQ(ask(adds(302)).compiled, 0);
}

}  // namespace
}  // namespace ingot::compiler
