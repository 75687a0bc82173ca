// Ctrl-C while a program runs.
#pragma once

#include <csignal>

#include "base/stop.h"

namespace ingot::tools {

// While it lives, the first Ctrl-C ends what is run between two steps or kernels, with an error that says
// where it was (RunStopped); the second one ends the process, as ever.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  struct sigaction before_;
  StopCondition condition_;
};

}  // namespace ingot::tools
