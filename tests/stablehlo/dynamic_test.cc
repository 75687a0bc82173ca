// Operations that take shapes, paddings and limits as operands, which are constants or computed from some.
#include <gtest/gtest.h>

#include "ingot/error.h"
#include "interpreter/interpreter.h"
#include "stablehlo/import.h"
#include "stablehlo/read.h"
#include "stablehlo/text.h"

namespace ingot::stablehlo {
namespace {

struct Result {
  Shape shape;
  std::vector<double> numbers;
  bool operator==(const Result&) const = default;
};
void PrintTo(const Result& result, std::ostream* out) {
  *out << ingot::to_string(result.shape) << " {";
  for (double number : result.numbers) *out << number << " ";
  *out << "}";
}

// The results of a function main without arguments; the module as it is, and in its generic form.
std::vector<Result> results_of(const std::string& types, const std::string& body,
                               const std::string& others = "") {
  const std::string text = others + "func.func public @main() -> (" + types + ") {\n" + body + "\n}";
  std::vector<Result> found;
  const auto module = read_text(text, "m.mlir");
  const std::string generic = to_string(*module);
  const auto again = read_text(generic, "m.mlir");
  const std::vector<Tensor> results = interpret(*import_module(*module).module, std::vector<Tensor>{});
  EXPECT_EQ(interpret(*import_module(*again).module, std::vector<Tensor>{}), results) << generic;
  for (const Tensor& result : results) {
    Result& one = found.emplace_back(Result{result.shape(), {}});
    for (int64_t i = 0; i < result.size(); ++i) one.numbers.push_back(result.get_double(i));
  }
  return found;
}

std::string refusal_of(const std::string& text) {
  try {
    import_module(*read_text(text, "m.mlir"));
  } catch (const Refusal& refusal) {
    return refusal.what();
  } catch (const Error& error) {
    return std::string("an error, not a refusal: ") + error.what();
  }
  return "nothing";
}

TEST(StablehloDynamicTest, ShapesByConstants) {
  const auto results = results_of("tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>", R"(
    %x = stablehlo.iota dim = 0 : tensor<6xi32>
    %row = stablehlo.iota dim = 0 : tensor<3xi32>
    %shape = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
    %0 = stablehlo.dynamic_reshape %x, %shape : (tensor<6xi32>, tensor<2xi64>) -> tensor<2x3xi32>
    %1 = stablehlo.dynamic_broadcast_in_dim %row, %shape, dims = [1] : (tensor<3xi32>, tensor<2xi64>) -> tensor<2x3xi32>
    %2 = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi64>) -> tensor<2x3xi32>
    return %0, %1, %2 : tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>)");
  EXPECT_EQ(results[0], (Result{{2, 3}, {0, 1, 2, 3, 4, 5}}));
  EXPECT_EQ(results[1], (Result{{2, 3}, {0, 1, 2, 0, 1, 2}}));
  EXPECT_EQ(results[2], (Result{{2, 3}, {0, 1, 2, 0, 1, 2}}));
}

// A size that is computed, from extents among others, by functions, too; types do not say what comes out.
TEST(StablehloDynamicTest, ShapesThatAreComputed) {
  const auto results = results_of("tensor<?x?xi32>, tensor<?xi32>", R"(
    %x = stablehlo.iota dim = 0 : tensor<12xi32>
    %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<12xi32>) -> tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %rows = call @quotient(%n, %three) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %a = stablehlo.reshape %rows : (tensor<i32>) -> tensor<1xi32>
    %b = stablehlo.reshape %three : (tensor<i32>) -> tensor<1xi32>
    %shape = stablehlo.concatenate %a, %b, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %0 = stablehlo.dynamic_reshape %x, %shape : (tensor<12xi32>, tensor<2xi32>) -> tensor<?x?xi32>
    %1 = stablehlo.add %0, %0 : tensor<?x?xi32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x?xi32>, tensor<i32>) -> tensor<?xi32>
    return %1, %2 : tensor<?x?xi32>, tensor<?xi32>)",
                                  R"(
  func.func private @quotient(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.divide %a, %b : tensor<i32>
    return %0 : tensor<i32>
  }
)");
  EXPECT_EQ(results[0].shape, (Shape{4, 3}));
  EXPECT_EQ(results[1], (Result{{4}, {6, 24, 42, 60}}));
}

