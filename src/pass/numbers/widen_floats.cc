// widen_floats: arithmetic on narrow numbers becomes arithmetic on wider ones between conversions: f32 for
// f16, bf16 and the floats of a byte, s8 and u8 for integers of fewer bits, which are cut off afterwards.
//
// Kernels only load, store, move and convert narrow numbers. What computes is given its operands converted to
// f32, and its result is rounded back: once for an element-wise operation, and once for all the sums of a
// reduction, a contraction or a scatter, which are f32 inside. A reduction whose combiner is more than one
// operation keeps its accumulators in f32 too, but each step is rounded. A contraction that is asked for a
// wider result becomes one of converted operands, whatever its dtype.
//
// The conversions that meet inside of a kernel are dropped later (excess_precision.cc), but for roundings
// that the program itself asks for, which are marked here, where they are all that there are. Contractions
// see `convert` of a narrow float as an operand, and may do it in their packing.

#include <algorithm>

#include "ir/builder.h"
#include "ops/derivatives.h"
#include "ops/host_call.h"
#include "ops/kinds.h"
#include "ops/make.h"
#include "pass/becomes.h"
#include "pass/passes.h"
#include "pass/replace.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Region;
using ir::Value;

bool touches_narrow(const Op& op) {
  for (const Value* operand : op.operands()) {
    if (is_narrow(operand->dtype())) return true;
  }
  for (const Value* result : op.results()) {
    if (is_narrow(result->dtype())) return true;
  }
  return false;
}

// The bytes of a small number do not order as it does.
bool is_small(DType dtype) {
  return is_small_float(dtype) || is_small_integer(dtype);
}
bool sorts_small(const Op& op) {
  const ops::SortByKeysOp sort(op);
  for (int k = 0; k < sort.key_count(); ++k) {
    if (is_small(sort.key(k)->dtype())) return true;
  }
  return false;
}

// What only moves, or looks at, elements as they are.
bool only_moves(const Op& op) {
  if (becomes<ir::ScalarRecipe>(op)) return ops::moves_elements(op.record());
  if (becomes<ir::Gather>(op)) return !is_small_integer(op.operand(1)->dtype());
  if (becomes<ir::Scatter>(op))
    return ops::ScatterOp(op).overwrites() && !is_small_integer(op.operand(1)->dtype());
  if (ops::is<ops::CustomCallOp>(op)) return true;
  if (ops::is<ops::SortByKeysOp>(op)) return !sorts_small(op);
  if (const auto* routine = std::get_if<ir::LibraryRoutine>(&*op.record().becomes))
    return !*routine->computes;
  return !becomes<ir::Reduction>(op) && !becomes<ir::Contraction>(op);
}

// Roundings of the program's that another operation sees.
bool mark_roundings(Region& region) {
  bool changed = false;
  walk(region, [&](Op& op) {
    if (!ops::is<ops::ConvertOp>(op) || op.operand(0)->dtype() != DType::kF32 ||
        !is_narrow_float(op.result()->dtype()) || op.attributes().has("rounds"))
      return;
    const auto& uses = op.result()->uses();
    if (std::all_of(uses.begin(), uses.end(), [](const ir::Use& use) {
          return use.op->is_return() || becomes<ir::Contraction>(*use.op);
        }))
      return;
    op.attributes().set("rounds", true);
    changed = true;
  });
  return changed;
}

class Widening {
 public:
  explicit Widening(PassContext& context) : context_(context) {}

  bool run(Region& region) {
    for (auto it = region.ops().begin(); it != region.ops().end();) {
      Op* op = (it++)->get();
      if (op->is_return()) continue;
      // The one operation of a combiner is widened with its reduction.
      if (!becomes<ir::Reduction>(*op) || ops::combiner_of(*op).empty()) {
        for (int i = 0; i < op->region_count(); ++i) run(op->region(i));
      }
      const bool asked = becomes<ir::Contraction>(*op) && op->attributes().has("dtype");
      if (asked || (touches_narrow(*op) && !only_moves(*op))) widen(*op, asked);
    }
    return changed_;
  }

 private:
  // Of an operand: what is moved alone stays as it is, and so do keys whose bytes are in order.
  static DType wanted(const Op& op, int operand) {
    const DType own = op.operand(operand)->dtype();
    if (ops::is<ops::SortByKeysOp>(op))
      return operand < ops::SortByKeysOp(op).key_count() && is_small(own) ? computed_dtype(own) : own;
    const bool moved =
        becomes<ir::Gather>(op) || (becomes<ir::Scatter>(op) && ops::ScatterOp(op).overwrites());
    return moved && operand != 1 ? own : computed_dtype(own);
  }

