// Loaded programs as functions of C++: called, jitted, batched, differentiated.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "ingot/ingot.h"
#include "ingot/stablehlo.h"

namespace ingot {
namespace {

constexpr const char* kModel = R"(module @jit_f {
  func.func public @main(%arg0: tensor<3xf32> loc("x"), %arg1: tensor<3xf32> loc("w")) -> tensor<f32> {
    %0 = func.call @square(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<3xf32>
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    return %2 : tensor<f32>
  }
  func.func private @square(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
})";

// Running products of xs, from y on: the loop and its slices as JAX writes a scan.
constexpr const char* kLoop = R"(module @jit_loop {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %cst = stablehlo.constant dense<0.0> : tensor<4xf32>
    %0:4 = stablehlo.while(%xs = %arg1, %i = %c, %y = %arg0, %ys = %cst) : tensor<4xf32>, tensor<i32>, tensor<f32>, tensor<4xf32>
    cond {
      %n = stablehlo.constant dense<4> : tensor<i32>
      %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = func.call @row(%xs, %i) : (tensor<4xf32>, tensor<i32>) -> tensor<f32>
      %2 = stablehlo.multiply %y, %1 : tensor<f32>
      %3 = func.call @put(%ys, %2, %i) : (tensor<4xf32>, tensor<f32>, tensor<i32>) -> tensor<4xf32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %xs, %4, %2, %3 : tensor<4xf32>, tensor<i32>, tensor<f32>, tensor<4xf32>
    }
    return %0#2, %0#3 : tensor<f32>, tensor<4xf32>
  }
  func.func private @row(%arg0: tensor<4xf32>, %arg1: tensor<i32>) -> tensor<f32> {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
    %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
  func.func private @put(%arg0: tensor<4xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>) -> tensor<4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<4xf32>, tensor<1xf32>, tensor<i32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
})";

const Array kX = Array::from<float>({1, 2, 3}), kW = Array::from<float>({1, 10, 100});

TEST(LoadTest, IsAFunction) {
  const auto model = load_stablehlo(kModel);
  EXPECT_EQ(model.type(), "(x: f32[3], w: f32[3]) -> (f32[])");
  const std::vector<Array> results = model(kX, kW);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].to_vector<float>(), std::vector<float>{941});
  EXPECT_EQ(load_stablehlo<Array>(kModel)(kX, kW).to_vector<float>(), std::vector<float>{941});
}

// Which platform of several it runs on, JAX's own call fills in: whoever loads the file must know what it is.
TEST(LoadTest, NamesWhatJaxFillsIn) {
  const auto model = load_stablehlo<Array>(R"(func.func public @main(
      %arg0: tensor<i32> {jax.global_constant = "_platform_index"}, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.convert %arg0 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.add %0, %arg1 : tensor<f32>
    return %1 : tensor<f32>
  })");
  EXPECT_EQ(model.type(), "(_platform_index: s32[], arg1: f32[]) -> (f32[])");
}

// Of symbolic shapes, as jax.export writes them: x times the number of its rows.
constexpr const char* kOpen = R"(module @jit_open {
  func.func public @main(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
    %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>
    %c = stablehlo.constant dense<2> : tensor<1xi32>
    %rows = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
    %shape = stablehlo.concatenate %rows, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %count = stablehlo.convert %n : (tensor<i32>) -> tensor<f32>
    %all = stablehlo.dynamic_broadcast_in_dim %count, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x2xf32>
    %0 = stablehlo.multiply %x, %all : tensor<?x2xf32>
    return %0 : tensor<?x2xf32>
  }
})";

