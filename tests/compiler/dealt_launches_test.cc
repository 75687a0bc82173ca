// The hard way to launch finds what it is there to find: kernels written by hand, each with one fault.
#include "testing/dealt_launches.h"

#include <gtest/gtest.h>

#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "compiler/compiler.h"
#include "ir/text.h"
#include "runtime/test_kernels.h"

namespace ingot::compiler {
namespace {

using runtime::ParameterInfo;
using testing::DealOptions;
using testing::DealtLaunches;
using testing::Guard;

constexpr int64_t kUnits = 7;

// out[i] for x[i], of seven floats, by the kernel that does it.
std::vector<float> launched(KernelFunction function, const DealOptions& options,
                            std::string* changed = nullptr) {
  const std::vector<ParameterInfo> parameters = {{DType::kF32, {kUnits}, false},
                                                 {DType::kF32, {kUnits}, true}};
  auto kernel = runtime::make_kernel("planted", 1, function, kUnits, parameters);
  kernel->scratch_bytes = 100;
  std::vector<float> x = {0, 1, 2, 3, 4, 5, 6}, out(kUnits, -1);
  void* buffers[] = {x.data(), out.data()};
  DealtLaunches dealt(options);
  launch(*kernel, buffers);
  if (changed) *changed = dealt.changed_input();
  return out;
}

float& at(void* const* buffers, int which, int64_t i) {
  return static_cast<float*>(buffers[which])[i];
}

void copy(void* const* buffers, int64_t begin, int64_t end, void*) {
  for (int64_t i = begin; i < end; ++i) at(buffers, 1, i) = at(buffers, 0, i);
}

TEST(DealtLaunchesTest, RightKernelsStayRight) {
  const std::vector<float> want = {0, 1, 2, 3, 4, 5, 6};
  for (int threads : {1, 2, 3, 10}) {
    for (bool backwards : {false, true}) {
      std::string changed;
      EXPECT_EQ(launched(copy, {threads, backwards}, &changed), want);
      EXPECT_EQ(launched(copy, {threads, backwards, 0, Guard::kBefore}, &changed), want);
      EXPECT_EQ(launched(copy, {threads, backwards, 0, Guard::kBehind}, &changed), want);
      EXPECT_EQ(changed, "");
    }
  }
}

std::mutex seen_mutex;
std::multiset<std::thread::id> seen;

TEST(DealtLaunchesTest, AllThreadsTakePartInTheSmallestKernels) {
  seen.clear();
  launched(
      [](void* const*, int64_t begin, int64_t end, void*) {
        EXPECT_EQ(end, begin + 1);
        std::lock_guard lock(seen_mutex);
        seen.insert(std::this_thread::get_id());
      },
      {3});
  EXPECT_EQ(seen.size(), 7u);
  EXPECT_EQ(std::set(seen.begin(), seen.end()).size(), 3u);
  for (std::thread::id id : seen) EXPECT_GE(seen.count(id), 2u);
}

TEST(DealtLaunchesTest, CompiledProgramsAreShared) {
  const Compiled compiled = compile(ir::parse(R"(
func @main(%x: f32[61,103]) -> (f32[61,103], f32[61]) {
  %c = constant() {value = dense f32[]{0}} : f32[]
  %s = sin(%x) : f32[61,103]
  %r = reduce(%s, %c) {axes = [1]} (%a: f32[], %b: f32[]) {
    %o = add(%a, %b) : f32[]
    return %o
  } : f32[61]
  return %s, %r
}
)",
                                              "test.ir"),
                                    {});
  std::vector<float> x(61 * 103, 1), y(61 * 103), r(61);
  const void* in[] = {x.data()};
  void* out[] = {y.data(), r.data()};
  DealtLaunches dealt({3});
  compiled.executable->run(in, out);
  EXPECT_GT(dealt.launches(), 0);
  EXPECT_EQ(dealt.shared_launches(), dealt.launches());
}

TEST(DealtLaunchesTest, UnitsThatDependOnEachOtherDiffer) {
  const KernelFunction function = [](void* const* buffers, int64_t begin, int64_t end, void*) {
    for (int64_t i = begin; i < end; ++i) at(buffers, 1, i) = at(buffers, 1, i > 0 ? i - 1 : 0) + 1;
  };
  EXPECT_NE(launched(function, {1, false}), launched(function, {1, true}));
}

TEST(DealtLaunchesTest, ScratchIsGarbage) {
  const KernelFunction function = [](void* const* buffers, int64_t begin, int64_t end, void* scratch) {
    for (int64_t i = begin; i < end; ++i) at(buffers, 1, i) = static_cast<unsigned char*>(scratch)[99];
  };
  EXPECT_EQ(launched(function, {2, false, 0xff})[3], 255);
  EXPECT_EQ(launched(function, {2, false, 0x5a})[3], 0x5a);
}

TEST(DealtLaunchesTest, ChangedInputsAreSeen) {
  const KernelFunction function = [](void* const* buffers, int64_t begin, int64_t, void*) {
    at(buffers, 0, begin) += 1;
  };
  std::string changed;
  launched(function, {2, false, 0, Guard::kBehind}, &changed);
  EXPECT_EQ(changed, "planted");
}

TEST(DealtLaunchesDeathTest, AccessOutsideOfABufferEndsTheProcess) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const KernelFunction behind = [](void* const* buffers, int64_t begin, int64_t end, void*) {
    for (int64_t i = begin; i < end; ++i) at(buffers, 1, i) = at(buffers, 0, i + 1);
  };
  const KernelFunction before = [](void* const* buffers, int64_t begin, int64_t end, void*) {
    for (int64_t i = begin; i < end; ++i) at(buffers, 1, i) = at(buffers, 0, i - 1);
  };
  const KernelFunction writes = [](void* const* buffers, int64_t begin, int64_t end, void*) {
    for (int64_t i = begin; i < end; ++i) at(buffers, 1, i + 1) = 0;
  };
  const std::string said = "memory that is not its own was touched in planted";
  EXPECT_DEATH(launched(behind, {2, false, 0, Guard::kBehind}), said);
  EXPECT_DEATH(launched(before, {2, false, 0, Guard::kBefore}), said);
  EXPECT_DEATH(launched(writes, {2, false, 0, Guard::kBehind}), said);
}

}  // namespace
}  // namespace ingot::compiler
