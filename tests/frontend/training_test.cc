// Initialisers, losses, schedules and optimisers against jax.nn and optax (golden/jax_training.py wrote the
// values); optimisers under jit, grad and vmap.
#include <functional>

#include "frontend/golden_values.h"
#include "ingot/nn.h"
#include "ingot/optim.h"

namespace ingot {
namespace {

using testing::error_of;
using testing::golden_difference;
using testing::line;

const std::map<std::string, testing::GoldenValue>& golden() {
  static const auto values = testing::read_golden(INGOT_TEST_DIR "/golden/jax_training.txt");
  return values;
}

TEST(TrainingTest, InitialisersAreThoseOfJax) {
  const std::map<std::string, nn::Initializer> list = {
      {"uniform", nn::uniform(0.5)},
      {"normal", nn::normal(0.1)},
      {"truncated_normal", nn::truncated_normal(0.1, -1.5, 1.0)},
      {"glorot_uniform", nn::glorot_uniform},
      {"glorot_normal", nn::glorot_normal},
      {"he_uniform", nn::he_uniform},
      {"he_normal", nn::he_normal},
      {"lecun_uniform", nn::lecun_uniform},
      {"lecun_normal", nn::lecun_normal},
      {"variance_scaling", nn::variance_scaling({.scale = 3,
                                                 .mode = nn::Fan::kOut,
                                                 .distribution = nn::Distribution::kNormal,
                                                 .in_axis = 0,
                                                 .out_axis = 1,
                                                 .batch_axes = {2}})},
      {"variance_scaling_geometric",
       nn::variance_scaling({.mode = nn::Fan::kGeometric, .distribution = nn::Distribution::kUniform})},
      {"orthogonal", nn::orthogonal(2, 1)},
  };
  const Array key = random::key(42);
  for (const auto& [name, f] : list) {
    EXPECT_EQ(golden_difference(f(key, {3, 4, 5}, DType::kF32), golden().at("init_" + name), 8, 3e-7), "")
        << name;
  }
  EXPECT_EQ(nn::xavier_normal(key, {4, 5}).to_vector<float>(),
            nn::glorot_normal(key, {4, 5}).to_vector<float>());
  EXPECT_EQ(nn::kaiming_uniform(key, {4, 5}).to_vector<float>(),
            nn::he_uniform(key, {4, 5}).to_vector<float>());
  EXPECT_EQ(nn::constant(3)(key, {2}, DType::kF32).to_vector<float>(), (std::vector<float>{3, 3}));
  EXPECT_EQ(error_of([&] { nn::he_normal(key, {4}); }),
            line(__LINE__ - 1) +
                "nn::variance_scaling: a shape [4] has no axis -2; it should have an axis of inputs and one "
                "of outputs");
}

TEST(TrainingTest, LossesAreThoseOfOptax) {
  const Array logits = (sin(arange(12).astype(DType::kF32)) * 3).reshape({3, 4});
  const Array labels =
      Array::from({3, 4}, std::vector<float>{0.1f, 0.2f, 0.3f, 0.4f, 1, 0, 0, 0, 0, 0.5f, 0.5f, 0});
  const auto expect = [&](const char* name, const Array& value) {
    EXPECT_EQ(golden_difference(value, golden().at(name), 4, 3e-7), "") << name;
  };
  expect("softmax_cross_entropy", nn::softmax_cross_entropy(logits, labels));
  const Array classes = Array::from<int>({3, 0, 2});
  expect("softmax_cross_entropy_with_integer_labels",
         nn::softmax_cross_entropy_with_integer_labels(logits, classes));
  expect("sigmoid_binary_cross_entropy", nn::sigmoid_binary_cross_entropy(logits, labels));
  expect("l2_loss", nn::l2_loss(logits, labels));
  expect("squared_error", nn::squared_error(logits, labels));
  expect("huber_loss", nn::huber_loss(logits, labels, 0.7));
  EXPECT_FLOAT_EQ(nn::mse_loss(logits, labels).item<float>(), mean(square(logits - labels)).item<float>());
  EXPECT_EQ(error_of([&] { nn::softmax_cross_entropy_with_integer_labels(logits, labels); }),
            line(__LINE__ - 1) +
                "nn::softmax_cross_entropy_with_integer_labels: the logits are f32[3,4] and the labels "
                "f32[3,4]; labels should be integers of the shape of the logits without the last axis");
  // Large logits overflow nowhere.
  const Array large = Array::from<float>({1000, -1000});
  EXPECT_EQ(nn::sigmoid_binary_cross_entropy(large, Array::from<float>({1, 0})).to_vector<float>(),
            (std::vector<float>{0, 0}));
}

TEST(TrainingTest, SchedulesAreThoseOfOptax) {
  const std::map<std::string, optim::Schedule> list = {
      {"constant", optim::constant(0.3)},
      {"linear", optim::linear(1, 0.1, 90, 5)},
      {"polynomial", optim::polynomial(1, 0.1, 2.5, 90)},
      {"exponential", optim::exponential(1, 10, 0.5, {.begin = 5})},
      {"exponential_staircase", optim::exponential(1, 10, 0.5, {.begin = 5, .staircase = true, .end = 0.01})},
      {"cosine", optim::cosine(1, 100, 0.1, 2)},
      {"warmup_cosine", optim::warmup_cosine(0, 1, 10, 100, 0.05)},
      {"piecewise_constant", optim::piecewise_constant(1, {{10, 0.5}, {100, 0.1}})},
  };
  for (const auto& [name, schedule] : list) {
    std::vector<Array> rates;
    for (int step : {0, 1, 5, 10, 50, 99, 100, 101, 500}) rates.push_back(schedule(Array(step)));
    EXPECT_EQ(golden_difference(stack(rates), golden().at("schedule_" + name), 4, 2e-7), "") << name;
  }
  EXPECT_EQ(error_of([] { optim::join({optim::constant(1)}, {5}); }),
            line(__LINE__ - 1) +
                "optim::join: there are 1 schedules and 1 boundaries, but should be one boundary less");
  EXPECT_EQ(error_of([] { optim::cosine(1, 0); }),
            line(__LINE__ - 1) + "optim::cosine: takes 0 steps, but should take 1 or more");
}

struct Params {
  Array w, b;
  int64_t unused = 3;  // static
};

Array valley(const Params& p) {
  return sum(sin(3 * p.w) + p.w * p.w * p.w * p.w) + sum(square(p.b)) * 100;
}

Params start() {
  return {cos(arange(6).astype(DType::kF32)).reshape({2, 3}), Array::from<float>({1, -2})};
}

// Seven steps, each a call of a jitted function.
template <class Options, class Change>
Array after_steps(const Options& options, const Change& change) {
  Params params = start();
  auto state = optim::init(options, params);
  const auto step =
      jit([=](Params p, decltype(state) s) { return optim::update(options, change(grad(valley)(p)), s, p); });
  for (int i = 0; i < 7; ++i) {
    auto [next, next_state] = step(params, state);
    params = next;
    state = next_state;
  }
  EXPECT_EQ(state.step.template item<int>(), 7);
  return concatenate({params.w.reshape({-1}), params.b});
}
template <class Options>
Array after_steps(const Options& options) {
  return after_steps(options, [](const Params& g) { return g; });
}

TEST(TrainingTest, OptimisersAreThoseOfOptax) {
  using namespace optim;  // NOLINT
  const auto expect = [](const char* name, const Array& value) {
    EXPECT_EQ(golden_difference(value, golden().at(std::string("optim_") + name), 64, 2e-6), "") << name;
  };
  expect("sgd", after_steps(Sgd{.rate = 0.01}));
  expect("sgd_momentum", after_steps(Sgd{.rate = 0.001, .momentum = 0.9}));
  expect("sgd_nesterov", after_steps(Sgd{.rate = 0.001, .momentum = 0.9, .nesterov = true}));
  expect("adam", after_steps(Adam{.rate = 0.05}));
  expect("adam_nesterov",
         after_steps(
             Adam{.rate = 0.05, .b1 = 0.8, .b2 = 0.95, .eps = 1e-4, .eps_root = 1e-5, .nesterov = true}));
  expect("adam_schedule", after_steps(Adam{.rate = cosine(0.1, 5)}));
  expect("adamw", after_steps(AdamW{.rate = 0.05, .weight_decay = 0.1}));
  expect("lion", after_steps(Lion{.rate = 0.01, .weight_decay = 0.1}));
  expect("rmsprop", after_steps(RmsProp{.rate = 0.01}));
  expect("rmsprop_centered",
         after_steps(
             RmsProp{.rate = 0.01, .decay = 0.8, .initial_scale = 1.0, .centered = true, .momentum = 0.5}));
  expect("rmsprop_nesterov", after_steps(RmsProp{.rate = 0.01, .momentum = 0.5, .nesterov = true}));
  expect("adagrad", after_steps(AdaGrad{.rate = 0.5}));
  expect("clip", after_steps(Sgd{.rate = 0.1}, [](const Params& g) { return clip(g, 0.5); }));
  expect("clip_by_global_norm",
         after_steps(Sgd{.rate = 0.1}, [](const Params& g) { return clip_by_global_norm(g, 1); }));
}

TEST(TrainingTest, RatesMayBeArrays) {
  const auto step = jit([](Params p, optim::AdamState<Params> s, Array rate) {
    return optim::update(optim::Adam{.rate = rate}, grad(valley)(p), s, p);
  });
  const optim::AdamState<Params> state = optim::init(optim::Adam(), start());
  const auto moved = [&](float rate) { return step(start(), state, rate).params.b.to_vector<float>()[0]; };
  EXPECT_NEAR(moved(0.5f), 0.5f, 1e-5);
  EXPECT_NEAR(moved(0.25f), 0.75f, 1e-5);
  EXPECT_EQ(step.trace_count(), 1);
  // A derivative of what a step reaches, in the rate.
  const auto after = [&](Array rate) {
    return valley(optim::update(optim::Sgd{.rate = rate}, grad(valley)(start()),
                                optim::init(optim::Sgd(), start()), start())
                      .params);
  };
  double square = 0;  // of the gradient, along which the step goes
  const Params slope = grad(valley)(start());
  for (const Array& part : {slope.w, slope.b})
    for (const float g : part.to_vector<float>()) square += static_cast<double>(g) * g;
  EXPECT_NEAR(grad(after)(Array(0.f)).item<float>(), -square, 1e-5 * square);
}

TEST(TrainingTest, ManyModelsAtOnceAndOtherDTypes) {
  const optim::Adam adam{.rate = 0.1};
  const auto step = [=](Params p, optim::AdamState<Params> s) {
    return optim::update(adam, grad(valley)(p), s, p);
  };
  const Params one = start();
  const Params two{stack({one.w, one.w * 2}), stack({one.b, one.b * 2})};
  const auto init = [=](Params p) { return optim::init(adam, p); };
  const auto both = vmap(step)(two, vmap(init)(two));
  const auto alone = step(one, init(one));
  EXPECT_EQ(both.params.w[0].to_vector<float>(), alone.params.w.to_vector<float>());
  EXPECT_EQ(both.state.step.type_string(), "s32[2]");

  struct Narrow {
    Array w, steps;
  };
  const Narrow narrow{Array::ones({3}, DType::kBF16), Array::ones({2}, DType::kS32)};
  const auto next = optim::update(optim::AdamW(), narrow, optim::init(optim::AdamW(), narrow), narrow);
  EXPECT_EQ(next.params.w.type_string(), "bf16[3]");
  EXPECT_EQ(next.state.nu.w.type_string(), "bf16[3]");
  EXPECT_EQ(next.params.steps.to_vector<int>(), (std::vector<int>{1, 1}));
}

}  // namespace
}  // namespace ingot
