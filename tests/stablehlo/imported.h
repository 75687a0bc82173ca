// What StableHLO text becomes, and what is wrong with it.
#pragma once

#include <string>

#include "ingot/error.h"
#include "stablehlo/import.h"
#include "stablehlo/read.h"
#include "stablehlo/text.h"

namespace ingot::stablehlo {

inline Imported imported(const std::string& text, const ImportOptions& options = {}) {
  return import_module(*read_text(text, "m.mlir"), options);
}

inline std::string error_of(const std::string& text) {
  try {
    imported(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

}  // namespace ingot::stablehlo
