// The lines of docs/from_jax.md and golden/library_cases.md, written by golden/jax_library.py.
#include <cmath>

#include "frontend/library_lines.h"

// clang-format off
namespace ingot::testing {

std::vector<Line> library_lines_3() {
  std::vector<Line> list;
  list.push_back({R"line(a(i % 2, Slice{}, i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a(i % 2, Slice{}, i)); }});
  list.push_back({R"line(a(Slice{}, i % 3, i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a(Slice{}, i % 3, i)); }});
  list.push_back({R"line(a(0, Slice{}, i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a(0, Slice{}, i)); }});
  list.push_back({R"line(a(Slice{}, 0, i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a(Slice{}, 0, i)); }});
  list.push_back({R"line(a(Slice{}, kNewAxis, i % 3, kNewAxis))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a(Slice{}, kNewAxis, i % 3, kNewAxis)); }});
  list.push_back({R"line(a(i.reshape({2, 2}) % 2, Slice{.step = -1}, Slice{1, 4}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a(i.reshape({2, 2}) % 2, Slice{.step = -1}, Slice{1, 4})); }});
  list.push_back({R"line(a(kNewAxis, i % 2, kNewAxis, kNewAxis, i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a(kNewAxis, i % 2, kNewAxis, kNewAxis, i)); }});
  list.push_back({R"line(m(i(Slice{}, kNewAxis) % 3, i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m(i(Slice{}, kNewAxis) % 3, i)); }});
  list.push_back({R"line(x(Array({-1, -4, 2})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x(Array({-1, -4, 2}))); }});
  list.push_back({R"line(x(Array({9, -9})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x(Array({9, -9}))); }});
  list.push_back({R"line(x(u))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x(u)); }});
  list.push_back({R"line(x(Array::zeros({0}, DType::kS32)))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x(Array::zeros({0}, DType::kS32))); }});
  list.push_back({R"line(m(i[0], i[1]))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m(i[0], i[1])); }});
  list.push_back({R"line(x.at(-1).set(y[0]))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.at(-1).set(y[0])); }});
  list.push_back({R"line(x.at(i[1]).set(9))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.at(i[1]).set(9)); }});
  list.push_back({R"line(x.at(Array({9, 1, -9})).set(7))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.at(Array({9, 1, -9})).set(7)); }});
  list.push_back({R"line(x.at(Array({1, 1, 1})).add(2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.at(Array({1, 1, 1})).add(2)); }});
  list.push_back({R"line(m.at(1).set(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.at(1).set(x)); }});
  list.push_back({R"line(m.at(Slice{}, Slice{.step = -1}).set(m))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.at(Slice{}, Slice{.step = -1}).set(m)); }});
  list.push_back({R"line(m.at(Slice{.step = 2}, Slice{1, Slice::kEnd, 2}).mul(y(Slice{0, 2})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.at(Slice{.step = 2}, Slice{1, Slice::kEnd, 2}).mul(y(Slice{0, 2}))); }});
  list.push_back({R"line(m.at(Slice{1}, 2).add(t(Slice{0, 2})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.at(Slice{1}, 2).add(t(Slice{0, 2}))); }});
  list.push_back({R"line(a.at(Slice{}, i % 3, Slice{.step = 2}).set(1.5))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a.at(Slice{}, i % 3, Slice{.step = 2}).set(1.5)); }});
  list.push_back({R"line(a.at(0, Slice{}, i(Slice{0, 2})).add(m(Slice{0, 2}, Slice{0, 3})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a.at(0, Slice{}, i(Slice{0, 2})).add(m(Slice{0, 2}, Slice{0, 3}))); }});
  list.push_back({R"line(a.at(1, 2, Slice{3}).set(0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a.at(1, 2, Slice{3}).set(0)); }});
  list.push_back({R"line(a.at(kEllipsis, Slice{1, 3}).max(0.5))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a.at(kEllipsis, Slice{1, 3}).max(0.5)); }});
  list.push_back({R"line(a.at(Slice{}, kNewAxis, i % 3).min(0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a.at(Slice{}, kNewAxis, i % 3).min(0)); }});
  list.push_back({R"line(a.at(i % 2, Slice{}, i).add(1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a.at(i % 2, Slice{}, i).add(1)); }});
  list.push_back({R"line(m.at(Slice{2, 2}).set(5))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.at(Slice{2, 2}).set(5)); }});
  list.push_back({R"line(i.at(Slice{1}).sub(i(Slice{1})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(i.at(Slice{1}).sub(i(Slice{1}))); }});
  list.push_back({R"line(p.at(0).set(false))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(p.at(0).set(false)); }});
  list.push_back({R"line(put(x, Array({0, 2, -1}), y(Slice{0, 2})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(put(x, Array({0, 2, -1}), y(Slice{0, 2}))); }});
  list.push_back({R"line(put_along_axis(m, i(kNewAxis) % 3, x(kNewAxis), 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(put_along_axis(m, i(kNewAxis) % 3, x(kNewAxis), 0)); }});
  list.push_back({R"line(fill_diagonal(m, 5))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(fill_diagonal(m, 5)); }});
  list.push_back({R"line(place(x, p, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(place(x, p, y)); }});
  list.push_back({R"line(nonzero(m > 0, {.size = 9, .fill_value = -1}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nonzero(m > 0, {.size = 9, .fill_value = -1})); }});
  list.push_back({R"line(nonzero(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nonzero(i)); }});
  list.push_back({R"line(argwhere(p))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(argwhere(p)); }});
  list.push_back({R"line(flatnonzero(m > 0, {.size = 2}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(flatnonzero(m > 0, {.size = 2})); }});
  list.push_back({R"line(compress(p, m, 1, {.size = 2}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(compress(p, m, 1, {.size = 2})); }});
  list.push_back({R"line(extract(m > 0, m, {.size = 4, .fill_value = -1}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(extract(m > 0, m, {.size = 4, .fill_value = -1})); }});
  list.push_back({R"line(unravel_index(Array({0, 7, -1, 99}), {2, 3}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(unravel_index(Array({0, 7, -1, 99}), {2, 3})); }});
  list.push_back({R"line(ravel_multi_index({i, i + 3}, {4, 5}, RavelMode::kWrap))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ravel_multi_index({i, i + 3}, {4, 5}, RavelMode::kWrap)); }});
  list.push_back({R"line(choose(i, {x, y}, RavelMode::kWrap))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(choose(i, {x, y}, RavelMode::kWrap)); }});
  list.push_back({R"line(choose(i, {x, y}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(choose(i, {x, y})); }});
  list.push_back({R"line(select({x > 0, y > 1}, {x, 2}, -1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(select({x > 0, y > 1}, {x, 2}, -1)); }});
  list.push_back({R"line(divmod(i, 3))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(divmod(i, 3)); }});
  list.push_back({R"line(divmod(-x, 0.75))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(divmod(-x, 0.75)); }});
  list.push_back({R"line(fmod(i - 2, 3))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(fmod(i - 2, 3)); }});
  list.push_back({R"line(reciprocal(i + 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(reciprocal(i + 1)); }});
  list.push_back({R"line(true_divide(i, 4))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(true_divide(i, 4)); }});
  list.push_back({R"line(trunc(w))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(trunc(w)); }});
  list.push_back({R"line(fix(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(fix(i)); }});
  list.push_back({R"line(round(100 * m, -1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(round(100 * m, -1)); }});
  list.push_back({R"line(modf(w(Slice{1, 3})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(modf(w(Slice{1, 3}))); }});
  list.push_back({R"line(copysign(w, -1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(copysign(w, -1)); }});
  list.push_back({R"line(signbit(w))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(signbit(w)); }});
  list.push_back({R"line(signbit(i - 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(signbit(i - 1)); }});
  list.push_back({R"line(heaviside(w, 2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(heaviside(w, 2)); }});
  list.push_back({R"line(heaviside(i - 1, 0.5))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(heaviside(i - 1, 0.5)); }});
  list.push_back({R"line(gcd(i, k))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gcd(i, k)); }});
  list.push_back({R"line(lcm(i, k))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(lcm(i, k)); }});
  list.push_back({R"line(fmax(w, 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(fmax(w, 0)); }});
  list.push_back({R"line(fmin(w, std::nan("")))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(fmin(w, std::nan(""))); }});
  list.push_back({R"line(logaddexp2(x, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(logaddexp2(x, y)); }});
  list.push_back({R"line(sinc(Array({0.0f, 1.0f, -0.5f})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(sinc(Array({0.0f, 1.0f, -0.5f}))); }});
  list.push_back({R"line(grad(grad([](Array v) { return sinc(v); }))(Array(0.0f)))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(grad(grad([](Array v) { return sinc(v); }))(Array(0.0f))); }});
  list.push_back({R"line(degrees(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(degrees(i)); }});
  list.push_back({R"line(radians(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(radians(x)); }});
  list.push_back({R"line(float_power(i + 1, 2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(float_power(i + 1, 2)); }});
  list.push_back({R"line(log10(i + 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(log10(i + 1)); }});
  list.push_back({R"line(isnan(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isnan(i)); }});
  list.push_back({R"line(isnan(c))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isnan(c)); }});
  list.push_back({R"line(isinf(w))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isinf(w)); }});
  list.push_back({R"line(isinf(p))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isinf(p)); }});
  list.push_back({R"line(isposinf(w))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isposinf(w)); }});
  list.push_back({R"line(isneginf(w))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isneginf(w)); }});
  list.push_back({R"line(isfinite(c))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isfinite(c)); }});
  list.push_back({R"line(isfinite(u))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isfinite(u)); }});
  list.push_back({R"line(isclose(w, w))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isclose(w, w)); }});
  list.push_back({R"line(isclose(w, w, {.equal_nan = true}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isclose(w, w, {.equal_nan = true})); }});
  list.push_back({R"line(isclose(i, i + 1, {.atol = 1}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isclose(i, i + 1, {.atol = 1})); }});
  list.push_back({R"line(allclose(w, w + 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(allclose(w, w + 1)); }});
  list.push_back({R"line(array_equal(w, w))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(array_equal(w, w)); }});
  list.push_back({R"line(array_equal(w, w, true))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(array_equal(w, w, true)); }});
  list.push_back({R"line(array_equal(x, m))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(array_equal(x, m)); }});
  list.push_back({R"line(array_equiv(x, stack({x, x})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(array_equiv(x, stack({x, x}))); }});
  list.push_back({R"line(isin(m, x, true))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isin(m, x, true)); }});
  list.push_back({R"line(logical_or(x, p))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(logical_or(x, p)); }});
  list.push_back({R"line(logical_not(p))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(logical_not(p)); }});
  list.push_back({R"line(logical_not(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(logical_not(i)); }});
  list.push_back({R"line(bitwise_and(i, k))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(bitwise_and(i, k)); }});
  list.push_back({R"line(bitwise_xor(p, q))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(bitwise_xor(p, q)); }});
  list.push_back({R"line(bitwise_not(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(bitwise_not(i)); }});
  list.push_back({R"line(left_shift(i, 3))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(left_shift(i, 3)); }});
  list.push_back({R"line(right_shift(i - 8, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(right_shift(i - 8, 1)); }});
  list.push_back({R"line(nan_to_num(w))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nan_to_num(w)); }});
  list.push_back({R"line(nan_to_num(w, {.nan = 1, .posinf = 2, .neginf = 3}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nan_to_num(w, {.nan = 1, .posinf = 2, .neginf = 3})); }});
  list.push_back({R"line(nan_to_num(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nan_to_num(i)); }});
  list.push_back({R"line(average(m, 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(average(m, 0)); }});
  list.push_back({R"line(average(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(average(i)); }});
  list.push_back({R"line(average(m, x + 3, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(average(m, x + 3, 1)); }});
  list.push_back({R"line(average(m, m, -1, kKeepDims))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(average(m, m, -1, kKeepDims)); }});
  list.push_back({R"line(ptp(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ptp(i)); }});
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
  return list;
}

}  // namespace ingot::testing
// clang-format on
