// float8.h is all that there is; here it is held to what it says.
#include "ingot/float8.h"

namespace ingot {

static_assert(sizeof(float8_e4m3fn) == 1 && std::is_trivial_v<float8_e4m3fn>);
static_assert(float8_e4m3fn(464.0f) == 448 && float8_e4m3fn(465.0f).bits == 0x7f);
static_assert(float8_e4m3fn(-0.0f).bits == 0x80 && float8_e4m3fnuz(-0.0f).bits == 0);
static_assert(float8_e5m2(61440.0f) == std::numeric_limits<float8_e5m2>::infinity());
static_assert(float8_e5m2(0x1p-17f).bits == 0 && float8_e5m2(0x1.1p-17f).bits == 1);
static_assert(float8_e8m0fnu(1.5f) == 2 && float8_e8m0fnu(0.0f).bits == 0xff);
static_assert(float4_e2m1fn(100.0f) == 6 && float6_e2m3fn(-0.1f) == -0.125f);
static_assert(std::numeric_limits<float8_e4m3fn>::max() == 448.0f);
static_assert(std::numeric_limits<float8_e5m2>::max() == 57344.0f);

}  // namespace ingot
