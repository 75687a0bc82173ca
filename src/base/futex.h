// Sleeping until a 32-bit word changes. On Linux the system call itself, since it can wake a given number of
// sleepers with one call, and end by itself; elsewhere the standard library's wait.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace ingot {

// Sleeps while `word` holds `value`; may return early for no reason.
void sleep_while_equal(std::atomic<uint32_t>& word, uint32_t value);
// The same, for that long at most.
void sleep_while_equal(std::atomic<uint32_t>& word, uint32_t value, std::chrono::nanoseconds most);
// Wakes up to `count` threads that sleep on `word`.
void wake_sleepers(std::atomic<uint32_t>& word, int count);

// Tells the processor that this is a spinning loop.
inline void spin_pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace ingot
