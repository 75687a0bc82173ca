// One check for every derivative of a program: forward mode against finite differences, the linear function
// against forward mode, reverse mode against forward mode, the same for the gradient itself, and all of it
// compiled.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ir/ir.h"
#include "transform/derivatives.h"

namespace ingot::testing {

// Of how many elements of results one-sided differences could say anything: where the function jumps within
// the step, or is not a number, any derivative passes; between slopes that differ, all between them do.
struct Coverage {
  int64_t elements = 0, compared = 0, sharp = 0;
};

struct DerivativeOptions {
  int order = 2;           // how often to differentiate
  bool compiled = true;    // also through machine code
  bool smooth = true;      // else finite differences say nothing
  bool bracketed = false;  // one-sided finite differences have the derivatives between them, at kinks too
  std::vector<double> points{};     // what elements of arguments are drawn from, instead of all numbers
  bool positive = false;            // arguments from 0.3 to 2.3 instead of -2 to 2
  double tolerance = 2e-6;          // of finite differences, relative to 1 + magnitude
  double bracket_tolerance = 1e-5;  // of slopes, relative to 1 + magnitudes of slopes and values
  double compiled_tolerance = 0;    // of machine code; 0: what the dtype allows
  Coverage* coverage = nullptr;     // if bracketed: added to
};

// Differentiates the entry function in all its floating arguments, which must be f64. Says what is wrong, or
// nothing.
std::string check_derivatives(const ir::Module& module, uint64_t seed, const DerivativeOptions& options = {});

// The same for a program in f32: its derivatives in both modes against one-sided differences of the same
// program in f64.
std::string check_derivatives_in_f32(const ir::Module& module, uint64_t seed, Coverage* coverage = nullptr);

// (arguments, cotangents of the results that have one) -> gradients, in a module of its own.
struct Gradient {
  std::unique_ptr<ir::Module> module;
  transform::Mask cotangents;  // which results have one
  std::vector<int> arguments;  // whose gradients the results are
};
Gradient gradient_of(const ir::Module& module);

}  // namespace ingot::testing
