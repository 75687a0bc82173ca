// Regions of any kind, in operations that Ingot has for a few: by the interpreter, and compiled.
#include <algorithm>
#include <cmath>
#include <complex>

#include "stablehlo/numbers.h"

namespace ingot::stablehlo {
namespace {

TEST(StablehloRegionsTest, ReductionsUseValuesFromOutside) {
  // The limit is an argument; the table's element does not depend on the region's arguments.
  const std::string text = R"(
func.func @main(%x: tensor<3x4xf32>, %limit: tensor<f32>, %table: tensor<3xf32>) -> tensor<3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %1 = stablehlo.slice %table [1:2] : (tensor<3xf32>) -> tensor<1xf32>
    %2 = stablehlo.reshape %1 : (tensor<1xf32>) -> tensor<f32>
    %3 = stablehlo.multiply %limit, %2 : tensor<f32>
    %4 = stablehlo.add %a, %b : tensor<f32>
    %5 = stablehlo.minimum %4, %3 : tensor<f32>
    stablehlo.return %5 : tensor<f32>
  }
  return %0 : tensor<3xf32>
})";
  const Tensor x = f32({3, 4}, [](int64_t i) { return static_cast<double>(i); }),
               limit = f32({}, [](int64_t) { return 5; }),
               table = f32({3}, [](int64_t i) { return static_cast<double>(2 * i); });
  EXPECT_EQ(numbers_of(text, {x, limit, table})[0], (Numbers{6, 10, 10}));
}

TEST(StablehloRegionsTest, ComparatorsUseValuesFromOutside) {
  const std::string text = R"(
func.func @main(%x: tensor<5xf32>, %center: tensor<f32>, %sign: tensor<f32>) -> tensor<5xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.subtract %a, %center : tensor<f32>
    %2 = stablehlo.abs %1 : tensor<f32>
    %3 = stablehlo.multiply %2, %sign : tensor<f32>
    %4 = stablehlo.subtract %b, %center : tensor<f32>
    %5 = stablehlo.abs %4 : tensor<f32>
    %6 = stablehlo.multiply %5, %sign : tensor<f32>
    %7 = stablehlo.compare LT, %3, %6, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %7 : tensor<i1>
  }) : (tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
})";
  const Tensor x = f32({5}, [](int64_t i) { return static_cast<double>(i); });
  const auto run = [&](double center, double sign) {
    return numbers_of(
        text, {x, f32({}, [=](int64_t) { return center; }), f32({}, [=](int64_t) { return sign; })})[0];
  };
  EXPECT_EQ(run(3.1, 1), (Numbers{3, 4, 2, 1, 0}));
  EXPECT_EQ(run(3.1, -1), (Numbers{0, 1, 2, 4, 3}));
}

// Arrays of narrow numbers are combined in the dtype of the region.
TEST(StablehloRegionsTest, RegionsMayBeWiderThanTheirArrays) {
  const auto wide = [](const std::string& operation) {
    return R"(({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.)" +
           operation + R"( %a, %b : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }))";
  };
  Tensor x(DType::kS8, {3});
  for (int64_t i = 0; i < 3; ++i) x.set_int(i, 100);
  const std::string head = "func.func @main(%x: tensor<3xi8>) -> ", zero = R"( {
  %z = stablehlo.constant dense<0> : tensor<i32>
)";
  EXPECT_EQ(
      numbers_of(head + "tensor<i32>" + zero +
                     R"(%0 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 0>}> )" + wide("add") +
                     ": (tensor<3xi8>, tensor<i32>) -> tensor<i32>\n  return %0 : tensor<i32>\n}",
                 {x})[0],
      (Numbers{300}));
  EXPECT_EQ(
      numbers_of(head + "tensor<2xi32>" + zero +
                     R"(%0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 2>}> )" +
                     wide("add") +
                     ": (tensor<3xi8>, tensor<i32>) -> tensor<2xi32>\n  return %0 : tensor<2xi32>\n}",
                 {x})[0],
      (Numbers{200, 200}));
  EXPECT_EQ(numbers_of(head + "tensor<3xi32>" + zero + R"(  %i = stablehlo.constant dense<1> : tensor<1x1xi32>
  %u = stablehlo.constant dense<90> : tensor<1xi8>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> )" +
                           wide("add") +
                           ": (tensor<3xi8>, tensor<1x1xi32>, tensor<1xi8>) -> tensor<3xi32>\n"
                           "  return %0 : tensor<3xi32>\n}",
                       {x})[0],
            (Numbers{100, 190, 100}));
  EXPECT_EQ(numbers_of(head + "tensor<3xi32>" + zero + R"(  %s = stablehlo.constant dense<90> : tensor<2xi8>
  %0 = "stablehlo.select_and_scatter"(%x, %s, %z) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<i8>, %b: tensor<i8>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<i8>, tensor<i8>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, )" + wide("add").substr(1) +
                           ": (tensor<3xi8>, tensor<2xi8>, tensor<i32>) -> tensor<3xi32>\n"
                           "  return %0 : tensor<3xi32>\n}",
                       {x})[0],
            (Numbers{0, 90, 90}));
  EXPECT_EQ(
      numbers_of(head + "tensor<3xi32>" + zero +
                     R"(%0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<0> : tensor<1x1xi64>}> )" +
                     wide("add") + ": (tensor<3xi8>) -> tensor<3xi32>\n  return %0 : tensor<3xi32>\n}",
                 {x})[0],
      (Numbers{100, 100, 100}));
}

