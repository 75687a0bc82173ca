// Loops whose steps are stencils, recurrences, filters and searches.
#pragma once

#include <ingot/ingot.h>

#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace programs {

using ingot::Array;
using ingot::kKeepDims;

// The wave equation on a line with fixed ends: 100 steps from rest, by slices and a concatenation.
inline Array wave(Array start) {
  const int64_t n = start.shape(0);
  const auto step = [=](Array, std::pair<Array, Array> u) {
    const auto& [now, before] = u;
    const auto part = [&](int64_t from) { return ingot::slice(now, {from}, {n - 2 + from}); };
    const Array bend = part(2) - 2 * part(1) + part(0);
    const Array inner = 2 * part(1) - ingot::slice(before, {1}, {n - 1}) + 0.25f * bend;
    const Array end = Array::zeros({1}, now.dtype());
    return std::pair(ingot::concatenate({end, inner, end}), now);
  };
  return ingot::fori_loop(0, 100, step, std::pair(start, start)).first;
}

// Heat on a torus: 100 steps by rolls.
inline Array heat(Array start) {
  const auto step = [](Array, Array u) {
    const Array around =
        ingot::roll(u, 1, 0) + ingot::roll(u, -1, 0) + ingot::roll(u, 1, 1) + ingot::roll(u, -1, 1);
    return u + 0.1f * (around - 4 * u);
  };
  return ingot::fori_loop(0, 100, step, start);
}

// Scalars that each look at the next one, x[t] put in at each step: start and p have one element for each.
inline Array leaves(Array start, Array p, Array x) {
  const auto count = static_cast<size_t>(start.shape(0));
  std::vector<Array> state, factor;
  for (size_t i = 0; i < count; ++i) {
    state.push_back(start[static_cast<int64_t>(i)]);
    factor.push_back(p[static_cast<int64_t>(i)]);
  }
  const auto step = [=](std::vector<Array> v, Array put_in) {
    std::vector<Array> next;
    for (size_t i = 0; i < count; ++i)
      next.push_back(ingot::tanh(v[i] * factor[i] + 0.1f * v[(i + 1) % count] + put_in));
    return std::pair(next, std::tuple<>());
  };
  return ingot::stack(ingot::scan(step, state, x).first);
}

// 10 million steps of the logistic map, all of them kept.
inline Array logistic_map(Array start, Array r) {
  const auto step = [=](Array x, std::tuple<>) {
    const Array next = r * x * (1 - x);
    return std::pair(next, next);
  };
  return ingot::scan(step, start, std::tuple<>(), {.length = 10'000'000}).second;
}

// The likeliest path s32[steps, batch] through hidden states: scores of each state at each step
// f32[steps, batch, states], and of going from one to another f32[states, states].
inline Array viterbi(Array scores, Array moves) {
  const int64_t steps = scores.shape(0);
  const auto forward = [=](Array best, Array now) {
    const Array ways = ingot::expand_dims(best, 2) + moves;  // [batch, from, to]
    return std::pair(ingot::max(ways, 1) + now, ingot::argmax(ways, 1));
  };
  const auto [last, from] =
      ingot::scan(forward, ingot::index_axis(scores, 0, 0), ingot::slice_axis(scores, 0, 1, steps));
  const auto backward = [](Array state, Array came_from) {
    const Array before =
        ingot::squeeze(ingot::take_along_axis(came_from, ingot::expand_dims(state, 1), 1), {1});
    return std::pair(before, state);
  };
  const auto [first, path] = ingot::scan(backward, ingot::argmax(last, 1), from, {.reverse = true});
  return ingot::concatenate({ingot::expand_dims(first, 0), path});
}

// The log likelihood of series f64[series, steps, 2] under a linear Gaussian model of two states, both seen:
// x' = a x + noise of covariance q, seen with noise of covariance r.
struct Filter {
  Array a, q, r;  // f64[2,2] each
};

inline Array inverse_of_two(const Array& m) {
  const Array a = m(0, 0), b = m(0, 1), c = m(1, 0), d = m(1, 1);
  return ingot::reshape(ingot::stack({d, -b, -c, a}), {2, 2}) / (a * d - b * c);
}

inline Array kalman(Filter model, Array series) {
  const auto one = [=](Array seen) {
    const auto step = [=](std::pair<Array, Array> belief, Array z) {
      const auto& [mean, covariance] = belief;
      const Array x = ingot::dot(model.a, mean);
      const Array p = ingot::dot(ingot::dot(model.a, covariance), ingot::transpose(model.a)) + model.q;
      const Array s = p + model.r, inverse = inverse_of_two(s), error = z - x;
      const Array gain = ingot::dot(p, inverse);
      const Array likelihood = -0.5 * (ingot::log(s(0, 0) * s(1, 1) - s(0, 1) * s(1, 0)) +
                                       ingot::dot(error, ingot::dot(inverse, error)));
      return std::pair(std::pair(x + ingot::dot(gain, error), p - ingot::dot(gain, p)), likelihood);
    };
    const auto dtype = seen.dtype();
    return ingot::sum(
        ingot::scan(step, std::pair(Array::zeros({2}, dtype), ingot::eye(2, 2, 0, dtype)), seen).second);
  };
  return ingot::sum(ingot::vmap(one)(series));
}

