// join_alike: where a concatenate puts the results of many alike operations side by side, one operation does
// the work of all.
//
// A program that is written with a loop of the host's (`concatenate([f(x[i], c[i]) for i in range(n)])`) has
// n copies of f, and all that follows would look at each, up to a kernel with n pieces of code. Pieces are
// alike if they differ in numbers and in what they read alone: then the first one is batched
// (transform/batch.h), over slices that are one slice of an array, and constants and arguments that are
// stacked. The elements are computed as before, so that no bit changes.
//
// Only element-wise operations and views are joined, and only such that nothing else uses.

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>

#include "ir/builder.h"
#include "ir/structural.h"
#include "ir/unused.h"
#include "ops/kinds.h"
#include "ops/make.h"
#include "pass/becomes.h"
#include "pass/find_ops.h"
#include "pass/passes.h"
#include "pass/replace.h"
#include "transform/batch.h"

namespace ingot::pass {
namespace {

using ir::IntList;
using ir::Op;
using ir::Value;

// Pieces of a kernel. 17, 64 and 256 of `x[i] * c[i]`, f32[50] each, are compiled as pieces in 23, 51 and
// 104 ms, and as one loop in 14 ms, which takes as long to run (Intel Xeon, 2 cores).
constexpr size_t kFewPieces = 16;
// Operations from a piece to what it reads: a walk through them takes the stack.
constexpr int kDeepest = 1000;

// What takes each other's place in the pieces, one value for each.
using Column = std::vector<Value*>;

size_t at(int64_t i) {
  return static_cast<size_t>(i);
}

bool all_of_kind(const Column& column, bool (*is)(const Op&)) {
  return std::ranges::all_of(column, [&](const Value* v) { return v->op() != nullptr && is(*v->op()); });
}

// The pieces of a concatenate, those of concatenates inside of it that only it uses among them.
void add_pieces(const Op& op, int64_t axis, Column& pieces, int depth = 0) {
  for (Value* part : op.operands()) {
    const Op* inner = ops::made_by<ops::ConcatenateOp>(part);
    if (inner != nullptr && part->uses().size() == 1 && inner->attributes().integer("axis") == axis &&
        depth < kDeepest)
      add_pieces(*inner, axis, pieces, depth + 1);
    else
      pieces.push_back(part);
  }
}

// Some pieces that are alike, as one array of all, with their number in front.
class Joining {
 public:
  Joining(Op& op, Column pieces)
      : op_(op),
        pieces_(std::move(pieces)),
        one_(op.function()->make_region()),
        provenance_(op.provenance().derived("join_alike", std::string(op.name()))) {}

  // Whether they are; nothing is made in the program yet.
  bool plan() {
    Value* result = taken(pieces_, 0);
    if (result == nullptr || one_->ops().empty()) return false;
    one_->set_results({result});
    return true;
  }

  Value* make() {
    ir::Builder builder(*op_.parent(), &op_);
    builder.set_provenance(provenance_);
    std::vector<int64_t> axes;
    std::vector<Value*> given;
    for (const auto& [column, make] : arguments_) {
      const bool shared = make == nullptr;
      axes.push_back(shared ? ir::Batched::kShared : 0);
      given.push_back(shared ? column.front() : (this->*make)(builder, column));
    }
    const transform::BatchedRegion all =
        transform::batch_region(*one_, {count(), "", provenance_}, axes, std::vector<int64_t>{0});
    ir::walk(*all.region, [](Op& op) {
      ir::Provenance line = op.provenance();
      line.made_by = "join_alike";
      op.set_provenance(std::move(line));
    });
    ir::ValueMap map;
    for (size_t i = 0; i < given.size(); ++i) map[all.region->argument(static_cast<int>(i))] = given[i];
    return ir::clone_ops(*all.region, *op_.parent(), map, &op_).front();
  }

 private:
  using Make = Value* (Joining::*)(ir::Builder&, const Column&) const;

  int64_t count() const { return static_cast<int64_t>(pieces_.size()); }

  // The column's value in the region of one piece, or null.
  Value* taken(const Column& column, int depth) {
    if (const auto known = known_.find(column.front()); known != known_.end())
      return known->second.first == column ? known->second.second : nullptr;
    Value* value = taken_anew(column, depth);
    if (value != nullptr) known_.try_emplace(column.front(), column, value);
    return value;
  }