// --- scatter

// As JAX writes the gradient of a sort of no elements: a window has an element, but there is none.
TEST(StablehloRegionsTest, ScatterOfNoWindowsLeavesTheArray) {
  const auto text = [](const std::string& shape, const std::string& more) {
    return "func.func @main(%x: tensor<" + shape + "xf32>, %i: tensor<" + shape + "x1xi32>, %u: tensor<" +
           shape + R"(xf32>) -> tensor<)" + shape + R"(xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<)" +
           more + R"(>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<)" +
           shape + "xf32>, tensor<" + shape + "x1xi32>, tensor<" + shape + "xf32>) -> tensor<" + shape +
           "xf32>\n  return %0 : tensor<" + shape + "xf32>\n}";
  };
  const std::string
      one = "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
      batch =
          "inserted_window_dims = [1], input_batching_dims = [0], "
          "scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], "
          "index_vector_dim = 2";
  EXPECT_EQ(numbers_of(text("0", one),
                       {Tensor(DType::kF32, {0}), Tensor(DType::kS32, {0, 1}), Tensor(DType::kF32, {0})})[0],
            Numbers());
  EXPECT_EQ(numbers_of(text("3x0", batch), {Tensor(DType::kF32, {3, 0}), Tensor(DType::kS32, {3, 0, 1}),
                                            Tensor(DType::kF32, {3, 0})})[0],
            Numbers());
  EXPECT_NE(error_of(text("0", "inserted_window_dims = [0], index_vector_dim = 1")).find("start_index_map"),
            std::string::npos);
}

TEST(StablehloRegionsTest, ScatterByAnyRegionInOrder) {
  // 10 a + b: the order of the updates counts. One index leaves the array, and is left out.
  const std::string text = R"(
func.func @main(%x: tensor<5xi32>, %at: tensor<6x1xi32>, %u: tensor<6xi32>) -> tensor<5xi32> {
  %0 = "stablehlo.scatter"(%x, %at, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %ten = stablehlo.constant dense<10> : tensor<i32>
    %1 = stablehlo.multiply %a, %ten : tensor<i32>
    %2 = stablehlo.add %1, %b : tensor<i32>
    stablehlo.return %2 : tensor<i32>
  }) : (tensor<5xi32>, tensor<6x1xi32>, tensor<6xi32>) -> tensor<5xi32>
  return %0 : tensor<5xi32>
})";
  Tensor x(DType::kS32, {5}), at(DType::kS32, {6, 1}), u(DType::kS32, {6});
  const int64_t places[] = {3, 0, 3, 7, 3, -1};
  for (int64_t i = 0; i < 5; ++i) x.set_int(i, 1);
  for (int64_t i = 0; i < 6; ++i) {
    at.set_int(i, places[i]);
    u.set_int(i, i + 2);
  }
  EXPECT_EQ(numbers_of(text, {x, at, u})[0], (Numbers{13, 1, 1, 1246, 1}));
}

