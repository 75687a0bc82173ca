#include "testing/guarded_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "ingot/error.h"

namespace ingot::testing {
namespace {

// As large as the largest page that x86 and the kernels of this machine hand out in small change, and larger
// than any distance by which a kernel is likely to miss.
constexpr size_t kPage = 4096;
constexpr size_t kGuardBytes = 16 * kPage;

std::atomic<const char*> current_work{nullptr};

void report_and_die(int signal) {
  const auto say = [](const char* text) {
    if (write(STDERR_FILENO, text, std::strlen(text)) < 0) _exit(3);
  };
  if (const char* work = current_work.load()) {
    say("memory that is not its own was touched in ");
    say(work);
    say("\n");
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

class Blocks {
 public:
  static Blocks& instance() {
    static Blocks& blocks = *new Blocks;  // memory may be given back late
    return blocks;
  }

  std::byte* take(size_t pages) {
    std::lock_guard lock(mutex_);
    if (auto& free = free_[pages]; !free.empty()) {
      std::byte* block = free.back();
      free.pop_back();
      return block;
    }
    const size_t bytes = pages * kPage;
    void* region =
        mmap(nullptr, bytes + 2 * kGuardBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (region == MAP_FAILED) throw Error("no memory for guarded pages");
    std::byte* block = static_cast<std::byte*>(region) + kGuardBytes;
    if (mprotect(block, bytes, PROT_READ | PROT_WRITE) != 0) throw Error("cannot open guarded pages");
    return block;
  }

  void give_back(std::byte* block, size_t pages) {
    std::lock_guard lock(mutex_);
    free_[pages].push_back(block);
  }

 private:
  std::mutex mutex_;
  std::map<size_t, std::vector<std::byte*>> free_;  // by number of pages
};

}  // namespace

std::shared_ptr<void> guarded_memory(size_t bytes, Guard guard, size_t alignment, unsigned char poison) {
  // Few sizes, so that blocks fit again: powers of two.
  size_t pages = 1;
  while (pages * kPage < bytes) pages *= 2;
  std::byte* block = Blocks::instance().take(pages);
  const size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  std::byte* begin = guard == Guard::kBefore && bytes > 0 ? block : block + pages * kPage - rounded;
  std::memset(begin, poison, rounded);
  return {begin, [block, pages](void*) { Blocks::instance().give_back(block, pages); }};
}

void name_guarded_work(const char* what) {
  static const bool installed = std::signal(SIGSEGV, report_and_die) != SIG_ERR;
  (void)installed;
  current_work.store(what);
}

}  // namespace ingot::testing