TEST(LoadTest, OpenExtentsAreThoseOfEachCall) {
  const auto model = load_stablehlo<Array>(kOpen, "open.mlir");
  EXPECT_EQ(model.type(), "(arg0: f32[arg0.0,2]) -> (f32[?,2])");
  const Array one = Array::from<float>({1, 2}, std::vector<float>{1, 2}),
              two = Array::from<float>({2, 2}, std::vector<float>{1, 2, 3, 4});
  EXPECT_EQ(model(one).to_vector<float>(), (std::vector<float>{1, 2}));
  EXPECT_EQ(model(two).to_vector<float>(), (std::vector<float>{2, 4, 6, 8}));
  EXPECT_EQ(model(one).to_vector<float>(), (std::vector<float>{1, 2}));
  EXPECT_EQ(jit(model)(two).to_vector<float>(), (std::vector<float>{2, 4, 6, 8}));
  EXPECT_EQ(grad([=](Array x) { return sum(model(x)); })(two).to_vector<float>(),
            (std::vector<float>{2, 2, 2, 2}));
  EXPECT_EQ(vmap(model)(expand_dims(two, 1)).to_vector<float>(), (std::vector<float>{1, 2, 3, 4}));
  const auto error_of = [](const auto& f) {
    try {
      f();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_NE(error_of([&] {
              model(Array::ones({2, 3}));
            }).find("argument 0: it is a tensor<?x2xf32>, but this is a f32[2,3]"),
            std::string::npos);
  EXPECT_NE(error_of([&] { model(one, two); }).find("open.mlir takes 1 argument, not 2"), std::string::npos);
  EXPECT_NE(error_of([] {
              load_stablehlo<std::tuple<Array, Array>>(kOpen, "open.mlir");
            }).find("open.mlir has 1 result, not 2; it is (arg0: f32[arg0.0,2]) -> (f32[?,2])"),
            std::string::npos);
}

// What is imported for shapes goes with the program of these, and comes again.
TEST(LoadTest, ManyShapesStayBelowTheLimitOfTheCache) {
  const auto model = load_stablehlo<Array>(kOpen, "open.mlir");
  set_cache_limit(1);  // drops all that nobody runs
  set_cache_limit(cache_info().programs.bytes + cache_info().kernels.bytes + (200 << 10));
  constexpr int64_t kShapes = 60;
  for (int round = 0; round < 2; ++round) {
    for (int64_t rows = 1; rows <= kShapes; ++rows) {
      const Array twos = Array::full({rows, 2}, 2.0f);
      EXPECT_EQ(model(twos).to_vector<float>().back(), 2.0f * static_cast<float>(rows));
    }
    EXPECT_GE(model.imports(), 1);
    EXPECT_LT(model.imports(), kShapes / 2);
  }
  // A function that calls it holds what it needs.
  const auto twice = jit([=](Array x) { return model(x) * 2; });
  const Array x = Array::full({3, 2}, 2.0f);
  const std::vector<float> before = twice(x).to_vector<float>();
  set_cache_limit(1);
  EXPECT_EQ(twice(x).to_vector<float>(), before);
  EXPECT_EQ(model.imports(), 1);
  set_cache_limit(0);
}

// Nor is a program of fixed shapes kept for good: it goes with the function, or where the cache is full.
TEST(LoadTest, AProgramIsKeptAsLongAsItsFunction) {
  const std::vector<float> result{941};
  set_cache_limit(1);
  set_cache_limit(0);
  const int64_t before = cache_info().programs.entries;
  {
    const auto model = load_stablehlo<Array>(kModel);
    EXPECT_EQ(model(kX, kW).to_vector<float>(), result);
    EXPECT_EQ(cache_info().programs.entries, before + 1);
    EXPECT_EQ(model(kX, kW).to_vector<float>(), result);
    EXPECT_EQ(cache_info().programs.entries, before + 1);
    set_cache_limit(1);
    set_cache_limit(0);
    EXPECT_EQ(model(kX, kW).to_vector<float>(), result);
    EXPECT_EQ(model.imports(), 1);
    EXPECT_EQ(jit(model)(kX, kW).to_vector<float>(), result);
  }
  set_cache_limit(1);  // what jit has compiled
  set_cache_limit(0);
  EXPECT_LE(cache_info().programs.entries, before);
}

TEST(LoadTest, JitGradAndVmapTakeIt) {
  const auto model = load_stablehlo<Array>(kModel);
  const auto doubled = jit([=](Array x, Array w) { return model(x, w) * 2.f; });
  EXPECT_EQ(doubled(kX, kW).to_vector<float>(), std::vector<float>{1882});
  EXPECT_EQ(jit(model)(kX, kW).to_vector<float>(), std::vector<float>{941});
  EXPECT_EQ(grad(model)(kX, kW).to_vector<float>(), (std::vector<float>{2, 40, 600}));
  const Array xs = Array::from<float>({2, 3}, std::vector<float>{1, 2, 3, 0, 0, 1});
  EXPECT_EQ(vmap([=](Array x) { return model(x, kW); })(xs).to_vector<float>(),
            (std::vector<float>{941, 100}));
  EXPECT_EQ(vmap(grad([=](Array x) { return model(x, kW); }))(xs).to_vector<float>(),
            (std::vector<float>{2, 40, 600, 0, 0, 200}));
}

TEST(LoadTest, LoopsOfAKnownLengthHaveGradients) {
  const auto loop = load_stablehlo<std::tuple<Array, Array>>(kLoop);
  const Array y = Array(2.f), xs = Array::from<float>({1, 2, 3, 4});
  const auto [last, all] = loop(y, xs);
  EXPECT_EQ(last.to_vector<float>(), std::vector<float>{48});
  EXPECT_EQ(all.to_vector<float>(), (std::vector<float>{2, 4, 12, 48}));
  const auto sum = [=](Array y, Array xs) { return ingot::sum(std::get<1>(loop(y, xs))); };
  EXPECT_EQ(grad(sum)(y, xs).to_vector<float>(), std::vector<float>{33});
  EXPECT_EQ(grad<1>(sum)(y, xs).to_vector<float>(), (std::vector<float>{66, 32, 20, 12}));
}

// x.at[at].multiply(y, unique_indices=...) as JAX writes it: without the hint it has no derivative in y.
TEST(LoadTest, ProductsOfPartsHaveDerivativesWhereNoTwoMeet) {
  const auto text = [](const std::string& unique) {
    return R"(module @products {
  func.func public @main(%x: tensor<4xf32>, %at: tensor<2x1xi32>, %y: tensor<2xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.scatter"(%x, %at, %y) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = )" +
           unique + R"(}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.multiply %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<4xf32>, tensor<2x1xi32>, tensor<2xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
})";
  };
  const Array x({2.f, 3.f, 5.f, 7.f}), at = Array::from<int>({2, 1}, {3, 1}), y({11.f, 13.f});
  const Array weights({1.f, 10.f, 100.f, 1000.f});
  const auto products = load_stablehlo<Array>(text("true"));
  const auto weighted = [&](Array x, Array y) { return sum(products(x, at, y) * weights); };
  EXPECT_EQ(products(x, at, y).to_vector<float>(), (std::vector<float>{2, 39, 5, 77}));
  EXPECT_EQ(grad(weighted)(x, y).to_vector<float>(), (std::vector<float>{1, 130, 100, 11000}));
  EXPECT_EQ(grad<1>(weighted)(x, y).to_vector<float>(), (std::vector<float>{7000, 30}));
  const auto mixed = [&](Array x) {
    return sum(grad<1>([&](Array x, Array y) { return sum(square(products(x, at, y))) / 2; })(x, y));
  };
  EXPECT_EQ(grad(mixed)(x).to_vector<float>(), (std::vector<float>{0, 2 * 3 * 13, 0, 2 * 7 * 11}));
  const Array ys = stack({y, 2 * y});
  EXPECT_EQ(vmap(grad<1>(weighted), {.in_axes = {std::nullopt, 0}})(x, ys).to_vector<float>(),
            (std::vector<float>{7000, 30, 7000, 30}));
  const auto again = load_stablehlo<Array>(to_stablehlo(jit(products).lower(x, at, y)));
  EXPECT_EQ(grad([&](Array y) { return sum(again(x, at, y)); })(y).to_vector<float>(),
            (std::vector<float>{7, 3}));
  const auto unknown = load_stablehlo<Array>(text("false"));
  EXPECT_THROW(grad([&](Array y) { return sum(unknown(x, at, y)); })(y), Error);
}

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

constexpr const char* kSmallNumbers = R"(module @m {
  func.func public @main(%arg0: tensor<4xf8E4M3FN>, %arg1: tensor<4xi4>) -> tensor<4xf32> {
    %0 = stablehlo.constant dense<[1.0, 448.0, -0.5, 0x7F]> : tensor<4xf8E4M3FN>
    %1 = stablehlo.multiply %arg0, %0 : tensor<4xf8E4M3FN>
    %2 = stablehlo.constant dense<[7, -8, 3, 1]> : tensor<4xi4>
    %3 = stablehlo.add %arg1, %2 : tensor<4xi4>
    %4 = stablehlo.convert %1 : (tensor<4xf8E4M3FN>) -> tensor<4xf32>
    %5 = stablehlo.convert %3 : (tensor<4xi4>) -> tensor<4xf32>
    %6 = stablehlo.add %4, %5 : tensor<4xf32>
    return %6 : tensor<4xf32>
  }
})";