TEST(StablehloRegionsTest, ScatterOfBitsWindowsAndBatches) {
  // Rows of two, in each of two batches, by exclusive or; the batch dimension is the array's second one.
  const std::string text = R"(
func.func @main(%x: tensor<4x2x3xui8>, %at: tensor<2x3x2xi64>, %u: tensor<2x3x2xui8>) -> tensor<4x2x3xui8> {
  %0 = "stablehlo.scatter"(%x, %at, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], input_batching_dims = [1], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [2, 0], index_vector_dim = 2>}> ({
  ^bb0(%a: tensor<ui8>, %b: tensor<ui8>):
    %1 = stablehlo.xor %a, %b : tensor<ui8>
    stablehlo.return %1 : tensor<ui8>
  }) : (tensor<4x2x3xui8>, tensor<2x3x2xi64>, tensor<2x3x2xui8>) -> tensor<4x2x3xui8>
  return %0 : tensor<4x2x3xui8>
})";
  Tensor x(DType::kU8, {4, 2, 3}), at(DType::kS64, {2, 3, 2}), u(DType::kU8, {2, 3, 2});
  const int64_t places[2][3][2] = {{{0, 1}, {1, 1}, {0, 3}}, {{1, 2}, {2, 0}, {1, 2}}};  // (column, row)
  std::vector<int> want(24);
  for (int64_t i = 0; i < 24; ++i) {
    x.set_int(i, 7 * i);
    want[static_cast<size_t>(i)] = static_cast<int>(7 * i);
  }
  for (int64_t b = 0; b < 2; ++b) {
    for (int64_t k = 0; k < 3; ++k) {
      for (int64_t c = 0; c < 2; ++c) {
        at.set_int((b * 3 + k) * 2 + c, places[b][k][c]);
        u.set_int((b * 3 + k) * 2 + c, 16 * b + 4 * k + c + 1);
      }
      if (places[b][k][0] > 1) continue;  // the window leaves the array
      for (int64_t c = 0; c < 2; ++c) {
        const int64_t index = (places[b][k][1] * 2 + b) * 3 + places[b][k][0] + c;
        want[static_cast<size_t>(index)] ^= static_cast<int>(16 * b + 4 * k + c + 1);
      }
    }
  }
  EXPECT_EQ(numbers_of(text, {x, at, u})[0], Numbers(want.begin(), want.end()));
}

TEST(StablehloRegionsTest, ScatterIntoSeveralArrays) {
  const auto text = [](const std::string& region, const std::string& more) {
    return R"(
func.func @main(%x: tensor<4xf32>, %y: tensor<4xi32>, %at: tensor<3xi32>, %u: tensor<3xf32>, %v: tensor<3xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %0:2 = "stablehlo.scatter"(%x, %y, %at, %u, %v) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>)" +
           more + R"(}> ({
  ^bb0(%a: tensor<f32>, %i: tensor<i32>, %b: tensor<f32>, %j: tensor<i32>):
)" + region +
           R"(
  }) : (tensor<4xf32>, tensor<4xi32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xi32>
})";
  };
  // The greatest so far, and where it is from.
  const std::string greatest = R"(
    %1 = stablehlo.compare GT, %b, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.select %1, %b, %a : tensor<i1>, tensor<f32>
    %3 = stablehlo.select %1, %j, %i : tensor<i1>, tensor<i32>
    stablehlo.return %2, %3 : tensor<f32>, tensor<i32>)";
  const std::string each = R"(
    %1 = stablehlo.add %a, %b : tensor<f32>
    %2 = stablehlo.maximum %i, %j : tensor<i32>
    stablehlo.return %1, %2 : tensor<f32>, tensor<i32>)";
  Tensor x = f32({4}, [](int64_t i) { return static_cast<double>(i); }),
         u = f32({3}, [](int64_t i) { return 2.0 + static_cast<double>(i % 2); });
  Tensor y(DType::kS32, {4}), at(DType::kS32, {3}), v(DType::kS32, {3});
  for (int64_t i = 0; i < 3; ++i) v.set_int(i, 10 + i);
  const auto run = [&](const std::string& program, std::vector<int64_t> places) {
    for (int64_t i = 0; i < 3; ++i) at.set_int(i, places[static_cast<size_t>(i)]);
    return numbers_of(program, {x, y, at, u, v});
  };
  EXPECT_EQ(run(text(greatest, ""), {1, 1, 3}), (std::vector<Numbers>{{0, 3, 2, 3}, {0, 11, 0, 0}}));
  EXPECT_EQ(run(text(greatest, ", unique_indices = true"), {0, 2, 9}),
            (std::vector<Numbers>{{2, 1, 3, 3}, {10, 0, 11, 0}}));
  EXPECT_EQ(run(text(each, ""), {1, 1, 3}), (std::vector<Numbers>{{0, 6, 2, 5}, {0, 11, 0, 12}}));
}

