// Sums are compared within tolerances that a lost bit breaks: products, convolutions, reductions and running
// totals, and the same with operands rounded to bf16 or sums kept in too few bits, which must be seen.
#include <gtest/gtest.h>

#include <cmath>

#include "interpreter/interpreter.h"
#include "ir/builder.h"
#include "ir/text.h"
#include "testing/differential.h"
#include "testing/tensors.h"

namespace ingot::compiler {
namespace {

std::string type(const std::string& element, std::initializer_list<int64_t> extents) {
  std::string text = element + "[";
  for (int64_t extent : extents) text += (text.back() == '[' ? "" : ",") + std::to_string(extent);
  return text + "]";
}

std::string sum_region(const std::string& element) {
  return " (%p: " + element + "[], %q: " + element + "[]) {\n    %c = add(%p, %q) : " + element +
         "[]\n    return %c\n  }";
}

struct Sum {
  std::string what, element, text;
  int64_t terms;
};

// Sums of `terms` terms, in every way there is. Each text ends at the first line that reads %x and %w.
std::vector<Sum> sums(const std::string& e, int64_t n) {
  const std::string zero = "  %zero = constant() {value = dense " + e + "[]{0}} : " + e + "[]\n";
  std::vector<Sum> list;
  list.push_back({"product", e,
                  "func @f(%x: " + type(e, {33, n}) + ", %w: " + type(e, {n, 29}) + ") -> (" +
                      type(e, {33, 29}) +
                      ") {\n  %y = dot_general(%x, %w) {lhs_batch = [], rhs_batch = [], lhs_contract = [1], "
                      "rhs_contract = [0]} : " +
                      type(e, {33, 29}) + "\n  return %y\n}\n",
                  n});
  const std::string image = type(e, {2, 1, n + 6}), window = type(e, {3, 1, n}), result = type(e, {2, 3, 7});
  list.push_back({"convolution", e,
                  "func @f(%x: " + image + ", %w: " + window + ") -> (" + result +
                      ") {\n  %y = convolution(%x, %w) {batch_groups = 1, feature_groups = 1, high = [0], "
                      "lhs_dilation = [1], lhs_dims = [0,1,2], low = [0], out_dims = [0,1,2], reverse = [0], "
                      "rhs_dilation = [1], rhs_dims = [0,1,2], strides = [1]} : " +
                      result + "\n  return %y\n}\n",
                  n});
  for (const bool rows : {true, false}) {
    const std::string whole = rows ? type(e, {37, n}) : type(e, {n, 37});
    list.push_back({rows ? "sum of rows" : "sum of columns", e,
                    "func @f(%x: " + whole + ") -> (" + type(e, {37}) + ") {\n" + zero +
                        "  %y = reduce(%x, %zero) {axes = [" + (rows ? "1" : "0") + "]}" + sum_region(e) +
                        " : " + type(e, {37}) + "\n  return %y\n}\n",
                    n});
  }
  list.push_back({"running total", e,
                  "func @f(%x: " + type(e, {19, n}) + ") -> (" + type(e, {19, n}) + ") {\n" + zero +
                      "  %z = broadcast(%zero) {dims = [], shape = [19]} : " + type(e, {19}) +
                      "\n  %l, %y = scan(%z, %x) {carries = 1, scanned = 1, length = " + std::to_string(n) +
                      ", reverse = false, xs_axes = [1], ys_axes = [1]} (%a: " + type(e, {19}) +
                      ", %b: " + type(e, {19}) + ") {\n    %c = add(%a, %b) : " + type(e, {19}) +
                      "\n    return %c, %c\n  } : " + type(e, {19}) + ", " + type(e, {19, n}) +
                      "\n  return %y\n}\n",
                  n});
  return list;
}

TEST(ToleranceTest, SumsAgreeTightly) {
  for (const char* element : {"f32", "f64"}) {
    for (int64_t terms : {1, 7, 64, 1000}) {
      for (const Sum& sum : sums(element, terms)) {
        const auto module = ir::parse(sum.text, "test");
        const DType dtype = module->entry()->body().results()[0]->dtype();
        const double tolerances[] = {testing::tolerance_of_sum(dtype, sum.terms)};
        EXPECT_EQ(testing::check_compiled(*module, tolerances, 3), "")
            << sum.what << " of " << terms << " in " << element;
      }
    }
  }
}

TEST(ToleranceTest, ProductsOfNarrowFloatsAgreeTightly) {
  for (const char* element : {"f16", "bf16"}) {
    for (int64_t terms : {1, 64, 1000}) {
      const Sum sum = sums(element, terms)[0];
      const auto module = ir::parse(sum.text, "test");
      const DType dtype = module->entry()->body().results()[0]->dtype();
      const double tolerances[] = {testing::tolerance_of_sum(dtype, terms)};
      EXPECT_EQ(testing::check_compiled(*module, tolerances, 4), "") << element << terms;
    }
  }
}

Tensor rounded(const Tensor& x, DType dtype) {
  Tensor narrow(dtype, x.shape()), back(x.dtype(), x.shape());
  for (int64_t i = 0; i < x.size(); ++i) {
    narrow.set_double(i, x.get_double(i));
    back.set_double(i, narrow.get_double(i));
  }
  return back;
}

// Planted: all operands rounded to bf16; of f64, to f32.
TEST(ToleranceTest, RoundedOperandsAreSeen) {
  for (const char* element : {"f32", "f64"}) {
    for (int64_t terms : {1, 7, 64, 1000}) {
      for (const Sum& sum : sums(element, terms)) {
        const auto module = ir::parse(sum.text, "test");
        testing::Random random(1);
        std::vector<Tensor> arguments = testing::random_arguments(random, *module);
        const Tensor want = interpret(*module, arguments)[0];
        const DType fewer = want.dtype() == DType::kF64 ? DType::kF32 : DType::kBF16;
        arguments[0] = rounded(arguments[0], fewer);  // one of them is enough
        const Tensor got = interpret(*module, arguments)[0];
        EXPECT_NE(testing::difference(got, want, testing::tolerance_of_sum(want.dtype(), terms)), "")
            << sum.what << " of " << terms << " in " << element;
      }
    }
  }
}

// Planted: sums rounded to the narrow dtype at every step.
TEST(ToleranceTest, NarrowSumsAreSeen) {
  for (const DType dtype : {DType::kF16, DType::kBF16}) {
    const int64_t terms = 1000;
    const auto module = ir::parse(sums(std::string(name_of(dtype)), terms)[0].text, "test");
    testing::Random random(1);
    const std::vector<Tensor> arguments = testing::random_arguments(random, *module);
    const Tensor want = interpret(*module, arguments)[0];
    Tensor got(dtype, want.shape()), sum(dtype, {});
    for (int64_t i = 0; i < want.size(); ++i) {
      sum.set_double(0, 0);
      for (int64_t k = 0; k < terms; ++k) {
        const double product =
            arguments[0].get_double(i / 29 * terms + k) * arguments[1].get_double(k * 29 + i % 29);
        sum.set_double(0, sum.get_double(0) + product);
      }
      got.set_double(i, sum.get_double(0));
    }
    EXPECT_NE(testing::difference(got, want, testing::tolerance_of_sum(dtype, terms)), "") << name_of(dtype);
  }
}

}  // namespace
}  // namespace ingot::compiler
