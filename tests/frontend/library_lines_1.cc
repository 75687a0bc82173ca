// The lines of docs/from_jax.md and golden/library_cases.md, written by golden/jax_library.py.
#include <cmath>

#include "frontend/library_lines.h"

// clang-format off
namespace ingot::testing {

std::vector<Line> library_lines_1() {
  std::vector<Line> list;
  list.push_back({R"(Array({{1.0f, 2.0f}, {3.0f, 4.0f}}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(Array({{1.0f, 2.0f}, {3.0f, 4.0f}})); }});
  list.push_back({R"(Array({1, 2, 3}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(Array({1, 2, 3})); }});
  list.push_back({R"(Array({0.5, 1.5}, DType::kBF16))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(Array({0.5, 1.5}, DType::kBF16)); }});
  list.push_back({R"(Array::zeros({2, 3}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(Array::zeros({2, 3})); }});
  list.push_back({R"(Array::ones({2, 3}, DType::kS32))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(Array::ones({2, 3}, DType::kS32)); }});
  list.push_back({R"(Array::full({3}, 1.5))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(Array::full({3}, 1.5)); }});
  list.push_back({R"(zeros(3))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(zeros(3)); }});
  list.push_back({R"(ones({2, 2}, DType::kS32))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ones({2, 2}, DType::kS32)); }});
  list.push_back({R"(full({2}, 7))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(full({2}, 7)); }});
  list.push_back({R"(array({1.5f, 2.5f}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(array({1.5f, 2.5f})); }});
  list.push_back({R"(full_like(x, 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(full_like(x, 1)); }});
  list.push_back({R"(zeros_like(m))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(zeros_like(m)); }});
  list.push_back({R"(ones_like(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ones_like(i)); }});
  list.push_back({R"(empty_like(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(empty_like(x)); }});
  list.push_back({R"(arange(6))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(arange(6)); }});
  list.push_back({R"(arange(1, 10, 3))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(arange(1, 10, 3)); }});
  list.push_back({R"(linspace(0.0, 1.0, 5))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(linspace(0.0, 1.0, 5)); }});
  list.push_back({R"(linspace(0, 10, 4, {.endpoint = false}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(linspace(0, 10, 4, {.endpoint = false})); }});
  list.push_back({R"(logspace(0, 2, 5))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(logspace(0, 2, 5)); }});
  list.push_back({R"(geomspace(1, 1000, 4))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(geomspace(1, 1000, 4)); }});
  list.push_back({R"(eye(3))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(eye(3)); }});
  list.push_back({R"(eye(3, DType::kS32))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(eye(3, DType::kS32)); }});
  list.push_back({R"(eye(3, 4, 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(eye(3, 4, 1)); }});
  list.push_back({R"(identity(3))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(identity(3)); }});
  list.push_back({R"(tri(3, 4))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(tri(3, 4)); }});
  list.push_back({R"(tril(m))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(tril(m)); }});
  list.push_back({R"(triu(m, 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(triu(m, 1)); }});
  list.push_back({R"(diag(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(diag(x)); }});
  list.push_back({R"(diag(m))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(diag(m)); }});
  list.push_back({R"(diagflat(x, 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(diagflat(x, 1)); }});
  list.push_back({R"(diagonal(m, 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(diagonal(m, 1)); }});
  list.push_back({R"(trace(m))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(trace(m)); }});
  list.push_back({R"(vander(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(vander(x)); }});
  list.push_back({R"(meshgrid(x, y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(meshgrid(x, y)); }});
  list.push_back({R"(indices({2, 3}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(indices({2, 3})); }});
  list.push_back({R"(one_hot(i, 5))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(one_hot(i, 5)); }});
  list.push_back({R"(iota(DType::kS32, {4}, 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(iota(DType::kS32, {4}, 0)); }});
  list.push_back({R"(hanning(5))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hanning(5)); }});
  list.push_back({R"(hamming(6))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hamming(6)); }});
  list.push_back({R"(blackman(5))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(blackman(5)); }});
  list.push_back({R"(bartlett(6))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(bartlett(6)); }});
  list.push_back({R"(kaiser(5, 8.6))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(kaiser(5, 8.6)); }});
  list.push_back({R"(Array(static_cast<int>(x.shape(0) + m.rank() + m.size())))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(Array(static_cast<int>(x.shape(0) + m.rank() + m.size()))); }});
  list.push_back({R"(x.astype(DType::kS32))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.astype(DType::kS32)); }});
  list.push_back({R"(Array(static_cast<int>(m.ndim() + size(m))))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(Array(static_cast<int>(m.ndim() + size(m)))); }});
  list.push_back({R"(x.copy())", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.copy()); }});
  list.push_back({R"(m.reshape({2, -1}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.reshape({2, -1})); }});
  list.push_back({R"(m.ravel())", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.ravel()); }});
  list.push_back({R"(m.flatten())", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.flatten()); }});
  list.push_back({R"(m.T())", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.T()); }});
  list.push_back({R"(m.transpose({1, 0}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.transpose({1, 0})); }});
  list.push_back({R"(swapaxes(m, 0, 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(swapaxes(m, 0, 1)); }});
  list.push_back({R"(moveaxis(m, 0, 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(moveaxis(m, 0, 1)); }});
  list.push_back({R"(expand_dims(x, 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(expand_dims(x, 0)); }});
  list.push_back({R"(squeeze(x(kNewAxis)))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(squeeze(x(kNewAxis))); }});
  list.push_back({R"(broadcast_to(x, {3, 4}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(broadcast_to(x, {3, 4})); }});
  list.push_back({R"(atleast_2d(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(atleast_2d(x)); }});
  list.push_back({R"(concatenate({x, y}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(concatenate({x, y})); }});
  list.push_back({R"(stack({x, y}, 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(stack({x, y}, 1)); }});
  list.push_back({R"(hstack({x, y}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hstack({x, y})); }});
  list.push_back({R"(vstack({x, y}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(vstack({x, y})); }});
  list.push_back({R"(dstack({x, y}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(dstack({x, y})); }});
  list.push_back({R"(column_stack({x, y}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(column_stack({x, y})); }});
  list.push_back({R"(append(x, y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(append(x, y)); }});
  list.push_back({R"(block({{m, m}, {m, m}}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(block({{m, m}, {m, m}})); }});
  list.push_back({R"(split(x, 2))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(split(x, 2)); }});
  list.push_back({R"(split(x, {1, 3}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(split(x, {1, 3})); }});
  list.push_back({R"(array_split(x, 3))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(array_split(x, 3)); }});
  list.push_back({R"(hsplit(m, 2))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hsplit(m, 2)); }});
  list.push_back({R"(unstack(m))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(unstack(m)); }});
  list.push_back({R"(tile(x, {2}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(tile(x, {2})); }});
  list.push_back({R"(tile(m, {2, 1}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(tile(m, {2, 1})); }});
  list.push_back({R"(repeat(x, 3))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(repeat(x, 3)); }});
  list.push_back({R"(repeat(m, 2, 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(repeat(m, 2, 1)); }});
  list.push_back({R"(repeat(x, k, {.total_repeat_length = 11}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(repeat(x, k, {.total_repeat_length = 11})); }});
  list.push_back({R"(roll(x, 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(roll(x, 1)); }});
  list.push_back({R"(roll(m, {1, -1}, {0, 1}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(roll(m, {1, -1}, {0, 1})); }});
  list.push_back({R"(flip(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(flip(x)); }});
  list.push_back({R"(fliplr(m))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(fliplr(m)); }});
  list.push_back({R"(flipud(m))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(flipud(m)); }});
  list.push_back({R"(rot90(m))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(rot90(m)); }});
  list.push_back({R"(pad(x, {1}, {1}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(x, {1}, {1})); }});
  list.push_back({R"(pad(x, {1}, {2}, PadMode::kEdge))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(x, {1}, {2}, PadMode::kEdge)); }});
  list.push_back({R"(pad(m, {2}, {2}, PadMode::kReflect))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(m, {2}, {2}, PadMode::kReflect)); }});
  list.push_back({R"(pad(x, {3}, {3}, PadMode::kWrap))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(x, {3}, {3}, PadMode::kWrap)); }});
  list.push_back({R"(pad(x, {2}, {2}, PadMode::kSymmetric))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(x, {2}, {2}, PadMode::kSymmetric)); }});
  list.push_back({R"(pad(x, {2}, {2}, PadMode::kLinearRamp))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(x, {2}, {2}, PadMode::kLinearRamp)); }});
  list.push_back({R"(pad(m, {1}, {1}, PadMode::kMean))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(m, {1}, {1}, PadMode::kMean)); }});
  list.push_back({R"(pad(m, {1}, {1}, PadMode::kMedian))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(m, {1}, {1}, PadMode::kMedian)); }});
  list.push_back({R"(pad(m, {1}, {1}, PadMode::kMaximum))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(m, {1}, {1}, PadMode::kMaximum)); }});
  list.push_back({R"(pad(m, {1}, {1}, PadMode::kMinimum))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pad(m, {1}, {1}, PadMode::kMinimum)); }});
  list.push_back({R"(delete_(x, {1}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(delete_(x, {1})); }});
  list.push_back({R"(x[0])", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x[0]); }});
  list.push_back({R"(x[-1])", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x[-1]); }});
  list.push_back({R"(m(1, 2))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m(1, 2)); }});
  list.push_back({R"(x(Slice{1, 3}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x(Slice{1, 3})); }});
  list.push_back({R"(x(Slice{.step = -1}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x(Slice{.step = -1})); }});
  list.push_back({R"(m(Slice{1, 3}, Slice{.step = 2}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m(Slice{1, 3}, Slice{.step = 2})); }});
  list.push_back({R"(m(Slice{}, 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m(Slice{}, 1)); }});
  list.push_back({R"(m(kEllipsis, 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m(kEllipsis, 0)); }});
  list.push_back({R"(x(Slice{}, kNewAxis))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x(Slice{}, kNewAxis)); }});
  list.push_back({R"(x(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x(i)); }});
  list.push_back({R"(m(Slice{}, i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m(Slice{}, i)); }});
  list.push_back({R"(m(i % 3, i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m(i % 3, i)); }});
  list.push_back({R"(m(i % 3, Slice{1, 3}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m(i % 3, Slice{1, 3})); }});
  list.push_back({R"(m(i[0]))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m(i[0])); }});
  list.push_back({R"(x[p])", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x[p]); }});
  list.push_back({R"(m(m > 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m(m > 0)); }});
  list.push_back({R"(at(x, x > 0).set(5))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(at(x, x > 0).set(5)); }});
  list.push_back({R"(m.at(m < 0).add(1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.at(m < 0).add(1)); }});
  list.push_back({R"(where(p, x, 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(where(p, x, 0)); }});
  list.push_back({R"(compress(p, x, {.size = 3}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(compress(p, x, {.size = 3})); }});
  list.push_back({R"(at(x, 1).set(5))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(at(x, 1).set(5)); }});
  list.push_back({R"(x.at(Slice{1, 3}).set(y(Slice{0, 2})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.at(Slice{1, 3}).set(y(Slice{0, 2}))); }});
  list.push_back({R"(m.at(0, Slice{.step = 2}).add(1.5))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.at(0, Slice{.step = 2}).add(1.5)); }});
  list.push_back({R"(x.at(i).add(y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.at(i).add(y)); }});
  list.push_back({R"(m.at(i % 3, i).mul(2))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.at(i % 3, i).mul(2)); }});
  list.push_back({R"(x.at(i).min(y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.at(i).min(y)); }});
  list.push_back({R"(x.at(Slice{1}).max(0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.at(Slice{1}).max(0)); }});
  list.push_back({R"(m.at(Slice{}, 1).get())", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.at(Slice{}, 1).get()); }});
  list.push_back({R"(x.at(Slice{.step = 2}).apply([](Array v) { return sin(v); }))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.at(Slice{.step = 2}).apply([](Array v) { return sin(v); })); }});
  list.push_back({R"(take(m, i, 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(take(m, i, 1)); }});
  list.push_back({R"(take_along_axis(x, i, 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(take_along_axis(x, i, 0)); }});
  list.push_back({R"(put_along_axis(x, i(Slice{0, 2}), 7.0, 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(put_along_axis(x, i(Slice{0, 2}), 7.0, 0)); }});
  list.push_back({R"(put(m, i, 9))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(put(m, i, 9)); }});
  list.push_back({R"(nonzero(p, {.size = 3}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nonzero(p, {.size = 3})); }});
  list.push_back({R"(where(p, {.size = 3, .fill_value = -1}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(where(p, {.size = 3, .fill_value = -1})); }});
  list.push_back({R"(flatnonzero(p, {.size = 2}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(flatnonzero(p, {.size = 2})); }});
  list.push_back({R"(argwhere(m > 0, {.size = 5}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(argwhere(m > 0, {.size = 5})); }});
  list.push_back({R"(select({p, q}, {x, y}, 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(select({p, q}, {x, y}, 0)); }});
  list.push_back({R"(piecewise(x, {x < 0, x > 1}, {0, [](Array v) { return 2 * v; }, 7}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(piecewise(x, {x < 0, x > 1}, {0, [](Array v) { return 2 * v; }, 7})); }});
  list.push_back({R"(choose(i % 2, {x, y}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(choose(i % 2, {x, y})); }});
  list.push_back({R"(unravel_index(i, {2, 3}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(unravel_index(i, {2, 3})); }});
  list.push_back({R"(ravel_multi_index({i, i}, {4, 5}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ravel_multi_index({i, i}, {4, 5})); }});
  list.push_back({R"(dynamic_slice(x, {1}, {2}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(dynamic_slice(x, {1}, {2})); }});
  list.push_back({R"(dynamic_update_slice(x, y(Slice{0, 2}), {1}))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(dynamic_update_slice(x, y(Slice{0, 2}), {1})); }});
  list.push_back({R"(x + 1)", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x + 1); }});
  list.push_back({R"(pow(x, 2))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pow(x, 2)); }});
  list.push_back({R"(power(y, x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(power(y, x)); }});
  list.push_back({R"(pow(i, 2))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(pow(i, 2)); }});
  list.push_back({R"(-x / 2 - y)", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(-x / 2 - y); }});
  list.push_back({R"(abs(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(abs(x)); }});
  list.push_back({R"(absolute(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(absolute(x)); }});
  list.push_back({R"(fabs(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(fabs(i)); }});
  list.push_back({R"(sqrt(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(sqrt(i)); }});
  list.push_back({R"(exp2(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(exp2(x)); }});
  list.push_back({R"(log2(y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(log2(y)); }});
  list.push_back({R"(log10(y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(log10(y)); }});
  list.push_back({R"(cbrt(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(cbrt(x)); }});
  list.push_back({R"(tan(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(tan(x)); }});
  list.push_back({R"(sinh(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(sinh(x)); }});
  list.push_back({R"(atan(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(atan(x)); }});
  list.push_back({R"(asin(x / 4))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(asin(x / 4)); }});
  list.push_back({R"(atanh(x / 4))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(atanh(x / 4)); }});
  list.push_back({R"(atan2(x, y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(atan2(x, y)); }});
  list.push_back({R"(arctan2(y, x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(arctan2(y, x)); }});
  list.push_back({R"(arcsin(x / 4))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(arcsin(x / 4)); }});
  list.push_back({R"(arccos(x / 4))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(arccos(x / 4)); }});
  list.push_back({R"(arctan(y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(arctan(y)); }});
  list.push_back({R"(arcsinh(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(arcsinh(x)); }});
  list.push_back({R"(arccosh(1 + y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(arccosh(1 + y)); }});
  list.push_back({R"(arctanh(x / 4))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(arctanh(x / 4)); }});
  list.push_back({R"(hypot(x, y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(hypot(x, y)); }});
  list.push_back({R"(floor_divide(x, y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(floor_divide(x, y)); }});
  list.push_back({R"(mod(x, y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(mod(x, y)); }});
  list.push_back({R"(divmod(x, y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(divmod(x, y)); }});
  list.push_back({R"(fmod(x, y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(fmod(x, y)); }});
  list.push_back({R"(remainder(x, y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(remainder(x, y)); }});
  list.push_back({R"(reciprocal(y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(reciprocal(y)); }});
  list.push_back({R"(trunc(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(trunc(x)); }});
  list.push_back({R"(rint(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(rint(x)); }});
  list.push_back({R"(ldexp(x, i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(ldexp(x, i)); }});
  list.push_back({R"(frexp(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(frexp(x)); }});
  list.push_back({R"(x.round(1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.round(1)); }});
  list.push_back({R"(clip(x, 0, 1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(clip(x, 0, 1)); }});
  list.push_back({R"(maximum(x, 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(maximum(x, 0)); }});
  list.push_back({R"(heaviside(x, 0.5))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(heaviside(x, 0.5)); }});
  list.push_back({R"(sinc(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(sinc(x)); }});
  list.push_back({R"(copysign(y, x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(copysign(y, x)); }});
  list.push_back({R"(signbit(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(signbit(x)); }});
  list.push_back({R"(deg2rad(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(deg2rad(x)); }});
  list.push_back({R"(rad2deg(x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(rad2deg(x)); }});
  list.push_back({R"(float_power(y, x))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(float_power(y, x)); }});
  list.push_back({R"(gcd(k, 10))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(gcd(k, 10)); }});
  list.push_back({R"(logaddexp(x, y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(logaddexp(x, y)); }});
  list.push_back({R"(isnan(n))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isnan(n)); }});
  list.push_back({R"(isinf(n))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isinf(n)); }});
  list.push_back({R"(isfinite(n))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isfinite(n)); }});
  list.push_back({R"(nan_to_num(n))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(nan_to_num(n)); }});
  list.push_back({R"(isclose(x, y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isclose(x, y)); }});
  list.push_back({R"(allclose(x, x + 1e-9))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(allclose(x, x + 1e-9)); }});
  list.push_back({R"(array_equal(x, y))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(array_equal(x, y)); }});
  list.push_back({R"(isin(i, Array({1, 2})))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(isin(i, Array({1, 2}))); }});
  list.push_back({R"(logical_and(p, q))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(logical_and(p, q)); }});
  list.push_back({R"(p & ~q)", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(p & ~q); }});
  list.push_back({R"(logical_xor(p, i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(logical_xor(p, i)); }});
  list.push_back({R"(bitwise_or(i, 4))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(bitwise_or(i, 4)); }});
  list.push_back({R"(i << 2)", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(i << 2); }});
  list.push_back({R"(real(c) + imag(c))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(real(c) + imag(c)); }});
  list.push_back({R"(x.mean())", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(x.mean()); }});
  list.push_back({R"(m.sum(0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.sum(0)); }});
  list.push_back({R"(sum(m, 1, kKeepDims))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(sum(m, 1, kKeepDims)); }});
  list.push_back({R"(m.max(-1))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(m.max(-1)); }});
  list.push_back({R"(amax(m, 0))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(amax(m, 0)); }});
  list.push_back({R"(amin(m))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(amin(m)); }});
  list.push_back({R"(mean(i))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(mean(i)); }});
  list.push_back({R"(var(c))", [](const Inputs& in) {
    [[maybe_unused]] const auto& [x, y, t, m, s, i, k, p, q, n, c, e, a, w, u] = in;
    return results(var(c)); }});
  return list;
}

}  // namespace ingot::testing
// clang-format on