TEST(LoadTest, NumbersOfAByteOrLess) {
  const auto f = load_stablehlo<Array>(kSmallNumbers);
  const Array x = Array::from<float>({3, 1, 2, 1}).astype(DType::kF8E4M3FN);
  const Array n = Array::from<int32_t>({1, -1, 4, 0}).astype(DType::kS4);
  const auto check = [&](const auto& g) {
    const std::vector<float> got = g(x, n).template to_vector<float>();
    EXPECT_EQ((std::vector<float>{got.begin(), got.begin() + 3}),
              (std::vector<float>{3 - 8, 448 + 7, -1 + 7}));
    EXPECT_TRUE(std::isnan(got[3]));
  };
  check(f);
  const std::string text = to_stablehlo(jit([=](Array a, Array b) { return f(a, b); }).lower(x, n));
  EXPECT_NE(text.find("tensor<4xf8E4M3FN>"), std::string::npos) << text;
  EXPECT_NE(text.find("tensor<4xi4>"), std::string::npos) << text;
  check(load_stablehlo<Array>(text));
}

constexpr const char* kCall = R"(module @m {
  func.func public @main(%arg0: tensor<3xf32>) -> (tensor<3xf32>, tensor<i32>) {
    %0:2 = stablehlo.custom_call @host_scale(%arg0) {api_version = 2 : i32, backend_config = "by three"} : (tensor<3xf32>) -> (tensor<3xf32>, tensor<i32>)
    return %0#0, %0#1 : tensor<3xf32>, tensor<i32>
  }
})";

