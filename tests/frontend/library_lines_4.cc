// The lines of docs/from_jax.md and golden/library_cases.md, written by golden/jax_library.py.
#include <cmath>

#include "frontend/library_lines.h"

// clang-format off
namespace ingot::testing {

std::vector<Line> library_lines_4() {
  std::vector<Line> list;
  list.push_back({R"(array_equiv(x, stack({x, x})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(array_equiv(x, stack({x, x}))); }});
  list.push_back({R"(isin(m, x, true))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isin(m, x, true)); }});
  list.push_back({R"(logical_or(x, p))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(logical_or(x, p)); }});
  list.push_back({R"(logical_not(p))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(logical_not(p)); }});
  list.push_back({R"(logical_not(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(logical_not(i)); }});
  list.push_back({R"(bitwise_and(i, k))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(bitwise_and(i, k)); }});
  list.push_back({R"(bitwise_xor(p, q))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(bitwise_xor(p, q)); }});
  list.push_back({R"(bitwise_not(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(bitwise_not(i)); }});
  list.push_back({R"(left_shift(i, 3))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(left_shift(i, 3)); }});
  list.push_back({R"(right_shift(i - 8, 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(right_shift(i - 8, 1)); }});
  list.push_back({R"(nan_to_num(w))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nan_to_num(w)); }});
  list.push_back({R"(nan_to_num(w, {.nan = 1, .posinf = 2, .neginf = 3}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nan_to_num(w, {.nan = 1, .posinf = 2, .neginf = 3})); }});
  list.push_back({R"(nan_to_num(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nan_to_num(i)); }});
  list.push_back({R"(average(m, 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(average(m, 0)); }});
  list.push_back({R"(average(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(average(i)); }});
  list.push_back({R"(average(m, x + 3, 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(average(m, x + 3, 1)); }});
  list.push_back({R"(average(m, m, -1, kKeepDims))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(average(m, m, -1, kKeepDims)); }});
  list.push_back({R"(ptp(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ptp(i)); }});
  list.push_back({R"(count_nonzero(m > 0, 0, kKeepDims))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(count_nonzero(m > 0, 0, kKeepDims)); }});
  list.push_back({R"(m.argmin())", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.argmin()); }});
  list.push_back({R"(argmax(w))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(argmax(w)); }});
  list.push_back({R"(cov(m, {.rowvar = false, .bias = true}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(cov(m, {.rowvar = false, .bias = true})); }});
  list.push_back({R"(cov(x, y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(cov(x, y)); }});
  list.push_back({R"(cov(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(cov(x)); }});
  list.push_back({R"(cov(i, {.ddof = 0}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(cov(i, {.ddof = 0})); }});
  list.push_back({R"(corrcoef(x, y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(corrcoef(x, y)); }});
  list.push_back({R"(corrcoef(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(corrcoef(x)); }});
  list.push_back({R"(corrcoef(m, false))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(corrcoef(m, false)); }});
  list.push_back({R"(quantile(m, {0.1, 0.5, 1.0}, 0, kKeepDims))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(quantile(m, {0.1, 0.5, 1.0}, 0, kKeepDims)); }});
  list.push_back({R"(percentile(i, 30))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(percentile(i, 30)); }});
  list.push_back({R"(nansum(w(Slice{1, 6})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nansum(w(Slice{1, 6}))); }});
  list.push_back({R"(nansum(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nansum(i)); }});
  list.push_back({R"(nanprod(n))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanprod(n)); }});
  list.push_back({R"(nanmean(stack({n, x}), 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanmean(stack({n, x}), 0)); }});
  list.push_back({R"(nanmean(stack({n, n}), 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanmean(stack({n, n}), 0)); }});
  list.push_back({R"(nanmax(stack({n, n}), 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanmax(stack({n, n}), 0)); }});
  list.push_back({R"(nanmin(w))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanmin(w)); }});
  list.push_back({R"(nanmin(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanmin(i)); }});
  list.push_back({R"(nanvar(stack({n, x, y}), 0, 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanvar(stack({n, x, y}), 0, 1)); }});
  list.push_back({R"(nanstd(stack({n, n}), 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanstd(stack({n, n}), 0)); }});
  list.push_back({R"(nanargmax(w))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanargmax(w)); }});
  list.push_back({R"(nanargmin(stack({n, n}), 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanargmin(stack({n, n}), 0)); }});
  list.push_back({R"(nancumsum(n))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nancumsum(n)); }});
  list.push_back({R"(nancumprod(n))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nancumprod(n)); }});
  list.push_back({R"(nanmedian(stack({n, x, y}), 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanmedian(stack({n, x, y}), 0)); }});
  list.push_back({R"(nanmedian(stack({n, n}), 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanmedian(stack({n, n}), 0)); }});
  list.push_back({R"(nanquantile(n, {0.0, 0.3}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanquantile(n, {0.0, 0.3})); }});
  list.push_back({R"(nanpercentile(n, 75))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanpercentile(n, 75)); }});
  list.push_back({R"(histogram(w(Slice{1, 6}), t))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(histogram(w(Slice{1, 6}), t)); }});
  list.push_back({R"(histogram(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(histogram(i)); }});
  list.push_back({R"(histogram(x, 3, {.weights = y, .density = true}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(histogram(x, 3, {.weights = y, .density = true})); }});
  list.push_back({R"(histogram_bin_edges(Array::ones({3}), 2))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(histogram_bin_edges(Array::ones({3}), 2)); }});
  list.push_back({R"(bincount(k))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(bincount(k)); }});
  list.push_back({R"(bincount(k - 1, {.weights = x, .length = 3}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(bincount(k - 1, {.weights = x, .length = 3})); }});
  list.push_back({R"(bincount(u, {.length = 9}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(bincount(u, {.length = 9})); }});
  list.push_back({R"(searchsorted(t, Array({{0.0f, 2.5f}, {9.0f, std::nanf("")}}), Side::kRight))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(searchsorted(t, Array({{0.0f, 2.5f}, {9.0f, std::nanf("")}}), Side::kRight)); }});
  list.push_back({R"(searchsorted(sort(w), w))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(searchsorted(sort(w), w)); }});
  list.push_back({R"(searchsorted(arange(100), k * 30))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(searchsorted(arange(100), k * 30)); }});
  list.push_back({R"(searchsorted(arange(101).astype(DType::kF32), x * 30, Side::kRight))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(searchsorted(arange(101).astype(DType::kF32), x * 30, Side::kRight)); }});
  list.push_back({R"(searchsorted(e, x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(searchsorted(e, x)); }});
  list.push_back({R"(digitize(x, t(Slice{.step = -1})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(digitize(x, t(Slice{.step = -1}))); }});
  list.push_back({R"(digitize(t, t, true))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(digitize(t, t, true)); }});
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
  return list;
}

}  // namespace ingot::testing
// clang-format on