TEST(StablehloDynamicTest, Paddings) {
  const auto results = results_of("tensor<5xi32>, tensor<?xi32>", R"(
    %x = stablehlo.iota dim = 0 : tensor<3xi32>
    %v = stablehlo.constant dense<9> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<1xi64>
    %none = stablehlo.constant dense<0> : tensor<1xi64>
    %less = stablehlo.subtract %none, %one : tensor<1xi64>
    %0 = stablehlo.dynamic_pad %x, %v, %one, %one, %none : (tensor<3xi32>, tensor<i32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<5xi32>
    %1 = stablehlo.dynamic_pad %x, %v, %less, %none, %one : (tensor<3xi32>, tensor<i32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xi32>
    return %0, %1 : tensor<5xi32>, tensor<?xi32>)");
  EXPECT_EQ(results[0], (Result{{5}, {9, 0, 1, 2, 9}}));
  EXPECT_EQ(results[1], (Result{{4}, {9, 1, 9, 2}}));
}

TEST(StablehloDynamicTest, Slices) {
  const auto results = results_of("tensor<2x2xi32>, tensor<?x?xi32>", R"(
    %i = stablehlo.iota dim = 0 : tensor<12xi32>
    %x = stablehlo.reshape %i : (tensor<12xi32>) -> tensor<3x4xi32>
    %from = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
    %to = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
    %by = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %0 = stablehlo.real_dynamic_slice %x, %from, %to, %by : (tensor<3x4xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x2xi32>
    %1 = stablehlo.real_dynamic_slice %x, %from, %to, %by : (tensor<3x4xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xi32>
    return %0, %1 : tensor<2x2xi32>, tensor<?x?xi32>)");
  EXPECT_EQ(results[0], (Result{{2, 2}, {4, 6, 8, 10}}));
  EXPECT_EQ(results[1], results[0]);
}

// A window that begins where an argument says, of an extent that the types say.
TEST(StablehloDynamicTest, SlicesFromAnArgument) {
  const auto module = read_text(R"(
func.func public @main(%x: tensor<6xi32>, %from: tensor<1xi32>, %to: tensor<1xi32>) -> tensor<2xi32> {
  %by = stablehlo.constant dense<2> : tensor<1xi32>
  %0 = stablehlo.real_dynamic_slice %x, %from, %to, %by : (tensor<6xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
})",
                                "m.mlir");
  Tensor x(DType::kS32, {6}), from(DType::kS32, {1}), to(DType::kS32, {1});
  for (int64_t i = 0; i < 6; ++i) x.set_int(i, 10 * i);
  from.set_int(0, 2);
  to.set_int(0, 5);
  const Tensor found = interpret(*import_module(*module).module, std::vector<Tensor>{x, from, to})[0];
  EXPECT_EQ(found.get_int(0), 20);
  EXPECT_EQ(found.get_int(1), 40);
}

TEST(StablehloDynamicTest, GathersAndConvolutions) {
  const auto results = results_of("tensor<2x2xi32>, tensor<?x?xi32>, tensor<1x2x1xi32>", R"(
    %i = stablehlo.iota dim = 0 : tensor<12xi32>
    %x = stablehlo.reshape %i : (tensor<12xi32>) -> tensor<3x4xi32>
    %at = stablehlo.constant dense<[2, 0]> : tensor<2xi32>
    %sizes = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %0 = "stablehlo.dynamic_gather"(%x, %at, %sizes) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false} : (tensor<3x4xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x2xi32>
    %1 = "stablehlo.dynamic_gather"(%x, %at, %sizes) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false} : (tensor<3x4xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xi32>
    %y = stablehlo.reshape %i : (tensor<12xi32>) -> tensor<1x12x1xi32>
    %k = stablehlo.constant dense<1> : tensor<3x1x1xi32>
    %pad = stablehlo.constant dense<[[1, 0]]> : tensor<1x2xi64>
    %2 = stablehlo.dynamic_conv(%y, %k, %pad) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [8]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x12x1xi32>, tensor<3x1x1xi32>, tensor<1x2xi64>) -> tensor<1x2x1xi32>
    return %0, %1, %2 : tensor<2x2xi32>, tensor<?x?xi32>, tensor<1x2x1xi32>)");
  EXPECT_EQ(results[0], (Result{{2, 2}, {8, 9, 0, 1}}));
  EXPECT_EQ(results[1], results[0]);
  EXPECT_EQ(results[2], (Result{{1, 2, 1}, {0 + 0 + 1, 7 + 8 + 9}}));
}

TEST(StablehloDynamicTest, SizesOfDimensions) {
  EXPECT_EQ(results_of("tensor<3xi32>", R"(
    %x = stablehlo.iota dim = 0 : tensor<3xi32>
    %n = stablehlo.constant dense<3> : tensor<i32>
    %0 = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    return %0 : tensor<3xi32>)")[0],
            (Result{{3}, {0, 1, 2}}));
  EXPECT_EQ(
      refusal_of(R"(func.func @main(%x: tensor<3xi32>) -> tensor<3xi32> {
    %n = stablehlo.constant dense<2> : tensor<i32>
    %0 = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    return %0 : tensor<3xi32>
  })"),
      "m.mlir:3:5: stablehlo.set_dimension_size: a dimension of 3 elements becomes one of 2 with a bound; "
      "Ingot's shapes are fixed; see docs/conformance.md");
}

TEST(StablehloDynamicTest, SizesOfArgumentsAreRefused) {
  EXPECT_EQ(
      refusal_of(R"(func.func @main(%x: tensor<6xi32>, %shape: tensor<2xi32>) -> tensor<?x?xi32> {
    %two = stablehlo.constant dense<2> : tensor<2xi32>
    %twice = stablehlo.multiply %shape, %two : tensor<2xi32>
    %0 = stablehlo.dynamic_reshape %x, %twice : (tensor<6xi32>, tensor<2xi32>) -> tensor<?x?xi32>
    return %0 : tensor<?x?xi32>
  })"),
      "m.mlir:4:5: stablehlo.dynamic_reshape: the result's extents are known only when the program runs; "
      "Ingot's shapes are fixed; see docs/conformance.md");
}

// What would run for long, or make much, is not run to find a size.
TEST(StablehloDynamicTest, NothingLargeOrLongIsComputed) {
  const std::string after = R"(
    %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
    return %0 : tensor<?xi32>
  })";
  EXPECT_NE(refusal_of(R"(func.func @main() -> tensor<?xi32> {
    %c = stablehlo.constant dense<0> : tensor<1xi32>
    %s = stablehlo.while(%i = %c) : tensor<1xi32> cond {
      %t = stablehlo.constant dense<true> : tensor<i1>
      stablehlo.return %t : tensor<i1>
    } do {
      %next = stablehlo.add %i, %i : tensor<1xi32>
      stablehlo.return %next : tensor<1xi32>
    })" + after)
                .find("known only when the program runs"),
            std::string::npos);
  EXPECT_NE(refusal_of(R"(func.func @main() -> tensor<?xi32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %big = stablehlo.constant dense<1> : tensor<1000000000000xi32>
    %sum = stablehlo.reduce(%big init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1000000000000xi32>, tensor<i32>) -> tensor<i32>
    %s = stablehlo.reshape %sum : (tensor<i32>) -> tensor<1xi32>)" +
                       after)
                .find("known only when the program runs"),
            std::string::npos);
  EXPECT_NE(refusal_of(R"(func.func @main() -> tensor<?xi32> {
    %s = stablehlo.constant dense<-1> : tensor<1xi32>)" +
                       after)
                .find("negative extent"),
            std::string::npos);
}