TEST(LoadTest, FunctionsThatTheHostRegisters) {
  const std::string refused = error_of([] { load_stablehlo(kCall); });
  EXPECT_NE(refused.find("@host_scale"), std::string::npos) << refused;
  EXPECT_NE(refused.find("register_custom_call"), std::string::npos) << refused;
  register_custom_call("host_scale", [](const CustomCall& call) {
    const float factor = call.config() == "by three" ? 3 : 1;
    for (size_t i = 0; i < call.input<float>(0).size(); ++i)
      call.output<float>(0)[i] = factor * call.input<float>(0)[i];
    call.output<int32_t>(1)[0] = static_cast<int32_t>(call.input_count());
  });
  const auto f = load_stablehlo(kCall);
  const std::vector<Array> got = f(kX);
  EXPECT_EQ(got[0].to_vector<float>(), (std::vector<float>{3, 6, 9}));
  EXPECT_EQ(got[1].item<int32_t>(), 1);
  const std::string text = to_stablehlo(jit([=](Array x) { return f(x)[0]; }).lower(kX));
  EXPECT_NE(text.find("\"host_scale\""), std::string::npos) << text;
  EXPECT_EQ(load_stablehlo(text)(kX)[0].to_vector<float>(), (std::vector<float>{3, 6, 9}));
}

