#include "tdma_kernel.h"

namespace bench::avx2 {
namespace {

struct F32 {
  using Element = float;
  using Reg = __m256;
  static constexpr int kLanes = 8;
  static Reg zero() { return _mm256_setzero_ps(); }
  static Reg one() { return _mm256_set1_ps(1); }
  static Reg load(const float* p) { return _mm256_load_ps(p); }
  static void store(float* p, Reg v) { _mm256_store_ps(p, v); }
  static void stream(float* p, Reg v) { _mm256_stream_ps(p, v); }
  static Reg mul(Reg a, Reg b) { return _mm256_mul_ps(a, b); }
  static Reg div(Reg a, Reg b) { return _mm256_div_ps(a, b); }
  static Reg fnmadd(Reg a, Reg b, Reg c) { return _mm256_fnmadd_ps(a, b, c); }

  // Each register takes 16 bytes of two rows, so that the transpose stays within its halves.
  static void load_columns(const float* p, int64_t stride, Reg* column) {
    Reg r[4];
    for (int k = 0; k < 4; ++k) {
      const Reg low = _mm256_castps128_ps256(_mm_loadu_ps(p + k * stride));
      r[k] = _mm256_insertf128_ps(low, _mm_loadu_ps(p + (k + 4) * stride), 1);
    }
    transpose(r, column);
  }
  static void store_columns(float* p, int64_t stride, const Reg* column) {
    Reg r[4];
    transpose(column, r);
    for (int k = 0; k < 4; ++k) {
      _mm_storeu_ps(p + k * stride, _mm256_castps256_ps128(r[k]));
      _mm_storeu_ps(p + (k + 4) * stride, _mm256_extractf128_ps(r[k], 1));
    }
  }
  static void transpose(const Reg* from, Reg* to) {  // 4x4, in both halves
    const __m256d low01 = _mm256_castps_pd(_mm256_unpacklo_ps(from[0], from[1]));
    const __m256d high01 = _mm256_castps_pd(_mm256_unpackhi_ps(from[0], from[1]));
    const __m256d low23 = _mm256_castps_pd(_mm256_unpacklo_ps(from[2], from[3]));
    const __m256d high23 = _mm256_castps_pd(_mm256_unpackhi_ps(from[2], from[3]));
    to[0] = _mm256_castpd_ps(_mm256_unpacklo_pd(low01, low23));
    to[1] = _mm256_castpd_ps(_mm256_unpackhi_pd(low01, low23));
    to[2] = _mm256_castpd_ps(_mm256_unpacklo_pd(high01, high23));
    to[3] = _mm256_castpd_ps(_mm256_unpackhi_pd(high01, high23));
  }
};

struct F64 {
  using Element = double;
  using Reg = __m256d;
  static constexpr int kLanes = 4;
  static Reg zero() { return _mm256_setzero_pd(); }
  static Reg one() { return _mm256_set1_pd(1); }
  static Reg load(const double* p) { return _mm256_load_pd(p); }
  static void store(double* p, Reg v) { _mm256_store_pd(p, v); }
  static void stream(double* p, Reg v) { _mm256_stream_pd(p, v); }
  static Reg mul(Reg a, Reg b) { return _mm256_mul_pd(a, b); }
  static Reg div(Reg a, Reg b) { return _mm256_div_pd(a, b); }
  static Reg fnmadd(Reg a, Reg b, Reg c) { return _mm256_fnmadd_pd(a, b, c); }

  static void load_columns(const double* p, int64_t stride, Reg* column) {
    Reg r[2];
    for (int k = 0; k < 2; ++k) {
      const Reg low = _mm256_castpd128_pd256(_mm_loadu_pd(p + k * stride));
      r[k] = _mm256_insertf128_pd(low, _mm_loadu_pd(p + (k + 2) * stride), 1);
    }
    column[0] = _mm256_unpacklo_pd(r[0], r[1]);
    column[1] = _mm256_unpackhi_pd(r[0], r[1]);
  }
  static void store_columns(double* p, int64_t stride, const Reg* column) {
    const Reg r[2] = {_mm256_unpacklo_pd(column[0], column[1]), _mm256_unpackhi_pd(column[0], column[1])};
    for (int k = 0; k < 2; ++k) {
      _mm_storeu_pd(p + k * stride, _mm256_castpd256_pd128(r[k]));
      _mm_storeu_pd(p + (k + 2) * stride, _mm256_extractf128_pd(r[k], 1));
    }
  }
};

}  // namespace

template <>
void solve(const Systems<float>& systems, int64_t begin, int64_t end) {
  solve_groups<F32>(systems, begin, end);
}
template <>
void solve(const Systems<double>& systems, int64_t begin, int64_t end) {
  solve_groups<F64>(systems, begin, end);
}

}  // namespace bench::avx2
