// A small transformer that learns a sonnet letter by letter, and then writes.
//
//   gpt [steps]
#include <algorithm>
#include <cstdio>
#include <set>

#include "programs/check.h"
#include "programs/sonnet.h"

namespace {

using ingot::Array;
using ingot::DType;
namespace nn = ingot::nn;
namespace optim = ingot::optim;
namespace random = ingot::random;

constexpr int64_t kPlaces = 32, kFeatures = 32, kHeads = 4, kLayers = 2;

// --- the text as numbers

struct Letters {
  std::string all;  // each once, in order

  explicit Letters(const std::string& text) {
    const std::set<char> once(text.begin(), text.end());
    all.assign(once.begin(), once.end());
  }
  int64_t count() const { return static_cast<int64_t>(all.size()); }
  Array numbers(const std::string& text) const {
    std::vector<int> list;
    for (const char c : text) list.push_back(static_cast<int>(all.find(c)));
    return Array::from(list);
  }
  std::string text(const Array& numbers) const {
    std::string letters;
    for (const int n : numbers.to_vector<int>()) letters += all[static_cast<size_t>(n)];
    return letters;
  }
};

// --- the network

struct Block {
  nn::Norm before_attention, before_mixing;
  nn::MultiHeadAttention attention;
  nn::Dense up, down;
};
struct Gpt {
  nn::Embedding letters, places;
  std::vector<Block> blocks;
  nn::Norm last;
};

Gpt init(const Array& key, int64_t letters) {
  const Array keys = random::split(key, 2 + kLayers);
  Gpt net{nn::embedding_init(keys[0], letters, kFeatures),
          nn::embedding_init(keys[1], kPlaces, kFeatures),
          {},
          nn::norm_init(kFeatures)};
  for (int64_t i = 0; i < kLayers; ++i) {
    const auto [a, b, c] = random::split<3>(keys[2 + i]);
    net.blocks.push_back({nn::norm_init(kFeatures), nn::norm_init(kFeatures),
                          nn::multi_head_attention_init(a, kFeatures, kHeads),
                          nn::dense_init(b, kFeatures, 4 * kFeatures),
                          nn::dense_init(c, 4 * kFeatures, kFeatures)});
  }
  return net;
}

// Of letters [.., places] the scores of the next ones, [.., places, letters].
Array scores(const Gpt& net, const Array& letters) {
  Array x = nn::embed(net.letters, letters) + net.places.table;
  for (const Block& block : net.blocks) {
    x = x + nn::multi_head_attention(block.attention, nn::layer_norm(block.before_attention, x),
                                     {.causal = true});
    const Array wide = gelu(nn::dense(block.up, nn::layer_norm(block.before_mixing, x)));
    x = x + nn::dense(block.down, wide);
  }
  return dot(nn::layer_norm(net.last, x), net.letters.table.T());
}

struct Learner {
  Gpt net;
  optim::AdamState<Gpt> adam;
};

// One step with pieces of the text from random places.
std::pair<Array, Learner> learn(const optim::AdamW& adam, const Learner& learner, const Array& text,
                                const Array& key, int64_t pieces) {
  const Array from = random::randint(random::fold_in(key, learner.adam.step), {pieces, 1}, 0,
                                     static_cast<int>(text.size() - kPlaces));
  const Array piece = take(text, from + ingot::arange(kPlaces + 1));
  const Array seen = piece.slices({{}, {0, kPlaces}}), next = piece.slices({{}, {1, kPlaces + 1}});
  const auto loss = [&](Gpt net) {
    return mean(nn::softmax_cross_entropy_with_integer_labels(scores(net, seen), next));
  };
  auto [value, slope] = ingot::value_and_grad(loss)(learner.net);
  auto [net, state] = optim::update(adam, optim::clip_by_global_norm(slope, 1), learner.adam, learner.net);
  return {value, Learner{net, state}};
}

// So many letters more, each drawn by its score.
Array write(const Gpt& net, const Array& start, const Array& key, int64_t count, float temperature) {
  const auto step = [&](Array window, Array k) {
    const Array last = scores(net, window)[-1];
    const Array letter = random::categorical(k, last / temperature);
    return std::pair(ingot::concatenate({window.slice({1, ingot::Slice::kEnd}), letter.reshape({1})}),
                     letter);
  };
  return ingot::scan(step, start, random::split(key, count)).second;
}

}  // namespace

int main(int argc, char** argv) {
  programs::Check check(argc, argv);
  const int steps = check.wanted() ? 5 : !check.arguments().empty() ? std::stoi(check.arguments()[0]) : 600;
  const int64_t pieces = check.wanted() ? 4 : 32;
  const std::string sonnet = programs::kSonnet;
  const Letters letters(sonnet);
  const Array text = letters.numbers(sonnet), key = random::key(0);

  const optim::AdamW adam{.rate = optim::warmup_cosine(0, 3e-3, 20, 1000), .weight_decay = 0.01};
  const Gpt net = init(key, letters.count());
  Learner learner{net, optim::init(adam, net)};
  const auto step = ingot::jit([=](Learner l, Array t, Array k) { return learn(adam, l, t, k, pieces); },
                               {.name = "learn"});
  std::vector<float> losses;
  for (const int i : ingot::progress(steps, "gpt")) {
    (void)i;
    auto [loss, next] = step(learner, text, key);
    losses.push_back(loss.item<float>());
    learner = next;
  }
  check.expect("gpt_losses", Array::from(losses), 2e-3);

  const int64_t count = check.wanted() ? 20 : 400;
  const auto writer = ingot::jit(
      [=](Gpt of, Array start, Array k) { return write(of, start, k, count, 0.5f); }, {.name = "write"});
  const Array start = text.slice({0, kPlaces});
  const Array written = writer(learner.net, start, random::key(1));
  std::printf("loss %.3f\n%s|%s\n", losses.empty() ? 0 : losses.back(), letters.text(start).c_str(),
              letters.text(written).c_str());
  return check.result();
}
