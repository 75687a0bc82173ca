// The discrete Fourier transform.
#include "stablehlo/importer.h"

namespace ingot::stablehlo {
namespace {

constexpr std::pair<std::string_view, std::string_view> kFftKinds[] = {
    {"FFT", "fft"}, {"IFFT", "ifft"}, {"RFFT", "rfft"}, {"IRFFT", "irfft"}};

void import_fft(OpImport& op) {
  if (op.operand_count() != 1) op.fail("takes one array");
  const std::string wanted = op.word("fft_type");
  for (const auto& [word, name] : kFftKinds) {
    if (word == wanted)
      return op.set(op.make("fft", {op.operand(0)},
                            {{"fft_type", std::string(name)}, {"fft_length", op.ints("fft_length")}}));
  }
  op.fail("fft_type is " + wanted + ", and should be FFT, IFFT, RFFT or IRFFT");
}

constexpr NamedRule kFft[] = {{"stablehlo.fft", import_fft}};

}  // namespace

Rules fft_rules() {
  return kFft;
}

}  // namespace ingot::stablehlo
