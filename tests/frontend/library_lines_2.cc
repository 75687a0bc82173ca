// The lines of docs/from_jax.md and golden/library_cases.md, written by golden/jax_library.py.
#include <cmath>

#include "frontend/library_lines.h"

// clang-format off
namespace ingot::testing {

std::vector<Line> library_lines_2() {
  std::vector<Line> list;
  list.push_back({R"(max(c))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(max(c)); }});
  list.push_back({R"(round(c))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(round(c)); }});
  list.push_back({R"(std_(m, 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(std_(m, 0)); }});
  list.push_back({R"(var(m, {}, 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(var(m, {}, 1)); }});
  list.push_back({R"(prod(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(prod(x)); }});
  list.push_back({R"(p.any())", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(p.any()); }});
  list.push_back({R"(argmax(m))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(argmax(m)); }});
  list.push_back({R"(argmin(m, 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(argmin(m, 1)); }});
  list.push_back({R"(average(x, y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(average(x, y)); }});
  list.push_back({R"(ptp(m, 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ptp(m, 0)); }});
  list.push_back({R"(count_nonzero(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(count_nonzero(i)); }});
  list.push_back({R"(cumsum(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(cumsum(x)); }});
  list.push_back({R"(x.cumsum())", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.cumsum()); }});
  list.push_back({R"(m.sort(0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.sort(0)); }});
  list.push_back({R"(x.repeat(2))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.repeat(2)); }});
  list.push_back({R"(x.take(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.take(i)); }});
  list.push_back({R"(cumprod(m, 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(cumprod(m, 1)); }});
  list.push_back({R"(median(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(median(x)); }});
  list.push_back({R"(quantile(x, 0.25))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(quantile(x, 0.25)); }});
  list.push_back({R"(quantile(x, 0.4, {}, {}, QuantileMethod::kLower))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(quantile(x, 0.4, {}, {}, QuantileMethod::kLower)); }});
  list.push_back({R"(median(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(median(i)); }});
  list.push_back({R"(percentile(m, {25, 75}, 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(percentile(m, {25, 75}, 1)); }});
  list.push_back({R"(cov(m))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(cov(m)); }});
  list.push_back({R"(corrcoef(m))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(corrcoef(m)); }});
  list.push_back({R"(nansum(n))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nansum(n)); }});
  list.push_back({R"(nanmean(n))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanmean(n)); }});
  list.push_back({R"(nanmax(n))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanmax(n)); }});
  list.push_back({R"(nanstd(n))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanstd(n)); }});
  list.push_back({R"(nanmedian(n))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanmedian(n)); }});
  list.push_back({R"(nanargmin(n))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nanargmin(n)); }});
  list.push_back({R"(sort(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(sort(x)); }});
  list.push_back({R"(argsort(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(argsort(x)); }});
  list.push_back({R"(sort(x, {.descending = true}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(sort(x, {.descending = true})); }});
  list.push_back({R"(partition(x, 2))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(partition(x, 2)); }});
  list.push_back({R"(argpartition(x, 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(argpartition(x, 1)); }});
  list.push_back({R"(top_k(x, 3))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(top_k(x, 3)); }});
  list.push_back({R"(unique(k, {.size = 3}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(unique(k, {.size = 3})); }});
  list.push_back({R"(unique(m > 0, {.size = 3, .axis = 0}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(unique(m > 0, {.size = 3, .axis = 0})); }});
  list.push_back({R"(intersect1d(i, k, {.size = 2}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(intersect1d(i, k, {.size = 2})); }});
  list.push_back({R"(union1d(i, k, {.size = 5}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(union1d(i, k, {.size = 5})); }});
  list.push_back({R"(setdiff1d(i, k, {.size = 2}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(setdiff1d(i, k, {.size = 2})); }});
  list.push_back({R"(setxor1d(i, k, {.size = 3}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(setxor1d(i, k, {.size = 3})); }});
  list.push_back({R"(searchsorted(t, x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(searchsorted(t, x)); }});
  list.push_back({R"(digitize(x, t))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(digitize(x, t)); }});
  list.push_back({R"(histogram(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(histogram(x)); }});
  list.push_back({R"(histogram(x, 4, {.range = {{0, 2}}}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(histogram(x, 4, {.range = {{0, 2}}})); }});
  list.push_back({R"(bincount(k, {.length = 6}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(bincount(k, {.length = 6})); }});
  list.push_back({R"(histogram2d(x, y, {3, 3}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(histogram2d(x, y, {3, 3})); }});
  list.push_back({R"(diff(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(diff(x)); }});
  list.push_back({R"(gradient(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gradient(x)); }});
  list.push_back({R"(gradient(m, 0.5, 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gradient(m, 0.5, 1)); }});
  list.push_back({R"(trapezoid(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(trapezoid(x)); }});
  list.push_back({R"(interp(x, t, y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(interp(x, t, y)); }});
  list.push_back({R"(unwrap(3 * x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(unwrap(3 * x)); }});
  list.push_back({R"(logsumexp(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(logsumexp(x)); }});
  list.push_back({R"(matmul(m, m.T()))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(matmul(m, m.T())); }});
  list.push_back({R"(x.dot(y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.dot(y)); }});
  list.push_back({R"(einsum("ij,j->i", {m, x}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(einsum("ij,j->i", {m, x})); }});
  list.push_back({R"(outer(x, y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(outer(x, y)); }});
  list.push_back({R"(inner(m, m))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(inner(m, m)); }});
  list.push_back({R"(cross(x(Slice{0, 3}), y(Slice{0, 3})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(cross(x(Slice{0, 3}), y(Slice{0, 3}))); }});
  list.push_back({R"(kron(s, m))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(kron(s, m)); }});
  list.push_back({R"(convolve(x, y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(convolve(x, y)); }});
  list.push_back({R"(correlate(x, y(Slice{0, 2})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(correlate(x, y(Slice{0, 2}))); }});
  list.push_back({R"(convolve(x, y(Slice{0, 3}), ConvolveMode::kSame))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(convolve(x, y(Slice{0, 3}), ConvolveMode::kSame)); }});
  list.push_back({R"(polyval(x, y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(polyval(x, y)); }});
  list.push_back({R"(polyfit(t, y, 2))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(polyfit(t, y, 2)); }});
  list.push_back({R"(polyadd(x, y(Slice{0, 2})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(polyadd(x, y(Slice{0, 2}))); }});
  list.push_back({R"(polymul(x, y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(polymul(x, y)); }});
  list.push_back({R"(polyder(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(polyder(x)); }});
  list.push_back({R"(polyint(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(polyint(x)); }});
  list.push_back({R"(norm(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(norm(x)); }});
  list.push_back({R"(norm(x, 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(norm(x, 1)); }});
  list.push_back({R"(norm(m, "fro"))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(norm(m, "fro")); }});
  list.push_back({R"(matrix_transpose(m))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(matrix_transpose(m)); }});
  list.push_back({R"(expm(s))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(expm(s)); }});
  list.push_back({R"(toeplitz(x, y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(toeplitz(x, y)); }});
  list.push_back({R"(block_diag({m, s}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(block_diag({m, s})); }});
  list.push_back({R"(solve(s, s[0]))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(solve(s, s[0])); }});
  list.push_back({R"(inv(s))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(inv(s)); }});
  list.push_back({R"(det(s))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(det(s)); }});
  list.push_back({R"(cholesky(s))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(cholesky(s)); }});
  list.push_back({R"(abs(qr(s).r))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(abs(qr(s).r)); }});
  list.push_back({R"(svdvals(m))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(svdvals(m)); }});
  list.push_back({R"(eigh(s).values)", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(eigh(s).values); }});
  list.push_back({R"(fft::fft(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(fft::fft(x)); }});
  list.push_back({R"(relu(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(relu(x)); }});
  list.push_back({R"(sigmoid(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(sigmoid(x)); }});
  list.push_back({R"(log_sigmoid(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(log_sigmoid(x)); }});
  list.push_back({R"(softplus(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(softplus(x)); }});
  list.push_back({R"(silu(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(silu(x)); }});
  list.push_back({R"(gelu(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gelu(x)); }});
  list.push_back({R"(gelu(x, {.approximate = false}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gelu(x, {.approximate = false})); }});
  list.push_back({R"(leaky_relu(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(leaky_relu(x)); }});
  list.push_back({R"(elu(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(elu(x)); }});
  list.push_back({R"(selu(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(selu(x)); }});
  list.push_back({R"(celu(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(celu(x)); }});
  list.push_back({R"(relu6(3 * x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(relu6(3 * x)); }});
  list.push_back({R"(hard_sigmoid(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hard_sigmoid(x)); }});
  list.push_back({R"(hard_tanh(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hard_tanh(x)); }});
  list.push_back({R"(hard_silu(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hard_silu(x)); }});
  list.push_back({R"(mish(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(mish(x)); }});
  list.push_back({R"(soft_sign(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(soft_sign(x)); }});
  list.push_back({R"(glu(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(glu(x)); }});
  list.push_back({R"(softmax(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(softmax(x)); }});
  list.push_back({R"(log_softmax(m, 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(log_softmax(m, 0)); }});
  list.push_back({R"(standardize(m))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(standardize(m)); }});
  list.push_back({R"(gammaln(y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gammaln(y)); }});
  list.push_back({R"(gamma(y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gamma(y)); }});
  list.push_back({R"(gammainc(y, abs(x)))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gammainc(y, abs(x))); }});
  list.push_back({R"(gammaincc(y, abs(x)))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gammaincc(y, abs(x))); }});
  list.push_back({R"(betainc(y, y + 1, sigmoid(x)))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(betainc(y, y + 1, sigmoid(x))); }});
  list.push_back({R"(erfinv(x / 4))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(erfinv(x / 4)); }});
  list.push_back({R"(i0(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(i0(x)); }});
  list.push_back({R"(i1(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(i1(x)); }});
  list.push_back({R"(expi(y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(expi(y)); }});
  list.push_back({R"(exp1(y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(exp1(y)); }});
  list.push_back({R"(ndtr(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ndtr(x)); }});
  list.push_back({R"(ndtri(sigmoid(x)))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ndtri(sigmoid(x))); }});
  list.push_back({R"(log_ndtr(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(log_ndtr(x)); }});
  list.push_back({R"(entr(y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(entr(y)); }});
  list.push_back({R"(rel_entr(y, t + 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(rel_entr(y, t + 1)); }});
  list.push_back({R"(kl_div(y, t + 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(kl_div(y, t + 1)); }});
  list.push_back({R"(xlogy(t, y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(xlogy(t, y)); }});
  list.push_back({R"(zeta(y + 1.5, 2.0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(zeta(y + 1.5, 2.0)); }});
  list.push_back({R"(cond(p[0], [](Array v) { return sin(v); }, [](Array v) { return cos(v); }, x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(cond(p[0], [](Array v) { return sin(v); }, [](Array v) { return cos(v); }, x)); }});
  list.push_back({R"(switch_(1, std::tuple([](Array v) { return sin(v); }, [](Array v) { return cos(v); }), x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(switch_(1, std::tuple([](Array v) { return sin(v); }, [](Array v) { return cos(v); }), x)); }});
  list.push_back({R"(fori_loop(0, 10, [](Array j, Array v) { return v * 0.5 + j.astype(DType::kF32); }, x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(fori_loop(0, 10, [](Array j, Array v) { return v * 0.5 + j.astype(DType::kF32); }, x)); }});
  list.push_back({R"(while_loop([](Array v) { return v.sum() < 100; }, [](Array v) { return 2 * v + 1; }, y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(while_loop([](Array v) { return v.sum() < 100; }, [](Array v) { return 2 * v + 1; }, y)); }});
  list.push_back({R"(associative_scan([](Array a, Array b) { return a + b; }, x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(associative_scan([](Array a, Array b) { return a + b; }, x)); }});
  list.push_back({R"(grad([](Array v) { return sum(pow(v, 3)); })(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(grad([](Array v) { return sum(pow(v, 3)); })(x)); }});
  list.push_back({R"(vmap([](Array v) { return v / v.sum(); })(m))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(vmap([](Array v) { return v / v.sum(); })(m)); }});
  list.push_back({R"(vectorize([](Array v, Array w) { return dot(v, w); }, "(n),(n)->()")(m, x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(vectorize([](Array v, Array w) { return dot(v, w); }, "(n),(n)->()")(m, x)); }});
  list.push_back({R"(apply_along_axis([](Array v) { return flip(v); }, 0, m))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(apply_along_axis([](Array v) { return flip(v); }, 0, m)); }});
  list.push_back({R"(jit([](Array v) { return sin(v) + 1; })(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(jit([](Array v) { return sin(v) + 1; })(x)); }});
  list.push_back({R"(hessian([](Array v) { return prod(v); })(y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hessian([](Array v) { return prod(v); })(y)); }});
  list.push_back({R"(map([](Array v) { return v.sum(); }, m))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(map([](Array v) { return v.sum(); }, m)); }});
  list.push_back({R"(Array({{{1}, {2}}, {{3}, {4}}}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(Array({{{1}, {2}}, {{3}, {4}}})); }});
  list.push_back({R"(Array({true, false}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(Array({true, false})); }});
  list.push_back({R"(linspace(5.0, 1.0, 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(linspace(5.0, 1.0, 1)); }});
  list.push_back({R"(linspace(x, y, 3))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(linspace(x, y, 3)); }});
  list.push_back({R"(linspace(x, 2, 3, {.axis = -1}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(linspace(x, 2, 3, {.axis = -1})); }});
  list.push_back({R"(linspace(0, 7, 4, {.dtype = DType::kS32}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(linspace(0, 7, 4, {.dtype = DType::kS32})); }});
  list.push_back({R"(linspace(0.0, 1.0, 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(linspace(0.0, 1.0, 0)); }});
  list.push_back({R"(logspace(0.0, 1.0, 3, 2.0, {.endpoint = false}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(logspace(0.0, 1.0, 3, 2.0, {.endpoint = false})); }});
  list.push_back({R"(geomspace(-1.0, -256.0, 5))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(geomspace(-1.0, -256.0, 5)); }});
  list.push_back({R"(eye(2, 3, -1, DType::kS32))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(eye(2, 3, -1, DType::kS32)); }});
  list.push_back({R"(eye(0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(eye(0)); }});
  list.push_back({R"(tri(4, 2, -1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(tri(4, 2, -1)); }});
  list.push_back({R"(tril(a, -1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(tril(a, -1)); }});
  list.push_back({R"(triu(m > 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(triu(m > 0)); }});
  list.push_back({R"(tril_indices(3, -1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(tril_indices(3, -1)); }});
  list.push_back({R"(triu_indices(3, 1, 4))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(triu_indices(3, 1, 4)); }});
  list.push_back({R"(diag(x, -2))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(diag(x, -2)); }});
  list.push_back({R"(diag(m, -1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(diag(m, -1)); }});
  list.push_back({R"(diag(e))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(diag(e)); }});
  list.push_back({R"(diagflat(m))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(diagflat(m)); }});
  list.push_back({R"(diagonal(a, -1, 0, -1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(diagonal(a, -1, 0, -1)); }});
  list.push_back({R"(diagonal(m, 7))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(diagonal(m, 7)); }});
  list.push_back({R"(trace(a, 1, 1, 2))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(trace(a, 1, 1, 2)); }});
  list.push_back({R"(vander(i, 3, true))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(vander(i, 3, true)); }});
  list.push_back({R"(vander(x, 2))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(vander(x, 2)); }});
  list.push_back({R"(meshgrid(x, i(Slice{0, 3}), {.indexing = Indexing::kIJ}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(meshgrid(x, i(Slice{0, 3}), {.indexing = Indexing::kIJ})); }});
  list.push_back({R"(meshgrid(x, t(Slice{0, 2}), y(Slice{0, 3}), {.sparse = true}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(meshgrid(x, t(Slice{0, 2}), y(Slice{0, 3}), {.sparse = true})); }});
  list.push_back({R"(one_hot(i.reshape({2, 2}), 3, DType::kF32, 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(one_hot(i.reshape({2, 2}), 3, DType::kF32, 0)); }});
  list.push_back({R"(one_hot(Array({-1, 5, 0}), 3, DType::kS32))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(one_hot(Array({-1, 5, 0}), 3, DType::kS32)); }});
  list.push_back({R"(full_like(m, 2, DType::kS32))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(full_like(m, 2, DType::kS32)); }});
  list.push_back({R"(moveaxis(a, {0, 1}, {-1, 0}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(moveaxis(a, {0, 1}, {-1, 0})); }});
  list.push_back({R"(moveaxis(a, -1, 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(moveaxis(a, -1, 0)); }});
  list.push_back({R"(atleast_3d(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(atleast_3d(x)); }});
  list.push_back({R"(atleast_3d(m))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(atleast_3d(m)); }});
  list.push_back({R"(atleast_1d(x[0]))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(atleast_1d(x[0])); }});
  list.push_back({R"(broadcast_arrays({x, m, Array(1.0f)}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(broadcast_arrays({x, m, Array(1.0f)})); }});
  list.push_back({R"(hstack({m, m}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hstack({m, m})); }});
  list.push_back({R"(vstack({x, m}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(vstack({x, m})); }});
  list.push_back({R"(dstack({m, m}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(dstack({m, m})); }});
  list.push_back({R"(column_stack({x, m.T()}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(column_stack({x, m.T()})); }});
  list.push_back({R"(append(m, m(Slice{0, 1}), 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(append(m, m(Slice{0, 1}), 0)); }});
  list.push_back({R"(split(a, {2, 4}, -1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(split(a, {2, 4}, -1)); }});
  list.push_back({R"(array_split(a, 4, 2))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(array_split(a, 4, 2)); }});
  list.push_back({R"(vsplit(m, 3))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(vsplit(m, 3)); }});
  list.push_back({R"(dsplit(a, 5))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(dsplit(a, 5)); }});
  list.push_back({R"(hsplit(x, 2))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hsplit(x, 2)); }});
  list.push_back({R"(unstack(a, -1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(unstack(a, -1)); }});
  list.push_back({R"(tile(m, {2, 1, 3}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(tile(m, {2, 1, 3})); }});
  list.push_back({R"(tile(a, {0}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(tile(a, {0})); }});
  list.push_back({R"(repeat(m, 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(repeat(m, 0)); }});
  list.push_back({R"(repeat(a, 3, -2))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(repeat(a, 3, -2)); }});
  list.push_back({R"(repeat(m, Array({2, 0, 1}), {.total_repeat_length = 5, .axis = 0}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(repeat(m, Array({2, 0, 1}), {.total_repeat_length = 5, .axis = 0})); }});
  list.push_back({R"(repeat(x, k))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(repeat(x, k)); }});
  list.push_back({R"(roll(m, -5))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(roll(m, -5)); }});
  list.push_back({R"(roll(a, 7, -1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(roll(a, 7, -1)); }});
  list.push_back({R"(roll(x, i[0], 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(roll(x, i[0], 0)); }});
  list.push_back({R"(rot90(m, -1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(rot90(m, -1)); }});
  list.push_back({R"(rot90(a, 2, {1, 2}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(rot90(a, 2, {1, 2})); }});
  list.push_back({R"(rot90(a, 3, {0, -1}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(rot90(a, 3, {0, -1})); }});
  list.push_back({R"(pad(m, {1, 0}, {0, 2}, PadMode::kSymmetric))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(m, {1, 0}, {0, 2}, PadMode::kSymmetric)); }});
  list.push_back({R"(pad(x, {5}, {6}, PadMode::kReflect))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(x, {5}, {6}, PadMode::kReflect)); }});
  list.push_back({R"(pad(x, {9}, {1}, PadMode::kSymmetric))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(x, {9}, {1}, PadMode::kSymmetric)); }});
  list.push_back({R"(pad(i, {2}, {9}, PadMode::kWrap))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(i, {2}, {9}, PadMode::kWrap)); }});
  list.push_back({R"(pad(m, {1}, {1}, PadMode::kEdge))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(m, {1}, {1}, PadMode::kEdge)); }});
  list.push_back({R"(pad(x, {2}, {3}, PadMode::kLinearRamp, 1.5))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(x, {2}, {3}, PadMode::kLinearRamp, 1.5)); }});
  list.push_back({R"(pad(m, {1}, {1}, PadMode::kConstant, 7))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(m, {1}, {1}, PadMode::kConstant, 7)); }});
  list.push_back({R"(insert(m, 1, 5.0, 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(insert(m, 1, 5.0, 0)); }});
  list.push_back({R"(insert(x, 4, y(Slice{0, 2})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(insert(x, 4, y(Slice{0, 2}))); }});
  list.push_back({R"(m(-1, -2))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m(-1, -2)); }});
  list.push_back({R"(index(m, {1, Slice{2}}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(index(m, {1, Slice{2}})); }});
  return list;
}

}  // namespace ingot::testing
// clang-format on
