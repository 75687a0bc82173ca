// What the fuzzers of the readers do with a module: it is written out, and imported. An Error is fine.
#pragma once

#include <cstdint>
#include <string>

#include "ingot/error.h"
#include "stablehlo/import.h"
#include "stablehlo/module.h"

namespace ingot::fuzz {

template <class Read>
void try_module(const Read& read) {
  try {
    const auto module = read();
    stablehlo::to_string(*module, true);
    stablehlo::import_module(*module);
  } catch (const Error&) {
  }
}

}  // namespace ingot::fuzz