// A list of numbers that says what belongs to dimensions is short, whatever its type says.
TEST(StablehloDynamicTest, SplatsOfManyNumbersAreNoLists) {
  for (const char* count : {"1000000", "1000000000000"}) {
    const std::string type = std::string("tensor<") + count + "xi64>";
    const auto module = read_text(
        "func.func @main(%x: tensor<3xf32>, %v: tensor<f32>) -> tensor<3xf32> {\n"
        "%0 = \"stablehlo.pad\"(%x, %v) {edge_padding_low = dense<0> : " +
            type + ", edge_padding_high = dense<0> : " + type + ", interior_padding = dense<0> : " + type +
            "} : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>\n"
            "return %0 : tensor<3xf32>\n}",
        "m.mlir");
    const Operation& pad = module->functions.front().body.operations.front();
    EXPECT_FALSE(ints(*find(pad.attributes, "edge_padding_low")).has_value()) << count;
    EXPECT_THROW(import_module(*module), Error) << count;
  }
}

// --- symbolic shapes, as jax.export writes them

constexpr const char* kOpen = R"(module @jit_f attributes {jax.uses_shape_polymorphism = true} {
  func.func public @main(%x: tensor<?x3xf32>, %k: tensor<f32>) -> (tensor<?x3xf32>, tensor<?xf32>) {
    %two = stablehlo.constant dense<2> : tensor<i32>
    %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
    %ok = stablehlo.compare GE, %n, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%ok, %n) {api_version = 2 : i32, error_message = "there are to be 2 rows or more, not {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
    %0:2 = call @inner(%n, %x, %k) : (tensor<i32>, tensor<?x3xf32>, tensor<f32>) -> (tensor<?x3xf32>, tensor<?xf32>)
    return %0#0, %0#1 : tensor<?x3xf32>, tensor<?xf32>
  }
  func.func private @inner(%n: tensor<i32>, %x: tensor<?x3xf32>, %k: tensor<f32>) -> (tensor<?x3xf32>, tensor<?xf32>) {
    %c3 = stablehlo.constant dense<3> : tensor<1xi32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %limit = stablehlo.constant dense<2> : tensor<i32>
    %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<?x3xf32> cond {
      %a = stablehlo.compare LT, %i, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %a : tensor<i1>
    } do {
      %a = func.call @step(%n, %y, %k) : (tensor<i32>, tensor<?x3xf32>, tensor<f32>) -> tensor<?x3xf32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %b = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %b, %a : tensor<i32>, tensor<?x3xf32>
    }
    %half = call @half(%n) : (tensor<i32>) -> tensor<i32>
    %c6 = stablehlo.constant dense<6> : tensor<i32>
    %all = stablehlo.multiply %half, %c6 : tensor<i32>
    %shape = stablehlo.reshape %all : (tensor<i32>) -> tensor<1xi32>
    %flat = stablehlo.dynamic_reshape %x, %shape : (tensor<?x3xf32>, tensor<1xi32>) -> tensor<?xf32>
    return %0#1, %flat : tensor<?x3xf32>, tensor<?xf32>
  }
  func.func private @step(%n: tensor<i32>, %y: tensor<?x3xf32>, %k: tensor<f32>) -> tensor<?x3xf32> {
    %c3 = stablehlo.constant dense<3> : tensor<1xi32>
    %rows = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
    %shape = stablehlo.concatenate %rows, %c3, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %all = stablehlo.dynamic_broadcast_in_dim %k, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x3xf32>
    %0 = stablehlo.add %y, %all : tensor<?x3xf32>
    return %0 : tensor<?x3xf32>
  }
  func.func private @half(%n: tensor<i32>) -> tensor<i32> {
    %two = stablehlo.constant dense<2> : tensor<i32>
    %0 = call @quotient(%n, %two) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @quotient(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.divide %a, %b : tensor<i32>
    return %0 : tensor<i32>
  }
})";

