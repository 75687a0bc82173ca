// libFuzzer: bytes as the text of a module (docs/debugging.md).
#include "stablehlo/text.h"
#include "try_module.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ingot::fuzz::try_module([&] {
    return ingot::stablehlo::read_text({reinterpret_cast<const char*>(data), size}, "m.mlir");
  });
  return 0;
}
