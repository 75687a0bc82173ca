// Short loops that hand tables of constants from step to step.
#pragma once

#include "ops/control.h"

namespace ingot::pass {

// Whether a loop of few steps hands on arrays that are constants in each step, but not the same ones in all:
// the numbers of bits by which threefry, as JAX writes it, rotates in turn. Steps that are written out have
// their numbers.
bool exchanges_constants(const ops::ScanOp& scan);

// The steps, one after the other, in the place of the loop.
void write_out_steps(const ops::ScanOp& scan);

}  // namespace ingot::pass