// Sizes go into loops, and into functions that compute with them by others.
TEST(StablehloDynamicTest, OpenExtentsAreThoseOfTheArguments) {
  const auto module = read_text(kOpen, "m.mlir");
  EXPECT_TRUE(has_open_arguments(*module));
  for (const int64_t rows : {2, 4}) {
    const Imported made =
        import_module(*module, {.arguments = {{DType::kF32, {rows, 3}}, {DType::kF32, {}}}});
    EXPECT_EQ(made.module->functions().size(), 1u);
    Tensor x(DType::kF32, {rows, 3}), k(DType::kF32, {});
    for (int64_t i = 0; i < x.size(); ++i) x.set_double(i, static_cast<double>(i));
    k.set_double(0, 10);
    const std::vector<Tensor> results = interpret(*made.module, std::vector<Tensor>{x, k});
    EXPECT_EQ(results[0].shape(), x.shape());
    EXPECT_EQ(results[0].get_double(4), 24);
    EXPECT_EQ(results[1].shape(), (Shape{rows * 3}));
    EXPECT_EQ(results[1].get_double(5), 5);
  }
}

// As a loop over the rows of an array takes them: the limits are the starts and a known number behind these.
TEST(StablehloDynamicTest, WindowsOfOpenExtentsBeginAnywhere) {
  const auto module = read_text(R"(module {
  func.func public @main(%x: tensor<?x?xf32>, %at: tensor<2xi32>) -> tensor<1x?xf32> {
    %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<1xi32>
    %columns = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
    %window = stablehlo.concatenate %one, %columns, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %to = stablehlo.add %at, %window : tensor<2xi32>
    %by = stablehlo.constant dense<1> : tensor<2xi32>
    %0 = stablehlo.real_dynamic_slice %x, %at, %to, %by : (tensor<?x?xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<1x?xf32>
    return %0 : tensor<1x?xf32>
  }
})",
                                "m.mlir");
  Tensor x(DType::kF32, {3, 2}), at(DType::kS32, {2});
  for (int64_t i = 0; i < 6; ++i) x.set_double(i, static_cast<double>(i));
  at.set_int(0, 1);
  const auto made = import_module(*module, {.arguments = {{DType::kF32, {3, 2}}, {DType::kS32, {2}}}});
  const Tensor row = interpret(*made.module, std::vector<Tensor>{x, at})[0];
  EXPECT_EQ(row.shape(), (Shape{1, 2}));
  EXPECT_EQ(row.get_double(1), 3);
}

