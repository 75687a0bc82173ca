// Sorting: by a comparator, and by keys, which is what the comparators of most programs come to
// (pass/cleanup/sort_keys.cc).
#include <algorithm>
#include <cstring>

#include "ops/batching.h"
#include "ops/derivatives.h"
#include "ops/kinds.h"
#include "ops/reference.h"
#include "ops/registry.h"

namespace ingot::ops {
namespace {

void want_equal_shapes(const InferContext& context) {
  if (context.operands.empty()) fail("has no operands, but takes one array or more");
  for (size_t k = 1; k < context.operands.size(); ++k) {
    if (context.operands[k].shape != context.operands[0].shape)
      fail("array ", k, " is ", context.operands[k], ", but array 0 is ", context.operands[0],
           "; they must have one shape");
  }
  want_axis(context.attributes.get<int64_t>("axis"), context.operands[0].rank(), "axis");
}

Types infer_sort(const InferContext& context) {
  want_equal_shapes(context);
  Types arguments;
  for (const TensorType& x : context.operands) arguments.insert(arguments.end(), 2, {x.dtype, {}});
  want_region_arguments(*context.regions[0], arguments, "two elements of each array");
  if (result_types(*context.regions[0]) != Types{{DType::kPred, {}}})
    fail("the region must return whether the first element comes before the second, as one pred");
  return {context.operands.begin(), context.operands.end()};
}

// --- meaning

// The elements of a row that is sorted lie `step` apart.
struct Rows {
  Rows(const Shape& shape, int64_t axis) : length(shape[static_cast<size_t>(axis)]) {
    for (size_t i = static_cast<size_t>(axis) + 1; i < shape.size(); ++i) step *= shape[i];
    count = length == 0 ? 0 : element_count(shape) / length;
  }
  int64_t begin(int64_t row) const { return row / step * step * length + row % step; }

