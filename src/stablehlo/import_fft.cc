// The discrete Fourier transform.
#include <algorithm>

#include "stablehlo/importer.h"

namespace ingot::stablehlo {
namespace {

constexpr std::pair<std::string_view, std::string_view> kFftKinds[] = {
    {"FFT", "fft"}, {"IFFT", "ifft"}, {"RFFT", "rfft"}, {"IRFFT", "irfft"}};

void import_fft(OpImport& op) {
  if (op.operand_count() != 1) op.fail("takes one array");
  const std::string wanted = op.word("fft_type");
  const ir::IntList lengths = op.ints("fft_length");
  // As JAX writes the inverse for one element, of 2 (1 - 1).
  const bool nothing = std::find(lengths.begin(), lengths.end(), 0) != lengths.end();
  if (nothing && op.result_type().elements() == 0) return op.set(op.filled(op.result_type(), 0));
  for (const auto& [word, name] : kFftKinds) {
    if (word == wanted)
      return op.set(
          op.make("fft", {op.operand(0)}, {{"fft_type", std::string(name)}, {"fft_length", lengths}}));
  }
  op.fail("fft_type is " + wanted + ", and should be FFT, IFFT, RFFT or IRFFT");
}

constexpr NamedRule kFft[] = {{"stablehlo.fft", import_fft}};

}  // namespace

Rules fft_rules() {
  return kFft;
}

}  // namespace ingot::stablehlo