// Real parts first, then imaginary ones: alone, of a reduction, a scatter, a clamp and windows.
TEST(StablehloRegionsTest, ExtremesOfComplexNumbersAreByTheirParts) {
  const std::string text = R"(
func.func @main(%x: tensor<4xcomplex<f32>>, %y: tensor<4xcomplex<f32>>, %at: tensor<2x1xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<3xf32>) {
  %low = stablehlo.constant dense<(1.0, 5.0)> : tensor<complex<f32>>
  %high = stablehlo.constant dense<(2.0, 0.0)> : tensor<complex<f32>>
  %0 = stablehlo.maximum %x, %y : tensor<4xcomplex<f32>>
  %1 = stablehlo.imag %0 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %2 = stablehlo.minimum %x, %y : tensor<4xcomplex<f32>>
  %3 = stablehlo.imag %2 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %4 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
  %5 = stablehlo.imag %4 : (tensor<complex<f32>>) -> tensor<f32>
  %6 = stablehlo.clamp %low, %x, %high : (tensor<complex<f32>>, tensor<4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<4xcomplex<f32>>
  %7 = stablehlo.imag %6 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %u = stablehlo.slice %y [0:2] : (tensor<4xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  %8 = "stablehlo.scatter"(%x, %at, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>):
    %m = stablehlo.minimum %a, %b : tensor<complex<f32>>
    stablehlo.return %m : tensor<complex<f32>>
  }) : (tensor<4xcomplex<f32>>, tensor<2x1xi32>, tensor<2xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %9 = stablehlo.imag %8 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %10 = "stablehlo.reduce_window"(%x, %low) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>):
    %m = stablehlo.maximum %a, %b : tensor<complex<f32>>
    stablehlo.return %m : tensor<complex<f32>>
  }) : (tensor<4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<3xcomplex<f32>>
  %11 = stablehlo.imag %10 : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  return %1, %3, %5, %7, %9, %11 : tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<3xf32>
})";
  const auto c64 = [](const std::vector<std::complex<double>>& numbers) {
    Tensor made(DType::kC64, {static_cast<int64_t>(numbers.size())});
    for (int64_t i = 0; i < made.size(); ++i) made.set_complex(i, numbers[static_cast<size_t>(i)]);
    return made;
  };
  Tensor at(DType::kS32, {2, 1});
  at.set_int(0, 1);
  at.set_int(1, 3);
  // x: 1+6i, 1+2i, 0+9i, 2+1i; y: 1+3i, 1+4i, 3+7i, 2+1i
  EXPECT_EQ(
      numbers_of(text, {c64({{1, 6}, {1, 2}, {0, 9}, {2, 1}}), c64({{1, 3}, {1, 4}, {3, 7}, {2, 1}}), at}),
      (std::vector<Numbers>{{6, 4, 7, 1}, {3, 2, 9, 1}, {1}, {6, 5, 5, 0}, {6, 2, 9, 4}, {6, 5, 1}}));
}

// --- windows

