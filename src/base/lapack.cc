#include "base/lapack.h"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/options.h"
#include "ingot/error.h"

namespace ingot::lapack {
namespace {

template <class E>
struct RealOf {
  using type = E;
};
template <class T>
struct RealOf<std::complex<T>> {
  using type = T;
};
template <class E>
using Real = typename RealOf<E>::type;
template <class E>
inline constexpr bool kComplex = !std::is_same_v<E, Real<E>>;

// --- the library

// Threads may ask while the process ends.
struct Chosen {
  std::mutex mutex;
  std::string name;
};
Chosen& chosen() {
  static Chosen& one = *new Chosen;
  return one;
}

// OpenBLAS starts threads of its own when it is loaded, and waits for them when the process ends, even where
// the system gave it none. It is asked for one, as it runs on one.
void* load(const std::string& name, int mode) {
  constexpr const char* kThreads = "OPENBLAS_NUM_THREADS";
  const bool is_set = getenv(kThreads) != nullptr;
  if (!is_set) setenv(kThreads, "1", 1);
  void* library = dlopen(name.c_str(), mode);
  if (!is_set) unsetenv(kThreads);
  return library;
}

void* open_library() {
  Options::global();  // reads the environment, if nobody has
  std::vector<std::string> names{"libopenblas.so.0", "liblapack.so.3"};
  {
    const std::lock_guard lock(chosen().mutex);
    if (!chosen().name.empty()) names = {chosen().name};
  }
  std::string tried;
  for (const std::string& name : names) {
    if (void* library = load(name, RTLD_NOW | RTLD_LOCAL)) {
      if (void* threads = dlsym(library, "openblas_set_num_threads"))
        reinterpret_cast<void (*)(int)>(threads)(1);
      return library;
    }
    tried += (tried.empty() ? "" : ", ") + name;
  }
  throw Error("eigenvalues, singular values and Schur forms are computed by LAPACK, which is not here (" +
              tried + "); install liblapack3 or libopenblas0, or name the library in INGOT_LAPACK");
}

void* symbol(const std::string& name) {
  static void* const library = open_library();
  void* found = dlsym(library, (name + "_").c_str());
  if (found == nullptr)
    throw Error("the library of LAPACK has no function " + name + "_; name another one in INGOT_LAPACK");
  return found;
}

// Functions of Fortran get the lengths of texts, 1 each, behind their arguments.
template <class E>
struct Functions {
  using R = Real<E>;
  using Text = const char*;
  using Number = const int*;
  using RealEigh = void (*)(Text, Text, Number, E*, Number, R*, E*, Number, int*, Number, int*, size_t,
                            size_t);
  using ComplexEigh = void (*)(Text, Text, Number, E*, Number, R*, E*, Number, R*, Number, int*, Number, int*,
                               size_t, size_t);
  using RealSvd = void (*)(Text, Number, Number, E*, Number, R*, E*, Number, E*, Number, E*, Number, int*,
                           int*, size_t);
  using ComplexSvd = void (*)(Text, Number, Number, E*, Number, R*, E*, Number, E*, Number, E*, Number, R*,
                              int*, int*, size_t);
  using RealEig = void (*)(Text, Text, Number, E*, Number, E*, E*, E*, Number, E*, Number, E*, Number, int*,
                           size_t, size_t);
  using ComplexEig = void (*)(Text, Text, Number, E*, Number, E*, E*, Number, E*, Number, E*, Number, R*,
                              int*, size_t, size_t);
  using RealSchur = void (*)(Text, Text, void*, Number, E*, Number, int*, E*, E*, E*, Number, E*, Number,
                             int*, int*, size_t, size_t);
  using ComplexSchur = void (*)(Text, Text, void*, Number, E*, Number, int*, E*, E*, Number, E*, Number, R*,
                                int*, int*, size_t, size_t);
  template <class OfReal, class OfComplex>
  using Of = std::conditional_t<kComplex<E>, OfComplex, OfReal>;

  Of<RealEigh, ComplexEigh> eigh = load<decltype(eigh)>(kComplex<E> ? "heevd" : "syevd");
  Of<RealSvd, ComplexSvd> svd = load<decltype(svd)>("gesdd");
  Of<RealEig, ComplexEig> eig = load<decltype(eig)>("geev");
  Of<RealSchur, ComplexSchur> schur = load<decltype(schur)>("gees");

