// The number of threads: what is asked for, or as many processors as the process may use.
#include "ingot/threads.h"

#include <memory>
#include <string>
#include <thread>

#include "base/cgroup.h"
#include "base/options.h"
#include "ingot/error.h"

#if defined(__linux__)
#include <sched.h>
#endif

namespace ingot {
namespace {

int64_t allowed_processors() {
#if defined(__linux__)
  // Of a machine with more processors than a cpu_set_t counts, the system says so by EINVAL.
  for (int most = CPU_SETSIZE; most <= (1 << 20); most *= 4) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(CPU_ALLOC(static_cast<size_t>(most)),
                                                               [](cpu_set_t* s) { CPU_FREE(s); });
    const size_t bytes = CPU_ALLOC_SIZE(static_cast<size_t>(most));
    if (set != nullptr && sched_getaffinity(0, bytes, set.get()) == 0) return CPU_COUNT_S(bytes, set.get());
  }
#endif
  unsigned count = std::thread::hardware_concurrency();
  return count > 0 ? count : 1;
}

}  // namespace

void set_num_threads(int64_t count, const std::source_location& where) {
  if (count < 0 || count > Options::kMostThreads)
    throw Error(std::string(where.file_name()) + ":" + std::to_string(where.line()) +
                ": set_num_threads: the number of threads is from 0 (all processors) to " +
                std::to_string(Options::kMostThreads) + ", not " + std::to_string(count));
  Options::global().num_threads.store(count, std::memory_order_relaxed);
}

int64_t num_threads() {
  int64_t count = Options::global().num_threads.load(std::memory_order_relaxed);
  if (count > 0) return count;
  static const int64_t processors = threads_for(allowed_processors(), cgroup_limits().processors);
  return processors;
}

}  // namespace ingot