TEST(StablehloRegionsTest, RunningTotalsByAnyRegionAreOneScan) {
  // As JAX writes cumlogsumexp: log(exp(a) + exp(b)) without overflow.
  const std::string text = R"(
func.func @main(%x: tensor<2x300xf32>) -> tensor<2x300xf32> {
  %none = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %none) <{padding = dense<[[0, 0], [299, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 300>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    %2 = stablehlo.subtract %a, %b : tensor<f32>
    %3 = stablehlo.compare NE, %2, %2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.add %a, %b : tensor<f32>
    %5 = stablehlo.abs %2 : tensor<f32>
    %6 = stablehlo.negate %5 : tensor<f32>
    %7 = stablehlo.exponential %6 : tensor<f32>
    %8 = stablehlo.log_plus_one %7 : tensor<f32>
    %9 = stablehlo.add %1, %8 : tensor<f32>
    %10 = stablehlo.select %3, %4, %9 : tensor<i1>, tensor<f32>
    stablehlo.return %10 : tensor<f32>
  }) : (tensor<2x300xf32>, tensor<f32>) -> tensor<2x300xf32>
  return %0 : tensor<2x300xf32>
})";
  const Tensor x = f32({2, 300}, [](int64_t i) { return std::sin(static_cast<double>(i)) * 30; });
  const Numbers found = numbers_of(text, {x})[0];
  for (int64_t row = 0; row < 2; ++row) {
    double sum = 0;
    for (int64_t i = 0; i < 300; ++i) {
      sum += std::exp(x.get_double(row * 300 + i));
      EXPECT_NEAR(found[static_cast<size_t>(row * 300 + i)], std::log(sum),
                  1e-4 * (1 + std::abs(std::log(sum))))
          << i;
    }
  }
  const auto module = import_module(*read_text(text, "m.mlir")).module;
  EXPECT_EQ(compiler::compile(ir::clone(*module)).executable->kernels().size(), 1u);
}

TEST(StablehloRegionsTest, LargeWindowsOfSeveralArrays) {
  // The greatest of 150 elements and where it is; windows in steps of 7.
  const std::string text = R"(
func.func @main(%x: tensor<200xf32>) -> (tensor<8xf32>, tensor<8xi32>) {
  %i = stablehlo.iota dim = 0 : tensor<200xi32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %0:2 = "stablehlo.reduce_window"(%x, %i, %low, %none) <{window_dimensions = array<i64: 150>, window_strides = array<i64: 7>}> ({
  ^bb0(%a: tensor<f32>, %p: tensor<i32>, %b: tensor<f32>, %q: tensor<i32>):
    %1 = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.select %1, %a, %b : tensor<i1>, tensor<f32>
    %3 = stablehlo.select %1, %p, %q : tensor<i1>, tensor<i32>
    stablehlo.return %2, %3 : tensor<f32>, tensor<i32>
  }) : (tensor<200xf32>, tensor<200xi32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xi32>)
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xi32>
})";
  const auto element = [](int64_t i) { return static_cast<double>((i * 37) % 101); };
  const auto found = numbers_of(text, {f32({200}, element)});
  for (int64_t w = 0; w < 8; ++w) {
    int64_t best = 7 * w;
    for (int64_t i = best; i < 7 * w + 150; ++i) best = element(i) > element(best) ? i : best;
    EXPECT_EQ(found[0][static_cast<size_t>(w)], element(best)) << w;
    EXPECT_EQ(found[1][static_cast<size_t>(w)], static_cast<double>(best)) << w;
  }
}

TEST(StablehloRegionsTest, LargeWindowsFromANumberThatIsNotNeutral) {
  const std::string text = R"(
func.func @main() -> tensor<1x2xi32> {
  %x = stablehlo.iota dim = 0 : tensor<12x13xi32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%x, %five) <{padding = dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 12, 13>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<12x13xi32>, tensor<i32>) -> tensor<1x2xi32>
  return %0 : tensor<1x2xi32>
})";
  // Padding is 5, too; 66 the sum of a column.
  EXPECT_EQ(numbers_of(text)[0], (Numbers{5 + 12 * 66 + 12 * 5, 5 + 13 * 66}));
}

// --- select_and_scatter

struct Selecting {
  int64_t n, window, stride, low, high;
};

