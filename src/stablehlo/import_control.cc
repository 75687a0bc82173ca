// Calls, loops and branches, and what ends a region.
#include <algorithm>

#include "ops/control.h"
#include "ops/kinds.h"
#include "stablehlo/importer.h"

namespace ingot::stablehlo {
namespace {

void import_return(OpImport& op) {
  const bool checks = op.importer().options().checks && op.importer().is_entry(op.function()) &&
                      op.frame().region->parent_op() == nullptr && op.op().name == "func.return";
  if (checks) return;  // what the entry function returns is what it compares
  std::vector<ir::Value*> values;
  for (size_t i = 0; i < op.operand_count(); ++i) add_arrays(op.bound(i), values);
  op.frame().region->set_results(std::move(values));
}

// The operation's results, of arrays that are their parts; `what` gives them.
void set_parts(OpImport& op, const std::vector<ir::Value*>& arrays, const std::string& what) {
  const auto fail = [&] {
    op.fail(what + " " + types_of(arrays) + ", but the operation says " +
            types_of(op.function(), op.op().results));
  };
  size_t next = 0;
  for (size_t i = 0; i < op.op().results.size(); ++i) {
    std::optional<Bound> bound = op.importer().bound_of(op.result(i), arrays, next);
    if (!bound) fail();
    op.set_bound(i, std::move(*bound));
  }
  if (next != arrays.size()) fail();
}

void call(OpImport& op, const std::string& name) {
  std::vector<ir::Value*> arguments;
  for (size_t i = 0; i < op.operand_count(); ++i) add_arrays(op.bound(i), arguments);
  if (const auto bound = op.importer().in_line(name, arguments, op.frame())) {
    std::vector<ir::Value*> arrays;
    for (const Bound& result : *bound) add_arrays(result, arrays);
    return set_parts(op, arrays, "@" + name + " returns");
  }
  ir::Function* callee = op.importer().callee(name);
  if (!callee) op.fail("there is no function @" + name);
  std::vector<ir::Value*> results;
  const bool lifted =
      op.importer().options().lift_inputs && name == "inputs" && op.importer().is_entry(op.function());
  if (lifted) {
    results = op.importer().lift(name);
  } else {
    results = op.builder().make("call", arguments, ops::CallForm::plain(*callee).attributes())->results();
  }
  set_parts(op, results, "@" + name + " returns");
}

void import_call(OpImport& op) {
  call(op, op.word("callee"));
}

// The record of a composite "ingot.NAME", as the exporter writes those that StableHLO has no operation for.
std::string_view record_of_composite(const std::string& name) {
  if (!name.starts_with("ingot.")) return {};
  const ir::OpRecord* record = ir::find_record(std::string_view(name).substr(6));
  if (record == nullptr || record->regions != 0 || !record->attributes->specs().empty()) return {};
  return std::holds_alternative<ir::ScalarRecipe>(*record->becomes) ? *record->name : std::string_view();
}

// What Ingot has an operation for is that; else it is its decomposition.
void import_composite(OpImport& op) {
  const std::string name = op.word("name");
  const std::string_view own = record_of_composite(name), record = own.empty() ? record_named(name) : own;
  const auto fits = [&](size_t i) {
    return op.bound(i).value && op.importer().fits(op.result(0), op.operand(i)->type());
  };
  const DType dtype = op.op().results.size() == 1 ? op.result_dtype() : DType::kPred;
  bool same = !record.empty() && (is_float(dtype) || (!own.empty() && is_complex(dtype)));
  for (size_t i = 0; i < op.operand_count(); ++i) same = same && fits(i);
  if (same) return op.set(op.make(record, op.operands()));
  if (import_sorting_composite(op, name)) return;
  call(op, op.word("decomposition"));
}

// Carries that a step hands on as they are, as JAX has what its loops use from outside, are invariants.
// Tuples are carried as their parts.
void import_while(OpImport& op) {
  const Operation& loop = op.op();
  const size_t n = loop.operands.size();
  if (loop.regions.size() != 2 || loop.results.size() != n)
    op.fail("there are to be two regions and a result per carry");
  const Region &predicate = loop.regions[0], &body = loop.regions[1];
  if (predicate.arguments.size() != n || body.arguments.size() != n || body.operations.empty() ||
      body.operations.back().operands.size() != n) {
    op.fail("its regions take and return one value per carry");
  }
  std::vector<size_t> carries, kept;  // kept: what stays
  std::vector<ir::Value*> operands;
  for (size_t i = 0; i < n; ++i) {
    const bool stays = body.operations.back().operands[i] == body.arguments[i];
    (stays ? kept : carries).push_back(i);
  }
  for (size_t i : carries) add_arrays(op.bound(i), operands);
  const size_t carried = operands.size();
  for (size_t i : kept) add_arrays(op.bound(i), operands);
  const std::vector<ValueId> captured = op.captured();
  for (ir::Value* array : op.arrays_of(captured)) operands.push_back(array);
  std::vector<std::unique_ptr<ir::Region>> regions;
  for (const Region* from : {&predicate, &body}) {
    std::unique_ptr<ir::Region> region = op.builder().make_region();
    for (ir::Value* operand : operands) region->add_argument(operand->type());
    // The region's arguments in the order of ours.
    Region ordered;
    ordered.operations = from->operations;
    for (size_t i : carries) ordered.arguments.push_back(from->arguments[i]);
    for (size_t i : kept) ordered.arguments.push_back(from->arguments[i]);
    if (from == &body) {
      std::vector<ValueId> next;
      for (size_t i : carries) next.push_back(from->operations.back().operands[i]);
      ordered.operations.back().operands = std::move(next);
    }
    op.fill(ordered, *region, captured);
    regions.push_back(std::move(region));
  }
  const std::vector<ir::Value*> results =
      op.builder()
          .make("while", operands, {{"carries", static_cast<int64_t>(carried)}}, std::move(regions))
          ->results();
  size_t next = 0;
  for (size_t i : carries) {
    std::optional<Bound> bound = op.importer().bound_of(op.result(i), results, next);
    if (!bound) op.fail("the loop does not carry what the operation says");
    op.set_bound(i, std::move(*bound));
  }
  for (size_t i : kept) op.set_bound(i, op.bound(i));
}

void branch(OpImport& op, ir::Value* index, const std::vector<const Region*>& branches) {
  const std::vector<ValueId> captured = op.captured();
  std::vector<ir::Value*> operands{index};
  for (ir::Value* array : op.arrays_of(captured)) operands.push_back(array);
  std::vector<std::unique_ptr<ir::Region>> regions;
  for (const Region* from : branches) {
    std::unique_ptr<ir::Region> region = op.builder().make_region();
    for (size_t i = 1; i < operands.size(); ++i) region->add_argument(operands[i]->type());
    if (!from->arguments.empty()) op.fail("a branch takes no arguments");
    op.fill(*from, *region, captured);
    regions.push_back(std::move(region));
  }
  set_parts(op, op.builder().make("cond", operands, {}, std::move(regions))->results(),
            "the branches do not return");
}

void import_if(OpImport& op) {
  if (op.op().regions.size() != 2) op.fail("there are to be two regions");
  branch(op, op.convert(op.operand(0), DType::kS32), {&op.op().regions[1], &op.op().regions[0]});
}

// An index that names no branch takes the last one.
void import_case(OpImport& op) {
  if (op.op().regions.empty()) op.fail("there is to be a region");
  ir::Value* index = op.operand(0);
  const ir::Op* convert = ops::made_by<ops::ConvertOp>(index);
  const bool from_pred = convert != nullptr && convert->operand(0)->dtype() == DType::kPred;
  if (!from_pred && index->rank() == 0) {
    ir::Value* below =
        op.make("compare", {index, op.scalar_int(index->dtype(), 0)}, {{"direction", std::string("lt")}});
    ir::Value* last = op.scalar_int(index->dtype(), static_cast<int64_t>(op.op().regions.size()) - 1);
    index = op.make("select", {below, last, index});
  }
  std::vector<const Region*> branches;
  for (const Region& region : op.op().regions) branches.push_back(&region);
  branch(op, index, branches);
}

constexpr NamedRule kControl[] = {
    {"func.call", import_call},        {"func.return", import_return},
    {"stablehlo.case", import_case},   {"stablehlo.composite", import_composite},
    {"stablehlo.if", import_if},       {"stablehlo.return", import_return},
    {"stablehlo.while", import_while},
};

}  // namespace

Rules control_rules() {
  return kControl;
}

}  // namespace ingot::stablehlo
