#include "base/futex.h"

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#else
#include <thread>
#endif

namespace ingot {

#if defined(__linux__)

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t));

void sleep_while_equal(std::atomic<uint32_t>& word, uint32_t value) {
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

void sleep_while_equal(std::atomic<uint32_t>& word, uint32_t value, std::chrono::nanoseconds most) {
  constexpr int64_t kSecond = 1'000'000'000;
  const timespec time{static_cast<time_t>(most.count() / kSecond), static_cast<long>(most.count() % kSecond)};
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAIT_PRIVATE, value, &time, nullptr, 0);
}

void wake_sleepers(std::atomic<uint32_t>& word, int count) {
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

#else

void sleep_while_equal(std::atomic<uint32_t>& word, uint32_t value) {
  word.wait(value);
}

void sleep_while_equal(std::atomic<uint32_t>& word, uint32_t value, std::chrono::nanoseconds most) {
  const auto end = std::chrono::steady_clock::now() + most;
  while (word.load() == value && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void wake_sleepers(std::atomic<uint32_t>& word, int count) {
  for (int i = 0; i < count; ++i) word.notify_one();
}

#endif

}  // namespace ingot
