// One harness over all records: every scalar recipe against the reference of its operation, for every dtype
// that the operation takes; and the accuracy of the functions of analysis against the C library in extended
// precision.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <string>

#include "ir/builder.h"
#include "ops/elementwise_cases.h"
#include "ops/host_scalar_builder.h"
#include "ops/kinds.h"
#include "ops/samples.h"
#include "ops/special_reference.h"

namespace ingot::ops {
namespace {

class NoRegions : public Evaluator {
  Tensors run(const ir::Region&, std::span<const Tensor>) override { throw InternalError("no regions here"); }
};

Scalar load(const Tensor& tensor, int64_t i) {
  Scalar result;
  visit_dtype(tensor.dtype(), [&]<class T>(std::type_identity<T>) {
    if constexpr (!is_complex(dtype_of<T>())) result = HostScalarBuilder::scalar(tensor.data<T>()[i]);
  });
  return result;
}

// As the compiler does it: recipes see narrow numbers only to store and convert them.
Scalar evaluate(const OpRecord& record, HostScalarBuilder& builder, DType result,
                const Attributes& attributes, std::vector<Scalar> operands) {
  ir::ScalarRecipeFn emit = std::get<ir::ScalarRecipe>(*record.becomes).emit;
  const std::string_view name = *record.name;
  if (name == "convert" || name == "select" || name == "bitcast" || name == "stop_gradient")
    return emit(builder, {result, attributes}, operands);
  for (Scalar& operand : operands) {
    operand = builder.convert(operand, computed_dtype(operand.dtype));
  }
  const DType wide = computed_dtype(result);
  return builder.convert(emit(builder, {wide, attributes}, operands), result);
}

// Complex numbers have no recipes, but a pass of their own: the compiled records are tested.
bool is_complex_case(const OpRecord& record, const Types& types, const Attributes& attributes) {
  ir::InferFn infer = record.infer;
  return is_complex(types.back().dtype) || is_complex(infer({types, attributes, {}, nullptr})[0].dtype);
}

void compare_on_machine(bool scales, const OpRecord& record, const Types& types,
                        const Attributes& attributes) {
  if (is_complex_case(record, types, attributes)) return;
  // The bits of a byte are not those of fewer: widen_floats writes these in another way.
  if (is_small_integer(types[0].dtype) &&
      is_any<PopcntOp, ClzOp, ShiftRightLogicalOp, ShiftRightArithmeticOp>(record))
    return;
  const std::vector<Tensor> operands = operand_grid(record, types);
  ir::Module module;
  ir::Function* function = module.add_function("f");
  std::vector<Value*> arguments;
  for (const Tensor& operand : operands) {
    arguments.push_back(function->body().add_argument({operand.dtype(), operand.shape()}));
  }
  Op* op = ir::Builder(function->body()).make(record.name, arguments, attributes);
  NoRegions none;
  ir::ReferenceFn reference = record.reference;
  const Tensor want = reference(*op, operands, none)[0];
  int failures = 0;
  for (int64_t i = 0; i < want.size() && failures < 5; ++i) {
    HostScalarBuilder builder;
    builder.scales = scales;
    std::vector<Scalar> scalars;
    for (const Tensor& operand : operands) scalars.push_back(load(operand, i));
    const Scalar got = evaluate(record, builder, want.dtype(), op->attributes(), scalars);
    ASSERT_EQ(got.dtype, want.dtype()) << *record.name;
    visit_dtype(want.dtype(), [&]<class T>(std::type_identity<T>) {
      if constexpr (!is_complex(dtype_of<T>())) {
        const T recipe = HostScalarBuilder::value<T>(got), expected = want.data<T>()[i];
        if (close(*record.name, recipe, expected)) return;
        ++failures;
        std::string text;
        for (const Tensor& operand : operands) text += " " + std::to_string(operand.get_double(i));
        ADD_FAILURE() << *record.name << " of " << name_of(types.back().dtype) << text
                      << ": the recipe gives " << +recipe << ", the reference " << +expected;
      }
    });
  }
}

TEST(RecipeTest, EveryRecipeAgreesWithItsReference) {
  for (bool scales : {false, true}) {
    for_each_elementwise([&](const auto&... sample) { compare_on_machine(scales, sample...); });
  }
}

// The cost that the record states is what its recipe emits, for its most expensive dtype, give or take.
TEST(RecipeTest, CostsAreHonest) {
  int looked_at = 0;
  for (const OpRecord* record : ir::all_records()) {
    const auto* recipe = std::get_if<ir::ScalarRecipe>(&*record->becomes);
    if (recipe == nullptr || *record->name == "complex") continue;
    int most = 0, emitted = 0;
    for (DType dtype : {DType::kF32, DType::kS32, DType::kPred}) {
      Types types(static_cast<size_t>(record->operands->max), TensorType{dtype, {}});
      if (*record->name == "select") types[0].dtype = DType::kPred;
      Attributes attributes{
          {"direction", std::string("lt")}, {"dtype", DType::kF32}, {"name", std::string("x")}};
      attributes.set("exponent_bits", int64_t{5});
      attributes.set("mantissa_bits", int64_t{2});
      try {
        ir::InferFn infer = record->infer;
        infer({types, attributes, {}, nullptr});
      } catch (const Error&) {
        continue;
      }
      HostScalarBuilder builder;
      std::vector<Scalar> operands;
      for (const TensorType& type : types) operands.push_back(builder.constant(type.dtype, 1));
      ir::ScalarRecipeFn emit = recipe->emit;
      emit(builder, {*record->name == "convert" ? DType::kF32 : dtype, attributes}, operands);
      most = std::max(most, builder.cost);
      ++emitted;
      if (is_float(dtype)) break;
    }
    looked_at += emitted > 0 ? 1 : 0;
    EXPECT_LE(std::abs(most - *recipe->cost), 2 + most / 8) << *record->name << " emits " << most;
  }
  EXPECT_GE(looked_at, 64);
}

// Neutral elements are neutral.
TEST(RecipeTest, IdentityElementsAreNeutral) {
  int looked_at = 0;
  for (const OpRecord* record : ir::all_records()) {
    const auto* recipe = std::get_if<ir::ScalarRecipe>(&*record->becomes);
    if (recipe == nullptr || *recipe->identity == nullptr) continue;
    for (DType dtype : kAllDTypes) {
      if (is_complex(dtype)) continue;
      if (dtype == DType::kF8E8M0FNU && *record->name == "add") continue;  // which has no zero
      const Types types(2, TensorType{dtype, {}});
      try {
        ir::InferFn infer = record->infer;
        infer({types, {}, {}, nullptr});
      } catch (const Error&) {
        continue;
      }
      const Tensor neutral = (*recipe->identity)(dtype);
      ASSERT_EQ(neutral.dtype(), dtype);
      ++looked_at;
      visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
        if constexpr (!is_complex(dtype_of<T>()))
          for (T x : special_values<T>()) {
            HostScalarBuilder builder;
            const std::vector<Scalar> operands = {HostScalarBuilder::scalar(x), load(neutral, 0)};
            const T y = HostScalarBuilder::value<T>(evaluate(*record, builder, dtype, {}, operands));
            EXPECT_TRUE(y == x || (x != x && y != y)) << *record->name << " of " << +x;
          }
      });
    }
  }
  EXPECT_GE(looked_at, 100);  // add, mul, min, max, and, or, xor of the dtypes that have them
}

