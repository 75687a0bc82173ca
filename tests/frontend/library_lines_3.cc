// The lines of docs/from_jax.md and golden/library_cases.md, written by golden/jax_library.py.
#include <cmath>

#include "frontend/library_lines.h"

// clang-format off
namespace ingot::testing {

std::vector<Line> library_lines_3() {
  std::vector<Line> list;
  list.push_back({R"(m(Slice{.step = -1}, Slice{3, 0, -2}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m(Slice{.step = -1}, Slice{3, 0, -2})); }});
  list.push_back({R"(m(Slice{5}, 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m(Slice{5}, 1)); }});
  list.push_back({R"(a(kEllipsis, kNewAxis, Slice{1, 2}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a(kEllipsis, kNewAxis, Slice{1, 2})); }});
  list.push_back({R"(a(0, kEllipsis, -1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a(0, kEllipsis, -1)); }});
  list.push_back({R"(a(kNewAxis, Slice{}, 2))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a(kNewAxis, Slice{}, 2)); }});
  list.push_back({R"(a(Slice{}, i(Slice{0, 2})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a(Slice{}, i(Slice{0, 2}))); }});
  list.push_back({R"(a(i % 2, Slice{}, i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a(i % 2, Slice{}, i)); }});
  list.push_back({R"(a(Slice{}, i % 3, i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a(Slice{}, i % 3, i)); }});
  list.push_back({R"(a(0, Slice{}, i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a(0, Slice{}, i)); }});
  list.push_back({R"(a(Slice{}, 0, i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a(Slice{}, 0, i)); }});
  list.push_back({R"(a(Slice{}, kNewAxis, i % 3, kNewAxis))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a(Slice{}, kNewAxis, i % 3, kNewAxis)); }});
  list.push_back({R"(a(i.reshape({2, 2}) % 2, Slice{.step = -1}, Slice{1, 4}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a(i.reshape({2, 2}) % 2, Slice{.step = -1}, Slice{1, 4})); }});
  list.push_back({R"(a(kNewAxis, i % 2, kNewAxis, kNewAxis, i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a(kNewAxis, i % 2, kNewAxis, kNewAxis, i)); }});
  list.push_back({R"(m(i(Slice{}, kNewAxis) % 3, i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m(i(Slice{}, kNewAxis) % 3, i)); }});
  list.push_back({R"(x(Array({-1, -4, 2})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x(Array({-1, -4, 2}))); }});
  list.push_back({R"(x(Array({9, -9})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x(Array({9, -9}))); }});
  list.push_back({R"(x(u))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x(u)); }});
  list.push_back({R"(x(Array::zeros({0}, DType::kS32)))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x(Array::zeros({0}, DType::kS32))); }});
  list.push_back({R"(m(i[0], i[1]))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m(i[0], i[1])); }});
  list.push_back({R"(x.at(-1).set(y[0]))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.at(-1).set(y[0])); }});
  list.push_back({R"(x.at(i[1]).set(9))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.at(i[1]).set(9)); }});
  list.push_back({R"(x.at(Array({9, 1, -9})).set(7))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.at(Array({9, 1, -9})).set(7)); }});
  list.push_back({R"(x.at(Array({1, 1, 1})).add(2))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.at(Array({1, 1, 1})).add(2)); }});
  list.push_back({R"(m.at(1).set(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.at(1).set(x)); }});
  list.push_back({R"(m.at(Slice{}, Slice{.step = -1}).set(m))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.at(Slice{}, Slice{.step = -1}).set(m)); }});
  list.push_back({R"(m.at(Slice{.step = 2}, Slice{1, Slice::kEnd, 2}).mul(y(Slice{0, 2})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.at(Slice{.step = 2}, Slice{1, Slice::kEnd, 2}).mul(y(Slice{0, 2}))); }});
  list.push_back({R"(m.at(Slice{1}, 2).add(t(Slice{0, 2})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.at(Slice{1}, 2).add(t(Slice{0, 2}))); }});
  list.push_back({R"(a.at(Slice{}, i % 3, Slice{.step = 2}).set(1.5))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a.at(Slice{}, i % 3, Slice{.step = 2}).set(1.5)); }});
  list.push_back({R"(a.at(0, Slice{}, i(Slice{0, 2})).add(m(Slice{0, 2}, Slice{0, 3})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a.at(0, Slice{}, i(Slice{0, 2})).add(m(Slice{0, 2}, Slice{0, 3}))); }});
  list.push_back({R"(a.at(1, 2, Slice{3}).set(0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a.at(1, 2, Slice{3}).set(0)); }});
  list.push_back({R"(a.at(kEllipsis, Slice{1, 3}).max(0.5))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a.at(kEllipsis, Slice{1, 3}).max(0.5)); }});
  list.push_back({R"(a.at(Slice{}, kNewAxis, i % 3).min(0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a.at(Slice{}, kNewAxis, i % 3).min(0)); }});
  list.push_back({R"(a.at(i % 2, Slice{}, i).add(1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a.at(i % 2, Slice{}, i).add(1)); }});
  list.push_back({R"(m.at(Slice{2, 2}).set(5))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.at(Slice{2, 2}).set(5)); }});
  list.push_back({R"(i.at(Slice{1}).sub(i(Slice{1})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(i.at(Slice{1}).sub(i(Slice{1}))); }});
  list.push_back({R"(p.at(0).set(false))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(p.at(0).set(false)); }});
  list.push_back({R"(put(x, Array({0, 2, -1}), y(Slice{0, 2})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(put(x, Array({0, 2, -1}), y(Slice{0, 2}))); }});
  list.push_back({R"(put_along_axis(m, i(kNewAxis) % 3, x(kNewAxis), 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(put_along_axis(m, i(kNewAxis) % 3, x(kNewAxis), 0)); }});
  list.push_back({R"(fill_diagonal(m, 5))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(fill_diagonal(m, 5)); }});
  list.push_back({R"(place(x, p, y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(place(x, p, y)); }});
  list.push_back({R"(nonzero(m > 0, {.size = 9, .fill_value = -1}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nonzero(m > 0, {.size = 9, .fill_value = -1})); }});
  list.push_back({R"(nonzero(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nonzero(i)); }});
  list.push_back({R"(argwhere(p))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(argwhere(p)); }});
  list.push_back({R"(flatnonzero(m > 0, {.size = 2}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(flatnonzero(m > 0, {.size = 2})); }});
  list.push_back({R"(compress(p, m, 1, {.size = 2}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(compress(p, m, 1, {.size = 2})); }});
  list.push_back({R"(extract(m > 0, m, {.size = 4, .fill_value = -1}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(extract(m > 0, m, {.size = 4, .fill_value = -1})); }});
  list.push_back({R"(unravel_index(Array({0, 7, -1, 99}), {2, 3}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(unravel_index(Array({0, 7, -1, 99}), {2, 3})); }});
  list.push_back({R"(ravel_multi_index({i, i + 3}, {4, 5}, RavelMode::kWrap))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ravel_multi_index({i, i + 3}, {4, 5}, RavelMode::kWrap)); }});
  list.push_back({R"(choose(i, {x, y}, RavelMode::kWrap))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(choose(i, {x, y}, RavelMode::kWrap)); }});
  list.push_back({R"(choose(i, {x, y}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(choose(i, {x, y})); }});
  list.push_back({R"(select({x > 0, y > 1}, {x, 2}, -1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(select({x > 0, y > 1}, {x, 2}, -1)); }});
  list.push_back({R"(divmod(i, 3))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(divmod(i, 3)); }});
  list.push_back({R"(divmod(-x, 0.75))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(divmod(-x, 0.75)); }});
  list.push_back({R"(fmod(i - 2, 3))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(fmod(i - 2, 3)); }});
  list.push_back({R"(reciprocal(i + 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(reciprocal(i + 1)); }});
  list.push_back({R"(true_divide(i, 4))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(true_divide(i, 4)); }});
  list.push_back({R"(trunc(w))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(trunc(w)); }});
  list.push_back({R"(fix(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(fix(i)); }});
  list.push_back({R"(round(100 * m, -1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(round(100 * m, -1)); }});
  list.push_back({R"(modf(w(Slice{1, 3})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(modf(w(Slice{1, 3}))); }});
  list.push_back({R"(copysign(w, -1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(copysign(w, -1)); }});
  list.push_back({R"(signbit(w))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(signbit(w)); }});
  list.push_back({R"(signbit(i - 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(signbit(i - 1)); }});
  list.push_back({R"(heaviside(w, 2))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(heaviside(w, 2)); }});
  list.push_back({R"(heaviside(i - 1, 0.5))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(heaviside(i - 1, 0.5)); }});
  list.push_back({R"(gcd(i, k))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gcd(i, k)); }});
  list.push_back({R"(lcm(i, k))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(lcm(i, k)); }});
  list.push_back({R"(fmax(w, 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(fmax(w, 0)); }});
  list.push_back({R"(fmin(w, std::nan("")))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(fmin(w, std::nan(""))); }});
  list.push_back({R"(logaddexp2(x, y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(logaddexp2(x, y)); }});
  list.push_back({R"(sinc(Array({0.0f, 1.0f, -0.5f})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(sinc(Array({0.0f, 1.0f, -0.5f}))); }});
  list.push_back({R"(grad(grad([](Array v) { return sinc(v); }))(Array(0.0f)))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(grad(grad([](Array v) { return sinc(v); }))(Array(0.0f))); }});
  list.push_back({R"(degrees(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(degrees(i)); }});
  list.push_back({R"(radians(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(radians(x)); }});
  list.push_back({R"(float_power(i + 1, 2))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(float_power(i + 1, 2)); }});
  list.push_back({R"(log10(i + 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(log10(i + 1)); }});
  list.push_back({R"(isnan(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isnan(i)); }});
  list.push_back({R"(isnan(c))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isnan(c)); }});
  list.push_back({R"(isinf(w))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isinf(w)); }});
  list.push_back({R"(isinf(p))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isinf(p)); }});
  list.push_back({R"(isposinf(w))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isposinf(w)); }});
  list.push_back({R"(isneginf(w))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isneginf(w)); }});
  list.push_back({R"(isfinite(c))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isfinite(c)); }});
  list.push_back({R"(isfinite(u))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isfinite(u)); }});
  list.push_back({R"(isclose(w, w))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isclose(w, w)); }});
  list.push_back({R"(isclose(w, w, {.equal_nan = true}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isclose(w, w, {.equal_nan = true})); }});
  list.push_back({R"(isclose(i, i + 1, {.atol = 1}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isclose(i, i + 1, {.atol = 1})); }});
  list.push_back({R"(allclose(w, w + 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(allclose(w, w + 1)); }});
  list.push_back({R"(array_equal(w, w))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(array_equal(w, w)); }});
  list.push_back({R"(array_equal(w, w, true))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(array_equal(w, w, true)); }});
  list.push_back({R"(array_equal(x, m))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(array_equal(x, m)); }});
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
  return list;
}

}  // namespace ingot::testing
// clang-format on
