// libFuzzer: bytes as a portable artifact (docs/debugging.md).
#include "stablehlo/bytecode/bytecode.h"
#include "try_module.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ingot::fuzz::try_module([&] {
    return ingot::stablehlo::read_bytecode({reinterpret_cast<const char*>(data), size}, "m.mlirbc");
  });
  return 0;
}