// --- accuracy
// ---------------------------------------------------------------------------------------------------

struct Function {
  const char* name;
  long double (*exact)(long double);
  double bound_f32, bound_f64;  // in units in the last place
  double low, high;             // sampled densely
};

const Function kFunctions[] = {
    {"exp", [](long double x) { return std::exp(x); }, 1.0, 1.1, -87, 88},
    {"log", [](long double x) { return std::log(x); }, 1.0, 1.0, 0, 10},
    {"sin", [](long double x) { return std::sin(x); }, 2.0, 2.0, -100, 100},
    {"cos", [](long double x) { return std::cos(x); }, 2.0, 2.0, -100, 100},
    {"tanh", [](long double x) { return std::tanh(x); }, 2.0, 2.0, -10, 10},
    {"logistic", [](long double x) { return 1 / (1 + std::exp(-x)); }, 2.0, 2.0, -80, 40},
    {"expm1", [](long double x) { return std::expm1(x); }, 2.0, 2.0, -3, 3},
    {"log1p", [](long double x) { return std::log1p(x); }, 2.0, 2.0, -1, 3},
    {"erf", [](long double x) { return std::erf(x); }, 2.0, 2.0, -5, 5},
    {"rsqrt", [](long double x) { return 1 / std::sqrt(x); }, 1.5, 1.5, 0, 10},
    {"erfc", [](long double x) { return std::erfc(x); }, 5.0, 6.0, -5, 10},
    {"erf_inv", erf_inv_of, 2.5, 2.5, -1, 1},
    {"lgamma", [](long double x) { return std::lgamma(x); }, 0.6, 32, 0, 30},
    {"digamma", digamma_of, 0.6, 32, 0, 30},
    {"bessel_i0e", bessel_i0e_of, 5.0, 5.0, -50, 50},
    {"bessel_i1e", bessel_i1e_of, 5.0, 5.0, -50, 50},
    {"tan", [](long double x) { return std::tan(x); }, 1.2, 1.2, -100, 100},
    {"asin", [](long double x) { return std::asin(x); }, 1.6, 1.6, -1, 1},
    {"acos", [](long double x) { return std::acos(x); }, 1.0, 1.0, -1, 1},
    {"atan", [](long double x) { return std::atan(x); }, 1.8, 1.8, -10, 10},
    {"sinh", [](long double x) { return std::sinh(x); }, 1.8, 1.8, -90, 90},
    {"cosh", [](long double x) { return std::cosh(x); }, 2.0, 2.0, -90, 90},
    {"asinh", [](long double x) { return std::asinh(x); }, 1.0, 1.0, -10, 10},
    {"acosh", [](long double x) { return std::acosh(x); }, 1.5, 1.5, 1, 20},
    {"atanh", [](long double x) { return std::atanh(x); }, 1.1, 1.1, -1, 1},
    {"exp2", [](long double x) { return std::exp2(x); }, 1.0, 1.0, -150, 130},
    {"log2", [](long double x) { return std::log2(x); }, 1.1, 1.1, 0, 4},
    {"cbrt", [](long double x) { return std::cbrt(x); }, 0.6, 0.6, -100, 100},
};

