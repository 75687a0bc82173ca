// Numbers and strings as the IR text writes them. Every form reads back to the same bits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/tensor.h"

namespace ingot::ir {

// Element i of the tensor: true, -3, 0.5, 1e-45, -inf, nan, 1-2.5i; a NaN that is not the usual one shows its
// bits: nan(0x7fc00001).
void append_element(std::string& text, const Tensor& tensor, int64_t i);
// The shortest decimal that reads back; always with a point, an exponent, inf or nan, so that it is no
// integer.
void append_double(std::string& text, double value);
// The text in double quotes, with escapes for quotes, backslashes and control characters.
void append_quoted(std::string& text, std::string_view content);

// Reads `token` into element i. Returns an empty string, or what is wrong with the token.
std::string read_element(std::string_view token, Tensor& tensor, int64_t i);
// Reads a floating-point attribute.
std::string read_double(std::string_view token, double& value);

}  // namespace ingot::ir
