// Calls, loops and branches. A scan is a `while` that counts, reads slices of its arrays and writes those of
// its stacks, as JAX writes one: the importer's scan again (pass step_slices). What a loop or a branch uses
// from outside, it uses from outside here, too.
#include <algorithm>
#include <limits>

#include "ops/control.h"
#include "ops/kinds.h"
#include "stablehlo/exporter.h"

namespace ingot::stablehlo {
namespace {

void export_call(OpExport& op) {
  const ops::CallOp call(op.op());
  op.set_made("func.call", op.operands(),
              {{"callee", Attribute(Symbol{op.exporter().name_of(call.callee())})}});
}

// Its operations: kernels are the compiler's.
void export_fused(OpExport& op) {
  const ops::FusedOp fused(op.op());
  for (int i = 0; i < fused.body().argument_count(); ++i) op.bind(fused.body().argument(i), op.operand(i));
  op.set_all(op.inline_region(fused.body()));
}

// --- scan

// The index of a slice at a place along an axis, and the type of such a slice with that axis.
std::vector<ValueId> slice_at(OpExport& op, ValueId place, ValueId zero, int64_t rank, int64_t axis) {
  std::vector<ValueId> starts(static_cast<size_t>(rank), zero);
  starts[static_cast<size_t>(axis)] = place;
  return starts;
}

Shape with_axis(const Shape& shape, int64_t axis) {
  Shape with = shape;
  with.insert(with.begin() + axis, 1);
  return with;
}

// One step: the counter, the carries, the stacks to the next ones.
std::vector<ValueId> scan_step(OpExport& op, const ops::ScanOp& scan, const std::vector<ValueId>& arguments,
                               DType counter_dtype) {
  const ValueId counter = arguments[0];
  ValueId place = counter, zero = counter;
  if (scan.scanned_count() + scan.stack_count() > 0) {
    zero = op.number(counter_dtype, 0);
    if (scan.reverse())
      place = op.same("stablehlo.subtract", {op.number(counter_dtype, scan.length() - 1), counter});
  }
  size_t next = 1;
  for (const ops::ScanOp::Carry& carry : scan.carries()) op.bind(carry.argument, arguments[next++]);
  for (const ops::ScanOp::Scanned& scanned : scan.scanned()) {
    const ValueId array = op.value(scanned.array);
    const ir::TensorType slice = scanned.slice->type();
    const Shape sizes = with_axis(slice.shape, scanned.axis);
    std::vector<ValueId> operands{array};
    for (ValueId start : slice_at(op, place, zero, scanned.array->rank(), scanned.axis))
      operands.push_back(start);
    const ValueId row = op.make("stablehlo.dynamic_slice", std::move(operands), {slice.dtype, sizes},
                                {{"slice_sizes", sizes}});
    op.bind(scanned.slice, op.reshape(row, slice.shape));
  }
  for (const ops::ScanOp::Invariant& invariant : scan.invariants())
    op.bind_outside(invariant.argument, invariant.value);
  const std::vector<ValueId> made = op.inline_region(scan.body());
  std::vector<ValueId> results{op.same("stablehlo.add", {counter, op.number(counter_dtype, 1)})};
  results.insert(results.end(), made.begin(), made.begin() + scan.carry_count());
  for (int k = 0; k < scan.stack_count(); ++k) {
    const ops::ScanOp::Stack stack = scan.stack(k);
    const ValueId row = op.reshape(made[static_cast<size_t>(scan.carry_count() + k)],
                                   with_axis(stack.slice->shape(), stack.axis));
    std::vector<ValueId> operands{arguments[next++], row};
    for (ValueId start : slice_at(op, place, zero, stack.whole->rank(), stack.axis))
      operands.push_back(start);
    results.push_back(op.make("stablehlo.dynamic_update_slice", std::move(operands), stack.whole->type()));
  }
  return results;
}

void export_scan(OpExport& op) {
  const ops::ScanOp scan(op.op());
  std::vector<ValueId> results;
  if (scan.length() == 0) {  // there are no slices of arrays without rows
    for (const ops::ScanOp::Carry& carry : scan.carries()) results.push_back(op.value(carry.initial));
    for (const ops::ScanOp::Stack& stack : scan.stacks())
      results.push_back(op.filled_int(stack.whole->type(), 0));
    return op.set_all(results);
  }
  const DType dtype = scan.length() < std::numeric_limits<int32_t>::max() ? DType::kS32 : DType::kS64;
  std::vector<ValueId> operands{op.number(dtype, 0)};
  for (const ops::ScanOp::Carry& carry : scan.carries()) operands.push_back(op.value(carry.initial));
  for (const ops::ScanOp::Stack& stack : scan.stacks())
    operands.push_back(op.filled_int(stack.whole->type(), 0));
  std::vector<ir::TensorType> types;
  for (ValueId operand : operands) types.push_back(op.type(operand));
  std::vector<Region> regions;
  regions.push_back(op.region(types, [&](const std::vector<ValueId>& arguments) {
    return std::vector<ValueId>{op.compare("lt", arguments[0], op.number(dtype, scan.length()))};
  }));
  regions.push_back(op.region(
      types, [&](const std::vector<ValueId>& arguments) { return scan_step(op, scan, arguments, dtype); }));
  results = op.make_all("stablehlo.while", operands, types, {}, std::move(regions));
  op.set_all({results.begin() + 1, results.end()});
}

// --- while and cond

// `max_steps` says when it is an error, which StableHLO has no words for: such a loop counts its steps, and
// ends there.
void export_while(OpExport& op) {
  const ops::WhileOp loop(op.op());
  const std::optional<int64_t> most = loop.form().max_steps;
  const DType counter = most.value_or(0) < std::numeric_limits<int32_t>::max() ? DType::kS32 : DType::kS64;
  std::vector<ir::TensorType> types;
  std::vector<ValueId> operands;
  for (const ops::WhileOp::Carry& carry : loop.carries()) {
    operands.push_back(op.value(carry.initial));
    types.push_back(carry.initial->type());
  }
  if (most) {
    operands.push_back(op.number(counter, 0));
    types.push_back({counter, {}});
  }
  std::vector<Region> regions;
  for (const ir::Region* from : {&loop.predicate(), &loop.body()}) {
    regions.push_back(op.region(types, [&](const std::vector<ValueId>& arguments) {
      for (int i = 0; i < from->argument_count(); ++i) {
        if (loop.is_carry(i)) {
          op.bind(from->argument(i), arguments[static_cast<size_t>(i)]);
        } else {
          op.bind_outside(from->argument(i), op.op().operand(i));
        }
      }
      std::vector<ValueId> results = op.inline_region(*from);
      if (most && from == &loop.predicate()) {
        results = {op.same("stablehlo.and",
                           {op.compare("lt", arguments.back(), op.number(counter, *most)), results[0]})};
      } else if (most) {
        results.push_back(op.same("stablehlo.add", {arguments.back(), op.number(counter, 1)}));
      }
      return results;
    }));
  }
  std::vector<ValueId> results =
      op.make_all("stablehlo.while", std::move(operands), types, {}, std::move(regions));
  results.resize(static_cast<size_t>(loop.carry_count()));
  op.set_all(results);
}

// An index that names no branch takes the nearest one here, and the last one there.
void export_cond(OpExport& op) {
  const ops::CondOp cond(op.op());
  ValueId index = op.operand(0);
  const ir::Op* maker = ops::made_by<ops::ConvertOp>(cond.index());
  const bool from_pred = maker != nullptr && maker->operand(0)->dtype() == DType::kPred;
  if (!from_pred) index = op.same("stablehlo.maximum", {op.number(DType::kS32, 0), index});
  std::vector<Region> regions;
  for (int b = 0; b < cond.branch_count(); ++b) {
    const ir::Region& branch = cond.branch(b);
    regions.push_back(op.region({}, [&](const std::vector<ValueId>&) {
      for (int i = 0; i < branch.argument_count(); ++i) op.bind_outside(branch.argument(i), cond.argument(i));
      return op.inline_region(branch);
    }));
  }
  op.set_made("stablehlo.case", {index}, {}, std::move(regions));
}

constexpr NamedExport kControlExports[] = {
    {"call", export_call}, {"cond", export_cond},   {"fused", export_fused},
    {"scan", export_scan}, {"while", export_while},
};

}  // namespace

ExportRules control_exports() {
  return kControlExports;
}

}  // namespace ingot::stablehlo
