// Orthogonal factors of matrices by Householder's reflections, with LAPACK's choice of signs: Q is the
// product of H_k = 1 - tau_k v_k v_k^H, where v_k is 0 before element k and 1 there, and the diagonal of R is
// real and has the sign that is not that of what it replaces. What no reflection is needed for has tau = 0.
#include <algorithm>
#include <cmath>

#include "ops/derivatives.h"
#include "ops/kinds.h"
#include "ops/matrices.h"
#include "ops/registry.h"

namespace ingot::ops {
namespace {

Shape with_last(const Shape& shape, int64_t rows, int64_t columns) {
  Shape result = shape;
  result[result.size() - 2] = rows;
  result.back() = columns;
  return result;
}

// --- reference

// Makes column k zero below the diagonal, where v stands then; returns tau.
template <class T>
T reflect_column(Matrix<T>& a, size_t k) {
  auto largest = std::abs(T(0));
  for (size_t i = k; i < a.rows; ++i) {
    const auto size = std::abs(a(i, k));
    if (!(size <= largest)) largest = size;
  }
  auto below = std::abs(T(0));
  for (size_t i = k + 1; i < a.rows; ++i) below += std::norm(a(i, k) / largest);
  const T alpha = a(k, k);
  bool real = true;
  if constexpr (requires { alpha.imag(); }) real = alpha.imag() == 0;
  if (largest == 0 || (below == 0 && real)) return T(0);
  const auto norm = largest * std::sqrt(std::norm(alpha / largest) + below);
  const auto beta = std::signbit(std::real(alpha)) ? norm : -norm;
  for (size_t i = k + 1; i < a.rows; ++i) a(i, k) /= alpha - beta;
  a(k, k) = beta;
  const T tau = (T(beta) - alpha) / beta;
  for (size_t j = k + 1; j < a.columns; ++j) {
    T sum = a(k, j);
    for (size_t i = k + 1; i < a.rows; ++i) sum += multiply(conjugated(a(i, k)), a(i, j));
    sum = multiply(conjugated(tau), sum);
    a(k, j) -= sum;
    for (size_t i = k + 1; i < a.rows; ++i) a(i, j) -= multiply(a(i, k), sum);
  }
  return tau;
}

template <class T>
std::vector<T> reflect_columns(Matrix<T>& a) {
  std::vector<T> taus;
  for (size_t k = 0; k < std::min(a.rows, a.columns); ++k) taus.push_back(reflect_column(a, k));
  return taus;
}

// The first columns of the product of reflections.
template <class T>
Matrix<T> product_of_reflections(const Matrix<T>& a, const std::vector<T>& taus, size_t columns) {
  Matrix<T> q(a.rows, columns);
  for (size_t i = 0; i < std::min(a.rows, columns); ++i) q(i, i) = T(1);
  for (size_t k = taus.size(); k-- > 0;) {
    for (size_t j = 0; j < columns; ++j) {
      T sum = q(k, j);
      for (size_t i = k + 1; i < a.rows; ++i) sum += multiply(conjugated(a(i, k)), q(i, j));
      sum = multiply(taus[k], sum);
      q(k, j) -= sum;
      for (size_t i = k + 1; i < a.rows; ++i) q(i, j) -= multiply(a(i, k), sum);
    }
  }
  return q;
}

Tensors results_of(const Op& op) {
  Tensors results;
  for (const Value* result : op.results()) results.emplace_back(result->dtype(), result->shape());
  return results;
}

// --- qr

Types infer_qr(const InferContext& context) {
  const TensorType& a = context.operands[0];
  want_matrices(a, "the operand");
  const int64_t m = a.shape[a.shape.size() - 2], n = a.shape.back();
  const int64_t k = context.attributes.get<bool>("full_matrices") ? m : std::min(m, n);
  return {{a.dtype, with_last(a.shape, m, k)}, {a.dtype, with_last(a.shape, k, n)}};
}

Tensors qr_reference(const Op& op, std::span<const Tensor> x, Evaluator&) {
  Tensors results = results_of(op);
  visit_inexact(x[0].dtype(), [&]<class T>(std::type_identity<T>) {
    const MatricesOf<T> all(x[0].shape()), of_q(results[0].shape()), of_r(results[1].shape());
    for (int64_t number = 0; number < all.count; ++number) {
      auto a = all.load(x[0], number);
      const auto taus = reflect_columns(a);
      of_q.store(product_of_reflections(a, taus, of_q.columns), results[0], number);
      Matrix<typename MatricesOf<T>::Computed> r(of_r.rows, of_r.columns);
      for (size_t i = 0; i < r.rows; ++i) {
        for (size_t j = i; j < r.columns; ++j) r(i, j) = a(i, j);
      }
      of_r.store(r, results[1], number);
    }
  });
  return results;
}

constinit const OpRecord qr{
    .name = "qr",
    .doc =
        "Q and R with a = Q R for a of [.., m, n]: Q of [.., m, k] has orthonormal columns, R of [.., k, n] "
        "is zero below its diagonal, which is real; k is min(m, n), or m with `full_matrices`. Signs are "
        "LAPACK's (geqrf).",
    .operands = ir::Arity{1, 1},
    .regions = 0,
    .attributes = AttributeList{attribute::flag("full_matrices")},
    .infer = infer_qr,
    .batch = batch_factors,
    .becomes = ir::LibraryRoutine{.routine = "qr", .computes = true},
    .reference = qr_reference,
    .identities = nullptr,
    .jvp = ir::AllTangents{qr_tangents},
    .transpose = ir::NotLinear{},
    .stablehlo = "",
};

// --- geqrf

Types infer_geqrf(const InferContext& context) {
  const TensorType& a = context.operands[0];
  want_matrices(a, "the operand");
  Shape taus(a.shape.begin(), a.shape.end() - 1);
  taus.back() = std::min(a.shape[a.shape.size() - 2], a.shape.back());
  return {a, {a.dtype, taus}};
}

Tensors geqrf_reference(const Op& op, std::span<const Tensor> x, Evaluator&) {
  Tensors results = results_of(op);
  visit_inexact(x[0].dtype(), [&]<class T>(std::type_identity<T>) {
    const MatricesOf<T> all(x[0].shape());
    T* to = results[1].data<T>();
    for (int64_t number = 0; number < all.count; ++number) {
      auto a = all.load(x[0], number);
      for (const auto& tau : reflect_columns(a)) *to++ = static_cast<T>(tau);
      all.store(a, results[0], number);
    }
  });
  return results;
}

constinit const OpRecord geqrf{
    .name = "geqrf",
    .doc =
        "What qr is made of, for a of [.., m, n]: R and, below its diagonal, the vectors of min(m, n) "
        "reflections, whose element on the diagonal is 1 and not there; the factors tau of the reflections "
        "1 - tau v v^H, whose product is Q.",
    .operands = ir::Arity{1, 1},
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_geqrf,
    .batch = batch_factors,
    .becomes = ir::LibraryRoutine{.routine = "geqrf", .computes = true},
    .reference = geqrf_reference,
    .identities = nullptr,
    .jvp = ir::NotDifferentiable{"it packs its results as LAPACK does; qr has a derivative, and so has what "
                                 "jax.export makes of the gradient"},
    .transpose = ir::NotLinear{},
    .stablehlo = "",
};

// --- householder_product

Types infer_householder_product(const InferContext& context) {
  const TensorType &a = context.operands[0], &taus = context.operands[1];
  want_matrices(a, "a");
  if (a.dtype != taus.dtype)
    fail("the operands are ", a, " and ", taus, "; convert one of them, so that they have one dtype");
  const int64_t m = a.shape[a.shape.size() - 2], n = a.shape.back();
  if (m < n) fail("a is ", a, ", but must have as many rows as columns, or more");
  const Shape batch(a.shape.begin(), a.shape.end() - 2);
  if (taus.shape.empty() || Shape(taus.shape.begin(), taus.shape.end() - 1) != batch || taus.shape.back() > n)
    fail("a is ", a, " and taus are ", taus, ", but taus must have the same dimensions before the last one, ",
         "and at most one element per column of a, ", n);
  return {a};
}

Tensors householder_product_reference(const Op& op, std::span<const Tensor> x, Evaluator&) {
  Tensors results = results_of(op);
  visit_inexact(x[0].dtype(), [&]<class T>(std::type_identity<T>) {
    const MatricesOf<T> all(x[0].shape());
    const auto count = static_cast<size_t>(x[1].shape().back());
    const T* from = x[1].data<T>();
    for (int64_t number = 0; number < all.count; ++number) {
      std::vector<typename MatricesOf<T>::Computed> taus;
      for (size_t k = 0; k < count; ++k)
        taus.push_back(static_cast<typename MatricesOf<T>::Computed>(*from++));
      all.store(product_of_reflections(all.load(x[0], number), taus, all.columns), results[0], number);
    }
  });
  return results;
}

Batches batch_householder_product(const Op& op, std::span<const Batched> x, Batcher& batcher) {
  const int64_t axis = batch_axis(x[0]);
  Value *a = with_batch_at(batcher, x[0], axis), *taus = with_batch_at(batcher, x[1], axis);
  return {{batcher.make(op.name(), {a, taus}, op.attributes())->result(), axis}};
}

constinit const OpRecord householder_product{
    .name = "householder_product",
    .doc =
        "(a, taus) for a of [.., m, n] and taus of [.., k]: the first n columns of the product of k "
        "reflections "
        "1 - tau v v^H, whose vectors v are the first columns of a below the diagonal, with 1 there. Of "
        "geqrf's "
        "results, Q.",
    .operands = ir::Arity{2, 2},
    .regions = 0,
    .attributes = ir::kNoAttributes,
    .infer = infer_householder_product,
    .batch = batch_householder_product,
    .becomes = ir::LibraryRoutine{.routine = "householder_product", .computes = true},
    .reference = householder_product_reference,
    .identities = nullptr,
    .jvp =
        ir::NotDifferentiable{
            "it takes what geqrf packs as LAPACK does; qr has a derivative, and so has what "
            "jax.export makes of the gradient"},
    .transpose = ir::NotLinear{},
    .stablehlo = "",
};

constexpr const OpRecord* kQrRecords[] = {&qr, &geqrf, &householder_product};

}  // namespace

Records qr_records() {
  return kQrRecords;
}

}  // namespace ingot::ops
