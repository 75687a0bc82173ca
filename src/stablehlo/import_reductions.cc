// reduce: regions that combine each array by a known operation become one reduction each, others come along
// as they are.
#include <algorithm>
#include <cmath>

#include "stablehlo/importer.h"

namespace ingot::stablehlo {
namespace {

bool equals(const ir::Value* value, const Tensor& tensor) {
  if (!value->op() || value->op()->name() != "constant") return false;
  const auto& own = value->op()->attributes().get<Tensor>("value");
  return own.dtype() == tensor.dtype() && own.size() == 1 && own.shape() == tensor.shape() &&
         (own == tensor || (is_float(own.dtype()) && own.get_double(0) == tensor.get_double(0)) ||
          (is_complex(own.dtype()) && own.get_complex(0) == tensor.get_complex(0)));
}

// 0, 1, infinities, NaN, the least or the greatest number: what regions of any use have as neutral.
bool looks_neutral(const ir::Value* value) {
  if (!value->op() || value->op()->name() != "constant") return false;
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
  if (body.operations.empty() || body.operations.back().operands.size() != n ||
      body.arguments.size() != 2 * n)
    return {};
  std::vector<std::string> records;
  for (size_t i = 0; i < n; ++i) {
    Region one;
    one.arguments = {body.arguments[i], body.arguments[n + i]};
    for (const Operation& operation : body.operations) {
      const bool makes = std::find(operation.results.begin(), operation.results.end(),
                                   body.operations.back().operands[i]) != operation.results.end();
      if (makes) one.operations.push_back(operation);
    }
    one.operations.push_back(body.operations.back());
    one.operations.back().operands = {body.operations.back().operands[i]};
    records.push_back(record_of_combiner(combiner_of(one).name, op.operand(i)->dtype()));
    if (records.back().empty()) return {};
  }
  return records;
}

void import_reduce(OpImport& op) {
  const size_t n = op.operand_count() / 2;
  if (op.op().regions.size() != 1 || n == 0 || 2 * n != op.operand_count())
    op.fail("operands and region do not fit");
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
  std::vector<DType> dtypes;
  for (size_t i = 0; i < 2 * n; ++i) dtypes.push_back(operands[i % n]->dtype());
  std::vector<std::unique_ptr<ir::Region>> regions;
  regions.push_back(op.scalar_region(body, dtypes));
  op.set_all(op.builder().make("reduce", operands, {{"axes", axes}}, std::move(regions))->results());
}

constexpr NamedRule kReductions[] = {{"stablehlo.reduce", import_reduce}};

}  // namespace

Rules reduction_rules() {
  return kReductions;
}

}  // namespace ingot::stablehlo
