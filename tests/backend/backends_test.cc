// Back ends behind their interface: the registry, memory that the host cannot touch, and programs that never
// touch it.
#include <gtest/gtest.h>

#include <csignal>

#include "backend/backend.h"
#include "compiler/compiler.h"
#include "compiler/kernel_cache.h"
#include "ingot/error.h"
#include "interpreter/interpreter.h"
#include "ir/text.h"
#include "runtime/buffer_pool.h"
#include "testing/run_executable.h"
#include "testing/sanitized.h"
#include "testing/tensors.h"

namespace ingot::backend {
namespace {

using runtime::Buffer;

TEST(BackendsTest, AreKnownByName) {
  EXPECT_EQ(host_backend().name(), "cpu");
  EXPECT_EQ(&backend_named("cpu"), &host_backend());
  EXPECT_EQ(backend_named("interpret").name(), "interpret");
  try {
    backend_named("gpu");
    FAIL() << "there is a back end called gpu";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "INGOT_BACKEND: there is no back end 'gpu'; there are cpu, interpret (unset: cpu)");
  }
}

TEST(BackendsTest, BuffersKnowWhereTheyLie) {
  const std::shared_ptr<Buffer> here = host_backend().memory().allocate(100, nullptr);
  EXPECT_EQ(here->memory_space(), runtime::MemorySpace::kHost);
  EXPECT_EQ(here->device().kind, "cpu");
  const std::shared_ptr<Buffer> there = backend_named("interpret").memory().allocate(100, nullptr);
  EXPECT_EQ(there->memory_space(), runtime::MemorySpace::kDevice);
  EXPECT_EQ(there->device().kind, "interpret");
  EXPECT_FALSE(there->is_of_others());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(there->data()) % 64, 0u);
}

TEST(BackendsTest, BytesGoToTheDeviceAndBack) {
  const runtime::DeviceMemory& memory = backend_named("interpret").memory();
  const std::string text = "0123456789abcdef";
  const auto a = memory.allocate(text.size(), nullptr), b = memory.allocate(text.size(), nullptr);
  const auto read = [&](const Buffer& buffer) {
    std::string got(text.size(), '?');
    memory.read(got.data(), buffer.data(), got.size());
    return got;
  };
  memory.write(a->data(), text.data(), text.size());
  EXPECT_EQ(read(*a), text);
  // The second half before the first one.
  memory.copy_pieces(b->data(), 8, static_cast<const std::byte*>(a->data()) + 8, -8, 2, 8);
  EXPECT_EQ(read(*b), "89abcdef01234567");
  memory.swap(a->data(), b->data(), text.size());
  EXPECT_EQ(read(*a), "89abcdef01234567");
  EXPECT_EQ(read(*b), text);
}

TEST(BackendsTest, MemoryOfTheDeviceIsReused) {
  const runtime::DeviceMemory& memory = backend_named("interpret").memory();
  const void* first = memory.allocate(3 << 20, nullptr)->data();
  EXPECT_EQ(memory.allocate(3 << 20, nullptr)->data(), first);
  EXPECT_THROW(memory.allocate(size_t{1} << 45, "too much"), Error);
}

TEST(BackendsDeathTest, AHostThatReadsAHandleIsStopped) {
  if (testing::under_sanitizer()) GTEST_SKIP() << "a sanitizer reports the signal itself";
  const auto buffer = backend_named("interpret").memory().allocate(64, nullptr);
  const auto* handle = static_cast<const volatile int*>(buffer->data());
  EXPECT_EXIT(std::exit(handle[0]), ::testing::KilledBySignal(SIGSEGV), "");
}

compiler::Options for_backend(std::string_view name) {
  compiler::Options options;
  options.backend = &backend_named(name);
  return options;
}

