// Reductions and sorts: regions of scalars.
#include "ops/comparators.h"
#include "ops/kinds.h"
#include "stablehlo/exporter.h"

namespace ingot::stablehlo {
namespace {

void export_reduce(OpExport& op) {
  std::vector<Region> regions;
  regions.push_back(op.whole_region(op.op().region()));
  op.set_made("stablehlo.reduce", op.operands(), {{"dimensions", op.list("axes")}}, std::move(regions));
}

Attributes sort_attributes(int64_t axis, bool stable) {
  return {{"dimension", Attribute(Integer{axis})}, {"is_stable", Attribute(stable)}};
}

void export_sort(OpExport& op) {
  std::vector<Region> regions;
  regions.push_back(op.whole_region(op.op().region()));
  const ops::SortOp sort(op.op());
  op.set_made("stablehlo.sort", op.operands(), sort_attributes(sort.axis(), op.attributes().flag("stable")),
              std::move(regions));
}

// A sort of keys and arrays by a comparator that looks at the keys.
void export_sort_by_keys(OpExport& op) {
  const ops::SortByKeysOp sort(op.op());
  std::vector<DType> dtypes;
  std::vector<ir::TensorType> types;
  for (const ir::Value* operand : op.op().operands()) {
    dtypes.push_back(operand->dtype());
    types.push_back(operand->type());
  }
  std::vector<ops::KeyOrder> orders;
  for (int k = 0; k < sort.key_count(); ++k) orders.push_back(sort.order(k));
  const std::unique_ptr<ir::Region> comparator =
      ops::comparator_by_keys(*op.op().function(), dtypes, orders, op.op().provenance());
  std::vector<Region> regions;
  regions.push_back(op.whole_region(*comparator));
  const std::vector<ValueId> sorted = op.make_all("stablehlo.sort", op.operands(), types,
                                                  sort_attributes(sort.axis(), true), std::move(regions));
  std::vector<ValueId> results(sorted.begin() + sort.key_count(), sorted.end());
  if (sort.first()) {
    for (size_t i = 0; i < results.size(); ++i) {
      const ir::TensorType& type = op.op().result(static_cast<int>(i))->type();
      results[i] = op.make("stablehlo.slice", {results[i]}, type,
                           {{"start_indices", Ints(type.shape.size(), 0)},
                            {"limit_indices", Ints(type.shape)},
                            {"strides", Ints(type.shape.size(), 1)}});
    }
  }
  op.set_all(std::move(results));
}

constexpr NamedExport kReductionExports[] = {
    {"reduce", export_reduce},
    {"sort", export_sort},
    {"sort_by_keys", export_sort_by_keys},
};

}  // namespace

ExportRules reduction_exports() {
  return kReductionExports;
}

}  // namespace ingot::stablehlo