std::string selecting_text(const Selecting& s, const std::string& select, const std::string& scatter) {
  const int64_t count = (s.n + s.low + s.high - s.window) / s.stride + 1;
  const std::string x = "tensor<" + std::to_string(s.n) + "xf32>",
                    y = "tensor<" + std::to_string(count) + "xf32>";
  return "func.func @main(%x: " + x + ", %y: " + y + ", %i: tensor<f32>) -> " + x +
         " {\n  %0 = \"stablehlo.select_and_scatter\"(%x, %y, %i) <{padding = dense<[[" +
         std::to_string(s.low) + ", " + std::to_string(s.high) +
         "]]> : tensor<1x2xi64>, window_dimensions = array<i64: " + std::to_string(s.window) +
         ">, window_strides = array<i64: " + std::to_string(s.stride) +
         ">}> ({\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n" + select +
         "\n  }, {\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n" + scatter + "\n  }) : (" + x + ", " + y +
         ", tensor<f32>) -> " + x + "\n  return %0 : " + x + "\n}";
}

constexpr const char* kGreater =
    "    %1 = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "    stablehlo.return %1 : tensor<i1>";
// Of two magnitudes the greater, the first of equal ones.
constexpr const char* kFarther =
    "    %1 = stablehlo.abs %a : tensor<f32>\n    %2 = stablehlo.abs %b : tensor<f32>\n"
    "    %3 = stablehlo.compare GE, %1, %2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "    stablehlo.return %3 : tensor<i1>";
constexpr const char* kAdd =
    "    %1 = stablehlo.add %a, %b : tensor<f32>\n    stablehlo.return %1 : tensor<f32>";
// a / 2 + b: the order counts.
constexpr const char* kMix =
    "    %h = stablehlo.constant dense<0.5> : tensor<f32>\n    %1 = stablehlo.multiply %a, %h : tensor<f32>\n"
    "    %2 = stablehlo.add %1, %b : tensor<f32>\n    stablehlo.return %2 : tensor<f32>";

void check_selecting(const Selecting& s, bool farther, bool mix) {
  const int64_t count = (s.n + s.low + s.high - s.window) / s.stride + 1;
  const Tensor x = f32({s.n}, [](int64_t i) { return static_cast<double>((i * 29) % 23) - 11; }),
               y = f32({count}, [](int64_t i) { return static_cast<double>(i % 5 + 1); }),
               initial = f32({}, [](int64_t) { return 2; });
  Numbers want(static_cast<size_t>(s.n), 2);
  for (int64_t w = 0; w < count; ++w) {
    int64_t best = -1;
    for (int64_t k = 0; k < s.window; ++k) {
      const int64_t i = w * s.stride + k - s.low;
      if (i < 0 || i >= s.n) continue;
      const auto value = [&](int64_t at) { return farther ? std::abs(x.get_double(at)) : x.get_double(at); };
      if (best < 0 || !(value(best) >= value(i))) best = i;
    }
    double& element = want[static_cast<size_t>(best)];
    element = (mix ? element / 2 : element) + y.get_double(w);
  }
  const std::string text = selecting_text(s, farther ? kFarther : kGreater, mix ? kMix : kAdd);
  EXPECT_EQ(numbers_of(text, {x, y, initial})[0], want) << text;
}

TEST(StablehloRegionsTest, SelectAndScatterByAnyRegions) {
  for (bool farther : {false, true}) {
    for (bool mix : {false, true}) {
      check_selecting({12, 3, 2, 0, 0}, farther, mix);
      check_selecting({12, 4, 1, 2, 3}, farther, mix);
      check_selecting({20, 5, 3, -2, -1}, farther, mix);  // what is cut off is never selected
    }
  }
}

TEST(StablehloRegionsTest, SelectAndScatterInLargeWindows) {
  check_selecting({300, 140, 9, 0, 0}, true, true);
  check_selecting({300, 140, 9, 5, 7}, false, false);
}

// --- tuples