// Whatever a plan can hold: constants, loops with carries and stacks, a while, a choice, a sort by a
// comparator, a contraction, results in the place of arguments.
constexpr const char* kPrograms[] = {
    R"(func @main(%x: f32[5,7], %y: f32[7,3]) -> (f32[5,3]) {
  %d = dot_general(%x, %y) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : f32[5,3]
  %c = constant() {value = dense f32[3]{1, 2, 3}} : f32[3]
  %b = broadcast(%c) {dims = [1], shape = [5, 3]} : f32[5,3]
  %e = exp(%b) : f32[5,3]
  %s = add(%d, %e) : f32[5,3]
  return %s
})",
    // Sorts by a comparator are routines: what holds one is no kernel.
    R"(func @main(%i: s32[], %x: f32[9]) -> (f32[9]) {
  %y = cond(%i, %x) (%a: f32[9]) {
    %b = sort(%a) {axis = 0, stable = true} (%ua: f32[], %ub: f32[]) {
      %us = sin(%ua) : f32[]
      %ut = sin(%ub) : f32[]
      %ul = compare(%us, %ut) {direction = "lt"} : pred[]
      return %ul
    } : f32[9]
    return %b
  } (%c: f32[9]) {
    %d = neg(%c) : f32[9]
    return %d
  } : f32[9]
  return %y
})",
    R"(func @main(%x: f32[9], %z: f32[4,9]) -> (f32[9], f32[9,4]) {
  %y, %all = scan(%x, %z) {carries = 1, length = 4, reverse = false, scanned = 1, xs_axes = [0], ys_axes = [1]} (%a: f32[9], %s: f32[9]) {
    %n = add(%a, %s) : f32[9]
    %b = sort(%n) {axis = 0, stable = true} (%ua: f32[], %ub: f32[]) {
      %us = sin(%ua) : f32[]
      %ut = sin(%ub) : f32[]
      %ul = compare(%us, %ut) {direction = "lt"} : pred[]
      return %ul
    } : f32[9]
    return %b, %n
  } : f32[9], f32[9,4]
  return %y, %all
})",
    R"(func @main(%x: f32[9]) -> (f32[9], s32[]) {
  %zero = constant() {value = dense s32[]{0}} : s32[]
  %y, %i = while(%x, %zero) {carries = 2} (%a: f32[9], %j: s32[]) {
    %five = constant() {value = dense s32[]{5}} : s32[]
    %more = compare(%j, %five) {direction = "lt"} : pred[]
    return %more
  } (%b: f32[9], %k: s32[]) {
    %t = sort(%b) {axis = 0, stable = true} (%ua: f32[], %ub: f32[]) {
      %us = sin(%ua) : f32[]
      %ut = sin(%ub) : f32[]
      %ul = compare(%us, %ut) {direction = "lt"} : pred[]
      return %ul
    } : f32[9]
    %r = reverse(%t) {axes = [0]} : f32[9]
    %e = tanh(%r) : f32[9]
    %one = constant() {value = dense s32[]{1}} : s32[]
    %k1 = add(%k, %one) : s32[]
    return %e, %k1
  } : f32[9], s32[]
  return %y, %i
})",
    // Loops of short kernels alone, which the host runs flat.
    R"(func @main(%x: f32[40,3], %w: f32[3,3]) -> (f32[3,3], f32[40,3,3]) {
  %y, %all = scan(%w, %x) {carries = 1, length = 40, reverse = true, scanned = 1, xs_axes = [0], ys_axes = [0]} (%a: f32[3,3], %s: f32[3]) {
    %n = dot_general(%a, %a) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : f32[3,3]
    %b = broadcast(%s) {dims = [1], shape = [3, 3]} : f32[3,3]
    %m = add(%n, %b) : f32[3,3]
    %t = tanh(%m) : f32[3,3]
    return %t, %n
  } : f32[3,3], f32[40,3,3]
  return %y, %all
})",
};

TEST(BackendsTest, ProgramsMeanTheSame) {
  testing::Random random(7);
  for (const char* text : kPrograms) {
    const std::unique_ptr<ir::Module> module = ir::parse(text);
    const std::vector<Tensor> arguments = testing::random_arguments(random, *module);
    const compiler::Compiled compiled = compiler::compile(ir::clone(*module), for_backend("interpret"));
    EXPECT_EQ(compiled.executable->plan().memory->space(), runtime::MemorySpace::kDevice);
    EXPECT_TRUE(compiled.executable->plan().memory->launched().done());
    EXPECT_EQ(testing::difference(testing::run_executable(*compiled.executable, arguments),
                                  interpret(*module, arguments), 1e-5),
              "")
        << text;
  }
}

// The same kernel is another one for another device.
TEST(BackendsTest, EachHasKernelsOfItsOwn) {
  const auto compiled = [](std::string_view name) {
    return compiler::compile(ir::parse(R"(func @main(%x: f32[31,43]) -> (f32[31,43]) {
  %y = mul(%x, %x) : f32[31,43]
  return %y
})"),
                             for_backend(name));
  };
  const compiler::Compiled here = compiled("cpu"), there = compiled("interpret");
  EXPECT_EQ(there.kernels_compiled, 1);
  EXPECT_EQ(compiled("cpu").kernels_compiled, 0);
  EXPECT_EQ(compiled("interpret").kernels_compiled, 0);
  EXPECT_EQ(here.executable->kernels()[0]->hash, there.executable->kernels()[0]->hash);
  EXPECT_NE(here.executable->kernels()[0]->function, nullptr);
  EXPECT_EQ(there.executable->kernels()[0]->function, nullptr);
  EXPECT_TRUE(there.executable->kernels()[0]->counts_flops());
}

// Kernels that no program has any more make room for others.
TEST(BackendsTest, KernelsOfAllAreDropped) {
  for (const char* name : {"cpu", "interpret"}) {
    const auto compile = [&] {
      return compiler::compile(ir::parse(R"(func @main(%x: f32[29,3]) -> (f32[29,3]) {
  %y = cos(%x) : f32[29,3]
  return %y
})"),
                               for_backend(name));
    };
    {
      const compiler::Compiled held = compile();
      compiler::trim_kernels(0);
      EXPECT_EQ(compile().kernels_compiled, 0) << name;
    }
    compiler::trim_kernels(0);
    EXPECT_EQ(compile().kernels_compiled, 1) << name;
  }
}

}  // namespace
}  // namespace ingot::backend
