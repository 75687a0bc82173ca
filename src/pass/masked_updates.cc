#include "pass/masked_updates.h"

#include <algorithm>
#include <optional>

#include "kernel/lower/group.h"
#include "ops/kinds.h"
#include "ops/make.h"
#include "ops/windows.h"
#include "pass/replace.h"

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

// Where an index can say that it names no place.
bool can_name_no_place(const Op& op) {
  return ops::is<ops::ScatterOp>(op) && is_signed(op.operand(1)->dtype()) &&
         !ops::WindowDims::of(op.attributes()).index_map.empty();
}

// A select's condition: a scalar, or what runs along some dimensions of what is chosen.
struct Condition {
  Value* pred;
  ir::IntList dims;
};
Condition condition_of(const Op& select) {
  Value* pred = select.operand(0);
  const Op* spread = ops::made_by<ops::BroadcastOp>(pred);
  if (spread != nullptr) return {spread->operand(0), ops::BroadcastOp(*spread).dims()};
  ir::IntList all;
  for (int64_t d = 0; d < pred->rank(); ++d) all.push_back(d);
  return {pred, all};
}

// The dimensions of the scatter's indices that the array's run along with; nothing where one has none.
std::optional<ir::IntList> along_indices(const Op& scatter, const ir::IntList& dims) {
  const ops::WindowDims windows = ops::WindowDims::of(scatter.attributes());
  ir::IntList along;
  for (const int64_t d : dims) {
    const auto found = std::find(windows.array_batching.begin(), windows.array_batching.end(), d);
    if (found == windows.array_batching.end()) return std::nullopt;
    along.push_back(windows.indices_batching[static_cast<size_t>(found - windows.array_batching.begin())]);
    if (along.size() > 1 && along.back() <= along[along.size() - 2]) return std::nullopt;
  }
  return along;
}

}  // namespace

bool is_select_of_update(const Op& op) {
  if (!ops::is<ops::SelectOp>(op) || op.operand(1) == op.operand(2)) return false;
  const ir::IntList dims = condition_of(op).dims;
  for (Value* value = op.operand(1); value != op.operand(2); value = value->op()->operand(0)) {
    const Op* scatter = value->op();
    if (scatter == nullptr || value->uses().size() != 1 || !can_name_no_place(*scatter) ||
        scatter->parent() != op.parent() || !along_indices(*scatter, dims) ||
        element_count(scatter->operand(1)->shape()) >= element_count(value->shape()))
      return false;
  }
  return true;
}

void make_update(Op& select) {
  const Condition condition = condition_of(select);
  std::vector<Op*> scatters;
  for (Value* value = select.operand(1); value != select.operand(2); value = value->op()->operand(0))
    scatters.push_back(value->op());
  Value* version = select.operand(2);
  for (auto it = scatters.rbegin(); it != scatters.rend(); ++it) {
    ir::Builder builder(*select.parent(), &select);
    builder.set_provenance((*it)->provenance().derived("select_branches", std::string(select.name())));
    version = update_where(builder, condition.pred, **it, version, *along_indices(**it, condition.dims));
  }
  Op* const made[] = {version->op()};
  Value* const values[] = {version};
  replace_op(&select, values, made);
  for (Op* scatter : scatters) scatter->erase();
}

bool can_be_masked(const Op& op) {
  return can_name_no_place(op) && element_count(op.operand(2)->shape()) <= kernel::kMaxUnrolledElements;
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

ir::Value* update_where(ir::Builder& builder, Value* taken, const Op& scatter, Value* array,
                        const ir::IntList& along_indices) {
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
  Value* everywhere = taken->shape() == shape ? taken : spread(taken, along_indices);
  indices = make::select(builder, {everywhere, indices, number(-1)});
  return builder.value("scatter", {array, indices, scatter.operand(2)}, attributes);
}

}  // namespace ingot::pass