TEST(StablehloRegionsTest, TuplesAreCarriedAndReturned) {
  const std::string text = R"(
func.func @main(%x: tensor<3xf32>, %n: tensor<i32>) -> (tuple<tensor<3xf32>, tensor<i32>>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %start = stablehlo.tuple %x, %zero : tuple<tensor<3xf32>, tensor<i32>>
  %end:2 = stablehlo.while(%t = %start, %limit = %n) : tuple<tensor<3xf32>, tensor<i32>>, tensor<i32>
  cond {
    %i = stablehlo.get_tuple_element %t[1] : (tuple<tensor<3xf32>, tensor<i32>>) -> tensor<i32>
    %p = stablehlo.compare LT, %i, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = func.call @step(%t) : (tuple<tensor<3xf32>, tensor<i32>>) -> tuple<tensor<3xf32>, tensor<i32>>
    stablehlo.return %next, %limit : tuple<tensor<3xf32>, tensor<i32>>, tensor<i32>
  }
  %p = stablehlo.compare GT, %n, %zero, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %chosen = "stablehlo.if"(%p) ({
    stablehlo.return %end#0 : tuple<tensor<3xf32>, tensor<i32>>
  }, {
    stablehlo.return %start : tuple<tensor<3xf32>, tensor<i32>>
  }) : (tensor<i1>) -> tuple<tensor<3xf32>, tensor<i32>>
  return %chosen, %end#1 : tuple<tensor<3xf32>, tensor<i32>>, tensor<i32>
}
func.func private @step(%t: tuple<tensor<3xf32>, tensor<i32>>) -> tuple<tensor<3xf32>, tensor<i32>> {
  %v = stablehlo.get_tuple_element %t[0] : (tuple<tensor<3xf32>, tensor<i32>>) -> tensor<3xf32>
  %i = stablehlo.get_tuple_element %t[1] : (tuple<tensor<3xf32>, tensor<i32>>) -> tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %j = stablehlo.add %i, %one : tensor<i32>
  %w = stablehlo.add %v, %v : tensor<3xf32>
  %r = stablehlo.tuple %w, %j : tuple<tensor<3xf32>, tensor<i32>>
  return %r : tuple<tensor<3xf32>, tensor<i32>>
})";
  Tensor n(DType::kS32, {});
  n.set_int(0, 4);
  EXPECT_EQ(numbers_of(text, {f32({3}, [](int64_t i) { return static_cast<double>(i); }), n}),
            (std::vector<Numbers>{{0, 16, 32}, {4}, {4}}));
}

// --- regions with control flow

