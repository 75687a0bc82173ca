// What learning differentiates: losses, layers, a mixture of Gaussians, and a solver.
#pragma once

#include <ingot/ingot.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "reduce.h"
#include "tdma.h"

namespace programs {

// logits f32[n, classes], labels s32[n].
inline ingot::Array cross_entropy(ingot::Array logits, ingot::Array labels) {
  const ingot::Array picked =
      ingot::take_along_axis(ingot::log_softmax(logits, 1), ingot::reshape(labels, {labels.shape(0), 1}), 1);
  return -ingot::mean(picked);
}

struct Mlp {
  ingot::Array w1, b1, w2, b2;
};

inline ingot::Array mlp(const Mlp& p, const ingot::Array& x) {
  return ingot::dot(ingot::tanh(ingot::dot(x, p.w1) + p.b1), p.w2) + p.b2;
}

inline ingot::Array mlp_loss(const Mlp& p, const ingot::Array& x, const ingot::Array& y) {
  return ingot::mean(ingot::square(mlp(p, x) - y));
}

// All elements in one row.
inline ingot::Array joined(const std::vector<ingot::Array>& arrays) {
  std::vector<ingot::Array> rows;
  for (const ingot::Array& array : arrays) rows.push_back(ingot::reshape(array, {array.size()}));
  return ingot::concatenate(rows);
}

inline ingot::Array joined(const Mlp& p) {
  return joined(std::vector<ingot::Array>{p.w1, p.b1, p.w2, p.b2});
}

// The negated log likelihood, but for constants, of points x[n, d] under a mixture of k Gaussians: weights
// alphas[k], means[k, d], and the inverse Cholesky factors icf[k, d + d (d - 1) / 2], their diagonals as
// logarithms, then their lower triangles column by column. The objective of the autodiff benchmarks
// (ADBench), with its Wishart prior.
inline ingot::Array mixture(ingot::Array alphas, ingot::Array means, ingot::Array icf, ingot::Array x) {
  using namespace ingot;
  const int64_t n = x.shape(0), d = x.shape(1), k = alphas.shape(0), triangle = d * (d - 1) / 2;
  const Array logs = slice_axis(icf, 1, 0, d), below = slice_axis(icf, 1, d, d + triangle);
  std::vector<int64_t> places(static_cast<size_t>(d * d), triangle);  // the last one: zero
  for (int64_t column = 0, at = 0; column < d; ++column) {
    for (int64_t row = column + 1; row < d; ++row) places[static_cast<size_t>(row * d + column)] = at++;
  }
  const Array padded = concatenate({below, Array::zeros({k, 1}, icf.dtype())}, 1);
  const Array lower = reshape(take(padded, places, 1), {k, d, d});
  const Array centred = reshape(x, {n, 1, d}) - means;
  const Array scaled = exp(logs) * centred + einsum("kij,nkj->nki", {lower, centred});
  const Array sums = sum(logs, 1);
  const Array inner = alphas + sums - 0.5 * sum(square(scaled), 2);
  const Array prior = 0.5 * (sum(square(exp(logs))) + sum(square(below)));
  return sum(logsumexp(inner, 1)) - static_cast<double>(n) * logsumexp(alphas) + prior;
}

}  // namespace programs
