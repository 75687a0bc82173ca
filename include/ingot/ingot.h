// Ingot: programs over whole arrays, compiled into few kernels. This one header is all that a program
// includes.
#pragma once

#include "ingot/array.h"       // IWYU pragma: export
#include "ingot/autodiff.h"    // IWYU pragma: export
#include "ingot/cache.h"       // IWYU pragma: export
#include "ingot/checkpoint.h"  // IWYU pragma: export
#include "ingot/conv.h"        // IWYU pragma: export
#include "ingot/cumulative.h"  // IWYU pragma: export
#include "ingot/dtype.h"       // IWYU pragma: export
#include "ingot/error.h"       // IWYU pragma: export
#include "ingot/functions.h"   // IWYU pragma: export
#include "ingot/jit.h"         // IWYU pragma: export
#include "ingot/scan.h"        // IWYU pragma: export
#include "ingot/tree.h"        // IWYU pragma: export
#include "ingot/vmap.h"        // IWYU pragma: export
#include "ingot/windows.h"     // IWYU pragma: export

namespace ingot {

const char* version();  // "0.1.0"

// Threads that programs run on; 0: as many as the process may use (also INGOT_NUM_THREADS). Results do not
// depend on their number.
void set_num_threads(int64_t count);
int64_t num_threads();

// Memory of arrays that are gone is kept for new ones; this gives it back to the system, down to so many
// bytes.
void trim_memory(int64_t retained_bytes = 0);

}  // namespace ingot
