// Eigenvalues and eigenvectors, and Schur forms.
#include "ops/decompositions.h"
#include "ops/derivatives.h"
#include "ops/kinds.h"
#include "ops/registry.h"

namespace ingot::ops {
namespace {

DType complex_of(DType dtype) {
  if (is_complex(dtype)) return dtype;
  return dtype == DType::kF64 ? DType::kC128 : DType::kC64;
}

// --- eigh

Types infer_eigh(const InferContext& context) {
  const TensorType& a = context.operands[0];
  want_square(a, "the operand");
  want_decomposable(a);
  Types types{row_type(a, real_dtype(a.dtype), a.shape.back())};
  if (context.attributes.get<bool>("vectors")) types.push_back(a);
  return types;
}

Tensors eigh_reference(const Op& op, std::span<const Tensor> x, Evaluator&) {
  const EighOp eigh(op);
  return decomposed(op, x[0], {.kind = lapack::Kind::kEigh, .lower = eigh.lower(), .right = eigh.vectors()});
}

constinit const OpRecord eigh{
    .name = "eigh",
    .doc =
        "Eigenvalues w, ascending, and with `vectors` the matrix V, with a = V diag(w) V^H, of symmetric, or "
        "hermitian, a; only its lower triangle is read, or, without `lower`, the upper one, and of the "
        "diagonal the real part. NaN where an element is not finite. Signs are LAPACK's (syevd, heevd).",
    .operands = ir::Arity{1, 1},
    .regions = 0,
    .attributes = AttributeList{attribute::flag("lower"), attribute::flag("vectors")},
    .infer = infer_eigh,
    .batch = batch_factors,
    .becomes = ir::LibraryRoutine{.routine = "eigh", .computes = true},
    .reference = eigh_reference,
    .identities = nullptr,
    .jvp = ir::AllTangents{eigh_tangents},
    .transpose = ir::NotLinear{},
    .stablehlo = "",
};

// --- eig

Types infer_eig(const InferContext& context) {
  const TensorType& a = context.operands[0];
  want_square(a, "the operand");
  want_decomposable(a);
  const DType dtype = complex_of(a.dtype);
  Types types{row_type(a, dtype, a.shape.back())};
  for (const char* side : {"left", "right"}) {
    if (context.attributes.get<bool>(side)) types.push_back({dtype, a.shape});
  }
  return types;
}

Tensors eig_reference(const Op& op, std::span<const Tensor> x, Evaluator&) {
  const EigOp eig(op);
  return decomposed(op, x[0], {.kind = lapack::Kind::kEig, .left = eig.left(), .right = eig.right()});
}

constinit const OpRecord eig{
    .name = "eig",
    .doc =
        "Eigenvalues w of square matrices, in LAPACK's order (geev), with `left` left eigenvectors, u^H a = "
        "w u^H, and with `right` right ones, a v = w v, as columns: of length 1, the largest element real. "
        "All are complex. NaN where an element is not finite.",
    .operands = ir::Arity{1, 1},
    .regions = 0,
    .attributes = AttributeList{attribute::flag("left"), attribute::flag("right")},
    .infer = infer_eig,
    .batch = batch_factors,
    .becomes = ir::LibraryRoutine{.routine = "eig", .computes = true},
    .reference = eig_reference,
    .identities = nullptr,
    .jvp = ir::AllTangents{eig_tangents},
    .transpose = ir::NotLinear{},
    .stablehlo = "",
};

// --- schur

Types infer_schur(const InferContext& context) {
  const TensorType& a = context.operands[0];
  want_square(a, "the operand");
  want_decomposable(a);
  return {a, a, row_type(a, complex_of(a.dtype), a.shape.back())};
}

Tensors schur_reference(const Op& op, std::span<const Tensor> x, Evaluator&) {
  return decomposed(op, x[0], {.kind = lapack::Kind::kSchur});
}

constinit const OpRecord schur{
    .name = "schur",
    .doc =
        "T and Q with a = Q T Q^H for square matrices, and the eigenvalues, which are complex. T is upper "
        "triangular; of real matrices it has a block of two rows and columns for each pair of conjugate "
        "eigenvalues. NaN where an element is not finite. Signs are LAPACK's (gees).",
    .operands = ir::Arity{1, 1},
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_schur,
    .batch = batch_factors,
    .becomes = ir::LibraryRoutine{.routine = "schur", .computes = true},
    .reference = schur_reference,
    .identities = nullptr,
    .jvp = ir::NotDifferentiable{"Schur forms have none here, as in JAX"},
    .transpose = ir::NotLinear{},
    .stablehlo = "",
};

// --- svd

Types infer_svd(const InferContext& context) {
  const TensorType& a = context.operands[0];
  want_matrices(a, "the operand");
  want_decomposable(a);
  const int64_t m = a.shape[a.shape.size() - 2], n = a.shape.back(), least = std::min(m, n);
  const bool full = context.attributes.get<bool>("full_matrices");
  const TensorType values = row_type(a, real_dtype(a.dtype), least);
  if (!context.attributes.get<bool>("vectors")) return {values};
  TensorType u = a, v = a;
  u.shape.back() = full ? m : least;
  v.shape[v.shape.size() - 2] = full ? n : least;
  return {u, values, v};
}

Tensors svd_reference(const Op& op, std::span<const Tensor> x, Evaluator&) {
  const SvdOp svd(op);
  return decomposed(op, x[0],
                    {.kind = lapack::Kind::kSvd, .full = svd.full_matrices(), .right = svd.vectors()});
}

constinit const OpRecord svd{
    .name = "svd",
    .doc =
        "With `vectors` U, s and V^H with a = U diag(s) V^H for a of [.., m, n]: U of [.., m, k], V^H of "
        "[.., k, n], where k is min(m, n); with `full_matrices` they are square. Without `vectors` the "
        "singular values s alone, which are real and descend. NaN where an element is not finite. Signs are "
        "LAPACK's (gesdd).",
    .operands = ir::Arity{1, 1},
    .regions = 0,
    .attributes = AttributeList{attribute::flag("full_matrices"), attribute::flag("vectors")},
    .infer = infer_svd,
    .batch = batch_factors,
    .becomes = ir::LibraryRoutine{.routine = "svd", .computes = true},
    .reference = svd_reference,
    .identities = nullptr,
    .jvp = ir::AllTangents{svd_tangents},
    .transpose = ir::NotLinear{},
    .stablehlo = "",
};

constexpr const OpRecord* kEigenRecords[] = {&eigh, &svd, &eig, &schur};

}  // namespace

Records eigen_records() {
  return kEigenRecords;
}

const OpRecord& EighOp::record() {
  return eigh;
}
const OpRecord& EigOp::record() {
  return eig;
}
const OpRecord& SvdOp::record() {
  return svd;
}

void want_decomposable(const TensorType& type) {
  const int64_t m = type.shape[type.shape.size() - 2], n = type.shape.back();
  if (std::min(m, n) > lapack::kMostLesser || std::max(m, n) > lapack::kMostGreater)
    fail("the operand is ", type, ", but LAPACK decomposes matrices of at most ", lapack::kMostLesser, " by ",
         lapack::kMostGreater, " elements");
}

Tensors decomposed(const Op& op, const Tensor& x, lapack::Form form) {
  const auto computed = [](DType dtype) { return is_narrow_float(dtype) ? DType::kF32 : dtype; };
  const Tensor from = is_narrow_float(x.dtype()) ? converted(x, DType::kF32) : x;
  form.dtype = from.dtype();
  form.m = x.shape()[x.shape().size() - 2];
  form.n = x.shape().back();
  Tensors results;
  for (const Value* result : op.results()) results.emplace_back(computed(result->dtype()), result->shape());
  const int64_t count = element_count(Shape(x.shape().begin(), x.shape().end() - 2));
  std::vector<std::max_align_t> work(
      static_cast<size_t>(lapack::work_bytes(form)) / sizeof(std::max_align_t) + 64);
  auto* aligned = reinterpret_cast<std::byte*>((reinterpret_cast<uintptr_t>(work.data()) + 63) / 64 * 64);
  for (int64_t i = 0; i < count; ++i) {
    std::vector<void*> places;
    for (Tensor& result : results)
      places.push_back(result.raw() + i * static_cast<int64_t>(result.bytes()) / count);
    lapack::decompose(form, from.raw() + i * static_cast<int64_t>(from.bytes()) / count, places.data(),
                      aligned);
  }
  for (size_t r = 0; r < results.size(); ++r) {
    const DType wanted = op.result(static_cast<int>(r))->dtype();
    if (results[r].dtype() != wanted) results[r] = converted(results[r], wanted);
  }
  return results;
}

}  // namespace ingot::ops
