#include "stablehlo/read.h"

#include "ingot/error.h"
#include "stablehlo/text.h"

namespace ingot::stablehlo {
namespace {

constexpr std::string_view kBytecode = "ML\xefR";  // MLIR bytecode begins with it

}  // namespace

bool looks_like_stablehlo(std::string_view bytes) {
  return bytes.starts_with(kBytecode) || looks_like_text(bytes);
}

std::unique_ptr<Module> read_module(std::string_view bytes, std::string_view file) {
  if (bytes.starts_with(kBytecode)) {
    throw Error(std::string(file) + ": this is MLIR bytecode; what is read so far is StableHLO in text");
  }
  return read_text(bytes, file);
}

}  // namespace ingot::stablehlo