// The attributes of jax.ffi.ffi_call, as JAX writes them and as StableHLO has them: text as MLIR prints it,
// from text, artifacts and what is exported of it.
TEST(LoadTest, AttributesOfCallsAreTextAsMlirPrintsIt) {
  std::string config;
  register_custom_call("host_attributes", [&config](const CustomCall& call) { config = call.config(); });
  const Array x = Array::ones({4});
  const auto config_of = [&](const std::string& program) {
    config = "none";
    load_stablehlo<Array>(program)(x).to_vector<float>();
    return config;
  };
  const auto call = [](const std::string& attributes) {
    return "func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = stablehlo.custom_call "
           "@host_attributes(%x) {" +
           attributes + "} : (tensor<4xf32>) -> tensor<4xf32>\n  return %0 : tensor<4xf32>\n}";
  };
  const std::string usual = R"({alpha = 2.000000e+00 : f32, mode = "hi"})";
  const std::string all =
      R"({"a b" = 1.000000e-01 : f32, b = true, c = 0.33333333333333298 : f64, d = 0x4206FEE0E1A00000 : f64, )"
      R"(f = 1.100000e-05 : f32, g = dense<[1, 2]> : tensor<2xi32>, h = 0.333333343 : f32, )"
      R"(i = -0.000000e+00 : f64, j = 123456.703 : f32, k = 1.000210e-02 : f16, )"
      R"(l = [1, 2 : i32, 5.000000e-01, 5.000000e-01 : f32], m = 0xFF800000 : f32, n = 3 : i64, )"
      R"(o = 18446744073709551615 : ui64, p = 1.2345678000000001E-4 : f64, q = 0.0012345678000000001 : f64, )"
      R"(r = -7 : i8, s = "a\22\0A\\", t = {u = 1.500000e+00 : f64}, v = -3 : i32, )"
      R"(w = dense<[1.000000e-01, 2.500000e-01, 0.33333333329999998]> : tensor<3xf64>, x = dense<true> : tensor<1xi1>})";
  for (const std::string& text : {usual, all, std::string("{}")}) {
    for (const std::string& attributes : {"api_version = 4 : i32, backend_config = " + text,
                                          "backend_config = \"\", mhlo.backend_config = " + text}) {
      EXPECT_EQ(config_of(call(attributes)), text);
      const auto f = load_stablehlo<Array>(call(attributes));
      const auto lowered = jit([&](Array a) { return f(a); }).lower(x);
      const std::string exported = to_stablehlo(lowered);
      EXPECT_NE(exported.find("api_version = 4 : i32, backend_config = " + text), std::string::npos)
          << exported;
      EXPECT_EQ(config_of(exported), text);
      EXPECT_EQ(config_of(to_stablehlo_artifact(lowered)), text);
    }
  }
  // Names sorted, numbers and lists in their usual forms; a string stays one, whatever it looks like.
  EXPECT_EQ(config_of(call(R"(backend_config = {mode = "hi", alpha = 2.0 : f32})")), usual);
  EXPECT_EQ(
      config_of(call("backend_config = {x = array<i1: true>, g = array<i32: 1, 2>, f = array<f32: 0.5>}")),
      "{f = dense<5.000000e-01> : tensor<1xf32>, g = dense<[1, 2]> : tensor<2xi32>, x = dense<true> : "
      "tensor<1xi1>}");
  const std::string string = call(R"(api_version = 2 : i32, backend_config = "{a = 1}")");
  EXPECT_EQ(config_of(string), "{a = 1}");
  const auto f = load_stablehlo<Array>(string);
  const std::string exported = to_stablehlo(jit([&](Array a) { return f(a); }).lower(x));
  EXPECT_NE(exported.find(R"(api_version = 2 : i32, backend_config = "{a = 1}")"), std::string::npos)
      << exported;
  EXPECT_EQ(config_of(call("api_version = 4 : i32")), "{}");
  EXPECT_EQ(config_of(call("api_version = 2 : i32")), "");
  register_custom_call("host_attributes", [](const CustomCall&) {});
}

TEST(LoadTest, FunctionsThatTheHostRegistersTakeRowMajorArrays) {
  register_custom_call("host_rows", [](const CustomCall& call) { call.output<float>(0)[1] = 7; });
  const auto load = [](const std::string& layout) {
    return load_stablehlo<Array>(
        "func.func public @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n  %0 = stablehlo.custom_call "
        "@host_rows(%x) {operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<" +
            layout +
            "> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>\n  return %0 : "
            "tensor<2x3xf32>\n}",
        "m.mlir");
  };
  EXPECT_EQ(load("[1, 0]")(Array::ones({2, 3})).to_vector<float>()[1], 7);
  const std::string refused = error_of([&] { load("[0, 1]"); });
  EXPECT_NE(
      refused.find("m.mlir:2:3: stablehlo.custom_call: result_layouts: layout 0 is [0, 1], but functions "
                   "that are registered take only the default one, row-major, which is [1, 0]"),
      std::string::npos)
      << refused;
}

