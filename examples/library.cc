// The snippets of docs/random.md and docs/training.md.
#include <cstdio>
#include <filesystem>
#include <utility>
#include <vector>

#include "ingot/ingot.h"

namespace {

using ingot::Array;
namespace nn = ingot::nn;
namespace optim = ingot::optim;
namespace random = ingot::random;

// --- docs/random.md

bool numbers() {
  Array key = random::key(42);
  auto [data, noise] = random::split<2>(key);
  Array x = random::normal(data, {1000, 3});
  Array y = x + 0.1f * random::normal(noise, x.shape());

  Array die = random::randint(random::fold_in(key, 7), {10}, 1, 7);
  Array rows = random::permutation(key, x);
  Array some = random::choice(key, x, {5}, {.replace = false});
  Array k = random::categorical(key, Array::zeros({10, 4}));

  Array keys = random::split(key, 8);
  Array each = ingot::vmap([](Array one) { return random::gamma(one, 2.5f, {3}); })(keys);

  auto noisy =
      ingot::jit([](Array a, Array step_key) { return a + 0.1f * random::normal(step_key, a.shape()); });
  for (int step = 0; step < 3; ++step) x = noisy(x, random::fold_in(key, step));

  return y.type_string() == "f32[1000,3]" && max(die).item<int>() <= 6 && min(die).item<int>() >= 1 &&
         rows.type_string() == "f32[1000,3]" && some.type_string() == "f32[5,3]" &&
         k.type_string() == "s32[10]" && each.type_string() == "f32[8,3]" &&
         noisy.lower(x, key).compile().launches() == 1;
}

// --- docs/training.md

struct Net {
  nn::Dense hidden, out;
};

Net init(const Array& key) {
  auto [a, b] = random::split<2>(key);
  return {nn::dense_init(a, 2, 32, {.w = nn::he_normal}), nn::dense_init(b, 32, 2)};
}

Array logits(const Net& net, Array x) {
  return nn::dense(net.out, relu(nn::dense(net.hidden, x)));
}

struct Learner {
  Net net;
  optim::AdamState<Net> adam;
};

bool training() {
  const optim::Adam adam{.rate = optim::warmup_cosine(0, 0.02, 20, 300)};
  auto step = ingot::jit([=](Learner l, Array x, Array labels) {
    auto loss = [&](Net net) {
      return mean(nn::softmax_cross_entropy_with_integer_labels(logits(net, x), labels));
    };
    auto [value, slope] = ingot::value_and_grad(loss)(l.net);
    slope = optim::clip_by_global_norm(slope, 1);
    auto [net, state] = optim::update(adam, slope, l.adam, l.net);
    return std::pair(value, Learner{net, state});
  });

  Array key = random::key(0);
  Net net = init(key);
  Learner learner{net, optim::init(adam, net)};
  float last = 0;
  for (int i : ingot::progress(300, "train")) {
    Array x = random::normal(random::fold_in(key, i), {64, 2});
    Array inside = (sum(square(x), 1) < 1.4f).astype(ingot::DType::kS32);
    auto [loss, next] = step(learner, x, inside);
    learner = next;
    last = loss.item<float>();
  }

  ingot::io::save("learner.npz", learner);
  learner = ingot::io::load_into("learner.npz", learner);

  std::vector<Array> list = ingot::tree::leaves(learner.net);
  Net half = ingot::tree::map([](const Array& w) { return w * 0.5f; }, learner.net);
  Net mixed =
      ingot::tree::map([](const Array& a, const Array& b) { return 0.9f * a + 0.1f * b; }, learner.net, half);
  Array size = ingot::tree::norm(learner.net);

  std::filesystem::remove("learner.npz");
  std::printf("loss %.3f\n", last);
  return last < 0.25f && list.size() == 4 && size.item<float>() > 0 &&
         mixed.out.b.type_string() == "f32[2]" && learner.adam.step.item<int>() == 300;
}

}  // namespace

int main() {
  const bool right = numbers() && training();
  std::puts(right ? "right" : "wrong");
  return right ? 0 : 1;
}
