// Programs on threads whose stack is small: what does not fit is an error, or runs on a stack that is made
// for it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "compiler/compiler.h"
#include "interpreter/interpreter.h"
#include "ir/text.h"
#include "testing/on_stack.h"

namespace ingot::compiler {
namespace {

// Two steps that take sines and cosines, in turn, of so many numbers, each by a factor of its own, and put
// them together: each element of the carry is chosen among as many pieces, of which no neighbours are alike.
std::string many_sines(int count) {
  const std::string n = std::to_string(count);
  std::string text = "func @main(%x0: f32[" + n + "]) -> (f32[" + n +
                     "]) {\n  %y = scan(%x0) {carries = 1, length = 2, " +
                     "reverse = false, scanned = 0, xs_axes = [], ys_axes = []} (%x: f32[" + n + "]) {\n",
              all;
  for (int i = 0; i < count; ++i) {
    const std::string k = std::to_string(i);
    text += "  %c" + k + " = constant() {value = dense f32[1]{" + k + ".5}} : f32[1]\n  %p" + k +
            " = slice(%x) {starts = [" + k + "], limits = [" + std::to_string(i + 1) +
            "], strides = [1]} : f32[1]\n  %m" + k + " = mul(%p" + k + ", %c" + k + ") : f32[1]\n  %s" + k +
            (i % 2 == 0 ? " = sin" : " = cos") + "(%m" + k + ") : f32[1]\n";
    all += (i == 0 ? "%s" : ", %s") + k;
  }
  return text + "  %r = concatenate(" + all + ") {axis = 0} : f32[" + n + "]\n  return %r\n  } : f32[" + n +
         "]\n  return %y\n}\n";
}

TEST(SmallStackTest, AKernelRunsWhereItsFrameDoesNotFit) {
  constexpr int kCount = 320;
  const Compiled compiled = compile(ir::parse(many_sines(kCount)));
  size_t frame = 0;
  for (const auto& kernel : compiled.executable->kernels()) frame = std::max(frame, kernel->stack_bytes);
  ASSERT_GT(frame, size_t{32} << 10) << "too small to show anything";
  alignas(64) float x[kCount], results[2][kCount] = {};
  for (int i = 0; i < kCount; ++i) x[i] = 0.01f * static_cast<float>(i);
  const auto run = [&](float* result) {
    const void* const arguments[] = {x};
    void* const places[] = {result};
    compiled.executable->run(arguments, places);
  };
  run(results[0]);
  testing::on_stack((frame >> 10) - 16, [&] { run(results[1]); });
  for (int i = 0; i < kCount; ++i) {
    EXPECT_EQ(results[0][i], results[1][i]) << i;
    const float factor = static_cast<float>(i) + 0.5f;
    const auto step = [&](float v) { return i % 2 == 0 ? std::sin(v * factor) : std::cos(v * factor); };
    EXPECT_NEAR(results[0][i], step(step(x[i])), 1e-3) << i;
  }
}

// Whoever walks a program asks first; here it was made, or read, where there was more room.
TEST(SmallStackTest, DeepProgramsAreNotBegun) {
  constexpr int kDepth = 400;
  std::string text;
  for (int i = 0; i < kDepth; ++i) {
    const std::string callee =
        i + 1 < kDepth ? "call(%x) {callee = @f" + std::to_string(i + 1) + "}" : "exp(%x)";
    text += "func @f" + std::to_string(i) + "(%x: f32[3]) -> (f32[3]) {\n  %y = " + callee +
            " : f32[3]\n  return %y\n}\n";
  }
  std::unique_ptr<ir::Module> module;
  testing::on_stack(32 << 10, [&] { module = ir::parse(text); });
  std::string compiling = "it was compiled", interpreting = "it was interpreted";
  testing::on_stack(768, [&] {
    try {
      const Tensor x = Tensor::of<float>({3}, {1, 2, 3});
      interpret(*module, {&x, 1});
    } catch (const Error& error) {
      interpreting = error.what();
    }
    try {
      compile(std::move(module));
    } catch (const Error& error) {
      compiling = error.what();
    }
  });
  for (const std::string& message : {compiling, interpreting}) {
    EXPECT_EQ(message.find("the program is nested 400 deep, which takes "), 0u) << message;
    EXPECT_NE(message.find(" KiB left; give it more (ulimit -s, or the attributes of the thread)"),
              std::string::npos)
        << message;
  }
}

}  // namespace
}  // namespace ingot::compiler
