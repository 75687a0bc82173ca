// Decompositions as the calls of LAPACK that JAX makes on a CPU. Matrices are handed over column by column,
// and where the last result, a number for each matrix, is not 0, there is none.
#include <cmath>

#include "ops/kinds.h"
#include "stablehlo/exporter.h"

namespace ingot::stablehlo {
namespace {

using ir::TensorType;

struct Handed {
  TensorType type;
  bool matrices;  // else rows, or numbers
};

Attribute layout(OpExport& op, const Handed& x) {
  const auto rank = static_cast<int64_t>(x.type.shape.size());
  Ints order;
  for (int64_t i = rank - 1; i >= 0; --i) order.push_back(i);
  if (x.matrices) std::swap(order[0], order[1]);
  return op.order(order);
}

Attribute layouts(OpExport& op, const std::vector<Handed>& all) {
  Attribute::Array list;
  for (const Handed& x : all) list.push_back(layout(op, x));
  return Attribute::array(std::move(list));
}

std::vector<ValueId> lapack_call(OpExport& op, const std::string& function,
                                 const std::vector<ValueId>& operands, const std::vector<Handed>& given,
                                 const std::vector<Handed>& results, Attributes options = {}) {
  std::vector<TensorType> types;
  for (const Handed& result : results) types.push_back(result.type);
  const DType dtype = op.operand_type(0).dtype;
  const char letter = dtype == DType::kF64 ? 'd' : dtype == DType::kC64 ? 'c' : is_complex(dtype) ? 'z' : 's';
  return op.make_all("stablehlo.custom_call", operands, types,
                     {{"api_version", op.i32(4)},
                      {"backend_config", Attribute::dictionary(std::move(options))},
                      {"call_target_name", Attribute("lapack_" + (letter + function) + "_ffi")},
                      {"called_computations", Attribute::array({})},
                      {"has_side_effect", Attribute(false)},
                      {"operand_layouts", layouts(op, given)},
                      {"output_operand_aliases", Attribute::array({})},
                      {"result_layouts", layouts(op, results)}});
}

// LAPACK has no f16: the operand in f32, and results converted back.
TensorType computed(TensorType type) {
  if (is_narrow_float(type.dtype)) type.dtype = DType::kF32;
  return type;
}

ValueId given(OpExport& op, int i) {
  return op.convert(op.operand(i), computed(op.operand_type(i)).dtype);
}

void set_converted(OpExport& op, std::vector<ValueId> results) {
  for (size_t i = 0; i < results.size(); ++i)
    results[i] = op.convert(results[i], op.result_type(static_cast<int>(i)).dtype);
  op.set_all(results);
}

TensorType rows_of(const TensorType& matrices, DType dtype, int64_t length) {
  TensorType type{dtype, Shape(matrices.shape.begin(), matrices.shape.end() - 1)};
  type.shape.back() = length;
  return type;
}
TensorType numbers_of(const TensorType& matrices) {
  return {DType::kS32, Shape(matrices.shape.begin(), matrices.shape.end() - 2)};
}

// x where the numbers are 0, else NaN.
ValueId where_found(OpExport& op, ValueId x, ValueId numbers) {
  const TensorType type = op.type(x), of_numbers = op.type(numbers);
  const ValueId found = op.compare("eq", numbers, op.filled_int(of_numbers, 0));
  Ints dims;
  for (size_t i = 0; i < of_numbers.shape.size(); ++i) dims.push_back(static_cast<int64_t>(i));
  return op.select(op.spread(found, type.shape, dims), x, op.filled_double(type, NAN));
}

// --- exchanges of rows

// The rows 0, 1, .., of which row i has been exchanged with row pivots[i], one i after the other.
ValueId permutation_of(OpExport& op, ValueId pivots, const TensorType& type) {
  const TensorType of_pivots = op.type(pivots), counter{type.dtype, {}};
  TensorType column = type;
  column.shape.back() = 1;
  const auto last = Attribute(Integer{static_cast<int64_t>(type.shape.size()) - 1});
  Ints along(type.shape.size());
  for (size_t i = 0; i < along.size(); ++i) along[i] = static_cast<int64_t>(i);
  const ValueId rows = op.make("stablehlo.iota", {}, type, {{"iota_dimension", last}});
  if (of_pivots.shape.back() == 0) return rows;
  const std::vector<TensorType> types{counter, type};
  std::vector<Region> regions;
  regions.push_back(op.region(types, [&](const std::vector<ValueId>& arguments) {
    return std::vector<ValueId>{
        op.compare("lt", arguments[0], op.number(counter.dtype, of_pivots.shape.back()))};
  }));
  regions.push_back(op.region(types, [&](const std::vector<ValueId>& arguments) {
    const ValueId zero = op.number(counter.dtype, 0);
    const auto at_step = [&](ValueId array) {  // its column, everywhere
      std::vector<ValueId> operands{array};
      operands.insert(operands.end(), type.shape.size() - 1, zero);
      operands.push_back(arguments[0]);
      const ValueId found =
          op.make("stablehlo.dynamic_slice", std::move(operands), column, {{"slice_sizes", column.shape}});
      return op.spread(found, type.shape, along);
    };
    const ValueId pivot = at_step(pivots), own = at_step(arguments[1]);
    const ValueId is_own = op.compare("eq", rows, op.spread(arguments[0], type.shape, {})),
                  is_other = op.compare("eq", rows, pivot);
    std::vector<Region> sum;
    sum.push_back(op.region({counter, counter}, [&](const std::vector<ValueId>& pair) {
      return std::vector<ValueId>{op.same("stablehlo.add", pair)};
    }));
    const TensorType sums{type.dtype, Shape(type.shape.begin(), type.shape.end() - 1)};
    const ValueId other =
        op.make("stablehlo.reduce", {op.select(is_other, arguments[1], op.filled_int(type, 0)), zero}, sums,
                {{"dimensions", Ints{along.back()}}}, std::move(sum));
    const ValueId theirs = op.spread(other, type.shape, Ints(along.begin(), along.end() - 1));
    return std::vector<ValueId>{op.same("stablehlo.add", {arguments[0], op.number(counter.dtype, 1)}),
                                op.select(is_own, theirs, op.select(is_other, own, arguments[1]))};
  }));
  return op.make_all("stablehlo.while", {op.number(counter.dtype, 0), rows}, types, {},
                     std::move(regions))[1];
}

void export_lu(OpExport& op) {
  const ValueId a = given(op, 0);
  const TensorType type = op.type(a), pivots = op.result_type(1), rows = op.result_type(2);
  const auto results = lapack_call(op, "getrf", {a}, {{type, true}},
                                   {{type, true}, {pivots, false}, {numbers_of(type), false}});
  const ValueId from_zero = op.same("stablehlo.subtract", {results[1], op.filled_int(pivots, 1)});
  const bool wanted = op.op().result(2)->used();
  set_converted(
      op, {results[0], from_zero, wanted ? permutation_of(op, from_zero, rows) : op.filled_int(rows, 0)});
}

// --- orthogonal factors

struct Packed {
  ValueId matrix, taus;
};

Packed packed_of(OpExport& op, ValueId a) {
  const TensorType type = op.type(a);
  const int64_t least = std::min(type.shape[type.shape.size() - 2], type.shape.back());
  const TensorType taus = rows_of(type, type.dtype, least);
  const auto results = lapack_call(op, "geqrf", {a}, {{type, true}}, {{type, true}, {taus, false}});
  return {results[0], results[1]};
}

ValueId product_of(OpExport& op, ValueId a, ValueId taus) {
  const TensorType type = op.type(a);
  return lapack_call(op, is_complex(type.dtype) ? "ungqr" : "orgqr", {a, taus},
                     {{type, true}, {op.type(taus), false}}, {{type, true}})[0];
}

void export_geqrf(OpExport& op) {
  const Packed packed = packed_of(op, given(op, 0));
  set_converted(op, {packed.matrix, packed.taus});
}

void export_householder_product(OpExport& op) {
  set_converted(op, {product_of(op, given(op, 0), given(op, 1))});
}

void export_qr(OpExport& op) {
  const ValueId a = given(op, 0);
  const Shape &shape = op.operand_type(0).shape, &of_q = op.result_type(0).shape,
              &of_r = op.result_type(1).shape;
  const size_t rank = shape.size();
  const Packed packed = packed_of(op, a);
  const auto first = [&](const Shape& limits) {
    return op.slice(packed.matrix, Ints(rank, 0), limits, Ints(rank, 1));
  };
  ValueId q;
  if (of_q.back() <= shape.back()) {
    q = product_of(op, first(of_q), packed.taus);
  } else {
    Ints high(rank, 0);
    high.back() = of_q.back() - shape.back();
    const TensorType wide{op.type(a).dtype, of_q};
    q = op.make("stablehlo.pad", {packed.matrix, op.number(wide.dtype, 0)}, wide,
                {{"edge_padding_low", Ints(rank, 0)},
                 {"edge_padding_high", high},
                 {"interior_padding", Ints(rank, 0)}});
    q = product_of(op, q, packed.taus);
  }
  const TensorType places{DType::kS32, of_r}, type{op.type(a).dtype, of_r};
  const auto place = [&](size_t axis) {
    return op.make("stablehlo.iota", {}, places,
                   {{"iota_dimension", Attribute(Integer{static_cast<int64_t>(axis)})}});
  };
  const ValueId below = op.compare("gt", place(rank - 2), place(rank - 1));
  const ValueId r = op.select(below, op.filled_int(type, 0), first(of_r));
  set_converted(op, {q, r});
}

// --- eigenvalues and singular values

void export_eigh(OpExport& op) {
  const ops::EighOp eigh(op.op());
  const ValueId a = given(op, 0);
  const TensorType type = op.type(a);
  const auto results =
      lapack_call(op, is_complex(type.dtype) ? "heevd" : "syevd", {a}, {{type, true}},
                  {{type, true},
                   {rows_of(type, real_dtype(type.dtype), type.shape.back()), false},
                   {numbers_of(type), false}},
                  {{"mode", op.u8(eigh.vectors() ? 'V' : 'N')}, {"uplo", op.u8(eigh.lower() ? 'L' : 'U')}});
  std::vector<ValueId> found{where_found(op, results[1], results[2])};
  if (eigh.vectors()) found.push_back(where_found(op, results[0], results[2]));
  set_converted(op, found);
}

void export_svd(OpExport& op) {
  const ops::SvdOp svd(op.op());
  const ValueId a = given(op, 0);
  const TensorType type = op.type(a);
  const int64_t m = type.shape[type.shape.size() - 2], n = type.shape.back(), least = std::min(m, n);
  const bool square = svd.full_matrices() || !svd.vectors();
  TensorType u = type, v = type;
  u.shape.back() = square ? m : least;
  v.shape[v.shape.size() - 2] = square ? n : least;
  const auto results = lapack_call(op, "gesdd", {a}, {{type, true}},
                                   {{type, true},
                                    {rows_of(type, real_dtype(type.dtype), least), false},
                                    {u, true},
                                    {v, true},
                                    {numbers_of(type), false}},
                                   {{"mode", op.u8(!svd.vectors()        ? 'N'
                                                   : svd.full_matrices() ? 'A'
                                                                         : 'S')}});
  const ValueId s = where_found(op, results[1], results[4]);
  if (!svd.vectors()) return set_converted(op, {s});
  set_converted(op, {where_found(op, results[2], results[4]), s, where_found(op, results[3], results[4])});
}

// What is complex comes in two parts where a is real.
ValueId joined(OpExport& op, const std::vector<ValueId>& parts, const TensorType& type) {
  return parts.size() == 1 ? parts[0] : op.make("stablehlo.complex", parts, type);
}

void export_eig(OpExport& op) {
  const ops::EigOp eig(op.op());
  const ValueId a = given(op, 0);
  const TensorType type = op.type(a), vectors{op.result_type(0).dtype, type.shape},
                   values = rows_of(type, op.result_type(0).dtype, type.shape.back()),
                   parts{type.dtype, values.shape};
  std::vector<Handed> wanted(is_complex(type.dtype) ? 1 : 2, Handed{parts, false});
  const size_t count = wanted.size();
  wanted.insert(wanted.end(), {{vectors, true}, {vectors, true}, {numbers_of(type), false}});
  const auto results = lapack_call(
      op, "geev", {a}, {{type, true}}, wanted,
      {{"compute_left", op.u8(eig.left() ? 'V' : 'N')}, {"compute_right", op.u8(eig.right() ? 'V' : 'N')}});
  const ValueId numbers = results.back();
  const ValueId w = joined(op, {results.begin(), results.begin() + static_cast<int64_t>(count)}, values);
  std::vector<ValueId> found{where_found(op, w, numbers)};
  if (eig.left()) found.push_back(where_found(op, results[count], numbers));
  if (eig.right()) found.push_back(where_found(op, results[count + 1], numbers));
  op.set_all(found);
}

void export_schur(OpExport& op) {
  const ValueId a = given(op, 0);
  const TensorType type = op.type(a), values = rows_of(type, op.result_type(2).dtype, type.shape.back()),
                   parts{type.dtype, values.shape}, numbers = numbers_of(type);
  std::vector<Handed> wanted(is_complex(type.dtype) ? 3 : 4, Handed{parts, false});
  wanted[0] = wanted[1] = {type, true};
  const auto count = static_cast<int64_t>(wanted.size());
  wanted.insert(wanted.end(), 2, {numbers, false});
  const auto results =
      lapack_call(op, "gees", {a}, {{type, true}}, wanted, {{"mode", op.u8('V')}, {"sort", op.u8('N')}});
  const ValueId w = joined(op, {results.begin() + 2, results.begin() + count}, values);
  set_converted(op, {where_found(op, results[0], results.back()), where_found(op, results[1], results.back()),
                     where_found(op, w, results.back())});
}

constexpr NamedExport kLapackExports[] = {
    {"eig", export_eig},     {"eigh", export_eigh},
    {"geqrf", export_geqrf}, {"householder_product", export_householder_product},
    {"lu", export_lu},       {"qr", export_qr},
    {"schur", export_schur}, {"svd", export_svd},
};

}  // namespace

ExportRules lapack_exports() {
  return kLapackExports;
}

}  // namespace ingot::stablehlo
