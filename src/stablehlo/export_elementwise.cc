// Element-wise operations that are not one of StableHLO's by the same name (export_same), or not for all
// dtypes.
#include <cmath>

#include "ops/kinds.h"
#include "stablehlo/exporter.h"

namespace ingot::stablehlo {
namespace {

// StableHLO has these of what has a sign alone.
void export_abs(OpExport& op) {
  if (is_signed(op.operand_type(0).dtype)) return export_same(op);
  op.set(op.operand(0));
}

void export_sign(OpExport& op) {
  const ir::TensorType type = op.operand_type(0);
  if (is_signed(type.dtype)) return export_same(op);
  op.set(op.convert(op.compare("ne", op.operand(0), op.filled_int(type, 0)), type.dtype));
}

void export_compare(OpExport& op) {
  op.set(op.compare(ops::CompareOp::direction(op.attributes()), op.operand(0), op.operand(1)));
}

void export_convert(OpExport& op) {
  op.set_made("stablehlo.convert", op.operands());
}

void export_reduce_precision(OpExport& op) {
  op.set_made("stablehlo.reduce_precision", op.operands(),
              {{"exponent_bits", op.i32(op.attributes().integer("exponent_bits"))},
               {"mantissa_bits", op.i32(op.attributes().integer("mantissa_bits"))}});
}

// Complex numbers and their parts side by side are no bits of one width to StableHLO.
void export_bitcast(OpExport& op) {
  const ir::TensorType from = op.operand_type(0), to = op.result_type();
  if (is_complex(from.dtype) == is_complex(to.dtype))
    return op.set_made("stablehlo.bitcast_convert", op.operands());
  const ValueId x = op.operand(0);
  if (is_complex(from.dtype)) {
    Shape pair = from.shape;
    pair.push_back(1);
    std::vector<ValueId> parts;
    for (const char* part : {"stablehlo.real", "stablehlo.imag"})
      parts.push_back(op.reshape(op.make(part, {x}, {to.dtype, from.shape}), pair));
    return op.set(op.concatenate(parts, from.rank()));
  }
  std::vector<ValueId> parts;
  for (int64_t part : {0, 1}) {
    Ints starts(from.shape.size(), 0), limits = from.shape;
    starts.back() = part;
    limits.back() = part + 1;
    parts.push_back(op.reshape(op.slice(x, starts, limits, Ints(starts.size(), 1)), to.shape));
  }
  op.set_made("stablehlo.complex", parts);
}

void export_conj(OpExport& op) {
  op.set_made("chlo.conj", op.operands());
}

// Of complex numbers by way of the natural exponential and logarithm.
void export_exp2(OpExport& op) {
  const ir::TensorType type = op.result_type();
  if (!is_complex(type.dtype)) return export_recipe(op);
  op.set(op.composite("exp2", op.operands(), type, [&](OpMaker& make, const std::vector<ValueId>& x) {
    return make.same("stablehlo.exponential",
                     {make.same("stablehlo.multiply", {x[0], make.filled_double(type, M_LN2)})});
  }));
}

void export_log2(OpExport& op) {
  const ir::TensorType type = op.result_type();
  if (!is_complex(type.dtype)) return export_recipe(op);
  op.set(op.composite("log2", op.operands(), type, [&](OpMaker& make, const std::vector<ValueId>& x) {
    return make.same("stablehlo.divide",
                     {make.same("stablehlo.log", {x[0]}), make.filled_double(type, M_LN2)});
  }));
}

// XLA has it of real numbers alone.
void export_cbrt(OpExport& op) {
  const ir::TensorType type = op.result_type();
  if (!is_complex(type.dtype)) return export_same(op);
  op.set(op.composite("cbrt", op.operands(), type, [&](OpMaker& make, const std::vector<ValueId>& x) {
    return make.same("stablehlo.power", {x[0], make.filled_double(type, 1.0 / 3)});
  }));
}

// Whoever reads the program differentiates by the composite's name.
void export_stop_gradient(OpExport& op) {
  const ir::TensorType type = op.result_type();
  if (!is_inexact(type.dtype)) return op.set(op.operand(0));
  op.set(op.composite("stop_gradient", op.operands(), type,
                      [](OpMaker&, const std::vector<ValueId>& x) { return x[0]; }));
}

// A name for policies of checkpoints, which do not come along.
void export_checkpoint_name(OpExport& op) {
  op.set(op.operand(0));
}

constexpr NamedExport kElementwiseExports[] = {
    {"abs", export_abs},         {"bitcast", export_bitcast},
    {"cbrt", export_cbrt},       {"checkpoint_name", export_checkpoint_name},
    {"compare", export_compare}, {"conj", export_conj},
    {"convert", export_convert}, {"exp2", export_exp2},
    {"log2", export_log2},       {"reduce_precision", export_reduce_precision},
    {"sign", export_sign},       {"stop_gradient", export_stop_gradient},
};

}  // namespace

ExportRules elementwise_exports() {
  return kElementwiseExports;
}

}  // namespace ingot::stablehlo
