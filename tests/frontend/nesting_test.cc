// Functions inside of functions and loops inside of loops: what a level costs, how many there may be, and
// that what comes out can be read again.
#include <functional>

#include "frontend/testing.h"
#include "frontend/trace.h"
#include "ir/depth.h"
#include "testing/on_stack.h"

namespace ingot {
namespace {

using testing::error_of;
constexpr size_t kRoom = 64 << 10;  // KiB: enough for all levels, under sanitizers too
using Function = std::function<Array(Array)>;

Function calls(int depth) {
  Function f = [](Array x) { return exp(x); };
  for (int i = 1; i < depth; ++i) f = [g = jit(f)](Array x) { return g(x * 0.5f) + 1.0f; };
  return f;
}

Function loops(int depth) {
  Function f = [](Array x) { return x + 1.0f; };
  for (int i = 1; i < depth; ++i) {
    f = [g = f](Array x) {
      return scan([g](Array carry, Array each) { return std::pair(g(carry * 0.5f), each); }, x,
                  Array::ones({1}))
          .first;
    };
  }
  return f;
}

TEST(NestingTest, AFunctionKeepsItsOwnOperationsAlone) {
  using detail::TracedFunction;
  const auto type = detail::intern_type(DType::kF32, {3});
  std::shared_ptr<const TracedFunction> traced;
  for (int i = 1; i <= 40; ++i) {
    traced = detail::trace_function(
        "f", {type}, {"x"},
        [&](const std::vector<Array>& x) {
          const Array y = exp(x[0]);
          return detail::Outputs{{traced == nullptr ? y : detail::emit_call(traced, {y}, {})[0]}, nullptr};
        },
        nullptr, {});
    EXPECT_EQ(traced->own->functions().size(), i == 1 ? 1u : 2u);
    EXPECT_EQ(traced->own->functions().front()->body().ops().size(), i == 1 ? 2u : 3u);
    EXPECT_EQ(traced->depth(), i);
  }
  EXPECT_EQ(traced->module().functions().size(), 40u);
  EXPECT_EQ(ir::depth(traced->module()), 40);
  ir::verify(traced->module());
}

TEST(NestingTest, DeepProgramsCompileAndReadBack) {
  const Array x = Array::ones({3});
  const auto check = [&](const Function& f, int depth, float result) {
    const auto lowered = jit(f).lower(x);
    for (const std::string& text : {lowered.text(), lowered.compile().text()})
      EXPECT_EQ(ir::to_string(*ir::parse(text)), text);
    EXPECT_EQ(ir::depth(*ir::parse(lowered.text())), depth);
    EXPECT_EQ(jit(f)(x).to_vector<float>()[0], result);
  };
  testing::on_stack(kRoom, [&] {
    check(calls(400), 400, 400);
    check(loops(60), 60, 1);
  });
}

TEST(NestingTest, DeeperThanMayBeIsAnErrorAtTheLine) {
  testing::on_stack(kRoom, [] {
    const Array x = Array::ones({3});
    for (const Function& f : {calls(ir::kMostNested + 1), loops(ir::kMostNested + 1)}) {
      const std::string error = error_of([&] { jit(f).lower(x); });
      EXPECT_NE(error.find("nesting_test.cc:"), std::string::npos) << error;
      EXPECT_NE(error.find("functions and loops are nested 501 deep here, of which only 500 can be compiled"),
                std::string::npos)
          << error;
    }
    // The same where each function had been traced before.
    Function f = [](Array y) { return exp(y); };
    std::string error;
    for (int i = 0; error.empty() && i < 600; ++i) {
      const auto g = jit(f);
      f = [g](Array y) { return g(y); };
      try {
        jit(f).lower(x);
      } catch (const Error& e) {
        error = e.what();
        EXPECT_EQ(i, ir::kMostNested - 1);
      }
    }
    EXPECT_NE(error.find("nested 501 deep here"), std::string::npos) << error;
  });
}

// Threads have smaller stacks than the program.
TEST(NestingTest, ASmallStackIsAnErrorAtTheLine) {
  const auto message = [](const Function& f) -> std::string {
    try {
      jit(f)(Array::ones({3}));
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  std::string of_calls, of_loops, of_few;
  testing::on_stack(768, [&] {
    of_calls = message(calls(400));
    of_loops = message(loops(400));
    of_few = message(calls(3));
  });
  for (const std::string& error : {of_calls, of_loops}) {
    EXPECT_NE(error.find("nesting_test.cc:"), std::string::npos) << error;
    EXPECT_NE(error.find("KiB left; give it more"), std::string::npos) << error;
  }
  EXPECT_EQ(of_few, "no error");
}

}  // namespace
}  // namespace ingot
