// Layers of neural networks: structs of parameters, a function that makes each of them from a key, and a
// function that applies it.
//
//   struct Net { ingot::nn::Dense hidden, out; };
//   Net init(const Array& key) {
//     const auto [a, b] = ingot::random::split<2>(key);
//     return {ingot::nn::dense_init(a, 784, 128), ingot::nn::dense_init(b, 128, 10)};
//   }
//   Array logits(const Net& net, Array x) {
//     return ingot::nn::dense(net.out, ingot::relu(ingot::nn::dense(net.hidden, x)));
//   }
//
// Features stand in the last axis, the batch and whatever else before it: [batch, .., features]. What changes
// while a network learns beside its parameters (running means, carries) is handed in and returned. Formulas
// and defaults are those of jax.nn, flax and optax.
#pragma once

#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "ingot/conv.h"
#include "ingot/functions.h"
#include "ingot/random.h"

namespace ingot::nn {

// --- initialisers: as jax.nn.initializers, equal for the same key ---

// A function of a key, a shape and a dtype.
class Initializer {
 public:
  Initializer(Array (*function)(const Operand& key, const Shape& shape, DType dtype));  // NOLINT
  template <class F>
  requires std::is_invocable_r_v<Array, const F&, const Operand&, const Shape&, DType> Initializer(
      F function)  // NOLINT
      : function_(std::move(function)) {}
  Initializer(const Initializer& other);
  Initializer& operator=(const Initializer& other);
  ~Initializer();
  Array operator()(const Operand& key, const Shape& shape, DType dtype = DType::kF32) const;

