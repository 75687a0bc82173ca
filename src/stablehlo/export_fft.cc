// The discrete Fourier transform.
#include <algorithm>

#include "stablehlo/exporter.h"

namespace ingot::stablehlo {
namespace {

void export_fft(OpExport& op) {
  std::string type = op.attributes().get<std::string>("fft_type");
  std::transform(type.begin(), type.end(), type.begin(),
                 [](char c) { return static_cast<char>(c - 'a' + 'A'); });
  op.set_made("stablehlo.fft", op.operands(),
              {{"fft_type", Attribute(Enum{"fft_type", type})}, {"fft_length", op.list("fft_length")}});
}

constexpr NamedExport kFftExports[] = {{"fft", export_fft}};

}  // namespace

ExportRules fft_exports() {
  return kFftExports;
}

}  // namespace ingot::stablehlo
