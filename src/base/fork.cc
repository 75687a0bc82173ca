#include "base/fork.h"

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <new>

namespace ingot {
namespace {

constexpr uint32_t kMostHooks = 16;

// All constant-initialised: files may register hooks before this one is initialised.
constinit std::atomic<uint32_t> sections{0};  // threads in sections
constinit std::atomic<uint32_t> forking{0};   // 1 while sections may not begin
constinit std::array<ForkHooks, kMostHooks> hooks{};
constinit std::atomic<uint32_t> hook_count{0};
constinit thread_local int depth = 0;
std::mutex& one_at_a_time() {
  alignas(std::mutex) static constinit char memory[sizeof(std::mutex)] = {};
  static std::mutex* mutex = new (memory) std::mutex;
  return *mutex;
}

void begin_section() {
  for (;;) {
    sections.fetch_add(1);
    // Either this sees that fork() has begun, or fork() sees this section.
    if (forking.load() == 0) return;
    sections.fetch_sub(1);
    sections.notify_all();
    forking.wait(1);
  }
}

void end_section() {
  sections.fetch_sub(1);
  if (forking.load() != 0) sections.notify_all();
}

void prepare() {
  one_at_a_time().lock();
  forking.store(1);
  const uint32_t own = depth > 0 ? 1 : 0;
  while (true) {
    const uint32_t now = sections.load();
    if (now == own) break;
    sections.wait(now);
  }
  for (uint32_t i = 0; i < hook_count.load(); ++i) {
    if (hooks[i].prepare != nullptr) hooks[i].prepare();
  }
}

void parent() {
  for (uint32_t i = hook_count.load(); i-- > 0;) {
    if (hooks[i].parent != nullptr) hooks[i].parent();
  }
  forking.store(0);
  forking.notify_all();
  one_at_a_time().unlock();
}

void child() {
  // Threads that were about to enter, or had entered to find that they may not, are not here.
  sections.store(depth > 0 ? 1 : 0);
  for (uint32_t i = hook_count.load(); i-- > 0;) {
    if (hooks[i].child != nullptr) hooks[i].child();
  }
  forking.store(0);
  new (&one_at_a_time()) std::mutex;  // others may have waited for it
}

[[maybe_unused]] const int registered = (one_at_a_time(), pthread_atfork(prepare, parent, child));

}  // namespace

ForkSection::ForkSection() {
  if (depth++ == 0) begin_section();
}

ForkSection::~ForkSection() {
  if (--depth == 0) end_section();
}

bool on_fork(ForkHooks added) {
  const uint32_t at = hook_count.load();
  if (at == kMostHooks) __builtin_trap();  // at program start: a constant is too small
  hooks[at] = added;
  hook_count.store(at + 1);
  return true;
}

}  // namespace ingot
