// What arrays rely on: elements are their bits and nothing else.
#include "ingot/float16.h"

#include <type_traits>

namespace ingot {

static_assert(sizeof(float16) == 2 && std::is_trivial_v<float16>);
static_assert(sizeof(bfloat16) == 2 && std::is_trivial_v<bfloat16>);
static_assert(float16(65519.0f) == 65504 && float16(65520.0f) == std::numeric_limits<float16>::infinity());
static_assert(float16(0x1p-25f) == 0 && float16(0x1.000002p-25f) == 0x1p-24f);
static_assert(bfloat16(0x1.01p0f) == 1 && bfloat16(0x1.03p0f) == 0x1.04p0f);

}  // namespace ingot
