// Reductions along any axes, with a region that combines two elements (or n pairs of them).
#include <algorithm>
#include <numeric>

#include "ops/batching.h"
#include "ops/derivatives.h"
#include "ops/identities.h"
#include "ops/kinds.h"
#include "ops/reference.h"
#include "ops/registry.h"

namespace ingot::ops {
namespace {

Types infer_reduce(const InferContext& context) {
  const size_t total = context.operands.size(), n = total / 2;
  if (total == 0 || total % 2 != 0) {
    fail("has ", total, " operands, but takes n >= 1 arrays and then n initial values");
  }
  const IntList& axes = context.attributes.list("axes");
  const Shape& shape = context.operands[0].shape;
  want_distinct_axes(axes, static_cast<int64_t>(shape.size()), "axes");
  if (!std::is_sorted(axes.begin(), axes.end())) fail("'axes' is ", List{axes}, ", but must ascend");
  Types scalars, results;
  for (size_t k = 0; k < n; ++k) {
    const TensorType& x = context.operands[k];
    if (x.shape != shape) {
      fail("array ", k, " is ", x, ", but array 0 is ", context.operands[0], "; they must have one shape");
    }
    const TensorType scalar{x.dtype, {}};
    if (context.operands[n + k] != scalar) {
      fail("the initial value of array ", k, " is ", context.operands[n + k], ", but must be ", scalar);
    }
    scalars.push_back(scalar);
    results.push_back({x.dtype, without_axes(shape, axes)});
  }
  Types arguments = scalars;
  arguments.insert(arguments.end(), scalars.begin(), scalars.end());
  want_region_arguments(*context.regions[0], arguments,
                        "one accumulator per array, then one element per array");
  if (result_types(*context.regions[0]) != scalars) {
    fail("the region must return the ", n, n == 1 ? " new accumulator" : " new accumulators",
         " as scalars of the arrays' dtypes");
  }
  return results;
}

// The elements of x that belong to result element i are x[bases[i] + offset] for the offsets in row-major
// order.
struct Walk {
  std::vector<int64_t> bases, offsets;
};

std::vector<int64_t> positions(const Shape& shape, std::span<const int64_t> axes) {
  const std::vector<int64_t> strides = strides_of(shape);
  Shape extents;
  std::vector<int64_t> steps;
  for (int64_t axis : axes) {
    extents.push_back(shape[static_cast<size_t>(axis)]);
    steps.push_back(strides[static_cast<size_t>(axis)]);
  }
  std::vector<int64_t> result(static_cast<size_t>(element_count(extents))), index(extents.size(), 0);
  for (int64_t& position : result) {
    position = linear_index(index, steps);
    next_index(extents, index);
  }
  return result;
}

Walk walk_of(const Shape& shape, const IntList& axes) {
  IntList kept;
  for (int64_t i = 0; i < static_cast<int64_t>(shape.size()); ++i) {
    if (!contains(axes, i)) kept.push_back(i);
  }
  std::vector<int64_t> bases = positions(shape, kept);
  if (bases.empty()) return {};  // what nobody reduces may have any length
  return {std::move(bases), positions(shape, axes)};
}

template <class T, class Acc, class Fn>
Tensor fold(const Tensor& x, const Tensor& init, const Walk& walk, const Shape& shape, Fn fn) {
  Tensor result(x.dtype(), shape);
  const T* in = x.data<T>();
  T* out = result.data<T>();
  for (size_t i = 0; i < walk.bases.size(); ++i) {
    Acc acc = static_cast<Acc>(init.data<T>()[0]);
    for (int64_t offset : walk.offsets) acc = fn(acc, static_cast<Acc>(in[walk.bases[i] + offset]));
    out[i] = static_cast<T>(acc);
  }
  return result;
}

// The usual reductions at once; floating sums and products in wider arithmetic, rounded at the end. Returns
// false for other operations.
bool reduce_quickly(std::string_view name, const Tensor& x, const Tensor& init, const Walk& walk,
                    const Shape& shape, Tensors& results) {
  bool done = false;
  visit_dtype(x.dtype(), [&]<class T>(std::type_identity<T>) {
    if constexpr (!std::is_same_v<T, bool>) {
      using Acc = Accumulated<T>;
      auto run = [&]<class A>(std::type_identity<A>, auto fn) {
        results.push_back(fold<T, A>(x, init, walk, shape, fn));
        done = true;
      };
      if (name == "add") run(std::type_identity<Acc>(), [](Acc a, Acc b) { return a + b; });
      if (name == "mul") run(std::type_identity<Acc>(), [](Acc a, Acc b) { return multiply(a, b); });
      if constexpr (is_complex(dtype_of<T>()))
        return;
      else {
        if (name == "max") run(std::type_identity<T>(), Extreme<true>());
        if (name == "min") run(std::type_identity<T>(), Extreme<false>());
      }
    }
  });
  return done;
}

Tensors reduce_reference(const Op& op, std::span<const Tensor> operands, Evaluator& evaluator) {
  const size_t n = operands.size() / 2;
  const Walk walk = walk_of(operands[0].shape(), op.attributes().list("axes"));
  const Shape& shape = op.result()->shape();
  Tensors results;
  if (reduce_quickly(combiner_of(op), operands[0], operands[1], walk, shape, results)) return results;
  for (size_t k = 0; k < n; ++k) results.emplace_back(operands[k].dtype(), shape);
  for (size_t i = 0; i < walk.bases.size(); ++i) {
    Tensors state(operands.begin() + static_cast<int64_t>(n), operands.end());
    for (int64_t offset : walk.offsets) {
      for (size_t k = 0; k < n; ++k) {
        Tensor element(operands[k].dtype(), {});
        copy_element(element, 0, operands[k], walk.bases[i] + offset);
        state.push_back(element);
      }
      state = evaluator.run(op.region(), state);
    }
    for (size_t k = 0; k < n; ++k) copy_element(results[k], static_cast<int64_t>(i), state[k], 0);
  }
  return results;
}

// Initial values are neutral to the region, so that those of all elements of a batch do the same: the first
// one is as good as any.
Value* shared_initial_value(const Batched& init, Batcher& batcher) {
  if (init.shared()) return init.value;
  if (batcher.size() == 0) return batcher.constant(Tensor(init.value->dtype(), {}));
  const Attributes first{{"starts", IntList{0}}, {"limits", IntList{1}}, {"strides", IntList{1}}};
  Value* slice = batcher.make("slice", {init.value}, first)->result();
  return batcher.make("reshape", {slice}, {{"shape", IntList{}}})->result();
}

Batches batch_reduce(const Op& op, std::span<const Batched> x, Batcher& batcher) {
  const size_t n = x.size() / 2;
  const std::span<const Batched> arrays = x.subspan(0, n);
  const int64_t axis = first_batch_axis(arrays);
  std::vector<Value*> operands;
  for (const Batched& array : arrays) operands.push_back(with_batch_at(batcher, array, axis));
  for (const Batched& init : x.subspan(n)) operands.push_back(shared_initial_value(init, batcher));
  const IntList &reduced = op.attributes().list("axes"), axes = batched_dims(reduced, axis);
  std::vector<std::unique_ptr<ir::Region>> regions;
  const std::vector<int64_t> scalars(2 * n, Batched::kShared);
  regions.push_back(batcher.batch(op.region(), scalars).region);
  const Op* made = batcher.make("reduce", operands, {{"axes", axes}}, std::move(regions));
  const int64_t before = std::count_if(reduced.begin(), reduced.end(), [&](int64_t d) { return d < axis; });
  Batches results;
  for (Value* result : made->results()) results.push_back({result, axis - before});
  return results;
}

constinit const OpRecord reduce{
    .name = "reduce",
    .doc =
        "(x1 .. xn, init1 .. initn): combines the elements of n arrays of one shape along `axes` (ascending) "
        "to n "
        "arrays without them. The region (acc1 .. accn, x1 .. xn) returns the new accumulators; it must be "
        "associative, "
        "and the initial values, which are scalars, neutral to it, since the order of combination is not "
        "fixed.",
    .operands = Arity{2, Arity::kAny},
    .regions = 1,
    .attributes = AttributeList{attribute::list("axes")},
    .infer = infer_reduce,
    .batch = batch_reduce,
    .becomes = ir::Reduction{},
    .reference = reduce_reference,
    .identities = reduce_identities,
    .jvp = ir::Terms{reduce_term},
    .transpose = reduce_transpose,
    .stablehlo = "stablehlo.reduce",
};

constexpr const OpRecord* kReduceRecords[] = {&reduce};

}  // namespace

Records reduce_records() {
  return kReduceRecords;
}

const OpRecord& ReduceOp::record() {
  return reduce;
}

}  // namespace ingot::ops