  static const Functions& get() {
    static const Functions functions;
    return functions;
  }

 private:
  template <class Function>
  static Function load(const std::string& name) {
    constexpr char kLetter = kComplex<E> ? (sizeof(R) == 4 ? 'c' : 'z') : (sizeof(R) == 4 ? 's' : 'd');
    return reinterpret_cast<Function>(symbol(kLetter + name));
  }
};

// --- memory

// Hands out work memory, or, without any, counts it.
class Memory {
 public:
  explicit Memory(std::byte* base) : base_(base) {}
  template <class T>
  T* take(int64_t count) {
    std::byte* start = base_ == nullptr ? nullptr : base_ + used_;
    used_ += (std::max<int64_t>(count, 1) * static_cast<int64_t>(sizeof(T)) + 63) / 64 * 64;
    return reinterpret_cast<T*>(start);
  }
  int64_t used() const { return used_; }

 private:
  std::byte* base_;
  int64_t used_ = 0;
};

constexpr int64_t kTile = 32;  // rows and columns that are transposed at once

// to[j, i] = from[i, j] for `rows` rows of `columns`.
template <class From, class To>
void transpose(const From* from, int64_t rows, int64_t columns, To* to) {
  for (int64_t i0 = 0; i0 < rows; i0 += kTile) {
    for (int64_t j0 = 0; j0 < columns; j0 += kTile) {
      for (int64_t i = i0; i < std::min(i0 + kTile, rows); ++i) {
        for (int64_t j = j0; j < std::min(j0 + kTile, columns); ++j) to[j * rows + i] = from[i * columns + j];
      }
    }
  }
}

template <class E>
bool all_finite(const E* elements, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    if (!std::isfinite(std::real(elements[i])) || !std::isfinite(std::imag(elements[i]))) return false;
  }
  return true;
}

template <class E>
void fill_nan(E* elements, int64_t count) {
  const Real<E> nan = std::numeric_limits<Real<E>>::quiet_NaN();
  if constexpr (kComplex<E>)
    std::fill(elements, elements + count, E(nan, nan));
  else
    std::fill(elements, elements + count, nan);
}

int extent(int64_t x) {
  return static_cast<int>(std::max<int64_t>(x, 1));
}

// --- decompositions: `base` null asks for the size of the work memory alone

template <class E>
int64_t eigh(const Form& form, const E* a, void* const* results, std::byte* base) {
  using R = Real<E>;
  const int64_t n = form.n, work_count = std::max(2 * n * n + 6 * n + 1, 66 * n + 1);
  Memory memory(base);
  E* matrix = memory.take<E>(n * n);
  E* work = memory.take<E>(work_count);
  const int64_t reals = kComplex<E> ? 2 * n * n + 5 * n + 1 : 0, integers = 5 * n + 3;
  [[maybe_unused]] R* real_work = memory.take<R>(reals);
  int* int_work = memory.take<int>(integers);
  if (base == nullptr || n == 0) return memory.used();
  R* w = static_cast<R*>(results[0]);
  int info = 1;
  bool finite = true;
  for (int64_t i = 0; i < n && finite; ++i)
    finite = form.lower ? all_finite(a + i * n, i + 1) : all_finite(a + i * n + i, n - i);
  if (finite) {
    transpose(a, n, n, matrix);
    const int order = extent(n), work_length = extent(work_count), int_length = extent(integers);
    const char *mode = form.right ? "V" : "N", *triangle = form.lower ? "L" : "U";
    if constexpr (kComplex<E>) {
      const int real_length = extent(reals);
      Functions<E>::get().eigh(mode, triangle, &order, matrix, &order, w, work, &work_length, real_work,
                               &real_length, int_work, &int_length, &info, 1, 1);
    } else {
      Functions<E>::get().eigh(mode, triangle, &order, matrix, &order, w, work, &work_length, int_work,
                               &int_length, &info, 1, 1);
    }
  }
  if (info != 0) fill_nan(w, n);
  if (!form.right) return 0;
  E* v = static_cast<E*>(results[1]);
  info == 0 ? transpose(matrix, n, n, v) : fill_nan(v, n * n);
  return 0;
}

template <class E>
int64_t svd(const Form& form, const E* a, void* const* results, std::byte* base) {
  using R = Real<E>;
  const int64_t m = form.m, n = form.n, least = std::min(m, n), most = std::max(m, n);
  const int64_t u_columns = form.full ? m : least, v_rows = form.full ? n : least;
  const int64_t blocks = 64 * (m + n);
  const int64_t work_count = blocks + 11 * least + most + (form.right ? 5 * least * least : 0);
  const int64_t reals =
      !kComplex<E>  ? 0
      : !form.right ? 7 * least
                    : std::max(5 * least * least + 5 * least, 2 * most * least + 2 * least * least + least);
  Memory memory(base);
  E* matrix = memory.take<E>(m * n);
  E* u_work = memory.take<E>(form.right ? m * u_columns : 0);
  E* v_work = memory.take<E>(form.right ? v_rows * n : 0);
  E* work = memory.take<E>(work_count);
  [[maybe_unused]] R* real_work = memory.take<R>(reals);
  int* int_work = memory.take<int>(8 * least);
  if (base == nullptr) return memory.used();
  E *u = form.right ? static_cast<E*>(results[0]) : nullptr,
    *v = form.right ? static_cast<E*>(results[2]) : nullptr;
  R* s = static_cast<R*>(results[form.right ? 1 : 0]);
  if (least == 0) {  // the identity
    for (int64_t i = 0; form.right && i < m * u_columns; ++i) u[i] = E(i % (m + 1) == 0 ? 1 : 0);
    for (int64_t i = 0; form.right && i < v_rows * n; ++i) v[i] = E(i % (n + 1) == 0 ? 1 : 0);
    return 0;
  }
  int info = 1;
  if (all_finite(a, m * n)) {
    transpose(a, m, n, matrix);
    const int rows = extent(m), columns = extent(n), work_length = extent(work_count), ldv = extent(v_rows);
    const char* mode = !form.right ? "N" : form.full ? "A" : "S";
    if constexpr (kComplex<E>)
      Functions<E>::get().svd(mode, &rows, &columns, matrix, &rows, s, u_work, &rows, v_work, &ldv, work,
                              &work_length, real_work, int_work, &info, 1);
    else
      Functions<E>::get().svd(mode, &rows, &columns, matrix, &rows, s, u_work, &rows, v_work, &ldv, work,
                              &work_length, int_work, &info, 1);
  }
  if (info != 0) fill_nan(s, least);
  if (!form.right) return 0;
  info == 0 ? transpose(u_work, u_columns, m, u) : fill_nan(u, m * u_columns);
  info == 0 ? transpose(v_work, n, v_rows, v) : fill_nan(v, v_rows * n);
  return 0;
}

// Of real matrices, a pair of conjugate eigenvalues has the real and the imaginary part of the first one's
// vector in two columns.
template <class R>
void unpack(const R* from, const R* imaginary, int64_t n, std::complex<R>* to) {
  for (int64_t j = 0; j < n; ++j) {
    const bool pair = imaginary[j] != 0 && j + 1 < n;
    for (int64_t i = 0; i < n; ++i) {
      const R re = from[j * n + i], im = pair ? from[(j + 1) * n + i] : R(0);
      to[i * n + j] = {re, im};
      if (pair) to[i * n + j + 1] = {re, -im};
    }
    if (pair) ++j;
  }
}

template <class E>
int64_t eig(const Form& form, const E* a, void* const* results, std::byte* base) {
  using R = Real<E>;
  using C = std::complex<R>;
  const int64_t n = form.n, work_count = 130 * n;
  Memory memory(base);
  E* matrix = memory.take<E>(n * n);
  E* left_work = memory.take<E>(form.left ? n * n : 0);
  E* right_work = memory.take<E>(form.right ? n * n : 0);
  E* work = memory.take<E>(work_count);
  [[maybe_unused]] R* parts = memory.take<R>(2 * n);
  if (base == nullptr || n == 0) return memory.used();
  C* w = static_cast<C*>(results[0]);
  C* left = form.left ? static_cast<C*>(results[1]) : nullptr;
  C* right = form.right ? static_cast<C*>(results[form.left ? 2 : 1]) : nullptr;
  int info = 1;
  if (all_finite(a, n * n)) {
    transpose(a, n, n, matrix);
    const int order = extent(n), work_length = extent(work_count);
    const char *of_left = form.left ? "V" : "N", *of_right = form.right ? "V" : "N";
    if constexpr (kComplex<E>) {
      Functions<E>::get().eig(of_left, of_right, &order, matrix, &order, w, left_work, &order, right_work,
                              &order, work, &work_length, parts, &info, 1, 1);
    } else {
      Functions<E>::get().eig(of_left, of_right, &order, matrix, &order, parts, parts + n, left_work, &order,
                              right_work, &order, work, &work_length, &info, 1, 1);
      for (int64_t i = 0; i < n && info == 0; ++i) w[i] = {parts[i], parts[n + i]};
    }
  }
  if (info != 0) fill_nan(w, n);
  const auto put = [&](const E* from, C* to) {
    if (to == nullptr) return;
    if (info != 0) return fill_nan(to, n * n);
    if constexpr (kComplex<E>)
      transpose(from, n, n, to);
    else
      unpack(from, parts + n, n, to);
  };
  put(left_work, left);
  put(right_work, right);
  return 0;
}

template <class E>
int64_t schur(const Form& form, const E* a, void* const* results, std::byte* base) {
  using R = Real<E>;
  using C = std::complex<R>;
  const int64_t n = form.n, work_count = 66 * n;
  Memory memory(base);
  E* matrix = memory.take<E>(n * n);
  E* vectors = memory.take<E>(n * n);
  E* work = memory.take<E>(work_count);
  R* parts = memory.take<R>(2 * n);
  int* chosen = memory.take<int>(n);
  if (base == nullptr || n == 0) return memory.used();
  E *t = static_cast<E*>(results[0]), *q = static_cast<E*>(results[1]);
  C* w = static_cast<C*>(results[2]);
  int info = 1, sorted = 0;
  if (all_finite(a, n * n)) {
    transpose(a, n, n, matrix);
    const int order = extent(n), work_length = extent(work_count);
    if constexpr (kComplex<E>) {
      Functions<E>::get().schur("V", "N", nullptr, &order, matrix, &order, &sorted, w, vectors, &order, work,
                                &work_length, parts, chosen, &info, 1, 1);
    } else {
      Functions<E>::get().schur("V", "N", nullptr, &order, matrix, &order, &sorted, parts, parts + n, vectors,
                                &order, work, &work_length, chosen, &info, 1, 1);
      for (int64_t i = 0; i < n && info == 0; ++i) w[i] = {parts[i], parts[n + i]};
    }
  }
  if (info != 0) {
    fill_nan(t, n * n);
    fill_nan(q, n * n);
    fill_nan(w, n);
    return 0;
  }
  transpose(matrix, n, n, t);
  transpose(vectors, n, n, q);
  return 0;
}

template <class E>
int64_t of_dtype(const Form& form, const void* a, void* const* results, std::byte* work) {
  const E* elements = static_cast<const E*>(a);
  switch (form.kind) {
    case Kind::kEigh:
      return eigh(form, elements, results, work);
    case Kind::kSvd:
      return svd(form, elements, results, work);
    case Kind::kEig:
      return eig(form, elements, results, work);
    default:
      return schur(form, elements, results, work);
  }
}

int64_t visit(const Form& form, const void* a, void* const* results, std::byte* work) {
  switch (form.dtype) {
    case DType::kF64:
      return of_dtype<double>(form, a, results, work);
    case DType::kC64:
      return of_dtype<std::complex<float>>(form, a, results, work);
    case DType::kC128:
      return of_dtype<std::complex<double>>(form, a, results, work);
    default:
      return of_dtype<float>(form, a, results, work);
  }
}

}  // namespace

void set_library(std::string name) {
  if (!name.empty()) {  // opened here, so that a wrong name is an error where it is set
    void* library = load(name, RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr)
      throw Error("INGOT_LAPACK: no shared library is loaded from '" + name + "' (" + dlerror() +
                  "); name one of LAPACK, as libopenblas.so.0 or liblapack.so.3, or leave it unset");
    if (dlsym(library, "ssyevd_") == nullptr)
      throw Error("INGOT_LAPACK: '" + name + "' is no library of LAPACK: it has no function ssyevd_");
  }
  const std::lock_guard lock(chosen().mutex);
  chosen().name = std::move(name);
}

int64_t work_bytes(const Form& form) {
  return visit(form, nullptr, nullptr, nullptr);
}

void decompose(const Form& form, const void* a, void* const* results, std::byte* work) {
  visit(form, a, results, work);
}

}  // namespace ingot::lapack
