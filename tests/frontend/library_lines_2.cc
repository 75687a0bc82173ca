// The lines of docs/from_jax.md and golden/library_cases.md, written by golden/jax_library.py.
#include <cmath>

#include "frontend/library_lines.h"

// clang-format off
namespace ingot::testing {

std::vector<Line> library_lines_2() {
  std::vector<Line> list;
  list.push_back({R"line(heaviside(x, 0.5))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(heaviside(x, 0.5)); }});
  list.push_back({R"line(sinc(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(sinc(x)); }});
  list.push_back({R"line(copysign(y, x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(copysign(y, x)); }});
  list.push_back({R"line(signbit(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(signbit(x)); }});
  list.push_back({R"line(deg2rad(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(deg2rad(x)); }});
  list.push_back({R"line(rad2deg(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(rad2deg(x)); }});
  list.push_back({R"line(float_power(y, x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(float_power(y, x)); }});
  list.push_back({R"line(gcd(k, 10))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gcd(k, 10)); }});
  list.push_back({R"line(logaddexp(x, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(logaddexp(x, y)); }});
  list.push_back({R"line(isnan(n))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isnan(n)); }});
  list.push_back({R"line(isinf(n))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isinf(n)); }});
  list.push_back({R"line(isfinite(n))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isfinite(n)); }});
  list.push_back({R"line(is_finite(n))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(is_finite(n)); }});
  list.push_back({R"line(nan_to_num(n))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nan_to_num(n)); }});
  list.push_back({R"line(isclose(x, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isclose(x, y)); }});
  list.push_back({R"line(allclose(x, x + 1e-9))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(allclose(x, x + 1e-9)); }});
  list.push_back({R"line(array_equal(x, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(array_equal(x, y)); }});
  list.push_back({R"line(isin(i, Array({1, 2})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isin(i, Array({1, 2}))); }});
  list.push_back({R"line(logical_and(p, q))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(logical_and(p, q)); }});
  list.push_back({R"line(p & ~q)line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(p & ~q); }});
  list.push_back({R"line(logical_xor(p, i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(logical_xor(p, i)); }});
  list.push_back({R"line(bitwise_or(i, 4))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(bitwise_or(i, 4)); }});
  list.push_back({R"line(i << 2)line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(i << 2); }});
  list.push_back({R"line(real(c) + imag(c))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(real(c) + imag(c)); }});
  list.push_back({R"line(x.mean())line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.mean()); }});
  list.push_back({R"line(m.sum(0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.sum(0)); }});
  list.push_back({R"line(sum(m, 1, kKeepDims))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(sum(m, 1, kKeepDims)); }});
  list.push_back({R"line(m.max(-1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.max(-1)); }});
  list.push_back({R"line(amax(m, 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(amax(m, 0)); }});
  list.push_back({R"line(amin(m))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(amin(m)); }});
  list.push_back({R"line(mean(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(mean(i)); }});
  list.push_back({R"line(var(c))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(var(c)); }});
  list.push_back({R"line(max(c))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(max(c)); }});
  list.push_back({R"line(round(c))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(round(c)); }});
  list.push_back({R"line(std_(m, 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(std_(m, 0)); }});
  list.push_back({R"line(var(m, {}, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(var(m, {}, 1)); }});
  list.push_back({R"line(prod(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(prod(x)); }});
  list.push_back({R"line(p.any())line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(p.any()); }});
  list.push_back({R"line(argmax(m))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(argmax(m)); }});
  list.push_back({R"line(argmin(m, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(argmin(m, 1)); }});
  list.push_back({R"line(average(x, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(average(x, y)); }});
  list.push_back({R"line(ptp(m, 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ptp(m, 0)); }});
  list.push_back({R"line(count_nonzero(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(count_nonzero(i)); }});
  list.push_back({R"line(cumsum(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(cumsum(x)); }});
  list.push_back({R"line(x.cumsum())line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.cumsum()); }});
  list.push_back({R"line(m.sort(0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.sort(0)); }});
  list.push_back({R"line(x.repeat(2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.repeat(2)); }});
  list.push_back({R"line(x.take(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.take(i)); }});
  list.push_back({R"line(cumprod(m, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(cumprod(m, 1)); }});
  list.push_back({R"line(median(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(median(x)); }});
  list.push_back({R"line(quantile(x, 0.25))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(quantile(x, 0.25)); }});
  list.push_back({R"line(quantile(x, 0.4, {}, {}, QuantileMethod::kLower))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(quantile(x, 0.4, {}, {}, QuantileMethod::kLower)); }});
  list.push_back({R"line(median(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(median(i)); }});
  list.push_back({R"line(percentile(m, {25, 75}, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(percentile(m, {25, 75}, 1)); }});
  list.push_back({R"line(cov(m))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(cov(m)); }});
  list.push_back({R"line(corrcoef(m))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(corrcoef(m)); }});
  list.push_back({R"line(nansum(n))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nansum(n)); }});
  list.push_back({R"line(nanmean(n))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanmean(n)); }});
  list.push_back({R"line(nanmax(n))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanmax(n)); }});
  list.push_back({R"line(nanstd(n))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanstd(n)); }});
  list.push_back({R"line(nanmedian(n))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanmedian(n)); }});
  list.push_back({R"line(nanargmin(n))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanargmin(n)); }});
  list.push_back({R"line(sort(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(sort(x)); }});
  list.push_back({R"line(argsort(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(argsort(x)); }});
  list.push_back({R"line(sort(x, {.descending = true}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(sort(x, {.descending = true})); }});
  list.push_back({R"line(partition(x, 2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(partition(x, 2)); }});
  list.push_back({R"line(argpartition(x, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(argpartition(x, 1)); }});
  list.push_back({R"line(top_k(x, 3))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(top_k(x, 3)); }});
  list.push_back({R"line(unique(k, {.size = 3}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(unique(k, {.size = 3})); }});
  list.push_back({R"line(unique(m > 0, {.size = 3, .axis = 0}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(unique(m > 0, {.size = 3, .axis = 0})); }});
  list.push_back({R"line(intersect1d(i, k, {.size = 2}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(intersect1d(i, k, {.size = 2})); }});
  list.push_back({R"line(union1d(i, k, {.size = 5}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(union1d(i, k, {.size = 5})); }});
  list.push_back({R"line(setdiff1d(i, k, {.size = 2}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(setdiff1d(i, k, {.size = 2})); }});
  list.push_back({R"line(setxor1d(i, k, {.size = 3}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(setxor1d(i, k, {.size = 3})); }});
  list.push_back({R"line(searchsorted(t, x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(searchsorted(t, x)); }});
  list.push_back({R"line(digitize(x, t))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(digitize(x, t)); }});
  list.push_back({R"line(histogram(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(histogram(x)); }});
  list.push_back({R"line(histogram(x, 4, {.range = {{0, 2}}}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(histogram(x, 4, {.range = {{0, 2}}})); }});
  list.push_back({R"line(bincount(k, {.length = 6}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(bincount(k, {.length = 6})); }});
  list.push_back({R"line(histogram2d(x, y, {3, 3}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(histogram2d(x, y, {3, 3})); }});
  list.push_back({R"line(diff(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(diff(x)); }});
  list.push_back({R"line(gradient(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gradient(x)); }});
  list.push_back({R"line(gradient(m, 0.5, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gradient(m, 0.5, 1)); }});
  list.push_back({R"line(trapezoid(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(trapezoid(x)); }});
  list.push_back({R"line(interp(x, t, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(interp(x, t, y)); }});
  list.push_back({R"line(unwrap(3 * x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(unwrap(3 * x)); }});
  list.push_back({R"line(logsumexp(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(logsumexp(x)); }});
  list.push_back({R"line(matmul(m, m.T()))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(matmul(m, m.T())); }});
  list.push_back({R"line(x.dot(y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.dot(y)); }});
  list.push_back({R"line(einsum("ij,j->i", {m, x}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(einsum("ij,j->i", {m, x})); }});
  list.push_back({R"line(einsum("ij,j,j,j->i", m, x, y, t))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(einsum("ij,j,j,j->i", m, x, y, t)); }});
  list.push_back({R"line(outer(x, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(outer(x, y)); }});
  list.push_back({R"line(inner(m, m))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(inner(m, m)); }});
  list.push_back({R"line(cross(x(Slice{0, 3}), y(Slice{0, 3})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(cross(x(Slice{0, 3}), y(Slice{0, 3}))); }});
  list.push_back({R"line(kron(s, m))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(kron(s, m)); }});
  list.push_back({R"line(convolve(x, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(convolve(x, y)); }});
  list.push_back({R"line(correlate(x, y(Slice{0, 2})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(correlate(x, y(Slice{0, 2}))); }});
  list.push_back({R"line(convolve(x, y(Slice{0, 3}), ConvolveMode::kSame))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(convolve(x, y(Slice{0, 3}), ConvolveMode::kSame)); }});
  list.push_back({R"line(polyval(x, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(polyval(x, y)); }});
  list.push_back({R"line(polyfit(t, y, 2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(polyfit(t, y, 2)); }});
  list.push_back({R"line(polyadd(x, y(Slice{0, 2})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(polyadd(x, y(Slice{0, 2}))); }});
  list.push_back({R"line(polymul(x, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(polymul(x, y)); }});
  list.push_back({R"line(polyder(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(polyder(x)); }});
  list.push_back({R"line(polyint(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(polyint(x)); }});
  list.push_back({R"line(norm(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(norm(x)); }});
  list.push_back({R"line(norm(x, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(norm(x, 1)); }});
  list.push_back({R"line(norm(m, "fro"))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(norm(m, "fro")); }});
  list.push_back({R"line(matrix_transpose(m))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(matrix_transpose(m)); }});
  list.push_back({R"line(expm(s))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(expm(s)); }});
  list.push_back({R"line(toeplitz(x, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(toeplitz(x, y)); }});
  list.push_back({R"line(block_diag({m, s}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(block_diag({m, s})); }});
  list.push_back({R"line(solve(s, s[0]))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(solve(s, s[0])); }});
  list.push_back({R"line(inv(s))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(inv(s)); }});
  list.push_back({R"line(tridiagonal_solve(t, x + 3, y, ones({4, 2})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(tridiagonal_solve(t, x + 3, y, ones({4, 2}))); }});
  list.push_back({R"line(det(s))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(det(s)); }});
  list.push_back({R"line(cholesky(s))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(cholesky(s)); }});
  list.push_back({R"line(abs(qr(s).r))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(abs(qr(s).r)); }});
  list.push_back({R"line(svdvals(m))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(svdvals(m)); }});
  list.push_back({R"line(eigh(s).values)line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(eigh(s).values); }});
  list.push_back({R"line(fft::fft(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(fft::fft(x)); }});
  list.push_back({R"line(relu(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(relu(x)); }});
  list.push_back({R"line(sigmoid(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(sigmoid(x)); }});
  list.push_back({R"line(log_sigmoid(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(log_sigmoid(x)); }});
  list.push_back({R"line(softplus(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(softplus(x)); }});
  list.push_back({R"line(silu(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(silu(x)); }});
  list.push_back({R"line(gelu(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gelu(x)); }});
  list.push_back({R"line(gelu(x, {.approximate = false}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gelu(x, {.approximate = false})); }});
  list.push_back({R"line(leaky_relu(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(leaky_relu(x)); }});
  list.push_back({R"line(elu(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(elu(x)); }});
  list.push_back({R"line(selu(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(selu(x)); }});
  list.push_back({R"line(celu(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(celu(x)); }});
  list.push_back({R"line(relu6(3 * x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(relu6(3 * x)); }});
  list.push_back({R"line(hard_sigmoid(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hard_sigmoid(x)); }});
  list.push_back({R"line(hard_tanh(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hard_tanh(x)); }});
  list.push_back({R"line(hard_silu(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hard_silu(x)); }});
  list.push_back({R"line(mish(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(mish(x)); }});
  list.push_back({R"line(soft_sign(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(soft_sign(x)); }});
  list.push_back({R"line(glu(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(glu(x)); }});
  list.push_back({R"line(softmax(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(softmax(x)); }});
  list.push_back({R"line(log_softmax(m, 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(log_softmax(m, 0)); }});
  list.push_back({R"line(standardize(m))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(standardize(m)); }});
  list.push_back({R"line(gammaln(y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gammaln(y)); }});
  list.push_back({R"line(gamma(y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gamma(y)); }});
  list.push_back({R"line(lgamma(y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(lgamma(y)); }});
  list.push_back({R"line(gammainc(y, abs(x)))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gammainc(y, abs(x))); }});
  list.push_back({R"line(gammaincc(y, abs(x)))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gammaincc(y, abs(x))); }});
  list.push_back({R"line(betainc(y, y + 1, sigmoid(x)))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(betainc(y, y + 1, sigmoid(x))); }});
  list.push_back({R"line(erfinv(x / 4))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(erfinv(x / 4)); }});
  list.push_back({R"line(i0(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(i0(x)); }});
  list.push_back({R"line(i1(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(i1(x)); }});
  list.push_back({R"line(expi(y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(expi(y)); }});
  list.push_back({R"line(exp1(y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(exp1(y)); }});
  list.push_back({R"line(ndtr(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ndtr(x)); }});
  list.push_back({R"line(ndtri(sigmoid(x)))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ndtri(sigmoid(x))); }});
  list.push_back({R"line(log_ndtr(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(log_ndtr(x)); }});
  list.push_back({R"line(entr(y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(entr(y)); }});
  list.push_back({R"line(rel_entr(y, t + 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(rel_entr(y, t + 1)); }});
  list.push_back({R"line(kl_div(y, t + 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(kl_div(y, t + 1)); }});
  list.push_back({R"line(xlogy(t, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(xlogy(t, y)); }});
  list.push_back({R"line(zeta(y + 1.5, 2.0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(zeta(y + 1.5, 2.0)); }});
  list.push_back({R"line(random::normal(random::key(1), {3}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(random::normal(random::key(1), {3})); }});
  list.push_back({R"line(random::uniform(random::split(random::key(2))[0], {2, 2}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(random::uniform(random::split(random::key(2))[0], {2, 2})); }});
  list.push_back({R"line(random::randint(random::key(3), {5}, 0, 10))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(random::randint(random::key(3), {5}, 0, 10)); }});
  list.push_back({R"line(random::bernoulli(random::fold_in(random::key(4), 1), 0.5, {4}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(random::bernoulli(random::fold_in(random::key(4), 1), 0.5, {4})); }});
  list.push_back({R"line(cond(p[0], [](Array v) { return sin(v); }, [](Array v) { return cos(v); }, x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(cond(p[0], [](Array v) { return sin(v); }, [](Array v) { return cos(v); }, x)); }});
  list.push_back({R"line(switch_(1, std::tuple([](Array v) { return sin(v); }, [](Array v) { return cos(v); }), x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(switch_(1, std::tuple([](Array v) { return sin(v); }, [](Array v) { return cos(v); }), x)); }});
  list.push_back({R"line(fori_loop(0, 10, [](Array j, Array v) { return v * 0.5 + j.astype(DType::kF32); }, x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(fori_loop(0, 10, [](Array j, Array v) { return v * 0.5 + j.astype(DType::kF32); }, x)); }});
  list.push_back({R"line(while_loop([](Array v) { return v.sum() < 100; }, [](Array v) { return 2 * v + 1; }, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(while_loop([](Array v) { return v.sum() < 100; }, [](Array v) { return 2 * v + 1; }, y)); }});
  list.push_back({R"line(associative_scan([](Array a, Array b) { return a + b; }, x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(associative_scan([](Array a, Array b) { return a + b; }, x)); }});
  list.push_back({R"line(grad([](Array v) { return sum(pow(v, 3)); })(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(grad([](Array v) { return sum(pow(v, 3)); })(x)); }});
  list.push_back({R"line(vmap([](Array v) { return v / v.sum(); })(m))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(vmap([](Array v) { return v / v.sum(); })(m)); }});
  list.push_back({R"line(vectorize([](Array v, Array w) { return dot(v, w); }, "(n),(n)->()")(m, x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(vectorize([](Array v, Array w) { return dot(v, w); }, "(n),(n)->()")(m, x)); }});
  list.push_back({R"line(apply_along_axis([](Array v) { return flip(v); }, 0, m))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(apply_along_axis([](Array v) { return flip(v); }, 0, m)); }});
  list.push_back({R"line(jit([](Array v) { return sin(v) + 1; })(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(jit([](Array v) { return sin(v) + 1; })(x)); }});
  list.push_back({R"line(hessian([](Array v) { return prod(v); })(y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hessian([](Array v) { return prod(v); })(y)); }});
  list.push_back({R"line(map([](Array v) { return v.sum(); }, m))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(map([](Array v) { return v.sum(); }, m)); }});
  list.push_back({R"line(Array({{{1}, {2}}, {{3}, {4}}}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(Array({{{1}, {2}}, {{3}, {4}}})); }});
  list.push_back({R"line(Array({true, false}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(Array({true, false})); }});
  list.push_back({R"line(linspace(5.0, 1.0, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(linspace(5.0, 1.0, 1)); }});
  list.push_back({R"line(linspace(x, y, 3))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(linspace(x, y, 3)); }});
  return list;
}

}  // namespace ingot::testing
// clang-format on
