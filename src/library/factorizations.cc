// Orthogonal factors, eigenvalues and singular values of matrices: the operations of ops/qr.cc and
// ops/eigen.cc.
#include "ingot/linalg.h"
#include "library/matrices.h"

namespace ingot {

using detail::check_matrices;
using detail::check_square;
using detail::emit_all;

namespace {

// The results of one operation, of a matrix that `prepared` makes of the operand.
template <class Prepared>
std::vector<Array> results_of(const char* name, const Array& a, const ir::Attributes& attributes,
                              const std::source_location& where, const Prepared& prepared) {
  return detail::apply_all(name, {a}, where, [&](const std::vector<Array>& given) {
    return emit_all(name, {prepared(given[0])}, attributes, where);
  });
}
std::vector<Array> results_of(const char* name, const Array& a, const ir::Attributes& attributes,
                              const std::source_location& where) {
  return results_of(name, a, attributes, where, [](const Array& x) { return x; });
}

std::vector<Array> results_of_eigh(const char* caller, const Operand& a, const EighOptions& options,
                                   bool vectors) {
  const std::source_location& where = a.where();
  const CallerScope scope(where, caller);
  const Array array = a.array();
  check_square(caller, "a", array, where);
  return results_of(
      "eigh", array, {{"lower", options.lower}, {"vectors", vectors}}, where,
      [&](const Array& x) { return options.symmetrize ? detail::emit_symmetric(x, where) : x; });
}

}  // namespace

Qr qr(const Operand& a, const QrOptions& options) {
  const std::source_location& where = a.where();
  const CallerScope caller(where, "qr");
  const Array array = a.array();
  check_matrices("qr", "a", array, where);
  const bool full = detail::checked_choice("qr", "mode", static_cast<int64_t>(options.mode), 2, where) != 0;
  const std::vector<Array> results = results_of("qr", array, {{"full_matrices", full}}, where);
  return {results[0], results[1]};
}

Eigh eigh(const Operand& a, const EighOptions& options) {
  const std::vector<Array> results = results_of_eigh("eigh", a, options, true);
  return {results[0], results[1]};
}

Array eigvalsh(const Operand& a, const EighOptions& options) {
  return results_of_eigh("eigvalsh", a, options, false)[0];
}

Svd svd(const Operand& a, const SvdOptions& options) {
  const std::source_location& where = a.where();
  const CallerScope caller(where, "svd");
  const Array array = a.array();
  check_matrices("svd", "a", array, where);
  const bool full = options.full_matrices;
  const std::vector<Array> results =
      results_of("svd", array, {{"full_matrices", full}, {"vectors", true}}, where);
  return {results[0], results[1], results[2]};
}

Array svdvals(const Operand& a) {
  const std::source_location& where = a.where();
  const CallerScope caller(where, "svdvals");
  const Array array = a.array();
  check_matrices("svdvals", "a", array, where);
  return results_of("svd", array, {{"full_matrices", false}, {"vectors", false}}, where)[0];
}

Eig eig(const Operand& a) {
  const std::source_location& where = a.where();
  const CallerScope caller(where, "eig");
  const Array array = a.array();
  check_square("eig", "a", array, where);
  const std::vector<Array> results = results_of("eig", array, {{"left", false}, {"right", true}}, where);
  return {results[0], results[1]};
}

Array eigvals(const Operand& a) {
  const std::source_location& where = a.where();
  const CallerScope caller(where, "eigvals");
  const Array array = a.array();
  check_square("eigvals", "a", array, where);
  return results_of("eig", array, {{"left", false}, {"right", false}}, where)[0];
}

Schur schur(const Operand& a) {
  const std::source_location& where = a.where();
  const CallerScope caller(where, "schur");
  const Array array = a.array();
  check_square("schur", "a", array, where);
  const std::vector<Array> results = results_of("schur", array, {}, where);
  return {results[0], results[1]};
}

}  // namespace ingot
