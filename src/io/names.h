// What files of several formats ask of the names and ranks of arrays, and what they cannot say of elements.
#pragma once

#include <string>

#include "ingot/dtype.h"

namespace ingot::io {

bool is_utf8(const std::string& text);
// Throws Error where an array's name is no UTF-8, since no reader would know what it says.
void check_name(const std::string& path, const std::string& name);

inline constexpr size_t kMostDimensions = 64;  // of an array in a file: as many as NumPy has
// Throws Error where there are more.
void check_rank(const std::string& path, const std::string& name, size_t rank);

// "save its values as f32 (astype)": where no format has a name for elements of a type.
std::string as_wider(DType dtype);

}  // namespace ingot::io
