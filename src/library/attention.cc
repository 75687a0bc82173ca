// Attention, as a composition: how it runs is decided by the passes.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "frontend/apply.h"

namespace ingot {
namespace {

void check_operands(const Array& q, const Array& k, const Array& v, const std::source_location& where) {
  for (const Array* array : {&q, &k, &v}) {
    if (array->rank() < 2)
      detail::fail(where, "attention: an operand is " + array->type_string() +
                              ", but needs the axes [..., length, depth]");
  }
  if (!is_float(q.dtype()))
    detail::fail(where, "attention: q is " + q.type_string() +
                            ", but must be of a float dtype; convert it with .astype(ingot::DType::kF32)");
  if (q.shape().back() != k.shape().back()) {
    detail::fail(where, "attention: q is " + q.type_string() + " and k is " + k.type_string() +
                            "; their last axes must have one extent, the depth");
  }
  if (k.shape()[k.shape().size() - 2] != v.shape()[v.shape().size() - 2]) {
    detail::fail(where, "attention: k is " + k.type_string() + " and v is " + v.type_string() +
                            "; their axes before the last must have one extent, the number of keys");
  }
}

int64_t queries_of(const Array& q) {
  return q.shape()[q.shape().size() - 2];
}

Shape leading_axes(const Array& x) {
  return {x.shape().begin(), x.shape().end() - std::min<std::ptrdiff_t>(x.rank(), 2)};
}

// The leading axes of all operands broadcast, and the bias to the scores.
void check_broadcast(const std::vector<Array>& arrays, const std::source_location& where) {
  Shape leading;
  std::string types;
  const auto joins = [&](const Shape& shape) {
    const size_t rank = std::max(leading.size(), shape.size());
    Shape joined(rank, 1);
    for (const Shape* part : std::initializer_list<const Shape*>{&leading, &shape}) {
      for (size_t i = 0; i < part->size(); ++i) {
        int64_t& extent = joined[rank - part->size() + i];
        if ((*part)[i] == 1) continue;
        if (extent != 1 && extent != (*part)[i]) return false;
        extent = (*part)[i];
      }
    }
    leading = std::move(joined);
    return true;
  };
  for (size_t i = 0; i < 3; ++i)
    types += std::string(i == 0 ? "q is " : i == 1 ? ", k is " : " and v is ") + arrays[i].type_string();
  for (size_t i = 0; i < 3; ++i) {
    if (!joins(leading_axes(arrays[i])))
      detail::fail(where, "attention: " + types + "; their axes before the last two must broadcast");
  }
  if (arrays.size() == 3) return;
  const Array& bias = arrays[3];
  const Shape& shape = bias.shape();
  const int64_t queries = queries_of(arrays[0]), keys = queries_of(arrays[1]);
  const auto fits = [](int64_t extent, int64_t wanted) { return extent == 1 || extent == wanted; };
  const size_t rank = shape.size();
  if ((rank < 1 || fits(shape[rank - 1], keys)) && (rank < 2 || fits(shape[rank - 2], queries)) &&
      joins(leading_axes(bias)))
    return;
  Shape scores = leading;
  scores.insert(scores.end(), {queries, keys});
  detail::fail(where, "attention: the bias is " + bias.type_string() + ", but must broadcast to " +
                          ingot::to_string(scores) + ", the scores' [..., queries, keys]");
}

// Of no keys there is no mean, unless nobody asks for it.
void check_keys(const Array& q, const Array& k, const Array& v, const std::source_location& where) {
  if (queries_of(k) > 0 || q.size() == 0 || v.shape().back() == 0) return;
  detail::fail(where, "attention: k is " + k.type_string() + " and v is " + v.type_string() +
                          ": there are no keys that the queries of " + q.type_string() +
                          " could attend to; there must be one or more");
}

Array positions(int64_t count, bool of_queries) {
  return reshape(iota(DType::kS32, {count}, 0), of_queries ? Shape{count, 1} : Shape{1, count});
}

}  // namespace

Array attention(const Operand& q_operand, const Operand& k_operand, const Operand& v_operand,
                const AttentionOptions& options) {
  const std::source_location& where = q_operand.where();
  const CallerScope caller(where);
  std::vector<Operand> operands = {q_operand, k_operand, v_operand};
  if (options.bias) operands.push_back(Operand(*options.bias, where));
  std::vector<Array> arrays = detail::same_dtype("attention", operands, where);
  check_operands(arrays[0], arrays[1], arrays[2], where);
  check_broadcast(arrays, where);
  check_keys(arrays[0], arrays[1], arrays[2], where);
  const double scale = options.scale.value_or(1 / std::sqrt(static_cast<double>(arrays[0].shape().back())));
  const std::vector<int64_t> words = {options.causal, std::bit_cast<int64_t>(scale)};
  return detail::apply("attention", arrays, words, where, [&](const std::vector<Array>& given) {
    // Of f16 and bf16, scores and their softmax are f32; the result is rounded once.
    std::vector<Array> x = given;
    for (Array& array : x) array = detail::in_f32(array);
    std::vector<int64_t> swapped(x[1].shape().size());
    for (size_t i = 0; i < swapped.size(); ++i) swapped[i] = static_cast<int64_t>(i);
    std::swap(swapped[swapped.size() - 1], swapped[swapped.size() - 2]);
    Array scores = matmul(x[0], transpose(x[1], swapped)) * scale;
    if (x.size() > 3) scores = scores + x[3];
    if (options.causal) {
      const int64_t queries = scores.shape()[scores.shape().size() - 2], keys = scores.shape().back();
      scores = ingot::where(positions(queries, true) >= positions(keys, false), scores,
                            -std::numeric_limits<double>::infinity());
    }
    return matmul(softmax(scores), x[2]).astype(arrays[0].dtype());
  });
}

}  // namespace ingot
