// NamedScope: what is traced in it says so, wherever it ends up.
#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "frontend/testing.h"

namespace ingot {
namespace {

using testing::counting;
using testing::error_of;

// The traced program with its scopes, and without its lines.
template <class F, class... Args>
std::string scopes(const F& f, const Args&... args) {
  std::string text = jit(f, {.name = "f"}).lower(args...).text(), found;
  for (size_t at = text.find(" loc("); at != std::string::npos; at = text.find(" loc(", at + 1)) {
    const size_t line = text.rfind('\n', at) + 1, in = text.find(" in \"", at), end = text.find('\n', at);
    const size_t equals = text.find(" = ", line);
    if (equals > at) continue;
    const size_t name = text.find_first_not_of(' ', line);
    found += text.substr(name, equals - name) + ":";
    if (in < end) found += text.substr(in + 5, text.find('"', in + 5) - in - 5);
    found += " ";
  }
  return found;
}

TEST(ScopeTest, WhatIsTracedInAScopeSaysSo) {
  const auto f = [](Array x) {
    const Array a = sin(x);
    NamedScope outer("encoder");
    const Array b = cos(a);
    const Array c = [&] {
      NamedScope inner("attention");
      return exp(b);
    }();
    return c + a;
  };
  EXPECT_EQ(scopes(f, counting({3})), "%sin: %cos:encoder %exp:encoder/attention %add:encoder ");
}

TEST(ScopeTest, LoopsAndBranchesStandInTheirScopes) {
  const auto f = [](Array x) {
    NamedScope scope("loop");
    const auto [last, all] = scan(
        [](Array carry, Array row) {
          NamedScope step("step");
          const Array next = carry * row;
          return std::pair(next, next);
        },
        x[0], x);
    return all;
  };
  const std::string found = scopes(f, counting({3}));
  EXPECT_NE(found.find("%mul:loop/step "), std::string::npos) << found;
}

TEST(ScopeTest, FunctionsHaveTheirOwnAndStandBehindTheCallWhereTheyAreExpanded) {
  const auto inner = jit([](Array x) {
    NamedScope scope("inner");
    return exp(x);
  });
  const auto f = jit([&](Array x) {
    NamedScope scope("outer");
    return inner(x) + inner(x * 2.0f);
  });
  const Array x = counting({3});
  const std::string traced = f.lower(x).text();
  EXPECT_NE(traced.find("in \"inner\""), std::string::npos) << traced;
  EXPECT_EQ(traced.find("in \"outer/inner\""), std::string::npos) << traced;
  const Compiled compiled = f.compile(x);
  EXPECT_NE(compiled.text().find("in \"outer/inner\""), std::string::npos) << compiled.text();
  bool told = false;
  for (const KernelInfo& kernel : compiled.kernels()) {
    for (const std::string& line : kernel.source_lines) told = told || line.ends_with(" in outer/inner");
  }
  EXPECT_TRUE(told);
}

TEST(ScopeTest, DerivativesAndBatchesKeepThem) {
  const auto f = [](Array x) {
    NamedScope scope("loss");
    return sum(sin(x));
  };
  const std::string gradient = jit(grad(f)).compile(counting({3})).text();
  EXPECT_NE(gradient.find("in \"loss\""), std::string::npos) << gradient;
  const std::string batch = jit(vmap(f)).compile(counting({2, 3})).text();
  EXPECT_NE(batch.find("in \"loss\""), std::string::npos) << batch;
}

TEST(ScopeTest, OutsideOfATraceItDoesNothing) {
  const auto f = [](Array x) { return exp(x); };
  NamedScope scope("outside");
  EXPECT_EQ(scopes(f, counting({3})), "%exp: ");
  EXPECT_EQ(exp(Array(0.0f)).item<float>(), 1);
}

// One that lives on, or ends on another thread, harms nobody.
TEST(ScopeTest, MayOutliveItsTrace) {
  std::unique_ptr<NamedScope> kept;
  const auto first = [&](Array x) {
    kept = std::make_unique<NamedScope>("kept");
    return exp(x);
  };
  EXPECT_EQ(scopes(first, counting({3})), "%exp:kept ");
  EXPECT_EQ(scopes([](Array x) { return sin(x); }, counting({3})), "%sin: ");
  std::thread([&] { kept.reset(); }).join();
}

TEST(ScopeTest, BadNamesAreToldAtTheLine) {
  for (const char* name : {"", "a\nb", "\x7f"}) {
    const int here = __LINE__ + 1;
    const std::string error = error_of([&] { NamedScope scope(name); });
    EXPECT_EQ(error.find(testing::line(here) + "NamedScope: the name is "), 0u) << error;
  }
}

}  // namespace
}  // namespace ingot
