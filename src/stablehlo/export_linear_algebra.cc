// Factors and solutions of matrices.
#include "ops/kinds.h"
#include "stablehlo/exporter.h"

namespace ingot::stablehlo {
namespace {

void export_cholesky(OpExport& op) {
  op.set_made("stablehlo.cholesky", op.operands(), {{"lower", Attribute(ops::CholeskyOp(op.op()).lower())}});
}

void export_triangular_solve(OpExport& op) {
  const ops::TriangularSolveForm form = ops::TriangularSolveOp(op.op()).form();
  const char* transpose = !form.transposed ? "NO_TRANSPOSE" : form.conjugated ? "ADJOINT" : "TRANSPOSE";
  op.set_made("stablehlo.triangular_solve", op.operands(),
              {{"left_side", Attribute(form.left_side)},
               {"lower", Attribute(form.lower)},
               {"unit_diagonal", Attribute(form.unit_diagonal)},
               {"transpose_a", Attribute(Enum{"transpose", transpose})}});
}

constexpr NamedExport kLinearAlgebraExports[] = {
    {"cholesky", export_cholesky},
    {"triangular_solve", export_triangular_solve},
};

}  // namespace

ExportRules linear_algebra_exports() {
  return kLinearAlgebraExports;
}

}  // namespace ingot::stablehlo
