// The lines of docs/from_jax.md and golden/library_cases.md, written by golden/jax_library.py.
#include <cmath>

#include "frontend/library_lines.h"

// clang-format off
namespace ingot::testing {

std::vector<Line> library_lines_3() {
  std::vector<Line> list;
  list.push_back({R"line(linspace(x, 2, 3, {.axis = -1}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(linspace(x, 2, 3, {.axis = -1})); }});
  list.push_back({R"line(linspace(0, 7, 4, {.dtype = DType::kS32}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(linspace(0, 7, 4, {.dtype = DType::kS32})); }});
  list.push_back({R"line(linspace(0.0, 1.0, 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(linspace(0.0, 1.0, 0)); }});
  list.push_back({R"line(logspace(0.0, 1.0, 3, 2.0, {.endpoint = false}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(logspace(0.0, 1.0, 3, 2.0, {.endpoint = false})); }});
  list.push_back({R"line(geomspace(-1.0, -256.0, 5))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(geomspace(-1.0, -256.0, 5)); }});
  list.push_back({R"line(eye(2, 3, -1, DType::kS32))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(eye(2, 3, -1, DType::kS32)); }});
  list.push_back({R"line(eye(0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(eye(0)); }});
  list.push_back({R"line(tri(4, 2, -1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(tri(4, 2, -1)); }});
  list.push_back({R"line(tril(a, -1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(tril(a, -1)); }});
  list.push_back({R"line(triu(m > 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(triu(m > 0)); }});
  list.push_back({R"line(tril_indices(3, -1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(tril_indices(3, -1)); }});
  list.push_back({R"line(triu_indices(3, 1, 4))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(triu_indices(3, 1, 4)); }});
  list.push_back({R"line(diag(x, -2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(diag(x, -2)); }});
  list.push_back({R"line(diag(m, -1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(diag(m, -1)); }});
  list.push_back({R"line(diag(e))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(diag(e)); }});
  list.push_back({R"line(diagflat(m))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(diagflat(m)); }});
  list.push_back({R"line(diagonal(a, -1, 0, -1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(diagonal(a, -1, 0, -1)); }});
  list.push_back({R"line(diagonal(m, 7))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(diagonal(m, 7)); }});
  list.push_back({R"line(trace(a, 1, 1, 2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(trace(a, 1, 1, 2)); }});
  list.push_back({R"line(vander(i, 3, true))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(vander(i, 3, true)); }});
  list.push_back({R"line(vander(x, 2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(vander(x, 2)); }});
  list.push_back({R"line(meshgrid(x, i(Slice{0, 3}), {.indexing = Indexing::kIJ}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(meshgrid(x, i(Slice{0, 3}), {.indexing = Indexing::kIJ})); }});
  list.push_back({R"line(meshgrid(x, t(Slice{0, 2}), y(Slice{0, 3}), {.sparse = true}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(meshgrid(x, t(Slice{0, 2}), y(Slice{0, 3}), {.sparse = true})); }});
  list.push_back({R"line(one_hot(i.reshape({2, 2}), 3, DType::kF32, 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(one_hot(i.reshape({2, 2}), 3, DType::kF32, 0)); }});
  list.push_back({R"line(one_hot(Array({-1, 5, 0}), 3, DType::kS32))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(one_hot(Array({-1, 5, 0}), 3, DType::kS32)); }});
  list.push_back({R"line(full_like(m, 2, DType::kS32))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(full_like(m, 2, DType::kS32)); }});
  list.push_back({R"line(moveaxis(a, {0, 1}, {-1, 0}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(moveaxis(a, {0, 1}, {-1, 0})); }});
  list.push_back({R"line(moveaxis(a, -1, 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(moveaxis(a, -1, 0)); }});
  list.push_back({R"line(atleast_3d(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(atleast_3d(x)); }});
  list.push_back({R"line(atleast_3d(m))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(atleast_3d(m)); }});
  list.push_back({R"line(atleast_1d(x[0]))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(atleast_1d(x[0])); }});
  list.push_back({R"line(broadcast_arrays({x, m, Array(1.0f)}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(broadcast_arrays({x, m, Array(1.0f)})); }});
  list.push_back({R"line(hstack({m, m}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hstack({m, m})); }});
  list.push_back({R"line(vstack({x, m}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(vstack({x, m})); }});
  list.push_back({R"line(dstack({m, m}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(dstack({m, m})); }});
  list.push_back({R"line(column_stack({x, m.T()}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(column_stack({x, m.T()})); }});
  list.push_back({R"line(append(m, m(Slice{0, 1}), 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(append(m, m(Slice{0, 1}), 0)); }});
  list.push_back({R"line(split(a, {2, 4}, -1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(split(a, {2, 4}, -1)); }});
  list.push_back({R"line(array_split(a, 4, 2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(array_split(a, 4, 2)); }});
  list.push_back({R"line(vsplit(m, 3))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(vsplit(m, 3)); }});
  list.push_back({R"line(dsplit(a, 5))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(dsplit(a, 5)); }});
  list.push_back({R"line(hsplit(x, 2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hsplit(x, 2)); }});
  list.push_back({R"line(unstack(a, -1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(unstack(a, -1)); }});
  list.push_back({R"line(tile(m, {2, 1, 3}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(tile(m, {2, 1, 3})); }});
  list.push_back({R"line(tile(a, {0}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(tile(a, {0})); }});
  list.push_back({R"line(repeat(m, 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(repeat(m, 0)); }});
  list.push_back({R"line(repeat(a, 3, -2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(repeat(a, 3, -2)); }});
  list.push_back({R"line(repeat(m, Array({2, 0, 1}), {.total_repeat_length = 5, .axis = 0}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(repeat(m, Array({2, 0, 1}), {.total_repeat_length = 5, .axis = 0})); }});
  list.push_back({R"line(repeat(x, k))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(repeat(x, k)); }});
  list.push_back({R"line(roll(m, -5))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(roll(m, -5)); }});
  list.push_back({R"line(roll(a, 7, -1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(roll(a, 7, -1)); }});
  list.push_back({R"line(roll(x, i[0], 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(roll(x, i[0], 0)); }});
  list.push_back({R"line(rot90(m, -1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(rot90(m, -1)); }});
  list.push_back({R"line(rot90(a, 2, {1, 2}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(rot90(a, 2, {1, 2})); }});
  list.push_back({R"line(rot90(a, 3, {0, -1}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(rot90(a, 3, {0, -1})); }});
  list.push_back({R"line(pad(m, {1, 0}, {0, 2}, PadMode::kSymmetric))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(m, {1, 0}, {0, 2}, PadMode::kSymmetric)); }});
  list.push_back({R"line(pad(x, {5}, {6}, PadMode::kReflect))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(x, {5}, {6}, PadMode::kReflect)); }});
  list.push_back({R"line(pad(x, {9}, {1}, PadMode::kSymmetric))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(x, {9}, {1}, PadMode::kSymmetric)); }});
  list.push_back({R"line(pad(i, {2}, {9}, PadMode::kWrap))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(i, {2}, {9}, PadMode::kWrap)); }});
  list.push_back({R"line(pad(m, {1}, {1}, PadMode::kEdge))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(m, {1}, {1}, PadMode::kEdge)); }});
  list.push_back({R"line(pad(x, {2}, {3}, PadMode::kLinearRamp, 1.5))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(x, {2}, {3}, PadMode::kLinearRamp, 1.5)); }});
  list.push_back({R"line(pad(m, {1}, {1}, PadMode::kConstant, 7))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(m, {1}, {1}, PadMode::kConstant, 7)); }});
  list.push_back({R"line(insert(m, 1, 5.0, 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(insert(m, 1, 5.0, 0)); }});
  list.push_back({R"line(insert(x, 4, y(Slice{0, 2})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(insert(x, 4, y(Slice{0, 2}))); }});
  list.push_back({R"line(insert(m, {2, 0, -1, 2}, a(0, 0, Slice{0, 4}), 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(insert(m, {2, 0, -1, 2}, a(0, 0, Slice{0, 4}), 1)); }});
  list.push_back({R"line(insert(m, {3, 0, 3}, m * 2, 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(insert(m, {3, 0, 3}, m * 2, 0)); }});
  list.push_back({R"line(m(-1, -2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m(-1, -2)); }});
  list.push_back({R"line(index(m, {1, Slice{2}}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(index(m, {1, Slice{2}})); }});
  list.push_back({R"line(m(Slice{.step = -1}, Slice{3, 0, -2}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m(Slice{.step = -1}, Slice{3, 0, -2})); }});
  list.push_back({R"line(m(Slice{5}, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m(Slice{5}, 1)); }});
  list.push_back({R"line(a(kEllipsis, kNewAxis, Slice{1, 2}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a(kEllipsis, kNewAxis, Slice{1, 2})); }});
  list.push_back({R"line(a(0, kEllipsis, -1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a(0, kEllipsis, -1)); }});
  list.push_back({R"line(a(kNewAxis, Slice{}, 2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a(kNewAxis, Slice{}, 2)); }});
  list.push_back({R"line(a(Slice{}, i(Slice{0, 2})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(a(Slice{}, i(Slice{0, 2}))); }});
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
  list.push_back({R"line(at(x[0]).add(2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(at(x[0]).add(2)); }});
  list.push_back({R"line(at(a).mul(a))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(at(a).mul(a)); }});
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
  return list;
}

}  // namespace ingot::testing
// clang-format on
