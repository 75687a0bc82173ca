// reduce: regions that combine each array by a known operation become one reduction each, others come along
// as they are.
#include <algorithm>
#include <cmath>

#include "ops/kinds.h"
#include "stablehlo/importer.h"

namespace ingot::stablehlo {

bool equals(const ir::Value* value, const Tensor& tensor) {
  if (ops::made_by<ops::ConstantOp>(value) == nullptr) return false;
  const auto& own = value->op()->attributes().get<Tensor>("value");
  return own.dtype() == tensor.dtype() && own.size() == 1 && own.shape() == tensor.shape() &&
         (own == tensor || (is_float(own.dtype()) && own.get_double(0) == tensor.get_double(0)) ||
          (is_complex(own.dtype()) && own.get_complex(0) == tensor.get_complex(0)));
}

bool looks_neutral(const ir::Value* value) {
  if (ops::made_by<ops::ConstantOp>(value) == nullptr) return false;
  const auto& tensor = value->op()->attributes().get<Tensor>("value");
  if (is_inexact(tensor.dtype())) {
    const std::complex<double> number = tensor.get_complex(0);
    const auto plain = [](double part) { return part == 0 || part == 1 || !std::isfinite(part); };
    return plain(number.real()) && plain(number.imag());
  }
  const int64_t number = tensor.get_int(0);
  return number == 0 || number == 1 || tensor == neutral_of("max", tensor.dtype()) ||
         tensor == neutral_of("min", tensor.dtype());
}

namespace {

// Array i of the operation, with a known combiner. The initial value may be any: where it is not the neutral
// element, it is combined with what the neutral one gives.
ir::Value* by_known(OpImport& op, const std::string& record, size_t i, size_t n, const Ints& axes) {
  ir::Value *x = op.operand(i), *initial = op.operand(n + i);
  const Tensor neutral = neutral_of(record, x->dtype());
  const bool other = !equals(initial, neutral);
  if (!axes.empty()) {
    std::unique_ptr<ir::Region> region = op.builder().make_region();
    ir::Value *a = region->add_argument({x->dtype(), {}}), *b = region->add_argument({x->dtype(), {}});
    ir::Builder inner(*region);
    inner.set_provenance(op.builder().provenance());
    region->set_results({inner.value(record, {a, b})});
    std::vector<std::unique_ptr<ir::Region>> regions;
    regions.push_back(std::move(region));
    ir::Value* start = other ? op.builder().constant(neutral) : initial;
    x = op.builder().make("reduce", {x, start}, {{"axes", axes}}, std::move(regions))->result();
  }
  return other ? op.make(record, {op.spread(initial, x->shape()), x}) : x;
}

// The records of combiners, one for each array, where the region combines each by itself; else nothing.
std::vector<std::string> known_combiners(OpImport& op, const Region& body, size_t n) {
  std::vector<std::string> records;
  for (const Combiner& combiner : combiners_of(body, n)) {
    records.push_back(record_of_combiner(combiner.name, op.operand(records.size())->dtype()));
    if (records.back().empty()) return {};
  }
  return records;
}

void import_reduce(OpImport& op) {
  const size_t n = op.operand_count() / 2;
  if (op.op().regions.size() != 1 || n == 0 || 2 * n != op.operand_count())
    op.fail("it takes one region and an initial value for each array, but has " +
            std::to_string(op.op().regions.size()) + " regions and the operands " +
            types_of(op.function(), op.op().operands));
  op.promote_reduced(n);
  Ints axes = op.ints("dimensions");
  std::sort(axes.begin(), axes.end());
  const Region& body = op.op().regions.front();
  const std::vector<std::string> records = known_combiners(op, body, n);
  if (!records.empty()) {
    std::vector<ir::Value*> results;
    for (size_t i = 0; i < n; ++i) results.push_back(by_known(op, records[i], i, n, axes));
    return op.set_all(results);
  }
  std::vector<ir::Value*> operands = op.operands();
  const auto arrays = static_cast<std::ptrdiff_t>(n);
  if (axes.empty()) return op.set_all({operands.begin(), operands.begin() + arrays});
  // Initial values are neutral by StableHLO's own rules, and Ingot may leave them out; but XLA takes others,
  // too. What does not look neutral is one more element each.
  const bool known = std::all_of(operands.begin() + arrays, operands.end(), looks_neutral);
  for (size_t i = 0; i < n && !known; ++i) {
    const int64_t axis = axes.front();
    Shape slice = operands[i]->shape();
    if (axis < 0 || axis >= operands[i]->rank()) op.fail("there is no dimension " + std::to_string(axis));
    slice[static_cast<size_t>(axis)] = 1;
    for (int64_t other : axes) {
      if (other < 0 || other >= operands[i]->rank())
        op.fail("there is no dimension " + std::to_string(other));
    }
    operands[i] = op.make("concatenate", {op.spread(operands[n + i], slice), operands[i]}, {{"axis", axis}});
  }
  op.set_all(op.reduce(body, {operands.begin(), operands.begin() + arrays},
                       {operands.begin() + arrays, operands.end()}, axes));
}

}  // namespace

// Arrays that the region uses from outside come along as arrays of one number.
std::vector<ir::Value*> OpImport::reduce(const Region& body, const std::vector<ir::Value*>& arrays,
                                         const std::vector<ir::Value*>& initial, const Ints& axes) {
  const size_t n = arrays.size();
  std::vector<DType> dtypes;
  for (size_t i = 0; i < 2 * n; ++i) dtypes.push_back(arrays[i % n]->dtype());
  ScalarRegion made = scalar_region(body, dtypes);
  const size_t more = made.captured.size();
  std::vector<size_t> arguments, returned;
  for (size_t half = 0; half < 2; ++half) {
    for (size_t i = 0; i < n; ++i) arguments.push_back(half * n + i);
    for (size_t i = 0; i < more; ++i) arguments.push_back(2 * n + i);
  }
  for (size_t i = 0; i < more; ++i) returned.push_back(n + i);
  std::vector<ir::Value*> operands = arrays;
  for (ir::Value* value : made.captured) operands.push_back(spread(value, arrays[0]->shape()));
  operands.insert(operands.end(), initial.begin(), initial.end());
  operands.insert(operands.end(), made.captured.begin(), made.captured.end());
  std::vector<std::unique_ptr<ir::Region>> regions;
  regions.push_back(more == 0 ? std::move(made.region) : rearranged(*made.region, arguments, returned));
  std::vector<ir::Value*> results =
      builder_.make("reduce", operands, {{"axes", axes}}, std::move(regions))->results();
  results.resize(n);
  return results;
}

namespace {

constexpr NamedRule kReductions[] = {{"stablehlo.reduce", import_reduce}};

}  // namespace

Rules reduction_rules() {
  return kReductions;
}

}  // namespace ingot::stablehlo
