// Every record: its rules against finite differences, in both modes, twice, interpreted and compiled. A
// record without a case fails.
#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "ir/builder.h"
#include "ir/op_record.h"
#include "ir/text.h"
#include "ops/convolution.h"
#include "testing/sanitized.h"
#include "transform/check_derivatives.h"

namespace ingot::transform {
namespace {

using ir::Attributes;
using ir::IntList;
using ir::TensorType;

struct Case {
  std::string op;
  std::vector<TensorType> operands;
  Attributes attributes = {};
  bool positive = false;
  std::optional<double> order = {};  // a first operand that is a number
  std::string inside = {};           // the function that brings the operand to where the operation is smooth
  double diagonal = 0;               // is added to the diagonal of a first operand of square matrices
  std::vector<int> results = {0};    // that are looked at
};

TensorType f64(Shape shape) {
  return {DType::kF64, std::move(shape)};
}

TensorType c128(Shape shape) {
  return {DType::kC128, std::move(shape)};
}

Attributes convolution(IntList lhs, IntList rhs, IntList out, IntList strides, IntList low, IntList high,
                       IntList lhs_dilation, IntList rhs_dilation, IntList reverse, int64_t feature_groups,
                       int64_t batch_groups) {
  return ops::ConvolutionDims{lhs,          rhs,          out,     strides,        low,         high,
                              lhs_dilation, rhs_dilation, reverse, feature_groups, batch_groups}
      .attributes();
}

std::vector<Case> cases() {
  const TensorType m = f64({3, 5}), pred{DType::kPred, {3, 5}};
  std::vector<Case> list;
  for (const char* op : {"neg", "abs", "exp", "sin", "cos", "tanh", "logistic", "expm1", "erf", "atan",
                         "sinh", "cosh", "asinh", "exp2", "erfc", "bessel_i0e", "bessel_i1e"})
    list.push_back({op, {m}});
  for (const char* op : {"sqrt", "rsqrt", "log", "log1p", "log2", "cbrt", "lgamma", "digamma"})
    list.push_back({op, {m}, {}, true});
  for (const char* op : {"tan", "asin", "acos", "atanh", "erf_inv"})
    list.push_back({op, {m}, {}, false, {}, "tanh"});
  list.push_back({"acosh", {m}, {}, true, {}, "cosh"});
  list.push_back({"zeta", {m}, {}, true, 2.5});
  list.push_back({"zeta", {m, m}, {}, true, {}, "cosh"});
  list.push_back({"polygamma", {m}, {}, true, 1.0});
  for (const char* op : {"sign", "floor", "ceil", "round_even", "round_away"}) list.push_back({op, {m}});
  for (const char* op : {"add", "sub", "mul", "max", "min"}) list.push_back({op, {m, m}});
  for (const char* op : {"div", "rem", "pow", "atan2"}) list.push_back({op, {m, m}, {}, true});
  const TensorType c = c128({3, 5});
  for (const char* op : {"neg", "abs", "exp", "sin", "cos", "real", "imag", "conj"})
    list.push_back({op, {c}});
  for (const char* op : {"sqrt", "rsqrt", "log", "tanh", "logistic", "tan", "sinh", "cosh", "asin", "acos",
                         "atan", "asinh", "acosh", "atanh", "exp2", "log2", "cbrt"})
    list.push_back({op, {c}, {}, true});
  for (const char* op : {"add", "sub", "mul"}) list.push_back({op, {c, c}});
  for (const char* op : {"div", "pow"}) list.push_back({op, {c, c}, {}, true});
  list.push_back({"complex", {m, m}});
  list.push_back({"select", {pred, c, c}});
  list.push_back({"convert", {m}, {{"dtype", DType::kC128}}});
  list.push_back({"transpose", {c}, {{"permutation", IntList{1, 0}}}});
  list.push_back(
      {"pad", {c, c128({})}, {{"low", IntList{1, 0}}, {"high", IntList{0, 2}}, {"interior", IntList{0, 1}}}});
  list.push_back({"dot_general",
                  {c, c128({5, 2})},
                  {{"lhs_batch", IntList()},
                   {"rhs_batch", IntList()},
                   {"lhs_contract", IntList{1}},
                   {"rhs_contract", IntList{0}}}});
  list.push_back({"convolution",
                  {c128({2, 7, 3}), c128({3, 3, 4})},
                  convolution({0, 2, 1}, {2, 1, 0}, {0, 2, 1}, {2}, {1}, {0}, {1}, {1}, {0}, 1, 1)});
  list.push_back({"select", {pred, m, m}});
  list.push_back({"convert", {m}, {{"dtype", DType::kF64}}});
  list.push_back({"transpose", {f64({2, 3, 4})}, {{"permutation", IntList{2, 0, 1}}}});
  list.push_back({"reverse", {m}, {{"axes", IntList{1}}}});
  list.push_back({"reshape", {m}, {{"shape", IntList{5, 1, 3}}}});
  list.push_back({"broadcast", {f64({4, 2})}, {{"shape", IntList{2, 3, 4}}, {"dims", IntList{2, 0}}}});
  list.push_back({"broadcast", {f64({})}, {{"shape", IntList{2, 3}}, {"dims", IntList()}}});
  list.push_back({"slice",
                  {f64({5, 9})},
                  {{"starts", IntList{1, 2}}, {"limits", IntList{4, 9}}, {"strides", IntList{1, 3}}}});
  list.push_back({"take", {m}, {{"axis", int64_t{1}}, {"indices", IntList{4, 0, 4, 2, 4}}}});
  list.push_back({"take", {m}, {{"axis", int64_t{0}}, {"indices", IntList(20, 1)}}});
  list.push_back({"concatenate", {m, f64({3, 1}), m}, {{"axis", int64_t{1}}}});
  list.push_back({"hold", {m}, {{"dims", IntList{1}}}});
  list.push_back(
      {"pad", {m, f64({})}, {{"low", IntList{1, 0}}, {"high", IntList{0, 2}}, {"interior", IntList{0, 1}}}});
  list.push_back({"dot_general",
                  {f64({2, 3, 4, 5}), f64({5, 2, 6, 3})},
                  {{"lhs_batch", IntList{1}},
                   {"rhs_batch", IntList{3}},
                   {"lhs_contract", IntList{3, 0}},
                   {"rhs_contract", IntList{0, 1}}}});
  list.push_back({"dot_general",
                  {f64({4}), f64({3})},
                  {{"lhs_batch", IntList()},
                   {"rhs_batch", IntList()},
                   {"lhs_contract", IntList()},
                   {"rhs_contract", IntList()}}});
  // Everything at once, feature groups, batch groups, no spatial dimension, windows larger than what is
  // there.
  list.push_back({"convolution",
                  {f64({5, 2, 7, 3}), f64({3, 4, 2, 3})},
                  convolution({1, 3, 0, 2}, {1, 3, 2, 0}, {2, 0, 3, 1}, {2, 1}, {1, -1}, {2, 3}, {1, 2},
                              {2, 1}, {0, 1}, 1, 1)});
  list.push_back({"convolution",
                  {f64({2, 6, 4}), f64({3, 4, 6})},
                  convolution({0, 2, 1}, {2, 1, 0}, {0, 2, 1}, {1}, {2}, {0}, {1}, {1}, {0}, 1, 2)});
  list.push_back({"convolution",
                  {f64({2, 5, 4}), f64({3, 2, 6})},
                  convolution({0, 2, 1}, {2, 1, 0}, {0, 2, 1}, {2}, {1}, {1}, {1}, {1}, {0}, 2, 1)});
  list.push_back({"convolution",
                  {f64({2, 3}), f64({4, 3})},
                  convolution({0, 1}, {0, 1}, {1, 0}, {}, {}, {}, {}, {}, {}, 1, 1)});
  list.push_back({"checkpoint_name", {f64({3})}, {{"name", std::string("x")}}});
  for (const bool odd : {false, true}) {
    const int64_t n = odd ? 5 : 4;
    const auto form = [](const char* type, IntList lengths) {
      return Attributes{{"fft_type", std::string(type)}, {"fft_length", std::move(lengths)}};
    };
    list.push_back({"fft", {c128({2, n})}, form(odd ? "fft" : "ifft", {n})});
    list.push_back({"fft", {c128({2, 2, n})}, form(odd ? "ifft" : "fft", {2, n})});
    list.push_back({"fft", {f64({2, n})}, form("rfft", {n})});
    list.push_back({"fft", {f64({2, 3, n})}, form("rfft", {2, 3, n})});
    list.push_back({"fft", {c128({2, 3})}, form("irfft", {n})});
    list.push_back({"fft", {c128({2, 2, 3})}, form("irfft", {2, n})});
  }
  for (const Shape& shape : {Shape{2, 3, 3}, Shape{4, 2}, Shape{2, 4}}) list.push_back({"lu", {f64(shape)}});
  list.push_back({"lu", {c128({3, 3})}});
  const std::vector<int> both = {0, 1};
  for (const bool full : {false, true}) {
    const Attributes of_qr{{"full_matrices", full}};
    for (const Shape& shape : {Shape{2, 3, 3}, Shape{4, 2}, Shape{2, 4}})
      list.push_back({"qr", {f64(shape)}, of_qr, false, {}, {}, 0, both});
    list.push_back({"qr", {c128({3, 2})}, of_qr, false, {}, {}, 0, both});
    list.push_back({"qr", {c128({2, 3})}, of_qr, false, {}, {}, 0, both});
  }
  // Of complex matrices the phases of vectors are free.
  for (const bool yes : {false, true}) {
    const Attributes vectors{{"lower", yes}, {"vectors", true}}, values{{"lower", yes}, {"vectors", false}};
    list.push_back({"eigh", {f64({2, 3, 3})}, vectors, false, {}, {}, 0, both});
    list.push_back({"eigh", {f64({3, 3})}, values});
    list.push_back({"eigh", {c128({3, 3})}, yes ? vectors : values});
  }
  const auto of_svd = [](bool full, bool vectors) {
    return Attributes{{"full_matrices", full}, {"vectors", vectors}};
  };
  for (const Shape& shape : {Shape{2, 3, 3}, Shape{4, 2}, Shape{2, 4}}) {
    list.push_back({"svd", {f64(shape)}, of_svd(shape.back() == 3, true), false, {}, {}, 0, {0, 1, 2}});
    list.push_back({"svd", {f64(shape)}, of_svd(false, false)});
  }
  list.push_back({"svd", {c128({3, 2})}, of_svd(false, true), false, {}, {}, 0, {1}});
  for (const bool yes : {false, true}) {
    list.push_back({"eig", {f64({3, 3})}, {{"left", yes}, {"right", false}}, false, {}, {}, 0, {0}});
    list.push_back({"eig", {c128({2, 2})}, {{"left", !yes}, {"right", yes}}, false, {}, {}, 0, both});
  }
  for (const bool yes : {true, false}) {
    list.push_back({"cholesky", {f64({2, 3, 3})}, {{"lower", yes}}, false, {}, {}, 6});
    list.push_back({"cholesky", {c128({3, 3})}, {{"lower", yes}}, false, {}, {}, 9});
    for (const char* transpose : {"no", "transpose", "adjoint"}) {
      const auto form = [&](bool left, bool lower) {
        return Attributes{{"left_side", left},
                          {"lower", lower},
                          {"unit_diagonal", left == lower && !yes},
                          {"transpose_a", std::string(transpose)}};
      };
      list.push_back(
          {"triangular_solve", {f64({2, 3, 3}), f64({2, 3, 2})}, form(true, yes), false, {}, {}, 3});
      list.push_back({"triangular_solve", {c128({3, 3}), c128({2, 3})}, form(false, yes), false, {}, {}, 3});
    }
  }
  list.push_back({"convolution",
                  {f64({1, 2, 3}), f64({2, 3, 4})},
                  convolution({0, 2, 1}, {0, 1, 2}, {0, 1, 2}, {3}, {4}, {6}, {2}, {3}, {1}, 1, 1)});
  return list;
}

std::unique_ptr<ir::Module> program_of(const Case& c) {
  auto module = std::make_unique<ir::Module>();
  ir::Function* function = module->add_function("f");
  std::vector<ir::Value*> arguments;
  for (const TensorType& type : c.operands) arguments.push_back(function->body().add_argument(type, "x"));
  ir::Builder builder(function->body());
  if (c.order) {
    Tensor order(c.operands[0].dtype, c.operands[0].shape);
    for (int64_t i = 0; i < order.size(); ++i) order.set_double(i, *c.order);
    arguments.insert(arguments.begin(), builder.constant(order));
  }
  if (c.diagonal != 0) {
    Tensor diagonal(c.operands[0].dtype, c.operands[0].shape);
    const int64_t n = c.operands[0].shape.back();
    for (int64_t i = 0; i < diagonal.size(); ++i)
      diagonal.set_complex(i, i % (n * n) % (n + 1) == 0 ? c.diagonal : 0);
    arguments[0] = builder.value("add", {arguments[0], builder.constant(diagonal)});
  }
  if (!c.inside.empty()) arguments[0] = builder.value(c.inside, {arguments[0]});
  const ir::Op* op = builder.make(c.op, arguments, c.attributes);
  std::vector<ir::Value*> results;
  for (const int i : c.results) results.push_back(op->result(i));
  function->body().set_results(results);
  return module;
}

// In parts, that threads may share.
constexpr size_t kParts = 6;

class DerivativesOfRecords : public ::testing::TestWithParam<size_t> {};

TEST_P(DerivativesOfRecords, AgreeWithFiniteDifferences) {
  const std::vector<Case> all = cases();
  // A sanitizer, under which each takes ten times as long, sees it in a quarter of them.
  for (size_t i = GetParam(); i < all.size(); i += testing::under_sanitizer() ? 4 * kParts : kParts) {
    const Case& c = all[i];
    EXPECT_EQ(testing::check_derivatives(*program_of(c), 1, {.positive = c.positive}), "") << c.op;
  }
}

INSTANTIATE_TEST_SUITE_P(Part, DerivativesOfRecords, ::testing::Range(size_t{0}, kParts));

// What has no case of its own here has no derivative, or is covered by programs.
TEST(DerivativesOfRecordsTest, EveryRecordHasACase) {
  std::set<std::string, std::less<>> covered = {
      "stop_gradient", "reduce",  "scan",  "call", "constant",        "iota", "linear_call", "axis_reduce",
      "gather",        "scatter", "while", "cond", "reduce_precision"};
  for (const Case& c : cases()) covered.insert(c.op);
  for (const ir::OpRecord* record : ir::all_records()) {
    const bool none = std::holds_alternative<ir::NotDifferentiable>(*record->jvp);
    EXPECT_NE(none, covered.contains(*record->name)) << *record->name;
    if (const auto* reason = std::get_if<ir::NotDifferentiable>(&*record->jvp)) {
      EXPECT_FALSE(reason->reason.empty());
    }
  }
}

}  // namespace
}  // namespace ingot::transform
