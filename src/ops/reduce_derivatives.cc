// Derivatives of reductions and contractions.
#include <algorithm>

#include "ir/builder.h"
#include "ops/derivatives.h"

namespace ingot::ops {
namespace {

// x of the shape that it had before the reduction over `axes`.
Value* spread(Emitter& e, Value* x, const Shape& shape, const IntList& axes) {
  IntList kept;
  for (int64_t i = 0; i < static_cast<int64_t>(shape.size()); ++i) {
    if (!contains(axes, i)) kept.push_back(i);
  }
  return e.make("broadcast", {x}, {{"shape", shape}, {"dims", kept}});
}

// The dimensions of one operand of a contraction, and where they stand in the result.
struct ContractionSide {
  IntList batch, contract, free;
  IntList free_in_result;
};

struct ContractionDims {
  ContractionSide side[2];
  IntList batch_in_result;
};

ContractionDims dims_of(const Op& op) {
  ContractionDims dims;
  const char* names[2][2] = {{"lhs_batch", "lhs_contract"}, {"rhs_batch", "rhs_contract"}};
  int64_t next = static_cast<int64_t>(op.attributes().list("lhs_batch").size());
  for (int64_t i = 0; i < next; ++i) dims.batch_in_result.push_back(i);
  for (int k = 0; k < 2; ++k) {
    ContractionSide& side = dims.side[k];
    side.batch = op.attributes().list(names[k][0]);
    side.contract = op.attributes().list(names[k][1]);
    for (int64_t i = 0; i < op.operand(k)->rank(); ++i) {
      if (contains(side.batch, i) || contains(side.contract, i)) continue;
      side.free.push_back(i);
      side.free_in_result.push_back(next++);
    }
  }
  return dims;
}

}  // namespace

Value* sum_over(Emitter& emitter, Value* x, const IntList& axes) {
  if (axes.empty()) return x;
  Value* zero = zeros(emitter, {x->dtype(), {}});
  const auto add = [&](ir::Region& region) {
    Value* total = region.add_argument(zero->type(), "acc");
    Value* next = region.add_argument(zero->type(), "x");
    region.set_results({ir::Builder(region).value("add", {total, next})});
  };
  return emitter.emit("reduce", {x, zero}, {{"axes", axes}}, add)->result();
}

std::string_view combiner_of(const Op& reduce) {
  const ir::Region& region = reduce.region();
  if (region.argument_count() != 2 || region.ops().size() != 2) return "";
  const Op& op = *region.ops().front();
  if (op.operand_count() != 2 || region.results()[0]->op() != &op) return "";
  const Value *acc = region.argument(0), *x = region.argument(1);
  const bool straight = op.operand(0) == acc && op.operand(1) == x;
  const bool swapped = op.operand(0) == x && op.operand(1) == acc;
  return straight || swapped ? op.name() : "";
}

// A sum passes the tangent on; a maximum that of the greatest elements, whose mean it is if there are
// several.
// The initial value is neutral: to a sum it adds, of a maximum it is never the greatest.
Value* reduce_term(const TermContext& c, int operand, Value* t, Emitter& e) {
  const IntList& axes = c.op.attributes().list("axes");
  const bool sum = combiner_of(c.op) == "add";
  if (operand == 1) {
    if (!sum) return nullptr;
    return e.make("broadcast", {t}, {{"shape", c.result->shape()}, {"dims", IntList()}});
  }
  if (sum) return sum_over(e, t, axes);
  const Shape& shape = c.operands[0]->shape();
  Value* best = e.make("compare", {c.operands[0], spread(e, c.result, shape, axes)},
                       {{"direction", std::string("eq")}});
  Value* mask = e.make("convert", {best}, {{"dtype", t->dtype()}});
  return e.make("div", {sum_over(e, e.make("mul", {t, mask}), axes), sum_over(e, mask, axes)});
}

void reduce_transpose(const Op& op, Value* ct, Transposition& t) {
  t.add(0, spread(t, ct, op.operand(0)->shape(), op.attributes().list("axes")));
}

Value* dot_general_term(const TermContext& c, int operand, Value* t, Emitter& e) {
  std::vector<Value*> operands(c.operands.begin(), c.operands.end());
  operands[static_cast<size_t>(operand)] = t;
  return e.make("dot_general", operands, c.op.attributes());
}

// The cotangent of one side is the contraction of the result's with the other side, over what that keeps.
void dot_general_transpose(const Op& op, Value* ct, Transposition& t) {
  const ContractionDims dims = dims_of(op);
  const int linear = t.is_linear(0) ? 0 : 1;
  const ContractionSide &mine = dims.side[linear], &other = dims.side[1 - linear];
  Value* known = t.known(1 - linear);
  const DType dtype = op.operand(linear)->dtype();
  if (known->dtype() != ct->dtype()) known = t.make("convert", {known}, {{"dtype", ct->dtype()}});
  Value* product = t.make("dot_general", {ct, known},
                          {{"lhs_batch", dims.batch_in_result},
                           {"rhs_batch", other.batch},
                           {"lhs_contract", other.free_in_result},
                           {"rhs_contract", other.free}});
  // The product's dimensions, as dimensions of the operand: batch, free, and contracted in the other's order.
  IntList order = mine.batch;
  order.insert(order.end(), mine.free.begin(), mine.free.end());
  for (int64_t i = 0; i < op.operand(1 - linear)->rank(); ++i) {
    const auto it = std::find(other.contract.begin(), other.contract.end(), i);
    if (it != other.contract.end())
      order.push_back(mine.contract[static_cast<size_t>(it - other.contract.begin())]);
  }
  IntList permutation(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    permutation[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  Value* result = permuted(t, product, permutation);
  if (result->dtype() != dtype) result = t.make("convert", {result}, {{"dtype", dtype}});
  t.add(linear, result);
}

}  // namespace ingot::ops
