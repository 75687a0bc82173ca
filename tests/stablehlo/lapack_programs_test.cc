// Functions of LAPACK that are programs of arrays: what JAX makes of tridiagonal_solve, hessenberg and
// tridiagonal in lax.linalg, by the interpreter and compiled. The values are those of JAX 0.10, and of
// scipy's gtsv.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <functional>

#include "imported.h"
#include "interpreter/interpreter.h"
#include "testing/differential.h"

namespace ingot::stablehlo {
namespace {

using Numbers = std::vector<double>;

std::vector<Tensor> results_of(const std::string& text, const std::vector<Tensor>& arguments) {
  const Imported program = imported(text);
  EXPECT_EQ(testing::check_compiled(*program.module, {}, 1), "") << text;
  return interpret(*program.module, arguments);
}

Tensor f64(const Shape& shape, const std::function<double(double)>& element) {
  Tensor made(DType::kF64, shape);
  for (int64_t i = 0; i < made.size(); ++i) made.set_double(i, element(static_cast<double>(i)));
  return made;
}

void expect_near(const Tensor& found, const Numbers& expected) {
  ASSERT_EQ(found.size(), static_cast<int64_t>(expected.size()));
  for (int64_t i = 0; i < found.size(); ++i) {
    const double want = expected[static_cast<size_t>(i)];
    EXPECT_NEAR(found.get_double(i), want, 1e-11 * (1 + std::abs(want))) << i;
  }
}

std::string gtsv(const std::string& diagonal, const std::string& sides, const std::string& number) {
  const std::string given = "(" + diagonal + ", " + diagonal + ", " + diagonal + ", " + sides + ")";
  const std::string results =
      "(" + diagonal + ", " + diagonal + ", " + diagonal + ", " + sides + ", " + number + ")";
  return "func.func @main(%l: " + diagonal + ", %d: " + diagonal + ", %u: " + diagonal + ", %b: " + sides +
         ") -> " + results + R"( {
  %0:5 = stablehlo.custom_call @lapack_dgtsv_ffi(%l, %d, %u, %b) {backend_config = "", mhlo.backend_config = {}} : )" +
         given + " -> " + results +
         "\n  return %0#0, %0#1, %0#2, %0#3, %0#4 : " + results.substr(1, results.size() - 2) + "\n}";
}

TEST(LapackProgramsTest, TridiagonalSystems) {
  const auto results = results_of(gtsv("tensor<2x4xf64>", "tensor<2x4x2xf64>", "tensor<2xi32>"),
                                  {f64({2, 4}, [](double i) { return std::sin(1.3 * i + 1); }),
                                   f64({2, 4}, [](double i) { return 0.5 * std::cos(0.7 * i); }),
                                   f64({2, 4}, [](double i) { return std::cos(1.1 * i + 0.4); }),
                                   f64({2, 4, 2}, [](double i) { return std::sin(0.9 * i + 0.2); })});
  expect_near(results[3], {1.4877358422406, -0.194784907517333, -0.59192452386441, 1.07332719576333,
                           0.371084494096148, -0.367013529298423, 1.0565346734905, 0.576228721246385,
                           -3.07912026322997, -3.14903127881749, -6.30750019376772, -6.64432836330212,
                           0.170089433884892, -0.843515299926313, 3.62257730096586, 4.06083615370779});
  EXPECT_EQ(results[4].get_int(0), 0);
  EXPECT_EQ(results[4].get_int(1), 0);
  // U: its second superdiagonal between what is not touched, its diagonal and its superdiagonal.
  const auto lower = [](double i) { return std::sin(1.3 * i + 1); };
  const auto upper = [](double i) { return std::cos(1.1 * i + 0.4); };
  expect_near(results[0], {lower(0), 0.0707372016677029, 0, lower(3), lower(4), 0.927478430744036,
                           0.753902254343304, lower(7)});
  expect_near(results[1], {0.74570521217672, 0.664645263364532, -0.982452612624332, -0.870610150940832,
                           0.937999976774739, 0.584917192891762, -0.625070648892882, 0.250596399172695});
  expect_near(results[2], {0.382421093642244, -0.0474297353113708, -0.252423052299929, upper(3),
                           -0.468228343645398, -0.24513041067035, 0.0932561847112874, upper(7)});
}

// What tridiagonal_solve(.., perturb_singular=True) calls: finite where there is no solution, by the pivots
// that LAPACK's lagts moves.
TEST(LapackProgramsTest, TridiagonalSystemsThatMayBeSingular) {
  const auto solved = [](const Shape& shape, const std::vector<Tensor>& arguments) {
    std::string rows;
    for (const int64_t extent : shape) rows += std::to_string(extent) + "x";
    const std::string sides = std::to_string(arguments[3].shape().back()) + "x";
    const std::string d = "tensor<" + rows + "f64>", b = "tensor<" + rows + sides + "f64>";
    return results_of("func.func @main(%l: " + d + ", %d: " + d + ", %u: " + d + ", %b: " + b + ") -> " + b +
                          " {\n  %0 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%l, %d, %u, %b) "
                          "{backend_config = \"\", mhlo.backend_config = {}} : (" +
                          d + ", " + d + ", " + d + ", " + b + ") -> " + b + "\n  return %0 : " + b + "\n}",
                      arguments)[0];
  };
  const Tensor b = f64({2, 4, 2}, [](double i) { return std::sin(0.9 * i + 0.2); });
  // The second matrix has zeros on its diagonal: rows are exchanged.
  expect_near(solved({2, 4}, {f64({2, 4}, [](double i) { return std::sin(1.3 * i + 1); }),
                              f64({2, 4}, [](double i) { return i < 4 ? 0.5 * std::cos(0.7 * i) : 0; }),
                              f64({2, 4}, [](double i) { return std::cos(1.1 * i + 0.4); }), b}),
              {1.4877358422406, -0.194784907517333, -0.59192452386441, 1.07332719576333, 0.371084494096148,
               -0.367013529298423, 1.0565346734905, 0.576228721246385, 0.603841885710899, 0.766719604712717,
               10.2710689940023, 10.3106550304168, -0.370373853758107, -1.44936375418215, -9.29525679243961,
               -8.81946760498211});
  const Tensor first = f64({4, 2}, [](double i) { return std::sin(0.9 * i + 0.2); });
  const Tensor minus = f64({4}, [](double) { return -1; });
  expect_near(solved({4}, {minus, f64({4}, [](double i) { return i == 0 || i == 3 ? 1 : 2; }), minus, first}),
              {-608696487986862, 1.55668461260671e+15, -608696487986862, 1.55668461260671e+15,
               -608696487986863, 1.55668461260671e+15, -608696487986864, 1.55668461260671e+15});
  const Tensor none = f64({3}, [](double) { return 0; });
  expect_near(solved({3}, {none, f64({3}, [](double i) { return i == 1 ? 3 : 0; }), none,
                           f64({3, 1}, [](double i) { return i + 1; })}),
              {4.49423283715579e+307, 2.0 / 3, 4.49423283715579e+307});
  expect_near(solved({1}, {f64({1}, [](double) { return 0; }), f64({1}, [](double) { return 4; }),
                           f64({1}, [](double) { return 0; }), f64({1, 1}, [](double) { return 2; })}),
              {0.5});
}

// The number of the first row whose pivot is 0, from 1.
TEST(LapackProgramsTest, TridiagonalSystemsWithoutASolution) {
  const auto info = [](const Numbers& l, const Numbers& d, const Numbers& u) {
    const auto of = [](const Numbers& list) {
      return f64({static_cast<int64_t>(list.size())}, [&](double i) { return list[static_cast<size_t>(i)]; });
    };
    const std::string n = std::to_string(d.size());
    const auto results =
        results_of(gtsv("tensor<" + n + "xf64>", "tensor<" + n + "x1xf64>", "tensor<i32>"),
                   {of(l), of(d), of(u), f64({static_cast<int64_t>(d.size()), 1}, [](double) { return 1; })});
    return results[4].get_int(0);
  };
  EXPECT_EQ(info({9}, {0}, {9}), 1);
  EXPECT_EQ(info({9}, {2}, {9}), 0);
  EXPECT_EQ(info({9, 0, 1}, {0, 1, 1}, {1, 1, 9}), 1);
  EXPECT_EQ(info({9, 2, 0}, {1, 2, 1}, {1, 1, 9}), 2);
  EXPECT_EQ(info({9, 0, 1}, {1, 1, 1}, {1, 1, 9}), 3);
  EXPECT_EQ(info({9, 1, 1}, {0, 0, 1}, {1, 1, 9}), 0);  // rows are exchanged
}

std::string of_matrix(const std::string& call, const std::string& config, const std::string& matrix,
                      const std::vector<std::string>& types) {
  std::string all, values;
  for (size_t i = 0; i < types.size(); ++i) {
    all += (i == 0 ? "" : ", ") + types[i];
    values += (i == 0 ? "" : ", ") + ("%0#" + std::to_string(i));
  }
  return "func.func @main(%a: " + matrix + ") -> (" + all + ") {\n  %0:" + std::to_string(types.size()) +
         " = stablehlo.custom_call @" + call + "(%a) {backend_config = \"\", mhlo.backend_config = {" +
         config + "}} : (" + matrix + ") -> (" + all + ")\n  return " + values + " : " + all + "\n}";
}

double element(double i) {
  return std::sin(1.7 * i * i + 1);
}

TEST(LapackProgramsTest, HessenbergForms) {
  const std::vector<std::string> types{"tensor<2x4x4xf64>", "tensor<2x3xf64>", "tensor<2xi32>"};
  const std::string text = of_matrix("lapack_dgehrd_ffi", "high = 4 : i32, low = 1 : i32", types[0], types);
  // The second matrix is a triangle, which is such a form.
  const auto results = results_of(text, {f64({2, 4, 4}, [](double i) {
                                    const int k = static_cast<int>(i) - 16;
                                    return k < 0 ? element(i) : k / 4 > k % 4 ? 0 : i;
                                  })});
  expect_near(results[0], {0.841470984807897,
                           0.277355009722033,
                           -0.631492426226691,
                           -1.0076984798586,
                           -0.707084086075599,
                           0.302153782357197,
                           1.17705364001035,
                           0.0610776705530705,
                           0.198520662061009,
                           -0.478560156007785,
                           0.512208133240747,
                           1.30148387996168,
                           0.877778003986616,
                           0.198692162953417,
                           -0.126643798369341,
                           -0.0778015435014792,
                           16,
                           17,
                           18,
                           19,
                           0,
                           21,
                           22,
                           23,
                           0,
                           0,
                           26,
                           27,
                           0,
                           0,
                           0,
                           31});
  expect_near(results[1], {1.10503057139434, 1.92404157902804, 0, 0, 0, 0});
  EXPECT_EQ(results[2].get_int(1), 0);
  EXPECT_NE(error_of(of_matrix("lapack_dgehrd_ffi", "high = 3 : i32, low = 1 : i32", types[0], types))
                .find("it reduces a part of the rows alone"),
            std::string::npos);
  EXPECT_NE(error_of(of_matrix("lapack_dgehrd_ffi", "", "tensor<3x4xf64>",
                               {"tensor<3x4xf64>", "tensor<3xf64>", "tensor<i32>"}))
                .find("takes square matrices"),
            std::string::npos);
}

TEST(LapackProgramsTest, TridiagonalForms) {
  const std::vector<std::string> types{"tensor<4x4xf64>", "tensor<4xf64>", "tensor<3xf64>", "tensor<3xf64>",
                                       "tensor<i32>"};
  const auto of = [&](const std::string& uplo) {
    return results_of(of_matrix("lapack_dsytrd_ffi", "uplo = " + uplo + " : ui8", types[0], types),
                      {f64({4, 4}, element)});
  };
  const auto lower = of("76"), upper = of("85");
  expect_near(lower[0], {0.841470984807897, 0.42737988023383, 0.998543345374605, -0.558052271286776,
                         -0.707084086075599, 0.5332161474664, -0.590641078546805, 0.499482782289164,
                         0.198520662061009, 1.24229765932029, -0.131629767459935, -0.601290440419966,
                         0.877778003986616, 0.167209212740965, 0.606814811147255, 0.33497399209});
  expect_near(lower[1], {0.841470984807897, 0.5332161474664, -0.131629767459935, 0.33497399209});
  expect_near(lower[2], {-0.707084086075599, 1.24229765932029, 0.606814811147255});
  expect_near(lower[3], {1.10503057139434, 1.94560303868368, 0});
  expect_near(upper[0], {0.325346551846533, -0.51321099984617, -0.0675961071343406, 0.357328183751544,
                         0.0742654455843613, -0.36528838009125, 1.05458731536367, -0.319825372270255,
                         0.155114026326195, 0.45281784909008, 1.39418816501235, 0.960445511745508,
                         0.685851432316356, -0.664275482618273, 0.928806404951413, 0.223785020136727});
  expect_near(upper[1], {0.325346551846533, -0.36528838009125, 1.39418816501235, 0.223785020136727});
  expect_near(upper[2], {-0.51321099984617, 1.05458731536367, 0.960445511745508});
  expect_near(upper[3], {0, 1.9909030984696, 1.62605367307843});
}

TEST(LapackProgramsTest, TridiagonalFormsOfHermitianMatrices) {
  using C = std::complex<double>;
  const std::vector<std::string> types{"tensor<3x3xcomplex<f64>>", "tensor<3xf64>", "tensor<2xf64>",
                                       "tensor<2xcomplex<f64>>", "tensor<i32>"};
  const std::vector<C> elements{1, {2, 1}, 0.5, {2, -1}, 3, {0, 1}, 0.5, {0, -1}, 2};
  Tensor a(DType::kC128, {3, 3});
  for (int64_t i = 0; i < 9; ++i) a.set_complex(i, elements[static_cast<size_t>(i)]);
  const auto results = results_of(of_matrix("lapack_zhetrd_ffi", "uplo = 76 : ui8", types[0], types), {a});
  const auto near = [](const Tensor& found, int64_t i, C expected) {
    EXPECT_LE(std::abs(found.get_complex(i) - expected), 1e-7) << i;
  };
  near(results[0], 1, {2, 1});
  near(results[0], 3, -2.29128785);
  near(results[0], 6, {0.11051389, 0.02575308});
  near(results[0], 7, -1.08692497);
  EXPECT_NEAR(results[1].get_double(1), 2.76190476, 1e-7);
  EXPECT_NEAR(results[2].get_double(1), -1.08692497, 1e-7);
  near(results[3], 0, {1.87287156, -0.43643578});
  near(results[3], 1, {1.57292, 0.81961129});
}

}  // namespace
}  // namespace ingot::stablehlo
