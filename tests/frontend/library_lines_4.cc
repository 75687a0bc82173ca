// The lines of docs/from_jax.md and golden/library_cases.md, written by golden/jax_library.py.
#include <cmath>

#include "frontend/library_lines.h"

// clang-format off
namespace ingot::testing {

std::vector<Line> library_lines_4() {
  std::vector<Line> list;
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
  list.push_back({R"(full({2, 2}, true))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(full({2, 2}, true)); }});
  list.push_back({R"(full(3, 2, DType::kF32))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(full(3, 2, DType::kF32)); }});
  list.push_back({R"(array({{1, 2}, {3, 4}}, DType::kU8))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(array({{1, 2}, {3, 4}}, DType::kU8)); }});
  list.push_back({R"(linspace(0, 1, 4, DType::kF32))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(linspace(0, 1, 4, DType::kF32)); }});
  list.push_back({R"(hanning(1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hanning(1)); }});
  list.push_back({R"(hamming(0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hamming(0)); }});
  list.push_back({R"(kaiser(6, x[0]))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(kaiser(6, x[0])); }});
  list.push_back({R"(blackman(2))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(blackman(2)); }});
  list.push_back({R"(bartlett(3))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(bartlett(3)); }});
  list.push_back({R"(block({x, y}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(block({x, y})); }});
  list.push_back({R"(block({{s, x(Slice{0, 3}, kNewAxis)}, {x(Slice{0, 3}), 1}}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(block({{s, x(Slice{0, 3}, kNewAxis)}, {x(Slice{0, 3}), 1}})); }});
  list.push_back({R"(block({{{a}}, {{a}}}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(block({{{a}}, {{a}}})); }});
  list.push_back({R"(pad(i, {1}, {2}, PadMode::kMean))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(i, {1}, {2}, PadMode::kMean)); }});
  list.push_back({R"(pad(a, {1, 0, 2}, {0, 1, 2}, PadMode::kMaximum))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(a, {1, 0, 2}, {0, 1, 2}, PadMode::kMaximum)); }});
  list.push_back({R"(pad(u, {1}, {1}, PadMode::kMedian))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(u, {1}, {1}, PadMode::kMedian)); }});
  list.push_back({R"(a(a(Slice{}, Slice{}, 0) > 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a(a(Slice{}, Slice{}, 0) > 0)); }});
  list.push_back({R"(m(Slice{}, x > 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m(Slice{}, x > 0)); }});
  list.push_back({R"(m(i(Slice{0, 3}) > 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m(i(Slice{0, 3}) > 0)); }});
  list.push_back({R"(x.at(p).mul(3))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.at(p).mul(3)); }});
  list.push_back({R"(x.at(p).min(0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.at(p).min(0)); }});
  list.push_back({R"(x.at(p).max(1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.at(p).max(1)); }});
  list.push_back({R"(m.at(i(Slice{0, 3}) > 0).set(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.at(i(Slice{0, 3}) > 0).set(x)); }});
  list.push_back({R"(x(Slice{1, {}, 2}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x(Slice{1, {}, 2})); }});
  list.push_back({R"(piecewise(i, {i > 1}, {5}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(piecewise(i, {i > 1}, {5})); }});
  list.push_back({R"(power(2.0, i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(power(2.0, i)); }});
  list.push_back({R"(pow(-2, i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pow(-2, i)); }});
  list.push_back({R"(pow(i, k))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pow(i, k)); }});
  list.push_back({R"(pow(u, u))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pow(u, u)); }});
  list.push_back({R"(absolute(c))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(absolute(c)); }});
  list.push_back({R"(exp(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(exp(i)); }});
  list.push_back({R"(log(i + 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(log(i + 1)); }});
  list.push_back({R"(tanh(p))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(tanh(p)); }});
  list.push_back({R"(floor(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(floor(i)); }});
  list.push_back({R"(arctan2(i, 2))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(arctan2(i, 2)); }});
  list.push_back({R"(hypot(i, k))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hypot(i, k)); }});
  list.push_back({R"(hypot(t, 0.0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hypot(t, 0.0)); }});
  list.push_back({R"(hypot(0 * t, t))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hypot(0 * t, t)); }});
  list.push_back({R"(softmax(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(softmax(i)); }});
  list.push_back({R"(gelu(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gelu(i)); }});
  list.push_back({R"(ldexp(w, 3))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ldexp(w, 3)); }});
  list.push_back({R"(ldexp(Array({1e-38f, 1.0f}), Array({200, -140})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ldexp(Array({1e-38f, 1.0f}), Array({200, -140}))); }});
  list.push_back({R"(frexp(w))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(frexp(w)); }});
  list.push_back({R"(frexp(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(frexp(i)); }});
  list.push_back({R"(mean(i, 0, kKeepDims))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(mean(i, 0, kKeepDims)); }});
  list.push_back({R"(mean(p))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(mean(p)); }});
  list.push_back({R"(var(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(var(i)); }});
  list.push_back({R"(std_(u))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(std_(u)); }});
  list.push_back({R"(var(stack({c, 2 * c}), 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(var(stack({c, 2 * c}), 0)); }});
  list.push_back({R"(min(c, {}, kKeepDims))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(min(c, {}, kKeepDims)); }});
  list.push_back({R"(maximum(c, flip(c)))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(maximum(c, flip(c))); }});
  list.push_back({R"(quantile(i, 0.4))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(quantile(i, 0.4)); }});
  list.push_back({R"(quantile(m, 0.4, 1, {}, QuantileMethod::kHigher))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(quantile(m, 0.4, 1, {}, QuantileMethod::kHigher)); }});
  list.push_back({R"(quantile(m, 0.4, 1, {}, QuantileMethod::kNearest))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(quantile(m, 0.4, 1, {}, QuantileMethod::kNearest)); }});
  list.push_back({R"(percentile(m, 40, 0, {}, QuantileMethod::kMidpoint))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(percentile(m, 40, 0, {}, QuantileMethod::kMidpoint)); }});
  list.push_back({R"(quantile(x, 0.5, {}, {}, QuantileMethod::kNearest))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(quantile(x, 0.5, {}, {}, QuantileMethod::kNearest)); }});
  list.push_back({R"(sort(m, {.axis = 0, .descending = true}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(sort(m, {.axis = 0, .descending = true})); }});
  list.push_back({R"(argsort(x, {.descending = true}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(argsort(x, {.descending = true})); }});
  list.push_back({R"(partition(m, 1, 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(partition(m, 1, 0)); }});
  list.push_back({R"(partition(a, -2))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(partition(a, -2)); }});
  list.push_back({R"(argpartition(m, 2, 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(argpartition(m, 2, 1)); }});
  list.push_back({R"(unique(stack({k, i, k}), {.axis = 0}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(unique(stack({k, i, k}), {.axis = 0})); }});
  list.push_back({R"(unique(stack({k, i, k}), {.size = 5, .fill_value = -1, .axis = 1}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(unique(stack({k, i, k}), {.size = 5, .fill_value = -1, .axis = 1})); }});
  list.push_back({R"(intersect1d(i, k))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(intersect1d(i, k)); }});
  list.push_back({R"(intersect1d(i, k, {.size = 4, .fill_value = -1}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(intersect1d(i, k, {.size = 4, .fill_value = -1})); }});
  list.push_back({R"(union1d(x, t))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(union1d(x, t)); }});
  list.push_back({R"(setdiff1d(i, k))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(setdiff1d(i, k)); }});
  list.push_back({R"(setdiff1d(x, t, {.size = 5, .fill_value = 9}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(setdiff1d(x, t, {.size = 5, .fill_value = 9})); }});
  list.push_back({R"(setxor1d(i, k))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(setxor1d(i, k)); }});
  list.push_back({R"(histogram2d(x, y, {2, 3}, {.range = {{{0, 2}, {0, 2}}}, .weights = t}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(histogram2d(x, y, {2, 3}, {.range = {{{0, 2}, {0, 2}}}, .weights = t})); }});
  list.push_back({R"(histogram2d(x, y, {2, 2}, {.density = true}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(histogram2d(x, y, {2, 2}, {.density = true})); }});
  list.push_back({R"(norm(m, kInf))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(norm(m, kInf)); }});
  list.push_back({R"(norm(m, 1, 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(norm(m, 1, 0)); }});
  list.push_back({R"(norm(m, "nuc"))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(norm(m, "nuc")); }});
  list.push_back({R"(norm(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(norm(i)); }});
  list.push_back({R"(expm(stack({s, 3 * s})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(expm(stack({s, 3 * s}))); }});
  list.push_back({R"(expm(0.01 * s))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(expm(0.01 * s)); }});
  list.push_back({R"(toeplitz(c))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(toeplitz(c)); }});
  list.push_back({R"(toeplitz(m))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(toeplitz(m)); }});
  list.push_back({R"(toeplitz(x, t(Slice{0, 2})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(toeplitz(x, t(Slice{0, 2}))); }});
  list.push_back({R"(block_diag({x, i[0].astype(DType::kF32), m}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(block_diag({x, i[0].astype(DType::kF32), m})); }});
  list.push_back({R"(roots(Array({0.f, 0.f, 1.f, -3.f, 2.f})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(roots(Array({0.f, 0.f, 1.f, -3.f, 2.f}))); }});
  list.push_back({R"(gammainc(0.5, y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gammainc(0.5, y)); }});
  list.push_back({R"(vectorize([](Array v, Array w) { return where(v > w, v, w); })(m, x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(vectorize([](Array v, Array w) { return where(v > w, v, w); })(m, x)); }});
  list.push_back({R"(vectorize([](Array v, Array w) { return dot(v, w); }, "(m,n),(n)->(m)")(a, a(0, 0)))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(vectorize([](Array v, Array w) { return dot(v, w); }, "(m,n),(n)->(m)")(a, a(0, 0))); }});
  list.push_back({R"(apply_along_axis([](Array v) { return sum(v); }, -1, a))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(apply_along_axis([](Array v) { return sum(v); }, -1, a)); }});
  list.push_back({R"(apply_along_axis([](Array v) { return outer(v, v); }, 1, m(Slice{0, 2})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(apply_along_axis([](Array v) { return outer(v, v); }, 1, m(Slice{0, 2}))); }});
  list.push_back({R"(m.diagonal() + m.trace())", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.diagonal() + m.trace()); }});
  list.push_back({R"(m.ptp(1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.ptp(1)); }});
  list.push_back({R"(x.argsort())", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.argsort()); }});
  list.push_back({R"(m.cumprod(1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.cumprod(1)); }});
  list.push_back({R"(c.real() + c.imag())", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(c.real() + c.imag()); }});
  list.push_back({R"(m.repeat(2, 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.repeat(2, 1)); }});
  list.push_back({R"(bitwise_count(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(bitwise_count(i)); }});
  list.push_back({R"(add(x, 1) * subtract(x, y) / divide(i, 2))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(add(x, 1) * subtract(x, y) / divide(i, 2)); }});
  list.push_back({R"(less_equal(x, y) & not_equal(i, k))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(less_equal(x, y) & not_equal(i, k)); }});
  return list;
}

}  // namespace ingot::testing
// clang-format on
