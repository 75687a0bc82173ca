// The permuted 4x4 matrices as plain C++: one matrix at a time, all of it in sixteen locals.
#pragma once

#include <cstdint>
#include <string>

namespace bench {

using Permute = void (*)(const uint32_t* from, uint32_t* to, int64_t matrices);

Permute plain_permute(const std::string& columns);  // "shift3", "abc" or "rotl"

}  // namespace bench
