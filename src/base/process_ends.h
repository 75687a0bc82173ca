// Thrown by all that makes code once the process ends: static objects of LLVM's go then, some of them before
// the user's. What is compiled already runs for as long as there is anyone to call it.
#pragma once

#include "ingot/error.h"

namespace ingot {

class ProcessEnds : public Error {
 public:
  ProcessEnds() : Error("the process ends, and nothing can be compiled any more") {}
};

}  // namespace ingot
