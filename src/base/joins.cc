#include "base/joins.h"

#if defined(__linux__)
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#else
#include <atomic>
#endif

namespace ingot {

#if defined(__linux__)

int this_thread_number() {
  return static_cast<int>(syscall(SYS_gettid));
}

// glibc waits without end for the word that holds the number of the thread, which the system clears and wakes
// as that ends: a futex that is not private, and has that number as its value. (A mutex that processes share
// has a further bit set where somebody waits.)
int thread_joined_by(int thread) {
  char path[64], text[256];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/syscall", thread);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  if (count <= 0) return 0;
  text[count] = '\0';
  int64_t number = 0;
  uint64_t word = 0, operation = 0, value = 0, timeout = 0;
  if (std::sscanf(text, "%" SCNd64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64, &number, &word,
                  &operation, &value, &timeout) != 5)
    return 0;
  const uint64_t command = operation & FUTEX_CMD_MASK;
  const bool joins = number == SYS_futex && (operation & FUTEX_PRIVATE_FLAG) == 0 && timeout == 0 &&
                     (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET);
  if (!joins || value == 0 || value > INT32_MAX) return 0;
  std::snprintf(path, sizeof path, "/proc/self/task/%d", static_cast<int>(value));
  return access(path, F_OK) == 0 ? static_cast<int>(value) : 0;
}

#else

int this_thread_number() {
  static std::atomic<int> next{1};
  static thread_local const int number = next.fetch_add(1);
  return number;
}

int thread_joined_by(int) {
  return 0;
}

#endif

}  // namespace ingot
