// What the type rules refuse, and with which words.
#include <gtest/gtest.h>

#include "ir/builder.h"
#include "ops/convolution.h"

namespace ingot::ops {
namespace {

using ir::Attributes;
using ir::IntList;
using ir::Value;

class InferTest : public testing::Test {
 protected:
  ir::Module module_;
  ir::Function* function_ = module_.add_function("f");
  ir::Builder builder_{function_->body()};

  Value* arg(DType dtype, Shape shape) { return function_->body().add_argument({dtype, std::move(shape)}); }
  Value* f32(Shape shape) { return arg(DType::kF32, std::move(shape)); }

  std::string error(std::string_view name, std::vector<Value*> operands, Attributes attributes = {},
                    std::vector<std::unique_ptr<ir::Region>> regions = {}) {
    try {
      builder_.make(name, std::move(operands), std::move(attributes), std::move(regions));
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  }
  std::string type(std::string_view name, std::vector<Value*> operands, Attributes attributes = {}) {
    return ir::to_string(builder_.value(name, std::move(operands), std::move(attributes))->type());
  }
};

TEST_F(InferTest, Elementwise) {
  EXPECT_EQ(error("add", {f32({3}), f32({4})}),
            "add: the operands are f32[3] and f32[4]; broadcast them, so that they have one shape");
  EXPECT_EQ(error("add", {f32({3}), arg(DType::kS32, {3})}),
            "add: the operands are f32[3] and s32[3]; convert one of them, so that they have one dtype");
  EXPECT_EQ(error("and", {f32({}), f32({})}), "and: an operand is f32[], but must hold integers or preds");
  EXPECT_EQ(error("exp", {arg(DType::kS32, {2})}),
            "exp: the operand is s32[2], but must hold floats or complex numbers; convert it, with astype");
  EXPECT_EQ(error("select", {f32({2}), f32({2}), f32({2})}),
            "select: the condition is f32[2], but must be pred[2] for branches of f32[2]");
  EXPECT_EQ(
      error("compare", {f32({}), f32({})}, {{"direction", std::string("above")}}),
      "compare: 'direction' is \"above\", but must be \"eq\", \"ne\", \"lt\", \"le\", \"gt\" or \"ge\"");
  EXPECT_EQ(error("compare", {f32({}), f32({})}), "compare: the attribute 'direction' is missing");
  EXPECT_EQ(error("bitcast", {f32({2})}, {{"dtype", DType::kF64}}),
            "bitcast: cannot reinterpret f32[2] as f64; the dtypes must have one width");
  EXPECT_EQ(type("compare", {f32({3}), f32({3})}, {{"direction", std::string("lt")}}), "pred[3]");
  EXPECT_EQ(type("convert", {f32({3})}, {{"dtype", DType::kS8}}), "s8[3]");
}

// What a record does not list is no attribute: nothing is there that nobody reads.
TEST_F(InferTest, Attributes) {
  EXPECT_EQ(error("ceil", {f32({3})}, {{"shape", IntList{3}}}),
            "ceil: has no attribute 'shape'; it takes none");
  EXPECT_EQ(error("convert", {f32({3})}, {{"dtype", DType::kS8}, {"dtipe", DType::kS8}}),
            "convert: has no attribute 'dtipe'; did you mean 'dtype'?");
  EXPECT_EQ(error("iota", {},
                  {{"dtype", DType::kS8}, {"shape", IntList{3}}, {"axis", int64_t{0}}, {"reverse", true}}),
            "iota: has no attribute 'reverse'; it takes dtype, shape and axis");
  EXPECT_EQ(error("dot_general", {f32({3}), f32({3})},
                  {{"lhs_batch", IntList{}},
                   {"rhs_batch", IntList{}},
                   {"lhs_contract", IntList{0}},
                   {"rhs_contract", IntList{0}},
                   {"dtype", int64_t{0}}}),
            "dot_general: the attribute 'dtype' is of the wrong kind");
  // Only results that are there have an order.
  EXPECT_EQ(error("ceil", {f32({3})}, {{"order0", IntList{0}}}),
            "ceil: has no attribute 'order0'; it takes none");
}

TEST_F(InferTest, Views) {
  EXPECT_EQ(error("transpose", {f32({2, 3})}, {{"permutation", IntList{0, 0}}}),
            "transpose: 'permutation' is [0,0], but may name dimension 0 only once");
  EXPECT_EQ(error("transpose", {f32({2, 3})}, {{"permutation", IntList{1, 2}}}),
            "transpose: 'permutation' names dimension 2, but must be from 0 to 1");
  EXPECT_EQ(error("transpose", {f32({2, 3})}, {{"permutation", IntList{0}}}),
            "transpose: 'permutation' is [0], but must have 2 entries, one per dimension");
  EXPECT_EQ(error("reshape", {f32({2, 3})}, {{"shape", IntList{4}}}),
            "reshape: f32[2,3] has 6 elements, but 'shape' [4] has 4; they must be equal");
  EXPECT_EQ(error("broadcast", {f32({1, 3})}, {{"shape", IntList{2, 3}}, {"dims", IntList{0, 1}}}),
            "broadcast: dimension 0 of f32[1,3] becomes dimension 0 of [2,3], but 1 is not 2; drop the "
            "dimension of "
            "extent 1 by a reshape first");
  EXPECT_EQ(
      error("slice", {f32({5})}, {{"starts", IntList{2}}, {"limits", IntList{6}}, {"strides", IntList{1}}}),
      "slice: the slice 2:6 of dimension 0 of f32[5] must have 0 <= start <= limit <= 5");
  EXPECT_EQ(error("take", {f32({5})}, {{"axis", int64_t{0}}, {"indices", IntList{1, 5}}}),
            "take: 'indices' has 5, but dimension 0 of f32[5] has the indices 0 to 4");
  EXPECT_EQ(
      error("concatenate", {f32({2, 3}), f32({4, 4})}, {{"axis", int64_t{0}}}),
      "concatenate: operand 1 is f32[4,4], but operand 0 is f32[2,3]; they must be equal in dtype and in all "
      "dimensions but 0");
  EXPECT_EQ(error("concatenate", {}, {{"axis", int64_t{0}}}),
            "concatenate: takes 1 or more operands, but has 0");
  EXPECT_EQ(error("pad", {f32({2}), f32({})},
                  {{"low", IntList{-1}}, {"high", IntList{0}}, {"interior", IntList{0}}}),
            "pad: 'low' is [-1], but must not be negative; use a slice to cut off");
  EXPECT_EQ(error("iota", {}, {{"dtype", DType::kPred}, {"shape", IntList{3}}, {"axis", int64_t{0}}}),
            "iota: 'dtype' is pred[3], but must hold floats, integers or complex numbers");
  EXPECT_EQ(
      type("slice", {f32({7})}, {{"starts", IntList{1}}, {"limits", IntList{7}}, {"strides", IntList{4}}}),
      "f32[2]");
  EXPECT_EQ(
      type("pad", {f32({3}), f32({})}, {{"low", IntList{1}}, {"high", IntList{2}}, {"interior", IntList{1}}}),
      "f32[8]");
}

TEST_F(InferTest, Contraction) {
  const IntList none, first{0}, second{1};
  auto numbers = [](IntList lb, IntList rb, IntList lc, IntList rc) {
    return Attributes{{"lhs_batch", lb}, {"rhs_batch", rb}, {"lhs_contract", lc}, {"rhs_contract", rc}};
  };
  EXPECT_EQ(type("dot_general", {f32({2, 3, 4}), f32({4, 5, 2})}, numbers({0}, {2}, {2}, {0})), "f32[2,3,5]");
  EXPECT_EQ(error("dot_general", {f32({2, 3}), f32({4, 5})}, numbers({}, {}, {1}, {0})),
            "dot_general: dimension 1 of f32[2,3] and dimension 0 of f32[4,5] are a contract pair, but their "
            "extents 3 and "
            "4 differ");
  EXPECT_EQ(error("dot_general", {f32({2, 3}), f32({3, 5})}, numbers({}, {}, {1}, {})),
            "dot_general: lhs_contract is [1] and rhs_contract is []; they must pair up");
  EXPECT_EQ(
      error("dot_general", {f32({2, 3}), f32({2, 5})}, numbers({0}, {0}, {0}, {0})),
      "dot_general: 'lhs_batch and lhs_contract together' is [0,0], but may name dimension 0 only once");
}

TEST_F(InferTest, ReduceAndItsRegion) {
  auto region = [&](DType dtype, int results) {
    auto r = builder_.make_region();
    Value* a = r->add_argument({dtype, {}});
    r->add_argument({dtype, {}});
    r->set_results(std::vector<Value*>(static_cast<size_t>(results), a));
    std::vector<std::unique_ptr<ir::Region>> list;
    list.push_back(std::move(r));
    return list;
  };
  EXPECT_EQ(error("reduce", {f32({2, 3})}, {{"axes", IntList{0}}}, region(DType::kF32, 1)),
            "reduce: takes 2 or more operands, but has 1");
  EXPECT_EQ(error("reduce", {f32({2, 3}), f32({2})}, {{"axes", IntList{0}}}, region(DType::kF32, 1)),
            "reduce: the initial value of array 0 is f32[2], but must be f32[]");
  EXPECT_EQ(error("reduce", {f32({2, 3}), f32({})}, {{"axes", IntList{1, 0}}}, region(DType::kF32, 1)),
            "reduce: 'axes' is [1,0], but must ascend");
  EXPECT_NE(error("reduce", {f32({2, 3}), f32({})}, {{"axes", IntList{1}}}, region(DType::kF64, 1))
                .find("is f64[], but must be f32[] (the arguments are one accumulator per array"),
            std::string::npos);
  EXPECT_EQ(error("reduce", {f32({2, 3}), f32({})}, {{"axes", IntList{1}}}, region(DType::kF32, 2)),
            "reduce: the region must return the 1 new accumulator as scalars of the arrays' dtypes");
}

TEST_F(InferTest, ScanAndItsRegion) {
  const Attributes attributes{{"carries", int64_t{1}}, {"scanned", int64_t{1}}, {"length", int64_t{5}},
                              {"reverse", false},      {"xs_axes", IntList{1}}, {"ys_axes", IntList{1}}};
  auto region = [&](Shape carry) {
    auto r = builder_.make_region();
    r->add_argument({DType::kF32, {3}}, "state");
    Value* x = r->add_argument({DType::kF32, carry}, "slice");
    r->set_results({x, x});
    std::vector<std::unique_ptr<ir::Region>> list;
    list.push_back(std::move(r));
    return list;
  };
  EXPECT_EQ(ir::to_string(
                builder_.make("scan", {f32({3}), f32({3, 5})}, attributes, region({3}))->result(1)->type()),
            "f32[3,5]");
  EXPECT_EQ(error("scan", {f32({3}), f32({3, 6})}, attributes, region({3})),
            "scan: scanned array 0 is f32[3,6], but its dimension 1 must have the 'length' 5");
  EXPECT_EQ(
      error("scan", {f32({3}), f32({4, 5})}, attributes, region({4})),
      "scan: carry 0 starts as f32[3], but the region returns f32[4] for the next step; they must be equal");
  Attributes promise = attributes;
  promise.set("active", ir::IntList{1, 1, -4, 0});
  EXPECT_NE(error("scan", {f32({3}), f32({3, 5})}, promise, region({3})).find("active"), std::string::npos);
  promise.set("active", ir::IntList{0, 1, -4, 0});
  EXPECT_EQ(error("scan", {f32({3}), f32({3, 5})}, promise, region({3})), "no error");
  Attributes ending = attributes;
  ending.set("running", int64_t{1});
  EXPECT_EQ(error("scan", {f32({3}), f32({3, 5})}, ending, region({3})),
            "scan: 'running' is 1, but must be the number of one of the 1 carries");
  ending.set("running", int64_t{0});
  EXPECT_EQ(error("scan", {f32({3}), f32({3, 5})}, ending, region({3})),
            "scan: 'running' names carry 0, which is f32[3] and no pred");
  const std::string mismatch = error("scan", {f32({4}), f32({3, 5})}, attributes, region({3}));
  EXPECT_NE(mismatch.find("is f32[3], but must be f32[4]"), std::string::npos) << mismatch;
}

TEST_F(InferTest, LoopsAndBranchesWithLanes) {
  // Regions that take these arguments and return some of them, or a pred[] where there is none.
  const auto region = [&](std::vector<ir::TensorType> types, std::vector<int> results) {
    auto r = builder_.make_region();
    for (const ir::TensorType& type : types) r->add_argument(type, "x");
    std::vector<Value*> values;
    for (const int i : results) values.push_back(r->argument(i));
    if (results.empty()) values.push_back(ir::Builder(*r).constant(Tensor::of<bool>({}, {true})));
    r->set_results(values);
    return r;
  };
  using Regions = std::vector<std::unique_ptr<ir::Region>>;
  const auto list = [](auto... each) {
    Regions regions;
    (regions.push_back(std::move(each)), ...);
    return regions;
  };
  const ir::TensorType a{DType::kF32, {3}}, b{DType::kF32, {}};
  const Attributes two{{"carries", int64_t{2}}};
  EXPECT_EQ(error("while", {f32({3}), f32({})}, two, list(region({a, b}, {}), region({a, b}, {0, 1}))),
            "no error");
  EXPECT_EQ(error("while", {f32({3}), f32({})}, two, list(region({a, b}, {1}), region({a, b}, {0, 1}))),
            "while: the first region must return pred[], whether to take a step, but returns f32[]");
  EXPECT_EQ(error("while", {f32({3}), f32({})}, two, list(region({a, b}, {}), region({a, b}, {0}))),
            "while: the second region returns 1 values, but must return the 2 carries");
  EXPECT_EQ(error("while", {f32({3}), f32({})}, two, list(region({a, b}, {}), region({a, b}, {0, 0}))),
            "while: carry 1 starts as f32[], but the region returns f32[3] for the next step; they must be "
            "equal");
  EXPECT_EQ(error("while", {f32({3})}, two, list(region({a}, {}), region({a}, {0}))),
            "while: 'carries' is 2, but must be from 0 to 1, the number of operands");
  Attributes bounded = two;
  bounded.set("max_steps", int64_t{-1});
  EXPECT_EQ(error("while", {f32({3}), f32({})}, bounded, list(region({a, b}, {}), region({a, b}, {0, 1}))),
            "while: 'max_steps' is -1, but must not be negative");
  Attributes lanes = two;
  lanes.set("lanes", IntList{4});
  const auto with_lanes = [&](Shape first) {
    return error("while", {f32(std::move(first)), f32({4}), f32({3})}, lanes,
                 list(region({a, b, a}, {}), region({a, b, a}, {0, 1})));
  };
  EXPECT_EQ(with_lanes({4, 3}), "while: 'lanes' and 'mapped' belong together; one of them is missing");
  lanes.set("mapped", IntList{1, 1, 0});
  EXPECT_EQ(with_lanes({4, 3}), "no error");
  EXPECT_EQ(with_lanes({3}), "while: operand 0 is mapped, but is f32[3]; it must begin with the lanes [4]");
  lanes.set("mapped", IntList{0, 1, 0});
  EXPECT_EQ(with_lanes({4, 3}), "while: operand 0 must be mapped: each lane has its own carries");

  Value* index = builder_.constant(Tensor::of<int32_t>({}, {1}));
  EXPECT_EQ(error("cond", {index, f32({3})}, {}, list(region({a}, {0}), region({a}, {0}))), "no error");
  EXPECT_EQ(error("cond", {f32({}), f32({3})}, {}, list(region({a}, {0}))),
            "cond: the first operand, the index of a region, must be s32[], but is f32[]");
  EXPECT_EQ(error("cond", {index, f32({3}), f32({})}, {}, list(region({a, b}, {0}), region({a, b}, {1}))),
            "cond: result 0 is f32[3] from region 0, but f32[] from region 1; all regions must return the "
            "same types");
}

TEST_F(InferTest, Call) {
  ir::Function* callee = module_.add_function("g");
  Value* x = callee->body().add_argument({DType::kF32, {2}}, "x");
  EXPECT_EQ(error("call", {f32({2})}, {{"callee", ir::Symbol{"g"}}}),
            "call: @g is not complete yet; a function cannot call itself");
  callee->body().set_results({x, x});
  EXPECT_EQ(builder_.make("call", {f32({2})}, {{"callee", ir::Symbol{"g"}}})->result_count(), 2);
  EXPECT_EQ(error("call", {f32({3})}, {{"callee", ir::Symbol{"g"}}}),
            "call: argument 0 of @g, %x, is f32[2], but is given f32[3]");
  EXPECT_EQ(error("call", {}, {{"callee", ir::Symbol{"g"}}}), "call: @g takes 1 arguments, but is given 0");
  EXPECT_EQ(error("call", {}, {{"callee", ir::Symbol{"h"}}}), "call: there is no function @h");
}

TEST_F(InferTest, Convolutions) {
  const auto attributes = [](IntList strides, int64_t feature_groups, int64_t batch_groups) {
    const size_t spatial = strides.size();
    return ConvolutionDims{{0, 2, 1},           {2, 1, 0},           {0, 2, 1},           strides,
                           IntList(spatial, 0), IntList(spatial, 0), IntList(spatial, 1), IntList(spatial, 1),
                           IntList(spatial, 0), feature_groups,      batch_groups}
        .attributes();
  };
  Value* x = f32({2, 9, 4});
  EXPECT_EQ(type("convolution", {x, f32({3, 4, 6})}, attributes({2}, 1, 1)), "f32[2,4,6]");
  EXPECT_EQ(type("convolution", {x, f32({10, 4, 6})}, attributes({2}, 1, 1)), "f32[2,0,6]");
  EXPECT_EQ(error("convolution", {x, f32({4, 6})}, attributes({1}, 1, 1)),
            "convolution: the operands are f32[2,9,4] and f32[4,6]; they must have one rank: the spatial "
            "dimensions, and two more for batch or features");
  EXPECT_EQ(error("convolution", {x, f32({3, 4, 6})}, attributes({0}, 1, 1)),
            "convolution: 'strides' is [0], but every entry must be at least 1");
  EXPECT_EQ(error("convolution", {x, f32({3, 4, 6})}, attributes({1, 1}, 1, 1)),
            "convolution: 'strides' is [1,1], but must have 1 entry, one per spatial dimension");
  EXPECT_EQ(
      error("convolution", {x, f32({3, 2, 6})}, attributes({1}, 1, 1)),
      "convolution: dimension 2 of f32[2,9,4] holds 4 features, so dimension 1 of f32[3,2,6], the input "
      "features, must have extent 4, not 2");
  EXPECT_EQ(error("convolution", {x, f32({3, 4, 6})}, attributes({1}, 4, 1)),
            "convolution: the output features of rhs have extent 6, which must be a multiple of "
            "'feature_groups', 4");
  EXPECT_EQ(error("convolution", {x, f32({3, 4, 6})}, attributes({1}, 2, 2)),
            "convolution: 'feature_groups' is 2 and 'batch_groups' is 2; one of them must be 1");
  EXPECT_EQ(error("convolution", {x, f32({3, 4, 6})}, attributes({1}, 1, 3)),
            "convolution: the batches of lhs have extent 2, which must be a multiple of 'batch_groups', 3");
  EXPECT_EQ(
      error("convolution", {x, arg(DType::kF64, {3, 4, 6})}, attributes({1}, 1, 1)),
      "convolution: the operands are f32[2,9,4] and f64[3,4,6]; convert one of them, so that they have one "
      "dtype");
}

}  // namespace
}  // namespace ingot::ops
