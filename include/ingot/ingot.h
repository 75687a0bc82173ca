// Ingot: programs over whole arrays, compiled into few kernels. This one header is all that a program
// includes.
#pragma once

// First, so that the compiler's way to an error in its checks is short.
#include "ingot/detail/checks.h"  // IWYU pragma: export

#include "ingot/array.h"         // IWYU pragma: export
#include "ingot/autodiff.h"      // IWYU pragma: export
#include "ingot/cache.h"         // IWYU pragma: export
#include "ingot/checkpoint.h"    // IWYU pragma: export
#include "ingot/control_flow.h"  // IWYU pragma: export
#include "ingot/conv.h"          // IWYU pragma: export
#include "ingot/cumulative.h"    // IWYU pragma: export
#include "ingot/custom_call.h"   // IWYU pragma: export
#include "ingot/dlpack.h"        // IWYU pragma: export
#include "ingot/dtype.h"         // IWYU pragma: export
#include "ingot/error.h"         // IWYU pragma: export
#include "ingot/fft.h"           // IWYU pragma: export
#include "ingot/functions.h"     // IWYU pragma: export
#include "ingot/io.h"            // IWYU pragma: export
#include "ingot/jit.h"           // IWYU pragma: export
#include "ingot/linalg.h"        // IWYU pragma: export
#include "ingot/nn.h"            // IWYU pragma: export
#include "ingot/numpy.h"         // IWYU pragma: export
#include "ingot/optim.h"         // IWYU pragma: export
#include "ingot/progress.h"      // IWYU pragma: export
#include "ingot/random.h"        // IWYU pragma: export
#include "ingot/scan.h"          // IWYU pragma: export
#include "ingot/scope.h"         // IWYU pragma: export
#include "ingot/sorting.h"       // IWYU pragma: export
#include "ingot/stop.h"          // IWYU pragma: export
#include "ingot/threads.h"       // IWYU pragma: export
#include "ingot/tree.h"          // IWYU pragma: export
#include "ingot/tree_math.h"     // IWYU pragma: export
#include "ingot/vectorize.h"     // IWYU pragma: export
#include "ingot/vmap.h"          // IWYU pragma: export
#include "ingot/windows.h"       // IWYU pragma: export

namespace ingot {

const char* version();  // "0.1.0"

// Memory of arrays that are gone is kept for new ones; this gives it back to the system, down to so many
// bytes. Error for a negative number.
void trim_memory(int64_t retained_bytes = 0,
                 const std::source_location& where = std::source_location::current());

}  // namespace ingot
