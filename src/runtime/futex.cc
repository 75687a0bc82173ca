#include "runtime/futex.h"

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace ingot::runtime {

#if defined(__linux__)

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t));

void sleep_while_equal(std::atomic<uint32_t>& word, uint32_t value) {
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

void wake_sleepers(std::atomic<uint32_t>& word, int count) {
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

#else

void sleep_while_equal(std::atomic<uint32_t>& word, uint32_t value) {
  word.wait(value);
}

void wake_sleepers(std::atomic<uint32_t>& word, int count) {
  for (int i = 0; i < count; ++i) word.notify_one();
}

#endif

}  // namespace ingot::runtime
