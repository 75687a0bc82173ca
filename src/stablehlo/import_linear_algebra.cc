// Factors and solutions of matrices: StableHLO's operations, and the functions of LAPACK that JAX calls on a
// CPU.
#include <algorithm>

#include "stablehlo/importer.h"

namespace ingot::stablehlo {

char letter(OpImport& op, std::string_view name, std::string_view choices) {
  for (const char* dictionary : {"mhlo.backend_config", "backend_config"}) {
    const std::optional<int64_t> found = op.entry(dictionary, name);
    if (!found) continue;
    for (const char choice : choices) {
      if (*found == choice) return choice;
    }
    std::string known;
    for (const char choice : choices) {
      if (!known.empty()) known += ", ";
      known += std::to_string(int{choice}) + " ('" + choice + "')";
    }
    op.fail("'" + std::string(name) + "' is " + std::to_string(*found) + ", and should be one of " + known);
  }
  return choices[0];
}

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

// The type of result i, whose open extents are those of the batch of operand 0.
ir::TensorType type_in_batch(OpImport& op, size_t i) {
  const Type& said = op.result(i);
  if (said.is_static() || !said.is_tensor() || !said.ranked) return op.result_type(i);
  ir::TensorType type{op.result_dtype(i), said.shape};
  const Shape& shape = op.operand(0)->shape();
  for (size_t d = 0; d < type.shape.size() && d + 2 < shape.size(); ++d) type.shape[d] = shape[d];
  const auto open = std::find(type.shape.begin(), type.shape.end(), Type::kDynamic);
  return open == type.shape.end() ? type : op.result_type(i);
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
  ir::Value* factor = op.make("cholesky", {op.operand(0)}, {{"lower", letter(op, "uplo", "LU") != 'U'}});
  op.set_all({factor, failures(op, factor, type_in_batch(op, 1))});
}

void call_trsm(OpImport& op) {
  const char transpose = letter(op, "trans_x", "NTC");
  op.set(solution(op, letter(op, "side", "LR") != 'R', letter(op, "uplo", "LU") != 'U',
                  letter(op, "diag", "NU") == 'U',
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
  op.set_all({results[0], rows, op.filled_int(type_in_batch(op, 2), 0)});
}

void call_geqrf(OpImport& op) {
  if (op.operand_count() != 1) op.fail("takes matrices");
  op.set_all(op.builder().make("geqrf", {op.operand(0)})->results());
}

void call_orgqr(OpImport& op) {
  if (op.operand_count() != 2) op.fail("takes matrices, and factors of reflections");
  op.set(op.make("householder_product", {op.operand(0), op.operand(1)}));
}

// 1 for each matrix whose first value is NaN, else 0: LAPACK says that it has found none.
ir::Value* failures_of_values(OpImport& op, ir::Value* values, const ir::TensorType& wanted) {
  const Shape& shape = values->shape();
  ir::Value* square = op.make("reshape", {values}, {{"shape", [&] {
                                                       Shape with = shape;
                                                       with.insert(with.end() - 1, 1);
                                                       return with;
                                                     }()}});
  return failures(op, square, wanted);
}

// Of an operand whose results are so many, the last one a number for each matrix.
void want_decomposition(OpImport& op, std::initializer_list<size_t> counts, ir::TensorType& type) {
  const size_t count = op.op().results.size();
  if (op.operand_count() != 1 || op.operand(0)->rank() < 2 ||
      std::find(counts.begin(), counts.end(), count) == counts.end())
    op.fail("takes matrices, and gives what they are decomposed into and a number each");
  type = type_in_batch(op, count - 1);
}

void call_syevd(OpImport& op) {
  ir::TensorType numbers;
  want_decomposition(op, {3}, numbers);
  const bool vectors = letter(op, "mode", "VN") != 'N';
  const std::vector<ir::Value*> results =
      op.builder()
          .make("eigh", {op.operand(0)}, {{"lower", letter(op, "uplo", "LU") != 'U'}, {"vectors", vectors}})
          ->results();
  op.set_all({vectors ? results[1] : op.operand(0), results[0], failures_of_values(op, results[0], numbers)});
}

void call_gesdd(OpImport& op) {
  ir::TensorType numbers;
  want_decomposition(op, {5}, numbers);
  const char mode = letter(op, "mode", "ASN");
  const bool vectors = mode != 'N';
  const std::vector<ir::Value*> results =
      op.builder()
          .make("svd", {op.operand(0)}, {{"full_matrices", mode == 'A'}, {"vectors", vectors}})
          ->results();
  ir::Value* s = results[vectors ? 1 : 0];
  op.set_all({op.operand(0), s, vectors ? results[0] : op.filled(type_in_batch(op, 2), 0),
              vectors ? results[2] : op.filled(type_in_batch(op, 3), 0), failures_of_values(op, s, numbers)});
}

// Eigenvalues, in two parts where the operand is real.
std::vector<ir::Value*> parts_of(OpImport& op, ir::Value* values) {
  if (is_complex(op.operand(0)->dtype())) return {values};
  return {op.make("real", {values}), op.make("imag", {values})};
}

void call_geev(OpImport& op) {
  ir::TensorType numbers;
  want_decomposition(op, {4, 5}, numbers);
  const bool left = letter(op, "compute_left", "NV") == 'V', right = letter(op, "compute_right", "VN") == 'V';
  const std::vector<ir::Value*> made =
      op.builder().make("eig", {op.operand(0)}, {{"left", left}, {"right", right}})->results();
  std::vector<ir::Value*> results = parts_of(op, made[0]);
  const size_t first = results.size();
  results.push_back(left ? made[1] : op.filled(type_in_batch(op, first), 0));
  results.push_back(right ? made[left ? 2 : 1] : op.filled(type_in_batch(op, first + 1), 0));
  results.push_back(failures_of_values(op, op.make("real", {made[0]}), numbers));
  op.set_all(results);
}

void call_gees(OpImport& op) {
  ir::TensorType numbers;
  want_decomposition(op, {5, 6}, numbers);
  if (letter(op, "sort", "NS") != 'N') op.refuse("it chooses an order of eigenvalues");
  const std::vector<ir::Value*> made = op.builder().make("schur", {op.operand(0)})->results();
  std::vector<ir::Value*> results{made[0], made[1]};
  for (ir::Value* part : parts_of(op, made[2])) results.push_back(part);
  results.push_back(op.filled_int(type_in_batch(op, results.size()), 0));
  results.push_back(failures_of_values(op, op.make("real", {made[2]}), numbers));
  op.set_all(results);
}

constexpr NamedRule kLinearAlgebra[] = {
    {"stablehlo.cholesky", import_cholesky},
    {"stablehlo.triangular_solve", import_triangular_solve},
};

// By what stands between the letter of the dtype and "_ffi".
constexpr NamedRule kLapack[] = {
    {"gees", call_gees},   {"geev", call_geev},   {"geqrf", call_geqrf}, {"gesdd", call_gesdd},
    {"getrf", call_getrf}, {"heevd", call_syevd}, {"orgqr", call_orgqr}, {"potrf", call_potrf},
    {"syevd", call_syevd}, {"trsm", call_trsm},   {"ungqr", call_orgqr},
};

// What has another name: where JAX leaves it to XLA, and functions of its own.
constexpr NamedRule kByName[] = {
    {"ProductOfElementaryHouseholderReflectors", call_orgqr},
    {"Qr", call_geqrf},
    {"tridiagonal_solve_perturbed_ffi", import_perturbed_solve},
};

}  // namespace

Rules linear_algebra_rules() {
  return kLinearAlgebra;
}

bool import_lapack_call(OpImport& op, const std::string& target) {
  for (const NamedRule& known : kByName) {
    if (known.name != target) continue;
    known.rule(op);
    return true;
  }
  constexpr std::string_view kBefore = "lapack_", kAfter = "_ffi";
  if (!target.starts_with(kBefore) || !target.ends_with(kAfter) || target.size() < 13) return false;
  const std::string_view name =
      std::string_view(target).substr(kBefore.size() + 1, target.size() - kBefore.size() - 1 - kAfter.size());
  for (const Rules functions : {Rules(kLapack), lapack_programs()}) {
    for (const NamedRule& known : functions) {
      if (known.name != name) continue;
      known.rule(op);
      return true;
    }
  }
  return false;
}

}  // namespace ingot::stablehlo
