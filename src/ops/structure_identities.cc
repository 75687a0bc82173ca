// The algebra of reductions, contractions and loops.
#include <algorithm>
#include <numeric>

#include "ops/control.h"
#include "ops/identities.h"

namespace ingot::ops {

namespace {

IntList mapped(const IntList& list, const IntList& through) {
  IntList result;
  for (int64_t i : list) result.push_back(through[static_cast<size_t>(i)]);
  return result;
}

// The one operation by which a reduction of one array combines it, from its neutral element on; null for
// others.
const ir::OpRecord* combiner_of(const Op& op) {
  if (op.operand_count() != 2) return nullptr;
  const auto init = splat(op.operand(1));
  const ir::Region& region = op.region();
  if (!init || region.ops().size() != 2) return nullptr;
  const Op& combine = *region.ops().front();
  const auto* recipe = std::get_if<ir::ScalarRecipe>(&*combine.record().becomes);
  if (recipe == nullptr || *recipe->identity == nullptr || region.results()[0]->op() != &combine)
    return nullptr;
  const Value *acc = region.argument(0), *x = region.argument(1);
  const bool both = (combine.operand(0) == acc && combine.operand(1) == x) ||
                    (combine.operand(0) == x && combine.operand(1) == acc);
  return both && *init == (*recipe->identity)(init->dtype()) ? &combine.record() : nullptr;
}

// A reduction over no axes combines every element with the initial value alone; where that is the neutral
// element of the one operation in the region, the elements stay what they are.
Values reduce_nothing(Op& op, Rewriter& rewriter) {
  if (!op.attributes().list("axes").empty() || combiner_of(op) == nullptr ||
      !rewriter.may("reduce_nothing", op))
    return {};
  return {op.operand(0)};
}

// Along the axis where slices of one element are joined the reduction combines the slices, as whole arrays:
// an element need not ask in which slice it lies. Narrow floats are added up in wider ones, and rounded once.
Values reduce_slices(Op& op, Rewriter& rewriter) {
  const Op* joined = made_by(op.operand(0), "concatenate");
  const ir::OpRecord* combiner = joined == nullptr ? nullptr : combiner_of(op);
  if (combiner == nullptr || joined->result()->uses().size() != 1 || is_narrow_float(op.result()->dtype()))
    return {};
  const int64_t axis = joined->attributes().integer("axis");
  IntList rest;  // of the axes, without that one
  for (const int64_t a : op.attributes().list("axes")) {
    if (a != axis) rest.push_back(a > axis ? a - 1 : a);
  }
  if (!contains(op.attributes().list("axes"), axis) || !rest.empty() || joined->operand_count() < 2)
    return {};
  for (const Value* slice : joined->operands()) {
    if (slice->shape()[static_cast<size_t>(axis)] != 1) return {};
  }
  if (!rewriter.may("reduce_slices", op)) return {};
  // In pairs: a chain of thousands of sums would lose digits.
  std::vector<Value*> parts;
  for (Value* slice : joined->operands())
    parts.push_back(rewriter.make("reshape", {slice}, {{"shape", op.result()->shape()}}));
  while (parts.size() > 1) {
    std::vector<Value*> pairs;
    for (size_t k = 0; k + 1 < parts.size(); k += 2)
      pairs.push_back(rewriter.make(*combiner->name, {parts[k], parts[k + 1]}));
    if (parts.size() % 2 == 1) pairs.push_back(parts.back());
    parts = std::move(pairs);
  }
  Value* all = parts[0];
  // 0 + -0 is 0, and the sum begins with 0.
  if (*combiner->name == "add" && is_inexact(op.result()->dtype()))
    all = rewriter.make("add", {all, make_splat(rewriter, op.result()->type(), *splat(op.operand(1)))});
  return {all};
}

// What is repeated along all axes that are reduced is what it is, or as often as it is there. (Of floats the
// product is the sum, rounded once; narrow ones do not hold all counts, and products of complex infinities
// are NaN.)
Values reduce_repeated(Op& op, Rewriter& rewriter) {
  const Op* spread = made_by(op.operand(0), "broadcast");
  const ir::OpRecord* combiner = spread == nullptr ? nullptr : combiner_of(op);
  if (combiner == nullptr) return {};
  const std::string_view how = *combiner->name;
  const bool adds = how == "add";
  const DType dtype = op.result()->dtype();
  const bool counts = is_integer(dtype) || dtype == DType::kF32 || dtype == DType::kF64;
  if (adds ? !counts : how != "max" && how != "min" && how != "and" && how != "or") return {};
  const IntList &dims = spread->attributes().list("dims"), &axes = op.attributes().list("axes");
  int64_t count = 1;
  for (const int64_t axis : axes) {
    if (contains(dims, axis)) return {};
    count *= spread->result()->shape()[static_cast<size_t>(axis)];
  }
  if (count == 0 || !rewriter.may("reduce_repeated", op)) return {};
  IntList left;
  for (const int64_t dim : dims)
    left.push_back(dim - std::count_if(axes.begin(), axes.end(), [&](int64_t a) { return a < dim; }));
  const TensorType& type = op.result()->type();
  Value* all = rewriter.make("broadcast", {spread->operand(0)}, {{"dims", left}, {"shape", type.shape}});
  if (!adds) return {all};
  Tensor times(dtype, {});
  is_integer(dtype) ? times.set_int(0, count) : times.set_double(0, static_cast<double>(count));
  all = rewriter.make("mul", {all, make_splat(rewriter, type, times)});
  if (is_inexact(dtype))  // 0 + -0 is 0, and the sum begins with 0
    all = rewriter.make("add", {all, make_splat(rewriter, type, *splat(op.operand(1)))});
  return {all};
}

// The transpose of the reduction, along the same axes in the same order, so that the elements are combined in
// the order they were.
Values reduce_of_transpose(Op& op, Rewriter& rewriter) {
  const Op* moved = op.operand_count() == 2 ? made_by(op.operand(0), "transpose") : nullptr;
  if (moved == nullptr) return {};
  const IntList& permutation = moved->attributes().list("permutation");
  const IntList axes = mapped(op.attributes().list("axes"), permutation);
  if (!std::is_sorted(axes.begin(), axes.end()) || !rewriter.may("reduce_of_transpose", op)) return {};
  IntList order;  // of the dimensions that stay, among themselves
  for (size_t d = 0; d < permutation.size(); ++d) {
    const int64_t axis = permutation[d];
    if (contains(axes, axis)) continue;
    order.push_back(axis - std::count_if(axes.begin(), axes.end(), [&](int64_t a) { return a < axis; }));
  }
  Attributes attributes = op.attributes();
  attributes.set("axes", axes);
  std::vector<std::unique_ptr<ir::Region>> regions;
  regions.push_back(op.region().function()->make_region());
  clone_region(op.region(), *regions[0]);
  Value* reduced =
      rewriter.make("reduce", {moved->operand(0), op.operand(1)}, attributes, std::move(regions));
  if (std::is_sorted(order.begin(), order.end())) return {reduced};
  return {rewriter.make("transpose", {reduced}, {{"permutation", order}})};
}

}  // namespace

Values reduce_identities(Op& op, Rewriter& rewriter) {
  for (const auto& identity : {reduce_nothing, reduce_of_transpose, reduce_repeated, reduce_slices}) {
    if (Values values = identity(op, rewriter); !values.empty()) return values;
  }
  return {};
}

namespace {

// A transposed operand is read as it lies, under other numbers for its dimensions. Its free dimensions go
// into the result. Where that changes its order, but for dimensions of extent 1, which move no element
// wherever they stand, the result is transposed instead: if it is not larger.
Values absorb_transpose(Op& op, int side, Rewriter& rewriter) {
  const Op* transpose = made_by(op.operand(side), "transpose");
  if (transpose == nullptr) return {};
  const std::string prefix = side == 0 ? "lhs" : "rhs";
  const IntList& permutation = transpose->attributes().list("permutation");
  const IntList &batch = op.attributes().list(prefix + "_batch"),
                &contract = op.attributes().list(prefix + "_contract");
  IntList free;
  for (int64_t d = 0; d < op.operand(side)->rank(); ++d) {
    if (!contains(batch, d) && !contains(contract, d)) free.push_back(permutation[static_cast<size_t>(d)]);
  }
  const Shape& shape = transpose->operand(0)->shape();
  IntList longer = free;
  std::erase_if(longer, [&](int64_t d) { return shape[static_cast<size_t>(d)] == 1; });
  const bool grows = op.result()->type().elements() > op.operand(side)->type().elements();
  if ((grows && !std::is_sorted(longer.begin(), longer.end())) || !rewriter.may("dot_absorbs_transpose", op))
    return {};
  Attributes attributes = op.attributes();
  attributes.set(prefix + "_batch", mapped(batch, permutation));
  attributes.set(prefix + "_contract", mapped(contract, permutation));
  std::vector<Value*> operands(op.operands().begin(), op.operands().end());
  operands[static_cast<size_t>(side)] = transpose->operand(0);
  Value* product = rewriter.make("dot_general", operands, attributes);
  if (std::is_sorted(free.begin(), free.end())) return {product};
  IntList order(static_cast<size_t>(product->rank())), sorted = free;
  std::iota(order.begin(), order.end(), int64_t{0});
  std::sort(sorted.begin(), sorted.end());
  const int64_t first =
      side == 0 ? static_cast<int64_t>(batch.size()) : product->rank() - static_cast<int64_t>(free.size());
  for (size_t i = 0; i < free.size(); ++i)
    order[static_cast<size_t>(first) + i] =
        first + (std::lower_bound(sorted.begin(), sorted.end(), free[i]) - sorted.begin());
  return {rewriter.make("transpose", {product}, {{"permutation", order}})};
}

// The order of the contracted pairs is of no consequence: by the left operand's dimension.
Values sort_contracted(Op& op, Rewriter& rewriter) {
  const IntList &lhs = op.attributes().list("lhs_contract"), &rhs = op.attributes().list("rhs_contract");
  if (std::is_sorted(lhs.begin(), lhs.end()) || !rewriter.may("dot_sort_contracted", op)) return {};
  IntList order(lhs.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int64_t a, int64_t b) { return lhs[static_cast<size_t>(a)] < lhs[static_cast<size_t>(b)]; });
  Attributes attributes = op.attributes();
  attributes.set("lhs_contract", mapped(order, lhs));
  attributes.set("rhs_contract", mapped(order, rhs));
  return {rewriter.make("dot_general", {op.operand(0), op.operand(1)}, attributes)};
}

// Where nothing is contracted, an outer product, each result is one product: arithmetic like any other, which
// joins whatever kernel wants it.
Values multiply_outer(Op& op, Rewriter& rewriter) {
  if (!op.attributes().list("lhs_contract").empty() || !rewriter.may("dot_outer", op)) return {};
  const TensorType& type = op.result()->type();
  const int64_t batch = static_cast<int64_t>(op.attributes().list("lhs_batch").size());
  int64_t free = batch;  // where the operand's free dimensions begin in the result
  std::vector<Value*> factors;
  for (int side : {0, 1}) {
    Value* operand = op.operand(side);
    const IntList& batches = op.attributes().list(side == 0 ? "lhs_batch" : "rhs_batch");
    IntList dims;
    for (int64_t d = 0; d < operand->rank(); ++d) {
      const auto found = std::find(batches.begin(), batches.end(), d);
      dims.push_back(found == batches.end() ? free++ : found - batches.begin());
    }
    if (operand->dtype() != type.dtype)
      operand = rewriter.make("convert", {operand}, {{"dtype", type.dtype}});
    factors.push_back(rewriter.make("broadcast", {operand}, {{"dims", dims}, {"shape", type.shape}}));
  }
  return {rewriter.make("mul", factors, {})};
}

}  // namespace

Values dot_general_identities(Op& op, Rewriter& rewriter) {
  for (int side : {0, 1}) {
    if (Values values = absorb_transpose(op, side, rewriter); !values.empty()) return values;
  }
  if (Values values = multiply_outer(op, rewriter); !values.empty()) return values;
  return sort_contracted(op, rewriter);
}

// A loop of no steps gives its initial values, and empty stacks.
Values scan_identities(Op& op, Rewriter& rewriter) {
  const ScanOp scan(op);
  if (scan.length() != 0 || !rewriter.may("scan_nothing", op)) return {};
  Values values;
  for (const ScanOp::Carry& carry : scan.carries()) values.push_back(carry.initial);
  for (const ScanOp::Stack& stack : scan.stacks())
    values.push_back(rewriter.constant(Tensor(stack.whole->dtype(), stack.whole->shape())));
  return values;
}

}  // namespace ingot::ops
