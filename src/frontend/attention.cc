// Attention, as a composition: how it runs is decided by the passes.
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
    detail::fail(where, "attention: q is " + q.type_string() + ", but must be of a float dtype");
  if (q.shape().back() != k.shape().back()) {
    detail::fail(where, "attention: q is " + q.type_string() + " and k is " + k.type_string() +
                            "; their last axes must have one extent, the depth");
  }
  if (k.shape()[k.shape().size() - 2] != v.shape()[v.shape().size() - 2]) {
    detail::fail(where, "attention: k is " + k.type_string() + " and v is " + v.type_string() +
                            "; their axes before the last must have one extent, the number of keys");
  }
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
