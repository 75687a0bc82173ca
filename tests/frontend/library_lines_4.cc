// The lines of docs/from_jax.md and golden/library_cases.md, written by golden/jax_library.py.
#include <cmath>

#include "frontend/library_lines.h"

// clang-format off
namespace ingot::testing {

std::vector<Line> library_lines_4() {
  std::vector<Line> list;
  list.push_back({R"(unique(k))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(unique(k)); }});
  list.push_back({R"(unique(w, {.size = 9}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(unique(w, {.size = 9})); }});
  list.push_back({R"(unique(stack({n, n})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(unique(stack({n, n}))); }});
  list.push_back({R"(unique(m > 0, {.size = 3, .fill_value = 1}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(unique(m > 0, {.size = 3, .fill_value = 1})); }});
  list.push_back({R"(unique(k, {.size = 6, .fill_value = -7}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(unique(k, {.size = 6, .fill_value = -7})); }});
  list.push_back({R"(unique_all(k))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(unique_all(k)); }});
  list.push_back({R"(unique_all(stack({k, i}), {.size = 6}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(unique_all(stack({k, i}), {.size = 6})); }});
  list.push_back({R"(diff(m, 2, 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(diff(m, 2, 0)); }});
  list.push_back({R"(diff(p))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(diff(p)); }});
  list.push_back({R"(diff(x, 1, -1, {.prepend = 0, .append = y}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(diff(x, 1, -1, {.prepend = 0, .append = y})); }});
  list.push_back({R"(diff(x, 9))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(diff(x, 9)); }});
  list.push_back({R"(ediff1d(m))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ediff1d(m)); }});
  list.push_back({R"(gradient(x, t))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gradient(x, t)); }});
  list.push_back({R"(gradient(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gradient(i)); }});
  list.push_back({R"(gradient(m, 1, 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gradient(m, 1, 0)); }});
  list.push_back({R"(gradient(x(Slice{0, 2})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gradient(x(Slice{0, 2}))); }});
  list.push_back({R"(trapezoid(m, t))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(trapezoid(m, t)); }});
  list.push_back({R"(trapezoid(m, 0.1, 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(trapezoid(m, 0.1, 0)); }});
  list.push_back({R"(interp(w, t, y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(interp(w, t, y)); }});
  list.push_back({R"(interp(x, t, y, {.left = -1, .right = -2}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(interp(x, t, y, {.left = -1, .right = -2})); }});
  list.push_back({R"(interp(5 * x, t, y, {.period = 3}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(interp(5 * x, t, y, {.period = 3})); }});
  list.push_back({R"(unwrap(m, 0, 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(unwrap(m, 0, 1)); }});
  list.push_back({R"(logsumexp(m, 1, y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(logsumexp(m, 1, y)); }});
  list.push_back({R"(logsumexp(x, {}, p, kKeepDims))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(logsumexp(x, {}, p, kKeepDims)); }});
  list.push_back({R"(inner(x, 3))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(inner(x, 3)); }});
  list.push_back({R"(inner(a, m.T().reshape({4, 3})(Slice{}, Slice{0, 1}) + Array::zeros({5})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(inner(a, m.T().reshape({4, 3})(Slice{}, Slice{0, 1}) + Array::zeros({5}))); }});
  list.push_back({R"(vecdot(m, x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(vecdot(m, x)); }});
  list.push_back({R"(vecdot(c, c))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(vecdot(c, c)); }});
  list.push_back({R"(cross(s, m(Slice{}, Slice{0, 3})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(cross(s, m(Slice{}, Slice{0, 3}))); }});
  list.push_back({R"(cross(s, m(Slice{}, Slice{0, 3}), 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(cross(s, m(Slice{}, Slice{0, 3}), 0)); }});
  list.push_back({R"(cross(x(Slice{0, 2}), y(Slice{0, 2})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(cross(x(Slice{0, 2}), y(Slice{0, 2}))); }});
  list.push_back({R"(kron(x, m))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(kron(x, m)); }});
  list.push_back({R"(kron(i, k))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(kron(i, k)); }});
  list.push_back({R"(convolve(x(Slice{0, 3}), w(Slice{1, 3}), ConvolveMode::kValid))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(convolve(x(Slice{0, 3}), w(Slice{1, 3}), ConvolveMode::kValid)); }});
  list.push_back({R"(convolve(x(Slice{0, 2}), y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(convolve(x(Slice{0, 2}), y)); }});
  list.push_back({R"(convolve(i, k))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(convolve(i, k)); }});
  list.push_back({R"(correlate(x(Slice{0, 2}), y, ConvolveMode::kFull))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(correlate(x(Slice{0, 2}), y, ConvolveMode::kFull)); }});
  list.push_back({R"(correlate(x, y(Slice{0, 3}), ConvolveMode::kSame))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(correlate(x, y(Slice{0, 3}), ConvolveMode::kSame)); }});
  list.push_back({R"(correlate(c, c, ConvolveMode::kFull))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(correlate(c, c, ConvolveMode::kFull)); }});
  list.push_back({R"(polyval(i, m))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(polyval(i, m)); }});
  list.push_back({R"(polyval(k, i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(polyval(k, i)); }});
  list.push_back({R"(polyval(Array::ones({40}), x / 4))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(polyval(Array::ones({40}), x / 4)); }});
  list.push_back({R"(polyfit(t, m.T(), 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(polyfit(t, m.T(), 1)); }});
  list.push_back({R"(polyfit(t, y, 1, {.weights = y}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(polyfit(t, y, 1, {.weights = y})); }});
  list.push_back({R"(polysub(x(Slice{0, 2}), y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(polysub(x(Slice{0, 2}), y)); }});
  list.push_back({R"(polyder(x, 2))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(polyder(x, 2)); }});
  list.push_back({R"(polyint(i, 2))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(polyint(i, 2)); }});
  list.push_back({R"(sort(real(roots(Array({2.0f, -3.0f, 1.0f})))))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(sort(real(roots(Array({2.0f, -3.0f, 1.0f}))))); }});
  list.push_back({R"(sigmoid(w))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(sigmoid(w)); }});
  list.push_back({R"(sigmoid(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(sigmoid(i)); }});
  list.push_back({R"(log_sigmoid(40 * x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(log_sigmoid(40 * x)); }});
  list.push_back({R"(leaky_relu(x, 0.3))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(leaky_relu(x, 0.3)); }});
  list.push_back({R"(elu(90 * x, 2.0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(elu(90 * x, 2.0)); }});
  list.push_back({R"(celu(x, 0.5))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(celu(x, 0.5)); }});
  list.push_back({R"(relu6(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(relu6(i)); }});
  list.push_back({R"(hard_swish(4 * x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hard_swish(4 * x)); }});
  list.push_back({R"(swish(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(swish(x)); }});
  list.push_back({R"(squareplus(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(squareplus(x)); }});
  list.push_back({R"(log1mexp(y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(log1mexp(y)); }});
  list.push_back({R"(glu(m, 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(glu(m, 1)); }});
  list.push_back({R"(standardize(a, {.axes = {0, 2}, .epsilon = 0.1}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(standardize(a, {.axes = {0, 2}, .epsilon = 0.1})); }});
  list.push_back({R"(hard_tanh(w))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hard_tanh(w)); }});
  list.push_back({R"(gamma(Array({-0.5f, -1.5f, 4.0f, 0.0f, -1.0f})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gamma(Array({-0.5f, -1.5f, 4.0f, 0.0f, -1.0f}))); }});
  list.push_back({R"(beta(y, t + 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(beta(y, t + 1)); }});
  list.push_back({R"(betaln(y, 2))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(betaln(y, 2)); }});
  list.push_back({R"(factorial(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(factorial(i)); }});
  list.push_back({R"(poch(y, 2))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(poch(y, 2)); }});
  list.push_back({R"(multigammaln(y + 2, 3))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(multigammaln(y + 2, 3)); }});
  list.push_back({R"(gammainc(Array({0.5f, 2.0f, 30.0f, 2.0f, -1.0f}), Array({0.0f, 9.0f, 25.0f, INFINITY, 1.0f})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gammainc(Array({0.5f, 2.0f, 30.0f, 2.0f, -1.0f}), Array({0.0f, 9.0f, 25.0f, INFINITY, 1.0f}))); }});
  list.push_back({R"(gammaincc(3.0, 2 * t + 0.1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gammaincc(3.0, 2 * t + 0.1)); }});
  list.push_back({R"(gammainc(t + 0.5, 2.0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gammainc(t + 0.5, 2.0)); }});
  list.push_back({R"(betainc(2.0, Array({0.5f, 3.0f, 8.0f}), Array({0.0f, 1.0f, 0.7f})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(betainc(2.0, Array({0.5f, 3.0f, 8.0f}), Array({0.0f, 1.0f, 0.7f}))); }});
  list.push_back({R"(i0e(w(Slice{1, 3})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(i0e(w(Slice{1, 3}))); }});
  list.push_back({R"(i1e(4 * x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(i1e(4 * x)); }});
  list.push_back({R"(expi(Array({-30.0f, -0.1f, 3.0f, 20.0f, 40.0f, 80.0f})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(expi(Array({-30.0f, -0.1f, 3.0f, 20.0f, 40.0f, 80.0f}))); }});
  list.push_back({R"(exp1(20 * y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(exp1(20 * y)); }});
  list.push_back({R"(ndtr(w))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ndtr(w)); }});
  list.push_back({R"(ndtri(Array({0.0f, 1e-20f, 1e-3f, 0.5f, 0.999f, 1.0f})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ndtri(Array({0.0f, 1e-20f, 1e-3f, 0.5f, 0.999f, 1.0f}))); }});
  list.push_back({R"(log_ndtr(20 * x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(log_ndtr(20 * x)); }});
  list.push_back({R"(expit(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(expit(x)); }});
  list.push_back({R"(entr(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(entr(x)); }});
  list.push_back({R"(rel_entr(t, x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(rel_entr(t, x)); }});
  list.push_back({R"(kl_div(t, y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(kl_div(t, y)); }});
  list.push_back({R"(triu_indices(2))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(triu_indices(2)); }});
  list.push_back({R"(tril_indices(3, 0, 2))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(tril_indices(3, 0, 2)); }});
  list.push_back({R"(empty_like(m, DType::kS32))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(empty_like(m, DType::kS32)); }});
  list.push_back({R"(zeros_like(e))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(zeros_like(e)); }});
  list.push_back({R"(ones_like(p))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ones_like(p)); }});
  list.push_back({R"(indices({3}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(indices({3})); }});
  list.push_back({R"(identity(2, DType::kS32))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(identity(2, DType::kS32)); }});
  list.push_back({R"(atleast_1d(m))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(atleast_1d(m)); }});
  list.push_back({R"(atleast_2d(x[0]))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(atleast_2d(x[0])); }});
  list.push_back({R"(broadcast_arrays({m(Slice{}, Slice{0, 1}), x}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(broadcast_arrays({m(Slice{}, Slice{0, 1}), x})); }});
  list.push_back({R"(ravel(a))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ravel(a)); }});
  list.push_back({R"(ravel(e))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ravel(e)); }});
  list.push_back({R"(flipud(a))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(flipud(a)); }});
  list.push_back({R"(fliplr(a))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(fliplr(a)); }});
  list.push_back({R"(delete_(m, {0, -1}, 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(delete_(m, {0, -1}, 1)); }});
  list.push_back({R"(dsplit(a(kEllipsis, Slice{0, 4}), 2))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(dsplit(a(kEllipsis, Slice{0, 4}), 2)); }});
  list.push_back({R"(vsplit(a, 2))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(vsplit(a, 2)); }});
  list.push_back({R"(right_shift(Array(static_cast<uint8_t>(200)), u))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(right_shift(Array(static_cast<uint8_t>(200)), u)); }});
  list.push_back({R"(left_shift(1, i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(left_shift(1, i)); }});
  list.push_back({R"(isposinf(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isposinf(i)); }});
  list.push_back({R"(isneginf(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isneginf(x)); }});
  list.push_back({R"(bitwise_or(p, q))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(bitwise_or(p, q)); }});
  list.push_back({R"(bitwise_and(u, 2))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(bitwise_and(u, 2)); }});
  list.push_back({R"(bitwise_xor(i, k))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(bitwise_xor(i, k)); }});
  list.push_back({R"(bitwise_not(q))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(bitwise_not(q)); }});
  list.push_back({R"(deg2rad(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(deg2rad(i)); }});
  list.push_back({R"(rad2deg(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(rad2deg(i)); }});
  list.push_back({R"(degrees(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(degrees(x)); }});
  list.push_back({R"(radians(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(radians(i)); }});
  list.push_back({R"(logical_and(w, 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(logical_and(w, 1)); }});
  list.push_back({R"(logical_or(i, q))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(logical_or(i, q)); }});
  list.push_back({R"(logical_xor(p, q))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(logical_xor(p, q)); }});
  list.push_back({R"(modf(m))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(modf(m)); }});
  list.push_back({R"(array_equiv(x, x[0]))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(array_equiv(x, x[0])); }});
  list.push_back({R"(remainder(i - 2, 3))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(remainder(i - 2, 3)); }});
  list.push_back({R"(true_divide(x, y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(true_divide(x, y)); }});
  list.push_back({R"(erfinv(Array({-1.0f, 1.0f, 0.5f, 2.0f})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(erfinv(Array({-1.0f, 1.0f, 0.5f, 2.0f}))); }});
  list.push_back({R"(rint(w))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(rint(w)); }});
  list.push_back({R"(fix(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(fix(x)); }});
  list.push_back({R"(lcm(i, 4))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(lcm(i, 4)); }});
  list.push_back({R"(logaddexp2(w, w))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(logaddexp2(w, w)); }});
  list.push_back({R"(fmin(x, y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(fmin(x, y)); }});
  list.push_back({R"(fmax(i, k))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(fmax(i, k)); }});
  list.push_back({R"(average(m, m * m))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(average(m, m * m)); }});
  list.push_back({R"(nanprod(stack({n, x}), 1, kKeepDims))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanprod(stack({n, x}), 1, kKeepDims)); }});
  list.push_back({R"(nancumsum(stack({n, x}), 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nancumsum(stack({n, x}), 1)); }});
  list.push_back({R"(nancumprod(stack({n, x}), -1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nancumprod(stack({n, x}), -1)); }});
  list.push_back({R"(histogram_bin_edges(x, 4, {.range = {{-1, 3}}}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(histogram_bin_edges(x, 4, {.range = {{-1, 3}}})); }});
  list.push_back({R"(nanquantile(stack({n, x, y}), 0.6, 0, kKeepDims))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanquantile(stack({n, x, y}), 0.6, 0, kKeepDims)); }});
  list.push_back({R"(nanpercentile(m, {10, 90}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanpercentile(m, {10, 90})); }});
  list.push_back({R"(nanargmax(stack({n, x}), 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanargmax(stack({n, x}), 1)); }});
  list.push_back({R"(nanvar(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanvar(i)); }});
  list.push_back({R"(place(m, m > 0, Array({7.0f, 8.0f})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(place(m, m > 0, Array({7.0f, 8.0f}))); }});
  list.push_back({R"(fill_diagonal(s, 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(fill_diagonal(s, 0)); }});
  list.push_back({R"(extract(p, x, {.size = 3}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(extract(p, x, {.size = 3})); }});
  list.push_back({R"(polysub(x, y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(polysub(x, y)); }});
  list.push_back({R"(polyadd(i, k(Slice{0, 2})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(polyadd(i, k(Slice{0, 2}))); }});
  list.push_back({R"(polymul(x, y(Slice{0, 2})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(polymul(x, y(Slice{0, 2}))); }});
  list.push_back({R"(cumulative_trapezoid(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(cumulative_trapezoid(x)); }});
  list.push_back({R"(cumulative_trapezoid(m, 0.2, 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(cumulative_trapezoid(m, 0.2, 0)); }});
  list.push_back({R"(ediff1d(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ediff1d(i)); }});
  list.push_back({R"(soft_sign(w))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(soft_sign(w)); }});
  list.push_back({R"(squareplus(x, 1.0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(squareplus(x, 1.0)); }});
  list.push_back({R"(mish(30 * x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(mish(30 * x)); }});
  list.push_back({R"(log1mexp(t + 0.1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(log1mexp(t + 0.1)); }});
  list.push_back({R"(selu(w))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(selu(w)); }});
  list.push_back({R"(swish(m))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(swish(m)); }});
  list.push_back({R"(hard_silu(w(Slice{1, 3})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hard_silu(w(Slice{1, 3}))); }});
  list.push_back({R"(hard_sigmoid(Array({-3.0f, 3.0f, 1.0f})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hard_sigmoid(Array({-3.0f, 3.0f, 1.0f}))); }});
  list.push_back({R"(hard_swish(Array({-4.0f, 3.0f})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hard_swish(Array({-4.0f, 3.0f}))); }});
  list.push_back({R"(factorial(y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(factorial(y)); }});
  list.push_back({R"(multigammaln(y + 3, 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(multigammaln(y + 3, 1)); }});
  list.push_back({R"(i0(8 * x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(i0(8 * x)); }});
  list.push_back({R"(i1(Array({0.0f, -9.0f})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(i1(Array({0.0f, -9.0f}))); }});
  list.push_back({R"(i0e(8 * x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(i0e(8 * x)); }});
  list.push_back({R"(i1e(m))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(i1e(m)); }});
  list.push_back({R"(gammaln(-y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gammaln(-y)); }});
  list.push_back({R"(expit(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(expit(i)); }});
  list.push_back({R"(beta(y, 0.5))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(beta(y, 0.5)); }});
  list.push_back({R"(betaln(y, y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(betaln(y, y)); }});
  list.push_back({R"(poch(y, t))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(poch(y, t)); }});
  return list;
}

}  // namespace ingot::testing
// clang-format on