  // An operation on bits, which are those of an unsigned integer to be shifted with zeros or counted; of a
  // signed one to be shifted with its sign. Leading zeros of the byte are more than those of the element.
  void widen_bits(Op& op) {
    if (!context_.must("widen", op)) return;
    ir::Builder builder(*op.parent(), &op);
    const DType own = op.result()->dtype();
    const bool arithmetic = ops::is<ops::ShiftRightArithmeticOp>(op);
    const int bits = bit_width(own);
    const DType as = arithmetic ? (bits == 4 ? DType::kS4 : DType::kS2) : bits == 4 ? DType::kU4 : DType::kU2;
    const DType whole = computed_dtype(as);
    builder.set_provenance(op.provenance().derived("widen_floats", std::string(op.name())));
    std::vector<Value*> operands;
    for (int i = 0; i < op.operand_count(); ++i) {
      // The amount of a shift is never negative.
      const DType read = i == 0 ? as : bits == 4 ? DType::kU4 : DType::kU2;
      Value* x = op.operand(i);
      if (x->dtype() != read) x = make::bitcast(builder, x, read);
      operands.push_back(converted(builder, x, whole));
    }
    builder.set_provenance(op.provenance());
    Op* made = builder.make(op.name(), operands, op.attributes(), {}, {op.result()->name()});
    builder.set_provenance(op.provenance().derived("widen_floats", std::string(op.name())));
    Value* result = made->result();
    if (ops::is<ops::ClzOp>(op)) {
      Tensor more(whole, {});
      more.set_int(0, 8 - bits);
      Value* spare = builder.constant(more);
      if (!result->shape().empty()) spare = make::spread(builder, spare, result->shape());
      result = make::sub(builder, {result, spare});
    }
    result = converted(builder, result, own);
    Op* fresh = result->op();
    replace_op(&op, {&result, 1}, {&fresh, 1});
    changed_ = true;
  }

  void widen(Op& op, bool asked) {
    if (is_small_integer(op.result()->dtype()) &&
        ops::is_any<ops::PopcntOp, ops::ClzOp, ops::ShiftRightLogicalOp, ops::ShiftRightArithmeticOp>(op))
      return widen_bits(op);
    if (!context_.must(asked ? "result_dtype" : "widen", op)) return;
    ir::Builder builder(*op.parent(), &op);
    ir::Attributes attributes = op.attributes();
    std::vector<Value*> operands;
    builder.set_provenance(op.provenance().derived("widen_floats", std::string(op.name())));
    for (int i = 0; i < op.operand_count(); ++i) {
      const DType to = asked ? computed_dtype(op.result()->dtype()) : wanted(op, i);
      operands.push_back(converted(builder, op.operand(i), to));
    }
    if (asked) attributes.erase("dtype");
    std::vector<std::unique_ptr<Region>> regions;
    for (int i = 0; i < op.region_count(); ++i) regions.push_back(wide_region(op.region(i), builder));
    builder.set_provenance(op.provenance());
    std::vector<std::string> names;
    for (const Value* result : op.results()) names.push_back(result->name());
    Op* made = builder.make(op.name(), operands, attributes, std::move(regions), std::move(names));
    builder.set_provenance(op.provenance().derived("widen_floats", std::string(op.name())));
    std::vector<Value*> results;
    std::vector<Op*> fresh;
    for (int i = 0; i < op.result_count(); ++i) {
      results.push_back(converted(builder, made->result(i), op.result(i)->dtype()));
      fresh.push_back(results.back()->op());
    }
    replace_op(&op, results, fresh);
    changed_ = true;
  }

  static Value* converted(ir::Builder& builder, Value* x, DType to) {
    return x->dtype() == to ? x : make::convert(builder, x, to);
  }

  // The combiner with f32 in place of narrow floats: its one operation done in f32, or the whole of it
  // between conversions.
  static std::unique_ptr<Region> wide_region(Region& from, const ir::Builder& outside) {
    std::unique_ptr<Region> region = outside.make_region();
    ir::ValueMap map;
    std::vector<Value*> arguments;
    for (const Value* argument : from.arguments()) {
      ir::TensorType type = argument->type();
      type.dtype = computed_dtype(type.dtype);
      arguments.push_back(region->add_argument(type, argument->name()));
    }
    ir::Builder builder(*region);
    builder.set_provenance(outside.provenance());
    const Op& first = *from.ops().front();
    if (from.ops().size() == 2 && !only_moves(first)) {
      for (int i = 0; i < from.argument_count(); ++i)
        map[from.argument(i)] = arguments[static_cast<size_t>(i)];
      std::vector<Value*> operands;
      for (const Value* operand : first.operands()) operands.push_back(map.at(operand));
      region->set_results({builder.value(first.name(), operands, first.attributes())});
      return region;
    }
    for (int i = 0; i < from.argument_count(); ++i) {
      map[from.argument(i)] =
          converted(builder, arguments[static_cast<size_t>(i)], from.argument(i)->dtype());
    }
    std::vector<Value*> results;
    for (Value* result : ir::clone_ops(from, *region, map))
      results.push_back(converted(builder, result, computed_dtype(result->dtype())));
    region->set_results(results);
    return region;
  }

  PassContext& context_;
  bool changed_ = false;
};

class WidenFloats : public Pass {
 public:
  std::string_view name() const override { return "widen_floats"; }
  std::string_view why() const override {
    return "Does arithmetic on narrow floats in f32, and on integers of fewer than 8 bits in whole bytes, "
           "between conversions; it follows the algebra, which knows the program's own dtypes, and precedes "
           "all that is about kernels, which only store narrow numbers.";
  }
  bool required() const override { return true; }
  bool run(ir::Module& module, PassContext& context) override {
    bool changed = false;
    for (const auto& function : module.functions()) {
      changed |= mark_roundings(function->body());
      changed |= Widening(context).run(function->body());
    }
    return changed;
  }
};

}  // namespace

std::unique_ptr<Pass> make_widen_floats() {
  return std::make_unique<WidenFloats>();
}

}  // namespace ingot::pass
