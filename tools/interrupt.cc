#include "tools/interrupt.h"

namespace ingot::tools {
namespace {

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void on_interrupt(int) {
  interrupted.store(true, std::memory_order_relaxed);
}

}  // namespace

Interruptible::Interruptible() : before_(), condition_(interrupted) {
  sigaction(SIGINT, nullptr, &before_);
  if (before_.sa_handler == SIG_IGN) return;  // as under nohup
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
}

Interruptible::~Interruptible() {
  sigaction(SIGINT, &before_, nullptr);
}

}  // namespace ingot::tools
