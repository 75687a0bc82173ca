// Factors and solutions of matrices: StableHLO's operations, and the functions of LAPACK that JAX calls on a
// CPU.
#include "stablehlo/importer.h"

namespace ingot::stablehlo {
namespace {

void import_cholesky(OpImport& op) {
  if (op.operand_count() != 1) op.fail("takes one array");
  op.set(op.make("cholesky", {op.operand(0)}, {{"lower", op.integer("lower", 0) != 0}}));
}

ir::Value* solution(OpImport& op, bool left_side, bool lower, bool unit_diagonal,
                    const std::string& transpose) {
  if (op.operand_count() != 2) op.fail("takes two arrays");
  return op.make("triangular_solve", {op.operand(0), op.operand(1)},
                 {{"left_side", left_side},
                  {"lower", lower},
                  {"unit_diagonal", unit_diagonal},
                  {"transpose_a", transpose}});
}

void import_triangular_solve(OpImport& op) {
  const std::string transpose = op.word("transpose_a", "NO_TRANSPOSE");
  if (transpose != "NO_TRANSPOSE" && transpose != "TRANSPOSE" && transpose != "ADJOINT")
    op.fail("transpose_a is " + transpose + ", and should be NO_TRANSPOSE, TRANSPOSE or ADJOINT");
  op.set(solution(op, op.integer("left_side", 0) != 0, op.integer("lower", 0) != 0,
                  op.integer("unit_diagonal", 0) != 0,
                  transpose == "NO_TRANSPOSE" ? "no"
                  : transpose == "TRANSPOSE"  ? "transpose"
                                              : "adjoint"));
}

// --- LAPACK

// A letter among the attributes.
char letter(OpImport& op, std::string_view name, char otherwise) {
  return static_cast<char>(op.entry("mhlo.backend_config", name).value_or(otherwise));
}

// 1 for each matrix whose first element is NaN, else 0. LAPACK says which leading minor is not positive; JAX
// asks whether it is 0.
ir::Value* failures(OpImport& op, ir::Value* factor, const ir::TensorType& wanted) {
  const Shape& shape = factor->shape();
  if (factor->type().elements() == 0) return op.filled_int(wanted, 0);
  ir::IntList limits = shape;
  limits[limits.size() - 1] = limits[limits.size() - 2] = 1;
  ir::Value* first = op.make("slice", {factor},
                             {{"starts", ir::IntList(shape.size(), 0)},
                              {"limits", limits},
                              {"strides", ir::IntList(shape.size(), 1)}});
  first = op.make("reshape", {first}, {{"shape", Shape(shape.begin(), shape.end() - 2)}});
  if (is_complex(first->dtype())) first = op.make("real", {first});
  return op.convert(op.make("compare", {first, first}, {{"direction", std::string("ne")}}), wanted.dtype);
}

void call_potrf(OpImport& op) {
  if (op.operand_count() != 1 || op.op().results.size() != 2 || op.operand(0)->rank() < 2)
    op.fail("takes matrices, and gives factors and a number each");
  ir::Value* factor = op.make("cholesky", {op.operand(0)}, {{"lower", letter(op, "uplo", 'L') != 'U'}});
  op.set_all({factor, failures(op, factor, op.result_type(1))});
}

void call_trsm(OpImport& op) {
  const char transpose = letter(op, "trans_x", 'N');
  op.set(solution(op, letter(op, "side", 'L') != 'R', letter(op, "uplo", 'L') != 'U',
                  letter(op, "diag", 'N') == 'U',
                  transpose == 'N'   ? "no"
                  : transpose == 'T' ? "transpose"
                                     : "adjoint"));
}

// Rows are counted from 1. JAX asks whether the last number is negative, which is a wrong argument.
void call_getrf(OpImport& op) {
  if (op.operand_count() != 1 || op.op().results.size() != 3)
    op.fail("takes matrices, and gives factors, rows and a number each");
  const std::vector<ir::Value*> results = op.builder().make("lu", {op.operand(0)})->results();
  ir::Value* rows = op.make("add", {results[1], op.filled_int(results[1]->type(), 1)});
  op.set_all({results[0], rows, op.filled_int(op.result_type(2), 0)});
}

constexpr NamedRule kLinearAlgebra[] = {
    {"stablehlo.cholesky", import_cholesky},
    {"stablehlo.triangular_solve", import_triangular_solve},
};

// By what stands between the letter of the dtype and "_ffi".
constexpr NamedRule kLapack[] = {
    {"getrf", call_getrf},
    {"potrf", call_potrf},
    {"trsm", call_trsm},
};

}  // namespace

Rules linear_algebra_rules() {
  return kLinearAlgebra;
}

bool import_lapack_call(OpImport& op, const std::string& target) {
  constexpr std::string_view kBefore = "lapack_", kAfter = "_ffi";
  if (!target.starts_with(kBefore) || !target.ends_with(kAfter) || target.size() < 13) return false;
  const std::string_view name =
      std::string_view(target).substr(kBefore.size() + 1, target.size() - kBefore.size() - 1 - kAfter.size());
  for (const NamedRule& known : kLapack) {
    if (known.name != name) continue;
    known.rule(op);
    return true;
  }
  return false;
}

}  // namespace ingot::stablehlo