  Value* taken_anew(const Column& column, int depth) {
    const Value* first = column.front();
    if (std::ranges::any_of(column, [&](const Value* v) { return v->type() != first->type(); }))
      return nullptr;
    if (std::ranges::all_of(column, [&](const Value* v) { return v == first; }))
      return argument(column, nullptr);
    if (std::ranges::all_of(column, [](const Value* v) { return v->op() == nullptr; }))
      return argument(column, &Joining::stacked);
    if (all_of_kind(column, [](const Op& op) { return ops::is<ops::ConstantOp>(op); })) {
      const Tensor& value = ops::ConstantOp(*first->op()).value();
      const bool same = std::ranges::all_of(
          column, [&](const Value* v) { return ops::ConstantOp(*v->op()).value() == value; });
      return argument(column, same ? nullptr : &Joining::stacked_constants);
    }
    if (all_of_kind(column, [](const Op& op) { return ops::is<ops::SliceOp>(op); }) && steps(column))
      return argument(column, &Joining::one_slice);
    return operation(column, depth);
  }

  Value* argument(const Column& column, Make make) {
    arguments_.emplace_back(column, make);
    return one_->add_argument(column.front()->type(), column.front()->name());
  }

  Value* operation(const Column& column, int depth) {
    const Op* first = column.front()->op();
    if (first == nullptr || depth == kDeepest || first->result_count() != 1) return nullptr;
    if (!becomes<ir::ScalarRecipe>(*first) && !becomes<ir::View>(*first)) return nullptr;
    for (const Value* value : column) {
      const Op* op = value->op();
      if (op == nullptr || &op->record() != &first->record() ||
          op->operand_count() != first->operand_count() || !used_once(*value) ||
          !structurally_equal(op->attributes(), first->attributes()))
        return nullptr;
    }
    ir::ValueMap map;
    for (int i = 0; i < first->operand_count(); ++i) {
      Column operands;
      operands.reserve(column.size());
      for (const Value* value : column) operands.push_back(value->op()->operand(i));
      Value* operand = taken(operands, depth + 1);
      if (operand == nullptr) return nullptr;
      map[first->operand(i)] = operand;
    }
    return ir::clone_op(*first, *one_, map)->result();
  }

  // By one operation, which may take it twice.
  static bool used_once(const Value& value) {
    return std::ranges::all_of(value.uses(),
                               [&](const ir::Use& use) { return use.op == value.uses().front().op; });
  }

  // Slices of one array that follow each other along one dimension: which, and how far apart. Those that are
  // longer than one element follow without a gap.
  struct Steps {
    size_t axis;
    int64_t step;
  };
  static std::optional<Steps> steps(const Column& column) {
    const ops::SliceOp first(*column.front()->op()), second(*column[1]->op());
    const size_t rank = first.starts().size();
    size_t axis = 0;
    while (axis < rank && first.starts()[axis] == second.starts()[axis]) ++axis;
    if (axis == rank) return std::nullopt;
    const int64_t step = second.starts()[axis] - first.starts()[axis];
    const int64_t extent = column.front()->shape()[axis];
    if (step <= 0 || (extent != 1 && (step != extent || first.strides()[axis] != 1))) return std::nullopt;
    IntList starts = first.starts();
    for (const Value* value : column) {
      const ops::SliceOp slice(*value->op());
      if (value->op()->operand(0) != column.front()->op()->operand(0) || slice.starts() != starts ||
          slice.strides() != first.strides())
        return std::nullopt;
      starts[axis] += step;
    }
    return Steps{axis, step};
  }

  Value* one_slice(ir::Builder& builder, const Column& column) const {
    const auto [axis, step] = *steps(column);
    const ops::SliceOp first(*column.front()->op()), last(*column.back()->op());
    Shape shape = column.front()->shape();
    const int64_t extent = shape[axis];
    IntList limits = first.limits(), strides = first.strides();
    limits[axis] = last.starts()[axis] + extent;
    strides[axis] = extent == 1 ? step : 1;
    Value* all = make::slice(builder, first.op().operand(0), first.starts(), limits, strides);
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), count());
    all = make::reshape(builder, all, shape);
    IntList order(shape.size());
    std::iota(order.begin(), order.end(), int64_t{0});
    std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(axis),
                order.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
    return axis == 0 ? all : make::transpose(builder, all, order);
  }

  Shape stack_shape(const Column& column) const {
    Shape shape = column.front()->shape();
    shape.insert(shape.begin(), count());
    return shape;
  }

  Value* stacked_constants(ir::Builder& builder, const Column& column) const {
    Tensor all(column.front()->dtype(), stack_shape(column));
    auto* to = static_cast<std::byte*>(all.raw());
    for (const Value* value : column) {
      const Tensor& one = ops::ConstantOp(*value->op()).value();
      std::memcpy(to, one.raw(), one.bytes());
      to += one.bytes();
    }
    return builder.constant(all);
  }

