// A convolutional network that learns digits, which it draws itself: batches, Adam, accuracy, a file of all
// that it knows, and a curve of the loss.
//
//   train [steps [folder]]     learns for so many steps, from folder/digits.npz on where there is one; writes
//                              that file, the losses (folder/loss.npy) and their curve (folder/loss.svg)
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "programs/check.h"

namespace {

using ingot::Array;
using ingot::DType;
namespace nn = ingot::nn;
namespace optim = ingot::optim;
namespace random = ingot::random;

// --- digits: 5 x 7 dots, somewhere in 12 x 12, more or less bright, with noise

constexpr const char* kGlyphs[10] = {
    "01110100011001110101110011000101110", "00100011000010000100001000010001110",
    "01110100010000100010001000100011111", "11111000100010000010000011000101110",
    "00010001100101010010111110001000010", "11111100001111000001000011000101110",
    "00110010001000011110100011000101110", "11111000010001000100010000100001000",
    "01110100011000101110100011000101110", "01110100011000101111000010001001100"};

Array glyphs() {
  std::vector<float> dots;
  for (const char* glyph : kGlyphs)
    for (const char* dot = glyph; *dot != '\0'; ++dot) dots.push_back(*dot == '1' ? 1.f : 0.f);
  return Array::from({10, 7, 5}, dots);
}

struct Batch {
  Array images, labels;  // [n, 12, 12, 1], s32[n]
};
Batch draw(const Array& key, int64_t n) {
  const auto keys = random::split<5>(key);
  const Array labels = random::randint(keys[0], {n}, 0, 10);
  const auto place = [](Array glyph, Array row, Array column) {
    return dynamic_update_slice(Array::zeros({12, 12}), glyph, {row, column});
  };
  const Array placed = ingot::vmap(place)(take(glyphs(), labels), random::randint(keys[1], {n}, 0, 6),
                                          random::randint(keys[2], {n}, 0, 8));
  const Array bright = random::uniform(keys[3], {n, 1, 1}, DType::kF32, 0.6f, 1.f);
  const Array noise = 0.3f * random::normal(keys[4], {n, 12, 12});
  return {expand_dims(placed * bright + noise, {-1}), labels};
}

// --- the network

struct Net {
  nn::Conv first, second;
  nn::Dense out;
};
Net init(const Array& key) {
  const auto [a, b, c] = random::split<3>(key);
  return {nn::conv_init(a, {3, 3}, 1, 8), nn::conv_init(b, {3, 3}, 8, 16), nn::dense_init(c, 144, 10)};
}
Array logits(const Net& net, Array x) {
  const auto pool = [](Array y) { return max_pool(relu(y), {2, 2}, {.strides = {2}}); };
  x = pool(nn::conv(net.first, x));
  x = pool(nn::conv(net.second, x));
  return nn::dense(net.out, x.reshape({x.shape(0), 144}));
}

struct Learner {
  Net net;
  optim::AdamState<Net> adam;
};
struct Report {
  Array loss, accuracy;
};
const optim::Adam kAdam{.rate = 0.01};

std::pair<Report, Learner> learn(const Learner& learner, const Array& key, int64_t n) {
  const Batch batch = draw(random::fold_in(key, learner.adam.step), n);
  const auto loss = [&](Net net) {
    const Array scores = logits(net, batch.images);
    const Array right = mean((argmax(scores, -1) == batch.labels).astype(DType::kF32));
    return std::pair(mean(nn::softmax_cross_entropy_with_integer_labels(scores, batch.labels)), right);
  };
  auto [values, slope] = ingot::value_and_grad(loss, ingot::kHasAux)(learner.net);
  auto [net, state] = optim::update(kAdam, slope, learner.adam, learner.net);
  return {Report{values.first, values.second}, Learner{net, state}};
}

// --- what is told

void write_svg(const std::string& path, const std::vector<float>& losses) {
  std::ofstream file(path);
  const double width = 640, height = 320;
  float most = 1e-9f;
  for (const float loss : losses) most = std::max(most, loss);
  file << "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 " << width << " " << height << "'>\n"
       << "<rect width='100%' height='100%' fill='white'/>\n<polyline fill='none' stroke='#06c' points='";
  for (size_t i = 0; i < losses.size(); ++i) {
    file << width * static_cast<double>(i) / static_cast<double>(std::max<size_t>(1, losses.size() - 1))
         << "," << height * (1 - losses[i] / most) << " ";
  }
  file << "'/>\n<text x='8' y='16' font-size='14'>loss, up to " << most << "</text>\n</svg>\n";
}

}  // namespace

int main(int argc, char** argv) {
  programs::Check check(argc, argv);
  const std::vector<std::string>& arguments = check.arguments();
  const int steps = check.wanted() ? 10 : !arguments.empty() ? std::stoi(arguments[0]) : 500;
  const std::string folder = arguments.size() > 1 ? arguments[1] : ".";
  const std::string file = folder + (check.wanted() ? "/digits_check.npz" : "/digits.npz");
  const int64_t n = check.wanted() ? 16 : 128;

  const Array key = random::key(7);
  const Net net = init(key);
  Learner learner{net, optim::init(kAdam, net)};
  if (check.wanted()) std::filesystem::remove(file);
  if (std::filesystem::exists(file)) learner = ingot::io::load_into(file, learner);
  const auto step = ingot::jit([=](Learner l, Array k) { return learn(l, k, n); }, {.name = "learn"});

  std::vector<float> losses;
  for (const int i : ingot::progress(steps, "train")) {
    auto [report, next] = step(learner, key);
    losses.push_back(report.loss.item<float>());
    learner = next;
    if (check.wanted() && i == steps / 2 - 1) {  // stop, and go on from the file
      ingot::io::save(file, learner);
      learner = ingot::io::load_into(file, Learner{net, optim::init(kAdam, net)});
    }
  }
  check.expect("train_losses", Array::from(losses), 2e-3);

  const Batch unseen = draw(random::key(8), check.wanted() ? 100 : 2000);
  const auto rate = ingot::jit([](Net of, Batch batch) {
    return mean((argmax(logits(of, batch.images), -1) == batch.labels).astype(DType::kF32));
  });
  std::printf("after %d steps: loss %.3f, %.1f%% of unseen digits are right\n", learner.adam.step.item<int>(),
              losses.empty() ? 0 : losses.back(), 100 * rate(learner.net, unseen).item<float>());
  if (!check.wanted()) {
    ingot::io::save(file, learner);
    ingot::io::save(folder + "/loss.npy", Array::from(losses));
    write_svg(folder + "/loss.svg", losses);
  } else {
    std::filesystem::remove(file);
  }
  return check.result();
}