 private:
  std::function<Array(const Operand&, const Shape&, DType)> function_;
};

Array zeros(const Operand& key, const Shape& shape, DType dtype = DType::kF32);
Array ones(const Operand& key, const Shape& shape, DType dtype = DType::kF32);
Initializer constant(double value);
Initializer normal(double stddev = 1e-2);
Initializer uniform(double scale = 1e-2);  // from 0 to scale
Initializer truncated_normal(double stddev = 1e-2, double lower = -2, double upper = 2);
Initializer orthogonal(double scale = 1, int64_t column_axis = -1);

enum class Fan { kIn, kOut, kAverage, kGeometric };
enum class Distribution { kTruncatedNormal, kNormal, kUniform };
struct VarianceScaling {
  detail::ByName by_name = detail::ByName();
  double scale = 1;
  Fan mode = Fan::kIn;
  Distribution distribution = Distribution::kTruncatedNormal;
  int64_t in_axis = -2, out_axis = -1;
  std::vector<int64_t> batch_axes = {};
};
// With the variance scale / fan, where a fan counts the elements that meet in one of an output or an input:
// the extent of the axis times those of all axes that are neither in, out nor batch.
Initializer variance_scaling(const VarianceScaling& options);

// Glorot and Bengio 2010 (also: Xavier), He et al. 2015 (also: Kaiming), LeCun et al. 1998. Shapes are [..,
// in, out]; Error for one axis alone.
Array glorot_uniform(const Operand& key, const Shape& shape, DType dtype = DType::kF32);
Array glorot_normal(const Operand& key, const Shape& shape, DType dtype = DType::kF32);
Array xavier_uniform(const Operand& key, const Shape& shape, DType dtype = DType::kF32);
Array xavier_normal(const Operand& key, const Shape& shape, DType dtype = DType::kF32);
Array he_uniform(const Operand& key, const Shape& shape, DType dtype = DType::kF32);
Array he_normal(const Operand& key, const Shape& shape, DType dtype = DType::kF32);
Array kaiming_uniform(const Operand& key, const Shape& shape, DType dtype = DType::kF32);
Array kaiming_normal(const Operand& key, const Shape& shape, DType dtype = DType::kF32);
Array lecun_uniform(const Operand& key, const Shape& shape, DType dtype = DType::kF32);
Array lecun_normal(const Operand& key, const Shape& shape, DType dtype = DType::kF32);

struct InitOptions {
  detail::ByName by_name = detail::ByName();
  Initializer w = lecun_normal, b = zeros;
  DType dtype = DType::kF32;
};

// --- products ---

struct Dense {
  Array w, b;  // [in, out], [out]
};
Dense dense_init(const Operand& key, int64_t in, int64_t out, const InitOptions& options = {});
Array dense(const Dense& layer, const Operand& x);  // x w + b

struct Conv {
  Array w, b;  // [window.., in / groups, out], [out]
};
// A window of one to three extents.
Conv conv_init(const Operand& key, const std::vector<int64_t>& window, int64_t in, int64_t out,
               const InitOptions& options = {}, int64_t groups = 1);
// Of x [batch, spatial.., in], by default with zeros around, so that spatial extents stay.
Array conv(const Conv& layer, const Operand& x, const ConvOptions& options = {.padding = ConvPadding::kSame});

struct Embedding {
  Array table;  // [entries, features]
};
Embedding embedding_init(const Operand& key, int64_t entries, int64_t features, DType dtype = DType::kF32);
Array embed(const Embedding& layer, const Operand& ids);  // integers [..] to [.., features]

// --- norms ---

struct Norm {
  Array scale, bias;  // [features]
};
Norm norm_init(int64_t features, DType dtype = DType::kF32);
struct NormOptions {
  detail::ByName by_name = detail::ByName();
  double eps = 1e-6;
};
// (x - mean) / sqrt(variance + eps) * scale + bias over the last axis (Ba, Kiros and Hinton, 2016).
Array layer_norm(const Norm& layer, const Operand& x, const NormOptions& options = {});
// x / sqrt(mean of squares + eps) * scale over the last axis (Zhang and Sennrich, 2019).
Array rms_norm(const Operand& scale, const Operand& x, const NormOptions& options = {});
// As layer_norm over all axes but the first, of so many equal groups of features (Wu and He, 2018).
Array group_norm(const Norm& layer, const Operand& x, int64_t groups, const NormOptions& options = {});

struct BatchStats {
  Array mean, var;  // [features]: running means
};
BatchStats batch_stats_init(int64_t features, DType dtype = DType::kF32);
struct BatchNormOptions {
  detail::ByName by_name = detail::ByName();
  double eps = 1e-5;
  double momentum = 0.99;  // how much of the running means stays in a step
};
// With the mean and variance of all axes but the last; and the running ones after it (Ioffe and Szegedy,
// 2015).
std::pair<Array, BatchStats> batch_norm_train(const Norm& layer, const BatchStats& stats, const Operand& x,
                                              const BatchNormOptions& options = {});
// With the running ones.
Array batch_norm(const Norm& layer, const BatchStats& stats, const Operand& x,
                 const BatchNormOptions& options = {});

// Zeros in the place of a part `rate` of all elements, and the others divided by 1 - rate. While a network is
// used rather than trained, leave it out.
Array dropout(const Operand& key, const Operand& x, double rate);

// --- attention ---

struct MultiHeadAttention {
  Dense query, key, value, out;  // [features, features] each
  int64_t heads = 1;             // static
};
// Error unless the heads divide the features.
MultiHeadAttention multi_head_attention_init(const Operand& key, int64_t features, int64_t heads,
                                             const InitOptions& options = {});
// From each of x [.., queries, features] to all of y [.., keys, features]; y is x where it is not given.
// {.causal = true}: to its own and earlier places; a bias is added to the scores [.., heads, queries, keys].
Array multi_head_attention(const MultiHeadAttention& layer, const Operand& x,
                           const AttentionOptions& options = {});
Array multi_head_attention(const MultiHeadAttention& layer, const Operand& x, const Operand& y,
                           const AttentionOptions& options = {});

// --- recurrent cells: one step, to be given to scan ---

struct Rnn {
  Array wx, wh, b;  // [in, features], [features, features], [features]
};
Rnn rnn_init(const Operand& key, int64_t in, int64_t features, DType dtype = DType::kF32);
Array rnn(const Rnn& cell, const Operand& h, const Operand& x);  // tanh(x wx + h wh + b)

struct Lstm {
  Array wx, wh, b;  // [in, 4 features], [features, 4 features], [4 features]: input, forget, cell, output
};
struct LstmState {
  Array h, c;
};
Lstm lstm_init(const Operand& key, int64_t in, int64_t features, DType dtype = DType::kF32);
LstmState lstm(const Lstm& cell, const LstmState& state, const Operand& x);

struct Gru {
  Array wx, wh, b, bh;  // [in, 3 features], [features, 3 features]: reset, update, new; [3 features],
                        // [features]: the bias of the state in the new one
};
Gru gru_init(const Operand& key, int64_t in, int64_t features, DType dtype = DType::kF32);
Array gru(const Gru& cell, const Operand& h, const Operand& x);

// --- losses: one number for each element of a batch; take their mean ---

// Of logits [.., classes] and probabilities of the same shape: [..].
Array softmax_cross_entropy(const Operand& logits, const Operand& labels);
// Of logits [.., classes] and classes [..], integers.
Array softmax_cross_entropy_with_integer_labels(const Operand& logits, const Operand& labels);
Array sigmoid_binary_cross_entropy(const Operand& logits, const Operand& labels);  // element by element
Array squared_error(const Operand& x, const Operand& target);
Array l2_loss(const Operand& x, const Operand& target);   // half of the square
Array mse_loss(const Operand& x, const Operand& target);  // the mean of all squares: one number
// Half of the square up to delta, and a straight line beyond it (Huber, 1964).
Array huber_loss(const Operand& x, const Operand& target, double delta = 1);

}  // namespace ingot::nn
