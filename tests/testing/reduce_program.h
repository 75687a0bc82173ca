// Makes a failing program small.
#pragma once

#include <functional>
#include <memory>

#include "ir/ir.h"

namespace ingot::testing {

// Tries smaller and smaller variants of the program and keeps each one for which `fails` is true: results
// dropped, operations replaced by arguments, zeros or their own operands, calls inlined, loops with fewer
// arrays, shorter dimensions. All variants verify. Returns the last one that failed.
std::unique_ptr<ir::Module> reduce_program(const ir::Module& program,
                                           const std::function<bool(const ir::Module&)>& fails);

}  // namespace ingot::testing
