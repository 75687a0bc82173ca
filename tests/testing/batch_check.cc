#include "testing/batch_check.h"

#include "interpreter/interpreter.h"
#include "ir/text.h"
#include "ir/verifier.h"
#include "ops/support.h"
#include "testing/differential.h"

namespace ingot::testing {
namespace {

using ir::Batched;

void copy_slice(Tensor& slice, Tensor& whole, int64_t axis, int64_t at, bool to_slice) {
  const std::vector<int64_t> strides = ops::strides_of(whole.shape());
  std::vector<int64_t> index(slice.shape().size(), 0);
  for (int64_t i = 0; i < slice.size(); ++i) {
    std::vector<int64_t> place = index;
    place.insert(place.begin() + axis, at);
    const int64_t position = ops::linear_index(place, strides);
    to_slice ? ops::copy_element(slice, i, whole, position) : ops::copy_element(whole, position, slice, i);
    ops::next_index(slice.shape(), index);
  }
}

}  // namespace

Tensor slice_at(const Tensor& x, int64_t axis, int64_t at) {
  Tensor slice(x.dtype(), ops::without_axes(x.shape(), {&axis, 1})), whole = x;
  copy_slice(slice, whole, axis, at, true);
  return slice;
}

Tensor stack(std::span<const Tensor> slices, int64_t axis) {
  Shape shape = slices[0].shape();
  shape.insert(shape.begin() + axis, static_cast<int64_t>(slices.size()));
  Tensor whole(slices[0].dtype(), shape);
  for (size_t i = 0; i < slices.size(); ++i) {
    Tensor slice = slices[i];
    copy_slice(slice, whole, axis, static_cast<int64_t>(i), false);
  }
  return whole;
}

std::string check_batched(const ir::Module& module, const BatchCheck& check, uint64_t seed) {
  ir::Module batched;
  const transform::BatchedFunction function =
      transform::batch(*module.entry(), batched, check.batch, check.argument_axes, check.wanted);
  ir::verify(batched);
  const std::string context = "\n" + ir::to_string(batched, {.locations = false});
  Random random(seed);
  const std::vector<Tensor> arguments = random_arguments(random, batched);
  const std::vector<Tensor> results = interpret(batched, arguments);
  for (size_t r = 0; r < check.wanted.size(); ++r) {
    if (check.wanted[r] != Batched::kShared && check.wanted[r] != function.result_axes[r])
      return "result " + std::to_string(r) + " is not batched along the axis that was wanted" + context;
  }
  for (int64_t at = 0; at < check.batch.size; ++at) {
    std::vector<Tensor> slices;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const int64_t axis = check.argument_axes[i];
      slices.push_back(axis == Batched::kShared ? arguments[i] : slice_at(arguments[i], axis, at));
    }
    const std::vector<Tensor> expected = interpret(module, slices);
    for (size_t r = 0; r < results.size(); ++r) {
      const int64_t axis = function.result_axes[r];
      const Tensor got = axis == Batched::kShared ? results[r] : slice_at(results[r], axis, at);
      if (const std::string text = difference(got, expected[r]); !text.empty())
        return "element " + std::to_string(at) + ", result " + std::to_string(r) + ": " + text + context;
    }
  }
  if (!check.compile) return "";
  std::vector<double> tolerances;
  for (const Tensor& result : results) tolerances.push_back(tolerance_of(result.dtype()));
  const std::string wrong = check_compiled(batched, tolerances, seed, {.all_targets = false});
  return wrong.empty() ? "" : wrong + context;
}

}  // namespace ingot::testing
