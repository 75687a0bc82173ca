#include "pass/masked_updates.h"

#include <algorithm>
#include <optional>

#include "kernel/lower/group.h"
#include "ops/kinds.h"
#include "ops/make.h"
#include "ops/windows.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Value;

// The scatters from the argument to the value, if it is made of that by nothing else.
std::optional<std::vector<Op*>> updates_of(const Value* argument, const Value* value) {
  std::vector<Op*> scatters;
  while (value != argument) {
    Op* op = value->op();
    if (op == nullptr || !can_be_masked(*op)) return std::nullopt;
    // What else reads it is given the version that it reads, but only one can be the branch's.
    if (std::count_if(value->uses().begin(), value->uses().end(), [](const ir::Use& use) {
          return use.op->is_return() || (ops::is<ops::ScatterOp>(*use.op) && use.operand == 0);
        }) != 1)
      return std::nullopt;
    scatters.push_back(op);
    value = op->operand(0);
  }
  std::reverse(scatters.begin(), scatters.end());
  return scatters;
}

// Whether the value is a version of a carry of the scan whose step it stands in.
bool is_version_of_carry(const Value* value) {
  while (value->op() != nullptr && ops::is<ops::ScatterOp>(*value->op())) value = value->op()->operand(0);
  const ir::Region* step = value->op() == nullptr ? value->region() : nullptr;
  const Op* around = step == nullptr ? nullptr : step->parent_op();
  return around != nullptr && ops::is<ops::ScanOp>(*around) && ops::ScanOp(*around).is_carry(value->index());
}

}  // namespace

bool can_be_masked(const Op& op) {
  if (!ops::is<ops::ScatterOp>(op)) return false;
  const Value *indices = op.operand(1), *updates = op.operand(2);
  return element_count(updates->shape()) <= kernel::kMaxUnrolledElements && is_signed(indices->dtype()) &&
         !ops::WindowDims::of(op.attributes()).index_map.empty();
}

std::vector<MaskedUpdate> masked_updates(const ops::CondOp& cond) {
  std::vector<MaskedUpdate> found(cond.op().results().size());
  if (cond.branch_count() < 2) return found;
  std::vector<bool> taken(
      static_cast<size_t>(cond.argument_count()));  // one result may be what an argument was
  for (size_t k = 0; k < found.size(); ++k) {
    for (int i = 0; i < cond.argument_count() && found[k].argument < 0; ++i) {
      if (taken[static_cast<size_t>(i)] || !is_version_of_carry(cond.argument(i))) continue;
      std::vector<std::vector<Op*>> scatters;
      for (int b = 0; b < cond.branch_count(); ++b) {
        auto updates = updates_of(cond.branch(b).argument(i), cond.branch(b).results()[k]);
        if (!updates) break;
        scatters.push_back(std::move(*updates));
      }
      if (static_cast<int>(scatters.size()) < cond.branch_count()) continue;
      found[k] = {i, std::move(scatters)};
      taken[static_cast<size_t>(i)] = true;
    }
  }
  return found;
}

ir::Value* update_where(ir::Builder& builder, Value* taken, const Op& scatter, Value* array) {
  const ops::WindowDims dims = ops::WindowDims::of(scatter.attributes());
  Value* indices = scatter.operand(1);
  const Shape& shape = indices->shape();
  const DType dtype = indices->dtype();
  const auto spread = [&](Value* value, ir::IntList along) {
    return make::broadcast(builder, value, shape, std::move(along));
  };
  const auto number = [&](int64_t n) {
    Tensor scalar(dtype, {});
    scalar.set_int(0, n);
    return spread(builder.constant(scalar), {});
  };
  ir::Attributes attributes = scatter.attributes();
  if (!dims.fills()) {
    // An index that is cut off names a place before it may name none.
    const auto components = static_cast<int64_t>(dims.index_map.size());
    const bool vectors = dims.index_vector_dim < indices->rank();
    Tensor last(dtype, vectors ? Shape{components} : Shape{});
    const int bits = bit_width(dtype) - 1;
    const int64_t most = bits >= 63 ? INT64_MAX : (int64_t{1} << bits) - 1;
    for (size_t k = 0; k < dims.index_map.size(); ++k) {
      const auto d = static_cast<size_t>(dims.index_map[k]);
      last.set_int(static_cast<int64_t>(k), std::min(array->shape()[d] - dims.sizes[d], most));
    }
    Value* largest =
        spread(builder.constant(last), vectors ? ir::IntList{dims.index_vector_dim} : ir::IntList{});
    indices = make::min(builder, {make::max(builder, {indices, number(0)}), largest});
    attributes.set("mode", std::string("fill"));
  }
  Value* everywhere = shape.empty() ? taken : spread(taken, {});
  indices = make::select(builder, {everywhere, indices, number(-1)});
  return builder.value("scatter", {array, indices, scatter.operand(2)}, attributes);
}

}  // namespace ingot::pass
