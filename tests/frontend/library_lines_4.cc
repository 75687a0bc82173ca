// The lines of docs/from_jax.md and golden/library_cases.md, written by golden/jax_library.py.
#include <cmath>

#include "frontend/library_lines.h"

// clang-format off
namespace ingot::testing {

std::vector<Line> library_lines_4() {
  std::vector<Line> list;
  list.push_back({R"line(count_nonzero(m > 0, 0, kKeepDims))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(count_nonzero(m > 0, 0, kKeepDims)); }});
  list.push_back({R"line(m.argmin())line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.argmin()); }});
  list.push_back({R"line(argmax(w))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(argmax(w)); }});
  list.push_back({R"line(cov(m, {.rowvar = false, .bias = true}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(cov(m, {.rowvar = false, .bias = true})); }});
  list.push_back({R"line(cov(x, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(cov(x, y)); }});
  list.push_back({R"line(cov(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(cov(x)); }});
  list.push_back({R"line(cov(i, {.ddof = 0}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(cov(i, {.ddof = 0})); }});
  list.push_back({R"line(corrcoef(x, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(corrcoef(x, y)); }});
  list.push_back({R"line(corrcoef(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(corrcoef(x)); }});
  list.push_back({R"line(corrcoef(m, false))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(corrcoef(m, false)); }});
  list.push_back({R"line(quantile(m, {0.1, 0.5, 1.0}, 0, kKeepDims))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(quantile(m, {0.1, 0.5, 1.0}, 0, kKeepDims)); }});
  list.push_back({R"line(percentile(i, 30))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(percentile(i, 30)); }});
  list.push_back({R"line(nansum(w(Slice{1, 6})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nansum(w(Slice{1, 6}))); }});
  list.push_back({R"line(nansum(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nansum(i)); }});
  list.push_back({R"line(nanprod(n))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanprod(n)); }});
  list.push_back({R"line(nanmean(stack({n, x}), 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanmean(stack({n, x}), 0)); }});
  list.push_back({R"line(nanmean(stack({n, n}), 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanmean(stack({n, n}), 0)); }});
  list.push_back({R"line(nanmax(stack({n, n}), 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanmax(stack({n, n}), 0)); }});
  list.push_back({R"line(nanmin(w))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanmin(w)); }});
  list.push_back({R"line(nanmin(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanmin(i)); }});
  list.push_back({R"line(nanvar(stack({n, x, y}), 0, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanvar(stack({n, x, y}), 0, 1)); }});
  list.push_back({R"line(nanstd(stack({n, n}), 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanstd(stack({n, n}), 0)); }});
  list.push_back({R"line(nanargmax(w))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanargmax(w)); }});
  list.push_back({R"line(nanargmin(stack({n, n}), 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanargmin(stack({n, n}), 0)); }});
  list.push_back({R"line(nancumsum(n))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nancumsum(n)); }});
  list.push_back({R"line(nancumprod(n))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nancumprod(n)); }});
  list.push_back({R"line(nanmedian(stack({n, x, y}), 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanmedian(stack({n, x, y}), 0)); }});
  list.push_back({R"line(nanmedian(stack({n, n}), 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanmedian(stack({n, n}), 0)); }});
  list.push_back({R"line(nanquantile(n, {0.0, 0.3}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanquantile(n, {0.0, 0.3})); }});
  list.push_back({R"line(nanpercentile(n, 75))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanpercentile(n, 75)); }});
  list.push_back({R"line(histogram(w(Slice{1, 6}), t))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(histogram(w(Slice{1, 6}), t)); }});
  list.push_back({R"line(histogram(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(histogram(i)); }});
  list.push_back({R"line(histogram(x, 3, {.weights = y, .density = true}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(histogram(x, 3, {.weights = y, .density = true})); }});
  list.push_back({R"line(histogram_bin_edges(Array::ones({3}), 2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(histogram_bin_edges(Array::ones({3}), 2)); }});
  list.push_back({R"line(bincount(k))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(bincount(k)); }});
  list.push_back({R"line(bincount(k - 1, {.weights = x, .length = 3}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(bincount(k - 1, {.weights = x, .length = 3})); }});
  list.push_back({R"line(bincount(u, {.length = 9}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(bincount(u, {.length = 9})); }});
  list.push_back({R"line(searchsorted(t, Array({{0.0f, 2.5f}, {9.0f, std::nanf("")}}), Side::kRight))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(searchsorted(t, Array({{0.0f, 2.5f}, {9.0f, std::nanf("")}}), Side::kRight)); }});
  list.push_back({R"line(searchsorted(sort(w), w))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(searchsorted(sort(w), w)); }});
  list.push_back({R"line(searchsorted(arange(100), k * 30))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(searchsorted(arange(100), k * 30)); }});
  list.push_back({R"line(searchsorted(arange(101).astype(DType::kF32), x * 30, Side::kRight))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(searchsorted(arange(101).astype(DType::kF32), x * 30, Side::kRight)); }});
  list.push_back({R"line(searchsorted(e, x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(searchsorted(e, x)); }});
  list.push_back({R"line(digitize(x, t(Slice{.step = -1})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(digitize(x, t(Slice{.step = -1}))); }});
  list.push_back({R"line(digitize(t, t, true))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(digitize(t, t, true)); }});
  list.push_back({R"line(unique(k))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(unique(k)); }});
  list.push_back({R"line(unique(w, {.size = 9}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(unique(w, {.size = 9})); }});
  list.push_back({R"line(unique(stack({n, n})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(unique(stack({n, n}))); }});
  list.push_back({R"line(unique(m > 0, {.size = 3, .fill_value = 1}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(unique(m > 0, {.size = 3, .fill_value = 1})); }});
  list.push_back({R"line(unique(k, {.size = 6, .fill_value = -7}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(unique(k, {.size = 6, .fill_value = -7})); }});
  list.push_back({R"line(unique_all(k))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(unique_all(k)); }});
  list.push_back({R"line(unique_all(stack({k, i}), {.size = 6}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(unique_all(stack({k, i}), {.size = 6})); }});
  list.push_back({R"line(diff(m, 2, 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(diff(m, 2, 0)); }});
  list.push_back({R"line(diff(p))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(diff(p)); }});
  list.push_back({R"line(diff(x, 1, -1, {.prepend = 0, .append = y}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(diff(x, 1, -1, {.prepend = 0, .append = y})); }});
  list.push_back({R"line(diff(x, 9))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(diff(x, 9)); }});
  list.push_back({R"line(ediff1d(m))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ediff1d(m)); }});
  list.push_back({R"line(gradient(x, t))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gradient(x, t)); }});
  list.push_back({R"line(gradient(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gradient(i)); }});
  list.push_back({R"line(gradient(m, 1, 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gradient(m, 1, 0)); }});
  list.push_back({R"line(gradient(x(Slice{0, 2})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gradient(x(Slice{0, 2}))); }});
  list.push_back({R"line(trapezoid(m, t))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(trapezoid(m, t)); }});
  list.push_back({R"line(trapezoid(m, 0.1, 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(trapezoid(m, 0.1, 0)); }});
  list.push_back({R"line(interp(w, t, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(interp(w, t, y)); }});
  list.push_back({R"line(interp(x, t, y, {.left = -1, .right = -2}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(interp(x, t, y, {.left = -1, .right = -2})); }});
  list.push_back({R"line(interp(5 * x, t, y, {.period = 3}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(interp(5 * x, t, y, {.period = 3})); }});
  list.push_back({R"line(unwrap(m, 0, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(unwrap(m, 0, 1)); }});
  list.push_back({R"line(logsumexp(m, 1, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(logsumexp(m, 1, y)); }});
  list.push_back({R"line(logsumexp(x, {}, p, kKeepDims))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(logsumexp(x, {}, p, kKeepDims)); }});
  list.push_back({R"line(inner(x, 3))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(inner(x, 3)); }});
  list.push_back({R"line(inner(a, m.T().reshape({4, 3})(Slice{}, Slice{0, 1}) + Array::zeros({5})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(inner(a, m.T().reshape({4, 3})(Slice{}, Slice{0, 1}) + Array::zeros({5}))); }});
  list.push_back({R"line(vecdot(m, x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(vecdot(m, x)); }});
  list.push_back({R"line(vecdot(c, c))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(vecdot(c, c)); }});
  list.push_back({R"line(cross(s, m(Slice{}, Slice{0, 3})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(cross(s, m(Slice{}, Slice{0, 3}))); }});
  list.push_back({R"line(cross(s, m(Slice{}, Slice{0, 3}), 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(cross(s, m(Slice{}, Slice{0, 3}), 0)); }});
  list.push_back({R"line(cross(x(Slice{0, 2}), y(Slice{0, 2})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(cross(x(Slice{0, 2}), y(Slice{0, 2}))); }});
  list.push_back({R"line(kron(x, m))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(kron(x, m)); }});
  list.push_back({R"line(kron(i, k))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(kron(i, k)); }});
  list.push_back({R"line(convolve(x(Slice{0, 3}), w(Slice{1, 3}), ConvolveMode::kValid))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(convolve(x(Slice{0, 3}), w(Slice{1, 3}), ConvolveMode::kValid)); }});
  list.push_back({R"line(convolve(x(Slice{0, 2}), y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(convolve(x(Slice{0, 2}), y)); }});
  list.push_back({R"line(convolve(i, k))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(convolve(i, k)); }});
  list.push_back({R"line(correlate(x(Slice{0, 2}), y, ConvolveMode::kFull))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(correlate(x(Slice{0, 2}), y, ConvolveMode::kFull)); }});
  list.push_back({R"line(correlate(x, y(Slice{0, 3}), ConvolveMode::kSame))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(correlate(x, y(Slice{0, 3}), ConvolveMode::kSame)); }});
  list.push_back({R"line(correlate(c, c, ConvolveMode::kFull))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(correlate(c, c, ConvolveMode::kFull)); }});
  list.push_back({R"line(polyval(i, m))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(polyval(i, m)); }});
  list.push_back({R"line(polyval(k, i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(polyval(k, i)); }});
  list.push_back({R"line(polyval(Array::ones({40}), x / 4))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(polyval(Array::ones({40}), x / 4)); }});
  list.push_back({R"line(polyfit(t, m.T(), 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(polyfit(t, m.T(), 1)); }});
  list.push_back({R"line(polyfit(t, y, 1, {.weights = y}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(polyfit(t, y, 1, {.weights = y})); }});
  list.push_back({R"line(polysub(x(Slice{0, 2}), y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(polysub(x(Slice{0, 2}), y)); }});
  list.push_back({R"line(polyder(x, 2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(polyder(x, 2)); }});
  list.push_back({R"line(polyint(i, 2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(polyint(i, 2)); }});
  list.push_back({R"line(sort(real(roots(Array({2.0f, -3.0f, 1.0f})))))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(sort(real(roots(Array({2.0f, -3.0f, 1.0f}))))); }});
  list.push_back({R"line(sigmoid(w))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(sigmoid(w)); }});
  list.push_back({R"line(sigmoid(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(sigmoid(i)); }});
  list.push_back({R"line(log_sigmoid(40 * x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(log_sigmoid(40 * x)); }});
  list.push_back({R"line(leaky_relu(x, 0.3))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(leaky_relu(x, 0.3)); }});
  list.push_back({R"line(elu(90 * x, 2.0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(elu(90 * x, 2.0)); }});
  list.push_back({R"line(celu(x, 0.5))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(celu(x, 0.5)); }});
  list.push_back({R"line(relu6(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(relu6(i)); }});
  list.push_back({R"line(hard_swish(4 * x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hard_swish(4 * x)); }});
  list.push_back({R"line(swish(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(swish(x)); }});
  list.push_back({R"line(squareplus(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(squareplus(x)); }});
  list.push_back({R"line(log1mexp(y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(log1mexp(y)); }});
  list.push_back({R"line(glu(m, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(glu(m, 1)); }});
  list.push_back({R"line(standardize(a, {.axes = {0, 2}, .epsilon = 0.1}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(standardize(a, {.axes = {0, 2}, .epsilon = 0.1})); }});
  list.push_back({R"line(hard_tanh(w))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hard_tanh(w)); }});
  list.push_back({R"line(gamma(Array({-0.5f, -1.5f, 4.0f, 0.0f, -1.0f})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gamma(Array({-0.5f, -1.5f, 4.0f, 0.0f, -1.0f}))); }});
  list.push_back({R"line(beta(y, t + 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(beta(y, t + 1)); }});
  list.push_back({R"line(betaln(y, 2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(betaln(y, 2)); }});
  list.push_back({R"line(factorial(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(factorial(i)); }});
  list.push_back({R"line(poch(y, 2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(poch(y, 2)); }});
  list.push_back({R"line(multigammaln(y + 2, 3))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(multigammaln(y + 2, 3)); }});
  list.push_back({R"line(gammainc(Array({0.5f, 2.0f, 30.0f, 2.0f, -1.0f}), Array({0.0f, 9.0f, 25.0f, INFINITY, 1.0f})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gammainc(Array({0.5f, 2.0f, 30.0f, 2.0f, -1.0f}), Array({0.0f, 9.0f, 25.0f, INFINITY, 1.0f}))); }});
  list.push_back({R"line(gammaincc(3.0, 2 * t + 0.1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gammaincc(3.0, 2 * t + 0.1)); }});
  list.push_back({R"line(gammainc(t + 0.5, 2.0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gammainc(t + 0.5, 2.0)); }});
  list.push_back({R"line(betainc(2.0, Array({0.5f, 3.0f, 8.0f}), Array({0.0f, 1.0f, 0.7f})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(betainc(2.0, Array({0.5f, 3.0f, 8.0f}), Array({0.0f, 1.0f, 0.7f}))); }});
  list.push_back({R"line(i0e(w(Slice{1, 3})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(i0e(w(Slice{1, 3}))); }});
  list.push_back({R"line(i1e(4 * x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(i1e(4 * x)); }});
  list.push_back({R"line(expi(Array({-30.0f, -0.1f, 3.0f, 20.0f, 40.0f, 80.0f})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(expi(Array({-30.0f, -0.1f, 3.0f, 20.0f, 40.0f, 80.0f}))); }});
  list.push_back({R"line(exp1(20 * y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(exp1(20 * y)); }});
  list.push_back({R"line(ndtr(w))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ndtr(w)); }});
  list.push_back({R"line(ndtri(Array({0.0f, 1e-20f, 1e-3f, 0.5f, 0.999f, 1.0f})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ndtri(Array({0.0f, 1e-20f, 1e-3f, 0.5f, 0.999f, 1.0f}))); }});
  list.push_back({R"line(log_ndtr(20 * x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(log_ndtr(20 * x)); }});
  list.push_back({R"line(expit(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(expit(x)); }});
  list.push_back({R"line(entr(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(entr(x)); }});
  list.push_back({R"line(rel_entr(t, x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(rel_entr(t, x)); }});
  list.push_back({R"line(kl_div(t, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(kl_div(t, y)); }});
  list.push_back({R"line(triu_indices(2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(triu_indices(2)); }});
  list.push_back({R"line(tril_indices(3, 0, 2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(tril_indices(3, 0, 2)); }});
  list.push_back({R"line(empty_like(m, DType::kS32))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(empty_like(m, DType::kS32)); }});
  list.push_back({R"line(zeros_like(e))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(zeros_like(e)); }});
  list.push_back({R"line(ones_like(p))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ones_like(p)); }});
  list.push_back({R"line(indices({3}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(indices({3})); }});
  list.push_back({R"line(identity(2, DType::kS32))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(identity(2, DType::kS32)); }});
  list.push_back({R"line(atleast_1d(m))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(atleast_1d(m)); }});
  list.push_back({R"line(atleast_2d(x[0]))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(atleast_2d(x[0])); }});
  list.push_back({R"line(broadcast_arrays({m(Slice{}, Slice{0, 1}), x}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(broadcast_arrays({m(Slice{}, Slice{0, 1}), x})); }});
  list.push_back({R"line(ravel(a))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ravel(a)); }});
  list.push_back({R"line(ravel(e))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ravel(e)); }});
  list.push_back({R"line(flipud(a))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(flipud(a)); }});
  list.push_back({R"line(fliplr(a))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(fliplr(a)); }});
  list.push_back({R"line(delete_(m, {0, -1}, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(delete_(m, {0, -1}, 1)); }});
  list.push_back({R"line(dsplit(a(kEllipsis, Slice{0, 4}), 2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(dsplit(a(kEllipsis, Slice{0, 4}), 2)); }});
  list.push_back({R"line(vsplit(a, 2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(vsplit(a, 2)); }});
  list.push_back({R"line(right_shift(Array(static_cast<uint8_t>(200)), u))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(right_shift(Array(static_cast<uint8_t>(200)), u)); }});
  list.push_back({R"line(left_shift(1, i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(left_shift(1, i)); }});
  list.push_back({R"line(isposinf(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isposinf(i)); }});
  list.push_back({R"line(isneginf(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isneginf(x)); }});
  list.push_back({R"line(bitwise_or(p, q))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(bitwise_or(p, q)); }});
  list.push_back({R"line(bitwise_and(u, 2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(bitwise_and(u, 2)); }});
  list.push_back({R"line(bitwise_xor(i, k))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(bitwise_xor(i, k)); }});
  list.push_back({R"line(bitwise_not(q))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(bitwise_not(q)); }});
  list.push_back({R"line(deg2rad(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(deg2rad(i)); }});
  list.push_back({R"line(rad2deg(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(rad2deg(i)); }});
  list.push_back({R"line(degrees(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(degrees(x)); }});
  list.push_back({R"line(radians(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(radians(i)); }});
  list.push_back({R"line(logical_and(w, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(logical_and(w, 1)); }});
  list.push_back({R"line(logical_or(i, q))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(logical_or(i, q)); }});
  list.push_back({R"line(logical_xor(p, q))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(logical_xor(p, q)); }});
  list.push_back({R"line(modf(m))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(modf(m)); }});
  list.push_back({R"line(array_equiv(x, x[0]))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(array_equiv(x, x[0])); }});
  list.push_back({R"line(remainder(i - 2, 3))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(remainder(i - 2, 3)); }});
  list.push_back({R"line(true_divide(x, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(true_divide(x, y)); }});
  list.push_back({R"line(erfinv(Array({-1.0f, 1.0f, 0.5f, 2.0f})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(erfinv(Array({-1.0f, 1.0f, 0.5f, 2.0f}))); }});
  list.push_back({R"line(rint(w))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(rint(w)); }});
  list.push_back({R"line(fix(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(fix(x)); }});
  list.push_back({R"line(lcm(i, 4))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(lcm(i, 4)); }});
  list.push_back({R"line(logaddexp2(w, w))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(logaddexp2(w, w)); }});
  list.push_back({R"line(fmin(x, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(fmin(x, y)); }});
  list.push_back({R"line(fmax(i, k))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(fmax(i, k)); }});
  list.push_back({R"line(average(m, m * m))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(average(m, m * m)); }});
  list.push_back({R"line(nanprod(stack({n, x}), 1, kKeepDims))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanprod(stack({n, x}), 1, kKeepDims)); }});
  list.push_back({R"line(nancumsum(stack({n, x}), 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nancumsum(stack({n, x}), 1)); }});
  list.push_back({R"line(nancumprod(stack({n, x}), -1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nancumprod(stack({n, x}), -1)); }});
  list.push_back({R"line(histogram_bin_edges(x, 4, {.range = {{-1, 3}}}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(histogram_bin_edges(x, 4, {.range = {{-1, 3}}})); }});
  list.push_back({R"line(nanquantile(stack({n, x, y}), 0.6, 0, kKeepDims))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanquantile(stack({n, x, y}), 0.6, 0, kKeepDims)); }});
  list.push_back({R"line(nanpercentile(m, {10, 90}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanpercentile(m, {10, 90})); }});
  list.push_back({R"line(nanargmax(stack({n, x}), 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanargmax(stack({n, x}), 1)); }});
  list.push_back({R"line(nanvar(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanvar(i)); }});
  return list;
}

}  // namespace ingot::testing
// clang-format on
