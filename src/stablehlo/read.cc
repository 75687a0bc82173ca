#include "stablehlo/read.h"

#include "stablehlo/bytecode/bytecode.h"
#include "stablehlo/text.h"

namespace ingot::stablehlo {

bool looks_like_stablehlo(std::string_view bytes) {
  return looks_like_bytecode(bytes) || looks_like_text(bytes);
}

std::unique_ptr<Module> read_module(std::string_view bytes, std::string_view file) {
  return looks_like_bytecode(bytes) ? read_bytecode(bytes, file) : read_text(bytes, file);
}

}  // namespace ingot::stablehlo
