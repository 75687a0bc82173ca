// Where the system gives a process no more memory, compiling is an error at the user's line, and works again
// once there is memory.
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <new>

#include "frontend/testing.h"
#include "testing/sanitized.h"

namespace ingot {
namespace {

// So much more address space than the process has now, for as long as the object lives.
class AddressSpace {
 public:
  explicit AddressSpace(int64_t mib) {
    int64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    getrlimit(RLIMIT_AS, &before_);
    rlimit less = before_;
    less.rlim_cur = static_cast<rlim_t>(pages * sysconf(_SC_PAGESIZE) + (mib << 20));
    if (pages == 0 || setrlimit(RLIMIT_AS, &less) != 0) std::_Exit(2);
  }
  ~AddressSpace() { setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_;
};

// What takes much to compile.
const auto kBody = [](Array x) {
  const Array y =
      while_loop([](Array v) { return sum(v) < 1e6f; }, [](Array v) { return matmul(v, v) + v; }, x);
  const Array z = cond(
      sum(y) > 0, [](Array v) { return softmax(matmul(v, v)); }, [](Array v) { return cumsum(v, 0); }, y);
  return sum(cumsum(exp(x), 0) + z, 1);
};

// All memory that the process can get, so that none is left in its heap either.
class AllMemory {
 public:
  AllMemory() {
    for (size_t bytes = size_t{1} << 20; bytes >= sizeof(Block); bytes /= 2) {
      while (void* memory = std::malloc(bytes)) first_ = new (memory) Block{first_};
    }
  }
  ~AllMemory() {
    while (Block* block = first_) {
      first_ = block->next;
      std::free(block);
    }
  }

 private:
  struct Block {
    Block* next;
  };
  Block* first_ = nullptr;
};

// Ends with 0 if memory was enough, with 7 if it was not, was said so, and the same works with more.
[[noreturn]] void compile_within(int64_t mib, bool none_in_the_heap = false) {
  set_num_threads(2);
  const Array x = Array::full({64, 64}, 0.5f);
  const auto f = jit(kBody, {.name = "f"});
  std::string message;
  try {
    const AddressSpace little(mib);
    const auto all = none_in_the_heap ? std::make_unique<AllMemory>() : nullptr;
    f(x);
  } catch (const Error& error) {
    message = error.what();
  } catch (const std::bad_alloc&) {
    std::_Exit(8);
  }
  if (message.empty()) std::_Exit(0);
  std::fprintf(stderr, "told: %s\n", message.c_str());
  std::_Exit(f(x).shape() == Shape{64} ? 7 : 9);
}

TEST(LowMemoryTest, CompilingWithoutMemoryIsAnErrorAtTheLine) {
  if (testing::under_sanitizer()) GTEST_SKIP() << "sanitizers end the process where they get no more memory";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const int64_t mib : {0, 1, 16}) {
    EXPECT_EXIT(compile_within(mib), ::testing::ExitedWithCode(7),
                "told: [^ ]*low_memory_test.cc:[0-9]*: not enough memory to compile 'f'")
        << mib << " MiB";
  }
  EXPECT_EXIT(compile_within(1, true), ::testing::ExitedWithCode(7),
              "told: [^ ]*low_memory_test.cc:[0-9]*: not enough memory to (compile|call) 'f'");
  EXPECT_EXIT(compile_within(4096), ::testing::ExitedWithCode(0), "");
}

int without_memory = 0;  // so many traces from here on

Array needs_memory(const Array& x) {
  if (without_memory-- > 0) throw std::bad_alloc();
  return x + 1;
}

// The function around is made again as a whole, and the error is about that one.
TEST(LowMemoryTest, MemoryThatEndsInsideOfATraceIsToldToWhoeverCompilesTheWhole) {
  const Array x(2.0f);
  const auto of = [&](int times) {
    without_memory = times;
    const auto inner =
        jit([](Array y) { return needs_memory(y); }, {.name = "inner_of_" + std::to_string(times)});
    const auto outer = jit([=](Array y) { return inner(y) * 2; }, {.name = "outer"});
    return outer(x).item<float>();
  };
  EXPECT_EQ(of(1), 6);
  const std::string told = testing::error_of([&] { of(2); });
  EXPECT_NE(told.find("low_memory_test.cc:"), std::string::npos) << told;
  EXPECT_NE(told.find("not enough memory to compile 'outer'"), std::string::npos) << told;
  EXPECT_EQ(of(0), 6);

  without_memory = 1;  // where a derivative asks for a rule
  const auto f = custom_jvp([](Array y) { return y; },
                            [](std::tuple<Array> y, std::tuple<Array> t) {
                              return std::pair(std::get<0>(y), needs_memory(std::get<0>(t)));
                            });
  EXPECT_EQ(f(x).item<float>(), 2);
  EXPECT_EQ(grad(f)(x).item<float>(), 1);
}

}  // namespace
}  // namespace ingot