  Value* stacked(ir::Builder& builder, const Column& column) const {
    Column parts = column;
    if (column.front()->rank() == 0) {
      for (Value*& part : parts) part = make::reshape(builder, part, {1});
    }
    return make::reshape(builder, make::concatenate(builder, parts, 0), stack_shape(column));
  }

  Op& op_;
  const Column pieces_;
  std::unique_ptr<ir::Region> one_;
  const ir::Provenance provenance_;
  std::vector<std::pair<Column, Make>> arguments_;  // of the region; null: what all of them are
  std::unordered_map<const Value*, std::pair<Column, Value*>> known_;  // by the first one
};

class JoinAlike : public Pass {
 public:
  std::string_view name() const override { return "join_alike"; }
  std::string_view why() const override {
    return "Makes one operation of many alike ones that a concatenate puts side by side; it follows inline, "
           "since functions hide what is alike, and stands ahead of all that would look at each of them.";
  }

  bool run(ir::Module& module, PassContext& context) override {
    std::vector<Op*> found = find_ops(
        module, [](const Op& op) { return ops::is<ops::ConcatenateOp>(op) && op.used() && !is_inner(op); });
    std::vector<ir::Region*> changed;
    for (Op* op : found) {
      ir::Region* region = op->parent();
      if (join(*op, context) && (changed.empty() || changed.back() != region)) changed.push_back(region);
    }
    for (ir::Region* region : changed) ir::erase_unused(*region);
    return !changed.empty();
  }

 private:
  // Whether its pieces are those of another one.
  static bool is_inner(const Op& op) {
    const auto& uses = op.result()->uses();
    return uses.size() == 1 && ops::is<ops::ConcatenateOp>(*uses.front().op) &&
           uses.front().op->attributes().integer("axis") == op.attributes().integer("axis");
  }

  static bool join(Op& op, PassContext& context) {
    const int64_t axis = op.attributes().integer("axis");
    Column pieces;
    add_pieces(op, axis, pieces);
    if (pieces.size() <= kFewPieces) return false;
    std::vector<std::pair<Column, std::unique_ptr<Joining>>> runs;
    bool any = false;
    for (size_t from = 0, to = 0; from < pieces.size(); from = to) {
      while (to < pieces.size() && alike(*pieces[from], *pieces[to])) ++to;
      if (to == from) ++to;
      Column run(pieces.begin() + static_cast<std::ptrdiff_t>(from),
                 pieces.begin() + static_cast<std::ptrdiff_t>(to));
      std::unique_ptr<Joining> joining;
      if (run.size() > kFewPieces) joining = std::make_unique<Joining>(op, run);
      if (joining != nullptr && !joining->plan()) joining = nullptr;
      any |= joining != nullptr;
      runs.emplace_back(std::move(run), std::move(joining));
    }
    if (!any || !context.may("alike", op)) return false;
    ir::Builder builder(*op.parent(), &op);
    builder.set_provenance(op.provenance().derived("join_alike", std::string(op.name())));
    Column parts;
    for (const auto& [run, joining] : runs) {
      if (joining == nullptr)
        parts.insert(parts.end(), run.begin(), run.end());
      else
        parts.push_back(behind_each_other(builder, joining->make(), axis));
    }
    Value* whole = parts.size() == 1 ? parts.front() : make::concatenate(builder, parts, axis);
    Op* made = whole->op();
    replace_op(&op, {&whole, 1}, {&made, 1});
    return true;
  }

  static bool alike(const Value& a, const Value& b) {
    return a.op() != nullptr && b.op() != nullptr && &a.op()->record() == &b.op()->record() &&
           a.type() == b.type();
  }

  // Of a stack, what a concatenate along the dimension makes.
  static Value* behind_each_other(ir::Builder& builder, Value* stack, int64_t axis) {
    Shape shape = stack->shape();
    IntList order(shape.size());
    std::iota(order.begin(), order.end(), int64_t{0});
    std::rotate(order.begin(), order.begin() + 1, order.begin() + 1 + static_cast<std::ptrdiff_t>(axis));
    if (axis > 0) stack = make::transpose(builder, stack, order);
    const int64_t count = shape.front();
    shape.erase(shape.begin());
    shape[at(axis)] *= count;
    return make::reshape(builder, stack, shape);
  }
};

}  // namespace

std::unique_ptr<Pass> make_join_alike() {
  return std::make_unique<JoinAlike>();
}

}  // namespace ingot::pass
