// Programs whose arguments lie otherwise than their kernels want them, or what they hand to each other.
#pragma once

#include <ingot/ingot.h>

namespace programs {

// Images with their features before their rows and columns, three convolutions.
inline ingot::Array convolved(ingot::Array images, ingot::Array weights) {
  ingot::ConvOptions options;
  options.lhs_layout = "NCHW", options.rhs_layout = "OIHW";
  options.padding = {{1, 1}};
  return ingot::maximum(ingot::conv_general(images, weights, options), 0);
}

inline ingot::Array convolutions(ingot::Array y, ingot::Array u, ingot::Array v, ingot::Array w) {
  return convolved(convolved(convolved(y, u), v), w);
}

// The same with the layer as a function that is called.
inline ingot::Array convolution_calls(ingot::Array y, ingot::Array u, ingot::Array v, ingot::Array w) {
  const auto layer = ingot::jit(convolved, {.name = "layer"});
  return layer(layer(layer(y, u), v), w);
}

// A recurrent network along axis 1 of [batch, time, features]; weights u of [from, to].
inline ingot::Array recurrent(ingot::Array xs, ingot::Array w, ingot::Array u, ingot::Array b) {
  const auto step = [=](ingot::Array h, ingot::Array p) {
    const ingot::Array next = ingot::tanh(p + ingot::dot(h, u));
    return std::pair(next, next);
  };
  const ingot::Array start = ingot::Array::zeros({xs.shape()[0], u.shape()[0]});
  return ingot::scan(step, start, ingot::dot(xs, w) + b, {.axis = 1}).second;
}

// A gated recurrent unit along axis 0 of [time, batch, features]; its weights are of [3 to, from], as they
// are commonly stored.
inline ingot::Array gated(ingot::Array xs, ingot::Array w, ingot::Array u) {
  const int64_t n = u.shape()[1];
  const auto gate = [=](ingot::Array all, int64_t i) {
    return ingot::slice_axis(all, 1, i * n, (i + 1) * n);
  };
  const auto step = [=](ingot::Array h, ingot::Array p) {
    const ingot::Array q = ingot::dot(h, u.T());
    const ingot::Array r = ingot::logistic(gate(p, 0) + gate(q, 0)),
                       z = ingot::logistic(gate(p, 1) + gate(q, 1));
    const ingot::Array next = (1 - z) * ingot::tanh(gate(p, 2) + r * gate(q, 2)) + z * h;
    return std::pair(next, next);
  };
  const ingot::Array start = ingot::Array::zeros({xs.shape()[1], n});
  return ingot::scan(step, start, ingot::dot(xs, w.T())).second;
}

// A recurrent network along axis 0 of [time, features, batch], whose state has the batch last; weights of
// [to, from].
inline ingot::Array columns(ingot::Array xs, ingot::Array u) {
  const auto step = [=](ingot::Array h, ingot::Array x) {
    const ingot::Array next = ingot::tanh(x + ingot::dot(u, h));
    return std::pair(next, next);
  };
  return ingot::scan(step, ingot::Array::zeros({xs.shape()[1], xs.shape()[2]}), xs).second;
}

// Long short-term memory along axis 0 of [time, batch, features]: all states, from zeros. Weights are of
// [4 to, from], gates in the order input, forget, candidate, output, as they are commonly stored.
inline ingot::Array lstm(ingot::Array xs, ingot::Array w, ingot::Array u, ingot::Array b) {
  struct State {
    ingot::Array h, c;
  };
  const int64_t n = u.shape()[1];
  const auto step = [=](State s, ingot::Array p) {
    const ingot::Array gates = p + ingot::dot(s.h, u.T());
    const auto gate = [&](int64_t i) { return ingot::slice_axis(gates, 1, i * n, (i + 1) * n); };
    const ingot::Array c = ingot::logistic(gate(1)) * s.c + ingot::logistic(gate(0)) * ingot::tanh(gate(2));
    const ingot::Array h = ingot::logistic(gate(3)) * ingot::tanh(c);
    return std::pair(State{h, c}, h);
  };
  const ingot::Array zero = ingot::Array::zeros({xs.shape()[1], n});
  return ingot::scan(step, State{zero, zero}, ingot::dot(xs, w.T()) + b).second;
}

}  // namespace programs
