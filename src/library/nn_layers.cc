// Products, norms, attention and recurrent cells, as compositions.
#include "frontend/apply.h"
#include "frontend/node.h"
#include "ingot/nn.h"

namespace ingot::nn {
namespace {

using detail::fail;

// The extent of the last axis of x, which must be that of the parameters.
void want_features(const char* name, const Array& x, int64_t features, const std::source_location& where) {
  detail::checked_node(x, where, "x");
  if (x.rank() > 0 && x.shape(-1) == features) return;
  fail(where, std::string(name) + ": x is " + x.type_string() + ", but its last axis should have " +
                  std::to_string(features) + " features, as the parameters have");
}

// What goes from step to step has the features of the parameters.
void want_state(const char* name, const char* what, const Array& state, int64_t features,
                const std::source_location& where) {
  detail::checked_node(state, where, what);
  if (state.rank() > 0 && state.shape(-1) == features) return;
  fail(where, std::string(name) + ": " + what + " is " + state.type_string() +
                  ", but its last axis should have " + std::to_string(features) +
                  " features, as the parameters have");
}

void want_positive(const char* name, const char* what, int64_t value, const std::source_location& where) {
  if (value > 0) return;
  fail(where, std::string(name) + ": " + what + " is " + std::to_string(value) + ", but should be 1 or more");
}

}  // namespace

// --- products

Dense dense_init(const Operand& key, int64_t in, int64_t out, const InitOptions& options) {
  const CallerScope scope(key.where(), "nn::dense_init");
  const std::array<Array, 2> keys = random::split<2>(key);
  return {options.w(keys[0], {in, out}, options.dtype), options.b(keys[1], {out}, options.dtype)};
}

Array dense(const Dense& layer, const Operand& x) {
  const CallerScope scope(x.where(), "nn::dense");
  detail::checked_node(layer.w, x.where(), "w");
  want_features("nn::dense", x.array(), layer.w.shape(0), x.where());
  return dot(x, layer.w) + layer.b;
}

Conv conv_init(const Operand& key, const std::vector<int64_t>& window, int64_t in, int64_t out,
               const InitOptions& options, int64_t groups) {
  const std::source_location& where = key.where();
  const CallerScope scope(where, "nn::conv_init");
  if (window.empty() || window.size() > 3) {
    fail(where, "nn::conv_init: the window has " + std::to_string(window.size()) +
                    " extents, but should have one to three");
  }
  if (groups < 1 || in % groups != 0) {
    fail(where, "nn::conv_init: " + std::to_string(groups) + " groups do not divide " + std::to_string(in) +
                    " input features");
  }
  const std::array<Array, 2> keys = random::split<2>(key);
  Shape shape = window;
  shape.insert(shape.end(), {in / groups, out});
  return {options.w(keys[0], shape, options.dtype), options.b(keys[1], {out}, options.dtype)};
}

Array conv(const Conv& layer, const Operand& x, const ConvOptions& options) {
  const CallerScope scope(x.where(), "nn::conv");
  return conv_general(x, layer.w, options) + layer.b;
}

Embedding embedding_init(const Operand& key, int64_t entries, int64_t features, DType dtype) {
  const CallerScope scope(key.where(), "nn::embedding_init");
  want_positive("nn::embedding_init", "the number of features", features, key.where());
  return {variance_scaling({.distribution = Distribution::kNormal, .in_axis = -1, .out_axis = -2})(
      key, {entries, features}, dtype)};
}

Array embed(const Embedding& layer, const Operand& ids) {
  const CallerScope scope(ids.where(), "nn::embed");
  return take(Operand(layer.table, ids.where()), ids.array(), 0);
}

// --- norms

Norm norm_init(int64_t features, DType dtype) {
  return {Array::ones({features}, dtype), Array::zeros({features}, dtype)};
}

Array layer_norm(const Norm& layer, const Operand& x, const NormOptions& options) {
  const CallerScope scope(x.where(), "nn::layer_norm");
  const Array a = x.array();
  want_features("nn::layer_norm", a, layer.scale.size(), x.where());
  const Array centered = a - mean(a, -1, kKeepDims);
  return centered * rsqrt(mean(square(centered), -1, kKeepDims) + options.eps) * layer.scale + layer.bias;
}

Array rms_norm(const Operand& scale, const Operand& x, const NormOptions& options) {
  const CallerScope scope(x.where(), "nn::rms_norm");
  const Array a = x.array();
  want_features("nn::rms_norm", a, scale.array().size(), x.where());
  return a * rsqrt(mean(square(a), -1, kKeepDims) + options.eps) * scale;
}

Array group_norm(const Norm& layer, const Operand& x, int64_t groups, const NormOptions& options) {
  const std::source_location& where = x.where();
  const CallerScope scope(where, "nn::group_norm");
  const Array a = x.array();
  const int64_t features = layer.scale.size();
  want_features("nn::group_norm", a, features, where);
  if (groups < 1 || features % groups != 0) {
    fail(where, "nn::group_norm: " + std::to_string(groups) + " groups do not divide " +
                    std::to_string(features) + " features");
  }
  if (a.rank() < 2) {
    fail(where, "nn::group_norm: x is " + a.type_string() + ", but should have a batch before its features");
  }
  const int64_t batch = a.shape(0), places = batch * features == 0 ? 0 : a.size() / (batch * features);
  const Array parts = reshape(a, {batch, places, groups, features / groups});
  const Array centered = parts - mean(parts, {1, 3}, kKeepDims);
  const Array normal = centered * rsqrt(mean(square(centered), {1, 3}, kKeepDims) + options.eps);
  return reshape(normal, a.shape()) * layer.scale + layer.bias;
}

BatchStats batch_stats_init(int64_t features, DType dtype) {
  return {Array::zeros({features}, dtype), Array::ones({features}, dtype)};
}

namespace {

Array normalized(const Norm& layer, const Array& x, const Array& mean, const Array& var, double eps) {
  return (x - mean) * (rsqrt(var + eps) * layer.scale) + layer.bias;
}

}  // namespace

std::pair<Array, BatchStats> batch_norm_train(const Norm& layer, const BatchStats& stats, const Operand& x,
                                              const BatchNormOptions& options) {
  const CallerScope scope(x.where(), "nn::batch_norm_train");
  const Array a = x.array();
  want_features("nn::batch_norm_train", a, layer.scale.size(), x.where());
  want_state("nn::batch_norm_train", "stats.mean", stats.mean, layer.scale.size(), x.where());
  want_state("nn::batch_norm_train", "stats.var", stats.var, layer.scale.size(), x.where());
  std::vector<int64_t> axes;
  for (int64_t i = 0; i + 1 < a.rank(); ++i) axes.push_back(i);
  const Array mean = ingot::mean(a, axes), var = ingot::var(a, axes);
  const auto moved = [&](const Array& old, const Array& now) {
    return options.momentum * old + (1 - options.momentum) * now;
  };
  return {normalized(layer, a, mean, var, options.eps), {moved(stats.mean, mean), moved(stats.var, var)}};
}

Array batch_norm(const Norm& layer, const BatchStats& stats, const Operand& x,
                 const BatchNormOptions& options) {
  const CallerScope scope(x.where(), "nn::batch_norm");
  want_features("nn::batch_norm", x.array(), layer.scale.size(), x.where());
  want_state("nn::batch_norm", "stats.mean", stats.mean, layer.scale.size(), x.where());
  want_state("nn::batch_norm", "stats.var", stats.var, layer.scale.size(), x.where());
  return normalized(layer, x.array(), stats.mean, stats.var, options.eps);
}

Array dropout(const Operand& key, const Operand& x, double rate) {
  const std::source_location& where = x.where();
  const CallerScope scope(where, "nn::dropout");
  if (!(rate >= 0 && rate <= 1))
    fail(where, "nn::dropout: the rate is " + std::to_string(rate) + ", but should be from 0 to 1");
  const Array a = x.array();
  detail::check_inexact("nn::dropout", a, where);
  if (rate == 0) return a;
  if (rate == 1) return Array::zeros(a.shape(), a.dtype());
  const double keep = 1 - rate;
  return ingot::where(random::bernoulli(key, static_cast<float>(keep), a.shape()), a / keep, 0);
}

// --- attention

MultiHeadAttention multi_head_attention_init(const Operand& key, int64_t features, int64_t heads,
                                             const InitOptions& options) {
  const std::source_location& where = key.where();
  const CallerScope scope(where, "nn::multi_head_attention_init");
  if (heads < 1 || features % heads != 0) {
    fail(where, "nn::multi_head_attention_init: " + std::to_string(heads) + " heads do not divide " +
                    std::to_string(features) + " features");
  }
  const std::array<Array, 4> keys = random::split<4>(key);
  const auto one = [&](size_t i) { return dense_init(keys[i], features, features, options); };
  return {one(0), one(1), one(2), one(3), heads};
}

Array multi_head_attention(const MultiHeadAttention& layer, const Operand& x,
                           const AttentionOptions& options) {
  return multi_head_attention(layer, x, x, options);
}

Array multi_head_attention(const MultiHeadAttention& layer, const Operand& x, const Operand& y,
                           const AttentionOptions& options) {
  const std::source_location& where = x.where();
  const CallerScope scope(where, "nn::multi_head_attention");
  const int64_t features = layer.query.w.shape(1, where);
  for (const Operand* operand : {&x, &y}) {
    want_features("nn::multi_head_attention", operand->array(), layer.query.w.shape(0), where);
    if (operand->array().rank() < 2) {
      fail(where, "nn::multi_head_attention: x is " + operand->array().type_string() +
                      ", but should be [.., places, features]");
    }
  }
  // [.., places, features] to [.., heads, places, depth]
  const auto heads = [&](const Dense& part, const Operand& from) {
    const Array whole = dense(part, from);
    Shape shape = whole.shape();
    shape.back() = layer.heads;
    shape.push_back(features / layer.heads);
    return swapaxes(reshape(whole, shape), -2, -3);
  };
  const Array seen = attention(heads(layer.query, x), heads(layer.key, y), heads(layer.value, y), options);
  const Array joined = swapaxes(seen, -2, -3);
  Shape shape(joined.shape().begin(), joined.shape().end() - 2);
  shape.push_back(features);
  return dense(layer.out, reshape(joined, shape));
}

// --- recurrent cells

namespace {

// Weights from the input, and orthogonal ones from the state, `gates` of each beside each other.
std::pair<Array, Array> gate_weights(const Operand& key, int64_t in, int64_t features, size_t gates,
                                     DType dtype) {
  const Array keys = random::split(key, static_cast<int64_t>(2 * gates));
  std::vector<Array> wx, wh;
  for (size_t i = 0; i < gates; ++i) {
    const auto at = static_cast<int64_t>(2 * i);
    wx.push_back(lecun_normal(keys[at], {in, features}, dtype));
    wh.push_back(orthogonal()(keys[at + 1], {features, features}, dtype));
  }
  return {concatenate(wx, 1), concatenate(wh, 1)};
}

Array gate(const Array& all, int64_t i, int64_t features) {
  return slice_axis(all, -1, i * features, (i + 1) * features);
}

}  // namespace

Rnn rnn_init(const Operand& key, int64_t in, int64_t features, DType dtype) {
  const CallerScope scope(key.where(), "nn::rnn_init");
  const auto [wx, wh] = gate_weights(key, in, features, 1, dtype);
  return {wx, wh, Array::zeros({features}, dtype)};
}

Array rnn(const Rnn& cell, const Operand& h, const Operand& x) {
  const CallerScope scope(x.where(), "nn::rnn");
  want_features("nn::rnn", x.array(), cell.wx.shape(0), x.where());
  return tanh(dot(x, cell.wx) + dot(h, cell.wh) + cell.b);
}

Lstm lstm_init(const Operand& key, int64_t in, int64_t features, DType dtype) {
  const CallerScope scope(key.where(), "nn::lstm_init");
  const auto [wx, wh] = gate_weights(key, in, features, 4, dtype);
  return {wx, wh, Array::zeros({4 * features}, dtype)};
}

LstmState lstm(const Lstm& cell, const LstmState& state, const Operand& x) {
  const CallerScope scope(x.where(), "nn::lstm");
  want_features("nn::lstm", x.array(), cell.wx.shape(0), x.where());
  const int64_t features = cell.wh.shape(0);
  want_state("nn::lstm", "state.h", state.h, features, x.where());
  want_state("nn::lstm", "state.c", state.c, features, x.where());
  const Array all = dot(x, cell.wx) + dot(state.h, cell.wh) + cell.b;
  const Array c = logistic(gate(all, 1, features)) * state.c +
                  logistic(gate(all, 0, features)) * tanh(gate(all, 2, features));
  return {logistic(gate(all, 3, features)) * tanh(c), c};
}

Gru gru_init(const Operand& key, int64_t in, int64_t features, DType dtype) {
  const CallerScope scope(key.where(), "nn::gru_init");
  const auto [wx, wh] = gate_weights(key, in, features, 3, dtype);
  return {wx, wh, Array::zeros({3 * features}, dtype), Array::zeros({features}, dtype)};
}

Array gru(const Gru& cell, const Operand& h, const Operand& x) {
  const CallerScope scope(x.where(), "nn::gru");
  want_features("nn::gru", x.array(), cell.wx.shape(0), x.where());
  const int64_t features = cell.wh.shape(0);
  want_state("nn::gru", "h", h.array(), features, x.where());
  const Array of_x = dot(x, cell.wx) + cell.b, of_h = dot(h, cell.wh);
  const auto both = [&](int64_t i) { return logistic(gate(of_x, i, features) + gate(of_h, i, features)); };
  const Array reset = both(0), keep = both(1);
  const Array next = tanh(gate(of_x, 2, features) + reset * (gate(of_h, 2, features) + cell.bh));
  return (1 - keep) * next + keep * h;
}

}  // namespace ingot::nn
