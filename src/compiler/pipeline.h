// The order of all passes, stated here and nowhere else.
#pragma once

#include "pass/pass.h"

namespace ingot::compiler {

pass::PassList pipeline();

}  // namespace ingot::compiler