TEST(StablehloRegionsTest, MapsHoldLoopsAndBranches) {
  const std::string text = R"(
func.func @main(%x: tensor<2x3xi32>, %y: tensor<2x3xf32>) -> (tensor<2x3xi32>, tensor<2x3xf32>) {
  %0 = "stablehlo.map"(%x) ({
  ^bb0(%a: tensor<i32>):
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %r:2 = stablehlo.while(%n = %a, %count = %zero) : tensor<i32>, tensor<i32>
     cond {
      %go = stablehlo.compare GT, %n, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %half = stablehlo.divide %n, %two : tensor<i32>
      %next = stablehlo.add %count, %one : tensor<i32>
      stablehlo.return %half, %next : tensor<i32>, tensor<i32>
    }
    stablehlo.return %r#1 : tensor<i32>
  }) {dimensions = array<i64: 0, 1>} : (tensor<2x3xi32>) -> tensor<2x3xi32>
  %1 = "stablehlo.map"(%x, %y) ({
  ^bb0(%a: tensor<i32>, %b: tensor<f32>):
    %eight = stablehlo.constant dense<8> : tensor<i32>
    %large = stablehlo.compare GE, %a, %eight : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %r = "stablehlo.if"(%large) ({
      %n = stablehlo.negate %b : tensor<f32>
      stablehlo.return %n : tensor<f32>
    }, {
      %s = stablehlo.add %b, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) {dimensions = array<i64: 0, 1>} : (tensor<2x3xi32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0, %1 : tensor<2x3xi32>, tensor<2x3xf32>
})";
  Tensor x(DType::kS32, {2, 3});
  const int64_t numbers[] = {1, 2, 7, 8, 1000, -5};
  for (int64_t i = 0; i < 6; ++i) x.set_int(i, numbers[i]);
  const Tensor y = f32({2, 3}, [](int64_t i) { return static_cast<double>(i); });
  EXPECT_EQ(numbers_of(text, {x, y}), (std::vector<Numbers>{{0, 1, 2, 3, 9, 0}, {0, 2, 4, -3, -4, 10}}));
}

TEST(StablehloRegionsTest, MapsChooseElementsOfArraysFromOutside) {
  const std::string text = R"(
func.func @main(%x: tensor<4xi32>, %table: tensor<5xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.map"(%x) ({
  ^bb0(%a: tensor<i32>):
    %1 = stablehlo.dynamic_slice %table, %a, sizes = [1] : (tensor<5xf32>, tensor<i32>) -> tensor<1xf32>
    %2 = stablehlo.reshape %1 : (tensor<1xf32>) -> tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<4xi32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
})";
  Tensor x(DType::kS32, {4});
  const int64_t numbers[] = {3, 0, 9, -1};
  for (int64_t i = 0; i < 4; ++i) x.set_int(i, numbers[i]);
  const Tensor table = f32({5}, [](int64_t i) { return static_cast<double>(10 + i); });
  EXPECT_EQ(numbers_of(text, {x, table})[0], (Numbers{13, 10, 14, 10}));
}

// What is there, halved as often as the update says: once in windows that meet, once in such that do not.
TEST(StablehloRegionsTest, ScattersHoldLoops) {
  for (const char* unique : {"false", "true"}) {
    const std::string text = R"(
func.func @main(%x: tensor<4xf32>, %at: tensor<3x1xi32>, %by: tensor<3xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.scatter"(%x, %at, %by) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %half = stablehlo.constant dense<0.5> : tensor<f32>
    %three = stablehlo.constant dense<3.0> : tensor<f32>
    %times = stablehlo.minimum %b, %three : tensor<f32>
    %r:2 = stablehlo.while(%v = %a, %i = %zero) : tensor<f32>, tensor<f32>
     cond {
      %go = stablehlo.compare LT, %i, %times : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %less = stablehlo.multiply %v, %half : tensor<f32>
      %next = stablehlo.add %i, %one : tensor<f32>
      stablehlo.return %less, %next : tensor<f32>, tensor<f32>
    }
    stablehlo.return %r#0 : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = )" +
                             std::string(unique) +
                             R"(} : (tensor<4xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
})";
    const bool apart = unique[0] == 't';
    const Tensor x = f32({4}, [](int64_t i) { return static_cast<double>(8 << i); });
    Tensor at(DType::kS32, {3, 1});
    const int64_t places[] = {1, 3, apart ? 2 : 1};
    for (int64_t i = 0; i < 3; ++i) at.set_int(i, places[i]);
    const Tensor by = f32({3}, [](int64_t i) { return static_cast<double>(i); });
    const auto module = read_text(text, "m.mlir");
    const Imported program = import_module(*module);
    if (!apart) {  // else the harness's random places may meet
      EXPECT_EQ(testing::check_compiled(*program.module, {}, 1), "");
    }
    const Tensor found = interpret(*program.module, std::vector<Tensor>{x, at, by})[0];
    const Numbers want = apart ? Numbers{8, 16, 8, 32} : Numbers{8, 4, 32, 32};
    for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(found.get_double(i), want[static_cast<size_t>(i)]) << unique;
  }
}

// A region of a large window that holds a branch.
TEST(StablehloRegionsTest, LargeWindowsHoldBranches) {
  const auto found = numbers_of(R"(
func.func @main() -> tensor<3xi32> {
  %x = stablehlo.iota dim = 0 : tensor<202xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%x, %zero) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %more = stablehlo.compare GT, %b, %a : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %r = "stablehlo.if"(%more) ({
      stablehlo.return %b : tensor<i32>
    }, {
      stablehlo.return %a : tensor<i32>
    }) : (tensor<i1>) -> tensor<i32>
    stablehlo.return %r : tensor<i32>
  }) {window_dimensions = array<i64: 200>} : (tensor<202xi32>, tensor<i32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
})");
  EXPECT_EQ(found[0], (Numbers{199, 200, 201}));
}

}  // namespace
}  // namespace ingot::stablehlo
