// A back end that compiles nothing: kernels run by the kernel interpreter, as they were lowered, in memory
// that the host cannot touch. It is for tests, of what the compiler and the runtime may ask of a device, and
// of kernels without their schedule and without code generation.
#pragma once

#include "backend/backend.h"

namespace ingot::backend {

const Backend& interpret();

}  // namespace ingot::backend
