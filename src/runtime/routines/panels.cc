#include "runtime/routines/panels.h"

#include "runtime/routines/panel_steps.h"
#include "runtime/routines/small_matrices.h"

namespace ingot::runtime {
namespace {

// A function that everything of kFunction's is inlined into, compiled for one kind of processor.
template <auto kFunction>
struct Baseline;
template <class Result, class... Args, Result (*kFunction)(Args...)>
struct Baseline<kFunction> {
  static Result run(Args... args) { return kFunction(args...); }
};

#if defined(__x86_64__)
template <auto kFunction>
struct Avx2;
template <class Result, class... Args, Result (*kFunction)(Args...)>
struct Avx2<kFunction> {
  [[gnu::target("avx2,fma")]] static Result run(Args... args) { return kFunction(args...); }
};

template <auto kFunction>
struct Avx512;
template <class Result, class... Args, Result (*kFunction)(Args...)>
struct Avx512<kFunction> {
  [[gnu::target("avx512f,avx512dq,avx512bw,avx512vl,fma")]] static Result run(Args... args) {
    return kFunction(args...);
  }
};
#endif

// P: Panels, S: InLanes, of T.
template <template <auto> class On, class P, class S, class T>
constexpr PanelCode<T> kCode{P::kLanes,           P::kTileRows,        On<P::update>::run,
                             On<P::solve>::run,   On<P::factor>::run,  On<P::eliminate>::run,
                             On<P::reflect>::run, On<S::factor>::run,  On<S::solve>::run,
                             On<S::lu>::run,      On<S::reflect>::run, On<S::multiply>::run};

template <class T, bool kComplex, int kVectors>
const PanelCode<T>& code_of(int vector_bytes) {
#if defined(__x86_64__)
  if (vector_bytes >= 64) {
    return kCode<Avx512, Panels<T, kComplex, 64, kVectors, kComplex ? 4 : 8>, InLanes<T, kComplex, 64>, T>;
  }
  if (vector_bytes >= 32) {
    return kCode<Avx2, Panels<T, kComplex, 32, kVectors, kComplex ? 2 : 4>, InLanes<T, kComplex, 32>, T>;
  }
#endif
  return kCode<Baseline, Panels<T, kComplex, 16, kVectors, kComplex ? 2 : 4>, InLanes<T, kComplex, 16>, T>;
}

}  // namespace

template <class T, bool kComplex>
const PanelCode<T>& panel_code(int vector_bytes, bool narrow) {
  return narrow ? code_of<T, kComplex, 1>(vector_bytes) : code_of<T, kComplex, 2>(vector_bytes);
}

template const PanelCode<float>& panel_code<float, false>(int, bool);
template const PanelCode<float>& panel_code<float, true>(int, bool);
template const PanelCode<double>& panel_code<double, false>(int, bool);
template const PanelCode<double>& panel_code<double, true>(int, bool);

}  // namespace ingot::runtime
