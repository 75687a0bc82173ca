// The floating-point environment that all of Ingot's arithmetic runs in: rounding to nearest, ties to even;
// denormals neither flushed nor taken for zero; no exception traps. Results then depend neither on what the
// caller has set nor on which thread computes what.
//
// The caller's own environment is as it was when the scope ends. That includes its exception flags: what
// kernels raise is not reported, since most of it is raised on other threads.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace ingot {

// Sets the environment for the calling thread while it lives. Costs some nanoseconds where it is set already.
class FloatEnvironment {
 public:
#if defined(__x86_64__)
  using Word = uint32_t;  // MXCSR; flags are its lowest six bits
  static constexpr Word kFlags = 0x3f, kStandard = 0x1f80;
  static Word get() {
    return _mm_getcsr();
  }
  static void set(Word word) {
    _mm_setcsr(word);
  }
#elif defined(__aarch64__)
  using Word = uint64_t;  // FPCR; flags stand in a register of their own and are left alone
  static constexpr Word kFlags = 0, kStandard = 0;
  static Word get() {
    Word word;
    asm volatile("mrs %0, fpcr" : "=r"(word));
    return word;
  }
  static void set(Word word) {
    asm volatile("msr fpcr, %0" : : "r"(word));
  }
#else
  using Word = uint32_t;
  static constexpr Word kFlags = 0, kStandard = 0;
  static Word get() {
    return 0;
  }
  static void set(Word) {}
#endif

  FloatEnvironment() : before_(get()) {
    if ((before_ & ~kFlags) != kStandard) [[unlikely]]
      set(kStandard);
  }
  ~FloatEnvironment() {
    if (get() != before_) set(before_);
  }
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;

 private:
  Word before_;
};

}  // namespace ingot
