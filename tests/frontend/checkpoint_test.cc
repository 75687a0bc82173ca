// Checkpoints and their policies as users write them: the same derivatives, for another price.

#include "testing.h"

namespace ingot {
namespace {

using namespace checkpoint_policies;
using testing::error_of;
using testing::f32;

struct Layer {
  Array w, v;
};

Array layer(Layer p, Array x) {
  const Array hidden = checkpoint_name(dot(x, p.w), "hidden");
  return checkpoint_name(tanh(dot(sin(exp(hidden * 0.1)), p.v)), "out");
}

Layer abstract_layer() {
  return {f32({256, 256}), f32({256, 256})};
}

Array random(const Shape& shape, double seed) {
  return sin(testing::counting<double>(shape) * (1.7 + seed) + seed) * 0.5;
}

std::vector<CheckpointPolicy> all_policies() {
  return {nothing_saveable,
          everything_saveable,
          dots_saveable,
          dots_with_no_batch_dims_saveable,
          save_only_these_names({"hidden"}),
          save_any_names_but_these({"hidden"}),
          save_anything_except_these_names({"hidden", "out"}),
          save_from_both_policies(save_only_these_names({"out"}), dots_saveable)};
}

size_t count(const std::string& text, const std::string& what) {
  size_t found = 0;
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++found;
  return found;
}

void expect_near(const Array& actual, const Array& expected, const std::string& what) {
  const auto a = actual.to_vector<double>(), b = expected.to_vector<double>();
  ASSERT_EQ(a.size(), b.size()) << what;
  for (size_t i = 0; i < a.size(); ++i)
    ASSERT_NEAR(a[i], b[i], 1e-10 * (1 + std::abs(b[i]))) << what << ", " << i;
}

// The derivatives of a function of a Layer and an Array, at one point.
struct Derivatives {
  Array value, w, v, x, of_gradient, hessian;
};

Layer point() {
  return {random({3, 4}, 0.1), random({4, 3}, 0.2)};
}

Array argument() {
  return random({2, 3}, 0.3);
}

template <class F>
Derivatives derivatives_of(const F& f) {
  const Layer p = point();
  const Array x = argument();
  const auto loss = [&](Layer q, Array y) { return sum(square(f(q, y))); };
  const auto of_x = [&](Array y) { return loss(p, y); };
  const auto [value, gradient] = value_and_grad<0, 1>(loss)(p, x);
  return {value,           std::get<0>(gradient).w, std::get<0>(gradient).v, std::get<1>(gradient),
          hvp(of_x, x, x), hessian(of_x)(x)};
}

template <class G>
void expect_same_derivatives(const Derivatives& wanted, const G& g, const std::string& what) {
  const Layer p = point();
  const Array x = argument();
  const auto loss = [](const auto& function) {
    return [&](Layer q, Array y) { return sum(square(function(q, y))); };
  };
  for (bool jitted : {false, true}) {
    const auto derived = value_and_grad<0, 1>(loss(g));
    const auto [other_value, other] = jitted ? jit(derived)(p, x) : derived(p, x);
    expect_near(other_value, wanted.value, what);
    expect_near(std::get<0>(other).w, wanted.w, what + ", in w");
    expect_near(std::get<0>(other).v, wanted.v, what + ", in v");
    expect_near(std::get<1>(other), wanted.x, what + ", in x");
  }
  const auto of_x = [&](const auto& function) {
    return [&](Array y) { return sum(square(function(p, y))); };
  };
  expect_near(hvp(of_x(g), x, x), wanted.of_gradient, what + ", Hessian");
  expect_near(jacrev(grad(of_x(g)))(x), wanted.hessian, what + ", reverse over reverse");
}

TEST(CheckpointTest, PoliciesChangeNoDerivative) {
  const Derivatives wanted = derivatives_of(layer);
  for (const CheckpointPolicy& policy : all_policies())
    expect_same_derivatives(wanted, checkpoint(layer, {.policy = policy}), policy.text());
}

TEST(CheckpointTest, InLoopsAndFunctionsInsideAndOutside) {
  const auto inner = jit(layer);
  const auto steps = [&](const auto& step) {
    return [&](Layer p, Array x) {
      return scan(
                 [&](Array carry, std::tuple<>) {
                   const Array next = step(p, carry);
                   return std::pair(next, sin(next));
                 },
                 x, std::tuple<>(), {.ys_axis = ScanAxes(1), .length = 3})
          .second;
    };
  };
  const Derivatives wanted = derivatives_of(steps(layer));
  // What is saved of a layer, all policies show above; here one of each kind, for the ways it is stacked.
  for (const CheckpointPolicy& policy :
       {nothing_saveable, everything_saveable, dots_saveable, save_only_these_names({"hidden"})}) {
    const CheckpointOptions options{.policy = policy};
    expect_same_derivatives(wanted, steps(checkpoint(layer, options)), "of a step, " + policy.text());
    expect_same_derivatives(wanted, checkpoint(steps(inner), options), "of a loop, " + policy.text());
  }
  // One inside of another: the two that save something, but not all.
  for (const CheckpointPolicy& policy : {dots_saveable, save_only_these_names({"hidden"})}) {
    const CheckpointOptions options{.policy = policy};
    expect_same_derivatives(wanted, checkpoint(steps(checkpoint(inner, options)), options),
                            "of both, " + policy.text());
  }
}

TEST(CheckpointTest, UnderVmap) {
  const Layer p{random({3, 4}, 0.1), random({4, 3}, 0.2)};
  const Array x = random({5, 2, 3}, 0.3);
  const auto loss = [](const auto& function) {
    return [&](Layer q, Array y) { return sum(square(function(q, y))); };
  };
  const VmapOptions axes{.in_axes = {std::nullopt, 0}};
  const Layer wanted = vmap(grad(loss(layer)), axes)(p, x);
  for (const CheckpointPolicy& policy : all_policies()) {
    const auto kept = checkpoint(layer, {.policy = policy});
    expect_near(vmap(grad(loss(kept)), axes)(p, x).w, wanted.w, policy.text());
    const auto total = [&](Layer q) { return sum(square(vmap(kept, axes)(q, x))); };
    expect_near(grad(total)(p).w, sum(wanted.w, 0), policy.text());
  }
}

// A product forwards, and two on the way back.
TEST(CheckpointTest, PoliciesDecideWhatIsComputedTwice) {
  const auto products = [](const CheckpointPolicy& policy) {
    const auto f = checkpoint(layer, {.policy = policy});
    const auto loss = [&](Layer p, Array x) { return sum(square(f(p, x))); };
    const std::string text =
        jit(value_and_grad<0, 1>(loss)).compile(abstract_layer(), f32({512, 256})).text();
    EXPECT_EQ(count(text, "= checkpoint_name("), 0u);
    return count(text, "= dot_general(");
  };
  EXPECT_EQ(products(everything_saveable), 6u);
  EXPECT_EQ(products(dots_saveable), 6u);
  EXPECT_EQ(products(dots_with_no_batch_dims_saveable), 6u);
  EXPECT_EQ(products(save_only_these_names({"hidden"})), 7u);
  EXPECT_EQ(products(save_only_these_names({"hidden", "out"})), 6u);
  EXPECT_EQ(products(save_only_these_names({"out"})), 7u);
  EXPECT_EQ(products(nothing_saveable), 8u);
}

TEST(CheckpointTest, NamesSplitNoKernel) {
  const auto f = [](Array x) { return sum(exp(checkpoint_name(sin(x), "a")) * checkpoint_name(x, "b")); };
  const auto g = [](Array x) { return sum(exp(sin(x)) * x); };
  EXPECT_EQ(jit(grad(f)).compile(f32({1000})).kernels().size(),
            jit(grad(g)).compile(f32({1000})).kernels().size());
}

// Of one function under several policies each transform makes several functions.
TEST(CheckpointTest, EachPolicyIsAFunctionOfItsOwn) {
  const auto f = [](Array x, Array w) {
    return sum(sin(dot(sin(dot(sin(dot(x, w)), w)), w)));  // no captures: one function for the whole process
  };
  const Array x = f32({64, 64});
  const auto peaks = [&](const CheckpointPolicy& policy) {
    const auto kept = checkpoint(f, {.policy = policy});
    return std::vector<int64_t>{jit(grad<0, 1>(kept)).compile(x, x).peak_bytes(),
                                grad<0, 1>(kept).compile(x, x).peak_bytes(),
                                jit(value_and_grad(kept)).compile(x, x).peak_bytes(),
                                grad<0, 1>(jit(kept)).compile(x, x).peak_bytes()};
  };
  const std::vector<int64_t> nothing = peaks(nothing_saveable), dots = peaks(dots_saveable);
  for (size_t i = 0; i < nothing.size(); ++i) EXPECT_LT(nothing[i], dots[i]) << i;
}

// What is computed anew is there only while it is needed.
TEST(CheckpointTest, ManyLayersTakeTheMemoryOfOne) {
  const auto peak = [](int layers, const CheckpointPolicy& policy) {
    const auto f = checkpoint(layer, {.policy = policy});
    const auto loss = [&, layers](Layer p, Array x) {
      for (int i = 0; i < layers; ++i) x = f(p, x);
      return sum(square(x));
    };
    return jit(grad(loss)).compile(abstract_layer(), f32({4096, 256})).peak_bytes();
  };
  const int64_t activation = int64_t{4096} * 256 * 4;
  EXPECT_LE(peak(12, nothing_saveable) - peak(4, nothing_saveable), 8 * activation * 11 / 10);
  EXPECT_GE(peak(12, everything_saveable) - peak(4, everything_saveable), 8 * 2 * activation);
}

TEST(CheckpointTest, SavedResidualsSayWhatIsKept) {
  const auto saved = [](const CheckpointPolicy& policy) {
    return saved_residuals(checkpoint(layer, {.policy = policy}), abstract_layer(), f32({512, 256})).text();
  };
  EXPECT_EQ(saved(nothing_saveable),
            "f32[256,256]  the argument arg0.w\n"
            "f32[256,256]  the argument arg0.v\n"
            "f32[512,256]  the argument arg1\n");
  EXPECT_EQ(saved(dots_saveable),
            "f32[512,256]  dot_general  at checkpoint_test.cc:17\n"
            "f32[512,256]  dot_general  at checkpoint_test.cc:18\n"
            "f32[256,256]  the argument arg0.w\n"
            "f32[512,256]  the argument arg1\n"
            "f32[256,256]  the argument arg0.v\n");
  EXPECT_EQ(saved(save_only_these_names({"hidden"})),
            "f32[256,256]  the argument arg0.v\n"
            "f32[512,256]  'hidden'  at checkpoint_test.cc:17\n"
            "f32[256,256]  the argument arg0.w\n"
            "f32[512,256]  the argument arg1\n");
  EXPECT_EQ(saved(everything_saveable),
            "f32[256,256]  the argument arg0.w\n"
            "f32[512,256]  the argument arg1\n"
            "f32[512,256]  exp  at checkpoint_test.cc:18\n"
            "f32[512,256]  cos for the derivative of sin  at checkpoint_test.cc:18\n"
            "f32[256,256]  the argument arg0.v\n"
            "f32[512,256]  sin  at checkpoint_test.cc:18\n"
            "f32[512,256]  'out'  at checkpoint_test.cc:18\n");
}

TEST(CheckpointTest, SavedResidualsOfLoopsAndBytes) {
  const auto f = [](Array w, Array x) {
    const auto step = [&](Array h, Array xi) {
      const Array next = tanh(dot(h, w) + xi);
      return std::pair(next, sin(next));
    };
    return sum(scan(step, Array::zeros({8, 16}), x, {.axis = 1}).second);
  };
  const SavedResiduals saved = saved_residuals(f, f32({16, 16}), f32({8, 50, 16}));
  EXPECT_NE(saved.text().find("in each of 50 steps"), std::string::npos) << saved.text();
  int64_t bytes = 0;
  for (const SavedResidual& residual : saved.list) {
    bytes += residual.bytes;  // "f32[50,8,16]"
    int64_t expected = 4;
    for (size_t at = residual.type.find('['); residual.type[at] != ']';
         at = residual.type.find_first_of(",]", at + 1))
      expected *= std::stoll(residual.type.substr(at + 1));
    EXPECT_EQ(residual.bytes, expected) << residual.type;
  }
  EXPECT_EQ(saved.bytes(), bytes);
}

TEST(CheckpointTest, Errors) {
  EXPECT_NE(error_of([] { checkpoint_name(f32({2}), "a b"); }).find("is no name that a policy could list"),
            std::string::npos);
}

}  // namespace
}  // namespace ingot