// As jax.lax.top_k(x, x.shape[1] - 1) is exported.
TEST(StablehloDynamicTest, TheGreatestElementsOfASymbolicNumber) {
  const auto module = read_text(R"(module {
  func.func public @main(%x: tensor<2x?xf32>, %k: tensor<i32>) -> (tensor<2x?xf32>, tensor<2x?xi32>) {
    %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x?xf32>) -> tensor<i32>
    %minus = stablehlo.constant dense<-1> : tensor<i32>
    %less = stablehlo.add %n, %minus : tensor<i32>
    %0:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%x, %less) {api_version = 2 : i32} : (tensor<2x?xf32>, tensor<i32>) -> (tensor<2x?xf32>, tensor<2x?xi32>)
    return %0#0, %0#1 : tensor<2x?xf32>, tensor<2x?xi32>
  }
})",
                                "m.mlir");
  const std::vector<ir::TensorType> types = {{DType::kF32, {2, 3}}, {DType::kS32, {}}};
  const std::vector<Tensor> results =
      interpret(*import_module(*module, {.arguments = types}).module,
                std::vector<Tensor>{Tensor::of<float>({2, 3}, {1, 3, 2, 9, 7, 8}), Tensor(DType::kS32, {})});
  EXPECT_EQ(results[0], Tensor::of<float>({2, 2}, {3, 2, 9, 8}));
  EXPECT_EQ(results[1], Tensor::of<int32_t>({2, 2}, {1, 2, 0, 2}));
  EXPECT_EQ(
      refusal_of(
          R"(func.func @main(%x: tensor<2x3xf32>, %k: tensor<i32>) -> (tensor<2x?xf32>, tensor<2x?xi32>) {
    %0:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%x, %k) {api_version = 2 : i32} : (tensor<2x3xf32>, tensor<i32>) -> (tensor<2x?xf32>, tensor<2x?xi32>)
    return %0#0, %0#1 : tensor<2x?xf32>, tensor<2x?xi32>
  })"),
      "m.mlir:2:5: stablehlo.custom_call: the numbers of elements that it takes are known only when the "
      "program runs; Ingot's shapes are fixed; see docs/conformance.md");
}