// A block of a transformer: norm, causal attention of 8 heads, norm, two dense layers.
struct Transformer {
  Array norm1, norm2;        // [d]
  Array qkv, out, up, down;  // [d, 3 d], [d, d], [d, 4 d], [4 d, d]
};

inline Array scaled_norm(const Array& x, const Array& scale) {
  const Array centred = x - ingot::mean(x, -1, kKeepDims);
  return centred * ingot::rsqrt(ingot::mean(ingot::square(centred), -1, kKeepDims) + 1e-5f) * scale;
}

inline Array transformer(const Transformer& p, Array x) {
  const int64_t batch = x.shape(0), length = x.shape(1), d = x.shape(2), heads = 8;
  const Array qkv = ingot::dot(scaled_norm(x, p.norm1), p.qkv);
  const auto part = [&](int64_t k) {
    const Array of_heads =
        ingot::reshape(ingot::slice_axis(qkv, 2, k * d, (k + 1) * d), {batch, length, heads, d / heads});
    return ingot::transpose(of_heads, {0, 2, 1, 3});
  };
  const Array attended = ingot::attention(part(0), part(1), part(2), {.causal = true});
  const Array y =
      x + ingot::dot(ingot::reshape(ingot::transpose(attended, {0, 2, 1, 3}), {batch, length, d}), p.out);
  return y + ingot::dot(ingot::gelu(ingot::dot(scaled_norm(y, p.norm2), p.up)), p.down);
}

// Two convolutions with batch norm, added to what came in.
struct Residual {
  Array conv1, scale1, shift1, conv2, scale2, shift2;
};

inline Array batch_norm(const Array& x, const Array& scale, const Array& shift) {
  const Array mean = ingot::mean(x, {0, 1, 2});
  const Array centred = x - mean;
  return centred * ingot::rsqrt(ingot::mean(ingot::square(centred), {0, 1, 2}) + 1e-5f) * scale + shift;
}

inline Array residual(const Residual& p, Array x) {
  const ingot::ConvOptions same{.padding = {{1, 1}}};
  const Array y = ingot::relu(batch_norm(ingot::conv_general(x, p.conv1, same), p.scale1, p.shift1));
  return ingot::relu(x + batch_norm(ingot::conv_general(y, p.conv2, same), p.scale2, p.shift2));
}

// A Griffin block on x[batch, time, features]: dense layers, a causal convolution along time, gates, a linear
// recurrence along time.
struct Griffin {
  Array w_gate, w_in, conv, w_a, b_a, w_i, b_i, lambda, w_out;
};

inline Array gate(const Array& z, const Array& b) {
  return ingot::logistic(z + b);
}

inline Array griffin(const Griffin& p, const Array& x, bool associative) {
  const auto gated = ingot::jit(gate, {.name = "gate"});
  const Array branch = ingot::gelu(ingot::dot(x, p.w_gate));
  const Array y = ingot::depthwise_conv(ingot::dot(x, p.w_in), p.conv, {.padding = {{3, 0}}});
  const Array r = gated(ingot::dot(y, p.w_a), p.b_a), i = gated(ingot::dot(y, p.w_i), p.b_i);
  const Array a = ingot::exp(-8 * ingot::log1p(ingot::exp(p.lambda)) * r);
  const Array u = ingot::sqrt(1 - ingot::square(a) + 1e-4f) * (i * y);
  using Step = std::pair<Array, Array>;
  if (associative) {
    const auto join = [](Step before, Step after) {
      return Step(before.first * after.first, after.first * before.second + after.second);
    };
    return ingot::dot(ingot::associative_scan(join, Step(a, u), 1).second * branch, p.w_out);
  }
  const auto step = [](Array h, Step now) {
    const Array next = now.first * h + now.second;
    return std::pair(next, next);
  };
  const Array start = Array::zeros({x.shape(0), a.shape(2)}, x.dtype());
  return ingot::dot(ingot::scan(step, start, Step(a, u), {.axis = 1}).second * branch, p.w_out);
}

// 10,000 steps of a recurrence over a row, and one number of the last.
inline Array long_recurrence(Array start, Array w, std::optional<ingot::ScanCheckpoints> checkpoints) {
  const auto step = [=](Array h, std::tuple<>) {
    return std::pair(ingot::tanh(h * w + 0.1f), std::tuple<>());
  };
  const ingot::ScanOptions options{.length = 10'000, .checkpoints = checkpoints};
  return ingot::sum(ingot::scan(step, start, std::tuple<>(), options).first);
}

}  // namespace programs