TEST(LoadTest, Mistakes) {
  const auto model = load_stablehlo(kModel, "m.mlir");
  EXPECT_NE(error_of([&] { model(kX); }).find("m.mlir takes 2 arguments, not 1"), std::string::npos);
  EXPECT_NE(error_of([&] {
              model(kX, Array(1.f));
            }).find("argument 1 of m.mlir, w, is a f32[3], but this is a f32[]"),
            std::string::npos)
      << error_of([&] { model(kX, Array(1.f)); });
  const auto two = [] { load_stablehlo<std::tuple<Array, Array>>(kModel, "m.mlir"); };
  EXPECT_NE(error_of(two).find("m.mlir has 1 result, not 2"), std::string::npos);
  const auto unary = load_stablehlo(
      "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n  return %x : "
      "tensor<3xf32>\n}",
      "u.mlir");
  EXPECT_NE(error_of([&] { unary(kX, kX); }).find("u.mlir takes 1 argument, not 2"), std::string::npos);
  EXPECT_NE(error_of([] { load("/no/such/file"); }).find("load: cannot read /no/such/file"),
            std::string::npos);
  EXPECT_NE(error_of([] { load_stablehlo("func @main() {}", "a.ir"); }).find("a.ir is no StableHLO program"),
            std::string::npos);
  EXPECT_NE(error_of([] { load_stablehlo("module {", "a.mlir"); }).find("load_test.cc"), std::string::npos);
}

// The line of the call, direct or not, with arguments one by one or as a list.
TEST(LoadTest, MistakesAreAtTheLineOfTheCall) {
  const auto model = load_stablehlo<Array>(kModel, "m.mlir");
  const int here = __LINE__ + 2;
  for (const std::string& error :
       {error_of([&] { model(kX); }), error_of([&] { model({kX}); }), error_of([&] { model(); }),
        error_of([&] { model(kX, kW, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12); }),
        error_of([&] { jit(model)(kX, kX, kX); })}) {
    const std::string file = "load_test.cc:";
    const size_t at = error.find(file);
    ASSERT_NE(at, std::string::npos) << error;
    const int line = std::atoi(error.c_str() + at + file.size());
    // Of more than twelve arguments the line is that of the load.
    EXPECT_TRUE((line >= here && line <= here + 2) ||
                (line == here - 3 && error.find("not 14") < error.size()))
        << error;
  }
}

// A function goes out and comes in again: calls, captured arrays as constants, the names of its arguments.
TEST(LoadTest, WhatIsExportedIsTheSameFunction) {
  const Array weights = Array::from<float>({1.5f, -2.0f, 0.25f});
  auto square = jit([](Array x) { return x * x; });
  auto f = jit([=](Array x, Array y) { return sum(square(x) * weights) + max(y); });
  const Array x = Array::from<float>({1, 2, 3}), y = Array::from<float>({4, 5});
  const std::string text = to_stablehlo(f.lower(x, y));
  EXPECT_NE(text.find("load_test.cc"), std::string::npos) << text;
  EXPECT_NE(text.find("\"func.call\""), std::string::npos) << text;
  const auto again = load_stablehlo<Array>(text);
  EXPECT_EQ(again.type(), "(arg0: f32[3], arg1: f32[2]) -> (f32[])");
  EXPECT_EQ(again(x, y).item<float>(), f(x, y).item<float>());
  EXPECT_EQ(to_stablehlo(f.lower(x, y).compile()), text);
  EXPECT_EQ(load_stablehlo<Array>(to_stablehlo_artifact(f.lower(x, y)))(x, y).item<float>(),
            f(x, y).item<float>());
  // Derivatives of what comes in are those of what went out, where a gradient was stopped, too.
  auto g = jit([](Array v) { return sum(v * stop_gradient(v)); });
  const auto back = load_stablehlo<Array>(to_stablehlo(g.lower(x)));
  EXPECT_EQ(grad(back)(x).to_vector<float>(), (std::vector<float>{1, 2, 3}));
}

}  // namespace
}  // namespace ingot