std::string error_with(const std::vector<ir::TensorType>& types) {
  try {
    import_module(*read_text(kOpen, "m.mlir"), {.arguments = types});
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(StablehloDynamicTest, ErrorsOfOpenExtents) {
  EXPECT_EQ(error_with({{DType::kF32, {1, 3}}, {DType::kF32, {}}}),
            "m.mlir:6:5: stablehlo.custom_call: there are to be 2 rows or more, not 1");
  EXPECT_EQ(error_with({{DType::kF32, {2, 4}}, {DType::kF32, {}}}),
            "m.mlir:2:3: @main: argument 0: it is a tensor<?x3xf32>, but this is a f32[2,4]");
  EXPECT_EQ(
      error_with({}),
      "m.mlir:2:3: @main: argument 0: tensor<?x3xf32> has extents that are open: they are those of the "
      "arrays that a call of what ingot::load returns is given, or of --shapes or --args of the command; or "
      "export the function for arrays of fixed shapes");
}

// As jax.numpy.cumsum and a decomposition have it where a batch is symbolic.
TEST(StablehloDynamicTest, WindowsAndDecompositionsOfOpenExtents) {
  const auto module = read_text(R"(module {
  func.func public @main(%x: tensor<?x2x2xf32>) -> (tensor<?x2x2xf32>, tensor<?x2x2xf32>, tensor<?xi32>) {
    %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x2x2xf32>) -> tensor<i32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %minus = stablehlo.constant dense<-1> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<1xi32>
    %ones = stablehlo.constant dense<1> : tensor<3xi32>
    %none = stablehlo.constant dense<0> : tensor<2x2xi32>
    %last = stablehlo.add %n, %minus : tensor<i32>
    %low = stablehlo.reshape %last : (tensor<i32>) -> tensor<1x1xi32>
    %high = stablehlo.constant dense<0> : tensor<1x1xi32>
    %first = stablehlo.concatenate %low, %high, dim = 1 : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x2xi32>
    %padding = stablehlo.concatenate %first, %none, dim = 0 : (tensor<1x2xi32>, tensor<2x2xi32>) -> tensor<3x2xi32>
    %rows = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
    %sizes = stablehlo.concatenate %rows, %one, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %zero, %sizes, %ones, %ones, %ones, %padding) {api_version = 2 : i32, called_computations = [@sum]} : (tensor<?x2x2xf32>, tensor<f32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3x2xi32>) -> tensor<?x2x2xf32>
    %two = stablehlo.constant dense<2> : tensor<1xi32>
    %whole = stablehlo.concatenate %rows, %two, %two, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %1:2 = stablehlo.custom_call @lapack_spotrf_ffi(%x, %whole, %rows) {indices_of_shape_operands = dense<[1, 2]> : tensor<2xi64>, mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<?x2x2xf32>, tensor<3xi32>, tensor<1xi32>) -> (tensor<?x2x2xf32>, tensor<?xi32>)
    return %0, %1#0, %1#1 : tensor<?x2x2xf32>, tensor<?x2x2xf32>, tensor<?xi32>
  }
  func.func @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %a, %b : tensor<f32>
    return %0 : tensor<f32>
  }
})",
                                "m.mlir");
  Tensor x(DType::kF32, {3, 2, 2});
  for (int64_t i = 0; i < 12; ++i) x.set_double(i, i % 3 == 0 ? 4 : 0);  // 4, 0 / 0, 4 in the first one
  const auto results = interpret(*import_module(*module, {.arguments = {{DType::kF32, {3, 2, 2}}}}).module,
                                 std::vector<Tensor>{x});
  EXPECT_EQ(results[0].get_double(8), x.get_double(0) + x.get_double(4) + x.get_double(8));
  EXPECT_EQ(results[1].get_double(3), 2);
  EXPECT_EQ(results[2].shape(), (Shape{3}));
  EXPECT_EQ(results[2].get_int(0), 0);
}

}  // namespace
}  // namespace ingot::stablehlo
