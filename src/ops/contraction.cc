// Contractions: sums of products over shared dimensions, in any order of dimensions.
#include <algorithm>

#include "ops/batching.h"
#include "ops/derivatives.h"
#include "ops/few_terms.h"
#include "ops/identities.h"
#include "ops/kinds.h"
#include "ops/reference.h"
#include "ops/registry.h"

namespace ingot::ops {
namespace {

struct Side {
  const IntList& batch;
  const IntList& contract;
  IntList free;  // the other dimensions, ascending
};

Side side_of(const Attributes& attributes, const char* batch, const char* contract, int64_t rank) {
  Side side{attributes.list(batch), attributes.list(contract), {}};
  for (int64_t i = 0; i < rank; ++i) {
    if (!contains(side.batch, i) && !contains(side.contract, i)) side.free.push_back(i);
  }
  return side;
}

void want_disjoint(const IntList& batch, const IntList& contract, int64_t rank, std::string_view both) {
  IntList all = batch;
  all.insert(all.end(), contract.begin(), contract.end());
  want_distinct_axes(all, rank, both);
}

void want_matching(const TensorType& lhs, const TensorType& rhs, const IntList& a, const IntList& b,
                   std::string_view what) {
  if (a.size() != b.size()) {
    fail("lhs_", what, " is ", List{a}, " and rhs_", what, " is ", List{b}, "; they must pair up");
  }
  for (size_t i = 0; i < a.size(); ++i) {
    const int64_t m = lhs.shape[static_cast<size_t>(a[i])], n = rhs.shape[static_cast<size_t>(b[i])];
    if (m == n) continue;
    fail("dimension ", a[i], " of ", lhs, " and dimension ", b[i], " of ", rhs, " are a ", what,
         " pair, but their extents ", m, " and ", n, " differ");
  }
}

// The dtype that is asked for, which holds the operands' sums no worse than their own does.
DType result_dtype(DType operands, const Attributes& attributes) {
  if (!attributes.has("dtype")) return operands;
  const DType wide = attributes.get<DType>("dtype");
  const bool same_kind = is_float(wide) == is_float(operands) && is_complex(wide) == is_complex(operands) &&
                         wide != DType::kPred;
  const bool other_half = is_narrow(wide) && wide != operands;
  if (!same_kind || other_half || byte_size(wide) < byte_size(operands))
    fail("'dtype' is ", name_of(wide), ", but must be a wider dtype of the kind of the operands', ",
         name_of(operands));
  return wide;
}

Types infer_dot_general(const InferContext& context) {
  const TensorType &lhs = context.operands[0], &rhs = context.operands[1];
  if (lhs.dtype != rhs.dtype)
    fail("the operands are ", lhs, " and ", rhs, "; convert one of them, so that they have one dtype");
  want_dtype(lhs, kFields, "an operand");
  Side left = side_of(context.attributes, "lhs_batch", "lhs_contract", lhs.rank());
  Side right = side_of(context.attributes, "rhs_batch", "rhs_contract", rhs.rank());
  want_disjoint(left.batch, left.contract, lhs.rank(), "lhs_batch and lhs_contract together");
  want_disjoint(right.batch, right.contract, rhs.rank(), "rhs_batch and rhs_contract together");
  want_matching(lhs, rhs, left.batch, right.batch, "batch");
  want_matching(lhs, rhs, left.contract, right.contract, "contract");
  TensorType result{result_dtype(lhs.dtype, context.attributes), {}};
  for (int64_t d : left.batch) result.shape.push_back(lhs.shape[static_cast<size_t>(d)]);
  for (int64_t d : left.free) result.shape.push_back(lhs.shape[static_cast<size_t>(d)]);
  for (int64_t d : right.free) result.shape.push_back(rhs.shape[static_cast<size_t>(d)]);
  return {result};
}

ir::ContractionTerm dot_general_index(const Op& op, std::span<const Index> result,
                                      std::span<const Index> summed) {
  const Side left = side_of(op.attributes(), "lhs_batch", "lhs_contract", op.operand(0)->rank());
  const Side right = side_of(op.attributes(), "rhs_batch", "rhs_contract", op.operand(1)->rank());
  size_t free = left.batch.size();
  const auto operand_index = [&](const Side& side, int64_t rank) {
    std::vector<Index> index(static_cast<size_t>(rank));
    for (size_t i = 0; i < side.batch.size(); ++i) index[static_cast<size_t>(side.batch[i])] = result[i];
    for (size_t i = 0; i < side.contract.size(); ++i)
      index[static_cast<size_t>(side.contract[i])] = summed[i];
    for (int64_t d : side.free) index[static_cast<size_t>(d)] = result[free++];
    return index;
  };
  ir::ContractionTerm term;
  term.lhs = operand_index(left, op.operand(0)->rank());
  term.rhs = operand_index(right, op.operand(1)->rank());
  return term;
}

Shape contracted_extents(const Op& op) {
  Shape extents;
  for (int64_t d : op.attributes().list("lhs_contract"))
    extents.push_back(op.operand(0)->shape()[static_cast<size_t>(d)]);
  return extents;
}

// Offsets of all index combinations along some dimensions, in the order of the list.
std::vector<int64_t> offsets_along(const Shape& shape, const IntList& dims) {
  const std::vector<int64_t> strides = strides_of(shape);
  std::vector<int64_t> offsets = {0};
  for (int64_t d : dims) {
    std::vector<int64_t> longer;
    for (int64_t base : offsets) {
      for (int64_t i = 0; i < shape[static_cast<size_t>(d)]; ++i)
        longer.push_back(base + i * strides[static_cast<size_t>(d)]);
    }
    offsets = std::move(longer);
  }
  return offsets;
}

// Whether elements of that type are summed in this one.
template <class T, class Acc>
constexpr bool kSummedIn =
    is_inexact(dtype_of<T>()) != std::is_same_v<Acc, uint64_t>&& is_complex(dtype_of<T>()) ==
    requires(Acc sum) {
  sum.real();
};

// One row of the operand, gathered.
template <class Acc>
void gather_row(const Tensor& from, int64_t base, const std::vector<int64_t>& offsets,
                std::vector<Acc>& row) {
  visit_dtype(from.dtype(), [&]<class T>(std::type_identity<T>) {
    if constexpr (kSummedIn<T, Acc>) {
      const T* elements = from.data<T>() + base;
      for (size_t k = 0; k < offsets.size(); ++k) row[k] = static_cast<Acc>(elements[offsets[k]]);
    }
  });
}

// Of few terms, in the result's own arithmetic (kFewTerms).
template <class T>
T short_sum(const std::vector<T>& row, const std::vector<T>& column) {
  if constexpr (is_complex(dtype_of<T>())) {
    typename T::value_type rr = 0, ii = 0, ri = 0, ir = 0;
    for (size_t k = 0; k < row.size(); ++k) {
      rr += row[k].real() * column[k].real();
      ii += row[k].imag() * column[k].imag();
      ri += row[k].real() * column[k].imag();
      ir += row[k].imag() * column[k].real();
    }
    return {rr - ii, ri + ir};
  } else {
    T sum = 0;
    for (size_t k = 0; k < row.size(); ++k) sum = std::fma(row[k], column[k], sum);
    return sum;
  }
}

template <class Acc>
Acc long_sum(const std::vector<Acc>& row, const std::vector<Acc>& column) {
  Acc sum = 0;
  for (size_t k = 0; k < row.size(); ++k) sum += multiply(row[k], column[k]);
  return sum;
}

template <class Acc>
void contract(const Tensor& lhs, const Tensor& rhs, const Side& left, const Side& right, Tensor& result,
              Acc (*sum_of)(const std::vector<Acc>&, const std::vector<Acc>&)) {
  const auto left_batch = offsets_along(lhs.shape(), left.batch),
             right_batch = offsets_along(rhs.shape(), right.batch);
  const auto left_free = offsets_along(lhs.shape(), left.free),
             right_free = offsets_along(rhs.shape(), right.free);
  const auto left_sum = offsets_along(lhs.shape(), left.contract),
             right_sum = offsets_along(rhs.shape(), right.contract);
  const size_t depth = left_sum.size();
  std::vector<Acc> row(depth), sums;
  std::vector<std::vector<Acc>> columns(right_free.size(), std::vector<Acc>(depth));
  for (size_t b = 0; b < left_batch.size(); ++b) {
    for (size_t n = 0; n < right_free.size(); ++n)
      gather_row(rhs, right_batch[b] + right_free[n], right_sum, columns[n]);
    for (int64_t m : left_free) {
      gather_row(lhs, left_batch[b] + m, left_sum, row);
      for (const std::vector<Acc>& column : columns) sums.push_back(sum_of(row, column));
    }
  }
  visit_dtype(result.dtype(), [&]<class T>(std::type_identity<T>) {
    if constexpr (kSummedIn<T, Acc>) {
      T* out = result.data<T>();
      for (const Acc& sum : sums) *out++ = static_cast<T>(sum);
    }
  });
}

Tensors dot_general_reference(const Op& op, std::span<const Tensor> x, Evaluator&) {
  const Side left = side_of(op.attributes(), "lhs_batch", "lhs_contract", op.operand(0)->rank());
  const Side right = side_of(op.attributes(), "rhs_batch", "rhs_contract", op.operand(1)->rank());
  Tensor result(op.result()->dtype(), op.result()->shape());
  int64_t terms = 1;
  for (int64_t d : left.contract) terms *= x[0].shape()[static_cast<size_t>(d)];
  if (!is_inexact(result.dtype())) {
    contract<uint64_t>(x[0], x[1], left, right, result, long_sum<uint64_t>);
    return {result};
  }
  visit_dtype(computed_dtype(result.dtype()), [&]<class T>(std::type_identity<T>) {
    if constexpr (is_inexact(dtype_of<T>()) && std::is_same_v<Computed<T>, T>) {
      if (terms <= kFewTerms && result.dtype() == dtype_of<T>())
        contract<T>(x[0], x[1], left, right, result, short_sum<T>);
      else
        contract<Wide<T>>(x[0], x[1], left, right, result, long_sum<Wide<T>>);
    }
  });
  return {result};
}

// Where the batch stands among the free dimensions of its operand.
int64_t free_position(const Side& side, int64_t axis) {
  return std::count_if(side.free.begin(), side.free.end(), [&](int64_t d) { return d < axis; });
}

// Two batched operands are contracted pair by pair: their batches are a batch of the contraction. The batch
// of one alone is one more free dimension of it. Either way the operands are read as they lie.
Batches batch_dot_general(const Op& op, std::span<const Batched> x, Batcher& batcher) {
  const Side left = side_of(op.attributes(), "lhs_batch", "lhs_contract", op.operand(0)->rank());
  const Side right = side_of(op.attributes(), "rhs_batch", "rhs_contract", op.operand(1)->rank());
  IntList lhs_batch = batched_dims(left.batch, x[0].axis), rhs_batch = batched_dims(right.batch, x[1].axis);
  int64_t axis = static_cast<int64_t>(lhs_batch.size());
  if (x[1].shared()) {
    axis += free_position(left, x[0].axis);
  } else if (x[0].shared()) {
    axis += static_cast<int64_t>(left.free.size()) + free_position(right, x[1].axis);
  } else {
    axis = 0;
    lhs_batch = with_entry(lhs_batch, 0, x[0].axis);
    rhs_batch = with_entry(rhs_batch, 0, x[1].axis);
  }
  Attributes attributes = op.attributes();
  attributes.set("lhs_batch", lhs_batch);
  attributes.set("rhs_batch", rhs_batch);
  attributes.set("lhs_contract", batched_dims(left.contract, x[0].axis));
  attributes.set("rhs_contract", batched_dims(right.contract, x[1].axis));
  return {{batcher.make("dot_general", {x[0].value, x[1].value}, attributes)->result(), axis}};
}

constinit const OpRecord dot_general{
    .name = "dot_general",
    .doc =
        "Sums of products: `lhs_batch` pairs with `rhs_batch` and is kept, `lhs_contract` pairs with "
        "`rhs_contract` and "
        "is summed over. The result's dimensions are the batch ones in the order of lhs_batch, the other "
        "ones of "
        "lhs, the other ones of rhs. Integers wrap around. With `dtype`, a wider one of the same kind, the "
        "products and sums are those of the operands converted to it, and so is the result; without it, "
        "those of "
        "f16 and bf16 are done in f32 and rounded once.",
    .operands = Arity{2, 2},
    .regions = 0,
    .attributes = AttributeList{attribute::list("lhs_batch"), attribute::list("rhs_batch"),
                                attribute::list("lhs_contract"), attribute::list("rhs_contract"),
                                attribute::dtype("dtype").optional()},
    .infer = infer_dot_general,
    .batch = batch_dot_general,
    .becomes = ir::Contraction{.term = dot_general_index, .summed = contracted_extents},
    .reference = dot_general_reference,
    .identities = dot_general_identities,
    .jvp = ir::Terms{dot_general_term},
    .transpose = dot_general_transpose,
    .stablehlo = "stablehlo.dot_general",
};

constexpr const OpRecord* kContractionRecords[] = {&dot_general};

}  // namespace

Records contraction_records() {
  return kContractionRecords;
}

const OpRecord& DotGeneralOp::record() {
  return dot_general;
}

}  // namespace ingot::ops
