// What numpy, jax.numpy, jax.lax, jax.nn and jax.scipy.special have beside the functions of functions.h: all
// headers.
#pragma once

#include "ingot/activations.h"  // IWYU pragma: export
#include "ingot/calculus.h"     // IWYU pragma: export
#include "ingot/creation.h"     // IWYU pragma: export
#include "ingot/elementwise.h"  // IWYU pragma: export
#include "ingot/indexing.h"     // IWYU pragma: export
#include "ingot/lax_names.h"    // IWYU pragma: export
#include "ingot/names.h"        // IWYU pragma: export
#include "ingot/searching.h"    // IWYU pragma: export
#include "ingot/shapes.h"       // IWYU pragma: export
#include "ingot/special.h"      // IWYU pragma: export
#include "ingot/statistics.h"   // IWYU pragma: export
