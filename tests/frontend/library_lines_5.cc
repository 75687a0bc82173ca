// The lines of docs/from_jax.md and golden/library_cases.md, written by golden/jax_library.py.
#include <cmath>

#include "frontend/library_lines.h"

// clang-format off
namespace ingot::testing {

std::vector<Line> library_lines_5() {
  std::vector<Line> list;
  list.push_back({R"line(place(m, m > 0, Array({7.0f, 8.0f})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(place(m, m > 0, Array({7.0f, 8.0f}))); }});
  list.push_back({R"line(fill_diagonal(s, 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(fill_diagonal(s, 0)); }});
  list.push_back({R"line(extract(p, x, {.size = 3}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(extract(p, x, {.size = 3})); }});
  list.push_back({R"line(polysub(x, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(polysub(x, y)); }});
  list.push_back({R"line(polyadd(i, k(Slice{0, 2})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(polyadd(i, k(Slice{0, 2}))); }});
  list.push_back({R"line(polymul(x, y(Slice{0, 2})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(polymul(x, y(Slice{0, 2}))); }});
  list.push_back({R"line(cumulative_trapezoid(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(cumulative_trapezoid(x)); }});
  list.push_back({R"line(cumulative_trapezoid(m, 0.2, 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(cumulative_trapezoid(m, 0.2, 0)); }});
  list.push_back({R"line(ediff1d(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ediff1d(i)); }});
  list.push_back({R"line(soft_sign(w))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(soft_sign(w)); }});
  list.push_back({R"line(squareplus(x, 1.0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(squareplus(x, 1.0)); }});
  list.push_back({R"line(mish(30 * x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(mish(30 * x)); }});
  list.push_back({R"line(log1mexp(t + 0.1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(log1mexp(t + 0.1)); }});
  list.push_back({R"line(selu(w))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(selu(w)); }});
  list.push_back({R"line(swish(m))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(swish(m)); }});
  list.push_back({R"line(hard_silu(w(Slice{1, 3})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hard_silu(w(Slice{1, 3}))); }});
  list.push_back({R"line(hard_sigmoid(Array({-3.0f, 3.0f, 1.0f})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hard_sigmoid(Array({-3.0f, 3.0f, 1.0f}))); }});
  list.push_back({R"line(hard_swish(Array({-4.0f, 3.0f})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hard_swish(Array({-4.0f, 3.0f}))); }});
  list.push_back({R"line(factorial(y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(factorial(y)); }});
  list.push_back({R"line(multigammaln(y + 3, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(multigammaln(y + 3, 1)); }});
  list.push_back({R"line(i0(8 * x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(i0(8 * x)); }});
  list.push_back({R"line(i1(Array({0.0f, -9.0f})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(i1(Array({0.0f, -9.0f}))); }});
  list.push_back({R"line(i0e(8 * x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(i0e(8 * x)); }});
  list.push_back({R"line(i1e(m))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(i1e(m)); }});
  list.push_back({R"line(gammaln(-y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gammaln(-y)); }});
  list.push_back({R"line(expit(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(expit(i)); }});
  list.push_back({R"line(beta(y, 0.5))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(beta(y, 0.5)); }});
  list.push_back({R"line(betaln(y, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(betaln(y, y)); }});
  list.push_back({R"line(poch(y, t))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(poch(y, t)); }});
  list.push_back({R"line(full({2, 2}, true))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(full({2, 2}, true)); }});
  list.push_back({R"line(full(3, 2, DType::kF32))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(full(3, 2, DType::kF32)); }});
  list.push_back({R"line(array({{1, 2}, {3, 4}}, DType::kU8))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(array({{1, 2}, {3, 4}}, DType::kU8)); }});
  list.push_back({R"line(linspace(0, 1, 4, DType::kF32))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(linspace(0, 1, 4, DType::kF32)); }});
  list.push_back({R"line(hanning(1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hanning(1)); }});
  list.push_back({R"line(hamming(0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hamming(0)); }});
  list.push_back({R"line(kaiser(6, x[0]))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(kaiser(6, x[0])); }});
  list.push_back({R"line(blackman(2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(blackman(2)); }});
  list.push_back({R"line(bartlett(3))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(bartlett(3)); }});
  list.push_back({R"line(block({x, y}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(block({x, y})); }});
  list.push_back({R"line(block({{s, x(Slice{0, 3}, kNewAxis)}, {x(Slice{0, 3}), 1}}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(block({{s, x(Slice{0, 3}, kNewAxis)}, {x(Slice{0, 3}), 1}})); }});
  list.push_back({R"line(block({{{a}}, {{a}}}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(block({{{a}}, {{a}}})); }});
  list.push_back({R"line(pad(i, {1}, {2}, PadMode::kMean))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(i, {1}, {2}, PadMode::kMean)); }});
  list.push_back({R"line(pad(a, {1, 0, 2}, {0, 1, 2}, PadMode::kMaximum))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(a, {1, 0, 2}, {0, 1, 2}, PadMode::kMaximum)); }});
  list.push_back({R"line(pad(u, {1}, {1}, PadMode::kMedian))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(u, {1}, {1}, PadMode::kMedian)); }});
  list.push_back({R"line(a(a(Slice{}, Slice{}, 0) > 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a(a(Slice{}, Slice{}, 0) > 0)); }});
  list.push_back({R"line(m(Slice{}, x > 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m(Slice{}, x > 0)); }});
  list.push_back({R"line(m(i(Slice{0, 3}) > 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m(i(Slice{0, 3}) > 0)); }});
  list.push_back({R"line(x.at(p).mul(3))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.at(p).mul(3)); }});
  list.push_back({R"line(x.at(p).min(0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.at(p).min(0)); }});
  list.push_back({R"line(x.at(p).max(1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.at(p).max(1)); }});
  list.push_back({R"line(m.at(i(Slice{0, 3}) > 0).set(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.at(i(Slice{0, 3}) > 0).set(x)); }});
  list.push_back({R"line(x(Slice{1, {}, 2}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x(Slice{1, {}, 2})); }});
  list.push_back({R"line(piecewise(i, {i > 1}, {5}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(piecewise(i, {i > 1}, {5})); }});
  list.push_back({R"line(power(2.0, i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(power(2.0, i)); }});
  list.push_back({R"line(pow(-2, i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pow(-2, i)); }});
  list.push_back({R"line(pow(i, k))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pow(i, k)); }});
  list.push_back({R"line(pow(u, u))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pow(u, u)); }});
  list.push_back({R"line(absolute(c))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(absolute(c)); }});
  list.push_back({R"line(exp(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(exp(i)); }});
  list.push_back({R"line(log(i + 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(log(i + 1)); }});
  list.push_back({R"line(tanh(p))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(tanh(p)); }});
  list.push_back({R"line(floor(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(floor(i)); }});
  list.push_back({R"line(arctan2(i, 2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(arctan2(i, 2)); }});
  list.push_back({R"line(hypot(i, k))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hypot(i, k)); }});
  list.push_back({R"line(hypot(t, 0.0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hypot(t, 0.0)); }});
  list.push_back({R"line(hypot(0 * t, t))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hypot(0 * t, t)); }});
  list.push_back({R"line(softmax(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(softmax(i)); }});
  list.push_back({R"line(gelu(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gelu(i)); }});
  list.push_back({R"line(ldexp(w, 3))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ldexp(w, 3)); }});
  list.push_back({R"line(ldexp(Array({2e-38f, 1.0f}), Array({200, -120})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ldexp(Array({2e-38f, 1.0f}), Array({200, -120}))); }});
  list.push_back({R"line(frexp(w))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(frexp(w)); }});
  list.push_back({R"line(frexp(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(frexp(i)); }});
  list.push_back({R"line(mean(i, 0, kKeepDims))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(mean(i, 0, kKeepDims)); }});
  list.push_back({R"line(mean(p))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(mean(p)); }});
  list.push_back({R"line(var(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(var(i)); }});
  list.push_back({R"line(std_(u))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(std_(u)); }});
  list.push_back({R"line(var(stack({c, 2 * c}), 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(var(stack({c, 2 * c}), 0)); }});
  list.push_back({R"line(min(c, {}, kKeepDims))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(min(c, {}, kKeepDims)); }});
  list.push_back({R"line(maximum(c, flip(c)))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(maximum(c, flip(c))); }});
  list.push_back({R"line(quantile(i, 0.4))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(quantile(i, 0.4)); }});
  list.push_back({R"line(quantile(m, 0.4, 1, {}, QuantileMethod::kHigher))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(quantile(m, 0.4, 1, {}, QuantileMethod::kHigher)); }});
  list.push_back({R"line(quantile(m, 0.4, 1, {}, QuantileMethod::kNearest))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(quantile(m, 0.4, 1, {}, QuantileMethod::kNearest)); }});
  list.push_back({R"line(percentile(m, 40, 0, {}, QuantileMethod::kMidpoint))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(percentile(m, 40, 0, {}, QuantileMethod::kMidpoint)); }});
  list.push_back({R"line(quantile(x, 0.5, {}, {}, QuantileMethod::kNearest))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(quantile(x, 0.5, {}, {}, QuantileMethod::kNearest)); }});
  list.push_back({R"line(sort(m, {.axis = 0, .descending = true}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(sort(m, {.axis = 0, .descending = true})); }});
  list.push_back({R"line(argsort(x, {.descending = true}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(argsort(x, {.descending = true})); }});
  list.push_back({R"line(partition(m, 1, 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(partition(m, 1, 0)); }});
  list.push_back({R"line(partition(a, -2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(partition(a, -2)); }});
  list.push_back({R"line(argpartition(m, 2, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(argpartition(m, 2, 1)); }});
  list.push_back({R"line(unique(stack({k, i, k}), {.axis = 0}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(unique(stack({k, i, k}), {.axis = 0})); }});
  list.push_back({R"line(unique(stack({k, i, k}), {.size = 5, .fill_value = -1, .axis = 1}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(unique(stack({k, i, k}), {.size = 5, .fill_value = -1, .axis = 1})); }});
  list.push_back({R"line(intersect1d(i, k))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(intersect1d(i, k)); }});
  list.push_back({R"line(intersect1d(i, k, {.size = 4, .fill_value = -1}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(intersect1d(i, k, {.size = 4, .fill_value = -1})); }});
  list.push_back({R"line(union1d(x, t))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(union1d(x, t)); }});
  list.push_back({R"line(setdiff1d(i, k))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(setdiff1d(i, k)); }});
  list.push_back({R"line(setdiff1d(x, t, {.size = 5, .fill_value = 9}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(setdiff1d(x, t, {.size = 5, .fill_value = 9})); }});
  list.push_back({R"line(setxor1d(i, k))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(setxor1d(i, k)); }});
  list.push_back({R"line(histogram2d(x, y, {2, 3}, {.range = {{0, 2}, {0, 2}}, .weights = t}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(histogram2d(x, y, {2, 3}, {.range = {{0, 2}, {0, 2}}, .weights = t})); }});
  list.push_back({R"line(histogram2d(x, y, {2, 2}, {.density = true}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(histogram2d(x, y, {2, 2}, {.density = true})); }});
  list.push_back({R"line(norm(m, kInf))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(norm(m, kInf)); }});
  list.push_back({R"line(norm(m, 1, 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(norm(m, 1, 0)); }});
  list.push_back({R"line(norm(m, "nuc"))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(norm(m, "nuc")); }});
  list.push_back({R"line(norm(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(norm(i)); }});
  list.push_back({R"line(expm(stack({s, 3 * s})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(expm(stack({s, 3 * s}))); }});
  list.push_back({R"line(expm(0.01 * s))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(expm(0.01 * s)); }});
  list.push_back({R"line(toeplitz(c))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(toeplitz(c)); }});
  list.push_back({R"line(toeplitz(m))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(toeplitz(m)); }});
  list.push_back({R"line(toeplitz(x, t(Slice{0, 2})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(toeplitz(x, t(Slice{0, 2}))); }});
  list.push_back({R"line(block_diag({x, i[0].astype(DType::kF32), m}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(block_diag({x, i[0].astype(DType::kF32), m})); }});
  list.push_back({R"line(roots(Array({0.f, 0.f, 1.f, -3.f, 2.f})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(roots(Array({0.f, 0.f, 1.f, -3.f, 2.f}))); }});
  list.push_back({R"line(gammainc(0.5, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gammainc(0.5, y)); }});
  list.push_back({R"line(vectorize([](Array v, Array w) { return where(v > w, v, w); })(m, x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(vectorize([](Array v, Array w) { return where(v > w, v, w); })(m, x)); }});
  list.push_back({R"line(vectorize([](Array v, Array w) { return dot(v, w); }, "(m,n),(n)->(m)")(a, a(0, 0)))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(vectorize([](Array v, Array w) { return dot(v, w); }, "(m,n),(n)->(m)")(a, a(0, 0))); }});
  list.push_back({R"line(apply_along_axis([](Array v) { return sum(v); }, -1, a))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(apply_along_axis([](Array v) { return sum(v); }, -1, a)); }});
  list.push_back({R"line(apply_along_axis([](Array v) { return outer(v, v); }, 1, m(Slice{0, 2})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(apply_along_axis([](Array v) { return outer(v, v); }, 1, m(Slice{0, 2}))); }});
  list.push_back({R"line(m.diagonal() + m.trace())line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.diagonal() + m.trace()); }});
  list.push_back({R"line(m.ptp(1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.ptp(1)); }});
  list.push_back({R"line(x.argsort())line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.argsort()); }});
  list.push_back({R"line(m.cumprod(1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.cumprod(1)); }});
  list.push_back({R"line(c.real() + c.imag())line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(c.real() + c.imag()); }});
  list.push_back({R"line(m.repeat(2, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.repeat(2, 1)); }});
  list.push_back({R"line(bitwise_count(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(bitwise_count(i)); }});
  list.push_back({R"line(add(x, 1) * subtract(x, y) / divide(i, 2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(add(x, 1) * subtract(x, y) / divide(i, 2)); }});
  list.push_back({R"line(less_equal(x, y) & not_equal(i, k))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(less_equal(x, y) & not_equal(i, k)); }});
  list.push_back({R"line(empty({2, 2}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(empty({2, 2})); }});
  list.push_back({R"line(bitwise_invert(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(bitwise_invert(i)); }});
  list.push_back({R"line(invert(p))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(invert(p)); }});
  list.push_back({R"line(concat({m, m}, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(concat({m, m}, 1)); }});
  list.push_back({R"line(conjugate(c))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(conjugate(c)); }});
  list.push_back({R"line(equal(i, k))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(equal(i, k)); }});
  list.push_back({R"line(greater(x, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(greater(x, y)); }});
  list.push_back({R"line(greater_equal(i, 2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(greater_equal(i, 2)); }});
  list.push_back({R"line(less(x, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(less(x, y)); }});
  list.push_back({R"line(multiply(x, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(multiply(x, y)); }});
  list.push_back({R"line(negative(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(negative(x)); }});
  list.push_back({R"line(positive(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(positive(x)); }});
  list.push_back({R"line(permute_dims(a, {2, 0, 1}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(permute_dims(a, {2, 0, 1})); }});
  list.push_back({R"line(around(x, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(around(x, 1)); }});
  list.push_back({R"line(iscomplex(c))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(iscomplex(c)); }});
  list.push_back({R"line(isreal(c))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isreal(c)); }});
  list.push_back({R"line(cumulative_sum(m, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(cumulative_sum(m, 1)); }});
  list.push_back({R"line(cumulative_prod(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(cumulative_prod(x)); }});
  list.push_back({R"line(bitwise_left_shift(i, 2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(bitwise_left_shift(i, 2)); }});
  list.push_back({R"line(bitwise_right_shift(k, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(bitwise_right_shift(k, 1)); }});
  list.push_back({R"line(igamma(y, t))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(igamma(y, t)); }});
  list.push_back({R"line(igammac(y, t))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(igammac(y, t)); }});
  list.push_back({R"line(rev(a, {0, 2}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(rev(a, {0, 2})); }});
  list.push_back({R"line(collapse(a, 1, 3))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(collapse(a, 1, 3)); }});
  list.push_back({R"line(collapse(a, 0, -1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(collapse(a, 0, -1)); }});
  list.push_back({R"line(integer_pow(x, 3))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(integer_pow(x, 3)); }});
  list.push_back({R"line(convert_element_type(x, DType::kS32))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(convert_element_type(x, DType::kS32)); }});
  list.push_back({R"line(bitcast_convert_type(x, DType::kS32))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(bitcast_convert_type(x, DType::kS32)); }});
  list.push_back({R"line(broadcasted_iota(DType::kS32, {2, 3}, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(broadcasted_iota(DType::kS32, {2, 3}, 1)); }});
  list.push_back({R"line(broadcast_in_dim(x, {2, 4, 3}, {1}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(broadcast_in_dim(x, {2, 4, 3}, {1})); }});
  list.push_back({R"line(broadcast_in_dim(m(Slice{}, Slice{0, 1}), {3, 2, 4}, {0, 2}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(broadcast_in_dim(m(Slice{}, Slice{0, 1}), {3, 2, 4}, {0, 2})); }});
  list.push_back({R"line(select_n(p, {x, y}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(select_n(p, {x, y})); }});
  list.push_back({R"line(select_n(i % 3, {x, y, t}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(select_n(i % 3, {x, y, t})); }});
  list.push_back({R"line(slice_in_dim(m, 1, 4, 2, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(slice_in_dim(m, 1, 4, 2, 1)); }});
  list.push_back({R"line(index_in_dim(m, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(index_in_dim(m, 1)); }});
  list.push_back({R"line(index_in_dim(a, -1, 2, false))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(index_in_dim(a, -1, 2, false)); }});
  list.push_back({R"line(dynamic_slice_in_dim(m, i[3], 2, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(dynamic_slice_in_dim(m, i[3], 2, 1)); }});
  list.push_back({R"line(dynamic_index_in_dim(m, i[0]))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(dynamic_index_in_dim(m, i[0])); }});
  list.push_back({R"line(dynamic_index_in_dim(m, 1, 1, false))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(dynamic_index_in_dim(m, 1, 1, false)); }});
  list.push_back({R"line(dynamic_update_slice_in_dim(m, a(0, Slice{}, Slice{0, 2}), i[0], 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(dynamic_update_slice_in_dim(m, a(0, Slice{}, Slice{0, 2}), i[0], 1)); }});
  list.push_back({R"line(dynamic_update_index_in_dim(m, x, i[3], 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(dynamic_update_index_in_dim(m, x, i[3], 0)); }});
  list.push_back({R"line(dynamic_update_index_in_dim(m, m(Slice{}, Slice{0, 1}), 2, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(dynamic_update_index_in_dim(m, m(Slice{}, Slice{0, 1}), 2, 1)); }});
  list.push_back({R"line(solve_triangular(s, s[0]))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(solve_triangular(s, s[0])); }});
  list.push_back({R"line(solve_triangular(s, m, {.lower = true, .trans = TransposeA::kTranspose}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(solve_triangular(s, m, {.lower = true, .trans = TransposeA::kTranspose})); }});
  list.push_back({R"line(vector_norm(a))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(vector_norm(a)); }});
  list.push_back({R"line(vector_norm(a, 1, {0, 2}, true))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(vector_norm(a, 1, {0, 2}, true)); }});
  list.push_back({R"line(matrix_norm(a))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(matrix_norm(a)); }});
  list.push_back({R"line(matrix_norm(m, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(matrix_norm(m, 1)); }});
  list.push_back({R"line(matvec(m, x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(matvec(m, x)); }});
  list.push_back({R"line(vecmat(m(Slice{}, 0), m))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(vecmat(m(Slice{}, 0), m)); }});
  list.push_back({R"line(vecmat(c, c(Slice{}, kNewAxis) * x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(vecmat(c, c(Slice{}, kNewAxis) * x)); }});
  list.push_back({R"line(tensorsolve(s.reshape({3, 1, 3}), m(Slice{}, Slice{0, 1})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(tensorsolve(s.reshape({3, 1, 3}), m(Slice{}, Slice{0, 1}))); }});
  list.push_back({R"line(tensorinv(s.reshape({3, 1, 3}), 2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(tensorinv(s.reshape({3, 1, 3}), 2)); }});
  list.push_back({R"line(abs(p))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(abs(p)); }});
  list.push_back({R"line(zeta(y + 1.5, y + 0.5))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(zeta(y + 1.5, y + 0.5)); }});
  return list;
}

}  // namespace ingot::testing
// clang-format on
