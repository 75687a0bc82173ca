// The printer, the structural hash and the verifier of the kernel IR.
#include "kernel/ir/kernel_ir.h"

#include <gtest/gtest.h>

#include "testing/kernel_builder.h"

namespace ingot {
namespace {

using namespace testing;

// `spare` shifts all numbers of scalars and variables; `flip` changes the structure.
Kernel softmax_like(const std::string& name, int spare, bool flip = false) {
  KernelBuilder b(name);
  const BufferId x = b.input(DType::kF32, 80), y = b.output(DType::kF32, 80);
  for (int i = 0; i < spare; ++i) {
    b.kernel().add_scalar(DType::kF64);
    b.kernel().add_var("unused", 3);
  }
  b.parallel(8, [&](Index i) {
    const ScalarId low = b.literal(-1.5f);
    const ScalarId top = b.reduce(10, LoopStyle::kLanes, low, flip ? "min" : "max",
                                  [&](Index j) { return b.load(x, i * 10 + j); });
    b.map_lanes(10, [&](Index j) { b.store(y, i * 10 + j, b.let("sub", {b.load(x, i * 10 + j), top})); });
  });
  return b.finish();
}

TEST(KernelIrTest, PrintsAsTheHeaderShows) {
  EXPECT_EQ(to_string(softmax_like("softmax", 0)),
            "kernel softmax(in in0: f32[80], out out1: f32[80]) {\n"
            "  parallel i in 0..8 {\n"
            "    %0 = literal f32 -1.5\n"
            "    reduce j in 0..10 lanes carry(%0) -> %5 {\n"
            "      %1 = load in0[10*i + j]\n"
            "      yield %1\n"
            "    } combine(%2; %3) {\n"
            "      %4 = max(%2, %3) : f32\n"
            "      yield %4\n"
            "    }\n"
            "    map k in 0..10 lanes {\n"
            "      %6 = load in0[10*i + k]\n"
            "      %7 = sub(%6, %5) : f32\n"
            "      store out1[10*i + k], %7\n"
            "    }\n"
            "  }\n"
            "}\n");
}

// Each is looked at, and none has the whole kernel printed for what might be wrong with it: half a minute.
TEST(KernelIrTest, VerifiesManyIndicesThatAreKnownAtRunTime) {
  constexpr int64_t kMany = 3000;
  KernelBuilder b("gather");
  const BufferId places = b.input(DType::kS32, kMany), x = b.input(DType::kF32, 16),
                 y = b.output(DType::kF32, kMany);
  for (int64_t i = 0; i < kMany; ++i) {
    const VarId var = b.kernel().add_var("place", 16);
    const ScalarId low = b.let("max", {b.load(places, i), b.literal(0)});
    b.kernel().bound[var] = b.let("min", {low, b.literal(15)});
    b.store(y, i, b.load(x, b.kernel().var(var)));
  }
  EXPECT_EQ(b.finish().bound.size(), static_cast<size_t>(kMany));
}

TEST(KernelIrTest, HashSeesStructureAndNothingElse) {
  const uint64_t hash = structural_hash(softmax_like("a", 0));
  EXPECT_EQ(hash, structural_hash(softmax_like("b", 5)));
  EXPECT_NE(hash, structural_hash(softmax_like("a", 0, true)));
  Kernel kernel = softmax_like("a", 0);
  kernel.parameter_bytes = {1};
  kernel.report.flops = 7;
  kernel.var_names[0] = "row";
  kernel.buffers[0].name = "x";
  EXPECT_EQ(hash, structural_hash(kernel));
  std::get<Loop>(kernel.body.stmts[0].node).extent = 7;
  EXPECT_NE(hash, structural_hash(kernel));
}

// Buffers may share a name; in text each has one of its own, and parameters keep theirs.
TEST(KernelIrTest, NamesEachBufferApart) {
  Kernel kernel = softmax_like("a", 0);
  Buffer local = kernel.buffers[0];
  local.kind = Buffer::Kind::kLocal;
  kernel.buffers[0].name = "r";
  kernel.buffers[1].name = "r_1";
  local.name = "r";
  const BufferId id = kernel.add_buffer(local);
  kernel.body.stmts.insert(kernel.body.stmts.begin(), Stmt{Alloc{id}});
  const std::string text = to_string(kernel);
  EXPECT_NE(text.find("(in r: "), std::string::npos) << text;
  EXPECT_NE(text.find("out r_1: "), std::string::npos) << text;
  EXPECT_NE(text.find("local r_2: "), std::string::npos) << text;
}

// A fixed number: hashes name kernels in caches on disk, so they may not depend on the process or the
// machine.
TEST(KernelIrTest, HashIsTheSameEverywhere) {
  KernelBuilder b("f");
  const BufferId x = b.input(DType::kF32, 4), y = b.output(DType::kF32, 4);
  b.parallel_lanes(4, [&](Index i) { b.store(y, i, b.load(x, i)); });
  EXPECT_EQ(structural_hash(b.finish()), 8154513635210878192u);
}

void expect_broken(const std::function<void(KernelBuilder&, BufferId x, BufferId y)>& build,
                   const std::string& message) {
  KernelBuilder b("broken");
  const BufferId x = b.input(DType::kF32, 10), y = b.output(DType::kF32, 10);
  build(b, x, y);
  try {
    b.finish();
    ADD_FAILURE() << "verified, though: " << message;
  } catch (const InternalError& error) {
    EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
  }
}

TEST(KernelIrTest, VerifierRefuses) {
  expect_broken([](KernelBuilder& b, BufferId, BufferId y) { b.store(y, 0, 99); }, "%99 does not exist");
  expect_broken(
      [](KernelBuilder& b, BufferId x, BufferId y) {
        ScalarId inner = kNone;
        b.parallel(10, [&](Index i) { inner = b.load(x, i); });
        b.store(y, 0, inner);
      },
      "out of its scope");
  expect_broken(
      [](KernelBuilder& b, BufferId x, BufferId) { b.parallel(11, [&](Index i) { b.load(x, i); }); },
      "can leave it");
  expect_broken([](KernelBuilder& b, BufferId x, BufferId) { b.load(x, Index(-1)); }, "can leave it");
  expect_broken([](KernelBuilder& b, BufferId,
                   BufferId) { b.map_lanes(4, [&](Index) { b.map_lanes(4, [](Index) {}); }); },
                "lanes nest");
  expect_broken(
      [](KernelBuilder& b, BufferId, BufferId) { b.map(4, [&](Index) { b.parallel(4, [](Index) {}); }); },
      "not at the root");
  expect_broken([](KernelBuilder& b, BufferId, BufferId y) { b.store(y, 0, b.literal(1.0)); }, "not f32");
  expect_broken([](KernelBuilder& b, BufferId x, BufferId) { b.store(x, 0, b.literal(1.0f)); },
                "into the input");
  expect_broken([](KernelBuilder& b, BufferId x, BufferId) { b.load(x, 0, b.literal(1.0f)); }, "not pred");
  expect_broken(
      [](KernelBuilder& b, BufferId, BufferId) {
        BufferId t = kNone;
        b.map(2, [&](Index) { t = b.local(DType::kF32, 4); });
        b.load(t, 0);
      },
      "does not live");
  expect_broken(
      [](KernelBuilder& b, BufferId x, BufferId y) {
        b.parallel(2, [&](Index i) {
          b.map(5, [&](Index j) { b.store(y, i * 5 + j, b.load(x, j)); });
          b.parallel(5, [](Index) {});
        });
      },
      "what fills local buffers");
  expect_broken(
      [](KernelBuilder& b, BufferId, BufferId) {
        b.parallel(2, [&](Index) {
          b.local(DType::kF32, 4);
          b.parallel(5, [&](Index) {
            b.local(DType::kF32, 4);
            b.parallel(3, [](Index) {});
          });
        });
      },
      "two preludes");
  expect_broken(
      [](KernelBuilder& b, BufferId, BufferId) {
        b.loop(
            LoopKind::kMap, LoopStyle::kSerial, 4, [](Index) {}, 5);
      },
      "step exceeds");
}

// A loop of overlapping steps ends at extent - step, whatever the extent of the variable's atom.
TEST(KernelIrTest, VerifierKnowsWhereStepsEnd) {
  KernelBuilder b("steps");
  const BufferId x = b.input(DType::kF32, 10), y = b.output(DType::kF32, 10);
  Loop loop = b.open(LoopKind::kParallel, LoopStyle::kSerial, 10, 4);
  b.kernel().var_extents[0] = 10;
  const Index i = b.kernel().var(loop.var);
  loop.body = b.nested([&] {
    for (int64_t d = 0; d < 4; ++d) b.store(y, i + Index(d), b.load(x, i + Index(d)));
  });
  b.add(std::move(loop));
  EXPECT_NO_THROW(b.finish());
}

}  // namespace
}  // namespace ingot
