// The rules of llvm::APFloat::toString and of MLIR's AsmPrinter, which anyone who compares texts goes by.
#include "stablehlo/print_real.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "base/tensor.h"

namespace ingot::stablehlo {
namespace {

// d.ddd * 10^exponent, rounded to that many digits.
struct Digits {
  bool negative = false;
  std::string digits;
  int exponent = 0;  // of the first digit

  Digits(double value, int count) : negative(std::signbit(value)) {
    char text[64];
    std::snprintf(text, sizeof(text), "%.*e", count - 1, std::fabs(value));
    for (const char* at = text; *at != 'e'; ++at) {
      if (*at != '.') digits += *at;
    }
    exponent = std::atoi(std::strchr(text, 'e') + 1);
  }
};

// Digits that tell each number of the type from its neighbours.
int distinct_digits(DType dtype) {
  switch (dtype) {
    case DType::kF64:
      return 17;
    case DType::kF32:
      return 9;
    case DType::kF16:
      return 5;
    default:
      return 4;
  }
}

bool reads_back(const std::string& text, DType dtype, const std::byte* bits) {
  double value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc()) return false;
  Tensor one(dtype, {});
  one.set_double(0, value);
  return std::memcmp(one.raw(), bits, one.bytes()) == 0;
}

// The digits before and behind the point, or an exponent where that would take more than three zeros.
std::string with_distinct_digits(double value, DType dtype) {
  constexpr int kMostZeros = 3;
  const int most = distinct_digits(dtype);
  Digits number(value, most);
  std::string& digits = number.digits;
  while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
  const int count = static_cast<int>(digits.size()), last = number.exponent - (count - 1);
  const std::string sign = number.negative ? "-" : "";
  const bool exponent = last >= 0 ? last > kMostZeros || count + last > most
                                  : number.exponent < 0 && -number.exponent > kMostZeros;
  if (exponent) {
    return sign + digits[0] + "." + (count == 1 ? "0" : digits.substr(1)) + "E" +
           (number.exponent < 0 ? "-" : "+") + std::to_string(std::abs(number.exponent));
  }
  if (last >= 0) return sign + digits + std::string(static_cast<size_t>(last), '0');  // no point: no real
  if (number.exponent < 0)
    return sign + "0." + std::string(static_cast<size_t>(-number.exponent - 1), '0') + digits;
  return sign + digits.insert(static_cast<size_t>(number.exponent) + 1, ".");
}

}  // namespace

std::string print_real(double value, DType dtype, const std::byte* bits) {
  if (std::isfinite(value)) {
    const Digits six(value, 6);
    char exponent[16];
    std::snprintf(exponent, sizeof(exponent), "0e%+03d", six.exponent);
    std::string text =
        (six.negative ? "-" : "") + six.digits.substr(0, 1) + "." + six.digits.substr(1) + exponent;
    if (reads_back(text, dtype, bits)) return text;
    text = with_distinct_digits(value, dtype);
    if (text.find('.') != std::string::npos && reads_back(text, dtype, bits)) return text;
  }
  uint64_t pattern = 0;
  std::memcpy(&pattern, bits, byte_size(dtype));
  char text[32];
  std::snprintf(text, sizeof(text), "0x%llX", static_cast<unsigned long long>(pattern));
  return text;
}

}  // namespace ingot::stablehlo
