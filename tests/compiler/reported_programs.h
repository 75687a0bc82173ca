// Programs whose reports are checked: blocks of networks and their gradients, solvers, loops, nested
// functions, memory that is taken over.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "../../examples/programs/inner.h"
#include "../../examples/programs/loops.h"
#include "../../examples/programs/tdma.h"
#include "frontend/testing.h"

namespace ingot::testing {

struct ReportedProgram {
  std::string name, text;  // IR as traced
};

template <class F, class... Args>
ReportedProgram reported(const std::string& name, const F& f, const Args&... args) {
  return {name, jit(f, {.name = name}).lower(args...).text()};
}

inline std::vector<ReportedProgram> reported_programs() {
  std::vector<ReportedProgram> list;
  const auto matrix = f32({16, 16});
  const programs::Griffin p{matrix, matrix,    f32({4, 1, 16}), matrix, f32({16}),
                            matrix, f32({16}), f32({16}),       matrix};
  const auto griffin = [](programs::Griffin q, Array x) { return programs::griffin(q, x, false); };
  const auto loss = [=](programs::Griffin q, Array x) { return sum(square(griffin(q, x))); };
  list.push_back(reported("griffin", griffin, p, f32({2, 24, 16})));
  list.push_back(reported("griffin_gradient", grad<0, 1>(loss), p, f32({2, 24, 16})));
  const auto rows = f32({40, 33});
  list.push_back(reported("tdma", programs::tdma, rows, rows, rows, rows));
  list.push_back(reported(
      "softmax", [](Array x) { return softmax(x); }, f32({61, 103})));
  const auto layer_norm = [](Array x, Array scale) {
    const Array centred = x - mean(x, 1, kKeepDims);
    return centred * rsqrt(mean(square(centred), 1, kKeepDims) + 1e-5) * scale;
  };
  list.push_back(reported("layer_norm", layer_norm, f32({30, 48}), f32({48})));
  const auto heads = f32({2, 40, 8});
  const auto attended = [](Array q, Array k, Array v) { return sum(square(attention(q, k, v))); };
  list.push_back(reported("attention_gradient", grad<0, 1, 2>(attended), heads, heads, heads));
  const auto lstm = [](Array x, Array w, Array u) {
    const Array zero = Array::zeros({x.shape(0), u.shape(0)}, x.dtype());
    const auto step = [&](std::pair<Array, Array> state, Array now) {
      const int64_t n = u.shape(0);
      const Array z = dot(now, w) + dot(state.first, u);
      const auto part = [&](int64_t k) { return slice_axis(z, 1, k * n, (k + 1) * n); };
      const Array c = logistic(part(0)) * state.second + logistic(part(1)) * tanh(part(2));
      const Array h = logistic(part(3)) * tanh(c);
      return std::pair(std::pair(h, c), h);
    };
    return scan(step, std::pair(zero, zero), x, {.axis = 1});
  };
  list.push_back(reported("lstm", lstm, f32({5, 7, 12}), f32({12, 64}), f32({16, 64})));
  const auto residual = [](Array x, Array a, Array b) {
    return maximum(x + conv2d(maximum(conv2d(x, a, {.padding = ConvPadding::kSame}), 0), b,
                              {.padding = ConvPadding::kSame}),
                   0);
  };
  list.push_back(reported("convolutions", residual, f32({2, 9, 9, 8}), f32({3, 3, 8, 8}), f32({3, 3, 8, 8})));
  list.push_back(reported(
      "nested", [](Array x, Array w) { return programs::blocks(x, w, 3); }, f32({9, 9}), f32({9, 9})));
  const auto solved = [](Array x, Array w) {
    const auto step = [&](std::pair<Array, Array> at) {
      const auto product = [&](Array y) { return tanh(dot(w, dot(w, y))); };
      return std::pair(cond(
                           sum(at.first) > 0, product, [](Array y) { return y; }, at.first),
                       at.second + 1);
    };
    const auto more = [](std::pair<Array, Array> at) {
      return (sum(square(at.first)) > 0.5f) & (at.second < 20);
    };
    return while_loop(more, step, std::pair(x, Array(0)), {.max_steps = 20}).first;
  };
  list.push_back(reported("solved", solved, f32({16}), f32({16, 16})));
  const auto in_lanes = [&](Array x, Array w) {
    const Array start = tanh(x) * 2, scale = exp(-square(w));
    const Array y = vmap(solved, {.in_axes = {0, std::nullopt}})(start, scale);
    return sum(square(y - start), 1) + mean(y, 1);
  };
  list.push_back(reported("solved_in_lanes", in_lanes, f32({5, 16}), f32({16, 16})));
  // Kernels of one value after the other, each of which dies where the next one is made; results that are
  // arguments, each other, and reshapes.
  list.push_back(
      {"in_place",
       R"(func @in_place(%x: f32[300,300], %y: f32[300,300]) -> (f32[300,300], f32[90000], f32[300,300], f32[300,300]) {
  %a = dot_general(%x, %y) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : f32[300,300]
  %t = tanh(%a) : f32[300,300]
  %p = dot_general(%t, %y) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : f32[300,300]
  %e = exp(%p) : f32[300,300]
  %q = dot_general(%e, %x) {lhs_batch = [], lhs_contract = [1], rhs_batch = [], rhs_contract = [0]} : f32[300,300]
  %r = reshape(%q) {shape = [90000]} : f32[90000]
  return %q, %r, %x, %q
}
)"});
  list.push_back(
      {"donated",
       R"(func @donated(%w: f32[64,64] donated, %m: f32[64,64] donated, %g: f32[64,64]) -> (f32[64,64], f32[64,64]) {
  %k = constant() {value = dense f32[]{0.9}} : f32[]
  %b = broadcast(%k) {dims = [], shape = [64,64]} : f32[64,64]
  %s = mul(%m, %b) : f32[64,64]
  %n = add(%s, %g) : f32[64,64]
  %v = sub(%w, %n) : f32[64,64]
  return %v, %n
}
)"});
  return list;
}

}  // namespace ingot::testing