template <class T>
double error_in_ulps(T got, long double want) {
  const T rounded = static_cast<T>(want);
  if (!std::isfinite(rounded) || std::fabs(rounded) < std::numeric_limits<T>::min())
    return 0;  // the other test's
  const int exponent = std::max(std::ilogb(rounded), std::numeric_limits<T>::min_exponent - 1);
  const long double ulp = std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits + 1);
  return static_cast<double>(std::fabs(static_cast<long double>(got) - want) / ulp);
}

template <class T>
struct Worst {
  double ulps = 0;
  T at = 0;

  // NaN is the worst, and stays it.
  void take(double error, T x) {
    if (!std::isnan(ulps) && !(error <= ulps)) *this = {error, x};
  }
};

template <class T>
Worst<T> worst_error(const Function& function, int samples, bool scales) {
  const OpRecord* record = ir::find_record(function.name);
  ir::ScalarRecipeFn emit = std::get<ir::ScalarRecipe>(*record->becomes).emit;
  std::vector<T> values = sample_values<T>(samples, 7);
  std::mt19937_64 random(3);
  for (int i = 0; i < samples; ++i) {
    values.push_back(
        static_cast<T>(std::uniform_real_distribution<double>(function.low, function.high)(random)));
    values.push_back(
        static_cast<T>(std::uniform_real_distribution<double>(function.low, function.high)(random) / 64));
  }
  HostScalarBuilder builder;
  builder.scales = scales;
  const Attributes none;
  Worst<T> worst;
  for (T x : values) {
    const Scalar operand = HostScalarBuilder::scalar(x);
    const T got = HostScalarBuilder::value<T>(emit(builder, {dtype_of<T>(), none}, {&operand, 1}));
    double error = error_in_ulps(got, function.exact(x));
    if (cancels(function.name)) {
      const long double off = static_cast<long double>(got) - function.exact(x);
      error = std::min(error, static_cast<double>(std::fabs(off) / std::numeric_limits<T>::epsilon()));
    }
    worst.take(error, x);
  }
  return worst;
}

