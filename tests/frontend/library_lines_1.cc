// The lines of docs/from_jax.md and golden/library_cases.md, written by golden/jax_library.py.
#include <cmath>

#include "frontend/library_lines.h"

// clang-format off
namespace ingot::testing {

std::vector<Line> library_lines_1() {
  std::vector<Line> list;
  list.push_back({R"line(Array({{1.0f, 2.0f}, {3.0f, 4.0f}}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(Array({{1.0f, 2.0f}, {3.0f, 4.0f}})); }});
  list.push_back({R"line(Array({1, 2, 3}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(Array({1, 2, 3})); }});
  list.push_back({R"line(Array({0.5, 1.5}, DType::kBF16))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(Array({0.5, 1.5}, DType::kBF16)); }});
  list.push_back({R"line(Array::zeros({2, 3}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(Array::zeros({2, 3})); }});
  list.push_back({R"line(Array::ones({2, 3}, DType::kS32))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(Array::ones({2, 3}, DType::kS32)); }});
  list.push_back({R"line(Array::full({3}, 1.5))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(Array::full({3}, 1.5)); }});
  list.push_back({R"line(zeros(3))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(zeros(3)); }});
  list.push_back({R"line(ones({2, 2}, DType::kS32))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ones({2, 2}, DType::kS32)); }});
  list.push_back({R"line(full({2}, 7))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(full({2}, 7)); }});
  list.push_back({R"line(array({1.5f, 2.5f}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(array({1.5f, 2.5f})); }});
  list.push_back({R"line(full_like(x, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(full_like(x, 1)); }});
  list.push_back({R"line(zeros_like(m))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(zeros_like(m)); }});
  list.push_back({R"line(ones_like(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ones_like(i)); }});
  list.push_back({R"line(empty_like(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(empty_like(x)); }});
  list.push_back({R"line(arange(6))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(arange(6)); }});
  list.push_back({R"line(arange(1, 10, 3))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(arange(1, 10, 3)); }});
  list.push_back({R"line(linspace(0.0, 1.0, 5))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(linspace(0.0, 1.0, 5)); }});
  list.push_back({R"line(linspace(0, 10, 4, {.endpoint = false}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(linspace(0, 10, 4, {.endpoint = false})); }});
  list.push_back({R"line(logspace(0, 2, 5))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(logspace(0, 2, 5)); }});
  list.push_back({R"line(geomspace(1, 1000, 4))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(geomspace(1, 1000, 4)); }});
  list.push_back({R"line(eye(3))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(eye(3)); }});
  list.push_back({R"line(eye(3, DType::kS32))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(eye(3, DType::kS32)); }});
  list.push_back({R"line(eye(3, 4, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(eye(3, 4, 1)); }});
  list.push_back({R"line(identity(3))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(identity(3)); }});
  list.push_back({R"line(tri(3, 4))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(tri(3, 4)); }});
  list.push_back({R"line(tril(m))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(tril(m)); }});
  list.push_back({R"line(triu(m, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(triu(m, 1)); }});
  list.push_back({R"line(diag(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(diag(x)); }});
  list.push_back({R"line(diag(m))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(diag(m)); }});
  list.push_back({R"line(diagflat(x, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(diagflat(x, 1)); }});
  list.push_back({R"line(diagonal(m, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(diagonal(m, 1)); }});
  list.push_back({R"line(trace(m))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(trace(m)); }});
  list.push_back({R"line(vander(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(vander(x)); }});
  list.push_back({R"line(meshgrid(x, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(meshgrid(x, y)); }});
  list.push_back({R"line(indices({2, 3}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(indices({2, 3})); }});
  list.push_back({R"line(one_hot(i, 5))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(one_hot(i, 5)); }});
  list.push_back({R"line(iota(DType::kS32, {4}, 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(iota(DType::kS32, {4}, 0)); }});
  list.push_back({R"line(hanning(5))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hanning(5)); }});
  list.push_back({R"line(hamming(6))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hamming(6)); }});
  list.push_back({R"line(blackman(5))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(blackman(5)); }});
  list.push_back({R"line(bartlett(6))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(bartlett(6)); }});
  list.push_back({R"line(kaiser(5, 8.6))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(kaiser(5, 8.6)); }});
  list.push_back({R"line(Array(static_cast<int>(x.shape(0) + m.rank() + m.size())))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(Array(static_cast<int>(x.shape(0) + m.rank() + m.size()))); }});
  list.push_back({R"line(x.astype(DType::kS32))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.astype(DType::kS32)); }});
  list.push_back({R"line(Array(static_cast<int>(m.ndim() + size(m))))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(Array(static_cast<int>(m.ndim() + size(m)))); }});
  list.push_back({R"line(x.copy())line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.copy()); }});
  list.push_back({R"line(m.reshape(2, -1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.reshape(2, -1)); }});
  list.push_back({R"line(m.ravel())line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.ravel()); }});
  list.push_back({R"line(m.flatten())line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.flatten()); }});
  list.push_back({R"line(m.T())line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.T()); }});
  list.push_back({R"line(m.transpose(1, 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.transpose(1, 0)); }});
  list.push_back({R"line(swapaxes(m, 0, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(swapaxes(m, 0, 1)); }});
  list.push_back({R"line(moveaxis(m, 0, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(moveaxis(m, 0, 1)); }});
  list.push_back({R"line(expand_dims(x, 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(expand_dims(x, 0)); }});
  list.push_back({R"line(squeeze(x(kNewAxis)))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(squeeze(x(kNewAxis))); }});
  list.push_back({R"line(broadcast_to(x, {3, 4}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(broadcast_to(x, {3, 4})); }});
  list.push_back({R"line(atleast_2d(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(atleast_2d(x)); }});
  list.push_back({R"line(concatenate({x, y}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(concatenate({x, y})); }});
  list.push_back({R"line(stack({x, y}, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(stack({x, y}, 1)); }});
  list.push_back({R"line(hstack({x, y}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hstack({x, y})); }});
  list.push_back({R"line(vstack({x, y}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(vstack({x, y})); }});
  list.push_back({R"line(dstack({x, y}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(dstack({x, y})); }});
  list.push_back({R"line(column_stack({x, y}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(column_stack({x, y})); }});
  list.push_back({R"line(append(x, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(append(x, y)); }});
  list.push_back({R"line(block({{m, m}, {m, m}}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(block({{m, m}, {m, m}})); }});
  list.push_back({R"line(split(x, 2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(split(x, 2)); }});
  list.push_back({R"line(split(x, {1, 3}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(split(x, {1, 3})); }});
  list.push_back({R"line(array_split(x, 3))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(array_split(x, 3)); }});
  list.push_back({R"line(hsplit(m, 2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hsplit(m, 2)); }});
  list.push_back({R"line(unstack(m))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(unstack(m)); }});
  list.push_back({R"line(tile(x, {2}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(tile(x, {2})); }});
  list.push_back({R"line(tile(m, {2, 1}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(tile(m, {2, 1})); }});
  list.push_back({R"line(repeat(x, 3))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(repeat(x, 3)); }});
  list.push_back({R"line(repeat(m, 2, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(repeat(m, 2, 1)); }});
  list.push_back({R"line(repeat(x, k, {.total_repeat_length = 11}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(repeat(x, k, {.total_repeat_length = 11})); }});
  list.push_back({R"line(roll(x, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(roll(x, 1)); }});
  list.push_back({R"line(roll(m, {1, -1}, {0, 1}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(roll(m, {1, -1}, {0, 1})); }});
  list.push_back({R"line(flip(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(flip(x)); }});
  list.push_back({R"line(fliplr(m))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(fliplr(m)); }});
  list.push_back({R"line(flipud(m))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(flipud(m)); }});
  list.push_back({R"line(rot90(m))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(rot90(m)); }});
  list.push_back({R"line(pad(x, {1}, {1}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(x, {1}, {1})); }});
  list.push_back({R"line(pad(x, {1}, {2}, PadMode::kEdge))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(x, {1}, {2}, PadMode::kEdge)); }});
  list.push_back({R"line(pad(m, {2}, {2}, PadMode::kReflect))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(m, {2}, {2}, PadMode::kReflect)); }});
  list.push_back({R"line(pad(x, {3}, {3}, PadMode::kWrap))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(x, {3}, {3}, PadMode::kWrap)); }});
  list.push_back({R"line(pad(x, {2}, {2}, PadMode::kSymmetric))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(x, {2}, {2}, PadMode::kSymmetric)); }});
  list.push_back({R"line(pad(x, {2}, {2}, PadMode::kLinearRamp))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(x, {2}, {2}, PadMode::kLinearRamp)); }});
  list.push_back({R"line(pad(m, {1}, {1}, PadMode::kMean))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(m, {1}, {1}, PadMode::kMean)); }});
  list.push_back({R"line(pad(m, {1}, {1}, PadMode::kMedian))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(m, {1}, {1}, PadMode::kMedian)); }});
  list.push_back({R"line(pad(m, {1}, {1}, PadMode::kMaximum))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(m, {1}, {1}, PadMode::kMaximum)); }});
  list.push_back({R"line(pad(m, {1}, {1}, PadMode::kMinimum))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(m, {1}, {1}, PadMode::kMinimum)); }});
  list.push_back({R"line(delete_(x, {1}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(delete_(x, {1})); }});
  list.push_back({R"line(insert(x, {0, 2, 2}, 7.0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(insert(x, {0, 2, 2}, 7.0)); }});
  list.push_back({R"line(x[0])line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x[0]); }});
  list.push_back({R"line(x[-1])line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x[-1]); }});
  list.push_back({R"line(m(1, 2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m(1, 2)); }});
  list.push_back({R"line(x(Slice{1, 3}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x(Slice{1, 3})); }});
  list.push_back({R"line(x(Slice{.step = -1}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x(Slice{.step = -1})); }});
  list.push_back({R"line(m(Slice{1, 3}, Slice{.step = 2}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m(Slice{1, 3}, Slice{.step = 2})); }});
  list.push_back({R"line(m(Slice{}, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m(Slice{}, 1)); }});
  list.push_back({R"line(m(kEllipsis, 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m(kEllipsis, 0)); }});
  list.push_back({R"line(x(Slice{}, kNewAxis))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x(Slice{}, kNewAxis)); }});
  list.push_back({R"line(x(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x(i)); }});
  list.push_back({R"line(m(Slice{}, i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m(Slice{}, i)); }});
  list.push_back({R"line(m(i % 3, i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m(i % 3, i)); }});
  list.push_back({R"line(m(i % 3, Slice{1, 3}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m(i % 3, Slice{1, 3})); }});
  list.push_back({R"line(m(i[0]))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m(i[0])); }});
  list.push_back({R"line(x[p])line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x[p]); }});
  list.push_back({R"line(m(m > 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m(m > 0)); }});
  list.push_back({R"line(at(x, x > 0).set(5))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(at(x, x > 0).set(5)); }});
  list.push_back({R"line(m.at(m < 0).add(1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.at(m < 0).add(1)); }});
  list.push_back({R"line(where(p, x, 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(where(p, x, 0)); }});
  list.push_back({R"line(compress(p, x, {.size = 3}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(compress(p, x, {.size = 3})); }});
  list.push_back({R"line(at(x, 1).set(5))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(at(x, 1).set(5)); }});
  list.push_back({R"line(x.at(Slice{1, 3}).set(y(Slice{0, 2})))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.at(Slice{1, 3}).set(y(Slice{0, 2}))); }});
  list.push_back({R"line(m.at(0, Slice{.step = 2}).add(1.5))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.at(0, Slice{.step = 2}).add(1.5)); }});
  list.push_back({R"line(x.at().set(5))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.at().set(5)); }});
  list.push_back({R"line(x.at(i).add(y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.at(i).add(y)); }});
  list.push_back({R"line(scatter_add(x, i, y * 2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(scatter_add(x, i, y * 2)); }});
  list.push_back({R"line(m.at(i % 3, i).mul(2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.at(i % 3, i).mul(2)); }});
  list.push_back({R"line(x.at(i).min(y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.at(i).min(y)); }});
  list.push_back({R"line(x.at(Slice{1}).max(0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.at(Slice{1}).max(0)); }});
  list.push_back({R"line(m.at(Slice{}, 1).get())line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.at(Slice{}, 1).get()); }});
  list.push_back({R"line(x.at(Slice{.step = 2}).apply([](Array v) { return sin(v); }))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.at(Slice{.step = 2}).apply([](Array v) { return sin(v); })); }});
  list.push_back({R"line(take(m, i, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(take(m, i, 1)); }});
  list.push_back({R"line(take_along_axis(x, i, 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(take_along_axis(x, i, 0)); }});
  list.push_back({R"line(put_along_axis(x, i(Slice{0, 2}), 7.0, 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(put_along_axis(x, i(Slice{0, 2}), 7.0, 0)); }});
  list.push_back({R"line(put(m, i, 9))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(put(m, i, 9)); }});
  list.push_back({R"line(nonzero(p, {.size = 3}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nonzero(p, {.size = 3})); }});
  list.push_back({R"line(where(p, {.size = 3, .fill_value = -1}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(where(p, {.size = 3, .fill_value = -1})); }});
  list.push_back({R"line(flatnonzero(p, {.size = 2}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(flatnonzero(p, {.size = 2})); }});
  list.push_back({R"line(argwhere(m > 0, {.size = 5}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(argwhere(m > 0, {.size = 5})); }});
  list.push_back({R"line(select({p, q}, {x, y}, 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(select({p, q}, {x, y}, 0)); }});
  list.push_back({R"line(piecewise(x, {x < 0, x > 1}, {0, [](Array v) { return 2 * v; }, 7}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(piecewise(x, {x < 0, x > 1}, {0, [](Array v) { return 2 * v; }, 7})); }});
  list.push_back({R"line(choose(i % 2, {x, y}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(choose(i % 2, {x, y})); }});
  list.push_back({R"line(unravel_index(i, {2, 3}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(unravel_index(i, {2, 3})); }});
  list.push_back({R"line(ravel_multi_index({i, i}, {4, 5}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ravel_multi_index({i, i}, {4, 5})); }});
  list.push_back({R"line(dynamic_slice(x, {1}, {2}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(dynamic_slice(x, {1}, {2})); }});
  list.push_back({R"line(dynamic_update_slice(x, y(Slice{0, 2}), {1}))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(dynamic_update_slice(x, y(Slice{0, 2}), {1})); }});
  list.push_back({R"line(x + 1)line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x + 1); }});
  list.push_back({R"line(pow(x, 2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pow(x, 2)); }});
  list.push_back({R"line(power(y, x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(power(y, x)); }});
  list.push_back({R"line(pow(i, 2))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pow(i, 2)); }});
  list.push_back({R"line(-x / 2 - y)line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(-x / 2 - y); }});
  list.push_back({R"line(abs(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(abs(x)); }});
  list.push_back({R"line(absolute(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(absolute(x)); }});
  list.push_back({R"line(fabs(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(fabs(i)); }});
  list.push_back({R"line(sqrt(i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(sqrt(i)); }});
  list.push_back({R"line(exp2(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(exp2(x)); }});
  list.push_back({R"line(log2(y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(log2(y)); }});
  list.push_back({R"line(log10(y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(log10(y)); }});
  list.push_back({R"line(cbrt(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(cbrt(x)); }});
  list.push_back({R"line(tan(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(tan(x)); }});
  list.push_back({R"line(sinh(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(sinh(x)); }});
  list.push_back({R"line(atan(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(atan(x)); }});
  list.push_back({R"line(asin(x / 4))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(asin(x / 4)); }});
  list.push_back({R"line(atanh(x / 4))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(atanh(x / 4)); }});
  list.push_back({R"line(atan2(x, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(atan2(x, y)); }});
  list.push_back({R"line(arctan2(y, x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(arctan2(y, x)); }});
  list.push_back({R"line(arcsin(x / 4))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(arcsin(x / 4)); }});
  list.push_back({R"line(arccos(x / 4))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(arccos(x / 4)); }});
  list.push_back({R"line(arctan(y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(arctan(y)); }});
  list.push_back({R"line(arcsinh(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(arcsinh(x)); }});
  list.push_back({R"line(arccosh(1 + y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(arccosh(1 + y)); }});
  list.push_back({R"line(arctanh(x / 4))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(arctanh(x / 4)); }});
  list.push_back({R"line(hypot(x, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hypot(x, y)); }});
  list.push_back({R"line(floor_divide(x, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(floor_divide(x, y)); }});
  list.push_back({R"line(mod(x, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(mod(x, y)); }});
  list.push_back({R"line(divmod(x, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(divmod(x, y)); }});
  list.push_back({R"line(fmod(x, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(fmod(x, y)); }});
  list.push_back({R"line(remainder(x, y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(remainder(x, y)); }});
  list.push_back({R"line(reciprocal(y))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(reciprocal(y)); }});
  list.push_back({R"line(trunc(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(trunc(x)); }});
  list.push_back({R"line(rint(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(rint(x)); }});
  list.push_back({R"line(ldexp(x, i))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ldexp(x, i)); }});
  list.push_back({R"line(frexp(x))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(frexp(x)); }});
  list.push_back({R"line(x.round(1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.round(1)); }});
  list.push_back({R"line(clip(x, 0, 1))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(clip(x, 0, 1)); }});
  list.push_back({R"line(maximum(x, 0))line", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(maximum(x, 0)); }});
  return list;
}

}  // namespace ingot::testing
// clang-format on
