// The back end of the processors that this process runs on: kernels become machine code, memory is the
// process's own, and a launch has ended when it returns.
#pragma once

#include "backend/backend.h"

namespace ingot::backend {

const Backend& cpu();

}  // namespace ingot::backend
