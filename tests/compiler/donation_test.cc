// A donated argument that no result takes is told, with its cause, and what is told to help does.
#include "compiler/compiler.h"
#include "compiler/reported_programs.h"

namespace ingot::testing {
namespace {

using compiler::Compiled;

template <class F, class... Args>
Compiled compiled(std::vector<int> donated, const F& f, const Args&... args) {
  auto module = ir::parse(jit(f, {.name = "f"}).lower(args...).text());
  for (int argument : donated) module->entry()->donated.insert(argument);
  return compiler::compile(std::move(module));
}

std::string notes_of(const Compiled& compiled) {
  std::string text;
  for (const pass::Note& note : compiled.notes) {
    if (note.pass == "donation") text += note.about + " " + note.text + "\n";
  }
  return text;
}

void expect_told(const Compiled& compiled, const std::string& start, const std::string& part) {
  const std::string notes = notes_of(compiled);
  EXPECT_TRUE(notes.starts_with(start + " is donated without effect: ")) << notes;
  EXPECT_NE(notes.find(part), std::string::npos) << notes;
  for (const auto& result : compiled.executable->entry().results) EXPECT_EQ(result.may_alias_argument, -1);
}

TEST(DonationTest, WhatTakesEffectIsNotTold) {
  EXPECT_EQ(notes_of(compiled(
                {0}, [](Array w, Array g) { return w - 0.1f * g; }, f32({64, 64}), f32({64, 64}))),
            "");
}

// Sizes of weights, which no power of two divides: units of elementwise work end where the next one begins.
TEST(DonationTest, TilesDoNotOverlap) {
  const auto step = [](Array w, Array g) { return w - 0.1f * g; };
  for (const Shape& shape : {Shape{1000, 1000}, Shape{784, 128}, Shape{300, 400}, Shape{100000}, Shape{8}})
    EXPECT_EQ(notes_of(compiled({0}, step, f32(shape), f32(shape))), "");
  for (const int64_t size : {8, 24, 1000}) {
    const Array w = Array::ones({size}, DType::kF64);
    EXPECT_EQ(notes_of(compiled(
                  {0}, [](Array x) { return x * 2 + 1; }, w)),
              "")
        << size;
  }
  expect_told(compiled({0}, step, f32({1021}), f32({1021})), "%arg0", "an extent that 16 divides would do");
}

// What is told to help helps, whatever the size was.
TEST(DonationTest, TheExtentThatIsToldTakesEffect) {
  const auto whole = [](Array x) { return x.astype(DType::kS32); };
  for (const int64_t size : {5, 9, 12, 24, 40, 56, 1021}) {
    expect_told(compiled({0}, whole, f32({size})), "%arg0", "an extent that 16 divides would do");
    EXPECT_EQ(notes_of(compiled({0}, whole, f32({(size + 15) / 16 * 16}))), "") << size;
  }
  expect_told(compiled({0}, whole, f32({4112})), "%arg0", "an extent that 4096 divides would do");
  for (const int64_t size : {2 * 4096, 25 * 4096})
    EXPECT_EQ(notes_of(compiled({0}, whole, f32({size}))), "") << size;
}

// In place or not, a result is what it is without donation.
TEST(DonationTest, AnySizeInAnyDType) {
  for (const DType dtype : {DType::kF32, DType::kF64, DType::kF16, DType::kS8, DType::kS64}) {
    for (const int64_t size :
         {1, 2, 3, 4, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 40, 63, 64, 65, 1000, 5000, 80000}) {
      const auto f = [](Array x) { return x * 3 + 1; };
      const auto first = [&] { return (arange(size, DType::kS64) % 41).astype(dtype); };
      const auto donating = jit(f, {.donate = {0}}), plain = jit(f);
      Array given = first();
      EXPECT_TRUE(all(donating(std::move(given)) == plain(first())).item<bool>())
          << name_of(dtype) << " " << size;
    }
  }
}

TEST(DonationTest, NoResultOfTheSameSize) {
  expect_told(compiled(
                  {0}, [](Array w) { return sum(w, 0); }, f32({64, 64})),
              "%arg0", "no result has 4096 elements of 4 bytes, as %arg0 (f32[64,64]) has");
}

TEST(DonationTest, AStepThatIsAlsoAProduct) {
  const auto step = [](Array w, Array x, Array d) { return w - 0.1f * dot(x, d); };
  const Compiled fused = compiled({0}, step, f32({64, 64}), f32({64, 32}), f32({32, 64}));
  EXPECT_EQ(notes_of(fused), "");
  EXPECT_EQ(fused.executable->entry().results[0].may_alias_argument, 0);
  // Where the last steps of a loop overlap; and as it says, where they do not.
  const auto copied = compiled({0}, step, f32({61, 61}), f32({61, 32}), f32({32, 61}));
  expect_told(copied, "%arg0", "points overlap on 3721 elements, the second time from what it has written; ");
  expect_told(compiled(
                  {0}, [](Array w, Array x) { return dot(w, x); }, f32({64, 64}), f32({64, 64})),
              "%arg0", "reads elements of it at other places than it writes at that time");
}

TEST(DonationTest, WhatIsReadLater) {
  const auto update = [](Array x, Array part, Array at, Array w) {
    return std::pair(dynamic_update_slice(x, part, {at, 0}), dot(x, w));
  };
  const auto w = f32({64, 24});
  expect_told(compiled({0}, update, f32({64, 64}), f32({5, 64}), s32({}), w), "%arg0",
              " reads it after the kernel ");
  // Of what was made of it instead, as it says.
  const auto cured = [](Array x, Array part, Array at, Array v) {
    const Array next = dynamic_update_slice(x, part, {at, 0});
    return std::pair(next, dot(next, v));
  };
  const Compiled better = compiled({0}, cured, f32({64, 64}), f32({5, 64}), s32({}), w);
  EXPECT_EQ(notes_of(better), "");
  EXPECT_EQ(better.executable->entry().results[0].may_alias_argument, 0);
}

TEST(DonationTest, TwoUpdatesOneAfterTheOther) {
  const auto twice = [](Array x, Array a, Array b, Array at, Array to) {
    return dynamic_update_slice(dynamic_update_slice(x, a, {at, 0}), b, {to, 0});
  };
  const auto part = f32({5, 64});
  // The second one changes what the first one has made where it lies.
  const Compiled both = compiled({0}, twice, f32({64, 64}), part, part, s32({}), s32({}));
  EXPECT_EQ(notes_of(both), "");
  EXPECT_EQ(both.executable->entry().results[0].may_alias_argument, 0);
  EXPECT_EQ(both.executable->frame_bytes(), 0);
}

TEST(DonationTest, AResultItself) {
  expect_told(compiled(
                  {0}, [](Array x) { return std::pair(x + 1, x); }, f32({64})),
              "%arg0", "it is a result too");
}

TEST(DonationTest, ARoutineWritesToMemoryOfItsOwn) {
  expect_told(compiled(
                  {0}, [](Array x) { return sort(x); }, f32({64, 7})),
              "%arg0", "is made by a routine of the runtime");
}

TEST(DonationTest, APlaceThatIsTaken) {
  const Compiled both = compiled(
      {0, 1}, [](Array x, Array y) { return x + y; }, f32({64}), f32({64}));
  EXPECT_EQ(
      notes_of(both),
      "%arg1 is donated without effect: every result of its size has a place already: " + std::string("%") +
          both.executable->entry().results[0].name + " (f32[64]) takes that of %arg0\n");
}

TEST(DonationTest, IsToldByAJittedFunction) {
  const auto f = jit([](Array w) { return sum(w); }, {.donate = {0}, .name = "total"});
  const auto notes = f.compile(f32({64})).notes();
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].rfind("donation: %arg0 is donated without effect: no result has 64 elements", 0), 0u)
      << notes[0];
}

}  // namespace
}  // namespace ingot::testing