TEST(RecipeTest, AccuracyIsAsStated) {
  for (size_t i = 0; i < 2 * std::size(kFunctions); ++i) {
    const Function& function = kFunctions[i / 2];
    const auto single = worst_error<float>(function, fewer_samples(50000), i % 2 == 1);
    const auto twice = worst_error<double>(function, fewer_samples(25000), i % 2 == 1);
    std::printf("%-10s f32 %.2f ulp at %.9g, f64 %.2f ulp at %.17g\n", function.name, single.ulps, single.at,
                twice.ulps, twice.at);
    EXPECT_LE(single.ulps, function.bound_f32) << function.name;
    EXPECT_LE(twice.ulps, function.bound_f64) << function.name;
  }
}

// A function that is x near zero is x of the least numbers, which have no halves.
TEST(RecipeTest, TheLeastNumbersStayWhatTheyAre) {
  HostScalarBuilder builder;
  const Attributes none;
  const auto check = [&]<class T>(const char* name, T x, T want) {
    const ir::ScalarRecipeFn emit = std::get<ir::ScalarRecipe>(*ir::find_record(name)->becomes).emit;
    const Scalar operand = HostScalarBuilder::scalar(x);
    const T got = HostScalarBuilder::value<T>(emit(builder, {dtype_of<T>(), none}, {&operand, 1}));
    EXPECT_EQ(got, want) << name << " of " << x;
    EXPECT_EQ(std::signbit(got), std::signbit(want)) << name << " of " << x;
  };
  const auto check_all = [&]<class T>(T least) {
    for (const int times : {0, 1, 2, 3, 7, 1000}) {
      for (const T x : {least * static_cast<T>(times), -(least * static_cast<T>(times))}) {
        for (const char* name :
             {"expm1", "tanh", "sin", "tan", "asin", "atan", "sinh", "asinh", "atanh", "log1p"})
          check(name, x, x);
        check("erf", x, static_cast<T>(std::erf(static_cast<long double>(x))));
      }
    }
  };
  for (const bool scales : {false, true}) {
    builder.scales = scales;
    check_all(std::numeric_limits<float>::denorm_min());
    check_all(std::numeric_limits<double>::denorm_min());
  }
}

// Where the power is a normal number: the product of exponent and logarithm is up to 700, so that its error
// shows.
template <class T>
Worst<T> worst_power() {
  ir::ScalarRecipeFn emit = std::get<ir::ScalarRecipe>(*ir::find_record("pow")->becomes).emit;
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> of_log(-1, 1), of_product(-1, 1);
  const double most = sizeof(T) == 4 ? 87 : 700;
  HostScalarBuilder builder;
  const Attributes none;
  Worst<T> worst;
  const auto check = [&](T x, T y) {
    const std::vector<Scalar> operands = {HostScalarBuilder::scalar(x), HostScalarBuilder::scalar(y)};
    const T got = HostScalarBuilder::value<T>(emit(builder, {dtype_of<T>(), none}, operands));
    const double error =
        error_in_ulps(got, std::pow(static_cast<long double>(x), static_cast<long double>(y)));
    worst.take(error, x);
  };
  for (int i = 0; i < 100000; ++i) {
    const double log = of_log(random) * (i % 2 == 0 ? 1 : most);
    check(static_cast<T>(std::exp(log)), static_cast<T>(of_product(random) * most / log));
  }
  // The last normal numbers at both ends.
  using Limits = std::numeric_limits<T>;
  for (const T end : {Limits::min(), Limits::max()}) {
    check(end, 1);
    check(1 / end, -1);
    check(std::sqrt(end), 2);
  }
  check(2, Limits::min_exponent - 1);
  check(T(0.5), 1 - Limits::min_exponent);
  return worst;
}

TEST(RecipeTest, PowIsAccurate) {
  const auto single = worst_power<float>();
  const auto twice = worst_power<double>();
  std::printf("pow        f32 %.2f ulp, f64 %.2f ulp\n", single.ulps, twice.ulps);
  EXPECT_LE(single.ulps, 1.0);
  EXPECT_LE(twice.ulps, 1.2);
}

}  // namespace
}  // namespace ingot::ops
