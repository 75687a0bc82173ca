// widen_floats: arithmetic on f16 and bf16 becomes arithmetic on f32 between conversions.
//
// Kernels only load, store, move and convert narrow floats. What computes is given its operands converted to
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
#include "ops/kinds.h"
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
    if (is_narrow_float(operand->dtype())) return true;
  }
  for (const Value* result : op.results()) {
    if (is_narrow_float(result->dtype())) return true;
  }
  return false;
}

// What only moves, or looks at, elements as they are.
bool only_moves(const Op& op) {
  if (becomes<ir::ScalarRecipe>(op)) return ops::moves_elements(op.record());
  if (becomes<ir::Scatter>(op)) return ops::ScatterOp(op).overwrites();
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
  static DType wide(DType dtype) { return is_narrow_float(dtype) ? DType::kF32 : dtype; }

  void widen(Op& op, bool asked) {
    if (!context_.must(asked ? "result_dtype" : "widen", op)) return;
    ir::Builder builder(*op.parent(), &op);
    ir::Attributes attributes = op.attributes();
    std::vector<Value*> operands;
    builder.set_provenance(op.provenance().derived("widen_floats", std::string(op.name())));
    for (Value* operand : op.operands()) {
      DType to = wide(operand->dtype());
      if (asked) to = wide(op.result()->dtype());
      operands.push_back(converted(builder, operand, to));
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
    return x->dtype() == to ? x : builder.value("convert", {x}, {{"dtype", to}});
  }

  // The combiner with f32 in place of narrow floats: its one operation done in f32, or the whole of it
  // between conversions.
  static std::unique_ptr<Region> wide_region(Region& from, const ir::Builder& outside) {
    std::unique_ptr<Region> region = outside.make_region();
    ir::ValueMap map;
    std::vector<Value*> arguments;
    for (const Value* argument : from.arguments()) {
      ir::TensorType type = argument->type();
      type.dtype = wide(type.dtype);
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
      results.push_back(converted(builder, result, wide(result->dtype())));
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
    return "Does arithmetic on f16 and bf16 in f32, between conversions; it follows the algebra, which knows "
           "the program's own dtypes, and precedes all that is about kernels, which only store narrow "
           "floats.";
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