  int64_t length, step = 1, count = 0;
};

// Puts rows of all arrays from `first` on into the order in which `less(i, j)` of the elements' places says.
// The results are of that shape: they may have the first elements of each row alone.
template <class Less>
Tensors in_order(std::span<const Tensor> x, size_t first, int64_t axis, const Shape& shape,
                 const Less& less) {
  Tensors results;
  for (size_t k = first; k < x.size(); ++k) results.emplace_back(x[k].dtype(), shape);
  const Rows rows(x[0].shape(), axis), kept(shape, axis);
  std::vector<int64_t> places(static_cast<size_t>(rows.length));
  for (int64_t row = 0; row < rows.count; ++row) {
    const int64_t begin = rows.begin(row);
    for (int64_t i = 0; i < rows.length; ++i) places[static_cast<size_t>(i)] = begin + i * rows.step;
    std::stable_sort(places.begin(), places.end(), less);
    for (int64_t i = 0; i < kept.length; ++i) {
      for (size_t k = first; k < x.size(); ++k)
        copy_element(results[k - first], kept.begin(row) + i * kept.step, x[k],
                     places[static_cast<size_t>(i)]);
    }
  }
  return results;
}

Tensors sort_reference(const Op& op, std::span<const Tensor> x, Evaluator& evaluator) {
  return in_order(x, 0, SortOp(op).axis(), op.result(0)->shape(), [&](int64_t i, int64_t j) {
    Tensors elements;
    for (const Tensor& operand : x) {
      for (const int64_t place : {i, j}) {
        elements.emplace_back(operand.dtype(), Shape());
        copy_element(elements.back(), 0, operand, place);
      }
    }
    return evaluator.run(op.region(), elements)[0].get_int(0) != 0;
  });
}

// -1, 0, 1: whether x comes before y.
template <class T>
int order_of(T x, T y, KeyOrder order) {
  if constexpr (is_float(dtype_of<T>())) {
    const auto a = static_cast<double>(x), b = static_cast<double>(y);
    if (order.by_value) {
      const int nan = (a != a) - (b != b);
      return nan != 0 || a != a ? nan : (a > b) - (a < b);
    }
    if (std::signbit(a) != std::signbit(b)) return std::signbit(a) ? -1 : 1;
    // Equal signs: by the other bits, as they lie in memory; of floats of a byte, by those of the f32.
    using Bits = std::conditional_t<is_small_float(dtype_of<T>()), float, T>;
    const auto of_x = static_cast<Bits>(x), of_y = static_cast<Bits>(y);
    uint64_t bits[2] = {0, 0};
    std::memcpy(&bits[0], &of_x, sizeof(Bits));
    std::memcpy(&bits[1], &of_y, sizeof(Bits));
    const int further = (bits[0] > bits[1]) - (bits[0] < bits[1]);
    return std::signbit(a) ? -further : further;
  } else {
    return (x > y) - (x < y);
  }
}

int order_of(const Tensor& x, int64_t i, int64_t j, KeyOrder order) {
  int sign = 0;
  visit_dtype(x.dtype(), [&]<class T>(std::type_identity<T>) {
    if constexpr (!is_complex(dtype_of<T>())) sign = order_of<T>(x.data<T>()[i], x.data<T>()[j], order);
  });
  return order.descending ? -sign : sign;
}

// --- batching

Batches batch_rows(const Op& op, std::span<const Batched> x, Batcher& batcher) {
  const int64_t axis = first_batch_axis(x);
  std::vector<Value*> operands;
  for (const Batched& array : x) operands.push_back(with_batch_at(batcher, array, axis));
  Attributes attributes = op.attributes();
  attributes.set("axis", batched_dim(attributes.get<int64_t>("axis"), axis));
  std::vector<std::unique_ptr<ir::Region>> regions;
  if (op.region_count() > 0) {
    const std::vector<int64_t> scalars(2 * x.size(), Batched::kShared);
    regions.push_back(batcher.batch(op.region(), scalars).region);
  }
  Batches results;
  for (Value* result : batcher.make(op.name(), operands, attributes, std::move(regions))->results())
    results.push_back({result, axis});
  return results;
}

constinit const OpRecord sort{
    .name = "sort",
    .doc =
        "(x1 .. xn): the elements of n arrays of one shape along `axis`, in the order that the region says: "
        "(a1, b1 .. an, bn), of each array two elements, gives whether the first ones come before the second "
        "ones. Elements of which neither comes first keep their order; without `stable` nobody relies on it.",
    .operands = Arity{1, Arity::kAny},
    .regions = 1,
    .attributes = AttributeList{attribute::integer("axis"), attribute::flag("stable")},
    .infer = infer_sort,
    .batch = batch_rows,
    .becomes = ir::LibraryRoutine{.routine = "merge_sort", .computes = false},
    .reference = sort_reference,
    .identities = nullptr,
    .jvp =
        ir::NotDifferentiable{"the places of sorted elements do not vary continuously; where derivatives are "
                              "taken, its floats are gathered from these places"},
    .transpose = ir::NotLinear{},
    .stablehlo = "stablehlo.sort",
};

// --- by keys

Types infer_sort_by_keys(const InferContext& context) {
  want_equal_shapes(context);
  const IntList& orders = context.attributes.list("orders");
  if (orders.empty() || orders.size() > context.operands.size())
    fail("has ", context.operands.size(), " operands and 'orders' of ", orders.size(),
         " keys, but must have one key or more among its operands");
  for (size_t k = 0; k < orders.size(); ++k) {
    want_dtype(context.operands[k], kNumbers | kPreds, "a key");
    if (orders[k] < 0 || orders[k] > (is_float(context.operands[k].dtype) ? 3 : 1))
      fail("'orders' has ", orders[k], " for key ", k, ", a ", context.operands[k],
           "; it must be 0 (ascending) or 1 (descending), or, of floats by their values, 2 or 3");
  }
  Types results(context.operands.begin() + static_cast<int64_t>(orders.size()), context.operands.end());
  if (!context.attributes.has("first")) return results;
  const auto axis = static_cast<size_t>(context.attributes.get<int64_t>("axis"));
  const int64_t first = context.attributes.get<int64_t>("first"), all = context.operands[0].shape[axis];
  if (first < 0 || first > all)
    fail("'first' is ", first, ", but dimension ", axis, " of ", context.operands[0], " has ", all,
         " elements");
  for (TensorType& type : results) type.shape[axis] = first;
  return results;
}

Tensors sort_by_keys_reference(const Op& op, std::span<const Tensor> x, Evaluator&) {
  const SortByKeysOp form(op);
  if (op.result_count() == 0) return {};
  return in_order(x, static_cast<size_t>(form.key_count()), form.axis(), op.result(0)->shape(),
                  [&](int64_t i, int64_t j) {
                    int sign = 0;
                    for (int k = 0; k < form.key_count() && sign == 0; ++k)
                      sign = order_of(x[static_cast<size_t>(k)], i, j, form.order(k));
                    return sign < 0;
                  });
}

constinit const OpRecord sort_by_keys{
    .name = "sort_by_keys",
    .doc =
        "(key1 .. keyn, x1 .. xm): the elements of m arrays along `axis`, in the order of n keys, the first "
        "one of which that differs decides; elements with equal keys keep their order. `orders` says of each "
        "key: 0, ascending (floats by their bits, -NaN < -inf .. -0 < +0 .. inf < NaN); 2, ascending by "
        "value "
        "(-0 and +0 are equal, NaN are equal and last); 1 and 3, the same in descending order. With `first`, "
        "so many elements from the beginning of the order are the results. Made of sort where its comparator "
        "compares keys.",
    .operands = Arity{1, Arity::kAny},
    .regions = 0,
    .attributes = AttributeList{attribute::integer("axis"), attribute::list("orders"),
                                attribute::integer("first").optional()},
    .infer = infer_sort_by_keys,
    .batch = batch_rows,
    .becomes = ir::LibraryRoutine{.routine = "radix_sort", .computes = false},
    .reference = sort_by_keys_reference,
    .identities = nullptr,
    .jvp = ir::NotDifferentiable{"it is made of sort after everything has been differentiated"},
    .transpose = ir::NotLinear{},
    .stablehlo = "",
};

constexpr const OpRecord* kSortRecords[] = {&sort, &sort_by_keys};

}  // namespace

Records sort_records() {
  return kSortRecords;
}

const OpRecord& SortOp::record() {
  return sort;
}
const OpRecord& SortByKeysOp::record() {
  return sort_by_keys;
}

}  // namespace ingot::ops
