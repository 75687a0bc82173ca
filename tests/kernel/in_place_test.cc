// Which outputs may lie in the place of an input.
#include "kernel/ir/in_place.h"

#include <gtest/gtest.h>

#include "testing/kernel_builder.h"

namespace ingot {
namespace {

using namespace testing;

// --- what writes each element once

// y = x + x of so many elements: read at one place and written at another one.
template <class From, class To>
Kernel doubled(int64_t extent, LoopStyle style, From from, To to, int vectors = 1) {
  KernelBuilder b("doubled");
  const BufferId x = b.input(DType::kF32, extent), y = b.output(DType::kF32, extent);
  b.loop(
      LoopKind::kParallel, style, extent,
      [&](Index i) {
        const ScalarId read = b.load(x, from(i));
        b.store(y, to(i), b.let("add", {read, read}));
      },
      1, vectors);
  return b.finish();
}

std::string why_not(const Kernel& kernel, int input = 0, int output = 0) {
  return InPlace(kernel).why_not(input, output);
}

void expect_why(const Kernel& kernel, const std::string& part) {
  const std::string why = why_not(kernel);
  EXPECT_NE(why.find(part), std::string::npos) << why << "\n" << to_string(kernel);
}

constexpr auto kSame = [](Index i) { return i; };

TEST(InPlaceTest, EachElementIsReadWhereItIsWritten) {
  EXPECT_EQ(why_not(doubled(60, LoopStyle::kSerial, kSame, kSame)), "");
  EXPECT_EQ(why_not(doubled(64, LoopStyle::kLanes, kSame, kSame)), "");
  expect_why(doubled(
                 64, LoopStyle::kSerial, [](Index i) { return i * -1 + 63; }, kSame),
             "reads elements of it at other places than it writes at that time");
  EXPECT_EQ(
      why_not(doubled(
          64, LoopStyle::kSerial, [](Index i) { return i * -1 + 63; }, [](Index i) { return i * -1 + 63; })),
      "");
}

// The last vector of a loop that they do not divide moves back, over what has been written.
TEST(InPlaceTest, LanesThatOverlap) {
  expect_why(doubled(60, LoopStyle::kLanes, kSame, kSame), "an extent that 16 divides would do");
  expect_why(doubled(80, LoopStyle::kLanes, kSame, kSame, 2), "an extent that 32 divides would do");
  EXPECT_EQ(why_not(doubled(96, LoopStyle::kLanes, kSame, kSame, 2)), "");
  EXPECT_EQ(why_not(doubled(8, LoopStyle::kLanes, kSame, kSame)), "");  // shorter than a vector: eight lanes
}

TEST(InPlaceTest, OtherTypes) {
  const auto of = [](DType from, int64_t read, DType to) {
    KernelBuilder b("types");
    const BufferId x = b.input(from, read), y = b.output(to, 64);
    b.parallel(64, [&](Index i) {
      const ScalarId value = b.load(x, i);
      b.store(y, i, from == to ? value : b.let_as(to, "convert", {value}));
    });
    return b.finish();
  };
  EXPECT_EQ(why_not(of(DType::kF32, 64, DType::kS32)), "");
  expect_why(of(DType::kF32, 64, DType::kS8), "another number of elements, or wider or narrower ones");
  expect_why(of(DType::kF32, 65, DType::kF32), "another number of elements, or wider or narrower ones");
}

TEST(InPlaceTest, WhatIsReadAfterItWasWritten) {
  KernelBuilder b("late");
  const BufferId x = b.input(DType::kF32, 8), y = b.output(DType::kF32, 8), z = b.output(DType::kF32, 8);
  b.parallel(8, [&](Index i) {
    b.store(y, i, b.load(x, i));
    b.store(z, i, b.load(x, i));
  });
  const Kernel kernel = b.finish();
  EXPECT_NE(why_not(kernel, 0, 0), "");
  EXPECT_EQ(why_not(kernel, 0, 1), "");
}

// As the greatest element of a row, which is needed for all of it.
TEST(InPlaceTest, WhatIsReadInAnotherLoop) {
  KernelBuilder b("rows");
  const BufferId x = b.input(DType::kF32, 80), y = b.output(DType::kF32, 80);
  b.parallel(8, [&](Index i) {
    const ScalarId top = b.reduce(10, LoopStyle::kSerial, b.literal(0.0f), "max",
                                  [&](Index j) { return b.load(x, i * 10 + j); });
    b.map(10, [&](Index j) { b.store(y, i * 10 + j, b.let("sub", {b.load(x, i * 10 + j), top})); });
  });
  expect_why(b.finish(), "reads elements of it at other places");
}

TEST(InPlaceTest, TwoLoopsWriteOneResult) {
  KernelBuilder b("halves");
  const BufferId x = b.input(DType::kF32, 16), y = b.output(DType::kF32, 16);
  const ScalarId zero = b.literal(0.0f);
  b.map(8, [&](Index i) { b.store(y, i, zero); });
  b.map(8, [&](Index i) { b.store(y, i + 8, b.load(x, i + 8)); });
  expect_why(b.finish(), "writes the result in 2 places");
}

TEST(InPlaceTest, TilesThatOverlapAndRowsWithGaps) {
  // Tiles of 24 that begin at 0, 24 and 40.
  const auto tiles = [](int64_t count, int64_t length, int64_t elements, auto at) {
    KernelBuilder b("tiles");
    const BufferId x = b.input(DType::kF32, elements), y = b.output(DType::kF32, elements);
    b.parallel(count, [&](Index i) {
      b.map(length, [&](Index j) {
        const Index place = at(i) + j;
        b.store(y, place, b.load(x, place));
      });
    });
    return b.finish();
  };
  expect_why(tiles(3, 24, 64, [](Index i) { return i * 20; }), "where tiles of 72 points overlap on 64");
  EXPECT_EQ(why_not(tiles(4, 16, 64, [](Index i) { return i * 16; })), "");
  EXPECT_EQ(why_not(tiles(4, 8, 64, [](Index i) { return i * 16; })), "");  // rows with gaps
}

// --- what copies an array and changes a part of it

// x is copied to y; then `updates` follow.
template <class F>
Kernel updated(const F& updates, int64_t elements = 16, bool marked = true) {
  KernelBuilder b("updated");
  const BufferId x = b.input(DType::kF32, elements), places = b.input(DType::kS32, 4),
                 y = b.output(DType::kF32, elements);
  b.map(elements, [&](Index i) { b.store(y, i, b.load(x, i)); });
  updates(b, x, places, y);
  Kernel kernel = b.finish();
  if (marked) mark_copies(kernel);
  return kernel;
}

bool is_copied_first(const Kernel& kernel) {
  const bool copied = kernel::is_copied_first(kernel, 0, 2);
  EXPECT_EQ(InPlace(kernel).why_not(0, 0).empty(), copied) << to_string(kernel);
  return copied;
}

// A place that is known at run time, from 0 to 3.
Index place_of(KernelBuilder& b, ScalarId value) {
  const VarId var = b.kernel().add_var("place", 4);
  b.kernel().bound[var] = b.let("min", {b.let("max", {value, b.literal(0)}), b.literal(3)});
  return b.kernel().var(var);
}

TEST(InPlaceTest, UpdatesOfACopy) {
  const auto one = [](KernelBuilder& b, BufferId, BufferId places, BufferId y) {
    b.store(y, place_of(b, b.load(places, 0)), b.literal(2.0f));
  };
  EXPECT_TRUE(is_copied_first(updated(one)));
  EXPECT_FALSE(kernel::is_copied_first(updated(one, 16, false), 0, 2));
  EXPECT_EQ(copied_pairs(updated(one)).size(), 1u);
  EXPECT_TRUE(copied_pairs(updated(one, 16, false)).empty());
}

TEST(InPlaceTest, WhatUpdatesReadOfTheArray) {
  const auto before = [](KernelBuilder& b, BufferId x, BufferId, BufferId y) {
    const ScalarId sum =
        b.reduce(16, LoopStyle::kSerial, b.literal(0.0f), "add", [&](Index i) { return b.load(x, i); });
    b.store(y, 3, sum);
  };
  const auto after = [](KernelBuilder& b, BufferId x, BufferId, BufferId y) {
    b.store(y, 3, b.literal(1.0f));
    b.store(y, 4, b.load(x, 3));
  };
  const auto own = [](KernelBuilder& b, BufferId x, BufferId, BufferId y) {
    b.map(8, [&](Index i) {
      const ScalarId read = b.load(x, i * 2);
      b.store(y, i * 2, b.let("add", {read, read}));
    });
  };
  const auto next = [](KernelBuilder& b, BufferId x, BufferId, BufferId y) {
    b.map(15, [&](Index i) { b.store(y, i + 1, b.load(x, i)); });
  };
  EXPECT_TRUE(is_copied_first(updated(before)));
  EXPECT_FALSE(is_copied_first(updated(after)));
  EXPECT_TRUE(is_copied_first(updated(own)));
  EXPECT_FALSE(is_copied_first(updated(next)));
}

// Each column is read as a whole and then changed: others stay as they were.
TEST(InPlaceTest, PointsThatStayApart) {
  const auto columns = [](int64_t shift) {
    return [shift](KernelBuilder& b, BufferId x, BufferId, BufferId y) {
      b.map(4, [&](Index i) {
        const ScalarId sum = b.reduce(4, LoopStyle::kSerial, b.literal(0.0f), "add",
                                      [&](Index t) { return b.load(x, t * 4 + i); });
        b.map(3, [&](Index t) { b.store(y, t * 4 + i + shift, sum); });
      });
    };
  };
  EXPECT_TRUE(is_copied_first(updated(columns(0))));
  EXPECT_FALSE(is_copied_first(updated(columns(1))));
}

// A place that is the same for all steps moves with them; one that each step hands on to the next may meet
// what an earlier one has written.
TEST(InPlaceTest, PlacesThatStepsHandOn) {
  const auto same = [](KernelBuilder& b, BufferId x, BufferId places, BufferId y) {
    const Index place = place_of(b, b.load(places, 0));
    b.map(4, [&](Index t) {
      const ScalarId read = b.load(x, place + t);
      b.store(y, place + t, b.let("add", {read, read}));
    });
  };
  const auto carried = [](KernelBuilder& b, BufferId x, BufferId, BufferId y) {
    b.scan(4, {b.literal(3)}, [&](Index t, const std::vector<ScalarId>& left) {
      const Index place = place_of(b, left[0]);
      const ScalarId read = b.load(x, place + t);
      b.store(y, place + t, b.let("add", {read, read}));
      return std::vector<ScalarId>{b.let("sub", {left[0], b.literal(1)})};
    });
  };
  EXPECT_TRUE(is_copied_first(updated(same)));
  EXPECT_FALSE(is_copied_first(updated(carried)));
}

}  // namespace
}  // namespace ingot
