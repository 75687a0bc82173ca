// Compiles and runs a program in a process of its own, so that whatever goes wrong there ends there.
#pragma once

#include <functional>

#include "tools/bisect.h"

namespace ingot::tools {

// Runs `body` in a forked process and returns what it returned. A crash, an exception or no answer within the
// time limit makes a bad trial. The caller must not have started threads yet.
Trial run_apart(const std::function<Trial()>& body, int seconds);

}  // namespace ingot::tools
